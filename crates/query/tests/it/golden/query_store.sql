-- Query Store: its options, what it captures, and what is done to it. Numbers are looked up: what runs first has the first ones.
create database measured
go
use measured
go
select desired_state, desired_state_desc, actual_state_desc, readonly_reason, flush_interval_seconds, interval_length_minutes,
  max_storage_size_mb, stale_query_threshold_days, max_plans_per_query, query_capture_mode_desc, size_based_cleanup_mode_desc,
  wait_stats_capture_mode_desc, capture_policy_execution_count
from sys.database_query_store_options
go
--> [desired_state:smallint | desired_state_desc:nvarchar(60) | actual_state_desc:nvarchar(60) | readonly_reason:int | flush_interval_seconds:bigint | interval_length_minutes:bigint | max_storage_size_mb:bigint | stale_query_threshold_days:bigint | max_plans_per_query:bigint | query_capture_mode_desc:nvarchar(60) | size_based_cleanup_mode_desc:nvarchar(60) | wait_stats_capture_mode_desc:nvarchar(60) | capture_policy_execution_count:int]
--> 0 | OFF | OFF | 0 | 900 | 60 | 1000 | 30 | 200 | AUTO | AUTO | ON | NULL
--> (1 rows affected)
alter database measured set query_store = on (operation_mode = read_write, cleanup_policy = (stale_query_threshold_days = 7),
  data_flush_interval_seconds = 120, max_storage_size_mb = 50, interval_length_minutes = 1440, size_based_cleanup_mode = off,
  query_capture_mode = custom, max_plans_per_query = 5, wait_stats_capture_mode = off,
  query_capture_policy = (stale_capture_policy_threshold = 2 days, execution_count = 7, total_compile_cpu_time_ms = 8,
  total_execution_cpu_time_ms = 9))
go
select desired_state_desc as desired, actual_state_desc as actual, flush_interval_seconds as flush, interval_length_minutes as minutes,
  max_storage_size_mb as mb, stale_query_threshold_days as days, max_plans_per_query as plans, query_capture_mode_desc as mode,
  size_based_cleanup_mode_desc as cleans, wait_stats_capture_mode_desc as waits, capture_policy_execution_count as runs,
  capture_policy_total_compile_cpu_time_ms as compile_ms, capture_policy_total_execution_cpu_time_ms as run_ms,
  capture_policy_stale_threshold_hours as hours
from sys.database_query_store_options
select is_query_store_on from sys.databases where name = 'measured'
go
--> [desired:nvarchar(60) | actual:nvarchar(60) | flush:bigint | minutes:bigint | mb:bigint | days:bigint | plans:bigint | mode:nvarchar(60) | cleans:nvarchar(60) | waits:nvarchar(60) | runs:int | compile_ms:bigint | run_ms:bigint | hours:int]
--> READ_WRITE | READ_WRITE | 120 | 1440 | 50 | 7 | 5 | CUSTOM | OFF | OFF | 7 | 8 | 9 | 48
--> (1 rows affected)
--> [is_query_store_on:bit]
--> 1
--> (1 rows affected)
-- Options stay when it is off, and when others are said.
alter database measured set query_store = off
alter database measured set query_store (max_storage_size_mb = 60)
go
select desired_state_desc as desired, actual_state_desc as actual, max_storage_size_mb as mb, max_plans_per_query as plans
from sys.database_query_store_options
go
--> [desired:nvarchar(60) | actual:nvarchar(60) | mb:bigint | plans:bigint]
--> OFF | OFF | 60 | 5
--> (1 rows affected)
alter database measured set query_store (operation_mode = read_only)
go
select desired_state_desc as desired, actual_state_desc as actual, readonly_reason from sys.database_query_store_options
go
--> [desired:nvarchar(60) | actual:nvarchar(60) | readonly_reason:int]
--> READ_ONLY | READ_ONLY | 0
--> (1 rows affected)
-- What is refused changes nothing.
alter database measured set query_store (interval_length_minutes = 7)
go
--> Msg 12432, Level 16, State 1, Line 2: Query Store Interval length cannot be changed because an invalid value was provided. Please try again with a valid value (1, 5, 10, 15, 30 & 60).
alter database measured set query_store (data_flush_interval_seconds = 59)
go
--> Msg 153, Level 15, State 5, Line 1: Invalid usage of the option flush_interval_seconds in the ALTER DATABASE statement.
alter database measured set query_store (max_storage_size_mb = 10241)
go
--> Msg 12445, Level 16, State 1, Line 1: Cannot set Query Store max_storage_size_mb to 10241. The maximum allowed limit is 10240 MB.
alter database measured set query_store (max_storage_size_mb = 0)
go
--> Msg 153, Level 15, State 5, Line 1: Invalid usage of the option max_storage_size_mb in the ALTER DATABASE statement.
alter database measured set query_store (max_plans_per_query = 1, max_plans_per_query = 2)
go
--> Msg 12401, Level 15, State 2, Line 1: The QUERY_STORE option 'MAX_PLANS_PER_QUERY' was specified more than once. Each option can be specified only once.
alter database measured set query_store (query_capture_policy = (execution_count = 0))
go
--> Msg 12452, Level 16, State 1, Line 1: The value 0 is not valid for query_capture_policy option execution_count. The value must be between 1 and 2147483647.
alter database measured set query_store (query_capture_policy = (stale_capture_policy_threshold = 8 days))
go
--> Msg 12453, Level 16, State 1, Line 1: Invalid value provided for query_capture_policy option stale_capture_policy_threshold. The value must be between 1 hour and 7 days.
alter database measured set query_store (query_capture_mode = some)
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'QUERY_CAPTURE_MODE'.
alter database measured set query_store (no_such_option = 1)
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'NO_SUCH_OPTION'.
alter database measured set query_store = on, query_store (max_plans_per_query = 1)
go
--> Msg 12417, Level 15, State 1, Line 1: Only one Query Store option can be given in ALTER DATABASE statement.
alter database measured set query_store = perhaps
go
--> Msg 5058, Level 16, State 1, Line 1: Option 'QUERY_STORE' cannot be set to that value.
alter database master set query_store = on
go
--> Msg 12438, Level 16, State 1, Line 1: Cannot perform action because Query Store cannot be enabled on system database master.
alter database tempdb set query_store = on
go
--> Msg 12438, Level 16, State 1, Line 1: Cannot perform action because Query Store cannot be enabled on system database tempdb.
alter database model set query_store = off
go
select desired_state_desc as desired, interval_length_minutes as minutes, max_plans_per_query as plans
from sys.database_query_store_options
go
--> [desired:nvarchar(60) | minutes:bigint | plans:bigint]
--> READ_ONLY | 1440 | 5
--> (1 rows affected)
-- Every execution of every query.
create table dbo.trees (id int not null primary key, name varchar(20) not null)
insert dbo.trees values (1, 'ash'), (2, 'oak'), (3, 'elm')
go
--> (3 rows affected)
create procedure dbo.counted @least int as
  update dbo.trees set name = upper(name) where id >= @least
  select count(*) as n from dbo.trees where id >= @least
go
create procedure dbo.divided @by int as select 10 / @by as tenth from dbo.trees where id = 1
go
alter database measured set query_store = on (query_capture_mode = all, wait_stats_capture_mode = on)
go
exec dbo.counted 2
exec dbo.counted 2
exec dbo.counted 3
exec dbo.divided 5
exec dbo.divided 0
alter database measured set query_store (query_capture_mode = none)
go
--> (2 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> (2 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [tenth:int]
--> 2
--> (1 rows affected)
--> [tenth:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
select object_name(q.object_id) as module, left(t.query_sql_text, 6) as word, r.execution_type_desc as ended,
  r.count_executions as runs, cast(r.avg_rowcount as decimal(9, 3)) as rows_avg, r.min_rowcount as rows_min, r.max_rowcount as rows_max,
  cast(r.stdev_rowcount as decimal(9, 3)) as rows_dev, case when r.avg_logical_io_reads > 0 then 'reads' end as pages,
  case when r.avg_log_bytes_used > 0 then 'logs' end as logs, case when r.avg_dop >= 1 then 'some' end as dop,
  case when r.max_duration >= r.min_duration and r.last_duration <= r.max_duration then 'ok' end as times,
  case when r.first_execution_time <= r.last_execution_time and i.start_time <= r.first_execution_time
    and i.end_time > r.last_execution_time then 'ok' end as places,
  datediff(minute, i.start_time, i.end_time) as minutes, t.is_part_of_encrypted_module as hidden, q.count_compiles as compiles
from sys.query_store_query as q
join sys.query_store_query_text as t on t.query_text_id = q.query_text_id
join sys.query_store_plan as p on p.query_id = q.query_id
join sys.query_store_runtime_stats as r on r.plan_id = p.plan_id
join sys.query_store_runtime_stats_interval as i on i.runtime_stats_interval_id = r.runtime_stats_interval_id
where q.object_id > 0 order by module, q.query_id, r.execution_type
go
--> [module:nvarchar(128) | word:nvarchar(max) | ended:nvarchar(128) | runs:bigint | rows_avg:decimal(9,3) | rows_min:bigint | rows_max:bigint | rows_dev:decimal(9,3) | pages:varchar(5) | logs:varchar(4) | dop:varchar(4) | times:varchar(2) | places:varchar(2) | minutes:int | hidden:bit | compiles:bigint]
--> counted | update | Regular | 3 | 1.667 | 1 | 2 | 0.471 | reads | logs | some | ok | ok | 1440 | 0 | 1
--> counted | select | Regular | 3 | 1.000 | 1 | 1 | 0.000 | reads | NULL | some | ok | ok | 1440 | 0 | 1
--> divided | select | Regular | 1 | 1.000 | 1 | 1 | 0.000 | reads | NULL | some | ok | ok | 1440 | 0 | 1
--> divided | select | Exception | 1 | 0.000 | 0 | 0 | 0.000 | reads | NULL | some | ok | ok | 1440 | 0 | 1
--> (4 rows affected)
-- The plan is the document that other views show, of the compatibility level and the settings that it was made for.
select object_name(q.object_id) as module, p.compatibility_level as level, p.is_forced_plan as forced, p.plan_forcing_type_desc as by_whom,
  try_cast(p.query_plan as xml).value('declare namespace s="http://schemas.microsoft.com/sqlserver/2004/07/showplan";
    (//s:StmtSimple/@StatementType)[1]', 'varchar(20)') as statement,
  c.date_first, c.date_format, c.default_schema_id, case when c.set_options is not null then 'said' end as options
from sys.query_store_query as q join sys.query_store_plan as p on p.query_id = q.query_id
join sys.query_context_settings as c on c.context_settings_id = q.context_settings_id
where q.object_id > 0 order by q.query_id
go
--> [module:nvarchar(128) | level:smallint | forced:bit | by_whom:nvarchar(60) | statement:varchar(20) | date_first:tinyint | date_format:smallint | default_schema_id:int | options:varchar(4)]
--> counted | 160 | 0 | NONE | UPDATE | 7 | 1 | 1 | said
--> counted | 160 | 0 | NONE | SELECT | 7 | 1 | 1 | said
--> divided | 160 | 0 | NONE | SELECT | 7 | 1 | 1 | said
--> (3 rows affected)
-- A query that is known counts on in mode NONE; a new one is not captured.
create procedure dbo.unseen as select max(id) as most from dbo.trees
go
exec dbo.unseen
exec dbo.divided 2
exec sp_query_store_flush_db
go
--> [most:int]
--> 3
--> (1 rows affected)
--> [tenth:int]
--> 5
--> (1 rows affected)
select object_name(q.object_id) as module, sum(r.count_executions) as runs
from sys.query_store_query as q join sys.query_store_plan as p on p.query_id = q.query_id
join sys.query_store_runtime_stats as r on r.plan_id = p.plan_id
where q.object_id in (object_id('dbo.unseen'), object_id('dbo.divided')) group by q.object_id
go
--> [module:nvarchar(128) | runs:bigint]
--> divided | 3
--> (1 rows affected)
-- Forced plans: noted, and in the way of those who remove them.
declare @q bigint, @p bigint, @status int
select @q = q.query_id, @p = p.plan_id from sys.query_store_query as q join sys.query_store_plan as p on p.query_id = q.query_id
where q.object_id = object_id('dbo.divided')
exec @status = sp_query_store_force_plan @q, @p
select @status as status, is_forced_plan, plan_forcing_type, plan_forcing_type_desc from sys.query_store_plan where plan_id = @p
begin try exec sp_query_store_remove_plan @p end try begin catch select error_number() as n, error_severity() as s end catch
begin try exec sp_query_store_remove_query @query_id = @q end try begin catch select error_number() as n, error_severity() as s end catch
exec sp_query_store_unforce_plan @query_id = @q, @plan_id = @p
select is_forced_plan, plan_forcing_type_desc from sys.query_store_plan where plan_id = @p
exec sp_query_store_reset_exec_stats @p
select count(*) as runs from sys.query_store_runtime_stats where plan_id = @p
exec sp_query_store_remove_plan @p
select count(*) as plans from sys.query_store_plan where plan_id = @p
exec sp_query_store_remove_query @q
select count(*) as queries from sys.query_store_query where query_id = @q
go
--> [status:int | is_forced_plan:bit | plan_forcing_type:int | plan_forcing_type_desc:nvarchar(60)]
--> 0 | 1 | 1 | MANUAL
--> (1 rows affected)
--> [n:int | s:int]
--> 12426 | 16
--> (1 rows affected)
--> [n:int | s:int]
--> 12425 | 16
--> (1 rows affected)
--> [is_forced_plan:bit | plan_forcing_type_desc:nvarchar(60)]
--> 0 | NONE
--> (1 rows affected)
--> [runs:int]
--> 0
--> (1 rows affected)
--> [plans:int]
--> 0
--> (1 rows affected)
--> [queries:int]
--> 0
--> (1 rows affected)
select count(*) as left_over from sys.query_store_runtime_stats as r
where not exists (select 1 from sys.query_store_plan as p where p.plan_id = r.plan_id)
go
--> [left_over:int]
--> 0
--> (1 rows affected)
begin try exec sp_query_store_force_plan 999999, 1 end try begin catch select error_number() as n, error_severity() as s, error_state() as st end catch
begin try exec sp_query_store_remove_query 999999 end try begin catch select error_number() as n, error_severity() as s, error_state() as st end catch
begin try exec sp_query_store_remove_plan 999999 end try begin catch select error_number() as n, error_severity() as s, error_state() as st end catch
begin try exec sp_query_store_reset_exec_stats 999999 end try begin catch select error_number() as n, error_severity() as s, error_state() as st end catch
begin try exec sp_query_store_force_plan null, null end try begin catch select error_number() as n, error_message() as m end catch
declare @q bigint = (select min(query_id) from sys.query_store_query)
begin try exec sp_query_store_force_plan @q, 999999 end try begin catch select error_number() as n, error_severity() as s end catch
begin try exec sp_query_store_consistency_check end try begin catch select error_number() as n, error_message() as m end catch
go
--> [n:int | s:int | st:int]
--> 12402 | 11 | 2
--> (1 rows affected)
--> [n:int | s:int | st:int]
--> 12402 | 11 | 1
--> (1 rows affected)
--> [n:int | s:int | st:int]
--> 12403 | 11 | 1
--> (1 rows affected)
--> [n:int | s:int | st:int]
--> 12403 | 11 | 2
--> (1 rows affected)
--> [n:int | m:nvarchar(4000)]
--> 214 | Procedure expects parameter '@query_id' of type 'bigint'.
--> (1 rows affected)
--> [n:int | s:int]
--> 12406 | 11
--> (1 rows affected)
--> [n:int | m:nvarchar(4000)]
--> 12427 | Cannot perform operation on Query Store while it is enabled. Please turn off Query Store for the database and try again.
--> (1 rows affected)
-- Who may not alter the database changes nothing; who may not see its state sees nothing.
create user keeper without login
create user guest_of_state without login
grant view database state to guest_of_state
go
execute as user = 'keeper'
begin try exec sp_query_store_flush_db end try begin catch select error_number() as n, error_severity() as s, error_message() as m end catch
begin try exec ('select count(*) as n from sys.query_store_query') end try begin catch select error_number() as n end catch
revert
execute as user = 'guest_of_state'
select count(*) as options from sys.database_query_store_options
begin try exec sp_query_store_flush_db end try begin catch select error_number() as n end catch
revert
go
--> [n:int | s:int | m:nvarchar(4000)]
--> 12421 | 14 | User does not have necessary permissions to execute Query Store stored procedure.
--> (1 rows affected)
--> [n:int]
--> 297
--> (1 rows affected)
--> [options:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 12421
--> (1 rows affected)
-- READ_ONLY shows what it has, and takes no more.
alter database measured set query_store (operation_mode = read_only, query_capture_mode = all)
go
exec dbo.unseen
begin try exec sp_query_store_reset_exec_stats 1 end try begin catch select error_number() as n, error_severity() as s end catch
select count(*) as unseen from sys.query_store_query where object_id = object_id('dbo.unseen')
select case when count(*) > 0 then 'some' end as kept from sys.query_store_query
go
--> [most:int]
--> 3
--> (1 rows affected)
--> [n:int | s:int]
--> 12404 | 16
--> (1 rows affected)
--> [unseen:int]
--> 0
--> (1 rows affected)
--> [kept:varchar(4)]
--> some
--> (1 rows affected)
-- OFF keeps it, too.
alter database measured set query_store = off
go
exec dbo.unseen
select count(*) as unseen from sys.query_store_query where object_id = object_id('dbo.unseen')
select case when count(*) > 0 then 'some' end as kept from sys.query_store_query
begin try exec sp_query_store_force_plan 1, 1 end try begin catch select error_number() as n, error_severity() as s end catch
exec sp_query_store_consistency_check
go
--> [most:int]
--> 3
--> (1 rows affected)
--> [unseen:int]
--> 0
--> (1 rows affected)
--> [kept:varchar(4)]
--> some
--> (1 rows affected)
--> [n:int | s:int]
--> 12405 | 16
--> (1 rows affected)
-- AUTO keeps what ran thirty times, from then on.
alter database measured set query_store clear
alter database measured set query_store = on (query_capture_mode = auto)
go
create procedure dbo.often as update dbo.trees set name = name where id = 1
go
set nocount on
declare @i int = 0
while @i < 40 begin exec dbo.often set @i += 1 end
set nocount off
alter database measured set query_store (query_capture_mode = none)
go
select object_name(q.object_id) as module, sum(r.count_executions) as runs, min(p.count_compiles) as compiles
from sys.query_store_query as q join sys.query_store_plan as p on p.query_id = q.query_id
join sys.query_store_runtime_stats as r on r.plan_id = p.plan_id where q.object_id > 0 group by q.object_id
go
--> [module:nvarchar(128) | runs:bigint | compiles:bigint]
--> often | 11 | 1
--> (1 rows affected)
-- Another setting is another query of the same text.
alter database measured set query_store (query_capture_mode = all)
go
exec ('select /* twice */ name from dbo.trees where id = 2')
set datefirst 3
exec ('select /* twice */ name from dbo.trees where id = 2')
set datefirst 7
exec ('select /* twice */ name from dbo.trees where id = 2')
alter database measured set query_store (query_capture_mode = none)
go
--> [name:varchar(20)]
--> OAK
--> (1 rows affected)
--> [name:varchar(20)]
--> OAK
--> (1 rows affected)
--> [name:varchar(20)]
--> OAK
--> (1 rows affected)
select count(distinct t.query_text_id) as texts, count(distinct q.query_id) as queries, sum(r.count_executions) as runs,
  count(distinct c.date_first) as firsts
from sys.query_store_query as q join sys.query_store_query_text as t on t.query_text_id = q.query_text_id
join sys.query_store_plan as p on p.query_id = q.query_id join sys.query_store_runtime_stats as r on r.plan_id = p.plan_id
join sys.query_context_settings as c on c.context_settings_id = q.context_settings_id
where t.query_sql_text like 'select /* twice */%'
go
--> [texts:int | queries:int | runs:bigint | firsts:int]
--> 1 | 2 | 3 | 2
--> (1 rows affected)
-- An encrypted module is counted and not shown.
create procedure dbo.secret with encryption as select name from dbo.trees where id = 3
go
alter database measured set query_store (query_capture_mode = all)
go
exec dbo.secret
alter database measured set query_store (query_capture_mode = none)
go
--> [name:varchar(20)]
--> ELM
--> (1 rows affected)
select t.query_sql_text, t.is_part_of_encrypted_module, p.query_plan, r.count_executions
from sys.query_store_query as q join sys.query_store_query_text as t on t.query_text_id = q.query_text_id
join sys.query_store_plan as p on p.query_id = q.query_id join sys.query_store_runtime_stats as r on r.plan_id = p.plan_id
where q.object_id = object_id('dbo.secret')
go
--> [query_sql_text:nvarchar(max) | is_part_of_encrypted_module:bit | query_plan:nvarchar(max) | count_executions:bigint]
--> NULL | 1 | NULL | 1
--> (1 rows affected)
alter database measured set query_store clear all
go
select (select count(*) from sys.query_store_query) as queries, (select count(*) from sys.query_store_plan) as plans,
  (select count(*) from sys.query_store_runtime_stats) as runs, (select count(*) from sys.query_store_query_text) as texts
go
--> [queries:int | plans:int | runs:int | texts:int]
--> 0 | 0 | 0 | 0
--> (1 rows affected)
use master
go
select desired_state_desc as desired, actual_state_desc as actual from sys.database_query_store_options
drop database measured
go
--> [desired:nvarchar(60) | actual:nvarchar(60)]
--> OFF | OFF
--> (1 rows affected)
