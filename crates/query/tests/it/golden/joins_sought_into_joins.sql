-- Of three tables one is sought from the join of the others, whose smaller side was itself sought from the larger one: each
-- row's values stand in their own columns.
create table f (id int not null primary key, did int, cid int, n int);
create table s (id int not null primary key, q int, r int);
create table c (id int not null primary key, h int, a int);
insert f select value, value % 650 + value / 650, (value * 7) % 3000, value % 12 from generate_series(0, 5999);
insert s select value, value % 4, value * 100 from generate_series(0, 11);
insert c select value, value % 20, value % 2500 from generate_series(0, 2999);
update f set did = 650, cid = 214, n = 4 where id = 400;
update f set did = 650, cid = 1214, n = 8 where id = 800;
update c set h = 314 where id in (214, 1214, 2214);
go
--> (6000 rows affected)
--> (12 rows affected)
--> (3000 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (3 rows affected)
select f.id, f.n, s.id, s.r, c.id, c.a from f, s, c
where f.cid = c.id and f.n = s.id and s.r = f.id and c.h = 314 and f.did = 650 and s.q = 0
order by f.id;
go
--> [id:int | n:int | id:int | r:int | id:int | a:int]
--> 400 | 4 | 4 | 400 | 214 | 214
--> 800 | 8 | 8 | 800 | 1214 | 1214
--> (2 rows affected)
select c.a, s.r, f.n, c.id, f.id, s.id from c, f, s
where s.q = 0 and f.cid = c.id and c.h = 314 and f.n = s.id and s.r = f.id and f.did = 650
order by f.id desc;
go
--> [a:int | r:int | n:int | id:int | id:int | id:int]
--> 1214 | 800 | 8 | 1214 | 800 | 8
--> 214 | 400 | 4 | 214 | 400 | 4
--> (2 rows affected)
