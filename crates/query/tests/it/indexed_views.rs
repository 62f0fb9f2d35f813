//! Indexed views have the rows that their queries make: after each statement of one session, after many of several at once,
//! and when the instance is opened again.

use std::sync::Arc;

use millpond_device::SystemClock;
use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;

use crate::harness::{engine, run, session};

/// Names, queries and keys.
const VIEWS: [(&str, &str, &str); 4] = [
    (
        "by_kind",
        "SELECT k.name, SUM(f.weight) AS weight, SUM(f.price) AS price, COUNT_BIG(*) AS n, COUNT_BIG(f.note) AS noted
         FROM dbo.fish AS f JOIN dbo.kind AS k ON k.id = f.kind WHERE k.size > 1 GROUP BY k.name",
        "name",
    ),
    (
        "by_pond",
        "SELECT f.pond, f.note, COUNT_BIG(*) AS n, SUM(f.weight * 2) AS w FROM dbo.fish AS f GROUP BY f.pond, f.note",
        "pond, note",
    ),
    (
        "each_fish",
        "SELECT f.id, f.weight, k.name, p.place FROM dbo.fish AS f JOIN dbo.kind AS k ON k.id = f.kind
         JOIN dbo.pond AS p ON p.id = f.pond WHERE f.weight > 10",
        "id",
    ),
    ("places", "SELECT id, place FROM dbo.pond", "place"),
];

/// The database with its views, in which the session is then.
fn make(one: &mut Session, options: &str) {
    let all = |one: &mut Session, text: &str| assert_eq!(run(one, text), "", "{text}");
    all(one, "SET NOCOUNT ON; CREATE DATABASE reed;");
    if !options.is_empty() {
        all(one, &format!("ALTER DATABASE reed SET {options}"));
    }
    all(one, "USE reed");
    all(
        one,
        "CREATE TABLE dbo.kind (id int NOT NULL PRIMARY KEY, name varchar(10) NOT NULL, size int NOT NULL);
         CREATE TABLE dbo.pond (id int NOT NULL PRIMARY KEY, place varchar(10) NOT NULL);
         CREATE TABLE dbo.fish (id int NOT NULL PRIMARY KEY, kind int NOT NULL REFERENCES dbo.kind ON DELETE CASCADE ON UPDATE CASCADE,
            pond int NOT NULL, weight int NOT NULL, price money NOT NULL, note varchar(10) NULL);
         CREATE INDEX by_kind ON dbo.fish (kind);
         INSERT dbo.kind VALUES (1, 'carp', 5), (2, 'pike', 3), (3, 'Carp', 2), (4, 'tench', 1);
         INSERT dbo.pond VALUES (1, 'north'), (2, 'south'), (3, 'east');",
    );
    for (name, query, key) in VIEWS {
        all(one, &format!("CREATE VIEW dbo.{name} WITH SCHEMABINDING AS {query}"));
        all(one, &format!("CREATE UNIQUE CLUSTERED INDEX ix ON dbo.{name} ({key})"));
    }
    all(
        one,
        "CREATE INDEX by_weight ON dbo.by_kind (weight) INCLUDE (n); CREATE INDEX other ON dbo.each_fish (name, weight);",
    );
}

/// Each view against its query, both ways, and by DBCC.
fn check(one: &mut Session, after: &str) {
    for (name, query, _) in VIEWS {
        for text in [
            format!("SELECT * FROM dbo.{name} WITH (NOEXPAND) EXCEPT SELECT * FROM ({query}) AS q"),
            format!("SELECT * FROM ({query}) AS q EXCEPT SELECT * FROM dbo.{name} WITH (NOEXPAND)"),
        ] {
            let told = run(one, &text);
            let rows = told.lines().filter(|line| !line.is_empty() && !line.starts_with("# Warning: Null"));
            assert_eq!(rows.count(), 1, "{name} after {after}: {told}");
        }
        let twice = format!(
            "SELECT (SELECT COUNT(*) FROM dbo.{name} WITH (NOEXPAND)) - (SELECT COUNT(*) FROM ({query}) AS q) AS d"
        );
        assert!(run(one, &twice).starts_with("[d:int]\n0\n"), "{name} after {after}");
    }
    assert_eq!(run(one, "DBCC CHECKDB WITH NO_INFOMSGS"), "", "after {after}");
}

/// Numbers that look random: the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    fn statement(&mut self) -> String {
        let (id, kind, pond, weight) = (self.below(60), 1 + self.below(5), 1 + self.below(4), self.below(40));
        let note = ["NULL", "'a'", "'A'", "'b'"][self.below(4) as usize];
        match self.below(14) {
            0..=3 => format!("INSERT dbo.fish VALUES ({id}, {kind}, {pond}, {weight}, {weight} * 1.5, {note})"),
            4 => format!(
                "INSERT dbo.fish SELECT {id} + v, {kind}, {pond}, v, v, {note} FROM (VALUES (100), (200), (300)) AS x (v)"
            ),
            5 => format!("UPDATE dbo.fish SET weight = weight + {weight}, note = {note} WHERE id % 7 = {id} % 7"),
            6 => format!("UPDATE dbo.fish SET pond = {pond}, kind = {kind} WHERE id = {id}"),
            7 => format!("DELETE dbo.fish WHERE id BETWEEN {id} AND {id} + 3"),
            8 => format!("UPDATE dbo.kind SET name = {}, size = {} WHERE id = {kind}", ["'carp'", "'CARP'", "'eel'"][self.below(3) as usize], self.below(4)),
            9 => format!("UPDATE dbo.kind SET id = {kind} + 1 WHERE id = {kind} AND {id} % 3 = 0"),
            10 => format!("IF {id} % 4 = 0 DELETE dbo.kind WHERE id = {kind} ELSE INSERT dbo.kind VALUES ({kind}, 'bream', 2)"),
            11 => format!("UPDATE dbo.pond SET place = CASE id WHEN 1 THEN 'south' WHEN 2 THEN 'north' ELSE place END WHERE {id} % 2 = 0"),
            12 => format!("IF {id} % 3 = 0 DELETE dbo.pond WHERE id = {pond} ELSE INSERT dbo.pond VALUES ({pond}, 'place{pond}')"),
            _ => format!(
                "MERGE dbo.fish AS t USING (VALUES ({id}, {kind}, {weight}), ({id} + 1, {kind}, 3)) AS s (id, kind, weight) ON t.id = s.id
                 WHEN MATCHED AND s.weight < 10 THEN DELETE WHEN MATCHED THEN UPDATE SET kind = s.kind, weight = s.weight
                 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.kind, {pond}, s.weight, 1, {note});"
            ),
        }
    }
}

#[test]
fn views_follow_each_statement_of_a_session() {
    let engine = engine();
    let mut one = session(&engine);
    make(&mut one, "");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut kept = 0;
    for number in 0..120 {
        let statement = random.statement();
        let told = match number % 10 {
            9 => run(
                &mut one,
                &format!("BEGIN TRAN; {statement}; SAVE TRAN s; {}; ROLLBACK TRAN s; COMMIT", random.statement()),
            ),
            8 => run(&mut one, &format!("BEGIN TRAN; {statement}; {}; ROLLBACK", random.statement())),
            _ => run(&mut one, &statement),
        };
        kept += u32::from(told.is_empty());
        run(&mut one, "IF @@TRANCOUNT > 0 ROLLBACK");
        check(&mut one, &format!("{number}: {statement}\n{told}"));
    }
    assert!(kept > 60, "most statements do something: {kept}");
}

/// What sessions do at once, each under its level; then the views are compared.
fn at_once(options: &str, levels: [&'static str; 4]) {
    let engine = engine();
    let mut one = session(&engine);
    make(&mut one, options);
    let mut random = Random(7);
    for _ in 0..60 {
        run(&mut one, &random.statement());
    }
    check(&mut one, "the first rows");
    let workers = levels.into_iter().enumerate().map(|(number, level)| {
        let engine = Arc::clone(&engine);
        std::thread::spawn(move || {
            let mut own = session(&engine);
            run(&mut own, &format!("SET NOCOUNT ON; USE reed; SET TRANSACTION ISOLATION LEVEL {level}; SET LOCK_TIMEOUT 1000"));
            let mut random = Random(1000 + number as u64);
            let mut done = 0;
            for _ in 0..60 {
                let several: Vec<String> = (0..1 + random.below(3)).map(|_| random.statement()).collect();
                let end = if random.below(5) == 0 { "ROLLBACK" } else { "COMMIT" };
                let text = format!(
                    "BEGIN TRY BEGIN TRAN; {}; {end} END TRY BEGIN CATCH IF @@TRANCOUNT > 0 ROLLBACK; PRINT ERROR_NUMBER() END CATCH",
                    several.join("; ")
                );
                let told = run(&mut own, &text);
                assert!(!told.contains("8646") && !told.contains("Msg "), "{text}: {told}");
                done += u32::from(told.is_empty());
            }
            done
        })
    });
    let workers: Vec<_> = workers.collect();
    let done: u32 = workers.into_iter().map(|worker| worker.join().expect("no session fails")).sum();
    assert!(done > 40, "{done} transactions went through");
    check(&mut one, "sessions at once");
}

#[test]
fn no_change_of_a_group_is_lost_under_locks() {
    at_once("", ["READ COMMITTED", "READ COMMITTED", "READ UNCOMMITTED", "SERIALIZABLE"]);
}

#[test]
fn no_change_of_a_group_is_lost_under_versions() {
    at_once("READ_COMMITTED_SNAPSHOT ON", ["READ COMMITTED", "READ COMMITTED", "REPEATABLE READ", "READ COMMITTED"]);
    at_once("ALLOW_SNAPSHOT_ISOLATION ON", ["SNAPSHOT", "SNAPSHOT", "READ COMMITTED", "SNAPSHOT"]);
}

/// Sessions add to one group at once: each sees what the other made of it.
#[test]
fn two_sessions_add_to_one_group() {
    let engine = engine();
    let mut one = session(&engine);
    make(&mut one, "READ_COMMITTED_SNAPSHOT ON");
    let mut two = session(&engine);
    assert_eq!(run(&mut two, "SET NOCOUNT ON; USE reed; SET LOCK_TIMEOUT 0"), "");
    assert_eq!(run(&mut one, "BEGIN TRAN; INSERT dbo.fish VALUES (1, 2, 1, 10, 1, NULL)"), "");
    // The group is another's until it commits, also where it is new.
    assert!(run(&mut two, "INSERT dbo.fish VALUES (2, 2, 2, 5, 1, NULL)").contains("Msg 1222"));
    assert_eq!(run(&mut two, "INSERT dbo.fish VALUES (3, 1, 3, 5, 1, NULL)"), "");
    assert_eq!(run(&mut one, "COMMIT"), "");
    assert_eq!(run(&mut two, "INSERT dbo.fish VALUES (2, 2, 2, 5, 1, NULL)"), "");
    let told = run(&mut two, "SELECT name, weight, n FROM dbo.by_kind WITH (NOEXPAND) ORDER BY name");
    assert_eq!(told, "[name:varchar(10) | weight:int | n:bigint]\ncarp | 5 | 1\npike | 15 | 2\n");
}

fn open(dir: &std::path::Path) -> Arc<Engine> {
    let clock = Arc::new(SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(256 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the directory opens")))
}

#[test]
fn views_are_there_when_the_instance_is_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    for clean in [true, false] {
        let engine = open(dir.path());
        let mut one = session(&engine);
        match clean {
            true => make(&mut one, ""),
            false => assert_eq!(run(&mut one, "SET NOCOUNT ON; USE reed"), ""),
        }
        check(&mut one, "opening");
        let mut random = Random(99 + u64::from(clean));
        for _ in 0..80 {
            run(&mut one, &random.statement());
        }
        assert_eq!(run(&mut one, "BEGIN TRAN; DELETE dbo.fish"), "");
        let (task, io) = (Task::new(SessionId(0)), IoCount::default());
        drop(one);
        engine.instance().shutdown(&Ask::new(&task, &io), clean).expect("the files can be written");
    }
    let engine = open(dir.path());
    let mut one = session(&engine);
    assert_eq!(run(&mut one, "SET NOCOUNT ON; USE reed"), "");
    check(&mut one, "a crash");
    assert!(!run(&mut one, "SELECT COUNT(*) FROM dbo.fish").contains("\n0\n"));
    assert_eq!(
        run(
            &mut one,
            "DROP VIEW dbo.by_kind; DROP INDEX ix ON dbo.by_pond; DROP VIEW dbo.each_fish, dbo.by_pond; TRUNCATE TABLE dbo.fish"
        ),
        ""
    );
}
