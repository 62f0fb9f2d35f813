-- A key of a sql_variant counts with the bytes that it has.
set nocount on
create table v (a sql_variant constraint pk_v primary key)
go
--> # Warning! The maximum key length for a clustered index is 900 bytes. The index 'pk_v' has maximum length of 8016 bytes. For some combination of large values, the insert/update operation will fail.
insert v values (5)
insert v values (N'five')
insert v values (cast('20200101' as datetime))
select cast(a as nvarchar(30)) as a from v where a = 5
update v set a = 6 where a = 5
select count(*) as n from v where a = 6
go
--> [a:nvarchar(30)]
--> 5
--> [n:int]
--> 1
insert v values (cast(replicate('x', 1000) as varchar(1000)))
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 1008 bytes for the index 'pk_v' exceeds the maximum length of 900 bytes for clustered indexes.
--> # The statement has been terminated.
create table w (a int, b sql_variant)
create index wb on w (b)
go
--> # Warning! The maximum key length for a nonclustered index is 1700 bytes. The index 'wb' has maximum length of 8016 bytes. For some combination of large values, the insert/update operation will fail.
insert w values (1, cast(replicate(N'x', 800) as nvarchar(800))), (2, null)
select a from w where b is null
go
--> [a:int]
--> 2
insert w values (1, cast(replicate(N'x', 900) as nvarchar(900)))
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 1808 bytes for the index 'wb' exceeds the maximum length of 1700 bytes for nonclustered indexes.
--> # The statement has been terminated.
