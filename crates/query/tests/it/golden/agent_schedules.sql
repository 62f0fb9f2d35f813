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
--> [r:int | id:varchar(2) | uid:varchar(3)]
--> 0 | id | uid
--> (1 rows affected)
--> (10 rows affected)
--> [schedule_name:nvarchar(128) | enabled:int | freq_type:int | freq_interval:int | freq_subday_type:int | freq_subday_interval:int | freq_relative_interval:int | freq_recurrence_factor:int | active_start_date:int | active_end_date:int | active_start_time:int | active_end_time:int | schedule_description:nvarchar(4000) | job_count:int]
--> daily | 1 | 4 | 2 | 1 | 0 | 0 | 0 | 20240101 | 99991231 | 13005 | 235959 | Every 2 day(s) at 01:30:05 | 0
--> hourly | 1 | 4 | 1 | 8 | 3 | 0 | 0 | 20240101 | 99991231 | 60000 | 220000 | Every 1 day(s) every 3 hour(s) between 06:00:00 and 22:00:00 | 0
--> every ten seconds | 1 | 4 | 1 | 2 | 10 | 0 | 0 | 20240101 | 99991231 | 0 | 235959 | Every 1 day(s) every 10 second(s) between 00:00:00 and 23:59:59 | 0
--> weekly | 1 | 8 | 42 | 1 | 0 | 0 | 1 | 20240101 | 99991231 | 0 | 235959 | Every 1 week(s) on Monday, Wednesday, Friday at 00:00:00 | 0
--> monthly | 1 | 16 | 31 | 4 | 15 | 0 | 3 | 20240101 | 99991231 | 0 | 235959 | Every 3 month(s) on day 31 of that month every 15 minute(s) between 00:00:00 and 23:59:59 | 0
--> last weekday | 1 | 32 | 9 | 1 | 0 | 16 | 1 | 20240101 | 99991231 | 0 | 235959 | Every 1 month(s) on the last weekday of that month at 00:00:00 | 0
--> second tuesday | 0 | 32 | 3 | 1 | 0 | 2 | 1 | 20240101 | 99991231 | 0 | 235959 | Every 1 month(s) on the second Tuesday of that month at 00:00:00 | 0
--> at the start | 1 | 64 | 0 | 0 | 0 | 0 | 0 | 20240101 | 99991231 | 0 | 235959 | Automatically starts when SQLServerAgent starts. | 0
--> idle | 1 | 128 | 0 | 0 | 0 | 0 | 0 | 20240101 | 99991231 | 0 | 235959 | Starts whenever the CPU is idle. | 0
--> once ]' | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 20240229 | 99991231 | 235959 | 235959 | Once on 2024-02-29 at 23:59:59 | 0
--> (10 rows affected)
--> [freq_interval:int | freq_subday_type:int | start:varchar(5) | version_number:int | owner:nvarchar(128)]
--> 1 | 1 | today | 1 | sa
--> (1 rows affected)
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
--> Msg 14200, Level 16, State 1, Line 23: The specified '@name' is invalid.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14200, Level 16, State 1, Line 23: The specified '@name' is invalid.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 38: The specified '@freq_type' is invalid (valid values are: 1, 4, 8, 16, 32, 64, 128).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14295, Level 16, State 1, Line 33: Frequency Type 0x2 (OnDemand) is no longer supported.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 38: The specified '@freq_type' is invalid (valid values are: 1, 4, 8, 16, 32, 64, 128).
--> Msg 14266, Level 16, State 1, Line 28: The specified '@enabled' is invalid (valid values are: 0, 1).
--> Msg 14278, Level 16, State 1, Line 88: The schedule for this job is invalid (reason: @freq_interval must be at least 1 for a daily job.).
--> Msg 14278, Level 16, State 1, Line 88: The schedule for this job is invalid (reason: @freq_interval must be a valid day of the week bitmask [Sunday = 1 .. Saturday = 64] for a weekly job.).
--> Msg 14278, Level 16, State 1, Line 88: The schedule for this job is invalid (reason: @freq_interval must be a valid day of the week bitmask [Sunday = 1 .. Saturday = 64] for a weekly job.).
--> Msg 14278, Level 16, State 1, Line 88: The schedule for this job is invalid (reason: @freq_recurrence_factor must be at least 1.).
--> Msg 14278, Level 16, State 1, Line 88: The schedule for this job is invalid (reason: @freq_interval must be between 1 and 31 for a monthly job.).
--> Msg 14278, Level 16, State 1, Line 88: The schedule for this job is invalid (reason: @freq_relative_interval must be one of 1st (0x1), 2nd (0x2), 3rd [0x4], 4th (0x8) or Last (0x10).).
--> Msg 14278, Level 16, State 1, Line 88: The schedule for this job is invalid (reason: @freq_interval must be between 1 and 10 (1 = Sunday .. 7 = Saturday, 8 = Day, 9 = Weekday, 10 = Weekend-day) for a monthly-relative job.).
--> Msg 14266, Level 16, State 1, Line 54: The specified '@freq_subday_type' is invalid (valid values are: 0x1, 0x2, 0x4, 0x8).
--> Msg 14200, Level 16, State 1, Line 69: The specified '@freq_subday_interval' is invalid.
--> Msg 14200, Level 16, State 1, Line 69: The specified '@freq_subday_interval' is invalid.
--> Msg 14266, Level 16, State 1, Line 111: The specified '@active_end_time' is invalid (valid values are: before or after @active_start_time).
--> Msg 14266, Level 16, State 1, Line 11: The specified '@active_start_date' is invalid (valid values are: 19900101..99991231).
--> Msg 14287, Level 16, State 1, Line 20: The '@active_start_date' supplied has an invalid month.
--> Msg 14287, Level 16, State 1, Line 20: The '@active_start_date' supplied has an invalid day.
--> Msg 14288, Level 16, State 1, Line 100: @active_end_date cannot be before @active_start_date.
--> Msg 14287, Level 16, State 1, Line 21: The '@active_start_time' supplied has an invalid hour.
--> Msg 14287, Level 16, State 1, Line 21: The '@active_start_time' supplied has an invalid minute.
--> Msg 14287, Level 16, State 1, Line 21: The '@active_end_time' supplied has an invalid second.
--> Msg 14266, Level 16, State 1, Line 11: The specified '@active_start_time' is invalid (valid values are: 000000..235959).
--> Msg 14234, Level 16, State 1, Line 121: The specified '@owner_login_name' is invalid (valid values are returned by sp_helplogins [excluding Windows NT groups]).
--> Msg 14275, Level 16, State 1, Line 31: The originating server must be either local server or MSX server.
--> [r:int]
--> 1
--> (1 rows affected)
--> [schedules:int]
--> 0
--> (1 rows affected)
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
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14373, Level 16, State 1, Line 16: Supply either @schedule_id or @schedule_name to identify the schedule.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 49: The specified @schedule_name ('never') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('three') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 33: The specified @schedule_id ('0') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> [JOBCOUNT:int]
--> 2
--> [JOBCOUNT:int]
--> 0
--> Msg 14373, Level 16, State 1, Line 16: Supply either @schedule_id or @schedule_name to identify the schedule.
--> [r:int]
--> 1
--> (1 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> [schedule_name:nvarchar(128) | schedule_description:nvarchar(4000) | next_run_date:int | next_run_time:int | job_count:int]
--> daily | (Description not requested.) | 0 | 0 | 2
--> once ]' | (Description not requested.) | 0 | 0 | 1
--> daily | Every 2 day(s) at 01:30:05 | 0 | 0 | 2
--> (3 rows affected)
--> (2 rows affected)
--> [schedule_name:nvarchar(128) | schedule_description:nvarchar(4000) | job_count:int]
--> daily | (Description not requested.) | 2
--> once ]' | (Description not requested.) | 1
--> (2 rows affected)
--> (2 rows affected)
--> [name:nvarchar(128) | version_number:int | has_schedule:int | has_target:int | type:int]
--> one | 3 | 2 | 0 | 0
--> two | 2 | 1 | 0 | 0
--> (2 rows affected)
--> Msg 14273, Level 16, State 1, Line 18: You must provide either @job_id or @job_name (and, optionally, @schedule_name), or @schedule_id.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14273, Level 16, State 1, Line 18: You must provide either @job_id or @job_name (and, optionally, @schedule_name), or @schedule_id.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 48: The specified @schedule_name ('weekly') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 28: The specified @schedule_id ('0') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 49: The specified @schedule_name ('never') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
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
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14278, Level 16, State 1, Line 88: The schedule for this job is invalid (reason: @freq_recurrence_factor must be at least 1.).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14288, Level 16, State 1, Line 100: @active_end_date cannot be before @active_start_date.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 49: The specified @name ('daily') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14374, Level 16, State 1, Line 32: The specified schedule name "weekly" is not associated with the job "two".
--> [r:int]
--> 1
--> (1 rows affected)
--> [name:nvarchar(128) | enabled:int | freq_type:int | freq_interval:int | active_start_time:int | version_number:int]
--> every day | 1 | 4 | 1 | 13005 | 3
--> (1 rows affected)
--> Msg 14372, Level 16, State 1, Line 21: The schedule was not deleted because it is being used by one or more jobs.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14368, Level 16, State 1, Line 32: Schedule "every day" was not deleted because it is being used by at least one other job. Use "sp_detach_schedule" to remove schedules from a job.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14374, Level 16, State 1, Line 22: The specified schedule name "weekly" is not associated with the job "two".
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14374, Level 16, State 1, Line 22: The specified schedule name "every day" is not associated with the job "two".
--> [r:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [schedules:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 49: The specified @schedule_name ('never') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> [attached:int]
--> 0
--> (1 rows affected)
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
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 44: The specified @name ('Saturday') already exists.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14278, Level 16, State 1, Line 88: The schedule for this job is invalid (reason: @freq_recurrence_factor must be at least 1.).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 43: The specified @schedule_uid ('5D2C1A77-31B5-4A52-9A0E-6A4F0A3A1B01') already exists.
--> [r:int]
--> 1
--> (1 rows affected)
--> [job:nvarchar(128) | name:nvarchar(128) | freq_interval:int | active_start_time:int]
--> one | Saturday | 64 | 20000
--> two | Saturday | 64 | 20000
--> (2 rows affected)
--> [schedules:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [schedules:int]
--> 1
--> (1 rows affected)
-- two of one name
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_schedule N'weekly', @freq_type = 4;
EXEC @r = msdb.dbo.sp_attach_schedule @job_name = N'two', @schedule_name = N'weekly'; SELECT @r AS r;
GO
--> Msg 14371, Level 16, State 1, Line 55: There are two or more schedules named "weekly". Specify @schedule_id instead of @schedule_name to uniquely identify the schedule.
--> [r:int]
--> 1
--> (1 rows affected)
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
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14366, Level 16, State 1, Line 37: Only members of sysadmin role can modify the owner of a schedule.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 49: The specified @schedule_name ('monthly') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14366, Level 16, State 1, Line 42: Only members of sysadmin role can modify the owner of a schedule.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 49: The specified @schedule_name ('monthly') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
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
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 14394, Level 16, State 1, Line 37: Only owner of a job schedule or members of sysadmin role can modify or delete the job schedule.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14394, Level 16, State 1, Line 16: Only owner of a job schedule or members of sysadmin role can modify or delete the job schedule.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14377, Level 16, State 1, Line 23: The schedule was not attached to the specified job. The caller must own the job or the operation must be performed by a sysadmin.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14391, Level 16, State 1, Line 33: Only owner of a job or members of sysadmin role can detach a schedule.
--> [r:int]
--> 1
--> (1 rows affected)
--> [name:nvarchar(128) | enabled:int | freq_interval:int | owner:nvarchar(128)]
--> my days | 0 | 1 | agent_ann
--> (1 rows affected)
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
--> [schedules:int]
--> 0
--> (1 rows affected)
