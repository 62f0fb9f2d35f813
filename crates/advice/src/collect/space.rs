//! Files, devices, what fills tempdb, limits, logs.

use std::collections::BTreeMap;

use super::{Asker, DATABASES_MAX, Database, FILES_MAX, pages_kb};
use crate::facts::{Facts, File, Growth, Log, Quota, TEMPDB, TempdbPeak, TempdbSpace, Volume};
use crate::source::{Argument, Question};

const DATABASES: &[&str] = &[
    "database_id",
    "name",
    "state",
    "is_read_only",
    "recovery_model_desc",
    "log_reuse_wait_desc",
    "compatibility_level",
];
const FILES: &[&str] =
    &["database_id", "file_id", "name", "physical_name", "type", "size", "growth", "is_percent_growth", "max_size"];
const IO: &[&str] = &[
    "database_id",
    "file_id",
    "num_of_reads",
    "num_of_bytes_read",
    "io_stall_read_ms",
    "num_of_writes",
    "num_of_bytes_written",
    "io_stall_write_ms",
    "size_on_disk_bytes",
];
const SPACE: &[&str] = &[
    "file_id",
    "total_page_count",
    "user_object_reserved_page_count",
    "internal_object_reserved_page_count",
    "version_store_reserved_page_count",
    "unallocated_extent_page_count",
];
const LOG: &[&str] = &["total_vlf_count", "total_log_size_mb", "active_log_size_mb"];
const QUOTA: &[&str] =
    &["name", "group_max_tempdb_data_mb", "peak_tempdb_data_space_kb", "total_tempdb_data_limit_violation_count"];
const HISTORY: &[&str] = &["tempdb_user_pages", "tempdb_internal_pages", "tempdb_version_pages"];

/// `max_size` of a log without a limit.
const LOG_PAGES_MAX: i64 = 268_435_456;

pub(super) fn collect(asker: &mut Asker<'_>, facts: &mut Facts) -> Result<(), String> {
    let databases = databases(asker, facts)?;
    files(asker, facts, &databases)?;
    volumes(asker, facts)?;
    facts.tempdb_space = asker.mapped(&Question::of("dm_db_file_space_usage", SPACE).within("tempdb"), |row| {
        let kb = |column| pages_kb(row.int(column));
        TempdbSpace {
            file_id: row.int("file_id"),
            total_kb: kb("total_page_count"),
            user_objects_kb: kb("user_object_reserved_page_count"),
            internal_objects_kb: kb("internal_object_reserved_page_count"),
            version_store_kb: kb("version_store_reserved_page_count"),
            free_kb: kb("unallocated_extent_page_count"),
        }
    })?;
    facts.tempdb_peak = peak(asker)?;
    if facts.server.is_millpond || facts.server.major_version >= 17 {
        facts.quotas = asker.mapped(&Question::of("dm_resource_governor_workload_groups", QUOTA), |row| Quota {
            group: row.text("name"),
            limit_kb: (row.float("group_max_tempdb_data_mb") > 0.0)
                .then(|| (row.float("group_max_tempdb_data_mb") * 1024.0) as i64),
            peak_kb: row.int("peak_tempdb_data_space_kb"),
            violations: row.int("total_tempdb_data_limit_violation_count"),
        })?;
    }
    for database in &databases {
        let question = Question::of("dm_db_log_stats", LOG).called(vec![Argument::Number(database.id)]);
        let logs = asker.mapped(&question, |row| Log {
            database_id: database.id,
            database: database.name.clone(),
            recovery_model: database.recovery_model.clone(),
            size_kb: (row.float("total_log_size_mb") * 1024.0) as i64,
            active_kb: (row.float("active_log_size_mb") * 1024.0) as i64,
            vlf_count: row.int("total_vlf_count"),
            reuse_wait: database.reuse_wait.clone(),
        })?;
        facts.logs.extend(logs);
    }
    Ok(())
}

/// Databases that are online.
fn databases(asker: &mut Asker<'_>, facts: &mut Facts) -> Result<Vec<Database>, String> {
    let mut databases = asker.mapped(&Question::of("databases", DATABASES), |row| {
        // master has the level of its server, whatever the others have.
        if row.int("database_id") == 1 {
            facts.server.major_version = row.int("compatibility_level") / 10;
        }
        if row.int("is_read_only") == 1 {
            facts.read_only.push(row.int("database_id"));
        }
        (row.int("state") == 0).then(|| Database {
            id: row.int("database_id"),
            name: row.text("name"),
            recovery_model: row.text("recovery_model_desc"),
            reuse_wait: row.text("log_reuse_wait_desc"),
        })
    })?;
    databases.truncate(DATABASES_MAX);
    Ok(databases.into_iter().flatten().collect())
}

fn growth(growth: i64, is_percent: bool) -> Growth {
    match (growth, is_percent) {
        (0, _) => Growth::None,
        (percent, true) => Growth::Percent(percent),
        (pages, false) => Growth::Kb(pages_kb(pages)),
    }
}

fn files(asker: &mut Asker<'_>, facts: &mut Facts, databases: &[Database]) -> Result<(), String> {
    let mut files = asker.mapped(&Question::of("master_files", FILES), |row| {
        let database = databases.iter().find(|database| database.id == row.int("database_id"))?;
        let size_kb = pages_kb(row.int("size"));
        let max = row.int("max_size");
        Some(File {
            database_id: database.id,
            database: database.name.clone(),
            file_id: row.int("file_id"),
            name: row.text("name"),
            physical_name: row.text("physical_name"),
            is_log: row.int("type") == 1,
            size_kb,
            // Of tempdb the view has what a start makes of it (sys.master_files).
            start_kb: (database.id == TEMPDB).then_some(size_kb),
            growth: growth(row.int("growth"), row.int("is_percent_growth") != 0),
            max_kb: (max > 0 && max != LOG_PAGES_MAX).then(|| pages_kb(max)),
            ..File::default()
        })
    })?;
    let mut by_number: BTreeMap<(i64, i64), File> =
        files.drain(..).flatten().map(|file| ((file.database_id, file.file_id), file)).collect();
    let io = Question::of("dm_io_virtual_file_stats", IO).called(vec![Argument::Null, Argument::Null]);
    asker.mapped(&io, |row| {
        let Some(file) = by_number.get_mut(&(row.int("database_id"), row.int("file_id"))) else { return };
        file.size_kb = row.int("size_on_disk_bytes") / 1024;
        file.reads = row.int("num_of_reads");
        file.read_bytes = row.int("num_of_bytes_read");
        file.read_stall_ms = row.int("io_stall_read_ms");
        file.writes = row.int("num_of_writes");
        file.write_bytes = row.int("num_of_bytes_written");
        file.write_stall_ms = row.int("io_stall_write_ms");
    })?;
    // What a file of tempdb has become since the start is in tempdb alone.
    asker.mapped(&Question::of("database_files", &["file_id", "size"]).within("tempdb"), |row| {
        if let Some(file) = by_number.get_mut(&(TEMPDB, row.int("file_id"))) {
            file.size_kb = pages_kb(row.int("size"));
        }
    })?;
    asker.mapped(
        &Question::of("dm_millpond_file_writes", &["database_id", "file_id", "reason", "bytes_written"]),
        |row| {
            if let Some(file) = by_number.get_mut(&(row.int("database_id"), row.int("file_id"))) {
                file.written.push((row.text("reason"), row.int("bytes_written")));
            }
        },
    )?;
    asker.mapped(&Question::of("dm_millpond_file_tiers", &["database_id", "file_id", "tier"]), |row| {
        if let Some(file) = by_number.get_mut(&(row.int("database_id"), row.int("file_id"))) {
            file.tier = row.maybe("tier");
        }
    })?;
    facts.files = by_number.into_values().collect();
    Ok(())
}

fn volumes(asker: &mut Asker<'_>, facts: &mut Facts) -> Result<(), String> {
    const STATS: &[&str] = &["volume_mount_point", "available_bytes"];
    for file in facts.files.iter_mut().take(FILES_MAX) {
        let arguments = vec![Argument::Number(file.database_id), Argument::Number(file.file_id)];
        let found = asker.mapped(&Question::of("dm_os_volume_stats", STATS).called(arguments), |row| Volume {
            name: row.text("volume_mount_point"),
            available_kb: row.maybe("available_bytes").map(|bytes| bytes / 1024),
            folder: folder_of(&file.physical_name).to_owned(),
            probed_read_us: None,
        })?;
        let Some(volume) = found.into_iter().next().filter(|volume| !volume.name.is_empty()) else { continue };
        file.volume.clone_from(&volume.name);
        if !facts.volumes.iter().any(|known| known.name == volume.name) {
            facts.volumes.push(volume);
        }
    }
    Ok(())
}

/// The folder of a path, with its last separator.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rfind(['/', '\\']).map_or("", |place| &path[..=place])
}

/// The interval of the history in which most of tempdb was used.
fn peak(asker: &mut Asker<'_>) -> Result<Option<TempdbPeak>, String> {
    let question =
        Question::of("dm_millpond_history", HISTORY).called(vec![Argument::Null, Argument::Null, Argument::Null]);
    let all = asker.mapped(&question, |row| TempdbPeak {
        user_objects_kb: pages_kb(row.int("tempdb_user_pages")),
        internal_objects_kb: pages_kb(row.int("tempdb_internal_pages")),
        version_store_kb: pages_kb(row.int("tempdb_version_pages")),
    })?;
    Ok(all.into_iter().max_by_key(TempdbPeak::total_kb).filter(|peak| peak.total_kb() > 0))
}
