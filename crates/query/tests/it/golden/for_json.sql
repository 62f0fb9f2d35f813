-- differs parameters: the name of ROOT is a literal
create table u (id int not null primary key, a int)
insert u values (1, 10), (2, 20)
create table t (id int not null primary key, a int, b int, s varchar(20), d datetime)
insert t values (1, 10, 20, 'x', '2020-01-01'), (2, 30, 40, 'z', '2021-06-15'), (3, 50, 60, 'q', '2022-03-10')
go
--> (2 rows affected)
--> (3 rows affected)
-- PATH: an object of each row, members by the points in their names
select id, a, s from t order by id for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"a":10,"s":"x"},{"id":2,"a":30,"s":"z"},{"id":3,"a":50,"s":"q"}]
--> (3 rows affected)
select id as [x.id], a as [x.a], s as [y.z.s] from t where id = 1 for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"x":{"id":1,"a":10},"y":{"z":{"s":"x"}}}]
--> (1 rows affected)
select id, null as x from t where id = 1 for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1}]
--> (1 rows affected)
select id, null as x from t where id = 1 for json path, include_null_values
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"x":null}]
--> (1 rows affected)
select id from t order by id for json path, without_array_wrapper
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> {"id":1},{"id":2},{"id":3}
--> (3 rows affected)
select id from t where id = 1 for json path, root
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> {"root":[{"id":1}]}
--> (1 rows affected)
select id from t where id = 1 for json path, root ('da/ta')
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> {"da\/ta":[{"id":1}]}
--> (1 rows affected)
select id from t where id = 1 for json path, root('')
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> {"":[{"id":1}]}
--> (1 rows affected)
select id, null as [x.p], null as [x.q] from t where id = 1 for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1}]
--> (1 rows affected)
select id, null as [x.p], null as [x.q] from t where id = 1 for json path, include_null_values
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"x":{"p":null,"q":null}}]
--> (1 rows affected)
select id as [x.p], null as [x.q] from t where id = 1 for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"x":{"p":1}}]
--> (1 rows affected)
select null as a, null as b from t where id = 1 for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{}]
--> (1 rows affected)
select top (2) id from t order by id desc for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":3},{"id":2}]
--> (2 rows affected)
select 1 as [a b], 2 as [q"/] for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"a b":1,"q\"\/":2}]
--> (1 rows affected)
select count(*) as n, sum(a) as s from t for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"n":3,"s":90}]
--> (1 rows affected)
select id from t where id < 3 union all select id from u order by id for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1},{"id":1},{"id":2},{"id":2}]
--> (4 rows affected)
select id from t where 1 = 0 for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> (0 rows affected)
select id from t for json path
select @@rowcount as n
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1},{"id":2},{"id":3}]
--> (3 rows affected)
--> [n:int]
--> 3
--> (1 rows affected)
-- each type has its form
select cast(5 as bigint) as bi, cast(5 as smallint) as si, cast(5 as tinyint) as ti, cast(1 as bit) as bt, cast(0 as bit) as bf for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"bi":5,"si":5,"ti":5,"bt":true,"bf":false}]
--> (1 rows affected)
select cast(1.5 as decimal(10, 2)) as dec, cast(12.34 as money) as mn, cast(12.34 as smallmoney) as sm, cast(1.5 as float) as f, cast(1.5 as real) as r, cast(0 as float) as fz for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"dec":1.50,"mn":12.3400,"sm":12.3400,"f":1.500000000000000e+000,"r":1.5000000e+000,"fz":0.000000000000000e+000}]
--> (1 rows affected)
select cast('2020-01-02' as date) as d, cast('2020-01-02 03:04:05.1234567' as datetime2(7)) as dt2, cast('03:04:05.1234567' as time) as tm, cast('2020-01-02 03:04:05.1234567 +05:30' as datetimeoffset) as dto, cast('2020-01-02 03:04:05.123' as datetime) as dt, cast('2020-01-02 03:04:00' as smalldatetime) as sdt for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"d":"2020-01-02","dt2":"2020-01-02T03:04:05.1234567","tm":"03:04:05.1234567","dto":"2020-01-02T03:04:05.1234567+05:30","dt":"2020-01-02T03:04:05.123","sdt":"2020-01-02T03:04:00"}]
--> (1 rows affected)
select cast('2020-01-02 03:04:05.100' as datetime) as a, cast('2020-01-02 03:04:05.003' as datetime) as b, cast('2020-01-02' as datetime) as c, cast('2020-01-02 03:04:05' as datetimeoffset(0)) as z for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"a":"2020-01-02T03:04:05.100","b":"2020-01-02T03:04:05.003","c":"2020-01-02T00:00:00","z":"2020-01-02T03:04:05Z"}]
--> (1 rows affected)
select cast('12345678-1234-1234-1234-1234567890ab' as uniqueidentifier) as g, cast(0x0102ff as varbinary(10)) as b, cast(5 as sql_variant) as v, cast('<a>1</a>' as xml) as x for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"g":"12345678-1234-1234-1234-1234567890AB","b":"AQL/","v":5,"x":"<a>1<\/a>"}]
--> (1 rows affected)
select concat('a"c\d', nchar(8), nchar(9), nchar(10), nchar(12), nchar(13), nchar(1), nchar(31), N'é<€') as s for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"s":"a\"c\\d\b\t\n\f\r\u0001\u001fé<€"}]
--> (1 rows affected)
-- texts of JSON are members as they are
select t.id, (select u.a from u where u.id = t.id for json path) as kids from t order by t.id for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"kids":[{"a":10}]},{"id":2,"kids":[{"a":20}]},{"id":3}]
--> (3 rows affected)
select id, json_query('[1,2]') as arr, '[1,2]' as txt from t where id = 1 for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"arr":[1,2],"txt":"[1,2]"}]
--> (1 rows affected)
select (select 1 as q for json path, without_array_wrapper) as a for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"a":"{\"q\":1}"}]
--> (1 rows affected)
select json_query((select 1 as q for json path, without_array_wrapper)) as a for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"a":{"q":1}}]
--> (1 rows affected)
select json_object('a': (select 1 as q for json path, root('r'))) as v
go
--> [v:nvarchar(max)]
--> {"a":{"r":[{"q":1}]}}
--> (1 rows affected)
-- AUTO: a level of each table, in the order of their first columns
create table pp (id int, nm nvarchar(20))
create table cc (id int, pid int, cnm nvarchar(20))
create table gg (id int, pid int, gnm nvarchar(20))
insert pp values (1, 'alpha'), (2, 'beta'), (3, 'gamma'), (4, 'alpha')
insert cc values (10, 1, 'a1'), (11, 1, 'a2'), (12, 2, 'b1'), (13, 4, 'd1')
insert gg values (100, 1, 'g1'), (101, 1, 'g2')
go
--> (4 rows affected)
--> (4 rows affected)
--> (2 rows affected)
select id, a from t order by id for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"a":10},{"id":2,"a":30},{"id":3,"a":50}]
--> (3 rows affected)
select id as [x.y] from t where id = 1 for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"x.y":1}]
--> (1 rows affected)
select p.id, p.nm, c.id, c.cnm from pp p join cc c on c.pid = p.id order by p.id, c.id for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"nm":"alpha","c":[{"id":10,"cnm":"a1"},{"id":11,"cnm":"a2"}]},{"id":2,"nm":"beta","c":[{"id":12,"cnm":"b1"}]},{"id":4,"nm":"alpha","c":[{"id":13,"cnm":"d1"}]}]
--> (4 rows affected)
select p.id, c.cnm, p.nm from pp p join cc c on c.pid = p.id order by p.id, c.id for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"nm":"alpha","c":[{"cnm":"a1"},{"cnm":"a2"}]},{"id":2,"nm":"beta","c":[{"cnm":"b1"}]},{"id":4,"nm":"alpha","c":[{"cnm":"d1"}]}]
--> (4 rows affected)
select p.id, c.cnm, g.gnm from pp p join cc c on c.pid = p.id join gg g on g.pid = p.id order by p.id, c.id, g.id for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"c":[{"cnm":"a1","g":[{"gnm":"g1"},{"gnm":"g2"}]},{"cnm":"a2","g":[{"gnm":"g1"},{"gnm":"g2"}]}]}]
--> (4 rows affected)
select p.id, c.cnm from pp p left join cc c on c.pid = p.id order by p.id, c.id for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"c":[{"cnm":"a1"},{"cnm":"a2"}]},{"id":2,"c":[{"cnm":"b1"}]},{"id":3,"c":[{}]},{"id":4,"c":[{"cnm":"d1"}]}]
--> (5 rows affected)
select p.id, c.cnm from pp p left join cc c on c.pid = p.id order by p.id, c.id for json auto, include_null_values
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"c":[{"cnm":"a1"},{"cnm":"a2"}]},{"id":2,"c":[{"cnm":"b1"}]},{"id":3,"c":[{"cnm":null}]},{"id":4,"c":[{"cnm":"d1"}]}]
--> (5 rows affected)
select p.id, c.cnm, p.nm + 'X' as calc from pp p join cc c on c.pid = p.id order by p.id, c.id for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1,"c":[{"cnm":"a1","calc":"alphaX"},{"cnm":"a2","calc":"alphaX"}]},{"id":2,"c":[{"cnm":"b1","calc":"betaX"}]},{"id":4,"c":[{"cnm":"d1","calc":"alphaX"}]}]
--> (4 rows affected)
select c.cnm from pp p join cc c on c.pid = p.id order by c.id for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"cnm":"a1"},{"cnm":"a2"},{"cnm":"b1"},{"cnm":"d1"}]
--> (4 rows affected)
select p.id, c.cnm from pp p join cc c on c.pid = p.id where p.id = 1 order by c.id for json auto, root('r')
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> {"r":[{"id":1,"c":[{"cnm":"a1"},{"cnm":"a2"}]}]}
--> (2 rows affected)
select p.id, c.cnm from pp p join cc c on c.pid = p.id where p.id = 1 order by c.id for json auto, root
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> {"p":[{"id":1,"c":[{"cnm":"a1"},{"cnm":"a2"}]}]}
--> (2 rows affected)
select p.id, c.cnm from pp p join cc c on c.pid = p.id where p.id = 1 order by c.id for json auto, without_array_wrapper
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> {"id":1,"c":[{"cnm":"a1"},{"cnm":"a2"}]}
--> (2 rows affected)
select dbo.cc.cnm, pp.id from dbo.cc join pp on pp.id = cc.pid where pp.id = 2 for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"cnm":"b1","pp":[{"id":2}]}]
--> (1 rows affected)
select pp.id, dbo.cc.cnm from pp join dbo.cc on pp.id = cc.pid where pp.id = 2 for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":2,"dbo.cc":[{"cnm":"b1"}]}]
--> (1 rows affected)
select 1 as a from t where id = 1 for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"a":1}]
--> (1 rows affected)
select id from t where id = 1 union all select id from u where id = 2 for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":1},{"id":2}]
--> (2 rows affected)
select p.nm, count(*) as n, max(c.cnm) as m from pp p join cc c on c.pid = p.id group by p.nm order by p.nm for json auto
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"nm":"alpha","n":3,"m":"d1"},{"nm":"beta","n":1,"m":"b1"}]
--> (2 rows affected)
-- what is refused
select id, id + 1 from t for json path
go
--> Msg 13605, Level 16, State 1, Line 2: Column expressions and data sources without names or aliases cannot be formatted as JSON text using FOR JSON clause. Add alias to the unnamed column or table.
select id as k, a as k from t for json path
go
--> Msg 13601, Level 16, State 1, Line 1: Property 'k' cannot be generated in JSON output due to a conflict with another column name or alias. Use different names and aliases for each column in SELECT list.
select id as a, id as [a.b] from t for json path
go
--> Msg 13601, Level 16, State 1, Line 1: Property 'a.b' cannot be generated in JSON output due to a conflict with another column name or alias. Use different names and aliases for each column in SELECT list.
select id as [a.b], id as a from t for json path
go
--> Msg 13601, Level 16, State 1, Line 1: Property 'a' cannot be generated in JSON output due to a conflict with another column name or alias. Use different names and aliases for each column in SELECT list.
select id as [x.a], a as [y.b], b as [x.c] from t for json path
go
--> Msg 13601, Level 16, State 1, Line 1: Property 'x.c' cannot be generated in JSON output due to a conflict with another column name or alias. Use different names and aliases for each column in SELECT list.
select id as [.a] from t for json path
go
--> Msg 13603, Level 16, State 1, Line 1: Property '.a' cannot be generated in JSON output due to invalid character in the column name or alias. Column name or alias that contains '..', starts or ends with '.' is not allowed in query that has FOR JSON clause.
select id as [a.] from t for json path
go
--> Msg 13603, Level 16, State 1, Line 1: Property 'a.' cannot be generated in JSON output due to invalid character in the column name or alias. Column name or alias that contains '..', starts or ends with '.' is not allowed in query that has FOR JSON clause.
select id as [a..b] from t for json path
go
--> Msg 13603, Level 16, State 1, Line 1: Property 'a..b' cannot be generated in JSON output due to invalid character in the column name or alias. Column name or alias that contains '..', starts or ends with '.' is not allowed in query that has FOR JSON clause.
select id from t for json path, root('r'), without_array_wrapper
go
--> Msg 13620, Level 16, State 1, Line 1: ROOT option and WITHOUT_ARRAY_WRAPPER option cannot be used together in FOR JSON. Remove one of these options.
select 1 as a for json auto
go
--> Msg 13600, Level 16, State 1, Line 1: FOR JSON AUTO requires at least one table for generating JSON objects. Use FOR JSON PATH or add a FROM clause with a table name.
insert u select id as id, a as a from t for json path
go
--> Msg 13602, Level 16, State 1, Line 1: The FOR JSON clause is not allowed in a INSERT statement.
select id into z from t for json path
go
--> Msg 13602, Level 16, State 1, Line 1: The FOR JSON clause is not allowed in a SELECT INTO statement.
declare @v int select @v = id from t for json path
go
--> Msg 6819, Level 16, State 3, Line 1: The FOR XML clause is not allowed in a ASSIGNMENT statement.
declare c cursor for select id from t for json path
go
--> Msg 13602, Level 16, State 1, Line 1: The FOR JSON clause is not allowed in a CURSOR statement.
create view w as select id from t for json path
go
--> Msg 4511, Level 16, State 1, Line 1: Create View or Function failed because no column name was specified for column 1.
select id from t for json raw
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'JSON'.
select id from t for json path, root, root
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'JSON'.
select * from (select id from t for json path) as d
go
--> Msg 8155, Level 16, State 2, Line 1: No column name was specified for column 1 of 'd'.
-- elsewhere it is one text; a client gets it in pieces of 2033 characters
declare @v nvarchar(max) = (select id from t order by id for json path)
select @v as v
go
--> [v:nvarchar(max)]
--> [{"id":1},{"id":2},{"id":3}]
--> (1 rows affected)
declare @v nvarchar(max)
set @v = (select id from t where 1 = 0 for json path)
select @v as v
go
--> [v:nvarchar(max)]
--> NULL
--> (1 rows affected)
select d.j from (select id from t where id = 1 for json path) as d (j)
go
--> [j:nvarchar(max)]
--> [{"id":1}]
--> (1 rows affected)
create view v (j) as select id from t where id < 3 for json auto
go
select j, json_array(j) as a from v
go
--> [j:nvarchar(max) | a:nvarchar(max)]
--> [{"id":1},{"id":2}] | [[{"id":1},{"id":2}]]
--> (1 rows affected)
declare @v nvarchar(max) = (select value as n from generate_series(1, 1000) for json path)
select len(@v) as n, isjson(@v) as j, json_value(@v, '$[999].n') as last, (select count(*) from openjson(@v)) as c
go
--> [n:bigint | j:int | last:nvarchar(4000) | c:int]
--> 9894 | 1 | 1000 | 1000
--> (1 rows affected)
select replicate('x', 2030) as a for json path
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"a":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
--> xxxx"}]
--> (1 rows affected)
create procedure p as select id from t where id = 2 for json path
go
exec p
create table #r (j nvarchar(max))
insert #r exec p
select j from #r
go
--> [JSON_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> [{"id":2}]
--> (1 rows affected)
--> (1 rows affected)
--> [j:nvarchar(max)]
--> [{"id":2}]
--> (1 rows affected)
update t set s = (select id as [a.b] from u where u.id = t.id for json path, without_array_wrapper) where id < 3
select s from t order by id
go
--> (2 rows affected)
--> [s:varchar(20)]
--> {"a":{"b":1}}
--> {"a":{"b":2}}
--> q
--> (3 rows affected)
