-- Conversions of numbers: a decimal is bytes from the left, in as many groups of four as it needs; numbers too large for their target,
-- each with the message of its source.
create table t (d decimal(5,1) not null, w decimal(38,10) not null, n decimal(20,0) not null);
insert t values (1.5, 1, 123);
select cast(d as varbinary(30)) as whole, cast(d as varbinary(2)) as cut, cast(d as binary(2)) as also, cast(d as binary(10)) as filled from t;
select cast(w as varbinary(max)) as wide, cast(n as binary(20)) as filled, cast(cast(w as varbinary(max)) as decimal(5,2)) as back from t;
drop table t;
go
--> (1 rows affected)
--> [whole:varbinary(30) | cut:varbinary(2) | also:binary(2) | filled:binary(10)]
--> 0x050100010F000000 | 0x0501 | 0x0501 | 0x0000050100010F000000
--> (1 rows affected)
--> [wide:varbinary(max) | filled:binary(20) | back:decimal(5,2)]
--> 0x260A000100E40B5402000000 | 0x000000000000000000000000140000017B000000 | 1.00
--> (1 rows affected)
select cast(0x05010000000000 as decimal(5,1))
go
--> [:decimal(5,1)]
--> Msg 8114, Level 16, State 1, Line 1: Error converting data type varbinary to numeric.
select cast(0x6100 as smalldatetime)
go
--> [:smalldatetime]
--> Msg 210, Level 16, State 1, Line 1: Conversion failed when converting datetime from binary/varbinary string.
select cast(0x6100 as datetime2)
go
--> [:datetime2(7)]
--> Msg 241, Level 16, State 1, Line 1: Conversion failed when converting date and/or time from character string.
select cast(cast(300 as bigint) as tinyint)
go
--> [:tinyint]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type tinyint.
select cast(1e19 as bigint)
go
--> [:bigint]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type bigint.
select cast($3000000000 as int)
go
--> [:int]
--> Msg 237, Level 16, State 1, Line 1: There is insufficient result space to convert a money value to int.
select cast($70000 as smallint)
go
--> [:smallint]
--> Msg 220, Level 16, State 1, Line 1: Arithmetic overflow error for data type smallint, value = 700000000.
select cast($300 as tinyint)
go
--> [:tinyint]
--> Msg 232, Level 16, State 1, Line 1: Arithmetic overflow error for type tinyint, value = 300.000000.
select cast($1000000 as smallmoney)
go
--> [:smallmoney]
--> Msg 237, Level 16, State 1, Line 1: There is insufficient result space to convert a money value to smallmoney.
select cast(1000000 as smallmoney)
go
--> [:smallmoney]
--> Msg 220, Level 16, State 1, Line 1: Arithmetic overflow error for data type smallmoney, value = 1000000.
select cast(newid() as nvarchar(10))
go
--> [:nvarchar(10)]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type nvarchar.
select degrees(100000000)
go
--> [:int]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
select switchoffset(cast('2020-01-01' as datetimeoffset), 40000)
go
--> [:datetimeoffset(7)]
--> Msg 220, Level 16, State 1, Line 1: Arithmetic overflow error for data type smallint, value = 40000.
select cast(cast('2020-01-01' as datetimeoffset(0)) as varchar(10))
go
--> [:varchar(10)]
--> Msg 241, Level 16, State 1, Line 1: Conversion failed when converting date and/or time from character string.
select cast(newid() as varchar(10))
go
--> [:varchar(10)]
--> Msg 8170, Level 16, State 1, Line 1: Insufficient result space to convert uniqueidentifier value to char.
