-- What is over before the views are read: calls, plans that come again, joins, spills, changes. No batch may fail.
use busy set nocount on
GO
declare @i int = 0, @n int, @l sales.lines
while @i < 5 begin
    exec dbo.work @i, @found = @n output, @lines = @l
    select @n = count(*) from sales.purchase where customer > @i
    select @n = dbo.doubled(@i)
    set @i += 1
end
exec sp_executesql N'select id from sales.customer where id = @id', N'@id int', @id = 100
exec sp_executesql N'select id from sales.customer where id = @id', N'@id int', @id = 102
select * from dbo.inlined(100) select * from dbo.listed(1) exec dbo.started
GO
select top 5 a.s, count(*) as n from dbo.lots a join dbo.lots b on a.s = b.s group by a.s order by a.s desc
select count(*) from sales.purchase where year = 2020
select count(*) from dbo.lots where v = 900
select max(s) from dbo.lots where v between 100 and 400
select id, v from dbo.heap where id between 10 and 20
select notes, picture from sales.customer where id > 300
insert sales.customer (code, name, balance, plain) values ('z', N'Z', 1, 1)
update sales.customer set notes = replicate(cast(N'm' as nvarchar(max)), 9000), balance += 1 where id between 110 and 120
delete sales.customer where code = 'z'
merge dbo.node as n using (values (1, 5)) as s (id, v) on n.id = s.id when matched then update set v = s.v;
truncate table dbo.rowed
insert dbo.rowed values (1, 'again')
GO
create table #big (id int, c char(700) not null)
insert #big select value, concat(value * 7919 % 15013, '') from generate_series(1, 90000)
select max(id) from (select top (100000) id from #big order by c desc, id) x option (max_grant_percent = 1)
GO
