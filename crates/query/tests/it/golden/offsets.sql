-- datetimeoffset, sql_variant, texts of modules.
DECLARE @m datetimeoffset(7) = '2026-03-01T12:30:00+02:00', @d datetime2(3) = '2026-03-01T12:30:00.123';
SELECT SWITCHOFFSET(@m, '-05:30') AS a, SWITCHOFFSET(@m, 0) AS b, TODATETIMEOFFSET(@d, '+01:00') AS c, TODATETIMEOFFSET(@d, -90) AS d;
SELECT @d AT TIME ZONE 'UTC' AS a, @m AT TIME ZONE 'UTC' AS b, @d AT TIME ZONE '+03:00' AT TIME ZONE 'utc' AS c, SWITCHOFFSET(NULL, '+01:00') AS n;
SELECT DATEDIFF(minute, SYSDATETIMEOFFSET(), SYSDATETIMEOFFSET()) AS zero;
GO
--> [a:datetimeoffset(7) | b:datetimeoffset(7) | c:datetimeoffset(3) | d:datetimeoffset(3)]
--> 2026-03-01 05:00:00.0000000 -05:30 | 2026-03-01 10:30:00.0000000 +00:00 | 2026-03-01 12:30:00.123 +01:00 | 2026-03-01 12:30:00.123 -01:30
--> (1 rows affected)
--> [a:datetimeoffset(3) | b:datetimeoffset(7) | c:datetimeoffset(3) | n:datetimeoffset(7)]
--> 2026-03-01 12:30:00.123 +00:00 | 2026-03-01 10:30:00.0000000 +00:00 | 2026-03-01 09:30:00.123 +00:00 | NULL
--> (1 rows affected)
--> [zero:int]
--> 0
--> (1 rows affected)
SELECT SWITCHOFFSET('2026-03-01T12:30:00+02:00', '+15:00');
GO
--> [:datetimeoffset(7)]
--> Msg 9812, Level 16, State 0, Line 1: The timezone provided to builtin function switchoffset is invalid.
SELECT GETDATE() AT TIME ZONE 'Middle of Nowhere';
GO
--> [:datetimeoffset(3)]
--> Msg 9820, Level 16, State 1, Line 1: The time zone parameter 'Middle of Nowhere' provided to AT TIME ZONE clause is invalid.
DECLARE @v sql_variant = CAST(12.5 AS decimal(9, 2)), @w sql_variant = 'text';
SELECT CAST(SQL_VARIANT_PROPERTY(@v, 'BaseType') AS varchar(20)) AS base, CAST(SQL_VARIANT_PROPERTY(@v, 'Precision') AS int) AS p,
       CAST(SQL_VARIANT_PROPERTY(@v, 'Scale') AS int) AS s, CAST(SQL_VARIANT_PROPERTY(@w, 'MaxLength') AS int) AS most,
       CAST(SQL_VARIANT_PROPERTY(@w, 'nothing') AS int) AS n;
GO
--> [base:varchar(20) | p:int | s:int | most:int | n:int]
--> decimal | 9 | 2 | 4 | NULL
--> (1 rows affected)
USE tempdb;
GO
CREATE PROCEDURE dbo.shown AS SELECT OBJECT_DEFINITION(@@PROCID) AS text, OBJECT_DEFINITION(1) AS n;
GO
EXEC shown;
GO
--> [text:nvarchar(max) | n:nvarchar(max)]
--> CREATE PROCEDURE dbo.shown AS SELECT OBJECT_DEFINITION(@@PROCID) AS text, OBJECT_DEFINITION(1) AS n; | NULL
--> (1 rows affected)
