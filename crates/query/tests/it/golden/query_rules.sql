-- What a query may say: ORDER BY where it means nothing, names of columns, EXISTS, ORDER BY behind UNION.
create database rules
go
use rules
go
create table a (c int, d int)
create table b (c int, d int)
insert a values (3, 30), (1, 10)
insert b values (2, 20), (1, 11)
go
--> (2 rows affected)
--> (2 rows affected)
-- 1033
select * from (select c from a order by c) x
go
--> Msg 1033, Level 15, State 1, Line 2: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
select (select c from a order by c) as x
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
select 1 where exists (select c from a order by c)
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
select 1 where 1 in (select c from a order by c)
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
with x as (select c from a order by c) select * from x
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
with x as (select 1 as n union all select n + 1 from x where n < 3 order by n) select * from x
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
create view v as select c from a order by c
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
create view v as select c from a union select c from b order by c
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
create function f() returns table as return select c from a order by c
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
insert b select c, d from (select c, d from a order by c) x
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
--> # The statement has been terminated.
delete x from (select c from a order by c) x
go
--> Msg 1033, Level 15, State 1, Line 1: The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified.
--> # The statement has been terminated.
select count(*) as n from b
go
--> [n:int]
--> 2
--> (1 rows affected)
-- With TOP or OFFSET it chooses rows; an INSERT may have it.
select * from (select top (1) c from a order by c desc) x
select * from (select c from a order by c offset 1 row) x
select (select top 1 c from a order by c) as least
insert b select c, d from a where c = 3 order by d
delete b where c = 3
go
--> [c:int]
--> 3
--> (1 rows affected)
--> [c:int]
--> 3
--> (1 rows affected)
--> [least:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
create view v as select top (100) percent c, d from a order by c
go
create function f() returns table as return select c from a order by c offset 0 rows fetch next 1 rows only
go
select * from v where c = 3
select * from f()
go
--> [c:int | d:int]
--> 3 | 30
--> (1 rows affected)
--> [c:int]
--> 1
--> (1 rows affected)
-- 8155, 8156, 4506, 4511
select * from (select c, d, c from a) x
go
--> Msg 8156, Level 16, State 1, Line 2: The column 'c' was specified multiple times for 'x'.
select 1 as n from (select a.*, b.c from a join b on a.c = b.c) x
go
--> Msg 8156, Level 16, State 1, Line 1: The column 'c' was specified multiple times for 'x'.
select * from (values (1, 2)) x (n, N)
go
--> Msg 8156, Level 16, State 1, Line 1: The column 'N' was specified multiple times for 'x'.
with x (n, n) as (select c, d from a) select n from x
go
--> Msg 8156, Level 16, State 1, Line 1: The column 'n' was specified multiple times for 'x'.
with x as (select c, c from a) select count(*) as n from x
go
--> Msg 8156, Level 16, State 1, Line 1: The column 'c' was specified multiple times for 'x'.
with x as (select c, d as c from a) delete x where 1 = 0
go
--> Msg 8156, Level 16, State 1, Line 1: The column 'c' was specified multiple times for 'x'.
with x as (select 1 as n, 2 as n union all select n, n from x where n < 3) select count(*) as n from x
go
--> Msg 8156, Level 16, State 1, Line 1: The column 'n' was specified multiple times for 'x'.
select * from (select c + 1 from a) x
go
--> Msg 8155, Level 16, State 2, Line 1: No column name was specified for column 1 of 'x'.
create view twice as select c, d as c from a
go
--> Msg 4506, Level 16, State 1, Line 1: Column names in each view or function must be unique. Column name 'c' in view or function 'twice' is specified more than once.
create function twice() returns table as return select c, d as C from a
go
--> Msg 4506, Level 16, State 1, Line 1: Column names in each view or function must be unique. Column name 'C' in view or function 'twice' is specified more than once.
create function nameless() returns table as return select c, d + 1 from a
go
--> Msg 4514, Level 16, State 1, Line 1: CREATE FUNCTION failed because a column name is not specified for column 2.
-- EXISTS asks for rows alone.
select 'yes' as answer where exists (select 1 / 0)
select 'yes' as answer where exists (select 1 / 0 from a)
select 'yes' as answer where exists (select c / 0 from a where c = 3)
select 'no' as answer where not exists (select 1 / 0 from a where c = 4)
select 'yes' as answer where exists (select distinct 1 / 0 from a)
select 'yes' as answer where exists (select sum(c / 0) from a where c = 4)
select 'no' as answer where not exists (select max(c) from a where c = 4 group by d)
select 'no' as answer where not exists (select sum(c) from a having sum(c) > 100)
select 'yes' as answer where exists (select top (1) 1 / 0 from a order by d)
select 'no' as answer where not exists (select top (0) 1 from a)
select 'yes' as answer where exists (select row_number() over (order by c / 0) from a)
select a.c from a where exists (select 1 / (a.c - 3) from b where b.c = a.c - 1)
select a.c from a where not exists (select b.c / 0 from b where b.c = a.c)
if exists (select convert(int, 'x') from b) select 'yes' as answer
go
--> [answer:varchar(3)]
--> yes
--> (1 rows affected)
--> [answer:varchar(3)]
--> yes
--> (1 rows affected)
--> [answer:varchar(3)]
--> yes
--> (1 rows affected)
--> [answer:varchar(2)]
--> no
--> (1 rows affected)
--> [answer:varchar(3)]
--> yes
--> (1 rows affected)
--> [answer:varchar(3)]
--> yes
--> (1 rows affected)
--> [answer:varchar(2)]
--> no
--> (1 rows affected)
--> [answer:varchar(2)]
--> no
--> (1 rows affected)
--> [answer:varchar(3)]
--> yes
--> (1 rows affected)
--> [answer:varchar(2)]
--> no
--> (1 rows affected)
--> [answer:varchar(3)]
--> yes
--> (1 rows affected)
--> [c:int]
--> 3
--> (1 rows affected)
--> [c:int]
--> 3
--> (1 rows affected)
--> [answer:varchar(3)]
--> yes
--> (1 rows affected)
-- Behind UNION: a name, a position, or an item of the first SELECT as it is written there.
select a.c from a union all select b.c from b order by a.c
select a.c, a.d from a union all select c, d from b order by a.d desc
select * from a union select * from b order by a.c, a.d
select x.c as n, x.d from a as x union all select c, d from b order by x.c, d
select a.c from a except select c from b order by 1
select dbo.a.c from a union all select c from b order by a.c desc
go
--> [c:int]
--> 1
--> 1
--> 2
--> 3
--> (4 rows affected)
--> [c:int | d:int]
--> 3 | 30
--> 2 | 20
--> 1 | 11
--> 1 | 10
--> (4 rows affected)
--> [c:int | d:int]
--> 1 | 10
--> 1 | 11
--> 2 | 20
--> 3 | 30
--> (4 rows affected)
--> [n:int | d:int]
--> 1 | 10
--> 1 | 11
--> 2 | 20
--> 3 | 30
--> (4 rows affected)
--> [c:int]
--> 3
--> (1 rows affected)
--> [c:int]
--> 3
--> 2
--> 1
--> 1
--> (4 rows affected)
select a.c from a union all select b.c from b order by b.c
go
--> Msg 4104, Level 16, State 1, Line 1: The multi-part identifier "b.c" could not be bound.
select c from a union all select c from b order by a.d
go
--> Msg 4104, Level 16, State 1, Line 1: The multi-part identifier "a.d" could not be bound.
select c from a union all select c from b order by c + 1
go
--> Msg 104, Level 16, State 1, Line 1: ORDER BY items must appear in the select list if the statement contains a UNION, INTERSECT or EXCEPT operator.
select c from a union all select c from b order by d
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'd'.
use master
drop database rules
go
