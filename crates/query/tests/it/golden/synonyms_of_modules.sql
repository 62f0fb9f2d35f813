-- Synonyms of procedures and functions, of what is not there, and of synonyms.
create database synonyms_of_modules
create database synonyms_elsewhere
go
use synonyms_elsewhere
go
create table far (id int primary key, name varchar(10))
insert far values (1, 'far')
go
--> (1 rows affected)
create procedure dbo.far_p @a int, @b int output as select @a as a, db_name () as db; set @b = @a * 2
go
create function dbo.far_f (@a int) returns int as begin return @a + 100 end
go
use synonyms_of_modules
go
create function dbo.f (@a int) returns int as begin return @a + 1 end
go
create function dbo.inline_f (@a int) returns table as return select @a as a union all select @a + 1
go
create function dbo.multi_f (@a int) returns @t table (a int) as begin insert @t values (@a), (@a * 2) return end
go
create procedure dbo.p as select 'p' as p
go
create synonym s_p for dbo.p
create synonym s_f for dbo.f
create synonym s_inline for inline_f
create synonym s_multi for dbo.multi_f
create synonym s_far for synonyms_elsewhere.dbo.far
create synonym s_far_p for synonyms_elsewhere.dbo.far_p
create synonym s_far_f for synonyms_elsewhere..far_f
create synonym s_view for sys.objects
create synonym s_s for dbo.s_far
create synonym s_lost for dbo.nothing
create synonym s_nowhere for no_such_database.dbo.t
go
exec s_p
exec dbo.s_p
declare @b int, @f int
exec s_far_p 4, @b output
exec @f = s_f 1
select @b as b, @f as f
select dbo.s_f (1) as f, dbo.s_far_f (1) as far
select a from s_inline (5)
select a from dbo.s_multi (5)
select o.id, m.a from s_far o cross apply s_multi (o.id) m
update s_far set name = 'near'
select name from synonyms_elsewhere.dbo.far
select count (*) as n from s_view where name = 's_view'
go
--> [p:varchar(1)]
--> p
--> (1 rows affected)
--> [p:varchar(1)]
--> p
--> (1 rows affected)
--> [a:int | db:nvarchar(128)]
--> 4 | synonyms_elsewhere
--> (1 rows affected)
--> [b:int | f:int]
--> 8 | 2
--> (1 rows affected)
--> [f:int | far:int]
--> 2 | 101
--> (1 rows affected)
--> [a:int]
--> 5
--> 6
--> (2 rows affected)
--> [a:int]
--> 5
--> 10
--> (2 rows affected)
--> [id:int | a:int]
--> 1 | 1
--> 1 | 2
--> (2 rows affected)
--> (1 rows affected)
--> [name:varchar(10)]
--> near
--> (1 rows affected)
--> [n:int]
--> 1
--> (1 rows affected)
select * from s_s
go
--> Msg 470, Level 16, State 1, Line 1: The synonym "dbo.s_s" referenced synonym "dbo.s_far". Synonym chaining is not allowed.
exec s_lost
go
--> Msg 5313, Level 16, State 1, Line 1: Synonym 's_lost' refers to an invalid object.
select * from s_lost
go
--> Msg 5313, Level 16, State 1, Line 1: Synonym 's_lost' refers to an invalid object.
select dbo.s_lost (1)
go
--> Msg 5313, Level 16, State 1, Line 1: Synonym 's_lost' refers to an invalid object.
select * from s_nowhere
go
--> Msg 5313, Level 16, State 1, Line 1: Synonym 's_nowhere' refers to an invalid object.
exec s_far
go
--> Msg 2812, Level 16, State 62, Line 1: Could not find stored procedure 's_far'.
-- What a text was bound to by a synonym is bound again when the synonym is another one's.
create procedure dbo.asks as select dbo.s_f (1) as f
go
exec asks
go
--> [f:int]
--> 2
--> (1 rows affected)
create function dbo.g (@a int) returns int as begin return -@a end
go
drop synonym s_f
create synonym s_f for dbo.g
exec asks
go
--> [f:int]
--> -1
--> (1 rows affected)
create synonym s_dots for synonyms_elsewhere..far
select base_object_name from sys.synonyms where name in ('s_dots', 's_p') order by name
go
--> [base_object_name:nvarchar(1035)]
--> [synonyms_elsewhere]..[far]
--> [dbo].[p]
--> (2 rows affected)
