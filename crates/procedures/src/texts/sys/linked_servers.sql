-- Procedures about linked and remote servers. This server knows of no other one: for itself they answer what its own catalog
-- says, for an unknown name they fail as a call of that server does.
CREATE PROCEDURE sys.sp_addlinkedserver
    @server sysname, @srvproduct nvarchar(128) = NULL, @provider nvarchar(128) = NULL, @datasrc nvarchar(4000) = NULL,
    @location nvarchar(4000) = NULL, @provstr nvarchar(4000) = NULL, @catalog sysname = NULL, @linkedstyle bit = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_addlinkedserver');
        RETURN 1;
    END;
    IF ISNULL(HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER ANY LINKED SERVER'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @server IS NULL
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    IF DATALENGTH(@server) = 0
    BEGIN
        RAISERROR(15006, -1, -1, @server);
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM sys.servers WHERE name = @server)
    BEGIN
        RAISERROR(15028, 16, 1, @server);
        RETURN 1;
    END;
    RAISERROR(40517, 16, 1, 'A linked server');
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_addlinkedsrvlogin
    @rmtsrvname sysname, @useself varchar(8) = 'true', @locallogin sysname = NULL, @rmtuser sysname = NULL,
    @rmtpassword sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_addlinkedsrvlogin');
        RETURN 1;
    END;
    IF ISNULL(HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER ANY LOGIN'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @rmtsrvname IS NULL OR NOT EXISTS (SELECT * FROM sys.servers WHERE name = @rmtsrvname)
    BEGIN
        RAISERROR(15015, -1, -1, @rmtsrvname);
        RETURN 1;
    END;
    IF LOWER(@useself) NOT IN ('true', 'false')
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.sp_addlinkedsrvlogin');
        RETURN 1;
    END;
    IF @locallogin IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @locallogin AND type IN ('S', 'U', 'G'))
    BEGIN
        RAISERROR(15007, -1, -1, @locallogin);
        RETURN 1;
    END;
    RAISERROR(40517, 16, 1, 'A login of a linked server');
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_droplinkedsrvlogin @rmtsrvname sysname, @locallogin sysname
AS
BEGIN
    SET NOCOUNT ON;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_droplinkedsrvlogin');
        RETURN 1;
    END;
    IF ISNULL(HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER ANY LOGIN'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @rmtsrvname IS NULL OR NOT EXISTS (SELECT * FROM sys.servers WHERE name = @rmtsrvname)
    BEGIN
        RAISERROR(15015, -1, -1, @rmtsrvname);
        RETURN 1;
    END;
    IF @locallogin IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @locallogin AND type IN ('S', 'U', 'G'))
    BEGIN
        RAISERROR(15007, -1, -1, @locallogin);
        RETURN 1;
    END;
    -- This server has no mappings: sys.linked_logins is empty.
    RAISERROR(15185, 16, 1, '(null)', @locallogin, @rmtsrvname);
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_helplinkedsrvlogin @rmtsrvname sysname = NULL, @locallogin sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @rmtsrvname IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.servers WHERE name = @rmtsrvname)
    BEGIN
        RAISERROR(15015, -1, -1, @rmtsrvname);
        RETURN 1;
    END;
    IF @locallogin IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @locallogin AND type IN ('S', 'U', 'G'))
    BEGIN
        RAISERROR(15007, -1, -1, @locallogin);
        RETURN 1;
    END;
    SELECT CAST(s.name AS nvarchar(128)) AS [Linked Server],
        CAST(p.name AS nvarchar(128)) AS [Local Login],
        CAST(l.uses_self_credential AS smallint) AS [Is Self Mapping],
        CAST(l.remote_name AS nvarchar(128)) AS [Remote Login]
    FROM sys.linked_logins AS l
    JOIN sys.servers AS s ON s.server_id = l.server_id
    LEFT JOIN sys.server_principals AS p ON p.principal_id = l.local_principal_id
    WHERE (@rmtsrvname IS NULL OR s.name = @rmtsrvname) AND (@locallogin IS NULL OR p.name = @locallogin)
    ORDER BY s.name, p.name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_helpremotelogin @remoteserver sysname = NULL, @remotename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @remoteserver IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.servers WHERE name = @remoteserver)
    BEGIN
        RAISERROR(15015, -1, -1, @remoteserver);
        RETURN 1;
    END;
    IF NOT EXISTS (SELECT * FROM sys.remote_logins AS l
        JOIN sys.servers AS s ON s.server_id = l.server_id
        WHERE (@remoteserver IS NULL OR s.name = @remoteserver) AND (@remotename IS NULL OR l.remote_name = @remotename))
    BEGIN
        IF @remoteserver IS NULL AND @remotename IS NULL
            RAISERROR(15202, 16, 1);
        ELSE IF @remotename IS NULL
            RAISERROR(15201, 16, 1, @remoteserver);
        ELSE IF @remoteserver IS NULL
            RAISERROR(15203, 16, 1, @remotename);
        ELSE
            RAISERROR(15204, 16, 1, @remotename, @remoteserver);
        RETURN 1;
    END;
    SELECT CAST(s.name AS nvarchar(128)) AS server,
        CAST(p.name AS nvarchar(128)) AS local_user_name,
        CAST(l.remote_name AS nvarchar(128)) AS remote_user_name,
        CAST(N'' AS nvarchar(128)) AS options
    FROM sys.remote_logins AS l
    JOIN sys.servers AS s ON s.server_id = l.server_id
    LEFT JOIN sys.server_principals AS p ON p.principal_id = l.local_principal_id
    WHERE (@remoteserver IS NULL OR s.name = @remoteserver) AND (@remotename IS NULL OR l.remote_name = @remotename)
    ORDER BY s.name, l.remote_name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_addremotelogin @remoteserver sysname, @loginame sysname = NULL, @remotename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_addremotelogin');
        RETURN 1;
    END;
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0 AND ISNULL(IS_SRVROLEMEMBER('securityadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @loginame IS NULL AND @remotename IS NOT NULL
    BEGIN
        RAISERROR(15072, 16, 1);
        RETURN 1;
    END;
    IF @remoteserver IS NULL OR NOT EXISTS (SELECT * FROM sys.servers WHERE name = @remoteserver)
    BEGIN
        RAISERROR(15015, -1, -1, @remoteserver);
        RETURN 1;
    END;
    IF @loginame IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @loginame AND type IN ('S', 'U', 'G'))
    BEGIN
        RAISERROR(15007, -1, -1, @loginame);
        RETURN 1;
    END;
    RAISERROR(40517, 16, 1, 'A login of a remote server');
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_dropremotelogin @remoteserver sysname, @loginame sysname = NULL, @remotename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_dropremotelogin');
        RETURN 1;
    END;
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0 AND ISNULL(IS_SRVROLEMEMBER('securityadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @remoteserver IS NULL OR NOT EXISTS (SELECT * FROM sys.servers WHERE name = @remoteserver)
    BEGIN
        RAISERROR(15015, -1, -1, @remoteserver);
        RETURN 1;
    END;
    IF @loginame IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @loginame AND type IN ('S', 'U', 'G'))
    BEGIN
        RAISERROR(15007, -1, -1, @loginame);
        RETURN 1;
    END;
    -- This server has no remote logins: sys.remote_logins is empty.
    RAISERROR(15185, 16, 1, @remotename, @loginame, @remoteserver);
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_remoteoption
    @remoteserver sysname = NULL, @loginame sysname = NULL, @remotename sysname = NULL, @optname varchar(35) = NULL,
    @optvalue varchar(10) = NULL
AS
BEGIN
    -- It changes nothing any more, whatever it is asked: documented.
    SET NOCOUNT ON;
    RAISERROR(15207, 16, 1);
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_testlinkedserver @servername sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(600) = QUOTENAME(@servername) + N'.master.sys.sp_executesql';
    IF @servername IS NULL OR DATALENGTH(@servername) = 0
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    EXEC @call N'DECLARE @connected bit';
    IF @@ERROR <> 0
        RETURN 1;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_catalogs @server_name sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(600) = QUOTENAME(@server_name) + N'.master.sys.sp_executesql';
    IF @server_name IS NULL OR DATALENGTH(@server_name) = 0
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    EXEC @call N'
        SELECT CAST(name AS nvarchar(128)) AS CATALOG_NAME, CAST(NULL AS nvarchar(4000)) AS DESCRIPTION
        FROM sys.databases
        WHERE HAS_DBACCESS(name) = 1
        ORDER BY name';
END
GO
CREATE PROCEDURE sys.sp_tables_ex
    @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL,
    @table_type sysname = NULL, @fUsePattern bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(600) = QUOTENAME(@table_server) + N'.' + QUOTENAME(ISNULL(@table_catalog, DB_NAME())) + N'.sys.sp_tables';
    DECLARE @types varchar(200) = '''' + @table_type + '''';
    IF @table_server IS NULL OR DATALENGTH(@table_server) = 0
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    EXEC @call @table_name, @table_schema, @table_catalog, @types, @fUsePattern
        WITH RESULT SETS ((TABLE_CAT nvarchar(128), TABLE_SCHEM nvarchar(128), TABLE_NAME nvarchar(128), TABLE_TYPE varchar(32),
            REMARKS varchar(254)));
END
GO
CREATE PROCEDURE sys.sp_columns_ex
    @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL,
    @column_name sysname = NULL, @ODBCVer int = 2
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(600) = QUOTENAME(@table_server) + N'.' + QUOTENAME(ISNULL(@table_catalog, DB_NAME())) + N'.sys.sp_columns';
    IF @table_server IS NULL OR DATALENGTH(@table_server) = 0
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    SET @table_name = ISNULL(@table_name, N'%');
    EXEC @call @table_name, @table_schema, @table_catalog, @column_name, @ODBCVer
        WITH RESULT SETS ((TABLE_CAT nvarchar(128), TABLE_SCHEM nvarchar(128), TABLE_NAME nvarchar(128), COLUMN_NAME nvarchar(128),
            DATA_TYPE smallint, TYPE_NAME nvarchar(128), COLUMN_SIZE int, BUFFER_LENGTH int, DECIMAL_DIGITS smallint,
            NUM_PREC_RADIX smallint, NULLABLE smallint, REMARKS varchar(254), COLUMN_DEF nvarchar(4000), SQL_DATA_TYPE smallint,
            SQL_DATETIME_SUB smallint, CHAR_OCTET_LENGTH int, ORDINAL_POSITION int, IS_NULLABLE varchar(254),
            SS_DATA_TYPE tinyint));
END
GO
CREATE PROCEDURE sys.sp_table_privileges_ex
    @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL,
    @fUsePattern bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(600) = QUOTENAME(@table_server) + N'.' + QUOTENAME(ISNULL(@table_catalog, DB_NAME()))
        + N'.sys.sp_table_privileges';
    IF @table_server IS NULL OR DATALENGTH(@table_server) = 0
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    IF @table_name IS NULL
        SELECT @table_name = N'%', @fUsePattern = 1;
    EXEC @call @table_name, @table_schema, @table_catalog, @fUsePattern
        WITH RESULT SETS ((TABLE_CAT nvarchar(128), TABLE_SCHEM nvarchar(128), TABLE_NAME nvarchar(128), GRANTOR nvarchar(128),
            GRANTEE nvarchar(128), PRIVILEGE varchar(32), IS_GRANTABLE varchar(3)));
END
GO
CREATE PROCEDURE sys.sp_column_privileges_ex
    @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL,
    @column_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(600) = QUOTENAME(@table_server) + N'.' + QUOTENAME(ISNULL(@table_catalog, DB_NAME()))
        + N'.sys.sp_column_privileges';
    IF @table_server IS NULL OR DATALENGTH(@table_server) = 0
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    IF @table_name IS NULL
    BEGIN
        RAISERROR(40517, 16, 1, 'sp_column_privileges_ex without @table_name');
        RETURN 1;
    END;
    EXEC @call @table_name, @table_schema, @table_catalog, @column_name
        WITH RESULT SETS ((TABLE_CAT nvarchar(128), TABLE_SCHEM nvarchar(128), TABLE_NAME nvarchar(128), COLUMN_NAME nvarchar(128),
            GRANTOR nvarchar(128), GRANTEE nvarchar(128), PRIVILEGE varchar(32), IS_GRANTABLE varchar(3)));
END
GO
CREATE PROCEDURE sys.sp_primarykeys
    @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(600) = QUOTENAME(@table_server) + N'.' + QUOTENAME(ISNULL(@table_catalog, DB_NAME()))
        + N'.sys.sp_executesql';
    IF @table_server IS NULL OR DATALENGTH(@table_server) = 0
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    EXEC @call N'
        SELECT CAST(DB_NAME() AS nvarchar(128)) AS TABLE_CAT,
            CAST(s.name AS nvarchar(128)) AS TABLE_SCHEM,
            CAST(t.name AS nvarchar(128)) AS TABLE_NAME,
            CAST(c.name AS nvarchar(128)) AS COLUMN_NAME,
            CAST(ic.key_ordinal AS int) AS KEY_SEQ,
            CAST(k.name AS nvarchar(128)) AS PK_NAME
        FROM sys.key_constraints AS k
        JOIN sys.tables AS t ON t.object_id = k.parent_object_id
        JOIN sys.schemas AS s ON s.schema_id = t.schema_id
        JOIN sys.index_columns AS ic ON ic.object_id = k.parent_object_id AND ic.index_id = k.unique_index_id
        JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
        WHERE k.type = ''PK'' AND ic.key_ordinal > 0
            AND (@table_name IS NULL OR t.name = @table_name) AND (@table_schema IS NULL OR s.name = @table_schema)
        ORDER BY s.name, t.name, ic.key_ordinal',
        N'@table_name sysname, @table_schema sysname', @table_name, @table_schema;
END
GO
CREATE PROCEDURE sys.sp_foreignkeys
    @table_server sysname, @pktab_name sysname = NULL, @pktab_schema sysname = NULL, @pktab_catalog sysname = NULL,
    @fktab_name sysname = NULL, @fktab_schema sysname = NULL, @fktab_catalog sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(600) = QUOTENAME(@table_server) + N'.'
        + QUOTENAME(COALESCE(@fktab_catalog, @pktab_catalog, DB_NAME())) + N'.sys.sp_executesql';
    IF @table_server IS NULL OR DATALENGTH(@table_server) = 0
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    -- A foreign key and what it references are always in one database: two different catalogs have none.
    EXEC @call N'
        SELECT CAST(DB_NAME() AS nvarchar(128)) AS PKTABLE_CAT,
            CAST(ps.name AS nvarchar(128)) AS PKTABLE_SCHEM,
            CAST(pt.name AS nvarchar(128)) AS PKTABLE_NAME,
            CAST(pc.name AS nvarchar(128)) AS PKCOLUMN_NAME,
            CAST(DB_NAME() AS nvarchar(128)) AS FKTABLE_CAT,
            CAST(fs.name AS nvarchar(128)) AS FKTABLE_SCHEM,
            CAST(ft.name AS nvarchar(128)) AS FKTABLE_NAME,
            CAST(fc.name AS nvarchar(128)) AS FKCOLUMN_NAME,
            CAST(c.constraint_column_id AS smallint) AS KEY_SEQ,
            CAST(CASE k.update_referential_action WHEN 1 THEN 0 WHEN 0 THEN 1 WHEN 2 THEN 2 ELSE 3 END AS smallint) AS UPDATE_RULE,
            CAST(CASE k.delete_referential_action WHEN 1 THEN 0 WHEN 0 THEN 1 WHEN 2 THEN 2 ELSE 3 END AS smallint) AS DELETE_RULE,
            CAST(k.name AS nvarchar(128)) AS FK_NAME,
            CAST(pk.name AS nvarchar(128)) AS PK_NAME,
            CAST(NULL AS smallint) AS DEFERRABILITY
        FROM sys.foreign_keys AS k
        JOIN sys.foreign_key_columns AS c ON c.constraint_object_id = k.object_id
        JOIN sys.tables AS pt ON pt.object_id = k.referenced_object_id
        JOIN sys.schemas AS ps ON ps.schema_id = pt.schema_id
        JOIN sys.columns AS pc ON pc.object_id = c.referenced_object_id AND pc.column_id = c.referenced_column_id
        JOIN sys.tables AS ft ON ft.object_id = k.parent_object_id
        JOIN sys.schemas AS fs ON fs.schema_id = ft.schema_id
        JOIN sys.columns AS fc ON fc.object_id = c.parent_object_id AND fc.column_id = c.parent_column_id
        LEFT JOIN sys.indexes AS pk ON pk.object_id = k.referenced_object_id AND pk.index_id = k.key_index_id
        WHERE (@pktab_name IS NULL OR pt.name = @pktab_name) AND (@pktab_schema IS NULL OR ps.name = @pktab_schema)
            AND (@pktab_catalog IS NULL OR DB_ID(@pktab_catalog) = DB_ID())
            AND (@fktab_name IS NULL OR ft.name = @fktab_name) AND (@fktab_schema IS NULL OR fs.name = @fktab_schema)
        ORDER BY fs.name, ft.name, k.name, c.constraint_column_id',
        N'@pktab_name sysname, @pktab_schema sysname, @pktab_catalog sysname, @fktab_name sysname, @fktab_schema sysname',
        @pktab_name, @pktab_schema, @pktab_catalog, @fktab_name, @fktab_schema;
END
GO
CREATE PROCEDURE sys.sp_indexes
    @table_server sysname, @table_name sysname = NULL, @table_schema sysname = NULL, @table_catalog sysname = NULL,
    @index_name sysname = NULL, @is_unique bit = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @call nvarchar(600) = QUOTENAME(@table_server) + N'.' + QUOTENAME(ISNULL(@table_catalog, N'master'))
        + N'.sys.sp_executesql';
    IF @table_server IS NULL OR DATALENGTH(@table_server) = 0
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    EXEC @call N'
        SELECT CAST(DB_NAME() AS nvarchar(128)) AS TABLE_CAT,
            CAST(s.name AS nvarchar(128)) AS TABLE_SCHEM,
            CAST(t.name AS nvarchar(128)) AS TABLE_NAME,
            CAST(CASE i.is_unique WHEN 1 THEN 0 ELSE 1 END AS smallint) AS NON_UNIQUE,
            CAST(t.name AS nvarchar(128)) AS INDEX_QUALIFIER,
            CAST(i.name AS nvarchar(128)) AS INDEX_NAME,
            CAST(CASE i.type WHEN 1 THEN 1 WHEN 5 THEN 1 WHEN 7 THEN 2 ELSE 3 END AS smallint) AS TYPE,
            CAST(ic.key_ordinal AS int) AS ORDINAL_POSITION,
            CAST(c.name AS nvarchar(128)) AS COLUMN_NAME,
            CAST(''A'' AS varchar(1)) AS ASC_OR_DESC,
            CAST(p.row_count AS int) AS CARDINALITY,
            CAST(p.pages AS int) AS PAGES,
            CAST(NULL AS nvarchar(4000)) AS FILTER_CONDITION
        FROM sys.indexes AS i
        JOIN sys.tables AS t ON t.object_id = i.object_id
        JOIN sys.schemas AS s ON s.schema_id = t.schema_id
        JOIN sys.index_columns AS ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id
        JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
        LEFT JOIN (SELECT object_id, index_id, SUM(row_count) AS row_count, SUM(used_page_count) AS pages
            FROM sys.dm_db_partition_stats
            GROUP BY object_id, index_id) AS p ON p.object_id = i.object_id AND p.index_id = i.index_id
        WHERE i.index_id > 0 AND ic.key_ordinal > 0
            AND (@table_name IS NULL OR t.name = @table_name) AND (@table_schema IS NULL OR s.name = @table_schema)
            AND (@index_name IS NULL OR i.name = @index_name) AND (@is_unique IS NULL OR i.is_unique = @is_unique)
        ORDER BY s.name, t.name, i.index_id, ic.key_ordinal',
        N'@table_name sysname, @table_schema sysname, @index_name sysname, @is_unique bit',
        @table_name, @table_schema, @index_name, @is_unique;
END
GO
