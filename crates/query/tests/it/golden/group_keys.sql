-- Rows of a large table that are grouped by texts of small ones are grouped by the small ones' keys first. Each statement is asked a
-- second time of heaps of the same rows, which have no keys: no row may be in one answer alone.
create table people_heap(id int not null, family int null, name varchar(30) collate Latin1_General_CI_AS not null, nick nvarchar(30) null,
    town varchar(20) null, born date null, rank decimal(9, 2) not null);
insert people_heap select value, case when value % 7 = 0 then null else value % 40 end,
    case value % 3 when 0 then 'ann' when 1 then 'ANN' else concat('bob', value % 50) end,
    case when value % 5 = 0 then null else concat(N'nick ', value % 60) end, case when value % 4 = 0 then null else concat('town ', value % 9) end,
    dateadd(day, value % 100, '2000-01-01'), value % 10
from generate_series(1, 300);
create table things_heap(a smallint not null, b date not null, label char(12) not null, kind varchar(8) null);
insert things_heap select value % 20, dateadd(day, value / 20, '2020-01-01'), concat('label ', value % 90), case when value % 6 = 0 then null else concat('k', value % 4) end
from generate_series(0, 199);
create table people(id int not null primary key, family int null, name varchar(30) collate Latin1_General_CI_AS not null, nick nvarchar(30) null,
    town varchar(20) null, born date null, rank decimal(9, 2) not null);
insert people select * from people_heap;
create table things(a smallint not null, b date not null, label char(12) not null, kind varchar(8) null, primary key (b, a));
insert things select * from things_heap;
create table families(id int not null primary key, name varchar(20) not null, land varchar(10) null);
insert families select value, concat('family ', value % 30), concat('land ', value % 5) from generate_series(0, 39);
create table sold(id int not null primary key, who int null, a smallint null, b date null, qty int null, price decimal(9, 2) null, rate float null, cost money null, big bigint null, mark char(2) null);
insert sold select value, case when value % 17 = 0 then null else value * 31 % 330 end, value % 23, dateadd(day, value % 12, '2020-01-01'),
    case when value % 13 = 0 then null else value % 100 - 40 end, case when value % 11 = 0 then null else value % 500 / 10.0 end,
    case when value % 3 = 0 then null else value % 64 end, value % 90 - 30, cast(value as bigint) * 1000000000, case value % 4 when 0 then 'a' when 1 then 'A' when 2 then 'b' end
from generate_series(1, 2600);
create table answer_a(c1 nvarchar(60), c2 nvarchar(60), c3 nvarchar(60), c4 nvarchar(60), c5 nvarchar(60));
create table answer_b(c1 nvarchar(60), c2 nvarchar(60), c3 nvarchar(60), c4 nvarchar(60), c5 nvarchar(60));
go
--> (300 rows affected)
--> (200 rows affected)
--> (300 rows affected)
--> (200 rows affected)
--> (40 rows affected)
--> (2600 rows affected)
-- A text with @people and @things for the small tables.
create procedure compare @what varchar(60), @text nvarchar(max) as
begin
    declare @keys nvarchar(max) = replace(replace(@text, '@people', 'dbo.people'), '@things', 'dbo.things'),
        @heaps nvarchar(max) = replace(replace(@text, '@people', 'dbo.people_heap'), '@things', 'dbo.things_heap');
    set nocount on;
    set ansi_warnings off;
    truncate table dbo.answer_a;
    truncate table dbo.answer_b;
    insert dbo.answer_a exec (@keys);
    insert dbo.answer_b exec (@heaps);
    select @what as what, count(*) as found, count(c1) as c1, count(distinct c2) as c2, count(distinct c3) as c3,
        (select count(*) from (select * from dbo.answer_a except select * from dbo.answer_b) x)
        + (select count(*) from (select * from dbo.answer_b except select * from dbo.answer_a) x)
        + abs((select count(*) from dbo.answer_a) - (select count(*) from dbo.answer_b)) as differing
    from dbo.answer_a;
end
go
exec compare 'one table', 'select upper(p.name), sum(s.qty), count(*), count(s.price), max(s.id) from dbo.sold s join @people p on p.id = s.who group by p.name';
exec compare 'names that differ', 'select p.nick, sum(s.price), avg(s.price), min(s.price), max(s.price) from dbo.sold s join @people p on p.id = s.who group by p.nick';
exec compare 'two columns', 'select p.nick, p.town, avg(s.rate), sum(s.rate), count(*) from dbo.sold s join @people p on p.id = s.who group by p.town, p.nick';
exec compare 'with a column of the rows', 'select p.town, s.b, sum(s.qty), count_big(*), null from dbo.sold s join @people p on p.id = s.who group by p.town, s.b';
exec compare 'with an expression of the rows', 'select p.town, s.qty % 3, sum(s.qty), avg(s.price), null from dbo.sold s join @people p on p.id = s.who group by p.town, s.qty % 3';
exec compare 'expressions of the table', 'select left(p.nick, 6), year(p.born), sum(s.qty), null, null from dbo.sold s join @people p on p.id = s.who group by left(p.nick, 6), year(p.born)';
exec compare 'an expression of both', 'select concat(p.town, s.a % 2), sum(s.qty), count(*), null, null from dbo.sold s join @people p on p.id = s.who group by concat(p.town, s.a % 2)';
exec compare 'the key too', 'select p.id, p.nick, p.town, sum(s.qty), count(*) from dbo.sold s join @people p on p.id = s.who group by p.id, p.nick, p.town';
exec compare 'the other side of the key', 'select s.who, p.nick, sum(s.qty), count(*), null from dbo.sold s join @people p on p.id = s.who group by s.who, p.nick';
exec compare 'a key of two columns', 'select t.label, t.kind, sum(s.qty), count(*), min(s.rate) from dbo.sold s join @things t on t.a = s.a and t.b = s.b group by t.kind, t.label';
exec compare 'a key of two columns too', 'select t.a, t.b, t.label, min(s.id), count(*) from dbo.sold s join @things t on t.a = s.a and t.b = s.b group by t.a, t.kind, t.label, t.b';
exec compare 'other collations', 'select p.name collate Latin1_General_BIN2, p.nick collate Latin1_General_CS_AS, sum(s.qty), count(*), null from dbo.sold s join @people p on p.id = s.who group by p.name collate Latin1_General_BIN2, p.nick collate Latin1_General_CS_AS';
exec compare 'distinct in another collation', 'select distinct p.name collate Latin1_General_BIN2, s.b, null, null, null from dbo.sold s join @people p on p.id = s.who';
exec compare 'both collations', 'select min(x.n), x.m, sum(x.qty), null, null from (select p.name n, p.name collate Latin1_General_BIN2 m, s.qty from dbo.sold s join @people p on p.id = s.who) x group by x.m, x.n';
exec compare 'what texts of the rows are beside', 'select concat(p.town, ascii(s.mark)), count(*), sum(s.qty), null, null from dbo.sold s join @people p on p.id = s.who group by concat(p.town, ascii(s.mark))';
exec compare 'half of a key', 'select t.a, t.label, min(s.id), count(*), null from dbo.sold s join @things t on t.a = s.a and t.b = s.b group by t.a, t.label';
exec compare 'distinct with the key', 'select distinct p.id, p.nick, upper(p.name), s.b, null from dbo.sold s join @people p on p.id = s.who';
exec compare 'padded with the key', 'select p.id, p.nick, count(*), min(s.id), null from dbo.sold s left join @people p on p.id = s.who group by p.id, p.nick';
exec compare 'nearly as many as rows', 'select p.id, s.id, left(p.nick, 5), p.name, sum(s.qty) from dbo.sold s join @people p on p.id = s.who group by p.id, s.id, left(p.nick, 5), p.name having count(*) > 0';
exec compare 'two tables', 'select t.kind, p.town, sum(s.qty), count(*), avg(s.price) from dbo.sold s join @things t on t.a = s.a and t.b = s.b join @people p on p.id = s.who group by p.town, t.kind';
exec compare 'a table of a table', 'select f.name, p.town, sum(s.qty), count(*), avg(s.price) from dbo.sold s join @people p on p.id = s.who join dbo.families f on f.id = p.family group by f.name, p.town';
exec compare 'filters', 'select p.nick, t.kind, sum(s.qty), count(*), sum(s.price) from dbo.sold s join @people p on p.id = s.who join @things t on t.a = s.a and t.b = s.b where p.born < ''2000-03-01'' and t.label like ''label 1%'' and s.qty > 3 group by p.nick, t.kind';
exec compare 'a condition on both', 'select p.nick, sum(s.qty), count(*), sum(s.price), null from dbo.sold s join @people p on p.id = s.who and p.rank * 10 > s.qty group by p.nick';
exec compare 'an argument of the table', 'select p.town, sum(case when p.nick is null then s.qty else 0 end), sum(p.rank * s.qty), max(p.name), min(p.born) from dbo.sold s join @people p on p.id = s.who group by p.town';
exec compare 'no partner', 'select p.nick, count(*), count(s.id), sum(s.qty), null from dbo.sold s left join @people p on p.id = s.who group by p.nick';
exec compare 'all of the table', 'select p.nick, count(*), count(s.id), sum(s.qty), null from @people p left join dbo.sold s on p.id = s.who group by p.nick';
exec compare 'a left join beside', 'select p.nick, count(*), count(t.label), sum(s.qty), null from dbo.sold s join @people p on p.id = s.who left join @things t on t.a = s.a and t.b = s.b group by p.nick';
exec compare 'full', 'select p.nick, count(*), count(s.id), sum(s.qty), null from dbo.sold s full join @people p on p.id = s.who group by p.nick';
exec compare 'distinct', 'select distinct p.name, p.town, s.b, null, null from dbo.sold s join @people p on p.id = s.who';
exec compare 'distinct of expressions', 'select distinct left(p.nick, 7), s.qty % 2, year(p.born), null, null from dbo.sold s join @people p on p.id = s.who';
exec compare 'distinct twice', 'select distinct p.nick, q.nick, null, null, null from dbo.sold s join @people p on p.id = s.who join @people q on q.id = s.qty';
exec compare 'a table twice', 'select p.town, q.town, sum(s.price), count(*), null from dbo.sold s join @people p on p.id = s.who join @people q on q.id = s.qty group by p.town, q.town';
exec compare 'a derived table', 'select x.n, sum(x.v), count(*), null, null from (select upper(p.nick) n, s.qty * 2 v, p.rank r from dbo.sold s join @people p on p.id = s.who where s.a < 20) x where x.r < 7 group by x.n';
exec compare 'a CTE twice', 'with x as (select p.nick n, s.b d, sum(s.qty) v from dbo.sold s join @people p on p.id = s.who group by p.nick, s.b) select a.n, a.d, a.v, b.v, null from x a join x b on a.n = b.n and b.d > a.d';
exec compare 'rollup', 'select p.town, p.nick, sum(s.qty), avg(s.price), count(*) from dbo.sold s join @people p on p.id = s.who group by rollup(p.town, p.nick)';
exec compare 'cube', 'select p.town, t.kind, sum(s.qty), avg(s.rate), grouping_id(p.town, t.kind) from dbo.sold s join @people p on p.id = s.who join @things t on t.a = s.a and t.b = s.b group by cube(p.town, t.kind)';
exec compare 'having', 'select p.nick, sum(s.qty), count(*), null, null from dbo.sold s join @people p on p.id = s.who group by p.nick having sum(s.qty) > 900 and count(*) % 2 = 0';
exec compare 'over groups', 'select p.town, p.nick, sum(s.qty), rank() over (partition by p.town order by sum(s.qty), p.nick), null from dbo.sold s join @people p on p.id = s.who group by p.town, p.nick';
exec compare 'count distinct', 'select p.nick, count(distinct s.qty), sum(s.qty), null, null from dbo.sold s join @people p on p.id = s.who group by p.nick';
exec compare 'other aggregates', 'select p.nick, round(stdev(s.rate), 6), checksum_agg(s.id), avg(s.qty), avg(s.cost) from dbo.sold s join @people p on p.id = s.who group by p.nick';
exec compare 'sums of other types', 'select p.town, sum(s.big), sum(s.cost), sum(cast(s.a as bigint)), sum(cast(s.price as decimal(38, 4))) from dbo.sold s join @people p on p.id = s.who group by p.town';
exec compare 'exists beside', 'select p.nick, sum(s.qty), count(*), null, null from dbo.sold s join @people p on p.id = s.who where exists (select 1 from dbo.families f where f.id = p.family and f.land = ''land 1'') group by p.nick';
exec compare 'a subquery', 'select p.nick, (select max(f.name) from dbo.families f where f.id = p.family), sum(s.qty), null, null from dbo.sold s join @people p on p.id = s.who group by p.nick, p.family';
exec compare 'union', 'select p.nick, sum(s.qty), 1, null, null from dbo.sold s join @people p on p.id = s.who group by p.nick union all select p.town, max(s.qty), 2, null, null from dbo.sold s join @people p on p.id = s.who group by p.town';
exec compare 'joined like one table', 'select p.nick, sum(s.qty), count(*), null, null from dbo.sold s, @people p, dbo.families f where p.id = s.who and f.id = p.family and f.land <> ''land 3'' group by p.nick';
go
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> one table | 51 | 51 | 41 | 4 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> names that differ | 49 | 48 | 49 | 49 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> two columns | 130 | 120 | 9 | 66 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> with a column of the rows | 42 | 36 | 12 | 41 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> with an expression of the rows | 60 | 54 | 5 | 49 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> expressions of the table | 10 | 9 | 1 | 10 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> an expression of both | 20 | 20 | 20 | 14 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> the key too | 300 | 300 | 48 | 9 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> the other side of the key | 300 | 300 | 48 | 130 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> a key of two columns | 165 | 165 | 4 | 103 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> a key of two columns too | 200 | 200 | 10 | 90 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> other collations | 124 | 124 | 48 | 98 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> distinct in another collation | 108 | 108 | 12 | 0 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> both collations | 52 | 52 | 51 | 42 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> what texts of the rows are beside | 38 | 38 | 19 | 37 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> half of a key | 180 | 180 | 90 | 180 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> distinct with the key | 600 | 600 | 48 | 51 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> padded with the key | 301 | 300 | 48 | 4 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> nearly as many as rows | 2227 | 2227 | 2227 | 1 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> two tables | 50 | 40 | 9 | 48 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> a table of a table | 182 | 182 | 9 | 123 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> filters | 59 | 54 | 4 | 31 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> a condition on both | 49 | 48 | 47 | 18 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> an argument of the table | 10 | 9 | 10 | 10 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> no partner | 49 | 48 | 5 | 5 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> all of the table | 49 | 48 | 5 | 5 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> a left join beside | 49 | 48 | 5 | 19 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> full | 49 | 48 | 5 | 5 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> distinct | 228 | 228 | 9 | 12 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> distinct of expressions | 124 | 120 | 3 | 1 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> distinct twice | 288 | 287 | 48 | 0 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> a table twice | 100 | 90 | 9 | 100 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> a derived table | 31 | 30 | 28 | 13 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> a CTE twice | 48 | 48 | 6 | 42 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> rollup | 141 | 126 | 48 | 115 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> cube | 66 | 54 | 4 | 64 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> having | 1 | 0 | 1 | 1 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> over groups | 130 | 117 | 48 | 104 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> count distinct | 49 | 48 | 3 | 44 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> other aggregates | 49 | 48 | 33 | 49 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> sums of other types | 10 | 9 | 10 | 10 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> exists beside | 12 | 12 | 11 | 6 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> a subquery | 139 | 130 | 30 | 115 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> union | 59 | 57 | 46 | 2 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | c3:int | differing:int]
--> joined like one table | 37 | 36 | 34 | 9 | 0
-- A part that its type cannot hold is none of the result; a result that its type cannot hold is an error.
create table much(who int not null, v int not null, w bigint not null);
insert much select case when value % 2 = 0 then 3 else 6 end, case when value % 2 = 0 then 2000000 else -2000000 end, case when value % 2 = 0 then 9000000000000000 else -9000000000000000 end from generate_series(1, 2400);
select p.name, sum(m.v) as v, min(m.v) as least from much m join people p on p.id = m.who group by p.name;
select p.name, avg(m.v) as mean, count(*) as n from much m join people p on p.id = m.who group by p.name;
select p.name, sum(m.w) as w from much m join people p on p.id = m.who group by p.name;
go
--> (2400 rows affected)
--> [name:varchar(30) | v:int | least:int]
--> ann | 0 | -2000000
--> (1 rows affected)
--> [name:varchar(30) | mean:int | n:int]
--> ann | 0 | 2400
--> (1 rows affected)
--> [name:varchar(30) | w:bigint]
--> ann | 0
--> (1 rows affected)
select p.nick, sum(m.v) as v from much m join people p on p.id = m.who group by p.nick;
go
--> [nick:nvarchar(30) | v:int]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
select p.nick, sum(m.v) as v from much m join people_heap p on p.id = m.who group by p.nick;
go
--> [nick:nvarchar(30) | v:int]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
select p.nick, avg(m.v) as v from much m join people p on p.id = m.who group by p.nick;
go
--> [nick:nvarchar(30) | v:int]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
select p.town, avg(m.v / (m.v + 2000000)) as v from much m join people p on p.id = m.who group by p.town;
go
--> [town:varchar(20) | v:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
