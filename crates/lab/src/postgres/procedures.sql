-- The five transactions of examples/tpcc/procedures.sql as plpgsql functions.
--
-- What always holds:
--   · A function has the parameters of its T-SQL procedure and runs the same statements in the same order: one for each
--     of its reads, changes and rows. A call is a transaction of its own.
--   · It returns the same values. Where T-SQL returns several results, columns of arrays or repeated columns hold them.
--   · READ COMMITTED, each statement of a volatile function with a snapshot of its own. Order-Status and Stock-Level are
--     stable, so their statements share one snapshot: no less than REPEATABLE READ, and cheaper than a snapshot each.
--   · 40P01 and 40001 are the caller's to try again.

-- An item that nobody sells raises TC001, which rolls the order back: a function cannot roll back and return, and a
-- block that catches the error would cost each order a subtransaction.
create function dbo.tpcc_new_order(
    in_w_id integer, in_d_id smallint, in_c_id integer, in_ol_cnt smallint, in_all_local smallint, in_lines text,
    out order_id integer, out entered timestamp(3), out last_name varchar, out credit char(2), out discount numeric,
    out warehouse_tax numeric, out district_tax numeric, out total_amount numeric,
    out names varchar[], out quantities smallint[], out brands char[], out prices numeric[], out amounts numeric[]
) language plpgsql as $$
declare
    v_i_id integer;
    v_supply_w_id integer;
    v_quantity smallint;
    v_s_quantity smallint;
    v_dist char(24);
    v_price numeric(5, 2);
    v_name varchar(24);
    v_i_data varchar(50);
    v_s_data varchar(50);
    v_amount numeric(6, 2);
    v_total numeric(12, 2) := 0;
begin
    entered := clock_timestamp();

    select c_discount, c_last, c_credit into discount, last_name, credit
    from dbo.customer
    where c_w_id = in_w_id and c_d_id = in_d_id and c_id = in_c_id;

    select w_tax into warehouse_tax from dbo.warehouse where w_id = in_w_id;

    update dbo.district
    set d_next_o_id = d_next_o_id + 1
    where d_w_id = in_w_id and d_id = in_d_id
    returning d_tax, d_next_o_id - 1 into district_tax, order_id;

    insert into dbo.orders (o_w_id, o_d_id, o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    values (in_w_id, in_d_id, order_id, in_c_id, entered, null, in_ol_cnt, in_all_local);

    insert into dbo.new_order (no_w_id, no_d_id, no_o_id) values (in_w_id, in_d_id, order_id);

    for v_number in 1 .. in_ol_cnt loop
        v_i_id := substring(in_lines, 14 * v_number - 13, 6);
        v_supply_w_id := substring(in_lines, 14 * v_number - 7, 6);
        v_quantity := substring(in_lines, 14 * v_number - 1, 2);

        select i_price, i_name, i_data into v_price, v_name, v_i_data from dbo.item where i_id = v_i_id;
        if not found then
            raise exception 'nobody sells item %', v_i_id using errcode = 'TC001';
        end if;

        update dbo.stock
        set s_quantity = s_quantity - v_quantity + case when s_quantity >= v_quantity + 10 then 0 else 91 end,
            s_ytd = s_ytd + v_quantity,
            s_order_cnt = s_order_cnt + 1,
            s_remote_cnt = s_remote_cnt + case when v_supply_w_id = in_w_id then 0 else 1 end
        where s_w_id = v_supply_w_id and s_i_id = v_i_id
        returning s_quantity, s_data,
                  case in_d_id when 1 then s_dist_01 when 2 then s_dist_02 when 3 then s_dist_03 when 4 then s_dist_04
                               when 5 then s_dist_05 when 6 then s_dist_06 when 7 then s_dist_07 when 8 then s_dist_08
                               when 9 then s_dist_09 else s_dist_10 end
        into v_s_quantity, v_s_data, v_dist;

        v_amount := v_quantity * v_price;
        v_total := v_total + v_amount;

        insert into dbo.order_line (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d,
                                    ol_quantity, ol_amount, ol_dist_info)
        values (in_w_id, in_d_id, order_id, v_number, v_i_id, v_supply_w_id, null, v_quantity, v_amount, v_dist);

        names := array_append(names, v_name);
        quantities := array_append(quantities, v_s_quantity);
        brands := array_append(brands, case when v_i_data like '%ORIGINAL%' and v_s_data like '%ORIGINAL%'
                                            then 'B'::char else 'G'::char end);
        prices := array_append(prices, v_price);
        amounts := array_append(amounts, v_amount);
    end loop;

    total_amount := round(v_total * (1 - discount) * (1 + warehouse_tax + district_tax), 2);
end
$$;

-- The customer is in_c_id or, when that is null, the middle one of those called in_c_last, ordered by first name.
create function dbo.tpcc_payment(
    in_w_id integer, in_d_id smallint, in_c_w_id integer, in_c_d_id smallint, in_c_id integer, in_c_last varchar,
    in_amount numeric
) returns table (
    customer_id integer, first_name varchar, middle_name char(2), last_name varchar, street_1 varchar, street_2 varchar,
    city varchar, state char(2), zip char(9), phone char(16), since timestamp(3), credit char(2), credit_limit numeric,
    discount numeric, balance numeric, shown_data text, paid timestamp(3),
    warehouse_street_1 varchar, warehouse_street_2 varchar, warehouse_city varchar, warehouse_state char(2),
    warehouse_zip char(9), district_street_1 varchar, district_street_2 varchar, district_city varchar,
    district_state char(2), district_zip char(9)
) language plpgsql as $$
declare
    v_namesakes bigint;
    v_w_name varchar(10);
    v_d_name varchar(10);
    v_data varchar(500);
begin
    paid := clock_timestamp();
    customer_id := in_c_id;

    if in_c_id is null then
        select count(*) into v_namesakes
        from dbo.customer
        where c_w_id = in_c_w_id and c_d_id = in_c_d_id and c_last = in_c_last;

        select c_id into customer_id
        from dbo.customer
        where c_w_id = in_c_w_id and c_d_id = in_c_d_id and c_last = in_c_last
        order by c_first
        offset ((v_namesakes + 1) / 2 - 1) rows fetch next 1 rows only;
    end if;

    update dbo.customer
    set c_balance = c_balance - in_amount,
        c_ytd_payment = c_ytd_payment + in_amount,
        c_payment_cnt = c_payment_cnt + 1,
        c_data = case when c_credit = 'BC'
            then left(concat(c_id, ' ', c_d_id, ' ', c_w_id, ' ', in_d_id, ' ', in_w_id, ' ', in_amount, '|', c_data), 500)
            else c_data end
    where c_w_id = in_c_w_id and c_d_id = in_c_d_id and c_id = customer_id
    returning c_balance, c_credit, c_data into balance, credit, v_data;

    update dbo.district
    set d_ytd = d_ytd + in_amount
    where d_w_id = in_w_id and d_id = in_d_id
    returning d_name into v_d_name;

    update dbo.warehouse
    set w_ytd = w_ytd + in_amount
    where w_id = in_w_id
    returning w_name into v_w_name;

    insert into dbo.history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    values (customer_id, in_c_d_id, in_c_w_id, in_d_id, in_w_id, paid, in_amount, concat(v_w_name, '    ', v_d_name));

    shown_data := case when credit = 'BC' then left(v_data, 200) else '' end;

    select c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit_lim,
           c_discount
    into first_name, middle_name, last_name, street_1, street_2, city, state, zip, phone, since, credit_limit, discount
    from dbo.customer
    where c_w_id = in_c_w_id and c_d_id = in_c_d_id and c_id = customer_id;

    select w_street_1, w_street_2, w_city, w_state, w_zip, d_street_1, d_street_2, d_city, d_state, d_zip
    into warehouse_street_1, warehouse_street_2, warehouse_city, warehouse_state, warehouse_zip,
         district_street_1, district_street_2, district_city, district_state, district_zip
    from dbo.warehouse join dbo.district on d_w_id = w_id
    where w_id = in_w_id and d_id = in_d_id;

    return next;
end
$$;

-- The customer as in Payment. A row for each line of the last order; customer and order are in all of them.
create function dbo.tpcc_order_status(
    in_w_id integer, in_d_id smallint, in_c_id integer, in_c_last varchar
) returns table (
    customer_id integer, first_name varchar, middle_name char(2), last_name varchar, balance numeric,
    order_id integer, entered timestamp(3), carrier smallint,
    supplier integer, item integer, quantity smallint, amount numeric, delivered timestamp(3)
) language plpgsql stable as $$
declare
    v_namesakes bigint;
begin
    customer_id := in_c_id;

    if in_c_id is null then
        select count(*) into v_namesakes
        from dbo.customer
        where c_w_id = in_w_id and c_d_id = in_d_id and c_last = in_c_last;

        select c_id into customer_id
        from dbo.customer
        where c_w_id = in_w_id and c_d_id = in_d_id and c_last = in_c_last
        order by c_first
        offset ((v_namesakes + 1) / 2 - 1) rows fetch next 1 rows only;
    end if;

    select c_first, c_middle, c_last, c_balance into first_name, middle_name, last_name, balance
    from dbo.customer
    where c_w_id = in_w_id and c_d_id = in_d_id and c_id = customer_id;

    select o_id, o_entry_d, o_carrier_id into order_id, entered, carrier
    from dbo.orders
    where o_w_id = in_w_id and o_d_id = in_d_id and o_c_id = customer_id
    order by o_id desc
    limit 1;

    for supplier, item, quantity, amount, delivered in
        select ol_supply_w_id, ol_i_id, ol_quantity, ol_amount, ol_delivery_d
        from dbo.order_line
        where ol_w_id = in_w_id and ol_d_id = in_d_id and ol_o_id = order_id
        order by ol_number
    loop
        return next;
    end loop;
end
$$;

-- Delivers the oldest new order of each district of the warehouse, all in one transaction. A row for each district; the
-- order is null where there was none.
create function dbo.tpcc_delivery(in_w_id integer, in_carrier_id smallint)
returns table (district smallint, delivered_order integer) language plpgsql as $$
declare
    v_c_id integer;
    v_total numeric(12, 2);
    v_now timestamp(3) := clock_timestamp();
begin
    district := 1;
    while district <= 10 loop
        delivered_order := null;

        select no_o_id into delivered_order
        from dbo.new_order
        where no_w_id = in_w_id and no_d_id = district
        order by no_o_id
        limit 1;

        if delivered_order is not null then
            delete from dbo.new_order
            where no_w_id = in_w_id and no_d_id = district and no_o_id = delivered_order;

            -- Another delivery may have been faster between the read and the lock.
            if not found then
                continue;
            end if;

            update dbo.orders
            set o_carrier_id = in_carrier_id
            where o_w_id = in_w_id and o_d_id = district and o_id = delivered_order
            returning o_c_id into v_c_id;

            update dbo.order_line
            set ol_delivery_d = v_now
            where ol_w_id = in_w_id and ol_d_id = district and ol_o_id = delivered_order;

            select sum(ol_amount) into v_total
            from dbo.order_line
            where ol_w_id = in_w_id and ol_d_id = district and ol_o_id = delivered_order;

            update dbo.customer
            set c_balance = c_balance + v_total, c_delivery_cnt = c_delivery_cnt + 1
            where c_w_id = in_w_id and c_d_id = district and c_id = v_c_id;
        end if;

        return next;
        district := district + 1;
    end loop;
end
$$;

-- Items of the district's last 20 orders of which the warehouse has less than in_threshold.
create function dbo.tpcc_stock_level(in_w_id integer, in_d_id smallint, in_threshold smallint, out low_stock bigint)
language plpgsql stable as $$
declare
    v_next_o_id integer;
begin
    select d_next_o_id into v_next_o_id from dbo.district where d_w_id = in_w_id and d_id = in_d_id;

    select count(distinct s_i_id) into low_stock
    from dbo.order_line
    join dbo.stock on s_w_id = ol_w_id and s_i_id = ol_i_id
    where ol_w_id = in_w_id and ol_d_id = in_d_id and ol_o_id >= v_next_o_id - 20 and ol_o_id < v_next_o_id
      and s_w_id = in_w_id and s_quantity < in_threshold;
end
$$;
