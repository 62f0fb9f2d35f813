-- Catalog views of logins, users, roles and grants: what is in them, and who sees which row.
create login ann with password = 'Right-2026', default_database = tempdb
create login ben with password = 'Right-2026', check_policy = off
create server role watchers authorization ann
alter server role watchers add member ben
alter server role dbcreator add member ann
grant view server state to watchers
deny alter trace to ben
grant impersonate on login::ann to ben with grant option
go
select name, principal_id, type, type_desc, is_disabled, default_database_name, default_language_name, owning_principal_id, is_fixed_role
from sys.server_principals order by principal_id
select name, is_policy_checked, is_expiration_checked, datalength(sid) as sid_length from sys.sql_logins order by principal_id
select suser_name(role_principal_id) as role, suser_name(member_principal_id) as member from sys.server_role_members order by 1, 2
select class_desc, major_id, suser_name(grantee_principal_id) as grantee, suser_name(grantor_principal_id) as grantor, type, permission_name, state, state_desc
from sys.server_permissions order by class, grantee, permission_name
select loginname, dbname, status, denylogin, hasaccess, sysadmin, dbcreator, bulkadmin from master.dbo.syslogins order by loginname
select principal_id, name, type, usage from sys.login_token
select principal_id, sid, name, type, usage from sys.user_token
go
--> [name:nvarchar(128) | principal_id:int | type:char(1) | type_desc:nvarchar(60) | is_disabled:bit | default_database_name:nvarchar(128) | default_language_name:nvarchar(128) | owning_principal_id:int | is_fixed_role:bit]
--> sa | 1 | S | SQL_LOGIN | 0 | master | us_english | NULL | 0
--> public | 2 | R | SERVER_ROLE | 0 | NULL | NULL | 1 | 0
--> sysadmin | 3 | R | SERVER_ROLE | 0 | NULL | NULL | 1 | 1
--> securityadmin | 4 | R | SERVER_ROLE | 0 | NULL | NULL | 1 | 1
--> serveradmin | 5 | R | SERVER_ROLE | 0 | NULL | NULL | 1 | 1
--> setupadmin | 6 | R | SERVER_ROLE | 0 | NULL | NULL | 1 | 1
--> processadmin | 7 | R | SERVER_ROLE | 0 | NULL | NULL | 1 | 1
--> diskadmin | 8 | R | SERVER_ROLE | 0 | NULL | NULL | 1 | 1
--> dbcreator | 9 | R | SERVER_ROLE | 0 | NULL | NULL | 1 | 1
--> bulkadmin | 10 | R | SERVER_ROLE | 0 | NULL | NULL | 1 | 1
--> ann | 257 | S | SQL_LOGIN | 0 | tempdb | us_english | NULL | 0
--> ben | 258 | S | SQL_LOGIN | 0 | master | us_english | NULL | 0
--> watchers | 259 | R | SERVER_ROLE | 0 | NULL | NULL | 257 | 0
--> (13 rows affected)
--> [name:nvarchar(128) | is_policy_checked:bit | is_expiration_checked:bit | sid_length:int]
--> sa | 1 | 0 | 1
--> ann | 1 | 0 | 16
--> ben | 0 | 0 | 16
--> (3 rows affected)
--> [role:nvarchar(128) | member:nvarchar(128)]
--> dbcreator | ann
--> sysadmin | sa
--> watchers | ben
--> (3 rows affected)
--> [class_desc:nvarchar(60) | major_id:int | grantee:nvarchar(128) | grantor:nvarchar(128) | type:char(4) | permission_name:nvarchar(128) | state:char(1) | state_desc:nvarchar(60)]
--> SERVER | 0 | ann | sa | COSQ | CONNECT SQL | G | GRANT
--> SERVER | 0 | ben | sa | ALTR | ALTER TRACE | D | DENY
--> SERVER | 0 | ben | sa | COSQ | CONNECT SQL | G | GRANT
--> SERVER | 0 | public | sa | VWDB | VIEW ANY DATABASE | G | GRANT
--> SERVER | 0 | sa | sa | COSQ | CONNECT SQL | G | GRANT
--> SERVER | 0 | watchers | sa | VWSS | VIEW SERVER STATE | G | GRANT
--> SERVER_PRINCIPAL | 257 | ben | sa | IM | IMPERSONATE | W | GRANT_WITH_GRANT_OPTION
--> (7 rows affected)
--> [loginname:nvarchar(128) | dbname:nvarchar(128) | status:smallint | denylogin:int | hasaccess:int | sysadmin:int | dbcreator:int | bulkadmin:int]
--> ann | tempdb | 9 | 0 | 1 | 0 | 1 | 0
--> ben | master | 9 | 0 | 1 | 0 | 0 | 0
--> sa | master | 9 | 0 | 1 | 1 | 0 | 0
--> (3 rows affected)
--> [principal_id:int | name:nvarchar(128) | type:nvarchar(128) | usage:nvarchar(128)]
--> 1 | sa | SQL LOGIN | GRANT OR DENY
--> 2 | public | SERVER ROLE | GRANT OR DENY
--> 3 | sysadmin | SERVER ROLE | GRANT OR DENY
--> (3 rows affected)
--> [principal_id:int | sid:varbinary(85) | name:nvarchar(128) | type:nvarchar(128) | usage:nvarchar(128)]
--> 1 | 0x01 | dbo | SQL USER | GRANT OR DENY
--> 0 | NULL | public | ROLE | GRANT OR DENY
--> 16384 | NULL | db_owner | ROLE | GRANT OR DENY
--> (3 rows affected)
-- as another login
execute as login = 'ben'
select name from sys.server_principals where is_fixed_role = 0 order by principal_id
select name from sys.sql_logins order by principal_id
select suser_name(role_principal_id) as role, member_principal_id from sys.server_role_members order by 1, 2
select grantee_principal_id, permission_name from sys.server_permissions order by class, 1, permission_name
select name, type, usage from sys.login_token order by principal_id
select name, type from sys.user_token order by principal_id
select login_name, original_login_name from sys.dm_exec_sessions where security_id = suser_sid() and original_security_id = 0x01
revert
go
--> [name:nvarchar(128)]
--> sa
--> public
--> ann
--> ben
--> watchers
--> (5 rows affected)
--> [name:nvarchar(128)]
--> sa
--> ann
--> ben
--> (3 rows affected)
--> [role:nvarchar(128) | member_principal_id:int]
--> dbcreator | 257
--> sysadmin | 1
--> watchers | 258
--> (3 rows affected)
--> [grantee_principal_id:int | permission_name:nvarchar(128)]
--> 1 | CONNECT SQL
--> 2 | VIEW ANY DATABASE
--> 257 | CONNECT SQL
--> 258 | ALTER TRACE
--> 258 | CONNECT SQL
--> 259 | VIEW SERVER STATE
--> 258 | IMPERSONATE
--> (7 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128) | usage:nvarchar(128)]
--> public | SERVER ROLE | GRANT OR DENY
--> ben | SQL LOGIN | GRANT OR DENY
--> watchers | SERVER ROLE | GRANT OR DENY
--> (3 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128)]
--> public | ROLE
--> guest | SQL USER
--> (2 rows affected)
--> [login_name:nvarchar(128) | original_login_name:nvarchar(128)]
--> ben | sa
--> (1 rows affected)
create database harbour
go
use harbour
create user ann for login ann with default_schema = quay
create user ben for login ben
create user nobody without login
create role crew
create role captains authorization ann
alter role crew add member captains
alter role captains add member ben
alter role db_datareader add member ann
go
create schema quay
go
alter authorization on schema::quay to ann
create table quay.boats (id int not null primary key, name varchar(20), captain varchar(20))
create table dbo.berths (id int)
alter authorization on dbo.berths to crew
grant select on quay.boats to crew
grant update (name, captain) on quay.boats to ben with grant option
deny insert on quay.boats to nobody
grant create table to crew
grant execute on schema::quay to captains
grant references (id) on quay.boats to public
go
select name, principal_id, type, type_desc, default_schema_name, owning_principal_id, is_fixed_role, authentication_type, authentication_type_desc
from sys.database_principals where is_fixed_role = 0 order by principal_id
select user_name(role_principal_id) as role, user_name(member_principal_id) as member from sys.database_role_members order by 1, 2
select class_desc, iif(class = 1, object_name(major_id), schema_name(nullif(major_id, 0))) as object, minor_id, user_name(grantee_principal_id) as grantee, user_name(grantor_principal_id) as grantor, type, permission_name, state
from sys.database_permissions order by class, grantee_principal_id, permission_name, minor_id
select name, user_name(principal_id) as owner from sys.schemas order by schema_id
select name, principal_id, schema_id from sys.objects where name in ('boats', 'berths') order by name
select SCHEMA_NAME, SCHEMA_OWNER from INFORMATION_SCHEMA.SCHEMATA order by SCHEMA_NAME
select name, uid, altuid, gid, hasdbaccess, islogin, issqluser, issqlrole, isapprole from sysusers where uid < 16384 order by uid
select user_name(groupuid) as role, user_name(memberuid) as member from sysmembers order by 1, 2
select object_name(id) as object, user_name(uid) as grantee, action, protecttype, columns from sysprotects order by object, uid, action
select * from INFORMATION_SCHEMA.TABLE_PRIVILEGES
select * from INFORMATION_SCHEMA.COLUMN_PRIVILEGES
go
--> [name:nvarchar(128) | principal_id:int | type:char(1) | type_desc:nvarchar(60) | default_schema_name:nvarchar(128) | owning_principal_id:int | is_fixed_role:bit | authentication_type:int | authentication_type_desc:nvarchar(60)]
--> public | 0 | R | DATABASE_ROLE | NULL | 1 | 0 | 0 | NONE
--> dbo | 1 | S | SQL_USER | dbo | NULL | 0 | 1 | INSTANCE
--> guest | 2 | S | SQL_USER | guest | NULL | 0 | 0 | NONE
--> INFORMATION_SCHEMA | 3 | S | SQL_USER | NULL | NULL | 0 | 0 | NONE
--> sys | 4 | S | SQL_USER | NULL | NULL | 0 | 0 | NONE
--> ann | 5 | S | SQL_USER | quay | NULL | 0 | 1 | INSTANCE
--> ben | 6 | S | SQL_USER | dbo | NULL | 0 | 1 | INSTANCE
--> nobody | 7 | S | SQL_USER | dbo | NULL | 0 | 0 | NONE
--> crew | 8 | R | DATABASE_ROLE | NULL | 1 | 0 | 0 | NONE
--> captains | 9 | R | DATABASE_ROLE | NULL | 5 | 0 | 0 | NONE
--> (10 rows affected)
--> [role:nvarchar(128) | member:nvarchar(128)]
--> captains | ben
--> crew | captains
--> db_datareader | ann
--> db_owner | dbo
--> (4 rows affected)
--> [class_desc:nvarchar(60) | object:nvarchar(128) | minor_id:int | grantee:nvarchar(128) | grantor:nvarchar(128) | type:char(4) | permission_name:nvarchar(128) | state:char(1)]
--> DATABASE | NULL | 0 | dbo | dbo | CO | CONNECT | G
--> DATABASE | NULL | 0 | ann | dbo | CO | CONNECT | G
--> DATABASE | NULL | 0 | ben | dbo | CO | CONNECT | G
--> DATABASE | NULL | 0 | nobody | dbo | CO | CONNECT | G
--> DATABASE | NULL | 0 | crew | dbo | CRTB | CREATE TABLE | G
--> OBJECT_OR_COLUMN | boats | 1 | public | ann | RF | REFERENCES | G
--> OBJECT_OR_COLUMN | boats | 2 | ben | ann | UP | UPDATE | W
--> OBJECT_OR_COLUMN | boats | 3 | ben | ann | UP | UPDATE | W
--> OBJECT_OR_COLUMN | boats | 0 | nobody | ann | IN | INSERT | D
--> OBJECT_OR_COLUMN | boats | 0 | crew | ann | SL | SELECT | G
--> SCHEMA | quay | 0 | captains | ann | EX | EXECUTE | G
--> (11 rows affected)
--> [name:nvarchar(128) | owner:nvarchar(128)]
--> dbo | dbo
--> guest | guest
--> INFORMATION_SCHEMA | INFORMATION_SCHEMA
--> sys | sys
--> quay | ann
--> db_owner | db_owner
--> db_accessadmin | db_accessadmin
--> db_securityadmin | db_securityadmin
--> db_ddladmin | db_ddladmin
--> db_backupoperator | db_backupoperator
--> db_datareader | db_datareader
--> db_datawriter | db_datawriter
--> db_denydatareader | db_denydatareader
--> db_denydatawriter | db_denydatawriter
--> (14 rows affected)
--> [name:nvarchar(128) | principal_id:int | schema_id:int]
--> berths | 8 | 1
--> boats | NULL | 5
--> (2 rows affected)
--> [SCHEMA_NAME:nvarchar(128) | SCHEMA_OWNER:nvarchar(128)]
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
--> quay | ann
--> sys | sys
--> (14 rows affected)
--> [name:nvarchar(128) | uid:smallint | altuid:smallint | gid:smallint | hasdbaccess:int | islogin:int | issqluser:int | issqlrole:int | isapprole:int]
--> public | 0 | 1 | 0 | 0 | 0 | 0 | 1 | 0
--> dbo | 1 | NULL | 0 | 1 | 1 | 1 | 0 | 0
--> guest | 2 | NULL | 0 | 0 | 1 | 1 | 0 | 0
--> INFORMATION_SCHEMA | 3 | NULL | 0 | 0 | 1 | 1 | 0 | 0
--> sys | 4 | NULL | 0 | 0 | 1 | 1 | 0 | 0
--> ann | 5 | NULL | 0 | 1 | 1 | 1 | 0 | 0
--> ben | 6 | NULL | 0 | 1 | 1 | 1 | 0 | 0
--> nobody | 7 | NULL | 0 | 1 | 1 | 1 | 0 | 0
--> crew | 8 | 1 | 8 | 0 | 0 | 0 | 1 | 0
--> captains | 9 | 5 | 9 | 0 | 0 | 0 | 1 | 0
--> (10 rows affected)
--> [role:nvarchar(128) | member:nvarchar(128)]
--> captains | ben
--> crew | captains
--> db_datareader | ann
--> db_owner | dbo
--> (4 rows affected)
--> [object:nvarchar(128) | grantee:nvarchar(128) | action:tinyint | protecttype:tinyint | columns:varbinary(8000)]
--> NULL | crew | 198 | 205 | NULL
--> boats | public | 26 | 205 | 0x02
--> boats | ben | 197 | 204 | 0x0C
--> boats | nobody | 195 | 206 | NULL
--> boats | crew | 193 | 205 | 0x01
--> (5 rows affected)
--> [GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | TABLE_CATALOG:nvarchar(128) | TABLE_SCHEMA:nvarchar(128) | TABLE_NAME:nvarchar(128) | PRIVILEGE_TYPE:varchar(10) | IS_GRANTABLE:varchar(3)]
--> (0 rows affected)
--> [GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | TABLE_CATALOG:nvarchar(128) | TABLE_SCHEMA:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | PRIVILEGE_TYPE:varchar(10) | IS_GRANTABLE:varchar(3)]
--> ann | public | harbour | quay | boats | id | REFERENCES | NO
--> (1 rows affected)
-- as a user alone
execute as user = 'ben'
select name from sys.database_principals where is_fixed_role = 0 order by principal_id
select user_name(role_principal_id) as role, user_name(member_principal_id) as member from sys.database_role_members order by 1, 2
select user_name(grantee_principal_id) as grantee, permission_name, minor_id from sys.database_permissions order by 1, 2, 3
select name, type, usage from sys.user_token
select name, type, usage from sys.login_token
select GRANTOR, GRANTEE, TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, PRIVILEGE_TYPE, IS_GRANTABLE from INFORMATION_SCHEMA.COLUMN_PRIVILEGES order by COLUMN_NAME
select name from sys.databases order by database_id
revert
grant view definition on user::ann to ben
grant view definition on role::crew to nobody
execute as user = 'ben'
select name from sys.database_principals where is_fixed_role = 0 order by principal_id
revert
go
--> [name:nvarchar(128)]
--> public
--> dbo
--> guest
--> INFORMATION_SCHEMA
--> sys
--> ben
--> crew
--> captains
--> (8 rows affected)
--> [role:nvarchar(128) | member:nvarchar(128)]
--> captains | ben
--> (1 rows affected)
--> [grantee:nvarchar(128) | permission_name:nvarchar(128) | minor_id:int]
--> ben | CONNECT | 0
--> ben | UPDATE | 2
--> ben | UPDATE | 3
--> captains | EXECUTE | 0
--> crew | CREATE TABLE | 0
--> crew | SELECT | 0
--> dbo | CONNECT | 0
--> public | REFERENCES | 1
--> (8 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128) | usage:nvarchar(128)]
--> ben | SQL USER | GRANT OR DENY
--> public | ROLE | GRANT OR DENY
--> crew | ROLE | GRANT OR DENY
--> captains | ROLE | GRANT OR DENY
--> (4 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128) | usage:nvarchar(128)]
--> ben | SQL LOGIN | DENY ONLY
--> public | SERVER ROLE | DENY ONLY
--> watchers | SERVER ROLE | DENY ONLY
--> (3 rows affected)
--> [GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | TABLE_SCHEMA:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | PRIVILEGE_TYPE:varchar(10) | IS_GRANTABLE:varchar(3)]
--> ann | ben | quay | boats | captain | UPDATE | YES
--> ann | public | quay | boats | id | REFERENCES | NO
--> ann | ben | quay | boats | name | UPDATE | YES
--> (3 rows affected)
--> [name:nvarchar(128)]
--> master
--> tempdb
--> harbour
--> (3 rows affected)
--> [name:nvarchar(128)]
--> public
--> dbo
--> guest
--> INFORMATION_SCHEMA
--> sys
--> ann
--> ben
--> crew
--> captains
--> (9 rows affected)
-- owners of databases
alter authorization on database::harbour to ann
go
--> Msg 15110, Level 16, State 1, Line 2: The proposed new database owner is already a user or aliased in the database.
use master
drop user if exists nothing
select name, suser_sname(owner_sid) as owner from sys.databases order by database_id
deny view any database to ben
execute as login = 'ben'
select name from sys.databases order by database_id
revert
go
--> [name:nvarchar(128) | owner:nvarchar(128)]
--> master | sa
--> tempdb | sa
--> model | sa
--> msdb | sa
--> harbour | sa
--> (5 rows affected)
--> [name:nvarchar(128)]
--> master
--> tempdb
--> (2 rows affected)
