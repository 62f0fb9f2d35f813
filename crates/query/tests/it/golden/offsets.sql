-- datetimeoffset, sql_variant, texts of modules.
DECLARE @m datetimeoffset(7) = '2026-03-01T12:30:00+02:00', @d datetime2(3) = '2026-03-01T12:30:00.123';
SELECT SWITCHOFFSET(@m, '-05:30') AS a, SWITCHOFFSET(@m, 0) AS b, TODATETIMEOFFSET(@d, '+01:00') AS c, TODATETIMEOFFSET(@d, -90) AS d;
SELECT @d AT TIME ZONE 'UTC' AS a, @m AT TIME ZONE 'UTC' AS b, @d AT TIME ZONE '+03:00' AT TIME ZONE 'utc' AS c, SWITCHOFFSET(NULL, '+01:00') AS n;
SELECT DATEDIFF(minute, SYSDATETIMEOFFSET(), SYSDATETIMEOFFSET()) AS zero;
GO
SELECT SWITCHOFFSET('2026-03-01T12:30:00+02:00', '+15:00');
GO
SELECT GETDATE() AT TIME ZONE 'Middle of Nowhere';
GO
DECLARE @v sql_variant = CAST(12.5 AS decimal(9, 2)), @w sql_variant = 'text';
SELECT CAST(SQL_VARIANT_PROPERTY(@v, 'BaseType') AS varchar(20)) AS base, CAST(SQL_VARIANT_PROPERTY(@v, 'Precision') AS int) AS p,
       CAST(SQL_VARIANT_PROPERTY(@v, 'Scale') AS int) AS s, CAST(SQL_VARIANT_PROPERTY(@w, 'MaxLength') AS int) AS most,
       CAST(SQL_VARIANT_PROPERTY(@w, 'nothing') AS int) AS n;
GO
USE tempdb;
GO
CREATE FUNCTION dbo.shown () RETURNS int AS BEGIN RETURN 1 END
GO
SELECT OBJECT_DEFINITION(OBJECT_ID('dbo.shown')) AS text, OBJECT_DEFINITION(1) AS n;
GO
