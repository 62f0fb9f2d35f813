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
EXEC sp_helpdb 'no such database'
GO
DECLARE @result int
EXEC @result = sp_helpdb ''
SELECT @result AS result
GO
EXEC sp_helpdb '[master]'
GO
EXEC sp_dbcmptlevel 'a]b''c'
GO
EXEC sp_dbcmptlevel @dbname = 'a]b''c', @new_cmptlevel = 140
EXEC sp_dbcmptlevel 'a]b''c'
SELECT compatibility_level FROM sys.databases WHERE name = 'a]b''c'
GO
EXEC sp_dbcmptlevel 'a]b''c', 90
GO
EXEC sp_dbcmptlevel
GO
EXEC sp_dbcmptlevel 'no such database', 150
GO
BEGIN TRANSACTION
EXEC sp_dbcmptlevel 'a]b''c', 150
EXEC sp_renamedb 'a]b''c', 'd'
EXEC sp_dbremove 'a]b''c'
EXEC sp_attach_db 'd', 'e'
EXEC sp_attach_single_file_db 'd', 'e'
EXEC sp_resetstatus 'a]b''c'
ROLLBACK
GO
EXEC sp_renamedb 'a]b''c', N'ünï'']x'
SELECT name FROM sys.databases WHERE database_id > 4
GO
EXEC sp_renamedb @dbname = N'ünï'']x', @newname = 'master'
GO
EXEC sp_renamedb N'ünï'']x', NULL
GO
EXEC sp_renamedb N'ünï'']x', ''
GO
EXEC sp_renamedb NULL, 'd'
GO
EXEC sp_renamedb 'no such database', 'd'
GO
EXEC sp_renamedb 'master', 'd'
GO
EXEC sp_renamedb N'ünï'']x', 'renamed'
GO
DECLARE @result int
EXEC @result = sp_resetstatus 'renamed'
SELECT @result AS result
EXEC @result = sp_resetstatus NULL
SELECT @result AS result
GO
EXEC sp_db_vardecimal_storage_format 'renamed'
EXEC sp_db_vardecimal_storage_format 'renamed', 'off'
GO
EXEC sp_db_vardecimal_storage_format 'renamed', 'x'
GO
EXEC sp_db_vardecimal_storage_format 'master', 'ON'
GO
EXEC sp_db_vardecimal_storage_format 'no such database'
GO
EXEC sp_db_increased_partitions
EXEC sp_db_increased_partitions 'renamed', 'true'
EXEC sp_db_increased_partitions 'renamed', 'off'
GO
EXEC sp_db_increased_partitions 'renamed', 'maybe'
GO
EXEC sp_db_increased_partitions 'no such database'
GO
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
DELETE #helped
GO
REVERT
GO
EXEC sp_attach_db 'd', NULL
GO
EXEC sp_attach_db NULL, 'e'
GO
EXEC sp_attach_single_file_db 'd', NULL
GO
EXEC sp_dbremove
GO
EXEC sp_dbremove 'renamed', 'keep'
GO
EXEC sp_dbremove 'no such database'
GO
DECLARE @result int
EXEC @result = sp_dbremove @dbname = 'renamed', @dropdev = 'dropdev'
SELECT @result AS result, DB_ID('renamed') AS gone
GO
DROP TABLE #helped
DROP LOGIN visitor
GO
