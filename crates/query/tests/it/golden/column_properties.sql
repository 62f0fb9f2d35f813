-- ALTER COLUMN … ADD and DROP of PERSISTED
-- differs snapshot: a column is changed in a transaction (3964)
CREATE TABLE dbo.t (a int NOT NULL, b int NULL, c AS a + b, d AS a * 1.5e0, e AS dateadd(day, a, getdate()));
INSERT INTO dbo.t (a, b) VALUES (1, 2), (3, NULL), (5, 6);
ALTER TABLE dbo.t ALTER COLUMN c ADD PERSISTED;
ALTER TABLE dbo.t ALTER COLUMN d ADD PERSISTED;
SELECT name, is_persisted FROM sys.computed_columns WHERE object_id = OBJECT_ID('dbo.t') ORDER BY column_id;
INSERT INTO dbo.t (a, b) VALUES (7, 8);
UPDATE dbo.t SET b = 4 WHERE a = 3;
SELECT a, b, c, d FROM dbo.t ORDER BY a;
GO
--> (3 rows affected)
--> [name:nvarchar(128) | is_persisted:bit]
--> c | 1
--> d | 1
--> e | 0
--> (3 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [a:int | b:int | c:int | d:float]
--> 1 | 2 | 3 | 1.5
--> 3 | 4 | 7 | 4.5
--> 5 | 6 | 11 | 7.5
--> 7 | 8 | 15 | 10.5
--> (4 rows affected)
ALTER TABLE dbo.t ALTER COLUMN e ADD PERSISTED;
GO
--> Msg 4936, Level 16, State 1, Line 1: Computed column 'e' in table 't' cannot be persisted because the column is non-deterministic.
ALTER TABLE dbo.t ALTER COLUMN nothing ADD PERSISTED;
GO
--> Msg 4924, Level 16, State 1, Line 1: ALTER TABLE ALTER COLUMN failed because column 'nothing' does not exist in table 't'.
-- what needs a kept value
CREATE INDEX d ON dbo.t (d);
GO
ALTER TABLE dbo.t ALTER COLUMN d DROP PERSISTED;
GO
--> Msg 2799, Level 16, State 1, Line 1: Cannot create index or statistics 'd' on table 't' because the computed column 'd' is imprecise and not persisted. Consider removing column from index or statistics key or marking computed column persisted.
ALTER TABLE dbo.t ADD CONSTRAINT positive CHECK (c > 0);
GO
ALTER TABLE dbo.t ALTER COLUMN c DROP PERSISTED;
GO
--> Msg 1764, Level 16, State 1, Line 1: Computed Column 'c' in table 't' is invalid for use in 'CHECK' because it is not persisted.
ALTER TABLE dbo.t DROP CONSTRAINT positive;
DROP INDEX d ON dbo.t;
ALTER TABLE dbo.t ALTER COLUMN c DROP PERSISTED;
ALTER TABLE dbo.t ALTER COLUMN d DROP PERSISTED;
INSERT INTO dbo.t (a, b) VALUES (9, 10);
SELECT a, b, c, d FROM dbo.t ORDER BY a;
SELECT name, is_persisted FROM sys.computed_columns WHERE object_id = OBJECT_ID('dbo.t') ORDER BY column_id;
-- what was dropped is there again after ROLLBACK
BEGIN TRANSACTION;
ALTER TABLE dbo.t ALTER COLUMN c ADD PERSISTED;
UPDATE dbo.t SET a = a + 1;
ROLLBACK;
SELECT a, b, c FROM dbo.t ORDER BY a;
GO
--> (1 rows affected)
--> [a:int | b:int | c:int | d:float]
--> 1 | 2 | 3 | 1.5
--> 3 | 4 | 7 | 4.5
--> 5 | 6 | 11 | 7.5
--> 7 | 8 | 15 | 10.5
--> 9 | 10 | 19 | 13.5
--> (5 rows affected)
--> [name:nvarchar(128) | is_persisted:bit]
--> c | 0
--> d | 0
--> e | 0
--> (3 rows affected)
--> (5 rows affected)
--> [a:int | b:int | c:int]
--> 1 | 2 | 3
--> 3 | 4 | 7
--> 5 | 6 | 11
--> 7 | 8 | 15
--> 9 | 10 | 19
--> (5 rows affected)
CREATE TABLE #t (a int, b AS a + 1);
INSERT INTO #t VALUES (1), (2);
ALTER TABLE #t ALTER COLUMN b ADD PERSISTED;
INSERT INTO #t VALUES (3);
SELECT * FROM #t ORDER BY a;
GO
--> (2 rows affected)
--> (1 rows affected)
--> [a:int | b:int]
--> 1 | 2
--> 2 | 3
--> 3 | 4
--> (3 rows affected)
-- an alias type brings its default and its rule
CREATE TYPE dbo.amount FROM decimal(9, 2) NOT NULL;
GO
CREATE DEFAULT dbo.ten AS 10;
GO
CREATE RULE dbo.above AS @v > 0;
GO
EXEC sp_bindefault 'dbo.ten', 'dbo.amount';
EXEC sp_bindrule 'dbo.above', 'dbo.amount';
CREATE TABLE dbo.u (k int IDENTITY, v int NOT NULL, w int);
INSERT INTO dbo.u (v, w) VALUES (-1, 1);
ALTER TABLE dbo.u ALTER COLUMN v dbo.amount;
INSERT INTO dbo.u (w) VALUES (2);
SELECT * FROM dbo.u ORDER BY k;
GO
--> # Default bound to data type.
--> # The new default has been bound to columns(s) of the specified user data type.
--> # Rule bound to data type.
--> # The new rule has been bound to column(s) of the specified user data type.
--> (1 rows affected)
--> (1 rows affected)
--> [k:int | v:decimal(9,2) | w:int]
--> 1 | -1.00 | 1
--> 2 | 10.00 | 2
--> (2 rows affected)
INSERT INTO dbo.u (v, w) VALUES (-2, 3);
GO
--> Msg 513, Level 16, State 0, Line 1: A column insert or update conflicts with a rule imposed by a previous CREATE RULE statement. The statement was terminated. The conflict occurred in database 'master', table 'dbo.u', column 'v'.
--> # The statement has been terminated.
-- SELECT INTO keeps alias types in the database that has them
SELECT u.k, u.v, v + 1 AS more, t.a INTO dbo.copy FROM dbo.u JOIN dbo.t ON t.a = u.k;
SELECT c.name, TYPE_NAME(c.user_type_id) AS type, c.is_nullable FROM sys.columns c WHERE c.object_id = OBJECT_ID('dbo.copy') ORDER BY c.column_id;
SELECT k, v INTO #copy FROM dbo.u;
SELECT c.name, TYPE_NAME(c.user_type_id) AS type FROM tempdb.sys.columns c WHERE c.object_id = OBJECT_ID('tempdb..#copy') ORDER BY c.column_id;
GO
--> (1 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128) | is_nullable:bit]
--> k | int | 0
--> v | amount | 0
--> more | decimal | 1
--> a | int | 0
--> (4 rows affected)
--> (2 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128)]
--> k | int
--> v | decimal
--> (2 rows affected)
DROP TYPE dbo.amount;
GO
--> Msg 3732, Level 16, State 1, Line 1: Cannot drop type 'dbo.amount' because it is being referenced by object 'u'. There may be other objects that reference this type.
