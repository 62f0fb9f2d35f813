set nocount on
declare @until datetime2 = dateadd(minute, 10, sysdatetime())
while sysdatetime() < @until
begin
    select top 3000 k, pad into #t from wide order by pad
    waitfor delay '00:00:00.2'
    drop table #t
end
