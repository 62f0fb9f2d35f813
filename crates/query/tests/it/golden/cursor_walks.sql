-- differs temporary: TRUNCATE of a temporary table changes nothing of its definition
-- A dynamic cursor, and one that says nothing, sees rows that come after it, and each as it is when it is fetched
create table w (id int not null primary key, v int null, s varchar(10) null, index w_v (v))
insert w values (10, 1, 'a'), (20, 2, 'b'), (30, 2, 'c'), (40, null, 'd')
declare c cursor for select id, v, s from w order by id
declare f cursor fast_forward for select id, s from w order by id
open c open f
fetch c fetch f
insert w values (5, 9, 'before'), (15, 9, 'between'), (50, 9, 'last')
delete w where id = 20
update w set s = 'C' where id = 30
fetch c fetch c fetch c fetch c
fetch f fetch f fetch f
select @@fetch_status as s
fetch c
select @@fetch_status as s
insert w values (60, 9, 'after')
fetch c
select @@fetch_status as s
fetch f fetch f fetch f
deallocate c deallocate f
go
--> (4 rows affected)
--> [id:int | v:int | s:varchar(10)]
--> 10 | 1 | a
--> (1 rows affected)
--> [id:int | s:varchar(10)]
--> 10 | a
--> (1 rows affected)
--> (3 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | v:int | s:varchar(10)]
--> 15 | 9 | between
--> (1 rows affected)
--> [id:int | v:int | s:varchar(10)]
--> 30 | 2 | C
--> (1 rows affected)
--> [id:int | v:int | s:varchar(10)]
--> 40 | NULL | d
--> (1 rows affected)
--> [id:int | v:int | s:varchar(10)]
--> 50 | 9 | last
--> (1 rows affected)
--> [id:int | s:varchar(10)]
--> 15 | between
--> (1 rows affected)
--> [id:int | s:varchar(10)]
--> 30 | C
--> (1 rows affected)
--> [id:int | s:varchar(10)]
--> 40 | d
--> (1 rows affected)
--> [s:int]
--> 0
--> (1 rows affected)
--> [id:int | v:int | s:varchar(10)]
--> (0 rows affected)
--> [s:int]
--> -1
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | v:int | s:varchar(10)]
--> (0 rows affected)
--> [s:int]
--> -1
--> (1 rows affected)
--> [id:int | s:varchar(10)]
--> 50 | last
--> (1 rows affected)
--> [id:int | s:varchar(10)]
--> 60 | after
--> (1 rows affected)
--> [id:int | s:varchar(10)]
--> (0 rows affected)
-- In the order of an index: a row whose key changes comes again, or not at all
delete w where id in (5, 15, 50, 60)
declare @id int, @v int, @seen varchar(200) = '', @i int = 0
declare c cursor local dynamic for select id, v from w where v is not null order by v
open c
fetch c into @id, @v
while @@fetch_status = 0 and @i < 10
begin
  set @seen += concat(@id, ':', @v, ' ')
  if @v < 4 update w set v = v + 3 where id = @id
  set @i += 1
  fetch c into @id, @v
end
select @seen as seen
select id, v from w order by id
go
--> (4 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [seen:varchar(200)]
--> 10:1 30:2 10:4 30:5
--> (1 rows affected)
--> [id:int | v:int]
--> 10 | 4
--> 30 | 5
--> 40 | NULL
--> (3 rows affected)
-- All directions, from places whose rows are gone
declare c cursor local dynamic scroll for select id from w order by id
open c
fetch last from c
fetch prior from c
delete w where id in (30, 10)
fetch prior from c
fetch next from c
fetch first from c
fetch relative 0 from c
fetch relative 5 from c
fetch prior from c
insert w values (70, 1, 'x'), (71, 1, 'y'), (72, 1, 'z')
fetch relative 3 from c
fetch relative -2 from c
fetch absolute 1 from c
go
--> [id:int]
--> 40
--> (1 rows affected)
--> [id:int]
--> 30
--> (1 rows affected)
--> (2 rows affected)
--> [id:int]
--> (0 rows affected)
--> [id:int]
--> 40
--> (1 rows affected)
--> [id:int]
--> 40
--> (1 rows affected)
--> [id:int]
--> 40
--> (1 rows affected)
--> [id:int]
--> (0 rows affected)
--> [id:int]
--> 40
--> (1 rows affected)
--> (3 rows affected)
--> [id:int]
--> 72
--> (1 rows affected)
--> [id:int]
--> 70
--> (1 rows affected)
--> Msg 16925, Level 16, State 1, Line 16: The fetch type Absolute cannot be used with dynamic cursors.
-- Changes through the cursor, of rows that it has passed too; what another condition drops is passed over
declare c cursor local dynamic for select id, v, s from w where v = 1 for update of s
open c
fetch c
update w set s = 'now' where current of c
update w set v = 2 where id = 71
fetch c
delete w where current of c
fetch c
select @@fetch_status as s
delete w where current of c
go
--> [id:int | v:int | s:varchar(10)]
--> 70 | 1 | x
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | v:int | s:varchar(10)]
--> 72 | 1 | z
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | v:int | s:varchar(10)]
--> (0 rows affected)
--> [s:int]
--> -1
--> (1 rows affected)
--> Msg 16931, Level 16, State 1, Line 11: There are no rows in the current fetch buffer.
--> # The statement has been terminated.
select id, v, s from w order by id
go
--> [id:int | v:int | s:varchar(10)]
--> 40 | NULL | d
--> 70 | 1 | now
--> 71 | 2 | y
--> (3 rows affected)
-- Errors come with the row that they are of; the cursor stays where it was
insert w values (80, 0, 'zero'), (90, 3, 'three')
declare @n int
declare c cursor local dynamic for select id, 10 / v as q from w where id >= 71 order by id
open c
fetch c
fetch c
select @@fetch_status as s
go
--> (2 rows affected)
--> [id:int | q:int]
--> 71 | 5
--> (1 rows affected)
--> Msg 8134, Level 16, State 1, Line 7: Divide by zero error encountered.
--> [s:int]
--> -1
--> (1 rows affected)
-- NULLs and equal keys, both ways
create table e (k int not null identity primary key, a int null, b char(1) not null, index e_ab (a, b desc))
insert e (a, b) values (null, 'x'), (2, 'x'), (null, 'y'), (2, 'y'), (2, 'x'), (1, 'z')
declare @k int, @all varchar(100) = '', @back varchar(100) = ''
declare c cursor local dynamic for select k from e order by a, b desc, k
open c
fetch c into @k
while @@fetch_status = 0 begin set @all += concat(@k, ' ') fetch c into @k end
fetch prior from c into @k
while @@fetch_status = 0 begin set @back = concat(@k, ' ') + @back fetch prior from c into @k end
select @all as forward, @back as back
select string_agg(k, ' ') within group (order by a, b desc, k) as expected from e
go
--> (6 rows affected)
--> [forward:varchar(100) | back:varchar(100)]
--> 3 1 6 4 2 5 | 3 1 6 4 2 5
--> (1 rows affected)
--> [expected:nvarchar(4000)]
--> 3 1 6 4 2 5
--> (1 rows affected)
-- A table that is emptied or built anew under the cursor; ROWCOUNT makes a set of rows of it
declare c cursor dynamic for select k from e order by k
open c
fetch c
truncate table e
fetch c
go
--> [k:int]
--> 1
--> (1 rows affected)
--> Msg 16943, Level 16, State 1, Line 6: Could not complete cursor operation because the table schema changed after the cursor was declared.
deallocate c
insert e (a, b) select 1, 'q' from (values (1), (2), (3)) x (n)
set rowcount 2
declare c cursor local dynamic for select b from e order by k
open c
set rowcount 0
fetch c fetch c fetch c
go
--> (3 rows affected)
--> [b:char(1)]
--> q
--> (1 rows affected)
--> [b:char(1)]
--> q
--> (1 rows affected)
--> [b:char(1)]
--> (0 rows affected)
-- Where no key is unique, the row that the cursor stands on is as it is now, or gone
create table f (id int not null, v int not null, index f_id clustered (id))
insert f values (1, 10), (2, 20), (2, 21), (3, 30)
declare c cursor local dynamic for select id, v from f order by id desc
open c
fetch relative 0 from c
select @@fetch_status as before
fetch c fetch c
update f set v = 99 where v = 21
fetch relative 0 from c
update f set v = 98 where current of c
fetch relative 0 from c
delete f where v = 98
fetch relative 0 from c
select @@fetch_status as gone
fetch c
fetch last from c
fetch next from c
fetch relative 0 from c
select @@fetch_status as after
fetch prior from c
go
--> (4 rows affected)
--> [id:int | v:int]
--> (0 rows affected)
--> [before:int]
--> -1
--> (1 rows affected)
--> [id:int | v:int]
--> 3 | 30
--> (1 rows affected)
--> [id:int | v:int]
--> 2 | 21
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | v:int]
--> 2 | 99
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | v:int]
--> 2 | 98
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | v:int]
--> 0 | 0
--> (1 rows affected)
--> [gone:int]
--> -2
--> (1 rows affected)
--> [id:int | v:int]
--> 2 | 20
--> (1 rows affected)
--> [id:int | v:int]
--> 1 | 10
--> (1 rows affected)
--> [id:int | v:int]
--> (0 rows affected)
--> [id:int | v:int]
--> (0 rows affected)
--> [after:int]
--> -1
--> (1 rows affected)
--> [id:int | v:int]
--> 1 | 10
--> (1 rows affected)
drop table f
go
drop table e
drop table w
go
