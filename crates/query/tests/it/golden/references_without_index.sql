-- Foreign keys without an index of their columns: many rows that are referred to go or change at once.
create database references_without_index
go
use references_without_index
set nocount on
create table p (a int not null, b varchar(10) not null, n int, constraint pk_p primary key (a, b))
create table casc (id int not null, a int, b varchar(10), constraint f_casc foreign key (a, b) references p (a, b) on delete cascade on update cascade)
create table nulls (id int not null, a int, b varchar(10), constraint f_nulls foreign key (a, b) references p (a, b) on delete set null)
create table stays (id int not null, a int, b varchar(10), constraint f_stays foreign key (a, b) references p (a, b))
insert p select value, case value % 3 when 0 then 'x' when 1 then 'Y' else 'z' end, value from generate_series (1, 60)
insert casc select value, (value % 60) + 1, case ((value % 60) + 1) % 3 when 0 then 'X' when 1 then 'y ' else 'Z' end from generate_series (1, 180)
insert casc values (1000, null, 'x'), (1001, 3, null), (1002, null, null)
insert nulls select value, (value % 60) + 1, case ((value % 60) + 1) % 3 when 0 then 'x' when 1 then 'Y' else 'z' end from generate_series (1, 120)
insert stays select value, value, case value % 3 when 0 then 'x' when 1 then 'Y' else 'z' end from generate_series (41, 60)
go
delete p where a between 1 and 20
select count (*) as n, min (a) as least, sum (case when a is null then 1 else 0 end) as without from casc
select count (*) as n, sum (case when a is null then 1 else 0 end) as without from nulls
delete p where a between 30 and 45
select count (*) as n from p
update p set a = a + 1000, b = upper (b) where a between 21 and 24
go
--> [n:int | least:int | without:int]
--> 123 | 3 | 2
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> [n:int | without:int]
--> 120 | 40
--> Msg 547, Level 16, State 0, Line 4: The DELETE statement conflicted with the REFERENCE constraint "f_stays". The conflict occurred in database "references_without_index", table "dbo.stays".
--> # The statement has been terminated.
--> [n:int]
--> 40
--> Msg 547, Level 16, State 0, Line 6: The UPDATE statement conflicted with the REFERENCE constraint "f_nulls". The conflict occurred in database "references_without_index", table "dbo.nulls".
--> # The statement has been terminated.
delete nulls
update p set a = a + 1000, b = upper (b) where a between 21 and 24
select a, b, count (*) as n from casc where a > 1000 group by a, b order by a
-- the values come back in the same statement
update p set n = n + 1, a = case a when 50 then 51 when 51 then 50 else a end, b = case a when 50 then 'x' when 51 then 'z' else b end where a in (50, 51)
select id, a, b from stays where a in (50, 51) order by id
delete stays
delete p
select count (*) as n from casc
go
--> [a:int | b:varchar(10) | n:int]
--> 1021 | X | 3
--> 1022 | Y | 3
--> 1023 | Z | 3
--> 1024 | X | 3
--> [id:int | a:int | b:varchar(10)]
--> 50 | 50 | z
--> 51 | 51 | x
--> [n:int]
--> 3
