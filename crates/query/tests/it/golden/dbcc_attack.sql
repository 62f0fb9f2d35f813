-- What an attack found in DBCC: constraints over all kinds of columns, options and arguments that no command has, results as rows,
-- what texts of others may show.
-- differs parameters: INPUTBUFFER shows the text as it came
create database attacked
go
use attacked
create table parent (a varchar(5) collate Latin1_General_BIN2, b nvarchar(5) collate Turkish_CI_AS, primary key (a, b))
create table child (a varchar(5) collate Latin1_General_BIN2, b nvarchar(5) collate Turkish_CI_AS, v rowversion,
    s sql_variant, c char(4) collate Greek_CS_AS, bin varbinary(4), f float, dt datetime, tri as len(c) * 2 persisted,
    constraint fk foreign key (a, b) references parent (a, b),
    constraint ck_all check (a = 'x' and b = 'y' and v > 0x00 and c = 'z'),
    constraint ck_variant check (s is null or s = cast(1 as int)),
    constraint ck_more check (bin > 0x01 and f > 1 and dt > '2020'),
    constraint ck_computed check (tri < 3))
insert parent values ('x', N'y')
alter table child nocheck constraint all
insert child (a, b, s, c, bin, f, dt) values ('X', N'y', cast('2024-01-02' as datetime), 'it''s', 0x01, 0.1, '2019-05-06')
insert child (a, b, s, c, bin, f, dt) values ('X', N'y', cast(0x0A0B as varbinary(4)), 'z', 0xFF, 2, '2024')
insert child (a, b, s, c, bin, f, dt) values ('x', N'Y', N'o''b', 'z', 0xFF, 2, '2024'), (null, N'y', N'o''b', 'z', 0xFF, 2, '2024')
go
--> (1 rows affected)
--> (1 rows affected)
--> (1 rows affected)
--> (2 rows affected)
declare @found table ([Table] nvarchar(776), [Constraint] nvarchar(776), [Where] nvarchar(max))
insert @found exec ('dbcc checkconstraints (child) with all_constraints, no_infomsgs')
select [Constraint], case when [Constraint] = '[ck_all]' then left([Where], 39) else [Where] end as [Where] from @found
go
--> (8 rows affected)
--> [Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [fk] | [a] = 'X' AND [b] = 'y'
--> [ck_all] | [a] = 'X' AND [b] = 'y' AND [v] = 0x000
--> [ck_all] | [a] = 'X' AND [b] = 'y' AND [v] = 0x000
--> [ck_computed] | [tri] = '8'
--> [ck_more] | [bin] = 0x01 AND [f] = '1.0000000000000001e-001' AND [dt] = '2019-05-06 00:00:00.000'
--> [ck_variant] | [s] = '2024-01-02 00:00:00.000'
--> [ck_variant] | [s] = 0x0A0B
--> [ck_variant] | [s] = 'o''b'
--> (8 rows affected)
-- Rows that look alike are shown once; a check may be called what its table was called.
create table alike (n int constraint ck_n check (alike.n > 0), m int, constraint ck_nm check (alike.n > 0 or m > 0))
alter table alike nocheck constraint ck_n
insert alike values (-1, 1), (-1, 2), (-1, 3), (-2, 1)
exec sp_rename 'alike', 'renamed'
dbcc checkconstraints ('renamed') with all_constraints, no_infomsgs
go
--> (4 rows affected)
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[renamed] | [ck_n] | [n] = '-1'
--> [dbo].[renamed] | [ck_n] | [n] = '-2'
-- It begins no transaction, heeds no ROWCOUNT, and changes no context.
set implicit_transactions on
dbcc checkconstraints ('dbo.ck_n') with no_infomsgs
select @@trancount as open_transactions
set implicit_transactions off
set rowcount 1
dbcc checkconstraints ('attacked.dbo.ck_n') with no_infomsgs
set rowcount 0
go
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[renamed] | [ck_n] | [n] = '-1'
--> [dbo].[renamed] | [ck_n] | [n] = '-2'
--> [open_transactions:int]
--> 0
--> (1 rows affected)
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[renamed] | [ck_n] | [n] = '-1'
--> [dbo].[renamed] | [ck_n] | [n] = '-2'
set concat_null_yields_null off
dbcc checkconstraints
go
--> Msg 2507, Level 16, State 1, Line 2: The CONCAT_NULL_YIELDS_NULL option must be set to ON to run DBCC CHECKCONSTRAINTS.
set concat_null_yields_null on
use master
dbcc checkconstraints ('attacked.dbo.ck_n') with no_infomsgs
dbcc checkconstraints ('ck_n')
go
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[renamed] | [ck_n] | [n] = '-1'
--> [dbo].[renamed] | [ck_n] | [n] = '-2'
--> Msg 2501, Level 16, State 45, Line 4: Cannot find a table or object with the name "ck_n". Check the system catalog.
dbcc checkconstraints ('master.dbo.ck_n')
go
--> Msg 2501, Level 16, State 45, Line 1: Cannot find a table or object with the name "master.dbo.ck_n". Check the system catalog.
use attacked
go
-- An error is at the statement's line, and ends it.
create table divided (a int constraint ck_divided check (1 / a > 0))
alter table divided nocheck constraint all
set arithabort off set ansi_warnings off
insert divided values (0)
set ansi_warnings on set arithabort on

dbcc checkconstraints (divided) with all_constraints, no_infomsgs
go
--> (1 rows affected)
--> Msg 8134, Level 16, State 1, Line 8: Divide by zero error encountered.
create function dbo.is_right(@n int) returns bit as begin return case when @n > 0 then 1 else 0 end end
go
create table asked (n int constraint ck_asked check (dbo.is_right(n) = 1))
alter table asked nocheck constraint all
insert asked values (5), (-5)
dbcc checkconstraints (asked) with all_constraints, no_infomsgs
go
--> (2 rows affected)
--> [Table:nvarchar(776) | Constraint:nvarchar(776) | Where:nvarchar(max)]
--> [dbo].[asked] | [ck_asked] | [n] = '-5'
-- Options: a word that is none refuses the text, one of others the command.
print 'not reached' dbcc checkdb with foo
go
--> Msg 195, Level 15, State 4, Line 2: 'foo' is not a recognized option.
dbcc checkdb with count_rows
go
--> Msg 2532, Level 16, State 5, Line 1: One or more WITH options specified are not valid for this command.
dbcc checkcatalog with tableresults
go
--> Msg 2532, Level 16, State 5, Line 1: One or more WITH options specified are not valid for this command.
dbcc checkdb with physical_only, extended_logical_checks
go
--> Msg 2532, Level 16, State 5, Line 1: One or more WITH options specified are not valid for this command.
dbcc flushauthcache with no_infomsgs
go
--> Msg 2532, Level 16, State 5, Line 1: One or more WITH options specified are not valid for this command.
dbcc checkdb (0, noindex, 1)
go
--> Msg 2583, Level 16, State 1, Line 1: An incorrect number of parameters was given to the DBCC statement.
dbcc checkdb (0, 1)
go
--> Msg 2560, Level 16, State 9, Line 1: Parameter 2 is incorrect for this DBCC statement.
dbcc checkdb (null)
go
--> Msg 2560, Level 16, State 9, Line 1: Parameter 1 is incorrect for this DBCC statement.
dbcc freesessioncache ('x')
go
--> Msg 2583, Level 16, State 1, Line 1: An incorrect number of parameters was given to the DBCC statement.
dbcc useroptions (1)
go
--> Msg 2583, Level 16, State 1, Line 1: An incorrect number of parameters was given to the DBCC statement.
dbcc checktable
go
--> Msg 2583, Level 16, State 1, Line 1: An incorrect number of parameters was given to the DBCC statement.
dbcc checktable (12345)
go
--> Msg 2573, Level 16, State 1, Line 1: Could not find table or object ID 12345. Check system catalog.
dbcc inputbuffer (@@spid, 7)
go
--> Msg 7960, Level 16, State 2, Line 1: An invalid server process identifier (SPID) 51 or batch ID 7 was specified.
dbcc inputbuffer ('x')
go
--> Msg 2560, Level 16, State 9, Line 1: Parameter 1 is incorrect for this DBCC statement.
dbcc inputbuffer (@@spid, 0, 1)
go
--> Msg 2583, Level 16, State 1, Line 1: An incorrect number of parameters was given to the DBCC statement.
dbcc traceon (1234567)
go
--> Msg 2560, Level 16, State 9, Line 1: Parameter 1 is incorrect for this DBCC statement.
-- One way to name a database.
dbcc opentran ('no such')
go
--> Msg 2520, Level 16, State 5, Line 2: Could not find database 'no such'. The database either does not exist, or was dropped before a statement tried to use it. Verify if the database exists by querying the sys.databases catalog view.
dbcc opentran (999)
go
--> Msg 2521, Level 16, State 10, Line 1: Could not find database ID 999. The database ID either does not exist, or the database was dropped before a statement tried to use it. Verify if the database ID exists by querying the sys.databases catalog view.
dbcc opentran (-5)
go
--> Msg 2560, Level 16, State 9, Line 1: Parameter 1 is incorrect for this DBCC statement.
dbcc loginfo ('no such')
go
--> Msg 2520, Level 16, State 5, Line 1: Could not find database 'no such'. The database either does not exist, or was dropped before a statement tried to use it. Verify if the database exists by querying the sys.databases catalog view.
dbcc page ('no such', 1, 1)
go
--> Msg 2520, Level 16, State 5, Line 1: Could not find database 'no such'. The database either does not exist, or was dropped before a statement tried to use it. Verify if the database exists by querying the sys.databases catalog view.
dbcc ind ('no such', t, 1)
go
--> Msg 2520, Level 16, State 5, Line 1: Could not find database 'no such'. The database either does not exist, or was dropped before a statement tried to use it. Verify if the database exists by querying the sys.databases catalog view.
create view seen as select n from renamed
go
create synonym same for renamed
go
dbcc checkconstraints (seen)
go
--> Msg 5239, Level 16, State 1, Line 1: Unable to process object ID 1016 (object 'seen') because this DBCC command does not support objects of this type.
dbcc checkident (same)
go
--> Msg 2547, Level 16, State 1, Line 1: Unable to process object ID 1017 (object 'same') because it is a synonym. If the object referenced by the synonym is a table or view, retry the operation using the base object that the synonym references.
create database away
alter database away set offline
dbcc updateusage (away)
go
--> Msg 942, Level 14, State 4, Line 3: Database 'away' cannot be opened because it is offline.
drop database away
go
-- Results as rows.
create table #lines (Error int, Level int, State int, MessageText nvarchar(2048), RepairLevel nvarchar(22), Status int, DbId int,
    DbFragId int, ObjectId int, IndexId int, PartitionId bigint, AllocUnitId bigint, RidDbId smallint, RidPruId smallint,
    [File] smallint, Page int, Slot int, RefDbId smallint, RefPruId smallint, RefFile smallint, RefPage int, RefSlot int,
    Allocation smallint)
insert #lines exec ('dbcc checktable (renamed) with tableresults')
select l.Error, l.Level, l.State, l.MessageText, l.RepairLevel, l.Status, db_name(l.DbId) as db, object_name(l.ObjectId) as object,
    iif(l.IndexId in (0, 1), 'rows', '') as part, case when p.partition_id is not null then 'known' end as partition
from #lines l left join sys.partitions p on p.partition_id = l.PartitionId
truncate table #lines
insert #lines exec ('dbcc checkdb with tableresults')
select Error, MessageText from #lines where Error = 8989
truncate table #lines
insert #lines exec ('dbcc checkalloc with tableresults, no_infomsgs')
select count(*) as lines from #lines
go
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> (2 rows affected)
--> [Error:int | Level:int | State:int | MessageText:nvarchar(2048) | RepairLevel:nvarchar(22) | Status:int | db:nvarchar(128) | object:nvarchar(128) | part:varchar(4) | partition:varchar(5)]
--> 2536 | 10 | 1 | DBCC results for 'dbo.renamed'. | NULL | 0 | attacked | renamed | rows | known
--> 2593 | 10 | 1 | There are 4 rows in 1 pages for object "dbo.renamed". | NULL | 0 | attacked | renamed | rows | known
--> (2 rows affected)
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> (46 rows affected)
--> [Error:int | MessageText:nvarchar(2048)]
--> 8989 | CHECKDB found 0 allocation errors and 0 consistency errors in database 'attacked'.
--> (1 rows affected)
--> (0 rows affected)
--> [lines:int]
--> 0
--> (1 rows affected)
dbcc checktable (renamed) with tableresults, no_infomsgs
dbcc checkdb with estimateonly
dbcc checktable (renamed) with estimateonly, no_infomsgs
go
--> # DBCC results for 'attacked'.
--> # Estimated TEMPDB space (in KB) needed for CHECKDB on database attacked = 0.
--> # DBCC execution completed. If DBCC printed error messages, contact your system administrator.
--> # Estimated TEMPDB space (in KB) needed for CHECKTABLE on database attacked = 0.
-- What may have a password in it is shown to nobody.
exec ('create login hidden with password = ''A long p4ssword''') dbcc inputbuffer (@@spid) with no_infomsgs
drop login hidden
go
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | NULL
--> (1 rows affected)
declare @text nvarchar(max) = N'create login hidden with password = ' dbcc inputbuffer (@@spid) with no_infomsgs
go
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | NULL
--> (1 rows affected)
select datalength(pwdencrypt('A p4ssword')) as bytes dbcc inputbuffer (@@spid) with no_infomsgs
go
--> [bytes:int]
--> 70
--> (1 rows affected)
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | NULL
--> (1 rows affected)
select pwdcompare(N'A p4ssword', 0x0200) as same dbcc inputbuffer (@@spid) with no_infomsgs
go
--> [same:int]
--> 0
--> (1 rows affected)
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | NULL
--> (1 rows affected)
if 1 = 0 create master key encryption by password = 'A p4ssword' dbcc inputbuffer (@@spid) with no_infomsgs
go
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | NULL
--> (1 rows affected)
if 1 = 0 backup database attacked to disk = 'nowhere' with mediapassword = 'A p4ssword' dbcc inputbuffer (@@spid) with no_infomsgs
go
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | NULL
--> (1 rows affected)
select 'the password' as p, 'pwd' as q dbcc inputbuffer (@@spid) with no_infomsgs
go
--> [p:varchar(12) | q:varchar(3)]
--> the password | pwd
--> (1 rows affected)
--> [EventType:nvarchar(30) | Parameters:smallint | EventInfo:nvarchar(4000)]
--> Language Event | 0 | select 'the password' as p, 'pwd' as q dbcc inputbuffer (@@spid) with no_infomsgs
--> (1 rows affected)
-- Beside it.
create user owner_of_it without login
alter authorization on renamed to owner_of_it
select user_name(objectproperty(object_id('renamed'), 'OwnerId')) as owner,
    user_name(objectproperty(object_id('asked'), 'OwnerId')) as other
create table [@ff] (a int)
go
--> [owner:nvarchar(128) | other:nvarchar(128)]
--> owner_of_it | dbo
--> (1 rows affected)
--> Msg 40517, Level 16, State 1, Line 6: A table whose name begins with @ is not supported in this version of Millpond.
merge top ((select 1)) into asked as t using (values (1)) as s (n) on t.n = s.n when not matched then insert (n) values (s.n);
go
--> Msg 40517, Level 16, State 1, Line 1: A subquery in TOP of MERGE is not supported in this version of Millpond.
use master
drop database attacked
go
