-- differs secondary: a second index has a lock of its own in the list
-- Procedures about the server: its names and options, its sort order, what it tells ODBC, its counters and its locks.
CREATE TABLE #servers (name sysname, network_name sysname NULL, status varchar(70), id char(4), collation_name sysname NULL,
    connect_timeout int, query_timeout int)
CREATE TABLE #linked (name sysname, provider nvarchar(128), product nvarchar(128), data_source nvarchar(4000),
    provider_string nvarchar(4000), location nvarchar(4000), catalog sysname NULL)
GO
INSERT #servers EXEC sp_helpserver
SELECT IIF(name = @@SERVERNAME, 1, 0) AS is_this, IIF(network_name = @@SERVERNAME, 1, 0) AS is_this_too, status, id, collation_name,
    connect_timeout, query_timeout FROM #servers
GO
--> (1 rows affected)
--> [is_this:int | is_this_too:int | status:varchar(70) | id:char(4) | collation_name:nvarchar(128) | connect_timeout:int | query_timeout:int]
--> 1 | 1 | rpc,rpc out,use remote collation | 0 | NULL | 0 | 0
--> (1 rows affected)
DELETE #servers
DECLARE @server sysname = @@SERVERNAME
INSERT #servers EXEC sp_helpserver @server, 'rpc'
INSERT #servers EXEC sp_helpserver @optname = 'SUB'
SELECT COUNT(*) AS with_rpc FROM #servers
GO
--> (1 rows affected)
--> (1 rows affected)
--> (0 rows affected)
--> [with_rpc:int]
--> 1
--> (1 rows affected)
EXEC sp_helpserver @optname = 'sub', @show_topology = 't'
GO
--> [name:nvarchar(128) | network_name:nvarchar(128) | status:varchar(70) | id:char(4) | collation_name:nvarchar(128) | connect_timeout:int | query_timeout:int | topx:int | topy:int]
EXEC sp_helpserver 'no]such''server'
GO
--> Msg 15015, Level 16, State 1, Line 8: The server 'no]such'server' does not exist. Use sp_helpserver to show available servers.
EXEC sp_helpserver NULL, 'nonsense'
GO
--> Msg 15206, Level 16, State 1, Line 14: Invalid Remote Server Option: 'nonsense'.
INSERT #linked EXEC sp_linkedservers
SELECT IIF(name = @@SERVERNAME, 1, 0) AS is_this, product, provider_string, location, catalog FROM #linked
GO
--> (1 rows affected)
--> [is_this:int | product:nvarchar(128) | provider_string:nvarchar(4000) | location:nvarchar(4000) | catalog:nvarchar(128)]
--> 1 | SQL Server | NULL | NULL | NULL
--> (1 rows affected)
EXEC sp_describe_first_result_set N'EXEC sp_linkedservers'
GO
--> [is_hidden:bit | column_ordinal:int | name:nvarchar(128) | is_nullable:bit | system_type_id:int | system_type_name:nvarchar(256) | max_length:smallint | precision:tinyint | scale:tinyint | collation_name:nvarchar(128) | user_type_id:int | user_type_database:nvarchar(128) | user_type_schema:nvarchar(128) | user_type_name:nvarchar(128) | assembly_qualified_type_name:nvarchar(4000) | xml_collection_id:int | xml_collection_database:nvarchar(128) | xml_collection_schema:nvarchar(128) | xml_collection_name:nvarchar(128) | is_xml_document:bit | is_case_sensitive:bit | is_fixed_length_clr_type:bit | source_server:nvarchar(128) | source_database:nvarchar(128) | source_schema:nvarchar(128) | source_table:nvarchar(128) | source_column:nvarchar(128) | is_identity_column:bit | is_part_of_unique_key:bit | is_updateable:bit | is_computed_column:bit | is_sparse_column_set:bit | ordinal_in_order_by_list:smallint | order_by_list_length:smallint | order_by_is_descending:smallint | tds_type_id:int | tds_length:int | tds_collation_id:int | tds_collation_sort_id:tinyint]
--> 0 | 1 | SRV_NAME | 1 | 231 | nvarchar(128) | 256 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | 0 | NULL | 0 | 0 | 0 | NULL | NULL | NULL | 231 | 256 | 13632521 | 52
--> 0 | 2 | SRV_PROVIDERNAME | 1 | 231 | nvarchar(128) | 256 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | 0 | NULL | 0 | 0 | 0 | NULL | NULL | NULL | 231 | 256 | 13632521 | 52
--> 0 | 3 | SRV_PRODUCT | 1 | 231 | nvarchar(128) | 256 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | 0 | NULL | 0 | 0 | 0 | NULL | NULL | NULL | 231 | 256 | 13632521 | 52
--> 0 | 4 | SRV_DATASOURCE | 1 | 231 | nvarchar(4000) | 8000 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | 0 | NULL | 0 | 0 | 0 | NULL | NULL | NULL | 231 | 8000 | 13632521 | 52
--> 0 | 5 | SRV_PROVIDERSTRING | 1 | 231 | nvarchar(4000) | 8000 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | 0 | NULL | 0 | 0 | 0 | NULL | NULL | NULL | 231 | 8000 | 13632521 | 52
--> 0 | 6 | SRV_LOCATION | 1 | 231 | nvarchar(4000) | 8000 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | 0 | NULL | 0 | 0 | 0 | NULL | NULL | NULL | 231 | 8000 | 13632521 | 52
--> 0 | 7 | SRV_CAT | 1 | 231 | nvarchar(128) | 256 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | 0 | NULL | 0 | 0 | 0 | NULL | NULL | NULL | 231 | 256 | 13632521 | 52
--> (7 rows affected)
DECLARE @server sysname = @@SERVERNAME, @result int
EXEC @result = sp_addserver @server, 'local', 'duplicate_OK'
SELECT @result AS result
EXEC sp_addserver NULL
EXEC sp_addserver ''
EXEC sp_addserver 'with blank'
EXEC sp_addserver 'other', 'remote'
EXEC sp_addserver 'other'
EXEC sp_addserver 'other', 'local'
EXEC sp_serveroption @server, 'nonsense', 'true'
EXEC sp_serveroption @server, 'rpc', 'maybe'
EXEC sp_serveroption @server, 'query timeout', '-1'
EXEC sp_serveroption 'other', 'rpc', 'true'
EXEC sp_serveroption NULL, 'rpc', 'true'
EXEC sp_setnetname 'other', 'x'
EXEC sp_setnetname @server, NULL
GO
--> [result:int]
--> 0
--> (1 rows affected)
--> Msg 15004, Level 16, State 1, Line 22: Name cannot be NULL.
--> Msg 15006, Level 16, State 1, Line 27: '' is not a valid name because it contains invalid characters.
--> Msg 15006, Level 16, State 1, Line 27: 'with blank' is not a valid name because it contains invalid characters.
--> Msg 15600, Level 15, State 1, Line 17: An invalid parameter or option was specified for procedure 'sys.sp_addserver'.
--> Msg 40517, Level 16, State 1, Line 38: A remote server is not supported in this version of Millpond.
--> Msg 40517, Level 16, State 1, Line 40: Changing the name of the local server is not supported in this version of Millpond.
--> Msg 15206, Level 16, State 1, Line 20: Invalid Remote Server Option: 'nonsense'.
--> Msg 15600, Level 15, State 1, Line 35: An invalid parameter or option was specified for procedure 'sys.sp_serveroption'.
--> Msg 15600, Level 15, State 1, Line 27: An invalid parameter or option was specified for procedure 'sys.sp_serveroption'.
--> Msg 15015, Level 16, State 1, Line 13: The server 'other' does not exist. Use sp_helpserver to show available servers.
--> Msg 15015, Level 16, State 1, Line 13: The server '(null)' does not exist. Use sp_helpserver to show available servers.
--> Msg 15015, Level 16, State 1, Line 12: The server 'other' does not exist. Use sp_helpserver to show available servers.
--> Msg 15004, Level 16, State 1, Line 17: Name cannot be NULL.
BEGIN TRANSACTION
EXEC sp_addserver 'other'
ROLLBACK
GO
--> Msg 15002, Level 16, State 1, Line 7: The procedure 'sys.sp_addserver' cannot be executed within a transaction.
EXEC sp_helpsort
GO
--> [Server default collation:nvarchar(1000)]
--> Latin1-General, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive for Unicode Data, SQL Server Sort Order 52 on Code Page 1252 for non-Unicode Data
EXEC sp_server_info @attribute_id = 1
EXEC sp_server_info 18
EXEC sp_server_info 3
EXEC sp_server_info NULL
GO
--> [ATTRIBUTE_ID:int | ATTRIBUTE_NAME:varchar(60) | ATTRIBUTE_VALUE:varchar(255)]
--> 1 | DBMS_NAME | Microsoft SQL Server
--> [ATTRIBUTE_ID:int | ATTRIBUTE_NAME:varchar(60) | ATTRIBUTE_VALUE:varchar(255)]
--> 18 | COLLATION_SEQ | charset=iso_1 sort_order=nocase_iso charset_num=1 sort_order_num=52
--> [ATTRIBUTE_ID:int | ATTRIBUTE_NAME:varchar(60) | ATTRIBUTE_VALUE:varchar(255)]
--> [ATTRIBUTE_ID:int | ATTRIBUTE_NAME:varchar(60) | ATTRIBUTE_VALUE:varchar(255)]
--> 1 | DBMS_NAME | Microsoft SQL Server
--> 2 | DBMS_VER | Microsoft SQL Server 2022 - 16.0.1000.6
--> 10 | OWNER_TERM | owner
--> 11 | TABLE_TERM | table
--> 12 | MAX_OWNER_NAME_LENGTH | 128
--> 13 | TABLE_LENGTH | 128
--> 14 | MAX_QUAL_LENGTH | 128
--> 15 | COLUMN_LENGTH | 128
--> 16 | IDENTIFIER_CASE | MIXED
--> 17 | TX_ISOLATION | 2
--> 18 | COLLATION_SEQ | charset=iso_1 sort_order=nocase_iso charset_num=1 sort_order_num=52
--> 19 | SAVEPOINT_SUPPORT | Y
--> 20 | MULTI_RESULT_SETS | Y
--> 22 | ACCESSIBLE_TABLES | Y
--> 100 | USERID_LENGTH | 128
--> 101 | QUALIFIER_TERM | database
--> 102 | NAMED_TRANSACTIONS | Y
--> 103 | SPROC_AS_LANGUAGE | Y
--> 104 | ACCESSIBLE_SPROC | Y
--> 105 | MAX_INDEX_COLS | 16
--> 106 | RENAME_TABLE | Y
--> 107 | RENAME_COLUMN | Y
--> 108 | DROP_COLUMN | Y
--> 109 | INCREASE_COLUMN_LENGTH | Y
--> 110 | DDL_IN_TRANSACTION | Y
--> 111 | DESCENDING_INDEXES | Y
--> 112 | SP_RENAME | Y
--> 113 | REMOTE_SPROC | Y
--> 500 | SYS_SPROC_VERSION | 16.00.1000
CREATE LOGIN visitor WITH PASSWORD = 'V1sit!or-of-all'
GO
EXECUTE AS LOGIN = 'visitor'
GO
EXEC sp_addserver 'other'
EXEC sp_serveroption 'other', 'rpc', 'true'
EXEC sp_setnetname 'other', 'x'
EXEC sp_monitor
EXEC sp_lock
GO
--> Msg 15247, Level 16, State 1, Line 12: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 8: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 7: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 14: User does not have permission to perform this action.
--> Msg 15247, Level 16, State 1, Line 8: User does not have permission to perform this action.
REVERT
GO
DROP LOGIN visitor
GO
CREATE DATABASE locked
GO
USE locked
GO
CREATE TABLE t (i int CONSTRAINT pk_t PRIMARY KEY, j int)
CREATE TABLE #locks (spid smallint, dbid smallint, ObjId int, IndId smallint, [Type] nchar(4), [Resource] nchar(32), [Mode] nvarchar(8),
    [Status] nvarchar(5))
GO
BEGIN TRANSACTION
INSERT t VALUES (1, 2)
INSERT #locks EXEC sp_lock @@SPID
SELECT DISTINCT IIF(spid = @@SPID, 1, 0) AS own, DB_NAME(dbid) AS db, OBJECT_NAME(ObjId) AS name, IndId, [Type], [Mode], [Status]
    FROM #locks WHERE dbid = DB_ID() AND ObjId = OBJECT_ID('t') ORDER BY IndId
DELETE #locks
INSERT #locks EXEC master..sp_lock @spid1 = -7, @spid2 = -8
SELECT COUNT(*) AS of_nobody FROM #locks
ROLLBACK
GO
--> (1 rows affected)
--> (2 rows affected)
--> [own:int | db:nvarchar(128) | name:nvarchar(128) | IndId:smallint | Type:nchar(4) | Mode:nvarchar(8) | Status:nvarchar(5)]
--> 1 | locked | t | 0 | TAB | IX | GRANT
--> 1 | locked | t | 1 | KEY | X | GRANT
--> (2 rows affected)
--> (2 rows affected)
--> (0 rows affected)
--> [of_nobody:int]
--> 0
--> (1 rows affected)
DROP TABLE #locks
USE master
GO
DROP DATABASE locked
GO
DROP TABLE #servers
DROP TABLE #linked
GO
