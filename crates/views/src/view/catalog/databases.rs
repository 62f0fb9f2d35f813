//! `sys.databases`. tempdb's `create_date` is the server's last start, which tools rely on.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::metadata::{access_name, recovery_name};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_storage::database::Database;
use millpond_storage::database::options::{DatabaseFlag, DelayedDurability, PageVerify};
use millpond_types::Value;
use millpond_types::collation::Collation;

use crate::view::ViewRows;
use crate::view::columns::{
    BIT, DATETIME, GUID, INT, SMALLINT, SYSNAME, TINYINT, bit, bytes, col, int, moment, null, nvarchar, text, tiny,
    varbinary,
};

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
        null("is_supplemental_logging_enabled", BIT),
        null("snapshot_isolation_state", TINYINT),
        null("snapshot_isolation_state_desc", nvarchar(60)),
        null("is_read_committed_snapshot_on", BIT),
        null("recovery_model", TINYINT),
        null("recovery_model_desc", nvarchar(60)),
        null("page_verify_option", TINYINT),
        null("page_verify_option_desc", nvarchar(60)),
        null("is_auto_create_stats_on", BIT),
        null("is_auto_create_stats_incremental_on", BIT),
        null("is_auto_update_stats_on", BIT),
        null("is_auto_update_stats_async_on", BIT),
        null("is_ansi_null_default_on", BIT),
        null("is_ansi_nulls_on", BIT),
        null("is_ansi_padding_on", BIT),
        null("is_ansi_warnings_on", BIT),
        null("is_arithabort_on", BIT),
        null("is_concat_null_yields_null_on", BIT),
        null("is_numeric_roundabort_on", BIT),
        null("is_quoted_identifier_on", BIT),
        null("is_recursive_triggers_on", BIT),
        null("is_cursor_close_on_commit_on", BIT),
        null("is_local_cursor_default", BIT),
        null("is_fulltext_enabled", BIT),
        null("is_trustworthy_on", BIT),
        null("is_db_chaining_on", BIT),
        null("is_parameterization_forced", BIT),
        col("is_master_key_encrypted_by_server", BIT),
        null("is_query_store_on", BIT),
        col("is_published", BIT),
        col("is_subscribed", BIT),
        col("is_merge_published", BIT),
        col("is_distributor", BIT),
        col("is_sync_with_backup", BIT),
        col("service_broker_guid", GUID),
        col("is_broker_enabled", BIT),
        null("log_reuse_wait", TINYINT),
        null("log_reuse_wait_desc", nvarchar(60)),
        col("is_date_correlation_on", BIT),
        col("is_cdc_enabled", BIT),
        null("is_encrypted", BIT),
        null("is_honor_broker_priority_on", BIT),
        null("replica_id", GUID),
        null("group_database_id", GUID),
        null("resource_pool_id", INT),
        null("default_language_lcid", SMALLINT),
        null("default_language_name", nvarchar(128)),
        null("default_fulltext_language_lcid", INT),
        null("default_fulltext_language_name", nvarchar(128)),
        null("is_nested_triggers_on", BIT),
        null("is_transform_noise_words_on", BIT),
        null("two_digit_year_cutoff", SMALLINT),
        null("containment", TINYINT),
        null("containment_desc", nvarchar(60)),
        null("target_recovery_time_in_seconds", INT),
        null("delayed_durability", INT),
        null("delayed_durability_desc", nvarchar(60)),
        null("is_memory_optimized_elevate_to_snapshot_on", BIT),
        null("is_federation_member", BIT),
        null("is_remote_data_archive_enabled", BIT),
        null("is_mixed_page_allocation_on", BIT),
        null("is_temporal_history_retention_enabled", BIT),
        null("catalog_collation_type", INT),
        null("catalog_collation_type_desc", nvarchar(60)),
        null("physical_database_name", nvarchar(128)),
        null("is_result_set_caching_on", BIT),
        null("is_accelerated_database_recovery_on", BIT),
        null("is_tempdb_spill_to_remote_store", BIT),
        null("is_stale_page_detection_on", BIT),
        null("is_memory_optimized_enabled", BIT),
        null("is_data_retention_enabled", BIT),
        null("is_ledger_on", BIT),
        null("is_change_feed_enabled", BIT),
    ],
    rows: &ViewRows(rows),
};

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let databases = ctx.engine.instance().all_databases();
    Ok(databases.iter().map(|database| row(ctx, database)).collect())
}

fn row(ctx: &RunContext, database: &Database) -> Vec<Value> {
    use DatabaseFlag as F;
    let options = database.options();
    let flag = |flag| bit(options.is_on(flag));
    let state = database.state();
    let mut row = vec![
        text(&database.name()),
        int(database.id().0),
        Value::Null,
        bytes(&[1]),
        moment(inventory::local_us(ctx, database.created_utc_us())),
        tiny(options.compatibility_level),
        // Whatever a database was made with: names and new columns in it are of this one.
        text(Collation::default().name()),
        tiny(options.access as u8),
        text(access_name(options.access)),
        flag(F::ReadOnly),
        flag(F::AutoClose),
        flag(F::AutoShrink),
        tiny(state.number()),
        text(state.name()),
        bit(false),
        bit(database.was_clean()),
        bit(false),
    ];
    let snapshots = options.is_on(F::AllowSnapshotIsolation);
    row.extend([
        tiny(u8::from(snapshots)),
        text(if snapshots { "ON" } else { "OFF" }),
        flag(F::ReadCommittedSnapshot),
        tiny(options.recovery as u8),
        text(recovery_name(options.recovery)),
        tiny(options.page_verify as u8),
        text(verify_name(options.page_verify)),
    ]);
    row.extend([flag(F::AutoCreateStatistics), bit(false)]);
    row.extend(
        [
            F::AutoUpdateStatistics,
            F::AutoUpdateStatisticsAsync,
            F::AnsiNullDefault,
            F::AnsiNulls,
            F::AnsiPadding,
            F::AnsiWarnings,
            F::ArithAbort,
            F::ConcatNullYieldsNull,
            F::NumericRoundAbort,
            F::QuotedIdentifier,
            F::RecursiveTriggers,
            F::CursorCloseOnCommit,
            F::CursorDefaultLocal,
        ]
        .map(flag),
    );
    // Full-text search is not there.
    row.extend([bit(false), flag(F::Trustworthy), bit(chains_by_nature(database.id()))]);
    row.extend([flag(F::ParameterizationForced), bit(false), bit(false)]);
    // Replication.
    row.extend((0..5).map(|_| bit(false)));
    row.extend([Value::Guid(database.guid()), flag(F::BrokerEnabled)]);
    let log = database.log().ok().flatten();
    let reuse = log.map_or(millpond_storage::wal::ReuseWait::Nothing, |log| log.report().reuse_wait);
    row.extend([tiny(reuse as u8), text(reuse.name()), bit(false), bit(false), bit(false), bit(false)]);
    row.extend([Value::Null, Value::Null, Value::Int(1)]);
    // What only a contained database says of itself.
    row.extend((0..7).map(|_| Value::Null));
    row.extend([
        tiny(0),
        text("NONE"),
        int(options.target_recovery_s),
        int(options.delayed_durability as u8),
        text(durability_name(options.delayed_durability)),
        flag(F::MemoryOptimizedElevateToSnapshot),
        bit(false),
        bit(false),
        flag(F::MixedPageAllocation),
        bit(true),
        int(0),
        text("DATABASE_DEFAULT"),
        text(&database.name()),
    ]);
    // Result sets, recovery, spills and stale pages; then memory; then retention, ledger and feed.
    row.extend([false, false, false, false, true, false, false, false].map(bit));
    row
}

/// Ownership chains cross these databases, and no option says otherwise.
fn chains_by_nature(id: DbId) -> bool {
    id == DbId::MASTER || id == DbId::TEMPDB
}

fn verify_name(verify: PageVerify) -> &'static str {
    match verify {
        PageVerify::None => "NONE",
        PageVerify::TornPageDetection => "TORN_PAGE_DETECTION",
        PageVerify::Checksum => "CHECKSUM",
    }
}

fn durability_name(durability: DelayedDurability) -> &'static str {
    match durability {
        DelayedDurability::Disabled => "DISABLED",
        DelayedDurability::Allowed => "ALLOWED",
        DelayedDurability::Forced => "FORCED",
    }
}
