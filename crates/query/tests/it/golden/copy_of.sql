-- differs clustered: numbers that a table has reserved which was built anew are not given back
-- CREATE DATABASE … AS COPY OF: a database of its own from the first moment, whatever becomes of its source.
create database template_of;
go
use template_of;
create table people (id int identity primary key, name varchar(20) not null, born date null, index by_name (name));
insert people (name, born) values ('Ada', '1815-12-10'), ('Grace', '1906-12-09'), ('Edsger', null);
go
--> (3 rows affected)
create view elders as select name from people where born < '1900-01-01';
go
create procedure add_one @name varchar(20) as insert people (name) values (@name);
go
use master;
begin tran;
insert template_of.dbo.people (name) values ('nobody');
commit;
create database first_copy as copy of template_of;
create database second_copy as copy of [template_of];
go
--> (1 rows affected)
-- Each is changed by itself.
delete template_of.dbo.people where name = 'nobody';
update first_copy.dbo.people set name = upper(name);
exec second_copy.dbo.add_one 'Barbara';
select 't' as db, id, name from template_of.dbo.people union all select '1', id, name from first_copy.dbo.people union all select '2', id, name from second_copy.dbo.people
order by 1, 2;
select name from second_copy.dbo.elders;
go
--> (1 rows affected)
--> (4 rows affected)
--> (1 rows affected)
--> [db:varchar(1) | id:int | name:varchar(20)]
--> 1 | 1 | ADA
--> 1 | 2 | GRACE
--> 1 | 3 | EDSGER
--> 1 | 4 | NOBODY
--> 2 | 1 | Ada
--> 2 | 2 | Grace
--> 2 | 3 | Edsger
--> 2 | 4 | nobody
--> 2 | 5 | Barbara
--> t | 1 | Ada
--> t | 2 | Grace
--> t | 3 | Edsger
--> (12 rows affected)
--> [name:varchar(20)]
--> Ada
--> (1 rows affected)
-- They grow, get objects and lose them, and are what they are called.
use first_copy;
select value as n, replicate('x', 500) as pad into many from generate_series(1, 3000);
create unique index many_n on many (n);
drop view elders;
select db_name() as here, count(*) as n, object_id('elders') as elders from many;
select name, type_desc, is_sparse from sys.database_files order by file_id;
dbcc checkdb with no_infomsgs;
use master;
select name, is_read_only, source_database_id, user_access_desc, recovery_model_desc from sys.databases where name in ('template_of', 'first_copy', 'second_copy') order by name;
go
--> (3000 rows affected)
--> [here:nvarchar(128) | n:int | elders:int]
--> first_copy | 3000 | NULL
--> (1 rows affected)
--> [name:nvarchar(128) | type_desc:nvarchar(60) | is_sparse:bit]
--> template_of | ROWS | 0
--> template_of_log | LOG | 0
--> (2 rows affected)
--> [name:nvarchar(128) | is_read_only:bit | source_database_id:int | user_access_desc:nvarchar(60) | recovery_model_desc:nvarchar(60)]
--> first_copy | 0 | NULL | MULTI_USER | FULL
--> second_copy | 0 | NULL | MULTI_USER | FULL
--> template_of | 0 | NULL | MULTI_USER | FULL
--> (3 rows affected)
alter database second_copy set recovery simple;
alter database second_copy modify name = [copy's second];
select count(*) as n from [copy's second].dbo.people;
go
--> # The database name 'copy's second' has been set.
--> [n:int]
--> 5
--> (1 rows affected)
-- One transaction over both.
begin tran;
insert first_copy.dbo.people (name) values ('both');
insert template_of.dbo.people (name) values ('both');
commit;
begin tran;
insert first_copy.dbo.people (name) values ('none');
insert template_of.dbo.people (name) values ('none');
rollback;
select count(*) as n from first_copy.dbo.people a join template_of.dbo.people b on b.name = a.name collate database_default where a.name in ('both', 'none');
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
-- What no file can be called becomes a line below in the names of files.
create database [../odd / "name"] as copy of template_of;
select reverse(left(reverse(physical_name), patindex('%[:/]%', reverse(physical_name) + '/') - 1)) as file_name from [../odd / "name"].sys.database_files order by file_id;
drop database [../odd / "name"];
go
--> [file_name:nvarchar(260)]
--> _._odd _ _name_.mdf
--> _._odd _ _name_.mdf.log
--> (2 rows affected)
-- Who may make databases may not copy one that is not his.
create login copier with password = 'Copy-2026!';
alter server role dbcreator add member copier;
go
execute as login = 'copier';
create database stolen as copy of template_of;
go
--> Msg 1817, Level 16, State 1, Line 2: Only the owner of database "template_of" or the system administrator can create a database snapshot on it.
revert;
drop login copier;
go
-- What a copy cannot do, and the source neither while it has some.
create database third as copy of first_copy;
go
--> Msg 40517, Level 16, State 1, Line 2: CREATE DATABASE … AS COPY OF a copy or a snapshot, and AS SNAPSHOT OF a copy is not supported in this version of Millpond.
create database third on (name = a, filename = 'b') as snapshot of first_copy;
go
--> Msg 40517, Level 16, State 1, Line 1: CREATE DATABASE … AS COPY OF a copy or a snapshot, and AS SNAPSHOT OF a copy is not supported in this version of Millpond.
create database third as copy of nowhere;
go
--> Msg 911, Level 16, State 1, Line 1: Database 'nowhere' does not exist. Make sure that the name is entered correctly.
create database third on (name = template_of, filename = 'third.mdf') as copy of template_of;
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'COPY'.
create database third as copy of master;
go
--> Msg 1816, Level 16, State 1, Line 1: Database snapshot on the system database master is not allowed.
create database first_copy as copy of template_of;
go
--> Msg 1801, Level 16, State 1, Line 1: Database 'first_copy' already exists. Choose a different database name.
alter database first_copy set offline;
go
--> Msg 40517, Level 16, State 1, Line 1: OFFLINE, EMERGENCY and DETACH of a copy of a database is not supported in this version of Millpond.
exec sp_detach_db 'first_copy';
go
--> Msg 40517, Level 16, State 1, Line 1: OFFLINE, EMERGENCY and DETACH of a copy of a database is not supported in this version of Millpond.
alter database first_copy add file (name = more, filename = 'more.ndf');
go
--> Msg 40517, Level 16, State 1, Line 1: Changing the files of a copy of a database is not supported in this version of Millpond.
restore database template_of from database_snapshot = 'first_copy';
go
--> Msg 3137, Level 16, State 1, Line 0: Database cannot be reverted. Either the primary or the snapshot names are improperly specified, all other snapshots have not been dropped, or there are missing files.
--> Msg 3013, Level 16, State 1, Line 1: RESTORE DATABASE is terminating abnormally.
drop database template_of;
go
--> Msg 3709, Level 16, State 1, Line 1: Cannot drop the database while the database snapshot "first_copy" refers to it. Drop that database first.
drop database first_copy;
drop database [copy's second];
drop database template_of;
go
-- A template that is protected: its copies are changed all the same. Numbers go on where a database was renamed, or OFFLINE.
create database protected;
go
use protected;
create table t (i int identity, n int);
insert t (n) values (1), (2);
use master;
alter database protected modify name = protected_too;
alter database protected_too set offline;
alter database protected_too set online;
insert protected_too.dbo.t (n) output inserted.i values (3);
alter database protected_too set read_only;
create database unprotected as copy of protected_too;
insert unprotected.dbo.t (n) values (4);
select name, is_read_only from sys.databases where name like '%protected%' order by name;
insert protected_too.dbo.t (n) values (5);
go
--> (2 rows affected)
--> # The database name 'protected_too' has been set.
--> [i:int]
--> 3
--> (1 rows affected)
--> (1 rows affected)
--> [name:nvarchar(128) | is_read_only:bit]
--> protected_too | 1
--> unprotected | 0
--> (2 rows affected)
--> Msg 3906, Level 16, State 1, Line 13: Failed to update database "protected_too" because the database is read-only.
--> # The statement has been terminated.
drop database unprotected;
drop database protected_too;
go
