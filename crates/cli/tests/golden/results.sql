-- Results, counts, messages and errors in their order.
create table #t (id int, name varchar(12) null)
insert #t values (1, 'one'), (2, null), (3, 'three')
select id, name from #t order by id
print 'a message'
update #t set id = id + 1 where id > 1
GO
select * from nowhere
GO
use tempdb
set nocount on
select id from #t where id > 3
GO
