-- differs secondary: the script lists the indexes and keys of its tables
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
--> Msg 7202, Level 11, State 2, Line 11: Could not find server 'far]'away' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
EXEC sp_tables_ex 'far'
GO
--> Msg 7202, Level 11, State 2, Line 14: Could not find server 'far' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
EXEC sp_columns_ex 'far', 't'
GO
--> Msg 7202, Level 11, State 2, Line 14: Could not find server 'far' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
EXEC sp_primarykeys 'far'
GO
--> Msg 7202, Level 11, State 2, Line 13: Could not find server 'far' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
EXEC sp_foreignkeys 'far'
GO
--> Msg 7202, Level 11, State 2, Line 15: Could not find server 'far' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
EXEC sp_indexes 'far'
GO
--> Msg 7202, Level 11, State 2, Line 14: Could not find server 'far' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
EXEC sp_table_privileges_ex 'far'
GO
--> Msg 7202, Level 11, State 2, Line 16: Could not find server 'far' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
EXEC sp_column_privileges_ex 'far', 't'
GO
--> Msg 7202, Level 11, State 2, Line 19: Could not find server 'far' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
EXEC sp_testlinkedserver 'far'
GO
--> Msg 7202, Level 11, State 2, Line 11: Could not find server 'far' in sys.servers. Verify that the correct server name was specified. If necessary, execute the stored procedure sp_addlinkedserver to add the server to sys.servers.
EXEC sp_testlinkedserver NULL
GO
--> Msg 15004, Level 16, State 1, Line 8: Name cannot be NULL.
EXEC sp_tables_ex ''
GO
--> Msg 15004, Level 16, State 1, Line 11: Name cannot be NULL.
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
--> [result:int]
--> 0
--> (1 rows affected)
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> near | dbo | child | TABLE | NULL
--> near | dbo | parent | TABLE | NULL
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> near | dbo | child | TABLE | NULL
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | TABLE_TYPE:varchar(32) | REMARKS:varchar(254)]
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | COLUMN_SIZE:int | BUFFER_LENGTH:int | DECIMAL_DIGITS:smallint | NUM_PREC_RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
--> near | dbo | child | d | 4 | int | 10 | 4 | 0 | 10 | 0 | NULL | NULL | 4 | NULL | NULL | 1 | NO | 56
--> near | dbo | child | a | 4 | int | 10 | 4 | 0 | 10 | 1 | NULL | NULL | 4 | NULL | NULL | 2 | YES | 38
--> near | dbo | child | b | 4 | int | 10 | 4 | 0 | 10 | 1 | NULL | NULL | 4 | NULL | NULL | 3 | YES | 38
--> near | dbo | child | c | 4 | int | 10 | 4 | 0 | 10 | 1 | NULL | NULL | 4 | NULL | NULL | 4 | YES | 38
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | DATA_TYPE:smallint | TYPE_NAME:nvarchar(128) | COLUMN_SIZE:int | BUFFER_LENGTH:int | DECIMAL_DIGITS:smallint | NUM_PREC_RADIX:smallint | NULLABLE:smallint | REMARKS:varchar(254) | COLUMN_DEF:nvarchar(4000) | SQL_DATA_TYPE:smallint | SQL_DATETIME_SUB:smallint | CHAR_OCTET_LENGTH:int | ORDINAL_POSITION:int | IS_NULLABLE:varchar(254) | SS_DATA_TYPE:tinyint]
--> near | dbo | child | b | 4 | int | 10 | 4 | 0 | 10 | 1 | NULL | NULL | 4 | NULL | NULL | 3 | YES | 38
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | KEY_SEQ:int | PK_NAME:nvarchar(128)]
--> near | dbo | child | d | 1 | pk_child
--> near | dbo | parent | a | 1 | pk_parent
--> near | dbo | parent | b | 2 | pk_parent
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | KEY_SEQ:int | PK_NAME:nvarchar(128)]
--> near | dbo | parent | a | 1 | pk_parent
--> near | dbo | parent | b | 2 | pk_parent
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | KEY_SEQ:int | PK_NAME:nvarchar(128)]
--> [PKTABLE_CAT:nvarchar(128) | PKTABLE_SCHEM:nvarchar(128) | PKTABLE_NAME:nvarchar(128) | PKCOLUMN_NAME:nvarchar(128) | FKTABLE_CAT:nvarchar(128) | FKTABLE_SCHEM:nvarchar(128) | FKTABLE_NAME:nvarchar(128) | FKCOLUMN_NAME:nvarchar(128) | KEY_SEQ:smallint | UPDATE_RULE:smallint | DELETE_RULE:smallint | FK_NAME:nvarchar(128) | PK_NAME:nvarchar(128) | DEFERRABILITY:smallint]
--> near | dbo | parent | a | near | dbo | child | a | 1 | 0 | 1 | fk_ab | pk_parent | NULL
--> near | dbo | parent | b | near | dbo | child | b | 2 | 0 | 1 | fk_ab | pk_parent | NULL
--> near | dbo | parent | c | near | dbo | child | c | 1 | 1 | 2 | fk_c | uq_parent | NULL
--> [PKTABLE_CAT:nvarchar(128) | PKTABLE_SCHEM:nvarchar(128) | PKTABLE_NAME:nvarchar(128) | PKCOLUMN_NAME:nvarchar(128) | FKTABLE_CAT:nvarchar(128) | FKTABLE_SCHEM:nvarchar(128) | FKTABLE_NAME:nvarchar(128) | FKCOLUMN_NAME:nvarchar(128) | KEY_SEQ:smallint | UPDATE_RULE:smallint | DELETE_RULE:smallint | FK_NAME:nvarchar(128) | PK_NAME:nvarchar(128) | DEFERRABILITY:smallint]
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | NON_UNIQUE:smallint | INDEX_QUALIFIER:nvarchar(128) | INDEX_NAME:nvarchar(128) | TYPE:smallint | ORDINAL_POSITION:int | COLUMN_NAME:nvarchar(128) | ASC_OR_DESC:varchar(1) | CARDINALITY:int | PAGES:int | FILTER_CONDITION:nvarchar(4000)]
--> near | dbo | child | 0 | child | pk_child | 1 | 1 | d | A | 0 | 2 | NULL
--> near | dbo | child | 1 | child | ix_c | 3 | 1 | c | A | 0 | 2 | NULL
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | NON_UNIQUE:smallint | INDEX_QUALIFIER:nvarchar(128) | INDEX_NAME:nvarchar(128) | TYPE:smallint | ORDINAL_POSITION:int | COLUMN_NAME:nvarchar(128) | ASC_OR_DESC:varchar(1) | CARDINALITY:int | PAGES:int | FILTER_CONDITION:nvarchar(4000)]
--> near | dbo | child | 1 | child | ix_c | 3 | 1 | c | A | 0 | 2 | NULL
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | PRIVILEGE:varchar(32) | IS_GRANTABLE:varchar(3)]
--> near | dbo | parent | dbo | dbo | DELETE | YES
--> near | dbo | parent | dbo | dbo | INSERT | YES
--> near | dbo | parent | dbo | dbo | REFERENCES | YES
--> near | dbo | parent | dbo | dbo | SELECT | YES
--> near | dbo | parent | dbo | dbo | UPDATE | YES
--> [TABLE_CAT:nvarchar(128) | TABLE_SCHEM:nvarchar(128) | TABLE_NAME:nvarchar(128) | COLUMN_NAME:nvarchar(128) | GRANTOR:nvarchar(128) | GRANTEE:nvarchar(128) | PRIVILEGE:varchar(32) | IS_GRANTABLE:varchar(3)]
--> near | dbo | parent | c | dbo | dbo | INSERT | YES
--> near | dbo | parent | c | dbo | dbo | REFERENCES | YES
--> near | dbo | parent | c | dbo | dbo | SELECT | YES
--> near | dbo | parent | c | dbo | dbo | UPDATE | YES
--> Msg 40517, Level 16, State 1, Line 16: sp_column_privileges_ex without @table_name is not supported in this version of Millpond.
DECLARE @here sysname = @@SERVERNAME
EXEC sp_tables_ex @here, @table_catalog = 'no such database'
GO
--> Msg 911, Level 16, State 1, Line 14: Database 'no such database' does not exist. Make sure that the name is entered correctly.
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
--> Msg 15004, Level 16, State 1, Line 19: Name cannot be NULL.
--> Msg 15006, Level 16, State 1, Line 24: '' is not a valid name because it contains invalid characters.
--> Msg 40517, Level 16, State 1, Line 32: A linked server is not supported in this version of Millpond.
--> Msg 15015, Level 16, State 1, Line 19: The server 'far' does not exist. Use sp_helpserver to show available servers.
--> Msg 15015, Level 16, State 1, Line 17: The server 'far' does not exist. Use sp_helpserver to show available servers.
--> [Linked Server:nvarchar(128) | Local Login:nvarchar(128) | Is Self Mapping:smallint | Remote Login:nvarchar(128)]
--> Msg 15015, Level 16, State 1, Line 7: The server 'far' does not exist. Use sp_helpserver to show available servers.
--> Msg 15007, Level 16, State 1, Line 12: 'nobody' is not a valid login or you do not have permission.
--> Msg 15202, Level 16, State 1, Line 15: There are no remote logins defined.
--> Msg 15015, Level 16, State 1, Line 7: The server 'far' does not exist. Use sp_helpserver to show available servers.
--> Msg 15203, Level 16, State 1, Line 19: There are no remote logins for 'nobody'.
--> Msg 15015, Level 16, State 1, Line 22: The server 'far' does not exist. Use sp_helpserver to show available servers.
--> Msg 15072, Level 16, State 1, Line 17: Usage: sp_addremotelogin remoteserver [,loginname [,remotename]]
--> Msg 15015, Level 16, State 1, Line 17: The server '(null)' does not exist. Use sp_helpserver to show available servers.
--> Msg 15207, Level 16, State 1, Line 8: The trusted option in remote login mapping is no longer supported.
DECLARE @here sysname = @@SERVERNAME
EXEC sp_addlinkedsrvlogin @here, 'maybe'
EXEC sp_addlinkedsrvlogin @here, 'true', 'nobody'
EXEC sp_addlinkedsrvlogin @here
EXEC sp_addremotelogin @here, 'nobody'
EXEC sp_addremotelogin @here, 'sa'
GO
--> Msg 15600, Level 15, State 1, Line 24: An invalid parameter or option was specified for procedure 'sys.sp_addlinkedsrvlogin'.
--> Msg 15007, Level 16, State 1, Line 29: 'nobody' is not a valid login or you do not have permission.
--> Msg 40517, Level 16, State 1, Line 32: A login of a linked server is not supported in this version of Millpond.
--> Msg 15007, Level 16, State 1, Line 27: 'nobody' is not a valid login or you do not have permission.
--> Msg 40517, Level 16, State 1, Line 30: A login of a remote server is not supported in this version of Millpond.
BEGIN TRANSACTION
EXEC sp_addlinkedserver 'far'
EXEC sp_addlinkedsrvlogin 'far'
EXEC sp_droplinkedsrvlogin 'far', NULL
EXEC sp_addremotelogin 'far'
EXEC sp_dropremotelogin 'far'
ROLLBACK
GO
--> Msg 15002, Level 16, State 1, Line 9: The procedure 'sys.sp_addlinkedserver' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 9: The procedure 'sys.sp_addlinkedsrvlogin' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 7: The procedure 'sys.sp_droplinkedsrvlogin' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 7: The procedure 'sys.sp_addremotelogin' cannot be executed within a transaction.
--> Msg 15002, Level 16, State 1, Line 7: The procedure 'sys.sp_dropremotelogin' cannot be executed within a transaction.
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
--> Msg 15247, Level 16, State 1, Line 14: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 14: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 12: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 12: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 12: User does not have permission to perform this action.
REVERT
GO
DROP USER visitor
DROP LOGIN visitor
USE master
GO
DROP DATABASE near
GO
