-- differs parameters: a condition of constants is settled, one of parameters is not
declare @n int = 1 select json_object('a': case when @n = 1 then json_query('[1]') end, 'b': case when 1 = 1 then json_array(2) else N'x' end, 'c': iif(1 = 1, N'x', json_query('[1]'))) as v
go
--> [v:nvarchar(max)]
--> {"a":[1],"b":[2],"c":"x"}
--> (1 rows affected)
