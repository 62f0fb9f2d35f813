//! The log of the process for programs: a line of JSON for each event, on stderr.
//!
//! ```text
//!  {"time":"2026-11-30T17:51:25.120431Z","level":"INFO","message":"SQL Server is now ready …","number":17126,"severity":10}
//! ```
//! What always holds: a line is one object and nothing else; `time`, `level` and `message` are in each, in UTC. `number` and `severity`
//! are those of the error log's lines, 0 where a text has no number.

use std::io::Write;

use chrono::{SecondsFormat, Utc};
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

/// Writes events to stderr.
pub struct ToJson;

impl<S: Subscriber> Layer<S> for ToJson {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let time = Utc::now().to_rfc3339_opts(SecondsFormat::Micros, true);
        let mut line = object(&time, event.metadata().level().as_str(), |fields| event.record(fields));
        line.push('\n');
        // The reader of stdout is gone: clients are served all the same.
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }
}

/// An object of these and of the fields that are recorded.
fn object(time: &str, level: &str, record: impl FnOnce(&mut Fields)) -> String {
    let mut fields = Fields(Map::new());
    fields.0.insert("time".into(), time.into());
    fields.0.insert("level".into(), level.into());
    fields.0.insert("message".into(), "".into());
    record(&mut fields);
    Value::Object(fields.0).to_string()
}

struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_object() {
        let line = object("t", "INFO", |fields| {
            fields.0.insert("number".into(), 17_126.into());
        });
        let expected = serde_json::json!({"time": "t", "level": "INFO", "message": "", "number": 17_126});
        assert_eq!(serde_json::from_str::<Value>(&line).expect("JSON"), expected);
    }
}
