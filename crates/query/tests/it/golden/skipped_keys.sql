-- differs variables: a table of another definition or server cannot be a variable
-- A temporary table gets no foreign key: that is told, and the table is made.
create database skipped_keys
go
use skipped_keys
set nocount on
create table dbo.real (a int primary key)
go
create table #p (a int primary key)
create table #c (b int references #p (a), d int references dbo.nosuch (x))
insert #c values (5, 6)
select * from #c
go
--> # Skipping FOREIGN KEY constraint '#c' definition for temporary table. FOREIGN KEY constraints are not enforced on local or global temporary tables.
--> # Skipping FOREIGN KEY constraint '#c' definition for temporary table. FOREIGN KEY constraints are not enforced on local or global temporary tables.
--> [b:int | d:int]
--> 5 | 6
create table #c2 (b int, constraint fkx foreign key (b) references dbo.real (a))
insert #c2 values (5)
select * from #c2
go
--> # Skipping FOREIGN KEY constraint 'fkx' definition for temporary table. FOREIGN KEY constraints are not enforced on local or global temporary tables.
--> [b:int]
--> 5
alter table #c2 add constraint fky foreign key (b) references dbo.real (a)
alter table #c2 add e int null constraint fkz references dbo.real (a)
select * from #c2
go
--> # Skipping FOREIGN KEY constraint 'fky' definition for temporary table. FOREIGN KEY constraints are not enforced on local or global temporary tables.
--> # Skipping FOREIGN KEY constraint 'fkz' definition for temporary table. FOREIGN KEY constraints are not enforced on local or global temporary tables.
--> [b:int | e:int]
--> 5 | NULL
alter table #c2 drop constraint fky
go
--> Msg 3728, Level 16, State 1, Line 1: 'fky' is not a constraint.
--> Msg 3727, Level 16, State 0, Line 1: Could not drop constraint. See previous errors.
create table dbo.kept (b int constraint fkr references dbo.real (a))
insert dbo.kept values (5)
go
--> Msg 547, Level 16, State 0, Line 2: The INSERT statement conflicted with the FOREIGN KEY constraint "fkr". The conflict occurred in database "skipped_keys", table "dbo.real", column 'a'.
--> # The statement has been terminated.
use master
drop database skipped_keys
go
