-- The Agent's schedules in msdb and what attaches them to jobs. sp_verify_schedule_identifiers, sp_verify_job_date,
-- sp_verify_job_time, sp_verify_schedule and sp_get_schedule_description are what the others share.
CREATE PROCEDURE dbo.sp_verify_schedule_identifiers
    @name_of_name_parameter sysname,
    @name_of_id_parameter sysname,
    @schedule_name sysname OUTPUT,
    @schedule_id int OUTPUT,
    @owner_sid varbinary(85) = NULL OUTPUT,
    @job_id_filter uniqueidentifier = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @sees_all int, @schedules int, @schedule_id_text nvarchar(12);

    SELECT @schedule_name = NULLIF(LTRIM(RTRIM(@schedule_name)), N''), @owner_sid = NULL;
    IF (@schedule_name IS NULL AND @schedule_id IS NULL) OR (@schedule_name IS NOT NULL AND @schedule_id IS NOT NULL)
    BEGIN
        RAISERROR(14373, 16, 1, @name_of_id_parameter, @name_of_name_parameter);
        RETURN (1);
    END

    -- Who may not see a schedule is told that there is none. The owner of a job sees what is attached to it.
    SELECT @sees_all = CASE WHEN IS_SRVROLEMEMBER(N'sysadmin') = 1 OR IS_MEMBER(N'SQLAgentReaderRole') = 1 THEN 1 ELSE 0 END;
    IF @schedule_id IS NOT NULL
    BEGIN
        SELECT @schedule_name = d.name, @owner_sid = d.owner_sid
        FROM dbo.sysschedules AS d
        WHERE d.schedule_id = @schedule_id
            AND (@sees_all = 1 OR d.owner_sid = SUSER_SID()
                OR EXISTS (SELECT * FROM dbo.sysjobschedules AS a JOIN dbo.sysjobs AS j ON j.job_id = a.job_id
                    WHERE a.schedule_id = d.schedule_id AND j.owner_sid = SUSER_SID()));
        IF @owner_sid IS NULL
        BEGIN
            SELECT @schedule_id_text = CONVERT(nvarchar(12), @schedule_id);
            RAISERROR(14262, 16, 1, @name_of_id_parameter, @schedule_id_text);
            RETURN (1);
        END
        RETURN (0);
    END

    SELECT @schedules = COUNT(*), @schedule_id = MIN(d.schedule_id)
    FROM dbo.sysschedules AS d
    WHERE d.name = @schedule_name
        AND (@job_id_filter IS NULL
            OR EXISTS (SELECT * FROM dbo.sysjobschedules AS a WHERE a.schedule_id = d.schedule_id AND a.job_id = @job_id_filter))
        AND (@sees_all = 1 OR d.owner_sid = SUSER_SID()
            OR EXISTS (SELECT * FROM dbo.sysjobschedules AS a JOIN dbo.sysjobs AS j ON j.job_id = a.job_id
                WHERE a.schedule_id = d.schedule_id AND j.owner_sid = SUSER_SID()));
    IF @schedules = 0
    BEGIN
        RAISERROR(14262, 16, 1, @name_of_name_parameter, @schedule_name);
        RETURN (1);
    END
    IF @schedules > 1
    BEGIN
        SELECT @schedule_id = NULL;
        RAISERROR(14371, 16, 1, @schedule_name, @name_of_id_parameter, @name_of_name_parameter);
        RETURN (1);
    END
    SELECT @owner_sid = owner_sid FROM dbo.sysschedules WHERE schedule_id = @schedule_id;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_verify_job_date
    @date int,
    @date_name sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @part sysname;

    IF @date < 19900101 OR @date > 99991231
    BEGIN
        RAISERROR(14266, 16, 1, @date_name, N'19900101..99991231');
        RETURN (1);
    END
    SELECT @part = CASE
        WHEN @date / 100 % 100 NOT BETWEEN 1 AND 12 THEN N'month'
        WHEN TRY_CONVERT(date, CONVERT(char(8), @date), 112) IS NULL THEN N'day'
    END;
    IF @part IS NOT NULL
    BEGIN
        RAISERROR(14287, 16, 1, @date_name, @part);
        RETURN (1);
    END
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_verify_job_time
    @time int,
    @time_name sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @part sysname;

    IF @time < 0
    BEGIN
        RAISERROR(14266, 16, 1, @time_name, N'000000..235959');
        RETURN (1);
    END
    SELECT @part = CASE
        WHEN @time / 10000 > 23 THEN N'hour'
        WHEN @time / 100 % 100 > 59 THEN N'minute'
        WHEN @time % 100 > 59 THEN N'second'
    END;
    IF @part IS NOT NULL
    BEGIN
        RAISERROR(14287, 16, 1, @time_name, @part);
        RETURN (1);
    END
    RETURN (0);
END
GO
-- The values of a new or a changed schedule; what the kind of schedule does not use becomes 0.
CREATE PROCEDURE dbo.sp_verify_schedule
    @name sysname,
    @enabled tinyint,
    @freq_type int,
    @freq_interval int OUTPUT,
    @freq_subday_type int OUTPUT,
    @freq_subday_interval int OUTPUT,
    @freq_relative_interval int OUTPUT,
    @freq_recurrence_factor int OUTPUT,
    @active_start_date int OUTPUT,
    @active_end_date int OUTPUT,
    @active_start_time int OUTPUT,
    @active_end_time int OUTPUT,
    @owner_login_name sysname,
    @owner_sid varbinary(85) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @reason nvarchar(200);

    IF @name IS NULL
    BEGIN
        RAISERROR(14200, 16, 1, N'@name');
        RETURN (1);
    END
    IF @enabled IS NULL OR @enabled NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@enabled', N'0, 1');
        RETURN (1);
    END
    IF @freq_type = 2
    BEGIN
        RAISERROR(14295, 16, 1);
        RETURN (1);
    END
    IF @freq_type IS NULL OR @freq_type NOT IN (1, 4, 8, 16, 32, 64, 128)
    BEGIN
        RAISERROR(14266, 16, 1, N'@freq_type', N'1, 4, 8, 16, 32, 64, 128');
        RETURN (1);
    END

    SELECT @freq_interval = ISNULL(@freq_interval, 0),
        @freq_subday_type = ISNULL(NULLIF(@freq_subday_type, 0), 1),
        @freq_subday_interval = ISNULL(@freq_subday_interval, 0),
        @freq_relative_interval = ISNULL(@freq_relative_interval, 0),
        @freq_recurrence_factor = ISNULL(@freq_recurrence_factor, 0),
        @active_start_date = ISNULL(NULLIF(@active_start_date, 0), CONVERT(int, CONVERT(char(8), GETDATE(), 112))),
        @active_end_date = ISNULL(NULLIF(@active_end_date, 0), 99991231),
        @active_start_time = ISNULL(@active_start_time, 0),
        @active_end_time = ISNULL(@active_end_time, 235959);

    IF @freq_subday_type NOT IN (1, 2, 4, 8)
    BEGIN
        RAISERROR(14266, 16, 1, N'@freq_subday_type', N'0x1, 0x2, 0x4, 0x8');
        RETURN (1);
    END
    IF @freq_type IN (1, 64, 128)
        SELECT @freq_interval = 0, @freq_subday_type = 0, @freq_subday_interval = 0;
    IF @freq_type <> 32
        SELECT @freq_relative_interval = 0;
    IF @freq_type NOT IN (8, 16, 32)
        SELECT @freq_recurrence_factor = 0;
    IF @freq_subday_type IN (0, 1)
        SELECT @freq_subday_interval = 0;

    -- Seconds of less than ten would have the Agent do nothing else.
    IF (@freq_subday_type IN (4, 8) AND @freq_subday_interval < 1) OR (@freq_subday_type = 2 AND @freq_subday_interval < 10)
    BEGIN
        RAISERROR(14200, 16, 1, N'@freq_subday_interval');
        RETURN (1);
    END

    SELECT @reason = CASE
        WHEN @freq_type = 4 AND @freq_interval < 1 THEN N'@freq_interval must be at least 1 for a daily job.'
        WHEN @freq_type = 8 AND @freq_interval NOT BETWEEN 1 AND 127
            THEN N'@freq_interval must be a valid day of the week bitmask [Sunday = 1 .. Saturday = 64] for a weekly job.'
        WHEN @freq_type = 16 AND @freq_interval NOT BETWEEN 1 AND 31
            THEN N'@freq_interval must be between 1 and 31 for a monthly job.'
        WHEN @freq_type = 32 AND @freq_relative_interval NOT IN (1, 2, 4, 8, 16)
            THEN N'@freq_relative_interval must be one of 1st (0x1), 2nd (0x2), 3rd [0x4], 4th (0x8) or Last (0x10).'
        WHEN @freq_type = 32 AND @freq_interval NOT BETWEEN 1 AND 10
            THEN N'@freq_interval must be between 1 and 10 (1 = Sunday .. 7 = Saturday, 8 = Day, 9 = Weekday, 10 = Weekend-day)'
                + N' for a monthly-relative job.'
        WHEN @freq_type IN (8, 16, 32) AND @freq_recurrence_factor < 1 THEN N'@freq_recurrence_factor must be at least 1.'
    END;
    IF @reason IS NOT NULL
    BEGIN
        RAISERROR(14278, 16, 1, @reason);
        RETURN (1);
    END

    EXEC @retval = dbo.sp_verify_job_date @active_start_date, N'@active_start_date';
    IF @retval <> 0
        RETURN (1);
    EXEC @retval = dbo.sp_verify_job_date @active_end_date, N'@active_end_date';
    IF @retval <> 0
        RETURN (1);
    IF @active_end_date < @active_start_date
    BEGIN
        RAISERROR(14288, 16, 1, N'@active_end_date', N'@active_start_date');
        RETURN (1);
    END
    EXEC @retval = dbo.sp_verify_job_time @active_start_time, N'@active_start_time';
    IF @retval <> 0
        RETURN (1);
    EXEC @retval = dbo.sp_verify_job_time @active_end_time, N'@active_end_time';
    IF @retval <> 0
        RETURN (1);
    IF @active_start_time = @active_end_time AND @freq_subday_type IN (2, 4, 8)
    BEGIN
        RAISERROR(14266, 16, 1, N'@active_end_time', N'before or after @active_start_time');
        RETURN (1);
    END

    IF @owner_login_name IS NOT NULL
    BEGIN
        SELECT @owner_sid = SUSER_SID(@owner_login_name, 0);
        IF @owner_sid IS NULL
            OR NOT EXISTS (SELECT * FROM sys.server_principals WHERE sid = @owner_sid AND type IN ('S', 'U', 'E', 'C', 'K'))
        BEGIN
            RAISERROR(14234, 16, 1, N'@owner_login_name', N'sp_helplogins [excluding Windows NT groups]');
            RETURN (1);
        END
    END
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_get_schedule_description
    @schedule_id int,
    @schedule_description nvarchar(4000) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @freq_type int, @freq_interval int, @freq_subday_type int, @freq_subday_interval int, @freq_relative_interval int,
        @freq_recurrence_factor int, @start_date nvarchar(10), @start_time nvarchar(8), @end_time nvarchar(8), @days nvarchar(200),
        @times nvarchar(12);

    SELECT @freq_type = freq_type, @freq_interval = freq_interval, @freq_subday_type = freq_subday_type,
        @freq_subday_interval = freq_subday_interval, @freq_relative_interval = freq_relative_interval,
        @freq_recurrence_factor = freq_recurrence_factor,
        @start_date = STUFF(STUFF(CONVERT(nvarchar(8), active_start_date), 7, 0, N'-'), 5, 0, N'-'),
        @start_time = STUFF(STUFF(RIGHT(N'000000' + CONVERT(nvarchar(6), active_start_time), 6), 5, 0, N':'), 3, 0, N':'),
        @end_time = STUFF(STUFF(RIGHT(N'000000' + CONVERT(nvarchar(6), active_end_time), 6), 5, 0, N':'), 3, 0, N':')
    FROM dbo.sysschedules
    WHERE schedule_id = @schedule_id;

    IF @freq_type = 64
    BEGIN
        SELECT @schedule_description = N'Automatically starts when SQLServerAgent starts.';
        RETURN (0);
    END
    IF @freq_type = 128
    BEGIN
        SELECT @schedule_description = N'Starts whenever the CPU is idle.';
        RETURN (0);
    END
    IF @freq_type = 1
    BEGIN
        SELECT @schedule_description = N'Once on ' + @start_date + N' at ' + @start_time;
        RETURN (0);
    END

    SELECT @times = CONVERT(nvarchar(12), CASE @freq_type WHEN 4 THEN @freq_interval ELSE @freq_recurrence_factor END);
    IF @freq_type = 4
        SELECT @schedule_description = N'Every ' + @times + N' day(s)';
    ELSE IF @freq_type = 8
    BEGIN
        SELECT @days = CASE WHEN @freq_interval & 1 <> 0 THEN N', Sunday' ELSE N'' END
            + CASE WHEN @freq_interval & 2 <> 0 THEN N', Monday' ELSE N'' END
            + CASE WHEN @freq_interval & 4 <> 0 THEN N', Tuesday' ELSE N'' END
            + CASE WHEN @freq_interval & 8 <> 0 THEN N', Wednesday' ELSE N'' END
            + CASE WHEN @freq_interval & 16 <> 0 THEN N', Thursday' ELSE N'' END
            + CASE WHEN @freq_interval & 32 <> 0 THEN N', Friday' ELSE N'' END
            + CASE WHEN @freq_interval & 64 <> 0 THEN N', Saturday' ELSE N'' END;
        SELECT @schedule_description = N'Every ' + @times + N' week(s) on ' + STUFF(@days, 1, 2, N'');
    END
    ELSE IF @freq_type = 16
        SELECT @schedule_description = N'Every ' + @times + N' month(s) on day ' + CONVERT(nvarchar(12), @freq_interval)
            + N' of that month';
    ELSE
        SELECT @schedule_description = N'Every ' + @times + N' month(s) on the '
            + CASE @freq_relative_interval WHEN 1 THEN N'first' WHEN 2 THEN N'second' WHEN 4 THEN N'third' WHEN 8 THEN N'fourth'
                ELSE N'last' END
            + CASE @freq_interval WHEN 1 THEN N' Sunday' WHEN 2 THEN N' Monday' WHEN 3 THEN N' Tuesday' WHEN 4 THEN N' Wednesday'
                WHEN 5 THEN N' Thursday' WHEN 6 THEN N' Friday' WHEN 7 THEN N' Saturday' WHEN 8 THEN N' day'
                WHEN 9 THEN N' weekday' ELSE N' weekend-day' END
            + N' of that month';

    IF @freq_subday_type IN (2, 4, 8)
        SELECT @schedule_description = @schedule_description + N' every ' + CONVERT(nvarchar(12), @freq_subday_interval)
            + CASE @freq_subday_type WHEN 2 THEN N' second(s)' WHEN 4 THEN N' minute(s)' ELSE N' hour(s)' END
            + N' between ' + @start_time + N' and ' + @end_time;
    ELSE
        SELECT @schedule_description = @schedule_description + N' at ' + @start_time;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_add_schedule
    @schedule_name sysname,
    @enabled tinyint = 1,
    @freq_type int = 0,
    @freq_interval int = 1,
    @freq_subday_type int = 0,
    @freq_subday_interval int = 0,
    @freq_relative_interval int = 0,
    @freq_recurrence_factor int = 0,
    @active_start_date int = NULL,
    @active_end_date int = 99991231,
    @active_start_time int = 0,
    @active_end_time int = 235959,
    @owner_login_name sysname = NULL,
    @schedule_uid uniqueidentifier = NULL OUTPUT,
    @schedule_id int = NULL OUTPUT,
    @originating_server sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @schedule_uid_text nvarchar(36);

    SELECT @schedule_name = NULLIF(LTRIM(RTRIM(@schedule_name)), N''),
        @owner_login_name = NULLIF(LTRIM(RTRIM(@owner_login_name)), N''),
        @originating_server = NULLIF(LTRIM(RTRIM(@originating_server)), N''),
        @owner_sid = SUSER_SID(),
        @schedule_id = NULL;

    IF UPPER(@originating_server) NOT IN (N'(LOCAL)', UPPER(@@SERVERNAME), UPPER(CONVERT(sysname, SERVERPROPERTY('ServerName'))))
    BEGIN
        RAISERROR(14275, 16, 1);
        RETURN (1);
    END
    IF @owner_login_name IS NOT NULL AND ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
        AND ISNULL(SUSER_SID(@owner_login_name, 0), 0x) <> SUSER_SID()
    BEGIN
        RAISERROR(14366, 16, 1);
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.sysschedules WHERE schedule_uid = @schedule_uid)
    BEGIN
        SELECT @schedule_uid_text = CONVERT(nvarchar(36), @schedule_uid);
        RAISERROR(14261, 16, 1, N'@schedule_uid', @schedule_uid_text);
        RETURN (1);
    END

    EXEC @retval = dbo.sp_verify_schedule @schedule_name, @enabled, @freq_type, @freq_interval OUTPUT, @freq_subday_type OUTPUT,
        @freq_subday_interval OUTPUT, @freq_relative_interval OUTPUT, @freq_recurrence_factor OUTPUT, @active_start_date OUTPUT,
        @active_end_date OUTPUT, @active_start_time OUTPUT, @active_end_time OUTPUT, @owner_login_name, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);

    SELECT @schedule_uid = ISNULL(@schedule_uid, NEWID());
    INSERT INTO dbo.sysschedules (schedule_uid, originating_server_id, name, owner_sid, enabled, freq_type, freq_interval,
        freq_subday_type, freq_subday_interval, freq_relative_interval, freq_recurrence_factor, active_start_date,
        active_end_date, active_start_time, active_end_time, date_created, date_modified, version_number)
    VALUES (@schedule_uid, 0, @schedule_name, @owner_sid, @enabled, @freq_type, @freq_interval,
        @freq_subday_type, @freq_subday_interval, @freq_relative_interval, @freq_recurrence_factor, @active_start_date,
        @active_end_date, @active_start_time, @active_end_time, GETDATE(), GETDATE(), 1);
    IF @@ERROR <> 0
        RETURN (1);
    SELECT @schedule_id = CONVERT(int, SCOPE_IDENTITY());
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_update_schedule
    @schedule_id int = NULL,
    @name sysname = NULL,
    @new_name sysname = NULL,
    @enabled tinyint = NULL,
    @freq_type int = NULL,
    @freq_interval int = NULL,
    @freq_subday_type int = NULL,
    @freq_subday_interval int = NULL,
    @freq_relative_interval int = NULL,
    @freq_recurrence_factor int = NULL,
    @active_start_date int = NULL,
    @active_end_date int = NULL,
    @active_start_time int = NULL,
    @active_end_time int = NULL,
    @owner_login_name sysname = NULL,
    @automatic_post bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @is_sysadmin int, @job_id uniqueidentifier;

    EXEC @retval = dbo.sp_verify_schedule_identifiers N'@name', N'@schedule_id', @name OUTPUT, @schedule_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);

    SELECT @is_sysadmin = ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0), @owner_login_name = NULLIF(LTRIM(RTRIM(@owner_login_name)), N'');

    -- SQLAgentOperatorRole may enable and disable the schedules of others, and nothing else.
    IF @is_sysadmin = 0 AND @owner_sid <> SUSER_SID()
        AND (ISNULL(IS_MEMBER(N'SQLAgentOperatorRole'), 0) = 0 OR @enabled IS NULL OR @new_name IS NOT NULL
            OR @freq_type IS NOT NULL OR @freq_interval IS NOT NULL OR @freq_subday_type IS NOT NULL
            OR @freq_subday_interval IS NOT NULL OR @freq_relative_interval IS NOT NULL OR @freq_recurrence_factor IS NOT NULL
            OR @active_start_date IS NOT NULL OR @active_end_date IS NOT NULL OR @active_start_time IS NOT NULL
            OR @active_end_time IS NOT NULL OR @owner_login_name IS NOT NULL)
    BEGIN
        RAISERROR(14394, 16, 1);
        RETURN (1);
    END
    IF @is_sysadmin = 0 AND @owner_login_name IS NOT NULL AND ISNULL(SUSER_SID(@owner_login_name, 0), 0x) <> @owner_sid
    BEGIN
        RAISERROR(14366, 16, 1);
        RETURN (1);
    END

    IF @new_name IS NOT NULL
        SELECT @name = NULLIF(LTRIM(RTRIM(@new_name)), N'');
    SELECT @enabled = ISNULL(@enabled, d.enabled),
        @freq_type = ISNULL(@freq_type, d.freq_type),
        @freq_interval = ISNULL(@freq_interval, d.freq_interval),
        @freq_subday_type = ISNULL(@freq_subday_type, d.freq_subday_type),
        @freq_subday_interval = ISNULL(@freq_subday_interval, d.freq_subday_interval),
        @freq_relative_interval = ISNULL(@freq_relative_interval, d.freq_relative_interval),
        @freq_recurrence_factor = ISNULL(@freq_recurrence_factor, d.freq_recurrence_factor),
        @active_start_date = ISNULL(@active_start_date, d.active_start_date),
        @active_end_date = ISNULL(@active_end_date, d.active_end_date),
        @active_start_time = ISNULL(@active_start_time, d.active_start_time),
        @active_end_time = ISNULL(@active_end_time, d.active_end_time)
    FROM dbo.sysschedules AS d
    WHERE d.schedule_id = @schedule_id;

    EXEC @retval = dbo.sp_verify_schedule @name, @enabled, @freq_type, @freq_interval OUTPUT, @freq_subday_type OUTPUT,
        @freq_subday_interval OUTPUT, @freq_relative_interval OUTPUT, @freq_recurrence_factor OUTPUT, @active_start_date OUTPUT,
        @active_end_date OUTPUT, @active_start_time OUTPUT, @active_end_time OUTPUT, @owner_login_name, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);

    UPDATE dbo.sysschedules
    SET name = @name, enabled = @enabled, freq_type = @freq_type, freq_interval = @freq_interval,
        freq_subday_type = @freq_subday_type, freq_subday_interval = @freq_subday_interval,
        freq_relative_interval = @freq_relative_interval, freq_recurrence_factor = @freq_recurrence_factor,
        active_start_date = @active_start_date, active_end_date = @active_end_date, active_start_time = @active_start_time,
        active_end_time = @active_end_time, owner_sid = @owner_sid, date_modified = GETDATE(), version_number = version_number + 1
    WHERE schedule_id = @schedule_id;
    IF @@ERROR <> 0
        RETURN (1);

    DECLARE jobs_of_schedule CURSOR LOCAL STATIC FOR
        SELECT a.job_id
        FROM dbo.sysjobschedules AS a JOIN dbo.sysjobservers AS s ON s.job_id = a.job_id AND s.server_id = 0
        WHERE a.schedule_id = @schedule_id;
    OPEN jobs_of_schedule;
    FETCH NEXT FROM jobs_of_schedule INTO @job_id;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        EXEC master.dbo.xp_sqlagent_notify N'S', @job_id, @schedule_id, NULL, N'U', NULL;
        FETCH NEXT FROM jobs_of_schedule INTO @job_id;
    END
    CLOSE jobs_of_schedule;
    DEALLOCATE jobs_of_schedule;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_delete_schedule
    @schedule_id int = NULL,
    @schedule_name sysname = NULL,
    @force_delete bit = 0
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @job_id uniqueidentifier;

    EXEC @retval = dbo.sp_verify_schedule_identifiers N'@schedule_name', N'@schedule_id', @schedule_name OUTPUT, @schedule_id OUTPUT,
        @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14394, 16, 1);
        RETURN (1);
    END
    IF ISNULL(@force_delete, 0) = 0 AND EXISTS (SELECT * FROM dbo.sysjobschedules WHERE schedule_id = @schedule_id)
    BEGIN
        RAISERROR(14372, 16, 1);
        RETURN (1);
    END

    DECLARE jobs_of_schedule CURSOR LOCAL STATIC FOR
        SELECT a.job_id
        FROM dbo.sysjobschedules AS a JOIN dbo.sysjobservers AS s ON s.job_id = a.job_id AND s.server_id = 0
        WHERE a.schedule_id = @schedule_id;
    OPEN jobs_of_schedule;

    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    DELETE FROM dbo.sysjobschedules WHERE schedule_id = @schedule_id;
    DELETE FROM dbo.sysschedules WHERE schedule_id = @schedule_id;
    COMMIT TRANSACTION;

    FETCH NEXT FROM jobs_of_schedule INTO @job_id;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        EXEC master.dbo.xp_sqlagent_notify N'S', @job_id, @schedule_id, NULL, N'D', NULL;
        FETCH NEXT FROM jobs_of_schedule INTO @job_id;
    END
    CLOSE jobs_of_schedule;
    DEALLOCATE jobs_of_schedule;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_attach_schedule
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @schedule_id int = NULL,
    @schedule_name sysname = NULL,
    @automatic_post bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @job_owner_sid varbinary(85), @schedule_owner_sid varbinary(85), @is_sysadmin int;

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @job_owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    EXEC @retval = dbo.sp_verify_schedule_identifiers N'@schedule_name', N'@schedule_id', @schedule_name OUTPUT, @schedule_id OUTPUT,
        @schedule_owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);

    SELECT @is_sysadmin = ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0);
    IF @is_sysadmin = 0 AND @job_owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14377, 16, 1);
        RETURN (1);
    END
    IF @is_sysadmin = 0 AND @schedule_owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14394, 16, 1);
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.sysjobschedules WHERE job_id = @job_id AND schedule_id = @schedule_id)
        RETURN (0);

    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    INSERT INTO dbo.sysjobschedules (schedule_id, job_id, next_run_date, next_run_time) VALUES (@schedule_id, @job_id, 0, 0);
    UPDATE dbo.sysjobs SET version_number = version_number + 1, date_modified = GETDATE() WHERE job_id = @job_id;
    COMMIT TRANSACTION;

    IF EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
        EXEC master.dbo.xp_sqlagent_notify N'S', @job_id, @schedule_id, NULL, N'I', NULL;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_detach_schedule
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @schedule_id int = NULL,
    @schedule_name sysname = NULL,
    @delete_unused_schedule bit = 0,
    @automatic_post bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @job_owner_sid varbinary(85), @schedule_owner_sid varbinary(85), @is_sysadmin int;

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @job_owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    -- Of schedules with one name only those count that the job has.
    SELECT @schedule_name = NULLIF(LTRIM(RTRIM(@schedule_name)), N'');
    IF @schedule_name IS NOT NULL AND @schedule_id IS NULL
        AND NOT EXISTS (SELECT * FROM dbo.sysjobschedules AS a JOIN dbo.sysschedules AS d ON d.schedule_id = a.schedule_id
            WHERE a.job_id = @job_id AND d.name = @schedule_name)
    BEGIN
        RAISERROR(14374, 16, 1, @schedule_name, @job_name);
        RETURN (1);
    END
    EXEC @retval = dbo.sp_verify_schedule_identifiers N'@schedule_name', N'@schedule_id', @schedule_name OUTPUT, @schedule_id OUTPUT,
        @schedule_owner_sid OUTPUT, @job_id;
    IF @retval <> 0
        RETURN (1);

    SELECT @is_sysadmin = ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0);
    IF @is_sysadmin = 0 AND @job_owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14391, 16, 1);
        RETURN (1);
    END
    IF NOT EXISTS (SELECT * FROM dbo.sysjobschedules WHERE job_id = @job_id AND schedule_id = @schedule_id)
    BEGIN
        RAISERROR(14374, 16, 1, @schedule_name, @job_name);
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.sysjobschedules WHERE schedule_id = @schedule_id AND job_id <> @job_id)
        SELECT @delete_unused_schedule = 0;
    IF ISNULL(@delete_unused_schedule, 0) = 1 AND @is_sysadmin = 0 AND @schedule_owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14394, 16, 1);
        RETURN (1);
    END

    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    DELETE FROM dbo.sysjobschedules WHERE job_id = @job_id AND schedule_id = @schedule_id;
    IF ISNULL(@delete_unused_schedule, 0) = 1
        DELETE FROM dbo.sysschedules WHERE schedule_id = @schedule_id;
    UPDATE dbo.sysjobs SET version_number = version_number + 1, date_modified = GETDATE() WHERE job_id = @job_id;
    COMMIT TRANSACTION;

    IF EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
        EXEC master.dbo.xp_sqlagent_notify N'S', @job_id, @schedule_id, NULL, N'D', NULL;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_help_schedule
    @schedule_id int = NULL,
    @schedule_name sysname = NULL,
    @attached_schedules_only bit = 0,
    @include_description bit = 0
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @sees_all int, @described_id int, @description nvarchar(4000);
    DECLARE @descriptions TABLE (schedule_id int NOT NULL PRIMARY KEY, schedule_description nvarchar(4000) NULL);

    SELECT @schedule_name = NULLIF(LTRIM(RTRIM(@schedule_name)), N''),
        @sees_all = CASE WHEN IS_SRVROLEMEMBER(N'sysadmin') = 1 OR IS_MEMBER(N'SQLAgentReaderRole') = 1 THEN 1 ELSE 0 END;
    IF @schedule_id IS NOT NULL OR @schedule_name IS NOT NULL
    BEGIN
        EXEC @retval = dbo.sp_verify_schedule_identifiers N'@schedule_name', N'@schedule_id', @schedule_name OUTPUT,
            @schedule_id OUTPUT;
        IF @retval <> 0
            RETURN (1);
    END

    INSERT INTO @descriptions (schedule_id, schedule_description)
    SELECT d.schedule_id, N'(Description not requested.)'
    FROM dbo.sysschedules AS d
    WHERE (@schedule_id IS NULL OR d.schedule_id = @schedule_id)
        AND (ISNULL(@attached_schedules_only, 0) = 0
            OR EXISTS (SELECT * FROM dbo.sysjobschedules AS a WHERE a.schedule_id = d.schedule_id))
        AND (@sees_all = 1 OR d.owner_sid = SUSER_SID()
            OR EXISTS (SELECT * FROM dbo.sysjobschedules AS a JOIN dbo.sysjobs AS j ON j.job_id = a.job_id
                WHERE a.schedule_id = d.schedule_id AND j.owner_sid = SUSER_SID()));

    IF ISNULL(@include_description, 0) = 1
    BEGIN
        SELECT @described_id = MIN(schedule_id) FROM @descriptions;
        WHILE @described_id IS NOT NULL
        BEGIN
            EXEC dbo.sp_get_schedule_description @described_id, @description OUTPUT;
            UPDATE @descriptions SET schedule_description = @description WHERE schedule_id = @described_id;
            SELECT @described_id = MIN(schedule_id) FROM @descriptions WHERE schedule_id > @described_id;
        END
    END

    SELECT d.schedule_id, d.schedule_uid, d.name AS schedule_name, d.enabled, d.freq_type, d.freq_interval, d.freq_subday_type,
        d.freq_subday_interval, d.freq_relative_interval, d.freq_recurrence_factor, d.active_start_date, d.active_end_date,
        d.active_start_time, d.active_end_time, d.date_created, t.schedule_description,
        (SELECT COUNT(*) FROM dbo.sysjobschedules AS a WHERE a.schedule_id = d.schedule_id) AS job_count
    FROM dbo.sysschedules AS d JOIN @descriptions AS t ON t.schedule_id = d.schedule_id
    ORDER BY d.schedule_id;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_add_jobschedule
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @name sysname,
    @enabled tinyint = 1,
    @freq_type int = 0,
    @freq_interval int = 0,
    @freq_subday_type int = 0,
    @freq_subday_interval int = 0,
    @freq_relative_interval int = 0,
    @freq_recurrence_factor int = 0,
    @active_start_date int = NULL,
    @active_end_date int = 99991231,
    @active_start_time int = 0,
    @active_end_time int = 235959,
    @schedule_id int = NULL OUTPUT,
    @schedule_uid uniqueidentifier = NULL OUTPUT,
    @automatic_post bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @owner_login_name sysname;

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14525, 16, 1);
        RETURN (1);
    END
    SELECT @name = NULLIF(LTRIM(RTRIM(@name)), N''), @owner_login_name = SUSER_SNAME(@owner_sid), @schedule_id = NULL;

    -- A script of a job names its schedule by its uid: jobs that shared a schedule share it again.
    SELECT @schedule_id = schedule_id FROM dbo.sysschedules WHERE schedule_uid = @schedule_uid;
    IF @schedule_id IS NOT NULL
    BEGIN
        EXEC @retval = dbo.sp_attach_schedule @job_id = @job_id, @schedule_id = @schedule_id;
        RETURN (@retval);
    END
    IF EXISTS (SELECT * FROM dbo.sysjobschedules AS a JOIN dbo.sysschedules AS d ON d.schedule_id = a.schedule_id
        WHERE a.job_id = @job_id AND d.name = @name)
    BEGIN
        RAISERROR(14261, 16, 1, N'@name', @name);
        RETURN (1);
    END

    -- The schedule belongs to the owner of the job.
    EXEC @retval = dbo.sp_add_schedule @name, @enabled, @freq_type, @freq_interval, @freq_subday_type, @freq_subday_interval,
        @freq_relative_interval, @freq_recurrence_factor, @active_start_date, @active_end_date, @active_start_time,
        @active_end_time, @owner_login_name, @schedule_uid OUTPUT, @schedule_id OUTPUT;
    IF @retval <> 0
        RETURN (1);
    EXEC @retval = dbo.sp_attach_schedule @job_id = @job_id, @schedule_id = @schedule_id;
    RETURN (@retval);
END
GO
CREATE PROCEDURE dbo.sp_update_jobschedule
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @name sysname,
    @new_name sysname = NULL,
    @enabled tinyint = NULL,
    @freq_type int = NULL,
    @freq_interval int = NULL,
    @freq_subday_type int = NULL,
    @freq_subday_interval int = NULL,
    @freq_relative_interval int = NULL,
    @freq_recurrence_factor int = NULL,
    @active_start_date int = NULL,
    @active_end_date int = NULL,
    @active_start_time int = NULL,
    @active_end_time int = NULL,
    @automatic_post bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @schedule_id int, @schedules int;

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
    IF @retval <> 0
        RETURN (1);
    SELECT @name = ISNULL(LTRIM(RTRIM(@name)), N'');
    SELECT @schedules = COUNT(*), @schedule_id = MIN(d.schedule_id)
    FROM dbo.sysjobschedules AS a JOIN dbo.sysschedules AS d ON d.schedule_id = a.schedule_id
    WHERE a.job_id = @job_id AND d.name = @name;
    IF @schedules = 0
    BEGIN
        RAISERROR(14374, 16, 1, @name, @job_name);
        RETURN (1);
    END
    IF @schedules > 1
    BEGIN
        RAISERROR(14375, 16, 1, @name, @job_name);
        RETURN (1);
    END

    EXEC @retval = dbo.sp_update_schedule @schedule_id, NULL, @new_name, @enabled, @freq_type, @freq_interval, @freq_subday_type,
        @freq_subday_interval, @freq_relative_interval, @freq_recurrence_factor, @active_start_date, @active_end_date,
        @active_start_time, @active_end_time;
    RETURN (@retval);
END
GO
CREATE PROCEDURE dbo.sp_delete_jobschedule
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @name sysname,
    @keep_schedule int = 0,
    @automatic_post bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @schedule_id int, @schedules int, @delete_unused_schedule bit;

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
    IF @retval <> 0
        RETURN (1);
    SELECT @name = ISNULL(LTRIM(RTRIM(@name)), N''),
        @delete_unused_schedule = CASE WHEN ISNULL(@keep_schedule, 0) = 0 THEN 1 ELSE 0 END;
    SELECT @schedules = COUNT(*), @schedule_id = MIN(d.schedule_id)
    FROM dbo.sysjobschedules AS a JOIN dbo.sysschedules AS d ON d.schedule_id = a.schedule_id
    WHERE a.job_id = @job_id AND d.name = @name;
    IF @schedules = 0
    BEGIN
        RAISERROR(14374, 16, 1, @name, @job_name);
        RETURN (1);
    END
    IF @schedules > 1
    BEGIN
        RAISERROR(14376, 16, 1, @name, @job_name);
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.sysjobschedules WHERE schedule_id = @schedule_id AND job_id <> @job_id)
    BEGIN
        RAISERROR(14368, 16, 1, @name);
        RETURN (1);
    END

    EXEC @retval = dbo.sp_detach_schedule @job_id = @job_id, @schedule_id = @schedule_id,
        @delete_unused_schedule = @delete_unused_schedule;
    RETURN (@retval);
END
GO
CREATE PROCEDURE dbo.sp_help_jobschedule
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @schedule_name sysname = NULL,
    @schedule_id int = NULL,
    @include_description bit = 0
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @sees_all int, @described_id int, @description nvarchar(4000), @schedule_id_text nvarchar(12);
    DECLARE @descriptions TABLE (schedule_id int NOT NULL PRIMARY KEY, schedule_description nvarchar(4000) NULL);

    SELECT @job_name = NULLIF(LTRIM(RTRIM(@job_name)), N''), @schedule_name = NULLIF(LTRIM(RTRIM(@schedule_name)), N''),
        @sees_all = CASE WHEN IS_SRVROLEMEMBER(N'sysadmin') = 1 OR IS_MEMBER(N'SQLAgentReaderRole') = 1 THEN 1 ELSE 0 END;
    IF (@schedule_id IS NULL AND @job_id IS NULL AND @job_name IS NULL)
        OR (@schedule_id IS NOT NULL AND (@job_id IS NOT NULL OR @job_name IS NOT NULL OR @schedule_name IS NOT NULL))
    BEGIN
        RAISERROR(14273, 16, 1);
        RETURN (1);
    END

    IF @schedule_id IS NOT NULL
    BEGIN
        IF NOT EXISTS (SELECT * FROM dbo.sysjobschedules AS a JOIN dbo.sysjobs AS j ON j.job_id = a.job_id
            WHERE a.schedule_id = @schedule_id AND (@sees_all = 1 OR j.owner_sid = SUSER_SID()))
        BEGIN
            SELECT @schedule_id_text = CONVERT(nvarchar(12), @schedule_id);
            RAISERROR(14262, 16, 1, N'@schedule_id', @schedule_id_text);
            RETURN (1);
        END
        IF (SELECT COUNT(*) FROM dbo.sysjobschedules WHERE schedule_id = @schedule_id) > 1
        BEGIN
            SELECT @schedule_id_text = CONVERT(nvarchar(12), @schedule_id);
            RAISERROR(14369, 16, 1, @schedule_id_text);
            RETURN (1);
        END
        SELECT @job_id = job_id FROM dbo.sysjobschedules WHERE schedule_id = @schedule_id;
    END
    ELSE
    BEGIN
        EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
        IF @retval <> 0
            RETURN (1);
        IF @schedule_name IS NOT NULL
            AND NOT EXISTS (SELECT * FROM dbo.sysjobschedules AS a JOIN dbo.sysschedules AS d ON d.schedule_id = a.schedule_id
                WHERE a.job_id = @job_id AND d.name = @schedule_name)
        BEGIN
            RAISERROR(14262, 16, 1, N'@schedule_name', @schedule_name);
            RETURN (1);
        END
    END

    INSERT INTO @descriptions (schedule_id, schedule_description)
    SELECT d.schedule_id, N'(Description not requested.)'
    FROM dbo.sysjobschedules AS a JOIN dbo.sysschedules AS d ON d.schedule_id = a.schedule_id
    WHERE a.job_id = @job_id AND (@schedule_id IS NULL OR d.schedule_id = @schedule_id)
        AND (@schedule_name IS NULL OR d.name = @schedule_name);

    IF ISNULL(@include_description, 0) = 1
    BEGIN
        SELECT @described_id = MIN(schedule_id) FROM @descriptions;
        WHILE @described_id IS NOT NULL
        BEGIN
            EXEC dbo.sp_get_schedule_description @described_id, @description OUTPUT;
            UPDATE @descriptions SET schedule_description = @description WHERE schedule_id = @described_id;
            SELECT @described_id = MIN(schedule_id) FROM @descriptions WHERE schedule_id > @described_id;
        END
    END

    SELECT d.schedule_id, d.name AS schedule_name, d.enabled, d.freq_type, d.freq_interval, d.freq_subday_type,
        d.freq_subday_interval, d.freq_relative_interval, d.freq_recurrence_factor, d.active_start_date, d.active_end_date,
        d.active_start_time, d.active_end_time, d.date_created, t.schedule_description, a.next_run_date, a.next_run_time,
        d.schedule_uid,
        (SELECT COUNT(*) FROM dbo.sysjobschedules AS b WHERE b.schedule_id = d.schedule_id) AS job_count
    FROM dbo.sysjobschedules AS a
        JOIN dbo.sysschedules AS d ON d.schedule_id = a.schedule_id
        JOIN @descriptions AS t ON t.schedule_id = d.schedule_id
    WHERE a.job_id = @job_id
    ORDER BY d.schedule_id;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_help_jobs_in_schedule
    @schedule_name sysname = NULL,
    @schedule_id int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int;

    EXEC @retval = dbo.sp_verify_schedule_identifiers N'@schedule_name', N'@schedule_id', @schedule_name OUTPUT, @schedule_id OUTPUT;
    IF @retval <> 0
        RETURN (1);
    EXEC dbo.sp_get_composite_job_info @schedule_id = @schedule_id;
    RETURN (0);
END
GO
