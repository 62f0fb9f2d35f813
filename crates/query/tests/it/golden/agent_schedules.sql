-- The Agent's schedules: all kinds of them with their descriptions, attaching and detaching, and the values that are refused.
CREATE TABLE #schedule (schedule_id int, schedule_uid uniqueidentifier, schedule_name sysname, enabled int, freq_type int, freq_interval int,
    freq_subday_type int, freq_subday_interval int, freq_relative_interval int, freq_recurrence_factor int, active_start_date int,
    active_end_date int, active_start_time int, active_end_time int, date_created datetime, schedule_description nvarchar(4000), job_count int);
CREATE TABLE #jobschedule (schedule_id int, schedule_name sysname, enabled int, freq_type int, freq_interval int, freq_subday_type int,
    freq_subday_interval int, freq_relative_interval int, freq_recurrence_factor int, active_start_date int, active_end_date int,
    active_start_time int, active_end_time int, date_created datetime, schedule_description nvarchar(4000), next_run_date int,
    next_run_time int, schedule_uid uniqueidentifier, job_count int);
GO
DECLARE @r int, @id int, @uid uniqueidentifier;
EXEC @r = msdb.dbo.sp_add_schedule N'daily', @freq_type = 4, @freq_interval = 2, @active_start_date = 20240101, @active_start_time = 13005,
    @schedule_id = @id OUTPUT, @schedule_uid = @uid OUTPUT;
SELECT @r AS r, CASE WHEN @id = (SELECT MAX(schedule_id) FROM msdb.dbo.sysschedules) THEN 'id' END AS id,
    CASE WHEN @uid = (SELECT schedule_uid FROM msdb.dbo.sysschedules WHERE schedule_id = @id) THEN 'uid' END AS uid;
EXEC @r = msdb.dbo.sp_add_schedule N'hourly', @freq_type = 4, @freq_interval = 1, @freq_subday_type = 8, @freq_subday_interval = 3, @active_start_date = 20240101,
    @active_start_time = 60000, @active_end_time = 220000;
EXEC @r = msdb.dbo.sp_add_schedule N'every ten seconds', @freq_type = 4, @freq_interval = 1, @freq_subday_type = 2, @freq_subday_interval = 10, @active_start_date = 20240101;
EXEC @r = msdb.dbo.sp_add_schedule N'weekly', @freq_type = 8, @freq_interval = 42, @freq_recurrence_factor = 1, @freq_relative_interval = 4, @active_start_date = 20240101;
EXEC @r = msdb.dbo.sp_add_schedule N'monthly', @freq_type = 16, @freq_interval = 31, @freq_recurrence_factor = 3, @active_start_date = 20240101, @freq_subday_type = 4, @freq_subday_interval = 15;
EXEC @r = msdb.dbo.sp_add_schedule N'last weekday', @freq_type = 32, @freq_interval = 9, @freq_relative_interval = 16, @freq_recurrence_factor = 1, @active_start_date = 20240101;
EXEC @r = msdb.dbo.sp_add_schedule N'second tuesday', @freq_type = 32, @freq_interval = 3, @freq_relative_interval = 2, @freq_recurrence_factor = 1, @active_start_date = 20240101, @enabled = 0;
EXEC @r = msdb.dbo.sp_add_schedule N'at the start', @freq_type = 64, @active_start_date = 20240101;
EXEC @r = msdb.dbo.sp_add_schedule N'idle', @freq_type = 128, @active_start_date = 20240101;
EXEC @r = msdb.dbo.sp_add_schedule N'once ]''', @freq_type = 1, @active_start_date = 20240229, @active_start_time = 235959;
INSERT INTO #schedule EXEC msdb.dbo.sp_help_schedule @include_description = 1;
SELECT schedule_name, enabled, freq_type, freq_interval, freq_subday_type, freq_subday_interval, freq_relative_interval, freq_recurrence_factor,
    active_start_date, active_end_date, active_start_time, active_end_time, schedule_description, job_count FROM #schedule ORDER BY schedule_id;
EXEC @r = msdb.dbo.sp_add_schedule N'from today', @freq_type = 4;
SELECT freq_interval, freq_subday_type, CASE active_start_date WHEN CONVERT(char(8), GETDATE(), 112) THEN 'today' END AS start, version_number,
    SUSER_SNAME(owner_sid) AS owner FROM msdb.dbo.sysschedules WHERE name = N'from today';
GO
-- values that are refused
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_schedule N'', @freq_type = 4; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_schedule NULL, @freq_type = 4; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_schedule N'new'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 2; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 3;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @enabled = 2;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @freq_interval = 0;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 8, @freq_interval = 128, @freq_recurrence_factor = 1;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 8, @freq_interval = 0, @freq_recurrence_factor = 1;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 8, @freq_interval = 1;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 16, @freq_interval = 32, @freq_recurrence_factor = 1;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 32, @freq_interval = 1, @freq_recurrence_factor = 1;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 32, @freq_interval = 11, @freq_relative_interval = 1, @freq_recurrence_factor = 1;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @freq_subday_type = 3;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @freq_subday_type = 2, @freq_subday_interval = 9;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @freq_subday_type = 8;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @freq_subday_type = 4, @freq_subday_interval = 5, @active_start_time = 10000, @active_end_time = 10000;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @active_start_date = 19891231;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @active_start_date = 20241301;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @active_start_date = 20230229;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @active_start_date = 20240102, @active_end_date = 20240101;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @active_start_time = 240000;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @active_start_time = 6000;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @active_end_time = 60;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @active_start_time = -1;
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @owner_login_name = N'nobody';
EXEC @r = msdb.dbo.sp_add_schedule N'new', @freq_type = 4, @originating_server = N'elsewhere'; SELECT @r AS r;
SELECT COUNT(*) AS schedules FROM msdb.dbo.sysschedules WHERE name = N'new';
GO
-- jobs and schedules
EXEC msdb.dbo.sp_add_job N'one';
EXEC msdb.dbo.sp_add_job N'two';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'one', @schedule_name = N'daily'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'one', @schedule_name = N'daily'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'two', @schedule_name = N'daily'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'one', @schedule_name = N'once ]'''; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'one'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'one', @schedule_name = N'never'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'three', @schedule_name = N'daily'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'one', @schedule_id = 0; SELECT @r AS r;
EXEC msdb.dbo.sp_help_jobcount @schedule_name = N'daily';
EXEC msdb.dbo.sp_help_jobcount @schedule_name = N'weekly';
EXEC @r = msdb.dbo.sp_help_jobcount; SELECT @r AS r;
INSERT INTO #jobschedule EXEC msdb.dbo.sp_help_jobschedule @job_name = N'one';
INSERT INTO #jobschedule EXEC msdb.dbo.sp_help_jobschedule @job_name = N'two', @schedule_name = N'daily', @include_description = 1;
SELECT schedule_name, schedule_description, next_run_date, next_run_time, job_count FROM #jobschedule;
TRUNCATE TABLE #schedule;
INSERT INTO #schedule EXEC msdb.dbo.sp_help_schedule @attached_schedules_only = 1;
SELECT schedule_name, schedule_description, job_count FROM #schedule ORDER BY schedule_id;
CREATE TABLE #job (job_id uniqueidentifier, originating_server nvarchar(30), name sysname, enabled tinyint, description nvarchar(512),
    start_step_id int, category sysname, owner sysname, notify_level_eventlog int, notify_level_email int, notify_level_netsend int,
    notify_level_page int, notify_email_operator sysname, notify_netsend_operator sysname, notify_page_operator sysname,
    delete_level int, date_created datetime, date_modified datetime, version_number int, last_run_date int, last_run_time int,
    last_run_outcome int, next_run_date int, next_run_time int, next_run_schedule_id int, current_execution_status int,
    current_execution_step sysname, current_retry_attempt int, has_step int, has_schedule int, has_target int, type int);
INSERT INTO #job EXEC msdb.dbo.sp_help_jobs_in_schedule @schedule_name = N'daily';
SELECT name, version_number, has_schedule, has_target, type FROM #job;
DROP TABLE #job;
EXEC @r = msdb.dbo.sp_help_jobschedule; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_jobschedule @job_name = N'one', @schedule_id = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_jobschedule @job_name = N'one', @schedule_name = N'weekly'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_jobschedule @schedule_id = 0; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_schedule @schedule_name = N'never'; SELECT @r AS r;
GO
-- changes: a schedule of two jobs is not deleted by one of them
DECLARE @r int;
EXEC @r = msdb.dbo.sp_update_schedule @name = N'daily', @new_name = N'every day', @freq_interval = 1, @enabled = 0; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_schedule @name = N'every day', @freq_type = 8; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_schedule @name = N'every day', @active_end_date = 20230101; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_schedule @name = N'daily', @enabled = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_jobschedule @job_name = N'two', @name = N'every day', @enabled = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_jobschedule @job_name = N'two', @name = N'weekly', @enabled = 1; SELECT @r AS r;
SELECT name, enabled, freq_type, freq_interval, active_start_time, version_number FROM msdb.dbo.sysschedules WHERE name = N'every day';
EXEC @r = msdb.dbo.sp_delete_schedule @schedule_name = N'every day'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_jobschedule @job_name = N'two', @name = N'every day'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_detach_schedule @job_name = N'two', @schedule_name = N'weekly'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_detach_schedule @job_name = N'two', @schedule_name = N'every day', @delete_unused_schedule = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_jobschedule @job_name = N'two', @name = N'every day'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_detach_schedule @job_name = N'one', @schedule_name = N'every day', @delete_unused_schedule = 1; SELECT @r AS r;
SELECT COUNT(*) AS schedules FROM msdb.dbo.sysschedules WHERE name = N'every day';
EXEC @r = msdb.dbo.sp_delete_schedule @schedule_name = N'once ]''', @force_delete = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_schedule @schedule_name = N'never'; SELECT @r AS r;
SELECT COUNT(*) AS attached FROM msdb.dbo.sysjobschedules;
GO
-- a schedule that is made for a job; jobs whose scripts name the same schedule share it
DECLARE @r int, @uid uniqueidentifier = '5d2c1a77-31b5-4a52-9a0e-6a4f0a3a1b01';
EXEC @r = msdb.dbo.sp_add_jobschedule @job_name = N'one', @name = N'Saturday', @freq_type = 8, @freq_interval = 64, @freq_recurrence_factor = 1,
    @active_start_time = 20000, @schedule_uid = @uid; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobschedule @job_name = N'two', @name = N'Saturday', @freq_type = 8, @freq_interval = 64, @freq_recurrence_factor = 1,
    @schedule_uid = N'5d2c1a77-31b5-4a52-9a0e-6a4f0a3a1b01'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobschedule @job_name = N'one', @name = N'Saturday', @freq_type = 4, @freq_interval = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_jobschedule @job_name = N'one', @name = N'Sunday', @freq_type = 8, @freq_interval = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_schedule N'Saturday', @freq_type = 4, @schedule_uid = @uid; SELECT @r AS r;
SELECT j.name AS job, d.name, d.freq_interval, d.active_start_time
FROM msdb.dbo.sysjobschedules AS a JOIN msdb.dbo.sysjobs AS j ON j.job_id = a.job_id JOIN msdb.dbo.sysschedules AS d ON d.schedule_id = a.schedule_id
ORDER BY j.name;
EXEC @r = msdb.dbo.sp_delete_job @job_name = N'one';
SELECT COUNT(*) AS schedules FROM msdb.dbo.sysschedules WHERE name = N'Saturday';
EXEC @r = msdb.dbo.sp_delete_jobschedule @job_name = N'two', @name = N'Saturday', @keep_schedule = 1; SELECT @r AS r;
SELECT COUNT(*) AS schedules FROM msdb.dbo.sysschedules WHERE name = N'Saturday';
GO
-- two of one name
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_schedule N'weekly', @freq_type = 4;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'two', @schedule_name = N'weekly'; SELECT @r AS r;
GO
-- owners of schedules
CREATE LOGIN agent_ann WITH PASSWORD = 'Str0ng!pass';
CREATE LOGIN agent_ben WITH PASSWORD = 'Str0ng!pass';
USE msdb;
CREATE USER agent_ann;
CREATE USER agent_ben;
ALTER ROLE SQLAgentUserRole ADD MEMBER agent_ann;
ALTER ROLE SQLAgentOperatorRole ADD MEMBER agent_ben;
GO
EXECUTE AS LOGIN = 'agent_ann';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_job N'mine';
EXEC @r = msdb.dbo.sp_add_jobschedule @job_name = N'mine', @name = N'my days', @freq_type = 4, @freq_interval = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_schedule N'theirs', @freq_type = 4, @owner_login_name = N'sa'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'mine', @schedule_name = N'monthly'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_schedule @name = N'my days', @owner_login_name = N'sa'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_schedule @schedule_name = N'monthly'; SELECT @r AS r;
REVERT;
GO
EXECUTE AS LOGIN = 'agent_ben';
DECLARE @r int;
EXEC @r = msdb.dbo.sp_update_schedule @name = N'my days', @enabled = 0; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_schedule @name = N'my days', @enabled = 0, @freq_interval = 3; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_schedule @schedule_name = N'my days', @force_delete = 1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'mine', @schedule_name = N'monthly'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_detach_schedule @job_name = N'mine', @schedule_name = N'my days'; SELECT @r AS r;
REVERT;
SELECT name, enabled, freq_interval, SUSER_SNAME(owner_sid) AS owner FROM msdb.dbo.sysschedules WHERE name = N'my days';
GO
EXEC msdb.dbo.sp_delete_job @job_name = N'two';
EXEC msdb.dbo.sp_delete_job @job_name = N'mine';
DECLARE @id int = (SELECT MIN(schedule_id) FROM msdb.dbo.sysschedules);
WHILE @id IS NOT NULL
BEGIN
    EXEC msdb.dbo.sp_delete_schedule @schedule_id = @id;
    SET @id = (SELECT MIN(schedule_id) FROM msdb.dbo.sysschedules);
END
SELECT COUNT(*) AS schedules FROM msdb.dbo.sysschedules;
DROP USER agent_ann;
DROP USER agent_ben;
DROP LOGIN agent_ann;
DROP LOGIN agent_ben;
DROP TABLE #schedule;
DROP TABLE #jobschedule;
GO
