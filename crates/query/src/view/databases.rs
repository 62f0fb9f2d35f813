//! `sys.databases`. tempdb's `create_date` is the server's last start, which tools rely on.

use millpond_storage::contract::DbId;
use millpond_types::Value;
use millpond_types::collation::Collation;

use super::ViewDef;
use super::columns::{
    BIT, DATETIME, INT, SYSNAME, TINYINT, bit, bytes, col, int, moment, null, nvarchar, text, tiny, varbinary,
};
use crate::context::RunContext;
use crate::error::SqlResult;

/// `sys.databases`
pub static DATABASES: ViewDef = ViewDef {
    schema: "sys",
    name: "databases",
    columns: &[
        col("name", SYSNAME),
        col("database_id", INT),
        null("source_database_id", INT),
        null("owner_sid", varbinary(85)),
        col("create_date", DATETIME),
        col("compatibility_level", TINYINT),
        null("collation_name", SYSNAME),
        null("user_access", TINYINT),
        null("user_access_desc", nvarchar(60)),
        null("is_read_only", BIT),
        col("is_auto_close_on", BIT),
        null("is_auto_shrink_on", BIT),
        null("state", TINYINT),
        null("state_desc", nvarchar(60)),
        null("is_in_standby", BIT),
        null("is_cleanly_shutdown", BIT),
        null("snapshot_isolation_state", TINYINT),
        null("snapshot_isolation_state_desc", nvarchar(60)),
        null("is_read_committed_snapshot_on", BIT),
        null("recovery_model", TINYINT),
        null("recovery_model_desc", nvarchar(60)),
        null("page_verify_option", TINYINT),
        null("page_verify_option_desc", nvarchar(60)),
        null("is_auto_create_stats_on", BIT),
        null("is_auto_update_stats_on", BIT),
        null("is_auto_update_stats_async_on", BIT),
        null("is_ansi_null_default_on", BIT),
        null("is_ansi_nulls_on", BIT),
        null("is_ansi_padding_on", BIT),
        null("is_ansi_warnings_on", BIT),
        null("is_arithabort_on", BIT),
        null("is_concat_null_yields_null_on", BIT),
        null("is_quoted_identifier_on", BIT),
        null("is_parameterization_forced", BIT),
        null("is_trustworthy_on", BIT),
        null("is_broker_enabled", BIT),
        null("log_reuse_wait", TINYINT),
        null("log_reuse_wait_desc", nvarchar(60)),
        null("is_encrypted", BIT),
        null("resource_pool_id", INT),
        null("containment", TINYINT),
        null("containment_desc", nvarchar(60)),
        null("target_recovery_time_in_seconds", INT),
        null("delayed_durability", INT),
        null("delayed_durability_desc", nvarchar(60)),
        null("is_memory_optimized_elevate_to_snapshot_on", BIT),
        null("is_mixed_page_allocation_on", BIT),
    ],
    rows,
};

fn rows(ctx: &RunContext, _database: DbId) -> SqlResult<Vec<Vec<Value>>> {
    let local_offset_us = {
        let (utc_us, local_us) = ctx.engine.now_us();
        local_us - utc_us
    };
    let databases = ctx.engine.instance().databases();
    let off = || bit(false);
    let rows = databases.into_iter().map(|database| {
        let mut row = vec![
            text(&database.name),
            int(database.id.0),
            Value::Null,
            bytes(&[1]),
            moment(database.created_utc_us + local_offset_us),
            tiny(160),
            text(Collation::default().name()),
            tiny(0),
            text("MULTI_USER"),
            off(),
            off(),
            off(),
            tiny(0),
            text("ONLINE"),
            off(),
            off(),
            tiny(0),
            text("OFF"),
            off(),
            tiny(3),
            text("SIMPLE"),
            tiny(2),
            text("CHECKSUM"),
        ];
        // Statistics are not kept; ANSI settings come with each connection.
        row.extend((0..13).map(|_| off()));
        row.extend([
            tiny(0),
            text("NOTHING"),
            off(),
            Value::Int(1),
            tiny(0),
            text("NONE"),
            Value::Int(0),
            Value::Int(0),
            text("DISABLED"),
            off(),
            off(),
        ]);
        row
    });
    Ok(rows.collect())
}
