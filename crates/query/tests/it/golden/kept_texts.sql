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
--> [definition:nvarchar(max)]
--> (getdate())
--> (newsequentialid())
--> (suser_sname())
--> (user_name())
--> (getdate())
--> (upper('a')+lower('B'))
--> (6 rows affected)
--> [definition:nvarchar(max)]
--> (len([words]))
--> (1 rows affected)
--> [definition:nvarchar(max)]
--> (isnull([words],'')<>ltrim(' '))
--> (1 rows affected)
--> [column_default:nvarchar(4000)]
--> (getdate())
--> (newsequentialid())
--> (suser_sname())
--> (user_name())
--> (getdate())
--> (5 rows affected)
insert kept (words) values (default)
select words, long, datediff(minute, at, made) as apart, owner from kept
go
--> (1 rows affected)
--> [words:varchar(20) | long:int | apart:int | owner:nvarchar(128)]
--> Ab | 2 | 0 | dbo
--> (1 rows affected)
