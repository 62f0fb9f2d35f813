-- Two conversions of one column, or two collations of one text, are two expressions: in GROUP BY, its sets, in windows' orders and
-- partitions, in DISTINCT aggregates and in ORDER BY. What is selected beside a group is that group, or 8120, 8121 and 8127.
-- differs parameters: each constant is a variable of its own, so what is selected is not what is grouped
-- differs temporary: the messages name the table
create table t (id int not null, d datetime not null, s varchar(5) not null)
insert t values (1, '2020-01-03T08:00:00', 'a'), (2, '2020-01-01T10:00:00', 'A'), (3, '2020-01-01T09:00:00', 'b'),
    (4, '2020-01-02T09:00:00', 'B'), (5, '2020-01-03T07:00:00', 'a')
go
--> (5 rows affected)
-- The moments by their dates: 3 before 2 only by id, 1 and 5 last; by their hours: 5, 1, 3 and 4, 2.
select id, row_number() over (order by cast(d as date), id) a, row_number() over (order by cast(d as time(0)), id) b from t order by id
go
--> [id:int | a:bigint | b:bigint]
--> 1 | 4 | 2
--> 2 | 1 | 5
--> 3 | 2 | 3
--> 4 | 3 | 4
--> 5 | 5 | 1
--> (5 rows affected)
-- Without case a A a b B, by their bytes A B a a b.
select id, row_number() over (order by s, id) a, row_number() over (order by s collate Latin1_General_BIN2, id) b from t order by id
go
--> [id:int | a:bigint | b:bigint]
--> 1 | 1 | 3
--> 2 | 2 | 1
--> 3 | 4 | 5
--> 4 | 5 | 2
--> 5 | 3 | 4
--> (5 rows affected)
select id, count(*) over (partition by s) a, count(*) over (partition by s collate Latin1_General_BIN2) b from t order by id
go
--> [id:int | a:int | b:int]
--> 1 | 3 | 2
--> 2 | 3 | 1
--> 3 | 2 | 1
--> 4 | 2 | 1
--> 5 | 3 | 2
--> (5 rows affected)
select cast(d as date) x, cast(d as time(0)) y, count(*) n from t group by cast(d as date), cast(d as time(0)) order by x, y
go
--> [x:date | y:time(0) | n:int]
--> 2020-01-01 | 09:00:00 | 1
--> 2020-01-01 | 10:00:00 | 1
--> 2020-01-02 | 09:00:00 | 1
--> 2020-01-03 | 07:00:00 | 1
--> 2020-01-03 | 08:00:00 | 1
--> (5 rows affected)
select convert(char(7), d, 120) m, convert(char(10), d, 120) day, count(*) n from t
group by convert(char(7), d, 120), convert(char(10), d, 120) order by day
go
--> [m:char(7) | day:char(10) | n:int]
--> 2020-01 | 2020-01-01 | 2
--> 2020-01 | 2020-01-02 | 1
--> 2020-01 | 2020-01-03 | 2
--> (3 rows affected)
select cast(id * 100 as varchar(2)) y, cast(id * 100 as varchar(5)) x from t group by cast(id * 100 as varchar(2)), cast(id * 100 as varchar(5)) order by x
go
--> [y:varchar(2) | x:varchar(5)]
--> * | 100
--> * | 200
--> * | 300
--> * | 400
--> * | 500
--> (5 rows affected)
select cast(d as date) x, count(*) n from t group by cast(d as date), cast(d as time(0)) having cast(d as time(0)) >= '09:00' order by x
go
--> [x:date | n:int]
--> 2020-01-01 | 1
--> 2020-01-01 | 1
--> 2020-01-02 | 1
--> (3 rows affected)
select cast(d as date) x, cast(d as time(0)) y, count(*) n from t group by rollup (cast(d as date), cast(d as time(0)))
having grouping(cast(d as time(0))) = 1 order by x
go
--> [x:date | y:time(0) | n:int]
--> NULL | NULL | 5
--> 2020-01-01 | NULL | 2
--> 2020-01-02 | NULL | 1
--> 2020-01-03 | NULL | 2
--> (4 rows affected)
select count(distinct s) a, count(distinct s collate Latin1_General_BIN2) b, count(distinct cast(d as date)) c, count(distinct cast(d as time(0))) e from t
go
--> [a:int | b:int | c:int | e:int]
--> 2 | 4 | 3 | 4
--> (1 rows affected)
select s collate Latin1_General_BIN2 x, count(*) n from t group by s collate Latin1_General_BIN2 order by x
go
--> [x:varchar(5) | n:int]
--> A | 1
--> B | 1
--> a | 2
--> b | 1
--> (4 rows affected)
-- Another collation of what is grouped is an expression over the group.
select upper(min(s)) x, count(*) n from t group by s having s collate Latin1_General_BIN2 <> 'z' order by n
go
--> [x:varchar(5) | n:int]
--> B | 2
--> A | 3
--> (2 rows affected)
select cast(d as time(0)) from t group by cast(d as date)
go
--> Msg 8120, Level 16, State 1, Line 1: Column 't.d' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select convert(char(10), d, 120), count(*) from t group by convert(char(7), d, 120)
go
--> Msg 8120, Level 16, State 1, Line 1: Column 't.d' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select s from t group by s collate Latin1_General_BIN2
go
--> Msg 8120, Level 16, State 1, Line 1: Column 't.s' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select count(*) from t group by cast(d as date) having cast(d as time(0)) > '09:00'
go
--> Msg 8121, Level 16, State 1, Line 1: Column 't.d' is invalid in the HAVING clause because it is not contained in either an aggregate function or the GROUP BY clause.
select count(*) from t group by cast(d as date) order by cast(d as time(0))
go
--> Msg 8127, Level 16, State 1, Line 1: Column "t.d" is invalid in the ORDER BY clause because it is not contained in either an aggregate function or the GROUP BY clause.
select distinct s from t order by s collate Latin1_General_BIN2
go
--> Msg 145, Level 15, State 1, Line 1: ORDER BY items must appear in the select list if SELECT DISTINCT is specified.
