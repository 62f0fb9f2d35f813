-- differs clustered: an index stands on the column that is altered
-- differs secondary: an index stands on the column that is altered
-- Smaller things: what errors name, NULL arguments, limits of definitions, styles, arguments of procedures of the catalog.
CREATE DATABASE smaller;
GO
USE smaller;
GO
CREATE TABLE t (a int NOT NULL, b int NULL);
INSERT t VALUES (1, 2);
ALTER DATABASE smaller SET READ_ONLY;
GO
--> (1 rows affected)
INSERT t VALUES (1, 2);
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "smaller" because the database is read-only.
--> # The statement has been terminated.
EXEC ('CREATE TABLE other (a int)');
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "smaller" because the database is read-only.
DROP TABLE t;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "smaller" because the database is read-only.
TRUNCATE TABLE t;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "smaller" because the database is read-only.
ALTER TABLE t ADD x int;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "smaller" because the database is read-only.
CREATE VIEW v AS SELECT 1 AS one;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "smaller" because the database is read-only.
ALTER DATABASE smaller SET READ_WRITE;
GO
-- NULL months are none.
SELECT EOMONTH('2026-01-05', NULL) AS none, EOMONTH('2026-01-05', 1) AS next, EOMONTH(NULL, 1) AS unknown, EOMONTH(d, n) AS row
FROM (VALUES (CAST('2026-02-03' AS date), NULL), ('2026-02-03', 0), (NULL, 2)) v (d, n);
GO
--> [none:date | next:date | unknown:date | row:date]
--> 2026-01-31 | 2026-02-28 | NULL | 2026-02-28
--> 2026-01-31 | 2026-02-28 | NULL | 2026-02-28
--> 2026-01-31 | 2026-02-28 | NULL | NULL
--> (3 rows affected)
-- A status of NULL is told of.
CREATE PROCEDURE nothing_back @x int AS

  RETURN @x;
GO
DECLARE @r int = 5;
EXEC @r = nothing_back NULL;
SELECT @r AS r;
EXEC @r = nothing_back 7;
SELECT @r AS r;
GO
--> # The 'nothing_back' procedure attempted to return a status of NULL, which is not allowed. A status of 0 will be returned instead.
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 7
--> (1 rows affected)
-- Limits of definitions.
DECLARE @list nvarchar(max) = (SELECT STRING_AGG(CAST(N'c' + CAST(number AS nvarchar(10)) + N' int' AS nvarchar(max)), N', ') WITHIN GROUP (ORDER BY number)
  FROM master..spt_values WHERE type = 'P' AND number BETWEEN 1 AND 1025);
EXEC (N'CREATE TABLE many (' + @list + N')');
SET @list = REPLACE(@list, N', c1025 int', N'');
EXEC (N'CREATE TABLE many (' + @list + N')');
SELECT COUNT(*) AS columns FROM sys.columns WHERE object_id = OBJECT_ID('many');
ALTER TABLE many ADD c1025 int;
GO
--> Msg 1702, Level 16, State 1, Line 1: CREATE TABLE failed because column 'c1025' in table 'many' exceeds the maximum of 1024 columns.
--> [columns:int]
--> 1024
--> (1 rows affected)
--> Msg 1702, Level 16, State 1, Line 8: ALTER TABLE failed because column 'c1025' in table 'many' exceeds the maximum of 1024 columns.
SELECT *, 1 AS c1025 INTO more FROM many;
GO
--> Msg 1702, Level 16, State 1, Line 1: CREATE TABLE failed because column 'c1025' in table 'more' exceeds the maximum of 1024 columns.
DECLARE @list nvarchar(max) = (SELECT STRING_AGG(CAST(N'@c' + CAST(a.number * 1000 + b.number AS nvarchar(10)) + N' int' AS nvarchar(max)), N', ')
  FROM master..spt_values a, master..spt_values b WHERE a.type = 'P' AND b.type = 'P' AND a.number BETWEEN 1 AND 3 AND b.number < 700 + a.number / 3);
EXEC (N'CREATE PROCEDURE many_arguments ' + @list + N' AS SELECT 1');
EXEC (N'CREATE FUNCTION dbo.many_arguments (' + @list + N') RETURNS int AS BEGIN RETURN 1 END');
SET @list = STUFF(@list, 1, CHARINDEX(N',', @list), N'');
EXEC (N'CREATE PROCEDURE many_arguments ' + @list + N' AS SELECT 1');
SELECT COUNT(*) AS parameters FROM sys.parameters WHERE object_id = OBJECT_ID('many_arguments');
GO
--> Msg 180, Level 15, State 1, Line 1: There are too many parameters in this CREATE PROCEDURE statement. The maximum number is 2100.
--> Msg 180, Level 15, State 1, Line 1: There are too many parameters in this CREATE FUNCTION statement. The maximum number is 2100.
--> [parameters:int]
--> 2100
--> (1 rows affected)
-- Columns of a UNIQUE constraint keep their type and whether they take NULL.
CREATE TABLE keyed (a int NULL CONSTRAINT one_a UNIQUE);
ALTER TABLE keyed ALTER COLUMN a int NOT NULL;
GO
--> Msg 5074, Level 16, State 1, Line 3: The object 'one_a' is dependent on column 'a'.
--> Msg 4922, Level 16, State 9, Line 3: ALTER TABLE ALTER COLUMN a failed because one or more objects access this column.
-- Styles that a type does not have.
SELECT CONVERT(varchar(30), CAST('12:30' AS time), 101);
GO
--> [:varchar(30)]
--> Msg 8114, Level 16, State 1, Line 2: Error converting data type time to varchar.
SELECT CONVERT(nvarchar(30), CAST('2026-01-30' AS date), 108);
GO
--> [:nvarchar(30)]
--> Msg 8114, Level 16, State 1, Line 1: Error converting data type date to nvarchar.
SELECT CONVERT(varchar(30), CAST('2026-01-30' AS date), 114);
GO
--> [:varchar(30)]
--> Msg 281, Level 16, State 1, Line 1: 114 is not a valid style number when converting from date to a character string.
SELECT CONVERT(varchar(30), CAST('2026-01-30' AS date), 999);
GO
--> [:varchar(30)]
--> Msg 281, Level 16, State 1, Line 1: 999 is not a valid style number when converting from date to a character string.
SELECT CONVERT(nvarchar(30), 0x0102, 126);
GO
--> [:nvarchar(30)]
--> Msg 9809, Level 16, State 1, Line 1: The style 126 is not supported for conversions from varbinary to nvarchar.
SELECT CONVERT(varbinary(30), 'ab', 3);
GO
--> [:varbinary(30)]
--> Msg 9809, Level 16, State 1, Line 1: The style 3 is not supported for conversions from varchar to varbinary.
SELECT CONVERT(varchar(30), 0x4142, 0) AS zero, CONVERT(varchar(30), 0x4142, 1) AS one, CONVERT(varchar(30), 0x4142, 2) AS two, CONVERT(varbinary(4), N'4142', 2) AS bytes;
GO
--> [zero:varchar(30) | one:varchar(30) | two:varchar(30) | bytes:varbinary(4)]
--> AB | 0x4142 | 4142 | 0x4142
--> (1 rows affected)
-- A column that is not there is 207 beside a recursive expression.
CREATE TABLE target (a int, b int);
GO
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) INSERT target (a, nothing) SELECT n, n FROM r;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) INSERT target (a, b) SELECT n, nothing FROM r;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
WITH r AS (SELECT 1 AS n UNION ALL SELECT nothing + 1 FROM r WHERE n < 3) INSERT target (a, b) SELECT n, n FROM r;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
WITH r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) INSERT target (a, b) SELECT n, n FROM r;
GO
--> (3 rows affected)
-- Arguments that procedures of the catalog need.
EXEC sp_columns;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_columns' expects parameter '@table_name', which was not supplied.
EXEC sp_columns_100;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_columns_100' expects parameter '@table_name', which was not supplied.
EXEC sp_pkeys;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_pkeys' expects parameter '@table_name', which was not supplied.
EXEC sp_statistics;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_statistics' expects parameter '@table_name', which was not supplied.
EXEC sp_fkeys;
GO
--> Msg 15252, Level 16, State 1, Line 1: The primary or foreign key table name must be given.
EXEC sp_rename;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_rename' expects parameter '@objname', which was not supplied.
EXEC sp_rename 'x';
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_rename' expects parameter '@newname', which was not supplied.
EXEC sp_pkeys 'target';
GO
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | KEY_SEQ:smallint | PK_NAME:nvarchar(128)]
--> (0 rows affected)
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;
SELECT transaction_isolation_level FROM sys.dm_exec_sessions WHERE session_id = @@SPID;
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;
SELECT transaction_isolation_level FROM sys.dm_exec_sessions WHERE session_id = @@SPID;
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
GO
--> [transaction_isolation_level:smallint]
--> 4
--> (1 rows affected)
--> [transaction_isolation_level:smallint]
--> 1
--> (1 rows affected)
USE master;
DROP DATABASE smaller;
GO
