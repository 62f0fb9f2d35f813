-- Tables of one name in different schemas are told apart in FROM.
CREATE DATABASE exposed;
GO
USE exposed;
SET NOCOUNT ON;
GO
CREATE SCHEMA s;
GO
CREATE TABLE dbo.t (a int, b int);
CREATE TABLE s.t (a int, c int);
INSERT dbo.t VALUES (1, 2);
INSERT s.t VALUES (3, 4);
GO
CREATE VIEW s.v AS SELECT a FROM s.t;
GO
CREATE VIEW dbo.v AS SELECT a + 10 AS a FROM dbo.t;
GO
SELECT dbo.t.a AS a1, s.t.a AS a2, b, c FROM dbo.t, s.t;
SELECT dbo.t.*, s.t.c FROM dbo.t JOIN s.t ON dbo.t.a < s.t.a;
SELECT s.t.* FROM dbo.t CROSS JOIN s.t;
SELECT dbo.v.a AS a1, s.v.a AS a2 FROM dbo.v, s.v;
GO
--> [a1:int | a2:int | b:int | c:int]
--> 1 | 3 | 2 | 4
--> [a:int | b:int | c:int]
--> 1 | 2 | 4
--> [a:int | c:int]
--> 3 | 4
--> [a1:int | a2:int]
--> 11 | 3
SELECT t.a FROM dbo.t, s.t;
GO
--> Msg 209, Level 16, State 1, Line 1: Ambiguous column name 'a'.
SELECT * FROM dbo.t, t;
GO
--> Msg 1013, Level 16, State 1, Line 1: The objects "t" and "t" in the FROM clause have the same exposed names. Use correlation names to distinguish them.
SELECT * FROM dbo.t, dbo.t;
GO
--> Msg 1013, Level 16, State 1, Line 1: The objects "t" and "t" in the FROM clause have the same exposed names. Use correlation names to distinguish them.
SELECT * FROM dbo.t AS x, s.t AS x;
GO
--> Msg 1011, Level 16, State 1, Line 1: The correlation name 'x' is specified multiple times in a FROM clause.
SELECT * FROM dbo.t AS t, s.t;
GO
--> Msg 1013, Level 16, State 1, Line 1: The objects "t" and "t" in the FROM clause have the same exposed names. Use correlation names to distinguish them.
SELECT * FROM dbo.t, s.t AS t;
GO
--> Msg 1013, Level 16, State 1, Line 1: The objects "t" and "t" in the FROM clause have the same exposed names. Use correlation names to distinguish them.
SELECT s.t.a FROM dbo.t;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'a'.
UPDATE dbo.t SET b = s.t.c FROM dbo.t, s.t WHERE dbo.t.a < s.t.a;
SELECT dbo.t.b FROM dbo.t;
DELETE s.t FROM s.t, dbo.t WHERE s.t.a > dbo.t.a;
SELECT COUNT(*) AS n FROM s.t;
SELECT COUNT(*) AS n FROM dbo.t;
GO
--> [b:int]
--> 4
--> [n:int]
--> 0
--> [n:int]
--> 1
USE master;
DROP DATABASE exposed;
GO
