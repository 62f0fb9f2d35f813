-- Lengths, parts and presence of large values: what lies beyond its record and what lies in it answer alike
create table t (id int primary key, k int, c varchar(max) null, n nvarchar(max) null, b varbinary(max) null, u varchar(max) collate Latin1_General_100_CI_AS_SC_UTF8 null)
declare @c varchar(max) = replicate(cast('0123456789' as varchar(max)), 2000)
insert t values (1, 10, @c + '   ', cast(@c as nvarchar(max)) + N'é😀  ', cast(@c as varbinary(max)), replicate(cast(N'é' as varchar(max)) collate Latin1_General_100_CI_AS_SC_UTF8, 6000))
insert t values (2, 20, 'short  ', N'kürz ', 0x010203, 'é'), (3, 30, null, null, null, null), (4, 40, '', N'', 0x, ''), (5, 50, replicate(cast(' ' as varchar(max)), 9000), N'x', 0x00, 'x')
go
--> (1 rows affected)
--> (4 rows affected)
select datalength(c) as c, datalength(n) as n, datalength(b) as b, datalength(u) as u from t where id = 1
select len(c) as c, len(n) as n, len(b) as b, len(u) as u from t where id = 1
select id, datalength(c) as c, len(c) as lc, datalength(n) as n, len(n) as ln, datalength(b) as b, len(b) as lb, datalength(u) as u, len(u) as lu from t where id in (2, 3, 4, 5)
go
--> [c:bigint | n:bigint | b:bigint | u:bigint]
--> 20003 | 40010 | 20000 | 12000
--> (1 rows affected)
--> [c:bigint | n:bigint | b:bigint | u:bigint]
--> 20000 | 20003 | 20000 | 6000
--> (1 rows affected)
--> [id:int | c:bigint | lc:bigint | n:bigint | ln:bigint | b:bigint | lb:bigint | u:bigint | lu:bigint]
--> 2 | 7 | 5 | 10 | 4 | 3 | 3 | 2 | 1
--> 3 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL
--> 4 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0
--> 5 | 9000 | 0 | 2 | 1 | 1 | 1 | 1 | 1
--> (4 rows affected)
select case when c is null then 'absent' else 'there' end as c, case when b is not null then 1 else 0 end as b from t where id = 1
select id from t where id between 1 and 5 and n is null
select id, k from t where id < 5 and datalength(c) > 100 order by datalength(b) desc
select count(*) as n, sum(datalength(c)) as bytes, max(len(n)) as units from t where id < 3
go
--> [c:varchar(6) | b:int]
--> there | 1
--> (1 rows affected)
--> [id:int]
--> 3
--> (1 rows affected)
--> [id:int | k:int]
--> 1 | 10
--> (1 rows affected)
--> [n:int | bytes:bigint | units:bigint]
--> 2 | 20010 | 20003
--> (1 rows affected)
declare @from int = 19991, @n int = 5
select substring(c, @from, @n) as c, substring(n, 19998, 6) as n, substring(b, 2, 3) as b, substring(u, 5999, 9) as u from t where id = 1
select left(c, 3) as l, right(n, 4) as r, right(c, 5) + '|' as rc, left(n, 0) as none, substring(c, 0, 3) as before, substring(c, -5, 7) as short, substring(c, 30000, 5) as behind, substring(c, 20001, 9000) + '|' as tail from t where id = 1
select substring(n, 20002, 1) as half, substring(c, 5, null) as without, substring(c, @n, @n) + left(c, 2) as two from t where id = 1
select id, substring(c, 2, 3) as c, right(n, 2) as n, substring(b, 1, 2) as b from t where id between 2 and 5
select substring(c, 2, -1) as c from t where id = 1
select left(c, -1) as c from t where id = 1
select right(c, -1) as c from t where id = 1
go
--> [c:varchar(max) | n:nvarchar(max) | b:varbinary(max) | u:varchar(max)]
--> 01234 | 789é😀 | 0x313233 | éé
--> (1 rows affected)
--> [l:varchar(max) | r:nvarchar(max) | rc:varchar(max) | none:nvarchar(max) | before:varchar(max) | short:varchar(max) | behind:varchar(max) | tail:varchar(max)]
--> 012 | 😀 | 89   | |  | 01 | 0 |  |    |
--> (1 rows affected)
--> [half:nvarchar(max) | without:varchar(max) | two:varchar(max)]
--> � | NULL | 4567801
--> (1 rows affected)
--> [id:int | c:varchar(max) | n:nvarchar(max) | b:varbinary(max)]
--> 2 | hor | z | 0x0102
--> 3 | NULL | NULL | NULL
--> 4 |  |  | 0x
--> 5 |  | x | 0x00
--> (4 rows affected)
--> [c:varchar(max)]
--> Msg 537, Level 16, State 3, Line 6: Invalid length parameter passed to the LEFT or SUBSTRING function.
--> [c:varchar(max)]
--> Msg 537, Level 16, State 2, Line 7: Invalid length parameter passed to the LEFT or SUBSTRING function.
--> [c:varchar(max)]
--> Msg 536, Level 16, State 1, Line 8: Invalid length parameter passed to the RIGHT function.
-- where the value itself is wanted too, or the place hangs on the row
select datalength(c) as bytes, right(c, 6) + '|' as c, len(c) as l, substring(c, k, 2) as at from t where id = 1
select id, left(c, 5) as c from t where id in (1, 2) and c like '%9 %'
select datalength(x.c) as x, datalength(y.c) as y, len(y.n) as ny from t x join t y on y.id = x.id + 1 where x.id = 1
update t set k = datalength(c) where id = 1
select k from t where id = 1
select id, k from t where id = (select max(id) from t where id < 3 and datalength(b) = 20000)
go
--> [bytes:bigint | c:varchar(max) | l:bigint | at:varchar(max)]
--> 20003 | 789   | | 20000 | 90
--> (1 rows affected)
--> [id:int | c:varchar(max)]
--> 1 | 01234
--> (1 rows affected)
--> [x:bigint | y:bigint | ny:bigint]
--> 20003 | 7 | 4
--> (1 rows affected)
--> (1 rows affected)
--> [k:int]
--> 20003
--> (1 rows affected)
--> [id:int | k:int]
--> 1 | 20003
--> (1 rows affected)
-- an index that has the column, and rows without one
create table i (id int, k int, v varchar(max))
insert i select id, k, c from t
create index by_k on i (k) include (v)
select datalength(v) as bytes, right(v, 4) + '|' as tail from i with (index (by_k)) where k = 20003
select datalength(v) as bytes from i where k = 50
select id, datalength(v) as bytes from i order by id
create table #j (id int, v nvarchar(max))
insert #j select id, n from t
select id, datalength(v) as bytes, len(v) as units, substring(v, 19999, 2) as part from #j order by id
go
--> (5 rows affected)
--> [bytes:bigint | tail:varchar(max)]
--> 20003 | 9   |
--> (1 rows affected)
--> [bytes:bigint]
--> 9000
--> (1 rows affected)
--> [id:int | bytes:bigint]
--> 1 | 20003
--> 2 | 7
--> 3 | NULL
--> 4 | 0
--> 5 | 9000
--> (5 rows affected)
--> (5 rows affected)
--> [id:int | bytes:bigint | units:bigint | part:nvarchar(max)]
--> 1 | 40010 | 20003 | 89
--> 2 | 10 | 4 |
--> 3 | NULL | NULL | NULL
--> 4 | 0 | 0 |
--> 5 | 2 | 1 |
--> (5 rows affected)
