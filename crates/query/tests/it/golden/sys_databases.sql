-- Procedures about databases: sp_helpdb, renaming, compatibility levels, attaching, removing; good arguments and bad ones.
CREATE TABLE #helped (name sysname, db_size nvarchar(13), owner sysname, dbid smallint, created nvarchar(11), status nvarchar(600),
    compatibility_level tinyint)
GO
CREATE DATABASE [a]]b'c]
ALTER DATABASE [a]]b'c] SET RECOVERY SIMPLE
ALTER DATABASE [a]]b'c] SET AUTO_SHRINK ON
ALTER DATABASE [a]]b'c] SET ANSI_NULLS ON
ALTER DATABASE [a]]b'c] SET RECURSIVE_TRIGGERS ON
GO
INSERT #helped EXEC sp_helpdb
SELECT name, owner, LEN(created) AS date_length, IIF(db_size LIKE '% MB', 1, 0) AS in_mb, dbid, compatibility_level FROM #helped
    WHERE dbid <= 4 OR name = 'a]b''c' ORDER BY dbid
SELECT status FROM #helped WHERE name IN ('master', 'a]b''c') ORDER BY name
GO
--> (5 rows affected)
--> [name:nvarchar(128) | owner:nvarchar(128) | date_length:int | in_mb:int | dbid:smallint | compatibility_level:tinyint]
--> master | sa | 11 | 1 | 1 | 160
--> tempdb | sa | 11 | 1 | 2 | 160
--> model | sa | 11 | 1 | 3 | 160
--> msdb | sa | 11 | 1 | 4 | 160
--> a]b'c | sa | 11 | 1 | 5 | 160
--> (5 rows affected)
--> [status:nvarchar(600)]
--> Status=ONLINE, Updateability=READ_WRITE, UserAccess=MULTI_USER, Recovery=SIMPLE, Version=957, Collation=SQL_Latin1_General_CP1_CI_AS, SQLSortOrder=52, IsAutoShrink, IsAnsiNullsEnabled, IsAutoCreateStatistics, IsAutoUpdateStatistics, IsRecursiveTriggersEnabled
--> Status=ONLINE, Updateability=READ_WRITE, UserAccess=MULTI_USER, Recovery=SIMPLE, Version=957, Collation=SQL_Latin1_General_CP1_CI_AS, SQLSortOrder=52, IsAutoCreateStatistics, IsAutoUpdateStatistics
--> (2 rows affected)
EXEC sp_helpdb 'no such database'
GO
--> Msg 15010, Level 16, State 1, Line 9: The database 'no such database' does not exist. Supply a valid database name. To see available databases, use sys.databases.
DECLARE @result int
EXEC @result = sp_helpdb ''
SELECT @result AS result
GO
--> Msg 15010, Level 16, State 1, Line 9: The database '' does not exist. Supply a valid database name. To see available databases, use sys.databases.
--> [result:int]
--> 1
--> (1 rows affected)
EXEC sp_helpdb '[master]'
GO
--> Msg 15010, Level 16, State 1, Line 9: The database '[master]' does not exist. Supply a valid database name. To see available databases, use sys.databases.
EXEC sp_dbcmptlevel 'a]b''c'
GO
--> # The current compatibility level is 160.
EXEC sp_dbcmptlevel @dbname = 'a]b''c', @new_cmptlevel = 140
EXEC sp_dbcmptlevel 'a]b''c'
SELECT compatibility_level FROM sys.databases WHERE name = 'a]b''c'
GO
--> # The current compatibility level is 140.
--> [compatibility_level:tinyint]
--> 140
--> (1 rows affected)
EXEC sp_dbcmptlevel 'a]b''c', 90
GO
--> Msg 15048, Level 16, State 1, Line 37: Valid values of the database compatibility level are 100, 110, 120, 130, 140, 150 or 160.
--> # The current compatibility level is 140.
EXEC sp_dbcmptlevel
GO
--> Msg 15416, Level 16, State 1, Line 8: Usage: sp_dbcmptlevel [dbname [, compatibilitylevel]]
EXEC sp_dbcmptlevel 'no such database', 150
GO
--> Msg 15010, Level 16, State 1, Line 13: The database 'no such database' does not exist. Supply a valid database name. To see available databases, use sys.databases.
BEGIN TRANSACTION
EXEC sp_dbcmptlevel 'a]b''c', 150
EXEC sp_renamedb 'a]b''c', 'd'
EXEC sp_dbremove 'a]b''c'
EXEC sp_attach_db 'd', 'e'
EXEC sp_attach_single_file_db 'd', 'e'
EXEC sp_resetstatus 'a]b''c'
ROLLBACK
GO
--> Msg 15002, Level 16, State 1, Line 26: The procedure 'sys.sp_dbcmptlevel' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 8: The procedure 'sys.sp_renamedb' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 14: The procedure 'sys.sp_dbremove' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 14: The procedure 'sys.sp_attach_db' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 8: The procedure 'sys.sp_attach_single_file_db' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 13: The procedure 'sys.sp_resetstatus' cannot be executed within a transaction.
EXEC sp_renamedb 'a]b''c', N'ünï'']x'
SELECT name FROM sys.databases WHERE database_id > 4
GO
--> # The database name 'ünï']x' has been set.
--> [name:nvarchar(128)]
--> ünï']x
--> (1 rows affected)
EXEC sp_renamedb @dbname = N'ünï'']x', @newname = 'master'
GO
--> Msg 15032, Level 16, State 1, Line 33: The database 'master' already exists. Specify a unique database name.
EXEC sp_renamedb N'ünï'']x', NULL
GO
--> Msg 15004, Level 16, State 1, Line 13: Name cannot be NULL.
EXEC sp_renamedb N'ünï'']x', ''
GO
--> Msg 15006, Level 16, State 1, Line 18: '' is not a valid name because it contains invalid characters.
EXEC sp_renamedb NULL, 'd'
GO
--> Msg 15010, Level 16, State 1, Line 23: The database '(null)' does not exist. Supply a valid database name. To see available databases, use sys.databases.
EXEC sp_renamedb 'no such database', 'd'
GO
--> Msg 15010, Level 16, State 1, Line 23: The database 'no such database' does not exist. Supply a valid database name. To see available databases, use sys.databases.
EXEC sp_renamedb 'master', 'd'
GO
--> Msg 15227, Level 16, State 1, Line 38: The database 'master' cannot be renamed.
EXEC sp_renamedb N'ünï'']x', 'renamed'
GO
--> # The database name 'renamed' has been set.
DECLARE @result int
EXEC @result = sp_resetstatus 'renamed'
SELECT @result AS result
EXEC @result = sp_resetstatus NULL
SELECT @result AS result
GO
--> # The suspect flag on the database "renamed" is already reset.
--> [result:int]
--> 1
--> (1 rows affected)
--> Msg 15010, Level 16, State 1, Line 18: The database '(null)' does not exist. Supply a valid database name. To see available databases, use sys.databases.
--> [result:int]
--> 1
--> (1 rows affected)
EXEC sp_db_vardecimal_storage_format 'renamed'
EXEC sp_db_vardecimal_storage_format 'renamed', 'off'
GO
--> [Database Name:nvarchar(128) | Vardecimal State:varchar(3)]
--> renamed | ON
EXEC sp_db_vardecimal_storage_format 'renamed', 'x'
GO
--> Msg 15600, Level 15, State 1, Line 15: An invalid parameter or option was specified for procedure 'sys.sp_db_vardecimal_storage_format'.
EXEC sp_db_vardecimal_storage_format 'master', 'ON'
GO
--> Msg 15657, Level 16, State 1, Line 20: Vardecimal storage format is not available in system database 'master'.
EXEC sp_db_vardecimal_storage_format 'no such database'
GO
--> Msg 15010, Level 16, State 1, Line 8: The database 'no such database' does not exist. Supply a valid database name. To see available databases, use sys.databases.
EXEC sp_db_increased_partitions
EXEC sp_db_increased_partitions 'renamed', 'true'
EXEC sp_db_increased_partitions 'renamed', 'off'
GO
--> [increased_partitions:int]
--> 1
--> Msg 40517, Level 16, State 1, Line 29: Switching off support for 15,000 partitions is not supported in this version of Millpond.
EXEC sp_db_increased_partitions 'renamed', 'maybe'
GO
--> Msg 15231, Level 16, State 1, Line 19: The argument specified for the '@increased_partitions' parameter of stored procedure 'sys.sp_db_increased_partitions' is not valid. Valid arguments are 'ON', 'OFF', 'TRUE' and 'FALSE'.
EXEC sp_db_increased_partitions 'no such database'
GO
--> Msg 15010, Level 16, State 1, Line 9: The database 'no such database' does not exist. Supply a valid database name. To see available databases, use sys.databases.
CREATE LOGIN visitor WITH PASSWORD = 'V1sit!or-of-all'
GO
EXECUTE AS LOGIN = 'visitor'
GO
EXEC sp_renamedb 'renamed', 'd'
EXEC sp_dbcmptlevel 'renamed', 150
EXEC sp_dbremove 'renamed'
EXEC sp_resetstatus 'renamed'
EXEC sp_db_increased_partitions 'renamed', 'on'
GO
--> Msg 15247, Level 16, State 1, Line 28: User does not have permission to perform this action.
--> Msg 15418, Level 16, State 1, Line 32: Only members of the sysadmin role or the database owner may set the database compatibility level.
--> Msg 15247, Level 16, State 1, Line 9: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 8: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 24: User does not have permission to perform this action.
DELETE #helped
GO
--> (5 rows affected)
REVERT
GO
EXEC sp_attach_db 'd', NULL
GO
--> Msg 15004, Level 16, State 1, Line 24: Name cannot be NULL.
EXEC sp_attach_db NULL, 'e'
GO
--> Msg 15004, Level 16, State 1, Line 19: Name cannot be NULL.
EXEC sp_attach_single_file_db 'd', NULL
GO
--> Msg 15004, Level 16, State 1, Line 13: Name cannot be NULL.
EXEC sp_dbremove
GO
--> Msg 15131, Level 16, State 1, Line 19: Usage: sp_dbremove <dbname> [,dropdev]
EXEC sp_dbremove 'renamed', 'keep'
GO
--> Msg 15131, Level 16, State 1, Line 19: Usage: sp_dbremove <dbname> [,dropdev]
EXEC sp_dbremove 'no such database'
GO
--> Msg 15010, Level 16, State 1, Line 24: The database 'no such database' does not exist. Supply a valid database name. To see available databases, use sys.databases.
DECLARE @result int
EXEC @result = sp_dbremove @dbname = 'renamed', @dropdev = 'dropdev'
SELECT @result AS result, DB_ID('renamed') AS gone
GO
--> # Database removed.
--> [result:int | gone:int]
--> 0 | NULL
--> (1 rows affected)
DROP TABLE #helped
DROP LOGIN visitor
GO
