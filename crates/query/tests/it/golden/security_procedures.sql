-- Procedures that change logins, users, roles and owners: each runs the statements that it stands for.
exec sp_addlogin 'ann', 'weak'
exec sp_addlogin @loginame = 'ben', @passwd = 'it''s', @defdb = 'tempdb', @deflanguage = 'us_english', @sid = 0x000102030405060708090A0B0C0D0E0F
exec sp_addlogin 'cay]s'
select name, default_database_name, is_policy_checked, is_expiration_checked, pwdcompare('weak', password_hash) as weak, pwdcompare('it''s', password_hash) as its, pwdcompare('', password_hash) as empty
from sys.sql_logins where principal_id > 1 order by name
select suser_sname(0x000102030405060708090A0B0C0D0E0F) as of_sid
exec sp_defaultdb 'ann', 'model'
exec sp_defaultlanguage 'ann'
exec sp_password null, 'new', 'ann'
exec sp_password 'new', 'newer', ann
select default_database_name, default_language_name, pwdcompare('newer', password_hash) as newer from sys.sql_logins where name = 'ann'
exec sp_addsrvrolemember 'ann', 'dbcreator'
select is_srvrolemember('dbcreator', 'ann') as is_in
exec sp_dropsrvrolemember 'ann', 'dbcreator'
select is_srvrolemember('dbcreator', 'ann') as is_in
exec sp_droplogin 'cay]s'
select count(*) as gone from sys.sql_logins where name = 'cay]s'
go
--> [name:nvarchar(128) | default_database_name:nvarchar(128) | is_policy_checked:bit | is_expiration_checked:bit | weak:int | its:int | empty:int]
--> ann | master | 0 | 0 | 1 | 0 | 0
--> ben | tempdb | 0 | 0 | 0 | 1 | 0
--> cay]s | master | 0 | 0 | 0 | 0 | 1
--> (3 rows affected)
--> [of_sid:nvarchar(128)]
--> ben
--> (1 rows affected)
--> [default_database_name:nvarchar(128) | default_language_name:nvarchar(128) | newer:int]
--> model | us_english | 1
--> (1 rows affected)
--> [is_in:int]
--> 1
--> (1 rows affected)
--> [is_in:int]
--> 0
--> (1 rows affected)
--> [gone:int]
--> 0
--> (1 rows affected)
-- what is refused
exec sp_addlogin
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_addlogin' expects parameter '@loginame', which was not supplied.
exec sp_addlogin null
go
--> Msg 15004, Level 16, State 1, Line 1: Name cannot be NULL.
exec sp_addlogin 'DOMAIN\ann'
go
--> Msg 15006, Level 16, State 1, Line 1: 'DOMAIN\ann' is not a valid name because it contains invalid characters.
exec sp_addlogin 'ann', 'x'
go
--> Msg 15025, Level 16, State 1, Line 1: The server principal 'ann' already exists.
exec sp_addlogin 'dee', 'x', 'absent'
go
--> Msg 15010, Level 16, State 1, Line 1: The database 'absent' does not exist. Supply a valid database name. To see available databases, use sys.databases.
exec sp_addlogin 'dee', 'x', @sid = 0x0102
go
--> Msg 15419, Level 16, State 1, Line 1: Supplied parameter sid should be binary(16).
exec sp_addlogin 'dee', 'x', @encryptopt = 'twice'
go
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sys.sp_addlogin'.
begin transaction
exec sp_addlogin 'dee', 'x'
exec sp_droplogin 'ann'
exec sp_addrole 'crew'
rollback
go
--> Msg 15002, Level 16, State 1, Line 2: The procedure 'sys.sp_addlogin' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 3: The procedure 'sys.sp_droplogin' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 4: The procedure 'sys.sp_addrole' cannot be executed within a transaction.
exec sp_droplogin 'absent'
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot drop the login 'absent', because it does not exist or you do not have permission.
exec sp_droplogin 'sa'
go
--> Msg 15150, Level 16, State 1, Line 1: Cannot drop the login 'sa'.
exec sp_defaultdb 'ann'
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_defaultdb' expects parameter '@defdb', which was not supplied.
exec sp_defaultdb 'ann', 'absent'
go
--> Msg 15010, Level 16, State 1, Line 1: The database 'absent' does not exist. Supply a valid database name. To see available databases, use sys.databases.
exec sp_password 'wrong', 'x', 'ann'
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot alter the login 'ann', because it does not exist or you do not have permission.
exec sp_grantlogin 'ann'
go
--> Msg 15407, Level 11, State 1, Line 1: 'ann' is not a valid Windows NT name. Give the complete name: <domain\username>.
exec sp_grantlogin 'DOMAIN\ann'
go
--> Msg 15401, Level 11, State 1, Line 1: Windows NT user or group 'DOMAIN\ann' not found. Check the name again.
exec sp_denylogin 'DOMAIN\ann'
go
--> Msg 15401, Level 11, State 1, Line 1: Windows NT user or group 'DOMAIN\ann' not found. Check the name again.
exec sp_revokelogin 'DOMAIN\ann'
go
--> Msg 15401, Level 11, State 1, Line 1: Windows NT user or group 'DOMAIN\ann' not found. Check the name again.
exec sp_addsrvrolemember 'ann'
go
--> Msg 15431, Level 16, State 1, Line 1: You must specify the @rolename parameter.
exec sp_addsrvrolemember 'ann', 'public'
go
--> Msg 15402, Level 11, State 1, Line 1: 'public' is not a fixed server role.
exec sp_addsrvrolemember 'absent', 'sysadmin'
go
--> Msg 15007, Level 16, State 1, Line 1: 'absent' is not a valid login or you do not have permission.
exec sp_addsrvrolemember 'sa', 'dbcreator'
go
--> Msg 15405, Level 11, State 1, Line 1: Cannot use the special principal 'sa'.
create database harbour
go
use harbour
go
-- users
declare @name sysname
exec sp_grantdbaccess 'ann', @name output
select @name as made
exec sp_adduser 'ben', 'benny', 'db_datareader'
select name, default_schema_name from sys.database_principals where name in ('ann', 'benny') order by name
select name, user_name(principal_id) as owner from sys.schemas where schema_id between 5 and 100 order by name
select is_rolemember('db_datareader', 'benny') as reads
exec sp_adduser 'guest'
select has_perms_by_name(null, 'DATABASE', 'CONNECT') as connects, count(*) as guests from sys.database_permissions where grantee_principal_id = 2
exec sp_dropuser 'guest'
select count(*) as guests from sys.database_permissions where grantee_principal_id = 2
go
--> [made:nvarchar(128)]
--> ann
--> (1 rows affected)
--> [name:nvarchar(128) | default_schema_name:nvarchar(128)]
--> ann | ann
--> benny | benny
--> (2 rows affected)
--> [name:nvarchar(128) | owner:nvarchar(128)]
--> ann | ann
--> benny | benny
--> (2 rows affected)
--> [reads:int]
--> 1
--> (1 rows affected)
--> [connects:int | guests:int]
--> 1 | 1
--> (1 rows affected)
--> [guests:int]
--> 0
--> (1 rows affected)
exec sp_adduser 'absent'
go
--> Msg 15007, Level 16, State 1, Line 1: 'absent' is not a valid login or you do not have permission.
exec sp_adduser 'ben', 'other', 'absent'
go
--> Msg 15014, Level 16, State 1, Line 1: The role 'absent' does not exist in the current database.
exec sp_adduser 'ben', 'other'
go
--> Msg 15063, Level 16, State 1, Line 1: The login already has an account under a different user name.
exec sp_grantdbaccess 'absent'
go
--> Msg 15007, Level 16, State 1, Line 1: 'absent' is not a valid login or you do not have permission.
exec sp_dropuser 'absent'
go
--> Msg 15008, Level 16, State 1, Line 1: User 'absent' does not exist in the current database.
exec sp_revokedbaccess 'dbo'
go
--> Msg 15150, Level 16, State 1, Line 1: Cannot drop the user 'dbo'.
exec master..sp_dropuser 'guest'
go
--> Msg 15182, Level 16, State 1, Line 1: Cannot disable access to the guest user in master or tempdb.
create table ann.boats (id int)
exec sp_dropuser 'ann'
go
--> Msg 15138, Level 16, State 1, Line 1: The database principal owns a schema in the database, and cannot be dropped.
drop table ann.boats
exec sp_dropuser 'ann'
declare @status int
exec @status = sp_revokedbaccess 'benny'
select @status as status, count(*) as schemas from sys.schemas where schema_id between 5 and 100
exec @status = sp_revokedbaccess 'benny'
select @status as status
go
--> [status:int | schemas:int]
--> 0 | 0
--> (1 rows affected)
--> Msg 15008, Level 16, State 1, Line 6: User 'benny' does not exist in the current database.
--> [status:int]
--> 1
--> (1 rows affected)
-- roles
exec sp_grantdbaccess 'ann'
exec sp_addrole 'crew'
exec sp_addrole 'captains', 'ann'
exec sp_addrolemember 'crew', 'captains'
exec sp_addrolemember @membername = 'ann', @rolename = 'captains'
exec sp_addrolemember 'db_owner', 'ann'
select user_name(role_principal_id) as role, user_name(member_principal_id) as member from sys.database_role_members order by 1, 2
select name, user_name(owning_principal_id) as owner from sys.database_principals where name in ('crew', 'captains') order by name
select name, user_name(principal_id) as owner from sys.schemas where schema_id between 5 and 100 order by name
exec sp_droprolemember 'db_owner', 'ann'
exec sp_droprolemember 'crew', 'captains'
exec sp_droprole 'crew'
select name from sys.database_principals where name in ('crew', 'captains') order by name
select name from sys.schemas where name in ('crew', 'captains') order by name
go
--> [role:nvarchar(128) | member:nvarchar(128)]
--> captains | ann
--> crew | captains
--> db_owner | ann
--> db_owner | dbo
--> (4 rows affected)
--> [name:nvarchar(128) | owner:nvarchar(128)]
--> captains | ann
--> crew | dbo
--> (2 rows affected)
--> [name:nvarchar(128) | owner:nvarchar(128)]
--> ann | ann
--> captains | captains
--> crew | crew
--> (3 rows affected)
--> [name:nvarchar(128)]
--> captains
--> (1 rows affected)
--> [name:nvarchar(128)]
--> captains
--> (1 rows affected)
exec sp_addrole
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_addrole' expects parameter '@rolename', which was not supplied.
exec sp_addrole null
go
--> Msg 15004, Level 16, State 1, Line 1: Name cannot be NULL.
exec sp_addrole '   '
go
--> Msg 15004, Level 16, State 1, Line 1: Name cannot be NULL.
exec sp_addrole 'a\b'
go
--> Msg 15006, Level 16, State 1, Line 1: 'a\b' is not a valid name because it contains invalid characters.
exec sp_addrole 'captains'
go
--> Msg 15023, Level 16, State 1, Line 1: User, group, or role 'captains' already exists in the current database.
exec sp_addrole 'other', 'absent'
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot find the principal 'absent', because it does not exist or you do not have permission.
exec sp_droprole 'captains'
go
--> Msg 15144, Level 16, State 1, Line 1: The role has members. It must be empty before it can be dropped.
exec sp_droprole 'absent'
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot drop the role 'absent', because it does not exist or you do not have permission.
exec sp_droprole 'db_owner'
go
--> Msg 15150, Level 16, State 1, Line 1: Cannot drop the role 'db_owner'.
exec sp_addrolemember 'captains'
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_addrolemember' expects parameter '@membername', which was not supplied.
exec sp_addrolemember 'captains', null
go
--> Msg 15004, Level 16, State 1, Line 1: Name cannot be NULL.
exec sp_addrolemember 'absent', 'nobody'
go
--> Msg 15410, Level 11, State 1, Line 1: User or role 'nobody' does not exist in this database.
exec sp_addrolemember 'absent', 'ann'
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot alter the role 'absent', because it does not exist or you do not have permission.
exec sp_addrolemember 'ann', 'ann'
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot alter the role 'ann', because it does not exist or you do not have permission.
exec sp_addrolemember 'captains', 'captains'
go
--> Msg 15413, Level 11, State 1, Line 1: Cannot make a role a member of itself.
exec sp_addrolemember 'captains', 'dbo'
go
--> Msg 15405, Level 11, State 1, Line 1: Cannot use the special principal 'dbo'.
exec sp_droprolemember 'captains', 'absent'
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot drop the principal 'absent', because it does not exist or you do not have permission.
exec sp_droprolemember 'public', 'ann'
go
--> Msg 15081, Level 16, State 1, Line 1: Membership of the public role cannot be changed.
-- in a TRY
begin try
    exec sp_addrole 'captains'
    print 'not reached'
end try
begin catch
    select error_number() as number, error_message() as text
end catch
go
--> [number:int | text:nvarchar(4000)]
--> 15023 | User, group, or role 'captains' already exists in the current database.
--> (1 rows affected)
-- owners
exec sp_changedbowner 'ben'
select suser_sname(owner_sid) as owner from sys.databases where name = 'harbour'
exec sp_changedbowner 'sa'
go
--> [owner:nvarchar(128)]
--> ben
--> (1 rows affected)
exec sp_changedbowner 'absent'
go
--> Msg 15151, Level 16, State 1, Line 1: Cannot find the principal 'absent', because it does not exist or you do not have permission.
exec sp_changedbowner 'ann'
go
--> Msg 15110, Level 16, State 1, Line 1: The proposed new database owner is already a user or aliased in the database.
exec master..sp_changedbowner 'ann'
go
--> Msg 15109, Level 16, State 1, Line 1: Cannot change the owner of the master, model, tempdb or distribution database.
exec model..sp_changedbowner 'ann'
go
--> Msg 15109, Level 16, State 1, Line 1: Cannot change the owner of the master, model, tempdb or distribution database.
exec sp_changeobjectowner 'absent', 'ann'
go
--> Msg 15001, Level 16, State 1, Line 1: Object 'absent' does not exist or is not a valid object for this operation.
create table boats (id int)
exec sp_changeobjectowner 'boats', 'absent'
go
--> Msg 15411, Level 11, State 1, Line 2: Database principal or schema 'absent' does not exist in this database.
exec sp_changeobjectowner 'master.dbo.boats', 'ann'
go
--> Msg 15001, Level 16, State 1, Line 1: Object 'master.dbo.boats' does not exist or is not a valid object for this operation.
-- users whose login is gone
create login eve with password = 'Right-2026', sid = 0x101112131415161718191A1B1C1D1E1F
create login fay with password = 'Right-2026', sid = 0x202122232425262728292A2B2C2D2E2F
create user eve for login eve
create user fay for login fay
create user alone without login
drop login eve
drop login fay
create login fay with password = 'Right-2026'
exec sp_change_users_login 'Report'
go
--> [UserName:nvarchar(128) | UserSID:varbinary(85)]
--> eve | 0x101112131415161718191A1B1C1D1E1F
--> fay | 0x202122232425262728292A2B2C2D2E2F
--> (2 rows affected)
exec sp_change_users_login 'auto_fix', 'eve'
go
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sys.sp_change_users_login'.
exec sp_change_users_login 'auto_fix', 'eve', null, 'weak'
select suser_sname(sid) as login from sys.database_principals where name = 'eve'
exec sp_change_users_login 'auto_fix', 'fay'
exec sp_change_users_login 'auto_fix', 'fay'
exec sp_change_users_login 'report'
go
--> # Barring a conflict, the row for user 'eve' will be fixed by updating its link to a new login.
--> # The number of orphaned users fixed by updating users was 0.
--> # The number of orphaned users fixed by adding new logins and then updating users was 1.
--> [login:nvarchar(128)]
--> eve
--> (1 rows affected)
--> # The row for user 'fay' will be fixed by updating its login link to a login already in existence.
--> # The number of orphaned users fixed by updating users was 1.
--> # The number of orphaned users fixed by adding new logins and then updating users was 0.
--> # The row for user 'fay' will be fixed by updating its login link to a login already in existence.
--> # The number of orphaned users fixed by updating users was 0.
--> # The number of orphaned users fixed by adding new logins and then updating users was 0.
--> [UserName:nvarchar(128) | UserSID:varbinary(85)]
--> (0 rows affected)
drop login fay
create login gil with password = 'Right-2026'
exec sp_change_users_login 'update_one', 'fay', 'gil'
select suser_sname(sid) as login from sys.database_principals where name = 'fay'
go
--> [login:nvarchar(128)]
--> gil
--> (1 rows affected)
exec sp_change_users_login 'update_one', 'fay', 'sa'
go
--> Msg 15287, Level 16, State 1, Line 1: Terminating this procedure. 'sa' is a forbidden value for the login name parameter in this procedure.
exec sp_change_users_login 'update_one', 'dbo', 'gil'
go
--> Msg 15287, Level 16, State 1, Line 1: Terminating this procedure. 'dbo' is a forbidden value for the login name parameter in this procedure.
exec sp_change_users_login 'update_one', 'absent', 'gil'
go
--> Msg 15291, Level 16, State 1, Line 1: Terminating this procedure. The User name 'absent' is absent or invalid.
exec sp_change_users_login 'update_one', 'fay', 'absent'
go
--> Msg 15291, Level 16, State 1, Line 1: Terminating this procedure. The Login name 'absent' is absent or invalid.
exec sp_change_users_login 'update_one', 'eve', 'gil'
go
--> Msg 15063, Level 16, State 1, Line 1: The login already has an account under a different user name.
exec sp_change_users_login 'update_one', 'fay'
go
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sys.sp_change_users_login'.
exec sp_change_users_login 'other'
go
--> Msg 15286, Level 16, State 1, Line 1: Terminating this procedure. The @action 'other' is unrecognized. Try 'REPORT', 'UPDATE_ONE', or 'AUTO_FIX'.
exec sp_change_users_login
go
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_change_users_login' expects parameter '@Action', which was not supplied.
begin transaction
exec sp_change_users_login 'report'
rollback
go
--> Msg 15289, Level 16, State 1, Line 2: Terminating this procedure. Cannot have an open transaction when this is run.
-- rights are those of the statements
execute as user = 'eve'
exec sp_addrole 'mine'
exec sp_adduser 'gil', 'other'
exec sp_change_users_login 'report'
exec sp_dropuser 'fay'
revert
go
--> Msg 15247, Level 16, State 1, Line 1: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 4: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 5: User does not have permission to perform this action.
--> Msg 15151, Level 16, State 1, Line 1: Cannot drop the user 'fay', because it does not exist or you do not have permission.
-- a line end after a backslash is part of a password
declare @password sysname = N'ab\' + nchar(10) + N'cd'
exec sp_addlogin 'hal', @password
select pwdcompare(@password, password_hash) as whole, pwdcompare(N'abcd', password_hash) as joined from sys.sql_logins where name = 'hal'
exec sp_droplogin 'hal'
go
--> [whole:int | joined:int]
--> 1 | 0
--> (1 rows affected)
