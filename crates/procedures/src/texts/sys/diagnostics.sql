-- How the server is, and what a text asks for.
CREATE PROCEDURE sys.sp_server_diagnostics @repeat_interval int = 0
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @now datetime = GETDATE(), @suspect int, @low int, @blocked int, @slow bigint;
    DECLARE @system xml, @resource xml, @queries xml, @io xml;
    IF HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') = 0
    BEGIN
        -- Refused by the first view.
        SELECT @low = COUNT(*) FROM sys.dm_os_process_memory;
        RETURN 1;
    END;
    IF @repeat_interval <> 0
    BEGIN
        RAISERROR(40517, 16, 1, 'sp_server_diagnostics that repeats itself');
        RETURN 1;
    END;
    -- The server is unwell where a database cannot be used, its memory runs out, or statements wait for each other.
    SELECT @suspect = COUNT(*) FROM sys.databases WHERE state_desc IN (N'SUSPECT', N'RECOVERY_PENDING');
    SELECT @low = COUNT(*) FROM sys.dm_os_process_memory WHERE process_physical_memory_low = 1 OR process_virtual_memory_low = 1;
    SELECT @blocked = COUNT(*) FROM sys.dm_exec_requests WHERE blocking_session_id <> 0;
    SELECT @slow = COUNT(*) FROM sys.dm_io_virtual_file_stats(NULL, NULL) AS f
    WHERE f.num_of_reads + f.num_of_writes > 0 AND f.io_stall / (f.num_of_reads + f.num_of_writes) > 1000;
    SET @system = (SELECT (SELECT COUNT(*) FROM msdb.dbo.suspect_pages) AS [@BadPagesDetected],
            0 AS [@BadPagesFixed], m.page_fault_count AS [@pageFaults], @suspect AS [@databasesNotUsable],
            (SELECT SUM(wait_time_ms) FROM sys.dm_os_latch_stats) AS [@latchWaitTimeMs]
        FROM sys.dm_os_process_memory AS m FOR XML PATH('system'), TYPE);
    SET @resource = (SELECT CASE @low WHEN 0 THEN 'RESOURCE_MEMPHYSICAL_HIGH' ELSE 'RESOURCE_MEMPHYSICAL_LOW' END AS [@lastNotification],
            (SELECT e.name AS [@description], e.value AS [@value]
            FROM (SELECT 'Working Set' AS name, physical_memory_in_use_kb * 1024 AS value FROM sys.dm_os_process_memory
                UNION ALL SELECT 'Available Physical Memory', available_physical_memory_kb * 1024 FROM sys.dm_os_sys_memory
                UNION ALL SELECT 'Available Paging File', available_page_file_kb * 1024 FROM sys.dm_os_sys_memory) AS e
            FOR XML PATH('entry'), ROOT('memoryReport'), TYPE)
        FOR XML PATH('resource'), TYPE);
    SET @queries = (SELECT i.max_workers_count AS [@maxWorkers],
            (SELECT COUNT(*) FROM sys.dm_os_workers) AS [@workersCreated],
            (SELECT COUNT(*) FROM sys.dm_os_tasks) AS [@tasksRunning], @blocked AS [@tasksBlocked],
            (SELECT TOP (10) w.wait_type AS [@waitType], w.waiting_tasks_count AS [@waits],
                w.wait_time_ms / w.waiting_tasks_count AS [@averageWaitTime], w.max_wait_time_ms AS [@maxWaitTime]
            FROM sys.dm_os_wait_stats AS w WHERE w.waiting_tasks_count > 0 AND w.wait_type NOT LIKE N'PREEMPTIVE%'
            ORDER BY w.wait_time_ms DESC, w.wait_type
            FOR XML PATH('wait'), ROOT('byDuration'), TYPE) AS [topWaits/nonPreemptive]
        FROM sys.dm_os_sys_info AS i FOR XML PATH('queryProcessing'), TYPE);
    SET @io = (SELECT 0 AS [@ioLatchTimeouts], @slow AS [@filesSlow] FOR XML PATH('ioSubsystem'), TYPE);
    SELECT @now AS create_time,
        CAST(N'instance' AS sysname) AS component_type,
        CAST(c.component_name AS sysname) AS component_name,
        CAST(c.state AS int) AS state,
        CAST(CHOOSE(c.state + 1, N'unknown', N'clean', N'warning', N'error') AS sysname) AS state_desc,
        CAST(c.data AS varchar(max)) AS data
    FROM (VALUES (1, N'system', CASE @suspect WHEN 0 THEN 1 ELSE 3 END, CAST(@system AS nvarchar(max))),
        (2, N'resource', CASE @low WHEN 0 THEN 1 ELSE 2 END, CAST(@resource AS nvarchar(max))),
        (3, N'query_processing', CASE @blocked WHEN 0 THEN 1 ELSE 2 END, CAST(@queries AS nvarchar(max))),
        (4, N'io_subsystem', CASE @slow WHEN 0 THEN 1 ELSE 2 END, CAST(@io AS nvarchar(max))),
        (5, N'events', 0, N'<events/>')) AS c (place, component_name, state, data)
    ORDER BY c.place;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_batch_params @tsqlbatch nvarchar(max) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @found TABLE (parameter_ordinal int, name sysname, suggested_system_type_id int, suggested_system_type_name nvarchar(256),
        suggested_max_length smallint, suggested_precision tinyint, suggested_scale tinyint, suggested_user_type_id int,
        suggested_user_type_database sysname NULL, suggested_user_type_schema sysname NULL, suggested_user_type_name sysname NULL,
        suggested_assembly_qualified_type_name nvarchar(4000) NULL, suggested_xml_collection_id int NULL,
        suggested_xml_collection_database sysname NULL, suggested_xml_collection_schema sysname NULL,
        suggested_xml_collection_name sysname NULL, suggested_is_xml_document bit, suggested_is_case_sensitive bit,
        suggested_is_fixed_length_clr_type bit, suggested_is_input bit, suggested_is_output bit, formal_parameter_name sysname NULL,
        suggested_tds_type_id int, suggested_tds_length int);
    IF @tsqlbatch IS NOT NULL
        INSERT @found EXEC sys.sp_describe_undeclared_parameters @tsqlbatch;
    SELECT CAST(name AS sysname) AS PARAMETER_NAME,
        CAST(0 AS smallint) AS COLUMN_TYPE,
        CAST(NULL AS smallint) AS DATA_TYPE,
        CAST(NULL AS sysname) AS TYPE_NAME,
        CAST(NULL AS int) AS PRECISION,
        CAST(NULL AS int) AS LENGTH,
        CAST(NULL AS smallint) AS SCALE,
        CAST(NULL AS smallint) AS RADIX,
        CAST(NULL AS smallint) AS NULLABLE,
        CAST(NULL AS smallint) AS SQL_DATA_TYPE,
        CAST(NULL AS smallint) AS SQL_DATETIME_SUB,
        CAST(NULL AS int) AS CHAR_OCTET_LENGTH,
        CAST(parameter_ordinal AS int) AS ORDINAL_POSITION
    FROM @found
    ORDER BY parameter_ordinal;
    RETURN 0;
END
GO
-- What the Agent does with alerts that no operator takes: nothing of it is kept, so all is as it is at first.
CREATE PROCEDURE sys.sp_MSgetalertinfo @includeaddresses bit = 0
AS
BEGIN
    SET NOCOUNT ON;
    IF IS_SRVROLEMEMBER('sysadmin') = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    SELECT CAST(NULL AS nvarchar(255)) AS AlertFailSafeOperator,
        CAST(0 AS int) AS AlertNotificationMethod,
        CAST(NULL AS nvarchar(255)) AS AlertForwardingServer,
        CAST(1 AS int) AS AlertForwardingSeverity,
        CAST(0 AS int) AS AlertForwardAlways,
        CAST(NULL AS nvarchar(255)) AS AlertPagerToTemplate,
        CAST(NULL AS nvarchar(255)) AS AlertPagerCCTemplate,
        CAST(NULL AS nvarchar(255)) AS AlertPagerSubjectTemplate,
        CAST(1 AS int) AS AlertPagerSendSubjectOnly;
    RETURN 0;
END
GO
