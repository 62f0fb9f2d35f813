-- One number of a sequence for each row, in the values and in the defaults of columns that are left out.
set nocount on
create sequence s as int start with 1 no cache
create sequence other as int start with 100 no cache
go
create table d (id int default (next value for s), v int, w int default (next value for other), x int default (10 * next value for s))
go
insert d (v) values (next value for s)
insert d (v, w) values (next value for s, next value for s + 1000)
insert d (v) select next value for s from (values (1), (2)) t (a)
insert d default values
insert d (v) values (7)
select id, v, w, x from d
go
--> [id:int | v:int | w:int | x:int]
--> 1 | 1 | 100 | 10
--> 2 | 2 | 1002 | 20
--> 3 | 3 | 101 | 30
--> 4 | 4 | 102 | 40
--> 5 | NULL | 103 | 50
--> 6 | 7 | 104 | 60
insert d (v) values (next value for s), (next value for s)
go
--> Msg 11731, Level 15, State 1, Line 1: A column that uses a sequence object in the default constraint must be present in the target columns list, if the same sequence object appears in a row constructor.
insert d (v) values (1), (2)
insert d (id, v, x) values (next value for s, next value for s, 0), (next value for s, 5, 0)
select id, v, w, x from d where id > 6
go
--> [id:int | v:int | w:int | x:int]
--> 7 | 1 | 105 | 70
--> 8 | 2 | 106 | 80
--> 9 | 9 | 107 | 0
--> 10 | 5 | 108 | 0
