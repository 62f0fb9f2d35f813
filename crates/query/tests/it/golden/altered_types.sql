-- differs clustered, secondary: the indexes are dependent on columns that are altered
-- Columns that are altered: a type is changed only where its values become the other's without CONVERT, whether there are
-- rows or not.
set nocount on
create table h (v varchar(20), b varbinary(20), i int, d datetime, dt date, t time, g uniqueidentifier, f float, s sql_variant)
insert h (v) values ('a')
go
alter table h alter column v varbinary(max)
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type varchar to varbinary(max) is not allowed. Use the CONVERT function to run this query.
alter table h alter column v varbinary(20)
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type varchar to varbinary is not allowed. Use the CONVERT function to run this query.
alter table h alter column d int
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type datetime to int is not allowed. Use the CONVERT function to run this query.
alter table h alter column d decimal(10, 2)
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type datetime to decimal is not allowed. Use the CONVERT function to run this query.
alter table h alter column i date
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: int is incompatible with date
alter table h alter column dt int
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: date is incompatible with int
alter table h alter column t int
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: time is incompatible with int
alter table h alter column t date
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: time is incompatible with date
alter table h alter column i uniqueidentifier
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: int is incompatible with uniqueidentifier
alter table h alter column g int
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: uniqueidentifier is incompatible with int
alter table h alter column b float
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: varbinary is incompatible with float
alter table h alter column s int
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type sql_variant to int is not allowed. Use the CONVERT function to run this query.
alter table h alter column d binary(8)
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type datetime to binary is not allowed. Use the CONVERT function to run this query.
select v from h
go
--> [v:varchar(20)]
--> a
create table e (v varchar(20), n nvarchar(10))
alter table e alter column v varbinary(20)
go
--> Msg 257, Level 16, State 1, Line 2: Implicit conversion from data type varchar to varbinary is not allowed. Use the CONVERT function to run this query.
alter table e alter column n image
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type nvarchar to varbinary(max) is not allowed. Use the CONVERT function to run this query.
create table #h (v varchar(20), i int)
insert #h values ('a', 1)
alter table #h alter column v varbinary(max)
go
--> Msg 257, Level 16, State 1, Line 3: Implicit conversion from data type varchar to varbinary(max) is not allowed. Use the CONVERT function to run this query.
alter table #h alter column i date
go
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: int is incompatible with date
-- A conversion that is implicit goes on.
alter table #h alter column i varchar(10)
alter table #h alter column v nvarchar(10)
select v, i from #h
go
--> [v:nvarchar(10) | i:varchar(10)]
--> a | 1
create table w (i int, v varchar(10), d datetime, f float, b varbinary(8))
insert w values (1, '12', '20200102', 1.5, 0x0000000A)
alter table w alter column i varchar(10)
alter table w alter column v int
alter table w alter column d varchar(30)
alter table w alter column f decimal(10, 2)
alter table w alter column b int
select i, v, d, f, b from w
go
--> [i:varchar(10) | v:int | d:varchar(30) | f:decimal(10,2) | b:int]
--> 1 | 12 | Jan  2 2020 12:00AM | 1.50 | 10
create table x (v varchar(5) constraint ux unique, n nvarchar(5), b varbinary(5), c varchar(5), k varchar(5) not null constraint px primary key)
create index xn on x (n) include (b)
insert x values ('a', 'b', 0x01, 'c', 'k')
alter table x alter column v varchar(25)
alter table x alter column n nvarchar(25)
alter table x alter column b varbinary(25)
alter table x alter column c varchar(25)
update x set v = 'abcdefghij', n = 'abcdefghij', b = 0x01020304050607
select v, n, b from x
go
--> [v:varchar(25) | n:nvarchar(25) | b:varbinary(25)]
--> abcdefghij | abcdefghij | 0x01020304050607
alter table x alter column k varchar(25) not null
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'px' is dependent on column 'k'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN k failed because one or more objects access this column.
alter table x alter column n nvarchar(5)
go
--> Msg 5074, Level 16, State 1, Line 1: The index 'xn' is dependent on column 'n'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN n failed because one or more objects access this column.
create table kept (k varchar(5) constraint uk unique)
create table refers (id int, k varchar(5) constraint fk_refers references kept (k))
alter table kept alter column k varchar(9)
go
--> Msg 5074, Level 16, State 1, Line 3: The object 'fk_refers' is dependent on column 'k'.
--> Msg 4922, Level 16, State 9, Line 3: ALTER TABLE ALTER COLUMN k failed because one or more objects access this column.
alter table refers alter column k varchar(9)
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'fk_refers' is dependent on column 'k'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN k failed because one or more objects access this column.
alter table refers alter column k varchar(5) not null
go
-- A default stays where length, precision or scale change, a CHECK where a length does; a computed column never does.
create table d (v varchar(9) constraint dv default 'x' constraint cv check (v <> 'y'), n decimal(5, 2) constraint dn default 1.5, i int constraint di default 1, c varchar(5), e as c + 'e')
insert d (c) values ('c')
alter table d alter column v varchar(5)
alter table d alter column n decimal(9, 1)
select v, n from d
go
--> [v:varchar(5) | n:decimal(9,1)]
--> x | 1.5
insert d (v) values ('y')
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint "cv". The conflict occurred in database "master", table "dbo.d", column 'v'.
--> # The statement has been terminated.
alter table d alter column i bigint
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'di' is dependent on column 'i'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN i failed because one or more objects access this column.
alter table d alter column v nvarchar(5)
go
--> Msg 5074, Level 16, State 1, Line 1: The object 'cv' is dependent on column 'v'.
--> Msg 5074, Level 16, State 1, Line 1: The object 'dv' is dependent on column 'v'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN v failed because one or more objects access this column.
alter table d alter column c varchar(9)
go
--> Msg 5074, Level 16, State 1, Line 1: The column 'e' is dependent on column 'c'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN c failed because one or more objects access this column.
-- A column takes NULL unless ALTER COLUMN says otherwise, whatever the session's defaults are.
create table z (v varchar(5) not null)
set ansi_null_dflt_on off
set ansi_null_dflt_off on
alter table z alter column v varchar(6)
insert z values (null)
set ansi_null_dflt_off off
set ansi_null_dflt_on on
select v from z
go
--> [v:varchar(6)]
--> NULL
