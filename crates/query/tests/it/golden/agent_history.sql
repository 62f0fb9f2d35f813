-- The history and the activity of the Agent's jobs, as the Agent writes them: lists with their filters, and throwing away.
EXEC msdb.dbo.sp_add_job N'job';
EXEC msdb.dbo.sp_add_job N'other';
INSERT INTO msdb.dbo.sysjobhistory (job_id, step_id, step_name, sql_message_id, sql_severity, message, run_status, run_date, run_time,
    run_duration, retries_attempted, server)
SELECT j.job_id, h.step_id, h.step_name, h.number, h.severity, h.message, h.status, h.run_date, h.run_time, h.duration, h.retries, N'HERE'
FROM (VALUES
    (1, N'job', 1, N'one', 0, 0, N'Executed as user: sa. The step succeeded.', 1, 20240101, 20000, 5, 0),
    (2, N'job', 0, N'(Job outcome)', 0, 0, N'The job succeeded.', 1, 20240101, 20000, 6, 0),
    (3, N'job', 1, N'one', 208, 16, N'Invalid object name.', 2, 20240102, 20000, 100, 2),
    (4, N'job', 0, N'(Job outcome)', 0, 0, N'The job failed.', 0, 20240102, 20000, 101, 0),
    (5, N'other', 0, N'(Job outcome)', 0, 0, N'The job was stopped.', 3, 20240103, 30000, 0, 0)
) AS h (n, job, step_id, step_name, number, severity, message, status, run_date, run_time, duration, retries)
    JOIN msdb.dbo.sysjobs AS j ON j.name = h.job
ORDER BY h.n;
GO
--> (5 rows affected)
EXEC msdb.dbo.sp_help_jobhistory;
EXEC msdb.dbo.sp_help_jobhistory @job_name = N'job', @oldest_first = 1;
GO
--> [job_name:nvarchar(128) | run_status:int | run_date:int | run_time:int | run_duration:int | operator_emailed:nvarchar(20) | operator_netsent:nvarchar(20) | operator_paged:nvarchar(20) | retries_attempted:int | server:nvarchar(30)]
--> other | 3 | 20240103 | 30000 | 0 | NULL | NULL | NULL | 0 | HERE
--> job | 0 | 20240102 | 20000 | 101 | NULL | NULL | NULL | 0 | HERE
--> job | 2 | 20240102 | 20000 | 100 | NULL | NULL | NULL | 2 | HERE
--> job | 1 | 20240101 | 20000 | 6 | NULL | NULL | NULL | 0 | HERE
--> job | 1 | 20240101 | 20000 | 5 | NULL | NULL | NULL | 0 | HERE
--> [job_name:nvarchar(128) | run_status:int | run_date:int | run_time:int | run_duration:int | operator_emailed:nvarchar(20) | operator_netsent:nvarchar(20) | operator_paged:nvarchar(20) | retries_attempted:int | server:nvarchar(30)]
--> job | 1 | 20240101 | 20000 | 5 | NULL | NULL | NULL | 0 | HERE
--> job | 1 | 20240101 | 20000 | 6 | NULL | NULL | NULL | 0 | HERE
--> job | 2 | 20240102 | 20000 | 100 | NULL | NULL | NULL | 2 | HERE
--> job | 0 | 20240102 | 20000 | 101 | NULL | NULL | NULL | 0 | HERE
CREATE TABLE #history (instance_id int, job_id uniqueidentifier, job_name sysname, step_id int, step_name sysname, sql_message_id int,
    sql_severity int, message nvarchar(4000), run_status int, run_date int, run_time int, run_duration int, operator_emailed nvarchar(20),
    operator_netsent nvarchar(20), operator_paged nvarchar(20), retries_attempted int, server nvarchar(30));
INSERT INTO #history EXEC msdb.dbo.sp_help_jobhistory @mode = 'FULL', @job_name = N'job', @step_id = 1, @oldest_first = 1;
INSERT INTO #history EXEC msdb.dbo.sp_help_jobhistory @mode = 'full', @run_status = 3;
INSERT INTO #history EXEC msdb.dbo.sp_help_jobhistory @mode = 'FULL', @sql_message_id = 208, @sql_severity = 16;
INSERT INTO #history EXEC msdb.dbo.sp_help_jobhistory @mode = 'FULL', @start_run_date = 20240102, @end_run_date = 20240102, @minimum_run_duration = 101;
INSERT INTO #history EXEC msdb.dbo.sp_help_jobhistory @mode = 'FULL', @start_run_time = 20001, @end_run_time = 235959;
INSERT INTO #history EXEC msdb.dbo.sp_help_jobhistory @mode = 'FULL', @minimum_retries = 1, @server = N'here';
INSERT INTO #history EXEC msdb.dbo.sp_help_jobhistory @mode = 'FULL', @server = N'there';
SELECT job_name, step_id, step_name, sql_message_id, sql_severity, message, run_status, run_date, run_time, run_duration, operator_emailed,
    retries_attempted, server FROM #history;
DROP TABLE #history;
GO
--> (2 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (0 rows affected)
--> [job_name:nvarchar(128) | step_id:int | step_name:nvarchar(128) | sql_message_id:int | sql_severity:int | message:nvarchar(4000) | run_status:int | run_date:int | run_time:int | run_duration:int | operator_emailed:nvarchar(20) | retries_attempted:int | server:nvarchar(30)]
--> job | 1 | one | 0 | 0 | Executed as user: sa. The step succeeded. | 1 | 20240101 | 20000 | 5 | NULL | 0 | HERE
--> job | 1 | one | 208 | 16 | Invalid object name. | 2 | 20240102 | 20000 | 100 | NULL | 2 | HERE
--> other | 0 | (Job outcome) | 0 | 0 | The job was stopped. | 3 | 20240103 | 30000 | 0 | NULL | 0 | HERE
--> job | 1 | one | 208 | 16 | Invalid object name. | 2 | 20240102 | 20000 | 100 | NULL | 2 | HERE
--> job | 0 | (Job outcome) | 0 | 0 | The job failed. | 0 | 20240102 | 20000 | 101 | NULL | 0 | HERE
--> other | 0 | (Job outcome) | 0 | 0 | The job was stopped. | 3 | 20240103 | 30000 | 0 | NULL | 0 | HERE
--> job | 1 | one | 208 | 16 | Invalid object name. | 2 | 20240102 | 20000 | 100 | NULL | 2 | HERE
--> (7 rows affected)
-- what is refused
DECLARE @r int;
EXEC @r = msdb.dbo.sp_help_jobhistory @job_name = N'nothing'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_jobhistory @mode = 'BRIEF'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_jobhistory @start_run_date = 20240230;
EXEC @r = msdb.dbo.sp_help_jobhistory @start_run_date = 20240102, @end_run_date = 20240101;
EXEC @r = msdb.dbo.sp_help_jobhistory @end_run_time = 250000;
EXEC @r = msdb.dbo.sp_help_jobhistory @run_status = 6;
EXEC @r = msdb.dbo.sp_help_jobhistory @oldest_first = 2;
EXEC @r = msdb.dbo.sp_purge_jobhistory N'nothing'; SELECT @r AS r;
GO
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('nothing') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 67: The specified '@mode' is invalid (valid values are: SUMMARY, FULL).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14287, Level 16, State 1, Line 20: The '@start_run_date' supplied has an invalid day.
--> Msg 14288, Level 16, State 1, Line 52: @end_run_date cannot be before @start_run_date.
--> Msg 14287, Level 16, State 1, Line 21: The '@end_run_time' supplied has an invalid hour.
--> Msg 14266, Level 16, State 1, Line 57: The specified '@run_status' is invalid (valid values are: 0, 1, 2, 3, 4, 5).
--> Msg 14266, Level 16, State 1, Line 62: The specified '@oldest_first' is invalid (valid values are: 0, 1).
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('nothing') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
-- what jobs do
INSERT INTO msdb.dbo.syssessions (agent_start_date) VALUES ('20240101');
DECLARE @session int = (SELECT MAX(session_id) FROM msdb.dbo.syssessions), @r int;
INSERT INTO msdb.dbo.sysjobactivity (session_id, job_id, run_requested_date, run_requested_source, start_execution_date, last_executed_step_id,
    stop_execution_date, job_history_id)
SELECT @session, j.job_id, '20240102', N'4', '20240102', 1, CASE j.name WHEN N'job' THEN '20240103' END,
    (SELECT MAX(h.instance_id) FROM msdb.dbo.sysjobhistory AS h WHERE h.job_id = j.job_id AND h.step_id = 0)
FROM msdb.dbo.sysjobs AS j;
CREATE TABLE #activity (session_id int, job_id uniqueidentifier, job_name sysname, run_requested_date datetime, run_requested_source sysname NULL,
    queued_date datetime, start_execution_date datetime, last_executed_step_id int, last_executed_step_date datetime, stop_execution_date datetime,
    next_scheduled_run_date datetime, job_history_id int, message nvarchar(1024), run_status int, operator_id_emailed int,
    operator_id_netsent int, operator_id_paged int);
INSERT INTO #activity EXEC msdb.dbo.sp_help_jobactivity;
INSERT INTO #activity EXEC msdb.dbo.sp_help_jobactivity @job_name = N'job', @session_id = @session;
SELECT job_name, run_requested_date, run_requested_source, start_execution_date, last_executed_step_id, stop_execution_date, message, run_status FROM #activity;
DROP TABLE #activity;
EXEC @r = msdb.dbo.sp_help_jobactivity @session_id = -1; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_jobactivity @job_name = N'nothing'; SELECT @r AS r;
GO
--> (1 rows affected)
--> (2 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> [job_name:nvarchar(128) | run_requested_date:datetime | run_requested_source:nvarchar(128) | start_execution_date:datetime | last_executed_step_id:int | stop_execution_date:datetime | message:nvarchar(1024) | run_status:int]
--> job | 2024-01-02 00:00:00.000 | 4 | 2024-01-02 00:00:00.000 | 1 | 2024-01-03 00:00:00.000 | The job failed. | 0
--> other | 2024-01-02 00:00:00.000 | 4 | 2024-01-02 00:00:00.000 | 1 | NULL | The job was stopped. | 3
--> job | 2024-01-02 00:00:00.000 | 4 | 2024-01-02 00:00:00.000 | 1 | 2024-01-03 00:00:00.000 | The job failed. | 0
--> (3 rows affected)
--> Msg 14262, Level 16, State 1, Line 22: The specified @session_id ('-1') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 38: The specified @job_name ('nothing') does not exist.
--> [r:int]
--> 1
--> (1 rows affected)
-- throwing away
DECLARE @r int;
EXEC @r = msdb.dbo.sp_purge_jobhistory @job_name = N'job', @oldest_date = '20240102'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_purge_jobhistory @oldest_date = '20240103 03:00:00'; SELECT @r AS r;
SELECT message FROM msdb.dbo.sysjobhistory;
EXEC @r = msdb.dbo.sp_purge_jobhistory; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_cycle_agent_errorlog; SELECT CASE WHEN @r <> 0 THEN 'refused' END AS r;
GO
--> # 2 history entries purged.
--> [r:int]
--> 0
--> (1 rows affected)
--> # 2 history entries purged.
--> [r:int]
--> 0
--> (1 rows affected)
--> [message:nvarchar(4000)]
--> The job was stopped.
--> (1 rows affected)
--> # 1 history entries purged.
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 11: The error log of SQL Server Agent is not supported in this version of Millpond.
--> [r:varchar(7)]
--> refused
--> (1 rows affected)
-- the history of a deleted job goes or stays
INSERT INTO msdb.dbo.sysjobhistory (job_id, step_id, step_name, run_status, run_date, run_time, server)
SELECT job_id, 0, N'(Job outcome)', 1, 20240101, 0, N'HERE' FROM msdb.dbo.sysjobs;
EXEC msdb.dbo.sp_delete_job @job_name = N'job', @delete_history = 0;
EXEC msdb.dbo.sp_delete_job @job_name = N'other';
SELECT COUNT(*) AS kept FROM msdb.dbo.sysjobhistory;
EXEC msdb.dbo.sp_help_jobhistory;
EXEC msdb.dbo.sp_purge_jobhistory;
DELETE FROM msdb.dbo.syssessions WHERE agent_start_date = '20240101';
GO
--> (2 rows affected)
--> [kept:int]
--> 1
--> (1 rows affected)
--> [job_name:nvarchar(128) | run_status:int | run_date:int | run_time:int | run_duration:int | operator_emailed:nvarchar(20) | operator_netsent:nvarchar(20) | operator_paged:nvarchar(20) | retries_attempted:int | server:nvarchar(30)]
--> # 1 history entries purged.
--> (1 rows affected)
