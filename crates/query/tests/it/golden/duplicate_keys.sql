-- IGNORE_DUP_KEY leaves rows out of an INSERT; no other statement loses rows by it.
create database duplicate_keys
go
use duplicate_keys
set nocount on
go
create table du (i int primary key, a int)
create unique index ui on du (a) with (ignore_dup_key = on)
insert du values (1, 1), (2, 2), (3, 3), (4, 3)
select * from du order by i
go
--> # Duplicate key was ignored.
--> [i:int | a:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
-- UPDATE: several rows of one value, a value that is taken, and values that change places.
update du set a = 5
select @@error as error, @@rowcount as n
go
--> Msg 2601, Level 14, State 1, Line 2: Cannot insert duplicate key row in object 'dbo.du' with unique index 'ui'. The duplicate key value is (5).
--> # The statement has been terminated.
--> [error:int | n:int]
--> 2601 | 0
update du set a = 2 where i = 1
go
--> Msg 2601, Level 14, State 1, Line 1: Cannot insert duplicate key row in object 'dbo.du' with unique index 'ui'. The duplicate key value is (2).
--> # The statement has been terminated.
update du set a = 4 - a
select * from du order by i
go
--> [i:int | a:int]
--> 1 | 3
--> 2 | 2
--> 3 | 1
create table dp (a int primary key with (ignore_dup_key = on), v int)
insert dp values (1, 1), (2, 2)
insert dp values (2, 9), (3, 3)
go
--> # Duplicate key was ignored.
update dp set a = 2 where a = 1
go
--> Msg 2627, Level 14, State 1, Line 1: Violation of PRIMARY KEY constraint 'PK__dp__00000000000003EB'. Cannot insert duplicate key in object 'dbo.dp'. The duplicate key value is (2).
--> # The statement has been terminated.
update dp set a = 7
go
--> Msg 2627, Level 14, State 1, Line 1: Violation of PRIMARY KEY constraint 'PK__dp__00000000000003EB'. Cannot insert duplicate key in object 'dbo.dp'. The duplicate key value is (7).
--> # The statement has been terminated.
select * from dp order by a
go
--> [a:int | v:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
-- MERGE: neither its INSERT nor its UPDATE.
merge du using (values (9, 1)) s (i, a) on du.i = s.i when not matched then insert values (s.i, s.a);
go
--> Msg 2601, Level 14, State 1, Line 2: Cannot insert duplicate key row in object 'dbo.du' with unique index 'ui'. The duplicate key value is (1).
--> # The statement has been terminated.
merge du using (values (1, 1)) s (i, a) on du.i = s.i when matched then update set a = s.a;
go
--> Msg 2601, Level 14, State 1, Line 1: Cannot insert duplicate key row in object 'dbo.du' with unique index 'ui'. The duplicate key value is (1).
--> # The statement has been terminated.
merge du using (values (9, 9), (1, 8)) s (i, a) on du.i = s.i
    when matched then update set a = s.a when not matched then insert values (s.i, s.a);
select * from du order by i
go
--> [i:int | a:int]
--> 1 | 8
--> 2 | 2
--> 3 | 1
--> 9 | 9
-- A cascade.
create table g (id int primary key)
create table h (x int, pid int constraint fk_h references g on delete set null, constraint uq_h unique (pid) with (ignore_dup_key = on))
insert g values (1), (2)
insert h values (10, 1), (20, 2)
go
delete g
go
--> Msg 2627, Level 14, State 1, Line 1: Violation of UNIQUE KEY constraint 'uq_h'. Cannot insert duplicate key in object 'dbo.h'. The duplicate key value is (<NULL>).
--> # The statement has been terminated.
select * from h order by x
delete g where id = 1
select * from h order by x
go
--> [x:int | pid:int]
--> 10 | 1
--> 20 | 2
--> [x:int | pid:int]
--> 10 | NULL
--> 20 | 2
-- Temporary tables and table variables, and an index made over values that are there twice.
create table #du (i int, a int)
create unique index ui on #du (a) with (ignore_dup_key = on)
insert #du values (1, 1), (2, 2), (3, 2)
go
--> # Duplicate key was ignored.
update #du set a = 5
go
--> Msg 2601, Level 14, State 1, Line 1: Cannot insert duplicate key row in object 'dbo.#du' with unique index 'ui'. The duplicate key value is (5).
--> # The statement has been terminated.
select * from #du order by i
go
--> [i:int | a:int]
--> 1 | 1
--> 2 | 2
declare @du table (i int, a int, unique (a) with (ignore_dup_key = on))
insert @du values (1, 1), (2, 2), (3, 2)
begin try
    update @du set a = 5
end try
begin catch
    select error_number() as number
end catch
select * from @du order by i
go
--> # Duplicate key was ignored.
--> [number:int]
--> 2627
--> [i:int | a:int]
--> 1 | 1
--> 2 | 2
create table #dd (a int)
insert #dd values (1), (1)
go
create unique index ud on #dd (a) with (ignore_dup_key = on)
go
--> Msg 1505, Level 16, State 1, Line 1: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.#dd' and the index name 'ud'. The duplicate key value is (1).
select * from #dd
go
--> [a:int]
--> 1
--> 1
