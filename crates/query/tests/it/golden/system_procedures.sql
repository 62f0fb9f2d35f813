-- differs clustered, secondary: sp_spaceused counts pages and objects
create database depot
go
use depot
go
create table dbo.maker (id int identity(1, 1) not null constraint PK_maker primary key, name nvarchar(30) null constraint UQ_maker unique)
create table dbo.part (
  no char(8) not null constraint PK_part primary key nonclustered,
  maker int null constraint FK_maker references dbo.maker (id) on delete cascade,
  price decimal(9, 2) not null constraint DF_price default 1.5 constraint CK_price check (price > 0),
  note varchar(max) null,
  made datetime null
)
create clustered index IX_made on dbo.part (made desc, maker)
insert dbo.maker (name) values ('a'), ('b')
insert dbo.part (no, maker) values ('1', 1)
go
--> (2 rows affected)
--> (1 rows affected)
create procedure dbo.find @no char(8), @n int = 3 output as
select @n = 1
select * from dbo.part where no = @no
go
create view dbo.dear as select no, price from dbo.part where price > 1
go
exec sp_tables
exec sp_tables @table_name = 'pa%', @table_type = "'TABLE'"
exec sp_tables 'par_', @fUsePattern = 0
exec sp_tables '', '', '', '%'
exec sp_tables '', '%', ''
exec sp_tables @table_name = 'part', @table_qualifier = 'depot'
exec sp_tables @table_name = 'part', @table_qualifier = 'tempdb'
exec sp_columns 'part', @table_qualifier = 'elsewhere'
exec sp_columns 'part', @odbcver = 3
exec sp_columns_100 'maker'
exec sp_pkeys 'part'
exec sp_fkeys @pktable_name = 'maker'
exec sp_statistics_100 'maker'
exec sp_stored_procedures
exec sp_sproc_columns 'find'
go
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> depot | dbo | maker | TABLE | NULL
--> depot | dbo | part | TABLE | NULL
--> depot | dbo | dear | VIEW | NULL
--> (3 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> depot | dbo | part | TABLE | NULL
--> (1 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> (0 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> NULL | NULL | NULL | SYSTEM TABLE | NULL
--> NULL | NULL | NULL | TABLE | NULL
--> NULL | NULL | NULL | VIEW | NULL
--> (3 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> NULL | INFORMATION_SCHEMA | NULL | NULL | NULL
--> NULL | dbo | NULL | NULL | NULL
--> NULL | guest | NULL | NULL | NULL
--> NULL | sys | NULL | NULL | NULL
--> (4 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> depot | dbo | part | TABLE | NULL
--> (1 rows affected)
--> Msg 15250, Level 16, State 1, Line 7: The database name component of the object qualifier must be the name of the current database.
--> Msg 15250, Level 16, State 1, Line 8: The database name component of the object qualifier must be the name of the current database.
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
--> depot | dbo | part | no | 1 | char | 8 | 8 | NULL | NULL | 0 | NULL | NULL | 1 | NULL | 8 | 1 | NO | 47
--> depot | dbo | part | maker | 4 | int | 10 | 4 | 0 | 10 | 1 | NULL | NULL | 4 | NULL | NULL | 2 | YES | 38
--> depot | dbo | part | price | 3 | decimal | 9 | 11 | 2 | 10 | 0 | NULL | ((1.5)) | 3 | NULL | NULL | 3 | NO | 55
--> depot | dbo | part | note | -1 | varchar | 2147483647 | 2147483646 | NULL | NULL | 1 | NULL | NULL | -1 | NULL | 2147483646 | 4 | YES | 35
--> depot | dbo | part | made | 93 | datetime | 23 | 16 | 3 | NULL | 1 | NULL | NULL | 9 | 3 | NULL | 5 | YES | 111
--> (5 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_IS_SPARSE:smallint | SS_IS_COLUMN_SET:smallint | SS_IS_COMPUTED:smallint | SS_IS_IDENTITY:smallint | SS_UDT_CATALOG_NAME:nvarchar(128) | SS_UDT_SCHEMA_NAME:nvarchar(128) | SS_UDT_ASSEMBLY_TYPE_NAME:nvarchar(4000) | SS_XML_SCHEMACOLLECTION_CATALOG_NAME:nvarchar(128) | SS_XML_SCHEMACOLLECTION_SCHEMA_NAME:nvarchar(128) | SS_XML_SCHEMACOLLECTION_NAME:nvarchar(128) | SS_DATA_TYPE:tinyint]
--> depot | dbo | maker | id | 4 | int identity | 10 | 4 | 0 | 10 | 0 | NULL | NULL | 4 | NULL | NULL | 1 | NO | 0 | 0 | 0 | 1 | NULL | NULL | NULL | NULL | NULL | NULL | 56
--> depot | dbo | maker | name | -9 | nvarchar | 30 | 60 | NULL | NULL | 1 | NULL | NULL | -9 | NULL | 60 | 2 | YES | 0 | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | 39
--> (2 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | KEY_SEQ:smallint | PK_NAME:nvarchar(128)]
--> depot | dbo | part | no | 1 | PK_part
--> (1 rows affected)
--> [PKTABLE_QUALIFIER:nvarchar(128) | PKTABLE_OWNER:nvarchar(128) | PKTABLE_NAME:nvarchar(128) | PKCOLUMN_NAME:nvarchar(128) | FKTABLE_QUALIFIER:nvarchar(128) | FKTABLE_OWNER:nvarchar(128) | FKTABLE_NAME:nvarchar(128) | FKCOLUMN_NAME:nvarchar(128) | KEY_SEQ:smallint | UPDATE_RULE:smallint | DELETE_RULE:smallint | FK_NAME:nvarchar(128) | PK_NAME:nvarchar(128) | DEFERRABILITY:smallint]
--> depot | dbo | maker | id | depot | dbo | part | maker | 1 | 1 | 0 | FK_maker | PK_maker | 7
--> (1 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | NON_UNIQUE:smallint | INDEX_QUALIFIER:nvarchar(128) | INDEX_NAME:nvarchar(128) | TYPE:smallint | SEQ_IN_INDEX:smallint | COLUMN_NAME:nvarchar(128) | COLLATION:varchar(1) | CARDINALITY:int | PAGES:int | FILTER_CONDITION:varchar(128)]
--> depot | dbo | maker | NULL | NULL | NULL | 0 | NULL | NULL | NULL | 2 | 2 | NULL
--> depot | dbo | maker | 0 | maker | PK_maker | 1 | 1 | id | A | 2 | 2 | NULL
--> depot | dbo | maker | 0 | maker | UQ_maker | 3 | 1 | name | A | 2 | 2 | NULL
--> (3 rows affected)
--> [PROCEDURE_QUALIFIER:nvarchar(128) | PROCEDURE_OWNER:nvarchar(128) | PROCEDURE_NAME:nvarchar(134) | NUM_INPUT_PARAMS:int | NUM_OUTPUT_PARAMS:int | NUM_RESULT_SETS:int | REMARKS:varchar(254) | PROCEDURE_TYPE:smallint]
--> depot | dbo | find;1 | -1 | -1 | -1 | NULL | 2
--> (1 rows affected)
--> [PROCEDURE_QUALIFIER:nvarchar(128) | PROCEDURE_OWNER:nvarchar(128) | PROCEDURE_NAME:nvarchar(134) | COLUMN_NAME:nvarchar(128) | COLUMN_TYPE:smallint | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
--> depot | dbo | find;1 | @RETURN_VALUE | 5 | 4 | int | 10 | 4 | 0 | 10 | 0 | NULL | NULL | 4 | NULL | NULL | 0 | NO | 56
--> depot | dbo | find;1 | @no | 1 | 1 | char | 8 | 8 | NULL | NULL | 1 | NULL | NULL | 1 | NULL | 8 | 1 | YES | 39
--> depot | dbo | find;1 | @n | 2 | 4 | int | 10 | 4 | 0 | 10 | 1 | NULL | NULL | 4 | NULL | NULL | 2 | YES | 38
--> (3 rows affected)
exec sp_helpindex 'part'
exec sp_helpconstraint 'part'
exec sp_helptext 'dbo.find'
exec sp_helptext 'maker'
go
--> [index_name:nvarchar(128) | index_description:varchar(210) | index_keys:nvarchar(2126)]
--> IX_made | clustered located on PRIMARY | made(-), maker
--> PK_part | nonclustered, unique, primary key located on PRIMARY | no
--> [Object Name:nvarchar(776)]
--> part
--> [constraint_type:nvarchar(146) | constraint_name:nvarchar(128) | delete_action:nvarchar(11) | update_action:nvarchar(11) | status_enabled:varchar(8) | status_for_replication:varchar(19) | constraint_keys:nvarchar(2126)]
--> CHECK on column price | CK_price | (n/a) | (n/a) | Enabled | Is_For_Replication | ([price]>(0))
--> DEFAULT on column price | DF_price | (n/a) | (n/a) | (n/a) | (n/a) | ((1.5))
--> FOREIGN KEY | FK_maker | Cascade | No Action | Enabled | Is_For_Replication | maker
-->  |  |  |  |  |  | REFERENCES depot.dbo.maker (id)
--> PRIMARY KEY (non-clustered) | PK_part | (n/a) | (n/a) | (n/a) | (n/a) | no
--> # No foreign keys reference table 'part', or you do not have permissions on referencing tables.
--> [Text:nvarchar(255)]
--> create procedure dbo.find @no char(8), @n int = 3 output as
--> select @n = 1
--> select * from dbo.part where no = @no
--> Msg 15197, Level 16, State 1, Line 4: There is no text for object 'maker'.
exec sp_helpindex 'nothing'
go
--> Msg 15009, Level 16, State 1, Line 1: The object 'nothing' does not exist in database 'depot' or is invalid for this operation.
exec sp_help 'dbo.nothing'
go
--> Msg 15009, Level 16, State 1, Line 1: The object 'dbo.nothing' does not exist in database 'depot' or is invalid for this operation.
exec sp_spaceused 'maker'
exec sp_updatestats
exec sp_updatestats 'resample'
update statistics dbo.part with fullscan
update statistics dbo.part IX_made
go
--> [name:nvarchar(128) | rows:char(20) | reserved:varchar(18) | data:varchar(18) | index_size:varchar(18) | unused:varchar(18)]
--> maker | 2 | 144 KB | 8 KB | 24 KB | 112 KB
--> (1 rows affected)
--> # Updating [dbo].[maker]
--> #     [PK_maker] has been updated...
--> #     [UQ_maker] has been updated...
--> #     2 index(es)/statistic(s) have been updated, 0 did not require update.
--> #
--> # Updating [dbo].[part]
--> #     [IX_made] has been updated...
--> #     [PK_part] has been updated...
--> #     2 index(es)/statistic(s) have been updated, 0 did not require update.
--> #
--> # Statistics for all tables have been updated.
--> # Updating [dbo].[maker]
--> #     [PK_maker], update is not necessary...
--> #     [UQ_maker], update is not necessary...
--> #     0 index(es)/statistic(s) have been updated, 2 did not require update.
--> #
--> # Updating [dbo].[part]
--> #     [IX_made], update is not necessary...
--> #     [PK_part], update is not necessary...
--> #     0 index(es)/statistic(s) have been updated, 2 did not require update.
--> #
--> # Statistics for all tables have been updated.
create table #t (a int)
insert #t values (1)
exec tempdb..sp_spaceused '#t'
drop table #t
use master
drop database depot
go
--> (1 rows affected)
--> [name:nvarchar(128) | rows:char(20) | reserved:varchar(18) | data:varchar(18) | index_size:varchar(18) | unused:varchar(18)]
--> #t__________________________________________________________________________________________________________________000080000000 | 1 | 72 KB | 8 KB | 8 KB | 56 KB
--> (1 rows affected)
