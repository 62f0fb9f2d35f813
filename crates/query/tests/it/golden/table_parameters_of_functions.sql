-- Functions with table-valued parameters: scalar, inline and of several statements; the argument is another name of the
-- caller's rows.
CREATE DATABASE handed;
GO
USE handed;
GO
CREATE TYPE dbo.numbers AS TABLE (n int PRIMARY KEY, word varchar(10));
CREATE TYPE dbo.loose AS TABLE (n int, word varchar(10));
CREATE TYPE dbo.other AS TABLE (d date);
CREATE TYPE dbo.amount FROM decimal(9, 2);
CREATE TABLE stock (n int PRIMARY KEY, price dbo.amount);
INSERT stock VALUES (1, 10), (2, 20.5), (3, 30);
GO
--> (3 rows affected)
CREATE FUNCTION dbo.total (@t dbo.numbers READONLY, @plus int) RETURNS int AS
BEGIN
  DECLARE @sum int = (SELECT SUM(n) FROM @t);
  RETURN @sum + @plus;
END;
GO
CREATE FUNCTION dbo.priced (@factor dbo.amount, @t dbo.numbers READONLY) RETURNS TABLE AS
RETURN SELECT s.n, s.price * @factor AS price, t.word FROM stock s JOIN @t t ON t.n = s.n;
GO
CREATE FUNCTION dbo.doubled (@t dbo.loose READONLY) RETURNS @r TABLE (n int, word varchar(20)) AS
BEGIN
  INSERT @r SELECT n * 2, word + word FROM @t;
  INSERT @r SELECT COUNT(*), 'rows' FROM @t;
  RETURN;
END;
GO
CREATE FUNCTION dbo.as_amount (@x dbo.amount = 1.5) RETURNS dbo.amount AS BEGIN RETURN @x * 2 END;
GO
CREATE FUNCTION dbo.outer_total (@list dbo.numbers READONLY) RETURNS int AS
BEGIN
  RETURN dbo.total(@list, 100) + (SELECT COUNT(*) FROM dbo.priced(2, @list));
END;
GO
CREATE FUNCTION dbo.outer_priced (@list dbo.numbers READONLY) RETURNS TABLE AS
RETURN SELECT p.n, p.price, dbo.total(@list, 0) AS total FROM dbo.priced(3, @list) p;
GO
DECLARE @t dbo.numbers;
INSERT @t VALUES (1, 'one'), (3, 'three');
SELECT dbo.total(@t, 10) AS total, dbo.outer_total(@t) AS more;
SELECT * FROM dbo.priced(1.5, @t) ORDER BY n;
SELECT * FROM dbo.outer_priced(@t) ORDER BY n;
INSERT @t VALUES (2, 'two');
SELECT n, dbo.total(@t, n) AS total FROM stock WHERE dbo.total(@t, 0) = 6 ORDER BY n;
SELECT s.n, p.word FROM stock s CROSS APPLY dbo.priced(s.n, @t) p WHERE p.n = s.n ORDER BY s.n;
EXEC ('SELECT 1 AS one');
DECLARE @r int;
EXEC @r = dbo.total @t, 5;
SELECT @r AS r;
EXEC @r = dbo.total @plus = 7, @t = @t;
SELECT @r AS r, dbo.total(DEFAULT, 4) AS none, dbo.as_amount(DEFAULT) AS amount, dbo.as_amount(4) AS other;
SELECT * FROM dbo.priced(2, DEFAULT);
GO
--> (2 rows affected)
--> [total:int | more:int]
--> 14 | 106
--> (1 rows affected)
--> [n:int | price:decimal(19,4) | word:varchar(10)]
--> 1 | 15.0000 | one
--> 3 | 45.0000 | three
--> (2 rows affected)
--> [n:int | price:decimal(19,4) | total:int]
--> 1 | 30.0000 | 4
--> 3 | 90.0000 | 4
--> (2 rows affected)
--> (1 rows affected)
--> [n:int | total:int]
--> 1 | 7
--> 2 | 8
--> 3 | 9
--> (3 rows affected)
--> [n:int | word:varchar(10)]
--> 1 | one
--> 2 | two
--> 3 | three
--> (3 rows affected)
--> [one:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 11
--> (1 rows affected)
--> [r:int | none:int | amount:decimal(9,2) | other:decimal(9,2)]
--> 13 | NULL | 3.00 | 8.00
--> (1 rows affected)
--> [n:int | price:decimal(19,4) | word:varchar(10)]
--> (0 rows affected)
DECLARE @l dbo.loose, @i int = 0;
WHILE @i < 3
BEGIN
  INSERT @l VALUES (@i, REPLICATE('x', @i));
  SET @i += 1;
  SELECT n, word FROM dbo.doubled(@l) ORDER BY word, n;
END;
SELECT n, word FROM dbo.doubled(DEFAULT);
GO
--> (1 rows affected)
--> [n:int | word:varchar(20)]
--> 0 |
--> 1 | rows
--> (2 rows affected)
--> (1 rows affected)
--> [n:int | word:varchar(20)]
--> 0 |
--> 2 | rows
--> 2 | xx
--> (3 rows affected)
--> (1 rows affected)
--> [n:int | word:varchar(20)]
--> 0 |
--> 3 | rows
--> 2 | xx
--> 4 | xxxx
--> (4 rows affected)
--> [n:int | word:varchar(20)]
--> 0 | rows
--> (1 rows affected)
BEGIN TRANSACTION;
DECLARE @t dbo.numbers;
INSERT @t VALUES (5, 'five');
UPDATE stock SET price = dbo.total(@t, 1) WHERE n = 1;
SELECT price FROM stock WHERE n = 1;
ROLLBACK;
SELECT dbo.total(@t, 0) AS kept;
GO
--> (1 rows affected)
--> (1 rows affected)
--> [price:decimal(9,2)]
--> 6.00
--> (1 rows affected)
--> [kept:int]
--> 5
--> (1 rows affected)
CREATE PROCEDURE dbo.passes @p dbo.numbers READONLY AS SELECT dbo.total(@p, 1) AS total, (SELECT COUNT(*) FROM dbo.priced(1, @p)) AS found;
GO
DECLARE @t dbo.numbers;
INSERT @t VALUES (2, 'two');
EXEC dbo.passes @t;
EXEC sp_executesql N'SELECT dbo.total(@x, @y) AS total', N'@x dbo.numbers READONLY, @y int', @t, 40;
GO
--> (1 rows affected)
--> [total:int | found:int]
--> 3 | 1
--> (1 rows affected)
--> [total:int]
--> 42
--> (1 rows affected)
SELECT p.name, p.is_readonly, p.parameter_id FROM sys.parameters p JOIN sys.objects o ON o.object_id = p.object_id
WHERE o.name IN ('total', 'priced') ORDER BY o.name, p.parameter_id;
GO
--> [name:nvarchar(128) | is_readonly:bit | parameter_id:int]
--> @factor | 0 | 1
--> @t | 1 | 2
-->  | 0 | 0
--> @t | 1 | 1
--> @plus | 0 | 2
--> (5 rows affected)
CREATE TYPE dbo.fast AS TABLE (n int NOT NULL PRIMARY KEY NONCLUSTERED) WITH (MEMORY_OPTIMIZED = ON);
GO
CREATE FUNCTION dbo.fast_total (@t dbo.fast READONLY) RETURNS int AS BEGIN RETURN (SELECT SUM(n) FROM @t) END;
GO
DECLARE @f dbo.fast;
INSERT @f VALUES (3), (4);
SELECT dbo.fast_total(@f) AS total;
GO
--> (2 rows affected)
--> [total:int]
--> 7
--> (1 rows affected)
-- Anything but a table of the type is refused.
DECLARE @t dbo.numbers;
SELECT dbo.total(5, 1);
GO
--> Msg 206, Level 16, State 2, Line 3: Operand type clash: int is incompatible with numbers
DECLARE @o dbo.other;
SELECT dbo.total(@o, 1);
GO
--> Msg 206, Level 16, State 2, Line 2: Operand type clash: table is incompatible with numbers
DECLARE @i int;
SELECT * FROM dbo.priced(1, @i);
GO
--> Msg 206, Level 16, State 2, Line 2: Operand type clash: int is incompatible with numbers
SELECT dbo.total(@nothing, 1);
GO
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@nothing".
CREATE FUNCTION dbo.wrong (@t dbo.numbers) RETURNS int AS BEGIN RETURN 1 END;
GO
--> Msg 352, Level 15, State 1, Line 1: The table-valued parameter "@t" must be declared with the READONLY option.
CREATE FUNCTION dbo.wrong (@t dbo.numbers READONLY) RETURNS int AS BEGIN INSERT @t VALUES (1, 'a'); RETURN 1 END;
GO
--> Msg 10700, Level 16, State 1, Line 1: The table-valued parameter "@t" is READONLY and cannot be modified.
CREATE FUNCTION dbo.wrong (@t int READONLY) RETURNS int AS BEGIN RETURN 1 END;
GO
--> Msg 346, Level 15, State 1, Line 1: The parameter "@t" can not be declared READONLY since it is not a table-valued parameter.
CREATE FUNCTION dbo.wrong (@t dbo.nothing READONLY) RETURNS int AS BEGIN RETURN 1 END;
GO
--> Msg 2715, Level 16, State 3, Line 1: Column, parameter, or variable #1: Cannot find data type dbo.nothing.
CREATE FUNCTION dbo.wrong (@t dbo.numbers READONLY) RETURNS int AS BEGIN RETURN (SELECT x FROM @t) END;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'x'.
DROP TYPE dbo.numbers;
GO
--> Msg 3732, Level 16, State 1, Line 1: Cannot drop type 'dbo.numbers' because it is being referenced by object 'total'. There may be other objects that reference this type.
USE master;
DROP DATABASE handed;
GO
