-- Procedures that run a command for each database or each table, and what a table takes.
CREATE PROCEDURE sys.sp_MSforeachdb
    @command1 nvarchar(2000), @replacechar nchar(1) = N'?', @command2 nvarchar(2000) = NULL, @command3 nvarchar(2000) = NULL,
    @precommand nvarchar(2000) = NULL, @postcommand nvarchar(2000) = NULL
AS
BEGIN
    -- Counts are those of the commands: the caller may want them.
    DECLARE @name sysname, @stmt nvarchar(max);
    IF @precommand IS NOT NULL
        EXEC (@precommand);
    DECLARE of_server CURSOR LOCAL STATIC FORWARD_ONLY READ_ONLY FOR
        SELECT name FROM sys.databases WHERE state = 0 AND HAS_DBACCESS(name) = 1 ORDER BY database_id;
    OPEN of_server;
    FETCH NEXT FROM of_server INTO @name;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @stmt = REPLACE(CAST(@command1 AS nvarchar(max)), @replacechar, @name);
        EXEC (@stmt);
        IF @command2 IS NOT NULL
        BEGIN
            SET @stmt = REPLACE(CAST(@command2 AS nvarchar(max)), @replacechar, @name);
            EXEC (@stmt);
        END;
        IF @command3 IS NOT NULL
        BEGIN
            SET @stmt = REPLACE(CAST(@command3 AS nvarchar(max)), @replacechar, @name);
            EXEC (@stmt);
        END;
        FETCH NEXT FROM of_server INTO @name;
    END;
    CLOSE of_server;
    DEALLOCATE of_server;
    IF @postcommand IS NOT NULL
        EXEC (@postcommand);
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_MSforeachtable
    @command1 nvarchar(2000), @replacechar nchar(1) = N'?', @command2 nvarchar(2000) = NULL, @command3 nvarchar(2000) = NULL,
    @whereand nvarchar(2000) = NULL, @precommand nvarchar(2000) = NULL, @postcommand nvarchar(2000) = NULL
AS
BEGIN
    -- Counts are those of the commands: the caller may want them.
    DECLARE @name nvarchar(600), @stmt nvarchar(max), @of_database CURSOR;
    IF @precommand IS NOT NULL
        EXEC (@precommand);
    -- @whereand is a condition of the caller, who knows the tables as o (sysobjects) and syso (sys.all_objects).
    SET @stmt = N'
        SET @of_database = CURSOR STATIC FORWARD_ONLY READ_ONLY FOR
            SELECT QUOTENAME(SCHEMA_NAME(syso.schema_id)) + N''.'' + QUOTENAME(o.name)
            FROM dbo.sysobjects AS o
            JOIN sys.all_objects AS syso ON syso.object_id = o.id
            WHERE OBJECTPROPERTY(o.id, N''IsUserTable'') = 1 AND syso.is_ms_shipped = 0 ' + ISNULL(@whereand, N'') + N';
        OPEN @of_database';
    EXEC sys.sp_executesql @stmt, N'@of_database CURSOR OUTPUT', @of_database OUTPUT;
    IF @@ERROR <> 0
        RETURN 1;
    FETCH NEXT FROM @of_database INTO @name;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @stmt = REPLACE(CAST(@command1 AS nvarchar(max)), @replacechar, @name);
        EXEC (@stmt);
        IF @command2 IS NOT NULL
        BEGIN
            SET @stmt = REPLACE(CAST(@command2 AS nvarchar(max)), @replacechar, @name);
            EXEC (@stmt);
        END;
        IF @command3 IS NOT NULL
        BEGIN
            SET @stmt = REPLACE(CAST(@command3 AS nvarchar(max)), @replacechar, @name);
            EXEC (@stmt);
        END;
        FETCH NEXT FROM @of_database INTO @name;
    END;
    CLOSE @of_database;
    DEALLOCATE @of_database;
    IF @postcommand IS NOT NULL
        EXEC (@postcommand);
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_MStablespace @name nvarchar(517), @id int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @current sysname = DB_NAME();
    SET @id = ISNULL(@id, OBJECT_ID(@name));
    IF NOT EXISTS (SELECT * FROM sys.tables WHERE object_id = @id)
    BEGIN
        RAISERROR(15009, -1, -1, @name, @current);
        RETURN 1;
    END;
    SELECT CAST(SUM(CASE WHEN index_id < 2 THEN row_count ELSE 0 END) AS int) AS Rows,
        CAST(SUM(CASE WHEN index_id < 2 THEN in_row_data_page_count + lob_used_page_count + row_overflow_used_page_count
            ELSE lob_used_page_count + row_overflow_used_page_count END) * 8 AS int) AS DataSpaceUsed,
        CAST(SUM(CASE WHEN index_id < 2 THEN used_page_count - in_row_data_page_count - lob_used_page_count
                - row_overflow_used_page_count
            ELSE used_page_count - lob_used_page_count - row_overflow_used_page_count END) * 8 AS int) AS IndexSpaceUsed
    FROM sys.dm_db_partition_stats
    WHERE object_id = @id;
    RETURN 0;
END
GO
