-- AT TIME ZONE: names as Windows has them, gaps and overlaps, types.
-- In Berlin clocks went from 02:00 to 03:00 on 29 March 2015, and from 03:00 to 02:00 on 25 October 2015.
declare @zone nvarchar(128) = N'central european standard time';
select cast('2015-03-29T01:30:00' as datetime2(0)) at time zone @zone as before_gap,
    cast('2015-03-29T02:30:00' as datetime2(0)) at time zone @zone as in_gap,
    cast('2015-03-29T03:30:00' as datetime2(0)) at time zone @zone as after_gap;
select cast('2015-10-25T01:30:00' as datetime2(0)) at time zone @zone as before_overlap,
    cast('2015-10-25T02:30:00' as datetime2(0)) at time zone @zone as in_overlap,
    cast('2015-10-25T03:30:00' as datetime2(0)) at time zone @zone as after_overlap;
select cast('2020-07-01T12:00:00' as datetime) at time zone 'Pacific Standard Time' as of_datetime,
    cast('2020-01-01T12:00:00' as smalldatetime) at time zone 'India Standard Time' as of_smalldatetime,
    cast('2020-07-01T12:00:00.1234567 +02:00' as datetimeoffset) at time zone 'Eastern Standard Time' as of_offset;
select cast('2020-07-01T12:00:00' as datetime2(3)) at time zone 'UTC' at time zone 'Nepal Standard Time' as twice;
select name from sys.time_zone_info where name in ('UTC', 'Tokyo Standard Time') order by name;
select current_utc_offset, is_currently_dst from sys.time_zone_info where name = 'Tokyo Standard Time';
go
--> [before_gap:datetimeoffset(0) | in_gap:datetimeoffset(0) | after_gap:datetimeoffset(0)]
--> 2015-03-29 01:30:00 +01:00 | 2015-03-29 03:30:00 +02:00 | 2015-03-29 03:30:00 +02:00
--> (1 rows affected)
--> [before_overlap:datetimeoffset(0) | in_overlap:datetimeoffset(0) | after_overlap:datetimeoffset(0)]
--> 2015-10-25 01:30:00 +02:00 | 2015-10-25 02:30:00 +02:00 | 2015-10-25 03:30:00 +01:00
--> (1 rows affected)
--> [of_datetime:datetimeoffset(3) | of_smalldatetime:datetimeoffset(0) | of_offset:datetimeoffset(7)]
--> 2020-07-01 12:00:00.000 -07:00 | 2020-01-01 12:00:00 +05:30 | 2020-07-01 06:00:00.1234567 -04:00
--> (1 rows affected)
--> [twice:datetimeoffset(3)]
--> 2020-07-01 17:45:00.000 +05:45
--> (1 rows affected)
--> [name:nvarchar(128)]
--> Tokyo Standard Time
--> UTC
--> (2 rows affected)
--> [current_utc_offset:nvarchar(6) | is_currently_dst:bit]
--> +09:00 | 0
--> (1 rows affected)
select '2020-01-01' at time zone 'UTC';
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type varchar is invalid for argument 1 of AT TIME ZONE function.
select cast('2020-01-01' as date) at time zone 'UTC';
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type date is invalid for argument 1 of AT TIME ZONE function.
select getdate() at time zone 'Europe/Berlin';
go
--> [:datetimeoffset(3)]
--> Msg 9820, Level 16, State 1, Line 1: The time zone parameter 'Europe/Berlin' provided to AT TIME ZONE clause is invalid.
create table t (at datetime2(0) null, zone nvarchar(60) null);
insert t values ('2021-06-01T00:00:00', N'GMT Standard Time'), ('2021-12-01T00:00:00', N'GMT Standard Time'), (null, N'UTC'), ('2021-12-01', null);
select at at time zone zone as shown from t order by zone, at;
go
--> (4 rows affected)
--> [shown:datetimeoffset(0)]
--> NULL
--> 2021-06-01 00:00:00 +01:00
--> 2021-12-01 00:00:00 +00:00
--> NULL
--> (4 rows affected)
