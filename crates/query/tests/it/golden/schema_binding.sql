-- WITH SCHEMABINDING: what a view or function uses stays while it is there.
CREATE DATABASE bound;
GO
USE bound;
GO
CREATE SCHEMA s;
GO
CREATE TABLE s.t (a int, b int, c int, d int);
CREATE TABLE dbo.loose (a int);
CREATE SYNONYM dbo.syn FOR s.t;
GO
CREATE VIEW dbo.plain AS SELECT a FROM s.t;
GO
CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT t.a, COUNT_BIG(*) AS n FROM s.t AS t WHERE t.b > 0 GROUP BY t.a;
GO
CREATE FUNCTION dbo.f (@x int) RETURNS int WITH SCHEMABINDING AS BEGIN DECLARE @r int; SELECT @r = MAX(c) FROM s.t WHERE a = @x; RETURN @r END;
GO
CREATE FUNCTION dbo.inl () RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT a, dbo.f(a) AS m FROM dbo.v;
GO
-- Refused when it is made.
CREATE VIEW dbo.one_part WITH SCHEMABINDING AS SELECT a FROM loose;
GO
--> Msg 4512, Level 16, State 1, Line 2: Cannot schema bind view 'dbo.one_part' because name 'loose' is invalid for schema binding. Names must be in two-part format and an object cannot reference itself.
CREATE VIEW dbo.three_parts WITH SCHEMABINDING AS SELECT a FROM bound.s.t;
GO
--> Msg 4512, Level 16, State 1, Line 1: Cannot schema bind view 'dbo.three_parts' because name 'bound.s.t' is invalid for schema binding. Names must be in two-part format and an object cannot reference itself.
CREATE VIEW dbo.star WITH SCHEMABINDING AS SELECT * FROM s.t;
GO
--> Msg 1054, Level 15, State 1, Line 1: Syntax '*' is not allowed in schema-bound objects.
CREATE FUNCTION dbo.star_f () RETURNS TABLE WITH SCHEMABINDING AS RETURN SELECT t.* FROM s.t AS t;
GO
--> Msg 1054, Level 15, State 1, Line 1: Syntax '*' is not allowed in schema-bound objects.
CREATE VIEW dbo.not_bound WITH SCHEMABINDING AS SELECT a FROM dbo.plain;
GO
--> Msg 4513, Level 16, State 1, Line 1: Cannot schema bind view 'dbo.not_bound'. 'dbo.plain' is not schema bound.
CREATE VIEW dbo.system WITH SCHEMABINDING AS SELECT name FROM sys.objects;
GO
--> Msg 2720, Level 16, State 1, Line 1: Cannot schema bind view 'dbo.system' because it references system object 'objects'.
CREATE VIEW dbo.by_synonym WITH SCHEMABINDING AS SELECT a FROM dbo.syn;
GO
--> Msg 2788, Level 16, State 1, Line 1: Synonyms are invalid in a schemabound object or a constraint expression.
CREATE FUNCTION dbo.one_part_f () RETURNS int WITH SCHEMABINDING AS BEGIN RETURN (SELECT MAX(a) FROM loose) END;
GO
--> Msg 4512, Level 16, State 1, Line 1: Cannot schema bind function 'dbo.one_part_f' because name 'loose' is invalid for schema binding. Names must be in two-part format and an object cannot reference itself.
CREATE FUNCTION dbo.scalar_without_table (@x int) RETURNS int WITH SCHEMABINDING AS BEGIN DECLARE @t TABLE (a int); INSERT @t VALUES (@x); RETURN (SELECT MAX(a) FROM @t) END;
GO
SELECT dbo.scalar_without_table(3) AS three;
GO
--> [three:int]
--> 3
--> (1 rows affected)
-- Refused while they are there.
DROP TABLE s.t;
GO
--> Msg 3729, Level 16, State 1, Line 2: Cannot DROP TABLE 's.t' because it is being referenced by object 'v'.
ALTER TABLE s.t DROP COLUMN b;
GO
--> Msg 5074, Level 16, State 1, Line 1: The object 'v' is dependent on column 'b'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE DROP COLUMN b failed because one or more objects access this column.
ALTER TABLE s.t DROP COLUMN c;
GO
--> Msg 5074, Level 16, State 1, Line 1: The object 'f' is dependent on column 'c'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE DROP COLUMN c failed because one or more objects access this column.
ALTER TABLE s.t ALTER COLUMN a bigint;
GO
--> Msg 5074, Level 16, State 1, Line 1: The object 'v' is dependent on column 'a'.
--> Msg 5074, Level 16, State 1, Line 1: The object 'f' is dependent on column 'a'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN a failed because one or more objects access this column.
EXEC sp_rename 's.t.a', 'z', 'COLUMN';
GO
--> Msg 15336, Level 16, State 1, Line 1: Object 's.t.a' cannot be renamed because the object participates in enforced dependencies.
EXEC sp_rename 's.t', 'z';
GO
--> Msg 15336, Level 16, State 1, Line 1: Object 't' cannot be renamed because the object participates in enforced dependencies.
DROP VIEW dbo.v;
GO
--> Msg 3729, Level 16, State 1, Line 1: Cannot DROP VIEW 'dbo.v' because it is being referenced by object 'inl'.
ALTER VIEW dbo.v AS SELECT 1 AS a;
GO
--> Msg 3729, Level 16, State 1, Line 1: Cannot ALTER 'dbo.v' because it is being referenced by object 'inl'.
DROP FUNCTION dbo.f;
GO
--> Msg 3729, Level 16, State 1, Line 1: Cannot DROP FUNCTION 'dbo.f' because it is being referenced by object 'inl'.
ALTER FUNCTION dbo.f (@x int) RETURNS int AS BEGIN RETURN 1 END;
GO
--> Msg 3729, Level 16, State 1, Line 1: Cannot ALTER 'dbo.f' because it is being referenced by object 'inl'.
-- What none of them uses may go, and the table may grow.
ALTER TABLE s.t DROP COLUMN d;
ALTER TABLE s.t ADD e int;
ALTER TABLE s.t ALTER COLUMN e bigint;
TRUNCATE TABLE s.t;
DROP TABLE dbo.loose;
GO
-- In the right order all of it goes.
DROP FUNCTION dbo.inl;
DROP VIEW dbo.v;
DROP VIEW dbo.plain;
GO
ALTER FUNCTION dbo.f (@x int) RETURNS int AS BEGIN RETURN 1 END;
GO
ALTER TABLE s.t DROP COLUMN b;
DROP TABLE s.t;
GO
USE master;
DROP DATABASE bound;
GO
