-- What conversions take beside constants, and the numbers of their errors.
-- CONVERT with a style that is no constant; TRIM with sides; white space that is numeric; errors of arguments.
-- differs snapshot: the isolation level is one of the options that are shown
declare @style int = 112, @at datetime = '2020-02-03T04:05:06';
select convert(varchar(30), @at, @style) as iso, convert(varchar(30), @at, @style - 11) as us, convert(char(8), @at, 108) as fixed;
select convert(varchar(20), cast(1234567.891 as money), s) as m from (values (0), (1), (2), (null)) v(s);
select convert(varbinary(4), '0x0102', n % 3) as b, try_convert(date, '13/02/2020', 100 + n) as d from (values (1), (3)) v(n);
select try_convert(date, d, s) as tried from (values ('02/13/2020', 101), ('13/02/2020', 101), ('13.02.2020', 104)) v(d, s);
go
--> [iso:varchar(30) | us:varchar(30) | fixed:char(8)]
--> 20200203 | 02/03/2020 | 04:05:06
--> (1 rows affected)
--> [m:varchar(20)]
--> 1234567.89
--> 1,234,567.89
--> 1234567.8910
--> NULL
--> (4 rows affected)
--> [b:varbinary(4) | d:date]
--> 0x0102 | NULL
--> 0x30783031 | 2020-02-13
--> (2 rows affected)
--> [tried:date]
--> 2020-02-13
--> NULL
--> 2020-02-13
--> (3 rows affected)
declare @style int = 101; select convert(date, '13/02/2020', @style);
go
--> [:date]
--> Msg 241, Level 16, State 1, Line 1: Conversion failed when converting date and/or time from character string.
select trim(leading 'x' from 'xxaxx') as l, trim(trailing 'x' from 'xxaxx') as t, trim(both 'x' from 'xxaxx') as b, '[' + trim(leading '  a ') + ']' as blanks;
select trim(leading) as named, trim(both + 'b') as also from (values (' a ', ' c ')) v(leading, both);
go
--> [l:varchar(5) | t:varchar(5) | b:varchar(5) | blanks:varchar(6)]
--> axx | xxa | a | [a ]
--> (1 rows affected)
--> [named:varchar(3) | also:varchar(4)]
--> a | c b
--> (1 rows affected)
select isnumeric(char(9)) as tab, isnumeric(char(13) + '12') as lead, isnumeric('12' + char(9)) as behind, isnumeric(nchar(160)) as nbsp, isnumeric(' ') as blank, isnumeric('') as nothing, isnumeric('\') as sign, isnumeric('¢5') as cent;
go
--> [tab:int | lead:int | behind:int | nbsp:int | blank:int | nothing:int | sign:int | cent:int]
--> 1 | 1 | 0 | 1 | 0 | 0 | 1 | 1
--> (1 rows affected)
select count(null);
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type NULL is invalid for count operator.
select count_big(null) over ();
go
--> Msg 8117, Level 16, State 1, Line 1: Operand data type NULL is invalid for count_big operator.
select count(cast(null as int)) as typed;
go
--> [typed:int]
--> 0
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
exec sp_executesql N'select @a', N'@a int', @a = 'abc';
go
--> Msg 8114, Level 16, State 5, Line 1: Error converting data type varchar to int.
exec sp_rename 'no_such_object', 'x';
go
--> Msg 15225, Level 11, State 1, Line 1: No item by the name of 'no_such_object' could be found in the current database 'master', given that @itemtype was input as '(null)'.
exec sp_rename 'no_such_object', 'x', 'OBJECT';
go
--> Msg 15248, Level 11, State 1, Line 1: Either the parameter @objname is ambiguous or the claimed @objtype (OBJECT) is wrong.
select convert(varchar(40), cast('2020-02-03' as datetime), 130) as page, convert(nvarchar(40), cast('2020-02-03' as datetime), 130) as wide;
select datalength(crypt_gen_random(10)) as bytes, crypt_gen_random(0) as none, case when crypt_gen_random(16) = crypt_gen_random(16) then 'same' else 'other' end as two;
go
--> [page:varchar(40) | wide:nvarchar(40)]
-->  9 ????? ??????? 1441 12:00:00:000AM |  9 جمادى الثانية 1441 12:00:00:000AM
--> (1 rows affected)
--> [bytes:int | none:varbinary(8000) | two:varchar(5)]
--> 10 | NULL | other
--> (1 rows affected)
set nocount on; set dateformat dmy; set lock_timeout 500;
dbcc useroptions with no_infomsgs;
go
--> [Set Option:nvarchar(128) | Value:nvarchar(128)]
--> textsize | 2147483647
--> language | us_english
--> dateformat | dmy
--> datefirst | 7
--> lock_timeout | 500
--> quoted_identifier | SET
--> arithabort | SET
--> ansi_null_dflt_on | SET
--> ansi_warnings | SET
--> ansi_padding | SET
--> ansi_nulls | SET
--> concat_null_yields_null | SET
--> nocount | SET
--> isolation level | read committed
