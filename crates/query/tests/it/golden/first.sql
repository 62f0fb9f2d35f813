select 1 as a, 'x' as b, 1.5 + 2 as c
go
declare @i int = 3
while @i > 0 begin
  print cast(@i as varchar(10))
  set @i -= 1
end
go
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
select * from #t
go
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
if @i > 100 print 'many iterations'
go
