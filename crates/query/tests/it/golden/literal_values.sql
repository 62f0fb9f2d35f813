-- Constants: money takes a sign after its currency; an integer that is written counts its digits beside a decimal, one that was
-- computed those of its type; NULLIF of a written integer is of the smallest type that holds it.
-- differs parameters: the types of variables are not those of constants
select $-5 as a, 10 - $-5 as b, -$-5.95 as c, $+5 as d, £-.5 as e, $ as f;
select convert(varchar(20), $-1234567.891, 1) as commas, sql_variant_property($-5.95, 'BaseType') as of_type, 1-$ as g;
go
--> [a:money | b:money | c:money | d:money | e:money | f:money]
--> -5.0000 | 15.0000 | 5.9500 | 5.0000 | -0.5000 | 0.0000
--> (1 rows affected)
--> [commas:varchar(20) | of_type:sql_variant | g:money]
--> -1,234,567.89 | money | 1.0000
--> (1 rows affected)
-- An integer of more than eleven characters is a numeric.
select 00000000300 as int, 000000000300 as longer, -000000000300 as negative, 2147483648 as large, -2147483648 as least;
go
--> [int:int | longer:numeric(3,0) | negative:numeric(3,0) | large:numeric(10,0) | least:int]
--> 300 | 300 | -300 | 2147483648 | -2147483648
--> (1 rows affected)
select case when 1 = 1 then 1 when 1 = 2 then 100 else 2.5 end as c, iif(1 = 1, 1, 2.5) as i, coalesce(1, 2.5) as o, choose(1, -30, 2.5) as h;
select greatest(1.5, 2) as g, greatest(cast(7 as decimal(9,2)), 1) as d, least(1.5, 20, 300) as l;
select iif(1 = 1, 1 + 1, 2.5) as computed, iif(1 = 1, cast(1 as int), 2.5) as cast_, isnull(1, 2.5) as first;
go
--> [c:numeric(4,1) | i:numeric(2,1) | o:numeric(2,1) | h:numeric(3,1)]
--> 1.0 | 1.0 | 1.0 | -30.0
--> (1 rows affected)
--> [g:numeric(2,1) | d:decimal(9,2) | l:numeric(4,1)]
--> 2.0 | 7.00 | 1.5
--> (1 rows affected)
--> [computed:numeric(11,1) | cast_:numeric(11,1) | first:int]
--> 2.0 | 1.0 | 1
--> (1 rows affected)
select 1 as u union all select 2.5;
select v from (values (1), (20), (2.5)) as t(v);
go
--> [u:numeric(2,1)]
--> 1.0
--> 2.5
--> (2 rows affected)
--> [v:numeric(3,1)]
--> 1.0
--> 20.0
--> 2.5
--> (3 rows affected)
select nullif(60, 76) as tiny, nullif(-3, 78) as small, nullif(300, 4) as also, nullif(99999999, 4) as int, nullif(60 + 0, 76) as computed, nullif(60.0, 76) as decimal;
go
--> [tiny:tinyint | small:smallint | also:smallint | int:int | computed:int | decimal:numeric(3,1)]
--> 60 | -3 | 300 | 99999999 | 60 | 60.0
--> (1 rows affected)
-- A quotient has 12 digits by 3 that is computed, 6 by 3 that is written; a product 9 by 2 that is computed, 18 by 2 that is written.
declare @a decimal(3,1) = 10, @b decimal(38,20) = 1.1234567890123456789, @c decimal(38,20) = 1.1234567890123456789;
select 10.0 / 3 as written, 10.0 / (1 + 2) as computed;
set @b *= (1 + 1);
set @c *= 2;
select @b as computed, @c as written;
select @a += 1, @c *= (1 + 0);
select @a as a, @c as c;
create table t (d decimal(38,20) not null);
insert t values (1.1234567890123456789);
update t set d *= (1 + 1);
select d from t;
drop table t;
go
--> [written:numeric(8,6) | computed:numeric(14,12)]
--> 3.333333 | 3.333333333333
--> (1 rows affected)
--> [computed:decimal(38,20) | written:decimal(38,20)]
--> 2.24691357800000000000 | 2.24691357802469135800
--> (1 rows affected)
--> [a:decimal(3,1) | c:decimal(38,20)]
--> 11.0 | 2.24691357800000000000
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [d:decimal(38,20)]
--> 2.24691357800000000000
--> (1 rows affected)
