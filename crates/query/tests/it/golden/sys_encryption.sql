-- What drivers with Always Encrypted ask before they send parameters: here none is encrypted.
CREATE TABLE t (i int)
GO
CREATE PROCEDURE p @i int AS SELECT i FROM t WHERE i = @i
GO
EXEC sp_describe_parameter_encryption N'SELECT i FROM t WHERE i = @i AND @d > 0', N'@i int, @d decimal(10, 2) OUTPUT'
EXEC sp_describe_parameter_encryption @tsql = N'SELECT i FROM t'
EXEC sp_describe_parameter_encryption NULL, N'@i int'
EXEC sp_describe_parameter_encryption N'SELECT 1', N'@ int'
GO
--> [column_encryption_key_ordinal:int | database_id:int | column_encryption_key_id:int | column_encryption_key_version:int | column_encryption_key_metadata_version:binary(8) | column_encryption_key_encrypted_value:varbinary(4000) | column_master_key_store_provider_name:nvarchar(128) | column_master_key_path:nvarchar(4000) | column_encryption_key_encryption_algorithm_name:nvarchar(128)]
--> [parameter_ordinal:int | parameter_name:nvarchar(128) | column_encryption_algorithm:tinyint | column_encryption_type:tinyint | column_encryption_key_ordinal:int | column_encryption_normalization_rule_version:tinyint]
--> 1 | @i | 0 | 0 | 0 | 0
--> 2 | @d | 0 | 0 | 0 | 0
--> [column_encryption_key_ordinal:int | database_id:int | column_encryption_key_id:int | column_encryption_key_version:int | column_encryption_key_metadata_version:binary(8) | column_encryption_key_encrypted_value:varbinary(4000) | column_master_key_store_provider_name:nvarchar(128) | column_master_key_path:nvarchar(4000) | column_encryption_key_encryption_algorithm_name:nvarchar(128)]
--> [parameter_ordinal:int | parameter_name:nvarchar(128) | column_encryption_algorithm:tinyint | column_encryption_type:tinyint | column_encryption_key_ordinal:int | column_encryption_normalization_rule_version:tinyint]
--> Msg 15600, Level 15, State 1, Line 9: An invalid parameter or option was specified for procedure 'sys.sp_describe_parameter_encryption'.
--> Msg 15600, Level 15, State 1, Line 19: An invalid parameter or option was specified for procedure 'sys.sp_describe_parameter_encryption'.
EXEC sp_refresh_parameter_encryption 'p'
EXEC sp_refresh_parameter_encryption 'no such procedure'
GO
--> Msg 15165, Level 16, State 1, Line 7: Could not find object 'no such procedure' or you do not have permission.
DROP PROCEDURE p
DROP TABLE t
GO
