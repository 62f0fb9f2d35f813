//! A reader of Prometheus' text that takes nothing but what its specification allows, for tests.

use std::collections::BTreeMap;

/// A sample: its labels, and its value.
pub type Sample = (BTreeMap<String, String>, f64);

/// A family as it was read.
#[derive(Debug, Default)]
pub struct Read {
    pub help: String,
    pub kind: String,
    pub samples: Vec<Sample>,
}

/// Families by their names; or what is wrong, with the line.
pub fn read(text: &str) -> Result<BTreeMap<String, Read>, String> {
    let mut families: BTreeMap<String, Read> = BTreeMap::new();
    let mut current = String::new();
    if !text.ends_with('\n') {
        return Err("the last line has no end".into());
    }
    for line in text.lines() {
        let wrong = |why: &str| format!("{why}: {line}");
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').ok_or_else(|| wrong("no help"))?;
            if families.contains_key(name) {
                return Err(wrong("a family twice"));
            }
            current = name.to_owned();
            families.insert(current.clone(), Read { help: help.to_owned(), ..Read::default() });
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').ok_or_else(|| wrong("no type"))?;
            let family =
                families.get_mut(name).filter(|_| name == current).ok_or_else(|| wrong("a type without help"))?;
            if !family.kind.is_empty() || !["counter", "gauge", "histogram", "summary", "untyped"].contains(&kind) {
                return Err(wrong("a wrong type"));
            }
            kind.clone_into(&mut family.kind);
        } else {
            let end = line.find(['{', ' ']).ok_or_else(|| wrong("no value"))?;
            let name = &line[..end];
            let is_histogram = families.get(&current).is_some_and(|family| family.kind == "histogram");
            let parts = ["_bucket", "_sum", "_count"];
            let is_part = is_histogram && parts.iter().any(|part| name.strip_suffix(part) == Some(current.as_str()));
            if (name != current || is_histogram) && !is_part || !is_name(name) {
                return Err(wrong("a sample of another family"));
            }
            let (labels, value) = labels(&line[end..]).ok_or_else(|| wrong("wrong labels"))?;
            let value: f64 =
                value.strip_prefix(' ').and_then(|it| it.parse().ok()).ok_or_else(|| wrong("a wrong value"))?;
            let family = families.get_mut(&current).ok_or_else(|| wrong("no family"))?;
            let labels = if is_part { with_part(labels, &name[current.len()..]) } else { labels };
            if family.kind.is_empty() || family.samples.iter().any(|(known, _)| *known == labels) {
                return Err(wrong("a sample without a type, or twice"));
            }
            if family.kind == "counter" && (value < 0.0 || !name.ends_with("_total")) {
                return Err(wrong("no counter"));
            }
            family.samples.push((labels, value));
        }
    }
    for (name, family) in &families {
        if family.kind == "histogram" {
            let mut series: BTreeMap<BTreeMap<String, String>, Vec<&Sample>> = BTreeMap::new();
            for sample in &family.samples {
                let mut of = sample.0.clone();
                of.retain(|label, _| label != "le" && label != "(part)");
                series.entry(of).or_default().push(sample);
            }
            for (of, samples) in &series {
                check_histogram(samples).map_err(|why| format!("{name} {of:?} {why}"))?;
            }
        }
    }
    Ok(families)
}

/// Which of a histogram's parts a sample is, as one label more.
fn with_part(mut labels: BTreeMap<String, String>, part: &str) -> BTreeMap<String, String> {
    labels.insert("(part)".into(), part.into());
    labels
}

/// Buckets grow to the one without end, which has as many as the count says; a sum is there.
fn check_histogram(samples: &[&Sample]) -> Result<(), String> {
    let part = |name: &str| samples.iter().copied().filter(|(labels, _)| labels["(part)"] == name).collect::<Vec<_>>();
    let mut buckets = Vec::new();
    for (labels, value) in part("_bucket") {
        let end = labels.get("le").ok_or("has a bucket without an end")?;
        let end =
            if end == "+Inf" { f64::INFINITY } else { end.parse().map_err(|_| "has an end that is no number")? };
        buckets.push((end, *value));
    }
    let (sums, counts) = (part("_sum"), part("_count"));
    let ([_], [(_, count)]) = (&sums[..], &counts[..]) else { return Err("has not one sum and one count".into()) };
    let grows = buckets.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 <= two[1].1);
    if !grows || buckets.last().copied() != Some((f64::INFINITY, *count)) {
        return Err("has buckets that do not grow to its count".into());
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let mut signs = name.chars();
    signs.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && signs.all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
}

/// Labels in braces, if there are any, and what comes after them.
fn labels(text: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut labels = BTreeMap::new();
    let Some(mut rest) = text.strip_prefix('{') else { return Some((labels, text)) };
    loop {
        let (name, after) = rest.split_once("=\"")?;
        let mut value = String::new();
        let mut signs = after.char_indices();
        let end = loop {
            match signs.next()? {
                (at, '"') => break at,
                (_, '\\') => value.push(match signs.next()?.1 {
                    'n' => '\n',
                    sign @ ('\\' | '"') => sign,
                    _ => return None,
                }),
                (_, sign) => value.push(sign),
            }
        };
        if !is_name(name) || labels.insert(name.to_owned(), value).is_some() {
            return None;
        }
        rest = &after[end + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return Some((labels, rest.strip_prefix('}')?)),
        }
    }
}
