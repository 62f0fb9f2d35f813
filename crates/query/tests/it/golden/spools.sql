-- A relation that a statement names more than once is computed once. Each statement is asked a second time with the relation in a
-- table of its own: no row may be in one answer alone.
create table sales(id int not null primary key, day int not null, item int not null, store int null, qty int null, note varchar(20) null,
    pad char(220) not null default 'x');
insert sales(id, day, item, store, qty, note)
select value, value / 40, value * 7919 % 50, case when value % 17 = 0 then null else value % 9 end,
    case when value % 13 = 0 then null else value * 31 % 100 end,
    case value % 5 when 0 then null when 1 then 'a' when 2 then 'A ' when 3 then 'b' else 'ä' end
from generate_series(1, 8000);
create table made_y(item int, store int, n int, total int, note varchar(20));
insert made_y select item, store, count(*), sum(qty), min(note) from sales group by item, store;
create table answer_a(c1 int, c2 int, c3 int, c4 int);
create table answer_b(c1 int, c2 int, c3 int, c4 int);
go
--> (8000 rows affected)
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (500 rows affected)
-- A text with @ for the relation: as @named after @with, and as the table @made.
create procedure compare @what varchar(60), @text nvarchar(max), @with nvarchar(max) = N'', @named sysname = 'y', @made sysname = 'made_y' as
begin
    declare @shared nvarchar(max) = @with + replace(@text, '@', @named), @plain nvarchar(max) = replace(@text, '@', @made);
    set nocount on;
    set ansi_warnings off;
    truncate table answer_a;
    truncate table answer_b;
    insert answer_a exec (@shared);
    insert answer_b exec (@plain);
    select @what as what, count(*) as found, sum(c1) as c1, sum(c2) as c2,
        (select count(*) from (select * from answer_a except select * from answer_b) x)
        + (select count(*) from (select * from answer_b except select * from answer_a) x)
        + abs((select count(*) from answer_a) - (select count(*) from answer_b)) as differing
    from answer_a;
end
go
declare @y nvarchar(max) = N'with y as (select item, store, count(*) as n, sum(qty) as total, min(note) as note from sales group by item, store) ';
declare @text nvarchar(max);
set @text = N'select a.item, b.store, a.n, b.total from @ a join @ b on b.item = a.item + 1 and b.store = a.store';
exec compare 'a join with itself', @text, @y;
set @text = N'select a.item, b.store, a.n, c.total from @ a left join @ b on b.item = a.item + 30 and b.store = a.store left join @ c on c.item = a.item and c.store = b.store + 1';
exec compare 'three uses, outer joins', @text, @y;
set @text = N'select item, store, n, total from @ o where total > (select avg(total) from @ i where i.store = o.store) and exists (select * from @ e where e.item = o.item - 1 and e.n = o.n)';
exec compare 'a correlated mean, and EXISTS', @text, @y;
set @text = N'select item, store, n, total from @ o where item in (select item from @ where n > 20) or store not in (select store from @ where store is not null and total < 500)';
exec compare 'IN, NOT IN and OR', @text, @y;
set @text = N'select top 7 item, store, n, (select max(total) from @) from @ order by total desc, item, store';
exec compare 'TOP, and a scalar query', @text, @y;
set @text = N'select item, sum(n), max(total), 0 from @ group by item union all select store, sum(n), min(total), 1 from @ group by store union all select null, sum(n), sum(total), 2 from @';
exec compare 'UNION ALL of groups', @text, @y;
set @text = N'select a.item, a.store, a.n, a.total from @ a where a.item < 5 union select b.item, b.store, b.n, b.total from @ b where b.item > 3 except select item, store, n, total from @ where store = 4';
exec compare 'filters that differ', @text, @y;
set @text = N'select x.item, y2.store, x.r, y2.r from (select item, store, row_number() over (partition by store order by total desc, item) r from @) x join (select item, store, row_number() over (partition by store order by total desc, item) r from @) y2 on x.store = y2.store and x.r = y2.r + 1';
exec compare 'windows that are one', @text, @y;
set @text = N'select a.item, a.store, p.n, p.total from @ a cross apply (select top 1 n, total from @ b where b.item = a.item and b.store > a.store order by b.store) p';
exec compare 'APPLY reads each row''s own', @text, @y;
set @text = N'select len(a.note), b.item, a.n, count(*) over (partition by a.note) from @ a join @ b on a.note = b.note and a.item = b.store';
exec compare 'texts', @text, @y;
set @text = N'select a.item, b.item, a.n, b.n from @ a full join @ b on a.item = b.item + 45 and a.store = b.store where a.item is null or b.item is null';
exec compare 'FULL JOIN', @text, @y;
go
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> a join with itself | 441 | 10584 | 1764 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> three uses, outer joins | 500 | 12250 | 720 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> a correlated mean, and EXISTS | 226 | 2972 | 911 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> IN, NOT IN and OR | 0 | NULL | NULL | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> TOP, and a scalar query | 7 | 17 | 29 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> UNION ALL of groups | 61 | 1261 | 24000 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> filters that differ | 450 | 11025 | 1600 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> windows that are one | 441 | 11003 | 1764 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> APPLY reads each row's own | 400 | 9800 | 1400 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> texts | 1000 | 1000 | 25200 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> FULL JOIN | 910 | 10135 | 12160 | 0
-- In each other; views; derived tables that are equal; those that are not.
create view items as select item, sum(qty) as total, count(distinct store) as stores from sales group by item;
go
select * into made_i from items;
declare @text nvarchar(max) = N'with z as (select a.item, a.total + b.total as total, a.stores from @ a join @ b on a.item = b.item + 1), g as (select stores, max(total) as total, count(*) as n from z group by stores) select z.item, z.total, g.total, h.n from z join g on z.stores = g.stores join g h on h.stores = g.stores and h.total = z.total';
exec compare 'kept rows made of kept ones', @text, @named = 'items', @made = 'made_i';
set @text = N'select a.item, a.s, b.s, b.s - a.s from (select item, sum(qty) as s from sales where day < 100 group by item) a join (select item, sum(qty) as s from sales where day < 101 group by item) b on a.item = b.item';
exec compare 'not equal', @text;
set @text = N'select a.item, a.s, b.s, b.s - a.s from (select item, sum(qty) as s from sales where day < 100 group by item) a join (select item, sum(qty) as s from sales with (nolock) where day < 100 group by item) b on a.item = b.item';
exec compare 'not read alike', @text;
go
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (50 rows affected)
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> kept rows made of kept ones | 1 | 2 | 21756 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> not equal | 50 | 1225 | 183066 | 0
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int]
--> not read alike | 50 | 1225 | 183066 | 0
-- What is new at each evaluation is not shared.
with r as (select item, count(*) as n, max(cast(newid() as binary(16))) as u from sales group by item)
select count(*) as same from r a join r b on a.item = b.item and a.u = b.u;
-- Variables and times are the same at each.
declare @least int = 20;
with r as (select item, count(*) as n, max(getdate()) as u from sales where qty > @least group by item)
select count(*) as same, sum(a.n) as n from r a join r b on a.item = b.item and a.u = b.u and a.n = b.n;
go
--> [same:int]
--> 0
--> (1 rows affected)
--> [same:int | n:int]
--> 50 | 5837
--> (1 rows affected)
-- An error of what is shared is the statement's; who does not ask for it does not hear of it.
with r as (select item, count(*) as n, max(100 / (item - 20)) as u from sales group by item)
select count(*) as n from r a join r b on a.item = b.item;
go
--> [n:int]
--> 50
--> (1 rows affected)
with r as (select item, count(*) as n, max(100 / (item - 20)) as u from sales group by item)
select count(*) as n, max(a.u) as u from r a join r b on a.item = b.item;
go
--> [n:int | u:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
with r as (select item, count(*) as n, max(100 / (item - 20)) as u from sales group by item)
select count(*) as n from r where n > (select avg(n) - 1 from r);
go
--> [n:int]
--> 50
--> (1 rows affected)
-- Equal columns in a circle, and one that is equal only through others.
select count(*) as n, sum(a.id) as ids
from sales a join sales b on a.id = b.id join sales c on c.id = a.id and c.id = b.day join (select distinct day as x from sales) d on d.x = b.id
where a.id = c.day + 0;
select count(*) as n, sum(a.item) as items
from (select item, sum(qty) as q from sales group by item) a, (select item, count(*) as q from sales group by item) b,
    (select store, max(item) as item, min(item) as least from sales group by store) c
where a.item = c.item and b.item = c.item and b.item = c.least + 49;
select count(*) as n from sales a, sales b, sales c where a.id = b.id and c.note = b.note and c.note = a.note and b.id = c.id and a.note collate Latin1_General_BIN2 = c.note collate Latin1_General_BIN2;
go
--> [n:int | ids:int]
--> 0 | NULL
--> (1 rows affected)
--> [n:int | items:int]
--> 10 | 490
--> (1 rows affected)
--> [n:int]
--> 6400
--> (1 rows affected)
-- Changes that read what they change.
begin transaction;
with r as (select store, sum(qty) as total from sales group by store)
update s set qty = r.total from sales s join r on r.store = s.store join r q on q.store = r.store and q.total >= r.total where s.day = 3;
select count(*) as n, sum(qty) as qty from sales where day = 3;
with r as (select store, sum(qty) as total from sales group by store)
delete s from sales s where s.store in (select store from r where total = (select max(total) from r));
select count(*) as n, sum(qty) as qty from sales;
with r as (select item, sum(qty) as total from sales group by item)
insert sales(id, day, item, qty) select 10000 + a.item, -1, a.item, a.total - b.total from r a join r b on b.item = a.item + 1;
select count(*) as n, sum(qty) as qty from sales where day = -1;
rollback;
go
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (38 rows affected)
--> [n:int | qty:int]
--> 40 | 1452826
--> (1 rows affected)
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (837 rows affected)
--> [n:int | qty:int]
--> 7163 | 1587796
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (49 rows affected)
--> [n:int | qty:int]
--> 49 | -38130
--> (1 rows affected)
drop procedure compare;
drop view items;
drop table sales, made_y, made_i, answer_a, answer_b;
go
