-- A duration is a positive number of seconds
-- differs snapshot: the way lets no database with files of its own be read so
create database held
go
use held
set nocount on
create table t (id int primary key, c char(4000) not null default 'x')
declare @i int = 0
while @i < 200 begin insert t (id) values (@i) set @i += 1 end
go
checkpoint 1
select count(*) as dirty from sys.dm_os_buffer_descriptors where database_id = db_id() and is_modified = 1
declare @seconds int = 1
checkpoint @seconds
go
--> [dirty:int]
--> 0
checkpoint 0
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '0'.
select 1 as one
checkpoint 00
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near '00'.
declare @seconds int = -3
checkpoint @seconds
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near '-3'.
declare @seconds int
checkpoint @seconds
go
--> Msg 102, Level 15, State 1, Line 2: Incorrect syntax near 'NULL'.
checkpoint -1
go
--> Msg 102, Level 15, State 1, Line 1: Incorrect syntax near '-'.
-- The switch of S4: dirty pages leave by lazy writes and CHECKPOINT only
exec sp_configure 'automatic checkpoints'
go
--> Msg 15123, Level 16, State 1, Line 2: The configuration option 'automatic checkpoints' does not exist, or it may be an advanced option.
exec sp_configure 'show advanced options', 1
reconfigure
exec sp_configure 'automatic checkpoints', 0
reconfigure
exec sp_configure 'automatic checkpoints'
exec sp_configure 'automatic checkpoints', 2
go
--> # Configuration option 'show advanced options' changed from 0 to 1. Run the RECONFIGURE statement to install.
--> # Configuration option 'automatic checkpoints' changed from 1 to 0. Run the RECONFIGURE statement to install.
--> [name:nvarchar(35) | minimum:int | maximum:int | config_value:int | run_value:int]
--> automatic checkpoints | 0 | 1 | 0 | 0
--> Msg 15129, Level 16, State 1, Line 6: '2' is not a valid value for configuration option 'automatic checkpoints'.
update t set c = 'y'
select case when count(*) > 50 then 'held' end as dirty
from sys.dm_os_buffer_descriptors where database_id = db_id() and is_modified = 1
dbcc dropcleanbuffers
select case when count(*) > 50 then 'held' end as dirty
from sys.dm_os_buffer_descriptors where database_id = db_id() and is_modified = 1
checkpoint
select count(*) as dirty from sys.dm_os_buffer_descriptors where database_id = db_id() and is_modified = 1
dbcc dropcleanbuffers with no_infomsgs
select count(*) as held from sys.dm_os_buffer_descriptors where database_id = db_id()
select count(*) as n, min(c) as c from t
go
--> [dirty:varchar(4)]
--> held
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> [dirty:varchar(4)]
--> held
--> [dirty:int]
--> 0
--> [held:int]
--> 0
--> [n:int | c:char(4000)]
--> 200 | y
exec sp_configure 'automatic checkpoints', 1
reconfigure
dbcc traceon (3505, -1) with no_infomsgs
dbcc tracestatus (3505) with no_infomsgs
dbcc traceoff (3505, -1) with no_infomsgs
go
--> # Configuration option 'automatic checkpoints' changed from 0 to 1. Run the RECONFIGURE statement to install.
--> [TraceFlag:smallint | Status:smallint | Global:smallint | Session:smallint]
--> 3505 | 1 | 1 | 0
-- Without them a log that can grow no more ends statements, at once, until somebody takes a checkpoint
exec sp_configure 'automatic checkpoints', 0
reconfigure
create database small on (name = small, filename = 'ram:small.mdf')
    log on (name = small_log, filename = 'ram:small.ldf', size = 1MB, maxsize = 1MB)
go
--> # Configuration option 'automatic checkpoints' changed from 1 to 0. Run the RECONFIGURE statement to install.
use small
set nocount on
create table t (id int primary key, c char(4000))
insert t values (1, 'a')
declare @i int = 0, @full int = 0
while @i < 300
begin
    begin try update t set c = cast(@i as varchar) end try begin catch set @full = error_number() end catch
    set @i += 1
end
select @full as error
select log_reuse_wait_desc from sys.databases where name = 'small'
checkpoint
update t set c = 'again'
select c from t
go
--> [error:int]
--> 9002
--> [log_reuse_wait_desc:nvarchar(60)]
--> CHECKPOINT
--> [c:char(4000)]
--> again
