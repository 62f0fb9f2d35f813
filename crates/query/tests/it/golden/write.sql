-- UPDATE … SET column.WRITE(value, offset, length) replaces a part of a large value
create table t (id int primary key, c varchar(max) null, n nvarchar(max) null, b varbinary(max) null, s varchar(20))
insert t values (1, 'The quick fox', N'Grüße an alle', 0x010203, 'short'), (2, null, null, null, 'null')
go
--> (2 rows affected)
update t set c.write('brown ', 10, 0) where id = 1
update t set n.write(N'Welt', 9, null), b.write(0xAABB, 1, 1) where id = 1
select c, n, b from t where id = 1
go
--> (1 rows affected)
--> (1 rows affected)
--> [c:varchar(max) | n:nvarchar(max) | b:varbinary(max)]
--> The quick brown fox | Grüße an Welt | 0x01AABB03
--> (1 rows affected)
update t set c.write(' jumps', null, 0), s = 'also' where id = 1
declare @more varchar(max) = '!', @at bigint = 0, @len bigint = 3
update t set c.write('A', @at, @len) where id = 1
update t set c.write(@more, null, null) output inserted.c, len(deleted.c) as before where id = 1
go
--> (1 rows affected)
--> (1 rows affected)
--> [c:varchar(max) | before:bigint]
--> A quick brown fox jumps! | 23
--> (1 rows affected)
update t set n.write(null, 5, 100) where id = 1
update t set b.write(0xFF, 2, 1000) where id = 1
select n, b, s from t where id = 1
go
--> (1 rows affected)
--> (1 rows affected)
--> [n:nvarchar(max) | b:varbinary(max) | s:varchar(20)]
--> Grüße | 0x01AAFF | also
--> (1 rows affected)
update t set c.write('x', 1000, 0) where id = 1
update t set c.write('x', -1, 0) where id = 1
update t set c.write('x', 0, -1) where id = 1
update t set c.write('x', 0, 0) where id = 2
go
--> Msg 7116, Level 16, State 1, Line 1: Offset 1000 is not in the range of available LOB data.
--> # The statement has been terminated.
--> Msg 7116, Level 16, State 1, Line 2: Offset -1 is not in the range of available LOB data.
--> # The statement has been terminated.
--> Msg 7135, Level 16, State 1, Line 3: Deletion length -1 is not in the range of available text, ntext, or image data.
--> # The statement has been terminated.
--> Msg 7133, Level 16, State 1, Line 4: NULL textptr (text, ntext, or image pointer) passed to .WRITE function.
--> # The statement has been terminated.
update t set s.write('x', 0, 0) where id = 1
go
--> Msg 258, Level 15, State 1, Line 1: Cannot call methods on varchar.
select c from t
go
--> [c:varchar(max)]
--> A quick brown fox jumps!
--> NULL
--> (2 rows affected)
update t set c.write(replicate(cast('y' as varchar(max)), 100000), 1, 1) where id = 1
select len(c) as l, left(c, 3) as l3, right(c, 5) as r5 from t where id = 1
update t set c.write('z', 50000, 40000) where id = 1
select len(c) as l, substring(c, 50000, 3) as m from t where id = 1
go
--> (1 rows affected)
--> [l:bigint | l3:varchar(max) | r5:varchar(max)]
--> 100023 | Ayy | umps!
--> (1 rows affected)
--> (1 rows affected)
--> [l:bigint | m:varchar(max)]
--> 60024 | yzy
--> (1 rows affected)
