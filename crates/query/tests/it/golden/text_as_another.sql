-- EXECUTE (text) AS USER and AS LOGIN: the text alone has the other's rights, names and schema.
CREATE DATABASE bank;
GO
USE bank;
CREATE TABLE dbo.ledger (a int);
INSERT dbo.ledger VALUES (1);
CREATE LOGIN cash WITH PASSWORD = 'Lake-1234567';
CREATE USER cash;
CREATE USER eve WITHOUT LOGIN WITH DEFAULT_SCHEMA = own;
GO
--> (1 rows affected)
CREATE SCHEMA own AUTHORIZATION eve;
GO
CREATE TABLE own.ledger (b int);
INSERT own.ledger VALUES (2), (3);
GO
--> (2 rows affected)
EXEC ('SELECT USER_NAME() AS user_now, ORIGINAL_LOGIN() AS original; SELECT * FROM ledger') AS USER = 'eve';
SELECT USER_NAME() AS user_now;
SELECT * FROM ledger;
EXEC ('SELECT USER_NAME() AS user_now, SUSER_SNAME() AS login_now; SELECT * FROM dbo.ledger') AS LOGIN = 'cash';
SELECT USER_NAME() AS user_now, SUSER_SNAME() AS login_now;
DECLARE @text nvarchar(100) = N'SELECT USER_NAME() AS user_now';
EXECUTE (@text + N'; REVERT; SELECT USER_NAME() AS still') AS USER = 'eve';
GO
--> [user_now:nvarchar(128) | original:nvarchar(128)]
--> eve | sa
--> (1 rows affected)
--> [b:int]
--> 2
--> 3
--> (2 rows affected)
--> [user_now:nvarchar(128)]
--> dbo
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
--> [user_now:nvarchar(128) | login_now:nvarchar(128)]
--> cash | cash
--> (1 rows affected)
--> Msg 229, Level 14, State 5, Line 1: The SELECT permission was denied on the object 'ledger', database 'bank', schema 'dbo'.
--> [user_now:nvarchar(128) | login_now:nvarchar(128)]
--> dbo | sa
--> (1 rows affected)
--> [user_now:nvarchar(128)]
--> eve
--> (1 rows affected)
--> [still:nvarchar(128)]
--> eve
--> (1 rows affected)
-- An error, a ROLLBACK and another EXECUTE AS in the text end with it.
BEGIN TRY
    EXEC ('SELECT * FROM dbo.ledger') AS USER = 'eve';
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, USER_NAME() AS user_now;
END CATCH;
EXEC ('EXECUTE AS USER = ''eve''; SELECT USER_NAME() AS user_now') AS LOGIN = 'sa';
SELECT USER_NAME() AS user_now;
CREATE TABLE #t (a int);
INSERT #t EXEC ('SELECT b FROM ledger') AS USER = 'eve';
SELECT COUNT(*) AS n FROM #t;
GO
--> [number:int | user_now:nvarchar(128)]
--> 229 | dbo
--> (1 rows affected)
--> [user_now:nvarchar(128)]
--> eve
--> (1 rows affected)
--> [user_now:nvarchar(128)]
--> dbo
--> (1 rows affected)
--> (2 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
EXEC ('SELECT 1') AS USER = 'nobody';
GO
--> Msg 15517, Level 16, State 1, Line 1: Cannot execute as the database principal because the principal "nobody" does not exist, this type of principal cannot be impersonated, or you do not have permission.
EXEC ('SELECT 1') AS LOGIN = 'nobody';
GO
--> Msg 15406, Level 16, State 1, Line 1: Cannot execute as the server principal because the principal "nobody" does not exist, this type of principal cannot be impersonated, or you do not have permission.
EXEC ('SELECT 1') AS USER = 'sys';
GO
--> Msg 15517, Level 16, State 1, Line 1: Cannot execute as the database principal because the principal "sys" does not exist, this type of principal cannot be impersonated, or you do not have permission.
EXECUTE AS USER = 'eve';
EXEC ('SELECT USER_NAME() AS user_now') AS USER = 'eve';
EXEC ('SELECT USER_NAME() AS user_now') AS USER = 'dbo';
REVERT;
GO
--> [user_now:nvarchar(128)]
--> eve
--> (1 rows affected)
--> Msg 15517, Level 16, State 1, Line 3: Cannot execute as the database principal because the principal "dbo" does not exist, this type of principal cannot be impersonated, or you do not have permission.
-- Databases that a login does not see have no name for it.
CREATE DATABASE hidden;
USE master;
DENY VIEW ANY DATABASE TO cash;
USE bank;
GO
EXEC ('SELECT DB_ID(''hidden'') AS id, DB_NAME(DB_ID(''bank'')) AS own, DB_ID(''master'') AS master_id, HAS_DBACCESS(''hidden'') AS access; SELECT COUNT(*) AS n FROM sys.databases WHERE name = ''hidden''; SELECT COUNT(*) AS files FROM sys.master_files;') AS LOGIN = 'cash';
DECLARE @id int = DB_ID('hidden');
EXEC ('DECLARE @id int = 1; WHILE @id < 20 BEGIN IF DB_NAME(@id) = ''hidden'' PRINT ''found''; SET @id += 1 END') AS LOGIN = 'cash';
CREATE TABLE #d (name sysname, size int, remarks varchar(254));
INSERT #d EXEC ('EXEC sp_databases') AS LOGIN = 'cash';
SELECT name FROM #d ORDER BY name;
ALTER AUTHORIZATION ON DATABASE::hidden TO cash;
EXEC ('SELECT COUNT(DB_ID(''hidden'')) AS seen; SELECT COUNT(DISTINCT database_id) AS databases FROM sys.master_files;') AS LOGIN = 'cash';
DELETE #d;
INSERT #d EXEC ('EXEC sp_databases') AS LOGIN = 'cash';
SELECT name FROM #d ORDER BY name;
ALTER AUTHORIZATION ON DATABASE::hidden TO sa;
USE master;
REVOKE VIEW ANY DATABASE FROM cash;
USE bank;
EXEC ('SELECT COUNT(DB_ID(''hidden'')) AS seen') AS LOGIN = 'cash';
GO
--> [id:int | own:nvarchar(128) | master_id:int | access:int]
--> NULL | bank | 1 | 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [files:int]
--> 0
--> (1 rows affected)
--> (3 rows affected)
--> [name:nvarchar(128)]
--> bank
--> master
--> tempdb
--> (3 rows affected)
--> [seen:int]
--> 1
--> (1 rows affected)
--> [databases:int]
--> 1
--> (1 rows affected)
--> (3 rows affected)
--> (4 rows affected)
--> [name:nvarchar(128)]
--> bank
--> hidden
--> master
--> tempdb
--> (4 rows affected)
--> [seen:int]
--> 1
--> (1 rows affected)
USE master;
DROP DATABASE bank;
DROP DATABASE hidden;
DROP LOGIN cash;
GO
