-- Triggers of logins as definitions: their names, options, order and views. What they do at a login is a test of the server.
CREATE LOGIN keeper WITH PASSWORD = 'Lake-1234567';
GO
CREATE TRIGGER gate ON ALL SERVER WITH EXECUTE AS 'keeper' FOR LOGON AS
    IF ORIGINAL_LOGIN() = 'nobody' ROLLBACK;
GO
CREATE TRIGGER second ON ALL SERVER WITH EXECUTE AS SELF FOR LOGON AS RETURN;
GO
CREATE TRIGGER third ON ALL SERVER AFTER LOGON AS PRINT 'third';
GO
SELECT name, parent_class_desc, parent_id, type, is_disabled FROM sys.server_triggers ORDER BY name;
SELECT t.name, e.type, e.type_desc, e.is_first, e.is_last, e.event_group_type FROM sys.server_trigger_events e JOIN sys.server_triggers t ON t.object_id = e.object_id ORDER BY t.name;
SELECT t.name, SUSER_NAME(m.execute_as_principal_id) AS runs_as FROM sys.server_sql_modules m JOIN sys.server_triggers t ON t.object_id = m.object_id ORDER BY t.name;
GO
--> [name:nvarchar(128) | parent_class_desc:nvarchar(60) | parent_id:int | type:char(2) | is_disabled:bit]
--> gate | SERVER | 0 | TR | 0
--> second | SERVER | 0 | TR | 0
--> third | SERVER | 0 | TR | 0
--> (3 rows affected)
--> [name:nvarchar(128) | type:int | type_desc:nvarchar(60) | is_first:bit | is_last:bit | event_group_type:int]
--> gate | 147 | LOGON | 0 | 0 | NULL
--> second | 147 | LOGON | 0 | 0 | NULL
--> third | 147 | LOGON | 0 | 0 | NULL
--> (3 rows affected)
--> [name:nvarchar(128) | runs_as:nvarchar(128)]
--> gate | keeper
--> second | sa
--> third | NULL
--> (3 rows affected)
EXEC sp_settriggerorder 'second', 'First', 'LOGON', 'SERVER';
EXEC sp_settriggerorder 'gate', 'Last', 'LOGON', 'SERVER';
SELECT t.name, e.is_first, e.is_last FROM sys.server_trigger_events e JOIN sys.server_triggers t ON t.object_id = e.object_id ORDER BY t.name;
EXEC sp_settriggerorder 'third', 'Last', 'LOGON', 'SERVER';
EXEC sp_settriggerorder 'third', 'Last', 'CREATE_LOGIN', 'SERVER';
GO
--> [name:nvarchar(128) | is_first:bit | is_last:bit]
--> gate | 0 | 1
--> second | 1 | 0
--> third | 0 | 0
--> (3 rows affected)
--> Msg 15130, Level 16, State 1, Line 4: There already exists a 'last' trigger for 'logon'.
--> Msg 15125, Level 16, State 1, Line 5: Trigger 'third' is not a trigger for 'create_login'.
DISABLE TRIGGER third ON ALL SERVER;
SELECT name, is_disabled FROM sys.server_triggers ORDER BY name;
ENABLE TRIGGER ALL ON ALL SERVER;
SELECT SUM(CONVERT(int, is_disabled)) AS disabled FROM sys.server_triggers;
GO
--> [name:nvarchar(128) | is_disabled:bit]
--> gate | 0
--> second | 0
--> third | 1
--> (3 rows affected)
--> [disabled:int]
--> 0
--> (1 rows affected)
-- A login that a trigger runs as stays.
DROP LOGIN keeper;
GO
--> Msg 15186, Level 16, State 1, Line 2: The server principal is set as the execution context of a trigger or event notification and cannot be dropped.
CREATE TRIGGER bad ON ALL SERVER WITH EXECUTE AS 'no_such_login' FOR LOGON AS RETURN;
GO
--> Msg 15406, Level 16, State 1, Line 1: Cannot execute as the server principal because the principal "no_such_login" does not exist, this type of principal cannot be impersonated, or you do not have permission.
CREATE TRIGGER gate ON ALL SERVER FOR LOGON AS RETURN;
GO
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'gate' in the database.
CREATE TRIGGER bad ON ALL SERVER INSTEAD OF LOGON AS RETURN;
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'logon'.
CREATE TRIGGER bad ON ALL SERVER FOR LOGIN AS RETURN;
GO
--> Msg 1084, Level 15, State 1, Line 1: 'login' is an invalid event type.
ALTER TRIGGER gate ON ALL SERVER FOR LOGON AS RETURN;
GO
SELECT SUSER_NAME(m.execute_as_principal_id) AS runs_as FROM sys.server_sql_modules m JOIN sys.server_triggers t ON t.object_id = m.object_id WHERE t.name = 'gate';
GO
--> [runs_as:nvarchar(128)]
--> NULL
--> (1 rows affected)
DROP TRIGGER gate, second, third ON ALL SERVER;
DROP TRIGGER gate ON ALL SERVER;
DROP LOGIN keeper;
SELECT COUNT(*) AS triggers FROM sys.server_triggers;
GO
--> Msg 3701, Level 11, State 5, Line 2: Cannot drop the trigger 'gate', because it does not exist or you do not have permission.
--> [triggers:int]
--> 0
--> (1 rows affected)
