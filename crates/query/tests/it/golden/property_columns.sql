-- $IDENTITY and $ROWGUID, and their older words IDENTITYCOL and ROWGUIDCOL, mean a column by what it is to its table.
CREATE DATABASE meant;
GO
USE meant;
GO
CREATE TABLE parts (name varchar(10), id int IDENTITY(5, 5) PRIMARY KEY, g uniqueidentifier ROWGUIDCOL DEFAULT '00000000-0000-0000-0000-000000000001');
CREATE TABLE uses (n int IDENTITY, part int);
INSERT parts (name) OUTPUT inserted.$IDENTITY, inserted.$ROWGUID, inserted.IDENTITYCOL AS again VALUES ('a'), ('b'), ('c');
INSERT uses (part) VALUES (5), (10), (10);
GO
--> [id:int | g:uniqueidentifier | again:int]
--> 5 | 00000000-0000-0000-0000-000000000001 | 5
--> 10 | 00000000-0000-0000-0000-000000000001 | 10
--> 15 | 00000000-0000-0000-0000-000000000001 | 15
--> (3 rows affected)
--> (3 rows affected)
SELECT $IDENTITY, $ROWGUID, IDENTITYCOL, ROWGUIDCOL AS r FROM parts ORDER BY $IDENTITY DESC;
SELECT p.$identity, u.$IDENTITY, p.IDENTITYCOL + 1 AS more, p.ROWGUIDCOL FROM parts p JOIN uses u ON u.part = p.$IDENTITY WHERE p.$IDENTITY > 5 ORDER BY u.IDENTITYCOL;
SELECT $IDENTITY, COUNT(*) AS n FROM parts WHERE $IDENTITY IN (5, 15) GROUP BY $IDENTITY HAVING MAX(IDENTITYCOL) > 0 ORDER BY IDENTITYCOL;
SELECT name, (SELECT COUNT(*) FROM uses WHERE part = p.$IDENTITY) AS used FROM parts p ORDER BY name;
SELECT dbo.parts.$IDENTITY FROM dbo.parts WHERE parts.name = 'b';
SELECT name AS [$IDENTITY], $IDENTITY FROM parts WHERE $IDENTITY = 5;
GO
--> [id:int | g:uniqueidentifier | id:int | r:uniqueidentifier]
--> 15 | 00000000-0000-0000-0000-000000000001 | 15 | 00000000-0000-0000-0000-000000000001
--> 10 | 00000000-0000-0000-0000-000000000001 | 10 | 00000000-0000-0000-0000-000000000001
--> 5 | 00000000-0000-0000-0000-000000000001 | 5 | 00000000-0000-0000-0000-000000000001
--> (3 rows affected)
--> [id:int | n:int | more:int | g:uniqueidentifier]
--> 10 | 2 | 11 | 00000000-0000-0000-0000-000000000001
--> 10 | 3 | 11 | 00000000-0000-0000-0000-000000000001
--> (2 rows affected)
--> [id:int | n:int]
--> 5 | 1
--> 15 | 1
--> (2 rows affected)
--> [name:varchar(10) | used:int]
--> a | 1
--> b | 2
--> c | 0
--> (3 rows affected)
--> [id:int]
--> 10
--> (1 rows affected)
--> [$IDENTITY:varchar(10) | id:int]
--> a | 5
--> (1 rows affected)
UPDATE parts SET $ROWGUID = '00000000-0000-0000-0000-000000000002' OUTPUT deleted.$IDENTITY, inserted.$ROWGUID WHERE IDENTITYCOL = 10;
UPDATE p SET name = name + CAST(p.$IDENTITY AS varchar(5)) FROM parts p WHERE $IDENTITY = 15;
DELETE parts OUTPUT deleted.$IDENTITY, deleted.ROWGUIDCOL, deleted.name WHERE $IDENTITY > 5;
SELECT $IDENTITY INTO kept FROM parts;
SELECT name, is_identity, is_rowguidcol FROM sys.columns WHERE object_id IN (OBJECT_ID('parts'), OBJECT_ID('kept')) ORDER BY name;
SELECT OBJECTPROPERTY(OBJECT_ID('parts'), 'TableHasRowGuidCol') AS has, OBJECTPROPERTY(OBJECT_ID('uses'), 'TableHasRowGuidCol') AS none,
  COLUMNPROPERTY(OBJECT_ID('parts'), 'g', 'IsRowGuidCol') AS g, COLUMNPROPERTY(OBJECT_ID('parts'), 'id', 'IsRowGuidCol') AS id;
GO
--> [id:int | g:uniqueidentifier]
--> 10 | 00000000-0000-0000-0000-000000000002
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | g:uniqueidentifier | name:varchar(10)]
--> 10 | 00000000-0000-0000-0000-000000000002 | b
--> 15 | 00000000-0000-0000-0000-000000000001 | c15
--> (2 rows affected)
--> (1 rows affected)
--> [name:nvarchar(128) | is_identity:bit | is_rowguidcol:bit]
--> g | 0 | 1
--> id | 1 | 0
--> id | 1 | 0
--> name | 0 | 0
--> (4 rows affected)
--> [has:int | none:int | g:int | id:int]
--> 1 | 0 | 1 | 0
--> (1 rows affected)
CREATE TABLE #t (id bigint IDENTITY, g uniqueidentifier ROWGUIDCOL, v int);
INSERT #t (v) VALUES (7);
SELECT $IDENTITY, $ROWGUID, v FROM #t;
DECLARE @v TABLE (id int IDENTITY, v int);
INSERT @v VALUES (8);
SELECT $IDENTITY, v FROM @v;
GO
--> (1 rows affected)
--> [id:bigint | g:uniqueidentifier | v:int]
--> 1 | NULL | 7
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | v:int]
--> 1 | 8
--> (1 rows affected)
SELECT $ROWGUID FROM uses;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name '$ROWGUID'.
SELECT $IDENTITY FROM parts, uses;
GO
--> Msg 209, Level 16, State 1, Line 1: Ambiguous column name '$IDENTITY'.
UPDATE parts SET $IDENTITY = 1;
GO
--> Msg 8102, Level 16, State 1, Line 1: Cannot update identity column 'id'.
UPDATE uses SET $ROWGUID = NULL;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name '$ROWGUID'.
EXEC ('CREATE TABLE twice (a uniqueidentifier ROWGUIDCOL, b uniqueidentifier ROWGUIDCOL)');
GO
--> Msg 8196, Level 16, State 1, Line 1: Duplicate column specified as ROWGUIDCOL.
EXEC ('CREATE TABLE other (a int ROWGUIDCOL)');
GO
--> Msg 2761, Level 16, State 2, Line 1: The ROWGUIDCOL property can only be specified on the uniqueidentifier data type.
ALTER TABLE parts ADD h uniqueidentifier ROWGUIDCOL;
GO
--> Msg 8196, Level 16, State 1, Line 1: Duplicate column specified as ROWGUIDCOL.
ALTER TABLE uses ADD h uniqueidentifier ROWGUIDCOL;
GO
SELECT $ROWGUID FROM uses WHERE part = 5;
ALTER TABLE uses ALTER COLUMN h varchar(40);
GO
--> [h:uniqueidentifier]
--> NULL
--> (1 rows affected)
SELECT $ROWGUID FROM uses;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name '$ROWGUID'.
-- A view, a derived table and an inline function of one table show what its columns are.
CREATE VIEW seen AS SELECT name AS called, id AS number, g FROM parts WHERE id > 0;
GO
CREATE FUNCTION given (@least int) RETURNS TABLE AS RETURN SELECT id, name FROM parts WHERE id >= @least;
GO
SELECT $IDENTITY, seen.$ROWGUID FROM seen WHERE $IDENTITY = 5;
SELECT d.IDENTITYCOL, d.n FROM (SELECT id AS k, name AS n FROM parts) d WHERE d.$IDENTITY = 5;
WITH c AS (SELECT TOP (1) id FROM parts ORDER BY id) SELECT $IDENTITY FROM c;
SELECT $IDENTITY FROM given(5) WHERE name = 'a';
UPDATE seen SET called = 'A' WHERE $IDENTITY = 5;
SELECT s.$IDENTITY, s.called FROM seen s WHERE s.IDENTITYCOL = 5;
GO
--> [number:int | g:uniqueidentifier]
--> 5 | 00000000-0000-0000-0000-000000000001
--> (1 rows affected)
--> [k:int | n:varchar(10)]
--> 5 | a
--> (1 rows affected)
--> [id:int]
--> 5
--> (1 rows affected)
--> [id:int]
--> 5
--> (1 rows affected)
--> (1 rows affected)
--> [number:int | called:varchar(10)]
--> 5 | A
--> (1 rows affected)
SELECT $IDENTITY FROM (SELECT id + 1 AS k FROM parts) d;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name '$IDENTITY'.
SELECT $IDENTITY FROM (SELECT id FROM parts UNION SELECT id FROM parts) d;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name '$IDENTITY'.
USE master;
DROP DATABASE meant;
GO
