-- Joins of rows that are joins themselves and have constant columns: a condition over such a column speaks of one table.
create table one (a int not null)
create table two (b int not null)
create table three (c int not null)
insert one values (1), (2), (3)
insert two values (1), (2)
insert three values (10), (0)
go
--> (3 rows affected)
--> (2 rows affected)
--> (2 rows affected)
select x.a from one x join (select 2 k from two join three on 1 = 1) y on x.a = y.k
go
--> [a:int]
--> 2
--> 2
--> 2
--> 2
--> (4 rows affected)
select x.a from one x join (select cast(255 as tinyint) k from two join three on 1 = 1) y on x.a = y.k
go
--> [a:int]
--> (0 rows affected)
select x.a, y.c from one x join (select b, c, 3 k from two join three on b < c) y on x.a = y.k and y.b = 1
go
--> [a:int | c:int]
--> 3 | 10
--> (1 rows affected)
-- A condition that can fail stands at the join.
select x.a, y.c from one x join (select c, 10 k from two join three on b = 1) y on x.a = y.k / nullif(y.c, 0) + 1
go
--> [a:int | c:int]
--> 2 | 10
--> (1 rows affected)
select x.a, y.c from (select c, 10 k from two join three on b = 2) y join one x on 10 / x.a = y.k
go
--> [a:int | c:int]
--> 1 | 10
--> 1 | 0
--> (2 rows affected)
select x.a, y.k, z.c from one x join (select 'p' k, b from two join three on b = c - 9) y on x.a = y.b join three z on y.k = 'q'
go
--> [a:int | k:varchar(1) | c:int]
--> (0 rows affected)
select x.a, y.k, z.c from one x join (select 'p' k, b from two join three on b = c - 9) y on x.a = y.b join three z on y.k = 'p'
go
--> [a:int | k:varchar(1) | c:int]
--> 1 | p | 10
--> 1 | p | 0
--> (2 rows affected)
select count(*) n from one x join (select 1 k from two join three on 1 = 1) y on x.a >= y.k where x.a <= y.k + 1
go
--> [n:int]
--> 8
--> (1 rows affected)
update x set a = a + 100 from one x join (select 3 k from two join three on 1 = 1) y on x.a = y.k
delete x from one x join (select 1 k from two join three on 1 = 1) y on x.a = y.k
select a from one order by a
go
--> (1 rows affected)
--> (1 rows affected)
--> [a:int]
--> 2
--> 103
--> (2 rows affected)
