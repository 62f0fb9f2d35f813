-- sp_prepare, sp_execute, sp_unprepare and sp_prepexec as procedures in a text.
DECLARE @h int;
EXEC sp_prepare @h OUTPUT, N'@a int, @b nvarchar(10)', N'SELECT @a + 1 AS a, @b AS b, @@NESTLEVEL AS level';
EXEC sp_execute @h, 4, N'x';
EXEC sp_execute @h, @b = N'named', @a = 5;
EXEC sp_unprepare @h;
EXEC sp_execute @h, 4, N'x';
GO
--> [a:int | b:nvarchar(10) | level:int]
--> 5 | x | 2
--> (1 rows affected)
--> [a:int | b:nvarchar(10) | level:int]
--> 6 | named | 2
--> (1 rows affected)
--> Msg 8179, Level 16, State 1, Line 7: Could not find prepared statement with handle 1.
DECLARE @h int, @other int;
EXEC sp_prepare @h OUTPUT, NULL, N'SELECT 1 AS one';
EXEC sp_prepare @other OUTPUT, N'', N'SELECT 2 AS two', 1;
EXEC sp_execute @h;
EXEC sp_execute @other;
SELECT @other - @h AS apart;
EXEC sp_unprepare @h;
EXEC sp_unprepare @other;
EXEC sp_unprepare @other;
GO
--> [two:int]
--> [one:int]
--> 1
--> (1 rows affected)
--> [two:int]
--> 2
--> (1 rows affected)
--> [apart:int]
--> 1
--> (1 rows affected)
--> Msg 8179, Level 16, State 1, Line 9: Could not find prepared statement with handle 3.
DECLARE @h int, @o int = 3, @r int;
EXEC @r = sp_prepexec @h OUTPUT, N'@x int, @o int OUTPUT', N'SET @o = @o * @x; SELECT @o AS o', 7, @o OUTPUT;
SELECT @o AS o, @r AS r;
EXEC sp_execute @h, 2, @o OUTPUT;
SELECT @o AS o;
CREATE TABLE #rows (o int);
INSERT #rows EXEC sp_execute @h, 3, @o;
SELECT o FROM #rows;
EXEC sp_unprepare @h;
GO
--> [o:int]
--> 21
--> (1 rows affected)
--> [o:int | r:int]
--> 21 | 0
--> (1 rows affected)
--> [o:int]
--> 42
--> (1 rows affected)
--> [o:int]
--> 42
--> (1 rows affected)
--> (1 rows affected)
--> [o:int]
--> 126
--> (1 rows affected)
-- A handle outlives its batch; its text runs where it is called.
DECLARE @h int;
EXEC sp_prepare @h OUTPUT, N'@d int', N'SELECT DB_NAME() AS db, 10 / @d AS q';
SELECT @h AS h INTO #handle;
GO
--> (1 rows affected)
USE tempdb;
DECLARE @h int = (SELECT h FROM #handle);
EXEC sp_execute @h, 5;
BEGIN TRY
  EXEC sp_execute @h, 0;
END TRY
BEGIN CATCH
  SELECT ERROR_NUMBER() AS number;
END CATCH;
EXEC master..sp_execute @h, 2;
EXEC sp_unprepare @h;
GO
--> [db:nvarchar(128) | q:int]
--> tempdb | 2
--> (1 rows affected)
--> [db:nvarchar(128) | q:int]
--> [number:int]
--> 8134
--> (1 rows affected)
--> [db:nvarchar(128) | q:int]
--> master | 5
--> (1 rows affected)
EXEC sp_execute NULL;
GO
--> Msg 214, Level 16, State 2, Line 1: Procedure expects parameter '@handle' of type 'int'.
DECLARE @h int;
EXEC sp_prepare @h OUTPUT;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_prepare' expects parameter '@params', which was not supplied.
DECLARE @h int;
EXEC sp_prepare @h OUTPUT, N'@a int', 'SELECT 1';
GO
--> Msg 214, Level 16, State 2, Line 2: Procedure expects parameter '@statement' of type 'ntext/nchar/nvarchar'.
DECLARE @h int;
EXEC sp_prepexec @h OUTPUT, N'@a int', N'SELECT @a AS a';
GO
--> Msg 8178, Level 16, State 1, Line 2: The parameterized query '(@a int)SELECT @a AS a' expects the parameter '@a', which was not supplied.
DECLARE @h int;
EXEC sp_prepexec @h OUTPUT, N'@a int', N'SELECT @a AS a', 1, 2;
GO
--> Msg 8144, Level 16, State 2, Line 2: Procedure or function  has too many arguments specified.
