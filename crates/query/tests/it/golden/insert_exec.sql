-- INSERT … EXEC: the rows of a procedure's or text's results.
USE tempdb;
GO
CREATE TABLE #t (id int IDENTITY, a int NOT NULL, b varchar(5) NULL);
GO
CREATE PROCEDURE dbo.two_sets @n int AS
    SELECT @n, 'one';
    PRINT 'between';
    SELECT @n + 1, N'two';
    RETURN 7;
GO
INSERT #t EXEC two_sets 10;
SELECT @@ROWCOUNT AS inserted;
SELECT id, a, b FROM #t ORDER BY id;
GO
--> # between
--> (2 rows affected)
--> [inserted:int]
--> 2
--> (1 rows affected)
--> [id:int | a:int | b:varchar(5)]
--> 1 | 10 | one
--> 2 | 11 | two
--> (2 rows affected)
INSERT INTO #t (b, a) EXEC ('SELECT ''text'', ''42''');
INSERT INTO #t (a) EXEC sp_executesql N'SELECT @x * 2', N'@x int', @x = 50;
SELECT a, b FROM #t WHERE id > 2 ORDER BY id;
GO
--> (1 rows affected)
--> (1 rows affected)
--> [a:int | b:varchar(5)]
--> 42 | text
--> 100 | NULL
--> (2 rows affected)
-- No result set: no rows.
INSERT #t EXEC ('DECLARE @x int');
GO
--> (0 rows affected)
-- The counts, the conversions and the lengths.
INSERT #t EXEC ('SELECT 1');
SELECT COUNT(*) AS rows_now FROM #t;
GO
--> Msg 213, Level 16, State 1, Line 2: Column name or number of supplied values does not match table definition.
INSERT #t (a, b) EXEC ('SELECT 1, ''fine'' SELECT 2, ''much too long''');
GO
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'tempdb.dbo.#t', column 'b'. Truncated value: 'much '.
--> # The statement has been terminated.
INSERT #t (a, b) EXEC ('SELECT ''x'', ''y''');
GO
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'x' to data type int.
INSERT #t (a, b) EXEC ('SELECT NULL, ''y''');
SELECT COUNT(*) AS rows_now FROM #t;
GO
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'a', table 'tempdb.dbo.#t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> [rows_now:int]
--> 4
--> (1 rows affected)
INSERT #nowhere EXEC ('SELECT 1');
GO
--> Msg 208, Level 16, State 1, Line 1: Invalid object name '#nowhere'.
-- Nested, and with transactions inside.
CREATE PROCEDURE dbo.nested AS
    DECLARE @x TABLE (a int, b varchar(5));
    INSERT @x EXEC two_sets 1;
    SELECT a, b FROM @x;
GO
INSERT #t (a, b) EXEC nested;
GO
--> Msg 8164, Level 16, State 1, Line 4: An INSERT EXEC statement cannot be nested.
--> # The statement has been terminated.
--> (0 rows affected)
INSERT #t (a) EXEC ('SELECT @@TRANCOUNT');
INSERT #t (a) EXEC ('BEGIN TRAN SELECT @@TRANCOUNT COMMIT');
SELECT TOP 2 a FROM #t ORDER BY id DESC;
SELECT @@TRANCOUNT AS none;
GO
--> (1 rows affected)
--> (1 rows affected)
--> [a:int]
--> 2
--> 1
--> (2 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
INSERT #t (a) EXEC ('SELECT 1000 ROLLBACK');
SELECT 'not reached';
GO
--> Msg 3915, Level 16, State 0, Line 1: Cannot use the ROLLBACK statement within an INSERT-EXEC statement.
SELECT COUNT(*) AS none, @@TRANCOUNT AS open_now FROM #t WHERE a = 1000;
INSERT #t (a) EXEC ('SELECT 1001 COMMIT');
GO
--> [none:int | open_now:int]
--> 0 | 0
--> (1 rows affected)
--> Msg 3916, Level 16, State 0, Line 1: Cannot use the COMMIT statement within an INSERT-EXEC statement unless BEGIN TRANSACTION is used first.
SELECT COUNT(*) AS none FROM #t WHERE a = 1001;
GO
--> [none:int]
--> 0
--> (1 rows affected)
-- What the procedure changed goes with the statement.
CREATE TABLE #log (x int);
INSERT #t (a) EXEC ('INSERT #log VALUES (1) SELECT NULL');
SELECT COUNT(*) AS none FROM #log;
INSERT #t (a) EXEC ('INSERT #log VALUES (1) SELECT 5');
SELECT COUNT(*) AS one FROM #log;
GO
--> Msg 515, Level 16, State 2, Line 3: Cannot insert the value NULL into column 'a', table 'tempdb.dbo.#t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> [none:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
--> [one:int]
--> 1
--> (1 rows affected)
BEGIN TRAN;
INSERT #log VALUES (2);
INSERT #t (a) EXEC ('INSERT #log VALUES (3) SELECT NULL');
SELECT x, @@TRANCOUNT AS still FROM #log ORDER BY x;
ROLLBACK;
SELECT x FROM #log;
GO
--> (1 rows affected)
--> Msg 515, Level 16, State 2, Line 3: Cannot insert the value NULL into column 'a', table 'tempdb.dbo.#t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> [x:int | still:int]
--> 1 | 1
--> 2 | 1
--> (2 rows affected)
--> [x:int]
--> 1
--> (1 rows affected)
-- In a loop, into a table variable; many rows; an error caught.
DECLARE @v TABLE (a int, b varchar(5));
DECLARE @i int = 0;
WHILE @i < 3
BEGIN
    INSERT @v EXEC two_sets @i;
    SET @i += 1;
END
SELECT a, b FROM @v ORDER BY a, b;
BEGIN TRY
    INSERT @v EXEC ('SELECT 1/0, ''x''');
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, @@TRANCOUNT AS open_now;
END CATCH
GO
--> # between
--> (2 rows affected)
--> # between
--> (2 rows affected)
--> # between
--> (2 rows affected)
--> [a:int | b:varchar(5)]
--> 0 | one
--> 1 | one
--> 1 | two
--> 2 | one
--> 2 | two
--> 3 | two
--> (6 rows affected)
--> [number:int | open_now:int]
--> 8134 | 0
--> (1 rows affected)
DECLARE @n TABLE (a int);
INSERT @n EXEC ('DECLARE @i int = 0; WHILE @i < 1000 BEGIN SELECT @i SET @i += 1 END');
SELECT COUNT(*) AS many, SUM(a) AS total FROM @n;
GO
--> (1000 rows affected)
--> [many:int | total:int]
--> 1000 | 499500
--> (1 rows affected)
