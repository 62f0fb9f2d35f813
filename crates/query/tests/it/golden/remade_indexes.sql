-- differs clustered, secondary: the script makes and lists indexes of its own
-- differs parameters: nothing says of a variable that the index with a filter has all rows that are wanted
-- differs snapshot: an index is disabled in a transaction that reads by a snapshot, which is 3964
-- CREATE INDEX WITH (DROP_EXISTING = ON), DROP INDEX and ALTER INDEX DISABLE of indexes that enforce constraints.
create database remade_db
go
use remade_db
go
set nocount on
create table p (id int not null constraint pk primary key, u int constraint uq unique, v int)
insert p values (1, 1, 1), (2, 2, 2)
create index plain on p (v)
go
create index pk on p (v) with (drop_existing = on)
go
--> Msg 1907, Level 16, State 1, Line 1: Cannot recreate index 'pk'. The new index definition does not match the constraint being enforced by the existing index.
create unique clustered index pk on p (v) with (drop_existing = on)
go
--> Msg 1907, Level 16, State 1, Line 1: Cannot recreate index 'pk'. The new index definition does not match the constraint being enforced by the existing index.
create unique clustered index pk on p (id desc) with (drop_existing = on)
go
--> Msg 1907, Level 16, State 1, Line 1: Cannot recreate index 'pk'. The new index definition does not match the constraint being enforced by the existing index.
create clustered index pk on p (id) with (drop_existing = on)
go
--> Msg 1907, Level 16, State 1, Line 1: Cannot recreate index 'pk'. The new index definition does not match the constraint being enforced by the existing index.
create unique index pk on p (id) with (drop_existing = on)
go
--> Msg 1925, Level 16, State 2, Line 1: Cannot convert a clustered index to a nonclustered index by using the DROP_EXISTING option. To change the index type from clustered to nonclustered, delete the clustered index, and then create a nonclustered index by using two separate statements.
create unique index uq on p (u) include (v) with (drop_existing = on)
go
--> Msg 1907, Level 16, State 1, Line 1: Cannot recreate index 'uq'. The new index definition does not match the constraint being enforced by the existing index.
create unique index uq on p (u) where u > 0 with (drop_existing = on)
go
--> Msg 1907, Level 16, State 1, Line 1: Cannot recreate index 'uq'. The new index definition does not match the constraint being enforced by the existing index.
create index nope on dbo.p (v) with (drop_existing = on)
go
--> Msg 7999, Level 16, State 9, Line 1: Could not find any index named 'nope' for table 'dbo.p'.
create unique clustered index pk on p (id) with (drop_existing = on, fillfactor = 70)
create unique index uq on p (u) with drop_existing
select name, is_primary_key, is_unique_constraint, is_unique, fill_factor from sys.indexes where object_id = object_id('p') order by index_id
select name, type from sys.key_constraints where parent_object_id = object_id('p') order by name
insert p values (1, 9, 9)
insert p values (9, 1, 9)
insert p values (3, 3, 3)
select id from p order by id
drop index uq on p
go
--> [name:nvarchar(128) | is_primary_key:bit | is_unique_constraint:bit | is_unique:bit | fill_factor:tinyint]
--> pk | 1 | 0 | 1 | 70
--> uq | 0 | 1 | 1 | 0
--> plain | 0 | 0 | 0 | 0
--> [name:nvarchar(128) | type:char(2)]
--> pk | PK
--> uq | UQ
--> Msg 2627, Level 14, State 1, Line 5: Violation of PRIMARY KEY constraint 'pk'. Cannot insert duplicate key in object 'dbo.p'. The duplicate key value is (1).
--> # The statement has been terminated.
--> Msg 2627, Level 14, State 1, Line 6: Violation of UNIQUE KEY constraint 'uq'. Cannot insert duplicate key in object 'dbo.p'. The duplicate key value is (1).
--> # The statement has been terminated.
--> [id:int]
--> 1
--> 2
--> 3
--> Msg 3723, Level 16, State 4, Line 9: An explicit DROP INDEX is not allowed on index 'p.uq'. It is being used for UNIQUE KEY constraint enforcement.
create table plain_clustered (a int, b int)
create clustered index c on plain_clustered (a)
create index n on plain_clustered (b)
insert plain_clustered values (2, 1), (1, 2)
go
create index c on plain_clustered (a) with (drop_existing = on)
go
--> Msg 1925, Level 16, State 2, Line 1: Cannot convert a clustered index to a nonclustered index by using the DROP_EXISTING option. To change the index type from clustered to nonclustered, delete the clustered index, and then create a nonclustered index by using two separate statements.
create index n on plain_clustered (b desc) with (drop_existing = on)
select name, type_desc from sys.indexes where object_id = object_id('plain_clustered') order by index_id
select b from plain_clustered where b > 0 order by b desc
go
--> [name:nvarchar(128) | type_desc:nvarchar(60)]
--> c | CLUSTERED
--> n | NONCLUSTERED
--> [b:int]
--> 2
--> 1
-- From nonclustered to clustered the constraint stays.
create table q (id int not null constraint pq primary key nonclustered, v int)
insert q values (2, 2), (1, 1)
create unique clustered index pq on q (id) with (drop_existing = on)
select name, type_desc, is_primary_key from sys.indexes where object_id = object_id('q')
insert q values (2, 3)
go
--> [name:nvarchar(128) | type_desc:nvarchar(60) | is_primary_key:bit]
--> pq | CLUSTERED | 1
--> Msg 2627, Level 14, State 1, Line 6: Violation of PRIMARY KEY constraint 'pq'. Cannot insert duplicate key in object 'dbo.q'. The duplicate key value is (2).
--> # The statement has been terminated.
-- A filter that changes, and an index that was not maintained, make the index anew.
create table f (a int, b int)
create index i on f (a) where b = 1
insert f values (1, 1), (2, 2)
create index i on f (a) where b = 2 with (drop_existing = on)
select a from f with (index (i)) where b = 2
alter index i on f disable
insert f values (3, 2)
create index i on f (a) where b = 2 with (drop_existing = on)
select a from f with (index (i)) where b = 2 order by a
select is_disabled from sys.indexes where object_id = object_id('f') and name = 'i'
go
--> [a:int]
--> 2
--> [a:int]
--> 2
--> 3
--> [is_disabled:bit]
--> 0
-- A unique index that a foreign key needs.
create table r (a int not null, b int)
create unique index ra on r (a)
create table rc (a int constraint fk_ra references r (a))
insert r values (1, 1)
go
drop index ra on r
go
--> Msg 3723, Level 16, State 4, Line 1: An explicit DROP INDEX is not allowed on index 'r.ra'. It is being used for FOREIGN KEY constraint enforcement.
create index ra on r (a) with (drop_existing = on)
go
--> Msg 1907, Level 16, State 1, Line 1: Cannot recreate index 'ra'. The new index definition does not match the constraint being enforced by the existing index.
create unique index ra on r (b) with (drop_existing = on)
go
--> Msg 1907, Level 16, State 1, Line 1: Cannot recreate index 'ra'. The new index definition does not match the constraint being enforced by the existing index.
create unique index ra on r (a) include (b) with (drop_existing = on)
insert rc values (2)
create unique index ra2 on r (a)
drop index ra on r
insert rc values (2)
drop index ra2 on r
go
--> Msg 547, Level 16, State 0, Line 2: The INSERT statement conflicted with the FOREIGN KEY constraint "fk_ra". The conflict occurred in database "remade_db", table "dbo.r", column 'a'.
--> # The statement has been terminated.
--> Msg 547, Level 16, State 0, Line 5: The INSERT statement conflicted with the FOREIGN KEY constraint "fk_ra". The conflict occurred in database "remade_db", table "dbo.r", column 'a'.
--> # The statement has been terminated.
--> Msg 3723, Level 16, State 4, Line 6: An explicit DROP INDEX is not allowed on index 'r.ra2'. It is being used for FOREIGN KEY constraint enforcement.
-- DISABLE of a unique index switches the foreign keys to it off; REBUILD does not switch them on.
create table m (id int not null constraint pm primary key nonclustered, up int constraint fk_self references m (id), u int constraint um unique)
create table ch (m int constraint fk_m references m (id), u int constraint fk_u references m (u))
insert m values (1, null, 1)
insert ch values (1, 1)
alter index pm on m disable
select name, is_disabled, is_not_trusted from sys.foreign_keys where referenced_object_id = object_id('m') order by name
insert ch values (7, 1)
insert ch values (1, 7)
alter index pm on m rebuild
insert ch values (8, 1)
go
--> # Warning: Foreign key 'fk_self' on table 'm' referencing table 'm' was disabled as a result of disabling the index 'pm'.
--> # Warning: Foreign key 'fk_m' on table 'ch' referencing table 'm' was disabled as a result of disabling the index 'pm'.
--> [name:nvarchar(128) | is_disabled:bit | is_not_trusted:bit]
--> fk_m | 1 | 1
--> fk_self | 1 | 1
--> fk_u | 0 | 0
--> Msg 547, Level 16, State 0, Line 9: The INSERT statement conflicted with the FOREIGN KEY constraint "fk_u". The conflict occurred in database "remade_db", table "dbo.m", column 'u'.
--> # The statement has been terminated.
alter table ch with check check constraint fk_m
go
--> Msg 547, Level 16, State 0, Line 1: The ALTER TABLE statement conflicted with the FOREIGN KEY constraint "fk_m". The conflict occurred in database "remade_db", table "dbo.m", column 'id'.
delete ch where m > 1
alter table ch with check check constraint fk_m
insert ch values (9, 1)
select name, is_disabled, is_not_trusted from sys.foreign_keys where referenced_object_id = object_id('m') order by name
begin transaction
alter index um on m disable
rollback
insert ch values (1, 7)
go
--> Msg 547, Level 16, State 0, Line 3: The INSERT statement conflicted with the FOREIGN KEY constraint "fk_m". The conflict occurred in database "remade_db", table "dbo.m", column 'id'.
--> # The statement has been terminated.
--> [name:nvarchar(128) | is_disabled:bit | is_not_trusted:bit]
--> fk_m | 0 | 0
--> fk_self | 1 | 1
--> fk_u | 0 | 0
--> # Warning: Foreign key 'fk_u' on table 'ch' referencing table 'm' was disabled as a result of disabling the index 'um'.
--> Msg 547, Level 16, State 0, Line 8: The INSERT statement conflicted with the FOREIGN KEY constraint "fk_u". The conflict occurred in database "remade_db", table "dbo.m", column 'u'.
--> # The statement has been terminated.
drop table ch, m, rc, r, f, q, plain_clustered, p
go
use master
drop database remade_db
go
