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
CREATE SCHEMA broken CREATE TABLE a (id int PRIMARY KEY CONSTRAINT to_b REFERENCES nowhere_at_all);
GO
--> Msg 1767, Level 16, State 0, Line 1: Foreign key 'to_b' references invalid table 'nowhere_at_all'.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
--> Msg 2759, Level 16, State 0, Line 1: CREATE SCHEMA failed due to previous errors.
SELECT schema_id('broken') AS id;
GO
--> [id:int]
--> NULL
--> (1 rows affected)
-- Keys of tables that reference each other; a table of another schema has the name of one.
CREATE TABLE dbo.one (id int NOT NULL PRIMARY KEY);
GO
CREATE SCHEMA circle
    CREATE TABLE one (id int NOT NULL PRIMARY KEY, two int CONSTRAINT one_two REFERENCES two (id) ON DELETE CASCADE,
        CONSTRAINT one_three FOREIGN KEY (id) REFERENCES circle.three (id))
    CREATE TABLE two (id int NOT NULL PRIMARY KEY CONSTRAINT two_outer REFERENCES dbo.one, one int CONSTRAINT two_one REFERENCES ONE)
    CREATE TABLE three (id int NOT NULL PRIMARY KEY CONSTRAINT three_self REFERENCES three);
SELECT name, concat(schema_name(objectproperty(referenced_object_id, 'SchemaId')), '.', object_name(referenced_object_id)) AS parent,
    delete_referential_action_desc
FROM sys.foreign_keys WHERE schema_id = schema_id('circle') ORDER BY name;
INSERT circle.one (id, two) VALUES (1, 1);
GO
--> [name:nvarchar(128) | parent:nvarchar(257) | delete_referential_action_desc:nvarchar(60)]
--> one_three | circle.three | NO_ACTION
--> one_two | circle.two | CASCADE
--> three_self | circle.three | NO_ACTION
--> two_one | circle.one | NO_ACTION
--> two_outer | dbo.one | NO_ACTION
--> (5 rows affected)
--> Msg 547, Level 16, State 0, Line 9: The INSERT statement conflicted with the FOREIGN KEY constraint "one_two". The conflict occurred in database "elements", table "circle.two", column 'id'.
--> # The statement has been terminated.
-- A trigger of the elements does not cut the statement into pieces.
CREATE TRIGGER watches ON DATABASE FOR CREATE_TABLE AS PRINT 'a table';
GO
CREATE SCHEMA half CREATE TABLE t1 (a int PRIMARY KEY) CREATE TABLE t2 (a int REFERENCES t1) CREATE VIEW v AS SELECT nothing FROM t1;
GO
--> # a table
--> # a table
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
--> Msg 2759, Level 16, State 0, Line 1: CREATE SCHEMA failed due to previous errors.
SELECT schema_id('half') AS id, object_id('half.t1') AS t1, @@trancount AS n;
GO
--> [id:int | t1:int | n:int]
--> NULL | NULL | 0
--> (1 rows affected)
CREATE SCHEMA half CREATE TABLE t1 (a int PRIMARY KEY) CREATE VIEW v AS SELECT a FROM t1;
SELECT count(*) AS n, @@trancount AS c FROM half.v;
GO
--> # a table
--> [n:int | c:int]
--> 0 | 0
--> (1 rows affected)
ALTER TRIGGER watches ON DATABASE FOR CREATE_TABLE AS
    IF eventdata().value('(/EVENT_INSTANCE/ObjectName)[1]', 'sysname') = 'second' ROLLBACK;
GO
CREATE SCHEMA refused CREATE TABLE first (a int) CREATE TABLE second (a int) CREATE TABLE third (a int);
GO
--> Msg 3609, Level 16, State 1, Line 1: The transaction ended in the trigger. The batch has been aborted.
--> Msg 2759, Level 16, State 0, Line 1: CREATE SCHEMA failed due to previous errors.
SELECT schema_id('refused') AS id, object_id('refused.first') AS first, @@trancount AS n;
DROP TRIGGER watches ON DATABASE;
GO
--> [id:int | first:int | n:int]
--> NULL | NULL | 0
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
