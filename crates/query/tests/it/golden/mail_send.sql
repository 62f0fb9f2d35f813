-- Mails are checked, stored with the results of queries and told, and wait: the log says that nothing sends them.
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'No profile is there';
EXEC msdb.dbo.sp_send_dbmail @profile_name = N'no such', @recipients = 'a@example.com', @subject = N'x';
GO
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
SELECT mailitem_id, profile_id, recipients, copy_recipients, blind_copy_recipients, subject, body, body_format, importance, sensitivity,
    send_request_user, sent_account_id, sent_status, sent_date
FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id;
SELECT mailitem_id, sent_status FROM msdb.dbo.sysmail_unsentitems ORDER BY mailitem_id;
SELECT COUNT(*) AS sent FROM msdb.dbo.sysmail_sentitems;
SELECT COUNT(*) AS failed FROM msdb.dbo.sysmail_faileditems;
SELECT log_id, event_type, description, mailitem_id FROM msdb.dbo.sysmail_event_log ORDER BY log_id;
GO
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
SELECT subject, REPLACE(body, NCHAR(13) + NCHAR(10), N'¶') AS body FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id;
GO
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
-- A transaction of the caller takes a mail back.
BEGIN TRANSACTION;
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'never', @exclude_query_output = 1;
SELECT @@TRANCOUNT AS transactions;
ROLLBACK;
SELECT COUNT(*) AS never FROM msdb.dbo.sysmail_allitems WHERE subject = N'never';
GO
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
SELECT COUNT(*) AS mails FROM msdb.dbo.sysmail_allitems;
GO
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
SELECT subject, REPLACE(body, NCHAR(13) + NCHAR(10), N'¶') AS body, send_request_user FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id;
SELECT event_type FROM msdb.dbo.sysmail_event_log;
EXEC msdb.dbo.sysmail_delete_mailitems_sp @sent_status = 'unsent';
SELECT COUNT(*) AS mine FROM msdb.dbo.sysmail_allitems;
GO
EXEC msdb.dbo.sysmail_help_profile_sp;
GO
REVERT;
GO
EXEC sysmail_add_principalprofile_sp @principal_name = N'sender', @profile_name = N'private one', @is_default = 1;
GO
EXECUTE AS LOGIN = 'sender';
GO
EXEC msdb.dbo.sp_send_dbmail @recipients = 'a@example.com', @subject = N'By my default';
GO
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
USE master;
GO
DROP LOGIN sender;
DROP LOGIN nobody;
GO
