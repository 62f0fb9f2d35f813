-- Cursors as OUTPUT parameters of procedures.
CREATE DATABASE river;
GO
USE river;
GO
CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, v int NOT NULL);
INSERT dbo.t VALUES (1, 10), (2, 20), (3, 30);
GO
--> (3 rows affected)
CREATE PROCEDURE dbo.opened @from int, @c CURSOR VARYING OUTPUT AS
SET @c = CURSOR SCROLL FOR SELECT id, v FROM dbo.t WHERE id >= @from ORDER BY id;
OPEN @c;
GO
CREATE PROCEDURE dbo.moved @c CURSOR VARYING OUTPUT AS
DECLARE @id int;
SET @c = CURSOR FORWARD_ONLY STATIC FOR SELECT id FROM dbo.t ORDER BY id;
OPEN @c;
FETCH NEXT FROM @c INTO @id;
GO
CREATE PROCEDURE dbo.closed @c CURSOR VARYING OUTPUT AS
SET @c = CURSOR FOR SELECT id FROM dbo.t;
OPEN @c;
CLOSE @c;
GO
CREATE PROCEDURE dbo.named @c CURSOR VARYING OUTPUT AS
DECLARE own CURSOR LOCAL STATIC FOR SELECT v FROM dbo.t ORDER BY v DESC;
OPEN own;
SET @c = own;
GO
CREATE PROCEDURE dbo.outer_one @c CURSOR VARYING OUTPUT AS
EXEC dbo.opened 2, @c OUTPUT;
GO
CREATE PROCEDURE dbo.plain @x int OUTPUT AS SET @x = 1;
GO
DECLARE @c CURSOR, @id int, @v int;
EXEC dbo.opened 2, @c OUTPUT;
FETCH NEXT FROM @c INTO @id, @v;
WHILE @@FETCH_STATUS = 0
BEGIN
    PRINT CONCAT(@id, ' ', @v);
    FETCH NEXT FROM @c INTO @id, @v;
END
CLOSE @c;
DEALLOCATE @c;
SELECT CURSOR_STATUS('variable', '@c') AS s;
EXEC dbo.moved @c = @c OUTPUT;
FETCH NEXT FROM @c;
DEALLOCATE @c;
EXEC dbo.named @c OUTPUT;
FETCH NEXT FROM @c;
DEALLOCATE @c;
EXEC dbo.outer_one @c OUTPUT;
FETCH LAST FROM @c;
GO
--> # 2 20
--> # 3 30
--> [s:smallint]
--> -2
--> (1 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [v:int]
--> 30
--> (1 rows affected)
--> [id:int | v:int]
--> 3 | 30
--> (1 rows affected)
DECLARE @c CURSOR;
EXEC dbo.closed @c OUTPUT;
SELECT CURSOR_STATUS('variable', '@c') AS s;
FETCH NEXT FROM @c;
GO
--> [s:smallint]
--> -2
--> (1 rows affected)
--> Msg 16950, Level 16, State 2, Line 4: The variable '@c' does not currently have a cursor allocated to it.
DECLARE @c CURSOR;
EXEC dbo.named @c OUTPUT;
EXEC dbo.named @c OUTPUT;
GO
--> Msg 16951, Level 16, State 1, Line 3: The variable '@c' cannot be used as a parameter because a CURSOR OUTPUT parameter must not have a cursor allocated to it before execution of the procedure.
DECLARE @c CURSOR;
EXEC dbo.named @c;
GO
--> Msg 16949, Level 16, State 2, Line 2: The variable '@c' is a cursor variable, but it is used in a place where a cursor variable is not valid.
DECLARE @c int;
EXEC dbo.named @c OUTPUT;
GO
--> Msg 16948, Level 16, State 1, Line 0: The variable '@c' is not a cursor variable, but it is used in a place where a cursor variable is expected.
DECLARE @c CURSOR;
EXEC dbo.plain @c OUTPUT;
GO
--> Msg 16949, Level 16, State 2, Line 0: The variable '@c' is a cursor variable, but it is used in a place where a cursor variable is not valid.
EXEC dbo.named;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'named' expects parameter '@c', which was not supplied.
SELECT name, is_output, is_cursor_ref FROM sys.parameters WHERE object_id = OBJECT_ID('dbo.opened') ORDER BY parameter_id;
GO
--> [name:nvarchar(128) | is_output:bit | is_cursor_ref:bit]
--> @from | 0 | 0
--> @c | 1 | 0
--> (2 rows affected)
-- The cursor of a text.
DECLARE @c CURSOR, @n int = 2;
EXEC sp_executesql N'SET @c = CURSOR FOR SELECT @n UNION ALL SELECT @n + 1 ORDER BY 1; OPEN @c',
    N'@n int, @c CURSOR OUTPUT', @n, @c OUTPUT;
FETCH @c;
EXEC sp_executesql N'SET @mine = CURSOR LOCAL FOR SELECT 7; OPEN @mine', N'@mine CURSOR OUTPUT', @mine = @c OUTPUT;
GO
--> [:int]
--> 2
--> (1 rows affected)
--> Msg 16951, Level 16, State 1, Line 6: The variable '@c' cannot be used as a parameter because a CURSOR OUTPUT parameter must not have a cursor allocated to it before execution of the procedure.
DECLARE @c CURSOR, @i int;
EXEC sp_executesql N'SELECT 1', N'@c CURSOR OUTPUT';
EXEC sp_executesql N'SELECT 1', N'@c CURSOR OUTPUT', 3;
EXEC sp_executesql N'SELECT 1', N'@i int OUTPUT', @c OUTPUT;
EXEC sp_executesql N'SELECT 1', N'@c CURSOR OUTPUT', @c;
EXEC sp_executesql N'SELECT 1', N'@c CURSOR OUTPUT', @c OUTPUT;
FETCH @c;
GO
--> Msg 8178, Level 16, State 1, Line 2: The parameterized query '()SELECT 1' expects the parameter '@c', which was not supplied.
--> Msg 16948, Level 16, State 1, Line 3: The variable '@c' is not a cursor variable, but it is used in a place where a cursor variable is expected.
--> Msg 16949, Level 16, State 2, Line 4: The variable '@c' is a cursor variable, but it is used in a place where a cursor variable is not valid.
--> Msg 16949, Level 16, State 2, Line 5: The variable '@c' is a cursor variable, but it is used in a place where a cursor variable is not valid.
--> [:int]
--> 1
--> (1 rows affected)
--> Msg 16950, Level 16, State 2, Line 7: The variable '@c' does not currently have a cursor allocated to it.
USE master;
DROP DATABASE river;
GO
