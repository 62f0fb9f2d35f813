-- CREATE DEFAULT and RULE, what binds them to columns and types, and what they do there.
create database bound
go
use bound
set nocount on
go
create default d_zero as 0
go
create rule r_pos as @v >= 0
go
create default dbo.[d'x] as 'un''known'
go
create rule r_len as len(@s) < 6 or @s like '%@s%';
go
create table t (id int identity, q int, c as q + 1, dq int constraint dfa default 1, n int not null, big varchar(max))
go
select name, type, type_desc, parent_object_id from sys.objects where type in ('D', 'R') order by name
select definition from sys.sql_modules where object_id = object_id('r_len', 'R')
select object_definition(object_id('d_zero', 'D')) as text
go
--> [name:nvarchar(128) | type:char(2) | type_desc:nvarchar(60) | parent_object_id:int]
--> d'x | D | DEFAULT_CONSTRAINT | 0
--> d_zero | D | DEFAULT_CONSTRAINT | 0
--> dfa | D | DEFAULT_CONSTRAINT | 1004
--> r_len | R | RULE | 0
--> r_pos | R | RULE | 0
--> [definition:nvarchar(max)]
--> create rule r_len as len(@s) < 6 or @s like '%@s%';
--> [text:nvarchar(max)]
--> create default d_zero as 0
-- Columns.
exec sp_bindefault 'd_zero', 't.q'
exec sp_bindrule 'dbo.r_pos', '[dbo].t.[q]'
insert t (n) values (1)
insert t (q, n) values (null, 2)
insert t (q, n) values (-1, 3)
insert t (q, n) values (-1, null)
update t set n = 4 where q = 0
update t set q = -q - 1 where q = 0
select id, q, dq, n from t order by id
go
--> # Default bound to column.
--> # Rule bound to table column.
--> Msg 513, Level 16, State 0, Line 6: A column insert or update conflicts with a rule imposed by a previous CREATE RULE statement. The statement was terminated. The conflict occurred in database 'bound', table 'dbo.t', column 'q'.
--> # The statement has been terminated.
--> Msg 515, Level 16, State 2, Line 7: Cannot insert the value NULL into column 'n', table 'bound.dbo.t'; column does not allow nulls. INSERT fails.
--> # The statement has been terminated.
--> Msg 513, Level 16, State 0, Line 9: A column insert or update conflicts with a rule imposed by a previous CREATE RULE statement. The statement was terminated. The conflict occurred in database 'bound', table 'dbo.t', column 'q'.
--> # The statement has been terminated.
--> [id:int | q:int | dq:int | n:int]
--> 1 | 0 | 1 | 4
--> 2 | NULL | 1 | 2
select c.name, object_name(default_object_id) as d, object_name(rule_object_id) as r from sys.columns c where object_id = object_id('t') and name in ('q', 'dq', 'n') order by name
select name from sys.default_constraints
select count(*) as checks from sys.check_constraints
select count(*) as clauses from information_schema.check_constraints
exec sp_helpconstraint 't', 'nomsg'
go
--> [name:nvarchar(128) | d:nvarchar(128) | r:nvarchar(128)]
--> dq | dfa | NULL
--> n | NULL | NULL
--> q | d_zero | r_pos
--> [name:nvarchar(128)]
--> dfa
--> [checks:int]
--> 0
--> [clauses:int]
--> 0
--> [constraint_type:nvarchar(146) | constraint_name:nvarchar(128) | delete_action:nvarchar(11) | update_action:nvarchar(11) | status_enabled:varchar(8) | status_for_replication:varchar(19) | constraint_keys:nvarchar(2126)]
--> DEFAULT on column q (bound with sp_bindefault) | d_zero | (n/a) | (n/a) | (n/a) | (n/a) | create default d_zero as 0
--> DEFAULT on column dq | dfa | (n/a) | (n/a) | (n/a) | (n/a) | ((1))
--> RULE on column q (bound with sp_bindrule) | r_pos | (n/a) | (n/a) | (n/a) | (n/a) | create rule r_pos as @v >= 0
--> # No foreign keys reference table 't', or you do not have permissions on referencing tables.
-- What a column has is not dropped, altered or given a constraint; it may be renamed.
drop default d_zero
go
--> Msg 3716, Level 16, State 3, Line 2: The default 'd_zero' cannot be dropped because it is bound to one or more column.
drop rule r_pos
go
--> Msg 3716, Level 16, State 1, Line 1: The rule 'r_pos' cannot be dropped because it is bound to one or more column.
alter table t add constraint df default 1 for q
go
--> Msg 1781, Level 16, State 1, Line 1: Column already has a DEFAULT bound to it.
--> Msg 1750, Level 16, State 1, Line 1: Could not create constraint or index. See previous errors.
alter table t drop column c
alter table t alter column q bigint
go
--> Msg 5074, Level 16, State 1, Line 2: The object 'r_pos' is dependent on column 'q'.
--> Msg 5074, Level 16, State 1, Line 2: The object 'd_zero' is dependent on column 'q'.
--> Msg 4922, Level 16, State 9, Line 2: ALTER TABLE ALTER COLUMN q failed because one or more objects access this column.
exec sp_rename 't.q', 'q]q', 'column'
exec sp_rename 'r_pos', 'r_pos2'
go
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
insert t ([q]]q], n) values (-5, 5)
alter table t nocheck constraint all
insert t ([q]]q], n) values (-5, 5)
exec sp_rename 't.[q]]q]', 'q', 'column'
exec sp_rename 'r_pos2', 'r_pos'
go
--> Msg 513, Level 16, State 0, Line 1: A column insert or update conflicts with a rule imposed by a previous CREATE RULE statement. The statement was terminated. The conflict occurred in database 'bound', table 'dbo.t', column 'q]q'.
--> # The statement has been terminated.
--> Msg 513, Level 16, State 0, Line 3: A column insert or update conflicts with a rule imposed by a previous CREATE RULE statement. The statement was terminated. The conflict occurred in database 'bound', table 'dbo.t', column 'q]q'.
--> # The statement has been terminated.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
--> # Caution: Changing any part of an object name could break scripts and stored procedures.
-- Another rule takes the place of the first; a rollback brings it back.
create rule r_big as @x > 100
go
set transaction isolation level read committed
begin transaction
exec sp_bindrule 'r_big', 't.q'
exec sp_unbindefault 't.q'
drop rule r_pos
rollback
insert t (q, n) values (5, 5)
insert t (n) values (6)
insert t (q, n) values (-5, 5)
go
--> # Rule bound to table column.
--> # Default unbound from table column.
--> Msg 513, Level 16, State 0, Line 9: A column insert or update conflicts with a rule imposed by a previous CREATE RULE statement. The statement was terminated. The conflict occurred in database 'bound', table 'dbo.t', column 'q'.
--> # The statement has been terminated.
exec sp_unbindrule 't.q'
exec sp_unbindefault 't.q'
drop rule r_pos
drop default d_zero
insert t (n) values (7)
insert t (q, n) values (-5, 8)
select q, n from t where n > 4 order by n
go
--> # Rule unbound from table column.
--> # Default unbound from table column.
--> [q:int | n:int]
--> 5 | 5
--> 0 | 6
--> NULL | 7
--> -5 | 8
-- A default converts when it is put in.
create default d_text as 'abc'
go
create table conv (a int, c varchar(10))
exec sp_bindefault 'd_text', 'conv.a'
exec sp_bindefault 'd_text', 'conv.c'
insert conv (a) values (2)
update conv set c = null
update conv set c = default
select * from conv
insert conv (c) values ('x')
go
--> # Default bound to column.
--> # Default bound to column.
--> [a:int | c:varchar(10)]
--> 2 | abc
--> Msg 245, Level 16, State 1, Line 8: Conversion failed when converting the varchar value 'abc' to data type int.
drop table conv
drop default d_text
go
-- What is refused.
exec sp_bindefault 'nope', 't.q'
exec sp_bindrule 'nope', 't.q'
exec sp_bindrule 'd''x', 't.q'
exec sp_bindefault 'd''x', 't.nope'
exec sp_bindrule 'r_big', 'nope'
exec sp_bindefault 'd''x', 'int'
exec sp_bindefault 'd''x', 't.q', 'x'
exec sp_bindrule 'r_big', 't.q', 'x'
exec sp_bindefault 'd''x', 't.id'
exec sp_bindefault 'd''x', 't.big'
exec sp_bindefault 'd''x', 't.dq'
exec sp_bindrule 'r_big', 't.big'
exec sp_unbindefault 't.q'
exec sp_unbindrule 't.q'
exec sp_unbindrule 'nope'
go
--> Msg 15016, Level 16, State 1, Line 2: The default 'nope' does not exist.
--> Msg 15017, Level 16, State 1, Line 3: The rule 'nope' does not exist.
--> Msg 15017, Level 16, State 1, Line 4: The rule 'd'x' does not exist.
--> Msg 15148, Level 16, State 1, Line 5: The data type or table column 't.nope' does not exist or you do not have permission.
--> Msg 15148, Level 16, State 1, Line 6: The data type or table column 'nope' does not exist or you do not have permission.
--> Msg 4185, Level 16, State 1, Line 7: This action cannot be performed on a system type.
--> Msg 15100, Level 16, State 1, Line 8: Usage: sp_bindefault defaultname, objectname [, 'futureonly']
--> Msg 15106, Level 16, State 1, Line 9: Usage: sp_bindrule rulename, objectname [, 'futureonly']
--> Msg 15102, Level 16, State 1, Line 10: Cannot bind a default to an identity column.
--> Msg 15101, Level 16, State 1, Line 11: Cannot bind a default to a computed column, a sparse column, or to a column of the following data types: timestamp, varchar(max), nvarchar(max), varbinary(max), xml, or CLR type.
--> Msg 15103, Level 16, State 1, Line 12: Cannot bind a default to a column created with or altered to have a default value.
--> Msg 15107, Level 16, State 1, Line 13: Cannot bind a rule to a computed column, a sparse column, or to a column of the following data types: text, ntext, image, timestamp, varchar(max), nvarchar(max), varbinary(max), xml, or user-defined data type.
--> Msg 15236, Level 16, State 1, Line 14: Column 't.q' has no default.
--> Msg 15238, Level 16, State 1, Line 15: Column 't.q' has no rule.
--> Msg 15148, Level 16, State 1, Line 16: The data type or table column 'nope' does not exist or you do not have permission.
create rule r1 as @a > 0 and @b > 0
go
--> Msg 161, Level 15, State 1, Line 1: Rule contains more than one variable.
create rule r1 as 1 = 1
go
--> Msg 160, Level 15, State 1, Line 1: Rule does not contain a variable.
create rule r1 as @v > (select 1)
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create default d1 as (select 1)
go
--> Msg 1046, Level 15, State 1, Line 1: Subqueries are not allowed in this context. Only scalar expressions are allowed.
create default d1 as @x
go
--> Msg 137, Level 15, State 2, Line 1: Must declare the scalar variable "@x".
create default d1 as 0; select 1
go
--> Msg 156, Level 15, State 1, Line 1: Incorrect syntax near the keyword 'select'.
select 1 as one; create default d1 as 0
go
--> Msg 111, Level 15, State 1, Line 1: 'CREATE DEFAULT' must be the first statement in a query batch.
create default t as 1
go
--> Msg 2714, Level 16, State 6, Line 1: There is already an object named 't' in the database.
drop default dfa
go
--> Msg 3717, Level 16, State 1, Line 1: Cannot drop a default constraint by DROP DEFAULT statement. Use ALTER TABLE to drop a constraint default.
drop table [d'x]
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP TABLE with 'd'x' because 'd'x' is a default. Use DROP DEFAULT.
drop default r_big
go
--> Msg 3705, Level 16, State 1, Line 1: Cannot use DROP DEFAULT with 'r_big' because 'r_big' is a rule. Use DROP RULE.
drop rule nope
go
--> Msg 3701, Level 11, State 5, Line 1: Cannot drop the rule 'nope', because it does not exist or you do not have permission.
drop rule if exists nope
drop default if exists nope
go
-- Types: columns that are there follow, but under futureonly; columns that are made later have both.
create type ssn from varchar(11)
go
create table p0 (id int, s ssn)
create table p1 (id int, s ssn)
exec sp_bindefault [d'x], 'ssn', 'futureonly'
exec sp_bindrule 'r_len', 'dbo.ssn'
create table p2 (id int, s ssn)
alter table p0 add s2 ssn
select object_name(object_id) as t, name, sign(default_object_id) as d, sign(rule_object_id) as r from sys.columns where name like 's_' or name = 's' order by 1, 2
select name, sign(default_object_id) as d, sign(rule_object_id) as r from sys.types where name = 'ssn'
insert p2 (id) values (1)
insert p2 values (2, '@s and more')
insert p2 values (3, 'short')
insert p1 values (4, 'much too long')
select * from p2
go
--> # Default bound to data type.
--> # Rule bound to data type.
--> # The new rule has been bound to column(s) of the specified user data type.
--> [t:nvarchar(128) | name:nvarchar(128) | d:int | r:int]
--> p0 | s | 0 | 1
--> p0 | s2 | 1 | 1
--> p1 | s | 0 | 1
--> p2 | s | 1 | 1
--> [name:nvarchar(128) | d:int | r:int]
--> ssn | 1 | 1
--> Msg 513, Level 16, State 0, Line 9: A column insert or update conflicts with a rule imposed by a previous CREATE RULE statement. The statement was terminated. The conflict occurred in database 'bound', table 'dbo.p2', column 's'.
--> # The statement has been terminated.
--> Msg 2628, Level 16, State 1, Line 12: String or binary data would be truncated in table 'bound.dbo.p1', column 's'. Truncated value: 'much too lo'.
--> # The statement has been terminated.
--> [id:int | s:varchar(11)]
--> 2 | @s and more
--> 3 | short
select domain_default from information_schema.domains where domain_name = 'ssn'
select column_name, column_default from information_schema.columns where table_name in ('p0', 't') and column_default is not null order by 1
select objectproperty(object_id('dfa'), 'IsConstraint') as a, objectproperty(object_id('dfa'), 'IsDefault') as b, objectproperty(object_id('dfa'), 'IsDefaultCnst') as c,
  objectproperty(object_id('[d''x]'), 'IsConstraint') as d, objectproperty(object_id('[d''x]'), 'IsDefault') as e, objectproperty(object_id('r_len'), 'IsRule') as f
exec ('declare @t table (a ssn)')
exec ('create type tt as table (a ssn)')
go
--> [domain_default:nvarchar(max)]
--> create default dbo.[d'x] as 'un''known'
--> [column_name:nvarchar(128) | column_default:nvarchar(4000)]
--> dq | ((1))
--> s2 | create default dbo.[d'x] as 'un''known'
--> [a:int | b:int | c:int | d:int | e:int | f:int]
--> 1 | 0 | 1 | 0 | 1 | 1
--> Msg 1710, Level 16, State 1, Line 1: Cannot use alias type with rule or default bound to it as a column type in table variable or return table definition in table valued function. Type 'ssn' has a rule bound to it.
--> Msg 1710, Level 16, State 1, Line 1: Cannot use alias type with rule or default bound to it as a column type in table variable or return table definition in table valued function. Type 'ssn' has a rule bound to it.
drop default [d'x]
go
--> Msg 3716, Level 16, State 3, Line 1: The default 'd'x' cannot be dropped because it is bound to one or more column.
exec sp_bindrule 'r_big', 'p1.s'
exec sp_unbindrule 'ssn'
exec sp_unbindefault 'ssn'
select object_name(object_id) as t, name, sign(default_object_id) as d, object_name(rule_object_id) as r from sys.columns where name like 's_' or name = 's' order by 1, 2
go
--> # Rule bound to table column.
--> # Rule unbound from data type.
--> # Columns of the specified user data type had their rules unbound.
--> # Default unbound from data type.
--> # Columns of the specified user data type had their defaults unbound.
--> [t:nvarchar(128) | name:nvarchar(128) | d:int | r:nvarchar(128)]
--> p0 | s | 0 | NULL
--> p0 | s2 | 0 | NULL
--> p1 | s | 0 | r_big
--> p2 | s | 0 | NULL
exec sp_unbindrule 'p1.s'
drop rule r_big, r_len
drop default [d'x]
select count(*) as left_over from sys.objects where type in ('R') or type = 'D' and parent_object_id = 0
use master
go
--> # Rule unbound from table column.
--> [left_over:int]
--> 0
drop database bound
go
