-- Table-valued functions of the user, and APPLY.
USE tempdb;
GO
CREATE FUNCTION dbo.span (@low int, @high int = 3) RETURNS TABLE AS
RETURN (SELECT value AS v, value * @low AS scaled FROM (VALUES (1), (2), (3), (4), (5)) AS n(value)
        WHERE value BETWEEN @low AND @high AND EXISTS (SELECT 1 WHERE @low > 0))
GO
CREATE FUNCTION dbo.count_to (@n int) RETURNS @r TABLE (i int NOT NULL, square bigint, word varchar(10) DEFAULT 'w') AS
BEGIN
    DECLARE @i int = 0;
    WHILE @i < @n
    BEGIN
        SET @i += 1;
        INSERT @r (i, square) VALUES (@i, @i * @i);
    END
    UPDATE @r SET word = 'even' WHERE i % 2 = 0;
    RETURN;
END
GO
SELECT * FROM dbo.span(2, 4) ORDER BY v;
SELECT s.v FROM dbo.span(1, DEFAULT) AS s ORDER BY v;
SELECT * FROM tempdb.dbo.count_to(4) ORDER BY i;
SELECT c.a, c.b FROM dbo.count_to(2) AS c(a, b, d) ORDER BY 1;
DECLARE @n int = 2;
SELECT COUNT(*) AS n, SUM(a.i * b.v) AS total FROM dbo.count_to(@n + 1) AS a JOIN dbo.span(@n, 5) AS b ON a.i = b.v;
GO
--> [v:int | scaled:int]
--> 2 | 4
--> 3 | 6
--> 4 | 8
--> (3 rows affected)
--> [v:int]
--> 1
--> 2
--> 3
--> (3 rows affected)
--> [i:int | square:bigint | word:varchar(10)]
--> 1 | 1 | w
--> 2 | 4 | even
--> 3 | 9 | w
--> 4 | 16 | even
--> (4 rows affected)
--> [a:int | b:bigint]
--> 1 | 1
--> 2 | 4
--> (2 rows affected)
--> [n:int | total:int]
--> 2 | 13
--> (1 rows affected)
-- APPLY: joins where they can be, else the right side for every left row.
CREATE TABLE #t (id int, k int);
INSERT #t VALUES (1, 1), (2, 4), (3, 9), (4, NULL);
GO
--> (4 rows affected)
SELECT t.id, s.v FROM #t AS t CROSS APPLY dbo.span(t.k, 5) AS s ORDER BY t.id, s.v;
SELECT t.id, s.v, s.scaled FROM #t AS t OUTER APPLY dbo.span(t.k, 5) AS s WHERE t.id > 1 ORDER BY t.id, s.v;
SELECT t.id, c.i, c.word FROM #t AS t CROSS APPLY dbo.count_to(t.id) AS c WHERE c.i > 1 ORDER BY t.id, c.i;
SELECT t.id, c.square FROM #t AS t OUTER APPLY dbo.count_to(t.k - 8) AS c ORDER BY t.id;
GO
--> [id:int | v:int]
--> 1 | 1
--> 1 | 2
--> 1 | 3
--> 1 | 4
--> 1 | 5
--> 2 | 4
--> 2 | 5
--> (7 rows affected)
--> [id:int | v:int | scaled:int]
--> 2 | 4 | 16
--> 2 | 5 | 20
--> 3 | NULL | NULL
--> 4 | NULL | NULL
--> (4 rows affected)
--> [id:int | i:int | word:varchar(10)]
--> 2 | 2 | even
--> 3 | 2 | even
--> 3 | 3 | w
--> 4 | 2 | even
--> 4 | 3 | w
--> 4 | 4 | even
--> (6 rows affected)
--> [id:int | square:bigint]
--> 1 | NULL
--> 2 | NULL
--> 3 | 1
--> 4 | NULL
--> (4 rows affected)
SELECT t.id, d.best FROM #t AS t CROSS APPLY (SELECT MAX(u.k) AS best FROM #t AS u WHERE u.id < t.id) AS d ORDER BY t.id;
SELECT t.id, d.id FROM #t AS t CROSS APPLY (SELECT TOP 1 u.id FROM #t AS u WHERE u.id > t.id ORDER BY u.id) AS d ORDER BY t.id;
SELECT t.id, d.other FROM #t AS t OUTER APPLY (SELECT TOP 1 u.id AS other FROM #t AS u WHERE u.id > t.id ORDER BY u.id) AS d ORDER BY t.id;
SELECT t.id, d.sum2 FROM #t AS t CROSS APPLY (SELECT t.id + t.k AS sum2) AS d WHERE d.sum2 > 2 ORDER BY 1;
SELECT t.id, x.one, y.two FROM #t AS t CROSS APPLY (SELECT t.id * 10 AS one) AS x CROSS APPLY (SELECT x.one + 1 AS two) AS y ORDER BY 1;
GO
--> [id:int | best:int]
--> 1 | NULL
--> 2 | 1
--> 3 | 4
--> 4 | 9
--> (4 rows affected)
--> [id:int | id:int]
--> 1 | 2
--> 2 | 3
--> 3 | 4
--> (3 rows affected)
--> [id:int | other:int]
--> 1 | 2
--> 2 | 3
--> 3 | 4
--> 4 | NULL
--> (4 rows affected)
--> [id:int | sum2:int]
--> 2 | 6
--> 3 | 12
--> (2 rows affected)
--> [id:int | one:int | two:int]
--> 1 | 10 | 11
--> 2 | 20 | 21
--> 3 | 30 | 31
--> 4 | 40 | 41
--> (4 rows affected)
-- Inside of a subquery: arguments see the outer query.
SELECT id FROM #t AS t WHERE EXISTS (SELECT * FROM dbo.count_to(t.id) AS c WHERE c.square > 5) ORDER BY id;
SELECT id, (SELECT SUM(i) FROM dbo.count_to(t.id)) AS total, (SELECT MAX(v) FROM dbo.span(t.id, 5)) AS most FROM #t AS t ORDER BY id;
SELECT id FROM #t AS t WHERE id IN (SELECT d.v FROM (VALUES (2), (3)) AS o(p) CROSS APPLY (SELECT o.p + t.k - 4 AS v) AS d) ORDER BY id;
GO
--> [id:int]
--> 3
--> 4
--> (2 rows affected)
--> [id:int | total:int | most:int]
--> 1 | 1 | 5
--> 2 | 3 | 5
--> 3 | 6 | 5
--> 4 | 10 | 5
--> (4 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
-- A function over a function; in INSERT and UPDATE; changed while it is bound.
CREATE FUNCTION dbo.spans (@low int) RETURNS TABLE AS
RETURN SELECT a.v, c.i FROM dbo.span(@low, @low + 1) AS a CROSS APPLY dbo.count_to(a.v - 1) AS c
GO
CREATE PROCEDURE dbo.show AS SELECT v, i FROM dbo.spans(2) ORDER BY v, i;
GO
EXEC show;
GO
--> [v:int | i:int]
--> 2 | 1
--> 3 | 1
--> 3 | 2
--> (3 rows affected)
ALTER FUNCTION dbo.spans (@low int) RETURNS TABLE AS RETURN SELECT @low AS v, 0 AS i
GO
EXEC show;
GO
--> [v:int | i:int]
--> 2 | 0
--> (1 rows affected)
INSERT #t SELECT i + 10, square FROM dbo.count_to(2);
UPDATE t SET k = s.i FROM #t AS t CROSS APPLY dbo.spans(t.id) AS s WHERE t.id > 10;
SELECT id, k FROM #t WHERE id > 10 ORDER BY id;
GO
--> (2 rows affected)
--> (2 rows affected)
--> [id:int | k:int]
--> 11 | 0
--> 12 | 0
--> (2 rows affected)
-- Errors.
SELECT * FROM dbo.span();
GO
--> Msg 313, Level 16, State 2, Line 2: An insufficient number of arguments were supplied for the procedure or function dbo.span.
SELECT * FROM dbo.count_to(1, 2);
GO
--> Msg 8144, Level 16, State 2, Line 1: Procedure or function dbo.count_to has too many arguments specified.
SELECT * FROM dbo.nothing(1);
GO
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'dbo.nothing'.
SELECT dbo.span(1, 2);
GO
--> Msg 4121, Level 16, State 1, Line 1: Cannot find either column "dbo" or the user-defined function or aggregate "dbo.span", or the name is ambiguous.
CREATE FUNCTION dbo.fails (@n int) RETURNS @r TABLE (i int) AS
BEGIN
    INSERT @r VALUES (1 / @n);
    RETURN
END
GO
SELECT i FROM dbo.fails(1);
SELECT i FROM dbo.fails(0);
GO
--> [i:int]
--> 1
--> (1 rows affected)
--> [i:int]
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
SELECT t.id, f.i FROM #t AS t CROSS APPLY dbo.fails(t.id - 1) AS f;
GO
--> [id:int | i:int]
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
