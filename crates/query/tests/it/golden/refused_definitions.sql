-- differs clustered, secondary: an index on a table whose creation is refused is refused too
-- Definitions that say what no row could keep to: they are refused when they are made, not when rows come.
create database refused_definitions
go
use refused_definitions
set nocount on
go
-- A subquery in what is kept with a table (1046), which refuses the text before it runs.
create table q1 (a int check (a in (select 1)))
go
--> Msg 1046, Level 15, State 1, Line 2: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create table q1 (a int check (exists (select 1)))
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create table q1 (a int, check (a > all (select 1)))
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create table q1 (a int default (select 1))
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create table q1 (a int, b as (select 1))
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create table q1 (a int, b as case when exists (select 1) then 1 end persisted)
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
print 'not said'
declare @t table (a int default (select 1))
go
--> Msg 1046, Level 15, State 1, Line 2: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create type q1 as table (a int check (a = (select 1)))
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create table q1 (a int)
print 'made'
go
--> # made
alter table q1 add constraint ck check (a < (select max(a) from q1))
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
alter table q1 add default (select 1) for a
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
alter table q1 add b as (select 1)
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create function f() returns @r table (a int default (select 1)) as begin return end
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
-- Without one.
create function one() returns int as begin return (select 1) end
go
create table q2 (a int default (dbo.one()), b as dbo.one() + 1, check (a between 1 and dbo.one()))
insert q2 default values
select * from q2
go
--> [a:int | b:int]
--> 1 | 2
-- A column in a DEFAULT (128).
create table q3 (a int, b int default a)
go
--> Msg 128, Level 15, State 1, Line 2: The name "a" is not permitted in this context. Valid expressions are constants, constant expressions, and (in some contexts) variables. Column names are not permitted.
create table q3 (a int, b int default (a + 1))
go
--> Msg 128, Level 15, State 1, Line 1: The name "a" is not permitted in this context. Valid expressions are constants, constant expressions, and (in some contexts) variables. Column names are not permitted.
alter table q1 add default a for a
go
--> Msg 128, Level 15, State 1, Line 1: The name "a" is not permitted in this context. Valid expressions are constants, constant expressions, and (in some contexts) variables. Column names are not permitted.
create table q3 (a datetime default dateadd(day, 1, 0))
insert q3 default values
select a from q3
go
--> [a:datetime]
--> 1900-01-02 00:00:00.000
-- An action that gives NULL, or nothing, to a column that takes none.
create table p (id int primary key)
go
create table c (a int not null constraint fk_c references p on delete set null)
go
--> Msg 1761, Level 16, State 0, Line 1: Cannot create the foreign key "fk_c" with the SET NULL referential action, because one or more referencing columns are not nullable.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table c (a int not null constraint fk references p on update set null)
go
--> Msg 1761, Level 16, State 0, Line 1: Cannot create the foreign key "fk" with the SET NULL referential action, because one or more referencing columns are not nullable.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table c (a int not null constraint fk references p on delete set default)
go
--> Msg 1762, Level 16, State 0, Line 1: Cannot create the foreign key "fk" with the SET DEFAULT referential action, because one or more referencing not-nullable columns lack a default constraint.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table c (a int not null, b int, constraint fk foreign key (a) references p (id) on delete set null)
go
--> Msg 1761, Level 16, State 0, Line 1: Cannot create the foreign key "fk" with the SET NULL referential action, because one or more referencing columns are not nullable.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table c (a int not null default 1 constraint fk references p on delete set default, b int references p)
create table c2 (a int constraint fk2 references p on delete set null)
create table c3 (a int not null)
go
alter table c3 add constraint fk3 foreign key (a) references p on delete set null
go
--> Msg 1761, Level 16, State 0, Line 1: Cannot create the foreign key "fk3" with the SET NULL referential action, because one or more referencing columns are not nullable.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table c3 add constraint fk3 foreign key (a) references p on update set default
go
--> Msg 1762, Level 16, State 0, Line 1: Cannot create the foreign key "fk3" with the SET DEFAULT referential action, because one or more referencing not-nullable columns lack a default constraint.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table c3 add constraint fk3 foreign key (a) references p on delete cascade on update cascade
go
-- Numbers of an identity column.
create table i (a int identity(1, 0))
go
--> Msg 2753, Level 16, State 1, Line 2: Identity column 'a' contains invalid INCREMENT.
create table i (a tinyint identity(256, 1))
go
--> Msg 2752, Level 16, State 1, Line 1: Identity column 'a' contains invalid SEED.
create table i (a tinyint identity(1, 300))
go
--> Msg 2753, Level 16, State 1, Line 1: Identity column 'a' contains invalid INCREMENT.
declare @t table (a int identity(1, 0))
go
--> Msg 2753, Level 16, State 1, Line 1: Identity column 'a' contains invalid INCREMENT.
create table #i (a smallint identity(40000, 1))
go
--> Msg 2752, Level 16, State 1, Line 1: Identity column 'a' contains invalid SEED.
select identity(int, 1, 0) as a into i from p
go
--> Msg 2753, Level 16, State 1, Line 1: Identity column 'a' contains invalid INCREMENT.
alter table p add b int identity(1, 0)
go
--> Msg 2753, Level 16, State 1, Line 1: Identity column 'b' contains invalid INCREMENT.
create table i (a tinyint identity(255, -1))
insert i default values
insert i default values
select a from i
go
--> [a:tinyint]
--> 255
--> 254
-- IGNORE_DUP_KEY of an index that has nothing to ignore.
create table k (a int, b int)
go
create index x on k (a) with (ignore_dup_key = on)
go
--> Msg 1916, Level 16, State 4, Line 1: CREATE INDEX options nonunique and ignore_dup_key are mutually exclusive.
create table k2 (a int index x with (ignore_dup_key = on))
go
--> Msg 1916, Level 16, State 4, Line 1: CREATE INDEX options nonunique and ignore_dup_key are mutually exclusive.
create index x on k (a)
create unique index u on k (b) with (ignore_dup_key = on)
go
alter index x on k set (ignore_dup_key = on)
go
--> Msg 1915, Level 16, State 1, Line 1: Cannot alter a non-unique index with ignore_dup_key index option. Index 'x' is non-unique.
alter index x on k rebuild with (ignore_dup_key = on)
go
--> Msg 1916, Level 16, State 4, Line 1: CREATE INDEX options nonunique and ignore_dup_key are mutually exclusive.
-- What a disabled index cannot do.
alter index x on k disable
go
alter index x on k reorganize
go
--> Msg 1973, Level 16, State 1, Line 1: Cannot perform the specified operation on disabled index 'x' on table 'dbo.k'.
alter index all on k reorganize
select a from k with (index(u))
go
--> [a:int]
select a from k with (index(x))
go
--> Msg 315, Level 16, State 1, Line 1: Index "x" on table "dbo.k" (specified in the FROM clause) is disabled or resides in a filegroup which is not online.
select a from k with (index(2))
go
--> Msg 316, Level 16, State 1, Line 1: The index ID 2 on table "dbo.k" (specified in the FROM clause) is disabled or resides in a filegroup which is not online.
alter index x on k rebuild
select a from k with (index(x))
go
--> [a:int]
-- Two temporary tables of one name in one text.
if 1 = 0 create table #t (a int) else create table #t (b int)
go
--> Msg 2714, Level 16, State 1, Line 2: There is already an object named '#t' in the database.
print 'not said'
select 1 as a into #t
drop table #t
select 2 as a into #t
go
--> Msg 2714, Level 16, State 1, Line 4: There is already an object named '#t' in the database.
create procedure p2 as
create table #t (a int)
drop table #t
create table #t (b int)
go
--> Msg 2714, Level 16, State 1, Line 4: There is already an object named '#t' in the database.
create procedure p2 as
select 1 as a into #t
exec ('select a from #t create table #u (a int)')
create table #u (a int)
select count(*) as n from #u
go
exec p2
go
--> [a:int]
--> 1
--> [n:int]
--> 0
-- A parameter that is READONLY.
create type ids as table (id int)
go
create procedure w @l ids readonly as delete @l
go
--> Msg 10700, Level 16, State 1, Line 1: The table-valued parameter "@l" is READONLY and cannot be modified.
create procedure w @l ids readonly as delete x from @l x where id = 1
go
--> Msg 10700, Level 16, State 1, Line 1: The table-valued parameter "@l" is READONLY and cannot be modified.
create procedure w @l ids readonly as
insert k output inserted.a into @l values (1, 1)
go
--> Msg 10700, Level 16, State 1, Line 2: The table-valued parameter "@l" is READONLY and cannot be modified.
create procedure w @l ids readonly as
if 1 = 0 update @l set id = 1
go
--> Msg 10700, Level 16, State 1, Line 2: The table-valued parameter "@l" is READONLY and cannot be modified.
create procedure w @l ids readonly as
merge @l as t using (values (1)) s (id) on t.id = s.id when not matched then insert values (id);
go
--> Msg 10700, Level 16, State 1, Line 2: The table-valued parameter "@l" is READONLY and cannot be modified.
create function fw (@l ids readonly) returns int as begin insert @l values (1) return 1 end
go
--> Msg 10700, Level 16, State 1, Line 1: The table-valued parameter "@l" is READONLY and cannot be modified.
create procedure w @l ids readonly as
declare @m ids
insert @m select id + 1 from @l
select id from @m
go
declare @l ids
insert @l values (1)
exec w @l
go
--> [id:int]
--> 2
