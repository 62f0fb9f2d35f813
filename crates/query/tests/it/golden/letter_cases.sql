-- UPPER and LOWER by the table of the collation: one of collations without a version, one of version 100, one of version 140.
select unicode(upper(N'µ')) as old, unicode(upper(N'µ' collate Latin1_General_100_CI_AS)) as v100, unicode(upper(N'µ' collate Japanese_XJIS_140_CI_AS)) as v140;
select unicode(upper(nchar(384))) as old, unicode(upper(nchar(384) collate Latin1_General_100_CI_AS)) as v100;
select unicode(lower(nchar(4256))) as old, unicode(lower(nchar(4256) collate Latin1_General_100_BIN2)) as v100;
select unicode(upper(nchar(912))) as old, unicode(upper(nchar(912) collate Japanese_XJIS_140_CI_AS)) as v140, unicode(lower(nchar(978) collate Japanese_XJIS_140_CI_AS)) as upsilon;
select unicode(upper(N'ı')) as i, unicode(lower(N'İ')) as dotted, unicode(upper(N'ß')) as ss;
go
--> [old:int | v100:int | v140:int]
--> 181 | 181 | 924
--> (1 rows affected)
--> [old:int | v100:int]
--> 384 | 579
--> (1 rows affected)
--> [old:int | v100:int]
--> 4304 | 11520
--> (1 rows affected)
--> [old:int | v140:int | upsilon:int]
--> 938 | 912 | 965
--> (1 rows affected)
--> [i:int | dotted:int | ss:int]
--> 73 | 105 | 223
--> (1 rows affected)
-- The letters of Turkish and Azeri.
select upper(N'iı' collate Turkish_CI_AS) + N'|' + lower(N'Iİ' collate Turkish_CI_AS) as a, upper(N'iı' collate Turkish_100_CS_AS) + N'|' + lower(N'Iİ' collate Turkish_100_CS_AS) as b, upper(N'iı' collate Turkish_BIN2) + N'|' + lower(N'Iİ' collate Turkish_BIN2) as c;
select upper(N'iı' collate SQL_Latin1_General_CP1254_CI_AS) + N'|' + lower(N'Iİ' collate SQL_Latin1_General_CP1254_CI_AS) as a, upper(N'iı' collate Azeri_Latin_100_CI_AS) + N'|' + lower(N'Iİ' collate Azeri_Latin_100_CI_AS) as b, upper(N'iı' collate Azeri_Cyrillic_100_CI_AS) + N'|' + lower(N'Iİ' collate Azeri_Cyrillic_100_CI_AS) as c;
select upper(N'iı' collate Latin1_General_100_CI_AS) + N'|' + lower(N'Iİ' collate Latin1_General_100_CI_AS) as a, upper(N'iı' collate Lithuanian_100_CI_AS) + N'|' + lower(N'Iİ' collate Lithuanian_100_CI_AS) as b;
go
--> [a:nvarchar(5) | b:nvarchar(5) | c:nvarchar(5)]
--> İI|ıi | İI|ıi | İI|ıi
--> (1 rows affected)
--> [a:nvarchar(5) | b:nvarchar(5) | c:nvarchar(5)]
--> İI|ıi | İI|ıi | İI|ıi
--> (1 rows affected)
--> [a:nvarchar(5) | b:nvarchar(5)]
--> II|ii | II|ii
--> (1 rows affected)
-- A column's collation is its own; a supplementary character has no other case.
create table t (a nvarchar(10) collate Turkish_CI_AS, b nvarchar(10), c varchar(10) collate Turkish_CI_AS, s nvarchar(10) collate Latin1_General_100_CI_AS_SC);
insert t values (N'gis', N'gis', 'gis', N'𐐨');
select upper(a) as a, upper(b) as b, upper(c) as c, unicode(upper(s)) as s from t;
select count(*) as n from t where upper(a) = N'GİS' collate Latin1_General_BIN2;
drop table t;
go
--> (1 rows affected)
--> [a:nvarchar(10) | b:nvarchar(10) | c:varchar(10) | s:int]
--> GİS | GIS | GİS | 66600
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
