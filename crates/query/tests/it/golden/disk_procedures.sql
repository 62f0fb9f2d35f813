-- What scripts ask of disks, of the registry and of the version.
EXEC xp_fileexist '/';
DECLARE @there int;
EXEC master.dbo.xp_fileexist '/no/such/file', @there OUTPUT;
SELECT @there AS there;
EXEC xp_fileexist;
GO
SELECT * FROM sys.dm_os_file_exists('/');
SELECT * FROM sys.dm_os_file_exists(N'/no/such/file');
SELECT COUNT(*) AS none FROM sys.dm_os_file_exists(NULL);
GO
CREATE TABLE #d (subdirectory nvarchar(512), depth int, is_file int);
INSERT #d EXEC xp_dirtree '/no/such/folder', 1, 1;
SELECT COUNT(*) AS none FROM #d;
INSERT #d EXEC xp_dirtree '/dev', 1, 1;
SELECT subdirectory, depth, is_file FROM #d WHERE subdirectory IN ('null', 'shm') ORDER BY subdirectory;
DROP TABLE #d;
GO
EXEC xp_subdirs '/no/such/folder';
GO
BEGIN TRY EXEC xp_create_subdir '/dev/null/folder' END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n END CATCH;
GO
DECLARE @login int, @nothing nvarchar(100) = N'as it was';
EXEC master.dbo.xp_instance_regread N'HKEY_LOCAL_MACHINE', N'Software\Microsoft\MSSQLServer\MSSQLServer', N'LoginMode', @login OUTPUT;
EXEC xp_instance_regread N'HKEY_LOCAL_MACHINE', N'Software\X', N'no such value', @nothing OUTPUT;
SELECT @login AS login, @nothing AS nothing;
EXEC xp_regread 'HKEY_LOCAL_MACHINE', 'SOFTWARE\X', 'CurrentVersion';
EXEC xp_regread 'HKEY_LOCAL_MACHINE', 'SOFTWARE\X', 'no such value';
GO
EXEC xp_msver 'ProductVersion';
EXEC xp_msver 'no such property';
CREATE TABLE #v ([Index] int, Name nvarchar(256), Internal_Value int, Character_Value nvarchar(512));
INSERT #v EXEC xp_msver;
SELECT COUNT(*) AS n, MIN(CASE Name WHEN 'ProcessorCount' THEN CASE WHEN Internal_Value > 0 THEN 'some' END END) AS processors FROM #v;
DROP TABLE #v;
GO
-- Who is no member of sysadmin learns nothing of files.
CREATE LOGIN nobody WITH PASSWORD = 'Bars-2026!';
GO
EXECUTE AS LOGIN = 'nobody';
EXEC xp_fileexist '/';
GO
EXECUTE AS LOGIN = 'nobody';
EXEC xp_dirtree '/';
GO
EXECUTE AS LOGIN = 'nobody';
EXEC xp_instance_regread N'HKEY_LOCAL_MACHINE', N'Software\X', N'BackupDirectory';
GO
EXECUTE AS LOGIN = 'nobody';
SELECT * FROM sys.dm_os_file_exists('/');
GO
EXECUTE AS LOGIN = 'nobody';
SELECT COUNT(*) AS own FROM sys.dm_exec_session_wait_stats WHERE session_id <> @@SPID;
SELECT * FROM sys.dm_db_index_usage_stats;
GO
EXECUTE AS LOGIN = 'nobody';
EXEC xp_msver 'Language';
GO
WHILE SUSER_SNAME() = 'nobody' REVERT;
DROP LOGIN nobody;
GO
