-- The identity column that SELECT INTO takes over from its table.
create database inherited_identity
go
use inherited_identity
set nocount on
create table t (id int identity(10, 5) not null, b varchar(5))
insert t values ('a'), ('b'), ('c')
go
-- Seed and increment come along, and it counts on behind the rows.
select * into u from t
select scope_identity() as last
insert u values ('d')
select id, b from u order by id
select columnproperty(object_id('u'), 'id', 'IsIdentity') as is_identity, ident_seed('u') as seed, ident_incr('u') as step, ident_current('u') as last
go
--> [last:numeric(38,0)]
--> 20
--> [id:int | b:varchar(5)]
--> 10 | a
--> 15 | b
--> 20 | c
--> 25 | d
--> [is_identity:int | seed:numeric(38,0) | step:numeric(38,0) | last:numeric(38,0)]
--> 1 | 10 | 5 | 25
-- Behind its own rows, not those of the table that it comes from.
select b, id as number into few from t where id < 14 order by id desc
insert few (b) values ('x')
select number, b from few order by number
go
--> [number:int | b:varchar(5)]
--> 10 | a
--> 15 | x
select top (2) id into first from t order by id
insert first default values
select id from first order by id
go
--> [id:int]
--> 10
--> 15
--> 20
-- Without rows it begins with the seed.
select id, b into none from t where 1 = 0
insert none values ('x')
select id, b from none
go
--> [id:int | b:varchar(5)]
--> 10 | x
-- Numbers that fall.
create table falls (id bigint identity(-1, -2), b int)
insert falls values (1), (2), (3)
select id into fallen from falls order by id
insert fallen default values
select id from fallen order by id desc
go
--> [id:bigint]
--> -1
--> -3
--> -5
--> -7
create table exact (id numeric(9, 0) identity(1, 1), b int)
insert exact values (1), (2)
select id into inexact from exact
insert inexact default values
select id from inexact order by id
go
--> [id:numeric(9,0)]
--> 1
--> 2
--> 3
-- Temporary tables, from and to.
select * into #u from t
insert #u values ('d')
select id, b from #u order by id
select * into back from #u where id <= 20
insert back values ('e')
select id, b from back order by id
set identity_insert #u on
insert #u (id, b) values (99, 'z')
set identity_insert #u off
insert #u (id, b) values (1, 'y')
go
--> [id:int | b:varchar(5)]
--> 10 | a
--> 15 | b
--> 20 | c
--> 25 | d
--> [id:int | b:varchar(5)]
--> 10 | a
--> 15 | b
--> 20 | c
--> 25 | e
--> Msg 544, Level 16, State 1, Line 11: Cannot insert explicit value for identity column in table '#u' when IDENTITY_INSERT is set to OFF.
--> # The statement has been terminated.
-- Through derived tables, expressions of tables, views, synonyms and windows.
exec ('create view v as select id, b from t where b <> ''a''')
create synonym s for t
select id into of_derived from (select id, b from t) d
; with e as (select id from t) select id into of_expression from e
select id, b into of_view from v
select id into of_synonym from s
select id, row_number() over (order by b) as n into of_window from t
select id, (select max(id) from t) as most into of_subquery from t where id in (select id from u)
select distinct id into of_distinct from t
select t.name, c.is_identity from sys.columns c join sys.tables t on t.object_id = c.object_id where t.name like 'of[_]%' and c.name = 'id' order by t.name
go
--> [name:nvarchar(128) | is_identity:bit]
--> of_derived | 1
--> of_distinct | 1
--> of_expression | 1
--> of_subquery | 1
--> of_synonym | 1
--> of_view | 1
--> of_window | 1
-- Joins, set operations, groups, expressions, and the column twice make plain columns of it.
select t.id into no_join from t join u on u.id = t.id
select t.id into no_cross from t cross join u
select a.id into no_apply from t a cross apply (select 1 as x) b
select id into no_union from t union all select id from u
select id into no_except from t except select 10
select id into no_groups from t group by id
select max(id) as id into no_aggregate from t
select id + 0 as id into no_expression from t
select cast(id as bigint) as id into no_cast from t
select id, id as again into no_twice from t
select id, b into no_view_join from (select t.id, u.b from t, u) d
select t.name, c.name, c.is_identity from sys.columns c join sys.tables t on t.object_id = c.object_id where t.name like 'no[_]%' and c.name in ('id', 'again') order by t.name, c.name
select t.name from sys.columns c join sys.tables t on t.object_id = c.object_id where t.name in ('no_join', 'no_apply', 'no_union', 'no_twice') and c.is_nullable = 1
go
--> [name:nvarchar(128) | name:nvarchar(128) | is_identity:bit]
--> no_aggregate | id | 0
--> no_apply | id | 0
--> no_cast | id | 0
--> no_cross | id | 0
--> no_except | id | 0
--> no_expression | id | 0
--> no_groups | id | 0
--> no_join | id | 0
--> no_twice | again | 0
--> no_twice | id | 0
--> no_union | id | 0
--> no_view_join | id | 0
--> [name:nvarchar(128)]
-- Undone with its table.
begin transaction
select * into w from t
rollback
select * into w from t where id = 10
insert w values ('n')
select id, b from w order by id
go
--> [id:int | b:varchar(5)]
--> 10 | a
--> 15 | n
-- Rows by the thousand.
create table many (id int identity, filler char(200) default 'x')
insert many (filler) select 'y' from generate_series(1, 5000)
select * into #many from many
select * into as_many from many
insert #many default values
insert as_many default values
select max(id) as most from #many
select max(id) as most from as_many
go
--> [most:int]
--> 5001
--> [most:int]
--> 5001
use master
drop database inherited_identity
go
