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
EXEC sp_describe_first_result_set N'SELECT id, name FROM t';
EXEC sp_describe_first_result_set @tsql = N'SELECT * FROM nowhere';
GO
-- Parameters by where they stand.
EXEC sp_describe_undeclared_parameters N'SELECT * FROM t WHERE name = @name AND id IN (@a, @b) AND price > @least';
GO
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
USE master;
DROP DATABASE described;
GO
