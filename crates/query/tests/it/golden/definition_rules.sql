-- differs clustered, secondary: an index on a table whose creation is refused is refused too
-- differs variables: a message names the table
-- What a definition must not say.
create database definition_rules
go
use definition_rules
set nocount on
go
create schema s
go
create table s.t (id int)
go
-- Nullability.
create table a (a int constraint nn not null, b int constraint maybe null)
select name, is_nullable from sys.columns where object_id = object_id('a') order by column_id
go
--> [name:nvarchar(128) | is_nullable:bit]
--> a | 0
--> b | 1
create table b (a int not null null)
go
--> Msg 8150, Level 16, State 0, Line 1: Multiple NULL constraints were specified for column 'a', table 'b'.
create table b (a int null primary key)
go
--> Msg 8111, Level 16, State 1, Line 1: Cannot define PRIMARY KEY constraint on nullable column in table 'b'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table b (a int null, b int, constraint pk_b primary key (b, a))
go
--> Msg 8111, Level 16, State 1, Line 1: Cannot define PRIMARY KEY constraint on nullable column in table 'b'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
declare @t table (a int null primary key)
go
--> Msg 8111, Level 16, State 1, Line 1: Cannot define PRIMARY KEY constraint on nullable column in table '@t'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table #b (a int null primary key)
go
--> Msg 8111, Level 16, State 1, Line 1: Cannot define PRIMARY KEY constraint on nullable column in table '#b'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
-- CHECK of a column, defaults of identity columns.
create table b (a int check (a > b), b int)
go
--> Msg 8141, Level 16, State 0, Line 2: Column CHECK constraint for column 'a' references another column, table 'b'.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
create table b (a int check (a > 0), b int, check (a > b))
alter table b add c int check (c > a)
go
--> Msg 8141, Level 16, State 0, Line 2: Column CHECK constraint for column 'c' references another column, table 'b'.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
alter table b add c int check (c > 1 and c < 9)
create table c (a int identity default 5)
go
--> Msg 1754, Level 16, State 0, Line 2: Defaults cannot be created on columns with an IDENTITY attribute. Table 'c', column 'a'.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
create table c (a int identity, b int)
alter table c add default 5 for a
go
--> Msg 1754, Level 16, State 0, Line 2: Defaults cannot be created on columns with an IDENTITY attribute. Table 'c', column 'a'.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
-- Computed columns.
create table d (a int, b as a + 1, c as b + 1)
go
--> Msg 1759, Level 16, State 0, Line 2: Computed column 'b' in table 'd' is not allowed to be used in another computed-column definition.
create table d (a int, b as a + 1, g as getdate(), h as datepart(weekday, getdate()) + a)
alter table d add c as b + 1
go
--> Msg 1759, Level 16, State 0, Line 2: Computed column 'b' in table 'd' is not allowed to be used in another computed-column definition.
create index d_g on d (g)
go
--> Msg 2729, Level 16, State 1, Line 1: Column 'g' in table 'd' cannot be used in an index or statistics or as a partition key because it is non-deterministic.
create index d_h on d (a) include (h)
go
--> Msg 2729, Level 16, State 1, Line 1: Column 'h' in table 'd' cannot be used in an index or statistics or as a partition key because it is non-deterministic.
create index d_b on d (b)
create table e (a int, n as newid() unique)
go
--> Msg 2729, Level 16, State 1, Line 2: Column 'n' in table 'e' cannot be used in an index or statistics or as a partition key because it is non-deterministic.
-- Triggers, parameters, views.
create trigger dbo.tr on s.t after insert as return
go
--> Msg 2103, Level 15, State 1, Line 2: Cannot create trigger 'dbo.tr' because its schema is different from the schema of the target table or view.
create trigger s.tr on s.t after insert as return
go
create type s.ids as table (id int)
go
create procedure p @t s.ids as select count(*) from @t
go
--> Msg 352, Level 15, State 1, Line 1: The table-valued parameter "@t" must be declared with the READONLY option.
create procedure p @t s.ids readonly as select count(*) as n from @t
go
create table #v (a int)
go
create view v as select a from #v
go
--> Msg 4508, Level 16, State 1, Line 1: Views or functions are not allowed on temporary tables. Table names that begin with '#' denote temporary tables.
create view v as select t.id from s.t join (select b from #nothing) x on x.b = t.id
go
--> Msg 4508, Level 16, State 1, Line 1: Views or functions are not allowed on temporary tables. Table names that begin with '#' denote temporary tables.
-- NEWSEQUENTIALID is a default and nothing else.
create table n (id uniqueidentifier default newsequentialid(), a int identity)
insert n default values
insert n default values
insert n default values
select case when x.id < y.id then 1 else 0 end as rises from n x join n y on y.a = x.a + 1
alter table n add more uniqueidentifier not null default (newsequentialid())
select count(distinct more) as n from n
go
--> [rises:int]
--> 1
--> 1
--> [n:int]
--> 3
select newsequentialid()
go
--> Msg 302, Level 16, State 0, Line 1: The newsequentialid() built-in function can only be used in a DEFAULT expression for a column of type 'uniqueidentifier' in a CREATE TABLE or ALTER TABLE statement. It cannot be combined with other operators to form a complex scalar expression.
create table o (id varchar(50) default newsequentialid())
go
--> Msg 302, Level 16, State 0, Line 1: The newsequentialid() built-in function can only be used in a DEFAULT expression for a column of type 'uniqueidentifier' in a CREATE TABLE or ALTER TABLE statement. It cannot be combined with other operators to form a complex scalar expression.
create table o (id uniqueidentifier default isnull(newsequentialid(), newid()))
go
--> Msg 302, Level 16, State 0, Line 1: The newsequentialid() built-in function can only be used in a DEFAULT expression for a column of type 'uniqueidentifier' in a CREATE TABLE or ALTER TABLE statement. It cannot be combined with other operators to form a complex scalar expression.
-- Values of identity columns.
create table i (id int identity, v int)
insert i values (9, 9)
go
--> Msg 8101, Level 16, State 1, Line 3: An explicit value for the identity column in table 'i' can only be specified when a column list is used and IDENTITY_INSERT is ON.
insert i select 9, 9
go
--> Msg 8101, Level 16, State 1, Line 1: An explicit value for the identity column in table 'i' can only be specified when a column list is used and IDENTITY_INSERT is ON.
insert i values (1)
set identity_insert i on
go
insert i values (9, 9)
go
--> Msg 8101, Level 16, State 1, Line 1: An explicit value for the identity column in table 'i' can only be specified when a column list is used and IDENTITY_INSERT is ON.
insert i values (9)
go
--> Msg 545, Level 16, State 1, Line 1: Explicit value must be specified for identity column in table 'i' either when IDENTITY_INSERT is set to ON or when a replication user is inserting into a NOT FOR REPLICATION identity column.
--> # The statement has been terminated.
insert i (id, v) values (9, 9)
set identity_insert i off
insert i values (10)
go
merge i using (select 1 as a) s on 1 = 0 when not matched then insert values (1, 1);
go
--> Msg 8101, Level 16, State 1, Line 1: An explicit value for the identity column in table 'i' can only be specified when a column list is used and IDENTITY_INSERT is ON.
select id, v from i
go
--> [id:int | v:int]
--> 1 | 1
--> 9 | 9
--> 10 | 10
create table j (id tinyint identity(254, 1), v int)
insert j values (1), (2)
insert j values (3)
go
--> Msg 8115, Level 16, State 1, Line 3: Arithmetic overflow error converting IDENTITY to data type tinyint.
--> # The statement has been terminated.
create table #j (id smallint identity(32767, 1), v int)
insert #j values (1)
insert #j values (2)
go
--> Msg 8115, Level 16, State 1, Line 3: Arithmetic overflow error converting IDENTITY to data type smallint.
--> # The statement has been terminated.
select count(*) as n from j
go
--> [n:int]
--> 2
insert i (v) output inserted.id exec ('select 1')
go
--> Msg 483, Level 16, State 2, Line 1: The OUTPUT clause cannot be used in an INSERT...EXEC statement.
use master
drop database definition_rules
go
