-- Which pairs of types an operator takes, what it makes of them, and which message says that it does not.
select 5 & '6' as a, '12' | 0 as b, cast(5 as tinyint) & '' as c, cast(1 as bit) ^ '1' as d, 255 & 0x0F as e;
select cast(1 as bit) * cast(1.50 as decimal(5,2)) as product, cast(1 as bit) + cast(1.50 as decimal(5,2)) as sum;
go
--> [a:int | b:int | c:tinyint | d:bit | e:int]
--> 4 | 12 | 0 | 0 | 15
--> (1 rows affected)
--> [product:decimal(11,4) | sum:decimal(6,2)]
--> 1.5000 | 2.50
--> (1 rows affected)
create table v (i int not null, s varchar(5) not null, r binary(8) not null);
insert v values (5, '6', 0x0000000000000102), (6, '3', 0x0000000000000103);
select i & s as a, s | i as b, s ^ i as c from v order by i;
select cast(r as rowversion) + 0x01 as r, cast(r as rowversion) + cast(r as rowversion) as rr from v where i = 5;
drop table v;
go
--> (2 rows affected)
--> [a:int | b:int | c:int]
--> 4 | 7 | 3
--> 2 | 7 | 5
--> (2 rows affected)
--> [r:varbinary(41) | rr:varbinary(80)]
--> 0x000000000000010201 | 0x00000000000001020000000000000102
--> (1 rows affected)
select 5 & 'x'
go
--> [:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'x' to data type int.
select '5' & '6'
go
--> Msg 402, Level 16, State 1, Line 1: The data types varchar and varchar are incompatible in the '&' operator.
select 1.5 & 1
go
--> Msg 402, Level 16, State 1, Line 1: The data types numeric and int are incompatible in the '&' operator.
select cast(1 as decimal(5,2)) & 1e0
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type decimal is invalid for '&' operator.
select null & null
go
--> Msg 402, Level 16, State 1, Line 1: The data types NULL and NULL are incompatible in the '&' operator.
select null ^ 'a'
go
--> Msg 402, Level 16, State 1, Line 1: The data types NULL and varchar are incompatible in the '^' operator.
select 0x05 - 0x02
go
--> Msg 402, Level 16, State 1, Line 1: The data types varbinary and varbinary are incompatible in the subtract operator.
select 0x05 * 0x02
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type varbinary is invalid for multiply operator.
select 'b' - 'a'
go
--> Msg 402, Level 16, State 1, Line 1: The data types varchar and varchar are incompatible in the subtract operator.
select cast(1 as bit) + cast(1 as bit)
go
--> Msg 402, Level 16, State 1, Line 1: The data types bit and bit are incompatible in the add operator.
select cast(1 as bit) * '1'
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type bit is invalid for multiply operator.
select cast(5 as real) % cast(2 as real)
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type real is invalid for modulo operator.
select 0x02 % cast(2 as real)
go
--> Msg 402, Level 16, State 1, Line 1: The data types varbinary and real are incompatible in the modulo operator.
select 5.0 % '2'
go
--> Msg 402, Level 16, State 1, Line 1: The data types numeric and varchar are incompatible in the modulo operator.
declare @d datetime = 0; select @d * 2
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type datetime to int is not allowed. Use the CONVERT function to run this query.
declare @v sql_variant = 1; select @v + 1
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type sql_variant to int is not allowed. Use the CONVERT function to run this query.
declare @v sql_variant = 1; select @v + @v
go
--> Msg 402, Level 16, State 1, Line 1: The data types sql_variant and sql_variant are incompatible in the add operator.
-- What compares is not what meets.
select case when cast('10:00' as time) = cast('2020-01-01' as datetime) then 1 end
go
--> Msg 402, Level 16, State 1, Line 2: The data types time and datetime are incompatible in the equal to operator.
select case when 0x01 <> cast('2020-01-01' as date) then 1 end
go
--> Msg 402, Level 16, State 1, Line 1: The data types varbinary and date are incompatible in the not equal to operator.
select 1 where cast('10:00' as time) in ('11:00', cast('2020-01-01' as datetime))
go
--> Msg 402, Level 16, State 1, Line 1: The data types time and datetime are incompatible in the equal to operator.
select 0x01 as a union all select cast('2020-01-01' as date)
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type varbinary to date is not allowed. Use the CONVERT function to run this query.
-- The least integer has no quotient by -1, and so no remainder.
create table m (i int not null, s smallint not null, b bigint not null, by_ int not null);
insert m values (-2147483648, -32768, -9223372036854775808, 1);
select i % by_ as i, s % by_ as s, b % by_ as b, -5 % -1 as small from m;
update m set by_ = -1;
go
--> (1 rows affected)
--> [i:int | s:int | b:bigint | small:int]
--> 0 | 0 | 0 | 0
--> (1 rows affected)
--> (1 rows affected)
select i % by_ from m
go
--> [:int]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type int.
select b % by_ from m
go
--> [:bigint]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type bigint.
select s % cast(by_ as smallint) from m
drop table m
go
--> [:smallint]
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting expression to data type smallint.
