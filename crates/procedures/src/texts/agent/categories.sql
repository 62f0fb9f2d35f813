-- The categories in which the Agent files jobs, alerts and operators. Ids below 100 belong to categories that stay.
CREATE PROCEDURE dbo.sp_add_category
    @class varchar(8) = 'JOB',
    @type varchar(12) = 'LOCAL',
    @name sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @category_id int, @category_class int, @category_type tinyint;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN (1);
    END
    SELECT @class = UPPER(LTRIM(RTRIM(@class))), @type = UPPER(LTRIM(RTRIM(@type))), @name = NULLIF(LTRIM(RTRIM(@name)), N'');
    SELECT @category_class = CASE @class WHEN 'JOB' THEN 1 WHEN 'ALERT' THEN 2 WHEN 'OPERATOR' THEN 3 END,
        @category_type = CASE @type WHEN 'LOCAL' THEN 1 WHEN 'MULTI-SERVER' THEN 2 WHEN 'NONE' THEN 3 END;

    IF @category_class IS NULL
    BEGIN
        RAISERROR(14266, 16, 1, N'@class', N'JOB, ALERT, OPERATOR');
        RETURN (1);
    END
    IF @category_class = 1 AND ISNULL(@category_type, 3) = 3
    BEGIN
        RAISERROR(14266, 16, 1, N'@type', N'LOCAL, MULTI-SERVER');
        RETURN (1);
    END
    IF @category_class <> 1 AND ISNULL(@category_type, 0) <> 3
    BEGIN
        RAISERROR(14266, 16, 1, N'@type', N'NONE');
        RETURN (1);
    END
    IF @name IS NULL
    BEGIN
        RAISERROR(14200, 16, 1, N'@name');
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.syscategories WHERE category_class = @category_class AND name = @name)
    BEGIN
        RAISERROR(14261, 16, 1, N'@name', @name);
        RETURN (1);
    END

    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    SELECT @category_id = ISNULL(MAX(category_id), 99) + 1 FROM dbo.syscategories WITH (TABLOCKX, HOLDLOCK) WHERE category_id > 99;
    INSERT INTO dbo.syscategories (category_id, category_class, category_type, name)
    VALUES (@category_id, @category_class, @category_type, @name);
    COMMIT TRANSACTION;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_update_category
    @class varchar(8),
    @name sysname,
    @new_name sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @category_id int, @category_class int, @class_name sysname;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN (1);
    END
    SELECT @class = UPPER(LTRIM(RTRIM(@class))), @name = ISNULL(LTRIM(RTRIM(@name)), N''),
        @new_name = NULLIF(LTRIM(RTRIM(@new_name)), N'');
    SELECT @category_class = CASE @class WHEN 'JOB' THEN 1 WHEN 'ALERT' THEN 2 WHEN 'OPERATOR' THEN 3 END, @class_name = LOWER(@class);

    IF @category_class IS NULL
    BEGIN
        RAISERROR(14266, 16, 1, N'@class', N'JOB, ALERT, OPERATOR');
        RETURN (1);
    END
    SELECT @category_id = category_id FROM dbo.syscategories WHERE category_class = @category_class AND name = @name;
    IF @category_id IS NULL
    BEGIN
        RAISERROR(14526, 16, 1, @name, @class);
        RETURN (1);
    END
    IF @category_id < 100
    BEGIN
        RAISERROR(14276, 16, 1, @name, @class_name);
        RETURN (1);
    END
    IF @new_name IS NULL
    BEGIN
        RAISERROR(14200, 16, 1, N'@new_name');
        RETURN (1);
    END
    IF EXISTS (SELECT * FROM dbo.syscategories
        WHERE category_class = @category_class AND name = @new_name AND category_id <> @category_id)
    BEGIN
        RAISERROR(14261, 16, 1, N'@new_name', @new_name);
        RETURN (1);
    END

    UPDATE dbo.syscategories SET name = @new_name WHERE category_id = @category_id;
    IF @@ERROR <> 0
        RETURN (1);
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_delete_category
    @class varchar(8),
    @name sysname
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @category_id int, @category_class int, @category_type tinyint, @class_name sysname;

    IF ISNULL(IS_SRVROLEMEMBER(N'sysadmin'), 0) = 0
    BEGIN
        RAISERROR(15247, -1, -1);
        RETURN (1);
    END
    SELECT @class = UPPER(LTRIM(RTRIM(@class))), @name = ISNULL(LTRIM(RTRIM(@name)), N'');
    SELECT @category_class = CASE @class WHEN 'JOB' THEN 1 WHEN 'ALERT' THEN 2 WHEN 'OPERATOR' THEN 3 END, @class_name = LOWER(@class);

    IF @category_class IS NULL
    BEGIN
        RAISERROR(14266, 16, 1, N'@class', N'JOB, ALERT, OPERATOR');
        RETURN (1);
    END
    SELECT @category_id = category_id, @category_type = category_type
    FROM dbo.syscategories WHERE category_class = @category_class AND name = @name;
    IF @category_id IS NULL
    BEGIN
        RAISERROR(14526, 16, 1, @name, @class);
        RETURN (1);
    END
    IF @category_id < 100
    BEGIN
        RAISERROR(14276, 16, 1, @name, @class_name);
        RETURN (1);
    END

    SET XACT_ABORT ON;
    BEGIN TRANSACTION;
    -- What was filed there goes into the category of the class that is for what is not filed.
    UPDATE dbo.sysjobs SET category_id = CASE @category_type WHEN 2 THEN 2 ELSE 0 END
    WHERE category_id = @category_id AND @category_class = 1;
    UPDATE dbo.sysalerts SET category_id = 98 WHERE category_id = @category_id AND @category_class = 2;
    UPDATE dbo.sysoperators SET category_id = 99 WHERE category_id = @category_id AND @category_class = 3;
    DELETE FROM dbo.syscategories WHERE category_id = @category_id;
    COMMIT TRANSACTION;
    RETURN (0);
END
GO
CREATE PROCEDURE dbo.sp_help_category
    @class varchar(8) = 'JOB',
    @type varchar(12) = NULL,
    @name sysname = NULL,
    @suffix bit = 0
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @category_class int, @category_type tinyint;

    SELECT @class = UPPER(LTRIM(RTRIM(@class))), @type = UPPER(NULLIF(LTRIM(RTRIM(@type)), '')),
        @name = NULLIF(LTRIM(RTRIM(@name)), N'');
    SELECT @category_class = CASE @class WHEN 'JOB' THEN 1 WHEN 'ALERT' THEN 2 WHEN 'OPERATOR' THEN 3 END,
        @category_type = CASE @type WHEN 'LOCAL' THEN 1 WHEN 'MULTI-SERVER' THEN 2 WHEN 'NONE' THEN 3 END;
    IF @category_class IS NULL
    BEGIN
        RAISERROR(14266, 16, 1, N'@class', N'JOB, ALERT, OPERATOR');
        RETURN (1);
    END
    IF @type IS NOT NULL AND @category_type IS NULL
    BEGIN
        RAISERROR(14266, 16, 1, N'@type', N'LOCAL, MULTI-SERVER, NONE');
        RETURN (1);
    END
    IF @name IS NOT NULL AND NOT EXISTS (SELECT * FROM dbo.syscategories WHERE category_class = @category_class AND name = @name)
    BEGIN
        RAISERROR(14526, 16, 1, @name, @class);
        RETURN (1);
    END

    IF ISNULL(@suffix, 0) = 0
        SELECT category_id, category_type, name
        FROM dbo.syscategories
        WHERE category_class = @category_class AND (@name IS NULL OR name = @name)
            AND (@category_type IS NULL OR category_type = @category_type)
        ORDER BY category_type, name;
    ELSE
        SELECT category_id,
            CAST(CASE category_type WHEN 1 THEN N'LOCAL' WHEN 2 THEN N'MULTI-SERVER' WHEN 3 THEN N'NONE' ELSE N'(unknown)' END
                AS sysname) AS category_type,
            name
        FROM dbo.syscategories
        WHERE category_class = @category_class AND (@name IS NULL OR name = @name)
            AND (@category_type IS NULL OR category_type = @category_type)
        ORDER BY category_type, name;
    RETURN (0);
END
GO
