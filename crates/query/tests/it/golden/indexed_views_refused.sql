-- What no indexed view has, and what its indexes are not.
CREATE DATABASE stream;
GO
USE stream;
GO
CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, g int NOT NULL, v int NULL, f float NOT NULL, d datetime NOT NULL, s varchar(20) NOT NULL, x xml NULL);
CREATE TABLE dbo.u (id int NOT NULL PRIMARY KEY, tid int NOT NULL, w int NOT NULL);
GO
CREATE VIEW dbo.plain AS SELECT id FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.plain (id);
GO
--> Msg 1939, Level 16, State 1, Line 1: Cannot create index on view 'plain' because the view is not schema bound.
CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT id, g, f FROM dbo.t;
GO
CREATE INDEX ix ON dbo.v (id);
GO
--> Msg 1940, Level 16, State 1, Line 1: Cannot create index on view 'dbo.v'. It does not have a unique clustered index.
CREATE UNIQUE INDEX ix ON dbo.v (id);
GO
--> Msg 1940, Level 16, State 1, Line 1: Cannot create index on view 'dbo.v'. It does not have a unique clustered index.
CREATE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1941, Level 16, State 1, Line 1: Cannot create nonunique clustered index on view 'dbo.v' because only unique clustered indexes are allowed. Consider creating unique clustered index instead.
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (nope);
GO
--> Msg 1911, Level 16, State 1, Line 1: Column name 'nope' does not exist in the target table or view.
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (f);
GO
--> Msg 1901, Level 16, State 1, Line 1: Cannot create index or statistics 'ix' on view 'dbo.v' because key column 'f' is imprecise, computed and not persisted. Consider removing reference to column in view index or statistics key or changing column to be precise. If column is computed in base table consider marking it PERSISTED there.
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id) WITH (IGNORE_DUP_KEY = ON);
GO
--> Msg 1990, Level 16, State 1, Line 1: Cannot define an index on a view with ignore_dup_key index option. Remove ignore_dup_key option and verify that view definition does not allow duplicates, or do not index view.
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id) WITH (ONLINE = ON);
GO
--> Msg 1967, Level 16, State 1, Line 1: Cannot create a new clustered index on a view online.
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
CREATE UNIQUE CLUSTERED INDEX other ON dbo.v (g);
GO
--> Msg 1902, Level 16, State 3, Line 1: Cannot create more than one clustered index on view 'dbo.v'. Drop the existing clustered index 'ix' before creating another.
CREATE INDEX other ON dbo.v (g) WHERE g > 0;
GO
--> Msg 10610, Level 16, State 1, Line 1: Filtered index 'other' cannot be created on object 'dbo.v' because it is not a user table. Filtered indexes are only supported on tables. If you are trying to create a filtered index on a view, consider creating an indexed view with the filter expression incorporated in the view definition.
CREATE INDEX ix ON dbo.v (g);
GO
--> Msg 1913, Level 16, State 1, Line 1: The operation failed because an index or statistics with name 'ix' already exists on table 'dbo.v'.
UPDATE dbo.v WITH (NOEXPAND) SET g = 1;
GO
--> Msg 8171, Level 16, State 1, Line 1: Hint 'noexpand' on object 'dbo.v' is invalid.
SELECT id FROM dbo.plain WITH (NOEXPAND);
GO
--> Msg 8171, Level 16, State 2, Line 1: Hint 'noexpand' on object 'dbo.plain' is invalid.
DROP VIEW dbo.v;
GO
CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT DISTINCT g FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 10100, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it contains the DISTINCT keyword. Consider removing DISTINCT from the view or not indexing the view. Alternatively, consider replacing DISTINCT with GROUP BY or COUNT_BIG(*) to simulate DISTINCT on grouping columns.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT TOP 5 id FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10101, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it contains the TOP or OFFSET keyword. Consider removing the TOP or OFFSET or not indexing the view.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT t.id, u.w FROM dbo.t LEFT JOIN dbo.u ON u.tid = t.id;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10113, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it uses a LEFT, RIGHT, or FULL OUTER join, and no OUTER joins are allowed in indexed views. Consider using an INNER join instead.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id FROM dbo.t UNION ALL SELECT id FROM dbo.u;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10116, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v' because it contains one or more UNION, INTERSECT, or EXCEPT operators. Consider creating a separate indexed view for each query that is an input to the UNION, INTERSECT, or EXCEPT operators of the original view.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, AVG(id) AS a, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 10125, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it uses aggregate "AVG". Consider eliminating the aggregate, not indexing the view, or using alternate aggregates. For example, for AVG substitute SUM and COUNT_BIG, or for COUNT, substitute COUNT_BIG.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, MAX(id) AS a, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 10125, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it uses aggregate "MAX". Consider eliminating the aggregate, not indexing the view, or using alternate aggregates. For example, for AVG substitute SUM and COUNT_BIG, or for COUNT, substitute COUNT_BIG.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, COUNT_BIG(DISTINCT id) AS a, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 10126, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it uses aggregate "COUNT_BIG" with the DISTINCT keyword. Consider not indexing this view or eliminating DISTINCT. Consider use of a GROUP BY or COUNT_BIG(*) view to simulate DISTINCT on grouping columns.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id FROM dbo.t WHERE id IN (SELECT tid FROM dbo.u);
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10127, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it contains one or more subqueries. Consider changing the view to use only joins instead of subqueries. Alternatively, consider not indexing this view.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, (SELECT MAX(w) FROM dbo.u) AS w FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10127, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it contains one or more subqueries. Consider changing the view to use only joins instead of subqueries. Alternatively, consider not indexing this view.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, COUNT(*) AS n FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 10136, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it uses the aggregate COUNT. Use COUNT_BIG instead.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, SUM(v) AS v FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 10138, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v' because its select list does not include a proper use of COUNT_BIG. Consider adding COUNT_BIG(*) to select list.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, SUM(v) AS v, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 8662, Level 16, State 0, Line 1: Cannot create the clustered index "ix" on view "stream.dbo.v" because the view references an unknown value (SUM aggregate of nullable expression). Consider referencing only non-nullable values in SUM. ISNULL() may be useful for this.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, SUM(ISNULL(v, 0)) AS v, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (n);
GO
--> Msg 8661, Level 16, State 0, Line 1: Cannot create the clustered index "ix" on view "stream.dbo.v" because the index key includes columns that are not in the GROUP BY clause. Consider eliminating columns that are not in the GROUP BY clause from the index key.
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, SUM(f) AS f, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 1966, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v'. The view contains an imprecise aggregate operator.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, DATEADD(day, 1, GETDATE()) AS d FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1949, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v'. The function 'getdate' yields nondeterministic results. Use a deterministic system function, or modify the user-defined function to return deterministic results.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, NEWID() AS d FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1949, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v'. The function 'newid' yields nondeterministic results. Use a deterministic system function, or modify the user-defined function to return deterministic results.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, DATENAME(month, d) AS d FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1949, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v'. The function 'datename' yields nondeterministic results. Use a deterministic system function, or modify the user-defined function to return deterministic results.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT a.id, b.g FROM dbo.t AS a JOIN dbo.t AS b ON b.id = a.id;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1947, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v". The view contains a self join on "stream.dbo.t".
ALTER VIEW dbo.v WITH SCHEMABINDING AS WITH c AS (SELECT id FROM dbo.t) SELECT id FROM c;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10137, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it references common table expression "c". Views referencing common table expressions cannot be indexed. Consider not indexing the view, or removing the common table expression from the view definition.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT x.id FROM (SELECT id FROM dbo.t) AS x;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10109, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it references derived table "x" (defined by SELECT statement in FROM clause). Consider removing the reference to the derived table or not indexing the view.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g HAVING COUNT_BIG(*) > 0;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 10121, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it contains a HAVING clause. Consider removing the HAVING clause.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS n FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10143, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it contains a ranking or aggregate window function. Remove the function from the view definition or, alternatively, do not index the view.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT t.id, x.w FROM dbo.t CROSS APPLY (SELECT w FROM dbo.u WHERE u.tid = t.id) AS x;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10142, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it contains an APPLY. Consider not indexing the view, or removing APPLY.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g WITH ROLLUP;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 10119, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v" because it contains a CUBE, ROLLUP, or GROUPING SETS operator. Consider not indexing this view.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT g, COUNT_BIG(*) AS n, SUM(id) * 2 AS s FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (g);
GO
--> Msg 8668, Level 16, State 0, Line 1: Cannot create the clustered index 'ix' on view 'stream.dbo.v' because the select list of the view contains an expression on result of aggregate function or grouping column. Consider removing expression on result of aggregate function or grouping column from select list.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT COUNT_BIG(*) AS n, SUM(id) AS s FROM dbo.t GROUP BY g;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (n);
GO
--> Msg 8660, Level 16, State 0, Line 1: Cannot create the clustered index "ix" on view "stream.dbo.v" because the select list of the view definition does not include all columns in the GROUP BY clause. Consider adding these columns to the select list.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT f, COUNT_BIG(*) AS n FROM dbo.t GROUP BY f;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (f);
GO
--> Msg 1962, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v' because column 'f' that is referenced by the view in the WHERE or GROUP BY clause is imprecise. Consider eliminating the column from the view, or altering the column to be precise.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id FROM dbo.t WHERE f > 1;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1962, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v' because column 'f' that is referenced by the view in the WHERE or GROUP BY clause is imprecise. Consider eliminating the column from the view, or altering the column to be precise.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, CONVERT(datetime, s) AS d FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1963, Level 16, State 1, Line 1: Cannot create index on view "stream.dbo.v". The view contains a convert that is imprecise or non-deterministic.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, DATEDIFF(day, d, s) AS d FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10139, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v' because the view uses an implicit conversion from string to datetime or smalldatetime. Use an explicit CONVERT with a deterministic style value.
CREATE VIEW dbo.inner_view WITH SCHEMABINDING AS SELECT id FROM dbo.t;
GO
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id FROM dbo.inner_view;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1937, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v' because it references another view 'stream.dbo.inner_view'. Consider expanding referenced view's definition by hand in indexed view definition.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id FROM dbo.t WITH (NOLOCK);
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 10140, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v' because the view contains a table hint. Consider removing the hint.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, x FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1942, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v'. It contains text, ntext, image, FILESTREAM or xml columns.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, x.value('(/a)[1]', 'int') AS a FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
--> Msg 1985, Level 16, State 1, Line 1: Cannot create index on view 'stream.dbo.v'. It contains one or more XML data type methods.
ALTER VIEW dbo.v WITH SCHEMABINDING AS SELECT id, f * 2 AS f2, RAND(1) AS r FROM dbo.t;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.v (id);
GO
CREATE INDEX other ON dbo.v (f2);
GO
--> Msg 1901, Level 16, State 1, Line 1: Cannot create index or statistics 'other' on view 'dbo.v' because key column 'f2' is imprecise, computed and not persisted. Consider removing reference to column in view index or statistics key or changing column to be precise. If column is computed in base table consider marking it PERSISTED there.
SET ANSI_NULLS OFF;
GO
CREATE VIEW dbo.old WITH SCHEMABINDING AS SELECT id FROM dbo.u;
GO
SET ANSI_NULLS ON;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.old (id);
GO
--> Msg 1935, Level 16, State 1, Line 1: Cannot create index. Object 'old' was created with the following SET options off: 'ANSI_NULLS'.
CREATE TABLE dbo.dup (g int NOT NULL);
INSERT dbo.dup VALUES (1), (1);
GO
--> (2 rows affected)
CREATE VIEW dbo.dups WITH SCHEMABINDING AS SELECT g FROM dbo.dup;
GO
CREATE UNIQUE CLUSTERED INDEX ix ON dbo.dups (g);
GO
--> Msg 1505, Level 16, State 1, Line 1: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.dups' and the index name 'ix'. The duplicate key value is (1).
DELETE TOP (1) dbo.dup;
SELECT COUNT(*) AS n FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.dups');
GO
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
USE master;
DROP DATABASE stream;
GO
