-- Procedures about the cursors of the session. Each gives its caller a cursor over sys.dm_millpond_cursors and its kin.
-- A local cursor is its text's: those of the caller are the ones that were declared one level of nesting above. A cursor is found by
-- the name that it was declared by: a variable that shares a named cursor is not a second one.
CREATE PROCEDURE sys.sp_cursor_list @cursor_return CURSOR VARYING OUTPUT, @cursor_scope int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @level int = @@NESTLEVEL - 1;
    IF @cursor_scope IS NULL OR @cursor_scope NOT BETWEEN 1 AND 3
    BEGIN
        RAISERROR(16902, -1, -1, 'sp_cursor_list', '@cursor_scope');
        RETURN 1;
    END;
    SET @cursor_return = CURSOR LOCAL SCROLL STATIC FOR
        SELECT CAST(name AS sysname) AS reference_name,
            CAST(name AS sysname) AS cursor_name,
            CAST(CASE is_local WHEN 1 THEN 1 ELSE 2 END AS tinyint) AS cursor_scope,
            CAST(status AS smallint) AS status,
            CAST(model AS tinyint) AS model,
            CAST(concurrency AS tinyint) AS concurrency,
            CAST(scrollable AS tinyint) AS scrollable,
            CAST(open_status AS tinyint) AS open_status,
            CAST(cursor_rows AS decimal(10, 0)) AS cursor_rows,
            CAST(fetch_status AS smallint) AS fetch_status,
            CAST(column_count AS smallint) AS column_count,
            CAST(row_count AS decimal(10, 0)) AS row_count,
            CAST(last_operation AS tinyint) AS last_operation,
            CAST(cursor_handle AS int) AS cursor_handle
        FROM sys.dm_millpond_cursors
        WHERE (is_local = 1 AND nest_level = @level AND @cursor_scope IN (1, 3))
            OR (is_local = 0 AND @cursor_scope IN (2, 3))
        ORDER BY cursor_handle;
    OPEN @cursor_return;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_describe_cursor @cursor_return CURSOR VARYING OUTPUT, @cursor_source nvarchar(30),
    @cursor_identity nvarchar(128)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @level int = @@NESTLEVEL - 1, @handle int;
    IF @cursor_source IS NULL OR LOWER(@cursor_source) NOT IN (N'local', N'global', N'variable')
    BEGIN
        RAISERROR(16902, -1, -1, 'sp_describe_cursor', '@cursor_source');
        RETURN 1;
    END;
    SELECT @handle = MAX(cursor_handle) FROM sys.dm_millpond_cursors
    WHERE name = @cursor_identity
        AND ((is_local = 0 AND LOWER(@cursor_source) = N'global') OR (is_local = 1 AND nest_level = @level
            AND LOWER(@cursor_source) = CASE LEFT(name, 1) WHEN N'@' THEN N'variable' ELSE N'local' END));
    IF @handle IS NULL
    BEGIN
        RAISERROR(16916, -1, -1, 128, @cursor_identity);
        RETURN 1;
    END;
    SET @cursor_return = CURSOR LOCAL SCROLL STATIC FOR
        SELECT CAST(name AS sysname) AS reference_name,
            CAST(name AS sysname) AS cursor_name,
            CAST(CASE is_local WHEN 1 THEN 1 ELSE 2 END AS tinyint) AS cursor_scope,
            CAST(status AS smallint) AS status,
            CAST(model AS tinyint) AS model,
            CAST(concurrency AS tinyint) AS concurrency,
            CAST(scrollable AS tinyint) AS scrollable,
            CAST(open_status AS tinyint) AS open_status,
            CAST(cursor_rows AS decimal(10, 0)) AS cursor_rows,
            CAST(fetch_status AS smallint) AS fetch_status,
            CAST(column_count AS smallint) AS column_count,
            CAST(row_count AS decimal(10, 0)) AS row_count,
            CAST(last_operation AS tinyint) AS last_operation,
            CAST(cursor_handle AS int) AS cursor_handle
        FROM sys.dm_millpond_cursors
        WHERE cursor_handle = @handle;
    OPEN @cursor_return;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_describe_cursor_columns @cursor_return CURSOR VARYING OUTPUT, @cursor_source nvarchar(30),
    @cursor_identity nvarchar(128)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @level int = @@NESTLEVEL - 1, @handle int;
    IF @cursor_source IS NULL OR LOWER(@cursor_source) NOT IN (N'local', N'global', N'variable')
    BEGIN
        RAISERROR(16902, -1, -1, 'sp_describe_cursor_columns', '@cursor_source');
        RETURN 1;
    END;
    SELECT @handle = MAX(cursor_handle) FROM sys.dm_millpond_cursors
    WHERE name = @cursor_identity
        AND ((is_local = 0 AND LOWER(@cursor_source) = N'global') OR (is_local = 1 AND nest_level = @level
            AND LOWER(@cursor_source) = CASE LEFT(name, 1) WHEN N'@' THEN N'variable' ELSE N'local' END));
    IF @handle IS NULL
    BEGIN
        RAISERROR(16916, -1, -1, 128, @cursor_identity);
        RETURN 1;
    END;
    -- What a column is computed from and ordered by is not kept with the cursor.
    SET @cursor_return = CURSOR LOCAL SCROLL STATIC FOR
        SELECT CAST(column_name AS sysname) AS column_name,
            CAST(ordinal_position - 1 AS int) AS ordinal_position,
            CAST(CASE WHEN system_type_name IN (N'varchar', N'nvarchar', N'varbinary', N'xml', N'sql_variant', N'text', N'ntext',
                    N'image') THEN 0 ELSE 2 END + CASE is_nullable WHEN 1 THEN 4 ELSE 0 END AS int) AS column_characteristics_flags,
            CAST(column_size AS int) AS column_size,
            CAST(TYPE_ID(system_type_name) AS smallint) AS data_type_sql,
            CAST(column_precision AS tinyint) AS column_precision,
            CAST(column_scale AS tinyint) AS column_scale,
            CAST(0 AS int) AS order_position,
            CAST(NULL AS varchar(1)) AS order_direction,
            CAST(0 AS smallint) AS hidden_column,
            CAST(-1 AS int) AS columnid,
            CAST(-1 AS int) AS objectid,
            CAST(-1 AS int) AS dbid,
            CAST(NULL AS sysname) AS dbname
        FROM sys.dm_millpond_cursor_columns
        WHERE cursor_handle = @handle
        ORDER BY ordinal_position;
    OPEN @cursor_return;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_describe_cursor_tables @cursor_return CURSOR VARYING OUTPUT, @cursor_source nvarchar(30),
    @cursor_identity nvarchar(128)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @level int = @@NESTLEVEL - 1, @handle int;
    IF @cursor_source IS NULL OR LOWER(@cursor_source) NOT IN (N'local', N'global', N'variable')
    BEGIN
        RAISERROR(16902, -1, -1, 'sp_describe_cursor_tables', '@cursor_source');
        RETURN 1;
    END;
    SELECT @handle = MAX(cursor_handle) FROM sys.dm_millpond_cursors
    WHERE name = @cursor_identity
        AND ((is_local = 0 AND LOWER(@cursor_source) = N'global') OR (is_local = 1 AND nest_level = @level
            AND LOWER(@cursor_source) = CASE LEFT(name, 1) WHEN N'@' THEN N'variable' ELSE N'local' END));
    IF @handle IS NULL
    BEGIN
        RAISERROR(16916, -1, -1, 128, @cursor_identity);
        RETURN 1;
    END;
    -- The stored tables, those of views among them; hints are not kept with the cursor.
    SET @cursor_return = CURSOR LOCAL SCROLL STATIC FOR
        SELECT CAST(t.table_owner AS sysname) AS [table owner],
            CAST(t.table_name AS sysname) AS Table_name,
            CAST(0 AS smallint) AS Optimizer_hints,
            CAST(CASE c.concurrency WHEN 2 THEN 3 ELSE 0 END AS smallint) AS lock_type,
            CAST(SERVERPROPERTY('ServerName') AS sysname) AS server_name,
            CAST(t.objectid AS int) AS Objectid,
            CAST(t.dbid AS int) AS dbid,
            CAST(t.dbname AS sysname) AS dbname
        FROM sys.dm_millpond_cursor_tables AS t
        JOIN sys.dm_millpond_cursors AS c ON c.cursor_handle = t.cursor_handle
        WHERE t.cursor_handle = @handle;
    OPEN @cursor_return;
    RETURN 0;
END
GO
