-- The order of a join is that of its rows, though its first table gives one row alone.
set nocount on
create table owner (id int not null primary key, name varchar(9) not null unique, n int not null)
create table thing (id int not null primary key, owner int not null index ix, v int not null)
insert owner values (1, 'a', 10), (2, 'b', 20)
insert thing values (1, 1, 30), (2, 1, 10), (3, 2, 5), (4, 1, 20), (5, 1, 10)
go
select t.id from thing t join owner o on o.id = t.owner where o.name = 'a' order by t.id desc
select t.id from thing t join owner o on o.id = t.owner where o.id = 1 order by t.id desc
select t.id, t.v from owner o join thing t on o.id = t.owner where o.id = 1 order by t.v, t.id desc
select t.id, t.v from owner o join thing t on o.id = t.owner where o.id = 1 order by o.n, t.v desc, t.id
select top (2) t.id from owner o join thing t on o.id = t.owner where o.name = 'a' order by t.id desc
select t.id from owner o join thing t on o.id = t.owner where o.name = 'a' order by -t.id
select t.id from owner o join thing t on o.id = t.owner where o.name = 'a' order by t.id desc offset 1 row fetch next 2 rows only
select t.id, row_number() over (order by t.id desc) as r from owner o join thing t on o.id = t.owner where o.name = 'a' order by r
select o.id, t.id from owner o left join thing t on o.id = t.owner where o.name = 'b' order by t.id desc
select t.id from owner o cross apply (select * from thing where owner = o.id) t where o.name = 'a' order by t.id desc
select o.name, o.n from owner o where o.id = 1 order by o.n desc
go
--> [id:int]
--> 5
--> 4
--> 2
--> 1
--> [id:int]
--> 5
--> 4
--> 2
--> 1
--> [id:int | v:int]
--> 5 | 10
--> 2 | 10
--> 4 | 20
--> 1 | 30
--> [id:int | v:int]
--> 1 | 30
--> 4 | 20
--> 2 | 10
--> 5 | 10
--> [id:int]
--> 5
--> 4
--> [id:int]
--> 5
--> 4
--> 2
--> 1
--> [id:int]
--> 4
--> 2
--> [id:int | r:bigint]
--> 5 | 1
--> 4 | 2
--> 2 | 3
--> 1 | 4
--> [id:int | id:int]
--> 2 | 3
--> [id:int]
--> 5
--> 4
--> 2
--> 1
--> [name:varchar(9) | n:int]
--> a | 10
declare c cursor for select t.id from owner o join thing t on o.id = t.owner where o.name = 'a' order by t.id desc
declare @id int, @list varchar(40) = ''
open c
fetch c into @id
while @@fetch_status = 0 begin set @list += cast(@id as varchar) + ' ' fetch c into @id end
close c deallocate c
select @list as list
declare @last int
select @last = t.id from owner o join thing t on o.id = t.owner where o.name = 'a' order by t.id desc
select @last as last
drop table thing, owner
go
--> [list:varchar(40)]
--> 5 4 2 1
--> [last:int]
--> 1
