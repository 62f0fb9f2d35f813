-- Procedures about backup devices, as sys.backup_devices has them.
CREATE PROCEDURE sys.sp_helpdevice @devname sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @devname IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.backup_devices WHERE name = @devname)
    BEGIN
        RAISERROR(15012, 16, 1, @devname);
        RETURN 1;
    END;
    SELECT CAST(name AS nvarchar(128)) AS device_name,
        CAST(physical_name AS nvarchar(260)) AS physical_name,
        CAST(CASE type WHEN 5 THEN N'tape' ELSE N'disk' END + N', backup device' AS nvarchar(255)) AS description,
        CAST(16 AS int) AS status,
        CAST(type AS smallint) AS cntrltype,
        CAST(0 AS int) AS size
    FROM sys.backup_devices
    WHERE @devname IS NULL OR name = @devname
    ORDER BY name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_dropdevice @logicalname sysname, @delfile varchar(7) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @@TRANCOUNT > 0
    BEGIN
        RAISERROR(15002, -1, -1, 'sys.sp_dropdevice');
        RETURN 1;
    END;
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0 AND ISNULL(IS_SRVROLEMEMBER('diskadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF LOWER(@delfile) <> 'delfile'
    BEGIN
        RAISERROR(15216, 16, 1, @delfile);
        RETURN 1;
    END;
    IF @logicalname IS NULL OR NOT EXISTS (SELECT * FROM sys.backup_devices WHERE name = @logicalname)
    BEGIN
        RAISERROR(15012, 16, 1, @logicalname);
        RETURN 1;
    END;
    RAISERROR(40517, 16, 1, 'sp_dropdevice of a device');
    RETURN 1;
END
GO
