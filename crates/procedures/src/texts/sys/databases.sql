-- Procedures about databases: what they are like, their names, their compatibility level, attaching files, removing them.
CREATE PROCEDURE sys.sp_helpdb @dbname sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(300), @id int, @name sysname, @pages bigint;
    DECLARE @sizes TABLE (database_id int PRIMARY KEY, pages bigint);
    IF @dbname IS NOT NULL AND DB_ID(@dbname) IS NULL
    BEGIN
        RAISERROR(15010, -1, -1, @dbname);
        RETURN 1;
    END;
    DECLARE of_server CURSOR LOCAL STATIC FORWARD_ONLY READ_ONLY FOR
        SELECT database_id, name FROM sys.databases WHERE HAS_DBACCESS(name) = 1 AND (@dbname IS NULL OR database_id = DB_ID(@dbname));
    OPEN of_server;
    FETCH NEXT FROM of_server INTO @id, @name;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @call = QUOTENAME(@name) + N'.sys.sp_executesql';
        EXEC @call N'SELECT @pages = SUM(CAST(size AS bigint)) FROM sys.database_files', N'@pages bigint OUTPUT', @pages OUTPUT;
        INSERT @sizes VALUES (@id, @pages);
        FETCH NEXT FROM of_server INTO @id, @name;
    END;
    CLOSE of_server;
    DEALLOCATE of_server;
    SELECT CAST(d.name AS nvarchar(128)) AS name,
        CAST(STR(CAST(f.pages AS decimal(20, 2)) * 8 / 1024, 10, 2) + N' MB' AS nvarchar(13)) AS db_size,
        CAST(ISNULL(SUSER_SNAME(d.owner_sid), N'~~UNKNOWN~~') AS nvarchar(128)) AS owner,
        CAST(d.database_id AS smallint) AS dbid,
        CAST(CONVERT(nvarchar(11), d.create_date, 100) AS nvarchar(11)) AS created,
        CAST(N'Status=' + CAST(DATABASEPROPERTYEX(d.name, 'Status') AS nvarchar(30))
            + ISNULL(N', Updateability=' + CAST(DATABASEPROPERTYEX(d.name, 'Updateability') AS nvarchar(30)), N'')
            + ISNULL(N', UserAccess=' + CAST(DATABASEPROPERTYEX(d.name, 'UserAccess') AS nvarchar(30)), N'')
            + ISNULL(N', Recovery=' + CAST(DATABASEPROPERTYEX(d.name, 'Recovery') AS nvarchar(30)), N'')
            + ISNULL(N', Version=' + CAST(DATABASEPROPERTYEX(d.name, 'Version') AS nvarchar(30)), N'')
            + ISNULL(N', Collation=' + d.collation_name, N'')
            + ISNULL(N', SQLSortOrder=' + CAST(DATABASEPROPERTYEX(d.name, 'SQLSortOrder') AS nvarchar(30)), N'')
            + CASE WHEN d.is_auto_close_on = 1 THEN N', IsAutoClose' ELSE N'' END
            + CASE WHEN d.is_auto_shrink_on = 1 THEN N', IsAutoShrink' ELSE N'' END
            + CASE WHEN d.is_in_standby = 1 THEN N', IsInStandby' ELSE N'' END
            + CASE WHEN d.page_verify_option = 1 THEN N', IsTornPageDetectionEnabled' ELSE N'' END
            + CASE WHEN d.is_ansi_null_default_on = 1 THEN N', IsAnsiNullDefault' ELSE N'' END
            + CASE WHEN d.is_ansi_nulls_on = 1 THEN N', IsAnsiNullsEnabled' ELSE N'' END
            + CASE WHEN d.is_ansi_padding_on = 1 THEN N', IsAnsiPaddingEnabled' ELSE N'' END
            + CASE WHEN d.is_ansi_warnings_on = 1 THEN N', IsAnsiWarningsEnabled' ELSE N'' END
            + CASE WHEN d.is_arithabort_on = 1 THEN N', IsArithmeticAbortEnabled' ELSE N'' END
            + CASE WHEN d.is_auto_create_stats_on = 1 THEN N', IsAutoCreateStatistics' ELSE N'' END
            + CASE WHEN d.is_auto_update_stats_on = 1 THEN N', IsAutoUpdateStatistics' ELSE N'' END
            + CASE WHEN d.is_cursor_close_on_commit_on = 1 THEN N', IsCloseCursorsOnCommitEnabled' ELSE N'' END
            + CASE WHEN d.is_fulltext_enabled = 1 THEN N', IsFullTextEnabled' ELSE N'' END
            + CASE WHEN d.is_local_cursor_default = 1 THEN N', IsLocalCursorsDefault' ELSE N'' END
            + CASE WHEN d.is_concat_null_yields_null_on = 1 THEN N', IsNullConcat' ELSE N'' END
            + CASE WHEN d.is_numeric_roundabort_on = 1 THEN N', IsNumericRoundAbortEnabled' ELSE N'' END
            + CASE WHEN d.is_parameterization_forced = 1 THEN N', IsParameterizationForced' ELSE N'' END
            + CASE WHEN d.is_quoted_identifier_on = 1 THEN N', IsQuotedIdentifiersEnabled' ELSE N'' END
            + CASE WHEN d.is_recursive_triggers_on = 1 THEN N', IsRecursiveTriggersEnabled' ELSE N'' END
            AS nvarchar(600)) AS status,
        CAST(d.compatibility_level AS tinyint) AS compatibility_level
    FROM sys.databases AS d
    LEFT JOIN @sizes AS f ON f.database_id = d.database_id
    WHERE @dbname IS NULL OR d.database_id = DB_ID(@dbname)
    ORDER BY d.name;
    IF @dbname IS NULL
        RETURN 0;
    IF ISNULL(HAS_DBACCESS(@dbname), 0) = 0
    BEGIN
        RAISERROR(15622, -1, -1, @dbname);
        RETURN 0;
    END;
    PRINT N' ';
    SET @call = QUOTENAME(@dbname) + N'.sys.sp_executesql';
    EXEC @call N'
        SELECT CAST(f.name AS nchar(128)) AS name,
            CAST(f.file_id AS smallint) AS fileid,
            CAST(f.physical_name AS nchar(260)) AS filename,
            CAST(FILEGROUP_NAME(NULLIF(f.data_space_id, 0)) AS nvarchar(128)) AS filegroup,
            CAST(CAST(CAST(f.size AS bigint) * 8 AS nvarchar(15)) + N'' KB'' AS nvarchar(18)) AS size,
            CAST(CASE f.max_size WHEN -1 THEN N''Unlimited''
                ELSE CAST(CAST(f.max_size AS bigint) * 8 AS nvarchar(15)) + N'' KB'' END AS nvarchar(18)) AS maxsize,
            CAST(CASE f.is_percent_growth WHEN 1 THEN CAST(f.growth AS nvarchar(15)) + N''%''
                ELSE CAST(CAST(f.growth AS bigint) * 8 AS nvarchar(15)) + N'' KB'' END AS nvarchar(18)) AS growth,
            CAST(CASE f.type WHEN 1 THEN ''log only'' ELSE ''data only'' END AS varchar(9)) AS usage
        FROM sys.database_files AS f
        ORDER BY f.file_id';
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_renamedb @dbname sysname, @newname sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @stmt nvarchar(600);
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_renamedb');
        RETURN 1;
    END;
    IF @newname IS NULL
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    IF DATALENGTH(@newname) = 0
    BEGIN
        RAISERROR(15006, -1, -1, @newname);
        RETURN 1;
    END;
    IF DB_ID(@dbname) IS NULL
    BEGIN
        RAISERROR(15010, -1, -1, @dbname);
        RETURN 1;
    END;
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0 AND ISNULL(IS_SRVROLEMEMBER('dbcreator'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF DB_ID(@newname) IS NOT NULL AND DB_ID(@newname) <> DB_ID(@dbname)
    BEGIN
        RAISERROR(15032, 16, 1, @newname);
        RETURN 1;
    END;
    IF DB_ID(@dbname) <= 4
    BEGIN
        RAISERROR(15227, 16, 1, @dbname);
        RETURN 1;
    END;
    SET @stmt = N'ALTER DATABASE ' + QUOTENAME(@dbname) + N' MODIFY NAME = ' + QUOTENAME(@newname);
    EXEC (@stmt);
    IF @@ERROR <> 0
        RETURN 1;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_dbcmptlevel @dbname sysname = NULL, @new_cmptlevel tinyint = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @level int, @owner bit, @stmt nvarchar(400);
    IF @dbname IS NULL
    BEGIN
        RAISERROR(15416, 16, 1);
        RETURN 1;
    END;
    IF DB_ID(@dbname) IS NULL
    BEGIN
        RAISERROR(15010, -1, -1, @dbname);
        RETURN 1;
    END;
    SELECT @level = compatibility_level, @owner = CASE WHEN owner_sid = SUSER_SID() THEN 1 ELSE 0 END
    FROM sys.databases
    WHERE database_id = DB_ID(@dbname);
    IF @new_cmptlevel IS NULL
    BEGIN
        RAISERROR(15054, 10, 1, @level);
        RETURN 0;
    END;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_dbcmptlevel');
        RETURN 1;
    END;
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0 AND @owner = 0
        AND NOT (DB_ID(@dbname) = DB_ID() AND ISNULL(IS_ROLEMEMBER('db_owner'), 0) = 1)
    BEGIN
        RAISERROR(15418, 16, 1);
        RETURN 1;
    END;
    IF @new_cmptlevel NOT IN (100, 110, 120, 130, 140, 150, 160)
    BEGIN
        RAISERROR(15048, -1, -1);
        RAISERROR(15054, 10, 1, @level);
        RETURN 1;
    END;
    SET @stmt = N'ALTER DATABASE ' + QUOTENAME(@dbname) + N' SET COMPATIBILITY_LEVEL = ' + CAST(@new_cmptlevel AS nvarchar(3));
    EXEC (@stmt);
    IF @@ERROR <> 0
        RETURN 1;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_dbremove @dbname sysname = NULL, @dropdev varchar(10) = NULL
AS
BEGIN
    -- @dropdev is from the time of devices and is ignored, as documented.
    SET NOCOUNT ON;
    DECLARE @stmt nvarchar(300);
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_dbremove');
        RETURN 1;
    END;
    IF @dbname IS NULL OR LOWER(@dropdev) <> 'dropdev'
    BEGIN
        RAISERROR(15131, 16, 1);
        RETURN 1;
    END;
    IF DB_ID(@dbname) IS NULL
    BEGIN
        RAISERROR(15010, -1, -1, @dbname);
        RETURN 1;
    END;
    SET @stmt = N'DROP DATABASE ' + QUOTENAME(@dbname);
    EXEC (@stmt);
    IF @@ERROR <> 0
        RETURN 1;
    RAISERROR(15458, 10, 1);
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_resetstatus @dbname sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @stmt nvarchar(300);
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_resetstatus');
        RETURN 1;
    END;
    IF @dbname IS NULL OR DB_ID(@dbname) IS NULL
    BEGIN
        RAISERROR(15010, -1, -1, @dbname);
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM sys.databases WHERE database_id = DB_ID(@dbname) AND source_database_id IS NOT NULL)
    BEGIN
        RAISERROR(15658, 16, 1);
        RETURN 1;
    END;
    IF NOT EXISTS (SELECT * FROM sys.databases WHERE database_id = DB_ID(@dbname) AND state_desc = N'SUSPECT')
    BEGIN
        RAISERROR(15056, 10, 1, @dbname);
        RETURN 1;
    END;
    SET @stmt = N'ALTER DATABASE ' + QUOTENAME(@dbname) + N' SET EMERGENCY';
    EXEC (@stmt);
    IF @@ERROR <> 0
        RETURN 1;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_attach_db
    @dbname sysname = NULL,
    @filename1 nvarchar(260) = NULL, @filename2 nvarchar(260) = NULL, @filename3 nvarchar(260) = NULL, @filename4 nvarchar(260) = NULL,
    @filename5 nvarchar(260) = NULL, @filename6 nvarchar(260) = NULL, @filename7 nvarchar(260) = NULL,
    @filename8 nvarchar(260) = NULL, @filename9 nvarchar(260) = NULL, @filename10 nvarchar(260) = NULL,
    @filename11 nvarchar(260) = NULL, @filename12 nvarchar(260) = NULL, @filename13 nvarchar(260) = NULL,
    @filename14 nvarchar(260) = NULL, @filename15 nvarchar(260) = NULL, @filename16 nvarchar(260) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @stmt nvarchar(max);
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_attach_db');
        RETURN 1;
    END;
    IF @dbname IS NULL
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    IF @filename1 IS NULL
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    SELECT @stmt = ISNULL(@stmt + N', ', N'') + N'(FILENAME = N''' + REPLACE(f.name, N'''', N'''''') + N''')'
    FROM (VALUES (1, @filename1), (2, @filename2), (3, @filename3), (4, @filename4), (5, @filename5), (6, @filename6),
            (7, @filename7), (8, @filename8), (9, @filename9), (10, @filename10), (11, @filename11), (12, @filename12),
            (13, @filename13), (14, @filename14), (15, @filename15), (16, @filename16)) AS f (position, name)
    WHERE f.name IS NOT NULL
    ORDER BY f.position;
    SET @stmt = N'CREATE DATABASE ' + QUOTENAME(@dbname) + N' ON ' + @stmt + N' FOR ATTACH';
    EXEC (@stmt);
    IF @@ERROR <> 0
        RETURN 1;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_attach_single_file_db @dbname sysname = NULL, @physname nvarchar(260) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @stmt nvarchar(max);
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_attach_single_file_db');
        RETURN 1;
    END;
    IF @dbname IS NULL OR @physname IS NULL
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    -- The log is made anew, whether its files are still there or not.
    SET @stmt = N'CREATE DATABASE ' + QUOTENAME(@dbname) + N' ON (FILENAME = N''' + REPLACE(@physname, N'''', N'''''')
        + N''') FOR ATTACH_REBUILD_LOG';
    EXEC (@stmt);
    IF @@ERROR <> 0
        RETURN 1;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_db_vardecimal_storage_format @dbname sysname = NULL, @vardecimal_storage_format varchar(3) = NULL
AS
BEGIN
    -- Every database has the format switched on since 2008; the second argument has no effect, as documented.
    SET NOCOUNT ON;
    IF @dbname IS NOT NULL AND DB_ID(@dbname) IS NULL
    BEGIN
        RAISERROR(15010, -1, -1, @dbname);
        RETURN 1;
    END;
    IF @vardecimal_storage_format IS NOT NULL
    BEGIN
        IF @dbname IS NULL OR UPPER(@vardecimal_storage_format) NOT IN ('ON', 'OFF')
        BEGIN
            RAISERROR(15600, -1, -1, 'sys.sp_db_vardecimal_storage_format');
            RETURN 1;
        END;
        IF DB_ID(@dbname) <= 4
        BEGIN
            RAISERROR(15657, 16, 1, @dbname);
            RETURN 1;
        END;
        RETURN 0;
    END;
    SELECT CAST(name AS nvarchar(128)) AS [Database Name], CAST('ON' AS varchar(3)) AS [Vardecimal State]
    FROM sys.databases
    WHERE @dbname IS NULL OR database_id = DB_ID(@dbname)
    ORDER BY name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_db_increased_partitions @dbname sysname = NULL, @increased_partitions varchar(6) = NULL
AS
BEGIN
    -- Every database may have 15,000 partitions since 2012.
    SET NOCOUNT ON;
    SET @dbname = ISNULL(@dbname, DB_NAME());
    IF DB_ID(@dbname) IS NULL
    BEGIN
        RAISERROR(15010, -1, -1, @dbname);
        RETURN 1;
    END;
    IF @increased_partitions IS NULL
    BEGIN
        SELECT 1 AS [increased_partitions];
        RETURN 0;
    END;
    IF UPPER(@increased_partitions) NOT IN ('ON', 'TRUE', 'OFF', 'FALSE')
    BEGIN
        RAISERROR(15231, 16, 1, N'@increased_partitions', N'sys.sp_db_increased_partitions');
        RETURN 1;
    END;
    IF ISNULL(HAS_PERMS_BY_NAME(QUOTENAME(@dbname), 'DATABASE', 'ALTER'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF UPPER(@increased_partitions) IN ('OFF', 'FALSE')
    BEGIN
        RAISERROR(40517, 16, 1, 'Switching off support for 15,000 partitions');
        RETURN 1;
    END;
    RETURN 0;
END
GO
