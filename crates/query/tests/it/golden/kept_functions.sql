-- Functions of the user in DEFAULT, CHECK and computed columns of stored tables.
create database kept
go
use kept
set nocount on
go
create function dbo.half (@x int) returns int as begin return @x / 2 end
go
create function dbo.is_small (@x int, @most int = 10) returns bit as begin declare @r bit = 0; if @x <= @most set @r = 1; return @r end
go
create function dbo.rows_of (@k int) returns int as begin return (select count(*) from dbo.lines where k = @k) end
go
create table lines (id int identity primary key, k int not null default dbo.half(8), h as dbo.half(k), u varchar(30) default upper(concat('a', dbo.half(4))), t datetime2 default sysutcdatetime(), constraint ck_small check (dbo.is_small(k, default) = 1))
alter table lines add constraint ck_few check (dbo.rows_of(k) <= 2)
insert lines default values
insert lines (k) values (6), (7)
insert lines (k) values (11)
update lines set k = 12 where id = 1
insert lines default values
insert lines default values
select id, k, h, u from lines order by id
go
--> Msg 547, Level 16, State 0, Line 5: The INSERT statement conflicted with the CHECK constraint "ck_small". The conflict occurred in database "kept", table "dbo.lines", column 'k'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 6: The UPDATE statement conflicted with the CHECK constraint "ck_small". The conflict occurred in database "kept", table "dbo.lines", column 'k'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 8: The INSERT statement conflicted with the CHECK constraint "ck_few". The conflict occurred in database "kept", table "dbo.lines", column 'k'.
--> # The statement has been terminated.
--> [id:int | k:int | h:int | u:varchar(30)]
--> 1 | 4 | 2 | A2
--> 2 | 6 | 3 | A2
--> 3 | 7 | 3 | A2
--> 5 | 4 | 2 | A2
-- another body counts at once; what is needed stays
create function dbo.late () returns int as begin return 1 end
go
create table calls (a int default dbo.late(), b int)
insert calls (b) values (1)
drop function dbo.late
drop function dbo.half
drop function dbo.is_small
go
--> Msg 3729, Level 16, State 1, Line 3: Cannot DROP FUNCTION 'dbo.late' because it is being referenced by object 'DF__calls__a__000003F4'.
--> Msg 3729, Level 16, State 1, Line 4: Cannot DROP FUNCTION 'dbo.half' because it is being referenced by object 'DF__lines__k__000003EC'.
--> Msg 3729, Level 16, State 1, Line 5: Cannot DROP FUNCTION 'dbo.is_small' because it is being referenced by object 'ck_small'.
alter function dbo.late () returns int as begin return 2 end
go
--> Msg 3729, Level 16, State 1, Line 1: Cannot ALTER 'dbo.late' because it is being referenced by object 'DF__calls__a__000003F4'.
create function dbo.late2 () returns int as begin return 2 end
go
alter table calls add c int not null constraint df_c default dbo.late2() with values
select * from calls
alter table calls drop constraint df_c
drop function dbo.late2
create table #t (a int default dbo.half(10), b as dbo.half(a))
insert #t default values
select * from #t
begin tran
drop table calls
drop function dbo.late
rollback
go
--> [a:int | b:int | c:int]
--> 1 | 1 | 2
--> [a:int | b:int]
--> 5 | 2
insert calls (b, c) values (2, 3)
select * from calls
go
--> [a:int | b:int | c:int]
--> 1 | 1 | 2
--> 1 | 2 | 3
