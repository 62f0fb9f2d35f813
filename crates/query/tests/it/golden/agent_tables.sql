-- The Agent's tables in msdb: they are there after the first call of one of its procedures, with their fixed rows and roles.
EXEC msdb.dbo.sp_help_category @class = 'OPERATOR';
SELECT name FROM msdb.sys.tables
WHERE name IN ('syscategories', 'sysjobs', 'sysjobsteps', 'sysschedules', 'sysjobschedules', 'sysjobservers', 'sysjobhistory',
    'sysjobactivity', 'syssessions', 'sysjobstepslogs', 'sysoperators', 'sysalerts', 'sysnotifications', 'sysproxies',
    'sysproxylogin', 'sysproxysubsystem', 'syssubsystems')
ORDER BY name;
GO
SELECT category_id, category_class, category_type, name FROM msdb.dbo.syscategories ORDER BY category_id;
SELECT subsystem_id, subsystem, description_id, subsystem_dll, max_worker_threads FROM msdb.dbo.syssubsystems ORDER BY subsystem_id;
GO
SELECT r.name AS role, m.name AS member
FROM msdb.sys.database_principals AS r
    LEFT JOIN msdb.sys.database_role_members AS x ON x.role_principal_id = r.principal_id
    LEFT JOIN msdb.sys.database_principals AS m ON m.principal_id = x.member_principal_id
WHERE r.name LIKE 'SQLAgent%Role'
ORDER BY r.name;
GO
-- a second call changes nothing
EXEC msdb.dbo.sp_help_category @class = 'ALERT', @suffix = 1;
SELECT COUNT(*) AS categories FROM msdb.dbo.syscategories;
GO
-- the columns, which the views of these names had before
SELECT t.name AS [table], c.name, TYPE_NAME(c.user_type_id) AS type, c.max_length, c.is_nullable, c.is_identity
FROM msdb.sys.tables AS t JOIN msdb.sys.columns AS c ON c.object_id = t.object_id
WHERE t.name IN ('sysjobs', 'sysjobsteps', 'sysschedules', 'sysjobschedules', 'sysjobservers', 'sysjobhistory', 'sysjobactivity')
ORDER BY t.name, c.column_id;
GO
