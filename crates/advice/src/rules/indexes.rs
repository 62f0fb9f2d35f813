//! Indexes that are missing, and indexes that are not used.

use std::collections::BTreeSet;

use super::{since, unknown};
use crate::facts::{Facts, IndexUse, MissingIndex};
use crate::units::{count, per_hour, size};
use crate::{Advice, Severity, Topic, quote};

/// Uses of a missing index from which on it is no accident.
const USES_MIN: i64 = 10;
/// An index that saves less of a statement is not worth its changes.
const IMPACT_PERCENT_MIN: f64 = 30.0;
/// What all uses of a missing index have to cost less, in the optimizer's units: about a second.
const IMPROVEMENT_MIN: f64 = 1.0;
/// Changes of an index that no statement has read.
const UPDATES_MIN: i64 = 1_000;
/// Advice of each kind: what is beyond helps less.
const ADVICE_MAX: usize = 10;
/// Characters of a name, without those that tell it from others.
const NAME_MAX: usize = 128 - 9;
/// A server that has run so long has seen what is done once a day.
const KNOWN_S: f64 = 86_400.0;

pub(super) fn all(facts: &Facts) -> Vec<Advice> {
    let mut wanted: Vec<&MissingIndex> = facts.missing_indexes.iter().filter(|index| is_wanted(index)).collect();
    wanted.sort_by(|a, b| b.improvement().total_cmp(&a.improvement()));
    let mut covered: BTreeSet<(String, Vec<String>)> = BTreeSet::new();
    wanted.retain(|index| {
        // The first of those with the same keys saves most; the others differ in what they include.
        covered.insert((index.table.clone(), keys_of(index)))
    });
    let mut all: Vec<Advice> = wanted.into_iter().take(ADVICE_MAX).map(|index| missing(facts, index)).collect();
    let mut idle: Vec<&IndexUse> = facts.indexes.iter().filter(|index| is_idle(index)).collect();
    idle.sort_by_key(|index| std::cmp::Reverse(index.updates));
    if !idle.is_empty() && facts.server.uptime_s < KNOWN_S {
        let evidence = format!(
            "The server counts uses since its start, {}; what is done once a day or month may need them.",
            since(facts)
        );
        all.push(unknown(
            Topic::Indexes,
            "Whether unused indexes are never used is not known yet.".to_owned(),
            evidence,
        ));
    }
    all.extend(idle.into_iter().take(ADVICE_MAX).map(|index| unused(facts, index)));
    all
}

fn keys_of(index: &MissingIndex) -> Vec<String> {
    let lists = [&index.equality_columns, &index.inequality_columns];
    lists.into_iter().flat_map(|list| quote::names_of(list)).collect()
}

fn is_wanted(index: &MissingIndex) -> bool {
    index.uses >= USES_MIN
        && index.impact_percent >= IMPACT_PERCENT_MIN
        && index.improvement() >= IMPROVEMENT_MIN
        && !keys_of(index).is_empty()
}

/// An index that plans looked for: columns of equality first, then those of ranges, the rest included ("Tune nonclustered indexes with
/// missing index suggestions"). Its improvement is uses × cost × impact; a unit of cost was a second of the machine that the optimizer's
/// units were made on, which is as near to time as it gets.
fn missing(facts: &Facts, index: &MissingIndex) -> Advice {
    let keys = keys_of(index);
    let table = quote::names_of(&index.table).pop().unwrap_or_default();
    let begin: String = format!("IX_{table}_{}", keys.join("_")).chars().take(NAME_MAX).collect();
    // An index of that name may be there, of other columns.
    let name = format!("{begin}_{:08x}", mark_of(&[&index.table, &keys.join(","), &index.included_columns]));
    let list = |names: &[String]| names.iter().map(|name| quote::name(name)).collect::<Vec<_>>().join(", ");
    let included = quote::names_of(&index.included_columns);
    let include = if included.is_empty() { String::new() } else { format!(" INCLUDE ({})", list(&included)) };
    let gain = per_hour(index.improvement(), facts.server.uptime_s);
    Advice {
        topic: Topic::Indexes,
        severity: Severity::of_gain(gain),
        finding: format!("Statements read more of {} than they need, because an index is missing.", index.table),
        evidence: format!(
            "{} uses of it were looked for, {}, by statements of an estimated cost of {:.3}.",
            count(index.uses),
            since(facts),
            index.cost
        ),
        effect: Some(format!(
            "These statements cost {:.0} % less; each change of a row changes one more index.",
            index.impact_percent
        )),
        statement: Some(format!("CREATE INDEX {} ON {} ({}){include};", quote::name(&name), index.table, list(&keys))),
        gain_s_per_hour: gain,
    }
}

/// FNV-1a of texts: the same for the same index, so that it is not made twice.
fn mark_of(texts: &[&str]) -> u32 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
    bytes.fold(0x811c_9dc5, |mark, byte| (mark ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn is_idle(index: &IndexUse) -> bool {
    !index.is_needed && index.uses == 0 && index.updates >= UPDATES_MIN
}

/// An index that changes are made to and nothing is read from ("sys.dm_db_index_usage_stats"). Those that promise something, as unique ones
/// and those of constraints, are needed however seldom they are read.
fn unused(facts: &Facts, index: &IndexUse) -> Advice {
    let table =
        format!("{}.{}.{}", quote::name(&index.database), quote::name(&index.schema), quote::name(&index.table));
    Advice {
        topic: Topic::Indexes,
        severity: Severity::Low,
        finding: format!("Nobody has read the index {} of {table}.", quote::name(&index.name)),
        evidence: format!(
            "{} statements changed it and 0 used it, {}; it has {}.",
            count(index.updates),
            since(facts),
            size(index.size_kb)
        ),
        effect: Some(format!(
            "{:.0} changes of an index less in an hour, and {} of space.",
            per_hour(index.updates as f64, facts.server.uptime_s),
            size(index.size_kb)
        )),
        statement: Some(format!("DROP INDEX {} ON {table};", quote::name(&index.name))),
        gain_s_per_hour: 0.0,
    }
}
