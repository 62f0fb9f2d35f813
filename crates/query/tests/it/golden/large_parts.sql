-- .WRITE on values that lie beyond their records: what it leaves is what the same change of a variable leaves
create table p (id int primary key, c varchar(max) null, n nvarchar(max) null, b varbinary(max) null, s varchar(20) null)
declare @c varchar(max) = replicate(cast('0123456789' as varchar(max)), 5000)
insert p values (1, @c, cast(@c as nvarchar(max)), cast(@c as varbinary(max)), 'one'), (2, @c, @c, 0x01, 'two')
go
--> (2 rows affected)
declare @c varchar(max) = (select c from p where id = 1), @n nvarchar(max) = (select n from p where id = 1), @b varbinary(max) = (select b from p where id = 1)
update p set c.write('append', null, 0), n.write(N'ändern', 20000, 6), b.write(0x0102030405, 10, 5) where id = 1
set @c += 'append'
set @n = stuff(@n, 20001, 6, N'ändern')
set @b = cast(substring(@b, 1, 10) + 0x0102030405 + substring(@b, 16, 100000) as varbinary(max))
select case when c = @c then 'same' end as c, case when n = @n then 'same' end as n, case when b = @b then 'same' end as b, datalength(c) as cl, datalength(n) as nl, datalength(b) as bl, s from p where id = 1
go
--> (1 rows affected)
--> [c:varchar(4) | n:varchar(4) | b:varchar(4) | cl:bigint | nl:bigint | bl:bigint | s:varchar(20)]
--> same | same | same | 50006 | 100000 | 50000 | one
--> (1 rows affected)
-- an insert in the midst, a part that goes, and a part that goes for a longer one
declare @c varchar(max) = (select c from p where id = 1)
update p set c.write('<inserted>', 12345, 0) where id = 1
set @c = stuff(@c, 12346, 0, '<inserted>')
update p set c.write('', 30000, 5000) where id = 1
set @c = stuff(@c, 30001, 5000, '')
update p set c.write(replicate(cast('z' as varchar(max)), 20000), 8096, 10) where id = 1
set @c = stuff(@c, 8097, 10, replicate(cast('z' as varchar(max)), 20000))
select case when c = @c then 'same' end as c, datalength(c) as cl, len(@c) as l from p where id = 1
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [c:varchar(4) | cl:bigint | l:bigint]
--> same | 65006 | 65006
--> (1 rows affected)
-- no value: all behind the offset goes, whatever the length; no length: all behind the offset is replaced; no offset: the end
update p set c.write(null, 40000, 3) where id = 1
update p set n.write(N'tail', 100, null) where id = 1
update p set b.write(0xFF, null, 7) where id = 1
select datalength(c) as cl, datalength(n) as nl, right(n, 8) as tail, datalength(b) as bl, substring(b, 49999, 5) as bytes from p where id = 1
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [cl:bigint | nl:bigint | tail:nvarchar(max) | bl:bigint | bytes:varbinary(max)]
--> 40000 | 208 | 6789tail | 50001 | 0x3839FF
--> (1 rows affected)
-- a length beyond the end stops there; the offset may be the end, and not behind it
update p set c.write('end', 39999, 1000) where id = 1
update p set c.write('.', 40002, 1000) where id = 1
select datalength(c) as cl, right(c, 5) as tail from p where id = 1
update p set c.write('x', 40004, 0) where id = 1
update p set c.write('x', -1, 0) where id = 1
update p set c.write('x', 0, -1) where id = 1
update p set b.write(null, 50002, 0) where id = 1
select datalength(c) as cl, datalength(b) as bl from p where id = 1
go
--> (1 rows affected)
--> (1 rows affected)
--> [cl:bigint | tail:varchar(max)]
--> 40003 | 8end.
--> (1 rows affected)
--> Msg 7116, Level 16, State 1, Line 5: Offset 40004 is not in the range of available LOB data.
--> # The statement has been terminated.
--> Msg 7116, Level 16, State 1, Line 6: Offset -1 is not in the range of available LOB data.
--> # The statement has been terminated.
--> Msg 7135, Level 16, State 1, Line 7: Deletion length -1 is not in the range of available text, ntext, or image data.
--> # The statement has been terminated.
--> Msg 7116, Level 16, State 1, Line 8: Offset 50002 is not in the range of available LOB data.
--> # The statement has been terminated.
--> [cl:bigint | bl:bigint]
--> 40003 | 50001
--> (1 rows affected)
-- down to nothing, and up again
update p set b.write(null, 0, null) where id = 1
select datalength(b) as bl, b, case when b is null then 'null' else 'empty' end as state from p where id = 1
update p set b.write(cast(replicate(cast('q' as varchar(max)), 9000) as varbinary(max)), 0, null) where id = 1
update p set b.write(0xAB, null, null) where id = 1
select datalength(b) as bl, substring(b, 8999, 10) as tail from p where id = 1
go
--> (1 rows affected)
--> [bl:bigint | b:varbinary(max) | state:varchar(5)]
--> 0 | 0x | empty
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [bl:bigint | tail:varbinary(max)]
--> 9001 | 0x7171AB
--> (1 rows affected)
-- other columns of the row change, and values that nobody names stay
update p set s = 'changed', id = 3 where id = 2
update p set s = s + '!' where id = 3
update p set n = N'short' where id = 3
select id, s, n, datalength(c) as cl, left(c, 12) as c from p where id = 3
update p set c = null where id = 3
update p set c.write('x', 0, 0) where id = 3
select id, c from p where id = 3
delete p where id = 3
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | s:varchar(20) | n:nvarchar(max) | cl:bigint | c:varchar(max)]
--> 3 | changed! | short | 50000 | 012345678901
--> (1 rows affected)
--> (1 rows affected)
--> Msg 7133, Level 16, State 1, Line 7: NULL textptr (text, ntext, or image pointer) passed to .WRITE function.
--> # The statement has been terminated.
--> [id:int | c:varchar(max)]
--> 3 | NULL
--> (1 rows affected)
--> (1 rows affected)
-- surrogate pairs stay whole where a part begins and ends with them
update p set n = replicate(cast(N'a😀b' as nvarchar(max)), 5000) where id = 1
update p set n.write(N'X', 1, 2) where id = 1
update p set n.write(N'😀', 4, 2) where id = 1
update p set n.write(N'😀', 2, 1) where id = 1
update p set n.write(N'€', null, null) where id = 1
select datalength(n) as nl, left(n, 8) as head, right(n, 4) as tail from p where id = 1
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [nl:bigint | head:nvarchar(max) | tail:nvarchar(max)]
--> 40002 | aX😀a😀b | 😀b€
--> (1 rows affected)
-- variables and OUTPUT see old and new
declare @old int
update p set @old = datalength(c), c.write('AB', 0, 2) output datalength(deleted.c) as was, left(deleted.c, 3) as b, datalength(inserted.c) as is_now, left(inserted.c, 3) as a where id = 1
select @old as old
update p set c.write('C', 0, 1), s = left(c, 2) where id = 1
select s, left(c, 3) as c from p where id = 1
update p set c.write(left(c, 1), null, null) where left(c, 1) = 'C'
select right(c, 2) as c, datalength(c) as cl from p
go
--> [was:bigint | b:varchar(max) | is_now:bigint | a:varchar(max)]
--> 40003 | 012 | 40003 | AB2
--> (1 rows affected)
--> [old:int]
--> 40003
--> (1 rows affected)
--> (1 rows affected)
--> [s:varchar(20) | c:varchar(max)]
--> AB | CB2
--> (1 rows affected)
--> (1 rows affected)
--> [c:varchar(max) | cl:bigint]
--> .C | 40004
--> (1 rows affected)
-- rollback, savepoint, a statement that fails halfway
begin transaction
update p set c.write('first', null, null) where id = 1
save transaction here
update p set c.write('second', null, null) where id = 1
update p set c.write('third', 100, 5) where id = 1
select right(c, 11) as c, substring(c, 101, 5) as m from p
rollback transaction here
select right(c, 11) as c, substring(c, 101, 5) as m from p
update p set c.write('fourth', null, null) where id = 1
select right(c, 11) as c from p
rollback
select right(c, 5) as c, datalength(c) as cl from p
update p set c.write('fifth', null, null) where id = 1
select right(c, 9) as c, datalength(c) as cl from p
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [c:varchar(max) | m:varchar(max)]
--> firstsecond | third
--> (1 rows affected)
--> [c:varchar(max) | m:varchar(max)]
--> 8end.Cfirst | 01234
--> (1 rows affected)
--> (1 rows affected)
--> [c:varchar(max)]
--> firstfourth
--> (1 rows affected)
--> [c:varchar(max) | cl:bigint]
--> end.C | 40004
--> (1 rows affected)
--> (1 rows affected)
--> [c:varchar(max) | cl:bigint]
--> nd.Cfifth | 40009
--> (1 rows affected)
insert p (id, c) select 10, c from p where id = 1
insert p (id, c) values (11, 'short')
update p set c.write('none', 30000, 0)
select id, datalength(c) as cl, substring(c, 30001, 4) as m from p
update p set c.write('none', 30000, 0) where id <> 11
select id, datalength(c) as cl, substring(c, 30001, 4) as m from p
go
--> (1 rows affected)
--> (1 rows affected)
--> Msg 7116, Level 16, State 1, Line 3: Offset 30000 is not in the range of available LOB data.
--> # The statement has been terminated.
--> [id:int | cl:bigint | m:varchar(max)]
--> 1 | 40009 | 0123
--> 10 | 40009 | 0123
--> 11 | 5 |
--> (3 rows affected)
--> (2 rows affected)
--> [id:int | cl:bigint | m:varchar(max)]
--> 1 | 40013 | none
--> 10 | 40013 | none
--> 11 | 5 |
--> (3 rows affected)
-- checks, computed columns and an index that has the column
create table q (id int primary key, k int, v varchar(max) constraint short_v check (datalength(v) < 20010), w varchar(max) null, head as left(v, 3), size as len(w))
create index by_k on q (k) include (w)
declare @v varchar(max) = replicate(cast('v' as varchar(max)), 20000)
insert q values (1, 10, @v, @v)
update q set v.write('123456789', null, 0), w.write('abc', 5, 3) where id = 1
update q set v.write('0', null, 0) where id = 1
update q set v.write('xyz', 0, 3), w.write('-', null, 0), k = 11 where id = 1
select k, head, size, datalength(v) as vl, right(v, 10) as tail from q
select k, datalength(w) as wl, left(w, 9) as w, right(w, 2) as tail from q with (index (by_k)) where k = 11
go
--> (1 rows affected)
--> (1 rows affected)
--> Msg 547, Level 16, State 0, Line 7: The UPDATE statement conflicted with the CHECK constraint "short_v". The conflict occurred in database "master", table "dbo.q", column 'v'.
--> # The statement has been terminated.
--> (1 rows affected)
--> [k:int | head:varchar(max) | size:bigint | vl:bigint | tail:varchar(max)]
--> 11 | xyz | 20001 | 20009 | v123456789
--> (1 rows affected)
--> [k:int | wl:bigint | w:varchar(max) | tail:varchar(max)]
--> 11 | 20001 | vvvvvabcv | v-
--> (1 rows affected)
-- a trigger is shown whole rows
create table r (id int primary key, v varchar(max))
insert r values (1, replicate(cast('r' as varchar(max)), 10000))
go
--> (1 rows affected)
create trigger seen on r after update as
select datalength(d.v) as was, datalength(i.v) as is_now, left(d.v, 2) as b, left(i.v, 2) as a from inserted i join deleted d on d.id = i.id
go
update r set v.write('R', 0, 1) where id = 1
update r set v.write('.', null, 1) where id = 1
update r set id = 2
drop trigger seen
update r set v.write('S', 0, 1) where id = 2
select id, datalength(v) as vl, left(v, 2) as v from r
go
--> [was:bigint | is_now:bigint | b:varchar(max) | a:varchar(max)]
--> 10000 | 10000 | rr | Rr
--> (1 rows affected)
--> (1 rows affected)
--> [was:bigint | is_now:bigint | b:varchar(max) | a:varchar(max)]
--> 10000 | 10001 | Rr | Rr
--> (1 rows affected)
--> (1 rows affected)
--> [was:bigint | is_now:bigint | b:varchar(max) | a:varchar(max)]
--> (0 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | vl:bigint | v:varchar(max)]
--> 2 | 10001 | Sr
--> (1 rows affected)
-- memory of the batch, and temporary tables without and with a key
declare @t table (id int, v varchar(max), x int)
insert @t values (1, replicate(cast('t' as varchar(max)), 30000), 1), (2, 'small', 2)
update @t set v.write('T', 0, 1), x += 10
update @t set x += 100 where id = 1
select id, x, datalength(v) as vl, left(v, 2) as v from @t
create table #h (id int, v nvarchar(max), x int)
insert #h select id, v, x from @t
begin transaction
update #h set v.write(N'ü', 29000, 1) where id = 1
update #h set v.write(N'end', null, 0), x = 0
select id, x, datalength(v) as vl, right(v, 3) as tail, substring(v, 29001, 1) as m from #h
rollback
update #h set x += 1
select id, x, datalength(v) as vl, right(v, 3) as tail, substring(v, 29001, 1) as m from #h
go
--> (2 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> [id:int | x:int | vl:bigint | v:varchar(max)]
--> 1 | 111 | 30000 | Tt
--> 2 | 12 | 5 | Tm
--> (2 rows affected)
--> (2 rows affected)
--> (1 rows affected)
--> (2 rows affected)
--> [id:int | x:int | vl:bigint | tail:nvarchar(max) | m:nvarchar(max)]
--> 1 | 0 | 60006 | end | ü
--> 2 | 0 | 16 | end |
--> (2 rows affected)
--> (2 rows affected)
--> [id:int | x:int | vl:bigint | tail:nvarchar(max) | m:nvarchar(max)]
--> 1 | 112 | 60000 | ttt | t
--> 2 | 13 | 10 | all |
--> (2 rows affected)
delete #h where id = 1
select id, x, v from #h
go
--> (1 rows affected)
--> [id:int | x:int | v:nvarchar(max)]
--> 2 | 13 | Tmall
--> (1 rows affected)
-- varchar that is UTF-8 counts bytes; half a character is replaced
create table u (id int primary key, v varchar(max) collate Latin1_General_100_CI_AS_SC_UTF8)
insert u values (1, replicate(cast(N'aé' as varchar(max)) collate Latin1_General_100_CI_AS_SC_UTF8, 10000))
update u set v.write('ß', 3, 3) where id = 1
select datalength(v) as vl, left(v, 4) as v from u
update u set v.write('xx', 0, 1) where id = 1
select datalength(v) as vl, left(v, 4) as v from u
update u set v.write('€', null, 0) where id = 1
select datalength(v) as vl, right(v, 3) as v from u
go
--> (1 rows affected)
--> (1 rows affected)
--> [vl:bigint | v:varchar(max)]
--> 29999 | aéßa
--> (1 rows affected)
--> (1 rows affected)
--> [vl:bigint | v:varchar(max)]
--> 30000 | xxéß
--> (1 rows affected)
--> (1 rows affected)
--> [vl:bigint | v:varchar(max)]
--> 30003 | aé€
--> (1 rows affected)
-- walks along long texts: positions, parts and lengths are those of the text as it is now
set nocount on
declare @s varchar(max) = replicate(cast('one,two,' as varchar(max)), 2000), @at int = 0, @last int, @n int = 0, @sum bigint = 0
while 1 = 1
begin
    set @last = @at
    set @at = charindex(',', @s, @at + 1)
    if @at = 0 break
    select @n += 1, @sum += len(substring(@s, @last + 1, @at - @last - 1))
end
select @n as n, @sum as letters, @last as last, len(@s) as l, left(@s, 5) as f, right(@s, 5) as r, patindex('%wo,%', @s) as p
set @s += 'three'
select len(@s) as l, right(@s, 7) as r, charindex('three', @s) as at, charindex('THREE', @s, 16001) as same, charindex('three', @s, 16002) as behind
set @s = stuff(@s, 1, 1, 'é')
select len(@s) as l, left(@s, 3) as f, substring(@s, 15999, 5) as m, charindex(',', @s, 15998) as at
go
--> [n:int | letters:bigint | last:int | l:bigint | f:varchar(max) | r:varchar(max) | p:bigint]
--> 4000 | 12000 | 16000 | 16000 | one,t | ,two, | 6
--> [l:bigint | r:varchar(max) | at:bigint | same:bigint | behind:bigint]
--> 16005 | o,three | 16001 | 16001 | 0
--> [l:bigint | f:varchar(max) | m:varchar(max) | at:bigint]
--> 16005 | éne | o,thr | 16000
declare @s nvarchar(max) = replicate(cast(N'añ😀b,' as nvarchar(max)), 2000), @at int = 0, @last int, @n int = 0, @sum bigint = 0
while 1 = 1
begin
    set @last = @at
    set @at = charindex(N',', @s, @at + 1)
    if @at = 0 break
    select @n += 1, @sum += len(substring(@s, @last + 1, @at - @last - 1))
end
select @n as n, @sum as units, @last as last, len(@s) as l, left(@s, 5) as f, right(@s, 3) as r, patindex(N'%b,%', @s) as p
select charindex(N'B,', @s, 6000) as b, substring(@s, 6001, 6) as part, charindex(N'Ñ' collate Latin1_General_100_CI_AI, @s, 6003) as n, charindex(N'x', @s) as none
select len(@s collate Latin1_General_100_CI_AS_SC) as chars, charindex(N',', @s collate Latin1_General_100_CI_AS_SC, 5000) as at, substring(@s collate Latin1_General_100_CI_AS_SC, 4996, 5) as part
set @s = N'short,'
select len(@s) as l, charindex(N',', @s, 2) as at
go
--> [n:int | units:bigint | last:int | l:bigint | f:nvarchar(max) | r:nvarchar(max) | p:bigint]
--> 2000 | 10000 | 12000 | 12000 | añ😀b | �b, | 5
--> [b:bigint | part:nvarchar(max) | n:bigint | none:bigint]
--> 6005 | añ😀b, | 6008 | 0
--> [chars:bigint | at:bigint | part:nvarchar(max)]
--> 10000 | 5000 | añ😀b,
--> [l:bigint | at:bigint]
--> 6 | 6
