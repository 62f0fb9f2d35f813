-- Table types: variables, READONLY parameters; alias types.
USE tempdb;
GO
CREATE TYPE dbo.pairs AS TABLE (k int NOT NULL, v varchar(10) DEFAULT 'none', CHECK (k > 0));
CREATE TYPE dbo.short FROM varchar(5) NOT NULL;
GO
CREATE PROCEDURE dbo.total @p dbo.pairs READONLY, @plus int = 0, @sum int OUTPUT AS
    SELECT @sum = SUM(k) + @plus FROM @p;
    SELECT k, v FROM @p ORDER BY k;
GO
DECLARE @t dbo.pairs, @s int, @w dbo.short = 'longer text';
INSERT @t VALUES (1, 'one'), (2, 'two');
INSERT @t (k) VALUES (3);
EXEC total @t, 10, @s OUTPUT;
EXEC dbo.total @sum = @s OUTPUT, @p = @t;
SELECT @s AS s, @w AS w;
INSERT @t VALUES (4, 'four');
EXEC total @t, @sum = @s OUTPUT;
INSERT @t VALUES (-1, 'x');
SELECT COUNT(*) AS still FROM @t;
GO
--> (2 rows affected)
--> (1 rows affected)
--> [k:int | v:varchar(10)]
--> 1 | one
--> 2 | two
--> 3 | none
--> (3 rows affected)
--> [k:int | v:varchar(10)]
--> 1 | one
--> 2 | two
--> 3 | none
--> (3 rows affected)
--> [s:int | w:varchar(5)]
--> 6 | longe
--> (1 rows affected)
--> (1 rows affected)
--> [k:int | v:varchar(10)]
--> 1 | one
--> 2 | two
--> 3 | none
--> 4 | four
--> (4 rows affected)
--> Msg 547, Level 16, State 0, Line 9: The INSERT statement conflicted with the CHECK constraint "CK__pairs__00000001". The conflict occurred in database "tempdb", table "dbo.@t", column 'k'.
--> # The statement has been terminated.
--> [still:int]
--> 4
--> (1 rows affected)
-- The rows are shared, not to be changed, and passed on.
CREATE PROCEDURE dbo.passes @q dbo.pairs READONLY AS
    DECLARE @n int;
    EXEC total @q, @sum = @n OUTPUT;
    DELETE @q;
    SELECT COUNT(*) AS kept FROM @q;
GO
--> Msg 10700, Level 16, State 1, Line 5: The table-valued parameter "@q" is READONLY and cannot be modified.
CREATE PROCEDURE dbo.passes @q dbo.pairs READONLY AS
    DECLARE @n int;
    EXEC total @q, @sum = @n OUTPUT;
    SELECT COUNT(*) AS kept FROM @q;
GO
DECLARE @t dbo.pairs;
INSERT @t VALUES (7, 'seven');
EXEC passes @t;
SELECT k FROM @t;
GO
--> (1 rows affected)
--> [k:int | v:varchar(10)]
--> 7 | seven
--> (1 rows affected)
--> [kept:int]
--> 1
--> (1 rows affected)
--> [k:int]
--> 7
--> (1 rows affected)
-- Errors; the variable ends with its batch.
SELECT * FROM @t;
GO
--> Msg 1087, Level 15, State 2, Line 2: Must declare the table variable "@t".
DECLARE @n int = 1, @s int;
EXEC total @n, @sum = @s OUTPUT;
GO
--> Msg 206, Level 16, State 2, Line 0: Operand type clash: int is incompatible with pairs
DECLARE @s int;
DECLARE @other TABLE (x bigint);
EXEC total @other, @sum = @s OUTPUT;
GO
--> Msg 206, Level 16, State 2, Line 0: Operand type clash: table is incompatible with pairs
DECLARE @s int;
EXEC total @sum = @s OUTPUT;
GO
--> [k:int | v:varchar(10)]
--> (0 rows affected)
DECLARE @x dbo.nothing;
GO
--> Msg 2715, Level 16, State 3, Line 1: Column, parameter, or variable #1: Cannot find data type dbo.nothing.
-- In a loop the variable stays.
DECLARE @i int = 0;
WHILE @i < 3
BEGIN
    DECLARE @l dbo.pairs;
    SET @i += 1;
    INSERT @l (k) VALUES (@i);
END
SELECT COUNT(*) AS three FROM @l;
GO
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [three:int]
--> 3
--> (1 rows affected)
-- Through sp_executesql; keys of a type hold.
DECLARE @t dbo.pairs;
INSERT @t VALUES (1, 'one'), (5, 'five');
EXEC sp_executesql N'SELECT k, v FROM @x WHERE k > @least', N'@x dbo.pairs READONLY, @least int', @t, 1;
EXEC sp_executesql N'SELECT COUNT(*) AS n FROM @x', N'@x dbo.pairs READONLY', @x = @t;
EXEC sp_executesql N'SELECT COUNT(*) AS none FROM @x', N'@x dbo.pairs READONLY';
EXEC sp_executesql N'DELETE @x', N'@x dbo.pairs READONLY', @t;
EXEC sp_executesql N'SELECT 1', N'@x dbo.pairs', @t;
EXEC sp_executesql N'SELECT @i', N'@i int', @t;
GO
--> (2 rows affected)
--> [k:int | v:varchar(10)]
--> 5 | five
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
--> Msg 10700, Level 16, State 1, Line 1: The table-valued parameter "@x" is READONLY and cannot be modified.
--> Msg 352, Level 15, State 1, Line 8: The table-valued parameter "@x" must be declared with the READONLY option.
--> Msg 206, Level 16, State 2, Line 9: Operand type clash: table type is incompatible with int
