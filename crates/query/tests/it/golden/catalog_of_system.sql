-- The catalog lists what the server has of its own beside what users made, and is long enough for the tables of numbers
-- that are made of it.
create database catalog_of_system
go
use catalog_of_system
set nocount on
go
-- Jeff Moden's tally table, and its likes over sys.objects and columns.
select top 11000 identity (int, 1, 1) as N into #tally from master.dbo.syscolumns sc1, master.dbo.syscolumns sc2
select count (*) as rows, min (N) as first, max (N) as last from #tally
select count (*) as rows from (select top (10000) row_number () over (order by a.object_id) n from sys.objects a cross join sys.objects b) x
select count (*) as rows from (select top (10000) row_number () over (order by a.object_id) n from sys.columns a cross join sys.columns b) x
select case when square (count (*)) > 1000000 then 'a million' end as rows from sys.all_columns
go
--> [rows:int | first:int | last:int]
--> 11000 | 1 | 11000
--> [rows:int]
--> 10000
--> [rows:int]
--> 10000
--> [rows:varchar(9)]
--> a million
create table made (id int, b varchar (10))
go
create view made_view as select id from made
go
-- All are marked; what users made is not.
select type, type_desc, count (*) as objects from sys.objects where is_ms_shipped = 1 and type <> 'IT' group by type, type_desc order by type
select name, type from sys.objects where is_ms_shipped = 0 order by name
select name, type from sysobjects where id > 0 and objectproperty (id, 'IsMSShipped') = 0 order by name
select name from sysobjects where xtype = 'U'
select object_name (object_id) as of_object, name from sys.columns where object_id > 100 and object_id < 2000 order by object_id, column_id
go
--> [type:char(2) | type_desc:nvarchar(60) | objects:int]
--> S | SYSTEM_TABLE | 72
--> SQ | SERVICE_QUEUE | 3
--> [name:nvarchar(128) | type:char(2)]
--> made | U
--> made_view | V
--> [name:nvarchar(128) | type:char(2)]
--> made | U
--> made_view | V
--> [name:nvarchar(128)]
--> made
--> [of_object:nvarchar(128) | name:nvarchar(128)]
--> made | id
--> made | b
--> made_view | id
-- Look-ups by number and by name.
select name, object_id, schema_name (schema_id) as of_schema, type, type_desc from sys.objects where name = 'sysschobjs'
select name, type from sys.all_objects where object_id = 34
select name, type, uid from sysobjects where id = 34
select name, column_id, type_name (user_type_id) as of_type, max_length, is_nullable from sys.columns where object_id = 60 order by column_id
select name, colid, type_name (xusertype) as of_type, isnullable from syscolumns where id = 60 order by colid
select name, type from sys.all_objects where name = 'Objects'
select name, type from sysobjects where name = 'objects'
select name, type from sys.objects where name = 'objects'
select count (*) as columns from sys.all_columns c where c.object_id = (select object_id from sys.all_views where name = 'schemas')
select count (*) as columns from syscolumns c where c.id = object_id ('sys.schemas')
select object_name (34) as name, object_schema_name (34) as of_schema, objectproperty (34, 'IsSystemTable') as is_system_table
-- Functions have columns too.
select c.name from sys.all_columns c join sys.all_objects o on o.object_id = c.object_id where o.name = 'fn_helpcollations' order by c.column_id
go
--> [name:nvarchar(128) | object_id:int | of_schema:nvarchar(128) | type:char(2) | type_desc:nvarchar(60)]
--> sysschobjs | 34 | sys | S | SYSTEM_TABLE
--> [name:nvarchar(128) | type:char(2)]
--> sysschobjs | S
--> [name:nvarchar(128) | type:char(2) | uid:smallint]
--> sysschobjs | S | 4
--> [name:nvarchar(128) | column_id:int | of_type:nvarchar(128) | max_length:smallint | is_nullable:bit]
--> valclass | 1 | tinyint | 1 | 0
--> objid | 2 | int | 4 | 0
--> subobjid | 3 | int | 4 | 0
--> valnum | 4 | int | 4 | 0
--> value | 5 | sql_variant | 8016 | 1
--> imageval | 6 | varbinary | -1 | 1
--> [name:nvarchar(128) | colid:smallint | of_type:nvarchar(128) | isnullable:int]
--> valclass | 1 | tinyint | 0
--> objid | 2 | int | 0
--> subobjid | 3 | int | 0
--> valnum | 4 | int | 0
--> value | 5 | sql_variant | 1
--> imageval | 6 | varbinary | 1
--> [name:nvarchar(128) | type:char(2)]
--> objects | V
--> [name:nvarchar(128) | type:char(2)]
--> objects | V
--> [name:nvarchar(128) | type:char(2)]
--> [columns:int]
--> 3
--> [columns:int]
--> 3
--> [name:nvarchar(128) | of_schema:nvarchar(128) | is_system_table:int]
--> sysschobjs | sys | 1
--> [name:nvarchar(128)]
--> name
--> description
-- Nobody reads a base table.
select * from sys.sysschobjs
go
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'sys.sysschobjs'.
