-- Procedures of msdb are objects of it that came with the server, and its roles are there, before any of them is called.
SELECT IIF(OBJECT_ID('msdb.dbo.sp_add_job') IS NOT NULL, 1, 0) AS named, IIF(OBJECT_ID('msdb..sp_send_dbmail', 'P') IS NOT NULL, 1, 0) AS of_kind,
    OBJECT_ID('msdb.dbo.sp_add_job', 'V') AS of_another, OBJECT_ID('dbo.sp_add_job') AS elsewhere, OBJECT_ID('msdb.sys.sp_add_job') AS of_sys,
    OBJECT_NAME(OBJECT_ID('msdb.dbo.sp_Start_JOB'), DB_ID('msdb')) AS name;
SELECT name, SCHEMA_NAME(schema_id) AS of_schema, type, type_desc, is_ms_shipped FROM msdb.sys.objects WHERE name IN ('sp_add_job', 'sysmail_add_account_sp');
SELECT COUNT(*) AS all_objects FROM msdb.sys.all_objects WHERE name = 'sp_delete_backuphistory';
SELECT COUNT(*) AS system_objects FROM msdb.sys.system_objects WHERE name = 'sp_delete_backuphistory';
SELECT COUNT(*) AS procedures FROM msdb.sys.procedures WHERE object_id = OBJECT_ID('msdb.dbo.sp_add_job') AND is_ms_shipped = 1;
SELECT COUNT(*) AS in_master FROM master.sys.all_objects WHERE name = 'sp_add_job';
SELECT name, type, is_fixed_role, USER_NAME(owning_principal_id) AS owner FROM msdb.sys.database_principals
WHERE name LIKE 'SQLAgent%' OR name LIKE 'DatabaseMail%' ORDER BY name;
GO
--> [named:int | of_kind:int | of_another:int | elsewhere:int | of_sys:int | name:nvarchar(128)]
--> 1 | 1 | NULL | NULL | NULL | sp_start_job
--> (1 rows affected)
--> [name:nvarchar(128) | of_schema:nvarchar(128) | type:char(2) | type_desc:nvarchar(60) | is_ms_shipped:bit]
--> sp_add_job | dbo | P | SQL_STORED_PROCEDURE | 1
--> sysmail_add_account_sp | dbo | P | SQL_STORED_PROCEDURE | 1
--> (2 rows affected)
--> [all_objects:int]
--> 1
--> (1 rows affected)
--> [system_objects:int]
--> 0
--> (1 rows affected)
--> [procedures:int]
--> 1
--> (1 rows affected)
--> [in_master:int]
--> 0
--> (1 rows affected)
--> [name:nvarchar(128) | type:char(1) | is_fixed_role:bit | owner:nvarchar(128)]
--> DatabaseMailUserRole | R | 0 | dbo
--> SQLAgentOperatorRole | R | 0 | dbo
--> SQLAgentReaderRole | R | 0 | dbo
--> SQLAgentUserRole | R | 0 | dbo
--> (4 rows affected)
USE msdb
GO
SELECT OBJECTPROPERTY(OBJECT_ID('sp_add_job'), 'IsProcedure') AS is_procedure, OBJECTPROPERTY(OBJECT_ID('sp_add_job'), 'IsMSShipped') AS is_shipped,
    OBJECT_SCHEMA_NAME(OBJECT_ID('sp_add_job')) AS of_schema, IIF(OBJECT_DEFINITION(OBJECT_ID('sp_add_job')) LIKE 'CREATE PROCEDURE%', 1, 0) AS has_text;
SELECT COUNT(*) AS parameters FROM sys.parameters WHERE object_id = OBJECT_ID('dbo.sp_start_job');
SELECT COUNT(*) AS modules FROM sys.sql_modules WHERE object_id = OBJECT_ID('dbo.sp_start_job') AND definition IS NOT NULL;
SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME = 'sp_start_job';
SELECT name, xtype, category FROM sysobjects WHERE name = 'sp_start_job';
SELECT r.name AS role, m.name AS member FROM sys.database_role_members AS rm
JOIN sys.database_principals AS r ON r.principal_id = rm.role_principal_id JOIN sys.database_principals AS m ON m.principal_id = rm.member_principal_id
WHERE r.name LIKE 'SQLAgent%' ORDER BY r.name;
SELECT IS_MEMBER('SQLAgentUserRole') AS is_member, HAS_PERMS_BY_NAME('dbo.sp_start_job', 'OBJECT', 'EXECUTE') AS may;
GO
--> [is_procedure:int | is_shipped:int | of_schema:nvarchar(128) | has_text:int]
--> 1 | 1 | dbo | 1
--> (1 rows affected)
--> [parameters:int]
--> 6
--> (1 rows affected)
--> [modules:int]
--> 1
--> (1 rows affected)
--> [ROUTINE_SCHEMA:nvarchar(128) | ROUTINE_NAME:nvarchar(128) | ROUTINE_TYPE:nvarchar(20)]
--> dbo | sp_start_job | PROCEDURE
--> (1 rows affected)
--> [name:nvarchar(128) | xtype:char(2) | category:int]
--> sp_start_job | P | 2
--> (1 rows affected)
--> [role:nvarchar(128) | member:nvarchar(128)]
--> SQLAgentReaderRole | SQLAgentOperatorRole
--> SQLAgentUserRole | SQLAgentReaderRole
--> (2 rows affected)
--> [is_member:int | may:int]
--> 0 | 1
--> (1 rows affected)
CREATE TABLE #text (line nvarchar(max));
INSERT #text EXEC sp_helptext 'dbo.sp_start_job';
SELECT IIF(COUNT(*) > 10, 1, 0) AS has_lines FROM #text;
DROP TABLE #text;
GO
--> (83 rows affected)
--> [has_lines:int]
--> 1
--> (1 rows affected)
CREATE PROCEDURE dbo.sp_start_job AS SELECT 1
GO
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'sp_start_job' in the database.
DROP PROCEDURE dbo.sp_start_job
GO
--> Msg 40517, Level 16, State 1, Line 1: A change of a procedure that msdb came with is not supported in this version of Millpond.
ALTER PROCEDURE dbo.sp_start_job AS SELECT 1
GO
--> Msg 40517, Level 16, State 1, Line 1: A change of a procedure that msdb came with is not supported in this version of Millpond.
EXEC sp_rename 'dbo.sp_start_job', 'sp_begin_job'
GO
--> Msg 40517, Level 16, State 1, Line 1: A change of a procedure that msdb came with is not supported in this version of Millpond.
DROP ROLE DatabaseMailUserRole
GO
--> Msg 15150, Level 16, State 1, Line 1: Cannot drop the role 'DatabaseMailUserRole'.
ALTER ROLE SQLAgentOperatorRole WITH NAME = other
GO
--> Msg 15150, Level 16, State 1, Line 1: Cannot alter the role 'SQLAgentOperatorRole'.
ALTER ROLE SQLAgentUserRole DROP MEMBER SQLAgentReaderRole
GO
--> Msg 40517, Level 16, State 1, Line 1: DROP MEMBER of a role that msdb came with is not supported in this version of Millpond.
SELECT COUNT(*) AS still_there FROM sys.procedures WHERE name = 'sp_start_job';
GO
--> [still_there:int]
--> 1
--> (1 rows affected)
CREATE USER plain WITHOUT LOGIN;
CREATE USER agent_user WITHOUT LOGIN;
ALTER ROLE SQLAgentUserRole ADD MEMBER agent_user;
GO
EXECUTE AS USER = 'plain';
SELECT OBJECT_ID('dbo.sp_help_job') AS unseen;
EXEC dbo.sp_help_job;
GO
--> [unseen:int]
--> NULL
--> (1 rows affected)
--> Msg 229, Level 14, State 5, Line 3: The EXECUTE permission was denied on the object 'sp_help_job', database 'msdb', schema 'dbo'.
REVERT;
GRANT EXECUTE ON dbo.sp_help_job TO plain;
SELECT USER_NAME(grantee_principal_id) AS grantee, permission_name, state_desc FROM sys.database_permissions
WHERE major_id = OBJECT_ID('dbo.sp_help_job') ORDER BY 1;
GO
--> [grantee:nvarchar(128) | permission_name:nvarchar(128) | state_desc:nvarchar(60)]
--> plain | EXECUTE | GRANT
--> SQLAgentUserRole | EXECUTE | GRANT
--> (2 rows affected)
EXECUTE AS USER = 'plain';
SELECT IIF(OBJECT_ID('dbo.sp_help_job') IS NOT NULL, 1, 0) AS seen, HAS_PERMS_BY_NAME('dbo.sp_help_job', 'OBJECT', 'EXECUTE') AS may;
EXEC dbo.sp_help_job @job_id = NULL, @job_aspect = NULL;
EXEC dbo.sp_add_job @job_name = 'mine';
GO
--> [seen:int | may:int]
--> 1 | 1
--> (1 rows affected)
--> [job_id:uniqueidentifier | originating_server:nvarchar(30) | name:nvarchar(128) | enabled:tinyint | description:nvarchar(512) | start_step_id:int | category:nvarchar(128) | owner:nvarchar(128) | notify_level_eventlog:int | notify_level_email:int | notify_level_netsend:int | notify_level_page:int | notify_email_operator:nvarchar(128) | notify_netsend_operator:nvarchar(128) | notify_page_operator:nvarchar(128) | delete_level:int | date_created:datetime | date_modified:datetime | version_number:int | last_run_date:int | last_run_time:int | last_run_outcome:int | next_run_date:int | next_run_time:int | next_run_schedule_id:int | current_execution_status:int | current_execution_step:nvarchar(128) | current_retry_attempt:int | has_step:int | has_schedule:int | has_target:int | type:int]
--> Msg 229, Level 14, State 5, Line 4: The EXECUTE permission was denied on the object 'sp_add_job', database 'msdb', schema 'dbo'.
REVERT;
REVOKE EXECUTE ON dbo.sp_help_job FROM plain;
GO
EXECUTE AS USER = 'plain';
EXEC dbo.sp_help_job;
GO
--> Msg 229, Level 14, State 5, Line 2: The EXECUTE permission was denied on the object 'sp_help_job', database 'msdb', schema 'dbo'.
REVERT;
EXECUTE AS USER = 'agent_user';
SELECT HAS_PERMS_BY_NAME('dbo.sp_help_job', 'OBJECT', 'EXECUTE') AS may, HAS_PERMS_BY_NAME('dbo.sp_send_dbmail', 'OBJECT', 'EXECUTE') AS may_mail;
EXEC dbo.sp_send_dbmail;
GO
--> [may:int | may_mail:int]
--> 1 | NULL
--> (1 rows affected)
--> Msg 229, Level 14, State 5, Line 4: The EXECUTE permission was denied on the object 'sp_send_dbmail', database 'msdb', schema 'dbo'.
REVERT;
DENY EXECUTE ON dbo.sp_help_job TO agent_user;
GO
EXECUTE AS USER = 'agent_user';
EXEC dbo.sp_help_job;
GO
--> Msg 229, Level 14, State 5, Line 2: The EXECUTE permission was denied on the object 'sp_help_job', database 'msdb', schema 'dbo'.
REVERT;
REVOKE EXECUTE ON dbo.sp_help_job FROM agent_user;
GO
REVOKE EXECUTE ON dbo.sp_help_job FROM SQLAgentUserRole;
GO
--> Msg 40517, Level 16, State 1, Line 1: REVOKE of a permission that a role of msdb came with is not supported in this version of Millpond.
BEGIN TRANSACTION;
DENY EXECUTE ON dbo.sp_help_job TO SQLAgentUserRole;
SELECT state_desc FROM sys.database_permissions WHERE major_id = OBJECT_ID('dbo.sp_help_job');
ROLLBACK;
SELECT state_desc FROM sys.database_permissions WHERE major_id = OBJECT_ID('dbo.sp_help_job');
GO
--> [state_desc:nvarchar(60)]
--> DENY
--> (1 rows affected)
--> [state_desc:nvarchar(60)]
--> GRANT
--> (1 rows affected)
-- A procedure of dbo's that calls one of them asks no right of its caller for that; a text that it runs does, and so does a procedure of
-- another database.
CREATE PROCEDURE dbo.jobs_for_all AS EXEC dbo.sp_help_category @class = 'OPERATOR';
GO
CREATE PROCEDURE dbo.texts_for_all @text nvarchar(200) AS EXEC (@text); EXEC sp_executesql @text;
GO
GRANT EXECUTE ON dbo.jobs_for_all TO plain;
GRANT EXECUTE ON dbo.texts_for_all TO plain;
GO
EXECUTE AS USER = 'plain';
EXEC dbo.jobs_for_all;
EXEC dbo.sp_help_category @class = 'OPERATOR';
EXEC dbo.texts_for_all N'EXEC dbo.sp_help_category @class = ''OPERATOR''';
GO
--> [category_id:int | category_type:tinyint | name:nvarchar(128)]
--> 99 | 3 | [Uncategorized]
--> Msg 229, Level 14, State 5, Line 3: The EXECUTE permission was denied on the object 'sp_help_category', database 'msdb', schema 'dbo'.
--> Msg 229, Level 14, State 5, Line 1: The EXECUTE permission was denied on the object 'sp_help_category', database 'msdb', schema 'dbo'.
--> Msg 229, Level 14, State 5, Line 1: The EXECUTE permission was denied on the object 'sp_help_category', database 'msdb', schema 'dbo'.
REVERT;
DROP PROCEDURE dbo.texts_for_all;
GO
CREATE DATABASE shop;
GO
USE shop
GO
CREATE PROCEDURE dbo.jobs_for_all AS EXEC msdb.dbo.sp_help_category @class = 'OPERATOR';
GO
CREATE LOGIN clerk WITH PASSWORD = 'Str0ng-Enough#2024';
CREATE USER clerk FOR LOGIN clerk;
GRANT EXECUTE ON dbo.jobs_for_all TO clerk;
GO
EXECUTE AS LOGIN = 'clerk';
EXEC dbo.jobs_for_all;
GO
--> Msg 229, Level 14, State 5, Line 1: The EXECUTE permission was denied on the object 'sp_help_category', database 'msdb', schema 'dbo'.
REVERT;
GO
USE msdb
GO
DROP DATABASE shop;
DROP LOGIN clerk;
GO
DROP PROCEDURE dbo.jobs_for_all;
DROP USER plain;
DROP USER agent_user;
GO
USE master
GO
