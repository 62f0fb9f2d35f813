//! Transaction logs.

use super::{enlarge, modify, since};
use crate::facts::{Facts, File, Growth, Log, TEMPDB};
use crate::units::{count, percent, size};
use crate::{Advice, Severity, Topic, quote};

/// Virtual log files from which on a start takes long: SQL Server's own message 9017 begins at 1,000.
const VLFS_MANY: i64 = 1_000;
const VLFS_HUGE: i64 = 10_000;
/// A log of which so much must be kept is nearly full.
const ACTIVE_PERCENT: f64 = 70.0;
/// A log from which on that matters: 64 MB.
const SIZE_KB_MIN: i64 = 64 << 10;
/// Growths of a log are no larger: parts of it are written with zeros first.
const STEP_KB_MAX: i64 = 1 << 20;

pub(super) fn all(facts: &Facts) -> Vec<Advice> {
    let logs = facts.logs.iter().filter(|log| log.database_id != TEMPDB);
    logs.flat_map(|log| {
        let file = facts.files.iter().find(|file| file.is_log && file.database_id == log.database_id);
        [file.and_then(|file| parts(facts, log, file)), full(log, file)]
    })
    .flatten()
    .collect()
}

/// A file called like a database: what is no letter of a file's name is `_`.
fn file_name(database: &str, end: &str) -> String {
    let safe = |sign: char| if sign.is_control() || "/\\:*?\"<>|".contains(sign) { '_' } else { sign };
    format!("{}.{end}", database.chars().map(safe).collect::<String>())
}

/// Fewer, larger parts: a log that grew by small steps has thousands, which each start reads through ("SQL Server transaction log
/// architecture: virtual log files"). A log that is made or grown by 64 MB to 1 GB at once gets eight parts for it.
fn parts(facts: &Facts, log: &Log, file: &File) -> Option<Advice> {
    const PARTS_OF_A_GROWTH: i64 = 8;
    if log.vlf_count < VLFS_MANY {
        return None;
    }
    let step_kb = (log.size_kb / 8 / 1024 * 1024).clamp(SIZE_KB_MIN, STEP_KB_MAX);
    let after = (log.size_kb / step_kb + 1) * PARTS_OF_A_GROWTH;
    let growth = match file.growth {
        Growth::None => "it does not grow".to_owned(),
        Growth::Kb(kb) => format!("it grows by {}", size(kb)),
        Growth::Percent(percent) => format!("it grows by {percent} %"),
    };
    Some(Advice {
        topic: Topic::Log,
        severity: if log.vlf_count >= VLFS_HUGE { Severity::Medium } else { Severity::Low },
        finding: format!("The log of {} has grown by small steps into many parts.", quote::name(&log.database)),
        evidence: format!(
            "{} virtual log files in {}; {growth}, {}.",
            count(log.vlf_count),
            size(log.size_kb),
            since(facts)
        ),
        effect: Some(format!("About {} virtual log files instead of {}.", count(after), count(log.vlf_count))),
        statement: Some(format!(
            "USE {}; DBCC SHRINKFILE ({}, 1); {} {}",
            quote::name(&log.database),
            quote::text(&file.name),
            enlarge(file, log.size_kb.max(step_kb)),
            modify(file, &format!("FILEGROWTH = {step_kb} KB"))
        )),
        gain_s_per_hour: 0.0,
    })
}

/// A log that cannot be cut fills up (9002), for a reason that `sys.databases.log_reuse_wait_desc` has ("Factors that delay log truncation").
fn full(log: &Log, file: Option<&File>) -> Option<Advice> {
    let active = percent(log.active_kb as f64, log.size_kb as f64);
    if log.size_kb < SIZE_KB_MIN || active < ACTIVE_PERCENT {
        return None;
    }
    let database = quote::name(&log.database);
    let (finding, effect, statement) = match log.reuse_wait.as_str() {
        "LOG_BACKUP" => (
            format!("The log of {database} waits for a backup of it and fills up."),
            "It is cut, and its space is used again; without log backups in any plan, RECOVERY SIMPLE does the same."
                .to_owned(),
            Some(format!("BACKUP LOG {database} TO DISK = {};", quote::text(&file_name(&log.database, "trn")))),
        ),
        "ACTIVE_TRANSACTION" => (
            format!("The log of {database} waits for the end of a transaction and fills up."),
            "It shows whose it is: its COMMIT, or KILL, lets the log be cut.".to_owned(),
            Some(format!("DBCC OPENTRAN ({});", quote::text(&log.database))),
        ),
        "NOTHING" | "CHECKPOINT" => return None,
        other => (
            format!("The log of {database} waits for {} and fills up.", other),
            "It can be cut when that is over.".to_owned(),
            None,
        ),
    };
    let cannot_grow =
        file.is_some_and(|file| file.growth == Growth::None || file.max_kb.is_some_and(|max| file.size_kb >= max));
    Some(Advice {
        topic: Topic::Log,
        severity: if cannot_grow { Severity::High } else { Severity::Medium },
        finding,
        evidence: format!(
            "{} of {} must be kept ({active:.0} %), because of {}; recovery model {}.",
            size(log.active_kb),
            size(log.size_kb),
            log.reuse_wait,
            log.recovery_model
        ),
        effect: Some(effect),
        statement,
        gain_s_per_hour: 0.0,
    })
}
