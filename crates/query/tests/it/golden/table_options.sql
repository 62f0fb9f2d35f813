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
EXEC sp_tableoption 'nothing', 'table lock on bulk load', 'on';
GO
EXEC sp_tableoption 'master.dbo.t', 'table lock on bulk load', 'on';
GO
EXEC sp_tableoption 't', 'nonsense', 'on';
GO
EXEC sp_tableoption 't', 'table lock on bulk load', 'perhaps';
GO
EXEC sp_tableoption 't', 'text in row', '23';
GO
EXEC sp_tableoption 'small', 'text in row', 'on';
GO
EXEC sp_tableoption 'small', 'large value types out of row', 1;
GO
EXEC sp_tableoption 't', 'text in row';
GO
-- Procedures that start with the server.
CREATE PROCEDURE dbo.p AS SELECT 1;
GO
EXEC sp_procoption 'p', 'startup', 'on';
GO
EXEC sp_procoption 'nothing', 'startup', 'on';
GO
EXEC sp_procoption 'p', 'nonsense', 'on';
GO
USE master;
GO
CREATE PROCEDURE dbo.at_start AS SELECT 1;
GO
EXEC sp_procoption 'at_start', 'startup', 'off';
SELECT name, is_auto_executed FROM sys.procedures WHERE name = 'at_start';
GO
EXEC sp_procoption 'at_start', 'startup', 'on';
GO
DROP PROCEDURE dbo.at_start;
GO
-- Other servers.
EXEC sp_dropserver 'ACCOUNTS', 'droplogins';
GO
EXEC sp_dropserver 'ACCOUNTS', 'nonsense';
GO
BEGIN TRANSACTION;
EXEC sp_dropserver 'ACCOUNTS';
ROLLBACK;
GO
EXEC sp_dropserver;
GO
-- Texts by a format.
DECLARE @filename varchar(20), @message varchar(20), @short varchar(3);
EXEC xp_sscanf 'sync -b -fproducts10.tmp -rrandom', 'sync -b -f%s -r%s', @filename OUTPUT, @message OUTPUT;
SELECT @filename AS filename, @message AS message;
EXEC xp_sscanf 'one', '%s %s', @filename OUTPUT, @message OUTPUT;
EXEC xp_sscanf 'abcdef', '%s', @short OUTPUT;
SELECT @filename AS filename, @message AS message, @short AS short;
GO
DECLARE @text varchar(100), @status int;
EXEC @status = xp_sprintf @text OUTPUT, 'insert into %s values (%s, %s)', 'table1', '1', '2';
SELECT @text AS text, @status AS status;
EXEC xp_sprintf @text OUTPUT, '%s of 100%%', '50';
SELECT @text AS text;
EXEC @status = xp_sprintf @text OUTPUT, NULL;
SELECT @text AS text, @status AS status;
GO
SELECT FILEPROPERTYEX('master', 'BlobTier') AS tier, GET_TRANSMISSION_STATUS('58ef1d2d-c405-42eb-a762-23ff320bddf0') AS status;
SET NO_BROWSETABLE ON;
SELECT 1 AS one;
SET NO_BROWSETABLE OFF;
GO
