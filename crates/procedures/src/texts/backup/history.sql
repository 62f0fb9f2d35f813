-- Clearing up the history of backups and restores in msdb: by age, or of one database.
-- Its tables are there from the first backup on; until then there is nothing to delete.

CREATE PROCEDURE dbo.sp_delete_backuphistory
    @oldest_date datetime
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF @oldest_date IS NULL
    BEGIN
        RAISERROR(14200, 16, 1, N'@oldest_date');
        RETURN 1;
    END;
    IF OBJECT_ID(N'dbo.backupset', N'U') IS NULL
        RETURN 0;

    CREATE TABLE #sets (backup_set_id int NOT NULL PRIMARY KEY, media_set_id int NOT NULL);
    CREATE TABLE #restores (restore_history_id int NOT NULL PRIMARY KEY);
    EXEC sp_executesql N'
INSERT #sets (backup_set_id, media_set_id)
SELECT backup_set_id, media_set_id FROM dbo.backupset WHERE backup_finish_date < @oldest_date;
INSERT #restores (restore_history_id)
SELECT restore_history_id FROM dbo.restorehistory WHERE backup_set_id IN (SELECT backup_set_id FROM #sets);',
        N'@oldest_date datetime', @oldest_date;
    DECLARE @failed int;
    EXEC @failed = dbo.sp_delete_backup_and_restore_history;
    RETURN @failed;
END
GO

CREATE PROCEDURE dbo.sp_delete_database_backuphistory
    @database_name sysname
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF ISNULL(@database_name, N'') = N''
    BEGIN
        RAISERROR(14200, 16, 1, N'@database_name');
        RETURN 1;
    END;
    IF OBJECT_ID(N'dbo.backupset', N'U') IS NULL
        RETURN 0;

    CREATE TABLE #sets (backup_set_id int NOT NULL PRIMARY KEY, media_set_id int NOT NULL);
    CREATE TABLE #restores (restore_history_id int NOT NULL PRIMARY KEY);
    EXEC sp_executesql N'
INSERT #sets (backup_set_id, media_set_id)
SELECT backup_set_id, media_set_id FROM dbo.backupset WHERE database_name = @database_name;
INSERT #restores (restore_history_id)
SELECT restore_history_id FROM dbo.restorehistory
WHERE backup_set_id IN (SELECT backup_set_id FROM #sets) OR destination_database_name = @database_name;',
        N'@database_name sysname', @database_name;
    DECLARE @failed int;
    EXEC @failed = dbo.sp_delete_backup_and_restore_history;
    RETURN @failed;
END
GO

-- Deletes what the caller has put into #sets and #restores, and the media that nothing is left of.
CREATE PROCEDURE dbo.sp_delete_backup_and_restore_history
AS
BEGIN
    SET NOCOUNT ON;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN 1;
    END;
    IF OBJECT_ID(N'tempdb..#sets') IS NULL OR OBJECT_ID(N'tempdb..#restores') IS NULL
        OR OBJECT_ID(N'dbo.backupset', N'U') IS NULL
        RETURN 1;

    DECLARE @own bit = CASE @@TRANCOUNT WHEN 0 THEN 1 ELSE 0 END;
    BEGIN TRY
        IF @own = 1
            BEGIN TRANSACTION;
        EXEC (N'
DELETE dbo.restorefile WHERE restore_history_id IN (SELECT restore_history_id FROM #restores);
DELETE dbo.restorefilegroup WHERE restore_history_id IN (SELECT restore_history_id FROM #restores);
DELETE dbo.restorehistory WHERE restore_history_id IN (SELECT restore_history_id FROM #restores);
DELETE dbo.backupfile WHERE backup_set_id IN (SELECT backup_set_id FROM #sets);
DELETE dbo.backupfilegroup WHERE backup_set_id IN (SELECT backup_set_id FROM #sets);
DELETE dbo.backupset WHERE backup_set_id IN (SELECT backup_set_id FROM #sets);
DELETE #sets WHERE media_set_id IN (SELECT media_set_id FROM dbo.backupset);
DELETE dbo.backupmediafamily WHERE media_set_id IN (SELECT media_set_id FROM #sets);
DELETE dbo.backupmediaset WHERE media_set_id IN (SELECT media_set_id FROM #sets);');
        IF @own = 1
            COMMIT TRANSACTION;
    END TRY
    BEGIN CATCH
        IF @own = 1 AND @@TRANCOUNT > 0
            ROLLBACK TRANSACTION;
        THROW;
    END CATCH;
    RETURN 0;
END
GO
