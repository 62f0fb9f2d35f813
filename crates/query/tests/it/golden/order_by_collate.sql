-- ORDER BY … COLLATE asks for another order than that of an index.
CREATE TABLE h (k varchar(20), n int);
INSERT h VALUES ('a', 1), ('B', 2), ('c', 3), ('D', 4), ('A', 5);
CREATE INDEX ix ON h (k);
CREATE TABLE p (k varchar(20) COLLATE Latin1_General_CS_AS PRIMARY KEY);
INSERT p VALUES ('a'), ('B'), ('A'), ('b');
GO
--> (5 rows affected)
--> (4 rows affected)
SELECT TOP (2) k FROM h ORDER BY k COLLATE Latin1_General_BIN2;
SELECT TOP (2) k FROM h ORDER BY k COLLATE Latin1_General_BIN2 DESC;
SELECT k FROM h ORDER BY k COLLATE Latin1_General_BIN2 OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY;
SELECT TOP (2) k FROM h WHERE k > '' ORDER BY k COLLATE Latin1_General_BIN2;
SELECT TOP (2) k FROM h WHERE k = 'a' ORDER BY k COLLATE Latin1_General_BIN2;
SELECT TOP (1) k FROM h WHERE k = 'a' ORDER BY k COLLATE Latin1_General_BIN2 DESC, n;
SELECT (SELECT TOP (1) k FROM h ORDER BY k COLLATE Latin1_General_BIN2 DESC) AS last;
SELECT k FROM (SELECT TOP (2) k FROM p ORDER BY k COLLATE Latin1_General_BIN2) x ORDER BY k;
DECLARE @k varchar(20);
SELECT TOP (1) @k = k FROM p ORDER BY k COLLATE Latin1_General_BIN2;
SELECT @k AS k;
SELECT TOP (2) k FROM p ORDER BY k COLLATE Latin1_General_CI_AS, k COLLATE Latin1_General_BIN2;
SELECT TOP (3) k FROM p ORDER BY k COLLATE Latin1_General_CS_AS;
GO
--> [k:varchar(20)]
--> A
--> B
--> (2 rows affected)
--> [k:varchar(20)]
--> c
--> a
--> (2 rows affected)
--> [k:varchar(20)]
--> B
--> D
--> (2 rows affected)
--> [k:varchar(20)]
--> A
--> B
--> (2 rows affected)
--> [k:varchar(20)]
--> A
--> a
--> (2 rows affected)
--> [k:varchar(20)]
--> a
--> (1 rows affected)
--> [last:varchar(20)]
--> c
--> (1 rows affected)
--> [k:varchar(20)]
--> A
--> B
--> (2 rows affected)
--> [k:varchar(20)]
--> A
--> (1 rows affected)
--> [k:varchar(20)]
--> A
--> a
--> (2 rows affected)
--> [k:varchar(20)]
--> a
--> A
--> b
--> (3 rows affected)
DECLARE c CURSOR KEYSET FOR SELECT k FROM p ORDER BY k COLLATE Latin1_General_BIN2;
OPEN c;
FETCH c;
FETCH c;
CLOSE c;
DEALLOCATE c;
DELETE TOP (1) FROM p WHERE k IN (SELECT TOP (1) k FROM p ORDER BY k COLLATE Latin1_General_BIN2);
SELECT k FROM p ORDER BY k;
GO
--> [k:varchar(20)]
--> A
--> (1 rows affected)
--> [k:varchar(20)]
--> B
--> (1 rows affected)
--> (1 rows affected)
--> [k:varchar(20)]
--> a
--> b
--> B
--> (3 rows affected)
DROP TABLE h, p;
GO
