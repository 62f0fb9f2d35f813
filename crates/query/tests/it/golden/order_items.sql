-- What ORDER BY may say: positions with signs, what a variable is part of, and the column behind an alias of a UNION.
set nocount on
create table t (num int, other int)
insert t values (3, 1), (1, 2), (2, 3)
go
select num as c2 from t where num > 1 union all select num from t where num = 1 order by num
select num as c2, other as num from t where num > 1 union all select num, other from t where num = 1 order by num
select num as c2 from t where num > 1 union all select other from t where num = 1 order by t.num desc
go
--> [c2:int]
--> 1
--> 2
--> 3
--> [c2:int | num:int]
--> 3 | 1
--> 1 | 2
--> 2 | 3
--> [c2:int]
--> 3
--> 2
--> 2
select num as c2 from t union all select num from t order by other
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'other'.
declare @v int = 1
select num from t order by @v + 1, num
select num from t order by -@v, num desc
select num from t order by +1
select num from t order by (1)
select num from t order by case when num = @v then 9 else num end
go
--> [num:int]
--> 1
--> 2
--> 3
--> [num:int]
--> 3
--> 2
--> 1
--> [num:int]
--> 1
--> 2
--> 3
--> [num:int]
--> 1
--> 2
--> 3
--> [num:int]
--> 2
--> 3
--> 1
declare @v int = 1
select num from t order by @v
go
--> Msg 1008, Level 16, State 1, Line 2: The SELECT item identified by the ORDER BY number 1 contains a variable as part of the expression identifying a column position. Variables are only allowed when ordering by an expression referencing a column name.
declare @v int = 1
select num from t order by num, cast(@v as int)
go
--> Msg 1008, Level 16, State 1, Line 2: The SELECT item identified by the ORDER BY number 2 contains a variable as part of the expression identifying a column position. Variables are only allowed when ordering by an expression referencing a column name.
select num from t order by -1
go
--> Msg 108, Level 16, State 1, Line 1: The ORDER BY position number -1 is out of range of the number of items in the select list.
select num from t order by 1, +1
go
--> Msg 169, Level 15, State 1, Line 1: A column has been specified more than once in the order by list. Columns in the order by list must be unique.
select num from t order by 2 - 1
go
--> Msg 408, Level 16, State 1, Line 1: A constant expression was encountered in the ORDER BY list, position 1.
