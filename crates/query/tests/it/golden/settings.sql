-- differs variables: names of tables are in messages
-- SET options and what they mean
create table t (a int null, b varchar(5) null, c tinyint null)
insert t values (null, null, null), (1, 'x', 1), (2, 'y', 2)
go
--> (3 rows affected)
-- ANSI_NULLS OFF: a NULL that is written or in a variable equals NULL
set ansi_nulls off
go
declare @n int, @one int = 1
select count(*) as n from t where a = null
select count(*) as n from t where a <> null
select count(*) as n from t where a = @n
select count(*) as n from t where a <> @n
select count(*) as n from t where not a = @n
select count(*) as n from t where a <> @one
select count(*) as n from t where a in (null, 2)
select count(*) as n from t where a not in (null, 2)
select count(*) as n from t x join t y on x.a = y.a
select case null when null then 'same' else 'other' end as a, case when @n = @n then 1 else 0 end as b, case when @n > null then 1 else 0 end as c
if null = null print 'equal'
go
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> [a:varchar(5) | b:int | c:int]
--> same | 1 | 0
--> (1 rows affected)
--> # equal
create view v as select a from t where a = null
go
create function f (@a int) returns int as begin return case when @a = null then 1 else 0 end end
go
create procedure p @a int as
begin
    set ansi_nulls on
    select count(*) as n from t where a = @a
end
go
set ansi_nulls on
go
declare @n int
select count(*) as n from t where a = @n
select count(*) as n from t where a = null
-- modules keep what they were made with
select count(*) as n from v
select dbo.f(null) as f
exec p null
select sessionproperty('ansi_nulls') as ansi_nulls
go
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [f:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [ansi_nulls:sql_variant]
--> 1
--> (1 rows affected)
-- the same text again, bound in another way
create procedure again as select count(*) as n from t where b + null is not null
go
exec again
set concat_null_yields_null off
exec again
select 'a' + null as a, null + N'b' as b, b + 'z' as c from t order by a
declare @s varchar(10)
set @s += 'tail'
select @s as s, null + 1 as number
set concat_null_yields_null on
exec again
select 'a' + null as a
go
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 3
--> (1 rows affected)
--> [a:varchar(2) | b:nvarchar(2) | c:varchar(6)]
--> a | b | z
--> a | b | xz
--> a | b | yz
--> (3 rows affected)
--> [s:varchar(10) | number:int]
--> tail | NULL
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [a:varchar(2)]
--> NULL
--> (1 rows affected)
-- ANSI_WARNINGS: NULLs that aggregates leave out are told once
select sum(a) as s, max(a) as m, count(b) as n from t
select count(*) as n, count(distinct c) as d, count(distinct a) as e from t
select sum(a) over (partition by c) as s from t where a is null
declare @m int = (select max(a) from t)
select sum(a) as s from t where a is not null
select string_agg(b, ',') as l from t
if exists (select max(a) from t having max(a) = 2) print 'two'
set ansi_warnings off
select sum(a) as s, max(a) as m, count(b) as n from t
insert t (b) values ('too long by far')
update t set b = 'also too long' where a = 2
set ansi_warnings on
select b from t order by b
insert t (b) values ('too long by far')
go
--> [s:int | m:int | n:int]
--> 3 | 2 | 2
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [n:int | d:int | e:int]
--> 3 | 2 | 2
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [s:int]
--> NULL
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [s:int]
--> 3
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [l:varchar(8000)]
--> x,y
--> (1 rows affected)
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> # two
--> [s:int | m:int | n:int]
--> 3 | 2 | 2
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [b:varchar(5)]
--> NULL
--> also
--> too l
--> x
--> (4 rows affected)
--> Msg 2628, Level 16, State 1, Line 15: String or binary data would be truncated in table 'master.dbo.t', column 'b'. Truncated value: 'too l'.
--> # The statement has been terminated.
delete t where a is null and b is not null
update t set b = 'y' where a = 2
go
--> (1 rows affected)
--> (1 rows affected)
-- ARITHABORT counts where ANSI_WARNINGS is OFF
set arithabort off
select 1 / 0 as a
set ansi_warnings off
go
--> [a:int]
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
select 1 / 0 as a, 10 / (a - 1) as b from t order by a
select cast(300 as tinyint) as t, sqrt(-1) as s, 2147483647 + 1 as i
insert t (c) values (300)
select sum(a) as s from (values (2147483647), (1)) x (a)
if 1 / 0 = 1 print 'yes' else print 'no'
select cast('x' as int) as n
set arithignore on
select 1 / 0 as a
set arithignore off
go
--> [a:int | b:int]
--> NULL | NULL
--> NULL | NULL
--> NULL | 10
--> # Division by zero occurred.
--> (3 rows affected)
--> [t:tinyint | s:float | i:int]
--> NULL | NULL | NULL
--> # Arithmetic overflow occurred.
--> # Warning: An invalid floating point operation occurred.
--> (1 rows affected)
--> # Arithmetic overflow occurred.
--> (1 rows affected)
--> [s:int]
--> NULL
--> # Arithmetic overflow occurred.
--> (1 rows affected)
--> # Division by zero occurred.
--> # no
--> [n:int]
--> Msg 245, Level 16, State 1, Line 6: Conversion failed when converting the varchar value 'x' to data type int.
set arithabort on
begin transaction
select 1 / 0 as a
print 'never'
go
--> [a:int]
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
select @@trancount as trancount
set ansi_warnings on
go
--> [trancount:int]
--> 0
--> (1 rows affected)
-- NUMERIC_ROUNDABORT
set numeric_roundabort on
go
declare @d decimal(5, 1)
set @d = 1.50
select @d as d
set @d = 1.55
select @d as d
go
--> [d:decimal(5,1)]
--> 1.5
--> (1 rows affected)
--> Msg 8115, Level 16, State 7, Line 4: Arithmetic overflow error converting numeric to data type numeric.
--> [d:decimal(5,1)]
--> 1.5
--> (1 rows affected)
create table #d (d decimal(5, 1))
insert #d values (1.5)
insert #d values (1.55)
select cast(1.25 as decimal(5, 1)) as d
select cast(d / 3 as decimal(5, 1)) as d from #d
set numeric_roundabort off
insert #d values (1.55)
select d from #d order by d
go
--> (1 rows affected)
--> Msg 8115, Level 16, State 7, Line 3: Arithmetic overflow error converting numeric to data type numeric.
--> # The statement has been terminated.
--> [d:decimal(5,1)]
--> Msg 8115, Level 16, State 7, Line 4: Arithmetic overflow error converting numeric to data type numeric.
--> [d:decimal(5,1)]
--> 0.5
--> (1 rows affected)
--> (1 rows affected)
--> [d:decimal(5,1)]
--> 1.5
--> 1.6
--> (2 rows affected)
-- ANSI_PADDING is kept with a column
set ansi_padding off
create table w (a varchar(10), b varbinary(10), c char(5) not null, n nvarchar(10))
create table #w (a varchar(10))
set ansi_padding on
create table k (a varchar(10))
insert w values ('a  ', 0x0100, 'c', N'n  ')
insert #w values ('b  ')
insert k values ('a  ')
update w set a = a + 'z  '
insert w select a, b, 'd', N'm ' from w
insert #w select a from k
select datalength(a) as a, datalength(b) as b, datalength(c) as c, datalength(n) as n from w
select datalength(a) as a from #w
select datalength(a) as a from k
select name, is_ansi_padded from sys.columns where object_id = object_id('w') order by column_id
select columnproperty(object_id('w'), 'a', 'UsesAnsiTrim') as trims, columnproperty(object_id('k'), 'a', 'UsesAnsiTrim') as pads
set ansi_padding off
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [a:int | b:int | c:int | n:int]
--> 2 | 1 | 5 | 6
--> 2 | 1 | 5 | 4
--> (2 rows affected)
--> [a:int]
--> 1
--> 1
--> (2 rows affected)
--> [a:int]
--> 3
--> (1 rows affected)
--> [name:nvarchar(128) | is_ansi_padded:bit]
--> a | 0
--> b | 0
--> c | 1
--> n | 1
--> (4 rows affected)
--> [trims:int | pads:int]
--> 0 | 1
--> (1 rows affected)
create table x (a char(5) null)
go
--> Msg 40517, Level 16, State 1, Line 1: A char or binary column that allows NULL, made under SET ANSI_PADDING OFF, is not supported in this version of Millpond.
set ansi_padding on
go
-- QUOTED_IDENTIFIER counts when a text is parsed, from its place on
select 1 as "a" set quoted_identifier off select "b" as c
go
--> [a:int]
--> 1
--> (1 rows affected)
--> [c:varchar(1)]
--> b
--> (1 rows affected)
select "text" as t, sessionproperty('quoted_identifier') as q
go
--> [t:varchar(4) | q:sql_variant]
--> text | 0
--> (1 rows affected)
create procedure quotes as select "x" as a
go
if 1 = 0 set quoted_identifier on
select 1 as "name"
go
--> [name:int]
--> 1
--> (1 rows affected)
exec quotes
select objectproperty(object_id('quotes'), 'ExecIsQuotedIdentOn') as q
go
--> [a:varchar(1)]
--> x
--> (1 rows affected)
--> [q:int]
--> 0
--> (1 rows affected)
-- TEXTSIZE cuts results alone
set textsize 5
select cast('abcdefghij' as varchar(max)) as v, cast('abcdefghij' as nvarchar(max)) as n, cast(0x01020304050607 as varbinary(max)) as b, 'abcdefghij' as plain
declare @v varchar(max) = 'abcdefghij'
select len(@v) as l, @v as v
set textsize 0
select @@textsize as s, len(replicate(cast('x' as varchar(max)), 5000)) as l
set textsize 2147483647
go
--> [v:varchar(max) | n:nvarchar(max) | b:varbinary(max) | plain:varchar(10)]
--> abcde | ab | 0x0102030405 | abcdefghij
--> (1 rows affected)
--> [l:bigint | v:varchar(max)]
--> 10 | abcde
--> (1 rows affected)
--> [s:int | l:bigint]
--> 4096 | 5000
--> (1 rows affected)
-- nullability of new columns
set ansi_null_dflt_off on
create table #n (a int)
insert #n values (null)
select @@options & 3072 as o
set ansi_null_dflt_on on
select @@options & 3072 as o
create table #m (a int)
insert #m values (null)
set ansi_null_dflt_on off
create table #o (a int)
insert #o values (null)
set ansi_null_dflt_on on
go
--> Msg 515, Level 16, State 2, Line 4: Cannot insert the value NULL into column 'a', table 'tempdb.dbo.#n'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> [o:int]
--> 2048
--> (1 rows affected)
--> [o:int]
--> 1024
--> (1 rows affected)
--> (1 rows affected)
--> Msg 515, Level 16, State 2, Line 12: Cannot insert the value NULL into column 'a', table 'tempdb.dbo.#o'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
-- IMPLICIT_TRANSACTIONS
set implicit_transactions on
begin transaction
select @@trancount as n
rollback
select 1 as one
select @@trancount as n
declare c cursor local for select a from t where a is null
select @@trancount as n
open c
select @@trancount as n
commit
fetch c
select @@trancount as n
rollback
insert t (a) values (9)
begin transaction
select @@trancount as n
rollback
set implicit_transactions off
go
--> [n:int]
--> 2
--> (1 rows affected)
--> [one:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> [a:int]
--> NULL
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
--> (1 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
-- CURSOR_CLOSE_ON_COMMIT
set cursor_close_on_commit on
begin transaction
declare d cursor local for select a from t where a is null
open d
commit
fetch d
open d
begin transaction
rollback
fetch d
set cursor_close_on_commit off
open d
begin transaction
commit
fetch d
go
--> Msg 16917, Level 16, State 2, Line 7: Cursor is not open.
--> Msg 16917, Level 16, State 2, Line 11: Cursor is not open.
--> [a:int]
--> NULL
--> (1 rows affected)
set arithignore on
select @@options & 128 as o
set arithignore off
set nosuch on
go
--> [o:int]
--> 128
--> (1 rows affected)
--> Msg 195, Level 15, State 7, Line 4: 'nosuch' is not a recognized SET option.
