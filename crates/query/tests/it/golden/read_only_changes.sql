-- A change of a database that is READ_ONLY is refused, also one of no row.
CREATE DATABASE still;
GO
USE still;
GO
CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, v int NULL);
INSERT dbo.t VALUES (1, 1);
GO
--> (1 rows affected)
USE master;
ALTER DATABASE still SET READ_ONLY;
GO
USE still;
GO
INSERT dbo.t SELECT 5, 5 WHERE 1 = 0;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "still" because the database is read-only.
--> # The statement has been terminated.
INSERT dbo.t WITH (TABLOCK) SELECT 5, 5 WHERE 1 = 0;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "still" because the database is read-only.
--> # The statement has been terminated.
UPDATE dbo.t SET v = 2 WHERE id = 9;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "still" because the database is read-only.
--> # The statement has been terminated.
UPDATE TOP (0) dbo.t SET v = 2;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "still" because the database is read-only.
--> # The statement has been terminated.
DELETE dbo.t WHERE 1 = 0;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "still" because the database is read-only.
--> # The statement has been terminated.
MERGE dbo.t AS t USING (VALUES (1)) AS s (id) ON 1 = 0 WHEN MATCHED THEN DELETE;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "still" because the database is read-only.
--> # The statement has been terminated.
DELETE dbo.t WHERE id = 1;
GO
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "still" because the database is read-only.
--> # The statement has been terminated.
DECLARE @v TABLE (a int);
INSERT @v SELECT id FROM dbo.t;
UPDATE @v SET a = 3;
SELECT a FROM @v;
GO
--> (1 rows affected)
--> (1 rows affected)
--> [a:int]
--> 3
--> (1 rows affected)
USE master;
DROP DATABASE still;
GO
