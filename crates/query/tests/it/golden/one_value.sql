-- RAND and the clock have one value per statement and place in its text, NEWID one per row and place; what finds rows and
-- what asks them again sees the same value
create table r (id int not null primary key, n int not null, k int not null, index by_k (k))
insert r select value, 0, 999 - value from generate_series(0, 999)
select * into #r from r
declare @t table (id int not null primary key, n int not null)
insert @t select id, 0 from r
declare @i int = 0, @n int, @rows int = 0, @again int = 0, @wrong int = 0
set nocount on
while @i < 40
begin
    select @n = count(*) from r where id = cast(rand() * 1000 as int)
    if @n <> 1 set @wrong += 1
    select @n = count(*) from r where k = cast(rand() * 1000 as int)
    if @n <> 1 set @wrong += 1
    select @n = count(*) from #r where id = cast(rand() * 1000 as int)
    if @n <> 1 set @wrong += 1
    update r set n += 1 where id = cast(rand() * 1000 as int)
    set @rows += @@rowcount
    update r set n += 1 where k = cast(rand() * 1000 as int) and n >= 0
    set @rows += @@rowcount
    update #r set n += 1 where id = cast(rand() * 1000 as int)
    set @rows += @@rowcount
    update @t set n += 1 where id = cast(rand() * 1000 as int)
    set @rows += @@rowcount
    merge r using (select 1 as one) s on r.id = cast(rand() * 1000 as int) when matched then update set n += 1;
    set @rows += @@rowcount
    if case cast(rand() * 3 as int) when 0 then 'a' when 1 then 'b' when 2 then 'c' end is null set @wrong += 1
    if nullif(cast(rand() * 2 as int), 0) = 0 set @wrong += 1
    set @i += 1
end
select @wrong as wrong, @rows as changed
go
--> (1000 rows affected)
--> (1000 rows affected)
--> (1000 rows affected)
--> [wrong:int | changed:int]
--> 0 | 200
-- places are many, values of a place one
select count(distinct rand()) as one, count(distinct newid()) as each, count(distinct sysdatetime()) as moment from r
select count(distinct rand()) as one, count(distinct newid()) as each, count(distinct getdate()) as moment from #r
select case when rand() = rand() then 'same' else 'two places' end as rand, case when newid() = newid() then 'same' else 'two places' end as newid, case when sysdatetime() = sysdatetime() then 'one moment' else 'two' end as clock
select count(*) as differ from (select newid() as u from r) x where cast(u as varchar(36)) <> cast(u as varchar(36))
select count(distinct u) as applied, count(*) as rows from r cross apply (select newid() as u) x
select count(distinct id) as shuffled from (select top (1000) id from r order by newid()) x
select count(distinct rand(id)) as seeded from r where id between 1 and 10
go
--> [one:int | each:int | moment:int]
--> 1 | 1000 | 1
--> [one:int | each:int | moment:int]
--> 1 | 1000 | 1
--> [rand:varchar(10) | newid:varchar(10) | clock:varchar(10)]
--> two places | two places | one moment
--> [differ:int]
--> 0
--> [applied:int | rows:int]
--> 1000 | 1000
--> [shuffled:int]
--> 1000
--> [seeded:int]
--> 10
-- what each row draws is asked once, where the row is found
declare @changed int, @wrong int = 0
update r set n = -1 where abs(cast(checksum(newid()) as bigint)) % 2 = 0
set @changed = @@rowcount
select case when @changed between 380 and 620 then 'half' else 'not half: ' + cast(@changed as varchar(10)) end as updated
delete #r where abs(cast(checksum(newid()) as bigint)) % 2 = 0
set @changed = @@rowcount
select case when @changed between 380 and 620 then 'half' else 'not half: ' + cast(@changed as varchar(10)) end as deleted
update r set n = -2 where id = 7 and newid() is not null
merge r using (select 1 as one) s on r.id = 8 and newid() is not null when matched then update set n = -2;
select id, n from r where n = -2 order by id
select count(*) as missing from (select isnull(case when abs(cast(checksum(newid()) as bigint)) % 2 = 0 then 1 end, 0) as x from r) t where x is null
go
--> [updated:varchar(20)]
--> half
--> [deleted:varchar(20)]
--> half
--> [id:int | n:int]
--> 7 | -2
--> 8 | -2
--> [missing:int]
--> 0
-- defaults
create table d (a int not null, x float not null default rand(), u uniqueidentifier not null default newid(), t datetime2 not null default sysdatetime())
insert d (a) select id from r
select count(*) as rows, count(distinct x) as x, count(distinct u) as u, count(distinct t) as t from d
insert d (a) values (1), (2), (3)
select count(distinct x) as statements, count(distinct u) as u from d
update d set x = rand(), u = newid()
select count(distinct x) as x, count(distinct u) as u from d
go
--> [rows:int | x:int | u:int | t:int]
--> 1000 | 1 | 1000 | 1
--> [statements:int | u:int]
--> 2 | 1003
--> [x:int | u:int]
--> 1 | 1003
-- a computed column that nobody keeps is of the statement that reads it
create table c (a int not null, x as rand(), t as sysdatetime())
insert c (a) values (1), (2)
declare @first float, @second float, @t1 datetime2, @t2 datetime2
select @first = min(x), @t1 = min(t) from c
waitfor delay '00:00:00.020'
select @second = max(x), @t2 = max(t) from c
select count(distinct x) as one from c
select case when @first = @second then 'kept' else 'new' end as x, case when @t1 < @t2 then 'new' else 'kept' end as t
go
--> [one:int]
--> 1
--> [x:varchar(4) | t:varchar(4)]
--> new | new
-- a view and an expression of a table have places of their own
create view v as select rand() as x, newid() as u
go
select count(distinct v.x) as x, count(distinct v.u) as u from v cross join d
select case when a.x = b.x then 'same' else 'two places' end as twice from v a cross join v b
select rand(100) as first, rand() as second, rand() as third
select rand(100) as first, rand() as second from (values (1), (2), (3)) x (a)
go
--> [x:int | u:int]
--> 1 | 1
--> [twice:varchar(10)]
--> two places
--> [first:float | second:float | third:float]
--> 0.7154366573674853 | 0.28463380767982033 | 0.0131039082850364
--> [first:float | second:float]
--> 0.7154366573674853 | 0.28463380767982033
--> 0.7154366573674853 | 0.28463380767982033
--> 0.7154366573674853 | 0.28463380767982033
