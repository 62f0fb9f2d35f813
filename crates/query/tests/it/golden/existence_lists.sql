-- EXISTS does not look at what `*` stands for; `alias.*` may be the columns of a table of a query around.
create database existence_lists
go
use existence_lists
set nocount on
go
create table t (id int not null primary key, a int, b int)
insert t values (1, 1, 1), (2, 2, null), (3, 1, 1)
go
-- With groups: Ola Hallengren's IndexOptimize asks so.
declare @a table (g varchar(5), a varchar(5)); insert @a values ('x','y'),('x','y'),('z','y');
if exists (select * from @a where g = 'x' group by a having count(*) > 1) select 'found' as x
if exists (select * from @a where g = 'z' group by a having count(*) > 1) select 'wrong' as x
if not exists (select q.* from @a q where g = 'z' group by a having count(*) > 1) select 'none' as x
select id from t where exists (select * from t i where i.a = t.a group by i.a having max (i.id) > t.id) order by id
select id from t where exists (select top 1 i.*, i.a from t i where i.a = t.a group by i.a order by i.a) order by id
select count (*) as n from t where exists (select * from t having count (*) > 2)
select count (*) as n from t where exists (select * from t having count (*) > 3)
select case when exists (select distinct * from t group by a) then 1 else 0 end as found
select case when exists ((select * from t group by a)) then 1 else 0 end as found
go
--> [x:varchar(5)]
--> found
--> [x:varchar(4)]
--> none
--> [id:int]
--> 1
--> [id:int]
--> 1
--> 2
--> 3
--> [n:int]
--> 3
--> [n:int]
--> 0
--> [found:int]
--> 1
--> [found:int]
--> 1
-- What is named is looked at.
select 1 from t where exists (select b from t i group by a)
go
--> Msg 8120, Level 16, State 1, Line 2: Column 'i.b' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select 1 from t where exists (select *, b from t i group by a)
go
--> Msg 8120, Level 16, State 1, Line 1: Column 'i.b' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select 1 from t where exists (select x.* from t i group by a)
go
--> Msg 107, Level 15, State 1, Line 1: The column prefix 'x' does not match with a table name or alias name used in the query.
select * from t i group by a
go
--> Msg 8120, Level 16, State 1, Line 1: Column 'i.id' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
select 1 from t where exists (select 1 where exists (select * from t group by a) group by nothing)
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nothing'.
-- A set operator compares the rows, so the list counts there.
select 1 from t where exists (select * from t i group by a except select * from t)
go
--> Msg 8120, Level 16, State 1, Line 2: Column 'i.id' is invalid in the select list because it is not contained in either an aggregate function or the GROUP BY clause.
-- Without FROM: one row, where it passes.
if exists (select * where convert (varchar (20), serverproperty ('ProductVersion')) like '1%') select 'yes' as x
if exists (select * where 1 = 0) select 'wrong' as x
if not exists (select * where 1 = 0) select 'no' as x
select id from t where exists (select * where t.b is null) order by id
select id from t where exists (select *, 1 where t.b is null) order by id
go
--> [x:varchar(3)]
--> yes
--> [x:varchar(2)]
--> no
--> [id:int]
--> 2
--> [id:int]
--> 2
select *
go
--> Msg 263, Level 16, State 1, Line 1: Must specify table to select from.
select 1 where exists (select checksum (*))
go
--> Msg 263, Level 16, State 1, Line 1: Must specify table to select from.
select 1 where exists (select * union select *)
go
--> Msg 263, Level 16, State 1, Line 1: Must specify table to select from.
select 1 where exists (select 1 from (select *) x)
go
--> Msg 263, Level 16, State 1, Line 1: Must specify table to select from.
select id from t where id in (select *)
go
--> Msg 263, Level 16, State 1, Line 1: Must specify table to select from.
-- Tables around (T-SQL of MERGE that changes only what differs: Ben-Gan, Exam Ref 70-761).
select x.id from t x join t y on x.id = y.id where exists (select x.* intersect select y.*) order by x.id
select x.id from t x join t y on x.id = y.id + 1 where exists (select x.a, x.b intersect select y.a, y.b) order by x.id
select x.id, z.* from t x cross apply (select x.*) z order by x.id
select x.id, z.* from t x cross apply (select x.*, y.a as other from t y where y.id = x.id + 1) z order by x.id
select x.id, z.* from t x cross apply (select x.* union all select y.* from t y where y.a = x.a and y.id > x.id) z order by x.id, z.id
select x.id, (select count (*) from (select x.*) q) as n from t x order by x.id
select x.id from (select id from t) x where x.id in (select x.*) order by x.id
select id from t where exists (select t.* except select * from t i where i.id < 3) order by id
go
--> [id:int]
--> 1
--> 2
--> 3
--> [id:int]
--> [id:int | id:int | a:int | b:int]
--> 1 | 1 | 1 | 1
--> 2 | 2 | 2 | NULL
--> 3 | 3 | 1 | 1
--> [id:int | id:int | a:int | b:int | other:int]
--> 1 | 1 | 1 | 1 | 2
--> 2 | 2 | 2 | NULL | 1
--> [id:int | id:int | a:int | b:int]
--> 1 | 1 | 1 | 1
--> 1 | 3 | 1 | 1
--> 2 | 2 | 2 | NULL
--> 3 | 3 | 1 | 1
--> [id:int | n:int]
--> 1 | 1
--> 2 | 1
--> 3 | 1
--> [id:int]
--> 1
--> 2
--> 3
--> [id:int]
--> 3
merge t as TGT using (values (1, 1, 1), (2, 3, null), (3, 3, 3), (4, 4, 4)) as SRC (id, a, b) on SRC.id = TGT.id
when matched and exists (select SRC.* except select TGT.*) then update set a = SRC.a, b = SRC.b
when not matched then insert values (SRC.id, SRC.a, SRC.b)
output $action as done, inserted.*;
select * from t order by id
go
--> [done:nvarchar(10) | id:int | a:int | b:int]
--> UPDATE | 2 | 3 | NULL
--> UPDATE | 3 | 3 | 3
--> INSERT | 4 | 4 | 4
--> [id:int | a:int | b:int]
--> 1 | 1 | 1
--> 2 | 3 | NULL
--> 3 | 3 | 3
--> 4 | 4 | 4
update x set a = 9 from t x join t y on y.id = x.id + 1 where exists (select x.a except select y.b)
select * from t order by id
go
--> [id:int | a:int | b:int]
--> 1 | 9 | 1
--> 2 | 3 | NULL
--> 3 | 9 | 3
--> 4 | 4 | 4
-- A name that no table has, and one of a table beside that is not around.
select x.id from t x where exists (select nobody.* from t)
go
--> Msg 107, Level 15, State 1, Line 2: The column prefix 'nobody' does not match with a table name or alias name used in the query.
select x.id from t x cross join (select x.*) y
go
--> Msg 107, Level 15, State 1, Line 1: The column prefix 'x' does not match with a table name or alias name used in the query.
