-- In a derived table each SELECT of a UNION may have an ORDER BY for its own TOP.
CREATE TABLE t (a int, b int);
INSERT t VALUES (1, 9), (2, 8), (3, 7), (4, 6), (5, 5);
GO
--> (5 rows affected)
SELECT x.a FROM (SELECT TOP (1) a FROM t ORDER BY b UNION SELECT TOP (2) a FROM t ORDER BY a) AS x ORDER BY x.a;
GO
--> [a:int]
--> 1
--> 2
--> 5
--> (3 rows affected)
SELECT x.a FROM (SELECT TOP (1) a FROM t ORDER BY a DESC UNION ALL SELECT TOP (1) a FROM t ORDER BY a DESC UNION ALL SELECT 7) AS x ORDER BY x.a;
GO
--> [a:int]
--> 5
--> 5
--> 7
--> (3 rows affected)
WITH x AS (SELECT TOP (2) a FROM t ORDER BY a DESC EXCEPT SELECT TOP (1) a FROM t ORDER BY b) SELECT a FROM x;
GO
--> [a:int]
--> 4
--> (1 rows affected)
SELECT x.a FROM (SELECT a FROM t UNION SELECT 0 ORDER BY a OFFSET 0 ROWS FETCH NEXT 2 ROWS ONLY) AS x ORDER BY x.a;
GO
--> [a:int]
--> 0
--> 1
--> (2 rows affected)
-- Not where the query is a statement, and not without TOP.
SELECT TOP (1) a FROM t ORDER BY a UNION SELECT 7;
GO
--> Msg 156, Level 15, State 1, Line 2: Incorrect syntax near the keyword 'UNION'.
SELECT x.a FROM (SELECT a FROM t ORDER BY a UNION SELECT 7) AS x;
GO
--> [a:int]
--> 1
--> 2
--> 3
--> 4
--> 5
--> 7
--> (6 rows affected)
DROP TABLE t;
GO
