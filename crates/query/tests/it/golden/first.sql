-- differs parameters: a literal has less precision than its type
select 1 as a, 'x' as b, 1.5 + 2 as c
go
--> [a:int | b:varchar(1) | c:numeric(3,1)]
--> 1 | x | 3.5
--> (1 rows affected)
declare @i int = 3
while @i > 0 begin
  print cast(@i as varchar(10))
  set @i -= 1
end
go
--> # 3
--> # 2
--> # 1
create table #t (id int not null, name varchar(20), v decimal(9,2))
insert #t values (1, 'one', 1.1)
insert into #t (id, name) values (2, 'TWO'), (3, 'three')
select * from #t
select name from #t where name = 'two'
select count(*) as n, sum(v) as s from #t
select id % 2 as odd, count(*) as n from #t group by id % 2 order by odd
update #t set v = id * 2 where id > 1
delete #t where id = 1
select * from #t order by id desc
drop table #t
go
--> (1 rows affected)
--> (2 rows affected)
--> [id:int | name:varchar(20) | v:decimal(9,2)]
--> 1 | one | 1.10
--> 2 | TWO | NULL
--> 3 | three | NULL
--> (3 rows affected)
--> [name:varchar(20)]
--> TWO
--> (1 rows affected)
--> [n:int | s:decimal(38,2)]
--> 3 | 1.10
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [odd:int | n:int]
--> 0 | 1
--> 1 | 2
--> (2 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> [id:int | name:varchar(20) | v:decimal(9,2)]
--> 3 | three | 6.00
--> 2 | TWO | 4.00
--> (2 rows affected)
select * from #t
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name '#t'.
set nocount on
declare @i int
set @i = 1
declare @st datetime
declare @st2 datetime
set @st = current_timestamp
while current_timestamp <= dateadd( millisecond, 50, @st )
begin
      create table #t ( mycol char(8000) not null )
      set @st2 = current_timestamp
      while current_timestamp <= dateadd( millisecond, 10, @st2 )
      begin
            insert #t values( 'abc' )
            set @i = @i + 1
      end
      drop table #t
end
if @i > 0 print 'it ran'
go
--> # it ran
