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
--> [trigger_name:nvarchar(128) | trigger_owner:nvarchar(128) | isupdate:int | isdelete:int | isinsert:int | isafter:int | isinsteadof:int | trigger_schema:nvarchar(128)]
--> tr_after | dbo | 1 | 0 | 1 | 1 | 0 | dbo
--> tr_instead | dbo | 0 | 1 | 0 | 0 | 1 | dbo
--> [trigger_name:nvarchar(128) | trigger_owner:nvarchar(128) | isupdate:int | isdelete:int | isinsert:int | isafter:int | isinsteadof:int | trigger_schema:nvarchar(128)]
--> tr_after | dbo | 1 | 0 | 1 | 1 | 0 | dbo
--> [trigger_name:nvarchar(128) | trigger_owner:nvarchar(128) | isupdate:int | isdelete:int | isinsert:int | isafter:int | isinsteadof:int | trigger_schema:nvarchar(128)]
--> tr_instead | dbo | 0 | 1 | 0 | 0 | 1 | dbo
--> [trigger_name:nvarchar(128) | trigger_owner:nvarchar(128) | isupdate:int | isdelete:int | isinsert:int | isafter:int | isinsteadof:int | trigger_schema:nvarchar(128)]
--> Msg 15305, Level 16, State 1, Line 19: The @TriggerType parameter value must be 'insert', 'update', or 'delete'.
--> Msg 15250, Level 16, State 1, Line 8: The database name component of the object qualifier must be the name of the current database.
--> Msg 15009, Level 16, State 1, Line 14: The object 'no such table' does not exist in database 'things' or is invalid for this operation.
--> Msg 15009, Level 16, State 1, Line 14: The object '(null)' does not exist in database 'things' or is invalid for this operation.
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
--> [SCOPE:smallint | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | PSEUDO_COLUMN:smallint]
--> 1 | i | 4 | int identity | 10 | 4 | 0 | 1
--> [SCOPE:smallint | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | PSEUDO_COLUMN:smallint]
--> NULL | v | -2 | timestamp | 8 | 8 | NULL | 1
--> [SCOPE:smallint | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | PSEUDO_COLUMN:smallint]
--> 0 | a | -9 | datetime2 | 27 | 54 | NULL | 1
--> 0 | b | -9 | date | 10 | 20 | NULL | 1
--> 0 | c | -11 | uniqueidentifier | 36 | 16 | NULL | 1
--> [SCOPE:smallint | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | PSEUDO_COLUMN:smallint]
--> 1 | a | 93 | datetime2 | 27 | 16 | 7 | 1
--> 1 | b | 91 | date | 10 | 6 | NULL | 1
--> 1 | c | -11 | uniqueidentifier | 36 | 16 | NULL | 1
--> [SCOPE:smallint | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | PSEUDO_COLUMN:smallint]
--> [SCOPE:smallint | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | PSEUDO_COLUMN:smallint]
--> 1 | n | 4 | int | 10 | 4 | 0 | 1
--> [SCOPE:smallint | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | PSEUDO_COLUMN:smallint]
--> [SCOPE:smallint | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | PSEUDO_COLUMN:smallint]
--> Msg 15251, Level 16, State 1, Line 15: Invalid 'col_type' specified. It must be 'R' or 'V'.
--> Msg 15251, Level 16, State 1, Line 20: Invalid 'scope' specified. It must be 'C' or 'T'.
--> Msg 15251, Level 16, State 1, Line 25: Invalid 'nullable' specified. It must be 'O' or 'U'.
--> Msg 15250, Level 16, State 1, Line 10: The database name component of the object qualifier must be the name of the current database.
EXEC sp_sproc_columns_90 'no such procedure'
GO
--> [PROCEDURE_QUALIFIER:nvarchar(128) | PROCEDURE_OWNER:nvarchar(128) | PROCEDURE_NAME:nvarchar(134) | COLUMN_NAME:nvarchar(128) | COLUMN_TYPE:smallint | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
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
--> [name:nvarchar(128) | allow_row_locks:bit | allow_page_locks:bit]
--> pk_t | 0 | 1
--> u]q | 1 | 0
--> uq_k | 0 | 1
--> (3 rows affected)
--> [name:nvarchar(128) | allow_row_locks:bit | allow_page_locks:bit]
--> pk_t | 1 | 1
--> u]q | 1 | 0
--> uq_k | 0 | 1
--> (3 rows affected)
--> Msg 15388, Level 11, State 1, Line 45: There is no user table matching the input name 't.no_such_index' in the current database or you do not have permission to access the table.
--> Msg 15600, Level 15, State 1, Line 20: An invalid parameter or option was specified for procedure 'sys.sp_indexoption'.
--> Msg 15600, Level 15, State 1, Line 20: An invalid parameter or option was specified for procedure 'sys.sp_indexoption'.
--> Msg 15600, Level 15, State 1, Line 20: An invalid parameter or option was specified for procedure 'sys.sp_indexoption'.
--> Msg 15387, Level 11, State 1, Line 39: If the qualified object name specifies a database, that database must be the current database.
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
--> (3 rows affected)
--> [name:nvarchar(128) | autostats:varchar(3)]
--> [pk_t] | ON
--> [uq_k] | ON
--> [st_j] | ON
--> (3 rows affected)
--> (3 rows affected)
--> # Automatic statistics maintenance turned OFF for 3 indices.
--> # Automatic statistics maintenance turned ON for 1 indices.
--> (3 rows affected)
--> [name:nvarchar(128) | autostats:varchar(3)]
--> [pk_t] | OFF
--> [uq_k] | OFF
--> [st_j] | ON
--> (3 rows affected)
--> (3 rows affected)
--> (1 rows affected)
--> [name:nvarchar(128) | autostats:varchar(3)]
--> [st_j] | ON
--> (1 rows affected)
EXEC sp_autostats 't', 'maybe'
EXEC sp_autostats 'no such table'
EXEC sp_autostats 'master.dbo.t'
EXEC sp_autostats 't', NULL, 'no such index'
GO
--> # Usage: sp_autostats <table_name> [, {ON|OFF} [, <index_name>] ]
--> Msg 15390, Level 11, State 1, Line 20: Input name 'no such table' does not have a matching user table or indexed view in the current database.
--> Msg 15250, Level 16, State 1, Line 14: The database name component of the object qualifier must be the name of the current database.
--> Msg 15323, Level 16, State 1, Line 25: The selected index does not exist on table 't'.
EXEC sp_createstats 'indexonly'
EXEC sp_createstats @fullscan = 'fullscan', @norecompute = 'norecompute'
EXEC sp_createstats
EXEC sp_createstats 'nonsense'
SELECT OBJECT_NAME(object_id) AS of_table, name, user_created, no_recompute FROM sys.stats
    WHERE OBJECT_NAME(object_id) IN ('t', 'x]y''z', 'heap', 'nullable') ORDER BY 1, name
GO
--> # Table '[dbo].[heap]': No columns without statistics found.
--> # Table '[dbo].[nullable]': No columns without statistics found.
--> # Table '[dbo].[t]': No columns without statistics found.
--> # Table '[s].[x]]y'z]': Creating statistics for the following columns:
--> #      b
--> #      c
--> #
--> # Statistics have been created for the 2 listed columns of the above tables.
--> # Table '[dbo].[heap]': Creating statistics for the following columns:
--> #      j
--> # Table '[dbo].[nullable]': No columns without statistics found.
--> # Table '[dbo].[t]': Creating statistics for the following columns:
--> #      v
--> #      d
--> # Table '[s].[x]]y'z]': Creating statistics for the following columns:
--> #      m
--> #
--> # Statistics have been created for the 4 listed columns of the above tables.
--> # Table '[dbo].[heap]': No columns without statistics found.
--> # Table '[dbo].[nullable]': No columns without statistics found.
--> # Table '[dbo].[t]': No columns without statistics found.
--> # Table '[s].[x]]y'z]': No columns without statistics found.
--> #
--> # Statistics have been created for the 0 listed columns of the above tables.
--> Msg 15600, Level 15, State 1, Line 16: An invalid parameter or option was specified for procedure 'sys.sp_createstats'.
--> [of_table:nvarchar(128) | name:nvarchar(128) | user_created:bit | no_recompute:bit]
--> heap | j | 1 | 1
--> nullable | uq_n | 0 | 0
--> t | d | 1 | 1
--> t | pk_t | 0 | 1
--> t | st_j | 1 | 0
--> t | uq_k | 0 | 1
--> t | v | 1 | 1
--> x]y'z | b | 1 | 0
--> x]y'z | c | 1 | 0
--> x]y'z | m | 1 | 1
--> x]y'z | u]q | 0 | 0
--> (11 rows affected)
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
--> [n:int]
--> 0
--> (1 rows affected)
--> # Object 'p' was successfully marked for recompilation.
--> # Object 'dbo.t' was successfully marked for recompilation.
--> [n:int]
--> 0
--> (1 rows affected)
--> Msg 15165, Level 16, State 1, Line 17: Could not find object 'no such object' or you do not have permission.
--> Msg 15250, Level 16, State 1, Line 8: The database name component of the object qualifier must be the name of the current database.
--> Msg 15165, Level 16, State 1, Line 17: Could not find object '(null)' or you do not have permission.
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
--> [result:int]
--> 0
--> (1 rows affected)
--> [result:int]
--> 1
--> (1 rows affected)
--> [result:int]
--> 1
--> (1 rows affected)
--> Msg 15004, Level 16, State 1, Line 8: Name cannot be NULL.
--> [result:int]
--> 1
--> (1 rows affected)
--> Msg 15006, Level 16, State 1, Line 14: '' is not a valid name because it contains invalid characters.
EXEC sp_helpextendedproc 'xp_msver'
EXEC sp_helpextendedproc 'xp_nonsense'
GO
--> [name:nvarchar(128) | dll:nvarchar(255)]
--> xp_msver | (server internal)
--> Msg 15019, Level 16, State 1, Line 7: The extended stored procedure 'xp_nonsense' does not exist.
DECLARE @rows int
EXEC sp_cleanup_temporal_history 'dbo', 't', @rows OUTPUT
EXEC sp_cleanup_temporal_history 'dbo', 'no such table'
GO
--> Msg 50000, Level 16, State 1, Line 18: sp_cleanup_temporal_history can be used only with temporal tables that have a finite retention period: [dbo].[t] has none.
--> Msg 15009, Level 16, State 1, Line 14: The object 'no such table' does not exist in database 'things' or is invalid for this operation.
DECLARE @result int
EXEC @result = sp_flush_log
SELECT @result AS result
GO
--> [result:int]
--> 1
--> (1 rows affected)
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
--> [SCOPE:smallint | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | PSEUDO_COLUMN:smallint]
--> 1 | i | 4 | int identity | 10 | 4 | 0 | 1
--> Msg 15388, Level 11, State 1, Line 45: There is no user table matching the input name 't' in the current database or you do not have permission to access the table.
--> Msg 15247, Level 16, State 1, Line 47: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 10: User does not have permission to perform this action.
--> Msg 15165, Level 16, State 1, Line 17: Could not find object 't' or you do not have permission.
--> Msg 15247, Level 16, State 1, Line 8: User does not have permission to perform this action.
DROP TABLE #stats
USE master
GO
DROP DATABASE things
GO
