-- differs variables: it asks the catalog for tables
-- What old catalog views and tables of the server say.
create database own_objects
go
use own_objects
set nocount on
go
create table t (a sysname, b sysname null, c nvarchar(128), id int constraint pk_t primary key, d int constraint df_d default 1, constraint ck_d check (d > 0))
go
create procedure p as return
go
create view v as select 1 as a
go
create trigger tr on t after insert as return
go
select name, xtype, type, object_name(parent_obj) as parent from sysobjects where category = 0 order by name
select count(*) as n from sys.sysobjects where category <> 0 and objectproperty(id, 'IsMSShipped') = 0
select count(*) as n from sys.all_objects where name = 'sp_help'
go
--> [name:nvarchar(128) | xtype:char(2) | type:char(2) | parent:nvarchar(128)]
--> ck_d | C | C | t
--> df_d | D | D | t
--> p | P | P | NULL
--> pk_t | PK | K | t
--> t | U | U | NULL
--> tr | TR | TR | t
--> v | V | V | NULL
--> [n:int]
--> 0
--> [n:int]
--> 1
select name, type_name(user_type_id) as own, type_name(system_type_id) as base, is_nullable, max_length from sys.columns where object_id = object_id('t') order by column_id
select column_name, data_type, domain_name, is_nullable from information_schema.columns where table_name = 't' order by ordinal_position
select name, xtype, xusertype from syscolumns where id = object_id('t') order by colid
go
--> [name:nvarchar(128) | own:nvarchar(128) | base:nvarchar(128) | is_nullable:bit | max_length:smallint]
--> a | sysname | nvarchar | 0 | 256
--> b | sysname | nvarchar | 1 | 256
--> c | nvarchar | nvarchar | 1 | 256
--> id | int | int | 0 | 4
--> d | int | int | 1 | 4
--> [column_name:nvarchar(128) | data_type:nvarchar(128) | domain_name:nvarchar(128) | is_nullable:varchar(3)]
--> a | nvarchar | NULL | NO
--> b | nvarchar | NULL | YES
--> c | nvarchar | NULL | YES
--> id | int | NULL | NO
--> d | int | NULL | YES
--> [name:nvarchar(128) | xtype:tinyint | xusertype:smallint]
--> a | 231 | 256
--> b | 231 | 256
--> c | 231 | 231
--> id | 56 | 56
--> d | 56 | 56
insert t (b, id) values ('b', 1)
go
--> Msg 515, Level 16, State 2, Line 1: Cannot insert the value NULL into column 'a', table 'own_objects.dbo.t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
insert t (a, b, id) values ('a', null, 1)
select a, b from t
alter table t alter column a sysname null
select type_name(user_type_id) as own, is_nullable from sys.columns where object_id = object_id('t') and name = 'a'
go
--> [a:nvarchar(128) | b:nvarchar(128)]
--> a | NULL
--> [own:nvarchar(128) | is_nullable:bit]
--> sysname | 1
create table #t (a sysname)
insert #t values (null)
go
--> Msg 515, Level 16, State 2, Line 2: Cannot insert the value NULL into column 'a', table 'tempdb.dbo.#t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
declare @s sysname
select isnull(@s, 'null') as s
go
--> [s:nvarchar(128)]
--> null
-- Numbers to count with.
select count(*) as n, min(number) as low, max(number) as high from master..spt_values where type = 'P'
select number, type, low, high, status from master.dbo.spt_values where type = 'P' and number in (0, 7, 8, 2047) and name is null order by number
select top 3 dateadd(day, number, cast('20240101' as date)) as d from master..spt_values where type = 'P' order by number
go
--> [n:int | low:int | high:int]
--> 2048 | 0 | 2047
--> [number:int | type:nchar(3) | low:int | high:int | status:int]
--> 0 | P | 1 | 1 | 0
--> 7 | P | 1 | 128 | 0
--> 8 | P | 2 | 1 | 0
--> 2047 | P | 256 | 128 | 0
--> [d:date]
--> 2024-01-01
--> 2024-01-02
--> 2024-01-03
select * from spt_values
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'spt_values'.
select * from master.sys.spt_values
go
--> Msg 208, Level 16, State 1, Line 1: Invalid object name 'master.sys.spt_values'.
use master
select count(*) as n from spt_values where type = 'P' and number between 1 and 10
go
--> [n:int]
--> 10
use own_objects
create table spt_values (a int)
select * from spt_values
go
--> [a:int]
