-- differs secondary: the indexes of a table that is refused are refused, too
-- differs parameters: conditions of constants decide it
-- Which columns SELECT … INTO makes NOT NULL: by function, operator and form, as SQL Server has it without a rule. What a result
-- is described as says the same. Each list names the columns that take NULL.
set nocount on
create table src (
    n int not null, u int null, k int not null, s varchar(20) not null, su varchar(20) null, d datetime not null,
    m decimal(9, 2) not null, mu decimal(9, 2) null, b bigint not null, t tinyint not null, f float not null, r real not null,
    y smallmoney not null, p7 decimal(7, 0) not null, p9 decimal(9, 0) not null, p16 decimal(16, 0) not null, dt date not null,
    d2 datetime2(7) not null, sd smalldatetime not null, vb varbinary(10) not null, bf binary(4) not null, vm varbinary(max) not null)
insert src values (2020, null, 1, 'a', null, '20200101', 1.5, null, 1, 1, 1, 1, 1, 1, 1, 1, '20200101', '20200101', '20200101',
    0x0102, 0x01020304, 0x0102)
go
-- Functions that are as their arguments are, and those that never are NULL.
select ceiling(m) c1, ceiling(mu) c2n, ceiling(5.5) c3, ceiling(cast(m as decimal(9, 2))) c4n, floor(m) c5, floor(mu) c6n,
    round(m, 1) c7, round(mu, 1) c8n, round(m, u) c9n, round(m, 1, u) c10n, sign(n) c11, sign(u) c12n, radians(n) c13,
    radians(u) c14n, greatest(n, 1) c15, greatest(n, u) c16n, least(n, 1) c17, least(u, 1) c18n, datefromparts(n, 1, 1) c19,
    datefromparts(u, 1, 1) c20n, datetimefromparts(n, 1, 1, 0, 0, 0, 0) c21, datetime2fromparts(n, 1, 1, 0, 0, 0, 0, 0) c22,
    smalldatetimefromparts(n, 1, 1, 0, 0) c23, timefromparts(k, 1, 1, 0, 0) c24,
    datetimeoffsetfromparts(n, 1, 1, 0, 0, 0, 0, 0, 0, 0) c25, pi() c26, getdate() c27, getutcdate() c28, sysdatetime() c29,
    sysutcdatetime() c30, sysdatetimeoffset() c31, current_timestamp c32, rowcount_big() c33, min_active_rowversion() c34,
    concat(su, su) c35, concat_ws(',', su, su) c36, @@rowcount c37, @@spid c38, @@trancount c39, @@error c40, @@nestlevel c41,
    @@dbts c42, @@fetch_status c43, @@cursor_rows c44, @@lock_timeout c45, @@textsize c46, @@connections c47, @@procid c48,
    @@options c49, @@identity c50n
into functions from src
select string_agg(name, ' ') within group (order by column_id) as nulls from sys.columns
where object_id = object_id('functions') and is_nullable = 1
go
--> [nulls:nvarchar(4000)]
--> c2n c4n c6n c8n c9n c10n c12n c14n c16n c18n c20n c50n
-- All other functions take NULL whatever their arguments, COUNT and the windows, too.
select abs(n) c1, abs(5) c2, power(n, 2) c3, square(n) c4, sqrt(n) c5, exp(k) c6, log(n) c7, degrees(n) c8, cos(n) c9,
    checksum(n) c10, rand() c11, newid() c12, dateadd(day, 1, d) c13, datepart(year, d) c14, year(d) c15, eomonth(d) c16, len(s) c17,
    left(s, 2) c18, upper(s) c19, replace(s, 'a', 'b') c20, charindex('a', s) c21, cast(n as int) c22, convert(int, n) c23,
    try_cast(n as int) c24, choose(1, n, 2) c25, scope_identity() c26, row_number() over (order by n) c27, (select top 1 n from src) c28,
    datediff(day, d, d) c29, isnumeric(s) c30, count(*) over () c31
into others from src
select count(*) as columns, sum(cast(is_nullable as int)) as nulls from sys.columns where object_id = object_id('others')
select count(*) c1, count(u) c2, count_big(*) c3, sum(n) c4, max(n) c5 into counts from src
select count(*) as columns, sum(cast(is_nullable as int)) as nulls from sys.columns where object_id = object_id('counts')
go
--> [columns:int | nulls:int]
--> 31 | 31
--> # Warning: Null value is eliminated by an aggregate or other SET operation.
--> [columns:int | nulls:int]
--> 5 | 5
-- Operators: what is computed exactly takes NULL; a float of operands that are all there in it, joined texts and bits are as
-- their operands.
select 1 + 1 c1n, n + n c2n, m + m c3n, n * n c4n, n - n c5n, n / n c6n, n % n c7n, f + f c8, f * f c9, f - f c10, f / f c11,
    r + r c12, r * r c13, f + u c14n, f * cast(2 as float) c15n, f * n c16, r * n c17n, f * b c18n, f * t c19, r * t c20, f * 2 c21,
    r * 2 c22n, f * 2.0 c23n, f * m c24n, f * y c25n, f * p7 c26, r * p7 c27, f * p9 c28, f * p16 c29n, f * f * f c30,
    f * m * f c31n, 'a' + 'b' c32, s + s c33, s + su c34n, s + 'x' c35, s + s + s c36, s + s + su c37n,
    s + cast(s as varchar(9)) c38n, 0x01 + 0x02 c39, 1 & 2 c40, n & n c41, n & u c42n, n | n c43, n ^ n c44, ~1 c45, ~n c46, ~u c47n,
    -1 c48, -(1) c49, -n c50n, -m c51n, (n) c52, (u) c53n, (s + s) c54, s collate Latin1_General_CI_AS c55,
    su collate Latin1_General_CI_AS c56n, 1 c57, 'x' c58, 1.5 c59
into operators from src
select string_agg(name, ' ') within group (order by column_id) as nulls from sys.columns
where object_id = object_id('operators') and is_nullable = 1
go
--> [nulls:nvarchar(4000)]
--> c1n c2n c3n c4n c5n c6n c7n c14n c15n c17n c18n c22n c23n c24n c25n c29n c31n c34n c37n c38n c42n c47n c50n c51n c53n c56n
-- CASE and what is written for it: as the results that are reached.
select nullif(1, 2) c1, nullif(1, 1) c2n, nullif(5, null) c3, nullif(n, 2) c4n, coalesce(n, 0) c5, coalesce(u, 0) c6n,
    coalesce(n, u) c7n, coalesce(n, null) c8n, coalesce(null, 5) c9, coalesce(null, null, 5) c10, coalesce(null, n) c11,
    coalesce(5, u) c12, coalesce(vb, 0x00) c13, coalesce(vb, 0x0000000000000000000000) c14, coalesce(bf, 0x00000000) c15,
    coalesce(vm, 0x00) c16, coalesce(vb, cast(0x00 as varbinary(10))) c17n, isnull(u, 0) c18, isnull(u, u) c19n, iif(n > 1, 1, 2) c20,
    iif(1 = 1, 5, null) c21, iif(1 = 2, 5, null) c22n, iif(1 = 1, n, u) c23, iif(1 = 2, n, u) c24n, case when 1 = 1 then 5 end c25,
    case when 1 = 2 then 5 end c26n, case when 1 = 1 then n end c27, case when 1 = 1 then u end c28n, case when 1 = 2 then u end c29n,
    case when 1 = 2 then u else 5 end c30, case when 1 = 2 then 5 when 1 = 2 then 6 end c31n, case when null = 1 then 5 end c32n,
    case when n = 1 then 5 when 1 = 1 then u end c33n, case when 1 = 1 then 5 when n = 1 then u end c34,
    case when 1 = 1 then s + s end c35, case 1 when 1 then 5 end c36, case 1 when 1 then u end c37n, case 1 when 2 then u end c38n,
    case n when 1 then 5 end c39n
into cases from src
select string_agg(name, ' ') within group (order by column_id) as nulls from sys.columns
where object_id = object_id('cases') and is_nullable = 1
go
--> [nulls:nvarchar(4000)]
--> c2n c4n c6n c7n c8n c17n c19n c22n c24n c26n c28n c29n c31n c32n c33n c37n c38n c39n
-- A result that the type of the CASE may alter takes NULL: SET operators and VALUES do not ask.
select coalesce(m, 2147483647) c1, coalesce(m, 0.0) c2, coalesce(m, t) c3, coalesce(m, n) c4, coalesce(y, n) c5n, coalesce(y, t) c6,
    isnull(m, 0) c7, coalesce(n, f) c8, coalesce(b, f) c9n, coalesce(m, f) c10n, coalesce(p9, f) c11, coalesce(p16, f) c12n,
    coalesce(p7, r) c13, coalesce(p9, r) c14n, coalesce(n, r) c15n, coalesce(r, f) c16, coalesce(f, 1) c17, coalesce(f, 1.5) c18n,
    coalesce(dt, d) c19n, coalesce(sd, dt) c20n, coalesce(dt, d2) c21, coalesce(d, d2) c22n, coalesce(sd, d) c23,
    coalesce(s, 'abc') c24, coalesce(s, 'a literal longer than the column') c25, greatest(m, 2147483647) c26
into arms from src
select string_agg(name, ' ') within group (order by column_id) as nulls from sys.columns
where object_id = object_id('arms') and is_nullable = 1
select m into united from src union all select f from src
select is_nullable from sys.columns where object_id = object_id('united')
go
--> [nulls:nvarchar(4000)]
--> c5n c9n c10n c12n c14n c15n c18n c19n c20n c22n
--> [is_nullable:bit]
--> 0
-- Conditions of constants, but for those of subqueries.
select case when 'a' like 'a' then 5 end c1, case when 'a' like 'b' then 5 else null end c2n, case when 1 in (1, 2) then 5 end c3,
    case when 1 between 0 and 2 then 5 end c4, case when 1 = 1 and 2 = 2 then 5 end c5, case when 1 = 1 or 1 = 2 then 5 end c6,
    case when not (1 = 2) then 5 end c7, case when 1 is not null then 5 end c8, case when 1 is not distinct from 1 then 5 end c9,
    case when exists (select 1) then 5 end c10n, iif(1 in (1, 2), 5, null) c11
into conditions from src
select string_agg(name, ' ') within group (order by column_id) as nulls from sys.columns
where object_id = object_id('conditions') and is_nullable = 1
go
--> [nulls:nvarchar(4000)]
--> c2n c10n
-- What a result is described as, a view, and a column that is computed.
select name, is_nullable from sys.dm_exec_describe_first_result_set(
    'select upper(s) as a, ceiling(m) as b, n & n as c, n + n as d, count(*) over () as e from src', null, 0)
go
--> [name:nvarchar(128) | is_nullable:bit]
--> a | 1
--> b | 0
--> c | 0
--> d | 1
--> e | 1
create view v as select upper(s) as a, ceiling(m) as b, f + f as c from src
go
create table computed (n int not null, f float not null, a as abs(n), b as n & 1, c as f + f, d as n % 16)
select object_name(object_id) as object, name, is_nullable from sys.columns
where object_id in (object_id('v'), object_id('computed')) and name in ('a', 'b', 'c', 'd') order by object, name
go
--> [object:nvarchar(128) | name:nvarchar(128) | is_nullable:bit]
--> computed | a | 1
--> computed | b | 0
--> computed | c | 0
--> computed | d | 1
--> v | a | 1
--> v | b | 0
--> v | c | 0
-- Under the options by which an error gives NULL, what may fail takes NULL.
set arithabort off set ansi_warnings off
select f / f a, n & n b into soft from src
select name, is_nullable from sys.columns where object_id = object_id('soft')
set arithabort on set ansi_warnings on
go
--> [name:nvarchar(128) | is_nullable:bit]
--> a | 1
--> b | 1
-- A persisted column of a primary key becomes NOT NULL.
create table keyed (a int, c as a + 1 persisted primary key)
select is_nullable from sys.columns where object_id = object_id('keyed') order by column_id
insert keyed values (null)
go
--> [is_nullable:bit]
--> 1
--> 0
--> Msg 515, Level 16, State 2, Line 4: Cannot insert the value NULL into column 'c', table 'master.dbo.keyed'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
insert keyed values (4)
select a, c from keyed where c = 5
go
--> [a:int | c:int]
--> 4 | 5
create table keyed_by_name (a int, b int not null, c as a + 1 persisted, constraint pk primary key (b, c))
create table not_kept (a int, c as a + 1 primary key)
go
--> Msg 1711, Level 16, State 1, Line 2: Cannot define PRIMARY KEY constraint on column 'c' in table 'not_kept'. The computed column has to be persisted and not nullable.
--> Msg 1750, Level 16, State 1, Line 2: Could not create constraint or index. See previous errors.
