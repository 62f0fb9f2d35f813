-- The steps of the Agent's jobs in msdb, and the logs that steps leave in a table. sp_verify_jobstep is what adding and
-- changing a step share. Steps of the subsystem TSQL run; this server runs no commands of the operating system.
CREATE PROCEDURE dbo.sp_verify_jobstep
    @job_id uniqueidentifier,
    @step_id int,
    @old_step_name sysname,
    @step_name sysname,
    @subsystem nvarchar(40) OUTPUT,
    @on_success_action tinyint,
    @on_success_step_id int,
    @on_fail_action tinyint,
    @on_fail_step_id int,
    @database_name sysname OUTPUT,
    @database_user_name sysname,
    @retry_attempts int,
    @retry_interval int,
    @os_run_priority int,
    @output_file_name nvarchar(200),
    @flags int,
    @proxy_id int,
    @proxy_name sysname,
    @last_step_id int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @known_subsystem nvarchar(40), @feature nvarchar(120), @is_sysadmin int, @users int, @statement nvarchar(400);

    SELECT @is_sysadmin = ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0);

    IF @step_name IS NULL
    BEGIN
        RAISERROR(14200, 16, 1, N'@step_name');
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.sysjobsteps
        WHERE job_id = @job_id AND step_name = @step_name AND (@old_step_name IS NULL OR step_name <> @old_step_name))
    BEGIN
        RAISERROR(14261, 16, 1, N'@step_name', @step_name);
        RETURN (1);
    END

    SELECT @known_subsystem = subsystem FROM dbo.syssubsystems WHERE UPPER(subsystem) = UPPER(@subsystem);
    IF @known_subsystem IS NULL
    BEGIN
        RAISERROR(14234, 16, 1, N'@subsystem', N'sp_enum_sqlagent_subsystems');
        RETURN (1);
    END
    IF @known_subsystem <> N'TSQL'
    BEGIN
        SELECT @feature = N'A job step of the subsystem ' + @known_subsystem;
        RAISERROR(40517, 16, 1, @feature);
        RETURN (1);
    END
    SELECT @subsystem = @known_subsystem;

    IF @on_success_action IS NULL OR @on_success_action NOT IN (1, 2, 3, 4)
    BEGIN
        RAISERROR(14266, 16, 1, N'@on_success_action', N'1, 2, 3, 4');
        RETURN (1);
    END
    IF @on_fail_action IS NULL OR @on_fail_action NOT IN (1, 2, 3, 4)
    BEGIN
        RAISERROR(14266, 16, 1, N'@on_fail_action', N'1, 2, 3, 4');
        RETURN (1);
    END
    IF @on_success_action = 4 AND (@on_success_step_id IS NULL OR @on_success_step_id < 1 OR @on_success_step_id = @step_id)
    BEGIN
        RAISERROR(14235, 16, 1, N'@on_success_step', @step_id);
        RETURN (1);
    END
    IF @on_fail_action = 4 AND (@on_fail_step_id IS NULL OR @on_fail_step_id < 1 OR @on_fail_step_id = @step_id)
    BEGIN
        RAISERROR(14235, 16, 1, N'@on_fail_step', @step_id);
        RETURN (1);
    END
    IF @on_success_action = 4 AND @on_success_step_id > @last_step_id
        RAISERROR(14236, 10, 1, N'@on_success_step_id');
    IF @on_fail_action = 4 AND @on_fail_step_id > @last_step_id
        RAISERROR(14236, 10, 1, N'@on_fail_step_id');

    SELECT @database_name = ISNULL(@database_name, N'master');
    IF DB_ID(@database_name) IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@database_name', @database_name);
        RETURN (1);
    END
    IF @database_user_name IS NOT NULL
    BEGIN
        IF @is_sysadmin = 0
        BEGIN
            RAISERROR(14583, 16, 1);
            RETURN (1);
        END
        SELECT @statement = N'SELECT @users = COUNT(*) FROM ' + QUOTENAME(@database_name)
            + N'.sys.database_principals WHERE name = @user AND type IN (''S'', ''U'', ''E'', ''C'', ''K'')';
        EXEC sys.sp_executesql @statement, N'@user sysname, @users int OUTPUT', @database_user_name, @users OUTPUT;
        IF ISNULL(@users, 0) = 0
        BEGIN
            RAISERROR(14262, 16, 1, N'@database_user_name', @database_user_name);
            RETURN (1);
        END
    END

    IF @retry_attempts IS NULL OR @retry_attempts < 0
    BEGIN
        RAISERROR(14266, 16, 1, N'@retry_attempts', N'0..n');
        RETURN (1);
    END
    IF @retry_interval IS NULL OR @retry_interval < 0
    BEGIN
        RAISERROR(14266, 16, 1, N'@retry_interval', N'0..n');
        RETURN (1);
    END
    IF @os_run_priority IS NULL OR @os_run_priority NOT IN (-15, -1, 0, 1, 15)
    BEGIN
        RAISERROR(14266, 16, 1, N'@os_run_priority', N'-15, -1, 0, 1, 15');
        RETURN (1);
    END
    IF @flags IS NULL OR @flags NOT BETWEEN 0 AND 127
    BEGIN
        RAISERROR(14266, 16, 1, N'@flags', N'0, 2, 4, 8, 16, 32, 64');
        RETURN (1);
    END
    IF @output_file_name IS NOT NULL AND @is_sysadmin = 0
    BEGIN
        RAISERROR(14582, 16, 1);
        RETURN (1);
    END
    IF @proxy_id IS NOT NULL OR @proxy_name IS NOT NULL
    BEGIN
        RAISERROR(14517, 16, 1);
        RETURN (1);
    END
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_add_jobstep
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @step_id int = NULL,
    @step_name sysname,
    @subsystem nvarchar(40) = N'TSQL',
    @command nvarchar(max) = NULL,
    @additional_parameters nvarchar(max) = NULL,
    @cmdexec_success_code int = 0,
    @on_success_action tinyint = 1,
    @on_success_step_id int = 0,
    @on_fail_action tinyint = 2,
    @on_fail_step_id int = 0,
    @server sysname = NULL,
    @database_name sysname = NULL,
    @database_user_name sysname = NULL,
    @retry_attempts int = 0,
    @retry_interval int = 0,
    @os_run_priority int = 0,
    @output_file_name nvarchar(200) = NULL,
    @flags int = 0,
    @proxy_id int = NULL,
    @proxy_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @last_step_id int, @valid_steps nvarchar(60);

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14525, 16, 1);
        RETURN (1);
    END

    SELECT @step_name = NULLIF(LTRIM(RTRIM(@step_name)), N''),
        @subsystem = ISNULL(NULLIF(LTRIM(RTRIM(@subsystem)), N''), N'TSQL'),
        @server = NULLIF(LTRIM(RTRIM(@server)), N''),
        @database_name = NULLIF(LTRIM(RTRIM(@database_name)), N''),
        @database_user_name = NULLIF(LTRIM(RTRIM(@database_user_name)), N''),
        @output_file_name = NULLIF(LTRIM(RTRIM(@output_file_name)), N''),
        @proxy_name = NULLIF(LTRIM(RTRIM(@proxy_name)), N''),
        @cmdexec_success_code = ISNULL(@cmdexec_success_code, 0),
        @on_success_step_id = ISNULL(@on_success_step_id, 0),
        @on_fail_step_id = ISNULL(@on_fail_step_id, 0);

    SELECT @last_step_id = ISNULL(MAX(step_id), 0) FROM dbo.sysjobsteps WHERE job_id = @job_id;
    SELECT @step_id = ISNULL(@step_id, @last_step_id + 1);
    IF @step_id < 1 OR @step_id > @last_step_id + 1
    BEGIN
        SELECT @valid_steps = N'1..' + CONVERT(nvarchar(12), @last_step_id + 1);
        RAISERROR(14266, 16, 1, N'@step_id', @valid_steps);
        RETURN (1);
    END
    SELECT @last_step_id = @last_step_id + 1;

    EXEC @retval = dbo.sp_verify_jobstep @job_id, @step_id, NULL, @step_name, @subsystem OUTPUT, @on_success_action,
        @on_success_step_id, @on_fail_action, @on_fail_step_id, @database_name OUTPUT, @database_user_name, @retry_attempts,
        @retry_interval, @os_run_priority, @output_file_name, @flags, @proxy_id, @proxy_name, @last_step_id;
    IF @retval <> 0
        RETURN (1);

    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    IF @step_id < @last_step_id
    BEGIN
        UPDATE dbo.sysjobsteps SET step_id = step_id + 1 WHERE job_id = @job_id AND step_id >= @step_id;
        UPDATE dbo.sysjobsteps SET on_success_step_id = on_success_step_id + 1
        WHERE job_id = @job_id AND on_success_step_id >= @step_id;
        UPDATE dbo.sysjobsteps SET on_fail_step_id = on_fail_step_id + 1
        WHERE job_id = @job_id AND on_fail_step_id >= @step_id;
    END
    INSERT INTO dbo.sysjobsteps (job_id, step_id, step_name, subsystem, command, flags, additional_parameters,
        cmdexec_success_code, on_success_action, on_success_step_id, on_fail_action, on_fail_step_id, server, database_name,
        database_user_name, retry_attempts, retry_interval, os_run_priority, output_file_name, last_run_outcome,
        last_run_duration, last_run_retries, last_run_date, last_run_time, proxy_id, step_uid)
    VALUES (@job_id, @step_id, @step_name, @subsystem, @command, @flags, @additional_parameters,
        @cmdexec_success_code, @on_success_action, @on_success_step_id, @on_fail_action, @on_fail_step_id, @server, @database_name,
        @database_user_name, @retry_attempts, @retry_interval, @os_run_priority, @output_file_name, 0,
        0, 0, 0, 0, NULL, NEWID());
    -- The job goes on to start with the step that it started with.
    UPDATE dbo.sysjobs
    SET start_step_id = CASE WHEN start_step_id > @step_id AND @step_id < @last_step_id THEN start_step_id + 1 ELSE start_step_id END,
        version_number = version_number + 1, date_modified = GETDATE()
    WHERE job_id = @job_id;
    COMMIT TRANSACTION;

    IF EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
        EXEC master.dbo.xp_sqlagent_notify N'J', @job_id, NULL, NULL, N'U', NULL;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_update_jobstep
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @step_id int,
    @step_name sysname = NULL,
    @subsystem nvarchar(40) = NULL,
    @command nvarchar(max) = NULL,
    @additional_parameters nvarchar(max) = NULL,
    @cmdexec_success_code int = NULL,
    @on_success_action tinyint = NULL,
    @on_success_step_id int = NULL,
    @on_fail_action tinyint = NULL,
    @on_fail_step_id int = NULL,
    @server sysname = NULL,
    @database_name sysname = NULL,
    @database_user_name sysname = NULL,
    @retry_attempts int = NULL,
    @retry_interval int = NULL,
    @os_run_priority int = NULL,
    @output_file_name nvarchar(200) = NULL,
    @flags int = NULL,
    @proxy_id int = NULL,
    @proxy_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @last_step_id int, @step_id_text nvarchar(12), @old_step_name sysname,
        @new_user_name sysname, @new_output_file_name nvarchar(200);

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14525, 16, 1);
        RETURN (1);
    END

    SELECT @last_step_id = ISNULL(MAX(step_id), 0) FROM dbo.sysjobsteps WHERE job_id = @job_id;
    IF @step_id IS NULL OR NOT EXISTS (SELECT * FROM dbo.sysjobsteps WHERE job_id = @job_id AND step_id = @step_id)
    BEGIN
        SELECT @step_id_text = ISNULL(CONVERT(nvarchar(12), @step_id), N'');
        RAISERROR(14262, 16, 1, N'@step_id', @step_id_text);
        RETURN (1);
    END

    -- A value that is not given stays; '' takes away what may be missing. What stays needs no right of its own.
    SELECT @old_step_name = s.step_name,
        @step_name = CASE WHEN @step_name IS NULL THEN s.step_name ELSE NULLIF(LTRIM(RTRIM(@step_name)), N'') END,
        @subsystem = ISNULL(NULLIF(LTRIM(RTRIM(@subsystem)), N''), s.subsystem),
        @command = ISNULL(@command, s.command),
        @additional_parameters = ISNULL(@additional_parameters, s.additional_parameters),
        @cmdexec_success_code = ISNULL(@cmdexec_success_code, s.cmdexec_success_code),
        @on_success_action = ISNULL(@on_success_action, s.on_success_action),
        @on_success_step_id = ISNULL(@on_success_step_id, s.on_success_step_id),
        @on_fail_action = ISNULL(@on_fail_action, s.on_fail_action),
        @on_fail_step_id = ISNULL(@on_fail_step_id, s.on_fail_step_id),
        @server = CASE WHEN @server IS NULL THEN s.server ELSE NULLIF(LTRIM(RTRIM(@server)), N'') END,
        @database_name = CASE WHEN @database_name IS NULL THEN s.database_name ELSE NULLIF(LTRIM(RTRIM(@database_name)), N'') END,
        @new_user_name = NULLIF(LTRIM(RTRIM(@database_user_name)), N''),
        @database_user_name = CASE WHEN @database_user_name IS NULL THEN s.database_user_name
            ELSE NULLIF(LTRIM(RTRIM(@database_user_name)), N'') END,
        @retry_attempts = ISNULL(@retry_attempts, s.retry_attempts),
        @retry_interval = ISNULL(@retry_interval, s.retry_interval),
        @os_run_priority = ISNULL(@os_run_priority, s.os_run_priority),
        @new_output_file_name = NULLIF(LTRIM(RTRIM(@output_file_name)), N''),
        @output_file_name = CASE WHEN @output_file_name IS NULL THEN s.output_file_name
            ELSE NULLIF(LTRIM(RTRIM(@output_file_name)), N'') END,
        @flags = ISNULL(@flags, s.flags),
        @proxy_name = NULLIF(LTRIM(RTRIM(@proxy_name)), N'')
    FROM dbo.sysjobsteps AS s
    WHERE s.job_id = @job_id AND s.step_id = @step_id;

    EXEC @retval = dbo.sp_verify_jobstep @job_id, @step_id, @old_step_name, @step_name, @subsystem OUTPUT, @on_success_action,
        @on_success_step_id, @on_fail_action, @on_fail_step_id, @database_name OUTPUT, @new_user_name, @retry_attempts,
        @retry_interval, @os_run_priority, @new_output_file_name, @flags, @proxy_id, @proxy_name, @last_step_id;
    IF @retval <> 0
        RETURN (1);

    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    UPDATE dbo.sysjobsteps
    SET step_name = @step_name, subsystem = @subsystem, command = @command, flags = @flags,
        additional_parameters = @additional_parameters, cmdexec_success_code = @cmdexec_success_code,
        on_success_action = @on_success_action, on_success_step_id = @on_success_step_id, on_fail_action = @on_fail_action,
        on_fail_step_id = @on_fail_step_id, server = @server, database_name = @database_name,
        database_user_name = @database_user_name, retry_attempts = @retry_attempts, retry_interval = @retry_interval,
        os_run_priority = @os_run_priority, output_file_name = @output_file_name
    WHERE job_id = @job_id AND step_id = @step_id;
    UPDATE dbo.sysjobs SET version_number = version_number + 1, date_modified = GETDATE() WHERE job_id = @job_id;
    COMMIT TRANSACTION;

    IF EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
        EXEC master.dbo.xp_sqlagent_notify N'J', @job_id, NULL, NULL, N'U', NULL;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_delete_jobstep
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @step_id int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @last_step_id int, @valid_steps nvarchar(60);

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14525, 16, 1);
        RETURN (1);
    END

    SELECT @last_step_id = ISNULL(MAX(step_id), 0) FROM dbo.sysjobsteps WHERE job_id = @job_id;
    IF @last_step_id = 0
    BEGIN
        RAISERROR(14528, 16, 1, @job_name);
        RETURN (1);
    END
    IF @step_id IS NULL OR @step_id < 0 OR @step_id > @last_step_id
    BEGIN
        SELECT @valid_steps = N'0 (all steps) ..' + CONVERT(nvarchar(12), @last_step_id);
        RAISERROR(14266, 16, 1, N'@step_id', @valid_steps);
        RETURN (1);
    END

    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    DELETE FROM dbo.sysjobstepslogs
    WHERE step_uid IN (SELECT step_uid FROM dbo.sysjobsteps WHERE job_id = @job_id AND (@step_id = 0 OR step_id = @step_id));
    DELETE FROM dbo.sysjobsteps WHERE job_id = @job_id AND (@step_id = 0 OR step_id = @step_id);
    -- Who went to the deleted step quits instead: with success after success, with failure after failure.
    UPDATE dbo.sysjobsteps SET on_success_action = 1, on_success_step_id = 0
    WHERE job_id = @job_id AND on_success_action = 4 AND on_success_step_id = @step_id;
    UPDATE dbo.sysjobsteps SET on_fail_action = 2, on_fail_step_id = 0
    WHERE job_id = @job_id AND on_fail_action = 4 AND on_fail_step_id = @step_id;
    UPDATE dbo.sysjobsteps SET on_success_step_id = on_success_step_id - 1
    WHERE job_id = @job_id AND on_success_step_id > @step_id;
    UPDATE dbo.sysjobsteps SET on_fail_step_id = on_fail_step_id - 1
    WHERE job_id = @job_id AND on_fail_step_id > @step_id;
    UPDATE dbo.sysjobsteps SET step_id = step_id - 1 WHERE job_id = @job_id AND step_id > @step_id;
    UPDATE dbo.sysjobs
    SET start_step_id = CASE WHEN @step_id = 0 OR start_step_id = @step_id THEN 1
            WHEN start_step_id > @step_id THEN start_step_id - 1 ELSE start_step_id END,
        version_number = version_number + 1, date_modified = GETDATE()
    WHERE job_id = @job_id;
    COMMIT TRANSACTION;

    IF EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
        EXEC master.dbo.xp_sqlagent_notify N'J', @job_id, NULL, NULL, N'U', NULL;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_help_jobstep
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @step_id int = NULL,
    @step_name sysname = NULL,
    @suffix bit = 0
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @step_id_text nvarchar(12);

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
    IF @retval <> 0
        RETURN (1);
    SELECT @step_name = NULLIF(LTRIM(RTRIM(@step_name)), N'');
    IF @step_id IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysjobsteps WHERE job_id = @job_id AND step_id = @step_id)
    BEGIN
        SELECT @step_id_text = CONVERT(nvarchar(12), @step_id);
        RAISERROR(14262, 16, 1, N'@step_id', @step_id_text);
        RETURN (1);
    END
    IF @step_name IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysjobsteps WHERE job_id = @job_id AND step_name = @step_name)
    BEGIN
        RAISERROR(14262, 16, 1, N'@step_name', @step_name);
        RETURN (1);
    END

    IF ISNULL(@suffix, 0) = 0
        SELECT s.step_id, s.step_name, s.subsystem, s.command, s.flags, s.cmdexec_success_code,
            s.on_success_action, s.on_success_step_id, s.on_fail_action, s.on_fail_step_id,
            s.server, s.database_name, s.database_user_name, s.retry_attempts, s.retry_interval,
            s.os_run_priority, s.output_file_name, s.last_run_outcome, s.last_run_duration,
            s.last_run_retries, s.last_run_date, s.last_run_time, s.proxy_id
        FROM dbo.sysjobsteps AS s
        WHERE s.job_id = @job_id AND (@step_id IS NULL OR s.step_id = @step_id) AND (@step_name IS NULL OR s.step_name = @step_name)
        ORDER BY s.step_id;
    ELSE
        SELECT s.step_id, s.step_name, s.subsystem, s.command,
            CAST(CONVERT(nvarchar(12), s.flags) + CASE WHEN s.flags = 0 THEN N' (normal)' ELSE N'' END
                + CASE WHEN s.flags & 2 <> 0 THEN N' (append output file)' ELSE N'' END
                + CASE WHEN s.flags & 4 <> 0 THEN N' (include results in history)' ELSE N'' END
                + CASE WHEN s.flags & 8 <> 0 THEN N' (write log to table (overwrite existing history))' ELSE N'' END
                + CASE WHEN s.flags & 16 <> 0 THEN N' (write log to table (append to existing history))' ELSE N'' END
                + CASE WHEN s.flags & 32 <> 0 THEN N' (write all output to history)' ELSE N'' END AS nvarchar(4000)) AS flags,
            s.cmdexec_success_code,
            CAST(CONVERT(nvarchar(12), s.on_success_action) + CASE s.on_success_action
                WHEN 1 THEN N' (quit with success)' WHEN 2 THEN N' (quit with failure)'
                WHEN 3 THEN N' (goto next step)' WHEN 4 THEN N' (goto step)' ELSE N' (unknown)' END AS nvarchar(4000))
                AS on_success_action,
            s.on_success_step_id,
            CAST(CONVERT(nvarchar(12), s.on_fail_action) + CASE s.on_fail_action
                WHEN 1 THEN N' (quit with success)' WHEN 2 THEN N' (quit with failure)'
                WHEN 3 THEN N' (goto next step)' WHEN 4 THEN N' (goto step)' ELSE N' (unknown)' END AS nvarchar(4000))
                AS on_fail_action,
            s.on_fail_step_id, s.server, s.database_name, s.database_user_name, s.retry_attempts, s.retry_interval,
            CAST(CONVERT(nvarchar(12), s.os_run_priority) + CASE s.os_run_priority
                WHEN -15 THEN N' (idle)' WHEN -1 THEN N' (below normal)' WHEN 0 THEN N' (normal)'
                WHEN 1 THEN N' (above normal)' WHEN 15 THEN N' (time critical)' ELSE N' (unknown)' END AS nvarchar(4000))
                AS os_run_priority,
            s.output_file_name, s.last_run_outcome, s.last_run_duration, s.last_run_retries, s.last_run_date,
            s.last_run_time, s.proxy_id
        FROM dbo.sysjobsteps AS s
        WHERE s.job_id = @job_id AND (@step_id IS NULL OR s.step_id = @step_id) AND (@step_name IS NULL OR s.step_name = @step_name)
        ORDER BY s.step_id;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_help_jobsteplog
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @step_id int = NULL,
    @step_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @step_id_text nvarchar(12);

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
    IF @retval <> 0
        RETURN (1);
    SELECT @step_name = NULLIF(LTRIM(RTRIM(@step_name)), N'');
    IF @step_id IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysjobsteps WHERE job_id = @job_id AND step_id = @step_id)
    BEGIN
        SELECT @step_id_text = CONVERT(nvarchar(12), @step_id);
        RAISERROR(14262, 16, 1, N'@step_id', @step_id_text);
        RETURN (1);
    END
    IF @step_name IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysjobsteps WHERE job_id = @job_id AND step_name = @step_name)
    BEGIN
        RAISERROR(14262, 16, 1, N'@step_name', @step_name);
        RETURN (1);
    END

    SELECT j.job_id, j.name AS job_name, s.step_id, s.step_name, s.step_uid, g.date_created, g.date_modified,
        CAST(g.log_size / 1048576.0 AS float) AS log_size, g.log
    FROM dbo.sysjobstepslogs AS g
        JOIN dbo.sysjobsteps AS s ON s.step_uid = g.step_uid
        JOIN dbo.sysjobs AS j ON j.job_id = s.job_id
    WHERE j.job_id = @job_id AND (@step_id IS NULL OR s.step_id = @step_id) AND (@step_name IS NULL OR s.step_name = @step_name)
    ORDER BY s.step_id, g.log_id;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_delete_jobsteplog
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @step_id int = NULL,
    @step_name sysname = NULL,
    @older_than datetime = NULL,
    @larger_than int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @step_id_text nvarchar(12);

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14525, 16, 1);
        RETURN (1);
    END
    SELECT @step_name = NULLIF(LTRIM(RTRIM(@step_name)), N'');
    IF @step_id IS NOT NULL AND @step_name IS NOT NULL
    BEGIN
        RAISERROR(14524, 16, 1, N'@step_id', N'@step_name');
        RETURN (1);
    END
    IF @step_id IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysjobsteps WHERE job_id = @job_id AND step_id = @step_id)
    BEGIN
        SELECT @step_id_text = CONVERT(nvarchar(12), @step_id);
        RAISERROR(14262, 16, 1, N'@step_id', @step_id_text);
        RETURN (1);
    END
    IF @step_name IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysjobsteps WHERE job_id = @job_id AND step_name = @step_name)
    BEGIN
        RAISERROR(14262, 16, 1, N'@step_name', @step_name);
        RETURN (1);
    END

    DELETE FROM dbo.sysjobstepslogs
    WHERE step_uid IN (SELECT s.step_uid FROM dbo.sysjobsteps AS s
            WHERE s.job_id = @job_id AND (@step_id IS NULL OR s.step_id = @step_id)
                AND (@step_name IS NULL OR s.step_name = @step_name))
        AND ((@older_than IS NULL AND @larger_than IS NULL) OR date_modified < @older_than OR log_size > @larger_than);
    RETURN (0);
END
GO
