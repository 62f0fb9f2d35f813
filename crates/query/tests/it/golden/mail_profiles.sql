-- Accounts and profiles of Database Mail, and who may use which: added, changed, told and deleted; bad input is refused.
EXEC msdb.dbo.sysmail_help_account_sp;
EXEC msdb.dbo.sysmail_help_profile_sp;
EXEC msdb.dbo.sysmail_help_profileaccount_sp;
EXEC msdb.dbo.sysmail_help_principalprofile_sp;
GO
DECLARE @r int, @id int;
EXEC @r = msdb.dbo.sysmail_add_account_sp @account_name = N'first', @email_address = N'dba@example.com', @display_name = N'Базы',
    @replyto_address = N'reply@example.com', @description = N'An account', @mailserver_name = N'smtp.example.com', @account_id = @id OUTPUT;
SELECT @r AS returned, @id AS account_id;
EXEC @r = msdb.dbo.sysmail_add_account_sp N'it''s]', N'other@example.com', @mailserver_name = N'10.0.0.1', @port = 587,
    @username = N'user', @password = N'secret', @enable_ssl = 1, @account_id = @id OUTPUT;
SELECT @r AS returned, @id AS account_id;
EXEC @r = msdb.dbo.sysmail_add_account_sp N'first', N'other@example.com', @mailserver_name = N'x';
SELECT @r AS returned;
EXEC msdb.dbo.sysmail_help_account_sp;
GO
EXEC msdb.dbo.sysmail_add_account_sp NULL, N'e@example.com', @mailserver_name = N's';
EXEC msdb.dbo.sysmail_add_account_sp N'  ', N'e@example.com', @mailserver_name = N's';
EXEC msdb.dbo.sysmail_add_account_sp N'bad', N'', @mailserver_name = N's';
EXEC msdb.dbo.sysmail_add_account_sp N'bad', N'e@example.com';
EXEC msdb.dbo.sysmail_add_account_sp N'bad', N'e@example.com', @mailserver_name = N's', @port = NULL;
EXEC msdb.dbo.sysmail_add_account_sp N'bad', N'e@example.com', @mailserver_name = N's', @mailserver_type = N'POP3';
EXEC msdb.dbo.sysmail_add_account_sp N'bad', N'e@example.com', @mailserver_name = N's', @password = N'secret';
EXEC msdb.dbo.sysmail_add_account_sp N'bad', N'e@example.com', @mailserver_name = N's', @username = N'user', @use_default_credentials = 1;
EXEC msdb.dbo.sysmail_help_account_sp @account_id = 99;
EXEC msdb.dbo.sysmail_help_account_sp @account_name = N'no such';
EXEC msdb.dbo.sysmail_help_account_sp 1, N'it''s]';
GO
EXEC msdb.dbo.sysmail_update_account_sp @account_id = 1, @account_name = N'renamed', @port = 2525, @timeout = 60;
EXEC msdb.dbo.sysmail_update_account_sp @account_name = N'it''s]', @use_default_credentials = 1;
EXEC msdb.dbo.sysmail_update_account_sp @account_id = 1, @account_name = N'it''s]';
EXEC msdb.dbo.sysmail_update_account_sp @account_name = N'no such', @port = 1;
EXEC msdb.dbo.sysmail_update_account_sp @port = 1;
EXEC msdb.dbo.sysmail_update_account_sp @account_id = 1, @mailserver_type = N'X';
EXEC msdb.dbo.sysmail_update_account_sp @account_id = 1, @password = N'secret';
EXEC msdb.dbo.sysmail_help_account_sp;
SELECT account_id, timeout, credential_id FROM msdb.dbo.sysmail_server ORDER BY account_id;
GO
DECLARE @r int, @id int;
EXEC @r = msdb.dbo.sysmail_add_profile_sp N'public one', N'For all', @id OUTPUT;
SELECT @r AS returned, @id AS profile_id;
EXEC @r = msdb.dbo.sysmail_add_profile_sp N'Частный', @profile_id = @id OUTPUT;
SELECT @r AS returned, @id AS profile_id;
EXEC @r = msdb.dbo.sysmail_add_profile_sp N'public one';
SELECT @r AS returned;
EXEC msdb.dbo.sysmail_add_profile_sp N'';
EXEC msdb.dbo.sysmail_add_profile_sp NULL;
EXEC msdb.dbo.sysmail_update_profile_sp @profile_id = 2, @profile_name = N'private one', @description = N'For one';
EXEC msdb.dbo.sysmail_update_profile_sp @profile_id = 2, @profile_name = N'public one';
EXEC msdb.dbo.sysmail_update_profile_sp @profile_id = 2;
EXEC msdb.dbo.sysmail_update_profile_sp @description = N'none';
EXEC msdb.dbo.sysmail_update_profile_sp @profile_id = 99, @description = N'none';
EXEC msdb.dbo.sysmail_help_profile_sp;
EXEC msdb.dbo.sysmail_help_profile_sp @profile_name = N'private one';
EXEC msdb.dbo.sysmail_help_profile_sp @profile_name = N'no such';
GO
EXEC msdb.dbo.sysmail_add_profileaccount_sp @profile_name = N'public one', @account_name = N'renamed', @sequence_number = 2;
EXEC msdb.dbo.sysmail_add_profileaccount_sp @profile_id = 1, @account_id = 2, @sequence_number = 1;
EXEC msdb.dbo.sysmail_add_profileaccount_sp @profile_id = 2, @account_id = 2, @sequence_number = 1;
EXEC msdb.dbo.sysmail_add_profileaccount_sp @profile_id = 2, @account_id = 2, @sequence_number = 2;
EXEC msdb.dbo.sysmail_add_profileaccount_sp @profile_id = 2, @account_id = 1, @sequence_number = NULL;
EXEC msdb.dbo.sysmail_add_profileaccount_sp @profile_id = 2, @account_id = 99, @sequence_number = 1;
EXEC msdb.dbo.sysmail_add_profileaccount_sp @account_id = 1, @sequence_number = 1;
EXEC msdb.dbo.sysmail_help_profileaccount_sp;
EXEC msdb.dbo.sysmail_update_profileaccount_sp @profile_id = 1, @account_id = 2, @sequence_number = 3;
EXEC msdb.dbo.sysmail_update_profileaccount_sp @profile_id = 2, @account_id = 1, @sequence_number = 3;
EXEC msdb.dbo.sysmail_update_profileaccount_sp @profile_id = 1, @account_id = 1, @sequence_number = NULL;
EXEC msdb.dbo.sysmail_help_profileaccount_sp @profile_name = N'public one';
EXEC msdb.dbo.sysmail_help_profileaccount_sp @account_name = N'it''s]';
GO
EXEC msdb.dbo.sysmail_delete_profileaccount_sp;
EXEC msdb.dbo.sysmail_delete_profileaccount_sp @profile_id = 2, @account_id = 1;
EXEC msdb.dbo.sysmail_delete_profileaccount_sp @account_name = N'it''s]';
EXEC msdb.dbo.sysmail_help_profileaccount_sp;
EXEC msdb.dbo.sysmail_delete_profileaccount_sp @profile_name = N'public one';
EXEC msdb.dbo.sysmail_help_profileaccount_sp;
GO
CREATE LOGIN sender WITH PASSWORD = 'Lake-1234567';
GO
USE msdb;
GO
CREATE USER sender;
GO
-- A principal has one default, and its first profile is it; public is everybody.
EXEC sysmail_add_principalprofile_sp @principal_name = N'sender', @profile_id = 1, @is_default = 0;
EXEC sysmail_add_principalprofile_sp @principal_name = N'sender', @profile_id = 1, @is_default = 1;
EXEC sysmail_add_principalprofile_sp @principal_name = N'sender', @profile_id = 1, @is_default = 1;
EXEC sysmail_add_principalprofile_sp @principal_name = N'sender', @profile_name = N'private one', @is_default = 1;
EXEC sysmail_add_principalprofile_sp @principal_id = 0, @profile_id = 1, @is_default = 1;
EXEC sysmail_add_principalprofile_sp @principal_name = N'db_owner', @profile_id = 1, @is_default = 1;
EXEC sysmail_add_principalprofile_sp @principal_name = N'no such', @profile_id = 1, @is_default = 1;
EXEC sysmail_add_principalprofile_sp @principal_id = 4711, @profile_id = 1, @is_default = 1;
EXEC sysmail_add_principalprofile_sp @principal_id = 0, @principal_name = N'sender', @profile_id = 1, @is_default = 1;
EXEC sysmail_add_principalprofile_sp @profile_id = 1, @is_default = 1;
EXEC sysmail_add_principalprofile_sp @principal_name = N'public', @profile_id = 99, @is_default = 1;
EXEC sysmail_add_principalprofile_sp @principal_name = N'public', @profile_id = 2, @is_default = NULL;
GO
CREATE TABLE #p (principal_id int, principal_name sysname NULL, profile_id int, profile_name sysname, is_default bit);
INSERT #p EXEC sysmail_help_principalprofile_sp;
SELECT principal_name, profile_id, profile_name, is_default FROM #p ORDER BY principal_name, profile_id;
EXEC sysmail_update_principalprofile_sp @principal_name = N'sender', @profile_id = 1, @is_default = 1;
EXEC sysmail_update_principalprofile_sp @principal_name = N'public', @profile_id = 1, @is_default = 0;
EXEC sysmail_update_principalprofile_sp @principal_name = N'public', @profile_id = 2, @is_default = 1;
TRUNCATE TABLE #p;
INSERT #p EXEC sysmail_help_principalprofile_sp @principal_name = N'sender';
SELECT principal_name, profile_id, is_default FROM #p ORDER BY profile_id;
TRUNCATE TABLE #p;
INSERT #p EXEC sysmail_help_principalprofile_sp @profile_name = N'private one';
SELECT principal_name, profile_id, is_default FROM #p ORDER BY profile_id;
EXEC sysmail_delete_principalprofile_sp @principal_name = N'public', @profile_id = 2;
EXEC sysmail_delete_principalprofile_sp @principal_name = N'public', @profile_id = 1;
EXEC sysmail_delete_profile_sp @profile_id = 2;
TRUNCATE TABLE #p;
INSERT #p EXEC sysmail_help_principalprofile_sp;
SELECT principal_name, profile_id, is_default FROM #p ORDER BY profile_id;
DROP TABLE #p;
GO
GRANT EXECUTE TO sender;
GO
EXECUTE AS LOGIN = 'sender';
GO
EXEC sysmail_help_account_sp;
EXEC sysmail_add_profile_sp N'mine';
EXEC sysmail_delete_account_sp @account_id = 1;
GO
REVERT;
GO
EXEC sysmail_delete_profile_sp;
EXEC sysmail_delete_profile_sp @profile_name = N'no such';
EXEC sysmail_delete_profile_sp @profile_name = N'public one';
EXEC sysmail_delete_account_sp;
EXEC sysmail_delete_account_sp @account_id = 1;
EXEC sysmail_delete_account_sp @account_name = N'it''s]';
SELECT (SELECT COUNT(*) FROM dbo.sysmail_account) AS accounts, (SELECT COUNT(*) FROM dbo.sysmail_server) AS servers,
    (SELECT COUNT(*) FROM dbo.sysmail_profile) AS profiles, (SELECT COUNT(*) FROM dbo.sysmail_principalprofile) AS principals;
DROP USER sender;
GO
USE master;
GO
DROP LOGIN sender;
GO
