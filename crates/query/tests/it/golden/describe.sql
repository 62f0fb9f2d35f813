-- What a text gives and wants, without running it.
CREATE DATABASE described;
GO
USE described;
SET NOCOUNT ON;
GO
CREATE TABLE t (id int IDENTITY PRIMARY KEY, name nvarchar(30) NOT NULL, price decimal(9, 2), twice AS price * 2, at datetime2(3));
GO
CREATE PROCEDURE dbo.find_t @from int, @like varchar(10) = NULL AS
    DECLARE @n int;
    IF @from > 0 SELECT @n = 1;
    SELECT id, name FROM t WHERE id >= @from;
GO
SELECT column_ordinal, name, is_nullable, system_type_id, system_type_name, max_length, precision, scale, collation_name,
       is_identity_column AS i, is_updateable AS u, is_computed_column AS c
FROM sys.dm_exec_describe_first_result_set(N'SELECT *, price + 1 FROM t WHERE id = @p', N'@p int', 0);
SELECT column_ordinal, name, system_type_name
FROM sys.dm_exec_describe_first_result_set(N'EXEC dbo.find_t 1', NULL, 0);
SELECT name, system_type_name
FROM sys.dm_exec_describe_first_result_set(N'DECLARE @x int; UPDATE t SET price = 1 OUTPUT deleted.name, inserted.at', NULL, 0);
SELECT COUNT(*) AS none FROM sys.dm_exec_describe_first_result_set(N'DELETE t', NULL, 0);
SELECT column_ordinal, error_number, error_message
FROM sys.dm_exec_describe_first_result_set(N'SELECT * FROM nowhere', NULL, 0);
SELECT COUNT(*) AS still FROM t;
GO
--> [column_ordinal:int | name:nvarchar(128) | is_nullable:bit | system_type_id:int | system_type_name:nvarchar(256) | max_length:smallint | precision:tinyint | scale:tinyint | collation_name:nvarchar(128) | i:bit | u:bit | c:bit]
--> 1 | id | 0 | 56 | int | 4 | 10 | 0 | NULL | 1 | 0 | 0
--> 2 | name | 0 | 231 | nvarchar(30) | 60 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS | 0 | 1 | 0
--> 3 | price | 1 | 106 | decimal(9,2) | 5 | 9 | 2 | NULL | 0 | 1 | 0
--> 4 | twice | 1 | 106 | decimal(11,2) | 9 | 11 | 2 | NULL | 0 | 0 | 1
--> 5 | at | 1 | 42 | datetime2(3) | 7 | 23 | 3 | NULL | 0 | 1 | 0
--> 6 | NULL | 1 | 106 | decimal(10,2) | 9 | 10 | 2 | NULL | 0 | 0 | 0
--> [column_ordinal:int | name:nvarchar(128) | system_type_name:nvarchar(256)]
--> 1 | id | int
--> 2 | name | nvarchar(30)
--> [name:nvarchar(128) | system_type_name:nvarchar(256)]
--> name | nvarchar(30)
--> at | datetime2(3)
--> [none:int]
--> 0
--> [column_ordinal:int | error_number:int | error_message:nvarchar(4000)]
--> 0 | 208 | Invalid object name 'nowhere'.
--> [still:int]
--> 0
EXEC sp_describe_first_result_set N'SELECT id, name FROM t';
EXEC sp_describe_first_result_set @tsql = N'SELECT * FROM nowhere';
GO
--> [is_hidden:bit | column_ordinal:int | name:nvarchar(128) | is_nullable:bit | system_type_id:int | system_type_name:nvarchar(256) | max_length:smallint | precision:tinyint | scale:tinyint | collation_name:nvarchar(128) | user_type_id:int | user_type_database:nvarchar(128) | user_type_schema:nvarchar(128) | user_type_name:nvarchar(128) | assembly_qualified_type_name:nvarchar(4000) | xml_collection_id:int | xml_collection_database:nvarchar(128) | xml_collection_schema:nvarchar(128) | xml_collection_name:nvarchar(128) | is_xml_document:bit | is_case_sensitive:bit | is_fixed_length_clr_type:bit | source_server:nvarchar(128) | source_database:nvarchar(128) | source_schema:nvarchar(128) | source_table:nvarchar(128) | source_column:nvarchar(128) | is_identity_column:bit | is_part_of_unique_key:bit | is_updateable:bit | is_computed_column:bit | is_sparse_column_set:bit | ordinal_in_order_by_list:smallint | order_by_list_length:smallint | order_by_is_descending:smallint | tds_type_id:int | tds_length:int | tds_collation_id:int | tds_collation_sort_id:tinyint]
--> 0 | 1 | id | 0 | 56 | int | 4 | 10 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | 1 | NULL | 0 | 0 | 0 | NULL | NULL | NULL | 38 | 4 | NULL | NULL
--> 0 | 2 | name | 0 | 231 | nvarchar(30) | 60 | 0 | 0 | SQL_Latin1_General_CP1_CI_AS | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | 0 | NULL | 1 | 0 | 0 | NULL | NULL | NULL | 231 | 60 | 13632521 | 52
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nowhere'.
-- Parameters by where they stand.
EXEC sp_describe_undeclared_parameters N'SELECT * FROM t WHERE name = @name AND id IN (@a, @b) AND price > @least';
GO
--> [parameter_ordinal:int | name:nvarchar(128) | suggested_system_type_id:int | suggested_system_type_name:nvarchar(256) | suggested_max_length:smallint | suggested_precision:tinyint | suggested_scale:tinyint | suggested_user_type_id:int | suggested_user_type_database:nvarchar(128) | suggested_user_type_schema:nvarchar(128) | suggested_user_type_name:nvarchar(128) | suggested_assembly_qualified_type_name:nvarchar(4000) | suggested_xml_collection_id:int | suggested_xml_collection_database:nvarchar(128) | suggested_xml_collection_schema:nvarchar(128) | suggested_xml_collection_name:nvarchar(128) | suggested_is_xml_document:bit | suggested_is_case_sensitive:bit | suggested_is_fixed_length_clr_type:bit | suggested_is_input:bit | suggested_is_output:bit | formal_parameter_name:nvarchar(128) | suggested_tds_type_id:int | suggested_tds_length:int]
--> 1 | @name | 231 | nvarchar(30) | 60 | 0 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | 1 | 0 | NULL | 231 | 60
--> 2 | @a | 56 | int | 4 | 10 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | 1 | 0 | NULL | 38 | 4
--> 3 | @b | 56 | int | 4 | 10 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | 1 | 0 | NULL | 38 | 4
--> 4 | @least | 106 | decimal(9,2) | 5 | 9 | 2 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | 0 | 0 | 0 | 1 | 0 | NULL | 106 | 5
CREATE TABLE #wanted (
    ordinal int, name sysname, type_id int, type nvarchar(256), length smallint, p tinyint, s tinyint,
    u1 int, u2 sysname NULL, u3 sysname NULL, u4 sysname NULL, u5 nvarchar(4000), x1 int, x2 sysname NULL, x3 sysname NULL, x4 sysname NULL,
    b1 bit, b2 bit, b3 bit, is_input bit, is_output bit, formal sysname NULL, tds int, tds_length int);
INSERT #wanted EXEC sp_describe_undeclared_parameters N'INSERT t (name, price, at) VALUES (@n, @p + 1, @at); UPDATE t SET name = @n2 WHERE id = @known', N'@known int';
INSERT #wanted EXEC sp_describe_undeclared_parameters N'EXEC dbo.find_t @one, @like = @two';
INSERT #wanted EXEC sp_describe_undeclared_parameters N'SELECT @free AS x, ''@text'' AS y';
SELECT ordinal, name, type, formal FROM #wanted;
EXEC sp_describe_undeclared_parameters N'SELECT * FROM nowhere WHERE id = @p';
GO
--> [ordinal:int | name:nvarchar(128) | type:nvarchar(256) | formal:nvarchar(128)]
--> 1 | @n | nvarchar(30) | NULL
--> 2 | @p | int | NULL
--> 3 | @at | datetime2(3) | NULL
--> 4 | @n2 | nvarchar(30) | NULL
--> 1 | @one | int | @from
--> 2 | @two | varchar(10) | @like
--> 1 | @free | nvarchar(4000) | NULL
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nowhere'.
-- No text converts to these by itself.
CREATE TABLE blobs (id int IDENTITY, name nvarchar(50), blob varbinary(max), short binary(4), picture image, seen datetime, share float);
TRUNCATE TABLE #wanted;
INSERT #wanted EXEC sp_describe_undeclared_parameters N'SET NOCOUNT ON INSERT INTO blobs (name, blob, short, picture, seen, share) VALUES (@P1, @P2, @P3, @P4, @P5, @P6); SELECT CAST(SCOPE_IDENTITY() AS bigint)';
INSERT #wanted EXEC sp_describe_undeclared_parameters N'UPDATE blobs SET blob = @b, name = @n WHERE id = @id';
SELECT ordinal, name, type FROM #wanted;
EXEC sp_describe_undeclared_parameters N'UPDATE blobs SET blob = name WHERE id = @id';
GO
--> [ordinal:int | name:nvarchar(128) | type:nvarchar(256)]
--> 1 | @P1 | nvarchar(50)
--> 2 | @P2 | varbinary(max)
--> 3 | @P3 | binary(4)
--> 4 | @P4 | varbinary(max)
--> 5 | @P5 | datetime
--> 6 | @P6 | float
--> 1 | @b | varbinary(max)
--> 2 | @n | nvarchar(50)
--> 3 | @id | int
--> Msg 257, Level 16, State 1, Line 7: Implicit conversion from data type nvarchar to varbinary(max) is not allowed. Use the CONVERT function to run this query.
-- A rowversion and a number of rows, which no text becomes
CREATE TABLE versions (id int, version rowversion, share float);
TRUNCATE TABLE #wanted;
INSERT #wanted EXEC sp_describe_undeclared_parameters N'UPDATE versions SET share = @s WHERE id = @id AND version = @v';
INSERT #wanted EXEC sp_describe_undeclared_parameters N'DELETE versions WHERE @v < version OR version IN (@a, @b)';
INSERT #wanted EXEC sp_describe_undeclared_parameters N'SELECT TOP (@n) id FROM versions WHERE share > @s';
INSERT #wanted EXEC sp_describe_undeclared_parameters N'SELECT id FROM versions ORDER BY id OFFSET @o ROWS FETCH NEXT @f ROWS ONLY';
SELECT ordinal, name, type FROM #wanted;
EXEC sp_describe_undeclared_parameters N'SELECT TOP (@n) id FROM versions WHERE id = version + share';
GO
--> [ordinal:int | name:nvarchar(128) | type:nvarchar(256)]
--> 1 | @s | float
--> 2 | @id | int
--> 3 | @v | timestamp
--> 1 | @v | timestamp
--> 2 | @a | timestamp
--> 3 | @b | timestamp
--> 1 | @n | bigint
--> 2 | @s | float
--> 1 | @o | bigint
--> 2 | @f | bigint
--> Msg 206, Level 16, State 1, Line 1: Operand type clash: timestamp is incompatible with float
USE master;
DROP DATABASE described;
GO
