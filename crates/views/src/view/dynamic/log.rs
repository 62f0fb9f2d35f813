//! Logs: `sys.dm_db_log_space_usage`, `sys.dm_db_log_info`, `sys.dm_db_log_stats`.

use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_storage::database::Database;
use millpond_storage::database::options::RecoveryModel;
use millpond_storage::page::header::Lsn;
use millpond_types::Value;

use crate::view::ViewRows;
use crate::view::columns::{BIGINT, BIT, FLOAT, INT, REAL, SMALLINT, big, bit, col, null, nvarchar, small, text};

/// `sys.dm_db_log_space_usage`: the log of the current database.
pub static DM_DB_LOG_SPACE_USAGE: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_db_log_space_usage",
    columns: &[
        col("database_id", SMALLINT),
        col("total_log_size_in_bytes", BIGINT),
        col("used_log_space_in_bytes", BIGINT),
        col("used_log_space_in_percent", REAL),
        col("log_space_in_bytes_since_last_backup", BIGINT),
    ],
    rows: &ViewRows(|ctx, database| {
        let logs = ctx.engine.instance().log_usage();
        let row = |log: &millpond_storage::instance::LogUsage| {
            let percent =
                if log.total_bytes == 0 { 0.0 } else { 100.0 * log.used_bytes as f64 / log.total_bytes as f64 };
            vec![
                small(log.db.0),
                big(log.total_bytes),
                big(log.used_bytes),
                Value::Real(percent as f32),
                big(log.unbacked_bytes),
            ]
        };
        Ok(logs.iter().filter(|log| log.db == database.database).map(row).collect())
    }),
};

/// `sys.dm_db_log_info(database_id)`: one row per log part (VLF).
pub static DM_DB_LOG_INFO: TableFunctionDef = TableFunctionDef {
    schema: "sys",
    name: "dm_db_log_info",
    params: &[INT],
    optional: 0,
    columns: &[
        col("database_id", SMALLINT),
        col("file_id", SMALLINT),
        col("vlf_begin_offset", BIGINT),
        col("vlf_size_mb", FLOAT),
        col("vlf_sequence_number", BIGINT),
        col("vlf_active", BIT),
        col("vlf_status", INT),
        col("vlf_parity", SMALLINT),
        null("vlf_first_lsn", nvarchar(48)),
        null("vlf_create_lsn", nvarchar(48)),
    ],
    rows: |run, args| info_rows(RunContext::of(run), args),
};

/// `sys.dm_db_log_stats(database_id)`
pub static DM_DB_LOG_STATS: TableFunctionDef = TableFunctionDef {
    schema: "sys",
    name: "dm_db_log_stats",
    params: &[INT],
    optional: 0,
    columns: &[
        col("database_id", SMALLINT),
        col("recovery_model", nvarchar(60)),
        col("log_min_lsn", nvarchar(24)),
        col("log_end_lsn", nvarchar(24)),
        col("current_vlf_sequence_number", BIGINT),
        col("current_vlf_size_mb", FLOAT),
        col("total_vlf_count", BIGINT),
        col("total_log_size_mb", FLOAT),
        col("active_vlf_count", BIGINT),
        col("active_log_size_mb", FLOAT),
        col("log_truncation_holdup_reason", nvarchar(60)),
        null("log_backup_lsn", nvarchar(24)),
        col("log_since_last_log_backup_mb", FLOAT),
        null("log_checkpoint_lsn", nvarchar(24)),
        col("log_since_last_checkpoint_mb", FLOAT),
        col("log_recovery_lsn", nvarchar(24)),
        col("log_recovery_size_mb", FLOAT),
        col("recovery_vlf_count", BIGINT),
    ],
    rows: |run, args| stats_rows(RunContext::of(run), args),
};

fn mb(bytes: u64) -> Value {
    Value::Float(bytes as f64 / 1_048_576.0)
}

fn lsn(lsn: Lsn) -> Value {
    text(&lsn.to_string())
}

/// The databases with a log of the argument: NULL means all.
fn databases(ctx: &RunContext, args: &[Value]) -> Vec<Arc<Database>> {
    let wanted = args.first().and_then(Value::as_i64);
    let all = ctx.engine.instance().all_databases().into_iter();
    all.filter(|database| wanted.is_none_or(|id| id == i64::from(database.id().0))).collect()
}

fn info_rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for database in databases(ctx, args) {
        let Ok(Some(log)) = database.log() else { continue };
        rows.extend(log.part_reports().iter().map(|part| {
            vec![
                small(database.id().0),
                small(part.file.0),
                big(part.offset_bytes),
                mb(part.size_bytes),
                big(part.sequence),
                bit(part.is_active),
                Value::Int(if part.is_active { 2 } else { 0 }),
                Value::SmallInt(if part.sequence.is_multiple_of(2) { 64 } else { 128 }),
                Value::Null,
                Value::Null,
            ]
        }));
    }
    Ok(rows)
}

fn stats_rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
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
        rows.push(vec![
            small(database.id().0),
            text(model),
            lsn(report.oldest),
            lsn(report.end),
            big(current.map_or(0, |part| part.sequence)),
            mb(current.map_or(0, |part| part.size_bytes)),
            big(report.parts),
            mb(report.size_bytes),
            big(report.active_parts),
            mb(active_bytes),
            text(report.reuse_wait.name()),
            lsn(report.backed_up),
            mb(report.unbacked_bytes),
            log.last_checkpoint().map_or(Value::Null, |place| lsn(place.checkpoint)),
            mb(report.recovery_bytes),
            lsn(report.recovery),
            mb(report.recovery_bytes),
            big(parts.iter().filter(|part| part.sequence >= report.recovery.sequence && part.sequence > 0).count()),
        ]);
    }
    Ok(rows)
}
