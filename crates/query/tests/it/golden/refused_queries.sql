-- differs parameters: that nothing is to be fetched is seen when the query runs, behind the columns of its rows
-- Queries that SQL Server refuses, and old forms that it takes.
create database refused_queries
go
use refused_queries
set nocount on
create table t (id int, name varchar(10))
insert t values (1, 'b'), (2, 'a'), (3, 'c')
go
-- Names of common table expressions.
with a as (select 1 x), a as (select 2 x) select * from a
go
--> Msg 239, Level 16, State 1, Line 2: Duplicate common table expression name 'a' was specified.
with a as (select 1 x), b as (select 2 x), A as (select 3 x) select * from b
go
--> Msg 239, Level 16, State 1, Line 1: Duplicate common table expression name 'A' was specified.
with a as (select 1 x), a as (select 2 x) delete t
go
--> Msg 239, Level 16, State 1, Line 1: Duplicate common table expression name 'a' was specified.
-- A column that stands twice in ORDER BY.
select id, name from t order by name, name
go
--> Msg 169, Level 15, State 1, Line 2: A column has been specified more than once in the order by list. Columns in the order by list must be unique.
select id, name from t order by 2, name
go
--> Msg 169, Level 15, State 1, Line 1: A column has been specified more than once in the order by list. Columns in the order by list must be unique.
select id, name as n from t order by n, name
go
--> Msg 169, Level 15, State 1, Line 1: A column has been specified more than once in the order by list. Columns in the order by list must be unique.
select id, name from t order by name desc, id, name
go
--> Msg 169, Level 15, State 1, Line 1: A column has been specified more than once in the order by list. Columns in the order by list must be unique.
select id from t union select 5 order by id, 1
go
--> Msg 169, Level 15, State 1, Line 1: A column has been specified more than once in the order by list. Columns in the order by list must be unique.
select id, name from t order by name collate Latin1_General_BIN, name
go
--> [id:int | name:varchar(10)]
--> 2 | a
--> 1 | b
--> 3 | c
select id, name from t order by id, id + 1, id + 1
go
--> [id:int | name:varchar(10)]
--> 1 | b
--> 2 | a
--> 3 | c
select t.id, u.id from t join t u on u.id = t.id order by t.id, u.id
go
--> [id:int | id:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
select top 1 with ties id from t order by id, id
go
--> Msg 169, Level 15, State 1, Line 1: A column has been specified more than once in the order by list. Columns in the order by list must be unique.
-- A constant in ORDER BY.
select id from t order by -1
go
--> Msg 108, Level 16, State 1, Line 2: The ORDER BY position number -1 is out of range of the number of items in the select list.
select id from t order by name, 'x'
go
--> Msg 408, Level 16, State 1, Line 1: A constant expression was encountered in the ORDER BY list, position 2.
select id from t order by null
go
--> Msg 408, Level 16, State 1, Line 1: A constant expression was encountered in the ORDER BY list, position 1.
select id from t order by 1 + 1
go
--> Msg 408, Level 16, State 1, Line 1: A constant expression was encountered in the ORDER BY list, position 1.
declare @a int = 1
select id from t order by @a
go
--> Msg 1008, Level 16, State 1, Line 2: The SELECT item identified by the ORDER BY number 1 contains a variable as part of the expression identifying a column position. Variables are only allowed when ordering by an expression referencing a column name.
declare @a int = 1
select id from t order by @a * id desc
go
--> [id:int]
--> 3
--> 2
--> 1
select id, 1 as one from t order by one, (select null), id desc
go
--> [id:int | one:int]
--> 3 | 1
--> 2 | 1
--> 1 | 1
select 7 as seven, id from t order by 1, 2
go
--> [seven:int | id:int]
--> 7 | 1
--> 7 | 2
--> 7 | 3
-- Rows to fetch.
select id from t order by id offset 1 rows fetch next 0 rows only
go
--> Msg 10744, Level 15, State 1, Line 2: The number of rows provided for a FETCH clause must be greater then zero.
declare @n int = 0
select id from t order by id offset 1 rows fetch next @n rows only
go
--> [id:int]
--> Msg 10744, Level 15, State 1, Line 2: The number of rows provided for a FETCH clause must be greater then zero.
declare @n int = 0
select count(*) as n from (select id from t order by id offset 1 rows fetch next (@n) rows only) x
go
--> [n:int]
--> Msg 10744, Level 15, State 1, Line 2: The number of rows provided for a FETCH clause must be greater then zero.
declare @n int = 0
select top (@n) id from t order by id
select id from t order by id offset @n rows fetch next (@n + 1) rows only
go
--> [id:int]
--> [id:int]
--> 1
declare @n int = -1
select id from t order by id offset @n rows
go
--> [id:int]
--> Msg 10742, Level 15, State 1, Line 2: The offset specified in a OFFSET clause may not be negative.
create procedure page @skip int, @take int as
select id from t order by id offset @skip rows fetch next @take rows only
go
exec page 1, 1
exec page 1, 0
go
--> [id:int]
--> 2
--> [id:int]
--> Msg 10744, Level 15, State 1, Line 2: The number of rows provided for a FETCH clause must be greater then zero.
-- PRINT takes no query and no column.
print (select 1)
go
--> Msg 1046, Level 15, State 1, Line 2: Subqueries are not allowed in this context. Only scalar expressions are allowed.
print 'a' + (select 'b')
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
print name
go
--> Msg 128, Level 15, State 1, Line 1: The name "name" is not permitted in this context. Valid expressions are constants, constant expressions, and (in some contexts) variables. Column names are not permitted.
print 1 + datepart(year, cast('20200101' as date))
go
--> # 2021
create procedure pr as print name
go
--> Msg 128, Level 15, State 1, Line 1: The name "name" is not permitted in this context. Valid expressions are constants, constant expressions, and (in some contexts) variables. Column names are not permitted.
-- The name of an expression in a subquery of its own.
with c as (select 1 n union all select n + 1 from t where id < (select max(n) from c)) select * from c
go
--> Msg 465, Level 16, State 1, Line 2: Recursive references are not allowed in subqueries.
with c as (select 1 n union all select n + 1 from c where n < 3 and n in (select n from c)) select * from c
go
--> Msg 465, Level 16, State 1, Line 1: Recursive references are not allowed in subqueries.
with c as (select id from t where id in (select id from c)) select * from c
go
--> Msg 252, Level 16, State 1, Line 1: Recursive common table expression 'c' does not contain a top-level UNION ALL operator.
-- One that comes later is not in sight, a table of its name is.
create table b (x int)
insert b values (9)
go
with a as (select x from b), b as (select x + 1 as x from a) select x from b
go
--> [x:int]
--> 10
with t as (select id from dbo.t where id > (select min(id) from dbo.t)) select id from t order by id
go
--> [id:int]
--> 2
--> 3
-- Outer joins as ODBC writes them.
select a.id, c.x from {oj t a left outer join b c on c.x = a.id} order by a.id
go
--> [id:int | x:int]
--> 1 | NULL
--> 2 | NULL
--> 3 | NULL
select a.id, c.x, d.id as d from {oj (t a left outer join b c on c.x = a.id) inner join t d on d.id = a.id} where a.id > 1 order by a.id
go
--> [id:int | x:int | d:int]
--> 2 | NULL | 2
--> 3 | NULL | 3
select a.id from {oj t a left outer join b c on c.x = a.id
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'id'.
