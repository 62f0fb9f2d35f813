-- Procedures sp_… of master are every database's: they run in the caller's, names in them are master's until they are marked.
CREATE DATABASE lent;
GO
USE master;
CREATE TABLE dbo.where_am_i (place varchar(10));
INSERT dbo.where_am_i VALUES ('master');
GO
--> (1 rows affected)
CREATE TYPE dbo.short FROM varchar(20);
GO
CREATE PROCEDURE dbo.sp_where @p dbo.short = 'none', @o int = 0 OUTPUT AS
  SET @o = @o + 1;
  SELECT DB_NAME() AS db, @p AS p, place, CASE WHEN OBJECT_ID('dbo.only_here') > 0 THEN 1 END AS id FROM dbo.where_am_i;
  EXEC ('SELECT DB_NAME() AS db_of_text, place AS of_text FROM dbo.where_am_i');
  RETURN 7;
GO
CREATE PROCEDURE dbo.plain AS SELECT DB_NAME() AS db;
GO
CREATE PROCEDURE dbo.sp_outer AS EXEC sp_where @p = 'outer';
GO
USE lent;
CREATE TABLE dbo.where_am_i (place varchar(10));
CREATE TABLE dbo.only_here (a int);
INSERT dbo.where_am_i VALUES ('lent');
GO
--> (1 rows affected)
DECLARE @o int = 4, @r int;
EXEC @r = sp_where 'given', @o OUTPUT;
SELECT @r AS r, @o AS o;
GO
--> [db:nvarchar(128) | p:varchar(20) | place:varchar(10) | id:int]
--> lent | given | master | 1
--> (1 rows affected)
--> [db_of_text:nvarchar(128) | of_text:varchar(10)]
--> lent | lent
--> (1 rows affected)
--> [r:int | o:int]
--> 7 | 5
--> (1 rows affected)
EXEC dbo.sp_where;
EXEC sp_outer;
EXEC master..sp_where;
EXEC master.dbo.plain;
GO
--> [db:nvarchar(128) | p:varchar(20) | place:varchar(10) | id:int]
--> lent | none | master | 1
--> (1 rows affected)
--> [db_of_text:nvarchar(128) | of_text:varchar(10)]
--> lent | lent
--> (1 rows affected)
--> [db:nvarchar(128) | p:varchar(20) | place:varchar(10) | id:int]
--> lent | outer | master | 1
--> (1 rows affected)
--> [db_of_text:nvarchar(128) | of_text:varchar(10)]
--> lent | lent
--> (1 rows affected)
--> [db:nvarchar(128) | p:varchar(20) | place:varchar(10) | id:int]
--> master | none | master | NULL
--> (1 rows affected)
--> [db_of_text:nvarchar(128) | of_text:varchar(10)]
--> master | master
--> (1 rows affected)
--> [db:nvarchar(128)]
--> master
--> (1 rows affected)
SELECT DB_NAME() AS still;
EXEC plain;
GO
--> [still:nvarchar(128)]
--> lent
--> (1 rows affected)
--> Msg 2812, Level 16, State 62, Line 2: Could not find stored procedure 'plain'.
EXEC nothing.sp_where;
GO
--> Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure 'nothing.sp_where'.
USE tempdb;
EXEC lent..sp_where 'there';
EXEC lent.dbo.sp_where 'there';
SELECT DB_NAME() AS still;
GO
--> [db:nvarchar(128) | p:varchar(20) | place:varchar(10) | id:int]
--> lent | there | master | 1
--> (1 rows affected)
--> [db_of_text:nvarchar(128) | of_text:varchar(10)]
--> lent | lent
--> (1 rows affected)
--> [db:nvarchar(128) | p:varchar(20) | place:varchar(10) | id:int]
--> lent | there | master | 1
--> (1 rows affected)
--> [db_of_text:nvarchar(128) | of_text:varchar(10)]
--> lent | lent
--> (1 rows affected)
--> [still:nvarchar(128)]
--> tempdb
--> (1 rows affected)
USE master;
EXEC sp_ms_marksystemobject 'sp_where';
SELECT name, is_ms_shipped FROM sys.objects WHERE name IN ('sp_where', 'sp_outer') ORDER BY name;
GO
--> [name:nvarchar(128) | is_ms_shipped:bit]
--> sp_outer | 0
--> sp_where | 1
--> (2 rows affected)
USE lent;
EXEC sp_where 'marked';
GO
--> [db:nvarchar(128) | p:varchar(20) | place:varchar(10) | id:int]
--> lent | marked | lent | 1
--> (1 rows affected)
--> [db_of_text:nvarchar(128) | of_text:varchar(10)]
--> lent | lent
--> (1 rows affected)
-- The database's own comes first.
CREATE PROCEDURE dbo.sp_where AS SELECT 'own' AS own;
GO
EXEC sp_where;
EXEC tempdb..sp_outer;
GO
--> [own:varchar(3)]
--> own
--> (1 rows affected)
--> Msg 208, Level 16, State 1, Line 3: Invalid object name 'dbo.where_am_i'.
DROP PROCEDURE sp_where;
GO
DROP PROCEDURE sp_where;
GO
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the procedure 'sp_where', because it does not exist or you do not have permission.
CREATE PROCEDURE dbo.sp_tables_here AS SELECT 'own' AS own, name FROM sys.tables ORDER BY name;
GO
USE master;
GO
CREATE PROCEDURE dbo.sp_tables_here AS SELECT name FROM sys.tables ORDER BY name;
GO
USE tempdb;
EXEC lent..sp_tables_here;
GO
--> [own:varchar(3) | name:nvarchar(128)]
--> own | only_here
--> own | where_am_i
--> (2 rows affected)
USE lent;
DROP PROCEDURE sp_tables_here;
EXEC sp_tables_here;
GO
--> [name:nvarchar(128)]
--> where_am_i
--> (1 rows affected)
USE master;
EXEC sp_ms_marksystemobject 'dbo.sp_tables_here';
GO
ALTER PROCEDURE dbo.sp_tables_here AS SELECT name, DB_NAME() AS db FROM sys.tables ORDER BY name;
GO
USE lent;
EXEC sp_tables_here;
GO
--> [name:nvarchar(128) | db:nvarchar(128)]
--> only_here | lent
--> where_am_i | lent
--> (2 rows affected)
-- Definitions without a database's name are at home, too: what the procedure makes is what it reads and drops. Procedures of the
-- server run where it runs.
USE master;
GO
CREATE PROCEDURE dbo.sp_makes AS
  CREATE TABLE dbo.made_here (a int);
  INSERT dbo.made_here VALUES (1), (2);
  CREATE INDEX i ON dbo.made_here (a);
  ALTER TABLE dbo.made_here ADD b int;
  SELECT a, b FROM dbo.made_here;
  SELECT OBJECT_ID('master.dbo.made_here') - OBJECT_ID('master.dbo.made_here') AS at_home, OBJECT_ID('lent.dbo.made_here') AS away;
  TRUNCATE TABLE dbo.made_here;
  SELECT COUNT(*) AS n FROM dbo.made_here;
  CREATE SEQUENCE dbo.made_numbers START WITH 3;
  SELECT NEXT VALUE FOR dbo.made_numbers AS three;
  EXEC sp_rename 'only_here', 'only_there';
  DROP SEQUENCE dbo.made_numbers;
  DROP TABLE dbo.made_here;
GO
USE lent;
CREATE TABLE dbo.made_here (own int);
INSERT dbo.made_here VALUES (9);
EXEC sp_makes;
SELECT own FROM dbo.made_here;
SELECT name FROM sys.tables ORDER BY name;
GO
--> (1 rows affected)
--> (2 rows affected)
--> [a:int | b:int]
--> 1 | NULL
--> 2 | NULL
--> (2 rows affected)
--> [at_home:int | away:int]
--> 0 | 1004
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [three:bigint]
--> 3
--> (1 rows affected)
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> [own:int]
--> 9
--> (1 rows affected)
--> [name:nvarchar(128)]
--> made_here
--> only_there
--> where_am_i
--> (3 rows affected)
USE master;
EXEC sp_ms_marksystemobject 'nothing_here';
GO
--> Msg 15165, Level 16, State 1, Line 2: Could not find object 'nothing_here' or you do not have permission.
EXEC sp_ms_marksystemobject;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_MS_marksystemobject' expects parameter '@objname', which was not supplied.
DROP PROCEDURE sp_where, sp_outer, plain, sp_tables_here, sp_makes;
DROP TABLE dbo.where_am_i;
DROP TYPE dbo.short;
DROP DATABASE lent;
GO
