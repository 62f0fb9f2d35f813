set nocount on
declare @until datetime2 = dateadd(minute, 10, sysdatetime())
while sysdatetime() < @until
    update lily set amount = amount + 1, note = replicate('y', amount % 100) where id between 100 and 140
