-- ORDER BY names an item of the select list in quotes, as the item was named; another text is a constant.
CREATE TABLE dbo.wages (emp_id tinyint IDENTITY, hourly_wage decimal NULL, salary decimal NULL);
INSERT dbo.wages (hourly_wage, salary) VALUES (10, NULL), (40, NULL), (NULL, 30000), (NULL, 10000);
GO
SELECT CAST(COALESCE(hourly_wage * 40 * 52, salary) AS money) AS 'Total Salary' FROM dbo.wages ORDER BY 'Total Salary';
SELECT emp_id AS 'id', salary AS [of a year] FROM dbo.wages WHERE salary > 0 ORDER BY 'OF A YEAR' DESC, 'id';
SELECT SUM(salary) AS 'Sum', hourly_wage FROM dbo.wages GROUP BY hourly_wage ORDER BY 'Sum' DESC, hourly_wage;
SELECT emp_id AS 'id' FROM dbo.wages UNION ALL SELECT 9 ORDER BY 'id' DESC;
SELECT DISTINCT hourly_wage AS 'wage' FROM dbo.wages ORDER BY 'wage' DESC;
GO
SELECT emp_id AS 'id' FROM dbo.wages ORDER BY 'another';
GO
SELECT emp_id AS 'id' FROM dbo.wages ORDER BY N'id';
GO
SELECT emp_id AS 'id', salary FROM dbo.wages ORDER BY 'id', id;
GO
DROP TABLE dbo.wages;
GO
