-- The identity column that SELECT INTO makes.
set nocount on
create table #t (a int, b varchar(5))
insert #t values (30, 'c'), (10, 'a'), (20, 'b')
select a, identity(int, 1, 1) as k into #q from #t order by a desc
select a, k from #q order by k
select scope_identity() as last
insert #q (a) values (40)
select a, k from #q where a = 40
go
--> [a:int | k:int]
--> 30 | 1
--> 20 | 2
--> 10 | 3
--> [last:numeric(38,0)]
--> 3
--> [a:int | k:int]
--> 40 | 4
select identity(bigint, 100, -10) as k, b, a * 2 as twice into #r from #t where a > 10 order by b
select k, b, twice from #r order by k desc
insert #r (b, twice) values ('z', 0)
select k from #r where b = 'z'
go
--> [k:bigint | b:varchar(5) | twice:int]
--> 100 | b | 40
--> 90 | c | 60
--> [k:bigint]
--> 80
select identity(smallint) as k, count(*) as n into #g from #t group by a
select count(*) as n, min(k) as least, max(k) as most from #g
select identity(numeric(5, 0), 5, 5) as k, top_a into #top from (select top (2) a as top_a from #t order by a) x order by top_a
select k, top_a from #top order by k
select identity(int, 7, 1) as k, a into #none from #t where 1 = 0
insert #none (a) values (1)
select k, a from #none
go
--> [n:int | least:smallint | most:smallint]
--> 3 | 1 | 3
--> [k:numeric(5,0) | top_a:int]
--> 5 | 10
--> 10 | 20
--> [k:int | a:int]
--> 7 | 1
-- Of a database.
create database new_identity
go
use new_identity
set nocount on
go
select identity(int, 10, 10) as k, b into kept from #t order by b
insert kept (b) values ('d')
select k, b from kept order by k
select columnproperty(object_id('kept'), 'k', 'IsIdentity') as is_identity, ident_current('kept') as last
go
--> [k:int | b:varchar(5)]
--> 10 | a
--> 20 | b
--> 30 | c
--> 40 | d
--> [is_identity:int | last:numeric(38,0)]
--> 1 | 40
select identity(int, 1, 1) as k from #t
go
--> Msg 177, Level 15, State 1, Line 1: The IDENTITY function can only be used when the SELECT statement has an INTO clause.
select identity(int, 1, 1) as k, identity(int, 1, 1) as l into #two from #t
go
--> Msg 8109, Level 16, State 1, Line 1: Attempting to add multiple identity columns to table '#two' using the SELECT INTO statement.
select identity(int, 1, 1) as k, x.k as old into #two from kept x
go
--> Msg 8108, Level 16, State 1, Line 1: Cannot add identity column, using the SELECT INTO statement, to table '#two', which already has column 'old' that inherits the identity property.
select identity(int, 1, 1) into #two from #t
go
--> Msg 1038, Level 15, State 5, Line 1: An object or column name is missing or empty. For SELECT INTO statements, verify each column has a name. For other statements, look for empty alias names. Aliases defined as "" or [] are not allowed. Change the alias to a valid name.
select identity(varchar(5), 1, 1) as k into #two from #t
go
--> Msg 2749, Level 16, State 2, Line 1: Identity column 'k' must be of data type int, bigint, smallint, tinyint, or decimal or numeric with a scale of 0, unencrypted, and constrained to be nonnullable.
select (select identity(int, 1, 1) as k) as k into #two from #t
go
--> Msg 177, Level 15, State 1, Line 1: The IDENTITY function can only be used when the SELECT statement has an INTO clause.
use master
drop database new_identity
go
