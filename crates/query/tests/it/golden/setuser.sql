-- differs restarts: another session has not become another user
-- SETUSER: the rights of a user of the database, for its owner, until the next SETUSER or USE.
CREATE DATABASE wages;
GO
USE wages;
CREATE USER mary WITHOUT LOGIN;
CREATE USER joe WITHOUT LOGIN;
CREATE ROLE clerks;
CREATE TABLE dbo.pay (id int);
INSERT dbo.pay VALUES (1);
GRANT SELECT ON dbo.pay TO joe;
GO
--> (1 rows affected)
SETUSER 'mary';
GO
SELECT USER_NAME() AS user_now, IS_MEMBER('db_owner') AS is_owner, ORIGINAL_LOGIN() AS original;
SELECT * FROM dbo.pay;
GO
--> [user_now:nvarchar(128) | is_owner:int | original:nvarchar(128)]
--> mary | 0 | sa
--> (1 rows affected)
--> Msg 229, Level 14, State 5, Line 2: The SELECT permission was denied on the object 'pay', database 'wages', schema 'dbo'.
-- The next takes its place: its rights are asked of who said the first.
SETUSER 'joe';
SELECT USER_NAME() AS user_now, COUNT(*) AS rows_seen FROM dbo.pay;
GO
--> [user_now:nvarchar(128) | rows_seen:int]
--> joe | 1
--> (1 rows affected)
SETUSER 'nobody';
GO
--> Msg 15157, Level 16, State 1, Line 1: Setuser failed because of one of the following reasons: the database principal 'nobody' does not exist, its corresponding server principal does not have server access, this type of database principal cannot be impersonated, or you do not have permission.
SELECT USER_NAME() AS still;
SETUSER;
SELECT USER_NAME() AS user_now;
SETUSER;
SELECT USER_NAME() AS still;
GO
--> [still:nvarchar(128)]
--> joe
--> (1 rows affected)
--> [user_now:nvarchar(128)]
--> dbo
--> (1 rows affected)
--> [still:nvarchar(128)]
--> dbo
--> (1 rows affected)
DECLARE @who sysname = 'mary';
SETUSER @who;
SELECT USER_NAME() AS user_now;
GO
--> [user_now:nvarchar(128)]
--> mary
--> (1 rows affected)
USE master;
SELECT USER_NAME() AS in_master;
USE wages;
SELECT USER_NAME() AS in_wages;
GO
--> [in_master:nvarchar(128)]
--> dbo
--> (1 rows affected)
--> [in_wages:nvarchar(128)]
--> dbo
--> (1 rows affected)
-- A role is nobody, and neither is a user of no name.
SETUSER 'clerks';
GO
--> Msg 15157, Level 16, State 1, Line 2: Setuser failed because of one of the following reasons: the database principal 'clerks' does not exist, its corresponding server principal does not have server access, this type of database principal cannot be impersonated, or you do not have permission.
SETUSER '';
GO
--> Msg 15157, Level 16, State 1, Line 1: Setuser failed because of one of the following reasons: the database principal '' does not exist, its corresponding server principal does not have server access, this type of database principal cannot be impersonated, or you do not have permission.
-- Who is not the owner may not, whatever its roles.
ALTER ROLE db_owner ADD MEMBER mary;
GO
EXECUTE AS USER = 'mary';
SETUSER 'joe';
GO
--> Msg 15157, Level 16, State 1, Line 2: Setuser failed because of one of the following reasons: the database principal 'joe' does not exist, its corresponding server principal does not have server access, this type of database principal cannot be impersonated, or you do not have permission.
REVERT;
SELECT USER_NAME() AS user_now;
GO
--> [user_now:nvarchar(128)]
--> dbo
--> (1 rows affected)
-- There is no way back after NORESET.
SETUSER 'joe' WITH NORESET;
SELECT USER_NAME() AS user_now;
SETUSER;
SELECT USER_NAME() AS still;
SETUSER 'mary';
GO
--> [user_now:nvarchar(128)]
--> joe
--> (1 rows affected)
--> [still:nvarchar(128)]
--> joe
--> (1 rows affected)
--> Msg 15157, Level 16, State 1, Line 6: Setuser failed because of one of the following reasons: the database principal 'mary' does not exist, its corresponding server principal does not have server access, this type of database principal cannot be impersonated, or you do not have permission.
REVERT;
GO
--> Msg 15196, Level 16, State 1, Line 1: The current security context is non-revertible. The "Revert" statement failed.
