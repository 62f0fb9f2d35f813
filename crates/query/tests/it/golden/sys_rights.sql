-- Procedures about rights: what fixed roles may do, which databases one may use, Windows accounts where there are none.
EXEC sp_srvrolepermission
GO
--> [ServerRole:nvarchar(128) | Permission:nvarchar(128)]
--> bulkadmin | Add member to bulkadmin
--> bulkadmin | BULK INSERT
--> dbcreator | Add member to dbcreator
--> dbcreator | ALTER DATABASE
--> dbcreator | CREATE DATABASE
--> dbcreator | DROP DATABASE
--> dbcreator | Extend database
--> dbcreator | RESTORE DATABASE
--> dbcreator | RESTORE LOG
--> dbcreator | sp_renamedb
--> diskadmin | Add member to diskadmin
--> diskadmin | sp_addumpdevice
--> diskadmin | sp_dropdevice
--> processadmin | Add member to processadmin
--> processadmin | KILL
--> securityadmin | Add member to securityadmin
--> securityadmin | Grant/deny/revoke CREATE DATABASE
--> securityadmin | Read the error log
--> securityadmin | sp_addlinkedsrvlogin
--> securityadmin | sp_addlogin
--> securityadmin | sp_defaultdb
--> securityadmin | sp_defaultlanguage
--> securityadmin | sp_denylogin
--> securityadmin | sp_droplinkedsrvlogin
--> securityadmin | sp_droplogin
--> securityadmin | sp_dropremotelogin
--> securityadmin | sp_grantlogin
--> securityadmin | sp_helplogins
--> securityadmin | sp_password
--> securityadmin | sp_remoteoption (update)
--> securityadmin | sp_revokelogin
--> serveradmin | Add member to serveradmin
--> serveradmin | DBCC FREEPROCCACHE
--> serveradmin | RECONFIGURE
--> serveradmin | SHUTDOWN
--> serveradmin | sp_configure
--> serveradmin | sp_fulltext_service
--> serveradmin | sp_tableoption
--> setupadmin | Add member to setupadmin
--> setupadmin | Add/drop/configure linked servers
--> setupadmin | Mark a stored procedure as startup
--> sysadmin | Add member to any fixed server role
--> sysadmin | All DDL in any database
--> sysadmin | All permissions of the other fixed server roles
--> sysadmin | All permissions of the owner in any database
--> sysadmin | Any DBCC command
--> sysadmin | BACKUP and RESTORE of any database
--> sysadmin | GRANT, DENY and REVOKE of any permission
--> sysadmin | Use of any system procedure
EXEC sp_srvrolepermission @srvrolename = 'dbcreator'
EXEC sp_srvrolepermission 'public'
EXEC sp_srvrolepermission ''
EXEC sp_srvrolepermission 'no''role'
GO
--> [ServerRole:nvarchar(128) | Permission:nvarchar(128)]
--> dbcreator | Add member to dbcreator
--> dbcreator | ALTER DATABASE
--> dbcreator | CREATE DATABASE
--> dbcreator | DROP DATABASE
--> dbcreator | Extend database
--> dbcreator | RESTORE DATABASE
--> dbcreator | RESTORE LOG
--> dbcreator | sp_renamedb
--> Msg 15412, Level 11, State 1, Line 8: 'public' is not a known fixed role.
--> Msg 15412, Level 11, State 1, Line 8: '' is not a known fixed role.
--> Msg 15412, Level 11, State 1, Line 8: 'no'role' is not a known fixed role.
EXEC sp_dbfixedrolepermission
GO
--> [DbFixedRole:nvarchar(128) | Permission:nvarchar(70)]
--> db_accessadmin | sp_adduser
--> db_accessadmin | sp_dropuser
--> db_accessadmin | sp_grantdbaccess
--> db_accessadmin | sp_revokedbaccess
--> db_backupoperator | BACKUP DATABASE
--> db_backupoperator | BACKUP LOG
--> db_backupoperator | CHECKPOINT
--> db_datareader | SELECT permission on any object
--> db_datawriter | DELETE permission on any object
--> db_datawriter | INSERT permission on any object
--> db_datawriter | UPDATE permission on any object
--> db_ddladmin | All DDL but GRANT, REVOKE, DENY
--> db_ddladmin | DBCC CLEANTABLE
--> db_ddladmin | DBCC SHOW_STATISTICS
--> db_ddladmin | DBCC SHOWCONTIG
--> db_ddladmin | REFERENCES permission on any table
--> db_ddladmin | sp_changeobjectowner
--> db_ddladmin | sp_fulltext_column
--> db_ddladmin | sp_fulltext_table
--> db_ddladmin | sp_recompile
--> db_ddladmin | sp_rename
--> db_ddladmin | sp_tableoption
--> db_ddladmin | TRUNCATE TABLE
--> db_denydatareader | No SELECT permission on any object
--> db_denydatawriter | No DELETE permission on any object
--> db_denydatawriter | No INSERT permission on any object
--> db_denydatawriter | No UPDATE permission on any object
--> db_owner | Add/drop to/from db_accessadmin
--> db_owner | Add/drop to/from db_backupoperator
--> db_owner | Add/drop to/from db_datareader
--> db_owner | Add/drop to/from db_datawriter
--> db_owner | Add/drop to/from db_ddladmin
--> db_owner | Add/drop to/from db_denydatareader
--> db_owner | Add/drop to/from db_denydatawriter
--> db_owner | Add/drop to/from db_owner
--> db_owner | Add/drop to/from db_securityadmin
--> db_owner | All DDL
--> db_owner | All permissions of the other fixed database roles
--> db_owner | ALTER DATABASE
--> db_owner | DBCC CHECKALLOC
--> db_owner | DBCC CHECKDB
--> db_owner | DBCC CHECKFILEGROUP
--> db_owner | DBCC CHECKIDENT
--> db_owner | DBCC CHECKTABLE
--> db_owner | DBCC SHRINKDATABASE
--> db_owner | DBCC SHRINKFILE
--> db_owner | DBCC UPDATEUSAGE
--> db_owner | EXECUTE any procedure
--> db_owner | REFERENCES permission on any table
--> db_owner | RESTORE DATABASE
--> db_owner | RESTORE LOG
--> db_owner | sp_updatestats
--> db_securityadmin | DENY
--> db_securityadmin | GRANT
--> db_securityadmin | REVOKE
--> db_securityadmin | sp_addapprole
--> db_securityadmin | sp_addrole
--> db_securityadmin | sp_addrolemember
--> db_securityadmin | sp_approlepassword
--> db_securityadmin | sp_changeobjectowner
--> db_securityadmin | sp_dropapprole
--> db_securityadmin | sp_droprole
--> db_securityadmin | sp_droprolemember
EXEC sp_dbfixedrolepermission 'db_datareader'
EXEC sp_dbfixedrolepermission 'public'
EXEC sp_dbfixedrolepermission N'nö]role'
GO
--> [DbFixedRole:nvarchar(128) | Permission:nvarchar(70)]
--> db_datareader | SELECT permission on any object
--> Msg 15412, Level 11, State 1, Line 8: 'public' is not a known fixed role.
--> Msg 15412, Level 11, State 1, Line 8: 'nö]role' is not a known fixed role.
CREATE LOGIN visitor WITH PASSWORD = 'V1sit!or-of-all'
CREATE DATABASE closed
CREATE TABLE #open (name sysname, owner sysname NULL)
GO
INSERT #open EXEC sp_MShasdbaccess
SELECT name, owner FROM #open WHERE name IN ('master', 'tempdb', 'closed') ORDER BY name
DELETE #open
GO
--> (5 rows affected)
--> [name:nvarchar(128) | owner:nvarchar(128)]
--> closed | sa
--> master | sa
--> tempdb | sa
--> (3 rows affected)
--> (5 rows affected)
EXECUTE AS LOGIN = 'visitor'
CREATE TABLE #of_visitor (name sysname, owner sysname NULL)
INSERT #of_visitor EXEC sp_mshasdbaccess
SELECT name FROM #of_visitor WHERE name IN ('master', 'tempdb', 'closed') ORDER BY name
DROP TABLE #of_visitor
EXEC xp_loginconfig 'login mode'
EXEC xp_enumgroups
REVERT
GO
--> (3 rows affected)
--> [name:nvarchar(128)]
--> master
--> tempdb
--> (2 rows affected)
--> Msg 15247, Level 16, State 1, Line 8: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 11: User does not have permission to perform this action.
DROP TABLE #open
DROP LOGIN visitor
DROP DATABASE closed
GO
EXEC sp_helpntgroup
EXEC sp_helpntgroup 'domain\group'
GO
--> [NTGroupName:nvarchar(128) | NTGroupId:smallint | SID:varbinary(85) | HasDbAccess:int]
--> Msg 15420, Level 16, State 1, Line 7: The group 'domain\group' does not exist in this database.
EXEC xp_logininfo
EXEC xp_logininfo 'domain\user'
EXEC xp_logininfo @acctname = 'sa', @option = 'all'
EXEC xp_logininfo 'domain\user', 'some'
EXEC xp_logininfo NULL, 'members'
GO
--> [account name:nvarchar(128) | type:char(8) | privilege:char(9) | mapped login name:nvarchar(128) | permission path:nvarchar(128)]
--> Msg 15404, Level 16, State 1, Line 23: Could not obtain information about Windows NT group/user 'domain\user', error code 0x534.
--> Msg 15407, Level 11, State 1, Line 18: 'sa' is not a valid Windows NT name. Give the complete name: <domain\username>.
--> Msg 15600, Level 15, State 1, Line 8: An invalid parameter or option was specified for procedure 'sys.xp_logininfo'.
--> Msg 15600, Level 15, State 1, Line 13: An invalid parameter or option was specified for procedure 'sys.xp_logininfo'.
DECLARE @privilege varchar(10)
EXEC xp_logininfo NULL, NULL, @privilege OUTPUT
SELECT @privilege AS privilege
GO
--> [privilege:varchar(10)]
--> NULL
--> (1 rows affected)
EXEC xp_loginconfig 'login mode'
EXEC xp_loginconfig 'MAP _'
EXEC xp_loginconfig 'nonsense'
EXEC xp_enumgroups
EXEC xp_enumgroups 'domain'
GO
--> [name:nvarchar(128) | config value:nvarchar(128)]
--> login mode | Mixed
--> [name:nvarchar(128) | config value:nvarchar(128)]
--> map _ | domain separator
--> Msg 15021, Level 16, State 1, Line 22: Invalid value given for parameter config_name. Specify a valid parameter value.
--> [group:nvarchar(128) | comment:nvarchar(128)]
--> Msg 40517, Level 16, State 1, Line 16: A Windows domain is not supported in this version of Millpond.
DECLARE @result int
EXEC @result = xp_grantlogin 'domain\user'
SELECT @result AS result
EXEC @result = xp_grantlogin 'domain\user', 'admin'
SELECT @result AS result
EXEC @result = xp_grantlogin 'domain\user', 'boss'
SELECT @result AS result
EXEC @result = xp_grantlogin 'sa'
SELECT @result AS result
EXEC @result = xp_revokelogin 'domain\user'
SELECT @result AS result
GO
--> Msg 15401, Level 11, State 1, Line 11: Windows NT user or group 'domain\user' not found. Check the name again.
--> [result:int]
--> 1
--> (1 rows affected)
--> Msg 15401, Level 11, State 1, Line 11: Windows NT user or group 'domain\user' not found. Check the name again.
--> [result:int]
--> 1
--> (1 rows affected)
--> Msg 15600, Level 15, State 1, Line 8: An invalid parameter or option was specified for procedure 'sys.xp_grantlogin'.
--> [result:int]
--> 1
--> (1 rows affected)
--> Msg 15407, Level 11, State 1, Line 11: 'sa' is not a valid Windows NT name. Give the complete name: <domain\username>.
--> [result:int]
--> 1
--> (1 rows affected)
--> Msg 15401, Level 11, State 1, Line 6: Windows NT user or group 'domain\user' not found. Check the name again.
--> [result:int]
--> 1
--> (1 rows affected)
