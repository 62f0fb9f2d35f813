-- Runs once, in the database of MSSQL_DB.
create table product (id int not null identity primary key, name nvarchar(40) not null, price decimal(9, 2) not null)
go
insert product (name, price) values (N'lily', 3.50), (N'koi', 40)
go
