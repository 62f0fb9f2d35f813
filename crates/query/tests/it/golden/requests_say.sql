-- What sys.dm_exec_requests says of the running statement: its command, how deep it is, who asked.
create database asked
go
use asked
create user u without login
go
create procedure inside as select nest_level, command from sys.dm_exec_requests where session_id = @@spid
go
create procedure outside as exec inside select nest_level from sys.dm_exec_requests where session_id = @@spid
go
grant execute on inside to u
exec outside
select nest_level, command from sys.dm_exec_requests where session_id = @@spid
exec sp_executesql N'select nest_level from sys.dm_exec_requests where session_id = @@spid'
go
--> [nest_level:int | command:nvarchar(32)]
--> 2 | SELECT
--> (1 rows affected)
--> [nest_level:int]
--> 1
--> (1 rows affected)
--> [nest_level:int | command:nvarchar(32)]
--> 0 | SELECT
--> (1 rows affected)
--> [nest_level:int]
--> 2
--> (1 rows affected)
create table told (command nvarchar(32))
insert told select command from sys.dm_exec_requests where session_id = @@spid
update told set command = command + N', ' + (select command from sys.dm_exec_requests where session_id = @@spid)
select command into #told from sys.dm_exec_requests where session_id = @@spid
declare @command nvarchar(32)
set @command = (select command from sys.dm_exec_requests where session_id = @@spid)
if exists (select * from sys.dm_exec_requests where session_id = @@spid and command = 'CONDITIONAL') print 'a condition'
-- The text of a condition is its words.
declare @n int = 0
while 'while' = (select substring(t.text, r.statement_start_offset / 2 + 1, 5) from sys.dm_exec_requests r
    cross apply sys.dm_exec_sql_text(r.sql_handle) t where r.session_id = @@spid) and @n < 2 set @n += 1
if 'if ''if' = (select substring(t.text, r.statement_start_offset / 2 + 1, 6) from sys.dm_exec_requests r
    cross apply sys.dm_exec_sql_text(r.sql_handle) t where r.session_id = @@spid) print 'the text of an if'
else select 1
print @n
select command from told union all select command from #told union all select @command order by 1
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> # a condition
--> # the text of an if
--> # 2
--> [command:nvarchar(32)]
--> INSERT, UPDATE
--> SELECT INTO
--> SET
--> (3 rows affected)
-- The user of the current database, and no connection where there is none.
execute as user = 'u'
select case user_id when user_id() then 'u' end as who, connection_id from sys.dm_exec_requests where session_id = @@spid
exec inside
revert
select user_id, connection_id from sys.dm_exec_requests where session_id = @@spid
go
--> [who:varchar(1) | connection_id:uniqueidentifier]
--> u | NULL
--> (1 rows affected)
--> [nest_level:int | command:nvarchar(32)]
--> 1 | SELECT
--> (1 rows affected)
--> [user_id:int | connection_id:uniqueidentifier]
--> 1 | NULL
--> (1 rows affected)
use master
drop database asked
go
