-- Procedures about rights: what the fixed roles may do, which databases and Windows accounts have access, how logins are checked.
CREATE PROCEDURE sys.sp_srvrolepermission @srvrolename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @srvrolename IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals
        WHERE name = @srvrolename AND type = 'R' AND is_fixed_role = 1 AND name <> N'public')
    BEGIN
        RAISERROR(15412, -1, -1, @srvrolename);
        RETURN 1;
    END;
    SELECT CAST(p.role AS nvarchar(128)) AS ServerRole, CAST(p.permission AS nvarchar(128)) AS Permission
    FROM (VALUES
        (N'bulkadmin', N'Add member to bulkadmin'),
        (N'bulkadmin', N'BULK INSERT'),
        (N'dbcreator', N'Add member to dbcreator'),
        (N'dbcreator', N'ALTER DATABASE'),
        (N'dbcreator', N'CREATE DATABASE'),
        (N'dbcreator', N'DROP DATABASE'),
        (N'dbcreator', N'Extend database'),
        (N'dbcreator', N'RESTORE DATABASE'),
        (N'dbcreator', N'RESTORE LOG'),
        (N'dbcreator', N'sp_renamedb'),
        (N'diskadmin', N'Add member to diskadmin'),
        (N'diskadmin', N'sp_addumpdevice'),
        (N'diskadmin', N'sp_dropdevice'),
        (N'processadmin', N'Add member to processadmin'),
        (N'processadmin', N'KILL'),
        (N'securityadmin', N'Add member to securityadmin'),
        (N'securityadmin', N'Grant/deny/revoke CREATE DATABASE'),
        (N'securityadmin', N'Read the error log'),
        (N'securityadmin', N'sp_addlinkedsrvlogin'),
        (N'securityadmin', N'sp_addlogin'),
        (N'securityadmin', N'sp_defaultdb'),
        (N'securityadmin', N'sp_defaultlanguage'),
        (N'securityadmin', N'sp_denylogin'),
        (N'securityadmin', N'sp_droplinkedsrvlogin'),
        (N'securityadmin', N'sp_droplogin'),
        (N'securityadmin', N'sp_dropremotelogin'),
        (N'securityadmin', N'sp_grantlogin'),
        (N'securityadmin', N'sp_helplogins'),
        (N'securityadmin', N'sp_password'),
        (N'securityadmin', N'sp_remoteoption (update)'),
        (N'securityadmin', N'sp_revokelogin'),
        (N'serveradmin', N'Add member to serveradmin'),
        (N'serveradmin', N'DBCC FREEPROCCACHE'),
        (N'serveradmin', N'RECONFIGURE'),
        (N'serveradmin', N'SHUTDOWN'),
        (N'serveradmin', N'sp_configure'),
        (N'serveradmin', N'sp_fulltext_service'),
        (N'serveradmin', N'sp_tableoption'),
        (N'setupadmin', N'Add member to setupadmin'),
        (N'setupadmin', N'Add/drop/configure linked servers'),
        (N'setupadmin', N'Mark a stored procedure as startup'),
        (N'sysadmin', N'Add member to any fixed server role'),
        (N'sysadmin', N'All DDL in any database'),
        (N'sysadmin', N'All permissions of the other fixed server roles'),
        (N'sysadmin', N'All permissions of the owner in any database'),
        (N'sysadmin', N'Any DBCC command'),
        (N'sysadmin', N'BACKUP and RESTORE of any database'),
        (N'sysadmin', N'GRANT, DENY and REVOKE of any permission'),
        (N'sysadmin', N'Use of any system procedure')
    ) AS p (role, permission)
    WHERE @srvrolename IS NULL OR p.role = @srvrolename
    ORDER BY p.role, p.permission;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_dbfixedrolepermission @rolename sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @rolename IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.database_principals
        WHERE name = @rolename AND type = 'R' AND is_fixed_role = 1)
    BEGIN
        RAISERROR(15412, -1, -1, @rolename);
        RETURN 1;
    END;
    SELECT CAST(p.role AS nvarchar(128)) AS DbFixedRole, CAST(p.permission AS nvarchar(70)) AS Permission
    FROM (VALUES
        (N'db_accessadmin', N'sp_adduser'),
        (N'db_accessadmin', N'sp_dropuser'),
        (N'db_accessadmin', N'sp_grantdbaccess'),
        (N'db_accessadmin', N'sp_revokedbaccess'),
        (N'db_backupoperator', N'BACKUP DATABASE'),
        (N'db_backupoperator', N'BACKUP LOG'),
        (N'db_backupoperator', N'CHECKPOINT'),
        (N'db_datareader', N'SELECT permission on any object'),
        (N'db_datawriter', N'DELETE permission on any object'),
        (N'db_datawriter', N'INSERT permission on any object'),
        (N'db_datawriter', N'UPDATE permission on any object'),
        (N'db_ddladmin', N'All DDL but GRANT, REVOKE, DENY'),
        (N'db_ddladmin', N'DBCC CLEANTABLE'),
        (N'db_ddladmin', N'DBCC SHOW_STATISTICS'),
        (N'db_ddladmin', N'DBCC SHOWCONTIG'),
        (N'db_ddladmin', N'REFERENCES permission on any table'),
        (N'db_ddladmin', N'sp_changeobjectowner'),
        (N'db_ddladmin', N'sp_fulltext_column'),
        (N'db_ddladmin', N'sp_fulltext_table'),
        (N'db_ddladmin', N'sp_recompile'),
        (N'db_ddladmin', N'sp_rename'),
        (N'db_ddladmin', N'sp_tableoption'),
        (N'db_ddladmin', N'TRUNCATE TABLE'),
        (N'db_denydatareader', N'No SELECT permission on any object'),
        (N'db_denydatawriter', N'No DELETE permission on any object'),
        (N'db_denydatawriter', N'No INSERT permission on any object'),
        (N'db_denydatawriter', N'No UPDATE permission on any object'),
        (N'db_owner', N'Add/drop to/from db_accessadmin'),
        (N'db_owner', N'Add/drop to/from db_backupoperator'),
        (N'db_owner', N'Add/drop to/from db_datareader'),
        (N'db_owner', N'Add/drop to/from db_datawriter'),
        (N'db_owner', N'Add/drop to/from db_ddladmin'),
        (N'db_owner', N'Add/drop to/from db_denydatareader'),
        (N'db_owner', N'Add/drop to/from db_denydatawriter'),
        (N'db_owner', N'Add/drop to/from db_owner'),
        (N'db_owner', N'Add/drop to/from db_securityadmin'),
        (N'db_owner', N'All DDL'),
        (N'db_owner', N'All permissions of the other fixed database roles'),
        (N'db_owner', N'ALTER DATABASE'),
        (N'db_owner', N'DBCC CHECKALLOC'),
        (N'db_owner', N'DBCC CHECKDB'),
        (N'db_owner', N'DBCC CHECKFILEGROUP'),
        (N'db_owner', N'DBCC CHECKIDENT'),
        (N'db_owner', N'DBCC CHECKTABLE'),
        (N'db_owner', N'DBCC SHRINKDATABASE'),
        (N'db_owner', N'DBCC SHRINKFILE'),
        (N'db_owner', N'DBCC UPDATEUSAGE'),
        (N'db_owner', N'EXECUTE any procedure'),
        (N'db_owner', N'REFERENCES permission on any table'),
        (N'db_owner', N'RESTORE DATABASE'),
        (N'db_owner', N'RESTORE LOG'),
        (N'db_owner', N'sp_updatestats'),
        (N'db_securityadmin', N'DENY'),
        (N'db_securityadmin', N'GRANT'),
        (N'db_securityadmin', N'REVOKE'),
        (N'db_securityadmin', N'sp_addapprole'),
        (N'db_securityadmin', N'sp_addrole'),
        (N'db_securityadmin', N'sp_addrolemember'),
        (N'db_securityadmin', N'sp_approlepassword'),
        (N'db_securityadmin', N'sp_changeobjectowner'),
        (N'db_securityadmin', N'sp_dropapprole'),
        (N'db_securityadmin', N'sp_droprole'),
        (N'db_securityadmin', N'sp_droprolemember')
    ) AS p (role, permission)
    WHERE @rolename IS NULL OR p.role = @rolename
    ORDER BY p.role, p.permission;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_MShasdbaccess
AS
BEGIN
    SET NOCOUNT ON;
    SELECT CAST(name AS nvarchar(128)) AS dbname, CAST(SUSER_SNAME(owner_sid) AS nvarchar(128)) AS owner
    FROM sys.databases
    WHERE HAS_DBACCESS(name) = 1
    ORDER BY name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_helpntgroup @ntname sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    IF @ntname IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.database_principals WHERE name = @ntname AND type = 'G')
    BEGIN
        RAISERROR(15420, 16, 1, @ntname);
        RETURN 1;
    END;
    SELECT CAST(p.name AS nvarchar(128)) AS NTGroupName,
        CAST(p.principal_id AS smallint) AS NTGroupId,
        CAST(p.sid AS varbinary(85)) AS SID,
        CAST(CASE WHEN EXISTS (SELECT * FROM sys.database_permissions AS c
            WHERE c.grantee_principal_id = p.principal_id AND c.class = 0 AND c.type = 'CO' AND c.state IN ('G', 'W'))
            THEN 1 ELSE 0 END AS int) AS HasDbAccess
    FROM sys.database_principals AS p
    WHERE p.type = 'G' AND (@ntname IS NULL OR p.name = @ntname)
    ORDER BY p.name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.xp_logininfo @acctname sysname = NULL, @option varchar(10) = NULL, @privilege varchar(10) = 'Not wanted' OUTPUT
AS
BEGIN
    -- There are no Windows accounts but those that are logins: a group's members are not known.
    SET NOCOUNT ON;
    IF @option IS NOT NULL AND LOWER(@option) NOT IN ('all', 'members')
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.xp_logininfo');
        RETURN 1;
    END;
    IF @acctname IS NULL AND @option IS NOT NULL
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.xp_logininfo');
        RETURN 1;
    END;
    IF @acctname IS NOT NULL AND CHARINDEX(N'\', @acctname) = 0
    BEGIN
        RAISERROR(15407, -1, -1, @acctname);
        RETURN 1;
    END;
    IF @acctname IS NOT NULL AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @acctname AND type IN ('U', 'G'))
    BEGIN
        RAISERROR(15404, 16, 1, @acctname, 1332);
        RETURN 1;
    END;
    IF LOWER(@option) = 'members'
    BEGIN
        RAISERROR(40517, 16, 1, 'xp_logininfo with ''members''');
        RETURN 1;
    END;
    IF @privilege IS NULL OR @privilege <> 'Not wanted'
    BEGIN
        SET @privilege = CASE WHEN @acctname IS NULL THEN NULL WHEN IS_SRVROLEMEMBER('sysadmin', @acctname) = 1 THEN 'admin'
            ELSE 'user' END;
        RETURN 0;
    END;
    SELECT CAST(p.name AS nvarchar(128)) AS [account name],
        CAST(CASE p.type WHEN 'G' THEN 'group' ELSE 'user' END AS char(8)) AS [type],
        CAST(CASE WHEN IS_SRVROLEMEMBER('sysadmin', p.name) = 1 THEN 'admin' ELSE 'user' END AS char(9)) AS privilege,
        CAST(p.name AS nvarchar(128)) AS [mapped login name],
        CAST(NULL AS nvarchar(128)) AS [permission path]
    FROM sys.server_principals AS p
    WHERE p.type IN ('U', 'G') AND (@acctname IS NULL OR p.name = @acctname)
    ORDER BY p.name;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.xp_enumgroups @domain_name sysname = NULL
AS
BEGIN
    -- The computer has no Windows groups, and is in no domain.
    SET NOCOUNT ON;
    IF ISNULL(IS_SRVROLEMEMBER('sysadmin'), 0) = 0 AND NOT EXISTS (SELECT * FROM master.sys.database_principals AS p
        JOIN master.sys.database_role_members AS m ON m.member_principal_id = p.principal_id
        JOIN master.sys.database_principals AS r ON r.principal_id = m.role_principal_id
        WHERE p.sid = SUSER_SID() AND r.name = N'db_owner')
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @domain_name IS NOT NULL AND @domain_name <> CAST(SERVERPROPERTY('MachineName') AS nvarchar(128))
    BEGIN
        RAISERROR(40517, 16, 1, 'A Windows domain');
        RETURN 1;
    END;
    SELECT CAST(name AS nvarchar(128)) AS [group], CAST(NULL AS nvarchar(128)) AS comment
    FROM sys.server_principals
    WHERE 1 = 0;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.xp_grantlogin @loginame sysname, @logintype varchar(5) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @result int;
    IF @logintype IS NOT NULL AND LOWER(@logintype) <> 'admin'
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.xp_grantlogin');
        RETURN 1;
    END;
    EXEC @result = sys.sp_grantlogin @loginame;
    IF @@ERROR <> 0 OR @result <> 0
        RETURN 1;
    IF @logintype IS NOT NULL
        EXEC @result = sys.sp_addsrvrolemember @loginame, N'sysadmin';
    RETURN ISNULL(@result, 1);
END
GO
CREATE PROCEDURE sys.xp_revokelogin @loginame sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @result int;
    EXEC @result = sys.sp_revokelogin @loginame;
    IF @@ERROR <> 0
        RETURN 1;
    RETURN ISNULL(@result, 1);
END
GO
CREATE PROCEDURE sys.xp_loginconfig @config_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @config TABLE (position int, name nvarchar(128), value nvarchar(128));
    IF ISNULL(HAS_PERMS_BY_NAME(N'master', 'DATABASE', 'CONTROL'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    INSERT @config
    VALUES (1, N'login mode', CASE SERVERPROPERTY('IsIntegratedSecurityOnly') WHEN 1 THEN N'Windows Authentication' ELSE N'Mixed' END),
        (2, N'default login', N'guest'),
        (3, N'default domain', CAST(SERVERPROPERTY('MachineName') AS nvarchar(128))),
        (4, N'audit level', N'failure'),
        (5, N'set hostname', N'false'),
        (6, N'map _', N'domain separator'),
        (7, N'map $', N'NULL'),
        (8, N'map #', N'-');
    IF @config_name IS NOT NULL AND NOT EXISTS (SELECT * FROM @config WHERE name = @config_name)
    BEGIN
        RAISERROR(15021, -1, -1, N'config_name');
        RETURN 1;
    END;
    SELECT name, value AS [config value]
    FROM @config
    WHERE @config_name IS NULL OR name = @config_name
    ORDER BY position;
    RETURN 0;
END
GO
