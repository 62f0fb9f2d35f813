-- The functions of properties give sql_variant, with the base types that SQL Server's documentation names.
create table dbo.t (i int primary key, v varchar(10))
insert dbo.t values (1, 'a'), (2, 'b'), (3, 'c')
go
--> (3 rows affected)
create view dbo.v as select i from dbo.t
go
create synonym dbo.s for dbo.v
go
create synonym dbo.nothing for dbo.nosuch
go
select p, cast(sql_variant_property(serverproperty(p), 'BaseType') as varchar(20)) as base, cast(sql_variant_property(serverproperty(p), 'MaxLength') as int) as bytes
from (values ('ProductVersion'), ('ProductMajorVersion'), ('ProductBuild'), ('Edition'), ('EditionID'), ('EngineEdition'), ('Collation'), ('CollationID'),
    ('LCID'), ('SqlCharSet'), ('SqlSortOrder'), ('IsClustered'), ('IsIntegratedSecurityOnly'), ('ResourceLastUpdateDateTime'), ('ProcessID'), ('InstanceName'),
    ('IsLocalDB'), ('nosuch')) as t (p) order by p
go
--> [p:varchar(26) | base:varchar(20) | bytes:int]
--> Collation | nvarchar | 256
--> CollationID | int | 4
--> Edition | nvarchar | 256
--> EditionID | bigint | 8
--> EngineEdition | int | 4
--> InstanceName | NULL | NULL
--> IsClustered | int | 4
--> IsIntegratedSecurityOnly | int | 4
--> IsLocalDB | int | 4
--> LCID | int | 4
--> nosuch | NULL | NULL
--> ProcessID | int | 4
--> ProductBuild | nvarchar | 256
--> ProductMajorVersion | nvarchar | 256
--> ProductVersion | nvarchar | 256
--> ResourceLastUpdateDateTime | datetime | 8
--> SqlCharSet | tinyint | 1
--> SqlSortOrder | tinyint | 1
--> (18 rows affected)
select p, databasepropertyex('master', p) as value, cast(sql_variant_property(databasepropertyex('master', p), 'BaseType') as varchar(20)) as base
from (values ('Collation'), ('ComparisonStyle'), ('IsAnsiNullDefault'), ('LastGoodCheckDbTime'), ('LCID'), ('Recovery'), ('SQLSortOrder'), ('Status'),
    ('Updateability'), ('UserAccess'), ('Version'), ('nosuch')) as t (p)
where p <> 'LastGoodCheckDbTime' or databasepropertyex('master', p) is not null order by p
go
--> [p:varchar(19) | value:sql_variant | base:varchar(20)]
--> Collation | SQL_Latin1_General_CP1_CI_AS | nvarchar
--> ComparisonStyle | 196609 | int
--> IsAnsiNullDefault | 0 | int
--> LastGoodCheckDbTime | 1900-01-01 00:00:00.000 | datetime
--> LCID | 1033 | int
--> nosuch | NULL | NULL
--> Recovery | SIMPLE | nvarchar
--> SQLSortOrder | 52 | tinyint
--> Status | ONLINE | nvarchar
--> Updateability | READ_WRITE | nvarchar
--> UserAccess | MULTI_USER | nvarchar
--> Version | 957 | int
--> (12 rows affected)
select o, objectpropertyex(object_id(o), 'BaseType') as type, cast(sql_variant_property(objectpropertyex(object_id(o), 'BaseType'), 'BaseType') as varchar(20)) as base,
    case objectpropertyex(object_id(o), 'BaseType') when N'U' then 'table' when 'V' then 'view' else '-' end as kind,
    objectpropertyex(object_id(o), 'Cardinality') as cardinality, objectpropertyex(object_id(o), 'IsTable') as is_table
from (values ('dbo.t'), ('dbo.v'), ('dbo.s'), ('dbo.nothing'), ('sys.objects'), ('dbo.nosuch')) as t (o)
order by o
go
--> [o:varchar(11) | type:sql_variant | base:varchar(20) | kind:varchar(5) | cardinality:sql_variant | is_table:sql_variant]
--> dbo.nosuch | NULL | NULL | - | NULL | NULL
--> dbo.nothing | NULL | NULL | - | NULL | 0
--> dbo.s | V | char | view | NULL | 0
--> dbo.t | U | char | table | 3 | 1
--> dbo.v | V | char | view | NULL | 0
--> sys.objects | V | char | view | NULL | 0
--> (6 rows affected)
-- beside a join, as an object explorer asks
select o.name, case objectpropertyex(o.object_id, N'BaseType') when N'U' then 1 else 0 end as is_table
from sys.objects o join sys.schemas s on s.schema_id = o.schema_id where s.name = 'dbo' and o.type in ('U', 'V', 'SN') order by o.name
go
--> [name:nvarchar(128) | is_table:int]
--> nothing | 0
--> s | 0
--> t | 1
--> v | 0
--> (4 rows affected)
select sql_variant_property(sessionproperty('ansi_nulls'), 'BaseType') as a, sessionproperty('ansi_nulls') as b,
    sql_variant_property(collationproperty('Latin1_General_CI_AS', 'LCID'), 'BaseType') as c, collationproperty('Latin1_General_CI_AS', 'LCID') as d,
    sql_variant_property(connectionproperty('net_transport'), 'BaseType') as e
go
--> [a:sql_variant | b:sql_variant | c:sql_variant | d:sql_variant | e:sql_variant]
--> int | 1 | int | 1033 | nvarchar
--> (1 rows affected)
-- comparisons convert what is beside them; an assignment wants a CONVERT
select case when serverproperty('EngineEdition') = 3 then 'three' end as a, case when serverproperty('EngineEdition') in (1, 2, 3) then 'one of' end as b,
    case when databasepropertyex('master', 'Status') = 'ONLINE' then 'online' end as c, case when databasepropertyex('master', 'Status') = N'online' then 'folded' end as d,
    isnull(serverproperty('InstanceName'), 'MSSQLSERVER') as e, convert(varchar(5), serverproperty('ProductVersion')) as f,
    case when serverproperty('ProductMajorVersion') > 9 then 'a text is less than numbers' else 'a text is less than any number' end as g
go
--> [a:varchar(5) | b:varchar(6) | c:varchar(6) | d:varchar(6) | e:sql_variant | f:varchar(5) | g:varchar(30)]
--> three | one of | online | folded | MSSQLSERVER | 16.0. | a text is less than any number
--> (1 rows affected)
declare @edition nvarchar(128)
set @edition = serverproperty('Edition')
go
--> Msg 257, Level 16, State 1, Line 2: Implicit conversion from data type sql_variant to nvarchar is not allowed. Use the CONVERT function to run this query.
declare @version int
select @version = databasepropertyex('master', 'Version')
go
--> Msg 257, Level 16, State 1, Line 2: Implicit conversion from data type sql_variant to int is not allowed. Use the CONVERT function to run this query.
print serverproperty('Edition')
go
--> # Developer Edition (64-bit)
select 'Version ' + serverproperty('ProductVersion') as v
go
--> Msg 402, Level 16, State 1, Line 1: The data types varchar and sql_variant are incompatible in the add operator.
select serverproperty('ProductVersion') + 1 as v
go
--> Msg 257, Level 16, State 1, Line 1: Implicit conversion from data type sql_variant to int is not allowed. Use the CONVERT function to run this query.
select left(serverproperty('ProductVersion'), 2) as v
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type sql_variant is invalid for argument 1 of left function.
select charindex('.', serverproperty('ProductVersion')) as v
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type sql_variant is invalid for argument 2 of charindex function.
select concat(serverproperty('ProductMajorVersion'), '-', serverproperty('EngineEdition')) as v, concat_ws('/', databasepropertyex('master', 'Status'), 1) as w
go
--> [v:nvarchar(4000) | w:nvarchar(4000)]
--> 16-3 | ONLINE/1
--> (1 rows affected)
select 1 as x where serverproperty('ProductVersion') like '16%'
go
--> Msg 8116, Level 16, State 1, Line 1: Argument data type sql_variant is invalid for argument 1 of like function.
declare @v sql_variant = serverproperty('EngineEdition')
select @v as v, convert(int, @v) + 1 as w
select serverproperty('Edition') as edition, databasepropertyex('master', 'Version') as version into #kept
select c.name, t.name as type from tempdb.sys.columns c join sys.types t on t.user_type_id = c.user_type_id where c.object_id = object_id('tempdb..#kept') order by c.column_id
drop table #kept
go
--> [v:sql_variant | w:int]
--> 3 | 4
--> (1 rows affected)
--> (1 rows affected)
--> [name:nvarchar(128) | type:nvarchar(128)]
--> edition | sql_variant
--> version | sql_variant
--> (2 rows affected)
drop synonym dbo.s
drop synonym dbo.nothing
drop view dbo.v
drop table dbo.t
go
