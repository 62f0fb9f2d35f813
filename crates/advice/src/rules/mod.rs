//! The rules, a file a family.
//!
//! What always holds: a rule is a function of the facts and of nothing else. It gives no advice without evidence, and the evidence is
//! in the advice. Thresholds are constants with their reason.

mod devices;
mod grants;
mod growth;
mod indexes;
mod log;
mod memory;
mod tempdb_files;
#[cfg(test)]
mod tests;

use crate::facts::{Facts, File};
use crate::units::{duration, per_hour};
use crate::{Advice, Severity, Topic, quote};

/// A page, in which sizes of files are counted.
const PAGE_KB: i64 = 8;

/// What all rules say, in no order.
pub(crate) fn all(facts: &Facts) -> Vec<Advice> {
    let mut all: Vec<Advice> = Vec::new();
    all.extend(tempdb_files::all(facts));
    all.extend(growth::all(facts));
    all.extend(memory::all(facts));
    all.extend(log::all(facts));
    all.extend(indexes::all(facts));
    all.extend(devices::all(facts));
    all.extend(grants::all(facts));
    agree_on_memory(&mut all);
    all.extend(facts.refused.iter().map(|refused| {
        let finding = format!("The server did not say what sys.{} has.", refused.view);
        unknown(topic_of(&refused.view), finding, format!("Msg {}: {}", refused.number, refused.text))
    }));
    all
}

/// Several reasons for more memory are one statement, with the most that one of them wants: whichever is run last would win otherwise.
fn agree_on_memory(all: &mut [Advice]) {
    let wanted_mb = |advice: &Advice| {
        let (_, rest) = advice.statement.as_ref()?.split_once("N'max server memory (MB)', ")?;
        rest.split(';').next()?.parse::<i64>().ok()
    };
    let Some(most_mb) = all.iter().filter_map(wanted_mb).max() else { return };
    for advice in all.iter_mut().filter(|advice| wanted_mb(advice).is_some()) {
        advice.statement = Some(configure("max server memory (MB)", most_mb));
    }
}

/// The topic that needs a view most.
fn topic_of(view: &str) -> Topic {
    match view {
        "dm_db_log_stats" => Topic::Log,
        "dm_os_volume_stats" | "dm_io_virtual_file_stats" => Topic::Devices,
        "dm_exec_query_stats" | "dm_exec_sql_text" => Topic::Grants,
        "dm_db_file_space_usage" | "database_files" | "master_files" | "databases" => Topic::Growth,
        "dm_os_waiting_tasks" | "dm_os_wait_stats" | "dm_exec_sessions" => Topic::TempdbFiles,
        view if view.contains("index") => Topic::Indexes,
        "schemas" | "tables" | "dm_db_partition_stats" => Topic::Indexes,
        _ => Topic::Memory,
    }
}

/// What is not known yet.
fn unknown(topic: Topic, finding: String, evidence: String) -> Advice {
    let severity = Severity::Unknown;
    Advice { topic, severity, finding, evidence, effect: None, statement: None, gain_s_per_hour: 0.0 }
}

/// Sets an option of the server.
fn configure(option: &str, value: i64) -> String {
    format!(
        "EXEC sp_configure 'show advanced options', 1; RECONFIGURE; EXEC sp_configure {}, {value}; RECONFIGURE;",
        quote::text(option)
    )
}

/// Changes a property of a file, as `SIZE = 8 KB`. Several are several statements, which is what Millpond takes.
fn modify(file: &File, change: &str) -> String {
    let (database, name) = (quote::name(&file.database), quote::name(&file.name));
    format!("ALTER DATABASE {database} MODIFY FILE (NAME = {name}, {change});")
}

/// Makes a file as large, unless it is by then: another advice may have done it, and a log that could not be made smaller is as large still.
fn enlarge(file: &File, size_kb: i64) -> String {
    format!(
        "IF (SELECT size FROM {}.sys.database_files WHERE name = {}) < {} {}",
        quote::name(&file.database),
        quote::text(&file.name),
        size_kb / PAGE_KB,
        modify(file, &format!("SIZE = {size_kb} KB"))
    )
}

/// Seconds in an hour that all requests waited for files.
fn stall_s_per_hour<'f>(facts: &Facts, files: impl Iterator<Item = &'f File>) -> f64 {
    let stall_ms: i64 = files.map(|file| file.read_stall_ms + file.write_stall_ms).sum();
    per_hour(stall_ms as f64 / 1e3, facts.server.uptime_s)
}

/// tempdb's data files.
fn tempdb_data(facts: &Facts) -> impl Iterator<Item = &File> {
    facts.files.iter().filter(|file| file.is_tempdb_data())
}

/// `in 3 hours`: since when totals count.
fn since(facts: &Facts) -> String {
    format!("in {}", duration(facts.server.uptime_s))
}

/// Memory that the server aims at, with what the pool has lent to statements.
fn memory_now_kb(facts: &Facts) -> i64 {
    let pool = facts.curve.as_ref().and_then(|curve| curve.memory.first());
    pool.map_or(facts.server.memory_target_kb, |point| point.size_kb)
}

/// The least that `max server memory (MB)` may be.
const SERVER_MEMORY_MB_MIN: i64 = 128;
/// The default of that option.
const SERVER_MEMORY_MB_DEFAULT: i64 = 2_147_483_647;

/// Gives the server more memory; `None` where that does nothing, because Millpond was started with a limit of its own
/// (`max_server_memory_mb` in millpond.toml), which is seen by a pool that is smaller than the option wants it.
fn raise_memory(facts: &Facts, wanted_mb: i64) -> Option<String> {
    let set_kb = match facts.server.max_server_memory_mb {
        // Without it the pool may have three quarters of the machine's memory.
        SERVER_MEMORY_MB_DEFAULT => facts.server.physical_memory_kb / 4 * 3,
        mb => mb.saturating_mul(1024),
    };
    let is_limited = facts.server.is_millpond && memory_now_kb(facts) / 20 * 21 < set_kb;
    (!is_limited).then(|| configure("max server memory (MB)", wanted_mb.max(SERVER_MEMORY_MB_MIN)))
}

/// What to say where [`raise_memory`] has no statement.
const STARTED_WITH_LESS: &str =
    " The server was started with less than that option says: max_server_memory_mb in millpond.toml limits it.";

/// Memory that the server may be given: four fifths of the machine's, so that the rest of the system has some (SQL Server's
/// documentation of `max server memory` wants a quarter of small machines for it, and less of large ones).
fn affordable_kb(facts: &Facts) -> i64 {
    facts.server.physical_memory_kb / 5 * 4
}
