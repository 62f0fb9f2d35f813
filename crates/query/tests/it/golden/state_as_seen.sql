-- differs secondary: each table has an index more, whose rows have versions too
-- State of the server that views show: versions and snapshots, a page's header, latches, threads, calls of modules, old names.
create database pond
alter database pond set allow_snapshot_isolation on
go
use pond
create table t (id int not null primary key, a int not null)
insert t values (1, 1), (2, 2), (3, 3)
go
--> (3 rows affected)
-- The version of a row that a snapshot may read, and what the snapshot does not see.
set transaction isolation level snapshot
begin transaction
select count(*) as seen from t
select count(*) as active from sys.dm_tran_current_snapshot
update t set a = 20 where id = 2
select s.is_snapshot, s.session_id - @@spid as own from sys.dm_tran_active_snapshot_database_transactions s where s.session_id = @@spid
select count(*) as versions, min(v.version_sequence_num) as first, min(v.status) as status,
    case when min(v.record_length_first_part_in_bytes) = min(datalength(v.record_image_first_part)) then 'whole' end as image
from sys.dm_tran_version_store v where v.database_id = db_id()
select case when sum(aggregated_record_length_in_bytes) > 0 then 'some' end as bytes from sys.dm_tran_top_version_generators where database_id = db_id()
rollback
set transaction isolation level read committed
select count(*) as rows from sys.dm_tran_commit_table
go
--> [seen:int]
--> 3
--> (1 rows affected)
--> [active:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
--> [is_snapshot:bit | own:int]
--> 1 | 0
--> (1 rows affected)
--> [versions:int | first:bigint | status:tinyint | image:varchar(5)]
--> 1 | 1 | 0 | whole
--> (1 rows affected)
--> [bytes:varchar(4)]
--> some
--> (1 rows affected)
--> [rows:int]
--> 0
--> (1 rows affected)
-- The header of a page, and what maps say of it.
declare @pages table (PageFID tinyint, PagePID int, IAMFID tinyint null, IAMPID int null, ObjectID int, IndexID int, PageType tinyint, IndexLevel tinyint null, NextPageFID tinyint, NextPagePID int, PrevPageFID tinyint, PrevPagePID int)
insert @pages exec ('dbcc ind (0, t, 1) with no_infomsgs')
select i.page_type, i.page_type_desc, i.page_level, i.index_id, object_name(i.object_id) as name, i.slot_count, i.is_iam_pg, i.pfs_page_id, i.pfs_is_allocated,
    i.gam_page_id, i.gam_status, i.sgam_page_id, i.diff_map_page_id, i.ml_map_page_id,
    case when i.partition_id = (select partition_id from sys.partitions where object_id = object_id('t')) then 'own' end as partition,
    case when i.free_bytes > 0 and (i.free_data_offset > 96 or i.page_type = 10) then 'free' end as space
from @pages p cross apply sys.dm_db_page_info(db_id(), p.PageFID, p.PagePID, 'detailed') i where p.ObjectID = object_id('t') order by i.page_type
select page_id, page_type, page_type_desc, page_header_version, pfs_is_allocated, pfs_status_desc, gam_status_desc, diff_map_page_id
from sys.dm_db_page_info(db_id(), 1, 1, 'detailed')
select page_type, page_type_desc from sys.dm_db_page_info(db_id(), 1, 9, default)
select count(*) as pages from sys.dm_db_page_info(db_id(), 1, 123456789, 'limited')
select count(*) as pages from sys.dm_db_page_info(db_id(), 9, 1, 'limited')
select count(*) as pages from sys.dm_db_page_info(null, 1, 1, 'limited')
go
--> (2 rows affected)
--> [page_type:int | page_type_desc:nvarchar(64) | page_level:int | index_id:int | name:nvarchar(128) | slot_count:smallint | is_iam_pg:bit | pfs_page_id:int | pfs_is_allocated:bit | gam_page_id:int | gam_status:bit | sgam_page_id:int | diff_map_page_id:int | ml_map_page_id:int | partition:varchar(3) | space:varchar(4)]
--> 1 | DATA_PAGE | 0 | 1 | t | 3 | 0 | 1 | 1 | 2 | 1 | 3 | 6 | 7 | own | free
--> 10 | IAM_PAGE | 0 | 0 | t | 0 | 1 | 1 | 1 | 2 | 1 | 3 | 6 | 7 | NULL | free
--> (2 rows affected)
--> [page_id:int | page_type:int | page_type_desc:nvarchar(64) | page_header_version:int | pfs_is_allocated:bit | pfs_status_desc:nvarchar(64) | gam_status_desc:nvarchar(64) | diff_map_page_id:int]
--> 1 | 11 | PFS_PAGE | 1 | 1 | ALLOCATED 100_PCT_FULL | ALLOCATED | 6
--> (1 rows affected)
--> [page_type:int | page_type_desc:nvarchar(64)]
--> 13 | NULL
--> (1 rows affected)
--> [pages:int]
--> 0
--> (1 rows affected)
--> [pages:int]
--> 0
--> (1 rows affected)
--> [pages:int]
--> Msg 2560, Level 16, State 9, Line 14: Parameter 1 is incorrect for this DBCC statement.
select count(*) as pages from sys.dm_db_page_info(db_id(), 1, 1, 'some')
go
--> [pages:int]
--> Msg 2560, Level 16, State 9, Line 1: Parameter 4 is incorrect for this DBCC statement.
-- What the process has.
select latch_class from sys.dm_os_latch_stats order by latch_class
dbcc sqlperf ('sys.dm_os_latch_stats', clear) with no_infomsgs
select sum(max_wait_time_ms) as waited from sys.dm_os_latch_stats where latch_class = 'FGCB_ADD_REMOVE'
select case when count(*) > 1 and min(creation_time) <= getdate() and min(affinity) <> 0 and count(distinct os_thread_id) = count(*) then 'threads' end as threads
from sys.dm_os_threads
select count(*) as listeners from sys.dm_tcp_listener_states
select count(*) as hints from sys.dm_exec_valid_use_hints where name in ('DISABLE_PARAMETER_SNIFFING', 'QUERY_OPTIMIZER_COMPATIBILITY_LEVEL_150')
go
--> [latch_class:nvarchar(60)]
--> ALLOC_EXTENT_CACHE
--> BUFFER
--> FGCB_ADD_REMOVE
--> (3 rows affected)
--> [waited:bigint]
--> 0
--> (1 rows affected)
--> [threads:varchar(7)]
--> threads
--> (1 rows affected)
--> [listeners:int]
--> 0
--> (1 rows affected)
--> [hints:int]
--> 2
--> (1 rows affected)
-- Calls of modules.
create function f (@x int) returns int as begin declare @y int = @x + 1 return @y end
go
create trigger r on t after insert as declare @n int select @n = count(*) from inserted
go
create procedure p as select 1 as a
go
select dbo.f(1) as a, dbo.f(2) as b
insert t values (4, 4)
insert t values (5, 5)
exec p
select 'f' as of_kind, object_name(object_id) as name, type, type_desc, execution_count from sys.dm_exec_function_stats where database_id = db_id()
select 't' as of_kind, object_name(object_id) as name, type, type_desc, execution_count from sys.dm_exec_trigger_stats where database_id = db_id()
select 'p' as of_kind, object_name(object_id) as name, type, type_desc, execution_count from sys.dm_exec_procedure_stats where database_id = db_id()
go
--> [a:int | b:int]
--> 2 | 3
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
--> [of_kind:varchar(1) | name:nvarchar(128) | type:char(2) | type_desc:nvarchar(60) | execution_count:bigint]
--> f | f | FN | SQL_SCALAR_FUNCTION | 2
--> (1 rows affected)
--> [of_kind:varchar(1) | name:nvarchar(128) | type:char(2) | type_desc:nvarchar(60) | execution_count:bigint]
--> t | r | TR | SQL_TRIGGER | 2
--> (1 rows affected)
--> [of_kind:varchar(1) | name:nvarchar(128) | type:char(2) | type_desc:nvarchar(60) | execution_count:bigint]
--> p | p | P | SQL_STORED_PROCEDURE | 1
--> (1 rows affected)
-- What depends on a plan: itself, and cursors.
declare c cursor global for select id from t
go
select o.cacheobjtype from sys.dm_exec_cursors(@@spid) c cross apply sys.dm_exec_cached_plan_dependent_objects(0x06000000 + substring(c.sql_handle, 5, 8)) o
where o.cacheobjtype = 'Cursor'
deallocate c
select count(*) as objects from sys.dm_exec_cached_plan_dependent_objects(0x06)
go
--> [cacheobjtype:nvarchar(50)]
--> Cursor
--> (1 rows affected)
--> [objects:int]
--> 0
--> (1 rows affected)
-- Under the names of SQL Server 2000.
begin transaction
update t set a = 0 where id = 1
select rsc_type, req_mode, req_status, req_ownertype, req_spid - @@spid as own, object_name(nullif(rsc_objid, 0)) as name, rsc_indid
from syslockinfo where req_spid = @@spid and rsc_dbid = db_id() and rsc_type in (5, 7) and req_mode in (5, 8) order by rsc_type
select case when count(distinct rsc_bin) = count(*) then 'one of each' end as resources from sys.syslockinfo where req_spid = @@spid and rsc_type = 7
rollback
select objtype, cacheobjtype, usecounts, iif(sqlbytes > 0, 'some', 'none') as bytes from sys.syscacheobjects where objid = object_id('p') and dbid = db_id()
select name, size * 2 - (select size * 8 from sys.database_files where file_id = 1) as differs, status, cntrltype from sysdevices
where phyname = (select physical_name from sys.database_files where file_id = 1)
select type, id, csid, name from syscharsets order by type
grant select, insert on t to public
deny update on t (a) to public
select object_name(id) as name, user_name(grantee) as grantee, actadd, actmod, seladd, updmod from syspermissions where id = object_id('t')
go
--> (1 rows affected)
--> [rsc_type:tinyint | req_mode:tinyint | req_status:tinyint | req_ownertype:smallint | own:int | name:nvarchar(128) | rsc_indid:smallint]
--> 5 | 8 | 1 | 1 | 0 | t | 0
--> 7 | 5 | 1 | 1 | 0 | t | 1
--> (2 rows affected)
--> [resources:varchar(11)]
--> one of each
--> (1 rows affected)
--> [objtype:nvarchar(8) | cacheobjtype:nvarchar(17) | usecounts:int | bytes:varchar(4)]
--> Proc | Compiled Plan | 1 | some
--> (1 rows affected)
--> [name:nvarchar(128) | differs:int | status:smallint | cntrltype:smallint]
--> pond | 0 | 2 | 0
--> (1 rows affected)
--> [type:smallint | id:tinyint | csid:tinyint | name:nvarchar(128)]
--> 1001 | 1 | 0 | iso_1
--> 2001 | 52 | 1 | nocase_iso
--> (2 rows affected)
--> [name:nvarchar(128) | grantee:nvarchar(128) | actadd:smallint | actmod:smallint | seladd:varbinary(4000) | updmod:varbinary(4000)]
--> t | public | 9 | 0 | NULL | 0x04
--> (1 rows affected)
use master
drop database pond
go
