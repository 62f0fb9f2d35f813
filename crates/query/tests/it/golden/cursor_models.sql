-- differs secondary: an index has the order, so that the cursor is a dynamic one
-- A static cursor keeps its rows, one of a keyset sees them as they are now and misses those that are gone or have another key
create table vis (id int not null primary key, val varchar(10) not null, more int null)
insert vis values (10, 'a', 1), (20, 'b', 2), (30, 'c', 3), (40, 'd', 4)
declare st cursor static for select id, val from vis order by id
declare ks cursor keyset for select id, val from vis order by id
declare dy cursor dynamic for select id, val from vis order by id
open st select @@cursor_rows as n
open ks select @@cursor_rows as n
open dy select @@cursor_rows as n
fetch st fetch ks fetch dy
go
--> (4 rows affected)
--> [n:int]
--> 4
--> (1 rows affected)
--> [n:int]
--> 4
--> (1 rows affected)
--> [n:int]
--> -1
--> (1 rows affected)
--> [id:int | val:varchar(10)]
--> 10 | a
--> (1 rows affected)
--> [id:int | val:varchar(10)]
--> 10 | a
--> (1 rows affected)
--> [id:int | val:varchar(10)]
--> 10 | a
--> (1 rows affected)
update vis set val = 'B' where id = 20
delete vis where id = 30
update vis set id = 45 where id = 40
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
declare @id int, @val varchar(10), @seen varchar(200) = '', @i int = 0
while @i < 4
begin
  fetch next from st into @id, @val
  set @seen += concat(@@fetch_status, ':', case @@fetch_status when 0 then concat(@id, @val) end, ' ')
  set @i += 1
end
select @seen as static
go
--> [static:varchar(200)]
--> 0:20b 0:30c 0:40d -1:
--> (1 rows affected)
declare @id int, @val varchar(10), @seen varchar(200) = '', @i int = 0
while @i < 5
begin
  fetch next from ks into @id, @val
  set @seen += concat(@@fetch_status, ':', @id, @val, ' ')
  set @i += 1
end
select @seen as of_keys
go
--> [of_keys:varchar(200)]
--> 0:20B -2: -2: -1: -1:
--> (1 rows affected)
declare @id int, @val varchar(10), @seen varchar(200) = '', @i int = 0
while @i < 3
begin
  fetch next from dy into @id, @val
  set @seen += concat(@@fetch_status, ':', case @@fetch_status when 0 then concat(@id, @val) end, ' ')
  set @i += 1
end
select @seen as dynamic
go
--> [dynamic:varchar(200)]
--> 0:20B 0:45d -1:
--> (1 rows affected)
-- A client gets something in the columns of a row that is gone; the next one goes on
deallocate st deallocate ks deallocate dy
declare c cursor scroll for select id, val, more from vis order by id
open c
fetch last from c
delete vis where id = 45
fetch relative 0 from c
select @@fetch_status as s
fetch prior from c
select @@fetch_status as s
update vis set val = 'z', more = null where id = 20
fetch relative 0 from c
fetch absolute 1 from c
go
--> [id:int | val:varchar(10) | more:int]
--> 45 | d | 4
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | val:varchar(10) | more:int]
--> 0 |  | NULL
--> (1 rows affected)
--> [s:int]
--> -2
--> (1 rows affected)
--> [id:int | val:varchar(10) | more:int]
--> 20 | B | 2
--> (1 rows affected)
--> [s:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | val:varchar(10) | more:int]
--> 20 | z | NULL
--> (1 rows affected)
--> [id:int | val:varchar(10) | more:int]
--> 10 | a | 1
--> (1 rows affected)
-- A row that is no longer asked for stays in a keyset, and is passed over by a dynamic cursor; changes through the cursor are seen
deallocate c
create table todo (id int not null primary key, done bit not null, note varchar(10) null)
insert todo values (1, 0, 'one'), (2, 0, 'two'), (3, 0, 'three'), (4, 0, 'four')
declare k cursor local keyset for select id, done, note from todo where done = 0
declare d cursor local dynamic scroll for select id, done, note from todo where done = 0
open k open d
fetch k fetch d
update todo set done = 1 where id in (1, 2)
fetch k fetch d
update todo set note = upper(note) where current of d
fetch relative 0 from d
fetch prior from d
fetch first from d
fetch last from d
delete todo where current of d
fetch prior from d
fetch last from d
fetch absolute 1 from d
fetch relative 0 from k
go
--> (4 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> 1 | 0 | one
--> (1 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> 1 | 0 | one
--> (1 rows affected)
--> (2 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> 2 | 1 | two
--> (1 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> 3 | 0 | three
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> 3 | 0 | THREE
--> (1 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> (0 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> 3 | 0 | THREE
--> (1 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> 4 | 0 | four
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> 3 | 0 | THREE
--> (1 rows affected)
--> [id:int | done:bit | note:varchar(10)]
--> 3 | 0 | THREE
--> (1 rows affected)
--> Msg 16925, Level 16, State 1, Line 19: The fetch type Absolute cannot be used with dynamic cursors.
--> [id:int | done:bit | note:varchar(10)]
--> 2 | 1 | two
--> (1 rows affected)
-- Joins are found again by the keys of both; what is no row of tables stays as it was; an order without an index makes a keyset
create table part (id int not null primary key, of_todo int not null, name varchar(10))
insert part values (1, 1, 'a'), (2, 2, 'b')
declare j cursor local keyset for select t.id, p.name from todo t join part p on p.of_todo = t.id order by t.id
declare g cursor local dynamic for select done, count(*) as n from todo group by done order by done
declare o cursor local dynamic for select id, note from todo order by note
open j select @@cursor_rows as n
open g select @@cursor_rows as n
open o select @@cursor_rows as n
update part set name = 'A' where id = 1
update todo set note = 'zzz' where id = 1
fetch j fetch g fetch o
delete part where id = 2
fetch j
select @@fetch_status as s
go
--> (2 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 3
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | name:varchar(10)]
--> 1 | A
--> (1 rows affected)
--> [done:bit | n:int]
--> 0 | 1
--> (1 rows affected)
--> [id:int | note:varchar(10)]
--> 1 | zzz
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | name:varchar(10)]
--> 0 | NULL
--> (1 rows affected)
--> [s:int]
--> -2
--> (1 rows affected)
-- A table that changes its columns under an open cursor; READ ONLY; a FETCH that fails is on no row
declare c cursor keyset for select id, note from todo order by id
open c
fetch c
go
--> [id:int | note:varchar(10)]
--> 1 | zzz
--> (1 rows affected)
alter table todo drop column note
fetch c
select @@fetch_status as s
go
--> Msg 16943, Level 16, State 1, Line 2: Could not complete cursor operation because the table schema changed after the cursor was declared.
--> [s:int]
--> -1
--> (1 rows affected)
deallocate c
declare r cursor local keyset read_only for select id from todo order by id
open r
fetch r
update todo set done = 0 where current of r
go
--> [id:int]
--> 1
--> (1 rows affected)
--> Msg 16929, Level 16, State 1, Line 5: The cursor is READ ONLY.
--> # The statement has been terminated.
