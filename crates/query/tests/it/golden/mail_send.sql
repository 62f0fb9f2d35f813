-- Mails are checked, stored with the results of queries and told, and wait: the log says that nothing sends them.
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'No profile is there';
EXEC msdb.dbo.sp_send_dbmail @profile_name = N'no such', @recipients = 'a@example.com', @subject = N'x';
GO
--> Msg 14636, Level 16, State 1, Line 63: No global profile is configured. Specify a profile name in the @profile_name parameter.
--> Msg 14607, Level 16, State 1, Line 51: profile name is not valid
EXEC msdb.dbo.sysmail_add_profile_sp N'public one';
EXEC msdb.dbo.sysmail_add_profile_sp N'private one';
EXEC msdb.dbo.sysmail_add_principalprofile_sp @principal_name = N'public', @profile_name = N'public one', @is_default = 1;
GO
DECLARE @r int, @id int;
EXEC @r = msdb.dbo.sp_send_dbmail @recipients = 'a@example.com;b@example.com', @copy_recipients = 'c@example.com', @subject = N'Тема',
    @body = N'Тело', @body_format = 'html', @importance = 'High', @sensitivity = 'Private', @mailitem_id = @id OUTPUT;
SELECT @r AS returned, @id AS mailitem_id;
EXEC @r = msdb.dbo.sp_send_dbmail N'private one', @blind_copy_recipients = 'd@example.com', @body = N'Only a body',
    @exclude_query_output = 1;
SELECT @r AS returned;
GO
--> # Mail (Id: 1) queued.
--> [returned:int | mailitem_id:int]
--> 0 | 1
--> (1 rows affected)
--> [returned:int]
--> 0
--> (1 rows affected)
SELECT mailitem_id, profile_id, recipients, copy_recipients, blind_copy_recipients, subject, body, body_format, importance, sensitivity,
    send_request_user, sent_account_id, sent_status, sent_date
FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id;
SELECT mailitem_id, sent_status FROM msdb.dbo.sysmail_unsentitems ORDER BY mailitem_id;
SELECT COUNT(*) AS sent FROM msdb.dbo.sysmail_sentitems;
SELECT COUNT(*) AS failed FROM msdb.dbo.sysmail_faileditems;
SELECT log_id, event_type, description, mailitem_id FROM msdb.dbo.sysmail_event_log ORDER BY log_id;
GO
--> [mailitem_id:int | profile_id:int | recipients:varchar(max) | copy_recipients:varchar(max) | blind_copy_recipients:varchar(max) | subject:nvarchar(510) | body:nvarchar(max) | body_format:varchar(20) | importance:varchar(6) | sensitivity:varchar(12) | send_request_user:nvarchar(128) | sent_account_id:int | sent_status:varchar(8) | sent_date:datetime]
--> 1 | 1 | a@example.com;b@example.com | c@example.com | NULL | Тема | Тело | HTML | HIGH | PRIVATE | sa | NULL | unsent | NULL
--> 2 | 2 | NULL | NULL | d@example.com | SQL Server Message | Only a body | TEXT | NORMAL | NORMAL | sa | NULL | unsent | NULL
--> (2 rows affected)
--> [mailitem_id:int | sent_status:varchar(8)]
--> 1 | unsent
--> 2 | unsent
--> (2 rows affected)
--> [sent:int]
--> 0
--> (1 rows affected)
--> [failed:int]
--> 0
--> (1 rows affected)
--> [log_id:int | event_type:varchar(11) | description:nvarchar(max) | mailitem_id:int]
--> 1 | warning | The mail is stored and was not sent: this server has no process that sends mail. | 1
--> 2 | warning | The mail is stored and was not sent: this server has no process that sends mail. | 2
--> (2 rows affected)
EXEC msdb.dbo.sp_send_dbmail @subject = N'x';
EXEC msdb.dbo.sp_send_dbmail @recipients = '  ', @subject = N'x';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'', @body = N'';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'x', @importance = 'urgent';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'x', @sensitivity = 'secret';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'x', @body_format = 'rtf';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'x', @file_attachments = N'/etc/hostname';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'x', @attach_query_result_as_file = 1;
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT 1', @query_result_width = 9;
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT 1', @query_no_truncate = 1, @query_result_no_padding = 1;
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT 1', @execute_query_database = N'no such]';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT 1', @attach_query_result_as_file = 1,
    @query_attachment_filename = N'result.EXE';
SELECT COUNT(*) AS mails FROM msdb.dbo.sysmail_allitems;
GO
--> Msg 14624, Level 16, State 1, Line 114: At least one of the following parameters must be specified. "@recipients, @copy_recipients, @blind_copy_recipients".
--> Msg 14624, Level 16, State 1, Line 114: At least one of the following parameters must be specified. "@recipients, @copy_recipients, @blind_copy_recipients".
--> Msg 14624, Level 16, State 1, Line 119: At least one of the following parameters must be specified. "@body, @query, @file_attachments, @subject".
--> Msg 14624, Level 16, State 1, Line 119: At least one of the following parameters must be specified. "@body, @query, @file_attachments, @subject".
--> Msg 14622, Level 16, State 1, Line 99: Parameter @importance does not support the value "URGENT". Mail importance must be one of LOW, NORMAL, or HIGH.
--> Msg 14623, Level 16, State 1, Line 104: Parameter @sensitivity does not support the value "SECRET". Mail sensitivity must be one of NORMAL, PERSONAL, PRIVATE, or CONFIDENTIAL.
--> Msg 14626, Level 16, State 1, Line 109: Parameter @mailformat does not support the value "RTF". The mail format must be TEXT or HTML.
--> Msg 40517, Level 16, State 1, Line 125: sp_send_dbmail with @file_attachments is not supported in this version of Millpond.
--> Msg 14625, Level 16, State 1, Line 89: Parameter @attach_query_result_as_file cannot be 1 (true) when no value is specified for parameter @query. A query must be specified to attach the results of the query.
--> Msg 14266, Level 16, State 1, Line 94: The specified '@query_result_width' is invalid (valid values are: 10..32767).
--> Msg 22050, Level 16, State 1, Line 137: Failed to execute the query because the @query_result_no_append and @query_no_truncate options are mutually exclusive.
--> Msg 14633, Level 16, State 1, Line 143: The database name "no such]" specified in @execute_query_database is invalid. There is no database by that name.
--> Msg 14630, Level 16, State 1, Line 165: Database Mail is not permitted to send files with the file extension EXE.
--> [mails:int]
--> 2
--> (1 rows affected)
-- Results are text as sqlcmd prints it.
EXEC msdb.dbo.sysmail_delete_mailitems_sp @sent_status = 'unsent';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @body = N'See:', @query = N'
SELECT 1 AS a, N''ab'' AS b, CAST(NULL AS bit) AS n, CAST(1.5 AS float) AS f, 0xAB AS x, CAST(''2020-01-02 03:04:05'' AS datetime) AS d,
    CAST(-0.25 AS numeric(4, 2)) AS q, CAST(2 AS money) AS m, N''Ж'' AS [a long name];';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @execute_query_database = N'master', @query_result_no_padding = 1,
    @query_result_separator = ';',
    @query = N'SET NOCOUNT ON; SELECT name, database_id FROM sys.databases WHERE database_id < 4 ORDER BY database_id';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query_result_width = 20, @query_result_header = 0,
    @query = N'SELECT REPLICATE(N''x'', 30) AS x, 5 AS y';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query_no_truncate = 1, @query_result_width = 32767,
    @query = N'SET NOCOUNT ON; SELECT REPLICATE(CAST(N''y'' AS nvarchar(max)), 300) AS y';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query_result_no_padding = 1,
    @query = N'SELECT name FROM sys.databases WHERE 1 = 0';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'EXEC (''SELECT 7'')';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'DECLARE @x int = 1;', @body = N'Nothing';
GO
--> # Mail (Id: 3) queued.
--> # Mail (Id: 4) queued.
--> # Mail (Id: 5) queued.
--> # Mail (Id: 6) queued.
--> # Mail (Id: 7) queued.
--> # Mail (Id: 8) queued.
--> # Mail (Id: 9) queued.
SELECT subject, REPLACE(body, NCHAR(13) + NCHAR(10), N'¶') AS body FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id;
GO
--> [subject:nvarchar(510) | body:nvarchar(max)]
--> SQL Server Message | See:¶a           b  n   f                        x    d                       q      m                     a long name¶----------- -- --- ------------------------ ---- ----------------------- ------ --------------------- -----------¶          1 ab NULL                      1.5 0xAB 2020-01-02 03:04:05.000  -0.25                2.0000 Ж          ¶¶(1 rows affected)¶
--> SQL Server Message | name;database_id¶----;-----------¶master;1¶tempdb;2¶model;3¶
--> SQL Server Message | xxxxxxxxxxxxxxxxxxxx¶xxxxxxxxxx          ¶ 5¶¶(1 rows affected)¶
--> SQL Server Message | yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy¶
--> SQL Server Message | name¶----¶¶(0 rows affected)¶
--> SQL Server Message | 7¶
--> SQL Server Message | Nothing¶
--> (7 rows affected)
EXEC msdb.dbo.sysmail_delete_mailitems_sp @sent_status = 'unsent';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT N''Ж'' AS a', @query_result_no_padding = 1,
    @attach_query_result_as_file = 1, @query_attachment_filename = N'result.csv';
SELECT a.filename, a.filesize, SUBSTRING(a.attachment, 1, 2) AS mark,
    REPLACE(CAST(SUBSTRING(a.attachment, 3, 4000) AS nvarchar(2000)), NCHAR(13) + NCHAR(10), N'¶') AS attachment, m.body
FROM msdb.dbo.sysmail_mailattachments AS a JOIN msdb.dbo.sysmail_allitems AS m ON m.mailitem_id = a.mailitem_id;
EXEC msdb.dbo.sysmail_configure_sp N'MaxFileSize', N'20';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT 1 AS a', @attach_query_result_as_file = 1;
EXEC msdb.dbo.sysmail_configure_sp N'MaxFileSize', N'1000000';
GO
--> # Mail (Id: 10) queued.
--> [filename:nvarchar(520) | filesize:int | mark:varbinary(max) | attachment:nvarchar(4000) | body:nvarchar(max)]
--> result.csv | 62 | 0xFFFE | a¶-¶Ж¶¶(1 rows affected)¶ | NULL
--> (1 rows affected)
--> Msg 22051, Level 16, State 1, Line 194: File attachment or query results size exceeds allowable value of 20 bytes.
-- Queries that fail, and those whose columns are known when they run only.
DECLARE @r int;
EXEC @r = msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT * FROM no_such';
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT 1 / 0 AS a';
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT 1 / 0 AS a', @append_query_error = 1, @body = N'Sorry:';
SELECT @r AS returned;
SELECT TOP (1) REPLACE(body, NCHAR(13) + NCHAR(10), N'¶') AS body FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id DESC;
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'CREATE TABLE #t (a int); SELECT a FROM #t';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'EXEC (''SELECT 7, 8'')';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT 1 AS a; SELECT 1 AS b, 2 AS c';
GO
--> Msg 14661, Level 16, State 1, Line 178: Query execution failed: Invalid object name 'no_such'.
--> [returned:int]
--> 1
--> (1 rows affected)
--> Msg 14661, Level 16, State 1, Line 178: Query execution failed: Divide by zero error encountered.
--> [returned:int]
--> 1
--> (1 rows affected)
--> # Mail (Id: 11) queued.
--> [returned:int]
--> 0
--> (1 rows affected)
--> [body:nvarchar(max)]
--> Sorry:¶Divide by zero error encountered.
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 45: sp_send_dbmail with a @query whose columns are not known before it runs is not supported in this version of Millpond.
--> Msg 40517, Level 16, State 1, Line 61: sp_send_dbmail with a @query whose columns are not known before it runs is not supported in this version of Millpond.
--> Msg 40517, Level 16, State 1, Line 166: sp_send_dbmail with a @query whose results have different columns is not supported in this version of Millpond.
-- A transaction of the caller takes a mail back.
BEGIN TRANSACTION;
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'never', @exclude_query_output = 1;
SELECT @@TRANCOUNT AS transactions;
ROLLBACK;
SELECT COUNT(*) AS never FROM msdb.dbo.sysmail_allitems WHERE subject = N'never';
GO
--> [transactions:int]
--> 1
--> (1 rows affected)
--> [never:int]
--> 0
--> (1 rows affected)
EXEC msdb.dbo.sysmail_help_configure_sp;
DECLARE @value nvarchar(256);
EXEC msdb.dbo.sysmail_help_configure_sp N'MaxFileSize', @value OUTPUT;
SELECT @value AS value;
EXEC msdb.dbo.sysmail_help_configure_sp N'no such';
EXEC msdb.dbo.sysmail_configure_sp N'no such', N'1';
EXEC msdb.dbo.sysmail_configure_sp N'LoggingLevel', N'4';
EXEC msdb.dbo.sysmail_configure_sp N'AccountRetryDelay', N'soon';
EXEC msdb.dbo.sysmail_configure_sp N'AccountRetryDelay', N'-5';
EXEC msdb.dbo.sysmail_configure_sp N'AccountRetryDelay', NULL;
EXEC msdb.dbo.sysmail_configure_sp N'DefaultAttachmentEncoding', N'UUENCODE';
GO
--> [paramname:nvarchar(256) | paramvalue:nvarchar(256) | description:nvarchar(256)]
--> AccountRetryAttempts | 1 | Number of retry attempts for a mail server
--> AccountRetryDelay | 5000 | Delay between each retry attempt to mail server
--> DatabaseMailExeMinimumLifeTime | 600 | Minimum process lifetime in seconds
--> DefaultAttachmentEncoding | MIME | Default attachment encoding
--> LoggingLevel | 2 | Database Mail logging level: normal - 1, extended - 2 (default), verbose - 3
--> MaxFileSize | 1000000 | Default maximum file size
--> ProhibitedExtensions | exe,dll,vbs,js | Extensions not allowed in outgoing mails
--> [value:nvarchar(256)]
--> 1000000
--> (1 rows affected)
--> Msg 14629, Level 16, State 1, Line 23: There is no configuration parameter named "no such", or the value provided is not of the correct data type.
--> Msg 14629, Level 16, State 1, Line 25: There is no configuration parameter named "no such", or the value provided is not of the correct data type.
--> Msg 14629, Level 16, State 1, Line 25: There is no configuration parameter named "LoggingLevel", or the value provided is not of the correct data type.
--> Msg 14629, Level 16, State 1, Line 25: There is no configuration parameter named "AccountRetryDelay", or the value provided is not of the correct data type.
--> Msg 14629, Level 16, State 1, Line 25: There is no configuration parameter named "AccountRetryDelay", or the value provided is not of the correct data type.
--> Msg 14629, Level 16, State 1, Line 25: There is no configuration parameter named "AccountRetryDelay", or the value provided is not of the correct data type.
--> Msg 14621, Level 16, State 1, Line 30: Parameter @attachmentencoding does not support the value "UUENCODE". The attachment encoding must be "MIME".
EXEC msdb.dbo.sysmail_delete_mailitems_sp @sent_before = '99990101';
EXEC msdb.dbo.sysmail_delete_log_sp;
EXEC msdb.dbo.sysmail_help_status_sp;
EXEC msdb.dbo.sysmail_stop_sp;
EXEC msdb.dbo.sysmail_help_status_sp;
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'Stopped';
EXEC msdb.dbo.sysmail_help_queue_sp;
EXEC msdb.dbo.sysmail_help_queue_sp N'status';
EXEC msdb.dbo.sysmail_help_queue_sp N'x';
EXEC msdb.dbo.sysmail_start_sp;
EXEC msdb.dbo.sysmail_help_status_sp;
SELECT event_type, description FROM msdb.dbo.sysmail_event_log ORDER BY log_id;
GO
--> [Status:nvarchar(7)]
--> STARTED
--> [Status:nvarchar(7)]
--> STOPPED
--> # Mail (Id: 13) queued.
--> [queue_type:nvarchar(6) | length:int | state:nvarchar(64) | last_empty_rowset_time:datetime | last_activated_time:datetime]
--> mail | 1 | INACTIVE | NULL | NULL
--> status | 0 | INACTIVE | NULL | NULL
--> [queue_type:nvarchar(6) | length:int | state:nvarchar(64) | last_empty_rowset_time:datetime | last_activated_time:datetime]
--> status | 0 | INACTIVE | NULL | NULL
--> Msg 14266, Level 16, State 1, Line 15: The specified '@queue_type' is invalid (valid values are: mail, status).
--> [Status:nvarchar(7)]
--> STARTED
--> [event_type:varchar(11) | description:nvarchar(max)]
--> information | The mail queue stopped by login "sa".
--> warning | The mail is stored and was not sent: this server has no process that sends mail.
--> information | The mail queue was started by login "sa".
--> (3 rows affected)
-- With level 1 the log keeps errors only.
EXEC msdb.dbo.sysmail_configure_sp N'LoggingLevel', N'1';
EXEC msdb.dbo.sysmail_delete_log_sp @event_type = 'information';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'Not logged';
SELECT event_type, COUNT(*) AS events FROM msdb.dbo.sysmail_event_log GROUP BY event_type;
EXEC msdb.dbo.sysmail_configure_sp N'LoggingLevel', N'2';
EXEC msdb.dbo.sysmail_delete_log_sp @logged_before = '19990101';
EXEC msdb.dbo.sysmail_delete_log_sp @event_type = 'funny';
EXEC msdb.dbo.sysmail_delete_mailitems_sp;
EXEC msdb.dbo.sysmail_delete_mailitems_sp @sent_status = 'funny';
EXEC msdb.dbo.sysmail_delete_mailitems_sp @sent_before = '19990101';
EXEC msdb.dbo.sysmail_delete_mailitems_sp @sent_status = 'sent';
EXEC msdb.dbo.sysmail_delete_profile_sp @profile_name = N'public one', @force_delete = 0;
SELECT subject FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id;
GO
--> # Mail (Id: 14) queued.
--> [event_type:varchar(11) | events:int]
--> warning | 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 23: The specified '@event_type' is invalid (valid values are: success, warning, error, informational).
--> Msg 14608, Level 16, State 1, Line 28: Either @sent_before or @sent_status parameter needs to be supplied
--> Msg 14266, Level 16, State 1, Line 23: The specified '@sent_status' is invalid (valid values are: unsent, sent, failed, retrying).
--> Msg 14668, Level 16, State 1, Line 23: Deleting profile public one failed because there are some unsent emails associated with this profile, use force_delete option to force the deletion of the profile.
--> [subject:nvarchar(510)]
--> Stopped
--> Not logged
--> (2 rows affected)
-- Who may not, who may, and what he sees of mails of others.
CREATE LOGIN sender WITH PASSWORD = 'Lake-1234567';
CREATE LOGIN nobody WITH PASSWORD = 'Lake-1234567';
GO
USE msdb;
GO
CREATE USER sender;
CREATE USER nobody;
ALTER ROLE DatabaseMailUserRole ADD MEMBER sender;
GO
EXECUTE AS LOGIN = 'nobody';
GO
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'x';
GO
--> Msg 229, Level 14, State 5, Line 1: The EXECUTE permission was denied on the object 'sp_send_dbmail', database 'msdb', schema 'dbo'.
SELECT COUNT(*) AS mails FROM msdb.dbo.sysmail_allitems;
GO
--> Msg 229, Level 14, State 5, Line 1: The SELECT permission was denied on the object 'sysmail_allitems', database 'msdb', schema 'dbo'.
REVERT;
GO
EXECUTE AS LOGIN = 'sender';
GO
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'Mine';
EXEC msdb.dbo.sp_send_dbmail N'private one', @recipients = 'a@example.com', @subject = N'Not allowed';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query = N'SELECT COUNT(*) AS a FROM msdb.dbo.sysmail_account';
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @query_result_no_padding = 1,
    @query = N'SELECT SUSER_SNAME() AS me, COUNT(*) AS mails FROM msdb.dbo.sysmail_allitems';
GO
--> # Mail (Id: 15) queued.
--> Msg 14607, Level 16, State 1, Line 51: profile name is not valid
--> Msg 14661, Level 16, State 1, Line 178: Query execution failed: The SELECT permission was denied on the object 'sysmail_account', database 'msdb', schema 'dbo'.
--> # Mail (Id: 16) queued.
SELECT subject, REPLACE(body, NCHAR(13) + NCHAR(10), N'¶') AS body, send_request_user FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id;
SELECT event_type FROM msdb.dbo.sysmail_event_log;
EXEC msdb.dbo.sysmail_delete_mailitems_sp @sent_status = 'unsent';
SELECT COUNT(*) AS mine FROM msdb.dbo.sysmail_allitems;
GO
--> [subject:nvarchar(510) | body:nvarchar(max) | send_request_user:nvarchar(128)]
--> Mine | NULL | sender
--> SQL Server Message | me mails¶-- -----¶sender 1¶¶(1 rows affected)¶ | sender
--> (2 rows affected)
--> [event_type:varchar(11)]
--> warning
--> warning
--> (2 rows affected)
--> [mine:int]
--> 0
--> (1 rows affected)
EXEC msdb.dbo.sysmail_help_profile_sp;
GO
--> Msg 15247, Level 16, State 1, Line 10: User does not have permission to perform this action.
REVERT;
GO
EXEC sysmail_add_principalprofile_sp @principal_name = N'sender', @profile_name = N'private one', @is_default = 1;
GO
EXECUTE AS LOGIN = 'sender';
GO
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'By my default';
GO
--> # Mail (Id: 17) queued.
REVERT;
GO
SELECT subject, profile_id, send_request_user FROM dbo.sysmail_allitems ORDER BY mailitem_id;
DROP USER sender;
DROP USER nobody;
EXEC sysmail_delete_mailitems_sp @sent_before = '99990101';
EXEC sysmail_delete_log_sp;
EXEC sysmail_delete_profile_sp @profile_name = N'public one';
EXEC sysmail_delete_profile_sp @profile_name = N'private one';
GO
--> [subject:nvarchar(510) | profile_id:int | send_request_user:nvarchar(128)]
--> Stopped | 1 | sa
--> Not logged | 1 | sa
--> By my default | 2 | sender
--> (3 rows affected)
USE master;
GO
DROP LOGIN sender;
DROP LOGIN nobody;
GO
