//! A report for programs: JSON with all of it, CSV of one table.
//!
//! What always holds: times are ISO 8601 in UTC; names of figures are those of the columns of `sys.dm_millpond_history`; what is not
//! known is null, or an empty cell.

use millpond_history::figure::Figure;
use millpond_history::sample::{FILE_COUNTERS, STATEMENT_COUNTERS, WAIT_COUNTERS};
use millpond_history::series::Interval;
use serde_json::{Map, Value, json};

use crate::compare::changes;
use crate::data::{Report, Row};
use crate::text::time_text;
use crate::unusual::unusual;

/// Tables of CSV.
pub const TABLES: [&str; 5] = ["intervals", "statements", "waits", "files", "unusual"];

fn iso(us: i64) -> String {
    format!("{}.{:03}Z", time_text(us).replace(' ', "T"), us.rem_euclid(1_000_000) / 1000)
}

fn figure_value(interval: &Interval, figure: Figure) -> Value {
    if figure.is_total() { json!(interval.total(figure)) } else { json!(interval.level(figure)) }
}

/// A row: names in order, which a map would not keep.
type Fields = Vec<(&'static str, Value)>;

fn interval_fields(interval: &Interval) -> Fields {
    let mut fields = vec![
        ("begin_time_utc", json!(iso(interval.begin_us))),
        ("end_time_utc", json!(iso(interval.end_us))),
        ("covered_s", json!(interval.covered_us as f64 / 1e6)),
        ("down_s", json!(interval.down_us as f64 / 1e6)),
        ("starts", json!(interval.starts)),
        ("crashes", json!(interval.crashes)),
    ];
    fields.extend(Figure::ALL.iter().map(|figure| (figure.name(), figure_value(interval, *figure))));
    fields
}

fn row_fields<W, const N: usize>(row: &Row<W, N>, names: [&'static str; N], of: impl Fn(&W) -> Fields) -> Fields {
    let mut fields = vec![("begin_time_utc", json!(iso(row.begin_us))), ("end_time_utc", json!(iso(row.end_us)))];
    fields.extend(of(&row.of));
    fields.extend(names.into_iter().zip(row.counters.map(|count| json!(count))));
    fields
}

/// The rows of a table, each with the same names in the same order.
fn table(report: &Report, name: &str) -> Option<Vec<Fields>> {
    Some(match name {
        "intervals" => report.intervals.iter().map(interval_fields).collect(),
        "statements" => {
            let of = |row| {
                row_fields(row, STATEMENT_COUNTERS, |statement: &crate::data::Statement| {
                    vec![
                        ("query_hash", json!(format!("0x{:016X}", statement.query_hash))),
                        ("database_name", json!(statement.database)),
                        ("object_id", json!(statement.object_id)),
                        ("statement_text", json!(statement.text)),
                    ]
                })
            };
            report.statements.iter().map(of).collect()
        }
        "waits" => {
            let of = |row| row_fields(row, WAIT_COUNTERS, |wait_type: &String| vec![("wait_type", json!(wait_type))]);
            report.waits.iter().map(of).collect()
        }
        "files" => {
            let of = |row| {
                row_fields(row, FILE_COUNTERS, |file: &crate::data::File| {
                    vec![
                        ("database_name", json!(file.database)),
                        ("file_name", json!(file.name)),
                        ("physical_name", json!(file.path)),
                    ]
                })
            };
            report.files.iter().map(of).collect()
        }
        "unusual" => {
            let of = |finding: crate::unusual::Unusual| {
                vec![
                    ("figure", json!(finding.figure.name())),
                    ("begin_time_utc", json!(iso(finding.begin_us))),
                    ("end_time_utc", json!(iso(finding.end_us))),
                    ("value", json!(finding.value)),
                    ("usual", json!(finding.usual)),
                ]
            };
            unusual(report).into_iter().map(of).collect()
        }
        _ => return None,
    })
}

/// All of it, as one object.
#[must_use]
pub fn json(report: &Report) -> String {
    let mut object = Map::new();
    object.insert("source".into(), json!(report.source));
    object.insert("from_time_utc".into(), json!(iso(report.from_us)));
    object.insert("to_time_utc".into(), json!(iso(report.to_us)));
    object.insert("step_s".into(), json!(report.step_s));
    object.insert("notes".into(), json!(report.notes));
    object.insert("compared_with".into(), json!(report.before.name()));
    let changed = changes(report)
        .into_iter()
        .map(|change| json!({ "figure": change.figure.name(), "now": change.now, "before": change.before }));
    object.insert("changed".into(), changed.collect());
    for name in TABLES {
        let rows = table(report, name).unwrap_or_default();
        let object_of = |fields: Fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        object.insert(name.into(), Value::Array(rows.into_iter().map(object_of).map(Value::Object).collect()));
    }
    let mut text = Value::Object(object).to_string();
    text.push('\n');
    text
}

/// One of [`TABLES`], with names in the first line; nothing for another name.
#[must_use]
pub fn csv(report: &Report, name: &str) -> Option<String> {
    let rows = table(report, name)?;
    let mut text = String::new();
    let mut line = |cells: Vec<String>| {
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    };
    if let Some(first) = rows.first() {
        line(first.iter().map(|(name, _)| (*name).to_owned()).collect());
    }
    for row in &rows {
        line(row.iter().map(|(_, value)| cell(value)).collect());
    }
    Some(text)
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\r', '\n']) => format!("\"{}\"", text.replace('"', "\"\"")),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
