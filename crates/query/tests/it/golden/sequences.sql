-- differs clustered, secondary: numbers are given in the order in which rows come
-- Sequences: numbers drawn, limits, ALTER, defaults, what is refused.
create database numbers
go
use numbers
set nocount on
create sequence dbo.s as int start with 5 increment by 5
create sequence few as tinyint start with 254 minvalue 253 maxvalue 255
create sequence round as smallint start with 2 minvalue 1 maxvalue 3 cycle no cache
create sequence down as decimal(5, 0) start with 0 increment by -2 minvalue -3 maxvalue 10
create sequence big
go
select next value for s as a, next value for s as b, next value for dbo.s + 1 as c
select next value for s as d
declare @v int = next value for s
set @v = next value for s + 100
select @v as v
select next value for big as least
go
--> [a:int | b:int | c:int]
--> 5 | 5 | 6
--> [d:int]
--> 10
--> [v:int]
--> 120
--> [least:bigint]
--> -9223372036854775808
select next value for few as a
select next value for few as a
select next value for few as a
select next value for round as a
select next value for round as a
select next value for round as a
select next value for down as a
select next value for down as a
select next value for down as a
go
--> [a:tinyint]
--> 254
--> [a:tinyint]
--> 255
--> [a:tinyint]
--> Msg 11728, Level 16, State 1, Line 3: The sequence object 'few' has reached its minimum or maximum value. Restart the sequence object to allow new values to be generated.
--> [a:smallint]
--> 2
--> [a:smallint]
--> 3
--> [a:smallint]
--> 1
--> [a:decimal(5,0)]
--> 0
--> [a:decimal(5,0)]
--> -2
--> [a:decimal(5,0)]
--> Msg 11728, Level 16, State 1, Line 9: The sequence object 'down' has reached its minimum or maximum value. Restart the sequence object to allow new values to be generated.
-- one number for each row, the same in all its columns; not rolled back
create table t (id int not null default (next value for s), a int, b int)
create table src (x int)
insert src values (30), (10), (20)
begin tran
insert t (a) values (1), (2)
rollback
insert t (id, a, b) values (next value for s, next value for s, next value for s), (next value for s, next value for s, 0)
insert t (id, a, b) select next value for s, next value for s, x from src
insert t (a, b) select next value for s over (order by x), x from src
select * from t order by id, a
update t set a = next value for s, b = next value for s where b = 0
select a - b as nothing, count(*) over_rows from t where id = 60 group by a - b
select next value for s as n, x from src where x > 10
select next value for s over (order by x desc) as n, x from src order by x
go
--> [id:int | a:int | b:int]
--> 35 | 35 | 35
--> 40 | 40 | 0
--> 45 | 45 | 30
--> 50 | 50 | 10
--> 55 | 55 | 20
--> 60 | 60 | 10
--> 65 | 65 | 20
--> 70 | 70 | 30
--> [nothing:int | over_rows:int]
--> 50 | 1
--> [n:int | x:int]
--> 80 | 30
--> 85 | 20
--> [n:int | x:int]
--> 100 | 10
--> 95 | 20
--> 90 | 30
merge t using (values (1), (2)) v (k) on t.id = v.k when not matched then insert (id, a) values (next value for s, next value for s) output inserted.id, inserted.a;
select name, start_value, increment, minimum_value, maximum_value, is_cycling, is_cached, cache_size, current_value, is_exhausted, last_used_value from sys.sequences order by name
go
--> [id:int | a:int]
--> 105 | 105
--> 110 | 110
--> [name:nvarchar(128) | start_value:bigint | increment:bigint | minimum_value:bigint | maximum_value:bigint | is_cycling:bit | is_cached:bit | cache_size:int | current_value:bigint | is_exhausted:bit | last_used_value:bigint]
--> big | -9223372036854775808 | 1 | -9223372036854775808 | 9223372036854775807 | 0 | 1 | 50 | -9223372036854775808 | 0 | -9223372036854775808
--> down | 0 | -2 | -3 | 10 | 0 | 1 | 50 | -2 | 1 | -2
--> few | 254 | 1 | 253 | 255 | 0 | 1 | 50 | 255 | 1 | 255
--> round | 2 | 1 | 1 | 3 | 1 | 0 | NULL | 1 | 0 | 1
--> s | 5 | 5 | -2147483648 | 2147483647 | 0 | 1 | 50 | 110 | 0 | 110
-- ALTER, transactional
alter sequence s restart with 7
select next value for s as a
begin tran
alter sequence s restart with 1000 increment by 1
select next value for s as a
select next value for s as a
rollback
select next value for s as a
alter sequence s increment by 100
select next value for s as a
alter sequence s restart
select next value for s as a
alter sequence few cycle
select next value for few as a
alter sequence s maxvalue 3
go
--> [a:int]
--> 7
--> [a:int]
--> 1000
--> [a:int]
--> 1001
--> [a:int]
--> 257
--> [a:int]
--> 357
--> [a:int]
--> 5
--> [a:tinyint]
--> 253
--> Msg 11704, Level 16, State 1, Line 16: The current value '5' for sequence object 's' must be between the minimum and maximum value of the sequence object.
alter sequence s increment by 0
go
--> Msg 11700, Level 16, State 1, Line 1: The increment for sequence object 's' cannot be zero.
alter sequence nowhere restart
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nowhere'.
declare @first int, @last bigint, @cycles int
exec sp_sequence_get_range @sequence_name = N'dbo.round', @range_size = 5, @range_first_value = @first output, @range_last_value = @last output, @range_cycle_count = @cycles output
select @first as f, @last as l, @cycles as c
exec sp_sequence_get_range 'down', 1, @first output
exec sp_sequence_get_range 's', 3, @first output, @last output
select @first as f, @last as l
select next value for s as a
go
--> [f:int | l:bigint | c:int]
--> 2 | 3 | 1
--> Msg 11728, Level 16, State 1, Line 4: The sequence object 'down' has reached its minimum or maximum value. Restart the sequence object to allow new values to be generated.
--> [f:int | l:bigint]
--> 105 | 305
--> [a:int]
--> 405
-- what is refused
select next value for nowhere
go
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'nowhere'.
select x from src where x = next value for s
go
--> Msg 11720, Level 15, State 1, Line 1: NEXT VALUE FOR function is not allowed in the TOP, OVER, OUTPUT, ON, WHERE, GROUP BY, HAVING, or ORDER BY clauses.
select (select next value for s) as a
go
--> Msg 11719, Level 15, State 1, Line 1: NEXT VALUE FOR function is not allowed in check constraints, default objects, computed columns, views, user-defined functions, user-defined aggregates, user-defined table types, sub-queries, common table expressions, derived tables or return statements.
select distinct next value for s from src
go
--> Msg 11721, Level 15, State 1, Line 1: NEXT VALUE FOR function cannot be used directly in a statement that uses a DISTINCT, UNION, UNION ALL, EXCEPT or INTERSECT operator.
select top 1 next value for s from src
go
--> Msg 11739, Level 15, State 1, Line 1: NEXT VALUE FOR function cannot be used if ROWCOUNT option has been set, or the query contains TOP or OFFSET.
select next value for s from src order by x
go
--> Msg 11723, Level 15, State 1, Line 1: NEXT VALUE FOR function cannot be used directly in a statement that contains an ORDER BY clause unless the OVER clause is specified.
select case when x = 1 then next value for s end from src
go
--> Msg 11741, Level 15, State 1, Line 1: NEXT VALUE FOR function cannot be used within CASE, CHOOSE, COALESCE, IIF, ISNULL and NULLIF.
select next value for s union all select 1
go
--> Msg 11721, Level 15, State 1, Line 1: NEXT VALUE FOR function cannot be used directly in a statement that uses a DISTINCT, UNION, UNION ALL, EXCEPT or INTERSECT operator.
create table u (a int check (a < next value for s))
go
--> Msg 11719, Level 15, State 1, Line 1: NEXT VALUE FOR function is not allowed in check constraints, default objects, computed columns, views, user-defined functions, user-defined aggregates, user-defined table types, sub-queries, common table expressions, derived tables or return statements.
create table u (a as next value for s)
go
--> Msg 11719, Level 15, State 1, Line 1: NEXT VALUE FOR function is not allowed in check constraints, default objects, computed columns, views, user-defined functions, user-defined aggregates, user-defined table types, sub-queries, common table expressions, derived tables or return statements.
select x from (select next value for s as x) d
go
--> Msg 11719, Level 15, State 1, Line 1: NEXT VALUE FOR function is not allowed in check constraints, default objects, computed columns, views, user-defined functions, user-defined aggregates, user-defined table types, sub-queries, common table expressions, derived tables or return statements.
create sequence wrong as int start with 0 minvalue 1
go
--> Msg 11703, Level 16, State 1, Line 1: The start value for sequence object 'wrong' must be between the minimum and maximum value of the sequence object.
create sequence wrong as varchar(10)
go
--> Msg 11702, Level 16, State 2, Line 1: The sequence object must be of data type int, bigint, smallint, tinyint, or decimal or numeric with a scale of 0, or any user-defined data type that is based on one of the above integer data types.
create sequence wrong increment by 0
go
--> Msg 11700, Level 16, State 1, Line 1: The increment for sequence object 'wrong' cannot be zero.
drop sequence s
go
--> Msg 3729, Level 16, State 1, Line 1: Cannot DROP SEQUENCE 's' because it is being referenced by object 'DF__t__id__000003EE'.
drop sequence big
alter table t drop constraint nothing
go
--> Msg 3728, Level 16, State 1, Line 2: 'nothing' is not a constraint.
--> Msg 3727, Level 16, State 0, Line 2: Could not drop constraint. See previous errors.
