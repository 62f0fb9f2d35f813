-- differs secondary: an index gives the order that the last cursor asks for, so it stays dynamic
-- A keyset over a table without a unique index is converted to a static cursor, which only reads.
create table h(id int, v int);
create table u(id int not null unique, v int);
insert h values (1, 10), (2, 20), (3, 30);
insert u values (1, 10), (2, 20), (3, 30);
go
--> (3 rows affected)
--> (3 rows affected)
set nocount on;
declare c cursor local keyset for select id, v from h;
open c;
declare @id int, @v int;
update h set v = v + 1;
fetch next from c into @id, @v;
select @id as id, @v as v;
begin try
    update h set v = 0 where current of c;
end try
begin catch
    select error_number() as n;
end catch
begin try
    delete h where current of c;
end try
begin catch
    select error_number() as n;
end catch
select model, concurrency, scope from (select * from sys.dm_exec_cursors(@@spid)) x
    cross apply (select case when properties like '%Snapshot%' then 'static' when properties like '%Keyset%' then 'keyset' else properties end as model,
        case when properties like '%Read Only%' then 'reads' else 'changes' end as concurrency, case when properties like '%Local%' then 'local' end as scope) y;
go
--> [id:int | v:int]
--> 1 | 10
--> [n:int]
--> 16929
--> [n:int]
--> 16929
--> [model:nvarchar(256) | concurrency:varchar(7) | scope:varchar(5)]
--> static | reads | local
-- One with a unique index stays a keyset, whose rows are those of now.
set nocount on;
declare c cursor local keyset for select id, v from u;
open c;
declare @id int, @v int;
update u set v = v + 1;
fetch next from c into @id, @v;
select @id as id, @v as v;
update u set v = 0 where current of c;
select v from u order by id;
go
--> [id:int | v:int]
--> 1 | 11
--> [v:int]
--> 0
--> 21
--> 31
-- A join with one of each has none either, and nor has the keyset that an order without an index makes of a dynamic cursor.
set nocount on;
declare c cursor local keyset for select h.id, u.v from h join u on u.id = h.id;
open c;
fetch next from c;
begin try
    update u set v = 0 where current of c;
end try
begin catch
    select error_number() as n;
end catch
close c;
deallocate c;
declare d cursor local dynamic for select id, v from h order by v;
open d;
fetch next from d;
begin try
    update h set v = 0 where current of d;
end try
begin catch
    select error_number() as n;
end catch
go
--> [id:int | v:int]
--> 1 | 0
--> [n:int]
--> 16929
--> [id:int | v:int]
--> 1 | 11
--> [n:int]
--> 16929
