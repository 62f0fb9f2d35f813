//! A data file moves while changed pages of it lie in the extension only: none is lost, whenever the power goes.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use millpond_access::tree::KeyRange;
use millpond_device::{Loss, Playback, Tape, TapedMedia};
use millpond_storage::ask::Task;
use millpond_storage::contract::SessionId;
use millpond_storage::database::alter_file;
use millpond_storage::database::file_change::{FileChange, FileChanged};
use millpond_storage::extension::ExtensionMode;
use millpond_storage::file::Medium;
use millpond_storage::wal::CommitMode;
use millpond_txn::ReadHint;
use parking_lot::Mutex;

use crate::extension::{IDS, ROWS, World, open, payload, with_ask};
use crate::recorder::Recorder;
use millpond_access::tree;
use millpond_txn::open_trees;
use millpond_txn::read;
use millpond_txn::transaction;
use millpond_txn::tree_rows;

/// A row's value and the place of the tape where its commit was acknowledged.
type Promises = Mutex<Vec<(usize, u32, u64)>>;

/// Transactions after which the writer ends by itself: all of them are on a tape in memory.
const CHANGES_MAX: u32 = 50_000;

/// Tells the writer to stop, also when the test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Gives rows new values, each in a transaction of its own, until it is asked to stop.
fn change(world: &World<Recorder>, tape: &Tape, promises: &Promises, stop: &AtomicBool) {
    with_ask(|ask| {
        let mut work = world.manager.open_session(SessionId(61), Arc::new(Task::new(SessionId(61))));
        for turn in 0..CHANGES_MAX {
            if stop.load(Relaxed) {
                return;
            }
            let (row, value) = (turn * 7 % ROWS, 10_000 + u64::from(turn));
            transaction::begin(&mut work);
            tree_rows::update(&mut work, ask, &world.tree, &row.to_be_bytes(), &payload(value)).expect("there");
            transaction::commit(&mut work, ask, CommitMode::Durable).expect("durable");
            promises.lock().push((tape.position(), row, value));
        }
    });
}

fn rows_of(world: &World<TapedMedia>) -> BTreeMap<u32, u64> {
    let mut rows = BTreeMap::new();
    with_ask(|ask| {
        let mut work = world.manager.open_session(SessionId(62), Arc::new(Task::new(SessionId(62))));
        let read = read::scan::for_each(
            &work.reader(),
            ask,
            &world.tree,
            KeyRange::all(),
            ReadHint::default(),
            &mut |key, bytes| {
                let value = u64::from_le_bytes(bytes[..8].try_into().expect("8 bytes"));
                assert_eq!(bytes, payload(value));
                rows.insert(u32::from_be_bytes(key.try_into().expect("4 bytes")), value);
                ControlFlow::Continue(())
            },
        );
        read.expect("readable");
        assert!(tree::check::check_tree(&world.tree, ask).expect("readable").problems.is_empty());
    });
    rows
}

#[test]
fn dirty_pages_in_the_extension_survive_a_move_and_power_cuts_in_it() {
    let tape = Tape::new();
    let media = Arc::new(Recorder::new(&tape));
    let mut world = World::made_by(open(&media), media.clone());
    world.enable(ExtensionMode::WriteBack);
    // On a slow machine one would come in between and leave nothing dirty.
    let settings = world.manager.instance().settings();
    settings.set_option("automatic checkpoints", 0).expect("an option");
    world.manager.instance().reconfigure(true).expect("stored");
    world.put(1, 1000);
    let before = world.manager.instance().extension();
    assert!(before.dirty > 50, "{before:?}");
    let (begin, start) = (tape.position(), world.rows.clone());
    let (promises, stop) = (Promises::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| change(&world, &tape, &promises, &stop));
        with_ask(|ask| {
            let instance = world.manager.instance();
            let to = |name: &str, path: &str| {
                let change = FileChange::Medium(Medium::File(path.into()));
                let moved = alter_file::modify_file(instance.databases(), ask, world.db, name, change).expect("room");
                assert_eq!(moved, FileChanged::Moved);
            };
            to("d", "/fast/d.mdf");
            let dirty = instance.extension().dirty;
            assert!(dirty > 0, "a move writes nothing back");
            instance.checkpoint(ask, world.db).expect("written");
            to("d", "/ram/back.mdf");
        });
    });
    let promises = promises.into_inner();
    let mut last = start.clone();
    last.extend(promises.iter().map(|(_, row, value)| (*row, *value)));
    world.rows = last;
    world.check();
    let (db, root, end) = (world.db, world.root, tape.position());
    drop(world);

    let mut cuts: Vec<usize> = tape.sync_positions().into_iter().chain(media.changes()).collect();
    cuts.retain(|at| (begin..=end).contains(at));
    cuts.sort_unstable();
    cuts.dedup();
    let step = (cuts.len() / 30).max(1);
    let mut playback = Playback::new(&tape);
    for (number, position) in cuts.into_iter().step_by(step).enumerate() {
        playback.advance(position);
        let loss = [Loss::Nothing, Loss::Everything, Loss::Chance { kept_percent: 50 }][number % 3];
        let images = playback.cut_images(loss, number as u64);
        let left = Arc::new(TapedMedia::after_cut(&media.names_at(position), &images, None));
        let manager = open(&left);
        let database = manager.instance().database(db).expect("known");
        let ctx = open_trees::tree_ctx(&database).unwrap_or_else(|error| panic!("at {position}: {error}"));
        let tree = open_trees::open_tree(&manager, &ctx, IDS, root);
        let again = World { media: left, manager, db, tree, root, rows: BTreeMap::new() };
        let found = rows_of(&again);
        let mut promised = start.clone();
        let known = promises.iter().take_while(|(at, ..)| *at <= position);
        promised.extend(known.map(|(_, row, value)| (*row, *value)));
        assert_eq!(found.len(), promised.len(), "at {position}");
        for (row, value) in &promised {
            assert!(found[row] >= *value, "at {position}: row {row} has {}, {value} was promised", found[row]);
        }
        let place = &again.manager.instance().files(db)[0].physical_name;
        assert!(again.media.names().contains_key(Path::new(place)), "at {position}: {place}");
    }
}
