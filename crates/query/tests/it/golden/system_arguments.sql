-- Arguments of the server's own procedures: names, numbers, types.
EXEC sp_who @nobody = 1;
GO
--> Msg 8145, Level 16, State 2, Line 0: @nobody is not a parameter for procedure sp_who.
EXEC sp_who 'sa', 2;
GO
--> Msg 8144, Level 16, State 2, Line 0: Procedure or function sp_who has too many arguments specified.
EXEC sp_configure 'cost threshold for parallelism', 'many';
GO
--> Msg 8114, Level 16, State 5, Line 0: Error converting data type varchar to int.
EXEC sp_configure 'cost threshold for parallelism', 5, 6;
GO
--> Msg 8144, Level 16, State 2, Line 0: Procedure or function sp_configure has too many arguments specified.
EXEC sp_configure @configname = 'cost threshold for parallelism', @configname = 'x';
GO
--> Msg 8143, Level 16, State 1, Line 0: Parameter '@configname' was supplied multiple times.
EXEC sp_helptext @object = 'x';
GO
--> Msg 8145, Level 16, State 2, Line 0: @object is not a parameter for procedure sp_helptext.
EXEC sp_rename @old = 'a', @newname = 'b';
GO
--> Msg 8145, Level 16, State 2, Line 0: @old is not a parameter for procedure sp_rename.
EXEC sp_rename 'a', 'b', 'OBJECT', 4;
GO
--> Msg 8144, Level 16, State 2, Line 0: Procedure or function sp_rename has too many arguments specified.
DECLARE @r int;
BEGIN TRANSACTION;
EXEC @r = sp_getapplock @Resource = 'r', @LockMode = 'Shared', @LockTimeout = '1000';
SELECT @r AS r;
EXEC @r = sp_getapplock 'r', 'Shared', 'Transaction', '0';
SELECT @r AS r;
EXEC sp_getapplock @Resource = 'r', @LockMode = 'Shared', @LockTimeout = 'soon';
GO
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 8114, Level 16, State 5, Line 0: Error converting data type varchar to int.
EXEC sp_getapplock @Resource = 'r', @Mode = 'Shared';
GO
--> Msg 8145, Level 16, State 2, Line 0: @Mode is not a parameter for procedure sp_getapplock.
ROLLBACK;
GO
--> Msg 3903, Level 16, State 1, Line 1: The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.
CREATE TABLE #t (a int);
DROP TABLE #t;
GO
USE tempdb;
GO
CREATE PROCEDURE #n @i int, @d datetime = NULL, @b bit = 0 AS SELECT @i AS i, @d AS d, @b AS b;
GO
EXEC #n '1000', '20200102', 'true';
EXEC #n @i = '7 ', @b = '1';
EXEC #n 'x';
GO
--> [i:int | d:datetime | b:bit]
--> 1000 | 2020-01-02 00:00:00.000 | 1
--> (1 rows affected)
--> [i:int | d:datetime | b:bit]
--> 7 | NULL | 1
--> (1 rows affected)
--> Msg 8114, Level 16, State 5, Line 0: Error converting data type varchar to int.
EXEC sp_columns @table_name = 'none', @wrong = 1;
GO
--> Msg 8145, Level 16, State 2, Line 0: @wrong is not a parameter for procedure sp_columns.
