-- The Agent's jobs: a script of a job as tools write it, adding, changing, finding and deleting jobs, and what is refused.
BEGIN TRANSACTION
DECLARE @ReturnCode INT
SELECT @ReturnCode = 0
IF NOT EXISTS (SELECT name FROM msdb.dbo.syscategories WHERE name=N'Nightly work' AND category_class=1)
BEGIN
EXEC @ReturnCode = msdb.dbo.sp_add_category @class=N'JOB', @type=N'LOCAL', @name=N'Nightly work'
IF (@@ERROR <> 0 OR @ReturnCode <> 0) GOTO QuitWithRollback
END
DECLARE @jobId BINARY(16)
EXEC @ReturnCode =  msdb.dbo.sp_add_job @job_name=N'Night',
        @enabled=1,
        @notify_level_eventlog=0,
        @notify_level_email=0,
        @notify_level_netsend=0,
        @notify_level_page=0,
        @delete_level=0,
        @description=N'No description available.',
        @category_name=N'Nightly work',
        @owner_login_name=N'sa', @job_id = @jobId OUTPUT
IF (@@ERROR <> 0 OR @ReturnCode <> 0) GOTO QuitWithRollback
EXEC @ReturnCode = msdb.dbo.sp_add_jobstep @job_id=@jobId, @step_name=N'first',
        @step_id=1,
        @cmdexec_success_code=0,
        @on_success_action=3,
        @on_success_step_id=0,
        @on_fail_action=2,
        @on_fail_step_id=0,
        @retry_attempts=0,
        @retry_interval=0,
        @os_run_priority=0, @subsystem=N'TSQL',
        @command=N'SELECT 1',
        @database_name=N'master',
        @flags=0
IF (@@ERROR <> 0 OR @ReturnCode <> 0) GOTO QuitWithRollback
EXEC @ReturnCode = msdb.dbo.sp_add_jobstep @job_id=@jobId, @step_name=N'second', @step_id=2, @command=N'SELECT 2', @database_name=N'tempdb'
IF (@@ERROR <> 0 OR @ReturnCode <> 0) GOTO QuitWithRollback
EXEC @ReturnCode = msdb.dbo.sp_update_job @job_id = @jobId, @start_step_id = 1
IF (@@ERROR <> 0 OR @ReturnCode <> 0) GOTO QuitWithRollback
EXEC @ReturnCode = msdb.dbo.sp_add_jobschedule @job_id=@jobId, @name=N'Every night',
        @enabled=1,
        @freq_type=4,
        @freq_interval=1,
        @freq_subday_type=1,
        @freq_subday_interval=0,
        @freq_relative_interval=0,
        @freq_recurrence_factor=0,
        @active_start_date=20240101,
        @active_end_date=99991231,
        @active_start_time=20000,
        @active_end_time=235959,
        @schedule_uid=N'0b6d2a5e-6a3f-4f57-8e39-0f3c9d0d9c11'
IF (@@ERROR <> 0 OR @ReturnCode <> 0) GOTO QuitWithRollback
EXEC @ReturnCode = msdb.dbo.sp_add_jobserver @job_id = @jobId, @server_name = N'(local)'
IF (@@ERROR <> 0 OR @ReturnCode <> 0) GOTO QuitWithRollback
COMMIT TRANSACTION
GOTO EndSave
QuitWithRollback:
    IF (@@TRANCOUNT > 0) ROLLBACK TRANSACTION
EndSave:
SELECT @@TRANCOUNT AS open_transactions, @ReturnCode AS return_code;
GO
--> [open_transactions:int | return_code:int]
--> 0 | 0
--> (1 rows affected)
SELECT j.name, j.enabled, j.description, j.start_step_id, c.name AS category, SUSER_SNAME(j.owner_sid) AS owner, v.server_id,
    v.last_run_outcome, d.name AS schedule, d.schedule_uid, a.next_run_date, a.next_run_time
FROM msdb.dbo.sysjobs AS j
    JOIN msdb.dbo.syscategories AS c ON c.category_id = j.category_id
    JOIN msdb.dbo.sysjobservers AS v ON v.job_id = j.job_id
    JOIN msdb.dbo.sysjobschedules AS a ON a.job_id = j.job_id
    JOIN msdb.dbo.sysschedules AS d ON d.schedule_id = a.schedule_id;
SELECT step_id, step_name, subsystem, command, database_name, on_success_action, on_fail_action FROM msdb.dbo.sysjobsteps ORDER BY step_id;
GO
--> [name:nvarchar(128) | enabled:tinyint | description:nvarchar(512) | start_step_id:int | category:nvarchar(128) | owner:nvarchar(128) | server_id:int | last_run_outcome:tinyint | schedule:nvarchar(128) | schedule_uid:uniqueidentifier | next_run_date:int | next_run_time:int]
--> Night | 1 | No description available. | 1 | Nightly work | sa | 0 | 5 | Every night | 0B6D2A5E-6A3F-4F57-8E39-0F3C9D0D9C11 | 0 | 0
--> (1 rows affected)
--> [step_id:int | step_name:nvarchar(128) | subsystem:nvarchar(40) | command:nvarchar(max) | database_name:nvarchar(128) | on_success_action:tinyint | on_fail_action:tinyint]
--> 1 | first | TSQL | SELECT 1 | master | 3 | 2
--> 2 | second | TSQL | SELECT 2 | tempdb | 1 | 2
--> (2 rows affected)
-- all columns of the list, of which the changing ones are left out
CREATE TABLE #job (job_id uniqueidentifier, originating_server nvarchar(30), name sysname, enabled tinyint, description nvarchar(512),
    start_step_id int, category sysname, owner sysname, notify_level_eventlog int, notify_level_email int, notify_level_netsend int,
    notify_level_page int, notify_email_operator sysname, notify_netsend_operator sysname, notify_page_operator sysname,
    delete_level int, date_created datetime, date_modified datetime, version_number int, last_run_date int, last_run_time int,
    last_run_outcome int, next_run_date int, next_run_time int, next_run_schedule_id int, current_execution_status int,
    current_execution_step sysname, current_retry_attempt int, has_step int, has_schedule int, has_target int, type int);
INSERT INTO #job EXEC msdb.dbo.sp_help_job @job_name = N'Night', @job_aspect = 'JOB';
INSERT INTO #job EXEC msdb.dbo.sp_help_job;
INSERT INTO #job EXEC msdb.dbo.sp_help_job @enabled = 1, @category_name = N'Nightly work', @subsystem = N'TSQL', @job_type = 'LOCAL',
    @owner_login_name = N'sa', @execution_status = 4, @date_comparator = '>', @date_created = '20200101', @description = N'No%';
INSERT INTO #job EXEC msdb.dbo.sp_help_job @enabled = 0;
INSERT INTO #job EXEC msdb.dbo.sp_help_job @execution_status = 0;
INSERT INTO #job EXEC msdb.dbo.sp_help_job @job_type = 'MULTI-SERVER';
SELECT name, enabled, description, start_step_id, category, owner, notify_level_eventlog, notify_email_operator, delete_level,
    version_number, last_run_date, last_run_outcome, next_run_date, next_run_schedule_id, current_execution_status,
    current_execution_step, has_step, has_schedule, has_target, type FROM #job;
DROP TABLE #job;
EXEC msdb.dbo.sp_help_job @job_name = N'Night', @job_aspect = 'STEPS';
GO
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (0 rows affected)
--> (0 rows affected)
--> (0 rows affected)
--> [name:nvarchar(128) | enabled:tinyint | description:nvarchar(512) | start_step_id:int | category:nvarchar(128) | owner:nvarchar(128) | notify_level_eventlog:int | notify_email_operator:nvarchar(128) | delete_level:int | version_number:int | last_run_date:int | last_run_outcome:int | next_run_date:int | next_run_schedule_id:int | current_execution_status:int | current_execution_step:nvarchar(128) | has_step:int | has_schedule:int | has_target:int | type:int]
--> Night | 1 | No description available. | 1 | Nightly work | sa | 0 | (unknown) | 0 | 5 | 0 | 5 | 0 | 0 | 4 | 0 (unknown) | 2 | 1 | 1 | 1
--> Night | 1 | No description available. | 1 | Nightly work | sa | 0 | (unknown) | 0 | 5 | 0 | 5 | 0 | 0 | 4 | 0 (unknown) | 2 | 1 | 1 | 1
--> Night | 1 | No description available. | 1 | Nightly work | sa | 0 | (unknown) | 0 | 5 | 0 | 5 | 0 | 0 | 4 | 0 (unknown) | 2 | 1 | 1 | 1
--> (3 rows affected)
--> [step_id:int | step_name:nvarchar(128) | subsystem:nvarchar(40) | command:nvarchar(max) | flags:nvarchar(4000) | cmdexec_success_code:int | on_success_action:nvarchar(4000) | on_success_step_id:int | on_fail_action:nvarchar(4000) | on_fail_step_id:int | server:nvarchar(128) | database_name:nvarchar(128) | database_user_name:nvarchar(128) | retry_attempts:int | retry_interval:int | os_run_priority:nvarchar(4000) | output_file_name:nvarchar(200) | last_run_outcome:int | last_run_duration:int | last_run_retries:int | last_run_date:int | last_run_time:int | proxy_id:int]
--> 1 | first | TSQL | SELECT 1 | 0 (normal) | 0 | 3 (goto next step) | 0 | 2 (quit with failure) | 0 | NULL | master | NULL | 0 | 0 | 0 (normal) | NULL | 0 | 0 | 0 | 0 | 0 | NULL
--> 2 | second | TSQL | SELECT 2 | 0 (normal) | 0 | 1 (quit with success) | 0 | 2 (quit with failure) | 0 | NULL | tempdb | NULL | 0 | 0 | 0 (normal) | NULL | 0 | 0 | 0 | 0 | 0 | NULL
-- names and values of a new job
EXEC msdb.dbo.sp_add_job;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_add_job' expects parameter '@job_name', which was not supplied.
DECLARE @r int, @none uniqueidentifier = '00000000-0000-0000-0000-000000000001', @long nvarchar(200) = REPLICATE(N'x', 128);
EXEC @r = msdb.dbo.sp_add_job NULL; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_job N' '; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_job N'50% done'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_job N' it''s ]a[ jöb '; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_job N'it''s ]a[ jöb'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_job @long; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_job N'new', @enabled = 2;
EXEC @r = msdb.dbo.sp_add_job N'new', @start_step_id = 0;
EXEC @r = msdb.dbo.sp_add_job N'new', @category_name = N'nowhere';
EXEC @r = msdb.dbo.sp_add_job N'new', @category_id = 4711;
EXEC @r = msdb.dbo.sp_add_job N'new', @category_id = 98;
EXEC @r = msdb.dbo.sp_add_job N'new', @category_id = 1;
EXEC @r = msdb.dbo.sp_add_job N'new', @category_id = 0, @category_name = N'[Uncategorized (Local)]';
EXEC @r = msdb.dbo.sp_add_job N'new', @owner_login_name = N'nobody';
EXEC @r = msdb.dbo.sp_add_job N'new', @owner_login_name = N'sysadmin';
EXEC @r = msdb.dbo.sp_add_job N'new', @notify_level_page = 4;
EXEC @r = msdb.dbo.sp_add_job N'new', @delete_level = -1;
EXEC @r = msdb.dbo.sp_add_job N'new', @notify_email_operator_name = N'nobody';
EXEC @r = msdb.dbo.sp_add_job N'new', @job_id = @none; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_job N'new', @originating_server = N'elsewhere'; SELECT @r AS r;
SELECT name, DATALENGTH(name) AS bytes, description, category_id, version_number FROM msdb.dbo.sysjobs WHERE name <> N'Night' ORDER BY name;
GO
--> Msg 14200, Level 16, State 1, Line 29: The specified '@name' is invalid.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14200, Level 16, State 1, Line 29: The specified '@name' is invalid.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14289, Level 16, State 1, Line 34: @name cannot contain '%' characters.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 39: The specified @name ('it's ]a[ jöb') already exists.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 44: The specified '@enabled' is invalid (valid values are: 0, 1).
--> Msg 14266, Level 16, State 1, Line 52: The specified '@start_step_id' is invalid (valid values are: 1..n).
--> Msg 14262, Level 16, State 1, Line 62: The specified @category_name ('nowhere') does not exist.
--> Msg 14262, Level 16, State 1, Line 70: The specified @category_id ('4711') does not exist.
--> Msg 14262, Level 16, State 1, Line 70: The specified @category_id ('98') does not exist.
--> Msg 14267, Level 16, State 1, Line 77: Cannot add a job to the 'Jobs from MSX' job category.
--> Msg 14524, Level 16, State 1, Line 46: Supply either @category_name or @category_id.
--> Msg 14234, Level 16, State 1, Line 93: The specified '@owner_login_name' is invalid (valid values are returned by sp_helplogins [excluding Windows NT groups]).
--> Msg 14234, Level 16, State 1, Line 93: The specified '@owner_login_name' is invalid (valid values are returned by sp_helplogins [excluding Windows NT groups]).
--> Msg 14266, Level 16, State 1, Line 107: The specified '@notify_level_page' is invalid (valid values are: 0, 1, 2, 3).
--> Msg 14266, Level 16, State 1, Line 107: The specified '@delete_level' is invalid (valid values are: 0, 1, 2, 3).
--> Msg 14234, Level 16, State 1, Line 134: The specified '@notify_email_operator_name' is invalid (valid values are returned by sp_help_operator).
--> Msg 14284, Level 16, State 1, Line 36: Cannot specify a job ID for a new job. An ID will be assigned by the procedure.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14275, Level 16, State 1, Line 41: The originating server must be either local server or MSX server.
--> [r:int]
--> 1
--> (1 rows affected)
--> [name:nvarchar(128) | bytes:int | description:nvarchar(512) | category_id:int | version_number:int]
--> it's ]a[ jöb | 24 | No description available. | 0 | 1
--> xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx | 256 | No description available. | 0 | 1
--> (2 rows affected)
-- which job
DECLARE @r int, @none uniqueidentifier = '00000000-0000-0000-0000-000000000001';
EXEC @r = msdb.dbo.sp_delete_job; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_job @job_id = @none; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'nothing'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_job @job_id = @none, @job_name = N'Night'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_job @originating_server = N'elsewhere';
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'Night', @originating_server = N'elsewhere';
EXEC @r = msdb.dbo.sp_update_job @job_name = N'nothing', @enabled = 1;
EXEC @r = msdb.dbo.sp_help_job @job_name = N'nothing'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_job @job_name = N'Night', @enabled = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_job @job_aspect = 'ALL';
EXEC @r = msdb.dbo.sp_help_job @job_name = N'Night', @job_aspect = 'HISTORY';
EXEC @r = msdb.dbo.sp_help_job @job_type = 'REMOTE';
EXEC @r = msdb.dbo.sp_help_job @owner_login_name = N'nobody';
EXEC @r = msdb.dbo.sp_help_job @subsystem = N'Basic';
EXEC @r = msdb.dbo.sp_help_job @category_name = N'nowhere';
EXEC @r = msdb.dbo.sp_help_job @enabled = 3;
EXEC @r = msdb.dbo.sp_help_job @execution_status = 6;
EXEC @r = msdb.dbo.sp_help_job @date_comparator = '<';
EXEC @r = msdb.dbo.sp_help_job @date_created = '20240101';
EXEC @r = msdb.dbo.sp_help_job @date_comparator = '!', @date_created = '20240101';
GO
--> Msg 14294, Level 16, State 1, Line 13: Supply either @job_id or @job_name to identify the job.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 27: The specified @job_id ('00000000-0000-0000-0000-000000000001') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('nothing') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14294, Level 16, State 1, Line 13: Supply either @job_id or @job_name to identify the job.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14268, Level 16, State 1, Line 19: There are no jobs at this server that originated from server 'elsewhere'.
--> Msg 14279, Level 16, State 1, Line 17: Supply either @job_name, @job_id or @originating_server.
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('nothing') does not exist.
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('nothing') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14280, Level 16, State 1, Line 35: Supply either a job name (and job aspect), or one or more job filter parameters.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14280, Level 16, State 1, Line 35: Supply either a job name (and job aspect), or one or more job filter parameters.
--> Msg 14266, Level 16, State 1, Line 47: The specified '@job_aspect' is invalid (valid values are: ALL, JOB, STEPS, SCHEDULES, TARGETS).
--> Msg 14266, Level 16, State 1, Line 74: The specified '@job_type' is invalid (valid values are: LOCAL, MULTI-SERVER).
--> Msg 14234, Level 16, State 1, Line 79: The specified '@owner_login_name' is invalid (valid values are returned by sp_helplogins).
--> Msg 14234, Level 16, State 1, Line 84: The specified '@subsystem' is invalid (valid values are returned by sp_enum_sqlagent_subsystems).
--> Msg 14262, Level 16, State 1, Line 92: The specified @category_name ('nowhere') does not exist.
--> Msg 14266, Level 16, State 1, Line 98: The specified '@enabled' is invalid (valid values are: 0, 1).
--> Msg 14266, Level 16, State 1, Line 105: The specified '@execution_status' is invalid (valid values are: 0 (non-idle), 1 (executing), 2 (waiting for thread), 3 (between retries), 4 (idle), 5 (suspended), 7 (performing completion actions)).
--> Msg 14282, Level 16, State 1, Line 111: Supply either a date (created or last modified) and a data comparator, or no date parameters at all.
--> Msg 14282, Level 16, State 1, Line 111: Supply either a date (created or last modified) and a data comparator, or no date parameters at all.
--> Msg 14266, Level 16, State 1, Line 116: The specified '@date_comparator' is invalid (valid values are: =, >, <).
-- changes
DECLARE @r int;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'it''s ]a[ jöb', @new_name = N'other', @enabled = 0, @description = N'of another kind',
    @category_name = N'Database Maintenance', @delete_level = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'other', @new_name = N'Night'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'other', @new_name = N'OTHER'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'Night', @start_step_id = 3; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'Night', @start_step_id = 2, @description = N''; SELECT @r AS r;
SELECT name, enabled, description, start_step_id, category_id, delete_level, version_number FROM msdb.dbo.sysjobs
WHERE name IN (N'other', N'Night') ORDER BY name;
GO
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 39: The specified @name ('Night') already exists.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 52: The specified '@start_step_id' is invalid (valid values are: 1..2).
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [name:nvarchar(128) | enabled:tinyint | description:nvarchar(512) | start_step_id:int | category_id:int | delete_level:int | version_number:int]
--> Night | 1 | NULL | 2 | 100 | 0 | 6
--> OTHER | 0 | of another kind | 1 | 3 | 1 | 3
--> (2 rows affected)
-- where a job runs; the server's name is not shown
DECLARE @r int;
BEGIN TRY EXEC msdb.dbo.sp_add_jobserver @job_name = N'Night'; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number; END CATCH
BEGIN TRY EXEC msdb.dbo.sp_delete_jobserver @job_name = N'other', @server_name = N'(LOCAL)'; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number; END CATCH
BEGIN TRY EXEC msdb.dbo.sp_start_job N'other'; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number; END CATCH
BEGIN TRY EXEC msdb.dbo.sp_stop_job N'other'; END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number; END CATCH
EXEC @r = msdb.dbo.sp_add_jobserver @job_name = N'other', @server_name = N'elsewhere'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobserver @job_name = N'other', @server_name = @@SERVERNAME; SELECT @r AS r;
CREATE TABLE #server (server_id int, server_name nvarchar(30), enlist_date datetime, last_poll_date datetime, last_run_date int,
    last_run_time int, last_run_duration int, last_outcome_message nvarchar(1024), last_run_outcome int);
INSERT INTO #server EXEC msdb.dbo.sp_help_jobserver @job_name = N'other', @show_last_run_details = 1;
SELECT server_id, CASE server_name WHEN UPPER(@@SERVERNAME) THEN 'this' END AS server, enlist_date, last_run_date, last_outcome_message, last_run_outcome FROM #server;
DROP TABLE #server;
EXEC @r = msdb.dbo.sp_help_jobserver @job_name = N'other', @show_last_run_details = 2;
EXEC @r = msdb.dbo.sp_delete_jobserver @job_name = N'other', @server_name = @@SERVERNAME; SELECT @r AS r;
EXEC msdb.dbo.sp_help_jobserver @job_name = N'other';
EXEC @r = msdb.dbo.sp_apply_job_to_targets @job_name = N'other'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_apply_job_to_targets @job_name = N'other', @target_servers = N'A, B'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_apply_job_to_targets @job_name = N'other', @target_servers = N'A', @operation = 'MOVE';
EXEC @r = msdb.dbo.sp_remove_job_from_targets @job_name = N'other', @target_server_groups = N'G'; SELECT @r AS r;
GO
--> [number:int]
--> 14269
--> (1 rows affected)
--> [number:int]
--> 14270
--> (1 rows affected)
--> [number:int]
--> 14256
--> (1 rows affected)
--> [number:int]
--> 14257
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 24: The specified @server_name ('elsewhere') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
--> [server_id:int | server:varchar(4) | enlist_date:datetime | last_run_date:int | last_outcome_message:nvarchar(1024) | last_run_outcome:int]
--> 0 | this | NULL | 0 | NULL | 5
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 15: The specified '@show_last_run_details' is invalid (valid values are: 0, 1).
--> [r:int]
--> 0
--> (1 rows affected)
--> [server_id:int | server_name:nvarchar(30) | enlist_date:datetime | last_poll_date:datetime]
--> Msg 14283, Level 16, State 1, Line 23: Supply @target_server_groups or @target_servers, or both.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 39: The specified @target_servers ('A, B') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 28: The specified '@operation' is invalid (valid values are: APPLY, REMOVE).
--> Msg 14262, Level 16, State 1, Line 37: The specified @target_server_groups ('G') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
-- starting and stopping: what is refused before the Agent is asked
DECLARE @r int;
EXEC @r = msdb.dbo.sp_start_job N'nothing'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_start_job; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_start_job N'Night', @server_name = N'elsewhere';
EXEC @r = msdb.dbo.sp_start_job N'Night', @step_name = N'third'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_stop_job N'Night'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_stop_job; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_stop_job N'Night', @originating_server = N'elsewhere';
EXEC @r = msdb.dbo.sp_stop_job @originating_server = N'elsewhere'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobserver @job_name = N'other';
EXEC @r = msdb.dbo.sp_start_job N'other'; SELECT @r AS r;
GO
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('nothing') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14294, Level 16, State 1, Line 13: Supply either @job_id or @job_name to identify the job.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 28: The specified @server_name ('elsewhere') does not exist.
--> Msg 14262, Level 16, State 1, Line 46: The specified @step_name ('third') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 22022, Level 16, State 1, Line 52: SQLServerAgent Error: Request to stop job Night (from User sa) refused because the job is not currently running.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14232, Level 16, State 1, Line 17: Specify either a job_name, job_id, or an originating_server.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14232, Level 16, State 1, Line 17: Specify either a job_name, job_id, or an originating_server.
--> Msg 14268, Level 16, State 1, Line 22: There are no jobs at this server that originated from server 'elsewhere'.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14528, Level 16, State 1, Line 38: Job "other" has no steps defined.
--> [r:int]
--> 1
--> (1 rows affected)
-- a job that runs, as the Agent notes it
INSERT INTO msdb.dbo.syssessions (agent_start_date) VALUES ('20240101');
INSERT INTO msdb.dbo.sysjobactivity (session_id, job_id, run_requested_source, start_execution_date)
SELECT (SELECT MAX(session_id) FROM msdb.dbo.syssessions), job_id, N'1', '20240101' FROM msdb.dbo.sysjobs WHERE name = N'Night';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_start_job N'Night'; SELECT @r AS r;
GO
--> (1 rows affected)
--> (1 rows affected)
--> Msg 22022, Level 16, State 1, Line 66: SQLServerAgent Error: Request to run job Night (from User sa) refused because the job is already running from a request by a schedule.
--> [r:int]
--> 1
--> (1 rows affected)
-- all jobs of a login
CREATE LOGIN agent_ann WITH PASSWORD = 'Str0ng!pass';
CREATE LOGIN agent_ben WITH PASSWORD = 'Str0ng!pass';
EXEC msdb.dbo.sp_add_job N'of ann', @owner_login_name = N'agent_ann';
EXEC msdb.dbo.sp_add_job N'of ann too', @owner_login_name = N'agent_ann';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_manage_jobs_by_login 'MOVE', N'agent_ann'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_manage_jobs_by_login 'REASSIGN', N'agent_ann'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_manage_jobs_by_login 'REASSIGN', N'agent_ann', N'nobody';
EXEC @r = msdb.dbo.sp_manage_jobs_by_login 'REASSIGN', N'nobody', N'agent_ben';
EXEC @r = msdb.dbo.sp_manage_jobs_by_login 'REASSIGN', N'agent_ann', N'agent_ben'; SELECT @r AS r;
SELECT name, SUSER_SNAME(owner_sid) AS owner FROM msdb.dbo.sysjobs WHERE name LIKE N'of ann%' ORDER BY name;
EXEC @r = msdb.dbo.sp_manage_jobs_by_login 'DELETE', N'agent_ben', N'sa'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_manage_jobs_by_login 'DELETE', N'agent_ben'; SELECT @r AS r;
GO
--> Msg 14266, Level 16, State 1, Line 22: The specified '@action' is invalid (valid values are: DELETE, REASSIGN).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14237, Level 16, State 1, Line 37: When an action of 'REASSIGN' is specified, the New Login parameter must also be supplied.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 43: The specified @new_owner_login_name ('nobody') does not exist.
--> Msg 14262, Level 16, State 1, Line 29: The specified @current_owner_login_name ('nobody') does not exist.
--> # 2 jobs reassigned to agent_ben.
--> [r:int]
--> 0
--> (1 rows affected)
--> [name:nvarchar(128) | owner:nvarchar(128)]
--> of ann | agent_ben
--> of ann too | agent_ben
--> (2 rows affected)
--> # Warning: The @new_owner_login_name parameter is not necessary when specifying a 'DELETE' action.
--> # 2 jobs deleted.
--> [r:int]
--> 0
--> (1 rows affected)
--> # 0 jobs deleted.
--> [r:int]
--> 0
--> (1 rows affected)
-- an owner, a reader and an operator
USE msdb;
CREATE USER agent_ann;
CREATE USER agent_ben;
ALTER ROLE SQLAgentUserRole ADD MEMBER agent_ann;
ALTER ROLE SQLAgentReaderRole ADD MEMBER agent_ben;
GO
EXECUTE AS LOGIN = 'agent_ann';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_job N'mine'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_job N'not mine', @owner_login_name = N'sa'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_job N'mine too', @owner_login_name = N'agent_ann'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'mine', @owner_login_name = N'sa'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'mine', @description = N'of ann'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobserver @job_name = N'mine'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'Night'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_start_job N'Night'; SELECT @r AS r;
REVERT;
GO
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14515, Level 16, State 1, Line 54: Only a member of the sysadmin server role can add a job for a different owner with @owner_login_name.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14242, Level 16, State 1, Line 46: Only a system administrator can reassign ownership of a job.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('Night') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('Night') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
EXECUTE AS LOGIN = 'agent_ben';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_help_jobserver @job_name = N'mine too'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'mine', @enabled = 0; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'mine'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_start_job N'mine'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_stop_job N'mine'; SELECT @r AS r;
REVERT;
GO
--> [server_id:int | server_name:nvarchar(30) | enlist_date:datetime | last_poll_date:datetime]
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14525, Level 16, State 1, Line 41: Only members of sysadmin role are allowed to update or delete jobs owned by a different login.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14525, Level 16, State 1, Line 28: Only members of sysadmin role are allowed to update or delete jobs owned by a different login.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14393, Level 16, State 1, Line 19: Only owner of a job or members of role sysadmin or SQLAgentOperatorRole can start and stop the job.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14393, Level 16, State 1, Line 32: Only owner of a job or members of role sysadmin or SQLAgentOperatorRole can start and stop the job.
--> [r:int]
--> 1
--> (1 rows affected)
ALTER ROLE SQLAgentOperatorRole ADD MEMBER agent_ben;
GO
EXECUTE AS LOGIN = 'agent_ben';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'mine', @enabled = 0; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'mine', @enabled = 0, @description = N'of ben'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_start_job N'mine'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'mine'; SELECT @r AS r;
REVERT;
SELECT name, enabled, description, SUSER_SNAME(owner_sid) AS owner FROM msdb.dbo.sysjobs WHERE name LIKE N'mine%' ORDER BY name;
GO
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14525, Level 16, State 1, Line 41: Only members of sysadmin role are allowed to update or delete jobs owned by a different login.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14528, Level 16, State 1, Line 38: Job "mine" has no steps defined.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14525, Level 16, State 1, Line 28: Only members of sysadmin role are allowed to update or delete jobs owned by a different login.
--> [r:int]
--> 1
--> (1 rows affected)
--> [name:nvarchar(128) | enabled:tinyint | description:nvarchar(512) | owner:nvarchar(128)]
--> mine | 0 | of ann | agent_ann
--> mine too | 1 | No description available. | agent_ann
--> (2 rows affected)
-- deleting takes all that belongs to a job, and a schedule that no other job has
DECLARE @r int, @long nvarchar(200) = REPLICATE(N'x', 128);
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'Night'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'other';
EXEC @r = msdb.dbo.sp_delete_job @job_name = @long;
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'mine';
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'mine too';
EXEC @r = msdb.dbo.sp_delete_category 'JOB', N'Nightly work';
DELETE FROM msdb.dbo.syssessions WHERE agent_start_date = '20240101';
SELECT (SELECT COUNT(*) FROM msdb.dbo.sysjobs) AS jobs, (SELECT COUNT(*) FROM msdb.dbo.sysjobsteps) AS steps,
    (SELECT COUNT(*) FROM msdb.dbo.sysschedules) AS schedules, (SELECT COUNT(*) FROM msdb.dbo.sysjobservers) AS servers,
    (SELECT COUNT(*) FROM msdb.dbo.sysjobactivity) AS activities;
DROP USER agent_ann;
DROP USER agent_ben;
DROP LOGIN agent_ann;
DROP LOGIN agent_ben;
GO
--> [r:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
--> [jobs:int | steps:int | schedules:int | servers:int | activities:int]
--> 0 | 0 | 0 | 0 | 0
--> (1 rows affected)
