-- Contained databases: when a database may be one, users with passwords, and what becomes of users of logins.
CREATE DATABASE pond CONTAINMENT = PARTIAL;
GO
--> Msg 12824, Level 16, State 1, Line 2: The sp_configure value 'contained database authentication' must be set to 1 in order to create a contained database. You may need to use RECONFIGURE to set the value_in_use.
CREATE DATABASE pond;
ALTER DATABASE pond SET CONTAINMENT = PARTIAL;
GO
--> Msg 12824, Level 16, State 1, Line 2: The sp_configure value 'contained database authentication' must be set to 1 in order to alter a contained database. You may need to use RECONFIGURE to set the value_in_use.
--> Msg 5069, Level 16, State 1, Line 2: ALTER DATABASE statement failed.
EXEC sp_configure 'contained database authentication', 1;
RECONFIGURE;
GO
--> # Configuration option 'contained database authentication' changed from 0 to 1. Run the RECONFIGURE statement to install.
ALTER DATABASE pond SET CONTAINMENT = HALF;
ALTER DATABASE master SET CONTAINMENT = PARTIAL;
GO
--> Msg 5058, Level 16, State 1, Line 1: Option 'CONTAINMENT' cannot be set to that value.
--> Msg 5058, Level 16, State 1, Line 2: Option 'CONTAINMENT' cannot be set in database 'master'.
CREATE DATABASE lake CONTAINMENT = FULL;
GO
--> Msg 156, Level 15, State 1, Line 1: Incorrect syntax near the keyword 'FULL'.
SELECT name, containment, containment_desc, default_language_name, two_digit_year_cutoff FROM sys.databases WHERE name = 'pond';
ALTER DATABASE pond SET CONTAINMENT = PARTIAL;
SELECT name, containment, containment_desc, default_language_name, two_digit_year_cutoff FROM sys.databases WHERE name = 'pond';
CREATE DATABASE lake CONTAINMENT = PARTIAL;
SELECT name, containment_desc FROM sys.databases WHERE name IN ('lake', 'master') ORDER BY name;
GO
--> [name:nvarchar(128) | containment:tinyint | containment_desc:nvarchar(60) | default_language_name:nvarchar(128) | two_digit_year_cutoff:smallint]
--> pond | 0 | NONE | NULL | NULL
--> (1 rows affected)
--> [name:nvarchar(128) | containment:tinyint | containment_desc:nvarchar(60) | default_language_name:nvarchar(128) | two_digit_year_cutoff:smallint]
--> pond | 1 | PARTIAL | us_english | 2049
--> (1 rows affected)
--> [name:nvarchar(128) | containment_desc:nvarchar(60)]
--> lake | PARTIAL
--> master | NONE
--> (2 rows affected)
-- A user with a password: not in a database that is not contained, nor beside a login.
CREATE USER mary WITH PASSWORD = 'Right-2026';
GO
--> Msg 33233, Level 16, State 1, Line 2: You can only create a user with a password in a contained database.
CREATE USER mary WITH DEFAULT_LANGUAGE = German;
GO
--> Msg 33236, Level 16, State 1, Line 1: The default language parameter can only be provided for users in a contained database.
USE pond;
CREATE LOGIN barry WITH PASSWORD = 'Lake-1234567';
CREATE LOGIN other WITH PASSWORD = 'Lake-1234567';
GO
CREATE USER mary WITH PASSWORD = 'short';
GO
--> Msg 15116, Level 16, State 1, Line 1: Password validation failed. The password does not meet the operating system policy requirements because it is too short.
CREATE USER mary WITH PASSWORD = 'alllowercase';
GO
--> Msg 15118, Level 16, State 1, Line 1: Password validation failed. The password does not meet the operating system policy requirements because it is not complex enough.
CREATE USER mary WITH PASSWORD = 'Mary-1234567';
GO
--> Msg 15118, Level 16, State 1, Line 1: Password validation failed. The password does not meet the operating system policy requirements because it is not complex enough.
CREATE USER mary WITHOUT LOGIN WITH PASSWORD = 'Right-2026';
GO
--> Msg 33235, Level 16, State 1, Line 1: The parameter PASSWORD cannot be provided for users that cannot authenticate in a database. Remove the WITHOUT LOGIN or PASSWORD clause.
CREATE USER barry FOR LOGIN barry WITH PASSWORD = 'Right-2026';
GO
--> Msg 33234, Level 16, State 1, Line 1: The parameter PASSWORD cannot be provided for users that cannot authenticate in a database.
CREATE USER barry WITH SID = 0x01;
GO
--> Msg 33234, Level 16, State 1, Line 1: The parameter SID cannot be provided for users that cannot authenticate in a database.
CREATE USER mary WITH PASSWORD = 'Right-2026', SID = 0x01;
GO
--> Msg 15021, Level 16, State 1, Line 1: Invalid value given for parameter SID. Specify a valid parameter value.
CREATE USER mary WITH PASSWORD = 'Right-2026', DEFAULT_SCHEMA = sales, DEFAULT_LANGUAGE = German, SID = 0x010500000000000903000000FFB2B4B6AB1CC64CBCAF1A7F5BDC25DA;
CREATE USER barry;
CREATE USER second FOR LOGIN other;
GO
CREATE USER eve WITH PASSWORD = 'Right-2026', SID = 0x010500000000000903000000FFB2B4B6AB1CC64CBCAF1A7F5BDC25DA;
GO
--> Msg 15433, Level 16, State 1, Line 1: Supplied parameter sid is in use.
CREATE USER mary WITH PASSWORD = 'Right-2026';
GO
--> Msg 15023, Level 16, State 1, Line 1: User, group, or role 'mary' already exists in the current database.
CREATE USER eve WITH PASSWORD = 'Right-2026', DEFAULT_LANGUAGE = Klingon;
GO
--> Msg 15033, Level 16, State 1, Line 1: 'Klingon' is not a valid official language name.
SELECT name, type, authentication_type, authentication_type_desc, default_schema_name, default_language_name, default_language_lcid, sid FROM sys.database_principals WHERE name = 'mary';
SELECT name, authentication_type_desc, default_language_name FROM sys.database_principals WHERE name IN ('barry', 'guest', 'dbo') ORDER BY name;
GO
--> [name:nvarchar(128) | type:char(1) | authentication_type:int | authentication_type_desc:nvarchar(60) | default_schema_name:nvarchar(128) | default_language_name:nvarchar(128) | default_language_lcid:int | sid:varbinary(85)]
--> mary | S | 2 | DATABASE | sales | Deutsch | 1031 | 0x010500000000000903000000FFB2B4B6AB1CC64CBCAF1A7F5BDC25DA
--> (1 rows affected)
--> [name:nvarchar(128) | authentication_type_desc:nvarchar(60) | default_language_name:nvarchar(128)]
--> barry | INSTANCE | NULL
--> dbo | INSTANCE | NULL
--> guest | NONE | NULL
--> (3 rows affected)
-- ALTER USER
ALTER USER mary WITH PASSWORD = 'short';
GO
--> Msg 15116, Level 16, State 1, Line 2: Password validation failed. The password does not meet the operating system policy requirements because it is too short.
ALTER USER mary WITH PASSWORD = 'Other-2026' OLD_PASSWORD = 'wrong';
GO
--> Msg 15151, Level 16, State 1, Line 1: Cannot alter the user 'mary', because it does not exist or you do not have permission.
ALTER USER mary WITH PASSWORD = 'Other-2026' OLD_PASSWORD = 'Right-2026';
ALTER USER mary WITH PASSWORD = 'Third-2026', DEFAULT_SCHEMA = dbo;
ALTER USER mary WITH DEFAULT_LANGUAGE = NONE;
SELECT default_schema_name, default_language_name FROM sys.database_principals WHERE name = 'mary';
GO
--> [default_schema_name:nvarchar(128) | default_language_name:nvarchar(128)]
--> dbo | NULL
--> (1 rows affected)
ALTER USER mary WITH LOGIN = barry;
GO
--> Msg 33016, Level 16, State 1, Line 1: The user cannot be remapped to a login. Remapping can only be done for users that were mapped to Windows or SQL logins.
ALTER USER barry WITH PASSWORD = 'Other-2026';
GO
--> Msg 33234, Level 16, State 1, Line 1: The parameter PASSWORD cannot be provided for users that cannot authenticate in a database.
ALTER USER dbo WITH PASSWORD = 'Other-2026';
GO
--> Msg 15150, Level 16, State 1, Line 1: Cannot alter the user 'dbo'.
EXECUTE AS USER = 'mary';
SELECT USER_NAME() AS user_now;
ALTER USER mary WITH PASSWORD = 'Fourth-2026' OLD_PASSWORD = 'Third-2026';
ALTER USER mary WITH PASSWORD = 'Fifth-2026';
GO
--> [user_now:nvarchar(128)]
--> mary
--> (1 rows affected)
--> Msg 15151, Level 16, State 1, Line 4: Cannot alter the user 'mary', because it does not exist or you do not have permission.
ALTER USER mary WITH PASSWORD = 'Fifth-2026' OLD_PASSWORD = 'Fourth-2026', DEFAULT_SCHEMA = dbo;
GO
--> Msg 15151, Level 16, State 1, Line 1: Cannot alter the user 'mary', because it does not exist or you do not have permission.
REVERT;
GO
-- Containment stays while there are users with passwords; the option is not turned off by chance.
ALTER DATABASE pond SET CONTAINMENT = NONE;
GO
--> Msg 12809, Level 16, State 1, Line 2: You must remove all users with password before setting the containment property to NONE.
--> Msg 5069, Level 16, State 1, Line 2: ALTER DATABASE statement failed.
EXEC sp_configure 'contained database authentication', 0;
RECONFIGURE;
GO
--> # Configuration option 'contained database authentication' changed from 1 to 0. Run the RECONFIGURE statement to install.
--> Msg 12818, Level 16, State 1, Line 2: RECONFIGURE failed. Attempting to change the 'contained database authentication' value to 0 while there are existing contained databases requires a RECONFIGURE WITH OVERRIDE.
SELECT value, value_in_use FROM sys.configurations WHERE name = 'contained database authentication';
RECONFIGURE WITH OVERRIDE;
SELECT value, value_in_use FROM sys.configurations WHERE name = 'contained database authentication';
EXEC sp_configure 'contained database authentication', 1;
RECONFIGURE;
GO
--> [value:int | value_in_use:int]
--> 0 | 1
--> (1 rows affected)
--> [value:int | value_in_use:int]
--> 0 | 0
--> (1 rows affected)
--> # Configuration option 'contained database authentication' changed from 0 to 1. Run the RECONFIGURE statement to install.
-- Users of logins become users with the logins' passwords.
EXEC sp_migrate_user_to_contained @username = N'barry', @rename = N'keep_name', @disablelogin = N'do_not_disable_login';
EXEC sp_migrate_user_to_contained 'second', 'copy_login_name', 'disable_login';
SELECT name, authentication_type_desc FROM sys.database_principals WHERE name IN ('barry', 'second', 'other') ORDER BY name;
SELECT name, is_disabled FROM sys.server_principals WHERE name IN ('barry', 'other') ORDER BY name;
SELECT SUSER_SNAME(sid) AS login FROM sys.database_principals WHERE name = 'barry';
GO
--> [name:nvarchar(128) | authentication_type_desc:nvarchar(60)]
--> barry | DATABASE
--> other | DATABASE
--> (2 rows affected)
--> [name:nvarchar(128) | is_disabled:bit]
--> barry | 0
--> other | 1
--> (2 rows affected)
--> [login:nvarchar(128)]
--> NULL
--> (1 rows affected)
EXEC sp_migrate_user_to_contained 'barry', 'keep_name', 'disable_login';
EXEC sp_migrate_user_to_contained 'dbo', 'keep_name', 'disable_login';
EXEC sp_migrate_user_to_contained 'nobody', 'keep_name', 'disable_login';
EXEC sp_migrate_user_to_contained 'barry', 'rename', 'disable_login';
EXEC sp_migrate_user_to_contained 'barry', 'keep_name', 'perhaps';
CREATE LOGIN gone WITH PASSWORD = 'Lake-1234567';
CREATE USER gone;
DROP LOGIN gone;
EXEC sp_migrate_user_to_contained 'gone', 'keep_name', 'disable_login';
USE master;
EXEC sp_migrate_user_to_contained 'barry', 'keep_name', 'disable_login';
GO
--> Msg 12820, Level 16, State 1, Line 1: sp_migrate_user_to_contained can not be used with a user with a password or a user type other than SQL Login.
--> Msg 12820, Level 16, State 1, Line 2: sp_migrate_user_to_contained can not be used with a user with a password or a user type other than SQL Login.
--> Msg 15008, Level 16, State 1, Line 3: User 'nobody' does not exist in the current database.
--> Msg 15600, Level 15, State 1, Line 4: An invalid parameter or option was specified for procedure 'sys.sp_migrate_user_to_contained'.
--> Msg 15600, Level 15, State 1, Line 5: An invalid parameter or option was specified for procedure 'sys.sp_migrate_user_to_contained'.
--> Msg 12823, Level 16, State 1, Line 9: sp_migrate_user_to_contained can not find the login for user 'gone'.
--> Msg 12819, Level 16, State 1, Line 11: sp_migrate_user_to_contained cannot be used in a non-contained database (a database with CONTAINMENT set to NONE).
DROP LOGIN barry;
DROP LOGIN other;
USE pond;
DROP USER mary;
DROP USER barry;
DROP USER other;
ALTER DATABASE pond SET CONTAINMENT = NONE;
USE master;
DROP DATABASE pond;
DROP DATABASE lake;
EXEC sp_configure 'contained database authentication', 0;
RECONFIGURE;
GO
--> # Configuration option 'contained database authentication' changed from 1 to 0. Run the RECONFIGURE statement to install.
