-- Extended properties: made, changed, dropped, listed; of the database, of schemas, objects and their parts.
create database propertied
go
use propertied
set nocount on
go
exec ('create schema [o''dd.]]]')
create table dbo.t (a int not null constraint pk_t primary key, b varchar(20) constraint df_b default 'x', c int constraint ck_c check (c > 0))
create index ix_b on dbo.t (b)
create table [o'dd.]]].[q r] ([c]]d] int)
go
create view dbo.v as select a, b from dbo.t
go
create procedure dbo.p @one int, @two int as return 0
go
create function dbo.f (@x int) returns int as begin return @x end
go
create trigger dbo.g on dbo.t after insert as return
go
create trigger dg on database for create_table as return
go
create type dbo.ty from varchar(10)
create type dbo.tt as table (x int)
create sequence dbo.s
create synonym dbo.sy for dbo.t
create user u without login
create role r
create partition function pf (int) as range left for values (1)
create partition scheme ps as partition pf all to ([primary])
go
-- Each kind.
exec sp_addextendedproperty N'k', N'database'
exec sp_addextendedproperty N'k', N'schema', N'SCHEMA', N'dbo'
exec sp_addextendedproperty N'k', N'table', N'SCHEMA', N'dbo', N'TABLE', N't'
exec sp_addextendedproperty N'k', N'column b', N'SCHEMA', N'dbo', N'TABLE', N't', N'COLUMN', N'b'
exec sp_addextendedproperty N'k', N'constraint', N'schema', N'dbo', N'table', N't', N'constraint', N'ck_c'
exec sp_addextendedproperty N'k', N'key', N'schema', N'dbo', N'table', N't', N'constraint', N'pk_t'
exec sp_addextendedproperty N'k', N'default', N'schema', N'dbo', N'table', N't', N'constraint', N'df_b'
exec sp_addextendedproperty N'k', N'index', N'schema', N'dbo', N'table', N't', N'index', N'ix_b'
exec sp_addextendedproperty N'k', N'trigger', N'schema', N'dbo', N'table', N't', N'trigger', N'g'
exec sp_addextendedproperty N'k', N'view', N'schema', N'dbo', N'view', N'v'
exec sp_addextendedproperty N'k', N'column of view', N'schema', N'dbo', N'view', N'v', N'column', N'b'
exec sp_addextendedproperty N'k', N'procedure', N'schema', N'dbo', N'procedure', N'p'
exec sp_addextendedproperty N'k', N'parameter', N'schema', N'dbo', N'procedure', N'p', N'parameter', N'@two'
exec sp_addextendedproperty N'k', N'function', N'schema', N'dbo', N'function', N'f'
exec sp_addextendedproperty N'k', N'parameter of function', N'schema', N'dbo', N'function', N'f', N'parameter', N'@x'
exec sp_addextendedproperty N'k', N'type', N'schema', N'dbo', N'type', N'ty'
exec sp_addextendedproperty N'k', N'table type', N'schema', N'dbo', N'table_type', N'tt'
exec sp_addextendedproperty N'k', N'its column', N'schema', N'dbo', N'table_type', N'tt', N'column', N'x'
exec sp_addextendedproperty N'k', N'sequence', N'schema', N'dbo', N'sequence', N's'
exec sp_addextendedproperty N'k', N'synonym', N'schema', N'dbo', N'synonym', N'sy'
exec sp_addextendedproperty N'k', N'user', N'user', N'u'
exec sp_addextendedproperty N'k', N'role', N'user', N'r'
exec sp_addextendedproperty N'k', N'trigger of database', N'trigger', N'dg'
exec sp_addextendedproperty N'k', N'filegroup', N'filegroup', N'primary'
exec sp_addextendedproperty N'k', N'file', N'filegroup', N'primary', N'logical file name', N'propertied'
exec sp_addextendedproperty N'k', N'function', N'partition function', N'pf'
exec sp_addextendedproperty N'k', N'scheme', N'partition scheme', N'ps'
exec sp_addextendedproperty N'k', N'odd', N'schema', N'o''dd.]', N'table', N'q r', N'column', N'c]d'
-- A user that is a schema.
exec sp_addextendedproperty N'u', N'old way', N'user', N'dbo', N'table', N't'
go
select class, class_desc, name, cast(value as varchar(40)) as value, minor_id,
  case when class in (1, 2, 7) then isnull(object_name(major_id), 'constraint') when class = 3 then schema_name(major_id) when class = 4 then user_name(major_id) end as of_what
  from sys.extended_properties order by class, value
go
--> [class:tinyint | class_desc:nvarchar(60) | name:nvarchar(128) | value:varchar(40) | minor_id:int | of_what:nvarchar(128)]
--> 0 | DATABASE | k | database | 0 | NULL
--> 1 | OBJECT_OR_COLUMN | k | column b | 2 | t
--> 1 | OBJECT_OR_COLUMN | k | column of view | 2 | v
--> 1 | OBJECT_OR_COLUMN | k | constraint | 0 | ck_c
--> 1 | OBJECT_OR_COLUMN | k | default | 0 | df_b
--> 1 | OBJECT_OR_COLUMN | k | function | 0 | f
--> 1 | OBJECT_OR_COLUMN | k | key | 0 | pk_t
--> 1 | OBJECT_OR_COLUMN | k | odd | 1 | q r
--> 1 | OBJECT_OR_COLUMN | u | old way | 0 | t
--> 1 | OBJECT_OR_COLUMN | k | procedure | 0 | p
--> 1 | OBJECT_OR_COLUMN | k | sequence | 0 | s
--> 1 | OBJECT_OR_COLUMN | k | synonym | 0 | sy
--> 1 | OBJECT_OR_COLUMN | k | table | 0 | t
--> 1 | OBJECT_OR_COLUMN | k | trigger | 0 | g
--> 1 | OBJECT_OR_COLUMN | k | trigger of database | 0 | dg
--> 1 | OBJECT_OR_COLUMN | k | view | 0 | v
--> 2 | PARAMETER | k | parameter | 2 | p
--> 2 | PARAMETER | k | parameter of function | 1 | f
--> 3 | SCHEMA | k | schema | 0 | dbo
--> 4 | DATABASE_PRINCIPAL | k | role | 0 | r
--> 4 | DATABASE_PRINCIPAL | k | user | 0 | u
--> 6 | TYPE | k | table type | 0 | NULL
--> 6 | TYPE | k | type | 0 | NULL
--> 7 | INDEX | k | index | 2 | t
--> 8 | TYPE_COLUMN | k | its column | 1 | NULL
--> 20 | DATASPACE | k | filegroup | 0 | NULL
--> 20 | DATASPACE | k | scheme | 0 | NULL
--> 21 | PARTITION_FUNCTION | k | function | 0 | NULL
--> 22 | DATABASE_FILE | k | file | 0 | NULL
-- Values of any type that a variant holds, and none.
exec sp_addextendedproperty @name = 'number', @value = 7
exec sp_addextendedproperty @name = 'nothing'
exec sp_updateextendedproperty 'number', 7.5
exec sp_updateextendedproperty 'NUMBER', 0x0102
select name, value, sql_variant_property(value, 'BaseType') as base from sys.extended_properties where class = 0 order by name
declare @long varchar(8000) = replicate('x', 7501), @fits varchar(8000) = replicate('x', 7500)
exec sp_addextendedproperty 'long', @long
exec sp_addextendedproperty 'fits', @fits
select datalength(value) as bytes from sys.extended_properties where name = 'fits'
exec sp_dropextendedproperty 'fits'
exec sp_dropextendedproperty 'number'
exec sp_dropextendedproperty @name = 'nothing'
go
--> [name:nvarchar(128) | value:sql_variant | base:sql_variant]
--> k | database | nvarchar
--> nothing | NULL | NULL
--> number | 0x0102 | varbinary
--> Msg 15097, Level 16, State 1, Line 8: The size associated with an extended property cannot be more than 7,500 bytes.
--> [bytes:int]
--> 7500
-- The function: of one thing, of all of a type, of the database.
select objtype, objname, name, value from fn_listextendedproperty (null, null, null, null, null, null, null)
select objtype, objname, name, value from fn_listextendedproperty (default, 'schema', 'dbo', 'table', 't', 'column', default)
select objtype, objname, name, value from sys.fn_listextendedproperty ('u', 'schema', 'dbo', 'table', default, null, null)
select objtype, objname, name, value from ::fn_listextendedproperty (null, 'user', null, null, null, null, null) order by objname
select objtype, objname, name, value from fn_listextendedproperty (null, 'user', 'dbo', 'table', 'T', 'constraint', null) order by objname
select count(*) as none from fn_listextendedproperty (null, 'schema', null, 'table', null, null, null)
select count(*) as none from fn_listextendedproperty (null, 'nonsense', 'dbo', null, null, null, null)
select count(*) as none from fn_listextendedproperty (null, null, null, 'table', 't', null, null)
select count(*) as none from fn_listextendedproperty ('k', 'schema', 'dbo', 'table', 'nowhere', 'column', null)
go
--> [objtype:nvarchar(128) | objname:nvarchar(128) | name:nvarchar(128) | value:sql_variant]
--> NULL | NULL | k | database
--> [objtype:nvarchar(128) | objname:nvarchar(128) | name:nvarchar(128) | value:sql_variant]
--> COLUMN | b | k | column b
--> [objtype:nvarchar(128) | objname:nvarchar(128) | name:nvarchar(128) | value:sql_variant]
--> TABLE | t | u | old way
--> [objtype:nvarchar(128) | objname:nvarchar(128) | name:nvarchar(128) | value:sql_variant]
--> USER | r | k | role
--> USER | u | k | user
--> [objtype:nvarchar(128) | objname:nvarchar(128) | name:nvarchar(128) | value:sql_variant]
--> CONSTRAINT | ck_c | k | constraint
--> CONSTRAINT | df_b | k | default
--> CONSTRAINT | pk_t | k | key
--> [none:int]
--> 0
--> [none:int]
--> 0
--> [none:int]
--> 0
--> [none:int]
--> 0
-- What is refused; the procedure returns 1.
declare @status int
exec @status = sp_addextendedproperty N'K', N'again', N'schema', N'dbo', N'table', N't', N'column', N'b'
select @status as status
exec sp_addextendedproperty N'k', N'again'
exec sp_updateextendedproperty N'z', 1
exec sp_dropextendedproperty N'z', N'schema', N'dbo', N'table', N't'
exec sp_addextendedproperty N'k', 1, N'schema', N'nowhere', N'table', N't'
exec sp_addextendedproperty N'k', 1, N'schema', N'dbo', N'table', N'v'
exec sp_addextendedproperty N'k', 1, N'schema', N'dbo', N'table', N't', N'column', N'z'
exec sp_addextendedproperty N'k', 1, N'schema', N'dbo', N'procedure', N'p', N'column', N'z'
exec sp_addextendedproperty N'k', 1, N'assembly', N'a'
exec sp_addextendedproperty N'k', 1, N'nonsense', N'dbo'
exec sp_addextendedproperty N'k', 1, N'schema', N'dbo', N'column', N't'
exec sp_addextendedproperty N'k', 1, N'schema', N'dbo', N'table', N't', N'table', N't'
exec sp_addextendedproperty N'k', 1, null, null, N'table', N't'
exec sp_addextendedproperty N'k', 1, N'schema', null
exec sp_addextendedproperty null, 1
exec sp_addextendedproperty N'k', 1, N'schema', N'sys'
go
--> Msg 15233, Level 16, State 1, Line 3: Property cannot be added. Property 'K' already exists for 'dbo.t.b'.
--> [status:int]
--> 1
--> Msg 15233, Level 16, State 1, Line 5: Property cannot be added. Property 'k' already exists for 'object specified'.
--> Msg 15217, Level 16, State 1, Line 6: Property cannot be updated or deleted. Property 'z' does not exist for 'object specified'.
--> Msg 15217, Level 16, State 1, Line 7: Property cannot be updated or deleted. Property 'z' does not exist for 'dbo.t'.
--> Msg 15135, Level 16, State 1, Line 8: Object is invalid. Extended properties are not permitted on 'nowhere', or the object does not exist.
--> Msg 15135, Level 16, State 1, Line 9: Object is invalid. Extended properties are not permitted on 'dbo.v', or the object does not exist.
--> Msg 15135, Level 16, State 1, Line 10: Object is invalid. Extended properties are not permitted on 'dbo.t.z', or the object does not exist.
--> Msg 15135, Level 16, State 1, Line 11: Object is invalid. Extended properties are not permitted on 'dbo.p.z', or the object does not exist.
--> Msg 15135, Level 16, State 1, Line 12: Object is invalid. Extended properties are not permitted on 'a', or the object does not exist.
--> Msg 15600, Level 15, State 1, Line 13: An invalid parameter or option was specified for procedure 'sp_addextendedproperty'.
--> Msg 15600, Level 15, State 1, Line 14: An invalid parameter or option was specified for procedure 'sp_addextendedproperty'.
--> Msg 15600, Level 15, State 1, Line 15: An invalid parameter or option was specified for procedure 'sp_addextendedproperty'.
--> Msg 15600, Level 15, State 1, Line 16: An invalid parameter or option was specified for procedure 'sp_addextendedproperty'.
--> Msg 15600, Level 15, State 1, Line 17: An invalid parameter or option was specified for procedure 'sp_addextendedproperty'.
--> Msg 15600, Level 15, State 1, Line 18: An invalid parameter or option was specified for procedure 'sp_addextendedproperty'.
--> Msg 15135, Level 16, State 1, Line 19: Object is invalid. Extended properties are not permitted on 'sys', or the object does not exist.
-- They belong to the transaction, and go with what they are of.
set transaction isolation level read committed
begin transaction
exec sp_addextendedproperty N'gone', 1, N'schema', N'dbo', N'table', N't'
exec sp_updateextendedproperty N'k', N'changed', N'schema', N'dbo', N'table', N't'
exec sp_dropextendedproperty N'k', N'schema', N'dbo', N'view', N'v'
alter table t drop constraint ck_c
alter table t drop constraint df_b
drop index ix_b on t
drop view v
rollback
select name, value from fn_listextendedproperty (null, 'schema', 'dbo', 'table', 't', null, null)
select objname, value from fn_listextendedproperty (null, 'schema', 'dbo', 'view', null, null, null)
select count(*) as all_of_them from sys.extended_properties
go
--> [name:nvarchar(128) | value:sql_variant]
--> k | table
--> u | old way
--> [objname:nvarchar(128) | value:sql_variant]
--> v | view
--> [all_of_them:int]
--> 29
exec sp_rename 't.b', 'bb', 'column'
exec sp_rename 't', 't2'
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
select objname, value from fn_listextendedproperty (null, 'schema', 'dbo', 'table', 't2', 'column', 'bb')
drop index ix_b on t2
create index ix_new on t2 (bb)
alter table t2 drop constraint ck_c, df_b
alter table t2 drop column bb
select class, minor_id, value from sys.extended_properties where class in (1, 7) and object_name(major_id) in ('t2', 'ck_c', 'df_b', 'pk_t', 'g') order by class, minor_id, value
go
--> [objname:nvarchar(128) | value:sql_variant]
--> bb | column b
--> Msg 5074, Level 16, State 1, Line 5: The index 'ix_new' is dependent on column 'bb'.
--> Msg 4922, Level 16, State 9, Line 5: ALTER TABLE DROP COLUMN bb failed because one or more objects access this column.
--> [class:tinyint | minor_id:int | value:sql_variant]
--> 1 | 0 | key
--> 1 | 0 | old way
--> 1 | 0 | table
--> 1 | 0 | trigger
--> 1 | 2 | column b
drop index ix_new on t2
alter table t2 drop column bb
select class, minor_id, value from sys.extended_properties where class in (1, 7) and object_name(major_id) in ('t2', 'ck_c', 'df_b', 'pk_t', 'g') order by class, minor_id, cast(value as varchar(20))
go
--> [class:tinyint | minor_id:int | value:sql_variant]
--> 1 | 0 | key
--> 1 | 0 | old way
--> 1 | 0 | table
--> 1 | 0 | trigger
drop table t2
drop view v
drop procedure p
drop function f
drop trigger dg on database
drop type ty
drop type tt
drop sequence s
drop synonym sy
drop user u
drop role r
drop partition scheme ps
drop partition function pf
drop table [o'dd.]]].[q r]
select class, value from sys.extended_properties order by class, cast(value as varchar(20))
go
--> [class:tinyint | value:sql_variant]
--> 0 | database
--> 3 | schema
--> 20 | filegroup
--> 22 | file
-- Of another database, by its name.
use master
exec propertied.sys.sp_addextendedproperty N'there', 1
exec propertied..sp_dropextendedproperty N'k'
select name from propertied.sys.extended_properties where class = 0
select count(*) as here from sys.extended_properties where name = 'there'
go
--> [name:nvarchar(128)]
--> there
--> [here:int]
--> 0
drop database propertied
go
