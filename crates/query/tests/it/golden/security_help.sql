-- Procedures that show logins, users, roles and what was granted.
create login ann with password = 'Right-2026', sid = 0x101112131415161718191A1B1C1D1E1F
create login ben with password = 'Right-2026', default_database = tempdb, sid = 0x202122232425262728292A2B2C2D2E2F
alter server role bulkadmin add member ann
create server role watchers
go
create database harbour
go
use harbour
create user ann for login ann
create user alone without login
create role crew
create application role tool with password = 'Right-2026'
alter role crew add member ann
alter role db_datareader add member ann
alter role db_datareader add member crew
go
create schema quay
go
create table quay.boats (id int, name varchar(20), captain varchar(20))
create table berths (id int, length int)
go
create view afloat as select id from berths
go
create procedure sail as select 1 as sailed
go
grant select, insert on quay.boats to crew
grant update (name) on quay.boats to ann with grant option
deny update (captain) on quay.boats to ann
grant select on berths to ann
grant update on berths to crew
grant update (id) on berths to crew
grant select on afloat to ann
grant execute on sail to ann
grant alter on sail to ann
grant create table, backup log to ann
grant select on schema::quay to ann
go
exec sp_helprole
exec sp_helprole 'crew'
exec sp_helprole 'tool'
exec sp_helprolemember
exec sp_helprolemember 'db_datareader'
exec sp_helpdbfixedrole
exec sp_helpdbfixedrole 'DB_OWNER   '
exec sp_helpsrvrole
exec sp_helpsrvrole 'dbcreator'
exec sp_helpsrvrolemember
exec sp_helpsrvrolemember 'bulkadmin'
exec sp_helplogins 'ann'
exec sp_helplogins
exec sp_validatelogins
go
--> [RoleName:nvarchar(128) | RoleId:int | IsAppRole:int]
--> public | 0 | 0
--> crew | 7 | 0
--> tool | 8 | 1
--> db_owner | 16384 | 0
--> db_accessadmin | 16385 | 0
--> db_securityadmin | 16386 | 0
--> db_ddladmin | 16387 | 0
--> db_backupoperator | 16389 | 0
--> db_datareader | 16390 | 0
--> db_datawriter | 16391 | 0
--> db_denydatareader | 16392 | 0
--> db_denydatawriter | 16393 | 0
--> (12 rows affected)
--> [RoleName:nvarchar(128) | RoleId:int | IsAppRole:int]
--> crew | 7 | 0
--> (1 rows affected)
--> [RoleName:nvarchar(128) | RoleId:int | IsAppRole:int]
--> tool | 8 | 1
--> (1 rows affected)
--> [DbRole:nvarchar(128) | MemberName:nvarchar(128) | MemberSID:varbinary(85)]
--> crew | ann | 0x101112131415161718191A1B1C1D1E1F
--> db_datareader | ann | 0x101112131415161718191A1B1C1D1E1F
--> db_datareader | crew | NULL
--> db_owner | dbo | 0x01
--> (4 rows affected)
--> [DbRole:nvarchar(128) | MemberName:nvarchar(128) | MemberSID:varbinary(85)]
--> db_datareader | ann | 0x101112131415161718191A1B1C1D1E1F
--> db_datareader | crew | NULL
--> (2 rows affected)
--> [DbFixedRole:nvarchar(35) | Description:nvarchar(35)]
--> db_owner | DB Owners
--> db_accessadmin | DB Access Administrators
--> db_securityadmin | DB Security Administrators
--> db_ddladmin | DB DDL Administrators
--> db_backupoperator | DB Backup Operator
--> db_datareader | DB Data Reader
--> db_datawriter | DB Data Writer
--> db_denydatareader | DB Deny Data Reader
--> db_denydatawriter | DB Deny Data Writer
--> (9 rows affected)
--> [DbFixedRole:nvarchar(35) | Description:nvarchar(35)]
--> db_owner | DB Owners
--> (1 rows affected)
--> [ServerRole:nvarchar(35) | Description:nvarchar(35)]
--> sysadmin | System Administrators
--> securityadmin | Security Administrators
--> serveradmin | Server Administrators
--> setupadmin | Setup Administrators
--> processadmin | Process Administrators
--> diskadmin | Disk Administrators
--> dbcreator | Database Creators
--> bulkadmin | Bulk Insert Administrators
--> (8 rows affected)
--> [ServerRole:nvarchar(35) | Description:nvarchar(35)]
--> dbcreator | Database Creators
--> (1 rows affected)
--> [ServerRole:nvarchar(128) | MemberName:nvarchar(128) | MemberSID:varbinary(85)]
--> sysadmin | sa | 0x01
--> bulkadmin | ann | 0x101112131415161718191A1B1C1D1E1F
--> (2 rows affected)
--> [ServerRole:nvarchar(128) | MemberName:nvarchar(128) | MemberSID:varbinary(85)]
--> bulkadmin | ann | 0x101112131415161718191A1B1C1D1E1F
--> (1 rows affected)
--> [LoginName:nvarchar(128) | SID:varbinary(85) | DefDBName:nvarchar(128) | DefLangName:nvarchar(128) | AUser:char(5) | ARemote:char(7)]
--> ann | 0x101112131415161718191A1B1C1D1E1F | master | us_english | yes | no
--> (1 rows affected)
--> [LoginName:nvarchar(128) | DBName:nvarchar(128) | UserName:nvarchar(128) | UserOrAlias:char(8)]
--> ann | harbour | ann | User
--> ann | harbour | crew | MemberOf
--> ann | harbour | db_datareader | MemberOf
--> (3 rows affected)
--> [LoginName:nvarchar(128) | SID:varbinary(85) | DefDBName:nvarchar(128) | DefLangName:nvarchar(128) | AUser:char(5) | ARemote:char(7)]
--> ann | 0x101112131415161718191A1B1C1D1E1F | master | us_english | yes | no
--> ben | 0x202122232425262728292A2B2C2D2E2F | tempdb | us_english | NO | no
--> sa | 0x01 | master | us_english | yes | no
--> (3 rows affected)
--> [LoginName:nvarchar(128) | DBName:nvarchar(128) | UserName:nvarchar(128) | UserOrAlias:char(8)]
--> ann | harbour | ann | User
--> ann | harbour | crew | MemberOf
--> ann | harbour | db_datareader | MemberOf
--> sa | harbour | db_owner | MemberOf
--> sa | harbour | dbo | User
--> sa | master | db_owner | MemberOf
--> sa | master | dbo | User
--> sa | model | db_owner | MemberOf
--> sa | model | dbo | User
--> sa | msdb | db_owner | MemberOf
--> sa | msdb | dbo | User
--> sa | tempdb | db_owner | MemberOf
--> sa | tempdb | dbo | User
--> (13 rows affected)
--> [SID:varbinary(85) | NT Login:nvarchar(128)]
--> (0 rows affected)
exec sp_helpuser 'dbo'
exec sp_helpuser 'ann'
exec sp_helpuser 'guest'
exec sp_helpuser 'db_datareader'
exec sp_helpuser 'crew'
go
--> [UserName:nvarchar(6) | RoleName:nvarchar(16) | LoginName:nvarchar(4) | DefDBName:nvarchar(12) | DefSchemaName:nvarchar(6) | UserID:char(10) | SID:varbinary(85)]
--> dbo | db_owner | sa | master | dbo | 1 | 0x01
--> (1 rows affected)
--> [UserName:nvarchar(6) | RoleName:nvarchar(26) | LoginName:nvarchar(6) | DefDBName:nvarchar(12) | DefSchemaName:nvarchar(6) | UserID:char(10) | SID:varbinary(85)]
--> ann | crew | ann | master | dbo | 5 | 0x101112131415161718191A1B1C1D1E1F
--> ann | db_datareader | ann | master | dbo | 5 | 0x101112131415161718191A1B1C1D1E1F
--> (2 rows affected)
--> [UserName:nvarchar(10) | RoleName:nvarchar(12) | LoginName:nvarchar(9) | DefDBName:nvarchar(9) | DefSchemaName:nvarchar(10) | UserID:char(10) | SID:varbinary(85)]
--> guest | public | NULL | NULL | guest | 2 | 0x00
--> (1 rows affected)
--> [Role_name:nvarchar(25) | Role_id:int | Users_in_role:nvarchar(25) | Userid:int]
--> db_datareader | 16390 | ann | 5
--> db_datareader | 16390 | crew | 7
--> (2 rows affected)
--> [Role_name:nvarchar(25) | Role_id:int | Users_in_role:nvarchar(25) | Userid:int]
--> crew | 7 | ann | 5
--> (1 rows affected)
exec sp_helprotect
exec sp_helprotect 'berths'
exec sp_helprotect 'quay.boats', 'crew'
exec sp_helprotect 'CREATE TABLE'
exec sp_helprotect @permissionarea = 's'
exec sp_helprotect @username = 'ann', @permissionarea = 'O'
exec sp_helprotect null, null, 'dbo', 's'
go
--> [Owner:nvarchar(8) | Object:nvarchar(12) | Grantee:nvarchar(10) | Grantor:nvarchar(6) | ProtectType:char(10) | Action:nvarchar(36) | Column:nvarchar(18)]
--> dbo | afloat | ann | dbo | Grant | Select | (All)
--> dbo | berths | ann | dbo | Grant | Select | (All+New)
--> dbo | berths | crew | dbo | Grant | Update | (New)
--> dbo | berths | crew | dbo | Grant | Update | id
--> dbo | berths | crew | dbo | Grant | Update | length
--> dbo | sail | ann | dbo | Grant | ALTER | .
--> dbo | sail | ann | dbo | Grant | Execute | .
--> quay | boats | ann | dbo | Deny | Update | captain
--> quay | boats | ann | dbo | Grant_WGO | Update | name
--> quay | boats | crew | dbo | Grant | Insert | .
--> quay | boats | crew | dbo | Grant | Select | (All+New)
--> . | . | alone | dbo | Grant | CONNECT | .
--> . | . | ann | dbo | Grant | Backup Transaction | .
--> . | . | ann | dbo | Grant | CONNECT | .
--> . | . | ann | dbo | Grant | Create Table | .
--> . | . | dbo | dbo | Grant | CONNECT | .
--> (16 rows affected)
--> [Owner:nvarchar(6) | Object:nvarchar(12) | Grantee:nvarchar(8) | Grantor:nvarchar(6) | ProtectType:char(10) | Action:nvarchar(12) | Column:nvarchar(18)]
--> dbo | berths | ann | dbo | Grant | Select | (All+New)
--> dbo | berths | crew | dbo | Grant | Update | (New)
--> dbo | berths | crew | dbo | Grant | Update | id
--> dbo | berths | crew | dbo | Grant | Update | length
--> (4 rows affected)
--> [Owner:nvarchar(8) | Object:nvarchar(10) | Grantee:nvarchar(8) | Grantor:nvarchar(6) | ProtectType:char(10) | Action:nvarchar(12) | Column:nvarchar(18)]
--> quay | boats | crew | dbo | Grant | Insert | .
--> quay | boats | crew | dbo | Grant | Select | (All+New)
--> (2 rows affected)
--> [Owner:nvarchar(2) | Object:nvarchar(2) | Grantee:nvarchar(6) | Grantor:nvarchar(6) | ProtectType:char(10) | Action:nvarchar(24) | Column:nvarchar(2)]
--> . | . | ann | dbo | Grant | Create Table | .
--> (1 rows affected)
--> [Owner:nvarchar(2) | Object:nvarchar(2) | Grantee:nvarchar(10) | Grantor:nvarchar(6) | ProtectType:char(10) | Action:nvarchar(36) | Column:nvarchar(2)]
--> . | . | alone | dbo | Grant | CONNECT | .
--> . | . | ann | dbo | Grant | Backup Transaction | .
--> . | . | ann | dbo | Grant | CONNECT | .
--> . | . | ann | dbo | Grant | Create Table | .
--> . | . | dbo | dbo | Grant | CONNECT | .
--> (5 rows affected)
--> [Owner:nvarchar(8) | Object:nvarchar(12) | Grantee:nvarchar(6) | Grantor:nvarchar(6) | ProtectType:char(10) | Action:nvarchar(14) | Column:nvarchar(18)]
--> dbo | afloat | ann | dbo | Grant | Select | (All)
--> dbo | berths | ann | dbo | Grant | Select | (All+New)
--> dbo | sail | ann | dbo | Grant | ALTER | .
--> dbo | sail | ann | dbo | Grant | Execute | .
--> quay | boats | ann | dbo | Deny | Update | captain
--> quay | boats | ann | dbo | Grant_WGO | Update | name
--> (6 rows affected)
--> [Owner:nvarchar(2) | Object:nvarchar(2) | Grantee:nvarchar(10) | Grantor:nvarchar(6) | ProtectType:char(10) | Action:nvarchar(36) | Column:nvarchar(2)]
--> . | . | alone | dbo | Grant | CONNECT | .
--> . | . | ann | dbo | Grant | Backup Transaction | .
--> . | . | ann | dbo | Grant | CONNECT | .
--> . | . | ann | dbo | Grant | Create Table | .
--> . | . | dbo | dbo | Grant | CONNECT | .
--> (5 rows affected)
exec sp_table_privileges 'boats'
exec sp_table_privileges 'ber%', 'dbo', 'harbour'
exec sp_table_privileges 'ber%', @fUsePattern = 0
exec sp_column_privileges 'boats', 'quay', 'harbour', 'n%'
exec sp_column_privileges 'berths'
exec sp_column_privileges 'absent'
go
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | PRIVILEGE:varchar(32) | IS_GRANTABLE:varchar(3)]
--> harbour | quay | boats | dbo | dbo | DELETE | YES
--> harbour | quay | boats | dbo | crew | INSERT | NO
--> harbour | quay | boats | dbo | dbo | INSERT | YES
--> harbour | quay | boats | dbo | dbo | REFERENCES | YES
--> harbour | quay | boats | dbo | crew | SELECT | NO
--> harbour | quay | boats | dbo | dbo | SELECT | YES
--> harbour | quay | boats | dbo | dbo | UPDATE | YES
--> (7 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | PRIVILEGE:varchar(32) | IS_GRANTABLE:varchar(3)]
--> harbour | dbo | berths | dbo | dbo | DELETE | YES
--> harbour | dbo | berths | dbo | dbo | INSERT | YES
--> harbour | dbo | berths | dbo | dbo | REFERENCES | YES
--> harbour | dbo | berths | dbo | ann | SELECT | NO
--> harbour | dbo | berths | dbo | dbo | SELECT | YES
--> harbour | dbo | berths | dbo | crew | UPDATE | NO
--> harbour | dbo | berths | dbo | dbo | UPDATE | YES
--> (7 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | PRIVILEGE:varchar(32) | IS_GRANTABLE:varchar(3)]
--> (0 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | PRIVILEGE:varchar(32) | IS_GRANTABLE:varchar(3)]
--> harbour | quay | boats | name | dbo | crew | INSERT | NO
--> harbour | quay | boats | name | dbo | dbo | INSERT | YES
--> harbour | quay | boats | name | dbo | dbo | REFERENCES | YES
--> harbour | quay | boats | name | dbo | crew | SELECT | NO
--> harbour | quay | boats | name | dbo | dbo | SELECT | YES
--> harbour | quay | boats | name | dbo | ann | UPDATE | YES
--> harbour | quay | boats | name | dbo | dbo | UPDATE | YES
--> (7 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | PRIVILEGE:varchar(32) | IS_GRANTABLE:varchar(3)]
--> harbour | dbo | berths | id | dbo | dbo | INSERT | YES
--> harbour | dbo | berths | id | dbo | dbo | REFERENCES | YES
--> harbour | dbo | berths | id | dbo | ann | SELECT | NO
--> harbour | dbo | berths | id | dbo | dbo | SELECT | YES
--> harbour | dbo | berths | id | dbo | crew | UPDATE | NO
--> harbour | dbo | berths | id | dbo | dbo | UPDATE | YES
--> harbour | dbo | berths | length | dbo | dbo | INSERT | YES
--> harbour | dbo | berths | length | dbo | dbo | REFERENCES | YES
--> harbour | dbo | berths | length | dbo | ann | SELECT | NO
--> harbour | dbo | berths | length | dbo | dbo | SELECT | YES
--> harbour | dbo | berths | length | dbo | crew | UPDATE | NO
--> harbour | dbo | berths | length | dbo | dbo | UPDATE | YES
--> (12 rows affected)
--> [TABLE_QUALIFIER:nvarchar(128) | TABLE_OWNER:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | PRIVILEGE:varchar(32) | IS_GRANTABLE:varchar(3)]
--> (0 rows affected)
-- refused
exec sp_helprole 'ann'
go
--> Msg 15409, Level 11, State 1, Line 2: 'ann' is not a role.
exec sp_helprolemember 'absent'
go
--> Msg 15409, Level 11, State 1, Line 1: 'absent' is not a role.
exec sp_helpdbfixedrole 'crew'
go
--> Msg 15412, Level 11, State 1, Line 1: 'crew' is not a known fixed role.
exec sp_helpdbfixedrole ''
go
--> Msg 15412, Level 11, State 1, Line 1: '' is not a known fixed role.
exec sp_helpsrvrole 'bogus'
go
--> Msg 15412, Level 11, State 1, Line 1: 'bogus' is not a known fixed role.
exec sp_helpsrvrolemember 'watchers'
go
--> Msg 15412, Level 11, State 1, Line 1: 'watchers' is not a known fixed role.
exec sp_helplogins 'absent'
go
--> Msg 15007, Level 16, State 1, Line 1: 'absent' is not a valid login or you do not have permission.
exec sp_helpuser 'absent'
go
--> Msg 15198, Level 16, State 1, Line 1: The name supplied (absent) is not a user, role, or aliased login.
exec sp_helprotect 'absent'
go
--> Msg 15330, Level 11, State 1, Line 1: There are no matching rows on which to report.
exec sp_helprotect 'harbour.quay.boats'
go
--> Msg 15302, Level 11, State 1, Line 1: Database_Name should not be used to qualify owner.object for the parameter into this procedure.
exec sp_helprotect @permissionarea = 'x'
go
--> Msg 15300, Level 11, State 1, Line 1: No recognized letter is contained in the parameter value for General Permission Type (X). Valid letters are in this set: o,s .
exec sp_helprotect @permissionarea = null
go
--> Msg 15300, Level 11, State 1, Line 1: No recognized letter is contained in the parameter value for General Permission Type (?). Valid letters are in this set: o,s .
exec sp_table_privileges
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_table_privileges' expects parameter '@table_name', which was not supplied.
exec sp_table_privileges 'boats', @table_qualifier = 'master'
go
--> Msg 15250, Level 16, State 1, Line 1: The database name component of the object qualifier must be the name of the current database.
exec sp_column_privileges
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_column_privileges' expects parameter '@table_name', which was not supplied.
-- as a user
execute as user = 'ann'
exec sp_helplogins
exec sp_validatelogins
exec sp_helprolemember
exec sp_helprotect 'berths'
revert
go
--> Msg 15247, Level 16, State 1, Line 3: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 4: User does not have permission to perform this action.
--> [DbRole:nvarchar(128) | MemberName:nvarchar(128) | MemberSID:varbinary(85)]
--> crew | ann | 0x101112131415161718191A1B1C1D1E1F
--> db_datareader | ann | 0x101112131415161718191A1B1C1D1E1F
--> (2 rows affected)
--> [Owner:nvarchar(6) | Object:nvarchar(12) | Grantee:nvarchar(8) | Grantor:nvarchar(6) | ProtectType:char(10) | Action:nvarchar(12) | Column:nvarchar(18)]
--> dbo | berths | ann | dbo | Grant | Select | (All+New)
--> dbo | berths | crew | dbo | Grant | Update | (New)
--> dbo | berths | crew | dbo | Grant | Update | id
--> dbo | berths | crew | dbo | Grant | Update | length
--> (4 rows affected)
