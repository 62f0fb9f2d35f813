-- Operators of the Agent are added, changed, told, notified by mail and deleted; bad input is refused.
EXEC msdb.dbo.sp_help_operator;
GO
--> [id:int | name:nvarchar(128) | enabled:tinyint | email_address:nvarchar(100) | last_email_date:int | last_email_time:int | pager_address:nvarchar(100) | last_pager_date:int | last_pager_time:int | weekday_pager_start_time:int | weekday_pager_end_time:int | saturday_pager_start_time:int | saturday_pager_end_time:int | sunday_pager_start_time:int | sunday_pager_end_time:int | pager_days:tinyint | netsend_address:nvarchar(100) | last_netsend_date:int | last_netsend_time:int | category_name:nvarchar(128)]
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_operator @name = N'O''Brien', @email_address = N'obrien@example.com', @pager_days = 62;
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_add_operator @name = N'  Жук]  ', @enabled = 0, @pager_address = N'pager', @weekday_pager_start_time = 080000;
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_add_operator N'O''Brien';
SELECT @r AS returned;
GO
--> [returned:int]
--> 0
--> (1 rows affected)
--> [returned:int]
--> 0
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 39: The specified @name ('O'Brien') already exists.
--> [returned:int]
--> 1
--> (1 rows affected)
EXEC msdb.dbo.sp_help_operator;
SELECT id, name, enabled, email_address, pager_days, category_id FROM msdb.dbo.sysoperators ORDER BY id;
GO
--> [id:int | name:nvarchar(128) | enabled:tinyint | email_address:nvarchar(100) | last_email_date:int | last_email_time:int | pager_address:nvarchar(100) | last_pager_date:int | last_pager_time:int | weekday_pager_start_time:int | weekday_pager_end_time:int | saturday_pager_start_time:int | saturday_pager_end_time:int | sunday_pager_start_time:int | sunday_pager_end_time:int | pager_days:tinyint | netsend_address:nvarchar(100) | last_netsend_date:int | last_netsend_time:int | category_name:nvarchar(128)]
--> 1 | O'Brien | 1 | obrien@example.com | 0 | 0 | NULL | 0 | 0 | 90000 | 180000 | 90000 | 180000 | 90000 | 180000 | 62 | NULL | 0 | 0 | [Uncategorized]
--> 2 | Жук] | 0 | NULL | 0 | 0 | pager | 0 | 0 | 80000 | 180000 | 90000 | 180000 | 90000 | 180000 | 0 | NULL | 0 | 0 | [Uncategorized]
--> [id:int | name:nvarchar(128) | enabled:tinyint | email_address:nvarchar(100) | pager_days:tinyint | category_id:int]
--> 1 | O'Brien | 1 | obrien@example.com | 62 | 99
--> 2 | Жук] | 0 | NULL | 0 | 99
--> (2 rows affected)
EXEC msdb.dbo.sp_add_operator;
EXEC msdb.dbo.sp_add_operator NULL;
EXEC msdb.dbo.sp_add_operator N'  ';
EXEC msdb.dbo.sp_add_operator N'a%b';
EXEC msdb.dbo.sp_add_operator N't', @enabled = 2;
EXEC msdb.dbo.sp_add_operator N't', @pager_days = 128;
EXEC msdb.dbo.sp_add_operator N't', @weekday_pager_end_time = 240000;
EXEC msdb.dbo.sp_add_operator N't', @saturday_pager_start_time = 96000;
EXEC msdb.dbo.sp_add_operator N't', @sunday_pager_end_time = 90060;
EXEC msdb.dbo.sp_add_operator N't', @sunday_pager_end_time = -1;
EXEC msdb.dbo.sp_add_operator N't', @category_name = N'no such';
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_add_operator' expects parameter '@name', which was not supplied.
--> Msg 14200, Level 16, State 1, Line 19: The specified '@name' is invalid.
--> Msg 14200, Level 16, State 1, Line 19: The specified '@name' is invalid.
--> Msg 14289, Level 16, State 1, Line 24: @name cannot contain '%' characters.
--> Msg 14266, Level 16, State 1, Line 29: The specified '@enabled' is invalid (valid values are: 0, 1).
--> Msg 14266, Level 16, State 1, Line 34: The specified '@pager_days' is invalid (valid values are: 0..127 [1 = Sunday .. 64 = Saturday]).
--> Msg 14287, Level 16, State 1, Line 59: The '@weekday_pager_end_time' supplied has an invalid hour.
--> Msg 14287, Level 16, State 1, Line 59: The '@saturday_pager_start_time' supplied has an invalid minute.
--> Msg 14287, Level 16, State 1, Line 59: The '@sunday_pager_end_time' supplied has an invalid second.
--> Msg 14287, Level 16, State 1, Line 59: The '@sunday_pager_end_time' supplied has an invalid hour.
--> Msg 14234, Level 16, State 1, Line 68: The specified '@category_name' is invalid (valid values are returned by sp_help_category).
EXEC msdb.dbo.sp_help_operator N'O''Brien';
EXEC msdb.dbo.sp_help_operator @operator_id = 2;
EXEC msdb.dbo.sp_help_operator N'no such';
EXEC msdb.dbo.sp_help_operator @operator_id = 77;
EXEC msdb.dbo.sp_help_operator N'O''Brien', 1;
GO
--> [id:int | name:nvarchar(128) | enabled:tinyint | email_address:nvarchar(100) | last_email_date:int | last_email_time:int | pager_address:nvarchar(100) | last_pager_date:int | last_pager_time:int | weekday_pager_start_time:int | weekday_pager_end_time:int | saturday_pager_start_time:int | saturday_pager_end_time:int | sunday_pager_start_time:int | sunday_pager_end_time:int | pager_days:tinyint | netsend_address:nvarchar(100) | last_netsend_date:int | last_netsend_time:int | category_name:nvarchar(128)]
--> 1 | O'Brien | 1 | obrien@example.com | 0 | 0 | NULL | 0 | 0 | 90000 | 180000 | 90000 | 180000 | 90000 | 180000 | 62 | NULL | 0 | 0 | [Uncategorized]
--> [id:int | name:nvarchar(128) | enabled:tinyint | email_address:nvarchar(100) | last_email_date:int | last_email_time:int | pager_address:nvarchar(100) | last_pager_date:int | last_pager_time:int | weekday_pager_start_time:int | weekday_pager_end_time:int | saturday_pager_start_time:int | saturday_pager_end_time:int | sunday_pager_start_time:int | sunday_pager_end_time:int | pager_days:tinyint | netsend_address:nvarchar(100) | last_netsend_date:int | last_netsend_time:int | category_name:nvarchar(128)]
--> 2 | Жук] | 0 | NULL | 0 | 0 | pager | 0 | 0 | 80000 | 180000 | 90000 | 180000 | 90000 | 180000 | 0 | NULL | 0 | 0 | [Uncategorized]
--> Msg 14262, Level 16, State 1, Line 25: The specified @operator_name ('no such') does not exist.
--> Msg 14262, Level 16, State 1, Line 31: The specified @operator_id ('77') does not exist.
--> Msg 14524, Level 16, State 1, Line 20: Supply either @operator_id or @operator_name.
DECLARE @r int;
EXEC @r = msdb.dbo.sp_update_operator N'Жук]', @new_name = N'Beetle', @enabled = 1, @pager_address = N'';
SELECT @r AS returned;
EXEC msdb.dbo.sp_help_operator N'Beetle';
EXEC @r = msdb.dbo.sp_update_operator N'Beetle', @new_name = N'O''Brien';
SELECT @r AS returned;
EXEC msdb.dbo.sp_update_operator N'Beetle', @new_name = N'';
EXEC msdb.dbo.sp_update_operator N'Beetle', @sunday_pager_end_time = 5;
EXEC msdb.dbo.sp_update_operator N'Beetle', @pager_days = 200;
EXEC msdb.dbo.sp_update_operator N'no such', @enabled = 1;
EXEC msdb.dbo.sp_update_operator NULL, @enabled = 1;
GO
--> [returned:int]
--> 0
--> (1 rows affected)
--> [id:int | name:nvarchar(128) | enabled:tinyint | email_address:nvarchar(100) | last_email_date:int | last_email_time:int | pager_address:nvarchar(100) | last_pager_date:int | last_pager_time:int | weekday_pager_start_time:int | weekday_pager_end_time:int | saturday_pager_start_time:int | saturday_pager_end_time:int | sunday_pager_start_time:int | sunday_pager_end_time:int | pager_days:tinyint | netsend_address:nvarchar(100) | last_netsend_date:int | last_netsend_time:int | category_name:nvarchar(128)]
--> 2 | Beetle | 1 | NULL | 0 | 0 | NULL | 0 | 0 | 80000 | 180000 | 90000 | 180000 | 90000 | 180000 | 0 | NULL | 0 | 0 | [Uncategorized]
--> Msg 14261, Level 16, State 1, Line 66: The specified @new_name ('O'Brien') already exists.
--> [returned:int]
--> 1
--> (1 rows affected)
--> Msg 14200, Level 16, State 1, Line 19: The specified '@name' is invalid.
--> Msg 14266, Level 16, State 1, Line 34: The specified '@pager_days' is invalid (valid values are: 0..127 [1 = Sunday .. 64 = Saturday]).
--> Msg 14262, Level 16, State 1, Line 56: The specified @name ('no such') does not exist.
--> Msg 14262, Level 16, State 1, Line 56: The specified @name ('(null)') does not exist.
-- A notification is a mail.
EXEC msdb.dbo.sysmail_add_profile_sp N'dba';
EXEC msdb.dbo.sp_notify_operator N'dba', @name = N'O''Brien', @subject = N'Subject', @body = N'Body';
EXEC msdb.dbo.sp_notify_operator N'dba', @name = N'Beetle', @subject = N'Subject';
EXEC msdb.dbo.sp_notify_operator N'dba', @subject = N'Subject';
EXEC msdb.dbo.sp_notify_operator N'dba', 1, N'O''Brien', @subject = N'Subject';
EXEC msdb.dbo.sp_notify_operator N'dba', 99, @subject = N'Subject';
EXEC msdb.dbo.sp_notify_operator N'dba', @name = N'no such', @subject = N'Subject';
EXEC msdb.dbo.sp_notify_operator N'no such', 1, @subject = N'Subject';
EXEC msdb.dbo.sp_notify_operator @id = 1, @subject = N'Subject';
EXEC msdb.dbo.sp_notify_operator N'dba', 1, @subject = N'Subject', @mail_database = N'master';
EXEC msdb.dbo.sp_update_operator N'O''Brien', @enabled = 0;
EXEC msdb.dbo.sp_notify_operator N'dba', 1, @subject = N'Subject';
GO
--> # Mail (Id: 1) queued.
--> Msg 14602, Level 16, State 1, Line 52: Operator "Beetle" does not have an e-mail address specified.
--> Msg 14524, Level 16, State 1, Line 30: Supply either @id or @name.
--> Msg 14524, Level 16, State 1, Line 30: Supply either @id or @name.
--> Msg 14262, Level 16, State 1, Line 42: The specified @id ('99') does not exist.
--> Msg 14262, Level 16, State 1, Line 42: The specified @name ('no such') does not exist.
--> Msg 14607, Level 16, State 1, Line 51: profile name is not valid
--> Msg 14636, Level 16, State 1, Line 63: No global profile is configured. Specify a profile name in the @profile_name parameter.
--> Msg 14617, Level 16, State 1, Line 25: Mail host database specified is invalid
--> Msg 14601, Level 16, State 1, Line 47: Operator "O'Brien" is not enabled and therefore cannot receive notifications.
SELECT mailitem_id, recipients, subject, body, sent_status FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id;
GO
--> [mailitem_id:int | recipients:varchar(max) | subject:nvarchar(510) | body:nvarchar(max) | sent_status:varchar(8)]
--> 1 | obrien@example.com | Subject | Body | unsent
--> (1 rows affected)
-- Their notifications and jobs go to another one, or with them.
EXEC msdb.dbo.sp_add_alert N'first', @severity = 20;
EXEC msdb.dbo.sp_add_alert N'second', @severity = 21;
EXEC msdb.dbo.sp_add_notification N'first', N'O''Brien', 1;
EXEC msdb.dbo.sp_add_notification N'first', N'Beetle', 2;
EXEC msdb.dbo.sp_add_notification N'second', N'O''Brien', 4;
GO
EXEC msdb.dbo.sp_delete_operator N'O''Brien', @reassign_to_operator = N'no such';
EXEC msdb.dbo.sp_delete_operator N'O''Brien', @reassign_to_operator = N'O''Brien';
EXEC msdb.dbo.sp_delete_operator N'O''Brien', @reassign_to_operator = N'Beetle';
SELECT alert_id, operator_id, notification_method FROM msdb.dbo.sysnotifications ORDER BY alert_id;
EXEC msdb.dbo.sp_delete_operator N'O''Brien';
EXEC msdb.dbo.sp_delete_operator N'Beetle';
SELECT (SELECT COUNT(*) FROM msdb.dbo.sysnotifications) AS notifications, (SELECT SUM(has_notification) FROM msdb.dbo.sysalerts) AS has;
EXEC msdb.dbo.sp_help_operator;
GO
--> Msg 14262, Level 16, State 1, Line 29: The specified @reassign_to_operator ('no such') does not exist.
--> Msg 14262, Level 16, State 1, Line 29: The specified @reassign_to_operator ('O'Brien') does not exist.
--> [alert_id:int | operator_id:int | notification_method:tinyint]
--> 1 | 2 | 3
--> 2 | 2 | 4
--> (2 rows affected)
--> Msg 14262, Level 16, State 1, Line 21: The specified @name ('O'Brien') does not exist.
--> [notifications:int | has:int]
--> 0 | 0
--> (1 rows affected)
--> [id:int | name:nvarchar(128) | enabled:tinyint | email_address:nvarchar(100) | last_email_date:int | last_email_time:int | pager_address:nvarchar(100) | last_pager_date:int | last_pager_time:int | weekday_pager_start_time:int | weekday_pager_end_time:int | saturday_pager_start_time:int | saturday_pager_end_time:int | sunday_pager_start_time:int | sunday_pager_end_time:int | pager_days:tinyint | netsend_address:nvarchar(100) | last_netsend_date:int | last_netsend_time:int | category_name:nvarchar(128)]
CREATE LOGIN teller WITH PASSWORD = 'Lake-1234567';
GO
USE msdb;
GO
CREATE USER teller;
GO
GRANT EXECUTE TO teller;
GO
EXECUTE AS LOGIN = 'teller';
GO
EXEC msdb.dbo.sp_add_operator N'mine';
EXEC msdb.dbo.sp_help_operator;
EXEC msdb.dbo.sp_delete_operator N'mine';
GO
--> Msg 15247, Level 16, State 1, Line 21: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 13: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 10: User does not have permission to perform this action.
REVERT;
GO
DROP USER teller;
GO
USE master;
GO
DROP LOGIN teller;
EXEC msdb.dbo.sp_delete_alert N'first';
EXEC msdb.dbo.sp_delete_alert N'second';
EXEC msdb.dbo.sysmail_delete_mailitems_sp @sent_status = 'unsent';
EXEC msdb.dbo.sysmail_delete_log_sp;
EXEC msdb.dbo.sysmail_delete_profile_sp @profile_name = N'dba';
GO
