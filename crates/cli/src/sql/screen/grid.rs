//! Results as a box: which widths columns get, and its lines.
//!
//! ```text
//!  ┌────┬──────────┐
//!  │ id │ name     │
//!  ├────┼──────────┤
//!  │  1 │ heron    │
//!  │  2 │ NULL     │
//!  └────┴──────────┘
//! ```
//! What always holds: no line is wider than the terminal; figures and times are whole or there is no box: one that is cut is
//! another one. Texts and headings give way instead, the widest first, and end with a mark.

use super::paint::{Line, Paint};
use super::text;

/// What a text is cut to at least before a box is no way to show it.
const TEXT_LEAST: usize = 6;
/// What a column takes beside its cells: a blank on both sides and a line.
const AROUND: usize = 3;

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, cleaned; may be empty.
    pub heading: String,
    /// Values stand on the right.
    pub right: bool,
    /// Values are not to be cut.
    pub rigid: bool,
}

/// A value, cleaned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// As it is shown.
    pub text: String,
    /// Its columns.
    pub width: usize,
    /// It is no text.
    pub is_null: bool,
}

impl Cell {
    /// Of a text that may have anything in it.
    pub fn of(text: &str, is_null: bool) -> Cell {
        let text = text::clean(text);
        Cell { width: text::width(&text), text, is_null }
    }
}

/// Widths of columns, those that are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    widths: Vec<usize>,
    /// Columns that there is no room for.
    left_out: usize,
}

/// The signs of a frame: left, crossing, right, and the line.
type Rule = (&'static str, &'static str, &'static str);
const TOP: Rule = ("┌", "┬", "┐");
const MIDDLE: Rule = ("├", "┼", "┤");
const BOTTOM: Rule = ("└", "┴", "┘");

impl Grid {
    /// Widths for these rows where all columns have room, figures whole and texts of some signs.
    pub fn fitting(columns: &[Column], rows: &[Vec<Cell>], terminal: usize) -> Option<Grid> {
        let needs = needs(columns, rows);
        let room = terminal.checked_sub(columns.len() * AROUND + 1)?;
        (needs.iter().map(|(least, _)| least).sum::<usize>() <= room)
            .then(|| Grid { widths: shared(&needs, room), left_out: 0 })
    }

    /// Widths at any rate: columns that have no room are left out, and the first is cut if it alone is too wide.
    pub fn forced(columns: &[Column], rows: &[Vec<Cell>], terminal: usize) -> Grid {
        let needs = needs(columns, rows);
        let fits = |count: &usize| {
            let least: usize = needs[..*count].iter().map(|(least, _)| least).sum();
            least + count * AROUND < terminal
        };
        let count = (1..=needs.len()).rev().find(fits).unwrap_or(needs.len().min(1));
        let room = terminal.saturating_sub(count * AROUND + 1);
        let mut widths = shared(&needs[..count], room);
        widths.iter_mut().for_each(|width| *width = (*width).min(room));
        Grid { widths, left_out: needs.len() - count }
    }

    /// Whether further rows are whole in it, but for texts.
    pub fn takes(&self, columns: &[Column], rows: &[Vec<Cell>]) -> bool {
        let fits = |row: &Vec<Cell>| {
            let cells = row.iter().zip(columns).zip(&self.widths);
            cells.into_iter().all(|((cell, column), width)| !column.rigid || cell.width <= *width)
        };
        rows.iter().all(fits)
    }

    /// Columns that are not shown.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The frame's beginning with the headings.
    pub fn top(&self, columns: &[Column]) -> Vec<Line> {
        let mut line = Line::of(Paint::Faint, "│");
        for (column, width) in columns.iter().zip(&self.widths) {
            let heading = text::cut(&column.heading, *width);
            let blanks = text::blanks(&heading, *width);
            let (before, after) = if column.right { (blanks, String::new()) } else { (String::new(), blanks) };
            line.add(Paint::Plain, format!(" {before}")).add(Paint::Heading, heading);
            line.add(Paint::Plain, format!("{after} ")).add(Paint::Faint, "│");
        }
        vec![self.rule(TOP), line, self.rule(MIDDLE)]
    }

    /// A row.
    pub fn row(&self, columns: &[Column], cells: &[Cell]) -> Line {
        let mut line = Line::of(Paint::Faint, "│");
        for ((column, cell), width) in columns.iter().zip(cells).zip(&self.widths) {
            let shown = if cell.width <= *width { cell.text.clone() } else { text::cut(&cell.text, *width) };
            let blanks = text::blanks(&shown, *width);
            let (before, after) = if column.right { (blanks, String::new()) } else { (String::new(), blanks) };
            line.add(Paint::Plain, format!(" {before}"));
            line.add(if cell.is_null { Paint::Null } else { Paint::Plain }, shown);
            line.add(Paint::Plain, format!("{after} ")).add(Paint::Faint, "│");
        }
        line
    }

    /// The frame's end.
    pub fn bottom(&self) -> Line {
        self.rule(BOTTOM)
    }

    fn rule(&self, (left, cross, right): Rule) -> Line {
        let parts: Vec<String> = self.widths.iter().map(|width| "─".repeat(width + 2)).collect();
        Line::of(Paint::Faint, format!("{left}{}{right}", parts.join(cross)))
    }
}

/// What each column needs at least, and what it would take.
fn needs(columns: &[Column], rows: &[Vec<Cell>]) -> Vec<(usize, usize)> {
    let need = |(at, column): (usize, &Column)| {
        let cells = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.width).max().unwrap_or(0);
        let full = cells.max(text::width(&column.heading)).max(1);
        let least = if column.rigid { cells.max(full.min(TEXT_LEAST)) } else { full.min(TEXT_LEAST) };
        (least, full)
    };
    columns.iter().enumerate().map(need).collect()
}

/// All columns are as wide as they would be, or else those that are wider than some width have this one.
fn shared(needs: &[(usize, usize)], room: usize) -> Vec<usize> {
    let at_cap = |cap: usize| -> Vec<usize> { needs.iter().map(|(least, full)| cap.clamp(*least, *full)).collect() };
    let widest = needs.iter().map(|(_, full)| *full).max().unwrap_or(0);
    let (mut fits, mut too_wide) = (0, widest + 1);
    while too_wide - fits > 1 {
        let cap = fits + (too_wide - fits) / 2;
        if at_cap(cap).iter().sum::<usize>() <= room { fits = cap } else { too_wide = cap }
    }
    let mut widths = at_cap(fits);
    // What is left over is for the first that want it.
    let mut left = room.saturating_sub(widths.iter().sum());
    for (width, (_, full)) in widths.iter_mut().zip(needs) {
        let more = left.min(1).min(full.saturating_sub(*width));
        *width += more;
        left -= more;
    }
    widths
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn column(heading: &str, is_figure: bool) -> Column {
        Column { heading: text::clean(heading), right: is_figure, rigid: is_figure }
    }

    fn cell(text: &str) -> Cell {
        Cell::of(text, false)
    }

    fn all(grid: &Grid, columns: &[Column], rows: &[Vec<Cell>]) -> Vec<String> {
        let rows = rows.iter().map(|row| grid.row(columns, row));
        grid.top(columns).into_iter().chain(rows).chain([grid.bottom()]).map(|line| line.text()).collect()
    }

    #[test]
    fn a_box_is_as_wide_as_its_values() {
        let columns = [column("id", true), column("name", false)];
        let rows = [vec![cell("1"), cell("heron")], vec![cell("20"), Cell::of("NULL", true)]];
        let grid = Grid::fitting(&columns, &rows, 80).expect("there is room");
        assert_eq!(
            all(&grid, &columns, &rows),
            [
                "┌────┬───────┐",
                "│ id │ name  │",
                "├────┼───────┤",
                "│  1 │ heron │",
                "│ 20 │ NULL  │",
                "└────┴───────┘"
            ]
        );
    }

    #[test]
    fn the_widest_texts_give_way_and_figures_do_not() {
        let columns = [column("n", true), column("a", false), column("b", false)];
        let rows = [vec![cell("1234567890"), cell("short one"), cell(&"x".repeat(50))]];
        let grid = Grid::fitting(&columns, &rows, 40).expect("there is room");
        let lines = all(&grid, &columns, &rows);
        assert_eq!(lines[3], "│ 1234567890 │ short one │ xxxxxxxxxx… │");
        assert!(Grid::fitting(&columns, &rows, 30).is_none(), "10 + 6 + 6 + 10 is more");
        let forced = Grid::forced(&columns, &rows, 30);
        assert_eq!((forced.left_out(), all(&forced, &columns, &rows)[3].as_str()), (1, "│ 1234567890 │ short one │"));
    }

    #[test]
    fn further_figures_may_be_too_wide() {
        let columns = [column("n", true), column("a", false)];
        let grid = Grid::fitting(&columns, &[vec![cell("1"), cell("a")]], 80).expect("there is room");
        assert!(grid.takes(&columns, &[vec![cell("2"), cell("a longer text")]]));
        assert!(!grid.takes(&columns, &[vec![cell("22222222"), cell("")]]));
    }

    proptest! {
        #[test]
        fn no_box_is_wider_than_the_terminal(
            headings in prop::collection::vec((".{0,30}", any::<bool>()), 1..12),
            texts in prop::collection::vec(".{0,60}", 0..40),
            terminal in 1..120_usize,
        ) {
            let columns: Vec<Column> = headings.iter().map(|(name, is_figure)| column(name, *is_figure)).collect();
            let rows: Vec<Vec<Cell>> =
                texts.chunks_exact(columns.len()).map(|row| row.iter().map(|text| cell(text)).collect()).collect();
            if let Some(grid) = Grid::fitting(&columns, &rows, terminal) {
                let wanted = all(&grid, &columns, &rows);
                prop_assert!(wanted.iter().all(|line| text::width(line) <= terminal), "{wanted:?}");
                prop_assert!(wanted.iter().all(|line| text::width(line) == text::width(&wanted[0])), "{wanted:?}");
            }
            // The narrowest box there is has five columns.
            let forced = all(&Grid::forced(&columns, &rows, terminal), &columns, &rows);
            prop_assert!(forced.iter().all(|line| text::width(line) <= terminal.max(5)), "{forced:?}");
        }
    }
}
