//! Memory grants: statements that spill, and statements that wait for their grant.

use super::{
    STARTED_WITH_LESS, affordable_kb, configure, memory_now_kb, raise_memory, since, stall_s_per_hour, tempdb_data,
};
use crate::facts::{Facts, Spill};
use crate::units::{count, mb_up, per_hour, percent, size};
use crate::{Advice, Severity, Topic};

/// Spills of a statement that are worth a word: 1 MB at once.
const SPILLED_KB_MIN: i64 = 1 << 10;
/// Waits for a grant from which on there is too little memory for statements: a hundredth of the time of one.
const WAIT_S_PER_HOUR_MIN: f64 = 36.0;
/// SQL Server grants a quarter of its memory for statements at most, unless configured otherwise (REQUEST_MAX_MEMORY_GRANT_PERCENT).
const GRANT_PERCENT_MAX: i64 = 25;

pub(super) fn all(facts: &Facts) -> Vec<Advice> {
    let spills: Vec<&Spill> = facts.spills.iter().filter(|spill| spill.max_spilled_kb >= SPILLED_KB_MIN).collect();
    let mut all = Vec::new();
    if facts.server.is_millpond {
        all.extend(spilled(facts, &spills));
    } else {
        all.extend(spills.iter().filter_map(|spill| spilled_there(facts, spill)));
    }
    all.extend(waited(facts));
    all
}

/// Seconds in an hour that spills cost: their part of what tempdb's files were waited for.
fn gain_of(facts: &Facts, spilled_kb: i64) -> f64 {
    let written_kb: i64 = tempdb_data(facts).map(|file| file.write_bytes / 1024).sum();
    let share = percent(spilled_kb as f64, written_kb.max(spilled_kb) as f64) / 100.0;
    stall_s_per_hour(facts, tempdb_data(facts)) * share
}

/// `max server memory` with which a statement that runs alone does not spill: what it held and what it spilled are together what it needs,
/// operators that spill may take three quarters of a grant, and the grant of one statement is three quarters of the memory
/// (docs/internals/grants.md; `engine/src/memory`). A quarter is added for what rows take more in memory than in tempdb.
fn needed_mb(spill: &Spill) -> i64 {
    let rows_kb = (spill.max_used_kb + spill.max_spilled_kb).max(spill.max_ideal_kb);
    mb_up(rows_kb / 4 * 5 * 16 / 9) + 1
}

/// Millpond gives a statement all of the workspace that others do not have, so what it lacks is memory of the server.
fn spilled(facts: &Facts, spills: &[&Spill]) -> Option<Advice> {
    let affordable_mb = affordable_kb(facts) / 1024;
    let helped: Vec<&&Spill> = spills.iter().filter(|spill| needed_mb(spill) <= affordable_mb).collect();
    let worst = helped.iter().max_by_key(|spill| needed_mb(spill)).copied().or(spills.first())?;
    let all_kb: i64 = spills.iter().map(|spill| spill.spilled_kb).sum();
    let helped_kb: i64 = helped.iter().map(|spill| spill.spilled_kb).sum();
    let wanted_mb = needed_mb(worst);
    let is_possible = wanted_mb <= affordable_mb && wanted_mb > memory_now_kb(facts) / 1024;
    let statement = if is_possible { raise_memory(facts, wanted_mb) } else { None };
    let gain = gain_of(facts, helped_kb);
    Some(Advice {
        topic: Topic::Grants,
        severity: Severity::of_gain(gain),
        finding: "Statements have less memory than they need, and spill to tempdb.".to_owned(),
        evidence: format!(
            "{} statements spilled {}, {}; {} spilled {} at once with a grant of {}, of which it used {}: {}",
            spills.len(),
            size(all_kb),
            since(facts),
            worst.query_hash,
            size(worst.max_spilled_kb),
            size(worst.max_grant_kb),
            size(worst.max_used_kb),
            worst.text
        ),
        effect: Some(if statement.is_some() {
            format!(
                "0 spilled instead of {} where one of them runs at a time; several at once share the memory.",
                size(helped_kb)
            )
        } else if is_possible {
            STARTED_WITH_LESS.trim_start().to_owned()
        } else {
            "The machine has not the memory that it would take, or it is there and shared: run fewer of them at a time."
                .to_owned()
        }),
        statement,
        gain_s_per_hour: gain,
    })
}

/// SQL Server grants what the optimizer expects, up to a part of its memory ("sys.dm_exec_query_stats": total_spills, ideal_grant_kb). What was
/// wanted and not granted is a limit; what was granted as wanted and spilled is an expectation that was wrong.
fn spilled_there(facts: &Facts, spill: &Spill) -> Option<Advice> {
    let gain = gain_of(facts, spill.spilled_kb);
    let is_limited = spill.max_ideal_kb * 10 > spill.max_grant_kb * 11 && spill.max_grant_kb > 0;
    let wanted_percent = spill.max_ideal_kb.saturating_mul(GRANT_PERCENT_MAX) / spill.max_grant_kb.max(1) + 1;
    let (finding, effect, statement) = if is_limited && wanted_percent <= 70 {
        (
            "A statement gets less memory than it wants, and spills to tempdb.",
            format!(
                "A grant of {} instead of {}, and nothing of it spilled.",
                size(spill.max_ideal_kb),
                size(spill.max_grant_kb)
            ),
            Some(format!(
                "ALTER WORKLOAD GROUP [default] WITH (REQUEST_MAX_MEMORY_GRANT_PERCENT = {wanted_percent}); \
                 ALTER RESOURCE GOVERNOR RECONFIGURE;"
            )),
        )
    } else if is_limited {
        (
            "A statement wants more memory than the server has for statements, and spills to tempdb.",
            format!("With memory for a grant of {} nothing of it is spilled.", size(spill.max_ideal_kb)),
            None,
        )
    } else {
        (
            "A statement was expected to be smaller than it is, and spills to tempdb.",
            format!(
                "With right estimates (statistics of its tables, or OPTION (MIN_GRANT_PERCENT)) {} are not spilled.",
                size(spill.spilled_kb)
            ),
            None,
        )
    };
    Some(Advice {
        topic: Topic::Grants,
        severity: Severity::of_gain(gain),
        finding: finding.to_owned(),
        evidence: format!(
            "{} spilled {} in {} runs, {}; granted {}, wanted {}: {}",
            spill.query_hash,
            size(spill.spilled_kb),
            count(spill.executions),
            since(facts),
            size(spill.max_grant_kb),
            size(spill.max_ideal_kb),
            spill.text
        ),
        effect: Some(effect),
        statement,
        gain_s_per_hour: gain,
    })
}

/// Requests that wait for their grant (RESOURCE_SEMAPHORE) have too little memory together.
fn waited(facts: &Facts) -> Option<Advice> {
    let wait = facts.waits.iter().find(|wait| wait.wait_type == "RESOURCE_SEMAPHORE")?;
    let gain = per_hour(wait.wait_ms as f64 / 1e3, facts.server.uptime_s);
    if gain < WAIT_S_PER_HOUR_MIN {
        return None;
    }
    let (now_mb, most_mb) = (facts.server.memory_target_kb / 1024, affordable_kb(facts) / 1024);
    Some(Advice {
        topic: Topic::Grants,
        severity: Severity::of_gain(gain),
        finding: "Statements wait for memory before they begin.".to_owned(),
        evidence: format!(
            "RESOURCE_SEMAPHORE: {} waits, {gain:.0} s in an hour, {}; the server aims at {}.",
            count(wait.waits),
            since(facts),
            size(facts.server.memory_target_kb)
        ),
        effect: Some(format!("Up to {gain:.0} s less of waits in an hour, as far as memory is what they share.")),
        statement: (most_mb * 5 > now_mb * 6).then(|| configure("max server memory (MB)", most_mb)),
        gain_s_per_hour: gain,
    })
}
