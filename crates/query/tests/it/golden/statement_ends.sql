-- differs snapshot: a transaction that reads by a snapshot changes no definitions (3964)
-- What an error ends: the statement, the text, the batch, the transaction. Nothing of a failed statement stays.
USE tempdb;
GO
CREATE TABLE #t (a int, b varchar(5) NULL);
CREATE TABLE #log (x int);
CREATE TABLE #p (id int NOT NULL PRIMARY KEY);
GO
-- INSERT … EXEC of what commits, rolls back, or lets an error of these through: no row stays.
CREATE PROCEDURE #commits AS INSERT #log VALUES (1); SELECT 1, 'a'; COMMIT; SELECT 2, 'b';
GO
CREATE PROCEDURE #rolls AS INSERT #log VALUES (1); SELECT 1, 'a'; ROLLBACK; SELECT 2, 'b';
GO
INSERT #t EXEC #commits;
PRINT 'not reached';
GO
--> Msg 3916, Level 16, State 0, Line 2: Cannot use the COMMIT statement within an INSERT-EXEC statement unless BEGIN TRANSACTION is used first.
SELECT (SELECT COUNT(*) FROM #t) AS rows_of_t, (SELECT COUNT(*) FROM #log) AS rows_of_log, @@TRANCOUNT AS open_now;
GO
--> [rows_of_t:int | rows_of_log:int | open_now:int]
--> 0 | 0 | 0
--> (1 rows affected)
INSERT #t EXEC #rolls;
PRINT 'not reached';
GO
--> Msg 3915, Level 16, State 0, Line 1: Cannot use the ROLLBACK statement within an INSERT-EXEC statement.
SELECT (SELECT COUNT(*) FROM #t) AS rows_of_t, (SELECT COUNT(*) FROM #log) AS rows_of_log, @@TRANCOUNT AS open_now;
GO
--> [rows_of_t:int | rows_of_log:int | open_now:int]
--> 0 | 0 | 0
--> (1 rows affected)
BEGIN TRAN;
INSERT #log VALUES (10);
INSERT #t EXEC #commits;
PRINT 'not reached';
GO
--> (1 rows affected)
--> Msg 3916, Level 16, State 0, Line 2: Cannot use the COMMIT statement within an INSERT-EXEC statement unless BEGIN TRANSACTION is used first.
SELECT (SELECT COUNT(*) FROM #t) AS rows_of_t, (SELECT COUNT(*) FROM #log) AS rows_of_log, @@TRANCOUNT AS open_now;
GO
--> [rows_of_t:int | rows_of_log:int | open_now:int]
--> 0 | 0 | 0
--> (1 rows affected)
-- Caught inside, the transaction is doomed and takes no rows.
CREATE PROCEDURE #catches AS
    INSERT #log VALUES (1);
    BEGIN TRY SELECT 1, 'a'; COMMIT; END TRY
    BEGIN CATCH SELECT ERROR_NUMBER(), CAST(XACT_STATE() AS varchar(5)); END CATCH
GO
INSERT #t EXEC #catches;
PRINT 'not reached';
GO
--> Msg 3930, Level 16, State 1, Line 1: The current transaction cannot be committed and cannot support operations that write to the log file. Roll back the transaction.
SELECT (SELECT COUNT(*) FROM #t) AS rows_of_t, (SELECT COUNT(*) FROM #log) AS rows_of_log, @@TRANCOUNT AS open_now, XACT_STATE() AS state;
GO
--> [rows_of_t:int | rows_of_log:int | open_now:int | state:smallint]
--> 0 | 0 | 0 | 0
--> (1 rows affected)
DECLARE @v TABLE (a int, b varchar(5));
INSERT @v EXEC #catches;
PRINT 'not reached';
GO
--> Msg 3930, Level 16, State 1, Line 2: The current transaction cannot be committed and cannot support operations that write to the log file. Roll back the transaction.
SELECT COUNT(*) AS rows_of_log, @@TRANCOUNT AS open_now, XACT_STATE() AS state FROM #log;
GO
--> [rows_of_log:int | open_now:int | state:smallint]
--> 0 | 0 | 0
--> (1 rows affected)
-- Caught outside.
BEGIN TRY
    INSERT #t EXEC #rolls;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, @@TRANCOUNT AS open_now, XACT_STATE() AS state;
END CATCH
SELECT (SELECT COUNT(*) FROM #t) AS rows_of_t, (SELECT COUNT(*) FROM #log) AS rows_of_log;
GO
--> [number:int | open_now:int | state:smallint]
--> 3915 | 0 | 0
--> (1 rows affected)
--> [rows_of_t:int | rows_of_log:int]
--> 0 | 0
--> (1 rows affected)
BEGIN TRAN;
BEGIN TRY
    INSERT #t EXEC #commits;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, @@TRANCOUNT AS open_now, XACT_STATE() AS state;
    ROLLBACK;
END CATCH
SELECT (SELECT COUNT(*) FROM #t) AS rows_of_t, (SELECT COUNT(*) FROM #log) AS rows_of_log;
GO
--> [number:int | open_now:int | state:smallint]
--> 3916 | 1 | -1
--> (1 rows affected)
--> [rows_of_t:int | rows_of_log:int]
--> 0 | 0
--> (1 rows affected)
-- What the procedure began is the caller's to end.
INSERT #t EXEC ('BEGIN TRAN; SELECT 5, ''e''');
SELECT @@TRANCOUNT AS open_now, COUNT(*) AS rows_of_t FROM #t;
ROLLBACK;
SELECT @@TRANCOUNT AS open_now, COUNT(*) AS rows_of_t FROM #t;
GO
--> (1 rows affected)
--> [open_now:int | rows_of_t:int]
--> 1 | 1
--> (1 rows affected)
--> [open_now:int | rows_of_t:int]
--> 0 | 0
--> (1 rows affected)
-- A trigger whose TRY hides an error: nothing stays.
CREATE DATABASE ends;
GO
USE ends;
CREATE TABLE dbo.t (a int);
CREATE TABLE dbo.log (x int);
GO
CREATE TRIGGER hides ON dbo.t AFTER INSERT AS
    INSERT dbo.log VALUES (1);
    BEGIN TRY SELECT 1 / 0; END TRY BEGIN CATCH PRINT ERROR_MESSAGE(); END CATCH
GO
INSERT dbo.t VALUES (1);
PRINT 'not reached';
GO
--> (1 rows affected)
--> [:int]
--> # Divide by zero error encountered.
--> Msg 3616, Level 16, State 1, Line 1: An error was raised during trigger execution. The batch has been aborted and the user transaction, if any, has been rolled back.
SELECT (SELECT COUNT(*) FROM dbo.t) AS rows_of_t, (SELECT COUNT(*) FROM dbo.log) AS rows_of_log, @@TRANCOUNT AS open_now;
GO
--> [rows_of_t:int | rows_of_log:int | open_now:int]
--> 0 | 0 | 0
--> (1 rows affected)
BEGIN TRAN;
BEGIN TRY
    INSERT dbo.t VALUES (1);
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state;
    ROLLBACK;
END CATCH
SELECT (SELECT COUNT(*) FROM dbo.t) AS rows_of_t, (SELECT COUNT(*) FROM dbo.log) AS rows_of_log;
GO
--> (1 rows affected)
--> [:int]
--> # Divide by zero error encountered.
--> [number:int | state:smallint]
--> 3616 | -1
--> (1 rows affected)
--> [rows_of_t:int | rows_of_log:int]
--> 0 | 0
--> (1 rows affected)
DROP TRIGGER hides;
GO
-- Errors of definitions end the batch and the transaction.
INSERT dbo.t VALUES (1), (1);
GO
--> (2 rows affected)
BEGIN TRAN;
INSERT dbo.log VALUES (1);
CREATE UNIQUE INDEX u ON dbo.t (a);
PRINT 'not reached';
GO
--> (1 rows affected)
--> Msg 1505, Level 16, State 1, Line 3: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.t' and the index name 'u'. The duplicate key value is (1).
SELECT COUNT(*) AS rows_of_log, @@TRANCOUNT AS open_now FROM dbo.log;
GO
--> [rows_of_log:int | open_now:int]
--> 0 | 0
--> (1 rows affected)
BEGIN TRAN;
ALTER TABLE dbo.t ADD c int NOT NULL;
PRINT 'not reached';
GO
--> Msg 4901, Level 16, State 1, Line 2: ALTER TABLE only allows columns to be added that can contain nulls, or have a DEFAULT definition specified, or the column being added is an identity or timestamp column, or alternatively if none of the previous conditions are satisfied the table must be empty to allow addition of this column. Column 'c' cannot be added to non-empty table 't' because it does not satisfy these conditions.
BEGIN TRAN;
ALTER TABLE dbo.t DROP CONSTRAINT nothing;
PRINT 'not reached';
GO
--> Msg 3728, Level 16, State 1, Line 2: 'nothing' is not a constraint.
--> Msg 3727, Level 16, State 0, Line 2: Could not drop constraint. See previous errors.
BEGIN TRAN;
SET IDENTITY_INSERT dbo.t ON;
PRINT 'not reached';
GO
--> Msg 8106, Level 16, State 1, Line 2: Table 'dbo.t' does not have the identity property. Cannot perform SET operation.
BEGIN TRAN;
CREATE SEQUENCE dbo.s START WITH 10 MAXVALUE 5;
PRINT 'not reached';
GO
--> Msg 11703, Level 16, State 1, Line 2: The start value for sequence object 'dbo.s' must be between the minimum and maximum value of the sequence object.
BEGIN TRAN;
USE nowhere;
PRINT 'not reached';
GO
--> Msg 911, Level 16, State 1, Line 2: Database 'nowhere' does not exist. Make sure that the name is entered correctly.
SELECT @@TRANCOUNT AS open_now;
GO
--> [open_now:int]
--> 0
--> (1 rows affected)
-- Caught, they doom it.
BEGIN TRAN;
BEGIN TRY
    CREATE UNIQUE INDEX u ON dbo.t (a);
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, XACT_STATE() AS state;
    INSERT dbo.log VALUES (1);
    PRINT 'not reached';
END CATCH
GO
--> [number:int | state:smallint]
--> 1505 | -1
--> (1 rows affected)
--> Msg 3930, Level 16, State 1, Line 8: The current transaction cannot be committed and cannot support operations that write to the log file. Roll back the transaction.
SELECT COUNT(*) AS rows_of_log, @@TRANCOUNT AS open_now FROM dbo.log;
GO
--> [rows_of_log:int | open_now:int]
--> 0 | 0
--> (1 rows affected)
-- Statements that fail alone: the batch goes on, and the transaction stays.
BEGIN TRAN;
DROP TABLE dbo.nothing;
RAISERROR ('%y', 16, 1, 5);
SELECT @@TRANCOUNT AS open_now, @@ERROR AS error;
COMMIT;
COMMIT;
ROLLBACK;
SELECT @@TRANCOUNT AS open_now, @@ERROR AS error;
GO
--> Msg 3701, Level 11, State 5, Line 3: Cannot drop the table 'dbo.nothing', because it does not exist or you do not have permission.
--> Msg 2787, Level 16, State 1, Line 4: Invalid format specification: '%y'.
--> [open_now:int | error:int]
--> 1 | 2787
--> (1 rows affected)
--> Msg 3902, Level 16, State 1, Line 7: The COMMIT TRANSACTION request has no corresponding BEGIN TRANSACTION.
--> Msg 3903, Level 16, State 1, Line 8: The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.
--> [open_now:int | error:int]
--> 0 | 3903
--> (1 rows affected)
CREATE PROCEDURE dbo.goes_on AS
    DROP TABLE dbo.nothing;
    RAISERROR ('%y', 16, 1, 5);
    PRINT 'reached';
GO
EXEC dbo.goes_on;
GO
--> Msg 3701, Level 11, State 5, Line 2: Cannot drop the table 'dbo.nothing', because it does not exist or you do not have permission.
--> Msg 2787, Level 16, State 1, Line 3: Invalid format specification: '%y'.
--> # reached
-- Too deep: the batch and its transaction.
CREATE PROCEDURE dbo.deep AS INSERT dbo.log VALUES (1); EXEC dbo.deep;
GO
SET NOCOUNT ON;
BEGIN TRAN;
EXEC dbo.deep;
PRINT 'not reached';
GO
--> Msg 217, Level 16, State 1, Line 2: Maximum stored procedure, function, trigger, or view nesting level exceeded (limit 32).
SELECT COUNT(*) AS rows_of_log, @@TRANCOUNT AS open_now FROM dbo.log;
SET NOCOUNT OFF;
GO
--> [rows_of_log:int | open_now:int]
--> 0 | 0
-- TRY does not see what cannot be bound at its own level, and sees it of a level below.
BEGIN TRY SELECT * FROM nosuchtable; END TRY BEGIN CATCH PRINT 'caught'; END CATCH
PRINT 'not reached';
GO
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'nosuchtable'.
BEGIN TRY SELECT nosuchcolumn FROM dbo.t; END TRY BEGIN CATCH PRINT 'caught'; END CATCH
PRINT 'not reached';
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuchcolumn'.
BEGIN TRY
    BEGIN TRY WHILE 1 = 1 BEGIN IF 1 = 1 INSERT nosuchtable VALUES (1); END END TRY
    BEGIN CATCH PRINT 'caught'; END CATCH
END TRY
BEGIN CATCH PRINT 'caught'; END CATCH
PRINT 'not reached';
GO
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'nosuchtable'.
BEGIN TRY EXEC ('SELECT * FROM nosuchtable'); END TRY BEGIN CATCH PRINT ERROR_MESSAGE(); END CATCH
BEGIN TRY EXEC sp_executesql N'SELECT nosuchcolumn FROM dbo.t'; END TRY BEGIN CATCH PRINT ERROR_MESSAGE(); END CATCH
PRINT 'reached';
GO
--> # Invalid object name 'nosuchtable'.
--> # Invalid column name 'nosuchcolumn'.
--> # reached
CREATE PROCEDURE dbo.misses AS
    BEGIN TRY SELECT * FROM nosuchtable; END TRY BEGIN CATCH PRINT 'caught inside'; END CATCH
    PRINT 'not reached';
GO
EXEC dbo.misses;
PRINT 'goes on';
BEGIN TRY EXEC dbo.misses; END TRY
BEGIN CATCH SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS place, ERROR_LINE() AS line; END CATCH
GO
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'nosuchtable'.
--> # goes on
--> [number:int | place:nvarchar(128) | line:int]
--> 208 | misses | 2
--> (1 rows affected)
BEGIN TRY EXEC ('SELECT 1 +'); END TRY BEGIN CATCH PRINT ERROR_MESSAGE(); END CATCH
BEGIN TRY DROP TABLE dbo.nothing; END TRY BEGIN CATCH PRINT ERROR_MESSAGE(); END CATCH
BEGIN TRY CREATE TABLE dbo.t (a int); END TRY BEGIN CATCH PRINT ERROR_MESSAGE(); END CATCH
GO
--> # Incorrect syntax near '+'.
--> # Cannot drop the table 'dbo.nothing', because it does not exist or you do not have permission.
--> # There is already an object named 't' in the database.
-- A transaction's name may be in a variable.
CREATE TABLE #n (a int);
DECLARE @name varchar(20) = 'outer';
BEGIN TRAN @name;
INSERT #n VALUES (1);
DECLARE @point nvarchar(20) = N'point';
SAVE TRAN @point;
INSERT #n VALUES (2);
ROLLBACK TRAN point;
SELECT COUNT(*) AS one, @@TRANCOUNT AS open_now FROM #n;
ROLLBACK TRAN other;
SET @name = 'changed';
ROLLBACK TRAN @name;
ROLLBACK TRAN outer;
SELECT COUNT(*) AS none, @@TRANCOUNT AS open_now FROM #n;
GO
--> Msg 156, Level 15, State 1, Line 14: Incorrect syntax near the keyword 'outer'.
-- Undeclared variables refuse the whole batch.
PRINT 'not reached';
IF 1 = 0 PRINT @nobody;
GO
--> Msg 137, Level 15, State 2, Line 3: Must declare the scalar variable "@nobody".
PRINT 'not reached';
SET @nobody = 1;
GO
--> Msg 137, Level 15, State 2, Line 2: Must declare the scalar variable "@nobody".
PRINT @later;
DECLARE @later int;
GO
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@later".
PRINT 'not reached';
INSERT @nobody VALUES (1);
GO
--> Msg 1087, Level 15, State 2, Line 2: Must declare the table variable "@nobody".
DECLARE @i int = 1;
SELECT * FROM @i;
GO
--> Msg 1087, Level 15, State 2, Line 2: Must declare the table variable "@i".
EXEC sp_executesql N'PRINT @given; PRINT @nobody', N'@given int', @given = 5;
EXEC sp_executesql N'PRINT @given', N'@given int', @given = 5;
EXEC ('DECLARE @x int = 1; WHILE @x < 3 BEGIN DECLARE @y int = @x; SET @x += 1; PRINT @y END PRINT @y');
GO
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@nobody".
--> # 5
--> # 1
--> # 2
--> # 2
PRINT 'not reached';
RETURN 5;
GO
--> Msg 178, Level 15, State 1, Line 2: A RETURN statement with a return value cannot be used in this context.
EXEC ('RETURN 5');
RETURN;
GO
--> Msg 178, Level 15, State 1, Line 1: A RETURN statement with a return value cannot be used in this context.
USE master;
DROP DATABASE ends;
GO
