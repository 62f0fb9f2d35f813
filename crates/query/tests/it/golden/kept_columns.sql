-- A view keeps the columns it was made with: what * stands for later is shown under the names of then, until it is refreshed.
CREATE DATABASE keeping;
GO
USE keeping;
SET NOCOUNT ON;
CREATE TABLE t (a int, b varchar(5));
INSERT t VALUES (1, 'one');
GO
CREATE VIEW v AS SELECT * FROM t;
GO
CREATE VIEW outer_v AS SELECT v.*, 'x' AS x FROM v;
GO
CREATE VIEW named (p, q) AS SELECT * FROM t;
GO
CREATE FUNCTION f () RETURNS TABLE AS RETURN SELECT * FROM t;
GO
ALTER TABLE t ADD c int CONSTRAINT seven DEFAULT 7 WITH VALUES;
GO
SELECT * FROM v;
SELECT * FROM outer_v;
SELECT * FROM named;
SELECT * FROM f();
SELECT OBJECT_NAME(object_id) AS name, COUNT(*) AS columns FROM sys.columns WHERE object_id IN (OBJECT_ID('v'), OBJECT_ID('outer_v'), OBJECT_ID('named'), OBJECT_ID('f')) GROUP BY object_id ORDER BY name;
INSERT v VALUES (2, 'two');
UPDATE v SET b = 'deux' OUTPUT inserted.* WHERE a = 2;
GO
--> [a:int | b:varchar(5)]
--> 1 | one
--> [a:int | b:varchar(5) | x:varchar(1)]
--> 1 | one | x
--> [p:int | q:varchar(5)]
--> 1 | one
--> [a:int | b:varchar(5)]
--> 1 | one
--> [name:nvarchar(128) | columns:int]
--> f | 2
--> named | 2
--> outer_v | 3
--> v | 2
--> [a:int | b:varchar(5)]
--> 2 | deux
SELECT c FROM v;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'c'.
INSERT v (a, c) VALUES (1, 2);
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'c'.
DECLARE @r int;
EXEC @r = sp_refreshview 'v';
SELECT @r AS r;
EXEC sp_refreshsqlmodule 'dbo.f';
GO
--> [r:int]
--> 0
SELECT * FROM v ORDER BY a;
SELECT * FROM outer_v ORDER BY a;
SELECT * FROM f() ORDER BY a;
DELETE v WHERE c IS NULL;
GO
--> [a:int | b:varchar(5) | c:int]
--> 1 | one | 7
--> 2 | deux | 7
--> [a:int | b:varchar(5) | x:int]
--> 1 | one | 7
--> 2 | deux | 7
--> [a:int | b:varchar(5) | c:int]
--> 1 | one | 7
--> 2 | deux | 7
-- A name is kept, too; the column is found by its place.
EXEC sp_rename 't.b', 'd', 'COLUMN';
GO
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
SELECT * FROM v WHERE a = 1;
SELECT b FROM v WHERE a = 1;
GO
--> [a:int | b:varchar(5) | c:int]
--> 1 | one | 7
--> [b:varchar(5)]
--> one
ALTER VIEW v AS SELECT * FROM t;
GO
SELECT * FROM v WHERE a = 1;
GO
--> [a:int | d:varchar(5) | c:int]
--> 1 | one | 7
-- A column that is gone is missed; one that takes its place is shown under its name.
ALTER TABLE t DROP CONSTRAINT seven;
ALTER TABLE t DROP COLUMN c;
GO
SELECT * FROM v;
GO
--> Msg 4502, Level 16, State 1, Line 1: View or function 'v' has more column names specified than columns defined.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'v' because of binding errors.
SELECT * FROM f();
GO
--> Msg 4502, Level 16, State 1, Line 1: View or function 'dbo.f' has more column names specified than columns defined.
ALTER TABLE t ADD e datetime;
GO
SELECT * FROM v WHERE a = 1;
SELECT * FROM outer_v WHERE a = 1;
GO
--> [a:int | d:varchar(5) | c:datetime]
--> 1 | one | NULL
--> [a:int | b:varchar(5) | x:datetime]
--> 1 | one | NULL
EXEC sp_refreshview 't';
GO
--> Msg 15165, Level 16, State 1, Line 1: Could not find object 't' or you do not have permission.
EXEC sp_refreshview 'nothing';
GO
--> Msg 15165, Level 16, State 1, Line 1: Could not find object 'nothing' or you do not have permission.
EXEC sp_refreshview 'f';
GO
--> Msg 15165, Level 16, State 1, Line 1: Could not find object 'f' or you do not have permission.
EXEC sp_refreshsqlmodule 'master.dbo.v';
GO
--> Msg 15250, Level 16, State 1, Line 1: The database name component of the object qualifier must be the name of the current database.
EXEC sp_refreshview;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_refreshview' expects parameter '@viewname', which was not supplied.
-- What does not bind any more is not refreshed.
CREATE VIEW lost AS SELECT a, e FROM t;
GO
ALTER TABLE t DROP COLUMN e;
GO
SELECT * FROM lost;
GO
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'e'.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'lost' because of binding errors.
EXEC sp_refreshview 'lost';
GO
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'e'.
-- A refresh is part of its transaction.
ALTER VIEW v AS SELECT *, 1 AS c, 2 AS g FROM t;
GO
BEGIN TRANSACTION;
EXEC sp_refreshview 'outer_v';
SELECT COL_NAME(OBJECT_ID('outer_v'), 3) AS third, COL_NAME(OBJECT_ID('outer_v'), 5) AS fifth;
ROLLBACK;
SELECT COL_NAME(OBJECT_ID('outer_v'), 3) AS third, COL_NAME(OBJECT_ID('outer_v'), 5) AS fifth;
GO
--> [third:nvarchar(128) | fifth:nvarchar(128)]
--> c | x
--> [third:nvarchar(128) | fifth:nvarchar(128)]
--> x | NULL
USE master;
DROP DATABASE keeping;
GO
