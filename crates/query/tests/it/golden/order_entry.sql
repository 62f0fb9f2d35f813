-- The shapes of statements that an order-entry benchmark's tools send: wide DDL, OUTPUT of variables into a table,
-- hints without commas, TOP in changes, percentages.
create database tpcc
go
use tpcc
set nocount on
alter database tpcc set auto_create_statistics off
alter database tpcc set auto_update_statistics off
alter database tpcc set recovery simple
go
CREATE TABLE [dbo].[warehouse]( [w_id] [int] NOT NULL, [w_ytd] [money] NOT NULL, [w_tax] [smallmoney] NOT NULL, [w_name] [char](10) NULL, [padding] [char](4000) NOT NULL, CONSTRAINT [warehouse_i1] PRIMARY KEY CLUSTERED ( [w_id] ASC ) WITH (PAD_INDEX = OFF, STATISTICS_NORECOMPUTE = OFF, IGNORE_DUP_KEY = OFF, ALLOW_ROW_LOCKS = ON, ALLOW_PAGE_LOCKS = OFF) ON [PRIMARY] ) ON [PRIMARY]
ALTER TABLE [dbo].[warehouse] ADD CONSTRAINT [DF__warehouse__paddi__14270015] DEFAULT (replicate('x',(4000))) FOR [padding]
ALTER TABLE [dbo].[warehouse] SET (LOCK_ESCALATION = DISABLE)
CREATE UNIQUE NONCLUSTERED INDEX [w_details] ON [dbo].[warehouse] ( [w_id] ASC ) INCLUDE ( [w_tax], [w_name] ) WITH (PAD_INDEX = OFF, STATISTICS_NORECOMPUTE = OFF, SORT_IN_TEMPDB = OFF, IGNORE_DUP_KEY = OFF, DROP_EXISTING = OFF, ONLINE = OFF, ALLOW_ROW_LOCKS = ON, ALLOW_PAGE_LOCKS = OFF) ON [PRIMARY]
CREATE TABLE [dbo].[customer]( [c_id] [int] NOT NULL, [c_d_id] [tinyint] NOT NULL, [c_w_id] [int] NOT NULL, [c_discount] [smallmoney] NULL, [c_last] [char](16) NULL, [c_first] [char](16) NULL, [c_balance] [money] NULL, [c_data] [char](500) NULL, CONSTRAINT [customer_i1] PRIMARY KEY CLUSTERED ( [c_w_id] ASC, [c_d_id] ASC, [c_id] ASC ) )
CREATE NONCLUSTERED INDEX [customer_i2] ON [dbo].[customer] ( [c_w_id] ASC, [c_d_id] ASC, [c_last] ASC, [c_id] ASC ) INCLUDE ([c_first], [c_balance])
CREATE TABLE [dbo].[item]( [i_id] [int] NOT NULL PRIMARY KEY CLUSTERED, [i_name] [char](24) NULL, [i_price] [smallmoney] NULL )
CREATE TABLE [dbo].[stock]( [s_i_id] [int] NOT NULL, [s_w_id] [int] NOT NULL, [s_quantity] [smallint] NOT NULL, [s_dist_01] [char](24) NULL, [s_dist_02] [char](24) NULL, PRIMARY KEY CLUSTERED ( [s_i_id] ASC, [s_w_id] ASC ) )
CREATE TABLE [dbo].[new_order]( [no_o_id] [int] NOT NULL, [no_d_id] [tinyint] NOT NULL, [no_w_id] [int] NOT NULL, CONSTRAINT [new_order_i1] PRIMARY KEY CLUSTERED ( [no_w_id] ASC, [no_d_id] ASC, [no_o_id] ASC ) )
CREATE TABLE [dbo].[order_line]( [ol_o_id] [int] NOT NULL, [ol_d_id] [tinyint] NOT NULL, [ol_w_id] [int] NOT NULL, [ol_number] [tinyint] NOT NULL, [ol_i_id] [int] NULL, [ol_amount] [smallmoney] NULL, [ol_quantity] [smallint] NULL, [ol_dist_info] [char](24) NULL, PRIMARY KEY CLUSTERED ([ol_w_id], [ol_d_id], [ol_o_id], [ol_number]) )
go
insert into warehouse (w_id, w_ytd, w_tax, w_name) values (1, 300000, 0.1, 'first')
insert into customer values (1, 1, 1, 0.2, 'BARBARBAR', 'a', -10, 'x'), (2, 1, 1, 0.2, 'BARBARBAR', 'b', -10, 'x'), (3, 1, 1, 0.2, 'BARBARBAR', 'c', -10, 'x')
insert into item values (1, 'nut', 1.50), (2, 'bolt', 2.50)
insert into stock values (1, 1, 50, 'd1', 'd2'), (2, 1, 12, 'e1', 'e2')
insert into new_order values (1, 1, 1), (2, 1, 1), (3, 2, 1)
select len(padding), w_tax from warehouse
go
--> [:int | w_tax:smallmoney]
--> 4000 | 0.1000
declare @no_c_discount smallmoney, @no_w_tax smallmoney, @no_w_id int = 1, @no_d_id int = 1, @no_c_id int = 2
SELECT @no_c_discount = customer.c_discount , @no_w_tax = warehouse.w_tax FROM dbo.customer, dbo.warehouse WITH (INDEX = w_details) WHERE warehouse.w_id = @no_w_id AND customer.c_w_id = @no_w_id AND customer.c_d_id = @no_d_id AND customer.c_id = @no_c_id
select @no_c_discount as discount, @no_w_tax as tax
declare @o_id int = 7, @number int = 1, @quantity smallint = 5, @i_id int = 2
UPDATE dbo.stock SET s_quantity = s_quantity - @quantity + CASE WHEN (s_quantity > @quantity + 9) THEN 0 ELSE 91 END
OUTPUT @o_id, @no_d_id, @no_w_id, @number, inserted.s_i_id, @quantity, i_price * @quantity, CASE @no_d_id WHEN 1 THEN inserted.s_dist_01 ELSE inserted.s_dist_02 END
INTO dbo.order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_quantity, ol_amount, ol_dist_info)
FROM dbo.stock JOIN dbo.item ON i_id = s_i_id WHERE s_i_id = @i_id AND s_w_id = @no_w_id
select * from order_line
select s_quantity from stock where s_i_id = 2
go
--> [discount:smallmoney | tax:smallmoney]
--> 0.2000 | 0.1000
--> [ol_o_id:int | ol_d_id:tinyint | ol_w_id:int | ol_number:tinyint | ol_i_id:int | ol_amount:smallmoney | ol_quantity:smallint | ol_dist_info:char(24)]
--> 7 | 1 | 1 | 1 | 2 | 12.5000 | 5 | e1
--> [s_quantity:smallint]
--> 98
declare @d_no_o_id int, @d_w_id int = 1, @d_d_id int = 1
declare @deleted table (o_id int)
DELETE TOP (1) FROM dbo.new_order WITH (rowlock readpast) OUTPUT deleted.no_o_id INTO @deleted WHERE no_w_id = @d_w_id AND no_d_id = @d_d_id
select o_id from @deleted
SELECT TOP (1) @d_no_o_id = no_o_id FROM dbo.new_order WITH (serializable updlock) WHERE no_w_id = @d_w_id AND no_d_id = @d_d_id ORDER BY no_o_id ASC
DELETE dbo.new_order WHERE no_w_id = @d_w_id AND no_d_id = @d_d_id AND no_o_id = @d_no_o_id
select @d_no_o_id as o_id, count(*) as left_over from new_order
go
--> [o_id:int]
--> 1
--> [o_id:int | left_over:int]
--> 2 | 1
declare @namecnt int, @val int, @c_id int, @c_first char(16), @balance money, @c_last char(16) = 'BARBARBAR'
SELECT @namecnt = count_big(*) FROM dbo.customer WITH (repeatableread) WHERE c_w_id = 1 AND c_d_id = 1 AND c_last = @c_last
select @val = (@namecnt + 1) / 2
select @c_id = c_id, @c_first = c_first from (select top (@val) c_id, c_first from dbo.customer where c_w_id = 1 and c_d_id = 1 and c_last = @c_last order by c_first) x
select top 50 percent c_id from dbo.customer where c_w_id = 1 and c_d_id = 1 and c_last = @c_last order by c_first
UPDATE dbo.customer SET @balance = c_balance = c_balance - 5 WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = @c_id
select @namecnt as n, @c_id as c_id, @balance as balance
SELECT COUNT_BIG(DISTINCT stock.s_i_id) as low FROM dbo.order_line , dbo.stock WHERE order_line.ol_w_id = 1 AND order_line.ol_d_id = 1 AND (order_line.ol_o_id < 8) AND order_line.ol_o_id >= (8 - 20) AND stock.s_w_id = 1 AND stock.s_i_id = order_line.ol_i_id AND stock.s_quantity < 10
go
--> [c_id:int]
--> 1
--> 2
--> [n:int | c_id:int | balance:money]
--> 3 | 2 | -15.0000
--> [low:bigint]
--> 0
update statistics dbo.customer
checkpoint
use master
alter database tpcc set single_user with rollback immediate
drop database tpcc
select db_id('tpcc')
go
--> [:int]
--> NULL
