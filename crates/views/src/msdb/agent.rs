//! The Agent: jobs with their steps, schedules and history, alerts, operators, proxies, target servers; maintenance plans.

use millpond_catalog::run::Run;
use millpond_catalog::system_view::ViewDef;
use millpond_types::DateTime;

use crate::catalog::nothing::nothing;
use crate::columns::{Guid, NVarChar, NVarCharMax, Sysname, VarBinary, VarBinaryMax, text};
use crate::row::{Rows, ViewRows, row, view};

nothing! {
    in "dbo":
    CDC_JOBS CdcJobs "cdc_jobs" { database_id: i32, job_type: NVarChar<20>, job_id: Guid, maxtrans: i32,
        maxscans: i32, continuous: bool, pollinginterval: i64, retention: i64, threshold: i64, }
    SYSMAINTPLAN_LOG SysmaintplanLog "sysmaintplan_log" { task_detail_id: Guid, plan_id: Guid, subplan_id: Guid,
        start_time: DateTime, end_time: DateTime, succeeded: bool, logged_remotely: bool, source_server_name: Sysname,
        plan_name: Sysname, subplan_name: Sysname, }
    SYSMAINTPLAN_LOGDETAIL SysmaintplanLogdetail "sysmaintplan_logdetail" { task_detail_id: Guid, line1: NVarChar<256>,
        line2: NVarChar<256>, line3: NVarChar<256>, line4: NVarChar<256>, line5: NVarChar<256>,
        server_name: Sysname, start_time: DateTime, end_time: DateTime, error_number: i32,
        error_message: NVarCharMax, command: NVarCharMax, succeeded: bool, }
    SYSMAINTPLAN_PLANS SysmaintplanPlans "sysmaintplan_plans" { id: Guid, name: Sysname, description: NVarChar<1024>,
        create_date: DateTime, owner: Sysname, version_major: i32, version_minor: i32, version_build: i32, version_comments: NVarChar<1024>,
        from_msx: bool, has_targets: bool, }
    SYSMAINTPLAN_SUBPLANS SysmaintplanSubplans "sysmaintplan_subplans" { subplan_id: Guid, subplan_name: Sysname,
        subplan_description: NVarChar<512>, plan_id: Guid, job_id: Guid, msx_job_id: Guid, schedule_id: i32,
        msx_plan: bool, }
    SYSSSISPACKAGES Sysssispackages "sysssispackages" { name: Sysname, id: Guid, description: NVarChar<1024>,
        createdate: DateTime, folderid: Guid, ownersid: VarBinary<85>, packagedata: VarBinaryMax, packageformat: i32,
        packagetype: i32, vermajor: i32, verminor: i32, verbuild: i32, vercomments: NVarChar<1024>, verid: Guid,
        isencrypted: bool, readrolesid: VarBinary<85>, writerolesid: VarBinary<85>, }
    SYSALERTS Sysalerts "sysalerts" { id: i32, name: Sysname, event_source: NVarChar<100>, event_category_id: i32,
        event_id: i32, message_id: i32, severity: i32, enabled: u8, delay_between_responses: i32,
        last_occurrence_date: i32, last_occurrence_time: i32, last_response_date: i32, last_response_time: i32,
        notification_message: NVarChar<512>, include_event_description: u8, database_name: NVarChar<512>,
        event_description_keyword: NVarChar<100>, occurrence_count: i32, count_reset_date: i32,
        count_reset_time: i32, job_id: Guid, has_notification: i32, flags: i32, performance_condition: NVarChar<512>,
        category_id: i32, }
    SYSDBMAINTPLAN_DATABASES SysdbmaintplanDatabases "sysdbmaintplan_databases" { plan_id: Guid,
        database_name: Sysname, }
    SYSDBMAINTPLAN_HISTORY SysdbmaintplanHistory "sysdbmaintplan_history" { sequence_id: i32, plan_id: Guid,
        plan_name: Sysname, database_name: Sysname, server_name: Sysname, activity: NVarChar<128>, succeeded: bool,
        end_time: DateTime, duration: i32, start_time: DateTime, error_number: i32, message: NVarChar<512>, }
    SYSDBMAINTPLAN_JOBS SysdbmaintplanJobs "sysdbmaintplan_jobs" { plan_id: Guid, job_id: Guid, }
    SYSDBMAINTPLANS Sysdbmaintplans "sysdbmaintplans" { plan_id: Guid, plan_name: Sysname, date_created: DateTime,
        owner: Sysname, max_history_rows: i32, remote_history_server: Sysname, max_remote_history_rows: i32,
        user_defined_1: i32, user_defined_2: NVarChar<100>, user_defined_3: DateTime, user_defined_4: Guid,
        log_shipping: bool, }
    SYSDOWNLOADLIST Sysdownloadlist "sysdownloadlist" { instance_id: i32, source_server: Sysname, operation_code: u8,
        object_type: u8, target_server: Sysname, error_message: NVarChar<1024>, date_posted: DateTime,
        date_downloaded: DateTime, status: u8, deleted_object_name: Sysname, }
    SYSJOBACTIVITY Sysjobactivity "sysjobactivity" { session_id: i32, job_id: Guid, run_requested_date: DateTime,
        run_requested_source: Sysname, queued_date: DateTime, start_execution_date: DateTime,
        last_executed_step_id: i32, last_executed_step_date: DateTime, stop_execution_date: DateTime, job_history_id: i32,
        next_scheduled_run_date: DateTime, }
    SYSJOBHISTORY Sysjobhistory "sysjobhistory" { instance_id: i32, job_id: Guid, step_id: i32, step_name: Sysname,
        sql_message_id: i32, sql_severity: i32, message: NVarChar<4000>, run_status: i32, run_date: i32,
        run_time: i32, run_duration: i32, operator_id_emailed: i32, operator_id_netsent: i32, operator_id_paged: i32,
        retries_attempted: i32, server: Sysname, }
    SYSJOBS Sysjobs "sysjobs" { job_id: Guid, originating_server_id: i32, name: Sysname, enabled: u8,
        description: NVarChar<512>, start_step_id: i32, category_id: i32, owner_sid: VarBinary<85>,
        notify_level_eventlog: i32, notify_level_email: i32, notify_level_netsend: i32, notify_level_page: i32,
        notify_email_operator_id: i32, notify_netsend_operator_id: i32, notify_page_operator_id: i32,
        delete_level: i32, date_created: DateTime, date_modified: DateTime, version_number: i32, }
    SYSJOBS_VIEW SysjobsView "sysjobs_view" { job_id: Guid, originating_server: Sysname, name: Sysname, enabled: u8,
        description: NVarChar<512>, start_step_id: i32, category_id: i32, owner_sid: VarBinary<85>,
        notify_level_eventlog: i32, notify_level_email: i32, notify_level_netsend: i32, notify_level_page: i32,
        notify_email_operator_id: i32, notify_netsend_operator_id: i32, notify_page_operator_id: i32,
        delete_level: i32, date_created: DateTime, date_modified: DateTime, version_number: i32,
        originating_server_id: i32, master_server: bool, }
    SYSJOBSCHEDULES Sysjobschedules "sysjobschedules" { schedule_id: i32, job_id: Guid, next_run_date: i32,
        next_run_time: i32, }
    SYSJOBSERVERS Sysjobservers "sysjobservers" { job_id: Guid, server_id: i32, last_run_outcome: u8,
        last_outcome_message: NVarChar<1024>, last_run_date: i32, last_run_time: i32, last_run_duration: i32, }
    SYSJOBSTEPS Sysjobsteps "sysjobsteps" { job_id: Guid, step_id: i32, step_name: Sysname, subsystem: NVarChar<40>,
        command: NVarCharMax, flags: i32, additional_parameters: NVarCharMax, cmdexec_success_code: i32,
        on_success_action: u8, on_success_step_id: i32, on_fail_action: u8, on_fail_step_id: i32, server: Sysname,
        database_name: Sysname, database_user_name: Sysname, retry_attempts: i32, retry_interval: i32,
        os_run_priority: i32, output_file_name: NVarChar<200>, last_run_outcome: i32, last_run_duration: i32,
        last_run_retries: i32, last_run_date: i32, last_run_time: i32, proxy_id: i32, step_uid: Guid, }
    SYSJOBSTEPSLOGS Sysjobstepslogs "sysjobstepslogs" { log_id: i32, log: NVarCharMax, date_created: DateTime,
        date_modified: DateTime, log_size: i32, step_uid: Guid, }
    SYSNOTIFICATIONS Sysnotifications "sysnotifications" { alert_id: i32, operator_id: i32, notification_method: u8,
        }
    SYSOPERATORS Sysoperators "sysoperators" { id: i32, name: Sysname, enabled: u8, email_address: NVarChar<100>,
        last_email_date: i32, last_email_time: i32, pager_address: NVarChar<100>, last_pager_date: i32,
        last_pager_time: i32, weekday_pager_start_time: i32, weekday_pager_end_time: i32,
        saturday_pager_start_time: i32, saturday_pager_end_time: i32, sunday_pager_start_time: i32,
        sunday_pager_end_time: i32, pager_days: u8, netsend_address: NVarChar<100>, last_netsend_date: i32,
        last_netsend_time: i32, category_id: i32, }
    SYSPROXIES Sysproxies "sysproxies" { proxy_id: i32, name: Sysname, credential_id: i32, enabled: u8,
        description: NVarChar<512>, user_sid: VarBinary<85>, credential_date_created: DateTime, }
    SYSPROXYLOGIN Sysproxylogin "sysproxylogin" { proxy_id: i32, sid: VarBinary<85>, principal_id: i32, flags: i32, }
    SYSPROXYSUBSYSTEM Sysproxysubsystem "sysproxysubsystem" { subsystem_id: i32, proxy_id: i32, }
    SYSSCHEDULES Sysschedules "sysschedules" { schedule_id: i32, schedule_uid: Guid, originating_server_id: i32,
        name: Sysname, owner_sid: VarBinary<85>, enabled: i32, freq_type: i32, freq_interval: i32,
        freq_subday_type: i32, freq_subday_interval: i32, freq_relative_interval: i32, freq_recurrence_factor: i32,
        active_start_date: i32,
        active_end_date: i32, active_start_time: i32, active_end_time: i32, date_created: DateTime,
        date_modified: DateTime, version_number: i32, }
    SYSSCHEDULES_LOCALSERVER_VIEW SysschedulesLocalserverView "sysschedules_localserver_view" { schedule_id: i32,
        schedule_uid: Guid, originating_server_id: i32, name: Sysname, owner_sid: VarBinary<85>, enabled: i32,
        freq_type: i32, freq_interval: i32, freq_subday_type: i32, freq_subday_interval: i32,
        freq_relative_interval: i32, freq_recurrence_factor: i32, active_start_date: i32, active_end_date: i32,
        active_start_time: i32, active_end_time: i32, date_created: DateTime, date_modified: DateTime,
        version_number: i32, originating_server: Sysname, master_server: bool, }
    SYSSESSIONS Syssessions "syssessions" { session_id: i32, agent_start_date: DateTime, }
    SYSSUBSYSTEMS Syssubsystems "syssubsystems" { subsystem_id: i32, subsystem: NVarChar<40>, description_id: i32,
        subsystem_dll: NVarChar<255>, agent_exe: NVarChar<255>, start_entry_point: NVarChar<30>,
        event_entry_point: NVarChar<30>, stop_entry_point: NVarChar<30>, max_worker_threads: i32, }
    SYSTARGETSERVERGROUPMEMBERS Systargetservergroupmembers "systargetservergroupmembers" { servergroup_id: i32,
        server_id: i32, }
    SYSTARGETSERVERGROUPS Systargetservergroups "systargetservergroups" { servergroup_id: i32, name: Sysname, }
    SYSTARGETSERVERS Systargetservers "systargetservers" { server_id: i32, server_name: Sysname,
        location: NVarChar<200>, time_zone_adjustment: i32, enlist_date: DateTime, last_poll_date: DateTime,
        status: i32, local_time_at_last_poll: DateTime, enlisted_by_nt_user: NVarChar<100>, poll_interval: i32, }
    SYSTASKIDS Systaskids "systaskids" { task_id: i32, job_id: Guid, }
}

row! {
    /// A row of `dbo.sysoriginatingservers_view`.
    struct SysoriginatingserversView {
        originating_server_id: i32,
        originating_server: Sysname,
        master_server: bool,
    }
}

/// `dbo.sysoriginatingservers_view`: jobs come from this server alone.
pub(super) static SYSORIGINATINGSERVERS_VIEW: ViewDef = view(
    "dbo",
    "sysoriginatingservers_view",
    &ViewRows(|ctx, _| {
        Ok(Rows::one(SysoriginatingserversView {
            originating_server_id: 0,
            originating_server: text(&ctx.catalog().server().server_name()),
            master_server: false,
        }))
    }),
);
