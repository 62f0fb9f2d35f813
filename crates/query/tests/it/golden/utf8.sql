-- differs parameters: a constant length of LEFT, RIGHT and SUBSTRING is that of its result
-- Collations of UTF-8: lengths in bytes, counting in characters, comparison, keys, conversion
create table u (id int identity primary key, c char(6) collate Latin1_General_100_CI_AS_SC_UTF8,
    v varchar(13) collate Latin1_General_100_CI_AS_SC_UTF8, b varchar(12) collate Latin1_General_100_BIN2_UTF8,
    m varchar(max) collate Latin1_General_100_CS_AS_SC_UTF8, n nvarchar(12) collate Latin1_General_100_CI_AS_SC)
insert u (c, v, b, m, n) values ('abc', 'plain', 'plain', 'plain', 'plain'), (N'日本', N'日本語😀', N'ž', N'Žluťoučký 😀 日本', N'😀x')
insert u (v, m) select N'ŽLUŤ', replicate(cast(N'日' as nvarchar(max)), 5000)
select id, c, v, b, left(m, 20) as m, n from u order by id
select id, len(c) as c, len(v) as v, len(b) as b, len(m) as m, len(n) as n from u order by id
select id, datalength(c) as c, datalength(v) as v, datalength(b) as b, datalength(m) as m, datalength(n) as n from u order by id
go
--> (2 rows affected)
--> (1 rows affected)
--> [id:int | c:char(6) | v:varchar(13) | b:varchar(12) | m:varchar(max) | n:nvarchar(12)]
--> 1 | abc | plain | plain | plain | plain
--> 2 | 日本 | 日本語😀 | ž | Žluťoučký 😀 日本 | 😀x
--> 3 | NULL | ŽLUŤ | NULL | 日日日日日日日日日日日日日日日日日日日日 | NULL
--> (3 rows affected)
--> [id:int | c:int | v:int | b:int | m:bigint | n:int]
--> 1 | 3 | 5 | 5 | 5 | 5
--> 2 | 2 | 4 | 1 | 14 | 2
--> 3 | NULL | 4 | NULL | 5000 | NULL
--> (3 rows affected)
--> [id:int | c:int | v:int | b:int | m:bigint | n:int]
--> 1 | 6 | 5 | 5 | 5 | 10
--> 2 | 6 | 13 | 2 | 25 | 6
--> 3 | NULL | 6 | NULL | 15000 | NULL
--> (3 rows affected)
-- Too long by bytes, though not by characters
insert u (v) values (N'日本語日本')
insert u (c) select N'日本語'
update u set b = N'日本語日本' where id = 1
declare @long nvarchar(20) = N'日本語日本'
insert u (v) values (@long)
-- Only blanks are cut
insert u (v) values (N'日本語日   ')
select v from u where v = N'日本語日'
delete u where v = N'日本語日'
go
--> Msg 2628, Level 16, State 1, Line 2: String or binary data would be truncated in table 'master.dbo.u', column 'v'. Truncated value: '日本語日'.
--> # The statement has been terminated.
--> Msg 2628, Level 16, State 1, Line 3: String or binary data would be truncated in table 'master.dbo.u', column 'c'. Truncated value: '日本'.
--> # The statement has been terminated.
--> Msg 2628, Level 16, State 1, Line 4: String or binary data would be truncated in table 'master.dbo.u', column 'b'. Truncated value: '日本語日'.
--> # The statement has been terminated.
--> Msg 2628, Level 16, State 1, Line 6: String or binary data would be truncated in table 'master.dbo.u', column 'v'. Truncated value: '日本語日'.
--> # The statement has been terminated.
--> (1 rows affected)
--> [v:varchar(13)]
--> 日本語日
--> (1 rows affected)
--> (1 rows affected)
-- Literals without N are of the database's code page
insert u (v) values ('日本')
select v from u where v = '??'
delete u where v = '??'
go
--> (1 rows affected)
--> [v:varchar(13)]
--> ??
--> (1 rows affected)
--> (1 rows affected)
-- Functions count characters
select substring(v, 4, 1) as s, left(v, 2) as l, right(v, 2) as r, charindex(N'語', v) as c, charindex(N'😀', v) as e, patindex(N'%😀', v) as p,
    unicode(right(v, 1)) as code, reverse(v) as back, stuff(v, 2, 2, '--') as stuffed, replace(v, N'本', 'x') as replaced, ascii(v) as a from u where id = 2
select len(n) as len, substring(n, 1, 1) as s, substring(n, 2, 1) as t, unicode(n) as code, charindex('x', n) as at,
    len(n collate Latin1_General_100_CI_AS) as units, charindex('x', n collate Latin1_General_100_CI_AS) as unit from u where id = 2
select upper(v) as up, lower(v) as low from u where id = 3
select concat(v, '-', id) as c, v + '-' + c as p, v + N'-' as n from u where id = 2
select upper(cast(N'ɐɐɐɐɐɐ' as varchar(12)) collate Latin1_General_100_CI_AS_SC_UTF8) as lost, upper(cast(N'ɐɐɐɐɐɐ' collate Latin1_General_100_CI_AS_SC_UTF8 as varchar(12))) as grown
go
--> [s:varchar(4) | l:varchar(8) | r:varchar(8) | c:int | e:int | p:int | code:int | back:varchar(13) | stuffed:varchar(19) | replaced:nvarchar(4000) | a:int]
--> 😀 | 日本 | 語😀 | 3 | 4 | 4 | 128512 | 😀語本日 | 日--😀 | 日x語😀 | 230
--> (1 rows affected)
--> [len:int | s:nvarchar(2) | t:nvarchar(2) | code:int | at:int | units:int | unit:int]
--> 2 | 😀 | x | 128512 | 2 | 3 | 3
--> (1 rows affected)
--> [up:varchar(13) | low:varchar(13)]
--> ŽLUŤ | žluť
--> (1 rows affected)
--> [c:varchar(28) | p:varchar(22) | n:nvarchar(14)]
--> 日本語😀-2 | 日本語😀-日本 | 日本語😀-
--> (1 rows affected)
--> [lost:varchar(36) | grown:varchar(12)]
--> ?????? | ⱯⱯⱯⱯ
--> (1 rows affected)
-- Comparison, order, LIKE, groups
select id from u where v = N'žluť' order by id
select id from u where v collate Latin1_General_100_CS_AS_SC_UTF8 = N'žluť' order by id
select id from u where v like N'日%' or v like 'pl_in' order by id
select id from u where v like N'日本語_' order by id
select v from u order by v
select b from u where b is not null order by b desc
select upper(v) as v, n from (select v, count(*) as n from (select v from u union all select lower(v) from u) x group by v) y order by v
select upper(v) as v from (select distinct v from (select v from u union all select N'žluť') x where v like N'ž%') x
select max(v) as most, min(b) as least from u
go
--> [id:int]
--> 3
--> (1 rows affected)
--> [id:int]
--> (0 rows affected)
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [v:varchar(13)]
--> plain
--> ŽLUŤ
--> 日本語😀
--> (3 rows affected)
--> [b:varchar(12)]
--> ž
--> plain
--> (2 rows affected)
--> [v:varchar(13) | n:int]
--> PLAIN | 2
--> ŽLUŤ | 2
--> 日本語😀 | 2
--> (3 rows affected)
--> [v:nvarchar(13)]
--> ŽLUŤ
--> (1 rows affected)
--> [most:varchar(13) | least:varchar(12)]
--> 日本語😀 | plain
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
select a.id, b.id from u a join u b on a.v = b.n
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "Latin1_General_100_CI_AS_SC_UTF8" and "Latin1_General_100_CI_AS_SC" in the equal to operation.
select a.id, b.id from u a join u b on a.v = b.b
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "Latin1_General_100_CI_AS_SC_UTF8" and "Latin1_General_100_BIN2_UTF8" in the equal to operation.
-- Conversions and types
select cast(v as varchar(7)) as cut, cast(v as nvarchar(3)) as wide, cast(v as varbinary(6)) as bytes, cast(v as char(4)) as fixed from u where id = 2
select v collate SQL_Latin1_General_CP1_CI_AS as narrow from u where id > 1 order by id
select datalength('ä€' collate Latin1_General_100_CI_AS_SC_UTF8) as utf8, datalength('ä€') as cp1252
select cast(0xE697A5 as varchar(3)) collate Latin1_General_100_CI_AS_SC_UTF8 as latin
select case when id = 1 then 'ä' else v end as joined, coalesce(b, 'ö') as first, isnull(b, 'ö') as isn, iif(id = 1, v, N'😀') as wide from u order by id
select v from u where id = 2 union all select 'ä'
select 'ä' as x union all select v from u where id = 2
select x from (values ('ä'), (cast(N'日' collate Latin1_General_100_CI_AS_SC_UTF8 as varchar(3)))) t (x)
declare @v varchar(12) = (select v from u where id = 2), @n nvarchar(12) = (select v from u where id = 2)
select @v as v, @n as n
select id from u where v = @n
select hashbytes('MD5', v) as v, hashbytes('MD5', cast(v as varbinary(13))) as bytes from u where id = 2
go
--> [cut:varchar(7) | wide:nvarchar(3) | bytes:varbinary(6) | fixed:char(4)]
--> 日本 | 日本語 | 0xE697A5E69CAC | 日
--> (1 rows affected)
--> [narrow:varchar(13)]
--> ?????
--> ŽLUT
--> (2 rows affected)
--> [utf8:int | cp1252:int]
--> 5 | 2
--> (1 rows affected)
--> [latin:varchar(9)]
--> æ—¥
--> (1 rows affected)
--> [joined:varchar(13) | first:varchar(12) | isn:varchar(12) | wide:nvarchar(13)]
--> ä | plain | plain | plain
--> 日本語😀 | ž | ž | 😀
--> ŽLUŤ | ö | ö | 😀
--> (3 rows affected)
--> [v:varchar(13)]
--> 日本語😀
--> ä
--> (2 rows affected)
--> [x:varchar(13)]
--> ä
--> 日本語😀
--> (2 rows affected)
--> [x:varchar(3)]
--> ä
--> 日
--> (2 rows affected)
--> [v:varchar(12) | n:nvarchar(12)]
--> ????? | 日本語😀
--> (1 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [v:varbinary(8000) | bytes:varbinary(8000)]
--> 0xAC48E57780120A9761076648FFB8049C | 0xAC48E57780120A9761076648FFB8049C
--> (1 rows affected)
-- Keys and indexes
create table k (v varchar(20) collate Latin1_General_100_CI_AS_SC_UTF8 primary key, n int)
insert k values (N'日本', 1), (N'Ž', 2), ('a', 3), (N'😀', 4)
insert k values (N'ž', 5)
select n from k where v = N'ž'
select n from k where v in (N'😀', 'A') order by n
select n from k where v > 'b' order by v
select n from k where v like N'日%'
create index ix on u (b) include (v)
select v from u where b = N'ž'
update k set v = N'日本語' where n = 1
select v, n from k order by v
go
--> (4 rows affected)
--> Msg 2627, Level 14, State 1, Line 4: Violation of PRIMARY KEY constraint 'PK__k__00000000000003EB'. Cannot insert duplicate key in object 'dbo.k'. The duplicate key value is (ž).
--> # The statement has been terminated.
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 3
--> 4
--> (2 rows affected)
--> [n:int]
--> 2
--> 1
--> (2 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [v:varchar(13)]
--> 日本語😀
--> (1 rows affected)
--> (1 rows affected)
--> [v:varchar(20) | n:int]
--> 😀 | 4
--> a | 3
--> Ž | 2
--> 日本語 | 1
--> (4 rows affected)
-- Metadata
select c.name, c.max_length, c.collation_name from sys.columns c where c.object_id = object_id('u') order by c.column_id
select column_name, data_type, character_maximum_length as units, character_octet_length as octets, character_set_name as charset, collation_name from information_schema.columns where table_name = 'u' order by ordinal_position
select name, collationproperty(name, 'CodePage') as page, collationproperty(name, 'Version') as version, collationproperty(name, 'ComparisonStyle') as style, description
    from fn_helpcollations() where (name like 'Latin1%AI[_]SC%' or name like 'Latin1%AS[_]SC%' or name like 'Latin1%UTF8') and name not like '%[_][KW]S[_]%' order by name
select name, system_type_name, max_length, collation_name from sys.dm_exec_describe_first_result_set(N'select c, v, m, v + ''x'' as p, upper(b) as b from u', null, 0)
go
--> [name:nvarchar(128) | max_length:smallint | collation_name:nvarchar(128)]
--> id | 4 | NULL
--> c | 6 | Latin1_General_100_CI_AS_SC_UTF8
--> v | 13 | Latin1_General_100_CI_AS_SC_UTF8
--> b | 12 | Latin1_General_100_BIN2_UTF8
--> m | -1 | Latin1_General_100_CS_AS_SC_UTF8
--> n | 24 | Latin1_General_100_CI_AS_SC
--> (6 rows affected)
--> [column_name:nvarchar(128) | data_type:nvarchar(128) | units:int | octets:int | charset:nvarchar(128) | collation_name:nvarchar(128)]
--> id | int | NULL | NULL | NULL | NULL
--> c | char | 6 | 6 | utf8 | Latin1_General_100_CI_AS_SC_UTF8
--> v | varchar | 13 | 13 | utf8 | Latin1_General_100_CI_AS_SC_UTF8
--> b | varchar | 12 | 12 | utf8 | Latin1_General_100_BIN2_UTF8
--> m | varchar | -1 | -1 | utf8 | Latin1_General_100_CS_AS_SC_UTF8
--> n | nvarchar | 12 | 24 | UNICODE | Latin1_General_100_CI_AS_SC
--> (6 rows affected)
--> [name:nvarchar(128) | page:sql_variant | version:sql_variant | style:sql_variant | description:nvarchar(1000)]
--> Latin1_General_100_BIN2_UTF8 | 65001 | 2 | 0 | Latin1-General-100, binary code point comparison sort, UTF8
--> Latin1_General_100_CI_AI_SC | 1252 | 2 | 196611 | Latin1-General-100, case-insensitive, accent-insensitive, kanatype-insensitive, width-insensitive, supplementary characters
--> Latin1_General_100_CI_AI_SC_UTF8 | 65001 | 2 | 196611 | Latin1-General-100, case-insensitive, accent-insensitive, kanatype-insensitive, width-insensitive, supplementary characters, UTF8
--> Latin1_General_100_CI_AS_SC | 1252 | 2 | 196609 | Latin1-General-100, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive, supplementary characters
--> Latin1_General_100_CI_AS_SC_UTF8 | 65001 | 2 | 196609 | Latin1-General-100, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive, supplementary characters, UTF8
--> Latin1_General_100_CS_AI_SC | 1252 | 2 | 196610 | Latin1-General-100, case-sensitive, accent-insensitive, kanatype-insensitive, width-insensitive, supplementary characters
--> Latin1_General_100_CS_AI_SC_UTF8 | 65001 | 2 | 196610 | Latin1-General-100, case-sensitive, accent-insensitive, kanatype-insensitive, width-insensitive, supplementary characters, UTF8
--> Latin1_General_100_CS_AS_SC | 1252 | 2 | 196608 | Latin1-General-100, case-sensitive, accent-sensitive, kanatype-insensitive, width-insensitive, supplementary characters
--> Latin1_General_100_CS_AS_SC_UTF8 | 65001 | 2 | 196608 | Latin1-General-100, case-sensitive, accent-sensitive, kanatype-insensitive, width-insensitive, supplementary characters, UTF8
--> (9 rows affected)
--> [name:nvarchar(128) | system_type_name:nvarchar(256) | max_length:smallint | collation_name:nvarchar(128)]
--> c | char(6) | 6 | Latin1_General_100_CI_AS_SC_UTF8
--> v | varchar(13) | 13 | Latin1_General_100_CI_AS_SC_UTF8
--> m | varchar(max) | -1 | Latin1_General_100_CS_AS_SC_UTF8
--> p | varchar(16) | 16 | Latin1_General_100_CI_AS_SC_UTF8
--> b | varchar(12) | 12 | Latin1_General_100_BIN2_UTF8
--> (5 rows affected)
-- Changes of columns, INTO, temporary tables, variables of tables
select v, c, upper(v) as up into copied from u where id <= 2
select name, max_length, collation_name from sys.columns where object_id = object_id('copied') order by column_id
select * from copied
alter table copied alter column v varchar(30) collate Latin1_General_100_CI_AS_SC_UTF8
update copied set v = v + N'日本語' where up = N'日本語😀'
select v, datalength(v) as d from copied order by v
alter table copied alter column v nvarchar(30)
select v from copied order by v
alter table copied alter column v varchar(40) collate Latin1_General_100_BIN2_UTF8
select v from copied order by v
alter table copied alter column v varchar(40) collate SQL_Latin1_General_CP1_CI_AS
select v from copied order by v
create table #t (v varchar(6) collate Latin1_General_100_CI_AI_SC_UTF8)
insert #t select left(v, 2) from u where id = 2
insert #t values (N'日本語')
select v from #t where v = N'日本'
declare @t table (v varchar(6) collate Latin1_General_100_CI_AI_SC_UTF8 primary key)
insert @t select v from #t
insert @t values (N'žl'), (N'zlu')
insert @t values (N'ZL')
select v from @t order by v
go
--> (2 rows affected)
--> [name:nvarchar(128) | max_length:smallint | collation_name:nvarchar(128)]
--> v | 13 | Latin1_General_100_CI_AS_SC_UTF8
--> c | 6 | Latin1_General_100_CI_AS_SC_UTF8
--> up | 13 | Latin1_General_100_CI_AS_SC_UTF8
--> (3 rows affected)
--> [v:varchar(13) | c:char(6) | up:varchar(13)]
--> plain | abc | PLAIN
--> 日本語😀 | 日本 | 日本語😀
--> (2 rows affected)
--> (1 rows affected)
--> [v:varchar(30) | d:int]
--> plain | 5
--> 日本語😀日本語 | 22
--> (2 rows affected)
--> [v:nvarchar(30)]
--> plain
--> 日本語😀日本語
--> (2 rows affected)
--> [v:varchar(40)]
--> plain
--> 日本語😀日本語
--> (2 rows affected)
--> [v:varchar(40)]
--> ????????
--> plain
--> (2 rows affected)
--> (1 rows affected)
--> Msg 2628, Level 16, State 1, Line 16: String or binary data would be truncated in table 'tempdb.dbo.#t', column 'v'. Truncated value: '日本'.
--> # The statement has been terminated.
--> [v:varchar(6)]
--> 日本
--> (1 rows affected)
--> (1 rows affected)
--> (2 rows affected)
--> Msg 2627, Level 14, State 1, Line 21: Violation of PRIMARY KEY constraint 'PK__t__0000000000000000'. Cannot insert duplicate key in object 'dbo.@t'. The duplicate key value is (ZL).
--> # The statement has been terminated.
--> [v:varchar(6)]
--> žl
--> zlu
--> 日本
--> (3 rows affected)
-- sql_variant, computed columns, WRITE
create table w (a varchar(10) collate Latin1_General_100_CI_AS_SC_UTF8, b as a + N'!' persisted, c as upper(a), s sql_variant, m varchar(max) collate Latin1_General_100_CI_AS_SC_UTF8)
insert w (a, s, m) select N'ž日', v, N'日本語' from u where id = 2
select a, b, c, s, sql_variant_property(s, 'BaseType') as base, sql_variant_property(s, 'MaxLength') as len, sql_variant_property(s, 'Collation') as col from w
update w set m.write(N'😀', 3, 3)
select m, datalength(m) as d from w
go
--> (1 rows affected)
--> [a:varchar(10) | b:nvarchar(11) | c:varchar(10) | s:sql_variant | base:sql_variant | len:sql_variant | col:sql_variant]
--> ž日 | ž日! | Ž日 | 日本語😀 | varchar | 13 | Latin1_General_100_CI_AS_SC_UTF8
--> (1 rows affected)
--> (1 rows affected)
--> [m:varchar(max) | d:bigint]
--> 日😀語 | 10
--> (1 rows affected)
