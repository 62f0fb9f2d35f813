-- SET LANGUAGE brings names, the order of dates and the first day of weeks
select @@language as l, @@langid as id, @@datefirst as f, datename(month, '20240305') as m, datename(weekday, '20240305') as d
set language German
select @@language as l, @@langid as id, @@datefirst as f, datename(month, '20240305') as m, datename(weekday, '20240305') as d, datename(year, '20240305') as y
select cast('05.03.2024' as datetime) as a, cast('5 März 2024' as date) as b, convert(varchar(20), cast('20241005' as datetime), 106) as c, cast(cast('20241005 13:14' as datetime) as varchar(20)) as d
set language N'Français'
select datename(month, '20240801') as m, datename(weekday, '20240801') as d, convert(nvarchar(20), cast('20240801' as date), 107) as s
set language Japanese
select @@language as l, datename(month, '20240801') as m, datename(weekday, '20240801') as d, cast('24/08/01' as date) as a
set language 'british english'
select @@language as l, @@langid as id, @@datefirst as f, cast('01/08/2024' as date) as a
set language us_english
go
--> [l:nvarchar(128) | id:smallint | f:tinyint | m:nvarchar(30) | d:nvarchar(30)]
--> us_english | 0 | 7 | March | Tuesday
--> (1 rows affected)
--> # Changed language setting to Deutsch.
--> [l:nvarchar(128) | id:smallint | f:tinyint | m:nvarchar(30) | d:nvarchar(30) | y:nvarchar(30)]
--> Deutsch | 1 | 1 | März | Dienstag | 2024
--> (1 rows affected)
--> [a:datetime | b:date | c:varchar(20) | d:varchar(20)]
--> 2024-03-05 00:00:00.000 | 2024-03-05 | 05 Okt 2024 | Okt  5 2024  1:14PM
--> (1 rows affected)
--> # Changed language setting to Français.
--> [m:nvarchar(30) | d:nvarchar(30) | s:nvarchar(20)]
--> août | jeudi | août 01, 2024
--> (1 rows affected)
--> # Changed language setting to 日本語.
--> [l:nvarchar(128) | m:nvarchar(30) | d:nvarchar(30) | a:date]
--> 日本語 | 08 | 木曜日 | 2024-08-01
--> (1 rows affected)
--> # Changed language setting to British.
--> [l:nvarchar(128) | id:smallint | f:tinyint | a:date]
--> British | 23 | 1 | 2024-08-01
--> (1 rows affected)
--> # Changed language setting to us_english.
-- Names of another language are none; DATEFORMAT and DATEFIRST after SET LANGUAGE count
set language German
select isdate('5 October 2024') as a, isdate('5 Oktober 2024') as b
set dateformat mdy
set datefirst 3
select cast('05.03.2024' as date) as a, @@datefirst as f, datename(month, '20240505') as m
set language us_english
go
--> # Changed language setting to Deutsch.
--> [a:int | b:int]
--> 0 | 1
--> (1 rows affected)
--> [a:date | f:tinyint | m:nvarchar(30)]
--> 2024-05-03 | 3 | Mai
--> (1 rows affected)
--> # Changed language setting to us_english.
set language Klingon
go
--> Msg 2740, Level 16, State 1, Line 1: SET LANGUAGE failed because 'Klingon' is not an official language name or a language alias on this SQL Server.
-- A plan that was made in one language runs in another
create table days (at datetime not null)
insert days values ('20240305')
go
--> (1 rows affected)
create procedure name_it as select datename(month, at) as m, convert(nvarchar(12), at, 100) as s from days
go
exec name_it
set language Polish
exec name_it
set language us_english
exec name_it
go
--> [m:nvarchar(30) | s:nvarchar(12)]
--> March | Mar  5 2024
--> (1 rows affected)
--> # Changed language setting to polski.
--> [m:nvarchar(30) | s:nvarchar(12)]
--> marzec | III  5 2024
--> (1 rows affected)
--> # Changed language setting to us_english.
--> [m:nvarchar(30) | s:nvarchar(12)]
--> March | Mar  5 2024
--> (1 rows affected)
-- The list
select count(*) as n, min(langid) as a, max(langid) as b from sys.syslanguages
select langid, dateformat, datefirst, name, alias, shortmonths, lcid from sys.syslanguages where alias in ('Spanish', 'Korean')
exec sp_helplanguage 'Dutch'
exec sp_helplanguage 'Klingon'
go
--> [n:int | a:smallint | b:smallint]
--> 33 | 0 | 32
--> (1 rows affected)
--> [langid:smallint | dateformat:nchar(3) | datefirst:tinyint | name:nvarchar(128) | alias:nvarchar(128) | shortmonths:nvarchar(132) | lcid:int]
--> 5 | dmy | 1 | Español | Spanish | Ene,Feb,Mar,Abr,May,Jun,Jul,Ago,Sep,Oct,Nov,Dic | 3082
--> 29 | ymd | 7 | 한국어 | Korean | 01,02,03,04,05,06,07,08,09,10,11,12 | 1042
--> (2 rows affected)
--> [langid:smallint | dateformat:nchar(3) | datefirst:tinyint | upgrade:int | name:nvarchar(128) | alias:nvarchar(128) | months:nvarchar(372) | shortmonths:nvarchar(132) | days:nvarchar(217) | lcid:int | msglangid:smallint]
--> 7 | dmy | 1 | 0 | Nederlands | Dutch | januari,februari,maart,april,mei,juni,juli,augustus,september,oktober,november,december | jan,feb,mrt,apr,mei,jun,jul,aug,sep,okt,nov,dec | maandag,dinsdag,woensdag,donderdag,vrijdag,zaterdag,zondag | 1043 | 1043
--> (1 rows affected)
--> Msg 15033, Level 16, State 1, Line 5: 'Klingon' is not a valid official language name.
-- Languages of logins
create login poly with password = 'Secret-Word-1', default_language = French, check_policy = off
select default_language_name as l from sys.server_principals where name = 'poly'
alter login poly with default_language = [1031]
select default_language_name as l from sys.server_principals where name = 'poly'
go
--> [l:nvarchar(128)]
--> Français
--> (1 rows affected)
--> [l:nvarchar(128)]
--> Deutsch
--> (1 rows affected)
alter login poly with default_language = Klingon
go
--> Msg 15033, Level 16, State 1, Line 1: 'Klingon' is not a valid official language name.
drop login poly
go
-- DATEFORMAT and DATEFIRST before SET LANGUAGE count too: drivers set all three at once, the language last
set datefirst 3
set dateformat dmy
set language us_english
select @@datefirst as f, cast('05.03.2024' as date) as a
go
--> # Changed language setting to us_english.
--> [f:tinyint | a:date]
--> 3 | 2024-03-05
--> (1 rows affected)
