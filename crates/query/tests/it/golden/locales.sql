-- differs temporary: an error names the table
-- Texts in the order of their locale, and what does not count there
create table words (id int identity, es nvarchar(20) collate Traditional_Spanish_CI_AS, da nvarchar(20) collate Danish_Norwegian_CS_AS,
    tr nvarchar(20) collate Turkish_CI_AS, ja nvarchar(20) collate Japanese_CI_AS_KS, de varchar(20) collate German_PhoneBook_CI_AS)
create index by_es on words (es)
create unique index by_de on words (de)
insert words values (N'cz', N'zz', N'ı', N'か', 'ad'), (N'ch', N'aa', N'i', N'カ', N'ä'), (N'd', N'å', N'I', N'ｶ', 'af')
go
--> (3 rows affected)
select es from words order by es
select es from words where es > N'cz' order by es
select da from words order by da, id
select tr from words where tr = N'i'
select tr from words where tr = N'ı' order by id
select ja from words where ja = N'カ' order by id
select de from words order by de
go
--> [es:nvarchar(20)]
--> cz
--> ch
--> d
--> (3 rows affected)
--> [es:nvarchar(20)]
--> ch
--> d
--> (2 rows affected)
--> [da:nvarchar(20)]
--> zz
--> aa
--> å
--> (3 rows affected)
--> [tr:nvarchar(20)]
--> i
--> (1 rows affected)
--> [tr:nvarchar(20)]
--> ı
--> I
--> (2 rows affected)
--> [ja:nvarchar(20)]
--> カ
--> ｶ
--> (2 rows affected)
--> [de:varchar(20)]
--> ad
--> ä
--> af
--> (3 rows affected)
insert words (de) values ('AF')
go
--> Msg 2601, Level 14, State 1, Line 1: Cannot insert duplicate key row in object 'dbo.words' with unique index 'by_de'. The duplicate key value is (AF).
--> # The statement has been terminated.
select count(*) as n from words where es = N'CH'
select es from words where es like N'c%' order by es
go
--> [n:int]
--> 1
--> (1 rows affected)
--> [es:nvarchar(20)]
--> cz
--> ch
--> (2 rows affected)
declare @t table (w nvarchar(20) collate Latin1_General_CI_AS)
insert @t values (N'co-op'), (N'coop'), (N'coos'), (N'Straße'), (N'strasse'), (N'cop'), (N'e' + nchar(769)), (N'é')
select w from @t order by w, len(w)
select w from @t where w = N'STRASSE' order by len(w)
select count(*) as n from @t where w = N'É'
select count(distinct w) as n from @t
go
--> (8 rows affected)
--> [w:nvarchar(20)]
--> coop
--> co-op
--> coos
--> cop
--> é
--> é
--> Straße
--> strasse
--> (8 rows affected)
--> [w:nvarchar(20)]
--> Straße
--> strasse
--> (2 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 6
--> (1 rows affected)
select replace(N'a-B-b' collate Czech_CI_AS, N'B', N'x') as r, charindex(N'I', N'kit' collate Turkish_CI_AS) as i,
    charindex(N'I', N'kit' collate Polish_CI_AS) as p
select collationproperty('Japanese_XJIS_140_CI_AS_KS_WS_VSS_UTF8', 'ComparisonStyle') as style,
    collationproperty('Chinese_PRC_Stroke_90_CI_AS', 'LCID') as lcid, collationproperty('Thai_CI_AS', 'CodePage') as page
select 'a' collate SQL_EBCDIC037_CP1_CS_AS
go
--> [r:nvarchar(4000) | i:int | p:int]
--> a-x-x | 0 | 2
--> (1 rows affected)
--> [style:sql_variant | lcid:sql_variant | page:sql_variant]
--> 1 | 133124 | 874
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 5: The collation SQL_EBCDIC037_CP1_CS_AS is not supported in this version of Millpond.
select 'a' collate Indic_General_100_CI_AS
go
--> Msg 459, Level 16, State 1, Line 1: Collation 'Indic_General_100_CI_AS' is supported on Unicode data types only and cannot be applied to char, varchar or text data types.
declare @v table (a varchar(5) collate Khmer_100_CI_AS)
go
--> Msg 459, Level 16, State 1, Line 1: Collation 'Khmer_100_CI_AS' is supported on Unicode data types only and cannot be applied to char, varchar or text data types.
select name from fn_helpcollations() where name like 'Albanian%BIN%' or name like 'Czech[_]CI%' order by name
go
--> [name:nvarchar(128)]
--> Albanian_100_BIN
--> Albanian_100_BIN2
--> Albanian_BIN
--> Albanian_BIN2
--> Czech_CI_AI
--> Czech_CI_AI_KS
--> Czech_CI_AI_KS_WS
--> Czech_CI_AI_WS
--> Czech_CI_AS
--> Czech_CI_AS_KS
--> Czech_CI_AS_KS_WS
--> Czech_CI_AS_WS
--> (12 rows affected)
