-- differs parameters: the names of PATH and ROOT are literals
-- The manual's examples: prefixes of elements, declarations where no element is around, the last one first
create table product (product_id int primary key, name nvarchar(20), color nvarchar(10))
insert product values (316, N'Blade', null), (317, N'LL Crankarm', N'Black');
with xmlnamespaces ('uri' as ns1) select product_id as 'ns1:ProductID', name as 'ns1:Name', color as 'ns1:Color' from product order by product_id for xml raw ('ns1:Prod'), elements;
with xmlnamespaces ('uri' as ns1) select product_id as 'ns1:ProductID', name as 'ns1:Name', color as 'ns1:Color' from product where product_id = 316 for xml raw, elements xsinil;
with xmlnamespaces ('uri1' as ns1, 'uri2' as ns2, default 'uri2') select product_id as ProductID, name as Name, color as Color from product order by product_id for xml raw ('ns1:Product'), root ('ns2:root'), elements;
with xmlnamespaces ('uri1' as ns1, 'uri2' as ns2, default 'uri2') select product_id as ProductID from product as "ns1:Product" order by product_id for xml auto, root ('ns2:root'), elements;
with xmlnamespaces ('urn:schemas-microsoft-com:xml-sql' as sql) select 'SELECT * FROM Customers FOR XML AUTO, ROOT("a")' as "sql:query" for xml path ('sql:root');
with xmlnamespaces (default 'd', 'p' as p) select 1 as "p:a", 2 as b for xml path ('');
with xmlnamespaces ('a&"<b>' as p) select 1 as "@p:a" for xml path
go
--> (2 rows affected)
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <ns1:Prod xmlns:ns1="uri"><ns1:ProductID>316</ns1:ProductID><ns1:Name>Blade</ns1:Name></ns1:Prod><ns1:Prod xmlns:ns1="uri"><ns1:ProductID>317</ns1:ProductID><ns1:Name>LL Crankarm</ns1:Name><ns1:Color>Black</ns1:Color></ns1:Prod>
--> (2 rows affected)
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:ns1="uri"><ns1:ProductID>316</ns1:ProductID><ns1:Name>Blade</ns1:Name><ns1:Color xsi:nil="true"/></row>
--> (1 rows affected)
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <ns2:root xmlns="uri2" xmlns:ns2="uri2" xmlns:ns1="uri1"><ns1:Product><ProductID>316</ProductID><Name>Blade</Name></ns1:Product><ns1:Product><ProductID>317</ProductID><Name>LL Crankarm</Name><Color>Black</Color></ns1:Product></ns2:root>
--> (2 rows affected)
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <ns2:root xmlns="uri2" xmlns:ns2="uri2" xmlns:ns1="uri1"><ns1:Product><ProductID>316</ProductID></ns1:Product><ns1:Product><ProductID>317</ProductID></ns1:Product></ns2:root>
--> (2 rows affected)
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <sql:root xmlns:sql="urn:schemas-microsoft-com:xml-sql"><sql:query>SELECT * FROM Customers FOR XML AUTO, ROOT("a")</sql:query></sql:root>
--> (1 rows affected)
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p:a xmlns:p="p" xmlns="d">1</p:a><b xmlns:p="p" xmlns="d">2</b>
--> (1 rows affected)
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row xmlns:p="a&amp;&quot;&lt;b&gt;" p:a="1"/>
--> (1 rows affected)
-- A query within has the declarations of its own; the values of methods too
with xmlnamespaces ('u' as p) select product_id as "@p:id", (select name as "p:name" from product i where i.product_id = o.product_id for xml path ('p:in'), type) from product o order by product_id for xml path ('p:out');
with xmlnamespaces ('u' as p) select t.x.value('(/p:a/text())[1]', 'int') as "p:v" from (select cast('<a xmlns="u">5</a>' as xml)) t (x) for xml raw
go
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <p:out xmlns:p="u" p:id="316"><p:in xmlns:p="u"><p:name>Blade</p:name></p:in></p:out><p:out xmlns:p="u" p:id="317"><p:in xmlns:p="u"><p:name>LL Crankarm</p:name></p:in></p:out>
--> (2 rows affected)
--> [XML_F52E2B61-18A1-11d1-B105-00805F49916B:nvarchar(max)]
--> <row xmlns:p="u" p:v="5"/>
--> (1 rows affected)
-- Prefixes that are none
with xmlnamespaces ('u' as p) select 1 as "q:a" for xml raw
go
--> Msg 6846, Level 16, State 4, Line 2: XML name space prefix 'q' declaration is missing for FOR XML column name 'q:a'.
with xmlnamespaces ('u' as p) select 1 as "xmlns:a" for xml raw
go
--> Msg 6867, Level 16, State 1, Line 1: 'xmlns' is invalid in XML tag name in FOR XML PATH, or when WITH XMLNAMESPACES is used with FOR XML.
with xmlnamespaces ('u' as p) select 1 as tag, null as parent, 2 as [a!1!b] for xml explicit
go
--> Msg 6868, Level 16, State 1, Line 1: The following FOR XML features are not supported with WITH XMLNAMESPACES list: EXPLICIT mode, XMLSCHEMA and XMLDATA directives.
with xmlnamespaces ('u' as xsi) select 1 as a for xml raw, elements xsinil
go
--> Msg 6873, Level 16, State 1, Line 1: Redefinition of 'xsi' XML namespace prefix is not supported with ELEMENTS XSINIL option of FOR XML.
-- What is no declaration.
with xmlnamespaces ('u1' as a, 'u2' as a) select 1 as x for xml path
go
--> Msg 6869, Level 16, State 1, Line 2: Attempt to redefine namespace prefix 'a'
with xmlnamespaces ('u' as [a b]) select 1 as x for xml path
go
--> Msg 6870, Level 16, State 1, Line 1: Prefix 'a b' used in WITH XMLNAMESPACES clause contains an invalid XML identifier. ' '(0x0020) is the first character at fault.
with xmlnamespaces ('u' as [1a]) select 1 as x for xml path
go
--> Msg 6870, Level 16, State 1, Line 1: Prefix '1a' used in WITH XMLNAMESPACES clause contains an invalid XML identifier. '1'(0x0031) is the first character at fault.
with xmlnamespaces ('u' as xmlns) select 1 as x for xml path
go
--> Msg 6871, Level 16, State 1, Line 1: Prefix 'xmlns' used in WITH XMLNAMESPACES is reserved and cannot be used as a user-defined prefix.
with xmlnamespaces ('u' as xml) select 1 as x for xml path
go
--> Msg 6872, Level 16, State 1, Line 1: XML namespace prefix 'xml' can only be associated with the URI http://www.w3.org/XML/1998/namespace. This URI cannot be used with other prefixes.
with xmlnamespaces ('http://www.w3.org/XML/1998/namespace' as q) select 1 as x for xml path
go
--> Msg 6872, Level 16, State 2, Line 1: XML namespace prefix 'xml' can only be associated with the URI http://www.w3.org/XML/1998/namespace. This URI cannot be used with other prefixes.
with xmlnamespaces ('' as a) select 1 as x for xml path
go
--> Msg 6874, Level 16, State 1, Line 1: Empty URI is not allowed in WITH XMLNAMESPACES clause.
