-- differs parameters, clustered, plans, secondary, spills: it counts by which indexes statements go, and how
-- Statements are counted by the indexes that they use, once each and by how they use them.
CREATE DATABASE used;
GO
USE used;
CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(20), INDEX ia (a));
CREATE TABLE h (a int, b int);
INSERT t SELECT value, value % 10, 'x' FROM GENERATE_SERIES(1, 100);
INSERT h VALUES (1, 1);
GO
--> (100 rows affected)
--> (1 rows affected)
SELECT OBJECT_NAME(object_id) AS t, index_id, user_seeks AS seeks, user_scans AS scans, user_lookups AS lookups,
       user_updates AS updates, last_user_seek AS seek, CASE WHEN last_user_update > '2020' THEN 1 END AS updated
FROM sys.dm_db_index_usage_stats WHERE database_id = DB_ID() ORDER BY t, index_id;
GO
--> [t:nvarchar(128) | index_id:int | seeks:bigint | scans:bigint | lookups:bigint | updates:bigint | seek:datetime | updated:int]
--> h | 0 | 0 | 0 | 0 | 1 | NULL | 1
--> t | 1 | 0 | 0 | 0 | 1 | NULL | 1
--> t | 2 | 0 | 0 | 0 | 1 | NULL | 1
--> (3 rows affected)
SELECT b FROM t WHERE id = 5;
SELECT COUNT(*) AS n FROM t WHERE id BETWEEN 5 AND 7;
SELECT COUNT(b) AS n FROM t;
SELECT COUNT(*) AS n FROM t WITH (INDEX (ia)) WHERE a = 3;
SELECT COUNT(b) AS n FROM t WITH (INDEX (ia)) WHERE a = 3;
SELECT a FROM h;
GO
--> [b:varchar(20)]
--> x
--> (1 rows affected)
--> [n:int]
--> 3
--> (1 rows affected)
--> [n:int]
--> 100
--> (1 rows affected)
--> [n:int]
--> 10
--> (1 rows affected)
--> [n:int]
--> 10
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
UPDATE t SET b = 'y' WHERE id < 4;
UPDATE t SET a = 11 WHERE id = 1;
DELETE t WHERE id = 2;
MERGE t USING (VALUES (3), (101)) AS s (id) ON s.id = t.id
WHEN MATCHED THEN UPDATE SET b = 'z' WHEN NOT MATCHED THEN INSERT (id, a) VALUES (s.id, 0);
GO
--> (3 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (2 rows affected)
SELECT OBJECT_NAME(object_id) AS t, index_id, user_seeks AS seeks, user_scans AS scans, user_lookups AS lookups,
       user_updates AS updates, CASE WHEN last_user_seek > '2020' THEN 1 END AS seek, system_seeks, last_system_scan
FROM sys.dm_db_index_usage_stats WHERE database_id = DB_ID() ORDER BY t, index_id;
SELECT OBJECT_NAME(object_id) AS t, index_id, partition_number, leaf_insert_count AS i, leaf_delete_count AS d,
       leaf_update_count AS u, singleton_lookup_count AS lookups
FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('t'), NULL, NULL) ORDER BY t, index_id;
SELECT COUNT(*) AS of_index FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('t'), 1, NULL);
SELECT COUNT(*) AS none FROM sys.dm_db_index_operational_stats(DB_ID(), OBJECT_ID('t'), 9, NULL);
GO
--> [t:nvarchar(128) | index_id:int | seeks:bigint | scans:bigint | lookups:bigint | updates:bigint | seek:int | system_seeks:bigint | last_system_scan:datetime]
--> h | 0 | 0 | 1 | 0 | 1 | NULL | 0 | NULL
--> t | 1 | 6 | 1 | 1 | 5 | 1 | 0 | NULL
--> t | 2 | 2 | 0 | 0 | 4 | 1 | 0 | NULL
--> (3 rows affected)
--> [t:nvarchar(128) | index_id:int | partition_number:int | i:bigint | d:bigint | u:bigint | lookups:bigint]
--> t | 1 | 1 | 101 | 1 | 5 | 13
--> t | 2 | 1 | 102 | 2 | 0 | 0
--> (2 rows affected)
--> [of_index:int]
--> 1
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
-- A statement that reads a table twice counts once.
SELECT x.b FROM t x JOIN t y ON y.id = x.id WHERE x.id = 5;
DECLARE @i int = 0;
WHILE @i < 10 BEGIN SELECT @i += 1 FROM t WHERE id = 5; END;
GO
--> [b:varchar(20)]
--> x
--> (1 rows affected)
SELECT index_id, user_seeks AS seeks, user_scans AS scans FROM sys.dm_db_index_usage_stats
WHERE database_id = DB_ID() AND object_id = OBJECT_ID('t') ORDER BY index_id;
GO
--> [index_id:int | seeks:bigint | scans:bigint]
--> 1 | 17 | 1
--> 2 | 2 | 0
--> (2 rows affected)
-- Waits of the session.
WAITFOR DELAY '00:00:00.020';
GO
SELECT wait_type, waiting_tasks_count AS n, CASE WHEN wait_time_ms >= 20 THEN 1 END AS long,
       CASE WHEN max_wait_time_ms >= 20 THEN 1 END AS longest
FROM sys.dm_exec_session_wait_stats WHERE session_id = @@SPID AND wait_type = 'WAITFOR';
SELECT COUNT(*) AS mirrored FROM sys.database_mirroring WHERE mirroring_guid IS NOT NULL;
SELECT COUNT(*) AS named FROM sys.database_mirroring WHERE database_id = DB_ID();
GO
--> [wait_type:nvarchar(60) | n:bigint | long:int | longest:int]
--> WAITFOR | 1 | 1 | 1
--> (1 rows affected)
--> [mirrored:int]
--> 0
--> (1 rows affected)
--> [named:int]
--> 1
--> (1 rows affected)
-- An expression of GROUP BY in a query inside.
SELECT COALESCE(b, '') AS b, (SELECT COUNT(*) FROM t u WHERE COALESCE(u.b, '') = COALESCE(t.b, '')) AS n,
       (SELECT MAX(v.id) FROM t v WHERE v.a = (SELECT MIN(w.a) FROM t w WHERE COALESCE(w.b, '') = COALESCE(t.b, ''))) AS m
FROM t GROUP BY COALESCE(b, '') ORDER BY b;
SELECT a + 1 AS a1, (SELECT COUNT(*) FROM h WHERE h.a = t.a + 1) AS n FROM t GROUP BY a + 1 HAVING EXISTS (SELECT 1 FROM h WHERE h.a = t.a + 1);
GO
--> [b:varchar(20) | n:int | m:int]
-->  | 1 | 101
--> x | 97 | 101
--> y | 1 | 1
--> z | 1 | 93
--> (4 rows affected)
--> [a1:int | n:int]
--> 1 | 1
--> (1 rows affected)
SELECT a + 1 AS a1, (SELECT COUNT(*) FROM h WHERE h.a = t.a) AS n FROM t GROUP BY a + 1;
GO
--> Msg 8120, Level 16, State 1, Line 1: Column 't.a' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
-- A long expression of a temporary table; a stored one is refused by name.
DECLARE @long nvarchar(max) = N'''' + REPLICATE(N'x', 2000) + N''' + CAST(a AS varchar(10))';
EXEC (N'CREATE TABLE #t (a int, b AS ' + @long + N'); INSERT #t (a) VALUES (2); SELECT LEN(b) AS n FROM #t; DECLARE @t table (a int, b AS ' + @long + N'); INSERT @t (a) VALUES (22); SELECT LEN(b) AS n FROM @t');
EXEC (N'CREATE TABLE longer (a int, b AS ' + @long + N')');
GO
--> (1 rows affected)
--> [n:int]
--> 2001
--> (1 rows affected)
--> (1 rows affected)
--> [n:int]
--> 2002
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 1: An expression of more than 1500 characters in a definition is not supported in this version of Millpond.
USE master;
DROP DATABASE used;
GO
