-- AFTER triggers: what they see, what they may do, what their errors end.
CREATE DATABASE firing;
GO
USE firing;
SET NOCOUNT ON;
GO
CREATE TABLE item (id int NOT NULL PRIMARY KEY, name varchar(20), qty int NOT NULL DEFAULT 1, seq int IDENTITY(100, 1), twice AS qty * 2);
CREATE TABLE audit (n int IDENTITY PRIMARY KEY, what varchar(10), id int, old_qty int, new_qty int, twice int, rows int, level int);
GO
CREATE TRIGGER item_changes ON dbo.item AFTER INSERT, UPDATE, DELETE AS
BEGIN
    DECLARE @rows int = @@ROWCOUNT;
    INSERT audit (what, id, old_qty, new_qty, twice, rows, level)
    SELECT CASE WHEN d.id IS NULL THEN 'insert' WHEN i.id IS NULL THEN 'delete' ELSE 'update' END,
           COALESCE(i.id, d.id), d.qty, i.qty, i.twice, @rows, TRIGGER_NESTLEVEL()
    FROM inserted AS i FULL JOIN deleted AS d ON d.id = i.id
    ORDER BY 2;
    IF UPDATE(qty) AND NOT UPDATE(name) PRINT 'only qty';
    PRINT CONVERT(varchar(20), COLUMNS_UPDATED(), 1);
END
GO
INSERT item (id, name, qty) VALUES (1, 'one', 10), (2, 'two', 20);
UPDATE item SET qty += 1;
UPDATE item SET name = 'zwei' WHERE id = 2;
DELETE item WHERE id = 1;
DELETE item WHERE id = 99;
SELECT @@ROWCOUNT AS affected, @@TRANCOUNT AS open_transactions;
SELECT * FROM audit ORDER BY n;
GO
--> # 0x1F
--> # only qty
--> # 0x04
--> # 0x02
--> # 0x00
--> # 0x00
--> [affected:int | open_transactions:int]
--> 0 | 0
--> [n:int | what:varchar(10) | id:int | old_qty:int | new_qty:int | twice:int | rows:int | level:int]
--> 1 | insert | 1 | NULL | 10 | 20 | 2 | 1
--> 2 | insert | 2 | NULL | 20 | 40 | 2 | 1
--> 3 | update | 1 | 10 | 11 | 22 | 2 | 1
--> 4 | update | 2 | 20 | 21 | 42 | 2 | 1
--> 5 | update | 2 | 21 | 21 | 42 | 1 | 1
--> 6 | delete | 1 | 11 | NULL | NULL | 1 | 1
-- MERGE fires what its clauses do.
DELETE audit;
MERGE item AS t USING (VALUES (2, 5), (3, 6)) AS s (id, qty) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET qty = s.qty
WHEN NOT MATCHED THEN INSERT (id, qty) VALUES (s.id, s.qty);
SELECT what, id, old_qty, new_qty, rows FROM audit ORDER BY n;
GO
--> # only qty
--> # 0x04
--> # 0x1F
--> [what:varchar(10) | id:int | old_qty:int | new_qty:int | rows:int]
--> update | 2 | 21 | 5 | 2
--> insert | 3 | NULL | 6 | 2
-- The logical tables are nobody else's, and are not changed.
SELECT * FROM inserted;
GO
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 'inserted'.
CREATE TRIGGER changes_them ON item FOR DELETE AS DELETE deleted;
GO
DELETE item WHERE id = 3;
SELECT COUNT(*) AS kept FROM item WHERE id = 3;
GO
--> # 0x00
--> Msg 286, Level 16, State 1, Line 1: The logical tables INSERTED and DELETED cannot be updated.
DROP TRIGGER changes_them;
GO
-- ROLLBACK in a trigger ends transaction and batch.
CREATE TRIGGER no_negative ON item AFTER INSERT, UPDATE AS
IF EXISTS (SELECT * FROM inserted WHERE qty < 0)
BEGIN
    RAISERROR('no negative quantities', 16, 1);
    ROLLBACK;
END
GO
INSERT item (id, qty) VALUES (50, 1), (51, -1);
PRINT 'not reached';
GO
--> # 0x1F
--> Msg 50000, Level 16, State 1, Line 5: no negative quantities
--> Msg 3609, Level 16, State 1, Line 1: The transaction ended in the trigger. The batch has been aborted.
SELECT COUNT(*) AS none FROM item WHERE id >= 50;
SELECT @@TRANCOUNT AS open_transactions;
GO
--> [none:int]
--> 0
--> [open_transactions:int]
--> 0
BEGIN TRAN;
INSERT item (id, qty) VALUES (60, 1);
UPDATE item SET qty = -5 WHERE id = 60;
PRINT 'not reached';
GO
--> # 0x1F
--> # only qty
--> # 0x04
--> Msg 50000, Level 16, State 1, Line 5: no negative quantities
--> Msg 3609, Level 16, State 1, Line 3: The transaction ended in the trigger. The batch has been aborted.
SELECT COUNT(*) AS none FROM item WHERE id >= 50;
SELECT @@TRANCOUNT AS open_transactions;
GO
--> [none:int]
--> 0
--> [open_transactions:int]
--> 0
-- An error in a trigger ends the batch and takes everything back; a TRY finds it.
CREATE TRIGGER fails ON item AFTER DELETE AS
    DECLARE @x int = 1 / 0;
GO
DELETE item WHERE id = 2;
PRINT 'not reached';
GO
--> # 0x00
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
SELECT COUNT(*) AS kept FROM item WHERE id = 2;
BEGIN TRY
    BEGIN TRAN;
    DELETE item WHERE id = 2;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_PROCEDURE() AS trigger_name, XACT_STATE() AS state;
    ROLLBACK;
END CATCH
SELECT COUNT(*) AS kept FROM item WHERE id = 2;
BEGIN TRY
    DELETE item WHERE id = 2;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, @@TRANCOUNT AS open_transactions, XACT_STATE() AS state;
END CATCH
SELECT COUNT(*) AS kept FROM item WHERE id = 2;
GO
--> [kept:int]
--> 1
--> # 0x00
--> [number:int | trigger_name:nvarchar(128) | state:smallint]
--> 8134 | fails | -1
--> [kept:int]
--> 1
--> # 0x00
--> [number:int | open_transactions:int | state:smallint]
--> 8134 | 0 | 0
--> [kept:int]
--> 1
-- Switched off and on; shown.
DISABLE TRIGGER fails, no_negative ON item;
SELECT name, OBJECT_NAME(parent_id) AS parent, is_disabled FROM sys.triggers ORDER BY name;
DELETE item WHERE id = 2;
ALTER TABLE item ENABLE TRIGGER ALL;
SELECT name, is_disabled FROM sys.triggers ORDER BY name;
DISABLE TRIGGER nothing ON item;
GO
--> [name:nvarchar(128) | parent:nvarchar(128) | is_disabled:bit]
--> fails | item | 1
--> item_changes | item | 0
--> no_negative | item | 1
--> # 0x00
--> [name:nvarchar(128) | is_disabled:bit]
--> fails | 0
--> item_changes | 0
--> no_negative | 0
--> Msg 4920, Level 16, State 0, Line 7: Cannot disable trigger 'nothing' on 'item' because it does not exist or you do not have permissions.
DROP TRIGGER fails, no_negative;
GO
-- Triggers fire triggers, not themselves; a chain without end is cut.
CREATE TABLE a (n int);
CREATE TABLE b (n int);
GO
CREATE TRIGGER a_ins ON a AFTER INSERT AS
    INSERT b SELECT n + 1 FROM inserted;
    INSERT a VALUES (1000);
GO
CREATE TRIGGER b_ins ON b AFTER INSERT AS
    IF (SELECT MAX(n) FROM inserted) < 5 INSERT b SELECT n + 1 FROM inserted;
    PRINT CONCAT('b at ', TRIGGER_NESTLEVEL());
GO
INSERT a VALUES (1);
SELECT n FROM a ORDER BY n;
SELECT n FROM b ORDER BY n;
GO
--> # b at 2
--> [n:int]
--> 1
--> 1000
--> [n:int]
--> 2
--> 3
ALTER TRIGGER a_ins ON a AFTER INSERT AS INSERT b SELECT n FROM inserted;
GO
ALTER TRIGGER b_ins ON b AFTER INSERT AS INSERT a SELECT n FROM inserted;
GO
INSERT a VALUES (7);
GO
--> Msg 217, Level 16, State 1, Line 1: Maximum stored procedure, function, trigger, or view nesting level exceeded (limit 32).
SELECT COUNT(*) AS none FROM a WHERE n = 7;
GO
--> [none:int]
--> 0
-- OUTPUT to the client is refused; a cascade into a table with triggers too; triggers go with their table.
DELETE audit OUTPUT deleted.n INTO b WHERE 1 = 0;
UPDATE item SET qty = 1 OUTPUT inserted.id;
GO
--> Msg 331, Level 16, State 1, Line 2: The target table 'b' of the OUTPUT INTO clause cannot have any enabled triggers.
--> Msg 334, Level 16, State 1, Line 3: The target table 'item' of the DML statement cannot have any enabled triggers if the statement contains an OUTPUT clause without INTO clause.
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int REFERENCES parent ON DELETE CASCADE);
GO
CREATE TRIGGER child_del ON child AFTER DELETE AS PRINT 'child';
GO
INSERT parent VALUES (1), (2);
INSERT child VALUES (1);
DELETE parent WHERE id = 2;
DELETE parent WHERE id = 1;
SELECT COUNT(*) AS kept FROM parent;
DROP TABLE child;
SELECT COUNT(*) AS gone FROM sys.triggers WHERE name = 'child_del';
GO
--> Msg 40517, Level 16, State 1, Line 4: A cascade into 'child', which has triggers for it, is not supported in this version of Millpond.
-- Refused by name.
CREATE TRIGGER t1 ON nowhere AFTER INSERT AS PRINT 'x';
GO
--> Msg 8197, Level 16, State 4, Line 2: The object 'nowhere' does not exist or is invalid for this operation.
IF UPDATE(qty) PRINT 'x';
GO
--> Msg 140, Level 15, State 1, Line 1: Can only use IF UPDATE within a CREATE TRIGGER statement.
-- A procedure's names are those of its own database.
CREATE PROCEDURE dbo.count_items @name sysname OUTPUT AS
    SET @name = DB_NAME();
    SELECT COUNT(*) AS items FROM item;
    INSERT item (id, qty) VALUES (900, 9);
GO
USE master;
GO
DECLARE @name sysname;
EXEC firing.dbo.count_items @name OUTPUT;
SELECT @name AS inside, DB_NAME() AS outside;
SELECT COUNT(*) AS there FROM firing.dbo.item WHERE id = 900;
GO
--> [items:int]
--> 1
--> # 0x1F
--> [inside:nvarchar(128) | outside:nvarchar(128)]
--> firing | master
--> [there:int]
--> 1
DROP DATABASE firing;
GO
