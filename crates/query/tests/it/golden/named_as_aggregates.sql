-- differs parameters: each constant is a variable of its own, so what is selected is not what is grouped
-- A function of the user that has the name of an aggregate, a window function or another of the server's is meant by its
-- name of two parts, and only by that.
create database named_as_aggregates
go
use named_as_aggregates
go
create function dbo.sum (@a int) returns int as begin return @a * 1000 end
go
create function dbo.max (@a int, @b int) returns int as begin return case when @a > @b then @a else @b end end
go
create function dbo.count (@a int, @b int, @c int, @d int) returns int as begin return @a + @b + @c + @d end
go
create function dbo.row_number (@a int) returns int as begin return -@a end
go
create function dbo.len (@a varchar(10)) returns int as begin return 99 end
go
create table t (x int check (dbo.sum (x) < 100000), y as dbo.max (x, 5))
insert t (x) values (1), (2), (7)
go
--> (3 rows affected)
select dbo.sum (x) as sum, dbo.max (x, 3) as max, dbo.count (x, 1, 1, 1) as count, dbo.row_number (x) as row, dbo.len ('a') as len from t order by x
select sum (dbo.sum (x)) as sum, max (x) as max, count (*) as count, len ('a') as len from t
select x from t where dbo.sum (x) > 1000 order by dbo.row_number (x)
select dbo.max (x, 2) as most, count (*) as n from t group by dbo.max (x, 2) order by 1
select y from t order by y
update t set x = dbo.sum (x) where dbo.sum (x) = 2000
select x from t order by x
go
--> [sum:int | max:int | count:int | row:int | len:int]
--> 1000 | 3 | 4 | -1 | 99
--> 2000 | 3 | 5 | -2 | 99
--> 7000 | 7 | 10 | -7 | 99
--> (3 rows affected)
--> [sum:int | max:int | count:int | len:int]
--> 10000 | 7 | 3 | 1
--> (1 rows affected)
--> [x:int]
--> 7
--> 2
--> (2 rows affected)
--> [most:int | n:int]
--> 2 | 2
--> 7 | 1
--> (2 rows affected)
--> [y:int]
--> 5
--> 5
--> 7
--> (3 rows affected)
--> Msg 547, Level 16, State 0, Line 6: The UPDATE statement conflicted with the CHECK constraint "CK__t__x__000003EE". The conflict occurred in database "named_as_aggregates", table "dbo.t", column 'x'.
--> # The statement has been terminated.
--> [x:int]
--> 1
--> 2
--> 7
--> (3 rows affected)
insert t (x) values (100)
go
--> Msg 547, Level 16, State 0, Line 1: The INSERT statement conflicted with the CHECK constraint "CK__t__x__000003EE". The conflict occurred in database "named_as_aggregates", table "dbo.t", column 'x'.
--> # The statement has been terminated.
select nowhere.sum (x) from t
go
--> Msg 4121, Level 16, State 1, Line 1: Cannot find either column "nowhere" or the user-defined function or aggregate "nowhere.sum", or the name is ambiguous.
select dbo.min (x) from t
go
--> Msg 4121, Level 16, State 1, Line 1: Cannot find either column "dbo" or the user-defined function or aggregate "dbo.min", or the name is ambiguous.
select dbo.upper ('a')
go
--> Msg 4121, Level 16, State 1, Line 1: Cannot find either column "dbo" or the user-defined function or aggregate "dbo.upper", or the name is ambiguous.
select sys.len ('a')
go
--> Msg 4121, Level 16, State 1, Line 1: Cannot find either column "sys" or the user-defined function or aggregate "sys.len", or the name is ambiguous.
select dbo.sum (x) over () from t
go
--> Msg 4113, Level 15, State 1, Line 1: The function 'dbo.sum' is not a valid windowing function, and cannot be used with the OVER clause.
select dbo.max (x) from t
go
--> Msg 313, Level 16, State 2, Line 1: An insufficient number of arguments were supplied for the procedure or function dbo.max.
select 0xabc\
def as continued, datalength (0x01\
02) as bytes
go
--> [continued:varbinary(3) | bytes:int]
--> 0xABCDEF | 2
--> (1 rows affected)
select 1 as a option (nosuch)
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'nosuch'.
select 1 as a option (recompile, maxdop 1, maxdrop 1)
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'maxdrop'.
select 1 as a option (recompile, maxdop 1, use hint ('DISABLE_PARAMETER_SNIFFING'))
go
--> [a:int]
--> 1
--> (1 rows affected)
