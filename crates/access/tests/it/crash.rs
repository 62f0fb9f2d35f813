//! Power cuts under a durable database with a tree: one run is recorded, then cut at many moments; what comes back is a
//! whole tree with exactly the changes of each thread up to some point in time, none of those lost that were durable by then.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use millpond_access::tree::{Change, Direction, KeyRange, RowTag, Tree, TreeRoot, Writer};
use millpond_access::{AccessError, TreeCtx};
use millpond_device::Media;
use millpond_device::image::Image;
use millpond_device::tape::{Loss, Playback, Tape};
use millpond_device::taped_media::TapedMedia;
use millpond_storage::ask::Ask;
use millpond_storage::contract::DbId;
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::database::{alter_shrink, create};
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::page::header::Lsn;
use millpond_storage::space::Owner;
use millpond_storage::wal::{DatabaseHandle, LogError, Mtr};

use crate::rig::{IDS, Session};
use millpond_access::tree;

const DB: DbId = DbId(5);
const THREADS: u64 = 3;
type Model = BTreeMap<Vec<u8>, Vec<u8>>;

fn over(media: Arc<dyn Media>) -> Arc<Instance> {
    // Few frames: pages are written while the run goes on.
    Instance::open(InstanceConfig::over(media, 1 << 20)).expect("it opens")
}

fn ctx(instance: &Instance) -> TreeCtx {
    let database = instance.database(DB).expect("it is there");
    TreeCtx {
        handle: database.handle().expect("online").clone(),
        space: database.space().expect("online").clone(),
        owner: Owner::User,
        usage: Arc::default(),
    }
}

/// Changes without transactions; remembers the last record.
#[derive(Default)]
struct Noting {
    last: Lsn,
}

impl Writer for Noting {
    fn begin<'a>(&mut self, db: &'a DatabaseHandle, ask: &Ask<'a>, reserve_bytes: usize) -> Result<Mtr<'a>, LogError> {
        Mtr::begin(db, ask, reserve_bytes)
    }

    fn commit(&mut self, mtr: Mtr<'_>) {
        self.last = mtr.commit();
    }

    fn may_purge(&self, _: &RowTag) -> bool {
        true
    }
}

fn mix(mut n: u64) -> u64 {
    n = (n ^ n >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n = (n ^ n >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ n >> 31
}

/// Step `n` of a thread: which key, and its payload from then on or none. Grows, then shrinks until leaves go, then grows
/// again. No two threads have a key in common, but most leaves.
fn step(thread: u64, n: u64) -> (Vec<u8>, Option<Vec<u8>>) {
    let chance = mix(n * THREADS + thread);
    let key = (chance % 500 * THREADS + thread).to_be_bytes().to_vec();
    let removes = if (n / 500).is_multiple_of(2) { 2 } else { 15 };
    match chance >> 40 & 15 {
        dice if dice < removes => (key, None),
        _ => (key, Some(vec![n as u8; (chance >> 44) as usize % 700])),
    }
}

struct Run {
    tape: Arc<Tape>,
    names: BTreeMap<PathBuf, Arc<str>>,
    place: TreeRoot,
    /// Of each thread: position of the tape when the tree was there, and when so many steps were durable.
    durable: Vec<Vec<(usize, u64)>>,
    steps: u64,
}

fn change(tree: &Tree, ask: &Ask<'_>, writer: &mut Noting, (key, payload): (Vec<u8>, Option<Vec<u8>>)) {
    let change = match &payload {
        Some(payload) => Change::Put { payload, is_ghost: false, tag: None },
        None => Change::Remove,
    };
    tree::modify::change_entry(tree, ask, writer, &key, &mut |_| Ok::<_, AccessError>(change)).expect("room");
}

/// The steps of a thread, with a promise now and then; returns the promises.
fn work(tree: &Tree, instance: &Instance, tape: &Tape, thread: u64, steps: u64) -> Vec<(usize, u64)> {
    let session = Session::new(60 + thread as u16);
    let ask = session.ask();
    let log = tree.ctx().handle.log.clone().expect("a durable database has a log");
    let mut writer = Noting::default();
    let mut durable = vec![(tape.position(), 0)];
    for n in 0..steps {
        change(tree, &ask, &mut writer, step(thread, n));
        if n % 37 == 36 {
            log.make_durable(&ask, writer.last).expect("a log that works");
            durable.push((tape.position(), n + 1));
        }
        if thread == 1 && n % 97 == 96 {
            tree::compact::compact(tree, &ask, if n.is_multiple_of(2) { 100 } else { 60 }).expect("room");
        }
        if thread == 2 && n % 97 == 50 {
            alter_shrink::shrink_file(instance.databases(), &ask, DB, "d", 0).expect("it can be shrunk");
        }
        if thread == 0 && n % 301 == 300 {
            instance.checkpoint(&ask, DB).expect("it can be taken");
        }
    }
    durable
}

fn record(steps: u64) -> Run {
    let tape = Tape::new();
    let media = Arc::new(TapedMedia::new(tape.clone()));
    let instance = over(media.clone());
    let session = Session::new(51);
    let ask = session.ask();
    create::create_database(instance.databases(), &ask, &NewDatabase::named("d")).expect("room");
    let (tree, place) = Tree::create(&ctx(&instance), &ask, IDS).expect("room");
    instance.checkpoint(&ask, DB).expect("it can be taken");
    let durable = std::thread::scope(|scope| {
        let (tree, instance, tape) = (&tree, &instance, &tape);
        let works: Vec<_> =
            (0..THREADS).map(|thread| scope.spawn(move || work(tree, instance, tape, thread, steps))).collect();
        works.into_iter().map(|work| work.join().expect("no panic")).collect()
    });
    Run { names: media.names(), tape, place, durable, steps }
}

fn contents(tree: &Arc<Tree>, ask: &Ask<'_>) -> Model {
    let mut found = Model::new();
    let mut cursor = tree::cursor::open(tree, KeyRange::all(), Direction::Forward);
    while cursor
        .next_page(ask, &mut |row| {
            found.insert(row.key.to_vec(), row.payload.to_vec());
            ControlFlow::Continue(())
        })
        .expect("readable")
    {}
    found
}

fn do_step(model: &mut Model, thread: u64, n: u64) {
    match step(thread, n) {
        (key, Some(payload)) => model.insert(key, payload),
        (key, None) => model.remove(&key),
    };
}

/// Takes the entries of a thread out of what was found, and says at which of its steps they are just so.
fn moment(run: &Run, thread: u64, position: usize, found: &mut Model) -> u64 {
    let durable = &run.durable[thread as usize];
    let before = durable.partition_point(|&(at, _)| at <= position).max(1);
    let least = durable[before - 1].1;
    // What was begun before the next promise may be there too.
    let most = durable.get(before).map_or(run.steps, |&(_, steps)| steps);
    let is_own = |key: &[u8]| u64::from_be_bytes(key.try_into().expect("8 bytes")) % THREADS == thread;
    let own: Model = found.extract_if(.., |key, _| is_own(key)).collect();
    let mut model = Model::new();
    (0..least).for_each(|n| do_step(&mut model, thread, n));
    for n in least..most {
        if model == own {
            return n;
        }
        do_step(&mut model, thread, n);
    }
    assert!(model == own, "cut at {position}: thread {thread} at no moment from {least} to {most}");
    most
}

/// Opens what a cut left, finds the moment that it is, and goes on from there. Says whether there was anything to redo.
fn verify(run: &Run, images: &BTreeMap<Arc<str>, Image>, position: usize) -> bool {
    let instance = over(Arc::new(TapedMedia::after_cut(&run.names, images, None)));
    let session = Session::new(51);
    let ask = session.ask();
    let was_clean = instance.database(DB).expect("it is there").was_clean();
    let tree = Tree::open(&ctx(&instance), IDS, run.place);
    let report = tree::check::check_tree(&tree, &ask).expect("it can be checked");
    assert_eq!(report.problems, [], "cut at {position}");
    assert_eq!(tree::reclaim::reclaim_pages(&tree, &ask).expect("room"), report.leaked_pages);
    assert_eq!(tree::check::check_tree(&tree, &ask).expect("it can be checked").leaked_pages, 0);
    let found = contents(&tree, &ask);
    let (mut rest, mut model) = (found.clone(), found);
    for thread in 0..THREADS {
        let moment = moment(run, thread, position, &mut rest);
        for n in moment..moment + 50 {
            change(&tree, &ask, &mut Noting::default(), step(thread, n));
            do_step(&mut model, thread, n);
        }
    }
    assert_eq!(rest, Model::new(), "entries of no thread");
    assert!(contents(&tree, &ask) == model);
    assert_eq!(tree::check::check_tree(&tree, &ask).expect("it can be checked").problems, []);
    !was_clean
}

#[test]
fn a_tree_survives_a_power_cut_at_any_moment() {
    let run = record(1_200);
    let (first, last) = (run.durable[0][0].0, run.tape.position());
    let mut positions: Vec<usize> = (0..18).map(|n| first + mix(n) as usize % (last - first + 1)).collect();
    positions.push(last);
    positions.sort_unstable();
    let (mut playback, mut redone) = (Playback::new(&run.tape), 0);
    for (number, position) in positions.into_iter().enumerate() {
        playback.advance(position);
        let loss = [Loss::Chance { kept_percent: 50 }, Loss::Everything, Loss::Nothing][number % 3];
        redone += u32::from(verify(&run, &playback.cut_images(loss, number as u64), position));
    }
    assert!(redone > 10, "the cuts are to leave something to redo: {redone}");
}
