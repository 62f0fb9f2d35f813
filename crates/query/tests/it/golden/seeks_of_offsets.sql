-- A column without offset is compared with an instant as one of UTC, by an index as without one.
create table r (id int identity, a datetime2 null, b datetime null, c smalldatetime null, d date null, t time null, o datetimeoffset null)
insert r (a, b, c, d, t, o) select v, v, v, v, v, v from (values ('2020-01-01 00:00'), ('2020-01-01 01:00'), ('2020-01-02 00:00'), (null)) x (v)
create index ia on r (a); create index ib on r (b, id); create index ic on r (id, c); create index id on r (d); create index it on r (t); create index io on r (o)
go
--> (4 rows affected)
select id from r where a = cast('2020-01-01 01:00 +01:00' as datetimeoffset)
select id from r with (index(0)) where a = cast('2020-01-01 01:00 +01:00' as datetimeoffset)
select id from r where b in (cast('2020-01-01 02:00 +01:00' as datetimeoffset), cast('2020-01-01 20:00 -04:00' as datetimeoffset)) order by id
select id from r where id = 2 and c = todatetimeoffset('2020-01-01 03:30', '+02:30')
select id from r where d = cast('2020-01-01 19:00 -05:00' as datetimeoffset) and d is not null order by id
select id from r where t = cast('1900-01-01 02:00 +01:00' as datetimeoffset) order by id
select id from r where t = cast('1900-01-01 23:30 -01:00' as datetimeoffset) order by id
select id from r where o = cast('2020-01-01 04:00 +04:00' as datetimeoffset)
declare @o datetimeoffset = '2020-01-01 01:00 +01:00' select id from r where a = @o
select r.id from (values (cast('2020-01-01 01:00 +01:00' as datetimeoffset)), ('2020-01-01 02:00 +01:00')) q (o) inner loop join r with (forceseek) on r.a = q.o order by r.id
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 2
--> 3
--> (2 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [id:int]
--> 3
--> (1 rows affected)
--> [id:int]
--> 2
--> (1 rows affected)
--> [id:int]
--> (0 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
delete r where a = cast('2020-01-01 01:00 +01:00' as datetimeoffset)
update r set d = null where a = cast('2020-01-01 02:00 +01:00' as datetimeoffset)
select count(*), count(d) from r
go
--> (1 rows affected)
--> (1 rows affected)
--> [:int | :int]
--> 3 | 1
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
merge r using (values (cast('2020-01-02 01:00 +01:00' as datetimeoffset))) s (o) on r.a = s.o when matched then update set b = null when not matched then insert (a) values (s.o);
select count(*), count(b) from r
go
--> (1 rows affected)
--> [:int | :int]
--> 3 | 1
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
