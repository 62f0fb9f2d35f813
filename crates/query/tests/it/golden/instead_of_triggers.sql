-- INSTEAD OF triggers: what they see, what is stored, what is refused.
CREATE DATABASE taking;
GO
USE taking;
SET NOCOUNT ON;
GO
CREATE TABLE item (id int IDENTITY PRIMARY KEY, v int NOT NULL DEFAULT 99 CHECK (v < 1000), c AS v * 2, note varchar(10) NOT NULL DEFAULT '-');
CREATE TABLE seen (n int IDENTITY PRIMARY KEY, what varchar(20), id int, v int, c int, rows int);
GO
-- Defaults and computed columns are those of the row that would be; an identity column is 0, and no number is drawn.
CREATE TRIGGER item_ins ON item INSTEAD OF INSERT AS
BEGIN
    DECLARE @rows int = @@ROWCOUNT;
    INSERT seen (what, id, v, c, rows) SELECT 'inserted', id, v, c, @rows FROM inserted;
    INSERT seen (what) SELECT 'deleted' FROM deleted;
END
GO
INSERT item (v) VALUES (1), (2);
INSERT item DEFAULT VALUES;
SELECT @@ROWCOUNT AS affected, SCOPE_IDENTITY() AS drawn, @@TRANCOUNT AS open_transactions;
SELECT COUNT(*) AS stored FROM item;
SELECT what, id, v, c, rows FROM seen ORDER BY n;
GO
--> [affected:int | drawn:numeric(38,0) | open_transactions:int]
--> 1 | NULL | 0
--> [stored:int]
--> 0
--> [what:varchar(20) | id:int | v:int | c:int | rows:int]
--> inserted | 0 | 1 | 2 | 2
--> inserted | 0 | 2 | 4 | 2
--> inserted | 0 | 99 | 198 | 1
-- What the table would refuse is refused only when a row is stored: NULL, a CHECK. Conversions are made before.
DELETE seen;
INSERT item (v, note) VALUES (NULL, NULL), (5000, 'x');
SELECT what, v FROM seen ORDER BY n;
INSERT item (v) VALUES ('no number');
GO
--> [what:varchar(20) | v:int]
--> inserted | NULL
--> inserted | 5000
--> Msg 245, Level 16, State 1, Line 5: Conversion failed when converting the varchar value 'no number' to data type int.
INSERT item (id, v) VALUES (1, 1);
GO
--> Msg 544, Level 16, State 1, Line 1: Cannot insert explicit value for identity column in table 'item' when IDENTITY_INSERT is set to OFF.
--> # The statement has been terminated.
INSERT item (c) VALUES (1);
GO
--> Msg 271, Level 16, State 1, Line 1: The column "c" cannot be modified because it is either a computed column or is the result of a UNION operator.
-- The trigger's own statement stores, fires AFTER triggers, and does not fire the trigger again, whatever it calls.
CREATE TRIGGER item_after ON item AFTER INSERT AS INSERT seen (what, id, v) SELECT 'after', id, v FROM inserted;
GO
CREATE PROCEDURE put @v int AS INSERT item (v) VALUES (@v);
GO
ALTER TRIGGER item_ins ON item INSTEAD OF INSERT AS
BEGIN
    INSERT seen (what, id, v) SELECT 'taken', id, v FROM inserted;
    INSERT item (v) SELECT v + 100 FROM inserted;
    EXEC put 7;
END
GO
DELETE seen;
EXEC put 1;
EXEC put 2;
SELECT what, id, v FROM seen ORDER BY n;
SELECT id, v, c FROM item ORDER BY id;
SELECT SCOPE_IDENTITY() AS of_this_scope;
GO
--> [what:varchar(20) | id:int | v:int]
--> taken | 0 | 1
--> after | 1 | 101
--> after | 2 | 7
--> taken | 0 | 2
--> after | 3 | 102
--> after | 4 | 7
--> [id:int | v:int | c:int]
--> 1 | 101 | 202
--> 2 | 7 | 14
--> 3 | 102 | 204
--> 4 | 7 | 14
--> [of_this_scope:numeric(38,0)]
--> NULL
-- UPDATE and DELETE: rows before and after, nothing is changed, also where no row is meant.
CREATE TRIGGER item_upd ON item INSTEAD OF UPDATE, DELETE AS
BEGIN
    INSERT seen (what, id, v, c) SELECT 'old', id, v, c FROM deleted ORDER BY id;
    INSERT seen (what, id, v, c) SELECT 'new', id, v, c FROM inserted ORDER BY id;
    IF UPDATE(v) INSERT seen (what) VALUES ('v is set');
    INSERT seen (what, v) VALUES ('level', TRIGGER_NESTLEVEL(@@PROCID, 'IOT', 'DML'));
END
GO
DELETE seen;
UPDATE item SET v += 1000 WHERE id < 3;
DELETE TOP (1) item WHERE id = 4;
UPDATE item SET note = 'n' WHERE id = 99;
UPDATE i SET v = s.v FROM item AS i JOIN (VALUES (1, 5), (1, 5)) AS s (id, v) ON s.id = i.id;
SELECT what, id, v, c FROM seen ORDER BY n;
SELECT id, v FROM item ORDER BY id;
GO
--> [what:varchar(20) | id:int | v:int | c:int]
--> old | 1 | 101 | 202
--> old | 2 | 7 | 14
--> new | 1 | 1101 | 2202
--> new | 2 | 1007 | 2014
--> v is set | NULL | NULL | NULL
--> level | NULL | 1 | NULL
--> old | 4 | 7 | 14
--> level | NULL | 1 | NULL
--> level | NULL | 1 | NULL
--> old | 1 | 101 | 202
--> new | 1 | 5 | 10
--> v is set | NULL | NULL | NULL
--> level | NULL | 1 | NULL
--> [id:int | v:int]
--> 1 | 101
--> 2 | 7
--> 3 | 102
--> 4 | 7
-- OUTPUT INTO shows the rows as if they were changed; OUTPUT to the client is refused, variables are set.
DECLARE @out TABLE (old int, new int);
DECLARE @last int;
UPDATE item SET @last = v = 8 OUTPUT deleted.v, inserted.v INTO @out WHERE id = 1;
SELECT old, new, @last AS last FROM @out;
GO
--> [old:int | new:int | last:int]
--> 101 | 8 | 8
DELETE item OUTPUT deleted.id WHERE id = 1;
GO
--> Msg 334, Level 16, State 1, Line 1: The target table 'item' of the DML statement cannot have any enabled triggers if the statement contains an OUTPUT clause without INTO clause.
-- An error in it takes back what it did; a ROLLBACK ends the batch.
ALTER TRIGGER item_upd ON item INSTEAD OF UPDATE AS
BEGIN
    INSERT seen (what) VALUES ('lost');
    IF (SELECT MAX(v) FROM inserted) = 1 THROW 50001, 'bail', 1;
    ROLLBACK;
END
GO
DELETE seen;
UPDATE item SET v = 1;
GO
--> Msg 50001, Level 16, State 1, Line 5: bail
UPDATE item SET v = 2;
PRINT 'not reached';
GO
--> Msg 3609, Level 16, State 1, Line 1: The transaction ended in the trigger. The batch has been aborted.
SELECT COUNT(*) AS lost FROM seen;
GO
--> [lost:int]
--> 0
-- One for an event (2111); switched off it takes nothing.
CREATE TRIGGER second ON item INSTEAD OF DELETE, INSERT AS RETURN;
GO
--> Msg 2111, Level 16, State 1, Line 2: Cannot create trigger 'second' on table 'item' because an INSTEAD OF INSERT trigger already exists on this object.
DISABLE TRIGGER item_ins, item_after, item_upd ON item;
INSERT item (v) VALUES (55);
SELECT v FROM item WHERE v = 55;
SELECT name, is_disabled, is_instead_of_trigger FROM sys.triggers ORDER BY name;
ENABLE TRIGGER ALL ON item;
DROP TRIGGER item_after, item_upd;
GO
--> [v:int]
--> 55
--> [name:nvarchar(128) | is_disabled:bit | is_instead_of_trigger:bit]
--> item_after | 1 | 0
--> item_ins | 1 | 1
--> item_upd | 1 | 1
-- MERGE: all of its actions are taken or none (5316).
MERGE item AS t USING (VALUES (1, 5)) AS s (id, v) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (v) VALUES (s.v);
GO
--> Msg 5316, Level 16, State 1, Line 2: The target 't' of the MERGE statement has an INSTEAD OF trigger on some, but not all, of the actions specified in the MERGE statement. In a MERGE statement, if any action has an enabled INSTEAD OF trigger on the target, then all actions must have enabled INSTEAD OF triggers.
ALTER TRIGGER item_ins ON item INSTEAD OF INSERT, UPDATE AS
BEGIN
    INSERT seen (what, id, v) SELECT 'old', id, v FROM deleted;
    INSERT seen (what, id, v) SELECT 'new', id, v FROM inserted;
END
GO
DELETE seen;
MERGE item AS t USING (VALUES (1, 5), (70, 6)) AS s (id, v) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET v = s.v
WHEN NOT MATCHED THEN INSERT (v) VALUES (s.v);
SELECT @@ROWCOUNT AS affected;
SELECT what, id, v FROM seen ORDER BY n;
GO
--> [affected:int]
--> 2
--> [what:varchar(20) | id:int | v:int]
--> old | 1 | 101
--> new | 1 | 5
--> new | 0 | 6
DROP TRIGGER item_ins;
GO
-- Not with cascades of the table's own keys (2113, 1787).
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, p int CONSTRAINT child_parent REFERENCES parent ON DELETE CASCADE);
GO
CREATE TRIGGER child_del ON child INSTEAD OF DELETE AS RETURN;
GO
--> Msg 2113, Level 16, State 1, Line 1: Cannot create INSTEAD OF DELETE or INSTEAD OF UPDATE TRIGGER 'child_del' on table 'child'. This is because the table has a FOREIGN KEY with cascading DELETE or UPDATE.
CREATE TRIGGER child_upd ON child INSTEAD OF UPDATE AS RETURN;
GO
ALTER TABLE child ADD q int CONSTRAINT child_again REFERENCES parent ON UPDATE CASCADE;
GO
--> Msg 1787, Level 16, State 0, Line 1: Cannot define foreign key constraint 'child_again' with cascaded DELETE or UPDATE on table 'child' because the table has an INSTEAD OF DELETE or UPDATE TRIGGER defined on it.
DROP TABLE child, parent;
SELECT COUNT(*) AS gone FROM sys.triggers WHERE name = 'child_upd';
GO
--> [gone:int]
--> 0
-- Views: what could not be changed otherwise.
CREATE TABLE a (id int PRIMARY KEY, n varchar(10));
CREATE TABLE b (id int IDENTITY PRIMARY KEY, aid int NOT NULL, q int);
INSERT a VALUES (1, 'one'), (2, 'two');
INSERT b VALUES (1, 5), (1, 6), (2, 7);
GO
CREATE VIEW ab AS SELECT b.id, a.n, b.q, b.q * 10 AS ten FROM a JOIN b ON b.aid = a.id;
GO
CREATE VIEW sums AS SELECT aid, SUM(q) AS s, COUNT(*) AS c FROM b GROUP BY aid;
GO
CREATE TRIGGER ab_all ON ab INSTEAD OF INSERT, UPDATE, DELETE AS
BEGIN
    SET NOCOUNT ON;
    INSERT b (aid, q) SELECT a.id, i.q FROM inserted AS i JOIN a ON a.n = i.n WHERE NOT EXISTS (SELECT * FROM deleted);
    UPDATE b SET q = i.q FROM b JOIN inserted AS i ON i.id = b.id WHERE EXISTS (SELECT * FROM deleted);
    DELETE b FROM b JOIN deleted AS d ON d.id = b.id WHERE NOT EXISTS (SELECT * FROM inserted);
    SELECT i.id, i.n, i.q, i.ten, d.q AS old FROM inserted AS i FULL JOIN deleted AS d ON d.id = i.id ORDER BY d.id;
END
GO
INSERT ab (id, n, q) VALUES (0, 'two', 9);
UPDATE ab SET q = 50, n = 'none' WHERE ten = 50;
UPDATE x SET q = x.q + 1 FROM ab AS x WHERE x.q = 6;
DELETE ab WHERE q = 7;
SELECT * FROM b ORDER BY id;
GO
--> [id:int | n:varchar(10) | q:int | ten:int | old:int]
--> 0 | two | 9 | NULL | NULL
--> [id:int | n:varchar(10) | q:int | ten:int | old:int]
--> 1 | none | 50 | 50 | 5
--> [id:int | n:varchar(10) | q:int | ten:int | old:int]
--> 2 | one | 7 | 60 | 6
--> [id:int | n:varchar(10) | q:int | ten:int | old:int]
--> NULL | NULL | NULL | NULL | 7
--> NULL | NULL | NULL | NULL | 7
--> [id:int | aid:int | q:int]
--> 1 | 1 | 50
--> 4 | 2 | 9
-- A column that the tables below do not let be NULL must be given, also where it is a number that they draw.
INSERT ab (n, q) VALUES ('two', 9);
GO
--> Msg 233, Level 16, State 1, Line 2: The column 'id' in table 'ab' cannot be null.
--> # The statement has been terminated.
INSERT ab (id, nothing) VALUES (1, 9);
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
INSERT ab VALUES (1, 'two', 9);
GO
--> Msg 213, Level 16, State 1, Line 1: Column name or number of supplied values does not match table definition.
UPDATE ab SET nothing = 1;
GO
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
-- Of groups, with a row for each.
CREATE TRIGGER sums_upd ON sums INSTEAD OF UPDATE, DELETE AS
SELECT d.aid, d.s AS old, i.s AS new, i.c, @@ROWCOUNT AS rows FROM deleted AS d LEFT JOIN inserted AS i ON i.aid = d.aid ORDER BY d.aid;
GO
UPDATE sums SET s += 100 WHERE aid = 1;
UPDATE sums SET s = 0 WHERE aid = 99;
DELETE sums;
DECLARE @x int = 7;
UPDATE sums SET @x = s = @x + 1 WHERE aid = 1;
SELECT @x AS x;
GO
--> [aid:int | old:int | new:int | c:int | rows:int]
--> 1 | 50 | 150 | 1 | 1
--> [aid:int | old:int | new:int | c:int | rows:int]
--> [aid:int | old:int | new:int | c:int | rows:int]
--> 1 | 50 | NULL | NULL | 2
--> 2 | 9 | NULL | NULL | 2
--> [aid:int | old:int | new:int | c:int | rows:int]
--> 1 | 50 | 8 | 1 | 1
--> [x:int]
--> 8
-- Joins with a view that is changed are refused, whatever writes them.
UPDATE x SET q = 1 FROM dbo.ab AS x JOIN a ON a.n = x.n;
GO
--> Msg 414, Level 16, State 1, Line 2: UPDATE is not allowed because the statement updates view "dbo.ab" which participates in a join and has an INSTEAD OF UPDATE trigger.
UPDATE ab SET q = 1 FROM a WHERE a.n = ab.n;
GO
--> Msg 414, Level 16, State 1, Line 1: UPDATE is not allowed because the statement updates view "ab" which participates in a join and has an INSTEAD OF UPDATE trigger.
DELETE x FROM ab AS x JOIN a ON a.n = x.n;
GO
--> Msg 415, Level 16, State 1, Line 1: DELETE is not allowed because the statement updates view "ab" which participates in a join and has an INSTEAD OF DELETE trigger.
DECLARE @gone TABLE (id int, n varchar(10));
DELETE TOP (1) ab OUTPUT deleted.id, deleted.n INTO @gone WHERE id = 1;
SELECT * FROM @gone;
DELETE ab OUTPUT deleted.id;
GO
--> Msg 334, Level 16, State 1, Line 4: The target table 'ab' of the DML statement cannot have any enabled triggers if the statement contains an OUTPUT clause without INTO clause.
CREATE TRIGGER ab_two ON ab INSTEAD OF DELETE AS RETURN;
GO
--> Msg 2111, Level 16, State 1, Line 1: Cannot create trigger 'ab_two' on view 'ab' because an INSTEAD OF DELETE trigger already exists on this object.
CREATE TRIGGER ab_after ON ab AFTER DELETE AS RETURN;
GO
--> Msg 8197, Level 16, State 4, Line 1: The object 'ab' does not exist or is invalid for this operation.
CREATE VIEW checked AS SELECT id, n FROM a WHERE id < 10 WITH CHECK OPTION;
GO
CREATE TRIGGER checked_ins ON checked INSTEAD OF INSERT AS RETURN;
GO
--> Msg 2112, Level 16, State 1, Line 1: Cannot create trigger 'checked_ins' on view 'checked' because the view is defined with CHECK OPTION.
MERGE ab AS t USING (VALUES (1)) AS s (id) ON t.id = s.id WHEN MATCHED THEN DELETE;
GO
--> Msg 40517, Level 16, State 1, Line 1: MERGE into a view with INSTEAD OF triggers is not supported in this version of Millpond.
-- A body that names what the view has not is refused; the view goes with its triggers.
CREATE TRIGGER ab_bad ON sums INSTEAD OF INSERT AS SELECT nothing FROM inserted;
GO
--> Msg 207, Level 16, State 1, Line 2: Invalid column name 'nothing'.
DROP VIEW ab;
SELECT name, OBJECT_NAME(parent_id) AS parent FROM sys.triggers;
GO
--> [name:nvarchar(128) | parent:nvarchar(128)]
--> sums_upd | sums
-- A trigger on a view may change what the view shows: its own statement goes to the table below.
CREATE VIEW plain AS SELECT id, n FROM a;
GO
CREATE TRIGGER plain_ins ON plain INSTEAD OF INSERT AS INSERT plain (id, n) SELECT id + 10, n + '!' FROM inserted;
GO
INSERT plain VALUES (1, 'own');
SELECT * FROM a ORDER BY id;
GO
--> [id:int | n:varchar(10)]
--> 1 | one
--> 2 | two
--> 11 | own!
-- What fires first and last is said by a procedure; ALTER TRIGGER forgets it.
CREATE TABLE ordered (v int);
GO
CREATE TRIGGER t1 ON ordered AFTER INSERT, UPDATE AS PRINT 't1';
GO
CREATE TRIGGER t2 ON ordered AFTER INSERT AS PRINT 't2';
GO
CREATE TRIGGER t3 ON ordered AFTER INSERT AS PRINT 't3';
GO
EXEC sp_settriggerorder 't3', 'First', 'INSERT';
EXEC sp_settriggerorder @triggername = 'dbo.t1', @order = 'last', @stmttype = 'insert';
INSERT ordered VALUES (1);
GO
--> # t3
--> # t2
--> # t1
EXEC sp_settriggerorder 't2', 'First', 'INSERT';
GO
--> Msg 15130, Level 16, State 1, Line 1: There already exists a 'First' trigger for 'INSERT'.
EXEC sp_settriggerorder 't3', 'First', 'UPDATE';
GO
--> Msg 15125, Level 16, State 1, Line 1: Trigger 't3' is not a trigger for 'update'.
EXEC sp_settriggerorder 'plain_ins', 'First', 'INSERT';
GO
--> Msg 15133, Level 16, State 1, Line 1: INSTEAD OF trigger 'plain_ins' cannot be associated with an order.
EXEC sp_settriggerorder 'nothing', 'First', 'INSERT';
GO
--> Msg 15165, Level 16, State 1, Line 1: Could not find object 'nothing' or you do not have permission.
EXEC sp_settriggerorder 't3', 'Second', 'INSERT';
GO
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sp_settriggerorder'.
EXEC sp_settriggerorder 't3', 'First', 'SELECT';
GO
--> Msg 15600, Level 15, State 1, Line 1: An invalid parameter or option was specified for procedure 'sp_settriggerorder'.
EXEC sp_settriggerorder 't3', 'None', 'INSERT';
EXEC sp_settriggerorder 't2', 'First', 'INSERT';
GO
ALTER TRIGGER t1 ON ordered AFTER INSERT AS PRINT 't1 again';
GO
INSERT ordered VALUES (1);
GO
--> # t2
--> # t1 again
--> # t3
SELECT TRIGGER_NESTLEVEL(0, 'AFTER', 'DML') AS outside, TRIGGER_NESTLEVEL(NULL) AS unknown;
GO
--> [outside:int | unknown:int]
--> 0 | NULL
USE master;
DROP DATABASE taking;
GO
