-- differs secondary: the indexes of a table that is refused are refused, too
-- Which columns of a result may be NULL, as SELECT INTO and computed columns keep it: a written CAST always may, COALESCE where
-- any of its values may, ISNULL where all of them may.
create table a (i int not null, n int null, s varchar(5) not null)
go
select cast(1 as int) c1, cast(i as bigint) c2, convert(date, '2020-01-01') c3, cast(s as varchar(9)) c4,
    coalesce(n, 0) c5, coalesce(i, 1) c6, isnull(n, 0) c7, isnull(cast(n as int), 0) c8, 1 c9, 'x' c10, i c11, n c12
into b from a
go
--> (0 rows affected)
select name, is_nullable from sys.columns where object_id = object_id('b')
go
--> [name:nvarchar(128) | is_nullable:bit]
--> c1 | 1
--> c2 | 1
--> c3 | 1
--> c4 | 1
--> c5 | 1
--> c6 | 0
--> c7 | 0
--> c8 | 0
--> c9 | 0
--> c10 | 0
--> c11 | 0
--> c12 | 1
--> (12 rows affected)
-- The documented example: a key may be over ISNULL.
create table with_isnull (col1 int null, col2 as coalesce(col1, 0), col3 as isnull(col1, 0) primary key)
go
insert with_isnull values (null)
select * from with_isnull
go
--> (1 rows affected)
--> [col1:int | col2:int | col3:int]
--> NULL | 0 | 0
--> (1 rows affected)
-- The documented example: one over COALESCE is refused.
create table with_coalesce (col1 int null, col2 as coalesce(col1, 0) primary key, col3 as isnull(col1, 0))
go
--> Msg 1711, Level 16, State 1, Line 2: Cannot define PRIMARY KEY constraint on column 'col2' in table 'with_coalesce'. The computed column has to be persisted and not nullable.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
-- What is computed may be NULL, but a persisted column of it may be part of a primary key (hash partitioning: Korotkevitch, "SQL Server Advanced Troubleshooting and Performance Tuning", chapter 10).
create table hashed (i int not null, h as i % 16 persisted, constraint pk_hashed primary key nonclustered (i, h))
insert hashed values (35)
select i, h from hashed
create table by_sum (i int not null, h as i + 1 persisted, primary key (i, h))
go
--> (1 rows affected)
--> [i:int | h:int]
--> 35 | 3
--> (1 rows affected)
select i % 16 as r1, i % -3 as r2, n % 16 as r3, i % 0 as r4, i % i as r5, i % 2.5 as r6, i + 1 as r7 into remainders from a where 1 = 0
select name, is_nullable from sys.columns where object_id = object_id('remainders')
go
--> (0 rows affected)
--> [name:nvarchar(128) | is_nullable:bit]
--> r1 | 1
--> r2 | 1
--> r3 | 1
--> r4 | 1
--> r5 | 1
--> r6 | 1
--> r7 | 1
--> (7 rows affected)
