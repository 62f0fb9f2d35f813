//! A walk over ALTER DATABASE … SET: each option of its page means something, is kept and shown, or is refused by name.
//!
//! The list is that of <https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options>, the columns are
//! those of `sys.databases`; both were written by hand.

use std::fmt::Write;

use crate::harness::{engine, run, session};

/// An option, the column that shows it, and what stands there.
const SHOWN: &[(&str, &str, &str)] = &[
    ("auto_close on", "is_auto_close_on", "1"),
    ("auto_close off", "is_auto_close_on", "0"),
    ("auto_create_statistics off", "is_auto_create_stats_on", "0"),
    ("auto_create_statistics on (incremental = on)", "is_auto_create_stats_incremental_on", "1"),
    ("auto_shrink on", "is_auto_shrink_on", "1"),
    ("auto_shrink off", "is_auto_shrink_on", "0"),
    ("auto_update_statistics off", "is_auto_update_stats_on", "0"),
    ("auto_update_statistics on", "is_auto_update_stats_on", "1"),
    ("auto_update_statistics_async on", "is_auto_update_stats_async_on", "1"),
    ("cursor_close_on_commit on", "is_cursor_close_on_commit_on", "1"),
    ("cursor_close_on_commit off", "is_cursor_close_on_commit_on", "0"),
    ("cursor_default local", "is_local_cursor_default", "1"),
    ("cursor_default global", "is_local_cursor_default", "0"),
    ("date_correlation_optimization on", "is_date_correlation_on", "1"),
    ("date_correlation_optimization off", "is_date_correlation_on", "0"),
    ("read_only", "is_read_only", "1"),
    ("read_write", "is_read_only", "0"),
    ("single_user", "user_access_desc", "SINGLE_USER"),
    ("restricted_user", "user_access_desc", "RESTRICTED_USER"),
    ("multi_user", "user_access_desc", "MULTI_USER"),
    ("delayed_durability = allowed", "delayed_durability_desc", "ALLOWED"),
    ("delayed_durability = forced", "delayed_durability_desc", "FORCED"),
    ("delayed_durability = disabled", "delayed_durability_desc", "DISABLED"),
    ("db_chaining on", "is_db_chaining_on", "1"),
    ("db_chaining off", "is_db_chaining_on", "0"),
    ("trustworthy on", "is_trustworthy_on", "1"),
    ("trustworthy off", "is_trustworthy_on", "0"),
    ("mixed_page_allocation on", "is_mixed_page_allocation_on", "1"),
    ("mixed_page_allocation off", "is_mixed_page_allocation_on", "0"),
    ("parameterization forced", "is_parameterization_forced", "1"),
    ("parameterization simple", "is_parameterization_forced", "0"),
    ("query_store = on", "is_query_store_on", "1"),
    ("query_store (operation_mode = read_write, max_storage_size_mb = 100)", "is_query_store_on", "1"),
    ("query_store = off", "is_query_store_on", "0"),
    ("recovery simple", "recovery_model_desc", "SIMPLE"),
    ("recovery bulk_logged", "recovery_model_desc", "BULK_LOGGED"),
    ("recovery full", "recovery_model_desc", "FULL"),
    ("page_verify none", "page_verify_option_desc", "NONE"),
    ("page_verify torn_page_detection", "page_verify_option_desc", "TORN_PAGE_DETECTION"),
    ("page_verify checksum", "page_verify_option_desc", "CHECKSUM"),
    ("torn_page_detection on", "page_verify_option_desc", "TORN_PAGE_DETECTION"),
    ("torn_page_detection off", "page_verify_option_desc", "NONE"),
    ("enable_broker", "is_broker_enabled", "1"),
    ("disable_broker", "is_broker_enabled", "0"),
    ("new_broker with rollback immediate", "is_broker_enabled", "1"),
    ("error_broker_conversations", "is_broker_enabled", "0"),
    ("honor_broker_priority on", "is_honor_broker_priority_on", "1"),
    ("allow_snapshot_isolation on", "snapshot_isolation_state_desc", "ON"),
    ("allow_snapshot_isolation off", "snapshot_isolation_state_desc", "OFF"),
    ("read_committed_snapshot off", "is_read_committed_snapshot_on", "0"),
    ("read_committed_snapshot on", "is_read_committed_snapshot_on", "1"),
    ("memory_optimized_elevate_to_snapshot on", "is_memory_optimized_elevate_to_snapshot_on", "1"),
    ("ansi_null_default on", "is_ansi_null_default_on", "1"),
    ("ansi_nulls on", "is_ansi_nulls_on", "1"),
    ("ansi_padding on", "is_ansi_padding_on", "1"),
    ("ansi_warnings on", "is_ansi_warnings_on", "1"),
    ("arithabort on", "is_arithabort_on", "1"),
    ("compatibility_level = 130", "compatibility_level", "130"),
    ("compatibility_level = 160", "compatibility_level", "160"),
    ("concat_null_yields_null on", "is_concat_null_yields_null_on", "1"),
    ("numeric_roundabort on", "is_numeric_roundabort_on", "1"),
    ("quoted_identifier on", "is_quoted_identifier_on", "1"),
    ("recursive_triggers on", "is_recursive_triggers_on", "1"),
    ("target_recovery_time = 2 minutes", "target_recovery_time_in_seconds", "120"),
    ("target_recovery_time = 30 seconds", "target_recovery_time_in_seconds", "30"),
    ("temporal_history_retention off", "is_temporal_history_retention_enabled", "0"),
    ("temporal_history_retention on", "is_temporal_history_retention_enabled", "1"),
    ("accelerated_database_recovery = on", "is_accelerated_database_recovery_on", "1"),
    ("accelerated_database_recovery = off", "is_accelerated_database_recovery_on", "0"),
    ("filestream (non_transacted_access = off)", "state_desc", "ONLINE"),
    ("offline", "state_desc", "OFFLINE"),
    ("online", "state_desc", "ONLINE"),
];

/// Options of what is not there.
const REFUSED: &[&str] = &[
    "automatic_tuning (force_last_good_plan = on)",
    "change_tracking = on (change_retention = 2 days, auto_cleanup = on)",
    "partner = 'tcp://other:5022'",
    "witness off",
    "encryption on",
    "filestream (non_transacted_access = full)",
    "hadr off",
    "remote_data_archive = off",
    "persistent_log_buffer = off",
    "data_retention on",
];

/// Values that their options do not take.
const WRONG: &[(&str, i32)] = &[
    ("auto_close perhaps", 5058),
    ("recovery sometimes", 5058),
    ("page_verify perhaps", 5058),
    ("torn_page_detection perhaps", 5058),
    ("delayed_durability = perhaps", 5058),
    ("compatibility_level = 55", 15_048),
    ("target_recovery_time = 5", 5058),
];

#[test]
fn each_option_is_shown_or_refused_by_name() {
    let engine = engine();
    let mut one = session(&engine);
    assert_eq!(run(&mut one, "set nocount on create database walked"), "");
    let mut wrong = String::new();
    for (option, column, value) in SHOWN {
        let said = run(&mut one, &format!("alter database walked set {option}"));
        let shown = run(
            &mut one,
            &format!("select cast({column} as varchar(60)) as v from sys.databases where name = 'walked'"),
        );
        if said.contains("Msg ") || !shown.contains(&format!("]\n{value}\n")) {
            let _ = writeln!(wrong, "{option}: {said}{shown}");
        }
    }
    for option in REFUSED {
        let said = run(&mut one, &format!("alter database walked set {option}"));
        if !said.starts_with("Msg 40517") {
            let _ = writeln!(wrong, "{option}: {said}");
        }
    }
    for (option, number) in WRONG {
        let said = run(&mut one, &format!("alter database walked set {option}"));
        if !said.starts_with(&format!("Msg {number},")) {
            let _ = writeln!(wrong, "{option}: {said}");
        }
    }
    assert_eq!(wrong, "");
}
