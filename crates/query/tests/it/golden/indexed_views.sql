-- Indexed views: kept by every change of their tables.
-- differs snapshot: an index is made in a transaction (3964)
CREATE DATABASE pond;
GO
USE pond;
GO
CREATE TABLE dbo.fish (id int NOT NULL PRIMARY KEY, kind int NOT NULL, weight int NOT NULL, name varchar(20) NULL);
CREATE TABLE dbo.kind (id int NOT NULL PRIMARY KEY, name varchar(20) NOT NULL);
INSERT dbo.kind VALUES (1, 'carp'), (2, 'pike'), (3, 'tench');
INSERT dbo.fish VALUES (1, 1, 10, 'a'), (2, 1, 20, 'b'), (3, 2, 30, NULL);
GO
--> (3 rows affected)
--> (3 rows affected)
CREATE VIEW dbo.by_kind WITH SCHEMABINDING AS
SELECT k.name, SUM(f.weight) AS weight, COUNT_BIG(*) AS n, COUNT_BIG(f.name) AS named
FROM dbo.fish AS f JOIN dbo.kind AS k ON k.id = f.kind GROUP BY k.name;
GO
CREATE VIEW dbo.heavy WITH SCHEMABINDING AS SELECT fish.id, dbo.fish.weight, k.name FROM dbo.fish, dbo.kind AS k WHERE k.id = fish.kind AND weight >= 20;
GO
CREATE UNIQUE CLUSTERED INDEX by_name ON dbo.by_kind (name);
CREATE UNIQUE CLUSTERED INDEX by_id ON dbo.heavy (id);
CREATE INDEX by_weight ON dbo.heavy (weight) INCLUDE (name);
GO
SELECT * FROM dbo.by_kind WITH (NOEXPAND);
SELECT * FROM dbo.heavy WITH (NOEXPAND) ORDER BY id;
GO
--> [name:varchar(20) | weight:int | n:bigint | named:bigint]
--> carp | 30 | 2 | 2
--> pike | 30 | 1 | 0
--> (2 rows affected)
--> [id:int | weight:int | name:varchar(20)]
--> 2 | 20 | carp
--> 3 | 30 | pike
--> (2 rows affected)
INSERT dbo.fish VALUES (4, 3, 5, 'd'), (5, 1, 40, 'e');
SELECT * FROM dbo.by_kind WITH (NOEXPAND);
SELECT * FROM dbo.heavy WITH (NOEXPAND) ORDER BY id;
GO
--> (2 rows affected)
--> [name:varchar(20) | weight:int | n:bigint | named:bigint]
--> carp | 70 | 3 | 3
--> pike | 30 | 1 | 0
--> tench | 5 | 1 | 1
--> (3 rows affected)
--> [id:int | weight:int | name:varchar(20)]
--> 2 | 20 | carp
--> 3 | 30 | pike
--> 5 | 40 | carp
--> (3 rows affected)
UPDATE dbo.fish SET weight = weight + 1, name = NULL WHERE kind = 1;
DELETE dbo.fish WHERE id = 3;
SELECT * FROM dbo.by_kind WITH (NOEXPAND);
SELECT * FROM dbo.heavy WITH (NOEXPAND, INDEX (by_weight)) ORDER BY weight;
GO
--> (3 rows affected)
--> (1 rows affected)
--> [name:varchar(20) | weight:int | n:bigint | named:bigint]
--> carp | 73 | 3 | 0
--> tench | 5 | 1 | 1
--> (2 rows affected)
--> [id:int | weight:int | name:varchar(20)]
--> 2 | 21 | carp
--> 5 | 41 | carp
--> (2 rows affected)
-- A row of the other table changes its groups.
UPDATE dbo.kind SET name = 'koi' WHERE id = 1;
SELECT * FROM dbo.by_kind WITH (NOEXPAND);
SELECT name, COUNT(*) AS n FROM dbo.heavy WITH (NOEXPAND) GROUP BY name;
GO
--> (1 rows affected)
--> [name:varchar(20) | weight:int | n:bigint | named:bigint]
--> koi | 73 | 3 | 0
--> tench | 5 | 1 | 1
--> (2 rows affected)
--> [name:varchar(20) | n:int]
--> koi | 2
--> (1 rows affected)
MERGE dbo.fish AS t USING (VALUES (1, 2, 100), (9, 2, 50)) AS s (id, kind, weight) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET kind = s.kind, weight = s.weight
WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.kind, s.weight, 'm')
WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE;
SELECT * FROM dbo.by_kind WITH (NOEXPAND);
SELECT * FROM dbo.heavy WITH (NOEXPAND) ORDER BY id;
GO
--> (3 rows affected)
--> [name:varchar(20) | weight:int | n:bigint | named:bigint]
--> koi | 62 | 2 | 0
--> pike | 150 | 2 | 1
--> (2 rows affected)
--> [id:int | weight:int | name:varchar(20)]
--> 1 | 100 | pike
--> 2 | 21 | koi
--> 5 | 41 | koi
--> 9 | 50 | pike
--> (4 rows affected)
-- What is undone takes the views back.
BEGIN TRAN;
DELETE dbo.fish;
SELECT COUNT(*) AS n FROM dbo.by_kind WITH (NOEXPAND);
ROLLBACK;
SELECT * FROM dbo.by_kind WITH (NOEXPAND);
GO
--> (4 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [name:varchar(20) | weight:int | n:bigint | named:bigint]
--> koi | 62 | 2 | 0
--> pike | 150 | 2 | 1
--> (2 rows affected)
INSERT dbo.fish VALUES (20, 1, 2147483647, 'x');
GO
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
--> # The statement has been terminated.
SELECT * FROM dbo.by_kind WITH (NOEXPAND);
DBCC CHECKTABLE ('dbo.by_kind') WITH NO_INFOMSGS;
DBCC CHECKTABLE ('dbo.heavy') WITH NO_INFOMSGS;
DBCC CHECKDB WITH NO_INFOMSGS;
GO
--> [name:varchar(20) | weight:int | n:bigint | named:bigint]
--> koi | 62 | 2 | 0
--> pike | 150 | 2 | 1
--> (2 rows affected)
-- The query that names a view reads its rows.
SELECT name, n FROM dbo.by_kind WHERE name = 'pike';
GO
--> [name:varchar(20) | n:bigint]
--> pike | 2
--> (1 rows affected)
SELECT i.name, i.index_id, i.type_desc, i.is_unique, p.rows FROM sys.indexes AS i JOIN sys.partitions AS p ON p.object_id = i.object_id AND p.index_id = i.index_id
WHERE i.object_id IN (OBJECT_ID('dbo.by_kind'), OBJECT_ID('dbo.heavy')) ORDER BY i.name;
SELECT OBJECT_NAME(object_id) AS name, index_id, row_count FROM sys.dm_db_partition_stats WHERE object_id = OBJECT_ID('dbo.heavy') ORDER BY index_id;
SELECT c.name, ic.key_ordinal, ic.is_included_column FROM sys.index_columns AS ic JOIN sys.columns AS c ON c.object_id = ic.object_id AND c.column_id = ic.column_id WHERE ic.object_id = OBJECT_ID('dbo.heavy') AND ic.index_id = 2;
SELECT name, type FROM sys.objects WHERE schema_id = 1 AND type IN ('U', 'V') ORDER BY name;
SELECT COUNT(*) AS n FROM sys.tables;
GO
--> [name:nvarchar(128) | index_id:int | type_desc:nvarchar(60) | is_unique:bit | rows:bigint]
--> by_id | 1 | CLUSTERED | 1 | 4
--> by_name | 1 | CLUSTERED | 1 | 2
--> by_weight | 2 | NONCLUSTERED | 0 | 4
--> (3 rows affected)
--> [name:nvarchar(128) | index_id:int | row_count:bigint]
--> heavy | 1 | 4
--> heavy | 2 | 4
--> (2 rows affected)
--> [name:nvarchar(128) | key_ordinal:tinyint | is_included_column:bit]
--> weight | 1 | 0
--> name | 0 | 1
--> (2 rows affected)
--> [name:nvarchar(128) | type:char(2)]
--> by_kind | V
--> fish | U
--> heavy | V
--> kind | U
--> (4 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
EXEC sp_helpindex 'dbo.heavy';
GO
--> [index_name:nvarchar(128) | index_description:varchar(210) | index_keys:nvarchar(2126)]
--> by_id | clustered, unique located on PRIMARY | id
--> by_weight | nonclustered located on PRIMARY | weight
-- A second row of one key.
CREATE TABLE dbo.b (id int NOT NULL, grp int NOT NULL);
INSERT dbo.b VALUES (1, 10), (2, 20);
GO
--> (2 rows affected)
CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT id, grp FROM dbo.b;
GO
CREATE UNIQUE CLUSTERED INDEX ix_v ON dbo.v (id);
GO
INSERT dbo.b VALUES (3, 30), (1, 99);
GO
--> Msg 2601, Level 14, State 1, Line 1: Cannot insert duplicate key row in object 'dbo.v' with unique index 'ix_v'. The duplicate key value is (1).
--> # The statement has been terminated.
UPDATE dbo.b SET id = 2 WHERE id = 1;
GO
--> Msg 2601, Level 14, State 1, Line 1: Cannot insert duplicate key row in object 'dbo.v' with unique index 'ix_v'. The duplicate key value is (2).
--> # The statement has been terminated.
UPDATE dbo.b SET id = 3 - id;
SELECT * FROM dbo.v WITH (NOEXPAND);
GO
--> (2 rows affected)
--> [id:int | grp:int]
--> 1 | 20
--> 2 | 10
--> (2 rows affected)
TRUNCATE TABLE dbo.b;
GO
--> Msg 3729, Level 16, State 2, Line 1: Cannot TRUNCATE TABLE 'dbo.b' because it is being referenced by object 'v'.
DROP TABLE dbo.b;
GO
--> Msg 3729, Level 16, State 1, Line 1: Cannot DROP TABLE 'dbo.b' because it is being referenced by object 'v'.
ALTER TABLE dbo.b ALTER COLUMN grp bigint NOT NULL;
GO
--> Msg 5074, Level 16, State 1, Line 1: The object 'v' is dependent on column 'grp'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN grp failed because one or more objects access this column.
-- A column more is none of the view's.
ALTER TABLE dbo.b ADD more varchar(10) NOT NULL DEFAULT 'm';
GO
INSERT dbo.b VALUES (7, 70, 'n');
SELECT * FROM dbo.v WITH (NOEXPAND);
GO
--> (1 rows affected)
--> [id:int | grp:int]
--> 1 | 20
--> 2 | 10
--> 7 | 70
--> (3 rows affected)
EXEC sp_rename 'dbo.v', 'w';
GO
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
INSERT dbo.b (id, grp) VALUES (8, 80);
SELECT COUNT(*) AS n FROM dbo.w WITH (NOEXPAND);
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.w');
GO
--> (1 rows affected)
--> [n:int]
--> 4
--> (1 rows affected)
--> [name:nvarchar(128)]
--> ix_v
--> (1 rows affected)
EXEC sp_rename 'dbo.w.ix_v', 'ix_w', 'INDEX';
EXEC sp_rename 'dbo.w.ix_v', 'ix_x', 'INDEX';
GO
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> Msg 15248, Level 11, State 1, Line 2: Either the parameter @objname is ambiguous or the claimed @objtype (INDEX) is wrong.
INSERT dbo.b (id, grp) VALUES (9, 90);
SELECT COUNT(*) AS n FROM dbo.w WITH (NOEXPAND);
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.w');
SELECT is_schema_bound, OBJECTPROPERTY(object_id, 'IsSchemaBound') AS p FROM sys.sql_modules WHERE object_id = OBJECT_ID('dbo.w');
GO
--> (1 rows affected)
--> [n:int]
--> 5
--> (1 rows affected)
--> [name:nvarchar(128)]
--> ix_w
--> (1 rows affected)
--> [is_schema_bound:bit | p:int]
--> 1 | 1
--> (1 rows affected)
DELETE dbo.b WHERE id = 9;
EXEC sp_rename 'dbo.w.ix_w', 'ix_v', 'INDEX';
GO
--> (1 rows affected)
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
CREATE VIEW dbo.loose AS SELECT 1 AS one;
GO
SELECT is_schema_bound, OBJECTPROPERTY(object_id, 'IsSchemaBound') AS p FROM sys.sql_modules WHERE object_id = OBJECT_ID('dbo.loose');
EXEC sp_helpindex 'dbo.loose';
EXEC sp_helpindex 'dbo.nowhere';
DROP VIEW dbo.loose;
GO
--> [is_schema_bound:bit | p:int]
--> 0 | 0
--> (1 rows affected)
--> # The object 'dbo.loose' does not have any indexes, or you do not have permissions.
--> Msg 15009, Level 16, State 1, Line 3: The object 'dbo.nowhere' does not exist in database 'pond' or is invalid for this operation.
ALTER INDEX ix_v ON dbo.w REBUILD;
DROP INDEX ix_v ON dbo.w;
SELECT COUNT(*) AS n FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.w');
GO
--> [n:int]
--> 0
--> (1 rows affected)
SELECT * FROM dbo.w WITH (NOEXPAND);
GO
--> Msg 8171, Level 16, State 2, Line 1: Hint 'noexpand' on object 'dbo.w' is invalid.
INSERT dbo.b (id, grp) VALUES (8, 81);
GO
--> (1 rows affected)
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.w (id);
GO
--> Msg 1505, Level 16, State 1, Line 1: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.w' and the index name 'ix'. The duplicate key value is (8).
BEGIN TRAN;
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.w (grp);
GO
SELECT COUNT(*) AS n FROM dbo.w WITH (NOEXPAND);
ROLLBACK;
SELECT COUNT(*) AS n FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.w');
INSERT dbo.b (id, grp) VALUES (9, 81);
DELETE dbo.b WHERE grp = 81;
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.w (grp);
GO
--> [n:int]
--> 5
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
--> (2 rows affected)
-- ALTER VIEW and DROP VIEW take the indexes along.
ALTER VIEW dbo.w WITH SCHEMABINDING AS SELECT grp FROM dbo.b;
GO
SELECT COUNT(*) AS n FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.w');
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.w (grp);
DROP VIEW dbo.w;
INSERT dbo.b (id, grp) VALUES (9, 80);
TRUNCATE TABLE dbo.b;
GO
--> [n:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
-- Cascades and triggers.
CREATE TABLE dbo.parent (id int NOT NULL PRIMARY KEY, grp varchar(5) NOT NULL);
CREATE TABLE dbo.child (id int NOT NULL PRIMARY KEY, parent int NOT NULL REFERENCES dbo.parent ON DELETE CASCADE ON UPDATE CASCADE, v decimal(10, 2) NOT NULL);
INSERT dbo.parent VALUES (1, 'a'), (2, 'a'), (3, 'b');
INSERT dbo.child VALUES (1, 1, 1.5), (2, 2, 2.5), (3, 3, 3.5), (4, 3, 4);
GO
--> (3 rows affected)
--> (4 rows affected)
CREATE VIEW dbo.family WITH SCHEMABINDING AS SELECT p.grp, COUNT_BIG(*) AS n, SUM(c.v) AS v FROM dbo.parent AS p JOIN dbo.child AS c ON c.parent = p.id GROUP BY p.grp;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.family (grp);
GO
CREATE TRIGGER dbo.after_child ON dbo.parent AFTER INSERT AS INSERT dbo.child SELECT id * 100, id, 10 FROM inserted;
GO
SELECT * FROM dbo.family WITH (NOEXPAND);
DELETE dbo.parent WHERE id = 1;
SELECT * FROM dbo.family WITH (NOEXPAND);
UPDATE dbo.parent SET id = 30, grp = 'c' WHERE id = 3;
SELECT * FROM dbo.family WITH (NOEXPAND);
INSERT dbo.parent VALUES (5, 'a');
SELECT * FROM dbo.family WITH (NOEXPAND);
DBCC CHECKTABLE ('dbo.family') WITH NO_INFOMSGS;
GO
--> [grp:varchar(5) | n:bigint | v:decimal(38,2)]
--> a | 2 | 4.00
--> b | 2 | 7.50
--> (2 rows affected)
--> (1 rows affected)
--> [grp:varchar(5) | n:bigint | v:decimal(38,2)]
--> a | 1 | 2.50
--> b | 2 | 7.50
--> (2 rows affected)
--> (1 rows affected)
--> [grp:varchar(5) | n:bigint | v:decimal(38,2)]
--> a | 1 | 2.50
--> c | 2 | 7.50
--> (2 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [grp:varchar(5) | n:bigint | v:decimal(38,2)]
--> a | 2 | 12.50
--> c | 2 | 7.50
--> (2 rows affected)
-- Settings.
SET QUOTED_IDENTIFIER OFF;
GO
INSERT dbo.parent VALUES (6, 'a');
PRINT 'not reached';
GO
--> Msg 1934, Level 16, State 1, Line 1: INSERT failed because the following SET options have incorrect settings: 'QUOTED_IDENTIFIER'. Verify that SET options are correct for use with indexed views and/or indexes on computed columns and/or filtered indexes and/or query notifications and/or XML data type methods and/or spatial index operations.
SET ANSI_NULLS OFF;
DELETE dbo.parent WHERE id = 99;
GO
--> Msg 1934, Level 16, State 1, Line 2: DELETE failed because the following SET options have incorrect settings: 'ANSI_NULLS, QUOTED_IDENTIFIER'. Verify that SET options are correct for use with indexed views and/or indexes on computed columns and/or filtered indexes and/or query notifications and/or XML data type methods and/or spatial index operations.
SELECT COUNT(*) AS n FROM dbo.family;
SELECT COUNT(*) AS n FROM dbo.family WITH (NOEXPAND);
GO
--> [n:int]
--> 2
--> (1 rows affected)
--> Msg 1934, Level 16, State 1, Line 2: SELECT failed because the following SET options have incorrect settings: 'ANSI_NULLS, QUOTED_IDENTIFIER'. Verify that SET options are correct for use with indexed views and/or indexes on computed columns and/or filtered indexes and/or query notifications and/or XML data type methods and/or spatial index operations.
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.family (grp);
GO
--> Msg 1934, Level 16, State 1, Line 1: CREATE INDEX failed because the following SET options have incorrect settings: 'ANSI_NULLS, QUOTED_IDENTIFIER'. Verify that SET options are correct for use with indexed views and/or indexes on computed columns and/or filtered indexes and/or query notifications and/or XML data type methods and/or spatial index operations.
SET ANSI_NULLS ON;
SET QUOTED_IDENTIFIER ON;
GO
SELECT COUNT(*) AS n FROM dbo.parent WITH (NOEXPAND);
GO
--> Msg 8171, Level 16, State 2, Line 1: Hint 'noexpand' on object 'dbo.parent' is invalid.
USE master;
DROP DATABASE pond;
GO
