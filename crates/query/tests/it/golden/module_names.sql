-- Names without a schema: the module's own schema first, then dbo; dynamic text has the caller's default one.
CREATE DATABASE named;
GO
USE named;
SET NOCOUNT ON;
GO
CREATE SCHEMA s;
GO
CREATE TABLE dbo.t (a varchar(10));
CREATE TABLE s.t (a varchar(10));
CREATE TABLE dbo.only_dbo (a varchar(10));
CREATE TABLE s.only_s (a varchar(10));
INSERT dbo.t VALUES ('dbo'); INSERT s.t VALUES ('s'); INSERT dbo.only_dbo VALUES ('dbo'); INSERT s.only_s VALUES ('s');
CREATE SEQUENCE dbo.q START WITH 1;
CREATE SEQUENCE s.q START WITH 100;
CREATE SYNONYM s.syn FOR dbo.only_dbo;
CREATE SYNONYM dbo.syn FOR s.only_s;
CREATE TYPE s.word FROM varchar(5);
GO
CREATE PROCEDURE dbo.inner_p AS SELECT 'dbo.inner_p' AS p;
GO
CREATE PROCEDURE s.inner_p AS SELECT 's.inner_p' AS p;
GO
CREATE FUNCTION dbo.f () RETURNS varchar(10) AS BEGIN RETURN (SELECT MAX(a) FROM t) END;
GO
CREATE FUNCTION s.f () RETURNS varchar(10) AS BEGIN RETURN (SELECT MAX(a) FROM t) END;
GO
CREATE FUNCTION s.inl () RETURNS TABLE AS RETURN SELECT a FROM t UNION ALL SELECT a FROM only_dbo;
GO
CREATE FUNCTION s.tvf () RETURNS @r TABLE (w word, a varchar(10)) AS BEGIN INSERT @r SELECT a, a FROM t; RETURN END;
GO
CREATE VIEW s.v AS SELECT a, 'view' AS k FROM t UNION ALL SELECT a, 'dbo' FROM only_dbo;
GO
CREATE VIEW s.changed AS SELECT a FROM t;
GO
CREATE PROCEDURE s.p AS
    SELECT a FROM t;
    SELECT a FROM only_s;
    SELECT a FROM only_dbo;
    SELECT a FROM syn;
    SELECT NEXT VALUE FOR q AS q;
    EXEC inner_p;
    DECLARE @w word = 'abcdefgh';
    SELECT @w AS w;
    SELECT a AS tvf FROM tvf();
    INSERT t VALUES ('new');
    UPDATE t SET a = 'upd' WHERE a = 'new';
    DELETE t WHERE a = 'upd';
    EXEC ('SELECT a AS dynamic FROM t');
    EXEC sp_executesql N'SELECT a AS dynamic FROM t';
GO
EXEC s.p;
SELECT a FROM t;
SELECT a FROM syn;
EXEC inner_p;
GO
--> [a:varchar(10)]
--> s
--> [a:varchar(10)]
--> s
--> [a:varchar(10)]
--> dbo
--> [a:varchar(10)]
--> dbo
--> [q:bigint]
--> 100
--> [p:varchar(9)]
--> s.inner_p
--> [w:varchar(5)]
--> abcde
--> [tvf:varchar(10)]
--> s
--> [dynamic:varchar(10)]
--> dbo
--> [dynamic:varchar(10)]
--> dbo
--> [a:varchar(10)]
--> dbo
--> [a:varchar(10)]
--> s
--> [p:varchar(11)]
--> dbo.inner_p
-- Twice: the plans that were kept.
EXEC s.p;
GO
--> [a:varchar(10)]
--> s
--> [a:varchar(10)]
--> s
--> [a:varchar(10)]
--> dbo
--> [a:varchar(10)]
--> dbo
--> [q:bigint]
--> 101
--> [p:varchar(9)]
--> s.inner_p
--> [w:varchar(5)]
--> abcde
--> [tvf:varchar(10)]
--> s
--> [dynamic:varchar(10)]
--> dbo
--> [dynamic:varchar(10)]
--> dbo
SELECT dbo.f() AS f, s.f() AS f2;
SELECT * FROM s.inl();
SELECT * FROM s.tvf();
SELECT * FROM s.v;
UPDATE s.changed SET a = 'seen';
SELECT a FROM s.t; SELECT a FROM dbo.t;
UPDATE s.changed SET a = 's';
GO
--> [f:varchar(10) | f2:varchar(10)]
--> dbo | s
--> [a:varchar(10)]
--> s
--> dbo
--> [w:varchar(5) | a:varchar(10)]
--> s | s
--> [a:varchar(10) | k:varchar(4)]
--> s | view
--> dbo | dbo
--> [a:varchar(10)]
--> seen
--> [a:varchar(10)]
--> dbo
-- A table that comes into the schema later is the one that is meant.
CREATE PROCEDURE s.late AS SELECT a FROM only_dbo;
GO
EXEC s.late;
CREATE TABLE s.only_dbo (a varchar(10));
INSERT s.only_dbo VALUES ('later');
EXEC s.late;
SELECT * FROM s.v;
DROP TABLE s.only_dbo;
EXEC s.late;
GO
--> [a:varchar(10)]
--> dbo
--> [a:varchar(10)]
--> later
--> [a:varchar(10) | k:varchar(4)]
--> s | view
--> later | dbo
--> [a:varchar(10)]
--> dbo
-- What is checked when a module is made is the table of its schema.
CREATE TABLE s.wide (b int, c int);
CREATE TABLE dbo.wide (a int);
GO
CREATE PROCEDURE s.checked AS SELECT b FROM wide;
GO
CREATE PROCEDURE s.refused AS SELECT a FROM wide;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'a'.
CREATE PROCEDURE dbo.refused AS SELECT b FROM wide;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'b'.
-- A trigger is of its table's schema.
CREATE TABLE dbo.log (k varchar(20));
CREATE TABLE s.log (k varchar(20));
GO
CREATE TRIGGER s.tr ON s.t AFTER INSERT AS INSERT log SELECT a FROM inserted;
GO
INSERT s.t VALUES ('fired');
SELECT 's' AS w, k FROM s.log UNION ALL SELECT 'dbo', k FROM dbo.log;
GO
--> [w:varchar(3) | k:varchar(20)]
--> s | fired
-- A call from one schema's module does not change what the callee means.
CREATE PROCEDURE dbo.callee AS SELECT a FROM t;
GO
CREATE PROCEDURE s.caller AS EXEC dbo.callee; SELECT TOP 1 a FROM t; EXEC callee;
GO
EXEC s.caller;
GO
--> [a:varchar(10)]
--> dbo
--> [a:varchar(10)]
--> s
--> [a:varchar(10)]
--> dbo
-- Another database's view names what is there.
USE tempdb;
SELECT * FROM named.s.v;
SELECT named.s.f() AS f;
EXEC named.s.late;
GO
--> [a:varchar(10) | k:varchar(4)]
--> s | view
--> fired | view
--> dbo | dbo
--> [f:varchar(10)]
--> s
--> [a:varchar(10)]
--> dbo
SELECT a FROM named..t;
SELECT named..only_dbo.a FROM named..only_dbo;
GO
--> [a:varchar(10)]
--> dbo
--> [a:varchar(10)]
--> dbo
