-- What is said of a table by its name is said of one in another database too.
-- differs restarts: numbers of an identity that were kept in advance are lost when the server does not end in order
CREATE DATABASE elsewhere;
GO
USE elsewhere;
GO
CREATE SCHEMA s;
GO
CREATE TABLE s.t (other varchar(7) NULL, id int IDENTITY (100, 5) PRIMARY KEY);
INSERT s.t VALUES ('a'), ('b');
GO
--> (2 rows affected)
USE master;
GO
-- One here with other columns, which may have the same number.
CREATE TABLE dbo.here (id int IDENTITY (7, 7));
SELECT IDENT_SEED('elsewhere.s.t') AS seed, IDENT_INCR('elsewhere.s.t') AS increment, IDENT_CURRENT('elsewhere.s.t') AS now;
SELECT IDENT_SEED('dbo.here') AS seed, IDENT_CURRENT('dbo.here') AS now, IDENT_CURRENT('elsewhere..here') AS none;
SELECT IDENT_CURRENT('nowhere.s.t') AS none, IDENT_CURRENT('elsewhere.s.none') AS none;
SELECT COL_LENGTH('elsewhere.s.t', 'other') AS length, COL_LENGTH('elsewhere.s.t', 'none') AS none;
SELECT INDEX_COL('elsewhere.s.t', 1, 1) AS col, INDEX_COL('elsewhere.s.t', 1, 2) AS none;
GO
--> [seed:numeric(38,0) | increment:numeric(38,0) | now:numeric(38,0)]
--> 100 | 5 | 105
--> (1 rows affected)
--> [seed:numeric(38,0) | now:numeric(38,0) | none:numeric(38,0)]
--> 7 | 7 | NULL
--> (1 rows affected)
--> [none:numeric(38,0) | none:numeric(38,0)]
--> NULL | NULL
--> (1 rows affected)
--> [length:smallint | none:smallint]
--> 7 | NULL
--> (1 rows affected)
--> [col:nvarchar(128) | none:nvarchar(128)]
--> id | NULL
--> (1 rows affected)
-- Not to a login that may not be there.
CREATE LOGIN outside WITH PASSWORD = 'Sch0n.lang.genug';
EXECUTE AS LOGIN = 'outside';
SELECT IDENT_CURRENT('elsewhere.s.t') AS now, OBJECT_ID('elsewhere.s.t') AS id, COL_LENGTH('elsewhere.s.t', 'other') AS length;
REVERT;
DROP LOGIN outside;
DROP DATABASE elsewhere;
GO
--> [now:numeric(38,0) | id:int | length:smallint]
--> NULL | NULL | NULL
--> (1 rows affected)
