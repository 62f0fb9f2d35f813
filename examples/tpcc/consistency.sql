-- The twelve consistency conditions of the TPC-C standard (revision 5.11, clause 3.3.2), one query each.
--
-- A query returns the rows that break its condition: none when it holds. Each begins with a line
-- `-- condition N: what holds`, and ends at GO. They are plain SQL, so that a peer answers the same text. Conditions 10 to 12 need a database that our own loader built.

-- condition 1: a warehouse's w_ytd is the sum of its districts' d_ytd
select w_id, w_ytd, sum(d_ytd) as district_ytd
from dbo.warehouse join dbo.district on d_w_id = w_id
group by w_id, w_ytd
having w_ytd <> sum(d_ytd);
GO

-- condition 2: a district's d_next_o_id - 1 is its last order, and its last new order if it has any
select d_w_id, d_id, d_next_o_id, o.last_o_id, n.last_no_o_id
from dbo.district
left join (select o_w_id, o_d_id, max(o_id) as last_o_id from dbo.orders group by o_w_id, o_d_id) as o
    on o.o_w_id = d_w_id and o.o_d_id = d_id
left join (select no_w_id, no_d_id, max(no_o_id) as last_no_o_id from dbo.new_order group by no_w_id, no_d_id) as n
    on n.no_w_id = d_w_id and n.no_d_id = d_id
where o.last_o_id is null or o.last_o_id <> d_next_o_id - 1 or n.last_no_o_id <> d_next_o_id - 1;
GO

-- condition 3: a district's new orders are numbered without gaps
select no_w_id, no_d_id, min(no_o_id) as first_no_o_id, max(no_o_id) as last_no_o_id, count(*) as new_orders
from dbo.new_order
group by no_w_id, no_d_id
having max(no_o_id) - min(no_o_id) + 1 <> count(*);
GO

-- condition 4: the sum of a district's o_ol_cnt is the number of its order lines
select o.o_w_id, o.o_d_id, o.promised, l.lines
from (select o_w_id, o_d_id, sum(cast(o_ol_cnt as int)) as promised from dbo.orders group by o_w_id, o_d_id) as o
left join (select ol_w_id, ol_d_id, count(*) as lines from dbo.order_line group by ol_w_id, ol_d_id) as l
    on l.ol_w_id = o.o_w_id and l.ol_d_id = o.o_d_id
where l.lines is null or o.promised <> l.lines;
GO

-- condition 5: an order has no carrier if and only if it is a new order
select o_w_id, o_d_id, o_id, o_carrier_id, no_o_id
from dbo.orders
left join dbo.new_order on no_w_id = o_w_id and no_d_id = o_d_id and no_o_id = o_id
where (o_carrier_id is null and no_o_id is null) or (o_carrier_id is not null and no_o_id is not null);
GO

-- condition 6: an order's o_ol_cnt is the number of its lines
select o_w_id, o_d_id, o_id, o_ol_cnt, l.lines
from dbo.orders
left join (select ol_w_id, ol_d_id, ol_o_id, count(*) as lines
           from dbo.order_line
           group by ol_w_id, ol_d_id, ol_o_id) as l
    on l.ol_w_id = o_w_id and l.ol_d_id = o_d_id and l.ol_o_id = o_id
where l.lines is null or l.lines <> o_ol_cnt;
GO

-- condition 7: a line has no delivery date if and only if its order has no carrier
select ol_w_id, ol_d_id, ol_o_id, ol_number, ol_delivery_d, o_carrier_id
from dbo.order_line
left join dbo.orders on o_w_id = ol_w_id and o_d_id = ol_d_id and o_id = ol_o_id
where o_id is null
   or (ol_delivery_d is null and o_carrier_id is not null)
   or (ol_delivery_d is not null and o_carrier_id is null);
GO

-- condition 8: a warehouse's w_ytd is the sum of the payments to it
select w_id, w_ytd, h.paid
from dbo.warehouse
left join (select h_w_id, sum(h_amount) as paid from dbo.history group by h_w_id) as h on h.h_w_id = w_id
where h.paid is null or h.paid <> w_ytd;
GO

-- condition 9: a district's d_ytd is the sum of the payments to it
select d_w_id, d_id, d_ytd, h.paid
from dbo.district
left join (select h_w_id, h_d_id, sum(h_amount) as paid from dbo.history group by h_w_id, h_d_id) as h
    on h.h_w_id = d_w_id and h.h_d_id = d_id
where h.paid is null or h.paid <> d_ytd;
GO

-- condition 10: a customer's balance is what was delivered to them less what they paid
select c_w_id, c_d_id, c_id, c_balance, l.delivered, h.paid
from dbo.customer
left join (select o_w_id, o_d_id, o_c_id, sum(ol_amount) as delivered
           from dbo.orders join dbo.order_line on ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id
           where ol_delivery_d is not null
           group by o_w_id, o_d_id, o_c_id) as l
    on l.o_w_id = c_w_id and l.o_d_id = c_d_id and l.o_c_id = c_id
left join (select h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) as paid
           from dbo.history
           group by h_c_w_id, h_c_d_id, h_c_id) as h
    on h.h_c_w_id = c_w_id and h.h_c_d_id = c_d_id and h.h_c_id = c_id
where c_balance <> coalesce(l.delivered, 0) - coalesce(h.paid, 0);
GO

-- condition 11: a district has 2,100 more orders than new orders, and one more for each delivery since the load
select o.o_w_id, o.o_d_id, o.orders, n.new_orders, c.deliveries
from (select o_w_id, o_d_id, count(*) as orders from dbo.orders group by o_w_id, o_d_id) as o
join (select c_w_id, c_d_id, sum(c_delivery_cnt) as deliveries from dbo.customer group by c_w_id, c_d_id) as c
    on c.c_w_id = o.o_w_id and c.c_d_id = o.o_d_id
left join (select no_w_id, no_d_id, count(*) as new_orders from dbo.new_order group by no_w_id, no_d_id) as n
    on n.no_w_id = o.o_w_id and n.no_d_id = o.o_d_id
where o.orders - coalesce(n.new_orders, 0) <> 2100 + c.deliveries;
GO

-- condition 12: a customer's balance and payments together are what was delivered to them
select c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, l.delivered
from dbo.customer
left join (select o_w_id, o_d_id, o_c_id, sum(ol_amount) as delivered
           from dbo.orders join dbo.order_line on ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id
           where ol_delivery_d is not null
           group by o_w_id, o_d_id, o_c_id) as l
    on l.o_w_id = c_w_id and l.o_d_id = c_d_id and l.o_c_id = c_id
where c_balance + c_ytd_payment <> coalesce(l.delivered, 0);
GO
