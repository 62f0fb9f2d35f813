-- differs parameters: the name of ROOT is a literal
create table ut (ord int, tg int, pr int, pid int, cid int, gid int)
insert ut values (1, 1, null, 1, null, null), (2, 2, 1, null, 10, null), (3, 3, 2, null, null, 100), (4, 2, 1, null, 11, null), (5, 1, 0, 2, null, null)
go
--> (5 rows affected)
-- each row begins the element of its tag in that of its parent
select tg as tag, pr as PARENT, pid as [p!1!id], cid as [c!2!cid], gid as [g!3!gid] from ut order by ord for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p id="1"><c cid="10"><g gid="100"/></c><c cid="11"/></p><p id="2"/>
--> (5 rows affected)
select tg as Tag, pr as Parent, pid as [p!1!id], cid as [c!2!cid], gid as [g!3!gid] from ut order by ord for xml explicit, root('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r><p id="1"><c cid="10"><g gid="100"/></c><c cid="11"/></p><p id="2"/></r>
--> (5 rows affected)
select tg as Tag, pr as Parent, pid as [p!1!id], cid as [c!2], gid as [g!3!gid!element] from ut order by ord for xml explicit, type
go
--> [:xml]
--> <p id="1"><c>10<g><gid>100</gid></g></c><c>11</c></p><p id="2"/>
--> (1 rows affected)
select 1 as Tag, null as Parent, 1 as [Employee!1!EmpID], null as [Name!2!FName], null as [Name!2!LName]
union all select 2, 1, 1, 'Ken', N'Sánchez' union all select 1, null, 2, null, null union all select 2, 1, 2, 'Terri', 'Duffy'
order by [Employee!1!EmpID], [Name!2!FName] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <Employee EmpID="1"><Name FName="Ken" LName="Sánchez"/></Employee><Employee EmpID="2"><Name FName="Terri" LName="Duffy"/></Employee>
--> (4 rows affected)
-- directives
select 1 as Tag, null as Parent, 'x' as [e!1!a!element], 'y' as [e!1!b], 'z' as [e!1!c!ELEMENT], 'A' as [e!1], 'B' as [e!1!!element], 'C' as [e!1!] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e b="y"><a>x</a><c>z</c>ABC</e>
--> (1 rows affected)
select 1 as Tag, null as Parent, null as [e!1!a], null as [e!1!b!element], null as [e!1] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e/>
--> (1 rows affected)
select 1 as Tag, null as Parent, null as [p!1!a!elementxsinil], null as [c!2!b] union all select 2, 1, null, null for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><a xsi:nil="true"/><c/></p>
--> (2 rows affected)
select 1 as Tag, null as Parent, null as [e!1!a!elementxsinil] for xml explicit, root('r')
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><e><a xsi:nil="true"/></e></r>
--> (1 rows affected)
select 1 as Tag, null as Parent, '<b>x</b>' as [e!1!a!xml], 'a & b <' as [e!1!!xml] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e><a><b>x</b></a>a & b <</e>
--> (1 rows affected)
select 1 as Tag, null as Parent, 19 as [ProductModel!1!ProdModelID], 'Mountain-100' as [ProductModel!1!Name], '<Summary>This is summary description</Summary>' as [ProductModel!1!!CDATA] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <ProductModel ProdModelID="19" Name="Mountain-100"><![CDATA[<Summary>This is summary description</Summary>]]></ProductModel>
--> (1 rows affected)
select 1 as Tag, null as Parent, 'a]]>b' as [e!1!!cdata], 'zz' as [e!1!n!cdata], cast(null as varchar(9)) as [e!1!!cdata] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e><![CDATA[a]]]><![CDATA[]>b]]><n><![CDATA[zz]]></n></e>
--> (1 rows affected)
select 1 as Tag, null as Parent, 1 as [e!1!a], 'secret' as [e!1!h!hide], 2 as [e!1!b!element!hide], null as [f!2!c!hide] union all select 2, 1, null, null, null, 9 for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e a="1"><f/></e>
--> (2 rows affected)
select 1 as Tag, null as Parent, 1 as [e!1!a!id], 2 as [e!1!b!idref], 3 as [e!1!c!nmtoken], 4 as [e!1!d!id!element] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e a="1" b="2" c="3"><d>4</d></e>
--> (1 rows affected)
select 1 as Tag, null as Parent, cast('<b>x</b>' as xml) as [e!1!a], (select 1 as Tag, null as Parent, 9 as [i!1!v] for xml explicit, type) as [e!1] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e><a><b>x</b></a><i v="9"/></e>
--> (1 rows affected)
select 1 as Tag, null as Parent, 1 as [e f!1!a b] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e f a b="1"/>
--> (1 rows affected)
select 1 as Tag, null as Parent, cast(0x0102 as varbinary(9)) as [e!1!a] for xml explicit, binary base64
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e a="AQI="/>
--> (1 rows affected)
select 1 as Tag, null as Parent, 'a&b<c>d' as [e!1!x!element], 'a"b' as [e!1!y] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e y="a&quot;b"><x>a&amp;b&lt;c&gt;d</x></e>
--> (1 rows affected)
select 1 as Tag, null as Parent, 1 as [e!1!a] where 1 = 0 for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> (0 rows affected)
select 1 as Tag, null as Parent, 1 as [e!1!a] where 1 = 0 for xml explicit, type
go
--> [:xml]
--> NULL
--> (1 rows affected)
-- xmltext
create table Person (PersonID varchar(5), PersonName varchar(20), Overflow nvarchar(200))
insert Person values ('P1', 'Joe', N'<SomeTag attr1="data">content</SomeTag>'), ('P2', 'Joe', N'<SomeTag attr2="data"/>'),
  ('P3', 'Joe', N'<SomeTag attr3="data" PersonID="P"><name>PersonName</name></SomeTag>'), ('P4', 'Joe', null)
go
--> (4 rows affected)
select 1 as Tag, null as parent, PersonID as [Parent!1!PersonID], PersonName as [Parent!1!PersonName], Overflow as [Parent!1!!XMLTEXT] from Person order by PersonID for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <Parent PersonID="P1" PersonName="Joe" attr1="data">content</Parent><Parent PersonID="P2" PersonName="Joe" attr2="data"></Parent><Parent PersonID="P3" PersonName="Joe" attr3="data"><name>PersonName</name></Parent><Parent PersonID="P4" PersonName="Joe"/>
--> (4 rows affected)
select 1 as Tag, null as parent, PersonID as [Parent!1!PersonID], PersonName as [Parent!1!PersonName], Overflow as [Parent!1!overflow!XMLTEXT] from Person order by PersonID for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <Parent PersonID="P1" PersonName="Joe"><overflow attr1="data">content</overflow></Parent><Parent PersonID="P2" PersonName="Joe"><overflow attr2="data"/></Parent><Parent PersonID="P3" PersonName="Joe"><overflow attr3="data" PersonID="P"><name>PersonName</name></overflow></Parent><Parent PersonID="P4" PersonName="Joe"/>
--> (4 rows affected)
select 1 as Tag, null as parent, PersonID as [Parent!1!PersonID], PersonName as [Parent!1!PersonName!element], Overflow as [Parent!1!!XMLTEXT] from Person order by PersonID for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <Parent PersonID="P1" attr1="data">content<PersonName>Joe</PersonName></Parent><Parent PersonID="P2" attr2="data"><PersonName>Joe</PersonName></Parent><Parent PersonID="P3" attr3="data"><name>PersonName</name><PersonName>Joe</PersonName></Parent><Parent PersonID="P4"><PersonName>Joe</PersonName></Parent>
--> (4 rows affected)
select 1 as Tag, null as Parent, '<o p=''a"b'' q="c>d&lt;"/>' as [e!1!!xmltext] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <e p="a"b" q="c>d&lt;"></e>
--> (1 rows affected)
-- what is refused
select 1 as Tag, 1 as [e!1!a] for xml explicit
go
--> Msg 6801, Level 16, State 1, Line 2: FOR XML EXPLICIT requires at least three columns, including the tag column, the parent column, and at least one data column.
select 1 as Tag, null as Parent, 1 as [plain] for xml explicit
go
--> Msg 6802, Level 16, State 1, Line 1: FOR XML EXPLICIT query contains the invalid column name 'plain'. Use the TAGNAME!TAGID!ATTRIBUTENAME[!..] format where TAGID is a positive integer.
select 1 as Tag, null as Parent, 1 as [e!] for xml explicit
go
--> Msg 6802, Level 16, State 1, Line 1: FOR XML EXPLICIT query contains the invalid column name 'e!'. Use the TAGNAME!TAGID!ATTRIBUTENAME[!..] format where TAGID is a positive integer.
select 1 as Tag, null as Parent, 1 as [e!0!a] for xml explicit
go
--> Msg 6802, Level 16, State 1, Line 1: FOR XML EXPLICIT query contains the invalid column name 'e!0!a'. Use the TAGNAME!TAGID!ATTRIBUTENAME[!..] format where TAGID is a positive integer.
select 1 as Tag, null as Parent, 1 as [e!x] for xml explicit
go
--> Msg 6802, Level 16, State 1, Line 1: FOR XML EXPLICIT query contains the invalid column name 'e!x'. Use the TAGNAME!TAGID!ATTRIBUTENAME[!..] format where TAGID is a positive integer.
select 1 as Tag, null as Parent, 1 as [!1!a] for xml explicit
go
--> Msg 6802, Level 16, State 1, Line 1: FOR XML EXPLICIT query contains the invalid column name '!1!a'. Use the TAGNAME!TAGID!ATTRIBUTENAME[!..] format where TAGID is a positive integer.
select 1 as Tag, null as Parent, 1 for xml explicit
go
--> Msg 6802, Level 16, State 1, Line 1: FOR XML EXPLICIT query contains the invalid column name ''. Use the TAGNAME!TAGID!ATTRIBUTENAME[!..] format where TAGID is a positive integer.
select '1' as Tag, null as Parent, 1 as [e!1!a] for xml explicit
go
--> Msg 6803, Level 16, State 1, Line 1: FOR XML EXPLICIT requires the first column to hold positive integers that represent XML tag IDs.
select 1 as Tag, cast(null as bigint) as Parent, 1 as [e!1!a] for xml explicit
go
--> Msg 6804, Level 16, State 1, Line 1: FOR XML EXPLICIT requires the second column to hold NULL or nonnegative integers that represent XML parent tag IDs.
select 1 as Tag, 1 as zz, 1 as [e!1!a] for xml explicit
go
--> Msg 6820, Level 16, State 1, Line 1: FOR XML EXPLICIT requires column 2 to be named 'PARENT' instead of 'zz'.
select null as Parent, 1 as Tag, 1 as [e!1!a] for xml explicit
go
--> Msg 6820, Level 16, State 1, Line 1: FOR XML EXPLICIT requires column 1 to be named 'TAG' instead of 'Parent'.
select 1 as Tag, null as Parent, 1 as [e!1!a], 2 as [E!1!b] for xml explicit
go
--> Msg 6812, Level 16, State 1, Line 1: XML tag ID 1 that was originally declared as 'e' is being redeclared as 'E'.
select 1 as Tag, null as Parent, 1 as [e!1!a!bogus] for xml explicit
go
--> Msg 6824, Level 16, State 1, Line 1: In the FOR XML EXPLICIT clause, mode 'bogus' in a column name is invalid.
select 1 as Tag, null as Parent, 1 as [e!1!a!element!xml] for xml explicit
go
--> Msg 6817, Level 16, State 1, Line 1: FOR XML EXPLICIT cannot combine multiple occurrences of ELEMENT, XML, XMLTEXT, and CDATA in column name 'e!1!a!element!xml'.
select 1 as Tag, null as Parent, 1 as [e!1!a!id!idref] for xml explicit
go
--> Msg 6813, Level 16, State 1, Line 1: FOR XML EXPLICIT cannot combine multiple occurrences of ID, IDREF, IDREFS, NMTOKEN, and/or NMTOKENS in column name 'e!1!a!id!idref'.
select 1 as Tag, null as Parent, 1 as [e!1!a!id!hide] for xml explicit
go
--> Msg 6815, Level 16, State 1, Line 1: In the FOR XML EXPLICIT clause, ID, IDREF, IDREFS, NMTOKEN, and NMTOKENS attributes cannot be hidden in 'e!1!a!id!hide'.
select 1 as Tag, null as Parent, 1 as [e!1!a!id!cdata] for xml explicit
go
--> Msg 6816, Level 16, State 1, Line 1: In the FOR XML EXPLICIT clause, ID, IDREF, IDREFS, NMTOKEN, and NMTOKENS attributes cannot be generated as CDATA, XML, or XMLTEXT in 'e!1!a!id!cdata'.
select 1 as Tag, null as Parent, 1 as [e!1!a!hide!hide] for xml explicit
go
--> Msg 6835, Level 16, State 1, Line 1: FOR XML EXPLICIT field 'e!1!a!hide!hide' can specify the directive HIDE only once.
select 1 as Tag, null as Parent, '<a/>' as [e!1!!xmltext], '<a/>' as [e!1!b!xmltext] for xml explicit
go
--> Msg 6827, Level 16, State 1, Line 1: FOR XML EXPLICIT queries allow only one XMLTEXT column per tag. Column 'e!1!b!xmltext' declares another XMLTEXT column that is not permitted.
select 1 as Tag, null as Parent, 1 as [e!1!!xmltext] for xml explicit
go
--> Msg 6828, Level 16, State 1, Line 1: XMLTEXT column 'e!1!!xmltext' must be of a string data type or of type XML.
select 1 as Tag, null as Parent, cast('<a/>' as xml) as [e!1!!cdata] for xml explicit
go
--> Msg 6843, Level 16, State 1, Line 1: FOR XML EXPLICIT: XML data types and CLR types cannot be processed as CDATA in column name 'e!1!!cdata'. Consider converting XML to a string type. Consider converting CLR types to XML and then to a string type.
select 1 as Tag, 0x01 as b for xml explicit
go
--> Msg 6829, Level 16, State 1, Line 1: FOR XML EXPLICIT and RAW modes currently do not support addressing binary data as URLs in column 'b'. Remove the column, or use the BINARY BASE64 mode, or create the URL directly using the 'dbobject/TABLE[@PK1="V1"]/@COLUMN' syntax.
select 1 as Tag, null as Parent, 1 as [e!1!a] for xml explicit, elements
go
--> Msg 6825, Level 16, State 1, Line 1: ELEMENTS option is only allowed in RAW, AUTO, and PATH modes of FOR XML.
select 1 as Tag, null as Parent, 1 as [e!1!a] for xml explicit ('x')
go
--> Msg 6859, Level 15, State 1, Line 1: Row tag name is only allowed with RAW or PATH mode of FOR XML.
select 1 as Tag, null as Parent, 1 as [e!1!a!idrefs] for xml explicit
go
--> Msg 40517, Level 16, State 1, Line 1: IDREFS and NMTOKENS in FOR XML EXPLICIT is not supported in this version of Millpond.
select 0 as Tag, null as Parent, 1 as [e!1!a] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6803, Level 16, State 2, Line 1: FOR XML EXPLICIT requires the first column to hold positive integers that represent XML tag IDs.
select -1 as Tag, null as Parent, 1 as [e!1!a] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6803, Level 16, State 2, Line 1: FOR XML EXPLICIT requires the first column to hold positive integers that represent XML tag IDs.
select cast(null as int) as Tag, null as Parent, 1 as [e!1!a] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6803, Level 16, State 2, Line 1: FOR XML EXPLICIT requires the first column to hold positive integers that represent XML tag IDs.
select 1 as Tag, -1 as Parent, 1 as [e!1!a] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6804, Level 16, State 2, Line 1: FOR XML EXPLICIT requires the second column to hold NULL or nonnegative integers that represent XML parent tag IDs.
select 1 as Tag, null as Parent, 1 as [e!2!a] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6806, Level 16, State 2, Line 1: Undeclared tag ID 1 is used in a FOR XML EXPLICIT query.
select 1 as Tag, 5 as Parent, 1 as [e!1!a] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6807, Level 16, State 2, Line 1: Undeclared parent tag ID 5 is used in a FOR XML EXPLICIT query.
select 1 as Tag, 1 as Parent, 1 as [e!1!a] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6833, Level 16, State 1, Line 1: Parent tag ID 1 is not among the open tags. FOR XML EXPLICIT requires parent tags to be opened first. Check the ordering of the result set.
select 1 as Tag, null as Parent, 1 as [e!1!a], null as [f!2!b] union all select 2, 1, null, 1 union all select 1, 2, 1, null for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6805, Level 16, State 2, Line 1: FOR XML EXPLICIT stack overflow occurred. Circular parent tag relationships are not allowed.
select 1 as Tag, null as Parent, 'plain' as [e!1!!xmltext] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6834, Level 16, State 1, Line 1: XMLTEXT field '' contains an invalid XML document. Check the root tag and its attributes.
select 1 as Tag, null as Parent, '<a>' as [e!1!ov!xmltext] for xml explicit
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> Msg 6834, Level 16, State 2, Line 1: XMLTEXT field 'ov' contains an invalid XML document. Check the root tag and its attributes.
