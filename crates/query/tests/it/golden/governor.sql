-- Quotas of tempdb: by workload group and by session.
SELECT group_id, name, group_max_tempdb_data_mb AS max_mb FROM sys.resource_governor_workload_groups;
ALTER WORKLOAD GROUP [default] WITH (GROUP_MAX_TEMPDB_DATA_MB = 1);
SELECT group_id, name, group_max_tempdb_data_mb AS max_mb FROM sys.resource_governor_workload_groups;
GO
-- Not before RECONFIGURE.
SELECT name, group_max_tempdb_data_mb AS max_mb, session_count FROM sys.dm_resource_governor_workload_groups;
ALTER RESOURCE GOVERNOR RECONFIGURE;
SELECT name, group_max_tempdb_data_mb AS max_mb, session_count FROM sys.dm_resource_governor_workload_groups;
GO
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
ALTER RESOURCE GOVERNOR DISABLE;
CREATE TABLE #t (filler char(8000));
INSERT #t SELECT 'x' FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12)) AS a (x)
    CROSS JOIN (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12)) AS b (x);
DROP TABLE #t;
ALTER WORKLOAD GROUP [default] WITH (GROUP_MAX_TEMPDB_DATA_MB = NULL);
ALTER RESOURCE GOVERNOR RECONFIGURE;
GO
CREATE WORKLOAD GROUP reports WITH (GROUP_MAX_TEMPDB_DATA_MB = 100.5, IMPORTANCE = LOW);
GO
CREATE WORKLOAD GROUP Reports;
GO
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
EXEC sp_configure 'show advanced options', 1;
RECONFIGURE;
EXEC sp_configure 'tempdb session limit', 1;
RECONFIGURE;
GO
DECLARE @t TABLE (filler char(8000));
INSERT @t SELECT 'x' FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12)) AS a (x)
    CROSS JOIN (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12)) AS b (x);
SELECT COUNT(*) AS none FROM @t;
GO
