-- The collation of a database is that of its literals, variables, columns and what is computed.
CREATE DATABASE cs COLLATE Latin1_General_CS_AS;
GO
CREATE DATABASE nothing COLLATE no_such_collation;
GO
CREATE DATABASE nothing COLLATE Hindi_100_CI_AS;
GO
CREATE DATABASE nothing COLLATE database_default;
GO
SELECT name, collation_name FROM sys.databases WHERE name IN ('cs', 'master', 'nothing') ORDER BY name;
SELECT DATABASEPROPERTYEX('cs', 'Collation') AS c, DATABASEPROPERTYEX('cs', 'LCID') AS lcid,
       DATABASEPROPERTYEX('cs', 'SQLSortOrder') AS o, DATABASEPROPERTYEX('master', 'SQLSortOrder') AS om;
SELECT CASE WHEN 'a' = 'A' THEN 'same' ELSE 'other' END AS in_master;
GO
USE cs;
SELECT CASE WHEN 'a' = 'A' THEN 'same' ELSE 'other' END AS in_cs;
DECLARE @a varchar(10) = 'a', @b nvarchar(10) = N'A';
SELECT CASE WHEN @a = @b THEN 'same' ELSE 'other' END AS of_variables,
       CASE WHEN 'abc' LIKE 'A%' THEN 'like' ELSE 'unlike' END AS of_like,
       CASE WHEN 'a' IN ('A', 'B') THEN 'in' ELSE 'out' END AS of_in,
       CHARINDEX('B', 'abc') AS of_charindex, REPLACE('abcABC', 'B', '-') AS of_replace,
       CASE 'x' WHEN 'X' THEN 1 WHEN 'x' THEN 2 END AS of_case, NULLIF('a', 'A') AS of_nullif,
       CASE WHEN UPPER('a') = 'a' THEN 'same' ELSE 'other' END AS of_function,
       CASE WHEN CAST(@b AS varchar(5)) = 'a' COLLATE SQL_Latin1_General_CP1_CI_AS THEN 'same' ELSE 'other' END AS of_collate;
IF 'y' = 'Y' PRINT 'same'; ELSE PRINT 'other';
-- Names are looked up whatever their case, as everywhere.
SELECT COUNT(*) AS named FROM SYS.OBJECTS WHERE NAME = 'no';
GO
-- Columns; those of temporary tables are of tempdb, of variables of the database.
CREATE TABLE t (a varchar(10) PRIMARY KEY, b nvarchar(10), c varchar(10) COLLATE SQL_Latin1_General_CP1_CI_AS,
                d AS a + 'x', e AS CAST(f AS varchar(10)), f int);
INSERT t (a, b, c, f) VALUES ('a', N'a', 'a', 1), ('A', N'A', 'A', 2);
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id;
SELECT a FROM t WHERE a = 'A';
SELECT c FROM t WHERE c = 'A' ORDER BY a;
SELECT a FROM t WHERE b LIKE N'[a]' ORDER BY b;
SELECT COUNT(DISTINCT b) AS b, COUNT(DISTINCT c) AS c FROM t;
SELECT a FROM t ORDER BY a DESC;
SELECT a FROM t WHERE a = c;
GO
CREATE TABLE #t (a varchar(10), b varchar(10) COLLATE DATABASE_DEFAULT);
INSERT #t VALUES ('a', 'a');
DECLARE @t table (a varchar(10));
INSERT @t VALUES ('A');
SELECT COUNT(*) AS of_tempdb FROM #t WHERE a = 'A';
SELECT COUNT(*) AS of_default FROM #t WHERE b = 'A';
SELECT COUNT(*) AS of_variable FROM @t WHERE a = 'a';
SELECT t.a FROM t JOIN #t x ON x.b = t.a;
SELECT t.a FROM t JOIN #t x ON x.a = t.a;
GO
SELECT t.a FROM t JOIN #t x ON x.a COLLATE DATABASE_DEFAULT = t.a;
DROP TABLE #t;
GO
SELECT a, 'A' AS lit, CAST(f AS varchar(5)) AS n INTO made FROM t;
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('made') ORDER BY column_id;
-- The catalog's texts are of the database too: no conflict with its columns.
CREATE TABLE names (name sysname);
INSERT names VALUES (N't'), (N'T');
SELECT n.name FROM names n JOIN sys.tables s ON s.name = n.name;
SELECT COUNT(*) AS by_case FROM sys.tables WHERE name = 'T';
SELECT COUNT(*) AS types FROM sys.types WHERE collation_name = 'Latin1_General_CS_AS';
SELECT COLUMN_NAME, COLLATION_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'names';
GO
-- Modules mean what their database says, wherever they are used.
CREATE VIEW v AS SELECT CASE WHEN 'a' = 'A' THEN 'same' ELSE 'other' END AS r;
GO
CREATE FUNCTION f (@a varchar(10)) RETURNS varchar(10) AS BEGIN RETURN CASE WHEN @a = 'A' THEN 'same' ELSE 'other' END END;
GO
CREATE FUNCTION g (@a varchar(10)) RETURNS varchar(10) AS BEGIN DECLARE @r varchar(10) = 'other'; IF @a = 'A' SET @r = 'same'; RETURN @r END;
GO
CREATE FUNCTION i (@a varchar(10)) RETURNS table AS RETURN SELECT CASE WHEN @a = 'A' THEN 'same' ELSE 'other' END AS r;
GO
CREATE FUNCTION m (@a varchar(10)) RETURNS @r table (a varchar(10)) AS BEGIN INSERT @r VALUES (@a); RETURN END;
GO
CREATE PROCEDURE p @a varchar(10) AS SELECT CASE WHEN @a = 'A' THEN 'same' ELSE 'other' END AS r;
GO
USE master;
SELECT r FROM cs.dbo.v;
SELECT cs.dbo.f('a') AS f, cs.dbo.g('a') AS g;
SELECT r FROM cs.dbo.i('a');
SELECT COUNT(*) AS m FROM cs.dbo.m('a') WHERE a = 'A';
EXEC cs.dbo.p 'a';
SELECT CASE WHEN 'a' = 'A' THEN 'same' ELSE 'other' END AS in_master;
SELECT a FROM cs.dbo.t WHERE a = 'A';
SELECT COUNT(*) AS n FROM cs.sys.tables WHERE name = 'T';
GO
-- ALTER COLUMN without COLLATE gives the database's.
USE cs;
ALTER TABLE t ALTER COLUMN c varchar(20);
SELECT collation_name FROM sys.columns WHERE object_id = OBJECT_ID('t') AND name = 'c';
ALTER TABLE t ADD h varchar(5), i varchar(5) COLLATE DATABASE_DEFAULT;
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('t') AND name IN ('h', 'i') ORDER BY name;
GO
-- Another collation: what depends on it stands in its way.
ALTER TABLE t ADD CONSTRAINT ck_columns CHECK (a <> 'q');
ALTER TABLE t ADD CONSTRAINT ck_texts CHECK (CAST(f AS varchar(10)) <> 'q');
GO
ALTER DATABASE cs COLLATE SQL_Latin1_General_CP1_CI_AS;
GO
DROP FUNCTION m;
ALTER TABLE t DROP CONSTRAINT ck_texts;
ALTER TABLE t DROP COLUMN e;
GO
ALTER DATABASE cs COLLATE no_such_collation;
GO
ALTER DATABASE cs COLLATE SQL_Latin1_General_CP1_CI_AS;
SELECT CASE WHEN 'a' = 'A' THEN 'same' ELSE 'other' END AS in_cs;
GO
SELECT collation_name FROM sys.databases WHERE name = 'cs';
SELECT a FROM t WHERE a = 'A';
SELECT COUNT(*) AS by_case FROM sys.tables WHERE name = 'T';
SELECT r FROM v;
EXEC p 'a';
SELECT dbo.f('a') AS f, dbo.g('a') AS g;
GO
ALTER DATABASE master COLLATE Latin1_General_CS_AS;
GO
BEGIN TRANSACTION;
ALTER DATABASE cs COLLATE Latin1_General_CS_AS;
GO
ROLLBACK;
GO
USE master;
DROP DATABASE cs;
GO
-- Another code page: literals, variables, columns and what becomes a text are of it.
CREATE DATABASE cyr COLLATE Cyrillic_General_CI_AS;
GO
USE cyr;
DECLARE @v varchar(10) = N'Привет';
SELECT @v AS v, 'Привет' AS lit, CAST(N'Мир' AS varchar(10)) AS c, DATALENGTH('Мир') AS n,
       CASE WHEN 'МИР' = 'мир' THEN 'same' ELSE 'other' END AS compared, @v + '!' AS added;
CREATE TABLE t (a varchar(10), b AS a + N'!');
INSERT t VALUES ('Мир'), (N'Привет');
SELECT a, b, DATALENGTH(a) AS n FROM t WHERE a = 'МИР' OR a LIKE 'п%' ORDER BY a;
SELECT CAST(0xCFF0E8 AS varchar(3)) AS bytes, CAST('При' AS varbinary(3)) AS back;
GO
EXEC sp_executesql N'SELECT @p AS p', N'@p varchar(10)', @p = N'Мир';
GO
USE master;
SELECT 'Мир' AS lit;
DROP DATABASE cyr;
GO
CREATE DATABASE utf COLLATE Latin1_General_100_CI_AS_SC_UTF8;
GO
USE utf;
DECLARE @v varchar(10) = N'日本';
SELECT @v AS v, DATALENGTH(@v) AS n, LEN('日本語') AS l, DATALENGTH('日本語') AS d;
CREATE TABLE t (a varchar(9));
INSERT t VALUES (N'日本語');
SELECT a, DATALENGTH(a) AS n FROM t WHERE a = '日本語';
INSERT t VALUES (N'日本語x');
GO
USE master;
DROP DATABASE utf;
GO
