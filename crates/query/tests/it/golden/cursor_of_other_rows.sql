-- differs secondary: the rows of #h are numbered, so the one of the cursor is gone
-- differs clustered: a table has one clustered index
-- A cursor stands on a row; what is built anew, or emptied, has other rows at its place: 16943, and nothing is changed.
set nocount on
create table h (v int)
create table #h (v int)
create table q (a int not null, b int not null)
create clustered index ci on q (a)
create table k (a int constraint pk_k primary key, b int not null)
insert h values (1), (2), (3)
insert #h values (1), (2), (3)
insert q values (1, 1)
insert q values (1, 2)
insert q values (1, 3)
insert q values (1, 4)
insert k values (1, 3), (2, 2), (3, 1)
go
declare c cursor global for select v from h for update
open c
fetch c
truncate table h
insert h values (10), (20), (30)
go
--> [v:int]
--> 1
delete h where current of c
go
--> Msg 16943, Level 16, State 1, Line 1: Could not complete cursor operation because the table schema changed after the cursor was declared.
--> # The statement has been terminated.
select v from h order by v
close c
deallocate c
go
--> [v:int]
--> 10
--> 20
--> 30
declare c cursor global for select v from #h for update
open c
fetch c
truncate table #h
insert #h values (10), (20), (30)
go
--> [v:int]
--> 1
delete #h where current of c
go
--> Msg 16943, Level 16, State 1, Line 1: Could not complete cursor operation because the table schema changed after the cursor was declared.
--> # The statement has been terminated.
select v from #h order by v
close c
deallocate c
go
--> [v:int]
--> 10
--> 20
--> 30
declare c cursor global for select a, b from q where b > 1 for update
open c
fetch c
delete q where b = 1
alter index ci on q rebuild
go
--> [a:int | b:int]
--> 1 | 2
delete q where current of c
go
--> Msg 16943, Level 16, State 1, Line 1: Could not complete cursor operation because the table schema changed after the cursor was declared.
--> # The statement has been terminated.
select b from q order by b
close c
deallocate c
go
--> [b:int]
--> 2
--> 3
--> 4
declare c cursor global for select a, b from k for update
open c
fetch c
alter table k drop constraint pk_k
alter table k add constraint pk_k2 primary key (b)
go
--> [a:int | b:int]
--> 1 | 3
update k set a = a + 100 where current of c
go
--> Msg 16943, Level 16, State 1, Line 1: Could not complete cursor operation because the table schema changed after the cursor was declared.
--> # The statement has been terminated.
select a, b from k order by b
close c
deallocate c
go
--> [a:int | b:int]
--> 3 | 1
--> 2 | 2
--> 1 | 3
-- What leaves the rows where they are disturbs no cursor.
declare c cursor global for select v from h for update
open c
fetch c
create index ix on h (v)
alter table h add w int
insert h (v) values (40)
go
--> [v:int]
--> 10
update h set w = 1 where current of c
go
select v, w from h order by v
close c
deallocate c
go
--> [v:int | w:int]
--> 10 | 1
--> 20 | NULL
--> 30 | NULL
--> 40 | NULL
drop table h, q, k
go
-- So does a statement that is undone.
create table #u (v int not null, w int not null check (w < 9))
insert #u values (1, 1), (2, 2)
go
declare c cursor global for select v from #u for update
open c
fetch c
insert #u values (3, 3), (4, 10)
update #u set w = 5 where current of c
close c
deallocate c
go
--> [v:int]
--> 1
--> Msg 547, Level 16, State 0, Line 4: The INSERT statement conflicted with the CHECK constraint "CK__u__w__00000000". The conflict occurred in database "tempdb", table "dbo.#u", column 'w'.
--> # The statement has been terminated.
select v, w from #u order by v
drop table #u
go
--> [v:int | w:int]
--> 1 | 5
--> 2 | 2
-- A table of the same name that was made later is another one, for FETCH and for what changes its row.
create table again (i int constraint pk_again primary key, v int)
insert again values (1, 1), (2, 2)
declare kc cursor global keyset for select i, v from again
open kc
fetch kc
go
--> [i:int | v:int]
--> 1 | 1
drop table again
create table again (i int constraint pk_again primary key, v int)
insert again values (1, 111)
go
fetch first from kc
go
--> Msg 16943, Level 16, State 1, Line 1: Could not complete cursor operation because the table schema changed after the cursor was declared.
update again set v = 5 where current of kc
go
--> Msg 16943, Level 16, State 1, Line 1: Could not complete cursor operation because the table schema changed after the cursor was declared.
--> # The statement has been terminated.
select i, v from again
deallocate kc
drop table again
go
--> [i:int | v:int]
--> 1 | 111
