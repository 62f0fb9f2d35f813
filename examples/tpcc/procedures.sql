-- The five transactions of the TPC-C standard (revision 5.11, clause 2) as procedures.
--
-- What always holds:
--   · Whoever calls chooses the input (clause 2.x.1), the procedure does the work and returns what a terminal shows.
--   · An error rolls everything back (XACT_ABORT); 1205 and 3960 are the caller's to try again.
--   · Rows are locked in one order: customer, district, warehouse, stock. Two New-Orders may still meet in the stock of
--     the same items in opposite order; that is what 1205 is for.
--   · READ COMMITTED, with UPDLOCK where a row is read to be changed. What New-Order only reads (w_tax, c_discount,
--     items) no transaction changes, so New-Order, Payment and Delivery are serialisable among themselves. Order-Status
--     reads at REPEATABLE READ, Stock-Level at READ COMMITTED, as clause 3.4 allows.

-- @lines holds 14 characters per line: item (6), supplying warehouse (6), quantity (2).
-- Returns 0, or 1 when an item does not exist: then the order has been rolled back, as clause 2.4.2.3 wants it.
-- Results: one row per line, then one for the order.
create procedure dbo.tpcc_new_order
    @w_id int,
    @d_id tinyint,
    @c_id int,
    @ol_cnt tinyint,
    @all_local bit,
    @lines varchar(210)
as
begin
    set nocount on;
    set xact_abort on;
    declare @w_tax decimal(4, 4), @d_tax decimal(4, 4), @o_id int, @now datetime2(3) = sysdatetime();
    declare @c_discount decimal(4, 4), @c_last varchar(16), @c_credit char(2);
    declare @number tinyint = 1, @total decimal(12, 2) = 0, @amount decimal(6, 2);
    declare @i_id int, @supply_w_id int, @quantity smallint, @s_quantity smallint, @dist char(24);
    declare @i_price decimal(5, 2), @i_name varchar(24), @i_data varchar(50), @s_data varchar(50);

    begin transaction;

    select @c_discount = c_discount, @c_last = c_last, @c_credit = c_credit
    from dbo.customer
    where c_w_id = @w_id and c_d_id = @d_id and c_id = @c_id;

    select @w_tax = w_tax from dbo.warehouse where w_id = @w_id;

    update dbo.district
    set @d_tax = d_tax, @o_id = d_next_o_id, d_next_o_id = d_next_o_id + 1
    where d_w_id = @w_id and d_id = @d_id;

    insert into dbo.orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    values (@w_id, @d_id, @o_id, @c_id, @now, null, @ol_cnt, @all_local);

    insert into dbo.new_order (no_w_id, no_d_id, no_o_id) values (@w_id, @d_id, @o_id);

    while @number <= @ol_cnt
    begin
        set @i_id = cast(substring(@lines, 14 * @number - 13, 6) as int);
        set @supply_w_id = cast(substring(@lines, 14 * @number - 7, 6) as int);
        set @quantity = cast(substring(@lines, 14 * @number - 1, 2) as smallint);

        select @i_price = i_price, @i_name = i_name, @i_data = i_data from dbo.item where i_id = @i_id;
        if @@rowcount = 0
        begin
            rollback transaction;
            return 1;
        end

        update dbo.stock
        set @s_quantity = s_quantity = s_quantity - @quantity + case when s_quantity >= @quantity + 10 then 0 else 91 end,
            s_ytd = s_ytd + @quantity,
            s_order_cnt = s_order_cnt + 1,
            s_remote_cnt = s_remote_cnt + case when @supply_w_id = @w_id then 0 else 1 end,
            @s_data = s_data,
            @dist = case @d_id when 1 then s_dist_01 when 2 then s_dist_02 when 3 then s_dist_03 when 4 then s_dist_04
                               when 5 then s_dist_05 when 6 then s_dist_06 when 7 then s_dist_07 when 8 then s_dist_08
                               when 9 then s_dist_09 else s_dist_10 end
        where s_w_id = @supply_w_id and s_i_id = @i_id;

        set @amount = @quantity * @i_price;
        set @total = @total + @amount;

        insert into dbo.order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
                                    ol_quantity, ol_amount, ol_dist_info)
        values (@w_id, @d_id, @o_id, @number, @i_id, @supply_w_id, null, @quantity, @amount, @dist);

        select @i_name as i_name, @s_quantity as s_quantity,
               case when @i_data like '%ORIGINAL%' and @s_data like '%ORIGINAL%' then 'B' else 'G' end as brand_generic,
               @i_price as i_price, @amount as ol_amount;
        set @number = @number + 1;
    end

    commit transaction;

    select @o_id as o_id, @now as o_entry_d, @c_last as c_last, @c_credit as c_credit, @c_discount as c_discount,
           @w_tax as w_tax, @d_tax as d_tax,
           cast(@total * (1 - @c_discount) * (1 + @w_tax + @d_tax) as decimal(12, 2)) as total_amount;
    return 0;
end
GO

-- The customer is @c_id or, when that is null, the middle one of those called @c_last, ordered by first name.
create procedure dbo.tpcc_payment
    @w_id int,
    @d_id tinyint,
    @c_w_id int,
    @c_d_id tinyint,
    @c_id int,
    @c_last varchar(16),
    @amount decimal(6, 2)
as
begin
    set nocount on;
    set xact_abort on;
    declare @now datetime2(3) = sysdatetime(), @namesakes int, @w_name varchar(10), @d_name varchar(10);
    declare @credit char(2), @balance decimal(12, 2), @data varchar(500);

    begin transaction;

    if @c_id is null
    begin
        select @namesakes = count(*)
        from dbo.customer
        where c_w_id = @c_w_id and c_d_id = @c_d_id and c_last = @c_last;

        select @c_id = c_id
        from dbo.customer
        where c_w_id = @c_w_id and c_d_id = @c_d_id and c_last = @c_last
        order by c_first
        offset (@namesakes + 1) / 2 - 1 rows fetch next 1 rows only;
    end

    update dbo.customer
    set @balance = c_balance = c_balance - @amount,
        c_ytd_payment = c_ytd_payment + @amount,
        c_payment_cnt = c_payment_cnt + 1,
        @credit = c_credit,
        @data = c_data = case when c_credit = 'BC'
            then left(concat(@c_id, ' ', @c_d_id, ' ', @c_w_id, ' ', @d_id, ' ', @w_id, ' ', @amount, '|', c_data), 500)
            else c_data end
    where c_w_id = @c_w_id and c_d_id = @c_d_id and c_id = @c_id;

    update dbo.district
    set d_ytd = d_ytd + @amount, @d_name = d_name
    where d_w_id = @w_id and d_id = @d_id;

    update dbo.warehouse
    set w_ytd = w_ytd + @amount, @w_name = w_name
    where w_id = @w_id;

    insert into dbo.history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    values (@c_id, @c_d_id, @c_w_id, @d_id, @w_id, @now, @amount, concat(@w_name, '    ', @d_name));

    commit transaction;

    select c_id, c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit,
           c_credit_lim, c_discount, @balance as c_balance,
           case when @credit = 'BC' then left(@data, 200) else '' end as c_data, @now as h_date
    from dbo.customer
    where c_w_id = @c_w_id and c_d_id = @c_d_id and c_id = @c_id;

    select w_street_1, w_street_2, w_city, w_state, w_zip, d_street_1, d_street_2, d_city, d_state, d_zip
    from dbo.warehouse join dbo.district on d_w_id = w_id
    where w_id = @w_id and d_id = @d_id;
    return 0;
end
GO

-- The customer as in Payment. Results: the customer, the last order, its lines.
create procedure dbo.tpcc_order_status
    @w_id int,
    @d_id tinyint,
    @c_id int,
    @c_last varchar(16)
as
begin
    set nocount on;
    set xact_abort on;
    set transaction isolation level repeatable read;
    declare @namesakes int, @o_id int, @entry_d datetime2(3), @carrier_id tinyint;

    begin transaction;

    if @c_id is null
    begin
        select @namesakes = count(*)
        from dbo.customer
        where c_w_id = @w_id and c_d_id = @d_id and c_last = @c_last;

        select @c_id = c_id
        from dbo.customer
        where c_w_id = @w_id and c_d_id = @d_id and c_last = @c_last
        order by c_first
        offset (@namesakes + 1) / 2 - 1 rows fetch next 1 rows only;
    end

    select c_id, c_first, c_middle, c_last, c_balance
    from dbo.customer
    where c_w_id = @w_id and c_d_id = @d_id and c_id = @c_id;

    select top (1) @o_id = o_id, @entry_d = o_entry_d, @carrier_id = o_carrier_id
    from dbo.orders
    where o_w_id = @w_id and o_d_id = @d_id and o_c_id = @c_id
    order by o_id desc;

    select @o_id as o_id, @entry_d as o_entry_d, @carrier_id as o_carrier_id;

    select ol_supply_w_id, ol_i_id, ol_quantity, ol_amount, ol_delivery_d
    from dbo.order_line
    where ol_w_id = @w_id and ol_d_id = @d_id and ol_o_id = @o_id
    order by ol_number;

    commit transaction;
    return 0;
end
GO

-- Delivers the oldest new order of each district of the warehouse, all in one transaction.
-- Results: one row per district; o_id is null where there was none.
create procedure dbo.tpcc_delivery
    @w_id int,
    @carrier_id tinyint
as
begin
    set nocount on;
    set xact_abort on;
    declare @d_id tinyint = 1, @o_id int, @c_id int, @total decimal(12, 2), @now datetime2(3) = sysdatetime();

    begin transaction;

    while @d_id <= 10
    begin
        set @o_id = null;

        select top (1) @o_id = no_o_id
        from dbo.new_order with (updlock)
        where no_w_id = @w_id and no_d_id = @d_id
        order by no_o_id;

        if @o_id is not null
        begin
            delete from dbo.new_order where no_w_id = @w_id and no_d_id = @d_id and no_o_id = @o_id;

            -- Another delivery may have been faster between the read and the lock.
            if @@rowcount = 0
                continue;

            update dbo.orders
            set o_carrier_id = @carrier_id, @c_id = o_c_id
            where o_w_id = @w_id and o_d_id = @d_id and o_id = @o_id;

            update dbo.order_line
            set ol_delivery_d = @now
            where ol_w_id = @w_id and ol_d_id = @d_id and ol_o_id = @o_id;

            select @total = sum(ol_amount)
            from dbo.order_line
            where ol_w_id = @w_id and ol_d_id = @d_id and ol_o_id = @o_id;

            update dbo.customer
            set c_balance = c_balance + @total, c_delivery_cnt = c_delivery_cnt + 1
            where c_w_id = @w_id and c_d_id = @d_id and c_id = @c_id;
        end

        select @d_id as d_id, @o_id as o_id;
        set @d_id = @d_id + 1;
    end

    commit transaction;
    return 0;
end
GO

-- Items of the district's last 20 orders of which the warehouse has less than @threshold.
create procedure dbo.tpcc_stock_level
    @w_id int,
    @d_id tinyint,
    @threshold smallint
as
begin
    set nocount on;
    declare @next_o_id int;

    select @next_o_id = d_next_o_id from dbo.district where d_w_id = @w_id and d_id = @d_id;

    select count(distinct s_i_id) as low_stock
    from dbo.order_line
    join dbo.stock on s_w_id = ol_w_id and s_i_id = ol_i_id
    where ol_w_id = @w_id and ol_d_id = @d_id and ol_o_id >= @next_o_id - 20 and ol_o_id < @next_o_id
      and s_w_id = @w_id and s_quantity < @threshold;
    return 0;
end
GO
