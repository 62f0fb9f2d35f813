-- Accounts and profiles of Database Mail: which server mail would go to, in which order, and who may use which profile.
-- They are kept and told; a password that is given to an account is checked for its user name and not kept.

CREATE PROCEDURE dbo.sysmail_verify_account_sp
    @account_id int,
    @account_name sysname,
    @allow_both_nulls bit,
    @allow_id_name_mismatch bit,
    @accountid int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SET @accountid = NULL;
    IF @account_id IS NULL AND @account_name IS NULL
    BEGIN
        IF @allow_both_nulls = 1
            RETURN 0;
        RAISERROR(14604, 16, 1, N'account');
        RETURN 1;
    END;
    IF @account_id IS NOT NULL
    BEGIN
        SET @accountid = (SELECT account_id FROM dbo.sysmail_account WHERE account_id = @account_id);
        IF @accountid IS NULL
        BEGIN
            RAISERROR(14606, 16, 1, N'account');
            RETURN 2;
        END;
        IF @allow_id_name_mismatch = 0 AND @account_name IS NOT NULL
            AND NOT EXISTS (SELECT * FROM dbo.sysmail_account WHERE account_id = @account_id AND name = @account_name)
        BEGIN
            RAISERROR(14605, 16, 1, N'account');
            RETURN 3;
        END;
        RETURN 0;
    END;
    SET @accountid = (SELECT account_id FROM dbo.sysmail_account WHERE name = @account_name);
    IF @accountid IS NULL
    BEGIN
        RAISERROR(14607, 16, 1, N'account');
        RETURN 4;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_verify_profile_sp
    @profile_id int,
    @profile_name sysname,
    @allow_both_nulls bit,
    @allow_id_name_mismatch bit,
    @profileid int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SET @profileid = NULL;
    IF @profile_id IS NULL AND @profile_name IS NULL
    BEGIN
        IF @allow_both_nulls = 1
            RETURN 0;
        RAISERROR(14604, 16, 1, N'profile');
        RETURN 1;
    END;
    IF @profile_id IS NOT NULL
    BEGIN
        SET @profileid = (SELECT profile_id FROM dbo.sysmail_profile WHERE profile_id = @profile_id);
        IF @profileid IS NULL
        BEGIN
            RAISERROR(14606, 16, 1, N'profile');
            RETURN 2;
        END;
        IF @allow_id_name_mismatch = 0 AND @profile_name IS NOT NULL
            AND NOT EXISTS (SELECT * FROM dbo.sysmail_profile WHERE profile_id = @profile_id AND name = @profile_name)
        BEGIN
            RAISERROR(14605, 16, 1, N'profile');
            RETURN 3;
        END;
        RETURN 0;
    END;
    SET @profileid = (SELECT profile_id FROM dbo.sysmail_profile WHERE name = @profile_name);
    IF @profileid IS NULL
    BEGIN
        RAISERROR(14607, 16, 1, N'profile');
        RETURN 4;
    END;
    RETURN 0;
END
GO

-- A user of msdb; 0 and public are everybody, whose sid is 0x00 here.
CREATE PROCEDURE dbo.sysmail_verify_principal_sp
    @principal_id int,
    @principal_name sysname,
    @allow_both_nulls bit,
    @principal_sid varbinary(85) OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SET @principal_sid = NULL;
    IF @principal_id IS NULL AND @principal_name IS NULL
    BEGIN
        IF @allow_both_nulls = 1
            RETURN 0;
        RAISERROR(14604, 16, 1, N'principal');
        RETURN 1;
    END;
    IF @principal_id = 0 AND ISNULL(@principal_name, N'public') <> N'public'
        OR @principal_id <> 0 AND @principal_name = N'public'
    BEGIN
        RAISERROR(14605, 16, 1, N'principal');
        RETURN 3;
    END;
    IF @principal_id = 0 OR @principal_name = N'public'
    BEGIN
        SET @principal_sid = 0x00;
        RETURN 0;
    END;
    IF @principal_id IS NOT NULL
    BEGIN
        SET @principal_sid = (
            SELECT sid FROM sys.database_principals WHERE principal_id = @principal_id AND type IN ('S', 'U', 'G'));
        IF @principal_sid IS NULL
        BEGIN
            RAISERROR(14606, 16, 1, N'principal');
            RETURN 2;
        END;
        IF @principal_name IS NOT NULL AND ISNULL(DATABASE_PRINCIPAL_ID(@principal_name), -1) <> @principal_id
        BEGIN
            RAISERROR(14605, 16, 1, N'principal');
            RETURN 3;
        END;
        RETURN 0;
    END;
    SET @principal_sid = (SELECT sid FROM sys.database_principals WHERE name = @principal_name AND type IN ('S', 'U', 'G'));
    IF @principal_sid IS NULL
    BEGIN
        RAISERROR(14607, 16, 1, N'principal');
        RETURN 4;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_add_account_sp
    @account_name sysname,
    @email_address nvarchar(128),
    @display_name nvarchar(128) = NULL,
    @replyto_address nvarchar(128) = NULL,
    @description nvarchar(256) = NULL,
    @mailserver_name sysname = NULL,
    @mailserver_type sysname = N'SMTP',
    @port int = 25,
    @username nvarchar(128) = NULL,
    @password nvarchar(128) = NULL,
    @use_default_credentials bit = 0,
    @enable_ssl bit = 0,
    @account_id int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SELECT
        @account_name = LTRIM(RTRIM(@account_name)),
        @email_address = LTRIM(RTRIM(@email_address)),
        @mailserver_name = LTRIM(RTRIM(@mailserver_name)),
        @username = NULLIF(@username, N''),
        @password = NULLIF(@password, N'');
    DECLARE @missing sysname = CASE
        WHEN ISNULL(@account_name, N'') = N'' THEN N'@account_name'
        WHEN ISNULL(@email_address, N'') = N'' THEN N'@email_address'
        WHEN ISNULL(@mailserver_name, N'') = N'' THEN N'@mailserver_name'
        WHEN @port IS NULL THEN N'@port'
    END;
    IF @missing IS NOT NULL
    BEGIN
        RAISERROR(14618, 16, 1, @missing);
        RETURN 1;
    END;
    IF NOT EXISTS (SELECT * FROM dbo.sysmail_servertype WHERE servertype = @mailserver_type AND is_outgoing = 1)
    BEGIN
        RAISERROR(14614, 16, 1, @mailserver_type);
        RETURN 1;
    END;
    IF @username IS NULL AND @password IS NOT NULL
    BEGIN
        RAISERROR(14615, 16, 1);
        RETURN 1;
    END;
    IF @use_default_credentials = 1 AND @username IS NOT NULL
    BEGIN
        RAISERROR(14666, 16, 1);
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysmail_account WHERE name = @account_name)
    BEGIN
        RAISERROR(14261, 16, 1, N'@account_name', @account_name);
        RETURN 1;
    END;

    DECLARE @own bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
    BEGIN TRY
        IF @own = 1
            BEGIN TRANSACTION;
        INSERT dbo.sysmail_account (name, description, email_address, display_name, replyto_address)
        VALUES (@account_name, @description, @email_address, @display_name, @replyto_address);
        SET @account_id = SCOPE_IDENTITY();
        INSERT dbo.sysmail_server (account_id, servertype, servername, port, username, use_default_credentials, enable_ssl)
        VALUES (@account_id, @mailserver_type, @mailserver_name, @port, @username, ISNULL(@use_default_credentials, 0),
            ISNULL(@enable_ssl, 0));
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

-- What is not given stays; the user name '' takes it away.
CREATE PROCEDURE dbo.sysmail_update_account_sp
    @account_id int = NULL,
    @account_name sysname = NULL,
    @email_address nvarchar(128) = NULL,
    @display_name nvarchar(128) = NULL,
    @replyto_address nvarchar(128) = NULL,
    @description nvarchar(256) = NULL,
    @mailserver_name sysname = NULL,
    @mailserver_type sysname = NULL,
    @port int = NULL,
    @timeout int = NULL,
    @username sysname = NULL,
    @password sysname = NULL,
    @use_default_credentials bit = NULL,
    @enable_ssl bit = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @accountid int, @failed int;
    SELECT
        @account_name = NULLIF(LTRIM(RTRIM(@account_name)), N''),
        @email_address = NULLIF(LTRIM(RTRIM(@email_address)), N''),
        @mailserver_name = NULLIF(LTRIM(RTRIM(@mailserver_name)), N''),
        @password = NULLIF(@password, N'');
    EXEC @failed = dbo.sysmail_verify_account_sp @account_id, @account_name, 0, 1, @accountid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF @mailserver_type IS NOT NULL
        AND NOT EXISTS (SELECT * FROM dbo.sysmail_servertype WHERE servertype = @mailserver_type AND is_outgoing = 1)
    BEGIN
        RAISERROR(14614, 16, 1, @mailserver_type);
        RETURN 1;
    END;
    IF ISNULL(@username, N'') = N'' AND @password IS NOT NULL
    BEGIN
        RAISERROR(14615, 16, 1);
        RETURN 1;
    END;
    IF @use_default_credentials = 1 AND ISNULL(@username, N'') <> N''
    BEGIN
        RAISERROR(14666, 16, 1);
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysmail_account WHERE name = @account_name AND account_id <> @accountid)
    BEGIN
        RAISERROR(14261, 16, 1, N'@account_name', @account_name);
        RETURN 1;
    END;

    DECLARE @own bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
    BEGIN TRY
        IF @own = 1
            BEGIN TRANSACTION;
        UPDATE dbo.sysmail_account
        SET name = ISNULL(@account_name, name),
            description = ISNULL(@description, description),
            email_address = ISNULL(@email_address, email_address),
            display_name = ISNULL(@display_name, display_name),
            replyto_address = ISNULL(@replyto_address, replyto_address),
            last_mod_datetime = GETDATE(),
            last_mod_user = SUSER_SNAME()
        WHERE account_id = @accountid;
        UPDATE dbo.sysmail_server
        SET servertype = ISNULL(@mailserver_type, servertype),
            servername = ISNULL(@mailserver_name, servername),
            port = ISNULL(@port, port),
            timeout = ISNULL(@timeout, timeout),
            username = CASE WHEN @use_default_credentials = 1 THEN NULL ELSE NULLIF(ISNULL(@username, username), N'') END,
            use_default_credentials = CASE
                WHEN @use_default_credentials IS NULL AND ISNULL(@username, N'') <> N'' THEN 0
                ELSE ISNULL(@use_default_credentials, use_default_credentials)
            END,
            enable_ssl = ISNULL(@enable_ssl, enable_ssl),
            last_mod_datetime = GETDATE(),
            last_mod_user = SUSER_SNAME()
        WHERE account_id = @accountid;
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

CREATE PROCEDURE dbo.sysmail_delete_account_sp
    @account_id int = NULL,
    @account_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @accountid int, @failed int;
    EXEC @failed = dbo.sysmail_verify_account_sp @account_id, @account_name, 0, 0, @accountid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    -- Its server and its places in profiles go with it.
    DELETE dbo.sysmail_account WHERE account_id = @accountid;
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sysmail_help_account_sp
    @account_id int = NULL,
    @account_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @accountid int, @failed int;
    EXEC @failed = dbo.sysmail_verify_account_sp @account_id, @account_name, 1, 0, @accountid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    SELECT
        a.account_id, a.name, a.description, a.email_address, a.display_name, a.replyto_address, s.servertype, s.servername,
        s.port, s.username, s.use_default_credentials, s.enable_ssl
    FROM dbo.sysmail_account AS a
    JOIN dbo.sysmail_server AS s ON s.account_id = a.account_id
    WHERE @accountid IS NULL OR a.account_id = @accountid
    ORDER BY a.account_id;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_add_profile_sp
    @profile_name sysname,
    @description nvarchar(256) = NULL,
    @profile_id int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SET @profile_name = LTRIM(RTRIM(@profile_name));
    IF ISNULL(@profile_name, N'') = N''
    BEGIN
        RAISERROR(14618, 16, 1, N'@profile_name');
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysmail_profile WHERE name = @profile_name)
    BEGIN
        RAISERROR(14261, 16, 1, N'@profile_name', @profile_name);
        RETURN 1;
    END;
    INSERT dbo.sysmail_profile (name, description) VALUES (@profile_name, @description);
    IF @@ERROR <> 0
        RETURN 1;
    SET @profile_id = SCOPE_IDENTITY();
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_update_profile_sp
    @profile_id int = NULL,
    @profile_name sysname = NULL,
    @description nvarchar(256) = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @failed int;
    SET @profile_name = NULLIF(LTRIM(RTRIM(@profile_name)), N'');
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 0, 1, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF @profile_name IS NULL AND @description IS NULL
    BEGIN
        RAISERROR(14610, 16, 1);
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysmail_profile WHERE name = @profile_name AND profile_id <> @profileid)
    BEGIN
        RAISERROR(14261, 16, 1, N'@profile_name', @profile_name);
        RETURN 1;
    END;
    UPDATE dbo.sysmail_profile
    SET name = ISNULL(@profile_name, name),
        description = ISNULL(@description, description),
        last_mod_datetime = GETDATE(),
        last_mod_user = SUSER_SNAME()
    WHERE profile_id = @profileid;
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sysmail_delete_profile_sp
    @profile_id int = NULL,
    @profile_name sysname = NULL,
    @force_delete bit = 1
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @failed int;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 0, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF @force_delete = 0 AND EXISTS (
        SELECT * FROM dbo.sysmail_mailitems WHERE profile_id = @profileid AND sent_status IN (0, 3))
    BEGIN
        SET @profile_name = (SELECT name FROM dbo.sysmail_profile WHERE profile_id = @profileid);
        RAISERROR(14668, 16, 1, @profile_name);
        RETURN 1;
    END;
    -- Who may use it and which accounts it has goes with it; the accounts stay.
    DELETE dbo.sysmail_profile WHERE profile_id = @profileid;
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sysmail_help_profile_sp
    @profile_id int = NULL,
    @profile_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @failed int;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 1, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    SELECT profile_id, name, description
    FROM dbo.sysmail_profile
    WHERE @profileid IS NULL OR profile_id = @profileid
    ORDER BY profile_id;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_add_profileaccount_sp
    @profile_id int = NULL,
    @profile_name sysname = NULL,
    @account_id int = NULL,
    @account_name sysname = NULL,
    @sequence_number int
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @accountid int, @failed int;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 0, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sysmail_verify_account_sp @account_id, @account_name, 0, 0, @accountid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF @sequence_number IS NULL
    BEGIN
        RAISERROR(14618, 16, 1, N'@sequence_number');
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysmail_profileaccount WHERE profile_id = @profileid AND account_id = @accountid)
    BEGIN
        SET @account_name = (SELECT name FROM dbo.sysmail_account WHERE account_id = @accountid);
        RAISERROR(14261, 16, 1, N'@account_name', @account_name);
        RETURN 1;
    END;
    INSERT dbo.sysmail_profileaccount (profile_id, account_id, sequence_number)
    VALUES (@profileid, @accountid, @sequence_number);
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sysmail_update_profileaccount_sp
    @profile_id int = NULL,
    @profile_name sysname = NULL,
    @account_id int = NULL,
    @account_name sysname = NULL,
    @sequence_number int
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @accountid int, @failed int;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 0, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sysmail_verify_account_sp @account_id, @account_name, 0, 0, @accountid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF @sequence_number IS NULL
    BEGIN
        RAISERROR(14611, 16, 1);
        RETURN 1;
    END;
    IF NOT EXISTS (SELECT * FROM dbo.sysmail_profileaccount WHERE profile_id = @profileid AND account_id = @accountid)
    BEGIN
        SET @account_name = (SELECT name FROM dbo.sysmail_account WHERE account_id = @accountid);
        RAISERROR(14262, 16, 1, N'@account_name', @account_name);
        RETURN 1;
    END;
    UPDATE dbo.sysmail_profileaccount
    SET sequence_number = @sequence_number, last_mod_datetime = GETDATE(), last_mod_user = SUSER_SNAME()
    WHERE profile_id = @profileid AND account_id = @accountid;
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

-- Without a profile the account leaves all of them; without an account the profile loses all of them.
CREATE PROCEDURE dbo.sysmail_delete_profileaccount_sp
    @profile_id int = NULL,
    @profile_name sysname = NULL,
    @account_id int = NULL,
    @account_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @accountid int, @failed int;
    IF COALESCE(@profile_id, @account_id) IS NULL AND COALESCE(@profile_name, @account_name) IS NULL
    BEGIN
        RAISERROR(14608, 16, 1, N'profile', N'account');
        RETURN 1;
    END;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 1, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sysmail_verify_account_sp @account_id, @account_name, 1, 0, @accountid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF @profileid IS NOT NULL AND @accountid IS NOT NULL AND NOT EXISTS (
        SELECT * FROM dbo.sysmail_profileaccount WHERE profile_id = @profileid AND account_id = @accountid)
    BEGIN
        SET @account_name = (SELECT name FROM dbo.sysmail_account WHERE account_id = @accountid);
        RAISERROR(14262, 16, 1, N'@account_name', @account_name);
        RETURN 1;
    END;
    DELETE dbo.sysmail_profileaccount
    WHERE (@profileid IS NULL OR profile_id = @profileid) AND (@accountid IS NULL OR account_id = @accountid);
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sysmail_help_profileaccount_sp
    @profile_id int = NULL,
    @profile_name sysname = NULL,
    @account_id int = NULL,
    @account_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @accountid int, @failed int;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 1, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sysmail_verify_account_sp @account_id, @account_name, 1, 0, @accountid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    SELECT p.profile_id, p.name AS profile_name, a.account_id, a.name AS account_name, pa.sequence_number
    FROM dbo.sysmail_profileaccount AS pa
    JOIN dbo.sysmail_profile AS p ON p.profile_id = pa.profile_id
    JOIN dbo.sysmail_account AS a ON a.account_id = pa.account_id
    WHERE (@profileid IS NULL OR p.profile_id = @profileid) AND (@accountid IS NULL OR a.account_id = @accountid)
    ORDER BY p.profile_id, pa.sequence_number, a.account_id;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_add_principalprofile_sp
    @principal_id int = NULL,
    @principal_name sysname = NULL,
    @profile_id int = NULL,
    @profile_name sysname = NULL,
    @is_default bit
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @sid varbinary(85), @failed int;
    EXEC @failed = dbo.sysmail_verify_principal_sp @principal_id, @principal_name, 0, @sid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 0, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF @is_default IS NULL
    BEGIN
        RAISERROR(14618, 16, 1, N'@is_default');
        RETURN 1;
    END;
    IF EXISTS (SELECT * FROM dbo.sysmail_principalprofile WHERE profile_id = @profileid AND principal_sid = @sid)
    BEGIN
        SET @profile_name = (SELECT name FROM dbo.sysmail_profile WHERE profile_id = @profileid);
        RAISERROR(14261, 16, 1, N'@profile_name', @profile_name);
        RETURN 1;
    END;
    IF @is_default = 0 AND NOT EXISTS (SELECT * FROM dbo.sysmail_principalprofile WHERE principal_sid = @sid)
    BEGIN
        RAISERROR(14612, 16, 1);
        RETURN 1;
    END;

    DECLARE @own bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
    BEGIN TRY
        IF @own = 1
            BEGIN TRANSACTION;
        IF @is_default = 1
            UPDATE dbo.sysmail_principalprofile
            SET is_default = 0, last_mod_datetime = GETDATE(), last_mod_user = SUSER_SNAME()
            WHERE principal_sid = @sid AND is_default = 1;
        INSERT dbo.sysmail_principalprofile (profile_id, principal_sid, is_default) VALUES (@profileid, @sid, @is_default);
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

CREATE PROCEDURE dbo.sysmail_update_principalprofile_sp
    @principal_id int = NULL,
    @principal_name sysname = NULL,
    @profile_id int = NULL,
    @profile_name sysname = NULL,
    @is_default bit
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @sid varbinary(85), @failed int;
    EXEC @failed = dbo.sysmail_verify_principal_sp @principal_id, @principal_name, 0, @sid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 0, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    IF @is_default IS NULL
    BEGIN
        RAISERROR(14618, 16, 1, N'@is_default');
        RETURN 1;
    END;
    IF NOT EXISTS (SELECT * FROM dbo.sysmail_principalprofile WHERE profile_id = @profileid AND principal_sid = @sid)
    BEGIN
        SET @profile_name = (SELECT name FROM dbo.sysmail_profile WHERE profile_id = @profileid);
        RAISERROR(14262, 16, 1, N'@profile_name', @profile_name);
        RETURN 1;
    END;
    IF @is_default = 0 AND NOT EXISTS (
        SELECT * FROM dbo.sysmail_principalprofile WHERE principal_sid = @sid AND profile_id <> @profileid)
    BEGIN
        RAISERROR(14612, 16, 1);
        RETURN 1;
    END;
    -- One of the profiles of a principal is its default.
    UPDATE dbo.sysmail_principalprofile
    SET is_default = CASE profile_id WHEN @profileid THEN @is_default ELSE 0 END,
        last_mod_datetime = GETDATE(),
        last_mod_user = SUSER_SNAME()
    WHERE principal_sid = @sid AND (profile_id = @profileid OR @is_default = 1);
    RETURN CASE @@ERROR WHEN 0 THEN 0 ELSE 1 END;
END
GO

CREATE PROCEDURE dbo.sysmail_delete_principalprofile_sp
    @principal_id int = NULL,
    @principal_name sysname = NULL,
    @profile_id int = NULL,
    @profile_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @sid varbinary(85), @failed int;
    EXEC @failed = dbo.sysmail_verify_principal_sp @principal_id, @principal_name, 0, @sid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 0, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    DELETE dbo.sysmail_principalprofile WHERE profile_id = @profileid AND principal_sid = @sid;
    IF @@ROWCOUNT = 0
    BEGIN
        SET @profile_name = (SELECT name FROM dbo.sysmail_profile WHERE profile_id = @profileid);
        RAISERROR(14262, 16, 1, N'@profile_name', @profile_name);
        RETURN 1;
    END;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sysmail_help_principalprofile_sp
    @principal_id int = NULL,
    @principal_name sysname = NULL,
    @profile_id int = NULL,
    @profile_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    DECLARE @profileid int, @sid varbinary(85), @failed int;
    EXEC @failed = dbo.sysmail_verify_principal_sp @principal_id, @principal_name, 1, @sid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    EXEC @failed = dbo.sysmail_verify_profile_sp @profile_id, @profile_name, 1, 0, @profileid OUTPUT;
    IF @failed <> 0
        RETURN 1;
    -- Of a user that is dropped, name and number are gone.
    SELECT
        CASE pp.principal_sid WHEN 0x00 THEN 0 ELSE u.principal_id END AS principal_id,
        CASE pp.principal_sid WHEN 0x00 THEN N'public' ELSE u.name END AS principal_name,
        p.profile_id, p.name AS profile_name, pp.is_default
    FROM dbo.sysmail_principalprofile AS pp
    JOIN dbo.sysmail_profile AS p ON p.profile_id = pp.profile_id
    LEFT JOIN sys.database_principals AS u ON u.sid = pp.principal_sid
    WHERE (@sid IS NULL OR pp.principal_sid = @sid) AND (@profileid IS NULL OR p.profile_id = @profileid)
    ORDER BY principal_id, p.profile_id;
    RETURN 0;
END
GO
