-- TPC-H's eight tables. Keys are clustered; types are those of clause 1.3, money and quantities decimal(12, 2).
create table dbo.region (
    r_regionkey int not null, r_name char(25) not null, r_comment varchar(152) not null,
    constraint pk_region primary key clustered (r_regionkey));
create table dbo.nation (
    n_nationkey int not null, n_name char(25) not null, n_regionkey int not null, n_comment varchar(152) not null,
    constraint pk_nation primary key clustered (n_nationkey));
create table dbo.part (
    p_partkey int not null, p_name varchar(55) not null, p_mfgr char(25) not null, p_brand char(10) not null,
    p_type varchar(25) not null, p_size int not null, p_container char(10) not null, p_retailprice decimal(12, 2) not null,
    p_comment varchar(23) not null,
    constraint pk_part primary key clustered (p_partkey));
create table dbo.supplier (
    s_suppkey int not null, s_name char(25) not null, s_address varchar(40) not null, s_nationkey int not null,
    s_phone char(15) not null, s_acctbal decimal(12, 2) not null, s_comment varchar(101) not null,
    constraint pk_supplier primary key clustered (s_suppkey));
create table dbo.partsupp (
    ps_partkey int not null, ps_suppkey int not null, ps_availqty int not null, ps_supplycost decimal(12, 2) not null,
    ps_comment varchar(199) not null,
    constraint pk_partsupp primary key clustered (ps_partkey, ps_suppkey));
create table dbo.customer (
    c_custkey int not null, c_name varchar(25) not null, c_address varchar(40) not null, c_nationkey int not null,
    c_phone char(15) not null, c_acctbal decimal(12, 2) not null, c_mktsegment char(10) not null,
    c_comment varchar(117) not null,
    constraint pk_customer primary key clustered (c_custkey));
create table dbo.orders (
    o_orderkey bigint not null, o_custkey int not null, o_orderstatus char(1) not null,
    o_totalprice decimal(12, 2) not null, o_orderdate date not null, o_orderpriority char(15) not null,
    o_clerk char(15) not null, o_shippriority int not null, o_comment varchar(79) not null,
    constraint pk_orders primary key clustered (o_orderkey));
create table dbo.lineitem (
    l_orderkey bigint not null, l_partkey int not null, l_suppkey int not null, l_linenumber int not null,
    l_quantity decimal(12, 2) not null, l_extendedprice decimal(12, 2) not null, l_discount decimal(12, 2) not null,
    l_tax decimal(12, 2) not null, l_returnflag char(1) not null, l_linestatus char(1) not null, l_shipdate date not null,
    l_commitdate date not null, l_receiptdate date not null, l_shipinstruct char(25) not null, l_shipmode char(10) not null,
    l_comment varchar(44) not null,
    constraint pk_lineitem primary key clustered (l_orderkey, l_linenumber));
