-- The methods of xml; the examples of the manual's pages of value, nodes, exist and modify are among these
declare @myDoc xml
declare @ProdID int
set @myDoc = '<Root>
<ProductDescription ProductID="1" ProductName="Road Bike">
<Features>
  <Warranty>1 year parts and labor</Warranty>
  <Maintenance>3 year parts and labor extended maintenance is available</Maintenance>
</Features>
</ProductDescription>
</Root>'
set @ProdID = @myDoc.value('(/Root/ProductDescription/@ProductID)[1]', 'int')
select @ProdID as id, @myDoc.query('/Root/ProductDescription/Features/Warranty') as q, @myDoc.exist('/Root/None') as e
go
--> [id:int | q:xml | e:bit]
--> 1 | <Warranty>1 year parts and labor</Warranty> | 0
--> (1 rows affected)
declare @x xml
set @x = '<Root>
    <row id="1"><name>Larry</name><oflw>some text</oflw></row>
    <row id="2"><name>moe</name></row>
    <row id="3" />
</Root>'
select T.c.query('.') as result from @x.nodes('/Root/row') T(c)
select T.c.query('..') as result from @x.nodes('/Root/row[1]') T(c)
select t.c.value('@id', 'int') as id, c.value('(name/text())[1]', 'varchar(10)') as name, c.exist('oflw') as has from @x.nodes('/Root/row') t(c)
where t.c.value('@id', 'int') > 1 order by id desc
select count(*) as n from @x.nodes('//name') as t(c) where c is not null
go
--> [result:xml]
--> <row id="1"><name>Larry</name><oflw>some text</oflw></row>
--> <row id="2"><name>moe</name></row>
--> <row id="3"/>
--> (3 rows affected)
--> [result:xml]
--> <Root><row id="1"><name>Larry</name><oflw>some text</oflw></row><row id="2"><name>moe</name></row><row id="3"/></Root>
--> (1 rows affected)
--> [id:int | name:varchar(10) | has:bit]
--> 3 | NULL | 0
--> 2 | moe | 0
--> (2 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
create table orders (id int primary key, x xml)
insert orders values (1, '<o c="7"><i n="pen" q="2"/><i n="ink" q="1"/></o>'), (2, '<o c="8"/>'), (3, null), (4, '<o><i n="cap" q="5"><p>1.5</p><p>2</p></i></o>')
select o.id, i.x.value('@n', 'varchar(10)') as n, i.x.value('../@c', 'int') as c from orders o cross apply o.x.nodes('/o/i') as i(x) order by o.id, n
select o.id, i.x.value('@n', 'varchar(10)') as n from orders o outer apply x.nodes('/o/i[@q > 1]') as i(x) order by o.id
select o.id, p.x.value('.', 'decimal(5,2)') as p from orders o cross apply x.nodes('/o/i') as i(x) cross apply i.x.nodes('p') as p(x)
select id from orders where x.exist('/o/i[@n = "ink"]') = 1
select id, x.value('sum(/o/i/@q)', 'int') as q, x.value('count(/o/i)', 'int') as n from orders order by id
go
--> (4 rows affected)
--> [id:int | n:varchar(10) | c:int]
--> 1 | ink | 7
--> 1 | pen | 7
--> 4 | cap | NULL
--> (3 rows affected)
--> [id:int | n:varchar(10)]
--> 1 | pen
--> 2 | NULL
--> 3 | NULL
--> 4 | cap
--> (4 rows affected)
--> [id:int | p:decimal(5,2)]
--> 4 | 1.50
--> 4 | 2.00
--> (2 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int | q:int | n:int]
--> 1 | 3 | 2
--> 2 | 0 | 0
--> 3 | NULL | NULL
--> 4 | 5 | 1
--> (4 rows affected)
declare @n varchar(10) = 'cap', @q int = 2
select id, x.query('for $i in /o/i[@n = sql:variable("@n") or @q = sql:variable("@q")] return <r id="{sql:column("id")}">{string($i/@n)}</r>') as r from orders where x.exist('/o/i') = 1 order by id
go
--> [id:int | r:xml]
--> 1 | <r id="1">pen</r>
--> 4 | <r id="4">cap</r>
--> (2 rows affected)
update orders set x.modify('insert <i n="new"/> as first into (/o)[1]') where id = 2
update orders set x.modify('replace value of (/o/@c)[1] with sql:column("id") + 1') where id = 1
update orders set x.modify('delete /o/i/p') where id = 4
select id, x from orders where id in (1, 2, 4) order by id
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | x:xml]
--> 1 | <o c="2"><i n="pen" q="2"/><i n="ink" q="1"/></o>
--> 2 | <o c="8"><i n="new"/></o>
--> 4 | <o><i n="cap" q="5"/></o>
--> (3 rows affected)
update orders set x.modify('delete /o') where id = 3
go
--> Msg 5302, Level 16, State 1, Line 1: Mutator 'modify()' on 'x' cannot be called on a null value.
--> # The statement has been terminated.
declare @d xml = '<a><b>1</b></a>', @v xml = '<n/>', @e xml
set @d.modify('insert sql:variable("@v") into (/a)[1]')
set @d.modify('replace value of (/a/b/text())[1] with "two"')
select @d as d
set @e.modify('delete /a')
go
--> [d:xml]
--> <a><b>two</b><n/></a>
--> (1 rows affected)
--> Msg 5302, Level 16, State 1, Line 5: Mutator 'modify()' on '@e' cannot be called on a null value.
with xmlnamespaces ('urn:a' as a, default 'urn:d')
select cast('<r xmlns="urn:d" xmlns:a="urn:a"><a:x>1</a:x></r>' as xml).value('(/r/a:x)[1]', 'int') as v
go
--> [v:int]
--> 1
--> (1 rows affected)
with xmlnamespaces ('urn:a' as a), t as (select cast('<a:r xmlns:a="urn:a" v="5"/>' as xml) as x)
select x.value('/a:r[1]/@v', 'varchar(max)') as v, (select x.query('/a:r')) as q from t
go
--> [v:varchar(max) | q:xml]
--> 5 | <a:r xmlns:a="urn:a" v="5"/>
--> (1 rows affected)
declare @x xml = '<a d="2008-01-02T03:04:05" f="1.5E2" b="true" h="AQID"> 7 </a>'
select @x.value('(/a/@d)[1]', 'datetime') as d, @x.value('(/a/@f)[1]', 'float') as f, @x.value('(/a/@b)[1]', 'bit') as b, @x.value('(/a)[1]', 'int') as i, @x.value('xs:base64Binary((/a/@h)[1])', 'varbinary(8)') as h
select @x.value('1 div 3', 'decimal(9, 4)') as t, @x.value('1.5e0 * 2', 'varchar(9)') as p, @x.value('(/a/@none)[1]', 'int') as n
go
--> [d:datetime | f:float | b:bit | i:int | h:varbinary(8)]
--> 2008-01-02 03:04:05.000 | 150.0 | 1 | 7 | 0x010203
--> (1 rows affected)
--> [t:decimal(9,4) | p:varchar(9) | n:int]
--> 0.3333 | 3 | NULL
--> (1 rows affected)
-- What is refused
declare @x xml = '<a/>'
select @x.value('/a/b', 'int')
go
--> Msg 2389, Level 16, State 1, Line 3: XQuery [value()]: 'value()' requires a singleton (or empty sequence), found operand of type 'xdt:untypedAtomic *'
select x.value('/o/@c', 'int') from orders
go
--> Msg 2389, Level 16, State 1, Line 1: XQuery [x.value()]: 'value()' requires a singleton (or empty sequence), found operand of type 'xdt:untypedAtomic *'
declare @x xml = '<a/>'
select @x.query('/a[')
go
--> Msg 2209, Level 16, State 1, Line 2: XQuery [query()]: Syntax error near '<eof>'
declare @x xml = '<a/>'
select @x.query('/a/following-sibling::b')
go
--> Msg 9335, Level 16, State 1, Line 2: XQuery [query()]: The XQuery syntax 'following-sibling' is not supported.
declare @x xml = '<a/>', @q nvarchar(9) = '/a'
select @x.query(@q)
go
--> Msg 8172, Level 16, State 1, Line 2: The argument 1 of the XML data type method "query" must be a string literal.
declare @x xml = '<a/>'
select @x.value('/a[1]', 'xml')
go
--> Msg 9500, Level 16, State 1, Line 2: The data type 'xml' used in the VALUE method is invalid.
declare @x xml = '<a/>'
select @x.value('/a[1]', 'int) select (1')
go
--> Msg 9500, Level 16, State 1, Line 2: The data type 'int) select (1' used in the VALUE method is invalid.
declare @x xml = '<a/>'
select @x.exist('/a[. = sql:variable("@none")]')
go
--> Msg 9501, Level 16, State 1, Line 2: XQuery: Unable to resolve sql:variable('@none'). The variable must be declared as a scalar TSQL variable.
declare @x xml = '<a/>'
select @x.modify('delete /a')
go
--> Msg 8137, Level 16, State 1, Line 2: Incorrect use of the XML data type method 'modify'. A non-mutator method is expected in this context.
declare @x xml = '<a/>'
set @x.query('/a')
go
--> Msg 8113, Level 16, State 1, Line 2: Incorrect use of the XML data type method 'query'. A mutator method is expected in this context.
declare @x xml = '<a/>'
set @x.modify('/a')
go
--> Msg 6305, Level 16, State 1, Line 2: XQuery data manipulation expression required in XML data type method.
declare @x xml = '<a/>'
select @x.query('delete /a')
go
--> Msg 6306, Level 16, State 1, Line 2: Invalid XQuery expression passed to XML data type method.
declare @x xml = '<a/>'
select @x.foo('/a')
go
--> Msg 227, Level 16, State 1, Line 2: "foo" is not a valid function, property, or field.
declare @x int = 1
select @x.value('/a', 'int')
go
--> Msg 258, Level 15, State 1, Line 2: Cannot call methods on int.
declare @x xml = '<a/>'
select c from @x.nodes('/a') as t(c)
go
--> Msg 493, Level 16, State 1, Line 2: The column 'c' that was returned from the nodes() method cannot be used directly. It can only be used with one of the four XML data type methods, exist(), nodes(), query(), and value(), or in IS NULL and IS NOT NULL checks.
declare @x xml = '<a/>'
select * from @x.nodes('/a') as t(c)
go
--> Msg 493, Level 16, State 1, Line 2: The column 'c' that was returned from the nodes() method cannot be used directly. It can only be used with one of the four XML data type methods, exist(), nodes(), query(), and value(), or in IS NULL and IS NOT NULL checks.
declare @x xml = '<a/>'
select 1 from @x.nodes('1') as t(c)
go
--> Msg 2374, Level 16, State 1, Line 2: XQuery [nodes()]: A node or set of nodes is required for nodes()
drop table orders
go
