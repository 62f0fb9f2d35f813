-- What scripts ask of disks, of the registry and of the version.
EXEC xp_fileexist '/';
DECLARE @there int;
EXEC master.dbo.xp_fileexist '/no/such/file', @there OUTPUT;
SELECT @there AS there;
EXEC xp_fileexist;
GO
--> [File Exists:tinyint | File is a Directory:tinyint | Parent Directory Exists:tinyint]
--> 0 | 1 | 0
--> (1 rows affected)
--> [there:int]
--> 0
--> (1 rows affected)
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'xp_fileexist' expects parameter '@path', which was not supplied.
SELECT * FROM sys.dm_os_file_exists('/');
SELECT * FROM sys.dm_os_file_exists(N'/no/such/file');
SELECT COUNT(*) AS none FROM sys.dm_os_file_exists(NULL);
GO
--> [file_exists:int | file_is_a_directory:int | parent_directory_exists:int]
--> 0 | 1 | 0
--> (1 rows affected)
--> [file_exists:int | file_is_a_directory:int | parent_directory_exists:int]
--> 0 | 0 | 0
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
CREATE TABLE #d (subdirectory nvarchar(512), depth int, is_file int);
INSERT #d EXEC xp_dirtree '/no/such/folder', 1, 1;
SELECT COUNT(*) AS none FROM #d;
INSERT #d EXEC xp_dirtree '/dev', 1, 1;
SELECT subdirectory, depth, is_file FROM #d WHERE subdirectory IN ('null', 'shm') ORDER BY subdirectory;
DROP TABLE #d;
GO
--> (0 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
--> (108 rows affected)
--> [subdirectory:nvarchar(512) | depth:int | is_file:int]
--> null | 1 | 1
--> shm | 1 | 0
--> (2 rows affected)
EXEC xp_subdirs '/no/such/folder';
GO
--> Msg 22006, Level 16, State 1, Line 1: xp_subdirs could not access '/no/such/folder': the folder is not there.
BEGIN TRY EXEC xp_create_subdir '/dev/null/folder' END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n END CATCH;
GO
--> [n:int]
--> 22048
--> (1 rows affected)
DECLARE @login int, @nothing nvarchar(100) = N'as it was';
EXEC master.dbo.xp_instance_regread N'HKEY_LOCAL_MACHINE', N'Software\Microsoft\MSSQLServer\MSSQLServer', N'LoginMode', @login OUTPUT;
EXEC xp_instance_regread N'HKEY_LOCAL_MACHINE', N'Software\X', N'no such value', @nothing OUTPUT;
SELECT @login AS login, @nothing AS nothing;
EXEC xp_regread 'HKEY_LOCAL_MACHINE', 'SOFTWARE\X', 'CurrentVersion';
EXEC xp_regread 'HKEY_LOCAL_MACHINE', 'SOFTWARE\X', 'no such value';
GO
--> [login:int | nothing:nvarchar(100)]
--> 2 | as it was
--> (1 rows affected)
--> [Value:nvarchar(256) | Data:nvarchar(4000)]
--> CurrentVersion | 16.0.1000.6
--> (1 rows affected)
--> [Value:nvarchar(256) | Data:nvarchar(4000)]
--> (0 rows affected)
EXEC xp_msver 'ProductVersion';
EXEC xp_msver 'no such property';
CREATE TABLE #v ([Index] int, Name nvarchar(256), Internal_Value int, Character_Value nvarchar(512));
INSERT #v EXEC xp_msver;
SELECT COUNT(*) AS n, MIN(CASE Name WHEN 'ProcessorCount' THEN CASE WHEN Internal_Value > 0 THEN 'some' END END) AS processors FROM #v;
DROP TABLE #v;
GO
--> [Index:int | Name:nvarchar(256) | Internal_Value:int | Character_Value:nvarchar(512)]
--> 2 | ProductVersion | 1048576 | 16.0.1000.6
--> (1 rows affected)
--> [Index:int | Name:nvarchar(256) | Internal_Value:int | Character_Value:nvarchar(512)]
--> (0 rows affected)
--> (20 rows affected)
--> [n:int | processors:varchar(4)]
--> 20 | some
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- Who is no member of sysadmin learns nothing of files.
CREATE LOGIN nobody WITH PASSWORD = 'Bars-2026!';
GO
EXECUTE AS LOGIN = 'nobody';
EXEC xp_fileexist '/';
GO
--> Msg 15247, Level 16, State 1, Line 2: User does not have permission to perform this action.
EXECUTE AS LOGIN = 'nobody';
EXEC xp_dirtree '/';
GO
--> Msg 15247, Level 16, State 1, Line 2: User does not have permission to perform this action.
EXECUTE AS LOGIN = 'nobody';
EXEC xp_instance_regread N'HKEY_LOCAL_MACHINE', N'Software\X', N'BackupDirectory';
GO
--> Msg 15247, Level 16, State 1, Line 2: User does not have permission to perform this action.
EXECUTE AS LOGIN = 'nobody';
SELECT * FROM sys.dm_os_file_exists('/');
GO
--> Msg 300, Level 14, State 1, Line 2: VIEW SERVER STATE permission was denied on object 'server', database 'master'.
--> Msg 297, Level 16, State 1, Line 2: The user does not have permission to perform this action.
EXECUTE AS LOGIN = 'nobody';
SELECT COUNT(*) AS own FROM sys.dm_exec_session_wait_stats WHERE session_id <> @@SPID;
SELECT * FROM sys.dm_db_index_usage_stats;
GO
--> [own:int]
--> 0
--> (1 rows affected)
--> Msg 300, Level 14, State 1, Line 3: VIEW SERVER STATE permission was denied on object 'server', database 'master'.
--> Msg 297, Level 16, State 1, Line 3: The user does not have permission to perform this action.
EXECUTE AS LOGIN = 'nobody';
EXEC xp_msver 'Language';
GO
--> [Index:int | Name:nvarchar(256) | Internal_Value:int | Character_Value:nvarchar(512)]
--> 3 | Language | 1033 | English (United States)
--> (1 rows affected)
WHILE SUSER_SNAME() = 'nobody' REVERT;
DROP LOGIN nobody;
GO
-- Arguments of extended procedures are known by their places, and a value of several texts has a row for each.
DECLARE @login int;
EXEC xp_instance_regread @rootkey = 'HKEY_LOCAL_MACHINE', @key = 'Software\X', @value_name = 'LoginMode', @value = @login OUTPUT;
SELECT @login AS login_mode;
EXEC xp_regread @rootkey = 'HKEY_LOCAL_MACHINE', @key = 'SOFTWARE\Microsoft\Microsoft SQL Server', @value_name = 'InstalledInstances';
GO
--> [login_mode:int]
--> 2
--> (1 rows affected)
--> [Value:nvarchar(256) | Data:nvarchar(4000) | :nvarchar(4000)]
--> InstalledInstances - Item #1 | MSSQLSERVER | NULL
--> (1 rows affected)
