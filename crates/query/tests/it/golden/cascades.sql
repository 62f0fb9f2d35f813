-- What a change of a row does to those that refer to it: all of a statement's rows change as one set, and what is left is
-- looked at when all cascades are done.
create database cascades
go
use cascades
set nocount on
go
create table k1 (id int primary key, v varchar(5))
create table k2 (i int primary key, pid int constraint fk_k2 references k1 on update cascade)
insert k1 values (1, 'one'), (2, 'two'), (3, 'three')
insert k2 values (1, 1), (2, 2), (3, 3), (4, 1)
go
update k1 set id = 4 - id
select * from k1 order by id
select * from k2 order by i
update k1 set id = id + 1
select * from k2 order by i
update k1 set id = id - 1
select * from k2 order by i
go
--> [id:int | v:varchar(5)]
--> 1 | three
--> 2 | two
--> 3 | one
--> [i:int | pid:int]
--> 1 | 3
--> 2 | 2
--> 3 | 1
--> 4 | 3
--> [i:int | pid:int]
--> 1 | 4
--> 2 | 3
--> 3 | 2
--> 4 | 4
--> [i:int | pid:int]
--> 1 | 3
--> 2 | 2
--> 3 | 1
--> 4 | 3
-- MERGE: rows that go and rows that take their keys.
create table m1 (id int primary key)
create table m2 (i int primary key, pid int constraint fk_m2 references m1 on update cascade on delete cascade)
insert m1 values (1), (2), (3)
insert m2 values (1, 1), (2, 2), (3, 3)
merge m1 using (values (1, 0), (2, 1), (3, 2)) s (id, new) on m1.id = s.id
    when matched and s.new = 0 then delete when matched then update set id = s.new;
select * from m1 order by id
select * from m2 order by i
go
--> [id:int]
--> 1
--> 2
--> [i:int | pid:int]
--> 2 | 1
--> 3 | 2
-- Keys of two columns, and a chain of three tables whose keys are made of each other's.
create table c1 (a int, b int, primary key (a, b))
create table c2 (a int, b int, c int, primary key (a, b, c), constraint fk_c2 foreign key (a, b) references c1 on update cascade on delete cascade)
create table c3 (i int primary key, a int, b int, c int, constraint fk_c3 foreign key (a, b, c) references c2 on update cascade on delete cascade)
insert c1 values (1, 1), (1, 2), (1, 3)
insert c2 values (1, 1, 1), (1, 2, 1), (1, 3, 1), (1, 3, 2)
insert c3 values (1, 1, 1, 1), (2, 1, 2, 1), (3, 1, 3, 1), (4, 1, 3, 2)
go
update c1 set b = b + 1
select * from c2 order by a, b, c
select * from c3 order by i
delete c1 where b = 3
select * from c2 order by a, b, c
select * from c3 order by i
go
--> [a:int | b:int | c:int]
--> 1 | 2 | 1
--> 1 | 3 | 1
--> 1 | 4 | 1
--> 1 | 4 | 2
--> [i:int | a:int | b:int | c:int]
--> 1 | 1 | 2 | 1
--> 2 | 1 | 3 | 1
--> 3 | 1 | 4 | 1
--> 4 | 1 | 4 | 2
--> [a:int | b:int | c:int]
--> 1 | 2 | 1
--> 1 | 4 | 1
--> 1 | 4 | 2
--> [i:int | a:int | b:int | c:int]
--> 1 | 1 | 2 | 1
--> 3 | 1 | 4 | 1
--> 4 | 1 | 4 | 2
-- A key that moves with the column of a computed one.
create table n1 (id int primary key)
create table n2 (pid int constraint fk_n2 references n1 on update cascade, twice as pid * 2 persisted, constraint uq_n2 unique (twice))
insert n1 values (1), (2)
insert n2 values (1), (2)
update n1 set id = 3 - id
select * from n2 order by pid
go
--> [pid:int | twice:int]
--> 1 | 2
--> 2 | 4
-- SET DEFAULT to a row that is deleted, to one that stays, to one that never was; SET NULL.
create table p9 (id int primary key)
create table c9 (id int, pid int constraint df_c9 default 0 constraint fk_c9 references p9 on delete set default on update set default)
insert p9 values (0), (1), (2)
insert c9 values (1, 0), (2, 1)
go
delete p9 where id = 0
go
--> Msg 547, Level 16, State 0, Line 1: The DELETE statement conflicted with the FOREIGN KEY constraint "fk_c9". The conflict occurred in database "cascades", table "dbo.p9", column 'id'.
--> # The statement has been terminated.
delete p9
go
--> Msg 547, Level 16, State 0, Line 1: The DELETE statement conflicted with the FOREIGN KEY constraint "fk_c9". The conflict occurred in database "cascades", table "dbo.p9", column 'id'.
--> # The statement has been terminated.
delete p9 where id = 1
select * from c9 order by id
go
--> [id:int | pid:int]
--> 1 | 0
--> 2 | 0
update p9 set id = 7 where id = 0
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the FOREIGN KEY constraint "fk_c9". The conflict occurred in database "cascades", table "dbo.p9", column 'id'.
--> # The statement has been terminated.
select * from p9 order by id
select * from c9 order by id
go
--> [id:int]
--> 0
--> 2
--> [id:int | pid:int]
--> 1 | 0
--> 2 | 0
create table d1 (id int primary key)
create table d2 (id int, pid int default 5 constraint fk_d2 references d1 on delete set default)
insert d1 values (1)
insert d2 values (1, 1)
go
delete d1
go
--> Msg 547, Level 16, State 0, Line 1: The DELETE statement conflicted with the FOREIGN KEY constraint "fk_d2". The conflict occurred in database "cascades", table "dbo.d1", column 'id'.
--> # The statement has been terminated.
select * from d1
select * from d2
go
--> [id:int]
--> 1
--> [id:int | pid:int]
--> 1 | 1
-- NO ACTION is asked when all cascades are done: the rows that refer go by another key.
create table a1 (id int primary key)
create table a2 (id int primary key, pid int constraint fk_a2 references a1 on delete cascade)
create table a3 (id int primary key, pid int constraint fk_a3 references a1, qid int constraint fk_a3q references a2 on delete cascade)
insert a1 values (1), (2)
insert a2 values (1, 1), (2, 2)
insert a3 values (1, 1, 1), (2, 2, 1)
go
delete a1 where id = 1
select * from a2 order by id
select * from a3 order by id
insert a3 values (3, 2, null)
go
--> [id:int | pid:int]
--> 2 | 2
--> [id:int | pid:int | qid:int]
delete a1 where id = 2
go
--> Msg 547, Level 16, State 0, Line 1: The DELETE statement conflicted with the REFERENCE constraint "fk_a3". The conflict occurred in database "cascades", table "dbo.a3", column 'pid'.
--> # The statement has been terminated.
-- What is refused further down names the statement.
create table e1 (id int primary key)
create table e2 (id int primary key constraint fk_e2 references e1 on delete cascade)
create table e3 (id int constraint fk_e3 references e2)
insert e1 values (1)
insert e2 values (1)
insert e3 values (1)
go
delete e1
go
--> Msg 547, Level 16, State 0, Line 1: The DELETE statement conflicted with the REFERENCE constraint "fk_e3". The conflict occurred in database "cascades", table "dbo.e3", column 'id'.
--> # The statement has been terminated.
-- A key of the table itself.
create table tr (id int constraint pk_tr primary key, p int constraint fk_tr references tr (id))
insert tr values (1, 1), (2, 1)
go
delete tr where id = 1
go
--> Msg 547, Level 16, State 0, Line 1: The DELETE statement conflicted with the SAME TABLE REFERENCE constraint "fk_tr". The conflict occurred in database "cascades", table "dbo.tr", column 'p'.
--> # The statement has been terminated.
insert tr values (5, 99)
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the FOREIGN KEY SAME TABLE constraint "fk_tr". The conflict occurred in database "cascades", table "dbo.tr", column 'id'.
--> # The statement has been terminated.
update tr set p = 99 where id = 2
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the FOREIGN KEY SAME TABLE constraint "fk_tr". The conflict occurred in database "cascades", table "dbo.tr", column 'id'.
--> # The statement has been terminated.
merge tr using (values (1)) s (id) on tr.id = s.id when matched then delete;
go
--> Msg 547, Level 16, State 0, Line 1: The MERGE statement conflicted with the SAME TABLE REFERENCE constraint "fk_tr". The conflict occurred in database "cascades", table "dbo.tr", column 'p'.
--> # The statement has been terminated.
alter table tr nocheck constraint fk_tr
insert tr values (6, 98)
alter table tr with check check constraint fk_tr
go
--> Msg 547, Level 16, State 0, Line 3: The ALTER TABLE statement conflicted with the FOREIGN KEY SAME TABLE constraint "fk_tr". The conflict occurred in database "cascades", table "dbo.tr", column 'id'.
alter table tr nocheck constraint fk_tr
delete tr where id = 6
alter table tr with check check constraint fk_tr
delete tr
select count(*) as n from tr
go
--> [n:int]
--> 0
