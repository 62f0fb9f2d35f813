-- differs parameters: variables stand for the text
-- differs temporary: it names the table
-- An index on a column computed by JSON_VALUE is sought in.
create table docs (id int not null primary key, doc nvarchar(max) not null, city as json_value(doc, '$.city'))
create index by_city on docs (city)
insert docs (id, doc) select value, json_object('city': concat('c', value)) from generate_series(1, 500)
go
--> # Warning! The maximum key length for a nonclustered index is 1700 bytes. The index 'by_city' has maximum length of 8000 bytes. For some combination of large values, the insert/update operation will fail.
--> (500 rows affected)
set showplan_text on
go
select id from docs where city = N'elsewhere'
go
--> [StmtText:nvarchar(4000)]
--> select id from docs where city = N'elsewhere'
--> (1 rows affected)
--> [StmtText:nvarchar(4000)]
-->   |--Index Seek(OBJECT:([master].[dbo].[docs].[by_city]), SEEK:([master].[dbo].[docs].[city]=N'elsewhere') ORDERED FORWARD)
--> (1 rows affected)
set showplan_text off
go
