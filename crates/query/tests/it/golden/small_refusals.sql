-- A procedure of the session that is made behind a savepoint goes with the rollback to it; one that is dropped there comes back.
set nocount on
go
create procedure #kept as select 'kept' as said
go
begin transaction
save transaction s
go
create procedure #made as select 'made' as said
go
drop procedure #kept
go
save transaction s
go
create procedure #later as select 'later' as said
go
rollback transaction s
go
exec #later
go
exec #made
go
rollback transaction s
go
exec #made
go
commit
go
exec #made
go
begin transaction
save transaction outer_one
go
alter procedure #made as select 'altered' as said
go
exec #made
rollback transaction outer_one
exec #made
rollback
go
exec #kept
go
drop procedure #made
go
-- RAND without a seed is another value each time.
create table t (a int, b as rand() persisted)
go
create table t (a int, b as rand(a) persisted)
insert t (a) values (1)
select count(*) from t where b = rand(1)
drop table t
go
-- A value beyond the type, and beyond every type.
create table i (id bigint identity, n int)
insert i (n) values (1)
dbcc checkident (i, reseed, 9223372036854775808)
go
insert i (n) values (2)
select id from i order by id
drop table i
select isnumeric(cast(0 as bit)) as of_bit, isnumeric(cast(null as bit)) as of_null
go
