-- differs temporary: a message names a constraint's table
-- REGEXP_LIKE is a condition: in WHERE, CASE and CHECK, unknown beside NULL
create table people (id int primary key, name varchar(20), phone nvarchar(20), constraint ck_phone check (regexp_like (phone, '^(\d{3})-(\d{3})-(\d{4})$')))
insert people values (1, 'Amy', N'123-456-7890'), (2, 'Andy', N'321-456-7111'), (3, 'bob', null)
insert people values (4, 'Eve', N'12-3')
select id from people where regexp_like (name, '^A.*y$') order by id
select id from people where regexp_like (name, '^B', 'i') order by id
select id, case when regexp_like (phone, '^1') then 'one' when not regexp_like (phone, '^1') then 'other' else 'unknown' end as w from people order by id
go
--> (3 rows affected)
--> Msg 547, Level 16, State 0, Line 4: The INSERT statement conflicted with the CHECK constraint "ck_phone". The conflict occurred in database "master", table "dbo.people", column 'phone'.
--> # The statement has been terminated.
--> [id:int]
--> 1
--> 2
--> (2 rows affected)
--> [id:int]
--> 3
--> (1 rows affected)
--> [id:int | w:varchar(7)]
--> 1 | one
--> 2 | other
--> 3 | unknown
--> (3 rows affected)
-- As a value it is a word at the wrong place, with too few or too many arguments a mistake of syntax
select regexp_like('a', 'a')
go
--> Msg 156, Level 15, State 1, Line 2: Incorrect syntax near the keyword 'REGEXP_LIKE'.
select 1 where regexp_like('a')
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ')'.
select 1 where regexp_like('a', 'a', 'c', 1)
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near ','.
-- Types of results: those of the text, replaced ones as long as can be
select regexp_substr('abc123', '\d+') as s, regexp_substr(N'abc', 'b') as n, regexp_count('aXa', 'a') as c, regexp_instr('aXa', 'X') as i, regexp_replace('abc', 'b', N'-') as r, regexp_replace(N'abc', 'b', '-') as u, regexp_replace(cast('abc' as varchar(max)), 'b', '-') as m
select regexp_replace('123-456-7890', '(\d{3})-(\d{3})-(\d{4})', '(\1) \2-\3') as a, regexp_replace('123-456-7890', '(\d{3})-(\d{3})-(\d{4})', '(\1) (\4)-xxxx') as b
select n, count(*) as k from (select regexp_count(name, '[aeiou]', 1, 'i') as n from people) t group by n order by n
go
--> [s:varchar(6) | n:nvarchar(3) | c:int | i:int | r:varchar(8000) | u:nvarchar(4000) | m:varchar(max)]
--> 123 | b | 2 | 2 | a-c | a-c | a-c
--> (1 rows affected)
--> [a:varchar(8000) | b:varchar(8000)]
--> (123) 456-7890 | (123) ()-xxxx
--> (1 rows affected)
--> [n:int | k:int]
--> 1 | 3
--> (1 rows affected)
-- The pattern may come with the rows; a bad one matters only where a row is looked at
create table rules (id int primary key, pattern varchar(20))
insert rules values (1, '^a'), (2, 'y$'), (3, null)
select p.id, r.id as rule_id from people p join rules r on regexp_like (p.name, r.pattern, 'i') order by p.id, r.id
delete people
select id from people where regexp_like (name, '(')
select regexp_count(null, '(') as n
go
--> (3 rows affected)
--> [id:int | rule_id:int]
--> 1 | 1
--> 1 | 2
--> 2 | 1
--> 2 | 2
--> (4 rows affected)
--> (3 rows affected)
--> [id:int]
--> (0 rows affected)
--> [n:int]
--> NULL
--> (1 rows affected)
-- Matches and pieces as rows
select * from regexp_matches('ab12-cd34', '([a-z]+)(\d+)?')
select value, ordinal from regexp_split_to_table('a1b22c', '\d+')
select value from regexp_split_to_table('abc', '')
select '[' + value + ']' as v from regexp_split_to_table(',a,,b,', ',')
select match_id, start_position, end_position, match_value from regexp_matches(N'a😀b', '.')
select start_position, end_position from regexp_matches('abc', '')
select * from regexp_matches(null, 'a')
select t.id, m.match_value from (values (1, 'a1'), (2, null), (3, 'b2c3')) t (id, v) cross apply regexp_matches(t.v, '\d') m order by t.id, m.match_id
select part from regexp_split_to_table('a b', ' ') as x (part, n) order by n desc
go
--> [match_id:bigint | start_position:int | end_position:int | match_value:varchar(9) | substring_matches:varchar(max)]
--> 1 | 1 | 4 | ab12 | [{"value":"ab","start":1,"length":2},{"value":"12","start":3,"length":2}]
--> 2 | 6 | 9 | cd34 | [{"value":"cd","start":6,"length":2},{"value":"34","start":8,"length":2}]
--> (2 rows affected)
--> [value:varchar(6) | ordinal:bigint]
--> a | 1
--> b | 2
--> c | 3
--> (3 rows affected)
--> [value:varchar(3)]
--> a
--> b
--> c
--> (3 rows affected)
--> [v:varchar(8)]
--> []
--> [a]
--> []
--> [b]
--> []
--> (5 rows affected)
--> [match_id:bigint | start_position:int | end_position:int | match_value:nvarchar(4)]
--> 1 | 1 | 1 | a
--> 2 | 2 | 2 | 😀
--> 3 | 3 | 3 | b
--> (3 rows affected)
--> [start_position:int | end_position:int]
--> 1 | 1
--> 2 | 2
--> 3 | 3
--> 3 | 3
--> (4 rows affected)
--> [match_id:bigint | start_position:int | end_position:int | match_value:varchar(8000) | substring_matches:varchar(max)]
--> (0 rows affected)
--> [id:int | match_value:varchar(4)]
--> 1 | 1
--> 3 | 2
--> 3 | 3
--> (3 rows affected)
--> [part:varchar(3)]
--> b
--> a
--> (2 rows affected)
-- Bad patterns of functions in FROM have states of their own
select * from regexp_matches('a', '(')
go
--> [match_id:bigint | start_position:int | end_position:int | match_value:varchar(1) | substring_matches:varchar(max)]
--> Msg 19308, Level 16, State 3, Line 2: Missing ')' in the Pattern (.
select * from regexp_split_to_table('a', '[a')
go
--> [value:varchar(1) | ordinal:bigint]
--> Msg 19308, Level 16, State 4, Line 1: Missing ']' in the Pattern [a.
select * from regexp_matches('a')
go
--> Msg 313, Level 16, State 3, Line 1: An insufficient number of arguments were supplied for the procedure or function regexp_matches.
select * from regexp_split_to_table('a', 'b', 'c', 1)
go
--> Msg 8144, Level 16, State 3, Line 1: Procedure or function regexp_split_to_table has too many arguments specified.
select * from regexp_matches(1, 'b')
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type int is invalid for argument 1 of regexp_matches function.
-- Long texts; a result is cut at its type, but for one that is (max); numbers of arguments
select len(regexp_replace(replicate('a', 8000), 'a', 'bb')) as a, len(regexp_replace(replicate(cast('a' as varchar(max)), 10000), 'a', 'bb')) as b, regexp_count(replicate(cast('ab' as varchar(max)), 100000), 'b') as c
select datediff(day, convert(datetime, serverproperty('ResourceLastUpdateDateTime')), getdate()) as days
select regexp_count('a')
go
--> Msg 189, Level 15, State 1, Line 4: The regexp_count function requires 2 to 4 arguments.
select len(regexp_replace(replicate('a', 8000), 'a', 'bb')) as a, len(regexp_replace(replicate(cast('a' as varchar(max)), 10000), 'a', 'bb')) as b, regexp_count(replicate(cast('ab' as varchar(max)), 100000), 'b') as c
select datediff(day, convert(datetime, serverproperty('ResourceLastUpdateDateTime')), getdate()) as days
go
--> [a:int | b:bigint | c:int]
--> 8000 | 20000 | 100000
--> (1 rows affected)
--> [days:int]
--> 0
--> (1 rows affected)
