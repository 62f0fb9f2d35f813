-- What modules refer to, by the names in their texts.
create table dep_a (id int primary key, n int)
create table dep_b (id int primary key, n int)
GO
create view dep_v as with c as (select id, n from dep_a) select c.id, b.n from c join dbo.dep_b as b on b.id = c.id
GO
create function dbo.dep_f (@a int) returns int as begin return (select max(n) from dep_a where id = @a) end
GO
create procedure dep_p as
begin
    update a set n = dbo.dep_f (a.id) from dep_a as a join dep_v as v on v.id = a.id
    insert into dep_b select id, n from dep_a where n > 3
    delete dep_missing
    select * from other.dbo.far
    select name from sys.objects
    create table #t (a int)
    insert #t values (1)
    exec dep_q 1
    exec dbo.dep_r
    exec ('select * from dep_text')
end
GO
create trigger dep_t on dep_a after insert as insert dep_b select id, n from inserted
GO
create view dep_bound with schemabinding as select id from dbo.dep_a
GO
select object_name(referencing_id) as referencing, referencing_class_desc as class, is_schema_bound_reference as bound,
    referenced_database_name as db, referenced_schema_name as sch, referenced_entity_name as entity,
    object_name(referenced_id) as found, is_caller_dependent as of_caller
from sys.sql_expression_dependencies order by 1, referenced_entity_name
select object_name(object_id) as object, object_name(referenced_major_id) as referenced, class, is_selected, is_updated
from sys.sql_dependencies order by 1, 2
select object_name(id) as object, object_name(depid) as depends, resultobj, readobj from sysdepends where id = object_id('dep_p') order by 2
select referenced_schema_name as sch, referenced_entity_name as entity, is_selected, is_updated, is_all_columns_found
from sys.dm_sql_referenced_entities('dbo.dep_p', 'OBJECT') order by 2
select referencing_schema_name as sch, referencing_entity_name as entity, referencing_class_desc as class, is_caller_dependent as of_caller
from sys.dm_sql_referencing_entities('dbo.dep_a', 'OBJECT') order by 2
select VIEW_NAME, TABLE_SCHEMA, TABLE_NAME from INFORMATION_SCHEMA.VIEW_TABLE_USAGE order by 1, 3
select count(*) as none from sys.dm_sql_referenced_entities('dbo.dep_none', 'OBJECT')
select count(*) as none from sys.dm_sql_referencing_entities('dbo.dep_a', 'TYPE')
GO
--> [referencing:nvarchar(128) | class:nvarchar(60) | bound:bit | db:nvarchar(128) | sch:nvarchar(128) | entity:nvarchar(128) | found:nvarchar(128) | of_caller:bit]
--> dep_bound | OBJECT_OR_COLUMN | 1 | NULL | dbo | dep_a | dep_a | 0
--> dep_f | OBJECT_OR_COLUMN | 0 | NULL | NULL | dep_a | dep_a | 0
--> dep_p | OBJECT_OR_COLUMN | 0 | NULL | NULL | dep_a | dep_a | 0
--> dep_p | OBJECT_OR_COLUMN | 0 | NULL | NULL | dep_b | dep_b | 0
--> dep_p | OBJECT_OR_COLUMN | 0 | NULL | dbo | dep_f | dep_f | 0
--> dep_p | OBJECT_OR_COLUMN | 0 | NULL | NULL | dep_missing | NULL | 0
--> dep_p | OBJECT_OR_COLUMN | 0 | NULL | NULL | dep_q | NULL | 1
--> dep_p | OBJECT_OR_COLUMN | 0 | NULL | dbo | dep_r | NULL | 0
--> dep_p | OBJECT_OR_COLUMN | 0 | NULL | NULL | dep_v | dep_v | 0
--> dep_p | OBJECT_OR_COLUMN | 0 | other | dbo | far | NULL | 0
--> dep_t | OBJECT_OR_COLUMN | 0 | NULL | NULL | dep_b | dep_b | 0
--> dep_v | OBJECT_OR_COLUMN | 0 | NULL | NULL | dep_a | dep_a | 0
--> dep_v | OBJECT_OR_COLUMN | 0 | NULL | dbo | dep_b | dep_b | 0
--> (13 rows affected)
--> [object:nvarchar(128) | referenced:nvarchar(128) | class:tinyint | is_selected:bit | is_updated:bit]
--> dep_bound | dep_a | 1 | 1 | 0
--> dep_f | dep_a | 0 | 1 | 0
--> dep_p | dep_a | 0 | 1 | 0
--> dep_p | dep_b | 0 | 0 | 1
--> dep_p | dep_f | 0 | 1 | 0
--> dep_p | dep_v | 0 | 1 | 0
--> dep_t | dep_b | 0 | 0 | 1
--> dep_v | dep_a | 0 | 1 | 0
--> dep_v | dep_b | 0 | 1 | 0
--> (9 rows affected)
--> [object:nvarchar(128) | depends:nvarchar(128) | resultobj:bit | readobj:bit]
--> dep_p | dep_a | 0 | 1
--> dep_p | dep_b | 1 | 0
--> dep_p | dep_f | 0 | 1
--> dep_p | dep_v | 0 | 1
--> (4 rows affected)
--> [sch:nvarchar(128) | entity:nvarchar(128) | is_selected:bit | is_updated:bit | is_all_columns_found:bit]
--> NULL | dep_a | 1 | 0 | 1
--> NULL | dep_b | 0 | 1 | 1
--> dbo | dep_f | 1 | 0 | 1
--> NULL | dep_missing | 0 | 1 | 0
--> NULL | dep_q | 1 | 0 | 0
--> dbo | dep_r | 1 | 0 | 0
--> NULL | dep_v | 1 | 0 | 1
--> dbo | far | 1 | 0 | 0
--> (8 rows affected)
--> [sch:nvarchar(128) | entity:nvarchar(128) | class:nvarchar(60) | of_caller:bit]
--> dbo | dep_bound | OBJECT_OR_COLUMN | 0
--> dbo | dep_f | OBJECT_OR_COLUMN | 0
--> dbo | dep_p | OBJECT_OR_COLUMN | 0
--> dbo | dep_v | OBJECT_OR_COLUMN | 0
--> (4 rows affected)
--> [VIEW_NAME:nvarchar(128) | TABLE_SCHEMA:nvarchar(128) | TABLE_NAME:nvarchar(128)]
--> dep_bound | dbo | dep_a
--> dep_v | dbo | dep_a
--> dep_v | dbo | dep_b
--> (3 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
-- A name that goes, and comes back, is found by its number again.
drop table dep_b
select object_name(referencing_id) as referencing, referenced_entity_name as entity, referenced_id as gone
from sys.sql_expression_dependencies where referenced_entity_name = 'dep_b' order by 1
create table dep_b (id int)
select count(*) as found from sys.sql_expression_dependencies where referenced_id = object_id('dep_b')
GO
--> [referencing:nvarchar(128) | entity:nvarchar(128) | gone:int]
--> dep_p | dep_b | NULL
--> dep_t | dep_b | NULL
--> dep_v | dep_b | NULL
--> (3 rows affected)
--> [found:int]
--> 3
--> (1 rows affected)
exec sp_depends 'dep_p'
exec sp_depends @objname = N'dbo.dep_a'
exec sp_depends 'dep_b'
create table dep_alone (id int)
exec sp_depends 'dep_alone'
exec sp_depends 'dep_none'
exec sp_depends
GO
--> # In the current database, the specified object references the following:
--> [name:nvarchar(257) | type:nvarchar(16) | updated:varchar(7) | selected:varchar(8) | column:nvarchar(128)]
--> dbo.dep_a | user table | no | yes | NULL
--> dbo.dep_v | view | no | yes | NULL
--> dbo.dep_f | scalar function | no | yes | NULL
--> dbo.dep_b | user table | yes | no | NULL
--> (4 rows affected)
--> # In the current database, the specified object is referenced by the following:
--> [name:nvarchar(257) | type:nvarchar(16)]
--> dbo.dep_v | view
--> dbo.dep_f | scalar function
--> dbo.dep_p | stored procedure
--> dbo.dep_bound | view
--> (4 rows affected)
--> # In the current database, the specified object is referenced by the following:
--> [name:nvarchar(257) | type:nvarchar(16)]
--> dbo.dep_v | view
--> dbo.dep_p | stored procedure
--> dbo.dep_t | trigger
--> (3 rows affected)
--> # Object does not reference any object, and no objects reference it.
--> Msg 15009, Level 16, State 1, Line 6: The object 'dep_none' does not exist in database 'master' or is invalid for this operation.
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_depends' expects parameter '@objname', which was not supplied.
-- A sequence that gives numbers; names without a schema are none, but of triggers of the database.
create sequence dep_seq start with 1
GO
create procedure dep_next as declare @n int = next value for dbo.dep_seq select @n from dep_a
GO
create trigger dep_ddl on database for create_table as select count(*) from dbo.dep_a
GO
select referenced_schema_name as sch, referenced_entity_name as entity, object_name(referenced_id) as found
from sys.sql_expression_dependencies where referencing_id = object_id('dep_next') order by 2
select referenced_entity_name as entity, is_selected, is_updated from sys.dm_sql_referenced_entities('dbo.dep_next', 'OBJECT') order by 1
select referencing_entity_name as entity from sys.dm_sql_referencing_entities('dbo.dep_seq', 'OBJECT')
select count(*) as none from sys.dm_sql_referencing_entities('dep_seq', 'OBJECT')
select count(*) as none from sys.dm_sql_referenced_entities('dep_next', 'OBJECT')
select referenced_entity_name as entity from sys.dm_sql_referenced_entities('dep_ddl', 'DATABASE_DDL_TRIGGER')
select referencing_schema_name as sch, referencing_entity_name as entity, referencing_class_desc as class
from sys.dm_sql_referencing_entities('dbo.dep_a', 'OBJECT') where referencing_class = 12
exec sp_depends 'dep_seq'
exec sp_depends 'dep_next'
GO
--> [sch:nvarchar(128) | entity:nvarchar(128) | found:nvarchar(128)]
--> NULL | dep_a | dep_a
--> dbo | dep_seq | dep_seq
--> (2 rows affected)
--> [entity:nvarchar(128) | is_selected:bit | is_updated:bit]
--> dep_a | 1 | 0
--> dep_seq | 1 | 0
--> (2 rows affected)
--> [entity:nvarchar(128)]
--> dep_next
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
--> [entity:nvarchar(128)]
--> dep_a
--> (1 rows affected)
--> [sch:nvarchar(128) | entity:nvarchar(128) | class:nvarchar(60)]
--> NULL | dep_ddl | DATABASE_DDL_TRIGGER
--> (1 rows affected)
--> # In the current database, the specified object is referenced by the following:
--> [name:nvarchar(257) | type:nvarchar(16)]
--> dbo.dep_next | stored procedure
--> (1 rows affected)
--> # In the current database, the specified object references the following:
--> [name:nvarchar(257) | type:nvarchar(16) | updated:varchar(7) | selected:varchar(8) | column:nvarchar(128)]
--> dbo.dep_a | user table | no | yes | NULL
--> dbo.dep_seq | sequence object | no | yes | NULL
--> (2 rows affected)
drop trigger dep_ddl on database
GO
