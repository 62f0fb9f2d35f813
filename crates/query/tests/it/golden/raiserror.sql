-- RAISERROR: severities, states, numbers, options.
RAISERROR ('a', 18, 1);
PRINT 'goes on';
GO
--> Msg 50000, Level 18, State 1, Line 2: a
--> # goes on
RAISERROR ('a', 19, 1);
PRINT 'goes on';
GO
--> Msg 2754, Level 16, State 1, Line 1: Error severity levels greater than 18 can only be specified by members of the sysadmin role, using the WITH LOG option.
--> # goes on
RAISERROR ('a', 25, 1) WITH NOWAIT;
GO
--> Msg 2754, Level 16, State 1, Line 1: Error severity levels greater than 18 can only be specified by members of the sysadmin role, using the WITH LOG option.
RAISERROR ('a', 19, 1) WITH LOG;
PRINT 'goes on';
GO
--> Msg 50000, Level 19, State 1, Line 1: a
--> # goes on
BEGIN TRY
    RAISERROR ('a', 19, 1) WITH LOG;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity;
END CATCH
GO
--> [number:int | severity:int]
--> 50000 | 19
--> (1 rows affected)
BEGIN TRY
    RAISERROR ('a', 19, 1);
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_SEVERITY() AS severity;
END CATCH
GO
--> [number:int | severity:int]
--> 2754 | 16
--> (1 rows affected)
-- From 20 on no TRY sees it, the batch ends, and nothing of its transaction stays.
CREATE TABLE #r (a int);
BEGIN TRAN;
INSERT #r VALUES (1);
BEGIN TRY
    RAISERROR ('fatal', 20, 1) WITH LOG;
END TRY
BEGIN CATCH
    PRINT 'not reached';
END CATCH
PRINT 'not reached';
GO
--> (1 rows affected)
--> Msg 50000, Level 20, State 1, Line 6: fatal
SELECT @@TRANCOUNT AS open_now, COUNT(*) AS rows_of_r FROM #r;
GO
--> [open_now:int | rows_of_r:int]
--> 0 | 0
--> (1 rows affected)
RAISERROR ('high', 40, 300) WITH LOG;
GO
--> Msg 50000, Level 25, State 255, Line 1: high
RAISERROR ('low', -1, -5);
SELECT @@ERROR AS error;
RAISERROR ('low', 10, 1) WITH SETERROR;
SELECT @@ERROR AS error;
GO
--> # low
--> [error:int]
--> 0
--> (1 rows affected)
--> # low
--> [error:int]
--> 50000
--> (1 rows affected)
RAISERROR (50001, 16, 1);
RAISERROR (50000, 16, 1);
RAISERROR (12999, 16, 1);
RAISERROR (13000, 9, 2);
SELECT @@ERROR AS error;
GO
--> Msg 18054, Level 16, State 1, Line 1: Error 50001, severity 16, state 1 was raised, but no message with that error number was found in sys.messages. If error is larger than 50000, make sure the user-defined message is added using sp_addmessage.
--> Msg 2732, Level 16, State 1, Line 2: Error number 50000 is invalid. The number must be from 13000 through 2147483647 and it cannot be 50000.
--> Msg 2732, Level 16, State 1, Line 3: Error number 12999 is invalid. The number must be from 13000 through 2147483647 and it cannot be 50000.
--> Msg 18054, Level 16, State 1, Line 4: Error 13000, severity 9, state 2 was raised, but no message with that error number was found in sys.messages. If error is larger than 50000, make sure the user-defined message is added using sp_addmessage.
--> [error:int]
--> 18054
--> (1 rows affected)
