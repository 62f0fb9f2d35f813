-- differs threads, parameters: it shows plans
-- Recursive common table expressions.
USE tempdb;
GO
CREATE TABLE #staff (id int NOT NULL PRIMARY KEY, boss int NULL, name varchar(20) NOT NULL, INDEX of_boss (boss));
INSERT #staff VALUES (1, NULL, 'Ada'), (2, 1, 'Bob'), (3, 1, 'Cyd'), (4, 2, 'Dan'), (5, 2, 'Eve'), (6, 3, 'Fay'), (7, 6, 'Gus');
GO
--> (7 rows affected)
-- Series, with and without names, in every place of a statement.
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i, i * i AS square FROM n;
WITH n (i, text) AS (SELECT 1, CAST('x' AS varchar(10)) UNION ALL SELECT i + 1, CAST(text + 'x' AS varchar(10)) FROM n AS before WHERE before.i < 3)
SELECT n.text, m.i FROM n JOIN n AS m ON n.i > m.i ORDER BY 1, 2;
WITH d AS (SELECT CAST('20240227' AS date) AS day UNION ALL SELECT DATEADD(day, 1, day) FROM d WHERE day < '20240302')
SELECT day FROM d;
WITH f AS (SELECT 1 AS n, CAST(1 AS bigint) AS a, CAST(1 AS bigint) AS b UNION ALL SELECT n + 1, b, a + b FROM f WHERE n < 20)
SELECT MAX(b) AS fibonacci, COUNT(*) AS n FROM f;
SELECT (SELECT COUNT(*) FROM #staff) AS outside;
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT s.id, (SELECT SUM(i) FROM n WHERE n.i <= s.id) AS total FROM #staff AS s WHERE s.id IN (SELECT i FROM n) ORDER BY 1;
GO
--> [i:int | square:int]
--> 1 | 1
--> 2 | 4
--> 3 | 9
--> 4 | 16
--> 5 | 25
--> (5 rows affected)
--> [text:varchar(10) | i:int]
--> xx | 1
--> xxx | 1
--> xxx | 2
--> (3 rows affected)
--> [day:date]
--> 2024-02-27
--> 2024-02-28
--> 2024-02-29
--> 2024-03-01
--> 2024-03-02
--> (5 rows affected)
--> [fibonacci:bigint | n:int]
--> 10946 | 20
--> (1 rows affected)
--> [outside:int]
--> 7
--> (1 rows affected)
--> [id:int | total:int]
--> 1 | 1
--> 2 | 3
--> 3 | 6
--> 4 | 10
--> (4 rows affected)
-- Hierarchies: the last row first, as SQL Server's stack has it.
WITH tree AS (
    SELECT id, boss, name, 0 AS depth, CAST(name AS varchar(100)) AS path FROM #staff WHERE boss IS NULL
    UNION ALL
    SELECT s.id, s.boss, s.name, t.depth + 1, CAST(t.path + '/' + s.name AS varchar(100)) FROM #staff AS s INNER JOIN tree AS t ON s.boss = t.id)
SELECT id, depth, path FROM tree;
WITH up AS (SELECT id, boss, name FROM #staff WHERE id = 7 UNION ALL SELECT s.id, s.boss, s.name FROM up, #staff AS s WHERE s.id = up.boss)
SELECT name FROM up WHERE id <> 7;
WITH tree AS (SELECT id, 0 AS depth FROM #staff WHERE boss IS NULL UNION ALL SELECT s.id, depth + 1 FROM tree JOIN #staff AS s ON s.boss = tree.id WHERE tree.depth < 2)
SELECT depth, COUNT(*) AS n FROM tree GROUP BY depth ORDER BY depth;
-- A heap without index, a derived table, APPLY, a function, a filter by a subquery, and three tables.
SELECT id, boss INTO #heap FROM #staff;
WITH t AS (SELECT id FROM #heap WHERE boss IS NULL UNION ALL SELECT h.id FROM (SELECT id AS above FROM t) AS d JOIN #heap AS h ON h.boss = d.above)
SELECT id FROM t ORDER BY id;
WITH t AS (SELECT id, 1 AS n FROM #heap WHERE id = 2 UNION ALL SELECT x.id, t.n + 1 FROM t CROSS APPLY (SELECT TOP (1) h.id FROM #heap AS h WHERE h.boss = t.id ORDER BY h.id DESC) AS x)
SELECT id, n FROM t;
WITH t AS (SELECT CAST('a,bc,,d' AS varchar(20)) AS rest, CAST(NULL AS varchar(20)) AS word
    UNION ALL SELECT CAST(SUBSTRING(rest, CHARINDEX(',', rest + ',') + 1, 20) AS varchar(20)), CAST(LEFT(rest, CHARINDEX(',', rest + ',') - 1) AS varchar(20)) FROM t WHERE rest > '')
SELECT word FROM t WHERE word IS NOT NULL;
WITH t AS (SELECT id FROM #staff WHERE id = 1 UNION ALL SELECT s.id FROM t JOIN #staff AS s ON s.boss = t.id AND EXISTS (SELECT 1 FROM #heap AS h WHERE h.boss = s.id))
SELECT id FROM t ORDER BY id;
WITH t AS (SELECT id FROM #staff WHERE id = 1 UNION ALL SELECT s.id FROM t JOIN #heap AS h ON h.boss = t.id JOIN #staff AS s ON s.id = h.id AND s.name <> 'Cyd')
SELECT id FROM t ORDER BY id;
-- A window sees what follows from one row.
WITH t AS (SELECT id, CAST(1 AS bigint) AS place FROM #staff WHERE boss IS NULL UNION ALL
    SELECT s.id, t.place * 10 + ROW_NUMBER() OVER (ORDER BY s.name DESC) FROM t JOIN #staff AS s ON s.boss = t.id)
SELECT id, place FROM t ORDER BY id;
-- Several anchors and members.
WITH t AS (SELECT 1 AS n, 'a' AS way UNION SELECT 1, 'a' UNION ALL SELECT 10, 'b' UNION ALL SELECT n + 1, 'p' FROM t WHERE n % 10 < 2 UNION ALL SELECT n + 100, 'q' FROM t WHERE n < 100)
SELECT n, way FROM t ORDER BY n, way;
GO
--> [id:int | depth:int | path:varchar(100)]
--> 1 | 0 | Ada
--> 2 | 1 | Ada/Bob
--> 3 | 1 | Ada/Cyd
--> 6 | 2 | Ada/Cyd/Fay
--> 7 | 3 | Ada/Cyd/Fay/Gus
--> 4 | 2 | Ada/Bob/Dan
--> 5 | 2 | Ada/Bob/Eve
--> (7 rows affected)
--> [name:varchar(20)]
--> Fay
--> Cyd
--> Ada
--> (3 rows affected)
--> [depth:int | n:int]
--> 0 | 1
--> 1 | 2
--> 2 | 3
--> (3 rows affected)
--> (7 rows affected)
--> [id:int]
--> 1
--> 2
--> 3
--> 4
--> 5
--> 6
--> 7
--> (7 rows affected)
--> [id:int | n:int]
--> 2 | 1
--> 5 | 2
--> (2 rows affected)
--> [word:varchar(20)]
--> a
--> bc
-->
--> d
--> (4 rows affected)
--> [id:int]
--> 1
--> 2
--> 3
--> 6
--> (4 rows affected)
--> [id:int]
--> 1
--> 2
--> 4
--> 5
--> (4 rows affected)
--> [id:int | place:bigint]
--> 1 | 1
--> 2 | 12
--> 3 | 11
--> 4 | 122
--> 5 | 121
--> 6 | 111
--> 7 | 1111
--> (7 rows affected)
--> [n:int | way:varchar(1)]
--> 1 | a
--> 2 | p
--> 10 | b
--> 11 | p
--> 12 | p
--> 101 | q
--> 102 | p
--> 102 | q
--> 110 | q
--> 111 | p
--> 111 | q
--> 112 | p
--> 112 | p
--> 112 | q
--> (14 rows affected)
-- Parameters, INSERT, SELECT INTO, UPDATE, DELETE, views and functions.
DECLARE @from int = 3, @to int = 6;
WITH n AS (SELECT @from AS i UNION ALL SELECT i + 1 FROM n WHERE i < @to) INSERT #heap SELECT i + 100, i FROM n;
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT i INTO #numbers FROM n OPTION (MAXRECURSION 200);
INSERT #numbers SELECT i + 1000 FROM #numbers WHERE i < 3;
SELECT COUNT(*) AS n, SUM(i) AS total FROM #numbers;
WITH t AS (SELECT id FROM #heap WHERE id = 3 UNION ALL SELECT h.id FROM #heap AS h JOIN t ON t.id = h.boss) UPDATE h SET boss = -h.boss FROM #heap AS h JOIN t ON t.id = h.id;
WITH t AS (SELECT 103 AS id UNION ALL SELECT id + 1 FROM t WHERE id < 105) DELETE FROM #heap WHERE id IN (SELECT id FROM t);
SELECT id, boss FROM #heap ORDER BY id;
GO
--> (4 rows affected)
--> (200 rows affected)
--> (2 rows affected)
--> [n:int | total:int]
--> 202 | 22103
--> (1 rows affected)
--> (5 rows affected)
--> (3 rows affected)
--> [id:int | boss:int]
--> 1 | NULL
--> 2 | 1
--> 3 | -1
--> 4 | 2
--> 5 | 2
--> 6 | -3
--> 7 | -6
--> 106 | -6
--> (8 rows affected)
CREATE VIEW dbo.counted AS WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 150) SELECT i FROM n;
GO
CREATE FUNCTION dbo.counting (@low int, @high int) RETURNS TABLE AS
RETURN (WITH n AS (SELECT @low AS i UNION ALL SELECT i + 1 FROM n WHERE i < @high) SELECT i FROM n);
GO
SELECT COUNT(*) AS n FROM dbo.counted OPTION (MAXRECURSION 0);
SELECT s.id, SUM(c.i) AS total FROM #staff AS s CROSS APPLY dbo.counting(s.id - 1, s.id + 1) AS c WHERE s.id < 4 GROUP BY s.id ORDER BY s.id;
SELECT * FROM dbo.counting(7, 9);
GO
--> [n:int]
--> 150
--> (1 rows affected)
--> [id:int | total:int]
--> 1 | 3
--> 2 | 6
--> 3 | 9
--> (3 rows affected)
--> [i:int]
--> 7
--> 8
--> 9
--> (3 rows affected)
SELECT COUNT(*) AS n FROM dbo.counted;
GO
--> [n:int]
--> Msg 530, Level 16, State 1, Line 1: The statement terminated. The maximum recursion 100 has been exhausted before statement completion.
DROP VIEW dbo.counted;
DROP FUNCTION dbo.counting;
GO
SET SHOWPLAN_TEXT ON;
GO
WITH tree AS (SELECT id, 0 AS depth FROM #staff WHERE boss IS NULL UNION ALL SELECT s.id, depth + 1 FROM tree JOIN #staff AS s ON s.boss = tree.id)
SELECT id FROM tree;
GO
--> [StmtText:nvarchar(4000)]
--> WITH tree AS (SELECT id, 0 AS depth FROM #staff WHERE boss IS NULL UNION ALL SELECT s.id, depth + 1 FROM tree JOIN #staff AS s ON s.boss = tree.id)
--> SELECT id FROM tree
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Index Spool
-->        |--Concatenation
-->             |--Compute Scalar(DEFINE:([Expr1001]=(0)))
-->             |    |--Index Seek(OBJECT:([tempdb].[dbo].[#staff].[of_boss]), SEEK:([tempdb].[dbo].[#staff].[boss]=NULL) ORDERED FORWARD)
-->             |--Nested Loops(Inner Join, OUTER REFERENCES:([tempdb].[dbo].[#staff].[id], [Expr1001]))
-->                  |--Table Spool
-->                  |--Compute Scalar(DEFINE:([Expr1002]=[Expr1001]+(1)))
-->                       |--Index Seek(OBJECT:([tempdb].[dbo].[#staff].[of_boss]), SEEK:([tempdb].[dbo].[#staff].[boss]=[tempdb].[dbo].[#staff].[id]) ORDERED FORWARD)
--> (8 rows affected)
SET SHOWPLAN_TEXT OFF;
GO
-- Levels.
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 101) SELECT COUNT(*) AS n FROM n;
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT COUNT(*) AS n, SUM(i) AS total FROM n OPTION (MAXRECURSION 0);
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT TOP (3) i FROM n;
GO
--> [n:int]
--> 101
--> (1 rows affected)
--> [n:int | total:int]
--> 20000 | 200010000
--> (1 rows affected)
--> [i:int]
--> 1
--> 2
--> 3
--> (3 rows affected)
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 102) SELECT COUNT(*) AS n FROM n;
GO
--> [n:int]
--> Msg 530, Level 16, State 1, Line 1: The statement terminated. The maximum recursion 100 has been exhausted before statement completion.
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT i FROM n OPTION (MAXRECURSION 3);
GO
--> [i:int]
--> 1
--> 2
--> 3
--> 4
--> Msg 530, Level 16, State 1, Line 1: The statement terminated. The maximum recursion 3 has been exhausted before statement completion.
BEGIN TRY
    WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) INSERT #numbers SELECT i FROM n OPTION (MAXRECURSION 10);
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number;
END CATCH
SELECT COUNT(*) AS n FROM #numbers;
GO
--> [number:int]
--> 530
--> (1 rows affected)
--> [n:int]
--> 202
--> (1 rows affected)
SELECT 1 AS a OPTION (MAXRECURSION 32768);
GO
--> Msg 310, Level 15, State 1, Line 1: The value 32768 specified for the MAXRECURSION option exceeds the allowed maximum of 32767.
WITH n AS (SELECT 3 AS i UNION ALL SELECT 6 / i - 1 FROM n) SELECT i FROM n;
GO
--> [i:int]
--> 3
--> 1
--> 5
--> 0
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
-- What a recursive expression must not be.
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1.5 FROM n) SELECT i FROM n;
GO
--> Msg 240, Level 16, State 1, Line 2: Types don't match between the anchor and the recursive part in column "i" of recursive query "n".
WITH n AS (SELECT 'a' AS s UNION ALL SELECT s + 'a' FROM n) SELECT s FROM n;
GO
--> Msg 240, Level 16, State 1, Line 1: Types don't match between the anchor and the recursive part in column "s" of recursive query "n".
WITH n AS (SELECT 1 AS i UNION SELECT i + 1 FROM n) SELECT i FROM n;
GO
--> Msg 252, Level 16, State 1, Line 1: Recursive common table expression 'n' does not contain a top-level UNION ALL operator.
WITH n AS (SELECT i + 1 AS i FROM n) SELECT i FROM n;
GO
--> Msg 252, Level 16, State 1, Line 1: Recursive common table expression 'n' does not contain a top-level UNION ALL operator.
WITH n AS (SELECT i + 1 AS i FROM n UNION ALL SELECT 1) SELECT i FROM n;
GO
--> Msg 246, Level 16, State 1, Line 1: No anchor member was specified for recursive query "n".
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n UNION ALL SELECT 2) SELECT i FROM n;
GO
--> Msg 247, Level 16, State 1, Line 1: An anchor member was found in the recursive part of recursive query "n".
WITH n AS (SELECT 1 AS i UNION ALL SELECT a.i + 1 FROM n AS a, n AS b) SELECT i FROM n;
GO
--> Msg 253, Level 16, State 1, Line 1: Recursive member of a common table expression 'n' has multiple recursive references.
WITH n AS (SELECT 1 AS i UNION ALL SELECT DISTINCT i + 1 FROM n) SELECT i FROM n;
GO
--> Msg 460, Level 16, State 1, Line 1: DISTINCT operator is not allowed in the recursive part of a recursive common table expression 'n'.
WITH n AS (SELECT 1 AS i UNION ALL SELECT TOP (1) i + 1 FROM n) SELECT i FROM n;
GO
--> Msg 461, Level 16, State 1, Line 1: The TOP or OFFSET operator is not allowed in the recursive part of a recursive common table expression 'n'.
WITH n AS (SELECT 1 AS i UNION ALL SELECT s.id FROM #staff AS s LEFT JOIN n ON n.i = s.boss) SELECT i FROM n;
GO
--> Msg 462, Level 16, State 1, Line 1: Outer join is not allowed in the recursive part of a recursive common table expression 'n'.
WITH n AS (SELECT 1 AS i UNION ALL SELECT s.id FROM n OUTER APPLY (SELECT id FROM #staff WHERE boss = n.i) AS s) SELECT i FROM n;
GO
--> Msg 462, Level 16, State 1, Line 1: Outer join is not allowed in the recursive part of a recursive common table expression 'n'.
WITH n AS (SELECT 1 AS i UNION ALL SELECT s.id FROM #staff AS s JOIN n ON n.i = s.boss WHERE s.id NOT IN (SELECT i FROM n)) SELECT i FROM n;
GO
--> Msg 465, Level 16, State 1, Line 1: Recursive references are not allowed in subqueries.
WITH n AS (SELECT 1 AS i UNION ALL (SELECT i + 1 FROM n UNION SELECT i FROM n)) SELECT i FROM n;
GO
--> Msg 253, Level 16, State 1, Line 1: Recursive member of a common table expression 'n' has multiple recursive references.
WITH n AS (SELECT 1 AS i UNION ALL SELECT MAX(i) + 1 FROM n) SELECT i FROM n;
GO
--> Msg 467, Level 16, State 1, Line 1: GROUP BY, HAVING, or aggregate functions are not allowed in the recursive part of a recursive common table expression 'n'.
WITH n AS (SELECT 1 AS i UNION ALL SELECT i FROM n GROUP BY i) SELECT i FROM n;
GO
--> Msg 467, Level 16, State 1, Line 1: GROUP BY, HAVING, or aggregate functions are not allowed in the recursive part of a recursive common table expression 'n'.
WITH n AS (SELECT 1 AS i UNION ALL SELECT i FROM n GROUP BY ROLLUP (i)) SELECT i FROM n;
GO
--> Msg 467, Level 16, State 1, Line 1: GROUP BY, HAVING, or aggregate functions are not allowed in the recursive part of a recursive common table expression 'n'.
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1, 2 FROM n) SELECT i FROM n;
GO
--> Msg 205, Level 16, State 1, Line 1: All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions in their target lists.
WITH n AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT * FROM n;
GO
--> Msg 8155, Level 16, State 2, Line 1: No column name was specified for column 1 of 'n'.
WITH n (a, b) AS (SELECT 1 UNION ALL SELECT a FROM n) SELECT * FROM n;
GO
--> Msg 8159, Level 16, State 1, Line 1: 'n' has fewer columns than were specified in the column list.
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WITH (NOLOCK)) SELECT i FROM n;
GO
--> Msg 4150, Level 16, State 1, Line 1: Hints are not allowed on recursive common table expression (CTE) references. Consider removing hint from recursive CTE reference 'n'.
