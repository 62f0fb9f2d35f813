//! What an experiment came to, as a table, as lines of JSON, and as a report in Markdown and HTML with its plots.
//!
//! What always holds: every form has the same figures; the report names the command that made it. Units stand in the names
//! of figures (`seconds`, `read_mb`). Knows nothing of how figures were had.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::failure::LabError;
use crate::plot::{Chart, short};
use crate::report::{Format, ReportArgs, write_file};

/// A case: figures under names.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    name: String,
    figures: Vec<(&'static str, Value)>,
}

impl Case {
    pub(crate) fn new(name: impl Into<String>) -> Case {
        Case { name: name.into(), figures: Vec::new() }
    }

    /// The same with a figure more.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Case {
        self.figures.push((name, value.into()));
        self
    }

    fn figure(&self, name: &str) -> Option<&Value> {
        self.figures.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    fn to_json(&self, experiment: &str) -> Value {
        let mut all = Map::new();
        all.insert("experiment".into(), json!(experiment));
        all.insert("case".into(), json!(self.name));
        all.extend(self.figures.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        Value::Object(all)
    }
}

/// What an experiment came to.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// What was asked, and how it was set up: paragraphs.
    pub(crate) setup: Vec<String>,
    /// The command that made it.
    pub(crate) command: String,
    /// The cases in their order.
    pub(crate) cases: Vec<Case>,
    /// Plots, in their order.
    pub(crate) charts: Vec<Chart>,
    /// What the figures say: a sentence each.
    pub(crate) findings: Vec<String>,
}

impl Outcome {
    /// Prints it, and writes the report to the directory that was asked for.
    pub(crate) fn publish(&self, args: &ReportArgs) -> Result<(), LabError> {
        match args.format {
            Format::Table => print!("{}", self.to_table()),
            Format::Json => print!("{}", self.to_json_lines()),
        }
        let Some(folder) = &args.out else { return Ok(()) };
        self.write(folder)?;
        if args.format == Format::Table {
            println!("\nreport: {}", folder.join(format!("{}.html", self.name)).display());
        }
        Ok(())
    }

    fn write(&self, folder: &Path) -> Result<(), LabError> {
        write_file(folder, &format!("{}.jsonl", self.name), &self.to_json_lines())?;
        for (index, chart) in self.charts.iter().enumerate() {
            write_file(folder, &self.plot_name(index), &chart.to_svg())?;
        }
        write_file(folder, &format!("{}.md", self.name), &self.to_markdown())?;
        write_file(folder, &format!("{}.html", self.name), &self.to_html())
    }

    fn plot_name(&self, index: usize) -> String {
        format!("{}-{}.svg", self.name, index + 1)
    }

    /// Names of figures, in the order in which cases bring them.
    fn columns(&self) -> Vec<&'static str> {
        let mut columns: Vec<&'static str> = Vec::new();
        for (name, _) in self.cases.iter().flat_map(|case| &case.figures) {
            if !columns.contains(name) {
                columns.push(name);
            }
        }
        columns
    }

    /// The table as texts: a heading, and a row for each case.
    fn grid(&self) -> Vec<Vec<String>> {
        let columns = self.columns();
        let heading = std::iter::once("case".to_owned()).chain(columns.iter().map(|name| name.replace('_', " ")));
        let row = |case: &Case| {
            let figures = columns.iter().map(|name| case.figure(name).map_or(String::new(), said));
            std::iter::once(case.name.clone()).chain(figures).collect()
        };
        std::iter::once(heading.collect()).chain(self.cases.iter().map(row)).collect()
    }

    fn to_table(&self) -> String {
        let grid = self.grid();
        let width = |column: usize| grid.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..grid[0].len()).map(width).collect();
        let mut out = format!("{}\n\n", self.title);
        for row in &grid {
            let _ = write!(out, "{:<1$}", row[0], widths[0]);
            for (text, width) in row.iter().zip(&widths).skip(1) {
                let _ = write!(out, "  {text:>width$}");
            }
            let _ = writeln!(out);
        }
        for finding in &self.findings {
            let _ = write!(out, "\n{finding}");
        }
        out.push('\n');
        out
    }

    fn to_json_lines(&self) -> String {
        self.cases.iter().map(|case| format!("{}\n", case.to_json(self.name))).collect()
    }

    fn to_markdown(&self) -> String {
        let mut out = format!("# {}\n\n", self.title);
        for paragraph in &self.setup {
            let _ = write!(out, "{paragraph}\n\n");
        }
        let _ = write!(out, "```sh\n{}\n```\n\n", self.command);
        for (index, row) in self.grid().into_iter().enumerate() {
            let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
            let _ = writeln!(out, "| {} |", cells.join(" | "));
            if index == 0 {
                let _ = writeln!(out, "|---|{}", "---:|".repeat(row.len() - 1));
            }
        }
        for finding in &self.findings {
            let _ = write!(out, "\n- {finding}");
        }
        out.push('\n');
        for (index, chart) in self.charts.iter().enumerate() {
            let _ = write!(out, "\n![{}]({})\n", chart.title, self.plot_name(index));
        }
        out
    }

    fn to_html(&self) -> String {
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>{STYLE}</style></head>\n<body><h1>{0}</h1>\n",
            escaped(self.title)
        );
        for paragraph in &self.setup {
            let _ = writeln!(out, "<p>{}</p>", escaped(paragraph));
        }
        let _ = writeln!(out, "<pre>{}</pre>\n<table>", escaped(&self.command));
        for (index, row) in self.grid().iter().enumerate() {
            let tag = if index == 0 { "th" } else { "td" };
            let cells: String = row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
            let _ = writeln!(out, "<tr>{cells}</tr>");
        }
        out.push_str("</table>\n<ul>\n");
        for finding in &self.findings {
            let _ = writeln!(out, "<li>{}</li>", escaped(finding));
        }
        out.push_str("</ul>\n");
        for chart in &self.charts {
            out.push_str(&chart.to_svg());
        }
        out.push_str("</body></html>\n");
        out
    }
}

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
    table{border-collapse:collapse;margin:1rem 0}th,td{padding:.2rem .6rem;border-bottom:1px solid #ccc;text-align:right}\
    th:first-child,td:first-child{text-align:left}pre{background:#f4f4f4;padding:.6rem;overflow-x:auto}svg{max-width:100%;height:auto}";

/// A figure as people read it.
fn said(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => short(number.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Figures, Series};

    fn outcome() -> Outcome {
        let bars = vec![Series { name: "here".into(), values: vec![Some(1.5)] }];
        Outcome {
            name: "demo",
            title: "A < B",
            setup: vec!["Why.".into()],
            command: "millpond lab run demo".into(),
            cases: vec![
                Case::new("disk|old").with("seconds", 1.25).with("writes", 7),
                Case::new("ram").with("seconds", 0.5).with("note", "fast"),
            ],
            charts: vec![Chart {
                title: "Time".into(),
                y: Axis::new("seconds"),
                figures: Figures::Bars { groups: vec!["disk".into()], bars },
            }],
            findings: vec!["RAM is 2.5 times as fast.".into()],
        }
    }

    #[test]
    fn the_table_has_a_row_for_each_case() {
        let table = outcome().to_table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "A < B");
        assert_eq!(lines[2], "case      seconds  writes  note");
        assert_eq!(lines[3], "disk|old     1.25       7      ");
        assert_eq!(lines[4], "ram         0.500          fast".replace("0.500", "  0.5"));
        assert_eq!(lines[6], "RAM is 2.5 times as fast.");
    }

    #[test]
    fn json_has_an_object_for_each_line() {
        let text = outcome().to_json_lines();
        let objects: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects[0], json!({"experiment": "demo", "case": "disk|old", "seconds": 1.25, "writes": 7}));
        assert_eq!(objects.len(), 2);
    }

    #[test]
    fn reports_name_their_command_and_show_their_plots() {
        let folder = tempfile::tempdir().unwrap();
        outcome().write(folder.path()).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let markdown = read("demo.md");
        assert!(markdown.contains("| disk\\|old | 1.25 | 7 |  |"), "{markdown}");
        assert!(markdown.contains("millpond lab run demo") && markdown.contains("![Time](demo-1.svg)"));
        let html = read("demo.html");
        assert!(html.contains("A &lt; B") && html.contains("<svg") && html.contains("millpond lab run demo"));
        assert!(read("demo-1.svg").contains("seconds"));
        assert_eq!(read("demo.jsonl").lines().count(), 2);
    }
}
