-- Scalar functions of the schema sys, called by two names or three; SCHEMA_NAME () and SCHEMA_ID () of the one who asks.
select sys.fn_varbintohexstr(0x01FFa0) as a, master.dbo.fn_varbintohexstr(0x) as b, master.sys.fn_varbintohexstr(null) as c
select sys.fn_varbintohexsubstring(0, 0x0102030405, 2, 3) as a, sys.fn_varbintohexsubstring(1, 0x0102030405, 4, 0) as b
select sys.fn_cdc_increment_lsn(0x000000000000000000FF) as a, sys.fn_cdc_decrement_lsn(0x00000000000000000100) as b, sys.fn_cdc_increment_lsn(null) as c
select sys.fn_cdc_is_bit_set(1, 0x05) as a, sys.fn_cdc_is_bit_set(2, 0x05) as b, sys.fn_cdc_is_bit_set(9, 0x0100) as c, sys.fn_cdc_is_bit_set(17, 0x0100) as d
select sys.fn_cdc_get_max_lsn() as a, sys.fn_cdc_get_min_lsn('none') as b, sys.fn_cdc_get_column_ordinal('none', 'c') as c
go
--> [a:nvarchar(max) | b:nvarchar(max) | c:nvarchar(max)]
--> 0x01ffa0 | 0x | NULL
--> (1 rows affected)
--> [a:nvarchar(max) | b:nvarchar(max)]
--> 020304 | 0x0405
--> (1 rows affected)
--> [a:binary(10) | b:binary(10) | c:binary(10)]
--> 0x00000000000000000100 | 0x000000000000000000FF | NULL
--> (1 rows affected)
--> [a:bit | b:bit | c:bit | d:bit]
--> 1 | 0 | 1 | 0
--> (1 rows affected)
--> [a:binary(10) | b:binary(10) | c:int]
--> NULL | 0x00000000000000000000 | NULL
--> (1 rows affected)
-- A name of one part is none of them.
select fn_varbintohexstr(0x01)
go
--> Msg 195, Level 15, State 10, Line 2: 'fn_varbintohexstr' is not a recognized built-in function name.
select dbo.fn_varbintohexstr(0x01)
go
--> Msg 4121, Level 16, State 1, Line 1: Cannot find either column "dbo" or the user-defined function or aggregate "dbo.fn_varbintohexstr", or the name is ambiguous.
select substring('abcdef', 3) as a, substring(0x010203, 2) as b, substring(N'abc', 9) as c
go
--> [a:varchar(6) | b:varbinary(3) | c:nvarchar(3)]
--> cdef | 0x0203 |
--> (1 rows affected)
select substring('abc')
go
--> Msg 189, Level 15, State 1, Line 1: The substring function requires 2 to 3 arguments.
select * from changetable(changes dbo.t, 0) as c
go
--> Msg 40517, Level 16, State 1, Line 1: CHANGETABLE is not supported in this version of Millpond.
with change_tracking_context (0x01) insert dbo.t values (1)
go
--> Msg 40517, Level 16, State 1, Line 1: WITH CHANGE_TRACKING_CONTEXT is not supported in this version of Millpond.
create database moored
go
use moored
go
create schema pier
go
create user hand without login with default_schema = pier
go
execute as user = 'hand'
select schema_name() as a, schema_id() - (select schema_id('pier')) as b
revert
select schema_name() as a, schema_id() as b
go
--> [a:nvarchar(128) | b:int]
--> pier | 0
--> (1 rows affected)
--> [a:nvarchar(128) | b:int]
--> dbo | 1
--> (1 rows affected)
use master
drop database moored
go
