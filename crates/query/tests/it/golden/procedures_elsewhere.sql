-- differs secondary: sp_spaceused counts the pages of the indexes
-- A procedure of the server runs in the database that its name says
create database elsewhere
go
use elsewhere
create table only_here (a int, b varchar(10))
go
use master
exec elsewhere.sys.sp_executesql N'select db_name() as here, object_name(object_id(''only_here'')) as name; insert only_here values (@a, ''x'')', N'@a int', 5
select db_name() as here
exec elsewhere..sp_executesql N'select a, b from only_here'
declare @n int
exec elsewhere.dbo.sp_executesql N'select @n = count(*) from only_here', N'@n int output', @n output
select @n as rows
exec elsewhere..sp_spaceused 'only_here'
exec elsewhere..sp_columns 'only_here'
exec sp_columns 'only_here'
exec elsewhere..sp_rename 'only_here', 'renamed'
select name from elsewhere.sys.tables
go
--> [here:nvarchar(128) | name:nvarchar(128)]
--> elsewhere | only_here
--> (1 rows affected)
--> (1 rows affected)
--> [here:nvarchar(128)]
--> master
--> (1 rows affected)
--> [a:int | b:varchar(10)]
--> 5 | x
--> (1 rows affected)
--> [rows:int]
--> 1
--> (1 rows affected)
--> [name:nvarchar(128) | rows:char(20) | reserved:varchar(18) | data:varchar(18) | index_size:varchar(18) | unused:varchar(18)]
--> only_here | 1 | 72 KB | 8 KB | 8 KB | 56 KB
--> (1 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
--> elsewhere | dbo | only_here | a | 4 | int | 10 | 4 | 0 | 10 | 1 | NULL | NULL | 4 | NULL | NULL | 1 | YES | 38
--> elsewhere | dbo | only_here | b | 12 | varchar | 10 | 10 | NULL | NULL | 1 | NULL | NULL | 12 | NULL | 10 | 2 | YES | 39
--> (2 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
--> (0 rows affected)
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> [name:nvarchar(128)]
--> renamed
--> (1 rows affected)
exec nowhere..sp_executesql N'select 1'
go
--> Msg 911, Level 16, State 1, Line 1: Database 'nowhere' does not exist. Make sure that the name is entered correctly.
select db_name() as here
exec elsewhere..sp_executesql N'use tempdb; select db_name() as here'
select db_name() as here
create table #own (a int)
exec tempdb..sp_columns '#own'
drop table #own
go
--> [here:nvarchar(128)]
--> master
--> (1 rows affected)
--> [here:nvarchar(128)]
--> tempdb
--> (1 rows affected)
--> [here:nvarchar(128)]
--> master
--> (1 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | PRECISION:int | LENGTH:int | SCALE:smallint | RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
--> (0 rows affected)
drop database elsewhere
go
