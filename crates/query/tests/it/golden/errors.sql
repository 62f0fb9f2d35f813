-- Wrong statements: SQL Server's number, severity and line; the session goes on.
select 1 +
go
select frm where
go
print @nobody
go
declare @a int, @a int
go
create table #e (id int not null, name varchar(3) null)
select nothing from #e
select e.nothing from #e e
select x.id from #e
select id from #e a join #e b on a.id = b.id
select * from missing_table
go
insert #e values (1)
go
insert #e values (null, 'a')
insert #e values (1, 'abcd')
insert #e (id) values (1, 2)
insert #e values ('x', 'a')
go
select * from #e
select 1/0
select cast('abc' as int)
go
select cast(300 as tinyint)
select 2147483647 + 1
go
create table #e (id int)
go
drop table #nobody
drop table if exists #nobody
truncate table #nobody
go
exec no_such_procedure
go
select id, count(*) from #e
go
select nofunction(1)
go
select len()
go
select dateadd(fortnight, 1, getdate())
go
raiserror('a %s and %d', 16, 3, 'text', 42)
print 'goes on'
go
throw 50001, 'thrown', 7
go
begin try
  select 1/0
end try
begin catch
  select error_number() as n, error_severity() as s, error_line() as l, error_message() as m
end catch
go
begin try
  begin try
    select cast('x' as int)
  end try
  begin catch
    throw
  end catch
end try
begin catch
  print error_message()
end catch
go
use nowhere
go
create table dbo.t (id int)
go
drop table #e
go
