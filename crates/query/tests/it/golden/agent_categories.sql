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
-- what is refused
EXEC msdb.dbo.sp_add_category;
GO
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
