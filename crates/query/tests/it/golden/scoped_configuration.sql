-- ALTER DATABASE SCOPED CONFIGURATION: what is said is kept and shown, per database; MAXDOP and VERBOSE_TRUNCATION_WARNINGS are heeded.
create database scoped
go
use scoped
go
select configuration_id, name, cast(value as int) as v, value_for_secondary as s, is_value_default as d
from sys.database_scoped_configurations where configuration_id <= 3 order by configuration_id
go
--> [configuration_id:int | name:nvarchar(60) | v:int | s:sql_variant | d:bit]
--> 1 | MAXDOP | 0 | NULL | 1
--> 2 | LEGACY_CARDINALITY_ESTIMATION | 0 | NULL | 1
--> 3 | PARAMETER_SNIFFING | 1 | NULL | 1
--> (3 rows affected)
alter database scoped configuration set maxdop = 1
alter database scoped configuration for secondary set maxdop = 4
alter database scoped configuration set legacy_cardinality_estimation = on
alter database scoped configuration for secondary set legacy_cardinality_estimation = primary
alter database scoped configuration set elevate_online = when_supported
alter database scoped configuration clear procedure_cache
go
select name, cast(value as nvarchar(20)) as v, cast(value_for_secondary as int) as s, is_value_default as d
from sys.database_scoped_configurations where name in ('MAXDOP', 'LEGACY_CARDINALITY_ESTIMATION', 'ELEVATE_ONLINE') order by configuration_id
go
--> [name:nvarchar(60) | v:nvarchar(20) | s:int | d:bit]
--> MAXDOP | 1 | 4 | 0
--> LEGACY_CARDINALITY_ESTIMATION | 1 | NULL | 0
--> ELEVATE_ONLINE | WHEN_SUPPORTED | NULL | 0
--> (3 rows affected)
create table t (a varchar(3))
go
insert t values ('long')
go
--> Msg 2628, Level 16, State 1, Line 1: String or binary data would be truncated in table 'scoped.dbo.t', column 'a'. Truncated value: 'lon'.
--> # The statement has been terminated.
alter database scoped configuration set verbose_truncation_warnings = off
go
insert t values ('long')
go
--> Msg 8152, Level 16, State 14, Line 1: String or binary data would be truncated.
--> # The statement has been terminated.
declare @t table (a varchar(3))
insert @t exec ('select ''long''')
go
--> Msg 8152, Level 16, State 14, Line 2: String or binary data would be truncated.
--> # The statement has been terminated.
alter database scoped configuration set verbose_truncation_warnings = on
alter database scoped configuration set maxdop = 0
go
select count(*) as n from sys.database_scoped_configurations where is_value_default = 0
go
--> [n:int]
--> 2
--> (1 rows affected)
alter database scoped configuration set no_such = on
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'NO_SUCH'.
alter database scoped configuration set parameter_sniffing = perhaps
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near 'perhaps'.
alter database scoped configuration set maxdop = 40000
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '40000'.
begin transaction
alter database scoped configuration set maxdop = 2
go
--> Msg 226, Level 16, State 6, Line 2: ALTER DATABASE statement not allowed within multi-statement transaction.
rollback
use master
go
select count(*) as n from sys.database_scoped_configurations where is_value_default = 0
go
--> [n:int]
--> 0
--> (1 rows affected)
drop database scoped
go
