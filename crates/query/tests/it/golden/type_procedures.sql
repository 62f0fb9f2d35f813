-- sp_addtype and sp_droptype, as the scripts of the sample database pubs have them.
create database type_procedures
go
use type_procedures
go
execute sp_addtype id, 'varchar(11)', 'NOT NULL'
execute sp_addtype tid, 'varchar(6)', 'NOT NULL'
exec sp_addtype @typename = 'birthday', @phystype = datetime, @nulltype = 'null'
exec sp_addtype N'plain]s', 'decimal(9, 2)'
select name, type_name (system_type_id) as base, max_length, precision, scale, is_nullable from sys.types where is_user_defined = 1 order by name
create table titles (title_id tid constraint pk primary key, au id default 'x', born birthday, amount [plain]]s])
insert titles (title_id) values ('a')
select * from titles
go
--> [name:nvarchar(128) | base:nvarchar(128) | max_length:smallint | precision:tinyint | scale:tinyint | is_nullable:bit]
--> birthday | datetime | 8 | 23 | 3 | 1
--> id | varchar | 11 | 0 | 0 | 0
--> plain]s | decimal | 5 | 9 | 2 | 1
--> tid | varchar | 6 | 0 | 0 | 0
--> (4 rows affected)
--> (1 rows affected)
--> [title_id:varchar(6) | au:varchar(11) | born:datetime | amount:decimal(9,2)]
--> a | x | NULL | NULL
--> (1 rows affected)
-- refused
exec sp_addtype id, 'varchar(11)'
go
--> Msg 219, Level 16, State 1, Line 2: The type 'dbo.id' already exists, or you do not have permission to create it.
exec sp_addtype other, 'no such type'
go
--> Msg 15085, Level 16, State 1, Line 1: Usage: sp_addtype name, 'data type' [,'NULL' | 'NOT NULL']
exec sp_addtype other, 'int; drop table titles'
go
--> Msg 15085, Level 16, State 1, Line 1: Usage: sp_addtype name, 'data type' [,'NULL' | 'NOT NULL']
exec sp_addtype other, 'int', 'maybe'
go
--> Msg 15085, Level 16, State 1, Line 1: Usage: sp_addtype name, 'data type' [,'NULL' | 'NOT NULL']
exec sp_addtype other
go
--> Msg 201, Level 16, State 4, Line 1: Procedure or function 'sp_addtype' expects parameter '@phystype', which was not supplied.
exec sp_addtype 'int', 'varchar(3)'
go
--> Msg 219, Level 16, State 1, Line 1: The type 'dbo.int' already exists, or you do not have permission to create it.
exec sp_droptype 'tid'
go
--> Msg 3732, Level 16, State 1, Line 1: Cannot drop type 'dbo.tid' because it is being referenced by object 'titles'. There may be other objects that reference this type.
exec sp_droptype 'nothing'
go
--> Msg 218, Level 16, State 1, Line 1: Could not find the type 'nothing'. Either it does not exist or you do not have the necessary permission.
exec sp_droptype 'a; drop table titles'
go
--> Msg 218, Level 16, State 1, Line 1: Could not find the type 'a; drop table titles'. Either it does not exist or you do not have the necessary permission.
drop table titles
exec sp_droptype tid
exec sp_droptype 'plain]s'
select name from sys.types where is_user_defined = 1 order by name
go
--> [name:nvarchar(128)]
--> birthday
--> id
--> (2 rows affected)
