//! What batches say, as a person at a terminal wants to see it: results in boxes that fit, or row by row where they cannot; messages
//! with the place of what is wrong; counts and times.
//!
//! ```text
//!  columns, rows ─▶ gathered ─▶ plan | box | row by row ─▶ text for the terminal
//!  message ─▶ number, level, line, text ─▶ caret
//! ```
//! What always holds: no line is wider than the terminal was when its result began; what is gathered is shown when it is
//! [`ROWS_MAX`] rows or [`BYTES_MAX`], when the first of it is [`PATIENCE`] old and another row comes, and before anything else is.
//! Writes nothing itself: each call gives the text that is to be written. Scripts never see any of it.

mod caret;
mod grid;
mod kept;
pub mod paint;
mod plan;
pub mod status;
mod tall;
pub mod terminal;
pub mod text;

use std::time::{Duration, Instant};

use millpond_message::sink::{Column, Message};
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};

use grid::{Cell, Grid};
pub use kept::Kept;
use paint::{Line, Paint};
use plan::PlanTable;

/// Rows that are gathered before their widths are settled.
const ROWS_MAX: usize = 500;
/// Bytes of their texts.
const BYTES_MAX: usize = 4 << 20;
/// How old a row may become before it is shown with the next one.
const PATIENCE: Duration = Duration::from_millis(500);
/// Characters of a value that are shown.
const VALUE_MAX: usize = 65_536;

/// Whether results are shown row by row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vertical {
    /// Where a box has no room.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never: columns that have no room are left out.
    Off,
}

/// The screen.
pub struct Screen {
    with_colors: bool,
    /// How wide the terminal is now.
    width: fn() -> usize,
    /// How results are shown.
    pub vertical: Vertical,
    /// The next batch row by row, as `\G` asks.
    pub is_vertical_once: bool,
    /// Times beside counts.
    pub timing: bool,
    batch: String,
    begun: Instant,
    /// Something was shown of the batch.
    said: bool,
    result: Option<Incoming>,
    /// Plans, which have a result for each statement and one for its operators.
    plan: Option<PlanTable>,
    /// The result that comes belongs to them.
    is_plan: bool,
    kept: Kept,
}

/// A result that comes.
struct Incoming {
    columns: Vec<grid::Column>,
    types: Vec<SqlType>,
    terminal: usize,
    /// Gathered: values as texts, and whether they are NULL.
    rows: Vec<Vec<(String, bool)>>,
    bytes: usize,
    since: Instant,
    shape: Shape,
    row_count: u64,
    shown: u64,
}

/// How a result is shown.
enum Shape {
    /// Not settled: nothing was shown yet.
    Open,
    /// In a box whose end is to come.
    Box(Grid),
    /// Row by row.
    Tall,
}

impl Screen {
    /// A screen of nothing yet.
    pub fn new(with_colors: bool) -> Screen {
        Screen {
            with_colors,
            width: terminal::columns,
            vertical: Vertical::Auto,
            is_vertical_once: false,
            timing: true,
            batch: String::new(),
            begun: Instant::now(),
            said: false,
            result: None,
            plan: None,
            is_plan: false,
            kept: Kept::default(),
        }
    }

    /// Whether colours are used.
    pub fn with_colors(&self) -> bool {
        self.with_colors
    }

    /// The last result.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// A batch begins.
    pub fn begin(&mut self, batch: &str) {
        self.batch = batch.to_owned();
        self.begun = Instant::now();
        self.said = false;
    }

    /// The batch has ended: what is left of it.
    pub fn end(&mut self) -> String {
        let mut out = self.close(None);
        out.push_str(&self.plans());
        if !self.said {
            let time = self.time().map_or(String::new(), |time| format!(" ({time})"));
            Line::of(Paint::Faint, format!("done{time}")).write(&mut out, self.with_colors);
        }
        self.is_vertical_once = false;
        out
    }

    /// A result begins.
    pub fn columns(&mut self, columns: &[Column]) -> String {
        let mut out = self.close(None);
        self.kept = Kept::of(columns);
        let plan = PlanTable::of(columns);
        self.is_plan = plan.is_some();
        if let Some(plan) = plan {
            self.plan.get_or_insert(plan);
            return out;
        }
        out.push_str(&self.plans());
        let column = |column: &Column| {
            let sql_type = &column.sql_type;
            let is_figure = sql_type.is_numeric() || *sql_type == SqlType::Bit;
            let rigid = is_figure || sql_type.is_temporal() || *sql_type == SqlType::UniqueIdentifier;
            grid::Column { heading: text::clean(&column.name), right: is_figure, rigid }
        };
        self.result = (!columns.is_empty()).then(|| Incoming {
            columns: columns.iter().map(column).collect(),
            types: columns.iter().map(|column| column.sql_type).collect(),
            terminal: (self.width)(),
            rows: Vec::new(),
            bytes: 0,
            since: Instant::now(),
            shape: Shape::Open,
            row_count: 0,
            shown: 0,
        });
        out
    }

    /// A row of it.
    pub fn row(&mut self, values: &[Value]) -> String {
        self.kept.add(values);
        if let Some(plan) = self.plan.as_mut().filter(|_| self.is_plan) {
            plan.add(values);
            return String::new();
        }
        let Some(result) = &mut self.result else { return String::new() };
        result.row_count += 1;
        if result.rows.is_empty() {
            result.since = Instant::now();
        }
        let texts: Vec<(String, bool)> = values
            .iter()
            .zip(&result.types)
            .map(|(value, sql_type)| (shown(value, sql_type), value.is_null()))
            .collect();
        result.bytes += texts.iter().map(|(text, _)| text.len()).sum::<usize>();
        result.rows.push(texts);
        let is_full = result.rows.len() >= ROWS_MAX || result.bytes >= BYTES_MAX;
        if is_full || result.since.elapsed() >= PATIENCE { self.gathered() } else { String::new() }
    }

    /// A message, with the place of what is wrong where it can be found.
    pub fn message(&mut self, message: &Message) -> String {
        let mut out = self.close(None);
        out.push_str(&self.plans());
        self.said = true;
        let Message { number, severity, state, line, procedure, text } = message;
        if *severity <= 10 {
            out.push_str(&said(text));
            return out;
        }
        let of = if procedure.is_empty() { String::new() } else { format!(", Procedure {}", text::clean(procedure)) };
        let head = format!("Msg {number}, Level {severity}, State {state}{of}, Line {line}");
        Line::of(Paint::Error, head).write(&mut out, self.with_colors);
        out.push_str(&said(text));
        if procedure.is_empty() {
            let line_no = usize::try_from(*line).unwrap_or(0);
            let place = caret::place(&self.batch, line_no, text, (self.width)());
            place.iter().for_each(|line| line.write(&mut out, self.with_colors));
        }
        out
    }

    /// A statement has ended.
    pub fn done(&mut self, row_count: Option<u64>) -> String {
        // Rows of plans are not counted: they are none of the statement's.
        let is_plan = std::mem::take(&mut self.is_plan);
        if is_plan { String::new() } else { self.close(row_count) }
    }

    /// The plans that came, as one tree each below the other.
    fn plans(&mut self) -> String {
        let mut out = String::new();
        if let Some(plan) = self.plan.take() {
            self.said = true;
            plan.lines((self.width)()).iter().for_each(|line| line.write(&mut out, self.with_colors));
        }
        out
    }

    /// Ends the result that comes, and says how many rows there were.
    fn close(&mut self, row_count: Option<u64>) -> String {
        let mut out = self.gathered();
        let time = self.time().map_or(String::new(), |time| format!(", {time}"));
        let rows = |count: u64| if count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
        let Some(mut result) = self.result.take() else {
            if let Some(count) = row_count {
                self.said = true;
                Line::of(Paint::Faint, format!("({} affected{time})", rows(count))).write(&mut out, self.with_colors);
            }
            return out;
        };
        self.said = true;
        let mut lines = Vec::new();
        // One without rows has its headings.
        if result.row_count == 0 {
            lines.extend(result.open(&[], Some(false)));
        }
        lines.extend(result.bottom());
        if row_count.is_some() {
            let left_out = if let Shape::Box(grid) = &result.shape { grid.left_out() } else { 0 };
            let more = match left_out {
                0 => String::new(),
                count => format!("; {count} columns have no room: \\G or :vertical on shows them"),
            };
            lines.push(Line::of(Paint::Faint, format!("({}{time}{more})", rows(result.row_count))));
        }
        lines.iter().for_each(|line| line.write(&mut out, self.with_colors));
        out
    }

    /// What is gathered, for the terminal.
    fn gathered(&mut self) -> String {
        let mut out = String::new();
        let (vertical, is_once, with_colors) = (self.vertical, self.is_vertical_once, self.with_colors);
        let Some(result) = self.result.as_mut().filter(|result| !result.rows.is_empty()) else { return out };
        self.said = true;
        let wants_tall = match vertical {
            _ if is_once => Some(true),
            Vertical::On => Some(true),
            Vertical::Off => Some(false),
            Vertical::Auto => None,
        };
        result.show(wants_tall).iter().for_each(|line| line.write(&mut out, with_colors));
        out
    }

    fn time(&self) -> Option<String> {
        self.timing.then(|| duration(self.begun.elapsed()))
    }
}

impl Incoming {
    /// The gathered rows, with the frame's lines before them.
    fn show(&mut self, wants_tall: Option<bool>) -> Vec<Line> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let first = self.shown + 1;
        self.shown += rows.len() as u64;
        let mut lines = Vec::new();
        if !matches!(self.shape, Shape::Tall) {
            let of_box =
                |row: &Vec<(String, bool)>| row.iter().map(|(text, is_null)| Cell::of(text, *is_null)).collect();
            let cells: Vec<Vec<Cell>> = rows.iter().map(of_box).collect();
            let takes = matches!(&self.shape, Shape::Box(grid) if grid.takes(&self.columns, &cells));
            if !takes {
                lines.extend(self.bottom());
                lines.extend(self.open(&cells, wants_tall));
            }
            if let Shape::Box(grid) = &self.shape {
                lines.extend(cells.iter().map(|row| grid.row(&self.columns, row)));
                return lines.into_iter().map(|line| line.fitted(self.terminal)).collect();
            }
        }
        let headings: Vec<&str> = self.columns.iter().map(|column| column.heading.as_str()).collect();
        for (row, row_no) in rows.iter().zip(first..) {
            let cells: Vec<Cell> = row.iter().map(|(text, is_null)| tall::cell(text, *is_null)).collect();
            lines.extend(tall::row(&headings, &cells, row_no, self.terminal));
        }
        lines
    }

    /// Settles how rows like these are shown; the first lines of a box.
    fn open(&mut self, rows: &[Vec<Cell>], wants_tall: Option<bool>) -> Vec<Line> {
        let fitting = Grid::fitting(&self.columns, rows, self.terminal);
        if wants_tall.unwrap_or(fitting.is_none()) {
            self.shape = Shape::Tall;
            return Vec::new();
        }
        let grid = fitting.unwrap_or_else(|| Grid::forced(&self.columns, rows, self.terminal));
        let lines = grid.top(&self.columns);
        self.shape = Shape::Box(grid);
        lines.into_iter().map(|line| line.fitted(self.terminal)).collect()
    }

    /// The end of the box that is open.
    fn bottom(&self) -> Option<Line> {
        match &self.shape {
            Shape::Box(grid) => Some(grid.bottom().fitted(self.terminal)),
            Shape::Open | Shape::Tall => None,
        }
    }
}

/// A value as a text, of which so much is shown.
fn shown(value: &Value, sql_type: &SqlType) -> String {
    let mut text = to_display(value, sql_type);
    if let Some((end, _)) = text.char_indices().nth(VALUE_MAX) {
        text.truncate(end);
        text.push_str(text::MARK);
    }
    text
}

/// A text of the server: its lines, each without what a terminal would obey.
fn said(text: &str) -> String {
    let lines = text.split('\n').map(|line| text::clean(line.strip_suffix('\r').unwrap_or(line)).replace('␉', "\t"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// `850 µs`, `12 ms`, `3.20 s`, `2:03 min`
pub fn duration(took: Duration) -> String {
    let us = took.as_micros();
    match us {
        0..1_000 => format!("{us} µs"),
        1_000..10_000 => format!("{:.1} ms", us as f64 / 1e3),
        10_000..1_000_000 => format!("{} ms", us / 1_000),
        1_000_000..60_000_000 => format!("{:.2} s", us as f64 / 1e6),
        _ => format!("{}:{:02} min", us / 60_000_000, us / 1_000_000 % 60),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn screen(width: fn() -> usize) -> Screen {
        Screen { width, timing: false, ..Screen::new(false) }
    }

    fn error(line: u32, text: &str) -> Message {
        let (number, severity, state) = (102, 15, 1);
        Message { number, severity, state, line: line as _, procedure: String::new(), text: text.into() }
    }

    #[test]
    fn a_batch_is_shown_in_its_order() {
        let mut screen = screen(|| 40);
        screen.begin("select 1 as a print 'x' select 1 where 1 = 0 fro");
        let mut out = screen.columns(&[Column::new("a", SqlType::Int)]);
        out += &screen.row(&[Value::Int(1)]);
        out += &screen.done(Some(1));
        out += &screen.message(&Message { severity: 0, ..error(1, "x\ty") });
        out += &screen.columns(&[Column::new("", SqlType::Int)]);
        out += &screen.done(Some(0));
        out += &screen.done(Some(2));
        out += &screen.message(&error(1, "Incorrect syntax near 'fro'."));
        out += &screen.end();
        let expected = "\
┌───┐
│ a │
├───┤
│ 1 │
└───┘
(1 row)
x\ty
┌───┐
│   │
├───┤
└───┘
(0 rows)
(2 rows affected)
Msg 102, Level 15, State 1, Line 1
Incorrect syntax near 'fro'.
1 │ …print 'x' select 1 where 1 = 0 fro
  │                                 ^^^
";
        assert_eq!(out, expected);
    }

    #[test]
    fn a_batch_that_says_nothing_is_done() {
        let mut screen = screen(|| 40);
        screen.begin("set nocount on");
        assert_eq!(screen.done(None) + &screen.end(), "done\n");
    }

    #[test]
    fn a_later_number_that_is_wider_begins_another_box() {
        let mut screen = screen(|| 40);
        let mut out = screen.columns(&[Column::new("n", SqlType::BigInt)]);
        for _ in 0..ROWS_MAX {
            out += &screen.row(&[Value::BigInt(1)]);
        }
        out += &screen.row(&[Value::BigInt(123_456)]);
        out += &screen.done(None);
        assert!(out.ends_with("│ 1 │\n└───┘\n┌────────┐\n│      n │\n├────────┤\n│ 123456 │\n└────────┘\n"), "{out}");
        assert_eq!(screen.kept().whole().expect("it is small").rows.len(), ROWS_MAX + 1);
    }

    #[test]
    fn durations_have_three_digits_or_so() {
        let shown = |us| duration(Duration::from_micros(us));
        assert_eq!([shown(850), shown(1_234), shown(12_345)], ["850 µs", "1.2 ms", "12 ms"]);
        assert_eq!([shown(3_200_000), shown(123_000_000)], ["3.20 s", "2:03 min"]);
    }

    proptest! {
        #[test]
        fn no_result_is_wider_than_the_terminal(
            names in prop::collection::vec(".{0,20}", 1..6),
            texts in prop::collection::vec("(?s).{0,40}", 0..30),
            vertical in 0..3_usize,
        ) {
            let widths: [fn() -> usize; 3] = [|| 20, || 80, || 200];
            for width in widths {
                let mut screen = screen(width);
                screen.vertical = [Vertical::Auto, Vertical::On, Vertical::Off][vertical];
                let columns: Vec<Column> = names.iter().map(|name| Column::new(name, SqlType::NVarChar { len: millpond_types::MaxLen::Max })).collect();
                let mut out = screen.columns(&columns);
                for row in texts.chunks_exact(columns.len()) {
                    let row: Vec<Value> = row.iter().map(|text| Value::str(text)).collect();
                    out += &screen.row(&row);
                }
                out += &screen.done(None);
                for line in out.lines() {
                    prop_assert!(text::width(line) <= width(), "{line:?}");
                }
            }
        }
    }
}
