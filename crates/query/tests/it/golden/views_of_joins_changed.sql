-- Changes of views over several tables: one table a statement.
CREATE DATABASE delta;
GO
USE delta;
GO
CREATE TABLE dbo.a (id int NOT NULL PRIMARY KEY, x int NULL, bid int NULL);
CREATE TABLE dbo.b (id int NOT NULL PRIMARY KEY, y int NULL);
INSERT dbo.b VALUES (1, 10), (2, 20);
INSERT dbo.a VALUES (1, 100, 1), (2, 200, 2), (3, 300, 1);
GO
--> (2 rows affected)
--> (3 rows affected)
CREATE VIEW dbo.ab AS SELECT a.id, a.x, a.bid, b.id AS b_id, b.y, a.x + b.y AS xy FROM dbo.a JOIN dbo.b ON b.id = a.bid;
GO
CREATE VIEW dbo.checked AS SELECT a.id, a.x, a.bid, b.y FROM dbo.a JOIN dbo.b ON b.id = a.bid WHERE a.x < 1000 AND b.y < 100 WITH CHECK OPTION;
GO
CREATE VIEW dbo.one_checked AS SELECT id, x, bid FROM dbo.a WHERE x < 1000 WITH CHECK OPTION;
GO
CREATE VIEW dbo.sub_checked AS SELECT id, x, bid FROM dbo.a WHERE bid IN (SELECT id FROM dbo.b) WITH CHECK OPTION;
GO
CREATE VIEW dbo.grouped AS SELECT bid, COUNT(*) AS n FROM dbo.a GROUP BY bid;
GO
CREATE VIEW dbo.topped AS SELECT TOP 2 id, x FROM dbo.a ORDER BY id;
GO
CREATE VIEW dbo.uni AS SELECT id, x FROM dbo.a UNION ALL SELECT id, y FROM dbo.b;
GO
UPDATE dbo.ab SET x = x + 1 WHERE y = 10;
SELECT * FROM dbo.a;
GO
--> (2 rows affected)
--> [id:int | x:int | bid:int]
--> 1 | 101 | 1
--> 2 | 200 | 2
--> 3 | 301 | 1
--> (3 rows affected)
UPDATE dbo.ab SET y = 11 WHERE id IN (1, 3);
SELECT * FROM dbo.b;
GO
--> (1 rows affected)
--> [id:int | y:int]
--> 1 | 11
--> 2 | 20
--> (2 rows affected)
UPDATE dbo.ab SET x = 1, y = 2;
GO
--> Msg 4405, Level 16, State 1, Line 1: View or function 'ab' is not updatable because the modification affects multiple base tables.
UPDATE dbo.ab SET xy = 2;
GO
--> Msg 4406, Level 16, State 1, Line 1: Update or insert of view or function 'ab' failed because it contains a derived or constant field.
INSERT dbo.ab (id, x) VALUES (4, 400);
SELECT * FROM dbo.a;
GO
--> (1 rows affected)
--> [id:int | x:int | bid:int]
--> 1 | 101 | 1
--> 2 | 200 | 2
--> 3 | 301 | 1
--> 4 | 400 | NULL
--> (4 rows affected)
INSERT dbo.ab (b_id, y) VALUES (3, 30);
SELECT * FROM dbo.b;
GO
--> (1 rows affected)
--> [id:int | y:int]
--> 1 | 11
--> 2 | 20
--> 3 | 30
--> (3 rows affected)
INSERT dbo.ab (id, y) VALUES (5, 5);
GO
--> Msg 4405, Level 16, State 1, Line 1: View or function 'ab' is not updatable because the modification affects multiple base tables.
INSERT dbo.ab VALUES (5, 5, 1, 1, 1, 1);
GO
--> Msg 4405, Level 16, State 1, Line 1: View or function 'ab' is not updatable because the modification affects multiple base tables.
DELETE dbo.ab WHERE id = 1;
GO
--> Msg 4405, Level 16, State 1, Line 1: View or function 'ab' is not updatable because the modification affects multiple base tables.
MERGE dbo.ab AS t USING (VALUES (1, 5)) AS s (id, x) ON t.id = s.id WHEN MATCHED THEN UPDATE SET x = s.x;
SELECT * FROM dbo.a;
GO
--> (1 rows affected)
--> [id:int | x:int | bid:int]
--> 1 | 5 | 1
--> 2 | 200 | 2
--> 3 | 301 | 1
--> 4 | 400 | NULL
--> (4 rows affected)
MERGE dbo.ab AS t USING (VALUES (1, 5)) AS s (id, x) ON t.id = s.id WHEN MATCHED THEN DELETE;
GO
--> Msg 4405, Level 16, State 1, Line 1: View or function 'ab' is not updatable because the modification affects multiple base tables.
MERGE dbo.ab AS t USING (VALUES (7, 5)) AS s (id, x) ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, x) VALUES (s.id, s.x);
GO
--> (1 rows affected)
MERGE dbo.one_checked AS t USING (VALUES (1, 5), (8, 8)) AS s (id, x) ON t.id = s.id WHEN MATCHED THEN UPDATE SET x = s.x WHEN NOT MATCHED THEN INSERT (id, x) VALUES (s.id, s.x) WHEN NOT MATCHED BY SOURCE AND t.id = 3 THEN DELETE;
SELECT * FROM dbo.a;
GO
--> (3 rows affected)
--> [id:int | x:int | bid:int]
--> 1 | 5 | 1
--> 2 | 200 | 2
--> 4 | 400 | NULL
--> 7 | 5 | NULL
--> 8 | 8 | NULL
--> (5 rows affected)
MERGE dbo.one_checked AS t USING (VALUES (9, 5000)) AS s (id, x) ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, x) VALUES (s.id, s.x);
GO
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
UPDATE dbo.one_checked SET x = 2000 WHERE id = 1;
GO
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
INSERT dbo.one_checked VALUES (20, 1000, 1);
GO
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
INSERT dbo.one_checked VALUES (20, 999, 1);
GO
--> (1 rows affected)
UPDATE dbo.checked SET x = 2000 WHERE id = 2;
GO
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
UPDATE dbo.checked SET x = 999 WHERE id = 2;
GO
--> (1 rows affected)
UPDATE dbo.checked SET y = 100 WHERE id = 2;
GO
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
UPDATE dbo.checked SET y = 99 WHERE id = 2;
GO
--> (1 rows affected)
UPDATE dbo.checked SET bid = 77 WHERE id = 2;
GO
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
UPDATE dbo.checked SET bid = 1 WHERE id = 2;
GO
--> Msg 550, Level 16, State 1, Line 1: The attempted insert or update failed because the target view either specifies WITH CHECK OPTION or spans a view that specifies WITH CHECK OPTION and one or more rows resulting from the operation did not qualify under the CHECK OPTION constraint.
--> # The statement has been terminated.
INSERT dbo.checked (id, x, bid) VALUES (30, 1, 1);
GO
--> Msg 40517, Level 16, State 1, Line 1: INSERT into a view of several tables WITH CHECK OPTION is not supported in this version of Millpond.
INSERT dbo.checked (id, x, bid) VALUES (31, 1000, 1);
GO
--> Msg 40517, Level 16, State 1, Line 1: INSERT into a view of several tables WITH CHECK OPTION is not supported in this version of Millpond.
INSERT dbo.checked (id, x, bid) VALUES (31, 1, 55);
GO
--> Msg 40517, Level 16, State 1, Line 1: INSERT into a view of several tables WITH CHECK OPTION is not supported in this version of Millpond.
INSERT dbo.sub_checked VALUES (40, 1, 1);
GO
--> Msg 40517, Level 16, State 1, Line 1: WITH CHECK OPTION over a subquery is not supported in this version of Millpond.
INSERT dbo.sub_checked VALUES (41, 1, 55);
GO
--> Msg 40517, Level 16, State 1, Line 1: WITH CHECK OPTION over a subquery is not supported in this version of Millpond.
UPDATE dbo.sub_checked SET bid = 55 WHERE id = 40;
GO
--> Msg 40517, Level 16, State 1, Line 1: WITH CHECK OPTION over a subquery is not supported in this version of Millpond.
UPDATE dbo.grouped SET n = 1;
GO
--> Msg 4403, Level 16, State 1, Line 1: Cannot update the view or function 'grouped' because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.
UPDATE dbo.grouped SET bid = 1;
GO
--> Msg 4403, Level 16, State 1, Line 1: Cannot update the view or function 'grouped' because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.
DELETE dbo.grouped;
GO
--> Msg 4403, Level 16, State 1, Line 1: Cannot update the view or function 'grouped' because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.
INSERT dbo.grouped VALUES (1, 1);
GO
--> Msg 4403, Level 16, State 1, Line 1: Cannot update the view or function 'grouped' because it contains aggregates, or a DISTINCT or GROUP BY clause, or PIVOT or UNPIVOT operator.
UPDATE dbo.topped SET x = 1;
GO
--> (2 rows affected)
DELETE dbo.topped;
GO
--> (2 rows affected)
INSERT dbo.topped VALUES (50, 1);
GO
--> (1 rows affected)
UPDATE dbo.uni SET x = 1;
GO
--> Msg 4426, Level 16, State 1, Line 1: View 'uni' is not updatable because the definition contains a UNION operator.
DELETE dbo.uni;
GO
--> Msg 4426, Level 16, State 1, Line 1: View 'uni' is not updatable because the definition contains a UNION operator.
INSERT dbo.uni VALUES (1, 1);
GO
--> Msg 4426, Level 16, State 1, Line 1: View 'uni' is not updatable because the definition contains a UNION operator.
USE master;
DROP DATABASE delta;
GO
