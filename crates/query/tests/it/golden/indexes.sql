-- differs clustered, secondary: the script makes and lists indexes of its own
-- Indexes: made over rows, used, unique, filtered, covering; ALTER TABLE.
create database shop
go
use shop
set nocount on
go
create table t (a int not null, b varchar(10), c int, d decimal(6,2))
declare @n int = 0
while @n < 200
begin
    insert t values (@n, concat('n', @n % 10), @n % 7, @n / 4.0)
    set @n += 1
end
go
create index ix_b on t (b, a desc) include (d) with (pad_index = off, fillfactor = 80, allow_page_locks = off)
create unique clustered index cx on t (a)
create unique index ix_bad on t (c)
go
--> Msg 1505, Level 16, State 1, Line 3: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.t' and the index name 'ix_bad'. The duplicate key value is (0).
select top 3 a from t where b = 'n3' order by a desc
select count(*) from t where b = 'N3'
select a, d from t where b = 'n3' and a > 180
select a, c from t with (index(ix_b)) where b = 'n3' and a between 10 and 30
select top 2 a from t order by a desc
select max(a), min(a), sum(c), count(distinct c), avg(c) from t where a < 100
go
--> [a:int]
--> 193
--> 183
--> 173
--> [:int]
--> 20
--> [a:int | d:decimal(6,2)]
--> 193 | 48.25
--> 183 | 45.75
--> [a:int | c:int]
--> 23 | 2
--> 13 | 6
--> [a:int]
--> 199
--> 198
--> [:int | :int | :int | :int | :int]
--> 99 | 0 | 295 | 7 | 2
update t set b = 'x' where a = 33
select a from t where b = 'x'
delete t where b = 'n4'
select count(*) from t
update t set a = a + 1 where a >= 100
select min(a), max(a), count(*) from t where a >= 100
go
--> [a:int]
--> 33
--> [:int]
--> 180
--> [:int | :int | :int]
--> 101 | 200 | 90
create unique index ux on t (c) where c > 100
insert t values (1000, 'q', 500, 0)
insert t values (1001, 'q', 500, 0)
insert t values (1001, 'q', 5, 0)
go
--> Msg 2601, Level 14, State 1, Line 3: Cannot insert duplicate key row in object 'dbo.t' with unique index 'ux'. The duplicate key value is (500).
--> # The statement has been terminated.
alter table t add e int not null constraint df_e default (5), f varchar(3) null
go
select top 2 a, e, f from t order by a
alter table t drop column d
alter index all on t rebuild
drop index ix_b on t
alter table t drop column d
alter table t alter column b varchar(30) not null
alter table t add constraint ck_e check (e > 5)
alter table t with nocheck add constraint ck_e check (e > 5)
update t set e = 4 where a = 1
select top 2 * from t order by a
go
--> [a:int | e:int | f:varchar(3)]
--> 0 | 5 | NULL
--> 1 | 5 | NULL
--> Msg 5074, Level 16, State 1, Line 2: The index 'ix_b' is dependent on column 'd'.
--> Msg 4922, Level 16, State 9, Line 2: ALTER TABLE DROP COLUMN d failed because one or more objects access this column.
--> Msg 547, Level 16, State 0, Line 7: The ALTER TABLE statement conflicted with the CHECK constraint "ck_e". The conflict occurred in database "shop", table "dbo.t", column 'e'.
--> Msg 547, Level 16, State 0, Line 9: The UPDATE statement conflicted with the CHECK constraint "ck_e". The conflict occurred in database "shop", table "dbo.t", column 'e'.
--> # The statement has been terminated.
--> [a:int | b:varchar(30) | c:int | e:int | f:varchar(3)]
--> 0 | n0 | 0 | 5 | NULL
--> 1 | n1 | 1 | 5 | NULL
drop index cx on t
select count(*) from t
truncate table t
select count(*) from t
insert t (a, b, c, e) values (1, 'one', 1, 6)
select * from t
go
--> [:int]
--> 182
--> [:int]
--> 0
--> [a:int | b:varchar(30) | c:int | e:int | f:varchar(3)]
--> 1 | one | 1 | 6 | NULL
create index ix on t (a)
create index ix on t (a)
create index iy on t (nope)
drop index nope on t
select * from shop..t
select * from shop.dbo.t
select * from nowhere.dbo.t
go
--> Msg 1913, Level 16, State 1, Line 2: The operation failed because an index or statistics with name 'ix' already exists on table 'dbo.t'.
--> Msg 1911, Level 16, State 1, Line 3: Column name 'nope' does not exist in the target table or view.
--> Msg 3701, Level 11, State 5, Line 4: Cannot drop the index 't.nope', because it does not exist or you do not have permission.
--> [a:int | b:varchar(30) | c:int | e:int | f:varchar(3)]
--> 1 | one | 1 | 6 | NULL
--> [a:int | b:varchar(30) | c:int | e:int | f:varchar(3)]
--> 1 | one | 1 | 6 | NULL
--> Msg 208, Level 16, State 1, Line 7: Invalid object name 'nowhere.dbo.t'.

-- A cast that cuts keeps no order: the key that it makes is no key to seek by.
create table dbo.cut (v varchar(10) not null primary key)
insert dbo.cut values ('abc'), ('abcdef'), ('abd'), ('ab')
select v from dbo.cut where cast(v as varchar(3)) = 'abc' order by v
select v from dbo.cut where cast(v as varchar(20)) = 'abc' order by v
go
--> [v:varchar(10)]
--> abc
--> abcdef
--> [v:varchar(10)]
--> abc
