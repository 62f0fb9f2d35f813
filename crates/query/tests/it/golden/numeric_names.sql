-- differs parameters: a literal has less precision than its type
-- differs secondary: an index is dependent on a column that is altered
-- decimal and numeric are one type by two names, and each keeps its own.
select 1.5 a, cast(1.5 as decimal(5, 2)) b, cast(1.5 as numeric(5, 2)) c, 12345678901 d
go
--> [a:numeric(2,1) | b:decimal(5,2) | c:numeric(5,2) | d:numeric(11,0)]
--> 1.5 | 1.50 | 1.50 | 12345678901
--> (1 rows affected)
select sql_variant_property(1.5, 'BaseType') a, sql_variant_property(cast(1.5 as decimal(5, 2)), 'BaseType') b,
    sql_variant_property(cast(1 as numeric(5)), 'BaseType') c
go
--> [a:sql_variant | b:sql_variant | c:sql_variant]
--> numeric | decimal | numeric
--> (1 rows affected)
create table nn(n numeric(5, 2), d decimal(5, 2), c as n + 1, v sql_variant)
insert nn(n, d, v) values (1.5, 2.5, cast(3.5 as numeric(5, 2))), (2, 3, cast(4 as decimal(5, 2)))
go
--> (2 rows affected)
select name, type_name(user_type_id) t, system_type_id, precision, scale from sys.columns where object_id = object_id('nn') order by column_id
go
--> [name:nvarchar(128) | t:nvarchar(128) | system_type_id:tinyint | precision:tinyint | scale:tinyint]
--> n | numeric | 108 | 5 | 2
--> d | decimal | 106 | 5 | 2
--> c | numeric | 108 | 6 | 2
--> v | sql_variant | 98 | 0 | 0
--> (4 rows affected)
select column_name, data_type from information_schema.columns where table_name = 'nn' order by ordinal_position
go
--> [column_name:nvarchar(128) | data_type:nvarchar(128)]
--> n | numeric
--> d | decimal
--> c | numeric
--> v | sql_variant
--> (4 rows affected)
select n, d, n + n a, n * 2 b, sum(n) over () c, sql_variant_property(v, 'BaseType') v from nn order by n
go
--> [n:numeric(5,2) | d:decimal(5,2) | a:numeric(6,2) | b:numeric(7,2) | c:numeric(38,2) | v:sql_variant]
--> 1.50 | 2.50 | 3.00 | 3.00 | 3.50 | decimal
--> 2.00 | 3.00 | 4.00 | 4.00 | 3.50 | decimal
--> (2 rows affected)
select sum(n) a, sum(d) b, avg(n) c, max(d) e, round(max(n), 1) f, abs(min(n)) g, floor(max(n)) h from nn
go
--> [a:numeric(38,2) | b:decimal(38,2) | c:numeric(38,6) | e:decimal(5,2) | f:numeric(5,2) | g:numeric(38,2) | h:numeric(5,0)]
--> 3.50 | 5.50 | 1.750000 | 3.00 | 2.00 | 1.50 | 2
--> (1 rows affected)
select n, d, n + 0.5 m, d + 0.5 e into #nn from nn
select name, type_name(system_type_id) t, precision, scale from tempdb.sys.columns where object_id = object_id('tempdb..#nn') order by column_id
go
--> (2 rows affected)
--> [name:nvarchar(128) | t:nvarchar(128) | precision:tinyint | scale:tinyint]
--> n | numeric | 5 | 2
--> d | decimal | 5 | 2
--> m | numeric | 6 | 2
--> e | decimal | 6 | 2
--> (4 rows affected)
select a.n from nn a join nn b on a.n = b.d - 1 where a.n in (1.5, 2.5) order by 1
go
--> [n:numeric(5,2)]
--> 1.50
--> (1 rows affected)
alter table nn alter column d numeric(5, 2)
select type_name(user_type_id) t from sys.columns where object_id = object_id('nn') and name = 'd'
go
--> [t:nvarchar(128)]
--> numeric
--> (1 rows affected)
alter table nn alter column d decimal(7, 2)
select type_name(user_type_id) t, precision from sys.columns where object_id = object_id('nn') and name = 'd'
go
--> [t:nvarchar(128) | precision:tinyint]
--> decimal | 7
--> (1 rows affected)
create table ident(i numeric(9, 0) identity, x int)
insert ident(x) values (1)
select @@identity a, scope_identity() b, ident_current('ident') c, i from ident
go
--> (1 rows affected)
--> [a:numeric(38,0) | b:numeric(38,0) | c:numeric(38,0) | i:numeric(9,0)]
--> 1 | 1 | 1 | 1
--> (1 rows affected)
create type price from numeric(9, 2)
go
create table priced(p price)
select type_name(system_type_id) t, type_name(user_type_id) u from sys.columns where object_id = object_id('priced')
go
--> [t:nvarchar(128) | u:nvarchar(128)]
--> numeric | price
--> (1 rows affected)
select cast(1 as decimal(5, 2)) a union all select 1.5
go
--> [a:decimal(5,2)]
--> 1.00
--> 1.50
--> (2 rows affected)
declare @n numeric(5, 1) = 1.5, @d decimal(5, 1) = 2.5
select @n n, @d d, @n + @d s, coalesce(@n, @d) c
go
--> [n:numeric(5,1) | d:decimal(5,1) | s:decimal(6,1) | c:decimal(5,1)]
--> 1.5 | 2.5 | 4.0 | 1.5
--> (1 rows affected)
