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
alter table legacy alter column t varchar(max)
alter table legacy alter column m text null
alter table legacy add extra ntext
select column_name, data_type from information_schema.columns where table_name = 'legacy' order by ordinal_position
select t, n, extra into legacy2 from legacy
select column_name, data_type from information_schema.columns where table_name = 'legacy2' order by ordinal_position
select column_name, data_type from tempdb.information_schema.columns where table_name = 'none'
create table #legacy (a ntext, b text, c image)
select name, type_name(user_type_id) as type from tempdb.sys.columns where object_id = object_id('tempdb..#legacy') order by column_id
select name, system_type_id, user_type_id, max_length from sys.types where name in ('text', 'ntext', 'image') order by name
go
