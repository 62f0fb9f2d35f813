-- differs parameters: the lengths are literals
-- The types of texts that functions cut: a constant length is the result's, as SELECT INTO, UNION and the description of a text see it.
CREATE DATABASE lengths;
GO
USE lengths;
SET NOCOUNT ON;
CREATE TABLE t (v varchar(10), n nvarchar(10), c char(10), m varchar(max), b varbinary(10), u nvarchar(10) COLLATE Latin1_General_100_CI_AS_SC, e varchar(10) COLLATE Latin1_General_100_CI_AS_SC_UTF8, i int);
INSERT t VALUES ('abcdefghij', N'abcdefghij', 'abc', 'abcdefghij', 0x01020304, N'😀😀😀', 'äöü', 12345);
GO
DECLARE @three int = 3;
SELECT LEFT(v, 3) AS v, LEFT(n, 3) AS n, LEFT(c, 3) AS c, LEFT(v, 30) AS longer, LEFT(v, 0) AS none, LEFT(m, 3) AS m, LEFT(v, @three) AS by_variable, LEFT(i, 2) AS i, LEFT(u, 2) AS pairs, LEFT(e, 2) AS utf8 FROM t;
SELECT RIGHT(v, 3) AS v, RIGHT(n, 30) AS n, RIGHT(m, 3) AS m, SUBSTRING(v, 2, 3) AS s, SUBSTRING(n, 9, 30) AS longer, SUBSTRING(b, 2, 2) AS b, SUBSTRING(m, 1, 2) AS sm, SUBSTRING(v, 1, @three) AS by_variable FROM t;
SELECT UPPER(c) AS u, LOWER(v) AS l, LTRIM(c) AS lt, RTRIM(n) AS rt, REVERSE(v) AS r, REPLACE(v, 'a', 'b') AS p, REPLACE(n, 'a', 'b') AS pn, REPLICATE(v, 2) AS re, STUFF(v, 1, 2, '') AS nothing_in, STUFF(v, 1, 2, NULL) AS null_in, STUFF(v, 1, 2, 'xyz') AS in3, STR(i, 6) AS str6, STR(i) AS str10 FROM t;
SELECT DATALENGTH(UPPER(c)) AS of_upper, LEFT(v, 2) + '.' AS joined, CASE WHEN i > 0 THEN LEFT(v, 2) ELSE 'abc' END AS cased FROM t;
GO
--> [v:varchar(3) | n:nvarchar(3) | c:varchar(3) | longer:varchar(10) | none:varchar(1) | m:varchar(max) | by_variable:varchar(10) | i:varchar(2) | pairs:nvarchar(4) | utf8:varchar(8)]
--> abc | abc | abc | abcdefghij |  | abc | abc | 12 | 😀😀 | äö
--> [v:varchar(3) | n:nvarchar(10) | m:varchar(max) | s:varchar(3) | longer:nvarchar(10) | b:varbinary(2) | sm:varchar(max) | by_variable:varchar(10)]
--> hij | abcdefghij | hij | bcd | ij | 0x0203 | ab | abc
--> [u:varchar(10) | l:varchar(10) | lt:varchar(10) | rt:nvarchar(10) | r:varchar(10) | p:varchar(8000) | pn:nvarchar(4000) | re:varchar(20) | nothing_in:varchar(9) | null_in:varchar(9) | in3:varchar(11) | str6:varchar(6) | str10:varchar(10)]
--> ABC | abcdefghij | abc | abcdefghij | jihgfedcba | bbcdefghij | bbcdefghij | abcdefghijabcdefghij | cdefghij | cdefghij | xyzcdefghij |  12345 |      12345
--> [of_upper:int | joined:varchar(3) | cased:varchar(3)]
--> 10 | ab. | ab
SELECT LEFT(v, 3) AS l, SUBSTRING(n, 1, 4) AS s INTO made FROM t;
SELECT name, max_length FROM sys.columns WHERE object_id = OBJECT_ID('made') ORDER BY column_id;
SELECT name, system_type_name FROM sys.dm_exec_describe_first_result_set(N'SELECT RIGHT(v, 4) AS r FROM t UNION ALL SELECT LEFT(v, 2) FROM t', NULL, 0);
INSERT made VALUES ('abcd', N'x');
GO
--> [name:nvarchar(128) | max_length:smallint]
--> l | 3
--> s | 8
--> [name:nvarchar(128) | system_type_name:nvarchar(256)]
--> r | varchar(4)
--> Msg 2628, Level 16, State 1, Line 4: String or binary data would be truncated in table 'lengths.dbo.made', column 'l'. Truncated value: 'abc'.
--> # The statement has been terminated.
-- A list is taken apart: what is left of the text stays of its type.
WITH parts (part, rest) AS (
  SELECT LEFT(v, 1), STUFF(v, 1, 1, '') FROM t
  UNION ALL
  SELECT LEFT(rest, 1), STUFF(rest, 1, 1, '') FROM parts WHERE rest > '')
SELECT MAX(part) AS last, COUNT(*) AS n FROM parts;
GO
--> [last:varchar(1) | n:int]
--> j | 10
USE master;
DROP DATABASE lengths;
GO
