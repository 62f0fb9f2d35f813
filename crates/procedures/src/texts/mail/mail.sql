-- Sending, settings, state and clearing up of Database Mail.
-- A mail is stored with its attachments and waits: there is no process that sends it, and the log says so of each.

CREATE PROCEDURE dbo.sysmail_logmailevent_sp
    @event_type int,
    @description nvarchar(max) = NULL,
    @process_id int = NULL,
    @mailitem_id int = NULL,
    @account_id int = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND ISNULL(IS_MEMBER(N'DatabaseMailUserRole'), 0) = 0
        AND ISNULL(IS_MEMBER(N'db_owner'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    -- 1 keeps errors, 2 warnings and information too, 3 all.
    DECLARE @level int = ISNULL(
        (SELECT TRY_CAST(paramvalue AS int) FROM dbo.sysmail_configuration WHERE paramname = N'LoggingLevel'), 2);
    IF @event_type = 3 OR @level >= 3 OR (@level = 2 AND @event_type IN (1, 2))
        INSERT dbo.sysmail_log (event_type, description, process_id, mailitem_id, account_id)
        VALUES (@event_type, @description, @process_id, @mailitem_id, @account_id);
    RETURN 0;
END
GO

-- Runs a query as the caller and gives its result back as sqlcmd prints it, or the error that it ended with.
-- The columns are asked for before it runs, since rows can be taken from it only into a table that fits.
CREATE PROCEDURE dbo.sp_RunMailQuery
    @query nvarchar(max),
    @execute_query_database sysname,
    @query_result_header bit,
    @query_result_width int,
    @query_result_separator nchar(1),
    @query_no_truncate bit,
    @query_result_no_padding bit,
    @result nvarchar(max) OUTPUT,
    @query_error nvarchar(2048) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    DECLARE
        @run nvarchar(300) = QUOTENAME(@execute_query_database) + N'.sys.sp_executesql',
        @line_end nchar(2) = NCHAR(13) + NCHAR(10),
        @cannot_describe nvarchar(200) = N'sp_send_dbmail with a @query whose columns are not known before it runs';
    SELECT @result = N'', @query_error = NULL;

    CREATE TABLE #columns (
        place int NOT NULL, name sysname NULL, type_id int NULL, type_name nvarchar(256) NULL, max_length smallint NULL,
        precision tinyint NULL, scale tinyint NULL, collation_name sysname NULL, error_number int NULL,
        error_message nvarchar(4000) NULL, width int NULL, shown nvarchar(max) NULL);
    BEGIN TRY
        INSERT #columns (place, name, type_id, type_name, max_length, precision, scale, collation_name, error_number, error_message)
        EXEC @run N'
SELECT
    column_ordinal, name, system_type_id, system_type_name, max_length, precision, scale, collation_name, error_number,
    error_message
FROM sys.dm_exec_describe_first_result_set(@query, NULL, 0)
WHERE ISNULL(is_hidden, 0) = 0', N'@query nvarchar(max)', @query;
    END TRY
    BEGIN CATCH
        SET @query_error = ERROR_MESSAGE();
        RETURN 1;
    END CATCH;
    IF EXISTS (SELECT * FROM #columns WHERE place = 0)
    BEGIN
        -- Temporary tables and table variables of the query, and procedures outside of the database.
        IF EXISTS (
            SELECT * FROM #columns
            WHERE place = 0 AND (error_number BETWEEN 11500 AND 11599 OR error_number = 1087 OR error_message LIKE N'%''[#]%'))
        BEGIN
            RAISERROR(40517, 16, 1, @cannot_describe);
            RETURN 2;
        END;
        SET @query_error = (SELECT error_message FROM #columns WHERE place = 0);
        RETURN 1;
    END;
    IF NOT EXISTS (SELECT * FROM #columns)
    BEGIN
        -- No result is expected; where one comes all the same, its only column is wide enough for it.
        CREATE TABLE #single (row_number int NOT NULL IDENTITY(1, 1), shown nvarchar(max) NULL);
        BEGIN TRY
            INSERT #single (shown) EXEC @run @query;
        END TRY
        BEGIN CATCH
            IF ERROR_NUMBER() = 213
            BEGIN
                RAISERROR(40517, 16, 1, @cannot_describe);
                RETURN 2;
            END;
            SET @query_error = ERROR_MESSAGE();
            RETURN 1;
        END CATCH;
        SELECT @result = STRING_AGG(CAST(ISNULL(shown, N'NULL') AS nvarchar(max)), @line_end) WITHIN GROUP (ORDER BY row_number)
        FROM #single;
        SET @result = ISNULL(@result + @line_end, N'');
        RETURN 0;
    END;

    -- As wide as sqlcmd shows a type; texts without a limit are cut at 256 characters where that is not switched off.
    DECLARE @limit int = CASE @query_no_truncate WHEN 1 THEN 1048576 ELSE 256 END;
    UPDATE #columns
    SET name = ISNULL(name, N''),
        width = CASE
            WHEN type_id IN (104, 48) THEN 3
            WHEN type_id = 52 THEN 6
            WHEN type_id = 56 THEN 11
            WHEN type_id = 127 THEN 20
            WHEN type_id = 59 THEN 14
            WHEN type_id = 62 THEN 24
            WHEN type_id = 122 THEN 12
            WHEN type_id = 60 THEN 21
            WHEN type_id IN (106, 108) THEN CASE WHEN precision > scale THEN precision ELSE scale + 1 END + 2
            WHEN type_id IN (40, 41) THEN 16
            WHEN type_id = 58 THEN 19
            WHEN type_id = 61 THEN 23
            WHEN type_id = 42 THEN 38
            WHEN type_id = 43 THEN 45
            WHEN type_id = 36 THEN 36
            WHEN type_id IN (167, 175) AND max_length > 0 THEN max_length
            WHEN type_id IN (231, 239) AND max_length > 0 THEN max_length / 2
            WHEN type_id IN (165, 173, 189) AND max_length > 0 THEN 2 * max_length + 2
            ELSE @limit
        END,
        shown = CASE
            WHEN type_id IN (60, 122) THEN N'CONVERT(nvarchar(max), @c, 2)'
            WHEN type_id = 59 THEN N'FORMAT(@c, N''G9'', N''en-US'')'
            WHEN type_id = 62 THEN N'FORMAT(@c, N''G17'', N''en-US'')'
            WHEN type_id = 58 THEN N'CONVERT(nvarchar(max), @c, 120)'
            WHEN type_id = 61 THEN N'CONVERT(nvarchar(max), @c, 121)'
            WHEN type_id = 34 THEN N'CONVERT(nvarchar(max), CONVERT(varbinary(max), @c), 1)'
            WHEN type_id IN (165, 173, 189) THEN N'CONVERT(nvarchar(max), @c, 1)'
            ELSE N'CONVERT(nvarchar(max), @c)'
        END;
    UPDATE #columns SET width = LEN(name + N'|') - 1 WHERE LEN(name + N'|') - 1 > width;

    DECLARE @declared nvarchar(max), @names nvarchar(max), @line nvarchar(max), @header nvarchar(max), @dashes nvarchar(max);
    SELECT
        @declared = STRING_AGG(CAST(
            N'c' + CONVERT(nvarchar(10), place) + N' '
            + CASE type_id WHEN 189 THEN N'binary(8)' ELSE type_name END
            + CASE WHEN collation_name IS NULL THEN N'' ELSE N' COLLATE ' + collation_name END + N' NULL'
            AS nvarchar(max)), N', ') WITHIN GROUP (ORDER BY place),
        @names = STRING_AGG(CAST(N'c' + CONVERT(nvarchar(10), place) AS nvarchar(max)), N', ') WITHIN GROUP (ORDER BY place),
        @line = STRING_AGG(CAST(
            REPLACE(REPLACE(REPLACE(
                CASE
                    WHEN @query_result_no_padding = 1 THEN N'RTRIM(LEFT(ISNULL(' + shown + N', N''NULL''), @n))'
                    WHEN type_id IN (104, 48, 52, 56, 127, 59, 62, 122, 60, 106, 108, 40, 41, 58, 61, 42, 43) THEN
                        N'RIGHT(SPACE(@w) + ISNULL(' + shown + N', N''NULL''), @n)'
                    -- Of a type without a limit a line is as long as its value.
                    WHEN @query_no_truncate = 1 AND width >= @limit THEN N'LEFT(ISNULL(' + shown + N', N''NULL''), @n)'
                    ELSE N'LEFT(ISNULL(' + shown + N', N''NULL'') + REPLICATE(CAST(N'' '' AS nvarchar(max)), @w), @n)'
                END,
                -- NULL is never cut.
                N'@n', CASE WHEN width < 4 THEN N'CASE WHEN @c IS NULL THEN 4 ELSE @w END' ELSE N'@w' END),
                N'@w', CONVERT(nvarchar(10), width)),
                N'@c', N'c' + CONVERT(nvarchar(10), place))
            AS nvarchar(max)), N' + @separator + ') WITHIN GROUP (ORDER BY place),
        @header = STRING_AGG(CAST(
            CASE WHEN @query_result_no_padding = 1 OR width >= 1048576 THEN name ELSE LEFT(name + REPLICATE(CAST(N' ' AS nvarchar(max)), width), width) END
            AS nvarchar(max)), @query_result_separator) WITHIN GROUP (ORDER BY place),
        @dashes = STRING_AGG(REPLICATE(CAST(N'-' AS nvarchar(max)), CASE
            WHEN @query_result_no_padding = 0 AND width < 1048576 THEN width
            WHEN LEN(name) > 0 THEN LEN(name)
            ELSE 1
        END), @query_result_separator) WITHIN GROUP (ORDER BY place)
    FROM #columns;

    DECLARE @row_count int, @statement nvarchar(max) = N'
CREATE TABLE #rows (row_number int NOT NULL IDENTITY(1, 1), ' + @declared + N');
INSERT #rows (' + @names + N') EXEC @run @query;
SET @row_count = (SELECT COUNT(*) FROM #rows);
SELECT @result = STRING_AGG(t.line, @line_end) WITHIN GROUP (ORDER BY t.row_number)
FROM (
    SELECT r.row_number, CASE WHEN DATALENGTH(l.line) <= 2 * @width OR @width = 0 THEN l.line ELSE (
        SELECT STRING_AGG(SUBSTRING(l.line, p.value * @width + 1, @width), @line_end) WITHIN GROUP (ORDER BY p.value)
        FROM GENERATE_SERIES(0, CAST((DATALENGTH(l.line) / 2 - 1) / @width AS int)) AS p) END AS line
    FROM #rows AS r
    CROSS APPLY (SELECT CAST(' + @line + N' AS nvarchar(max)) AS line) AS l
) AS t;';
    DECLARE @width int = CASE @query_result_no_padding WHEN 1 THEN 0 ELSE @query_result_width END;
    BEGIN TRY
        EXEC sp_executesql @statement,
            N'@run nvarchar(300), @query nvarchar(max), @separator nchar(1), @width int, @line_end nchar(2), @row_count int OUTPUT,
                @result nvarchar(max) OUTPUT',
            @run, @query, @query_result_separator, @width, @line_end, @row_count OUTPUT, @result OUTPUT;
    END TRY
    BEGIN CATCH
        SET @result = N'';
        IF ERROR_NUMBER() = 213
        BEGIN
            RAISERROR(40517, 16, 1, N'sp_send_dbmail with a @query whose results have different columns');
            RETURN 2;
        END;
        SET @query_error = ERROR_MESSAGE();
        RETURN 1;
    END CATCH;

    SET @result = ISNULL(@result + @line_end, N'');
    IF @query_result_header = 1 AND @query_no_truncate = 0
    BEGIN
        IF @width > 0
            SELECT
                @header = (
                    SELECT STRING_AGG(SUBSTRING(@header, p.value * @width + 1, @width), @line_end) WITHIN GROUP (ORDER BY p.value)
                    FROM GENERATE_SERIES(0, CAST((DATALENGTH(@header) / 2 - 1) / @width AS int)) AS p),
                @dashes = (
                    SELECT STRING_AGG(SUBSTRING(@dashes, p.value * @width + 1, @width), @line_end) WITHIN GROUP (ORDER BY p.value)
                    FROM GENERATE_SERIES(0, CAST((DATALENGTH(@dashes) / 2 - 1) / @width AS int)) AS p);
        SET @result = @header + @line_end + @dashes + @line_end + @result;
    END;
    -- What the query says of its counts stays in its session: it is looked for in its text.
    IF @query NOT LIKE N'%SET%NOCOUNT%ON%'
        SET @result += @line_end + N'(' + CONVERT(nvarchar(10), @row_count) + N' rows affected)' + @line_end;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_send_dbmail
    @profile_name sysname = NULL,
    @recipients varchar(max) = NULL,
    @copy_recipients varchar(max) = NULL,
    @blind_copy_recipients varchar(max) = NULL,
    @from_address varchar(max) = NULL,
    @reply_to varchar(max) = NULL,
    @subject nvarchar(255) = NULL,
    @body nvarchar(max) = NULL,
    @body_format varchar(20) = NULL,
    @importance varchar(6) = 'NORMAL',
    @sensitivity varchar(12) = 'NORMAL',
    @file_attachments nvarchar(max) = NULL,
    @query nvarchar(max) = NULL,
    @execute_query_database sysname = NULL,
    @attach_query_result_as_file bit = 0,
    @query_attachment_filename nvarchar(260) = NULL,
    @query_result_header bit = 1,
    @query_result_width int = 256,
    @query_result_separator char(1) = ' ',
    @exclude_query_output bit = 0,
    @append_query_error bit = 0,
    @query_no_truncate bit = 0,
    @query_result_no_padding bit = 0,
    @mailitem_id int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND ISNULL(IS_MEMBER(N'DatabaseMailUserRole'), 0) = 0
        AND ISNULL(IS_MEMBER(N'db_owner'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    -- The profile: one that is named and allowed, else the caller's own default, else that of everybody.
    DECLARE
        @profile_id int,
        @user_sid varbinary(85) = (SELECT sid FROM sys.database_principals WHERE principal_id = USER_ID());
    IF @profile_name IS NOT NULL
    BEGIN
        SET @profile_id = (
            SELECT p.profile_id FROM dbo.sysmail_profile AS p
            WHERE p.name = @profile_name
                AND (IS_SRVROLEMEMBER(N'sysadmin') = 1 OR EXISTS (
                    SELECT * FROM dbo.sysmail_principalprofile AS pp
                    WHERE pp.profile_id = p.profile_id AND pp.principal_sid IN (0x00, SUSER_SID(), @user_sid))));
        IF @profile_id IS NULL
        BEGIN
            RAISERROR(14607, 16, 1, N'profile');
            RETURN 4;
        END;
    END
    ELSE
    BEGIN
        SET @profile_id = (
            SELECT TOP (1) profile_id FROM dbo.sysmail_principalprofile
            WHERE is_default = 1 AND principal_sid IN (0x00, SUSER_SID(), @user_sid)
            ORDER BY CASE principal_sid WHEN 0x00 THEN 1 ELSE 0 END, profile_id);
        IF @profile_id IS NULL
        BEGIN
            RAISERROR(14636, 16, 1);
            RETURN 5;
        END;
    END;

    SELECT
        @recipients = NULLIF(LTRIM(RTRIM(@recipients)), ''),
        @copy_recipients = NULLIF(LTRIM(RTRIM(@copy_recipients)), ''),
        @blind_copy_recipients = NULLIF(LTRIM(RTRIM(@blind_copy_recipients)), ''),
        @file_attachments = NULLIF(LTRIM(RTRIM(@file_attachments)), N''),
        @query = NULLIF(@query, N''),
        @execute_query_database = NULLIF(@execute_query_database, N''),
        @body_format = UPPER(ISNULL(NULLIF(@body_format, ''), 'TEXT')),
        @importance = UPPER(ISNULL(@importance, 'NORMAL')),
        @sensitivity = UPPER(ISNULL(@sensitivity, 'NORMAL')),
        @attach_query_result_as_file = ISNULL(@attach_query_result_as_file, 0),
        @query_result_header = ISNULL(@query_result_header, 1),
        @query_result_width = ISNULL(@query_result_width, 256),
        @query_result_separator = ISNULL(@query_result_separator, ' '),
        @exclude_query_output = ISNULL(@exclude_query_output, 0),
        @append_query_error = ISNULL(@append_query_error, 0),
        @query_no_truncate = ISNULL(@query_no_truncate, 0),
        @query_result_no_padding = ISNULL(@query_result_no_padding, 0);

    IF @attach_query_result_as_file = 1 AND @query IS NULL
    BEGIN
        RAISERROR(14625, 16, 1);
        RETURN 1;
    END;
    IF @query_result_width NOT BETWEEN 10 AND 32767
    BEGIN
        RAISERROR(14266, 16, 1, N'@query_result_width', N'10..32767');
        RETURN 1;
    END;
    IF @importance NOT IN ('LOW', 'NORMAL', 'HIGH')
    BEGIN
        RAISERROR(14622, 16, 1, @importance);
        RETURN 1;
    END;
    IF @sensitivity NOT IN ('NORMAL', 'PERSONAL', 'PRIVATE', 'CONFIDENTIAL')
    BEGIN
        RAISERROR(14623, 16, 1, @sensitivity);
        RETURN 1;
    END;
    IF @body_format NOT IN ('TEXT', 'HTML')
    BEGIN
        RAISERROR(14626, 16, 1, @body_format);
        RETURN 1;
    END;
    IF COALESCE(@recipients, @copy_recipients, @blind_copy_recipients) IS NULL
    BEGIN
        RAISERROR(14624, 16, 1, N'@recipients, @copy_recipients, @blind_copy_recipients');
        RETURN 1;
    END;
    IF COALESCE(NULLIF(@body, N''), @query, @file_attachments, NULLIF(@subject, N'')) IS NULL
    BEGIN
        RAISERROR(14624, 16, 1, N'@body, @query, @file_attachments, @subject');
        RETURN 1;
    END;
    -- No file of the server can be read here.
    IF @file_attachments IS NOT NULL
    BEGIN
        RAISERROR(40517, 16, 1, N'sp_send_dbmail with @file_attachments');
        RETURN 1;
    END;
    SET @subject = ISNULL(@subject, N'SQL Server Message');

    DECLARE @attachment varbinary(max), @failed int = 0, @result nvarchar(max), @query_error nvarchar(2048);
    IF @query IS NOT NULL
    BEGIN
        IF @query_no_truncate = 1 AND @query_result_no_padding = 1
        BEGIN
            SET @query_error = N'Failed to execute the query because the @query_result_no_append and @query_no_truncate'
                + N' options are mutually exclusive.';
            RAISERROR(22050, 16, 1, @query_error);
            RETURN 1;
        END;
        SET @execute_query_database = ISNULL(@execute_query_database, DB_NAME());
        IF DB_ID(@execute_query_database) IS NULL
        BEGIN
            RAISERROR(14633, 16, 1, @execute_query_database);
            RETURN 1;
        END;
        IF ISNULL(HAS_DBACCESS(@execute_query_database), 0) = 0
        BEGIN
            DECLARE @login sysname = SUSER_SNAME();
            RAISERROR(14631, 16, 1, @login);
            RETURN 1;
        END;
        IF @attach_query_result_as_file = 1
        BEGIN
            SET @query_attachment_filename = ISNULL(NULLIF(LTRIM(RTRIM(@query_attachment_filename)), N''),
                N'QueryResults' + RIGHT(N'00000' + CONVERT(nvarchar(10), ABS(CHECKSUM(NEWID())) % 1000000), 6) + N'.txt');
            DECLARE @extension nvarchar(260) = CASE
                WHEN CHARINDEX(N'.', @query_attachment_filename) = 0 THEN N''
                ELSE RIGHT(@query_attachment_filename, CHARINDEX(N'.', REVERSE(@query_attachment_filename)) - 1)
            END;
            IF EXISTS (
                SELECT * FROM dbo.sysmail_configuration AS c
                CROSS APPLY STRING_SPLIT(c.paramvalue, N',') AS s
                WHERE c.paramname = N'ProhibitedExtensions' AND LTRIM(RTRIM(s.value)) = @extension AND @extension <> N'')
            BEGIN
                RAISERROR(14630, 16, 1, @extension);
                RETURN 1;
            END;
        END;

        DECLARE @separator nchar(1) = @query_result_separator;
        EXEC @failed = dbo.sp_RunMailQuery @query, @execute_query_database, @query_result_header, @query_result_width,
            @separator, @query_no_truncate, @query_result_no_padding, @result OUTPUT, @query_error OUTPUT;
        -- The error has been raised already.
        IF ISNULL(@failed, 2) NOT IN (0, 1)
            RETURN 1;
        IF @failed = 1 AND @append_query_error = 0
        BEGIN
            RAISERROR(14661, 16, 1, @query_error);
            RETURN 1;
        END;
        IF @failed = 1
            SET @body = ISNULL(@body + NCHAR(13) + NCHAR(10), N'') + @query_error;
        ELSE IF @attach_query_result_as_file = 0
            SET @body = ISNULL(@body + NCHAR(13) + NCHAR(10), N'') + @result;
        ELSE
        BEGIN
            -- A text file in UTF-16, with its mark.
            SET @attachment = CAST(0xFFFE AS varbinary(max)) + CAST(@result AS varbinary(max));
            DECLARE @max_size nvarchar(256) = (
                SELECT paramvalue FROM dbo.sysmail_configuration WHERE paramname = N'MaxFileSize');
            IF DATALENGTH(@attachment) > TRY_CAST(@max_size AS bigint)
            BEGIN
                SET @query_error = N'File attachment or query results size exceeds allowable value of ' + @max_size + N' bytes.';
                RAISERROR(22051, 16, 1, @query_error);
                RETURN 1;
            END;
        END;
    END;

    DECLARE @own bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
    BEGIN TRY
        IF @own = 1
            BEGIN TRANSACTION;
        INSERT dbo.sysmail_mailitems (
            profile_id, recipients, copy_recipients, blind_copy_recipients, subject, from_address, reply_to, body, body_format,
            importance, sensitivity, file_attachments, attachment_encoding, query, execute_query_database,
            attach_query_result_as_file, query_result_header, query_result_width, query_result_separator,
            exclude_query_output, append_query_error, sent_status)
        SELECT
            @profile_id, @recipients, @copy_recipients, @blind_copy_recipients, @subject, @from_address, @reply_to, @body,
            @body_format, @importance, @sensitivity, @file_attachments,
            (SELECT paramvalue FROM dbo.sysmail_configuration WHERE paramname = N'DefaultAttachmentEncoding'),
            @query, @execute_query_database, @attach_query_result_as_file, @query_result_header, @query_result_width,
            @query_result_separator, @exclude_query_output, @append_query_error, 0;
        SET @mailitem_id = SCOPE_IDENTITY();
        IF @attachment IS NOT NULL
            INSERT dbo.sysmail_attachments (mailitem_id, filename, filesize, attachment)
            VALUES (@mailitem_id, @query_attachment_filename, DATALENGTH(@attachment), @attachment);
        EXEC dbo.sysmail_logmailevent_sp @event_type = 2, @mailitem_id = @mailitem_id,
            @description = N'The mail is stored and was not sent: this server has no process that sends mail.';
        IF @own = 1
            COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @own = 1 AND @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    IF @exclude_query_output = 0
        PRINT N'Mail (Id: ' + CONVERT(nvarchar(10), @mailitem_id) + N') queued.';
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_configure_sp
    @parameter_name nvarchar(256),
    @parameter_value nvarchar(256),
    @description nvarchar(256) = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @number int = TRY_CAST(@parameter_value AS int), @right bit = 0;
    IF EXISTS (SELECT * FROM dbo.sysmail_configuration WHERE paramname = @parameter_name)
        SET @right = CASE
            WHEN @parameter_name IN (N'DefaultAttachmentEncoding', N'ProhibitedExtensions') THEN 1
            WHEN @parameter_value LIKE N'%[^0-9]%' OR ISNULL(@parameter_value, N'') = N'' OR @number IS NULL THEN 0
            WHEN @parameter_name = N'LoggingLevel' AND @number NOT BETWEEN 1 AND 3 THEN 0
            ELSE 1
        END;
    IF @right = 0
    BEGIN
        RAISERROR(14629, 16, 1, @parameter_name);
        RETURN 1;
    END;
    IF @parameter_name = N'DefaultAttachmentEncoding' AND ISNULL(@parameter_value, N'') <> N'MIME'
    BEGIN
        RAISERROR(14621, 16, 1, @parameter_value);
        RETURN 1;
    END;
    UPDATE dbo.sysmail_configuration
    SET paramvalue = @parameter_value,
        description = ISNULL(@description, description),
        last_mod_datetime = GETDATE(),
        last_mod_user = SUSER_SNAME()
    WHERE paramname = @parameter_name;
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sysmail_help_configure_sp
    @parameter_name nvarchar(256) = NULL,
    @parameter_value nvarchar(256) = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    IF @parameter_name IS NULL
    BEGIN
        SELECT paramname, paramvalue, description FROM dbo.sysmail_configuration ORDER BY paramname;
        RETURN 0;
    END;
    SET @parameter_value = NULL;
    SELECT @parameter_value = paramvalue FROM dbo.sysmail_configuration WHERE paramname = @parameter_name;
    IF @@ROWCOUNT = 0
    BEGIN
        RAISERROR(14629, 16, 1, @parameter_name);
        RETURN 1;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_start_sp
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    UPDATE dbo.sysmail_queues SET is_receive_enabled = 1;
    DECLARE @description nvarchar(max) = N'The mail queue was started by login "' + SUSER_SNAME() + N'".';
    EXEC dbo.sysmail_logmailevent_sp @event_type = 1, @description = @description;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_stop_sp
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    UPDATE dbo.sysmail_queues SET is_receive_enabled = 0;
    DECLARE @description nvarchar(max) = N'The mail queue stopped by login "' + SUSER_SNAME() + N'".';
    EXEC dbo.sysmail_logmailevent_sp @event_type = 1, @description = @description;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_help_status_sp
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SELECT CAST(CASE is_receive_enabled WHEN 1 THEN N'STARTED' ELSE N'STOPPED' END AS nvarchar(7)) AS Status
    FROM dbo.sysmail_queues
    WHERE queue_type = N'mail';
    RETURN 0;
END
GO

-- The mail queue holds what is unsent; nothing takes from it, so that both are inactive and were never active.
CREATE PROCEDURE dbo.sysmail_help_queue_sp
    @queue_type nvarchar(6) = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    IF @queue_type IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.sysmail_queues WHERE queue_type = @queue_type)
    BEGIN
        RAISERROR(14266, 16, 1, N'@queue_type', N'mail, status');
        RETURN 1;
    END;
    SELECT
        queue_type,
        CASE queue_type WHEN N'mail' THEN (SELECT COUNT(*) FROM dbo.sysmail_mailitems WHERE sent_status IN (0, 3)) ELSE 0 END
            AS length,
        CAST(N'INACTIVE' AS nvarchar(64)) AS state,
        CAST(NULL AS datetime) AS last_empty_rowset_time,
        CAST(NULL AS datetime) AS last_activated_time
    FROM dbo.sysmail_queues
    WHERE @queue_type IS NULL OR queue_type = @queue_type
    ORDER BY queue_type;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_delete_log_sp
    @logged_before datetime = NULL,
    @event_type varchar(15) = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @type int = CASE @event_type
        WHEN 'success' THEN 0
        WHEN 'informational' THEN 1
        WHEN 'information' THEN 1
        WHEN 'warning' THEN 2
        WHEN 'error' THEN 3
    END;
    IF @event_type IS NOT NULL AND @type IS NULL
    BEGIN
        RAISERROR(14266, 16, 1, N'@event_type', N'success, warning, error, informational');
        RETURN 1;
    END;
    DELETE dbo.sysmail_log
    WHERE (@logged_before IS NULL OR log_date < @logged_before) AND (@type IS NULL OR event_type = @type);
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

-- Who is no sysadmin deletes his own mails.
CREATE PROCEDURE dbo.sysmail_delete_mailitems_sp
    @sent_before datetime = NULL,
    @sent_status varchar(8) = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND ISNULL(IS_MEMBER(N'DatabaseMailUserRole'), 0) = 0
        AND ISNULL(IS_MEMBER(N'db_owner'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    SET @sent_status = NULLIF(LTRIM(RTRIM(@sent_status)), '');
    DECLARE @status tinyint = CASE @sent_status
        WHEN 'unsent' THEN 0
        WHEN 'sent' THEN 1
        WHEN 'failed' THEN 2
        WHEN 'retrying' THEN 3
    END;
    IF @sent_status IS NOT NULL AND @status IS NULL
    BEGIN
        RAISERROR(14266, 16, 1, N'@sent_status', N'unsent, sent, failed, retrying');
        RETURN 1;
    END;
    IF @sent_before IS NULL AND @sent_status IS NULL
    BEGIN
        RAISERROR(14608, 16, 1, N'@sent_before', N'@sent_status');
        RETURN 1;
    END;

    -- Their attachments go with them.
    DELETE dbo.sysmail_mailitems
    WHERE (@sent_before IS NULL OR send_request_date < @sent_before)
        AND (@status IS NULL OR sent_status = @status)
        AND (IS_SRVROLEMEMBER(N'sysadmin') = 1 OR send_request_user = SUSER_SNAME());
    DECLARE @count int = @@ROWCOUNT;
    DECLARE @description nvarchar(max) = N'Mail items deletion is initiated by user "' + SUSER_SNAME() + N'". '
        + CONVERT(nvarchar(10), @count) + N' items deleted.';
    EXEC dbo.sysmail_logmailevent_sp @event_type = 1, @description = @description;
    RETURN 0;
END
GO
