-- SCOPE_IDENTITY() and @@IDENTITY: of the scope, of the session.
CREATE DATABASE counted;
GO
USE counted;
SET NOCOUNT ON;
GO
CREATE TABLE dbo.a (id int IDENTITY(1, 1), v int);
CREATE TABLE dbo.log (id int IDENTITY(100, 1), v int);
CREATE TABLE dbo.plain (v int);
GO
CREATE FUNCTION dbo.f () RETURNS int AS BEGIN RETURN SCOPE_IDENTITY() END;
GO
CREATE FUNCTION dbo.g () RETURNS @r TABLE (s int) AS BEGIN INSERT @r VALUES (SCOPE_IDENTITY()); RETURN END;
GO
CREATE PROCEDURE dbo.p AS SELECT SCOPE_IDENTITY() AS before; INSERT dbo.log VALUES (1); SELECT SCOPE_IDENTITY() AS after;
GO
INSERT dbo.a VALUES (1);
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i, dbo.f() AS f, IDENT_CURRENT('dbo.a') AS c;
SELECT * FROM dbo.g();
EXEC dbo.p;
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i;
EXEC ('INSERT dbo.log VALUES (2)');
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i;
INSERT dbo.plain VALUES (1);
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i;
GO
--> [s:numeric(38,0) | i:numeric(38,0) | f:int | c:numeric(38,0)]
--> 1 | 1 | NULL | 1
--> [s:int]
--> NULL
--> [before:numeric(38,0)]
--> NULL
--> [after:numeric(38,0)]
--> 100
--> [s:numeric(38,0) | i:numeric(38,0)]
--> 1 | 100
--> [s:numeric(38,0) | i:numeric(38,0)]
--> 1 | 101
--> [s:numeric(38,0) | i:numeric(38,0)]
--> 1 | NULL
CREATE TRIGGER dbo.tr ON dbo.a AFTER INSERT, UPDATE AS INSERT dbo.log SELECT v FROM inserted;
GO
INSERT dbo.a VALUES (3);
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i, IDENT_CURRENT('dbo.a') AS c, IDENT_CURRENT('dbo.log') AS c2;
UPDATE dbo.a SET v = 4 WHERE id = 1;
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i;
MERGE dbo.a AS t USING (VALUES (9)) AS x (v) ON t.v = x.v WHEN NOT MATCHED THEN INSERT (v) VALUES (x.v);
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i;
GO
--> [s:numeric(38,0) | i:numeric(38,0) | c:numeric(38,0) | c2:numeric(38,0)]
--> 2 | 102 | 2 | 102
--> [s:numeric(38,0) | i:numeric(38,0)]
--> 2 | 103
--> [s:numeric(38,0) | i:numeric(38,0)]
--> 3 | 104
ALTER TRIGGER dbo.tr ON dbo.a AFTER INSERT AS INSERT dbo.plain SELECT v FROM inserted;
GO
INSERT dbo.a VALUES (5);
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i;
GO
--> [s:numeric(38,0) | i:numeric(38,0)]
--> 4 | 4
CREATE PROCEDURE dbo.rows AS INSERT dbo.log VALUES (7); SELECT 6;
GO
INSERT dbo.a (v) EXEC dbo.rows;
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i;
DELETE dbo.log;
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i;
INSERT dbo.a (v) OUTPUT inserted.id INTO dbo.plain VALUES (8);
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i;
GO
--> [s:numeric(38,0) | i:numeric(38,0)]
--> 5 | 5
--> [s:numeric(38,0) | i:numeric(38,0)]
--> 5 | 5
--> [s:numeric(38,0) | i:numeric(38,0)]
--> 6 | 6
-- DROP TABLE ends IDENTITY_INSERT with its table.
CREATE TABLE dbo.x (id int IDENTITY, v int);
CREATE TABLE dbo.y (id int IDENTITY, v int);
SET IDENTITY_INSERT dbo.x ON;
DROP TABLE dbo.x;
SET IDENTITY_INSERT dbo.y ON;
INSERT dbo.y (id, v) VALUES (7, 7);
SET IDENTITY_INSERT dbo.y OFF;
CREATE TABLE #x (id int IDENTITY, v int);
SET IDENTITY_INSERT #x ON;
INSERT #x (id, v) VALUES (5, 5);
DROP TABLE #x;
GO
CREATE TABLE #x (id int IDENTITY, v int);
INSERT #x (v) VALUES (1);
SELECT * FROM #x;
SET IDENTITY_INSERT dbo.y ON;
SET IDENTITY_INSERT dbo.y OFF;
GO
--> [id:int | v:int]
--> 1 | 1
-- A key column that is added is NOT NULL unless it says NULL.
CREATE TABLE dbo.k (a int);
ALTER TABLE dbo.k ADD id int PRIMARY KEY;
ALTER TABLE dbo.k ADD z int;
SELECT name, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID('dbo.k') ORDER BY column_id;
CREATE TABLE dbo.k2 (a int);
ALTER TABLE dbo.k2 ADD id int, CONSTRAINT pk2 PRIMARY KEY (id);
CREATE TABLE dbo.k3 (a int);
INSERT dbo.k3 VALUES (1);
ALTER TABLE dbo.k3 ADD id int IDENTITY PRIMARY KEY;
SELECT * FROM dbo.k3;
GO
--> [name:nvarchar(128) | is_nullable:bit]
--> a | 1
--> id | 0
--> z | 1
--> [a:int | id:int]
--> 1 | 1
CREATE TABLE dbo.k4 (a int);
ALTER TABLE dbo.k4 ADD id int NULL PRIMARY KEY;
GO
--> Msg 8111, Level 16, State 1, Line 2: Cannot define PRIMARY KEY constraint on nullable column in table 'k4'.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
CREATE TABLE dbo.k5 (a int);
INSERT dbo.k5 VALUES (1);
ALTER TABLE dbo.k5 ADD id int PRIMARY KEY;
GO
--> Msg 4901, Level 16, State 1, Line 3: ALTER TABLE only allows columns to be added that can contain nulls, or have a DEFAULT definition specified, or the column being added is an identity or timestamp column, or alternatively if none of the previous conditions are satisfied the table must be empty to allow addition of this column. Column 'id' cannot be added to non-empty table 'k5' because it does not satisfy these conditions.
ALTER TABLE dbo.k5 ADD id int DEFAULT 7 PRIMARY KEY;
SELECT * FROM dbo.k5;
GO
--> [a:int | id:int]
--> 1 | 7
-- A procedure that does nothing.
CREATE PROCEDURE dbo.nothing AS
GO
DECLARE @r int;
EXEC @r = dbo.nothing;
SELECT @r AS r;
GO
--> [r:int]
--> 0
CREATE TRIGGER dbo.empty ON dbo.a AFTER INSERT AS
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'AS'.
UPDATE STATISTICS dbo.a WITH ROWCOUNT = 1000, PAGECOUNT = 10;
UPDATE STATISTICS dbo.a WITH ROWCOUNT = 1000;
SELECT COUNT(*) AS n FROM dbo.a;
GO
--> [n:int]
--> 6
UPDATE STATISTICS dbo.nowhere WITH ROWCOUNT = 1000;
GO
--> Msg 1088, Level 16, State 12, Line 1: Cannot find the object "dbo.nowhere" because it does not exist or you do not have permissions.
