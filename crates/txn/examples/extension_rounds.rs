//! Random updates of single rows on a table twelve times the memory, round after round: what reaches the data file without
//! an extension, with one in mode `clean`, and with one in mode `write-back`.
//!
//! `cargo run --release -p millpond-txn --example extension_rounds -- [rounds] [pages]`
//!
//! Everything is in memory; I/Os are counted by the devices, and the seconds are what they would take on a disk of 130
//! I/Os per second and an extension of 10,000. Automatic checkpoints are off. Before the first round a scan warms the
//! extension, and a last line tells what the first round after an orderly restart costs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use millpond_access::tree::{KeyRange, Tree, TreeIds, TreeRoot};
use millpond_device::{BlockDevice, MeterReading, RamMedia};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{DbId, SessionId};
use millpond_storage::database_plan::NewDatabase;
use millpond_storage::extension::ExtensionMode;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::wal::CommitMode;
use millpond_txn::{ReadHint, TxnManager};

const IDS: TreeIds = TreeIds { hobt: 900, object_id: 77, index_id: 1 };
const ROW_BYTES: usize = 1050;
const ROWS_PER_PAGE: u32 = 7;
const DISK_IOPS: f64 = 130.0;
const EXTENSION_IOPS: f64 = 10_000.0;
const EXTENSION: &str = "/ram/x.BPE";
const DATA: &str = "/ram/d.mdf";

struct World {
    media: Arc<RamMedia>,
    manager: Arc<TxnManager>,
    db: DbId,
    tree: Arc<Tree>,
    root: TreeRoot,
    rows: u32,
    chance: u64,
}

fn with_ask<R>(work: impl FnOnce(&Ask<'_>) -> R) -> R {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    work(&Ask::new(&task, &io))
}

fn open(media: &Arc<RamMedia>, memory_bytes: u64) -> Arc<TxnManager> {
    TxnManager::new(Instance::open(InstanceConfig::over(media.clone(), memory_bytes)).expect("opens"))
}

fn row(key: u32, version: u64) -> Vec<u8> {
    let mut bytes = vec![key as u8; ROW_BYTES];
    bytes[..8].copy_from_slice(&version.to_le_bytes());
    bytes
}

impl World {
    fn new(pages: u32, memory_bytes: u64) -> World {
        let media = Arc::new(RamMedia::new());
        let manager = open(&media, memory_bytes);
        let instance = manager.instance();
        for (name, value) in [("show advanced options", 1), ("automatic checkpoints", 0)] {
            instance.settings().set_option(name, value).expect("an option");
            instance.reconfigure(true).expect("stored");
        }
        let (db, tree, root) = with_ask(|ask| {
            let database = instance.create_database(ask, &NewDatabase::named("d")).expect("room");
            manager.database_opened(database.id());
            let ctx = manager.tree_ctx(&database).expect("open");
            let mut work = manager.open_session(SessionId(50), Arc::new(Task::new(SessionId(50))));
            work.begin();
            let (tree, root) = work.create_tree(ask, &ctx, IDS).expect("room");
            work.commit(ask, CommitMode::Durable).expect("durable");
            (database.id(), tree, root)
        });
        let mut world = World { media, manager, db, tree, root, rows: pages * ROWS_PER_PAGE, chance: 1 };
        world.load();
        world
    }

    fn load(&mut self) {
        with_ask(|ask| {
            let mut work = self.manager.open_session(SessionId(51), Arc::new(Task::new(SessionId(51))));
            for first in (0..self.rows).step_by(700) {
                work.begin();
                for key in first..(first + 700).min(self.rows) {
                    work.insert_row(ask, &self.tree, &key.to_be_bytes(), &row(key, 0)).expect("new");
                }
                work.commit(ask, CommitMode::Delayed).expect("logged");
                self.checkpoint(ask);
            }
        });
    }

    fn checkpoint(&self, ask: &Ask<'_>) {
        self.manager.instance().checkpoint(ask, self.db).expect("written");
    }

    fn scan(&self) {
        with_ask(|ask| {
            let mut work = self.manager.open_session(SessionId(52), Arc::new(Task::new(SessionId(52))));
            let mut rows = 0;
            let each = &mut |_: &[u8], _: &[u8]| {
                rows += 1;
                ControlFlow::Continue(())
            };
            work.reader().for_each(ask, &self.tree, KeyRange::all(), ReadHint::default(), each).expect("readable");
            assert_eq!(rows, self.rows);
        });
    }

    fn round(&mut self, updates: u32) {
        with_ask(|ask| {
            let mut work = self.manager.open_session(SessionId(53), Arc::new(Task::new(SessionId(53))));
            for _ in 0..updates {
                self.chance =
                    self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let key = ((self.chance >> 33) % u64::from(self.rows)) as u32;
                work.begin();
                work.update_row(ask, &self.tree, &key.to_be_bytes(), &row(key, self.chance)).expect("there");
                work.commit(ask, CommitMode::Delayed).expect("logged");
            }
        });
    }

    fn reading(&self, path: &str) -> MeterReading {
        self.media.device(Path::new(path)).map(|device| device.meter().reading()).unwrap_or_default()
    }

    /// I/Os so far: data file, extension.
    fn ios(&self) -> [u64; 4] {
        let (data, extension) = (self.reading(DATA), self.reading(EXTENSION));
        [data.reads, data.writes, extension.reads, extension.writes]
    }

    fn restart(&mut self, memory_bytes: u64) {
        with_ask(|ask| self.manager.instance().shutdown(ask, true)).expect("clean");
        self.media = Arc::new(self.media.snapshot());
        self.manager = open(&self.media, memory_bytes);
        let database = self.manager.instance().database(self.db).expect("known");
        let ctx = self.manager.tree_ctx(&database).expect("open");
        self.tree = self.manager.open_tree(&ctx, IDS, self.root);
    }
}

fn tell(name: &str, before: [u64; 4], after: [u64; 4]) {
    let ios: Vec<u64> = before.iter().zip(after).map(|(before, after)| after - before).collect();
    let seconds = (ios[0] + ios[1]) as f64 / DISK_IOPS + (ios[2] + ios[3]) as f64 / EXTENSION_IOPS;
    println!("{name:>12} {:>8} {:>8} {:>8} {:>8} {seconds:>9.1} s", ios[0], ios[1], ios[2], ios[3]);
}

fn main() {
    let arguments: Vec<u32> = std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let rounds = arguments.first().copied().unwrap_or(8);
    let pages = arguments.get(1).copied().unwrap_or(14_000);
    let memory_bytes = u64::from(pages) * 8192 * 8 / 100;
    let updates = pages * 10 / 137;
    println!("{pages} pages, memory for 8 percent, {updates} updates a round (seed S4: 10,000 on 137,000 pages)");
    let modes: BTreeMap<&str, Option<ExtensionMode>> =
        [("1 none", None), ("2 clean", Some(ExtensionMode::Clean)), ("3 write-back", Some(ExtensionMode::WriteBack))]
            .into();
    for (name, mode) in modes {
        println!("{name:<14} reads   writes  x reads x writes   of the data file, of the extension");
        let mut world = World::new(pages, memory_bytes);
        if let Some(mode) = mode {
            let instance = world.manager.instance();
            instance.settings().set_option("buffer pool extension mode", mode as i64).expect("an option");
            instance.reconfigure(true).expect("stored");
            let size_kb = u64::from(pages) * 8 * 4;
            instance.enable_extension(Path::new(EXTENSION), size_kb.min(memory_bytes / 1024 * 31)).expect("room");
        }
        world.scan();
        for round in 1..=rounds {
            let before = world.ios();
            world.round(updates);
            tell(&format!("round {round}"), before, world.ios());
        }
        if mode == Some(ExtensionMode::WriteBack) {
            world.restart(memory_bytes);
            let before = world.ios();
            world.round(updates);
            tell("restarted", before, world.ios());
        }
    }
}
