-- differs clustered, secondary, plans, threads, spills, parameters: it shows plans
create table customer (id int not null constraint pk_customer primary key, name varchar(20) not null, city varchar(20) null, credit money not null default 0)
create index ix_city on customer (city)
create index ix_name on customer (name) include (city)
create table orders (id int not null, customer int not null, placed datetime not null, constraint pk_orders primary key (customer, id))
create table note (id int, txt varchar(50))
insert customer values (1, 'Ann', 'Bern', 0), (2, 'Bob', 'Basel', 10), (3, 'Cid', 'Bern', 20)
insert orders values (1, 1, '2020-01-01'), (2, 1, '2020-01-02'), (1, 2, '2020-01-03')
insert note values (1, 'a'), (2, 'b')
go
--> (3 rows affected)
--> (3 rows affected)
--> (2 rows affected)
create procedure find_customer @id int as
begin
    declare @n int
    if exists (select * from customer where id = @id)
        select name from customer where id = @id
    else
        insert note values (@id, 'missing')
    exec find_customer @id
end
go
set showplan_text on
select 1
go
--> Msg 1067, Level 15, State 1, Line 1: The SET SHOWPLAN statements must be the only statements in the batch.
create procedure p as set showplan_all on
go
--> Msg 1067, Level 15, State 1, Line 1: The SET SHOWPLAN statements must be the only statements in the batch.
set showplan_text on
go
select 1
go
--> [StmtText:nvarchar(4000)]
--> select 1
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Compute Scalar(DEFINE:([Expr1001]=(1)))
-->        |--Constant Scan
--> (2 rows affected)
select name, credit * 2 from customer where id = 2
go
--> [StmtText:nvarchar(4000)]
--> select name, credit * 2 from customer where id = 2
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Compute Scalar(DEFINE:([Expr1001]=[master].[dbo].[customer].[credit]*(2.00)))
-->        |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=(2)) ORDERED FORWARD)
--> (2 rows affected)
declare @id int = 2
select name from customer where id = @id and credit > 5
go
--> [StmtText:nvarchar(4000)]
--> declare @id int = 2
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> select name from customer where id = @id and credit > 5
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=[@id]),  WHERE:([master].[dbo].[customer].[credit]>(5.00)) ORDERED FORWARD)
--> (1 rows affected)
select name, credit from customer where city = 'Bern'
go
--> [StmtText:nvarchar(4000)]
--> select name, credit from customer where city = 'Bern'
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Nested Loops(Inner Join, OUTER REFERENCES:([master].[dbo].[customer].[id]))
-->        |--Index Seek(OBJECT:([master].[dbo].[customer].[ix_city]), SEEK:([master].[dbo].[customer].[city]='Bern') ORDERED FORWARD)
-->        |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=[master].[dbo].[customer].[id]) LOOKUP ORDERED FORWARD)
--> (3 rows affected)
select city from customer where name like 'A%' and name >= 'A'
go
--> [StmtText:nvarchar(4000)]
--> select city from customer where name like 'A%' and name >= 'A'
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Index Seek(OBJECT:([master].[dbo].[customer].[ix_name]), SEEK:([master].[dbo].[customer].[name] >= 'A' AND [master].[dbo].[customer].[name] < 'B'),  WHERE:([master].[dbo].[customer].[name] like 'A%') ORDERED FORWARD)
--> (1 rows affected)
select name, city from customer where name = 'Ann'
go
--> [StmtText:nvarchar(4000)]
--> select name, city from customer where name = 'Ann'
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Index Seek(OBJECT:([master].[dbo].[customer].[ix_name]), SEEK:([master].[dbo].[customer].[name]='Ann') ORDERED FORWARD)
--> (1 rows affected)
select c.name, o.placed from customer c join orders o on o.customer = c.id where c.id = 1 order by o.id desc
go
--> [StmtText:nvarchar(4000)]
--> select c.name, o.placed from customer c join orders o on o.customer = c.id where c.id = 1 order by o.id desc
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Sort(ORDER BY:([master].[dbo].[orders].[id] DESC))
-->        |--Nested Loops(Inner Join, OUTER REFERENCES:([master].[dbo].[customer].[id]))
-->             |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=(1)) ORDERED FORWARD)
-->             |--Clustered Index Seek(OBJECT:([master].[dbo].[orders].[pk_orders]), SEEK:([master].[dbo].[orders].[customer]=[master].[dbo].[customer].[id]) ORDERED FORWARD)
--> (4 rows affected)
select top (2) id from orders where customer = 1 order by id
go
--> [StmtText:nvarchar(4000)]
--> select top (2) id from orders where customer = 1 order by id
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Top(TOP EXPRESSION:((2)))
-->        |--Clustered Index Seek(OBJECT:([master].[dbo].[orders].[pk_orders]), SEEK:([master].[dbo].[orders].[customer]=(1)) ORDERED FORWARD)
--> (2 rows affected)
select count(*) from orders where customer = 1
go
--> [StmtText:nvarchar(4000)]
--> select count(*) from orders where customer = 1
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Stream Aggregate(DEFINE:([Expr1001]=COUNT(*)))
-->        |--Clustered Index Seek(OBJECT:([master].[dbo].[orders].[pk_orders]), SEEK:([master].[dbo].[orders].[customer]=(1)) ORDERED FORWARD)
--> (2 rows affected)
select city, count(*), sum(id) from customer where id in (1, 2) group by city
go
--> [StmtText:nvarchar(4000)]
--> select city, count(*), sum(id) from customer where id in (1, 2) group by city
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Hash Match(Aggregate, HASH:([master].[dbo].[customer].[city]), DEFINE:([Expr1001]=COUNT(*), [Expr1002]=SUM([master].[dbo].[customer].[id])))
-->        |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=(1) OR [master].[dbo].[customer].[id]=(2)) ORDERED FORWARD)
--> (2 rows affected)
select * from note
go
--> [StmtText:nvarchar(4000)]
--> select * from note
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Table Scan(OBJECT:([master].[dbo].[note]))
--> (1 rows affected)
select id from note where txt = 'b' order by id desc
go
--> [StmtText:nvarchar(4000)]
--> select id from note where txt = 'b' order by id desc
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Sort(ORDER BY:([master].[dbo].[note].[id] DESC))
-->        |--Table Scan(OBJECT:([master].[dbo].[note]), WHERE:([master].[dbo].[note].[txt]='b'))
--> (2 rows affected)
select c.city, count(*) from customer c join note n on n.id = c.id group by c.city order by 2 desc
go
--> [StmtText:nvarchar(4000)]
--> select c.city, count(*) from customer c join note n on n.id = c.id group by c.city order by 2 desc
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Sort(ORDER BY:([Expr1003] DESC))
-->        |--Compute Scalar(DEFINE:([Expr1003]=CONVERT_IMPLICIT(int,[Expr1002],0)))
-->             |--Hash Match(Aggregate, HASH:([master].[dbo].[customer].[city]), DEFINE:([Expr1001]=ANY([master].[dbo].[customer].[city]), [Expr1002]=COUNT(*)))
-->                  |--Hash Match(Inner Join, HASH:([master].[dbo].[customer].[id])=([master].[dbo].[note].[id]))
-->                       |--Clustered Index Scan(OBJECT:([master].[dbo].[customer].[pk_customer]))
-->                       |--Table Scan(OBJECT:([master].[dbo].[note]))
--> (6 rows affected)
select name from customer where id in (select customer from orders)
go
--> [StmtText:nvarchar(4000)]
--> select name from customer where id in (select customer from orders)
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Hash Match(Left Semi Join, HASH:([master].[dbo].[customer].[id])=([master].[dbo].[orders].[customer]))
-->        |--Clustered Index Scan(OBJECT:([master].[dbo].[customer].[pk_customer]))
-->        |--Clustered Index Scan(OBJECT:([master].[dbo].[orders].[pk_orders]))
--> (3 rows affected)
select name, (select max(placed) from orders o where o.customer = c.id) from customer c
go
--> [StmtText:nvarchar(4000)]
--> select name, (select max(placed) from orders o where o.customer = c.id) from customer c
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Hash Match(Left Outer Join, HASH:([master].[dbo].[customer].[id])=([master].[dbo].[orders].[customer]))
-->        |--Clustered Index Scan(OBJECT:([master].[dbo].[customer].[pk_customer]))
-->        |--Hash Match(Aggregate, HASH:([master].[dbo].[orders].[customer]), DEFINE:([Expr1001]=MAX([master].[dbo].[orders].[placed])))
-->             |--Clustered Index Scan(OBJECT:([master].[dbo].[orders].[pk_orders]))
--> (4 rows affected)
select id from note union all select id from customer
go
--> [StmtText:nvarchar(4000)]
--> select id from note union all select id from customer
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Concatenation
-->        |--Table Scan(OBJECT:([master].[dbo].[note]))
-->        |--Clustered Index Scan(OBJECT:([master].[dbo].[customer].[pk_customer]))
--> (3 rows affected)
select distinct top 10 percent txt from note
go
--> [StmtText:nvarchar(4000)]
--> select distinct top 10 percent txt from note
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Top(TOP EXPRESSION:((10)) PERCENT)
-->        |--Hash Match(Aggregate, HASH:([master].[dbo].[note].[txt]), DEFINE:([Expr1001]=ANY([master].[dbo].[note].[txt])))
-->             |--Table Scan(OBJECT:([master].[dbo].[note]))
--> (3 rows affected)
select c.name, x.placed from customer c cross apply (select top 1 placed from orders o where o.customer = c.id order by id desc) x
go
--> [StmtText:nvarchar(4000)]
--> select c.name, x.placed from customer c cross apply (select top 1 placed from orders o where o.customer = c.id order by id desc) x
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Nested Loops(Inner Join, OUTER REFERENCES:([master].[dbo].[customer].[id]))
-->        |--Clustered Index Scan(OBJECT:([master].[dbo].[customer].[pk_customer]))
-->        |--Top(TOP EXPRESSION:((1)))
-->             |--Clustered Index Seek(OBJECT:([master].[dbo].[orders].[pk_orders]), SEEK:([master].[dbo].[orders].[customer]=[master].[dbo].[customer].[id]) ORDERED BACKWARD)
--> (4 rows affected)
insert customer (id, name) values (9, 'Zoe')
go
--> [StmtText:nvarchar(4000)]
--> insert customer (id, name) values (9, 'Zoe')
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Insert(OBJECT:([master].[dbo].[customer].[pk_customer]), OBJECT:([master].[dbo].[customer].[ix_city]), OBJECT:([master].[dbo].[customer].[ix_name]), SET:([master].[dbo].[customer].[id] = (9),[master].[dbo].[customer].[name] = 'Zoe',[master].[dbo].[customer].[city] = NULL,[master].[dbo].[customer].[credit] = (0.00)))
--> (1 rows affected)
insert note select id, name from customer where city = 'Bern'
go
--> [StmtText:nvarchar(4000)]
--> insert note select id, name from customer where city = 'Bern'
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Table Insert(OBJECT:([master].[dbo].[note]), SET:([master].[dbo].[note].[id] = [master].[dbo].[customer].[id],[master].[dbo].[note].[txt] = [master].[dbo].[customer].[name]))
-->        |--Nested Loops(Inner Join, OUTER REFERENCES:([master].[dbo].[customer].[id]))
-->             |--Index Seek(OBJECT:([master].[dbo].[customer].[ix_city]), SEEK:([master].[dbo].[customer].[city]='Bern') ORDERED FORWARD)
-->             |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=[master].[dbo].[customer].[id]) LOOKUP ORDERED FORWARD)
--> (4 rows affected)
update customer set credit = credit + 1 where id = 1
go
--> [StmtText:nvarchar(4000)]
--> update customer set credit = credit + 1 where id = 1
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Update(OBJECT:([master].[dbo].[customer].[pk_customer]), SET:([master].[dbo].[customer].[credit] = [master].[dbo].[customer].[credit]+(1.00)), WHERE:([master].[dbo].[customer].[id]=(1)))
--> (1 rows affected)
update customer set city = 'Genf' where name = 'Bob'
go
--> [StmtText:nvarchar(4000)]
--> update customer set city = 'Genf' where name = 'Bob'
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Update(OBJECT:([master].[dbo].[customer].[pk_customer]), OBJECT:([master].[dbo].[customer].[ix_city]), OBJECT:([master].[dbo].[customer].[ix_name]), SET:([master].[dbo].[customer].[city] = 'Genf'))
-->        |--Index Seek(OBJECT:([master].[dbo].[customer].[ix_name]), SEEK:([master].[dbo].[customer].[name]='Bob') ORDERED FORWARD)
--> (2 rows affected)
update c set credit = n.id from customer c join note n on n.id = c.id
go
--> [StmtText:nvarchar(4000)]
--> update c set credit = n.id from customer c join note n on n.id = c.id
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Update(OBJECT:([master].[dbo].[customer].[pk_customer]), SET:([master].[dbo].[customer].[credit] = [master].[dbo].[note].[id]))
-->        |--Hash Match(Inner Join, HASH:([master].[dbo].[customer].[id])=([master].[dbo].[note].[id]))
-->             |--Clustered Index Scan(OBJECT:([master].[dbo].[customer].[pk_customer]))
-->             |--Table Scan(OBJECT:([master].[dbo].[note]))
--> (4 rows affected)
delete orders where customer = 1
go
--> [StmtText:nvarchar(4000)]
--> delete orders where customer = 1
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Delete(OBJECT:([master].[dbo].[orders].[pk_orders]))
-->        |--Clustered Index Seek(OBJECT:([master].[dbo].[orders].[pk_orders]), SEEK:([master].[dbo].[orders].[customer]=(1)) ORDERED FORWARD)
--> (2 rows affected)
delete note
go
--> [StmtText:nvarchar(4000)]
--> delete note
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Table Delete(OBJECT:([master].[dbo].[note]))
-->        |--Table Scan(OBJECT:([master].[dbo].[note]))
--> (2 rows affected)
merge customer as t using (values (1, 'Ann')) as s (id, name) on t.id = s.id
when matched then update set name = s.name when not matched then insert (id, name) values (s.id, s.name);
go
--> [StmtText:nvarchar(4000)]
--> merge customer as t using (values (1, 'Ann')) as s (id, name) on t.id = s.id
--> when matched then update set name = s.name when not matched then insert (id, name) values (s.id, s.name)
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Merge(OBJECT:([master].[dbo].[customer].[pk_customer]), OBJECT:([master].[dbo].[customer].[ix_city]), OBJECT:([master].[dbo].[customer].[ix_name]), SET:(Update, Insert))
-->        |--Nested Loops(Left Outer Join, OUTER REFERENCES:([Expr1001]))
-->             |--Compute Scalar(DEFINE:([Expr1003]=(1)))
-->             |    |--Constant Scan(VALUES:(((1), 'Ann')))
-->             |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=[Expr1001]) ORDERED FORWARD)
--> (5 rows affected)
declare @i int = 0
while @i < 2
begin
    set @i = @i + 1
    print @i
end
begin try
    select * from note where id = @i
end try
begin catch
    throw
end catch
go
--> [StmtText:nvarchar(4000)]
--> declare @i int = 0
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> while @i < 2
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> set @i = @i + 1
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> print @i
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> select * from note where id = @i
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Table Scan(OBJECT:([master].[dbo].[note]), WHERE:([master].[dbo].[note].[id]=[@i]))
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> throw
--> (1 rows affected)
exec find_customer 7
go
--> [StmtText:nvarchar(4000)]
--> exec find_customer 7
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> declare @n int
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> if exists (select * from customer where id = @id)
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Compute Scalar(DEFINE:([Expr1001]=EXISTS))
-->        |--Nested Loops(Left Outer Join)
-->             |--Constant Scan
-->             |--Compute Scalar(DEFINE:([Expr1002]=(1)))
-->                  |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=[@id]) ORDERED FORWARD)
--> (5 rows affected)
--> [StmtText:nvarchar(4000)]
--> select name from customer where id = @id
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=[@id]) ORDERED FORWARD)
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> insert note values (@id, 'missing')
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Table Insert(OBJECT:([master].[dbo].[note]), SET:([master].[dbo].[note].[id] = [@id],[master].[dbo].[note].[txt] = 'missing'))
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> exec find_customer @id
--> (1 rows affected)
declare @v table (id int primary key, a int)
declare @n int
insert @v values (1, 2)
select a from @v where id = @n
go
--> [StmtText:nvarchar(4000)]
--> declare @v table (id int primary key, a int)
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> declare @n int
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> insert @v values (1, 2)
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Insert(OBJECT:(@v.[PK__v__0000000000000000]), SET:(@v.[id] = (1),@v.[a] = (2)))
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> select a from @v where id = @n
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Clustered Index Seek(OBJECT:(@v.[PK__v__0000000000000000]), SEEK:(@v.[id]=[@n]) ORDERED FORWARD)
--> (1 rows affected)
exec sp_executesql N'select 1'
select name into #copy from customer
go
--> [StmtText:nvarchar(4000)]
--> exec sp_executesql N'select 1'
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
--> select name into #copy from customer
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Table Insert(OBJECT:([tempdb].[dbo].[#copy]))
-->        |--Clustered Index Scan(OBJECT:([master].[dbo].[customer].[pk_customer]))
--> (2 rows affected)
select * from nowhere
select 2
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nowhere'.
set showplan_text off
go
select count(*) from note
select object_id('tempdb..#copy')
go
--> [:int]
--> 2
--> (1 rows affected)
--> [:int]
--> NULL
--> (1 rows affected)
set showplan_all on
go
select name from customer where city = 'Bern' order by name
set nocount on
go
--> [StmtText:nvarchar(4000) | StmtId:int | NodeId:int | Parent:int | PhysicalOp:nvarchar(128) | LogicalOp:nvarchar(128) | Argument:nvarchar(4000) | DefinedValues:nvarchar(4000) | EstimateRows:real | EstimateIO:real | EstimateCPU:real | AvgRowSize:int | TotalSubtreeCost:real | OutputList:nvarchar(4000) | Warnings:nvarchar(4000) | Type:nvarchar(64) | Parallel:bit | EstimateExecutions:real]
--> select name from customer where city = 'Bern' order by name | 1 | 1 | 0 | NULL | NULL | NULL | NULL | 1.0 | NULL | NULL | NULL | 0.0065723802 | NULL | NULL | SELECT | NULL | NULL
-->   |--Sort(ORDER BY:([master].[dbo].[customer].[name] ASC)) | 1 | 2 | 1 | Sort | Sort | ORDER BY:([master].[dbo].[customer].[name] ASC) | NULL | 1.0 | 0.0 | 2E-6 | 19 | 0.0065723802 | [master].[dbo].[customer].[name] | NULL | PLAN_ROW | 0 | 1.0
-->        |--Nested Loops(Inner Join, OUTER REFERENCES:([master].[dbo].[customer].[id])) | 1 | 3 | 2 | Nested Loops | Inner Join | OUTER REFERENCES:([master].[dbo].[customer].[id]) | NULL | 1.0 | 0.0 | 4.1799999E-6 | 39 | 0.0065703802 | [master].[dbo].[customer].[id], [master].[dbo].[customer].[name], [master].[dbo].[customer].[city] | NULL | PLAN_ROW | 0 | 1.0
-->             |--Index Seek(OBJECT:([master].[dbo].[customer].[ix_city]), SEEK:([master].[dbo].[customer].[city]='Bern') ORDERED FORWARD) | 1 | 4 | 3 | Index Seek | Index Seek | OBJECT:([master].[dbo].[customer].[ix_city]), SEEK:([master].[dbo].[customer].[city]='Bern') ORDERED FORWARD | [master].[dbo].[customer].[id] | 1.0 | 0.003125 | 0.0001581 | 15 | 0.0032831 | [master].[dbo].[customer].[id] | NULL | PLAN_ROW | 0 | 1.0
-->             |--Clustered Index Seek(OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=[master].[dbo].[customer].[id]) LOOKUP ORDERED FORWARD) | 1 | 5 | 3 | Clustered Index Seek | Clustered Index Seek | OBJECT:([master].[dbo].[customer].[pk_customer]), SEEK:([master].[dbo].[customer].[id]=[master].[dbo].[customer].[id]) LOOKUP ORDERED FORWARD | [master].[dbo].[customer].[name], [master].[dbo].[customer].[city] | 1.0 | 0.003125 | 0.0001581 | 31 | 0.0032831 | [master].[dbo].[customer].[name], [master].[dbo].[customer].[city] | NULL | PLAN_ROW | 0 | 1.0
--> (5 rows affected)
--> [StmtText:nvarchar(4000) | StmtId:int | NodeId:int | Parent:int | PhysicalOp:nvarchar(128) | LogicalOp:nvarchar(128) | Argument:nvarchar(4000) | DefinedValues:nvarchar(4000) | EstimateRows:real | EstimateIO:real | EstimateCPU:real | AvgRowSize:int | TotalSubtreeCost:real | OutputList:nvarchar(4000) | Warnings:nvarchar(4000) | Type:nvarchar(64) | Parallel:bit | EstimateExecutions:real]
--> set nocount on | 2 | 6 | 0 | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | SET | NULL | NULL
--> (1 rows affected)
set showplan_all off
go
select 3
go
--> [:int]
--> 3
--> (1 rows affected)
