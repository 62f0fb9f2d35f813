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
SETUSER 'mary';
GO
SELECT USER_NAME() AS user_now, IS_MEMBER('db_owner') AS is_owner, ORIGINAL_LOGIN() AS original;
SELECT * FROM dbo.pay;
GO
-- The next takes its place: its rights are asked of who said the first.
SETUSER 'joe';
SELECT USER_NAME() AS user_now, COUNT(*) AS rows_seen FROM dbo.pay;
GO
SETUSER 'nobody';
GO
SELECT USER_NAME() AS still;
SETUSER;
SELECT USER_NAME() AS user_now;
SETUSER;
SELECT USER_NAME() AS still;
GO
DECLARE @who sysname = 'mary';
SETUSER @who;
SELECT USER_NAME() AS user_now;
GO
USE master;
SELECT USER_NAME() AS in_master;
USE wages;
SELECT USER_NAME() AS in_wages;
GO
-- A role is nobody, and neither is a user of no name.
SETUSER 'clerks';
GO
SETUSER '';
GO
-- Who is not the owner may not, whatever its roles.
ALTER ROLE db_owner ADD MEMBER mary;
GO
EXECUTE AS USER = 'mary';
SETUSER 'joe';
GO
REVERT;
SELECT USER_NAME() AS user_now;
GO
-- There is no way back after NORESET.
SETUSER 'joe' WITH NORESET;
SELECT USER_NAME() AS user_now;
SETUSER;
SELECT USER_NAME() AS still;
SETUSER 'mary';
GO
REVERT;
GO
