-- An INSERT without a list into a view fills the columns that take values, as that into the table does.
set nocount on
create table t (id int identity, x int, y as x * 2, z int)
go
create view v as select id, x, y, z from t
go
create view turned as select z as first, id as second, x as third from t
go
create view derived as select x, x + 1 as more, z from t
go
insert v values (7, 8)
insert turned values (1, 2)
insert v select 3, 4
select id, x, y, z from t
go
--> [id:int | x:int | y:int | z:int]
--> 1 | 7 | 14 | 8
--> 2 | 2 | 4 | 1
--> 3 | 3 | 6 | 4
insert derived values (1, 2, 3)
go
--> Msg 4406, Level 16, State 1, Line 1: Update or insert of view or function 'derived' failed because it contains a derived or constant field.
insert v (id, x) values (1, 2)
go
--> Msg 544, Level 16, State 1, Line 1: Cannot insert explicit value for identity column in table 't' when IDENTITY_INSERT is set to OFF.
--> # The statement has been terminated.
insert v values (1, 2, 3)
go
--> Msg 213, Level 16, State 1, Line 1: Column name or number of supplied values does not match table definition.
