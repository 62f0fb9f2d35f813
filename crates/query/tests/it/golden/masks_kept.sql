-- Roads on which values of masked columns came out: rows of triggers of views, persisted columns, errors, indexed views.
create database veil
go
use veil
go
create user u without login
create table t (id int primary key, name varchar(50) masked with (function = 'partial(1,"xx",1)'),
    salary int masked with (function = 'default()'), code varchar(20) masked with (function = 'default()') unique)
insert t values (1, 'SECRETONE', 4711, 'CODE1'), (2, 'SECRETTWO', 4712, 'CODE2')
grant select, insert, update, delete on t to u
grant create view, create table, create function to u
go
--> (2 rows affected)
create schema s authorization u
go
-- A view's rows in its triggers.
execute as user = 'u'
go
create view s.w as select id, name, salary, name + '!' as more from dbo.t
go
create trigger s.instead on s.w instead of delete as begin select * from deleted select name, salary into #q from deleted select * from #q end
go
delete s.w where id = 1
go
--> [id:int | name:varchar(50) | salary:int | more:varchar(51)]
--> 1 | SxxE | 0 | xxxx
--> (1 rows affected)
--> (1 rows affected)
--> [name:varchar(50) | salary:int]
--> SxxE | 0
--> (1 rows affected)
--> (1 rows affected)
drop trigger s.instead
go
create trigger s.instead on s.w instead of update as select i.name, d.name as old from inserted i join deleted d on d.id = i.id
go
update s.w set salary = salary where id = 1
go
--> [name:varchar(50) | old:varchar(50)]
--> SxxE | SxxE
--> (1 rows affected)
--> (1 rows affected)
declare @v table (name varchar(50))
update s.w set salary = 1 output deleted.name into @v where id = 1
select * from @v
go
--> [name:varchar(50) | old:varchar(50)]
--> SxxE | SxxE
--> (1 rows affected)
--> (1 rows affected)
--> [name:varchar(50)]
--> SxxE
--> (1 rows affected)
revert
go
-- Persisted columns in triggers.
create table p (id int primary key, s varchar(20) masked with (function = 'default()'), upper_s as upper(s) persisted, n as s + '?')
insert p (id, s) values (1, 'hidden')
grant select, update on p to u
go
--> (1 rows affected)
create trigger pt on p after update as select upper_s, s, n from deleted
go
execute as user = 'u'
update p set id = id
revert
update p set id = id
go
--> [upper_s:varchar(20) | s:varchar(20) | n:varchar(21)]
--> xxxx | xxxx | xxxx
--> (1 rows affected)
--> (1 rows affected)
--> [upper_s:varchar(20) | s:varchar(20) | n:varchar(21)]
--> HIDDEN | hidden | hidden?
--> (1 rows affected)
--> (1 rows affected)
-- Errors.
execute as user = 'u'
go
select cast(name as int) from t
go
--> [:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the ****** value '******' to data type ******.
select id from t where cast(salary as tinyint) = 1
go
--> [id:int]
--> Msg 220, Level 16, State 1, Line 1: Arithmetic overflow error for data type ******, value = ******.
update t set name = name + replicate('x', 100)
go
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table '******', column '******'. Truncated value: '******'.
--> # The statement has been terminated.
insert t (id, code) values (3, 'CODE1')
go
--> Msg 2627, Level 14, State 1, Line 1: Violation of ****** constraint '******'. Cannot insert duplicate key in object '******'. The duplicate key value is ******.
--> # The statement has been terminated.
update t set code = 'CODE1' where id = 2
go
--> Msg 2627, Level 14, State 1, Line 1: Violation of ****** constraint '******'. Cannot insert duplicate key in object '******'. The duplicate key value is ******.
--> # The statement has been terminated.
begin try
    select id from t where cast(name as int) = 1
end try
begin catch
    select error_number() as n, error_message() as said
end catch
go
--> [id:int]
--> [n:int | said:nvarchar(4000)]
--> 245 | Conversion failed when converting the ****** value '******' to data type ******.
--> (1 rows affected)
select case when 'A' like 'A' escape name then 1 end as v from t
go
--> [v:int]
--> Msg 506, Level 16, State 1, Line 1: The invalid escape character "******" was specified in a LIKE predicate.
create function s.f () returns int as begin return (select max(cast(name as int)) from dbo.t) end
go
select s.f()
go
--> [:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the ****** value '******' to data type ******.
declare c cursor local for select cast(code as int) from t
open c
fetch c
go
--> Msg 245, Level 16, State 1, Line 3: Conversion failed when converting the ****** value '******' to data type ******.
select cast(name as int) from s.w
go
--> [:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the ****** value '******' to data type ******.
revert
go
select cast(name as int) from t
go
--> [:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'SECRETONE' to data type int.
grant unmask on t to u
execute as user = 'u'
go
select cast(name as int) from t
go
--> [:int]
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'SECRETONE' to data type int.
revert
revoke unmask on t from u
go
-- A cursor's query is the one of its declaration; styles and places are values too.
execute as user = 'u'
go
declare far cursor global for select cast(code as int) from t
go
select 1 as other_tables from sys.objects where 1 = 0
go
--> [other_tables:int]
--> (0 rows affected)
open far
go
deallocate far
go
select convert(varchar(30), 1e0, salary) from t
go
--> [:varchar(30)]
--> xxxx
--> xxxx
--> (2 rows affected)
declare @s varchar(9) = 'plain'
select cast(@s as int)
go
--> [:int]
--> Msg 245, Level 16, State 1, Line 2: Conversion failed when converting the varchar value 'plain' to data type int.
revert
go
-- Who may alter a table sees no more of it.
grant alter on t to u
execute as user = 'u'
go
alter table t add d as cast(name as int) persisted
go
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the ****** value '******' to data type ******.
alter table t add constraint positive check (cast(name as int) > 0)
go
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the ****** value '******' to data type ******.
insert t values (4, 'SECRETTWO', 4712, 'CODE4')
go
--> (1 rows affected)
alter table t add constraint one unique (salary)
go
--> Msg 1505, Level 16, State 1, Line 1: The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name '******' and the index name '******'. The duplicate key value is ******.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
revert
go
-- Indexed views.
create table iv (id int primary key, s varchar(20) not null, g int not null)
insert iv values (1, 'early', 1), (2, 'late', 1)
go
--> (2 rows affected)
create view v with schemabinding as select id, s from dbo.iv
go
create unique clustered index i on v (id)
grant select on v to u
go
create procedure pv as select * from v
go
grant execute on pv to u
go
execute as user = 'u'
select * from v
exec pv
revert
go
--> [id:int | s:varchar(20)]
--> 1 | early
--> 2 | late
--> (2 rows affected)
--> [id:int | s:varchar(20)]
--> 1 | early
--> 2 | late
--> (2 rows affected)
alter table iv alter column s add masked with (function = 'default()')
go
execute as user = 'u'
select * from v
exec pv
select * from v with (noexpand)
revert
select * from v with (noexpand)
go
--> [id:int | s:varchar(20)]
--> 1 | xxxx
--> 2 | xxxx
--> (2 rows affected)
--> [id:int | s:varchar(20)]
--> 1 | xxxx
--> 2 | xxxx
--> (2 rows affected)
--> [id:int | s:varchar(20)]
--> 1 | xxxx
--> 2 | xxxx
--> (2 rows affected)
--> [id:int | s:varchar(20)]
--> 1 | early
--> 2 | late
--> (2 rows affected)
create view m with schemabinding as select g, s, count_big(*) as n from dbo.iv group by g, s
go
create unique clustered index i on m (g, s)
grant select on m to u
insert iv values (3, 'late', 1)
go
--> (1 rows affected)
execute as user = 'u'
select * from m order by n
revert
select * from m with (noexpand) order by n
go
--> [g:int | s:varchar(20) | n:bigint]
--> 1 | xxxx | 1
--> 1 | xxxx | 2
--> (2 rows affected)
--> [g:int | s:varchar(20) | n:bigint]
--> 1 | early | 1
--> 1 | late | 2
--> (2 rows affected)
alter table iv alter column s drop masked
go
execute as user = 'u'
select * from v with (noexpand) order by id
revert
go
--> [id:int | s:varchar(20)]
--> 1 | early
--> 2 | late
--> 3 | late
--> (3 rows affected)
-- Another row's value is hidden from a column with the same mask; a row's own value is kept.
insert t values (99, 'NINE', 99, 'CODE99')
create table child (id int primary key, code varchar(20) references t (code) on update cascade)
insert child values (1, 'CODE99')
grant select, insert on child to u
go
--> (1 rows affected)
--> (1 rows affected)
execute as user = 'u'
update t set code = (select b.code + '' from t b where b.id = 1) + 'x' where id = 99
select code from child
update a set code = b.code from t a join t b on b.id = 2 where a.id = 99
select code from child
update t set code = code + 'own' where id = 99
select code from child
merge t as a using (select id, code from t where id = 1) as b on a.id = 99 when matched then update set code = b.code + 'y';
select code from child
merge t as a using (select 1 as one) as b on a.id = 99 when matched then update set code = (select max(c.code) from t c where c.id = a.id - 97) ;
select code from child
update t set code = (select t.code + '1') where id = 99
select code from child
revert
go
--> (1 rows affected)
--> [code:varchar(20)]
--> xxxx
--> (1 rows affected)
--> (1 rows affected)
--> [code:varchar(20)]
--> xxxx
--> (1 rows affected)
--> (1 rows affected)
--> [code:varchar(20)]
--> xxxxown
--> (1 rows affected)
--> (1 rows affected)
--> [code:varchar(20)]
--> xxxx
--> (1 rows affected)
--> (1 rows affected)
--> [code:varchar(20)]
--> xxxx
--> (1 rows affected)
--> (1 rows affected)
--> [code:varchar(20)]
--> xxxx1
--> (1 rows affected)
drop table child
delete t where id = 99
-- A number of rows is a value; an error of a document tells no places of it.
create table doc (id int primary key, n int masked with (function = 'default()'), x varchar(100) masked with (function = 'default()'))
insert doc values (1, 3, '<a>1</b>')
grant select, update on doc to u
create table many (i int primary key)
insert many values (1), (2), (3), (4), (5)
grant select, delete, update on many to u
go
--> (1 rows affected)
--> (1 rows affected)
--> (5 rows affected)
execute as user = 'u'
select top ((select n from doc) + 1) i from many order by i
select i from many order by i offset (select n from doc) rows
select i from many order by i offset 0 rows fetch next (select n + 2 from doc) rows only
select value from generate_series(1, 1) cross apply (select top (select n from doc) i from many order by i) q
update top (select n from doc) many set i = i
go
--> [i:int]
--> (0 rows affected)
--> [i:int]
--> 1
--> 2
--> 3
--> 4
--> 5
--> (5 rows affected)
--> [i:int]
--> Msg 10744, Level 15, State 1, Line 4: The number of rows provided for a FETCH clause must be greater then zero.
--> [value:int]
--> (0 rows affected)
--> (0 rows affected)
declare @x xml = (select cast(x as xml) from doc)
go
--> Msg 9436, Level 16, State 1, Line 1: XML parsing: line ******, character ******, end tag does not match start tag
select cast(x as xml) from doc
go
--> [:xml]
--> Msg 9436, Level 16, State 1, Line 1: XML parsing: line ******, character ******, end tag does not match start tag
select * from sys.dm_db_stats_properties(object_id('doc'), 1)
go
--> Msg 262, Level 14, State 1, Line 1: VIEW DATABASE STATE permission denied in database 'veil'.
--> Msg 297, Level 16, State 1, Line 1: The user does not have permission to perform this action.
revert
go
-- Who may alter a table drops its triggers.
create table dt (a int)
grant control on dt to u
go
execute as user = 'u'
go
create trigger tr on dt after insert as select 1
go
drop trigger tr
go
revert
go
create trigger tr on dt after insert as select 1
go
revoke control on dt from u
grant select on dt to u
go
execute as user = 'u'
go
drop trigger tr
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the trigger 'tr', because it does not exist or you do not have permission.
revert
go
use master
drop database veil
go
