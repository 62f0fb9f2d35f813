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
--> (2 rows affected)
INSERT #names EXEC sp_MSforeachdb 'SELECT N''?'''
SELECT name FROM #names WHERE name IN ('master', 'model', 'msdb', 'tempdb', 'each') ORDER BY name
DELETE #names
GO
--> (5 rows affected)
--> [name:nvarchar(300)]
--> each
--> master
--> model
--> msdb
--> tempdb
--> (5 rows affected)
--> (5 rows affected)
EXEC sp_MSforeachdb @command1 = 'IF ''?'' = ''each'' PRINT ''1 ?''', @command2 = 'IF ''?'' = ''each'' PRINT ''2 ?''',
    @command3 = 'IF ''?'' = ''each'' PRINT ''3 ?''', @precommand = 'PRINT ''before''', @postcommand = 'PRINT ''after'''
EXEC sp_MSforeachdb 'USE [!]; IF DB_NAME() = ''each'' PRINT ''in ! ?''', '!'
SELECT DB_NAME() AS still_in
GO
--> # before
--> # 1 each
--> # 2 each
--> # 3 each
--> # after
--> # in each ?
--> [still_in:nvarchar(128)]
--> each
--> (1 rows affected)
INSERT #names EXEC sp_MSforeachtable 'SELECT OBJECT_NAME(OBJECT_ID(''?''))', @whereand = N'AND o.name = N''t'''
SELECT name FROM #names
DELETE #names
GO
--> (1 rows affected)
--> [name:nvarchar(300)]
--> t
--> (1 rows affected)
--> (1 rows affected)
INSERT #names EXEC sp_MSforeachtable 'SELECT COUNT(*) FROM ?'
SELECT name FROM #names ORDER BY name
GO
--> (2 rows affected)
--> [name:nvarchar(300)]
--> 0
--> 2
--> (2 rows affected)
EXEC sp_MSforeachtable 'PRINT ''?''', @command2 = 'SELECT COUNT(*) AS n FROM ?', @whereand = N'AND SCHEMA_NAME(syso.schema_id) = N''dbo'''
EXEC sp_MSforeachtable 'PRINT ''?''', @whereand = N'AND nonsense'
EXEC sp_MSforeachtable NULL
GO
--> # [dbo].[t]
--> [n:int]
--> 2
--> (1 rows affected)
--> Msg 4145, Level 15, State 1, Line 6: An expression of non-boolean type specified in a context where a condition is expected, near ';'.
EXEC sp_MStablespace 'no such table'
GO
--> Msg 15009, Level 16, State 1, Line 9: The object 'no such table' does not exist in database 'each' or is invalid for this operation.
CREATE TABLE #space (Rows int, DataSpaceUsed int, IndexSpaceUsed int)
INSERT #space EXEC sp_MStablespace 'dbo.t'
SELECT Rows FROM #space
DROP TABLE #space
DROP TABLE #names
USE master
GO
--> (1 rows affected)
--> [Rows:int]
--> 2
--> (1 rows affected)
DROP DATABASE each
GO
