-- Expressions over whole columns, against the same asked in another way: lists of texts as joins with their values, conversions as
-- sums of their parts, conditions that have something in common as joins.
create table dbo.words (id int not null primary key, word varchar(12) null, wide nvarchar(12) collate Latin1_General_BIN2 null, padded char(6) null,
    price decimal(9, 3) null, small decimal(30, 20) null, grp int null)
insert dbo.words select value, case value % 7 when 0 then null when 1 then 'Apple' when 2 then 'apple ' when 3 then 'PEAR' when 4 then '' when 5 then N'Straße' else 'x' end,
    case value % 5 when 0 then null when 1 then N'Apple' when 2 then N'apple' when 3 then N'Ärger' else N'ärger' end, left(concat(value % 3, 'ab'), value % 4),
    case when value % 9 = 0 then null else (value - 50) * 1.125 end, case when value % 8 = 0 then null else value / 3.0 end, value % 11 from generate_series(1, 120)
go
--> (120 rows affected)
select sum(case when word in ('APPLE', 'pear', 'fig', 'plum', 'kiwi', 'x') then 1 else 0 end) as many, sum(case when word in ('APPLE', 'pear') then 1 else 0 end) as few,
    sum(case when word not in ('APPLE', 'pear', 'fig', 'plum', 'kiwi', 'x') then 1 else 0 end) as others,
    sum(case when word not in ('APPLE', 'pear', 'fig', 'plum', null, 'x') then 1 else 0 end) as unknown, count(*) as n from dbo.words
select sum(case when m.v is not null then 1 else 0 end) as many, sum(case when m.v in ('apple', 'pear') then 1 else 0 end) as few,
    sum(case when m.v is null and w.word is not null then 1 else 0 end) as others, 0 as unknown, count(*) as n
from dbo.words w left join (values ('APPLE'), ('pear'), ('fig'), ('plum'), ('kiwi'), ('x')) m(v) on m.v = w.word
go
--> [many:int | few:int | others:int | unknown:int | n:int]
--> 69 | 52 | 34 | 0 | 120
--> (1 rows affected)
--> [many:int | few:int | others:int | unknown:int | n:int]
--> 69 | 52 | 34 | 0 | 120
--> (1 rows affected)
select count(*) as n, min(id) as first from dbo.words where wide in (N'apple', N'Ärger', N'ärger  ', N'a', N'b', N'c')
select count(*) as n, min(id) as first from dbo.words w join (values (N'apple'), (N'Ärger'), (N'ärger  '), (N'a'), (N'b'), (N'c')) m(v) on m.v collate Latin1_General_BIN2 = w.wide
go
--> [n:int | first:int]
--> 72 | 2
--> (1 rows affected)
--> [n:int | first:int]
--> 72 | 2
--> (1 rows affected)
select count(*) as n, sum(id) as ids from dbo.words where substring(padded, 1, 2) in ('0', '1a', '2a', '1', 'zz', '2')
select count(*) as n, sum(id) as ids from dbo.words w where exists (select * from (values ('0'), ('1a'), ('2a'), ('1'), ('zz'), ('2')) m(v) where m.v = substring(w.padded, 1, 2))
go
--> [n:int | ids:int]
--> 70 | 4230
--> (1 rows affected)
--> [n:int | ids:int]
--> 70 | 4230
--> (1 rows affected)
-- Decimals as floats; products of whole numbers and decimals; sums of cases.
select count(*) as n from dbo.words where cast(price as float) = cast(cast(price as varchar(30)) as float) and cast(small as float) = cast(cast(small as varchar(40)) as float)
select count(*) as n from dbo.words where price is not null and small is not null
go
--> [n:int]
--> 93
--> (1 rows affected)
--> [n:int]
--> 93
--> (1 rows affected)
select sum(grp * price) as product, sum(cast(case when grp - 3 > 2 and grp - 3 <= 6 then 1 else 0 end as bigint)) as within, max(cast(abs(price - grp) as float)) as most from dbo.words
select sum(product) as product, sum(within) as within, max(most) as most from (select grp * price as product, iif(grp in (6, 7, 8, 9), 1, 0) as within,
    case when price >= grp then price - grp else grp - price end as most from dbo.words) x
go
--> [product:decimal(38,3) | within:bigint | most:float]
--> 7362.000 | 44 | 68.75
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [product:decimal(38,3) | within:int | most:decimal(14,3)]
--> 7362.000 | 44 | 68.750
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- What can fail is evaluated where T-SQL comes to it.
select sum(case when grp = 0 then 0 else 100 / grp end) as n from dbo.words
go
--> [n:int]
--> 3201
--> (1 rows affected)
select sum(isnull(case when grp <> 0 then 100 / grp end, 0)) as n from dbo.words
go
--> [n:int]
--> 3201
--> (1 rows affected)
select sum(cast(100 / grp as bigint)) as n from dbo.words
go
--> [n:bigint]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
select coalesce(grp, 1 / (grp - grp)) as n from dbo.words where id = 1
go
--> [n:int]
--> 1
--> (1 rows affected)
-- A disjunction whose parts have a key in common.
select sum(n) as n, max(n) as most from (select (select count(*) from dbo.words y where y.grp = x.grp and y.price > 3 or y.grp = x.grp and y.word is null) as n from dbo.words x) q
select count(*) as n from dbo.words x join dbo.words y on y.grp = x.grp where y.price > 3 or y.word is null
go
--> [n:int | most:int]
--> 743 | 7
--> (1 rows affected)
--> [n:int]
--> 743
--> (1 rows affected)
select count(*) as n, sum(id) as ids from dbo.words x where exists (select * from dbo.words y where y.grp = x.grp and y.id < x.id - 100 or y.id < x.id - 60 and y.grp = x.grp and y.word = 'PEAR')
select count(*) as n, sum(id) as ids from dbo.words x where x.id in (select z.id from dbo.words z join dbo.words y on y.grp = z.grp and y.id < z.id - 100
    union select z.id from dbo.words z join dbo.words y on y.grp = z.grp and y.id < z.id - 60 and y.word = 'PEAR')
go
--> [n:int | ids:int]
--> 26 | 2649
--> (1 rows affected)
--> [n:int | ids:int]
--> 26 | 2649
--> (1 rows affected)
select count(*) as n, sum(id) as ids from dbo.words x where not exists (select * from dbo.words y where y.grp = x.grp and y.id < x.id - 100 or y.id < x.id - 60 and y.grp = x.grp and y.word = 'PEAR')
go
--> [n:int | ids:int]
--> 94 | 4611
--> (1 rows affected)
-- A list is looked through as far as a value is not found.
select count(*) as n from dbo.words where id = 3 and grp + 0 in (3, 1 / (grp - 3))
go
--> [n:int]
--> 1
--> (1 rows affected)
-- Both sides of a comparison are evaluated, whatever the other one is
create table zz (id int not null primary key, a int null, b int not null)
insert zz values (1, null, 0)
go
--> (1 rows affected)
select case when a = 1 / b or a is null then 1 end as c from zz
go
--> [c:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
select distinct id, case when a = 1 / b or a is null then 1 end as c from zz
go
--> [id:int | c:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
select id, max(x) as x from (select id, case when a <= 1 / b or a is null then 1 end as x from zz) q group by id
go
--> [id:int | x:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
declare @a int = null, @b int = 0 select case when @a = 1 / @b or @a is null then 1 end as c
go
--> [c:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
select case when a is null then 1 when a = 1 / b then 2 end as c from zz
go
--> [c:int]
--> 1
--> (1 rows affected)
drop table zz
go
