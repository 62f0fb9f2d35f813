-- differs clustered, secondary: the indexes are dependent on columns that are altered
-- A cursor's query means at each OPEN what its names mean then, in the place where it was declared.
create database renewed
go
use renewed
set nocount on
create table #t (i int)
insert #t values (1), (2), (3)
go
-- An index that is made between DECLARE and OPEN.
declare c cursor for select i from #t order by i
create index q on #t (i)
open c
fetch c
fetch c
close c
-- A column more, before the next OPEN.
alter table #t add z int not null default 7
open c
fetch c
close c
deallocate c
go
--> [i:int]
--> 1
--> [i:int]
--> 2
--> [i:int]
--> 1
-- SELECT * has the columns of the table at OPEN, and FETCH INTO counts them.
declare @i int, @z int, @y int
declare s cursor for select * from #t order by i
alter table #t add y int not null default 8
open s
fetch s
fetch s into @i, @z
fetch s into @i, @z, @y
select @i as i, @z as z, @y as y
close s
deallocate s
go
--> [i:int | z:int | y:int]
--> 1 | 7 | 8
--> Msg 16924, Level 16, State 1, Line 7: Cursorfetch: The number of variables declared in the INTO list must match that of selected columns.
--> [i:int | z:int | y:int]
--> 2 | 7 | 8
-- Another table of that name, in several batches.
declare d cursor for select i from #t order by i
go
drop table #t
create table #t (i varchar(7))
go
insert #t values ('x'), ('y')
go
open d
fetch d
fetch d
fetch d
close d
go
--> [i:varchar(7)]
--> x
--> [i:varchar(7)]
--> y
--> [i:varchar(7)]
truncate table #t
insert #t values ('new row')
open d
fetch d
close d
drop table #t
create table #t (j int)
open d
go
--> [i:varchar(7)]
--> new row
--> Msg 207, Level 16, State 1, Line 8: Invalid column name 'i'.
drop table #t
open d
go
--> Msg 208, Level 16, State 1, Line 2: Invalid object name '#t'.
create table #t (i int not null unique)
insert #t values (5)
open d
fetch d
update #t set i = 6 where current of d
select i from #t
close d
deallocate d
go
--> [i:int]
--> 5
--> [i:int]
--> 6
-- A cursor variable, in a procedure.
create procedure renew as
declare @c cursor
create table #p (i int)
insert #p values (1), (2)
set @c = cursor scroll for select i from #p order by i for update
create index q on #p (i)
open @c
fetch last from @c
update #p set i = 20 where current of @c
alter table #p add z int
close @c
open @c
fetch first from @c
delete #p where current of @c
select i from #p
go
exec renew
exec renew
go
--> [i:int]
--> 2
--> [i:int]
--> 1
--> [i:int]
--> 20
--> [i:int]
--> 2
--> [i:int]
--> 1
--> [i:int]
--> 20
-- What was moved since OPEN is not changed through the cursor.
declare m cursor for select i from #t for update
open m
fetch m
drop table #t
create table #t (i int)
insert #t values (100)
update #t set i = 0 where current of m
delete #t where current of m
select i from #t
close m
open m
fetch m
update #t set i = 101 where current of m
select i from #t
close m
deallocate m
go
--> [i:int]
--> 6
--> Msg 16943, Level 16, State 1, Line 8: Could not complete cursor operation because the table schema changed after the cursor was declared.
--> # The statement has been terminated.
--> Msg 16943, Level 16, State 1, Line 9: Could not complete cursor operation because the table schema changed after the cursor was declared.
--> # The statement has been terminated.
--> [i:int]
--> 100
--> [i:int]
--> 100
--> [i:int]
--> 101
-- Tables of a database: a column's type, no rows, another index, another table, another name.
create table t (a int not null, b int unique)
insert t values (1, 10), (2, 20)
go
declare g cursor for select a, b from t order by a for update
alter table t alter column a bigint not null
open g
fetch g
update t set b = 11 where current of g
close g
go
--> [a:bigint | b:int]
--> 1 | 10
truncate table t
open g
fetch g
close g
insert t values (3, 30)
open g
fetch g
close g
go
--> [a:bigint | b:int]
--> [a:bigint | b:int]
--> 3 | 30
alter table t add constraint pk_t primary key (a)
create index t_b on t (b)
insert t values (4, 40)
open g
fetch g
fetch g
delete t where current of g
select * from t
close g
go
--> [a:bigint | b:int]
--> 3 | 30
--> [a:bigint | b:int]
--> 4 | 40
--> [a:bigint | b:int]
--> 3 | 30
drop table t
open g
print 'no more'
go
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 't'.
create table t (a varchar(3), b varchar(3))
insert t values ('new', 'row')
open g
fetch g
close g
exec sp_rename 't.b', 'c', 'column'
open g
print 'no more'
go
--> [a:varchar(3) | b:varchar(3)]
--> new | row
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> Msg 207, Level 16, State 1, Line 7: Invalid column name 'b'.
exec sp_rename 't.c', 'b', 'column'
open g
fetch g
close g
deallocate g
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> [a:varchar(3) | b:varchar(3)]
--> new | row
-- A view, a function and a synonym.
create view v as select a from t
go
create function f () returns int as begin return 1 end
go
create synonym y for t
go
declare cv cursor for select a from v
declare cf cursor for select dbo.f() as f
declare cy cursor for select b from y
go
alter view v as select b as a from t
go
alter function f () returns varchar(9) as begin return (select 'now ' + b from t) end
go
drop synonym y
go
create table other (b int)
insert other values (77)
create synonym y for other
go
open cv
fetch cv
open cf
fetch cf
open cy
fetch cy
deallocate cv
deallocate cf
deallocate cy
go
--> [a:varchar(3)]
--> row
--> [f:varchar(9)]
--> now row
--> [b:int]
--> 77
-- The names are those of the declaration's database and of its variables.
declare @from int = 70, @unused int = 3
declare n cursor for select b from other where b > @from
go
use master
create table #u (x int)
declare @unused varchar(10) = 'x'
open n
fetch n
close n
go
--> [b:int]
--> 77
alter table renewed.dbo.other add c int
open n
fetch n
close n
deallocate n
go
--> [b:int]
--> 77
use renewed
go
-- A table variable is the one of the declaration.
create procedure own @n int, @what int as
declare @v table (i int)
insert @v values (@n)
if @what = 1 begin
    declare o cursor global for select i from @v
    create table #w (i int)
    open o
    fetch o
    close o
end
else begin
    open o
    fetch o
end
go
exec own 1, 1
exec own 2, 2
go
--> [i:int]
--> 1
--> Msg 1087, Level 15, State 2, Line 13: Must declare the table variable "@v".
open o
go
--> Msg 1087, Level 15, State 2, Line 1: Must declare the table variable "@v".
deallocate o
-- A TRY of the same text does not see that a cursor cannot be bound; one of a caller does.
declare e cursor for select a from t
go
drop table t
go
create procedure opens as open e
go
begin try
    exec opens
end try
begin catch
    select error_number() as number
end catch
go
--> [number:int]
--> 208
begin try
    open e
end try
begin catch
    select error_number() as number
end catch
go
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 't'.
deallocate e
go
-- A CTE of the query is no table that is missing.
create table t (a int)
go
declare w cursor for with x as (select a from t) select b from x
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'b'.
declare w cursor for with x as (select a from t) select a from x
exec sp_rename 't.a', 'b', 'column'
open w
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> Msg 207, Level 16, State 1, Line 3: Invalid column name 'a'.
deallocate w
go
-- A cursor for a procedure's parameter is refused by name.
create procedure gives @c cursor varying output as set @c = cursor for select 1 as one
go
declare @m cursor
exec gives @c = @m output
go
use master
drop database renewed
go
