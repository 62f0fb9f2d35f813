//! Database snapshots while sessions work: each is what was committed when it was taken, and open transactions are not in it.
//!
//! Every session changes rows of its own; a gate keeps commits and rollbacks apart from the moment when a copy of the rows and a
//! snapshot are taken, and nothing else: statements go on, and their transactions are undone in the snapshot.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use parking_lot::RwLock;

use crate::harness::{run, session};

/// Numbers from a seed, each run the same.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

fn open(dir: &Path) -> Arc<Engine> {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let config = InstanceConfig { max_memory_bytes: Some(8 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the directory opens")))
}

/// Ends the others, also when the test fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// The server ends: in order, or killed.
fn close(engine: &Engine, in_order: bool) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), in_order).expect("the files can be written");
}

/// All rows of the three tables, and a few figures that indexes answer.
fn rows(session: &mut Session, database: &str) -> String {
    let text = format!(
        "set nocount on
        select id, n, v from {database}.dbo.a order by id
        select id, len(w) as l, checksum(left(w, 50)) as c from {database}.dbo.b order by id
        select count(*) as n, sum(n) as s from {database}.dbo.a with (index (by_n))
        select count(*) as n, sum(cast(x as bigint)) as s from {database}.dbo.h"
    );
    let said = run(session, &text);
    assert!(!said.contains("Msg"), "{database}: {said}");
    said
}

fn is_sound(session: &mut Session, database: &str) {
    let said = run(session, &format!("dbcc checkdb ({database}) with no_infomsgs"));
    assert_eq!(said, "", "{database}");
}

/// A transaction over the rows of one session.
fn play(random: &mut Random, own: u64) -> String {
    let mut text = String::from("set nocount on; begin tran;\n");
    for _ in 0..=random.below(5) {
        let id = own * 1000 + random.below(60);
        let (n, l) = (random.below(1_000_000), random.below(3) * 5000);
        let change = match random.below(7) {
            0 => format!("delete a where id = {id}"),
            1 => format!("delete b where id = {id}"),
            2 => format!(
                "update b set w = replicate(cast('{n}' as varchar(max)), {l}) where id between {id} and {id} + 3"
            ),
            3 => format!(
                "if not exists (select 1 from b where id = {id}) insert b values ({id}, replicate(cast('{n}' as varchar(max)), {l}))"
            ),
            4 => format!("insert h select {n} from a where id between {own} * 1000 and {own} * 1000 + 20"),
            5 => format!("delete h where x = {n}; update a set v = replicate('{n}', 30) where id = {id}"),
            _ => format!(
                "update a set n = {n}, v = 'v{n}' where id = {id}; if @@rowcount = 0 insert a values ({id}, {n}, 'new')"
            ),
        };
        writeln!(text, "{change};").expect("a text takes it");
    }
    text
}

#[test]
fn snapshots_are_what_was_committed_when_they_were_taken() {
    const SESSIONS: u64 = 4;
    const SNAPSHOTS: usize = 6;
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let mut main = session(&engine);
    let made = "create database d; alter database d set recovery simple";
    assert_eq!(run(&mut main, made), "");
    let tables = "use d
        create table a (id int not null primary key, n int not null, v varchar(400) not null)
        create index by_n on a (n) include (v)
        create table b (id int not null primary key, w varchar(max))
        create table h (x int)";
    run(&mut main, tables);
    run(&mut main, "use master");
    let (gate, is_over) = (RwLock::new(()), AtomicBool::new(false));
    let mut taken: Vec<(String, String)> = Vec::new();
    std::thread::scope(|scope| {
        for own in 1..=SESSIONS {
            let (engine, gate, is_over) = (&engine, &gate, &is_over);
            scope.spawn(move || {
                let (mut session, mut random) = (session(engine), Random(own * 0x9E37_79B9));
                run(&mut session, "use d");
                while !is_over.load(Relaxed) {
                    let said = run(&mut session, &play(&mut random, own));
                    if said.contains("Msg 1205") {
                        // Rows of the heap are everybody's.
                        continue;
                    }
                    assert!(!said.contains("Msg"), "{said}");
                    let ends = if random.below(4) == 0 { "rollback" } else { "commit" };
                    let _open = gate.read();
                    assert_eq!(run(&mut session, ends), "");
                }
            });
        }
        let _over = Over(&is_over);
        for number in 0..SNAPSHOTS {
            std::thread::sleep(std::time::Duration::from_millis(250));
            let name = format!("s{number}");
            let make = format!("create database {name} on (name = d, filename = '{name}.ss') as snapshot of d");
            let copy = {
                let _alone = gate.write();
                let copy = rows(&mut main, "d");
                assert_eq!(run(&mut main, &make), "");
                copy
            };
            assert_eq!(rows(&mut main, &name), copy, "{name}, just made");
            taken.push((name, copy));
            if number == 3 {
                assert_eq!(run(&mut main, "drop database s1"), "");
                taken.remove(1);
            }
        }
    });
    // One session's transaction is open when the server is killed.
    let mut other = session(&engine);
    run(&mut other, "use d");
    run(&mut other, "begin tran delete a update b set w = 'gone'");
    assert_eq!(run(&mut main, "create database late on (name = d, filename = 'late.ss') as snapshot of d"), "");
    let mut kept = rows(&mut main, "d");
    taken.push(("late".to_owned(), kept.clone()));
    drop((other, main));
    close(&engine, false);
    drop(engine);
    for round in 0..3 {
        let engine = open(dir.path());
        let mut main = session(&engine);
        for (name, copy) in &taken {
            assert_eq!(rows(&mut main, name), *copy, "{name} in round {round}");
            is_sound(&mut main, name);
        }
        assert_eq!(rows(&mut main, "d"), kept, "round {round}");
        is_sound(&mut main, "d");
        run(&mut main, "use d");
        run(&mut main, "set nocount on update a set n = n + 1 delete b where id % 3 = 0 checkpoint use master");
        kept = rows(&mut main, "d");
        for (name, copy) in &taken {
            assert_eq!(rows(&mut main, name), *copy, "{name} after the changes of round {round}");
        }
        if round == 1 {
            let gone: Vec<String> = taken.drain(1..).map(|(name, _)| name).collect();
            gone.iter().for_each(|name| assert_eq!(run(&mut main, &format!("drop database {name}")), ""));
            assert_eq!(run(&mut main, "restore database d from database_snapshot = 's0'"), "");
            kept = taken[0].1.clone();
            assert_eq!(rows(&mut main, "d"), kept);
            is_sound(&mut main, "d");
        }
        drop(main);
        close(&engine, round == 0);
    }
}

/// What is committed in several databases at once is in the snapshots of both or of none.
#[test]
fn a_transaction_of_two_databases_is_in_a_snapshot_as_a_whole() {
    let dir = tempfile::tempdir().unwrap();
    let engine = open(dir.path());
    let mut main = session(&engine);
    assert_eq!(run(&mut main, "create database one create database two"), "");
    run(&mut main, "create table one.dbo.t (a int not null) create table two.dbo.t (a int not null)");
    run(&mut main, "insert one.dbo.t values (0) insert two.dbo.t values (0)");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut session = session(&engine);
            while !is_over.load(Relaxed) {
                let both = "begin tran update one.dbo.t set a = a + 1 update two.dbo.t set a = a + 1 commit";
                assert!(!run(&mut session, both).contains("Msg"));
            }
        });
        let _over = Over(&is_over);
        for number in 0..20 {
            for source in ["one", "two"] {
                let make = format!(
                    "create database s_{source} on (name = {source}, filename = '{source}{number}.ss') as snapshot of {source}"
                );
                assert_eq!(run(&mut main, &make), "");
            }
            let text =
                "set nocount on select iif((select a from s_two.dbo.t) >= (select a from s_one.dbo.t), 1, 0) as ok";
            assert_eq!(run(&mut main, text), "[ok:int]\n1\n", "the second was taken later");
            assert_eq!(run(&mut main, "drop database s_one, s_two"), "");
        }
    });
}

/// DBCC CLONEDATABASE beside sessions that change definitions: each clone is whole, and has what was committed.
#[test]
fn a_clone_is_of_one_moment_while_definitions_change() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let engine = open(dir.path());
    let mut one = session(&engine);
    assert_eq!(run(&mut one, "create database source"), "");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _over = Over(&is_over);
        for number in 0..2 {
            let (engine, is_over) = (&engine, &is_over);
            scope.spawn(move || {
                let mut own = session(engine);
                run(&mut own, "use source set nocount on");
                for turn in 0..40 {
                    if is_over.load(Relaxed) {
                        break;
                    }
                    // Both tables or neither.
                    let end = if turn % 3 == 0 { "rollback" } else { "commit" };
                    run(
                        &mut own,
                        &format!(
                            "begin transaction
                            create table first_{number}_{turn} (id int not null primary key, v varchar(10) null unique)
                            create table second_{number}_{turn} (id int references first_{number}_{turn} (id))
                            insert first_{number}_{turn} values (1, 'a')
                            {end}"
                        ),
                    );
                }
            });
        }
        for turn in 0..4 {
            let said = run(&mut one, &format!("dbcc clonedatabase (source, clone_{turn}) with no_infomsgs"));
            assert!(said.contains("has finished") && !said.contains("Msg "), "{said}");
            let odd = "select count(*) as n from clone_{}.sys.tables as f where f.name like 'first%' and not exists
                (select * from clone_{}.sys.tables as s where s.name = replace(f.name, 'first', 'second'))
                or f.name like 'second%' and not exists
                (select * from clone_{}.sys.tables as s where s.name = replace(f.name, 'second', 'first'))";
            assert_eq!(
                run(&mut one, &format!("set nocount on {}", odd.replace("{}", &turn.to_string()))),
                "[n:int]\n0\n"
            );
            assert_eq!(run(&mut one, &format!("dbcc checkdb (clone_{turn}) with no_infomsgs")), "");
        }
    });
    let left =
        run(&mut one, "set nocount on select count(*) as n from sys.databases where source_database_id is not null");
    assert_eq!(left, "[n:int]\n0\n");
    close(&engine, false);
    // After a crash the clones are there, and nothing else.
    drop((one, engine));
    let engine = open(dir.path());
    let mut one = session(&engine);
    let names = run(&mut one, "set nocount on select count(*) as n from sys.databases where database_id > 4");
    assert_eq!(names, "[n:int]\n5\n");
    assert_eq!(run(&mut one, "dbcc checkdb (clone_3) with no_infomsgs"), "");
    close(&engine, true);
}
