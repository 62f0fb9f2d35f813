-- The history of backups in msdb is deleted by age and by database; without one there is nothing to do.
DECLARE @r int;
EXEC @r = msdb.dbo.sp_delete_backuphistory @oldest_date = '20200101';
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_delete_database_backuphistory N'no such';
SELECT @r AS returned;
EXEC @r = msdb.dbo.sp_delete_backuphistory NULL;
SELECT @r AS returned;
EXEC msdb.dbo.sp_delete_backuphistory;
EXEC msdb.dbo.sp_delete_database_backuphistory NULL;
EXEC msdb.dbo.sp_delete_database_backuphistory N'';
GO
--> [returned:int]
--> 0
--> (1 rows affected)
--> [returned:int]
--> 0
--> (1 rows affected)
--> Msg 14200, Level 16, State 1, Line 14: The specified '@oldest_date' is invalid.
--> [returned:int]
--> 1
--> (1 rows affected)
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_delete_backuphistory' expects parameter '@oldest_date', which was not supplied.
--> Msg 14200, Level 16, State 1, Line 14: The specified '@database_name' is invalid.
--> Msg 14200, Level 16, State 1, Line 14: The specified '@database_name' is invalid.
EXEC msdb.dbo.sp_delete_backuphistory '2020-13-01';
GO
--> Msg 8114, Level 16, State 5, Line 0: Error converting data type varchar to datetime.
USE msdb;
GO
-- As the first backup makes them, with the columns that count here.
CREATE TABLE dbo.backupmediaset (media_set_id int NOT NULL PRIMARY KEY);
CREATE TABLE dbo.backupmediafamily (media_set_id int NOT NULL);
CREATE TABLE dbo.backupset (
    backup_set_id int NOT NULL PRIMARY KEY, media_set_id int NOT NULL, database_name nvarchar(128) NULL, backup_finish_date datetime NULL);
CREATE TABLE dbo.backupfile (backup_set_id int NOT NULL);
CREATE TABLE dbo.backupfilegroup (backup_set_id int NOT NULL);
CREATE TABLE dbo.restorehistory (
    restore_history_id int NOT NULL PRIMARY KEY, backup_set_id int NOT NULL, destination_database_name nvarchar(128) NULL);
CREATE TABLE dbo.restorefile (restore_history_id int NULL);
CREATE TABLE dbo.restorefilegroup (restore_history_id int NULL);
GO
INSERT dbo.backupmediaset VALUES (1), (2), (3);
INSERT dbo.backupmediafamily VALUES (1), (2), (3);
INSERT dbo.backupset VALUES
    (1, 1, N'old', '20190101'), (2, 1, N'it''s]', '20210101'), (3, 2, N'it''s]', '20220101'), (4, 3, N'other', '20230101');
INSERT dbo.backupfile VALUES (1), (2), (3), (4), (4);
INSERT dbo.backupfilegroup VALUES (1), (2), (3), (4);
INSERT dbo.restorehistory VALUES (1, 1, N'old'), (2, 3, N'copy'), (3, 4, N'it''s]'), (4, 4, N'other');
INSERT dbo.restorefile VALUES (1), (2), (3), (4);
INSERT dbo.restorefilegroup VALUES (1), (2), (3), (4);
GO
--> (3 rows affected)
--> (3 rows affected)
--> (4 rows affected)
--> (5 rows affected)
--> (4 rows affected)
--> (4 rows affected)
--> (4 rows affected)
--> (4 rows affected)
-- The media set of a backup that stays, stays.
EXEC sp_delete_backuphistory '20200101';
SELECT backup_set_id FROM dbo.backupset ORDER BY 1;
SELECT media_set_id FROM dbo.backupmediaset ORDER BY 1;
SELECT restore_history_id FROM dbo.restorehistory ORDER BY 1;
GO
--> [backup_set_id:int]
--> 2
--> 3
--> 4
--> (3 rows affected)
--> [media_set_id:int]
--> 1
--> 2
--> 3
--> (3 rows affected)
--> [restore_history_id:int]
--> 2
--> 3
--> 4
--> (3 rows affected)
EXEC sp_delete_database_backuphistory N'no such';
EXEC sp_delete_database_backuphistory N'it''s]';
SELECT backup_set_id FROM dbo.backupset ORDER BY 1;
SELECT media_set_id FROM dbo.backupmediaset ORDER BY 1;
SELECT restore_history_id FROM dbo.restorehistory ORDER BY 1;
SELECT restore_history_id FROM dbo.restorefile ORDER BY 1;
GO
--> [backup_set_id:int]
--> 4
--> (1 rows affected)
--> [media_set_id:int]
--> 3
--> (1 rows affected)
--> [restore_history_id:int]
--> 4
--> (1 rows affected)
--> [restore_history_id:int]
--> 4
--> (1 rows affected)
-- A transaction of the caller takes it back.
BEGIN TRANSACTION;
EXEC sp_delete_backuphistory '99990101';
SELECT COUNT(*) AS within FROM dbo.backupset;
ROLLBACK;
SELECT COUNT(*) AS after FROM dbo.backupset;
EXEC sp_delete_backuphistory '99990101';
SELECT (SELECT COUNT(*) FROM dbo.backupset) AS sets, (SELECT COUNT(*) FROM dbo.backupfile) AS files,
    (SELECT COUNT(*) FROM dbo.backupfilegroup) AS filegroups, (SELECT COUNT(*) FROM dbo.backupmediaset) AS media,
    (SELECT COUNT(*) FROM dbo.backupmediafamily) AS families, (SELECT COUNT(*) FROM dbo.restorehistory) AS restores,
    (SELECT COUNT(*) FROM dbo.restorefile) AS restored_files, (SELECT COUNT(*) FROM dbo.restorefilegroup) AS restored_filegroups;
GO
--> [within:int]
--> 0
--> (1 rows affected)
--> [after:int]
--> 1
--> (1 rows affected)
--> [sets:int | files:int | filegroups:int | media:int | families:int | restores:int | restored_files:int | restored_filegroups:int]
--> 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0
--> (1 rows affected)
DROP TABLE dbo.backupmediaset, dbo.backupmediafamily, dbo.backupset, dbo.backupfile, dbo.backupfilegroup, dbo.restorehistory,
    dbo.restorefile, dbo.restorefilegroup;
GO
USE master;
GO
