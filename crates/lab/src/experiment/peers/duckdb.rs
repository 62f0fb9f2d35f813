//! DuckDB, as a Python program that runs the same work: it has no server and no procedures.
//!
//! What always holds: the Python that benchmarks install it into is asked first, then the system's; without the module there is
//! no peer, and the reason is kept. Nothing is fetched.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::Size;

const PROGRAM: &str = include_str!("work.py");

/// What it measured.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DuckDb {
    pub(super) version: String,
    pub(super) loop_s: f64,
    pub(super) select_into_s: f64,
    pub(super) sort_s: f64,
    /// The sort's answer.
    pub(super) answer: Vec<f64>,
}

/// Runs the work on a database in that directory; `Err` with the reason where it cannot.
pub(super) fn run(dir: &Path, size: Size) -> Result<DuckDb, String> {
    let python = python().ok_or("DuckDB is not installed as a module of python3")?;
    let parameters = serde_json::json!({
        "file": dir.join("peer.duckdb"), "folder": dir, "memory_mb": size.memory_mb, "rows": size.rows,
        "loop_rows": size.loop_rows, "loop_tables": size.loop_tables,
    });
    let mut child = Command::new(python)
        .args(["-c", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("python3: {error}"))?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(parameters.to_string().as_bytes()).map_err(|error| format!("python3: {error}"))?;
    }
    let output = child.wait_with_output().map_err(|error| format!("python3: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        return Err(format!("DuckDB failed: {last}"));
    }
    parse(&String::from_utf8_lossy(&output.stdout))
        .ok_or_else(|| "DuckDB's program said something else than its figures".into())
}

/// The last line: a module may have said something before.
fn parse(text: &str) -> Option<DuckDb> {
    let value: Value = serde_json::from_str(text.lines().rev().find(|line| !line.trim().is_empty())?).ok()?;
    let number = |name: &str| value.get(name)?.as_f64();
    Some(DuckDb {
        version: value.get("version")?.as_str()?.to_owned(),
        loop_s: number("loop_s")?,
        select_into_s: number("select_into_s")?,
        sort_s: number("sort_s")?,
        answer: value.get("answer")?.as_array()?.iter().map(Value::as_f64).collect::<Option<_>>()?,
    })
}

/// A Python that has the module.
fn python() -> Option<PathBuf> {
    let of_benchmarks = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache/millpond/venv/bin/python"));
    let has_it = |python: &PathBuf| {
        let mut asked = Command::new(python);
        asked.args(["-c", "import duckdb"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    };
    of_benchmarks.into_iter().chain([PathBuf::from("python3")]).find(has_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_and_anything_else_is_none() {
        let text = r#"{"version": "2.0.0", "loop_s": 1.5, "select_into_s": 0.25, "sort_s": 2, "answer": [7, 8]}"#;
        let found = parse(text).unwrap();
        assert_eq!((found.version.as_str(), found.loop_s, found.sort_s), ("2.0.0", 1.5, 2.0));
        assert_eq!(found.answer, [7.0, 8.0]);
        assert_eq!(parse(&format!("100% ▕████▏\n{text}\n\n")), Some(found));
        for other in ["", "{}", &text.replace("1.5", "\"a\""), &text.replace("[7, 8]", "[7, null]")] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
