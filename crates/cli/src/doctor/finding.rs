//! A finding, and how all of them are printed.

use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// It costs speed, or will be short one day.
    Warn,
    /// A server does not start so, or does not go on.
    Fail,
}

/// What was looked at, and what is to be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub name: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What it is now.
    pub value: String,
    /// Why it matters.
    pub why: &'static str,
    /// The command that changes it; empty: there is none, or no need for it.
    pub fix: String,
}

impl Finding {
    /// What is as it should be.
    pub fn ok(name: &'static str, value: impl Into<String>, why: &'static str) -> Finding {
        Finding { name, level: Level::Ok, value: value.into(), why, fix: String::new() }
    }

    /// The same, worse than it should be where `level` says so; then `fix` changes it.
    pub fn at(mut self, level: Level, fix: impl Into<String>) -> Finding {
        self.level = level;
        if level != Level::Ok {
            self.fix = fix.into();
        }
        self
    }
}

/// A line each, and two more below what is not as it should be.
pub fn text(findings: &[Finding]) -> String {
    let width = findings.iter().map(|finding| finding.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for Finding { name, level, value, why, fix } in findings {
        let word = match level {
            Level::Ok => "ok",
            Level::Warn => "warn",
            Level::Fail => "fail",
        };
        out.push_str(&format!("{word:<5} {name:<width$}  {value}\n"));
        if *level != Level::Ok {
            let below = [*why, fix.as_str()].into_iter().filter(|text| !text.is_empty());
            below.for_each(|text| out.push_str(&format!("      {:width$}  {text}\n", "")));
        }
    }
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    out.push_str(&format!("{} ok, {} warn, {} fail\n", count(Level::Ok), count(Level::Warn), count(Level::Fail)));
    out
}

/// An array of objects: `name`, `level`, `value`, `why`, `fix`.
pub fn json(findings: &[Finding]) -> String {
    // Texts and words alone: there is nothing that JSON could refuse.
    let text = serde_json::to_string_pretty(findings).unwrap_or_default();
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_says_why_and_how() {
        let findings =
            [Finding::ok("a", "1", "why a"), Finding::ok("long", "2", "why long").at(Level::Warn, "do this")];
        let expected =
            "ok    a     1\nwarn  long  2\n            why long\n            do this\n1 ok, 1 warn, 0 fail\n";
        assert_eq!(text(&findings), expected);
        let parsed: serde_json::Value = serde_json::from_str(&json(&findings)).expect("JSON");
        assert_eq!(parsed[1]["level"], "warn");
        assert_eq!(parsed[0]["fix"], "");
    }
}
