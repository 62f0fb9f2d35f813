-- differs spills: numbers are given in the order in which rows come
-- rowversion: a new value at each change, never one of the user's.
create database rows_of
go
use rows_of
set nocount on
create table t (id int primary key, v int, rv rowversion)
select @@dbts as before, min_active_rowversion() as least
insert t (id, v) values (1, 1), (2, 2)
insert t values (3, 3, default)
select * from t
update t set v = 10 where id = 1
update t set v = v where id = 2
select id, v, rv, cast(rv as bigint) as n from t order by rv
select id from t where rv > 0x00000000000007D3 order by id
select @@dbts as last, min_active_rowversion() as least
begin tran
insert t (id) values (4)
update t set v = 0 where id = 4
select min_active_rowversion() as least, @@dbts as last
rollback
select min_active_rowversion() as least, @@dbts as last
update t set v = 4 output inserted.rv, deleted.rv where id = 3
merge t using (values (3, 5), (6, 6)) s (id, v) on t.id = s.id when matched then update set v = s.v when not matched then insert (id, v) values (id, v) output $action, inserted.rv;
go
--> [before:binary(8) | least:binary(8)]
--> 0x00000000000007D0 | 0x00000000000007D1
--> [id:int | v:int | rv:timestamp]
--> 1 | 1 | 0x00000000000007D1
--> 2 | 2 | 0x00000000000007D2
--> 3 | 3 | 0x00000000000007D3
--> [id:int | v:int | rv:timestamp | n:bigint]
--> 3 | 3 | 0x00000000000007D3 | 2003
--> 1 | 10 | 0x00000000000007D4 | 2004
--> 2 | 2 | 0x00000000000007D5 | 2005
--> [id:int]
--> 1
--> 2
--> [last:binary(8) | least:binary(8)]
--> 0x00000000000007D5 | 0x00000000000007D6
--> [least:binary(8) | last:binary(8)]
--> 0x00000000000007D6 | 0x00000000000007D7
--> [least:binary(8) | last:binary(8)]
--> 0x00000000000007D8 | 0x00000000000007D7
--> [rv:timestamp | rv:timestamp]
--> 0x00000000000007D8 | 0x00000000000007D3
--> [$action:nvarchar(10) | rv:timestamp]
--> UPDATE | 0x00000000000007D9
--> INSERT | 0x00000000000007DA
insert t (id, rv) values (9, 0x01)
go
--> Msg 273, Level 16, State 1, Line 1: Cannot insert an explicit value into a timestamp column. Use INSERT with a column list to exclude the timestamp column, or insert a DEFAULT into the timestamp column.
insert t values (9, 9, null)
go
--> Msg 273, Level 16, State 1, Line 1: Cannot insert an explicit value into a timestamp column. Use INSERT with a column list to exclude the timestamp column, or insert a DEFAULT into the timestamp column.
insert t select 9, 9, 0x01
go
--> Msg 273, Level 16, State 1, Line 1: Cannot insert an explicit value into a timestamp column. Use INSERT with a column list to exclude the timestamp column, or insert a DEFAULT into the timestamp column.
update t set rv = 0x01
go
--> Msg 272, Level 16, State 1, Line 1: Cannot update a timestamp column.
create table u (a timestamp, b rowversion)
go
--> Msg 2738, Level 16, State 2, Line 1: A table can only have one timestamp column. Because table 'u' already has one, the column 'b' cannot be added.
alter table t add other timestamp
go
--> Msg 2738, Level 16, State 2, Line 1: A table can only have one timestamp column. Because table 't' already has one, the column 'other' cannot be added.
create table #t (a int, rv timestamp)
insert #t (a) values (1)
declare @old binary(8) = (select rv from #t)
update #t set a = 2
select case when rv > @old then 'newer' end as what from #t
create table w (a int)
insert w values (1), (2)
alter table w add rv rowversion
select a, rv from w
select name, is_nullable, system_type_id from sys.columns where object_id = object_id('w') order by column_id
go
--> [what:varchar(5)]
--> newer
--> [a:int | rv:timestamp]
--> 1 | 0x00000000000007DB
--> 2 | 0x00000000000007DC
--> [name:nvarchar(128) | is_nullable:bit | system_type_id:tinyint]
--> a | 1 | 56
--> rv | 0 | 189
