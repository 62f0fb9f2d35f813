-- KILL of what is not there, and of what this server never has.
KILL 0;
GO
--> Msg 6101, Level 16, State 1, Line 2: Process ID 0 is not a valid process ID. Choose a number between 1 and 32767.
KILL -2;
GO
--> Msg 6101, Level 16, State 1, Line 1: Process ID -2 is not a valid process ID. Choose a number between 1 and 32767.
KILL 32768 WITH STATUSONLY;
GO
--> Msg 6101, Level 16, State 1, Line 1: Process ID 32768 is not a valid process ID. Choose a number between 1 and 32767.
KILL 32000;
GO
--> Msg 6106, Level 16, State 2, Line 1: Process ID 32000 is not an active process ID.
KILL 32000 WITH STATUSONLY;
GO
--> Msg 6106, Level 16, State 2, Line 1: Process ID 32000 is not an active process ID.
DECLARE @me nvarchar(100) = N'KILL ' + CAST(@@SPID AS nvarchar(10));
DECLARE @status nvarchar(100) = @me + N' WITH STATUSONLY';
BEGIN TRY EXEC (@me) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n, ERROR_MESSAGE() AS text END CATCH;
BEGIN TRY EXEC (@status) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS n, ERROR_STATE() AS state, ERROR_SEVERITY() AS severity END CATCH;
GO
--> [n:int | text:nvarchar(4000)]
--> 6104 | Cannot use KILL to kill your own process.
--> (1 rows affected)
--> [n:int | state:int | severity:int]
--> 6120 | 1 | 16
--> (1 rows affected)
KILL 51 WITH COMMIT;
GO
--> Msg 6108, Level 16, State 1, Line 1: KILL SPID WITH COMMIT/ABORT is not supported by Microsoft SQL Server. Use KILL UOW WITH COMMIT/ABORT to resolve in-doubt distributed transactions involving Microsoft Distributed Transaction Coordinator (MS DTC).
KILL 'D5499C66-E398-45CA-BF7E-DC9C194B48CF';
GO
--> Msg 6110, Level 16, State 1, Line 1: The distributed transaction with UOW D5499C66-E398-45CA-BF7E-DC9C194B48CF does not exist.
KILL 'D5499C66-E398-45CA-BF7E-DC9C194B48CF' WITH STATUSONLY;
GO
--> Msg 6121, Level 16, State 1, Line 1: Status report cannot be obtained. Rollback operation for UOW D5499C66-E398-45CA-BF7E-DC9C194B48CF is not in progress.
KILL 'D5499C66-E398-45CA-BF7E-DC9C194B48CF' WITH COMMIT;
GO
--> Msg 6110, Level 16, State 1, Line 1: The distributed transaction with UOW D5499C66-E398-45CA-BF7E-DC9C194B48CF does not exist.
KILL 'D5499C66-E398-45CA-BF7E-DC9C194B48CF' WITH ROLLBACK;
GO
--> Msg 6110, Level 16, State 1, Line 1: The distributed transaction with UOW D5499C66-E398-45CA-BF7E-DC9C194B48CF does not exist.
KILL STATS JOB 53;
GO
--> Msg 49900, Level 16, State 1, Line 1: There is no statistics job 53.
KILL QUERY NOTIFICATION SUBSCRIPTION 73;
GO
--> Msg 9206, Level 16, State 1, Line 1: The query notification subscription '73' cannot be deleted because it does not exist or it has already been fired.
KILL QUERY NOTIFICATION SUBSCRIPTION ALL;
SELECT 'nothing to do' AS said;
GO
--> [said:varchar(13)]
--> nothing to do
--> (1 rows affected)
BEGIN TRANSACTION;
KILL 32000;
SELECT @@TRANCOUNT AS open_transactions;
ROLLBACK;
GO
--> Msg 6115, Level 16, State 1, Line 2: KILL command cannot be used inside user transactions.
--> [open_transactions:int]
--> 1
--> (1 rows affected)
KILL STATS 53;
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '53'.
KILL;
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ';'.
