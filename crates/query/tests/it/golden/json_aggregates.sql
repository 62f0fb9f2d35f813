create table t (id int, k nvarchar(50), v nvarchar(50), n int)
insert t values (1, 'a', 'apple', 10), (2, 'b', 'banana', 20), (3, 'c', null, null), (4, 'a', 'avo/cado', 30)
go
--> (4 rows affected)
-- JSON_ARRAYAGG leaves NULLs out, JSON_OBJECTAGG keeps them, unless told otherwise
select json_arrayagg(v order by id) as v from t
go
--> [v:nvarchar(max)]
--> ["apple","banana","avo\/cado"]
--> (1 rows affected)
select json_arrayagg(n order by id desc) as v from t
go
--> [v:nvarchar(max)]
--> [30,20,10]
--> (1 rows affected)
select json_arrayagg(v order by id null on null) as v from t
go
--> [v:nvarchar(max)]
--> ["apple","banana",null,"avo\/cado"]
--> (1 rows affected)
select json_arrayagg(v) as v from t where 1 = 0
go
--> [v:nvarchar(max)]
--> NULL
--> (1 rows affected)
select json_arrayagg(v null on null) as v from t where 1 = 0
go
--> [v:nvarchar(max)]
--> NULL
--> (1 rows affected)
select json_objectagg(k: v) as v from t where 1 = 0
go
--> [v:nvarchar(max)]
--> NULL
--> (1 rows affected)
select k, json_arrayagg(v order by id) as v, json_objectagg(k: n) as o, json_objectagg(k: n absent on null) as p, count(*) as c from t group by k order by k
go
--> [k:nvarchar(50) | v:nvarchar(max) | o:nvarchar(max) | p:nvarchar(max) | c:int]
--> a | ["apple","avo\/cado"] | {"a":10,"a":30} | {"a":10,"a":30} | 2
--> b | ["banana"] | {"b":20} | {"b":20} | 1
--> c | [] | {"c":null} | {} | 1
--> (3 rows affected)
select json_arrayagg(json_object('k': k, 'n': n) order by id) as v from t
go
--> [v:nvarchar(max)]
--> [{"k":"a","n":10},{"k":"b","n":20},{"k":"c","n":null},{"k":"a","n":30}]
--> (1 rows affected)
select json_object('all': (select json_arrayagg(id order by id) from t)) as v
go
--> [v:nvarchar(max)]
--> {"all":[1,2,3,4]}
--> (1 rows affected)
select json_arrayagg(json_array(id, n) order by n desc, id) as v from t
go
--> [v:nvarchar(max)]
--> [[4,30],[2,20],[1,10],[3]]
--> (1 rows affected)
select id, (select json_arrayagg(u.id order by u.id) from t as u where u.k = t.k) as v from t order by id
go
--> [id:int | v:nvarchar(max)]
--> 1 | [1,4]
--> 2 | [2]
--> 3 | [3]
--> 4 | [1,4]
--> (4 rows affected)
select json_arrayagg(v order by id) as v from t group by k having count(*) = 1 and max(n) > 1
go
--> [v:nvarchar(max)]
--> ["banana"]
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> (1 rows affected)
-- what is refused
select json_objectagg(nullif(k, 'a'): v) as v from t
go
--> [v:nvarchar(max)]
--> Msg 13638, Level 16, State 1, Line 2: User error : Name parameter value in 'json_object' cannot be null
select json_objectagg(k: v order by id) from t
go
--> Msg 156, Level 15, State 1, Line 1: Incorrect syntax near the keyword 'order'.
select json_arrayagg(sum(n)) from t
go
--> Msg 130, Level 15, State 1, Line 1: Cannot perform an aggregate function on an expression containing an aggregate or a subquery.
select 1 from t where json_arrayagg(n) = ''
go
--> Msg 147, Level 15, State 1, Line 1: An aggregate may not appear in the WHERE clause unless it is in a subquery contained in a HAVING clause or a select list, and the column being aggregated is an outer reference.
