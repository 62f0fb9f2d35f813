//! What the stories share: an instance in memory, a tree in tempdb, a writer without transactions.

use std::sync::Arc;

use millpond_access::tree;
use millpond_access::tree::{Change, LeafRow, RowTag, Tree, TreeIds, Writer};
use millpond_access::{AccessError, TreeCtx};
use millpond_device::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{TempFileConfig, TempdbConfig};
use millpond_storage::space::Owner;
use millpond_storage::wal::{DatabaseHandle, LogError, Mtr};

pub const IDS: TreeIds = TreeIds { hobt: 7, object_id: 4711, index_id: 1 };

/// A session's worth of an asker.
#[derive(Default)]
pub struct Session {
    pub task: Task,
    pub io: IoCount,
}

impl Session {
    pub fn new(number: u16) -> Session {
        Session { task: Task::new(SessionId(number)), io: IoCount::default() }
    }

    pub fn ask(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.io)
    }
}

/// An instance in memory whose tempdb has one data file.
pub fn instance() -> Arc<Instance> {
    instance_with_files(1)
}

/// An instance in memory.
pub fn instance_with_files(data_files: usize) -> Arc<Instance> {
    let more = (1..data_files).map(|n| TempFileConfig::new(&format!("temp{n}"), false));
    let files = [TempFileConfig::new("tempdev", false), TempFileConfig::new("templog", true)];
    let config = InstanceConfig {
        max_memory_bytes: Some(256 << 20),
        tempdb: Some(TempdbConfig { files: files.into_iter().chain(more).collect() }),
        ..InstanceConfig::new(None, Arc::new(SystemClock::new()))
    };
    Instance::open(config).expect("in memory")
}

/// Trees of tempdb: no log.
pub fn tempdb(instance: &Instance) -> TreeCtx {
    TreeCtx {
        handle: DatabaseHandle { db: DbId::TEMPDB, pool: instance.pool().clone(), log: None },
        space: instance.tempdb_space().clone(),
        owner: Owner::User,
        usage: Arc::default(),
    }
}

/// Changes that are never undone. Ghosts below `purges_below` are of no use.
#[derive(Default)]
pub struct Plain {
    pub purges_below: u64,
}

impl Writer for Plain {
    fn begin<'a>(&mut self, db: &'a DatabaseHandle, ask: &Ask<'a>, reserve_bytes: usize) -> Result<Mtr<'a>, LogError> {
        Mtr::begin(db, ask, reserve_bytes)
    }

    fn commit(&mut self, mtr: Mtr<'_>) {
        mtr.commit();
    }

    fn may_purge(&self, tag: &RowTag) -> bool {
        tag.xsn.0 < self.purges_below
    }
}

/// The entry has this payload from now on.
pub fn put(tree: &Tree, ask: &Ask<'_>, key: &[u8], payload: &[u8]) -> Result<(), AccessError> {
    let change = Change::Put { payload, is_ghost: false, tag: None };
    tree::modify::change_entry(tree, ask, &mut Plain::default(), key, &mut |_| Ok::<_, AccessError>(change))
}

/// The entry is gone from now on.
pub fn remove(tree: &Tree, ask: &Ask<'_>, key: &[u8]) -> Result<(), AccessError> {
    tree::modify::change_entry(tree, ask, &mut Plain::default(), key, &mut |_| Ok::<_, AccessError>(Change::Remove))
}

/// The payload of an entry.
pub fn get(tree: &Tree, ask: &Ask<'_>, key: &[u8]) -> Option<Vec<u8>> {
    tree::read::get(tree, ask, key, |row: LeafRow<'_>| row.payload.to_vec()).expect("readable")
}

/// That nothing is wrong with the tree, and how many rows it has.
pub fn check(tree: &Tree, ask: &Ask<'_>) -> u64 {
    let report = tree::check::check_tree(tree, ask).expect("it can be checked");
    assert_eq!((report.problems.as_slice(), report.leaked_pages), (&[][..], 0));
    report.rows
}

/// Pages of tempdb that objects have.
pub fn reserved_pages(instance: &Instance) -> u64 {
    instance.tempdb_space().report().iter().map(|file| file.reserved.iter().sum::<u64>()).sum()
}
