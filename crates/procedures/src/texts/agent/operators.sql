-- Operators of the Agent: who is told of alerts and of jobs, when and where.
-- msdb.dbo.sysoperators; sp_notify_operator sends by Database Mail.

CREATE PROCEDURE dbo.sp_verify_operator
    @name sysname,
    @enabled tinyint,
    @pager_days tinyint,
    @category_name sysname,
    @weekday_pager_start_time int,
    @weekday_pager_end_time int,
    @saturday_pager_start_time int,
    @saturday_pager_end_time int,
    @sunday_pager_start_time int,
    @sunday_pager_end_time int,
    @category_id int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(@name, N'') = N''
    BEGIN
        RAISERROR(14200, 16, 1, N'@name');
        RETURN 1;
    END;
    IF CHARINDEX(N'%', @name) > 0
    BEGIN
        RAISERROR(14289, 16, 1, N'@name', N'%');
        RETURN 1;
    END;
    IF ISNULL(@enabled, 2) NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@enabled', N'0, 1');
        RETURN 1;
    END;
    IF ISNULL(@pager_days, 128) > 127
    BEGIN
        RAISERROR(14266, 16, 1, N'@pager_days', N'0..127 [1 = Sunday .. 64 = Saturday]');
        RETURN 1;
    END;

    -- HHMMSS; the first that is none.
    DECLARE @parameter sysname, @part nvarchar(10);
    SELECT TOP (1)
        @parameter = t.parameter,
        @part = CASE
            WHEN t.value IS NULL OR t.value < 0 OR t.value / 10000 > 23 THEN N'hour'
            WHEN t.value / 100 % 100 > 59 THEN N'minute'
            ELSE N'second'
        END
    FROM (VALUES
        (1, N'@weekday_pager_start_time', @weekday_pager_start_time),
        (2, N'@weekday_pager_end_time', @weekday_pager_end_time),
        (3, N'@saturday_pager_start_time', @saturday_pager_start_time),
        (4, N'@saturday_pager_end_time', @saturday_pager_end_time),
        (5, N'@sunday_pager_start_time', @sunday_pager_start_time),
        (6, N'@sunday_pager_end_time', @sunday_pager_end_time)
    ) AS t (place, parameter, value)
    WHERE t.value IS NULL OR t.value < 0 OR t.value / 10000 > 23 OR t.value / 100 % 100 > 59 OR t.value % 100 > 59
    ORDER BY t.place;
    IF @parameter IS NOT NULL
    BEGIN
        RAISERROR(14287, 16, 1, @parameter, @part);
        RETURN 1;
    END;

    SET @category_id = (
        SELECT category_id FROM dbo.syscategories
        WHERE category_class = 3 AND name = ISNULL(@category_name, N'[Uncategorized]'));
    IF @category_id IS NULL
    BEGIN
        RAISERROR(14234, 16, 1, N'@category_name', N'sp_help_category');
        RETURN 1;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_add_operator
    @name sysname,
    @enabled tinyint = 1,
    @email_address nvarchar(100) = NULL,
    @pager_address nvarchar(100) = NULL,
    @weekday_pager_start_time int = 090000,
    @weekday_pager_end_time int = 180000,
    @saturday_pager_start_time int = 090000,
    @saturday_pager_end_time int = 180000,
    @sunday_pager_start_time int = 090000,
    @sunday_pager_end_time int = 180000,
    @pager_days tinyint = 0,
    @netsend_address nvarchar(100) = NULL,
    @category_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @category_id int, @failed int;
    SELECT
        @name = LTRIM(RTRIM(@name)),
        @email_address = NULLIF(LTRIM(RTRIM(@email_address)), N''),
        @pager_address = NULLIF(LTRIM(RTRIM(@pager_address)), N''),
        @netsend_address = NULLIF(LTRIM(RTRIM(@netsend_address)), N''),
        @category_name = NULLIF(LTRIM(RTRIM(@category_name)), N'');
    EXEC @failed = dbo.sp_verify_operator @name, @enabled, @pager_days, @category_name,
        @weekday_pager_start_time, @weekday_pager_end_time, @saturday_pager_start_time, @saturday_pager_end_time,
        @sunday_pager_start_time, @sunday_pager_end_time, @category_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF EXISTS (SELECT * FROM dbo.sysoperators WHERE name = @name)
    BEGIN
        RAISERROR(14261, 16, 1, N'@name', @name);
        RETURN 1;
    END;

    INSERT dbo.sysoperators (
        name, enabled, email_address, last_email_date, last_email_time, pager_address, last_pager_date, last_pager_time,
        weekday_pager_start_time, weekday_pager_end_time, saturday_pager_start_time, saturday_pager_end_time,
        sunday_pager_start_time, sunday_pager_end_time, pager_days, netsend_address, last_netsend_date, last_netsend_time,
        category_id)
    VALUES (
        @name, @enabled, @email_address, 0, 0, @pager_address, 0, 0,
        @weekday_pager_start_time, @weekday_pager_end_time, @saturday_pager_start_time, @saturday_pager_end_time,
        @sunday_pager_start_time, @sunday_pager_end_time, @pager_days, @netsend_address, 0, 0,
        @category_id);
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sp_update_operator
    @name sysname,
    @new_name sysname = NULL,
    @enabled tinyint = NULL,
    @email_address nvarchar(100) = NULL,
    @pager_address nvarchar(100) = NULL,
    @weekday_pager_start_time int = NULL,
    @weekday_pager_end_time int = NULL,
    @saturday_pager_start_time int = NULL,
    @saturday_pager_end_time int = NULL,
    @sunday_pager_start_time int = NULL,
    @sunday_pager_end_time int = NULL,
    @pager_days tinyint = NULL,
    @netsend_address nvarchar(100) = NULL,
    @category_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @id int, @category_id int, @failed int;
    SELECT
        @name = LTRIM(RTRIM(@name)),
        @new_name = LTRIM(RTRIM(@new_name)),
        @email_address = LTRIM(RTRIM(@email_address)),
        @pager_address = LTRIM(RTRIM(@pager_address)),
        @netsend_address = LTRIM(RTRIM(@netsend_address)),
        @category_name = NULLIF(LTRIM(RTRIM(@category_name)), N'');

    -- What is not given stays; '' takes an address away.
    SELECT
        @id = o.id,
        @new_name = ISNULL(@new_name, o.name),
        @enabled = ISNULL(@enabled, o.enabled),
        @email_address = ISNULL(@email_address, o.email_address),
        @pager_address = ISNULL(@pager_address, o.pager_address),
        @weekday_pager_start_time = ISNULL(@weekday_pager_start_time, o.weekday_pager_start_time),
        @weekday_pager_end_time = ISNULL(@weekday_pager_end_time, o.weekday_pager_end_time),
        @saturday_pager_start_time = ISNULL(@saturday_pager_start_time, o.saturday_pager_start_time),
        @saturday_pager_end_time = ISNULL(@saturday_pager_end_time, o.saturday_pager_end_time),
        @sunday_pager_start_time = ISNULL(@sunday_pager_start_time, o.sunday_pager_start_time),
        @sunday_pager_end_time = ISNULL(@sunday_pager_end_time, o.sunday_pager_end_time),
        @pager_days = ISNULL(@pager_days, o.pager_days),
        @netsend_address = ISNULL(@netsend_address, o.netsend_address),
        @category_name = ISNULL(@category_name, c.name)
    FROM dbo.sysoperators AS o
    LEFT JOIN dbo.syscategories AS c ON c.category_id = o.category_id
    WHERE o.name = @name;
    IF @id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@name', @name);
        RETURN 1;
    END;
    EXEC @failed = dbo.sp_verify_operator @new_name, @enabled, @pager_days, @category_name,
        @weekday_pager_start_time, @weekday_pager_end_time, @saturday_pager_start_time, @saturday_pager_end_time,
        @sunday_pager_start_time, @sunday_pager_end_time, @category_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF EXISTS (SELECT * FROM dbo.sysoperators WHERE name = @new_name AND id <> @id)
    BEGIN
        RAISERROR(14261, 16, 1, N'@new_name', @new_name);
        RETURN 1;
    END;

    UPDATE dbo.sysoperators
    SET name = @new_name,
        enabled = @enabled,
        email_address = NULLIF(@email_address, N''),
        pager_address = NULLIF(@pager_address, N''),
        weekday_pager_start_time = @weekday_pager_start_time,
        weekday_pager_end_time = @weekday_pager_end_time,
        saturday_pager_start_time = @saturday_pager_start_time,
        saturday_pager_end_time = @saturday_pager_end_time,
        sunday_pager_start_time = @sunday_pager_start_time,
        sunday_pager_end_time = @sunday_pager_end_time,
        pager_days = @pager_days,
        netsend_address = NULLIF(@netsend_address, N''),
        category_id = @category_id
    WHERE id = @id;
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sp_delete_operator
    @name sysname,
    @reassign_to_operator sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @id int, @new_id int;
    SELECT
        @name = LTRIM(RTRIM(@name)),
        @reassign_to_operator = NULLIF(LTRIM(RTRIM(@reassign_to_operator)), N'');
    SET @id = (SELECT id FROM dbo.sysoperators WHERE name = @name);
    IF @id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@name', @name);
        RETURN 1;
    END;
    IF @reassign_to_operator IS NOT NULL
    BEGIN
        SET @new_id = (SELECT id FROM dbo.sysoperators WHERE name = @reassign_to_operator AND id <> @id);
        IF @new_id IS NULL
        BEGIN
            RAISERROR(14262, 16, 1, N'@reassign_to_operator', @reassign_to_operator);
            RETURN 1;
        END;
    END;

    DECLARE @alerts TABLE (alert_id int PRIMARY KEY);
    DECLARE @own bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
    BEGIN TRY
        IF @own = 1
            BEGIN TRANSACTION;

        IF @new_id IS NOT NULL
        BEGIN
            -- An alert that tells the new one already tells it in both ways.
            UPDATE n
            SET notification_method = n.notification_method | o.notification_method
            FROM dbo.sysnotifications AS n
            JOIN dbo.sysnotifications AS o ON o.alert_id = n.alert_id AND o.operator_id = @id
            WHERE n.operator_id = @new_id;
            INSERT dbo.sysnotifications (alert_id, operator_id, notification_method)
            SELECT o.alert_id, @new_id, o.notification_method
            FROM dbo.sysnotifications AS o
            WHERE o.operator_id = @id
                AND NOT EXISTS (
                    SELECT * FROM dbo.sysnotifications AS n WHERE n.alert_id = o.alert_id AND n.operator_id = @new_id);
        END;
        DELETE dbo.sysnotifications OUTPUT deleted.alert_id INTO @alerts (alert_id) WHERE operator_id = @id;
        UPDATE a
        SET has_notification = ISNULL((
            SELECT MAX(n.notification_method & 1) | MAX(n.notification_method & 2) | MAX(n.notification_method & 4)
            FROM dbo.sysnotifications AS n
            WHERE n.alert_id = a.id), 0)
        FROM dbo.sysalerts AS a
        WHERE a.id IN (SELECT alert_id FROM @alerts);

        UPDATE dbo.sysjobs
        SET notify_email_operator_id = ISNULL(@new_id, 0),
            notify_level_email = CASE WHEN @new_id IS NULL THEN 0 ELSE notify_level_email END
        WHERE notify_email_operator_id = @id;
        UPDATE dbo.sysjobs
        SET notify_netsend_operator_id = ISNULL(@new_id, 0),
            notify_level_netsend = CASE WHEN @new_id IS NULL THEN 0 ELSE notify_level_netsend END
        WHERE notify_netsend_operator_id = @id;
        UPDATE dbo.sysjobs
        SET notify_page_operator_id = ISNULL(@new_id, 0),
            notify_level_page = CASE WHEN @new_id IS NULL THEN 0 ELSE notify_level_page END
        WHERE notify_page_operator_id = @id;

        DELETE dbo.sysoperators WHERE id = @id;

        IF @own = 1
            COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @own = 1 AND @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_help_operator
    @operator_name sysname = NULL,
    @operator_id int = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
        AND ISNULL(IS_MEMBER(N'SQLAgentUserRole'), 0) = 0
        AND ISNULL(IS_MEMBER(N'SQLAgentReaderRole'), 0) = 0
        AND ISNULL(IS_MEMBER(N'SQLAgentOperatorRole'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SET @operator_name = NULLIF(LTRIM(RTRIM(@operator_name)), N'');
    IF @operator_name IS NOT NULL AND @operator_id IS NOT NULL
    BEGIN
        RAISERROR(14524, 16, 1, N'@operator_id', N'@operator_name');
        RETURN 1;
    END;
    IF @operator_name IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysoperators WHERE name = @operator_name)
    BEGIN
        RAISERROR(14262, 16, 1, N'@operator_name', @operator_name);
        RETURN 1;
    END;
    IF @operator_id IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysoperators WHERE id = @operator_id)
    BEGIN
        DECLARE @number nvarchar(12) = CONVERT(nvarchar(12), @operator_id);
        RAISERROR(14262, 16, 1, N'@operator_id', @number);
        RETURN 1;
    END;

    SELECT
        o.id, o.name, o.enabled, o.email_address, o.last_email_date, o.last_email_time,
        o.pager_address, o.last_pager_date, o.last_pager_time, o.weekday_pager_start_time, o.weekday_pager_end_time,
        o.saturday_pager_start_time, o.saturday_pager_end_time, o.sunday_pager_start_time, o.sunday_pager_end_time,
        o.pager_days, o.netsend_address, o.last_netsend_date, o.last_netsend_time, c.name AS category_name
    FROM dbo.sysoperators AS o
    LEFT JOIN dbo.syscategories AS c ON c.category_id = o.category_id
    WHERE (@operator_name IS NULL OR o.name = @operator_name) AND (@operator_id IS NULL OR o.id = @operator_id)
    ORDER BY o.name;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_notify_operator
    @profile_name nvarchar(128) = NULL,
    @id int = NULL,
    @name nvarchar(128) = NULL,
    @subject nvarchar(256) = NULL,
    @body nvarchar(max) = NULL,
    @file_attachments nvarchar(512) = NULL,
    @mail_database nvarchar(128) = N'msdb'
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
        AND ISNULL(IS_MEMBER(N'SQLAgentUserRole'), 0) = 0
        AND ISNULL(IS_MEMBER(N'SQLAgentReaderRole'), 0) = 0
        AND ISNULL(IS_MEMBER(N'SQLAgentOperatorRole'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SET @name = NULLIF(LTRIM(RTRIM(@name)), N'');
    IF ISNULL(DB_ID(ISNULL(@mail_database, N'msdb')), 0) <> DB_ID(N'msdb')
    BEGIN
        RAISERROR(14617, 16, 1);
        RETURN 1;
    END;
    IF (@id IS NULL AND @name IS NULL) OR (@id IS NOT NULL AND @name IS NOT NULL)
    BEGIN
        RAISERROR(14524, 16, 1, N'@id', N'@name');
        RETURN 1;
    END;

    DECLARE @operator_name sysname, @enabled tinyint, @email_address nvarchar(100), @failed int;
    SELECT @operator_name = name, @enabled = enabled, @email_address = email_address
    FROM dbo.sysoperators
    WHERE id = @id OR name = @name;
    IF @operator_name IS NULL
    BEGIN
        DECLARE @parameter sysname = CASE WHEN @id IS NULL THEN N'@name' ELSE N'@id' END;
        SET @name = ISNULL(@name, CONVERT(nvarchar(12), @id));
        RAISERROR(14262, 16, 1, @parameter, @name);
        RETURN 1;
    END;
    IF @enabled <> 1
    BEGIN
        RAISERROR(14601, 16, 1, @operator_name);
        RETURN 1;
    END;
    IF @email_address IS NULL
    BEGIN
        RAISERROR(14602, 16, 1, @operator_name);
        RETURN 1;
    END;

    EXEC @failed = dbo.sp_send_dbmail @profile_name = @profile_name, @recipients = @email_address, @subject = @subject,
        @body = @body, @file_attachments = @file_attachments;
    RETURN CASE @failed WHEN 0 THEN 0 ELSE 1 END;
END
GO
