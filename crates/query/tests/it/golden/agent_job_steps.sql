-- The steps of the Agent's jobs: numbers that follow one another, where a step goes on, other subsystems, and what is refused.
CREATE DATABASE agent_steps;
EXEC msdb.dbo.sp_add_job N'job';
GO
CREATE PROCEDURE #steps AS
SELECT step_id, step_name, command, database_name, database_user_name, on_success_action, on_success_step_id, on_fail_action,
    on_fail_step_id, retry_attempts, retry_interval, flags, output_file_name
FROM msdb.dbo.sysjobsteps WHERE job_id = (SELECT job_id FROM msdb.dbo.sysjobs WHERE name = N'job') ORDER BY step_id;
GO
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'one', @command = N'SELECT N''ö'';'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'it''s ]two[', @subsystem = N'tsql', @database_name = N'agent_steps',
    @database_user_name = N'guest', @on_success_action = 4, @on_success_step_id = 1, @on_fail_action = 3, @retry_attempts = 2,
    @retry_interval = 5, @flags = 4; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'three', @step_id = 3, @on_fail_action = 4, @on_fail_step_id = 5,
    @output_file_name = N'out.txt'; SELECT @r AS r;
EXEC #steps;
GO
-- into the middle and away again: numbers and the numbers that steps go to move
DECLARE @r int;
EXEC @r = msdb.dbo.sp_update_job @job_name = N'job', @start_step_id = 3;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'zero', @step_id = 1, @on_success_action = 4, @on_success_step_id = 2;
EXEC #steps;
SELECT start_step_id, version_number FROM msdb.dbo.sysjobs WHERE name = N'job';
EXEC @r = msdb.dbo.sp_delete_jobstep @job_name = N'job', @step_id = 2; SELECT @r AS r;
EXEC #steps;
SELECT start_step_id FROM msdb.dbo.sysjobs WHERE name = N'job';
GO
-- changes: what is not given stays
DECLARE @r int;
EXEC @r = msdb.dbo.sp_update_jobstep @job_name = N'job', @step_id = 2, @command = N'PRINT 2'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_jobstep @job_name = N'job', @step_id = 1, @step_name = N'ZERO', @on_success_action = 3; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_jobstep @job_name = N'job', @step_id = 3, @step_name = N'zero'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_jobstep @job_name = N'job', @step_id = 2, @database_user_name = N'', @database_name = N''; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_jobstep @job_name = N'job', @step_id = 4, @command = N'PRINT 4'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_jobstep @job_name = N'job', @step_id = 2, @subsystem = N'PowerShell'; SELECT CASE WHEN @r <> 0 THEN 'refused' END AS r;
EXEC #steps;
GO
-- the lists
EXEC msdb.dbo.sp_help_jobstep @job_name = N'job';
EXEC msdb.dbo.sp_help_jobstep @job_name = N'job', @suffix = 1, @step_name = N'three';
EXEC msdb.dbo.sp_help_jobstep @job_name = N'job', @step_id = 9;
EXEC msdb.dbo.sp_help_jobstep @job_name = N'job', @step_name = N'nine';
GO
-- what is refused
EXEC msdb.dbo.sp_add_jobstep @job_name = N'job';
GO
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'nothing', @step_name = N'new'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = NULL; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'zero'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @step_id = 0; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @step_id = 5; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @subsystem = N'Basic'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @on_success_action = 5;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @on_fail_action = 0;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @on_success_action = 4;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @on_fail_action = 4, @on_fail_step_id = 4;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @database_name = N'[agent_steps]';
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @database_user_name = N'x'' OR 1 = 1 --';
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @retry_attempts = -1;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @retry_interval = -1;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @os_run_priority = 7;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @flags = 128;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @proxy_id = 1;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @proxy_name = N'p'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_jobstep @job_name = N'job', @step_id = 4; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_jobstep @job_name = N'job', @step_id = NULL; SELECT @r AS r;
GO
-- no commands of the operating system, nor what is not here: refused by name
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @subsystem = N'CmdExec', @command = N'dir'; SELECT CASE WHEN @r <> 0 THEN 'refused' END AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @subsystem = N'PowerShell'; SELECT CASE WHEN @r <> 0 THEN 'refused' END AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @subsystem = N'SSIS'; SELECT CASE WHEN @r <> 0 THEN 'refused' END AS r;
SELECT COUNT(*) AS steps FROM msdb.dbo.sysjobsteps;
GO
-- the logs of steps, as the Agent writes them
INSERT INTO msdb.dbo.sysjobstepslogs (log, date_created, date_modified, log_size, step_uid)
SELECT N'log of ' + step_name, '20240101', CASE step_id WHEN 1 THEN '20240101' ELSE '20240301' END, step_id * 524288, step_uid FROM msdb.dbo.sysjobsteps;
CREATE TABLE #log (job_id uniqueidentifier, job_name sysname, step_id int, step_name sysname, step_uid uniqueidentifier,
    date_created datetime, date_modified datetime, log_size float, log nvarchar(max));
INSERT INTO #log EXEC msdb.dbo.sp_help_jobsteplog @job_name = N'job';
INSERT INTO #log EXEC msdb.dbo.sp_help_jobsteplog @job_name = N'job', @step_name = N'three';
SELECT job_name, step_id, step_name, date_created, date_modified, log_size, log FROM #log;
DROP TABLE #log;
DECLARE @r int;
EXEC @r = msdb.dbo.sp_help_jobsteplog @job_name = N'job', @step_id = 9; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_jobsteplog @job_name = N'job', @step_id = 1, @step_name = N'three'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_jobsteplog @job_name = N'job', @older_than = '20240201', @larger_than = 1572863; SELECT @r AS r;
SELECT log FROM msdb.dbo.sysjobstepslogs ORDER BY log_id;
EXEC @r = msdb.dbo.sp_delete_jobsteplog @job_name = N'job';
SELECT COUNT(*) AS logs FROM msdb.dbo.sysjobstepslogs;
GO
-- an owner may not name files and users
CREATE LOGIN agent_ann WITH PASSWORD = 'Str0ng!pass';
USE msdb;
CREATE USER agent_ann;
ALTER ROLE SQLAgentUserRole ADD MEMBER agent_ann;
GO
EXECUTE AS LOGIN = 'agent_ann';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_job N'mine';
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'mine', @step_name = N'new', @output_file_name = N'out.txt'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'mine', @step_name = N'new', @database_user_name = N'dbo'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'mine', @step_name = N'new'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new'; SELECT @r AS r;
REVERT;
GO
DECLARE @r int;
EXEC @r = msdb.dbo.sp_delete_jobstep @job_name = N'job', @step_id = 0; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_jobstep @job_name = N'job', @step_id = 0; SELECT @r AS r;
EXEC #steps;
DROP PROCEDURE #steps;
EXEC msdb.dbo.sp_delete_job @job_name = N'job';
EXEC msdb.dbo.sp_delete_job @job_name = N'mine';
DROP USER agent_ann;
DROP LOGIN agent_ann;
DROP DATABASE agent_steps;
GO
