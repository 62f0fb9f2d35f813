-- Grouping sets of which each has groups that the one before has are made of each other where there are many groups. Each is compared with the
-- groups of each set by themselves: no row may be in one answer alone.
create table sold(id int not null primary key, item int not null, shop varchar(12) collate Latin1_General_CI_AS null, kind nvarchar(10) null, day date not null,
    qty int null, price decimal(9, 2) null, rate float null, small tinyint not null, note varchar(20) null);
insert sold select value, value * 7 % 1250, case value % 9 when 0 then null when 1 then 'SHOP 2' else concat('shop ', value % 9) end,
    case when value % 5 = 0 then null else concat(N'kind ', value % 4) end, dateadd(day, value % 3, '2024-02-28'),
    case when value % 13 = 0 then null else value % 100 - 45 end, case when value % 11 = 0 then null else value % 500 / 10.0 end,
    case when value % 3 = 0 then null else value % 64 end, value % 200, case when value % 17 = 0 then null else concat('n', value % 30) end
from generate_series(1, 1250);
create table answer_a(c1 nvarchar(40), c2 nvarchar(40), c3 nvarchar(40), c4 nvarchar(40), c5 nvarchar(40), c6 nvarchar(40));
create table answer_b(c1 nvarchar(40), c2 nvarchar(40), c3 nvarchar(40), c4 nvarchar(40), c5 nvarchar(40), c6 nvarchar(40));
go
--> (1250 rows affected)
create procedure compare @what varchar(60), @sets nvarchar(max), @plain nvarchar(max) as
begin
    set nocount on;
    set ansi_warnings off;
    truncate table dbo.answer_a;
    truncate table dbo.answer_b;
    insert dbo.answer_a exec (@sets);
    insert dbo.answer_b exec (@plain);
    select @what as what, count(*) as found, count(c1) as c1, count(c2) as c2, count(distinct c3) as c3,
        (select count(*) from (select * from dbo.answer_a except select * from dbo.answer_b) x)
        + (select count(*) from (select * from dbo.answer_b except select * from dbo.answer_a) x)
        + abs((select count(*) from dbo.answer_a) - (select count(*) from dbo.answer_b)) as differing
    from dbo.answer_a;
end
go
exec compare 'three groups', 'select item, upper(shop), kind, sum(qty), count(*), grouping_id(item, shop, kind) from dbo.sold group by rollup(item, shop, kind)',
    'select item, upper(shop), kind, sum(qty), count(*), 0 from dbo.sold group by item, shop, kind union all select item, upper(shop), null, sum(qty), count(*), 1 from dbo.sold group by item, shop
     union all select item, null, null, sum(qty), count(*), 3 from dbo.sold group by item union all select null, null, null, sum(qty), count(*), 7 from dbo.sold';
exec compare 'averages', 'select item, kind, day, avg(price), avg(qty), avg(rate) from dbo.sold group by item, kind, day with rollup',
    'select item, kind, day, avg(price), avg(qty), avg(rate) from dbo.sold group by item, kind, day union all select item, kind, null, avg(price), avg(qty), avg(rate) from dbo.sold group by item, kind
     union all select item, null, null, avg(price), avg(qty), avg(rate) from dbo.sold group by item union all select null, null, null, avg(price), avg(qty), avg(rate) from dbo.sold';
exec compare 'ends of texts', 'select item, day, min(note), max(note), count(note), count_big(*) from dbo.sold group by rollup(day, item)',
    'select item, day, min(note), max(note), count(note), count_big(*) from dbo.sold group by item, day union all select null, day, min(note), max(note), count(note), count_big(*) from dbo.sold group by day
     union all select null, null, min(note), max(note), count(note), count_big(*) from dbo.sold';
exec compare 'two groups as one', 'select item, day, kind, sum(price), sum(small), avg(small) from dbo.sold group by rollup((item, day), kind)',
    'select item, day, kind, sum(price), sum(small), avg(small) from dbo.sold group by item, day, kind union all select item, day, null, sum(price), sum(small), avg(small) from dbo.sold group by item, day
     union all select null, null, null, sum(price), sum(small), avg(small) from dbo.sold';
exec compare 'sets', 'select item, day, kind, sum(qty), grouping(day), grouping(kind) from dbo.sold group by grouping sets ((kind, item, day), (kind, item), (item), (item))',
    'select item, day, kind, sum(qty), 0, 0 from dbo.sold group by item, day, kind union all select item, null, kind, sum(qty), 1, 0 from dbo.sold group by item, kind
     union all select item, null, null, sum(qty), 1, 1 from dbo.sold group by item union all select item, null, null, sum(qty), 1, 1 from dbo.sold group by item';
exec compare 'sets without the whole', 'select item, kind, null, sum(qty), min(day), max(price) from dbo.sold group by grouping sets ((item, kind), (kind), ())',
    'select item, kind, null, sum(qty), min(day), max(price) from dbo.sold group by item, kind union all select null, kind, null, sum(qty), min(day), max(price) from dbo.sold group by kind
     union all select null, null, null, sum(qty), min(day), max(price) from dbo.sold';
exec compare 'expressions', 'select item / 2, left(note, 2), year(day), sum(qty * 2), count(*), null from dbo.sold group by rollup(item / 2, left(note, 2), year(day))',
    'select item / 2, left(note, 2), year(day), sum(qty * 2), count(*), null from dbo.sold group by item / 2, left(note, 2), year(day) union all select item / 2, left(note, 2), null, sum(qty * 2), count(*), null from dbo.sold group by item / 2, left(note, 2)
     union all select item / 2, null, null, sum(qty * 2), count(*), null from dbo.sold group by item / 2 union all select null, null, null, sum(qty * 2), count(*), null from dbo.sold';
exec compare 'having', 'select item, shop, kind, sum(qty), count(*), null from dbo.sold group by rollup(item, shop, kind) having sum(qty) > 20 and grouping(shop) = 0 or grouping(item) = 1',
    'select item, shop, kind, sum(qty), count(*), null from dbo.sold group by item, shop, kind having sum(qty) > 20 union all select item, shop, null, sum(qty), count(*), null from dbo.sold group by item, shop having sum(qty) > 20
     union all select null, null, null, sum(qty), count(*), null from dbo.sold';
exec compare 'twice', 'with x as (select item, day, kind, sum(qty) s from dbo.sold group by rollup(item, day, kind)) select a.item, a.day, a.kind, a.s, b.s, null from x a join x b on b.item = a.item and b.day is null where a.kind is not null',
    'with x as (select item, day, kind, sum(qty) s from dbo.sold group by item, day, kind), y as (select item, sum(qty) s from dbo.sold group by item) select a.item, a.day, a.kind, a.s, b.s, null from x a join y b on b.item = a.item where a.kind is not null';
exec compare 'no rows', 'select item, day, kind, sum(qty), count(*), null from dbo.sold where qty > 1000 group by rollup(item, day, kind)',
    'select item, day, kind, sum(qty), count(*), null from dbo.sold where qty > 1000 group by item, day, kind union all select null, null, null, sum(qty), count(*), null from dbo.sold where qty > 1000';
go
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> three groups | 3751 | 3750 | 2224 | 4 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> averages | 3751 | 3750 | 2000 | 3 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> ends of texts | 1254 | 1250 | 1253 | 30 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> two groups as one | 2501 | 2500 | 2500 | 4 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> sets | 5000 | 5000 | 1250 | 4 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> sets without the whole | 1256 | 1250 | 1004 | 0 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> expressions | 2570 | 2569 | 1850 | 1 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> having | 753 | 752 | 666 | 4 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> twice | 1000 | 1000 | 1000 | 4 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> no rows | 1 | 0 | 0 | 0 | 0
-- What an int cannot hold is an error, also of a mean whose sum it cannot.
select count(*) as n from (select item, day, kind, sum(abs(qty) * 200000) as s from dbo.sold group by rollup(item, day, kind)) x where s > 0;
go
--> [n:int]
--> Msg 8115, Level 16, State 1, Line 2: Arithmetic overflow error converting expression to data type int.
select count(*) as n from (select item, day, kind, avg(abs(qty) * 200000) as s from dbo.sold group by rollup(item, day, kind)) x where s > 0;
go
--> [n:int]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
