-- ORDER BY names an item of the select list in quotes, as the item was named; another text is a constant.
CREATE TABLE dbo.wages (emp_id tinyint IDENTITY, hourly_wage decimal NULL, salary decimal NULL);
INSERT dbo.wages (hourly_wage, salary) VALUES (10, NULL), (40, NULL), (NULL, 30000), (NULL, 10000);
GO
--> (4 rows affected)
SELECT CAST(COALESCE(hourly_wage * 40 * 52, salary) AS money) AS 'Total Salary' FROM dbo.wages ORDER BY 'Total Salary';
SELECT emp_id AS 'id', salary AS [of a year] FROM dbo.wages WHERE salary > 0 ORDER BY 'OF A YEAR' DESC, 'id';
SELECT SUM(salary) AS 'Sum', hourly_wage FROM dbo.wages GROUP BY hourly_wage ORDER BY 'Sum' DESC, hourly_wage;
SELECT emp_id AS 'id' FROM dbo.wages UNION ALL SELECT 9 ORDER BY 'id' DESC;
SELECT DISTINCT hourly_wage AS 'wage' FROM dbo.wages ORDER BY 'wage' DESC;
GO
--> [Total Salary:money]
--> 10000.0000
--> 20800.0000
--> 30000.0000
--> 83200.0000
--> (4 rows affected)
--> [id:tinyint | of a year:decimal(18,0)]
--> 3 | 30000
--> 4 | 10000
--> (2 rows affected)
--> [Sum:decimal(38,0) | hourly_wage:decimal(18,0)]
--> 40000 | NULL
--> NULL | 10
--> NULL | 40
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (3 rows affected)
--> [id:int]
--> 9
--> 4
--> 3
--> 2
--> 1
--> (5 rows affected)
--> [wage:decimal(18,0)]
--> 40
--> 10
--> NULL
--> (3 rows affected)
SELECT emp_id AS 'id' FROM dbo.wages ORDER BY 'another';
GO
--> Msg 408, Level 16, State 1, Line 1: A constant expression was encountered in the ORDER BY list, position 1.
SELECT emp_id AS 'id' FROM dbo.wages ORDER BY N'id';
GO
--> Msg 408, Level 16, State 1, Line 1: A constant expression was encountered in the ORDER BY list, position 1.
SELECT emp_id AS 'id', salary FROM dbo.wages ORDER BY 'id', id;
GO
--> Msg 169, Level 15, State 1, Line 1: A column has been specified more than once in the order by list. Columns in the order by list must be unique.
DROP TABLE dbo.wages;
GO
