-- WITH ENCRYPTION: the module runs, its text is shown to nobody.
create procedure p with encryption as select 1 as one;
go
create view v with encryption as select 2 as two;
go
create procedure open_p as select 'encryption' as word;
go
exec p;
select two from v;
exec sp_helptext 'p';
select name, definition from sys.sql_modules m join sys.objects o on o.object_id = m.object_id order by name;
select object_definition(object_id('v')) as hidden, object_definition(object_id('open_p')) as shown;
select routine_name, routine_definition from information_schema.routines order by routine_name;
select view_definition from information_schema.views;
select objectproperty(object_id('p'), 'IsEncrypted') as p, objectproperty(object_id('open_p'), 'IsEncrypted') as open_p;
go
--> [one:int]
--> 1
--> (1 rows affected)
--> [two:int]
--> 2
--> (1 rows affected)
--> # The text for object 'p' is encrypted.
--> [name:nvarchar(128) | definition:nvarchar(max)]
--> open_p | create procedure open_p as select 'encryption' as word;
--> p | NULL
--> v | NULL
--> (3 rows affected)
--> [hidden:nvarchar(max) | shown:nvarchar(max)]
--> NULL | create procedure open_p as select 'encryption' as word;
--> (1 rows affected)
--> [routine_name:nvarchar(128) | routine_definition:nvarchar(4000)]
--> open_p | create procedure open_p as select 'encryption' as word;
--> p | NULL
--> (2 rows affected)
--> [view_definition:nvarchar(4000)]
--> NULL
--> (1 rows affected)
--> [p:int | open_p:int]
--> 1 | 0
--> (1 rows affected)
alter procedure p as select 3 as three;
go
exec sp_helptext 'p';
go
--> [Text:nvarchar(255)]
--> CREATE procedure p as select 3 as three;
