-- JSON_VALUE: a scalar at the end of a path; lax paths that lead nowhere, or to something else, give NULL
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', '$.a.b[1]') as v
go
--> [v:nvarchar(4000)]
--> x
--> (1 rows affected)
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', 'lax $.a.b[0]') as v
go
--> [v:nvarchar(4000)]
--> 1
--> (1 rows affected)
select json_value('{"a":[1,"x",true,-0.50e+3]}', '$.a[2]') as v
go
--> [v:nvarchar(4000)]
--> true
--> (1 rows affected)
select json_value('{"a":[1,"x",true,-0.50e+3]}', '$.a[3]') as v
go
--> [v:nvarchar(4000)]
--> -0.50e+3
--> (1 rows affected)
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', '$.a.b[3]') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', '$.a.b[4]') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', '$.a') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', '$') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', '$.x') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', '$.a[0]') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', '$.a.b.c') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":{"b":[1,"x",true,null,{"c":2}]}}', '$.a.b[9]') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value(N'{"":"empty","a b":"blank","q\"":"quote","\u0041":"letter"}', '$.""') as v
go
--> [v:nvarchar(4000)]
--> empty
--> (1 rows affected)
select json_value(N'{"":"empty","a b":"blank","q\"":"quote","\u0041":"letter"}', '$."a b"') as v
go
--> [v:nvarchar(4000)]
--> blank
--> (1 rows affected)
select json_value(N'{"":"empty","a b":"blank","q\"":"quote","\u0041":"letter"}', '$."q\""') as v
go
--> [v:nvarchar(4000)]
--> quote
--> (1 rows affected)
select json_value(N'{"":"empty","a b":"blank","q\"":"quote","\u0041":"letter"}', '$.A') as v
go
--> [v:nvarchar(4000)]
--> letter
--> (1 rows affected)
select json_value(N'{"a":1,"a":2}', '$.a') as v
go
--> [v:nvarchar(4000)]
--> 1
--> (1 rows affected)
select json_value(N'{"a":{"z":1},"a":2}', '$.a') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value(N'{"a":1,"A":2}', '$.A') as v
go
--> [v:nvarchar(4000)]
--> 2
--> (1 rows affected)
select json_value(N'["a\u00e9\n\/\\\"\ud83d\ude00"]', '$[0]') as v
go
--> [v:nvarchar(4000)]
--> aé
--> /\"😀
--> (1 rows affected)
-- what is wrong behind the answer is not seen
select json_value('{"a":1}extra', '$.a') as v
go
--> [v:nvarchar(4000)]
--> 1
--> (1 rows affected)
select json_value('{"a":1,"b":}', '$.a') as v
go
--> [v:nvarchar(4000)]
--> 1
--> (1 rows affected)
select json_value('{"a":12', '$.a') as v
go
--> [v:nvarchar(4000)]
--> 12
--> (1 rows affected)
select json_value('{"a":{"x":1', '$.a.x') as v
go
--> [v:nvarchar(4000)]
--> 1
--> (1 rows affected)
select json_value('[1,2]]', '$[0]') as v
go
--> [v:nvarchar(4000)]
--> 1
--> (1 rows affected)
select json_value('{"a":1', '$[0]') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('[1,2', '$.a') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":1,"b":}', '$.a.x') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":[1],"b":}', '$.a[5]') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('1', '$.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '1' is found at position 0.
select json_value('"abc"', '$.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '"' is found at position 0.
select json_value('', '$.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '.' is found at position 0.
select json_value('   ', '$.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '.' is found at position 3.
select json_value('{"a":1', '$.b') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '.' is found at position 6.
select json_value('{x}', '$.z') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character 'x' is found at position 1.
select json_value('{"a":1,"b":}', '$.z') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '}' is found at position 11.
select json_value('{"a":1 "b":2}', '$.z') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '"' is found at position 7.
select json_value('[1,2,]', '$[9]') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character ']' is found at position 5.
select json_value('{"a":1x}', '$.z') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '1' is found at position 5.
select json_value('{"a":01}', '$.z') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '0' is found at position 5.
select json_value('{"a":"str', '$.z') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '"' is found at position 5.
select json_value('{} x', '$.z') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character 'x' is found at position 3.
select json_value('{"a":1}extra', '$.z') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character 'e' is found at position 7.
select json_value('{"a":1', '$.a.x') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '.' is found at position 6.
select json_value('{"a":1,', '$.a.x') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '.' is found at position 7.
select json_value('{"a":1,}', '$.a.x') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '}' is found at position 7.
select json_value('{"a":1}extra', '$.a.x') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character 'e' is found at position 7.
select json_value('{x}', '$[0]') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character 'x' is found at position 1.
select json_value('[,1]', '$.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character ',' is found at position 1.
select json_value('{x}', 'strict $.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character 'x' is found at position 1.
select json_value(N'{"é":1} x', '$.b') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character 'x' is found at position 8.
select json_value(cast('{x}' as nvarchar(max)), '$.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 2, Line 1: JSON text is not properly formatted. Unexpected character 'x' is found at position 1.
-- strict paths
select json_value('{"a":1}', 'strict $.a') as v
go
--> [v:nvarchar(4000)]
--> 1
--> (1 rows affected)
select json_value('{"a":1}', 'strict $.b') as v
go
--> [v:nvarchar(4000)]
--> Msg 13608, Level 16, State 1, Line 1: Property cannot be found on the specified JSON path.
select json_value('{"a":[1]}', 'strict $.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13623, Level 16, State 2, Line 1: Scalar value cannot be found in the specified JSON path.
select json_value('{"a":1}extra', 'strict $[0]') as v
go
--> [v:nvarchar(4000)]
--> Msg 13608, Level 16, State 1, Line 1: Property cannot be found on the specified JSON path.
select json_value('{}', 'xyz') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 22, Line 1: JSON path is not properly formatted. Unexpected character 'x' is found at position 0.
select json_value('{}', '$.') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 14, Line 1: JSON path is not properly formatted. Unexpected character '.' is found at position 2.
select json_value('{}', '$.a b') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 22, Line 1: JSON path is not properly formatted. Unexpected character 'b' is found at position 4.
select json_value('{}', '$."a"x') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 14, Line 1: JSON path is not properly formatted. Unexpected character 'x' is found at position 5.
select json_value('{}', '$[a]') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 21, Line 1: JSON path is not properly formatted. Unexpected character 'a' is found at position 2.
select json_value('{}', '$[1x]') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 15, Line 1: JSON path is not properly formatted. Unexpected character 'x' is found at position 3.
select json_value('{}', '$[4294967296]') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 16, Line 1: JSON path is not properly formatted. Unexpected character '6' is found at position 11.
select json_value('{}', '$."a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 20, Line 1: JSON path is not properly formatted. Unexpected character '.' is found at position 4.
select json_value('{}', '$.a$b') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 14, Line 1: JSON path is not properly formatted. Unexpected character '$' is found at position 3.
select json_value('{}', 'LAX $.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 22, Line 1: JSON path is not properly formatted. Unexpected character 'L' is found at position 0.
select json_value('{}', 'append $.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13607, Level 16, State 14, Line 1: JSON path is not properly formatted. Unexpected character 'a' is found at position 0.
select json_value('{}', null) as v
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type NULL is invalid for argument 2 of json_value function.
select json_value(null, cast(null as nvarchar(10))) as v
go
--> [v:nvarchar(4000)]
--> Msg 8116, Level 16, State 8, Line 1: Argument data type NULL is invalid for argument 2 of JSON_VALUE function.
select json_value(1, '$') as v
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type int is invalid for argument 1 of json_value function.
select json_value('{}') as v
go
--> Msg 174, Level 15, State 1, Line 1: The json_value function requires 2 argument(s).
select json_value(cast(null as nvarchar(max)), '$.a') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
-- no more than 4000 characters
select len(json_value('{"a":"' + replicate(cast('x' as varchar(max)), 4000) + '"}', '$.a')) as v
go
--> [v:int]
--> 4000
--> (1 rows affected)
select json_value('{"a":"' + replicate(cast('x' as varchar(max)), 4001) + '"}', '$.a') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_value('{"a":"' + replicate(cast('x' as varchar(max)), 4001) + '"}', 'strict $.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13625, Level 16, State 1, Line 1: String value in the specified JSON path would be truncated.
select len(json_value('{"a":"' + replicate('x', 4001) + '"}', '$.a')) as v
go
--> [v:int]
--> 4000
--> (1 rows affected)
-- JSON_QUERY: an object or an array as it is written
select json_query('{"a": {"b" : [1 , 2]} }', '$.a') as v
go
--> [v:nvarchar(4000)]
--> {"b" : [1 , 2]}
--> (1 rows affected)
select json_query('{"a": {"b" : [1 , 2]} }', '$.a.b') as v
go
--> [v:nvarchar(4000)]
--> [1 , 2]
--> (1 rows affected)
select json_query('  {"a" : 1}  ') as v
go
--> [v:nvarchar(4000)]
--> {"a" : 1}
--> (1 rows affected)
select json_query(N'{"a":1}', '$.a') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_query(N'{"a":null}', 'strict $.a') as v
go
--> [v:nvarchar(4000)]
--> NULL
--> (1 rows affected)
select json_query('{} x') as v
go
--> [v:nvarchar(4000)]
--> {}
--> (1 rows affected)
select json_query(cast('[1]' as varchar(max))) as v
go
--> [v:nvarchar(max)]
--> [1]
--> (1 rows affected)
select json_query('{"a":1}', 'strict $.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13624, Level 16, State 2, Line 1: Object or array cannot be found in the specified JSON path.
select json_query(cast('{"a":1}' as varchar(max)), 'strict $.a') as v
go
--> [v:nvarchar(max)]
--> Msg 13624, Level 16, State 1, Line 1: Object or array cannot be found in the specified JSON path.
select json_query('{"a":{"x":1', '$.a') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '.' is found at position 11.
select json_query('"abc"') as v
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 1: JSON text is not properly formatted. Unexpected character '"' is found at position 0.
select json_query('{}', null) as v
go
--> Msg 8116, Level 16, State 8, Line 1: Argument data type NULL is invalid for argument 2 of JSON_QUERY function.
select json_query('{}', '$', '$') as v
go
--> Msg 189, Level 15, State 1, Line 1: The json_query function requires 1 to 2 arguments.
-- ISJSON
select isjson('{"a":1}') as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('  [1,2]  ') as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('1') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('"a"') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('true') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('{"a":1}x') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('{"a":1') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('{"a":1,"a":2}') as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson(cast(null as nvarchar(10))) as v
go
--> [v:int]
--> NULL
--> (1 rows affected)
select isjson('1', value) as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('true', value) as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('{}', value) as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('x', value) as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('1', scalar) as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('"a"', scalar) as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('true', scalar) as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('null', scalar) as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('[1]', scalar) as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('[1]', array) as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('{}', array) as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson('{}', object) as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('[1]', object) as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select isjson(' 1 ', SCALAR) as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select isjson('1', number) as v
go
--> Msg 155, Level 15, State 1, Line 1: 'number' is not a recognized isjson option.
select isjson('1', 'scalar') as v
go
--> Msg 1023, Level 15, State 1, Line 1: Invalid parameter 2 specified for isjson.
select isjson(replicate('[', 130)) as v
go
--> [v:int]
--> Msg 13606, Level 16, State 1, Line 1: JSON text that has more than 128 nesting levels cannot be parsed.
-- JSON_PATH_EXISTS says no where others fail
select json_path_exists('{"a":null}', '$.a') as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select json_path_exists('{"a":[1]}', '$.a[0]') as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select json_path_exists('{"a":[1]}', '$.a[1]') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select json_path_exists('{"a":1}', '$') as v
go
--> [v:int]
--> 1
--> (1 rows affected)
select json_path_exists('1', '$') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select json_path_exists('{x}', 'strict $.a') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select json_path_exists('{"a":1}extra', '$.a') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select json_path_exists('{"a":1}', 'strict $.b') as v
go
--> [v:int]
--> 0
--> (1 rows affected)
select json_path_exists(cast(null as nvarchar(max)), '$.a') as v
go
--> [v:int]
--> NULL
--> (1 rows affected)
-- JSON_MODIFY: the text as it is, but for one place
select json_modify('  {"a" : 1}  ', '$.a', 2) as v
go
--> [v:nvarchar(max)]
-->   {"a" : 2}
--> (1 rows affected)
select json_modify('{ "a" : 1 , "b" : { "c" : 2 } }', '$.b.c', 9) as v
go
--> [v:nvarchar(max)]
--> { "a" : 1 , "b" : { "c" : 9 } }
--> (1 rows affected)
select json_modify('{ "a" : { "b" : 1 } }', '$.a', 'txt') as v
go
--> [v:nvarchar(max)]
--> { "a" : "txt" }
--> (1 rows affected)
select json_modify('[ 1 , 2 , 3 ]', '$[1]', 9) as v
go
--> [v:nvarchar(max)]
--> [ 1 , 9 , 3 ]
--> (1 rows affected)
select json_modify('{"a":1}', '$.b', 2) as v
go
--> [v:nvarchar(max)]
--> {"a":1,"b":2}
--> (1 rows affected)
select json_modify('{ "a" : 1 }', '$.b', 2) as v
go
--> [v:nvarchar(max)]
--> { "a" : 1 ,"b":2}
--> (1 rows affected)
select json_modify('{}', '$.b', 2) as v
go
--> [v:nvarchar(max)]
--> {"b":2}
--> (1 rows affected)
select json_modify('{  }', '$.b', 2) as v
go
--> [v:nvarchar(max)]
--> {  "b":2}
--> (1 rows affected)
select json_modify('{ "a" : { "b" : 1 } }', '$.a.c', 2) as v
go
--> [v:nvarchar(max)]
--> { "a" : { "b" : 1 ,"c":2} }
--> (1 rows affected)
select json_modify('[ 1 ]', '$.b', 2) as v
go
--> [v:nvarchar(max)]
--> [ 1 ]
--> (1 rows affected)
select json_modify('{ "a" : 1 }', '$[0]', 2) as v
go
--> [v:nvarchar(max)]
--> { "a" : 1 }
--> (1 rows affected)
select json_modify('{}', '$.x.y', 2) as v
go
--> [v:nvarchar(max)]
--> {}
--> (1 rows affected)
select json_modify('[1,2,3]', '$[3]', 4) as v
go
--> [v:nvarchar(max)]
--> [1,2,3]
--> (1 rows affected)
select json_modify('{ "a" : 1 }', '$.b', null) as v
go
--> [v:nvarchar(max)]
--> { "a" : 1 }
--> (1 rows affected)
select json_modify('{"a":1,"b":2}', '$.a', null) as v
go
--> [v:nvarchar(max)]
--> {"b":2}
--> (1 rows affected)
select json_modify('{"a":1,"b":2}', '$.b', null) as v
go
--> [v:nvarchar(max)]
--> {"a":1}
--> (1 rows affected)
select json_modify('{ "a" : 1 , "b" : 2 }', '$.a', null) as v
go
--> [v:nvarchar(max)]
--> {  "b" : 2 }
--> (1 rows affected)
select json_modify('{ "a" : 1 , "b" : 2 }', '$.b', null) as v
go
--> [v:nvarchar(max)]
--> { "a" : 1  }
--> (1 rows affected)
select json_modify('{ "a" : 1 , "b" : 2 , "c" : 3 }', '$.b', null) as v
go
--> [v:nvarchar(max)]
--> { "a" : 1  , "c" : 3 }
--> (1 rows affected)
select json_modify('{ "a" : 1 }', '$.a', null) as v
go
--> [v:nvarchar(max)]
--> {  }
--> (1 rows affected)
select json_modify('[ 1 , 2 , 3 ]', '$[1]', null) as v
go
--> [v:nvarchar(max)]
--> [ 1 , null , 3 ]
--> (1 rows affected)
select json_modify('{ "a" : 1 , "b" : 2 }', 'strict $.a', null) as v
go
--> [v:nvarchar(max)]
--> { "a" : null , "b" : 2 }
--> (1 rows affected)
select json_modify('{"a":[1,2]}', 'append $.a', 3) as v
go
--> [v:nvarchar(max)]
--> {"a":[1,2,3]}
--> (1 rows affected)
select json_modify('{ "a" : [ 1 , 2 ] }', 'append $.a', 3) as v
go
--> [v:nvarchar(max)]
--> { "a" : [ 1 , 2 ,3] }
--> (1 rows affected)
select json_modify('{ "a" : [ ] }', 'append $.a', 3) as v
go
--> [v:nvarchar(max)]
--> { "a" : [ 3] }
--> (1 rows affected)
select json_modify('[ 1 ]', 'append $', 2) as v
go
--> [v:nvarchar(max)]
--> [ 1 ,2]
--> (1 rows affected)
select json_modify('{ "a" : 1 }', 'append $.b', 3) as v
go
--> [v:nvarchar(max)]
--> { "a" : 1 ,"b":[3]}
--> (1 rows affected)
select json_modify('{ "a" : 1 }', 'append $.b', null) as v
go
--> [v:nvarchar(max)]
--> { "a" : 1 ,"b":[null]}
--> (1 rows affected)
select json_modify('{ "a" : [ 1 ] }', 'append $.a', null) as v
go
--> [v:nvarchar(max)]
--> { "a" : [ 1 ,null] }
--> (1 rows affected)
select json_modify('{ "a" : 1 }', 'append $.a', 3) as v
go
--> [v:nvarchar(max)]
--> { "a" : 1 }
--> (1 rows affected)
select json_modify('{ "a" : [1] }', 'append lax $.a', 3) as v
go
--> [v:nvarchar(max)]
--> { "a" : [1,3] }
--> (1 rows affected)
select json_modify('{"a":1,"a":2}', '$.a', 9) as v
go
--> [v:nvarchar(max)]
--> {"a":9,"a":2}
--> (1 rows affected)
select json_modify('[1,2', '$.a', 2) as v
go
--> [v:nvarchar(max)]
--> [1,2
--> (1 rows affected)
select json_modify('{}', '$."a/b"', 'x/y') as v
go
--> [v:nvarchar(max)]
--> {"a/b":"x\/y"}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', 'y"z') as v
go
--> [v:nvarchar(max)]
--> {"a":"y\"z"}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', char(27) + char(9)) as v
go
--> [v:nvarchar(max)]
--> {"a":"\u001b\t"}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', cast(1.50 as decimal(10, 2))) as v
go
--> [v:nvarchar(max)]
--> {"a":1.50}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', cast(1 as bit)) as v
go
--> [v:nvarchar(max)]
--> {"a":true}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', cast(1.5 as real)) as v
go
--> [v:nvarchar(max)]
--> {"a":1.500000000000000e+000}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', cast('x' as char(3))) as v
go
--> [v:nvarchar(max)]
--> {"a":"x  "}
--> (1 rows affected)
-- texts of JSON are inserted as JSON when functions give them, others are texts
select json_modify('{"a":1}', '$.a', json_query('{ "z" : 3 }')) as v
go
--> [v:nvarchar(max)]
--> {"a":{ "z" : 3 }}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', json_modify('{"q":1}', '$.q', 2)) as v
go
--> [v:nvarchar(max)]
--> {"a":{"q":2}}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', json_object('z': 1)) as v
go
--> [v:nvarchar(max)]
--> {"a":{"z":1}}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', '{"z":1}') as v
go
--> [v:nvarchar(max)]
--> {"a":"{\"z\":1}"}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', json_value('{"q":"s"}', '$.q')) as v
go
--> [v:nvarchar(max)]
--> {"a":"s"}
--> (1 rows affected)
select json_modify('{"a":1}', '$.a', cast(json_query('[1]') as nvarchar(max))) as v
go
--> [v:nvarchar(max)]
--> {"a":"[1]"}
--> (1 rows affected)
select json_modify(cast(null as nvarchar(max)), '$.a', 2) as v
go
--> [v:nvarchar(max)]
--> NULL
--> (1 rows affected)
select json_modify('{"a":1}extra', '$.a', 2) as v
go
--> [v:nvarchar(max)]
--> Msg 13609, Level 16, State 7, Line 1: JSON text is not properly formatted. Unexpected character 'e' is found at position 7.
select json_modify('{"a":1}', '$', 2) as v
go
--> [v:nvarchar(max)]
--> Msg 13619, Level 16, State 1, Line 1: Unsupported JSON path found in argument 2 of JSON_MODIFY.
select json_modify('{"a":1}', 'strict $.b', 2) as v
go
--> [v:nvarchar(max)]
--> Msg 13608, Level 16, State 2, Line 1: Property cannot be found on the specified JSON path.
select json_modify('{"a":1}', 'append strict $.a', 2) as v
go
--> [v:nvarchar(max)]
--> Msg 13621, Level 16, State 1, Line 1: Array cannot be found in the specified JSON path.
select json_modify('{"a":1}', 'strict append $.a', 2) as v
go
--> [v:nvarchar(max)]
--> Msg 13607, Level 16, State 14, Line 1: JSON path is not properly formatted. Unexpected character 'a' is found at position 7.
select json_modify('{"a":1}', '$.a', cast(1 as money)) as v
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type money is invalid for argument 3 of json_modify function.
select json_modify('{"a":1}', '$.a', cast(null as date)) as v
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type date is invalid for argument 3 of json_modify function.
select json_modify('{"a":1}', '$.a') as v
go
--> Msg 174, Level 15, State 1, Line 1: The json_modify function requires 3 argument(s).
-- JSON_OBJECT keeps NULLs and JSON_ARRAY loses them, unless told otherwise
select json_object() as v
go
--> [v:nvarchar(max)]
--> {}
--> (1 rows affected)
select json_array() as v
go
--> [v:nvarchar(max)]
--> []
--> (1 rows affected)
select json_object('a': 1, 'b': 'two') as v
go
--> [v:nvarchar(max)]
--> {"a":1,"b":"two"}
--> (1 rows affected)
select json_object('a': 1, 'b': cast(null as int)) as v
go
--> [v:nvarchar(max)]
--> {"a":1,"b":null}
--> (1 rows affected)
select json_object('a': 1, 'b': null absent on null) as v
go
--> [v:nvarchar(max)]
--> {"a":1}
--> (1 rows affected)
select json_object('a': null null on null) as v
go
--> [v:nvarchar(max)]
--> {"a":null}
--> (1 rows affected)
select json_array(1, null, 3) as v
go
--> [v:nvarchar(max)]
--> [1,3]
--> (1 rows affected)
select json_array(1, null, 3 null on null) as v
go
--> [v:nvarchar(max)]
--> [1,null,3]
--> (1 rows affected)
select json_array(1, null absent on null) as v
go
--> [v:nvarchar(max)]
--> [1]
--> (1 rows affected)
select json_array(1, 'two', 3.0) as v
go
--> [v:nvarchar(max)]
--> [1,"two",3.0]
--> (1 rows affected)
select json_array(null on null) as v
go
--> [v:nvarchar(max)]
--> []
--> (1 rows affected)
select json_object('a': 1, 'a': 2) as v
go
--> [v:nvarchar(max)]
--> {"a":1,"a":2}
--> (1 rows affected)
select json_object(1: 'hello') as v
go
--> [v:nvarchar(max)]
--> {"1":"hello"}
--> (1 rows affected)
select json_object('with"quote': 1) as v
go
--> [v:nvarchar(max)]
--> {"with\"quote":1}
--> (1 rows affected)
select json_object('k/1': 'a/b') as v
go
--> [v:nvarchar(max)]
--> {"k\/1":"a\/b"}
--> (1 rows affected)
select json_object('n': json_object('i': json_array(1, 2))) as v
go
--> [v:nvarchar(max)]
--> {"n":{"i":[1,2]}}
--> (1 rows affected)
select json_object('s': '{"x":1}') as v
go
--> [v:nvarchar(max)]
--> {"s":"{\"x\":1}"}
--> (1 rows affected)
select json_object('b': cast(1 as bit), 'c': cast(0 as bit)) as v
go
--> [v:nvarchar(max)]
--> {"b":true,"c":false}
--> (1 rows affected)
select json_array(cast('2020-01-02' as date), cast('2020-01-02' as datetime), cast('2020-01-02 03:04:05.1' as datetime2(3)), cast('03:04:05' as time)) as v
go
--> [v:nvarchar(max)]
--> ["2020-01-02","2020-01-02T00:00:00","2020-01-02T03:04:05.100","03:04:05"]
--> (1 rows affected)
select json_array(cast('2020-01-02 03:04:05' as datetimeoffset(0)), cast('2020-01-02 03:04:05.5 -05:30' as datetimeoffset(2))) as v
go
--> [v:nvarchar(max)]
--> ["2020-01-02T03:04:05Z","2020-01-02T03:04:05.50-05:30"]
--> (1 rows affected)
select json_array(cast(1 as money), cast(1.5 as float), cast(1.5 as real), 0x4142, cast(1 as sql_variant), cast('12345678-1234-1234-1234-1234567890ab' as uniqueidentifier)) as v
go
--> [v:nvarchar(max)]
--> [1.0000,1.500000000000000e+000,1.5000000e+000,"QUI=",1,"12345678-1234-1234-1234-1234567890AB"]
--> (1 rows affected)
select json_object(cast(1.5 as float): 1, 0x41: 2, cast(1 as bit): 3, cast(1.5 as money): 4) as v
go
--> [v:nvarchar(max)]
--> {"1.500000000000000e+000":1,"QQ==":2,"true":3,"1.5000":4}
--> (1 rows affected)
select json_array('a\b' + char(8) + char(12) + char(10) + char(13) + char(9) + char(1)) as v
go
--> [v:nvarchar(max)]
--> ["a\\b\b\f\n\r\t\u0001"]
--> (1 rows affected)
select json_object('a': isnull(json_query('[1]'), '[]')) as v
go
--> [v:nvarchar(max)]
--> {"a":[1]}
--> (1 rows affected)
select json_object('a': coalesce(null, json_query('[1]'))) as v
go
--> [v:nvarchar(max)]
--> {"a":[1]}
--> (1 rows affected)
select json_object('a': nullif(json_query('[1]'), N'x')) as v
go
--> [v:nvarchar(max)]
--> {"a":[1]}
--> (1 rows affected)
select json_object('a': (select json_query('[1]'))) as v
go
--> [v:nvarchar(max)]
--> {"a":[1]}
--> (1 rows affected)
select json_object('a': json_query('[1]') + N'') as v
go
--> [v:nvarchar(max)]
--> {"a":"[1]"}
--> (1 rows affected)
select json_object('a': isnull(N'[0]', json_query('[1]'))) as v
go
--> [v:nvarchar(max)]
--> {"a":"[0]"}
--> (1 rows affected)
select json_object('a': v) as v from (select json_array(1) as v) as d
go
--> [v:nvarchar(max)]
--> {"a":[1]}
--> (1 rows affected)
with c as (select json_array(1) as v) select json_object('a': v) as v from c
go
--> [v:nvarchar(max)]
--> {"a":[1]}
--> (1 rows affected)
select json_object(cast(null as varchar(10)): 1) as v
go
--> [v:nvarchar(max)]
--> Msg 13638, Level 16, State 1, Line 1: User error : Name parameter value in 'json_object' cannot be null
select json_object('k') as v
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ')'.
select json_object('k': 1, ) as v
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ')'.
select json_object('k': 1 null) as v
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ')'.
-- what is stored is a text like any other
select json_query('{"d":1}') as c into #q
select json_object('k': c) as v from #q
go
--> (1 rows affected)
--> [v:nvarchar(max)]
--> {"k":"{\"d\":1}"}
--> (1 rows affected)
-- errors of texts and paths end the batch and its transaction; a TRY that catches one finds it doomed
begin tran
begin try select json_value(N'{x}', '$.a') as v end try
begin catch select error_number() as n, xact_state() as x end catch
rollback
begin try select json_value(N'{}', cast(null as nvarchar(9))) as v end try
begin catch select error_number() as n end catch
go
--> [v:nvarchar(4000)]
--> [n:int | x:smallint]
--> 13609 | -1
--> (1 rows affected)
--> [v:nvarchar(4000)]
--> [n:int]
--> 8116
--> (1 rows affected)
begin tran
select json_value(N'{x}', '$.a') as v
select 'not reached'
go
--> [v:nvarchar(4000)]
--> Msg 13609, Level 16, State 1, Line 2: JSON text is not properly formatted. Unexpected character 'x' is found at position 1.
select @@trancount as n
go
--> [n:int]
--> 0
--> (1 rows affected)
declare @n int = 1 select json_object('a': case when @n = 1 then json_query('[1]') else N'say "hi"' end, 'b': case when @n = 2 then json_query('[1]') else json_array(2) end) as v
go
--> [v:nvarchar(max)]
--> {"a":"[1]","b":"[2]"}
--> (1 rows affected)
select json_modify('{}', '$."a\u0022b"', 1) as a, json_modify('{}', '$."a\"b"', 1) as b, json_modify('{}', '$."a\u005cb"', 1) as c, json_modify('{}', '$."a' + char(10) + 'b"', 1) as d, isjson(json_modify('{}', '$."a\u0022b"', 1)) as e
go
--> [a:nvarchar(max) | b:nvarchar(max) | c:nvarchar(max) | d:nvarchar(max) | e:int]
--> {"a\u0022b":1} | {"a\"b":1} | {"a\u005cb":1} | {"a\u000ab":1} | 1
--> (1 rows affected)
