//! Files that grew, files that cannot, and limits of space in tempdb.

use super::{enlarge, modify, since, tempdb_data, unknown};
use crate::facts::{Facts, File, Growth, TEMPDB};
use crate::units::{count, percent, size};
use crate::{Advice, Severity, Topic, quote};

/// Growths of a file that are a habit.
const GROWTHS_MIN: i64 = 3;
/// Growths that are felt.
const GROWTHS_MANY: i64 = 10;
/// A file from which on a growth by percent is too much at once: 1 GB.
const PERCENT_KB_MIN: i64 = 1 << 20;
/// Steps of a file are not larger: 1 GB.
const STEP_KB_MAX: i64 = 1 << 20;
/// A server that has run so long has shown what it needs: a day.
const KNOWN_S: f64 = 86_400.0;

pub(super) fn all(facts: &Facts) -> Vec<Advice> {
    let mut all: Vec<Advice> = facts.files.iter().filter_map(|file| grown(facts, file)).collect();
    all.extend(facts.files.iter().filter_map(by_percent));
    all.extend(full(facts));
    all.extend(facts.quotas.iter().filter_map(|quota| {
        let limit_kb = quota.limit_kb.filter(|_| quota.violations > 0)?;
        Some(limited(facts, &quota.group, limit_kb, quota.peak_kb, quota.violations))
    }));
    if facts.server.uptime_s < KNOWN_S && all.iter().all(|advice| advice.severity == Severity::Low) {
        let used: i64 = facts.tempdb_space.iter().map(|space| space.total_kb - space.free_kb).sum();
        let peak = facts.tempdb_peak.map_or(used, |peak| peak.total_kb().max(used));
        let evidence =
            format!("The server has run for less than a day; {} of tempdb were used at most so far.", size(peak));
        all.push(unknown(Topic::Growth, "How much of tempdb a whole day uses is not known yet.".to_owned(), evidence));
    }
    all
}

/// How often a file has grown since the start: what it is larger than at the start, by its step.
pub(super) fn growths(file: &File) -> i64 {
    let Some(start_kb) = file.start_kb.filter(|start| *start > 0) else { return 0 };
    let grown_kb = file.size_kb - start_kb;
    match file.growth {
        _ if grown_kb <= 0 => 0,
        Growth::None => 0,
        Growth::Kb(step) => grown_kb.div_euclid(step.max(1)) + i64::from(grown_kb % step.max(1) != 0),
        Growth::Percent(percent) => {
            let ratio = file.size_kb as f64 / start_kb as f64;
            // Rounded up, and no more than there are doublings by a percent.
            (ratio.ln() / (1.0 + percent.max(1) as f64 / 100.0).ln()).ceil() as i64
        }
    }
}

/// A step that a file of a size should grow by: a tenth, in MB, at most 1 GB.
fn step_kb(size_kb: i64) -> i64 {
    (size_kb / 10 / 1024 * 1024).clamp(1024, STEP_KB_MAX)
}

/// tempdb begins at each start with its configured sizes, so what it grew to in the days before is what it should begin with
/// ("tempdb database: physical properties": preallocate space; the sizes of the comments in the article behind docs/lab/ram-drive.md:
/// data 704 MB and log 270 MB after a day, of which 27 and 11 MB were in use when somebody looked). A growth is waited for by all who want
/// space. MODIFY FILE wants more than the file has now.
fn grown(facts: &Facts, file: &File) -> Option<Advice> {
    let times = growths(file);
    if file.database_id != TEMPDB || times < GROWTHS_MIN {
        return None;
    }
    let start_kb = file.start_kb?;
    let margin = (file.size_kb / 16).max(1024);
    let wanted_kb = (file.size_kb + margin + 1023) / 1024 * 1024;
    let mut statement = enlarge(file, wanted_kb);
    let step = match file.growth {
        Growth::Kb(kb) => kb,
        _ => 0,
    };
    if step < step_kb(wanted_kb) {
        statement.push(' ');
        statement.push_str(&modify(file, &format!("FILEGROWTH = {} KB", step_kb(wanted_kb))));
    }
    Some(Advice {
        topic: Topic::Growth,
        severity: if times >= GROWTHS_MANY { Severity::Medium } else { Severity::Low },
        finding: format!(
            "{} of tempdb is too small at each start and grows while it is needed.",
            quote::name(&file.name)
        ),
        evidence: format!(
            "It grew {} times, from {} to {}, {}.",
            count(times),
            size(start_kb),
            size(file.size_kb),
            since(facts)
        ),
        effect: Some(format!("0 growths for the same work from the next start on, instead of {}.", count(times))),
        statement: Some(statement),
        gain_s_per_hour: 0.0,
    })
}

/// A growth by percent becomes longer with each one ("Considerations for the autogrow and autoshrink settings": a fixed size for large files).
fn by_percent(file: &File) -> Option<Advice> {
    let Growth::Percent(percent) = file.growth else { return None };
    if file.size_kb < PERCENT_KB_MIN || file.start_kb.is_some_and(|_| growths(file) >= GROWTHS_MIN) {
        return None;
    }
    let next_kb = file.size_kb / 100 * percent;
    let step = step_kb(file.size_kb);
    (next_kb > step).then(|| Advice {
        topic: Topic::Growth,
        severity: Severity::Low,
        finding: format!(
            "{} of {} grows by a percentage, each time by more.",
            quote::name(&file.name),
            quote::name(&file.database)
        ),
        evidence: format!("It has {} and grows by {percent} %.", size(file.size_kb)),
        effect: Some(format!("The next growth is {} instead of {}.", size(step), size(next_kb))),
        statement: Some(modify(file, &format!("FILEGROWTH = {step} KB"))),
        gain_s_per_hour: 0.0,
    })
}

/// tempdb that is nearly full and has no file that may grow: statements will fail with 1105.
fn full(facts: &Facts) -> Option<Advice> {
    let total: i64 = facts.tempdb_space.iter().map(|space| space.total_kb).sum();
    let free: i64 = facts.tempdb_space.iter().map(|space| space.free_kb).sum();
    let can_grow = |file: &File| file.growth != Growth::None && file.max_kb.is_none_or(|max| file.size_kb < max);
    if total == 0 || free * 20 >= total || tempdb_data(facts).any(can_grow) {
        return None;
    }
    let file = tempdb_data(facts).max_by_key(|file| file.size_kb)?;
    let step = step_kb(file.size_kb);
    Some(Advice {
        topic: Topic::Growth,
        severity: Severity::High,
        finding: "tempdb is nearly full, and none of its files may grow.".to_owned(),
        evidence: format!(
            "{} of {} are used ({:.0} %).",
            size(total - free),
            size(total),
            percent((total - free) as f64, total as f64)
        ),
        effect: Some("Statements go on where they would fail with error 1105.".to_owned()),
        statement: Some(format!(
            "{} {}",
            modify(file, "MAXSIZE = UNLIMITED"),
            modify(file, &format!("FILEGROWTH = {step} KB"))
        )),
        gain_s_per_hour: 0.0,
    })
}

/// A workload group whose requests were ended by its limit of space (GROUP_MAX_TEMPDB_DATA_MB).
fn limited(facts: &Facts, group: &str, limit_kb: i64, peak_kb: i64, violations: i64) -> Advice {
    let wanted_mb = (limit_kb / 1024 * 3 / 2).max(1);
    Advice {
        topic: Topic::Growth,
        severity: Severity::Medium,
        finding: format!(
            "Requests of the workload group {} are ended by its limit of space in tempdb.",
            quote::name(group)
        ),
        evidence: format!(
            "{} requests, {}; the limit is {}, {} were used at most.",
            count(violations),
            since(facts),
            size(limit_kb),
            size(peak_kb)
        ),
        effect: Some(format!(
            "Requests of up to {} together go on. Whether they should is not for figures to say.",
            size(wanted_mb * 1024)
        )),
        statement: Some(format!(
            "ALTER WORKLOAD GROUP {} WITH (GROUP_MAX_TEMPDB_DATA_MB = {wanted_mb}); ALTER RESOURCE GOVERNOR RECONFIGURE;",
            quote::name(group)
        )),
        gain_s_per_hour: 0.0,
    }
}
