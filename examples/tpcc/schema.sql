-- The nine tables of the TPC-C standard (revision 5.11, clause 1.3), written for T-SQL.
--
-- Columns have the standard's widths. A row is found by its clustered primary key; the two other ways, customers by last
-- name and orders by customer, have indexes of their own (indexes.sql), which are made after the load. HISTORY has no key.
-- Foreign keys are named in the comments only: the standard does not ask that they be enforced.

create table dbo.warehouse (
    w_id       int            not null,
    w_name     varchar(10)    not null,
    w_street_1 varchar(20)    not null,
    w_street_2 varchar(20)    not null,
    w_city     varchar(20)    not null,
    w_state    char(2)        not null,
    w_zip      char(9)        not null,
    w_tax      decimal(4, 4)  not null,
    w_ytd      decimal(12, 2) not null,
    constraint pk_warehouse primary key clustered (w_id)
);

-- d_w_id → warehouse
create table dbo.district (
    d_w_id      int            not null,
    d_id        tinyint        not null,
    d_name      varchar(10)    not null,
    d_street_1  varchar(20)    not null,
    d_street_2  varchar(20)    not null,
    d_city      varchar(20)    not null,
    d_state     char(2)        not null,
    d_zip       char(9)        not null,
    d_tax       decimal(4, 4)  not null,
    d_ytd       decimal(12, 2) not null,
    d_next_o_id int            not null,
    constraint pk_district primary key clustered (d_w_id, d_id)
);

-- (c_w_id, c_d_id) → district
create table dbo.customer (
    c_w_id         int            not null,
    c_d_id         tinyint        not null,
    c_id           int            not null,
    c_first        varchar(16)    not null,
    c_middle       char(2)        not null,
    c_last         varchar(16)    not null,
    c_street_1     varchar(20)    not null,
    c_street_2     varchar(20)    not null,
    c_city         varchar(20)    not null,
    c_state        char(2)        not null,
    c_zip          char(9)        not null,
    c_phone        char(16)       not null,
    c_since        datetime2(3)   not null,
    c_credit       char(2)        not null,
    c_credit_lim   decimal(12, 2) not null,
    c_discount     decimal(4, 4)  not null,
    c_balance      decimal(12, 2) not null,
    c_ytd_payment  decimal(12, 2) not null,
    c_payment_cnt  int            not null,
    c_delivery_cnt int            not null,
    c_data         varchar(500)   not null,
    constraint pk_customer primary key clustered (c_w_id, c_d_id, c_id)
);

-- (h_c_w_id, h_c_d_id, h_c_id) → customer, (h_w_id, h_d_id) → district
create table dbo.history (
    h_c_id   int           not null,
    h_c_d_id tinyint       not null,
    h_c_w_id int           not null,
    h_d_id   tinyint       not null,
    h_w_id   int           not null,
    h_date   datetime2(3)  not null,
    h_amount decimal(6, 2) not null,
    h_data   varchar(24)   not null
);

-- (o_w_id, o_d_id, o_c_id) → customer
create table dbo.orders (
    o_w_id       int          not null,
    o_d_id       tinyint      not null,
    o_id         int          not null,
    o_c_id       int          not null,
    o_entry_d    datetime2(3) not null,
    o_carrier_id tinyint      null,
    o_ol_cnt     tinyint      not null,
    o_all_local  bit          not null,
    constraint pk_orders primary key clustered (o_w_id, o_d_id, o_id)
);

-- (no_w_id, no_d_id, no_o_id) → orders
create table dbo.new_order (
    no_w_id int     not null,
    no_d_id tinyint not null,
    no_o_id int     not null,
    constraint pk_new_order primary key clustered (no_w_id, no_d_id, no_o_id)
);

-- (ol_w_id, ol_d_id, ol_o_id) → orders, (ol_supply_w_id, ol_i_id) → stock
create table dbo.order_line (
    ol_w_id        int           not null,
    ol_d_id        tinyint       not null,
    ol_o_id        int           not null,
    ol_number      tinyint       not null,
    ol_i_id        int           not null,
    ol_supply_w_id int           not null,
    ol_delivery_d  datetime2(3)  null,
    ol_quantity    smallint      not null,
    ol_amount      decimal(6, 2) not null,
    ol_dist_info   char(24)      not null,
    constraint pk_order_line primary key clustered (ol_w_id, ol_d_id, ol_o_id, ol_number)
);

create table dbo.item (
    i_id    int           not null,
    i_im_id int           not null,
    i_name  varchar(24)   not null,
    i_price decimal(5, 2) not null,
    i_data  varchar(50)   not null,
    constraint pk_item primary key clustered (i_id)
);

-- s_w_id → warehouse, s_i_id → item
create table dbo.stock (
    s_w_id       int         not null,
    s_i_id       int         not null,
    s_quantity   smallint    not null,
    s_dist_01    char(24)    not null,
    s_dist_02    char(24)    not null,
    s_dist_03    char(24)    not null,
    s_dist_04    char(24)    not null,
    s_dist_05    char(24)    not null,
    s_dist_06    char(24)    not null,
    s_dist_07    char(24)    not null,
    s_dist_08    char(24)    not null,
    s_dist_09    char(24)    not null,
    s_dist_10    char(24)    not null,
    s_ytd        int         not null,
    s_order_cnt  int         not null,
    s_remote_cnt int         not null,
    s_data       varchar(50) not null,
    constraint pk_stock primary key clustered (s_w_id, s_i_id)
);
