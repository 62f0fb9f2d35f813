-- An aggregate whose argument has only columns of an outer query belongs to that query.
CREATE TABLE #t (g int, a int, b int);
INSERT #t VALUES (1, 1, 10), (1, 2, 5), (2, 3, 7);
SET NOCOUNT ON;
GO
--> (3 rows affected)
SELECT (SELECT MAX(t.a)) AS m FROM #t AS t;
SELECT (SELECT MAX(x) FROM (VALUES (MAX(a)), (MAX(b))) AS v (x)) AS m FROM #t;
SELECT g, (SELECT MAX(x) FROM (VALUES (MAX(a)), (SUM(b))) AS v (x)) AS m FROM #t GROUP BY g ORDER BY g;
SELECT g, (SELECT SUM(t.a) + COUNT(*) FROM #t AS u WHERE u.g = t.g) AS m FROM #t AS t GROUP BY g ORDER BY g;
SELECT g FROM #t AS t GROUP BY g HAVING (SELECT MAX(t.a) - MIN(u.a) FROM #t AS u) >= 2;
SELECT g, (SELECT (SELECT MAX(t.b) + MAX(u.a)) FROM #t AS u) AS m FROM #t AS t GROUP BY g ORDER BY g;
SELECT (SELECT COUNT(t.a) FROM (SELECT 1 AS one) AS d) AS n FROM #t AS t WHERE a > 99;
-- With a column of its own it is of its own query.
SELECT g, a, (SELECT MAX(u.a + t.a) FROM #t AS u) AS m FROM #t AS t ORDER BY a;
SELECT g, a, (SELECT MAX(1) FROM #t AS u WHERE u.a > t.a) AS m FROM #t AS t ORDER BY a;
GO
--> [m:int]
--> 3
--> [m:int]
--> 10
--> [g:int | m:int]
--> 1 | 15
--> 2 | 7
--> [g:int | m:int]
--> 1 | 5
--> 2 | 4
--> [g:int]
--> 2
--> [g:int | m:int]
--> 1 | 13
--> 2 | 10
--> [n:int]
--> 0
--> [g:int | a:int | m:int]
--> 1 | 1 | 4
--> 1 | 2 | 5
--> 2 | 3 | 6
--> [g:int | a:int | m:int]
--> 1 | 1 | 1
--> 1 | 2 | 1
--> 2 | 3 | NULL
SELECT g, (SELECT MAX(t.a)) AS m FROM #t AS t;
GO
--> Msg 8120, Level 16, State 1, Line 1: Column 't.g' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
SELECT (SELECT t.a + MAX(t.b)) AS m FROM #t AS t;
GO
--> Msg 8120, Level 16, State 1, Line 1: Column 't.a' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
