-- differs secondary: indexes that are made beside are not in the other table
-- Rows of partitions that go, and that go to another table.
SET NOCOUNT ON;
CREATE DATABASE moved;
GO
USE moved;
CREATE PARTITION FUNCTION pf (int) AS RANGE LEFT FOR VALUES (1, 100, 1000);
CREATE PARTITION SCHEME ps AS PARTITION pf ALL TO ([PRIMARY]);
CREATE TABLE dbo.parted (id int NOT NULL, name varchar(20) NOT NULL, large varchar(max) NULL, CONSTRAINT pk_parted PRIMARY KEY (id)) ON ps (id);
CREATE INDEX by_name ON dbo.parted (name, id) ON ps (id);
CREATE TABLE dbo.plain (id int NOT NULL, name varchar(20) NOT NULL, large varchar(max) NULL, CONSTRAINT pk_plain PRIMARY KEY (id));
CREATE INDEX plain_name ON dbo.plain (name, id);
INSERT dbo.parted VALUES (1, 'one', 'x'), (2, 'two', REPLICATE(CAST('y' AS varchar(max)), 20000)), (100, 'hundred', NULL), (101, 'more', 'z'), (1001, 'most', NULL);
GO
-- TRUNCATE of some partitions.
TRUNCATE TABLE dbo.plain WITH (PARTITIONS (1));
GO
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (5));
GO
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (0));
GO
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (3 TO 1));
GO
TRUNCATE TABLE dbo.parted WITH (PARTITIONS ('a'));
GO
TRUNCATE TABLE dbo.parted WITH (PARTITIONS ());
GO
TRUNCATE TABLE dbo.nothing WITH (PARTITIONS (1));
GO
BEGIN TRANSACTION;
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (1, 3 TO 4));
SELECT id, $PARTITION.pf(id) AS part, LEN(large) AS length FROM dbo.parted ORDER BY id;
SELECT name FROM dbo.parted WITH (INDEX (by_name)) ORDER BY name;
ROLLBACK;
SELECT COUNT(*) AS all_again FROM dbo.parted;
DECLARE @n int = 3;
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (@n));
SELECT id FROM dbo.parted ORDER BY id;
GO
-- An index that is divided otherwise.
CREATE INDEX aside ON dbo.parted (name) ON [PRIMARY];
GO
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (1));
GO
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.plain;
GO
DROP INDEX aside ON dbo.parted;
GO
-- SWITCH out, and in again.
ALTER TABLE dbo.parted SWITCH TO dbo.plain;
GO
ALTER TABLE dbo.parted SWITCH PARTITION 9 TO dbo.plain;
GO
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.nothing;
GO
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.parted PARTITION 1;
GO
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.plain;
SELECT id, name, LEN(large) AS length FROM dbo.plain ORDER BY id;
SELECT name FROM dbo.plain WITH (INDEX (plain_name)) ORDER BY name;
SELECT id FROM dbo.parted ORDER BY id;
GO
ALTER TABLE dbo.parted SWITCH PARTITION 1 TO dbo.plain;
GO
ALTER TABLE dbo.plain SWITCH TO dbo.parted PARTITION 4;
GO
ALTER TABLE dbo.plain SWITCH TO dbo.parted PARTITION 1;
GO
BEGIN TRANSACTION;
ALTER TABLE dbo.plain SWITCH PARTITION 1 TO dbo.parted PARTITION $PARTITION.pf(50);
SELECT id, LEN(large) AS length FROM dbo.parted ORDER BY id;
SELECT COUNT(*) AS left_over FROM dbo.plain;
ROLLBACK;
SELECT COUNT(*) AS parted FROM dbo.parted;
SELECT COUNT(*) AS plain FROM dbo.plain;
ALTER TABLE dbo.plain SWITCH TO dbo.parted PARTITION 2;
SELECT id FROM dbo.parted ORDER BY id;
UPDATE dbo.parted SET name = 'changed' WHERE id = 2;
INSERT dbo.plain VALUES (7, 'seven', NULL);
SELECT name FROM dbo.parted WHERE id < 100 ORDER BY id;
SELECT * FROM dbo.plain;
GO
-- From partition to partition.
CREATE TABLE dbo.history (id int NOT NULL, name varchar(20) NOT NULL, large varchar(max) NULL, CONSTRAINT pk_history PRIMARY KEY (id)) ON ps (id);
CREATE INDEX history_name ON dbo.history (name, id) ON ps (id);
GO
ALTER TABLE dbo.parted SWITCH PARTITION 1 TO dbo.history PARTITION 2;
GO
ALTER TABLE dbo.parted SWITCH PARTITION 1 TO dbo.history PARTITION 1;
SELECT id FROM dbo.history;
ALTER TABLE dbo.parted SWITCH PARTITION 4 TO dbo.history PARTITION 4 WITH (WAIT_AT_LOW_PRIORITY (MAX_DURATION = 1 MINUTES, ABORT_AFTER_WAIT = NONE));
SELECT id FROM dbo.history ORDER BY id;
GO
-- Tables that differ.
CREATE TABLE dbo.a (id int NOT NULL, v int NULL);
CREATE TABLE dbo.b (id int NOT NULL, w int NULL);
CREATE TABLE dbo.c (id int NOT NULL, v bigint NULL);
CREATE TABLE dbo.d (id int NOT NULL);
CREATE TABLE dbo.e (id int NOT NULL, v int NOT NULL);
CREATE TABLE dbo.f (id int NOT NULL, v AS id + 1);
CREATE TABLE dbo.g (id int NOT NULL PRIMARY KEY, v int NULL);
CREATE TABLE dbo.h (id int NOT NULL, v int NULL CONSTRAINT ck_h CHECK (v > 0));
CREATE TABLE dbo.i (id int NOT NULL, v int NULL, CONSTRAINT fk_i FOREIGN KEY (id) REFERENCES dbo.g (id));
CREATE TABLE dbo.j (id int NOT NULL, v int NULL, CONSTRAINT ck_j CHECK (v > id));
CREATE TABLE dbo.k (id int NOT NULL, v int NULL);
CREATE INDEX k_v ON dbo.k (v);
INSERT dbo.a VALUES (1, 1), (1, 1);
GO
CREATE VIEW dbo.w AS SELECT id, v FROM dbo.a;
GO
ALTER TABLE dbo.a SWITCH TO dbo.b;
GO
ALTER TABLE dbo.a SWITCH TO dbo.c;
GO
ALTER TABLE dbo.a SWITCH TO dbo.d;
GO
ALTER TABLE dbo.a SWITCH TO dbo.e;
GO
ALTER TABLE dbo.a SWITCH TO dbo.f;
GO
ALTER TABLE dbo.a SWITCH TO dbo.g;
GO
ALTER TABLE dbo.a SWITCH TO dbo.h;
GO
ALTER TABLE dbo.a SWITCH TO dbo.i;
GO
ALTER TABLE dbo.a SWITCH TO dbo.j;
GO
ALTER TABLE dbo.a SWITCH TO dbo.k;
GO
ALTER TABLE dbo.g SWITCH TO dbo.plain;
GO
ALTER TABLE dbo.a SWITCH TO dbo.w;
GO
CREATE TABLE dbo.like_a (id int NOT NULL, v int NULL);
ALTER TABLE dbo.a SWITCH TO dbo.like_a;
SELECT id, v FROM dbo.like_a;
SELECT COUNT(*) AS none FROM dbo.a;
INSERT dbo.a VALUES (3, 3);
GO
ALTER TABLE dbo.a SWITCH TO dbo.like_a;
GO
-- What a table's options say.
EXEC sp_tableoption 'dbo.plain', 'large value types out of row', 1;
GO
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.plain;
GO
-- Boundaries that come and go move no row.
ALTER PARTITION SCHEME ps NEXT USED [PRIMARY];
ALTER PARTITION FUNCTION pf () SPLIT RANGE (50);
SELECT id, $PARTITION.pf(id) AS part FROM dbo.parted ORDER BY id;
ALTER PARTITION FUNCTION pf () MERGE RANGE (1);
SELECT id, $PARTITION.pf(id) AS part FROM dbo.parted ORDER BY id;
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (1));
SELECT id, $PARTITION.pf(id) AS part FROM dbo.parted ORDER BY id;
GO
-- Nothing is paused.
ALTER INDEX by_name ON dbo.parted PAUSE;
GO
ALTER INDEX by_name ON dbo.parted RESUME WITH (MAXDOP = 2, MAX_DURATION = 240 MINUTES);
GO
ALTER INDEX by_name ON dbo.parted ABORT;
GO
ALTER INDEX nothing ON dbo.parted PAUSE;
GO
