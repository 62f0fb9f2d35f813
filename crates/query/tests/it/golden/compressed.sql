-- differs parameters: a variable is longer than the text that it holds
-- COMPRESS and DECOMPRESS: what was compressed comes back, in its own bytes
select cast(decompress(compress('abc')) as varchar(max)) as a, cast(decompress(compress(N'αβγ')) as nvarchar(max)) as b, decompress(compress(0x0102)) as c, substring(compress('abc'), 1, 10) as d
select datalength(compress(replicate(cast('a' as varchar(max)), 1000000))) / 10000 as a, datalength(decompress(compress(replicate(cast('a' as varchar(max)), 1000000)))) as b
declare @none varchar(5)
select compress(@none) as a, decompress(cast(null as varbinary(5))) as b, decompress(0x1234) as c, decompress(0x) as d
go
--> [a:varchar(max) | b:nvarchar(max) | c:varbinary(max) | d:varbinary(max)]
--> abc | αβγ | 0x0102 | 0x1F8B0800000000000400
--> (1 rows affected)
--> [a:bigint | b:bigint]
--> 0 | 1000000
--> (1 rows affected)
--> [a:varbinary(max) | b:varbinary(max) | c:varbinary(max) | d:varbinary(max)]
--> NULL | NULL | NULL | NULL
--> (1 rows affected)
select compress(5) as a
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type int is invalid for argument 1 of Compress function.
select decompress('abc') as a
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type varchar is invalid for argument 1 of Decompress function.
-- By a passphrase: each time another value, which the same passphrase opens
declare @sealed varbinary(8000) = encryptbypassphrase('secret', N'text'), @again varbinary(8000) = encryptbypassphrase('secret', N'text')
select iif(@sealed = @again, 1, 0) as same, substring(@sealed, 1, 4) as version, datalength(@sealed) as n
select cast(decryptbypassphrase(N'secret', @sealed) as nvarchar(10)) as a, decryptbypassphrase('Secret', @sealed) as b, decryptbypassphrase('secret', 0x) as c, encryptbypassphrase(null, 'x') as d, encryptbypassphrase('x', null) as e
set @sealed = encryptbypassphrase('secret', 'text', 1, 'row 5')
select cast(decryptbypassphrase('secret', @sealed, 1, 'row 5') as varchar(10)) as a, decryptbypassphrase('secret', @sealed, 1, 'row 6') as b, decryptbypassphrase('secret', @sealed) as c
go
--> [same:int | version:varbinary(4) | n:int]
--> 0 | 0x02000000 | 52
--> (1 rows affected)
--> [a:nvarchar(10) | b:varbinary(8000) | c:varbinary(8000) | d:varbinary(8000) | e:varbinary(8000)]
--> text | NULL | NULL | NULL | NULL
--> (1 rows affected)
--> [a:varchar(10) | b:varbinary(8000) | c:varbinary(8000)]
--> text | NULL | NULL
--> (1 rows affected)
select encryptbypassphrase('secret', 5) as a
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type int is invalid for argument 2 of EncryptByPassPhrase function.
select encryptbypassphrase('secret', 'x', 1) as a
go
--> Msg 174, Level 15, State 1, Line 1: The EncryptByPassPhrase function requires 4 argument(s).
select datalength(encryptbypassphrase('secret', replicate('x', 8000))) as a
go
--> [a:int]
--> Msg 8152, Level 16, State 10, Line 1: String or binary data would be truncated.
-- Keys that are not there
select key_id('k') as a, key_guid('k') as b, key_name(newid()) as c, cert_id('c') as d, certproperty(1, 'Subject') as e, asymkey_id('a') as f, decryptbykey(0x00) as g, encryptbykey(newid(), 'x') as h, is_objectsigned('OBJECT', 1, 'CERTIFICATE', 0x00) as i
go
--> [a:int | b:uniqueidentifier | c:nvarchar(128) | d:int | e:sql_variant | f:int | g:varbinary(8000) | h:varbinary(8000) | i:int]
--> NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL | NULL
--> (1 rows affected)
