-- What the Agent's jobs in msdb have done and what they do now, and throwing away what is no longer wanted of it.
CREATE PROCEDURE dbo.sp_help_jobhistory
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @step_id int = NULL,
    @sql_message_id int = NULL,
    @sql_severity int = NULL,
    @start_run_date int = NULL,
    @end_run_date int = NULL,
    @start_run_time int = NULL,
    @end_run_time int = NULL,
    @minimum_run_duration int = NULL,
    @run_status int = NULL,
    @minimum_retries int = NULL,
    @oldest_first int = 0,
    @server sysname = NULL,
    @mode varchar(7) = 'SUMMARY'
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @sees_all int;

    SELECT @job_name = NULLIF(LTRIM(RTRIM(@job_name)), N''), @server = NULLIF(LTRIM(RTRIM(@server)), N''),
        @mode = UPPER(LTRIM(RTRIM(@mode))), @oldest_first = ISNULL(@oldest_first, 0),
        @sees_all = CASE WHEN IS_SRVROLEMEMBER(N'sysadmin') = 1 OR IS_MEMBER(N'SQLAgentReaderRole') = 1 THEN 1 ELSE 0 END;

    IF @job_id IS NOT NULL OR @job_name IS NOT NULL
    BEGIN
        EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
        IF @retval <> 0
            RETURN (1);
    END
    IF @start_run_date IS NOT NULL
    BEGIN
        EXEC @retval = dbo.sp_verify_job_date @start_run_date, N'@start_run_date';
        IF @retval <> 0
            RETURN (1);
    END
    IF @end_run_date IS NOT NULL
    BEGIN
        EXEC @retval = dbo.sp_verify_job_date @end_run_date, N'@end_run_date';
        IF @retval <> 0
            RETURN (1);
    END
    EXEC @retval = dbo.sp_verify_job_time @start_run_time, N'@start_run_time';
    IF @retval <> 0
        RETURN (1);
    EXEC @retval = dbo.sp_verify_job_time @end_run_time, N'@end_run_time';
    IF @retval <> 0
        RETURN (1);
    IF @end_run_date < @start_run_date
    BEGIN
        RAISERROR(14288, 16, 1, N'@end_run_date', N'@start_run_date');
        RETURN (1);
    END
    IF @run_status NOT BETWEEN 0 AND 5
    BEGIN
        RAISERROR(14266, 16, 1, N'@run_status', N'0, 1, 2, 3, 4, 5');
        RETURN (1);
    END
    IF @oldest_first NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@oldest_first', N'0, 1');
        RETURN (1);
    END
    IF @mode IS NULL OR @mode NOT IN ('SUMMARY', 'FULL')
    BEGIN
        RAISERROR(14266, 16, 1, N'@mode', N'SUMMARY, FULL');
        RETURN (1);
    END

    DECLARE @rows TABLE (instance_id int NOT NULL PRIMARY KEY);
    INSERT INTO @rows (instance_id)
    SELECT h.instance_id
    FROM dbo.sysjobhistory AS h JOIN dbo.sysjobs AS j ON j.job_id = h.job_id
    WHERE (@sees_all = 1 OR j.owner_sid = SUSER_SID())
        AND (@job_id IS NULL OR h.job_id = @job_id)
        AND (@step_id IS NULL OR h.step_id = @step_id)
        AND (@sql_message_id IS NULL OR h.sql_message_id = @sql_message_id)
        AND (@sql_severity IS NULL OR h.sql_severity = @sql_severity)
        AND (@start_run_date IS NULL OR h.run_date >= @start_run_date)
        AND (@end_run_date IS NULL OR h.run_date <= @end_run_date)
        AND (@start_run_time IS NULL OR h.run_time >= @start_run_time)
        AND (@end_run_time IS NULL OR h.run_time <= @end_run_time)
        AND (@minimum_run_duration IS NULL OR h.run_duration >= @minimum_run_duration)
        AND (@run_status IS NULL OR h.run_status = @run_status)
        AND (@minimum_retries IS NULL OR h.retries_attempted >= @minimum_retries)
        AND (@server IS NULL OR h.server = @server
            OR (UPPER(@server) = N'(LOCAL)' AND h.server = CONVERT(sysname, SERVERPROPERTY('ServerName'))));

    IF @mode = 'SUMMARY'
        SELECT j.name AS job_name, h.run_status, h.run_date, h.run_time, h.run_duration,
            CAST(LEFT(email.name, 20) AS nvarchar(20)) AS operator_emailed,
            CAST(LEFT(netsend.name, 20) AS nvarchar(20)) AS operator_netsent,
            CAST(LEFT(pager.name, 20) AS nvarchar(20)) AS operator_paged,
            h.retries_attempted,
            CAST(h.server AS nvarchar(30)) AS server
        FROM @rows AS r
            JOIN dbo.sysjobhistory AS h ON h.instance_id = r.instance_id
            JOIN dbo.sysjobs AS j ON j.job_id = h.job_id
            LEFT JOIN dbo.sysoperators AS email ON email.id = h.operator_id_emailed
            LEFT JOIN dbo.sysoperators AS netsend ON netsend.id = h.operator_id_netsent
            LEFT JOIN dbo.sysoperators AS pager ON pager.id = h.operator_id_paged
        ORDER BY CASE @oldest_first WHEN 1 THEN h.instance_id ELSE -h.instance_id END;
    ELSE
        SELECT h.instance_id, h.job_id, j.name AS job_name, h.step_id, h.step_name, h.sql_message_id, h.sql_severity, h.message,
            h.run_status, h.run_date, h.run_time, h.run_duration,
            CAST(LEFT(email.name, 20) AS nvarchar(20)) AS operator_emailed,
            CAST(LEFT(netsend.name, 20) AS nvarchar(20)) AS operator_netsent,
            CAST(LEFT(pager.name, 20) AS nvarchar(20)) AS operator_paged,
            h.retries_attempted,
            CAST(h.server AS nvarchar(30)) AS server
        FROM @rows AS r
            JOIN dbo.sysjobhistory AS h ON h.instance_id = r.instance_id
            JOIN dbo.sysjobs AS j ON j.job_id = h.job_id
            LEFT JOIN dbo.sysoperators AS email ON email.id = h.operator_id_emailed
            LEFT JOIN dbo.sysoperators AS netsend ON netsend.id = h.operator_id_netsent
            LEFT JOIN dbo.sysoperators AS pager ON pager.id = h.operator_id_paged
        ORDER BY CASE @oldest_first WHEN 1 THEN h.instance_id ELSE -h.instance_id END;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_purge_jobhistory
    @job_name sysname = NULL,
    @job_id uniqueidentifier = NULL,
    @oldest_date datetime = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @purges_all int, @date int, @time int, @rows int;

    SELECT @job_name = NULLIF(LTRIM(RTRIM(@job_name)), N''),
        @purges_all = CASE WHEN IS_SRVROLEMEMBER(N'sysadmin') = 1 OR IS_MEMBER(N'SQLAgentOperatorRole') = 1 THEN 1 ELSE 0 END,
        @date = CONVERT(int, CONVERT(char(8), @oldest_date, 112)),
        @time = DATEPART(hour, @oldest_date) * 10000 + DATEPART(minute, @oldest_date) * 100 + DATEPART(second, @oldest_date);

    IF @job_id IS NOT NULL OR @job_name IS NOT NULL
    BEGIN
        EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
        IF @retval <> 0
            RETURN (1);
        IF @purges_all = 0 AND @owner_sid <> SUSER_SID()
        BEGIN
            RAISERROR(14392, 16, 1);
            RETURN (1);
        END
        DELETE FROM dbo.sysjobhistory
        WHERE job_id = @job_id AND (@oldest_date IS NULL OR run_date < @date OR (run_date = @date AND run_time < @time));
        SELECT @rows = @@ROWCOUNT;
    END
    ELSE
    BEGIN
        -- Without a job: of all jobs, and of jobs that are gone, or of the caller's own jobs.
        DELETE FROM dbo.sysjobhistory
        WHERE (@purges_all = 1 OR job_id IN (SELECT j.job_id FROM dbo.sysjobs AS j WHERE j.owner_sid = SUSER_SID()))
            AND (@oldest_date IS NULL OR run_date < @date OR (run_date = @date AND run_time < @time));
        SELECT @rows = @@ROWCOUNT;
    END
    RAISERROR(14226, 10, 1, @rows);
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_help_jobactivity
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @session_id int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @is_sysadmin int, @session_id_text nvarchar(12);

    SELECT @job_name = NULLIF(LTRIM(RTRIM(@job_name)), N''), @is_sysadmin = ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0);
    IF @job_id IS NOT NULL OR @job_name IS NOT NULL
    BEGIN
        EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
        IF @retval <> 0
            RETURN (1);
    END
    IF @session_id IS NULL
        SELECT @session_id = MAX(session_id) FROM dbo.syssessions;
    ELSE IF NOT EXISTS (SELECT * FROM dbo.syssessions WHERE session_id = @session_id)
    BEGIN
        SELECT @session_id_text = CONVERT(nvarchar(12), @session_id);
        RAISERROR(14262, 16, 1, N'@session_id', @session_id_text);
        RETURN (1);
    END

    SELECT a.session_id, a.job_id, j.name AS job_name, a.run_requested_date, a.run_requested_source, a.queued_date,
        a.start_execution_date, a.last_executed_step_id, a.last_executed_step_date, a.stop_execution_date,
        a.next_scheduled_run_date, a.job_history_id, CAST(h.message AS nvarchar(1024)) AS message, h.run_status,
        h.operator_id_emailed, h.operator_id_netsent, h.operator_id_paged
    FROM dbo.sysjobactivity AS a
        JOIN dbo.sysjobs AS j ON j.job_id = a.job_id
        LEFT JOIN dbo.sysjobhistory AS h ON h.instance_id = a.job_history_id
    WHERE a.session_id = @session_id
        AND (@job_id IS NULL OR a.job_id = @job_id)
        AND (@is_sysadmin = 1 OR j.owner_sid = SUSER_SID())
    ORDER BY j.name;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_cycle_agent_errorlog
AS
BEGIN
    SET NOCOUNT ON;
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN (1);
    END
    -- The Agent of this server keeps no error log of its own that could be closed.
    RAISERROR(40517, 16, 1, N'The error log of SQL Server Agent');
    RETURN (1);
END
GO
