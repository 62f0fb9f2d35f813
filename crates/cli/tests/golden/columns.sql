-- Widths and sides by type.
set nocount on
select cast(1 as bit) as b, cast(2 as tinyint) as t, cast(3 as smallint) as s, 4 as i, cast(5 as bigint) as l
select cast(1.5 as real) as r, cast(2.5 as float) as f, cast(3 as smallmoney) as sm, cast(4 as money) as m, cast(5.25 as decimal(9,2)) as d
select cast('2024-02-29' as date) as d, cast('12:34:56' as time(0)) as t, cast('2024-02-29 12:34' as smalldatetime) as s
select cast('2024-02-29 12:34:56.789' as datetime) as dt, cast('2024-02-29 12:34:56.789' as datetime2) as d2
select cast('ab' as char(5)) as c, cast('ab' as varchar(8)) as v, N'ab' as n, 0xAB01 as b, cast('6F9619FF-8B86-D011-B42D-00C04FC964FF' as uniqueidentifier) as g
select cast('ab' as char(2)) as [a longer name], cast(1 as tinyint) as [another one], cast(null as varchar(2)) as n, cast(null as int)
