//! Rows one below the other, a line or more for each column: what is too wide for a box, and what `\G` asks for.
//!
//! ```text
//!  ── row 1 ───────────
//!    id  1
//!  name  heron
//! ```
//! What always holds: no line is wider than the terminal, and values are whole, on as many lines as they take.

use super::grid::Cell;
use super::paint::{Line, Paint};
use super::text;

/// Between a name and its value.
const GAP: usize = 2;
/// A value has so much room, or the names have less.
const VALUE_LEAST: usize = 10;

/// The lines of a row; `row_no` counts from 1.
pub fn row(headings: &[&str], cells: &[Cell], row_no: u64, terminal: usize) -> Vec<Line> {
    let title = format!("── row {row_no} ");
    let rest = "─".repeat(terminal.min(60).saturating_sub(text::width(&title)));
    let mut lines = vec![Line::of(Paint::Faint, format!("{title}{rest}"))];
    let longest = headings.iter().map(|heading| text::width(heading)).max().unwrap_or(0);
    let names = longest.min(terminal / 2).min(terminal.saturating_sub(GAP + VALUE_LEAST));
    let room = terminal.saturating_sub(names + GAP);
    for (heading, cell) in headings.iter().zip(cells) {
        let name = text::cut(heading, names);
        let mut name = Some(format!("{}{name}", text::blanks(&name, names)));
        let paint = if cell.is_null { Paint::Null } else { Paint::Plain };
        for part in cell.text.split('\n').flat_map(|part| text::wrapped(part, room)) {
            let mut line = Line::of(Paint::Heading, name.take().unwrap_or_else(|| " ".repeat(names)));
            line.add(Paint::Plain, " ".repeat(GAP)).add(paint, part);
            lines.push(line);
        }
    }
    lines.into_iter().map(|line| line.fitted(terminal)).collect()
}

/// A value whose line ends stay what they are.
pub fn cell(value: &str, is_null: bool) -> Cell {
    let lines = value.split('\n').map(|line| text::clean(line.strip_suffix('\r').unwrap_or(line)));
    let text = lines.collect::<Vec<String>>().join("\n");
    Cell { width: 0, text, is_null }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(lines: &[Line]) -> Vec<String> {
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn names_stand_beside_values() {
        let cells = [cell("1", false), cell("one\r\ntwo", false), cell("NULL", true)];
        let lines = row(&["id", "text", ""], &cells, 3, 20);
        let expected = ["── row 3 ───────────", "  id  1", "text  one", "      two", "      NULL"];
        assert_eq!(texts(&lines), expected);
        let narrow = row(&["a_very_long_name"], &[cell("0123456789abcdef", false)], 1, 20);
        assert_eq!(texts(&narrow), ["── row 1 ───────────", "a_very_…  0123456789", "          abcdef"]);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal(
            columns in prop::collection::vec((".{0,40}", "(?s).{0,200}"), 0..8), terminal in 1..100_usize,
        ) {
            let headings: Vec<String> = columns.iter().map(|(name, _)| text::clean(name)).collect();
            let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
            let cells: Vec<Cell> = columns.iter().map(|(_, value)| cell(value, false)).collect();
            for line in texts(&row(&headings, &cells, 1, terminal)) {
                prop_assert!(text::width(&line) <= terminal, "{line:?}");
                prop_assert!(!line.chars().any(char::is_control), "{line:?}");
            }
        }
    }
}
