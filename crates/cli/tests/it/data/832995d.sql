create database shop
go
use shop
go
create schema sales
go
create type dbo.Name from nvarchar(50) not null
go
create sequence dbo.numbers as bigint start with 10 increment by 5
go
create table sales.customer (id int identity primary key, name dbo.Name, since date default getdate(), rv rowversion, note nvarchar(max), amount decimal(12,2) check (amount >= 0))
create table sales.orders (id int primary key, customer int references sales.customer(id) on delete cascade, at datetime2(3), total as id * 2 persisted)
create index ix_at on sales.orders(at) include (customer)
create table dbo.heap (a int, b varchar(100) collate latin1_general_ci_as)
go
insert sales.customer(name, note, amount) select concat(N'name', value), replicate(cast(N'x' as nvarchar(max)), value * 100), value from (values (1),(2),(3),(50),(200)) v(value)
insert sales.orders select 1, 1, '2026-01-02T03:04:05.678' union all select 2, 5, null
insert dbo.heap select top 1000 row_number() over (order by (select 1)), 'b' from sys.all_columns a
go
create view sales.rich as select id, name, amount from sales.customer where amount > 2
go
create procedure dbo.add_order @id int, @c int as insert sales.orders(id, customer) values (@id, @c)
go
create function dbo.twice(@x int) returns int as begin return @x * 2 end
go
create trigger sales.tr on sales.orders after insert as update sales.customer set amount = amount + 1 where id in (select customer from inserted)
go
exec dbo.add_order 3, 2
select next value for dbo.numbers
create statistics st on sales.customer(name)
create synonym dbo.c for sales.customer
go
