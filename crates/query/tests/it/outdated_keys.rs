//! An index whose keys were made by other rules of collations than those by which they are looked for is not used.

use std::path::Path;
use std::sync::Arc;

use millpond_catalog::TableDef;
use millpond_catalog::dictionary::Io;
use millpond_engine::engine::Engine;
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_txn::TxnManager;
use millpond_txn::transaction;

use crate::harness::{run, session};

fn open(dir: &Path) -> (Arc<Engine>, Session) {
    let clock = Arc::new(millpond_device::SystemClock::new());
    let config =
        InstanceConfig { max_memory_bytes: Some(256 << 20), ..InstanceConfig::new(Some(dir.to_owned()), clock) };
    let engine = millpond_procedures::registry::new_engine(TxnManager::new(
        Instance::open(config).expect("the directory opens"),
    ));
    let one = session(&engine);
    (engine, one)
}

fn close(engine: &Engine) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), true).expect("the files can be written");
}

/// The indexes of a table are as a version wrote them that knew no version of keys.
fn make_old(engine: &Arc<Engine>, one: &Session, table: &str) {
    let dictionary = engine.databases().dictionary(one.facts().database).unwrap();
    let objects = dictionary.catalog().objects();
    let tables = objects.iter().filter_map(|object| match object {
        millpond_catalog::CatalogObject::Table(def, trees) if def.name == table => Some((def, trees)),
        _ => None,
    });
    let (def, trees) = tables.into_iter().next().expect("the table is there");
    let mut indexes = def.indexes.clone();
    indexes.iter_mut().for_each(|index| index.sort_keys = 0);
    let name = millpond_catalog::TableName {
        database: def.database,
        database_name: Arc::clone(&def.database_name),
        schema: def.schema.clone(),
        name: def.name.clone(),
    };
    let (checks, keys) = (def.checks.clone(), def.foreign_keys.clone());
    let old = TableDef::assemble(def.id, name, def.columns.clone(), checks, keys, indexes);
    let task = Arc::new(Task::new(SessionId(60)));
    let io = IoCount::default();
    let ask = Ask::new(&task, &io);
    let mut work = engine.databases().open_session(SessionId(60), Arc::clone(&task));
    let mark = transaction::begin_statement(&mut work);
    dictionary.put_table(&mut Io { work: &mut work, ask: &ask }, &Arc::new(old), trees, (0, 0)).unwrap();
    transaction::end_statement(&mut work, &ask, mark).unwrap();
}

#[test]
fn an_index_of_other_rules_is_used_again_when_it_is_rebuilt() {
    let dir = tempfile::tempdir().unwrap();
    let (engine, mut one) = open(dir.path());
    let make = "create database shop";
    assert_eq!(run(&mut one, make), "");
    let make = "use shop set nocount on
        create table t (id int identity primary key, v nvarchar(20) collate Czech_CI_AS)
        create index iv on t (v)
        create table u (v varchar(20) primary key)
        create table p (v nvarchar(20) collate Czech_CI_AS primary key)
        create table c (v nvarchar(20) collate Czech_CI_AS references p (v))
        insert t (v) values (N'cz'), (N'ch'), (N'd')
        insert u values ('a')
        insert p values (N'ch')";
    assert_eq!(run(&mut one, make), "");
    for table in ["t", "u", "p"] {
        make_old(&engine, &one, table);
    }
    close(&engine);
    drop((one, engine));
    let (engine, mut one) = open(dir.path());
    assert_eq!(run(&mut one, "use shop"), "");
    let refused = "Msg 8655, Level 16, State 1, Line 1: The query processor is unable to produce a plan because the index \
                   'iv' on table or view 't' is disabled.\n";
    for text in ["select v from t", "insert t (v) values (N'x')", "delete t where id = 1", "update t set v = v"] {
        let said = run(&mut one, text);
        assert!(said.starts_with(refused), "{text}: {said}");
    }
    // Its keys are of no locale.
    assert_eq!(run(&mut one, "select v from u where v = 'a'").lines().nth(1), Some("a"));
    assert!(run(&mut one, "insert c values (N'ch')").starts_with("Msg 8655"));
    let told: Vec<String> = engine.error_log().lines().into_iter().map(|line| line.text).collect();
    let line = told.iter().find(|line| line.starts_with("Keys of index iv ")).expect("the error log tells it");
    assert!(line.contains("dbo.t in database shop are of version 0") && line.contains("ALTER INDEX ALL ON"), "{line}");
    let disabled = "select count(*) from sys.indexes where is_disabled = 1 and object_id = object_id('t')";
    assert_eq!(run(&mut one, disabled).lines().nth(1), Some("1"));
    assert_eq!(run(&mut one, "alter index all on t rebuild alter index all on p rebuild"), "");
    assert_eq!(run(&mut one, disabled).lines().nth(1), Some("0"));
    let sorted = run(&mut one, "select v from t order by v");
    assert_eq!(sorted.lines().skip(1).collect::<Vec<_>>()[..3], ["cz", "d", "ch"]);
    assert_eq!(run(&mut one, "set nocount on insert c values (N'ch')"), "");
    close(&engine);
    drop((one, engine));
    let (_engine, mut one) = open(dir.path());
    assert_eq!(run(&mut one, "use shop"), "");
    assert_eq!(run(&mut one, "select v from t where v = N'CH'").lines().nth(1), Some("ch"));
}
