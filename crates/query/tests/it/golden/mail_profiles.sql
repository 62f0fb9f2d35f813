-- Accounts and profiles of Database Mail, and who may use which: added, changed, told and deleted; bad input is refused.
EXEC msdb.dbo.sysmail_help_account_sp;
EXEC msdb.dbo.sysmail_help_profile_sp;
EXEC msdb.dbo.sysmail_help_profileaccount_sp;
EXEC msdb.dbo.sysmail_help_principalprofile_sp;
GO
--> [account_id:int | name:nvarchar(128) | description:nvarchar(256) | email_address:nvarchar(128) | display_name:nvarchar(128) | replyto_address:nvarchar(128) | servertype:nvarchar(128) | servername:nvarchar(128) | port:int | username:nvarchar(128) | use_default_credentials:bit | enable_ssl:bit]
--> [profile_id:int | name:nvarchar(128) | description:nvarchar(256)]
--> [profile_id:int | profile_name:nvarchar(128) | account_id:int | account_name:nvarchar(128) | sequence_number:int]
--> [principal_id:int | principal_name:nvarchar(128) | profile_id:int | profile_name:nvarchar(128) | is_default:bit]
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
--> [returned:int | account_id:int]
--> 0 | 1
--> (1 rows affected)
--> [returned:int | account_id:int]
--> 0 | 2
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 59: The specified @account_name ('first') already exists.
--> [returned:int]
--> 1
--> (1 rows affected)
--> [account_id:int | name:nvarchar(128) | description:nvarchar(256) | email_address:nvarchar(128) | display_name:nvarchar(128) | replyto_address:nvarchar(128) | servertype:nvarchar(128) | servername:nvarchar(128) | port:int | username:nvarchar(128) | use_default_credentials:bit | enable_ssl:bit]
--> 1 | first | An account | dba@example.com | Базы | reply@example.com | SMTP | smtp.example.com | 25 | NULL | 0 | 0
--> 2 | it's] | NULL | other@example.com | NULL | NULL | SMTP | 10.0.0.1 | 587 | user | 0 | 1
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
--> Msg 14618, Level 16, State 1, Line 39: Parameter '@account_name' must be specified. This parameter cannot be NULL.
--> Msg 14618, Level 16, State 1, Line 39: Parameter '@account_name' must be specified. This parameter cannot be NULL.
--> Msg 14618, Level 16, State 1, Line 39: Parameter '@email_address' must be specified. This parameter cannot be NULL.
--> Msg 14618, Level 16, State 1, Line 39: Parameter '@mailserver_name' must be specified. This parameter cannot be NULL.
--> Msg 14618, Level 16, State 1, Line 39: Parameter '@port' must be specified. This parameter cannot be NULL.
--> Msg 14614, Level 16, State 1, Line 44: POP3 is not a valid mailserver_type
--> Msg 14615, Level 16, State 1, Line 49: The @username parameter needs to be supplied if the @password is supplied.
--> Msg 14666, Level 16, State 1, Line 54: User name cannot be supplied when using default credentials
--> Msg 14606, Level 16, State 1, Line 30: account id is not valid
--> Msg 14607, Level 16, State 1, Line 44: account name is not valid
--> Msg 14605, Level 16, State 1, Line 36: Both account parameters (id and name) do not point to the same object
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
--> Msg 14261, Level 16, State 1, Line 53: The specified @account_name ('it's]') already exists.
--> Msg 14607, Level 16, State 1, Line 44: account name is not valid
--> Msg 14604, Level 16, State 1, Line 22: Both account parameters (id and name) cannot be NULL
--> Msg 14614, Level 16, State 1, Line 38: X is not a valid mailserver_type
--> Msg 14615, Level 16, State 1, Line 43: The @username parameter needs to be supplied if the @password is supplied.
--> [account_id:int | name:nvarchar(128) | description:nvarchar(256) | email_address:nvarchar(128) | display_name:nvarchar(128) | replyto_address:nvarchar(128) | servertype:nvarchar(128) | servername:nvarchar(128) | port:int | username:nvarchar(128) | use_default_credentials:bit | enable_ssl:bit]
--> 1 | renamed | An account | dba@example.com | Базы | reply@example.com | SMTP | smtp.example.com | 2525 | NULL | 0 | 0
--> 2 | it's] | NULL | other@example.com | NULL | NULL | SMTP | 10.0.0.1 | 587 | NULL | 1 | 1
--> [account_id:int | timeout:int | credential_id:int]
--> 1 | 60 | NULL
--> 2 | NULL | NULL
--> (2 rows affected)
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
--> [returned:int | profile_id:int]
--> 0 | 1
--> (1 rows affected)
--> [returned:int | profile_id:int]
--> 0 | 2
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 23: The specified @profile_name ('public one') already exists.
--> [returned:int]
--> 1
--> (1 rows affected)
--> Msg 14618, Level 16, State 1, Line 18: Parameter '@profile_name' must be specified. This parameter cannot be NULL.
--> Msg 14618, Level 16, State 1, Line 18: Parameter '@profile_name' must be specified. This parameter cannot be NULL.
--> Msg 14261, Level 16, State 1, Line 27: The specified @profile_name ('public one') already exists.
--> Msg 14610, Level 16, State 1, Line 22: Either @profile_name or @description parameter needs to be specified for update
--> Msg 14604, Level 16, State 1, Line 22: Both profile parameters (id and name) cannot be NULL
--> Msg 14606, Level 16, State 1, Line 30: profile id is not valid
--> [profile_id:int | name:nvarchar(128) | description:nvarchar(256)]
--> 1 | public one | For all
--> 2 | private one | For one
--> [profile_id:int | name:nvarchar(128) | description:nvarchar(256)]
--> 2 | private one | For one
--> Msg 14607, Level 16, State 1, Line 44: profile name is not valid
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
--> Msg 14261, Level 16, State 1, Line 32: The specified @account_name ('it's]') already exists.
--> Msg 14618, Level 16, State 1, Line 26: Parameter '@sequence_number' must be specified. This parameter cannot be NULL.
--> Msg 14606, Level 16, State 1, Line 30: account id is not valid
--> Msg 14604, Level 16, State 1, Line 22: Both profile parameters (id and name) cannot be NULL
--> [profile_id:int | profile_name:nvarchar(128) | account_id:int | account_name:nvarchar(128) | sequence_number:int]
--> 1 | public one | 2 | it's] | 1
--> 1 | public one | 1 | renamed | 2
--> 2 | private one | 2 | it's] | 1
--> Msg 14262, Level 16, State 1, Line 32: The specified @account_name ('renamed') does not exist.
--> Msg 14611, Level 16, State 1, Line 26: Account sequence number must be supplied for update
--> [profile_id:int | profile_name:nvarchar(128) | account_id:int | account_name:nvarchar(128) | sequence_number:int]
--> 1 | public one | 1 | renamed | 2
--> 1 | public one | 2 | it's] | 3
--> [profile_id:int | profile_name:nvarchar(128) | account_id:int | account_name:nvarchar(128) | sequence_number:int]
--> 1 | public one | 2 | it's] | 3
--> 2 | private one | 2 | it's] | 1
EXEC msdb.dbo.sysmail_delete_profileaccount_sp;
EXEC msdb.dbo.sysmail_delete_profileaccount_sp @profile_id = 2, @account_id = 1;
EXEC msdb.dbo.sysmail_delete_profileaccount_sp @account_name = N'it''s]';
EXEC msdb.dbo.sysmail_help_profileaccount_sp;
EXEC msdb.dbo.sysmail_delete_profileaccount_sp @profile_name = N'public one';
EXEC msdb.dbo.sysmail_help_profileaccount_sp;
GO
--> Msg 14608, Level 16, State 1, Line 19: Either profile or account parameter needs to be supplied
--> Msg 14262, Level 16, State 1, Line 32: The specified @account_name ('renamed') does not exist.
--> [profile_id:int | profile_name:nvarchar(128) | account_id:int | account_name:nvarchar(128) | sequence_number:int]
--> 1 | public one | 1 | renamed | 2
--> [profile_id:int | profile_name:nvarchar(128) | account_id:int | account_name:nvarchar(128) | sequence_number:int]
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
--> Msg 14612, Level 16, State 1, Line 37: Each principal should have at least one default profile
--> Msg 14261, Level 16, State 1, Line 32: The specified @profile_name ('public one') already exists.
--> Msg 14607, Level 16, State 1, Line 54: principal name is not valid
--> Msg 14607, Level 16, State 1, Line 54: principal name is not valid
--> Msg 14606, Level 16, State 1, Line 41: principal id is not valid
--> Msg 14605, Level 16, State 1, Line 27: Both principal parameters (id and name) do not point to the same object
--> Msg 14604, Level 16, State 1, Line 21: Both principal parameters (id and name) cannot be NULL
--> Msg 14606, Level 16, State 1, Line 30: profile id is not valid
--> Msg 14618, Level 16, State 1, Line 26: Parameter '@is_default' must be specified. This parameter cannot be NULL.
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
--> (3 rows affected)
--> [principal_name:nvarchar(128) | profile_id:int | profile_name:nvarchar(128) | is_default:bit]
--> public | 1 | public one | 1
--> sender | 1 | public one | 0
--> sender | 2 | private one | 1
--> (3 rows affected)
--> Msg 14612, Level 16, State 1, Line 38: Each principal should have at least one default profile
--> Msg 14262, Level 16, State 1, Line 32: The specified @profile_name ('private one') does not exist.
--> (2 rows affected)
--> [principal_name:nvarchar(128) | profile_id:int | is_default:bit]
--> sender | 1 | 1
--> sender | 2 | 0
--> (2 rows affected)
--> (1 rows affected)
--> [principal_name:nvarchar(128) | profile_id:int | is_default:bit]
--> sender | 2 | 0
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 27: The specified @profile_name ('private one') does not exist.
--> (1 rows affected)
--> [principal_name:nvarchar(128) | profile_id:int | is_default:bit]
--> sender | 1 | 1
--> (1 rows affected)
GRANT EXECUTE TO sender;
GO
EXECUTE AS LOGIN = 'sender';
GO
EXEC sysmail_help_account_sp;
EXEC sysmail_add_profile_sp N'mine';
EXEC sysmail_delete_account_sp @account_id = 1;
GO
--> Msg 15247, Level 16, State 1, Line 10: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 11: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 10: User does not have permission to perform this action.
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
--> Msg 14604, Level 16, State 1, Line 22: Both profile parameters (id and name) cannot be NULL
--> Msg 14607, Level 16, State 1, Line 44: profile name is not valid
--> Msg 14604, Level 16, State 1, Line 22: Both account parameters (id and name) cannot be NULL
--> [accounts:int | servers:int | profiles:int | principals:int]
--> 0 | 0 | 0 | 0
--> (1 rows affected)
USE master;
GO
DROP LOGIN sender;
GO
