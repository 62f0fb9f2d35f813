//! Logs: `sys.dm_db_log_space_usage`, `sys.dm_db_log_info`, `sys.dm_db_log_stats`.

use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::database::Database;
use millpond_storage::database::options::RecoveryModel;
use millpond_storage::page::header::Lsn;
use millpond_storage::wal::image::last_checkpoint;
use millpond_types::{DateTime, Value};

use crate::columns::{NVarChar, OfText, VarBinary, big, small, text};
use crate::row::{Rows, ViewRows, row, table_function, view};

row! {
    /// A row of `sys.dm_db_log_space_usage`.
    struct DmDbLogSpaceUsage {
        database_id: i16,
        total_log_size_in_bytes: i64,
        used_log_space_in_bytes: i64,
        used_log_space_in_percent: f32,
        log_space_in_bytes_since_last_backup: i64,
    }
}

/// `sys.dm_db_log_space_usage`: the log of the current database.
pub static DM_DB_LOG_SPACE_USAGE: ViewDef = view(
    "sys",
    "dm_db_log_space_usage",
    &ViewRows(|ctx, database| {
        let logs = ctx.engine.instance().log_usage();
        let row = |log: &millpond_storage::instance::LogUsage| {
            let percent =
                if log.total_bytes == 0 { 0.0 } else { 100.0 * log.used_bytes as f64 / log.total_bytes as f64 };
            DmDbLogSpaceUsage {
                database_id: small(log.db.0),
                total_log_size_in_bytes: big(log.total_bytes),
                used_log_space_in_bytes: big(log.used_bytes),
                used_log_space_in_percent: percent as f32,
                log_space_in_bytes_since_last_backup: big(log.unbacked_bytes),
            }
        };
        Ok(logs.iter().filter(|log| log.db == database.database).map(row).collect())
    }),
);

row! {
    /// A row of `sys.dm_db_log_info`.
    struct DmDbLogInfo {
        database_id: i16,
        file_id: i16,
        vlf_begin_offset: i64,
        vlf_size_mb: f64,
        vlf_sequence_number: i64,
        vlf_active: bool,
        vlf_status: i32,
        vlf_parity: i16,
        vlf_first_lsn: Option<NVarChar<48>>,
        vlf_create_lsn: Option<NVarChar<48>>,
        vlf_encryptor_thumbprint: Option<VarBinary<20>>,
    }
}

/// `sys.dm_db_log_info(database_id)`: one row per log part (VLF).
pub static DM_DB_LOG_INFO: TableFunctionDef =
    table_function!("sys", "dm_db_log_info", [i32], optional 0, DmDbLogInfo, info_rows);

row! {
    /// A row of `sys.dm_db_log_stats`.
    struct DmDbLogStats {
        database_id: i16,
        recovery_model: NVarChar<60>,
        log_min_lsn: NVarChar<24>,
        log_end_lsn: NVarChar<24>,
        current_vlf_sequence_number: i64,
        current_vlf_size_mb: f64,
        total_vlf_count: i64,
        total_log_size_mb: f64,
        active_vlf_count: i64,
        active_log_size_mb: f64,
        log_truncation_holdup_reason: NVarChar<60>,
        log_backup_time: Option<DateTime>,
        log_backup_lsn: Option<NVarChar<24>>,
        log_since_last_log_backup_mb: f64,
        log_checkpoint_lsn: Option<NVarChar<24>>,
        log_since_last_checkpoint_mb: f64,
        log_recovery_lsn: NVarChar<24>,
        log_recovery_size_mb: f64,
        recovery_vlf_count: i64,
    }
}

/// `sys.dm_db_log_stats(database_id)`
pub static DM_DB_LOG_STATS: TableFunctionDef =
    table_function!("sys", "dm_db_log_stats", [i32], optional 0, DmDbLogStats, stats_rows);

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1_048_576.0
}

fn lsn<T: OfText>(lsn: Lsn) -> T {
    text(&lsn.to_string())
}

/// The databases with a log of the argument: NULL means all.
fn databases(ctx: &RunContext, args: &[Value]) -> Vec<Arc<Database>> {
    let wanted = args.first().and_then(Value::as_i64);
    let all = ctx.engine.instance().all_databases().into_iter();
    all.filter(|database| wanted.is_none_or(|id| id == i64::from(database.id().0))).collect()
}

fn info_rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmDbLogInfo>> {
    let mut rows = Rows::new();
    for database in databases(ctx, args) {
        let Ok(Some(log)) = database.log() else { continue };
        rows.extend(log.part_reports().iter().map(|part| DmDbLogInfo {
            database_id: small(database.id().0),
            file_id: small(part.file.0),
            vlf_begin_offset: big(part.offset_bytes),
            vlf_size_mb: mb(part.size_bytes),
            vlf_sequence_number: big(part.sequence),
            vlf_active: part.is_active,
            vlf_status: if part.is_active { 2 } else { 0 },
            vlf_parity: if part.sequence.is_multiple_of(2) { 64 } else { 128 },
            vlf_first_lsn: None,
            vlf_create_lsn: None,
            vlf_encryptor_thumbprint: None,
        }));
    }
    Ok(rows)
}

fn stats_rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmDbLogStats>> {
    let mut rows = Rows::new();
    for database in databases(ctx, args) {
        let Ok(Some(log)) = database.log() else { continue };
        let report = log.report();
        let parts = log.part_reports();
        let current = parts.iter().max_by_key(|part| part.sequence);
        let active_bytes: u64 = parts.iter().filter(|part| part.is_active).map(|part| part.size_bytes).sum();
        let model = match database.options().recovery {
            RecoveryModel::Full => "FULL",
            RecoveryModel::BulkLogged => "BULK_LOGGED",
            RecoveryModel::Simple => "SIMPLE",
        };
        rows.push(DmDbLogStats {
            database_id: small(database.id().0),
            recovery_model: text(model),
            log_min_lsn: lsn(report.oldest),
            log_end_lsn: lsn(report.end),
            current_vlf_sequence_number: big(current.map_or(0, |part| part.sequence)),
            current_vlf_size_mb: mb(current.map_or(0, |part| part.size_bytes)),
            total_vlf_count: big(report.parts),
            total_log_size_mb: mb(report.size_bytes),
            active_vlf_count: big(report.active_parts),
            active_log_size_mb: mb(active_bytes),
            log_truncation_holdup_reason: text(report.reuse_wait.name()),
            // What msdb.dbo.backupset says.
            log_backup_time: None,
            log_backup_lsn: Some(lsn(report.backed_up)),
            log_since_last_log_backup_mb: mb(report.unbacked_bytes),
            log_checkpoint_lsn: last_checkpoint(log).map(|place| lsn(place.checkpoint)),
            log_since_last_checkpoint_mb: mb(report.recovery_bytes),
            log_recovery_lsn: lsn(report.recovery),
            log_recovery_size_mb: mb(report.recovery_bytes),
            recovery_vlf_count: big(parts
                .iter()
                .filter(|part| part.sequence >= report.recovery.sequence && part.sequence > 0)
                .count()),
        });
    }
    Ok(rows)
}
