-- TOP, OFFSET and FETCH count by columns of an outer query; columns of their own query are refused (4115).
CREATE DATABASE counted;
GO
USE counted;
GO
CREATE TABLE wants (id int PRIMARY KEY, n int, skip int);
CREATE TABLE goods (id int PRIMARY KEY, want int, price int);
INSERT wants VALUES (1, 2, 0), (2, 1, 1), (3, 0, 0);
INSERT goods VALUES (1, 1, 10), (2, 1, 20), (3, 1, 30), (4, 2, 40), (5, 2, 50), (6, 3, 60);
GO
--> (3 rows affected)
--> (6 rows affected)
SELECT w.id, g.price FROM wants w CROSS APPLY (SELECT TOP (w.n) price FROM goods WHERE want = w.id ORDER BY price) g ORDER BY w.id, g.price;
SELECT w.id, g.price FROM wants w OUTER APPLY (SELECT TOP (w.n) WITH TIES price FROM goods WHERE want = w.id ORDER BY price) g ORDER BY w.id, g.price;
SELECT w.id, g.price FROM wants w CROSS APPLY (SELECT TOP (w.n * 50) PERCENT price FROM goods WHERE want = w.id ORDER BY price) g ORDER BY w.id, g.price;
GO
--> [id:int | price:int]
--> 1 | 10
--> 1 | 20
--> 2 | 40
--> (3 rows affected)
--> [id:int | price:int]
--> 1 | 10
--> 1 | 20
--> 2 | 40
--> 3 | NULL
--> (4 rows affected)
--> [id:int | price:int]
--> 1 | 10
--> 1 | 20
--> 1 | 30
--> 2 | 40
--> (4 rows affected)
SELECT w.id, g.price FROM wants w CROSS APPLY (SELECT price FROM goods WHERE want = w.id ORDER BY price OFFSET w.skip ROWS) g ORDER BY w.id, g.price;
SELECT w.id, g.price FROM wants w CROSS APPLY
  (SELECT price FROM goods WHERE want = w.id ORDER BY price OFFSET w.skip ROWS FETCH NEXT w.n + 1 ROWS ONLY) g ORDER BY w.id, g.price;
SELECT w.id, g.price FROM wants w CROSS APPLY
  (SELECT price FROM goods WHERE want = w.id UNION ALL SELECT -w.id ORDER BY price OFFSET w.skip ROWS FETCH NEXT (w.n + 1) ROWS ONLY) g ORDER BY w.id, g.price;
GO
--> [id:int | price:int]
--> 1 | 10
--> 1 | 20
--> 1 | 30
--> 2 | 50
--> 3 | 60
--> (5 rows affected)
--> [id:int | price:int]
--> 1 | 10
--> 1 | 20
--> 1 | 30
--> 2 | 50
--> 3 | 60
--> (5 rows affected)
--> [id:int | price:int]
--> 1 | -1
--> 1 | 10
--> 1 | 20
--> 2 | 40
--> 2 | 50
--> 3 | -3
--> (6 rows affected)
SELECT w.id, (SELECT SUM(price) FROM (SELECT TOP (w.n) price FROM goods ORDER BY price) AS first) AS total FROM wants w ORDER BY w.id;
SELECT w.id FROM wants w WHERE EXISTS (SELECT TOP (w.n) 1 FROM goods) ORDER BY w.id;
SELECT w.id FROM wants w WHERE 20 IN (SELECT TOP (w.n) price FROM goods ORDER BY price) ORDER BY w.id;
SELECT w.id, g.price FROM wants w CROSS APPLY (SELECT TOP ((SELECT MAX(n) FROM wants v WHERE v.id <= w.id) - 1) price FROM goods ORDER BY price) g ORDER BY w.id, g.price;
SELECT w.id, g.price FROM wants w CROSS APPLY (SELECT DISTINCT TOP (w.n) price FROM goods ORDER BY price DESC) g ORDER BY w.id, g.price;
SELECT w.id, v.x FROM wants w CROSS APPLY (SELECT TOP (w.n) x FROM (VALUES (1), (2), (3)) v (x) ORDER BY x DESC) v ORDER BY w.id, v.x;
GO
--> [id:int | total:int]
--> 1 | 30
--> 2 | 10
--> 3 | NULL
--> (3 rows affected)
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int | price:int]
--> 1 | 10
--> 2 | 10
--> 3 | 10
--> (3 rows affected)
--> [id:int | price:int]
--> 1 | 50
--> 1 | 60
--> 2 | 60
--> (3 rows affected)
--> [id:int | x:int]
--> 1 | 2
--> 1 | 3
--> 2 | 3
--> (3 rows affected)
CREATE FUNCTION dbo.cheapest (@n int) RETURNS TABLE AS RETURN SELECT TOP (@n) price FROM dbo.goods ORDER BY price;
GO
SELECT w.id, c.price FROM wants w CROSS APPLY dbo.cheapest(w.n) c ORDER BY w.id, c.price;
UPDATE goods SET price = (SELECT MAX(id) FROM (SELECT TOP (goods.want) id FROM wants ORDER BY id) w);
SELECT id, price FROM goods ORDER BY id;
GO
--> [id:int | price:int]
--> 1 | 10
--> 1 | 20
--> 2 | 10
--> (3 rows affected)
--> (6 rows affected)
--> [id:int | price:int]
--> 1 | 1
--> 2 | 1
--> 3 | 1
--> 4 | 2
--> 5 | 2
--> 6 | 3
--> (6 rows affected)
UPDATE wants SET n = -1 WHERE id = 3;
SELECT w.id, g.price FROM wants w CROSS APPLY (SELECT TOP (w.n) price FROM goods) g ORDER BY w.id;
GO
--> (1 rows affected)
--> [id:int | price:int]
--> Msg 127, Level 15, State 1, Line 2: A TOP N or FETCH rowcount value may not be negative.
UPDATE wants SET n = NULL WHERE id = 3;
SELECT w.id, g.price FROM wants w CROSS APPLY (SELECT TOP (w.n) price FROM goods) g ORDER BY w.id;
GO
--> (1 rows affected)
--> [id:int | price:int]
--> Msg 1060, Level 15, State 1, Line 2: The number of rows provided for a TOP or FETCH clauses row count parameter must be an integer.
SELECT TOP (n) id FROM wants;
GO
--> Msg 4115, Level 15, State 1, Line 1: The reference to column "n" is not allowed in an argument to a TOP, OFFSET, or FETCH clause. Only references to columns at an outer scope or standalone expressions and subqueries are allowed here.
SELECT w.id, g.price FROM wants w CROSS APPLY (SELECT TOP (g.want) price FROM goods g) g;
GO
--> Msg 4115, Level 15, State 1, Line 1: The reference to column "want" is not allowed in an argument to a TOP, OFFSET, or FETCH clause. Only references to columns at an outer scope or standalone expressions and subqueries are allowed here.
SELECT id FROM wants ORDER BY id OFFSET skip ROWS;
GO
--> Msg 4115, Level 15, State 1, Line 1: The reference to column "skip" is not allowed in an argument to a TOP, OFFSET, or FETCH clause. Only references to columns at an outer scope or standalone expressions and subqueries are allowed here.
SELECT id FROM wants ORDER BY id OFFSET 0 ROWS FETCH NEXT (SELECT wants.n) ROWS ONLY;
GO
--> Msg 4115, Level 15, State 1, Line 1: The reference to column "n" is not allowed in an argument to a TOP, OFFSET, or FETCH clause. Only references to columns at an outer scope or standalone expressions and subqueries are allowed here.
DELETE TOP (n) FROM wants;
GO
--> Msg 4115, Level 15, State 1, Line 1: The reference to column "n" is not allowed in an argument to a TOP, OFFSET, or FETCH clause. Only references to columns at an outer scope or standalone expressions and subqueries are allowed here.
SELECT TOP (nothing) id FROM wants;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
DROP FUNCTION dbo.cheapest;
DROP TABLE wants, goods;
USE master;
DROP DATABASE counted;
GO
