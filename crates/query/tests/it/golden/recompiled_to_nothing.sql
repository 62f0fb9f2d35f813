-- A statement that is compiled with its values, and that these leave without rows: its plan is shown all the same
create table ap (id int primary key, a int, b int)
insert ap values (1, 2, 3)
go
--> (1 rows affected)
select a, b from ap where 1 = 0 option (recompile) select b from ap where 1 = 0 option (recompile)
select b + 1 as b, a from ap where 3 in (4, 5) option (recompile)
declare @p int
select b from ap where @p is not null option (recompile)
select distinct top 3 b, a from ap where 'x' = 'y' order by b option (recompile)
select l.b, r.a from ap l left join ap r on r.id = l.id where 1 > null option (recompile)
go
--> [a:int | b:int]
--> (0 rows affected)
--> [b:int]
--> (0 rows affected)
--> [b:int | a:int]
--> (0 rows affected)
--> [b:int]
--> (0 rows affected)
--> [b:int | a:int]
--> (0 rows affected)
--> [b:int | a:int]
--> (0 rows affected)
select count(*) as n from sys.dm_exec_query_stats s cross apply sys.dm_exec_query_plan(s.plan_handle) p where p.query_plan is null
go
--> [n:int]
--> 0
--> (1 rows affected)
