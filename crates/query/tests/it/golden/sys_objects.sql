-- differs clustered, secondary: the script lists the indexes and statistics of its tables
-- Procedures about objects: triggers, columns that identify a row, locks of indexes, statistics, recompiling, names.
CREATE DATABASE things
GO
USE things
GO
CREATE SCHEMA s
GO
CREATE TYPE code FROM nvarchar(20) NOT NULL
GO
CREATE TABLE t (i int IDENTITY CONSTRAINT pk_t PRIMARY KEY, j int, k code CONSTRAINT uq_k UNIQUE, v timestamp, d decimal(10, 3))
CREATE TABLE s.[x]]y'z] (a datetime2 NOT NULL, b date NOT NULL, c uniqueidentifier NOT NULL, m money NULL,
    CONSTRAINT [u]]q] UNIQUE (a, b, c))
CREATE TABLE heap (j int)
CREATE TABLE nullable (n int NULL CONSTRAINT uq_n UNIQUE)
GO
CREATE TRIGGER tr_after ON t AFTER INSERT, UPDATE AS RETURN
GO
CREATE TRIGGER tr_instead ON t INSTEAD OF DELETE AS RETURN
GO
EXEC sp_helptrigger 't'
EXEC sp_helptrigger 'things.dbo.t', 'UPDATE'
EXEC sp_helptrigger @tabname = 't', @triggertype = 'delete'
EXEC sp_helptrigger 'heap'
EXEC sp_helptrigger 't', 'merge'
EXEC sp_helptrigger 'master.dbo.t'
EXEC sp_helptrigger 'no such table'
EXEC sp_helptrigger NULL
GO
EXEC sp_special_columns 't'
EXEC sp_special_columns 't', 'dbo', 'things', 'V'
EXEC sp_special_columns @table_name = 'x]y''z', @table_owner = 's', @scope = 'C'
EXEC sp_special_columns_100 'x]y''z', 's', @ODBCVer = 3
EXEC sp_special_columns_90 'heap'
EXEC sp_special_columns 'nullable'
EXEC sp_special_columns 'nullable', @nullable = 'O'
EXEC sp_special_columns 'no such table'
EXEC sp_special_columns 't', @col_type = 'x'
EXEC sp_special_columns 't', @scope = 'x'
EXEC sp_special_columns 't', @nullable = NULL
EXEC sp_special_columns 't', 'dbo', 'master'
GO
EXEC sp_sproc_columns_90 'no such procedure'
GO
EXEC sp_indexoption 't', 'AllowRowLocks', 'FALSE'
EXEC sp_indexoption 's.[x]]y''z].[u]]q]', 'DisAllowPageLocks', 'yes'
SELECT name, allow_row_locks, allow_page_locks FROM sys.indexes WHERE name IN ('pk_t', 'uq_k', 'u]q') ORDER BY name
EXEC sp_indexoption 't.pk_t', 'DisAllowRowLocks', '0'
SELECT name, allow_row_locks, allow_page_locks FROM sys.indexes WHERE name IN ('pk_t', 'uq_k', 'u]q') ORDER BY name
EXEC sp_indexoption 't.no_such_index', 'AllowRowLocks', 'true'
EXEC sp_indexoption 't', 'AllowKeyLocks', 'true'
EXEC sp_indexoption 't', 'AllowRowLocks', 'maybe'
EXEC sp_indexoption NULL, NULL, NULL
EXEC sp_indexoption 'master.dbo.t.pk_t', 'AllowRowLocks', 'true'
GO
CREATE STATISTICS st_j ON t (j)
CREATE TABLE #stats (name sysname, autostats varchar(3), last_updated datetime)
GO
INSERT #stats EXEC sp_autostats 't'
SELECT name, autostats FROM #stats
DELETE #stats
EXEC sp_autostats 't', 'OFF'
EXEC sp_autostats 't', 'on', 'st_j'
INSERT #stats EXEC sp_autostats 't'
SELECT name, autostats FROM #stats
DELETE #stats
INSERT #stats EXEC sp_autostats @tblname = 't', @indname = 'st_j'
SELECT name, autostats FROM #stats
GO
EXEC sp_autostats 't', 'maybe'
EXEC sp_autostats 'no such table'
EXEC sp_autostats 'master.dbo.t'
EXEC sp_autostats 't', NULL, 'no such index'
GO
EXEC sp_createstats 'indexonly'
EXEC sp_createstats @fullscan = 'fullscan', @norecompute = 'norecompute'
EXEC sp_createstats
EXEC sp_createstats 'nonsense'
SELECT OBJECT_NAME(object_id) AS of_table, name, user_created, no_recompute FROM sys.stats
    WHERE OBJECT_NAME(object_id) IN ('t', 'x]y''z', 'heap', 'nullable') ORDER BY 1, name
GO
CREATE PROCEDURE p AS SELECT COUNT(*) AS n FROM t
GO
EXEC p
EXEC sp_recompile 'p'
EXEC sp_recompile 'dbo.t'
EXEC p
EXEC sp_recompile 'no such object'
EXEC sp_recompile 'master.dbo.p'
EXEC sp_recompile NULL
GO
DECLARE @result int, @zero sysname = N'a' + NCHAR(0) + N'b'
EXEC @result = sp_validname N'any''thing]ü'
SELECT @result AS result
EXEC @result = sp_validname @name = '', @raise_error = 0
SELECT @result AS result
EXEC @result = sp_validname @zero, 0
SELECT @result AS result
EXEC @result = sp_validname NULL
SELECT @result AS result
EXEC sp_validname ''
GO
EXEC sp_helpextendedproc 'xp_msver'
EXEC sp_helpextendedproc 'xp_nonsense'
GO
DECLARE @rows int
EXEC sp_cleanup_temporal_history 'dbo', 't', @rows OUTPUT
EXEC sp_cleanup_temporal_history 'dbo', 'no such table'
GO
DECLARE @result int
EXEC @result = sp_flush_log
SELECT @result AS result
GO
CREATE USER reader WITHOUT LOGIN
GRANT SELECT ON t TO reader
GO
EXECUTE AS USER = 'reader'
EXEC sp_special_columns 't'
EXEC sp_indexoption 't', 'AllowRowLocks', 'true'
EXEC sp_autostats 't', 'on'
EXEC sp_createstats
EXEC sp_recompile 't'
EXEC sp_cleanup_temporal_history 'dbo', 't'
REVERT
GO
DROP TABLE #stats
USE master
GO
DROP DATABASE things
GO
