-- differs clustered, secondary: an index on a table whose creation is refused is refused too
-- Which expressions are deterministic and precise, as the manual lists them: what may be persisted and indexed, and what COLUMNPROPERTY says.
CREATE DATABASE determined;
GO
USE determined;
SET NOCOUNT ON;
GO
CREATE FUNCTION dbo.loose (@a int) RETURNS int AS BEGIN RETURN @a + 1 END;
GO
CREATE FUNCTION dbo.bound (@a int) RETURNS int WITH SCHEMABINDING AS BEGIN RETURN @a + 1 END;
GO
CREATE TABLE t (id int NOT NULL, s varchar(20), n int, f float, d datetime, d2 datetime2, x sql_variant, m varchar(max),
  plain AS n + 1, cast_date AS CAST(s AS date), style_112 AS CONVERT(date, s, 112), style_23 AS CONVERT(datetime, s, 23), style_121 AS CONVERT(datetime, s, 121),
  style_20 AS CONVERT(datetime, s, 20), style_109 AS CONVERT(datetime, s, 109), text_of_old AS CAST(d AS varchar(30)), text_of_old_112 AS CONVERT(varchar(30), d, 112),
  text_of_new AS CAST(d2 AS varchar(30)), day_of AS DATEPART(day, d), weekday_of AS DATEPART(weekday, d), name_of AS DATENAME(day, d), added AS DATEADD(day, 1, d),
  shown AS FORMAT(n, 'N2'), parsed AS PARSENAME(s, 1), upper_of AS UPPER(s), float_of AS n * 1e0, of_float AS CASE f WHEN 0 THEN n ELSE 1 END,
  of_variant AS CAST(x AS int), now AS GETDATE(), loose AS dbo.loose(n), bound AS dbo.bound(n));
SELECT name, COLUMNPROPERTY(object_id, name, 'IsDeterministic') AS det, COLUMNPROPERTY(object_id, name, 'IsPrecise') AS precise, COLUMNPROPERTY(object_id, name, 'IsIndexable') AS indexable
FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id;
GO
--> [name:nvarchar(128) | det:int | precise:int | indexable:int]
--> id | NULL | NULL | 1
--> s | NULL | NULL | 1
--> n | NULL | NULL | 1
--> f | NULL | NULL | 1
--> d | NULL | NULL | 1
--> d2 | NULL | NULL | 1
--> x | NULL | NULL | 1
--> m | NULL | NULL | 0
--> plain | 1 | 1 | 1
--> cast_date | 0 | NULL | 0
--> style_112 | 1 | 1 | 1
--> style_23 | 0 | NULL | 0
--> style_121 | 1 | 1 | 1
--> style_20 | 1 | 1 | 1
--> style_109 | 0 | NULL | 0
--> text_of_old | 0 | NULL | 0
--> text_of_old_112 | 1 | 1 | 1
--> text_of_new | 1 | 1 | 1
--> day_of | 1 | 1 | 1
--> weekday_of | 0 | NULL | 0
--> name_of | 0 | NULL | 0
--> added | 1 | 1 | 1
--> shown | 0 | NULL | 0
--> parsed | 0 | NULL | 0
--> upper_of | 1 | 1 | 1
--> float_of | 1 | 0 | 0
--> of_float | 1 | 0 | 0
--> of_variant | 0 | NULL | 0
--> now | 0 | NULL | 0
--> loose | 0 | NULL | 0
--> bound | 1 | 1 | 1
CREATE INDEX i1 ON t (style_112, text_of_old_112, bound);
GO
CREATE INDEX i2 ON t (cast_date);
GO
--> Msg 2729, Level 16, State 1, Line 1: Column 'cast_date' in table 't' cannot be used in an index or statistics or as a partition key because it is non-deterministic.
CREATE INDEX i3 ON t (text_of_old);
GO
--> Msg 2729, Level 16, State 1, Line 1: Column 'text_of_old' in table 't' cannot be used in an index or statistics or as a partition key because it is non-deterministic.
CREATE INDEX i4 ON t (n) INCLUDE (name_of);
GO
--> Msg 2729, Level 16, State 1, Line 1: Column 'name_of' in table 't' cannot be used in an index or statistics or as a partition key because it is non-deterministic.
CREATE INDEX i5 ON t (of_float);
GO
--> Msg 2799, Level 16, State 1, Line 1: Cannot create index or statistics 'i5' on table 't' because the computed column 'of_float' is imprecise and not persisted. Consider removing column from index or statistics key or marking computed column persisted.
CREATE INDEX i6 ON t (loose);
GO
--> Msg 2729, Level 16, State 1, Line 1: Column 'loose' in table 't' cannot be used in an index or statistics or as a partition key because it is non-deterministic.
ALTER TABLE t ADD p AS CAST(s AS datetime) PERSISTED;
GO
--> Msg 4936, Level 16, State 1, Line 1: Computed column 'p' in table 't' cannot be persisted because the column is non-deterministic.
ALTER TABLE t ADD p AS CONVERT(varchar(10), d, 103) PERSISTED, q AS f * 2 PERSISTED;
CREATE INDEX i7 ON t (p, q);
SELECT COLUMNPROPERTY(OBJECT_ID('t'), 'q', 'IsPrecise') AS precise, COLUMNPROPERTY(OBJECT_ID('t'), 'q', 'IsIndexable') AS indexable;
GO
--> [precise:int | indexable:int]
--> 0 | 1
CREATE TABLE u (a datetime, b AS CONVERT(varchar(30), a) PERSISTED);
GO
--> Msg 4936, Level 16, State 1, Line 1: Computed column 'b' in table 'u' cannot be persisted because the column is non-deterministic.
CREATE TABLE u (a int, b AS FORMAT(a, 'N0') PERSISTED);
GO
--> Msg 4936, Level 16, State 1, Line 1: Computed column 'b' in table 'u' cannot be persisted because the column is non-deterministic.
CREATE TABLE u (a int, b AS dbo.loose(a) PERSISTED);
GO
--> Msg 4936, Level 16, State 1, Line 1: Computed column 'b' in table 'u' cannot be persisted because the column is non-deterministic.
CREATE TABLE u (a float, b AS a + 1, CONSTRAINT unique_b UNIQUE (b));
GO
--> Msg 2799, Level 16, State 1, Line 1: Cannot create index or statistics 'unique_b' on table 'u' because the computed column 'b' is imprecise and not persisted. Consider removing column from index or statistics key or marking computed column persisted.
USE master;
DROP DATABASE determined;
GO
