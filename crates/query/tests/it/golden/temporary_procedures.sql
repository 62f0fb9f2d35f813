-- Procedures whose names begin with #: of their session, gone with it or with DROP, back after a rollback.
CREATE PROCEDURE #p @x int = 1 AS SELECT @x AS x, 'first' AS v;
GO
EXEC #p;
EXEC #p 5;
SELECT CASE WHEN OBJECT_ID('tempdb..#p') IS NULL THEN 'no' ELSE 'yes' END AS there,
       CASE WHEN OBJECT_ID('#p', 'P') IS NULL THEN 'no' ELSE 'yes' END AS there2;
GO
--> [x:int | v:varchar(5)]
--> 1 | first
--> (1 rows affected)
--> [x:int | v:varchar(5)]
--> 5 | first
--> (1 rows affected)
--> [there:varchar(3) | there2:varchar(3)]
--> yes | no
--> (1 rows affected)
SELECT COUNT(*) AS kept FROM sys.objects WHERE name LIKE '#p%';
GO
--> [kept:int]
--> 0
--> (1 rows affected)
CREATE PROCEDURE #p AS SELECT 2;
GO
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named '#p' in the database.
ALTER PROCEDURE #p AS SELECT 'second' AS v;
GO
EXEC #p;
GO
--> [v:varchar(6)]
--> second
--> (1 rows affected)
CREATE OR ALTER PROCEDURE #p AS SELECT 'third' AS v;
GO
EXEC #p;
BEGIN TRANSACTION;
DROP PROCEDURE #p;
EXEC #p;
GO
--> [v:varchar(5)]
--> third
--> (1 rows affected)
--> Msg 2812, Level 16, State 62, Line 4: Could not find stored procedure '#p'.
ROLLBACK;
EXEC #p;
BEGIN TRANSACTION;
EXEC ('CREATE PROCEDURE #q AS SELECT ''nested'' AS v');
EXEC #q;
ROLLBACK;
EXEC #q;
GO
--> [v:varchar(5)]
--> third
--> (1 rows affected)
--> [v:varchar(6)]
--> nested
--> (1 rows affected)
--> Msg 2812, Level 16, State 62, Line 7: Could not find stored procedure '#q'.
-- Made in an inner scope, of the session all the same.
EXEC ('CREATE PROCEDURE #q AS SELECT ''nested'' AS v');
EXEC #q;
USE tempdb;
EXEC #q;
USE master;
DROP PROCEDURE #q, #p;
EXEC #q;
GO
--> [v:varchar(6)]
--> nested
--> (1 rows affected)
--> [v:varchar(6)]
--> nested
--> (1 rows affected)
--> Msg 2812, Level 16, State 62, Line 8: Could not find stored procedure '#q'.
DROP PROCEDURE #p;
GO
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the procedure '#p', because it does not exist or you do not have permission.
DROP PROCEDURE IF EXISTS #p;
GO
ALTER PROCEDURE #p AS SELECT 1;
GO
--> Msg 208, Level 16, State 1, Line 1: Invalid object name '#p'.
CREATE VIEW #v AS SELECT 1 AS a;
GO
--> Msg 4103, Level 15, State 1, Line 1: '#v': Temporary views are not allowed.
CREATE FUNCTION #f () RETURNS int AS BEGIN RETURN 1 END;
GO
--> Msg 1074, Level 15, State 1, Line 1: Creation of temporary functions is not allowed.
