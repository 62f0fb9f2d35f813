//! The record of an experiment for programs: every figure of every repetition, as JSON and as CSV.
//!
//! ```text
//!   { "format": 1, "experiment": …, "scale": …, "command": …, "date": …, "machine": { … }, "repetitions": 3,
//!     "effects": { name: [value of each repetition] },
//!     "cases":   [ { "case": …, "figures": { name: [value of each repetition] } } ] }
//! ```
//!
//! What always holds: a figure that a repetition lacks is null in JSON and empty in CSV, so that places mean repetitions; texts
//! are quoted as RFC 4180 has it.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::Outcome;
use crate::spread::Spread;

/// What another format of the record would have.
pub(crate) const FORMAT: u64 = 1;

impl Outcome {
    /// An object for each case: medians.
    pub(super) fn to_json_lines(&self) -> String {
        let samples = &self.samples;
        let one = |case: &str| {
            let mut all = Map::new();
            all.insert("experiment".into(), json!(self.name));
            all.insert("case".into(), json!(case));
            all.insert("repetitions".into(), json!(samples.count()));
            for figure in samples.figures() {
                let values = samples.values(case, figure);
                let median = Spread::of(values.iter().filter_map(Value::as_f64)).map(|spread| json!(spread.median));
                let text = values.into_iter().find(Value::is_string);
                if let Some(value) = median.or(text) {
                    all.insert(figure.to_owned(), value);
                }
            }
            format!("{}\n", Value::Object(all))
        };
        samples.cases().into_iter().map(one).collect()
    }

    /// The record.
    pub(super) fn to_record(&self) -> String {
        let samples = &self.samples;
        let case = |case: &str| {
            let figures = samples.figures().into_iter().filter_map(|figure| {
                let values = samples.values(case, figure);
                values.iter().any(|value| !value.is_null()).then(|| (figure.to_owned(), Value::Array(values)))
            });
            json!({ "case": case, "figures": figures.collect::<Map<String, Value>>() })
        };
        let effects = samples.effects().into_iter().map(|name| (name.to_owned(), json!(samples.effect_values(name))));
        let machine = &self.run.machine;
        let mut cases: Vec<String> = samples.cases().into_iter().map(|name| case(name).to_string()).collect();
        // A line for each case, so that two records are read side by side.
        cases.iter_mut().for_each(|line| line.insert_str(0, "  "));
        let head = [
            ("format", json!(FORMAT)),
            ("experiment", json!(self.name)),
            ("scale", json!(self.run.scale)),
            ("command", json!(self.run.command)),
            ("date", json!(self.run.date)),
            (
                "machine",
                json!({
                    "version": machine.version,
                    "is_release": machine.is_release,
                    "processor": machine.processor,
                    "processors": machine.processors,
                    "memory_mb": machine.memory_mb,
                    "system": machine.system,
                }),
            ),
            ("repetitions", json!(samples.count())),
            ("effects", json!(effects.collect::<Map<String, Value>>())),
        ];
        let head: String = head.iter().map(|(name, value)| format!("\"{name}\": {value},\n")).collect();
        format!("{{\n{head}\"cases\": [\n{}\n]\n}}\n", cases.join(",\n"))
    }

    /// The same as lines of CSV.
    pub(super) fn to_csv(&self) -> String {
        let samples = &self.samples;
        let figures = samples.figures();
        let mut out = format!("repetition,case,{}\n", figures.join(","));
        for number in 0..samples.count() {
            for case in samples.cases() {
                let _ = write!(out, "{},{}", number + 1, quoted(case));
                for figure in &figures {
                    let _ = write!(out, ",{}", field(&samples.values(case, figure)[number]));
                }
                out.push('\n');
            }
        }
        out
    }
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        Value::Number(number) => number.to_string(),
        other => quoted(&other.to_string()),
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::outcome;
    use super::*;

    #[test]
    fn the_record_has_every_figure_of_every_repetition() {
        let record: Value = serde_json::from_str(&outcome(&[1.25, 1.5]).to_record()).unwrap();
        assert_eq!(
            record["cases"][0],
            json!({"case": "disk|old", "figures": {"seconds": [1.25, 1.5], "writes": [7, 7]}})
        );
        assert_eq!(record["effects"], json!({"disk_over_ram": [2.5, 3.0]}));
        assert_eq!((&record["repetitions"], &record["format"]), (&json!(2), &json!(FORMAT)));
        assert_eq!(record["machine"]["processor"], "An <old> one");
    }

    #[test]
    fn csv_has_a_line_for_each_repetition_and_case() {
        let csv = outcome(&[1.25, 1.5]).to_csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "repetition,case,seconds,writes,note");
        assert_eq!(lines[1..3], ["1,disk|old,1.25,7,", "1,ram,0.5,,\"fast, \"\"very\"\"\""]);
        assert_eq!(lines.len(), 5);
    }
}
