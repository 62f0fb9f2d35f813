-- Styles may be constants or parameters.
-- SET DATEFORMAT is heeded wherever a text becomes a date, also by statements that are bound already
create table #d (id int identity, d datetime, e date)
go
create procedure days @text varchar(20) as select cast(@text as datetime) as d, cast(@text as date) as e
go
create procedure german @text varchar(20) as
begin
    set dateformat dmy
    select cast(@text as datetime) as inside
end
go
exec days '01/02/2024'
select convert(datetime, '01/02/2024') as d, convert(datetime, '01/02/2024', 103) as british, convert(datetime, '01/02/2024', 101) as us
insert #d (d, e) values ('01/02/2024', '01/02/2024')
go
--> [d:datetime | e:date]
--> 2024-01-02 00:00:00.000 | 2024-01-02
--> (1 rows affected)
--> [d:datetime | british:datetime | us:datetime]
--> 2024-01-02 00:00:00.000 | 2024-02-01 00:00:00.000 | 2024-01-02 00:00:00.000
--> (1 rows affected)
--> (1 rows affected)
set dateformat dmy
go
exec days '01/02/2024'
select convert(datetime, '01/02/2024') as d, convert(datetime, '01/02/2024', 103) as british, convert(datetime, '01/02/2024', 101) as us
insert #d (d, e) values ('01/02/2024', '01/02/2024')
go
--> [d:datetime | e:date]
--> 2024-02-01 00:00:00.000 | 2024-02-01
--> (1 rows affected)
--> [d:datetime | british:datetime | us:datetime]
--> 2024-02-01 00:00:00.000 | 2024-02-01 00:00:00.000 | 2024-01-02 00:00:00.000
--> (1 rows affected)
--> (1 rows affected)
select id, d, e from #d where d = '01/02/2024'
select id, d, e from #d order by id
go
--> [id:int | d:datetime | e:date]
--> 2 | 2024-02-01 00:00:00.000 | 2024-02-01
--> (1 rows affected)
--> [id:int | d:datetime | e:date]
--> 1 | 2024-01-02 00:00:00.000 | 2024-01-02
--> 2 | 2024-02-01 00:00:00.000 | 2024-02-01
--> (2 rows affected)
declare @d datetime = '13/02/2024', @e smalldatetime
set @e = '14.02.2024'
select @d as d, @e as e, isdate('13/02/2024') as yes, isdate('02/13/2024') as no, month('03/04/2024') as april
go
--> [d:datetime | e:smalldatetime | yes:int | no:int | april:int]
--> 2024-02-13 00:00:00.000 | 2024-02-14 00:00:00 | 1 | 0 | 4
--> (1 rows affected)
select cast('2024-02-01' as datetime) as d, cast('2024-02-01' as date) as e, cast('2024-02-01T00:00:00' as datetime) as iso, cast('20240201' as datetime) as plain
go
--> [d:datetime | e:date | iso:datetime | plain:datetime]
--> 2024-01-02 00:00:00.000 | 2024-02-01 | 2024-02-01 00:00:00.000 | 2024-02-01 00:00:00.000
--> (1 rows affected)
exec sp_executesql N'select @d as d, cast(@t as datetime) as t', N'@d datetime, @t varchar(20)', '05/06/2024', '05/06/2024'
go
--> [d:datetime | t:datetime]
--> 2024-06-05 00:00:00.000 | 2024-06-05 00:00:00.000
--> (1 rows affected)
set dateformat ymd
exec sp_executesql N'select cast(@t as datetime) as t', N'@t varchar(20)', '05/06/07'
select cast('05/06/07' as datetime) as d
set dateformat mdy
exec sp_executesql N'select cast(@t as datetime) as t', N'@t varchar(20)', '05/06/07'
select cast('05/06/07' as datetime) as d
go
--> [t:datetime]
--> 2005-06-07 00:00:00.000
--> (1 rows affected)
--> [d:datetime]
--> 2005-06-07 00:00:00.000
--> (1 rows affected)
--> [t:datetime]
--> 2007-05-06 00:00:00.000
--> (1 rows affected)
--> [d:datetime]
--> 2007-05-06 00:00:00.000
--> (1 rows affected)
exec german '01/02/2024'
select cast('01/02/2024' as datetime) as outside
exec german '01/02/2024'
select cast('01/02/2024' as datetime) as outside
go
--> [inside:datetime]
--> 2024-02-01 00:00:00.000
--> (1 rows affected)
--> [outside:datetime]
--> 2024-01-02 00:00:00.000
--> (1 rows affected)
--> [inside:datetime]
--> 2024-02-01 00:00:00.000
--> (1 rows affected)
--> [outside:datetime]
--> 2024-01-02 00:00:00.000
--> (1 rows affected)
select cast('13/02/2024' as datetime)
go
--> [:datetime]
--> Msg 242, Level 16, State 1, Line 1: The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.
set dateformat xyz
go
--> Msg 2741, Level 16, State 1, Line 1: SET DATEFORMAT date order 'xyz' is invalid.
