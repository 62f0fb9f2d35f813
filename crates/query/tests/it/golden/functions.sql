-- differs parameters: GROUP BY of an expression with a constant finds none with a variable
-- differs variables: a function may not use temporary tables, but table variables
-- Scalar functions of the user.
USE tempdb;
GO
CREATE FUNCTION dbo.twice (@x int) RETURNS int AS BEGIN RETURN @x * 2 END
GO
CREATE FUNCTION dbo.label (@n int, @word varchar(10) = 'none') RETURNS nvarchar(40)
WITH RETURNS NULL ON NULL INPUT
AS
BEGIN
    DECLARE @s nvarchar(40) = N'';
    DECLARE @i int = 0;
    WHILE @i < @n
    BEGIN
        SET @i += 1;
        IF @i = 3 CONTINUE;
        IF @i > 5 BREAK;
        SELECT @s = @s + @word + CAST(@i AS varchar(3));
    END
    RETURN @s;
END
GO
SELECT dbo.twice(21) AS a, dbo.twice(dbo.twice(1)) AS b, dbo.twice('7') AS c, tempdb.dbo.twice(NULL) AS n;
SELECT dbo.label(7, 'x') AS a, dbo.label(2, DEFAULT) AS b, dbo.label(NULL, 'x') AS n, dbo.label(0, 'x') AS e;
GO
--> [a:int | b:int | c:int | n:int]
--> 42 | 4 | 14 | NULL
--> (1 rows affected)
--> [a:nvarchar(40) | b:nvarchar(40) | n:nvarchar(40) | e:nvarchar(40)]
--> x1x2x4x5 | none1none2 | NULL |
--> (1 rows affected)
-- Over rows, in conditions, in order and groups; a table in the body.
CREATE TABLE #t (id int, k int);
INSERT #t VALUES (1, 10), (2, 20), (3, 30), (4, NULL);
GO
--> (4 rows affected)
SELECT id, dbo.twice(k) AS d, dbo.label(id, 'l') AS s FROM #t WHERE dbo.twice(id) > 2 ORDER BY dbo.twice(-id);
SELECT dbo.label(id % 2, 'g') AS g, SUM(dbo.twice(k)) AS total FROM #t GROUP BY dbo.label(id % 2, 'g') ORDER BY 1;
UPDATE #t SET k = dbo.twice(k) WHERE dbo.label(id, 'a') = 'a1';
SELECT k FROM #t WHERE id = 1;
GO
--> [id:int | d:int | s:nvarchar(40)]
--> 4 | NULL | l1l2l4
--> 3 | 60 | l1l2
--> 2 | 40 | l1l2
--> (3 rows affected)
--> [g:nvarchar(40) | total:int]
-->  | 40
--> g1 | 80
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (2 rows affected)
--> (1 rows affected)
--> [k:int]
--> 20
--> (1 rows affected)
CREATE FUNCTION dbo.sum_to (@n int) RETURNS int AS
BEGIN
    DECLARE @t TABLE (i int NOT NULL);
    DECLARE @i int = 1;
    WHILE @i <= @n BEGIN INSERT @t VALUES (@i); SET @i += 1 END
    UPDATE @t SET i = i * 10 WHERE i = 2;
    DELETE @t WHERE i = 1;
    DECLARE @s int;
    SELECT @s = SUM(i) FROM @t;
    RETURN @s;
END
GO
SELECT dbo.sum_to(3) AS a, dbo.sum_to(1) AS b, dbo.sum_to(5) AS c;
DECLARE @v int = dbo.sum_to(4), @w int;
SET @w = dbo.sum_to(@v) + 1;
IF dbo.twice(@w) > 0 SELECT @v AS v, @w AS w;
EXEC @w = dbo.sum_to @n = 4;
SELECT @w AS w;
EXEC @w = dbo.twice 8;
SELECT @w AS w;
GO
--> [a:int | b:int | c:int]
--> 23 | NULL | 32
--> (1 rows affected)
--> [v:int | w:int]
--> 27 | 396
--> (1 rows affected)
--> [w:int]
--> 27
--> (1 rows affected)
--> [w:int]
--> 16
--> (1 rows affected)
-- Recursion, of a function that is one expression too.
CREATE FUNCTION dbo.factorial (@n int) RETURNS bigint AS
BEGIN
    RETURN CASE WHEN @n <= 1 THEN 1 ELSE @n * dbo.factorial(@n - 1) END;
END
GO
CREATE FUNCTION dbo.depth (@n int) RETURNS int AS
BEGIN
    IF @n = 0 RETURN @@NESTLEVEL;
    RETURN dbo.depth(@n - 1);
END
GO
SELECT dbo.factorial(10) AS f, dbo.factorial(20) AS g, dbo.depth(0) AS one, dbo.depth(31) AS deepest;
SELECT dbo.depth(32) AS too_deep;
GO
--> [f:bigint | g:bigint | one:int | deepest:int]
--> 3628800 | 2432902008176640000 | 1 | 32
--> (1 rows affected)
--> [too_deep:int]
--> Msg 217, Level 16, State 1, Line 4: Maximum stored procedure, function, trigger, or view nesting level exceeded (limit 32).
-- Errors: arguments, names, inside.
SELECT dbo.twice();
GO
--> Msg 313, Level 16, State 2, Line 2: An insufficient number of arguments were supplied for the procedure or function dbo.twice.
SELECT dbo.twice(1, 2);
GO
--> Msg 8144, Level 16, State 2, Line 1: Procedure or function dbo.twice has too many arguments specified.
SELECT dbo.nobody(1);
GO
--> Msg 4121, Level 16, State 1, Line 1: Cannot find either column "dbo" or the user-defined function or aggregate "dbo.nobody", or the name is ambiguous.
SELECT dbo.twice('x');
GO
--> [:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'x' to data type int.
CREATE FUNCTION dbo.divide (@a int, @b int) RETURNS int AS
BEGIN
    DECLARE @r int;

    SET @r = @a / @b;
    RETURN @r;
END
GO
SELECT dbo.divide(6, 3) AS fine;
SELECT dbo.divide(1, 0) AS bad;
SELECT 'goes on' AS after;
BEGIN TRY
    SELECT dbo.divide(1, 0) AS bad;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS name, ERROR_LINE() AS line;
END CATCH
GO
--> [fine:int]
--> 2
--> (1 rows affected)
--> [bad:int]
--> Msg 8134, Level 16, State 1, Line 5: Divide by zero error encountered.
--> [after:varchar(7)]
--> goes on
--> (1 rows affected)
--> [bad:int]
--> [number:int | name:nvarchar(128) | line:int]
--> 8134 | divide | 5
--> (1 rows affected)
-- A change of the function is seen at once, also by statements that are bound already.
CREATE PROCEDURE dbo.ask AS SELECT dbo.twice(100) AS a, dbo.label(1, 'p') AS b;
GO
EXEC ask;
GO
--> [a:int | b:nvarchar(40)]
--> 200 | p1
--> (1 rows affected)
ALTER FUNCTION dbo.twice (@x int) RETURNS int AS BEGIN RETURN @x * 2 + 1 END
GO
EXEC ask;
DROP FUNCTION dbo.twice;
EXEC ask;
GO
--> [a:int | b:nvarchar(40)]
--> 201 | p1
--> (1 rows affected)
--> Msg 4121, Level 16, State 1, Line 2: Cannot find either column "dbo" or the user-defined function or aggregate "dbo.twice", or the name is ambiguous.
-- What a function must not do.
CREATE FUNCTION dbo.bad1 () RETURNS int AS BEGIN INSERT #t VALUES (1, 1); RETURN 1 END
GO
--> Msg 443, Level 16, State 15, Line 2: Invalid use of a side-effecting operator 'INSERT' within a function.
CREATE FUNCTION dbo.bad2 () RETURNS int AS BEGIN PRINT 'x'; RETURN 1 END
GO
--> Msg 443, Level 16, State 15, Line 1: Invalid use of a side-effecting operator 'PRINT' within a function.
CREATE FUNCTION dbo.bad3 () RETURNS int AS
BEGIN
    SELECT 1;
    RETURN 1
END
GO
--> Msg 444, Level 16, State 2, Line 3: Select statements included within a function cannot return data to a client.
CREATE FUNCTION dbo.bad4 () RETURNS int AS BEGIN EXEC ('SELECT 1'); RETURN 1 END
GO
--> Msg 443, Level 16, State 15, Line 1: Invalid use of a side-effecting operator 'EXECUTE STRING' within a function.
CREATE FUNCTION dbo.bad5 () RETURNS int AS BEGIN BEGIN TRY SET NOCOUNT ON; END TRY BEGIN CATCH END CATCH RETURN 1 END
GO
--> Msg 443, Level 16, State 15, Line 1: Invalid use of a side-effecting operator 'BEGIN TRY' within a function.
CREATE FUNCTION dbo.bad6 () RETURNS int AS BEGIN CREATE TABLE #x (i int); RETURN 1 END
GO
--> Msg 443, Level 16, State 15, Line 1: Invalid use of a side-effecting operator 'CREATE TABLE' within a function.
CREATE FUNCTION dbo.bad7 () RETURNS int AS BEGIN DECLARE @i int = 1 END
GO
--> Msg 455, Level 16, State 2, Line 1: The last statement included within a function must be a return statement.
CREATE FUNCTION dbo.late () RETURNS int AS BEGIN DECLARE @n int; SELECT @n = COUNT(*) FROM #t; RETURN @n END
GO
--> Msg 2772, Level 16, State 1, Line 1: Cannot access temporary tables from within a function.
SELECT dbo.late();
GO
--> Msg 4121, Level 16, State 1, Line 1: Cannot find either column "dbo" or the user-defined function or aggregate "dbo.late", or the name is ambiguous.
CREATE FUNCTION dbo.fresh () RETURNS uniqueidentifier AS BEGIN RETURN NEWID() END
GO
--> Msg 443, Level 16, State 1, Line 1: Invalid use of a side-effecting operator 'newid' within a function.
SELECT dbo.fresh();
GO
--> Msg 4121, Level 16, State 1, Line 1: Cannot find either column "dbo" or the user-defined function or aggregate "dbo.fresh", or the name is ambiguous.
-- A local cursor; GOTO; no RETURN reached is NULL.
CREATE FUNCTION dbo.walk (@n int) RETURNS varchar(100) AS
BEGIN
    DECLARE @t TABLE (i int);
    DECLARE @i int = 0, @s varchar(100) = '';
again:
    SET @i += 1;
    INSERT @t VALUES (@i);
    IF @i < @n GOTO again;
    DECLARE c CURSOR LOCAL FOR SELECT i FROM @t ORDER BY i DESC;
    OPEN c;
    FETCH NEXT FROM c INTO @i;
    WHILE @@FETCH_STATUS = 0
    BEGIN
        SET @s += CAST(@i AS varchar(5)) + ';';
        FETCH NEXT FROM c INTO @i;
    END
    CLOSE c; DEALLOCATE c;
    RETURN @s;
END
GO
SELECT dbo.walk(4) AS a, dbo.walk(2) AS b;
GO
--> [a:varchar(100) | b:varchar(100)]
--> 4;3;2;1; | 2;1;
--> (1 rows affected)
-- Defaults and checks of tables.
CREATE FUNCTION dbo.ten () RETURNS int AS BEGIN RETURN 10 END
GO
CREATE TABLE #d (a int DEFAULT (dbo.ten()), b int CHECK (b < dbo.ten()));
INSERT #d (b) VALUES (1);
INSERT #d (b) VALUES (11);
SELECT a, b FROM #d;
GO
--> (1 rows affected)
--> Msg 547, Level 16, State 0, Line 3: The INSERT statement conflicted with the CHECK constraint "CK__d__b__00000001". The conflict occurred in database "tempdb", table "dbo.#d", column 'b'.
--> # The statement has been terminated.
--> [a:int | b:int]
--> 10 | 1
--> (1 rows affected)
