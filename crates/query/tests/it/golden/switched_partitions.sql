-- differs snapshot: a transaction that reads by a snapshot changes no definitions (3964)
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
--> Msg 7729, Level 16, State 1, Line 2: Cannot specify partition number in the truncate table statement as the table 'dbo.plain' is not partitioned.
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (5));
GO
--> Msg 7722, Level 16, State 2, Line 1: Invalid partition number 5 specified for table 'dbo.parted', partition number can range from 1 to 4.
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (0));
GO
--> Msg 7722, Level 16, State 2, Line 1: Invalid partition number 0 specified for table 'dbo.parted', partition number can range from 1 to 4.
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (3 TO 1));
GO
--> Msg 7728, Level 16, State 1, Line 1: Invalid partition range: 3 TO 1. Lower bound must not be greater than upper bound.
TRUNCATE TABLE dbo.parted WITH (PARTITIONS ('a'));
GO
--> Msg 4957, Level 16, State 1, Line 1: 'TRUNCATE TABLE' statement failed because the expression identifying partition number for the table 'dbo.parted' is not of integer type.
TRUNCATE TABLE dbo.parted WITH (PARTITIONS ());
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ')'.
TRUNCATE TABLE dbo.nothing WITH (PARTITIONS (1));
GO
--> Msg 4701, Level 16, State 1, Line 1: Cannot find the object "dbo.nothing" because it does not exist or you do not have permissions.
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
--> [id:int | part:int | length:bigint]
--> 2 | 2 | 20000
--> 100 | 2 | NULL
--> [name:varchar(20)]
--> hundred
--> two
--> [all_again:int]
--> 5
--> [id:int]
--> 1
--> 2
--> 100
--> 1001
-- An index that is divided otherwise.
CREATE INDEX aside ON dbo.parted (name) ON [PRIMARY];
GO
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (1));
GO
--> Msg 3756, Level 16, State 1, Line 1: TRUNCATE TABLE statement failed. Index 'aside' is not partitioned, but table 'parted' uses partition function 'pf'. Index and table must use an equivalent partition function.
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.plain;
GO
--> Msg 7733, Level 16, State 4, Line 1: 'ALTER TABLE SWITCH' statement failed. The table 'parted' is partitioned while index 'aside' is not partitioned.
DROP INDEX aside ON dbo.parted;
GO
-- SWITCH out, and in again.
ALTER TABLE dbo.parted SWITCH TO dbo.plain;
GO
--> Msg 4911, Level 16, State 2, Line 2: Cannot specify a partitioned table without partition number in ALTER TABLE SWITCH statement. The table 'parted' is partitioned.
ALTER TABLE dbo.parted SWITCH PARTITION 9 TO dbo.plain;
GO
--> Msg 4950, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed because partition number 9 does not exist in table 'parted'.
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.nothing;
GO
--> Msg 4902, Level 16, State 1, Line 1: Cannot find the object "dbo.nothing" because it does not exist or you do not have permissions.
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.parted PARTITION 1;
GO
--> Msg 4955, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. The source table 'parted' and target table 'parted' are same.
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.plain;
SELECT id, name, LEN(large) AS length FROM dbo.plain ORDER BY id;
SELECT name FROM dbo.plain WITH (INDEX (plain_name)) ORDER BY name;
SELECT id FROM dbo.parted ORDER BY id;
GO
--> [id:int | name:varchar(20) | length:bigint]
--> 2 | two | 20000
--> 100 | hundred | NULL
--> [name:varchar(20)]
--> hundred
--> two
--> [id:int]
--> 1
--> 1001
ALTER TABLE dbo.parted SWITCH PARTITION 1 TO dbo.plain;
GO
--> Msg 4905, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. The target table 'plain' must be empty.
ALTER TABLE dbo.plain SWITCH TO dbo.parted PARTITION 4;
GO
--> Msg 4904, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. The specified partition 4 of target table 'parted' must be empty.
ALTER TABLE dbo.plain SWITCH TO dbo.parted PARTITION 1;
GO
--> Msg 4904, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. The specified partition 1 of target table 'parted' must be empty.
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
--> # Warning: The specified partition 1 for the table 'plain' was ignored in ALTER TABLE SWITCH statement because the table is not partitioned.
--> [id:int | length:bigint]
--> 1 | 1
--> 2 | 20000
--> 100 | NULL
--> 1001 | NULL
--> [left_over:int]
--> 0
--> [parted:int]
--> 2
--> [plain:int]
--> 2
--> [id:int]
--> 1
--> 2
--> 100
--> 1001
--> [name:varchar(20)]
--> one
--> changed
--> [id:int | name:varchar(20) | large:varchar(max)]
--> 7 | seven | NULL
-- From partition to partition.
CREATE TABLE dbo.history (id int NOT NULL, name varchar(20) NOT NULL, large varchar(max) NULL, CONSTRAINT pk_history PRIMARY KEY (id)) ON ps (id);
CREATE INDEX history_name ON dbo.history (name, id) ON ps (id);
GO
ALTER TABLE dbo.parted SWITCH PARTITION 1 TO dbo.history PARTITION 2;
GO
--> Msg 4973, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. Range defined by partition 1 in table 'parted' is not a subset of range defined by partition 2 in table 'history'.
ALTER TABLE dbo.parted SWITCH PARTITION 1 TO dbo.history PARTITION 1;
SELECT id FROM dbo.history;
ALTER TABLE dbo.parted SWITCH PARTITION 4 TO dbo.history PARTITION 4 WITH (WAIT_AT_LOW_PRIORITY (MAX_DURATION = 1 MINUTES, ABORT_AFTER_WAIT = NONE));
SELECT id FROM dbo.history ORDER BY id;
GO
--> [id:int]
--> 1
--> [id:int]
--> 1
--> 1001
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
--> Msg 4942, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed because column 'v' at ordinal 2 in table 'a' has a different name than the column 'w' at the same ordinal in table 'b'.
ALTER TABLE dbo.a SWITCH TO dbo.c;
GO
--> Msg 4944, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed because column 'v' has data type int in source table 'a' which is different from its type bigint in target table 'c'.
ALTER TABLE dbo.a SWITCH TO dbo.d;
GO
--> Msg 4943, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed because table 'a' has 2 columns and table 'd' has 1 columns.
ALTER TABLE dbo.a SWITCH TO dbo.e;
GO
--> Msg 4985, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed because column 'v' does not have the same nullability attribute in tables 'a' and 'e'.
ALTER TABLE dbo.a SWITCH TO dbo.f;
GO
--> Msg 4965, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. Column 'v' in table 'f' is computed column but the same column in 'a' is not computed.
ALTER TABLE dbo.a SWITCH TO dbo.g;
GO
--> Msg 4913, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. The table 'g' has clustered index 'PK__g__00000000000003F5' while the table 'a' does not have clustered index.
ALTER TABLE dbo.a SWITCH TO dbo.h;
GO
--> Msg 4971, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. Target table 'h' has a column level check constraint 'ck_h' but the source table 'a' does not have a corresponding constraint.
ALTER TABLE dbo.a SWITCH TO dbo.i;
GO
--> Msg 4968, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. Target table 'i' has foreign key for constraint 'fk_i' but source table 'a' does not have corresponding key.
ALTER TABLE dbo.a SWITCH TO dbo.j;
GO
--> Msg 4970, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. Target table 'j' has a table level check constraint 'ck_j' but the source table 'a' does not have a corresponding constraint.
ALTER TABLE dbo.a SWITCH TO dbo.k;
GO
--> Msg 4947, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. There is no identical index in source table 'a' for the index 'k_v' in target table 'k' .
ALTER TABLE dbo.g SWITCH TO dbo.plain;
GO
--> Msg 4967, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. SWITCH is not allowed because source table 'g' contains primary key for constraint 'fk_i'.
ALTER TABLE dbo.a SWITCH TO dbo.w;
GO
--> Msg 4949, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed because the object 'dbo.w' is not a user defined table.
CREATE TABLE dbo.like_a (id int NOT NULL, v int NULL);
ALTER TABLE dbo.a SWITCH TO dbo.like_a;
SELECT id, v FROM dbo.like_a;
SELECT COUNT(*) AS none FROM dbo.a;
INSERT dbo.a VALUES (3, 3);
GO
--> [id:int | v:int]
--> 1 | 1
--> 1 | 1
--> [none:int]
--> 0
ALTER TABLE dbo.a SWITCH TO dbo.like_a;
GO
--> Msg 4905, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. The target table 'like_a' must be empty.
-- What a table's options say.
EXEC sp_tableoption 'dbo.plain', 'large value types out of row', 1;
GO
ALTER TABLE dbo.parted SWITCH PARTITION 2 TO dbo.plain;
GO
--> Msg 4993, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. The table 'parted' has different setting for Large Value Types Out Of Row table option as compared to table 'plain'.
-- Boundaries that come and go move no row.
ALTER PARTITION SCHEME ps NEXT USED [PRIMARY];
ALTER PARTITION FUNCTION pf () SPLIT RANGE (50);
SELECT id, $PARTITION.pf(id) AS part FROM dbo.parted ORDER BY id;
ALTER PARTITION FUNCTION pf () MERGE RANGE (1);
SELECT id, $PARTITION.pf(id) AS part FROM dbo.parted ORDER BY id;
TRUNCATE TABLE dbo.parted WITH (PARTITIONS (1));
SELECT id, $PARTITION.pf(id) AS part FROM dbo.parted ORDER BY id;
GO
--> [id:int | part:int]
--> 2 | 2
--> 100 | 3
--> [id:int | part:int]
--> 2 | 1
--> 100 | 2
--> [id:int | part:int]
--> 100 | 2
-- Nothing is paused.
ALTER INDEX by_name ON dbo.parted PAUSE;
GO
--> Msg 10638, Level 16, State 2, Line 2: ALTER INDEX 'PAUSE' failed. There is no pending resumable index operation for the index 'by_name' on 'parted'.
ALTER INDEX by_name ON dbo.parted RESUME WITH (MAXDOP = 2, MAX_DURATION = 240 MINUTES);
GO
--> Msg 10638, Level 16, State 2, Line 1: ALTER INDEX 'RESUME' failed. There is no pending resumable index operation for the index 'by_name' on 'parted'.
ALTER INDEX by_name ON dbo.parted ABORT;
GO
--> Msg 10638, Level 16, State 2, Line 1: ALTER INDEX 'ABORT' failed. There is no pending resumable index operation for the index 'by_name' on 'parted'.
ALTER INDEX nothing ON dbo.parted PAUSE;
GO
--> Msg 2727, Level 11, State 1, Line 1: Cannot find index 'nothing'.
