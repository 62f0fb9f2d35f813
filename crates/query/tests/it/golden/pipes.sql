-- Two bars join texts and bytes as + does; NULL beside a text is NULL whatever CONCAT_NULL_YIELDS_NULL says
select 'SQL ' || 'Server' as a, N'x' || 'y' as b, 0xFF || 0xA5 as c, 'a' || null as d, null || null as e
set concat_null_yields_null off
select 'a' + null as plus, 'a' || null as bars
set concat_null_yields_null on
select 'The order is due on ' || convert(varchar(12), cast('2007-04-23' as datetime), 101) as due
declare @x varchar(8000) = replicate('x', 8000), @y varchar(max) = replicate('y', 8000), @z varchar(8000) = replicate('z', 8000)
set @y = @x || @z || @y
select len(@y) as y
declare @v varchar(20) = 'ab'
set @v ||= 'cd'
select @v ||= 'ef'
select @v as v
set @v ||= null
select @v as v
select 5 | 3 as bits, 'a' || 'b' + 'c' || 'd' as joined, 1 where 'a' || 'b' = 'ab'
go
--> [a:varchar(10) | b:nvarchar(2) | c:varbinary(2) | d:varchar(2) | e:varchar(1)]
--> SQL Server | xy | 0xFFA5 | NULL | NULL
--> (1 rows affected)
--> [plus:varchar(2) | bars:varchar(2)]
--> a | NULL
--> (1 rows affected)
--> [due:varchar(32)]
--> The order is due on 04/23/2007
--> (1 rows affected)
--> [y:bigint]
--> 16000
--> (1 rows affected)
--> [v:varchar(20)]
--> abcdef
--> (1 rows affected)
--> [v:varchar(20)]
--> NULL
--> (1 rows affected)
--> [bits:int | joined:varchar(4) | :int]
--> 7 | abcd | 1
--> (1 rows affected)
-- In columns that are computed, in views, updates and order
create table joined (id int primary key, a varchar(10), b nvarchar(10), c as a || '-' || b)
insert joined values (1, 'one', N'eins'), (2, 'two', null)
update joined set a ||= '!' where id = 1
select id, c from joined order by a || b
go
--> (2 rows affected)
--> (1 rows affected)
--> [id:int | c:nvarchar(21)]
--> 2 | NULL
--> 1 | one!-eins
--> (2 rows affected)
create view both_names as select id, a || '/' || b as n from joined
go
select * from both_names order by id
go
--> [id:int | n:nvarchar(21)]
--> 1 | one!/eins
--> 2 | NULL
--> (2 rows affected)
-- Numbers and dates are none of it
select 'a' || 1
go
--> Msg 402, Level 16, State 1, Line 2: The data types varchar and int are incompatible in the concat operator.
select getdate() || 'a'
go
--> Msg 402, Level 16, State 1, Line 1: The data types datetime and varchar are incompatible in the concat operator.
select 'a' |||| 'b'
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '||'.
