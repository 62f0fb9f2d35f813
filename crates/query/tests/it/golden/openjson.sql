-- OPENJSON: members and elements as rows
select * from openjson('{"n":null,"s":"a\u00e9\n","i":-1.50e2,"b":true,"a":[1, 2],"o":{"x" : 1}}')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> n | NULL | 0
--> s | aé | 1
--> i | -1.50e2 | 2
--> b | true | 3
--> a | [1, 2] | 4
--> o | {"x" : 1} | 5
--> (6 rows affected)
select [key], value, type from openjson('["x", 2, [], {}]')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> 0 | x | 1
--> 1 | 2 | 2
--> 2 | [] | 4
--> 3 | {} | 5
--> (4 rows affected)
select * from openjson('{"a":1,"a":2,"b":3}')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> a | 1 | 2
--> a | 2 | 2
--> b | 3 | 2
--> (3 rows affected)
select * from openjson('{"a":{"b":[7,8]}}', '$.a.b')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> 0 | 7 | 2
--> 1 | 8 | 2
--> (2 rows affected)
select k, v, t from openjson('[1]') as j (k, v, t)
go
--> [k:nvarchar(4000) | v:nvarchar(max) | t:tinyint]
--> 0 | 1 | 2
--> (1 rows affected)
select * from openjson(null)
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> (0 rows affected)
select * from openjson('[]')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> (0 rows affected)
select * from openjson('{}')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> (0 rows affected)
select * from openjson('{"a":1}', '$.b')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> (0 rows affected)
select * from openjson('{"a":1}', '$.a')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> (0 rows affected)
select * from openjson('{"a":null}', 'lax $.a')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> (0 rows affected)
select value from openjson('{"a":[1,2]}extra', '$.a')
go
--> [value:nvarchar(max)]
--> 1
--> 2
--> (2 rows affected)
select [key] from openjson('{"a":1}extra')
go
--> [key:nvarchar(4000)]
--> a
--> (1 rows affected)
select count(*) as n from openjson('{x}')
go
--> [n:int]
--> Msg 13609, Level 16, State 4, Line 1: JSON text is not properly formatted. Unexpected character 'x' is found at position 1.
select count(*) as n from openjson('1')
go
--> [n:int]
--> Msg 13609, Level 16, State 4, Line 1: JSON text is not properly formatted. Unexpected character '1' is found at position 0.
select count(*) as n from openjson('{x}', '$.a')
go
--> [n:int]
--> Msg 13609, Level 16, State 3, Line 1: JSON text is not properly formatted. Unexpected character 'x' is found at position 1.
select count(*) as n from openjson('{}extra', '$.a')
go
--> [n:int]
--> Msg 13609, Level 16, State 3, Line 1: JSON text is not properly formatted. Unexpected character 'e' is found at position 2.
select count(*) as n from openjson('{"a":{"x":1', '$.a')
go
--> [n:int]
--> Msg 13609, Level 16, State 4, Line 1: JSON text is not properly formatted. Unexpected character '.' is found at position 11.
select count(*) as n from openjson('{"a":[1,2', '$.a')
go
--> [n:int]
--> Msg 13609, Level 16, State 4, Line 1: JSON text is not properly formatted. Unexpected character '.' is found at position 9.
select count(*) as n from openjson('{"a"1}', '$.a')
go
--> [n:int]
--> Msg 13609, Level 16, State 4, Line 1: JSON text is not properly formatted. Unexpected character '1' is found at position 4.
select count(*) as n from openjson('{"a":1,"b":}')
go
--> [n:int]
--> Msg 13609, Level 16, State 4, Line 1: JSON text is not properly formatted. Unexpected character '}' is found at position 11.
select * from openjson('{"b":1}', 'strict $.a')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> Msg 13608, Level 16, State 3, Line 1: Property cannot be found on the specified JSON path.
select * from openjson('{"a":1}', 'strict $.a')
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> Msg 13611, Level 16, State 1, Line 1: Value referenced by JSON path is not an array or object and cannot be opened with OPENJSON.
select * from openjson('{"a":"x"}', 'strict $.a') with (v int '$')
go
--> [v:int]
--> Msg 13611, Level 16, State 2, Line 1: Value referenced by JSON path is not an array or object and cannot be opened with OPENJSON.
select * from openjson('{"a":[1]}', null)
go
--> Msg 8116, Level 16, State 9, Line 1: Argument data type NULL is invalid for argument 2 of OPENJSON function.
declare @p nvarchar(20)
select * from openjson('{"a":[1]}', @p)
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> Msg 8116, Level 16, State 9, Line 2: Argument data type NULL is invalid for argument 2 of OPENJSON function.
select * from openjson(1)
go
--> [key:nvarchar(4000) | value:nvarchar(max) | type:tinyint]
--> Msg 13609, Level 16, State 4, Line 1: JSON text is not properly formatted. Unexpected character '1' is found at position 0.
select value from openjson(cast(N'[2]' as varbinary(20)))
go
--> [value:nvarchar(max)]
--> 2
--> (1 rows affected)
-- columns of WITH: each from its path, by default the member of its name
select * from openjson('[{"id":1,"name":"one","when":"2024-02-03T04:05:06","tags":["a" , "b"],"in":{"deep":true}},{"id":"2","extra":0}]')
with (id int, name nvarchar(20), at datetime2(0) '$.when', tags nvarchar(max) as json, deep bit '$.in.deep', first varchar(5) '$.tags[0]')
go
--> [id:int | name:nvarchar(20) | at:datetime2(0) | tags:nvarchar(max) | deep:bit | first:varchar(5)]
--> 1 | one | 2024-02-03 04:05:06 | ["a" , "b"] | 1 | a
--> 2 | NULL | NULL | NULL | NULL | NULL
--> (2 rows affected)
select * from openjson('{"id":1,"o":{"x":2}}') with (id int, o nvarchar(max) as json, x int '$.o.x', whole nvarchar(max) '$' as json)
go
--> [id:int | o:nvarchar(max) | x:int | whole:nvarchar(max)]
--> 1 | {"x":2} | 2 | {"id":1,"o":{"x":2}}
--> (1 rows affected)
select * from openjson('[10, null, "20"]') with (v int '$')
go
--> [v:int]
--> 10
--> NULL
--> 20
--> (3 rows affected)
select * from openjson('{"items":[1,2]}', '$.items') with (v int '$') as i
go
--> [v:int]
--> 1
--> 2
--> (2 rows affected)
select i.v from openjson('[{"v":1.5}]') with (v decimal(10, 2)) i
go
--> [v:decimal(10,2)]
--> 1.50
--> (1 rows affected)
select concat([a b], '|', [c"d]) as v from openjson('[{"a b":5,"c\"d":6}]') with ([a b] int, [c"d] int)
go
--> [v:varchar(25)]
--> 5|6
--> (1 rows affected)
select * from openjson('[{"v":true}]') with (v nvarchar(10))
go
--> [v:nvarchar(10)]
--> true
--> (1 rows affected)
select * from openjson('[{"v":"abcdef"}]') with (v nvarchar(3))
go
--> [v:nvarchar(3)]
--> abc
--> (1 rows affected)
select * from openjson('[{"v":"abcdef"}]') with (v varchar(3) 'strict $.v')
go
--> [v:varchar(3)]
--> abc
--> (1 rows affected)
select * from openjson('[{"v":"abcdef"}]') with (v nvarchar)
go
--> [v:nvarchar(1)]
--> a
--> (1 rows affected)
select * from openjson('[{"v":12345}]') with (v varchar(3))
go
--> [v:varchar(3)]
--> 123
--> (1 rows affected)
select * from openjson('[{"v":"ab"}]') with (v char(4))
go
--> [v:char(4)]
--> ab
--> (1 rows affected)
select * from openjson('[{"v":"AQID"}]') with (v varbinary(10))
go
--> [v:varbinary(10)]
--> 0x010203
--> (1 rows affected)
select * from openjson('[{"v":"AQID"}]') with (v binary(5))
go
--> [v:binary(5)]
--> 0x0102030000
--> (1 rows affected)
select * from openjson('[{"v":[1,2]}]') with (v nvarchar(20))
go
--> [v:nvarchar(20)]
--> NULL
--> (1 rows affected)
select * from openjson('[{"v":{"a":1}}]') with (v int)
go
--> [v:int]
--> NULL
--> (1 rows affected)
select * from openjson('[{"v":1}]') with (v nvarchar(max) as json)
go
--> [v:nvarchar(max)]
--> NULL
--> (1 rows affected)
select * from openjson('[{"v":null}]') with (v nvarchar(max) 'strict $.v' as json)
go
--> [v:nvarchar(max)]
--> NULL
--> (1 rows affected)
select * from openjson('[{"v":"12345678-1234-1234-1234-1234567890ab"}]') with (v uniqueidentifier)
go
--> [v:uniqueidentifier]
--> 12345678-1234-1234-1234-1234567890AB
--> (1 rows affected)
select * from openjson('[{"v":1e2}]') with (v float)
go
--> [v:float]
--> 100.0
--> (1 rows affected)
select * from openjson('[{"v":true}]') with (v int)
go
--> [v:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the nvarchar value 'true' to data type int.
select * from openjson('[{"v":1e3}]') with (v decimal(10, 2))
go
--> [v:decimal(10,2)]
--> Msg 8114, Level 16, State 5, Line 1: Error converting data type nvarchar to decimal.
select * from openjson('[{"v":"x"}]') with (v numeric(5, 1))
go
--> [v:numeric(5,1)]
--> Msg 8114, Level 16, State 5, Line 1: Error converting data type nvarchar to numeric.
select * from openjson('[{"v":"x"}]') with (v varbinary(10))
go
--> [v:varbinary(10)]
--> Msg 13612, Level 16, State 5, Line 1: Cannot convert a string value found in the JSON text to binary value because it is not Base64 encoded.
select * from openjson('[{"v":"AQIDBA=="}]') with (v varbinary(2))
go
--> [v:varbinary(2)]
--> Msg 13613, Level 16, State 1, Line 1: Base64 encoded string cannot be converted to binary value. Binary data would be truncated.
select * from openjson('[{"v":[1]}]') with (v int 'strict $.v')
go
--> [v:int]
--> Msg 13624, Level 16, State 1, Line 1: Object or array cannot be found in the specified JSON path.
select * from openjson('{"v":42}') with (v nvarchar(max) 'strict $.v' as json)
go
--> [v:nvarchar(max)]
--> Msg 13624, Level 16, State 1, Line 1: Object or array cannot be found in the specified JSON path.
select * from openjson('{"a":1}') with (v nvarchar(max) 'strict $.v' as json)
go
--> [v:nvarchar(max)]
--> Msg 13608, Level 16, State 6, Line 1: Property cannot be found on the specified JSON path.
select * from openjson('{"a":1}') with (v int 'strict $.v')
go
--> [v:int]
--> Msg 13608, Level 16, State 6, Line 1: Property cannot be found on the specified JSON path.
select * from openjson('[1]') with (v int as json)
go
--> Msg 13618, Level 16, State 1, Line 1: AS JSON option can be specified only for column of nvarchar(max) type in WITH clause.
select * from openjson('[1]') with (v ntext)
go
--> Msg 13614, Level 16, State 1, Line 1: TEXT, NTEXT, SQL_VARIANT and IMAGE types cannot be used as column types in OPENJSON function with explicit schema. These types are not supported in WITH clause.
select * from openjson('[1]') with (v sql_variant)
go
--> Msg 13614, Level 16, State 1, Line 1: TEXT, NTEXT, SQL_VARIANT and IMAGE types cannot be used as column types in OPENJSON function with explicit schema. These types are not supported in WITH clause.
select * from openjson('[1]') with (v hierarchyid)
go
--> Msg 13616, Level 16, State 1, Line 1: CLR types cannot be used as column types in OPENJSON function with explicit schema. CLR types are not supported in WITH clause.
select * from openjson('[1]') with (v int collate Latin1_General_BIN)
go
--> Msg 447, Level 16, State 1, Line 1: Expression type int is invalid for COLLATE clause.
select * from openjson('[1]') with (v int 'x')
go
--> Msg 13607, Level 16, State 22, Line 1: JSON path is not properly formatted. Unexpected character 'x' is found at position 0.
-- collations are those of the text, or of COLLATE; keys compare by their bytes
select count(*) as n from openjson('[{"v":"a"}]') with (v nvarchar(10)) where v = 'A'
go
--> [n:int]
--> 1
--> (1 rows affected)
select count(*) as n from openjson('[{"v":"a"}]') with (v nvarchar(10) collate Latin1_General_CS_AS) where v = 'A'
go
--> [n:int]
--> 0
--> (1 rows affected)
select count(*) as n from openjson('{"a":1}') where [key] = 'A'
go
--> [n:int]
--> 0
--> (1 rows affected)
select count(*) as n from openjson('["a"]' collate Latin1_General_CS_AS) where value = 'A'
go
--> [n:int]
--> 0
--> (1 rows affected)
-- over columns
create table #t (id int primary key, tags nvarchar(max), docs varchar(200))
insert #t values (1, '["alpha","beta"]', '[{"k":1},{"k":2}]'), (2, '["gamma"]', '[]'), (3, null, null), (4, '["beta"]', '{"k":9}')
go
--> (4 rows affected)
select t.id, j.[key], j.value from #t t cross apply openjson(t.tags) j order by t.id, j.[key]
go
--> [id:int | key:nvarchar(4000) | value:nvarchar(max)]
--> 1 | 0 | alpha
--> 1 | 1 | beta
--> 2 | 0 | gamma
--> 4 | 0 | beta
--> (4 rows affected)
select t.id, j.k from #t t outer apply openjson(t.docs) with (k int) j order by t.id, j.k
go
--> [id:int | k:int]
--> 1 | 1
--> 1 | 2
--> 2 | NULL
--> 3 | NULL
--> 4 | 9
--> (5 rows affected)
select id from #t where N'beta' in (select v from openjson(tags) with (v nvarchar(20) '$')) order by id
go
--> [id:int]
--> 1
--> 4
--> (2 rows affected)
select id, (select count(*) from openjson(#t.tags)) as n from #t order by id
go
--> [id:int | n:int]
--> 1 | 2
--> 2 | 1
--> 3 | 0
--> 4 | 1
--> (4 rows affected)
select id from #t where exists (select 1 from openjson(docs) with (k int) d where d.k > 1) order by id
go
--> [id:int]
--> 1
--> 4
--> (2 rows affected)
select value from openjson((select tags from #t where id = 1))
go
--> [value:nvarchar(max)]
--> alpha
--> beta
--> (2 rows affected)
select t.id, o.k, i.value from #t t cross apply openjson(t.docs) with (k int) o cross apply openjson(concat('[', o.k, ']')) i order by t.id, o.k
go
--> [id:int | k:int | value:nvarchar(max)]
--> 1 | 1 | 1
--> 1 | 2 | 2
--> 4 | 9 | 9
--> (3 rows affected)
declare @j nvarchar(max) = N'[{"id":10,"tags":["x"]},{"id":11}]'
insert #t (id, tags) select id, tags from openjson(@j) with (id int, tags nvarchar(max) as json)
select id, tags from #t where id > 9 order by id
go
--> (2 rows affected)
--> [id:int | tags:nvarchar(max)]
--> 10 | ["x"]
--> 11 | NULL
--> (2 rows affected)
update t set docs = j.value from #t t cross apply openjson(t.tags) j where t.id = 2
select docs from #t where id = 2
go
--> (1 rows affected)
--> [docs:varchar(200)]
--> gamma
--> (1 rows affected)
