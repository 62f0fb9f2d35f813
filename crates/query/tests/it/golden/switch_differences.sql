-- What tables may not differ in where rows go from one to the other.
-- differs snapshot: a trigger switches rows in a transaction that reads by a snapshot (3964)
CREATE TABLE dbo.a (id int NOT NULL, v int SPARSE NULL);
CREATE TABLE dbo.b (id int NOT NULL, v int NULL);
GO
ALTER TABLE dbo.a SWITCH TO dbo.b;
GO
--> Msg 11412, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed because column 'v' does not have the same sparse storage attribute in tables 'a' and 'b'.
ALTER TABLE dbo.b SWITCH TO dbo.a;
GO
--> Msg 11412, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed because column 'v' does not have the same sparse storage attribute in tables 'b' and 'a'.
CREATE TABLE dbo.g (id int NOT NULL, u uniqueidentifier ROWGUIDCOL NULL);
CREATE TABLE dbo.h (id int NOT NULL, u uniqueidentifier NULL);
GO
ALTER TABLE dbo.g SWITCH TO dbo.h;
GO
--> Msg 4958, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed because column 'u' does not have the same ROWGUIDCOL property in tables 'g' and 'h'.
ALTER TABLE dbo.h ALTER COLUMN u ADD ROWGUIDCOL;
ALTER TABLE dbo.g SWITCH TO dbo.h;
GO
-- An alias type is what it is made of.
CREATE TYPE dbo.code FROM varchar(10) NOT NULL;
GO
CREATE TABLE dbo.c (k dbo.code);
CREATE TABLE dbo.d (k varchar(10) NOT NULL);
INSERT dbo.c VALUES ('one');
ALTER TABLE dbo.c SWITCH TO dbo.d;
SELECT k FROM dbo.d;
GO
--> (1 rows affected)
--> [k:varchar(10)]
--> one
--> (1 rows affected)
-- A foreign key that does something else.
CREATE TABLE dbo.up (id int NOT NULL PRIMARY KEY);
CREATE TABLE dbo.f1 (id int NULL CONSTRAINT fk_f1 REFERENCES dbo.up ON DELETE CASCADE);
CREATE TABLE dbo.f2 (id int NULL CONSTRAINT fk_f2 REFERENCES dbo.up);
CREATE TABLE dbo.f3 (id int NULL CONSTRAINT fk_f3 REFERENCES dbo.up ON UPDATE SET NULL);
CREATE TABLE dbo.f4 (id int NULL CONSTRAINT fk_f4 REFERENCES dbo.up ON DELETE CASCADE);
GO
ALTER TABLE dbo.f1 SWITCH TO dbo.f2;
GO
--> Msg 4968, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. Target table 'f2' has foreign key for constraint 'fk_f2' but source table 'f1' does not have corresponding key.
ALTER TABLE dbo.f2 SWITCH TO dbo.f3;
GO
--> Msg 4968, Level 16, State 1, Line 1: ALTER TABLE SWITCH statement failed. Target table 'f3' has foreign key for constraint 'fk_f3' but source table 'f2' does not have corresponding key.
ALTER TABLE dbo.f1 SWITCH TO dbo.f4;
GO
-- Rows that a trigger runs for stay where they are.
CREATE TABLE dbo.fires (id int NOT NULL);
CREATE TABLE dbo.other (id int NOT NULL);
CREATE TABLE dbo.third (id int NOT NULL);
GO
CREATE TRIGGER dbo.tr ON dbo.fires AFTER INSERT AS ALTER TABLE dbo.fires SWITCH TO dbo.other;
GO
INSERT dbo.fires VALUES (1);
GO
--> Msg 1713, Level 16, State 1, Line 1: Cannot execute ALTER TABLE SWITCH on/using table 'fires' since the table is the target table or part of cascading actions of a currently executing trigger.
SELECT (SELECT COUNT(*) FROM dbo.fires) AS fires, (SELECT COUNT(*) FROM dbo.other) AS other;
GO
--> [fires:int | other:int]
--> 0 | 0
--> (1 rows affected)
ALTER TRIGGER dbo.tr ON dbo.fires AFTER INSERT AS ALTER TABLE dbo.other SWITCH TO dbo.fires;
GO
INSERT dbo.fires VALUES (1);
GO
--> Msg 1713, Level 16, State 1, Line 1: Cannot execute ALTER TABLE SWITCH on/using table 'fires' since the table is the target table or part of cascading actions of a currently executing trigger.
-- In a procedure that the trigger calls, and in a trigger that it fires.
CREATE PROCEDURE dbo.away AS ALTER TABLE dbo.fires SWITCH TO dbo.other;
GO
CREATE TRIGGER dbo.tr3 ON dbo.third AFTER INSERT AS EXEC dbo.away;
GO
ALTER TRIGGER dbo.tr ON dbo.fires AFTER INSERT AS INSERT dbo.third VALUES (1);
GO
INSERT dbo.fires VALUES (1);
GO
--> Msg 1713, Level 16, State 1, Line 2: Cannot execute ALTER TABLE SWITCH on/using table 'fires' since the table is the target table or part of cascading actions of a currently executing trigger.
INSERT dbo.third VALUES (5);
SELECT (SELECT COUNT(*) FROM dbo.third) AS third, (SELECT COUNT(*) FROM dbo.other) AS other;
GO
--> (1 rows affected)
--> [third:int | other:int]
--> 1 | 0
--> (1 rows affected)
