-- Alerts and notifications of the Agent are kept, changed, told and deleted; what no alert can be is refused.
EXEC msdb.dbo.sp_help_alert;
GO
--> [id:int | name:nvarchar(128) | event_source:nvarchar(100) | event_category_id:int | event_id:int | message_id:int | severity:int | enabled:tinyint | delay_between_responses:int | last_occurrence_date:int | last_occurrence_time:int | last_response_date:int | last_response_time:int | notification_message:nvarchar(512) | include_event_description:tinyint | database_name:nvarchar(128) | event_description_keyword:nvarchar(100) | occurrence_count:int | count_reset_date:int | count_reset_time:int | job_id:uniqueidentifier | job_name:nvarchar(128) | has_notification:int | flags:int | performance_condition:nvarchar(512) | category_name:nvarchar(128) | wmi_namespace:nvarchar(128) | wmi_query:nvarchar(512) | type:int]
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
--> [returned:int]
--> 0
--> (1 rows affected)
--> [returned:int]
--> 0
--> (1 rows affected)
--> [returned:int]
--> 0
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 32: The specified @name ('Error 825') already exists.
--> [returned:int]
--> 1
--> (1 rows affected)
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
--> (3 rows affected)
--> [id:int | name:nvarchar(128) | event_source:nvarchar(100) | message_id:int | severity:int | enabled:tinyint | delay_between_responses:int | notification_message:nvarchar(512) | include_event_description:tinyint | database_name:nvarchar(128) | event_description_keyword:nvarchar(100) | job_name:nvarchar(128) | has_notification:int | flags:int | performance_condition:nvarchar(512) | category_name:nvarchar(128) | type:int]
--> 1 | Error 825 | MSSQLSERVER | 825 | 0 | 1 | 0 | Look at the disk | 5 | NULL | NULL | answer | 0 | 0 | NULL | [Uncategorized] | 1
--> 2 | Ж'x] | MSSQLSERVER | 0 | 0 | 1 | 0 | NULL | 5 | NULL | NULL | NULL | 0 | 0 | SQLServer:Databases|Percent Log Used||>|80 | [Uncategorized] | 2
--> 3 | Severity 19 | MSSQLSERVER | 0 | 19 | 1 | 60 | NULL | 1 | master | %x% | NULL | 0 | 1 | NULL | [Uncategorized] | 1
--> (3 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (0 rows affected)
--> [name:nvarchar(128)]
--> Ж'x]
--> Severity 19
--> (2 rows affected)
EXEC msdb.dbo.sp_help_alert @alert_id = 2, @order_by = N'severity', @legacy_format = 1;
EXEC msdb.dbo.sp_help_alert @order_by = N'id; DROP TABLE x';
EXEC msdb.dbo.sp_help_alert N'no such';
EXEC msdb.dbo.sp_help_alert @alert_id = 99;
EXEC msdb.dbo.sp_help_alert @category_name = N'no such';
GO
--> [id:int | name:nvarchar(128) | event_source:nvarchar(100) | event_category_id:int | event_id:int | message_id:int | severity:int | enabled:tinyint | delay_between_responses:int | last_occurrence_date:int | last_occurrence_time:int | last_response_date:int | last_response_time:int | notification_message:nvarchar(512) | include_event_description:tinyint | database_name:nvarchar(128) | event_description_keyword:nvarchar(100) | occurrence_count:int | count_reset_date:int | count_reset_time:int | job_id:uniqueidentifier | job_name:nvarchar(128) | has_notification:int | flags:int | performance_condition:nvarchar(512) | category_name:nvarchar(128) | type:int]
--> 2 | Ж'x] | MSSQLSERVER | NULL | NULL | 0 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | NULL | 5 | NULL | NULL | 0 | 0 | 0 | 00000000-0000-0000-0000-000000000000 | NULL | 0 | 0 | SQLServer:Databases|Percent Log Used||>|80 | [Uncategorized] | 2
--> Msg 14200, Level 16, State 1, Line 57: The specified '@order_by' is invalid.
--> Msg 14262, Level 16, State 1, Line 23: The specified @alert_name ('no such') does not exist.
--> Msg 14262, Level 16, State 1, Line 29: The specified @alert_id ('99') does not exist.
--> Msg 14262, Level 16, State 1, Line 35: The specified @category_name ('no such') does not exist.
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
--> Msg 14200, Level 16, State 1, Line 27: The specified '@name' is invalid.
--> Msg 14200, Level 16, State 1, Line 27: The specified '@name' is invalid.
--> Msg 14500, Level 16, State 1, Line 80: Supply either a non-zero message ID, non-zero severity, non-null performance condition, or non-null WMI namespace and query.
--> Msg 14266, Level 16, State 1, Line 85: The specified '@severity' is invalid (valid values are: 0).
--> Msg 14501, Level 16, State 1, Line 116: An alert ('Error 825') has already been defined on this condition.
--> Msg 14262, Level 16, State 1, Line 98: The specified @message_id ('60123') does not exist.
--> Msg 14262, Level 16, State 1, Line 98: The specified @message_id ('-1') does not exist.
--> Msg 14266, Level 16, State 1, Line 90: The specified '@severity' is invalid (valid values are: 0..25).
--> Msg 14266, Level 16, State 1, Line 37: The specified '@enabled' is invalid (valid values are: 0, 1).
--> Msg 14266, Level 16, State 1, Line 47: The specified '@delay_between_responses' is invalid (valid values are: 0..n seconds).
--> Msg 14266, Level 16, State 1, Line 52: The specified '@include_event_description_in' is invalid (valid values are: 0..7 [1 = E-mail, 2 = Pager, 4 = NetSend]).
--> Msg 14266, Level 16, State 1, Line 42: The specified '@raise_snmp_trap' is invalid (valid values are: 0, 1).
--> Msg 14262, Level 16, State 1, Line 103: The specified @database_name ('[master]') does not exist.
--> Msg 14234, Level 16, State 1, Line 159: The specified '@category_name' is invalid (valid values are returned by sp_help_category).
--> Msg 14262, Level 16, State 1, Line 133: The specified @job_name ('no such') does not exist.
--> Msg 14527, Level 16, State 1, Line 149: Job "without server" cannot be used by an alert. It should first be associated with a server by calling sp_add_jobserver.
--> Msg 14262, Level 16, State 1, Line 144: The specified @job_id ('33333333-3333-3333-3333-333333333333') does not exist.
--> Msg 14294, Level 16, State 1, Line 125: Supply either @job_id or @job_name to identify the job.
--> Msg 14507, Level 16, State 1, Line 74: A performance condition must be formatted as: 'object_name|counter_name|instance_name|comparator(> or < or =)|numeric value'.
--> Msg 14507, Level 16, State 1, Line 74: A performance condition must be formatted as: 'object_name|counter_name|instance_name|comparator(> or < or =)|numeric value'.
--> Msg 14507, Level 16, State 1, Line 74: A performance condition must be formatted as: 'object_name|counter_name|instance_name|comparator(> or < or =)|numeric value'.
--> Msg 14505, Level 16, State 1, Line 67: Specify a null @severity when supplying a performance condition.
--> Msg 14505, Level 16, State 1, Line 67: Specify a null @database_name when supplying a performance condition.
--> Msg 40517, Level 16, State 1, Line 41: sp_add_alert with @wmi_namespace and @wmi_query is not supported in this version of Millpond.
--> [alerts:int]
--> 3
--> (1 rows affected)
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
--> [returned:int]
--> 0
--> (1 rows affected)
--> [id:int | name:nvarchar(128) | message_id:int | severity:int | enabled:tinyint | notification_message:nvarchar(512) | job_id:uniqueidentifier | count_reset_date:int | count_reset_time:int]
--> 1 | Reread | 825 | 0 | 0 | Look at the disk | 00000000-0000-0000-0000-000000000000 | 20260131 | 10203
--> (1 rows affected)
--> [returned:int]
--> 0
--> (1 rows affected)
--> [message_id:int | severity:int]
--> 0 | 20
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 32: The specified @new_name ('Severity 19') already exists.
--> [returned:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 85: The specified '@severity' is invalid (valid values are: 0).
--> Msg 14266, Level 16, State 1, Line 60: The specified '@occurrence_count' is invalid (valid values are: 0).
--> Msg 14266, Level 16, State 1, Line 60: The specified '@last_response_time' is invalid (valid values are: 0).
--> Msg 14287, Level 16, State 1, Line 66: The '@count_reset_date' supplied has an invalid date.
--> Msg 14287, Level 16, State 1, Line 71: The '@count_reset_time' supplied has an invalid time.
--> Msg 40517, Level 16, State 1, Line 47: sp_update_alert with @wmi_namespace and @wmi_query is not supported in this version of Millpond.
--> Msg 14262, Level 16, State 1, Line 95: The specified @name ('no such') does not exist.
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
--> [returned:int]
--> 0
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 38: The specified notification ('Reread / One') already exists.
--> [returned:int]
--> 1
--> (1 rows affected)
--> Msg 14262, Level 16, State 1, Line 22: The specified @alert_name ('no such') does not exist.
--> Msg 14262, Level 16, State 1, Line 27: The specified @operator_name ('no such') does not exist.
--> Msg 14266, Level 16, State 1, Line 32: The specified '@notification_method' is invalid (valid values are: 1..7 [1 = E-mail, 2 = Pager, 4 = NetSend]).
--> Msg 14266, Level 16, State 1, Line 32: The specified '@notification_method' is invalid (valid values are: 1..7 [1 = E-mail, 2 = Pager, 4 = NetSend]).
--> [name:nvarchar(128) | has_notification:int]
--> Reread | 7
--> Ж'x] | 0
--> Severity 19 | 4
--> (3 rows affected)
EXEC msdb.dbo.sp_help_notification 'ALERTS', N'One', 'ACTUAL', 7;
EXEC msdb.dbo.sp_help_notification 'ALERTS', N'Two', 'ALL', 7;
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'ACTUAL', 1;
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'TARGET', 2, N'Two';
GO
--> [alert_id:int | alert_name:nvarchar(128) | use_email:int | use_pager:int | use_netsend:int | has_email:int | has_pager:int | has_netsend:int]
--> 1 | Reread | 1 | 0 | 0 | 1 | 1 | 1
--> 3 | Severity 19 | 0 | 0 | 1 | 0 | 0 | 1
--> [alert_id:int | alert_name:nvarchar(128) | use_email:int | use_pager:int | use_netsend:int | has_email:int | has_pager:int | has_netsend:int]
--> 1 | Reread | 0 | 1 | 1 | 1 | 1 | 1
--> 3 | Severity 19 | 0 | 0 | 0 | 0 | 0 | 1
--> 2 | Ж'x] | 0 | 0 | 0 | 0 | 0 | 0
--> [operator_id:int | operator_name:nvarchar(128) | use_email:int | has_email:int | has_pager:int | has_netsend:int]
--> 1 | One | 1 | 1 | 0 | 0
--> [operator_id:int | operator_name:nvarchar(128) | use_pager:int | has_email:int | has_pager:int | has_netsend:int]
--> 2 | Two | 1 | 0 | 1 | 0
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'TARGET', 2;
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'TARGET', 2, N'no such';
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'Reread', 'ALL', 2, N'Two';
EXEC msdb.dbo.sp_help_notification 'OPERATORS', N'no such', 'ALL', 2;
EXEC msdb.dbo.sp_help_notification 'MAILS', N'Reread', 'ALL', 2;
EXEC msdb.dbo.sp_help_notification 'ALERTS', N'One', 'SOME', 2;
EXEC msdb.dbo.sp_help_notification 'ALERTS', N'One', 'ALL', 0;
GO
--> Msg 14502, Level 16, State 1, Line 39: The @target_name parameter must be supplied when specifying an @enum_type of 'TARGET'.
--> Msg 14262, Level 16, State 1, Line 62: The specified @target_name ('no such') does not exist.
--> Msg 14503, Level 16, State 1, Line 44: The @target_name parameter should not be supplied when specifying an @enum_type of 'ALL' or 'ACTUAL'.
--> Msg 14262, Level 16, State 1, Line 55: The specified @name ('no such') does not exist.
--> Msg 14266, Level 16, State 1, Line 24: The specified '@object_type' is invalid (valid values are: ALERTS, OPERATORS).
--> Msg 14266, Level 16, State 1, Line 29: The specified '@enum_type' is invalid (valid values are: ALL, ACTUAL, TARGET).
--> Msg 14266, Level 16, State 1, Line 34: The specified '@notification_method' is invalid (valid values are: 1..7 [1 = E-mail, 2 = Pager, 4 = NetSend]).
EXEC msdb.dbo.sp_update_notification N'Reread', N'One', 7;
EXEC msdb.dbo.sp_update_notification N'Severity 19', N'Two', 7;
EXEC msdb.dbo.sp_update_notification N'Reread', N'One', 9;
EXEC msdb.dbo.sp_delete_notification N'Severity 19', N'One';
EXEC msdb.dbo.sp_delete_notification N'Severity 19', N'One';
SELECT alert_id, operator_id, notification_method FROM msdb.dbo.sysnotifications ORDER BY alert_id, operator_id;
SELECT name, has_notification FROM msdb.dbo.sysalerts ORDER BY id;
GO
--> Msg 14262, Level 16, State 1, Line 41: The specified notification ('Severity 19 / Two') does not exist.
--> Msg 14266, Level 16, State 1, Line 32: The specified '@notification_method' is invalid (valid values are: 1..7 [1 = E-mail, 2 = Pager, 4 = NetSend]).
--> Msg 14262, Level 16, State 1, Line 33: The specified notification ('Severity 19 / One') does not exist.
--> [alert_id:int | operator_id:int | notification_method:tinyint]
--> 1 | 1 | 7
--> 1 | 2 | 6
--> (2 rows affected)
--> [name:nvarchar(128) | has_notification:int]
--> Reread | 7
--> Ж'x] | 0
--> Severity 19 | 0
--> (3 rows affected)
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
--> Msg 14262, Level 16, State 1, Line 18: The specified @name ('no such') does not exist.
--> Msg 14262, Level 16, State 1, Line 18: The specified @name ('(null)') does not exist.
--> [alerts:int | notifications:int]
--> 0 | 0
--> (1 rows affected)
