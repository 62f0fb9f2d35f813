-- differs secondary: an entry beside rows of a long clustered key is as long as both
-- Keys of indexes whose columns may be longer than a key.
create database wide_keys
go
use wide_keys
set nocount on
go
create table a (v varchar(2000) not null constraint pk_a primary key)
go
--> # Warning! The maximum key length for a clustered index is 900 bytes. The index 'pk_a' has maximum length of 2000 bytes. For some combination of large values, the insert/update operation will fail.
insert a values (replicate('a', 901))
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 901 bytes for the index 'pk_a' exceeds the maximum length of 900 bytes for clustered indexes.
--> # The statement has been terminated.
insert a values (replicate('a', 900))
insert a values ('b')
go
update a set v = replicate('b', 901) where v = 'b'
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 901 bytes for the index 'pk_a' exceeds the maximum length of 900 bytes for clustered indexes.
--> # The statement has been terminated.
insert a select replicate('c', n) from (values (10), (901)) x (n)
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 901 bytes for the index 'pk_a' exceeds the maximum length of 900 bytes for clustered indexes.
--> # The statement has been terminated.
merge a using (values (replicate('d', 950))) s (v) on a.v = s.v when not matched then insert values (v);
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 950 bytes for the index 'pk_a' exceeds the maximum length of 900 bytes for clustered indexes.
--> # The statement has been terminated.
select len(v) as n from a order by v
go
--> [n:int]
--> 900
--> 1
create table b (i int, n nvarchar(900), c varchar(8000), x char(10))
insert b values (1, replicate(N'n', 850), replicate('c', 8000), 'x'), (2, N'n', 'c', 'y'), (3, null, null, null)
go
create index n on b (n)
go
--> # Warning! The maximum key length for a nonclustered index is 1700 bytes. The index 'n' has maximum length of 1800 bytes. For some combination of large values, the insert/update operation will fail.
create index c on b (c)
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 8000 bytes for the index 'c' exceeds the maximum length of 1700 bytes for nonclustered indexes.
create index nx on b (n, x) where i > 1
go
--> # Warning! The maximum key length for a nonclustered index is 1700 bytes. The index 'nx' has maximum length of 1810 bytes. For some combination of large values, the insert/update operation will fail.
insert b values (4, replicate(N'n', 851), 'd', '')
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 1702 bytes for the index 'n' exceeds the maximum length of 1700 bytes for nonclustered indexes.
--> # The statement has been terminated.
update b set n = replicate(N'n', 846) where i = 2
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 1702 bytes for the index 'nx' exceeds the maximum length of 1700 bytes for nonclustered indexes.
--> # The statement has been terminated.
update b set n = replicate(N'n', 845) where i = 2
insert b values (1, replicate(N'm', 850), 'd', '')
select i, len(n) as n from b order by i, n
go
--> [i:int | n:int]
--> 1 | 850
--> 1 | 850
--> 2 | 845
--> 3 | NULL
delete b where i = 1
create index c on b (c)
go
--> # Warning! The maximum key length for a nonclustered index is 1700 bytes. The index 'c' has maximum length of 8000 bytes. For some combination of large values, the insert/update operation will fail.
insert b values (5, '', replicate('c', 1701), '')
go
--> Msg 1946, Level 16, State 1, Line 1: Operation failed. The index entry of length 1701 bytes for the index 'c' exceeds the maximum length of 1700 bytes for nonclustered indexes.
--> # The statement has been terminated.
-- Too long whatever the row.
create table d (a char(901), b char(800))
go
create clustered index ca on d (a)
go
--> Msg 1944, Level 16, State 1, Line 1: Index 'ca' was not created. This index has a key length of at least 901 bytes. The maximum permissible key length is 900 bytes.
create index ab on d (a, b)
create index aba on d (a desc) include (b)
go
--> Msg 1944, Level 16, State 1, Line 1: Index 'ab' was not created. This index has a key length of at least 1701 bytes. The maximum permissible key length is 1700 bytes.
create table e (a char(901) constraint pk_e primary key)
go
--> Msg 1944, Level 16, State 1, Line 1: Index 'pk_e' was not created. This index has a key length of at least 901 bytes. The maximum permissible key length is 900 bytes.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table d add constraint uq_d unique clustered (a)
go
--> Msg 1944, Level 16, State 1, Line 1: Index 'uq_d' was not created. This index has a key length of at least 901 bytes. The maximum permissible key length is 900 bytes.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
create table f (a char(1000), b nchar(500), index ab (a, b))
go
--> Msg 1944, Level 16, State 1, Line 1: Index 'ab' was not created. This index has a key length of at least 2000 bytes. The maximum permissible key length is 1700 bytes.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
-- Of temporary tables and variables.
create table #t (v varchar(1000) not null constraint pk_t primary key)
insert #t values (replicate('a', 900))
insert #t values (replicate('b', 901))
go
--> # Warning! The maximum key length for a clustered index is 900 bytes. The index 'pk_t' has maximum length of 1000 bytes. For some combination of large values, the insert/update operation will fail.
--> Msg 1946, Level 16, State 1, Line 4: Operation failed. The index entry of length 901 bytes for the index 'pk_t' exceeds the maximum length of 900 bytes for clustered indexes.
--> # The statement has been terminated.
declare @t table (v varchar(1000) primary key nonclustered, w varchar(10) unique clustered)
insert @t values (replicate('a', 1000), 'a')
select count(*) as n from @t
go
--> [n:int]
--> 1
declare @t table (v varchar(1000), index ix clustered (v))
insert @t values (replicate('a', 901))
go
--> Msg 1946, Level 16, State 1, Line 2: Operation failed. The index entry of length 901 bytes for the index 'ix' exceeds the maximum length of 900 bytes for clustered indexes.
--> # The statement has been terminated.
-- A column that grows.
create table g (v varchar(100) not null, index ix clustered (v))
alter table g alter column v varchar(1000) not null
insert g values (replicate('a', 901))
go
--> Msg 1946, Level 16, State 1, Line 4: Operation failed. The index entry of length 901 bytes for the index 'ix' exceeds the maximum length of 900 bytes for clustered indexes.
--> # The statement has been terminated.
insert g values (replicate('a', 900))
select len(v) as n from g
go
--> [n:int]
--> 900
dbcc checktable (b) with no_infomsgs
go
