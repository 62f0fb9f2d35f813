-- OPTION (RECOMPILE), OPTIMIZE FOR and SET FORCEPLAN change no answer.
create table t(id int not null primary key, k int null, s nvarchar(20) collate Latin1_General_CI_AS null, d date null, index t_k (k));
insert t select value, case when value % 9 = 0 then null else value % 10 end, concat(N'Name', value % 6), dateadd(day, value, '2024-01-01') from generate_series(1, 60);
create table u(id int not null primary key, t int null, n decimal(9, 2) not null);
insert u select value, value % 70, value / 4.0 from generate_series(1, 90);
go
--> (60 rows affected)
--> (90 rows affected)
declare @id int = 7, @k int = null, @s nvarchar(20) = N'NAME3', @d date = '2024-02-10', @n int = 2;
select count(*) as n, sum(id) as ids from t where (@id is null or id = @id) and (@k is null or k = @k) option (recompile);
select count(*) as n, sum(id) as ids from t where k = @k option (recompile);
select count(*) as n, sum(id) as ids from t where k is not distinct from @k option (recompile);
select count(*) as n, sum(id) as ids from t where s = @s and d >= @d option (recompile);
select top (@n) id, s from t where s like @s + N'%' order by id desc option (recompile);
select id from t order by id offset @n * 2 rows fetch next @n rows only option (recompile);
select sum(u.n) as n from t join u on u.t = t.id where t.s = @s and exists (select * from u v where v.t = t.id and v.n > @n) option (recompile);
select (select max(n) from u where t = @id) as largest, @s + N'!' as said, (select @d as d for json path) as written option (recompile);
select @n += id from t where id < @n + 2 option (recompile);
select @n as n;
select case when @id = 0 then 1 else 10 / @id end as part from u where id = 1 option (recompile);
set ansi_nulls off;
select count(*) as n from t where k = @k option (recompile);
go
--> [n:int | ids:int]
--> 1 | 7
--> (1 rows affected)
--> [n:int | ids:int]
--> 0 | NULL
--> (1 rows affected)
--> [n:int | ids:int]
--> 6 | 189
--> (1 rows affected)
--> [n:int | ids:int]
--> 3 | 153
--> (1 rows affected)
--> [id:int | s:nvarchar(20)]
--> 57 | Name3
--> 51 | Name3
--> (2 rows affected)
--> [id:int]
--> 5
--> 6
--> (2 rows affected)
--> [n:decimal(38,2)]
--> 134.25
--> (1 rows affected)
--> [largest:decimal(9,2) | said:nvarchar(21) | written:nvarchar(max)]
--> 19.25 | NAME3! | [{"d":"2024-02-10"}]
--> (1 rows affected)
--> [n:int]
--> 8
--> (1 rows affected)
--> [part:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 6
--> (1 rows affected)
-- What fails, fails as without the hint.
declare @zero int = 0, @less int = -1, @text varchar(10) = 'x';
select 1 / @zero as n from u where id = 1 option (recompile);
select top (@less) id from t option (recompile);
select id from t where id = @text option (recompile);
go
--> [n:int]
--> Msg 8134, Level 16, State 1, Line 3: Divide by zero error encountered.
--> [id:int]
--> Msg 127, Level 15, State 1, Line 4: A TOP N or FETCH rowcount value may not be negative.
--> [id:int]
--> Msg 245, Level 16, State 1, Line 5: Conversion failed when converting the varchar value 'x' to data type int.
declare @zero int = 0;
select count(*) as n from t where 1 = 0 and id = 1 / @zero option (recompile);
go
--> [n:int]
--> 0
--> (1 rows affected)
-- Changes.
declare @id int = 3, @k int = 4, @new int = 5, @old int;
update t set k = @new, @old = k where (@id is null or id = @id) option (recompile);
select @old as old, k from t where id = 3;
delete u where t = @id and n > @k option (recompile);
insert u select id + @id * 1000, @k, @new from t where k = @k option (recompile);
merge u using (select id from t where id < @id) s on s.id = u.id when matched then update set n = @k when not matched then insert values (s.id, @id, @new) option (recompile);
select count(*) as n, sum(n) as total from u;
select id, k into #copy from t where (@k is null or k = @k) option (recompile);
select count(*) as n from #copy;
go
--> (1 rows affected)
--> [old:int | k:int]
--> 3 | 5
--> (1 rows affected)
--> (1 rows affected)
--> (5 rows affected)
--> (2 rows affected)
--> [n:int | total:decimal(38,2)]
--> 94 | 1037.75
--> (1 rows affected)
--> (5 rows affected)
--> [n:int]
--> 5
--> (1 rows affected)
-- Each execution has its own values.
create procedure p @id int, @k int as select count(*) as n from t where (@id is null or id = @id) and (@k is null or k = @k) option (recompile);
go
exec p 7, null;
exec p null, 4;
exec p null, null;
exec p 7, 4 with recompile;
declare @i int = 0;
while @i < 3 begin select @i as i, count(*) as n from t where k < @i option (recompile); set @i += 1; end
go
--> [n:int]
--> 1
--> (1 rows affected)
--> [n:int]
--> 5
--> (1 rows affected)
--> [n:int]
--> 60
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [i:int | n:int]
--> 0 | 0
--> (1 rows affected)
--> [i:int | n:int]
--> 1 | 6
--> (1 rows affected)
--> [i:int | n:int]
--> 2 | 12
--> (1 rows affected)
create procedure q @k int = 4 with recompile as select count(*) as n from t join u on u.t = t.id where t.k = @k;
go
exec q;
exec q 5;
exec sp_executesql N'select count(*) as n from t where k = @k option (recompile)', N'@k int', 4;
go
--> [n:int]
--> 12
--> (1 rows affected)
--> [n:int]
--> 8
--> (1 rows affected)
--> [n:int]
--> 5
--> (1 rows affected)
-- A cursor, and a table variable.
declare @k int = 4, @id int;
declare c cursor static for select id from t where k = @k order by id option (recompile);
open c;
fetch c into @id;
select @id as id;
deallocate c;
declare @v table(id int);
insert @v select id from t where k = @k;
select count(*) as n from @v v join t on t.id = v.id option (recompile);
go
--> [id:int]
--> 4
--> (1 rows affected)
--> (5 rows affected)
--> [n:int]
--> 5
--> (1 rows affected)
-- OPTIMIZE FOR.
declare @k int = 4, @s varchar(20) = 'Name3';
select count(*) as n from t where k = @k option (optimize for (@k = 5));
select count(*) as n from t where k = @k and s = @s option (optimize for (@k unknown, @s = 'Name4, or ''5'''), maxdop 1);
select count(*) as n from t where k > @k option (optimize for (@k = null));
select count(*) as n from t where k = @k option (optimize for unknown);
select count(*) as n from t where k = @k option (optimize for (@k = -3), use hint ('DISABLE_PARAMETER_SNIFFING'));
go
--> [n:int]
--> 5
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> [n:int]
--> 26
--> (1 rows affected)
--> [n:int]
--> 5
--> (1 rows affected)
--> [n:int]
--> 5
--> (1 rows affected)
declare @k int = 4;
select count(*) as n from t where k = @k option (optimize for (@j = 5));
go
--> Msg 137, Level 15, State 2, Line 2: Must declare the scalar variable "@j".
select count(*) as n from t option (use hint ('NO_SUCH_HINT'));
go
--> Msg 10715, Level 15, State 1, Line 1: 'NO_SUCH_HINT' is not a valid hint.
-- SET FORCEPLAN.
set forceplan on;
select count(*) as n, sum(u.n) as total from u join t on t.id = u.t;
select count(*) as n from u full join t on t.id = u.t;
select count(*) as n from u right join t on t.id = u.t;
select count(*) as n from u inner hash join t on t.id = u.t;
select count(*) as n from u join t on t.id = u.t option (hash join);
set forceplan off;
select count(*) as n, sum(u.n) as total from u join t on t.id = u.t;
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> [n:int | total:decimal(38,2)]
--> 84 | 874.00
--> (1 rows affected)
--> [n:int]
--> 94
--> (1 rows affected)
--> [n:int]
--> 84
--> (1 rows affected)
--> [n:int]
--> 84
--> (1 rows affected)
--> [n:int]
--> 84
--> (1 rows affected)
--> [n:int | total:decimal(38,2)]
--> 84 | 874.00
--> (1 rows affected)
-- Hints that leave no plan are refused before there is a result.
select u.id from u join t on t.id > u.t option (hash join);
go
--> Msg 8622, Level 16, State 1, Line 2: Query processor could not produce a query plan because of the hints defined in this query. Resubmit the query without specifying any hints and without using SET FORCEPLAN.
