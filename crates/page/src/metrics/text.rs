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

/// The labels of a sample, in braces, where there are some.
fn labels(family: &Family, values: &[String], more: Option<(&str, &str)>) -> String {
    debug_assert_eq!(values.len(), family.labels.len(), "labels of {}", family.name);
    let pairs = family.labels.iter().copied().zip(values.iter().map(String::as_str)).chain(more);
    let labels: Vec<String> = pairs.map(|(label, value)| format!("{label}=\"{}\"", escaped(value))).collect();
    if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) }
}

/// A histogram: where each bucket ends and what it alone has, and the sum of all that was measured.
#[derive(Default)]
pub struct Buckets {
    /// One of them has no end.
    pub counts: Vec<(f64, f64)>,
    /// In the unit of the ends.
    pub sum: f64,
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
            let _ = writeln!(self.text, "{name}{} {number}", labels(family, &values, None));
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

    /// Histograms by the values of their labels. One without a bucket that has no end is left out.
    pub fn histograms(&mut self, family: &Family, samples: impl IntoIterator<Item = (Vec<String>, Buckets)>) {
        #[cfg(debug_assertions)]
        assert!(self.written.insert(family.name), "{} is written once", family.name);
        let is_whole = |(_, of): &(Vec<String>, Buckets)| of.counts.iter().any(|(end, _)| end.is_infinite());
        let mut samples = samples.into_iter().filter(is_whole).peekable();
        if samples.peek().is_none() {
            return;
        }
        self.head(family);
        let name = family.name;
        for (values, Buckets { mut counts, sum }) in samples {
            counts.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            let mut count = 0.0;
            for (at, (end, own)) in counts.iter().enumerate() {
                count += own;
                // Two volumes of one name are one series.
                if counts.get(at + 1).is_some_and(|(next, _)| next == end) {
                    continue;
                }
                let end = if end.is_finite() { end.to_string() } else { "+Inf".to_owned() };
                let labels = labels(family, &values, Some(("le", &end)));
                let _ = writeln!(self.text, "{name}_bucket{labels} {count}");
            }
            let labels = labels(family, &values, None);
            let _ = writeln!(self.text, "{name}_sum{labels} {sum}");
            let _ = writeln!(self.text, "{name}_count{labels} {count}");
        }
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
