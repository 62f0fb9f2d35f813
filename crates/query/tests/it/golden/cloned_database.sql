-- DBCC CLONEDATABASE: definitions without rows, READ_ONLY; what is not committed is not in it.
create database whole
go
use whole
go
create schema s
go
create type dbo.code from varchar(10) not null
create sequence s.numbers as int start with 7
go
create table dbo.parents (id int identity (10, 5) not null constraint pk_parents primary key, c dbo.code, d as id * 2, x xml null)
create table s.children (a int not null, b nvarchar(max) null, parent int not null constraint fk foreign key references dbo.parents (id) on delete cascade,
    constraint ck check (a > 0), constraint uq unique nonclustered (a) , index ix (parent) include (b) where a > 5)
create table dbo.heap (v decimal(9, 2) constraint df default (1.5))
go
create view dbo.both as select p.id, c.a from dbo.parents as p join s.children as c on c.parent = p.id
go
create procedure s.count_them as select count(*) as n from dbo.both
go
create function dbo.twice (@x int) returns int as begin return 2 * @x end
go
create trigger s.tr on s.children after insert as print 'inserted'
go
create user hand without login
grant select on s.children to hand
exec sp_addextendedproperty 'note', 'kept', 'schema', 'dbo', 'table', 'heap'
alter database scoped configuration set maxdop = 3
insert dbo.parents (c) values ('a'), ('b')
insert s.children values (9, replicate(N'x', 5000), 10)
insert dbo.heap default values
go
--> (2 rows affected)
--> # inserted
--> (1 rows affected)
--> (1 rows affected)
use master
dbcc clonedatabase (whole, empty)
go
--> # Database cloning for 'whole' has started with target as 'empty'.
--> # Database cloning for 'whole' has finished. Cloned database is 'empty'.
--> # Database 'empty' is a cloned database. This database should be used for diagnostic purposes only and is not supported for use in a production environment.
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
select name, is_read_only from sys.databases where database_id > 4 order by name
select databasepropertyex('empty', 'IsClone') as a, databasepropertyex('whole', 'IsClone') as b, databasepropertyex('empty', 'IsVerifiedClone') as c
go
--> [name:nvarchar(128) | is_read_only:bit]
--> empty | 1
--> whole | 0
--> (2 rows affected)
--> [a:sql_variant | b:sql_variant | c:sql_variant]
--> 1 | 0 | 0
--> (1 rows affected)
select count(*) as differ from (
    (select name, object_id, type from whole.sys.objects except select name, object_id, type from empty.sys.objects)
    union all (select name, object_id, type from empty.sys.objects except select name, object_id, type from whole.sys.objects)) as x
select count(*) as differ from (
    (select object_id, name, column_id, user_type_id, max_length, is_identity, is_computed from whole.sys.columns
     except select object_id, name, column_id, user_type_id, max_length, is_identity, is_computed from empty.sys.columns)) as x
select count(*) as differ from (select object_id, index_id, name, filter_definition from whole.sys.indexes except select object_id, index_id, name, filter_definition from empty.sys.indexes) as x
select count(*) as differ from (select definition from whole.sys.sql_modules except select definition from empty.sys.sql_modules) as x
go
--> [differ:int]
--> 0
--> (1 rows affected)
--> [differ:int]
--> 0
--> (1 rows affected)
--> [differ:int]
--> 0
--> (1 rows affected)
--> [differ:int]
--> 0
--> (1 rows affected)
use empty
go
select (select count(*) from dbo.parents) as a, (select count(*) from s.children) as b, (select count(*) from dbo.heap) as c, dbo.twice(4) as d
exec s.count_them
select value from sys.extended_properties
select cast(value as int) as v from sys.database_scoped_configurations where name = 'maxdop'
select grantee.name, p.permission_name from sys.database_permissions as p join sys.database_principals as grantee on grantee.principal_id = p.grantee_principal_id where p.class = 1
go
--> [a:int | b:int | c:int | d:int]
--> 0 | 0 | 0 | 8
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [value:sql_variant]
--> kept
--> (1 rows affected)
--> [v:int]
--> 3
--> (1 rows affected)
--> [name:nvarchar(128) | permission_name:nvarchar(128)]
--> hand | SELECT
--> (1 rows affected)
insert dbo.heap default values
go
--> Msg 3906, Level 16, State 1, Line 1: Failed to update database "empty" because the database is read-only.
--> # The statement has been terminated.
-- It may be made one that can be changed, and is whole.
use master
alter database empty set read_write
go
use empty
go
insert dbo.parents (c) values ('z')
insert s.children values (8, null, scope_identity())
insert dbo.heap default values
select (select count(*) from dbo.parents) as a, (select count(*) from s.children) as b, (select v from dbo.heap) as c
delete dbo.parents
select count(*) as left_over from s.children
dbcc checkdb with no_infomsgs
go
--> (1 rows affected)
--> # inserted
--> (1 rows affected)
--> (1 rows affected)
--> [a:int | b:int | c:decimal(9,2)]
--> 1 | 1 | 1.50
--> (1 rows affected)
--> (1 rows affected)
--> [left_over:int]
--> 0
--> (1 rows affected)
use master
go
dbcc clonedatabase (whole, empty)
go
--> Msg 1801, Level 16, State 3, Line 1: Database 'empty' already exists. Choose a different database name.
dbcc clonedatabase (absent, other)
go
--> Msg 2520, Level 16, State 5, Line 1: Could not find database 'absent'. The database either does not exist, or was dropped before a statement tried to use it. Verify if the database exists by querying the sys.databases catalog view.
dbcc clonedatabase (master, other)
go
--> Msg 40517, Level 16, State 1, Line 1: DBCC CLONEDATABASE of a database of the system is not supported in this version of Millpond.
dbcc clonedatabase (whole)
go
--> Msg 2583, Level 16, State 1, Line 1: An incorrect number of parameters was given to the DBCC statement.
dbcc clonedatabase (whole, verified) with verify_clonedb, no_infomsgs
select databasepropertyex('verified', 'IsVerifiedClone') as v
go
--> # Database cloning for 'whole' has started with target as 'verified'.
--> # Database cloning for 'whole' has finished. Cloned database is 'verified'.
--> # Database 'verified' is a cloned database. This database should be used for diagnostic purposes only and is not supported for use in a production environment.
--> [v:sql_variant]
--> 1
--> (1 rows affected)
drop database empty
drop database verified
drop database whole
go
