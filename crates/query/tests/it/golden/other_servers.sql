-- differs variables: a table of another definition or server cannot be a variable
-- A name of four parts is this server's only when its first part is empty or the server's own name.
create database other_servers
go
use other_servers
set nocount on
create table dbo.tx (a int identity, b int)
insert dbo.tx values (1), (2)
create table dbo.rows_of (r varchar(30))
create sequence dbo.sq
go
create procedure dbo.p as select 'ran here' r
go
create function dbo.f() returns int as begin return 1 end
go
create view dbo.v as select b from dbo.tx
go
create synonym dbo.far for nosuch.other_servers.dbo.tx
go
select * from nosuch.other_servers.dbo.tx
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
select * from nosuch.nosuchdb.dbo.tx
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
select * from nosuch.other_servers.dbo.v
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
select * from nosuch.master.sys.databases
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
select b from dbo.far
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
insert nosuch.other_servers.dbo.tx values (3)
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
insert dbo.far values (3)
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
delete from nosuch.other_servers.dbo.tx where b = 1
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
delete x from nosuch.other_servers.dbo.tx x
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
update nosuch.other_servers.dbo.tx set b = 9
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
merge nosuch.other_servers.dbo.tx t using (select 1 b) s on t.b = s.b when matched then delete;
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
exec nosuch.other_servers.dbo.p
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
exec nosuch.master..sp_executesql N'select 1'
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
declare @name nvarchar(100) = N'nosuch.other_servers.dbo.p'
exec @name
go
--> Msg 7202, Level 11, State 2, Line 2: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
insert dbo.rows_of exec nosuch.other_servers.dbo.p
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
insert nosuch.other_servers.dbo.rows_of exec dbo.p
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
select nosuch.other_servers.dbo.f()
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
declare c cursor for select b from nosuch.other_servers.dbo.tx
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
create view dbo.w as select b from nosuch.other_servers.dbo.tx
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
create procedure dbo.q as select b from nosuch.other_servers.dbo.tx
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
create table #t (a int)
insert nosuch.tempdb..#t values (1)
go
--> Msg 7202, Level 11, State 2, Line 2: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
insert dbo.tx output inserted.b into nosuch.other_servers.dbo.rows_of values (3)
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
select * from nosuch.other_servers.dbo.tf()
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
bulk insert nosuch.other_servers.dbo.tx from '/nowhere.csv'
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
if exists (select * from nosuch.other_servers.dbo.tx) print 'there'
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
with c as (select b from nosuch.other_servers.dbo.tx) update c set b = 9
go
--> Msg 7202, Level 11, State 2, Line 1: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
-- What a definition names cannot have a server at all.
create table nosuch.other_servers.dbo.made (a int)
go
--> Msg 117, Level 15, State 1, Line 2: The object name 'nosuch.other_servers.dbo.made' contains more than the maximum number of prefixes. The maximum is 2.
select 1 a into nosuch.other_servers.dbo.made
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.made' contains more than the maximum number of prefixes. The maximum is 2.
drop table nosuch.other_servers.dbo.tx
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.tx' contains more than the maximum number of prefixes. The maximum is 2.
truncate table nosuch.other_servers.dbo.tx
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.tx' contains more than the maximum number of prefixes. The maximum is 2.
alter table nosuch.other_servers.dbo.tx add c int
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.tx' contains more than the maximum number of prefixes. The maximum is 2.
create index i on nosuch.other_servers.dbo.tx (b)
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.tx' contains more than the maximum number of prefixes. The maximum is 2.
create statistics st on nosuch.other_servers.dbo.tx (b)
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.tx' contains more than the maximum number of prefixes. The maximum is 2.
update statistics nosuch.other_servers.dbo.tx
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.tx' contains more than the maximum number of prefixes. The maximum is 2.
create procedure nosuch.other_servers.dbo.q as select 1
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.q' contains more than the maximum number of prefixes. The maximum is 2.
create trigger g on nosuch.other_servers.dbo.tx after insert as print 'fired'
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.tx' contains more than the maximum number of prefixes. The maximum is 2.
drop procedure nosuch.other_servers.dbo.p
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.p' contains more than the maximum number of prefixes. The maximum is 2.
drop view nosuch.other_servers.dbo.v
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.v' contains more than the maximum number of prefixes. The maximum is 2.
create sequence nosuch.other_servers.dbo.s2
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.s2' contains more than the maximum number of prefixes. The maximum is 2.
select next value for nosuch.other_servers.dbo.sq
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.sq' contains more than the maximum number of prefixes. The maximum is 2.
create synonym nosuch.other_servers.dbo.s3 for dbo.tx
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.s3' contains more than the maximum number of prefixes. The maximum is 2.
set identity_insert nosuch.other_servers.dbo.tx on
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.tx' contains more than the maximum number of prefixes. The maximum is 2.
create type other_servers.dbo.ty from int
go
--> Msg 117, Level 15, State 1, Line 1: The type name 'other_servers.dbo.ty' contains more than the maximum number of prefixes. The maximum is 1.
declare @v other_servers.dbo.ty
go
--> Msg 117, Level 15, State 1, Line 1: The type name 'other_servers.dbo.ty' contains more than the maximum number of prefixes. The maximum is 1.
-- Functions of metadata and procedures know no such object.
select object_id('nosuch.other_servers.dbo.tx') as far, object_id('tempdb..dbo.tx') as of_db_as_server,
    objectproperty(object_id('nosuch...tx'), 'IsTable') as property, col_length('nosuch.other_servers.dbo.tx', 'b') as bytes
exec sp_rename 'nosuch.other_servers.dbo.tx', 'ty'
go
--> [far:int | of_db_as_server:int | property:int | bytes:smallint]
--> NULL | NULL | NULL | NULL
--> Msg 15225, Level 11, State 1, Line 4: No item by the name of 'nosuch.other_servers.dbo.tx' could be found in the current database 'other_servers', given that @itemtype was input as '(null)'.
dbcc checkident('nosuch.other_servers.dbo.tx')
go
--> Msg 2501, Level 16, State 45, Line 1: Cannot find a table or object with the name "nosuch.other_servers.dbo.tx". Check the system catalog.
dbcc show_statistics('nosuch.other_servers.dbo.tx', 'st')
go
--> Msg 2501, Level 16, State 45, Line 1: Cannot find a table or object with the name "nosuch.other_servers.dbo.tx". Check the system catalog.
exec sp_help 'nosuch.other_servers.dbo.tx'
go
--> Msg 15009, Level 16, State 1, Line 1: The object 'nosuch.other_servers.dbo.tx' does not exist in database 'other_servers' or is invalid for this operation.
exec sp_helptext 'nosuch.other_servers.dbo.v'
go
--> Msg 15009, Level 16, State 1, Line 1: The object 'nosuch.other_servers.dbo.v' does not exist in database 'other_servers' or is invalid for this operation.
exec sp_rename 'nosuch.other_servers.dbo.tx.b', 'c', 'column'
go
--> Msg 15248, Level 11, State 1, Line 1: Either the parameter @objname is ambiguous or the claimed @objtype (column) is wrong.
exec sp_spaceused 'nosuch.other_servers.dbo.tx'
go
--> Msg 15009, Level 16, State 1, Line 1: The object 'nosuch.other_servers.dbo.tx' does not exist in database 'other_servers' or is invalid for this operation.
select type_id('nosuch..dbo.tx') as type, ident_current('nosuch.other_servers.dbo.tx') as at,
    objectpropertyex(object_id('nosuch.other_servers.dbo.tx'), 'BaseType') as base
go
--> [type:int | at:numeric(38,0) | base:sql_variant]
--> NULL | NULL | NULL
enable trigger all on nosuch.other_servers.dbo.tx
go
--> Msg 117, Level 15, State 1, Line 1: The object name 'nosuch.other_servers.dbo.tx' contains more than the maximum number of prefixes. The maximum is 2.
-- The own name and empty parts are this server's.
declare @own nvarchar(200) = lower(quotename(@@servername))
exec ('select count(*) as n from ' + @own + '.other_servers.dbo.tx')
exec ('exec ' + @own + '.other_servers.dbo.p')
exec ('exec ' + @own + '.master..sp_executesql N''select db_name() d''')
select case when object_id(@own + '.other_servers.dbo.tx') = object_id('tx') then 'same' end as own,
    case when object_id('.other_servers.dbo.tx') = object_id('..tx') then 'same' end as empty_parts
go
--> [n:int]
--> 2
--> [r:varchar(8)]
--> ran here
--> [d:nvarchar(128)]
--> master
--> [own:varchar(4) | empty_parts:varchar(4)]
--> same | same
select b from ..tx
select b from .tx
select b from ...[tx]
select b from .other_servers.dbo.tx
exec ..p
exec ...p
exec ..sp_executesql N'select 1 as one'
insert ..tx values (3)
delete ...tx where b = 1
drop sequence ..sq
select b from ..tx
select * from ..nosuch
go
--> [b:int]
--> 1
--> 2
--> [b:int]
--> 1
--> 2
--> [b:int]
--> 1
--> 2
--> [b:int]
--> 1
--> 2
--> [r:varchar(8)]
--> ran here
--> [r:varchar(8)]
--> ran here
--> [one:int]
--> 1
--> [b:int]
--> 2
--> 3
--> Msg 208, Level 16, State 1, Line 12: Invalid object name '..nosuch'.
-- What a client asks before it loads rows in bulk.
create table dbo.bt (a int, b varchar(10), c nvarchar(5) collate Latin1_General_BIN2)
create table #bt (a char(2))
select @@trancount; SET FMTONLY ON select * from bt SET FMTONLY OFF exec ..sp_tablecollations_100 N'.[bt]'
exec other_servers..sp_tablecollations_100 N'[dbo].[bt]'
exec tempdb..sp_tablecollations_100 N'.[#bt]'
exec ..sp_tablecollations_100 N'.[nosuch]'
go
--> [:int]
--> 0
--> [a:int | b:varchar(10) | c:nvarchar(5)]
--> [colid:int | name:nvarchar(128) | tds_collation:binary(5) | collation:nvarchar(128)]
--> 1 | a | NULL | NULL
--> 2 | b | 0x0904D00034 | SQL_Latin1_General_CP1_CI_AS
--> 3 | c | 0x0904000200 | Latin1_General_BIN2
--> [colid:int | name:nvarchar(128) | tds_collation:binary(5) | collation:nvarchar(128)]
--> 1 | a | NULL | NULL
--> 2 | b | 0x0904D00034 | SQL_Latin1_General_CP1_CI_AS
--> 3 | c | 0x0904000200 | Latin1_General_BIN2
--> [colid:int | name:nvarchar(128) | tds_collation:binary(5) | collation:nvarchar(128)]
--> 1 | a | 0x0904D00034 | SQL_Latin1_General_CP1_CI_AS
--> [colid:int | name:nvarchar(128) | tds_collation:binary(5) | collation:nvarchar(128)]
-- The batch is refused as a whole, and no TRY of it sees that.
begin try
    print 'not reached'
    select * from nosuch.master.dbo.t
end try
begin catch print 'not caught' end catch
go
--> Msg 7202, Level 11, State 2, Line 4: Could not find server 'nosuch' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
use master
drop database other_servers
go
