-- A clustered index of a temporary table that is not unique is rebuilt: the indexes beside it still find all rows.
-- differs clustered: the table has a clustered index already
create table #rebuilt (id int identity, v int, s varchar(max))
insert #rebuilt (v, s) values (0, 'x'), (1, 'x'), (1, 'x'), (0, 'x'), (1, 'x'), (2, 'x')
create clustered index c on #rebuilt (v)
create index i on #rebuilt (v desc) include (s)
go
--> (6 rows affected)
alter index c on #rebuilt rebuild
select count(*) as n, sum(v) as s from #rebuilt
select count(*) as n from #rebuilt with (index(i)) where v >= 0
delete #rebuilt where v = 1
select id from #rebuilt order by id
go
--> [n:int | s:int]
--> 6 | 5
--> (1 rows affected)
--> [n:int]
--> 6
--> (1 rows affected)
--> (3 rows affected)
--> [id:int]
--> 1
--> 4
--> 6
--> (3 rows affected)
