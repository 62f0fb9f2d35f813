-- differs clustered, secondary: the script lists the indexes and keys of its tables
-- Procedures about linked servers: this server answers for itself, and knows no other.
CREATE DATABASE near
GO
USE near
GO
CREATE TABLE parent (a int NOT NULL, b int NOT NULL, c int CONSTRAINT uq_parent UNIQUE, CONSTRAINT pk_parent PRIMARY KEY (a, b))
CREATE TABLE child (d int CONSTRAINT pk_child PRIMARY KEY, a int, b int, c int CONSTRAINT fk_c REFERENCES parent (c) ON DELETE SET NULL,
    CONSTRAINT fk_ab FOREIGN KEY (a, b) REFERENCES parent (a, b) ON UPDATE CASCADE)
CREATE INDEX ix_c ON child (c)
GO
EXEC sp_catalogs 'far]''away'
GO
EXEC sp_tables_ex 'far'
GO
EXEC sp_columns_ex 'far', 't'
GO
EXEC sp_primarykeys 'far'
GO
EXEC sp_foreignkeys 'far'
GO
EXEC sp_indexes 'far'
GO
EXEC sp_table_privileges_ex 'far'
GO
EXEC sp_column_privileges_ex 'far', 't'
GO
EXEC sp_testlinkedserver 'far'
GO
EXEC sp_testlinkedserver NULL
GO
EXEC sp_tables_ex ''
GO
DECLARE @here sysname = @@SERVERNAME, @result int
EXEC @result = sp_testlinkedserver @here
SELECT @result AS result
EXEC sp_tables_ex @here
EXEC sp_tables_ex @here, 'ch%', 'dbo', 'near', 'TABLE'
EXEC sp_tables_ex @here, 'ch%', 'dbo', 'near', 'VIEW'
EXEC sp_tables_ex @here, @table_name = 'ch%', @fUsePattern = 0
EXEC sp_tables_ex @here, @table_type = 'TA''BLE'
EXEC sp_columns_ex @here, 'child', 'dbo', 'near'
EXEC sp_columns_ex @here, 'child', @column_name = 'b'
EXEC sp_primarykeys @here
EXEC sp_primarykeys @here, 'parent', 'dbo', 'near'
EXEC sp_primarykeys @here, 'parent', 'no such schema'
EXEC sp_foreignkeys @here
EXEC sp_foreignkeys @here, @pktab_name = 'parent', @fktab_name = 'child', @pktab_catalog = 'master', @fktab_catalog = 'near'
EXEC sp_indexes @here, 'child', 'dbo', 'near'
EXEC sp_indexes @here, NULL, NULL, 'near', NULL, 0
EXEC sp_table_privileges_ex @here, 'parent'
EXEC sp_column_privileges_ex @here, 'parent', 'dbo', 'near', 'c'
EXEC sp_column_privileges_ex @here
GO
DECLARE @here sysname = @@SERVERNAME
EXEC sp_tables_ex @here, @table_catalog = 'no such database'
GO
EXEC sp_addlinkedserver NULL
EXEC sp_addlinkedserver ''
EXEC sp_addlinkedserver 'far'
EXEC sp_addlinkedsrvlogin 'far'
EXEC sp_droplinkedsrvlogin 'far', NULL
EXEC sp_helplinkedsrvlogin
EXEC sp_helplinkedsrvlogin 'far'
EXEC sp_helplinkedsrvlogin @locallogin = 'nobody'
EXEC sp_helpremotelogin
EXEC sp_helpremotelogin 'far'
EXEC sp_helpremotelogin NULL, 'nobody'
EXEC sp_addremotelogin 'far'
EXEC sp_addremotelogin 'far', NULL, 'nobody'
EXEC sp_dropremotelogin NULL
EXEC sp_remoteoption
GO
DECLARE @here sysname = @@SERVERNAME
EXEC sp_addlinkedsrvlogin @here, 'maybe'
EXEC sp_addlinkedsrvlogin @here, 'true', 'nobody'
EXEC sp_addlinkedsrvlogin @here
EXEC sp_addremotelogin @here, 'nobody'
EXEC sp_addremotelogin @here, 'sa'
GO
BEGIN TRANSACTION
EXEC sp_addlinkedserver 'far'
EXEC sp_addlinkedsrvlogin 'far'
EXEC sp_droplinkedsrvlogin 'far', NULL
EXEC sp_addremotelogin 'far'
EXEC sp_dropremotelogin 'far'
ROLLBACK
GO
CREATE LOGIN visitor WITH PASSWORD = 'V1sit!or-of-all'
CREATE USER visitor FOR LOGIN visitor
GO
EXECUTE AS LOGIN = 'visitor'
GO
EXEC sp_addlinkedserver 'far'
EXEC sp_addlinkedsrvlogin 'far'
EXEC sp_droplinkedsrvlogin 'far', NULL
EXEC sp_addremotelogin 'far'
EXEC sp_dropremotelogin 'far'
GO
REVERT
GO
DROP USER visitor
DROP LOGIN visitor
USE master
GO
DROP DATABASE near
GO
