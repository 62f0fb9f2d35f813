-- Operators of the Agent are added, changed, told, notified by mail and deleted; bad input is refused.
EXEC msdb.dbo.sp_help_operator;
GO
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_operator @name = N'O''Brien', @email_address = N'obrien@example.com', @pager_days = 62;
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_add_operator @name = N'  Жук]  ', @enabled = 0, @pager_address = N'pager', @weekday_pager_start_time = 080000;
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_add_operator N'O''Brien';
SELECT @r AS returned;
GO
EXEC msdb.dbo.sp_help_operator;
SELECT id, name, enabled, email_address, pager_days, category_id FROM msdb.dbo.sysoperators ORDER BY id;
GO
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
EXEC msdb.dbo.sp_help_operator N'O''Brien';
EXEC msdb.dbo.sp_help_operator @operator_id = 2;
EXEC msdb.dbo.sp_help_operator N'no such';
EXEC msdb.dbo.sp_help_operator @operator_id = 77;
EXEC msdb.dbo.sp_help_operator N'O''Brien', 1;
GO
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
SELECT mailitem_id, recipients, subject, body, sent_status FROM msdb.dbo.sysmail_allitems ORDER BY mailitem_id;
GO
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
