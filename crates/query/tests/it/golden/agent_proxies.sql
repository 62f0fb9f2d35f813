-- Proxies of the Agent: without credentials none can be made; what is in the tables is told, granted and revoked.
EXEC msdb.dbo.sp_help_proxy;
GO
--> [proxy_id:int | name:nvarchar(128) | credential_identity:nvarchar(128) | enabled:tinyint | description:nvarchar(1024) | user_sid:varbinary(85) | credential_id:int | credential_identity_exists:int]
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_proxy N'p', @credential_name = N'no such';
SELECT @r AS returned;
EXEC msdb.dbo.sp_add_proxy N'p';
EXEC msdb.dbo.sp_add_proxy N'p', @credential_id = 5;
EXEC msdb.dbo.sp_delete_proxy @proxy_name = N'p';
EXEC msdb.dbo.sp_delete_proxy;
EXEC msdb.dbo.sp_update_proxy @proxy_id = 1, @enabled = 0;
EXEC msdb.dbo.sp_grant_login_to_proxy N'sa', @proxy_name = N'p';
EXEC msdb.dbo.sp_revoke_login_from_proxy N'sa', @proxy_name = N'p';
EXEC msdb.dbo.sp_grant_proxy_to_subsystem @proxy_id = 1, @subsystem_id = 3;
EXEC msdb.dbo.sp_revoke_proxy_from_subsystem @proxy_id = 1, @subsystem_id = 3;
EXEC msdb.dbo.sp_enum_login_for_proxy;
EXEC msdb.dbo.sp_enum_proxy_for_subsystem;
GO
--> Msg 14262, Level 16, State 1, Line 20: The specified @credential_name ('no such') does not exist.
--> [returned:int]
--> 1
--> (1 rows affected)
--> Msg 14524, Level 16, State 1, Line 12: Supply either @credential_name or @credential_id.
--> Msg 14262, Level 16, State 1, Line 30: The specified @credential_id ('5') does not exist.
--> Msg 14262, Level 16, State 1, Line 20: The specified @proxy_name ('p') does not exist.
--> Msg 14524, Level 16, State 1, Line 12: Supply either @proxy_name or @proxy_id.
--> Msg 14262, Level 16, State 1, Line 30: The specified @proxy_id ('1') does not exist.
--> Msg 14262, Level 16, State 1, Line 20: The specified @proxy_name ('p') does not exist.
--> Msg 14262, Level 16, State 1, Line 20: The specified @proxy_name ('p') does not exist.
--> Msg 14262, Level 16, State 1, Line 30: The specified @proxy_id ('1') does not exist.
--> Msg 14262, Level 16, State 1, Line 30: The specified @proxy_id ('1') does not exist.
--> [proxy_id:int | proxy_name:nvarchar(128) | flags:int | name:nvarchar(128) | sid:varbinary(85) | principal_id:int]
--> [subsystem_id:int | subsystem_name:nvarchar(128) | proxy_id:int | proxy_name:nvarchar(128)]
EXEC msdb.dbo.sp_enum_sqlagent_subsystems;
GO
--> [subsystem:nvarchar(40) | description:nvarchar(512) | subsystem_dll:nvarchar(510) | agent_exe:nvarchar(510) | start_entry_point:nvarchar(30) | event_entry_point:nvarchar(30) | stop_entry_point:nvarchar(30) | max_worker_threads:int | subsystem_id:int]
--> TSQL | Transact-SQL Subsystem | [Internal] | [Internal] | [Internal] | [Internal] | [Internal] | 20 | 1
--> ActiveScripting | Active Scripting Subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 2
--> CmdExec | Command-Line Subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 3
--> Snapshot | Replication Snapshot Subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 4
--> LogReader | Replication Transaction-Log Reader Subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 5
--> Distribution | Replication Distribution Subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 6
--> Merge | Replication Merge Subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 7
--> QueueReader | Replication Transaction Queue Reader Subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 8
--> ANALYSISQUERY | Analysis query subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 9
--> ANALYSISCOMMAND | Analysis command subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 10
--> SSIS | SSIS package execution subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 11
--> PowerShell | PowerShell Subsystem | NULL | NULL | NULL | NULL | NULL | 0 | 12
CREATE LOGIN runner WITH PASSWORD = 'Lake-1234567';
INSERT msdb.dbo.sysproxies (name, credential_id, user_sid, credential_date_created)
VALUES (N'p', 1, 0x05, '20260101'), (N'q', 2, 0x06, '20260101');
GO
--> (2 rows affected)
EXEC msdb.dbo.sp_help_proxy;
EXEC msdb.dbo.sp_help_proxy @proxy_id = 2;
EXEC msdb.dbo.sp_help_proxy @proxy_id = 3;
EXEC msdb.dbo.sp_help_proxy @proxy_id = 2, @proxy_name = N'p';
EXEC msdb.dbo.sp_help_proxy @name = N'runner';
EXEC msdb.dbo.sp_help_proxy @name = N'no such', @subsystem_name = N'CmdExec';
GO
--> [proxy_id:int | name:nvarchar(128) | credential_identity:nvarchar(128) | enabled:tinyint | description:nvarchar(1024) | user_sid:varbinary(85) | credential_id:int | credential_identity_exists:int]
--> 1 | p | NULL | 1 | NULL | 0x05 | 1 | 0
--> 2 | q | NULL | 1 | NULL | 0x06 | 2 | 0
--> [proxy_id:int | name:nvarchar(128) | credential_identity:nvarchar(128) | enabled:tinyint | description:nvarchar(1024) | user_sid:varbinary(85) | credential_id:int | credential_identity_exists:int]
--> 2 | q | NULL | 1 | NULL | 0x06 | 2 | 0
--> Msg 14262, Level 16, State 1, Line 30: The specified @proxy_id ('3') does not exist.
--> Msg 14262, Level 16, State 1, Line 20: The specified @proxy_name ('p') does not exist.
--> Msg 14532, Level 16, State 1, Line 26: Supply both @subsystem_name and @name, or none of them.
--> Msg 14520, Level 16, State 1, Line 36: no such is not a valid SQL Server standard login, Windows NT user, Windows NT group, or msdb database role.
EXEC msdb.dbo.sp_update_proxy @proxy_name = N'q', @new_name = N'p';
EXEC msdb.dbo.sp_update_proxy @proxy_name = N'q', @enabled = 2;
EXEC msdb.dbo.sp_update_proxy @proxy_name = N'q', @credential_name = N'no such';
EXEC msdb.dbo.sp_update_proxy @proxy_name = N'q', @new_name = N'q''2]', @enabled = 0, @description = N'text';
EXEC msdb.dbo.sp_help_proxy @proxy_name = N'q''2]';
GO
--> Msg 14261, Level 16, State 1, Line 31: The specified @new_name ('p') already exists.
--> Msg 14266, Level 16, State 1, Line 26: The specified '@enabled' is invalid (valid values are: 0, 1).
--> Msg 14262, Level 16, State 1, Line 20: The specified @credential_name ('no such') does not exist.
--> [proxy_id:int | name:nvarchar(128) | credential_identity:nvarchar(128) | enabled:tinyint | description:nvarchar(1024) | user_sid:varbinary(85) | credential_id:int | credential_identity_exists:int]
--> 2 | q'2] | NULL | 0 | text | 0x06 | 2 | 0
DECLARE @r int;
EXEC @r = msdb.dbo.sp_grant_login_to_proxy N'runner', @proxy_name = N'p';
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_grant_login_to_proxy N'runner', @proxy_name = N'p';
SELECT @r AS returned;
EXEC msdb.dbo.sp_grant_login_to_proxy N'sa', @proxy_name = N'p';
EXEC msdb.dbo.sp_grant_login_to_proxy N'no such', @proxy_name = N'p';
EXEC msdb.dbo.sp_grant_login_to_proxy N'runner', N'setupadmin', @proxy_name = N'p';
EXEC msdb.dbo.sp_grant_login_to_proxy @proxy_name = N'p';
EXEC msdb.dbo.sp_grant_login_to_proxy @fixed_server_role = N'setupadmin', @proxy_name = N'p';
EXEC msdb.dbo.sp_grant_login_to_proxy @fixed_server_role = N'no such', @proxy_name = N'p';
EXEC msdb.dbo.sp_grant_login_to_proxy @msdb_role = N'SQLAgentUserRole', @proxy_name = N'p';
EXEC msdb.dbo.sp_grant_login_to_proxy @msdb_role = N'no such', @proxy_name = N'p';
CREATE TABLE #found (proxy_id int, proxy_name sysname, flags int, name sysname NULL, sid varbinary(85) NULL, principal_id int NULL);
INSERT #found EXEC msdb.dbo.sp_enum_login_for_proxy;
SELECT proxy_id, proxy_name, flags, name, CASE WHEN sid IS NULL THEN 'none' ELSE 'some' END AS sid FROM #found ORDER BY flags;
DELETE #found;
INSERT #found EXEC msdb.dbo.sp_enum_login_for_proxy N'runner', 1;
SELECT proxy_id, proxy_name, flags, name FROM #found;
EXEC msdb.dbo.sp_enum_login_for_proxy N'runner', 2;
EXEC msdb.dbo.sp_enum_login_for_proxy N'no such';
GO
--> [returned:int]
--> 0
--> (1 rows affected)
--> Msg 14531, Level 16, State 1, Line 76: Permission to access proxy already granted. Verify current permissions assignments.
--> [returned:int]
--> 1
--> (1 rows affected)
--> Msg 14395, Level 16, State 1, Line 44: 'sa' is a member of sysadmin server role and cannot be granted to or revoked from the proxy. Members of sysadmin server role are allowed to use any proxy.
--> Msg 14520, Level 16, State 1, Line 39: no such is not a valid SQL Server standard login, Windows NT user, Windows NT group, or msdb database role.
--> Msg 14519, Level 16, State 1, Line 28: Only one of @login_name, @fixed_server_role, or @msdb_role should be specified.
--> Msg 14519, Level 16, State 1, Line 28: Only one of @login_name, @fixed_server_role, or @msdb_role should be specified.
--> Msg 14521, Level 16, State 1, Line 56: no such is not a valid SQL Server fixed server role, Windows NT user, or Windows NT group.
--> Msg 14522, Level 16, State 1, Line 68: "no such" is not a valid role of an msdb database, Windows NT user, or Windows NT group.
--> (3 rows affected)
--> [proxy_id:int | proxy_name:nvarchar(128) | flags:int | name:nvarchar(128) | sid:varchar(4)]
--> 1 | p | 0 | runner | some
--> 1 | p | 1 | setupadmin | some
--> 1 | p | 2 | SQLAgentUserRole | none
--> (3 rows affected)
--> (3 rows affected)
--> (1 rows affected)
--> [proxy_id:int | proxy_name:nvarchar(128) | flags:int | name:nvarchar(128)]
--> 1 | p | 0 | runner
--> (1 rows affected)
--> [proxy_id:int | proxy_name:nvarchar(128) | flags:int | name:nvarchar(128) | sid:varbinary(85) | principal_id:int]
--> Msg 14520, Level 16, State 1, Line 26: no such is not a valid SQL Server standard login, Windows NT user, Windows NT group, or msdb database role.
EXEC msdb.dbo.sp_grant_proxy_to_subsystem @proxy_id = 1, @subsystem_id = 3;
EXEC msdb.dbo.sp_grant_proxy_to_subsystem @proxy_id = 1, @subsystem_id = 3;
EXEC msdb.dbo.sp_grant_proxy_to_subsystem @proxy_id = 1, @subsystem_name = N'Dts';
EXEC msdb.dbo.sp_grant_proxy_to_subsystem @proxy_id = 1, @subsystem_name = N'TSQL';
EXEC msdb.dbo.sp_grant_proxy_to_subsystem @proxy_id = 1, @subsystem_name = N'no such';
EXEC msdb.dbo.sp_grant_proxy_to_subsystem @proxy_id = 1, @subsystem_id = 99;
EXEC msdb.dbo.sp_grant_proxy_to_subsystem @proxy_id = 1;
EXEC msdb.dbo.sp_enum_proxy_for_subsystem;
EXEC msdb.dbo.sp_enum_proxy_for_subsystem @subsystem_name = N'CmdExec';
EXEC msdb.dbo.sp_enum_proxy_for_subsystem @proxy_id = 2;
EXEC msdb.dbo.sp_help_proxy @name = N'runner', @subsystem_name = N'CmdExec';
EXEC msdb.dbo.sp_help_proxy @name = N'runner', @subsystem_name = N'PowerShell';
GO
--> Msg 14531, Level 16, State 1, Line 30: Permission to access proxy already granted. Verify current permissions assignments.
--> Msg 14517, Level 16, State 1, Line 25: A proxy account is not allowed for a Transact-SQL subsystem.
--> Msg 14262, Level 16, State 1, Line 22: The specified @subsystem_name ('no such') does not exist.
--> Msg 14262, Level 16, State 1, Line 31: The specified @subsystem_id ('99') does not exist.
--> Msg 14524, Level 16, State 1, Line 12: Supply either @subsystem_name or @subsystem_id.
--> [subsystem_id:int | subsystem_name:nvarchar(128) | proxy_id:int | proxy_name:nvarchar(128)]
--> 3 | CmdExec | 1 | p
--> 11 | SSIS | 1 | p
--> [subsystem_id:int | subsystem_name:nvarchar(128) | proxy_id:int | proxy_name:nvarchar(128)]
--> 3 | CmdExec | 1 | p
--> [subsystem_id:int | subsystem_name:nvarchar(128) | proxy_id:int | proxy_name:nvarchar(128)]
--> [proxy_id:int | name:nvarchar(128) | credential_identity:nvarchar(128) | enabled:tinyint | description:nvarchar(1024) | user_sid:varbinary(85) | credential_id:int | credential_identity_exists:int]
--> 1 | p | NULL | 1 | NULL | 0x05 | 1 | 0
--> [proxy_id:int | name:nvarchar(128) | credential_identity:nvarchar(128) | enabled:tinyint | description:nvarchar(1024) | user_sid:varbinary(85) | credential_id:int | credential_identity_exists:int]
EXEC msdb.dbo.sp_revoke_proxy_from_subsystem @proxy_id = 1, @subsystem_id = 3;
EXEC msdb.dbo.sp_revoke_proxy_from_subsystem @proxy_id = 1, @subsystem_id = 3;
EXEC msdb.dbo.sp_revoke_login_from_proxy N'runner', @proxy_name = N'p';
EXEC msdb.dbo.sp_revoke_login_from_proxy N'runner', @proxy_name = N'p';
EXEC msdb.dbo.sp_revoke_login_from_proxy N'SQLAgentUserRole', @proxy_name = N'p';
EXEC msdb.dbo.sp_revoke_login_from_proxy N'no such', @proxy_name = N'p';
DELETE #found;
INSERT #found EXEC msdb.dbo.sp_enum_login_for_proxy;
SELECT proxy_id, proxy_name, flags, name FROM #found;
DROP TABLE #found;
EXEC msdb.dbo.sp_delete_proxy @proxy_name = N'p';
EXEC msdb.dbo.sp_delete_proxy @proxy_id = 2;
SELECT (SELECT COUNT(*) FROM msdb.dbo.sysproxies) AS proxies, (SELECT COUNT(*) FROM msdb.dbo.sysproxylogin) AS logins,
    (SELECT COUNT(*) FROM msdb.dbo.sysproxysubsystem) AS subsystems;
DROP LOGIN runner;
GO
--> Msg 14600, Level 16, State 1, Line 26: Proxy "p" has not been granted permission to use subsystem "CmdExec".
--> Msg 14523, Level 16, State 1, Line 32: runner has not been granted permission to use proxy "p".
--> Msg 14520, Level 16, State 1, Line 23: no such is not a valid SQL Server standard login, Windows NT user, Windows NT group, or msdb database role.
--> (1 rows affected)
--> (1 rows affected)
--> [proxy_id:int | proxy_name:nvarchar(128) | flags:int | name:nvarchar(128)]
--> 1 | p | 1 | setupadmin
--> (1 rows affected)
--> [proxies:int | logins:int | subsystems:int]
--> 0 | 0 | 0
--> (1 rows affected)
