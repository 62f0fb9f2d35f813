-- The Agent's jobs in msdb: adding, changing, deleting and listing them, where they run, starting and stopping them.
-- sp_verify_job_identifiers, sp_verify_job and sp_get_composite_job_info are what the others share.
CREATE PROCEDURE dbo.sp_verify_job_identifiers
    @job_name sysname = NULL OUTPUT,
    @job_id uniqueidentifier = NULL OUTPUT,
    @owner_sid varbinary(85) = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @sees_all int, @job_id_text nvarchar(36);

    SELECT @job_name = NULLIF(LTRIM(RTRIM(@job_name)), N''), @owner_sid = NULL;
    IF (@job_name IS NULL AND @job_id IS NULL) OR (@job_name IS NOT NULL AND @job_id IS NOT NULL)
    BEGIN
        RAISERROR(14294, 16, 1, N'@job_id', N'@job_name');
        RETURN (1);
    END

    -- Who may not see a job is told that there is none.
    SELECT @sees_all = CASE WHEN IS_SRVROLEMEMBER(N'sysadmin') = 1 OR IS_MEMBER(N'SQLAgentReaderRole') = 1 THEN 1 ELSE 0 END;
    IF @job_id IS NOT NULL
    BEGIN
        SELECT @job_name = j.name, @owner_sid = j.owner_sid
        FROM dbo.sysjobs AS j
        WHERE j.job_id = @job_id AND (@sees_all = 1 OR j.owner_sid = SUSER_SID());
        IF @owner_sid IS NULL
        BEGIN
            SELECT @job_id_text = CONVERT(nvarchar(36), @job_id);
            RAISERROR(14262, 16, 1, N'@job_id', @job_id_text);
            RETURN (1);
        END
    END
    ELSE
    BEGIN
        SELECT @job_id = j.job_id, @owner_sid = j.owner_sid
        FROM dbo.sysjobs AS j
        WHERE j.name = @job_name AND (@sees_all = 1 OR j.owner_sid = SUSER_SID());
        IF @owner_sid IS NULL
        BEGIN
            RAISERROR(14262, 16, 1, N'@job_name', @job_name);
            RETURN (1);
        END
    END
    RETURN (0);
END
GO
-- The values of a new or a changed job: names become ids. NULL as the first step or as the name of an operator stands for
-- what is there already, '' takes an operator away.
CREATE PROCEDURE dbo.sp_verify_job
    @job_id uniqueidentifier,
    @name sysname,
    @enabled tinyint,
    @start_step_id int,
    @category_name sysname,
    @category_id int OUTPUT,
    @owner_login_name sysname,
    @owner_sid varbinary(85) OUTPUT,
    @notify_level_eventlog int,
    @notify_level_email int,
    @notify_level_netsend int,
    @notify_level_page int,
    @notify_email_operator_name sysname,
    @notify_netsend_operator_name sysname,
    @notify_page_operator_name sysname,
    @notify_email_operator_id int OUTPUT,
    @notify_netsend_operator_id int OUTPUT,
    @notify_page_operator_id int OUTPUT,
    @delete_level int
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @wrong_level sysname, @wrong_operator sysname, @last_step_id int, @valid_steps nvarchar(60), @category_type tinyint,
        @category_id_text nvarchar(12), @is_local int;

    IF @name IS NULL
    BEGIN
        RAISERROR(14200, 16, 1, N'@name');
        RETURN (1);
    END
    IF CHARINDEX(N'%', @name) > 0
    BEGIN
        RAISERROR(14289, 16, 1, N'@name', N'%');
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.sysjobs WHERE name = @name AND (@job_id IS NULL OR job_id <> @job_id))
    BEGIN
        RAISERROR(14261, 16, 1, N'@name', @name);
        RETURN (1);
    END
    IF @enabled IS NULL OR @enabled NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@enabled', N'0, 1');
        RETURN (1);
    END

    SELECT @last_step_id = MAX(step_id) FROM dbo.sysjobsteps WHERE job_id = @job_id;
    IF @start_step_id < 1 OR @start_step_id > @last_step_id
    BEGIN
        SELECT @valid_steps = N'1..' + ISNULL(CONVERT(nvarchar(12), @last_step_id), N'n');
        RAISERROR(14266, 16, 1, N'@start_step_id', @valid_steps);
        RETURN (1);
    END

    IF @category_name IS NOT NULL
    BEGIN
        SELECT @category_id = NULL;
        SELECT @category_id = category_id FROM dbo.syscategories WHERE name = @category_name AND category_class = 1;
        IF @category_id IS NULL
        BEGIN
            RAISERROR(14262, 16, 1, N'@category_name', @category_name);
            RETURN (1);
        END
    END
    SELECT @category_type = category_type FROM dbo.syscategories WHERE category_id = @category_id AND category_class = 1;
    IF @category_type IS NULL
    BEGIN
        SELECT @category_id_text = CONVERT(nvarchar(12), @category_id);
        RAISERROR(14262, 16, 1, N'@category_id', @category_id_text);
        RETURN (1);
    END
    -- Jobs from a master server are filed by that server.
    IF @category_id = 1
    BEGIN
        SELECT @category_name = name FROM dbo.syscategories WHERE category_id = @category_id;
        RAISERROR(14267, 16, 1, @category_name);
        RETURN (1);
    END
    SELECT @is_local = CASE WHEN EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id) THEN 1 ELSE 0 END;
    IF @is_local = 1 AND @category_type = 2
    BEGIN
        RAISERROR(14285, 16, 1);
        RETURN (1);
    END

    IF @owner_login_name IS NOT NULL
    BEGIN
        SELECT @owner_sid = SUSER_SID(@owner_login_name, 0);
        IF @owner_sid IS NULL
            OR NOT EXISTS (SELECT * FROM sys.server_principals WHERE sid = @owner_sid AND type IN ('S', 'U', 'E', 'C', 'K'))
        BEGIN
            RAISERROR(14234, 16, 1, N'@owner_login_name', N'sp_helplogins [excluding Windows NT groups]');
            RETURN (1);
        END
    END

    SELECT @wrong_level = CASE
        WHEN @notify_level_eventlog IS NULL OR @notify_level_eventlog NOT BETWEEN 0 AND 3 THEN N'@notify_level_eventlog'
        WHEN @notify_level_email IS NULL OR @notify_level_email NOT BETWEEN 0 AND 3 THEN N'@notify_level_email'
        WHEN @notify_level_netsend IS NULL OR @notify_level_netsend NOT BETWEEN 0 AND 3 THEN N'@notify_level_netsend'
        WHEN @notify_level_page IS NULL OR @notify_level_page NOT BETWEEN 0 AND 3 THEN N'@notify_level_page'
        WHEN @delete_level IS NULL OR @delete_level NOT BETWEEN 0 AND 3 THEN N'@delete_level'
    END;
    IF @wrong_level IS NOT NULL
    BEGIN
        RAISERROR(14266, 16, 1, @wrong_level, N'0, 1, 2, 3');
        RETURN (1);
    END

    IF @notify_email_operator_name IS NOT NULL
    BEGIN
        SELECT @notify_email_operator_id = 0;
        SELECT @notify_email_operator_id = id FROM dbo.sysoperators WHERE name = @notify_email_operator_name;
        IF @notify_email_operator_id = 0 AND @notify_email_operator_name <> N''
            SELECT @wrong_operator = N'@notify_email_operator_name';
    END
    IF @notify_netsend_operator_name IS NOT NULL
    BEGIN
        SELECT @notify_netsend_operator_id = 0;
        SELECT @notify_netsend_operator_id = id FROM dbo.sysoperators WHERE name = @notify_netsend_operator_name;
        IF @notify_netsend_operator_id = 0 AND @notify_netsend_operator_name <> N''
            SELECT @wrong_operator = ISNULL(@wrong_operator, N'@notify_netsend_operator_name');
    END
    IF @notify_page_operator_name IS NOT NULL
    BEGIN
        SELECT @notify_page_operator_id = 0;
        SELECT @notify_page_operator_id = id FROM dbo.sysoperators WHERE name = @notify_page_operator_name;
        IF @notify_page_operator_id = 0 AND @notify_page_operator_name <> N''
            SELECT @wrong_operator = ISNULL(@wrong_operator, N'@notify_page_operator_name');
    END
    IF @wrong_operator IS NOT NULL
    BEGIN
        RAISERROR(14234, 16, 1, @wrong_operator, N'sp_help_operator');
        RETURN (1);
    END
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_add_job
    @job_name sysname,
    @enabled tinyint = 1,
    @description nvarchar(512) = NULL,
    @start_step_id int = 1,
    @category_name sysname = NULL,
    @category_id int = NULL,
    @owner_login_name sysname = NULL,
    @notify_level_eventlog int = 2,
    @notify_level_email int = 0,
    @notify_level_netsend int = 0,
    @notify_level_page int = 0,
    @notify_email_operator_name sysname = NULL,
    @notify_netsend_operator_name sysname = NULL,
    @notify_page_operator_name sysname = NULL,
    @delete_level int = 0,
    @job_id uniqueidentifier = NULL OUTPUT,
    @originating_server sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @notify_email_operator_id int, @notify_netsend_operator_id int,
        @notify_page_operator_id int;

    SELECT @job_name = NULLIF(LTRIM(RTRIM(@job_name)), N''),
        @description = ISNULL(NULLIF(LTRIM(RTRIM(@description)), N''), N'No description available.'),
        @start_step_id = ISNULL(@start_step_id, 1),
        @category_name = NULLIF(LTRIM(RTRIM(@category_name)), N''),
        @owner_login_name = NULLIF(LTRIM(RTRIM(@owner_login_name)), N''),
        @originating_server = NULLIF(LTRIM(RTRIM(@originating_server)), N''),
        @owner_sid = SUSER_SID(),
        @notify_email_operator_id = 0, @notify_netsend_operator_id = 0, @notify_page_operator_id = 0;

    IF @job_id IS NOT NULL
    BEGIN
        RAISERROR(14284, 16, 1);
        RETURN (1);
    END
    IF UPPER(@originating_server) NOT IN (N'(LOCAL)', UPPER(@@SERVERNAME), UPPER(CONVERT(sysname, SERVERPROPERTY('ServerName'))))
    BEGIN
        RAISERROR(14275, 16, 1);
        RETURN (1);
    END
    IF @category_name IS NOT NULL AND @category_id IS NOT NULL
    BEGIN
        RAISERROR(14524, 16, 1, N'@category_name', N'@category_id');
        RETURN (1);
    END
    IF @category_name IS NULL AND @category_id IS NULL
        SELECT @category_id = 0;
    IF @owner_login_name IS NOT NULL AND ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
        AND ISNULL(SUSER_SID(@owner_login_name, 0), 0x) <> SUSER_SID()
    BEGIN
        RAISERROR(14515, 16, 1);
        RETURN (1);
    END

    EXEC @retval = dbo.sp_verify_job NULL, @job_name, @enabled, @start_step_id, @category_name, @category_id OUTPUT,
        @owner_login_name, @owner_sid OUTPUT, @notify_level_eventlog, @notify_level_email, @notify_level_netsend,
        @notify_level_page, @notify_email_operator_name, @notify_netsend_operator_name, @notify_page_operator_name,
        @notify_email_operator_id OUTPUT, @notify_netsend_operator_id OUTPUT, @notify_page_operator_id OUTPUT, @delete_level;
    IF @retval <> 0
        RETURN (1);

    SELECT @job_id = NEWID();
    INSERT INTO dbo.sysjobs (job_id, originating_server_id, name, enabled, description, start_step_id, category_id, owner_sid,
        notify_level_eventlog, notify_level_email, notify_level_netsend, notify_level_page, notify_email_operator_id,
        notify_netsend_operator_id, notify_page_operator_id, delete_level, date_created, date_modified, version_number)
    VALUES (@job_id, 0, @job_name, @enabled, @description, @start_step_id, @category_id, @owner_sid,
        @notify_level_eventlog, @notify_level_email, @notify_level_netsend, @notify_level_page, @notify_email_operator_id,
        @notify_netsend_operator_id, @notify_page_operator_id, @delete_level, GETDATE(), GETDATE(), 1);
    IF @@ERROR <> 0
    BEGIN
        SELECT @job_id = NULL;
        RETURN (1);
    END
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_update_job
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @new_name sysname = NULL,
    @enabled tinyint = NULL,
    @description nvarchar(512) = NULL,
    @start_step_id int = NULL,
    @category_name sysname = NULL,
    @owner_login_name sysname = NULL,
    @notify_level_eventlog int = NULL,
    @notify_level_email int = NULL,
    @notify_level_netsend int = NULL,
    @notify_level_page int = NULL,
    @notify_email_operator_name sysname = NULL,
    @notify_netsend_operator_name sysname = NULL,
    @notify_page_operator_name sysname = NULL,
    @delete_level int = NULL,
    @automatic_post bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @category_id int, @old_enabled tinyint, @notify_email_operator_id int,
        @notify_netsend_operator_id int, @notify_page_operator_id int, @is_sysadmin int;

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);

    SELECT @is_sysadmin = ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0),
        @category_name = NULLIF(LTRIM(RTRIM(@category_name)), N''),
        @owner_login_name = NULLIF(LTRIM(RTRIM(@owner_login_name)), N'');

    -- SQLAgentOperatorRole may enable and disable the jobs of others, and nothing else.
    IF @is_sysadmin = 0 AND @owner_sid <> SUSER_SID()
        AND (ISNULL(IS_MEMBER(N'SQLAgentOperatorRole'), 0) = 0 OR @enabled IS NULL OR @new_name IS NOT NULL
            OR @description IS NOT NULL OR @start_step_id IS NOT NULL OR @category_name IS NOT NULL
            OR @owner_login_name IS NOT NULL OR @notify_level_eventlog IS NOT NULL OR @notify_level_email IS NOT NULL
            OR @notify_level_netsend IS NOT NULL OR @notify_level_page IS NOT NULL OR @notify_email_operator_name IS NOT NULL
            OR @notify_netsend_operator_name IS NOT NULL OR @notify_page_operator_name IS NOT NULL OR @delete_level IS NOT NULL)
    BEGIN
        RAISERROR(14525, 16, 1);
        RETURN (1);
    END
    IF @is_sysadmin = 0 AND @owner_login_name IS NOT NULL AND ISNULL(SUSER_SID(@owner_login_name, 0), 0x) <> @owner_sid
    BEGIN
        RAISERROR(14242, 16, 1);
        RETURN (1);
    END

    IF @new_name IS NOT NULL
        SELECT @job_name = NULLIF(LTRIM(RTRIM(@new_name)), N'');
    SELECT @enabled = ISNULL(@enabled, j.enabled),
        @description = CASE WHEN @description IS NULL THEN j.description ELSE NULLIF(LTRIM(RTRIM(@description)), N'') END,
        @category_id = j.category_id,
        @notify_level_eventlog = ISNULL(@notify_level_eventlog, j.notify_level_eventlog),
        @notify_level_email = ISNULL(@notify_level_email, j.notify_level_email),
        @notify_level_netsend = ISNULL(@notify_level_netsend, j.notify_level_netsend),
        @notify_level_page = ISNULL(@notify_level_page, j.notify_level_page),
        @notify_email_operator_id = j.notify_email_operator_id,
        @notify_netsend_operator_id = j.notify_netsend_operator_id,
        @notify_page_operator_id = j.notify_page_operator_id,
        @delete_level = ISNULL(@delete_level, j.delete_level)
    FROM dbo.sysjobs AS j
    WHERE j.job_id = @job_id;

    EXEC @retval = dbo.sp_verify_job @job_id, @job_name, @enabled, @start_step_id, @category_name, @category_id OUTPUT,
        @owner_login_name, @owner_sid OUTPUT, @notify_level_eventlog, @notify_level_email, @notify_level_netsend,
        @notify_level_page, @notify_email_operator_name, @notify_netsend_operator_name, @notify_page_operator_name,
        @notify_email_operator_id OUTPUT, @notify_netsend_operator_id OUTPUT, @notify_page_operator_id OUTPUT, @delete_level;
    IF @retval <> 0
        RETURN (1);

    UPDATE dbo.sysjobs
    SET name = @job_name, enabled = @enabled, description = @description,
        start_step_id = ISNULL(@start_step_id, start_step_id),
        category_id = @category_id, owner_sid = @owner_sid, notify_level_eventlog = @notify_level_eventlog,
        notify_level_email = @notify_level_email, notify_level_netsend = @notify_level_netsend,
        notify_level_page = @notify_level_page, notify_email_operator_id = @notify_email_operator_id,
        notify_netsend_operator_id = @notify_netsend_operator_id, notify_page_operator_id = @notify_page_operator_id,
        delete_level = @delete_level, version_number = version_number + 1, date_modified = GETDATE()
    WHERE job_id = @job_id;
    IF @@ERROR <> 0
        RETURN (1);

    IF EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
        EXEC master.dbo.xp_sqlagent_notify N'J', @job_id, NULL, NULL, N'U', NULL;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_delete_job
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @originating_server sysname = NULL,
    @delete_history bit = 1,
    @delete_unused_schedule bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @is_local int;
    DECLARE @schedules TABLE (schedule_id int NOT NULL PRIMARY KEY);

    SELECT @originating_server = NULLIF(LTRIM(RTRIM(@originating_server)), N'');
    IF @originating_server IS NOT NULL
    BEGIN
        IF @job_id IS NOT NULL OR @job_name IS NOT NULL
            RAISERROR(14279, 16, 1);
        ELSE
            RAISERROR(14268, 16, 1, @originating_server);
        RETURN (1);
    END

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14525, 16, 1);
        RETURN (1);
    END

    SELECT @is_local = CASE WHEN EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0) THEN 1 ELSE 0 END;
    IF ISNULL(@delete_unused_schedule, 1) = 1
        INSERT INTO @schedules (schedule_id)
        SELECT a.schedule_id
        FROM dbo.sysjobschedules AS a
        WHERE a.job_id = @job_id
            AND NOT EXISTS (SELECT * FROM dbo.sysjobschedules AS b WHERE b.schedule_id = a.schedule_id AND b.job_id <> @job_id);

    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    DELETE FROM dbo.sysjobschedules WHERE job_id = @job_id;
    DELETE FROM dbo.sysschedules WHERE schedule_id IN (SELECT schedule_id FROM @schedules);
    DELETE FROM dbo.sysjobstepslogs WHERE step_uid IN (SELECT step_uid FROM dbo.sysjobsteps WHERE job_id = @job_id);
    DELETE FROM dbo.sysjobsteps WHERE job_id = @job_id;
    DELETE FROM dbo.sysjobservers WHERE job_id = @job_id;
    DELETE FROM dbo.sysjobactivity WHERE job_id = @job_id;
    IF ISNULL(@delete_history, 1) = 1
        DELETE FROM dbo.sysjobhistory WHERE job_id = @job_id;
    UPDATE dbo.sysalerts SET job_id = '00000000-0000-0000-0000-000000000000' WHERE job_id = @job_id;
    DELETE FROM dbo.sysjobs WHERE job_id = @job_id;
    COMMIT TRANSACTION;

    IF @is_local = 1
        EXEC master.dbo.xp_sqlagent_notify N'J', @job_id, NULL, NULL, N'D', NULL;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_get_composite_job_info
    @job_id uniqueidentifier = NULL,
    @job_type varchar(12) = NULL,
    @owner_login_name sysname = NULL,
    @subsystem nvarchar(40) = NULL,
    @category_id int = NULL,
    @enabled tinyint = NULL,
    @execution_status int = NULL,
    @date_comparator char(1) = NULL,
    @date_created datetime = NULL,
    @date_last_modified datetime = NULL,
    @description nvarchar(512) = NULL,
    @schedule_id int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @sees_all int, @session_id int;

    SELECT @sees_all = CASE WHEN IS_SRVROLEMEMBER(N'sysadmin') = 1 OR IS_MEMBER(N'SQLAgentReaderRole') = 1 THEN 1 ELSE 0 END;
    SELECT @session_id = MAX(session_id) FROM dbo.syssessions;

    SELECT j.job_id,
        CAST(UPPER(CONVERT(sysname, SERVERPROPERTY('ServerName'))) AS nvarchar(30)) AS originating_server,
        j.name,
        j.enabled,
        j.description,
        j.start_step_id,
        CAST(ISNULL(c.name, N'(unknown)') AS sysname) AS category,
        CAST(ISNULL(SUSER_SNAME(j.owner_sid), N'(unknown)') AS sysname) AS owner,
        j.notify_level_eventlog,
        j.notify_level_email,
        j.notify_level_netsend,
        j.notify_level_page,
        CAST(ISNULL(email.name, N'(unknown)') AS sysname) AS notify_email_operator,
        CAST(ISNULL(netsend.name, N'(unknown)') AS sysname) AS notify_netsend_operator,
        CAST(ISNULL(pager.name, N'(unknown)') AS sysname) AS notify_page_operator,
        j.delete_level,
        j.date_created,
        j.date_modified,
        j.version_number,
        ISNULL(s.last_run_date, 0) AS last_run_date,
        ISNULL(s.last_run_time, 0) AS last_run_time,
        CAST(ISNULL(s.last_run_outcome, 5) AS int) AS last_run_outcome,
        ISNULL(n.next_run_date, 0) AS next_run_date,
        ISNULL(n.next_run_time, 0) AS next_run_time,
        ISNULL(n.schedule_id, 0) AS next_run_schedule_id,
        CAST(CASE WHEN a.job_id IS NULL THEN 4 ELSE 1 END AS int) AS current_execution_status,
        CAST(LEFT(ISNULL(CONVERT(nvarchar(12), t.step_id) + N' (' + t.step_name + N')', N'0 (unknown)'), 128) AS sysname)
            AS current_execution_step,
        CAST(0 AS int) AS current_retry_attempt,
        (SELECT COUNT(*) FROM dbo.sysjobsteps AS h WHERE h.job_id = j.job_id) AS has_step,
        (SELECT COUNT(*) FROM dbo.sysjobschedules AS h WHERE h.job_id = j.job_id) AS has_schedule,
        (SELECT COUNT(*) FROM dbo.sysjobservers AS h WHERE h.job_id = j.job_id) AS has_target,
        CAST(CASE WHEN s.job_id IS NULL THEN 0 ELSE 1 END AS int) AS type
    FROM dbo.sysjobs AS j
        LEFT JOIN dbo.syscategories AS c ON c.category_id = j.category_id
        LEFT JOIN dbo.sysoperators AS email ON email.id = j.notify_email_operator_id
        LEFT JOIN dbo.sysoperators AS netsend ON netsend.id = j.notify_netsend_operator_id
        LEFT JOIN dbo.sysoperators AS pager ON pager.id = j.notify_page_operator_id
        LEFT JOIN dbo.sysjobservers AS s ON s.job_id = j.job_id AND s.server_id = 0
        LEFT JOIN dbo.sysjobactivity AS a ON a.job_id = j.job_id AND a.session_id = @session_id
            AND a.start_execution_date IS NOT NULL AND a.stop_execution_date IS NULL
        LEFT JOIN dbo.sysjobsteps AS t ON t.job_id = a.job_id AND t.step_id = a.last_executed_step_id
        OUTER APPLY (
            SELECT TOP (1) b.next_run_date, b.next_run_time, b.schedule_id
            FROM dbo.sysjobschedules AS b JOIN dbo.sysschedules AS d ON d.schedule_id = b.schedule_id
            WHERE b.job_id = j.job_id AND d.enabled = 1 AND b.next_run_date > 0
            ORDER BY b.next_run_date, b.next_run_time, b.schedule_id
        ) AS n
    WHERE (@sees_all = 1 OR j.owner_sid = SUSER_SID())
        AND (@job_id IS NULL OR j.job_id = @job_id)
        AND (@job_type IS NULL OR (@job_type = 'LOCAL' AND s.job_id IS NOT NULL))
        AND (@owner_login_name IS NULL OR j.owner_sid = SUSER_SID(@owner_login_name, 0))
        AND (@subsystem IS NULL
            OR EXISTS (SELECT * FROM dbo.sysjobsteps AS f WHERE f.job_id = j.job_id AND f.subsystem = @subsystem))
        AND (@category_id IS NULL OR j.category_id = @category_id)
        AND (@enabled IS NULL OR j.enabled = @enabled)
        AND (@execution_status IS NULL
            OR (@execution_status IN (0, 1) AND a.job_id IS NOT NULL)
            OR (@execution_status = 4 AND a.job_id IS NULL))
        AND (@date_created IS NULL
            OR (@date_comparator = '=' AND j.date_created = @date_created)
            OR (@date_comparator = '<' AND j.date_created < @date_created)
            OR (@date_comparator = '>' AND j.date_created > @date_created))
        AND (@date_last_modified IS NULL
            OR (@date_comparator = '=' AND j.date_modified = @date_last_modified)
            OR (@date_comparator = '<' AND j.date_modified < @date_last_modified)
            OR (@date_comparator = '>' AND j.date_modified > @date_last_modified))
        AND (@description IS NULL OR j.description LIKE @description)
        AND (@schedule_id IS NULL
            OR EXISTS (SELECT * FROM dbo.sysjobschedules AS f WHERE f.job_id = j.job_id AND f.schedule_id = @schedule_id))
    ORDER BY j.name;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_help_job
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @job_aspect varchar(9) = NULL,
    @job_type varchar(12) = NULL,
    @owner_login_name sysname = NULL,
    @subsystem nvarchar(40) = NULL,
    @category_name sysname = NULL,
    @enabled tinyint = NULL,
    @execution_status int = NULL,
    @date_comparator char(1) = NULL,
    @date_created datetime = NULL,
    @date_last_modified datetime = NULL,
    @description nvarchar(512) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @category_id int, @valid_values nvarchar(200);

    SELECT @job_name = NULLIF(LTRIM(RTRIM(@job_name)), N''),
        @job_aspect = UPPER(NULLIF(LTRIM(RTRIM(@job_aspect)), '')),
        @job_type = UPPER(NULLIF(LTRIM(RTRIM(@job_type)), '')),
        @owner_login_name = NULLIF(LTRIM(RTRIM(@owner_login_name)), N''),
        @subsystem = NULLIF(LTRIM(RTRIM(@subsystem)), N''),
        @category_name = NULLIF(LTRIM(RTRIM(@category_name)), N''),
        @date_comparator = NULLIF(@date_comparator, ''),
        @description = NULLIF(LTRIM(RTRIM(@description)), N'');

    IF ((@job_id IS NOT NULL OR @job_name IS NOT NULL OR @job_aspect IS NOT NULL)
        AND (@job_type IS NOT NULL OR @owner_login_name IS NOT NULL OR @subsystem IS NOT NULL OR @category_name IS NOT NULL
            OR @enabled IS NOT NULL OR @execution_status IS NOT NULL OR @date_comparator IS NOT NULL OR @date_created IS NOT NULL
            OR @date_last_modified IS NOT NULL OR @description IS NOT NULL))
        OR (@job_aspect IS NOT NULL AND @job_id IS NULL AND @job_name IS NULL)
    BEGIN
        RAISERROR(14280, 16, 1);
        RETURN (1);
    END

    IF @job_id IS NOT NULL OR @job_name IS NOT NULL
    BEGIN
        EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
        IF @retval <> 0
            RETURN (1);
        SELECT @job_aspect = ISNULL(@job_aspect, 'ALL');
        IF @job_aspect NOT IN ('ALL', 'JOB', 'STEPS', 'SCHEDULES', 'TARGETS')
        BEGIN
            RAISERROR(14266, 16, 1, N'@job_aspect', N'ALL, JOB, STEPS, SCHEDULES, TARGETS');
            RETURN (1);
        END
        IF @job_aspect IN ('ALL', 'JOB')
            EXEC dbo.sp_get_composite_job_info @job_id = @job_id;
        IF @job_aspect IN ('ALL', 'STEPS')
            EXEC dbo.sp_help_jobstep @job_id = @job_id, @suffix = 1;
        IF @job_aspect IN ('ALL', 'SCHEDULES')
            EXEC dbo.sp_help_jobschedule @job_id = @job_id;
        IF @job_aspect IN ('ALL', 'TARGETS')
            SELECT s.server_id,
                CAST(UPPER(CONVERT(sysname, SERVERPROPERTY('ServerName'))) AS nvarchar(30)) AS server_name,
                CAST(NULL AS datetime) AS enlist_date,
                CAST(NULL AS datetime) AS last_poll_date,
                s.last_run_date,
                s.last_run_time,
                s.last_run_duration,
                s.last_run_outcome,
                s.last_outcome_message
            FROM dbo.sysjobservers AS s
            WHERE s.job_id = @job_id
            ORDER BY s.server_id;
        RETURN (0);
    END

    IF @job_type NOT IN ('LOCAL', 'MULTI-SERVER')
    BEGIN
        RAISERROR(14266, 16, 1, N'@job_type', N'LOCAL, MULTI-SERVER');
        RETURN (1);
    END
    IF SUSER_SID(@owner_login_name, 0) IS NULL AND @owner_login_name IS NOT NULL
    BEGIN
        RAISERROR(14234, 16, 1, N'@owner_login_name', N'sp_helplogins');
        RETURN (1);
    END
    IF @subsystem IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.syssubsystems WHERE subsystem = @subsystem)
    BEGIN
        RAISERROR(14234, 16, 1, N'@subsystem', N'sp_enum_sqlagent_subsystems');
        RETURN (1);
    END
    IF @category_name IS NOT NULL
    BEGIN
        SELECT @category_id = category_id FROM dbo.syscategories WHERE name = @category_name AND category_class = 1;
        IF @category_id IS NULL
        BEGIN
            RAISERROR(14262, 16, 1, N'@category_name', @category_name);
            RETURN (1);
        END
    END
    IF @enabled NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@enabled', N'0, 1');
        RETURN (1);
    END
    IF @execution_status NOT IN (0, 1, 2, 3, 4, 5, 7)
    BEGIN
        SELECT @valid_values = N'0 (non-idle), 1 (executing), 2 (waiting for thread), 3 (between retries), 4 (idle), 5 (suspended), '
            + N'7 (performing completion actions)';
        RAISERROR(14266, 16, 1, N'@execution_status', @valid_values);
        RETURN (1);
    END
    IF (@date_comparator IS NULL AND (@date_created IS NOT NULL OR @date_last_modified IS NOT NULL))
        OR (@date_comparator IS NOT NULL AND @date_created IS NULL AND @date_last_modified IS NULL)
    BEGIN
        RAISERROR(14282, 16, 1);
        RETURN (1);
    END
    IF @date_comparator NOT IN ('=', '<', '>')
    BEGIN
        RAISERROR(14266, 16, 1, N'@date_comparator', N'=, >, <');
        RETURN (1);
    END

    EXEC dbo.sp_get_composite_job_info NULL, @job_type, @owner_login_name, @subsystem, @category_id, @enabled, @execution_status,
        @date_comparator, @date_created, @date_last_modified, @description;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_help_jobcount
    @schedule_name sysname = NULL,
    @schedule_id int = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @sees_all int;

    EXEC @retval = dbo.sp_verify_schedule_identifiers N'@schedule_name', N'@schedule_id', @schedule_name OUTPUT, @schedule_id OUTPUT;
    IF @retval <> 0
        RETURN (1);
    SELECT @sees_all = CASE WHEN IS_SRVROLEMEMBER(N'sysadmin') = 1 OR IS_MEMBER(N'SQLAgentReaderRole') = 1 THEN 1 ELSE 0 END;

    SELECT COUNT(*) AS JOBCOUNT
    FROM dbo.sysjobschedules AS a JOIN dbo.sysjobs AS j ON j.job_id = a.job_id
    WHERE a.schedule_id = @schedule_id AND (@sees_all = 1 OR j.owner_sid = SUSER_SID());
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_manage_jobs_by_login
    @action varchar(10),
    @current_owner_login_name sysname = NULL,
    @new_owner_login_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @current_sid varbinary(85), @new_sid varbinary(85), @job_id uniqueidentifier, @jobs int;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN (1);
    END
    SELECT @action = UPPER(LTRIM(RTRIM(@action))),
        @current_owner_login_name = LTRIM(RTRIM(@current_owner_login_name)),
        @new_owner_login_name = NULLIF(LTRIM(RTRIM(@new_owner_login_name)), N''),
        @jobs = 0;

    IF @action IS NULL OR @action NOT IN ('DELETE', 'REASSIGN')
    BEGIN
        RAISERROR(14266, 16, 1, N'@action', N'DELETE, REASSIGN');
        RETURN (1);
    END
    SELECT @current_sid = SUSER_SID(@current_owner_login_name, 0);
    IF @current_sid IS NULL
    BEGIN
        SELECT @current_owner_login_name = ISNULL(@current_owner_login_name, N'');
        RAISERROR(14262, 16, 1, N'@current_owner_login_name', @current_owner_login_name);
        RETURN (1);
    END

    IF @action = 'REASSIGN'
    BEGIN
        IF @new_owner_login_name IS NULL
        BEGIN
            RAISERROR(14237, 16, 1);
            RETURN (1);
        END
        SELECT @new_sid = SUSER_SID(@new_owner_login_name, 0);
        IF @new_sid IS NULL
        BEGIN
            RAISERROR(14262, 16, 1, N'@new_owner_login_name', @new_owner_login_name);
            RETURN (1);
        END
    END
    ELSE IF @new_owner_login_name IS NOT NULL
        RAISERROR(14281, 10, 1);

    DECLARE jobs_of_login CURSOR LOCAL STATIC FOR
        SELECT job_id FROM dbo.sysjobs WHERE owner_sid = @current_sid;
    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    OPEN jobs_of_login;
    FETCH NEXT FROM jobs_of_login INTO @job_id;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        IF @action = 'DELETE'
            EXEC dbo.sp_delete_job @job_id = @job_id;
        ELSE
            EXEC dbo.sp_update_job @job_id = @job_id, @owner_login_name = @new_owner_login_name;
        SELECT @jobs = @jobs + 1;
        FETCH NEXT FROM jobs_of_login INTO @job_id;
    END
    CLOSE jobs_of_login;
    DEALLOCATE jobs_of_login;
    COMMIT TRANSACTION;

    IF @action = 'DELETE'
        RAISERROR(14238, 10, 1, @jobs);
    ELSE
        RAISERROR(14239, 10, 1, @jobs, @new_owner_login_name);
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_add_jobserver
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @server_name sysname = NULL,
    @automatic_post bit = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @this_server sysname;

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14525, 16, 1);
        RETURN (1);
    END

    SELECT @server_name = ISNULL(NULLIF(LTRIM(RTRIM(@server_name)), N''), N'(local)'),
        @this_server = UPPER(CONVERT(sysname, SERVERPROPERTY('ServerName')));
    IF UPPER(@server_name) NOT IN (N'(LOCAL)', UPPER(@@SERVERNAME), @this_server)
    BEGIN
        RAISERROR(14262, 16, 1, N'@server_name', @server_name);
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
    BEGIN
        RAISERROR(14269, 16, 1, @job_name, @this_server);
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.sysjobs AS j JOIN dbo.syscategories AS c ON c.category_id = j.category_id
        WHERE j.job_id = @job_id AND c.category_type = 2)
    BEGIN
        RAISERROR(14285, 16, 1);
        RETURN (1);
    END

    INSERT INTO dbo.sysjobservers (job_id, server_id, last_run_outcome, last_outcome_message, last_run_date, last_run_time,
        last_run_duration)
    VALUES (@job_id, 0, 5, NULL, 0, 0, 0);
    IF @@ERROR <> 0
        RETURN (1);

    EXEC master.dbo.xp_sqlagent_notify N'J', @job_id, NULL, NULL, N'I', NULL;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_delete_jobserver
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @server_name sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @this_server sysname;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN (1);
    END
    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
    IF @retval <> 0
        RETURN (1);

    SELECT @server_name = ISNULL(LTRIM(RTRIM(@server_name)), N''),
        @this_server = UPPER(CONVERT(sysname, SERVERPROPERTY('ServerName')));
    IF UPPER(@server_name) NOT IN (N'(LOCAL)', UPPER(@@SERVERNAME), @this_server)
    BEGIN
        RAISERROR(14262, 16, 1, N'@server_name', @server_name);
        RETURN (1);
    END
    IF NOT EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
    BEGIN
        RAISERROR(14270, 16, 1, @job_name, @this_server);
        RETURN (1);
    END

    DELETE FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0;
    IF @@ERROR <> 0
        RETURN (1);
    UPDATE dbo.sysjobschedules SET next_run_date = 0, next_run_time = 0 WHERE job_id = @job_id;

    EXEC master.dbo.xp_sqlagent_notify N'J', @job_id, NULL, NULL, N'D', NULL;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_help_jobserver
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @show_last_run_details tinyint = 0
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @this_server nvarchar(30);

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF @show_last_run_details IS NULL OR @show_last_run_details NOT IN (0, 1)
    BEGIN
        RAISERROR(14266, 16, 1, N'@show_last_run_details', N'0, 1');
        RETURN (1);
    END

    SELECT @this_server = UPPER(CONVERT(sysname, SERVERPROPERTY('ServerName')));
    IF @show_last_run_details = 0
        SELECT s.server_id,
            @this_server AS server_name,
            CAST(NULL AS datetime) AS enlist_date,
            CAST(NULL AS datetime) AS last_poll_date
        FROM dbo.sysjobservers AS s
        WHERE s.job_id = @job_id
        ORDER BY s.server_id;
    ELSE
        SELECT s.server_id,
            @this_server AS server_name,
            CAST(NULL AS datetime) AS enlist_date,
            CAST(NULL AS datetime) AS last_poll_date,
            s.last_run_date,
            s.last_run_time,
            s.last_run_duration,
            s.last_outcome_message,
            CAST(s.last_run_outcome AS int) AS last_run_outcome
        FROM dbo.sysjobservers AS s
        WHERE s.job_id = @job_id
        ORDER BY s.server_id;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_apply_job_to_targets
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @target_server_groups nvarchar(2048) = NULL,
    @target_servers nvarchar(2048) = NULL,
    @operation varchar(7) = 'APPLY'
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN (1);
    END
    SELECT @target_server_groups = NULLIF(LTRIM(RTRIM(@target_server_groups)), N''),
        @target_servers = NULLIF(LTRIM(RTRIM(@target_servers)), N''),
        @operation = UPPER(LTRIM(RTRIM(@operation)));

    IF @target_server_groups IS NULL AND @target_servers IS NULL
    BEGIN
        RAISERROR(14283, 16, 1);
        RETURN (1);
    END
    IF @operation IS NULL OR @operation NOT IN ('APPLY', 'REMOVE')
    BEGIN
        RAISERROR(14266, 16, 1, N'@operation', N'APPLY, REMOVE');
        RETURN (1);
    END
    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT;
    IF @retval <> 0
        RETURN (1);

    -- This server is no master server: no target server and no group of them is known to it.
    IF @target_server_groups IS NOT NULL
        RAISERROR(14262, 16, 1, N'@target_server_groups', @target_server_groups);
    ELSE
        RAISERROR(14262, 16, 1, N'@target_servers', @target_servers);
    RETURN (1);
END
GO
CREATE PROCEDURE dbo.sp_remove_job_from_targets
    @job_id uniqueidentifier = NULL,
    @job_name sysname = NULL,
    @target_server_groups nvarchar(1024) = NULL,
    @target_servers nvarchar(1024) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int;

    EXEC @retval = dbo.sp_apply_job_to_targets @job_id, @job_name, @target_server_groups, @target_servers, 'REMOVE';
    RETURN (@retval);
END
GO
CREATE PROCEDURE dbo.sp_start_job
    @job_name sysname = NULL,
    @job_id uniqueidentifier = NULL,
    @error_flag int = 1,
    @server_name sysname = NULL,
    @step_name sysname = NULL,
    @output_flag int = 1
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @step_id int, @job_id_text nvarchar(36), @source sysname, @refusal nvarchar(600);

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND ISNULL(IS_MEMBER(N'SQLAgentOperatorRole'), 0) = 0
        AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14393, 16, 1);
        RETURN (1);
    END

    SELECT @server_name = NULLIF(LTRIM(RTRIM(@server_name)), N''),
        @step_name = NULLIF(LTRIM(RTRIM(@step_name)), N''),
        @job_id_text = CONVERT(nvarchar(36), @job_id);
    IF UPPER(@server_name) NOT IN (N'(LOCAL)', UPPER(@@SERVERNAME), UPPER(CONVERT(sysname, SERVERPROPERTY('ServerName'))))
    BEGIN
        RAISERROR(14262, 16, 1, N'@server_name', @server_name);
        RETURN (1);
    END
    IF NOT EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
    BEGIN
        RAISERROR(14256, 16, 1, @job_name, @job_id_text);
        RETURN (1);
    END
    IF NOT EXISTS (SELECT * FROM dbo.sysjobsteps WHERE job_id = @job_id)
    BEGIN
        RAISERROR(14528, 16, 1, @job_name);
        RETURN (1);
    END
    IF @step_name IS NOT NULL
    BEGIN
        SELECT @step_id = step_id FROM dbo.sysjobsteps WHERE job_id = @job_id AND step_name = @step_name;
        IF @step_id IS NULL
        BEGIN
            RAISERROR(14262, 16, 1, N'@step_name', @step_name);
            RETURN (1);
        END
    END

    SELECT @source = ISNULL(a.run_requested_source, N'')
    FROM dbo.sysjobactivity AS a
    WHERE a.job_id = @job_id AND a.session_id = (SELECT MAX(session_id) FROM dbo.syssessions)
        AND a.start_execution_date IS NOT NULL AND a.stop_execution_date IS NULL;
    IF @source IS NOT NULL
    BEGIN
        SELECT @refusal = N'Request to run job ' + @job_name + N' (from User ' + SUSER_SNAME()
            + N') refused because the job is already running from a request by '
            + CASE @source
                WHEN N'1' THEN N'a schedule'
                WHEN N'2' THEN N'an alert'
                WHEN N'3' THEN N'the start of SQLServerAgent'
                WHEN N'6' THEN N'an idle schedule'
                ELSE N'a user'
            END + N'.';
        RAISERROR(22022, 16, 1, @refusal);
        RETURN (1);
    END

    EXEC @retval = master.dbo.xp_sqlagent_notify N'J', @job_id, NULL, NULL, N'S', @step_id;
    IF @retval = 2
    BEGIN
        SELECT @refusal = N'Request to run job ' + @job_name + N' (from User ' + SUSER_SNAME()
            + N') refused because the job already has a pending request.';
        RAISERROR(22022, 16, 1, @refusal);
        RETURN (1);
    END
    IF ISNULL(@retval, 1) <> 0
        RETURN (1);
    IF @output_flag = 1
        RAISERROR(14243, 10, 1, @job_name);
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_stop_job
    @job_name sysname = NULL,
    @job_id uniqueidentifier = NULL,
    @originating_server sysname = NULL,
    @server_name sysname = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @retval int, @owner_sid varbinary(85), @job_id_text nvarchar(36), @refusal nvarchar(600);

    SELECT @job_name = NULLIF(LTRIM(RTRIM(@job_name)), N''),
        @originating_server = NULLIF(LTRIM(RTRIM(@originating_server)), N''),
        @server_name = NULLIF(LTRIM(RTRIM(@server_name)), N'');
    IF (@job_name IS NULL AND @job_id IS NULL AND @originating_server IS NULL)
        OR (@originating_server IS NOT NULL AND (@job_name IS NOT NULL OR @job_id IS NOT NULL))
    BEGIN
        RAISERROR(14232, 16, 1);
        RETURN (1);
    END
    IF @originating_server IS NOT NULL
    BEGIN
        RAISERROR(14268, 16, 1, @originating_server);
        RETURN (1);
    END

    EXEC @retval = dbo.sp_verify_job_identifiers @job_name OUTPUT, @job_id OUTPUT, @owner_sid OUTPUT;
    IF @retval <> 0
        RETURN (1);
    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0 AND ISNULL(IS_MEMBER(N'SQLAgentOperatorRole'), 0) = 0
        AND @owner_sid <> SUSER_SID()
    BEGIN
        RAISERROR(14393, 16, 1);
        RETURN (1);
    END
    IF UPPER(@server_name) NOT IN (N'(LOCAL)', UPPER(@@SERVERNAME), UPPER(CONVERT(sysname, SERVERPROPERTY('ServerName'))))
    BEGIN
        RAISERROR(14262, 16, 1, N'@server_name', @server_name);
        RETURN (1);
    END
    SELECT @job_id_text = CONVERT(nvarchar(36), @job_id);
    IF NOT EXISTS (SELECT * FROM dbo.sysjobservers WHERE job_id = @job_id AND server_id = 0)
    BEGIN
        RAISERROR(14257, 16, 1, @job_name, @job_id_text);
        RETURN (1);
    END
    IF NOT EXISTS (SELECT * FROM dbo.sysjobactivity AS a
        WHERE a.job_id = @job_id AND a.session_id = (SELECT MAX(session_id) FROM dbo.syssessions)
            AND a.start_execution_date IS NOT NULL AND a.stop_execution_date IS NULL)
    BEGIN
        SELECT @refusal = N'Request to stop job ' + @job_name + N' (from User ' + SUSER_SNAME()
            + N') refused because the job is not currently running.';
        RAISERROR(22022, 16, 1, @refusal);
        RETURN (1);
    END

    EXEC @retval = master.dbo.xp_sqlagent_notify N'J', @job_id, NULL, NULL, N'C', NULL;
    IF @retval <> 0
        RETURN (1);
    RAISERROR(14254, 10, 1, @job_name);
    RETURN (0);
END
GO
