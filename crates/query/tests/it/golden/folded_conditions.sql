-- differs temporary: the message has the name of the table
-- differs parameters: what decides the conditions are constants
-- Conditions that constants decide are answered before any row is seen: what they hide is never computed.
create table t (a int not null, b int null)
insert t values (1, 1), (2, null)
go
--> (2 rows affected)
select count(*) as n from t where a / 0 = 1 or 1 = 1
select count(*) as n from t where 1 = 1 or a / 0 = 1
select count(*) as n from t where 1 = 0 and a / 0 = 1
select count(*) as n from t where null > a / 0
select count(*) as n from t where 1 / 0 = null
select count(*) as n from t where cast(null as int) = a / 0
select count(*) as n from t where a / 0 in (null)
select count(*) as n from t where a / 0 between null and null
select count(*) as n from t where 84 not between a / 0 and 61
select count(*) as n from t where a not in (a / 0, 1, null)
select count(*) as n from t where a = 1 and a not in (1, a / 0, null)
go
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
update t set b = 5 where a / 0 = 1 or 1 = 1
delete t where null > a / 0
select a, b from t order by a
go
--> (2 rows affected)
--> (0 rows affected)
--> [a:int | b:int]
--> 1 | 5
--> 2 | 5
--> (2 rows affected)
-- CASE and its like.
select case 1 / 0 when null then 1 else 2 end as c1, iif(1 = 0, 1 / 0, 3) as c2, coalesce(4, 1 / 0) as c3,
    case when 1 = 1 then 5 else 1 / 0 end as c4
go
--> [c1:int | c2:int | c3:int | c4:int]
--> 2 | 3 | 4 | 5
--> (1 rows affected)
-- Results that are not reached need no place in GROUP BY.
select coalesce(b, 5, a) as c1 from t group by a
go
--> Msg 8120, Level 16, State 1, Line 2: Column 't.b' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select iif(1 = 0, b, a) as c1, coalesce(a, 5, b) as c2, nullif(cast(null as int), b) as c3, coalesce(5, b) as c4 from t group by a order by a
go
--> [c1:int | c2:int | c3:int | c4:int]
--> 1 | 1 | NULL | 5
--> 2 | 2 | NULL | 5
--> (2 rows affected)
-- What is computed is no constant, and neither is a variable or a query.
select count(*) as n from t where null + 1 > a / 0
go
--> [n:int]
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
declare @n int
select count(*) as n from t where @n > a / 0
go
--> [n:int]
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
