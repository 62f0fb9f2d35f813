-- ALTER SCHEMA … TRANSFER: what moves, what stays, what is refused.
create database moved
go
use moved
set nocount on
go
create schema s
go
create schema [o'd ]]d]
go
create table dbo.parent (id int not null constraint pk_parent primary key)
create table dbo.t (a int identity not null constraint pk_t primary key, p int constraint fk_t references dbo.parent (id), c int constraint ck_t check (c > 0) constraint df_t default 7)
create index ix on dbo.t (c)
insert dbo.parent values (1)
insert dbo.t (p) values (1)
go
create trigger dbo.g on dbo.t after insert as print 'fired'
go
create view dbo.v as select a, c from dbo.t
go
create procedure dbo.p as select a, c from dbo.t
go
create function dbo.f (@x int) returns int as begin return @x + 1 end
go
create sequence dbo.q start with 5
create synonym dbo.y for dbo.t
create user u without login
grant select on dbo.t to u
grant update on dbo.t (c) to u
exec sp_addextendedproperty 'k', 'stays', 'schema', 'dbo', 'table', 't'
go
declare @before int = object_id('dbo.t')
alter schema s transfer dbo.t
select case when object_id('s.t') = @before then 'same' end as number, object_id('dbo.t') as old
select name, schema_name(schema_id) as of_schema from sys.objects where parent_object_id = @before or object_id = @before order by name
select count(*) as grants from sys.database_permissions where major_id = @before
select value from fn_listextendedproperty (null, 'schema', 's', 'table', 't', null, null)
go
--> [number:varchar(4) | old:int]
--> same | NULL
--> [name:nvarchar(128) | of_schema:nvarchar(128)]
--> ck_t | s
--> df_t | s
--> fk_t | s
--> g | s
--> pk_t | s
--> t | s
--> [grants:int]
--> 0
--> [value:sql_variant]
--> stays
-- It works as before: identity, keys, constraints, trigger; texts name what they named.
insert s.t (p) values (1)
select a, p, c from s.t order by a
insert s.t (p) values (2)
insert s.t (p, c) values (1, 0)
delete dbo.parent
go
--> # fired
--> [a:int | p:int | c:int]
--> 1 | 1 | 7
--> 2 | 1 | 7
--> Msg 547, Level 16, State 0, Line 4: The INSERT statement conflicted with the FOREIGN KEY constraint "fk_t". The conflict occurred in database "moved", table "dbo.parent", column 'id'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 5: The INSERT statement conflicted with the CHECK constraint "ck_t". The conflict occurred in database "moved", table "s.t", column 'c'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 6: The DELETE statement conflicted with the REFERENCE constraint "fk_t". The conflict occurred in database "moved", table "s.t", column 'p'.
--> # The statement has been terminated.
select * from dbo.v
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'dbo.t'.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'dbo.v' because of binding errors.
exec dbo.p
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'dbo.t'.
-- Back, by all forms of the name; the others move too.
alter schema dbo transfer object::s.t
exec dbo.p
alter schema [o'd ]]d] transfer [dbo].[v]
alter schema [o'd ]]d] transfer p
alter schema [o'd ]]d] transfer object::f
alter schema [o'd ]]d] transfer dbo.q
alter schema [o'd ]]d] transfer dbo.y
select name, type, schema_name(schema_id) as of_schema from sys.objects where schema_id > 4 and parent_object_id = 0 order by name
select [o'd ]]d].f (1) as f, next value for [o'd ]]d].q as q
select count(*) as n from [o'd ]]d].y
exec [o'd ]]d].p
select definition from sys.sql_modules where object_id = object_id('[o''d ]]d].p')
go
--> [a:int | c:int]
--> 1 | 7
--> 2 | 7
--> [name:nvarchar(128) | type:char(2) | of_schema:nvarchar(128)]
--> f | FN | o'd ]d
--> p | P | o'd ]d
--> q | SO | o'd ]d
--> v | V | o'd ]d
--> y | SN | o'd ]d
--> [f:int | q:bigint]
--> 2 | 5
--> [n:int]
--> 2
--> [a:int | c:int]
--> 1 | 7
--> 2 | 7
--> [definition:nvarchar(max)]
--> create procedure dbo.p as select a, c from dbo.t
-- What is refused.
alter schema nowhere transfer dbo.t
go
--> Msg 15151, Level 16, State 1, Line 2: Cannot alter the schema 'nowhere', because it does not exist or you do not have permission.
alter schema sys transfer dbo.t
go
--> Msg 15150, Level 16, State 1, Line 1: Cannot alter the schema 'sys'.
alter schema s transfer dbo.nothing
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot find the object 'nothing', because it does not exist or you do not have permission.
alter schema s transfer dbo.g
go
--> Msg 15347, Level 16, State 1, Line 1: Cannot transfer an object that is owned by a parent object.
alter schema s transfer dbo.pk_t
go
--> Msg 15347, Level 16, State 1, Line 1: Cannot transfer an object that is owned by a parent object.
alter schema s transfer type::dbo.nothing
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot find the type 'nothing', because it does not exist or you do not have permission.
alter schema s transfer xml schema collection::dbo.x
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot find the XML schema collection 'x', because it does not exist or you do not have permission.
create table s.t (x int)
go
alter schema s transfer dbo.t
go
--> Msg 15530, Level 16, State 1, Line 1: The object with name "t" already exists.
drop table s.t
create table s.other (x int constraint ck_t check (x > 0))
go
alter schema s transfer dbo.t
go
--> Msg 15530, Level 16, State 1, Line 1: The object with name "ck_t" already exists.
drop table s.other
go
create table #t (a int)
exec ('alter schema s transfer #t')
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot find the object '#t', because it does not exist or you do not have permission.
-- What definitions name stays.
create view dbo.bound with schemabinding as select a from dbo.t
go
alter schema s transfer dbo.t
go
--> Msg 15348, Level 16, State 1, Line 1: Cannot transfer a schemabound object.
alter schema s transfer dbo.bound
drop view s.bound
go
create function dbo.ok (@x int) returns int as begin return @x end
go
create sequence dbo.n as int
create table dbo.uses (x int constraint ck_uses check (dbo.ok (x) > 0), y int default next value for dbo.n)
go
alter schema s transfer dbo.ok
go
--> Msg 15348, Level 16, State 1, Line 1: Cannot transfer a schemabound object.
alter schema s transfer dbo.n
go
--> Msg 15348, Level 16, State 1, Line 1: Cannot transfer a schemabound object.
alter schema s transfer dbo.uses
insert s.uses (x) values (3)
select * from s.uses
go
--> [x:int | y:int]
--> 3 | -2147483648
-- Types, used and not.
create type dbo.ty from varchar(10) not null
create type dbo.tt as table (x int)
create table dbo.typed (a dbo.ty, b int)
insert dbo.typed values ('one', 1)
grant references on type::dbo.ty to u
go
alter schema s transfer type::dbo.ty
alter schema s transfer type::tt
go
select t.name, schema_name(t.schema_id) as of_schema, t.is_table_type from sys.types t where is_user_defined = 1 order by 1
select c.name, type_name(c.user_type_id) as type from sys.columns c where object_id = object_id('dbo.typed') order by column_id
insert dbo.typed values ('two', 2)
select a from dbo.typed order by b
declare @t s.tt
insert @t values (1)
select x from @t
select count(*) as grants from sys.database_permissions where class = 6
go
--> [name:nvarchar(128) | of_schema:nvarchar(128) | is_table_type:bit]
--> tt | s | 1
--> ty | s | 0
--> [name:nvarchar(128) | type:nvarchar(128)]
--> a | ty
--> b | int
--> [a:varchar(10)]
--> one
--> two
--> [x:int]
--> 1
--> [grants:int]
--> 0
drop type s.ty
go
--> Msg 3732, Level 16, State 1, Line 1: Cannot drop type 's.ty' because it is being referenced by object 'typed'. There may be other objects that reference this type.
create type dbo.ty from int
go
alter schema dbo transfer type::s.ty
go
--> Msg 15530, Level 16, State 1, Line 1: The type with name "ty" already exists.
drop table dbo.typed
drop type s.ty
drop type dbo.ty
go
-- Of a transaction that is rolled back nothing is left.
set transaction isolation level read committed
create type dbo.ty from int
create table dbo.typed (a dbo.ty)
begin transaction
alter schema s transfer dbo.t
alter schema s transfer type::dbo.ty
insert s.t (p) values (1)
rollback
go
--> # fired
select count(*) as n from dbo.t
select object_id('s.t') as gone
declare @x dbo.ty = 5
select schema_name(schema_id) as of_schema, @x as x from sys.types where name = 'ty'
alter table dbo.typed add b dbo.ty
go
--> [n:int]
--> 2
--> [gone:int]
--> NULL
--> [of_schema:nvarchar(128) | x:int]
--> dbo | 5
use master
go
drop database moved
go
