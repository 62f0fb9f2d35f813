-- differs temporary: names of constraints and tables are in messages
-- Tables of a database: keys, constraints, changes.
create database shop
go
use shop
create table t (id int not null primary key, name varchar(20), amount decimal(12,2) not null default (0))
go
insert t (id, name) values (1, 'one'), (2, 'two')
insert t values (3, 'three', 3.5)
select * from t
go
--> (2 rows affected)
--> (1 rows affected)
--> [id:int | name:varchar(20) | amount:decimal(12,2)]
--> 1 | one | 0.00
--> 2 | two | 0.00
--> 3 | three | 3.50
--> (3 rows affected)
insert t values (2, 'again', 1)
go
--> Msg 2627, Level 14, State 1, Line 1: Violation of PRIMARY KEY constraint 'PK__t__00000000000003EA'. Cannot insert duplicate key in object 'dbo.t'. The duplicate key value is (2).
--> # The statement has been terminated.
select count(*) from t
go
--> [:int]
--> 3
--> (1 rows affected)
update t set amount = amount + 1, name = upper(name) where id = 2
select * from t where id = 2
go
--> (1 rows affected)
--> [id:int | name:varchar(20) | amount:decimal(12,2)]
--> 2 | TWO | 1.00
--> (1 rows affected)
declare @n varchar(20), @a decimal(12,2)
update t set @a = amount, @n = name, amount = amount + 10 where id = 3
select @n n, @a a
select amount from t where id = 3
go
--> (1 rows affected)
--> [n:varchar(20) | a:decimal(12,2)]
--> three | 3.50
--> (1 rows affected)
--> [amount:decimal(12,2)]
--> 13.50
--> (1 rows affected)
update t set id = id + 1
select id from t order by id desc
go
--> (3 rows affected)
--> [id:int]
--> 4
--> 3
--> 2
--> (3 rows affected)
delete t where id = 3
select id from t
go
--> (1 rows affected)
--> [id:int]
--> 2
--> 4
--> (2 rows affected)
begin transaction
insert t values (10, 'ten', 10)
delete t where id = 2
select id from t
rollback
select id from t
go
--> (1 rows affected)
--> (1 rows affected)
--> [id:int]
--> 4
--> 10
--> (2 rows affected)
--> [id:int]
--> 2
--> 4
--> (2 rows affected)
begin transaction
create table u (a int)
insert u values (1)
select * from u
rollback
select * from u
go
--> (1 rows affected)
--> [a:int]
--> 1
--> (1 rows affected)
--> Msg 208, Level 16, State 1, Line 6: Invalid object name 'u'.
insert t values (5, null, null)
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'amount', table 'shop.dbo.t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
select top 1 id from t order by id desc
select id from t where id > 2
select id from t where id between 2 and 4
select id from t where id in (4, 2, 9)
go
--> [id:int]
--> 4
--> (1 rows affected)
--> [id:int]
--> 4
--> (1 rows affected)
--> [id:int]
--> 2
--> 4
--> (2 rows affected)
--> [id:int]
--> 2
--> 4
--> (2 rows affected)
drop table t
select * from t
go
--> Msg 208, Level 16, State 1, Line 2: Invalid object name 't'.
