-- sp_help of a type, of the server and of the user; what it gives is not counted
create type code from varchar(11) not null
create type amounts as table (a decimal(9, 2))
go
exec sp_help 'int'
exec sp_help 'nvarchar'
exec sp_help 'datetime2'
exec sp_help code
exec sp_help 'dbo.amounts'
exec sp_help 'sys.xml'
go
exec sp_help 'nothing'
go
-- A key of a type over a column that is none: the constraint is not made either
create type pairs as table (id int, primary key (code))
go
create table pairs (id int, constraint twice unique (id, id))
go
