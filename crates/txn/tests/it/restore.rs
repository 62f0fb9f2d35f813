//! Backups taken while transactions are open: what comes back has the commits of its point in time, whole, and nothing
//! else.
#![expect(clippy::single_range_in_vec_init, reason = "what is there is given as lists of ranges, some of one")]

use millpond_storage::backup::restore;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_access::tree::{KeyRange, Tree, TreeRoot};
use millpond_device::clock::SystemClock;
use millpond_device::{BlockDevice, RamMedia};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::backup;
use millpond_storage::backup::{BackupOptions, RestoreRequest};
use millpond_storage::contract::SessionId;
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::database::{Database, DatabaseState, create};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::wal::CommitMode;
use millpond_txn::{ReadHint, SessionWork, TxnManager};

use crate::table::IDS;
use millpond_access::tree;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::recovery;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;

struct World {
    media: Arc<RamMedia>,
    manager: Arc<TxnManager>,
    database: Arc<Database>,
    tree: Arc<Tree>,
    place: TreeRoot,
    task: Arc<Task>,
    io: IoCount,
}

fn open(media: &Arc<RamMedia>) -> Arc<TxnManager> {
    let config = InstanceConfig {
        media: Arc::clone(media) as _,
        max_memory_bytes: Some(16 << 20),
        ..InstanceConfig::new(Some(PathBuf::from("/data")), Arc::new(SystemClock::new()))
    };
    TxnManager::new(Instance::open(config).expect("opens"))
}

impl World {
    fn new() -> World {
        let media = Arc::new(RamMedia::new());
        let manager = open(&media);
        let (task, io) = (Arc::new(Task::new(SessionId(50))), IoCount::default());
        let ask = Ask::new(&task, &io);
        let database =
            create::create_database(manager.instance().databases(), &ask, &NewDatabase::named("d")).expect("room");
        manager.database_opened(database.id());
        let ctx = open_trees::tree_ctx(&database).expect("online");
        let mut work = manager.open_session(SessionId(50), Arc::clone(&task));
        transaction::begin(&mut work);
        let (tree, place) = trees::create_tree(&mut work, &ask, &ctx, IDS).expect("room");
        transaction::commit(&mut work, &ask, CommitMode::Durable).expect("durable");
        drop(work);
        World { media, manager, database, tree, place, task, io }
    }

    fn ask(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.io)
    }

    fn session(&self, number: u16) -> SessionWork {
        self.manager.open_session(SessionId(number), Arc::new(Task::new(SessionId(number))))
    }

    fn insert(&self, work: &mut SessionWork, rows: std::ops::Range<u16>) {
        for row in rows {
            tree_rows::insert(work, &self.ask(), &self.tree, &row.to_be_bytes(), &[row as u8; 500]).expect("room");
        }
    }

    /// Rows in a transaction of their own.
    fn commit(&self, rows: std::ops::Range<u16>) {
        let mut work = self.session(51);
        transaction::begin(&mut work);
        self.insert(&mut work, rows);
        transaction::commit(&mut work, &self.ask(), CommitMode::Durable).expect("durable");
    }

    fn backup(&self, to: &str) {
        let (instance, db) = (self.manager.instance(), self.database.id());
        backup::backup_database(instance.databases(), &self.ask(), db, Path::new(to), BackupOptions::default())
            .expect("room");
    }

    fn backup_log(&self, to: &str) {
        let (instance, db) = (self.manager.instance(), self.database.id());
        backup::backup_log(instance.databases(), &self.ask(), db, Path::new(to), BackupOptions::default())
            .expect("room");
    }

    /// A point in time that no commit shares.
    fn now_us(&self) -> i64 {
        let clock = self.manager.instance().clock();
        let wait_past = |us| while clock.wall().utc_us <= us {};
        let now = clock.wall().utc_us;
        wait_past(now);
        let moment = clock.wall().utc_us;
        wait_past(moment);
        moment
    }

    /// Restores a full backup and logs beside the database, the last one up to `stop_at_us`; what is there then.
    fn restored(&self, full: &str, logs: &[&str], stop_at_us: Option<i64>) -> Vec<u16> {
        let ask = self.ask();
        let instance = self.manager.instance();
        let moves = vec![("d".to_owned(), PathBuf::from("copy.mdf")), ("d_log".to_owned(), PathBuf::from("copy.ldf"))];
        let request = |from: &str, is_last: bool| RestoreRequest {
            file: None,
            from: from.into(),
            name: "copy".into(),
            moves: moves.clone(),
            replace: true,
            no_recovery: !is_last,
            stop_at_us: stop_at_us.filter(|_| is_last),
        };
        let mut database =
            restore::restore_database(instance.databases(), &ask, &request(full, logs.is_empty())).expect("sound");
        for (number, log) in logs.iter().enumerate() {
            assert_eq!(database.state(), DatabaseState::Restoring);
            database = restore::restore_log(instance.databases(), &ask, &request(log, number + 1 == logs.len()))
                .expect("it follows");
        }
        recovery::recover::recover_database(&self.manager, &ask, &database).expect("undo works");
        assert_eq!(database.state(), DatabaseState::Online);
        let ctx = open_trees::tree_ctx(&database).expect("online");
        let at =
            |page: millpond_storage::contract::PageId| millpond_storage::contract::PageId { db: database.id(), ..page };
        let place = TreeRoot { root: at(self.place.root), iam: at(self.place.iam) };
        let tree = open_trees::open_tree(&self.manager, &ctx, IDS, place);
        assert!(tree::check::check_tree(&tree, &ask).expect("readable").problems.is_empty());
        let rows = rows(&ask, &mut self.session(60), &tree);
        drop(tree);
        create::drop_database(instance.databases(), database.id()).expect("no session uses it");
        rows
    }
}

fn rows(ask: &Ask<'_>, work: &mut SessionWork, tree: &Arc<Tree>) -> Vec<u16> {
    let mut found = Vec::new();
    let read =
        read::scan::for_each(&work.reader(), ask, tree, KeyRange::all(), ReadHint::default(), &mut |key, payload| {
            let row = u16::from_be_bytes([key[0], key[1]]);
            assert!(payload.iter().all(|&byte| byte == row as u8), "row {row}");
            found.push(row);
            std::ops::ControlFlow::Continue(())
        });
    read.expect("readable");
    found
}

fn all(ranges: &[std::ops::Range<u16>]) -> Vec<u16> {
    let mut rows: Vec<u16> = ranges.iter().cloned().flatten().collect();
    rows.sort_unstable();
    rows
}

#[test]
fn open_transactions_of_a_backup_are_undone_and_those_that_end_in_the_log_are_not() {
    let world = World::new();
    let ask = world.ask();
    world.commit(0..40);
    let (mut kept, mut lost) = (world.session(52), world.session(53));
    transaction::begin(&mut kept);
    transaction::begin(&mut lost);
    world.insert(&mut kept, 100..140);
    world.insert(&mut lost, 200..240);
    // The checkpoint of the backup writes their pages.
    world.backup("full.bak");
    world.insert(&mut kept, 140..150);
    let before_kept = world.now_us();
    transaction::commit(&mut kept, &ask, CommitMode::Durable).expect("durable");
    let after_kept = world.now_us();
    world.commit(300..310);
    world.backup_log("1.trn");
    world.insert(&mut lost, 240..250);
    world.commit(310..320);
    let before_rollback = world.now_us();
    transaction::rollback(&mut lost, &ask).expect("undo works");
    world.commit(320..330);
    world.backup_log("2.trn");
    let first = [0..40];
    let second = [0..40, 100..150];
    assert_eq!(world.restored("full.bak", &[], None), all(&first));
    assert_eq!(world.restored("full.bak", &["1.trn"], None), all(&[&second[..], &[300..310]].concat()));
    assert_eq!(world.restored("full.bak", &["1.trn", "2.trn"], None), all(&[&second[..], &[300..330]].concat()));
    assert_eq!(world.restored("full.bak", &["1.trn"], Some(before_kept)), all(&first));
    assert_eq!(world.restored("full.bak", &["1.trn"], Some(after_kept)), all(&second));
    let at_rollback = world.restored("full.bak", &["1.trn", "2.trn"], Some(before_rollback));
    assert_eq!(at_rollback, all(&[&second[..], &[300..320]].concat()));
    // The database itself went on, and so does another instance over the same files.
    let now = all(&[&second[..], &[300..330]].concat());
    assert_eq!(rows(&ask, &mut world.session(60), &world.tree), now);
    let again = open(&Arc::new(world.media.snapshot()));
    let database = again.instance().database(world.database.id()).expect("known");
    let tree = open_trees::open_tree(&again, &open_trees::tree_ctx(&database).expect("online"), IDS, world.place);
    assert_eq!(rows(&ask, &mut again.open_session(SessionId(61), Arc::default()), &tree), now);
}

/// One byte of every 61 is wrong, in turn, or the file ends there: header, pages, log, end. The old database goes on.
#[test]
fn damage_anywhere_is_refused_and_the_old_database_untouched() {
    let world = World::new();
    let ask = world.ask();
    world.commit(0..20);
    world.backup("full.bak");
    world.commit(20..40);
    world.backup_log("1.trn");
    for name in ["full.bak", "1.trn"] {
        let device = world.media.device(&Path::new("/data").join(name)).expect("it is there");
        let length = device.len_bytes();
        let refused = |what: &str, at: u64| {
            let request =
                RestoreRequest { from: name.into(), name: "d".into(), replace: true, ..RestoreRequest::default() };
            let verified =
                restore::verify_backup(world.manager.instance().databases(), &world.ask(), Path::new(name), 1);
            assert!(verified.is_err(), "{what} {at} of {name}");
            // Reading it whole each time is slow; verifying and restoring read alike.
            if at.is_multiple_of(16) || at < 4096 {
                restore::restore_database(world.manager.instance().databases(), &ask, &request).expect_err("damaged");
            }
            assert!(!world.database.is_dropped() && world.database.check_online().is_ok());
        };
        let step = (length / 150).max(1) | 1;
        for at in (0..length).step_by(step as usize).chain(length.saturating_sub(40)..length) {
            let mut byte = [0];
            device.read_at(at, &mut byte).expect("memory");
            // The bytes 12 to 15 are not used.
            if (12..16).contains(&at) {
                continue;
            }
            device.write_at(at, &[byte[0] ^ 0x41]).expect("memory");
            refused("byte", at);
            device.write_at(at, &byte).expect("memory");
        }
        let mut whole = vec![0; length as usize];
        device.read_at(0, &mut whole).expect("memory");
        for cut in (0..length).step_by(step as usize * 5) {
            device.set_len(cut).expect("memory");
            refused("cut at", cut);
            device.set_len(length).expect("memory");
            device.write_at(0, &whole).expect("memory");
        }
        restore::verify_backup(world.manager.instance().databases(), &world.ask(), Path::new(name), 1)
            .expect("whole again");
    }
    assert_eq!(rows(&ask, &mut world.session(60), &world.tree), all(&[0..40]));
    assert_eq!(world.restored("full.bak", &["1.trn"], None), all(&[0..40]));
}
