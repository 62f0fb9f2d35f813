//! Each statement with the right that it needs, from the "Permissions" section of its page.

/// A statement that a user without rights is refused, and one with the right is not.
pub struct Case {
    /// As sa, in the database, before everything; batches are divided by lines with GO.
    pub given: &'static str,
    /// The statement.
    pub text: &'static str,
    /// The number of the first error without the right.
    pub number: i32,
    /// As sa, in the database: what lets the user `ann`, whose login is `ann`, run it.
    pub grant: &'static str,
}

const fn case(given: &'static str, text: &'static str, number: i32, grant: &'static str) -> Case {
    Case { given, text, number, grant }
}

const T: &str = "create table t (a int not null constraint pk primary key, b int); insert t values (1, 2)";
const V: &str = "create table t (a int not null primary key, b int); insert t values (1, 2)\nGO\ncreate view v as select a, b from t";
const P: &str = "create table t (a int)\nGO\ncreate procedure p as select a from t";
const PD: &str =
    "create table t (a int)\nGO\ncreate procedure p as exec ('select a from t')\nGO\ngrant execute on p to ann";
const F: &str = "create function f (@a int) returns int as begin return @a + 1 end";
const TVF: &str =
    "create table t (a int)\nGO\ncreate function tf (@a int) returns table as return select a from t where a = @a";
const S: &str = "create sequence s";
const SF: &str = "create schema s authorization ann\nGO\ngrant create table to ann\nGO\n\
    create function f (@a int) returns int as begin return @a end";

/// Who makes databases and owns the source.
const SNAPSHOT: &str =
    "drop user ann; alter authorization on database::shop to ann; use master; grant create any database to ann";

pub const CASES: &[Case] = &[
    // Rows.
    case(T, "select a from t", 229, "grant select on t to ann"),
    case(T, "select a from t", 229, "grant select on t (a) to ann"),
    case(T, "select a from t", 229, "grant select on schema::dbo to ann"),
    case(T, "select a from t", 229, "grant select to ann"),
    case(T, "select a from t", 229, "grant control on t to ann"),
    case(T, "select a from t", 229, "alter role db_datareader add member ann"),
    case(T, "select a from t", 229, "alter role db_owner add member ann"),
    case(T, "select a from t", 229, "alter server role sysadmin add member ann"),
    case(T, "select a from t", 229, "create role r; alter role r add member ann; grant select on t to r"),
    case(T, "select a from t", 229, "grant select on t to public"),
    case(T, "select a from t", 229, "alter authorization on t to ann"),
    case(T, "select * from t", 229, "grant select on t (a, b) to ann"),
    case(T, "select count(*) from t", 229, "grant select on t (b) to ann"),
    case(T, "select 1 where exists (select 1 from t where b = 2)", 229, "grant select on t (b) to ann"),
    case(T, "declare @a int; select @a = a from t", 229, "grant select on t to ann"),
    case(T, "declare @a int = (select max(a) from t)", 229, "grant select on t to ann"),
    case(T, "if (select count(*) from t) > 0 print 'yes'", 229, "grant select on t to ann"),
    case(T, "select a into #x from t", 229, "grant select on t to ann"),
    case(T, "insert t values (5, 6)", 229, "grant insert on t to ann"),
    case(T, "insert t (a) select a + 10 from t", 229, "grant insert, select on t to ann"),
    case(T, "update t set b = 5", 229, "grant update on t to ann"),
    case(T, "update t set b = 5", 229, "grant update on t (b) to ann"),
    case(T, "update t set b = a where a = 1", 229, "grant update, select on t to ann"),
    case(T, "delete t", 229, "grant delete on t to ann"),
    case(T, "delete t where a = 1", 229, "grant delete, select on t to ann"),
    case(T, "delete t output deleted.a", 229, "grant delete, select on t to ann"),
    case(T, "insert t output inserted.b values (7, 8)", 229, "grant insert, select on t to ann"),
    case(
        T,
        "merge t using (values (1, 9)) s (a, b) on t.a = s.a when matched then update set b = s.b \
         when not matched then insert values (s.a, s.b);",
        229,
        "grant select, insert, update on t to ann",
    ),
    case(
        T,
        "declare c cursor for select a from t; open c; fetch c; close c; deallocate c",
        229,
        "grant select on t to ann",
    ),
    case(T, "exec sp_executesql N'select a from t'", 229, "grant select on t to ann"),
    case(T, "exec ('select a from t')", 229, "grant select on t to ann"),
    case(
        "",
        "create trigger gate on all server for logon as return",
        300,
        "use master; grant control server to ann; use shop",
    ),
    case(
        "create table t (a int); grant alter on t to ann",
        "alter table t alter column a add masked with (function = 'default()')",
        262,
        "grant alter any mask to ann",
    ),
    case(
        "create table t (a int masked with (function = 'default()')); grant alter on t to ann",
        "alter table t alter column a drop masked",
        262,
        "grant alter any mask to ann",
    ),
    case(
        "create user bob without login",
        "exec ('select 1') as user = 'bob'",
        15_517,
        "grant impersonate on user::bob to ann",
    ),
    case(
        "create table t (a int masked with (function = 'default()')); grant alter on t to ann",
        "alter table t alter column a bigint",
        262,
        "grant alter any mask to ann",
    ),
    case(
        "create login bob with password = 'Lake-1234567'; create user bob",
        "exec ('select 1') as login = 'bob'",
        15_406,
        "use master; grant impersonate on login::bob to ann; use shop",
    ),
    case("", "exec sp_addapprole 'clerk', 'x'", 15_247, "alter role db_owner add member ann"),
    case(V, "select a from v", 229, "grant select on v to ann"),
    case(V, "update v set b = 3", 229, "grant update on v to ann"),
    case(V, "insert v values (3, 4)", 229, "grant insert on v to ann"),
    case(V, "delete v", 229, "grant delete on v to ann"),
    case(P, "exec p", 229, "grant execute on p to ann"),
    case(P, "exec p", 229, "grant execute to ann"),
    case(PD, "exec p", 229, "grant select on t to ann"),
    case(F, "select dbo.f(1)", 229, "grant execute on f to ann"),
    case(F, "declare @x int; exec @x = dbo.f 1", 229, "grant execute on f to ann"),
    case(TVF, "select * from tf(1)", 229, "grant select on tf to ann"),
    case(S, "select next value for s", 229, "grant update on s to ann"),
    case(S, "declare @n bigint = next value for s", 229, "grant update on object::s to ann"),
    // Definitions.
    case("", "create table x (a int)", 262, "grant create table to ann; grant alter on schema::dbo to ann"),
    case("grant create table to ann", "create table x (a int)", 2760, "grant alter on schema::dbo to ann"),
    case("", "create table x (a int)", 262, "alter role db_ddladmin add member ann"),
    case("grant alter on schema::dbo to ann", "exec ('create view x as select 1 a')", 262, "grant create view to ann"),
    case(
        "grant alter on schema::dbo to ann",
        "exec ('create procedure x as select 1')",
        262,
        "grant create procedure to ann",
    ),
    case(
        "grant alter on schema::dbo to ann",
        "exec ('create function x () returns int as begin return 1 end')",
        262,
        "grant create function to ann",
    ),
    case("grant alter on schema::dbo to ann", "create synonym x for t", 262, "grant create synonym to ann"),
    case("grant alter on schema::dbo to ann", "create type x from int", 262, "grant create type to ann"),
    case("", "create sequence x", 2760, "grant create sequence on schema::dbo to ann"),
    case("", "create schema x", 262, "grant create schema to ann"),
    case(T, "alter table t add c int", 1088, "grant alter on t to ann"),
    case(T, "create index i on t (b)", 1088, "grant alter on t to ann"),
    case(T, "alter index all on t rebuild", 1088, "grant alter on t to ann"),
    case("create table t (a int, index i (a))", "drop index i on t", 3701, "grant alter on t to ann"),
    case(T, "update statistics t", 1088, "grant alter on t to ann"),
    case(T, "create statistics x on t (b)", 1088, "grant alter on t to ann"),
    case(T, "truncate table t", 1088, "grant alter on t to ann"),
    case(T, "drop table t", 3701, "grant control on t to ann"),
    case(T, "drop table t", 3701, "grant alter on schema::dbo to ann"),
    case(T, "exec ('create trigger x on t after insert as print 1')", 8197, "grant alter on t to ann"),
    case(V, "exec ('alter view v as select a from t')", 15_151, "grant alter on v to ann"),
    case(P, "exec ('alter procedure p as select 1')", 15_151, "grant alter on p to ann"),
    case(F, "exec ('alter function f (@a int) returns int as begin return 2 end')", 15_151, "grant alter on f to ann"),
    case(V, "drop view v", 3701, "grant control on v to ann"),
    case(P, "drop procedure p", 3701, "grant control on p to ann"),
    case(F, "drop function f", 3701, "grant control on f to ann"),
    case(S, "alter sequence s restart with 5", 208, "grant alter on s to ann"),
    case(S, "drop sequence s", 3701, "grant control on s to ann"),
    case("create synonym y for t", "drop synonym y", 3701, "grant control on y to ann"),
    case("create type ty from int", "drop type ty", 15_151, "grant control on type::ty to ann"),
    case("create schema x", "drop schema x", 15_151, "grant control on schema::x to ann"),
    case(
        T,
        "exec sp_rename 't', 't2'",
        15_247,
        "grant alter on schema::dbo to ann; alter role db_ddladmin add member ann",
    ),
    case(
        "create table t (a int)\nGO\ncreate schema s",
        "alter schema s transfer dbo.t",
        15_151,
        "grant control on t to ann; grant alter on schema::s to ann",
    ),
    case(
        "create table t (a int); grant control on t to ann\nGO\ncreate schema s",
        "alter schema s transfer dbo.t",
        15_151,
        "grant alter any schema to ann",
    ),
    case(
        "create type ty from int\nGO\ncreate schema s\nGO\ngrant alter on schema::s to ann",
        "alter schema s transfer type::dbo.ty",
        15_151,
        "grant control on type::ty to ann",
    ),
    case("", "create default d as 0", 262, "grant create default to ann; grant alter on schema::dbo to ann"),
    case("", "create rule r as @x > 0", 262, "alter role db_ddladmin add member ann"),
    case("create default d as 0", "drop default d", 3701, "grant control on d to ann"),
    case("create rule r as @x > 0", "drop rule r", 3701, "grant alter on schema::dbo to ann"),
    case(
        "create default d as 0\nGO\ncreate table t (a int)",
        "exec sp_bindefault 'd', 't.a'",
        15_148,
        "grant alter on t to ann",
    ),
    case(
        "create rule r as @x > 0\nGO\ncreate type ty from int",
        "exec sp_bindrule 'r', 'ty'",
        15_148,
        "grant control on type::ty to ann",
    ),
    case(
        "create rule r as @x > 0\nGO\ncreate table t (a int)\nGO\nexec sp_bindrule 'r', 't.a'",
        "exec sp_unbindrule 't.a'",
        15_148,
        "grant alter on t to ann",
    ),
    // Extended properties.
    case(T, "exec sp_addextendedproperty 'k', 1, 'schema', 'dbo', 'table', 't'", 15_135, "grant alter on t to ann"),
    case(
        "create table t (a int); grant select on t to ann",
        "exec sp_addextendedproperty 'k', 1, 'schema', 'dbo', 'table', 't', 'column', 'a'",
        1088,
        "alter role db_ddladmin add member ann",
    ),
    case(
        "create table t (a int); exec sp_addextendedproperty 'k', 1, 'schema', 'dbo', 'table', 't'",
        "exec sp_updateextendedproperty 'k', 2, 'schema', 'dbo', 'table', 't'",
        15_135,
        "grant control on t to ann",
    ),
    case("exec sp_addextendedproperty 'k', 1", "exec sp_dropextendedproperty 'k'", 1088, "grant alter to ann"),
    case("", "exec sp_addextendedproperty 'k', 1, 'schema', 'dbo'", 1088, "grant alter on schema::dbo to ann"),
    case(
        "create user u without login; grant view definition on user::u to ann",
        "exec sp_addextendedproperty 'k', 1, 'user', 'u'",
        1088,
        "grant alter on user::u to ann",
    ),
    case(
        "create type ty from int; grant view definition on type::ty to ann",
        "exec sp_addextendedproperty 'k', 1, 'schema', 'dbo', 'type', 'ty'",
        1088,
        "grant control on type::ty to ann",
    ),
    // Principals.
    case("", "create user x without login", 15_247, "grant alter any user to ann"),
    case("create user x without login", "drop user x", 15_151, "grant alter any user to ann"),
    case("create user x without login", "alter user x with name = y", 15_151, "grant alter on user::x to ann"),
    case("", "create role x", 15_247, "grant create role to ann"),
    case("create role x", "alter role x add member ann", 15_151, "grant alter on role::x to ann"),
    case("", "alter role db_datareader add member ann", 15_151, "alter role db_owner add member ann"),
    case(T, "grant select on t to guest", 15_151, "grant select on t to ann with grant option"),
    case(T, "grant select on t to guest", 15_151, "grant control on t to ann"),
    case("create user x without login", "execute as user = 'x'; revert", 15_517, "grant impersonate on user::x to ann"),
    case(
        "create login x with password = 'Lake-1234567'",
        "execute as login = 'x'; revert",
        15_406,
        "use master; grant impersonate on login::x to ann; use shop; create user x",
    ),
    case("", "create login x with password = 'Lake-1234567'", 15_247, "use master; grant alter any login to ann"),
    case(
        "create login x with password = 'Lake-1234567'",
        "drop login x",
        15_151,
        "use master; grant alter any login to ann",
    ),
    case(
        "create login x with password = 'Lake-1234567'",
        "alter login x disable",
        15_151,
        "use master; grant alter any login to ann",
    ),
    case("", "create server role x", 15_247, "use master; grant create server role to ann"),
    case(
        "create server role x",
        "alter server role x add member ann",
        15_151,
        "use master; grant alter on server role::x to ann",
    ),
    case(T, "alter authorization on t to ann", 15_151, "grant take ownership on t to ann"),
    // The server and its databases.
    case("", "create database y", 262, "use master; grant create any database to ann"),
    case("", "create database y", 262, "alter server role dbcreator add member ann"),
    case("", "create database y on (name = shop, filename = 'y.ss') as snapshot of shop", 262, SNAPSHOT),
    case("", "alter database shop set recovery simple", 5011, "grant alter to ann"),
    case("", "checkpoint", 262, "grant checkpoint to ann"),
    case(
        "",
        "begin try kill 32000 end try begin catch if error_number() <> 6106 throw end catch",
        6102,
        "use master; grant alter any connection to ann",
    ),
    case("", "reconfigure", 300, "use master; grant alter settings to ann"),
    case("", "exec sp_configure 'nested triggers', 1", 15_247, "use master; grant alter settings to ann"),
    case("", "exec sp_addmessage 50001, 16, N'a'", 15_247, "alter server role serveradmin add member ann"),
    case(
        "exec sp_addmessage 50002, 16, N'a', 'us_english'",
        "exec sp_altermessage 50002, 'WITH_LOG', 'true'",
        15_247,
        "alter server role serveradmin add member ann",
    ),
    case(
        "exec sp_addmessage 50003, 16, N'a', 'us_english'",
        "exec sp_dropmessage 50003",
        15_247,
        "alter server role serveradmin add member ann",
    ),
    case("", "raiserror ('x', 10, 1) with log", 2778, "use master; grant alter trace to ann"),
    case("", "dbcc checkdb with no_infomsgs", 2571, "alter role db_owner add member ann"),
    case("", "dbcc freeproccache with no_infomsgs", 2571, "use master; grant alter server state to ann"),
    case("", "select count(*) from sys.dm_os_wait_stats", 300, "use master; grant view server state to ann"),
    case("", "select count(*) from sys.dm_db_file_space_usage", 262, "grant view database state to ann"),
    case("", "alter resource governor reconfigure", 300, "use master; grant control server to ann"),
    // What an attack found.
    case(T, "exec sp_describe_first_result_set N'select a from t'", 229, "grant select on t to ann"),
    case(T, "exec sp_describe_undeclared_parameters N'select a from t where b = @p'", 229, "grant select on t to ann"),
    case(P, "exec sp_describe_first_result_set N'exec p'", 229, "grant execute on p to ann"),
    case("", "select 1 as a into dbo.x", 262, "grant create table to ann; grant alter on schema::dbo to ann"),
    case("grant create table to ann", "select 1 as a into x", 2760, "grant alter on schema::dbo to ann"),
    case("", "alter database current set recovery simple", 5011, "grant alter to ann"),
    case(T, "select c from t unpivot (c for n in (a, b)) u", 229, "grant select on t (a, b) to ann"),
    case(
        "create table t (a int, b int, c int); grant select on t (a) to ann",
        "select v from t unpivot (v for n in (a, b)) u",
        230,
        "grant select on t (b) to ann",
    ),
    case(
        "create table t (a int, b int); insert t values (1, 2); grant select on t (a) to ann",
        "select * from t pivot (max(a) for b in ([1], [2])) p",
        230,
        "grant select on t (b) to ann",
    ),
    case(
        "create table t (a int, b int, c int); grant select on t (a, b) to ann",
        "select [1] from t pivot (max(a) for b in ([1], [2])) p",
        230,
        "grant select on t (c) to ann",
    ),
    case(
        "create table t (a int, b int)\nGO\ncreate view v as select a, b from t\nGO\n\
         grant select on v (a) to ann; grant update, insert, delete on v to ann",
        "update v set a = 1 output inserted.b",
        230,
        "grant select on v (b) to ann",
    ),
    case(
        "create table t (a int, b int)\nGO\ncreate view v as select a, b from t\nGO\n\
         grant select on v (a) to ann; grant delete on v to ann",
        "delete v output deleted.*",
        230,
        "grant select on v (b) to ann",
    ),
    case(
        "create table t (a int, b int)\nGO\ncreate view v as select a, b from t\nGO\ngrant insert on v to ann",
        "insert v output inserted.b values (1, 2)",
        229,
        "grant select on v (b) to ann",
    ),
    case(
        "create table t (a int, b int)\nGO\ncreate view v as select b, a from t\nGO\ngrant select on v (a) to ann",
        "update v set a = a",
        229,
        "grant update on v (a) to ann",
    ),
    case(
        "create table t (a int, b int)\nGO\ncreate view v as select b, a from t\nGO\ngrant update on v (a) to ann",
        "with c as (select a as b, b as a from v) update c set a = 1",
        229,
        "grant update, select on v to ann",
    ),
    case(
        "create table t (a int); grant update on t to ann",
        "update t set a += 0",
        229,
        "grant select on t (a) to ann",
    ),
    case(
        "create table t (a int); grant update on t to ann",
        "declare @v int; update t set @v = a ^= 0",
        229,
        "grant select on t to ann",
    ),
    case(
        "create table t (a int)\nGO\ncreate view v as select a from t\nGO\ngrant update on v to ann",
        "update v set a -= 0",
        229,
        "grant select on v (a) to ann",
    ),
    case(
        "create table t (a int); grant update on t to ann",
        "merge t using (values (1)) s (x) on 1 = 0 when not matched by source then update set a *= 1;",
        229,
        "grant select on t to ann",
    ),
    case(
        "create schema s authorization ann\nGO\ncreate function f () returns int as begin return 7 end\nGO\n\
         create function s.g () returns int as begin return dbo.f() end",
        "select s.g()",
        229,
        "grant execute on f to ann",
    ),
    case(SF, "create table s.x (a int, b as dbo.f(a))", 229, "grant references on f to ann"),
    case(SF, "create table s.x (a int default dbo.f(1))", 229, "grant references on f to ann"),
    case(
        "create schema s authorization ann\nGO\ngrant create table to ann\nGO\n\
         create function f (@a int) returns int as begin return @a end\nGO\ncreate table s.x (a int)",
        "alter table s.x add constraint c check (dbo.f(a) > 5)",
        229,
        "grant references on f to ann",
    ),
    case(
        "create schema s authorization ann\nGO\ngrant create table to ann\nGO\ncreate sequence q",
        "create table s.x (a int default next value for dbo.q)",
        229,
        "grant references on q to ann",
    ),
    case(
        "create schema s authorization ann\nGO\ngrant create table to ann\nGO\ncreate table t (a int primary key)",
        "create table s.x (a int references dbo.t (a))",
        229,
        "grant references on t (a) to ann",
    ),
    case(
        "create schema s authorization ann\nGO\ncreate table t (a int primary key)\nGO\ncreate table s.x (a int)",
        "alter table s.x add foreign key (a) references dbo.t (a)",
        229,
        "grant references on t to ann",
    ),
    case(
        "create schema s authorization ann\nGO\ngrant create view to ann\nGO\ncreate table t (a int)",
        "exec ('create view s.v with schemabinding as select a from dbo.t')",
        229,
        "grant references on t to ann",
    ),
    case(
        "create procedure p as select 1\nGO\ngrant alter on p to ann",
        "exec ('alter procedure p with execute as owner as select 1')",
        15_517,
        "grant impersonate on user::dbo to ann",
    ),
    case(
        "create user bob without login; alter role db_owner add member bob; grant alter any user to ann",
        "alter user bob with name = rob",
        15_151,
        "grant control to ann",
    ),
    case(
        "create login x with password = 'Lake-1234567'\nGO\ncreate user bob for login x\nGO\ngrant alter any user to ann",
        "alter user bob with login = y",
        15_151,
        "create login y with password = 'Lake-1234567'; grant control to ann",
    ),
    case(
        "create login x with password = 'Lake-1234567'\nGO\nuse master; grant control server to x; grant alter any login to ann",
        "alter login x disable",
        15_247,
        "use master; grant control server to ann",
    ),
    case(
        "create login x with password = 'Lake-1234567'\nGO\nuse master; grant control server to x; grant alter any login to ann",
        "drop login x",
        15_247,
        "use master; grant control server to ann",
    ),
    case(
        "create table t (a int); alter role db_datareader add member ann",
        "grant select on t to guest",
        15_151,
        "grant select on t to ann with grant option",
    ),
    case(
        "alter role db_ddladmin add member ann",
        "grant create table to guest",
        4613,
        "grant create table to ann with grant option",
    ),
    case(
        "create table t (a int); create role r; alter role r add member ann; grant select on t to r with grant option",
        "grant select on t to guest",
        15_151,
        "grant select on t to ann with grant option",
    ),
    case(
        "create table t (a int identity, b int); grant insert on t to ann",
        "set identity_insert t on; insert t (a, b) values (5, 1)",
        1088,
        "grant alter on t to ann",
    ),
    case(T, "set identity_insert t off", 1088, "grant alter on t to ann; alter table t add c int identity"),
    case("", "set statistics profile on", 262, "grant showplan to ann"),
    case(T, "select a from t", 229, "use master; grant select all user securables to ann"),
    case(
        "create user bob without login",
        "exec ('create procedure p with execute as ''bob'' as select 1')",
        15_517,
        "alter role db_owner add member ann",
    ),
];
