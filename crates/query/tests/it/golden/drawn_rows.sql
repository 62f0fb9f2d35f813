-- A row of constants beside other rows draws its values with each of them (smpetersgithub/AdvancedSQLPuzzles, "Table Types"); a
-- query over a table runs once, whatever it draws.
CREATE TABLE e (id int NOT NULL PRIMARY KEY, n int);
INSERT e VALUES (1, 1), (2, 2), (3, 3);
GO
--> (3 rows affected)
SELECT COUNT(DISTINCT b.u) AS drawn FROM e CROSS JOIN (VALUES (NEWID())) AS b (u);
SELECT COUNT(DISTINCT b.u) AS drawn FROM e, (VALUES (NEWID())) AS b (u);
SELECT COUNT(DISTINCT b.u) AS drawn FROM e CROSS JOIN (SELECT NEWID() AS u) AS b;
SELECT COUNT(DISTINCT b.u) AS drawn FROM e CROSS APPLY (VALUES (NEWID(), e.id)) AS b (u, i) WHERE b.i = e.id;
SELECT COUNT(DISTINCT b.u) AS drawn FROM e CROSS APPLY (SELECT NEWID() AS u) AS b;
SELECT COUNT(DISTINCT b.u) AS drawn FROM e OUTER APPLY (SELECT u FROM (VALUES (1, NEWID())) AS v (i, u)) AS b;
SELECT COUNT(DISTINCT x.u) AS drawn FROM (SELECT (SELECT NEWID()) AS u FROM e) AS x;
SELECT COUNT(DISTINCT b.u) AS drawn FROM e JOIN (SELECT NEWID() AS u) AS b ON e.id > 1 AND b.u IS NOT NULL;
-- One value, however often it is named.
SELECT COUNT(*) AS same FROM e CROSS JOIN (SELECT NEWID() AS u) AS b CROSS APPLY (SELECT b.u AS v) AS c WHERE b.u = c.v;
SELECT SUM(CASE WHEN x.u = x.w THEN 1 ELSE 0 END) AS same FROM (SELECT b.u, b.u AS w FROM e CROSS JOIN (VALUES (NEWID())) AS b (u)) AS x;
-- Changes, and rows of more than one constant.
UPDATE e SET n = ABS(CHECKSUM(b.u)) % 1000000 FROM e CROSS JOIN (VALUES (NEWID())) AS b (u);
SELECT COUNT(DISTINCT n) AS drawn FROM e;
SELECT COUNT(*) AS n, COUNT(DISTINCT b.i) AS i FROM e CROSS JOIN (VALUES (1, NEWID()), (2, NEWID())) AS b (i, u);
-- A query over a table.
SELECT COUNT(DISTINCT x.u) AS drawn FROM (SELECT (SELECT TOP (1) NEWID() FROM e) AS u FROM e) AS x;
-- Sides that stay as they are: rows of an outer join, and values that are not drawn.
SELECT COUNT(*) AS n FROM (VALUES (NEWID())) AS b (u) LEFT JOIN e ON e.id > 5;
SELECT e.id, b.x FROM e CROSS JOIN (VALUES (RAND(1))) AS b (x) WHERE e.id < 2;
GO
--> [drawn:int]
--> 3
--> (1 rows affected)
--> [drawn:int]
--> 3
--> (1 rows affected)
--> [drawn:int]
--> 3
--> (1 rows affected)
--> [drawn:int]
--> 3
--> (1 rows affected)
--> [drawn:int]
--> 3
--> (1 rows affected)
--> [drawn:int]
--> 3
--> (1 rows affected)
--> [drawn:int]
--> 3
--> (1 rows affected)
--> [drawn:int]
--> 2
--> (1 rows affected)
--> [same:int]
--> 3
--> (1 rows affected)
--> [same:int]
--> 3
--> (1 rows affected)
--> (3 rows affected)
--> [drawn:int]
--> 3
--> (1 rows affected)
--> [n:int | i:int]
--> 6 | 2
--> (1 rows affected)
--> [drawn:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [id:int | x:float]
--> 1 | 0.71359199321292355
--> (1 rows affected)
