-- How tables and indexes lie in their pages, and what REORGANIZE makes of it.
-- differs snapshot: an index is reorganized in a transaction that reads by a snapshot (3964)
CREATE TABLE dbo.packed (id int NOT NULL PRIMARY KEY, v char(200) NOT NULL);
CREATE INDEX by_v ON dbo.packed (v);
CREATE TABLE dbo.loose (v int NOT NULL);
INSERT dbo.loose VALUES (1), (2), (3);
INSERT dbo.packed SELECT value, 'x' FROM GENERATE_SERIES(1, 4000);
GO
--> (3 rows affected)
--> (4000 rows affected)
DBCC SHOWCONTIG ('dbo.loose');
GO
--> # DBCC SHOWCONTIG scanning 'loose' table...
--> Table: 'loose' (1002); index ID: 0, database ID: 1
--> TABLE level scan performed.
--> - Pages Scanned................................: 1
--> - Extents Scanned..............................: 1
--> - Extent Switches..............................: 0
--> - Avg. Pages per Extent........................: 1.0
--> - Scan Density [Best Count:Actual Count].......: 100.00% [1:1]
--> - Extent Scan Fragmentation ...................: 0.00%
--> - Avg. Bytes Free per Page.....................: 7976.0
--> - Avg. Page Density (full).....................: 1.48%
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
CREATE TABLE #shown (ObjectName nvarchar(128), ObjectId int, IndexName nvarchar(128), IndexId int, [Level] int, Pages bigint, [Rows] bigint,
    MinimumRecordSize int, MaximumRecordSize int, AverageRecordSize float, ForwardedRecords bigint, Extents bigint, ExtentSwitches bigint,
    AverageFreeBytes float, AveragePageDensity float, ScanDensity float, BestCount bigint, ActualCount bigint, LogicalFragmentation float,
    ExtentFragmentation float);
INSERT #shown EXEC ('DBCC SHOWCONTIG (''dbo.packed'') WITH TABLERESULTS');
SELECT ObjectName, IIF(ObjectId = OBJECT_ID('dbo.packed'), 'its own', 'another') AS id, IIF(IndexName LIKE 'PK%', 'PK', IndexName) AS ix, IndexId,
    [Level], Pages, [Rows], MinimumRecordSize, MaximumRecordSize, AverageRecordSize, ForwardedRecords, BestCount,
    IIF(Extents BETWEEN Pages / 8 AND Pages AND ActualCount = ExtentSwitches + 1, 'right', 'wrong') AS extents, IIF(AveragePageDensity > 95, 'full', 'poor') AS density
FROM #shown;
-- Rows that come in an order without pattern leave pages that are poor until they are compacted.
DROP TABLE dbo.packed;
CREATE TABLE dbo.packed (id int NOT NULL PRIMARY KEY, v char(200) NOT NULL, w int NOT NULL);
CREATE INDEX by_v ON dbo.packed (v, w);
GO
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> (1 rows affected)
--> [ObjectName:nvarchar(128) | id:varchar(7) | ix:nvarchar(128) | IndexId:int | Level:int | Pages:bigint | Rows:bigint | MinimumRecordSize:int | MaximumRecordSize:int | AverageRecordSize:float | ForwardedRecords:bigint | BestCount:bigint | extents:varchar(5) | density:varchar(4)]
--> packed | its own | PK | 1 | 0 | 118 | 4000 | 233 | 233 | 233.0 | 0 | 15 | right | full
--> (1 rows affected)
SET NOCOUNT ON;
DECLARE @i int = 1;
WHILE @i < 2003 BEGIN INSERT dbo.packed VALUES (@i * 7919 % 2003, 'x', @i * 1234 % 2003); SET @i += 1 END;
TRUNCATE TABLE #shown;
INSERT #shown EXEC ('DBCC SHOWCONTIG (''dbo.packed'') WITH TABLERESULTS, ALL_INDEXES, NO_INFOMSGS');
SELECT IndexId, IIF(Pages > 70, 'many', 'few') AS pages, [Rows], IIF(AveragePageDensity > 90, 'full', 'poor') AS density FROM #shown ORDER BY IndexId;
ALTER INDEX ALL ON dbo.packed REORGANIZE;
TRUNCATE TABLE #shown;
INSERT #shown EXEC ('DBCC SHOWCONTIG (''dbo.packed'') WITH TABLERESULTS, ALL_INDEXES');
SELECT IndexId, IIF(Pages > 70, 'many', 'few') AS pages, [Rows], IIF(AveragePageDensity > 90, 'full', 'poor') AS density FROM #shown ORDER BY IndexId;
SELECT COUNT(*) AS n, SUM(id) AS total FROM dbo.packed;
SELECT COUNT(*) AS n FROM dbo.packed WITH (INDEX (by_v)) WHERE v = 'x';
DBCC CHECKTABLE ('dbo.packed') WITH NO_INFOMSGS;
GO
--> [IndexId:int | pages:varchar(4) | Rows:bigint | density:varchar(4)]
--> 1 | many | 2002 | poor
--> 2 | many | 2002 | poor
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [IndexId:int | pages:varchar(4) | Rows:bigint | density:varchar(4)]
--> 1 | few | 2002 | full
--> 2 | few | 2002 | full
--> [n:int | total:int]
--> 2002 | 2005003
--> [n:int]
--> 2002
TRUNCATE TABLE #shown;
INSERT #shown EXEC ('DBCC SHOWCONTIG (''dbo.packed'', by_v) WITH FAST, TABLERESULTS');
SELECT IndexName, [Rows], MinimumRecordSize, AverageRecordSize, ForwardedRecords, Extents, AverageFreeBytes, AveragePageDensity, ExtentFragmentation,
    IIF(Pages > 0 AND ScanDensity > 0, 'known', 'unknown') AS others FROM #shown;
-- All tables.
TRUNCATE TABLE #shown;
INSERT #shown EXEC ('DBCC SHOWCONTIG WITH TABLERESULTS, ALL_LEVELS');
SELECT ObjectName, IndexId, [Level], [Rows] FROM #shown ORDER BY ObjectName;
GO
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [IndexName:nvarchar(128) | Rows:bigint | MinimumRecordSize:int | AverageRecordSize:float | ForwardedRecords:bigint | Extents:bigint | AverageFreeBytes:float | AveragePageDensity:float | ExtentFragmentation:float | others:varchar(7)]
--> by_v | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | known
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [ObjectName:nvarchar(128) | IndexId:int | Level:int | Rows:bigint]
--> loose | 0 | 0 | 3
--> packed | 1 | 0 | 2002
DBCC SHOWCONTIG ('dbo.none');
GO
--> Msg 2501, Level 16, State 45, Line 1: Cannot find a table or object with the name "dbo.none". Check the system catalog.
DBCC SHOWCONTIG ('dbo.packed', none);
GO
--> Msg 7999, Level 16, State 8, Line 1: Could not find any index named 'none' for table 'packed'.
DBCC SHOWCONTIG ('dbo.packed', 9);
GO
--> Msg 7999, Level 16, State 8, Line 1: Could not find any index named '9' for table 'packed'.
-- FILLFACTOR is heeded, a full index stays, and a disabled one is none.
ALTER INDEX by_v ON dbo.packed REBUILD WITH (FILLFACTOR = 50);
DBCC INDEXDEFRAG (0, 'dbo.packed', by_v);
ALTER INDEX by_v ON dbo.packed SET (ALLOW_PAGE_LOCKS = OFF);
GO
--> [Pages Scanned:bigint | Pages Moved:bigint | Pages Removed:bigint]
--> 126 | 0 | 0
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
ALTER INDEX by_v ON dbo.packed REORGANIZE;
GO
--> Msg 2552, Level 16, State 1, Line 1: The index "by_v" (partition 1) on table "packed" cannot be reorganized because page level locking is disabled.
DBCC INDEXDEFRAG (0, 'dbo.packed');
GO
--> Msg 2552, Level 16, State 1, Line 1: The index "by_v" (partition 1) on table "packed" cannot be reorganized because page level locking is disabled.
ALTER INDEX by_v ON dbo.packed SET (ALLOW_PAGE_LOCKS = ON);
ALTER INDEX by_v ON dbo.packed REBUILD WITH (FILLFACTOR = 100);
DELETE dbo.packed WHERE id % 2 = 0;
GO
DBCC INDEXDEFRAG (0, 'dbo.packed') WITH NO_INFOMSGS;
GO
CREATE TABLE #moved (scanned bigint, moved bigint, removed bigint);
INSERT #moved EXEC ('DBCC INDEXDEFRAG (master, ''dbo.packed'', 2)');
SELECT IIF(scanned > 0 AND moved <= scanned AND removed <= moved, 'right', 'wrong') AS pages FROM #moved;
GO
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [pages:varchar(5)]
--> right
ALTER INDEX by_v ON dbo.packed DISABLE;
GO
DBCC INDEXDEFRAG (0, 'dbo.packed', by_v);
GO
--> Msg 1973, Level 16, State 1, Line 1: Cannot perform the specified operation on disabled index 'by_v' on table 'dbo.packed'.
DBCC INDEXDEFRAG (0, 'dbo.packed', none);
GO
--> Msg 7999, Level 16, State 8, Line 1: Could not find any index named 'none' for table 'packed'.
DBCC INDEXDEFRAG (0, 'dbo.none');
GO
--> Msg 2501, Level 16, State 45, Line 1: Cannot find a table or object with the name "dbo.none". Check the system catalog.
DBCC INDEXDEFRAG (nowhere, 'dbo.packed');
GO
--> Msg 2520, Level 16, State 5, Line 1: Could not find database 'nowhere'. The database either does not exist, or was dropped before a statement tried to use it. Verify if the database exists by querying the sys.databases catalog view.
ALTER INDEX ALL ON dbo.packed REORGANIZE WITH (LOB_COMPACTION = ON);
GO
-- Inside a transaction, and what it leaves when that is rolled back.
BEGIN TRANSACTION;
DELETE dbo.packed WHERE id < 2000;
ALTER INDEX ALL ON dbo.packed REORGANIZE;
ROLLBACK;
SELECT COUNT(*) AS n, SUM(id) AS total FROM dbo.packed;
DBCC CHECKTABLE ('dbo.packed') WITH NO_INFOMSGS;
GO
--> [n:int | total:int]
--> 1001 | 1002001
-- Who may.
CREATE USER reader WITHOUT LOGIN;
GRANT SELECT ON dbo.packed TO reader;
GO
EXECUTE AS USER = 'reader';
GO
DBCC SHOWCONTIG ('dbo.packed');
GO
--> Msg 2557, Level 14, State 3, Line 1: User 'reader' does not have permission to run DBCC SHOWCONTIG for object 'packed'.
DBCC SHOWCONTIG;
GO
--> Msg 7983, Level 14, State 36, Line 1: User 'reader' does not have permission to run DBCC SHOWCONTIG for database 'master'.
DBCC INDEXDEFRAG (0, 'dbo.packed');
GO
--> Msg 229, Level 14, State 5, Line 1: The DBCC permission was denied on the object 'packed', database 'master', schema 'dbo'.
DBCC MEMORYSTATUS;
GO
--> Msg 2571, Level 14, State 3, Line 1: User 'reader' does not have permission to run DBCC memorystatus.
REVERT;
GO
-- Memory by who holds it.
CREATE TABLE #memory (what nvarchar(128), held bigint);
INSERT #memory EXEC ('DBCC MEMORYSTATUS WITH NO_INFOMSGS');
SELECT what, COUNT(*) AS n, IIF(MIN(held) >= 0, 'right', 'wrong') AS held FROM #memory GROUP BY what ORDER BY what;
GO
--> [what:nvarchar(128) | n:int | held:varchar(5)]
--> Available | 1 | right
--> Available Physical Memory | 1 | right
--> Current Committed | 1 | right
--> Database | 1 | right
--> Dirty | 1 | right
--> Free | 1 | right
--> Grants | 1 | right
--> Limit | 1 | right
--> Page Life Expectancy | 1 | right
--> Pages Allocated | 7 | right
--> Pages Free | 1 | right
--> Physical Memory | 1 | right
--> Target | 1 | right
--> Target Committed | 1 | right
--> Total | 1 | right
--> TotalPages | 1 | right
--> TotalProcs | 1 | right
--> Waiting | 1 | right
--> Working Set | 1 | right
-- Transactions and pages as rows.
CREATE TABLE #open (what varchar(25), details sql_variant);
INSERT #open EXEC ('DBCC OPENTRAN WITH TABLERESULTS, NO_INFOMSGS');
SELECT COUNT(*) AS none FROM #open;
BEGIN TRANSACTION;
DELETE dbo.loose WHERE v = 1;
INSERT #open EXEC ('DBCC OPENTRAN WITH TABLERESULTS');
SELECT what, IIF(what IN ('OLDACT_LSN', 'OLDACT_STARTTIME', 'OLDACT_SPID'), 'known', CAST(details AS varchar(30))) AS details FROM #open;
ROLLBACK;
GO
--> [none:int]
--> 0
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [what:varchar(25) | details:varchar(30)]
--> OLDACT_SPID | known
--> OLDACT_UID | -1
--> OLDACT_NAME | user_transaction
--> OLDACT_LSN | known
--> OLDACT_STARTTIME | known
CREATE TABLE #page (ParentObject nvarchar(256), [Object] nvarchar(256), Field nvarchar(256), [VALUE] nvarchar(256));
INSERT #page EXEC ('DBCC PAGE (master, 1, 9, 1) WITH TABLERESULTS, NO_INFOMSGS');
SELECT ParentObject, Field, [VALUE] FROM #page WHERE Field IN ('m_pageId', 'm_level', 'm_prevPage');
SELECT IIF(COUNT(*) > 1, 'lines', 'none') AS lines FROM #page WHERE ParentObject = 'DATA:';
DBCC HELP ('SHOWCONTIG');
DBCC HELP ('INDEXDEFRAG');
GO
--> [ParentObject:nvarchar(256) | Field:nvarchar(256) | VALUE:nvarchar(256)]
--> PAGE HEADER: | m_pageId | (1:9)
--> PAGE HEADER: | m_level | 0
--> PAGE HEADER: | m_prevPage | (0:0)
--> [lines:varchar(5)]
--> lines
--> # dbcc SHOWCONTIG [ ( { 'table_name' | table_id | 'view_name' | view_id } [ , 'index_name' | index_id ] ) ]
-->     [ WITH { [ ALL_INDEXES ] [ , TABLERESULTS ] [ , FAST ] [ , ALL_LEVELS ] [ , NO_INFOMSGS ] } ]
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> # dbcc INDEXDEFRAG ( { 'database_name' | database_id | 0 } , { 'table_name' | table_id | 'view_name' | view_id }
-->     [ , { 'index_name' | index_id } [ , { partition_number | 0 } ] ] )
-->     [ WITH NO_INFOMSGS ]
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
