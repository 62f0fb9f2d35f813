-- What tools of management ask of the machine that a server runs on: its name, its media, its providers, its processors.
CREATE PROCEDURE sys.xp_getnetname @netname nvarchar(255) = NULL OUTPUT, @fully_qualified int = 0
AS
BEGIN
    SET NOCOUNT ON;
    SET @netname = CAST(SERVERPROPERTY('MachineName') AS nvarchar(255));
    RETURN 0;
END
GO
-- Features of an edition by their numbers: 0 says that it is not there.
CREATE PROCEDURE sys.xp_qv @feature nvarchar(64), @instance sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    RETURN 0;
END
GO
-- The drives that files may be put on, with the lower and the upper half of their free bytes; type 2 is a fixed drive.
CREATE PROCEDURE sys.xp_availablemedia @type int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF ISNULL(HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    SELECT CAST(fixed_drive_path AS nvarchar(512)) AS name,
        CAST(CAST(free_space_in_bytes % 4294967296 AS binary(4)) AS int) AS [low free],
        CAST(free_space_in_bytes / 4294967296 AS int) AS [high free],
        CAST(2 AS int) AS [media type]
    FROM sys.dm_os_enumerate_fixed_drives
    WHERE @type IS NULL OR @type & 2 = 2
    ORDER BY fixed_drive_path;
    RETURN 0;
END
GO
-- There are no tapes.
CREATE PROCEDURE sys.xp_get_tape_devices
AS
BEGIN
    SET NOCOUNT ON;
    SELECT CAST(NULL AS nvarchar(512)) AS name
    WHERE 1 = 0;
    RETURN 0;
END
GO
-- There are no OLE DB providers: statements reach no other server.
CREATE PROCEDURE sys.xp_enum_oledb_providers
AS
BEGIN
    SET NOCOUNT ON;
    SELECT CAST(NULL AS nvarchar(255)) AS [Provider Name], CAST(NULL AS nvarchar(255)) AS [Parse Name],
        CAST(NULL AS nvarchar(255)) AS [Provider Description]
    WHERE 1 = 0;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_enum_oledb_providers
AS
BEGIN
    EXEC sys.xp_enum_oledb_providers;
    RETURN 0;
END
GO
-- The share of the processors that the server has taken since it started, in percent of one of them.
CREATE PROCEDURE sys.sp_getProcessorUsage
AS
BEGIN
    SET NOCOUNT ON;
    SELECT CAST(100.0 * (process_kernel_time_ms + process_user_time_ms)
        / NULLIF(ms_ticks - sqlserver_start_time_ms_ticks, 0) AS int) AS processor_usage
    FROM sys.dm_os_sys_info;
    RETURN 0;
END
