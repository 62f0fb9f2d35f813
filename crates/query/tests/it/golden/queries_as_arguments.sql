-- Queries as arguments of functions in FROM are asked once, before the function's rows are made.
create table #t (id int primary key, k int)
insert #t values (1, 2), (2, 3), (4, null)
go
--> (3 rows affected)
select value from generate_series(1, (select max(id) from #t))
select value from generate_series((select 3), 1)
select value from generate_series(1, 9, (select max(k) from #t))
select value from generate_series((select min(id) from #t), (select max(id) from #t), (select min(k) from #t))
select value from generate_series(1, (select k from #t where id = 4))
select value from generate_series(1, (select k from #t where id = 5))
go
--> [value:int]
--> 1
--> 2
--> 3
--> 4
--> (4 rows affected)
--> [value:int]
--> 3
--> 2
--> 1
--> (3 rows affected)
--> [value:int]
--> 1
--> 4
--> 7
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
--> [value:int]
--> 1
--> 3
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (2 rows affected)
--> [value:int]
--> (0 rows affected)
--> [value:int]
--> (0 rows affected)
select t.id, s.value from #t t cross apply generate_series(1, (select count(*) from #t x where x.id <= t.id)) s order by t.id, s.value
select t.id, s.value from #t t outer apply generate_series(t.id, (select x.k from #t x where x.id = t.id), 1) s order by t.id, s.value
select t.id from #t t where exists (select 1 from generate_series((select t.id), (select max(id) from #t)) s where s.value = 3)
select t.id, (select sum(s.value) from generate_series(1, (select t.id + max(x.k) from #t x)) s) as total from #t t order by t.id
select a.value, b.value from generate_series(1, (select 2)) a join generate_series((select 2), 3) b on a.value = b.value
go
--> [id:int | value:int]
--> 1 | 1
--> 2 | 1
--> 2 | 2
--> 4 | 1
--> 4 | 2
--> 4 | 3
--> (6 rows affected)
--> [id:int | value:int]
--> 1 | 1
--> 1 | 2
--> 2 | 2
--> 2 | 3
--> 4 | NULL
--> (5 rows affected)
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
--> [id:int | total:int]
--> 1 | 10
--> 2 | 15
--> 4 | 28
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
--> [value:int | value:int]
--> 2 | 2
--> (1 rows affected)
select value from generate_series(1, (select 'a'))
go
--> Msg 5373, Level 16, State 1, Line 1: All the input parameters should be of the same type. Supported types are tinyint, smallint, int, bigint, decimal and numeric.
select value from generate_series(1, (select id from #t))
go
--> [value:int]
--> Msg 512, Level 16, State 1, Line 1: Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or when the subquery is used as an expression.
create function dbo.counted (@n int, @word varchar(10) = 'w') returns @r table (i int, word varchar(10)) as
begin
    declare @i int = 0
    while @i < @n
    begin
        set @i += 1
        insert @r values (@i, @word)
    end
    return
end
go
select * from dbo.counted((select max(k) from #t), default) order by i
select * from dbo.counted(2, (select 'x' where 1 = 0)) order by i
select t.id, c.i from #t t cross apply dbo.counted((select count(*) from #t x where x.id < t.id), 'a') c order by t.id, c.i
select t.id, c.i, c.word from #t t outer apply dbo.counted(t.k - 1, (select cast(max(x.id) as varchar(10)) from #t x where x.id < t.id)) c order by t.id, c.i
select count(*) as n from dbo.counted((select count(*) from dbo.counted((select max(id) from #t), 'b')), 'c') c
go
--> [i:int | word:varchar(10)]
--> 1 | w
--> 2 | w
--> 3 | w
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
--> [i:int | word:varchar(10)]
--> 1 | NULL
--> 2 | NULL
--> (2 rows affected)
--> [id:int | i:int]
--> 2 | 1
--> 4 | 1
--> 4 | 2
--> (3 rows affected)
--> [id:int | i:int | word:varchar(10)]
--> 1 | 1 | NULL
--> 2 | 1 | 1
--> 2 | 2 | 1
--> 4 | NULL | NULL
--> (4 rows affected)
--> [n:int]
--> 4
--> (1 rows affected)
select * from dbo.counted((select id from #t), 'a')
go
--> [i:int | word:varchar(10)]
--> Msg 512, Level 16, State 1, Line 1: Subquery returned more than 1 value. This is not permitted when the subquery follows =, !=, <, <= , >, >= or when the subquery is used as an expression.
declare @n int = 2
select value from generate_series(@n, (select @n + max(id) from #t where id < @n))
go
--> [value:int]
--> 2
--> 3
--> (2 rows affected)
drop function dbo.counted
drop table #t
go
