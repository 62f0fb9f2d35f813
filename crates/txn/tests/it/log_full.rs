//! A log that is full and may not grow: statements are refused (9002), rollbacks never, nothing committed is lost, and work
//! goes on once there is room.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_access::AccessError;
use millpond_access::tree::Tree;
use millpond_device::RamMedia;
use millpond_device::clock::SystemClock;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::database::plan::{NewDatabase, NewFile};
use millpond_storage::database::{Database, DatabaseState, alter_file, create};
use millpond_storage::file::growth::Growth;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig};
use millpond_storage::wal::{CommitMode, LogError, Mtr, ReuseWait};
use millpond_txn::{SessionWork, TxnError, TxnManager, Versioning};

use crate::crash_matrix::dice;
use crate::table::IDS;
use millpond_access::tree;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;

/// A database with a log of 1 MB that stays so.
struct World {
    media: Arc<RamMedia>,
    manager: Arc<TxnManager>,
    database: Arc<Database>,
    tree: Arc<Tree>,
    task: Arc<Task>,
    io: IoCount,
}

fn open(media: &Arc<RamMedia>) -> Arc<TxnManager> {
    let config = InstanceConfig {
        media: Arc::clone(media) as _,
        max_memory_bytes: Some(4 << 20),
        ..InstanceConfig::new(Some(PathBuf::from("/data")), Arc::new(SystemClock::new()))
    };
    TxnManager::new(Instance::open(config).expect("opens"))
}

impl World {
    fn new(versioning: Versioning) -> World {
        let media = Arc::new(RamMedia::new());
        let manager = open(&media);
        let (task, io) = (Arc::new(Task::new(SessionId(50))), IoCount::default());
        let ask = Ask::new(&task, &io);
        let file = |name: &str, size_pages, growth| NewFile {
            name: name.to_owned(),
            size_pages: Some(size_pages),
            growth: Some(growth),
            ..NewFile::default()
        };
        let new = NewDatabase {
            data: vec![file("d", 1024, Growth::Pages(256))],
            log: vec![file("d_log", 160, Growth::Pages(0))],
            ..NewDatabase::named("d")
        };
        let database = create::create_database(manager.instance().databases(), &ask, &new).expect("room");
        manager.database_opened(database.id());
        manager.set_versioning(database.id(), versioning);
        let ctx = open_trees::tree_ctx(&database).expect("online");
        let mut work = manager.open_session(SessionId(50), Arc::clone(&task));
        transaction::begin(&mut work);
        let (tree, _) = trees::create_tree(&mut work, &ask, &ctx, IDS).expect("room");
        transaction::commit(&mut work, &ask, CommitMode::Durable).expect("durable");
        drop(work);
        World { media, manager, database, tree, task, io }
    }

    fn ask(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.io)
    }

    fn session(&self, number: u16) -> SessionWork {
        self.manager.open_session(SessionId(number), Arc::new(Task::new(SessionId(number))))
    }

    fn checkpoint(&self) -> Result<(), ()> {
        self.manager.instance().checkpoint(&self.ask(), self.database.id()).map_err(drop)
    }

    /// Rows of `bytes` under the keys of a range, committed in small transactions.
    fn fill(&self, keys: std::ops::Range<u32>, bytes: usize) {
        let mut work = self.session(51);
        for key in keys {
            transaction::begin(&mut work);
            tree_rows::insert(&mut work, &self.ask(), &self.tree, &key.to_be_bytes(), &vec![key as u8; bytes])
                .expect("room");
            transaction::commit(&mut work, &self.ask(), CommitMode::Delayed).expect("durable");
            if key % 50 == 0 {
                self.checkpoint().expect("room");
            }
        }
        self.checkpoint().expect("room");
    }

    fn is_open(&self) -> bool {
        self.database.log().expect("online").expect("durable").check_available().is_ok()
    }
}

fn rows(ask: &Ask<'_>, manager: &Arc<TxnManager>, tree: &Arc<Tree>) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut work = manager.open_session(SessionId(70), Arc::new(Task::new(SessionId(70))));
    let mut rows = Vec::new();
    let all = millpond_access::tree::KeyRange::all();
    let read =
        read::scan::for_each(&work.reader(), ask, tree, all, millpond_txn::ReadHint::default(), &mut |key, payload| {
            rows.push((key.to_vec(), payload.to_vec()));
            std::ops::ControlFlow::Continue(())
        });
    read.expect("readable");
    rows
}

fn is_full(cause: &TxnError) -> bool {
    matches!(cause, TxnError::Access(AccessError::Wal(LogError::Full { .. })))
}

const BOTH: [Versioning; 2] =
    [Versioning { read_committed: false, snapshot: false }, Versioning { read_committed: true, snapshot: true }];

/// What is undone has become shorter, and others have filled the pages up as far as they could: going back needs no room.
#[test]
fn undo_finds_its_room_when_others_have_filled_pages_and_log() {
    for versioning in BOTH {
        let world = World::new(versioning);
        let ask = world.ask();
        world.fill(0..600, 400);
        let before = rows(&ask, &world.manager, &world.tree);
        let mut work = world.session(52);
        transaction::begin(&mut work);
        // Even keys become short, so that every page has room for others.
        for key in (0..200_u32).step_by(2) {
            tree_rows::update(&mut work, &ask, &world.tree, &key.to_be_bytes(), &[1; 8]).expect("room");
        }
        // Others put rows between them.
        let (mut other, mut put) = (world.session(53), Vec::new());
        for key in (0..200_u32).step_by(2) {
            let long = [&key.to_be_bytes()[..], &[1]].concat();
            transaction::begin(&mut other);
            tree_rows::insert(&mut other, &ask, &world.tree, &long, &[7; 300]).expect("room");
            transaction::commit(&mut other, &ask, CommitMode::Delayed).expect("a commit has its room");
            put.push((long, vec![7; 300]));
        }
        // And then nothing goes any more: whatever the log has left is of another.
        let handle = &world.tree.ctx().handle;
        let held: Vec<_> = std::iter::from_fn(|| Mtr::begin(handle, &ask, 0).ok()).collect();
        transaction::begin(&mut other);
        let cause = tree_rows::insert(&mut other, &ask, &world.tree, b"new", b"").expect_err("the log is full");
        assert!(is_full(&cause), "{cause}");
        transaction::rollback(&mut work, &ask).expect("undo has its room");
        assert!(world.is_open());
        drop(held);
        transaction::rollback(&mut other, &ask).expect("nothing to undo");
        let mut expected = before;
        expected.extend(put);
        expected.sort();
        assert!(rows(&ask, &world.manager, &world.tree) == expected, "{versioning:?}");
        assert!(tree::check::check_tree(&world.tree, &ask).expect("readable").problems.is_empty());
        // And work goes on.
        world.checkpoint().expect("room");
        world.fill(1000..1200, 400);
        let report = world.database.log().expect("online").expect("durable").report();
        assert_eq!(report.reserved_bytes, 0);
    }
}

/// Many open transactions fill the log to the brim; all of them end, some this way, some that way, in any order, while
/// others make checkpoints that cannot cut the log. After a crash in the middle the same.
#[test]
fn all_open_transactions_end_when_the_log_is_full() {
    for seed in 0..6 {
        let mut dice = dice(seed);
        let world = World::new(BOTH[seed as usize % 2]);
        let ask = world.ask();
        world.fill(0..400, 300);
        let mut expected: std::collections::BTreeMap<_, _> =
            rows(&ask, &world.manager, &world.tree).into_iter().collect();
        // A transaction of one row holds the log.
        let mut workers: Vec<_> = (0..24_u16).map(|n| (world.session(100 + n), n, Vec::new())).collect();
        workers.iter_mut().for_each(|(work, ..)| transaction::begin(work));
        let mut refused = 0;
        while refused < 60 {
            let at = dice.below(workers.len() as u64) as usize;
            let (work, number, done) = &mut workers[at];
            let key = dice.below(17) as u32 * 24 + u32::from(*number);
            let Some(key) = (key < 400).then(|| key.to_be_bytes().to_vec()) else { continue };
            let payload = vec![dice.roll() as u8; dice.below(1500) as usize];
            let mark = transaction::begin_statement(work);
            match tree_rows::update(work, &ask, &world.tree, &key, &payload) {
                Ok(()) => {
                    transaction::end_statement(work, &ask, mark).expect("open");
                    done.push((key, payload));
                }
                Err(cause) => {
                    assert!(is_full(&cause), "{cause}");
                    transaction::abort_statement(work, &ask, mark).expect("undo has its room");
                    refused += 1;
                }
            }
        }
        // Checkpoints are refused before they take what the transactions need to end.
        while world.checkpoint().is_ok() && dice.below(200) != 0 {}
        let mut crashed = None;
        while !workers.is_empty() {
            let at = dice.below(workers.len() as u64) as usize;
            let (mut work, _, done) = workers.swap_remove(at);
            if dice.chance(50) {
                transaction::commit(&mut work, &ask, CommitMode::Durable).expect("a commit has its room");
                expected.extend(done);
            } else {
                transaction::rollback(&mut work, &ask).expect("undo has its room");
            }
            assert!(world.is_open(), "seed {seed}");
            if workers.len() == 12 {
                // What is not yet durable of the rollbacks is done again by recovery.
                crashed = Some((Arc::new(world.media.snapshot()), expected.clone()));
            }
        }
        assert!(rows(&ask, &world.manager, &world.tree).into_iter().eq(expected), "seed {seed}");
        let (media, expected) = crashed.expect("in the middle");
        let again = open(&media);
        assert!(again.failed_recoveries().is_empty(), "seed {seed}: {:?}", again.failed_recoveries());
        let database = again.instance().database(world.database.id()).expect("known");
        assert_eq!(database.state(), DatabaseState::Online);
        let ctx = open_trees::tree_ctx(&database).expect("online");
        let tree = open_trees::open_tree(&again, &ctx, IDS, world.tree.place());
        assert!(rows(&ask, &again, &tree).into_iter().eq(expected), "seed {seed}, after the crash");
        assert!(tree::check::check_tree(&tree, &ask).expect("readable").problems.is_empty());
    }
}

/// The holder of the log ends, and who was refused goes on after a checkpoint; or the file gets longer.
#[test]
fn work_goes_on_when_the_log_has_room_again() {
    let world = World::new(BOTH[1]);
    let ask = world.ask();
    world.fill(0..100, 300);
    let (mut holder, mut work) = (world.session(60), world.session(61));
    transaction::begin(&mut holder);
    tree_rows::update(&mut holder, &ask, &world.tree, &0_u32.to_be_bytes(), &[1; 300]).expect("room");
    let change = |work: &mut SessionWork, value: u8| {
        let mark = transaction::begin_statement(work);
        let done = tree_rows::update(work, &ask, &world.tree, &1_u32.to_be_bytes(), &[value; 300]);
        match done {
            Ok(()) => transaction::end_statement(work, &ask, mark),
            Err(cause) => {
                transaction::abort_statement(work, &ask, mark).expect("undo has its room");
                Err(cause)
            }
        }
    };
    let (mut value, mut refused) = (0_u8, None);
    for _ in 0..20_000 {
        value = value.wrapping_add(1);
        if let Err(cause) = change(&mut work, value) {
            refused = Some(cause);
            break;
        }
    }
    let refused = refused.expect("1 MB of log are not enough");
    let TxnError::Access(AccessError::Wal(LogError::Full { reason })) = refused else { panic!("{refused}") };
    assert_eq!(reason, ReuseWait::ActiveTransaction);
    let committed = rows(&ask, &world.manager, &world.tree)[1].1.clone();
    assert_eq!(committed, [value.wrapping_sub(1); 300]);
    // More room by another file.
    let more = TempFileConfig { size_pages: 64, growth: GrowthConfig::Pages(0), ..TempFileConfig::new("more", true) };
    alter_file::add_file(world.manager.instance().databases(), &ask, world.database.id(), &more).expect("room");
    change(&mut work, 77).expect("room again");
    // Or by the end of the holder.
    while change(&mut work, 78).is_ok() {}
    transaction::commit(&mut holder, &ask, CommitMode::Durable).expect("a commit has its room");
    world.checkpoint().expect("room");
    change(&mut work, 79).expect("room again");
    let found = rows(&ask, &world.manager, &world.tree);
    assert_eq!((found[0].1[0], found[1].1[0]), (1, 79));
}
