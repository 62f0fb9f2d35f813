-- differs clustered: an index stands on the column that is dropped
-- differs secondary: an index stands on the column that is altered
-- differs snapshot: it alters tables in transactions (3964)
-- Identity values and sequences go on where they were after a DROP or an ALTER that is undone.
CREATE DATABASE counted_on;
GO
USE counted_on;
SET NOCOUNT ON;
GO
CREATE TABLE t (id int IDENTITY, v int);
CREATE TABLE k (id int IDENTITY(10, 10) PRIMARY KEY, v int);
CREATE SEQUENCE s START WITH 5;
INSERT t (v) VALUES (1), (2), (3);
INSERT k (v) VALUES (1), (2);
SELECT NEXT VALUE FOR s AS s;
GO
--> [s:bigint]
--> 5
BEGIN TRANSACTION;
DROP TABLE t;
DROP TABLE k;
DROP SEQUENCE s;
ROLLBACK;
INSERT t (v) VALUES (4);
INSERT k (v) VALUES (3);
SELECT id, v FROM t ORDER BY id;
SELECT id, v FROM k ORDER BY id;
SELECT NEXT VALUE FOR s AS s, IDENT_CURRENT('t') AS t;
GO
--> [id:int | v:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> 4 | 4
--> [id:int | v:int]
--> 10 | 1
--> 20 | 2
--> 30 | 3
--> [s:bigint | t:numeric(38,0)]
--> 6 | 4
BEGIN TRANSACTION;
INSERT t (v) VALUES (5);
ALTER TABLE t ADD w int NOT NULL DEFAULT 7;
INSERT t (v) VALUES (6);
ROLLBACK;
INSERT t (v) VALUES (7);
SELECT id, v FROM t ORDER BY id;
GO
--> [id:int | v:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> 4 | 4
--> 7 | 7
BEGIN TRANSACTION;
SAVE TRANSACTION before;
DROP TABLE t;
ROLLBACK TRANSACTION before;
INSERT t (v) VALUES (8);
COMMIT;
SELECT id, v FROM t ORDER BY id;
GO
--> [id:int | v:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> 4 | 4
--> 7 | 7
--> 8 | 8
BEGIN TRANSACTION;
ALTER TABLE k ALTER COLUMN v bigint;
DROP TABLE k;
ROLLBACK;
INSERT k (v) VALUES (4);
SELECT id, v FROM k ORDER BY id;
GO
--> [id:int | v:int]
--> 10 | 1
--> 20 | 2
--> 30 | 3
--> 40 | 4
BEGIN TRANSACTION;
TRUNCATE TABLE k;
INSERT k (v) VALUES (100);
DROP TABLE k;
ROLLBACK;
INSERT k (v) VALUES (5);
SELECT id, v FROM k ORDER BY id;
GO
--> [id:int | v:int]
--> 10 | 1
--> 20 | 2
--> 30 | 3
--> 40 | 4
--> 50 | 5
BEGIN TRANSACTION;
DROP TABLE k;
CREATE TABLE k (id int IDENTITY(500, 1), v int);
INSERT k (v) VALUES (1);
ROLLBACK;
INSERT k (v) VALUES (6);
SELECT id, v FROM k WHERE v = 6;
GO
--> [id:int | v:int]
--> 60 | 6
BEGIN TRANSACTION;
ALTER TABLE t DROP COLUMN id;
ROLLBACK;
INSERT t (v) VALUES (9);
SELECT id, v FROM t WHERE v = 9;
GO
--> [id:int | v:int]
--> 9 | 9
USE master;
DROP DATABASE counted_on;
GO
