-- differs parameters: the third argument is a constant (8748)
-- The manual's examples
select value from string_split('Lorem ipsum dolor sit amet.', ' ')
select * from string_split('Lorem ipsum dolor sit amet.', ' ', 1)
declare @tags nvarchar(400) = 'clothing,road,,touring,bike'
select value from string_split(@tags, ',') where rtrim(value) <> ''
select * from string_split('Austin,Texas,Seattle,Washington,Denver,Colorado', ',', 1) where ordinal % 2 = 0
select * from string_split('E-D-C-B-A', '-', 1) order by ordinal desc
go
--> [value:varchar(27)]
--> Lorem
--> ipsum
--> dolor
--> sit
--> amet.
--> (5 rows affected)
--> [value:varchar(27) | ordinal:bigint]
--> Lorem | 1
--> ipsum | 2
--> dolor | 3
--> sit | 4
--> amet. | 5
--> (5 rows affected)
--> [value:nvarchar(400)]
--> clothing
--> road
--> touring
--> bike
--> (4 rows affected)
--> [value:varchar(47) | ordinal:bigint]
--> Texas | 2
--> Washington | 4
--> Colorado | 6
--> (3 rows affected)
--> [value:varchar(9) | ordinal:bigint]
--> A | 5
--> B | 4
--> C | 3
--> D | 2
--> E | 1
--> (5 rows affected)
create table product (id int primary key, name varchar(40), tags varchar(200))
insert product values (1, 'Full-Finger Gloves', 'clothing,road,touring,bike'), (2, 'LL Headset', 'bike'), (3, 'HL Mountain Frame', 'bike,mountain'), (4, 'Nothing', null), (5, 'Empty', '')
select id, value from product cross apply string_split(tags, ',') order by id, value
select id, value from product outer apply string_split(tags, ',') where id > 3 order by id
select value as tag, count(*) as n from product cross apply string_split(tags, ',') group by value having count(*) > 2 order by n desc
select id from product where 'clothing' in (select value from string_split(tags, ','))
select id from product where exists (select * from string_split(tags, ',') where value in ('clothing', 'road'))
select id, name from product join string_split('1,2,3', ',') on value = id order by id
go
--> (5 rows affected)
--> [id:int | value:varchar(200)]
--> 1 | bike
--> 1 | clothing
--> 1 | road
--> 1 | touring
--> 2 | bike
--> 3 | bike
--> 3 | mountain
--> 5 |
--> (8 rows affected)
--> [id:int | value:varchar(200)]
--> 4 | NULL
--> 5 |
--> (2 rows affected)
--> [tag:varchar(200) | n:int]
--> bike | 3
--> (1 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int]
--> 1
--> (1 rows affected)
--> [id:int | name:varchar(40)]
--> 1 | Full-Finger Gloves
--> 2 | LL Headset
--> 3 | HL Mountain Frame
--> (3 rows affected)
-- Separators at the ends, alone and beside each other; the separator as the collation has it; a text without one
select '[' + value + ']' as v, ordinal from string_split(';a;;', ';', 1)
select value from string_split('axbXc' collate Latin1_General_CI_AS, 'x')
select value from string_split('axbXc' collate Latin1_General_CS_AS, 'x')
select s.part from string_split(N'αβγ', 'x') as s (part)
select value from string_split('a,b', ',', 0)
select value from string_split('a,b', ',', null)
select value from string_split('a,b', ',', cast(1 as bit)) where ordinal = 2
select count(*) as n from string_split(replicate(cast('a,' as varchar(max)), 100000), ',')
declare @none varchar(10)
select * from string_split(@none, ',')
go
--> [v:varchar(6) | ordinal:bigint]
--> [] | 1
--> [a] | 2
--> [] | 3
--> [] | 4
--> (4 rows affected)
--> [value:varchar(5)]
--> a
--> b
--> c
--> (3 rows affected)
--> [value:varchar(5)]
--> a
--> bXc
--> (2 rows affected)
--> [part:nvarchar(3)]
--> αβγ
--> (1 rows affected)
--> [value:varchar(3)]
--> a
--> b
--> (2 rows affected)
--> [value:varchar(3)]
--> a
--> b
--> (2 rows affected)
--> [value:varchar(3)]
--> b
--> (1 rows affected)
--> [n:int]
--> 100001
--> (1 rows affected)
--> [value:varchar(10)]
--> (0 rows affected)
-- Types that pieces have; a query as an argument
select distinct sql_variant_property(value, 'BaseType') as t, sql_variant_property(value, 'MaxLength') as n from string_split(N'a b', ' ')
select distinct sql_variant_property(value, 'BaseType') as t from string_split(cast('a b' as char(5)), N' ')
select value from string_split((select max(name) from product), ' ')
go
--> [t:sql_variant | n:sql_variant]
--> nvarchar | 6
--> (1 rows affected)
--> [t:sql_variant]
--> nvarchar
--> (1 rows affected)
--> [value:varchar(40)]
--> Nothing
--> (1 rows affected)
-- Bad separators, types and numbers
select * from string_split('a,b', '')
go
--> [value:varchar(3)]
--> Msg 214, Level 16, State 11, Line 2: Procedure expects parameter 'separator' of type 'nchar(1)/nvarchar(1)'.
declare @s varchar(5) = ', '
select * from string_split('a,b', @s)
go
--> [value:varchar(3)]
--> Msg 214, Level 16, State 11, Line 2: Procedure expects parameter 'separator' of type 'nchar(1)/nvarchar(1)'.
select * from string_split(1, ',')
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type int is invalid for argument 1 of string_split function.
select * from string_split('a', 5)
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type int is invalid for argument 2 of string_split function.
select * from string_split('a', ',', 'x')
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type varchar is invalid for argument 3 of string_split function.
select * from string_split('a', ',', 2)
go
--> Msg 4199, Level 16, State 1, Line 1: Argument value 2 is invalid for argument 3 of string_split function.
declare @with bit = 1
select * from string_split('a', ',', @with)
go
--> Msg 8748, Level 16, State 1, Line 2: The enable_ordinal argument for string_split only supports constant values (not variables or columns).
select * from string_split('a')
go
--> Msg 313, Level 16, State 3, Line 1: An insufficient number of arguments were supplied for the procedure or function string_split.
select * from string_split('a', ',', 1, 1)
go
--> Msg 8144, Level 16, State 3, Line 1: Procedure or function string_split has too many arguments specified.
