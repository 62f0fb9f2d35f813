-- Texts of definitions name functions of the server in small letters, and those without parentheses as what they are
create table kept (at datetime default CURRENT_TIMESTAMP, id uniqueidentifier default NEWSEQUENTIALID(), who sysname default SYSTEM_USER,
    owner sysname default USER, made datetime default GetDate(), words varchar(20) default UPPER('a') + Lower('B'),
    long as LEN(words), check (IsNull(words, '') <> LTRIM(' ')))
go
select definition from sys.default_constraints where parent_object_id = object_id('kept') order by parent_column_id
select definition from sys.computed_columns where object_id = object_id('kept')
select definition from sys.check_constraints where parent_object_id = object_id('kept')
select column_default from information_schema.columns where table_name = 'kept' and column_default like '%()%'
go
insert kept (words) values (default)
select words, long, datediff(minute, at, made) as apart, owner from kept
go
