//! Log shipping: primaries, secondaries and what their jobs have done. Nothing ships logs here; scripts of backups look whether a
//! database is a primary's or a secondary's.

use millpond_catalog::system_view::ViewDef;
use millpond_types::DateTime;

use crate::catalog::nothing::nothing;
use crate::columns::{Guid, NVarChar, NVarCharMax, Sysname};
use crate::row::{Rows, ViewRows, row, view};

nothing! {
    in "dbo":
    LOG_SHIPPING_MONITOR_ALERT LogShippingMonitorAlert "log_shipping_monitor_alert" { alert_job_id: Guid, }
    LOG_SHIPPING_MONITOR_ERROR_DETAIL LogShippingMonitorErrorDetail "log_shipping_monitor_error_detail" {
        agent_id: Guid, agent_type: u8, session_id: i32, database_name: Sysname, sequence_number: i32,
        log_time: DateTime, log_time_utc: DateTime, message: NVarCharMax, source: NVarCharMax, help_url: NVarCharMax, }
    LOG_SHIPPING_MONITOR_HISTORY_DETAIL LogShippingMonitorHistoryDetail "log_shipping_monitor_history_detail" {
        agent_id: Guid, agent_type: u8, session_id: i32, database_name: Sysname, session_status: u8,
        log_time: DateTime, log_time_utc: DateTime, message: NVarCharMax, }
    LOG_SHIPPING_MONITOR_PRIMARY LogShippingMonitorPrimary "log_shipping_monitor_primary" { primary_id: Guid,
        primary_server: Sysname, primary_database: Sysname, backup_threshold: i32, threshold_alert: i32,
        threshold_alert_enabled: bool, last_backup_file: NVarChar<500>, last_backup_date: DateTime,
        last_backup_date_utc: DateTime, history_retention_period: i32, }
    LOG_SHIPPING_MONITOR_SECONDARY LogShippingMonitorSecondary "log_shipping_monitor_secondary" {
        secondary_server: Sysname, secondary_database: Sysname, secondary_id: Guid, primary_server: Sysname,
        primary_database: Sysname, restore_threshold: i32, threshold_alert: i32, threshold_alert_enabled: bool,
        last_copied_file: NVarChar<500>, last_copied_date: DateTime, last_copied_date_utc: DateTime,
        last_restored_file: NVarChar<500>, last_restored_date: DateTime, last_restored_date_utc: DateTime,
        last_restored_latency: i32, history_retention_period: i32, }
    LOG_SHIPPING_PRIMARY_DATABASES LogShippingPrimaryDatabases "log_shipping_primary_databases" { primary_id: Guid,
        primary_database: Sysname, backup_directory: NVarChar<500>, backup_share: NVarChar<500>,
        backup_retention_period: i32, backup_job_id: Guid, monitor_server: Sysname,
        monitor_server_security_mode: bool, last_backup_file: NVarChar<500>, last_backup_date: DateTime,
        user_specified_monitor: bool, backup_compression: u8, }
    LOG_SHIPPING_PRIMARY_SECONDARIES LogShippingPrimarySecondaries "log_shipping_primary_secondaries" {
        primary_id: Guid, secondary_server: Sysname, secondary_database: Sysname, }
    LOG_SHIPPING_SECONDARY LogShippingSecondary "log_shipping_secondary" { secondary_id: Guid,
        primary_server: Sysname, primary_database: Sysname, backup_source_directory: NVarChar<500>,
        backup_destination_directory: NVarChar<500>, file_retention_period: i32, copy_job_id: Guid,
        restore_job_id: Guid, monitor_server: Sysname, monitor_server_security_mode: bool,
        user_specified_monitor: bool, last_copied_file: NVarChar<500>, last_copied_date: DateTime, }
    LOG_SHIPPING_SECONDARY_DATABASES LogShippingSecondaryDatabases "log_shipping_secondary_databases" {
        secondary_database: Sysname, secondary_id: Guid, restore_delay: i32, restore_all: bool, restore_mode: bool,
        disconnect_users: bool, block_size: i32, buffer_count: i32, max_transfer_size: i32,
        last_restored_file: NVarChar<500>, last_restored_date: DateTime, }
}
