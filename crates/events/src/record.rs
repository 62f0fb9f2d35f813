//! An event that a session has collected, and its XML: of the ring buffer with the types of values, of files without.

use std::fmt::Write;
use std::sync::Arc;

use crate::object::{ActionDef, EventDef, FieldType, Global};
use crate::value::{Value, iso_time, write_text};

/// Where an event happens: what is known there beside its fields.
pub trait Origin {
    /// A fact; [`Value::Null`] where it is not known.
    fn fact(&self, global: Global) -> Value;

    /// Now, microseconds of UTC since 1970.
    fn utc_us(&self) -> i64;
}

/// An event that was collected.
#[derive(Debug)]
pub struct Record {
    /// Which.
    pub event: &'static EventDef,
    /// When, microseconds of UTC since 1970.
    pub utc_us: i64,
    /// Its fields; one that is not collected is `None`.
    pub fields: Box<[Option<Value>]>,
    /// What was added.
    pub actions: Box<[(&'static ActionDef, Value)]>,
}

/// Memory of a record beside its texts.
const RECORD_BYTES: usize = 96;
/// Memory of a value in it.
const VALUE_BYTES: usize = 48;

impl Record {
    /// About how much memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_fields: usize = self.fields.iter().flatten().map(Value::bytes).sum();
        let of_actions: usize = self.actions.iter().map(|(_, value)| value.bytes()).sum();
        RECORD_BYTES + VALUE_BYTES * (self.fields.len() + self.actions.len()) + of_fields + of_actions
    }

    /// Writes it as an element.
    pub fn write(&self, out: &mut String, with_types: bool) {
        let event = self.event;
        let (name, package, time) = (event.name, event.package.name(), iso_time(self.utc_us));
        let _ = write!(out, "<event name=\"{name}\" package=\"{package}\" timestamp=\"{time}\">");
        for (field, value) in event.fields.iter().zip(&self.fields) {
            let Some(value) = value else { continue };
            let _ = write!(out, "<data name=\"{}\">", field.name);
            write_value(value, field.ty, with_types, out);
            out.push_str("</data>");
        }
        for (action, value) in &self.actions {
            let _ = write!(out, "<action name=\"{}\" package=\"{}\">", action.name, action.package.name());
            write_value(value, action.ty, with_types, out);
            out.push_str("</action>");
        }
        out.push_str("</event>");
    }

    /// As an element of files.
    #[must_use]
    pub fn xml(&self) -> String {
        let mut out = String::with_capacity(256);
        self.write(&mut out, false);
        out
    }
}

fn write_value(value: &Value, ty: FieldType, with_types: bool, out: &mut String) {
    if with_types {
        let _ = write!(out, "<type name=\"{}\" package=\"{}\"/>", ty.name(), ty.package().name());
    }
    value.write(out);
}

/// The document of a ring buffer.
#[must_use]
pub fn ring_buffer(records: &[Arc<Record>], seen: u64, dropped: u64, bytes: usize) -> String {
    let mut out = format!(
        "<RingBufferTarget truncated=\"0\" processingTime=\"0\" totalEventsProcessed=\"{seen}\" eventCount=\"{}\" \
         droppedCount=\"{dropped}\" memoryUsed=\"{bytes}\">",
        records.len()
    );
    records.iter().for_each(|record| record.write(&mut out, true));
    out.push_str("</RingBufferTarget>");
    out
}

/// The document of a histogram: values, the most frequent first.
#[must_use]
pub fn histogram(slots: &[(String, u64)], slots_max: usize, truncated: u64) -> String {
    let mut out = format!("<HistogramTarget truncated=\"{truncated}\" buckets=\"{slots_max}\">");
    for (value, count) in slots {
        let _ = write!(out, "<Slot count=\"{count}\" trunc=\"0\"><value>");
        write_text(value, &mut out);
        out.push_str("</value></Slot>");
    }
    out.push_str("</HistogramTarget>");
    out
}

/// The document of a counter: events in the order of the session's.
#[must_use]
pub fn counter(counts: &[(&'static EventDef, u64)]) -> String {
    let mut out = String::from("<CounterTarget truncated=\"0\"><Packages>");
    let mut packages: Vec<&str> = counts.iter().map(|(event, _)| event.package.name()).collect();
    packages.dedup();
    packages.sort_unstable();
    packages.dedup();
    for package in packages {
        let _ = write!(out, "<Package name=\"{package}\">");
        for (event, count) in counts.iter().filter(|(event, _)| event.package.name() == package) {
            let _ = write!(out, "<Event name=\"{}\" count=\"{count}\"/>", event.name);
        }
        out.push_str("</Package>");
    }
    out.push_str("</Packages></CounterTarget>");
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::object::{Named, RESULT, find_action, find_event};

    /// An origin of which nothing is known.
    pub(crate) struct Nobody;

    impl Origin for Nobody {
        fn fact(&self, _: Global) -> Value {
            Value::Null
        }

        fn utc_us(&self) -> i64 {
            0
        }
    }

    #[test]
    fn a_record_is_an_element_as_sql_server_writes_it() {
        let event = find_event(Named { package: None, object: "sql_batch_completed" }).unwrap();
        let action = find_action(Named { package: Some("sqlserver"), object: "session_id" }).unwrap();
        let mut fields: Vec<Option<Value>> = event.fields.iter().map(|_| None).collect();
        fields[1] = Some(Value::UInt(123));
        fields[7] = Some(Value::Map(0, RESULT.text(0)));
        fields[8] = Some(Value::text("select '<a>' & \"b\""));
        let actions = Box::new([(action, Value::UInt(51))]);
        let record = Record { event, utc_us: 0, fields: fields.into(), actions };
        assert_eq!(
            record.xml(),
            "<event name=\"sql_batch_completed\" package=\"sqlserver\" timestamp=\"1970-01-01T00:00:00.000Z\">\
             <data name=\"duration\"><value>123</value></data>\
             <data name=\"result\"><value>0</value><text>OK</text></data>\
             <data name=\"batch_text\"><value>select '&lt;a&gt;' &amp; \"b\"</value></data>\
             <action name=\"session_id\" package=\"sqlserver\"><value>51</value></action></event>"
        );
        let ring = ring_buffer(&[Arc::new(record)], 3, 1, 500);
        assert!(ring.starts_with(
            "<RingBufferTarget truncated=\"0\" processingTime=\"0\" totalEventsProcessed=\"3\" eventCount=\"1\""
        ));
        assert!(
            ring.contains(
                "<data name=\"duration\"><type name=\"uint64\" package=\"package0\"/><value>123</value></data>"
            )
        );
    }
}
