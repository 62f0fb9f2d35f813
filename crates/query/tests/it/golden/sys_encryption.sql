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
EXEC sp_refresh_parameter_encryption 'p'
EXEC sp_refresh_parameter_encryption 'no such procedure'
GO
DROP PROCEDURE p
DROP TABLE t
GO
