-- differs clustered, secondary: the indexes are dependent on columns that are altered
-- Columns that are added and altered: a default is computed for each row; what is an identity or a rowversion stays one.
-- differs restarts: numbers of an identity that were kept in advance are lost when the server does not end in order
set nocount on
create table t (a int)
insert t values (1), (2), (3)
create sequence s as int start with 1
go
alter table t add g uniqueidentifier not null default newid()
alter table t add n uniqueidentifier null default newid() with values
alter table t add q int not null default (next value for s)
alter table t add k int not null default 5
alter table t add d datetime not null default getdate()
go
select count(distinct g) as g, count(distinct n) as n, min(q) as least, max(q) as most, sum(k) as k, count(distinct d) as d from t
go
--> [g:int | n:int | least:int | most:int | k:int | d:int]
--> 3 | 3 | 1 | 3 | 15 | 1
create table i (a int identity, b int)
insert i (b) values (1), (2)
alter table i alter column a bit
go
--> Msg 2749, Level 16, State 2, Line 3: Identity column 'a' must be of data type int, bigint, smallint, tinyint, or decimal or numeric with a scale of 0, unencrypted, and constrained to be nonnullable.
alter table i alter column a varchar(20)
go
--> Msg 2749, Level 16, State 2, Line 1: Identity column 'a' must be of data type int, bigint, smallint, tinyint, or decimal or numeric with a scale of 0, unencrypted, and constrained to be nonnullable.
alter table i alter column a int null
go
--> Msg 8147, Level 16, State 1, Line 1: Could not create IDENTITY attribute on nullable column 'a', table 'i'.
alter table i alter column a bigint
insert i (b) values (3)
select a from i order by a
go
--> [a:bigint]
--> 1
--> 2
--> 3
create table rv (a int, r rowversion)
alter table rv alter column r int
go
--> Msg 4928, Level 16, State 1, Line 2: Cannot alter column 'r' because it is 'timestamp'.
alter table rv alter column a rowversion
go
--> Msg 4927, Level 16, State 1, Line 1: Cannot alter column 'a' to be data type timestamp.
