-- differs parameters: the digits of CURRENT_TIME are a literal
-- {fn …}: ODBC's functions by their own names, beside those of T-SQL.
SELECT {fn UCASE('abC')} AS u, {fn lcase('ABc')} AS l, {fn length('abc  ')} AS n, {fn concat('a', NULL)} AS c, {fn CONCAT('CONCAT ', 'returns')} AS c2;
SELECT {fn locate('b', 'abcb')} AS l, {fn locate('b', 'abcb', 3)} AS l3, {fn repeat('ab', 3)} AS r, {fn insert('abcdef', 2, 3, 'X')} AS i, {fn replace('aba', 'a', 'x')} AS p;
SELECT {fn left('abc', 2)} AS l, {fn right('abc', 2)} AS r, {fn substring('abcdef', 2, 3)} AS s, {fn ltrim('  a')} AS t, {fn space(2)} + '|' AS sp, {fn ascii('A')} AS a, {fn char(66)} AS b;
GO
--> [u:varchar(3) | l:varchar(3) | n:int | c:varchar(1) | c2:varchar(14)]
--> ABC | abc | 3 | a | CONCAT returns
--> (1 rows affected)
--> [l:int | l3:int | r:varchar(6) | i:varchar(4) | p:varchar(8000)]
--> 2 | 4 | ababab | aXef | xbx
--> (1 rows affected)
--> [l:varchar(2) | r:varchar(2) | s:varchar(3) | t:varchar(3) | sp:varchar(3) | a:int | b:char(1)]
--> ab | bc | bcd | a |   | | 65 | B
--> (1 rows affected)
DECLARE @s nvarchar(4000) = 'Returns the length.', @d nvarchar(30) = '2007-04-21 01:01:01.1234567';
SELECT {fn BIT_LENGTH(@s)} AS bits, {fn OCTET_LENGTH(@s)} AS bytes, {fn TRUNCATE(100.123456, 4)} AS t, {fn truncate(129, -1)} AS neg, {fn mod(17, 5)} AS m, {fn mod(17, 5) } * 2 AS m2;
SELECT {fn DAYNAME(@d)} AS dn, {fn DAYOFMONTH(@d)} AS dm, {fn DAYOFWEEK(@d)} AS dw, {fn HOUR(@d)} AS h, {fn MINUTE(@d)} AS mi, {fn SECOND(@d)} AS s;
SELECT {fn MONTHNAME(@d)} AS mn, {fn QUARTER(@d)} AS q, {fn WEEK(@d)} AS w, {fn YEAR(@d)} AS y, {fn MONTH(@d)} AS m, {fn dayofyear(@d)} AS dy;
SET DATEFIRST 1;
SELECT {fn DAYOFWEEK('2007-04-22')} AS sunday, {fn dayofweek('2007-04-21')} AS saturday, DATEPART(weekday, '2007-04-22') AS own;
SET DATEFIRST 7;
GO
--> [bits:int | bytes:int | t:numeric(9,6) | neg:int | m:int | m2:int]
--> 304 | 38 | 100.123400 | 120 | 2 | 4
--> (1 rows affected)
--> [dn:nvarchar(30) | dm:int | dw:int | h:int | mi:int | s:int]
--> Saturday | 21 | 7 | 1 | 1 | 1
--> (1 rows affected)
--> [mn:nvarchar(30) | q:int | w:int | y:int | m:int | dy:int]
--> April | 2 | 16 | 2007 | 4 | 111
--> (1 rows affected)
--> [sunday:int | saturday:int | own:int]
--> 1 | 7 | 7
--> (1 rows affected)
SELECT {fn timestampadd(SQL_TSI_DAY, 3, {d '2026-01-30'})} AS d, {fn TIMESTAMPDIFF(sql_tsi_month, '2026-01-30', '2026-03-01')} AS m,
  {fn timestampadd(SQL_TSI_HOUR, -1, CAST('2026-01-30T00:30:00' AS datetime2(0)))} AS h, {fn timestampdiff(SQL_TSI_WEEK, '2026-01-01', '2026-01-15')} AS w,
  {fn timestampdiff(day, '2026-01-01', '2026-01-15')} AS own;
SELECT {fn convert('12', SQL_INTEGER)} + 1 AS i, {fn CONVERT(12.5, SQL_VARCHAR)} AS v, {fn convert(1, SQL_BIT)} AS b, {fn convert('2026-01-30', SQL_TIMESTAMP)} AS t,
  {fn convert(5, SQL_DOUBLE)} AS f, {fn convert(int, '7')} AS own, {fn convert(varchar(3), 1234567 / 10000)} AS own2;
SELECT {fn ifnull(NULL, 'x')} AS x, {fn IFNULL(1, 2)} AS one, {fn database()} AS db, {fn user()} AS u;
SELECT CASE WHEN {fn now()} = GETDATE() THEN 1 END AS now, CASE WHEN {fn current_timestamp()} = GETDATE() THEN 1 END AS stamp,
  CASE WHEN {fn curdate()} = CONVERT(varchar(10), GETDATE(), 23) THEN 1 END AS d, CASE WHEN {fn current_date()} = {fn curdate()} THEN 1 END AS d2,
  LEN({fn curtime()}) AS t, LEN({fn current_time()}) AS t0, LEN({fn current_time(6)}) AS t6;
SELECT SQL_VARIANT_PROPERTY({fn now()}, 'BaseType') AS now, SQL_VARIANT_PROPERTY({fn curdate()}, 'BaseType') AS d;
GO
--> [d:datetime | m:int | h:datetime2(0) | w:int | own:int]
--> 2026-02-02 00:00:00.000 | 2 | 2026-01-29 23:30:00 | 2 | 14
--> (1 rows affected)
--> [i:int | v:varchar(30) | b:bit | t:datetime | f:float | own:int | own2:varchar(3)]
--> 13 | 12.5 | 1 | 2026-01-30 00:00:00.000 | 5.0 | 7 | 123
--> (1 rows affected)
--> [x:varchar(1) | one:int | db:nvarchar(128) | u:nvarchar(128)]
--> x | 1 | master | dbo
--> (1 rows affected)
--> [now:int | stamp:int | d:int | d2:int | t:int | t0:int | t6:int]
--> 1 | 1 | 1 | 1 | 8 | 8 | 15
--> (1 rows affected)
--> [now:sql_variant | d:sql_variant]
--> datetime | varchar
--> (1 rows affected)
SELECT {fn abs(-3)} AS a, {fn ceiling(1.2)} AS c, {fn power(2, 3)} AS p, {fn round(1.256, 2)} AS r, {fn sign(-2)} AS s, {fn atan2(0, 1)} AS at, {fn pi()} AS pi, {fn sqrt(16)} AS q;
SELECT {fn ucase({fn concat({fn lcase('A')}, 'b')})} AS nested WHERE {fn length({fn ltrim(' a')})} = 1;
GO
--> [a:int | c:numeric(2,0) | p:int | r:numeric(4,3) | s:int | at:float | pi:float | q:float]
--> 3 | 2 | 8 | 1.260 | -1 | 0.0 | 3.1415926535897931 | 4.0
--> (1 rows affected)
--> [nested:varchar(2)]
--> AB
--> (1 rows affected)
CREATE TABLE #t (a int, b AS {fn mod(a, 3)}, c varchar(10) DEFAULT {fn ucase('def')}, CHECK ({fn mod(a, 2)} = 1));
INSERT #t (a) VALUES (7);
SELECT a, b, c FROM #t WHERE {fn mod(a, 2)} = 1;
GO
--> (1 rows affected)
--> [a:int | b:int | c:varchar(10)]
--> 7 | 1 | DEF
--> (1 rows affected)
SELECT {fn timestampadd(SQL_TSI_FRAC_SECOND, 1000, CAST('2026-01-30T00:00:00' AS datetime2(7)))} AS ns, {fn TIMESTAMPDIFF(SQL_TSI_FRAC_SECOND, CAST('2026-01-30T00:00:00' AS datetime2(7)), CAST('2026-01-30T00:00:00.0000012' AS datetime2(7)))} AS ns_between;
SELECT {fn convert('2026-01-30T12:30:00', SQL_DATE)} AS d, {fn convert('12:30:05', SQL_TIME)} AS t, {fn convert(CAST('2026-01-30' AS datetime), SQL_TYPE_DATE)} AS d2, {fn CONVERT('12:30', SQL_TYPE_TIME)} AS t2;
SELECT {fn EXTRACT(YEAR FROM '2026-01-30')} AS y, {fn extract(month from {d '2026-01-30'})} AS m, {fn extract(DAY FROM '2026-01-30')} AS d, {fn extract(HOUR FROM '2026-01-30T11:12:13')} AS h,
  {fn extract(MINUTE FROM '2026-01-30T11:12:13')} AS mi, {fn extract(SECOND FROM '2026-01-30T11:12:13')} + 1 AS s, {fn POSITION('b' IN 'abc')} AS p, {fn position('x' IN {fn lcase('ABX')})} AS p3;
GO
--> [ns:datetime2(7) | ns_between:int]
--> 2026-01-30 00:00:00.0000010 | 1200
--> (1 rows affected)
--> [d:date | t:time(7) | d2:date | t2:time(7)]
--> 2026-01-30 | 12:30:05.0000000 | 2026-01-30 | 12:30:00.0000000
--> (1 rows affected)
--> [y:int | m:int | d:int | h:int | mi:int | s:int | p:int | p3:int]
--> 2026 | 1 | 30 | 11 | 12 | 14 | 2 | 3
--> (1 rows affected)
SELECT {fn timestampadd(SQL_TSI_FRAC_SECOND, 1, CAST('2026-01-30' AS datetime))};
GO
--> [:datetime]
--> Msg 9810, Level 16, State 1, Line 1: The datepart nanosecond is not supported by date function dateadd for data type datetime.
SELECT {fn extract(WEEK FROM '2026-01-30')};
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'WEEK'.
SELECT UCASE('a');
GO
--> Msg 195, Level 15, State 10, Line 1: 'UCASE' is not a recognized built-in function name.
SELECT {fn nothing('a')};
GO
--> Msg 195, Level 15, State 10, Line 1: 'nothing' is not a recognized built-in function name.
SELECT {fn convert('a', SQL_NOTHING)};
GO
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'a'.
SELECT {fn timestampadd(SQL_TSI_NOTHING, 1, '2026-01-01')};
GO
--> Msg 155, Level 15, State 1, Line 1: 'SQL_TSI_NOTHING' is not a recognized dateadd option.
SELECT {fn length('a')};
SELECT {fn length('a') AS n;
GO
--> Msg 156, Level 15, State 1, Line 2: Incorrect syntax near the keyword 'AS'.
