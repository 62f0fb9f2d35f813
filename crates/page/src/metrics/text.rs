//! The text that Prometheus reads: a family at a time, its help and type before its samples.
//!
//! What always holds: a family is written once; a sample has the labels of its family in their order, with values escaped;
//! a family without samples is left out.

use std::fmt::Write;

use super::{Family, Kind};

/// A text that grows.
#[derive(Default)]
pub struct Writer {
    text: String,
    #[cfg(debug_assertions)]
    written: std::collections::BTreeSet<&'static str>,
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

impl Writer {
    /// A family with its samples: values of its labels, and their number.
    pub fn family(&mut self, family: &Family, samples: impl IntoIterator<Item = (Vec<String>, f64)>) {
        #[cfg(debug_assertions)]
        assert!(self.written.insert(family.name), "{} is written once", family.name);
        let mut samples = samples.into_iter().filter(|(_, value)| value.is_finite()).peekable();
        if samples.peek().is_none() {
            return;
        }
        self.head(family);
        let name = family.name;
        for (values, number) in samples {
            debug_assert_eq!(values.len(), family.labels.len(), "labels of {name}");
            let pairs = family.labels.iter().zip(&values);
            let labels: Vec<String> = pairs.map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            let _ = writeln!(self.text, "{name}{labels} {number}");
        }
    }

    /// The lines before a family's samples.
    fn head(&mut self, family: &Family) {
        let kind = match family.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let name = family.name;
        let _ = writeln!(self.text, "# HELP {name} {}", family.help.replace('\\', "\\\\").replace('\n', "\\n"));
        let _ = writeln!(self.text, "# TYPE {name} {kind}");
    }

    /// A histogram without labels: where each bucket ends, the last without end, and what it alone has; and the sum of all.
    pub fn histogram(&mut self, family: &Family, mut buckets: Vec<(f64, f64)>, sum: f64) {
        #[cfg(debug_assertions)]
        assert!(self.written.insert(family.name), "{} is written once", family.name);
        buckets.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        if buckets.last().is_none_or(|(end, _)| end.is_finite()) {
            return;
        }
        self.head(family);
        let (name, mut count) = (family.name, 0.0);
        for (end, own) in buckets {
            count += own;
            let end = if end.is_finite() { end.to_string() } else { "+Inf".to_owned() };
            let _ = writeln!(self.text, "{name}_bucket{{le=\"{end}\"}} {count}");
        }
        let _ = writeln!(self.text, "{name}_sum {sum}");
        let _ = writeln!(self.text, "{name}_count {count}");
    }

    /// A family with one sample.
    pub fn one(&mut self, family: &Family, values: &[&str], number: f64) {
        self.family(family, [(values.iter().map(|value| (*value).to_owned()).collect(), number)]);
    }

    /// A family with one sample without labels, where it is known.
    pub fn known(&mut self, family: &Family, number: Option<f64>) {
        self.family(family, number.map(|number| (Vec::new(), number)));
    }

    /// All of it.
    pub fn into_text(self) -> String {
        self.text
    }
}
