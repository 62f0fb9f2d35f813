-- What tables would take in another form. Rows are stored in one form here, whatever DATA_COMPRESSION and vardecimal say: what is there is
-- what there would be.
CREATE PROCEDURE sys.sp_estimate_data_compression_savings @schema_name sysname, @object_name sysname, @index_id int,
    @partition_number int, @data_compression nvarchar(60)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @id int, @name nvarchar(517);
    IF @object_name IS NULL
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.sp_estimate_data_compression_savings');
        RETURN 1;
    END;
    IF @data_compression IS NULL OR UPPER(@data_compression) NOT IN (N'NONE', N'ROW', N'PAGE')
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.sp_estimate_data_compression_savings');
        RETURN 1;
    END;
    IF @index_id IS NULL AND @partition_number IS NOT NULL
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.sp_estimate_data_compression_savings');
        RETURN 1;
    END;
    SET @schema_name = ISNULL(@schema_name, SCHEMA_NAME());
    SET @name = QUOTENAME(@schema_name) + N'.' + QUOTENAME(@object_name);
    SET @id = COALESCE(OBJECT_ID(@name, N'U'), OBJECT_ID(@name, N'V'));
    IF @id IS NULL OR ISNULL(HAS_PERMS_BY_NAME(@name, N'OBJECT', N'SELECT'), 0) = 0
    BEGIN
        DECLARE @database sysname = DB_NAME();
        RAISERROR(15009, -1, -1, @name, @database);
        RETURN 1;
    END;
    SELECT CAST(@object_name AS sysname) AS object_name,
        CAST(@schema_name AS sysname) AS schema_name,
        CAST(p.index_id AS int) AS index_id,
        CAST(p.partition_number AS int) AS partition_number,
        CAST(p.pages * 8 AS bigint) AS [size_with_current_compression_setting(KB)],
        CAST(p.pages * 8 AS bigint) AS [size_with_requested_compression_setting(KB)],
        CAST(p.pages * 8 AS bigint) AS [sample_size_with_current_compression_setting(KB)],
        CAST(p.pages * 8 AS bigint) AS [sample_size_with_requested_compression_setting(KB)]
    FROM (SELECT r.index_id, r.partition_number, SUM(a.total_pages) AS pages
        FROM sys.partitions AS r
        JOIN sys.allocation_units AS a ON a.container_id = r.hobt_id
        WHERE r.object_id = @id
        GROUP BY r.index_id, r.partition_number) AS p
    WHERE (@index_id IS NULL OR p.index_id = @index_id) AND (@partition_number IS NULL OR p.partition_number = @partition_number)
    ORDER BY p.index_id;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_estimated_rowsize_reduction_for_vardecimal @table_name nvarchar(776)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @id int = OBJECT_ID(@table_name, N'U'), @db int = DB_ID(), @clustered int, @rows bigint, @bytes decimal(12, 2);
    IF @id IS NULL OR ISNULL(HAS_PERMS_BY_NAME(@table_name, N'OBJECT', N'CONTROL'), 0) = 0
    BEGIN
        DECLARE @database sysname = DB_NAME();
        RAISERROR(15009, -1, -1, @table_name, @database);
        RETURN 1;
    END;
    SELECT @clustered = MIN(index_id) FROM sys.indexes WHERE object_id = @id;
    SELECT @rows = SUM(record_count), @bytes = MAX(avg_record_size_in_bytes)
    FROM sys.dm_db_index_physical_stats(@db, @id, @clustered, NULL, N'DETAILED')
    WHERE index_level = 0 AND alloc_unit_type_desc = N'IN_ROW_DATA';
    SELECT CAST(ISNULL(@bytes, 0) AS decimal(12, 2)) AS avg_rowlen_fixed_format,
        CAST(ISNULL(@bytes, 0) AS decimal(12, 2)) AS avg_rowlen_vardecimal_format,
        CAST(ISNULL(@rows, 0) AS int) AS row_count;
    RETURN 0;
END
GO
