-- differs clustered, secondary: an index cannot be made of a table that was refused
-- SPARSE and ROWGUIDCOL of columns: what is refused, what the catalog shows.
set nocount on
create database sparse_columns
go
use sparse_columns
create table t (id int primary key, a int sparse null, b varchar(20) sparse, g uniqueidentifier rowguidcol)
insert t values (1, null, 'x', '00000000-0000-0000-0000-000000000001'), (2, 5, null, null)
select id, a, b from t order by id
select name, is_sparse, is_rowguidcol from sys.columns where object_id = object_id('t') order by column_id
go
--> [id:int | a:int | b:varchar(20)]
--> 1 | NULL | x
--> 2 | 5 | NULL
--> [name:nvarchar(128) | is_sparse:bit | is_rowguidcol:bit]
--> id | 0 | 0
--> a | 1 | 0
--> b | 1 | 0
--> g | 0 | 1
create table bad (a int sparse not null)
go
--> Msg 1731, Level 16, State 1, Line 1: Cannot create the sparse column 'a' in the table 'bad' because an option or data type specified is not valid. A sparse column must be nullable and cannot have the ROWGUIDCOL, IDENTITY, or FILESTREAM properties. A sparse column cannot be of the following data types: text, ntext, image, geometry, geography, or user-defined type.
create table bad (g uniqueidentifier rowguidcol sparse null)
go
--> Msg 1731, Level 16, State 1, Line 1: Cannot create the sparse column 'g' in the table 'bad' because an option or data type specified is not valid. A sparse column must be nullable and cannot have the ROWGUIDCOL, IDENTITY, or FILESTREAM properties. A sparse column cannot be of the following data types: text, ntext, image, geometry, geography, or user-defined type.
alter table t alter column a drop sparse
alter table t alter column g drop rowguidcol
alter table t add c int sparse null
select name, is_sparse, is_rowguidcol from sys.columns where object_id = object_id('t') order by column_id
go
--> [name:nvarchar(128) | is_sparse:bit | is_rowguidcol:bit]
--> id | 0 | 0
--> a | 0 | 0
--> b | 1 | 0
--> g | 0 | 0
--> c | 1 | 0
alter table t alter column id add sparse
go
--> Msg 1731, Level 16, State 1, Line 1: Cannot create the sparse column 'id' in the table 't' because an option or data type specified is not valid. A sparse column must be nullable and cannot have the ROWGUIDCOL, IDENTITY, or FILESTREAM properties. A sparse column cannot be of the following data types: text, ntext, image, geometry, geography, or user-defined type.
alter table t alter column a add rowguidcol
go
--> Msg 2761, Level 16, State 2, Line 1: The ROWGUIDCOL property can only be specified on the uniqueidentifier data type.
alter table t alter column nothing add sparse
go
--> Msg 4924, Level 16, State 1, Line 1: ALTER TABLE ALTER COLUMN failed because column 'nothing' does not exist in table 't'.
alter table t alter column g add rowguidcol
go
select $rowguid as g from t where id = 1
use master
drop database sparse_columns
go
--> [g:uniqueidentifier]
--> 00000000-0000-0000-0000-000000000001
