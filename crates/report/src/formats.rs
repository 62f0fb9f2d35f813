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
use crate::unusual::{Unusual, unusual};

/// Tables of CSV.
pub const TABLES: [&str; 5] = ["intervals", "statements", "waits", "files", "unusual"];

fn iso(us: i64) -> String {
    format!("{}.{:03}Z", time_text(us).replace(' ', "T"), us.rem_euclid(1_000_000) / 1000)
}

fn figure_value(interval: &Interval, figure: Figure) -> Value {
    if figure.is_total() { json!(interval.total(figure)) } else { json!(interval.level(figure)) }
}

/// Names in order, which a map would not keep, and rows that have a value for each.
struct Table {
    names: Vec<&'static str>,
    rows: Vec<Vec<Value>>,
}

const INTERVAL: [&str; 2] = ["begin_time_utc", "end_time_utc"];

fn interval_values(interval: &Interval) -> Vec<Value> {
    let mut values = vec![
        json!(iso(interval.begin_us)),
        json!(iso(interval.end_us)),
        json!(interval.covered_us as f64 / 1e6),
        json!(interval.down_us as f64 / 1e6),
        json!(interval.starts),
        json!(interval.crashes),
    ];
    values.extend(Figure::ALL.iter().map(|figure| figure_value(interval, *figure)));
    values
}

/// Rows of what was counted in an interval: the interval, what it is of, the counters.
fn counted<W, const N: usize, const M: usize>(
    rows: &[Row<W, N>],
    of: [&'static str; M],
    counters: [&'static str; N],
    values: impl Fn(&W) -> [Value; M],
) -> Table {
    let row = |row: &Row<W, N>| {
        let interval = [json!(iso(row.begin_us)), json!(iso(row.end_us))];
        interval.into_iter().chain(values(&row.of)).chain(row.counters.map(|count| json!(count))).collect()
    };
    Table { names: INTERVAL.into_iter().chain(of).chain(counters).collect(), rows: rows.iter().map(row).collect() }
}

fn table(report: &Report, name: &str) -> Option<Table> {
    Some(match name {
        "intervals" => {
            let own = INTERVAL.into_iter().chain(["covered_s", "down_s", "starts", "crashes"]);
            let names = own.chain(Figure::ALL.iter().map(|figure| figure.name())).collect();
            Table { names, rows: report.intervals.iter().map(interval_values).collect() }
        }
        "statements" => {
            let of = ["query_hash", "database_name", "object_id", "statement_text"];
            counted(&report.statements, of, STATEMENT_COUNTERS, |statement| {
                let hash = format!("0x{:016X}", statement.query_hash);
                [json!(hash), json!(statement.database), json!(statement.object_id), json!(statement.text)]
            })
        }
        "waits" => counted(&report.waits, ["wait_type"], WAIT_COUNTERS, |wait_type| [json!(wait_type)]),
        "files" => {
            let of = ["database_name", "file_name", "physical_name"];
            counted(&report.files, of, FILE_COUNTERS, |file| [json!(file.database), json!(file.name), json!(file.path)])
        }
        "unusual" => {
            let row = |finding: Unusual| {
                let interval = [json!(iso(finding.begin_us)), json!(iso(finding.end_us))];
                let values = [json!(finding.value), json!(finding.usual)];
                [json!(finding.figure.name())].into_iter().chain(interval).chain(values).collect()
            };
            let names = ["figure"].into_iter().chain(INTERVAL).chain(["value", "usual"]).collect();
            Table { names, rows: unusual(report).into_iter().map(row).collect() }
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
        let Some(Table { names, rows }) = table(report, name) else { continue };
        let object_of = |row: Vec<Value>| names.iter().map(|name| (*name).to_owned()).zip(row).collect();
        object.insert(name.into(), Value::Array(rows.into_iter().map(object_of).map(Value::Object).collect()));
    }
    let mut text = Value::Object(object).to_string();
    text.push('\n');
    text
}

/// One of [`TABLES`], with names in the first line; nothing for another name.
#[must_use]
pub fn csv(report: &Report, name: &str) -> Option<String> {
    let Table { names, rows } = table(report, name)?;
    let mut text = String::new();
    let mut line = |cells: Vec<String>| {
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    };
    line(names.into_iter().map(str::to_owned).collect());
    for row in &rows {
        line(row.iter().map(cell).collect());
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
