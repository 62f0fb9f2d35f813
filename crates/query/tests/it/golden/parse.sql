-- The manual's examples
select parse('Monday, 13 December 2010' as datetime2 using 'en-US') as result
select parse('€345,98' as money using 'de-DE') as result
set language 'English'
select parse('12/16/2010' as datetime2) as result
select try_parse('Jabberwokkie' as datetime2 using 'en-US') as result
go
--> [result:datetime2(7)]
--> 2010-12-13 00:00:00.0000000
--> (1 rows affected)
--> [result:money]
--> 345.9800
--> (1 rows affected)
--> # Changed language setting to us_english.
--> [result:datetime2(7)]
--> 2010-12-16 00:00:00.0000000
--> (1 rows affected)
--> [result:datetime2(7)]
--> NULL
--> (1 rows affected)
-- Types
select parse('1,234' as int using 'en-US') as a, parse('5.00' as tinyint) as b, parse('-1.234,567' as decimal(9, 2) using 'de-DE') as c, parse('1.5E3' as float) as d, parse('($5.5)' as smallmoney) as e
select parse('16.12.2010' as date using 'de-DE') as a, parse('10:20 PM' as time(0)) as b, parse('2010-12-16 10:20 +02:00' as datetimeoffset(0)) as c, parse('16 décembre 2010' as datetime using 'fr-FR') as d
set language German
select parse('1,5' as decimal(5, 2)) as a, parse('16.12.2010' as date) as b, format(1234.5, 'N') as c, format(cast('20101216' as date), 'D') as d
set language us_english
go
--> [a:int | b:tinyint | c:decimal(9,2) | d:float | e:smallmoney]
--> 1234 | 5 | -1234.57 | 1500.0 | -5.5000
--> (1 rows affected)
--> [a:date | b:time(0) | c:datetimeoffset(0) | d:datetime]
--> 2010-12-16 | 22:20:00 | 2010-12-16 10:20:00 +02:00 | 2010-12-16 00:00:00.000
--> (1 rows affected)
--> # Changed language setting to Deutsch.
--> [a:decimal(5,2) | b:date | c:nvarchar(4000) | d:nvarchar(4000)]
--> 1.50 | 2010-12-16 | 1.234,50 | Donnerstag, 16. Dezember 2010
--> (1 rows affected)
--> # Changed language setting to us_english.
-- NULL, and values that are none
declare @none nvarchar(10)
select parse(@none as int) as a, try_parse('x' as int) as b, try_parse('300' as tinyint) as c, try_parse('1.5' as int) as d, try_parse('2/30/2010' as date) as e, try_parse('1,5' as float) as f, try_parse('' as int) as g
go
--> [a:int | b:int | c:tinyint | d:int | e:date | f:float | g:int]
--> NULL | NULL | NULL | NULL | NULL | NULL | NULL
--> (1 rows affected)
select parse('x' as int) as a
go
--> [a:int]
--> Msg 9819, Level 16, State 1, Line 1: Error converting string value 'x' into data type int using culture ''.
select parse('16/12/2010' as date using 'en-US') as a
go
--> [a:date]
--> Msg 9819, Level 16, State 1, Line 1: Error converting string value '16/12/2010' into data type date using culture 'en-US'.
select try_parse('1' as int using 'klingon') as a
go
--> [a:int]
--> Msg 9818, Level 16, State 1, Line 1: The culture parameter 'klingon' provided in the function call is not supported.
select parse('1' as varchar(5)) as a
go
--> Msg 10761, Level 15, State 1, Line 1: Invalid data type varchar in function PARSE.
select parse(null as int) as a
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type NULL is invalid for argument 1 of parse function.
select parse(5 as int) as a
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type int is invalid for argument 1 of parse function.
select try_parse('1' as bit) as a
go
--> Msg 10761, Level 15, State 1, Line 1: Invalid data type bit in function TRY_PARSE.
create view parsed as select parse('1.234,5' as decimal(9, 1) using 'de-DE') as n
go
select n from parsed
exec sp_helptext 'parsed'
go
--> [n:decimal(9,1)]
--> 1234.5
--> (1 rows affected)
--> [Text:nvarchar(255)]
--> create view parsed as select parse('1.234,5' as decimal(9, 1) using 'de-DE') as n
