-- What a module names without a schema, and where a trigger goes.
create database schemas_of_modules
go
use schemas_of_modules
set nocount on
go
create schema s1
go
create schema s2
go
create table s1.t (a int)
go
create table dbo.t (a int)
go
create trigger g on s1.t after insert as print 'fired'
go
create trigger s2.h on s1.t after insert as print 'no'
go
--> Msg 2103, Level 15, State 1, Line 1: Cannot create trigger 's2.h' because its schema is different from the schema of the target table or view.
create trigger dbo.h on s1.t after insert as print 'no'
go
--> Msg 2103, Level 15, State 1, Line 1: Cannot create trigger 'dbo.h' because its schema is different from the schema of the target table or view.
create trigger k on dbo.t after insert as print 'of dbo'
go
insert s1.t values (1)
insert dbo.t values (1)
select schema_name(o.schema_id) as s, o.name, object_name(r.parent_id) as of_table, schema_name(p.schema_id) as its
from sys.triggers r join sys.objects o on o.object_id = r.object_id join sys.objects p on p.object_id = r.parent_id order by o.name
go
--> # fired
--> # of dbo
--> [s:nvarchar(128) | name:nvarchar(128) | of_table:nvarchar(128) | its:nvarchar(128)]
--> s1 | g | t | s1
--> dbo | k | t | dbo
alter trigger g on s1.t after insert as print 'fired again'
go
create or alter trigger g on s1.t after insert as print 'and again'
go
insert s1.t values (2)
drop trigger g
go
--> # and again
--> Msg 3701, Level 11, State 5, Line 2: Cannot drop the trigger 'g', because it does not exist or you do not have permission.
drop trigger s1.g
go
-- Types.
create type s1.T1 as table (a int)
create type s1.N1 from varchar(7) not null
create type dbo.N2 from int
go
create procedure s1.q @a T1 readonly, @b N1, @c N2, @d sysname, @e int as
declare @v T1
insert @v select * from @a
select count(*) as n, @b as b, @c as c from @v
go
declare @a s1.T1
insert @a values (1), (2)
exec s1.q @a, 'longer than seven', 3, 'x', 4
go
--> [n:int | b:varchar(7) | c:int]
--> 2 | longer | 3
create function s1.f (@b N1) returns N1 as begin declare @r N1 = @b; return @r end
go
select s1.f('abc') as f
go
--> [f:varchar(7)]
--> abc
exec sp_describe_undeclared_parameters N'exec s1.q @b = @p'
go
--> [parameter_ordinal:int | name:nvarchar(128) | suggested_system_type_id:int | suggested_system_type_name:nvarchar(256) | suggested_max_length:smallint | suggested_precision:tinyint | suggested_scale:tinyint | suggested_user_type_id:int | suggested_user_type_database:nvarchar(128) | suggested_user_type_schema:nvarchar(128) | suggested_user_type_name:nvarchar(128) | suggested_assembly_qualified_type_name:nvarchar(4000) | suggested_xml_collection_id:int | suggested_xml_collection_database:nvarchar(128) | suggested_xml_collection_schema:nvarchar(128) | suggested_xml_collection_name:nvarchar(128) | suggested_is_xml_document:bit | suggested_is_case_sensitive:bit | suggested_is_fixed_length_clr_type:bit | suggested_is_input:bit | suggested_is_output:bit | formal_parameter_name:nvarchar(128) | suggested_tds_type_id:int | suggested_tds_length:int]
--> 1 | @p | 167 | varchar(7) | 7 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | 1 | 0 | @b | 167 | 7
create procedure dbo.q @a T1 readonly as select 1
go
--> Msg 2715, Level 16, State 3, Line 1: Column, parameter, or variable #1: Cannot find data type T1.
select p.name, schema_name(t.schema_id) as s, t.name as of_type, type_name(p.user_type_id) as named, p.max_length, p.xml_collection_id
from sys.parameters p left join sys.types t on t.user_type_id = p.user_type_id order by p.object_id, p.parameter_id
go
--> [name:nvarchar(128) | s:nvarchar(128) | of_type:nvarchar(128) | named:nvarchar(128) | max_length:smallint | xml_collection_id:int]
--> @a | s1 | T1 | T1 | -1 | 0
--> @b | s1 | N1 | N1 | 7 | 0
--> @c | dbo | N2 | N2 | 4 | 0
--> @d | sys | sysname | sysname | 256 | 0
--> @e | sys | int | int | 4 | 0
-->  | s1 | N1 | N1 | 7 | 0
--> @b | s1 | N1 | N1 | 7 | 0
select encryption_type, encryption_type_desc, encryption_algorithm_name, column_encryption_key_id,
    column_encryption_key_database_name from sys.parameters where name = '@e'
go
--> [encryption_type:int | encryption_type_desc:nvarchar(64) | encryption_algorithm_name:nvarchar(128) | column_encryption_key_id:int | column_encryption_key_database_name:nvarchar(128)]
--> NULL | NULL | NULL | NULL | NULL
use master
drop database schemas_of_modules
go
-- A text that is NULL does nothing.
declare @s nvarchar(max), @r int = 7
exec @r = sp_executesql @s
select @r as r
exec sp_executesql @s, N'@x int', @x = 1
print 'ok'
declare @t varchar(10)
exec sp_executesql @t
go
--> [r:int]
--> 0
--> # ok
--> Msg 214, Level 16, State 2, Line 8: Procedure expects parameter '@statement' of type 'ntext/nchar/nvarchar'.
-- The principal of IS_ROLEMEMBER.
select is_rolemember('db_owner') as own, is_rolemember('db_owner', 'dbo') as dbo, is_rolemember('db_datareader', 'dbo') as reader,
    is_rolemember('db_owner', 'guest') as guest, is_rolemember('public', 'guest') as everybody,
    is_rolemember('db_owner', 'nobody') as unknown, is_rolemember('no_role', 'dbo') as no_role, is_rolemember('db_owner', null) as of_null
go
--> [own:int | dbo:int | reader:int | guest:int | everybody:int | unknown:int | no_role:int | of_null:int]
--> 1 | 1 | 0 | 0 | 1 | NULL | NULL | NULL
