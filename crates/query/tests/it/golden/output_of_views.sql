-- OUTPUT of what a common table expression, view or derived table computes: of the row before in deleted, after in inserted.
create database output_of_views
go
use output_of_views
set nocount on
go
create table d (id int primary key, e varchar(10), n int)
insert d values (1, 'a', 1), (2, 'a', 2), (3, 'b', 3), (4, 'b', 4), (5, 'b', 5)
go
with c as (select *, row_number() over (partition by e order by id) as rn from d)
delete c output deleted.id, deleted.rn, deleted.e where rn > 2
go
--> [id:int | rn:bigint | e:varchar(10)]
--> 5 | 3 | b
with c as (select *, row_number() over (partition by e order by id) as rn from d)
delete c output deleted.* where rn > 1
select * from d order by id
go
--> [id:int | e:varchar(10) | n:int | rn:bigint]
--> 2 | a | 2 | 2
--> 4 | b | 4 | 2
--> [id:int | e:varchar(10) | n:int]
--> 1 | a | 1
--> 3 | b | 3
with c (nr, half, id) as (select n * 10, n / 2.0, id from d)
delete c output deleted.* where nr = 10
go
--> [nr:int | half:numeric(17,6) | id:int]
--> 10 | 0.500000 | 1
create view zv as select n as m, id, n * 2 as dbl, e + '!' as loud from d
go
insert d values (6, 'x', 10), (7, 'y', 20)
go
update zv set m = m + 1 output deleted.dbl, inserted.dbl, deleted.m, inserted.m, inserted.loud where m > 5
go
--> [dbl:int | dbl:int | m:int | m:int | loud:varchar(11)]
--> 20 | 22 | 10 | 11 | x!
--> 40 | 42 | 20 | 21 | y!
update zv set m = m + 1 output deleted.*, inserted.* where m > 20
go
--> [m:int | id:int | dbl:int | loud:varchar(11) | m:int | id:int | dbl:int | loud:varchar(11)]
--> 21 | 7 | 42 | y! | 22 | 7 | 44 | y!
declare @log table (was int, is_now int, id int)
update zv set m = 0 output deleted.dbl + 1, inserted.dbl + 1, inserted.id into @log where m = 22
select was, is_now from @log
insert zv (m, id) output inserted.dbl, inserted.m, inserted.loud values (7, 8)
go
--> [was:int | is_now:int]
--> 45 | 1
--> [dbl:int | m:int | loud:varchar(11)]
--> 14 | 7 | NULL
insert zv (m, loud) values (7, 'l')
go
--> Msg 4406, Level 16, State 1, Line 1: Update or insert of view or function 'zv' failed because it contains a derived or constant field.
delete zv output deleted.dbl, deleted.loud where m = 7
go
--> [dbl:int | loud:varchar(11)]
--> 14 | NULL
update q set n = n + 100 output inserted.n, inserted.share, deleted.share
from (select id, n, n * 100 / sum(n) over () as share from d) as q where q.n = 11
go
--> [n:int | share:int | share:int]
--> 111 | 792 | 78
-- Another table's column, an expression over both.
create table u (id int, w int)
insert u select id, 1000 from d
go
with c as (select d.id, d.n, u.w, d.n + u.w as total from u join d on d.id = u.id)
update c set n = 5 output deleted.n, deleted.w, deleted.total, inserted.total where n = 111
go
--> [n:int | w:int | total:int | total:int]
--> 111 | 1000 | 1111 | 1005
with c as (select d.id, d.n, (select max(w) from u) as most from d)
delete c output deleted.n, deleted.most where n = 5
go
--> Msg 4186, Level 16, State 1, Line 1: Column 'deleted.most' cannot be referenced in the OUTPUT clause because the column definition contains a subquery or references a function that performs user or system data access. A function is assumed by default to perform data access if it is not schemabound. Consider removing the column from the OUTPUT clause.
with c as (select d.id, d.n, (select max(w) from u) as most from d)
delete c output deleted.n where n = 5
go
--> [n:int]
--> 5
-- Two levels, and a name that the view lacks.
with b as (select id, n + 1 as one from d), c as (select id, one * 2 as two from b)
delete c output deleted.two, deleted.id where two < 100 and id < 4
go
--> [two:int | id:int]
--> 8 | 3
with c as (select id, n + 1 as one from d) delete c output deleted.n
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'n'.
select id, n from d order by id
go
--> [id:int | n:int]
--> 7 | 0
-- $IDENTITY and $ROWGUID of a view are the columns that it shows of its table.
create table r (k int identity, g uniqueidentifier rowguidcol default '00000000-0000-0000-0000-000000000001', v int)
go
create view shows as select v, k, g from r
go
insert shows (v) output inserted.$identity, inserted.$rowguid values (4)
insert shows (v) output inserted.$identity values (5)
update shows set v = v + 1 output deleted.$identity, inserted.v where $identity = 2
delete shows output deleted.$rowguid, deleted.v where v = 4
go
--> [k:int | g:uniqueidentifier]
--> 1 | 00000000-0000-0000-0000-000000000001
--> [k:int]
--> 2
--> [k:int | v:int]
--> 2 | 6
--> [g:uniqueidentifier | v:int]
--> 00000000-0000-0000-0000-000000000001 | 4
