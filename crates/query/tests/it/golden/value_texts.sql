-- values of large texts, separators, checksums of all columns, formats of messages
select datalength(cast(replicate('a', 100) as text)) as text, datalength(cast(replicate(N'a', 100) as ntext)) as ntext, datalength(cast(replicate(cast(0x41 as varbinary(8000)), 100) as image)) as image
select datalength(convert(text, replicate('a', 9000))) as text, datalength(convert(national text, replicate('b', 40))) as ntext, datalength(cast(replicate('a', 100) as varchar)) as varchar, datalength(cast(replicate('a', 100) as nvarchar)) as nvarchar, datalength(cast(0x00 as binary)) as binary
select cast(cast(0x41 as nvarchar) as varbinary) as odd, cast(cast(0x414243 as nchar(2)) as varbinary(4)) as three
go
--> [text:bigint | ntext:bigint | image:bigint]
--> 100 | 200 | 100
--> (1 rows affected)
--> [text:bigint | ntext:bigint | varchar:int | nvarchar:int | binary:int]
--> 8000 | 80 | 30 | 60 | 30
--> (1 rows affected)
--> [odd:varbinary(30) | three:varbinary(4)]
--> 0x4100 | 0x41424300
--> (1 rows affected)
select cast('5' as foo)
go
--> Msg 243, Level 16, State 1, Line 1: Type foo is not a defined system type.
select try_cast('5' as dbo.foo)
go
--> Msg 243, Level 16, State 1, Line 1: Type dbo.foo is not a defined system type.
select case when 'a' like 'a' escape 'xx' then 1 else 0 end
go
--> [:int]
--> Msg 506, Level 16, State 1, Line 1: The invalid escape character "xx" was specified in a LIKE predicate.
declare @s varchar(5) = '; '
select string_agg(a, char(44)) as joined, string_agg(a, @s) as by_variable, string_agg(a, char(59) + ' ') as by_two, string_agg(a, upper(@s)) as by_call, string_agg(a, cast('-' as varchar(3))) as by_cast from (values ('x'), ('y')) t (a)
select g, string_agg(cast(b as varchar(10)), char(43)) within group (order by b desc) as sums from (values (1, 10), (2, 20), (1, 30)) t (g, b) group by g order by g
go
--> [joined:varchar(8000) | by_variable:varchar(8000) | by_two:varchar(8000) | by_call:varchar(8000) | by_cast:varchar(8000)]
--> x,y | x; y | x; y | x; y | x-y
--> (1 rows affected)
--> [g:int | sums:varchar(8000)]
--> 1 | 30+10
--> 2 | 20
--> (2 rows affected)
select string_agg(a, a) from (values ('x'), ('y')) t (a)
go
--> Msg 8733, Level 16, State 1, Line 1: Separator parameter for STRING_AGG must be a string literal or variable.
select string_agg(a, (select ',')) from (values ('x'), ('y')) t (a)
go
--> Msg 8733, Level 16, State 1, Line 1: Separator parameter for STRING_AGG must be a string literal or variable.
create table sums (a int not null, b varchar(10) null, c datetime not null)
insert sums values (1, 'one', '2024-01-02'), (2, null, '2024-01-02'), (1, 'ONE', '2024-01-02')
select case when checksum(*) = checksum(a, b, c) then 'same' else 'differ' end as c, case when binary_checksum(*) = binary_checksum(a, b, c) then 'same' else 'differ' end as b from sums
select count(distinct checksum(*)) as two, count(distinct binary_checksum(*)) as three from sums
select count(*) from sums where checksum(*) = (select checksum(a, b, c) from sums where a = 2)
select case when checksum(*) = checksum(s.a, s.b, s.c, t.n) then 'same' else 'differ' end as joined from sums s cross join (values (7)) t (n) where s.a = 2
create table papers (a int not null, x xml null)
insert papers values (5, '<a/>')
select case when binary_checksum(*) = binary_checksum(a) then 'same' else 'differ' end as b from papers
go
--> (3 rows affected)
--> [c:varchar(6) | b:varchar(6)]
--> same | same
--> same | same
--> same | same
--> (3 rows affected)
--> [two:int | three:int]
--> 2 | 3
--> (1 rows affected)
--> [:int]
--> 1
--> (1 rows affected)
--> [joined:varchar(6)]
--> same
--> (1 rows affected)
--> (1 rows affected)
--> [b:varchar(6)]
--> same
--> (1 rows affected)
select checksum(*) from papers
go
--> Msg 305, Level 16, State 1, Line 1: The XML data type cannot be compared or sorted, except when using the IS NULL operator.
select checksum(*)
go
--> Msg 263, Level 16, State 1, Line 1: Must specify table to select from.
select len(*) from papers
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '*'.
-- formats
select formatmessage('[%d|%5d|%-5d|%05d|%+d|% d|%i]', 42, 42, 42, 42, 42, 42, -42) as signed
select formatmessage('[%+d|%#x|%#X|%#o|%x|%X|%o|%u]', 5, 255, 255, 8, 255, 255, 8, -1) as based
select formatmessage('[%#x|%#o|%08x|%#8x|%-#8x|%.4x]', 0, 0, 255, 255, 255, 255) as zeros
select formatmessage('[%s|%7.3s|%-7.3s|%.2s|%7s|%-7s]', 'abcde', 'abcde', 'abcde', 'abcde', 'abcde', 'abcde') as texts
select formatmessage('[%*d|%-*d|%*.*s|%*s]', 6, 42, 6, 42, 7, 3, 'abcde', -7, 'abc') as stars
select formatmessage('[%.4d|%8.4d|%-8.4d|%08.4d|%+.3d]', 42, 42, 42, 42, 42) as digits
select formatmessage('[%I64d|%I64d|%hd|%ld|%I64x]', 3000000000, cast(-9223372036854775807 as bigint), 65537, 7, cast(4294967296 as bigint)) as sizes
select formatmessage('100%% of %s', 'it') as whole, formatmessage('%s and %d', null, null) as nulls, formatmessage('%s and %s', 'one') as missing
go
--> [signed:nvarchar(2048)]
--> [42|   42|42   |00042|+42| 42|-42]
--> (1 rows affected)
--> [based:nvarchar(2048)]
--> [+5|0xff|0XFF|010|ff|FF|10|4294967295]
--> (1 rows affected)
--> [zeros:nvarchar(2048)]
--> [0|0|000000ff|    0xff|0xff    |00ff]
--> (1 rows affected)
--> [texts:nvarchar(2048)]
--> [abcde|    abc|abc    |ab|  abcde|abcde  ]
--> (1 rows affected)
--> [stars:nvarchar(2048)]
--> [    42|42    |    abc|abc    ]
--> (1 rows affected)
--> [digits:nvarchar(2048)]
--> [0042|    0042|0042    |    0042|+042]
--> (1 rows affected)
--> [sizes:nvarchar(2048)]
--> [3000000000|-9223372036854775807|1|7|100000000]
--> (1 rows affected)
--> [whole:nvarchar(2048) | nulls:nvarchar(2048) | missing:nvarchar(2048)]
--> 100% of it | (null) and (null) | one and (null)
--> (1 rows affected)
select formatmessage('%d', 'abc')
go
--> [:nvarchar(2048)]
--> Msg 2786, Level 16, State 1, Line 1: The data type of substitution parameter 1 does not match the expected type of the format specification.
select formatmessage('%s and %s', 'a', 5)
go
--> [:nvarchar(2048)]
--> Msg 2786, Level 16, State 1, Line 1: The data type of substitution parameter 2 does not match the expected type of the format specification.
select formatmessage('%q', 5)
go
--> [:nvarchar(2048)]
--> Msg 2787, Level 16, State 1, Line 1: Invalid format specification: '%q'.
select formatmessage('ends with %5', 5)
go
--> [:nvarchar(2048)]
--> Msg 2787, Level 16, State 1, Line 1: Invalid format specification: '%5'.
select formatmessage('%*d', 'x', 5)
go
--> [:nvarchar(2048)]
--> Msg 2786, Level 16, State 1, Line 1: The data type of substitution parameter 1 does not match the expected type of the format specification.
raiserror('<%*.*s> %#x %+d %-10s| %I64d', 10, 1, 7, 3, 'abcde', 255, 5, 'left', 7)
raiserror('<<%7.3s>>', 10, 1, N'abcde')
print 0x4142
print cast(0x00ff as varbinary(10))
go
--> # <    abc> 0xff +5 left      | 7
--> # <<    abc>>
--> # 0x4142
--> # 0x00FF
-- A NULL is no escape character.
declare @none char(1) = null
select case when 'abc' like 'a%' escape null then 1 else 0 end a, case when 'a%' like 'a[%]' escape @none then 1 else 0 end b,
    case when 'abc' not like 'b%' escape @none then 1 else 0 end c
go
--> [a:int | b:int | c:int]
--> 1 | 1 | 1
--> (1 rows affected)
