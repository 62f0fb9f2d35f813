-- Two conversions of one column, or two collations of one text, are two expressions: in GROUP BY, its sets, in windows' orders and
-- partitions, in DISTINCT aggregates and in ORDER BY. What is selected beside a group is that group, or 8120, 8121 and 8127.
create table t (id int not null, d datetime not null, s varchar(5) not null)
insert t values (1, '2020-01-03T08:00:00', 'a'), (2, '2020-01-01T10:00:00', 'A'), (3, '2020-01-01T09:00:00', 'b'),
    (4, '2020-01-02T09:00:00', 'B'), (5, '2020-01-03T07:00:00', 'a')
go
-- The moments by their dates: 3 before 2 only by id, 1 and 5 last; by their hours: 5, 1, 3 and 4, 2.
select id, row_number() over (order by cast(d as date), id) a, row_number() over (order by cast(d as time(0)), id) b from t order by id
go
-- Without case a A a b B, by their bytes A B a a b.
select id, row_number() over (order by s, id) a, row_number() over (order by s collate Latin1_General_BIN2, id) b from t order by id
go
select id, count(*) over (partition by s) a, count(*) over (partition by s collate Latin1_General_BIN2) b from t order by id
go
select cast(d as date) x, cast(d as time(0)) y, count(*) n from t group by cast(d as date), cast(d as time(0)) order by x, y
go
select convert(char(7), d, 120) m, convert(char(10), d, 120) day, count(*) n from t
group by convert(char(7), d, 120), convert(char(10), d, 120) order by day
go
select cast(id * 100 as varchar(2)) y, cast(id * 100 as varchar(5)) x from t group by cast(id * 100 as varchar(2)), cast(id * 100 as varchar(5)) order by x
go
select cast(d as date) x, count(*) n from t group by cast(d as date), cast(d as time(0)) having cast(d as time(0)) >= '09:00' order by x
go
select cast(d as date) x, cast(d as time(0)) y, count(*) n from t group by rollup (cast(d as date), cast(d as time(0)))
having grouping(cast(d as time(0))) = 1 order by x
go
select count(distinct s) a, count(distinct s collate Latin1_General_BIN2) b, count(distinct cast(d as date)) c, count(distinct cast(d as time(0))) e from t
go
select s collate Latin1_General_BIN2 x, count(*) n from t group by s collate Latin1_General_BIN2 order by x
go
-- Another collation of what is grouped is an expression over the group.
select count(*) n, min(s) collate Latin1_General_BIN2 x from t group by s order by s collate Latin1_General_BIN2
go
select cast(d as time(0)) from t group by cast(d as date)
go
select convert(char(10), d, 120), count(*) from t group by convert(char(7), d, 120)
go
select s from t group by s collate Latin1_General_BIN2
go
select count(*) from t group by cast(d as date) having cast(d as time(0)) > '09:00'
go
select count(*) from t group by cast(d as date) order by cast(d as time(0))
go
select distinct s from t order by s collate Latin1_General_BIN2
go
