-- Database Mail: accounts, profiles, who may use them, mails with their attachments, the log, and the views over them.
-- Runs in msdb as dbo, in one batch, before the first call of a procedure of the family; what is there already stays.

SET NOCOUNT ON;

IF DATABASE_PRINCIPAL_ID(N'DatabaseMailUserRole') IS NULL
    CREATE ROLE DatabaseMailUserRole;

IF OBJECT_ID(N'dbo.sysmail_servertype', N'U') IS NULL
BEGIN
    CREATE TABLE dbo.sysmail_servertype (
        servertype sysname NOT NULL CONSTRAINT SYSMAIL_SERVERTYPE_TypeMustBeUnique PRIMARY KEY,
        is_incoming bit NOT NULL DEFAULT 0,
        is_outgoing bit NOT NULL DEFAULT 1,
        last_mod_datetime datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME());
    INSERT dbo.sysmail_servertype (servertype) VALUES (N'SMTP');
END;

IF OBJECT_ID(N'dbo.sysmail_account', N'U') IS NULL
    CREATE TABLE dbo.sysmail_account (
        account_id int NOT NULL IDENTITY(1, 1) CONSTRAINT SYSMAIL_ACCOUNT_IDMustBeUnique PRIMARY KEY,
        name sysname NOT NULL CONSTRAINT SYSMAIL_ACCOUNT_NameMustBeUnique UNIQUE,
        description nvarchar(256) NULL,
        email_address nvarchar(128) NOT NULL,
        display_name nvarchar(128) NULL,
        replyto_address nvarchar(128) NULL,
        last_mod_datetime datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME());

-- There is no column for a password: it is not kept.
IF OBJECT_ID(N'dbo.sysmail_server', N'U') IS NULL
    CREATE TABLE dbo.sysmail_server (
        account_id int NOT NULL REFERENCES dbo.sysmail_account (account_id) ON DELETE CASCADE,
        servertype sysname NOT NULL REFERENCES dbo.sysmail_servertype (servertype),
        servername sysname NOT NULL,
        port int NOT NULL DEFAULT 25,
        username nvarchar(128) NULL,
        credential_id int NULL,
        use_default_credentials bit NOT NULL DEFAULT 0,
        enable_ssl bit NOT NULL DEFAULT 0,
        flags int NOT NULL DEFAULT 0,
        timeout int NULL,
        last_mod_datetime datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME(),
        CONSTRAINT SYSMAIL_ACCOUNT_AccountServerTypeMustBeUnique PRIMARY KEY (account_id, servertype));

IF OBJECT_ID(N'dbo.sysmail_profile', N'U') IS NULL
    CREATE TABLE dbo.sysmail_profile (
        profile_id int NOT NULL IDENTITY(1, 1) CONSTRAINT SYSMAIL_PROFILE_IDMustBeUnique PRIMARY KEY,
        name sysname NOT NULL CONSTRAINT SYSMAIL_PROFILE_NameMustBeUnique UNIQUE,
        description nvarchar(256) NULL,
        last_mod_datetime datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME());

IF OBJECT_ID(N'dbo.sysmail_profileaccount', N'U') IS NULL
    CREATE TABLE dbo.sysmail_profileaccount (
        profile_id int NOT NULL REFERENCES dbo.sysmail_profile (profile_id) ON DELETE CASCADE,
        account_id int NOT NULL REFERENCES dbo.sysmail_account (account_id) ON DELETE CASCADE,
        sequence_number int NULL,
        last_mod_datetime datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME(),
        CONSTRAINT SYSMAIL_ACCOUNT_ProfileAccountMustBeUnique PRIMARY KEY (profile_id, account_id));

-- 0x00 is everybody.
IF OBJECT_ID(N'dbo.sysmail_principalprofile', N'U') IS NULL
    CREATE TABLE dbo.sysmail_principalprofile (
        profile_id int NOT NULL REFERENCES dbo.sysmail_profile (profile_id) ON DELETE CASCADE,
        principal_sid varbinary(85) NOT NULL,
        is_default bit NOT NULL DEFAULT 0,
        last_mod_datetime datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME(),
        CONSTRAINT SYSMAIL_PRINCIPALPROFILE_ProfilePrincipalMustBeUnique PRIMARY KEY (profile_id, principal_sid));

IF OBJECT_ID(N'dbo.sysmail_configuration', N'U') IS NULL
BEGIN
    CREATE TABLE dbo.sysmail_configuration (
        paramname nvarchar(256) NOT NULL CONSTRAINT SYSMAIL_CONFIGURATION_ParamnameMustBeUnique PRIMARY KEY,
        paramvalue nvarchar(256) NULL,
        description nvarchar(256) NULL,
        last_mod_datetime datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME());
    INSERT dbo.sysmail_configuration (paramname, paramvalue, description)
    VALUES
        (N'AccountRetryAttempts', N'1', N'Number of retry attempts for a mail server'),
        (N'AccountRetryDelay', N'5000', N'Delay between each retry attempt to mail server'),
        (N'DatabaseMailExeMinimumLifeTime', N'600', N'Minimum process lifetime in seconds'),
        (N'DefaultAttachmentEncoding', N'MIME', N'Default attachment encoding'),
        (N'LoggingLevel', N'2', N'Database Mail logging level: normal - 1, extended - 2 (default), verbose - 3'),
        (N'MaxFileSize', N'1000000', N'Default maximum file size'),
        (N'ProhibitedExtensions', N'exe,dll,vbs,js', N'Extensions not allowed in outgoing mails');
END;

-- In place of the two queues of Service Broker.
IF OBJECT_ID(N'dbo.sysmail_queues', N'U') IS NULL
BEGIN
    CREATE TABLE dbo.sysmail_queues (
        queue_type nvarchar(6) NOT NULL PRIMARY KEY,
        is_receive_enabled bit NOT NULL DEFAULT 1);
    INSERT dbo.sysmail_queues (queue_type) VALUES (N'mail'), (N'status');
END;

-- sent_status: 0 unsent, 1 sent, 2 failed, 3 retrying.
IF OBJECT_ID(N'dbo.sysmail_mailitems', N'U') IS NULL
    CREATE TABLE dbo.sysmail_mailitems (
        mailitem_id int NOT NULL IDENTITY(1, 1) CONSTRAINT sysmail_mailitems_id_MustBeUnique PRIMARY KEY,
        profile_id int NOT NULL,
        recipients varchar(max) NULL,
        copy_recipients varchar(max) NULL,
        blind_copy_recipients varchar(max) NULL,
        subject nvarchar(510) NULL,
        from_address varchar(max) NULL,
        reply_to varchar(max) NULL,
        body nvarchar(max) NULL,
        body_format varchar(20) NULL,
        importance varchar(6) NULL,
        sensitivity varchar(12) NULL,
        file_attachments nvarchar(max) NULL,
        attachment_encoding varchar(20) NULL,
        query nvarchar(max) NULL,
        execute_query_database sysname NULL,
        attach_query_result_as_file bit NULL,
        query_result_header bit NULL,
        query_result_width int NULL,
        query_result_separator char(1) NULL,
        exclude_query_output bit NULL,
        append_query_error bit NULL,
        send_request_date datetime NOT NULL DEFAULT GETDATE(),
        send_request_user sysname NOT NULL DEFAULT SUSER_SNAME(),
        sent_account_id int NULL,
        sent_status tinyint NULL DEFAULT 0,
        sent_date datetime NULL,
        last_mod_date datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME());

IF OBJECT_ID(N'dbo.sysmail_attachments', N'U') IS NULL
    CREATE TABLE dbo.sysmail_attachments (
        attachment_id int NOT NULL IDENTITY(1, 1) PRIMARY KEY,
        mailitem_id int NOT NULL REFERENCES dbo.sysmail_mailitems (mailitem_id) ON DELETE CASCADE,
        filename nvarchar(520) NOT NULL,
        filesize int NOT NULL,
        attachment varbinary(max) NULL,
        last_mod_date datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME());

IF OBJECT_ID(N'dbo.sysmail_send_retries', N'U') IS NULL
    CREATE TABLE dbo.sysmail_send_retries (
        conversation_handle uniqueidentifier NOT NULL PRIMARY KEY,
        mailitem_id int NOT NULL REFERENCES dbo.sysmail_mailitems (mailitem_id) ON DELETE CASCADE,
        send_attempts int NOT NULL DEFAULT 1,
        last_send_attempt_date datetime NOT NULL DEFAULT GETDATE());

-- event_type: 0 success, 1 information, 2 warning, 3 error.
IF OBJECT_ID(N'dbo.sysmail_log', N'U') IS NULL
    CREATE TABLE dbo.sysmail_log (
        log_id int NOT NULL IDENTITY(1, 1) CONSTRAINT sysmail_log_id_MustBeUnique PRIMARY KEY,
        event_type int NOT NULL,
        log_date datetime NOT NULL DEFAULT GETDATE(),
        description nvarchar(max) NULL,
        process_id int NULL,
        mailitem_id int NULL,
        account_id int NULL,
        last_mod_date datetime NOT NULL DEFAULT GETDATE(),
        last_mod_user sysname NOT NULL DEFAULT SUSER_SNAME());

-- Who is no sysadmin sees his own mails.
IF OBJECT_ID(N'dbo.sysmail_allitems', N'V') IS NULL
    EXEC (N'
CREATE VIEW dbo.sysmail_allitems AS
SELECT
    mailitem_id, profile_id, recipients, copy_recipients, blind_copy_recipients, subject, body, body_format, importance,
    sensitivity, file_attachments, attachment_encoding, query, execute_query_database, attach_query_result_as_file,
    query_result_header, query_result_width, query_result_separator, exclude_query_output, append_query_error,
    send_request_date, send_request_user, sent_account_id,
    CAST(CASE sent_status WHEN 0 THEN ''unsent'' WHEN 1 THEN ''sent'' WHEN 3 THEN ''retrying'' ELSE ''failed'' END AS varchar(8))
        AS sent_status,
    sent_date, last_mod_date, last_mod_user
FROM dbo.sysmail_mailitems
WHERE send_request_user = SUSER_SNAME() OR IS_SRVROLEMEMBER(N''sysadmin'') = 1;');

IF OBJECT_ID(N'dbo.sysmail_sentitems', N'V') IS NULL
    EXEC (N'
CREATE VIEW dbo.sysmail_sentitems AS
SELECT
    mailitem_id, profile_id, recipients, copy_recipients, blind_copy_recipients, subject, body, body_format, importance,
    sensitivity, file_attachments, attachment_encoding, query, execute_query_database, attach_query_result_as_file,
    query_result_header, query_result_width, query_result_separator, exclude_query_output, append_query_error,
    send_request_date, send_request_user, sent_account_id, sent_status, sent_date, last_mod_date, last_mod_user
FROM dbo.sysmail_allitems
WHERE sent_status = ''sent'';');

IF OBJECT_ID(N'dbo.sysmail_unsentitems', N'V') IS NULL
    EXEC (N'
CREATE VIEW dbo.sysmail_unsentitems AS
SELECT
    mailitem_id, profile_id, recipients, copy_recipients, blind_copy_recipients, subject, body, body_format, importance,
    sensitivity, file_attachments, attachment_encoding, query, execute_query_database, attach_query_result_as_file,
    query_result_header, query_result_width, query_result_separator, exclude_query_output, append_query_error,
    send_request_date, send_request_user, sent_account_id, sent_status, sent_date, last_mod_date, last_mod_user
FROM dbo.sysmail_allitems
WHERE sent_status IN (''unsent'', ''retrying'');');

IF OBJECT_ID(N'dbo.sysmail_faileditems', N'V') IS NULL
    EXEC (N'
CREATE VIEW dbo.sysmail_faileditems AS
SELECT
    mailitem_id, profile_id, recipients, copy_recipients, blind_copy_recipients, subject, body, body_format, importance,
    sensitivity, file_attachments, attachment_encoding, query, execute_query_database, attach_query_result_as_file,
    query_result_header, query_result_width, query_result_separator, exclude_query_output, append_query_error,
    send_request_date, send_request_user, sent_account_id, sent_status, sent_date, last_mod_date, last_mod_user
FROM dbo.sysmail_allitems
WHERE sent_status = ''failed'';');

IF OBJECT_ID(N'dbo.sysmail_mailattachments', N'V') IS NULL
    EXEC (N'
CREATE VIEW dbo.sysmail_mailattachments AS
SELECT a.attachment_id, a.mailitem_id, a.filename, a.filesize, a.attachment, a.last_mod_date, a.last_mod_user
FROM dbo.sysmail_attachments AS a
JOIN dbo.sysmail_mailitems AS m ON m.mailitem_id = a.mailitem_id
WHERE m.send_request_user = SUSER_SNAME() OR IS_SRVROLEMEMBER(N''sysadmin'') = 1;');

IF OBJECT_ID(N'dbo.sysmail_event_log', N'V') IS NULL
    EXEC (N'
CREATE VIEW dbo.sysmail_event_log AS
SELECT
    l.log_id,
    CAST(CASE l.event_type WHEN 0 THEN ''success'' WHEN 1 THEN ''information'' WHEN 2 THEN ''warning'' ELSE ''error'' END
        AS varchar(11)) AS event_type,
    l.log_date, l.description, l.process_id, l.mailitem_id, l.account_id, l.last_mod_date, l.last_mod_user
FROM dbo.sysmail_log AS l
WHERE IS_SRVROLEMEMBER(N''sysadmin'') = 1
    OR EXISTS (
        SELECT * FROM dbo.sysmail_mailitems AS m
        WHERE m.mailitem_id = l.mailitem_id AND m.send_request_user = SUSER_SNAME());');

-- The names are looked up when this runs: the views have been made by then.
EXEC (N'
GRANT SELECT ON dbo.sysmail_allitems TO DatabaseMailUserRole;
GRANT SELECT ON dbo.sysmail_sentitems TO DatabaseMailUserRole;
GRANT SELECT ON dbo.sysmail_unsentitems TO DatabaseMailUserRole;
GRANT SELECT ON dbo.sysmail_faileditems TO DatabaseMailUserRole;
GRANT SELECT ON dbo.sysmail_mailattachments TO DatabaseMailUserRole;
GRANT SELECT ON dbo.sysmail_event_log TO DatabaseMailUserRole;');
