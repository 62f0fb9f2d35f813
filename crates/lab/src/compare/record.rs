//! Records of experiments as they are read: from a file, or from the directory of a report.
//!
//! What always holds: what is not a record of this format is refused by its path with what is wrong; a figure has a value, or
//! none, for each repetition. What is text is left out: there is nothing to compare.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::experiment::outcome::record::FORMAT;

/// How the files of records end.
const ENDING: &str = "result.json";
/// A record beyond this is none: the largest experiments have some thousand figures.
const BYTES_MAX: u64 = 64 << 20;

/// Why a record cannot be compared.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordError {
    /// It cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// Which file or directory.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is larger than any record.
    #[error("{path}: {bytes} bytes are no record of an experiment, which has {BYTES_MAX} at most")]
    TooLarge {
        /// Which file.
        path: String,
        /// Its size.
        bytes: u64,
    },
    /// It is no JSON.
    #[error("{path}: it is damaged: {source}")]
    Damaged {
        /// Which file.
        path: String,
        /// Where.
        source: serde_json::Error,
    },
    /// It is JSON, but no record.
    #[error("{path}: it is no record of an experiment: {what}")]
    NoRecord {
        /// Which file.
        path: String,
        /// What is missing or wrong.
        what: String,
    },
    /// There is none.
    #[error("{path}: there is no *{ENDING} in it: it is no report of 'millpond lab run … --out'")]
    Empty {
        /// Which directory.
        path: String,
    },
}

/// A figure's name and its values.
pub(crate) type Figures = BTreeMap<String, Vec<f64>>;

/// What was recorded of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) path: String,
    pub(crate) experiment: String,
    pub(crate) scale: String,
    pub(crate) repetitions: usize,
    pub(crate) version: String,
    pub(crate) processor: String,
    /// In their order.
    pub(crate) cases: Vec<(String, Figures)>,
    pub(crate) effects: Figures,
}

/// The records of a file, or of all experiments in a directory by their names.
pub(crate) fn read(path: &Path) -> Result<Vec<Record>, RecordError> {
    let unreadable = |source| RecordError::Unreadable { path: path.display().to_string(), source };
    if !std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Ok(vec![read_file(path)?]);
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?.path();
        if entry.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ENDING)) {
            found.push(entry);
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(RecordError::Empty { path: path.display().to_string() });
    }
    found.iter().map(|path| read_file(path)).collect()
}

fn read_file(path: &Path) -> Result<Record, RecordError> {
    let name = path.display().to_string();
    let unreadable = |source| RecordError::Unreadable { path: name.clone(), source };
    let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
    if bytes > BYTES_MAX {
        return Err(RecordError::TooLarge { path: name, bytes });
    }
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    parse(&name, &text)
}

/// A record's text; `path` is for errors.
pub(crate) fn parse(path: &str, text: &str) -> Result<Record, RecordError> {
    let value: Value =
        serde_json::from_str(text).map_err(|source| RecordError::Damaged { path: path.to_owned(), source })?;
    record(path, &value).map_err(|what| RecordError::NoRecord { path: path.to_owned(), what })
}

fn record(path: &str, value: &Value) -> Result<Record, String> {
    match value.get("format").map(Value::as_u64) {
        Some(Some(FORMAT)) => {}
        Some(Some(other)) => return Err(format!("its format is {other}, this version reads {FORMAT}")),
        _ => return Err("it has no 'format'; a workload's result.json is not compared".into()),
    }
    let text = |name: &str| {
        let found = value.get(name).and_then(Value::as_str);
        found.map(str::to_owned).ok_or_else(|| format!("it has no '{name}'"))
    };
    let repetitions = value.get("repetitions").and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    let repetitions = repetitions.filter(|count| *count > 0).ok_or("it has no 'repetitions'")?;
    let cases = value.get("cases").and_then(Value::as_array).ok_or("it has no 'cases'")?;
    let case = |case: &Value| {
        let name = case.get("case").and_then(Value::as_str).ok_or("a case has no name")?;
        let known = case.get("figures").ok_or_else(|| format!("case '{name}' has no figures"))?;
        Ok::<_, String>((
            name.to_owned(),
            figures(known, Some(repetitions)).map_err(|what| format!("case '{name}': {what}"))?,
        ))
    };
    let of_machine = |name: &str| {
        let found = value.get("machine").and_then(|machine| machine.get(name)).and_then(Value::as_str);
        found.unwrap_or("unknown").to_owned()
    };
    Ok(Record {
        path: path.to_owned(),
        experiment: text("experiment")?,
        scale: text("scale")?,
        repetitions,
        version: of_machine("version"),
        processor: of_machine("processor"),
        cases: cases.iter().map(case).collect::<Result<_, _>>()?,
        effects: value.get("effects").map_or_else(|| Ok(Figures::new()), |effects| figures(effects, None))?,
    })
}

/// Figures with their numbers; `count` is that of the repetitions where each has a place.
fn figures(value: &Value, count: Option<usize>) -> Result<Figures, String> {
    let known = value.as_object().ok_or("its figures are no object")?;
    let mut out = Figures::new();
    for (name, values) in known {
        let values = values.as_array().ok_or_else(|| format!("'{name}' is no list"))?;
        if count.is_some_and(|count| count != values.len()) {
            return Err(format!("'{name}' has {} values for {} repetitions", values.len(), count.unwrap_or(0)));
        }
        let numbers: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
        if !numbers.is_empty() {
            out.insert(name.clone(), numbers);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_record_is_refused_with_its_path_and_reason() {
        let head = r#"{"format": 1, "experiment": "x", "scale": "quick", "#;
        for (text, said) in [
            ("{", "f: it is damaged: EOF while parsing an object at line 1 column 1".to_owned()),
            (
                "{}",
                "f: it is no record of an experiment: it has no 'format'; a workload's result.json is not compared"
                    .into(),
            ),
            (r#"{"format": 2}"#, "f: it is no record of an experiment: its format is 2, this version reads 1".into()),
            (
                r#"{"format": 1, "repetitions": 1, "cases": []}"#,
                "f: it is no record of an experiment: it has no 'experiment'".into(),
            ),
            (&format!("{head} \"cases\": []}}"), "f: it is no record of an experiment: it has no 'repetitions'".into()),
            (
                &format!("{head} \"repetitions\": 0, \"cases\": []}}"),
                "f: it is no record of an experiment: it has no 'repetitions'".into(),
            ),
            (
                &format!(r#"{head} "repetitions": 3, "cases": [{{"case": "a", "figures": {{"s": [1, 2]}}}}]}}"#),
                "f: it is no record of an experiment: case 'a': 's' has 2 values for 3 repetitions".into(),
            ),
            (
                &format!(r#"{head} "repetitions": 1, "cases": [{{"case": "a"}}]}}"#),
                "f: it is no record of an experiment: case 'a' has no figures".into(),
            ),
            (
                &format!(r#"{head} "repetitions": 1, "cases": [7]}}"#),
                "f: it is no record of an experiment: a case has no name".into(),
            ),
        ] {
            assert_eq!(parse("f", text).unwrap_err().to_string(), said, "{text}");
        }
    }

    #[test]
    fn texts_and_gaps_are_no_numbers() {
        let text = r#"{"format": 1, "experiment": "x", "scale": "quick", "repetitions": 2,
            "cases": [{"case": "a", "figures": {"s": [1, null], "waits": ["A", "B"]}}], "effects": {"r": [2.5, 3]}}"#;
        let record = parse("f", text).unwrap();
        assert_eq!(record.cases, [("a".to_owned(), Figures::from([("s".to_owned(), vec![1.0])]))]);
        assert_eq!(record.effects["r"], [2.5, 3.0]);
        assert_eq!((record.version.as_str(), record.repetitions), ("unknown", 2));
    }

    #[test]
    fn a_directory_has_the_records_of_its_experiments() {
        let folder = tempfile::tempdir().unwrap();
        let said = read(folder.path()).unwrap_err().to_string();
        assert!(said.contains("there is no *result.json in it"), "{said}");
        for name in ["b", "a"] {
            let text =
                format!(r#"{{"format": 1, "experiment": "{name}", "scale": "quick", "repetitions": 1, "cases": []}}"#);
            std::fs::write(folder.path().join(format!("{name}.result.json")), text).unwrap();
        }
        std::fs::write(folder.path().join("a.raw.csv"), "").unwrap();
        let names: Vec<String> = read(folder.path()).unwrap().into_iter().map(|record| record.experiment).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(matches!(read(&folder.path().join("c")), Err(RecordError::Unreadable { .. })));
    }
}
