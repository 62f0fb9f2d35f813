-- COLLATE of a column that a derived table or a view only hands on.
create table five(x varchar(10) collate Latin1_General_CI_AS, k int);
insert five values('a',1),('A',2),('b',3);
select distinct x collate Latin1_General_BIN2 y from five order by y;
select distinct n collate Latin1_General_BIN2 y from (select x n from five) z order by y;
select y from (select n collate Latin1_General_BIN2 y from (select x n from five) z) w group by y order by y;
select n collate Latin1_General_BIN2 x from (select x n from five) a union select 'c' collate Latin1_General_BIN2 order by x;
select n collate Latin1_General_BIN2 y from (select x n from five) z except select 'a' collate Latin1_General_BIN2 order by y;
select n collate Latin1_General_BIN2 y from (select x n from five) z intersect select 'a' collate Latin1_General_BIN2;
select distinct n collate Latin1_General_BIN2 y from (select top 3 x n from five order by k) z order by y;
select distinct n collate Latin1_General_BIN2 y from (select max(x) n from five group by k) z order by y;
select count(*) as n from (select x n from five) z where n collate Latin1_General_BIN2 = 'a';
go
--> (3 rows affected)
--> [y:varchar(10)]
--> A
--> a
--> b
--> (3 rows affected)
--> [y:varchar(10)]
--> A
--> a
--> b
--> (3 rows affected)
--> [y:varchar(10)]
--> A
--> a
--> b
--> (3 rows affected)
--> [x:varchar(10)]
--> A
--> a
--> b
--> c
--> (4 rows affected)
--> [y:varchar(10)]
--> A
--> b
--> (2 rows affected)
--> [y:varchar(10)]
--> a
--> (1 rows affected)
--> [y:varchar(10)]
--> A
--> a
--> b
--> (3 rows affected)
--> [y:varchar(10)]
--> A
--> a
--> b
--> (3 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
create view dbo.through_one as select x collate Latin1_General_BIN2 x from five;
go
create view dbo.through_two as select x collate Latin1_General_CI_AS x from dbo.through_one;
go
select lower(x) as x from dbo.through_two union select lower(x) from dbo.through_two order by x;
select count(*) as n from (select distinct x from dbo.through_two) z;
select count(*) as n from (select distinct x from dbo.through_one) z;
go
--> [x:varchar(10)]
--> a
--> b
--> (2 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 3
--> (1 rows affected)
