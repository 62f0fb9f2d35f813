-- differs clustered: it has a clustered index already (1902)
-- differs snapshot: definitions do not change in a snapshot transaction (3964)
-- A heap whose clustered index was undone numbers its rows as before: rows that came in between counted otherwise.
SET NOCOUNT ON;
CREATE TABLE t (id int NOT NULL, n varchar(20) NOT NULL, d varchar(max) NULL);
INSERT t SELECT value, '1d', 'x' FROM GENERATE_SERIES(1, 30);
GO
BEGIN TRANSACTION;
CREATE CLUSTERED INDEX cx ON t (n);
INSERT t VALUES (-58, '2c', NULL);
ROLLBACK;
GO
INSERT t SELECT id + 100, n, d FROM t;
SELECT @@ROWCOUNT AS inserted;
SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS ids, MIN(id) AS least, MAX(id) AS most FROM t;
GO
--> [inserted:int]
--> 30
--> [n:int | ids:int | least:int | most:int]
--> 60 | 60 | 1 | 130
-- Made and dropped again, and undone together; then a key, undone alone.
BEGIN TRANSACTION;
CREATE CLUSTERED INDEX cx ON t (n);
INSERT t VALUES (-1, '2c', NULL);
DROP INDEX cx ON t;
INSERT t VALUES (-2, '2c', NULL);
ROLLBACK;
GO
INSERT t SELECT id + 1000, n, d FROM t WHERE id <= 30;
SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS ids, MIN(id) AS least, MAX(id) AS most FROM t;
GO
--> [n:int | ids:int | least:int | most:int]
--> 90 | 90 | 1 | 1030
CREATE CLUSTERED INDEX cx ON t (n);
INSERT t VALUES (-3, '2c', NULL);
BEGIN TRANSACTION;
DROP INDEX cx ON t;
INSERT t VALUES (-4, '2c', NULL), (-5, '2c', NULL);
ROLLBACK;
GO
INSERT t SELECT id - 100, n, d FROM t WHERE id <= 0;
SELECT COUNT(*) AS n, COUNT(DISTINCT id) AS ids, MIN(id) AS least, MAX(id) AS most FROM t;
GO
--> [n:int | ids:int | least:int | most:int]
--> 92 | 92 | -103 | 1030
