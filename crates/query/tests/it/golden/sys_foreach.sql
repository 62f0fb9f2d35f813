-- Commands for each database and each table.
CREATE DATABASE each
GO
USE each
GO
CREATE SCHEMA s
GO
CREATE TABLE t (i int)
INSERT t VALUES (1), (2)
CREATE TABLE s.[a]]b'c] (i int)
CREATE TABLE #names (name nvarchar(300))
GO
INSERT #names EXEC sp_MSforeachdb 'SELECT N''?'''
SELECT name FROM #names WHERE name IN ('master', 'model', 'msdb', 'tempdb', 'each') ORDER BY name
DELETE #names
GO
EXEC sp_MSforeachdb @command1 = 'IF ''?'' = ''each'' PRINT ''1 ?''', @command2 = 'IF ''?'' = ''each'' PRINT ''2 ?''',
    @command3 = 'IF ''?'' = ''each'' PRINT ''3 ?''', @precommand = 'PRINT ''before''', @postcommand = 'PRINT ''after'''
EXEC sp_MSforeachdb 'USE [!]; IF DB_NAME() = ''each'' PRINT ''in ! ?''', '!'
SELECT DB_NAME() AS still_in
GO
INSERT #names EXEC sp_MSforeachtable 'SELECT OBJECT_NAME(OBJECT_ID(''?''))', @whereand = N'AND o.name = N''t'''
SELECT name FROM #names
DELETE #names
GO
INSERT #names EXEC sp_MSforeachtable 'SELECT COUNT(*) FROM ?'
SELECT name FROM #names ORDER BY name
GO
EXEC sp_MSforeachtable 'PRINT ''?''', @command2 = 'SELECT COUNT(*) AS n FROM ?', @whereand = N'AND SCHEMA_NAME(syso.schema_id) = N''dbo'''
EXEC sp_MSforeachtable 'PRINT ''?''', @whereand = N'AND nonsense'
EXEC sp_MSforeachtable NULL
GO
EXEC sp_MStablespace 'no such table'
GO
CREATE TABLE #space (Rows int, DataSpaceUsed int, IndexSpaceUsed int)
INSERT #space EXEC sp_MStablespace 'dbo.t'
SELECT Rows FROM #space
DROP TABLE #space
DROP TABLE #names
USE master
GO
DROP DATABASE each
GO
