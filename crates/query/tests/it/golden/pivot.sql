-- PIVOT and UNPIVOT.
USE tempdb;
GO
CREATE TABLE #sales (region varchar(10), year int, quarter char(2), amount decimal(9, 2), note xml NULL);
INSERT #sales (region, year, quarter, amount) VALUES
    ('north', 2024, 'Q1', 10), ('north', 2024, 'Q1', 5.5), ('north', 2024, 'Q2', 20), ('north', 2025, 'Q1', 7),
    ('south', 2024, 'q1', 1), ('south', 2024, 'Q3', NULL), ('south', 2024, 'Q4', 4), (NULL, 2024, 'Q1', 100);
GO
--> (8 rows affected)
-- Grouped by all columns that are neither aggregated nor turned; texts by their collation.
SELECT * FROM (SELECT region, year, quarter, amount FROM #sales) AS s
PIVOT (SUM(amount) FOR quarter IN ([Q1], [Q2], [Q3], Q4)) AS p ORDER BY region, year;
SELECT region, [2024], [2025] FROM (SELECT region, year, amount FROM #sales) AS s
PIVOT (COUNT(amount) FOR s.year IN ([2024], [2025])) AS p ORDER BY region;
SELECT p.[2025] - p.[2024] AS change, p.region
FROM (SELECT region, year, amount FROM #sales WHERE region IS NOT NULL) AS s PIVOT (MAX(amount) FOR year IN ([2024], [2025])) p
WHERE p.[2024] > 1 ORDER BY p.region;
-- Without a column to group by: one row, also of nothing.
SELECT * FROM (SELECT quarter, amount FROM #sales) AS s PIVOT (AVG(amount) FOR quarter IN ([Q1], [Q9])) AS p;
SELECT * FROM (SELECT quarter, amount FROM #sales WHERE 1 = 0) AS s PIVOT (COUNT(amount) FOR quarter IN ([Q1])) AS p;
GO
--> [region:varchar(10) | year:int | Q1:decimal(38,2) | Q2:decimal(38,2) | Q3:decimal(38,2) | Q4:decimal(38,2)]
--> NULL | 2024 | 100.00 | NULL | NULL | NULL
--> north | 2024 | 15.50 | 20.00 | NULL | NULL
--> north | 2025 | 7.00 | NULL | NULL | NULL
--> south | 2024 | 1.00 | NULL | NULL | 4.00
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (4 rows affected)
--> [region:varchar(10) | 2024:int | 2025:int]
--> NULL | 1 | 0
--> north | 3 | 1
--> south | 2 | 0
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
--> [change:decimal(10,2) | region:varchar(10)]
--> -13.00 | north
--> NULL | south
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (2 rows affected)
--> [Q1:decimal(38,6) | Q9:decimal(38,6)]
--> 24.700000 | NULL
--> (1 rows affected)
--> [Q1:int]
--> 0
--> (1 rows affected)
-- One PIVOT over another, joined, in a CTE, with other types of column.
SELECT p.region, p.[Q1], r.name
FROM (SELECT region, quarter, amount FROM #sales WHERE year = 2024) AS s PIVOT (MIN(amount) FOR quarter IN ([Q1], [Q2])) AS p
JOIN (VALUES ('north', 'N'), ('south', 'S')) AS r (region, name) ON r.region = p.region ORDER BY p.region;
WITH s AS (SELECT region, year, quarter, amount FROM #sales)
SELECT * FROM s PIVOT (SUM(amount) FOR quarter IN ([Q1], [Q4])) AS a
PIVOT (MAX(Q1) FOR year IN ([2024], [2025])) AS b ORDER BY region, Q4;
SELECT * FROM (VALUES (CAST('20240101' AS date), 1), ('20240102', 2), ('20240101', 3)) AS d (day, n)
PIVOT (SUM(n) FOR day IN ([2024-01-01], [2024-01-02], [2024-01-03])) AS p;
SELECT * FROM (VALUES (CAST(1 AS bit), 1.5e0), (0, 2), (1, 4)) AS d (flag, x) PIVOT (STDEV(x) FOR flag IN ([0], [1])) AS p;
GO
--> [region:varchar(10) | Q1:decimal(9,2) | name:varchar(1)]
--> north | 5.50 | N
--> south | 1.00 | S
--> (2 rows affected)
--> [region:varchar(10) | Q4:decimal(38,2) | 2024:decimal(38,2) | 2025:decimal(38,2)]
--> NULL | NULL | 100.00 | NULL
--> north | NULL | 15.50 | 7.00
--> south | 4.00 | 1.00 | NULL
--> (3 rows affected)
--> [2024-01-01:int | 2024-01-02:int | 2024-01-03:int]
--> 4 | 2 | NULL
--> (1 rows affected)
--> [0:float | 1:float]
--> NULL | 1.7677669529663689
--> (1 rows affected)
-- Over a join.
SELECT * FROM (VALUES (1, 'x'), (2, 'y')) AS k (id, word) JOIN (VALUES (1, 5), (1, 6), (2, 7)) AS v (key_id, n) ON v.key_id = k.id
PIVOT (SUM(n) FOR word IN (x, y)) AS p ORDER BY id;
GO
--> [id:int | key_id:int | x:int | y:int]
--> 1 | 1 | 11 | NULL
--> 2 | 2 | NULL | 7
--> (2 rows affected)
-- What is wrong.
SELECT * FROM (SELECT region, year, amount FROM #sales) AS s PIVOT (SUM(amount) FOR year IN ([2024], [next])) AS p;
GO
--> Msg 473, Level 16, State 1, Line 2: The incorrect value "next" is supplied in the PIVOT operator.
SELECT * FROM #sales PIVOT (SUM(amount) FOR quarter IN ([Q1])) AS p;
GO
--> Msg 488, Level 16, State 1, Line 1: Pivot grouping columns must be comparable. The type of column "note" is "xml", which is not comparable.
SELECT * FROM (SELECT region, year, amount FROM #sales) AS s PIVOT (SUM(total) FOR year IN ([2024])) AS p;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'total'.
SELECT * FROM (SELECT region, year, amount FROM #sales) AS s PIVOT (SUM(amount) FOR t.year IN ([2024])) AS p;
GO
--> Msg 4104, Level 16, State 1, Line 1: The multi-part identifier "t.year" could not be bound.
SELECT * FROM (SELECT region, year, amount FROM #sales) AS s PIVOT (SUM(region) FOR year IN ([2024])) AS p;
GO
--> Msg 8117, Level 16, State 1, Line 1: Operand data type varchar is invalid for sum operator.
SELECT * FROM (SELECT region, year, amount FROM #sales) AS s PIVOT (UPPER(region) FOR year IN ([2024])) AS p;
GO
--> Msg 195, Level 15, State 1, Line 1: 'UPPER' is not a recognized aggregate function.
SELECT * FROM (SELECT region, year, amount FROM #sales) AS s PIVOT (COUNT(*) FOR year IN ([2024])) AS p;
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '*'.
SELECT * FROM (SELECT region, year, amount FROM #sales) AS s PIVOT (SUM(amount) FOR year IN ([2024], [2024])) AS p;
GO
--> Msg 8156, Level 16, State 1, Line 1: The column '2024' was specified multiple times for 'p'.
SELECT * FROM (SELECT region AS [2024], year, amount FROM #sales) AS s PIVOT (SUM(amount) FOR year IN ([2024])) AS p;
GO
--> Msg 265, Level 16, State 1, Line 1: The column name "2024" specified in the PIVOT operator conflicts with the existing column name in the PIVOT argument.
SELECT * FROM (SELECT a.region, b.region AS r, a.year, a.amount FROM #sales a, #sales b) AS s PIVOT (SUM(amount) FOR year IN ([1])) AS p
WHERE s.region = 'north';
GO
--> Msg 4104, Level 16, State 1, Line 2: The multi-part identifier "s.region" could not be bound.
SELECT * FROM #sales a JOIN #sales b ON a.region = b.region PIVOT (SUM(amount) FOR year IN ([1])) AS p;
GO
--> Msg 209, Level 16, State 1, Line 1: Ambiguous column name 'year'.
-- UNPIVOT: rows in the order of the list, without NULLs.
CREATE TABLE #wide (id int NOT NULL, a int, b int, c int NOT NULL, d bigint, e varchar(5), f varchar(6));
INSERT #wide VALUES (1, 10, NULL, 12, 13, 'x', 'y'), (2, NULL, NULL, 22, 23, NULL, 'z'), (3, 30, 31, 32, 33, 'p', 'q');
GO
--> (3 rows affected)
SELECT id, col, val FROM #wide UNPIVOT (val FOR col IN (a, b, C)) AS u ORDER BY id, col;
SELECT * FROM (SELECT id, a, b FROM #wide) AS w UNPIVOT (val FOR col IN (w.b, w.a)) AS u;
SELECT u.col, SUM(u.val) AS total, COUNT(*) AS n FROM #wide AS w UNPIVOT (val FOR col IN (a, b, c)) AS u
WHERE u.id > 1 GROUP BY u.col ORDER BY 1;
-- There and back.
SELECT * FROM (SELECT id, col, val FROM #wide UNPIVOT (val FOR col IN (a, b, c)) AS u) AS s
PIVOT (MAX(val) FOR col IN (a, b, c)) AS p ORDER BY id;
-- Into a table; with a variable; in an expression.
DECLARE @id int = 3;
SELECT id, col, val INTO #long FROM #wide UNPIVOT (val FOR col IN (a, b)) AS u WHERE id = @id;
SELECT * FROM #long ORDER BY col;
SELECT w.id, (SELECT COUNT(*) FROM #wide UNPIVOT (val FOR col IN (a, b)) AS u WHERE u.id = w.id) AS n FROM #wide AS w ORDER BY w.id;
UPDATE w SET d = u.val FROM #wide AS w JOIN (SELECT id, val FROM #wide UNPIVOT (val FOR col IN (b)) AS p) AS u ON u.id = w.id;
SELECT id, d FROM #wide ORDER BY id;
GO
--> [id:int | col:nvarchar(128) | val:int]
--> 1 | a | 10
--> 1 | c | 12
--> 2 | c | 22
--> 3 | a | 30
--> 3 | b | 31
--> 3 | c | 32
--> (6 rows affected)
--> [id:int | val:int | col:nvarchar(128)]
--> 1 | 10 | a
--> 3 | 31 | b
--> 3 | 30 | a
--> (3 rows affected)
--> [col:nvarchar(128) | total:int | n:int]
--> a | 30 | 1
--> b | 31 | 1
--> c | 54 | 2
--> (3 rows affected)
--> [id:int | a:int | b:int | c:int]
--> 1 | 10 | NULL | 12
--> 2 | NULL | NULL | 22
--> 3 | 30 | 31 | 32
--> (3 rows affected)
--> (2 rows affected)
--> [id:int | col:nvarchar(128) | val:int]
--> 3 | a | 30
--> 3 | b | 31
--> (2 rows affected)
--> [id:int | n:int]
--> 1 | 1
--> 2 | 0
--> 3 | 2
--> (3 rows affected)
--> (1 rows affected)
--> [id:int | d:bigint]
--> 1 | 13
--> 2 | 23
--> 3 | 31
--> (3 rows affected)
SELECT * FROM #wide UNPIVOT (val FOR col IN (a, d)) AS u;
GO
--> Msg 8167, Level 16, State 1, Line 1: The type of column "d" conflicts with the type of other columns specified in the UNPIVOT list.
SELECT * FROM #wide UNPIVOT (val FOR col IN (e, f)) AS u;
GO
--> Msg 8167, Level 16, State 1, Line 1: The type of column "f" conflicts with the type of other columns specified in the UNPIVOT list.
SELECT * FROM #wide UNPIVOT (val FOR col IN (a, a)) AS u;
GO
--> Msg 277, Level 16, State 1, Line 1: The column "a" is specified multiple times in the column list of the UNPIVOT operator.
SELECT * FROM #wide UNPIVOT (id FOR col IN (a, b)) AS u;
GO
--> Msg 265, Level 16, State 1, Line 1: The column name "id" specified in the UNPIVOT operator conflicts with the existing column name in the UNPIVOT argument.
SELECT * FROM #wide UNPIVOT (val FOR val IN (a, b)) AS u;
GO
--> Msg 8156, Level 16, State 1, Line 1: The column 'val' was specified multiple times for 'u'.
SELECT * FROM #wide UNPIVOT (val FOR col IN (a, nope)) AS u;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
