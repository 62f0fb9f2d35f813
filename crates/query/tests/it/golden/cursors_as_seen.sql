-- Cursors as others see them: sys.dm_exec_cursors, sp_cursor_list, sp_describe_cursor and its kin; documents of OPENXML.
create database pond
go
use pond
create table t (id int not null primary key, name varchar(20) null, price decimal(9, 2) not null)
insert t values (1, 'one', 1.5), (2, null, 2.5), (3, 'three', 3.5)
go
--> (3 rows affected)
declare g cursor global keyset scroll for select id, name from t
go
-- Declared, open, on a row, closed.
declare @seen table (step int identity, name varchar(10), properties varchar(60), is_open bit, fetch_status int, start int, ansi int)
insert @seen select name, properties, is_open, fetch_status, fetch_buffer_start, ansi_position from sys.dm_exec_cursors(@@spid)
open g
insert @seen select name, properties, is_open, fetch_status, fetch_buffer_start, ansi_position from sys.dm_exec_cursors(@@spid)
declare @id int, @name varchar(20)
fetch absolute 2 from g into @id, @name
insert @seen select name, properties, is_open, fetch_status, fetch_buffer_start, ansi_position from sys.dm_exec_cursors(@@spid)
fetch absolute 9 from g into @id, @name
insert @seen select name, properties, is_open, fetch_status, fetch_buffer_start, ansi_position from sys.dm_exec_cursors(0)
close g
insert @seen select name, properties, is_open, fetch_status, fetch_buffer_start, ansi_position from sys.dm_exec_cursors(@@spid)
select * from @seen
select count(*) as others from sys.dm_exec_cursors(@@spid + 1)
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [step:int | name:varchar(10) | properties:varchar(60) | is_open:bit | fetch_status:int | start:int | ansi:int]
--> 1 | g | TSQL | Keyset | Optimistic | Global (0) | 0 | -9 | 0 | 0
--> 2 | g | TSQL | Keyset | Optimistic | Global (0) | 1 | -9 | 0 | 0
--> 3 | g | TSQL | Keyset | Optimistic | Global (0) | 1 | 0 | 2 | 1
--> 4 | g | TSQL | Keyset | Optimistic | Global (0) | 1 | -1 | -1 | 0
--> 5 | g | TSQL | Keyset | Optimistic | Global (0) | 0 | -1 | 0 | 0
--> (5 rows affected)
--> [others:int]
--> 0
--> (1 rows affected)
-- The text that declares it is its handle's.
select substring(t.text, c.statement_start_offset / 2 + 1, 25) as declared, c.session_id - @@spid as own, c.is_close_on_commit,
    case when c.creation_time <= getdate() and c.dormant_duration >= 0 and c.reads >= 0 then 'measured' end as measures
from sys.dm_exec_cursors(@@spid) c cross apply sys.dm_exec_sql_text(c.sql_handle) t where c.name = 'g'
go
--> [declared:nvarchar(max) | own:int | is_close_on_commit:bit | measures:varchar(8)]
--> declare g cursor global k | 0 | 0 | measured
--> (1 rows affected)
-- What the session has, by a cursor.
declare l cursor local fast_forward for select price from t
declare @v cursor
set @v = cursor static for select id from t where id > 5
open l
open @v
fetch next from l
declare @list cursor
exec sp_cursor_list @cursor_return = @list output, @cursor_scope = 3
fetch next from @list
while @@fetch_status = 0 fetch next from @list
deallocate @list
exec sp_cursor_list @list output, 2
fetch next from @list
fetch next from @list
deallocate @list
exec sp_describe_cursor @list output, N'variable', N'@v'
fetch next from @list
deallocate @list
exec sp_describe_cursor_columns @cursor_return = @list output, @cursor_source = N'global', @cursor_identity = N'g'
fetch next from @list
fetch next from @list
fetch next from @list
deallocate @list
exec sp_describe_cursor_tables @cursor_return = @list output, @cursor_source = N'local', @cursor_identity = N'l'
declare @owner sysname, @table sysname, @hints smallint, @lock smallint, @server sysname, @object int, @db int, @dbname sysname
fetch next from @list into @owner, @table, @hints, @lock, @server, @object, @db, @dbname
select @owner as owner, @table as name, @hints as hints, @lock as lock, iif(@server = @@servername, 'own', 'other') as server,
    object_name(@object) as object, @dbname as dbname
deallocate @list
-- What is not there.
exec sp_describe_cursor @list output, N'local', N'g'
exec sp_describe_cursor @list output, N'anywhere', N'g'
exec sp_cursor_list @list output, 4
select cursor_status('variable', '@list') as list
go
--> [price:decimal(9,2)]
--> 1.50
--> (1 rows affected)
--> [reference_name:nvarchar(128) | cursor_name:nvarchar(128) | cursor_scope:tinyint | status:smallint | model:tinyint | concurrency:tinyint | scrollable:tinyint | open_status:tinyint | cursor_rows:decimal(10,0) | fetch_status:smallint | column_count:smallint | row_count:decimal(10,0) | last_operation:tinyint | cursor_handle:int]
--> g | g | 2 | -1 | 2 | 3 | 1 | 0 | 0 | -1 | 2 | 0 | 6 | 180150003
--> (1 rows affected)
--> [reference_name:nvarchar(128) | cursor_name:nvarchar(128) | cursor_scope:tinyint | status:smallint | model:tinyint | concurrency:tinyint | scrollable:tinyint | open_status:tinyint | cursor_rows:decimal(10,0) | fetch_status:smallint | column_count:smallint | row_count:decimal(10,0) | last_operation:tinyint | cursor_handle:int]
--> l | l | 1 | 1 | 4 | 1 | 0 | 1 | -1 | 0 | 1 | 1 | 2 | 180150005
--> (1 rows affected)
--> [reference_name:nvarchar(128) | cursor_name:nvarchar(128) | cursor_scope:tinyint | status:smallint | model:tinyint | concurrency:tinyint | scrollable:tinyint | open_status:tinyint | cursor_rows:decimal(10,0) | fetch_status:smallint | column_count:smallint | row_count:decimal(10,0) | last_operation:tinyint | cursor_handle:int]
--> @v | @v | 1 | 0 | 1 | 1 | 1 | 1 | 0 | -9 | 1 | 0 | 1 | 180150007
--> (1 rows affected)
--> [reference_name:nvarchar(128) | cursor_name:nvarchar(128) | cursor_scope:tinyint | status:smallint | model:tinyint | concurrency:tinyint | scrollable:tinyint | open_status:tinyint | cursor_rows:decimal(10,0) | fetch_status:smallint | column_count:smallint | row_count:decimal(10,0) | last_operation:tinyint | cursor_handle:int]
--> (0 rows affected)
--> [reference_name:nvarchar(128) | cursor_name:nvarchar(128) | cursor_scope:tinyint | status:smallint | model:tinyint | concurrency:tinyint | scrollable:tinyint | open_status:tinyint | cursor_rows:decimal(10,0) | fetch_status:smallint | column_count:smallint | row_count:decimal(10,0) | last_operation:tinyint | cursor_handle:int]
--> g | g | 2 | -1 | 2 | 3 | 1 | 0 | 0 | -1 | 2 | 0 | 6 | 180150003
--> (1 rows affected)
--> [reference_name:nvarchar(128) | cursor_name:nvarchar(128) | cursor_scope:tinyint | status:smallint | model:tinyint | concurrency:tinyint | scrollable:tinyint | open_status:tinyint | cursor_rows:decimal(10,0) | fetch_status:smallint | column_count:smallint | row_count:decimal(10,0) | last_operation:tinyint | cursor_handle:int]
--> (0 rows affected)
--> [reference_name:nvarchar(128) | cursor_name:nvarchar(128) | cursor_scope:tinyint | status:smallint | model:tinyint | concurrency:tinyint | scrollable:tinyint | open_status:tinyint | cursor_rows:decimal(10,0) | fetch_status:smallint | column_count:smallint | row_count:decimal(10,0) | last_operation:tinyint | cursor_handle:int]
--> @v | @v | 1 | 0 | 1 | 1 | 1 | 1 | 0 | -9 | 1 | 0 | 1 | 180150007
--> (1 rows affected)
--> [column_name:nvarchar(128) | ordinal_position:int | column_characteristics_flags:int | column_size:int | data_type_sql:smallint | column_precision:tinyint | column_scale:tinyint | order_position:int | order_direction:varchar(1) | hidden_column:smallint | columnid:int | objectid:int | dbid:int | dbname:nvarchar(128)]
--> id | 0 | 2 | 4 | 56 | 10 | 0 | 0 | NULL | 0 | -1 | -1 | -1 | NULL
--> (1 rows affected)
--> [column_name:nvarchar(128) | ordinal_position:int | column_characteristics_flags:int | column_size:int | data_type_sql:smallint | column_precision:tinyint | column_scale:tinyint | order_position:int | order_direction:varchar(1) | hidden_column:smallint | columnid:int | objectid:int | dbid:int | dbname:nvarchar(128)]
--> name | 1 | 4 | 20 | 167 | 0 | 0 | 0 | NULL | 0 | -1 | -1 | -1 | NULL
--> (1 rows affected)
--> [column_name:nvarchar(128) | ordinal_position:int | column_characteristics_flags:int | column_size:int | data_type_sql:smallint | column_precision:tinyint | column_scale:tinyint | order_position:int | order_direction:varchar(1) | hidden_column:smallint | columnid:int | objectid:int | dbid:int | dbname:nvarchar(128)]
--> (0 rows affected)
--> [owner:nvarchar(128) | name:nvarchar(128) | hints:smallint | lock:smallint | server:varchar(5) | object:nvarchar(128) | dbname:nvarchar(128)]
--> dbo | t | 0 | 0 | own | t | pond
--> (1 rows affected)
--> Msg 16916, Level 16, State 1, Line 18: A cursor with the name 'g' does not exist.
--> Msg 16902, Level 16, State 1, Line 9: sp_describe_cursor: The value of the parameter @cursor_source is invalid.
--> Msg 16902, Level 16, State 1, Line 8: sp_cursor_list: The value of the parameter @cursor_scope is invalid.
--> [list:smallint]
--> -2
--> (1 rows affected)
-- Those of a text go with it, those of a procedure are not its caller's.
create procedure shows as
declare inside cursor local for select 1
declare @list cursor, @reference sysname
exec sp_cursor_list @list output, 1
select cursor_status('variable', '@list') as status
fetch next from @list
go
declare outside cursor local for select 2
exec shows
select name, properties from sys.dm_exec_cursors(@@spid)
go
--> [status:smallint]
--> 1
--> (1 rows affected)
--> [reference_name:nvarchar(128) | cursor_name:nvarchar(128) | cursor_scope:tinyint | status:smallint | model:tinyint | concurrency:tinyint | scrollable:tinyint | open_status:tinyint | cursor_rows:decimal(10,0) | fetch_status:smallint | column_count:smallint | row_count:decimal(10,0) | last_operation:tinyint | cursor_handle:int]
--> inside | inside | 1 | -1 | 1 | 1 | 0 | 0 | 0 | -9 | 1 | 0 | 0 | 180150021
--> (1 rows affected)
--> [name:nvarchar(256) | properties:nvarchar(256)]
--> g | TSQL | Keyset | Optimistic | Global (0)
--> outside | TSQL | Snapshot | Read Only | Local (0)
--> (2 rows affected)
select name from sys.dm_exec_cursors(@@spid)
deallocate g
select count(*) as cursors from sys.dm_exec_cursors(@@spid)
go
--> [name:nvarchar(256)]
--> g
--> (1 rows affected)
--> [cursors:int]
--> 0
--> (1 rows affected)
-- Documents that are prepared for OPENXML.
declare @one int, @two int
exec sp_xml_preparedocument @one output, N'<a><b x="1"/><b x="2"/></a>'
exec sp_xml_preparedocument @two output, N'<a/>', N'<a xmlns:p="urn:p"/>'
select count(*) as rows from openxml(@one, '/a/b')
select count(*) as rows from openxml(@one, '/a/b[@x="2"]')
select document_id, namespace_document_id, original_document_size_bytes, original_namespace_document_size_bytes, num_openxml_calls, row_count,
    case when creation_time <= getdate() and dormant_duration_ms >= 0 then 'measured' end as measures
from sys.dm_exec_xml_handles(@@spid) order by document_id
exec sp_xml_removedocument @one
select document_id from sys.dm_exec_xml_handles(0)
exec sp_xml_removedocument @two
go
--> [rows:int]
--> 6
--> (1 rows affected)
--> [rows:int]
--> 3
--> (1 rows affected)
--> [document_id:int | namespace_document_id:int | original_document_size_bytes:bigint | original_namespace_document_size_bytes:bigint | num_openxml_calls:bigint | row_count:bigint | measures:varchar(8)]
--> 1 | NULL | 54 | NULL | 2 | 9 | measured
--> 3 | 3 | 8 | 40 | 0 | 0 | measured
--> (2 rows affected)
--> [document_id:int]
--> 3
--> (1 rows affected)
use master
drop database pond
go
