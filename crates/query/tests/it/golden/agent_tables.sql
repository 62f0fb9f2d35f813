-- The Agent's tables in msdb: they are there after the first call of one of its procedures, with their fixed rows and roles.
EXEC msdb.dbo.sp_help_category @class = 'OPERATOR';
SELECT name FROM msdb.sys.tables
WHERE name IN ('syscategories', 'sysjobs', 'sysjobsteps', 'sysschedules', 'sysjobschedules', 'sysjobservers', 'sysjobhistory',
    'sysjobactivity', 'syssessions', 'sysjobstepslogs', 'sysoperators', 'sysalerts', 'sysnotifications', 'sysproxies',
    'sysproxylogin', 'sysproxysubsystem', 'syssubsystems')
ORDER BY name;
GO
--> [category_id:int | category_type:tinyint | name:nvarchar(128)]
--> 99 | 3 | [Uncategorized]
--> [name:nvarchar(128)]
--> sysalerts
--> syscategories
--> sysjobactivity
--> sysjobhistory
--> sysjobs
--> sysjobschedules
--> sysjobservers
--> sysjobsteps
--> sysjobstepslogs
--> sysnotifications
--> sysoperators
--> sysproxies
--> sysproxylogin
--> sysproxysubsystem
--> sysschedules
--> syssessions
--> syssubsystems
--> (17 rows affected)
SELECT category_id, category_class, category_type, name FROM msdb.dbo.syscategories ORDER BY category_id;
SELECT subsystem_id, subsystem, description_id, subsystem_dll, max_worker_threads FROM msdb.dbo.syssubsystems ORDER BY subsystem_id;
GO
--> [category_id:int | category_class:int | category_type:tinyint | name:nvarchar(128)]
--> 0 | 1 | 1 | [Uncategorized (Local)]
--> 1 | 1 | 1 | Jobs from MSX
--> 2 | 1 | 2 | [Uncategorized (Multi-Server)]
--> 3 | 1 | 1 | Database Maintenance
--> 5 | 1 | 1 | Full-Text
--> 6 | 1 | 1 | Log Shipping
--> 7 | 1 | 1 | Database Engine Tuning Advisor
--> 8 | 1 | 1 | Data Collector
--> 10 | 1 | 1 | REPL-Distribution
--> 11 | 1 | 1 | REPL-Distribution Cleanup
--> 12 | 1 | 1 | REPL-History Cleanup
--> 13 | 1 | 1 | REPL-LogReader
--> 14 | 1 | 1 | REPL-Merge
--> 15 | 1 | 1 | REPL-Snapshot
--> 16 | 1 | 1 | REPL-Checkup
--> 17 | 1 | 1 | REPL-Subscription Cleanup
--> 18 | 1 | 1 | REPL-Alert Response
--> 19 | 1 | 1 | REPL-QueueReader
--> 20 | 2 | 3 | Replication
--> 98 | 2 | 3 | [Uncategorized]
--> 99 | 3 | 3 | [Uncategorized]
--> (21 rows affected)
--> [subsystem_id:int | subsystem:nvarchar(40) | description_id:int | subsystem_dll:nvarchar(255) | max_worker_threads:int]
--> 1 | TSQL | 14556 | [Internal] | 20
--> 2 | ActiveScripting | 14555 | NULL | 0
--> 3 | CmdExec | 14550 | NULL | 0
--> 4 | Snapshot | 14551 | NULL | 0
--> 5 | LogReader | 14552 | NULL | 0
--> 6 | Distribution | 14553 | NULL | 0
--> 7 | Merge | 14554 | NULL | 0
--> 8 | QueueReader | 14581 | NULL | 0
--> 9 | ANALYSISQUERY | 14513 | NULL | 0
--> 10 | ANALYSISCOMMAND | 14514 | NULL | 0
--> 11 | SSIS | 14538 | NULL | 0
--> 12 | PowerShell | 14698 | NULL | 0
--> (12 rows affected)
SELECT r.name AS role, m.name AS member
FROM msdb.sys.database_principals AS r
    LEFT JOIN msdb.sys.database_role_members AS x ON x.role_principal_id = r.principal_id
    LEFT JOIN msdb.sys.database_principals AS m ON m.principal_id = x.member_principal_id
WHERE r.name LIKE 'SQLAgent%Role'
ORDER BY r.name;
GO
--> [role:nvarchar(128) | member:nvarchar(128)]
--> SQLAgentOperatorRole | NULL
--> SQLAgentReaderRole | SQLAgentOperatorRole
--> SQLAgentUserRole | SQLAgentReaderRole
--> (3 rows affected)
-- a second call changes nothing
EXEC msdb.dbo.sp_help_category @class = 'ALERT', @suffix = 1;
SELECT COUNT(*) AS categories FROM msdb.dbo.syscategories;
GO
--> [category_id:int | category_type:nvarchar(128) | name:nvarchar(128)]
--> 98 | NONE | [Uncategorized]
--> 20 | NONE | Replication
--> [categories:int]
--> 21
--> (1 rows affected)
-- the columns, which the views of these names had before
SELECT t.name AS [table], c.name, TYPE_NAME(c.user_type_id) AS type, c.max_length, c.is_nullable, c.is_identity
FROM msdb.sys.tables AS t JOIN msdb.sys.columns AS c ON c.object_id = t.object_id
WHERE t.name IN ('sysjobs', 'sysjobsteps', 'sysschedules', 'sysjobschedules', 'sysjobservers', 'sysjobhistory', 'sysjobactivity')
ORDER BY t.name, c.column_id;
GO
--> [table:nvarchar(128) | name:nvarchar(128) | type:nvarchar(128) | max_length:smallint | is_nullable:bit | is_identity:bit]
--> sysjobactivity | session_id | int | 4 | 0 | 0
--> sysjobactivity | job_id | uniqueidentifier | 16 | 0 | 0
--> sysjobactivity | run_requested_date | datetime | 8 | 1 | 0
--> sysjobactivity | run_requested_source | sysname | 256 | 1 | 0
--> sysjobactivity | queued_date | datetime | 8 | 1 | 0
--> sysjobactivity | start_execution_date | datetime | 8 | 1 | 0
--> sysjobactivity | last_executed_step_id | int | 4 | 1 | 0
--> sysjobactivity | last_executed_step_date | datetime | 8 | 1 | 0
--> sysjobactivity | stop_execution_date | datetime | 8 | 1 | 0
--> sysjobactivity | job_history_id | int | 4 | 1 | 0
--> sysjobactivity | next_scheduled_run_date | datetime | 8 | 1 | 0
--> sysjobhistory | instance_id | int | 4 | 0 | 1
--> sysjobhistory | job_id | uniqueidentifier | 16 | 0 | 0
--> sysjobhistory | step_id | int | 4 | 0 | 0
--> sysjobhistory | step_name | sysname | 256 | 0 | 0
--> sysjobhistory | sql_message_id | int | 4 | 0 | 0
--> sysjobhistory | sql_severity | int | 4 | 0 | 0
--> sysjobhistory | message | nvarchar | 8000 | 1 | 0
--> sysjobhistory | run_status | int | 4 | 0 | 0
--> sysjobhistory | run_date | int | 4 | 0 | 0
--> sysjobhistory | run_time | int | 4 | 0 | 0
--> sysjobhistory | run_duration | int | 4 | 0 | 0
--> sysjobhistory | operator_id_emailed | int | 4 | 0 | 0
--> sysjobhistory | operator_id_netsent | int | 4 | 0 | 0
--> sysjobhistory | operator_id_paged | int | 4 | 0 | 0
--> sysjobhistory | retries_attempted | int | 4 | 0 | 0
--> sysjobhistory | server | sysname | 256 | 0 | 0
--> sysjobs | job_id | uniqueidentifier | 16 | 0 | 0
--> sysjobs | originating_server_id | int | 4 | 0 | 0
--> sysjobs | name | sysname | 256 | 0 | 0
--> sysjobs | enabled | tinyint | 1 | 0 | 0
--> sysjobs | description | nvarchar | 1024 | 1 | 0
--> sysjobs | start_step_id | int | 4 | 0 | 0
--> sysjobs | category_id | int | 4 | 0 | 0
--> sysjobs | owner_sid | varbinary | 85 | 0 | 0
--> sysjobs | notify_level_eventlog | int | 4 | 0 | 0
--> sysjobs | notify_level_email | int | 4 | 0 | 0
--> sysjobs | notify_level_netsend | int | 4 | 0 | 0
--> sysjobs | notify_level_page | int | 4 | 0 | 0
--> sysjobs | notify_email_operator_id | int | 4 | 0 | 0
--> sysjobs | notify_netsend_operator_id | int | 4 | 0 | 0
--> sysjobs | notify_page_operator_id | int | 4 | 0 | 0
--> sysjobs | delete_level | int | 4 | 0 | 0
--> sysjobs | date_created | datetime | 8 | 0 | 0
--> sysjobs | date_modified | datetime | 8 | 0 | 0
--> sysjobs | version_number | int | 4 | 0 | 0
--> sysjobschedules | schedule_id | int | 4 | 0 | 0
--> sysjobschedules | job_id | uniqueidentifier | 16 | 0 | 0
--> sysjobschedules | next_run_date | int | 4 | 0 | 0
--> sysjobschedules | next_run_time | int | 4 | 0 | 0
--> sysjobservers | job_id | uniqueidentifier | 16 | 0 | 0
--> sysjobservers | server_id | int | 4 | 0 | 0
--> sysjobservers | last_run_outcome | tinyint | 1 | 0 | 0
--> sysjobservers | last_outcome_message | nvarchar | 2048 | 1 | 0
--> sysjobservers | last_run_date | int | 4 | 0 | 0
--> sysjobservers | last_run_time | int | 4 | 0 | 0
--> sysjobservers | last_run_duration | int | 4 | 0 | 0
--> sysjobsteps | job_id | uniqueidentifier | 16 | 0 | 0
--> sysjobsteps | step_id | int | 4 | 0 | 0
--> sysjobsteps | step_name | sysname | 256 | 0 | 0
--> sysjobsteps | subsystem | nvarchar | 80 | 0 | 0
--> sysjobsteps | command | nvarchar | -1 | 1 | 0
--> sysjobsteps | flags | int | 4 | 0 | 0
--> sysjobsteps | additional_parameters | nvarchar | -1 | 1 | 0
--> sysjobsteps | cmdexec_success_code | int | 4 | 0 | 0
--> sysjobsteps | on_success_action | tinyint | 1 | 0 | 0
--> sysjobsteps | on_success_step_id | int | 4 | 0 | 0
--> sysjobsteps | on_fail_action | tinyint | 1 | 0 | 0
--> sysjobsteps | on_fail_step_id | int | 4 | 0 | 0
--> sysjobsteps | server | sysname | 256 | 1 | 0
--> sysjobsteps | database_name | sysname | 256 | 1 | 0
--> sysjobsteps | database_user_name | sysname | 256 | 1 | 0
--> sysjobsteps | retry_attempts | int | 4 | 0 | 0
--> sysjobsteps | retry_interval | int | 4 | 0 | 0
--> sysjobsteps | os_run_priority | int | 4 | 0 | 0
--> sysjobsteps | output_file_name | nvarchar | 400 | 1 | 0
--> sysjobsteps | last_run_outcome | int | 4 | 0 | 0
--> sysjobsteps | last_run_duration | int | 4 | 0 | 0
--> sysjobsteps | last_run_retries | int | 4 | 0 | 0
--> sysjobsteps | last_run_date | int | 4 | 0 | 0
--> sysjobsteps | last_run_time | int | 4 | 0 | 0
--> sysjobsteps | proxy_id | int | 4 | 1 | 0
--> sysjobsteps | step_uid | uniqueidentifier | 16 | 0 | 0
--> sysschedules | schedule_id | int | 4 | 0 | 1
--> sysschedules | schedule_uid | uniqueidentifier | 16 | 0 | 0
--> sysschedules | originating_server_id | int | 4 | 0 | 0
--> sysschedules | name | sysname | 256 | 0 | 0
--> sysschedules | owner_sid | varbinary | 85 | 0 | 0
--> sysschedules | enabled | int | 4 | 0 | 0
--> sysschedules | freq_type | int | 4 | 0 | 0
--> sysschedules | freq_interval | int | 4 | 0 | 0
--> sysschedules | freq_subday_type | int | 4 | 0 | 0
--> sysschedules | freq_subday_interval | int | 4 | 0 | 0
--> sysschedules | freq_relative_interval | int | 4 | 0 | 0
--> sysschedules | freq_recurrence_factor | int | 4 | 0 | 0
--> sysschedules | active_start_date | int | 4 | 0 | 0
--> sysschedules | active_end_date | int | 4 | 0 | 0
--> sysschedules | active_start_time | int | 4 | 0 | 0
--> sysschedules | active_end_time | int | 4 | 0 | 0
--> sysschedules | date_created | datetime | 8 | 0 | 0
--> sysschedules | date_modified | datetime | 8 | 0 | 0
--> sysschedules | version_number | int | 4 | 0 | 0
--> (102 rows affected)
