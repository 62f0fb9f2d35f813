-- What EXEC leaves in its variable, where an error happened says, and OUTPUT that was not declared.
create procedure p as begin select 1 / 0 as a; select 2 as b end
go
create procedure p_unique as begin insert u values (1); select 3 as c end
go
create procedure p_returns as begin select 1 / 0 as a; return 5 end
go
create procedure p_plain as return
go
create procedure p_raises @severity int as begin raiserror('last', @severity, 1); print 'on' end
go
create procedure p_caught as begin begin try select 1 / 0 as a end try begin catch print 'caught' end catch; return 0 end
go
create procedure p_binds as select nope from later
go
create procedure p_later as begin print 'never'; select nope from later end
go
create table u (id int primary key)
insert u values (1)
go
--> (1 rows affected)
declare @r int = 99
exec @r = p
select @r as r
exec @r = p_unique
select @r as r
exec @r = p_returns
select @r as r
exec @r = p_plain
select @r as r
exec @r = p_raises 16
select @r as r
exec @r = p_raises 11
select @r as r
exec @r = p_raises 10
select @r as r
exec @r = p_caught
select @r as r
go
--> [a:int]
--> Msg 8134, Level 16, State 1, Line 2: Divide by zero error encountered.
--> [b:int]
--> 2
--> (1 rows affected)
--> [r:int]
--> -6
--> (1 rows affected)
--> Msg 2627, Level 14, State 1, Line 1: Violation of PRIMARY KEY constraint 'PK__u__00000000000003F1'. Cannot insert duplicate key in object 'dbo.u'. The duplicate key value is (1).
--> # The statement has been terminated.
--> [c:int]
--> 3
--> (1 rows affected)
--> [r:int]
--> -4
--> (1 rows affected)
--> [a:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
--> [r:int]
--> 5
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 50000, Level 16, State 1, Line 1: last
--> # on
--> [r:int]
--> -6
--> (1 rows affected)
--> Msg 50000, Level 11, State 1, Line 1: last
--> # on
--> [r:int]
--> -1
--> (1 rows affected)
--> # last
--> # on
--> [r:int]
--> 0
--> (1 rows affected)
--> [a:int]
--> # caught
--> [r:int]
--> 0
--> (1 rows affected)
-- a procedure that cannot be compiled ends, its caller goes on
create table later (a int)
go
declare @r int = 99
exec @r = p_binds
print 'on'
exec @r = p_later
select @r as r
go
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
--> # on
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
--> [r:int]
--> -6
--> (1 rows affected)
begin try
    exec p_later
end try
begin catch
    select error_number() as n, error_procedure() as p, error_line() as l
end catch
go
--> [n:int | p:nvarchar(128) | l:int]
--> 207 | p_later | 1
--> (1 rows affected)
declare @r int = 99
exec @r = sp_executesql N'select 1 / 0 as a'
select @r as r
exec @r = sp_executesql N'print ''never'' select nope from u'
select @r as r
exec @r = sp_executesql N'select from'
select @r as r
exec @r = sp_executesql N'select 1 / 0 as a select 1 as b'
select @r as r
exec @r = sp_rename 'nope', 'x'
select @r as r
exec @r = sp_executesql N'print 1'
select @r as r
go
--> [a:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
--> [r:int]
--> 8134
--> (1 rows affected)
--> Msg 207, Level 16, State 1, Line 1: Invalid column name 'nope'.
--> [r:int]
--> 207
--> (1 rows affected)
--> Msg 156, Level 15, State 1, Line 1: Incorrect syntax near the keyword 'from'.
--> [r:int]
--> 156
--> (1 rows affected)
--> [a:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
--> [b:int]
--> 1
--> (1 rows affected)
--> [r:int]
--> 0
--> (1 rows affected)
--> Msg 15225, Level 11, State 1, Line 10: No item by the name of 'nope' could be found in the current database 'master', given that @itemtype was input as '(null)'.
--> [r:int]
--> 1
--> (1 rows affected)
--> # 1
--> [r:int]
--> 0
--> (1 rows affected)
-- a text is of no procedure
create procedure p_text @text nvarchar(100) as
begin
    begin try exec(@text) end try
    begin catch select error_number() as n, error_procedure() as p, error_line() as l end catch
end
go
exec p_text N'select 1 / 0 as a'
exec p_text N'print 1 select nope from u'
exec p_text N'
select from'
exec p_text N'exec p'
go
--> [a:int]
--> [n:int | p:nvarchar(128) | l:int]
--> 8134 | NULL | 1
--> (1 rows affected)
--> [n:int | p:nvarchar(128) | l:int]
--> 207 | NULL | 1
--> (1 rows affected)
--> [n:int | p:nvarchar(128) | l:int]
--> 156 | NULL | 2
--> (1 rows affected)
--> [a:int]
--> [n:int | p:nvarchar(128) | l:int]
--> 8134 | p | 2
--> (1 rows affected)
create procedure p_throws as begin try exec('select 1 / 0 as a') end try begin catch throw end catch
go
exec p_throws
go
--> [a:int]
--> Msg 8134, Level 16, State 1, Line 1: Divide by zero error encountered.
declare @o int = 1
exec sp_executesql N'set @a = 2', N'@a int', @a = @o output
select @o as o
exec sp_executesql N'set @a = 2', N'@a int output', @a = @o output
select @o as o
exec sp_executesql N'set @a = 3', N'@a int output', @a = @o
select @o as o
go
--> Msg 8162, Level 16, State 2, Line 2: The formal parameter "@a" was not declared as an OUTPUT parameter, but the actual parameter passed in requested output.
--> [o:int]
--> 1
--> (1 rows affected)
--> [o:int]
--> 2
--> (1 rows affected)
--> [o:int]
--> 2
--> (1 rows affected)
