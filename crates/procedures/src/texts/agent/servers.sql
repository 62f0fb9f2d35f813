-- The Agent itself, and the servers that a master server gives jobs to: there are none.
CREATE PROCEDURE dbo.sp_get_sqlagent_properties
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND ISNULL(IS_MEMBER(N'SQLAgentUserRole'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SELECT
        CAST(1 AS int) AS auto_start, CAST(NULL AS sysname) AS msx_server_name, CAST(1 AS int) AS sqlagent_type,
        CAST(NULL AS nvarchar(255)) AS startup_account, CAST(1 AS int) AS sqlserver_restart,
        CAST(1000 AS int) AS jobhistory_max_rows, CAST(100 AS int) AS jobhistory_max_rows_per_job,
        CAST(SERVERPROPERTY('ErrorLogFileName') AS nvarchar(255)) AS errorlog_file, CAST(3 AS int) AS errorlogging_level,
        CAST(NULL AS nvarchar(30)) AS error_recipient, CAST(1 AS int) AS monitor_autostart,
        CAST(NULL AS sysname) AS local_host_server, CAST(15 AS int) AS job_shutdown_timeout,
        CAST(NULL AS varbinary(64)) AS cmdexec_account, CAST(0 AS int) AS regular_connections,
        CAST(NULL AS sysname) AS host_login_name, CAST(NULL AS varbinary(512)) AS host_login_password,
        CAST(30 AS int) AS login_timeout, CAST(10 AS int) AS idle_cpu_percent, CAST(600 AS int) AS idle_cpu_duration,
        CAST(0 AS int) AS oem_errorlog, CAST(0 AS int) AS sysadmin_only, CAST(NULL AS nvarchar(64)) AS email_profile,
        CAST(0 AS int) AS email_save_in_sent_folder, CAST(0 AS int) AS cpu_poller_enabled,
        CAST(0 AS int) AS alert_replace_runtime_tokens;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_msx_get_account
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SELECT CAST(0 AS int) AS msx_connection, CAST(NULL AS int) AS msx_credential_id,
        CAST(NULL AS nvarchar(300)) AS msx_credential_name, CAST(NULL AS nvarchar(300)) AS msx_login_name;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_help_targetserver
    @server_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    SET @server_name = NULLIF(LTRIM(RTRIM(@server_name)), N'');
    IF @server_name IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.systargetservers WHERE server_name = UPPER(@server_name))
    BEGIN
        RAISERROR(14262, -1, -1, N'@server_name', @server_name);
        RETURN 1;
    END;

    SELECT server_id, server_name, location, time_zone_adjustment, enlist_date, last_poll_date, status,
        CAST(0 AS int) AS unread_instructions, local_time_at_last_poll AS local_time, enlisted_by_nt_user, poll_interval
    FROM dbo.systargetservers
    WHERE @server_name IS NULL OR server_name = UPPER(@server_name)
    ORDER BY server_name;
    RETURN 0;
END
GO

CREATE PROCEDURE dbo.sp_help_targetservergroup
    @name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;

    SET @name = NULLIF(LTRIM(RTRIM(@name)), N'');
    IF @name IS NULL
    BEGIN
        SELECT servergroup_id, name
        FROM dbo.systargetservergroups
        ORDER BY name;
        RETURN 0;
    END;
    IF NOT EXISTS (SELECT * FROM dbo.systargetservergroups WHERE name = @name)
    BEGIN
        RAISERROR(14262, -1, -1, N'@name', @name);
        RETURN 1;
    END;
    SELECT s.server_id, s.server_name
    FROM dbo.systargetservers AS s
    JOIN dbo.systargetservergroupmembers AS m ON m.server_id = s.server_id
    JOIN dbo.systargetservergroups AS g ON g.servergroup_id = m.servergroup_id
    WHERE g.name = @name
    ORDER BY s.server_name;
    RETURN 0;
END
GO

-- The jobs that tell an operator of their end.
CREATE PROCEDURE dbo.sp_help_operator_jobs
    @operator_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;

    DECLARE @id int = (SELECT id FROM dbo.sysoperators WHERE name = @operator_name);
    IF @id IS NULL
    BEGIN
        RAISERROR(14262, -1, -1, N'@operator_name', @operator_name);
        RETURN 1;
    END;

    SELECT
        job_id, name,
        CASE WHEN notify_email_operator_id = @id THEN notify_level_email ELSE 0 END AS notify_level_email,
        CASE WHEN notify_netsend_operator_id = @id THEN notify_level_netsend ELSE 0 END AS notify_level_netsend,
        CASE WHEN notify_page_operator_id = @id THEN notify_level_page ELSE 0 END AS notify_level_page
    FROM dbo.sysjobs_view
    WHERE notify_email_operator_id = @id AND notify_level_email <> 0
        OR notify_netsend_operator_id = @id AND notify_level_netsend <> 0
        OR notify_page_operator_id = @id AND notify_level_page <> 0
    ORDER BY name;
    RETURN 0;
END
