-- xml: what a text becomes, and what is wrong with one that is no XML
select cast('<a></a>' as xml) as x, cast(N'<b c=''1''/>text' as xml) as y, convert(xml, '') as z
go
--> [x:xml | y:xml | z:xml]
--> <a/> | <b c="1"/>text |
--> (1 rows affected)
select convert(xml, N'<root>          <child/>         </root>') as x, convert(xml, N'<root>          <child/>         </root>', 1) as y
go
--> [x:xml | y:xml]
--> <root><child/></root> | <root>          <child/>         </root>
--> (1 rows affected)
select cast('<?xml version="1.0" encoding="windows-1252"?><a>&lt;&#65;<![CDATA[&]]></a>' as xml) as x
go
--> [x:xml]
--> <a>&lt;A&amp;</a>
--> (1 rows affected)
select cast('<a>' as xml)
go
--> [:xml]
--> Msg 9400, Level 16, State 1, Line 1: XML parsing: line 1, character 3, unexpected end of input
select cast('<a></b>' as xml)
go
--> [:xml]
--> Msg 9436, Level 16, State 1, Line 1: XML parsing: line 1, character 7, end tag does not match start tag
select cast('a & b' as xml)
go
--> [:xml]
--> Msg 9421, Level 16, State 1, Line 1: XML parsing: line 1, character 4, illegal name character
select cast(N'<?xml version="1.0" encoding="utf-8"?><a/>' as xml)
go
--> [:xml]
--> Msg 9402, Level 16, State 1, Line 1: XML parsing: line 1, character 38, unable to switch the encoding
select cast('<!DOCTYPE a><a/>' as xml)
go
--> [:xml]
--> Msg 6359, Level 16, State 1, Line 1: Parsing XML with internal subset DTDs not allowed. Use CONVERT with style option 2 to enable limited internal subset DTD support.
select convert(xml, '<!DOCTYPE a><a/>', 2) as x, try_cast('<a>' as xml) as y
go
--> [x:xml | y:xml]
--> <a/> | NULL
--> (1 rows affected)
select convert(xml, '<a/>', 7)
go
--> [:xml]
--> Msg 6358, Level 16, State 1, Line 1: 7 is not a valid style number when converting to XML.
declare @x xml = '<a>1</a>'
select cast(@x as varchar(3))
go
--> [:varchar(3)]
--> Msg 6354, Level 16, State 1, Line 2: Target string size is too small to represent the XML instance
declare @x xml = N'<a>日</a>'
select cast(@x as varchar(30))
go
--> [:varchar(30)]
--> Msg 6355, Level 16, State 1, Line 2: Conversion of one or more characters from XML to target collation impossible
declare @x xml = '<a/>'
select 1 where @x = @x
go
--> Msg 305, Level 16, State 1, Line 2: The XML data type cannot be compared or sorted, except when using the IS NULL operator.
declare @x xml = '<a/>'
select 1 where @x is not null
go
--> [:int]
--> 1
--> (1 rows affected)
create table docs (id int primary key, x xml)
insert docs values (1, '<a ><b>1</b></a>'), (2, null)
insert docs select 3, N'<c/>'
select id, x from docs order by id
go
--> (2 rows affected)
--> (1 rows affected)
--> [id:int | x:xml]
--> 1 | <a><b>1</b></a>
--> 2 | NULL
--> 3 | <c/>
--> (3 rows affected)
insert docs values (4, '<a>')
go
--> Msg 9400, Level 16, State 1, Line 1: XML parsing: line 1, character 3, unexpected end of input
--> # The statement has been terminated.
update docs set x = '<' where id = 1
go
--> Msg 9400, Level 16, State 1, Line 1: XML parsing: line 1, character 1, unexpected end of input
--> # The statement has been terminated.
select id from docs order by x
go
--> Msg 305, Level 16, State 1, Line 1: The XML data type cannot be compared or sorted, except when using the IS NULL operator.
select x from docs group by x
go
--> Msg 305, Level 16, State 1, Line 1: The XML data type cannot be compared or sorted, except when using the IS NULL operator.
select distinct x from docs
go
--> Msg 421, Level 16, State 1, Line 1: The xml data type cannot be selected as DISTINCT because it is not comparable.
select x from docs union select x from docs
go
--> Msg 5335, Level 16, State 1, Line 1: The data type xml cannot be used as an operand to the UNION, INTERSECT or EXCEPT operators because it is not comparable.
drop table docs
go
