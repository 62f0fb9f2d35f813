-- Application roles: made, activated by their password, ended by their cookie.
CREATE DATABASE till;
GO
USE till;
CREATE TABLE dbo.sales (id int);
INSERT dbo.sales VALUES (1), (2);
CREATE TABLE dbo.secrets (id int);
GO
--> (2 rows affected)
CREATE APPLICATION ROLE weak WITH PASSWORD = 'short';
GO
--> Msg 15116, Level 16, State 1, Line 1: Password validation failed. The password does not meet the operating system policy requirements because it is too short.
CREATE APPLICATION ROLE weak WITH PASSWORD = 'allsmallletters';
GO
--> Msg 15118, Level 16, State 1, Line 1: Password validation failed. The password does not meet the operating system policy requirements because it is not complex enough.
CREATE APPLICATION ROLE clerk WITH PASSWORD = 'Right-2026', DEFAULT_SCHEMA = dbo;
GRANT SELECT ON dbo.sales TO clerk;
GO
DECLARE @cookie varbinary(8000), @status int;
EXEC @status = sp_setapprole 'clerk', 'Right-2026', @fCreateCookie = true, @cookie = @cookie OUTPUT;
SELECT @status AS status, DATALENGTH(@cookie) AS bytes, USER_NAME() AS user_now, CURRENT_USER AS current_now, ORIGINAL_LOGIN() AS original, SUSER_SNAME() AS login_now, IS_MEMBER('db_owner') AS is_owner, IS_SRVROLEMEMBER('sysadmin') AS is_sysadmin;
SELECT COUNT(*) AS sales FROM sales;
SELECT COUNT(*) AS secrets FROM secrets;
SELECT OBJECT_ID('dbo.secrets') AS secret_id;
REVERT;
SELECT USER_NAME() AS user_now;
EXEC sp_unsetapprole 0x00;
SELECT USER_NAME() AS user_now;
EXEC sp_unsetapprole @cookie;
SELECT USER_NAME() AS user_now, COUNT(*) AS secrets FROM secrets;
EXEC sp_unsetapprole @cookie;
GO
--> [status:int | bytes:int | user_now:nvarchar(128) | current_now:nvarchar(128) | original:nvarchar(128) | login_now:nvarchar(128) | is_owner:int | is_sysadmin:int]
--> 0 | 50 | clerk | clerk | sa | sa | 0 | NULL
--> (1 rows affected)
--> [sales:int]
--> 2
--> (1 rows affected)
--> Msg 229, Level 14, State 5, Line 5: The SELECT permission was denied on the object 'secrets', database 'till', schema 'dbo'.
--> [secret_id:int]
--> NULL
--> (1 rows affected)
--> [user_now:nvarchar(128)]
--> clerk
--> (1 rows affected)
--> Msg 15592, Level 16, State 1, Line 9: Cannot unset application role because none was set or the cookie is invalid.
--> [user_now:nvarchar(128)]
--> clerk
--> (1 rows affected)
--> [user_now:nvarchar(128) | secrets:int]
--> dbo | 0
--> (1 rows affected)
--> Msg 15592, Level 16, State 1, Line 13: Cannot unset application role because none was set or the cookie is invalid.
-- Wrong names and passwords are refused alike.
EXEC sp_setapprole 'clerk', 'wrong';
EXEC sp_setapprole 'nobody', 'Right-2026';
EXEC sp_setapprole 'dbo', 'Right-2026';
EXEC sp_setapprole 'clerk';
EXEC sp_setapprole NULL, 'Right-2026';
EXEC sp_setapprole 'clerk', 'Right-2026', 'rot13';
EXEC sp_setapprole 'clerk', 'Right-2026', 'odbc';
GO
--> Msg 15161, Level 16, State 1, Line 2: Cannot set application role 'clerk' because it does not exist or the password is incorrect.
--> Msg 15161, Level 16, State 1, Line 3: Cannot set application role 'nobody' because it does not exist or the password is incorrect.
--> Msg 15161, Level 16, State 1, Line 4: Cannot set application role 'dbo' because it does not exist or the password is incorrect.
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_setapprole' expects parameter '@password', which was not supplied.
--> Msg 2762, Level 16, State 1, Line 6: sp_setapprole was not invoked correctly. Refer to the documentation for more information.
--> Msg 2762, Level 16, State 1, Line 7: sp_setapprole was not invoked correctly. Refer to the documentation for more information.
--> Msg 40517, Level 16, State 1, Line 8: sp_setapprole with @encrypt = 'odbc' is not supported in this version of Millpond.
EXEC sp_unsetapprole;
EXEC sp_unsetapprole NULL;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_unsetapprole' expects parameter '@cookie', which was not supplied.
--> Msg 15592, Level 16, State 1, Line 2: Cannot unset application role because none was set or the cookie is invalid.
-- Nowhere but at the top, and in no transaction.
BEGIN TRAN;
EXEC sp_setapprole 'clerk', 'Right-2026';
ROLLBACK;
EXEC ('EXEC sp_setapprole ''clerk'', ''Right-2026''');
GO
--> Msg 15002, Level 16, State 1, Line 3: The procedure 'sys.sp_setapprole' cannot be executed within a transaction.
--> Msg 15422, Level 16, State 1, Line 1: Application roles can only be activated at the ad hoc level.
CREATE PROCEDURE dbo.inside AS EXEC sp_setapprole 'clerk', 'Right-2026';
GO
EXEC dbo.inside;
GO
--> Msg 15422, Level 16, State 1, Line 1: Application roles can only be activated at the ad hoc level.
CREATE USER eve WITHOUT LOGIN;
EXECUTE AS USER = 'eve';
EXEC sp_setapprole 'clerk', 'Right-2026';
REVERT;
SELECT USER_NAME() AS user_now;
GO
--> Msg 15422, Level 16, State 1, Line 3: Application roles can only be activated at the ad hoc level.
--> [user_now:nvarchar(128)]
--> dbo
--> (1 rows affected)
-- The procedures that make, change and drop them.
EXEC sp_addapprole 'porter', 'x';
SELECT p.name, p.type_desc, p.default_schema_name, s.name AS schema_name, USER_NAME(s.principal_id) AS owner FROM sys.database_principals p JOIN sys.schemas s ON s.name = p.name WHERE p.name = 'porter';
EXEC sp_addapprole 'porter', 'x';
EXEC sp_addapprole 'other', NULL;
EXEC sp_approlepassword 'porter', 'y';
EXEC sp_approlepassword 'nobody', 'y';
EXEC sp_setapprole 'porter', 'x';
GO
--> [name:nvarchar(128) | type_desc:nvarchar(60) | default_schema_name:nvarchar(128) | schema_name:nvarchar(128) | owner:nvarchar(128)]
--> porter | APPLICATION_ROLE | porter | porter | porter
--> (1 rows affected)
--> Msg 15023, Level 16, State 1, Line 4: User, group, or role 'porter' already exists in the current database.
--> Msg 15021, Level 16, State 1, Line 5: Invalid value given for parameter @password. Specify a valid parameter value.
--> Msg 15151, Level 16, State 1, Line 1: Cannot alter the application role 'nobody', because it does not exist or you do not have permission.
--> Msg 15161, Level 16, State 1, Line 8: Cannot set application role 'porter' because it does not exist or the password is incorrect.
DECLARE @cookie varbinary(50);
EXEC sp_setapprole 'porter', 'y', 'none', 1, @cookie OUTPUT;
SELECT USER_NAME() AS user_now, SCHEMA_NAME() AS schema_now;
EXEC sp_unsetapprole @cookie;
GO
--> [user_now:nvarchar(128) | schema_now:nvarchar(128)]
--> porter | porter
--> (1 rows affected)
BEGIN TRAN;
EXEC sp_addapprole 'third', 'x';
EXEC sp_dropapprole 'porter';
EXEC sp_approlepassword 'porter', 'z';
ROLLBACK;
GO
--> Msg 15002, Level 16, State 1, Line 2: The procedure 'sys.sp_addapprole' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 3: The procedure 'sys.sp_dropapprole' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 4: The procedure 'sys.sp_approlepassword' cannot be executed within a transaction.
EXEC sp_dropapprole 'porter';
EXEC sp_dropapprole 'porter';
SELECT COUNT(*) AS schemas FROM sys.schemas WHERE name = 'porter';
GO
--> Msg 15014, Level 16, State 1, Line 2: The role 'porter' does not exist in the current database.
--> [schemas:int]
--> 0
--> (1 rows affected)
-- Other databases: as guest, where guest may connect. Nothing of the server is left.
DECLARE @cookie varbinary(8000);
CREATE DATABASE closed;
CREATE DATABASE opened;
EXEC ('USE opened; GRANT CONNECT TO guest; CREATE TABLE t (a int); GRANT SELECT ON t TO guest;');
EXEC sp_setapprole 'clerk', 'Right-2026', @fCreateCookie = 1, @cookie = @cookie OUTPUT;
SELECT COUNT(*) AS opened FROM opened.dbo.t;
SELECT HAS_DBACCESS('closed') AS closed, HAS_DBACCESS('opened') AS opened, HAS_DBACCESS('master') AS master;
CREATE LOGIN mine WITH PASSWORD = 'Lake-1234567';
EXEC ('SELECT USER_NAME() AS user_inside');
EXEC sp_unsetapprole @cookie;
GO
--> [opened:int]
--> 0
--> (1 rows affected)
--> [closed:int | opened:int | master:int]
--> 0 | 1 | 1
--> (1 rows affected)
--> Msg 15247, Level 16, State 1, Line 9: User does not have permission to perform this action.
--> [user_inside:nvarchar(128)]
--> clerk
--> (1 rows affected)
-- Without a cookie it stays.
EXEC sp_setapprole 'clerk', 'Right-2026';
EXEC sp_unsetapprole 0x;
SELECT USER_NAME() AS user_now;
DROP TABLE dbo.sales;
USE closed;
GO
--> Msg 15592, Level 16, State 1, Line 3: Cannot unset application role because none was set or the cookie is invalid.
--> [user_now:nvarchar(128)]
--> clerk
--> (1 rows affected)
--> Msg 3701, Level 11, State 5, Line 5: Cannot drop the table 'dbo.sales', because it does not exist or you do not have permission.
--> Msg 916, Level 14, State 1, Line 6: The server principal "sa" is not able to access the database "closed" under the current security context.
