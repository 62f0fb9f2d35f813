-- Proxies of the Agent: without credentials none can be made; what is in the tables is told, granted and revoked.
EXEC msdb.dbo.sp_help_proxy;
GO
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
EXEC msdb.dbo.sp_enum_sqlagent_subsystems;
GO
CREATE LOGIN runner WITH PASSWORD = 'Lake-1234567';
INSERT msdb.dbo.sysproxies (name, credential_id, user_sid, credential_date_created)
VALUES (N'p', 1, 0x05, '20260101'), (N'q', 2, 0x06, '20260101');
GO
EXEC msdb.dbo.sp_help_proxy;
EXEC msdb.dbo.sp_help_proxy @proxy_id = 2;
EXEC msdb.dbo.sp_help_proxy @proxy_id = 3;
EXEC msdb.dbo.sp_help_proxy @proxy_id = 2, @proxy_name = N'p';
EXEC msdb.dbo.sp_help_proxy @name = N'runner';
EXEC msdb.dbo.sp_help_proxy @name = N'no such', @subsystem_name = N'CmdExec';
GO
EXEC msdb.dbo.sp_update_proxy @proxy_name = N'q', @new_name = N'p';
EXEC msdb.dbo.sp_update_proxy @proxy_name = N'q', @enabled = 2;
EXEC msdb.dbo.sp_update_proxy @proxy_name = N'q', @credential_name = N'no such';
EXEC msdb.dbo.sp_update_proxy @proxy_name = N'q', @new_name = N'q''2]', @enabled = 0, @description = N'text';
EXEC msdb.dbo.sp_help_proxy @proxy_name = N'q''2]';
GO
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
EXEC msdb.dbo.sp_enum_login_for_proxy;
EXEC msdb.dbo.sp_enum_login_for_proxy N'runner', 1;
EXEC msdb.dbo.sp_enum_login_for_proxy N'runner', 2;
EXEC msdb.dbo.sp_enum_login_for_proxy N'no such';
GO
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
EXEC msdb.dbo.sp_revoke_proxy_from_subsystem @proxy_id = 1, @subsystem_id = 3;
EXEC msdb.dbo.sp_revoke_proxy_from_subsystem @proxy_id = 1, @subsystem_id = 3;
EXEC msdb.dbo.sp_revoke_login_from_proxy N'runner', @proxy_name = N'p';
EXEC msdb.dbo.sp_revoke_login_from_proxy N'runner', @proxy_name = N'p';
EXEC msdb.dbo.sp_revoke_login_from_proxy N'SQLAgentUserRole', @proxy_name = N'p';
EXEC msdb.dbo.sp_revoke_login_from_proxy N'no such', @proxy_name = N'p';
EXEC msdb.dbo.sp_enum_login_for_proxy;
EXEC msdb.dbo.sp_delete_proxy @proxy_name = N'p';
EXEC msdb.dbo.sp_delete_proxy @proxy_id = 2;
SELECT (SELECT COUNT(*) FROM msdb.dbo.sysproxies) AS proxies, (SELECT COUNT(*) FROM msdb.dbo.sysproxylogin) AS logins,
    (SELECT COUNT(*) FROM msdb.dbo.sysproxysubsystem) AS subsystems;
DROP LOGIN runner;
GO
