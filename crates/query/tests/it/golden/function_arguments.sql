-- What functions take and how wide their texts are: a text beside a number in DATEDIFF is a datetime, constants decide the length of
-- REPLICATE, SPACE and STUFF.
-- differs parameters: the lengths are those of constants
select datediff(ms, 0, '1900-01-01 00:00:00.001') as beside_number, datediff(ms, '1900-01-01', '1900-01-01 00:00:00.001') as texts, datediff(day, 0x01, '2020-01-01') as bytes, datediff(day, '2020-01-01', 43831) as number;
go
--> [beside_number:int | texts:int | bytes:int | number:int]
--> 0 | 1 | 43829 | 2
--> (1 rows affected)
select datediff(day, null, '0001-01-01')
go
--> [:int]
--> Msg 242, Level 16, State 1, Line 1: The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.
select datediff(iso_week, '2020-01-01', '2020-02-01')
go
--> [:int]
--> Msg 9806, Level 16, State 1, Line 1: The datepart iso_week is not supported by date function datediff.
select dateadd(day, '1', '2020-01-01')
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type varchar is invalid for argument 2 of dateadd function.
create table t (s varchar(10) not null, n nvarchar(4) not null, c char(3) not null, d datetime not null);
insert t values ('abcdefghij', N'abcd', 'abc', '2020-01-01');
select replicate('abcde', 3) as r, replicate(n, 2) as n, replicate(c, 0) as none, space(7) as s, space(0) as empty_, replicate(s, 900) as most from t where 1 = 0;
select stuff(s, 8, 5, 'XY') as a, stuff(s, 2, 3, '') as b, stuff(s, 1, 1, '') as first_, stuff(s, 2, len(s), 'XY') as c, stuff(n, 1, 1, N'xyz') as d from t;
select concat('a', 1, null, 'b') as a, concat(null, null) as n, concat(d, '') as d from t;
select replicate('ab', 2) + '|' as r, '[' + space(3) + ']' as s;
drop table t;
go
--> (1 rows affected)
--> [r:varchar(15) | n:nvarchar(8) | none:varchar(1) | s:varchar(7) | empty_:varchar(1) | most:varchar(8000)]
--> (0 rows affected)
--> [a:varchar(9) | b:varchar(8) | first_:varchar(10) | c:varchar(12) | d:nvarchar(6)]
--> abcdefgXY | aefghij | bcdefghij | aXY | xyzbcd
--> (1 rows affected)
--> [a:varchar(14) | n:varchar(1) | d:varchar(41)]
--> a1b |  | Jan  1 2020 12:00AM
--> (1 rows affected)
--> [r:varchar(5) | s:varchar(5)]
--> abab| | [   ]
--> (1 rows affected)
select replicate('a', cast(3000000000 as bigint))
go
--> [:varchar(8000)]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
select patindex('a%', null)
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type NULL is invalid for argument 2 of patindex function.
select format(1, null)
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type NULL is invalid for argument 2 of format function.
select get_bit(5, 1.5)
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type numeric is invalid for argument 2 of get_bit function.
select bit_count(null)
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type NULL is invalid for argument 1 of bit_count function.
select sum(null)
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type NULL is invalid for sum operator.
select max(null)
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type NULL is invalid for max operator.
select checksum_agg(null)
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type NULL is invalid for checksum_agg operator.
select string_agg(null, ',')
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type NULL is invalid for argument 1 of string_agg function.
select string_agg(0x01, ',')
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type varbinary is invalid for argument 1 of string_agg function.
