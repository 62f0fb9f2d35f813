-- differs parameters: the length of LEFT and SUBSTRING is known of constants alone
-- varchar in the code page of its collation: bytes, lengths, what a page lacks, texts that meet
create table t (id int identity, ru varchar(6) collate Cyrillic_General_CI_AS, ja varchar(6) collate Japanese_CI_AS,
    jc char(5) collate Japanese_CI_AS, dos varchar(6) collate SQL_Latin1_General_CP850_CI_AS, pl varchar(6) collate Polish_CI_AS)
insert t values (N'Привет', N'日本ｱ', N'日', N'é½', N'łódź')
insert t values (N'жé日', N'aé', N'aｱ', N'ж', N'ж')
go
--> (1 rows affected)
--> (1 rows affected)
select id, ru, ja, jc, dos, pl from t order by id
select datalength(ru) as ru, datalength(ja) as ja, datalength(jc) as jc, datalength(dos) as dos, len(ru) as l, len(ja) as lj from t order by id
select convert(varbinary(8), ru) as ru, convert(varbinary(8), ja) as ja, convert(varbinary(8), jc) as jc, convert(varbinary(8), dos) as dos,
    convert(varbinary(8), pl) as pl from t order by id
select ascii(ru) as ru, ascii(ja) as ja, unicode(ru) as u, upper(ru) as up, lower(ru) as lo, reverse(ja) as r, left(ja, 2) as f, substring(ja, 2, 1) as s
from t where id = 1
go
--> [id:int | ru:varchar(6) | ja:varchar(6) | jc:char(5) | dos:varchar(6) | pl:varchar(6)]
--> 1 | Привет | 日本ｱ | 日 | é½ | łódź
--> 2 | ж?? | a? | aｱ | ? | ?
--> (2 rows affected)
--> [ru:int | ja:int | jc:int | dos:int | l:int | lj:int]
--> 6 | 5 | 5 | 2 | 6 | 3
--> 3 | 2 | 5 | 1 | 3 | 2
--> (2 rows affected)
--> [ru:varbinary(8) | ja:varbinary(8) | jc:varbinary(8) | dos:varbinary(8) | pl:varbinary(8)]
--> 0xCFF0E8E2E5F2 | 0x93FA967BB1 | 0x93FA202020 | 0x82AB | 0xB3F3649F
--> 0xE63F3F | 0x613F | 0x61B1202020 | 0x3F | 0x3F
--> (2 rows affected)
--> [ru:int | ja:int | u:int | up:varchar(6) | lo:varchar(6) | r:varchar(6) | f:varchar(4) | s:varchar(2)]
--> 207 | 147 | 1055 | ПРИВЕТ | привет | ｱ本日 | 日本 | 本
--> (1 rows affected)
insert t (ja) values (N'日本語語')
go
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'master.dbo.t', column 'ja'. Truncated value: '日本語'.
--> # The statement has been terminated.
insert t (jc) values (N'日本語')
go
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'master.dbo.t', column 'jc'. Truncated value: '日本'.
--> # The statement has been terminated.
select ru + 'x' as x, ru + N'日' as y, isnull(ru, 'q') as z, case when id = 1 then ru else '-' end as c from t order by id
select ru from t where ru = N'ПРИВЕТ'
select ru from t where ru = 'Привет'
select cast(N'日本語' as varchar(5)) as plain, cast(N'日本語' collate Japanese_CI_AS as varchar(5)) as ja
select ru collate Latin1_General_CI_AS as lost from t order by id
select sql_variant_property(cast(ru as sql_variant), 'Collation') as c, cast(cast(ja as sql_variant) as varchar(6)) as v from t where id = 1
go
--> [x:varchar(7) | y:nvarchar(7) | z:varchar(6) | c:varchar(6)]
--> Приветx | Привет日 | Привет | Привет
--> ж??x | ж??日 | ж?? | -
--> (2 rows affected)
--> [ru:varchar(6)]
--> Привет
--> (1 rows affected)
--> [ru:varchar(6)]
--> (0 rows affected)
--> [plain:varchar(5) | ja:varchar(5)]
--> ??? | 日本
--> (1 rows affected)
--> [lost:varchar(6)]
--> ??????
--> ???
--> (2 rows affected)
--> [c:sql_variant | v:varchar(6)]
--> Cyrillic_General_CI_AS | ???
--> (1 rows affected)
select c.name, c.collation_name, c.max_length from sys.columns c where c.object_id = object_id('t') and c.collation_name is not null order by c.column_id
select column_name, character_set_name from information_schema.columns where table_name = 't' and character_set_name is not null order by ordinal_position
go
--> [name:nvarchar(128) | collation_name:nvarchar(128) | max_length:smallint]
--> ru | Cyrillic_General_CI_AS | 6
--> ja | Japanese_CI_AS | 6
--> jc | Japanese_CI_AS | 5
--> dos | SQL_Latin1_General_CP850_CI_AS | 6
--> pl | Polish_CI_AS | 6
--> (5 rows affected)
--> [column_name:nvarchar(128) | character_set_name:nvarchar(128)]
--> ru | cp1251
--> ja | cp932
--> jc | cp932
--> dos | cp850
--> pl | cp1250
--> (5 rows affected)
create table m (a varchar(max) collate Chinese_PRC_CI_AS)
insert m values (replicate(cast(N'中a' collate Chinese_PRC_CI_AS as varchar(max)), 3000))
select datalength(a) as bytes, len(a) as chars, right(a, 3) as r, charindex('a', a, 4) as i from m
update m set a.write('xy', 0, 2)
select left(a, 4) as l, datalength(a) as bytes from m
go
--> (1 rows affected)
--> [bytes:bigint | chars:bigint | r:varchar(max) | i:bigint]
--> 9000 | 6000 | a中a | 4
--> (1 rows affected)
--> (1 rows affected)
--> [l:varchar(max) | bytes:bigint]
--> xya中 | 9000
--> (1 rows affected)
create index by_ru on t (ru)
go
select ru from t with (index(by_ru)) where ru > 'a' order by ru
go
--> [ru:varchar(6)]
--> ж??
--> Привет
--> (2 rows affected)
