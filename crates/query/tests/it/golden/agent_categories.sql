-- The categories of the Agent's jobs, alerts and operators: the fixed ones stay, others come, get new names and go.
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_category @name = N'reports'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_category 'job', 'multi-server', N'far ]''away'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_category 'ALERT', 'NONE', N'reports'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_category 'OPERATOR', 'NONE', N'night shift'; SELECT @r AS r;
SELECT category_id, category_class, category_type, name FROM msdb.dbo.syscategories WHERE category_id >= 100 ORDER BY category_id;
EXEC msdb.dbo.sp_help_category;
EXEC msdb.dbo.sp_help_category @class = 'ALERT', @suffix = 1;
EXEC msdb.dbo.sp_help_category @type = 'MULTI-SERVER', @suffix = 1;
EXEC msdb.dbo.sp_help_category 'JOB', 'LOCAL', N'reports';
GO
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [category_id:int | category_class:int | category_type:tinyint | name:nvarchar(128)]
--> 100 | 1 | 1 | reports
--> 101 | 1 | 2 | far ]'away
--> 102 | 2 | 3 | reports
--> 103 | 3 | 3 | night shift
--> (4 rows affected)
--> [category_id:int | category_type:tinyint | name:nvarchar(128)]
--> 0 | 1 | [Uncategorized (Local)]
--> 8 | 1 | Data Collector
--> 7 | 1 | Database Engine Tuning Advisor
--> 3 | 1 | Database Maintenance
--> 5 | 1 | Full-Text
--> 1 | 1 | Jobs from MSX
--> 6 | 1 | Log Shipping
--> 18 | 1 | REPL-Alert Response
--> 16 | 1 | REPL-Checkup
--> 10 | 1 | REPL-Distribution
--> 11 | 1 | REPL-Distribution Cleanup
--> 12 | 1 | REPL-History Cleanup
--> 13 | 1 | REPL-LogReader
--> 14 | 1 | REPL-Merge
--> 19 | 1 | REPL-QueueReader
--> 15 | 1 | REPL-Snapshot
--> 17 | 1 | REPL-Subscription Cleanup
--> 100 | 1 | reports
--> 2 | 2 | [Uncategorized (Multi-Server)]
--> 101 | 2 | far ]'away
--> [category_id:int | category_type:nvarchar(128) | name:nvarchar(128)]
--> 98 | NONE | [Uncategorized]
--> 20 | NONE | Replication
--> 102 | NONE | reports
--> [category_id:int | category_type:nvarchar(128) | name:nvarchar(128)]
--> 2 | MULTI-SERVER | [Uncategorized (Multi-Server)]
--> 101 | MULTI-SERVER | far ]'away
--> [category_id:int | category_type:tinyint | name:nvarchar(128)]
--> 100 | 1 | reports
-- what is refused
EXEC msdb.dbo.sp_add_category;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_add_category' expects parameter '@name', which was not supplied.
DECLARE @r int;
EXEC @r = msdb.dbo.sp_add_category @name = N'reports'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_category @name = N' '; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_category @name = NULL; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_category 'STEP', 'LOCAL', N'x'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_category 'JOB', 'NONE', N'x'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_add_category 'ALERT', 'LOCAL', N'x'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_category 'STEP'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_category 'JOB', 'REMOTE'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_help_category 'JOB', NULL, N'nowhere'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_category 'JOB', N'Database Maintenance', N'x'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_category 'JOB', N'nowhere', N'x'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_category 'JOB', N'reports', N''; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_update_category 'JOB', N'reports', N'far ]''away'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_category 'JOB', N'[Uncategorized (Local)]'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_category 'STEP', N'reports'; SELECT @r AS r;
EXEC @r = msdb.dbo.sp_delete_category 'OPERATOR', N'reports'; SELECT @r AS r;
GO
--> Msg 14261, Level 16, State 1, Line 41: The specified @name ('reports') already exists.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14200, Level 16, State 1, Line 36: The specified '@name' is invalid.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14200, Level 16, State 1, Line 36: The specified '@name' is invalid.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 21: The specified '@class' is invalid (valid values are: JOB, ALERT, OPERATOR).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 26: The specified '@type' is invalid (valid values are: LOCAL, MULTI-SERVER).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 31: The specified '@type' is invalid (valid values are: NONE).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 17: The specified '@class' is invalid (valid values are: JOB, ALERT, OPERATOR).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 22: The specified '@type' is invalid (valid values are: LOCAL, MULTI-SERVER, NONE).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14526, Level 16, State 1, Line 27: The specified category "nowhere" does not exist for category class "JOB".
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14276, Level 16, State 1, Line 32: 'Database Maintenance' is a permanent job category and cannot be deleted.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14526, Level 16, State 1, Line 27: The specified category "nowhere" does not exist for category class "JOB".
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14200, Level 16, State 1, Line 37: The specified '@new_name' is invalid.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14261, Level 16, State 1, Line 43: The specified @new_name ('far ]'away') already exists.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14276, Level 16, State 1, Line 31: '[Uncategorized (Local)]' is a permanent job category and cannot be deleted.
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14266, Level 16, State 1, Line 19: The specified '@class' is invalid (valid values are: JOB, ALERT, OPERATOR).
--> [r:int]
--> 1
--> (1 rows affected)
--> Msg 14526, Level 16, State 1, Line 26: The specified category "reports" does not exist for category class "OPERATOR".
--> [r:int]
--> 1
--> (1 rows affected)
-- jobs of a category that goes are not filed any more
DECLARE @r int;
EXEC @r = msdb.dbo.sp_update_category 'JOB', N'reports', N'papers'; SELECT @r AS r;
EXEC msdb.dbo.sp_add_job N'job', @category_name = N'papers';
EXEC @r = msdb.dbo.sp_delete_category 'JOB', N'papers'; SELECT @r AS r;
SELECT name, category_id FROM msdb.dbo.sysjobs;
EXEC msdb.dbo.sp_delete_job @job_name = N'job';
EXEC @r = msdb.dbo.sp_delete_category 'JOB', N'far ]''away';
EXEC @r = msdb.dbo.sp_delete_category 'ALERT', N'reports';
EXEC @r = msdb.dbo.sp_delete_category 'OPERATOR', N'night shift';
SELECT COUNT(*) AS others FROM msdb.dbo.syscategories WHERE category_id >= 100;
GO
--> [r:int]
--> 0
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> [name:nvarchar(128) | category_id:int]
--> job | 0
--> (1 rows affected)
--> [others:int]
--> 0
--> (1 rows affected)
