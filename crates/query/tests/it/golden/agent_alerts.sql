-- Alerts and notifications of the Agent are kept, changed, told and deleted; what no alert can be is refused.
EXEC msdb.dbo.sp_help_alert;
GO
EXEC msdb.dbo.sp_add_job @job_name = N'answer';
EXEC msdb.dbo.sp_add_jobserver @job_name = N'answer';
EXEC msdb.dbo.sp_add_job @job_name = N'without server';
GO
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_alert N'Error 825', @message_id = 825, @job_name = N'answer', @notification_message = N'Look at the disk';
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_add_alert N'Ж''x]', @performance_condition = N'SQLServer:Databases|Percent Log Used||>|80';
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_add_alert N'Severity 19', @severity = 19, @database_name = N'master', @event_description_keyword = N'%x%',
    @delay_between_responses = 60, @include_event_description_in = 1, @raise_snmp_trap = 1;
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_add_alert N'Error 825', @message_id = 824;
SELECT @r AS returned;
GO
CREATE TABLE #a (
    id int, name sysname, event_source nvarchar(100), event_category_id int, event_id int, message_id int, severity int,
    enabled tinyint, delay_between_responses int, last_occurrence_date int, last_occurrence_time int, last_response_date int,
    last_response_time int, notification_message nvarchar(512), include_event_description tinyint, database_name sysname NULL,
    event_description_keyword nvarchar(100), occurrence_count int, count_reset_date int, count_reset_time int,
    job_id uniqueidentifier, job_name sysname NULL, has_notification int, flags int, performance_condition nvarchar(512),
    category_name sysname NULL, wmi_namespace sysname NULL, wmi_query nvarchar(512), type int);
INSERT #a EXEC msdb.dbo.sp_help_alert;
SELECT id, name, event_source, message_id, severity, enabled, delay_between_responses, notification_message,
    include_event_description, database_name, event_description_keyword, job_name, has_notification, flags,
    performance_condition, category_name, type
FROM #a ORDER BY id;
TRUNCATE TABLE #a;
INSERT #a EXEC msdb.dbo.sp_help_alert @alert_name = N'Severity 19';
INSERT #a EXEC msdb.dbo.sp_help_alert @alert_id = 2;
INSERT #a EXEC msdb.dbo.sp_help_alert @category_name = N'Replication';
SELECT name FROM #a ORDER BY id;
DROP TABLE #a;
GO
EXEC msdb.dbo.sp_help_alert @alert_id = 2, @order_by = N'severity', @legacy_format = 1;
EXEC msdb.dbo.sp_help_alert @order_by = N'id; DROP TABLE x';
EXEC msdb.dbo.sp_help_alert N'no such';
EXEC msdb.dbo.sp_help_alert @alert_id = 99;
EXEC msdb.dbo.sp_help_alert @category_name = N'no such';
GO
EXEC msdb.dbo.sp_add_alert NULL, @severity = 20;
EXEC msdb.dbo.sp_add_alert N'', @severity = 20;
EXEC msdb.dbo.sp_add_alert N'bad';
EXEC msdb.dbo.sp_add_alert N'bad', @message_id = 825, @severity = 5;
EXEC msdb.dbo.sp_add_alert N'bad', @message_id = 825;
EXEC msdb.dbo.sp_add_alert N'bad', @message_id = 60123;
EXEC msdb.dbo.sp_add_alert N'bad', @message_id = -1;
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 26;
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @enabled = 3;
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @delay_between_responses = -1;
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @include_event_description_in = 8;
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @raise_snmp_trap = 2;
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @database_name = N'[master]';
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @category_name = N'no such';
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @job_name = N'no such';
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @job_name = N'without server';
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @job_id = '33333333-3333-3333-3333-333333333333';
EXEC msdb.dbo.sp_add_alert N'bad', @severity = 20, @job_id = '33333333-3333-3333-3333-333333333333', @job_name = N'answer';
EXEC msdb.dbo.sp_add_alert N'bad', @performance_condition = N'Percent Log Used > 80';
EXEC msdb.dbo.sp_add_alert N'bad', @performance_condition = N'a|b|c|>|many';
EXEC msdb.dbo.sp_add_alert N'bad', @performance_condition = N'a|b|c|!|1';
EXEC msdb.dbo.sp_add_alert N'bad', @performance_condition = N'a|b|c|>|1', @severity = 20;
EXEC msdb.dbo.sp_add_alert N'bad', @performance_condition = N'a|b|c|>|1', @database_name = N'master';
EXEC msdb.dbo.sp_add_alert N'bad', @wmi_namespace = N'\\.\root', @wmi_query = N'SELECT * FROM x';
SELECT COUNT(*) AS alerts FROM msdb.dbo.sysalerts;
GO
DECLARE @r int;
EXEC @r = msdb.dbo.sp_update_alert N'Error 825', @new_name = N'Reread', @enabled = 0, @job_name = N'', @count_reset_date = 20260131,
    @count_reset_time = 10203, @occurrence_count = 0;
SELECT @r AS returned;
SELECT id, name, message_id, severity, enabled, notification_message, job_id, count_reset_date, count_reset_time
FROM msdb.dbo.sysalerts WHERE id = 1;
EXEC @r = msdb.dbo.sp_update_alert N'Reread', @message_id = 0, @severity = 20;
SELECT @r AS returned;
SELECT message_id, severity FROM msdb.dbo.sysalerts WHERE id = 1;
EXEC @r = msdb.dbo.sp_update_alert N'Reread', @new_name = N'Severity 19';
SELECT @r AS returned;
EXEC msdb.dbo.sp_update_alert N'Reread', @message_id = 825;
EXEC msdb.dbo.sp_update_alert N'Reread', @occurrence_count = 1;
EXEC msdb.dbo.sp_update_alert N'Reread', @last_response_time = 1;
EXEC msdb.dbo.sp_update_alert N'Reread', @count_reset_date = 20261399;
EXEC msdb.dbo.sp_update_alert N'Reread', @count_reset_time = 256060;
EXEC msdb.dbo.sp_update_alert N'Reread', @wmi_query = N'SELECT 1';
EXEC msdb.dbo.sp_update_alert N'no such', @enabled = 1;
GO
EXEC msdb.dbo.sp_add_operator N'One', @email_address = N'one@example.com';
EXEC msdb.dbo.sp_add_operator N'Two', @pager_address = N'two';
GO
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_notification N'Reread', N'One', 1;
SELECT @r AS returned;
EXEC msdb.dbo.sp_add_notification N'Reread', N'Two', 6;
EXEC msdb.dbo.sp_add_notification N'Severity 19', N'One', 4;
EXEC @r = msdb.dbo.sp_add_notification N'Reread', N'One', 2;
SELECT @r AS returned;
EXEC msdb.dbo.sp_add_notification N'no such', N'One', 1;
EXEC msdb.dbo.sp_add_notification N'Reread', N'no such', 1;
EXEC msdb.dbo.sp_add_notification N'Severity 19', N'Two', 0;
EXEC msdb.dbo.sp_add_notification N'Severity 19', N'Two', 8;
SELECT name, has_notification FROM msdb.dbo.sysalerts ORDER BY id;
GO
EXEC msdb.dbo.sp_help_notification 'ALERTS', N'One', 'ACTUAL', 7;
EXEC msdb.dbo.sp_help_notification 'ALERTS', N'Two', 'ALL', 7;
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'ACTUAL', 1;
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'TARGET', 2, N'Two';
GO
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'TARGET', 2;
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'TARGET', 2, N'no such';
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'ALL', 2, N'Two';
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'no such', 'ALL', 2;
EXEC msdb.dbo.sp_help_notification 'MAILS', N'Reread', 'ALL', 2;
EXEC msdb.dbo.sp_help_notification 'ALERTS', N'One', 'SOME', 2;
EXEC msdb.dbo.sp_help_notification 'ALERTS', N'One', 'ALL', 0;
GO
EXEC msdb.dbo.sp_update_notification N'Reread', N'One', 7;
EXEC msdb.dbo.sp_update_notification N'Severity 19', N'Two', 7;
EXEC msdb.dbo.sp_update_notification N'Reread', N'One', 9;
EXEC msdb.dbo.sp_delete_notification N'Severity 19', N'One';
EXEC msdb.dbo.sp_delete_notification N'Severity 19', N'One';
SELECT alert_id, operator_id, notification_method FROM msdb.dbo.sysnotifications ORDER BY alert_id, operator_id;
SELECT name, has_notification FROM msdb.dbo.sysalerts ORDER BY id;
GO
EXEC msdb.dbo.sp_delete_alert N'no such';
EXEC msdb.dbo.sp_delete_alert NULL;
EXEC msdb.dbo.sp_delete_alert N'Reread';
EXEC msdb.dbo.sp_delete_alert N'Ж''x]';
EXEC msdb.dbo.sp_delete_alert N'Severity 19';
SELECT (SELECT COUNT(*) FROM msdb.dbo.sysalerts) AS alerts, (SELECT COUNT(*) FROM msdb.dbo.sysnotifications) AS notifications;
EXEC msdb.dbo.sp_delete_operator N'One';
EXEC msdb.dbo.sp_delete_operator N'Two';
EXEC msdb.dbo.sp_delete_job @job_name = N'answer';
EXEC msdb.dbo.sp_delete_job @job_name = N'without server';
GO
