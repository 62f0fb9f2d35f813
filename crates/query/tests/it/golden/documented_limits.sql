-- differs parameters: a constant length of LEFT, RIGHT and SUBSTRING is that of its result
-- differs secondary: the indexes of a table that is refused are refused, too
-- Values at their documented ends: cursors that are closed, texts of messages, keys of the session, points without an angle.
declare c cursor static for select 1 union select 2;
open c;
select @@cursor_rows as opened;
close c;
select @@cursor_rows as closed;
open c;
deallocate c;
select @@cursor_rows as deallocated;
declare a cursor static for select 1 union select 2;
declare b cursor static for select 1 union select 2 union select 3;
open a;
open b;
close a;
select @@cursor_rows as of_b;
close b;
select @@cursor_rows as of_none;
go
--> [opened:int]
--> 2
--> (1 rows affected)
--> [closed:int]
--> 0
--> (1 rows affected)
--> [deallocated:int]
--> 0
--> (1 rows affected)
--> [of_b:int]
--> 3
--> (1 rows affected)
--> [of_none:int]
--> 0
--> (1 rows affected)
declare l cursor local static for select 1 union select 2;
open l;
go
select @@cursor_rows as gone_with_its_batch;
go
--> [gone_with_its_batch:int]
--> 0
--> (1 rows affected)
declare @i int = 1;
set context_info @i;
select substring(context_info(), 1, 4) as first, substring(context_info(), 125, 4) as last, datalength(context_info()) as bytes;
declare @b bigint = 258;
set context_info @b;
select substring(context_info(), 1, 8) as first;
set context_info 0x0102;
select substring(context_info(), 1, 4) as first;
go
--> [first:varbinary(4) | last:varbinary(4) | bytes:int]
--> 0x00000001 | 0x00000000 | 128
--> (1 rows affected)
--> [first:varbinary(8)]
--> 0x0000000000000102
--> (1 rows affected)
--> [first:varbinary(4)]
--> 0x01020000
--> (1 rows affected)
declare @k nvarchar(4000) = replicate(N'k', 128);
exec sp_set_session_context @k, 'v';
select session_context(@k) as longest;
declare @l nvarchar(4000) = replicate(N'k', 129);
exec sp_set_session_context @l, 'v';
go
--> [longest:sql_variant]
--> v
--> (1 rows affected)
--> Msg 15666, Level 16, State 1, Line 5: Cannot set key 'kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk' in the session context. The size of the key cannot exceed 256 bytes.
exec sp_set_session_context N'', 'v';
go
--> Msg 15666, Level 16, State 1, Line 1: Cannot set key '' in the session context. The size of the key cannot exceed 256 bytes.
select len(formatmessage(replicate('x', 2047))) as fits, len(formatmessage(replicate('x', 2048))) as cut, right(formatmessage(replicate('x', 3000)), 5) as ends;
declare @s nvarchar(max) = replicate(N'x', 3000);
begin try
    raiserror(@s, 16, 1);
end try
begin catch
    select len(error_message()) as units, right(error_message(), 5) as ends;
end catch
go
--> [fits:int | cut:int | ends:nvarchar(5)]
--> 2047 | 2047 | xx...
--> (1 rows affected)
--> [units:int | ends:nvarchar(5)]
--> 2047 | xx...
--> (1 rows affected)
select atn2(0, 0);
go
--> [:float]
--> Msg 3623, Level 16, State 1, Line 1: An invalid floating point operation occurred.
select cot(0);
go
--> [:float]
--> Msg 3623, Level 16, State 1, Line 1: An invalid floating point operation occurred.
select atn2(0, 1) as east, round(cot(1), 6) as c;
go
--> [east:float | c:float]
--> 0.0 | 0.64209300000000002
--> (1 rows affected)
-- What is written with a slash or a point beside the month's name.
select cast('01/Jan/2021' as datetime) as a, cast('2021/Jan/01' as date) as b, cast('Jan/01/2021' as datetime2(0)) as c, cast('01.Jan.2021' as datetime) as d;
select try_cast('01//Jan/2021' as datetime) as twice, try_cast('/Jan/2021' as datetime) as before, try_cast('01/Jan/' as datetime) as behind;
go
--> [a:datetime | b:date | c:datetime2(0) | d:datetime]
--> 2021-01-01 00:00:00.000 | 2021-01-01 | 2021-01-01 00:00:00 | 2021-01-01 00:00:00.000
--> (1 rows affected)
--> [twice:datetime | before:datetime | behind:datetime]
--> NULL | NULL | NULL
--> (1 rows affected)
declare @d datetime2(3) = '2021-12-12 12:12:12.12345';
select datetrunc(millisecond, @d) as fits;
select datetrunc(microsecond, @d);
go
--> [fits:datetime2(3)]
--> 2021-12-12 12:12:12.123
--> (1 rows affected)
--> [:datetime2(3)]
--> Msg 9810, Level 16, State 1, Line 3: The datepart microsecond is not supported by date function datetrunc for data type datetime2.
select datetrunc(microsecond, cast('2021-12-12 12:12:12' as datetime));
go
--> [:datetime]
--> Msg 9810, Level 16, State 1, Line 1: The datepart microsecond is not supported by date function datetrunc for data type datetime.
select datetrunc(millisecond, cast('2021-12-12 12:12:12' as smalldatetime));
go
--> [:smalldatetime]
--> Msg 9810, Level 16, State 1, Line 1: The datepart millisecond is not supported by date function datetrunc for data type smalldatetime.
select datetrunc(millisecond, cast('2021-12-12 12:12:12 +01:00' as datetimeoffset(2)));
go
--> [:datetimeoffset(2)]
--> Msg 9810, Level 16, State 1, Line 1: The datepart millisecond is not supported by date function datetrunc for data type datetimeoffset.
select datetrunc(second, cast('2021-12-12 12:12:00' as smalldatetime)) as s, datetrunc(millisecond, cast('2020-02-02 02:02:02.003' as datetime)) as d, datetrunc(microsecond, '2021-12-12 12:12:12.1234567') as t;
go
--> [s:smalldatetime | d:datetime | t:datetime2(7)]
--> 2021-12-12 12:12:00 | 2020-02-02 02:02:02.003 | 2021-12-12 12:12:12.1234560
--> (1 rows affected)
create table pkc (c1 int, c2 int not null, c3 as c1 * c2, primary key (c3));
go
--> Msg 1711, Level 16, State 1, Line 1: Cannot define PRIMARY KEY constraint on column 'c3' in table 'pkc'. The computed column has to be persisted and not nullable.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table pkc (c1 int, c3 as isnull(c1, 0) primary key);
insert pkc values (null);
select c3 from pkc;
create table pka (c1 int not null, c3 as c1 * 2);
go
--> (1 rows affected)
--> [c3:int]
--> 0
--> (1 rows affected)
alter table pka add primary key (c3);
go
--> Msg 1711, Level 16, State 1, Line 1: Cannot define PRIMARY KEY constraint on column 'c3' in table 'pka'. The computed column has to be persisted and not nullable.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
begin transaction longname11111111111111111111111111111111111111;
go
--> Msg 103, Level 15, State 4, Line 1: The identifier that starts with 'longname111111111111111111111111' is too long. Maximum length is 32.
begin transaction longname111111111111111111111111;
save transaction longname111111111111111111111112;
rollback transaction longname111111111111111111111111;
select @@trancount as open_now;
go
--> [open_now:int]
--> 0
--> (1 rows affected)
save transaction longname11111111111111111111111111111111111111;
go
--> Msg 103, Level 15, State 4, Line 1: The identifier that starts with 'longname111111111111111111111111' is too long. Maximum length is 32.
create table ti (a tinyint identity, b int);
dbcc checkident (ti, reseed, 256);
go
--> Msg 2560, Level 16, State 9, Line 2: Parameter 3 is incorrect for this DBCC statement.
dbcc checkident (ti, reseed, 254);
insert ti values (1);
select a from ti;
create table tb (a int identity, b int);
dbcc checkident (tb, reseed, 2147483648);
go
--> # Checking identity information: current identity value 'NULL'.
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> (1 rows affected)
--> [a:tinyint]
--> 254
--> (1 rows affected)
--> Msg 2560, Level 16, State 9, Line 5: Parameter 3 is incorrect for this DBCC statement.
select cast(₿100 as money);
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '₿'.
create table td (a int constraint da default 100, b int constraint cb check (b > 0));
select name, object_definition(object_id) as text from sys.default_constraints;
select name, object_definition(object_id) as text from sys.check_constraints;
create table t3 (a int, b int, c int);
alter table t3 drop column b;
alter table t3 add d int;
select columnproperty(object_id('t3'), 'd', 'ordinal') as place, columnproperty(object_id('t3'), 'd', 'ColumnId') as id;
go
--> [name:nvarchar(128) | text:nvarchar(max)]
--> da | ((100))
--> (1 rows affected)
--> [name:nvarchar(128) | text:nvarchar(max)]
--> cb | ([b]>(0))
--> (1 rows affected)
--> [place:int | id:int]
--> 3 | 4
--> (1 rows affected)
exec (N'set datefirst 4');
select @@datefirst as now, date_first from sys.dm_exec_sessions where session_id = @@spid;
go
--> [now:tinyint | date_first:smallint]
--> 7 | 7
--> (1 rows affected)
