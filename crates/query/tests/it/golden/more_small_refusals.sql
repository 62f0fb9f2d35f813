-- differs secondary: the indexes of a table that is refused are refused, too
-- differs clustered: an index on a table whose creation is refused is refused too
-- Statements that are refused by the numbers that SQL Server gives them.
set nocount on
create table t (id int identity, a int)
go
select * from t x, t x
go
--> Msg 1011, Level 16, State 1, Line 1: The correlation name 'x' is specified multiple times in a FROM clause.
select (select count(*) from t u group by t.a) from t
go
--> Msg 164, Level 15, State 1, Line 1: Each GROUP BY expression must contain at least one column that is not an outer reference.
update t with (nolock) set a = 1
go
--> Msg 1065, Level 15, State 1, Line 1: The NOLOCK and READUNCOMMITTED lock hints are not allowed for target tables of INSERT, UPDATE, DELETE or MERGE statements.
delete t with (index(x))
go
--> Msg 1069, Level 16, State 1, Line 1: Index hints are only allowed in a FROM or OPTION clause.
select * from t with (index(5))
go
--> Msg 307, Level 16, State 1, Line 1: Index ID 5 on table 'dbo.t' (specified in the FROM clause) does not exist.
insert t (id, a) values (default, 2)
go
--> Msg 339, Level 16, State 1, Line 1: DEFAULT or NULL are not allowed as explicit identity values.
insert t (id, a) values (1, 2, 3)
go
--> Msg 110, Level 15, State 1, Line 1: There are fewer columns in the INSERT statement than values specified in the VALUES clause. The number of values in the VALUES clause must match the number of columns specified in the INSERT statement.
select a from t order by a fetch next 1 rows only
go
--> Msg 153, Level 15, State 2, Line 1: Invalid usage of the option next in the FETCH statement.
create table u (a int check (a > 0) check (a < 5))
go
--> Msg 8148, Level 16, State 0, Line 1: More than one column CHECK constraint specified for column 'a', table 'u'.
create table u (a int unique primary key)
go
--> Msg 8151, Level 16, State 0, Line 1: Both a PRIMARY KEY and UNIQUE constraint have been defined for column 'a', table 'u'. Only one is allowed.
select * from generate_series(1)
go
--> Msg 313, Level 16, State 3, Line 1: An insufficient number of arguments were supplied for the procedure or function generate_series.
select * from generate_series(1, 2, 3, 4)
go
--> Msg 8144, Level 16, State 3, Line 1: Procedure or function generate_series has too many arguments specified.
select max(null) from t
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type NULL is invalid for max operator.
begin end
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'end'.
begin try end try begin catch end catch
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'try'.
declare @t table (a int,)
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ')'.
create table tolerated (a int,)
drop table tolerated
go
set rowcount -1
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '-'.
set rowcount 2.5
go
--> Msg 1080, Level 15, State 1, Line 1: The integer value 2.5 is out of range.
declare @n int
set rowcount @n
go
--> Msg 507, Level 16, State 2, Line 2: Invalid argument for SET ROWCOUNT. Must be a non-null non-negative integer.
declare @n int = -1
set rowcount @n
go
--> Msg 507, Level 16, State 2, Line 2: Invalid argument for SET ROWCOUNT. Must be a non-null non-negative integer.
if 1 = 0 throw
go
--> Msg 10704, Level 15, State 1, Line 1: To rethrow an error, a THROW statement must be used inside a CATCH block. Insert the THROW statement inside a CATCH block, or add error parameters to the THROW statement.
create procedure p as print 'said'
go
exec p 5
go
--> Msg 8146, Level 16, State 2, Line 0: Procedure p has no parameters and arguments were supplied.
create table #t (a int)
go
create trigger tr on #t for insert as print 'said'
go
--> Msg 167, Level 15, State 1, Line 1: Cannot create trigger on a temporary object.
select next value for t
go
--> Msg 11726, Level 16, State 1, Line 1: Object 't' is not a sequence object.
alter table t add default 1 for zz
go
--> Msg 1752, Level 16, State 0, Line 1: Column 'zz' in table 't' is invalid for creating a default constraint.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
