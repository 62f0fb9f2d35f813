-- Each procedure once or twice; what they return is compared by the test.
set nocount on;
declare @status int;
exec @status = #tpcc_new_order 1, 2, 2, 5, 1, '0000010000010300000300000104000003000001050000040000010600000500000107';
print concat('new order: ', @status);
exec @status = #tpcc_new_order 1, 2, 2, 5, 1, '0000010000010300000200000104000003000001050000040000010610000100000107';
print concat('mistaken order: ', @status);
exec @status = #tpcc_payment 1, 2, 1, 3, 2, null, 12.34;
print concat('payment by number: ', @status);
exec @status = #tpcc_payment 1, 2, 1, 2, null, 'BARBARBAR', 55.00;
print concat('payment by name: ', @status);
exec @status = #tpcc_order_status 1, 2, 2, null;
print concat('order status: ', @status);
exec @status = #tpcc_delivery 1, 7;
print concat('delivery: ', @status);
exec @status = #tpcc_stock_level 1, 2, 48;
print concat('stock level: ', @status);
print concat('open transactions: ', @@trancount);
select concat('next order ', d_next_o_id, ', d_ytd ', d_ytd) from #district where d_id = 2;
select concat('balance ', c_balance, ', deliveries ', c_delivery_cnt, ', ', c_data) from #customer where c_d_id = 3 and c_id = 2;
select concat('stock ', s_quantity, ' ', s_ytd, ' ', s_order_cnt, ' ', s_remote_cnt) from #stock where s_i_id = 3;
select concat('line ', ol_number, ' ', ol_amount, ' ', ol_dist_info) from #order_line where ol_d_id = 2 and ol_o_id = 4 order by ol_number;
GO
