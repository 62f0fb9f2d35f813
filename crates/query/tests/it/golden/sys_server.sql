-- Procedures about the server: its names and options, its sort order, what it tells ODBC, its counters and its locks.
CREATE TABLE #servers (name sysname, network_name sysname NULL, status varchar(70), id char(4), collation_name sysname NULL,
    connect_timeout int, query_timeout int)
CREATE TABLE #linked (name sysname, provider nvarchar(128), product nvarchar(128), data_source nvarchar(4000),
    provider_string nvarchar(4000), location nvarchar(4000), catalog sysname NULL)
GO
INSERT #servers EXEC sp_helpserver
SELECT IIF(name = @@SERVERNAME, 1, 0) AS is_this, IIF(network_name = @@SERVERNAME, 1, 0) AS is_this_too, status, id, collation_name,
    connect_timeout, query_timeout FROM #servers
GO
DELETE #servers
DECLARE @server sysname = @@SERVERNAME
INSERT #servers EXEC sp_helpserver @server, 'rpc'
INSERT #servers EXEC sp_helpserver @optname = 'SUB'
SELECT COUNT(*) AS with_rpc FROM #servers
GO
EXEC sp_helpserver @optname = 'sub', @show_topology = 't'
GO
EXEC sp_helpserver 'no]such''server'
GO
EXEC sp_helpserver NULL, 'nonsense'
GO
INSERT #linked EXEC sp_linkedservers
SELECT IIF(name = @@SERVERNAME, 1, 0) AS is_this, product, provider_string, location, catalog FROM #linked
GO
EXEC sp_describe_first_result_set N'EXEC sp_linkedservers'
GO
DECLARE @server sysname = @@SERVERNAME, @result int
EXEC @result = sp_addserver @server, 'local', 'duplicate_OK'
SELECT @result AS result
EXEC sp_addserver NULL
EXEC sp_addserver ''
EXEC sp_addserver 'with blank'
EXEC sp_addserver 'other', 'remote'
EXEC sp_addserver 'other'
EXEC sp_addserver 'other', 'local'
EXEC sp_serveroption @server, 'nonsense', 'true'
EXEC sp_serveroption @server, 'rpc', 'maybe'
EXEC sp_serveroption @server, 'query timeout', '-1'
EXEC sp_serveroption 'other', 'rpc', 'true'
EXEC sp_serveroption NULL, 'rpc', 'true'
EXEC sp_setnetname 'other', 'x'
EXEC sp_setnetname @server, NULL
GO
BEGIN TRANSACTION
EXEC sp_addserver 'other'
ROLLBACK
GO
EXEC sp_helpsort
GO
EXEC sp_server_info @attribute_id = 1
EXEC sp_server_info 18
EXEC sp_server_info 3
EXEC sp_server_info NULL
GO
CREATE LOGIN visitor WITH PASSWORD = 'V1sit!or-of-all'
GO
EXECUTE AS LOGIN = 'visitor'
GO
EXEC sp_addserver 'other'
EXEC sp_serveroption 'other', 'rpc', 'true'
EXEC sp_setnetname 'other', 'x'
EXEC sp_monitor
EXEC sp_lock
GO
REVERT
GO
DROP LOGIN visitor
GO
CREATE DATABASE locked
GO
USE locked
GO
CREATE TABLE t (i int CONSTRAINT pk_t PRIMARY KEY, j int)
CREATE TABLE #locks (spid smallint, dbid smallint, ObjId int, IndId smallint, [Type] nchar(4), [Resource] nchar(32), [Mode] nvarchar(8),
    [Status] nvarchar(5))
GO
BEGIN TRANSACTION
INSERT t VALUES (1, 2)
INSERT #locks EXEC sp_lock @@SPID
SELECT DISTINCT IIF(spid = @@SPID, 1, 0) AS own, DB_NAME(dbid) AS db, OBJECT_NAME(ObjId) AS name, IndId, [Type], [Mode], [Status]
    FROM #locks WHERE dbid = DB_ID() AND ObjId = OBJECT_ID('t') ORDER BY IndId
DELETE #locks
INSERT #locks EXEC master..sp_lock @spid1 = -7, @spid2 = -8
SELECT COUNT(*) AS of_nobody FROM #locks
ROLLBACK
GO
DROP TABLE #locks
USE master
GO
DROP DATABASE locked
GO
DROP TABLE #servers
DROP TABLE #linked
GO
