//! msdb's tables as views without rows: what scripts and tools read of backups, log shipping, the Agent, mail and policies where nobody has
//! written any of it yet. The first backup makes its tables of these views (`query/src/exec/admin/history.rs`); a table hides the
//! view of its name.

use millpond_catalog::system_view::ViewDef;

use crate::dynamic::counters::OF_ALERTS;

mod agent;
mod backups;
mod categories;
mod log_shipping;
mod mail;
mod policies;

/// All, by name.
pub(crate) static TABLES: [&ViewDef; 69] = [
    &backups::BACKUPFILE,
    &backups::BACKUPFILEGROUP,
    &backups::BACKUPMEDIAFAMILY,
    &backups::BACKUPMEDIASET,
    &backups::BACKUPSET,
    &agent::CDC_JOBS,
    &log_shipping::LOG_SHIPPING_MONITOR_ALERT,
    &log_shipping::LOG_SHIPPING_MONITOR_ERROR_DETAIL,
    &log_shipping::LOG_SHIPPING_MONITOR_HISTORY_DETAIL,
    &log_shipping::LOG_SHIPPING_MONITOR_PRIMARY,
    &log_shipping::LOG_SHIPPING_MONITOR_SECONDARY,
    &log_shipping::LOG_SHIPPING_PRIMARY_DATABASES,
    &log_shipping::LOG_SHIPPING_PRIMARY_SECONDARIES,
    &log_shipping::LOG_SHIPPING_SECONDARY,
    &log_shipping::LOG_SHIPPING_SECONDARY_DATABASES,
    &backups::LOGMARKHISTORY,
    &backups::RESTOREFILE,
    &backups::RESTOREFILEGROUP,
    &backups::RESTOREHISTORY,
    &backups::SUSPECT_PAGES,
    &agent::SYSALERTS,
    &OF_ALERTS,
    &categories::SYSCATEGORIES,
    &agent::SYSDBMAINTPLANS,
    &agent::SYSDBMAINTPLAN_DATABASES,
    &agent::SYSDBMAINTPLAN_HISTORY,
    &agent::SYSDBMAINTPLAN_JOBS,
    &agent::SYSDOWNLOADLIST,
    &agent::SYSJOBACTIVITY,
    &agent::SYSJOBHISTORY,
    &agent::SYSJOBS,
    &agent::SYSJOBSCHEDULES,
    &agent::SYSJOBSERVERS,
    &agent::SYSJOBSTEPS,
    &agent::SYSJOBSTEPSLOGS,
    &agent::SYSJOBS_VIEW,
    &agent::SYSMAINTPLAN_LOG,
    &agent::SYSMAINTPLAN_LOGDETAIL,
    &agent::SYSMAINTPLAN_PLANS,
    &agent::SYSMAINTPLAN_SUBPLANS,
    &mail::SYSMAIL_ALLITEMS,
    &mail::SYSMAIL_EVENT_LOG,
    &mail::SYSMAIL_FAILEDITEMS,
    &mail::SYSMAIL_MAILATTACHMENTS,
    &mail::SYSMAIL_SENTITEMS,
    &mail::SYSMAIL_UNSENTITEMS,
    &agent::SYSNOTIFICATIONS,
    &agent::SYSOPERATORS,
    &policies::SYSPOLICY_CONDITIONS,
    &policies::SYSPOLICY_CONFIGURATION,
    &policies::SYSPOLICY_POLICIES,
    &policies::SYSPOLICY_POLICY_CATEGORIES,
    &policies::SYSPOLICY_POLICY_CATEGORY_SUBSCRIPTIONS,
    &policies::SYSPOLICY_POLICY_EXECUTION_HISTORY,
    &policies::SYSPOLICY_POLICY_EXECUTION_HISTORY_DETAILS,
    &policies::SYSPOLICY_SYSTEM_HEALTH_STATE,
    &agent::SYSPROXIES,
    &agent::SYSPROXYLOGIN,
    &agent::SYSPROXYSUBSYSTEM,
    &agent::SYSSCHEDULES,
    &agent::SYSSCHEDULES_LOCALSERVER_VIEW,
    &agent::SYSSESSIONS,
    &agent::SYSSSISPACKAGES,
    &agent::SYSORIGINATINGSERVERS_VIEW,
    &agent::SYSSUBSYSTEMS,
    &agent::SYSTARGETSERVERGROUPMEMBERS,
    &agent::SYSTARGETSERVERGROUPS,
    &agent::SYSTARGETSERVERS,
    &agent::SYSTASKIDS,
];
