-- Foreign keys with actions: from no table is another one reached in two ways, nor the table itself.
set nocount on
create table m1 (id int primary key)
create table m2 (id int primary key, a int constraint m2a references m1 on delete cascade)
go
create table m3 (id int, a int constraint m3a references m1 on delete cascade, b int constraint m3b references m2 on delete cascade)
go
--> Msg 1785, Level 16, State 0, Line 1: Introducing FOREIGN KEY constraint 'm3b' on table 'm3' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table m3 (id int, a int constraint m3a references m1 on delete cascade, b int constraint m3b references m2 on update cascade)
go
-- The two actions are looked at apart; here the second one of ON UPDATE is too much.
alter table m2 add c int constraint m2c references m1 on update cascade
go
alter table m2 add constraint m2d foreign key (a) references m1 on update set default
go
--> Msg 1785, Level 16, State 0, Line 1: Introducing FOREIGN KEY constraint 'm2d' on table 'm2' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table k1 (id int primary key)
create table k3 (a int constraint k3a references k1 on delete cascade, b int constraint k3b references k1 on delete set null)
go
--> Msg 1785, Level 16, State 0, Line 2: Introducing FOREIGN KEY constraint 'k3b' on table 'k3' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
create table k3 (a int constraint k3a references k1 on delete cascade, b int constraint k3b references k1)
alter table k3 add constraint k3c foreign key (b) references k1 on delete set null
go
--> Msg 1785, Level 16, State 0, Line 2: Introducing FOREIGN KEY constraint 'k3c' on table 'k3' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
create table cy1 (id int primary key, r int)
create table cy2 (id int primary key, r int constraint cy2r references cy1 on delete cascade)
alter table cy1 add constraint cy1r foreign key (r) references cy2 on delete cascade
go
--> Msg 1785, Level 16, State 0, Line 3: Introducing FOREIGN KEY constraint 'cy1r' on table 'cy1' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 3: Could not create constraint or index. See previous errors.
alter table cy1 add constraint cy1r foreign key (r) references cy2 on delete set null
go
--> Msg 1785, Level 16, State 0, Line 1: Introducing FOREIGN KEY constraint 'cy1r' on table 'cy1' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table cy1 add constraint cy1r foreign key (r) references cy2
go
create table own (id int primary key, r int constraint ownr references own on delete cascade)
go
--> Msg 1785, Level 16, State 0, Line 1: Introducing FOREIGN KEY constraint 'ownr' on table 'own' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table own (id int primary key, r int constraint ownr references own)
alter table own add constraint ownu foreign key (r) references own on update set null
go
--> Msg 1785, Level 16, State 0, Line 2: Introducing FOREIGN KEY constraint 'ownu' on table 'own' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
-- A way over four tables, closed at its far end; a key that is switched off counts.
create table a1 (id int primary key)
create table a2 (id int primary key, r int constraint a2r references a1 on delete cascade)
create table a3 (id int primary key, r int constraint a3r references a2 on delete set null)
create table a4 (id int primary key, r int constraint a4r references a3 on delete cascade, s int)
alter table a2 nocheck constraint a2r
alter table a4 add constraint a4s foreign key (s) references a1 on delete cascade
go
--> Msg 1785, Level 16, State 0, Line 7: Introducing FOREIGN KEY constraint 'a4s' on table 'a4' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 7: Could not create constraint or index. See previous errors.
alter table a1 add r int constraint a1r references a4 on delete cascade
go
--> Msg 1785, Level 16, State 0, Line 1: Introducing FOREIGN KEY constraint 'a1r' on table 'a1' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table a2 drop constraint a2r
alter table a4 add constraint a4s foreign key (s) references a1 on delete cascade
go
alter table a2 add constraint a2r foreign key (r) references a1 on delete cascade
go
--> Msg 1785, Level 16, State 0, Line 1: Introducing FOREIGN KEY constraint 'a2r' on table 'a2' may cause cycles or multiple cascade paths. Specify ON DELETE NO ACTION or ON UPDATE NO ACTION, or modify other FOREIGN KEY constraints.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
-- Two tables above one are no two ways: neither reaches the other.
create table b1 (id int primary key)
create table b2 (id int primary key)
create table b3 (x int references b1 on delete cascade, y int references b2 on delete cascade on update cascade)
insert b1 values (1)
insert b2 values (2)
insert b3 values (1, 2), (1, null)
delete b1
select count(*) as n from b3
go
--> [n:int]
--> 0
