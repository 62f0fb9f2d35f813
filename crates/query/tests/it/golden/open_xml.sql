-- sp_xml_preparedocument, OPENXML, sp_xml_removedocument; the first is after the manual's example
declare @idoc int, @doc varchar(1000)
set @doc = '
<ROOT>
<Customer CustomerID="VINET" ContactName="Paul Henriot">
   <Order CustomerID="VINET" EmployeeID="5" OrderDate="1996-07-04T00:00:00">
      <OrderDetail OrderID="10248" ProductID="11" Quantity="12"/>
      <OrderDetail OrderID="10248" ProductID="42" Quantity="10"/>
   </Order>
</Customer>
<Customer CustomerID="LILAS" ContactName="Carlos Gonzlez">
   <Order CustomerID="LILAS" EmployeeID="3" OrderDate="1996-08-16T00:00:00">
      <OrderDetail OrderID="10283" ProductID="72" Quantity="3"/>
   </Order>
</Customer>
</ROOT>'
exec sp_xml_preparedocument @idoc output, @doc
select * from openxml (@idoc, '/ROOT/Customer', 1) with (CustomerID varchar(10), ContactName varchar(20))
select * from openxml (@idoc, '/ROOT/Customer/Order/OrderDetail', 2) with (OrderID int '../@OrderID', CustomerID varchar(10) '../@CustomerID', OrderDate datetime '../@OrderDate', ProdID int '@ProductID', Qty int '@Quantity')
exec sp_xml_removedocument @idoc
go
--> [CustomerID:varchar(10) | ContactName:varchar(20)]
--> VINET | Paul Henriot
--> LILAS | Carlos Gonzlez
--> (2 rows affected)
--> [OrderID:int | CustomerID:varchar(10) | OrderDate:datetime | ProdID:int | Qty:int]
--> NULL | VINET | 1996-07-04 00:00:00.000 | 11 | 12
--> NULL | VINET | 1996-07-04 00:00:00.000 | 42 | 10
--> NULL | LILAS | 1996-08-16 00:00:00.000 | 72 | 3
--> (3 rows affected)
declare @h int
exec sp_xml_preparedocument @h output, N'<r><i a="1"><b>x</b></i><i><a>2</a></i></r>'
select a, b from openxml (@h, '/r/i') with (a int, b varchar(5))
select a, b from openxml (@h, '/r/i', 2) with (a int, b varchar(5))
select a, b from openxml (@h, '/r/i', 3) with (a int, b varchar(5)) order by a desc
select b from openxml (@h, '/r/i', 2) with (b xml)
go
--> [a:int | b:varchar(5)]
--> 1 | NULL
--> NULL | NULL
--> (2 rows affected)
--> [a:int | b:varchar(5)]
--> NULL | x
--> 2 | NULL
--> (2 rows affected)
--> [a:int | b:varchar(5)]
--> 2 | NULL
--> 1 | x
--> (2 rows affected)
--> [b:xml]
--> <b>x</b>
--> NULL
--> (2 rows affected)
declare @h int
exec sp_xml_preparedocument @h output, '<p:r xmlns:p="urn:p"><p:i v="7"/></p:r>', '<n xmlns:q="urn:p"/>'
select v from openxml (@h, '/q:r/q:i') with (v int)
exec sp_xml_removedocument @h
select v from openxml (@h, '/q:r/q:i') with (v int)
go
--> [v:int]
--> 7
--> (1 rows affected)
--> [v:int]
--> Msg 8179, Level 16, State 5, Line 5: Could not find prepared statement with handle 5.
exec sp_xml_removedocument 99
go
--> Msg 6607, Level 16, State 1, Line 1: sp_xml_removedocument: The value supplied for parameter number 1 is invalid.
declare @h int
exec sp_xml_preparedocument @h output, '<a>'
go
--> Msg 6602, Level 16, State 2, Line 2: The error description is 'XML parsing: line 1, character 3, unexpected end of input'.
-- Without WITH it is the edge table: each node below those that are found, attributes with their texts as nodes of their own.
declare @h int
exec sp_xml_preparedocument @h output, '<r a="1"><i>x</i><p:j xmlns:p="urn:p" p:b="2"/><!--c--></r>'
select nodetype, localname, prefix, namespaceuri, datatype, text from openxml (@h, '/r')
select c.localname as child, p.localname as parent, b.localname as before
from openxml (@h, '/r') as c left join openxml (@h, '/r') as p on p.id = c.parentid left join openxml (@h, '/r') as b on b.id = c.prev
where c.nodetype in (1, 8) order by c.id
select count(*) as n, count(distinct id) as ids, min(id) as top_one from openxml (@h, '/r')
select localname, text from openxml (@h, '/r/i')
select * from openxml (@h, '/none')
exec sp_xml_removedocument @h
go
--> [nodetype:int | localname:nvarchar(max) | prefix:nvarchar(max) | namespaceuri:nvarchar(max) | datatype:nvarchar(max) | text:nvarchar(max)]
--> 1 | r | NULL | NULL | NULL | NULL
--> 2 | a | NULL | NULL | NULL | NULL
--> 3 | #text | NULL | NULL | NULL | 1
--> 1 | i | NULL | NULL | NULL | NULL
--> 3 | #text | NULL | NULL | NULL | x
--> 1 | j | p | urn:p | NULL | NULL
--> 2 | b | p | urn:p | NULL | NULL
--> 3 | #text | NULL | NULL | NULL | 2
--> 8 | #comment | NULL | NULL | NULL | c
--> (9 rows affected)
--> [child:nvarchar(max) | parent:nvarchar(max) | before:nvarchar(max)]
--> r | NULL | NULL
--> i | r | NULL
--> j | r | i
--> #comment | r | j
--> (4 rows affected)
--> [n:int | ids:int | top_one:bigint]
--> 9 | 9 | 0
--> (1 rows affected)
--> [localname:nvarchar(max) | text:nvarchar(max)]
--> i | NULL
--> #text | x
--> (2 rows affected)
--> [id:bigint | parentid:bigint | nodetype:int | localname:nvarchar(max) | prefix:nvarchar(max) | namespaceuri:nvarchar(max) | datatype:nvarchar(max) | prev:bigint | text:nvarchar(max)]
--> (0 rows affected)
declare @x xml = '<a/>'
set @x.modify('insert <![CDATA[<b> & c]]> into (/a)[1]')
select @x as x
go
--> [x:xml]
--> <a>&lt;b&gt; &amp; c</a>
--> (1 rows affected)
