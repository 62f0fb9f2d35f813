//! Statements that spilled, and their texts.

use super::{Asker, STATEMENTS_MAX, pages_kb};
use crate::facts::{Facts, Spill};
use crate::source::{Argument, Question, bytes_of};

const STATEMENTS: &[&str] = &[
    "query_hash",
    "sql_handle",
    "execution_count",
    "total_spills",
    "max_spills",
    "max_grant_kb",
    "max_used_grant_kb",
    "max_ideal_grant_kb",
    "total_elapsed_time",
];

/// Characters of a text that are shown.
const TEXT_MAX: usize = 80;

pub(super) fn collect(asker: &mut Asker<'_>, facts: &mut Facts) -> Result<(), String> {
    let question = Question::of("dm_exec_query_stats", STATEMENTS).most("total_spills", STATEMENTS_MAX);
    let mut found = asker.mapped(&question, |row| {
        let spill = Spill {
            query_hash: row.text("query_hash"),
            text: String::new(),
            executions: row.int("execution_count"),
            spilled_kb: pages_kb(row.int("total_spills")),
            max_spilled_kb: pages_kb(row.int("max_spills")),
            max_grant_kb: row.int("max_grant_kb"),
            max_used_kb: row.int("max_used_grant_kb"),
            max_ideal_kb: row.int("max_ideal_grant_kb"),
            elapsed_ms: row.int("total_elapsed_time") / 1000,
        };
        (spill, row.text("sql_handle"))
    })?;
    found.retain(|(spill, _)| spill.spilled_kb > 0);
    for (spill, handle) in &mut found {
        let Some(handle) = bytes_of(handle) else { continue };
        let question = Question::of("dm_exec_sql_text", &["text"]).called(vec![Argument::Bytes(handle)]);
        let texts = asker.mapped(&question, |row| row.text("text"))?;
        spill.text = texts.first().map_or(String::new(), |text| on_one_line(text));
    }
    facts.spills = found.into_iter().map(|(spill, _)| spill).collect();
    Ok(())
}

/// The begin of a text, its blanks and line ends as one blank each.
fn on_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(TEXT_MAX).collect();
    let line = words.join(" ");
    if line.chars().count() <= TEXT_MAX { line } else { line.chars().take(TEXT_MAX - 1).chain(['…']).collect() }
}
