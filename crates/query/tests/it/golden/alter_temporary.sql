-- differs clustered, secondary: the indexes are dependent on columns that are altered and dropped
-- ALTER TABLE of temporary tables, in their two forms, with and without a transaction.
set nocount on
create table #t (id int, v varchar(5))
insert #t values (1, 'a'), (2, 'b')
alter table #t add n int
alter table #t add k int not null default 7, w as id * 10
select id, v, n, k, w from #t
insert #t (id, v) values (3, 'c')
update #t set n = id where id > 1
select id, v, n, k, w from #t
go
--> [id:int | v:varchar(5) | n:int | k:int | w:int]
--> 1 | a | NULL | 7 | 10
--> 2 | b | NULL | 7 | 20
--> [id:int | v:varchar(5) | n:int | k:int | w:int]
--> 1 | a | NULL | 7 | 10
--> 2 | b | 2 | 7 | 20
--> 3 | c | 3 | 7 | 30
alter table #t alter column v varchar(20) not null
alter table #t alter column n bigint
alter table #t drop column w
insert #t (id, v, n) values (4, 'a longer text', 5000000000)
select * from #t where id > 2
go
--> [id:int | v:varchar(20) | n:bigint | k:int]
--> 3 | c | 3 | 7
--> 4 | a longer text | 5000000000 | 7
alter table #t alter column v varchar(3)
go
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'tempdb.dbo.#t', column 'v'. Truncated value: 'a l'.
alter table #t alter column n bigint not null
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'n', table 'tempdb.dbo.#t'; column does not allow nulls. UPDATE fails.
alter table #t add z int not null
go
--> Msg 4901, Level 16, State 1, Line 1: ALTER TABLE only allows columns to be added that can contain nulls, or have a DEFAULT definition specified, or the column being added is an identity or timestamp column, or alternatively if none of the previous conditions are satisfied the table must be empty to allow addition of this column. Column 'z' cannot be added to non-empty table '#t' because it does not satisfy these conditions.
alter table #t add id int
go
--> Msg 2705, Level 16, State 4, Line 1: Column names in each table must be unique. Column name 'id' in table 'dbo.#t' is specified more than once.
alter table #t drop column nothing
go
--> Msg 4924, Level 16, State 1, Line 1: ALTER TABLE DROP COLUMN failed because column 'nothing' does not exist in table '#t'.
alter table #t drop column if exists nothing
alter table #t drop constraint nothing
go
--> Msg 3728, Level 16, State 1, Line 2: 'nothing' is not a constraint.
--> Msg 3727, Level 16, State 0, Line 2: Could not drop constraint. See previous errors.
alter table #t drop column k
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'DF__t__k__00000001' is dependent on column 'k'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE DROP COLUMN k failed because one or more objects access this column.
alter table #nothing add a int
go
--> Msg 4902, Level 16, State 1, Line 1: Cannot find the object "#nothing" because it does not exist or you do not have permissions.
select count(*) as n from #t
go
--> [n:int]
--> 4
-- Keys, conditions, defaults.
alter table #t alter column id int not null
alter table #t add constraint pk_t primary key (id)
alter table #t add constraint uq_t unique (v), constraint ck_t check (id < 100)
alter table #t add constraint df_t default 42 for n
insert #t (id, v) values (5, 'e')
select id, n from #t where id = 5
insert #t (id, v) values (5, 'f')
go
--> [id:int | n:bigint]
--> 5 | 42
--> Msg 2627, Level 14, State 1, Line 8: Violation of PRIMARY KEY constraint 'pk_t'. Cannot insert duplicate key in object 'dbo.#t'. The duplicate key value is (5).
--> # The statement has been terminated.
insert #t (id, v) values (6, 'e')
go
--> Msg 2627, Level 14, State 1, Line 1: Violation of UNIQUE KEY constraint 'uq_t'. Cannot insert duplicate key in object 'dbo.#t'. The duplicate key value is (e).
--> # The statement has been terminated.
insert #t (id, v) values (100, 'g')
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint "ck_t". The conflict occurred in database "tempdb", table "dbo.#t", column 'id'.
--> # The statement has been terminated.
alter table #t add constraint ck_no check (id > 3)
go
--> Msg 547, Level 16, State 0, Line 1: The ALTER TABLE statement conflicted with the CHECK constraint "ck_no". The conflict occurred in database "tempdb", table "dbo.#t", column 'id'.
alter table #t add constraint pk_no primary key (v)
go
--> Msg 1779, Level 16, State 0, Line 1: Table '#t' already has a primary key defined on it.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table #t drop column id
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'pk_t' is dependent on column 'id'.
--> Msg 5074, Level 16, State 1, Line 1: The object 'ck_t' is dependent on column 'id'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE DROP COLUMN id failed because one or more objects access this column.
alter table #t drop constraint ck_t, constraint pk_t, uq_t
alter table #t drop constraint df_t
insert #t (id, v) values (100, 'e'), (100, 'e')
alter table #t add constraint pk_t primary key (id)
go
--> Msg 1505, Level 16, State 1, Line 4: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.#t' and the index name 'pk_t'. The duplicate key value is (100).
--> Msg 1750, Level 16, State 1, Line 4: Could not create constraint or index. See previous errors.
select id, v, n from #t order by id, v
go
--> [id:int | v:varchar(20) | n:bigint]
--> 1 | a | NULL
--> 2 | b | 2
--> 3 | c | 3
--> 4 | a longer text | 5000000000
--> 5 | e | 42
--> 100 | e | NULL
--> 100 | e | NULL
-- Identity goes on; a new one numbers the rows.
create table #i (id int identity(5, 5), a int)
insert #i (a) values (1), (2)
alter table #i add b int null
insert #i (a) values (3)
select id, a, b from #i
select scope_identity() as last
alter table #i drop column id
alter table #i add n int identity(10, 1)
insert #i (a) values (4)
select a, n from #i order by n
go
--> [id:int | a:int | b:int]
--> 5 | 1 | NULL
--> 10 | 2 | NULL
--> 15 | 3 | NULL
--> [last:numeric(38,0)]
--> 15
--> [a:int | n:int]
--> 1 | 10
--> 2 | 11
--> 3 | 12
--> 4 | 13
-- A rollback brings the table back as it was; so does a statement that fails.
create table #r (id int primary key, v int)
insert #r values (1, 1), (2, 2)
begin tran
alter table #r add w int not null default 3
update #r set w = 4, v = 9 where id = 2
insert #r values (3, 3, 3)
select * from #r
rollback
select * from #r
insert #r values (3, 3)
begin tran
insert #r values (4, 4)
save tran here
alter table #r drop column v
insert #r values (5)
select * from #r
rollback tran here
select * from #r
commit
select * from #r
go
--> [id:int | v:int | w:int]
--> 1 | 1 | 3
--> 2 | 9 | 4
--> 3 | 3 | 3
--> [id:int | v:int]
--> 1 | 1
--> 2 | 2
--> [id:int]
--> 1
--> 2
--> 3
--> 4
--> 5
--> [id:int | v:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> 4 | 4
--> [id:int | v:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> 4 | 4
begin try
    alter table #r add a int not null default 1, v int
end try
begin catch
    select error_number() as number
end catch
select * from #r
go
--> [number:int]
--> 2705
--> [id:int | v:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> 4 | 4
-- In procedures, by other scopes, in loops.
create procedure #grow as
    alter table #r add note varchar(10) null
    exec ('update #r set note = ''x'' where id = 1')
go
exec #grow
go
select id, note from #r
go
--> [id:int | note:varchar(10)]
--> 1 | x
--> 2 | NULL
--> 3 | NULL
--> 4 | NULL
declare @i int = 0
while @i < 3
begin
    create table #l (id int)
    insert #l values (@i)
    alter table #l add twice int
    update #l set twice = 2 * id
    select id, twice from #l
    drop table #l
    set @i += 1
end
go
--> [id:int | twice:int]
--> 0 | 0
--> [id:int | twice:int]
--> 1 | 2
--> [id:int | twice:int]
--> 2 | 4
