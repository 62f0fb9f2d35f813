-- What other people's clients, ORMs and migration tools send, found by their own suites.
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
--> Msg 40517, Level 16, State 1, Line 1: CONTAINMENT = PARTIAL is not supported in this version of Millpond.
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
