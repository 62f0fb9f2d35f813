-- Procedures about objects of the current database: triggers, the columns that identify a row, options of indexes, statistics.
CREATE PROCEDURE sys.sp_helptrigger @tabname nvarchar(776), @triggertype char(6) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @id int, @database sysname = PARSENAME(@tabname, 3), @current sysname = DB_NAME();
    IF @database IS NOT NULL AND ISNULL(DB_ID(@database), 0) <> DB_ID()
    BEGIN
        RAISERROR(15250, -1, -1);
        RETURN 1;
    END;
    SELECT @id = object_id FROM sys.objects WHERE object_id = OBJECT_ID(@tabname) AND type IN ('U', 'V', 'S');
    IF @id IS NULL
    BEGIN
        RAISERROR(15009, -1, -1, @tabname, @current);
        RETURN 1;
    END;
    IF @triggertype IS NOT NULL AND LOWER(@triggertype) NOT IN ('insert', 'update', 'delete')
    BEGIN
        RAISERROR(15305, 16, 1);
        RETURN 1;
    END;
    SELECT CAST(t.name AS nvarchar(128)) AS trigger_name,
        CAST(USER_NAME(OBJECTPROPERTY(t.object_id, 'OwnerId')) AS nvarchar(128)) AS trigger_owner,
        CAST(ISNULL(e.isupdate, 0) AS int) AS isupdate,
        CAST(ISNULL(e.isdelete, 0) AS int) AS isdelete,
        CAST(ISNULL(e.isinsert, 0) AS int) AS isinsert,
        CAST(CASE t.is_instead_of_trigger WHEN 1 THEN 0 ELSE 1 END AS int) AS isafter,
        CAST(t.is_instead_of_trigger AS int) AS isinsteadof,
        CAST(s.name AS nvarchar(128)) AS trigger_schema
    FROM sys.triggers AS t
    JOIN sys.objects AS o ON o.object_id = t.object_id
    JOIN sys.schemas AS s ON s.schema_id = o.schema_id
    CROSS APPLY (SELECT MAX(CASE type_desc WHEN N'UPDATE' THEN 1 ELSE 0 END) AS isupdate,
            MAX(CASE type_desc WHEN N'DELETE' THEN 1 ELSE 0 END) AS isdelete,
            MAX(CASE type_desc WHEN N'INSERT' THEN 1 ELSE 0 END) AS isinsert
        FROM sys.trigger_events
        WHERE object_id = t.object_id) AS e
    WHERE t.parent_id = @id
        AND (@triggertype IS NULL OR LOWER(@triggertype) = 'update' AND e.isupdate = 1
            OR LOWER(@triggertype) = 'delete' AND e.isdelete = 1 OR LOWER(@triggertype) = 'insert' AND e.isinsert = 1)
    ORDER BY t.name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_special_columns_100
    @table_name sysname, @table_owner sysname = NULL, @qualifier sysname = NULL, @col_type char(1) = 'R', @scope char(1) = 'T',
    @nullable char(1) = 'U', @ODBCVer int = 2
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @id int, @index_id int, @scope_found smallint = CASE @scope WHEN 'C' THEN 0 ELSE 1 END;
    IF @qualifier IS NOT NULL AND @qualifier <> DB_NAME()
    BEGIN
        RAISERROR(15250, -1, -1);
        RETURN 1;
    END;
    IF ISNULL(@col_type, '') NOT IN ('R', 'V')
    BEGIN
        RAISERROR(15251, 16, 1, 'col_type', '''R'' or ''V''');
        RETURN 1;
    END;
    IF ISNULL(@scope, '') NOT IN ('C', 'T')
    BEGIN
        RAISERROR(15251, 16, 1, 'scope', '''C'' or ''T''');
        RETURN 1;
    END;
    IF ISNULL(@nullable, '') NOT IN ('O', 'U')
    BEGIN
        RAISERROR(15251, 16, 1, 'nullable', '''O'' or ''U''');
        RETURN 1;
    END;
    SET @id = OBJECT_ID(ISNULL(QUOTENAME(@table_owner) + N'.', N'') + QUOTENAME(@table_name));
    -- The best index: of unique ones without a filter the clustered one, then the one of the fewest columns.
    IF @col_type = 'R'
        SELECT TOP (1) @index_id = i.index_id
        FROM sys.indexes AS i
        CROSS APPLY (SELECT COUNT(*) AS columns, MAX(CAST(c.is_nullable AS int)) AS has_nullable
            FROM sys.index_columns AS ic
            JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
            WHERE ic.object_id = i.object_id AND ic.index_id = i.index_id AND ic.key_ordinal > 0) AS k
        WHERE i.object_id = @id AND i.is_unique = 1 AND i.has_filter = 0 AND i.is_disabled = 0
            AND (@nullable = 'U' OR k.has_nullable = 0)
        ORDER BY CASE i.type WHEN 1 THEN 0 ELSE 1 END, k.columns, i.index_id;
    SELECT CASE WHEN @col_type = 'R' THEN @scope_found ELSE CAST(NULL AS smallint) END AS SCOPE,
        CAST(c.name AS nvarchar(128)) AS COLUMN_NAME,
        CAST(CASE t.name
            WHEN N'bigint' THEN -5 WHEN N'binary' THEN -2 WHEN N'bit' THEN -7 WHEN N'char' THEN 1
            WHEN N'date' THEN CASE @ODBCVer WHEN 3 THEN 91 ELSE 9 END
            WHEN N'datetime' THEN CASE @ODBCVer WHEN 3 THEN 93 ELSE 11 END
            WHEN N'datetime2' THEN CASE @ODBCVer WHEN 3 THEN 93 ELSE 11 END
            WHEN N'datetimeoffset' THEN -155 WHEN N'decimal' THEN 3 WHEN N'float' THEN 6 WHEN N'image' THEN -4
            WHEN N'int' THEN 4 WHEN N'money' THEN 3 WHEN N'nchar' THEN -8 WHEN N'ntext' THEN -10 WHEN N'numeric' THEN 2
            WHEN N'nvarchar' THEN -9 WHEN N'real' THEN 7
            WHEN N'smalldatetime' THEN CASE @ODBCVer WHEN 3 THEN 93 ELSE 11 END
            WHEN N'smallint' THEN 5 WHEN N'smallmoney' THEN 3 WHEN N'sql_variant' THEN -150 WHEN N'text' THEN -1
            WHEN N'time' THEN -154 WHEN N'timestamp' THEN -2 WHEN N'tinyint' THEN -6 WHEN N'uniqueidentifier' THEN -11
            WHEN N'varbinary' THEN -3 WHEN N'varchar' THEN 12 WHEN N'xml' THEN -152 END AS smallint) AS DATA_TYPE,
        CAST(ISNULL(u.name, t.name) + CASE WHEN c.is_identity = 1 THEN N' identity' ELSE N'' END AS nvarchar(128)) AS TYPE_NAME,
        CAST(CASE
            WHEN t.name IN (N'nchar', N'nvarchar') THEN c.max_length / 2
            WHEN t.name IN (N'char', N'varchar', N'binary', N'varbinary') THEN c.max_length
            WHEN t.name = N'timestamp' THEN 8
            WHEN t.name = N'uniqueidentifier' THEN 36
            WHEN t.name = N'bit' THEN 1
            ELSE c.precision END AS int) AS PRECISION,
        CAST(CASE
            WHEN t.name IN (N'decimal', N'numeric') THEN c.precision + 2
            WHEN t.name = N'money' THEN 21
            WHEN t.name = N'smallmoney' THEN 12
            WHEN t.name IN (N'datetime', N'smalldatetime', N'datetime2') THEN 16
            WHEN t.name = N'date' THEN 6
            WHEN t.name = N'time' THEN 12
            WHEN t.name = N'datetimeoffset' THEN 20
            ELSE c.max_length END AS int) AS LENGTH,
        CAST(CASE
            WHEN t.name IN (N'bigint', N'int', N'smallint', N'tinyint', N'decimal', N'numeric', N'money', N'smallmoney', N'datetime',
                N'smalldatetime', N'datetime2', N'time', N'datetimeoffset') THEN c.scale END AS smallint) AS SCALE,
        CAST(1 AS smallint) AS PSEUDO_COLUMN
    FROM sys.columns AS c
    JOIN sys.types AS t ON t.system_type_id = c.system_type_id AND t.user_type_id = c.system_type_id
    LEFT JOIN sys.types AS u ON u.user_type_id = c.user_type_id AND u.user_type_id <> c.system_type_id
    LEFT JOIN sys.index_columns AS ic
        ON ic.object_id = c.object_id AND ic.column_id = c.column_id AND ic.index_id = @index_id AND ic.key_ordinal > 0
    WHERE c.object_id = @id
        AND (@col_type = 'R' AND ic.key_ordinal IS NOT NULL OR @col_type = 'V' AND t.name = N'timestamp')
    ORDER BY ISNULL(ic.key_ordinal, c.column_id);
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_special_columns
    @table_name sysname, @table_owner sysname = NULL, @qualifier sysname = NULL, @col_type char(1) = 'R', @scope char(1) = 'T',
    @nullable char(1) = 'U', @ODBCVer int = 2
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @id int, @index_id int, @scope_found smallint = CASE @scope WHEN 'C' THEN 0 ELSE 1 END;
    IF @qualifier IS NOT NULL AND @qualifier <> DB_NAME()
    BEGIN
        RAISERROR(15250, -1, -1);
        RETURN 1;
    END;
    IF ISNULL(@col_type, '') NOT IN ('R', 'V')
    BEGIN
        RAISERROR(15251, 16, 1, 'col_type', '''R'' or ''V''');
        RETURN 1;
    END;
    IF ISNULL(@scope, '') NOT IN ('C', 'T')
    BEGIN
        RAISERROR(15251, 16, 1, 'scope', '''C'' or ''T''');
        RETURN 1;
    END;
    IF ISNULL(@nullable, '') NOT IN ('O', 'U')
    BEGIN
        RAISERROR(15251, 16, 1, 'nullable', '''O'' or ''U''');
        RETURN 1;
    END;
    SET @id = OBJECT_ID(ISNULL(QUOTENAME(@table_owner) + N'.', N'') + QUOTENAME(@table_name));
    -- The best index: of unique ones without a filter the clustered one, then the one of the fewest columns.
    IF @col_type = 'R'
        SELECT TOP (1) @index_id = i.index_id
        FROM sys.indexes AS i
        CROSS APPLY (SELECT COUNT(*) AS columns, MAX(CAST(c.is_nullable AS int)) AS has_nullable
            FROM sys.index_columns AS ic
            JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
            WHERE ic.object_id = i.object_id AND ic.index_id = i.index_id AND ic.key_ordinal > 0) AS k
        WHERE i.object_id = @id AND i.is_unique = 1 AND i.has_filter = 0 AND i.is_disabled = 0
            AND (@nullable = 'U' OR k.has_nullable = 0)
        ORDER BY CASE i.type WHEN 1 THEN 0 ELSE 1 END, k.columns, i.index_id;
    -- Clients of that time know no date, time, datetime2 and datetimeoffset: for them these are nvarchar.
    SELECT CASE WHEN @col_type = 'R' THEN @scope_found ELSE CAST(NULL AS smallint) END AS SCOPE,
        CAST(c.name AS nvarchar(128)) AS COLUMN_NAME,
        CAST(CASE t.name
            WHEN N'bigint' THEN -5 WHEN N'binary' THEN -2 WHEN N'bit' THEN -7 WHEN N'char' THEN 1 WHEN N'date' THEN -9
            WHEN N'datetime' THEN CASE @ODBCVer WHEN 3 THEN 93 ELSE 11 END
            WHEN N'datetime2' THEN -9 WHEN N'datetimeoffset' THEN -9 WHEN N'decimal' THEN 3 WHEN N'float' THEN 6
            WHEN N'image' THEN -4 WHEN N'int' THEN 4 WHEN N'money' THEN 3 WHEN N'nchar' THEN -8 WHEN N'ntext' THEN -10
            WHEN N'numeric' THEN 2 WHEN N'nvarchar' THEN -9 WHEN N'real' THEN 7
            WHEN N'smalldatetime' THEN CASE @ODBCVer WHEN 3 THEN 93 ELSE 11 END
            WHEN N'smallint' THEN 5 WHEN N'smallmoney' THEN 3 WHEN N'sql_variant' THEN -150 WHEN N'text' THEN -1
            WHEN N'time' THEN -9 WHEN N'timestamp' THEN -2 WHEN N'tinyint' THEN -6 WHEN N'uniqueidentifier' THEN -11
            WHEN N'varbinary' THEN -3 WHEN N'varchar' THEN 12 WHEN N'xml' THEN -152 END AS smallint) AS DATA_TYPE,
        CAST(ISNULL(u.name, t.name) + CASE WHEN c.is_identity = 1 THEN N' identity' ELSE N'' END AS nvarchar(128)) AS TYPE_NAME,
        CAST(CASE
            WHEN t.name IN (N'nchar', N'nvarchar') THEN c.max_length / 2
            WHEN t.name IN (N'char', N'varchar', N'binary', N'varbinary') THEN c.max_length
            WHEN t.name = N'timestamp' THEN 8
            WHEN t.name = N'uniqueidentifier' THEN 36
            WHEN t.name = N'bit' THEN 1
            ELSE c.precision END AS int) AS PRECISION,
        CAST(CASE
            WHEN t.name IN (N'decimal', N'numeric') THEN c.precision + 2
            WHEN t.name = N'money' THEN 21
            WHEN t.name = N'smallmoney' THEN 12
            WHEN t.name IN (N'datetime', N'smalldatetime') THEN 16
            WHEN t.name IN (N'date', N'time', N'datetime2', N'datetimeoffset') THEN c.precision * 2
            ELSE c.max_length END AS int) AS LENGTH,
        CAST(CASE
            WHEN t.name IN (N'bigint', N'int', N'smallint', N'tinyint', N'decimal', N'numeric', N'money', N'smallmoney', N'datetime',
                N'smalldatetime') THEN c.scale END AS smallint) AS SCALE,
        CAST(1 AS smallint) AS PSEUDO_COLUMN
    FROM sys.columns AS c
    JOIN sys.types AS t ON t.system_type_id = c.system_type_id AND t.user_type_id = c.system_type_id
    LEFT JOIN sys.types AS u ON u.user_type_id = c.user_type_id AND u.user_type_id <> c.system_type_id
    LEFT JOIN sys.index_columns AS ic
        ON ic.object_id = c.object_id AND ic.column_id = c.column_id AND ic.index_id = @index_id AND ic.key_ordinal > 0
    WHERE c.object_id = @id
        AND (@col_type = 'R' AND ic.key_ordinal IS NOT NULL OR @col_type = 'V' AND t.name = N'timestamp')
    ORDER BY ISNULL(ic.key_ordinal, c.column_id);
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_special_columns_90
    @table_name sysname, @table_owner sysname = NULL, @qualifier sysname = NULL, @col_type char(1) = 'R', @scope char(1) = 'T',
    @nullable char(1) = 'U', @ODBCVer int = 2
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @result int;
    EXEC @result = sys.sp_special_columns @table_name, @table_owner, @qualifier, @col_type, @scope, @nullable, @ODBCVer;
    RETURN ISNULL(@result, 1);
END
GO
CREATE PROCEDURE sys.sp_datatype_info_90 @data_type int = 0, @ODBCVer tinyint = 2
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @result int;
    EXEC @result = sys.sp_datatype_info @data_type, @ODBCVer;
    RETURN ISNULL(@result, 1);
END
GO
CREATE PROCEDURE sys.sp_sproc_columns_90
    @procedure_name nvarchar(390) = '%', @procedure_owner nvarchar(384) = NULL, @procedure_qualifier sysname = NULL,
    @column_name nvarchar(384) = NULL, @ODBCVer int = 2, @fUsePattern bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @result int;
    EXEC @result = sys.sp_sproc_columns @procedure_name, @procedure_owner, @procedure_qualifier, @column_name, @ODBCVer, @fUsePattern;
    RETURN ISNULL(@result, 1);
END
GO
CREATE PROCEDURE sys.sp_indexoption @IndexNamePattern nvarchar(1035), @OptionName varchar(35), @OptionValue varchar(12)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @id int, @index sysname, @database sysname, @value bit, @setting nvarchar(40), @stmt nvarchar(1600);
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_indexoption');
        RETURN 1;
    END;
    SET @value = CASE WHEN LOWER(@OptionValue) IN ('true', 'on', 'yes', '1') THEN 1
        WHEN LOWER(@OptionValue) IN ('false', 'off', 'no', '0') THEN 0 END;
    SET @setting = CASE LOWER(@OptionName)
        WHEN 'allowrowlocks' THEN N'ALLOW_ROW_LOCKS = ' + CASE @value WHEN 1 THEN N'ON' ELSE N'OFF' END
        WHEN 'allowpagelocks' THEN N'ALLOW_PAGE_LOCKS = ' + CASE @value WHEN 1 THEN N'ON' ELSE N'OFF' END
        WHEN 'disallowrowlocks' THEN N'ALLOW_ROW_LOCKS = ' + CASE @value WHEN 1 THEN N'OFF' ELSE N'ON' END
        WHEN 'disallowpagelocks' THEN N'ALLOW_PAGE_LOCKS = ' + CASE @value WHEN 1 THEN N'OFF' ELSE N'ON' END END;
    IF @value IS NULL OR @setting IS NULL
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.sp_indexoption');
        RETURN 1;
    END;
    -- The pattern is a table, or an index behind the name of its table.
    SELECT @id = object_id FROM sys.tables WHERE object_id = OBJECT_ID(@IndexNamePattern);
    SET @database = PARSENAME(@IndexNamePattern, 3);
    IF @id IS NULL
    BEGIN
        SET @index = PARSENAME(@IndexNamePattern, 1);
        SELECT @id = t.object_id
        FROM sys.tables AS t
        JOIN sys.indexes AS i ON i.object_id = t.object_id
        WHERE i.name = @index
            AND t.object_id = OBJECT_ID(ISNULL(QUOTENAME(PARSENAME(@IndexNamePattern, 4)) + N'.', N'')
                + ISNULL(QUOTENAME(PARSENAME(@IndexNamePattern, 3)) + N'.', N'') + QUOTENAME(PARSENAME(@IndexNamePattern, 2)));
        SET @database = PARSENAME(@IndexNamePattern, 4);
    END;
    IF @id IS NULL AND @database IS NOT NULL AND @database <> DB_NAME() AND DB_ID(@database) IS NOT NULL
    BEGIN
        RAISERROR(15387, -1, -1);
        RETURN 1;
    END;
    IF @id IS NULL OR ISNULL(HAS_PERMS_BY_NAME(QUOTENAME(OBJECT_SCHEMA_NAME(@id)) + N'.' + QUOTENAME(OBJECT_NAME(@id)),
        'OBJECT', 'ALTER'), 0) = 0
    BEGIN
        RAISERROR(15388, -1, -1, @IndexNamePattern);
        RETURN 1;
    END;
    SET @stmt = N'ALTER INDEX ' + ISNULL(QUOTENAME(@index), N'ALL') + N' ON ' + QUOTENAME(OBJECT_SCHEMA_NAME(@id)) + N'.'
        + QUOTENAME(OBJECT_NAME(@id)) + N' SET (' + @setting + N')';
    EXEC (@stmt);
    IF @@ERROR <> 0
        RETURN 1;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_autostats @tblname nvarchar(776), @flagc varchar(10) = NULL, @indname sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @id int, @table nvarchar(600), @database sysname = PARSENAME(@tblname, 3), @own sysname = PARSENAME(@tblname, 1);
    DECLARE @name sysname, @is_index bit, @stmt nvarchar(1600), @changed int = 0;
    IF @flagc IS NOT NULL AND LOWER(@flagc) NOT IN ('on', 'off')
    BEGIN
        RAISERROR(17000, 10, 1);
        RETURN 1;
    END;
    IF @database IS NOT NULL AND ISNULL(DB_ID(@database), 0) <> DB_ID()
    BEGIN
        RAISERROR(15250, -1, -1);
        RETURN 1;
    END;
    SELECT @id = object_id FROM sys.objects WHERE object_id = OBJECT_ID(@tblname) AND type IN ('U', 'V');
    IF @id IS NULL
    BEGIN
        RAISERROR(15390, 11, 1, @tblname);
        RETURN 1;
    END;
    IF @indname IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.stats WHERE object_id = @id AND name = @indname)
    BEGIN
        RAISERROR(15323, 16, 1, @tblname);
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM sys.indexes
        WHERE object_id = @id AND is_disabled = 1 AND (index_id = 1 OR name = @indname))
    BEGIN
        RAISERROR(15654, 10, 1, @tblname);
        RETURN 1;
    END;
    IF @flagc IS NULL
    BEGIN
        SELECT CAST(QUOTENAME(s.name) AS nvarchar(128)) AS [Index Name],
            CAST(CASE s.no_recompute WHEN 1 THEN 'OFF' ELSE 'ON' END AS varchar(3)) AS AUTOSTATS,
            CAST(STATS_DATE(s.object_id, s.stats_id) AS datetime) AS [Last Updated]
        FROM sys.stats AS s
        WHERE s.object_id = @id AND (@indname IS NULL OR s.name = @indname)
        ORDER BY s.stats_id;
        RETURN 0;
    END;
    SET @table = QUOTENAME(OBJECT_SCHEMA_NAME(@id)) + N'.' + QUOTENAME(IIF(@own LIKE N'#%', @own, OBJECT_NAME(@id)));
    IF ISNULL(IS_ROLEMEMBER('db_owner'), 0) = 0 AND ISNULL(HAS_PERMS_BY_NAME(@table, 'OBJECT', 'ALTER'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    DECLARE of_table CURSOR LOCAL STATIC FORWARD_ONLY READ_ONLY FOR
        SELECT s.name, CASE WHEN i.index_id IS NULL THEN 0 ELSE 1 END
        FROM sys.stats AS s
        LEFT JOIN sys.indexes AS i ON i.object_id = s.object_id AND i.index_id = s.stats_id
        WHERE s.object_id = @id AND (@indname IS NULL OR s.name = @indname) AND ISNULL(i.is_disabled, 0) = 0
        ORDER BY s.stats_id;
    OPEN of_table;
    FETCH NEXT FROM of_table INTO @name, @is_index;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        IF @is_index = 1
            SET @stmt = N'ALTER INDEX ' + QUOTENAME(@name) + N' ON ' + @table + N' SET (STATISTICS_NORECOMPUTE = '
                + CASE LOWER(@flagc) WHEN 'on' THEN N'OFF' ELSE N'ON' END + N')';
        ELSE
            SET @stmt = N'UPDATE STATISTICS ' + @table + N' ' + QUOTENAME(@name)
                + CASE LOWER(@flagc) WHEN 'on' THEN N' WITH RESAMPLE' ELSE N' WITH RESAMPLE, NORECOMPUTE' END;
        EXEC (@stmt);
        IF @@ERROR <> 0
            RETURN 1;
        SET @changed = @changed + 1;
        FETCH NEXT FROM of_table INTO @name, @is_index;
    END;
    CLOSE of_table;
    DEALLOCATE of_table;
    SET @stmt = N'Automatic statistics maintenance turned ' + UPPER(@flagc) + N' for ' + CAST(@changed AS nvarchar(10)) + N' indices.';
    PRINT @stmt;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_createstats
    @indexonly char(9) = 'NO', @fullscan char(9) = 'NO', @norecompute char(12) = 'NO', @incremental char(12) = 'NO'
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @table_id int, @last_id int, @table nvarchar(600), @column sysname, @stmt nvarchar(1600), @options nvarchar(100) = N'',
        @is_disabled bit, @all int = 0;
    IF ISNULL(IS_ROLEMEMBER('db_owner'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF LOWER(@indexonly) NOT IN ('no', 'indexonly') OR LOWER(@fullscan) NOT IN ('no', 'fullscan')
        OR LOWER(@norecompute) NOT IN ('no', 'norecompute') OR LOWER(@incremental) NOT IN ('no', 'incremental')
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.sp_createstats');
        RETURN 1;
    END;
    IF LOWER(@fullscan) = 'fullscan'
        SET @options = N', FULLSCAN';
    IF LOWER(@norecompute) = 'norecompute'
        SET @options = @options + N', NORECOMPUTE';
    IF LOWER(@incremental) = 'incremental'
        SET @options = @options + N', INCREMENTAL = ON';
    SET @options = ISNULL(N' WITH ' + NULLIF(STUFF(@options, 1, 2, N''), N''), N'');
    DECLARE of_columns CURSOR LOCAL STATIC FORWARD_ONLY READ_ONLY FOR
        SELECT t.object_id, QUOTENAME(s.name) + N'.' + QUOTENAME(t.name), c.name, ISNULL(x.is_disabled, 0)
        FROM sys.tables AS t
        JOIN sys.schemas AS s ON s.schema_id = t.schema_id
        LEFT JOIN sys.indexes AS x ON x.object_id = t.object_id AND x.index_id = 1
        LEFT JOIN (SELECT c.object_id, c.column_id, c.name
            FROM sys.columns AS c
            JOIN sys.types AS y ON y.user_type_id = c.system_type_id
            WHERE c.is_computed = 0 AND y.name NOT IN (N'xml', N'text', N'ntext', N'image')
                AND NOT (c.is_sparse = 1 AND EXISTS (SELECT * FROM sys.columns AS a
                    WHERE a.object_id = c.object_id AND a.is_column_set = 1))
                AND NOT EXISTS (SELECT * FROM sys.stats_columns AS f
                    WHERE f.object_id = c.object_id AND f.column_id = c.column_id AND f.stats_column_id = 1)
                AND NOT EXISTS (SELECT * FROM sys.stats AS n WHERE n.object_id = c.object_id AND n.name = c.name)
                AND (LOWER(@indexonly) = 'no' OR EXISTS (SELECT * FROM sys.index_columns AS i
                    WHERE i.object_id = c.object_id AND i.column_id = c.column_id AND i.key_ordinal > 0))
            ) AS c ON c.object_id = t.object_id
        WHERE t.is_ms_shipped = 0
        ORDER BY s.name, t.name, c.column_id;
    OPEN of_columns;
    FETCH NEXT FROM of_columns INTO @table_id, @table, @column, @is_disabled;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        IF @last_id IS NULL OR @last_id <> @table_id
        BEGIN
            IF @is_disabled = 1
                RAISERROR(15654, 10, 1, @table);
            ELSE IF @column IS NULL
                RAISERROR(15013, 10, 1, @table);
            ELSE
                RAISERROR(15018, 10, 1, @table);
            SET @last_id = @table_id;
        END;
        IF @is_disabled = 0 AND @column IS NOT NULL
        BEGIN
            SET @stmt = N'CREATE STATISTICS ' + QUOTENAME(@column) + N' ON ' + @table + N' (' + QUOTENAME(@column) + N')' + @options;
            EXEC (@stmt);
            IF @@ERROR <> 0
                RETURN 1;
            SET @stmt = N'     ' + @column;
            PRINT @stmt;
            SET @all = @all + 1;
        END;
        FETCH NEXT FROM of_columns INTO @table_id, @table, @column, @is_disabled;
    END;
    CLOSE of_columns;
    DEALLOCATE of_columns;
    PRINT N' ';
    RAISERROR(15020, 10, 1, @all);
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_recompile @objname nvarchar(776)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @id int, @type char(2), @module nvarchar(600), @database sysname = PARSENAME(@objname, 3);
    IF @database IS NOT NULL AND ISNULL(DB_ID(@database), 0) <> DB_ID()
    BEGIN
        RAISERROR(15250, -1, -1);
        RETURN 1;
    END;
    SELECT @id = object_id, @type = type
    FROM sys.objects
    WHERE object_id = OBJECT_ID(@objname) AND type IN ('P', 'TR', 'U', 'V', 'FN', 'IF', 'TF');
    IF @id IS NULL OR ISNULL(HAS_PERMS_BY_NAME(QUOTENAME(OBJECT_SCHEMA_NAME(@id)) + N'.' + QUOTENAME(OBJECT_NAME(@id)),
        'OBJECT', 'ALTER'), 0) = 0
    BEGIN
        RAISERROR(15165, -1, -1, @objname);
        RETURN 1;
    END;
    -- A module that is read anew has no plan: itself, or, of a table or a view, all that use it.
    DECLARE of_modules CURSOR LOCAL STATIC FORWARD_ONLY READ_ONLY FOR
        SELECT QUOTENAME(s.name) + N'.' + QUOTENAME(o.name)
        FROM sys.objects AS o
        JOIN sys.schemas AS s ON s.schema_id = o.schema_id
        JOIN sys.sql_modules AS m ON m.object_id = o.object_id
        WHERE m.is_schema_bound = 0 AND o.type IN ('P', 'TR', 'FN', 'IF', 'TF')
            AND (@type NOT IN ('U', 'V') AND o.object_id = @id
                OR @type IN ('U', 'V') AND (o.parent_object_id = @id OR EXISTS (SELECT * FROM sys.sql_expression_dependencies AS d
                    WHERE d.referencing_id = o.object_id AND d.referenced_id = @id)));
    OPEN of_modules;
    FETCH NEXT FROM of_modules INTO @module;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        EXEC sys.sp_refreshsqlmodule @module;
        FETCH NEXT FROM of_modules INTO @module;
    END;
    CLOSE of_modules;
    DEALLOCATE of_modules;
    RAISERROR(15070, 10, 1, @objname);
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_validname @name sysname, @raise_error bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    IF @name IS NULL
    BEGIN
        IF @raise_error = 1
            RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    IF DATALENGTH(@name) = 0 OR CHARINDEX(NCHAR(0) COLLATE Latin1_General_BIN2, @name COLLATE Latin1_General_BIN2) > 0
    BEGIN
        IF @raise_error = 1
            RAISERROR(15006, -1, -1, @name);
        RETURN 1;
    END;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_helpextendedproc @funcname sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @funcname IS NOT NULL AND NOT EXISTS (SELECT * FROM master.sys.all_objects WHERE name = @funcname AND type = 'X')
    BEGIN
        RAISERROR(15019, 16, 1, @funcname);
        RETURN 1;
    END;
    SELECT CAST(o.name AS nvarchar(128)) AS name, CAST(ISNULL(x.dll_name, N'(server internal)') AS nvarchar(255)) AS dll
    FROM master.sys.all_objects AS o
    LEFT JOIN master.sys.extended_procedures AS x ON x.object_id = o.object_id
    WHERE o.type = 'X' AND (@funcname IS NULL OR o.name = @funcname)
    ORDER BY o.name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_cleanup_temporal_history @schema_name sysname, @table_name sysname, @rowcount int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @table nvarchar(600), @current sysname = DB_NAME();
    IF ISNULL(IS_ROLEMEMBER('db_owner'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    SET @table = QUOTENAME(ISNULL(@schema_name, SCHEMA_NAME())) + N'.' + QUOTENAME(@table_name);
    IF @table_name IS NULL OR OBJECT_ID(@table, 'U') IS NULL
    BEGIN
        RAISERROR(15009, -1, -1, @table_name, @current);
        RETURN 1;
    END;
    -- No table keeps its history by itself yet.
    RAISERROR(N'sp_cleanup_temporal_history can be used only with temporal tables that have a finite retention period: %s has none.',
        16, 1, @table);
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_flush_log
AS
BEGIN
    -- A checkpoint waits until the log is on disk, with the transactions that committed with delayed durability.
    SET NOCOUNT ON;
    CHECKPOINT;
    IF @@ERROR <> 0
        RETURN 0;
    RETURN 1;
END
GO
