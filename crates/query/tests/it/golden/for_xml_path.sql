-- differs parameters: the names of PATH and ROOT are literals
create table u (id int not null primary key, a int)
insert u values (1, 10), (2, 20)
create table t (id int not null primary key, a int, b int, s varchar(20))
insert t values (1, 10, 20, 'x'), (2, 30, 40, 'z'), (3, 50, 60, 'q')
go
--> (2 rows affected)
--> (3 rows affected)
-- a column is an element, by its name
select id, a from t order by id for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><id>1</id><a>10</a></row><row><id>2</id><a>30</a></row><row><id>3</id><a>50</a></row>
--> (3 rows affected)
select id, a from t where id < 3 order by id for xml path ('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r><id>1</id><a>10</a></r><r><id>2</id><a>30</a></r>
--> (2 rows affected)
select id from t order by id for xml path('')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <id>1</id><id>2</id><id>3</id>
--> (3 rows affected)
select 2 + 2 for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row>4</row>
--> (1 rows affected)
select 2+2 as result for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><result>4</result></row>
--> (1 rows affected)
select id as [@id], a from t where id = 1 for xml path('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r id="1"><a>10</a></r>
--> (1 rows affected)
select 1 as [@EmpID], 'Gustavo' as [EmpName/First], null as [EmpName/Middle], 'Achong' as [EmpName/Last], 'Monroe' as [Address/City] for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row EmpID="1"><EmpName><First>Gustavo</First><Last>Achong</Last></EmpName><Address><City>Monroe</City></Address></row>
--> (1 rows affected)
select 1 as [@EmpID], 'Gustavo' as [EmpName/First], 'Monroe' as [Address/City], null as [EmpName/Middle], 'Achong' as [EmpName/Last] for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row EmpID="1"><EmpName><First>Gustavo</First></EmpName><Address><City>Monroe</City></Address><EmpName><Last>Achong</Last></EmpName></row>
--> (1 rows affected)
select 'en' as [English/@xml:lang], 'food' as English, 'ger' as [German/@xml:lang], 'Essen' as German for xml path ('Translation')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <Translation><English xml:lang="en">food</English><German xml:lang="ger">Essen</German></Translation>
--> (1 rows affected)
select 1 as [a/b/c/@d], 2 as [a/b/c/e], 3 as [a/b], 4 as [a/f] for xml path('')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <a><b><c d="1"><e>2</e></c>3</b><f>4</f></a>
--> (1 rows affected)
select 10 as x, 20 as x, 30 as X for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><x>1020</x><X>30</X></row>
--> (1 rows affected)
select 10 as x, null, 20 as x for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><x>10</x><x>20</x></row>
--> (1 rows affected)
-- nodes that are not elements
select 1 as [@EmpID], 'Example' as [comment()], 'Some PI' as [processing-instruction(PI)], 'data' as [text()], 'middle' as [EmpName/text()], 'Ken' as [EmpName/First] for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row EmpID="1"><!--Example--><?PI Some PI?>data<EmpName>middle<First>Ken</First></EmpName></row>
--> (1 rows affected)
select id as [@id], s as [*], a as [node()], b from t where id = 1 for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row id="1">x10<b>20</b></row>
--> (1 rows affected)
select a as [data()] from t order by id for xml path('')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> 10 30 50
--> (3 rows affected)
select a as [data()], '' as [data()], b as [data()] from t where id < 3 order by id for xml path('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r>10  20</r><r>30  40</r>
--> (2 rows affected)
select 'a' as [text()], 1 as [data()], null as [data()], 2 as [data()], null as e, 3 as [data()], 'b' as [comment()], 4 as [data()] for xml path('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r>a1 2 3<!--b-->4</r>
--> (1 rows affected)
select 'x' as [a/comment()], 'y' as [a/processing-instruction(p)], ' z ' as [a/processing-instruction(p)], '' as [a/processing-instruction(p)] for xml path('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r><a><!--x--><?p y?><?p  z ?><?p ?></a></r>
--> (1 rows affected)
select '<b>&' as [comment()], '<b>&' as [processing-instruction(XmL)], '<b>&' as [node()] for xml path('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r><!--<b>&--><?XmL <b>&?>&lt;b&gt;&amp;</r>
--> (1 rows affected)
select id as [@id], (select u.a as [data()] from u where u.id >= t.id order by u.id for xml path('')) as [@all], (select u.a from u where u.id >= t.id order by u.id for xml path(''), type) as us from t where id < 3 order by id for xml path('t')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <t id="1" all="10 20"><us><a>10</a><a>20</a></us></t><t id="2" all="20"><us><a>20</a></us></t>
--> (2 rows affected)
-- NULL
select null as [@d], null as a, null as [b/c] for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row/>
--> (1 rows affected)
select id, cast(null as int) as x from t where id < 3 order by id for xml path, elements xsinil
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><id>1</id><x xsi:nil="true"/></row><row xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><id>2</id><x xsi:nil="true"/></row>
--> (2 rows affected)
select id, cast(null as int) as x from t where id = 1 for xml path, elements xsinil, root
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <root xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><row><id>1</id><x xsi:nil="true"/></row></root>
--> (1 rows affected)
select id, cast(null as int) as x from t where id = 1 for xml path(''), elements xsinil
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <id xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">1</id><x xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>
--> (1 rows affected)
select null as [@p], null as [a/text()], null as [b/comment()], null as [c/node()], null as [d/e], 1 as [f/@x], null as f, null as [text()] for xml path('r'), elements xsinil
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><a xsi:nil="true"/><c xsi:nil="true"/><d><e xsi:nil="true"/></d><f x="1" xsi:nil="true"/></r>
--> (1 rows affected)
select id from t where id = 1 for xml path, elements absent
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><id>1</id></row>
--> (1 rows affected)
select id from t where 1 = 0 for xml path, root('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> (0 rows affected)
select id from t where 1 = 0 for xml path, root('r'), type
go
--> [:xml]
--> NULL
--> (1 rows affected)
-- each type has its form
select cast(1 as bit) as bt, cast(0 as bit) as bf, cast(-5 as bigint) as bi, cast(5 as tinyint) as ti, cast(1.5 as decimal(10, 2)) as dc, cast(12.34 as money) as mn, cast(1.5 as float) as f, cast(1.5 as real) as r, cast(0 as float) as z for xml raw
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row bt="1" bf="0" bi="-5" ti="5" dc="1.50" mn="12.3400" f="1.500000000000000e+000" r="1.5000000e+000" z="0.000000000000000e+000"/>
--> (1 rows affected)
select cast('2020-01-02' as date) as d, cast('2020-01-02 03:04:05.1234567' as datetime2(7)) as dt2, cast('03:04:05.1234567' as time) as tm, cast('2020-01-02 03:04:05.12 +05:30' as datetimeoffset) as dto, cast('2020-01-02 03:04:05.123' as datetime) as dt, cast('2020-01-02' as datetime) as dz, cast('2020-01-02 03:04:00' as smalldatetime) as sdt for xml raw, elements
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><d>2020-01-02</d><dt2>2020-01-02T03:04:05.1234567</dt2><tm>03:04:05.1234567</tm><dto>2020-01-02T03:04:05.1200000+05:30</dto><dt>2020-01-02T03:04:05.123</dt><dz>2020-01-02T00:00:00</dz><sdt>2020-01-02T03:04:00</sdt></row>
--> (1 rows affected)
select cast('6f9619ff-8b86-d011-b42d-00c04fc964ff' as uniqueidentifier) as g, cast(0x0102ff as varbinary(10)) as b, cast(5 as sql_variant) as v, cast('<a>1</a>' as xml) as x, cast('ab' as char(4)) as c for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><g>6F9619FF-8B86-D011-B42D-00C04FC964FF</g><b>AQL/</b><v>5</v><x><a>1</a></x><c>ab  </c></row>
--> (1 rows affected)
select concat('a<b>&"''c', nchar(9), nchar(13)) as [@v], concat('a<b>&"''c', nchar(9), nchar(13)) as v for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row v="a&lt;b&gt;&amp;&quot;'c&#x09;&#x0D;"><v>a&lt;b&gt;&amp;"'c	&#x0D;</v></row>
--> (1 rows affected)
select nchar(10) as [@v], nchar(10) as v for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row v="&#x0A;"><v>
--> </v></row>
--> (1 rows affected)
select nchar(1) as a, nchar(31) as [b/@c], nchar(0) for xml path('')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <a>&#x01;</a><b c="&#x1F;"/>&#x00;
--> (1 rows affected)
select nchar(1) as a for xml path(''), type
go
--> [:xml]
--> Msg 6841, Level 16, State 1, Line 1: FOR XML could not serialize the data for node 'a' because it contains a character (0x0001) which is not allowed in XML. To retrieve this data using FOR XML, convert it to binary, varbinary or image data type and use the BINARY BASE64 directive.
select concat('x', nchar(8)) for xml path(''), type
go
--> [:xml]
--> Msg 6841, Level 16, State 1, Line 1: FOR XML could not serialize the data for node 'NoName' because it contains a character (0x0008) which is not allowed in XML. To retrieve this data using FOR XML, convert it to binary, varbinary or image data type and use the BINARY BASE64 directive.
select '' as [@b], '' as a, null as c for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row b=""><a></a></row>
--> (1 rows affected)
select '' as [@b], '' as a, cast('' as xml) as x for xml path, type
go
--> [:xml]
--> <row b=""><a/><x/></row>
--> (1 rows affected)
-- texts are escaped, values of xml are not
select (select 1 as a for xml path('')) as q, (select 1 as a for xml path(''), type) as r, (select 2 as b for xml path(''), type) for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><q>&lt;a&gt;1&lt;/a&gt;</q><r><a>1</a></r><b>2</b></row>
--> (1 rows affected)
select cast('<?xml version="1.0" encoding="utf-8"?> <a/>' as xml) as x for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><x><a/></x></row>
--> (1 rows affected)
select id, (select a from u where u.id = t.id for xml path('u'), type) as us from t order by id for xml path('t'), root('ts'), type
go
--> [:xml]
--> <ts><t><id>1</id><us><u><a>10</a></u></us></t><t><id>2</id><us><u><a>20</a></u></us></t><t><id>3</id></t></ts>
--> (1 rows affected)
-- the everyday lists
select t.id, stuff((select ',' + s from t as other where other.id <= t.id order by other.id desc for xml path('')), 1, 1, '') as list from t order by t.id
go
--> [id:int | list:nvarchar(max)]
--> 1 | x
--> 2 | z,x
--> 3 | q,z,x
--> (3 rows affected)
select stuff((select ',' + s from t where id > 9 for xml path('')), 1, 1, '') as list
go
--> [list:nvarchar(max)]
--> NULL
--> (1 rows affected)
declare @x nvarchar(max) set @x = (select id as [@id] from t order by id for xml path('t'), root('r')) select @x as x
go
--> [x:nvarchar(max)]
--> <r><t id="1"/><t id="2"/><t id="3"/></r>
--> (1 rows affected)
declare @x xml set @x = (select id from t where id < 3 order by id for xml path('t'), type) select @x as x
go
--> [x:xml]
--> <t><id>1</id></t><t><id>2</id></t>
--> (1 rows affected)
declare @x nvarchar(max) select @x = (select top (1) id from t order by id desc for xml path('')) select @x as x
go
--> [x:nvarchar(max)]
--> <id>3</id>
--> (1 rows affected)
select d.x from (select id from t where id = 1 for xml path('')) as d (x)
go
--> [x:nvarchar(max)]
--> <id>1</id>
--> (1 rows affected)
select d.x from (select id from t where id = 9 for xml path(''), type) as d (x)
go
--> [x:xml]
--> NULL
--> (1 rows affected)
with c (x) as (select id from t where id = 2 for xml path(''), type) select x from c
go
--> [x:xml]
--> <id>2</id>
--> (1 rows affected)
create view v (x) as select id from t where id < 3 order by id for xml path('')
go
select x from v
go
--> [x:nvarchar(max)]
--> <id>1</id><id>2</id>
--> (1 rows affected)
create function f (@id int) returns xml as begin return (select a from t where id = @id for xml path(''), type) end
go
create function g (@id int) returns table as return select (select a from t where id = @id for xml path('')) as x
go
select dbo.f(2) as x, g.x as y from g(3) as g
go
--> [x:xml | y:nvarchar(max)]
--> <a>30</a> | <a>50</a>
--> (1 rows affected)
create table z (x nvarchar(max), y xml)
insert z select (select id from t where id = 1 for xml path('')), (select id from t where id = 1 for xml path(''), type)
insert z select d.x, d.x from (select id from t where id = 2 for xml path('')) as d (x)
update z set x = (select a as [@a] from u where u.id = 1 for xml path('u')) where y is null
select x, y from z
go
--> (1 rows affected)
--> (1 rows affected)
--> (0 rows affected)
--> [x:nvarchar(max) | y:xml]
--> <id>1</id> | <id>1</id>
--> <id>2</id> | <id>2</id>
--> (2 rows affected)
create procedure p as select id from t where id = 2 for xml path
go
exec p
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row><id>2</id></row>
--> (1 rows affected)
select id from t union all select id + 10 from u order by id desc for xml path('')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <id>12</id><id>11</id><id>3</id><id>2</id><id>1</id>
--> (5 rows affected)
select top (2) b / 40 as g, count(*) as n, sum(a) as s from t group by b / 40 order by g desc for xml path('g')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <g><g>1</g><n>2</n><s>80</s></g><g><g>0</g><n>1</n><s>10</s></g>
--> (2 rows affected)
with c as (select id from t where id < 3) select id from c order by id desc for xml path('c')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <c><id>2</id></c><c><id>1</id></c>
--> (2 rows affected)
declare @x nvarchar(max) = (select value as n from generate_series(1, 1000) for xml path(''))
select len(@x) as n, left(@x, 22) as first, right(@x, 11) as last
go
--> [n:bigint | first:nvarchar(max) | last:nvarchar(max)]
--> 9893 | <n>1</n><n>2</n><n>3</ | <n>1000</n>
--> (1 rows affected)
select id from t order by id for xml path('')
select @@rowcount as n
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <id>1</id><id>2</id><id>3</id>
--> (3 rows affected)
--> [n:int]
--> 3
--> (1 rows affected)
select replicate('x', 2030) as a for xml path('')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <a>xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
--> </a>
--> (1 rows affected)
declare c cursor for select id from t order by id for xml path(''), type
open c
declare @x xml
fetch c into @x
select @x as x, @@fetch_status as s
deallocate c
go
--> [x:xml | s:int]
--> <id>1</id><id>2</id><id>3</id> | 0
--> (1 rows affected)
-- what is refused
select a as b, id as [@id] from t for xml path
go
--> Msg 6852, Level 16, State 1, Line 2: Attribute-centric column '@id' must not come after a non-attribute-centric sibling in XML hierarchy in FOR XML PATH.
select 1 as [comment()], 2 as [@a] for xml path
go
--> Msg 6852, Level 16, State 1, Line 1: Attribute-centric column '@a' must not come after a non-attribute-centric sibling in XML hierarchy in FOR XML PATH.
select 1 as [a/b], 2 as [a/@c] for xml path
go
--> Msg 6852, Level 16, State 1, Line 1: Attribute-centric column 'a/@c' must not come after a non-attribute-centric sibling in XML hierarchy in FOR XML PATH.
select 1 as [@a] for xml path('')
go
--> Msg 6864, Level 16, State 1, Line 1: Row tag omission (empty row tag name) cannot be used with attribute-centric FOR XML serialization.
select 1 as [@a], 2 as [@a] for xml path
go
--> Msg 6810, Level 16, State 1, Line 1: Column name '@a' is repeated. The same attribute cannot be generated more than once on the same XML tag.
select 1 as [a b] for xml path
go
--> Msg 6850, Level 16, State 1, Line 1: Column name 'a b' contains an invalid XML identifier as required by FOR XML; ' '(0x0020) is the first character at fault.
select 1 as [x/1z] for xml path
go
--> Msg 6850, Level 16, State 1, Line 1: Column name 'x/1z' contains an invalid XML identifier as required by FOR XML; '1'(0x0031) is the first character at fault.
select 1 as [@] for xml path
go
--> Msg 6850, Level 16, State 1, Line 1: Column name '@' contains an invalid XML identifier as required by FOR XML; '@'(0x0040) is the first character at fault.
select 1 as [TEXT()] for xml path
go
--> Msg 6850, Level 16, State 1, Line 1: Column name 'TEXT()' contains an invalid XML identifier as required by FOR XML; '('(0x0028) is the first character at fault.
select 1 as [processing-instruction(1)] for xml path
go
--> Msg 6850, Level 16, State 1, Line 1:  name 'processing-instruction(1)' contains an invalid XML identifier as required by FOR XML; '1'(0x0031) is the first character at fault.
select 1 as [processing-instruction()] for xml path
go
--> Msg 6854, Level 16, State 1, Line 1: Invalid column alias 'processing-instruction()' for formatting column as XML processing instruction in FOR XML PATH - it must be in 'processing-instruction(target)' format.
select 1 as [processing-instruction(xml)] for xml path
go
--> Msg 6879, Level 16, State 1, Line 1: 'xml' is an invalid XML processing instruction target. Possible attempt to construct XML declaration using XML processing instruction constructor. XML declaration construction with FOR XML is not supported.
select 1 as [/a] for xml path
go
--> Msg 6849, Level 16, State 1, Line 1: FOR XML PATH error in column '/a' - '//' and leading and trailing '/' are not allowed in simple path expressions.
select 1 as [a/] for xml path
go
--> Msg 6849, Level 16, State 1, Line 1: FOR XML PATH error in column 'a/' - '//' and leading and trailing '/' are not allowed in simple path expressions.
select 1 as [a//b] for xml path
go
--> Msg 6849, Level 16, State 1, Line 1: FOR XML PATH error in column 'a//b' - '//' and leading and trailing '/' are not allowed in simple path expressions.
select 1 as [a:b] for xml path
go
--> Msg 6846, Level 16, State 4, Line 1: XML name space prefix 'a' declaration is missing for FOR XML column name 'a:b'.
select 1 as [xmlns] for xml path
go
--> Msg 6867, Level 16, State 1, Line 1: 'xmlns' is invalid in XML tag name in FOR XML PATH, or when WITH XMLNAMESPACES is used with FOR XML.
select cast('<a/>' as xml) as [@a] for xml path
go
--> Msg 6851, Level 16, State 1, Line 1: Column '@a' has invalid data type for attribute-centric XML serialization in FOR XML PATH.
select cast('<a/>' as xml) as [b/text()] for xml path
go
--> Msg 6853, Level 16, State 1, Line 1: Column 'b/text()': the last step in the path can't be applied to XML data type or CLR type in FOR XML PATH.
select 1 as a for xml path('a b')
go
--> Msg 6850, Level 16, State 1, Line 1: Row name 'a b' contains an invalid XML identifier as required by FOR XML; ' '(0x0020) is the first character at fault.
select 1 as a for xml path('a:b')
go
--> Msg 6846, Level 16, State 4, Line 1: XML name space prefix 'a' declaration is missing for FOR XML row name 'a:b'.
select 1 as a for xml path, root('a/b')
go
--> Msg 6850, Level 16, State 1, Line 1: ROOT name 'a/b' contains an invalid XML identifier as required by FOR XML; '/'(0x002F) is the first character at fault.
select 1 as a for xml path, root('')
go
--> Msg 6861, Level 16, State 1, Line 1: Empty root tag name can't be specified with FOR XML.
select 'a--b' as [comment()] for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 9322, Level 16, State 2, Line 1: Two consecutive '-' can only appear in a comment constructor if they are used to close the comment ('-->').
select 'a-' as [comment()] for xml path
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 9322, Level 16, State 3, Line 1: Two consecutive '-' can only appear in a comment constructor if they are used to close the comment ('-->').
select 1 as a for xml path, xmlschema
go
--> Msg 6855, Level 16, State 1, Line 1: Inline schema is not supported with FOR XML PATH.
select 1 as a for xml path, xmldata
go
--> Msg 6855, Level 16, State 1, Line 1: Inline schema is not supported with FOR XML PATH.
select 1 as a for xml path, type, type
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'XML'.
select 1 as a for xml path, root('a'), root('b')
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'XML'.
select 1 as a for xml path, elements, elements xsinil
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'XML'.
select 1 as a for xml path, binary base64, binary base64
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'XML'.
select 1 as a for xml path, nothing
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'XML'.
select 1 as a for xml tree
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'XML'.
select 1 as a for xml path (a)
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'XML'.
select 1 as a for xml path, binary hex
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'HEX'.
select 1 as a for xml path, type ('a')
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'XML'.
insert u select 1 as [a b], 2 for xml path
go
--> Msg 6819, Level 16, State 1, Line 1: The FOR XML clause is not allowed in a INSERT statement.
select 1 as a into #n for xml path
go
--> Msg 6819, Level 16, State 1, Line 1: The FOR XML clause is not allowed in a SELECT INTO statement.
declare @v int select @v = 1 for xml path
go
--> Msg 6819, Level 16, State 3, Line 1: The FOR XML clause is not allowed in a ASSIGNMENT statement.
declare c cursor for select 1 as a for xml path
go
--> Msg 6819, Level 16, State 1, Line 1: The FOR XML clause is not allowed in a CURSOR statement.
select x from (select 1 as a for xml path) as d
go
--> Msg 8155, Level 16, State 2, Line 1: No column name was specified for column 1 of 'd'.
