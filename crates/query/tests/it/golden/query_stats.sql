-- What statements have cost: sys.dm_exec_query_stats, the texts, the plans.
USE tempdb;
GO
CREATE TABLE #t (id int);
GO
CREATE PROCEDURE dbo.counted AS
    INSERT #t VALUES (1), (2), (3);
    SELECT COUNT(*) AS n FROM #t WHERE id > 1;
GO
EXEC counted;
EXEC counted;
GO
--> (3 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> (3 rows affected)
--> [n:int]
--> 4
--> (1 rows affected)
SELECT SUBSTRING(t.text, q.statement_start_offset / 2 + 1, 6) AS word, q.execution_count, q.total_rows, q.last_rows, q.max_rows,
       CASE WHEN q.total_logical_reads > 0 THEN 'reads' ELSE 'none' END AS reads,
       CASE WHEN q.total_elapsed_time >= q.max_elapsed_time AND q.max_elapsed_time >= q.min_elapsed_time THEN 'ok' END AS times,
       q.total_spills
FROM sys.dm_exec_query_stats AS q CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) AS t
WHERE t.objectid IS NOT NULL ORDER BY q.statement_start_offset;
SELECT p.usecounts, p.objtype, p.cacheobjtype FROM sys.dm_exec_cached_plans AS p CROSS APPLY sys.dm_exec_sql_text(p.plan_handle) AS t
WHERE t.text LIKE '%dbo.counted%' AND p.objtype = 'Proc';
GO
--> [word:nvarchar(max) | execution_count:bigint | total_rows:bigint | last_rows:bigint | max_rows:bigint | reads:varchar(5) | times:varchar(2) | total_spills:bigint]
--> INSERT | 2 | 6 | 3 | 3 | reads | ok | 0
--> SELECT | 2 | 2 | 1 | 1 | reads | ok | 0
--> (2 rows affected)
--> [usecounts:int | objtype:nvarchar(16) | cacheobjtype:nvarchar(17)]
--> 2 | Proc | Compiled Plan
--> (1 rows affected)
-- Calls of a procedure are counted as a whole, whatever its statements do.
CREATE PROCEDURE dbo.caller AS EXEC counted;
GO
EXEC caller;
GO
--> (3 rows affected)
--> [n:int]
--> 6
--> (1 rows affected)
SELECT OBJECT_NAME(p.object_id) AS name, p.type, p.type_desc, p.execution_count,
       CASE WHEN p.total_logical_reads > 0 THEN 'reads' ELSE 'none' END AS reads,
       CASE WHEN p.total_elapsed_time >= p.max_elapsed_time AND p.max_elapsed_time >= p.min_elapsed_time THEN 'ok' END AS times,
       CASE WHEN t.text LIKE '%PROCEDURE dbo.%' THEN 'text' END AS source
FROM sys.dm_exec_procedure_stats AS p CROSS APPLY sys.dm_exec_sql_text(p.sql_handle) AS t
WHERE p.database_id = DB_ID() ORDER BY 1;
GO
--> [name:nvarchar(128) | type:char(2) | type_desc:nvarchar(60) | execution_count:bigint | reads:varchar(5) | times:varchar(2) | source:varchar(4)]
--> caller | P | SQL_STORED_PROCEDURE | 1 | reads | ok | text
--> counted | P | SQL_STORED_PROCEDURE | 3 | reads | ok | text
--> (2 rows affected)
-- A statement that fails is not counted.
SELECT 1 / 0 AS never_counted;
GO
--> [never_counted:int]
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
SELECT COUNT(*) AS none FROM sys.dm_exec_query_stats AS q CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) AS t WHERE t.text LIKE '%1 / 0 AS ' + 'never%';
DBCC FREEPROCCACHE WITH NO_INFOMSGS;
SELECT COUNT(*) AS none FROM sys.dm_exec_query_stats AS q CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) AS t WHERE t.objectid IS NOT NULL;
GO
--> [none:int]
--> 0
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
-- INSERT … EXEC is counted from its first byte on, as the INSERT of the rows that its call sent.
CREATE TABLE #gathered (n int);
GO
CREATE PROCEDURE dbo.gathers AS INSERT #gathered EXEC ('SELECT 7');
GO
EXEC gathers;
EXEC gathers;
GO
--> (1 rows affected)
--> (1 rows affected)
SELECT SUBSTRING(t.text, q.statement_start_offset / 2 + 1, 6) AS word, q.execution_count, q.total_rows
FROM sys.dm_exec_query_stats AS q CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) AS t
WHERE t.objectid = OBJECT_ID('dbo.gathers');
GO
--> [word:nvarchar(max) | execution_count:bigint | total_rows:bigint]
--> INSERT | 2 | 2
--> (1 rows affected)
