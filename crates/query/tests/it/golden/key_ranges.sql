-- A join whose one side has few keys reads of the other side's index the ranges that they lie in; abs() hides from the estimates how few
-- these are, so that it hashes. Each statement is asked a second time
-- over a heap of the same rows: no row may be in one answer alone.
create table heap(id int not null, k int null, b bigint null, t tinyint null, s smallint null, qty int not null, pad char(160) not null default 'x');
insert heap(id, k, b, t, s, qty)
select value, case when value % 19 = 0 then null else value / 10 - 300 end,
    case when value % 23 = 0 then null else (cast(value as bigint) / 7 - 500) * 6000000000 end,
    case when value % 29 = 0 then null else value / 40 end, case when value % 31 = 0 then null else value / 3 - 1500 end, value * 31 % 100
from generate_series(1, 9000);
create table up(id int not null, k int null, b bigint null, t tinyint null, s smallint null, qty int not null, pad char(160) not null default 'x', index up_k clustered (k, id));
create table down(id int not null, k int null, b bigint null, t tinyint null, s smallint null, qty int not null, pad char(160) not null default 'x', index down_k clustered (k desc, id));
create table big(id int not null, k int null, b bigint null, t tinyint null, s smallint null, qty int not null, pad char(160) not null default 'x', index big_b clustered (b, id desc));
create table tiny(id int not null, k int null, b bigint null, t tinyint null, s smallint null, qty int not null, pad char(160) not null default 'x', index tiny_t clustered (t desc, s));
create table small(id int not null, k int null, b bigint null, t tinyint null, s smallint null, qty int not null, pad char(160) not null default 'x', index small_s clustered (s));
insert up select * from heap;
insert down select * from heap;
insert big select * from heap;
insert tiny select * from heap;
insert small select * from heap;
create table keys(id int not null primary key, k int null, b bigint null, kind int not null);
insert keys select value, case when value % 11 = 0 then null else value * 7 - 350 end, (cast(value as bigint) * 5 - 600) * 6000000000, value % 20 from generate_series(0, 3999);
insert keys values (10000, 2147483647, 9223372036854775807, 30), (10001, -2147483648, -9223372036854775808, 30), (10002, 40000, 300, 30), (10003, 5, 5, 30);
create table answer_a(c1 int, c2 int, c3 int, c4 int);
create table answer_b(c1 int, c2 int, c3 int, c4 int);
go
--> (9000 rows affected)
--> (9000 rows affected)
--> (9000 rows affected)
--> (9000 rows affected)
--> (9000 rows affected)
--> (9000 rows affected)
--> (4000 rows affected)
--> (4 rows affected)
-- A text with @ for the table.
create procedure compare @what varchar(60), @text nvarchar(max), @of sysname as
begin
    declare @ranges nvarchar(max) = replace(@text, '@', @of), @plain nvarchar(max) = replace(@text, '@', 'heap');
    set nocount on;
    set ansi_warnings off;
    truncate table answer_a;
    truncate table answer_b;
    insert answer_a exec (@ranges);
    insert answer_b exec (@plain);
    select concat(@what, ', ', @of) as what, count(*) as found, sum(cast(c1 as bigint)) as c1, sum(c2) as c2,
        (select count(*) from (select * from answer_a except select * from answer_b) x)
        + (select count(*) from (select * from answer_b except select * from answer_a) x)
        + abs((select count(*) from answer_a) - (select count(*) from answer_b)) as differing
    from answer_a;
end
go
create procedure compare_all @what varchar(60), @text nvarchar(max) as
begin
    set nocount on;
    exec dbo.compare @what, @text, 'up';
    exec dbo.compare @what, @text, 'down';
    exec dbo.compare @what, @text, 'big';
    exec dbo.compare @what, @text, 'tiny';
    exec dbo.compare @what, @text, 'small';
end
go
exec dbo.compare_all 'by int', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.k = y.k where abs(y.kind) = 3';
exec dbo.compare_all 'by bigint', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.b = y.b where abs(y.kind) < 4';
exec dbo.compare_all 'int by bigint', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.k = y.b where (abs(y.kind) = 3 or abs(y.kind) = 30)';
exec dbo.compare_all 'tinyint by int', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.t = y.k where (abs(y.kind) = 5 or abs(y.kind) = 30)';
exec dbo.compare_all 'smallint by int', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.s = y.k where (abs(y.kind) = 5 or abs(y.kind) = 6 or abs(y.kind) = 30)';
exec dbo.compare_all 'extremes', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.k = y.k and y.b = y.b where abs(y.kind) = 30';
exec dbo.compare_all 'a range of its own', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.k = y.k where abs(y.kind) < 6 and x.k between -100 and 222';
exec dbo.compare_all 'two columns', N'select x.id, x.qty, y.id, z.id from @ x join keys y on x.k = y.k join keys z on x.s = z.k where abs(y.kind) < 8 and abs(z.kind) < 15';
exec dbo.compare_all 'no key', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.k = y.k where abs(y.kind) = 99';
exec dbo.compare_all 'IN', N'select x.id, x.qty, 0, 0 from @ x where x.k in (select k from keys where abs(kind) = 4)';
exec dbo.compare_all 'NOT IN', N'select x.id, x.qty, 0, 0 from @ x where x.k not in (select k from keys where abs(kind) = 4 and k is not null)';
exec dbo.compare_all 'EXISTS', N'select x.id, x.qty, 0, 0 from @ x where exists (select * from keys y where y.k = x.s and abs(y.kind) = 4)';
exec dbo.compare_all 'NOT EXISTS', N'select x.id, x.qty, 0, 0 from @ x where not exists (select * from keys y where y.k = x.k and abs(y.kind) < 19)';
exec dbo.compare_all 'LEFT JOIN', N'select y.id, x.qty, x.id, 0 from keys y left join @ x on x.k = y.k where abs(y.kind) = 7';
exec dbo.compare_all 'RIGHT JOIN', N'select y.id, x.qty, x.id, 0 from keys y right join @ x on x.k = y.k and abs(y.kind) = 7 where x.qty = 5';
exec dbo.compare_all 'FULL JOIN', N'select y.id, x.qty, x.id, 0 from (select * from keys where abs(kind) = 7) y full join @ x on x.k = y.k where x.qty < 9 or x.qty is null';
exec dbo.compare_all 'groups', N'select x.k, count(*), sum(x.qty), max(y.id) from @ x join keys y on x.k = y.k where (abs(y.kind) = 3 or abs(y.kind) = 13) group by x.k';
exec dbo.compare_all 'TOP in order', N'select top 9 x.id, x.qty, x.k, 0 from @ x join keys y on x.k = y.k where (abs(y.kind) = 3 or abs(y.kind) = 13) order by x.k desc, x.id';
exec dbo.compare_all 'window', N'select x.id, row_number() over (order by x.k, x.id), sum(x.qty) over (partition by x.k order by x.id), 0 from @ x join keys y on x.k = y.k where (abs(y.kind) = 3 or abs(y.kind) = 13)';
exec dbo.compare_all 'repeatable read', N'select x.id, x.qty, y.id, 0 from @ x with (repeatableread) join keys y on x.k = y.k where abs(y.kind) = 3';
exec dbo.compare_all 'serializable', N'select x.id, x.qty, y.id, 0 from @ x with (serializable) join keys y on x.k = y.k where abs(y.kind) = 3';
exec dbo.compare_all 'uncommitted', N'select x.id, x.qty, y.id, 0 from @ x with (nolock) join keys y on x.k = y.k where abs(y.kind) = 3';
go
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by int, up | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by int, down | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by int, big | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by int, tiny | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by int, small | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by bigint, up | 345 | 1466064 | 16984 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by bigint, down | 345 | 1466064 | 16984 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by bigint, big | 345 | 1466064 | 16984 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by bigint, tiny | 345 | 1466064 | 16984 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> by bigint, small | 345 | 1466064 | 16984 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> int by bigint, up | 18 | 81527 | 937 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> int by bigint, down | 18 | 81527 | 937 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> int by bigint, big | 18 | 81527 | 937 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> int by bigint, tiny | 18 | 81527 | 937 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> int by bigint, small | 18 | 81527 | 937 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> tinyint by int, up | 76 | 168686 | 3666 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> tinyint by int, down | 76 | 168686 | 3666 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> tinyint by int, big | 76 | 168686 | 3666 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> tinyint by int, tiny | 76 | 168686 | 3666 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> tinyint by int, small | 76 | 168686 | 3666 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> smallint by int, up | 73 | 438342 | 3702 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> smallint by int, down | 73 | 438342 | 3702 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> smallint by int, big | 73 | 438342 | 3702 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> smallint by int, tiny | 73 | 438342 | 3702 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> smallint by int, small | 73 | 438342 | 3702 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> extremes, up | 9 | 27486 | 466 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> extremes, down | 9 | 27486 | 466 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> extremes, big | 9 | 27486 | 466 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> extremes, tiny | 9 | 27486 | 466 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> extremes, small | 9 | 27486 | 466 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> a range of its own, up | 127 | 448491 | 6321 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> a range of its own, down | 127 | 448491 | 6321 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> a range of its own, big | 127 | 448491 | 6321 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> a range of its own, tiny | 127 | 448491 | 6321 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> a range of its own, small | 127 | 448491 | 6321 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> two columns, up | 29 | 179937 | 1447 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> two columns, down | 29 | 179937 | 1447 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> two columns, big | 29 | 179937 | 1447 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> two columns, tiny | 29 | 179937 | 1447 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> two columns, small | 29 | 179937 | 1447 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> no key, up | 0 | NULL | NULL | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> no key, down | 0 | NULL | NULL | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> no key, big | 0 | NULL | NULL | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> no key, tiny | 0 | NULL | NULL | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> no key, small | 0 | NULL | NULL | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> IN, up | 48 | 240253 | 2343 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> IN, down | 48 | 240253 | 2343 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> IN, big | 48 | 240253 | 2343 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> IN, tiny | 48 | 240253 | 2343 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> IN, small | 48 | 240253 | 2343 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT IN, up | 8479 | 38134328 | 419768 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT IN, down | 8479 | 38134328 | 419768 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT IN, big | 8479 | 38134328 | 419768 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT IN, tiny | 8479 | 38134328 | 419768 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT IN, small | 8479 | 38134328 | 419768 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> EXISTS, up | 34 | 212170 | 1670 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> EXISTS, down | 34 | 212170 | 1670 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> EXISTS, big | 34 | 212170 | 1670 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> EXISTS, tiny | 34 | 212170 | 1670 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> EXISTS, small | 34 | 212170 | 1670 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT EXISTS, up | 7950 | 35738245 | 393595 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT EXISTS, down | 7950 | 35738245 | 393595 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT EXISTS, big | 7950 | 35738245 | 393595 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT EXISTS, tiny | 7950 | 35738245 | 393595 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> NOT EXISTS, small | 7950 | 35738245 | 393595 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> LEFT JOIN, up | 250 | 403210 | 2728 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> LEFT JOIN, down | 250 | 403210 | 2728 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> LEFT JOIN, big | 250 | 403210 | 2728 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> LEFT JOIN, tiny | 250 | 403210 | 2728 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> LEFT JOIN, small | 250 | 403210 | 2728 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> RIGHT JOIN, up | 90 | NULL | 450 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> RIGHT JOIN, down | 90 | NULL | 450 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> RIGHT JOIN, big | 90 | NULL | 450 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> RIGHT JOIN, tiny | 90 | NULL | 450 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> RIGHT JOIN, small | 90 | NULL | 450 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> FULL JOIN, up | 1004 | 399400 | 3240 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> FULL JOIN, down | 1004 | 399400 | 3240 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> FULL JOIN, big | 1004 | 399400 | 3240 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> FULL JOIN, tiny | 1004 | 399400 | 3240 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> FULL JOIN, small | 1004 | 399400 | 3240 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> groups, up | 12 | 2212 | 113 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> groups, down | 12 | 2212 | 113 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> groups, big | 12 | 2212 | 113 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> groups, tiny | 12 | 2212 | 113 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> groups, small | 12 | 2212 | 113 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> TOP in order, up | 9 | 79329 | 399 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> TOP in order, down | 9 | 79329 | 399 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> TOP in order, big | 9 | 79329 | 399 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> TOP in order, tiny | 9 | 79329 | 399 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> TOP in order, small | 9 | 79329 | 399 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> window, up | 113 | 545241 | 6441 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> window, down | 113 | 545241 | 6441 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> window, big | 113 | 545241 | 6441 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> window, tiny | 113 | 545241 | 6441 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> window, small | 113 | 545241 | 6441 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> repeatable read, up | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> repeatable read, down | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> repeatable read, big | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> repeatable read, tiny | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> repeatable read, small | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> serializable, up | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> serializable, down | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> serializable, big | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> serializable, tiny | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> serializable, small | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> uncommitted, up | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> uncommitted, down | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> uncommitted, big | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> uncommitted, tiny | 58 | 264843 | 2933 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> uncommitted, small | 58 | 264843 | 2933 | 0
-- Changes by such a join, and what it reads of its own transaction.
begin transaction;
update x set qty = 1000 from up x join keys y on x.k = y.k where abs(y.kind) = 3;
update x set qty = 1000 from heap x join keys y on x.k = y.k where abs(y.kind) = 3;
delete x from up x join keys y on x.k = y.k where abs(y.kind) = 4;
delete x from heap x join keys y on x.k = y.k where abs(y.kind) = 4;
update up set k = k + 1000 where k between 0 and 100;
update heap set k = k + 1000 where k between 0 and 100;
insert up(id, k, qty) select 100000 + id, k, 7 from keys where abs(kind) = 4 and k is not null;
insert heap(id, k, qty) select 100000 + id, k, 7 from keys where abs(kind) = 4 and k is not null;
exec dbo.compare 'changed', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.k = y.k where abs(y.kind) < 9', 'up';
exec dbo.compare 'moved', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.k = y.k + 1000 where abs(y.kind) < 9', 'up';
rollback;
exec dbo.compare 'undone', N'select x.id, x.qty, y.id, 0 from @ x join keys y on x.k = y.k where abs(y.kind) < 9', 'up';
go
--> (58 rows affected)
--> (58 rows affected)
--> (48 rows affected)
--> (48 rows affected)
--> (946 rows affected)
--> (946 rows affected)
--> (182 rows affected)
--> (182 rows affected)
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> changed, up | 650 | 20662796 | 70890 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> moved, up | 38 | 144761 | 10430 | 0
--> [what:nvarchar(190) | found:int | c1:bigint | c2:int | differing:int]
--> undone, up | 479 | 2202350 | 23650 | 0
drop procedure compare_all;
drop procedure compare;
go
