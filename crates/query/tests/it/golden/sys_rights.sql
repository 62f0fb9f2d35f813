-- Procedures about rights: what fixed roles may do, which databases one may use, Windows accounts where there are none.
EXEC sp_srvrolepermission
GO
EXEC sp_srvrolepermission @srvrolename = 'dbcreator'
EXEC sp_srvrolepermission 'public'
EXEC sp_srvrolepermission ''
EXEC sp_srvrolepermission 'no''role'
GO
EXEC sp_dbfixedrolepermission
GO
EXEC sp_dbfixedrolepermission 'db_datareader'
EXEC sp_dbfixedrolepermission 'public'
EXEC sp_dbfixedrolepermission N'nö]role'
GO
CREATE LOGIN visitor WITH PASSWORD = 'V1sit!or-of-all'
CREATE DATABASE closed
CREATE TABLE #open (name sysname, owner sysname NULL)
GO
INSERT #open EXEC sp_MShasdbaccess
SELECT name, owner FROM #open WHERE name IN ('master', 'tempdb', 'closed') ORDER BY name
DELETE #open
GO
EXECUTE AS LOGIN = 'visitor'
CREATE TABLE #of_visitor (name sysname, owner sysname NULL)
INSERT #of_visitor EXEC sp_mshasdbaccess
SELECT name FROM #of_visitor WHERE name IN ('master', 'tempdb', 'closed') ORDER BY name
DROP TABLE #of_visitor
EXEC xp_loginconfig 'login mode'
EXEC xp_enumgroups
REVERT
GO
DROP TABLE #open
DROP LOGIN visitor
DROP DATABASE closed
GO
EXEC sp_helpntgroup
EXEC sp_helpntgroup 'domain\group'
GO
EXEC xp_logininfo
EXEC xp_logininfo 'domain\user'
EXEC xp_logininfo @acctname = 'sa', @option = 'all'
EXEC xp_logininfo 'domain\user', 'some'
EXEC xp_logininfo NULL, 'members'
GO
DECLARE @privilege varchar(10)
EXEC xp_logininfo NULL, NULL, @privilege OUTPUT
SELECT @privilege AS privilege
GO
EXEC xp_loginconfig 'login mode'
EXEC xp_loginconfig 'MAP _'
EXEC xp_loginconfig 'nonsense'
EXEC xp_enumgroups
EXEC xp_enumgroups 'domain'
GO
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
