//! What an experiment came to: printed as a table or as lines of JSON, and a report in files.
//!
//! ```text
//!   NAME.md, NAME.html       the page: article and ours, conditions, figures, findings, plots
//!   NAME-1.svg …             its plots
//!   NAME.jsonl               an object for each case: medians
//!   NAME.result.json         every figure of every repetition, with machine, version, date: what `lab compare` reads
//!   NAME.raw.csv             the same as a table: a line for each repetition and case
//! ```
//!
//! What always holds: every form has the same figures; the report names the command that made it. Units stand in the names
//! of figures (`seconds`, `read_mb`). Knows nothing of how figures were had.

mod html;
mod markdown;
pub(crate) mod record;

use std::fmt::Write;
use std::path::Path;

use super::article::{Article, Comparison};
use super::case::{Cell, Samples};
use crate::failure::LabError;
use crate::host::Machine;
use crate::plot::Chart;
use crate::report::{Format, ReportArgs, write_file};

/// Figures that stand side by side; more are another table below, so that none is wider than a page.
const COLUMNS_MAX: usize = 6;

/// What an experiment reports of itself and of its figures.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Its heading.
    pub(crate) title: &'static str,
    /// What it repeats; `None` for one of our own.
    pub(crate) article: Option<Article>,
    /// The article's figures beside ours.
    pub(crate) comparisons: Vec<Comparison>,
    /// What is different here from the article's conditions: a sentence or two.
    pub(crate) differs: String,
    /// What was asked, and how it was set up: paragraphs.
    pub(crate) setup: Vec<String>,
    /// What the figures say: a sentence each.
    pub(crate) findings: Vec<String>,
    /// What else belongs to it.
    pub(crate) sections: Vec<Section>,
}

/// A part of a page with a heading of its own.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) heading: String,
    /// Paragraphs.
    pub(crate) texts: Vec<String>,
    /// Lines that stand as they are: formulas.
    pub(crate) formulas: Vec<String>,
    /// A heading and rows of as many cells; may be empty.
    pub(crate) table: Vec<Vec<String>>,
}

/// How and where it was run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// Its scale.
    pub(crate) scale: &'static str,
    /// The command that repeats it.
    pub(crate) command: String,
    /// When it began, UTC: `2026-11-30 21:05`.
    pub(crate) date: String,
    pub(crate) machine: Machine,
}

/// All of an experiment.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    pub(crate) run: Run,
    pub(crate) page: Page,
    pub(crate) samples: Samples,
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
        let charts = self.samples.charts();
        write_file(folder, &format!("{}.jsonl", self.name), &self.to_json_lines())?;
        write_file(folder, &format!("{}.result.json", self.name), &self.to_record())?;
        write_file(folder, &format!("{}.raw.csv", self.name), &self.to_csv())?;
        for (index, chart) in charts.iter().enumerate() {
            write_file(folder, &self.plot_name(index), &chart.to_svg())?;
        }
        write_file(folder, &format!("{}.md", self.name), &markdown::markdown(self, &charts))?;
        write_file(folder, &format!("{}.html", self.name), &html::html(self, &charts))
    }

    fn plot_name(&self, index: usize) -> String {
        format!("{}-{}.svg", self.name, index + 1)
    }

    /// Who wrote what is repeated, in one sentence.
    fn source(&self) -> Option<String> {
        let Article { author, title, year, address } = self.page.article?;
        let address = address.map_or_else(|| "its address is not known".to_owned(), str::to_owned);
        Some(format!("It repeats {author}, {title}, {year} ({address})."))
    }

    /// The article's figures beside ours, with a heading; nothing where there is no article.
    fn comparison(&self) -> Vec<Vec<String>> {
        if self.page.comparisons.is_empty() {
            return Vec::new();
        }
        let heading = ["", "article", "ours", "ours : article"].map(str::to_owned).to_vec();
        std::iter::once(heading).chain(self.page.comparisons.iter().map(|row| row.cells().to_vec())).collect()
    }

    /// Machine, version, date and number of repetitions, in one paragraph.
    fn provenance(&self) -> String {
        let Run { date, machine, .. } = &self.run;
        let count = self.samples.count();
        let of = match count {
            1 => "One repetition: nothing is known of the spread.".to_owned(),
            _ => format!(
                "{count} repetitions of the whole, one after the other: figures are medians, with the least and the most of \
                 them where they differ; in pictures a whisker."
            ),
        };
        let build = if machine.is_release { "" } else { " This was a build for tests: times and rates mean little." };
        format!(
            "Run on {date} UTC by {} on {} processors ({}), {} MB of memory, {}. {of}{build} Every figure of every repetition is \
             in `{name}.raw.csv` and `{name}.result.json`, which `millpond lab compare` reads.",
            machine.version,
            machine.processors,
            machine.processor,
            machine.memory_mb,
            machine.system,
            name = self.name,
        )
    }

    /// The figures as tables that are not too wide, each with its heading: the case, then as many figures as fit.
    fn grids(&self) -> Vec<Vec<Vec<String>>> {
        let figures = self.samples.figures();
        figures.chunks(COLUMNS_MAX).map(|figures| self.grid(figures)).collect()
    }

    /// A heading, and a row for each case that has one of these figures.
    fn grid(&self, figures: &[&'static str]) -> Vec<Vec<String>> {
        let heading = std::iter::once("case".to_owned()).chain(figures.iter().map(|name| name.replace('_', " ")));
        let row = |case: &str| {
            let cells: Vec<Cell> = figures.iter().map(|name| self.samples.cell(case, name)).collect();
            let is_empty = cells.iter().all(|cell| *cell == Cell::Nothing);
            (!is_empty).then(|| std::iter::once(case.to_owned()).chain(cells.iter().map(said)).collect())
        };
        let rows = self.samples.cases().into_iter().filter_map(row);
        std::iter::once(heading.collect()).chain(rows).collect()
    }

    fn to_table(&self) -> String {
        let mut out = format!("{}\n", self.page.title);
        let comparison = self.comparison();
        if !comparison.is_empty() {
            let _ = write!(out, "\n{}", aligned(&comparison, false));
        }
        for grid in self.grids() {
            let _ = write!(out, "\n{}", aligned(&grid, true));
        }
        for finding in &self.page.findings {
            let _ = write!(out, "\n{finding}");
        }
        out.push('\n');
        for section in self.page.sections.iter().filter(|section| !section.table.is_empty()) {
            let _ = write!(out, "\n{}\n\n{}", section.heading, aligned(&section.table, false));
        }
        out
    }
}

/// Columns of the same width, the first from the left; the others from the right where they are numbers.
pub(crate) fn aligned(rows: &[Vec<String>], is_right: bool) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (number, (text, &width)) in row.iter().zip(&widths).enumerate() {
            match (number, is_right) {
                (0, _) => _ = write!(line, "{text:<width$}"),
                (_, true) => _ = write!(line, "  {text:>width$}"),
                (_, false) => _ = write!(line, "  {text:<width$}"),
            }
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

/// A figure as people read it.
fn said(cell: &Cell) -> String {
    match cell {
        Cell::Nothing => String::new(),
        Cell::Text(text) => text.clone(),
        // Counts of one repetition are whole; they are written as they are while they are short.
        Cell::Number(spread) if spread.is_point() && spread.median.fract() == 0.0 && spread.median.abs() < 1e5 => {
            format!("{:.0}", spread.median)
        }
        Cell::Number(spread) => spread.to_string(),
    }
}

/// A chart's alternative text.
fn alternative(chart: &Chart) -> String {
    format!("{}: {}", chart.title, chart.y.label)
}

#[cfg(test)]
pub(crate) mod tests {
    use serde_json::{Value, json};

    use super::super::case::{Case, Repetition};
    use super::*;
    use crate::plot::{Axis, Figures, Series, Spread};

    pub(crate) fn machine() -> Machine {
        Machine {
            version: "millpond 0.1.0".into(),
            is_release: true,
            processor: "An <old> one".into(),
            processors: 2,
            memory_mb: 8192,
            system: "Linux".into(),
        }
    }

    fn repetition(seconds: f64) -> Repetition {
        let bars = vec![Series { name: "here".into(), values: vec![Some(Spread::from(seconds))] }];
        Repetition {
            cases: vec![
                Case::new("disk|old").with("seconds", seconds).with("writes", 7),
                Case::new("ram").with("seconds", 0.5).with("note", "fast, \"very\""),
            ],
            charts: vec![Chart {
                title: "Time".into(),
                y: Axis::new("seconds"),
                figures: Figures::Bars { x: "where it lies".into(), groups: vec!["disk".into()], bars },
            }],
            effects: vec![("disk_over_ram", seconds / 0.5)],
        }
    }

    /// An experiment that was done so often.
    pub(crate) fn outcome(seconds: &[f64]) -> Outcome {
        let samples = Samples::new(seconds.iter().map(|seconds| repetition(*seconds)).collect());
        let ours = samples.effect("disk_over_ram");
        Outcome {
            name: "demo",
            run: Run {
                scale: "quick",
                command: "millpond lab run demo".into(),
                date: "2026-11-30 21:05".into(),
                machine: machine(),
            },
            page: Page {
                title: "A < B",
                article: Some(Article { author: "A. Author", title: "A & B", year: "2006", address: None }),
                comparisons: vec![Comparison::effect("RAM : disk", 5.0, ours)],
                differs: "Here is less of it.".into(),
                setup: vec!["Why.".into()],
                findings: vec!["RAM is 2.5 times as fast.".into()],
                sections: vec![Section {
                    heading: "A model".into(),
                    texts: vec!["It is simple.".into()],
                    formulas: vec!["a < b · c".into()],
                    table: vec![vec!["of".into(), "error".into()], vec!["disk".into(), "1 %".into()]],
                }],
            },
            samples,
        }
    }

    #[test]
    fn the_table_has_a_row_for_each_case() {
        let table = outcome(&[1.25]).to_table();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "A < B");
        assert_eq!(lines[2], "            article  ours   ours : article");
        assert_eq!(lines[3], "RAM : disk  5\u{a0}×      2.5\u{a0}×  0.5");
        assert_eq!(lines[5], "case      seconds  writes          note");
        assert_eq!(lines[6], "disk|old     1.25       7");
        assert_eq!(lines[7], "ram           0.5          fast, \"very\"");
        assert_eq!(lines[9], "RAM is 2.5 times as fast.");
        assert_eq!(lines[11..], ["A model", "", "of    error", "disk  1 %"]);
    }

    #[test]
    fn tables_show_median_and_spread() {
        let grids = outcome(&[1.0, 2.0, 1.5]).grids();
        assert_eq!(grids[0][1], ["disk|old", "1.5 (1..2)", "7", ""]);
    }

    #[test]
    fn many_figures_are_several_tables_of_those_cases_that_have_them() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let case = names.iter().fold(Case::new("wide"), |case, name| case.with(name, 1));
        let mut wide = outcome(&[1.0]);
        let cases = vec![case, Case::new("narrow").with("a", 2)];
        wide.samples = Samples::new(vec![Repetition { cases, ..Repetition::default() }]);
        let grids = wide.grids();
        assert_eq!(grids.iter().map(|grid| grid[0].len()).collect::<Vec<_>>(), [7, 2]);
        assert_eq!(grids[1], [["case", "g"], ["wide", "1"]]);
    }

    #[test]
    fn reports_name_their_command_and_show_their_plots() {
        let folder = tempfile::tempdir().unwrap();
        outcome(&[1.25, 1.5, 1.75]).write(folder.path()).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let markdown = read("demo.md");
        assert!(markdown.contains("| disk\\|old | 1.5 (1.25..1.75) | 7 |  |"), "{markdown}");
        assert!(markdown.contains("millpond lab run demo") && markdown.contains("![Time: seconds](demo-1.svg)"));
        let html = read("demo.html");
        assert!(html.contains("A &lt; B") && html.contains("<svg") && html.contains("millpond lab run demo"));
        assert!(read("demo-1.svg").contains("seconds"));
        let lines: Vec<Value> = read("demo.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(
            lines[0],
            json!({"experiment": "demo", "case": "disk|old", "repetitions": 3, "seconds": 1.5, "writes": 7.0})
        );
        assert!(read("demo.raw.csv").starts_with("repetition,case,seconds,writes,note\n1,disk|old,1.25,7,\n"));
        assert!(read("demo.result.json").contains("\"disk_over_ram\""));
    }

    #[test]
    fn one_repetition_says_that_nothing_is_known_of_the_spread() {
        assert!(outcome(&[1.0]).provenance().contains("nothing is known of the spread"));
        let mut debug = outcome(&[1.0, 2.0]);
        debug.run.machine.is_release = false;
        assert!(debug.provenance().contains("2 repetitions") && debug.provenance().contains("mean little"));
    }
}
