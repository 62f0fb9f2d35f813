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
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> # Warning: Non-existent step referenced by @on_fail_step_id.
--> [r:int]
--> 0
--> (1 rows affected)
--> [step_id:int | step_name:nvarchar(128) | command:nvarchar(max) | database_name:nvarchar(128) | database_user_name:nvarchar(128) | on_success_action:tinyint | on_success_step_id:int | on_fail_action:tinyint | on_fail_step_id:int | retry_attempts:int | retry_interval:int | flags:int | output_file_name:nvarchar(200)]
--> 1 | one | SELECT N'ö'; | master | NULL | 1 | 0 | 2 | 0 | 0 | 0 | 0 | NULL
--> 2 | it's ]two[ | NULL | agent_steps | guest | 4 | 1 | 3 | 0 | 2 | 5 | 4 | NULL
--> 3 | three | NULL | master | NULL | 1 | 0 | 4 | 5 | 0 | 0 | 0 | out.txt
--> (3 rows affected)
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
--> [step_id:int | step_name:nvarchar(128) | command:nvarchar(max) | database_name:nvarchar(128) | database_user_name:nvarchar(128) | on_success_action:tinyint | on_success_step_id:int | on_fail_action:tinyint | on_fail_step_id:int | retry_attempts:int | retry_interval:int | flags:int | output_file_name:nvarchar(200)]
--> 1 | zero | NULL | master | NULL | 4 | 2 | 2 | 0 | 0 | 0 | 0 | NULL
--> 2 | one | SELECT N'ö'; | master | NULL | 1 | 0 | 2 | 0 | 0 | 0 | 0 | NULL
--> 3 | it's ]two[ | NULL | agent_steps | guest | 4 | 2 | 3 | 0 | 2 | 5 | 4 | NULL
--> 4 | three | NULL | master | NULL | 1 | 0 | 4 | 6 | 0 | 0 | 0 | out.txt
--> (4 rows affected)
--> [start_step_id:int | version_number:int]
--> 4 | 6
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [step_id:int | step_name:nvarchar(128) | command:nvarchar(max) | database_name:nvarchar(128) | database_user_name:nvarchar(128) | on_success_action:tinyint | on_success_step_id:int | on_fail_action:tinyint | on_fail_step_id:int | retry_attempts:int | retry_interval:int | flags:int | output_file_name:nvarchar(200)]
--> 1 | zero | NULL | master | NULL | 1 | 0 | 2 | 0 | 0 | 0 | 0 | NULL
--> 2 | it's ]two[ | NULL | agent_steps | guest | 1 | 0 | 3 | 0 | 2 | 5 | 4 | NULL
--> 3 | three | NULL | master | NULL | 1 | 0 | 4 | 5 | 0 | 0 | 0 | out.txt
--> (3 rows affected)
--> [start_step_id:int]
--> 3
--> (1 rows affected)
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
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 36: The specified @step_name ('zero') already exists.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 43: The specified @step_id ('4') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 49: A job step of the subsystem PowerShell is not supported in this version of Millpond.
--> [r:varchar(7)]
--> refused
--> (1 rows affected)
--> [step_id:int | step_name:nvarchar(128) | command:nvarchar(max) | database_name:nvarchar(128) | database_user_name:nvarchar(128) | on_success_action:tinyint | on_success_step_id:int | on_fail_action:tinyint | on_fail_step_id:int | retry_attempts:int | retry_interval:int | flags:int | output_file_name:nvarchar(200)]
--> 1 | ZERO | NULL | master | NULL | 3 | 0 | 2 | 0 | 0 | 0 | 0 | NULL
--> 2 | it's ]two[ | PRINT 2 | master | NULL | 1 | 0 | 3 | 0 | 2 | 5 | 4 | NULL
--> 3 | three | NULL | master | NULL | 1 | 0 | 4 | 5 | 0 | 0 | 0 | out.txt
--> (3 rows affected)
-- the lists
EXEC msdb.dbo.sp_help_jobstep @job_name = N'job';
EXEC msdb.dbo.sp_help_jobstep @job_name = N'job', @suffix = 1, @step_name = N'three';
EXEC msdb.dbo.sp_help_jobstep @job_name = N'job', @step_id = 9;
EXEC msdb.dbo.sp_help_jobstep @job_name = N'job', @step_name = N'nine';
GO
--> [step_id:int | step_name:nvarchar(128) | subsystem:nvarchar(40) | command:nvarchar(max) | flags:int | cmdexec_success_code:int | on_success_action:tinyint | on_success_step_id:int | on_fail_action:tinyint | on_fail_step_id:int | server:nvarchar(128) | database_name:nvarchar(128) | database_user_name:nvarchar(128) | retry_attempts:int | retry_interval:int | os_run_priority:int | output_file_name:nvarchar(200) | last_run_outcome:int | last_run_duration:int | last_run_retries:int | last_run_date:int | last_run_time:int | proxy_id:int]
--> 1 | ZERO | TSQL | NULL | 0 | 0 | 3 | 0 | 2 | 0 | NULL | master | NULL | 0 | 0 | 0 | NULL | 0 | 0 | 0 | 0 | 0 | NULL
--> 2 | it's ]two[ | TSQL | PRINT 2 | 4 | 0 | 1 | 0 | 3 | 0 | NULL | master | NULL | 2 | 5 | 0 | NULL | 0 | 0 | 0 | 0 | 0 | NULL
--> 3 | three | TSQL | NULL | 0 | 0 | 1 | 0 | 4 | 5 | NULL | master | NULL | 0 | 0 | 0 | out.txt | 0 | 0 | 0 | 0 | 0 | NULL
--> [step_id:int | step_name:nvarchar(128) | subsystem:nvarchar(40) | command:nvarchar(max) | flags:nvarchar(4000) | cmdexec_success_code:int | on_success_action:nvarchar(4000) | on_success_step_id:int | on_fail_action:nvarchar(4000) | on_fail_step_id:int | server:nvarchar(128) | database_name:nvarchar(128) | database_user_name:nvarchar(128) | retry_attempts:int | retry_interval:int | os_run_priority:nvarchar(4000) | output_file_name:nvarchar(200) | last_run_outcome:int | last_run_duration:int | last_run_retries:int | last_run_date:int | last_run_time:int | proxy_id:int]
--> 3 | three | TSQL | NULL | 0 (normal) | 0 | 1 (quit with success) | 0 | 4 (goto step) | 5 | NULL | master | NULL | 0 | 0 | 0 (normal) | out.txt | 0 | 0 | 0 | 0 | 0 | NULL
--> Msg 14262, Level 16, State 1, Line 19: The specified @step_id ('9') does not exist.
--> Msg 14262, Level 16, State 1, Line 24: The specified @step_name ('nine') does not exist.
-- what is refused
EXEC msdb.dbo.sp_add_jobstep @job_name = N'job';
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_add_jobstep' expects parameter '@step_name', which was not supplied.
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
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('nothing') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14200, Level 16, State 1, Line 30: The specified '@step_name' is invalid.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 36: The specified @step_name ('zero') already exists.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 54: The specified '@step_id' is invalid (valid values are: 1..4).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 54: The specified '@step_id' is invalid (valid values are: 1..4).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14234, Level 16, State 1, Line 43: The specified '@subsystem' is invalid (valid values are returned by sp_enum_sqlagent_subsystems).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 56: The specified '@on_success_action' is invalid (valid values are: 1, 2, 3, 4).
--> Msg 14266, Level 16, State 1, Line 61: The specified '@on_fail_action' is invalid (valid values are: 1, 2, 3, 4).
--> Msg 14235, Level 16, State 1, Line 66: The specified '@on_success_step' is invalid (valid values are greater than 0 but excluding 4).
--> Msg 14235, Level 16, State 1, Line 71: The specified '@on_fail_step' is invalid (valid values are greater than 0 but excluding 4).
--> Msg 14262, Level 16, State 1, Line 82: The specified @database_name ('[agent_steps]') does not exist.
--> Msg 14262, Level 16, State 1, Line 97: The specified @database_user_name ('x' OR 1 = 1 --') does not exist.
--> Msg 14266, Level 16, State 1, Line 104: The specified '@retry_attempts' is invalid (valid values are: 0..n).
--> Msg 14266, Level 16, State 1, Line 109: The specified '@retry_interval' is invalid (valid values are: 0..n).
--> Msg 14266, Level 16, State 1, Line 114: The specified '@os_run_priority' is invalid (valid values are: -15, -1, 0, 1, 15).
--> Msg 14266, Level 16, State 1, Line 119: The specified '@flags' is invalid (valid values are: 0, 2, 4, 8, 16, 32, 64).
--> Msg 14517, Level 16, State 1, Line 129: A proxy account is not allowed for a Transact-SQL subsystem.
--> Msg 14517, Level 16, State 1, Line 129: A proxy account is not allowed for a Transact-SQL subsystem.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 28: The specified '@step_id' is invalid (valid values are: 0 (all steps) ..3).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 28: The specified '@step_id' is invalid (valid values are: 0 (all steps) ..3).
--> [r:int]
--> 1
--> (1 rows affected)
-- no commands of the operating system, nor what is not here: refused by name
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @subsystem = N'CmdExec', @command = N'dir'; SELECT CASE WHEN @r <> 0 THEN 'refused' END AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @subsystem = N'PowerShell'; SELECT CASE WHEN @r <> 0 THEN 'refused' END AS r;
EXEC @r = msdb.dbo.sp_add_jobstep @job_name = N'job', @step_name = N'new', @subsystem = N'SSIS'; SELECT CASE WHEN @r <> 0 THEN 'refused' END AS r;
SELECT COUNT(*) AS steps FROM msdb.dbo.sysjobsteps;
GO
--> Msg 40517, Level 16, State 1, Line 49: A job step of the subsystem CmdExec is not supported in this version of Millpond.
--> [r:varchar(7)]
--> refused
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 49: A job step of the subsystem PowerShell is not supported in this version of Millpond.
--> [r:varchar(7)]
--> refused
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 49: A job step of the subsystem SSIS is not supported in this version of Millpond.
--> [r:varchar(7)]
--> refused
--> (1 rows affected)
--> [steps:int]
--> 3
--> (1 rows affected)
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
--> (3 rows affected)
--> (3 rows affected)
--> (1 rows affected)
--> [job_name:nvarchar(128) | step_id:int | step_name:nvarchar(128) | date_created:datetime | date_modified:datetime | log_size:float | log:nvarchar(max)]
--> job | 1 | ZERO | 2024-01-01 00:00:00.000 | 2024-01-01 00:00:00.000 | 0.5 | log of ZERO
--> job | 2 | it's ]two[ | 2024-01-01 00:00:00.000 | 2024-03-01 00:00:00.000 | 1.0 | log of it's ]two[
--> job | 3 | three | 2024-01-01 00:00:00.000 | 2024-03-01 00:00:00.000 | 1.5 | log of three
--> job | 3 | three | 2024-01-01 00:00:00.000 | 2024-03-01 00:00:00.000 | 1.5 | log of three
--> (4 rows affected)
--> Msg 14262, Level 16, State 1, Line 18: The specified @step_id ('9') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14524, Level 16, State 1, Line 24: Supply either @step_id or @step_name.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [log:nvarchar(max)]
--> log of it's ]two[
--> (1 rows affected)
--> [logs:int]
--> 0
--> (1 rows affected)
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
--> Msg 14582, Level 16, State 1, Line 124: Only a sysadmin can specify '@output_file_name' parameter for a jobstep.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14583, Level 16, State 1, Line 89: Only a sysadmin can specify '@database_user_name' parameter.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('job') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
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
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14528, Level 16, State 1, Line 22: Job "job" has no steps defined.
--> [r:int]
--> 1
--> (1 rows affected)
--> [step_id:int | step_name:nvarchar(128) | command:nvarchar(max) | database_name:nvarchar(128) | database_user_name:nvarchar(128) | on_success_action:tinyint | on_success_step_id:int | on_fail_action:tinyint | on_fail_step_id:int | retry_attempts:int | retry_interval:int | flags:int | output_file_name:nvarchar(200)]
--> (0 rows affected)
