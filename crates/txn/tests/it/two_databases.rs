//! Transactions over several databases: whenever a crash comes, all of them have it or none.

use std::path::PathBuf;
use std::sync::Arc;

use millpond_access::tree::{KeyRange, Tree, TreeRoot};
use millpond_device::fault::Fault;
use millpond_device::{Loss, Media, Playback, RamMedia, Tape, TapedMedia};
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::backup::{self, BackupOptions, RestoreRequest, restore};
use millpond_storage::contract::{DbId, PageId, SessionId};
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::database::{DatabaseState, create};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::wal::CommitMode;
use millpond_txn::{ReadHint, RecoverError, SessionWork, TxnError, TxnManager};

use crate::table::IDS;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;

const NAMES: [&str; 3] = ["a", "b", "c"];

pub(crate) struct World {
    pub(crate) manager: Arc<TxnManager>,
    trees: Vec<Arc<Tree>>,
    task: Arc<Task>,
    io: IoCount,
}

fn open(media: Arc<dyn Media>) -> Arc<TxnManager> {
    let config = InstanceConfig::over(media, 16 << 20);
    TxnManager::new(Instance::open(config).expect("opens"))
}

impl World {
    /// The third database is restored from a backup of the second, and has its identity.
    fn with_twins(media: Arc<dyn Media>) -> World {
        let mut world = World::new(media);
        let (task, io) = (Arc::new(Task::new(SessionId(50))), IoCount::default());
        let (ask, databases) = (Ask::new(&task, &io), world.manager.instance().databases());
        let [_, b, c] = NAMES.map(|name| databases.database_by_name(name).expect("it was made").id());
        world.trees.truncate(2);
        create::drop_database(databases, c).expect("nobody uses it");
        let from = PathBuf::from("/ram/b.bak");
        backup::backup_database(databases, &ask, b, &from, BackupOptions::default()).expect("room");
        let moves = [("b", "/ram/c2.mdf"), ("b_log", "/ram/c2.ldf")];
        let moves = moves.map(|(name, path)| (name.to_owned(), PathBuf::from(path))).to_vec();
        let request = RestoreRequest {
            from,
            file: None,
            name: "c".into(),
            moves,
            replace: false,
            no_recovery: false,
            stop_at_us: None,
        };
        let c = restore::restore_database(databases, &ask, &request).expect("room");
        world.manager.database_opened(c.id());
        let TreeRoot { root, iam } = world.trees[1].place();
        let place = TreeRoot { root: PageId { db: c.id(), ..root }, iam: PageId { db: c.id(), ..iam } };
        world.trees.push(open_trees::open_tree(&world.manager, &open_trees::tree_ctx(&c).expect("online"), IDS, place));
        assert_eq!(databases.database(b).expect("it was made").guid(), c.guid());
        world
    }

    pub(crate) fn new(media: Arc<dyn Media>) -> World {
        let manager = open(media);
        let (task, io) = (Arc::new(Task::new(SessionId(50))), IoCount::default());
        let ask = Ask::new(&task, &io);
        let mut work = manager.open_session(SessionId(50), Arc::clone(&task));
        let mut make = |name| {
            let database =
                create::create_database(manager.instance().databases(), &ask, &NewDatabase::named(name)).expect("room");
            manager.database_opened(database.id());
            let ctx = open_trees::tree_ctx(&database).expect("online");
            transaction::begin(&mut work);
            let (tree, _) = trees::create_tree(&mut work, &ask, &ctx, IDS).expect("room");
            transaction::commit(&mut work, &ask, CommitMode::Durable).expect("nothing to wait for");
            // Trees are made by the system; its changes wait for no session.
            manager.instance().checkpoint(&ask, database.id()).expect("room");
            tree
        };
        let trees = NAMES.map(&mut make).to_vec();
        drop(work);
        World { manager, trees, task, io }
    }

    pub(crate) fn ask(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.io)
    }

    pub(crate) fn session(&self) -> SessionWork {
        self.manager.open_session(SessionId(51), Arc::new(Task::new(SessionId(51))))
    }

    /// One row in each database.
    pub(crate) fn insert(&self, work: &mut SessionWork, row: u8) {
        transaction::begin(work);
        for tree in &self.trees {
            tree_rows::insert(work, &self.ask(), tree, &[row], b"row").expect("room");
        }
    }

    fn places(&self) -> Vec<(DbId, TreeRoot)> {
        self.trees.iter().map(|tree| (tree.ctx().handle.db, tree.place())).collect()
    }
}

/// Keys in each database; `None` for one that is not online.
fn found(manager: &Arc<TxnManager>, places: &[(DbId, TreeRoot)]) -> Vec<Option<Vec<u8>>> {
    let (task, io) = (Arc::new(Task::new(SessionId(60))), IoCount::default());
    let ask = Ask::new(&task, &io);
    let read = |&(db, place): &(DbId, TreeRoot)| {
        let database = manager.instance().database(db)?;
        database.check_online().ok()?;
        let tree = open_trees::open_tree(manager, &open_trees::tree_ctx(&database).expect("online"), IDS, place);
        let mut keys = Vec::new();
        let mut work = manager.open_session(SessionId(60), Arc::clone(&task));
        let read =
            read::scan::for_each(&work.reader(), &ask, &tree, KeyRange::all(), ReadHint::default(), &mut |key, _| {
                keys.push(key[0]);
                std::ops::ControlFlow::Continue(())
            });
        read.expect("readable");
        Some(keys)
    };
    places.iter().map(read).collect()
}

/// The power is cut before every write and sync of a run of commits, with checkpoints in between: rows are in all three databases or in none, and none that was promised is missing.
#[test]
fn no_cut_leaves_a_part_of_a_transaction() {
    cut_everywhere(World::new);
}

/// The same where two of the databases were made of one backup.
#[test]
fn no_cut_leaves_a_part_of_a_transaction_of_twins() {
    cut_everywhere(World::with_twins);
}

fn cut_everywhere(world: fn(Arc<dyn Media>) -> World) {
    let tape = Tape::new();
    let media = Arc::new(TapedMedia::new(Arc::clone(&tape)));
    let world = world(Arc::clone(&media) as _);
    let (start, mut promised) = (tape.position(), vec![]);
    let mut work = world.session();
    for row in 1..=6 {
        world.insert(&mut work, row);
        if row % 3 == 2 {
            let (db, _) = world.places()[usize::from(row) % 3];
            world.manager.instance().checkpoint(&world.ask(), db).expect("room");
        }
        if row == 4 {
            transaction::rollback(&mut work, &world.ask()).expect("undo works");
            continue;
        }
        transaction::commit(&mut work, &world.ask(), CommitMode::Delayed).expect("durable");
        promised.push((tape.position(), row));
    }
    let (places, end, names) = (world.places(), tape.position(), media.names());
    let mut playback = Playback::new(&tape);
    let mut seen = std::collections::BTreeSet::new();
    for (number, position) in (start..=end).enumerate() {
        playback.advance(position);
        let loss = [Loss::Everything, Loss::Nothing, Loss::Chance { kept_percent: 50 }][number % 3];
        let images = playback.cut_images(loss, number as u64);
        let media = Arc::new(TapedMedia::after_cut(&names, &images, None));
        let manager = open(media.clone());
        assert!(manager.failed_recoveries().is_empty(), "{:?}", manager.failed_recoveries());
        let rows = found(&manager, &places);
        assert!(rows.iter().all(|keys| *keys == rows[0]), "cut at {position}: {rows:?}");
        let rows = rows[0].clone().expect("online");
        let must = promised.iter().filter(|(at, _)| *at <= position).map(|(_, row)| row);
        assert!(must.clone().all(|row| rows.contains(row)) && !rows.contains(&4), "cut at {position}: {rows:?}");
        seen.insert(rows.len());
        // Nothing is open any more, so that no log is kept.
        drop(manager);
        let again = open(media);
        for &(db, _) in &places {
            let log = again.instance().database(db).expect("known").log().expect("online").cloned().expect("durable");
            assert_eq!(log.active_transactions(), [], "cut at {position}");
        }
    }
    assert_eq!(seen.len(), 6, "every number of commits");
}

/// A participant whose coordinator cannot be opened stays closed with the reason; when it comes back, both have it.
#[test]
fn a_database_waits_for_the_one_that_decides() {
    let tape = Tape::new();
    let media = Arc::new(TapedMedia::new(Arc::clone(&tape)));
    let world = World::new(Arc::clone(&media) as _);
    let mut work = world.session();
    let start = tape.position();
    world.insert(&mut work, 1);
    transaction::commit(&mut work, &world.ask(), CommitMode::Durable).expect("durable");
    let (places, end, names) = (world.places(), tape.position(), media.names());
    let mut playback = Playback::new(&tape);
    let mut waited = 0;
    for position in start..=end {
        playback.advance(position);
        let images = playback.cut_images(Loss::Everything, 0);
        let media = Arc::new(TapedMedia::after_cut(&names, &images, None));
        let log = PathBuf::from("/ram/a_log.ldf");
        let aside = PathBuf::from("/ram/aside.ldf");
        media.rename(&log, &aside).expect("it is there");
        let manager = open(media.clone());
        let failed = manager.failed_recoveries();
        for (db, cause) in &failed {
            assert!(matches!(cause, RecoverError::InDoubt { coordinator } if coordinator == "a"), "{cause}");
            assert_eq!(manager.instance().database(*db).expect("known").state(), DatabaseState::Recovering);
        }
        waited += failed.len();
        drop(manager);
        media.rename(&aside, &log).expect("it is there");
        let manager = open(media);
        let rows = found(&manager, &places);
        assert!(rows.iter().all(|keys| keys.is_some() && *keys == rows[0]), "cut at {position}: {rows:?}");
    }
    assert!(waited > 0, "some cuts leave a transaction in doubt");
}

/// A database that cannot prepare: the transaction is undone in the others, which go on.
#[test]
fn who_cannot_prepare_has_it_undone_everywhere() {
    let media = Arc::new(RamMedia::new());
    let world = World::new(Arc::clone(&media) as _);
    let mut work = world.session();
    world.insert(&mut work, 1);
    transaction::commit(&mut work, &world.ask(), CommitMode::Durable).expect("durable");
    world.insert(&mut work, 2);
    media.device("/ram/b_log.ldf".as_ref()).expect("it is there").order(Fault::WriteError, 0);
    let refused = transaction::commit(&mut work, &world.ask(), CommitMode::Durable).expect_err("b cannot write");
    let TxnError::UndoLost { cause, .. } = refused else { panic!("{refused}") };
    let b = world.places()[1].0;
    assert!(matches!(*cause, TxnError::CommitFailed { db, .. } if db == b), "{cause}");
    let rows = [world.places()[0], world.places()[2]];
    assert_eq!(found(&world.manager, &rows), vec![Some(vec![1]); 2]);
    let again = open(Arc::new(media.snapshot()));
    assert_eq!(found(&again, &world.places()), vec![Some(vec![1]); 3]);
}
