-- COLLATE beats a column, a column beats a literal or a variable, and columns that disagree leave no collation.
create table wc(cs varchar(20) collate Latin1_General_CS_AS, def varchar(20), bin varchar(20) collate Latin1_General_BIN2,
    ai nvarchar(20) collate Latin1_General_CI_AI, n int)
insert wc values ('This is a Test', 'x', 'this is a test', N'Crème Brûlée', 1)
go
--> (1 rows affected)
-- Functions that compare.
select charindex('TEST', cs) a, charindex('Test', cs) b, patindex('%TEST%', cs) c, patindex('%Test', cs) d, replace(cs, 'TEST', 'x') e,
    replace(cs, 'is', 'IS') f, translate(cs, 'tT', 'xy') g, charindex('TEST', def + 'test') h from wc
go
--> [a:int | b:int | c:int | d:int | e:varchar(8000) | f:varchar(8000) | g:varchar(20) | h:int]
--> 0 | 11 | 0 | 11 | This is a Test | ThIS IS a Test | yhis is a yesx | 2
--> (1 rows affected)
select charindex('TEST', 'This is a Test' collate Latin1_General_CS_AS) a, replace('abcABC' collate Latin1_General_CS_AS, 'b', 'x') b,
    charindex('e', 'café' collate Latin1_General_CI_AI) c, charindex('E', N'Crème' collate Latin1_General_CS_AI, 2) d,
    charindex('brulee', ai) e, replace(ai, 'e', '_') f, patindex('%BRU%', ai) g, translate(ai, 'e', '3') h from wc
go
--> [a:int | b:varchar(8000) | c:int | d:int | e:int | f:nvarchar(4000) | g:int | h:nvarchar(20)]
--> 0 | axcABC | 4 | 0 | 7 | Cr_m_ Brûl__ | 7 | Cr3m3 Brûl33
--> (1 rows affected)
select charindex('b', bin) a, charindex('A', bin) b, charindex('is', bin, 4) c, replace(bin, 'T', 'x') d, patindex('%[A-Z]%', bin) e from wc
go
--> [a:int | b:int | c:int | d:varchar(8000) | e:int]
--> 0 | 0 | 6 | this is a test | 0
--> (1 rows affected)
select case when cs like 'this%' then 1 else 0 end a, case when cs like 'This%' then 1 else 0 end b, case when def like 'X' then 1 else 0 end c,
    case when def collate Latin1_General_CS_AS like 'X' then 1 else 0 end d, case when bin like 'T%' then 1 else 0 end e from wc
go
--> [a:int | b:int | c:int | d:int | e:int]
--> 0 | 1 | 1 | 0 | 0
--> (1 rows affected)
declare @v varchar(20) = 'THIS IS A TEST'
select count(*) a from wc where cs = @v
select count(*) a from wc where @v collate Latin1_General_CI_AS = cs
select charindex(@v, cs) a, charindex(@v, cs collate Latin1_General_CI_AS) b from wc
go
--> [a:int]
--> 0
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
--> [a:int | b:int]
--> 0 | 1
--> (1 rows affected)
-- Allowed.
select count(*) a from wc where bin collate Latin1_General_CI_AS = cs
go
--> [a:int]
--> 1
--> (1 rows affected)
select count(*) a from wc where def collate database_default = cs
go
--> [a:int]
--> 0
--> (1 rows affected)
select count(*) a from wc where cs in ('x', def collate Latin1_General_CS_AS, 'This is a Test')
go
--> [a:int]
--> 1
--> (1 rows affected)
select count(*) a from wc a join wc b on a.cs = b.cs
go
--> [a:int]
--> 1
--> (1 rows affected)
select (case when n > 10 then def else cs end) collate Latin1_General_CI_AS a, (def + cs) collate Latin1_General_BIN2 b from wc
go
--> [a:varchar(20) | b:varchar(40)]
--> This is a Test | xThis is a Test
--> (1 rows affected)
select def from wc union all select cs collate database_default from wc
go
--> [def:varchar(20)]
--> x
--> This is a Test
--> (2 rows affected)
select count(*) a from (values ('x'), ('This is a Test')) v(x) join wc on v.x = wc.cs
go
--> [a:int]
--> 1
--> (1 rows affected)
-- Refused.
select * from wc where def = cs
go
--> Msg 468, Level 16, State 9, Line 2: Cannot resolve the collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in the equal to operation.
select * from wc where cs < bin
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "Latin1_General_CS_AS" and "Latin1_General_BIN2" in the less than operation.
select * from wc where cs like bin
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "Latin1_General_CS_AS" and "Latin1_General_BIN2" in the like operation.
select * from wc where cs in ('x', def)
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "Latin1_General_CS_AS" and "SQL_Latin1_General_CP1_CI_AS" in the equal to operation.
select * from wc where cs in (select def from wc)
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "Latin1_General_CS_AS" and "SQL_Latin1_General_CP1_CI_AS" in the equal to operation.
select 1 where 'a' collate Latin1_General_CS_AS = 'a' collate Latin1_General_BIN2
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "Latin1_General_CS_AS" and "Latin1_General_BIN2" in the equal to operation.
select case when 1 = 1 then def else cs end from wc
go
--> Msg 451, Level 16, State 1, Line 1: Cannot resolve collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in CASE operator occurring in SELECT statement column 1.
select n, def + cs from wc
go
--> Msg 451, Level 16, State 1, Line 1: Cannot resolve collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in add operator occurring in SELECT statement column 2.
select def from wc union all select cs from wc
go
--> Msg 451, Level 16, State 1, Line 1: Cannot resolve collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in UNION ALL operator occurring in SELECT statement column 1.
select def from wc union select cs from wc
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in the UNION operation.
select def from wc except select cs from wc
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in the EXCEPT operation.
select n from wc where def + cs = 'x'
go
--> Msg 446, Level 16, State 9, Line 1: Cannot resolve collation conflict for equal to operation.
select patindex((case when n > 10 then def else cs end), 'a') from wc
go
--> Msg 446, Level 16, State 9, Line 1: Cannot resolve collation conflict for patindex operation.
select charindex(def, cs) from wc
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in the charindex operation.
select replace(def, cs, 'x') from wc
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in the replace operation.
select upper(def + cs) from wc
go
--> Msg 446, Level 16, State 9, Line 1: Cannot resolve collation conflict for upper operation.
select n from wc order by def + cs
go
--> Msg 446, Level 16, State 9, Line 1: Cannot resolve collation conflict for sort operation.
select count(*) from wc group by def + cs
go
--> Msg 446, Level 16, State 9, Line 1: Cannot resolve collation conflict for sort operation.
select nullif(def, cs) from wc
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in the equal to operation.
select isnull(def, cs) from wc
go
--> Msg 451, Level 16, State 1, Line 1: Cannot resolve collation conflict between "SQL_Latin1_General_CP1_CI_AS" and "Latin1_General_CS_AS" in ISNULL operator occurring in SELECT statement column 1.
select ('a' collate Latin1_General_CS_AS) collate Latin1_General_BIN2
go
--> Msg 449, Level 16, State 0, Line 1: Collation conflict caused by collate clauses with different collation 'Latin1_General_CS_AS' and 'Latin1_General_BIN2'.
-- What is assigned takes the target's collation.
update wc set def = cs
insert wc(def) select bin from wc
select def from wc
go
--> (1 rows affected)
--> (1 rows affected)
--> [def:varchar(20)]
--> This is a Test
--> this is a test
--> (2 rows affected)
