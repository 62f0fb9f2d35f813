-- may differ spills, threads: which row TOP chooses is open
-- MERGE into stored tables, temporary tables and table variables.
create database goods
go
use goods
set nocount on
go
create table stock (id int not null constraint pk_stock primary key, name varchar(10) not null constraint uq_name unique, qty int not null constraint ck_qty check (qty >= 0), twice as qty * 2)
create table news (id int, name varchar(10), qty int)
insert stock values (1, 'ant', 10), (2, 'bee', 20), (3, 'cat', 30)
insert news values (2, 'bee', 5), (3, 'cat', 0), (4, 'dog', 40)
set nocount off
go
-- all three kinds of rows, and what OUTPUT tells
merge into stock as t
using news as s on t.id = s.id
when matched and s.qty = 0 then delete
when matched then update set qty += s.qty
when not matched by target then insert (id, name, qty) values (s.id, s.name, s.qty)
when not matched by source then update set qty = 0
output $action, inserted.id, inserted.qty, deleted.id, deleted.qty, s.name as given;
select @@rowcount as changed
select * from stock order by id
go
--> [$action:nvarchar(10) | id:int | qty:int | id:int | qty:int | given:varchar(10)]
--> UPDATE | 2 | 25 | 2 | 20 | bee
--> DELETE | NULL | NULL | 3 | 30 | cat
--> UPDATE | 1 | 0 | 1 | 10 | NULL
--> INSERT | 4 | 40 | NULL | NULL | dog
--> (4 rows affected)
--> [changed:int]
--> 4
--> (1 rows affected)
--> [id:int | name:varchar(10) | qty:int | twice:int]
--> 1 | ant | 0 | 0
--> 2 | bee | 25 | 50
--> 4 | dog | 40 | 80
--> (3 rows affected)
-- unique key given up by one row and taken by another; keys that move
merge stock t
using (values (1, 'bee'), (2, 'ant')) s (id, name) on t.id = s.id
when matched then update set name = s.name;
merge stock t
using (values (1, 4), (4, 1)) s (id, new_id) on t.id = s.id
when matched then update set id = s.new_id;
select * from stock order by id
merge stock t
using (select 4 as id, 'new' as name) s on t.id = s.id + 100
when not matched by source and t.id = 4 then delete
when not matched then insert values (s.id, s.name, 1);
select * from stock order by id
go
--> (2 rows affected)
--> (2 rows affected)
--> [id:int | name:varchar(10) | qty:int | twice:int]
--> 1 | dog | 40 | 80
--> 2 | ant | 25 | 50
--> 4 | bee | 0 | 0
--> (3 rows affected)
--> (2 rows affected)
--> [id:int | name:varchar(10) | qty:int | twice:int]
--> 1 | dog | 40 | 80
--> 2 | ant | 25 | 50
--> 4 | new | 1 | 2
--> (3 rows affected)
-- a row that two source rows match
merge stock t using (values (2, 5), (2, 6)) s (id, qty) on t.id = s.id when matched then update set qty = s.qty;
merge stock t using (values (2, 5), (2, 6)) s (id, qty) on t.id = s.id when matched then delete;
insert stock (id, name, qty) values (2, 'ant', 25)
merge stock t using (values (2, 5), (2, 6)) s (id, qty) on t.id = s.id when matched and s.qty = 6 then update set qty = s.qty;
update s set qty += n.qty from stock s join news n on n.id = s.id where s.id = 2
select * from stock order by id
go
--> Msg 8672, Level 16, State 1, Line 2: The MERGE statement attempted to UPDATE or DELETE the same row more than once. This happens when a target row matches more than one source row. A MERGE statement cannot UPDATE/DELETE the same row of the target table multiple times. Refine the ON clause to ensure a target row matches at most one source row, or use the GROUP BY clause to group the source rows.
--> # The statement has been terminated.
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | name:varchar(10) | qty:int | twice:int]
--> 1 | dog | 40 | 80
--> 2 | ant | 11 | 22
--> 4 | new | 1 | 2
--> (3 rows affected)
-- all or nothing, and what messages call it
merge stock t using (values (7, 'owl', 1), (8, 'rat', -1)) s (id, name, qty) on t.id = s.id when not matched then insert values (id, name, qty);
merge stock t using (values (7, 'owl', 1), (8, 'dog', 1)) s (id, name, qty) on t.id = s.id when not matched then insert values (id, name, qty);
merge stock t using (values (30, null, 1)) s (id, name, qty) on t.id = s.id when not matched then insert values (id, name, qty);
merge stock t using (values (1, null, 1)) s (id, name, qty) on t.id = s.id when matched then update set name = s.name;
merge stock t using (values (30, 'too long for it', 1)) s (id, name, qty) on t.id = s.id when not matched then insert values (id, name, qty);
select count(*) as n from stock
go
--> Msg 547, Level 16, State 0, Line 2: The MERGE statement conflicted with the CHECK constraint "ck_qty". The conflict occurred in database "goods", table "dbo.stock", column 'qty'.
--> # The statement has been terminated.
--> Msg 2627, Level 14, State 1, Line 3: Violation of UNIQUE KEY constraint 'uq_name'. Cannot insert duplicate key in object 'dbo.stock'. The duplicate key value is (dog).
--> # The statement has been terminated.
--> Msg 515, Level 16, State 2, Line 4: Cannot insert the value NULL into column 'name', table 'goods.dbo.stock'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> Msg 515, Level 16, State 2, Line 5: Cannot insert the value NULL into column 'name', table 'goods.dbo.stock'; column does not allow nulls. UPDATE fails.
--> # The statement has been terminated.
--> Msg 2628, Level 16, State 1, Line 6: String or binary data would be truncated in table 'goods.dbo.stock', column 'name'. Truncated value: 'too long f'.
--> # The statement has been terminated.
--> [n:int]
--> 3
--> (1 rows affected)
-- TOP counts changes
merge top (1) stock t using (values (1), (2), (9)) s (id) on t.id = s.id and t.id = 2 when matched then update set qty = 99 output $action, inserted.id;
merge top (50) percent stock t using stock s on t.id = s.id when matched then update set qty = 7;
select count(*) as n from stock where qty = 7
set rowcount 1
merge stock t using stock s on t.id = s.id when matched then update set qty = 8;
set rowcount 0
go
--> [$action:nvarchar(10) | id:int]
--> UPDATE | 2
--> (1 rows affected)
--> (2 rows affected)
--> [n:int]
--> 2
--> (1 rows affected)
--> (1 rows affected)
-- CTE as source, subqueries in clauses, variables
declare @last int = 0;
with fresh (id, qty) as (select id, max(qty) from news group by id)
merge stock t using fresh s on t.id = s.id
when matched and exists (select 1 from news n where n.id = t.id) then update set @last = qty = s.qty + (select count(*) from news)
when not matched then insert (id, name, qty) values (s.id, concat('n', s.id), (select min(qty) from news where qty > 0));
select @last as last
select * from stock order by id
go
--> (3 rows affected)
--> [last:int]
--> 43
--> (1 rows affected)
--> [id:int | name:varchar(10) | qty:int | twice:int]
--> 1 | dog | 8 | 16
--> 2 | ant | 8 | 16
--> 3 | n3 | 5 | 10
--> 4 | new | 43 | 86
--> (4 rows affected)
-- OUTPUT INTO, identity, defaults, temporary tables, table variables
create table #log (act nvarchar(10), old int, new int)
create table #t (id int identity(10, 10), k int, v varchar(10) default 'none')
insert #t (k) values (1), (2)
merge #t t using (values (2, 'two'), (3, 'three'), (4, null)) s (k, v) on t.k = s.k
when matched then update set v = s.v
when not matched and s.v is null then insert (k, v) values (s.k, default)
when not matched by source then delete
output $action, deleted.k, inserted.k into #log;
merge #t t using (values (3, 'three')) s (k, v) on t.k = s.k
when not matched then insert (k, v) values (s.k, s.v)
output inserted.id, inserted.k;
select scope_identity() as last
select * from #t order by id
select * from #log order by act
declare @v table (k int primary key, n int)
merge @v t using (values (1), (2), (3)) s (k) on t.k = s.k when not matched then insert values (k, 0);
merge @v t using (values (1), (3), (5)) s (k) on t.k = s.k when matched then update set n += 1 when not matched by source then delete when not matched then insert values (k, -1);
select * from @v order by k
merge @v t using (values (1)) s (k) on 1 = 0 when not matched by source then delete;
select * from @v
go
--> (2 rows affected)
--> (3 rows affected)
--> [id:int | k:int]
--> 40 | 3
--> (1 rows affected)
--> [last:numeric(38,0)]
--> 40
--> (1 rows affected)
--> [id:int | k:int | v:varchar(10)]
--> 20 | 2 | two
--> 30 | 4 | none
--> 40 | 3 | three
--> (3 rows affected)
--> [act:nvarchar(10) | old:int | new:int]
--> DELETE | 1 | NULL
--> INSERT | NULL | 4
--> UPDATE | 2 | 2
--> (3 rows affected)
--> (3 rows affected)
--> (4 rows affected)
--> [k:int | n:int]
--> 1 | 1
--> 3 | 1
--> 5 | -1
--> (3 rows affected)
--> (3 rows affected)
--> [k:int | n:int]
--> (0 rows affected)
-- references
create table owner (id int primary key)
create table thing (id int primary key, owner_id int null constraint fk_owner references owner (id) on delete cascade, boss int null constraint fk_boss references thing (id))
insert owner values (1), (2)
merge thing t using (values (1, 1, 2), (2, 2, null)) s (id, o, b) on t.id = s.id when not matched then insert values (id, o, b);
merge thing t using (values (3, 9)) s (id, o) on t.id = s.id when not matched then insert (id, owner_id) values (id, o);
merge thing t using (values (1, 9)) s (id, o) on t.id = s.id when matched then update set owner_id = o;
merge thing t using (values (2)) s (id) on t.id = s.id when matched then delete;
merge owner t using (values (2)) s (id) on t.id = s.id when not matched by source then delete;
select * from thing
go
--> (2 rows affected)
--> (2 rows affected)
--> Msg 547, Level 16, State 0, Line 6: The MERGE statement conflicted with the FOREIGN KEY constraint "fk_owner". The conflict occurred in database "goods", table "dbo.owner", column 'id'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 7: The MERGE statement conflicted with the FOREIGN KEY constraint "fk_owner". The conflict occurred in database "goods", table "dbo.owner", column 'id'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 8: The MERGE statement conflicted with the SAME TABLE REFERENCE constraint "fk_boss". The conflict occurred in database "goods", table "dbo.thing", column 'boss'.
--> # The statement has been terminated.
--> (1 rows affected)
--> [id:int | owner_id:int | boss:int]
--> 2 | 2 | NULL
--> (1 rows affected)
-- what is refused
merge stock t using news s on t.id = s.id when matched then delete
go
--> Msg 10713, Level 15, State 1, Line 2: A MERGE statement must be terminated by a semi-colon (;).
merge stock t using news t on t.id = t.id when matched then delete;
merge stock using stock on stock.id = stock.id when matched then delete;
go
--> Msg 5318, Level 16, State 1, Line 1: In a MERGE statement, the source and target cannot have the same name or alias. Use different aliases for the source and target to ensure that they have unique names in the MERGE statement.
--> Msg 5318, Level 16, State 1, Line 2: In a MERGE statement, the source and target cannot have the same name or alias. Use different aliases for the source and target to ensure that they have unique names in the MERGE statement.
merge stock t using news s on t.id = s.id when not matched then insert (id) values (t.id);
go
--> Msg 5333, Level 16, State 1, Line 1: The identifier 't.id' cannot be bound. Only source columns and columns in the clause scope are allowed in the 'WHEN NOT MATCHED' clause of a MERGE statement.
merge stock t using news s on t.id = s.id when not matched by source then update set qty = s.qty;
go
--> Msg 5334, Level 16, State 1, Line 1: The identifier 's.qty' cannot be bound. Only target columns and columns in the clause scope are allowed in the 'WHEN NOT MATCHED BY SOURCE' clause of a MERGE statement.
merge stock t using news s on t.id = s.id when matched then update set qty = 1 when matched then delete;
go
--> Msg 5324, Level 15, State 1, Line 1: In a MERGE statement, a 'WHEN MATCHED' clause with a search condition cannot appear after a 'WHEN MATCHED' clause with no search condition.
merge stock t using news s on t.id = s.id when matched and 1 = 1 then delete when matched then delete;
go
--> Msg 10714, Level 15, State 1, Line 1: An action of type 'DELETE' cannot appear more than once in a 'WHEN MATCHED' clause of a MERGE statement.
merge stock t using news s on t.id = s.id when not matched then insert (id, name) values (1);
go
--> Msg 109, Level 15, State 1, Line 1: There are more columns in the INSERT statement than values specified in the VALUES clause. The number of values in the VALUES clause must match the number of columns specified in the INSERT statement.
merge stock t using news s on t.id = s.id when not matched then insert values (1);
go
--> Msg 213, Level 16, State 1, Line 1: Column name or number of supplied values does not match table definition.
merge stock t using news s on t.id = s.id when matched then update set twice = 1;
go
--> Msg 271, Level 16, State 1, Line 1: The column "twice" cannot be modified because it is either a computed column or is the result of a UNION operator.
merge nowhere t using news s on t.id = s.id when matched then delete;
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nowhere'.
merge sys.objects t using news s on t.object_id = s.id when matched then delete;
go
--> Msg 259, Level 16, State 1, Line 1: Ad hoc updates to system catalogs are not allowed: 'objects'.
-- CTEs before the other changes
with few as (select id from news where id < 4) delete s from stock s join few on few.id = s.id;
with one (n) as (select 77) insert stock (id, name, qty) select n, 'x', n from one;
with more (n) as (select 77) update stock set qty = more.n + 1 from more where stock.id = more.n;
select * from stock order by id
go
--> (2 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> [id:int | name:varchar(10) | qty:int | twice:int]
--> 1 | dog | 8 | 16
--> 4 | new | 43 | 86
--> 77 | x | 78 | 156
--> (3 rows affected)
