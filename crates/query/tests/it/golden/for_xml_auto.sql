-- differs parameters: the names of RAW and ROOT are literals
-- differs variables: AUTO names elements by the table
create table t (id int not null primary key, a int, s nvarchar(20))
create table u (id int, a int)
create table pp (id int, nm nvarchar(20))
create table cc (id int, pid int, cnm nvarchar(20), amt decimal(9, 2))
create table gg (id int, pid int, gnm nvarchar(20))
create table xp (id int, doc xml)
insert t values (1, 10, 'x'), (2, 30, 'z'), (3, 50, null)
insert u values (1, 10), (2, 20)
insert pp values (1, 'alpha'), (2, 'beta'), (3, 'gamma'), (4, 'alpha')
insert cc values (10, 1, 'a1', 1.5), (11, 1, 'a2', 2.5), (12, 2, 'b1', null), (13, 4, 'd1', 9.0)
insert gg values (100, 1, 'g1'), (101, 1, 'g2')
insert xp values (1, '<a/>'), (2, null)
go
--> (3 rows affected)
--> (2 rows affected)
--> (4 rows affected)
--> (4 rows affected)
--> (2 rows affected)
--> (2 rows affected)
-- RAW: a column is an attribute
select id, s from t order by id for xml raw
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row id="1" s="x"/><row id="2" s="z"/><row id="3"/>
--> (3 rows affected)
select id, s from t where id = 1 for xml raw ('item')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <item id="1" s="x"/>
--> (1 rows affected)
select id, s from t where id <> 2 order by id for xml raw, elements
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><id>1</id><s>x</s></row><row><id>3</id></row>
--> (2 rows affected)
select id, s from t where id = 3 for xml raw, elements xsinil
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><id>3</id><s xsi:nil="true"/></row>
--> (1 rows affected)
select id from t where id = 3 for xml raw(''), elements
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <id>3</id>
--> (1 rows affected)
select id from t order by id for xml raw, root
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <root><row id="1"/><row id="2"/><row id="3"/></root>
--> (3 rows affected)
select id from t order by id for xml raw, type, root('r')
go
--> [:xml]
--> <r><row id="1"/><row id="2"/><row id="3"/></r>
--> (1 rows affected)
select id, doc, id + 1 as more from xp order by id for xml raw
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row id="1" more="2"><doc><a/></doc></row><row id="2" more="3"/>
--> (2 rows affected)
select 1 as [a b], 2 as [1a], 3 as [a_x], 4 as [a$b], 5 as [a-b.c], 6 as [:a], 7 as [x_], 8 as [comment()] for xml raw
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row a_x0020_b="1" _x0031_a="2" a_x005F_x="3" a_x0024_b="4" a-b.c="5" _x003A_a="6" x_="7" comment_x0028__x0029_="8"/>
--> (1 rows affected)
select 'namespace-urn' as 'xmlns:namespace', 1 as 'namespace:a' for xml raw
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row xmlns:namespace="namespace-urn" namespace:a="1"/>
--> (1 rows affected)
select 1 as a, 2 as A for xml raw
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row a="1" A="2"/>
--> (1 rows affected)
select 1 as a, 2 as a for xml raw, elements
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><a>1</a><a>2</a></row>
--> (1 rows affected)
select cast(0x0102 as varbinary(5)) as b, cast(null as varbinary(5)) as c for xml raw, binary base64
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row b="AQI="/>
--> (1 rows affected)
select id, (select u.a from u where u.id = t.id for xml raw('u'), type) from t where id < 3 order by id for xml raw('t')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <t id="1"><u a="10"/></t><t id="2"><u a="20"/></t>
--> (2 rows affected)
-- AUTO: an element of each table, in the order of their first columns
select id, a from t order by id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <t id="1" a="10"/><t id="2" a="30"/><t id="3" a="50"/>
--> (3 rows affected)
select id from dbo.pp where id = 1 for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <dbo.pp id="1"/>
--> (1 rows affected)
select id from t as [a b] where id = 1 for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <a_x0020_b id="1"/>
--> (1 rows affected)
select p.id, p.nm, c.id, c.cnm from pp p join cc c on c.pid = p.id order by p.id, c.id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p id="1" nm="alpha"><c id="10" cnm="a1"/><c id="11" cnm="a2"/></p><p id="2" nm="beta"><c id="12" cnm="b1"/></p><p id="4" nm="alpha"><c id="13" cnm="d1"/></p>
--> (4 rows affected)
select p.id, c.cnm, p.nm from pp p join cc c on c.pid = p.id where p.id < 3 order by p.id, c.id for xml auto, elements
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p><id>1</id><nm>alpha</nm><c><cnm>a1</cnm></c><c><cnm>a2</cnm></c></p><p><id>2</id><nm>beta</nm><c><cnm>b1</cnm></c></p>
--> (3 rows affected)
select c.cnm, p.nm from pp p join cc c on c.pid = p.id order by c.id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <c cnm="a1"><p nm="alpha"/></c><c cnm="a2"><p nm="alpha"/></c><c cnm="b1"><p nm="beta"/></c><c cnm="d1"><p nm="alpha"/></c>
--> (4 rows affected)
select p.id, c.cnm from pp p left join cc c on c.pid = p.id order by p.id, c.id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p id="1"><c cnm="a1"/><c cnm="a2"/></p><p id="2"><c cnm="b1"/></p><p id="3"><c/></p><p id="4"><c cnm="d1"/></p>
--> (5 rows affected)
select p.id, c.cnm, g.gnm from pp p join cc c on c.pid = p.id join gg g on g.pid = p.id order by p.id, c.id, g.id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p id="1"><c cnm="a1"><g gnm="g1"/><g gnm="g2"/></c><c cnm="a2"><g gnm="g1"/><g gnm="g2"/></c></p>
--> (4 rows affected)
select p.nm + 'X' as calc, p.id, c.cnm, c.cnm + '!' as more from pp p join cc c on c.pid = p.id where p.id < 3 order by p.id, c.id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p calc="alphaX" id="1"><c cnm="a1" more="a1!"/><c cnm="a2" more="a2!"/></p><p calc="betaX" id="2"><c cnm="b1" more="b1!"/></p>
--> (3 rows affected)
select p.nm, c.cnm from pp p join cc c on c.pid = p.id order by p.nm, c.cnm for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p nm="alpha"><c cnm="a1"/><c cnm="a2"/><c cnm="d1"/></p><p nm="beta"><c cnm="b1"/></p>
--> (4 rows affected)
select p.id, c.cnm from pp p join cc c on c.pid = p.id order by case c.id when 11 then 3 when 12 then 2 else 1 end, c.id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p id="1"><c cnm="a1"/></p><p id="4"><c cnm="d1"/></p><p id="2"><c cnm="b1"/></p><p id="1"><c cnm="a2"/></p>
--> (4 rows affected)
select p.id, c.cnm, c.amt from pp p join cc c on c.pid = p.id where p.id = 2 for xml auto, elements xsinil
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><id>2</id><c><cnm>b1</cnm><amt xsi:nil="true"/></c></p>
--> (1 rows affected)
select p.id, c.cnm from pp p join cc c on c.pid = p.id where p.id = 1 order by c.id for xml auto, root('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r><p id="1"><c cnm="a1"/><c cnm="a2"/></p></r>
--> (2 rows affected)
select p.id, c.cnm, count(*) as n from pp p join cc c on c.pid = p.id where p.id = 1 group by p.id, c.cnm order by c.cnm for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p id="1"><c cnm="a1" n="1"/><c cnm="a2" n="1"/></p>
--> (2 rows affected)
select 1 as a from pp where id < 3 for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <pp a="1"/><pp a="1"/>
--> (2 rows affected)
select x.id, x.doc, g.gnm from xp x join gg g on g.pid = x.id order by g.gnm for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <x id="1"><doc><a/></doc><g gnm="g1"/></x><x id="1"><doc><a/></doc><g gnm="g2"/></x>
--> (2 rows affected)
select p.id, (select c2.id as [@cid] from cc c2 where c2.pid = p.id order by c2.id for xml path('c'), type) as kids, c.cnm from pp p join cc c on c.pid = p.id where p.id = 1 order by c.id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p id="1"><kids><c cid="10"/><c cid="11"/></kids><c cnm="a1"/></p><p id="1"><kids><c cid="10"/><c cid="11"/></kids><c cnm="a2"/></p>
--> (2 rows affected)
select d.n, c.cnm from (select nm + '!' as n, id from pp) as d left join cc c on c.pid = d.id where d.id < 3 order by d.id, c.id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <d n="alpha!"><c cnm="a1"/><c cnm="a2"/></d><d n="beta!"><c cnm="b1"/></d>
--> (3 rows affected)
with w as (select id from t where id < 3) select id from w order by id for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <w id="1"/><w id="2"/>
--> (2 rows affected)
select t.id, u.a from t join u on t.id = u.id union all select id, a from u order by id, a for xml auto
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <t id="1" a="10"/><t id="1" a="10"/><t id="2" a="20"/><t id="2" a="20"/>
--> (4 rows affected)
select id from t where id = 1 for xml auto, type
go
--> [:xml]
--> <t id="1"/>
--> (1 rows affected)
select id, cast(0x0102 as varbinary(4)) as b from t where id = 1 for xml auto, binary base64
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <t id="1" b="AQI="/>
--> (1 rows affected)
create table #tmp (id int, [c d] int)
insert #tmp values (1, 2)
select id, [c d] from #tmp for xml auto
go
--> (1 rows affected)
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <_x0023_tmp id="1" c_x0020_d="2"/>
--> (1 rows affected)
-- what is refused
select id, a + 1 from t for xml raw
go
--> Msg 6809, Level 16, State 1, Line 2: Unnamed tables cannot be used as XML identifiers as well as unnamed columns cannot be used for attribute names. Name unnamed columns/tables using AS in the SELECT statement.
select id, a + 1 from t for xml auto, elements
go
--> Msg 6809, Level 16, State 1, Line 1: Unnamed tables cannot be used as XML identifiers as well as unnamed columns cannot be used for attribute names. Name unnamed columns/tables using AS in the SELECT statement.
select id, a as id from t for xml raw
go
--> Msg 6810, Level 16, State 1, Line 1: Column name 'id' is repeated. The same attribute cannot be generated more than once on the same XML tag.
select 1 as a for xml auto
go
--> Msg 6800, Level 16, State 1, Line 1: FOR XML AUTO requires at least one table for generating XML tags. Use FOR XML RAW or add a FROM clause with a table name.
select value from generate_series(1, 2) for xml auto
go
--> Msg 6800, Level 16, State 1, Line 1: FOR XML AUTO requires at least one table for generating XML tags. Use FOR XML RAW or add a FROM clause with a table name.
select 9 as id union all select id from t for xml auto
go
--> Msg 6800, Level 16, State 1, Line 1: FOR XML AUTO requires at least one table for generating XML tags. Use FOR XML RAW or add a FROM clause with a table name.
select id from t for xml raw('')
go
--> Msg 6864, Level 16, State 1, Line 1: Row tag omission (empty row tag name) cannot be used with attribute-centric FOR XML serialization.
select id from t for xml raw('r x'), root('t y')
go
--> Msg 6850, Level 16, State 1, Line 1: Row name 'r x' contains an invalid XML identifier as required by FOR XML; ' '(0x0020) is the first character at fault.
select id from t for xml raw, root('t y')
go
--> Msg 6850, Level 16, State 1, Line 1: ROOT name 't y' contains an invalid XML identifier as required by FOR XML; ' '(0x0020) is the first character at fault.
select id from t for xml auto('x')
go
--> Msg 6859, Level 15, State 1, Line 1: Row tag name is only allowed with RAW or PATH mode of FOR XML.
select 0x01 as b for xml raw
go
--> Msg 6829, Level 16, State 1, Line 1: FOR XML EXPLICIT and RAW modes currently do not support addressing binary data as URLs in column 'b'. Remove the column, or use the BINARY BASE64 mode, or create the URL directly using the 'dbobject/TABLE[@PK1="V1"]/@COLUMN' syntax.
select id, 0x01 as b from t for xml auto
go
--> Msg 6830, Level 16, State 1, Line 1: FOR XML AUTO could not find the table owning the following column 'b' to create a URL address for it. Remove the column, or use the BINARY BASE64 mode, or create the URL directly using the 'dbobject/TABLE[@PK1="V1"]/@COLUMN' syntax.
create table bin (id int primary key, b varbinary(9))
go
select id, b from bin for xml auto
go
--> Msg 40517, Level 16, State 1, Line 1: binary columns in FOR XML AUTO without BINARY BASE64 is not supported in this version of Millpond.
select id from t for xml raw, xmlschema ('urn:x')
go
--> Msg 40517, Level 16, State 1, Line 1: XMLSCHEMA of FOR XML is not supported in this version of Millpond.
select id from t for xml auto, xmldata
go
--> Msg 40517, Level 16, State 1, Line 1: XMLDATA of FOR XML is not supported in this version of Millpond.
select id from t for xml raw, xmlschema ('')
go
--> Msg 6862, Level 16, State 1, Line 1: Empty FOR XML target inline schema URI is not allowed.
select id from t for xml raw (''), elements, xmlschema
go
--> Msg 6863, Level 16, State 1, Line 1: Row tag omission (empty row tag name) is not compatible with XMLSCHEMA FOR XML directive.
select id from t for xml raw ('a'), xmldata
go
--> Msg 6860, Level 16, State 1, Line 1: FOR XML directive XMLDATA is not allowed with ROOT directive or row tag name specified.
