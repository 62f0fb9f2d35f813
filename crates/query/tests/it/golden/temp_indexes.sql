-- differs clustered: the script makes clustered indexes of its own
-- Temporary tables and table variables with keys and indexes.
set nocount on
create table #t (id int identity primary key, v varchar(10) not null unique, n int null index ix_n)
insert #t (v, n) values ('a', 1), ('b', 2), ('c', 2)
insert #t (v) values ('A')
select * from #t where id = 2
select id from #t where n = 2 order by id desc
update #t set n = n + 1 where v = 'c'
select v from #t where n = 3
delete #t where id = 1
select count(*) from #t
go
--> Msg 2627, Level 14, State 1, Line 5: Violation of UNIQUE KEY constraint 'UQ__t__0000000000000001'. Cannot insert duplicate key in object 'dbo.#t'. The duplicate key value is (A).
--> # The statement has been terminated.
--> [id:int | v:varchar(10) | n:int]
--> 2 | b | 2
--> [id:int]
--> 3
--> 2
--> [v:varchar(10)]
--> c
--> [:int]
--> 2
begin transaction
insert #t (v) values ('z')
delete #t where id = 2
truncate table #t
select count(*) from #t
rollback
select id, v, n from #t
go
--> [:int]
--> 0
--> [id:int | v:varchar(10) | n:int]
--> 2 | b | 2
--> 3 | c | 3
declare @t table (a int primary key, b varchar(5) default ('x'))
insert @t (a) values (3), (1), (2)
insert @t (a) values (2)
select * from @t
update @t set a = a + 1
select a from @t where a > 2
go
--> Msg 2627, Level 14, State 1, Line 3: Violation of PRIMARY KEY constraint 'PK__t__0000000000000001'. Cannot insert duplicate key in object 'dbo.@t'. The duplicate key value is (2).
--> # The statement has been terminated.
--> [a:int | b:varchar(5)]
--> 1 | x
--> 2 | x
--> 3 | x
--> [a:int]
--> 3
--> 4
create table #h (a int, b int)
insert #h values (3, 1), (1, 1), (2, 2)
create clustered index cx on #h (a)
select * from #h
create unique index ux on #h (b)
go
--> [a:int | b:int]
--> 1 | 1
--> 2 | 2
--> 3 | 1
--> Msg 1505, Level 16, State 1, Line 5: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.#h' and the index name 'ux'. The duplicate key value is (1).
create index ib on #h (b) include (a)
select a from #h where b = 1
begin transaction
create unique index ua on #h (a)
drop table #h
rollback
insert #h values (3, 9)
select a, b from #h where a = 3 order by b
go
--> [a:int]
--> 1
--> 3
--> [a:int | b:int]
--> 3 | 1
--> 3 | 9
drop table #t, #h
select * from #t
go
--> Msg 208, Level 16, State 1, Line 2: Invalid object name '#t'.
