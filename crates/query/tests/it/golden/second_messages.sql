-- differs snapshot: a transaction that reads by a snapshot changes no definitions (3964)
-- differs secondary: the indexes are dependent on columns that are dropped
-- Statements that say why in one message, and what it means in another.
create database second_messages
go
use second_messages
set nocount on
go
create table p (id int constraint pk_p primary key, v int constraint df_v default 1 constraint ck_v check (v > 0), w int)
create index p_v on p (v)
create table c (id int, p int constraint fk_c references p)
go
-- Who uses a column.
alter table p drop column v
go
--> Msg 5074, Level 16, State 1, Line 2: The index 'p_v' is dependent on column 'v'.
--> Msg 5074, Level 16, State 1, Line 2: The object 'ck_v' is dependent on column 'v'.
--> Msg 5074, Level 16, State 1, Line 2: The object 'df_v' is dependent on column 'v'.
--> Msg 4922, Level 16, State 9, Line 2: ALTER TABLE DROP COLUMN v failed because one or more objects access this column.
alter table p alter column v bigint
go
--> Msg 5074, Level 16, State 1, Line 1: The index 'p_v' is dependent on column 'v'.
--> Msg 5074, Level 16, State 1, Line 1: The object 'ck_v' is dependent on column 'v'.
--> Msg 5074, Level 16, State 1, Line 1: The object 'df_v' is dependent on column 'v'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN v failed because one or more objects access this column.
alter table p drop column id
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'pk_p' is dependent on column 'id'.
--> Msg 5074, Level 16, State 1, Line 1: The object 'fk_c' is dependent on column 'id'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE DROP COLUMN id failed because one or more objects access this column.
begin try
    alter table p drop column v
end try
begin catch
    select error_number() as number, error_message() as text
end catch
go
--> [number:int | text:nvarchar(4000)]
--> 4922 | ALTER TABLE DROP COLUMN v failed because one or more objects access this column.
create view bound with schemabinding as select w from dbo.p
go
alter table p drop column w
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'bound' is dependent on column 'w'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE DROP COLUMN w failed because one or more objects access this column.
-- Constraints.
alter table p drop constraint nothing
go
--> Msg 3728, Level 16, State 1, Line 2: 'nothing' is not a constraint.
--> Msg 3727, Level 16, State 0, Line 2: Could not drop constraint. See previous errors.
alter table p add constraint pk_2 primary key (w)
go
--> Msg 1779, Level 16, State 0, Line 1: Table 'p' already has a primary key defined on it.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table p add constraint df_2 default 2 for v
go
--> Msg 1781, Level 16, State 1, Line 1: Column already has a DEFAULT bound to it.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table p add constraint ck_v check (w > 0)
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'ck_v' in the database.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table c add constraint fk_2 foreign key (p) references p (w)
go
--> Msg 1776, Level 16, State 0, Line 1: There are no primary or candidate keys in the referenced table 'p' that match the referencing column list in the foreign key 'fk_2'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table c add constraint fk_2 foreign key (nothing) references p
go
--> Msg 1769, Level 16, State 1, Line 1: Foreign key 'fk_2' references invalid column 'nothing' in referencing table 'c'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table d (id int constraint pk_p primary key)
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'pk_p' in the database.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table d (id int references nothing)
go
--> Msg 1767, Level 16, State 0, Line 1: Foreign key 'FK__d__id__000003F5' references invalid table 'nothing'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
insert c values (1, null), (1, null)
alter table c add unique (id)
go
--> Msg 1505, Level 16, State 1, Line 2: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.c' and the index name 'UQ__c__00000000000003F6'. The duplicate key value is (1).
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
alter table c add constraint pk_c primary key (id)
go
--> Msg 8111, Level 16, State 1, Line 1: Cannot define PRIMARY KEY constraint on nullable column in table 'c'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create unique index c_id on c (id)
go
--> Msg 1505, Level 16, State 1, Line 1: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.c' and the index name 'c_id'. The duplicate key value is (1).
-- What they end is what the first one ends.
begin tran
alter table p add constraint pk_2 primary key (w)
select 1 as never
go
--> Msg 1779, Level 16, State 0, Line 3: Table 'p' already has a primary key defined on it.
--> Msg 1750, Level 16, State 1, Line 3: Could not create constraint or index. See previous errors.
select @@trancount as n
go
--> [n:int]
--> 0
begin try
    alter table p add constraint pk_2 primary key (w)
end try
begin catch
    select error_number() as number, error_message() as text
end catch
go
--> [number:int | text:nvarchar(4000)]
--> 1750 | Could not create constraint or index. See previous errors.
alter table p add constraint df_2 default 2 for v
go
--> Msg 1781, Level 16, State 1, Line 1: Column already has a DEFAULT bound to it.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
select @@error as number
go
--> [number:int]
--> 1750
-- Views that have lost what they read.
create table base (a int, b int)
go
create view reads_b as select a,
    b from base
go
create view reads_view as select b from reads_b
go
alter table base drop column b
select * from reads_b
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'b'.
--> Msg 4413, Level 16, State 1, Line 2: Could not use view or function 'reads_b' because of binding errors.
select * from dbo.reads_view
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'b'.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'reads_b' because of binding errors.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'dbo.reads_view' because of binding errors.
update reads_b set a = 1
go
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'b'.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'reads_b' because of binding errors.
drop table base
go
select * from reads_view
go
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'base'.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'reads_b' because of binding errors.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'reads_view' because of binding errors.
create procedure later as select a from reads_b
go
exec later
go
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'base'.
--> Msg 4413, Level 16, State 1, Line 1: Could not use view or function 'reads_b' because of binding errors.
use master
drop database second_messages
go
