-- differs secondary: an index on a table whose creation is refused is refused too
-- Keys, foreign keys, checks, defaults, computed columns, identity.
create database shop
go
use shop
set nocount on
go
create table parent (id int not null constraint pk_parent primary key, code varchar(10) constraint uq_code unique, qty int constraint ck_qty check (qty >= 0))
create table child (id int identity(10, 5) primary key, parent_id int null constraint fk_child references parent (id), note varchar(5) default 'none', twice as parent_id * 2)
go
insert parent values (1, 'a', 1), (2, 'b', 2), (3, null, 3)
insert child (parent_id) values (1), (2), (null)
select * from child
select scope_identity() as last
go
--> [id:int | parent_id:int | note:varchar(5) | twice:int]
--> 10 | 1 | none | 2
--> 15 | 2 | none | 4
--> 20 | NULL | none | NULL
--> [last:numeric(38,0)]
--> 20
insert parent values (1, 'z', 1)
insert parent values (4, 'A', 1)
insert parent values (4, null, 1)
insert parent values (4, 'c', -1)
insert child (parent_id) values (9)
insert child (parent_id, note) values (1, 'too long')
update parent set id = 7 where id = 1
delete parent where id = 2
delete parent where id = 3
select * from parent
go
--> Msg 2627, Level 14, State 1, Line 1: Violation of PRIMARY KEY constraint 'pk_parent'. Cannot insert duplicate key in object 'dbo.parent'. The duplicate key value is (1).
--> # The statement has been terminated.
--> Msg 2627, Level 14, State 1, Line 2: Violation of UNIQUE KEY constraint 'uq_code'. Cannot insert duplicate key in object 'dbo.parent'. The duplicate key value is (A).
--> # The statement has been terminated.
--> Msg 2627, Level 14, State 1, Line 3: Violation of UNIQUE KEY constraint 'uq_code'. Cannot insert duplicate key in object 'dbo.parent'. The duplicate key value is (<NULL>).
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 4: The INSERT statement conflicted with the CHECK constraint "ck_qty". The conflict occurred in database "shop", table "dbo.parent", column 'qty'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 5: The INSERT statement conflicted with the FOREIGN KEY constraint "fk_child". The conflict occurred in database "shop", table "dbo.parent", column 'id'.
--> # The statement has been terminated.
--> Msg 2628, Level 16, State 1, Line 6: String or binary data would be truncated in table 'shop.dbo.child', column 'note'. Truncated value: 'too l'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 7: The UPDATE statement conflicted with the REFERENCE constraint "fk_child". The conflict occurred in database "shop", table "dbo.child", column 'parent_id'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 8: The DELETE statement conflicted with the REFERENCE constraint "fk_child". The conflict occurred in database "shop", table "dbo.child", column 'parent_id'.
--> # The statement has been terminated.
--> [id:int | code:varchar(10) | qty:int]
--> 1 | a | 1
--> 2 | b | 2
insert child (id, parent_id) values (1, 1)
set identity_insert child on
insert child (id, parent_id) values (100, 1)
set identity_insert child off
insert child (parent_id) values (2)
select id, parent_id, twice from child order by id desc
go
--> Msg 544, Level 16, State 1, Line 1: Cannot insert explicit value for identity column in table 'child' when IDENTITY_INSERT is set to OFF.
--> # The statement has been terminated.
--> [id:int | parent_id:int | twice:int]
--> 105 | 2 | 4
--> 100 | 1 | 2
--> 20 | NULL | NULL
--> 15 | 2 | 4
--> 10 | 1 | 2
update child set parent_id = parent_id + 1 where id = 10
select id, parent_id, twice from child where id = 10
go
--> [id:int | parent_id:int | twice:int]
--> 10 | 2 | 4
alter table child drop constraint fk_child
alter table child add constraint fk_child2 foreign key (parent_id) references parent (id) on delete cascade
delete parent where id = 2
select id from child
go
--> [id:int]
--> 20
--> 100
create table c2 (id int primary key, p int null references parent (id) on delete set null on update cascade)
insert c2 values (1, 1)
update parent set id = 50 where id = 1
select * from c2
delete child
delete parent where id = 50
select * from c2
go
--> Msg 547, Level 16, State 0, Line 3: The UPDATE statement conflicted with the REFERENCE constraint "fk_child2". The conflict occurred in database "shop", table "dbo.child", column 'parent_id'.
--> # The statement has been terminated.
--> [id:int | p:int]
--> 1 | 1
--> [id:int | p:int]
--> 1 | 1
create table bad (a int primary key, b int primary key)
create table bad (a int references nowhere (x))
go
--> Msg 8110, Level 16, State 0, Line 1: Cannot add multiple PRIMARY KEY constraints to table 'bad'.
--> Msg 1767, Level 16, State 0, Line 2: Foreign key 'FK__bad__a__000003F8' references invalid table 'nowhere'.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
create table parent (a int)
drop table parent
drop table nothing
drop table if exists nothing
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'parent' in the database.
