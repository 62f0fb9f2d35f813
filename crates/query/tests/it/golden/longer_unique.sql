-- A column of varying length under a UNIQUE constraint becomes longer, and allows NULL; the key stays one.
CREATE TABLE dbo.doc_exy (col_a varchar(5) UNIQUE NOT NULL, col_b decimal(4, 2), col_c int NOT NULL CONSTRAINT uq_c UNIQUE, col_d char(2) NOT NULL CONSTRAINT uq_d UNIQUE);
INSERT dbo.doc_exy VALUES ('Test', 99.99, 1, 'a');
GO
--> (1 rows affected)
ALTER TABLE dbo.doc_exy ALTER COLUMN col_a varchar(25);
ALTER TABLE dbo.doc_exy ALTER COLUMN col_b decimal(10, 4);
GO
INSERT dbo.doc_exy VALUES ('MyNewColumnSize', 99999.9999, 2, 'b'), (NULL, 1, 3, 'c');
SELECT col_a, col_b FROM dbo.doc_exy ORDER BY col_c;
SELECT name, max_length, precision, scale, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID(N'dbo.doc_exy');
GO
--> (2 rows affected)
--> [col_a:varchar(25) | col_b:decimal(10,4)]
--> Test | 99.9900
--> MyNewColumnSize | 99999.9999
--> NULL | 1.0000
--> (3 rows affected)
--> [name:nvarchar(128) | max_length:smallint | precision:tinyint | scale:tinyint | is_nullable:bit]
--> col_a | 25 | 0 | 0 | 1
--> col_b | 9 | 10 | 4 | 1
--> col_c | 4 | 10 | 0 | 0
--> col_d | 2 | 0 | 0 | 0
--> (4 rows affected)
INSERT dbo.doc_exy VALUES (NULL, 1, 4, 'd');
GO
--> Msg 2627, Level 14, State 1, Line 1: Violation of UNIQUE KEY constraint 'UQ__doc_exy__00000000000003E9'. Cannot insert duplicate key in object 'dbo.doc_exy'. The duplicate key value is (<NULL>).
--> # The statement has been terminated.
ALTER TABLE dbo.doc_exy ALTER COLUMN col_a varchar(25) NOT NULL;
GO
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'col_a', table 'master.dbo.doc_exy'; column does not allow nulls. UPDATE fails.
DELETE dbo.doc_exy WHERE col_a IS NULL;
ALTER TABLE dbo.doc_exy ALTER COLUMN col_a varchar(30) NOT NULL;
SELECT max_length, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID(N'dbo.doc_exy') AND name = 'col_a';
GO
--> (1 rows affected)
--> [max_length:smallint | is_nullable:bit]
--> 30 | 0
--> (1 rows affected)
ALTER TABLE dbo.doc_exy ALTER COLUMN col_c int NULL;
GO
--> Msg 5074, Level 16, State 1, Line 1: The object 'uq_c' is dependent on column 'col_c'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN col_c failed because one or more objects access this column.
ALTER TABLE dbo.doc_exy ALTER COLUMN col_d char(2) NULL;
GO
--> Msg 5074, Level 16, State 1, Line 1: The object 'uq_d' is dependent on column 'col_d'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN col_d failed because one or more objects access this column.
ALTER TABLE dbo.doc_exy ALTER COLUMN col_a varchar(20) NOT NULL;
GO
--> Msg 5074, Level 16, State 1, Line 1: The object 'UQ__doc_exy__00000000000003E9' is dependent on column 'col_a'.
--> Msg 4922, Level 16, State 9, Line 1: ALTER TABLE ALTER COLUMN col_a failed because one or more objects access this column.
-- Keys without a name have eight characters of their table, other constraints nine.
CREATE TABLE dbo.longnames (id int PRIMARY KEY, other int UNIQUE, checked int CHECK (checked > 0), defaulted int DEFAULT 1);
SELECT LEFT(name, LEN(name) - 8) AS beginning, LEN(name) AS length, type FROM sys.objects WHERE parent_object_id = OBJECT_ID('dbo.longnames') ORDER BY type;
DROP TABLE dbo.longnames, dbo.doc_exy;
GO
--> [beginning:nvarchar(128) | length:int | type:char(2)]
--> CK__longnames__check__ | 30 | C
--> DF__longnames__defau__ | 30 | D
--> PK__longname__00000000 | 30 | PK
--> UQ__longname__00000000 | 30 | UQ
--> (4 rows affected)
