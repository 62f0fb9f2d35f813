-- CREATE SCHEMA with its objects and permissions, which is one statement: all or nothing, and in any order.
CREATE DATABASE elements;
GO
USE elements;
CREATE USER reader WITHOUT LOGIN;
CREATE TABLE dbo.outside (id int NOT NULL PRIMARY KEY);
CREATE TABLE dbo.part (id int NOT NULL PRIMARY KEY, dbo_has_it int NULL);
GO
CREATE SCHEMA shop AUTHORIZATION reader
    GRANT SELECT ON cheap TO public
    CREATE VIEW cheap AS SELECT id, price FROM part WHERE price < 10 WITH CHECK OPTION
    CREATE TABLE line (id int NOT NULL PRIMARY KEY, part int NOT NULL REFERENCES part (id), o int NULL REFERENCES outside)
    CREATE TABLE part (id int NOT NULL PRIMARY KEY, price money NOT NULL DEFAULT 5, again int NULL REFERENCES part)
    DENY DELETE ON part TO public
    CREATE VIEW cheapest (p) AS (SELECT min(price) FROM cheap);
INSERT shop.part (id) VALUES (1);
INSERT shop.part (id, price) VALUES (2, 20);
INSERT shop.line (id, part) VALUES (1, 1);
SELECT * FROM shop.cheap;
SELECT p FROM shop.cheapest;
GO
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | price:money]
--> 1 | 5.0000
--> (1 rows affected)
--> [p:money]
--> 5.0000
--> (1 rows affected)
SELECT s.name, o.name, o.type FROM sys.objects AS o JOIN sys.schemas AS s ON s.schema_id = o.schema_id
WHERE o.type IN ('U', 'V') ORDER BY 1, 2;
SELECT object_name(parent_object_id) AS child, schema_name(objectproperty(referenced_object_id, 'SchemaId')) AS s,
    object_name(referenced_object_id) AS parent
FROM sys.foreign_keys ORDER BY 1, 3;
SELECT definition FROM sys.sql_modules ORDER BY object_id;
SELECT class_desc, object_name(major_id) AS name, permission_name, state_desc FROM sys.database_permissions
WHERE major_id > 0 ORDER BY 2;
SELECT user_name(principal_id) AS owner FROM sys.schemas WHERE name = 'shop';
GO
--> [name:nvarchar(128) | name:nvarchar(128) | type:char(2)]
--> dbo | outside | U
--> dbo | part | U
--> shop | cheap | V
--> shop | cheapest | V
--> shop | line | U
--> shop | part | U
--> (6 rows affected)
--> [child:nvarchar(128) | s:nvarchar(128) | parent:nvarchar(128)]
--> line | dbo | outside
--> line | shop | part
--> part | shop | part
--> (3 rows affected)
--> [definition:nvarchar(max)]
--> CREATE VIEW cheap AS SELECT id, price FROM part WHERE price < 10 WITH CHECK OPTION
--> CREATE VIEW cheapest (p) AS (SELECT min(price) FROM cheap)
--> (2 rows affected)
--> [class_desc:nvarchar(60) | name:nvarchar(128) | permission_name:nvarchar(128) | state_desc:nvarchar(60)]
--> OBJECT_OR_COLUMN | cheap | SELECT | GRANT
--> OBJECT_OR_COLUMN | part | DELETE | DENY
--> (2 rows affected)
--> [owner:nvarchar(128)]
--> reader
--> (1 rows affected)
-- Another schema's name in an element is kept; names outside of the statement mean what they meant.
CREATE SCHEMA other CREATE TABLE dbo.elsewhere (a int) CREATE TABLE here (a int);
SELECT schema_name(schema_id) AS s, name FROM sys.tables WHERE name IN ('elsewhere', 'here') ORDER BY 2;
SELECT count(*) AS dbo_has_it FROM part WHERE dbo_has_it IS NULL;
CREATE TABLE later (a int);
SELECT schema_name(schema_id) AS s FROM sys.tables WHERE name = 'later';
GO
--> [s:nvarchar(128) | name:nvarchar(128)]
--> dbo | elsewhere
--> other | here
--> (2 rows affected)
--> [dbo_has_it:int]
--> 0
--> (1 rows affected)
--> [s:nvarchar(128)]
--> dbo
--> (1 rows affected)
-- Nothing is left where one element fails.
CREATE SCHEMA broken CREATE TABLE t (a int) CREATE VIEW v AS SELECT nothing FROM t;
GO
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'nothing'.
--> Msg 2759, Level 16, State 0, Line 2: CREATE SCHEMA failed due to previous errors.
SELECT schema_id('broken') AS id, object_id('broken.t') AS t;
GO
--> [id:int | t:int]
--> NULL | NULL
--> (1 rows affected)
CREATE SCHEMA broken CREATE TABLE t (a int) GRANT SELECT ON t TO nobody_there;
GO
--> Msg 15151, Level 16, State 1, Line 1: Cannot find the user 'nobody_there', because it does not exist or you do not have permission.
--> Msg 2759, Level 16, State 0, Line 1: CREATE SCHEMA failed due to previous errors.
SELECT schema_id('broken') AS id, object_id('broken.t') AS t, object_id('t') AS dbo_t;
GO
--> [id:int | t:int | dbo_t:int]
--> NULL | NULL | NULL
--> (1 rows affected)
CREATE SCHEMA broken CREATE TABLE a (id int PRIMARY KEY CONSTRAINT to_b REFERENCES b) CREATE TABLE b (id int PRIMARY KEY REFERENCES a);
GO
--> Msg 1767, Level 16, State 0, Line 1: Foreign key 'to_b' references invalid table 'b'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
--> Msg 2759, Level 16, State 0, Line 1: CREATE SCHEMA failed due to previous errors.
SELECT schema_id('broken') AS id;
GO
--> [id:int]
--> NULL
--> (1 rows affected)
BEGIN TRAN;
EXEC ('CREATE SCHEMA undone CREATE TABLE t (a int) CREATE VIEW v AS SELECT a FROM t');
SELECT object_id('undone.v') - object_id('undone.v') AS it_is_there;
ROLLBACK;
SELECT schema_id('undone') AS id;
GO
--> [it_is_there:int]
--> 0
--> (1 rows affected)
--> [id:int]
--> NULL
--> (1 rows affected)
-- A semicolon ends the statement.
CREATE SCHEMA ended; CREATE TABLE ended_table (a int);
SELECT schema_name(schema_id) AS s FROM sys.tables WHERE name = 'ended_table';
GO
--> [s:nvarchar(128)]
--> dbo
--> (1 rows affected)
CREATE SCHEMA shop CREATE TABLE t (a int);
GO
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'shop' in the database.
--> Msg 2759, Level 16, State 0, Line 1: CREATE SCHEMA failed due to previous errors.
EXECUTE AS USER = 'reader';
GO
CREATE SCHEMA mine CREATE TABLE t (a int);
GO
--> Msg 262, Level 14, State 1, Line 1: CREATE SCHEMA permission denied in database 'elements'.
REVERT;
GRANT CREATE SCHEMA TO reader;
EXECUTE AS USER = 'reader';
GO
CREATE SCHEMA mine CREATE TABLE t (a int);
GO
--> Msg 262, Level 14, State 1, Line 1: CREATE TABLE permission denied in database 'elements'.
SELECT schema_id('mine') AS id;
REVERT;
GRANT CREATE TABLE TO reader;
EXECUTE AS USER = 'reader';
GO
--> [id:int]
--> NULL
--> (1 rows affected)
CREATE SCHEMA mine CREATE TABLE t (a int);
GO
SELECT schema_name() AS own, count(*) AS n FROM mine.t;
REVERT;
GO
--> [own:nvarchar(128) | n:int]
--> dbo | 0
--> (1 rows affected)
USE master;
DROP DATABASE elements;
GO
