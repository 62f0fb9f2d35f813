-- What drivers ask of table-valued parameters and of their types: sp_sproc_columns_100 names the type and where it is,
-- sp_columns_100 has a scope in the place where the older procedures have ODBC's version.
create database shelf
go
use shelf
go
create schema s
go
create type s.list as table (id int not null, words nvarchar(20), at datetime2(3))
create table s.list_of (at datetime2(3))
go
create procedure s.take @first int, @list s.list readonly as select 1
go
exec sp_sproc_columns_100 'take', 's'
exec sp_sproc_columns 'take', 's', @column_name = '@list'
exec sp_columns_100 'list%', 's', null, null, 2, 3
exec sp_columns_100 'list%', 's', @namescope = 1, @odbcver = 3
exec sp_columns 'list%', 's', null, null, 3
go
--> [PROCEDURE_QUALIFIER:nvarchar(128) | PROCEDURE_OWNER:nvarchar(128) | PROCEDURE_NAME:nvarchar(134) | COLUMN_NAME:nvarchar(128) | COLUMN_TYPE:smallint | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_TYPE_CATALOG_NAME:nvarchar(128) | SS_TYPE_SCHEMA_NAME:nvarchar(128) | SS_UDT_CATALOG_NAME:nvarchar(128) | SS_UDT_SCHEMA_NAME:nvarchar(128) | SS_UDT_ASSEMBLY_TYPE_NAME:nvarchar(4000) | SS_XML_SCHEMACOLLECTION_CATALOG_NAME:nvarchar(128) | SS_XML_SCHEMACOLLECTION_SCHEMA_NAME:nvarchar(128) | SS_XML_SCHEMACOLLECTION_NAME:nvarchar(128) | SS_DATA_TYPE:tinyint]
--> shelf | s | take;1 | @RETURN_VALUE | 5 | 4 | int | 10 | 4 | 0 | 10 | 0 | NULL | NULL | 4 | NULL | NULL | 0 | NO | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 56
--> shelf | s | take;1 | @first | 1 | 4 | int | 10 | 4 | 0 | 10 | 1 | NULL | NULL | 4 | NULL | NULL | 1 | YES | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 38
--> shelf | s | take;1 | @list | 1 | -153 | list | NULL | 0 | 3 | NULL | 1 | NULL | NULL | -153 | NULL | NULL | 2 | YES | shelf | s | NULL | NULL | NULL | NULL | NULL | NULL | 0
--> (3 rows affected)
--> [PROCEDURE_QUALIFIER:nvarchar(128) | PROCEDURE_OWNER:nvarchar(128) | PROCEDURE_NAME:nvarchar(134) | COLUMN_NAME:nvarchar(128) | COLUMN_TYPE:smallint | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
--> shelf | s | take;1 | @list | 1 | -153 | list | NULL | 0 | 3 | NULL | 1 | NULL | NULL | -153 | NULL | NULL | 2 | YES | 0
--> (1 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_IS_SPARSE:smallint | SS_IS_COLUMN_SET:smallint | SS_IS_COMPUTED:smallint | SS_IS_IDENTITY:smallint | SS_UDT_CATALOG_NAME:nvarchar(128) | SS_UDT_SCHEMA_NAME:nvarchar(128) | SS_UDT_ASSEMBLY_TYPE_NAME:nvarchar(4000) | SS_XML_SCHEMACOLLECTION_CATALOG_NAME:nvarchar(128) | SS_XML_SCHEMACOLLECTION_SCHEMA_NAME:nvarchar(128) | SS_XML_SCHEMACOLLECTION_NAME:nvarchar(128) | SS_DATA_TYPE:tinyint]
--> shelf | s | list_of | at | 93 | datetime2 | 23 | 16 | 3 | NULL | 1 | NULL | NULL | 9 | 3 | NULL | 1 | YES | 0 | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | 0
--> (1 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_IS_SPARSE:smallint | SS_IS_COLUMN_SET:smallint | SS_IS_COMPUTED:smallint | SS_IS_IDENTITY:smallint | SS_UDT_CATALOG_NAME:nvarchar(128) | SS_UDT_SCHEMA_NAME:nvarchar(128) | SS_UDT_ASSEMBLY_TYPE_NAME:nvarchar(4000) | SS_XML_SCHEMACOLLECTION_CATALOG_NAME:nvarchar(128) | SS_XML_SCHEMACOLLECTION_SCHEMA_NAME:nvarchar(128) | SS_XML_SCHEMACOLLECTION_NAME:nvarchar(128) | SS_DATA_TYPE:tinyint]
--> shelf | s | list | id | 4 | int | 10 | 4 | 0 | 10 | 0 | NULL | NULL | 4 | NULL | NULL | 1 | NO | 0 | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | 56
--> shelf | s | list | words | -9 | nvarchar | 20 | 40 | NULL | NULL | 1 | NULL | NULL | -9 | NULL | 40 | 2 | YES | 0 | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | 39
--> shelf | s | list | at | 93 | datetime2 | 23 | 16 | 3 | NULL | 1 | NULL | NULL | 9 | 3 | NULL | 3 | YES | 0 | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | 0
--> (3 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
--> shelf | s | list_of | at | -9 | datetime2 | 23 | 46 | NULL | NULL | 1 | NULL | NULL | -9 | NULL | 46 | 1 | YES | 39
--> (1 rows affected)
