-- Triggers of definitions: what fires them, what they see, what a ROLLBACK undoes.
-- differs clustered: a table gets its key by a statement of its own, which is an event
-- differs snapshot: CREATE DATABASE is written in lower case there, and EVENTDATA() shows it
-- differs secondary: a table gets its index by a statement of its own, which is an event
CREATE DATABASE watched;
GO
USE watched;
SET NOCOUNT ON;
CREATE TABLE log (n int IDENTITY PRIMARY KEY, event varchar(60), object varchar(60), data nvarchar(max));
GO
CREATE FUNCTION part (@data nvarchar(max), @name varchar(30)) RETURNS nvarchar(max) AS
BEGIN
    DECLARE @start int = CHARINDEX('<' + @name + '>', @data);
    IF @start = 0 RETURN NULL;
    SET @start += LEN(@name) + 2;
    RETURN SUBSTRING(@data, @start, CHARINDEX('</' + @name + '>', @data, @start) - @start);
END
GO
CREATE TRIGGER watch ON DATABASE FOR DDL_DATABASE_LEVEL_EVENTS AS
BEGIN
    DECLARE @data nvarchar(max) = CONVERT(nvarchar(max), EVENTDATA());
    INSERT dbo.log (event, object, data) VALUES (dbo.part(@data, 'EventType'), dbo.part(@data, 'ObjectName'), @data);
END
GO
CREATE TABLE t1 (a int, CONSTRAINT ck CHECK (a > 0));
ALTER TABLE t1 ADD b int;
CREATE INDEX ix ON t1 (a);
CREATE TABLE #own (a int);
DROP TABLE #own;
GO
CREATE VIEW v1 AS SELECT a FROM t1;
GO
CREATE OR ALTER VIEW v1 AS SELECT b FROM t1;
GO
CREATE TRIGGER own ON t1 AFTER INSERT AS RETURN;
GO
CREATE USER someone WITHOUT LOGIN;
CREATE SCHEMA other;
CREATE SEQUENCE other.numbers;
CREATE TYPE code FROM int;
CREATE SYNONYM s1 FOR t1;
CREATE TABLE t2 (a int);
GO
--> Msg 111, Level 15, State 1, Line 2: 'CREATE SCHEMA' must be the first statement in a query batch.
CREATE SCHEMA other;
GO
CREATE USER someone WITHOUT LOGIN;
CREATE SEQUENCE other.numbers;
CREATE TYPE code FROM int;
CREATE SYNONYM s1 FOR t1;
CREATE TABLE t2 (a int);
DROP TABLE IF EXISTS t1, t2, t3;
DROP VIEW v1;
SELECT event, object FROM log ORDER BY n;
SELECT dbo.part(data, 'SchemaName') AS sch, dbo.part(data, 'ObjectType') AS kind, dbo.part(data, 'TargetObjectName') AS target, dbo.part(data, 'TargetObjectType') AS target_kind, dbo.part(data, 'LoginName') AS login_name, dbo.part(data, 'UserName') AS user_name, dbo.part(data, 'DatabaseName') AS db, dbo.part(data, 'CommandText') AS command FROM log WHERE n IN (1, 3) ORDER BY n;
SELECT dbo.part(data, 'SchemaName') AS sch, dbo.part(data, 'ObjectType') AS kind FROM log WHERE object = 'someone';
SELECT ISDATE(dbo.part(data, 'PostTime')) AS is_time, IIF(dbo.part(data, 'SPID') = @@SPID, 1, 0) AS is_own, IIF(dbo.part(data, 'ServerName') = @@SERVERNAME, 1, 0) AS is_here FROM log WHERE n = 1;
GO
--> [event:varchar(60) | object:varchar(60)]
--> CREATE_TABLE | t1
--> ALTER_TABLE | t1
--> CREATE_INDEX | ix
--> CREATE_VIEW | v1
--> ALTER_VIEW | v1
--> CREATE_TRIGGER | own
--> CREATE_SCHEMA | other
--> CREATE_USER | someone
--> CREATE_SEQUENCE | numbers
--> CREATE_TYPE | code
--> CREATE_SYNONYM | s1
--> CREATE_TABLE | t2
--> DROP_TABLE | t1
--> DROP_TABLE | t2
--> DROP_VIEW | v1
--> [sch:nvarchar(max) | kind:nvarchar(max) | target:nvarchar(max) | target_kind:nvarchar(max) | login_name:nvarchar(max) | user_name:nvarchar(max) | db:nvarchar(max) | command:nvarchar(max)]
--> dbo | TABLE | NULL | NULL | sa | dbo | watched | CREATE TABLE t1 (a int, CONSTRAINT ck CHECK (a &gt; 0))
--> dbo | INDEX | t1 | TABLE | sa | dbo | watched | CREATE INDEX ix ON t1 (a)
--> [sch:nvarchar(max) | kind:nvarchar(max)]
--> NULL | SQL USER
--> [is_time:int | is_own:int | is_here:int]
--> 1 | 1 | 1
-- Outside of it there is no event; a failed statement raises none.
SELECT EVENTDATA() AS nothing;
DELETE log;
GO
--> [nothing:xml]
--> NULL
CREATE TABLE log (a int);
GO
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'log' in the database.
IF 1 = 0 CREATE TABLE never (a int);
SELECT COUNT(*) AS events FROM log;
GO
--> [events:int]
--> 0
-- A ROLLBACK undoes the definition and ends the batch; an error does too.
DISABLE TRIGGER watch ON DATABASE;
GO
CREATE TRIGGER no_tables ON DATABASE FOR CREATE_TABLE, DROP_TABLE AS
BEGIN
    PRINT CONCAT('open: ', @@TRANCOUNT, ', there: ', IIF(OBJECT_ID('refused') IS NULL, 'no', 'yes'));
    ROLLBACK;
END
GO
CREATE TABLE refused (a int);
PRINT 'not reached';
GO
--> # open: 1, there: yes
--> Msg 3609, Level 16, State 1, Line 1: The transaction ended in the trigger. The batch has been aborted.
DROP TABLE log;
GO
--> # open: 1, there: no
--> Msg 3609, Level 16, State 1, Line 1: The transaction ended in the trigger. The batch has been aborted.
SELECT OBJECT_ID('refused') AS refused, IIF(OBJECT_ID('log') IS NULL, 'gone', 'kept') AS log, @@TRANCOUNT AS open_transactions;
GO
--> [refused:int | log:varchar(4) | open_transactions:int]
--> NULL | kept | 0
ALTER TRIGGER no_tables ON DATABASE FOR CREATE_TABLE AS
INSERT log (event) VALUES ('lost');
THROW 50001, 'no tables', 1;
GO
CREATE TABLE refused (a int);
GO
--> Msg 50001, Level 16, State 1, Line 3: no tables
BEGIN TRY
    CREATE TABLE refused (a int);
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS raised_in, XACT_STATE() AS state;
END CATCH
SELECT OBJECT_ID('refused') AS refused, COUNT(*) AS logged FROM log;
GO
--> [number:int | raised_in:nvarchar(128) | state:smallint]
--> 50001 | no_tables | 0
--> [refused:int | logged:int]
--> NULL | 0
-- Shown; switched; dropped.
SELECT name, parent_class, parent_class_desc, parent_id, is_disabled FROM sys.triggers ORDER BY name;
SELECT t.name, e.type, e.type_desc, e.event_group_type_desc FROM sys.trigger_events AS e JOIN sys.triggers AS t ON t.object_id = e.object_id WHERE t.name = 'no_tables';
SELECT COUNT(*) AS events, MIN(event_group_type_desc) AS of_group FROM sys.trigger_events AS e JOIN sys.triggers AS t ON t.object_id = e.object_id WHERE t.name = 'watch';
SELECT type, type_name, parent_type FROM sys.trigger_event_types WHERE type_name IN ('CREATE_TABLE', 'DDL_TABLE_EVENTS', 'DDL_EVENTS') ORDER BY type;
SELECT COUNT(*) AS among_objects FROM sys.objects WHERE name = 'watch';
SELECT LEFT(m.definition, 20) AS begins FROM sys.sql_modules AS m JOIN sys.triggers AS t ON t.object_id = m.object_id WHERE t.name = 'no_tables';
DISABLE TRIGGER ALL ON DATABASE;
CREATE TABLE refused (a int);
DROP TABLE refused;
ENABLE TRIGGER no_tables ON DATABASE;
SELECT name, is_disabled FROM sys.triggers ORDER BY name;
DROP TRIGGER no_tables ON DATABASE;
DROP TRIGGER IF EXISTS no_tables ON DATABASE;
GO
--> [name:nvarchar(128) | parent_class:tinyint | parent_class_desc:nvarchar(60) | parent_id:int | is_disabled:bit]
--> no_tables | 0 | DATABASE | 0 | 0
--> watch | 0 | DATABASE | 0 | 1
--> [name:nvarchar(128) | type:int | type_desc:nvarchar(60) | event_group_type_desc:nvarchar(60)]
--> no_tables | 21 | CREATE_TABLE | NULL
--> [events:int | of_group:nvarchar(60)]
--> 151 | DDL_DATABASE_LEVEL_EVENTS
--> [type:int | type_name:nvarchar(64) | parent_type:int]
--> 21 | CREATE_TABLE | 10018
--> 10001 | DDL_EVENTS | NULL
--> 10018 | DDL_TABLE_EVENTS | 10017
--> [among_objects:int]
--> 0
--> [begins:nvarchar(max)]
--> CREATE TRIGGER no_ta
--> [name:nvarchar(128) | is_disabled:bit]
--> no_tables | 0
--> watch | 1
-- Inside one trigger others fire, but not itself; first and last are said by a procedure.
CREATE TRIGGER a ON DATABASE FOR CREATE_TABLE AS PRINT CONCAT('a at ', TRIGGER_NESTLEVEL()); EXEC ('CREATE VIEW inner_v AS SELECT 1 AS c');
GO
CREATE TRIGGER b ON DATABASE FOR CREATE_VIEW AS PRINT CONCAT('b at ', TRIGGER_NESTLEVEL(@@PROCID, 'AFTER', 'DDL'), ' of ', TRIGGER_NESTLEVEL());
GO
CREATE TRIGGER c ON DATABASE FOR DDL_TABLE_EVENTS AS PRINT 'c';
GO
EXEC sp_settriggerorder 'c', 'First', 'CREATE_TABLE', 'DATABASE';
CREATE TABLE t4 (a int);
DROP VIEW inner_v;
GO
--> # c
--> # a at 1
--> # b at 1 of 2
EXEC sp_settriggerorder 'a', 'First', 'CREATE_TABLE', 'DATABASE';
GO
--> Msg 15130, Level 16, State 1, Line 1: There already exists a 'first' trigger for 'create_table'.
EXEC sp_settriggerorder 'b', 'First', 'CREATE_TABLE', 'DATABASE';
GO
--> Msg 15125, Level 16, State 1, Line 1: Trigger 'b' is not a trigger for 'create_table'.
EXEC sp_settriggerorder 'c', 'First', 'DDL_TABLE_EVENTS', 'DATABASE';
GO
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sp_settriggerorder'.
EXEC sp_settriggerorder 'nothing', 'First', 'CREATE_TABLE', 'DATABASE';
GO
--> Msg 15165, Level 16, State 1, Line 1: Could not find object 'nothing' or you do not have permission.
DROP TRIGGER a, b, c ON DATABASE;
GO
-- Triggers of the server come before those of the database, run in master, and see events of the server.
CREATE TRIGGER here ON DATABASE FOR CREATE_TABLE AS PRINT 'database';
GO
CREATE TRIGGER everywhere ON ALL SERVER FOR CREATE_TABLE, DDL_LOGIN_EVENTS, CREATE_DATABASE AS
DECLARE @data nvarchar(max) = CONVERT(nvarchar(max), EVENTDATA());
PRINT CONCAT('server in ', DB_NAME(), ': ', watched.dbo.part(@data, 'EventType'), ' ', watched.dbo.part(@data, 'DatabaseName'), ' ', watched.dbo.part(@data, 'CommandText'));
GO
CREATE TABLE t5 (a int);
CREATE LOGIN passing WITH PASSWORD = 'Very-secret-1', CHECK_POLICY = OFF;
ALTER LOGIN passing WITH PASSWORD = N'Very-secret-2';
DROP LOGIN passing;
CREATE DATABASE another;
DROP DATABASE another;
SELECT name, parent_class, parent_class_desc, is_disabled FROM sys.server_triggers;
SELECT e.type_desc, e.event_group_type_desc FROM sys.server_trigger_events AS e ORDER BY e.type;
SELECT COUNT(*) AS texts FROM sys.server_sql_modules;
GO
--> # server in master: CREATE_TABLE watched CREATE TABLE t5 (a int)
--> # database
--> # server in master: CREATE_LOGIN  CREATE LOGIN passing WITH PASSWORD = '******', CHECK_POLICY = OFF
--> # server in master: ALTER_LOGIN  ALTER LOGIN passing WITH PASSWORD = '******'
--> # server in master: DROP_LOGIN  DROP LOGIN passing
--> # server in master: CREATE_DATABASE another CREATE DATABASE another
--> [name:nvarchar(128) | parent_class:tinyint | parent_class_desc:nvarchar(60) | is_disabled:bit]
--> everywhere | 100 | SERVER | 0
--> [type_desc:nvarchar(60) | event_group_type_desc:nvarchar(60)]
--> CREATE_TABLE | NULL
--> CREATE_LOGIN | DDL_LOGIN_EVENTS
--> ALTER_LOGIN | DDL_LOGIN_EVENTS
--> DROP_LOGIN | DDL_LOGIN_EVENTS
--> CREATE_DATABASE | NULL
--> [texts:int]
--> 1
DISABLE TRIGGER everywhere ON ALL SERVER;
CREATE TABLE t6 (a int);
GO
--> # database
-- Refused.
CREATE TRIGGER here ON DATABASE FOR DROP_TABLE AS RETURN;
GO
--> Msg 2714, Level 16, State 6, Line 2: There is already an object named 'here' in the database.
CREATE TRIGGER dbo.bad ON DATABASE FOR DROP_TABLE AS RETURN;
GO
--> Msg 1094, Level 15, State 1, Line 1: Cannot specify a schema name as a prefix to the trigger name for database and server level triggers.
CREATE TRIGGER bad ON DATABASE FOR CREATE_LOGIN AS RETURN;
GO
--> Msg 1098, Level 15, State 1, Line 1: The specified event type(s) is/are not valid on the specified target object.
CREATE TRIGGER bad ON DATABASE FOR INSERT AS RETURN;
GO
--> Msg 1098, Level 15, State 1, Line 1: The specified event type(s) is/are not valid on the specified target object.
CREATE TRIGGER bad ON DATABASE FOR NO_SUCH_EVENT AS RETURN;
GO
--> Msg 1084, Level 15, State 1, Line 1: 'no_such_event' is an invalid event type.
CREATE TRIGGER bad ON DATABASE INSTEAD OF CREATE_TABLE AS RETURN;
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'create_table'.
CREATE TRIGGER bad ON DATABASE FOR CREATE_TABLE AS SELECT nothing FROM dbo.log;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
CREATE TRIGGER bad ON DATABASE FOR LOGON AS RETURN;
GO
--> Msg 1098, Level 15, State 1, Line 1: The specified event type(s) is/are not valid on the specified target object.
ALTER TRIGGER bad ON DATABASE FOR CREATE_TABLE AS RETURN;
GO
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'bad'.
DROP TRIGGER bad ON DATABASE;
GO
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the trigger 'bad', because it does not exist or you do not have permission.
DROP TRIGGER here;
GO
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the trigger 'here', because it does not exist or you do not have permission.
DISABLE TRIGGER bad ON DATABASE;
GO
--> Msg 1088, Level 16, State 119, Line 1: Cannot find the object "bad" because it does not exist or you do not have permissions.
DISABLE TRIGGER dbo.here ON DATABASE;
GO
--> Msg 1094, Level 15, State 1, Line 1: Cannot specify a schema name as a prefix to the trigger name for database and server level triggers.
DROP TRIGGER everywhere ON ALL SERVER;
USE master;
DROP DATABASE watched;
GO
