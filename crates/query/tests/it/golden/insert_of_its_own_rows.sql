-- An INSERT that reads its target sees the rows that were there when it began, whatever the target's form (Halloween
-- protection; Showplan operators, Eager Spool). Large enough for entries to be added while rows are still read.
SET NOCOUNT ON;
CREATE TABLE #heap (id int NOT NULL, b varchar(60), d char(2000));
CREATE INDEX ix ON #heap (b);
INSERT #heap SELECT value, 'b', 'x' FROM GENERATE_SERIES(1, 1000);
INSERT #heap SELECT id + 900, b, d FROM #heap WHERE id <= 1000;
SELECT @@ROWCOUNT AS inserted;
SELECT COUNT(*) AS n, MAX(id) AS m FROM #heap;
INSERT #heap SELECT id + 1, b, d FROM #heap;
SELECT @@ROWCOUNT AS inserted;
SELECT COUNT(*) AS n, MAX(id) AS m, COUNT(DISTINCT id) AS ids FROM #heap WITH (INDEX(ix));
GO
--> [inserted:int]
--> 1000
--> [n:int | m:int]
--> 2000 | 1900
--> [inserted:int]
--> 2000
--> [n:int | m:int | ids:int]
--> 4000 | 1901 | 1901
-- A clustered index, through a second name, and through a join.
CREATE TABLE #keyed (id int NOT NULL PRIMARY KEY, d char(2000));
INSERT #keyed SELECT value, 'x' FROM GENERATE_SERIES(1, 1000);
INSERT #keyed SELECT a.id + 1000, b.d FROM #keyed AS a JOIN #keyed AS b ON b.id = a.id;
SELECT @@ROWCOUNT AS inserted;
SELECT COUNT(*) AS n, MAX(id) AS m FROM #keyed;
INSERT #keyed SELECT id + 2000, d FROM #keyed WHERE EXISTS (SELECT * FROM (VALUES (1)) AS v (x));
SELECT COUNT(*) AS n, MAX(id) AS m FROM #keyed;
GO
--> [inserted:int]
--> 1000
--> [n:int | m:int]
--> 2000 | 2000
--> [n:int | m:int]
--> 4000 | 4000
-- A key that is not the clustered one, in a procedure, in a transaction.
CREATE PROCEDURE twice AS
BEGIN
    CREATE TABLE #own (id int NOT NULL PRIMARY KEY NONCLUSTERED, d char(2000));
    INSERT #own SELECT value, 'x' FROM GENERATE_SERIES(1, 1000);
    BEGIN TRANSACTION;
    INSERT #own SELECT id + 1000, d FROM #own;
    COMMIT;
    SELECT COUNT(*) AS n, MAX(id) AS m FROM #own;
END;
GO
EXEC twice;
GO
--> [n:int | m:int]
--> 2000 | 2000
-- A permanent table, and a heap without any index.
CREATE TABLE kept (id int NOT NULL, b varchar(60), d char(2000));
CREATE INDEX ix ON kept (b);
INSERT kept SELECT value, 'b', 'x' FROM GENERATE_SERIES(1, 1000);
INSERT kept SELECT id + 1, b, d FROM kept;
INSERT kept SELECT id + 1, b, d FROM dbo.kept AS k;
SELECT COUNT(*) AS n, MAX(id) AS m FROM kept;
CREATE TABLE #bare (id int NOT NULL, d char(2000));
INSERT #bare SELECT value, 'x' FROM GENERATE_SERIES(1, 1000);
INSERT #bare SELECT id + 1, d FROM #bare;
SELECT COUNT(*) AS n, MAX(id) AS m FROM #bare;
GO
--> [n:int | m:int]
--> 4000 | 1002
--> [n:int | m:int]
--> 2000 | 1001
