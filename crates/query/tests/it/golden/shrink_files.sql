-- What is free at the end of a file goes back; no page is moved.
CREATE DATABASE big;
GO
USE big;
CREATE TABLE #size (pages int);
INSERT #size SELECT size FROM sys.database_files WHERE file_id = 1;
CREATE TABLE dbo.stays (id int NOT NULL PRIMARY KEY, v char(2000) NOT NULL);
INSERT dbo.stays SELECT value, 'x' FROM GENERATE_SERIES(1, 200);
CREATE TABLE dbo.goes (id int NOT NULL PRIMARY KEY, v char(7000) NOT NULL);
INSERT dbo.goes SELECT value, 'y' FROM GENERATE_SERIES(1, 4000);
GO
--> (1 rows affected)
--> (200 rows affected)
--> (4000 rows affected)
-- In a transaction, and of what is not there.
BEGIN TRANSACTION;
DBCC SHRINKFILE (big, TRUNCATEONLY);
GO
--> Msg 8920, Level 16, State 1, Line 3: Cannot perform a shrinkfile operation inside a user transaction. Terminate the transaction and reissue the statement.
ROLLBACK;
GO
DBCC SHRINKFILE (nothing, 1);
GO
--> Msg 8985, Level 16, State 1, Line 1: Could not locate file 'nothing' for database 'big' in sys.database_files. The file either does not exist, or was dropped.
DBCC SHRINKFILE (big, -1);
GO
--> Msg 2560, Level 16, State 9, Line 1: Parameter 2 is incorrect for this DBCC statement.
DBCC SHRINKFILE (big, SIDEWAYS);
GO
--> Msg 2560, Level 16, State 9, Line 1: Parameter 2 is incorrect for this DBCC statement.
DBCC SHRINKDATABASE (big, 100);
GO
--> Msg 2560, Level 16, State 9, Line 1: Parameter 2 is incorrect for this DBCC statement.
DBCC SHRINKDATABASE (nowhere);
GO
--> Msg 2520, Level 16, State 5, Line 1: Could not find database 'nowhere'. The database either does not exist, or was dropped before a statement tried to use it. Verify if the database exists by querying the sys.databases catalog view.
-- As long as all is used, nothing goes.
DBCC SHRINKDATABASE (big, 10) WITH NO_INFOMSGS;
SELECT IIF(size > 3800, 'large', 'small') AS file_is FROM sys.database_files WHERE file_id = 1;
DROP TABLE dbo.goes;
DBCC SHRINKFILE (big, NOTRUNCATE) WITH NO_INFOMSGS;
SELECT IIF(size > 3800, 'large', 'small') AS file_is FROM sys.database_files WHERE file_id = 1;
DBCC SHRINKFILE (big, 16) WITH NO_INFOMSGS;
SELECT size FROM sys.database_files WHERE file_id = 1;
DBCC SHRINKFILE (1, TRUNCATEONLY) WITH NO_INFOMSGS;
SELECT IIF(size BETWEEN FILEPROPERTY('big', 'SpaceUsed') AND 1000, 'right', 'wrong') AS size FROM sys.database_files WHERE file_id = 1;
GO
--> [file_is:varchar(5)]
--> large
--> (1 rows affected)
--> [file_is:varchar(5)]
--> large
--> (1 rows affected)
--> [size:int]
--> 2048
--> (1 rows affected)
--> [size:varchar(5)]
--> right
--> (1 rows affected)
-- What is there stays, and the file grows again.
SELECT COUNT(*) AS n, SUM(id) AS total FROM dbo.stays;
CREATE TABLE dbo.more (id int NOT NULL PRIMARY KEY, v char(7000) NOT NULL);
INSERT dbo.more SELECT value, 'z' FROM GENERATE_SERIES(1, 2000);
SELECT COUNT(*) AS n, SUM(id) AS total FROM dbo.more;
DBCC CHECKDB (big) WITH NO_INFOMSGS;
DROP TABLE dbo.more;
GO
--> [n:int | total:int]
--> 200 | 20100
--> (1 rows affected)
--> (2000 rows affected)
--> [n:int | total:int]
--> 2000 | 2001000
--> (1 rows affected)
-- Of the whole database; its log keeps its size.
DBCC SHRINKDATABASE (big, TRUNCATEONLY) WITH WAIT_AT_LOW_PRIORITY, NO_INFOMSGS;
SELECT IIF(f.size = p.pages, 'as made', 'other') AS size FROM sys.database_files AS f CROSS JOIN #size AS p WHERE f.file_id = 1;
DBCC SHRINKDATABASE (0);
DBCC SHRINKFILE (2, 1) WITH NO_INFOMSGS;
GO
--> [size:varchar(7)]
--> as made
--> (1 rows affected)
--> # DBCC SHRINKDATABASE: File ID 1 of database ID 5 was skipped because the file does not have enough free space to reclaim.
--> # DBCC SHRINKDATABASE: File ID 2 of database ID 5 was skipped because the file does not have enough free space to reclaim.
--> [DbId:smallint | FileId:int | CurrentSize:int | MinimumSize:int | UsedPages:int | EstimatedPages:int]
--> (0 rows affected)
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
CREATE TABLE #shrunk (DbId smallint, FileId int, CurrentSize int, MinimumSize int, UsedPages int, EstimatedPages int);
INSERT #shrunk EXEC ('DBCC SHRINKFILE (big)');
GO
--> Msg 8920, Level 16, State 1, Line 1: Cannot perform a shrinkfile operation inside a user transaction. Terminate the transaction and reissue the statement.
--> (0 rows affected)
-- Not while a snapshot reads there, nor of one that is only read.
CREATE DATABASE big_then ON (NAME = big, FILENAME = 'big_then.ss') AS SNAPSHOT OF big;
GO
USE big_then;
GO
DBCC SHRINKFILE (big, TRUNCATEONLY);
GO
--> Msg 7992, Level 16, State 1, Line 1: Cannot shrink 'read only' database 'big_then'.
USE big;
DROP DATABASE big_then;
ALTER DATABASE big SET READ_ONLY;
GO
DBCC SHRINKDATABASE (big);
GO
--> Msg 7992, Level 16, State 1, Line 1: Cannot shrink 'read only' database 'big'.
ALTER DATABASE big SET READ_WRITE;
GO
CREATE USER reader WITHOUT LOGIN;
EXECUTE AS USER = 'reader';
GO
DBCC SHRINKFILE (big, TRUNCATEONLY);
GO
--> Msg 7983, Level 14, State 36, Line 1: User 'reader' does not have permission to run DBCC shrinkfile for database 'big'.
DBCC SHRINKDATABASE (big);
GO
--> Msg 7983, Level 14, State 36, Line 1: User 'reader' does not have permission to run DBCC shrinkdatabase for database 'big'.
REVERT;
USE master;
DROP DATABASE big;
GO
