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
SELECT j.name, j.enabled, j.description, j.start_step_id, c.name AS category, SUSER_SNAME(j.owner_sid) AS owner, v.server_id,
    v.last_run_outcome, d.name AS schedule, d.schedule_uid, a.next_run_date, a.next_run_time
FROM msdb.dbo.sysjobs AS j
    JOIN msdb.dbo.syscategories AS c ON c.category_id = j.category_id
    JOIN msdb.dbo.sysjobservers AS v ON v.job_id = j.job_id
    JOIN msdb.dbo.sysjobschedules AS a ON a.job_id = j.job_id
    JOIN msdb.dbo.sysschedules AS d ON d.schedule_id = a.schedule_id;
SELECT step_id, step_name, subsystem, command, database_name, on_success_action, on_fail_action FROM msdb.dbo.sysjobsteps ORDER BY step_id;
GO
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
-- names and values of a new job
EXEC msdb.dbo.sp_add_job;
GO
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
-- a job that runs, as the Agent notes it
INSERT INTO msdb.dbo.syssessions (agent_start_date) VALUES ('20240101');
INSERT INTO msdb.dbo.sysjobactivity (session_id, job_id, run_requested_source, start_execution_date)
SELECT (SELECT MAX(session_id) FROM msdb.dbo.syssessions), job_id, N'1', '20240101' FROM msdb.dbo.sysjobs WHERE name = N'Night';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_start_job N'Night'; SELECT @r AS r;
GO
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
EXECUTE AS LOGIN = 'agent_ben';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_help_jobserver @job_name = N'mine too'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'mine', @enabled = 0; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'mine'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_start_job N'mine'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_stop_job N'mine'; SELECT @r AS r;
REVERT;
GO
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
