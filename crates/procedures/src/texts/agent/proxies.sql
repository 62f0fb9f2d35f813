-- Proxies of the Agent: which credential a step may run with, in which subsystem, and who may use it.
-- A proxy stands for a credential of sys.credentials; without credentials there is none.

CREATE PROCEDURE dbo.sp_verify_proxy_identifiers
    @proxy_name sysname OUTPUT,
    @proxy_id int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    DECLARE @found int, @text nvarchar(256);
    SET @proxy_name = NULLIF(LTRIM(RTRIM(@proxy_name)), N'');
    IF @proxy_name IS NULL AND @proxy_id IS NULL
    BEGIN
        RAISERROR(14524, 16, 1, N'@proxy_name', N'@proxy_id');
        RETURN 1;
    END;
    IF @proxy_name IS NOT NULL
    BEGIN
        SET @found = (SELECT proxy_id FROM dbo.sysproxies WHERE name = @proxy_name);
        IF @found IS NULL OR @found <> @proxy_id
        BEGIN
            RAISERROR(14262, 16, 1, N'@proxy_name', @proxy_name);
            RETURN 1;
        END;
        SET @proxy_id = @found;
        RETURN 0;
    END;
    SET @proxy_name = (SELECT name FROM dbo.sysproxies WHERE proxy_id = @proxy_id);
    IF @proxy_name IS NULL
    BEGIN
        SET @text = CONVERT(nvarchar(12), @proxy_id);
        RAISERROR(14262, 16, 1, N'@proxy_id', @text);
        RETURN 1;
    END;
    RETURN 0;
END
GO

-- Packages are documented as Dts too.
CREATE PROCEDURE dbo.sp_verify_subsystem_identifiers
    @subsystem_name sysname OUTPUT,
    @subsystem_id int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    DECLARE @found int, @text nvarchar(256);
    SET @subsystem_name = NULLIF(LTRIM(RTRIM(@subsystem_name)), N'');
    IF @subsystem_name IS NULL AND @subsystem_id IS NULL
    BEGIN
        RAISERROR(14524, 16, 1, N'@subsystem_name', N'@subsystem_id');
        RETURN 1;
    END;
    IF @subsystem_name IS NOT NULL
    BEGIN
        SET @found = (
            SELECT subsystem_id FROM dbo.syssubsystems
            WHERE subsystem = CASE @subsystem_name WHEN N'Dts' THEN N'SSIS' ELSE @subsystem_name END);
        IF @found IS NULL OR @found <> @subsystem_id
        BEGIN
            RAISERROR(14262, 16, 1, N'@subsystem_name', @subsystem_name);
            RETURN 1;
        END;
        SET @subsystem_id = @found;
    END;
    SET @subsystem_name = (SELECT subsystem FROM dbo.syssubsystems WHERE subsystem_id = @subsystem_id);
    IF @subsystem_name IS NULL
    BEGIN
        SET @text = CONVERT(nvarchar(12), @subsystem_id);
        RAISERROR(14262, 16, 1, N'@subsystem_id', @text);
        RETURN 1;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_verify_credential_identifiers
    @credential_name sysname OUTPUT,
    @credential_id int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    DECLARE @found int, @text nvarchar(256);
    SET @credential_name = NULLIF(LTRIM(RTRIM(@credential_name)), N'');
    IF @credential_name IS NULL AND @credential_id IS NULL
    BEGIN
        RAISERROR(14524, 16, 1, N'@credential_name', N'@credential_id');
        RETURN 1;
    END;
    IF @credential_name IS NOT NULL
    BEGIN
        SET @found = (SELECT credential_id FROM sys.credentials WHERE name = @credential_name);
        IF @found IS NULL OR @found <> @credential_id
        BEGIN
            RAISERROR(14262, 16, 1, N'@credential_name', @credential_name);
            RETURN 1;
        END;
        SET @credential_id = @found;
        RETURN 0;
    END;
    SET @credential_name = (SELECT name FROM sys.credentials WHERE credential_id = @credential_id);
    IF @credential_name IS NULL
    BEGIN
        SET @text = CONVERT(nvarchar(12), @credential_id);
        RAISERROR(14262, 16, 1, N'@credential_id', @text);
        RETURN 1;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_add_proxy
    @proxy_name sysname = NULL,
    @enabled tinyint = 1,
    @description nvarchar(512) = NULL,
    @credential_name sysname = NULL,
    @credential_id int = NULL,
    @proxy_id int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @failed int, @identity sysname, @created datetime, @user_sid varbinary(85);
    EXEC @failed = dbo.sp_verify_credential_identifiers @credential_name OUTPUT, @credential_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    SELECT @identity = credential_identity, @created = create_date, @user_sid = SUSER_SID(credential_identity)
    FROM sys.credentials
    WHERE credential_id = @credential_id;
    SET @proxy_name = ISNULL(NULLIF(LTRIM(RTRIM(@proxy_name)), N''), @identity);
    IF ISNULL(@enabled, 2) NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@enabled', N'0, 1');
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysproxies WHERE name = @proxy_name)
    BEGIN
        RAISERROR(14261, 16, 1, N'@proxy_name', @proxy_name);
        RETURN 1;
    END;
    IF @user_sid IS NULL
    BEGIN
        RAISERROR(14529, 16, 1, @identity);
        RETURN 1;
    END;
    INSERT dbo.sysproxies (name, credential_id, enabled, description, user_sid, credential_date_created)
    VALUES (@proxy_name, @credential_id, @enabled, @description, @user_sid, @created);
    IF @@ERROR <> 0
        RETURN 1;
    SET @proxy_id = SCOPE_IDENTITY();
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_update_proxy
    @proxy_id int = NULL,
    @proxy_name sysname = NULL,
    @credential_name sysname = NULL,
    @credential_id int = NULL,
    @new_name sysname = NULL,
    @enabled tinyint = NULL,
    @description nvarchar(512) = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @failed int, @identity sysname, @created datetime, @user_sid varbinary(85);
    EXEC @failed = dbo.sp_verify_proxy_identifiers @proxy_name OUTPUT, @proxy_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    SET @new_name = NULLIF(LTRIM(RTRIM(@new_name)), N'');
    IF @enabled NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@enabled', N'0, 1');
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysproxies WHERE name = @new_name AND proxy_id <> @proxy_id)
    BEGIN
        RAISERROR(14261, 16, 1, N'@new_name', @new_name);
        RETURN 1;
    END;
    IF @credential_name IS NOT NULL OR @credential_id IS NOT NULL
    BEGIN
        EXEC @failed = dbo.sp_verify_credential_identifiers @credential_name OUTPUT, @credential_id OUTPUT;
        IF @failed <> 0
            RETURN 1;
        SELECT @identity = credential_identity, @created = create_date, @user_sid = SUSER_SID(credential_identity)
        FROM sys.credentials
        WHERE credential_id = @credential_id;
        IF @user_sid IS NULL
        BEGIN
            RAISERROR(14529, 16, 1, @identity);
            RETURN 1;
        END;
    END;
    UPDATE dbo.sysproxies
    SET name = ISNULL(@new_name, name),
        credential_id = ISNULL(@credential_id, credential_id),
        enabled = ISNULL(@enabled, enabled),
        description = ISNULL(@description, description),
        user_sid = ISNULL(@user_sid, user_sid),
        credential_date_created = ISNULL(@created, credential_date_created)
    WHERE proxy_id = @proxy_id;
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sp_delete_proxy
    @proxy_id int = NULL,
    @proxy_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @failed int;
    EXEC @failed = dbo.sp_verify_proxy_identifiers @proxy_name OUTPUT, @proxy_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF EXISTS (SELECT * FROM dbo.sysjobsteps WHERE proxy_id = @proxy_id)
    BEGIN
        RAISERROR(14518, 16, 1, @proxy_id);
        RETURN 1;
    END;
    DECLARE @own bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
    BEGIN TRY
        IF @own = 1
            BEGIN TRANSACTION;
        DELETE dbo.sysproxysubsystem WHERE proxy_id = @proxy_id;
        DELETE dbo.sysproxylogin WHERE proxy_id = @proxy_id;
        DELETE dbo.sysproxies WHERE proxy_id = @proxy_id;
        IF @own = 1
            COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @own = 1 AND @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_help_proxy
    @proxy_id int = NULL,
    @proxy_name sysname = NULL,
    @subsystem_name sysname = NULL,
    @name nvarchar(256) = NULL
AS
BEGIN
    SET NOCOUNT ON;

    DECLARE @is_sysadmin bit = ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0), @failed int, @subsystem_id int;
    IF @is_sysadmin = 0 AND ISNULL(IS_MEMBER(N'SQLAgentOperatorRole'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SELECT @subsystem_name = NULLIF(LTRIM(RTRIM(@subsystem_name)), N''), @name = NULLIF(LTRIM(RTRIM(@name)), N'');
    IF @proxy_id IS NOT NULL OR @proxy_name IS NOT NULL
    BEGIN
        EXEC @failed = dbo.sp_verify_proxy_identifiers @proxy_name OUTPUT, @proxy_id OUTPUT;
        IF @failed <> 0
            RETURN 1;
    END;
    IF (@subsystem_name IS NULL AND @name IS NOT NULL) OR (@subsystem_name IS NOT NULL AND @name IS NULL)
    BEGIN
        RAISERROR(14532, 16, 1, N'@subsystem_name', N'@name');
        RETURN 1;
    END;
    IF @subsystem_name IS NOT NULL
    BEGIN
        EXEC @failed = dbo.sp_verify_subsystem_identifiers @subsystem_name OUTPUT, @subsystem_id OUTPUT;
        IF @failed <> 0
            RETURN 1;
        IF SUSER_SID(@name) IS NULL
        BEGIN
            RAISERROR(14520, 16, 1, @name);
            RETURN 1;
        END;
    END;

    SELECT
        p.proxy_id, p.name, CAST(c.credential_identity AS sysname) AS credential_identity, p.enabled,
        CAST(p.description AS nvarchar(1024)) AS description, p.user_sid, p.credential_id,
        CASE WHEN c.credential_id IS NULL THEN 0 ELSE 1 END AS credential_identity_exists
    INTO #proxies
    FROM dbo.sysproxies AS p
    LEFT JOIN sys.credentials AS c ON c.credential_id = p.credential_id
    WHERE (@proxy_id IS NULL OR p.proxy_id = @proxy_id)
        AND (@subsystem_id IS NULL OR EXISTS (
            SELECT * FROM dbo.sysproxysubsystem AS s WHERE s.proxy_id = p.proxy_id AND s.subsystem_id = @subsystem_id))
        AND (@name IS NULL OR IS_SRVROLEMEMBER(N'sysadmin', @name) = 1 OR EXISTS (
            SELECT * FROM dbo.sysproxylogin AS l
            LEFT JOIN sys.server_principals AS r ON r.sid = l.sid
            WHERE l.proxy_id = p.proxy_id
                AND (l.flags = 0 AND l.sid = SUSER_SID(@name)
                    OR l.flags = 1 AND IS_SRVROLEMEMBER(r.name, @name) = 1
                    OR l.flags = 2 AND EXISTS (
                        SELECT * FROM sys.database_role_members AS m
                        JOIN sys.database_principals AS u ON u.principal_id = m.member_principal_id
                        WHERE m.role_principal_id = l.principal_id AND u.sid = SUSER_SID(@name)))));
    IF @is_sysadmin = 1
        SELECT proxy_id, name, credential_identity, enabled, description, user_sid, credential_id, credential_identity_exists
        FROM #proxies
        ORDER BY name;
    ELSE
        SELECT proxy_id, name, enabled, description, credential_id, credential_identity_exists
        FROM #proxies
        ORDER BY name;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_grant_login_to_proxy
    @login_name nvarchar(256) = NULL,
    @fixed_server_role nvarchar(256) = NULL,
    @msdb_role nvarchar(256) = NULL,
    @proxy_id int = NULL,
    @proxy_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @failed int, @sid varbinary(85), @principal_id int, @flags int;
    SELECT
        @login_name = NULLIF(LTRIM(RTRIM(@login_name)), N''),
        @fixed_server_role = NULLIF(LTRIM(RTRIM(@fixed_server_role)), N''),
        @msdb_role = NULLIF(LTRIM(RTRIM(@msdb_role)), N'');
    EXEC @failed = dbo.sp_verify_proxy_identifiers @proxy_name OUTPUT, @proxy_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF CASE WHEN @login_name IS NULL THEN 0 ELSE 1 END + CASE WHEN @fixed_server_role IS NULL THEN 0 ELSE 1 END
        + CASE WHEN @msdb_role IS NULL THEN 0 ELSE 1 END <> 1
    BEGIN
        RAISERROR(14519, 16, 1);
        RETURN 1;
    END;
    IF @login_name IS NOT NULL
    BEGIN
        SET @flags = 0;
        SELECT @sid = sid, @principal_id = principal_id
        FROM sys.server_principals
        WHERE name = @login_name AND type IN ('S', 'U', 'G');
        IF @sid IS NULL
        BEGIN
            RAISERROR(14520, 16, 1, @login_name);
            RETURN 1;
        END;
        IF IS_SRVROLEMEMBER(N'sysadmin', @login_name) = 1
        BEGIN
            RAISERROR(14395, 16, 1, @login_name);
            RETURN 1;
        END;
    END
    ELSE IF @fixed_server_role IS NOT NULL
    BEGIN
        SET @flags = 1;
        SELECT @sid = sid, @principal_id = principal_id
        FROM sys.server_principals
        WHERE name = @fixed_server_role AND type = 'R' AND is_fixed_role = 1;
        IF @sid IS NULL
        BEGIN
            RAISERROR(14521, 16, 1, @fixed_server_role);
            RETURN 1;
        END;
    END
    ELSE
    BEGIN
        SET @flags = 2;
        SELECT @sid = sid, @principal_id = principal_id
        FROM sys.database_principals
        WHERE name = @msdb_role AND type = 'R';
        IF @principal_id IS NULL
        BEGIN
            RAISERROR(14522, 16, 1, @msdb_role);
            RETURN 1;
        END;
    END;
    IF EXISTS (
        SELECT * FROM dbo.sysproxylogin
        WHERE proxy_id = @proxy_id AND flags = @flags AND (sid = @sid OR @flags = 2 AND principal_id = @principal_id))
    BEGIN
        RAISERROR(14531, 16, 1);
        RETURN 1;
    END;
    INSERT dbo.sysproxylogin (proxy_id, sid, principal_id, flags) VALUES (@proxy_id, @sid, @principal_id, @flags);
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sp_revoke_login_from_proxy
    @name nvarchar(256),
    @proxy_id int = NULL,
    @proxy_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @failed int;
    SET @name = LTRIM(RTRIM(@name));
    EXEC @failed = dbo.sp_verify_proxy_identifiers @proxy_name OUTPUT, @proxy_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF SUSER_SID(@name) IS NULL AND DATABASE_PRINCIPAL_ID(@name) IS NULL
        AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @name)
    BEGIN
        RAISERROR(14520, 16, 1, @name);
        RETURN 1;
    END;
    DELETE dbo.sysproxylogin
    WHERE proxy_id = @proxy_id
        AND (flags IN (0, 1) AND sid IN (SELECT sid FROM sys.server_principals WHERE name = @name)
            OR flags = 2 AND principal_id = DATABASE_PRINCIPAL_ID(@name));
    IF @@ROWCOUNT = 0
    BEGIN
        RAISERROR(14523, 16, 1, @name, @proxy_name);
        RETURN 1;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_enum_login_for_proxy
    @name nvarchar(256) = NULL,
    @proxy_id int = NULL,
    @proxy_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @failed int;
    SET @name = NULLIF(LTRIM(RTRIM(@name)), N'');
    IF @proxy_id IS NOT NULL OR @proxy_name IS NOT NULL
    BEGIN
        EXEC @failed = dbo.sp_verify_proxy_identifiers @proxy_name OUTPUT, @proxy_id OUTPUT;
        IF @failed <> 0
            RETURN 1;
    END;
    IF @name IS NOT NULL AND SUSER_SID(@name) IS NULL AND DATABASE_PRINCIPAL_ID(@name) IS NULL
        AND NOT EXISTS (SELECT * FROM sys.server_principals WHERE name = @name)
    BEGIN
        RAISERROR(14520, 16, 1, @name);
        RETURN 1;
    END;
    SELECT p.proxy_id, p.name AS proxy_name, l.flags, n.name, l.sid, l.principal_id
    FROM dbo.sysproxylogin AS l
    JOIN dbo.sysproxies AS p ON p.proxy_id = l.proxy_id
    LEFT JOIN sys.server_principals AS s ON s.sid = l.sid AND l.flags IN (0, 1)
    LEFT JOIN sys.database_principals AS d ON d.principal_id = l.principal_id AND l.flags = 2
    CROSS APPLY (SELECT CAST(ISNULL(s.name, d.name) AS sysname) AS name) AS n
    WHERE (@proxy_id IS NULL OR p.proxy_id = @proxy_id) AND (@name IS NULL OR n.name = @name)
    ORDER BY p.proxy_id, l.flags, n.name;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_grant_proxy_to_subsystem
    @proxy_id int = NULL,
    @proxy_name sysname = NULL,
    @subsystem_id int = NULL,
    @subsystem_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @failed int;
    EXEC @failed = dbo.sp_verify_proxy_identifiers @proxy_name OUTPUT, @proxy_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sp_verify_subsystem_identifiers @subsystem_name OUTPUT, @subsystem_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF @subsystem_name = N'TSQL'
    BEGIN
        RAISERROR(14517, 16, 1);
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysproxysubsystem WHERE proxy_id = @proxy_id AND subsystem_id = @subsystem_id)
    BEGIN
        RAISERROR(14531, 16, 1);
        RETURN 1;
    END;
    INSERT dbo.sysproxysubsystem (subsystem_id, proxy_id) VALUES (@subsystem_id, @proxy_id);
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sp_revoke_proxy_from_subsystem
    @proxy_id int = NULL,
    @proxy_name sysname = NULL,
    @subsystem_id int = NULL,
    @subsystem_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @failed int;
    EXEC @failed = dbo.sp_verify_proxy_identifiers @proxy_name OUTPUT, @proxy_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sp_verify_subsystem_identifiers @subsystem_name OUTPUT, @subsystem_id OUTPUT;
    IF @failed <> 0
        RETURN 1;
    DELETE dbo.sysproxysubsystem WHERE proxy_id = @proxy_id AND subsystem_id = @subsystem_id;
    IF @@ROWCOUNT = 0
    BEGIN
        RAISERROR(14600, 16, 1, @proxy_name, @subsystem_name);
        RETURN 1;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_enum_proxy_for_subsystem
    @proxy_id int = NULL,
    @proxy_name sysname = NULL,
    @subsystem_id int = NULL,
    @subsystem_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @failed int;
    IF @proxy_id IS NOT NULL OR @proxy_name IS NOT NULL
    BEGIN
        EXEC @failed = dbo.sp_verify_proxy_identifiers @proxy_name OUTPUT, @proxy_id OUTPUT;
        IF @failed <> 0
            RETURN 1;
    END;
    IF @subsystem_id IS NOT NULL OR @subsystem_name IS NOT NULL
    BEGIN
        EXEC @failed = dbo.sp_verify_subsystem_identifiers @subsystem_name OUTPUT, @subsystem_id OUTPUT;
        IF @failed <> 0
            RETURN 1;
    END;
    SELECT s.subsystem_id, CAST(s.subsystem AS sysname) AS subsystem_name, p.proxy_id, p.name AS proxy_name
    FROM dbo.sysproxysubsystem AS ps
    JOIN dbo.syssubsystems AS s ON s.subsystem_id = ps.subsystem_id
    JOIN dbo.sysproxies AS p ON p.proxy_id = ps.proxy_id
    WHERE (@proxy_id IS NULL OR p.proxy_id = @proxy_id) AND (@subsystem_id IS NULL OR s.subsystem_id = @subsystem_id)
    ORDER BY s.subsystem_id, p.proxy_id;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_enum_sqlagent_subsystems
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND ISNULL(IS_MEMBER(N'SQLAgentUserRole'), 0) = 0
        AND ISNULL(IS_MEMBER(N'SQLAgentOperatorRole'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    SELECT
        s.subsystem,
        CAST(ISNULL(m.text, N'No description available.') AS nvarchar(512)) AS description,
        CAST(s.subsystem_dll AS nvarchar(510)) AS subsystem_dll,
        CAST(s.agent_exe AS nvarchar(510)) AS agent_exe,
        s.start_entry_point, s.event_entry_point, s.stop_entry_point, s.max_worker_threads, s.subsystem_id
    FROM dbo.syssubsystems AS s
    LEFT JOIN sys.messages AS m ON m.message_id = s.description_id AND m.language_id = 1033
    ORDER BY s.subsystem_id;
    RETURN 0;
END
GO
