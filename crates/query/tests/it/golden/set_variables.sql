-- differs parameters: GROUP BY of an expression with a constant finds none with a variable
-- differs secondary: which row comes last is open
-- differs temporary: two databases have a table of that name
-- Variables that a statement sets row by row: UPDATE, SELECT and MERGE.
create table #t (id int primary key, v int, r int null, s varchar(20) null)
insert #t (id, v) values (1, 10), (2, 20), (3, 30), (4, 40)
go
--> (4 rows affected)
declare @i int = 0
update #t set @i = r = @i + 1
select id, r from #t order by id
select @i as i
go
--> (4 rows affected)
--> [id:int | r:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> 4 | 4
--> (4 rows affected)
--> [i:int]
--> 4
--> (1 rows affected)
-- A running total, and one that begins anew.
declare @sum int = 0, @odd int
update #t set @sum = r = @sum + v
select id, r from #t order by id
select @sum = 0
update #t set @sum = r = case when (id + 1) / 2 = @odd then @sum + v else v end, @odd = (id + 1) / 2
select id, r from #t order by id
select @sum as s, @odd as odd
go
--> (4 rows affected)
--> [id:int | r:int]
--> 1 | 10
--> 2 | 30
--> 3 | 60
--> 4 | 100
--> (4 rows affected)
--> (4 rows affected)
--> [id:int | r:int]
--> 1 | 10
--> 2 | 30
--> 3 | 30
--> 4 | 70
--> (4 rows affected)
--> [s:int | odd:int]
--> 70 | 2
--> (1 rows affected)
declare @sum int = 0, @all varchar(100) = '', @n int
update #t set @sum = @sum + v, @all = @all + cast(id as varchar(5)) + ';'
select @sum as s, @all as every
update #t set @sum += v where id > 2
select @sum as s
update #t set @n = v, v = v + 1 where id = 3
select @n as before_it
update #t set @n = v = v + 1 where id = 3
select @n as after_it
update #t set v = 30 where id = 3
go
--> (4 rows affected)
--> [s:int | every:varchar(100)]
--> 100 | 1;2;3;4;
--> (1 rows affected)
--> (2 rows affected)
--> [s:int]
--> 170
--> (1 rows affected)
--> (1 rows affected)
--> [before_it:int]
--> 30
--> (1 rows affected)
--> (1 rows affected)
--> [after_it:int]
--> 32
--> (1 rows affected)
--> (1 rows affected)
-- Variables first, from left to right, then columns.
declare @a int = 0, @b int = 100
update #t set r = @a, @a = @a + 1, @b = @b + @a
select id, r from #t order by id
select @a as a, @b as b
go
--> (4 rows affected)
--> [id:int | r:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> 4 | 4
--> (4 rows affected)
--> [a:int | b:int]
--> 4 | 110
--> (1 rows affected)
-- The variable gets what the column stores, computed once.
declare @x int, @text varchar(3) = '', @g uniqueidentifier
update #t set @x = s = 7 where id = 1
select @x as x, s from #t where id = 1
update #t set @text = @text + 'ab' + cast(id as varchar(5))
select @text as cut
create table #g (id int, g uniqueidentifier)
insert #g values (1, null)
update #g set @g = g = newid()
select count(*) as same from #g where g = @g
go
--> (1 rows affected)
--> [x:int | s:varchar(20)]
--> 7 | 7
--> (1 rows affected)
--> (4 rows affected)
--> [cut:varchar(3)]
--> ab1
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [same:int]
--> 1
--> (1 rows affected)
-- In a table of a database, with its key changed, with subqueries, and joined.
create database setting
go
use setting
go
create table t (id int primary key, v int, r int)
insert t values (1, 10, 0), (2, 20, 0), (3, 30, 0)
create table w (id int, x int)
insert w values (1, 100), (3, 300)
go
--> (3 rows affected)
--> (2 rows affected)
declare @i int = 100, @s int = 0, @c varchar(20) = ''
update t set @i = id = @i + 1
select id, v from t
update t set @s = r = @s + isnull((select x from w where w.id + 100 = t.id), 0)
select id, r from t
select @s as s
update t set @s = @s + w.x, r = 0 from t join w on w.id + 100 = t.id
select @s as s
update top (2) t set @c = @c + '+', r = len(@c)
select id, r from t
select @c as c
update t set @s = @s + 1 where 1 = 0
select @s as s
go
--> (3 rows affected)
--> [id:int | v:int]
--> 101 | 10
--> 102 | 20
--> 103 | 30
--> (3 rows affected)
--> (3 rows affected)
--> [id:int | r:int]
--> 101 | 100
--> 102 | 100
--> 103 | 400
--> (3 rows affected)
--> [s:int]
--> 400
--> (1 rows affected)
--> (2 rows affected)
--> [s:int]
--> 800
--> (1 rows affected)
--> (2 rows affected)
--> [id:int | r:int]
--> 101 | 1
--> 102 | 2
--> 103 | 0
--> (3 rows affected)
--> [c:varchar(20)]
--> ++
--> (1 rows affected)
--> (0 rows affected)
--> [s:int]
--> 800
--> (1 rows affected)
declare @s int = 0
update t set @s = @s + (select count(*) from w where x > @s)
go
--> Msg 40517, Level 16, State 1, Line 2: A subquery that reads a variable which the same statement sets is not supported in this version of Millpond.
-- A failed statement leaves no row; the table variable and OUTPUT see what the rows got.
declare @i int = 0
declare @log table (id int, r int)
update t set @i = r = @i + 1 output inserted.id, inserted.r into @log
select id, r from @log
update @log set @i = r = @i + 10
select id, r from @log
update t set @i = r = @i + 1 / (103 - id)
select id, r from t
go
--> (3 rows affected)
--> [id:int | r:int]
--> 101 | 1
--> 102 | 2
--> 103 | 3
--> (3 rows affected)
--> (3 rows affected)
--> [id:int | r:int]
--> 101 | 13
--> 102 | 23
--> 103 | 33
--> (3 rows affected)
--> Msg 8134, Level 16, State 1, Line 8: Divide by zero error encountered.
--> # The statement has been terminated.
--> [id:int | r:int]
--> 101 | 1
--> 102 | 2
--> 103 | 3
--> (3 rows affected)
-- MERGE sets them row by row too, over all its clauses.
declare @n int = 0, @m int = 0
merge t using (values (101, 1), (102, 2), (104, 3)) as s (id, k) on s.id = t.id
when matched then update set @n = r = @n + 10
when not matched by source then update set @m = v, r = -1
when not matched then insert values (s.id, s.k, 0);
select id, r from t
select @n as n, @m as m
go
--> (4 rows affected)
--> [id:int | r:int]
--> 101 | 10
--> 102 | 20
--> 103 | -1
--> 104 | 0
--> (4 rows affected)
--> [n:int | m:int]
--> 20 | 30
--> (1 rows affected)
-- SELECT: row by row, in the order of ORDER BY.
declare @s varchar(100) = '', @n int = 0, @last int
select @s = @s + cast(v as varchar(10)) + ',' from t order by v desc
select @s as s
select @s = '', @n = 0
select @s += cast(id as varchar(10)) + ' ', @n = @n + v, @last = @n from t where v > 10 order by id
select @s as s, @n as n, @last as last_one
select @n = 0
select @n = @n + v from t join w on w.id + 100 = t.id order by w.x desc
select @n as n
select @n = 0, @s = ''
select @s = @s + (select cast(count(*) as varchar(5)) from w where w.id + 100 <= t.id) from t order by id desc
select @s as s
select @s = ''
select @s = @s + g.k + ':' + cast(g.n as varchar(5)) + ' ' from
(select case when v > 10 then 'b' else 'a' end as k, count(*) as n from t group by case when v > 10 then 'b' else 'a' end) g
order by g.k
select @s as s
select top (2) @last = v, @n = @n + 1 from t order by v desc
select @last as last_one, @n as n
go
--> [s:varchar(100)]
--> 30,20,10,3,
--> (1 rows affected)
--> [s:varchar(100) | n:int | last_one:int]
--> 102 103 | 50 | 50
--> (1 rows affected)
--> [n:int]
--> 40
--> (1 rows affected)
--> [s:varchar(100)]
--> 2211
--> (1 rows affected)
--> [s:varchar(100)]
--> a:2 b:2
--> (1 rows affected)
--> [last_one:int | n:int]
--> 20 | 2
--> (1 rows affected)
declare @s varchar(20) = ''
select @s = @s + (select max(x) from w where cast(x as varchar(9)) > @s) from t
go
--> Msg 40517, Level 16, State 1, Line 2: A subquery that reads a variable which the same statement sets is not supported in this version of Millpond.
-- Without FROM each item sees those before it.
declare @a int = 1, @b int, @c int
select @a = 5, @b = @a + 1, @c = (select count(*) from t where id < 100 + @b - 4)
select @a as a, @b as b, @c as c
select @a = (select max(id) from t where id > @a), @b = @a + 1
select @a as a, @b as b
go
--> [a:int | b:int | c:int]
--> 5 | 6 | 1
--> (1 rows affected)
--> [a:int | b:int]
--> 104 | 105
--> (1 rows affected)
use master
drop database setting
go
