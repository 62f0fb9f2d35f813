-- ALTER DATABASE … SET: each option is shown where it is kept; a value that it does not take is refused.
create database optional
go
alter database optional set auto_create_statistics on (incremental = on)
select is_auto_create_stats_on as a, is_auto_create_stats_incremental_on as b from sys.databases where name = 'optional'
alter database optional set auto_create_statistics on
select is_auto_create_stats_on as a, is_auto_create_stats_incremental_on as b from sys.databases where name = 'optional'
alter database optional set auto_create_statistics off
select is_auto_create_stats_on as a, is_auto_create_stats_incremental_on as b from sys.databases where name = 'optional'
go
--> [a:bit | b:bit]
--> 1 | 1
--> (1 rows affected)
--> [a:bit | b:bit]
--> 1 | 0
--> (1 rows affected)
--> [a:bit | b:bit]
--> 0 | 0
--> (1 rows affected)
alter database optional set cursor_default local, parameterization forced, page_verify torn_page_detection, recovery bulk_logged
go
select is_local_cursor_default as a, is_parameterization_forced as b, page_verify_option_desc as c, recovery_model_desc as d
from sys.databases where name = 'optional'
go
--> [a:bit | b:bit | c:nvarchar(60) | d:nvarchar(60)]
--> 1 | 1 | TORN_PAGE_DETECTION | BULK_LOGGED
--> (1 rows affected)
alter database optional set cursor_default global, parameterization simple, page_verify checksum, recovery simple
go
select is_local_cursor_default as a, is_parameterization_forced as b, page_verify_option_desc as c, recovery_model_desc as d
from sys.databases where name = 'optional'
go
--> [a:bit | b:bit | c:nvarchar(60) | d:nvarchar(60)]
--> 0 | 0 | CHECKSUM | SIMPLE
--> (1 rows affected)
alter database optional set cursor_default nowhere
go
--> Msg 5058, Level 16, State 1, Line 1: Option 'CURSOR_DEFAULT' cannot be set to that value.
alter database optional set parameterization sometimes
go
--> Msg 5058, Level 16, State 1, Line 1: Option 'PARAMETERIZATION' cannot be set to that value.
alter database optional set auto_close
go
--> Msg 5058, Level 16, State 1, Line 1: Option 'AUTO_CLOSE' cannot be set to that value.
alter database optional set recovery fully
go
--> Msg 5058, Level 16, State 1, Line 1: Option 'RECOVERY' cannot be set to that value.
-- One that is refused leaves those before it as they were.
alter database optional set auto_shrink on, page_verify perhaps
go
--> Msg 5058, Level 16, State 1, Line 2: Option 'PAGE_VERIFY' cannot be set to that value.
select is_auto_shrink_on as a, page_verify_option_desc as b from sys.databases where name = 'optional'
go
--> [a:bit | b:nvarchar(60)]
--> 0 | CHECKSUM
--> (1 rows affected)
drop database optional
go
-- Nobody is kept out of master and model.
alter database master set single_user
go
--> Msg 5058, Level 16, State 1, Line 2: Option 'SINGLE_USER' cannot be set in database 'master'.
alter database master set restricted_user
go
--> Msg 5058, Level 16, State 1, Line 1: Option 'RESTRICTED_USER' cannot be set in database 'master'.
alter database model set single_user
go
--> Msg 5058, Level 16, State 1, Line 1: Option 'SINGLE_USER' cannot be set in database 'model'.
alter database master set query_store clear
alter database master set query_store clear all
go
