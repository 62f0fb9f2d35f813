-- The tables of the Agent in msdb, their fixed rows and the Agent's database roles. A script, not procedures: it runs in
-- one batch in msdb, as dbo, before the first procedure of the Agent, and does nothing where all is there already.
IF OBJECT_ID(N'dbo.syscategories', N'U') IS NULL
    CREATE TABLE dbo.syscategories (
        category_id int NOT NULL CONSTRAINT pk_syscategories PRIMARY KEY,
        category_class int NOT NULL,
        category_type tinyint NOT NULL,
        name sysname NOT NULL,
        CONSTRAINT uq_syscategories UNIQUE (category_class, name)
    );

IF OBJECT_ID(N'dbo.syssubsystems', N'U') IS NULL
    CREATE TABLE dbo.syssubsystems (
        subsystem_id int NOT NULL CONSTRAINT pk_syssubsystems PRIMARY KEY,
        subsystem nvarchar(40) NOT NULL CONSTRAINT uq_syssubsystems UNIQUE,
        description_id int NULL,
        subsystem_dll nvarchar(255) NULL,
        agent_exe nvarchar(255) NULL,
        start_entry_point nvarchar(30) NULL,
        event_entry_point nvarchar(30) NULL,
        stop_entry_point nvarchar(30) NULL,
        max_worker_threads int NULL
    );

IF OBJECT_ID(N'dbo.sysjobs', N'U') IS NULL
    CREATE TABLE dbo.sysjobs (
        job_id uniqueidentifier NOT NULL CONSTRAINT pk_sysjobs PRIMARY KEY,
        originating_server_id int NOT NULL CONSTRAINT df_sysjobs_originating_server_id DEFAULT (0),
        name sysname NOT NULL CONSTRAINT uq_sysjobs UNIQUE,
        enabled tinyint NOT NULL CONSTRAINT df_sysjobs_enabled DEFAULT (1),
        description nvarchar(512) NULL,
        start_step_id int NOT NULL CONSTRAINT df_sysjobs_start_step_id DEFAULT (1),
        category_id int NOT NULL CONSTRAINT df_sysjobs_category_id DEFAULT (0),
        owner_sid varbinary(85) NOT NULL,
        notify_level_eventlog int NOT NULL CONSTRAINT df_sysjobs_notify_level_eventlog DEFAULT (2),
        notify_level_email int NOT NULL CONSTRAINT df_sysjobs_notify_level_email DEFAULT (0),
        notify_level_netsend int NOT NULL CONSTRAINT df_sysjobs_notify_level_netsend DEFAULT (0),
        notify_level_page int NOT NULL CONSTRAINT df_sysjobs_notify_level_page DEFAULT (0),
        notify_email_operator_id int NOT NULL CONSTRAINT df_sysjobs_notify_email_operator_id DEFAULT (0),
        notify_netsend_operator_id int NOT NULL CONSTRAINT df_sysjobs_notify_netsend_operator_id DEFAULT (0),
        notify_page_operator_id int NOT NULL CONSTRAINT df_sysjobs_notify_page_operator_id DEFAULT (0),
        delete_level int NOT NULL CONSTRAINT df_sysjobs_delete_level DEFAULT (0),
        date_created datetime NOT NULL CONSTRAINT df_sysjobs_date_created DEFAULT (GETDATE()),
        date_modified datetime NOT NULL CONSTRAINT df_sysjobs_date_modified DEFAULT (GETDATE()),
        version_number int NOT NULL CONSTRAINT df_sysjobs_version_number DEFAULT (1)
    );

IF OBJECT_ID(N'dbo.sysjobsteps', N'U') IS NULL
    CREATE TABLE dbo.sysjobsteps (
        job_id uniqueidentifier NOT NULL CONSTRAINT fk_sysjobsteps_sysjobs REFERENCES dbo.sysjobs (job_id),
        step_id int NOT NULL,
        step_name sysname NOT NULL,
        subsystem nvarchar(40) NOT NULL CONSTRAINT df_sysjobsteps_subsystem DEFAULT (N'TSQL'),
        command nvarchar(max) NULL,
        flags int NOT NULL CONSTRAINT df_sysjobsteps_flags DEFAULT (0),
        additional_parameters nvarchar(max) NULL,
        cmdexec_success_code int NOT NULL CONSTRAINT df_sysjobsteps_cmdexec_success_code DEFAULT (0),
        on_success_action tinyint NOT NULL CONSTRAINT df_sysjobsteps_on_success_action DEFAULT (1),
        on_success_step_id int NOT NULL CONSTRAINT df_sysjobsteps_on_success_step_id DEFAULT (0),
        on_fail_action tinyint NOT NULL CONSTRAINT df_sysjobsteps_on_fail_action DEFAULT (2),
        on_fail_step_id int NOT NULL CONSTRAINT df_sysjobsteps_on_fail_step_id DEFAULT (0),
        server sysname NULL,
        database_name sysname NULL,
        database_user_name sysname NULL,
        retry_attempts int NOT NULL CONSTRAINT df_sysjobsteps_retry_attempts DEFAULT (0),
        retry_interval int NOT NULL CONSTRAINT df_sysjobsteps_retry_interval DEFAULT (0),
        os_run_priority int NOT NULL CONSTRAINT df_sysjobsteps_os_run_priority DEFAULT (0),
        output_file_name nvarchar(200) NULL,
        last_run_outcome int NOT NULL CONSTRAINT df_sysjobsteps_last_run_outcome DEFAULT (0),
        last_run_duration int NOT NULL CONSTRAINT df_sysjobsteps_last_run_duration DEFAULT (0),
        last_run_retries int NOT NULL CONSTRAINT df_sysjobsteps_last_run_retries DEFAULT (0),
        last_run_date int NOT NULL CONSTRAINT df_sysjobsteps_last_run_date DEFAULT (0),
        last_run_time int NOT NULL CONSTRAINT df_sysjobsteps_last_run_time DEFAULT (0),
        proxy_id int NULL,
        step_uid uniqueidentifier NOT NULL CONSTRAINT df_sysjobsteps_step_uid DEFAULT (NEWID()),
        CONSTRAINT pk_sysjobsteps PRIMARY KEY (job_id, step_id),
        CONSTRAINT uq_sysjobsteps_step_name UNIQUE (job_id, step_name),
        CONSTRAINT uq_sysjobsteps_step_uid UNIQUE (step_uid)
    );

IF OBJECT_ID(N'dbo.sysjobstepslogs', N'U') IS NULL
    CREATE TABLE dbo.sysjobstepslogs (
        log_id int IDENTITY (1, 1) NOT NULL CONSTRAINT pk_sysjobstepslogs PRIMARY KEY,
        log nvarchar(max) NOT NULL,
        date_created datetime NOT NULL CONSTRAINT df_sysjobstepslogs_date_created DEFAULT (GETDATE()),
        date_modified datetime NOT NULL CONSTRAINT df_sysjobstepslogs_date_modified DEFAULT (GETDATE()),
        log_size int NOT NULL CONSTRAINT df_sysjobstepslogs_log_size DEFAULT (0),
        step_uid uniqueidentifier NOT NULL
    );

IF OBJECT_ID(N'dbo.sysschedules', N'U') IS NULL
    CREATE TABLE dbo.sysschedules (
        schedule_id int IDENTITY (1, 1) NOT NULL CONSTRAINT pk_sysschedules PRIMARY KEY,
        schedule_uid uniqueidentifier NOT NULL CONSTRAINT uq_sysschedules UNIQUE,
        originating_server_id int NOT NULL CONSTRAINT df_sysschedules_originating_server_id DEFAULT (0),
        name sysname NOT NULL,
        owner_sid varbinary(85) NOT NULL,
        enabled int NOT NULL CONSTRAINT df_sysschedules_enabled DEFAULT (1),
        freq_type int NOT NULL,
        freq_interval int NOT NULL CONSTRAINT df_sysschedules_freq_interval DEFAULT (0),
        freq_subday_type int NOT NULL CONSTRAINT df_sysschedules_freq_subday_type DEFAULT (0),
        freq_subday_interval int NOT NULL CONSTRAINT df_sysschedules_freq_subday_interval DEFAULT (0),
        freq_relative_interval int NOT NULL CONSTRAINT df_sysschedules_freq_relative_interval DEFAULT (0),
        freq_recurrence_factor int NOT NULL CONSTRAINT df_sysschedules_freq_recurrence_factor DEFAULT (0),
        active_start_date int NOT NULL,
        active_end_date int NOT NULL CONSTRAINT df_sysschedules_active_end_date DEFAULT (99991231),
        active_start_time int NOT NULL CONSTRAINT df_sysschedules_active_start_time DEFAULT (0),
        active_end_time int NOT NULL CONSTRAINT df_sysschedules_active_end_time DEFAULT (235959),
        date_created datetime NOT NULL CONSTRAINT df_sysschedules_date_created DEFAULT (GETDATE()),
        date_modified datetime NOT NULL CONSTRAINT df_sysschedules_date_modified DEFAULT (GETDATE()),
        version_number int NOT NULL CONSTRAINT df_sysschedules_version_number DEFAULT (1)
    );

IF OBJECT_ID(N'dbo.sysjobschedules', N'U') IS NULL
    CREATE TABLE dbo.sysjobschedules (
        schedule_id int NOT NULL CONSTRAINT fk_sysjobschedules_sysschedules REFERENCES dbo.sysschedules (schedule_id),
        job_id uniqueidentifier NOT NULL CONSTRAINT fk_sysjobschedules_sysjobs REFERENCES dbo.sysjobs (job_id),
        next_run_date int NOT NULL CONSTRAINT df_sysjobschedules_next_run_date DEFAULT (0),
        next_run_time int NOT NULL CONSTRAINT df_sysjobschedules_next_run_time DEFAULT (0),
        CONSTRAINT pk_sysjobschedules PRIMARY KEY (job_id, schedule_id)
    );

IF OBJECT_ID(N'dbo.sysjobservers', N'U') IS NULL
    CREATE TABLE dbo.sysjobservers (
        job_id uniqueidentifier NOT NULL CONSTRAINT fk_sysjobservers_sysjobs REFERENCES dbo.sysjobs (job_id),
        server_id int NOT NULL,
        last_run_outcome tinyint NOT NULL CONSTRAINT df_sysjobservers_last_run_outcome DEFAULT (5),
        last_outcome_message nvarchar(1024) NULL,
        last_run_date int NOT NULL CONSTRAINT df_sysjobservers_last_run_date DEFAULT (0),
        last_run_time int NOT NULL CONSTRAINT df_sysjobservers_last_run_time DEFAULT (0),
        last_run_duration int NOT NULL CONSTRAINT df_sysjobservers_last_run_duration DEFAULT (0),
        CONSTRAINT pk_sysjobservers PRIMARY KEY (job_id, server_id)
    );

IF OBJECT_ID(N'dbo.sysjobhistory', N'U') IS NULL
    CREATE TABLE dbo.sysjobhistory (
        instance_id int IDENTITY (1, 1) NOT NULL CONSTRAINT pk_sysjobhistory PRIMARY KEY,
        job_id uniqueidentifier NOT NULL,
        step_id int NOT NULL,
        step_name sysname NOT NULL,
        sql_message_id int NOT NULL CONSTRAINT df_sysjobhistory_sql_message_id DEFAULT (0),
        sql_severity int NOT NULL CONSTRAINT df_sysjobhistory_sql_severity DEFAULT (0),
        message nvarchar(4000) NULL,
        run_status int NOT NULL,
        run_date int NOT NULL,
        run_time int NOT NULL,
        run_duration int NOT NULL CONSTRAINT df_sysjobhistory_run_duration DEFAULT (0),
        operator_id_emailed int NOT NULL CONSTRAINT df_sysjobhistory_operator_id_emailed DEFAULT (0),
        operator_id_netsent int NOT NULL CONSTRAINT df_sysjobhistory_operator_id_netsent DEFAULT (0),
        operator_id_paged int NOT NULL CONSTRAINT df_sysjobhistory_operator_id_paged DEFAULT (0),
        retries_attempted int NOT NULL CONSTRAINT df_sysjobhistory_retries_attempted DEFAULT (0),
        server sysname NOT NULL,
        INDEX ix_sysjobhistory_job_id (job_id)
    );

IF OBJECT_ID(N'dbo.syssessions', N'U') IS NULL
    CREATE TABLE dbo.syssessions (
        session_id int IDENTITY (1, 1) NOT NULL CONSTRAINT pk_syssessions PRIMARY KEY,
        agent_start_date datetime NOT NULL
    );

IF OBJECT_ID(N'dbo.sysjobactivity', N'U') IS NULL
    CREATE TABLE dbo.sysjobactivity (
        session_id int NOT NULL,
        job_id uniqueidentifier NOT NULL,
        run_requested_date datetime NULL,
        run_requested_source sysname NULL,
        queued_date datetime NULL,
        start_execution_date datetime NULL,
        last_executed_step_id int NULL,
        last_executed_step_date datetime NULL,
        stop_execution_date datetime NULL,
        job_history_id int NULL,
        next_scheduled_run_date datetime NULL,
        CONSTRAINT pk_sysjobactivity PRIMARY KEY (session_id, job_id)
    );

IF OBJECT_ID(N'dbo.sysoperators', N'U') IS NULL
    CREATE TABLE dbo.sysoperators (
        id int IDENTITY (1, 1) NOT NULL CONSTRAINT pk_sysoperators PRIMARY KEY,
        name sysname NOT NULL CONSTRAINT uq_sysoperators UNIQUE,
        enabled tinyint NOT NULL CONSTRAINT df_sysoperators_enabled DEFAULT (1),
        email_address nvarchar(100) NULL,
        last_email_date int NOT NULL CONSTRAINT df_sysoperators_last_email_date DEFAULT (0),
        last_email_time int NOT NULL CONSTRAINT df_sysoperators_last_email_time DEFAULT (0),
        pager_address nvarchar(100) NULL,
        last_pager_date int NOT NULL CONSTRAINT df_sysoperators_last_pager_date DEFAULT (0),
        last_pager_time int NOT NULL CONSTRAINT df_sysoperators_last_pager_time DEFAULT (0),
        weekday_pager_start_time int NOT NULL CONSTRAINT df_sysoperators_weekday_start DEFAULT (90000),
        weekday_pager_end_time int NOT NULL CONSTRAINT df_sysoperators_weekday_end DEFAULT (180000),
        saturday_pager_start_time int NOT NULL CONSTRAINT df_sysoperators_saturday_start DEFAULT (90000),
        saturday_pager_end_time int NOT NULL CONSTRAINT df_sysoperators_saturday_end DEFAULT (180000),
        sunday_pager_start_time int NOT NULL CONSTRAINT df_sysoperators_sunday_start DEFAULT (90000),
        sunday_pager_end_time int NOT NULL CONSTRAINT df_sysoperators_sunday_end DEFAULT (180000),
        pager_days tinyint NOT NULL CONSTRAINT df_sysoperators_pager_days DEFAULT (0),
        netsend_address nvarchar(100) NULL,
        last_netsend_date int NOT NULL CONSTRAINT df_sysoperators_last_netsend_date DEFAULT (0),
        last_netsend_time int NOT NULL CONSTRAINT df_sysoperators_last_netsend_time DEFAULT (0),
        category_id int NOT NULL CONSTRAINT df_sysoperators_category_id DEFAULT (99)
    );

IF OBJECT_ID(N'dbo.sysalerts', N'U') IS NULL
    CREATE TABLE dbo.sysalerts (
        id int IDENTITY (1, 1) NOT NULL CONSTRAINT pk_sysalerts PRIMARY KEY,
        name sysname NOT NULL CONSTRAINT uq_sysalerts UNIQUE,
        event_source nvarchar(100) NOT NULL CONSTRAINT df_sysalerts_event_source DEFAULT (N'MSSQLSERVER'),
        event_category_id int NULL,
        event_id int NULL,
        message_id int NOT NULL CONSTRAINT df_sysalerts_message_id DEFAULT (0),
        severity int NOT NULL CONSTRAINT df_sysalerts_severity DEFAULT (0),
        enabled tinyint NOT NULL CONSTRAINT df_sysalerts_enabled DEFAULT (1),
        delay_between_responses int NOT NULL CONSTRAINT df_sysalerts_delay_between_responses DEFAULT (0),
        last_occurrence_date int NOT NULL CONSTRAINT df_sysalerts_last_occurrence_date DEFAULT (0),
        last_occurrence_time int NOT NULL CONSTRAINT df_sysalerts_last_occurrence_time DEFAULT (0),
        last_response_date int NOT NULL CONSTRAINT df_sysalerts_last_response_date DEFAULT (0),
        last_response_time int NOT NULL CONSTRAINT df_sysalerts_last_response_time DEFAULT (0),
        notification_message nvarchar(512) NULL,
        include_event_description tinyint NOT NULL CONSTRAINT df_sysalerts_include_event_description DEFAULT (5),
        database_name nvarchar(512) NULL,
        event_description_keyword nvarchar(100) NULL,
        occurrence_count int NOT NULL CONSTRAINT df_sysalerts_occurrence_count DEFAULT (0),
        count_reset_date int NOT NULL CONSTRAINT df_sysalerts_count_reset_date DEFAULT (0),
        count_reset_time int NOT NULL CONSTRAINT df_sysalerts_count_reset_time DEFAULT (0),
        job_id uniqueidentifier NOT NULL CONSTRAINT df_sysalerts_job_id DEFAULT ('00000000-0000-0000-0000-000000000000'),
        has_notification int NOT NULL CONSTRAINT df_sysalerts_has_notification DEFAULT (0),
        flags int NOT NULL CONSTRAINT df_sysalerts_flags DEFAULT (0),
        performance_condition nvarchar(512) NULL,
        category_id int NOT NULL CONSTRAINT df_sysalerts_category_id DEFAULT (98)
    );

IF OBJECT_ID(N'dbo.sysnotifications', N'U') IS NULL
    CREATE TABLE dbo.sysnotifications (
        alert_id int NOT NULL,
        operator_id int NOT NULL,
        notification_method tinyint NOT NULL,
        CONSTRAINT pk_sysnotifications PRIMARY KEY (alert_id, operator_id)
    );

IF OBJECT_ID(N'dbo.sysproxies', N'U') IS NULL
    CREATE TABLE dbo.sysproxies (
        proxy_id int IDENTITY (1, 1) NOT NULL CONSTRAINT pk_sysproxies PRIMARY KEY,
        name sysname NOT NULL CONSTRAINT uq_sysproxies UNIQUE,
        credential_id int NOT NULL,
        enabled tinyint NOT NULL CONSTRAINT df_sysproxies_enabled DEFAULT (1),
        description nvarchar(512) NULL,
        user_sid varbinary(85) NOT NULL,
        credential_date_created datetime NOT NULL
    );

IF OBJECT_ID(N'dbo.sysproxylogin', N'U') IS NULL
    CREATE TABLE dbo.sysproxylogin (
        proxy_id int NOT NULL,
        sid varbinary(85) NULL,
        principal_id int NULL,
        flags int NOT NULL CONSTRAINT df_sysproxylogin_flags DEFAULT (0)
    );

IF OBJECT_ID(N'dbo.sysproxysubsystem', N'U') IS NULL
    CREATE TABLE dbo.sysproxysubsystem (
        subsystem_id int NOT NULL,
        proxy_id int NOT NULL,
        CONSTRAINT pk_sysproxysubsystem PRIMARY KEY (subsystem_id, proxy_id)
    );

-- Dynamic, since the names were views when the batch began.
EXEC (N'
SET NOCOUNT ON;
INSERT INTO dbo.syscategories (category_id, category_class, category_type, name)
SELECT f.category_id, f.category_class, f.category_type, f.name
FROM (VALUES
    (0, 1, 1, N''[Uncategorized (Local)]''),
    (1, 1, 1, N''Jobs from MSX''),
    (2, 1, 2, N''[Uncategorized (Multi-Server)]''),
    (3, 1, 1, N''Database Maintenance''),
    (5, 1, 1, N''Full-Text''),
    (6, 1, 1, N''Log Shipping''),
    (7, 1, 1, N''Database Engine Tuning Advisor''),
    (8, 1, 1, N''Data Collector''),
    (10, 1, 1, N''REPL-Distribution''),
    (11, 1, 1, N''REPL-Distribution Cleanup''),
    (12, 1, 1, N''REPL-History Cleanup''),
    (13, 1, 1, N''REPL-LogReader''),
    (14, 1, 1, N''REPL-Merge''),
    (15, 1, 1, N''REPL-Snapshot''),
    (16, 1, 1, N''REPL-Checkup''),
    (17, 1, 1, N''REPL-Subscription Cleanup''),
    (18, 1, 1, N''REPL-Alert Response''),
    (19, 1, 1, N''REPL-QueueReader''),
    (20, 2, 3, N''Replication''),
    (98, 2, 3, N''[Uncategorized]''),
    (99, 3, 3, N''[Uncategorized]'')
) AS f (category_id, category_class, category_type, name)
WHERE NOT EXISTS (SELECT * FROM dbo.syscategories AS c WHERE c.category_id = f.category_id);

-- Only TSQL runs at this server; the others are known by name, without a library and without threads.
INSERT INTO dbo.syssubsystems (subsystem_id, subsystem, description_id, subsystem_dll, agent_exe, start_entry_point,
    event_entry_point, stop_entry_point, max_worker_threads)
SELECT f.subsystem_id, f.subsystem, f.description_id, f.internal, f.internal, f.internal, f.internal, f.internal, f.threads
FROM (VALUES
    (1, N''TSQL'', 14556, N''[Internal]'', 20),
    (2, N''ActiveScripting'', 14555, NULL, 0),
    (3, N''CmdExec'', 14550, NULL, 0),
    (4, N''Snapshot'', 14551, NULL, 0),
    (5, N''LogReader'', 14552, NULL, 0),
    (6, N''Distribution'', 14553, NULL, 0),
    (7, N''Merge'', 14554, NULL, 0),
    (8, N''QueueReader'', 14581, NULL, 0),
    (9, N''ANALYSISQUERY'', 14513, NULL, 0),
    (10, N''ANALYSISCOMMAND'', 14514, NULL, 0),
    (11, N''SSIS'', 14538, NULL, 0),
    (12, N''PowerShell'', 14698, NULL, 0)
) AS f (subsystem_id, subsystem, description_id, internal, threads)
WHERE NOT EXISTS (SELECT * FROM dbo.syssubsystems AS s WHERE s.subsystem_id = f.subsystem_id);
');

IF OBJECT_ID(N'dbo.sysjobs_view', N'V') IS NULL OR OBJECT_ID(N'dbo.sysjobs_view', N'V') < 0
    EXEC (N'
CREATE VIEW dbo.sysjobs_view AS
SELECT job_id, CAST(@@SERVERNAME AS sysname) AS originating_server, name, enabled, description, start_step_id, category_id, owner_sid,
    notify_level_eventlog, notify_level_email, notify_level_netsend, notify_level_page, notify_email_operator_id,
    notify_netsend_operator_id, notify_page_operator_id, delete_level, date_created, date_modified, version_number,
    originating_server_id, CAST(0 AS bit) AS master_server
FROM dbo.sysjobs
WHERE owner_sid = SUSER_SID() OR IS_SRVROLEMEMBER(N''sysadmin'') = 1 OR IS_MEMBER(N''SQLAgentReaderRole'') = 1
');
IF OBJECT_ID(N'dbo.sysschedules_localserver_view', N'V') IS NULL OR OBJECT_ID(N'dbo.sysschedules_localserver_view', N'V') < 0
    EXEC (N'
CREATE VIEW dbo.sysschedules_localserver_view AS
SELECT schedule_id, schedule_uid, originating_server_id, name, owner_sid, enabled, freq_type, freq_interval, freq_subday_type,
    freq_subday_interval, freq_relative_interval, freq_recurrence_factor, active_start_date, active_end_date, active_start_time,
    active_end_time, date_created, date_modified, version_number, CAST(@@SERVERNAME AS sysname) AS originating_server,
    CAST(0 AS bit) AS master_server
FROM dbo.sysschedules
WHERE owner_sid = SUSER_SID() OR IS_SRVROLEMEMBER(N''sysadmin'') = 1 OR IS_MEMBER(N''SQLAgentReaderRole'') = 1
');
IF DATABASE_PRINCIPAL_ID(N'SQLAgentUserRole') IS NULL
    CREATE ROLE SQLAgentUserRole AUTHORIZATION dbo;
EXEC (N'GRANT SELECT ON dbo.sysjobs_view TO SQLAgentUserRole;
GRANT SELECT ON dbo.sysschedules_localserver_view TO SQLAgentUserRole;');
IF DATABASE_PRINCIPAL_ID(N'SQLAgentReaderRole') IS NULL
BEGIN
    CREATE ROLE SQLAgentReaderRole AUTHORIZATION dbo;
    ALTER ROLE SQLAgentUserRole ADD MEMBER SQLAgentReaderRole;
END
IF DATABASE_PRINCIPAL_ID(N'SQLAgentOperatorRole') IS NULL
BEGIN
    CREATE ROLE SQLAgentOperatorRole AUTHORIZATION dbo;
    ALTER ROLE SQLAgentReaderRole ADD MEMBER SQLAgentOperatorRole;
END
