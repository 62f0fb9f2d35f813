-- differs clustered, secondary: the script makes and lists indexes of its own
-- Indexes of temporary tables are dropped, built anew, disabled, made again and renamed.
create database changed_indexes
go
use changed_indexes
set nocount on
create table #w (i int, j int, s varchar(5) collate Latin1_General_CS_AS)
insert #w values (3, 30, 'c'), (1, 10, 'a'), (2, 20, 'b')
create index q on #w (i)
create unique index u on #w (j)
go
-- Dropped: what it held apart may be equal now.
insert #w values (4, 30, 'd')
drop index u on #w
insert #w values (4, 30, 'd')
drop index u on #w
drop index if exists u on #w
drop index if exists q on #nothing
drop index q on #nothing
select name, index_id, type_desc from tempdb.sys.indexes where object_id = object_id('tempdb..#w') order by index_id
go
--> Msg 2601, Level 14, State 1, Line 2: Cannot insert duplicate key row in object 'dbo.#w' with unique index 'u'. The duplicate key value is (30).
--> # The statement has been terminated.
--> Msg 3701, Level 11, State 5, Line 5: Cannot drop the index '#w.u', because it does not exist or you do not have permission.
--> Msg 3701, Level 11, State 5, Line 8: Cannot drop the index '#nothing.q', because it does not exist or you do not have permission.
--> [name:nvarchar(128) | index_id:int | type_desc:nvarchar(60)]
--> NULL | 0 | HEAP
--> q | 2 | NONCLUSTERED
create unique index u on #w (j)
go
--> Msg 1505, Level 16, State 1, Line 1: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.#w' and the index name 'u'. The duplicate key value is (30).
-- The old way to write it, and several at once.
create index r on #w (s)
drop index #w.q, tempdb..#w.r
select name, index_id, type_desc from tempdb.sys.indexes where object_id = object_id('tempdb..#w') order by index_id
select i, j from #w order by i
go
--> [name:nvarchar(128) | index_id:int | type_desc:nvarchar(60)]
--> NULL | 0 | HEAP
--> [i:int | j:int]
--> 1 | 10
--> 2 | 20
--> 3 | 30
--> 4 | 30
-- A clustered index goes and the rows stay.
create clustered index c on #w (i desc)
create index q on #w (j) include (s)
drop index c on #w
select name, index_id, type_desc from tempdb.sys.indexes where object_id = object_id('tempdb..#w') order by index_id
go
--> [name:nvarchar(128) | index_id:int | type_desc:nvarchar(60)]
--> NULL | 0 | HEAP
--> q | 2 | NONCLUSTERED
select i, j, s from #w with (index (q)) where j >= 20 order by i
go
--> [i:int | j:int | s:varchar(5)]
--> 2 | 20 | b
--> 3 | 30 | c
--> 4 | 30 | d
-- Disabled, it holds nothing apart and gives no rows; built anew it does both again.
delete #w where i = 4
create unique index u on #w (i)
alter index u on #w disable
select name, is_disabled from tempdb.sys.indexes where object_id = object_id('tempdb..#w') order by index_id
insert #w values (1, 11, 'e')
alter index u on #w reorganize
alter index u on #w rebuild
go
--> [name:nvarchar(128) | is_disabled:bit]
--> NULL | 0
--> q | 0
--> u | 1
--> Msg 1973, Level 16, State 1, Line 7: Cannot perform the specified operation on disabled index 'u' on table 'dbo.#w'.
--> Msg 1505, Level 16, State 1, Line 8: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.#w' and the index name 'u'. The duplicate key value is (1).
delete #w where j = 11
alter index u on #w rebuild
insert #w values (1, 12, 'f')
select name, is_disabled from tempdb.sys.indexes where object_id = object_id('tempdb..#w') order by index_id
alter index all on #w disable
insert #w values (1, 14, 'x')
delete #w where j = 14
alter index all on #w rebuild with (fillfactor = 70)
alter index all on #w reorganize
alter index q on #w set (allow_page_locks = off)
alter index nope on #w rebuild
go
--> Msg 2601, Level 14, State 1, Line 3: Cannot insert duplicate key row in object 'dbo.#w' with unique index 'u'. The duplicate key value is (1).
--> # The statement has been terminated.
--> [name:nvarchar(128) | is_disabled:bit]
--> NULL | 0
--> q | 0
--> u | 0
--> Msg 2727, Level 11, State 1, Line 11: Cannot find index 'nope'.
alter index q on #nothing rebuild
select name, is_disabled, fill_factor from tempdb.sys.indexes where object_id = object_id('tempdb..#w') order by index_id
select i, j, s from #w where i = 2
go
--> Msg 1088, Level 16, State 12, Line 1: Cannot find the object "#nothing" because it does not exist or you do not have permissions.
--> [name:nvarchar(128) | is_disabled:bit | fill_factor:tinyint]
--> NULL | 0 | 0
--> q | 0 | 70
--> u | 0 | 70
--> [i:int | j:int | s:varchar(5)]
--> 2 | 20 | b
-- Made again.
create index q on #w (s)
create index q on #w (s) with (drop_existing = on)
create index q2 on #w (s) with (drop_existing = on)
go
--> Msg 1913, Level 16, State 1, Line 2: The operation failed because an index or statistics with name 'q' already exists on table 'dbo.#w'.
--> Msg 7999, Level 16, State 9, Line 4: Could not find any index named 'q2' for table '#w'.
select s from #w with (index (q)) where s > 'a' order by s
select i.name, c.name as column_name from tempdb.sys.indexes i
join tempdb.sys.index_columns k on k.object_id = i.object_id and k.index_id = i.index_id
join tempdb.sys.columns c on c.object_id = k.object_id and c.column_id = k.column_id
where i.object_id = object_id('tempdb..#w') order by i.name
go
--> [s:varchar(5)]
--> b
--> c
--> [name:nvarchar(128) | column_name:nvarchar(128)]
--> q | s
--> u | i
-- The index of a constraint stays with it.
create table #k (a int constraint pk_k primary key, b int constraint uq_k unique, c int)
insert #k values (1, 1, 1), (2, 2, 2)
drop index pk_k on #k
drop index #k.uq_k
create unique index uq_k on #k (c) with (drop_existing = on)
create index uq_k on #k (b) with (drop_existing = on)
create unique index uq_k on #k (b) include (c) with (drop_existing = on)
insert #k values (3, 2, 3)
alter table #k drop constraint uq_k
insert #k values (3, 2, 3)
go
--> Msg 3723, Level 16, State 4, Line 4: An explicit DROP INDEX is not allowed on index '#k.pk_k'. It is being used for PRIMARY KEY constraint enforcement.
--> Msg 3723, Level 16, State 4, Line 5: An explicit DROP INDEX is not allowed on index '#k.uq_k'. It is being used for UNIQUE KEY constraint enforcement.
--> Msg 1907, Level 16, State 1, Line 6: Cannot recreate index 'uq_k'. The new index definition does not match the constraint being enforced by the existing index.
--> Msg 1907, Level 16, State 1, Line 7: Cannot recreate index 'uq_k'. The new index definition does not match the constraint being enforced by the existing index.
--> Msg 1907, Level 16, State 1, Line 8: Cannot recreate index 'uq_k'. The new index definition does not match the constraint being enforced by the existing index.
--> Msg 2627, Level 14, State 1, Line 9: Violation of UNIQUE KEY constraint 'uq_k'. Cannot insert duplicate key in object 'dbo.#k'. The duplicate key value is (2).
--> # The statement has been terminated.
-- Renamed, in tempdb alone.
exec sp_rename '#w.q', 'q3', 'index'
exec tempdb..sp_rename '#w.q', 'q3', 'index'
exec tempdb..sp_rename '#w.nope', 'q4', 'index'
exec tempdb..sp_rename '#w.q3', 'u', 'index'
exec tempdb..sp_rename '#w.s', 'text', 'column'
exec tempdb..sp_rename '#w.i', 'j', 'column'
select db_name() as here
drop index q on #w
drop index q3 on #w
select * from #w order by i
go
--> Msg 15248, Level 11, State 1, Line 2: Either the parameter @objname is ambiguous or the claimed @objtype (INDEX) is wrong.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> Msg 15248, Level 11, State 1, Line 4: Either the parameter @objname is ambiguous or the claimed @objtype (INDEX) is wrong.
--> Msg 15335, Level 11, State 1, Line 5: Error: The new name 'u' is already in use as a INDEX name and would cause a duplicate that is not permitted.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> Msg 15335, Level 11, State 1, Line 7: Error: The new name 'j' is already in use as a COLUMN name and would cause a duplicate that is not permitted.
--> [here:nvarchar(128)]
--> changed_indexes
--> Msg 3701, Level 11, State 5, Line 9: Cannot drop the index '#w.q', because it does not exist or you do not have permission.
--> [i:int | j:int | text:varchar(5)]
--> 1 | 10 | a
--> 2 | 20 | b
--> 3 | 30 | c
-- A table without indexes.
create table #b (i int, j int)
insert #b values (1, 2)
alter index all on #b rebuild
alter index all on #b disable
exec tempdb..sp_rename '#b.j', 'k', 'column'
drop index q on #b
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> Msg 3701, Level 11, State 5, Line 7: Cannot drop the index '#b.q', because it does not exist or you do not have permission.
insert #b values (3, 4)
select * from #b order by i
go
--> [i:int | k:int]
--> 1 | 2
--> 3 | 4
-- All or nothing, and a rollback brings it back.
create index q on #w (text)
begin transaction
drop index q on #w
alter index u on #w disable
insert #w values (1, 13, 'g')
rollback
select name, is_disabled from tempdb.sys.indexes where object_id = object_id('tempdb..#w') order by index_id
insert #w values (1, 13, 'g')
drop index q on #w, nope on #w
select name from tempdb.sys.indexes where object_id = object_id('tempdb..#w') order by index_id
go
--> [name:nvarchar(128) | is_disabled:bit]
--> NULL | 0
--> q | 0
--> u | 0
--> Msg 2601, Level 14, State 1, Line 9: Cannot insert duplicate key row in object 'dbo.#w' with unique index 'u'. The duplicate key value is (1).
--> # The statement has been terminated.
--> Msg 3701, Level 11, State 5, Line 10: Cannot drop the index '#w.nope', because it does not exist or you do not have permission.
--> [name:nvarchar(128)]
--> NULL
--> u
-- In a loop and in a procedure, beside an identity and statements that were bound before.
create procedure turns as
create table #n (id int identity (10, 5), v int)
declare @turn int = 0
while @turn < 3 begin
    create index by_v on #n (v)
    insert #n (v) values (@turn)
    select count(*) as n, max(id) as id from #n where v >= 0
    drop index by_v on #n
    set @turn += 1
end
go
exec turns
exec turns
go
--> [n:int | id:int]
--> 1 | 10
--> [n:int | id:int]
--> 2 | 15
--> [n:int | id:int]
--> 3 | 20
--> [n:int | id:int]
--> 1 | 10
--> [n:int | id:int]
--> 2 | 15
--> [n:int | id:int]
--> 3 | 20
-- Tables of databases: what DROP_EXISTING makes again must be there, and a constraint's index stays its.
create table t (a int constraint pk_t primary key, b int)
create index ix on t (b) with (drop_existing = on)
create index ix on t (b)
create index ix on t (a) with (drop_existing = on)
create unique clustered index pk_t on t (b) with (drop_existing = on)
create unique clustered index pk_t on t (a) with (drop_existing = on)
drop index pk_t on t
use master
exec changed_indexes..sp_rename 't', 'u'
exec nowhere..sp_rename 't', 'u'
go
--> Msg 7999, Level 16, State 9, Line 3: Could not find any index named 'ix' for table 't'.
--> Msg 1907, Level 16, State 1, Line 6: Cannot recreate index 'pk_t'. The new index definition does not match the constraint being enforced by the existing index.
--> Msg 3723, Level 16, State 4, Line 8: An explicit DROP INDEX is not allowed on index 't.pk_t'. It is being used for PRIMARY KEY constraint enforcement.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> Msg 911, Level 16, State 1, Line 11: Database 'nowhere' does not exist. Make sure that the name is entered correctly.
use changed_indexes
select name from sys.tables
select name, type_desc, is_primary_key from sys.indexes where object_id = object_id('u') order by index_id
go
--> [name:nvarchar(128)]
--> u
--> [name:nvarchar(128) | type_desc:nvarchar(60) | is_primary_key:bit]
--> pk_t | CLUSTERED | 1
--> ix | NONCLUSTERED | 0
-- Options that are not said anew stay.
create unique index ux on u (b) with (fillfactor = 60, ignore_dup_key = on)
alter index ux on u rebuild with (pad_index = on)
alter index ux on u set (allow_page_locks = off)
select fill_factor, is_padded, ignore_dup_key, allow_row_locks, allow_page_locks from sys.indexes where name = 'ux'
go
--> [fill_factor:tinyint | is_padded:bit | ignore_dup_key:bit | allow_row_locks:bit | allow_page_locks:bit]
--> 60 | 1 | 1 | 1 | 0
use master
drop database changed_indexes
go
