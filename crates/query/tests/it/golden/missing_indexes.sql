-- differs parameters: it shows the text of a statement
-- Indexes that plans missed: the views, the counts of executions, the plan as XML, and what lets them be forgotten.
create table dbo.visit (id int not null primary key, person int not null, place int not null, day date not null, note varchar(20) null)
create table dbo.place (id int not null primary key, name varchar(20) not null, [odd ]] name] int null)
create table dbo.person (id int not null, name varchar(20) not null)
insert dbo.visit select value, value % 500, value % 7, dateadd(day, value % 365, '2024-01-01'), 'n' from generate_series(1, 3000)
insert dbo.place select value, concat('p', value), value from generate_series(1, 7)
insert dbo.person select value, concat('p', value) from generate_series(1, 2000)
go
--> (3000 rows affected)
--> (7 rows affected)
--> (2000 rows affected)
-- What an index serves, what has no condition, what is small and what is temporary misses none.
select note from dbo.visit where id = 7
select count(*) from dbo.visit
select count(*) from dbo.visit where note like '%x%' or person <> 5
select name from dbo.place where name = 'p3'
select value as v into #t from generate_series(1, 2000)
select count(*) from #t where v = 5
select count(*) from sys.dm_db_missing_index_details
go
--> [note:varchar(20)]
--> n
--> (1 rows affected)
--> [:int]
--> 3000
--> (1 rows affected)
--> [:int]
--> 2994
--> (1 rows affected)
--> [name:varchar(20)]
--> p3
--> (1 rows affected)
--> (2000 rows affected)
--> [:int]
--> 1
--> (1 rows affected)
--> [:int]
--> 0
--> (1 rows affected)
select count(*) as n from dbo.visit where person = 5
select id, note from dbo.visit where person = 7 and day > '2024-12-20' and day < '2024-12-28'
select count(*) from dbo.visit where day between '2024-02-03' and '2024-02-04'
update dbo.visit set note = 'x' where place = 3 and person in (10, 11)
delete dbo.visit where note = 'nothing'
go
--> [n:int]
--> 6
--> (1 rows affected)
--> [id:int | note:varchar(20)]
--> (0 rows affected)
--> [:int]
--> 18
--> (1 rows affected)
--> (2 rows affected)
--> (0 rows affected)
select equality_columns, inequality_columns, included_columns, statement, object_name(object_id, database_id) as name
from sys.dm_db_missing_index_details order by index_handle
go
--> [equality_columns:nvarchar(4000) | inequality_columns:nvarchar(4000) | included_columns:nvarchar(4000) | statement:nvarchar(4000) | name:nvarchar(128)]
--> [person] | NULL | NULL | [master].[dbo].[visit] | visit
--> [person] | [day] | [id], [note] | [master].[dbo].[visit] | visit
--> NULL | [day] | NULL | [master].[dbo].[visit] | visit
--> [person], [place] | NULL | NULL | [master].[dbo].[visit] | visit
--> [note] | NULL | NULL | [master].[dbo].[visit] | visit
--> (5 rows affected)
-- Few rows of one table lead to many of another one.
select count(*) from dbo.place p join dbo.person q on q.id = p.[odd ]] name] where p.id < 3
select equality_columns, inequality_columns, included_columns from sys.dm_db_missing_index_details where object_name(object_id) = 'person'
go
--> [:int]
--> 2
--> (1 rows affected)
--> [equality_columns:nvarchar(4000) | inequality_columns:nvarchar(4000) | included_columns:nvarchar(4000)]
--> [id] | NULL | NULL
--> (1 rows affected)
-- Executions are counted, by statement too; a module's statement is one.
create procedure dbo.visits @person int as select count(*) as n from dbo.visit where person = @person
go
set nocount on
exec dbo.visits 5
exec dbo.visits 6
exec dbo.visits 7
set nocount off
go
--> [n:int]
--> 6
--> [n:int]
--> 6
--> [n:int]
--> 6
select s.user_seeks, s.user_scans, s.unique_compiles, iif(s.last_user_seek between dateadd(minute, -5, getdate()) and getdate(), 1, 0) as recent,
    iif(s.avg_total_user_cost > 0, 1, 0) as cost, iif(s.avg_user_impact between 50 and 100, 1, 0) as impact, s.system_seeks
from sys.dm_db_missing_index_group_stats s join sys.dm_db_missing_index_groups g on g.index_group_handle = s.group_handle
    join sys.dm_db_missing_index_details d on d.index_handle = g.index_handle
where d.equality_columns = '[person]' and d.inequality_columns is null
select q.user_seeks, substring(t.text, q.last_statement_start_offset / 2 + 1, (q.last_statement_end_offset - q.last_statement_start_offset) / 2) as statement
from sys.dm_db_missing_index_group_stats_query q join sys.dm_db_missing_index_groups g on g.index_group_handle = q.group_handle
    join sys.dm_db_missing_index_details d on d.index_handle = g.index_handle
    cross apply sys.dm_exec_sql_text(q.last_sql_handle) t
where d.equality_columns = '[person]' and d.inequality_columns is null order by q.user_seeks
select c.column_id, c.column_name, c.column_usage from sys.dm_db_missing_index_details d
    cross apply sys.dm_db_missing_index_columns(d.index_handle) c where d.inequality_columns = '[day]' and d.equality_columns = '[person]'
go
--> [user_seeks:bigint | user_scans:bigint | unique_compiles:bigint | recent:int | cost:int | impact:int | system_seeks:bigint]
--> 4 | 0 | 2 | 1 | 1 | 1 | 0
--> (1 rows affected)
--> [user_seeks:bigint | statement:nvarchar(max)]
--> 1 | select count(*) as n from dbo.visit where person = 5
--> 3 | select count(*) as n from dbo.visit where person = @person
--> (2 rows affected)
--> [column_id:int | column_name:nvarchar(128) | column_usage:varchar(20)]
--> 2 | person | EQUALITY
--> 4 | day | INEQUALITY
--> 1 | id | INCLUDE
--> 5 | note | INCLUDE
--> (4 rows affected)
-- In the plan.
with xmlnamespaces (default 'http://schemas.microsoft.com/sqlserver/2004/07/showplan')
select m.g.value('@Database', 'varchar(20)') as db, m.g.value('@Schema', 'varchar(20)') as [schema], m.g.value('@Table', 'varchar(20)') as [table],
    c.c.value('../@Usage', 'varchar(20)') as usage, c.c.value('@Name', 'varchar(20)') as name, c.c.value('@ColumnId', 'int') as id,
    iif(m.g.value('../@Impact', 'float') > 50, 1, 0) as impact
from sys.dm_exec_procedure_stats s cross apply sys.dm_exec_query_plan(s.plan_handle) p
    cross apply p.query_plan.nodes('//QueryPlan/MissingIndexes/MissingIndexGroup/MissingIndex') m(g) cross apply m.g.nodes('ColumnGroup/Column') c(c)
where s.object_id = object_id('visits')
go
--> [db:varchar(20) | schema:varchar(20) | table:varchar(20) | usage:varchar(20) | name:varchar(20) | id:int | impact:int]
--> [master] | [dbo] | [visit] | EQUALITY | [person] | 2 | 1
--> (1 rows affected)
-- A change of the table's definition lets go of those of this table alone, and so does the end of the table.
create index person on dbo.visit (person)
select count(*) from dbo.visit where person = 5
select object_name(object_id) as name, equality_columns from sys.dm_db_missing_index_details
select count(*) from dbo.visit where place = 5
select object_name(object_id) as name, equality_columns from sys.dm_db_missing_index_details order by index_handle
drop table dbo.person
select object_name(object_id) as name, equality_columns from sys.dm_db_missing_index_details order by index_handle
alter table dbo.visit add other int null
select count(*) from sys.dm_db_missing_index_details
select count(*) from sys.dm_db_missing_index_group_stats
select count(*) from sys.dm_db_missing_index_groups
select count(*) from sys.dm_db_missing_index_group_stats_query
drop table dbo.visit
drop table dbo.place
drop procedure dbo.visits
go
--> [:int]
--> 6
--> (1 rows affected)
--> [name:nvarchar(128) | equality_columns:nvarchar(4000)]
--> person | [id]
--> (1 rows affected)
--> [:int]
--> 428
--> (1 rows affected)
--> [name:nvarchar(128) | equality_columns:nvarchar(4000)]
--> person | [id]
--> visit | [place]
--> (2 rows affected)
--> [name:nvarchar(128) | equality_columns:nvarchar(4000)]
--> visit | [place]
--> (1 rows affected)
--> [:int]
--> 0
--> (1 rows affected)
--> [:int]
--> 0
--> (1 rows affected)
--> [:int]
--> 0
--> (1 rows affected)
--> [:int]
--> 0
--> (1 rows affected)
