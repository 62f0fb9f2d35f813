-- Definitions that views and functions show: events, classes of securables, rules of types, columns of functions and of views, filegroups,
-- properties of triggers, who grants on the server.
create database pond
alter database pond add filegroup second
alter database pond add file (name = second_file, size = 1 mb) to filegroup second
go
use pond
create table t (id int not null primary key, a int null, b int null)
go
create trigger one on t after insert, update as return
go
create trigger two on t after insert as return
go
create trigger three on t instead of delete as return
go
create view v (x, y) as select t.id, u.a from t join t as u on u.id = t.b where t.id > 0
go
create view w as select x from v
go
create function inline (@p int) returns table as return select id, cast(a as varchar(9)) as text from t where id = @p
go
create function filled () returns @r table (n int not null primary key, d datetime2(3) null) as begin return end
go
create rule positive as @value > 0
go
create type money_of_mine from decimal(9, 2) not null
go
exec sp_bindrule 'positive', 'money_of_mine'
go
--> # Rule bound to data type.
--> # The new rule has been bound to column(s) of the specified user data type.
create trigger watch on database for create_table, drop_table as return
go
select object_name(object_id) as name, type, type_desc, is_trigger_event, event_group_type from sys.events where object_id in (select object_id from sys.triggers where parent_id = object_id('t'))
order by 1, 2
select type_desc, event_group_type_desc from sys.events where object_id = (select object_id from sys.triggers where name = 'watch') order by type
select count(*) as on_server from sys.server_events
select class, class_desc from sys.securable_classes where class in (0, 1, 3, 4, 100, 101) order by class
select * from information_schema.domain_constraints
select table_name, column_name, ordinal_position, is_nullable, data_type, character_maximum_length, datetime_precision from information_schema.routine_columns
order by table_name, ordinal_position
select view_name, table_name, column_name from information_schema.view_column_usage order by view_name, table_name, column_name
go
--> [name:nvarchar(128) | type:int | type_desc:nvarchar(60) | is_trigger_event:bit | event_group_type:int]
--> one | 1 | INSERT | 1 | NULL
--> one | 2 | UPDATE | 1 | NULL
--> three | 3 | DELETE | 1 | NULL
--> two | 1 | INSERT | 1 | NULL
--> (4 rows affected)
--> [type_desc:nvarchar(60) | event_group_type_desc:nvarchar(60)]
--> CREATE_TABLE | NULL
--> DROP_TABLE | NULL
--> (2 rows affected)
--> [on_server:int]
--> 0
--> (1 rows affected)
--> [class:int | class_desc:nvarchar(128)]
--> 0 | DATABASE
--> 1 | OBJECT_OR_COLUMN
--> 3 | SCHEMA
--> 4 | DATABASE_PRINCIPAL
--> 100 | SERVER
--> 101 | SERVER_PRINCIPAL
--> (6 rows affected)
--> [CONSTRAINT_CATALOG:nvarchar(128) | CONSTRAINT_SCHEMA:nvarchar(128) | CONSTRAINT_NAME:nvarchar(128) | DOMAIN_CATALOG:nvarchar(128) | DOMAIN_SCHEMA:nvarchar(128) | DOMAIN_NAME:nvarchar(128) | IS_DEFERRABLE:varchar(2) | INITIALLY_DEFERRED:varchar(2)]
--> pond | dbo | positive | pond | dbo | money_of_mine | NO | NO
--> (1 rows affected)
--> [table_name:nvarchar(128) | column_name:nvarchar(128) | ordinal_position:int | is_nullable:varchar(3) | data_type:nvarchar(128) | character_maximum_length:int | datetime_precision:smallint]
--> filled | n | 1 | NO | int | NULL | NULL
--> filled | d | 2 | YES | datetime2 | NULL | 3
--> inline | id | 1 | NO | int | NULL | NULL
--> inline | text | 2 | YES | varchar | 9 | NULL
--> (4 rows affected)
--> [view_name:nvarchar(128) | table_name:nvarchar(128) | column_name:nvarchar(128)]
--> v | t | a
--> v | t | b
--> v | t | id
--> w | v | x
--> (4 rows affected)
-- Filegroups.
select filegroup_id('PRIMARY') as one, filegroup_id('second') as two, filegroup_id('third') as three
select filegroup_name(1) as one, filegroup_name(2) as two, filegroup_name(3) as three
select filegroupproperty('second', 'IsDefault') as is_default, filegroupproperty('second', 'IsUserDefinedFG') as own,
    filegroupproperty('second', 'IsReadOnly') as is_read_only, filegroupproperty('primary', 'IsDefault') as is_default_1,
    filegroupproperty('primary', 'IsUserDefinedFG') as own_1, filegroupproperty('third', 'IsDefault') as none
alter database pond modify filegroup second default
select filegroupproperty('second', 'IsDefault') as is_default, filegroupproperty('primary', 'IsDefault') as is_default_1
go
--> [one:int | two:int | three:int]
--> 1 | 2 | NULL
--> (1 rows affected)
--> [one:nvarchar(128) | two:nvarchar(128) | three:nvarchar(128)]
--> PRIMARY | second | NULL
--> (1 rows affected)
--> [is_default:int | own:int | is_read_only:int | is_default_1:int | own_1:int | none:int]
--> 0 | 1 | 0 | 1 | 0 | NULL
--> (1 rows affected)
--> [is_default:int | is_default_1:int]
--> 1 | 0
--> (1 rows affected)
-- Triggers.
exec sp_settriggerorder 'two', 'first', 'insert'
disable trigger two on t
select name, objectproperty(object_id, 'ExecIsInsertTrigger') as i, objectproperty(object_id, 'ExecIsUpdateTrigger') as u,
    objectproperty(object_id, 'ExecIsDeleteTrigger') as d, objectproperty(object_id, 'ExecIsAfterTrigger') as after,
    objectproperty(object_id, 'ExecIsInsteadOfTrigger') as instead, objectproperty(object_id, 'ExecIsTriggerDisabled') as disabled,
    objectproperty(object_id, 'ExecIsFirstInsertTrigger') as first, objectproperty(object_id, 'ExecIsLastInsertTrigger') as last,
    objectproperty(object_id, 'ExecIsTriggerNotForRepl') as repl, objectproperty(object_id, 'TableHasInsertTrigger') as none
from sys.triggers where parent_id = object_id('t') order by name
select objectproperty(object_id('t'), 'HasInsertTrigger') as i, objectproperty(object_id('t'), 'HasDeleteTrigger') as d,
    objectproperty(object_id('t'), 'HasAfterTrigger') as after, objectproperty(object_id('t'), 'HasInsteadOfTrigger') as instead,
    objectproperty(object_id('t'), 'TableHasUpdateTrigger') as u, objectproperty(object_id('t'), 'TableInsertTriggerCount') as inserts,
    object_name(objectproperty(object_id('t'), 'TableUpdateTrigger')) as first, objectproperty(object_id('v'), 'HasUpdateTrigger') as of_view,
    objectproperty(object_id('v'), 'ExecIsUpdateTrigger') as none, objectproperty(object_id('inline'), 'ExecIsStartup') as none_2
go
--> [name:nvarchar(128) | i:int | u:int | d:int | after:int | instead:int | disabled:int | first:int | last:int | repl:int | none:int]
--> one | 1 | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | NULL
--> three | 0 | 0 | 1 | 0 | 1 | 0 | 0 | 0 | 0 | NULL
--> two | 1 | 0 | 0 | 1 | 0 | 1 | 1 | 0 | 0 | NULL
--> (3 rows affected)
--> [i:int | d:int | after:int | instead:int | u:int | inserts:int | first:nvarchar(128) | of_view:int | none:int | none_2:int]
--> 1 | 1 | 1 | 1 | 1 | 2 | one | 0 | NULL | NULL
--> (1 rows affected)
-- Who may pass a permission on does it in its own name, who has all of them in that of sa.
use master
create login ann with password = 'Ann_0123', check_policy = off
create login bob with password = 'Bob_0123', check_policy = off
grant view server state to ann with grant option
go
execute as login = 'ann'
grant view server state to bob
go
revert
select suser_name(grantee_principal_id) as grantee, suser_name(grantor_principal_id) as grantor, permission_name, state
from sys.server_permissions where grantee_principal_id in (suser_id('ann'), suser_id('bob')) and permission_name <> 'CONNECT SQL' order by 1
revoke view server state to bob
select count(*) as still from sys.server_permissions where grantee_principal_id = suser_id('bob') and permission_name = 'VIEW SERVER STATE'
drop login ann
go
--> [grantee:nvarchar(128) | grantor:nvarchar(128) | permission_name:nvarchar(128) | state:char(1)]
--> ann | sa | VIEW SERVER STATE | W
--> bob | ann | VIEW SERVER STATE | G
--> (2 rows affected)
--> [still:int]
--> 1
--> (1 rows affected)
--> Msg 15173, Level 16, State 1, Line 6: Server principal 'ann' has granted one or more permission(s). Revoke the permission(s) before dropping the server principal.
revoke view server state from ann cascade
select count(*) as still from sys.server_permissions where grantee_principal_id = suser_id('bob') and permission_name = 'VIEW SERVER STATE'
drop login ann
drop login bob
drop database pond
go
--> [still:int]
--> 0
--> (1 rows affected)
