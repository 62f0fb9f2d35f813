-- Changes ask a computed column for the value that their statement makes of it, as queries do
create table pd (a int primary key, t varchar(20), d as cast(t as date), b int)
go
set dateformat dmy
insert pd (a, t, b) values (1, '02/03/2024', 0), (2, '02/05/2024', 0)
set dateformat mdy
select a, d from pd order by a
update pd set b = 5 where month(d) = 2
update pd set b = b + 1 where month(d) = 3
select a, b from pd order by a
update pd set b = b + day(d) output deleted.d as was, inserted.d as now, inserted.b where a = 2
update x set b = y.day from pd as x join (select 3 as m, 30 as day union all select 5, 50) y on y.m = day(x.d)
select * from pd order by a
go
--> (2 rows affected)
--> [a:int | d:date]
--> 1 | 2024-02-03
--> 2 | 2024-02-05
--> (2 rows affected)
--> (2 rows affected)
--> (0 rows affected)
--> [a:int | b:int]
--> 1 | 5
--> 2 | 5
--> (2 rows affected)
--> [was:date | now:date | b:int]
--> 2024-02-05 | 2024-02-05 | 10
--> (1 rows affected)
--> (2 rows affected)
--> [a:int | t:varchar(20) | d:date | b:int]
--> 1 | 02/03/2024 | 2024-02-03 | 30
--> 2 | 02/05/2024 | 2024-02-05 | 50
--> (2 rows affected)
-- Below views, derived tables and MERGE
create view vpd as select a, d, b from pd where day(d) = 3
go
update vpd set b = 9 where month(d) = 2
update q set b = b + 1 from (select b, d from pd) q where day(q.d) = 5
merge pd using (select 5 as k) s on day(pd.d) = s.k when matched then update set b = month(pd.d) output $action, deleted.d, s.k;
update pd set b = -1 where exists (select 1 from vpd where vpd.a = pd.a and month(pd.d) = 2 and day(pd.d) = 3)
select * from pd order by a
go
--> (1 rows affected)
--> (1 rows affected)
--> [$action:nvarchar(10) | d:date | k:int]
--> UPDATE | 2024-02-05 | 5
--> (1 rows affected)
--> (1 rows affected)
--> [a:int | t:varchar(20) | d:date | b:int]
--> 1 | 02/03/2024 | 2024-02-03 | -1
--> 2 | 02/05/2024 | 2024-02-05 | 2
--> (2 rows affected)
-- Below cursors
declare k cursor keyset for select a, d from pd where month(d) = 2 order by a for update of b
open k
fetch k
update pd set b = 100 where current of k
close k
deallocate k
delete pd output deleted.d where day(d) = 5
select a, b from pd
go
--> [a:int | d:date]
--> 1 | 2024-02-03
--> (1 rows affected)
--> (1 rows affected)
--> [d:date]
--> 2024-02-05
--> (1 rows affected)
--> [a:int | b:int]
--> 1 | 100
--> (1 rows affected)
drop view vpd
drop table pd
-- The time of the statement
create table #people (n int, born date, age as datediff(year, born, getdate()))
insert #people (n, born) values (1, dateadd(year, -40, getdate())), (2, dateadd(year, -10, getdate()))
update #people set n += 10 where age >= 18
select n, age from #people order by n
delete #people where age < 18
select n from #people
go
--> (2 rows affected)
--> (1 rows affected)
--> [n:int | age:int]
--> 2 | 10
--> 11 | 40
--> (2 rows affected)
--> (1 rows affected)
--> [n:int]
--> 11
--> (1 rows affected)
