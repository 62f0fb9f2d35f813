-- FOR UPDATE OF names columns of the cursor's tables.
CREATE TABLE lily (id int NOT NULL PRIMARY KEY, name varchar(20) NULL);
INSERT lily VALUES (1, 'white'), (2, 'pink');
GO
--> (2 rows affected)
DECLARE c CURSOR FOR SELECT id FROM lily FOR UPDATE OF nothing;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
DECLARE c CURSOR FOR SELECT id FROM lily FOR UPDATE OF name, nothing;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
DECLARE c CURSOR FOR SELECT id FROM lily FOR UPDATE OF NAME;
OPEN c;
FETCH c;
UPDATE lily SET name = 'red' WHERE CURRENT OF c;
DEALLOCATE c;
GO
--> [id:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
-- What can be stopped half-way is built ONLINE.
CREATE INDEX by_name ON lily (name);
GO
ALTER INDEX by_name ON lily REBUILD WITH (RESUMABLE = ON);
GO
--> Msg 11438, Level 15, State 1, Line 1: The RESUMABLE option cannot be set to 'ON' when the ONLINE option is set to 'OFF'.
ALTER INDEX by_name ON lily REBUILD WITH (RESUMABLE = ON, ONLINE = OFF);
GO
--> Msg 11438, Level 15, State 1, Line 1: The RESUMABLE option cannot be set to 'ON' when the ONLINE option is set to 'OFF'.
CREATE INDEX by_both ON lily (name, id) WITH (RESUMABLE = ON);
GO
--> Msg 11438, Level 15, State 1, Line 1: The RESUMABLE option cannot be set to 'ON' when the ONLINE option is set to 'OFF'.
ALTER INDEX by_name ON lily REBUILD WITH (RESUMABLE = ON, ONLINE = ON, MAX_DURATION = 1);
ALTER INDEX by_name ON lily REBUILD WITH (RESUMABLE = OFF);
GO
-- Partitions that there are.
CREATE PARTITION FUNCTION halves (int) AS RANGE LEFT FOR VALUES (10, 20);
CREATE PARTITION SCHEME in_halves AS PARTITION halves ALL TO ([PRIMARY]);
CREATE TABLE rows_in_parts (id int NOT NULL PRIMARY KEY, a int) ON in_halves (id);
CREATE INDEX alone ON rows_in_parts (a) ON [PRIMARY];
GO
ALTER INDEX by_name ON lily REBUILD WITH (DATA_COMPRESSION = PAGE ON PARTITIONS (2));
GO
--> Msg 7722, Level 16, State 2, Line 1: Invalid partition number 2 specified for index 'by_name', partition number can range from 1 to 1.
ALTER INDEX alone ON rows_in_parts REBUILD WITH (DATA_COMPRESSION = PAGE ON PARTITIONS (2));
GO
--> Msg 7722, Level 16, State 2, Line 1: Invalid partition number 2 specified for index 'alone', partition number can range from 1 to 1.
ALTER TABLE rows_in_parts REBUILD WITH (DATA_COMPRESSION = ROW ON PARTITIONS (1, 2 TO 4));
GO
--> Msg 7722, Level 16, State 2, Line 1: Invalid partition number 4 specified for table 'rows_in_parts', partition number can range from 1 to 3.
ALTER TABLE rows_in_parts REBUILD WITH (DATA_COMPRESSION = ROW ON PARTITIONS (0));
GO
--> Msg 7722, Level 16, State 2, Line 1: Invalid partition number 0 specified for table 'rows_in_parts', partition number can range from 1 to 3.
ALTER TABLE rows_in_parts REBUILD WITH (DATA_COMPRESSION = ROW ON PARTITIONS (1, 2 TO 3));
ALTER INDEX by_name ON lily REBUILD WITH (DATA_COMPRESSION = PAGE ON PARTITIONS (1));
GO
-- A function that is named without its arguments.
CREATE FUNCTION picked (@id int) RETURNS TABLE AS RETURN SELECT name FROM lily WHERE id = @id
GO
CREATE FUNCTION filled () RETURNS @t TABLE (a int) AS BEGIN INSERT @t VALUES (1) RETURN END
GO
SELECT * FROM picked;
GO
--> Msg 216, Level 16, State 1, Line 1: Parameters were not supplied for the function 'picked'.
SELECT * FROM dbo.filled AS f;
GO
--> Msg 216, Level 16, State 1, Line 1: Parameters were not supplied for the function 'dbo.filled'.
SELECT * FROM sys.dm_exec_sql_text;
GO
--> Msg 216, Level 16, State 1, Line 1: Parameters were not supplied for the function 'sys.dm_exec_sql_text'.
SELECT * FROM lily CROSS APPLY dbo.picked;
GO
--> Msg 216, Level 16, State 1, Line 1: Parameters were not supplied for the function 'dbo.picked'.
SELECT * FROM nothing_at_all;
GO
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nothing_at_all'.
DROP FUNCTION picked, filled;
DROP TABLE lily, rows_in_parts;
DROP PARTITION SCHEME in_halves;
DROP PARTITION FUNCTION halves;
GO
-- What RAISERROR raises ends its statement, whatever the number is, and heeds no XACT_ABORT.
RAISERROR (40517, 16, 1, 'nothing');
SELECT 1 AS still_here;
RAISERROR (15170, 16, 1, 2);
SELECT 2 AS still_here;
GO
--> Msg 40517, Level 16, State 1, Line 2: nothing is not supported in this version of Millpond.
--> [still_here:int]
--> 1
--> (1 rows affected)
--> Msg 15170, Level 16, State 1, Line 4: This login is the owner of 2 job(s). You must delete or reassign these jobs before the login can be dropped.
--> [still_here:int]
--> 2
--> (1 rows affected)
EXEC sp_addmessage 60017, 16, N'Only a message.';
GO
SET XACT_ABORT ON;
BEGIN TRANSACTION;
RAISERROR (60017, 16, 1);
SELECT @@TRANCOUNT AS open_transactions;
ROLLBACK;
SET XACT_ABORT OFF;
GO
--> Msg 60017, Level 16, State 1, Line 3: Only a message.
--> [open_transactions:int]
--> 1
--> (1 rows affected)
EXEC sp_dropmessage 60017;
GO
-- Logins that own something.
CREATE LOGIN gardener WITH PASSWORD = 'Str0ng-Enough#2024';
CREATE DATABASE garden;
ALTER AUTHORIZATION ON DATABASE::garden TO gardener;
GO
DROP LOGIN gardener;
GO
--> Msg 15174, Level 16, State 1, Line 1: Login 'gardener' owns one or more database(s). Change the owner of the database(s) before dropping the login.
DROP DATABASE garden;
EXEC msdb.dbo.sp_add_job @job_name = 'water', @owner_login_name = 'gardener';
EXEC msdb.dbo.sp_add_job @job_name = 'weed', @owner_login_name = 'gardener';
GO
DROP LOGIN gardener;
GO
--> Msg 15170, Level 16, State 1, Line 1: This login is the owner of 2 job(s). You must delete or reassign these jobs before the login can be dropped.
EXEC msdb.dbo.sp_delete_job @job_name = 'water';
GO
BEGIN TRANSACTION;
DROP LOGIN gardener;
GO
--> Msg 15170, Level 16, State 1, Line 2: This login is the owner of 1 job(s). You must delete or reassign these jobs before the login can be dropped.
IF @@TRANCOUNT > 0 ROLLBACK;
EXEC msdb.dbo.sp_delete_job @job_name = 'weed';
DROP LOGIN gardener;
DROP LOGIN gardener;
GO
--> Msg 15151, Level 16, State 1, Line 4: Cannot drop the login 'gardener', because it does not exist or you do not have permission.
-- Options of a Query Store by their names.
CREATE DATABASE shed;
GO
ALTER DATABASE shed SET QUERY_STORE = ON (NO_SUCH_OPTION = 1);
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'NO_SUCH_OPTION'.
ALTER DATABASE shed SET QUERY_STORE (OPERATION_MODE = SIDEWAYS);
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'OPERATION_MODE'.
ALTER DATABASE shed SET QUERY_STORE (Interval_Length_Minutes = many);
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'INTERVAL_LENGTH_MINUTES'.
ALTER DATABASE shed SET QUERY_STORE (CLEANUP_POLICY = (STALE_QUERY_THRESHOLD_DAYS = x));
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'STALE_QUERY_THRESHOLD_DAYS'.
ALTER DATABASE shed SET QUERY_STORE (QUERY_CAPTURE_POLICY = (NO_SUCH_POLICY = 1));
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'NO_SUCH_POLICY'.
DROP DATABASE shed;
GO
