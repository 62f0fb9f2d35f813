-- Views of constraints and files as SQL Server 2000 called them, and columns of what statements cost that old scripts ask for.
create database old_names
go
use old_names
create table p (a int not null, b int not null, constraint pk_p primary key (a, b))
create table c (id int not null constraint uq_c unique, x int, y int constraint df_c default 7, constraint ck_c check (x < y or y > id),
  constraint fk_c foreign key (y, x) references p (a, b))
go
-- 1 primary key, 2 unique, 3 foreign key, 4 CHECK, 5 DEFAULT; 16 of a column, 32 of the table.
select o.name, object_name(s.id) as of_table, s.colid, s.status & 15 as kind, s.status & 48 as place
from sysconstraints s join sysobjects o on o.id = s.constid order by o.name
go
--> [name:nvarchar(128) | of_table:nvarchar(128) | colid:smallint | kind:int | place:int]
--> ck_c | c | 0 | 4 | 32
--> df_c | c | 3 | 5 | 16
--> fk_c | c | 0 | 3 | 32
--> pk_p | p | 0 | 1 | 32
--> uq_c | c | 0 | 2 | 32
--> (5 rows affected)
select object_name(constid) as name, object_name(fkeyid) as refers, object_name(rkeyid) as referred, fkey, rkey, keyno
from dbo.sysforeignkeys order by keyno
go
--> [name:nvarchar(128) | refers:nvarchar(128) | referred:nvarchar(128) | fkey:smallint | rkey:smallint | keyno:smallint]
--> fk_c | c | p | 3 | 1 | 1
--> fk_c | c | p | 2 | 2 | 2
--> (2 rows affected)
select object_name(constid) as name, object_name(fkeyid) as refers, rkeyindid, keycnt, fkey1, fkey2, fkey3, rkey1, rkey2, rkey16
from sys.sysreferences
go
--> [name:nvarchar(128) | refers:nvarchar(128) | rkeyindid:smallint | keycnt:smallint | fkey1:smallint | fkey2:smallint | fkey3:smallint | rkey1:smallint | rkey2:smallint | rkey16:smallint]
--> fk_c | c | 1 | 2 | 3 | 2 | 0 | 1 | 2 | 0
--> (1 rows affected)
select fileid, groupid, status & 66 as status, name from sysfiles order by fileid
go
--> [fileid:smallint | groupid:smallint | status:int | name:nvarchar(128)]
--> 1 | 1 | 2 | old_names
--> 2 | 0 | 66 | old_names_log
--> (2 rows affected)
select sum(total_logical_writes + last_logical_writes + min_logical_writes + max_logical_writes) as writes,
  sum(total_clr_time + last_clr_time + min_clr_time + max_clr_time) as clr from sys.dm_exec_query_stats
go
--> [writes:bigint | clr:bigint]
--> 0 | 0
--> (1 rows affected)
