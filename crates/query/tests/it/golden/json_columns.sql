-- A column computed by JSON_VALUE has an index that is used
create table docs (id int not null primary key, doc nvarchar(max) not null check (isjson(doc) = 1), city as json_value(doc, '$.city'), zip as cast(json_value(doc, '$.zip') as int) persisted)
create index by_city on docs (city)
create index by_zip on docs (zip)
insert docs (id, doc) select value, json_object('city': concat('c', value), 'zip': value * 10) from generate_series(1, 500)
go
--> # Warning! The maximum key length for a nonclustered index is 1700 bytes. The index 'by_city' has maximum length of 8000 bytes. For some combination of large values, the insert/update operation will fail.
--> (500 rows affected)
select id, zip from docs where city = N'c77'
select id from docs where zip = 4990
select count(*) as n from docs where city like N'c1%'
go
--> [id:int | zip:int]
--> 77 | 770
--> (1 rows affected)
--> [id:int]
--> 499
--> (1 rows affected)
--> [n:int]
--> 111
--> (1 rows affected)
update docs set doc = json_modify(doc, '$.city', 'elsewhere') where id = 77
select id from docs where city = N'c77'
select id, city from docs where city = N'elsewhere'
go
--> (1 rows affected)
--> [id:int]
--> (0 rows affected)
--> [id:int | city:nvarchar(4000)]
--> 77 | elsewhere
--> (1 rows affected)
insert docs (id, doc) values (501, N'no json')
go
--> Msg 13609, Level 16, State 2, Line 1: JSON text is not properly formatted. Unexpected character 'n' is found at position 0.
