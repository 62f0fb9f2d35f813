-- ORDER BY a name in quotes that two items have is as ambiguous as the name without them.
CREATE TABLE dbo.q (a int, b int);
INSERT dbo.q VALUES (1, 4), (2, 3);
GO
--> (2 rows affected)
SELECT a AS x, b AS x FROM dbo.q ORDER BY x;
GO
--> Msg 209, Level 16, State 1, Line 1: Ambiguous column name 'x'.
SELECT a AS x, b AS x FROM dbo.q ORDER BY 'x';
GO
--> Msg 209, Level 16, State 1, Line 1: Ambiguous column name 'x'.
SELECT a AS x, b AS y FROM dbo.q ORDER BY 'y';
GO
--> [x:int | y:int]
--> 2 | 3
--> 1 | 4
--> (2 rows affected)
SELECT a AS x, b AS x FROM dbo.q UNION ALL SELECT 0, 0 ORDER BY 'x';
GO
--> Msg 209, Level 16, State 1, Line 1: Ambiguous column name 'x'.
SELECT a AS x, b AS x FROM dbo.q UNION ALL SELECT 0, 0 ORDER BY x;
GO
--> Msg 209, Level 16, State 1, Line 1: Ambiguous column name 'x'.
SELECT a AS x, b AS y FROM dbo.q UNION ALL SELECT 0, 0 ORDER BY 'x' DESC;
GO
--> [x:int | y:int]
--> 2 | 3
--> 1 | 4
--> 0 | 0
--> (3 rows affected)
SELECT a AS x, b AS x, a + b AS s FROM dbo.q ORDER BY 's', 'X';
GO
--> Msg 209, Level 16, State 1, Line 1: Ambiguous column name 'X'.
SELECT a, a + b FROM dbo.q ORDER BY '';
GO
--> Msg 408, Level 16, State 1, Line 1: A constant expression was encountered in the ORDER BY list, position 1.
