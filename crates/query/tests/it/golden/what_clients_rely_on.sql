-- What other people's clients, ORMs and migration tools send, found by their own suites.
-- differs parameters: a written number beside a decimal counts by its digits, a parameter by its type
-- differs clustered: the options of the table go to its index
-- differs secondary: the indexes of a table are listed
create database x1
GO
create table x1.dbo.p (a int not null primary key)
create table x1.dbo.c (a int)
GO
-- A name of two parts behind REFERENCES is looked for in the table's database.
alter table x1.dbo.c add constraint fk1 foreign key (a) references dbo.p (a)
create table x1.dbo.c2 (a int references dbo.p (a), b int references p (a))
insert x1.dbo.p values (1)
insert x1.dbo.c2 values (1, null)
select count(*) as n from x1.sys.foreign_keys
GO
--> (1 rows affected)
--> (1 rows affected)
--> [n:int]
--> 3
--> (1 rows affected)
drop database x1
GO
-- sp_rename without a kind: the item behind its table, with and without schema and database.
create table rr (id int not null, other int default 0, constraint PK_rr primary key (id), constraint CK_rr check (id > 0))
create index ixr on rr (other)
GO
declare @db sysname = db_name()
declare @name nvarchar(300) = @db + '.dbo.rr.PK_rr'
exec sp_rename @name, 'PK_a'
exec sp_rename 'dbo.rr.ixr', 'ixa'
exec sp_rename 'rr.CK_rr', 'CK_a'
exec sp_rename 'dbo.rr.other', 'others'
exec sp_rename 'dbo.rr', 'ra'
select name from sys.key_constraints where parent_object_id = object_id('ra')
select name from sys.check_constraints where parent_object_id = object_id('ra')
select name from sys.indexes where object_id = object_id('ra') and is_primary_key = 0
select name from sys.columns where object_id = object_id('ra') order by column_id
GO
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> [name:nvarchar(128)]
--> PK_a
--> (1 rows affected)
--> [name:nvarchar(128)]
--> CK_a
--> (1 rows affected)
--> [name:nvarchar(128)]
--> ixa
--> (1 rows affected)
--> [name:nvarchar(128)]
--> id
--> others
--> (2 rows affected)
exec sp_rename 'ra.nothing', 'x'
GO
--> Msg 15225, Level 11, State 1, Line 1: No item by the name of 'ra.nothing' could be found in the current database 'master', given that @itemtype was input as '(null)'.
-- A column and an index of one name: which is meant is not known.
create index others on ra (id)
exec sp_rename 'ra.others', 'x'
GO
--> Msg 15248, Level 11, State 1, Line 3: Either the parameter @objname is ambiguous or the claimed @objtype (OBJECT) is wrong.
drop table ra
GO
-- sp_prepare binds what it keeps.
declare @h int
exec sp_prepare @h output, N'@p int', N'selec @p + 1 as q'
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '+'.
--> Msg 8180, Level 16, State 1, Line 3: Statement(s) could not be prepared.
declare @h int
exec sp_prepare @h output, N'@p int', N'select * from nosuch where a = @p'
GO
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nosuch'.
--> Msg 8180, Level 16, State 1, Line 2: Statement(s) could not be prepared.
declare @h int
exec sp_prepare @h output, N'@p int', N'select @p + 1 as q', 1
exec sp_execute @h, 41
exec sp_unprepare @h
GO
--> [q:int]
--> [q:int]
--> 42
--> (1 rows affected)
-- Options of tables that promise what is not there.
create table l (a int) with (ledger = on)
GO
--> Msg 40517, Level 16, State 1, Line 2: CREATE TABLE … WITH (LEDGER) is not supported in this version of Millpond.
create table l (a int) with (system_versioning = on)
GO
--> Msg 40517, Level 16, State 1, Line 1: CREATE TABLE … WITH (SYSTEM_VERSIONING) is not supported in this version of Millpond.
create table l (a int) with (no_such_option = on)
GO
--> Msg 155, Level 15, State 1, Line 1: 'NO_SUCH_OPTION' is not a recognized CREATE TABLE option.
create table l (a int) with (data_compression = page, system_versioning = off)
drop table l
GO
create database x2 containment = partial
GO
--> Msg 12824, Level 16, State 1, Line 1: The sp_configure value 'contained database authentication' must be set to 1 in order to create a contained database. You may need to use RECONFIGURE to set the value_in_use.
create database x2 with ledger = on
GO
--> Msg 40517, Level 16, State 1, Line 1: CREATE DATABASE … WITH LEDGER is not supported in this version of Millpond.
alter database current set compatibility_level = 170
GO
--> Msg 15048, Level 16, State 1, Line 1: Valid values of the database compatibility level are 100, 110, 120, 130, 140, 150 or 160.
-- Views over what is not there are empty, and are there.
select count(*) as n from sys.assemblies where is_user_defined = 1
select count(*) as n from sys.availability_databases_cluster
select count(*) as n from sys.service_queues where is_ms_shipped = 0
select name, schema_id from sys.xml_schema_collections
GO
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [name:nvarchar(128) | schema_id:int]
--> sys | 4
--> (1 rows affected)
-- sp_prepare does not enter what a text calls.
create procedure made_inside as begin create table #z (a int) insert #z values (1) select * from #z end
GO
create procedure calls_itself @n int as if @n > 0 begin set @n = @n - 1 exec calls_itself @n end
GO
declare @h int, @i int
exec sp_prepare @h output, N'', N'exec made_inside'
exec sp_prepare @i output, N'', N'exec calls_itself 3'
exec sp_execute @h
exec sp_unprepare @h
exec sp_unprepare @i
GO
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
-- What several rows of a source delete is deleted once.
create table m (id int primary key, v int)
insert m values (1, 100), (2, 200)
merge m t using (values (1, 10), (1, 20)) s (id, v) on t.id = s.id when matched then delete output deleted.id;
select id from m
merge m t using (values (2, 10), (2, 20)) s (id, v) on t.id = s.id when matched then update set v = s.v;
merge m t using (values (2, 10), (2, 20)) s (id, v) on t.id = s.id
    when matched and s.v = 10 then delete when matched then update set v = s.v;
GO
--> (2 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> Msg 8672, Level 16, State 1, Line 6: The MERGE statement attempted to UPDATE or DELETE the same row more than once. This happens when a target row matches more than one source row. A MERGE statement cannot UPDATE/DELETE the same row of the target table multiple times. Refine the ON clause to ensure a target row matches at most one source row, or use the GROUP BY clause to group the source rows.
--> # The statement has been terminated.
--> Msg 8672, Level 16, State 1, Line 7: The MERGE statement attempted to UPDATE or DELETE the same row more than once. This happens when a target row matches more than one source row. A MERGE statement cannot UPDATE/DELETE the same row of the target table multiple times. Refine the ON clause to ensure a target row matches at most one source row, or use the GROUP BY clause to group the source rows.
--> # The statement has been terminated.
-- Nanoseconds are cut to ticks.
select cast('2018-01-02T11:22:33.123456700+12:34' as datetimeoffset) a, cast('23:59:59.999999999' as time(7)) b
GO
--> [a:datetimeoffset(7) | b:time(7)]
--> 2018-01-02 11:22:33.1234567 +12:34 | 23:59:59.9999999
--> (1 rows affected)
create table f1 (a int constraint f1_key primary key)
create table f2 (a int constraint f2_key references f1 (a))
exec sp_fkeys @fktable_name = 'f2', @fktable_owner = ''
GO
--> [PKTABLE_QUALIFIER:nvarchar(128) | PKTABLE_OWNER:nvarchar(128) | PKTABLE_NAME:nvarchar(128) | PKCOLUMN_NAME:nvarchar(128) | FKTABLE_QUALIFIER:nvarchar(128) | FKTABLE_OWNER:nvarchar(128) | FKTABLE_NAME:nvarchar(128) | FKCOLUMN_NAME:nvarchar(128) | KEY_SEQ:smallint | UPDATE_RULE:smallint | DELETE_RULE:smallint | FK_NAME:nvarchar(128) | PK_NAME:nvarchar(128) | DEFERRABILITY:smallint]
--> master | dbo | f1 | a | master | dbo | f2 | a | 1 | 1 | 1 | f2_key | f1_key | 7
--> (1 rows affected)
-- IF and WHILE reset @@ERROR and @@ROWCOUNT ("Using @@ERROR").
raiserror(N'Message', 16, 1)
if @@error <> 0 select @@error as e
GO
--> Msg 50000, Level 16, State 1, Line 2: Message
--> [e:int]
--> 0
--> (1 rows affected)
declare @t table (a int)
insert @t values (1), (2), (3)
if @@rowcount = 0 print 'none' else if @@rowcount > 0 print 'many' else print 'unknown'
insert @t values (1), (2)
declare @n int = @@rowcount
while @@rowcount > 1 break
select @@rowcount as r, @n as n
GO
--> (3 rows affected)
--> # unknown
--> (2 rows affected)
--> [r:int | n:int]
--> 0 | 2
--> (1 rows affected)
-- What stands before a column that is set names the target.
create table t9 (a int, b int)
insert t9 values (1, 2)
update q set z.a = 10 from t9 q join t9 z on 1 = 1
GO
--> (1 rows affected)
--> Msg 4104, Level 16, State 1, Line 4: The multi-part identifier "z.a" could not be bound.
update t9 set [unknown].a = 7
GO
--> Msg 4104, Level 16, State 1, Line 1: The multi-part identifier "unknown.a" could not be bound.
update t9 set t9.a = 7, dbo.t9.b = 8
update q set q.a = q.a + 1 from t9 q
merge t9 as t using (values (8, 9)) as s (a, b) on t.a = s.a when matched then update set t.b = s.b;
select a, b from t9
GO
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [a:int | b:int]
--> 8 | 9
--> (1 rows affected)
update t9 set s.b = 1 from t9 join (values (8, 3)) s (a, b) on s.a = t9.a
GO
--> Msg 4104, Level 16, State 1, Line 1: The multi-part identifier "s.b" could not be bound.
-- A sign is looser than a product ("Operator precedence": level 3).
declare @a int = 10
select 100 / -10 / 2 as a, 8 / - 2 * 4 as b, 100 / - 20 % 7 as c, 100 / -(10) / 2 as d, 100 / +@a / 2 as e, ~ - 2 * 3 as f,
    -100.0 / -100.0 * 10.0 as g, - 7 % 4 as h, 2 - -3 * 4 as i, -@a * 2 + 1 as j, 10 - - @a / 3 as k
GO
--> [a:int | b:int | c:int | d:int | e:int | f:int | g:numeric(15,10) | h:int | i:int | j:int | k:int]
--> -20 | -1 | -16 | -20 | 20 | 5 | 0.1000000000 | -3 | 14 | -19 | 13
--> (1 rows affected)
-- Only a number that is written counts by its digits beside a decimal.
select 10.0 / 3 as a, 10.0 / (3) as b, 10.0 / -3 as c, 10.0 / (1 + 2) as d, 10.0 / cast(3 as int) as e, 10.0 / (3 * 2) as f
select isdate('') as a, isdate(' ') as b, quotename('a', '()') as c, quotename('a', '') as d
GO
--> [a:numeric(8,6) | b:numeric(8,6) | c:numeric(8,6) | d:numeric(14,12) | e:numeric(14,12) | f:numeric(14,12)]
--> 3.333333 | 3.333333 | -3.333333 | 3.333333333333 | 3.333333333333 | 1.666666666666
--> (1 rows affected)
--> [a:int | b:int | c:nvarchar(258) | d:nvarchar(258)]
--> 0 | 0 | (a) | NULL
--> (1 rows affected)
-- A doomed transaction takes no rows into a temporary table either.
create table #doomed (a int)
set xact_abort on
begin transaction
begin try select 1 / 0 end try
begin catch
    begin try insert #doomed values (1) end try begin catch select error_number() as n, xact_state() as s end catch
end catch
rollback
select count(*) as n from #doomed
set xact_abort off
drop table #doomed
GO
--> [:int]
--> [n:int | s:smallint]
--> 3930 | -1
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
