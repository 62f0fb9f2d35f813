-- Quotas of tempdb: by workload group and by session.
SELECT group_id, name, group_max_tempdb_data_mb AS max_mb FROM sys.resource_governor_workload_groups;
ALTER WORKLOAD GROUP [default] WITH (GROUP_MAX_TEMPDB_DATA_MB = 1);
SELECT group_id, name, group_max_tempdb_data_mb AS max_mb FROM sys.resource_governor_workload_groups;
GO
--> [group_id:int | name:nvarchar(128) | max_mb:float]
--> 2 | default | NULL
--> (1 rows affected)
--> [group_id:int | name:nvarchar(128) | max_mb:float]
--> 2 | default | 1.0
--> (1 rows affected)
-- Not before RECONFIGURE.
SELECT name, group_max_tempdb_data_mb AS max_mb, session_count FROM sys.dm_resource_governor_workload_groups;
ALTER RESOURCE GOVERNOR RECONFIGURE;
SELECT name, group_max_tempdb_data_mb AS max_mb, session_count FROM sys.dm_resource_governor_workload_groups;
GO
--> [name:nvarchar(128) | max_mb:float | session_count:int]
--> internal | NULL | 1
--> default | NULL | 1
--> (2 rows affected)
--> [name:nvarchar(128) | max_mb:float | session_count:int]
--> internal | NULL | 1
--> default | 1.0 | 1
--> (2 rows affected)
SET NOCOUNT ON;
CREATE TABLE #t (filler char(8000));
DECLARE @i int = 0;
BEGIN TRY
    WHILE @i < 1000
    BEGIN
        INSERT #t VALUES ('x');
        SET @i += 1;
    END;
END TRY
BEGIN CATCH
    PRINT CONCAT(ERROR_NUMBER(), ': ', ERROR_MESSAGE());
END CATCH;
SELECT @i AS inserted, COUNT(*) AS here FROM #t;
SELECT peak_tempdb_data_space_kb AS peak_kb, total_tempdb_data_limit_violation_count AS refusals
FROM sys.dm_resource_governor_workload_groups WHERE name = 'default';
SELECT current_page_count AS pages, peak_page_count AS peak FROM sys.dm_db_session_space_usage;
DROP TABLE #t;
SET NOCOUNT OFF;
GO
--> # 1138: Could not allocate a new page for database 'tempdb' because that would exceed the limit set for workload group 'default'.
--> [inserted:int | here:int]
--> 128 | 128
--> [peak_kb:bigint | refusals:bigint]
--> 1024 | 1
--> [pages:bigint | peak:bigint]
--> 0 | 0
--> 128 | 128
ALTER RESOURCE GOVERNOR DISABLE;
CREATE TABLE #t (filler char(8000));
INSERT #t SELECT 'x' FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12)) AS a (x)
    CROSS JOIN (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12)) AS b (x);
DROP TABLE #t;
ALTER WORKLOAD GROUP [default] WITH (GROUP_MAX_TEMPDB_DATA_MB = NULL);
ALTER RESOURCE GOVERNOR RECONFIGURE;
GO
--> (144 rows affected)
CREATE WORKLOAD GROUP reports WITH (GROUP_MAX_TEMPDB_DATA_MB = 100.5, IMPORTANCE = LOW);
GO
CREATE WORKLOAD GROUP Reports;
GO
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'Reports' in the database.
ALTER WORKLOAD GROUP nobody WITH (GROUP_MAX_TEMPDB_DATA_MB = 1);
ALTER WORKLOAD GROUP reports WITH (GROUP_MAX_TEMPDB_DATA_MB = -1);
ALTER RESOURCE GOVERNOR RECONFIGURE;
SELECT group_id, name, group_max_tempdb_data_mb AS max_mb FROM sys.dm_resource_governor_workload_groups;
DROP WORKLOAD GROUP reports;
DROP WORKLOAD GROUP [default];
DROP WORKLOAD GROUP reports;
ALTER RESOURCE GOVERNOR WITH (CLASSIFIER_FUNCTION = dbo.nobody);
BEGIN TRAN;
ALTER RESOURCE GOVERNOR RECONFIGURE;
ROLLBACK;
GO
--> Msg 15151, Level 16, State 1, Line 1: Cannot alter the workload group 'nobody', because it does not exist or you do not have permission.
--> Msg 10908, Level 16, State 1, Line 2: The value specified for the option 'GROUP_MAX_TEMPDB_DATA_MB' is not valid: it is a number of at least 0, or NULL.
--> [group_id:int | name:nvarchar(128) | max_mb:float]
--> 1 | internal | NULL
--> 2 | default | NULL
--> 256 | reports | 100.5
--> (3 rows affected)
--> Msg 10912, Level 16, State 1, Line 6: The operation could not be completed. Dropping predefined workload group is not allowed.
--> Msg 15151, Level 16, State 1, Line 7: Cannot drop the workload group 'reports', because it does not exist or you do not have permission.
--> Msg 208, Level 16, State 1, Line 8: Invalid object name 'dbo.nobody'.
EXEC sp_configure 'show advanced options', 1;
RECONFIGURE;
EXEC sp_configure 'tempdb session limit', 1;
RECONFIGURE;
GO
--> # Configuration option 'show advanced options' changed from 0 to 1. Run the RECONFIGURE statement to install.
--> # Configuration option 'tempdb session limit (MB)' changed from 0 to 1. Run the RECONFIGURE statement to install.
DECLARE @t TABLE (filler char(8000));
INSERT @t SELECT 'x' FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12)) AS a (x)
    CROSS JOIN (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12)) AS b (x);
SELECT COUNT(*) AS none FROM @t;
GO
--> Msg 1138, Level 17, State 1, Line 2: Could not allocate a new page for database 'tempdb' because that would exceed the limit set for a session.
--> # The statement has been terminated.
--> [none:int]
--> 0
--> (1 rows affected)
