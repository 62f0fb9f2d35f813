-- differs parameters: GROUPING of an expression with a constant finds none with a variable
-- What a column is when its rows come from several branches: NULL in any of them makes it nullable, and an untyped NULL
-- has the type of the others.
select 1 a union all select null
go
--> [a:int]
--> 1
--> NULL
--> (2 rows affected)
select 1 a union all select 2 union all select null
go
--> [a:int]
--> 1
--> 2
--> NULL
--> (3 rows affected)
select 1 a union all (select 2 union all select null)
go
--> [a:int]
--> 1
--> 2
--> NULL
--> (3 rows affected)
select null a union all select 1
go
--> [a:int]
--> NULL
--> 1
--> (2 rows affected)
select cast(1 as char) a union select null
go
--> [a:char(30)]
--> 1
--> NULL
--> (2 rows affected)
select a from (select 1 a union all select null) t order by a
go
--> [a:int]
--> NULL
--> 1
--> (2 rows affected)
select a from (select 1 a union all select null) t where a is null
go
--> [a:int]
--> NULL
--> (1 rows affected)
select count(*) n from (select 1 a union all select null) t where a is not null
go
--> [n:int]
--> 1
--> (1 rows affected)
create table w(id int not null, s varchar(5), u uniqueidentifier, d date, o datetimeoffset(2), b varbinary(4), t time(3))
insert w values (1, null, null, '2021-01-01', '2021-01-01 10:00 +01:00', 0x01, '10:11:12.123'),
    (2, 'x', '6F9619FF-8B86-D011-B42D-00C04FC964FF', null, null, null, null)
go
--> (2 rows affected)
select 0 id, 'all' name union all select id, s from w order by id
go
--> [id:int | name:varchar(5)]
--> 0 | all
--> 1 | NULL
--> 2 | x
--> (3 rows affected)
select d from w union all select null
go
--> [d:date]
--> 2021-01-01
--> NULL
--> NULL
--> (3 rows affected)
select null union all select d from w
go
--> [:date]
--> NULL
--> 2021-01-01
--> NULL
--> (3 rows affected)
select u from w union all select null
go
--> [u:uniqueidentifier]
--> NULL
--> 6F9619FF-8B86-D011-B42D-00C04FC964FF
--> NULL
--> (3 rows affected)
select u from w union select null
go
--> [u:uniqueidentifier]
--> NULL
--> 6F9619FF-8B86-D011-B42D-00C04FC964FF
--> (2 rows affected)
select o from w except select null
go
--> [o:datetimeoffset(2)]
--> 2021-01-01 10:00:00.00 +01:00
--> (1 rows affected)
select o from w intersect select null
go
--> [o:datetimeoffset(2)]
--> NULL
--> (1 rows affected)
select b, t from w where id = 1 union all select null, null
go
--> [b:varbinary(4) | t:time(3)]
--> 0x01 | 10:11:12.123
--> NULL | NULL
--> (2 rows affected)
select d from w where id = 1 union all select distinct null
go
--> [d:date]
--> 2021-01-01
--> NULL
--> (2 rows affected)
select d from w where id = 1 union all select top 1 null from w
go
--> [d:date]
--> 2021-01-01
--> NULL
--> (2 rows affected)
select d from w where id = 1 union all (select null where 1 = 1)
go
--> [d:date]
--> 2021-01-01
--> NULL
--> (2 rows affected)
-- The type of a column comes from the branches that have one, however many NULLs stand before them.
select null union all select null union all select d from w
go
--> [:date]
--> NULL
--> NULL
--> 2021-01-01
--> NULL
--> (4 rows affected)
select null a, 1 b union all select null, null union all select null, 2 union all select '007', 3 order by b
go
--> [a:varchar(3) | b:int]
--> NULL | NULL
--> NULL | 1
--> NULL | 2
--> 007 | 3
--> (4 rows affected)
select a, sql_variant_property (a, 'BaseType') t from (select null a union select null union select cast (1 as bit)) x
go
--> [a:bit | t:sql_variant]
--> NULL | NULL
--> 1 | bit
--> (2 rows affected)
select null a, null b union all select 1, null union all select 2, '2021-02-03' union all select 3, cast ('2021-01-02' as date)
go
--> [a:int | b:date]
--> NULL | NULL
--> 1 | NULL
--> 2 | 2021-02-03
--> 3 | 2021-01-02
--> (4 rows affected)
with n as (select null a union all select null) select a from n union all select 'x'
go
--> [a:int]
--> NULL
--> NULL
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'x' to data type int.
select null a into made_of_nulls union all select null union all select 'abc'
go
--> (3 rows affected)
select c.name, type_name (c.system_type_id) t, c.max_length from sys.columns c where object_id = object_id ('made_of_nulls')
go
--> [name:nvarchar(128) | t:nvarchar(128) | max_length:smallint]
--> a | varchar | 3
--> (1 rows affected)
select null except select null intersect select null
go
--> [:int]
--> (0 rows affected)
select x.d from (select d from w union all select null) x where x.d > '2020-01-01'
go
--> [d:date]
--> 2021-01-01
--> (1 rows affected)
with c as (select 1 a union all select nullif(a, 1) from c where a = 1) select * from c
go
--> [a:int]
--> 1
--> NULL
--> (2 rows affected)
with c(a, n) as (select cast('2021-01-01' as date), 0 union all select null, n + 1 from c where n < 2) select * from c
go
--> [a:date | n:int]
--> 2021-01-01 | 0
--> NULL | 1
--> NULL | 2
--> (3 rows affected)
with c(a, n) as (select 1, 0 union all select a, n + 1 from c where n < 1 union all select null, n + 1 from c where n < 1)
select count(*) n, count(a) m from c where a is null or n = 1
go
--> [n:int | m:int]
--> 2 | 1
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- Tables that SELECT INTO makes.
select 1 a, 'x' b into #u union all select null, null
select a, b from #u
select name, is_nullable from tempdb.sys.columns where object_id = object_id('tempdb..#u') order by column_id
go
--> (2 rows affected)
--> [a:int | b:varchar(1)]
--> 1 | x
--> NULL | NULL
--> (2 rows affected)
--> [name:nvarchar(128) | is_nullable:bit]
--> a | 1
--> b | 1
--> (2 rows affected)
with c as (select 1 a, 0 n union all select nullif(a, 1), n + 1 from c where n < 1) select a into #r from c
select a from #r order by a
select is_nullable from tempdb.sys.columns where object_id = object_id('tempdb..#r')
go
--> (2 rows affected)
--> [a:int]
--> NULL
--> 1
--> (2 rows affected)
--> [is_nullable:bit]
--> 1
--> (1 rows affected)
select concat('a', x) k, count(*) n into #g from (select 1 x union all select 2) t group by rollup (concat('a', x))
select k, n from #g order by n, k
select name, is_nullable from tempdb.sys.columns where object_id = object_id('tempdb..#g') order by column_id
go
--> (3 rows affected)
--> [k:varchar(13) | n:int]
--> a1 | 1
--> a2 | 1
--> NULL | 2
--> (3 rows affected)
--> [name:nvarchar(128) | is_nullable:bit]
--> k | 1
--> n | 1
--> (2 rows affected)
select isnull(x, 0) k, ceiling(isnull(x, 0)) c, isnull(x, 0) + 1 s into #gs
from (select 1 x union all select 2) t group by rollup (isnull(x, 0), isnull(x, 0) + 1)
select k, c, s from #gs order by k, s
go
--> (5 rows affected)
--> [k:int | c:int | s:int]
--> NULL | NULL | NULL
--> 1 | 1 | NULL
--> 1 | 1 | 2
--> 2 | 2 | NULL
--> 2 | 2 | 3
--> (5 rows affected)
select a.id, b.id other, c.id third into #j from w a left join w b on b.id = a.id + 1 outer apply (select id from w where id > a.id) c
select * from #j order by id
select name, is_nullable from tempdb.sys.columns where object_id = object_id('tempdb..#j') order by column_id
go
--> (2 rows affected)
--> [id:int | other:int | third:int]
--> 1 | 2 | 2
--> 2 | NULL | NULL
--> (2 rows affected)
--> [name:nvarchar(128) | is_nullable:bit]
--> id | 0
--> other | 1
--> third | 1
--> (3 rows affected)
-- A sum may overflow and a quotient divide by zero: SQL Server calls what is computed nullable, but not what is given.
select 1 a, -1 b, 1 + 1 c, id, id + 1 d, -id e, 'x' + 'y' f, isnull(id + 1, 0) g, isnull(id, null) h into #e from w
select name, is_nullable from tempdb.sys.columns where object_id = object_id('tempdb..#e') order by column_id
go
--> (2 rows affected)
--> [name:nvarchar(128) | is_nullable:bit]
--> a | 0
--> b | 0
--> c | 1
--> id | 0
--> d | 1
--> e | 1
--> f | 0
--> g | 0
--> h | 0
--> (9 rows affected)
select concat('a', x) k, grouping(concat('a', x)) g, count(*) n
from (select 1 x union all select null union all select 2) t group by cube (concat('a', x)) order by 2, 1
go
--> [k:varchar(13) | g:tinyint | n:int]
--> a | 0 | 1
--> a1 | 0 | 1
--> a2 | 0 | 1
--> NULL | 1 | 3
--> (4 rows affected)
select k, sum(n) n from (select 'a' k, 1 n union all select 'b', 2 union all select null, 4) t
group by grouping sets ((k), ()) order by 2
go
--> [k:varchar(1) | n:int]
--> a | 1
--> b | 2
--> NULL | 4
--> NULL | 7
--> (4 rows affected)
select id, lag(id) over (order by id) before, lead(id, 1, 0) over (order by id) after from w order by id
go
--> [id:int | before:int | after:int]
--> 1 | NULL | 2
--> 2 | 1 | 0
--> (2 rows affected)
select a.id, (select b.id from w b where b.id = a.id + 1) next from w a order by a.id
go
--> [id:int | next:int]
--> 1 | 2
--> 2 | NULL
--> (2 rows affected)
select p.[1], p.[3] from (select id, id k from w) s pivot (max(id) for k in ([1], [3])) p
go
--> [1:int | 3:int]
--> 1 | NULL
--> (1 rows affected)
-- In views, procedures, variables' tables and INSERT.
create view vw as select 1 a, cast('2021-01-01' as date) d union all select null, null
go
select a, d from vw where a is null
go
--> [a:int | d:date]
--> NULL | NULL
--> (1 rows affected)
select c.name, c.is_nullable, type_name(c.user_type_id) t from sys.columns c where object_id = object_id('vw') order by column_id
go
--> [name:nvarchar(128) | is_nullable:bit | t:nvarchar(128)]
--> a | 1 | int
--> d | 1 | date
--> (2 rows affected)
declare @t table (a int null, d date null)
insert @t select 1, '2021-01-01' union all select null, null
select a, d from @t union all select 7, null order by a
go
--> (2 rows affected)
--> [a:int | d:date]
--> NULL | NULL
--> 1 | 2021-01-01
--> 7 | NULL
--> (3 rows affected)
declare @t table (a int not null)
insert @t select 1 union all select null
go
--> Msg 515, Level 16, State 2, Line 2: Cannot insert the value NULL into column 'a', table '@t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
create procedure pw as select id, d from w union all select null, null order by id
go
exec pw
go
--> [id:int | d:date]
--> NULL | NULL
--> 1 | 2021-01-01
--> 2 | NULL
--> (3 rows affected)
insert w(id, d) select 3, null union all select 4, '2021-04-04'
select id, d from w where id > 2 order by id
go
--> (2 rows affected)
--> [id:int | d:date]
--> 3 | NULL
--> 4 | 2021-04-04
--> (2 rows affected)
merge w using (select 4 id, cast('2021-05-05' as date) d union all select 5, null) s on s.id = w.id
when matched then update set d = s.d when not matched then insert (id, d) values (s.id, s.d);
select id, d from w where id > 3 order by id
go
--> (2 rows affected)
--> [id:int | d:date]
--> 4 | 2021-05-05
--> 5 | NULL
--> (2 rows affected)
update w set d = s.d from w join (select 3 id, cast('2021-06-06' as date) d union all select 4, null) s on s.id = w.id
select id, d from w where id > 2 order by id
go
--> (2 rows affected)
--> [id:int | d:date]
--> 3 | 2021-06-06
--> 4 | NULL
--> 5 | NULL
--> (3 rows affected)
-- ISNULL in ISNULL: the text does not double at each level.
create table isn (a int null, b varchar(10) null); insert isn values (null, null), (5, 'x')
go
--> (2 rows affected)
select isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(isnull(a + 1, a + 2), 3), 4), 5), 6), 7), 8), 9), 10), 11), 12), 13), 14), 15), 16), 17), 18), 19), 20), 21), 22), 23), 24), 25) as n from isn order by n
select isnull(case when a + 1 > 2 and a + 2 < 9 and a + 3 < 10 then a * 2 + a * 3 + a * 4 else null end, 1 / 1) as n from isn order by n
select isnull(case when a + 1 > 2 and a + 2 < 9 and a + 3 < 10 then a * 2 + a * 3 + a * 4 else 0 end, 1 / 0) as n from isn order by n
go
--> [n:int]
--> 3
--> 6
--> (2 rows affected)
--> [n:int]
--> 1
--> 45
--> (2 rows affected)
--> [n:int]
--> 0
--> 45
--> (2 rows affected)
