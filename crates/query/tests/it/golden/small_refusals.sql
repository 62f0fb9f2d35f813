-- differs temporary: the message has the name of the table
-- differs clustered: an index on a table whose creation is refused is refused too
-- differs secondary: an index on a table whose creation is refused is refused too
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
--> Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure '#later'.
exec #made
go
--> [said:varchar(4)]
--> made
rollback transaction s
go
exec #made
go
--> [said:varchar(4)]
--> made
commit
go
exec #made
go
--> [said:varchar(4)]
--> made
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
--> [said:varchar(7)]
--> altered
--> [said:varchar(4)]
--> made
exec #kept
go
--> Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure '#kept'.
begin transaction
save transaction x
go
drop procedure #made
go
rollback transaction x
exec #made
commit
go
--> [said:varchar(4)]
--> made
drop procedure #made
go
-- RAND without a seed is another value each time.
create table t (a int, b as rand() persisted)
go
--> Msg 4936, Level 16, State 1, Line 2: Computed column 'b' in table 't' cannot be persisted because the column is non-deterministic.
create table t (a int, b as rand(a) persisted)
insert t (a) values (1)
select count(*) from t where b = rand(1)
drop table t
go
--> [:int]
--> 1
-- A value beyond the type, and beyond every type.
create table i (id bigint identity, n int)
insert i (n) values (1)
dbcc checkident (i, reseed, 9223372036854775808)
go
--> Msg 2560, Level 16, State 9, Line 4: Parameter 3 is incorrect for this DBCC statement.
insert i (n) values (2)
select id from i order by id
drop table i
select isnumeric(cast(0 as bit)) as of_bit, isnumeric(cast(null as bit)) as of_null
go
--> [id:bigint]
--> 1
--> 2
--> [of_bit:int | of_null:int]
--> 1 | 0
