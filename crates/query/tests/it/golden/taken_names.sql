-- differs temporary: the message has the name of the table
-- A name that is taken and parts that make no date end the batch and the transaction; a TRY that catches them finds it doomed.
set nocount on
create table kept (a int)
create table filled (a int)
go
begin transaction
insert filled values (1)
select 1 as a into kept
print 'not reached'
go
--> Msg 2714, Level 16, State 6, Line 3: There is already an object named 'kept' in the database.
select @@trancount as open_now, (select count(*) from filled) as filled
go
--> [open_now:int | filled:int]
--> 0 | 0
begin transaction
insert filled values (1)
exec ('create table kept (b int) print ''not reached''')
print 'not reached'
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'kept' in the database.
select @@trancount as open_now, (select count(*) from filled) as filled
go
--> [open_now:int | filled:int]
--> 0 | 0
begin transaction
begin try
    create table kept (b int)
end try
begin catch
    select error_number() as number, xact_state() as state
    rollback
end catch
select @@trancount as open_now
go
--> [number:int | state:smallint]
--> 2714 | -1
--> [open_now:int]
--> 0
begin transaction
insert filled values (1)
declare @month int = 13
declare @day date = datefromparts(2024, @month, 1)
print 'not reached'
go
--> Msg 289, Level 16, State 1, Line 4: Cannot construct data type date, some of the arguments have values which are not valid.
select @@trancount as open_now, (select count(*) from filled) as filled
go
--> [open_now:int | filled:int]
--> 0 | 0
begin transaction
begin try
    declare @month int = 13
    declare @moment datetime2 = datetime2fromparts(2024, @month, 1, 0, 0, 0, 0, 0)
end try
begin catch
    select error_number() as number, xact_state() as state
    rollback
end catch
go
--> [number:int | state:smallint]
--> 289 | -1
-- A text that makes two temporary tables of one name did not begin: the transaction stays.
begin transaction
insert filled values (1)
exec ('create table #t (a int) create table #t (b int)')
select @@trancount as open_now, (select count(*) from filled) as filled
rollback
go
--> Msg 2714, Level 16, State 1, Line 1: There is already an object named '#t' in the database.
--> [open_now:int | filled:int]
--> 1 | 1
begin transaction
begin try
    exec ('create table #t (a int) create table #t (b int)')
end try
begin catch
    select error_number() as number, xact_state() as state
end catch
rollback
go
--> [number:int | state:smallint]
--> 2714 | 1
