-- differs parameters: a constant length of LEFT, RIGHT and SUBSTRING is that of its result
-- differs clustered, secondary: an index on a table whose creation is refused is refused too
-- Values beyond a row: (max) values, rows that overflow, in tables, temporary tables and table variables.
create database wide
go
use wide
create table doc (id int not null primary key, title varchar(50), body varchar(max), data varbinary(max))
insert doc values (1, 'small', 'abc', 0x0102)
insert doc values (2, 'large', replicate(cast('x' as varchar(max)), 100000), null)
insert doc values (3, 'both', replicate(cast('yz' as varchar(max)), 50000), cast(replicate(cast('q' as varchar(max)), 20000) as varbinary(max)))
select id, title, len(body) l, datalength(data) d, left(body, 4) lft, right(body, 4) r from doc order by id
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | title:varchar(50) | l:bigint | d:bigint | lft:varchar(max) | r:varchar(max)]
--> 1 | small | 3 | 2 | abc | abc
--> 2 | large | 100000 | NULL | xxxx | xxxx
--> 3 | both | 100000 | 20000 | yzyz | yzyz
--> (3 rows affected)
-- All of it comes back, also through a plan.
select count(*) n from doc where body = replicate(cast('x' as varchar(max)), 100000)
select id from doc where body like 'x%' and len(body) > 10
select sum(len(body)) s, max(len(body)) m from doc
select d.id, e.id from doc d join doc e on d.body = e.body and d.id <= e.id order by d.id
go
--> [n:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [s:bigint | m:bigint]
--> 200003 | 100000
--> (1 rows affected)
--> [id:int | id:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> (3 rows affected)
-- UPDATE of another column leaves the value, of the value replaces it.
update doc set title = 'changed' where id = 2
update doc set body = body + '!' where id = 3
select id, title, len(body) l, right(body, 3) r, datalength(data) d from doc order by id
go
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | title:varchar(50) | l:bigint | r:varchar(max) | d:bigint]
--> 1 | small | 3 | abc | 2
--> 2 | changed | 100000 | xxx | NULL
--> 3 | both | 100001 | yz! | 20000
--> (3 rows affected)
-- OUTPUT sees old and new.
update doc set body = replicate(cast('n' as varchar(max)), 9000) output len(deleted.body) was, len(inserted.body) is_now where id = 2
delete doc output deleted.id, len(deleted.body) l where id = 3
select id, len(body) l from doc
go
--> [was:bigint | is_now:bigint]
--> 100000 | 9000
--> (1 rows affected)
--> [id:int | l:bigint]
--> 3 | 100001
--> (1 rows affected)
--> [id:int | l:bigint]
--> 1 | 3
--> 2 | 9000
--> (2 rows affected)
-- A rollback brings the old value back.
begin tran
update doc set body = 'short' where id = 2
delete doc where id = 1
insert doc values (9, 'new', replicate(cast('r' as varchar(max)), 30000), null)
select id, len(body) l from doc
rollback
select id, len(body) l, left(body, 2) b from doc
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | l:bigint]
--> 2 | 5
--> 9 | 30000
--> (2 rows affected)
--> [id:int | l:bigint | b:varchar(max)]
--> 1 | 3 | ab
--> 2 | 9000 | nn
--> (2 rows affected)
begin tran
save tran a
update doc set body = replicate(cast('1' as varchar(max)), 10000) where id = 2
save tran b
update doc set body = replicate(cast('2' as varchar(max)), 20000) where id = 2
rollback tran b
select len(body) l, left(body, 1) b from doc where id = 2
rollback tran a
commit
select len(body) l, left(body, 1) b from doc where id = 2
go
--> (1 rows affected)
--> (1 rows affected)
--> [l:bigint | b:varchar(max)]
--> 10000 | 1
--> (1 rows affected)
--> [l:bigint | b:varchar(max)]
--> 9000 | n
--> (1 rows affected)
-- A statement that fails leaves nothing.
insert doc values (7, 'x', replicate(cast('k' as varchar(max)), 20000), null), (2, 'twice', replicate(cast('k' as varchar(max)), 20000), null)
go
--> Msg 2627, Level 14, State 1, Line 2: Violation of PRIMARY KEY constraint 'PK__doc__00000000000003E9'. Cannot insert duplicate key in object 'dbo.doc'. The duplicate key value is (2).
--> # The statement has been terminated.
select id from doc
dbcc checktable ('doc') with no_infomsgs
go
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
-- Rows that overflow without (max).
create table big (id int primary key, a varchar(5000), b varchar(5000), c varchar(5000))
insert big values (1, replicate('a', 5000), replicate('b', 5000), replicate('c', 5000))
insert big values (2, replicate('a', 100), replicate('b', 5000), 'c')
update big set c = replicate('d', 4900) where id = 2
select id, len(a) a, len(b) b, len(c) c, right(c, 1) r from big
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | a:int | b:int | c:int | r:varchar(1)]
--> 1 | 5000 | 5000 | 5000 | c
--> 2 | 100 | 5000 | 4900 | d
--> (2 rows affected)
-- Every length around the bound of a record finds a place, beside a long key too.
create table edge (k varchar(800) not null primary key, t varchar(max), u varchar(8000))
create index ix on edge (u) include (t) where u < 'b'
declare @n int = 7150
set nocount on
while @n <= 8100
begin
    insert edge values (replicate('k', 790) + cast(@n as varchar(4)), replicate(cast('t' as varchar(max)), @n), 'a')
    set @n += 19
end
set nocount off
select count(*) n, sum(len(t)) l from edge
select count(*) n, sum(len(t)) l from edge with (index (ix)) where u = 'a' and u < 'b'
update edge set t = t + t
select sum(len(t)) l, min(left(t, 2)) b from edge
dbcc checktable ('edge') with no_infomsgs
go
--> # Warning! The maximum key length for a nonclustered index is 1700 bytes. The index 'ix' has maximum length of 8000 bytes. For some combination of large values, the insert/update operation will fail.
--> [n:int | l:bigint]
--> 51 | 388875
--> (1 rows affected)
--> [n:int | l:bigint]
--> 51 | 388875
--> (1 rows affected)
--> (51 rows affected)
--> [l:bigint | b:varchar(max)]
--> 777750 | tt
--> (1 rows affected)
-- What cannot go out is still too long.
create table fixed (a char(8000), b char(100))
go
--> Msg 1701, Level 16, State 1, Line 2: Creating or altering table 'fixed' failed because the minimum row size would be 8107, including 7 bytes of internal overhead. This exceeds the maximum allowable table row size of 8060 bytes.
-- CHECK, computed columns and DEFAULT see whole values.
create table c (id int, t varchar(max) check (len(t) < 20000), n as len(t), d varchar(max) default (replicate(cast('d' as varchar(max)), 9000)))
insert c (id, t) values (1, replicate(cast('t' as varchar(max)), 19999))
insert c (id, t) values (2, replicate(cast('t' as varchar(max)), 20000))
select id, n, len(d) d from c
go
--> (1 rows affected)
--> Msg 547, Level 16, State 0, Line 4: The INSERT statement conflicted with the CHECK constraint "CK__c__t__000003F1". The conflict occurred in database "wide", table "dbo.c", column 't'.
--> # The statement has been terminated.
--> [id:int | n:bigint | d:bigint]
--> 1 | 19999 | 9000
--> (1 rows affected)
-- Included columns of an index.
create table inc (id int primary key, k int, t varchar(max))
create index ix on inc (k) include (t)
insert inc values (1, 10, replicate(cast('i' as varchar(max)), 30000)), (2, 20, 'short')
select k, len(t) l from inc where k = 10
update inc set t = replicate(cast('j' as varchar(max)), 40000) where k = 20
select k, len(t) l, left(t, 1) b from inc where k = 20
update inc set k = 30 where id = 1
select k, len(t) l, left(t, 1) b from inc where k = 30
delete inc where k = 20
dbcc checktable ('inc') with no_infomsgs
go
--> (2 rows affected)
--> [k:int | l:bigint]
--> 10 | 30000
--> (1 rows affected)
--> (1 rows affected)
--> [k:int | l:bigint | b:varchar(max)]
--> 20 | 40000 | j
--> (1 rows affected)
--> (1 rows affected)
--> [k:int | l:bigint | b:varchar(max)]
--> 30 | 30000 | i
--> (1 rows affected)
--> (1 rows affected)
-- Indexes that are built later, columns that are added.
create table late (id int, t nvarchar(max))
insert late values (1, replicate(cast(N'ж' as nvarchar(max)), 10000)), (2, N'b')
alter table late add n int not null default 5
create clustered index cx on late (id)
create index ix on late (n) include (t)
select id, n, len(t) l, unicode(right(t, 1)) u from late
select n, len(t) l from late with (index (ix)) where n = 5 order by 2
dbcc checktable ('late') with no_infomsgs
go
--> (2 rows affected)
--> [id:int | n:int | l:bigint | u:int]
--> 1 | 5 | 10000 | 1078
--> 2 | 5 | 1 | 98
--> (2 rows affected)
--> [n:int | l:bigint]
--> 5 | 1
--> 5 | 10000
--> (2 rows affected)
truncate table late
select count(*) n from late
insert late values (3, replicate(cast(N'ю' as nvarchar(max)), 9000), 1)
select id, len(t) l, datalength(t) d from late
go
--> [n:int]
--> 0
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | l:bigint | d:bigint]
--> 3 | 9000 | 18000
--> (1 rows affected)
-- Temporary tables and table variables.
create table #t (id int, t varchar(max))
insert #t values (1, replicate(cast('1' as varchar(max)), 10000))
insert #t select 2, replicate(cast('2' as varchar(max)), 20000) union all select 3, 'three'
select id, len(t) l, left(t, 1) b from #t order by id
update #t set t = t + t where id = 1
select len(t) l from #t where id = 1
begin tran
update #t set t = 'gone' where id < 3
delete #t where id = 3
select id, len(t) l from #t order by id
rollback
select id, len(t) l from #t order by id
delete #t where id = 2
truncate table #t
insert #t values (4, replicate(cast('4' as varchar(max)), 9001))
select id, len(t) l from #t
select id, t into #u from #t
select id, len(t) l, right(t, 2) r from #u
create clustered index cx on #u (id)
select id, len(t) l from #u
drop table #t, #u
go
--> (1 rows affected)
--> (2 rows affected)
--> [id:int | l:bigint | b:varchar(max)]
--> 1 | 10000 | 1
--> 2 | 20000 | 2
--> 3 | 5 | t
--> (3 rows affected)
--> (1 rows affected)
--> [l:bigint]
--> 20000
--> (1 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> [id:int | l:bigint]
--> 1 | 4
--> 2 | 4
--> (2 rows affected)
--> [id:int | l:bigint]
--> 1 | 20000
--> 2 | 20000
--> 3 | 5
--> (3 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | l:bigint]
--> 4 | 9001
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | l:bigint | r:varchar(max)]
--> 4 | 9001 | 44
--> (1 rows affected)
--> [id:int | l:bigint]
--> 4 | 9001
--> (1 rows affected)
declare @v table (id int, t nvarchar(max))
insert @v select id, body from doc
insert @v values (77, replicate(cast(N'v' as nvarchar(max)), 12345))
begin tran
update @v set t = t + N'!' where id = 77
rollback
select id, len(t) l from @v order by id
go
--> (2 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | l:bigint]
--> 1 | 3
--> 2 | 9000
--> 77 | 12346
--> (3 rows affected)
-- INSERT … EXEC, OUTPUT … INTO, functions.
create procedure p as select id, body from doc
go
create table got (id int, t varchar(max))
insert got exec p
delete doc output deleted.id, deleted.body into got where id = 2
select id, len(t) l from got order by id, 2
go
--> (2 rows affected)
--> (1 rows affected)
--> [id:int | l:bigint]
--> 1 | 3
--> 2 | 9000
--> 2 | 9000
--> (3 rows affected)
-- MERGE-like changes: FROM, cascades.
update g set t = replicate(cast('m' as varchar(max)), 8500) + d.title from got g join doc d on d.id = g.id
select id, len(t) l, right(t, 5) r from got order by id
go
--> (1 rows affected)
--> [id:int | l:bigint | r:varchar(max)]
--> 1 | 8505 | small
--> 2 | 9000 | nnnnn
--> 2 | 9000 | nnnnn
--> (3 rows affected)
-- Functions of strings stop at 8000 bytes unless a text is (max).
select len(replicate('a', 10000)) a, len(replicate(cast('a' as varchar(max)), 10000)) b
select len(replicate('a', 8000) + replicate('b', 8000)) a, len(cast(replicate('a', 8000) as varchar(max)) + replicate('b', 8000)) b
select len(concat(replicate('a', 8000), replicate('b', 8000))) a, len(concat(cast('' as varchar(max)), replicate('a', 8000), replicate('b', 8000))) b
select len(replace(replicate('a', 5000), 'a', 'bb')) a, len(replace(cast(replicate('a', 5000) as varchar(max)), 'a', 'bb')) b
select len(replicate(N'a', 10000)) a, datalength(replicate(cast(N'a' as nvarchar(max)), 10000)) b
select len(substring(replicate(cast('a' as varchar(max)), 20000), 5, 15000)) a, len(stuff(replicate(cast('a' as varchar(max)), 20000), 1, 10, 'x')) b
select len(upper(replicate(cast('a' as varchar(max)), 20000))) a, len(reverse(replicate(cast('ab' as varchar(max)), 20000))) b, charindex('z', replicate(cast('a' as varchar(max)), 20000) + 'z') c
declare @s varchar(max) = ''
declare @i int = 0
while @i < 12 begin set @s = @s + replicate('s', 1000); set @i += 1 end
select len(@s) l
go
--> [a:int | b:bigint]
--> 8000 | 10000
--> (1 rows affected)
--> [a:int | b:bigint]
--> 8000 | 16000
--> (1 rows affected)
--> [a:int | b:bigint]
--> 8000 | 16000
--> (1 rows affected)
--> [a:int | b:bigint]
--> 8000 | 10000
--> (1 rows affected)
--> [a:int | b:bigint]
--> 4000 | 20000
--> (1 rows affected)
--> [a:bigint | b:bigint]
--> 15000 | 19991
--> (1 rows affected)
--> [a:bigint | b:bigint | c:bigint]
--> 20000 | 40000 | 20001
--> (1 rows affected)
--> [l:bigint]
--> 12000
--> (1 rows affected)
-- Sorting, grouping and distinct of large values.
create table g (t varchar(max))
insert g values (replicate(cast('b' as varchar(max)), 9000)), (replicate(cast('a' as varchar(max)), 9000)), (replicate(cast('b' as varchar(max)), 9000)), (null)
select left(t, 1) f, len(t) l from g order by t
select left(t, 1) f, count(*) n from g group by t order by 2, 1
select count(distinct t) n from g
go
--> (4 rows affected)
--> [f:varchar(max) | l:bigint]
--> NULL | NULL
--> a | 9000
--> b | 9000
--> b | 9000
--> (4 rows affected)
--> [f:varchar(max) | n:int]
--> NULL | 1
--> a | 1
--> b | 2
--> (3 rows affected)
--> [n:int]
--> 2
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
set statistics io on
select id from got where id = 77
select len(t) from got where id = 2
set statistics io off
go
--> [id:int]
--> # Table 'got'. Scan count 1, logical reads 1, physical reads 0, page server reads 0, read-ahead reads 0, page server read-ahead reads 0, lob logical reads 0, lob physical reads 0, lob page server reads 0, lob read-ahead reads 0, lob page server read-ahead reads 0.
--> (0 rows affected)
--> [:bigint]
--> 9000
--> 9000
--> # Table 'got'. Scan count 1, logical reads 1, physical reads 0, page server reads 0, read-ahead reads 0, page server read-ahead reads 0, lob logical reads 6, lob physical reads 0, lob page server reads 0, lob read-ahead reads 0, lob page server read-ahead reads 0.
--> (2 rows affected)
-- Space.
select type_desc, case when used_pages > 1 then 1 else 0 end has_pages from sys.allocation_units a join sys.partitions p on p.hobt_id = a.container_id where p.object_id = object_id('got') order by 1
select case when lob_used_page_count > 1 then 1 else 0 end lob, row_overflow_used_page_count o from sys.dm_db_partition_stats where object_id = object_id('got')
select lob_used_page_count lob, case when row_overflow_used_page_count > 1 then 1 else 0 end o from sys.dm_db_partition_stats where object_id = object_id('big')
select alloc_unit_type_desc, case when page_count > 0 then 1 else 0 end p from sys.dm_db_index_physical_stats(db_id(), object_id('got'), null, null, 'LIMITED')
dbcc checkdb with no_infomsgs
exec sp_spaceused 'late'
go
--> [type_desc:nvarchar(60) | has_pages:int]
--> IN_ROW_DATA | 1
--> LOB_DATA | 1
--> (2 rows affected)
--> [lob:int | o:bigint]
--> 1 | 0
--> (1 rows affected)
--> [lob:bigint | o:int]
--> 0 | 1
--> (1 rows affected)
--> [alloc_unit_type_desc:nvarchar(60) | p:int]
--> IN_ROW_DATA | 1
--> LOB_DATA | 1
--> (2 rows affected)
--> [name:nvarchar(128) | rows:char(20) | reserved:varchar(18) | data:varchar(18) | index_size:varchar(18) | unused:varchar(18)]
--> late | 1 | 288 KB | 48 KB | 64 KB | 176 KB
--> (1 rows affected)
use master
drop database wide
go
