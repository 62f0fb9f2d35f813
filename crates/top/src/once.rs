//! Figures as texts for scripts: tables for eyes, JSON, CSV.
//!
//! What always holds: no format can move a terminal's cursor: tables and CSV have harmless texts, JSON has escapes. CSV is RFC
//! 4180's but for line ends, which are those of Unix.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::figures::{self, Figures};
use crate::harmless::{harmless, is_harmful, width};
use crate::interval::Interval;
use crate::source::Cell;

/// All tables, one below the other, columns in line; the overview as names and values.
pub fn table(interval: &Interval) -> String {
    let mut text = String::new();
    for figures in figures::all(interval) {
        if !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", figures.name);
        match figures.rows.as_slice() {
            [row] if figures.name == "overview" => {
                for (name, cell) in figures.columns.iter().zip(row) {
                    let _ = writeln!(text, "  {name:<27} {}", plain(cell));
                }
            }
            _ => lines(&figures, &mut text),
        }
    }
    text
}

/// Statements may be long: those of a table end here.
const TABLE_CELL_MAX: usize = 60;

fn lines(figures: &Figures, text: &mut String) {
    let cells: Vec<Vec<String>> = figures
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| crate::harmless::cut(&plain(cell), TABLE_CELL_MAX)).collect())
        .collect();
    let widest = |place: usize| {
        let rows = cells.iter().filter_map(|row| row.get(place)).map(|cell| width(cell));
        rows.chain([figures.columns[place].len()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..figures.columns.len()).map(widest).collect();
    let titles: Vec<String> = figures.columns.iter().map(|name| (*name).to_owned()).collect();
    for row in std::iter::once(&titles).chain(&cells) {
        let mut line = String::new();
        for (cell, wide) in row.iter().zip(&widths) {
            let _ = write!(line, "  {cell}{}", " ".repeat(wide.saturating_sub(width(cell))));
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn plain(cell: &Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Int(number) => number.to_string(),
        Cell::Float(number) => number.to_string(),
        Cell::Text(text) => harmless(text),
    }
}

/// One object: the overview as an object, each other table as a list of objects.
pub fn json(interval: &Interval) -> String {
    let mut all = Map::new();
    for figures in figures::all(interval) {
        let objects = figures.rows.iter().map(|row| object(&figures.columns, row));
        let value = match figures.name {
            "overview" => objects.into_iter().next().unwrap_or_default(),
            _ => Value::Array(objects.collect()),
        };
        all.insert(figures.name.to_owned(), value);
    }
    escaped(&Value::Object(all).to_string()) + "\n"
}

fn object(columns: &[&str], row: &[Cell]) -> Value {
    let pairs = columns.iter().zip(row).map(|(name, cell)| ((*name).to_owned(), value(cell)));
    Value::Object(pairs.collect())
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Int(number) => Value::from(*number),
        Cell::Float(number) => Value::from(*number),
        Cell::Text(text) => Value::from(text.as_str()),
    }
}

/// Outside of strings JSON has no such characters, so each is inside of one, where an escape means the same.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for sign in json.chars() {
        if is_harmful(sign) {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(sign);
        }
    }
    text
}

/// One table by its name, with a line of names of columns; nothing where there is no such table.
pub fn csv(interval: &Interval, name: &str) -> Option<String> {
    let figures = figures::all(interval).into_iter().find(|figures| figures.name == name)?;
    let mut text = figures.columns.join(",") + "\n";
    for row in &figures.rows {
        let cells: Vec<String> = row.iter().map(|cell| quoted(&plain(cell))).collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    Some(text)
}

/// A cell of CSV, in quotes where it needs them.
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::sample::{Refused, Sample, Session, Statement};

    fn interval() -> Interval {
        let session = Session { session_id: 51, login_name: "O'Neil, \"Pat\"".into(), ..Session::default() };
        let statement = "select 1\n\x1b[2J\u{9b}0m \u{202e}x".to_owned();
        Interval::of(
            None,
            Arc::new(Sample {
                sessions: vec![session],
                statements: vec![Statement { session_id: 51, statement }],
                refused: vec![Refused { part: "waits".into(), number: 300, text: "denied".into() }],
                ..Sample::default()
            }),
        )
    }

    #[test]
    fn json_has_every_text_as_it_is_and_no_control_character() {
        let text = json(&interval());
        assert!(!text.trim_end().chars().any(|sign| sign.is_control() || sign == '\u{202e}'), "{text}");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["sessions"][0]["statement"], "select 1\n\x1b[2J\u{9b}0m \u{202e}x");
        assert_eq!(value["sessions"][0]["login"], "O'Neil, \"Pat\"");
        assert_eq!(value["sessions"][0]["blocked_by"], Value::Null);
        assert_eq!(value["refused"][0]["number"], 300);
        assert_eq!(value["overview"]["sessions_running"], 0);
        assert_eq!(value["log"], Value::Array(Vec::new()));
    }

    #[test]
    fn csv_is_quoted() {
        let text = csv(&interval(), "sessions").expect("a table");
        let mut lines = text.lines();
        assert!(lines.next().is_some_and(|line| line.starts_with("session_id,login,host,program,database,status")));
        let row = lines.next().expect("a row");
        assert!(row.starts_with("51,\"O'Neil, \"\"Pat\"\"\",,"), "{row}");
        assert!(row.ends_with(",select 1 ·[2J·0m ·x"), "{row}");
        assert_eq!((lines.next(), csv(&interval(), "nothing")), (None, None));
    }

    #[test]
    fn every_screen_has_its_table() {
        let names: Vec<&str> = figures::all(&interval()).iter().map(|it| it.name).collect();
        assert!(figures::SCREENS.iter().all(|name| names.contains(name)), "{names:?}");
        let text = table(&interval());
        assert!(names.iter().all(|name| text.contains(&format!("{name}\n"))), "{text}");
        assert!(!text.contains('\x1b'));
    }
}
