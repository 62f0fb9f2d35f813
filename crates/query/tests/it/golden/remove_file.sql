-- differs secondary: it counts pages
-- a file of tempdb goes with its pages: rows of temporary tables stay where they are for who reads them
set nocount on
alter database tempdb add file (name = extra, size = 8MB, filegrowth = 1MB)
create table #t (id int primary key, c char(4000) not null)
declare @i int = 0
while @i < 400 begin insert #t values (@i, @i * 2) set @i += 1 end
select count(*) as places from tempdb.sys.dm_db_file_space_usage where user_object_reserved_page_count > 0
go
--> [places:int]
--> 3
use tempdb
dbcc shrinkfile (nobody, emptyfile)
dbcc shrinkfile (77, emptyfile)
dbcc shrinkfile (tempdev, emptyfile)
dbcc shrinkfile (templog, emptyfile)
dbcc shrinkfile (extra, emptyfile) with no_infomsgs
dbcc shrinkfile ('EXTRA', emptyfile)
alter database tempdb modify file (name = extra, size = 20MB)
select file_id, user_object_reserved_page_count as pages from sys.dm_db_file_space_usage where file_id > 2
select count(*) as n, sum(id) as ids, sum(cast(c as int)) as cs from #t
go
--> Msg 8985, Level 16, State 1, Line 2: Could not locate file 'nobody' for database 'tempdb' in sys.database_files. The file either does not exist, or was dropped.
--> Msg 8985, Level 16, State 1, Line 3: Could not locate file '77' for database 'tempdb' in sys.database_files. The file either does not exist, or was dropped.
--> Msg 2555, Level 16, State 1, Line 4: Cannot move all contents of file "tempdev" to other places to complete the emptyfile operation.
--> Msg 2555, Level 16, State 1, Line 5: Cannot move all contents of file "templog" to other places to complete the emptyfile operation.
--> [DbId:smallint | FileId:int | CurrentSize:int | MinimumSize:int | UsedPages:int | EstimatedPages:int]
--> 2 | 4 | 1024 | 1024 | 16 | 16
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> Msg 5042, Level 16, State 1, Line 8: The file 'extra' was emptied; it can only be removed.
--> [file_id:smallint | pages:bigint]
--> 3 | 176
--> 4 | 0
--> [n:int | ids:int | cs:int]
--> 400 | 79800 | 159600
alter database tempdb remove file extra
select count(*) as files from sys.database_files where name = 'extra'
update #t set c = id * 3
delete #t where id >= 300
select count(*) as n, sum(id) as ids, sum(cast(c as int)) as cs from #t
go
--> # The file 'extra' has been removed.
--> [files:int]
--> 0
--> [n:int | ids:int | cs:int]
--> 300 | 44850 | 134550
-- not emptied before: gone all the same
alter database tempdb add file (name = more, size = 8MB, filegrowth = 1MB)
create table #u (id int identity, c char(8000) not null)
insert #u select top (200) c from #t
alter database tempdb remove file more
select count(*) as n, count(distinct c) as different from #u
drop table #t
drop table #u
select count(*) as files, sum(user_object_reserved_page_count) as pages from sys.dm_db_file_space_usage
go
--> # The file 'more' has been removed.
--> [n:int | different:int]
--> 200 | 200
--> [files:int | pages:bigint]
--> 2 | 136
dbcc shrinkfile (tempdev, 4) with no_infomsgs
go
-- a log file of tempdb goes too; nothing of this is part of a transaction
alter database tempdb add log file (name = morelog, size = 8MB)
create table #l (id int not null, c char(4000) not null)
begin tran
insert #l values (1, 'a')
alter database tempdb remove file morelog
go
--> Msg 226, Level 16, State 6, Line 6: ALTER DATABASE statement not allowed within multi-statement transaction.
if @@trancount > 0 rollback
alter database tempdb remove file morelog
select count(*) as n from #l
select count(*) as logs from sys.database_files where type_desc = 'LOG'
alter database tempdb remove file templog
drop table #l
go
--> # The file 'morelog' has been removed.
--> [n:int]
--> 0
--> [logs:int]
--> 1
--> Msg 5020, Level 16, State 1, Line 5: The primary data or log file cannot be removed from a database. ('templog')
