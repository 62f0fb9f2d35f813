-- What CONVERT reads in a style: datetime and smalldatetime one layout, the newer types another; years of the style's width.
-- The year may lead for the older types; month and day then have the order of the style.
select convert(datetime, '2003-04-05', 103) as british, convert(datetime, '2003.04.05', 104) as german, convert(datetime, '2003-04-05', 101) as us, convert(datetime, '05/13/2026', 120) as odbc;
select convert(date, '13/05/2026', 103) as british, convert(date, '13.05.2026', 104) as german, convert(date, '05-13-2026', 101) as us, convert(date, '2026/05/13', 102) as ansi, convert(date, '2026-05-13', 23) as iso;
go
--> [british:datetime | german:datetime | us:datetime | odbc:datetime]
--> 2003-05-04 00:00:00.000 | 2003-05-04 00:00:00.000 | 2003-04-05 00:00:00.000 | 2026-05-13 00:00:00.000
--> (1 rows affected)
--> [british:date | german:date | us:date | ansi:date | iso:date]
--> 2026-05-13 | 2026-05-13 | 2026-05-13 | 2026-05-13 | 2026-05-13
--> (1 rows affected)
-- The same of a column, whose styles are those of its rows.
create table t (id int not null, text varchar(30) not null, style int not null);
insert t values (1, '2003-04-05', 103), (2, '2003-04-05', 101), (3, '05/13/2026', 112), (4, '01/02/99', 101), (5, '01/02/99', 1),
    (6, '99.01.02', 2), (7, '20260513', 103), (8, '13 May 2026', 23), (9, '2026-05-13T10:00:00', 1), (10, '10:20:30', 112);
select id, try_convert(datetime, text, style) as older, try_convert(datetime2(0), text, style) as newer from t order by id;
go
--> (10 rows affected)
--> [id:int | older:datetime | newer:datetime2(0)]
--> 1 | 2003-05-04 00:00:00.000 | NULL
--> 2 | 2003-04-05 00:00:00.000 | NULL
--> 3 | NULL | NULL
--> 4 | NULL | NULL
--> 5 | 1999-01-02 00:00:00.000 | 1999-01-02 00:00:00
--> 6 | 1999-01-02 00:00:00.000 | 1999-01-02 00:00:00
--> 7 | 2026-05-13 00:00:00.000 | 2026-05-13 00:00:00
--> 8 | 2026-05-13 00:00:00.000 | 2026-05-13 00:00:00
--> 9 | NULL | 2026-05-13 10:00:00
--> 10 | 1900-01-01 10:20:30.000 | 1900-01-01 10:20:30
--> (10 rows affected)
select convert(date, text, style) from t where id = 1
go
--> [:date]
--> Msg 9807, Level 16, State 1, Line 1: The input character string does not follow style 103, either change the input character string or use a different style.
-- A date of numbers in a style that has none for the type.
select convert(date, text, style) from t where id = 3
select 'goes on' as after
go
--> [:date]
--> Msg 9807, Level 16, State 1, Line 2: The input character string does not follow style 112, either change the input character string or use a different style.
--> [after:varchar(7)]
--> goes on
--> (1 rows affected)
select convert(datetime, text, style) from t where id = 3
go
--> [:datetime]
--> Msg 241, Level 16, State 1, Line 1: Conversion failed when converting date and/or time from character string.
select convert(smalldatetime, text, style) from t where id = 4
go
--> [:smalldatetime]
--> Msg 295, Level 16, State 1, Line 1: Conversion failed when converting character string to smalldatetime data type.
-- The layout is the style's, the day is none.
select convert(datetime, '05/13/2026', 103)
go
--> [:datetime]
--> Msg 242, Level 16, State 1, Line 2: The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.
select convert(date, '05/13/2026', 103)
go
--> [:date]
--> Msg 241, Level 16, State 1, Line 1: Conversion failed when converting date and/or time from character string.
select convert(datetime, '2026-05-13', 23)
go
--> [:datetime]
--> Msg 241, Level 16, State 1, Line 1: Conversion failed when converting date and/or time from character string.
-- T and Z.
select try_convert(datetime, '1999-01-02T10:00:00', 126) as iso, try_convert(datetime, '1999-01-02 10:00:00', 126) as blank, try_convert(datetime, '1999-01-02T10:00:00Z', 126) as z, try_convert(datetime, '1999-01-02T10:00:00Z', 127) as utc, try_convert(datetime, '19990102', 127) as bare;
select try_convert(datetime2(0), '1999-01-02T10:00:00', 3) as iso, try_convert(datetime2(0), '1999-01-02T10:00:00Z', 126) as z, try_convert(datetime2(0), '1999-01-02', 3) as d;
go
--> [iso:datetime | blank:datetime | z:datetime | utc:datetime | bare:datetime]
--> 1999-01-02 10:00:00.000 | NULL | NULL | 1999-01-02 10:00:00.000 | NULL
--> (1 rows affected)
--> [iso:datetime2(0) | z:datetime2(0) | d:datetime2(0)]
--> 1999-01-02 10:00:00 | 1999-01-02 10:00:00 | NULL
--> (1 rows affected)
select convert(datetime, '1999-01-02T10:00:00', 101)
go
--> [:datetime]
--> Msg 242, Level 16, State 1, Line 1: The conversion of a varchar data type to a datetime data type resulted in an out-of-range value.
drop table t;
-- No style, and style 0, have the order of the session.
set dateformat dmy;
select convert(datetime, '01/02/2003') as none, convert(datetime, '01/02/2003', 0) as zero, convert(datetime, '01/02/2003', 101) as us;
set dateformat mdy;
go
--> [none:datetime | zero:datetime | us:datetime]
--> 2003-02-01 00:00:00.000 | 2003-02-01 00:00:00.000 | 2003-01-02 00:00:00.000
--> (1 rows affected)
