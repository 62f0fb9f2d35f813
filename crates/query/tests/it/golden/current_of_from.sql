-- differs temporary: two databases have a table of that name
-- differs clustered, secondary: rows of a table with an index are found and compared (16934)
-- WHERE CURRENT OF with FROM and with subqueries: the row that the cursor stands on, with what the other tables say.
create database standing
go
use standing
set nocount on
create table t (id int primary key, v int)
insert t values (1, 10), (2, 20), (3, 30)
create table s (id int, w int)
insert s values (1, 100), (2, 200)
create table one (d int)
insert one values (5)
go
declare c cursor local for select v from t order by id
declare @v int
open c
fetch next from c into @v
update t set v = v + d from one where current of c
select @@rowcount as n
fetch next from c into @v
update t set v = s.w from t join s on s.id = t.id where current of c
update x set v = x.v + (select count(*) from s) from t as x where current of c
select id, v from t
fetch next from c into @v
update t set v = s.w from t join s on s.id = t.id where current of c
delete t from t as x join s on s.id = x.id where current of c
update t set v = (select max(w) from s where s.id < t.id), @v = v where current of c
select @v as v
select id, v from t
delete t from one where current of c
select id, v from t
close c
go
--> [n:int]
--> 1
--> [id:int | v:int]
--> 1 | 15
--> 2 | 202
--> 3 | 30
--> Msg 16947, Level 16, State 1, Line 12: No rows were updated or deleted.
--> # The statement has been terminated.
--> Msg 16947, Level 16, State 1, Line 13: No rows were updated or deleted.
--> # The statement has been terminated.
--> [v:int]
--> 30
--> [id:int | v:int]
--> 1 | 15
--> 2 | 202
--> 3 | 200
--> [id:int | v:int]
--> 1 | 15
--> 2 | 202
-- The same over a temporary table.
create table #t (id int, v int)
insert #t values (1, 10), (2, 20)
declare h cursor local for select v from #t
declare @v int
open h
fetch next from h into @v
fetch next from h into @v
update #t set v = s.w from s where s.id = #t.id and current_timestamp is not null
update #t set v = v + d from one where current of h
update #t set v = v + (select sum(w) from s) where current of h
select id, v from #t
close h
go
--> [id:int | v:int]
--> 1 | 100
--> 2 | 505
use master
drop database standing
go
