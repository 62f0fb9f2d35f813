-- differs clustered, secondary: sys.indexes lists the indexes that are made beside
-- Partition functions and schemes, what is put on them, and filegroups.
set nocount on
create database parts
go
use parts
create partition function pf (int) as range left for values (1, 100, 1000)
create partition function pr (int) as range right for values (1, 100, 1000)
create partition function dates (datetime2(0)) as range right for values ('20220401', '20220501', '20220601')
create partition function words (varchar(10)) as range right for values ('ex', 'rxe', 'xxx')
create partition function one (int) as range for values ()
select v, $partition.pf(v) as l, $partition.pr(v) as r, $PARTITION.one(v) as o from (values (null), (0), (1), (2), (100), (101), (1000), (1001)) t (v)
select $partition.words('abc') as a, $partition.words('ex') as b, $partition.words('yyy') as c, $partition.dates('2022-04-30') as d
use master
select parts.$partition.pf(100) as n
use parts
go
--> [v:int | l:int | r:int | o:int]
--> NULL | 1 | 1 | 1
--> 0 | 1 | 1 | 1
--> 1 | 1 | 2 | 1
--> 2 | 2 | 2 | 1
--> 100 | 2 | 3 | 1
--> 101 | 3 | 3 | 1
--> 1000 | 3 | 4 | 1
--> 1001 | 4 | 4 | 1
--> [a:int | b:int | c:int | d:int]
--> 1 | 2 | 4 | 2
--> [n:int]
--> 2
select $partition.nothing(1)
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nothing'.
select $partition.pf(1, 2)
go
--> Msg 174, Level 15, State 1, Line 1: The pf function requires 1 argument(s).
create partition function pf (int) as range for values (1)
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 'pf' in the database.
create partition function bad (int, int) as range for values (1)
go
--> Msg 7703, Level 16, State 1, Line 1: Cannot create RANGE partition function with multiple parameter types.
create partition function bad (varchar(max)) as range for values ('a')
go
--> Msg 7704, Level 16, State 1, Line 1: The type 'varchar(max)' is not valid for this operation.
create partition function bad (int) as range for values (1, 2, 1)
go
--> Msg 7708, Level 16, State 1, Line 1: Duplicate range boundary values are not allowed in partition function boundary values list. Partition boundary values at ordinal 1 and 3 are equal.
create partition function bad (int) as range for values (1, 'x')
go
--> Msg 245, Level 16, State 1, Line 1: Conversion failed when converting the varchar value 'x' to data type int.
create partition function bad (date) as range for values ('20240101', 5)
go
--> Msg 7705, Level 16, State 1, Line 1: Could not implicitly convert range values type specified at ordinal 2 to partition function parameter type.
create partition function unsorted (int) as range for values (10, 5)
select value from sys.partition_range_values v join sys.partition_functions f on f.function_id = v.function_id where f.name = 'unsorted' order by boundary_id
drop partition function unsorted
go
--> # Warning: Range value list for partition function 'unsorted' is not sorted by value. Mapping of partitions to filegroups during CREATE PARTITION SCHEME will use the sorted boundary values if the function 'unsorted' is referenced in CREATE PARTITION SCHEME.
--> [value:sql_variant]
--> 5
--> 10
drop partition function nothing
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the partition function 'nothing', because it does not exist or you do not have permission.
-- Filegroups.
alter database parts add filegroup fg1
alter database parts add filegroup fg2
select name, data_space_id, is_default from sys.filegroups order by data_space_id
go
--> [name:nvarchar(128) | data_space_id:int | is_default:bit]
--> PRIMARY | 1 | 1
--> fg1 | 2 | 0
--> fg2 | 3 | 0
alter database parts add filegroup FG1
go
--> Msg 5035, Level 16, State 1, Line 1: Filegroup 'FG1' already exists in this database. Specify a different name or remove the conflicting filegroup if it is empty.
alter database parts remove filegroup nothing
go
--> Msg 5014, Level 16, State 1, Line 1: The filegroup 'nothing' does not exist in database 'parts'.
alter database parts remove filegroup [primary]
go
--> Msg 5042, Level 16, State 1, Line 1: The filegroup 'primary' cannot be removed because it is not empty.
alter database parts modify filegroup fg1 default
go
--> Msg 5050, Level 16, State 1, Line 1: Cannot change the properties of empty filegroup 'fg1'. The filegroup must contain at least one file.
alter database parts modify filegroup fg2 name = other
go
--> # The filegroup name 'other' has been set.
alter database parts remove filegroup other
go
--> # The filegroup 'other' has been removed.
create table on_nothing (a int) on nothing
go
--> Msg 1921, Level 16, State 1, Line 1: Invalid filegroup 'nothing' specified.
create table on_group (a int primary key, b int) on fg1
create table on_default (a int) on [default]
create index i on on_group (b) on [primary]
select object_name(object_id) as t, index_id, data_space_id from sys.indexes where object_id in (object_id('on_group'), object_id('on_default')) order by t, index_id
go
--> [t:nvarchar(128) | index_id:int | data_space_id:int]
--> on_default | 0 | 1
--> on_group | 1 | 2
--> on_group | 2 | 1
alter database parts remove filegroup fg1
go
--> Msg 5042, Level 16, State 1, Line 1: The filegroup 'fg1' cannot be removed because it is not empty.
create index j on on_group (b) on nothing
go
--> Msg 1921, Level 16, State 1, Line 1: Invalid filegroup 'nothing' specified.
-- Schemes.
create partition scheme few as partition pf to (fg1, fg1)
go
--> Msg 7707, Level 16, State 1, Line 2: The associated partition function 'pf' generates more partitions than there are file groups mentioned in the scheme 'few'.
create partition scheme bad as partition nothing to (fg1)
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nothing'.
create partition scheme bad as partition pf all to (nothing)
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nothing'.
create partition scheme bad as partition pf all to (fg1, [primary])
go
--> Msg 7723, Level 16, State 1, Line 1: Only a single filegroup can be specified while creating partition scheme 'bad' using option ALL to specify all the filegroups.
create partition scheme ps as partition pf to (fg1, [primary], fg1, [primary])
create partition scheme everything as partition pr all to ([primary])
select name, type, type_desc from sys.partition_schemes order by data_space_id
select d.destination_id, d.data_space_id from sys.destination_data_spaces d join sys.partition_schemes s on s.data_space_id = d.partition_scheme_id where s.name = 'ps' order by 1
select name, type from sys.data_spaces order by data_space_id
go
--> [name:nvarchar(128) | type:char(2) | type_desc:nvarchar(60)]
--> ps | PS | PARTITION_SCHEME
--> everything | PS | PARTITION_SCHEME
--> [destination_id:int | data_space_id:int]
--> 1 | 2
--> 2 | 1
--> 3 | 2
--> 4 | 1
--> [name:nvarchar(128) | type:char(2)]
--> PRIMARY | FG
--> fg1 | FG
--> ps | PS
--> everything | PS
drop partition function pf
go
--> Msg 7706, Level 16, State 1, Line 1: Partition function 'pf' is being used by one or more partition schemes.
-- Tables on them.
create table t (a int, b varchar(10), c bigint) on ps
go
--> Msg 2726, Level 16, State 1, Line 2: Partition function 'pf' uses 1 columns which does not match with the number of partition columns used to partition the table or index.
create table t (a int, b varchar(10), c bigint) on fg1 (a)
go
--> Msg 1921, Level 16, State 1, Line 1: Invalid partition scheme 'fg1' specified.
create table t (a int, b varchar(10), c bigint) on ps (nothing)
go
--> Msg 1911, Level 16, State 1, Line 1: Column name 'nothing' does not exist in the target table or view.
create table t (a int, b varchar(10), c bigint) on ps (c)
go
--> Msg 7726, Level 16, State 1, Line 1: Partition column 'c' has data type bigint which is different from the partition function 'pf' parameter data type int.
create table t (a int, b varchar(10) constraint bad_key primary key) on ps (a)
go
--> Msg 1908, Level 16, State 1, Line 1: Column 'a' is partitioning column of the index 'bad_key'. Partition columns for a unique index must be a subset of the index key.
create table t (a int not null, b varchar(10) not null, constraint pk_of_t primary key (b, a)) on ps (a)
insert t values (1, 'a'), (50, 'b'), (100, 'c'), (5000, 'd')
select $partition.pf(a) as p, count(*) as n from t group by $partition.pf(a) order by p
select i.index_id, s.name from sys.indexes i join sys.partition_schemes s on s.data_space_id = i.data_space_id where i.object_id = object_id('t')
select c.name, ic.partition_ordinal from sys.index_columns ic join sys.columns c on c.object_id = ic.object_id and c.column_id = ic.column_id where ic.object_id = object_id('t') order by c.name
go
--> [p:int | n:int]
--> 1 | 1
--> 2 | 2
--> 4 | 1
--> [index_id:int | name:nvarchar(128)]
--> 1 | ps
--> [name:nvarchar(128) | partition_ordinal:tinyint]
--> a | 1
--> b | 0
create unique index u on t (b)
go
--> Msg 1908, Level 16, State 1, Line 1: Column 'a' is partitioning column of the index 'u'. Partition columns for a unique index must be a subset of the index key.
create unique index u on t (b) on [primary]
create index beside on t (b)
select i.name, d.name as place from sys.indexes i join sys.data_spaces d on d.data_space_id = i.data_space_id where i.object_id = object_id('t') order by i.index_id
go
--> [name:nvarchar(128) | place:nvarchar(128)]
--> pk_of_t | ps
--> u | PRIMARY
--> beside | ps
create table later (a int not null, b int not null) on fg1
alter table later add constraint later_pk primary key (a) on ps (a)
alter table later add constraint later_u unique (a, b)
select i.name, d.name as place from sys.indexes i join sys.data_spaces d on d.data_space_id = i.data_space_id where i.object_id = object_id('later') order by i.index_id
drop table later
go
--> [name:nvarchar(128) | place:nvarchar(128)]
--> later_pk | ps
--> later_u | ps
create table later (a int not null) on fg1
alter table later add constraint later_pk primary key (a) on nothing
go
--> Msg 1921, Level 16, State 1, Line 2: Invalid filegroup 'nothing' specified.
select count(*) as n from sys.indexes where object_id = object_id('later') and index_id > 0
drop table later
exec sp_helpfilegroup
go
--> [n:int]
--> 0
--> [groupname:nvarchar(128) | groupid:smallint | filecount:int]
--> PRIMARY | 1 | 1
--> fg1 | 2 | 0
drop partition scheme ps
go
--> Msg 7717, Level 16, State 1, Line 1: The partition scheme "ps" is currently being used to partition one or more tables.
-- Boundaries come and go.
alter partition function pf () split range (500)
go
--> Msg 7710, Level 16, State 1, Line 2: Warning: The partition scheme 'ps' does not have any next used filegroup. Partition scheme has not been changed.
alter partition scheme ps next used [primary]
alter partition function pf () split range (500)
select $partition.pf(500) as a, $partition.pf(501) as b, $partition.pf(1000) as c
select d.data_space_id from sys.destination_data_spaces d join sys.partition_schemes s on s.data_space_id = d.partition_scheme_id where s.name = 'ps' order by destination_id
alter partition function pf () merge range (100)
select $partition.pf(100) as a, $partition.pf(501) as b
select fanout, boundary_value_on_right from sys.partition_functions where name = 'pf'
go
--> [a:int | b:int | c:int]
--> 3 | 4 | 4
--> [data_space_id:int]
--> 2
--> 1
--> 1
--> 2
--> 1
--> [a:int | b:int]
--> 2 | 3
--> [fanout:int | boundary_value_on_right:bit]
--> 4 | 0
alter partition function pf () split range (500)
go
--> Msg 7721, Level 16, State 1, Line 1: Duplicate range boundary values are not allowed in partition function boundary values list. The boundary value being added is already present at ordinal 2 of the boundary value list.
alter partition function pf () merge range (7)
go
--> Msg 7715, Level 16, State 1, Line 1: The specified partition range value could not be found.
alter partition function nothing () merge range (7)
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'nothing'.
-- What is undone was not.
begin tran
alter partition function pr () split range (5)
create partition function undone (int) as range for values (1)
rollback
select fanout from sys.partition_functions where name = 'pr'
select count(*) as n from sys.partition_functions where name = 'undone'
drop table t, on_group
drop partition scheme ps
drop partition scheme everything
drop partition function pf
drop partition function pr
alter database parts remove filegroup fg1
select count(*) as n from sys.data_spaces
go
--> [fanout:int]
--> 4
--> [n:int]
--> 0
--> # The filegroup 'fg1' has been removed.
--> [n:int]
--> 1
truncate table on_default with (partitions (1))
go
--> Msg 7729, Level 16, State 1, Line 1: Cannot specify partition number in the truncate table statement as the table 'on_default' is not partitioned.
use master
drop database parts
go
