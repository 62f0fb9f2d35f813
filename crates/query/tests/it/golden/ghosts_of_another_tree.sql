-- differs secondary: the column that goes has an index there (5074)
-- differs snapshot: definitions do not change in a snapshot transaction (3964)
-- Rows that a transaction has deleted are walked over once; that is forgotten when the table is built anew under its number.
SET NOCOUNT ON;
CREATE TABLE t (id int NOT NULL CONSTRAINT pk PRIMARY KEY NONCLUSTERED, a int NOT NULL, d int NULL);
INSERT t SELECT value, value % 7, value FROM GENERATE_SERIES(1, 2000);
GO
BEGIN TRANSACTION;
DELETE t WHERE id BETWEEN 300 AND 1500;
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(0));
CREATE CLUSTERED INDEX c ON t (a);
DROP INDEX c ON t;
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(0));
DELETE t WHERE id % 100 = 3;
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(0));
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(pk)) WHERE id > 0;
COMMIT;
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(0));
GO
--> [n:int | s:int]
--> 799 | 920100
--> [n:int | s:int]
--> 799 | 920100
--> [n:int | s:int]
--> 791 | 911276
--> [n:int | s:int]
--> 791 | 911276
--> [n:int | s:int]
--> 791 | 911276
-- The same by a column that goes, and by TRUNCATE.
BEGIN TRANSACTION;
DELETE t WHERE id > 1800;
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(0));
ALTER TABLE t DROP COLUMN d;
ALTER TABLE t ADD e int NOT NULL DEFAULT 1;
DELETE t WHERE id % 10 = 1;
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(0));
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(pk)) WHERE id > 0;
TRUNCATE TABLE t;
INSERT t (id, a) SELECT value, value % 7 FROM GENERATE_SERIES(1, 2000);
DELETE t WHERE id % 10 = 1;
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(0));
ROLLBACK;
SELECT COUNT(*) AS n, SUM(id) AS s FROM t WITH (INDEX(0));
GO
--> [n:int | s:int]
--> 593 | 534882
--> [n:int | s:int]
--> 533 | 481122
--> [n:int | s:int]
--> 533 | 481122
--> [n:int | s:int]
--> 1800 | 1801800
--> [n:int | s:int]
--> 791 | 911276
