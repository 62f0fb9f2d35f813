-- A change asks the CHECKs that read what it sets, directly or by a computed column; rows that were there before a
-- constraint (WITH NOCHECK) can be changed elsewhere.
create database checks_of_changes
go
use checks_of_changes
set nocount on
go
create table n (id int not null primary key, a int, b int, c as a * 2 persisted, d as b + 100 persisted)
insert n (id, a, b) values (1, 1, 1), (2, 2, 2)
alter table n with nocheck add constraint ck_a check (a > 5)
alter table n with nocheck add constraint ck_d check (d > 105 or d is null)
go
update n set b = 8 where id = 1
merge n using (values (2, 9)) s (id, b) on n.id = s.id when matched then update set b = s.b;
select * from n order by id
go
--> [id:int | a:int | b:int | c:int | d:int]
--> 1 | 1 | 8 | 2 | 108
--> 2 | 2 | 9 | 4 | 109
-- The same values are set all the same.
update n set a = a, b = 9 where id = 1
go
--> Msg 547, Level 16, State 0, Line 2: The UPDATE statement conflicted with the CHECK constraint "ck_a". The conflict occurred in database "checks_of_changes", table "dbo.n", column 'a'.
--> # The statement has been terminated.
merge n using (values (2, 2)) s (id, a) on n.id = s.id when matched then update set a = s.a;
go
--> Msg 547, Level 16, State 0, Line 1: The MERGE statement conflicted with the CHECK constraint "ck_a". The conflict occurred in database "checks_of_changes", table "dbo.n", column 'a'.
--> # The statement has been terminated.
-- A row that a MERGE inserts is checked as a whole, one that it changes is not.
merge n using (values (1, 7), (3, 10)) s (id, v) on n.id = s.id
when matched then update set b = s.v when not matched then insert (id, a, b) values (s.id, s.v, 7);
select * from n order by id
delete n where id = 3
go
--> [id:int | a:int | b:int | c:int | d:int]
--> 1 | 1 | 7 | 2 | 107
--> 2 | 2 | 9 | 4 | 109
--> 3 | 10 | 7 | 20 | 107
merge n using (values (3, 1)) s (id, a) on n.id = s.id when not matched then insert (id, a, b) values (s.id, s.a, 0);
go
--> Msg 547, Level 16, State 0, Line 1: The MERGE statement conflicted with the CHECK constraint "ck_a". The conflict occurred in database "checks_of_changes", table "dbo.n", column 'a'.
--> # The statement has been terminated.
-- A constraint over a computed column is asked when a column is set that it is computed of.
alter table n drop constraint ck_a, ck_d
update n set a = 1, b = 1
select * from n order by id
alter table n with nocheck add constraint ck_c check (c > 20)
go
--> [id:int | a:int | b:int | c:int | d:int]
--> 1 | 1 | 1 | 2 | 101
--> 2 | 1 | 1 | 2 | 101
update n set id = id + 10
go
update n set b = 2 where id = 11
go
update n set a = 3 where id = 11
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the CHECK constraint "ck_c". The conflict occurred in database "checks_of_changes", table "dbo.n", column 'c'.
--> # The statement has been terminated.
update n set a = 30, b = 2 where id = 11
select * from n order by id
go
--> [id:int | a:int | b:int | c:int | d:int]
--> 11 | 30 | 2 | 60 | 102
--> 12 | 1 | 1 | 2 | 101
-- Through a view, and a CTE; the view's WITH CHECK OPTION is asked whatever is set.
create view v as select id, a, b from n where b < 5 with check option
go
update v set id = 13 where id = 12;
with x as (select id, a from n) update x set id = 12 where id = 13
select * from n order by id
go
--> [id:int | a:int | b:int | c:int | d:int]
--> 11 | 30 | 2 | 60 | 102
--> 12 | 1 | 1 | 2 | 101
update v set b = 6 where id = 12
go
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
update v set a = 5 where id = 12
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the CHECK constraint "ck_c". The conflict occurred in database "checks_of_changes", table "dbo.n", column 'c'.
--> # The statement has been terminated.
-- A function of the user sees what it is given: other columns that it reads do not count (T. Karaszi, "Be careful with
-- constraints calling UDFs").
create table t (c0 int, c1 nvarchar (50), c2 bit)
go
create function t_uq (@c1 nvarchar (50)) returns bit as
begin
declare @ret bit
if (select count (*) from t where c1 = @c1 and c2 = 1) > 1 set @ret = 0 else set @ret = 1
return @ret
end
go
alter table t add constraint t_c check (dbo.t_uq (c1) = 1)
insert into t (c0, c1, c2) values (1, 'a', 0)
insert into t (c0, c1, c2) values (2, 'a', 0)
insert into t (c0, c1, c2) values (3, 'b', 1)
go
insert into t (c0, c1, c2) values (4, 'b', 1)
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint "t_c". The conflict occurred in database "checks_of_changes", table "dbo.t", column 'c1'.
--> # The statement has been terminated.
update t set c2 = 1 where c1 = 'a'
select * from t order by c0
go
--> [c0:int | c1:nvarchar(50) | c2:bit]
--> 1 | a | 1
--> 2 | a | 1
--> 3 | b | 1
update t set c1 = 'b' where c0 = 1
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the CHECK constraint "t_c". The conflict occurred in database "checks_of_changes", table "dbo.t", column 'c1'.
--> # The statement has been terminated.
-- A cascade sets the columns of its key, and asks for no more.
create table p (id int not null primary key)
create table r (id int not null primary key, p int references p on update cascade on delete set null, v int)
insert p values (1), (2)
insert r values (1, 1, 1), (2, 2, 2)
alter table r with nocheck add constraint ck_v check (v > 5)
go
update p set id = 3 where id = 1
delete p where id = 2
select * from r order by id
alter table r with nocheck add constraint ck_p check (p < 3)
go
--> [id:int | p:int | v:int]
--> 1 | 3 | 1
--> 2 | NULL | 2
update p set id = 4
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the CHECK constraint "ck_p". The conflict occurred in database "checks_of_changes", table "dbo.r", column 'p'.
--> # The statement has been terminated.
-- A rowversion is set by every change.
create table rv (a int, b int, v rowversion)
insert rv (a, b) values (1, 1)
alter table rv with nocheck add constraint ck_rv check (a > 5 or v < 0x0000000000000001)
go
update rv set b = 2
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the CHECK constraint "ck_rv". The conflict occurred in database "checks_of_changes", table "dbo.rv".
--> # The statement has been terminated.
-- Large values that are not read because nobody asks for them.
create table l (id int not null primary key, a varchar (max), b int)
insert l values (1, replicate (cast ('x' as varchar (max)), 20000), 1)
alter table l with nocheck add constraint ck_l check (len (a) < 10)
go
update l set b = 2
select id, len (a) as length, b from l
go
--> [id:int | length:bigint | b:int]
--> 1 | 20000 | 2
update l set a = a + 'y'
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the CHECK constraint "ck_l". The conflict occurred in database "checks_of_changes", table "dbo.l", column 'a'.
--> # The statement has been terminated.
-- Temporary tables and table variables.
create table #n (a int check (a > 0), b int, check (a < b))
insert #n values (1, 2)
go
update #n set b = 1
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the CHECK constraint "CK__n__00000001". The conflict occurred in database "tempdb", table "dbo.#n".
--> # The statement has been terminated.
update #n set a = 0
go
--> Msg 547, Level 16, State 0, Line 1: The UPDATE statement conflicted with the CHECK constraint "CK__n__a__00000000". The conflict occurred in database "tempdb", table "dbo.#n", column 'a'.
--> # The statement has been terminated.
