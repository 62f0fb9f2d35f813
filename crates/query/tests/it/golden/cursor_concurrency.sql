-- OPTIMISTIC and SCROLL_LOCKS.
CREATE DATABASE weir;
GO
USE weir;
GO
CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, v int NOT NULL, w int NULL);
CREATE TABLE dbo.rv (id int NOT NULL PRIMARY KEY, v int NOT NULL, r rowversion);
INSERT dbo.t VALUES (1, 10, NULL), (2, 20, NULL), (3, 30, NULL);
INSERT dbo.rv (id, v) VALUES (1, 10), (2, 20);
GO
--> (3 rows affected)
--> (2 rows affected)
DECLARE c CURSOR OPTIMISTIC FOR SELECT id, v FROM dbo.t;
OPEN c;
FETCH NEXT FROM c;
-- Also a column that the cursor does not show.
UPDATE dbo.t SET w = 1 WHERE id = 1;
GO
--> [id:int | v:int]
--> 1 | 10
--> (1 rows affected)
--> (1 rows affected)
UPDATE dbo.t SET v = 11 WHERE CURRENT OF c;
GO
--> Msg 16934, Level 16, State 1, Line 1: Optimistic concurrency check failed. The row was modified outside of this cursor.
--> # The statement has been terminated.
DELETE dbo.t WHERE CURRENT OF c;
GO
--> Msg 16934, Level 16, State 1, Line 1: Optimistic concurrency check failed. The row was modified outside of this cursor.
--> # The statement has been terminated.
-- After another FETCH it is the row that is there now.
FETCH NEXT FROM c;
UPDATE dbo.t SET v = 21 WHERE CURRENT OF c;
UPDATE dbo.t SET v = 22 WHERE CURRENT OF c;
DELETE dbo.t WHERE CURRENT OF c;
SELECT * FROM dbo.t;
DEALLOCATE c;
GO
--> [id:int | v:int]
--> 2 | 20
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | v:int | w:int]
--> 1 | 10 | 1
--> 3 | 30 | NULL
--> (2 rows affected)
-- The same value again is no change, but where the table has a rowversion.
DECLARE c CURSOR KEYSET OPTIMISTIC FOR SELECT id FROM dbo.t;
OPEN c;
FETCH NEXT FROM c;
UPDATE dbo.t SET v = v WHERE id = 1;
UPDATE dbo.t SET v = 12 WHERE CURRENT OF c;
DEALLOCATE c;
DECLARE c CURSOR KEYSET OPTIMISTIC FOR SELECT id FROM dbo.rv;
OPEN c;
FETCH NEXT FROM c;
UPDATE dbo.rv SET v = v WHERE id = 1;
GO
--> [id:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
UPDATE dbo.rv SET v = 12 WHERE CURRENT OF c;
GO
--> Msg 16934, Level 16, State 1, Line 1: Optimistic concurrency check failed. The row was modified outside of this cursor.
--> # The statement has been terminated.
DEALLOCATE c;
GO
-- It is what a cursor is that says nothing.
DECLARE c CURSOR FOR SELECT v FROM dbo.t WHERE id = 3 FOR UPDATE;
OPEN c;
FETCH NEXT FROM c;
UPDATE dbo.t SET v = 31 WHERE id = 3;
UPDATE dbo.t SET v = 32 WHERE CURRENT OF c;
SELECT v FROM dbo.t WHERE id = 3;
DEALLOCATE c;
GO
--> [v:int]
--> 30
--> (1 rows affected)
--> (1 rows affected)
--> Msg 16934, Level 16, State 1, Line 6: Optimistic concurrency check failed. The row was modified outside of this cursor.
--> # The statement has been terminated.
--> [v:int]
--> 31
--> (1 rows affected)
-- SCROLL_LOCKS compares nothing: the row is locked.
BEGIN TRAN;
DECLARE c CURSOR SCROLL_LOCKS FOR SELECT v FROM dbo.t;
OPEN c;
FETCH NEXT FROM c;
SELECT resource_type, request_mode FROM sys.dm_tran_locks WHERE request_session_id = @@SPID AND resource_type = 'KEY';
UPDATE dbo.t SET v = 100 WHERE id = 1;
UPDATE dbo.t SET v = v + 1 WHERE CURRENT OF c;
COMMIT;
SELECT v FROM dbo.t WHERE id = 1;
DEALLOCATE c;
GO
--> [v:int]
--> 12
--> (1 rows affected)
--> [resource_type:nvarchar(60) | request_mode:nvarchar(60)]
--> KEY | U
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [v:int]
--> 101
--> (1 rows affected)
USE master;
DROP DATABASE weir;
GO
