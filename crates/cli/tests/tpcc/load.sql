-- A TPC-C warehouse of 10 districts, 3 customers each with one order (the third not delivered), and 10 items.
set nocount on;
declare @d int, @n int, @l int, @now datetime2(3) = sysdatetime();
insert #warehouse values (1, 'W', 'a', 'b', 'c', 'ST', '123411111', 0.1000, 300.00);
set @n = 1;
while @n <= 10
begin
    insert #item values (@n, 1, 'item', 10.50, case @n when 3 then 'an ORIGINAL one' else 'data' end);
    insert #stock values (1, @n, 50, 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', 'd9', 'd10', 0, 0, 0, 'ORIGINAL');
    set @n = @n + 1;
end
set @d = 1;
while @d <= 10
begin
    insert #district values (1, @d, 'D', 'a', 'b', 'c', 'ST', '123411111', 0.0500, 30.00, 4);
    set @n = 1;
    while @n <= 3
    begin
        insert #customer values (1, @d, @n, concat('first', 4 - @n), 'OE', 'BARBARBAR', 'a', 'b', 'c', 'ST', '123411111', '1',
            @now, case @n when 2 then 'BC' else 'GC' end, 50000, 0.1000, -10, 10, 1, 0, 'data');
        insert #history values (@n, @d, 1, @d, 1, @now, 10, 'h');
        insert #orders values (1, @d, @n, @n, @now, case when @n < 3 then 5 end, 5, 1);
        if @n = 3 insert #new_order values (1, @d, @n);
        set @l = 1;
        while @l <= 5
        begin
            insert #order_line values (1, @d, @n, @l, @l, 1, case when @n < 3 then @now end, 5,
                case when @n < 3 then 0 else 1.25 end, 'x');
            set @l = @l + 1;
        end
        set @n = @n + 1;
    end
    set @d = @d + 1;
end
GO
