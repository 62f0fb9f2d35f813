//! `sys.databases`. tempdb's `create_date` is the server's last start, which tools rely on.

use std::sync::Arc;

use millpond_catalog::Within;
use millpond_catalog::security::Sid;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_engine::metadata::{access_name, recovery_name};
use millpond_engine::security::sees_database;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_storage::database::Database;
use millpond_storage::database::options::{DatabaseFlag as F, DelayedDurability, PageVerify};
use millpond_types::DateTime;

use crate::columns::{Guid, LsnNumber, NVarChar, Sysname, VarBinary, bytes, datetime_of, int, text};
use crate::dynamic::tran::transactions::lsn_number;
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.databases`.
    struct Databases {
        name: Sysname,
        database_id: i32,
        source_database_id: Option<i32>,
        owner_sid: Option<VarBinary<85>>,
        create_date: DateTime,
        compatibility_level: u8,
        collation_name: Option<Sysname>,
        user_access: Option<u8>,
        user_access_desc: Option<NVarChar<60>>,
        is_read_only: Option<bool>,
        is_auto_close_on: bool,
        is_auto_shrink_on: Option<bool>,
        state: Option<u8>,
        state_desc: Option<NVarChar<60>>,
        is_in_standby: Option<bool>,
        is_cleanly_shutdown: Option<bool>,
        is_supplemental_logging_enabled: Option<bool>,
        snapshot_isolation_state: Option<u8>,
        snapshot_isolation_state_desc: Option<NVarChar<60>>,
        is_read_committed_snapshot_on: Option<bool>,
        recovery_model: Option<u8>,
        recovery_model_desc: Option<NVarChar<60>>,
        page_verify_option: Option<u8>,
        page_verify_option_desc: Option<NVarChar<60>>,
        is_auto_create_stats_on: Option<bool>,
        is_auto_create_stats_incremental_on: Option<bool>,
        is_auto_update_stats_on: Option<bool>,
        is_auto_update_stats_async_on: Option<bool>,
        is_ansi_null_default_on: Option<bool>,
        is_ansi_nulls_on: Option<bool>,
        is_ansi_padding_on: Option<bool>,
        is_ansi_warnings_on: Option<bool>,
        is_arithabort_on: Option<bool>,
        is_concat_null_yields_null_on: Option<bool>,
        is_numeric_roundabort_on: Option<bool>,
        is_quoted_identifier_on: Option<bool>,
        is_recursive_triggers_on: Option<bool>,
        is_cursor_close_on_commit_on: Option<bool>,
        is_local_cursor_default: Option<bool>,
        is_fulltext_enabled: Option<bool>,
        is_trustworthy_on: Option<bool>,
        is_db_chaining_on: Option<bool>,
        is_parameterization_forced: Option<bool>,
        is_master_key_encrypted_by_server: bool,
        is_query_store_on: Option<bool>,
        is_published: bool,
        is_subscribed: bool,
        is_merge_published: bool,
        is_distributor: bool,
        is_sync_with_backup: bool,
        service_broker_guid: Guid,
        is_broker_enabled: bool,
        log_reuse_wait: Option<u8>,
        log_reuse_wait_desc: Option<NVarChar<60>>,
        is_date_correlation_on: bool,
        is_cdc_enabled: bool,
        is_encrypted: Option<bool>,
        is_honor_broker_priority_on: Option<bool>,
        replica_id: Option<Guid>,
        group_database_id: Option<Guid>,
        resource_pool_id: Option<i32>,
        default_language_lcid: Option<i16>,
        default_language_name: Option<NVarChar<128>>,
        default_fulltext_language_lcid: Option<i32>,
        default_fulltext_language_name: Option<NVarChar<128>>,
        is_nested_triggers_on: Option<bool>,
        is_transform_noise_words_on: Option<bool>,
        two_digit_year_cutoff: Option<i16>,
        containment: Option<u8>,
        containment_desc: Option<NVarChar<60>>,
        target_recovery_time_in_seconds: Option<i32>,
        delayed_durability: Option<i32>,
        delayed_durability_desc: Option<NVarChar<60>>,
        is_memory_optimized_elevate_to_snapshot_on: Option<bool>,
        is_federation_member: Option<bool>,
        is_remote_data_archive_enabled: Option<bool>,
        is_mixed_page_allocation_on: Option<bool>,
        is_temporal_history_retention_enabled: Option<bool>,
        catalog_collation_type: Option<i32>,
        catalog_collation_type_desc: Option<NVarChar<60>>,
        physical_database_name: Option<NVarChar<128>>,
        is_result_set_caching_on: Option<bool>,
        is_accelerated_database_recovery_on: Option<bool>,
        is_tempdb_spill_to_remote_store: Option<bool>,
        is_stale_page_detection_on: Option<bool>,
        is_memory_optimized_enabled: Option<bool>,
        is_data_retention_enabled: Option<bool>,
        is_ledger_on: Option<bool>,
        is_change_feed_enabled: Option<bool>,
    }
}

/// `sys.databases`
pub static DATABASES: ViewDef = view("sys", "databases", &ViewRows(rows));

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<Databases>> {
    Ok(seen_databases(ctx)?.iter().map(|database| database_row(ctx, database)).collect())
}

/// The databases that the session may see.
fn seen_databases(ctx: &RunContext) -> SqlResult<Vec<Arc<Database>>> {
    let mut seen = Vec::new();
    for database in ctx.engine.instance().all_databases() {
        if sees_database(ctx, database.id())? {
            seen.push(database);
        }
    }
    Ok(seen)
}

row! {
    /// A row of `sys.database_recovery_status`.
    struct DatabaseRecoveryStatus {
        database_id: i32,
        database_guid: Option<Guid>,
        family_guid: Option<Guid>,
        last_log_backup_lsn: Option<LsnNumber>,
        recovery_fork_guid: Option<Guid>,
        first_recovery_fork_guid: Option<Guid>,
        fork_point_lsn: Option<LsnNumber>,
    }
}

/// `sys.database_recovery_status`: where the next log backup begins, of databases that have a chain of them. A database has one
/// identity, whatever it was restored to.
pub static DATABASE_RECOVERY_STATUS: ViewDef = view("sys", "database_recovery_status", &ViewRows(recovery_status));

fn recovery_status(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DatabaseRecoveryStatus>> {
    let row = |database: Arc<Database>| {
        let chain = database.chain();
        DatabaseRecoveryStatus {
            database_id: int(database.id().0),
            database_guid: Some(Guid(database.guid())),
            family_guid: Some(Guid(database.guid())),
            last_log_backup_lsn: chain.and_then(|chain| lsn_number(chain.checkpoint)),
            recovery_fork_guid: Some(Guid(database.guid())),
            first_recovery_fork_guid: None,
            fork_point_lsn: None,
        }
    };
    Ok(seen_databases(ctx)?.into_iter().map(row).collect())
}

row! {
    /// A row of `sys.database_mirroring`.
    #[derive(Default)]
    struct DatabaseMirroring {
        database_id: i32,
        mirroring_guid: Option<Guid>,
        mirroring_state: Option<u8>,
        mirroring_state_desc: Option<NVarChar<60>>,
        mirroring_role: Option<u8>,
        mirroring_role_desc: Option<NVarChar<60>>,
        mirroring_role_sequence: Option<i32>,
        mirroring_safety_level: Option<u8>,
        mirroring_safety_level_desc: Option<NVarChar<60>>,
        mirroring_safety_sequence: Option<i32>,
        mirroring_partner_name: Option<Sysname>,
        mirroring_partner_instance: Option<Sysname>,
        mirroring_witness_name: Option<Sysname>,
        mirroring_witness_state: Option<u8>,
        mirroring_witness_state_desc: Option<NVarChar<60>>,
        mirroring_failover_lsn: Option<LsnNumber>,
        mirroring_connection_timeout: Option<i32>,
        mirroring_redo_queue: Option<i32>,
        mirroring_redo_queue_type: Option<NVarChar<60>>,
        mirroring_end_of_log_lsn: Option<LsnNumber>,
        mirroring_replication_lsn: Option<LsnNumber>,
    }
}

/// `sys.database_mirroring`: a row for each database, none of which is mirrored.
pub static DATABASE_MIRRORING: ViewDef = view("sys", "database_mirroring", &ViewRows(mirroring));

fn mirroring(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DatabaseMirroring>> {
    let all = seen_databases(ctx)?.into_iter();
    Ok(all.map(|known| DatabaseMirroring { database_id: int(known.id().0), ..DatabaseMirroring::default() }).collect())
}

row! {
    /// A row of `sys.database_filestream_options`.
    struct DatabaseFilestreamOptions {
        database_id: Option<i32>,
        directory_name: Option<NVarChar<255>>,
        non_transacted_access: Option<u8>,
        non_transacted_access_desc: Option<NVarChar<60>>,
    }
}

/// `sys.database_filestream_options`: a row for each database, none of which has files of tables.
pub static DATABASE_FILESTREAM_OPTIONS: ViewDef =
    view("sys", "database_filestream_options", &ViewRows(filestream_options));

fn filestream_options(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DatabaseFilestreamOptions>> {
    let row = |known: Arc<Database>| DatabaseFilestreamOptions {
        database_id: Some(int(known.id().0)),
        directory_name: None,
        non_transacted_access: Some(0),
        non_transacted_access_desc: Some(text("OFF")),
    };
    Ok(seen_databases(ctx)?.into_iter().map(row).collect())
}

/// The login that owns a database; of one that is not available nothing is known.
fn owner_sid(ctx: &RunContext, database: &Database) -> Option<Sid> {
    let dictionary = ctx.engine.databases().dictionary(database.id()).ok()?;
    Some(Arc::clone(dictionary.catalog().objects().security().owner_sid()))
}

fn database_row(ctx: &RunContext, database: &Database) -> Databases {
    let options = database.options();
    let flag = |flag| options.is_on(flag);
    let state = database.state();
    let (snapshots, is_contained) = (flag(F::AllowSnapshotIsolation), flag(F::PartiallyContained));
    let log = database.log().ok().flatten();
    let reuse = log.map_or(millpond_storage::wal::ReuseWait::Nothing, |log| log.report().reuse_wait);
    Databases {
        name: text(&database.name()),
        database_id: int(database.id().0),
        source_database_id: database
            .origin()
            .source
            .filter(|_| database.origin().is_snapshot())
            .map(|source| int(source.0)),
        owner_sid: owner_sid(ctx, database).as_deref().map(bytes),
        create_date: datetime_of(inventory::local_us(ctx, database.created_utc_us())),
        compatibility_level: options.compatibility_level,
        collation_name: Some(text(ctx.engine.databases().collation(database.id()).name())),
        user_access: Some(options.access as u8),
        user_access_desc: Some(text(access_name(options.access))),
        is_read_only: Some(flag(F::ReadOnly)),
        is_auto_close_on: flag(F::AutoClose),
        is_auto_shrink_on: Some(flag(F::AutoShrink)),
        state: Some(state.number()),
        state_desc: Some(text(state.name())),
        is_in_standby: Some(false),
        is_cleanly_shutdown: Some(database.was_clean()),
        is_supplemental_logging_enabled: Some(false),
        snapshot_isolation_state: Some(u8::from(snapshots)),
        snapshot_isolation_state_desc: Some(text(if snapshots { "ON" } else { "OFF" })),
        is_read_committed_snapshot_on: Some(flag(F::ReadCommittedSnapshot)),
        recovery_model: Some(options.recovery as u8),
        recovery_model_desc: Some(text(recovery_name(options.recovery))),
        page_verify_option: Some(options.page_verify as u8),
        page_verify_option_desc: Some(text(verify_name(options.page_verify))),
        is_auto_create_stats_on: Some(flag(F::AutoCreateStatistics)),
        is_auto_create_stats_incremental_on: Some(flag(F::AutoCreateStatisticsIncremental)),
        is_auto_update_stats_on: Some(flag(F::AutoUpdateStatistics)),
        is_auto_update_stats_async_on: Some(flag(F::AutoUpdateStatisticsAsync)),
        is_ansi_null_default_on: Some(flag(F::AnsiNullDefault)),
        is_ansi_nulls_on: Some(flag(F::AnsiNulls)),
        is_ansi_padding_on: Some(flag(F::AnsiPadding)),
        is_ansi_warnings_on: Some(flag(F::AnsiWarnings)),
        is_arithabort_on: Some(flag(F::ArithAbort)),
        is_concat_null_yields_null_on: Some(flag(F::ConcatNullYieldsNull)),
        is_numeric_roundabort_on: Some(flag(F::NumericRoundAbort)),
        is_quoted_identifier_on: Some(flag(F::QuotedIdentifier)),
        is_recursive_triggers_on: Some(flag(F::RecursiveTriggers)),
        is_cursor_close_on_commit_on: Some(flag(F::CursorCloseOnCommit)),
        is_local_cursor_default: Some(flag(F::CursorDefaultLocal)),
        // Full-text search is not there.
        is_fulltext_enabled: Some(false),
        is_trustworthy_on: Some(flag(F::Trustworthy)),
        is_db_chaining_on: Some(chains_by_nature(database.id()) || flag(F::DbChaining)),
        is_parameterization_forced: Some(flag(F::ParameterizationForced)),
        is_master_key_encrypted_by_server: false,
        is_query_store_on: Some(flag(F::QueryStore)),
        // Replication.
        is_published: false,
        is_subscribed: false,
        is_merge_published: false,
        is_distributor: false,
        is_sync_with_backup: false,
        // A copy has its source's identity, and is another service.
        service_broker_guid: Guid(if database.origin().is_copy() { database.origin().voter } else { database.guid() }),
        is_broker_enabled: flag(F::BrokerEnabled),
        log_reuse_wait: Some(reuse as u8),
        log_reuse_wait_desc: Some(text(reuse.name())),
        is_date_correlation_on: flag(F::DateCorrelationOptimization),
        is_cdc_enabled: false,
        is_encrypted: Some(false),
        is_honor_broker_priority_on: Some(flag(F::HonorBrokerPriority)),
        replica_id: None,
        group_database_id: None,
        resource_pool_id: Some(1),
        // What only a contained database says of itself.
        default_language_lcid: is_contained.then_some(1033),
        default_language_name: is_contained.then(|| text("us_english")),
        default_fulltext_language_lcid: is_contained.then_some(1033),
        default_fulltext_language_name: is_contained.then(|| text("English")),
        is_nested_triggers_on: is_contained.then(|| flag(F::NestedTriggers)),
        is_transform_noise_words_on: is_contained.then(|| flag(F::TransformNoiseWords)),
        two_digit_year_cutoff: is_contained.then_some(2049),
        containment: Some(u8::from(is_contained)),
        containment_desc: Some(text(if is_contained { "PARTIAL" } else { "NONE" })),
        target_recovery_time_in_seconds: Some(int(options.target_recovery_s)),
        delayed_durability: Some(int(options.delayed_durability as u8)),
        delayed_durability_desc: Some(text(durability_name(options.delayed_durability))),
        is_memory_optimized_elevate_to_snapshot_on: Some(flag(F::MemoryOptimizedElevateToSnapshot)),
        is_federation_member: Some(false),
        is_remote_data_archive_enabled: Some(false),
        is_mixed_page_allocation_on: Some(flag(F::MixedPageAllocation)),
        is_temporal_history_retention_enabled: Some(!flag(F::TemporalHistoryKept)),
        catalog_collation_type: Some(0),
        catalog_collation_type_desc: Some(text("DATABASE_DEFAULT")),
        physical_database_name: Some(text(&database.name())),
        // Result sets, recovery, spills and stale pages; then memory; then retention, ledger and feed.
        is_result_set_caching_on: Some(false),
        is_accelerated_database_recovery_on: Some(flag(F::AcceleratedDatabaseRecovery)),
        is_tempdb_spill_to_remote_store: Some(false),
        is_stale_page_detection_on: Some(false),
        is_memory_optimized_enabled: Some(true),
        is_data_retention_enabled: Some(false),
        is_ledger_on: Some(false),
        is_change_feed_enabled: Some(false),
    }
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
