-- The two ways to rows that are no primary keys, made after the load: building an index once from sorted rows costs less
-- than keeping it while rows come.

-- Payment and Order-Status find a customer by last name and take the middle one by first name.
create nonclustered index ix_customer_name on dbo.customer (c_w_id, c_d_id, c_last, c_first);
GO
-- Order-Status wants a customer's last order.
create nonclustered index ix_orders_customer on dbo.orders (o_w_id, o_d_id, o_c_id, o_id);
GO
