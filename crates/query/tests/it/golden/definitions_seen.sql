-- Who may execute a module or read a view sees neither its text nor what it names, but for VIEW DEFINITION.
create table hidden (a int)
GO
create procedure pp as select * from hidden
GO
create view vv as select a from hidden
GO
create user seer without login
grant execute on pp to seer
grant select on vv to seer
GO
execute as user = 'seer'
select object_definition(object_id('pp')) as text
select object_name(object_id) as name, definition from sys.sql_modules order by 1
select object_name(id) as name, text from syscomments order by 1
select routine_name, routine_definition from information_schema.routines
select table_name, view_definition from information_schema.views
exec sp_helptext 'pp'
exec sp_helptext 'vv'
select count(*) as seen from sys.sql_expression_dependencies
select count(*) as seen from sys.sql_dependencies
select count(*) as seen from sysdepends
select count(*) as seen from sys.dm_sql_referenced_entities('dbo.pp', 'OBJECT')
select count(*) as seen from INFORMATION_SCHEMA.VIEW_TABLE_USAGE
exec sp_depends 'pp'
revert
GO
--> [text:nvarchar(max)]
--> NULL
--> (1 rows affected)
--> [name:nvarchar(128) | definition:nvarchar(max)]
--> pp | NULL
--> vv | NULL
--> (2 rows affected)
--> [name:nvarchar(128) | text:nvarchar(4000)]
--> pp | NULL
--> vv | NULL
--> (2 rows affected)
--> [routine_name:nvarchar(128) | routine_definition:nvarchar(4000)]
--> pp | NULL
--> (1 rows affected)
--> [table_name:nvarchar(128) | view_definition:nvarchar(4000)]
--> vv | NULL
--> (1 rows affected)
--> Msg 15197, Level 16, State 1, Line 7: There is no text for object 'pp'.
--> Msg 15197, Level 16, State 1, Line 8: There is no text for object 'vv'.
--> [seen:int]
--> 0
--> (1 rows affected)
--> [seen:int]
--> 0
--> (1 rows affected)
--> [seen:int]
--> 0
--> (1 rows affected)
--> [seen:int]
--> 0
--> (1 rows affected)
--> [seen:int]
--> 0
--> (1 rows affected)
--> # Object does not reference any object, and no objects reference it.
grant view definition on pp to seer
GO
execute as user = 'seer'
select object_name(object_id) as name, definition from sys.sql_modules order by 1
exec sp_helptext 'pp'
select object_name(referencing_id) as name, referenced_entity_name as entity from sys.sql_expression_dependencies
revert
GO
--> [name:nvarchar(128) | definition:nvarchar(max)]
--> pp | create procedure pp as select * from hidden
--> vv | NULL
--> (2 rows affected)
--> [Text:nvarchar(255)]
--> create procedure pp as select * from hidden
--> [name:nvarchar(128) | entity:nvarchar(128)]
--> pp | hidden
--> (1 rows affected)
drop user seer
drop view vv
drop procedure pp
drop table hidden
GO
-- A trigger sees the rows' own rowversions.
create table rv (a int, r rowversion)
create table rv_hist (a int, r binary(8))
GO
create trigger rv_t on rv after insert, update as
begin
    select count(*) as matching from rv join inserted as i on i.r = rv.r
    insert rv_hist select a, r from deleted
end
GO
insert rv (a) values (1), (2)
declare @before binary(8) = (select r from rv where a = 1)
update rv set a = 3 where a = 1
select iif(r = @before, 'its own', 'another') as version from rv_hist
GO
--> [matching:int]
--> 2
--> (1 rows affected)
--> (0 rows affected)
--> (2 rows affected)
--> [matching:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [version:varchar(7)]
--> its own
--> (1 rows affected)
create trigger rv_i on rv instead of delete as
    select count(*) as matching from rv join deleted as d on d.r = rv.r
GO
delete rv where a = 2
drop table rv, rv_hist
GO
--> [matching:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
-- SWITCH keeps masks.
create table masked_rows (a int, s varchar(30) masked with (function = 'default()'))
create table plain_rows (a int, s varchar(30))
create table other_mask (a int, s varchar(30) masked with (function = 'partial(1, "x", 1)'))
create table same_mask (a int, s varchar(30) masked with (function = 'default()'))
insert masked_rows values (1, 'topsecret')
alter table masked_rows switch to plain_rows
GO
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 7: ALTER TABLE … SWITCH of a column to one with another mask is not supported in this version of Millpond.
alter table masked_rows switch to other_mask
GO
--> Msg 40517, Level 16, State 1, Line 1: ALTER TABLE … SWITCH of a column to one with another mask is not supported in this version of Millpond.
alter table masked_rows switch to same_mask
select count(*) as moved from same_mask
drop table masked_rows, plain_rows, other_mask, same_mask
GO
--> [moved:int]
--> 1
--> (1 rows affected)
-- Names beyond the BMP in columns of fixed length.
create database [d𝄞]
select count(distinct len(object_name + 'x')) as lengths from sys.sysperfinfo where instance_name like N'd𝄞%'
drop database [d𝄞]
GO
--> [lengths:int]
--> 1
--> (1 rows affected)
