-- A default is looked at when a row gets it: what does not fit its column is an error of the INSERT.
-- differs variables: the message names the variable
CREATE DATABASE brook;
GO
USE brook;
GO
CREATE TABLE dbo.t (id int NOT NULL, s varchar(3) DEFAULT 'abcdef', n nchar(2) DEFAULT 'xyz', b varbinary(2) DEFAULT 0x010203, k tinyint DEFAULT 300, d decimal(4, 2) DEFAULT 1234.5, i int DEFAULT 'abc');
GO
INSERT dbo.t (id) VALUES (1);
GO
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'brook.dbo.t', column 's'. Truncated value: 'abc'.
--> # The statement has been terminated.
INSERT dbo.t VALUES (1, DEFAULT, 'a', 0x, 1, 1, 1);
GO
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'brook.dbo.t', column 's'. Truncated value: 'abc'.
--> # The statement has been terminated.
INSERT dbo.t VALUES (1, 'abc', DEFAULT, 0x, 1, 1, 1);
GO
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'brook.dbo.t', column 'n'. Truncated value: 'xy'.
--> # The statement has been terminated.
INSERT dbo.t VALUES (1, 'abc', 'a', DEFAULT, 1, 1, 1);
GO
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'brook.dbo.t', column 'b'. Truncated value: '0x0102'.
--> # The statement has been terminated.
INSERT dbo.t VALUES (1, 'abc', 'a', 0x, DEFAULT, 1, 1);
GO
--> Msg 220, Level 16, State 1, Line 1: Arithmetic overflow error for data type tinyint, value = 300.
--> # The statement has been terminated.
INSERT dbo.t VALUES (1, 'abc', 'a', 0x, 1, DEFAULT, 1);
GO
--> Msg 8115, Level 16, State 1, Line 1: Arithmetic overflow error converting numeric to data type numeric.
--> # The statement has been terminated.
INSERT dbo.t VALUES (1, 'abc', 'a', 0x, 1, 1, DEFAULT);
GO
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'abc' to data type int.
INSERT dbo.t VALUES (1, 'abc', 'a', 0x, 1, 1, 1), (2, DEFAULT, 'a', 0x, 1, 1, 1);
GO
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'brook.dbo.t', column 's'. Truncated value: 'abc'.
--> # The statement has been terminated.
INSERT dbo.t VALUES (1, 'abc', 'a', 0x01, 1, 1, 1);
UPDATE dbo.t SET s = DEFAULT;
GO
--> (1 rows affected)
--> Msg 2628, Level 16, State 1, Line 2: String or binary data would be truncated in table 'brook.dbo.t', column 's'. Truncated value: 'abc'.
--> # The statement has been terminated.
UPDATE dbo.t SET k = DEFAULT;
GO
--> Msg 220, Level 16, State 1, Line 1: Arithmetic overflow error for data type tinyint, value = 300.
--> # The statement has been terminated.
MERGE dbo.t AS t USING (VALUES (2)) AS s (id) ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, DEFAULT, 'a', 0x, 1, 1, 1);
GO
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'brook.dbo.t', column 's'. Truncated value: 'abc'.
--> # The statement has been terminated.
SET ANSI_WARNINGS OFF;
INSERT dbo.t (id, n, b, k, d, i) VALUES (3, 'a', 0x, 1, 1, 1);
SELECT id, s FROM dbo.t ORDER BY id;
SET ANSI_WARNINGS ON;
GO
--> (1 rows affected)
--> [id:int | s:varchar(3)]
--> 1 | abc
--> 3 | abc
--> (2 rows affected)
-- A type that does not convert is refused when the table is made.
CREATE TABLE dbo.u (a datetime DEFAULT 1, b xml DEFAULT 5);
GO
--> Msg 206, Level 16, State 1, Line 2: Operand type clash: int is incompatible with xml(max)
CREATE TABLE dbo.u (a varchar(10) DEFAULT NULL, b sql_variant DEFAULT 5, c xml DEFAULT '<a/>', e uniqueidentifier DEFAULT NEWID(), f money DEFAULT '1.5', g bit DEFAULT 5);
INSERT dbo.u DEFAULT VALUES;
SELECT a, b, SQL_VARIANT_PROPERTY(b, 'BaseType') AS t, c, f, g FROM dbo.u WHERE e IS NOT NULL;
GO
--> (1 rows affected)
--> [a:varchar(10) | b:sql_variant | t:sql_variant | c:xml | f:money | g:bit]
--> NULL | 5 | int | <a/> | 1.5000 | 1
--> (1 rows affected)
ALTER TABLE dbo.u ADD s varchar(2) NOT NULL DEFAULT 'long';
GO
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'brook.dbo.u', column 's'. Truncated value: 'lo'.
ALTER TABLE dbo.u ADD s varchar(2) NULL DEFAULT 'long';
INSERT dbo.u (a) VALUES ('a');
GO
--> Msg 2628, Level 16, State 1, Line 2: String or binary data would be truncated in table 'brook.dbo.u', column 's'. Truncated value: 'lo'.
--> # The statement has been terminated.
DECLARE @t TABLE (a int, s varchar(2) DEFAULT 'long');
INSERT @t (a) VALUES (1);
GO
--> Msg 2628, Level 16, State 1, Line 2: String or binary data would be truncated in table 'tempdb.dbo.@t', column 's'. Truncated value: 'lo'.
--> # The statement has been terminated.
CREATE TABLE #t (a int, s varchar(2) DEFAULT 'long');
INSERT #t (a) VALUES (1);
GO
--> Msg 2628, Level 16, State 1, Line 2: String or binary data would be truncated in table 'tempdb.dbo.#t', column 's'. Truncated value: 'lo'.
--> # The statement has been terminated.
CREATE TABLE dbo.parent (s varchar(2) NOT NULL PRIMARY KEY);
CREATE TABLE dbo.child (s varchar(2) DEFAULT 'long' REFERENCES dbo.parent ON DELETE SET DEFAULT);
INSERT dbo.parent VALUES ('a');
INSERT dbo.child VALUES ('a');
DELETE dbo.parent;
GO
--> (1 rows affected)
--> (1 rows affected)
--> Msg 2628, Level 16, State 1, Line 5: String or binary data would be truncated in table 'brook.dbo.child', column 's'. Truncated value: 'lo'.
--> # The statement has been terminated.
USE master;
DROP DATABASE brook;
GO
