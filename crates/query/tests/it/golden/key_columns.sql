-- differs clustered, secondary: an index on a table whose creation is refused is refused too; columns with indexes refuse more
-- What ALTER TABLE must not do to columns of keys, and what new columns must not be.
create database key_columns
go
use key_columns
set nocount on
go
create table pkn (a varchar(10) not null constraint pk_pkn primary key, b int not null constraint uq_pkn unique, c int null, d varchar(10) null)
create index ix_c on pkn (c)
create index ix_d on pkn (d)
insert pkn values ('a', 1, 1, 'd')
go
alter table pkn alter column a varchar(20) null
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'pk_pkn' is dependent on column 'a'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN a failed because one or more objects access this column.
alter table pkn alter column a varchar(10) null
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'pk_pkn' is dependent on column 'a'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN a failed because one or more objects access this column.
alter table pkn alter column a varchar(20) not null
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'pk_pkn' is dependent on column 'a'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN a failed because one or more objects access this column.
alter table pkn alter column b int null
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'uq_pkn' is dependent on column 'b'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN b failed because one or more objects access this column.
alter table pkn alter column c int not null
go
--> Msg 5074, Level 16, State 1, Line 1: The index 'ix_c' is dependent on column 'c'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN c failed because one or more objects access this column.
-- The same as before, and a text that may become longer.
alter table pkn alter column a varchar(10) not null
alter table pkn alter column b int not null
alter table pkn alter column d varchar(20) not null
alter table pkn alter column d varchar(20) null
select name, max_length, is_nullable from sys.columns where object_id = object_id('pkn') order by column_id
go
--> [name:nvarchar(128) | max_length:smallint | is_nullable:bit]
--> a | 10 | 0
--> b | 4 | 0
--> c | 4 | 1
--> d | 20 | 1
insert pkn values (null, 2, 2, 'e')
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'a', table 'key_columns.dbo.pkn'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
create table pki (a int not null constraint pk_pki primary key)
create table fki (a int not null constraint fk_fki references pki)
go
alter table pki alter column a int null
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'pk_pki' is dependent on column 'a'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN a failed because one or more objects access this column.
alter table pki alter column a bigint not null
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'pk_pki' is dependent on column 'a'.
--> Msg 5074, Level 16, State 1, Line 1: The object 'fk_fki' is dependent on column 'a'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN a failed because one or more objects access this column.
create table #k (a int not null primary key)
go
begin try
    alter table #k alter column a int null
end try
begin catch
    select error_number() as number
end catch
insert #k values (1)
select * from #k
go
--> [number:int]
--> 4922
--> [a:int]
--> 1
insert #k values (null)
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'a', table 'tempdb.dbo.#k'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
-- Columns that are added: what must not be NULL is not NULL.
create table cs (a int)
insert cs values (null), (1)
go
alter table cs add b as a * 2 persisted not null
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'b', table 'key_columns.dbo.cs'; column does not allow nulls. UPDATE fails.
delete cs where a is null
alter table cs add b as a * 2 persisted not null
insert cs values (3)
select * from cs order by a
select name, is_nullable from sys.columns where object_id = object_id('cs') order by column_id
go
--> [a:int | b:int]
--> 1 | 2
--> 3 | 6
--> [name:nvarchar(128) | is_nullable:bit]
--> a | 1
--> b | 0
insert cs values (null)
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'b', table 'key_columns.dbo.cs'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
update cs set a = null
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'b', table 'key_columns.dbo.cs'; column does not allow nulls. UPDATE fails.
--> # The statement has been terminated.
alter table cs add d int not null constraint df_d default null
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'd', table 'key_columns.dbo.cs'; column does not allow nulls. UPDATE fails.
alter table cs add constraint pk_cs primary key (b)
insert cs values (1)
go
--> Msg 2627, Level 14, State 1, Line 2: Violation of PRIMARY KEY constraint 'pk_cs'. Cannot insert duplicate key in object 'dbo.cs'. The duplicate key value is (2).
--> # The statement has been terminated.
create table #cs (a int)
insert #cs values (null)
go
alter table #cs add b as a * 2 persisted not null
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'b', table 'tempdb.dbo.#cs'; column does not allow nulls. UPDATE fails.
delete #cs
alter table #cs add b as a * 2 persisted not null
insert #cs values (4)
select * from #cs
go
--> [a:int | b:int]
--> 4 | 8
insert #cs values (null)
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'b', table 'tempdb.dbo.#cs'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
create table cn (a int, b as a * 2 not null)
go
--> Msg 8183, Level 16, State 1, Line 1: Only UNIQUE or PRIMARY KEY constraints can be created on computed columns, while CHECK, FOREIGN KEY, and NOT NULL constraints require that computed columns be persisted.
create table cn (a int, b as isnull(a, 0) persisted not null, c as isnull(a, 1))
go
alter table cn add d as a * 2 not null
go
--> Msg 8183, Level 16, State 1, Line 1: Only UNIQUE or PRIMARY KEY constraints can be created on computed columns, while CHECK, FOREIGN KEY, and NOT NULL constraints require that computed columns be persisted.
alter table cn add d as isnull(a, 2) constraint pk_cn primary key
insert cn values (5)
select * from cn
go
--> [a:int | b:int | c:int | d:int]
--> 5 | 5 | 5 | 5
