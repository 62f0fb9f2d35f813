-- A column of varying length under a UNIQUE constraint becomes longer, and allows NULL; the key stays one.
CREATE TABLE dbo.doc_exy (col_a varchar(5) UNIQUE NOT NULL, col_b decimal(4, 2), col_c int NOT NULL CONSTRAINT uq_c UNIQUE, col_d char(2) NOT NULL CONSTRAINT uq_d UNIQUE);
INSERT dbo.doc_exy VALUES ('Test', 99.99, 1, 'a');
GO
ALTER TABLE dbo.doc_exy ALTER COLUMN col_a varchar(25);
ALTER TABLE dbo.doc_exy ALTER COLUMN col_b decimal(10, 4);
GO
INSERT dbo.doc_exy VALUES ('MyNewColumnSize', 99999.9999, 2, 'b'), (NULL, 1, 3, 'c');
SELECT col_a, col_b FROM dbo.doc_exy ORDER BY col_c;
SELECT name, max_length, precision, scale, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID(N'dbo.doc_exy');
GO
INSERT dbo.doc_exy VALUES (NULL, 1, 4, 'd');
GO
ALTER TABLE dbo.doc_exy ALTER COLUMN col_a varchar(25) NOT NULL;
GO
DELETE dbo.doc_exy WHERE col_a IS NULL;
ALTER TABLE dbo.doc_exy ALTER COLUMN col_a varchar(30) NOT NULL;
SELECT max_length, is_nullable FROM sys.columns WHERE object_id = OBJECT_ID(N'dbo.doc_exy') AND name = 'col_a';
GO
ALTER TABLE dbo.doc_exy ALTER COLUMN col_c int NULL;
GO
ALTER TABLE dbo.doc_exy ALTER COLUMN col_d char(2) NULL;
GO
ALTER TABLE dbo.doc_exy ALTER COLUMN col_a varchar(20) NOT NULL;
GO
-- Keys without a name have eight characters of their table, other constraints nine.
CREATE TABLE dbo.longnames (id int PRIMARY KEY, other int UNIQUE, checked int CHECK (checked > 0), defaulted int DEFAULT 1);
SELECT LEFT(name, LEN(name) - 8) AS beginning, LEN(name) AS length, type FROM sys.objects WHERE parent_object_id = OBJECT_ID('dbo.longnames') ORDER BY type;
DROP TABLE dbo.longnames, dbo.doc_exy;
GO
