-- The indexes of examples/tpcc/indexes.sql, and what the planner wants to know.

create index ix_customer_name on dbo.customer (c_w_id, c_d_id, c_last, c_first);
create index ix_orders_customer on dbo.orders (o_w_id, o_d_id, o_c_id, o_id);
analyze;
