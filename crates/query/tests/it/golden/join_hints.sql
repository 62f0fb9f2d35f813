-- What hints say of joins changes no answer: each query is asked without them, under OPTION with LOOP, HASH and MERGE JOIN and FORCE
-- ORDER, and, where it has a ~, with a word in its place. No row may be in one answer alone; where SQL Server has no plan, 8622.
create table one(id int not null primary key, k int null, s varchar(20) collate Latin1_General_CI_AS null, g int not null);
create table two(id int not null primary key, k int null, s varchar(20) collate Latin1_General_CI_AS null, one int not null, index two_k (k), index two_s (s), index two_one (one));
create table three(k int null, b bigint null, g int null);
create table four(k int not null, n int not null, s nvarchar(20) collate Latin1_General_BIN2 null, primary key (k, n), index four_s (s));
create table nothing(id int not null primary key, k int null, index nothing_k (k));
insert one select value, case when value % 13 = 0 then null else value % 20 end,
    case when value % 17 = 0 then null else concat(case value % 2 when 0 then 'Name' else 'NAME' end, value % 12) end, value % 5 from generate_series(1, 60);
insert two select value, case when value % 29 = 0 then null else value % 90 end,
    case when value % 31 = 0 then null else concat(case value % 3 when 0 then 'name' else 'Name' end, value % 40) end, value % 45 from generate_series(1, 320);
insert three select case when value % 11 = 0 then null else value % 30 end, value % 25, value % 6 from generate_series(1, 50);
insert four select value % 25, value, case when value % 7 = 0 then null else concat(N'Name', value % 14) end from generate_series(1, 80);
create table answer_a(c1 int, c2 int, c3 int, c4 int);
create table answer_b(c1 int, c2 int, c3 int, c4 int);
create table said(place int identity, hint varchar(60), differing int, refused int);
create table hints(place int not null primary key, word varchar(10) not null, opt varchar(60) not null);
insert hints values (1, '', 'option (loop join)'), (2, '', 'option (hash join)'), (3, '', 'option (force order)'), (4, '', 'option (merge join, force order)'),
    (5, 'loop', ''), (6, 'hash', ''), (7, 'merge', '');
go
--> (60 rows affected)
--> (320 rows affected)
--> (50 rows affected)
--> (80 rows affected)
--> (7 rows affected)
create procedure compare @what varchar(60), @text nvarchar(max) as
begin
    declare @place int = 0, @word varchar(10), @opt varchar(60), @asked nvarchar(max);
    set nocount on;
    set ansi_warnings off;
    truncate table answer_a;
    truncate table said;
    set @asked = replace(@text, '~ ', '');
    insert answer_a exec (@asked);
    while 1 = 1
    begin
        select top (1) @place = place, @word = word, @opt = opt from hints where place > @place and (word = '' or @text like '%~%') order by place;
        if @@rowcount = 0 break;
        truncate table answer_b;
        set @asked = concat(replace(@text, '~', @word), ' ', @opt);
        begin try
            insert answer_b exec (@asked);
            insert said select concat(@word, @opt),
                (select count(*) from (select c1, c2, c3, c4, count(*) as n from answer_a group by c1, c2, c3, c4
                    except select c1, c2, c3, c4, count(*) from answer_b group by c1, c2, c3, c4) x)
                + abs((select count(*) from answer_a) - (select count(*) from answer_b)), null;
        end try
        begin catch
            insert said values (concat(@word, @opt), 0, error_number());
        end catch
    end
    select @what as what, count(*) as found, sum(c1) as c1, sum(c2) as c2, (select sum(differing) from said) as differing,
        (select string_agg(concat(hint, ': ', refused), ', ') within group (order by place) from said where refused is not null) as refused
    from answer_a;
end
go
-- Inner joins.
exec dbo.compare 'by int', N'select x.id, y.id, x.g, 0 from one x inner ~ join two y on y.k = x.k';
exec dbo.compare 'by key', N'select x.id, y.id, x.g, 0 from two y inner ~ join one x on x.id = y.one';
exec dbo.compare 'without index', N'select x.id, z.g, z.k, 0 from one x inner ~ join three z on z.k = x.k';
exec dbo.compare 'int by bigint', N'select x.id, z.g, z.k, 0 from three z inner ~ join one x on x.id = z.b';
exec dbo.compare 'text', N'select x.id, y.id, 0, 0 from one x inner ~ join two y on y.s = x.s';
exec dbo.compare 'text of another collation', N'select x.id, f.n, f.k, 0 from one x inner ~ join four f on f.s = x.s collate Latin1_General_BIN2';
exec dbo.compare 'text by the other one', N'select x.id, f.n, f.k, 0 from one x inner ~ join four f on f.s collate Latin1_General_CI_AS = x.s';
exec dbo.compare 'expressions', N'select x.id, y.id, 0, 0 from one x inner ~ join two y on y.k + 1 = x.k * 2';
exec dbo.compare 'and more', N'select x.id, y.id, 0, 0 from one x inner ~ join two y on y.k = x.k and y.id > x.id * 3 and (x.g = 1 or y.one < 9)';
exec dbo.compare 'where', N'select x.id, y.id, 0, 0 from one x inner ~ join two y on y.id > x.id where y.k = x.k and x.g < 3';
exec dbo.compare 'two keys', N'select z.g, f.n, f.k, 0 from three z inner ~ join four f on f.k = z.k and f.n = z.b';
exec dbo.compare 'itself', N'select x.id, y.id, 0, 0 from one x inner ~ join one y on y.k = x.k';
exec dbo.compare 'empty right', N'select x.id, n.id, 0, 0 from one x inner ~ join nothing n on n.k = x.k';
exec dbo.compare 'empty left', N'select x.id, n.id, 0, 0 from nothing n inner ~ join one x on n.k = x.k';
exec dbo.compare 'no equality', N'select x.id, z.g, 0, 0 from one x inner ~ join three z on z.k > x.k';
exec dbo.compare 'across', N'select x.id, z.g, 0, 0 from one x cross join three z';
exec dbo.compare 'comma', N'select x.id, y.id, z.g, 0 from one x, two y, three z where y.k = x.k and z.k = y.k';
exec dbo.compare 'not connected', N'select x.id, z.g, f.k, 0 from one x, three z, four f where x.g = z.g and f.k < x.id and f.n = 7';
exec dbo.compare 'given rows', N'select x.id, v.a, 0, 0 from one x inner ~ join (values (1, 2), (3, 3), (3, 3), (null, 4)) v (a, b) on v.a = x.g';
exec dbo.compare 'one given row', N'select x.id, v.a, 0, 0 from one x join (values (3)) v (a) on v.a = x.g';
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> by int | 221 | 6680 | 32320 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> by key | 313 | 6945 | 50100 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> without index | 100 | 3016 | 242 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> int by bigint | 48 | 600 | 120 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> text | 446 | 13524 | 66076 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> text of another collation | 144 | 4296 | 5880 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> text by the other one | 277 | 8183 | 11127 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> expressions | 207 | 6171 | 32075 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> and more | 82 | 1990 | 16400 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> where | 102 | 3024 | 19224 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> two keys | 22 | 51 | 267 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> itself | 160 | 4840 | 4840 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> empty right | 0 | NULL | NULL | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> empty left | 0 | NULL | NULL | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> no equality | 1568 | 45170 | 3847 | 0 | option (hash join): 8622, option (merge join, force order): 8622, hash: 8622, merge: 8622
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> across | 3000 | 91500 | 7380 | 0 | option (hash join): 8622, option (merge join, force order): 8622
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> comma | 397 | 11944 | 57824 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> not connected | 444 | 15096 | 886 | 0 | option (hash join): 8622, option (merge join, force order): 8622
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> given rows | 36 | 1074 | 84 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> one given row | 12 | 366 | 36 | 0 | NULL
-- More tables.
exec dbo.compare 'five in a row', N'select x.id, y.id, z.g, f.n from one x inner ~ join two y on y.one = x.id join three z on z.k = y.k join four f on f.k = z.b join one x2 on x2.k = f.k where x.g = 1';
exec dbo.compare 'five around one', N'select y.id, x.id, z.g, f.n from two y join one x on x.id = y.one join three z on z.k = y.k join four f on f.n = y.k left ~ join nothing n on n.id = y.id where x.g < 3';
exec dbo.compare 'others first', N'select x.id, y.id, f.n, z.g from one x inner ~ join (two y join (three z join four f on f.k = z.k) on f.n = y.one) on x.id = y.one where z.g = 2';
exec dbo.compare 'nested on', N'select x.id, y.id, z.g, 0 from one x inner ~ join two y inner join three z on z.k = y.k on y.one = x.id';
exec dbo.compare 'cross first', N'select x.id, z.g, y.id, 0 from one x cross join three z join two y on y.k = x.k and y.one = z.b where z.g = 3';
exec dbo.compare 'by a sum', N'select x.id, z.g, y.id, 0 from one x join three z on z.k = x.k join two y on y.k = x.g + z.g where x.id < 20';
exec dbo.compare 'equal through others', N'select x.id, y.id, f.n, z.b from one x join two y on y.k = x.k join three z on z.k = x.k join four f on f.k = y.k where y.id < 250 and f.n < 50';
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> five in a row | 240 | 2340 | 35280 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> five around one | 105 | 15212 | 1262 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> others first | 86 | 1635 | 13605 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> nested on | 175 | 2262 | 25752 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> cross first | 72 | 2052 | 216 | 0 | option (merge join, force order): 8622
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> by a sum | 132 | 1304 | 320 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> equal through others | 588 | 17616 | 58926 | 0 | NULL
-- Outer joins.
exec dbo.compare 'left', N'select x.id, y.id, 0, 0 from one x left ~ join two y on y.k = x.k and y.id < 200';
exec dbo.compare 'left without index', N'select x.id, z.g, 0, 0 from one x left ~ join three z on z.k = x.k';
exec dbo.compare 'left, no equality', N'select x.id, z.g, 0, 0 from one x left ~ join three z on z.k > x.id';
exec dbo.compare 'left of none', N'select x.id, n.id, 0, 0 from one x left ~ join nothing n on n.k = x.k';
exec dbo.compare 'left, condition of the left', N'select x.id, y.id, 0, 0 from one x left ~ join two y on y.k = x.k and x.g = 2';
exec dbo.compare 'left that is inner', N'select x.id, y.id, 0, 0 from one x left ~ join two y on y.k = x.k where y.one > 10';
exec dbo.compare 'left, the missing', N'select x.id, 0, 0, 0 from two y left ~ join one x on x.id = y.one where x.id is null';
exec dbo.compare 'right', N'select x.id, y.id, 0, 0 from one x right ~ join two y on y.k = x.k and x.g = 1';
exec dbo.compare 'right from few', N'select x.id, y.id, 0, 0 from two y right ~ join one x on x.k = y.k';
exec dbo.compare 'right that is inner', N'select x.id, y.id, 0, 0 from one x right ~ join two y on y.k = x.k where x.g = 1';
exec dbo.compare 'full', N'select x.id, y.id, 0, 0 from one x full ~ join two y on y.k = x.k and y.id < 120';
exec dbo.compare 'full, no equality', N'select x.id, z.g, 0, 0 from one x full ~ join three z on z.k > x.id';
exec dbo.compare 'left after left', N'select x.id, y.id, z.g, 0 from one x left ~ join two y on y.one = x.id and y.k < 20 left join three z on z.k = y.k';
exec dbo.compare 'left of a join', N'select x.id, y.id, z.g, 0 from one x left ~ join (two y join three z on z.k = y.k) on y.one = x.id';
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> left | 169 | 5110 | 16680 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> left without index | 104 | 3146 | 242 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> left, no equality | 582 | 6434 | 1380 | 0 | option (hash join): 8622, option (merge join, force order): 8622, hash: 8622, merge: 8622
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> left of none | 60 | 1830 | NULL | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> left, condition of the left | 93 | 2736 | 6348 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> left that is inner | 96 | 3364 | 14404 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> left, the missing | 7 | NULL | 0 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> right | 348 | 1264 | 55388 | 0 | loop: 8622
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> right from few | 225 | 6810 | 32320 | 0 | loop: 8622
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> right that is inner | 44 | 1264 | 6324 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> full | 394 | 3410 | 55260 | 0 | loop: 8622
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> full, no equality | 589 | 6434 | 1396 | 0 | option (hash join): 8622, loop: 8622, hash: 8622
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> left after left | 181 | 3048 | 20308 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> left of a join | 207 | 3679 | 25752 | 0 | NULL
-- EXISTS, IN, values of queries, set operations, APPLY.
exec dbo.compare 'exists', N'select x.id, 0, 0, 0 from one x where exists (select * from two y where y.k = x.k and y.one > 3)';
exec dbo.compare 'not exists', N'select x.id, 0, 0, 0 from one x where not exists (select * from two y where y.one = x.id and y.k > 60)';
exec dbo.compare 'exists without index', N'select x.id, 0, 0, 0 from one x where exists (select * from three z where z.b = x.id)';
exec dbo.compare 'not exists, no equality', N'select x.id, 0, 0, 0 from one x where not exists (select * from three z where z.b > x.id)';
exec dbo.compare 'in', N'select y.id, 0, 0, 0 from two y where y.k in (select k from three)';
exec dbo.compare 'in few', N'select y.id, 0, 0, 0 from two y where y.k in (select k from one where g = 2)';
exec dbo.compare 'not in', N'select y.id, 0, 0, 0 from two y where y.k not in (select k from three where k is not null)';
exec dbo.compare 'not in, a NULL', N'select y.id, 0, 0, 0 from two y where y.k not in (select k from three)';
exec dbo.compare 'in below or', N'select x.id, 0, 0, 0 from one x where x.g = 4 or x.id in (select one from two where id < 30)';
exec dbo.compare 'in beside joins', N'select x.id, y.id, 0, 0 from one x inner ~ join two y on y.one = x.id where y.k in (select k from three where g = 1)';
exec dbo.compare 'exists of a join', N'select x.id, 0, 0, 0 from one x where exists (select * from two y join three z on z.k = y.k where y.one = x.id)';
exec dbo.compare 'aggregate', N'select x.id, (select max(y.id) from two y where y.one = x.id), (select count(*) from three z where z.k = x.k), 0 from one x';
exec dbo.compare 'value', N'select x.id, (select top (1) y.id from two y where y.k = x.k order by y.id desc), 0, 0 from one x';
exec dbo.compare 'except', N'select k, g, 0, 0 from one except select k, g, 0, 0 from three';
exec dbo.compare 'intersect', N'select k, 0, 0, 0 from one intersect select k, 0, 0, 0 from two';
exec dbo.compare 'intersect of texts', N'select len(s), 0, 0, 0 from (select s from one intersect select s from two) x';
exec dbo.compare 'apply', N'select x.id, y.id, 0, 0 from one x cross apply (select id from two where k = x.k) y';
exec dbo.compare 'apply of the first', N'select x.id, y.id, 0, 0 from one x outer apply (select top (2) id from two where k = x.k order by id) y';
go
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> exists | 44 | 1382 | 0 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> not exists | 31 | 960 | 0 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> exists without index | 24 | 300 | 0 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> not exists, no equality | 37 | 1554 | 0 | 0 | option (hash join): 8622, option (merge join, force order): 8622
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> in | 111 | 16674 | 0 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> in few | 16 | 2312 | 0 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> not in | 198 | 32772 | 0 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> not in, a NULL | 0 | NULL | NULL | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> in below or | 35 | 714 | 0 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> in beside joins | 20 | 260 | 2960 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> exists of a join | 28 | 413 | 0 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> aggregate | 60 | 1830 | 13095 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> value | 60 | 1830 | 15640 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> except | 16 | 180 | 31 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> intersect | 21 | 190 | 0 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> intersect of texts | 13 | 62 | 0 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> apply | 221 | 6680 | 32320 | 0 | NULL
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> apply of the first | 116 | 3530 | 6620 | 0 | NULL
-- Views, common table expressions, derived tables, groups, windows, the first rows.
create view joined as select x.id, x.g, y.id as y, y.k from one x join two y on y.one = x.id;
go
create view hashed as select x.id, x.g, y.id as y, y.k from one x inner hash join two y on y.one = x.id;
go
create function of_group(@g int) returns table as return select x.id, y.id as y, y.k from one x inner loop join two y on y.k = x.k where x.g = @g;
go
exec dbo.compare 'view', N'select v.id, v.y, z.g, 0 from joined v inner ~ join three z on z.k = v.k';
exec dbo.compare 'view with a word', N'select v.id, v.y, z.g, 0 from hashed v join three z on z.k = v.k';
exec dbo.compare 'function with a word', N'select v.id, v.y, z.g, 0 from of_group(2) v join three z on z.k = v.k';
exec dbo.compare 'expression', N'with v as (select x.id, y.k, y.id as y from one x join two y on y.k = x.k where x.g = 1) select a.id, a.y, b.y, 0 from v a inner ~ join v b on b.k = a.k';
exec dbo.compare 'derived', N'select d.id, d.n, f.n, 0 from (select x.id, x.k, count(*) as n from one x join two y on y.one = x.id group by x.id, x.k) d inner ~ join four f on f.k = d.k';
exec dbo.compare 'groups', N'select x.g, count(*), max(y.id), min(z.b) from one x inner ~ join two y on y.k = x.k left join three z on z.k = y.one group by x.g';
exec dbo.compare 'window', N'select x.id, y.id, row_number() over (partition by x.g order by y.id, x.id), 0 from one x inner ~ join two y on y.k = x.k where y.one < 30';
exec dbo.compare 'distinct', N'select distinct x.k, z.g, z.k, x.g from one x inner ~ join three z on z.k = x.k';
exec dbo.compare 'the first', N'select top (7) x.id, y.id, 0, 0 from one x inner ~ join two y on y.k = x.k order by y.id desc, x.id';
exec dbo.compare 'union', N'select x.id, y.id, 0, 0 from one x inner ~ join two y on y.k = x.k union all select z.g, f.n, 1, 0 from three z join four f on f.k = z.k';
exec dbo.compare 'system views', N'select count(*), count(distinct c.name), 0, 0 from sys.objects o inner ~ join sys.columns c on c.object_id = o.object_id where o.name in (''one'', ''two'', ''three'')';
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> view | 175 | 2262 | 25752 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> view with a word | 175 | 2262 | 25752 | 0 | option (loop join): 1042, option (merge join, force order): 1042
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> function with a word | 88 | 2416 | 12696 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> expression | 496 | 14336 | 71376 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> derived | 137 | 3036 | 979 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> groups | 5 | 10 | 397 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> window | 221 | 6680 | 32320 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> distinct | 20 | 190 | 46 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> the first | 7 | 246 | 2016 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> union | 353 | 6989 | 37552 | 0 | NULL
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [what:varchar(60) | found:int | c1:int | c2:int | differing:int | refused:varchar(8000)]
--> system views | 1 | 11 | 6 | 0 | NULL
-- Changes.
create table target(id int not null primary key, v int null);
go
create procedure changed @hint varchar(60), @word varchar(10) as
begin
    declare @text nvarchar(max);
    set nocount on;
    truncate table target;
    set @text = concat('insert target select x.id, max(y.id) from one x inner ', @word, ' join two y on y.one = x.id group by x.id ', @hint);
    exec (@text);
    set @text = concat('update t set v = t.v + z.b from target t inner ', @word, ' join three z on z.b = t.id ', @hint);
    exec (@text);
    set @text = concat('delete t from target t inner ', @word, ' join four f on f.n = t.id where f.k = 3 ', @hint);
    exec (@text);
    set @text = concat('delete target where id in (select b from three where g = 5) ', @hint);
    exec (@text);
    set @text = concat('merge target t using (select x.id, max(z.g) as g from one x inner ', @word, ' join three z on z.b = x.id where z.k < 20 group by x.id having max(z.b) < 9) s on s.id = t.id
        when matched and t.id % 2 = 0 then delete when not matched then insert values (s.id, s.g) when not matched by source and t.id = 40 then update set v = -1 ', @hint, ';');
    exec (@text);
    select concat(@hint, @word) as hint, count(*) as n, sum(id) as id, sum(v) as v from target;
end
go
exec changed '', '';
exec changed 'option (loop join)', '';
exec changed 'option (hash join)', '';
exec changed 'option (merge join)', '';
exec changed 'option (force order)', '';
exec changed 'option (force order, loop join)', '';
exec changed '', 'loop';
exec changed '', 'hash';
exec changed 'option (maxdop 1)', 'merge';
go
--> [hint:varchar(70) | n:int | id:int | v:int]
-->  | 34 | 847 | 9124
--> [hint:varchar(70) | n:int | id:int | v:int]
--> option (loop join) | 34 | 847 | 9124
--> [hint:varchar(70) | n:int | id:int | v:int]
--> option (hash join) | 34 | 847 | 9124
--> [hint:varchar(70) | n:int | id:int | v:int]
--> option (merge join) | 34 | 847 | 9124
--> [hint:varchar(70) | n:int | id:int | v:int]
--> option (force order) | 34 | 847 | 9124
--> [hint:varchar(70) | n:int | id:int | v:int]
--> option (force order, loop join) | 34 | 847 | 9124
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [hint:varchar(70) | n:int | id:int | v:int]
--> loop | 34 | 847 | 9124
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [hint:varchar(70) | n:int | id:int | v:int]
--> hash | 34 | 847 | 9124
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> [hint:varchar(70) | n:int | id:int | v:int]
--> option (maxdop 1)merge | 34 | 847 | 9124
-- Temporary tables, table variables, parameters.
create table #few(id int not null, k int null, index few_k (k));
insert #few select id, k from one where g = 1;
declare @many table (id int not null primary key, k int null);
insert @many select id, k from two where id <= 300;
declare @least int = 5, @most int = 200;
select count(*) as n, sum(f.id) as f, sum(m.id) as m from #few f join @many m on m.k = f.k where m.id between @least and @most;
select count(*) as n, sum(f.id) as f, sum(m.id) as m from #few f join @many m on m.k = f.k where m.id between @least and @most option (loop join);
select count(*) as n, sum(f.id) as f, sum(m.id) as m from #few f join @many m on m.k = f.k where m.id between @least and @most option (hash join);
select count(*) as n, sum(f.id) as f, sum(m.id) as m from @many m join #few f on m.k = f.k where m.id between @least and @most option (loop join, force order);
select count(*) as n, sum(f.id) as f, sum(y.id) as y from two y join #few f on y.k = f.k where y.id between @least and @most option (loop join);
select count(*) as n, sum(f.id) as f, sum(y.id) as y from two y join #few f on y.k = f.k where y.id between @least and @most option (hash join);
select count(*) as n, sum(f.id) as f, sum(y.id) as y from #few f left join two y on y.k = f.k and y.id < @most option (loop join);
select count(*) as n, sum(f.id) as f, sum(y.id) as y from #few f left join two y on y.k = f.k and y.id < @most option (merge join);
select count(*) as n from one x join two y on @least = 5 and y.k = x.k option (hash join);
select count(*) as n from one x join two y on @least = 6 and y.k = x.k option (loop join);
select count(*) as n from one x join two y on @least = 5 option (hash join);
if exists (select * from one x inner hash join two y on y.one = x.id join three z on z.k = y.k where x.g = @least - 4) print 'there is one';
declare @found int = (select count(*) from one x inner loop join two y on y.one = x.id);
print @found;
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> # Warning: The join order has been enforced because a local join hint is used.
--> (12 rows affected)
--> (300 rows affected)
--> [n:int | f:int | m:int]
--> 30 | 885 | 3255
--> (1 rows affected)
--> [n:int | f:int | m:int]
--> 30 | 885 | 3255
--> (1 rows affected)
--> [n:int | f:int | m:int]
--> 30 | 885 | 3255
--> (1 rows affected)
--> [n:int | f:int | m:int]
--> 30 | 885 | 3255
--> (1 rows affected)
--> [n:int | f:int | y:int]
--> 30 | 885 | 3255
--> (1 rows affected)
--> [n:int | f:int | y:int]
--> 30 | 885 | 3255
--> (1 rows affected)
--> [n:int | f:int | y:int]
--> 34 | 974 | 3258
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [n:int | f:int | y:int]
--> 34 | 974 | 3258
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
--> [n:int]
--> 221
--> (1 rows affected)
--> [n:int]
--> 0
--> (1 rows affected)
--> Msg 8622, Level 16, State 1, Line 17: Query processor could not produce a query plan because of the hints defined in this query. Resubmit the query without specifying any hints and without using SET FORCEPLAN.
--> # there is one
--> # 313
execute sp_executesql N'select count(*) as n, sum(y.id) as y from one x join two y on y.k = x.k where x.g = @g option (loop join)', N'@g int', 3;
execute sp_executesql N'select count(*) as n, sum(y.id) as y from one x join two y on y.k = x.k where x.g = @g option (hash join)', N'@g int', 3;
execute sp_executesql N'select count(*) as n, sum(y.id) as y from one x join two y on y.k = x.k where x.g = @g', N'@g int', 3;
go
--> [n:int | y:int]
--> 44 | 6392
--> (1 rows affected)
--> [n:int | y:int]
--> 44 | 6392
--> (1 rows affected)
--> [n:int | y:int]
--> 44 | 6392
--> (1 rows affected)
-- What is refused, and what is said.
select count(*) as n from one x inner hash join two y on y.k = x.k option (loop join);
go
--> Msg 1042, Level 15, State 1, Line 2: Conflicting JOIN optimizer hints specified.
select count(*) as n from one x inner hash join two y on y.k = x.k option (loop join, hash join);
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> [n:int]
--> 221
--> (1 rows affected)
select count(*) as n from hashed option (merge join);
go
--> Msg 1042, Level 15, State 1, Line 1: Conflicting JOIN optimizer hints specified.
select count(*) as n from one x inner remote join two y on y.k = x.k option (hash join);
go
--> Msg 1071, Level 16, State 1, Line 1: Cannot specify a JOIN algorithm with a remote JOIN.
select count(*) as n from one x inner remote join two y on y.k = x.k;
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> [n:int]
--> 221
--> (1 rows affected)
select count(*) as n from one x left remote join two y on y.k = x.k;
go
--> Msg 1072, Level 16, State 1, Line 1: A REMOTE hint can only be specified with an INNER JOIN clause.
select count(*) as n from one x inner quick join two y on y.k = x.k;
go
--> Msg 155, Level 15, State 1, Line 1: 'quick' is not a recognized join option.
select count(*) as n from one x inner merge hash join two y on y.k = x.k;
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'hash'.
select count(*) as n from one x inner hash join two y on y.k > x.k;
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> Msg 8622, Level 16, State 1, Line 1: Query processor could not produce a query plan because of the hints defined in this query. Resubmit the query without specifying any hints and without using SET FORCEPLAN.
select count(*) as n from one x right loop join two y on y.k = x.k;
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> Msg 8622, Level 16, State 1, Line 1: Query processor could not produce a query plan because of the hints defined in this query. Resubmit the query without specifying any hints and without using SET FORCEPLAN.
select count(*) as n from one x inner hash join two y on y.k = x.k inner loop join three z on z.k = x.k;
select count(*) as n from one x inner hash join two y on y.k = x.k option (force order);
go
--> # Warning: The join order has been enforced because a local join hint is used.
--> [n:int]
--> 397
--> (1 rows affected)
--> [n:int]
--> 221
--> (1 rows affected)
-- Queries in ON keep their columns where the sides change places, and an outer merge join asks its condition of rows that have no partner.
select x.id, y.id from (values (1, 5)) x(id, a) right join (values (7, 1)) y(id, b) on x.id = y.b and exists (select 1 from one e where e.id = x.a) option (loop join);
select x.id, y.id from (values (1, 5)) x(id, a) right join (values (7, 1)) y(id, b) on x.id = y.b and x.a in (select e.id from one e where e.id = x.a) option (loop join);
select count(*) as n from (select distinct id, id as a from one) x full join (select distinct id, id % 7 as b from two) y on x.id = y.b and x.a = (select max(e.id) from one e where e.id = x.a) where y.id > 0 option (loop join);
select p.i, g.c from (values (1)) p(i) left join (select distinct id as i, 1 as c from two where id = 2) g on p.i = g.i and g.c > p.i option (merge join);
select p.i, g.c from (values (1)) p(i) full join (select id as i, isnull(sum(k), 0) as c from two where id = 2 group by id) g on p.i = g.i and g.c > p.i option (merge join);
go
--> [id:int | id:int]
--> 1 | 7
--> (1 rows affected)
--> [id:int | id:int]
--> 1 | 7
--> (1 rows affected)
--> [n:int]
--> 320
--> (1 rows affected)
--> [i:int | c:int]
--> 1 | NULL
--> (1 rows affected)
--> [i:int | c:int]
--> 1 | NULL
--> NULL | 2
--> (2 rows affected)
update t set v = 0 from target t inner hash join one x on x.id = t.id option (loop join);
go
--> Msg 1042, Level 15, State 1, Line 1: Conflicting JOIN optimizer hints specified.
drop procedure compare;
drop procedure changed;
drop view joined;
drop view hashed;
drop function of_group;
go
