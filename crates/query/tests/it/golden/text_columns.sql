-- Columns of text, ntext and image: kept as (max), shown as they were declared
create table legacy (id int primary key, t text, n ntext not null default 'x', i image, m varchar(max), u nvarchar(max), s sysname null)
insert legacy (id, t, n, i) values (1, 'abc', N'日本', 0x0102)
select c.name, type_name(c.system_type_id) as system_type, type_name(c.user_type_id) as user_type, c.max_length, c.is_nullable
    from sys.columns c where c.object_id = object_id('legacy') order by c.column_id
select column_name, data_type, character_maximum_length as chars, character_octet_length as octets, domain_name
    from information_schema.columns where table_name = 'legacy' order by ordinal_position
select name, xtype, xusertype, length from syscolumns where id = object_id('legacy') order by colid
select id, t, n, i, len(t) as l from legacy
go
--> (1 rows affected)
--> [name:nvarchar(128) | system_type:nvarchar(128) | user_type:nvarchar(128) | max_length:smallint | is_nullable:bit]
--> id | int | int | 4 | 0
--> t | text | text | 16 | 1
--> n | ntext | ntext | 16 | 0
--> i | image | image | 16 | 1
--> m | varchar | varchar | -1 | 1
--> u | nvarchar | nvarchar | -1 | 1
--> s | nvarchar | sysname | 256 | 1
--> (7 rows affected)
--> [column_name:nvarchar(128) | data_type:nvarchar(128) | chars:int | octets:int | domain_name:nvarchar(128)]
--> id | int | NULL | NULL | NULL
--> t | text | 2147483647 | 2147483647 | NULL
--> n | ntext | 1073741823 | 2147483646 | NULL
--> i | image | 2147483647 | 2147483647 | NULL
--> m | varchar | -1 | -1 | NULL
--> u | nvarchar | -1 | -1 | NULL
--> s | nvarchar | 128 | 256 | NULL
--> (7 rows affected)
--> [name:nvarchar(128) | xtype:tinyint | xusertype:smallint | length:smallint]
--> id | 56 | 56 | 4
--> t | 35 | 35 | 16
--> n | 99 | 99 | 16
--> i | 34 | 34 | 16
--> m | 167 | 167 | -1
--> u | 231 | 231 | -1
--> s | 231 | 256 | 256
--> (7 rows affected)
--> [id:int | t:varchar(max) | n:nvarchar(max) | i:varbinary(max) | l:bigint]
--> 1 | abc | 日本 | 0x0102 | 3
--> (1 rows affected)
alter table legacy alter column t varchar(max)
alter table legacy alter column m text null
alter table legacy add extra ntext
go
select column_name, data_type from information_schema.columns where table_name = 'legacy' order by ordinal_position
select t, n, extra into legacy2 from legacy
select column_name, data_type from information_schema.columns where table_name = 'legacy2' order by ordinal_position
create table #legacy (a ntext, b text, c image)
select name, type_name(user_type_id) as type from tempdb.sys.columns where object_id = object_id('tempdb..#legacy') order by column_id
select name, system_type_id, user_type_id, max_length from sys.types where name in ('text', 'ntext', 'image') order by name
go
--> [column_name:nvarchar(128) | data_type:nvarchar(128)]
--> id | int
--> t | varchar
--> n | ntext
--> i | image
--> m | text
--> u | nvarchar
--> s | nvarchar
--> extra | ntext
--> (8 rows affected)
--> (1 rows affected)
--> [column_name:nvarchar(128) | data_type:nvarchar(128)]
--> t | varchar
--> n | ntext
--> extra | ntext
--> (3 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128)]
--> a | ntext
--> b | text
--> c | image
--> (3 rows affected)
--> [name:nvarchar(128) | system_type_id:tinyint | user_type_id:int | max_length:smallint]
--> image | 34 | 34 | 16
--> ntext | 99 | 99 | 16
--> text | 35 | 35 | 16
--> (3 rows affected)
