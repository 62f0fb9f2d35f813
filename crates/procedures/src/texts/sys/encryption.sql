-- Procedures of Always Encrypted. No column is encrypted, so that all parameters are sent as they are.
CREATE PROCEDURE sys.sp_describe_parameter_encryption @tsql nvarchar(max), @params nvarchar(max) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @names TABLE (ordinal int IDENTITY PRIMARY KEY, name sysname);
    DECLARE @rest nvarchar(max) = @params, @end int;
    IF @tsql IS NULL
    BEGIN
        RAISERROR(15600, -1, -1, 'sys.sp_describe_parameter_encryption');
        RETURN 1;
    END;
    -- In declarations of parameters, the names of the parameters are all that begins with @.
    WHILE CHARINDEX(N'@', @rest) > 0
    BEGIN
        SET @rest = STUFF(@rest, 1, CHARINDEX(N'@', @rest) - 1, N'');
        SET @end = PATINDEX(N'%[ ,=(' + NCHAR(9) + NCHAR(10) + NCHAR(13) + N']%', @rest);
        IF @end < 3 OR @end > 129
        BEGIN
            RAISERROR(15600, -1, -1, 'sys.sp_describe_parameter_encryption');
            RETURN 1;
        END;
        INSERT @names VALUES (LEFT(@rest, @end - 1));
        SET @rest = STUFF(@rest, 1, @end - 1, N'');
    END;
    SELECT CAST(NULL AS int) AS column_encryption_key_ordinal,
        CAST(NULL AS int) AS database_id,
        CAST(NULL AS int) AS column_encryption_key_id,
        CAST(NULL AS int) AS column_encryption_key_version,
        CAST(NULL AS binary(8)) AS column_encryption_key_metadata_version,
        CAST(NULL AS varbinary(4000)) AS column_encryption_key_encrypted_value,
        CAST(NULL AS nvarchar(128)) AS column_master_key_store_provider_name,
        CAST(NULL AS nvarchar(4000)) AS column_master_key_path,
        CAST(NULL AS nvarchar(128)) AS column_encryption_key_encryption_algorithm_name
    FROM @names
    WHERE 1 = 0;
    SELECT ordinal AS parameter_ordinal,
        CAST(name AS nvarchar(128)) AS parameter_name,
        CAST(0 AS tinyint) AS column_encryption_algorithm,
        CAST(0 AS tinyint) AS column_encryption_type,
        CAST(0 AS int) AS column_encryption_key_ordinal,
        CAST(0 AS tinyint) AS column_encryption_normalization_rule_version
    FROM @names
    ORDER BY ordinal;
    RETURN 0;
END
GO
CREATE PROCEDURE sys.sp_refresh_parameter_encryption @name nvarchar(776), @namespace nvarchar(20) = NULL
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @result int;
    IF @namespace IS NULL
        EXEC @result = sys.sp_refreshsqlmodule @name;
    ELSE
        EXEC @result = sys.sp_refreshsqlmodule @name, @namespace;
    RETURN ISNULL(@result, 1);
END
GO
