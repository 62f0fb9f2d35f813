//! The page as Markdown, with its plots as files beside it.
//!
//! What always holds: a cell never ends its table: bars are escaped, lines are none.

use std::fmt::Write;

use super::{Outcome, alternative};
use crate::plot::Chart;

/// The page.
pub(super) fn markdown(outcome: &Outcome, charts: &[Chart]) -> String {
    let mut out = format!("# {}\n\n", outcome.page.title);
    if let Some(source) = outcome.source() {
        let _ = write!(out, "{source}\n\n");
    }
    let comparison = outcome.comparison();
    if !comparison.is_empty() {
        table(&mut out, &comparison, false);
        let _ = write!(out, "\nWhat differs: {}\n\n", outcome.page.differs);
    }
    for paragraph in &outcome.page.setup {
        let _ = write!(out, "{paragraph}\n\n");
    }
    let _ = write!(out, "```sh\n{}\n```\n\n{}\n", outcome.run.command, outcome.provenance());
    for finding in &outcome.page.findings {
        let _ = write!(out, "\n- {finding}");
    }
    out.push('\n');
    for (index, chart) in charts.iter().enumerate() {
        let _ = write!(out, "\n![{}]({})\n", alternative(chart), outcome.plot_name(index));
    }
    for section in &outcome.page.sections {
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
    out.push_str("\n## All figures\n");
    for grid in outcome.grids() {
        out.push('\n');
        table(&mut out, &grid, true);
    }
    out
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
    use super::markdown;

    #[test]
    fn a_page_opens_with_the_article_beside_ours() {
        let outcome = outcome(&[1.25]);
        let text = markdown(&outcome, &outcome.samples.charts());
        let opening = "# A < B\n\nIt repeats A. Author, A & B, 2006 (its address is not known).\n\n\
             |  | article | ours | ours : article |\n|---|---|---|---|\n| RAM : disk | 5\u{a0}× | 2.5\u{a0}× | 0.5 |\n\n\
             What differs: Here is less of it.\n\nWhy.\n\n```sh\nmillpond lab run demo\n```\n";
        assert!(text.starts_with(opening), "{text}");
        let section = "## A model\n\nIt is simple.\n\n```text\na < b · c\n```\n\n| of | error |\n|---|---|\n| disk | 1 % |\n\n\
             ## All figures\n\n| case |";
        assert!(text.contains(section), "{text}");
        assert!(text.ends_with("| ram | 0.5 |  | fast, \"very\" |\n"), "{text}");
    }
}
