-- differs parameters: the length of SUBSTRING is known of constants alone
-- fn_builtin_permissions, fn_my_permissions, PERMISSIONS, PWDENCRYPT and PWDCOMPARE.
select class_desc, permission_name, type, covering_permission_name, parent_class_desc, parent_covering_permission_name
from sys.fn_builtin_permissions ('login') order by permission_name
select permission_name, type, covering_permission_name, parent_class_desc, parent_covering_permission_name
from fn_builtin_permissions ('SERVER') where type in ('CL', 'VWDB') order by type
select count(*) as none from sys.fn_builtin_permissions ('bogus')
select iif(count(*) = (select count(*) from sys.fn_builtin_permissions (null)) and count(*) = (select count(*) from sys.fn_builtin_permissions ('')), 'same', 'other') as every
from sys.fn_builtin_permissions (default)
select class_desc from sys.fn_builtin_permissions (default) group by class_desc having count(*) > 15 order by class_desc
go
--> [class_desc:nvarchar(60) | permission_name:nvarchar(60) | type:varchar(4) | covering_permission_name:nvarchar(60) | parent_class_desc:nvarchar(60) | parent_covering_permission_name:nvarchar(60)]
--> LOGIN | ALTER | AL | CONTROL | SERVER | ALTER ANY LOGIN
--> LOGIN | CONTROL | CL |  | SERVER | CONTROL SERVER
--> LOGIN | IMPERSONATE | IM | CONTROL | SERVER | CONTROL SERVER
--> LOGIN | VIEW DEFINITION | VW | CONTROL | SERVER | VIEW ANY DEFINITION
--> (4 rows affected)
--> [permission_name:nvarchar(60) | type:varchar(4) | covering_permission_name:nvarchar(60) | parent_class_desc:nvarchar(60) | parent_covering_permission_name:nvarchar(60)]
--> CONTROL SERVER | CL |  |  |
--> VIEW ANY DATABASE | VWDB | VIEW ANY DEFINITION |  |
--> (2 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
--> [every:varchar(5)]
--> same
--> (1 rows affected)
--> [class_desc:nvarchar(60)]
--> DATABASE
--> SERVER
--> (2 rows affected)
create login ann with password = 'Right-2026'
create database harbour
go
use harbour
create user ann for login ann
create table boats (id int, name varchar(20), captain varchar(20))
grant select, insert on boats to ann with grant option
deny select on boats (captain) to ann
grant update (name) on boats to ann
grant create table to ann
go
create procedure sail as select 1 as sailed
go
create function knots (@miles float) returns float as begin return @miles / 1.852 end
go
grant execute on sail to ann
go
select permission_name from fn_my_permissions ('dbo.boats', 'OBJECT') where subentity_name = '' order by permission_name
select entity_name, subentity_name, permission_name from fn_my_permissions ('boats', 'OBJECT') where subentity_name = 'id' order by permission_name
select permission_name from fn_my_permissions ('sail', 'object') order by permission_name
select permission_name from fn_my_permissions ('knots', 'OBJECT') order by permission_name
select permission_name from fn_my_permissions ('ann', 'USER') order by permission_name
select permission_name from fn_my_permissions ('dbo', 'SCHEMA') where permission_name like 'C%' order by permission_name
select count(*) as none from fn_my_permissions ('absent', 'OBJECT')
select count(*) as none from fn_my_permissions ('boats', 'bogus')
select permissions() as statements, permissions(object_id('boats')) as rows, permissions(object_id('boats'), 'id') as of_column, permissions(object_id('sail')) as called
select permissions(null) as none, permissions(1) as absent, permissions(object_id('boats'), 'absent') as no_column
go
--> [permission_name:nvarchar(60)]
--> ALTER
--> CONTROL
--> DELETE
--> INSERT
--> REFERENCES
--> SELECT
--> TAKE OWNERSHIP
--> UPDATE
--> VIEW CHANGE TRACKING
--> VIEW DEFINITION
--> (10 rows affected)
--> [entity_name:nvarchar(128) | subentity_name:nvarchar(128) | permission_name:nvarchar(60)]
--> boats | id | REFERENCES
--> boats | id | SELECT
--> boats | id | UPDATE
--> (3 rows affected)
--> [permission_name:nvarchar(60)]
--> ALTER
--> CONTROL
--> EXECUTE
--> TAKE OWNERSHIP
--> VIEW DEFINITION
--> (5 rows affected)
--> [permission_name:nvarchar(60)]
--> ALTER
--> CONTROL
--> EXECUTE
--> REFERENCES
--> TAKE OWNERSHIP
--> VIEW DEFINITION
--> (6 rows affected)
--> [permission_name:nvarchar(60)]
--> ALTER
--> CONTROL
--> IMPERSONATE
--> VIEW DEFINITION
--> (4 rows affected)
--> [permission_name:nvarchar(60)]
--> CONTROL
--> CREATE SEQUENCE
--> (2 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
--> [none:int]
--> 0
--> (1 rows affected)
--> [statements:int | rows:int | of_column:int | called:int]
--> 16646398 | 1881108511 | 458759 | 2097184
--> (1 rows affected)
--> [none:int | absent:int | no_column:int]
--> NULL | NULL | NULL
--> (1 rows affected)
execute as login = 'ann'
select entity_name, subentity_name, permission_name from fn_my_permissions (null, 'SERVER') order by permission_name
select entity_name, permission_name from fn_my_permissions (null, 'DATABASE') order by permission_name
select subentity_name, permission_name from fn_my_permissions ('harbour.dbo.boats', 'OBJECT') order by subentity_name, permission_name
select permission_name from fn_my_permissions ('ann', 'LOGIN') order by permission_name
select permission_name from fn_my_permissions ('sa', 'LOGIN')
select permissions() as statements, permissions(object_id('boats')) as rows, permissions(object_id('boats'), 'captain') as captain, permissions(object_id('boats'), 'name') as name
select permissions(object_id('sail')) as called
if permissions(object_id('boats')) & 0x80000 = 0x80000 print 'INSERT may be granted'
revert
select permission_name from fn_my_permissions (null, null) where permission_name like 'CONTROL%'
go
--> [entity_name:nvarchar(128) | subentity_name:nvarchar(128) | permission_name:nvarchar(60)]
--> server |  | CONNECT SQL
--> server |  | VIEW ANY DATABASE
--> (2 rows affected)
--> [entity_name:nvarchar(128) | permission_name:nvarchar(60)]
--> database | CONNECT
--> database | CREATE TABLE
--> (2 rows affected)
--> [subentity_name:nvarchar(128) | permission_name:nvarchar(60)]
-->  | INSERT
-->  | SELECT
--> id | SELECT
--> name | SELECT
--> name | UPDATE
--> (5 rows affected)
--> [permission_name:nvarchar(60)]
--> (0 rows affected)
--> [permission_name:nvarchar(60)]
--> (0 rows affected)
--> [statements:int | rows:int | captain:int | name:int]
--> 2 | 268972040 | 0 | 65539
--> (1 rows affected)
--> [called:int]
--> 32
--> (1 rows affected)
--> # INSERT may be granted
--> [permission_name:nvarchar(60)]
--> CONTROL SERVER
--> (1 rows affected)
-- hashes
declare @hash varbinary(128) = pwdencrypt('Right-2026')
select datalength(@hash) as length, substring(@hash, 1, 2) as version
select pwdcompare('Right-2026', @hash) as fits, pwdcompare(N'right-2026', @hash) as other_case, pwdcompare('', @hash) as empty, pwdcompare('Right-2026', @hash, 0) as with_version
select pwdcompare(null, @hash) as none, pwdcompare('x', null) as neither, pwdencrypt(null) as no_hash, pwdcompare('x', 0x0200) as short, pwdcompare('x', 0x00) as nonsense
select iif(pwdencrypt('x') = pwdencrypt('x'), 'one', 'two') as salts
select name from sys.sql_logins where pwdcompare('Right-2026', password_hash) = 1
go
--> [length:int | version:varbinary(2)]
--> 70 | 0x0200
--> (1 rows affected)
--> [fits:int | other_case:int | empty:int | with_version:int]
--> 1 | 0 | 0 | 1
--> (1 rows affected)
--> [none:int | neither:int | no_hash:varbinary(128) | short:int | nonsense:int]
--> NULL | NULL | NULL | 0 | 0
--> (1 rows affected)
--> [salts:varchar(3)]
--> two
--> (1 rows affected)
--> [name:nvarchar(128)]
--> ann
--> (1 rows affected)
-- made by the rule of SQL Server 2012: 0x0200, salt 0xA1B2C3D4, SHA-512 of the text in UTF-16 with the salt
declare @text varbinary(60) = cast(N'Pond-26' as varbinary(40)) + 0xA1B2C3D4
declare @made varbinary(128) = 0x0200A1B2C3D4 + hashbytes('SHA2_512', @text)
declare @old varbinary(128) = 0x0100A1B2C3D4 + hashbytes('SHA1', @text)
select pwdcompare('Pond-26', @made) as sha512, pwdcompare('Pond-26', @old) as sha1, pwdcompare('pond-26', @old) as other
go
--> [sha512:int | sha1:int | other:int]
--> 1 | 1 | 0
--> (1 rows affected)
-- a hash that would cost much memory is none
select pwdcompare('x', cast('$argon2id$v=19$m=4194304,t=9,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b1GQw' as varbinary(128))) as refused
go
--> [refused:int]
--> 0
--> (1 rows affected)
select pwdencrypt()
go
--> Msg 174, Level 15, State 1, Line 1: The pwdencrypt function requires 1 argument(s).
select pwdcompare('x')
go
--> Msg 189, Level 15, State 1, Line 1: The pwdcompare function requires 2 to 3 arguments.
select permissions(1, 'a', 2)
go
--> Msg 189, Level 15, State 1, Line 1: The permissions function requires 0 to 2 arguments.
