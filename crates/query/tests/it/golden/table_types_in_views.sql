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
CREATE TYPE dbo.keyed AS TABLE (a int NOT NULL PRIMARY KEY NONCLUSTERED, b int DEFAULT 7, c varchar(9) UNIQUE CLUSTERED, d int, CHECK (d > 0), INDEX by_d (d DESC) );
GO
-- Their keys, indexes, checks and defaults too.
SELECT t.name, IIF(i.is_primary_key | i.is_unique_constraint = 1, 'key', i.name) AS name, i.index_id, i.type_desc, i.is_unique, i.is_primary_key, i.is_unique_constraint
FROM sys.indexes i JOIN sys.table_types t ON t.type_table_object_id = i.object_id ORDER BY t.name, i.index_id;
SELECT t.name, c.index_id, c.column_id, c.key_ordinal, c.is_descending_key FROM sys.index_columns c JOIN sys.table_types t ON t.type_table_object_id = c.object_id ORDER BY t.name, c.index_id, c.key_ordinal;
SELECT t.name, k.type, IIF(k.name LIKE '%[_][_]' + t.name + '[_][_]%', 1, 0) AS named, k.unique_index_id, k.is_system_named, k.is_ms_shipped FROM sys.key_constraints k JOIN sys.table_types t ON t.type_table_object_id = k.parent_object_id ORDER BY t.name, k.type;
SELECT t.name, k.definition FROM sys.check_constraints k JOIN sys.table_types t ON t.type_table_object_id = k.parent_object_id;
SELECT t.name, k.parent_column_id, k.definition FROM sys.default_constraints k JOIN sys.table_types t ON t.type_table_object_id = k.parent_object_id;
SELECT COUNT(*) AS constraints, COUNT(DISTINCT o.object_id) AS numbers FROM sys.objects o JOIN sys.table_types t ON t.type_table_object_id = o.parent_object_id;
DECLARE @key int = (SELECT k.object_id FROM sys.key_constraints k JOIN sys.table_types t ON t.type_table_object_id = k.parent_object_id WHERE t.name = 'lines');
SELECT k.type FROM sys.key_constraints k WHERE k.object_id = @key;
SELECT o.type_desc FROM sys.objects o WHERE o.object_id = @key;
GO
--> [name:nvarchar(128) | name:nvarchar(128) | index_id:int | type_desc:nvarchar(60) | is_unique:bit | is_primary_key:bit | is_unique_constraint:bit]
--> empty | NULL | 0 | HEAP | 0 | 0 | 0
--> keyed | key | 1 | CLUSTERED | 1 | 0 | 1
--> keyed | key | 2 | NONCLUSTERED | 1 | 1 | 0
--> keyed | by_d | 3 | NONCLUSTERED | 0 | 0 | 0
--> lines | key | 1 | CLUSTERED | 1 | 1 | 0
--> (5 rows affected)
--> [name:nvarchar(128) | index_id:int | column_id:int | key_ordinal:tinyint | is_descending_key:bit]
--> keyed | 1 | 3 | 1 | 0
--> keyed | 2 | 1 | 1 | 0
--> keyed | 3 | 4 | 1 | 1
--> lines | 1 | 1 | 1 | 0
--> (4 rows affected)
--> [name:nvarchar(128) | type:char(2) | named:int | unique_index_id:int | is_system_named:bit | is_ms_shipped:bit]
--> keyed | PK | 1 | 2 | 1 | 0
--> keyed | UQ | 1 | 1 | 1 | 0
--> lines | PK | 1 | 1 | 1 | 0
--> (3 rows affected)
--> [name:nvarchar(128) | definition:nvarchar(max)]
--> keyed | ([d]>(0))
--> (1 rows affected)
--> [name:nvarchar(128) | parent_column_id:int | definition:nvarchar(max)]
--> keyed | 2 | ((7))
--> (1 rows affected)
--> [constraints:int | numbers:int]
--> 5 | 5
--> (1 rows affected)
--> [type:char(2)]
--> PK
--> (1 rows affected)
--> [type_desc:nvarchar(60)]
--> PRIMARY_KEY_CONSTRAINT
--> (1 rows affected)
SELECT name, OBJECTPROPERTY(type_table_object_id, 'IsSystemTable') AS of_system, IIF(OBJECT_NAME(type_table_object_id) LIKE 'TT[_]' + name + '%', 1, 0) AS called FROM sys.table_types ORDER BY name;
GO
--> [name:nvarchar(128) | of_system:int | called:int]
--> empty | 0 | 1
--> keyed | 0 | 1
--> lines | 0 | 1
--> (3 rows affected)
DROP TYPE dbo.lines;
DROP TYPE dbo.keyed;
SELECT COUNT(*) AS n FROM sys.objects WHERE type = 'TT';
GO
--> [n:int]
--> 1
--> (1 rows affected)
