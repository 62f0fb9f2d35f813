-- A key of OVER or GROUP BY that names a column is no constant, whatever is left of it.
create table f(a int, t varchar(10));
insert f values (1, 'x'), (2, 'y');
go
--> (2 rows affected)
select a, row_number() over (order by coalesce(2, a)) as n from f where a = 1;
select a, row_number() over (order by coalesce(null, 5, a)) as n from f where a = 1;
select count(*) as n from f group by coalesce('A', t);
select count(*) as n from f group by isnull('A', t);
select a, sum(a) over (order by case when 1 = 1 then 2 else a end) as s from f order by a;
go
--> [a:int | n:bigint]
--> 1 | 1
--> (1 rows affected)
--> [a:int | n:bigint]
--> 1 | 1
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [a:int | s:int]
--> 1 | 3
--> 2 | 3
--> (2 rows affected)
select row_number() over (order by 2) as n from f;
go
--> Msg 5308, Level 15, State 1, Line 1: Windowed functions, aggregates and NEXT VALUE FOR functions do not support integer indices as ORDER BY clause expressions.
select row_number() over (order by coalesce('a', 'b')) as n from f;
go
--> Msg 5309, Level 15, State 1, Line 1: Windowed functions, aggregates and NEXT VALUE FOR functions do not support constants as ORDER BY clause expressions.
select count(*) as n from f group by coalesce('A', 'B');
go
--> Msg 164, Level 15, State 1, Line 1: Each GROUP BY expression must contain at least one column that is not an outer reference.
