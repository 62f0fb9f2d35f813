-- PRODUCT: types by the manual's table, NULLs left out, nothing is NULL
create table factors (id int primary key, g int, t tinyint, i int, b bigint, d decimal(5, 2), w decimal(9, 0), m money, f float)
insert factors values (1, 1, 2, 3, 10000000000, 1.50, 7, 2.5, 0.5), (2, 1, 3, null, 3, 2.00, 3, 2, 4), (3, 2, 5, 7, -1, -1.25, 2, 1.5, 2), (4, 3, null, null, null, null, null, null, null)
select product(t) as t, product(i) as i, product(b) as b, product(d) as d, product(w) as w, product(m) as m, product(f) as f from factors
select g, product(t) as t, product(d) as d from factors group by g order by g
select product(distinct x) as d, product(all x) as a from (values (2), (2), (3), (null)) v (x)
select product(x) as n from (values (1)) v (x) where 1 = 0
select product(cast(x as smallmoney)) as m, product(cast(x as real)) as r, product(cast(x as smallint)) as s from (values (2), (4)) v (x)
go
--> (4 rows affected)
--> [t:int | i:int | b:bigint | d:decimal(38,6) | w:decimal(38,0) | m:money | f:float]
--> 30 | 21 | -30000000000 | -3.750000 | 42 | 7.5000 | 4.0
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [g:int | t:int | d:decimal(38,6)]
--> 1 | 6 | 3.000000
--> 2 | 5 | -1.250000
--> 3 | NULL | NULL
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
--> [d:int | a:int]
--> 6 | 12
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [n:int]
--> NULL
--> (1 rows affected)
--> [m:money | r:float | s:int]
--> 8.0000 | 8.0 | 8
--> (1 rows affected)
-- Over windows: the manual's example, and a product that runs
select instrument, product(1 + rate) over (partition by instrument) as compounded from (values (0.1626, 'instrumentA'), (0.0483, 'instrumentB'), (0.2689, 'instrumentC'), (-0.1944, 'instrumentA'), (0.2423, 'instrumentA')) t (rate, instrument) order by instrument
select x, product(x) over (order by x) as running, product(x) over (order by x rows between 1 preceding and current row) as two from (values (1), (2), (3), (4)) v (x)
go
--> [instrument:varchar(11) | compounded:numeric(38,6)]
--> instrumentA | 1.163527
--> instrumentA | 1.163527
--> instrumentA | 1.163527
--> instrumentB | 1.048300
--> instrumentC | 1.268900
--> (5 rows affected)
--> [x:int | running:int | two:int]
--> 1 | 1 | 1
--> 2 | 2 | 2
--> 3 | 6 | 6
--> 4 | 24 | 12
--> (4 rows affected)
-- Too large; a zero anywhere keeps it small
select product(x) as z from (values (100000), (0), (100000), (100000)) v (x)
select product(x) as n from (values (100000), (100000)) v (x)
go
--> [z:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> Msg 8115, Level 16, State 1, Line 3: Arithmetic overflow error converting expression to data type int.
select product(x) from (values ('a')) v (x)
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type varchar is invalid for product operator.
select product(cast(1 as bit))
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type bit is invalid for product operator.
select product(*) from factors
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '*'.
