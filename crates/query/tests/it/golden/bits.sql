-- Shifts, counts, and single bits of integers and binaries.
select left_shift(5, 2) as a, 5 << 2 as b, 20 >> 2 as c, right_shift(20, -1) as d, 1 << 31 as e, 1 << 32 as f, -1 >> 28 as g;
select cast(1 as tinyint) << 7 as a, cast(1 as tinyint) << 8 as b, cast(1 as bigint) << 40 as c, 0x00ff << 4 as d, 0x00ff >> 4 as e;
select 1 + 1 << 3 as from_the_left, 1 << 1 + 2 as likewise, 1 | 1 << 2 as also, 2 * 3 << 1 as products_first;
select case when 8 >> 1 > 3 then 'y' else 'n' end as compared, case when 1<2 then 'y' end as less;
select bit_count(7) as a, bit_count(-1) as b, bit_count(cast(-1 as bigint)) as c, bit_count(0xf0f1) as d, bit_count(cast(null as int)) as n;
select get_bit(5, 0) as a, get_bit(5, 1) as b, get_bit(-1, 31) as c, get_bit(0x8000, 15) as d;
select set_bit(0, 3) as a, set_bit(15, 0, 0) as b, set_bit(0x0000, 8) as c, set_bit(cast(0 as tinyint), 7) as d;
select 1 << null as a, cast(null as int) >> 1 as b;
go
--> [a:int | b:int | c:int | d:int | e:int | f:int | g:int]
--> 20 | 20 | 5 | 40 | -2147483648 | 0 | 15
--> (1 rows affected)
--> [a:tinyint | b:tinyint | c:bigint | d:varbinary(2) | e:varbinary(2)]
--> 128 | 0 | 1099511627776 | 0x0FF0 | 0x000F
--> (1 rows affected)
--> [from_the_left:int | likewise:int | also:int | products_first:int]
--> 16 | 4 | 4 | 12
--> (1 rows affected)
--> [compared:varchar(1) | less:varchar(1)]
--> y | y
--> (1 rows affected)
--> [a:bigint | b:bigint | c:bigint | d:bigint | n:bigint]
--> 3 | 32 | 64 | 9 | NULL
--> (1 rows affected)
--> [a:bit | b:bit | c:bit | d:bit]
--> 1 | 0 | 1 | 1
--> (1 rows affected)
--> [a:int | b:int | c:varbinary(2) | d:tinyint]
--> 8 | 14 | 0x0100 | 128
--> (1 rows affected)
--> [a:int | b:int]
--> NULL | NULL
--> (1 rows affected)
select get_bit(1, 32);
go
--> [:bit]
--> Msg 4199, Level 16, State 1, Line 1: Argument value 32 is invalid for argument 2 of get_bit function.
select set_bit(1, -1);
go
--> [:int]
--> Msg 4199, Level 16, State 1, Line 1: Argument value -1 is invalid for argument 2 of set_bit function.
select left_shift(1.5, 1);
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type numeric is invalid for argument 1 of left_shift function.
select bit_count('7');
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type varchar is invalid for argument 1 of bit_count function.
create table t (a int not null, b smallint null, c varbinary(4) null);
insert t values (1, 2, 0x01), (2, null, 0x0102), (-8, -1, null);
select a, a << 1 as l, b >> 1 as r, c << 8 as c, bit_count(a) as n from t order by a;
go
--> (3 rows affected)
--> [a:int | l:int | r:smallint | c:varbinary(4) | n:bigint]
--> -8 | -16 | 32767 | NULL | 29
--> 1 | 2 | 1 | 0x00 | 1
--> 2 | 4 | NULL | 0x0200 | 1
--> (3 rows affected)
