-- differs parameters: a literal without N becomes a parameter of Unicode, which has signs of all pages
-- differs snapshot: its databases do not allow it
-- The collation of a database is that of its literals, variables, columns and what is computed.
CREATE DATABASE cs COLLATE Latin1_General_CS_AS;
GO
CREATE DATABASE nothing COLLATE no_such_collation;
GO
--> Msg 448, Level 16, State 1, Line 1: Invalid collation 'no_such_collation'.
CREATE DATABASE nothing COLLATE Indic_General_100_CI_AS;
GO
--> Msg 453, Level 16, State 1, Line 1: Collation 'Indic_General_100_CI_AS' is supported on Unicode data types only and cannot be set at the database or server level.
CREATE DATABASE nothing COLLATE database_default;
GO
SELECT name, collation_name FROM sys.databases WHERE name IN ('cs', 'master', 'nothing') ORDER BY name;
SELECT DATABASEPROPERTYEX('cs', 'Collation') AS c, DATABASEPROPERTYEX('cs', 'LCID') AS lcid,
       DATABASEPROPERTYEX('cs', 'SQLSortOrder') AS o, DATABASEPROPERTYEX('master', 'SQLSortOrder') AS om;
SELECT CASE WHEN 'a' = 'A' THEN 'same' ELSE 'other' END AS in_master;
GO
--> [name:nvarchar(128) | collation_name:nvarchar(128)]
--> cs | Latin1_General_CS_AS
--> master | SQL_Latin1_General_CP1_CI_AS
--> nothing | SQL_Latin1_General_CP1_CI_AS
--> (3 rows affected)
--> [c:sql_variant | lcid:sql_variant | o:sql_variant | om:sql_variant]
--> Latin1_General_CS_AS | 1033 | 0 | 52
--> (1 rows affected)
--> [in_master:varchar(5)]
--> same
--> (1 rows affected)
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
SELECT GREATEST('a', 'A') AS greatest, LEAST('a', 'A', 'B') AS least, GREATEST('a', 'A' COLLATE Latin1_General_BIN2) AS by_code;
SELECT GREATEST(1, 2) AS greatest, LEAST(2.5, 1) AS least;
SELECT COUNT(*) AS n FROM (SELECT 'a' AS c UNION SELECT 'A') x;
SELECT COUNT(*) AS n FROM (SELECT DISTINCT c FROM (VALUES ('a'), ('A')) v (c)) x;
SELECT c, COUNT(*) AS n FROM (VALUES ('a'), ('A'), ('a')) v (c) GROUP BY c ORDER BY c;
SELECT COUNT(*) AS n FROM STRING_SPLIT('axAxa', 'X');
SELECT MAX(c) AS m, MIN(c) AS n FROM (VALUES ('b'), ('B')) v (c);
DECLARE @v sql_variant = 'a';
SELECT CASE WHEN @v = CAST('A' AS sql_variant) THEN 'same' ELSE 'other' END AS of_variant, SQL_VARIANT_PROPERTY(@v, 'Collation') AS c;
-- Names are looked up whatever their case, as everywhere.
SELECT COUNT(*) AS named FROM SYS.OBJECTS WHERE NAME = 'no';
GO
--> [in_cs:varchar(5)]
--> other
--> (1 rows affected)
--> [of_variables:varchar(5) | of_like:varchar(6) | of_in:varchar(3) | of_charindex:int | of_replace:varchar(8000) | of_case:int | of_nullif:varchar(1) | of_function:varchar(5) | of_collate:varchar(5)]
--> other | unlike | out | 0 | abcA-C | 2 | a | other | same
--> (1 rows affected)
--> # other
--> [greatest:varchar(1) | least:varchar(1) | by_code:varchar(1)]
--> A | a | a
--> (1 rows affected)
--> [greatest:int | least:numeric(2,1)]
--> 2 | 1.0
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [c:varchar(1) | n:int]
--> a | 2
--> A | 1
--> (2 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [m:varchar(1) | n:varchar(1)]
--> B | b
--> (1 rows affected)
--> [of_variant:varchar(5) | c:sql_variant]
--> other | Latin1_General_CS_AS
--> (1 rows affected)
--> [named:int]
--> 0
--> (1 rows affected)
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
--> (2 rows affected)
--> [name:nvarchar(128) | collation_name:nvarchar(128)]
--> a | Latin1_General_CS_AS
--> b | Latin1_General_CS_AS
--> c | SQL_Latin1_General_CP1_CI_AS
--> d | Latin1_General_CS_AS
--> e | Latin1_General_CS_AS
--> f | NULL
--> (6 rows affected)
--> [a:varchar(10)]
--> A
--> (1 rows affected)
--> [c:varchar(10)]
--> a
--> A
--> (2 rows affected)
--> [a:varchar(10)]
--> a
--> (1 rows affected)
--> [b:int | c:int]
--> 2 | 1
--> (1 rows affected)
--> [a:varchar(10)]
--> A
--> a
--> (2 rows affected)
--> Msg 468, Level 16, State 9, Line 11: Cannot resolve the collation conflict between "Latin1_General_CS_AS" and "SQL_Latin1_General_CP1_CI_AS" in the equal to operation.
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
--> (1 rows affected)
--> (1 rows affected)
--> [of_tempdb:int]
--> 1
--> (1 rows affected)
--> [of_default:int]
--> 0
--> (1 rows affected)
--> [of_variable:int]
--> 0
--> (1 rows affected)
--> [a:varchar(10)]
--> a
--> (1 rows affected)
--> Msg 468, Level 16, State 9, Line 9: Cannot resolve the collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in the equal to operation.
SELECT t.a FROM t JOIN #t x ON x.a COLLATE DATABASE_DEFAULT = t.a;
DROP TABLE #t;
GO
--> [a:varchar(10)]
--> a
--> (1 rows affected)
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
--> (2 rows affected)
--> [name:nvarchar(128) | collation_name:nvarchar(128)]
--> a | Latin1_General_CS_AS
--> lit | Latin1_General_CS_AS
--> n | Latin1_General_CS_AS
--> (3 rows affected)
--> (2 rows affected)
--> [name:nvarchar(128)]
--> t
--> (1 rows affected)
--> [by_case:int]
--> 0
--> (1 rows affected)
--> [types:int]
--> 7
--> (1 rows affected)
--> [COLUMN_NAME:nvarchar(128) | COLLATION_NAME:nvarchar(128)]
--> name | Latin1_General_CS_AS
--> (1 rows affected)
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
--> [r:varchar(5)]
--> other
--> (1 rows affected)
--> [f:varchar(10) | g:varchar(10)]
--> other | other
--> (1 rows affected)
--> [r:varchar(5)]
--> other
--> (1 rows affected)
--> [m:int]
--> 0
--> (1 rows affected)
--> [r:varchar(5)]
--> other
--> (1 rows affected)
--> [in_master:varchar(5)]
--> same
--> (1 rows affected)
--> [a:varchar(10)]
--> A
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
-- ALTER COLUMN without COLLATE gives the database's.
USE cs;
ALTER TABLE t ALTER COLUMN c varchar(20);
SELECT collation_name FROM sys.columns WHERE object_id = OBJECT_ID('t') AND name = 'c';
ALTER TABLE t ADD h varchar(5), i varchar(5) COLLATE DATABASE_DEFAULT;
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('t') AND name IN ('h', 'i') ORDER BY name;
GO
--> [collation_name:nvarchar(128)]
--> Latin1_General_CS_AS
--> (1 rows affected)
--> [name:nvarchar(128) | collation_name:nvarchar(128)]
--> h | Latin1_General_CS_AS
--> i | Latin1_General_CS_AS
--> (2 rows affected)
-- Another collation: what depends on it stands in its way.
ALTER TABLE t ADD CONSTRAINT ck_columns CHECK (a <> 'q');
ALTER TABLE t ADD CONSTRAINT ck_texts CHECK (CAST(f AS varchar(10)) <> 'q');
GO
ALTER DATABASE cs COLLATE SQL_Latin1_General_CP1_CI_AS;
GO
--> Msg 5075, Level 16, State 1, Line 1: The column 't.e' is dependent on database collation. The database collation cannot be changed if a schema-bound object depends on it. Remove the dependencies on the database collation and then retry the operation.
--> Msg 5075, Level 16, State 1, Line 1: The object 'ck_texts' is dependent on database collation. The database collation cannot be changed if a schema-bound object depends on it. Remove the dependencies on the database collation and then retry the operation.
--> Msg 5075, Level 16, State 1, Line 1: The object 'm' is dependent on database collation. The database collation cannot be changed if a schema-bound object depends on it. Remove the dependencies on the database collation and then retry the operation.
--> Msg 5072, Level 16, State 1, Line 1: ALTER DATABASE failed. The default collation of database 'cs' cannot be set to SQL_Latin1_General_CP1_CI_AS.
DROP FUNCTION m;
ALTER TABLE t DROP CONSTRAINT ck_texts;
ALTER TABLE t DROP COLUMN e;
GO
ALTER DATABASE cs COLLATE no_such_collation;
GO
--> Msg 448, Level 16, State 1, Line 1: Invalid collation 'no_such_collation'.
ALTER DATABASE cs COLLATE SQL_Latin1_General_CP1_CI_AS;
SELECT CASE WHEN 'a' = 'A' THEN 'same' ELSE 'other' END AS in_cs;
GO
--> [in_cs:varchar(5)]
--> same
--> (1 rows affected)
SELECT collation_name FROM sys.databases WHERE name = 'cs';
SELECT a FROM t WHERE a = 'A';
SELECT COUNT(*) AS by_case FROM sys.tables WHERE name = 'T';
SELECT r FROM v;
EXEC p 'a';
SELECT dbo.f('a') AS f, dbo.g('a') AS g;
GO
--> [collation_name:nvarchar(128)]
--> SQL_Latin1_General_CP1_CI_AS
--> (1 rows affected)
--> [a:varchar(10)]
--> A
--> (1 rows affected)
--> [by_case:int]
--> 1
--> (1 rows affected)
--> [r:varchar(5)]
--> same
--> (1 rows affected)
--> [r:varchar(5)]
--> same
--> (1 rows affected)
--> [f:varchar(10) | g:varchar(10)]
--> same | same
--> (1 rows affected)
ALTER DATABASE master COLLATE Latin1_General_CS_AS;
GO
--> Msg 3708, Level 16, State 5, Line 1: Cannot alter the database 'master' because it is a system database.
BEGIN TRANSACTION;
ALTER DATABASE cs COLLATE Latin1_General_CS_AS;
GO
--> Msg 226, Level 16, State 6, Line 2: ALTER DATABASE statement not allowed within multi-statement transaction.
ROLLBACK;
GO
USE master;
DROP DATABASE cs;
GO
DROP DATABASE nothing;
GO
-- Another code page: literals, variables, columns and what becomes a text are of it.
CREATE DATABASE cyr COLLATE Cyrillic_General_CI_AS;
GO
USE cyr;
GO
DECLARE @v varchar(10) = N'Привет';
SELECT @v AS v, 'Привет' AS lit, CAST(N'Мир' AS varchar(10)) AS c, DATALENGTH('Мир') AS n,
       CASE WHEN 'МИР' = 'мир' THEN 'same' ELSE 'other' END AS compared, @v + '!' AS added;
CREATE TABLE t (a varchar(10), b AS a + N'!');
INSERT t VALUES ('Мир'), (N'Привет');
SELECT a, b, DATALENGTH(a) AS n FROM t WHERE a = 'МИР' OR a LIKE 'п%' ORDER BY a;
SELECT CAST(0xCFF0E8 AS varchar(3)) AS bytes, CAST('При' AS varbinary(3)) AS back;
GO
--> [v:varchar(10) | lit:varchar(6) | c:varchar(10) | n:int | compared:varchar(5) | added:varchar(11)]
--> Привет | Привет | Мир | 3 | same | Привет!
--> (1 rows affected)
--> (2 rows affected)
--> [a:varchar(10) | b:nvarchar(11) | n:int]
--> Мир | Мир! | 3
--> Привет | Привет! | 6
--> (2 rows affected)
--> [bytes:varchar(3) | back:varbinary(3)]
--> При | 0xCFF0E8
--> (1 rows affected)
-- Parameters too, whoever calls; what becomes a text of NULL, of numbers and of bytes.
CREATE PROCEDURE p @v varchar(10) = 'Ж', @o varchar(10) = NULL OUTPUT AS
    SET @o = 'я'; SELECT @v AS v, CAST(@v AS varbinary(9)) AS b, SQL_VARIANT_PROPERTY(@v, 'Collation') AS c;
GO
DECLARE @o varchar(10);
EXEC p 'Ж', @o OUTPUT;
SELECT @o AS o;
EXEC p N'Ж';
EXEC p;
SELECT CAST(ISNULL(CAST(NULL AS varchar(5)), 'Ж') AS varbinary(5)) AS of_null, CHAR(198) AS c, ASCII(CHAR(198)) AS a,
       CAST(ISNULL(NULLIF(CHAR(65), 'A'), 'Ж') AS varbinary(5)) AS of_char;
SELECT CAST(NULL AS varchar(9)) AS v, CHAR(66) AS w INTO s;
SELECT name, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('s') ORDER BY name;
WITH r AS (SELECT 1 AS i, CAST(NULL AS varchar(20)) AS x UNION ALL SELECT i + 1, CAST('я' AS varchar(20)) FROM r WHERE i < 3)
SELECT i, x FROM r ORDER BY i;
GO
--> [v:varchar(10) | b:varbinary(9) | c:sql_variant]
--> Ж | 0xC6 | Cyrillic_General_CI_AS
--> (1 rows affected)
--> [o:varchar(10)]
--> я
--> (1 rows affected)
--> [v:varchar(10) | b:varbinary(9) | c:sql_variant]
--> Ж | 0xC6 | Cyrillic_General_CI_AS
--> (1 rows affected)
--> [v:varchar(10) | b:varbinary(9) | c:sql_variant]
--> Ж | 0xC6 | Cyrillic_General_CI_AS
--> (1 rows affected)
--> [of_null:varbinary(5) | c:char(1) | a:int | of_char:varbinary(5)]
--> 0xC6 | Ж | 198 | 0xC6
--> (1 rows affected)
--> (1 rows affected)
--> [name:nvarchar(128) | collation_name:nvarchar(128)]
--> v | Cyrillic_General_CI_AS
--> w | Cyrillic_General_CI_AS
--> (2 rows affected)
--> [i:int | x:varchar(20)]
--> 1 | NULL
--> 2 | я
--> 3 | я
--> (3 rows affected)
USE master;
EXEC cyr.dbo.p N'Ж';
USE cyr;
GO
--> [v:varchar(10) | b:varbinary(9) | c:sql_variant]
--> Ж | 0xC6 | Cyrillic_General_CI_AS
--> (1 rows affected)
EXEC sp_executesql N'SELECT @p AS p', N'@p varchar(10)', @p = N'Мир';
GO
--> [p:varchar(10)]
--> Мир
--> (1 rows affected)
USE master;
SELECT 'Мир' AS lit;
DROP DATABASE cyr;
GO
--> [lit:varchar(3)]
--> ???
--> (1 rows affected)
CREATE DATABASE utf COLLATE Latin1_General_100_CI_AS_SC_UTF8;
GO
USE utf;
GO
DECLARE @v varchar(10) = N'日本';
SELECT @v AS v, DATALENGTH(@v) AS n, LEN('日本語') AS l, DATALENGTH('日本語') AS d;
CREATE TABLE t (a varchar(9));
INSERT t VALUES (N'日本語');
SELECT a, DATALENGTH(a) AS n FROM t WHERE a = '日本語';
INSERT t VALUES (N'日本語x');
GO
--> [v:varchar(10) | n:int | l:int | d:int]
--> 日本 | 6 | 3 | 9
--> (1 rows affected)
--> (1 rows affected)
--> [a:varchar(9) | n:int]
--> 日本語 | 9
--> (1 rows affected)
--> Msg 2628, Level 16, State 1, Line 6: String or binary data would be truncated in table 'utf.dbo.t', column 'a'. Truncated value: '日本語'.
--> # The statement has been terminated.
SELECT NCHAR(128512) AS sign, LEN(NCHAR(128512)) AS l, NCHAR(65) AS a, NCHAR(1114112) AS none;
GO
--> [sign:nvarchar(2) | l:int | a:nvarchar(2) | none:nvarchar(2)]
--> 😀 | 1 | A | NULL
--> (1 rows affected)
USE master;
DROP DATABASE utf;
GO
