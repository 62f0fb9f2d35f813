-- How dates and times become texts: the older types have a colon before their milliseconds in styles 9, 13 and 14, the newer ones a
-- point; a time alone has no leading blank; a date in a sql_variant is written as a datetime is.
create table t (d datetime not null, d2 datetime2(3) not null, o datetimeoffset(3) not null, m time(3) not null);
insert t values ('2024-05-13T14:25:36.123', '2024-05-13T14:25:36.123', '2024-05-13T14:25:36.123+02:00', '14:25:36.123');
select convert(varchar(40), d, 9) as d, convert(varchar(40), d2, 9) as d2, convert(varchar(40), o, 109) as o, convert(varchar(40), m, 9) as m from t;
select convert(varchar(40), d, 13) as d, convert(varchar(40), d2, 113) as d2, convert(varchar(40), o, 13) as o, convert(varchar(40), m, 113) as m from t;
select convert(varchar(40), d, 14) as d, convert(varchar(40), d2, 14) as d2, convert(varchar(40), o, 114) as o, convert(varchar(40), m, 14) as m from t;
select convert(varchar(40), m, 0) as zero, convert(varchar(40), m, 100) as century, convert(varchar(40), m, 22) as padded, convert(varchar(40), d, 0) as d from t;
go
--> (1 rows affected)
--> [d:varchar(40) | d2:varchar(40) | o:varchar(40) | m:varchar(40)]
--> May 13 2024  2:25:36:123PM | May 13 2024  2:25:36.123PM | May 13 2024  2:25:36.123PM +02:00 | 2:25:36.123PM
--> (1 rows affected)
--> [d:varchar(40) | d2:varchar(40) | o:varchar(40) | m:varchar(40)]
--> 13 May 2024 14:25:36:123 | 13 May 2024 14:25:36.123 | 13 May 2024 14:25:36.123 +02:00 | 14:25:36.123
--> (1 rows affected)
--> [d:varchar(40) | d2:varchar(40) | o:varchar(40) | m:varchar(40)]
--> 14:25:36:123 | 14:25:36.123 | 14:25:36.123 +02:00 | 14:25:36.123
--> (1 rows affected)
--> [zero:varchar(40) | century:varchar(40) | padded:varchar(40) | d:varchar(40)]
--> 2:25PM | 2:25PM |  2:25:36 PM | May 13 2024  2:25PM
--> (1 rows affected)
select cast(cast(cast(d2 as date) as sql_variant) as nvarchar(60)) as date, cast(cast(m as sql_variant) as varchar(60)) as time, cast(cast(d2 as sql_variant) as varchar(60)) as both, convert(varchar(60), cast(d2 as sql_variant), 121) as styled from t;
drop table t;
go
--> [date:nvarchar(60) | time:varchar(60) | both:varchar(60) | styled:varchar(60)]
--> May 13 2024 | 2:25PM | May 13 2024  2:25PM | 2024-05-13 14:25:36.123
--> (1 rows affected)
-- The style is an integer.
select convert(varchar(30), getdate(), 1.5)
go
--> Msg 8116, Level 16, State 1, Line 2: Argument data type numeric is invalid for argument 3 of convert function.
select convert(varchar(30), getdate(), '120')
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type varchar is invalid for argument 3 of convert function.
-- Style 126 of a float has the digits of its type.
select convert(varchar(30), 1e0 / 3, 126) as f, convert(varchar(30), cast(1e0 / 3 as real), 126) as r, convert(varchar(30), 1e0 / 3, 77) as other;
go
--> [f:varchar(30) | r:varchar(30) | other:varchar(30)]
--> 3.333333333333333e-001 | 3.3333334e-001 | 0.333333
--> (1 rows affected)
