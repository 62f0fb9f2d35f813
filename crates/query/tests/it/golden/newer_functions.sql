-- Base64, as the manual has it
select base64_decode('qQ==') as a, base64_decode('yv7K/g==') as b, base64_decode('yv7K_g') as c, base64_encode(0xCAFECAFE) as d, base64_encode(0xCAFECAFE, 1) as e, base64_encode(0x) as f, base64_decode(cast(null as varchar(4))) as g
go
--> [a:varbinary(8000) | b:varbinary(8000) | c:varbinary(8000) | d:varchar(8) | e:varchar(8) | f:varchar(4) | g:varbinary(8000)]
--> 0xA9 | 0xCAFECAFE | 0xCAFECAFE | yv7K/g== | yv7K_g |  | NULL
--> (1 rows affected)
select base64_decode('qQ!!') as a
go
--> [a:varbinary(8000)]
--> Msg 9803, Level 16, State 20, Line 1: Invalid data for type "Base64Decode".
select base64_decode('qQ===') as a
go
--> [a:varbinary(8000)]
--> Msg 9803, Level 16, State 23, Line 1: Invalid data for type "Base64Decode".
select base64_decode('qQabc') as a
go
--> [a:varbinary(8000)]
--> Msg 9803, Level 16, State 21, Line 1: Invalid data for type "Base64Decode".
-- Characters by their numbers
select unistr(N'Hello! \D83D\DE00') as a, unistr(N'Hello! \+01F600') as b, unistr(N'ABC#00C0#0181#0187', '#') as c, unistr(N'a\\b') as d
go
--> [a:nvarchar(17) | b:nvarchar(15) | c:nvarchar(18) | d:nvarchar(4)]
--> Hello! 😀 | Hello! 😀 | ABCÀƁƇ | a\b
--> (1 rows affected)
select unistr(N'\12') as a
go
--> [a:nvarchar(3)]
--> Msg 9838, Level 16, State 1, Line 1: Invalid Unicode escape sequence in the argument of unistr.
-- How near texts are
select edit_distance('kitten', 'sitting') as a, edit_distance('Colour', 'Color') as b, edit_distance('abc', null) as c, edit_distance('kitten', 'sitting', 2) as d, edit_distance_similarity('Colour', 'Color') as e, jaro_winkler_similarity('MARTHA', 'MARHTA') as f
go
--> [a:int | b:int | c:int | d:int | e:int | f:int]
--> 3 | 1 | NULL | 3 | 83 | 96
--> (1 rows affected)
select edit_distance(1, 'a') as a
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type int is invalid for argument 1 of edit_distance function.
-- Facts of the session, and of what a database has
select current_request_id() as a, iif(current_transaction_id() > 0, 1, 0) as b, getansinull() as c, getansinull('master') as d, getansinull('nowhere') as e, @@remserver as f, iif(current_date = cast(getdate() as date), 1, 0) as g
select filegroup_id('primary') as a, filegroup_id('x') as b, filegroup_name(1) as c, filegroup_name(2) as d, filegroupproperty('PRIMARY', 'IsDefault') as e, filegroupproperty('PRIMARY', 'IsReadOnly') as f, filegroupproperty('PRIMARY', 'x') as g, filegroupproperty('x', 'IsDefault') as h
create type dbo.phone from varchar(20) not null
select typeproperty('tinyint', 'PRECISION') as a, typeproperty('decimal', 'Scale') as b, typeproperty('varchar', 'UsesAnsiTrim') as c, typeproperty('int', 'UsesAnsiTrim') as d, typeproperty('dbo.phone', 'Precision') as e, typeproperty('dbo.phone', 'AllowsNull') as f, typeproperty('dbo.phone', 'OwnerId') as g, typeproperty('xml', 'Precision') as h, typeproperty('nothing', 'Precision') as i, typeproperty('int', 'x') as j
begin transaction
declare @first bigint = current_transaction_id()
select iif(@first = current_transaction_id(), 1, 0) as same
commit
go
--> [a:smallint | b:int | c:int | d:int | e:int | f:nvarchar(128) | g:int]
--> 0 | 1 | 1 | 1 | NULL | NULL | 1
--> (1 rows affected)
--> [a:int | b:int | c:nvarchar(128) | d:nvarchar(128) | e:int | f:int | g:int | h:int]
--> 1 | NULL | PRIMARY | NULL | 1 | 0 | NULL | NULL
--> (1 rows affected)
--> [a:int | b:int | c:int | d:int | e:int | f:int | g:int | h:int | i:int | j:int]
--> 3 | 38 | 1 | NULL | 20 | 0 | 1 | -1 | NULL | NULL
--> (1 rows affected)
--> [same:int]
--> 1
--> (1 rows affected)
select sql_variant_property(current_timezone_id(), 'BaseType') as a, iif(current_timezone() like '(UTC%) %', 1, 0) as b, iif(exists (select * from sys.time_zone_info where name = current_timezone_id()), 1, 0) as c
go
--> [a:sql_variant | b:int | c:int]
--> varchar | 1 | 1
--> (1 rows affected)
