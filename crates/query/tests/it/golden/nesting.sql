-- Errors of nested texts, what a nested text leaves behind, GOTO.
BEGIN TRY
    EXEC (N'SELECT 1/0; PRINT ''not reached''');
    PRINT 'not reached either';
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_LINE() AS line, @@NESTLEVEL AS level;
END CATCH;
GO
--> [:int]
--> [number:int | line:int | level:int]
--> 8134 | 1 | 0
--> (1 rows affected)
-- Without a TRY the error ends its statement alone, in the nested text too.
EXEC (N'SELECT 1/0; PRINT ''goes on inside''');
PRINT 'goes on outside';
GO
--> [:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
--> # goes on inside
--> # goes on outside
-- A statement that cannot be bound ends its text, not the caller's.
EXEC (N'PRINT ''before''; SELECT * FROM nowhere; PRINT ''after''');
PRINT 'the caller goes on';
GO
--> # before
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nowhere'.
--> # the caller goes on
-- A failed conversion ends the whole batch.
EXEC (N'DECLARE @i int = CAST(''x'' AS int); PRINT ''after''');
PRINT 'not reached';
GO
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'x' to data type int.
-- Syntax errors of a text can be caught by its caller.
BEGIN TRY
    EXEC (N'SELEKT 1 FROM');
END TRY
BEGIN CATCH
    PRINT CONCAT('caught ', ERROR_NUMBER());
END CATCH;
GO
--> # caught 156
-- Options, and the current database, end with the text that set them.
EXEC (N'SET NOCOUNT ON; SET DATEFIRST 1; USE tempdb; SELECT @@DATEFIRST AS first, DB_NAME() AS db');
SELECT @@DATEFIRST AS first, DB_NAME() AS db;
GO
--> [first:tinyint | db:nvarchar(128)]
--> 1 | tempdb
--> [first:tinyint | db:nvarchar(128)]
--> 7 | master
--> (1 rows affected)
-- THROW ends the batch; RAISERROR does not.
RAISERROR('one', 16, 1);
PRINT 'goes on';
THROW 50001, 'two', 1;
PRINT 'not reached';
GO
--> Msg 50000, Level 16, State 1, Line 2: one
--> # goes on
--> Msg 50001, Level 16, State 1, Line 4: two
-- THROW in a text that a TRY two levels up waits for.
BEGIN TRY
    EXEC (N'EXEC (N''THROW 50002, ''''deep'''', 3'')');
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS text, ERROR_STATE() AS state;
END CATCH;
GO
--> [number:int | text:nvarchar(4000) | state:int]
--> 50002 | deep | 3
--> (1 rows affected)
DECLARE @i int = 0;
again:
SET @i += 1;
IF @i < 3 GOTO again;
PRINT @i;
GOTO done;
PRINT 'skipped';
done:
PRINT 'done';
GO
--> # 3
--> # done
-- GOTO leaves loops, and goes into a block and on from there.
DECLARE @i int = 0;
WHILE 1 = 1
BEGIN
    SET @i += 1;
    WHILE 1 = 1
    BEGIN
        IF @i = 2 GOTO inside;
        BREAK;
    END;
END;
IF 1 = 0
BEGIN
    PRINT 'not this';
    inside:
    PRINT 'but this';
END;
PRINT @i;
GO
--> # but this
--> # 2
DECLARE @rows int, @d decimal(5, 2) = 1.5;
EXEC sp_executesql N'SELECT @n = COUNT(*) FROM (VALUES (1), (2)) AS t (x); SET @d = @d * 2',
    N'@n int OUTPUT, @d decimal(5, 2) OUTPUT', @n = @rows OUTPUT, @d = @d OUTPUT;
SELECT @rows AS n, @d AS d;
GO
--> [n:int | d:decimal(5,2)]
--> 2 | 3.00
--> (1 rows affected)
