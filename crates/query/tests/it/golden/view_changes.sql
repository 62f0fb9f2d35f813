-- Changes through views and common table expressions.
create database seen
go
use seen
set nocount on
create table t (id int identity primary key, name varchar(10) null, qty int not null default 1, price int)
insert t (name, qty, price) values ('a', 1, 10), ('b', 2, 20), ('c', 3, 30)
go
create view some_of as select id as number, name, qty * price as total, qty as pieces from dbo.t where qty < 3
go
create view checked as select name, pieces from dbo.some_of where pieces > 0 with check option
go
create view joined as select a.id, b.name from t a join t b on a.id = b.id
go
create view summed as select name, sum(qty) as q from t group by name
go
create view both as select id from t union all select id from t
go
update some_of set pieces = 9 where total = 40
update some_of set name = concat(name, total), pieces += 1 output inserted.name, deleted.pieces, inserted.number where number = 1
select * from t
delete some_of where number = 3
delete x from some_of x where x.total > 0
select * from t
insert some_of (name, pieces) values ('new', 2)
insert checked values ('ok', 1)
insert checked values ('no', 5)
update checked set pieces = 0
update checked set pieces = 2 where name = 'ok'
select * from t order by id
update u set name = 'j' from some_of u join t on t.id = u.number where t.name = 'new'
select name, qty from t order by id
go
--> [name:varchar(10) | pieces:int | number:int]
--> a10 | 1 | 1
--> [id:int | name:varchar(10) | qty:int | price:int]
--> 1 | a10 | 2 | 10
--> 2 | b | 9 | 20
--> 3 | c | 3 | 30
--> [id:int | name:varchar(10) | qty:int | price:int]
--> 2 | b | 9 | 20
--> 3 | c | 3 | 30
--> Msg 550, Level 16, State 1, Line 9: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
--> Msg 550, Level 16, State 1, Line 10: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
--> [id:int | name:varchar(10) | qty:int | price:int]
--> 2 | b | 9 | 20
--> 3 | c | 3 | 30
--> 4 | new | 2 | NULL
--> 5 | ok | 2 | NULL
--> [name:varchar(10) | qty:int]
--> b | 9
--> c | 3
--> j | 2
--> ok | 2
update some_of set total = 1
go
--> Msg 4406, Level 16, State 1, Line 1: Update or insert of view or function 'some_of' failed because it contains a derived or constant field.
insert some_of (total) values (1)
go
--> Msg 4406, Level 16, State 1, Line 1: Update or insert of view or function 'some_of' failed because it contains a derived or constant field.
update some_of set price = 1
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'price'.
update joined set name = 'x'
go
delete summed
go
--> Msg 4403, Level 16, State 1, Line 1: Cannot update the view or function 'summed' because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.
delete both
go
--> Msg 4426, Level 16, State 1, Line 1: View 'both' is not updatable because the definition contains a UNION operator.
with few (k, n) as (select id, name from t where qty = 2) update few set n = 'cte' where k > 0;
with few as (select * from t where name = 'cte') delete from few;
select name from t
create table #t (a int, b int)
insert #t values (1, 1), (2, 2), (3, 3);
with c as (select a, b * 10 as tens from #t where b > 1) delete c where tens = 30;
with c as (select a from #t) update c set a = 7 where a = 1;
with c as (select a from #t) insert c values (8);
select * from #t order by a
go
--> [name:varchar(10)]
--> x
--> x
--> [a:int | b:int]
--> 2 | 2
--> 7 | 1
--> 8 | NULL
-- A view compares with NULL as it was made to, also where it is changed.
create table compared (a int, b int)
insert compared values (1, null), (2, 2), (3, null)
set ansi_nulls off
go
create view unknown_ones as select a, b from compared where b = null
go
set ansi_nulls on
go
update unknown_ones set a = a * 10
delete unknown_ones where a = 30
select a, b from compared order by a
go
--> [a:int | b:int]
--> 2 | 2
--> 10 | NULL
