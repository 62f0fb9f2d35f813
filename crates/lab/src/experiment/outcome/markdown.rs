//! The page as Markdown, with its plots as files beside it.
//!
//! What always holds: a cell never ends its table: bars are escaped, lines are none.

use std::fmt::Write;

use super::{Outcome, alternative};
use crate::plot::Chart;

impl Outcome {
    pub(super) fn to_markdown(&self, charts: &[Chart]) -> String {
        let mut out = format!("# {}\n\n", self.told.title);
        if let Some(source) = self.source() {
            let _ = write!(out, "{source}\n\n");
        }
        let comparison = self.comparison();
        if !comparison.is_empty() {
            table(&mut out, &comparison, false);
            let _ = write!(out, "\nWhat differs: {}\n\n", self.told.differs);
        }
        for paragraph in &self.told.setup {
            let _ = write!(out, "{paragraph}\n\n");
        }
        let _ = write!(out, "```sh\n{}\n```\n\n{}\n", self.run.command, self.provenance());
        for grid in self.grids() {
            out.push('\n');
            table(&mut out, &grid, true);
        }
        for finding in &self.told.findings {
            let _ = write!(out, "\n- {finding}");
        }
        out.push('\n');
        for (index, chart) in charts.iter().enumerate() {
            let _ = write!(out, "\n![{}]({})\n", alternative(chart), self.plot_name(index));
        }
        for section in &self.told.sections {
            let _ = write!(out, "\n## {}\n", section.heading);
            for text in &section.texts {
                let _ = write!(out, "\n{text}\n");
            }
            if !section.formulas.is_empty() {
                let _ = write!(out, "\n```text\n{}\n```\n", section.formulas.join("\n"));
            }
            if !section.table.is_empty() {
                out.push('\n');
                table(&mut out, &section.table, false);
            }
        }
        out
    }
}

fn table(out: &mut String, rows: &[Vec<String>], is_right: bool) {
    for (index, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
        if index == 0 {
            let _ =
                writeln!(out, "|---|{}", if is_right { "---:|" } else { "---|" }.repeat(row.len().saturating_sub(1)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::outcome;

    #[test]
    fn a_page_opens_with_the_article_beside_ours() {
        let outcome = outcome(&[1.25]);
        let text = outcome.to_markdown(&outcome.samples.charts());
        let opening = "# A < B\n\nIt repeats A. Author, A & B, 2006 (its address is not known).\n\n\
             |  | article | ours | ours : article |\n|---|---|---|---|\n| RAM : disk | 5 × | 2.5 × | 0.5 |\n\n\
             What differs: Here is less of it.\n\nWhy.\n\n```sh\nmillpond lab run demo\n```\n";
        assert!(text.starts_with(opening), "{text}");
        assert!(
            text.ends_with(
                "## A model\n\nIt is simple.\n\n```text\na < b · c\n```\n\n| of | error |\n|---|---|\n| disk | 1 % |\n"
            ),
            "{text}"
        );
    }
}
