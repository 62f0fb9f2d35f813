-- differs clustered, secondary: an index on a table whose creation is refused is refused too
-- Collations by name: case, accents, order, keys, conflicts
create table #c (id int identity, ci varchar(20) collate Latin1_General_CI_AS, cs varchar(20) collate Latin1_General_CS_AS,
    ai nvarchar(20) collate Latin1_General_100_CI_AI, b varchar(20) collate Latin1_General_100_BIN2)
insert #c values ('cote', 'cote', N'cote', 'cote'), ('Cote', 'Cote', N'Cote', 'Cote'), (N'coté', N'coté', N'coté', N'coté'), (N'Côte', N'Côte', N'Côte', N'Côte')
go
--> (4 rows affected)
select id from #c where ci = 'COTE' order by id
select id from #c where cs = 'cote' order by id
select id from #c where ai = 'COTE' order by id
select id from #c where b = 'cote' order by id
select id from #c where ai like 'cot_' order by id
select ai, count(*) as n from #c group by ai
select cs from #c order by cs
select cs from #c order by cs collate SQL_Latin1_General_CP1_CS_AS
select b from #c order by b
go
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 1
--> 2
--> 3
--> 4
--> (4 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 1
--> 2
--> 3
--> 4
--> (4 rows affected)
--> [ai:nvarchar(20) | n:int]
--> cote | 4
--> (1 rows affected)
--> [cs:varchar(20)]
--> cote
--> Cote
--> coté
--> Côte
--> (4 rows affected)
--> [cs:varchar(20)]
--> Cote
--> cote
--> coté
--> Côte
--> (4 rows affected)
--> [b:varchar(20)]
--> Cote
--> Côte
--> cote
--> coté
--> (4 rows affected)
create table words (w nvarchar(20) collate Latin1_General_CI_AI primary key, x varchar(10) collate SQL_Latin1_General_CP1_CI_AI)
insert words values (N'Ängström', 'a')
insert words values (N'angstrom', 'b')
select w from words where w = N'ANGSTROM'
go
--> (1 rows affected)
--> Msg 2627, Level 14, State 1, Line 3: Violation of PRIMARY KEY constraint 'PK__words__00000000000003E9'. Cannot insert duplicate key in object 'dbo.words'. The duplicate key value is (angstrom).
--> # The statement has been terminated.
--> [w:nvarchar(20)]
--> Ängström
--> (1 rows affected)
select c.name, c.collation_name from sys.columns c where c.object_id = object_id('words') order by c.column_id
go
--> [name:nvarchar(128) | collation_name:nvarchar(128)]
--> w | Latin1_General_CI_AI
--> x | SQL_Latin1_General_CP1_CI_AI
--> (2 rows affected)
select a.ci from #c a join #c b on a.ci = b.cs
go
--> Msg 468, Level 16, State 9, Line 1: Cannot resolve the collation conflict between "Latin1_General_CI_AS" and "Latin1_General_CS_AS" in the equal to operation.
select a.id from #c a join #c b on a.ci = b.cs collate Latin1_General_CI_AS where a.id = 1 order by b.id
go
--> [id:int]
--> 1
--> 1
--> (2 rows affected)
select 'a' collate Klingon_CI_AS
go
--> Msg 448, Level 16, State 1, Line 1: Invalid collation 'Klingon_CI_AS'.
create table bad (a varchar(5) collate Latin1_General_CI_AS_SC_UTF8)
go
--> Msg 448, Level 16, State 1, Line 1: Invalid collation 'Latin1_General_CI_AS_SC_UTF8'.
select collationproperty('Latin1_General_CI_AS', 'ComparisonStyle') as ci_as, collationproperty('Latin1_General_CS_AS', 'ComparisonStyle') as cs_as,
    collationproperty('Latin1_General_CI_AI', 'ComparisonStyle') as ci_ai, collationproperty('Latin1_General_CS_AI', 'ComparisonStyle') as cs_ai,
    collationproperty('Latin1_General_BIN2', 'ComparisonStyle') as bin2, collationproperty('Latin1_General_100_CI_AS', 'Version') as v,
    collationproperty('Latin1_General_100_CI_AS', 'CodePage') as cp, collationproperty('Latin1_General_CI_AS', 'LCID') as lcid,
    collationproperty('Klingon', 'LCID') as none
select name, description from fn_helpcollations() where name like 'SQL[_]Latin1[_]General[_]CP1[_]%'
select count(*) as n from sys.fn_helpcollations()
go
--> [ci_as:sql_variant | cs_as:sql_variant | ci_ai:sql_variant | cs_ai:sql_variant | bin2:sql_variant | v:sql_variant | cp:sql_variant | lcid:sql_variant | none:sql_variant]
--> 196609 | 196608 | 196611 | 196610 | 0 | 2 | 1252 | 1033 | NULL
--> (1 rows affected)
--> [name:nvarchar(128) | description:nvarchar(1000)]
--> SQL_Latin1_General_CP1_CI_AI | Latin1-General, case-insensitive, accent-insensitive, kanatype-insensitive, width-insensitive for Unicode Data, SQL Server Sort Order 54 on Code Page 1252 for non-Unicode Data
--> SQL_Latin1_General_CP1_CI_AS | Latin1-General, case-insensitive, accent-sensitive, kanatype-insensitive, width-insensitive for Unicode Data, SQL Server Sort Order 52 on Code Page 1252 for non-Unicode Data
--> SQL_Latin1_General_CP1_CS_AS | Latin1-General, case-sensitive, accent-sensitive, kanatype-insensitive, width-insensitive for Unicode Data, SQL Server Sort Order 51 on Code Page 1252 for non-Unicode Data
--> (3 rows affected)
--> [n:int]
--> 5488
--> (1 rows affected)
