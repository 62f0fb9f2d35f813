-- differs parameters: a constant length of LEFT, RIGHT and SUBSTRING is that of its result
-- differs secondary: it lists indexes
create database shop
go
use shop
go
create schema sales
go
create type sales.code from varchar(10) not null
go
create table sales.customer (
  id int identity(10, 5) not null constraint PK_customer primary key,
  code sales.code,
  name nvarchar(40) not null constraint UQ_name unique,
  credit decimal(9, 2) null constraint DF_credit default 0,
  made datetime2(3) not null default sysdatetime(),
  constraint CK_credit check (credit >= 0)
)
create table dbo.orders (
  o_id bigint not null,
  customer int not null,
  line smallint not null,
  amount money null,
  twice as amount * 2,
  constraint PK_orders primary key nonclustered (o_id desc, line),
  constraint FK_customer foreign key (customer) references sales.customer (id) on delete cascade
)
create index IX_customer on dbo.orders (customer) include (amount) where amount > 5 with (fillfactor = 80)
insert sales.customer (code, name) values ('a', 'Anna'), ('b', 'Bert'), ('c', 'Cora')
insert dbo.orders values (1, 10, 1, 7), (1, 15, 2, 3)
go
--> (3 rows affected)
--> (2 rows affected)
create view dbo.rich as select id, name, credit + 1 as more from sales.customer
go
create procedure dbo.note @id int, @text nvarchar(50) = 'x', @n int output as set @n = @id
go
create function dbo.twice(@x int) returns bigint as begin return @x * 2 end
go
create function dbo.orders_of(@c int) returns table as return select o_id, amount from dbo.orders where customer = @c
go
create sequence dbo.numbers as int start with 5 increment by 2
create synonym dbo.people for sales.customer
go
select name, type, type_desc, schema_name(schema_id) as s, object_name(parent_object_id) as parent, is_ms_shipped
from sys.objects where is_ms_shipped = 0 and name not like '%[_][_]%' order by name
select name, max_column_id_used, durability_desc from sys.tables order by name
select name from sys.views
select name, type from sys.procedures
select name, cast(start_value as int) as s, increment, is_cycling, current_value from sys.sequences
select name, base_object_name from sys.synonyms
select count(*) as n from sys.all_objects where name in ('objects', 'sp_who', 'customer')
go
--> [name:nvarchar(128) | type:char(2) | type_desc:nvarchar(60) | s:nvarchar(128) | parent:nvarchar(128) | is_ms_shipped:bit]
--> CK_credit | C | CHECK_CONSTRAINT | sales | customer | 0
--> customer | U | USER_TABLE | sales | NULL | 0
--> DF_credit | D | DEFAULT_CONSTRAINT | sales | customer | 0
--> FK_customer | F | FOREIGN_KEY_CONSTRAINT | dbo | orders | 0
--> note | P | SQL_STORED_PROCEDURE | dbo | NULL | 0
--> numbers | SO | SEQUENCE_OBJECT | dbo | NULL | 0
--> orders | U | USER_TABLE | dbo | NULL | 0
--> orders_of | IF | SQL_INLINE_TABLE_VALUED_FUNCTION | dbo | NULL | 0
--> people | SN | SYNONYM | dbo | NULL | 0
--> PK_customer | PK | PRIMARY_KEY_CONSTRAINT | sales | customer | 0
--> PK_orders | PK | PRIMARY_KEY_CONSTRAINT | dbo | orders | 0
--> rich | V | VIEW | dbo | NULL | 0
--> twice | FN | SQL_SCALAR_FUNCTION | dbo | NULL | 0
--> UQ_name | UQ | UNIQUE_CONSTRAINT | sales | customer | 0
--> (14 rows affected)
--> [name:nvarchar(128) | max_column_id_used:int | durability_desc:nvarchar(60)]
--> customer | 5 | SCHEMA_AND_DATA
--> orders | 5 | SCHEMA_AND_DATA
--> (2 rows affected)
--> [name:nvarchar(128)]
--> rich
--> (1 rows affected)
--> [name:nvarchar(128) | type:char(2)]
--> note | P
--> (1 rows affected)
--> [name:nvarchar(128) | s:int | increment:bigint | is_cycling:bit | current_value:bigint]
--> numbers | 5 | 2 | 0 | 5
--> (1 rows affected)
--> [name:nvarchar(128) | base_object_name:nvarchar(1035)]
--> people | [sales].[customer]
--> (1 rows affected)
--> [n:int]
--> 3
--> (1 rows affected)
select object_name(object_id) as t, name, column_id, system_type_id, max_length, c.precision, scale, is_nullable, is_identity, is_computed, collation_name
from sys.columns c where objectproperty(object_id, 'IsMSShipped') = 0 order by t, column_id
select type_name(user_type_id) as t from sys.columns where name = 'code'
select name, seed_value, increment_value, last_value from sys.identity_columns
select name, definition, is_persisted from sys.computed_columns
select name, system_type_id, user_type_id, max_length, is_user_defined from sys.types where user_type_id > 255 or name = 'decimal' order by name
go
--> [t:nvarchar(128) | name:nvarchar(128) | column_id:int | system_type_id:tinyint | max_length:smallint | precision:tinyint | scale:tinyint | is_nullable:bit | is_identity:bit | is_computed:bit | collation_name:nvarchar(128)]
--> customer | id | 1 | 56 | 4 | 10 | 0 | 0 | 1 | 0 | NULL
--> customer | code | 2 | 167 | 10 | 0 | 0 | 0 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS
--> customer | name | 3 | 231 | 80 | 0 | 0 | 0 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS
--> customer | credit | 4 | 106 | 5 | 9 | 2 | 1 | 0 | 0 | NULL
--> customer | made | 5 | 42 | 7 | 23 | 3 | 0 | 0 | 0 | NULL
--> orders | o_id | 1 | 127 | 8 | 19 | 0 | 0 | 0 | 0 | NULL
--> orders | customer | 2 | 56 | 4 | 10 | 0 | 0 | 0 | 0 | NULL
--> orders | line | 3 | 52 | 2 | 5 | 0 | 0 | 0 | 0 | NULL
--> orders | amount | 4 | 60 | 8 | 19 | 4 | 1 | 0 | 0 | NULL
--> orders | twice | 5 | 60 | 8 | 19 | 4 | 1 | 0 | 1 | NULL
--> orders_of | o_id | 1 | 127 | 8 | 19 | 0 | 0 | 0 | 0 | NULL
--> orders_of | amount | 2 | 60 | 8 | 19 | 4 | 1 | 0 | 0 | NULL
--> rich | id | 1 | 56 | 4 | 10 | 0 | 0 | 0 | 0 | NULL
--> rich | name | 2 | 231 | 80 | 0 | 0 | 0 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS
--> rich | more | 3 | 106 | 9 | 10 | 2 | 1 | 0 | 0 | NULL
--> (15 rows affected)
--> [t:nvarchar(128)]
--> code
--> (1 rows affected)
--> [name:nvarchar(128) | seed_value:bigint | increment_value:bigint | last_value:bigint]
--> id | 10 | 5 | 20
--> (1 rows affected)
--> [name:nvarchar(128) | definition:nvarchar(max) | is_persisted:bit]
--> twice | ([amount]*(2)) | 0
--> (1 rows affected)
--> [name:nvarchar(128) | system_type_id:tinyint | user_type_id:int | max_length:smallint | is_user_defined:bit]
--> code | 167 | 257 | 10 | 1
--> decimal | 106 | 106 | 17 | 0
--> sysname | 231 | 256 | 256 | 0
--> (3 rows affected)
select object_name(object_id) as t, name, index_id, type_desc, is_unique, is_primary_key, is_unique_constraint, fill_factor, filter_definition
from sys.indexes order by t, index_id
select i.name, c.index_column_id, col_name(c.object_id, c.column_id) as col, c.key_ordinal, c.is_descending_key, c.is_included_column
from sys.index_columns c join sys.indexes i on i.object_id = c.object_id and i.index_id = c.index_id where i.name like '_X%' or i.name = 'PK_orders' order by i.name, c.index_column_id
select object_name(object_id) as t, index_id, rows from sys.partitions order by t, index_id
select object_name(object_id) as t, sum(row_count) as n from sys.dm_db_partition_stats where index_id < 2 group by object_id order by t
go
--> [t:nvarchar(128) | name:nvarchar(128) | index_id:int | type_desc:nvarchar(60) | is_unique:bit | is_primary_key:bit | is_unique_constraint:bit | fill_factor:tinyint | filter_definition:nvarchar(max)]
--> customer | PK_customer | 1 | CLUSTERED | 1 | 1 | 0 | 0 | NULL
--> customer | UQ_name | 2 | NONCLUSTERED | 1 | 0 | 1 | 0 | NULL
--> orders | NULL | 0 | HEAP | 0 | 0 | 0 | 0 | NULL
--> orders | PK_orders | 2 | NONCLUSTERED | 1 | 1 | 0 | 0 | NULL
--> orders | IX_customer | 3 | NONCLUSTERED | 0 | 0 | 0 | 80 | ([amount]>(5))
--> (5 rows affected)
--> [name:nvarchar(128) | index_column_id:int | col:nvarchar(128) | key_ordinal:tinyint | is_descending_key:bit | is_included_column:bit]
--> IX_customer | 1 | customer | 1 | 0 | 0
--> IX_customer | 2 | amount | 0 | 0 | 1
--> PK_orders | 1 | o_id | 1 | 1 | 0
--> PK_orders | 2 | line | 2 | 0 | 0
--> (4 rows affected)
--> [t:nvarchar(128) | index_id:int | rows:bigint]
--> customer | 1 | 3
--> customer | 2 | 3
--> orders | 0 | 2
--> orders | 2 | 2
--> orders | 3 | 1
--> (5 rows affected)
--> [t:nvarchar(128) | n:bigint]
--> customer | 3
--> orders | 2
--> (2 rows affected)
select name, type, unique_index_id, object_name(parent_object_id) as t from sys.key_constraints order by name
select name, object_name(referenced_object_id) as r, key_index_id, delete_referential_action_desc, update_referential_action_desc from sys.foreign_keys
select object_name(constraint_object_id) as c, col_name(parent_object_id, parent_column_id) as p, col_name(referenced_object_id, referenced_column_id) as r from sys.foreign_key_columns
select name, definition from sys.check_constraints
select name, definition from sys.default_constraints where name = 'DF_credit'
select object_name(object_id) as m, definition, uses_quoted_identifier from sys.sql_modules order by m
select object_name(object_id) as m, parameter_id, name, type_name(system_type_id) as t, max_length, is_output from sys.parameters order by m, parameter_id
go
--> [name:nvarchar(128) | type:char(2) | unique_index_id:int | t:nvarchar(128)]
--> PK_customer | PK | 1 | customer
--> PK_orders | PK | 2 | orders
--> UQ_name | UQ | 2 | customer
--> (3 rows affected)
--> [name:nvarchar(128) | r:nvarchar(128) | key_index_id:int | delete_referential_action_desc:nvarchar(60) | update_referential_action_desc:nvarchar(60)]
--> FK_customer | customer | 1 | CASCADE | NO_ACTION
--> (1 rows affected)
--> [c:nvarchar(128) | p:nvarchar(128) | r:nvarchar(128)]
--> FK_customer | customer | id
--> (1 rows affected)
--> [name:nvarchar(128) | definition:nvarchar(max)]
--> CK_credit | ([credit]>=(0))
--> (1 rows affected)
--> [name:nvarchar(128) | definition:nvarchar(max)]
--> DF_credit | ((0))
--> (1 rows affected)
--> [m:nvarchar(128) | definition:nvarchar(max) | uses_quoted_identifier:bit]
--> note | create procedure dbo.note @id int, @text nvarchar(50) = 'x', @n int output as set @n = @id | 1
--> orders_of | create function dbo.orders_of(@c int) returns table as return select o_id, amount from dbo.orders where customer = @c | 1
--> rich | create view dbo.rich as select id, name, credit + 1 as more from sales.customer | 1
--> twice | create function dbo.twice(@x int) returns bigint as begin return @x * 2 end | 1
--> (4 rows affected)
--> [m:nvarchar(128) | parameter_id:int | name:nvarchar(128) | t:nvarchar(128) | max_length:smallint | is_output:bit]
--> note | 1 | @id | int | 4 | 0
--> note | 2 | @text | nvarchar | 100 | 0
--> note | 3 | @n | int | 4 | 1
--> orders_of | 1 | @c | int | 4 | 0
--> twice | 0 |  | bigint | 8 | 1
--> twice | 1 | @x | int | 4 | 0
--> (6 rows affected)
select name, schema_id from sys.schemas where schema_id < 16384 order by schema_id
select name, type_desc, default_schema_name from sys.database_principals where principal_id < 5 order by principal_id
select name, type_desc from sys.server_principals order by principal_id
select name, type, is_default from sys.filegroups
select name, recovery_model_desc, is_read_committed_snapshot_on, state_desc from sys.databases order by name
go
--> [name:nvarchar(128) | schema_id:int]
--> dbo | 1
--> guest | 2
--> INFORMATION_SCHEMA | 3
--> sys | 4
--> sales | 5
--> (5 rows affected)
--> [name:nvarchar(128) | type_desc:nvarchar(60) | default_schema_name:nvarchar(128)]
--> public | DATABASE_ROLE | NULL
--> dbo | SQL_USER | dbo
--> guest | SQL_USER | guest
--> INFORMATION_SCHEMA | SQL_USER | NULL
--> sys | SQL_USER | NULL
--> (5 rows affected)
--> [name:nvarchar(128) | type_desc:nvarchar(60)]
--> sa | SQL_LOGIN
--> public | SERVER_ROLE
--> sysadmin | SERVER_ROLE
--> securityadmin | SERVER_ROLE
--> serveradmin | SERVER_ROLE
--> setupadmin | SERVER_ROLE
--> processadmin | SERVER_ROLE
--> diskadmin | SERVER_ROLE
--> dbcreator | SERVER_ROLE
--> bulkadmin | SERVER_ROLE
--> (10 rows affected)
--> [name:nvarchar(128) | type:char(2) | is_default:bit]
--> PRIMARY | FG | 1
--> (1 rows affected)
--> [name:nvarchar(128) | recovery_model_desc:nvarchar(60) | is_read_committed_snapshot_on:bit | state_desc:nvarchar(60)]
--> master | SIMPLE | 1 | ONLINE
--> model | FULL | 1 | ONLINE
--> msdb | SIMPLE | 1 | ONLINE
--> shop | FULL | 1 | ONLINE
--> tempdb | SIMPLE | 0 | ONLINE
--> (5 rows affected)
select name, xtype, uid from sysobjects where xtype in ('U', 'P') and id > 0 order by name
select c.name, c.length, c.isnullable from syscolumns c join dbo.sysobjects o on o.id = c.id where o.name = 'orders' order by c.colid
select name, indid, rows from sys.sysindexes where id = object_id('dbo.orders') order by indid
select name from master.dbo.sysdatabases where dbid < 5 order by dbid
go
--> [name:nvarchar(128) | xtype:char(2) | uid:smallint]
--> customer | U | 5
--> note | P | 1
--> orders | U | 1
--> (3 rows affected)
--> [name:nvarchar(128) | length:smallint | isnullable:int]
--> o_id | 8 | 0
--> customer | 4 | 0
--> line | 2 | 0
--> amount | 8 | 1
--> twice | 8 | 1
--> (5 rows affected)
--> [name:nvarchar(128) | indid:smallint | rows:int]
--> orders | 0 | 2
--> PK_orders | 2 | 2
--> IX_customer | 3 | 1
--> (3 rows affected)
--> [name:nvarchar(128)]
--> master
--> tempdb
--> model
--> msdb
--> (4 rows affected)
select * from information_schema.tables order by table_name
select column_name, ordinal_position, column_default, is_nullable, data_type, character_maximum_length, numeric_precision, numeric_scale, datetime_precision, domain_name
from INFORMATION_SCHEMA.COLUMNS where table_name = 'customer' order by ordinal_position
select table_name, column_name, data_type from information_schema.columns where table_name = 'rich'
select routine_name, routine_type, data_type from information_schema.routines order by routine_name
select specific_name, ordinal_position, parameter_mode, parameter_name, data_type from information_schema.parameters order by specific_name, ordinal_position
select constraint_name, table_name, constraint_type from information_schema.table_constraints order by constraint_name
select constraint_name, column_name, ordinal_position from information_schema.key_column_usage order by constraint_name, ordinal_position
select constraint_name, unique_constraint_name, update_rule, delete_rule from information_schema.referential_constraints
select constraint_name, check_clause from information_schema.check_constraints
select column_name, constraint_name from information_schema.constraint_column_usage order by constraint_name, column_name
select schema_name, schema_owner from information_schema.schemata order by schema_name
select sequence_name, data_type, increment from information_schema.sequences
select domain_name, data_type, character_maximum_length from information_schema.domains
select table_name, check_option from information_schema.views
go
--> [TABLE_CATALOG:nvarchar(128) | TABLE_SCHEMA:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(10)]
--> shop | sales | customer | BASE TABLE
--> shop | dbo | orders | BASE TABLE
--> shop | dbo | rich | VIEW
--> (3 rows affected)
--> [column_name:nvarchar(128) | ordinal_position:int | column_default:nvarchar(4000) | is_nullable:varchar(3) | data_type:nvarchar(128) | character_maximum_length:int | numeric_precision:tinyint | numeric_scale:int | datetime_precision:smallint | domain_name:nvarchar(128)]
--> id | 1 | NULL | NO | int | NULL | 10 | 0 | NULL | NULL
--> code | 2 | NULL | NO | varchar | 10 | NULL | NULL | NULL | code
--> name | 3 | NULL | NO | nvarchar | 40 | NULL | NULL | NULL | NULL
--> credit | 4 | ((0)) | YES | decimal | NULL | 9 | 2 | NULL | NULL
--> made | 5 | (sysdatetime()) | NO | datetime2 | NULL | NULL | NULL | 3 | NULL
--> (5 rows affected)
--> [table_name:nvarchar(128) | column_name:nvarchar(128) | data_type:nvarchar(128)]
--> rich | id | int
--> rich | name | nvarchar
--> rich | more | decimal
--> (3 rows affected)
--> [routine_name:nvarchar(128) | routine_type:nvarchar(20) | data_type:nvarchar(128)]
--> note | PROCEDURE | NULL
--> orders_of | FUNCTION | TABLE
--> twice | FUNCTION | bigint
--> (3 rows affected)
--> [specific_name:nvarchar(128) | ordinal_position:int | parameter_mode:nvarchar(10) | parameter_name:nvarchar(128) | data_type:nvarchar(128)]
--> note | 1 | IN | @id | int
--> note | 2 | IN | @text | nvarchar
--> note | 3 | INOUT | @n | int
--> orders_of | 1 | IN | @c | int
--> twice | 0 | OUT |  | bigint
--> twice | 1 | IN | @x | int
--> (6 rows affected)
--> [constraint_name:nvarchar(128) | table_name:nvarchar(128) | constraint_type:varchar(11)]
--> CK_credit | customer | CHECK
--> FK_customer | orders | FOREIGN KEY
--> PK_customer | customer | PRIMARY KEY
--> PK_orders | orders | PRIMARY KEY
--> UQ_name | customer | UNIQUE
--> (5 rows affected)
--> [constraint_name:nvarchar(128) | column_name:nvarchar(128) | ordinal_position:int]
--> FK_customer | customer | 1
--> PK_customer | id | 1
--> PK_orders | o_id | 1
--> PK_orders | line | 2
--> UQ_name | name | 1
--> (5 rows affected)
--> [constraint_name:nvarchar(128) | unique_constraint_name:nvarchar(128) | update_rule:varchar(11) | delete_rule:varchar(11)]
--> FK_customer | PK_customer | NO ACTION | CASCADE
--> (1 rows affected)
--> [constraint_name:nvarchar(128) | check_clause:nvarchar(4000)]
--> CK_credit | ([credit]>=(0))
--> (1 rows affected)
--> [column_name:nvarchar(128) | constraint_name:nvarchar(128)]
--> credit | CK_credit
--> customer | FK_customer
--> id | PK_customer
--> line | PK_orders
--> o_id | PK_orders
--> name | UQ_name
--> (6 rows affected)
--> [schema_name:nvarchar(128) | schema_owner:nvarchar(128)]
--> db_accessadmin | db_accessadmin
--> db_backupoperator | db_backupoperator
--> db_datareader | db_datareader
--> db_datawriter | db_datawriter
--> db_ddladmin | db_ddladmin
--> db_denydatareader | db_denydatareader
--> db_denydatawriter | db_denydatawriter
--> db_owner | db_owner
--> db_securityadmin | db_securityadmin
--> dbo | dbo
--> guest | guest
--> INFORMATION_SCHEMA | INFORMATION_SCHEMA
--> sales | dbo
--> sys | sys
--> (14 rows affected)
--> [sequence_name:nvarchar(128) | data_type:nvarchar(128) | increment:bigint]
--> numbers | int | 2
--> (1 rows affected)
--> [domain_name:nvarchar(128) | data_type:nvarchar(128) | character_maximum_length:int]
--> code | varchar | 10
--> (1 rows affected)
--> [table_name:nvarchar(128) | check_option:varchar(7)]
--> rich | NONE
--> (1 rows affected)
select object_name(object_id('sales.customer')) as a, object_schema_name(object_id('sales.customer')) as b, object_id('customer') as c, object_id('dbo.orders', 'P') as d, object_name(object_id('PK_orders')) as e
select objectproperty(object_id('dbo.orders'), 'TableHasPrimaryKey') as a, objectproperty(object_id('sales.customer'), 'TableHasIdentity') as b, objectproperty(object_id('dbo.note'), 'IsProcedure') as c, objectpropertyex(object_id('dbo.rich'), 'IsView') as d
select columnproperty(object_id('sales.customer'), 'id', 'IsIdentity') as a, columnproperty(object_id('sales.customer'), 'name', 'Precision') as b, columnproperty(object_id('dbo.orders'), 'twice', 'IsComputed') as c, columnproperty(object_id('dbo.orders'), 'nope', 'ColumnId') as d
select indexproperty(object_id('dbo.orders'), 'IX_customer', 'IndexID') as a, indexproperty(object_id('dbo.orders'), 'PK_orders', 'IsClustered') as b, index_col('dbo.orders', 2, 2) as c, indexkey_property(object_id('dbo.orders'), 2, 1, 'IsDescending') as d
select ident_current('sales.customer') as a, ident_seed('sales.customer') as b, ident_incr('sales.customer') as c, ident_current('dbo.orders') as d
select object_definition(object_id('dbo.twice')) as a, type_name(type_id('sales.code')) as b, col_length('sales.customer', 'name') as c
select databasepropertyex('shop', 'Recovery') as a, databasepropertyex('shop', 'IsAutoClose') as b, databasepropertyex('nope', 'Status') as c
select sign(object_id('sys.objects')) as a, object_name(object_id('sys.tables')) as b
go
--> [a:nvarchar(128) | b:nvarchar(128) | c:int | d:int | e:nvarchar(128)]
--> customer | sales | NULL | NULL | PK_orders
--> (1 rows affected)
--> [a:int | b:int | c:int | d:sql_variant]
--> 1 | 1 | 1 | 1
--> (1 rows affected)
--> [a:int | b:int | c:int | d:int]
--> 1 | 40 | 1 | NULL
--> (1 rows affected)
--> [a:int | b:int | c:nvarchar(128) | d:int]
--> 3 | 0 | line | 1
--> (1 rows affected)
--> [a:numeric(38,0) | b:numeric(38,0) | c:numeric(38,0) | d:numeric(38,0)]
--> 20 | 10 | 5 | NULL
--> (1 rows affected)
--> [a:nvarchar(max) | b:nvarchar(128) | c:smallint]
--> create function dbo.twice(@x int) returns bigint as begin return @x * 2 end | code | 80
--> (1 rows affected)
--> [a:sql_variant | b:sql_variant | c:sql_variant]
--> FULL | 0 | NULL
--> (1 rows affected)
--> [a:int | b:nvarchar(128)]
--> -1 | tables
--> (1 rows affected)
use master
go
select name from shop.sys.tables order by name
select object_id('shop.sales.customer') - object_id('shop.dbo.orders') as d, object_name(object_id('shop.dbo.orders'), db_id('shop')) as n
create table #t (a int, b varchar(5))
insert #t values (1, 'x'), (2, 'y')
select left(name, 4) as n from tempdb.sys.tables where name like '#t[_]%'
select c.name from tempdb.sys.columns c where object_id = object_id('tempdb..#t') order by column_id
select rows from tempdb.sys.partitions where object_id = object_id('tempdb..#t')
drop table #t
drop database shop
go
--> [name:nvarchar(128)]
--> customer
--> orders
--> (2 rows affected)
--> [d:int | n:nvarchar(128)]
--> -6 | orders
--> (1 rows affected)
--> (2 rows affected)
--> [n:nvarchar(4)]
--> #t__
--> (1 rows affected)
--> [name:nvarchar(128)]
--> a
--> b
--> (2 rows affected)
--> [rows:bigint]
--> 2
--> (1 rows affected)
