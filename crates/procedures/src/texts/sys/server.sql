-- Procedures about the server itself: its names, options, sort order, statistics and locks.
CREATE PROCEDURE sys.sp_helpserver @server sysname = NULL, @optname varchar(35) = NULL, @show_topology varchar(1) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @options TABLE (position int, name varchar(70), server_id int);
    IF @server IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.servers WHERE name = @server)
    BEGIN
        RAISERROR(15015, -1, -1, @server);
        RETURN 1;
    END;
    IF @optname IS NOT NULL AND LOWER(@optname) NOT IN ('collation compatible', 'data access', 'dist', 'dpub',
        'lazy schema validation', 'pub', 'rpc', 'rpc out', 'sub', 'system', 'use remote collation')
    BEGIN
        RAISERROR(15206, 16, 1, @optname);
        RETURN 1;
    END;
    INSERT @options
    SELECT o.position, o.name, s.server_id
    FROM sys.servers AS s
    CROSS APPLY (VALUES (1, 'rpc', s.is_remote_login_enabled), (2, 'pub', s.is_publisher), (3, 'sub', s.is_subscriber),
            (4, 'dist', s.is_distributor), (5, 'dpub', CAST(0 AS bit)), (6, 'rpc out', s.is_rpc_out_enabled),
            (7, 'data access', s.is_data_access_enabled), (8, 'collation compatible', s.is_collation_compatible),
            (9, 'system', s.is_system), (10, 'use remote collation', s.uses_remote_collation),
            (11, 'lazy schema validation', s.lazy_schema_validation)) AS o (position, name, is_on)
    WHERE o.is_on = 1;
    IF LOWER(@show_topology) = 't'
        SELECT CAST(s.name AS nvarchar(128)) AS name,
            CAST(s.data_source AS nvarchar(128)) AS network_name,
            CAST(ISNULL((SELECT STRING_AGG(o.name, ',') WITHIN GROUP (ORDER BY o.position) FROM @options AS o
                WHERE o.server_id = s.server_id), '') AS varchar(70)) AS status,
            CAST(s.server_id AS char(4)) AS id,
            CAST(s.collation_name AS nvarchar(128)) AS collation_name,
            CAST(s.connect_timeout AS int) AS connect_timeout,
            CAST(s.query_timeout AS int) AS query_timeout,
            CAST(y.topologyx AS int) AS topx,
            CAST(y.topologyy AS int) AS topy
        FROM sys.servers AS s
        JOIN sys.sysservers AS y ON y.srvid = s.server_id
        WHERE (@server IS NULL OR s.name = @server)
            AND (@optname IS NULL OR EXISTS (SELECT * FROM @options AS o WHERE o.server_id = s.server_id AND o.name = @optname))
        ORDER BY s.name;
    ELSE
        SELECT CAST(s.name AS nvarchar(128)) AS name,
            CAST(s.data_source AS nvarchar(128)) AS network_name,
            CAST(ISNULL((SELECT STRING_AGG(o.name, ',') WITHIN GROUP (ORDER BY o.position) FROM @options AS o
                WHERE o.server_id = s.server_id), '') AS varchar(70)) AS status,
            CAST(s.server_id AS char(4)) AS id,
            CAST(s.collation_name AS nvarchar(128)) AS collation_name,
            CAST(s.connect_timeout AS int) AS connect_timeout,
            CAST(s.query_timeout AS int) AS query_timeout
        FROM sys.servers AS s
        WHERE (@server IS NULL OR s.name = @server)
            AND (@optname IS NULL OR EXISTS (SELECT * FROM @options AS o WHERE o.server_id = s.server_id AND o.name = @optname))
        ORDER BY s.name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_linkedservers
AS
BEGIN
    SET NOCOUNT ON;
    SELECT CAST(name AS nvarchar(128)) AS SRV_NAME,
        CAST(provider AS nvarchar(128)) AS SRV_PROVIDERNAME,
        CAST(product AS nvarchar(128)) AS SRV_PRODUCT,
        CAST(data_source AS nvarchar(4000)) AS SRV_DATASOURCE,
        CAST(provider_string AS nvarchar(4000)) AS SRV_PROVIDERSTRING,
        CAST(location AS nvarchar(4000)) AS SRV_LOCATION,
        CAST(catalog AS nvarchar(128)) AS SRV_CAT
    FROM sys.servers
    ORDER BY name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_addserver @server sysname, @local varchar(10) = NULL, @duplicate_ok varchar(13) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_addserver');
        RETURN 1;
    END;
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0 AND ISNULL(IS_SRVROLEMEMBER('setupadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF LOWER(@local) <> 'local' OR LOWER(@duplicate_ok) <> 'duplicate_ok'
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.sp_addserver');
        RETURN 1;
    END;
    IF @server IS NULL
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    IF DATALENGTH(@server) = 0 OR CHARINDEX(N' ', @server) > 0
    BEGIN
        RAISERROR(15006, -1, -1, @server);
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM sys.servers WHERE name = @server)
    BEGIN
        IF @duplicate_ok IS NOT NULL
            RETURN 0;
        RAISERROR(15028, 16, 1, @server);
        RETURN 1;
    END;
    IF @local IS NULL
        RAISERROR(40517, 16, 1, 'A remote server');
    ELSE
        RAISERROR(40517, 16, 1, 'Changing the name of the local server');
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_serveroption @server sysname, @optname varchar(35), @optvalue nvarchar(128)
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @asked nvarchar(200);
    IF ISNULL(HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER ANY LINKED SERVER'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @server IS NULL OR NOT EXISTS (SELECT * FROM sys.servers WHERE name = @server)
    BEGIN
        RAISERROR(15015, -1, -1, @server);
        RETURN 1;
    END;
    IF @optname IS NULL OR LOWER(@optname) NOT IN ('collation compatible', 'collation name', 'connect timeout', 'data access', 'dist',
        'lazy schema validation', 'name', 'pub', 'query timeout', 'rpc', 'rpc out', 'sub', 'system', 'use remote collation',
        'remote proc transaction promotion')
    BEGIN
        RAISERROR(15206, 16, 1, @optname);
        RETURN 1;
    END;
    IF LOWER(@optname) IN ('connect timeout', 'query timeout')
    BEGIN
        IF @optvalue IS NULL OR ISNULL(TRY_CAST(@optvalue AS int), -1) < 0
        BEGIN
            RAISERROR(15600, -1, -1, 'sys.sp_serveroption');
            RETURN 1;
        END;
    END;
    ELSE IF LOWER(@optname) NOT IN ('collation name', 'name')
    BEGIN
        IF @optvalue IS NULL OR LOWER(@optvalue) NOT IN ('true', 'on', 'false', 'off')
        BEGIN
            RAISERROR(15600, -1, -1, 'sys.sp_serveroption');
            RETURN 1;
        END;
    END;
    SET @asked = N'Option ''' + LOWER(@optname) + N''' of server ''' + @server + N'''';
    RAISERROR(40517, 16, 1, @asked);
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_setnetname @server sysname, @netname sysname
AS
BEGIN
    SET NOCOUNT ON;
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0 AND ISNULL(IS_SRVROLEMEMBER('setupadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @server IS NULL OR NOT EXISTS (SELECT * FROM sys.servers WHERE name = @server)
    BEGIN
        RAISERROR(15015, -1, -1, @server);
        RETURN 1;
    END;
    IF @netname IS NULL
    BEGIN
        RAISERROR(15004, -1, -1);
        RETURN 1;
    END;
    -- All servers there are, are this one: no linked server, which alone has another network name.
    RAISERROR(15576, 16, 1, @server);
    RETURN 1;
END
GO
CREATE PROCEDURE sys.sp_helpsort
AS
BEGIN
    SET NOCOUNT ON;
    SELECT CAST(description AS nvarchar(1000)) AS [Server default collation]
    FROM sys.fn_helpcollations()
    WHERE name = CAST(SERVERPROPERTY('Collation') AS nvarchar(128));
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_server_info @attribute_id int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @version varchar(30) = CAST(SERVERPROPERTY('ProductVersion') AS varchar(30));
    SELECT CAST(a.id AS int) AS ATTRIBUTE_ID,
        CAST(a.name AS varchar(60)) AS ATTRIBUTE_NAME,
        CAST(a.value AS varchar(255)) AS ATTRIBUTE_VALUE
    FROM (VALUES
        (1, 'DBMS_NAME', 'Microsoft SQL Server'),
        (2, 'DBMS_VER', 'Microsoft SQL Server 2022 - ' + @version),
        (10, 'OWNER_TERM', 'owner'),
        (11, 'TABLE_TERM', 'table'),
        (12, 'MAX_OWNER_NAME_LENGTH', '128'),
        (13, 'TABLE_LENGTH', '128'),
        (14, 'MAX_QUAL_LENGTH', '128'),
        (15, 'COLUMN_LENGTH', '128'),
        (16, 'IDENTIFIER_CASE', CASE WHEN N'a' = N'A' THEN 'MIXED' ELSE 'SENSITIVE' END),
        (17, 'TX_ISOLATION', '2'),
        (18, 'COLLATION_SEQ', 'charset=' + ISNULL(CAST(SERVERPROPERTY('SqlCharSetName') AS varchar(60)), '')
            + ' sort_order=' + ISNULL(CAST(SERVERPROPERTY('SqlSortOrderName') AS varchar(60)), '')
            + ' charset_num=' + ISNULL(CAST(SERVERPROPERTY('SqlCharSet') AS varchar(10)), '')
            + ' sort_order_num=' + ISNULL(CAST(SERVERPROPERTY('SqlSortOrder') AS varchar(10)), '')),
        (19, 'SAVEPOINT_SUPPORT', 'Y'),
        (20, 'MULTI_RESULT_SETS', 'Y'),
        (22, 'ACCESSIBLE_TABLES', 'Y'),
        (100, 'USERID_LENGTH', '128'),
        (101, 'QUALIFIER_TERM', 'database'),
        (102, 'NAMED_TRANSACTIONS', 'Y'),
        (103, 'SPROC_AS_LANGUAGE', 'Y'),
        (104, 'ACCESSIBLE_SPROC', 'Y'),
        (105, 'MAX_INDEX_COLS', '16'),
        (106, 'RENAME_TABLE', 'Y'),
        (107, 'RENAME_COLUMN', 'Y'),
        (108, 'DROP_COLUMN', 'Y'),
        (109, 'INCREASE_COLUMN_LENGTH', 'Y'),
        (110, 'DDL_IN_TRANSACTION', 'Y'),
        (111, 'DESCENDING_INDEXES', 'Y'),
        (112, 'SP_RENAME', 'Y'),
        (113, 'REMOTE_SPROC', 'Y'),
        (500, 'SYS_SPROC_VERSION', RIGHT('0' + PARSENAME(@version, 4), 2) + '.' + RIGHT('0' + PARSENAME(@version, 3), 2) + '.'
            + PARSENAME(@version, 2))
    ) AS a (id, name, value)
    WHERE @attribute_id IS NULL OR a.id = @attribute_id
    ORDER BY a.id;
END
GO
CREATE PROCEDURE sys.sp_monitor
AS
BEGIN
    -- What the counters were at the run before this one is kept in master.dbo.spt_monitor, which the first run makes.
    SET NOCOUNT ON;
    DECLARE @now datetime = GETDATE(), @started datetime, @seconds int, @tick float = @@TIMETICKS / 1000000.0;
    DECLARE @last_run datetime, @cpu_busy int, @io_busy int, @idle int, @pack_received int, @pack_sent int, @pack_errors int,
        @total_read int, @total_write int, @total_errors int, @connections int;
    DECLARE @cpu_now int = @@CPU_BUSY, @io_now int = @@IO_BUSY, @idle_now int = @@IDLE, @received_now int = @@PACK_RECEIVED,
        @sent_now int = @@PACK_SENT, @packet_errors_now int = @@PACKET_ERRORS, @read_now int = @@TOTAL_READ,
        @write_now int = @@TOTAL_WRITE, @errors_now int = @@TOTAL_ERRORS, @connections_now int = @@CONNECTIONS;
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF OBJECT_ID(N'master.dbo.spt_monitor', 'U') IS NULL
    BEGIN
        EXEC master.sys.sp_executesql N'
            CREATE TABLE dbo.spt_monitor
            (
                lastrun datetime NOT NULL, cpu_busy int NOT NULL, io_busy int NOT NULL, idle int NOT NULL,
                pack_received int NOT NULL, pack_sent int NOT NULL, connections int NOT NULL, pack_errors int NOT NULL,
                total_read int NOT NULL, total_write int NOT NULL, total_errors int NOT NULL
            )';
    END;
    SELECT @started = sqlserver_start_time FROM sys.dm_os_sys_info;
    SELECT @last_run = lastrun, @cpu_busy = cpu_busy, @io_busy = io_busy, @idle = idle, @pack_received = pack_received,
        @pack_sent = pack_sent, @connections = connections, @pack_errors = pack_errors, @total_read = total_read,
        @total_write = total_write, @total_errors = total_errors
    FROM master.dbo.spt_monitor;
    -- The counters begin at 0 when the server starts: a run before that says nothing about them.
    IF @last_run IS NULL OR @last_run < @started
        SELECT @last_run = @started, @cpu_busy = 0, @io_busy = 0, @idle = 0, @pack_received = 0, @pack_sent = 0, @connections = 0,
            @pack_errors = 0, @total_read = 0, @total_write = 0, @total_errors = 0;
    SET @seconds = DATEDIFF(second, @last_run, @now);
    SELECT @last_run AS last_run, @now AS current_run, @seconds AS seconds;
    SELECT CAST(s.cpu + '%' AS varchar(25)) AS cpu_busy, CAST(s.io + '%' AS varchar(25)) AS io_busy,
        CAST(s.idle + '%' AS varchar(25)) AS idle
    FROM (SELECT
            CAST(CAST(@cpu_now * @tick AS int) AS varchar(11)) + '(' + CAST(CAST((@cpu_now - @cpu_busy) * @tick AS int) AS varchar(11))
                + ')-' + CAST(CAST(ISNULL((@cpu_now - @cpu_busy) * @tick * 100 / NULLIF(@seconds, 0), 0) AS int) AS varchar(11)) AS cpu,
            CAST(CAST(@io_now * @tick AS int) AS varchar(11)) + '(' + CAST(CAST((@io_now - @io_busy) * @tick AS int) AS varchar(11))
                + ')-' + CAST(CAST(ISNULL((@io_now - @io_busy) * @tick * 100 / NULLIF(@seconds, 0), 0) AS int) AS varchar(11)) AS io,
            CAST(CAST(@idle_now * @tick AS int) AS varchar(11)) + '(' + CAST(CAST((@idle_now - @idle) * @tick AS int) AS varchar(11))
                + ')-' + CAST(CAST(ISNULL((@idle_now - @idle) * @tick * 100 / NULLIF(@seconds, 0), 0) AS int) AS varchar(11)) AS idle
        ) AS s;
    SELECT
        CAST(CONCAT(@received_now, '(', @received_now - @pack_received, ')') AS varchar(25)) AS packets_received,
        CAST(CONCAT(@sent_now, '(', @sent_now - @pack_sent, ')') AS varchar(25)) AS packets_sent,
        CAST(CONCAT(@packet_errors_now, '(', @packet_errors_now - @pack_errors, ')') AS varchar(25)) AS packet_errors;
    SELECT
        CAST(CONCAT(@read_now, '(', @read_now - @total_read, ')') AS varchar(25)) AS total_read,
        CAST(CONCAT(@write_now, '(', @write_now - @total_write, ')') AS varchar(25)) AS total_write,
        CAST(CONCAT(@errors_now, '(', @errors_now - @total_errors, ')') AS varchar(25)) AS total_errors,
        CAST(CONCAT(@connections_now, '(', @connections_now - @connections, ')') AS varchar(25)) AS connections;
    DELETE master.dbo.spt_monitor;
    INSERT master.dbo.spt_monitor (lastrun, cpu_busy, io_busy, idle, pack_received, pack_sent, connections, pack_errors,
        total_read, total_write, total_errors)
    VALUES (@now, @cpu_now, @io_now, @idle_now, @received_now, @sent_now, @connections_now, @packet_errors_now,
        @read_now, @write_now, @errors_now);
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_lock @spid1 int = NULL, @spid2 int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @hobts nvarchar(max), @stmt nvarchar(max);
    IF ISNULL(HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    -- Locks of rows and pages name a heap or B-tree: its object and index are found in the database of the lock.
    SELECT @hobts = ISNULL(@hobts + N' UNION ALL ', N'')
        + N'SELECT ' + CAST(d.database_id AS nvarchar(10)) + N', hobt_id, object_id, index_id FROM ' + QUOTENAME(d.name)
        + N'.sys.partitions'
    FROM sys.databases AS d
    WHERE HAS_DBACCESS(d.name) = 1
        AND EXISTS (SELECT * FROM sys.dm_tran_locks AS l
            WHERE l.resource_database_id = d.database_id AND l.resource_type IN (N'KEY', N'PAGE', N'RID', N'HOBT'));
    SET @hobts = ISNULL(@hobts, N'SELECT CAST(NULL AS int), CAST(NULL AS bigint), CAST(NULL AS int), CAST(NULL AS int)');
    SET @stmt = N'
        SELECT CAST(l.request_session_id AS smallint) AS spid,
            CAST(l.resource_database_id AS smallint) AS dbid,
            CAST(CASE WHEN l.resource_type = N''OBJECT'' THEN l.resource_associated_entity_id
                ELSE ISNULL(h.object_id, 0) END AS int) AS ObjId,
            CAST(ISNULL(h.index_id, 0) AS smallint) AS IndId,
            CAST(CASE l.resource_type WHEN N''DATABASE'' THEN N''DB'' WHEN N''FILE'' THEN N''FIL'' WHEN N''OBJECT'' THEN N''TAB''
                WHEN N''PAGE'' THEN N''PAG'' WHEN N''EXTENT'' THEN N''EXT'' WHEN N''APPLICATION'' THEN N''APP''
                WHEN N''METADATA'' THEN N''MD'' WHEN N''HOBT'' THEN N''HBT'' WHEN N''ALLOCATION_UNIT'' THEN N''AU''
                ELSE l.resource_type END AS nchar(4)) AS [Type],
            CAST(ISNULL(l.resource_description, N'''') AS nchar(32)) AS [Resource],
            CAST(l.request_mode AS nvarchar(8)) AS [Mode],
            CAST(CASE l.request_status WHEN N''CONVERT'' THEN N''CNVRT'' ELSE l.request_status END AS nvarchar(5)) AS [Status]
        FROM sys.dm_tran_locks AS l
        LEFT JOIN (' + @hobts + N') AS h (database_id, hobt_id, object_id, index_id)
            ON h.database_id = l.resource_database_id AND h.hobt_id = l.resource_associated_entity_id
                AND l.resource_type IN (N''KEY'', N''PAGE'', N''RID'', N''HOBT'')
        WHERE @spid1 IS NULL AND @spid2 IS NULL OR l.request_session_id IN (@spid1, @spid2)
        ORDER BY spid, dbid, ObjId, IndId, [Type], [Resource], [Mode]';
    EXEC sys.sp_executesql @stmt, N'@spid1 int, @spid2 int', @spid1, @spid2;
    RETURN 0;
END
GO
