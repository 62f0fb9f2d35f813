-- Procedures: parameters, defaults, OUTPUT, RETURN, nesting, errors.
USE tempdb;
GO
CREATE PROCEDURE dbo.add_up @a int, @b int = 10, @sum int OUTPUT
AS
    SET NOCOUNT ON;
    SET @sum = @a + @b;
    IF @sum > 100 RETURN 1;
    RETURN 0;
GO
DECLARE @s int, @rc int;
EXEC @rc = add_up 1, 2, @s OUTPUT;
SELECT @s AS s, @rc AS rc;
EXEC @rc = dbo.add_up @sum = @s OUTPUT, @a = 95;
SELECT @s AS s, @rc AS rc;
EXEC tempdb.dbo.add_up @a = 1, @b = DEFAULT, @sum = @s;
SELECT @s AS unchanged;
GO
--> [s:int | rc:int]
--> 3 | 0
--> (1 rows affected)
--> [s:int | rc:int]
--> 105 | 1
--> (1 rows affected)
--> [unchanged:int]
--> 105
--> (1 rows affected)
-- NOCOUNT ended with the procedure.
SELECT 1 AS one;
GO
--> [one:int]
--> 1
--> (1 rows affected)
-- Wrong arguments.
DECLARE @s int;
EXEC add_up;
EXEC add_up 1, 2, 3, 4;
EXEC add_up @a = 1, @nobody = 2;
EXEC add_up @a = 1, @a = 2, @sum = @s OUTPUT;
EXEC add_up 'x', 2, @s OUTPUT;
EXEC no_such_procedure;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'add_up' expects parameter '@a', which was not supplied.
--> Msg 8144, Level 16, State 2, Line 0: Procedure or function add_up has too many arguments specified.
--> Msg 8145, Level 16, State 2, Line 0: @nobody is not a parameter for procedure add_up.
--> Msg 8143, Level 16, State 1, Line 0: Parameter '@a' was supplied multiple times.
--> Msg 8114, Level 16, State 5, Line 0: Error converting data type varchar to int.
-- Results, messages, and errors with the procedure's name and line.
CREATE OR ALTER PROC speak @n int AS
BEGIN
    PRINT CONCAT('level ', @@NESTLEVEL);
    SELECT @n AS n;
    IF @n > 0
    BEGIN
        DECLARE @less int = @n - 1;
        EXEC speak @less;
    END
    ELSE
        SELECT 1 / @n;
END
GO
EXEC speak 1;
PRINT CONCAT('back at ', @@NESTLEVEL);
GO
--> # level 1
--> [n:int]
--> 1
--> (1 rows affected)
--> # level 2
--> [n:int]
--> 0
--> (1 rows affected)
--> [:int]
--> Msg 8134, Level 16, State 1, Line 12: Divide by zero error encountered.
--> # back at 0
BEGIN TRY
    EXEC speak 1;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS [procedure], ERROR_LINE() AS line;
END CATCH
GO
--> # level 1
--> [n:int]
--> 1
--> (1 rows affected)
--> # level 2
--> [n:int]
--> 0
--> (1 rows affected)
--> [:int]
--> [number:int | procedure:nvarchar(128) | line:int]
--> 8134 | speak | 12
--> (1 rows affected)
-- Names inside are resolved when the statement runs.
CREATE PROC later AS
    PRINT 'begins';
    SELECT * FROM no_such_table;
    PRINT 'not reached';
GO
EXEC later;
PRINT 'the caller goes on';
GO
--> # begins
--> Msg 208, Level 16, State 1, Line 4: Invalid object name 'no_such_table'.
--> # the caller goes on
-- Temporary tables of a procedure end with it; those of the caller are seen.
CREATE TABLE #outer (x int);
GO
CREATE PROC tables AS
    INSERT #outer VALUES (1);
    CREATE TABLE #inner (y int);
    INSERT #inner VALUES (2);
    SELECT x, y FROM #outer, #inner;
GO
EXEC tables;
EXEC tables;
SELECT COUNT(*) AS outer_rows FROM #outer;
SELECT * FROM #inner;
GO
--> (1 rows affected)
--> (1 rows affected)
--> [x:int | y:int]
--> 1 | 2
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [x:int | y:int]
--> 1 | 2
--> 1 | 2
--> (2 rows affected)
--> [outer_rows:int]
--> 2
--> (1 rows affected)
--> Msg 208, Level 16, State 1, Line 4: Invalid object name '#inner'.
-- Transactions: a procedure that leaves one open is told of.
CREATE PROC opens AS BEGIN TRAN;
GO
EXEC opens;
SELECT @@TRANCOUNT AS open_transactions;
ROLLBACK;
GO
--> Msg 266, Level 16, State 2, Line 0: Transaction count after EXECUTE indicates a mismatching number of BEGIN and COMMIT statements. Previous count = 0, current count = 1.
--> [open_transactions:int]
--> 1
--> (1 rows affected)
ALTER PROCEDURE opens AS PRINT 'altered';
GO
EXEC opens;
CREATE PROC too_late AS PRINT 'no';
GO
--> Msg 111, Level 15, State 1, Line 2: 'CREATE/ALTER PROCEDURE' must be the first statement in a query batch.
CREATE PROCEDURE opens AS PRINT 'exists';
GO
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'opens' in the database.
ALTER PROCEDURE nobody AS PRINT 'no';
GO
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nobody'.
DROP PROCEDURE opens, tables;
DROP PROCEDURE opens;
DROP PROC IF EXISTS opens;
EXEC opens;
GO
--> Msg 3701, Level 11, State 5, Line 2: Cannot drop the procedure 'opens', because it does not exist or you do not have permission.
--> Msg 2812, Level 16, State 62, Line 4: Could not find stored procedure 'opens'.
-- Nesting has a limit.
CREATE PROC deep AS EXEC deep;
GO
EXEC deep;
GO
--> Msg 217, Level 16, State 1, Line 2: Maximum stored procedure, function, trigger, or view nesting level exceeded (limit 32).
-- The name may be in a variable.
DECLARE @name sysname = 'dbo.add_up', @s int;
EXEC @name 1, 1, @s OUTPUT;
SELECT @s AS s;
GO
--> [s:int]
--> 2
--> (1 rows affected)
