set nocount on
declare @until datetime2 = dateadd(minute, 10, sysdatetime()), @n bigint
while sysdatetime() < @until
    select @n = max(x.n) from (select row_number() over (order by a.pad, a.k) as n, a.pad from wide as a cross join (values (1), (2), (3)) as b (m)) as x
