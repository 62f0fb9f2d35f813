-- What CREATE and ALTER refuse of a module's text, and what they leave to its run.
CREATE DATABASE checked;
GO
USE checked;
CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY, a int, b varchar(10));
GO
CREATE TYPE dbo.pairs AS TABLE (x int, y int);
GO
CREATE PROCEDURE dbo.p AS DECLARE @a int; DECLARE @a int;
GO
--> Msg 134, Level 15, State 1, Line 1: The variable name '@a' has already been declared. Variable names must be unique within a query batch or stored procedure.
CREATE PROCEDURE dbo.p @a int AS DECLARE @A int;
GO
--> Msg 134, Level 15, State 1, Line 1: The variable name '@A' has already been declared. Variable names must be unique within a query batch or stored procedure.
CREATE PROCEDURE dbo.p AS
    IF 1 = 0
        PRINT @nobody;
GO
--> Msg 137, Level 15, State 2, Line 3: Must declare the scalar variable "@nobody".
CREATE PROCEDURE dbo.p AS SET @nobody = 1;
GO
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@nobody".
CREATE PROCEDURE dbo.p AS EXEC @nobody = dbo.q;
GO
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@nobody".
CREATE PROCEDURE dbo.p AS FETCH c INTO @nobody;
GO
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@nobody".
CREATE PROCEDURE dbo.p AS INSERT @nobody VALUES (1);
GO
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@nobody".
CREATE PROCEDURE dbo.p AS SELECT * FROM @nobody;
GO
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@nobody".
CREATE PROCEDURE dbo.p AS
    SELECT a FROM dbo.t;
    SELECT nosuch FROM dbo.t;
GO
--> Msg 207, Level 16, State 1, Line 3: Invalid column name 'nosuch'.
CREATE PROCEDURE dbo.p AS UPDATE dbo.t SET nosuch = 1;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE PROCEDURE dbo.p AS INSERT dbo.t (nosuch) VALUES (1);
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE PROCEDURE dbo.p AS INSERT dbo.t VALUES (1);
GO
--> Msg 213, Level 16, State 1, Line 1: Column name or number of supplied values does not match table definition.
CREATE PROCEDURE dbo.p AS DELETE dbo.t WHERE nosuch = 1;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE PROCEDURE dbo.p AS MERGE dbo.t AS t USING (SELECT 1 AS id) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET nosuch = 1;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE PROCEDURE dbo.p AS IF EXISTS (SELECT * FROM dbo.t WHERE nosuch = 1) PRINT 'x';
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE PROCEDURE dbo.p AS DECLARE @a int = (SELECT MAX(nosuch) FROM dbo.t);
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE PROCEDURE dbo.p AS DECLARE c CURSOR FOR SELECT nosuch FROM dbo.t;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE PROCEDURE dbo.p AS BEGIN TRY PRINT 'x' END TRY BEGIN CATCH SELECT nosuch FROM dbo.t END CATCH
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE PROCEDURE dbo.p AS DECLARE @v TABLE (x int); SELECT y FROM @v;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'y'.
CREATE PROCEDURE dbo.p @v dbo.pairs READONLY AS SELECT z FROM @v;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'z'.
CREATE PROCEDURE dbo.p AS DECLARE @a int; SELECT @a = a, b FROM dbo.t;
GO
--> Msg 141, Level 15, State 1, Line 1: A SELECT statement that assigns a value to a variable must not be combined with data-retrieval operations.
CREATE PROCEDURE dbo.p AS SELECT a, COUNT(*) FROM dbo.t;
GO
--> Msg 8120, Level 16, State 1, Line 1: Column 't.a' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
CREATE PROCEDURE dbo.p AS SELECT nofunction(1);
GO
--> Msg 195, Level 15, State 10, Line 1: 'nofunction' is not a recognized built-in function name.
CREATE PROCEDURE dbo.p AS SELECT t.a FROM dbo.t AS x;
GO
--> Msg 4104, Level 16, State 1, Line 1: The multi-part identifier "t.a" could not be bound.
CREATE PROCEDURE dbo.p @a nosuchtype AS SELECT 1;
GO
--> Msg 2715, Level 16, State 3, Line 1: Column, parameter, or variable #1: Cannot find data type nosuchtype.
CREATE PROCEDURE dbo.p AS IF 1 = 0 SELECT FROM dbo.t;
GO
--> Msg 156, Level 15, State 1, Line 1: Incorrect syntax near the keyword 'FROM'.
SELECT COUNT(*) AS none FROM sys.procedures;
GO
--> [none:int]
--> 0
--> (1 rows affected)
-- Left to the run: tables, functions and procedures that are not there, temporary tables, values.
CREATE PROCEDURE dbo.p @a int = 5, @v dbo.pairs READONLY, @c CURSOR VARYING OUTPUT AS
    SELECT nosuch FROM dbo.missing;
    SELECT t.nosuch FROM dbo.t JOIN dbo.missing ON 1 = 1;
    SELECT dbo.missing_function(1);
    EXEC dbo.missing_procedure @a, @v;
    CREATE TABLE #made (x int);
    INSERT #made SELECT y FROM @v;
    SELECT anything FROM #made;
    SELECT 1 / 0, CAST('x' AS int);
    SET @c = CURSOR FOR SELECT a FROM dbo.t;
    SELECT * FROM nowhere.dbo.t;
GO
ALTER PROCEDURE dbo.p AS SELECT nosuch FROM dbo.t;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
ALTER PROCEDURE dbo.p AS
    WITH c AS (SELECT a, b FROM dbo.t) UPDATE c SET a = 1;
    DECLARE @x int = 1, @t TABLE (k int);
GO
--> Msg 156, Level 15, State 1, Line 3: Incorrect syntax near the keyword 'TABLE'.
ALTER PROCEDURE dbo.p @n int = 3 AS
    WITH c AS (SELECT a, b FROM dbo.t) UPDATE c SET a = 1;
    DECLARE @x int = 1;
    DECLARE @t TABLE (k int, l AS k + 1);
    INSERT @t OUTPUT inserted.k SELECT @x + @n;
    DELETE s OUTPUT deleted.l FROM @t AS s WHERE s.k = @n + 1;
    DECLARE c CURSOR LOCAL FOR SELECT a FROM dbo.t;
    OPEN c;
    FETCH c INTO @x;
    WHILE @@FETCH_STATUS = 0 BEGIN UPDATE dbo.t SET a = 2 WHERE CURRENT OF c; FETCH c INTO @x; END
    SET IDENTITY_INSERT dbo.t ON;
    INSERT dbo.t (id, a) VALUES (100, 1);
    SET IDENTITY_INSERT dbo.t OFF;
    RETURN @n;
GO
DECLARE @r int;
EXEC @r = dbo.p;
SELECT @r AS status, COUNT(*) AS rows_of_t FROM dbo.t;
GO
--> (0 rows affected)
--> [k:int]
--> 4
--> (1 rows affected)
--> [l:int]
--> 5
--> (1 rows affected)
--> (1 rows affected)
--> [status:int | rows_of_t:int]
--> 3 | 1
--> (1 rows affected)
-- Functions, triggers, views.
CREATE FUNCTION dbo.f (@a int) RETURNS int AS BEGIN RETURN (SELECT MAX(nosuch) FROM dbo.t) + @a END
GO
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'nosuch'.
CREATE FUNCTION dbo.f (@a int) RETURNS int AS BEGIN RETURN @b END
GO
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@b".
CREATE FUNCTION dbo.f () RETURNS float AS BEGIN RETURN RAND() END
GO
--> Msg 443, Level 16, State 1, Line 1: Invalid use of a side-effecting operator 'rand' within a function.
CREATE FUNCTION dbo.f () RETURNS varchar(50) AS BEGIN DECLARE @x varchar(50) = NEWID(); RETURN @x END
GO
--> Msg 443, Level 16, State 1, Line 1: Invalid use of a side-effecting operator 'newid' within a function.
CREATE FUNCTION dbo.f () RETURNS TABLE AS RETURN SELECT NEWID() AS n
GO
--> Msg 443, Level 16, State 1, Line 1: Invalid use of a side-effecting operator 'newid' within a function.
CREATE FUNCTION dbo.f () RETURNS TABLE AS RETURN SELECT nosuch FROM dbo.t
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE FUNCTION dbo.f () RETURNS TABLE AS RETURN SELECT a FROM dbo.missing
GO
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'dbo.missing'.
CREATE FUNCTION dbo.f (@n int) RETURNS @r TABLE (x int) AS BEGIN INSERT @r (y) VALUES (@n) RETURN END
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'y'.
CREATE FUNCTION dbo.f (@n int) RETURNS @r TABLE (x int) AS BEGIN INSERT @r VALUES (@n) RETURN 5 END
GO
--> Msg 178, Level 15, State 1, Line 1: A RETURN statement with a return value cannot be used in this context.
CREATE FUNCTION dbo.f (@n int) RETURNS @r TABLE (x int) AS BEGIN INSERT @r VALUES (@n) RETURN END
GO
SELECT x FROM dbo.f(7);
GO
--> [x:int]
--> 7
--> (1 rows affected)
CREATE TRIGGER tr ON dbo.t AFTER UPDATE AS SELECT nosuch FROM inserted
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE TRIGGER tr ON dbo.t AFTER UPDATE AS IF @@ROWCOUNT = 0 RETURN 1
GO
--> Msg 178, Level 15, State 1, Line 1: A RETURN statement with a return value cannot be used in this context.
CREATE TRIGGER tr ON dbo.t AFTER UPDATE AS SELECT i.a, d.a AS was FROM inserted AS i JOIN deleted AS d ON d.id = i.id WHERE UPDATE(a)
GO
UPDATE dbo.t SET a = 9;
GO
--> [a:int | was:int]
--> 9 | 1
--> (1 rows affected)
--> (1 rows affected)
CREATE VIEW dbo.v AS SELECT nosuch FROM dbo.t
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nosuch'.
CREATE VIEW dbo.v AS SELECT @a AS a
GO
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@a".
-- Definitions of columns.
CREATE TABLE dbo.two (a int IDENTITY, b int IDENTITY);
GO
--> Msg 2744, Level 16, State 2, Line 2: Multiple identity columns specified for table 'two'. Only one identity column per table is allowed.
ALTER TABLE dbo.t ADD c int IDENTITY;
GO
--> Msg 2744, Level 16, State 2, Line 1: Multiple identity columns specified for table 't'. Only one identity column per table is allowed.
DECLARE @two TABLE (a int IDENTITY, b int IDENTITY);
GO
--> Msg 2744, Level 16, State 2, Line 1: Multiple identity columns specified for table '@two'. Only one identity column per table is allowed.
CREATE TABLE dbo.two (a int DEFAULT 1 DEFAULT 2);
GO
--> Msg 8148, Level 16, State 0, Line 1: More than one column DEFAULT constraint specified for column 'a', table 'two'.
CREATE TABLE dbo.two (a int CONSTRAINT d1 DEFAULT 1 NOT NULL CONSTRAINT d2 DEFAULT 2);
GO
--> Msg 8148, Level 16, State 0, Line 1: More than one column DEFAULT constraint specified for column 'a', table 'two'.
-- GROUP BY of what is no column, NULLIF of nothing.
SELECT 1 FROM dbo.t GROUP BY MAX(id);
GO
--> Msg 144, Level 15, State 1, Line 2: Cannot use an aggregate or a subquery in an expression used for the group by list of a GROUP BY clause.
SELECT 1 FROM dbo.t GROUP BY (SELECT 1);
GO
--> Msg 144, Level 15, State 1, Line 1: Cannot use an aggregate or a subquery in an expression used for the group by list of a GROUP BY clause.
SELECT 1 FROM dbo.t GROUP BY a + (SELECT MAX(id) FROM dbo.t);
GO
--> Msg 144, Level 15, State 1, Line 1: Cannot use an aggregate or a subquery in an expression used for the group by list of a GROUP BY clause.
SELECT 1 FROM dbo.t GROUP BY ROLLUP (a, COUNT(*));
GO
--> Msg 144, Level 15, State 1, Line 1: Cannot use an aggregate or a subquery in an expression used for the group by list of a GROUP BY clause.
SELECT NULLIF(NULL, 1);
GO
--> Msg 4151, Level 16, State 1, Line 1: The type of the first argument to NULLIF cannot be the NULL constant because the type of the first argument has to be known.
EXEC sp_executesql 'SELECT 1';
GO
--> Msg 214, Level 16, State 2, Line 1: Procedure expects parameter '@statement' of type 'ntext/nchar/nvarchar'.
EXEC sp_executesql N'SELECT @a', '@a int', 1;
GO
--> Msg 214, Level 16, State 2, Line 1: Procedure expects parameter '@params' of type 'ntext/nchar/nvarchar'.
USE master;
DROP DATABASE checked;
GO
