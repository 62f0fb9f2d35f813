-- Alerts of the Agent and whom they tell: msdb.dbo.sysalerts and msdb.dbo.sysnotifications.
-- They are kept and told; nothing raises an alert here.

-- Checks a definition as a whole and gives back the numbers that its names stand for.
CREATE PROCEDURE dbo.sp_verify_alert
    @alert_id int,
    @name sysname,
    @name_parameter sysname,
    @message_id int OUTPUT,
    @severity int OUTPUT,
    @enabled tinyint,
    @delay_between_responses int,
    @include_event_description_in tinyint,
    @database_name sysname,
    @event_description_keyword nvarchar(100),
    @job_id uniqueidentifier OUTPUT,
    @job_name sysname,
    @raise_snmp_trap tinyint,
    @performance_condition nvarchar(512),
    @category_name sysname,
    @category_id int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    DECLARE @text nvarchar(256), @other sysname;
    SELECT @message_id = ISNULL(@message_id, 0), @severity = ISNULL(@severity, 0);

    IF ISNULL(@name, N'') = N''
    BEGIN
        RAISERROR(14200, 16, 1, @name_parameter);
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysalerts WHERE name = @name AND id <> @alert_id)
    BEGIN
        RAISERROR(14261, 16, 1, @name_parameter, @name);
        RETURN 1;
    END;
    IF ISNULL(@enabled, 2) NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@enabled', N'0, 1');
        RETURN 1;
    END;
    IF ISNULL(@raise_snmp_trap, 2) NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@raise_snmp_trap', N'0, 1');
        RETURN 1;
    END;
    IF ISNULL(@delay_between_responses, -1) < 0
    BEGIN
        RAISERROR(14266, 16, 1, N'@delay_between_responses', N'0..n seconds');
        RETURN 1;
    END;
    IF ISNULL(@include_event_description_in, 8) > 7
    BEGIN
        RAISERROR(14266, 16, 1, N'@include_event_description_in', N'0..7 [1 = E-mail, 2 = Pager, 4 = NetSend]');
        RETURN 1;
    END;

    -- What raises it: a condition of a counter, a message or a severity.
    IF @performance_condition IS NOT NULL
    BEGIN
        SET @other = CASE
            WHEN @message_id <> 0 THEN N'@message_id'
            WHEN @severity <> 0 THEN N'@severity'
            WHEN @database_name IS NOT NULL THEN N'@database_name'
            WHEN @event_description_keyword IS NOT NULL THEN N'@event_description_keyword'
        END;
        IF @other IS NOT NULL
        BEGIN
            RAISERROR(14505, 16, 1, @other);
            RETURN 1;
        END;
        IF (SELECT COUNT(*) FROM STRING_SPLIT(@performance_condition, N'|')) <> 5
            OR @performance_condition NOT LIKE N'_%|_%|%|[<>=]|_%'
            OR TRY_CAST(RIGHT(@performance_condition, CHARINDEX(N'|', REVERSE(@performance_condition)) - 1) AS float) IS NULL
        BEGIN
            RAISERROR(14507, 16, 1);
            RETURN 1;
        END;
    END
    ELSE IF @message_id = 0 AND @severity = 0
    BEGIN
        RAISERROR(14500, 16, 1);
        RETURN 1;
    END
    ELSE IF @message_id <> 0 AND @severity <> 0
    BEGIN
        RAISERROR(14266, 16, 1, N'@severity', N'0');
        RETURN 1;
    END
    ELSE IF @severity NOT IN (0, 110, 120, 130, 140) AND @severity NOT BETWEEN 1 AND 25
    BEGIN
        RAISERROR(14266, 16, 1, N'@severity', N'0..25');
        RETURN 1;
    END
    -- Below 50000 messages are SQL Server's: alerts on such as this server does not send are kept too.
    ELSE IF @message_id < 0 OR (@message_id >= 50000 AND NOT EXISTS (
        SELECT * FROM sys.messages WHERE message_id = @message_id))
    BEGIN
        SET @text = CONVERT(nvarchar(12), @message_id);
        RAISERROR(14262, 16, 1, N'@message_id', @text);
        RETURN 1;
    END;
    IF @database_name IS NOT NULL AND DB_ID(@database_name) IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@database_name', @database_name);
        RETURN 1;
    END;
    SET @text = (
        SELECT TOP (1) name FROM dbo.sysalerts
        WHERE id <> @alert_id AND message_id = @message_id AND severity = @severity
            AND (performance_condition = @performance_condition OR COALESCE(performance_condition, @performance_condition) IS NULL)
            AND (database_name = @database_name OR COALESCE(database_name, @database_name) IS NULL)
            AND (event_description_keyword = @event_description_keyword
                OR COALESCE(event_description_keyword, @event_description_keyword) IS NULL)
        ORDER BY id);
    IF @text IS NOT NULL
    BEGIN
        RAISERROR(14501, 16, 1, @text);
        RETURN 1;
    END;

    -- The job that answers; '' is none.
    IF @job_name = N''
        SELECT @job_name = NULL, @job_id = ISNULL(@job_id, CAST(0x00 AS uniqueidentifier));
    IF @job_name IS NOT NULL AND @job_id IS NOT NULL
    BEGIN
        RAISERROR(14294, 16, 1, N'@job_id', N'@job_name');
        RETURN 1;
    END;
    IF @job_name IS NOT NULL
    BEGIN
        SET @job_id = (SELECT job_id FROM dbo.sysjobs WHERE name = @job_name);
        IF @job_id IS NULL
        BEGIN
            RAISERROR(14262, 16, 1, N'@job_name', @job_name);
            RETURN 1;
        END;
    END;
    SET @job_id = ISNULL(@job_id, CAST(0x00 AS uniqueidentifier));
    IF @job_id <> CAST(0x00 AS uniqueidentifier)
    BEGIN
        SET @job_name = (SELECT name FROM dbo.sysjobs WHERE job_id = @job_id);
        IF @job_name IS NULL
        BEGIN
            SET @text = CONVERT(nvarchar(36), @job_id);
            RAISERROR(14262, 16, 1, N'@job_id', @text);
            RETURN 1;
        END;
        IF NOT EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id)
        BEGIN
            RAISERROR(14527, 16, 1, @job_name);
            RETURN 1;
        END;
    END;

    SET @category_id = (
        SELECT category_id FROM dbo.syscategories
        WHERE category_class = 2 AND name = ISNULL(@category_name, N'[Uncategorized]'));
    IF @category_id IS NULL
    BEGIN
        RAISERROR(14234, 16, 1, N'@category_name', N'sp_help_category');
        RETURN 1;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_add_alert
    @name sysname,
    @message_id int = 0,
    @severity int = 0,
    @enabled tinyint = 1,
    @delay_between_responses int = 0,
    @notification_message nvarchar(512) = NULL,
    @include_event_description_in tinyint = 5,
    @database_name sysname = NULL,
    @event_description_keyword nvarchar(100) = NULL,
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @raise_snmp_trap tinyint = 0,
    @performance_condition nvarchar(512) = NULL,
    @category_name sysname = NULL,
    @wmi_namespace sysname = NULL,
    @wmi_query nvarchar(512) = NULL
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
        @notification_message = NULLIF(@notification_message, N''),
        @database_name = NULLIF(LTRIM(RTRIM(@database_name)), N''),
        @event_description_keyword = NULLIF(LTRIM(RTRIM(@event_description_keyword)), N''),
        @job_name = NULLIF(LTRIM(RTRIM(@job_name)), N''),
        @performance_condition = NULLIF(LTRIM(RTRIM(@performance_condition)), N''),
        @category_name = NULLIF(LTRIM(RTRIM(@category_name)), N''),
        @wmi_namespace = NULLIF(LTRIM(RTRIM(@wmi_namespace)), N''),
        @wmi_query = NULLIF(LTRIM(RTRIM(@wmi_query)), N'');
    IF COALESCE(@wmi_namespace, @wmi_query) IS NOT NULL
    BEGIN
        RAISERROR(40517, 16, 1, N'sp_add_alert with @wmi_namespace and @wmi_query');
        RETURN 1;
    END;
    EXEC @failed = dbo.sp_verify_alert 0, @name, N'@name', @message_id OUTPUT, @severity OUTPUT, @enabled,
        @delay_between_responses, @include_event_description_in, @database_name, @event_description_keyword, @job_id OUTPUT,
        @job_name, @raise_snmp_trap, @performance_condition, @category_name, @category_id OUTPUT;
    IF @failed <> 0
        RETURN 1;

    INSERT dbo.sysalerts (
        name, event_source, event_category_id, event_id, message_id, severity, enabled, delay_between_responses,
        last_occurrence_date, last_occurrence_time, last_response_date, last_response_time, notification_message,
        include_event_description, database_name, event_description_keyword, occurrence_count, count_reset_date,
        count_reset_time, job_id, has_notification, flags, performance_condition, category_id)
    VALUES (
        @name, N'MSSQLSERVER', NULL, NULL, @message_id, @severity, @enabled, @delay_between_responses,
        0, 0, 0, 0, @notification_message,
        @include_event_description_in, @database_name, @event_description_keyword, 0, 0,
        0, @job_id, 0, @raise_snmp_trap, @performance_condition, @category_id);
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

-- What is not given stays; '' takes away.
CREATE PROCEDURE dbo.sp_update_alert
    @name sysname,
    @new_name sysname = NULL,
    @enabled tinyint = NULL,
    @message_id int = NULL,
    @severity int = NULL,
    @delay_between_responses int = NULL,
    @notification_message nvarchar(512) = NULL,
    @include_event_description_in tinyint = NULL,
    @database_name sysname = NULL,
    @event_description_keyword nvarchar(100) = NULL,
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @occurrence_count int = NULL,
    @count_reset_date int = NULL,
    @count_reset_time int = NULL,
    @last_occurrence_date int = NULL,
    @last_occurrence_time int = NULL,
    @last_response_date int = NULL,
    @last_response_time int = NULL,
    @raise_snmp_trap tinyint = NULL,
    @performance_condition nvarchar(512) = NULL,
    @category_name sysname = NULL,
    @wmi_namespace sysname = NULL,
    @wmi_query nvarchar(512) = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @id int, @category_id int, @failed int, @parameter sysname;
    SELECT
        @name = LTRIM(RTRIM(@name)),
        @new_name = LTRIM(RTRIM(@new_name)),
        @database_name = LTRIM(RTRIM(@database_name)),
        @event_description_keyword = LTRIM(RTRIM(@event_description_keyword)),
        @job_name = LTRIM(RTRIM(@job_name)),
        @performance_condition = LTRIM(RTRIM(@performance_condition)),
        @category_name = NULLIF(LTRIM(RTRIM(@category_name)), N'');
    IF COALESCE(NULLIF(@wmi_namespace, N''), NULLIF(@wmi_query, N'')) IS NOT NULL
    BEGIN
        RAISERROR(40517, 16, 1, N'sp_update_alert with @wmi_namespace and @wmi_query');
        RETURN 1;
    END;
    -- These can be set back only.
    SET @parameter = CASE
        WHEN @occurrence_count <> 0 THEN N'@occurrence_count'
        WHEN @last_occurrence_date <> 0 THEN N'@last_occurrence_date'
        WHEN @last_occurrence_time <> 0 THEN N'@last_occurrence_time'
        WHEN @last_response_date <> 0 THEN N'@last_response_date'
        WHEN @last_response_time <> 0 THEN N'@last_response_time'
    END;
    IF @parameter IS NOT NULL
    BEGIN
        RAISERROR(14266, 16, 1, @parameter, N'0');
        RETURN 1;
    END;
    -- YYYYMMDD and HHMMSS.
    IF @count_reset_date <> 0 AND TRY_CONVERT(date, CONVERT(varchar(12), @count_reset_date), 112) IS NULL
    BEGIN
        RAISERROR(14287, 16, 1, N'@count_reset_date', N'date');
        RETURN 1;
    END;
    IF @count_reset_time < 0 OR @count_reset_time / 10000 > 23 OR @count_reset_time / 100 % 100 > 59 OR @count_reset_time % 100 > 59
    BEGIN
        RAISERROR(14287, 16, 1, N'@count_reset_time', N'time');
        RETURN 1;
    END;

    SELECT
        @id = a.id,
        @new_name = ISNULL(@new_name, a.name),
        @enabled = ISNULL(@enabled, a.enabled),
        @message_id = ISNULL(@message_id, a.message_id),
        @severity = ISNULL(@severity, a.severity),
        @delay_between_responses = ISNULL(@delay_between_responses, a.delay_between_responses),
        @notification_message = NULLIF(ISNULL(@notification_message, a.notification_message), N''),
        @include_event_description_in = ISNULL(@include_event_description_in, a.include_event_description),
        @database_name = NULLIF(ISNULL(@database_name, a.database_name), N''),
        @event_description_keyword = NULLIF(ISNULL(@event_description_keyword, a.event_description_keyword), N''),
        @job_id = CASE WHEN @job_id IS NULL AND @job_name IS NULL THEN a.job_id ELSE @job_id END,
        @raise_snmp_trap = ISNULL(@raise_snmp_trap, a.flags & 1),
        @performance_condition = NULLIF(ISNULL(@performance_condition, a.performance_condition), N''),
        @category_name = ISNULL(@category_name, c.name)
    FROM dbo.sysalerts AS a
    LEFT JOIN dbo.syscategories AS c ON c.category_id = a.category_id
    WHERE a.name = @name;
    IF @id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@name', @name);
        RETURN 1;
    END;
    EXEC @failed = dbo.sp_verify_alert @id, @new_name, N'@new_name', @message_id OUTPUT, @severity OUTPUT, @enabled,
        @delay_between_responses, @include_event_description_in, @database_name, @event_description_keyword, @job_id OUTPUT,
        @job_name, @raise_snmp_trap, @performance_condition, @category_name, @category_id OUTPUT;
    IF @failed <> 0
        RETURN 1;

    UPDATE dbo.sysalerts
    SET name = @new_name,
        message_id = @message_id,
        severity = @severity,
        enabled = @enabled,
        delay_between_responses = @delay_between_responses,
        last_occurrence_date = ISNULL(@last_occurrence_date, last_occurrence_date),
        last_occurrence_time = ISNULL(@last_occurrence_time, last_occurrence_time),
        last_response_date = ISNULL(@last_response_date, last_response_date),
        last_response_time = ISNULL(@last_response_time, last_response_time),
        notification_message = @notification_message,
        include_event_description = @include_event_description_in,
        database_name = @database_name,
        event_description_keyword = @event_description_keyword,
        occurrence_count = ISNULL(@occurrence_count, occurrence_count),
        count_reset_date = ISNULL(@count_reset_date, count_reset_date),
        count_reset_time = ISNULL(@count_reset_time, count_reset_time),
        job_id = @job_id,
        flags = @raise_snmp_trap,
        performance_condition = @performance_condition,
        category_id = @category_id
    WHERE id = @id;
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sp_delete_alert
    @name sysname
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @id int;
    SET @name = LTRIM(RTRIM(@name));
    SET @id = (SELECT id FROM dbo.sysalerts WHERE name = @name);
    IF @id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@name', @name);
        RETURN 1;
    END;
    DECLARE @own bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
    BEGIN TRY
        IF @own = 1
            BEGIN TRANSACTION;
        DELETE dbo.sysnotifications WHERE alert_id = @id;
        DELETE dbo.sysalerts WHERE id = @id;
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

CREATE PROCEDURE dbo.sp_help_alert
    @alert_name sysname = NULL,
    @order_by sysname = N'name',
    @alert_id int = NULL,
    @category_name sysname = NULL,
    @legacy_format bit = 0
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND ISNULL(IS_MEMBER(N'SQLAgentOperatorRole'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SELECT
        @alert_name = NULLIF(LTRIM(RTRIM(@alert_name)), N''),
        @order_by = ISNULL(NULLIF(LTRIM(RTRIM(@order_by)), N''), N'name'),
        @category_name = NULLIF(LTRIM(RTRIM(@category_name)), N'');
    IF @alert_name IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysalerts WHERE name = @alert_name)
    BEGIN
        RAISERROR(14262, 16, 1, N'@alert_name', @alert_name);
        RETURN 1;
    END;
    IF @alert_id IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysalerts WHERE id = @alert_id)
    BEGIN
        DECLARE @number nvarchar(12) = CONVERT(nvarchar(12), @alert_id);
        RAISERROR(14262, 16, 1, N'@alert_id', @number);
        RETURN 1;
    END;
    IF @category_name IS NOT NULL AND NOT EXISTS (
        SELECT * FROM dbo.syscategories WHERE category_class = 2 AND name = @category_name)
    BEGIN
        RAISERROR(14262, 16, 1, N'@category_name', @category_name);
        RETURN 1;
    END;

    SELECT
        a.id, a.name, a.event_source, a.event_category_id, a.event_id, a.message_id, a.severity, a.enabled,
        a.delay_between_responses, a.last_occurrence_date, a.last_occurrence_time, a.last_response_date,
        a.last_response_time, a.notification_message, a.include_event_description,
        CAST(a.database_name AS sysname) AS database_name, a.event_description_keyword, a.occurrence_count,
        a.count_reset_date, a.count_reset_time, a.job_id, j.name AS job_name, a.has_notification, a.flags,
        a.performance_condition, c.name AS category_name, CAST(NULL AS sysname) AS wmi_namespace,
        CAST(NULL AS nvarchar(512)) AS wmi_query, CASE WHEN a.performance_condition IS NULL THEN 1 ELSE 2 END AS type
    INTO #alerts
    FROM dbo.sysalerts AS a
    LEFT JOIN dbo.sysjobs AS j ON j.job_id = a.job_id
    LEFT JOIN dbo.syscategories AS c ON c.category_id = a.category_id
    WHERE (@alert_name IS NULL OR a.name = @alert_name)
        AND (@alert_id IS NULL OR a.id = @alert_id)
        AND (@category_name IS NULL OR c.name = @category_name);

    IF COL_LENGTH(N'tempdb..#alerts', @order_by) IS NULL
    BEGIN
        RAISERROR(14200, 16, 1, N'@order_by');
        RETURN 1;
    END;
    DECLARE @statement nvarchar(max) = N'
SELECT
    id, name, event_source, event_category_id, event_id, message_id, severity, enabled, delay_between_responses,
    last_occurrence_date, last_occurrence_time, last_response_date, last_response_time, notification_message,
    include_event_description, database_name, event_description_keyword, occurrence_count, count_reset_date,
    count_reset_time, job_id, job_name, has_notification, flags, performance_condition, category_name, '
        + CASE @legacy_format WHEN 1 THEN N'' ELSE N'wmi_namespace, wmi_query, ' END + N'type
FROM #alerts
ORDER BY ' + QUOTENAME(@order_by) + N';';
    EXEC sp_executesql @statement;
    RETURN 0;
END
GO

-- Notes in an alert the ways in which it tells anybody.
CREATE PROCEDURE dbo.sp_note_notifications
    @alert_id int
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    UPDATE dbo.sysalerts
    SET has_notification = ISNULL((
        SELECT MAX(notification_method & 1) | MAX(notification_method & 2) | MAX(notification_method & 4)
        FROM dbo.sysnotifications
        WHERE alert_id = @alert_id), 0)
    WHERE id = @alert_id;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_add_notification
    @alert_name sysname,
    @operator_name sysname,
    @notification_method tinyint
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @alert_id int, @operator_id int, @pair nvarchar(260);
    SELECT @alert_name = LTRIM(RTRIM(@alert_name)), @operator_name = LTRIM(RTRIM(@operator_name));
    SELECT
        @alert_id = (SELECT id FROM dbo.sysalerts WHERE name = @alert_name),
        @operator_id = (SELECT id FROM dbo.sysoperators WHERE name = @operator_name);
    IF @alert_id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@alert_name', @alert_name);
        RETURN 1;
    END;
    IF @operator_id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@operator_name', @operator_name);
        RETURN 1;
    END;
    IF ISNULL(@notification_method, 0) NOT BETWEEN 1 AND 7
    BEGIN
        RAISERROR(14266, 16, 1, N'@notification_method', N'1..7 [1 = E-mail, 2 = Pager, 4 = NetSend]');
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysnotifications WHERE alert_id = @alert_id AND operator_id = @operator_id)
    BEGIN
        SET @pair = @alert_name + N' / ' + @operator_name;
        RAISERROR(14261, 16, 1, N'notification', @pair);
        RETURN 1;
    END;
    INSERT dbo.sysnotifications (alert_id, operator_id, notification_method)
    VALUES (@alert_id, @operator_id, @notification_method);
    IF @@ERROR <> 0
        RETURN 1;
    EXEC dbo.sp_note_notifications @alert_id;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_update_notification
    @alert_name sysname,
    @operator_name sysname,
    @notification_method tinyint
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @alert_id int, @operator_id int, @pair nvarchar(260);
    SELECT @alert_name = LTRIM(RTRIM(@alert_name)), @operator_name = LTRIM(RTRIM(@operator_name));
    SELECT
        @alert_id = (SELECT id FROM dbo.sysalerts WHERE name = @alert_name),
        @operator_id = (SELECT id FROM dbo.sysoperators WHERE name = @operator_name);
    IF @alert_id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@alert_name', @alert_name);
        RETURN 1;
    END;
    IF @operator_id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@operator_name', @operator_name);
        RETURN 1;
    END;
    IF ISNULL(@notification_method, 0) NOT BETWEEN 1 AND 7
    BEGIN
        RAISERROR(14266, 16, 1, N'@notification_method', N'1..7 [1 = E-mail, 2 = Pager, 4 = NetSend]');
        RETURN 1;
    END;
    UPDATE dbo.sysnotifications
    SET notification_method = @notification_method
    WHERE alert_id = @alert_id AND operator_id = @operator_id;
    IF @@ROWCOUNT = 0
    BEGIN
        SET @pair = @alert_name + N' / ' + @operator_name;
        RAISERROR(14262, 16, 1, N'notification', @pair);
        RETURN 1;
    END;
    EXEC dbo.sp_note_notifications @alert_id;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_delete_notification
    @alert_name sysname,
    @operator_name sysname
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @alert_id int, @operator_id int, @pair nvarchar(260);
    SELECT @alert_name = LTRIM(RTRIM(@alert_name)), @operator_name = LTRIM(RTRIM(@operator_name));
    SELECT
        @alert_id = (SELECT id FROM dbo.sysalerts WHERE name = @alert_name),
        @operator_id = (SELECT id FROM dbo.sysoperators WHERE name = @operator_name);
    IF @alert_id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@alert_name', @alert_name);
        RETURN 1;
    END;
    IF @operator_id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@operator_name', @operator_name);
        RETURN 1;
    END;
    DELETE dbo.sysnotifications WHERE alert_id = @alert_id AND operator_id = @operator_id;
    IF @@ROWCOUNT = 0
    BEGIN
        SET @pair = @alert_name + N' / ' + @operator_name;
        RAISERROR(14262, 16, 1, N'notification', @pair);
        RETURN 1;
    END;
    EXEC dbo.sp_note_notifications @alert_id;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_help_notification
    @object_type char(9),
    @name sysname,
    @enum_type char(10),
    @notification_method tinyint,
    @target_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SELECT
        @object_type = UPPER(@object_type),
        @enum_type = UPPER(@enum_type),
        @name = LTRIM(RTRIM(@name)),
        @target_name = NULLIF(LTRIM(RTRIM(@target_name)), N'');
    IF ISNULL(@object_type, '') NOT IN ('ALERTS', 'OPERATORS')
    BEGIN
        RAISERROR(14266, 16, 1, N'@object_type', N'ALERTS, OPERATORS');
        RETURN 1;
    END;
    IF ISNULL(@enum_type, '') NOT IN ('ALL', 'ACTUAL', 'TARGET')
    BEGIN
        RAISERROR(14266, 16, 1, N'@enum_type', N'ALL, ACTUAL, TARGET');
        RETURN 1;
    END;
    IF ISNULL(@notification_method, 0) NOT BETWEEN 1 AND 7
    BEGIN
        RAISERROR(14266, 16, 1, N'@notification_method', N'1..7 [1 = E-mail, 2 = Pager, 4 = NetSend]');
        RETURN 1;
    END;
    IF @enum_type = 'TARGET' AND @target_name IS NULL
    BEGIN
        RAISERROR(14502, 16, 1);
        RETURN 1;
    END;
    IF @enum_type <> 'TARGET' AND @target_name IS NOT NULL
    BEGIN
        RAISERROR(14503, 16, 1);
        RETURN 1;
    END;

    -- Of an operator the alerts are asked for, and of an alert the operators.
    DECLARE @id int = CASE @object_type
        WHEN 'ALERTS' THEN (SELECT id FROM dbo.sysoperators WHERE name = @name)
        ELSE (SELECT id FROM dbo.sysalerts WHERE name = @name)
    END;
    IF @id IS NULL
    BEGIN
        RAISERROR(14262, 16, 1, N'@name', @name);
        RETURN 1;
    END;
    IF @target_name IS NOT NULL
        AND (@object_type = 'ALERTS' AND NOT EXISTS (SELECT * FROM dbo.sysalerts WHERE name = @target_name)
            OR @object_type = 'OPERATORS' AND NOT EXISTS (SELECT * FROM dbo.sysoperators WHERE name = @target_name))
    BEGIN
        RAISERROR(14262, 16, 1, N'@target_name', @target_name);
        RETURN 1;
    END;

    CREATE TABLE #found (id int NOT NULL, name sysname NOT NULL, method int NULL, has int NOT NULL);
    IF @object_type = 'ALERTS'
        INSERT #found (id, name, method, has)
        SELECT a.id, a.name, n.notification_method, a.has_notification
        FROM dbo.sysalerts AS a
        LEFT JOIN dbo.sysnotifications AS n ON n.alert_id = a.id AND n.operator_id = @id;
    ELSE
        INSERT #found (id, name, method, has)
        SELECT o.id, o.name, n.notification_method,
            CASE WHEN o.email_address IS NULL THEN 0 ELSE 1 END | CASE WHEN o.pager_address IS NULL THEN 0 ELSE 2 END
            | CASE WHEN o.netsend_address IS NULL THEN 0 ELSE 4 END
        FROM dbo.sysoperators AS o
        LEFT JOIN dbo.sysnotifications AS n ON n.operator_id = o.id AND n.alert_id = @id;
    DELETE #found
    WHERE (@enum_type = 'ACTUAL' AND ISNULL(method, 0) & @notification_method = 0)
        OR (@enum_type = 'TARGET' AND name <> @target_name);

    DECLARE @what nvarchar(10) = CASE @object_type WHEN 'ALERTS' THEN N'alert' ELSE N'operator' END;
    DECLARE @statement nvarchar(max) = N'SELECT id AS ' + @what + N'_id, name AS ' + @what + N'_name'
        + CASE WHEN @notification_method & 1 > 0 THEN N', CAST(ISNULL(method, 0) & 1 AS int) AS use_email' ELSE N'' END
        + CASE WHEN @notification_method & 2 > 0 THEN N', CAST((ISNULL(method, 0) & 2) / 2 AS int) AS use_pager' ELSE N'' END
        + CASE WHEN @notification_method & 4 > 0 THEN N', CAST((ISNULL(method, 0) & 4) / 4 AS int) AS use_netsend' ELSE N'' END
        + N', CAST(has & 1 AS int) AS has_email, CAST((has & 2) / 2 AS int) AS has_pager,
            CAST((has & 4) / 4 AS int) AS has_netsend FROM #found ORDER BY name;';
    EXEC sp_executesql @statement;
    RETURN 0;
END
GO
