-- Plans by their handles, looked at by the methods of xml: what the ways of running differ in is not asked for.
create table customer (id int not null constraint pk_customer primary key, name varchar(20) not null, city varchar(20) null)
create table note (id int, txt varchar(50))
insert customer values (1, 'Ann', 'Bern'), (2, 'Bob', 'Basel'), (3, 'Cid', 'Bern')
insert note values (1, 'a'), (2, 'b')
go
--> (3 rows affected)
--> (2 rows affected)
create procedure list_customers @id int as
    select name from customer where id = @id
    update note set txt = 'z' where id = @id
go
create procedure hidden with encryption as select city from customer where id = 3
go
exec list_customers 2
exec hidden
go
--> [name:varchar(20)]
--> Bob
--> (1 rows affected)
--> (1 rows affected)
--> [city:varchar(20)]
--> Bern
--> (1 rows affected)
select count(*) as plans_of_a_text from customer as the_text_of_it
go
--> [plans_of_a_text:int]
--> 3
--> (1 rows affected)
-- All statements of a procedure, in its order.
with xmlnamespaces (default 'http://schemas.microsoft.com/sqlserver/2004/07/showplan')
select p.dbid, object_name(p.objectid, p.dbid) as object, p.number, p.encrypted, n.s.value('@StatementId', 'int') as id,
    n.s.value('@StatementType', 'varchar(20)') as kind, n.s.value('@StatementText', 'varchar(100)') as text,
    n.s.exist('QueryPlan/RelOp') as has_plan, n.s.value('count(.//Object[@Table="[customer]"])', 'int') as objects,
    n.s.value('StatementSetOptions[1]/@ANSI_NULLS', 'bit') as ansi_nulls
from sys.dm_exec_procedure_stats s
cross apply sys.dm_exec_query_plan(s.plan_handle) p
cross apply p.query_plan.nodes('/ShowPlanXML/BatchSequence/Batch/Statements/StmtSimple') n(s)
where s.object_id = object_id('list_customers')
order by id
go
--> [dbid:smallint | object:nvarchar(128) | number:smallint | encrypted:bit | id:int | kind:varchar(20) | text:varchar(100) | has_plan:bit | objects:int | ansi_nulls:bit]
--> 1 | list_customers | NULL | 0 | 1 | SELECT | select name from customer where id = @id | 1 | 1 | 1
--> 1 | list_customers | NULL | 0 | 2 | UPDATE | update note set txt = 'z' where id = @id | 1 | 0 | 1
--> (2 rows affected)
-- One statement of it by its place, as text; the hashes are those of the statistics.
with xmlnamespaces (default 'http://schemas.microsoft.com/sqlserver/2004/07/showplan')
select x.plan_xml.value('count(//StmtSimple)', 'int') as statements, x.plan_xml.value('(//StmtSimple)[1]/@StatementType', 'varchar(20)') as kind,
    case when x.plan_xml.value('(//StmtSimple)[1]/@QueryHash', 'varchar(20)') = convert(varchar(20), q.query_hash, 1) then 1 else 0 end as same_hash,
    case when x.plan_xml.value('(//StmtSimple)[1]/@QueryPlanHash', 'varchar(20)') = convert(varchar(20), q.query_plan_hash, 1) then 1 else 0 end as same_plan_hash
from sys.dm_exec_query_stats q
cross apply sys.dm_exec_text_query_plan(q.plan_handle, q.statement_start_offset, q.statement_end_offset) p
cross apply (select cast(p.query_plan as xml) as plan_xml) x
cross apply sys.dm_exec_sql_text(q.sql_handle) t
where t.objectid = object_id('list_customers')
order by q.statement_start_offset
go
--> [statements:int | kind:varchar(20) | same_hash:int | same_plan_hash:int]
--> 1 | SELECT | 1 | 1
--> 1 | UPDATE | 1 | 1
--> (2 rows affected)
-- A module that is encrypted has a row without a plan, what is no handle has none.
select p.encrypted, case when p.query_plan is null then 1 else 0 end as no_plan
from sys.dm_exec_procedure_stats s cross apply sys.dm_exec_query_plan(s.plan_handle) p
where s.object_id = object_id('hidden')
select count(*) from sys.dm_exec_query_plan(0x0123)
select count(*) from sys.dm_exec_query_plan(null)
select count(*) from sys.dm_exec_text_query_plan(0x06000000FFFFFFFFFFFFFFFF, 0, -1)
go
--> [encrypted:bit | no_plan:int]
--> 1 | 1
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
-- Without the option there are no figures of executions; with it those of the last one.
select case when p.query_plan is null then 1 else 0 end as no_plan
from sys.dm_exec_procedure_stats s cross apply sys.dm_exec_query_plan_stats(s.plan_handle) p
where s.object_id = object_id('list_customers')
go
--> [no_plan:int]
--> 1
--> (1 rows affected)
alter database scoped configuration set last_query_plan_stats = on
go
with xmlnamespaces (default 'http://schemas.microsoft.com/sqlserver/2004/07/showplan')
select n.r.value('@ActualRows', 'int') as rows, n.r.value('@ActualExecutions', 'int') as executions
from sys.dm_exec_procedure_stats s cross apply sys.dm_exec_query_plan_stats(s.plan_handle) p
cross apply p.query_plan.nodes('//QueryPlan/RelOp/RunTimeInformation/RunTimeCountersPerThread') n(r)
where s.object_id = object_id('list_customers')
go
--> [rows:int | executions:int]
--> 1 | 1
--> 1 | 1
--> (2 rows affected)
alter database scoped configuration set last_query_plan_stats = off
go
-- What the text was bound for.
select a.attribute, case a.attribute when 'sql_handle' then 'a handle' when 'objectid' then object_name(cast(a.value as int))
    else cast(a.value as varchar(40)) end as value, a.is_cache_key, cast(sql_variant_property(a.value, 'BaseType') as varchar(20)) as type
from sys.dm_exec_procedure_stats s cross apply sys.dm_exec_plan_attributes(s.plan_handle) a
where s.object_id = object_id('list_customers') and a.attribute <> 'set_options'
go
--> [attribute:varchar(128) | value:nvarchar(128) | is_cache_key:bit | type:varchar(20)]
--> objectid | list_customers | 1 | int
--> dbid | 1 | 1 | int
--> dbid_execute | 0 | 1 | int
--> user_id | 1 | 1 | int
--> language_id | 0 | 1 | smallint
--> date_format | 1 | 1 | smallint
--> date_first | 7 | 1 | tinyint
--> status | 0 | 1 | int
--> required_cursor_options | 0 | 1 | int
--> acceptable_cursor_options | 0 | 1 | int
--> inuse_exec_context | 0 | 0 | int
--> hits_exec_context | 0 | 0 | int
--> sql_handle | a handle | 0 | varbinary
--> merge_action_type | 0 | 1 | smallint
--> (14 rows affected)
-- The statement that runs sees its own plan.
select x.session_id - @@spid as session, x.request_id, case when x.plan_handle is null then 0 else 1 end as has_handle
from sys.dm_exec_query_statistics_xml(@@spid) x
select count(*) from sys.dm_exec_query_statistics_xml(32000)
go
--> [session:smallint | request_id:int | has_handle:int]
--> 0 | 0 | 1
--> (1 rows affected)
--> [:int]
--> 0
--> (1 rows affected)
