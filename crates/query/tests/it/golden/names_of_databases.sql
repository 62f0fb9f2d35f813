-- What is made, altered and dropped is of the current database; so are the tables that keys and triggers lead to.
create database names_here
create database names_there
go
use names_there
go
create table r (id int primary key)
create table only_there (id int primary key)
go
create procedure dbo.p as select 1 as a
go
use names_here
go
create table r (id int primary key)
go
create view names_there.dbo.v as select 1 as a
go
--> Msg 166, Level 15, State 1, Line 1: 'CREATE VIEW' does not allow specifying the database name as a prefix to the object name.
create procedure names_there.dbo.q as select 1 as a
go
--> Msg 166, Level 15, State 1, Line 1: 'CREATE PROCEDURE' does not allow specifying the database name as a prefix to the object name.
create or alter procedure names_there..q as select 1 as a
go
--> Msg 166, Level 15, State 1, Line 1: 'CREATE PROCEDURE' does not allow specifying the database name as a prefix to the object name.
alter procedure names_there.dbo.p as select 2 as a
go
--> Msg 166, Level 15, State 1, Line 1: 'ALTER PROCEDURE' does not allow specifying the database name as a prefix to the object name.
create function names_there.dbo.f () returns int as begin return 1 end
go
--> Msg 166, Level 15, State 1, Line 1: 'CREATE FUNCTION' does not allow specifying the database name as a prefix to the object name.
create trigger names_there.dbo.tr on r for insert as return
go
--> Msg 166, Level 15, State 1, Line 1: 'CREATE TRIGGER' does not allow specifying the database name as a prefix to the object name.
create trigger tr on names_there.dbo.r for insert as return
go
--> Msg 2108, Level 15, State 1, Line 1: Cannot create trigger on 'names_there.dbo.r' as the target is not in the current database.
drop procedure names_there.dbo.p
go
--> Msg 166, Level 15, State 1, Line 1: 'DROP PROCEDURE' does not allow specifying the database name as a prefix to the object name.
create synonym names_there.dbo.s for r
go
--> Msg 166, Level 15, State 1, Line 1: 'CREATE SYNONYM' does not allow specifying the database name as a prefix to the object name.
drop synonym names_there.dbo.s
go
--> Msg 166, Level 15, State 1, Line 1: 'DROP SYNONYM' does not allow specifying the database name as a prefix to the object name.
create sequence names_there.dbo.q as int
go
--> Msg 166, Level 15, State 1, Line 1: 'CREATE SEQUENCE' does not allow specifying the database name as a prefix to the object name.
alter sequence names_there..q restart with 5
go
--> Msg 166, Level 15, State 1, Line 1: 'ALTER SEQUENCE' does not allow specifying the database name as a prefix to the object name.
alter table r add constraint k foreign key (id) references names_there.dbo.r (id)
go
--> Msg 1763, Level 16, State 0, Line 1: Cross-database foreign key references are not supported. Foreign key 'names_there.dbo.r'.
create table self (id int primary key, up int references names_there.dbo.self (id))
go
--> Msg 1763, Level 16, State 0, Line 1: Cross-database foreign key references are not supported. Foreign key 'names_there.dbo.self'.
create table other (id int references names_there.dbo.only_there (id))
go
--> Msg 1763, Level 16, State 0, Line 1: Cross-database foreign key references are not supported. Foreign key 'names_there.dbo.only_there'.
create table self (id int primary key, up int references names_here.dbo.self (id), r int references names_here..r (id))
create table names_there.dbo.self (id int primary key, up int references self (id))
select name, object_name (referenced_object_id) as leads_to from sys.foreign_keys order by 2
exec sp_rename 'names_there.dbo.r', 's'
exec sp_rename 'names_there.dbo.r.id', 's', 'column'
exec sp_rename 'names_here.dbo.r', 's'
go
--> [name:nvarchar(128) | leads_to:nvarchar(128)]
--> FK__self__r__000003F4 | r
--> FK__self__up__000003F3 | self
--> (2 rows affected)
--> Msg 15333, Level 11, State 1, Line 4: Error: The qualified @oldname references a database (names_there) other than the current database.
--> Msg 15333, Level 11, State 1, Line 5: Error: The qualified @oldname references a database (names_there) other than the current database.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
exec names_there.dbo.p
select name from names_there.sys.objects where type in ('U', 'V', 'P') order by name
select name from sys.objects where type in ('U', 'V', 'P', 'SN') order by name
go
--> [a:int]
--> 1
--> (1 rows affected)
--> [name:nvarchar(128)]
--> only_there
--> p
--> r
--> self
--> (4 rows affected)
--> [name:nvarchar(128)]
--> s
--> self
--> (2 rows affected)
-- A name has 128 units of UTF-16 at most.
declare @name nvarchar(200) = replicate(cast(0x3DD800DE as nvarchar(2)), 64);
exec (N'create database [' + @name + N']');
select name_of.file_id, datalength(name_of.name) / 2 as units from sys.master_files name_of where database_id = db_id(@name) order by file_id;
exec (N'drop database [' + @name + N']');
exec (N'create database [' + @name + N'x]');
go
--> [file_id:int | units:int]
--> 1 | 128
--> 2 | 128
--> (2 rows affected)
--> Msg 103, Level 15, State 4, Line 1: The identifier that starts with '😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀x' is too long. Maximum length is 128.
