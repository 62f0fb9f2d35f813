-- The tables of table types stand among the objects and have columns.
CREATE DATABASE typed;
GO
USE typed;
GO
CREATE TYPE dbo.amount FROM decimal(9, 2) NOT NULL;
GO
CREATE TYPE dbo.lines AS TABLE (id int NOT NULL PRIMARY KEY, price dbo.amount, note nvarchar(40) NULL, twice AS price * 2);
GO
CREATE TYPE dbo.empty AS TABLE (a int);
GO
SELECT t.name, o.type, o.type_desc, o.schema_id, o.is_ms_shipped, IIF(o.name LIKE 'TT[_]' + t.name + '[_]________', 1, 0) AS named
FROM sys.table_types t JOIN sys.objects o ON o.object_id = t.type_table_object_id ORDER BY t.name;
SELECT t.name AS type, c.name, c.column_id, TYPE_NAME(c.user_type_id) AS declared, c.max_length, c.precision, c.scale, c.is_nullable, c.is_computed
FROM sys.table_types t JOIN sys.columns c ON c.object_id = t.type_table_object_id ORDER BY t.name, c.column_id;
DECLARE @id int = (SELECT type_table_object_id FROM sys.table_types WHERE name = 'empty');
SELECT name FROM sys.columns WHERE object_id = @id;
SELECT name FROM syscolumns WHERE id = @id;
SELECT xtype, uid FROM sysobjects WHERE id = @id;
SELECT COUNT(*) AS tables FROM sys.tables;
SELECT COUNT(*) AS shown FROM INFORMATION_SCHEMA.COLUMNS;
GO
--> [name:nvarchar(128) | type:char(2) | type_desc:nvarchar(60) | schema_id:int | is_ms_shipped:bit | named:int]
--> empty | TT | TYPE_TABLE | 4 | 0 | 1
--> lines | TT | TYPE_TABLE | 4 | 0 | 1
--> (2 rows affected)
--> [type:nvarchar(128) | name:nvarchar(128) | column_id:int | declared:nvarchar(128) | max_length:smallint | precision:tinyint | scale:tinyint | is_nullable:bit | is_computed:bit]
--> empty | a | 1 | int | 4 | 10 | 0 | 1 | 0
--> lines | id | 1 | int | 4 | 10 | 0 | 0 | 0
--> lines | price | 2 | amount | 5 | 9 | 2 | 0 | 0
--> lines | note | 3 | nvarchar | 80 | 0 | 0 | 1 | 0
--> lines | twice | 4 | decimal | 9 | 11 | 2 | 1 | 1
--> (5 rows affected)
--> [name:nvarchar(128)]
--> a
--> (1 rows affected)
--> [name:nvarchar(128)]
--> a
--> (1 rows affected)
--> [xtype:char(2) | uid:smallint]
--> TT | 4
--> (1 rows affected)
--> [tables:int]
--> 0
--> (1 rows affected)
--> [shown:int]
--> 0
--> (1 rows affected)
DROP TYPE dbo.lines;
SELECT COUNT(*) AS n FROM sys.objects WHERE type = 'TT';
GO
--> [n:int]
--> 1
--> (1 rows affected)
