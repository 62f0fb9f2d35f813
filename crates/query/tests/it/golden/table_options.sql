-- differs parameters: a constant length of LEFT, RIGHT and SUBSTRING is that of its result
-- sp_tableoption, sp_procoption, sp_dropserver, xp_sprintf, xp_sscanf, and functions of what this server has not.
CREATE DATABASE optional;
GO
USE optional;
CREATE TABLE dbo.t (id int, large varchar(max));
CREATE TABLE dbo.small (id int);
GO
EXEC sp_tableoption 'dbo.t', 'large value types out of row', 'ON';
EXEC sp_tableoption 't', 'table lock on bulk load', 'true';
EXEC sp_tableoption 'optional.dbo.t', 'text in row', '7000';
EXEC sp_tableoption @TableNamePattern = N't', @OptionName = 'vardecimal storage format', @OptionValue = '1';
EXEC sp_tableoption 't', 'pintable', 'off';
EXEC sp_tableoption 't', 'insert row lock', 'on';
SELECT name, lock_on_bulk_load, text_in_row_limit, large_value_types_out_of_row FROM sys.tables ORDER BY name;
SELECT OBJECTPROPERTY(OBJECT_ID('t'), 'TableTextInRowLimit') AS limit, OBJECTPROPERTY(OBJECT_ID('t'), 'TableIsLockedOnBulkLoad') AS locked, OBJECTPROPERTY(OBJECT_ID('t'), 'TableHasVarDecimalStorageFormat') AS vardecimal, OBJECTPROPERTY(OBJECT_ID('small'), 'TableTextInRowLimit') AS none;
GO
--> [name:nvarchar(128) | lock_on_bulk_load:bit | text_in_row_limit:int | large_value_types_out_of_row:bit]
--> small | 0 | 0 | 0
--> t | 1 | 7000 | 1
--> (2 rows affected)
--> [limit:int | locked:int | vardecimal:int | none:int]
--> 7000 | 1 | 1 | 0
--> (1 rows affected)
-- They stay with the table.
ALTER TABLE dbo.t ADD more int NOT NULL DEFAULT 1;
ALTER TABLE dbo.t SET (LOCK_ESCALATION = DISABLE);
INSERT dbo.t (id, large) VALUES (1, 'x');
ALTER TABLE dbo.t DROP COLUMN id;
BEGIN TRANSACTION;
EXEC sp_tableoption 't', 'text in row', 'on';
SELECT text_in_row_limit FROM sys.tables WHERE name = 't';
ROLLBACK;
SELECT lock_on_bulk_load, text_in_row_limit, large_value_types_out_of_row, lock_escalation_desc FROM sys.tables WHERE name = 't';
EXEC sp_tableoption 't', 'text in row', 'OFF';
EXEC sp_tableoption 't', 'large value types out of row', '0';
SELECT lock_on_bulk_load, text_in_row_limit, large_value_types_out_of_row FROM sys.tables WHERE name = 't';
GO
--> (1 rows affected)
--> [text_in_row_limit:int]
--> 256
--> (1 rows affected)
--> [lock_on_bulk_load:bit | text_in_row_limit:int | large_value_types_out_of_row:bit | lock_escalation_desc:nvarchar(60)]
--> 1 | 7000 | 1 | DISABLE
--> (1 rows affected)
--> [lock_on_bulk_load:bit | text_in_row_limit:int | large_value_types_out_of_row:bit]
--> 1 | 0 | 0
--> (1 rows affected)
EXEC sp_tableoption 'nothing', 'table lock on bulk load', 'on';
GO
--> Msg 15388, Level 11, State 1, Line 1: There is no user table matching the input name 'nothing' in the current database or you do not have permission to access the table.
EXEC sp_tableoption 'master.dbo.t', 'table lock on bulk load', 'on';
GO
--> Msg 15387, Level 11, State 1, Line 1: If the qualified object name specifies a database, that database must be the current database.
EXEC sp_tableoption 't', 'nonsense', 'on';
GO
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sys.sp_tableoption'.
EXEC sp_tableoption 't', 'table lock on bulk load', 'perhaps';
GO
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sys.sp_tableoption'.
EXEC sp_tableoption 't', 'text in row', '23';
GO
--> Msg 15112, Level 11, State 1, Line 1: The third parameter for table option 'text in row' is invalid. It should be 'on', 'off', '0', or a number from 24 through 7000.
EXEC sp_tableoption 'small', 'text in row', 'on';
GO
--> Msg 2599, Level 16, State 1, Line 1: Cannot switch to in row text in table "small".
EXEC sp_tableoption 'small', 'large value types out of row', 1;
GO
--> Msg 4992, Level 16, State 1, Line 1: Cannot use table option LARGE VALUE TYPES OUT OF ROW on a user table that does not have any of large value types varchar(max), nvarchar(max), varbinary(max), xml or large CLR type columns in it. This option can be applied to tables having large values computed column that are persisted.
EXEC sp_tableoption 't', 'text in row';
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_tableoption' expects parameter '@optionvalue', which was not supplied.
-- Procedures that start with the server.
CREATE PROCEDURE dbo.p AS SELECT 1;
GO
EXEC sp_procoption 'p', 'startup', 'on';
GO
--> Msg 15398, Level 11, State 1, Line 1: Only objects in the master database owned by dbo can have the startup setting changed.
EXEC sp_procoption 'nothing', 'startup', 'on';
GO
--> Msg 15165, Level 16, State 1, Line 1: Could not find object 'nothing' or you do not have permission.
EXEC sp_procoption 'p', 'nonsense', 'on';
GO
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sys.sp_procoption'.
USE master;
GO
CREATE PROCEDURE dbo.at_start AS SELECT 1;
GO
EXEC sp_procoption 'at_start', 'startup', 'off';
SELECT name, is_auto_executed FROM sys.procedures WHERE name = 'at_start';
GO
--> [name:nvarchar(128) | is_auto_executed:bit]
--> at_start | 0
--> (1 rows affected)
EXEC sp_procoption 'at_start', 'startup', 'on';
GO
--> Msg 40517, Level 16, State 1, Line 1: sp_procoption 'startup' is not supported in this version of Millpond.
DROP PROCEDURE dbo.at_start;
GO
-- Other servers.
EXEC sp_dropserver 'ACCOUNTS', 'droplogins';
GO
--> Msg 15015, Level 16, State 1, Line 2: The server 'ACCOUNTS' does not exist. Use sp_helpserver to show available servers.
EXEC sp_dropserver 'ACCOUNTS', 'nonsense';
GO
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sys.sp_dropserver'.
BEGIN TRANSACTION;
EXEC sp_dropserver 'ACCOUNTS';
ROLLBACK;
GO
--> Msg 15002, Level 16, State 1, Line 2: The procedure 'sys.sp_dropserver' cannot be executed within a transaction.
EXEC sp_dropserver;
GO
--> Msg 201, Level 16, State 4, Line 0: Procedure or function 'sp_dropserver' expects parameter '@server', which was not supplied.
-- Texts by a format.
DECLARE @filename varchar(20), @message varchar(20), @short varchar(3);
EXEC xp_sscanf 'sync -b -fproducts10.tmp -rrandom', 'sync -b -f%s -r%s', @filename OUTPUT, @message OUTPUT;
SELECT @filename AS filename, @message AS message;
EXEC xp_sscanf 'one', '%s %s', @filename OUTPUT, @message OUTPUT;
EXEC xp_sscanf 'abcdef', '%s', @short OUTPUT;
SELECT @filename AS filename, @message AS message, @short AS short;
GO
--> [filename:varchar(20) | message:varchar(20)]
--> products10.tmp | random
--> (1 rows affected)
--> [filename:varchar(20) | message:varchar(20) | short:varchar(3)]
--> one | random | abc
--> (1 rows affected)
DECLARE @text varchar(100), @status int;
EXEC @status = xp_sprintf @text OUTPUT, 'insert into %s values (%s, %s)', 'table1', '1', '2';
SELECT @text AS text, @status AS status;
EXEC xp_sprintf @text OUTPUT, '%s of 100%%', '50';
SELECT @text AS text;
EXEC @status = xp_sprintf @text OUTPUT, NULL;
SELECT @text AS text, @status AS status;
GO
--> [text:varchar(100) | status:int]
--> insert into table1 values (1, 2) | 0
--> (1 rows affected)
--> [text:varchar(100)]
--> 50 of 100%
--> (1 rows affected)
--> # Error executing extended stored procedure: Invalid Parameter
--> [text:varchar(100) | status:int]
--> 50 of 100% | 1
--> (1 rows affected)
SELECT FILEPROPERTYEX('master', 'BlobTier') AS tier, GET_TRANSMISSION_STATUS('58ef1d2d-c405-42eb-a762-23ff320bddf0') AS status;
SET NO_BROWSETABLE ON;
SELECT 1 AS one;
SET NO_BROWSETABLE OFF;
GO
--> [tier:sql_variant | status:nvarchar(4000)]
--> NULL |
--> (1 rows affected)
--> [one:int]
--> 1
--> (1 rows affected)
-- What is left of an order that a tertiary collation does not see.
CREATE TABLE #tertiary (col1 char(15) COLLATE SQL_Latin1_General_Pref_CP437_CI_AS, col2 AS TERTIARY_WEIGHTS(col1));
INSERT #tertiary VALUES ('aB1'), ('AB1'), ('Ab1');
SELECT col1, SUBSTRING(col2, 1, 3) AS weights FROM #tertiary ORDER BY col1, col2;
SELECT TERTIARY_WEIGHTS('aB') AS of_another, TERTIARY_WEIGHTS(CAST(NULL AS varchar(10)) COLLATE SQL_Latin1_General_CP437_CI_AI) AS of_null;
DROP TABLE #tertiary;
GO
--> (3 rows affected)
--> [col1:char(15) | weights:varbinary(3)]
--> AB1 | 0x010100
--> Ab1 | 0x010200
--> aB1 | 0x020100
--> (3 rows affected)
--> [of_another:varbinary(2) | of_null:varbinary(10)]
--> NULL | NULL
--> (1 rows affected)
SELECT TERTIARY_WEIGHTS(N'aB' COLLATE SQL_Latin1_General_Pref_CP437_CI_AS);
GO
--> Msg 8116, Level 16, State 1, Line 1: Argument data type nvarchar is invalid for argument 1 of tertiary_weights function.
-- DATA_COMPRESSION knows its words.
create table dbo.pressed (id int) with (data_compression = bogus)
GO
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near 'BOGUS'.
create table dbo.pressed (id int) with (data_compression = columnstore)
GO
--> Msg 40517, Level 16, State 1, Line 1: DATA_COMPRESSION = COLUMNSTORE is not supported in this version of Millpond.
create table dbo.pressed (id int primary key, b int) with (data_compression = none)
create index b on dbo.pressed (b) with (data_compression = foo)
GO
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near 'FOO'.
-- A cursor that only reads is not for updates.
declare c1 cursor for select b from dbo.pressed group by b for update
GO
--> Msg 16957, Level 16, State 4, Line 2: FOR UPDATE cannot be specified on a READ ONLY cursor.
declare c2 insensitive cursor for select b from dbo.pressed for update
GO
--> Msg 16957, Level 16, State 4, Line 1: FOR UPDATE cannot be specified on a READ ONLY cursor.
declare c3 cursor read_only for select b from dbo.pressed for update of b
GO
--> Msg 16957, Level 16, State 4, Line 1: FOR UPDATE cannot be specified on a READ ONLY cursor.
declare c4 cursor local for select b from dbo.pressed for update of b
GO
drop table dbo.pressed
GO
