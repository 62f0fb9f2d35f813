-- CREATE STATISTICS … WHERE
CREATE TABLE dbo.t (a int NOT NULL, b int NULL, s varchar(20) NOT NULL);
INSERT INTO dbo.t (a, b, s) SELECT value, value % 10, IIF(value % 4 = 0, 'four', 'other') FROM GENERATE_SERIES(1, 1000);
INSERT INTO dbo.t (a, b, s) VALUES (2000, NULL, 'four');
CREATE STATISTICS few ON dbo.t (a) WHERE b = 3 WITH FULLSCAN;
CREATE STATISTICS texts ON dbo.t (b, a) WHERE s = 'four' AND b IS NOT NULL WITH FULLSCAN, NORECOMPUTE;
CREATE STATISTICS whole ON dbo.t (b) WITH FULLSCAN;
SELECT name, has_filter, filter_definition, no_recompute FROM sys.stats WHERE object_id = OBJECT_ID('dbo.t') ORDER BY stats_id;
SELECT s.name, p.rows, p.rows_sampled, p.unfiltered_rows FROM sys.stats s CROSS APPLY sys.dm_db_stats_properties(s.object_id, s.stats_id) p
  WHERE s.object_id = OBJECT_ID('dbo.t') ORDER BY s.stats_id;
GO
--> (1000 rows affected)
--> (1 rows affected)
--> [name:nvarchar(128) | has_filter:bit | filter_definition:nvarchar(max) | no_recompute:bit]
--> few | 1 | ([b]=(3)) | 0
--> texts | 1 | ([s]='four' AND [b] IS NOT NULL) | 1
--> whole | 0 | NULL | 0
--> (3 rows affected)
--> [name:nvarchar(128) | rows:bigint | rows_sampled:bigint | unfiltered_rows:bigint]
--> few | 100 | 100 | 1001
--> texts | 250 | 250 | 1001
--> whole | 1001 | 1001 | 1001
--> (3 rows affected)
DBCC SHOW_STATISTICS ('dbo.t', texts) WITH HISTOGRAM;
GO
--> [RANGE_HI_KEY:int | RANGE_ROWS:real | EQ_ROWS:real | DISTINCT_RANGE_ROWS:bigint | AVG_RANGE_ROWS:real]
--> 0 | 0.0 | 50.0 | 0 | 1.0
--> 2 | 0.0 | 50.0 | 0 | 1.0
--> 4 | 0.0 | 50.0 | 0 | 1.0
--> 6 | 0.0 | 50.0 | 0 | 1.0
--> 8 | 0.0 | 50.0 | 0 | 1.0
--> (5 rows affected)
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
-- they are counted anew when it is asked for
DELETE FROM dbo.t WHERE a > 500;
UPDATE STATISTICS dbo.t;
SELECT s.name, p.rows, p.unfiltered_rows FROM sys.stats s CROSS APPLY sys.dm_db_stats_properties(s.object_id, s.stats_id) p
  WHERE s.object_id = OBJECT_ID('dbo.t') ORDER BY s.stats_id;
-- and no plan takes some rows for all
SELECT COUNT(*) AS n FROM dbo.t WHERE a BETWEEN 100 AND 200;
GO
--> (501 rows affected)
--> [name:nvarchar(128) | rows:bigint | unfiltered_rows:bigint]
--> few | 50 | 500
--> texts | 125 | 500
--> whole | 500 | 500
--> (3 rows affected)
--> [n:int]
--> 101
--> (1 rows affected)
ALTER TABLE dbo.t DROP COLUMN s;
GO
--> Msg 5074, Level 16, State 1, Line 1: The statistics 'texts' is dependent on column 's'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE DROP COLUMN s failed because one or more objects access this column.
EXEC sp_rename 'dbo.t.s', 'other', 'COLUMN';
GO
--> Msg 15336, Level 16, State 1, Line 1: Object 'dbo.t.s' cannot be renamed because the object participates in enforced dependencies.
CREATE STATISTICS wrong ON dbo.t (a) WHERE nothing = 1;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
DROP STATISTICS dbo.t.texts;
ALTER TABLE dbo.t DROP COLUMN s;
ALTER TABLE dbo.t ADD c int NULL;
ALTER TABLE dbo.t ALTER COLUMN a bigint NOT NULL;
GO
--> Msg 5074, Level 16, State 1, Line 4: The statistics 'few' is dependent on column 'a'.
--> Msg 4922, Level 16, State 9, Line 4: ALTER TABLE ALTER COLUMN a failed because one or more objects access this column.
DROP STATISTICS dbo.t.few;
ALTER TABLE dbo.t ALTER COLUMN a bigint NOT NULL;
CREATE STATISTICS few ON dbo.t (c) WHERE a > 490 WITH FULLSCAN;
SELECT s.name, s.filter_definition, p.rows FROM sys.stats s CROSS APPLY sys.dm_db_stats_properties(s.object_id, s.stats_id) p
  WHERE s.object_id = OBJECT_ID('dbo.t') ORDER BY s.stats_id;
GO
--> [name:nvarchar(128) | filter_definition:nvarchar(max) | rows:bigint]
--> whole | NULL | NULL
--> few | ([a]>(490)) | 10
--> (2 rows affected)
CREATE TABLE #t (a int, b int);
CREATE STATISTICS few ON #t (a) WHERE b > 1;
GO
CREATE STATISTICS fewer ON #t (a) WHERE nothing > 1;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
