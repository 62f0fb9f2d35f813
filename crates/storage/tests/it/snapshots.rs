//! Database snapshots show what their source was: while it changes, over restarts and kills, on a full disk, and on the way
//! back. Rows are numbers on pages of their own, and a copy of all of them is taken when a snapshot is.

use std::path::Path;
use std::sync::Arc;

use millpond_device::fault::Fault;
use millpond_device::{
    BlockDevice, DeviceError, Loss, Media, OpenMode, Playback, RamMedia, SystemClock, Tape, TapedMedia,
};
use millpond_storage::backup::restore::RestoreError;
use millpond_storage::backup::revert;
use millpond_storage::contract::{ExtentId, PageId, PageKind, WriteReason};
use millpond_storage::database::alter_error::AlterDatabaseError;
use millpond_storage::database::create::CreateDatabaseError;
use millpond_storage::database::file_change::AlterFileError;
use millpond_storage::database::plan::{NewDatabase, NewFile};
use millpond_storage::database::snapshot::{NewSnapshot, SnapshotError, create_snapshot};
use millpond_storage::database::{Database, DatabaseState, alter, alter_file, alter_remove, create};
use millpond_storage::file::file_header::FileKind;
use millpond_storage::instance::file_report::FileReport;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::page::slotted;
use millpond_storage::settings::tempdb::TempFileConfig;
use millpond_storage::space::Owner;
use millpond_storage::wal::{CommitMode, Mtr, PageOp};

use parking_lot::Mutex;

use crate::recorder::Recorder;
use crate::support::*;

/// Pages with a row each.
const ROWS: usize = 200;

struct World {
    media: Arc<RamMedia>,
    instance: Arc<Instance>,
    session: Session,
    pages: Vec<PageId>,
    rows: Vec<u64>,
    random: u64,
}

fn over(media: &Arc<RamMedia>) -> InstanceConfig {
    InstanceConfig {
        max_memory_bytes: Some(4 << 20),
        tempdb: Some(tempdb(vec![])),
        media: media.clone(),
        ..InstanceConfig::new(Some("/ram".into()), Arc::new(SystemClock::new()))
    }
}

fn new_file(name: &str) -> NewFile {
    NewFile { name: name.into(), size_pages: Some(MB), ..NewFile::default() }
}

impl World {
    fn new() -> World {
        let media = Arc::new(RamMedia::new());
        let instance = Instance::open(over(&media)).unwrap();
        World::of(media, instance)
    }

    fn of(media: Arc<RamMedia>, instance: Arc<Instance>) -> World {
        let mut world = World {
            instance,
            media,
            session: Session::new(),
            pages: Vec::new(),
            rows: vec![0; ROWS],
            random: 0x1234_5678_9abc_def1,
        };
        let new = NewDatabase {
            name: "d".into(),
            data: vec![NewFile { size_pages: None, ..new_file("d") }, new_file("d2")],
            ..NewDatabase::default()
        };
        create::create_database(world.instance.databases(), &world.session.ask(), &new).unwrap();
        let mut extents: Vec<ExtentId> = Vec::new();
        let database = world.database("d");
        while extents.len() < ROWS / 8 {
            let (space, handle) = (database.space().unwrap(), database.handle().unwrap());
            space.allocate_extents(&world.session.ask(), handle, Owner::User, 1, &mut extents).unwrap();
        }
        world.pages = extents.iter().flat_map(|extent| (0..8).map(|page| extent.page(page))).collect();
        for row in 0..ROWS {
            world.make(world.pages[row], row as u64);
            world.rows[row] = row as u64;
        }
        world
    }

    fn database(&self, name: &str) -> Arc<Database> {
        self.instance.database_by_name(name).unwrap()
    }

    fn next(&mut self, below: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % below as u64) as usize
    }

    fn make(&self, page: PageId, value: u64) {
        self.change(|mtr| {
            let index = mtr.create(page, PageKind::Data, 7, 0, 0).unwrap();
            mtr.apply(index, PageOp::Insert { slot: 0, record: &value.to_le_bytes() }).unwrap();
        });
    }

    fn change(&self, work: impl FnOnce(&mut Mtr<'_>)) {
        self.change_in("d", work);
    }

    fn change_in(&self, name: &str, work: impl FnOnce(&mut Mtr<'_>)) {
        let database = self.database(name);
        let (ask, log) = (self.session.ask(), database.log().unwrap().unwrap());
        let mut txn = log.begin();
        let mut mtr = Mtr::begin(database.handle().unwrap(), &ask, 256).unwrap();
        work(&mut mtr);
        mtr.commit_change(&mut txn, b"undo");
        log.commit(&ask, txn, CommitMode::Durable).unwrap();
    }

    /// Changes a few rows at random; some of it is written at once.
    fn play(&mut self, steps: usize) {
        for _ in 0..steps {
            let (row, value) = (self.next(ROWS), self.next(1 << 30) as u64);
            let page = self.pages[row];
            self.change(|mtr| {
                let index = mtr.latch(page).unwrap();
                mtr.apply(index, PageOp::Replace { slot: 0, record: &value.to_le_bytes() }).unwrap();
            });
            self.rows[row] = value;
            match self.next(12) {
                0 => self.checkpoint(),
                1 => drop(self.instance.pool().eager_write(&self.session.ask(), &[page])),
                _ => {}
            }
        }
    }

    fn checkpoint(&self) {
        self.instance.checkpoint(&self.session.ask(), self.database("d").id()).unwrap();
    }

    fn snapshot_as(&self, name: &str) -> Result<Arc<Database>, SnapshotError> {
        self.taken_as(name, false)
    }

    fn taken_as(&self, name: &str, is_copy: bool) -> Result<Arc<Database>, SnapshotError> {
        let files = vec![("D".into(), format!("{name}.ss").into()), ("d2".into(), format!("{name}.ss2").into())];
        let new = NewSnapshot { name: name.into(), files, is_copy, is_transient: false };
        let source = self.database("d").id();
        create_snapshot(self.instance.databases(), &self.session.ask(), source, &new, &|work| work(), &mut |_| ())
    }

    /// Changes a row of a copy; sometimes it is written at once, or the copy has a checkpoint.
    fn play_copy(&mut self, name: &str, rows: &mut [u64]) {
        let (row, value) = (self.next(ROWS), self.next(1 << 30) as u64);
        let page = PageId { db: self.database(name).id(), ..self.pages[row] };
        self.change_in(name, |mtr| {
            let index = mtr.latch(page).unwrap();
            mtr.apply(index, PageOp::Replace { slot: 0, record: &value.to_le_bytes() }).unwrap();
        });
        rows[row] = value;
        match self.next(8) {
            0 => self.instance.checkpoint(&self.session.ask(), page.db).unwrap(),
            1 => drop(self.instance.pool().eager_write(&self.session.ask(), &[page])),
            _ => {}
        }
    }

    /// The rows that a database has.
    fn rows_of(&self, instance: &Instance, name: &str) -> Vec<u64> {
        let database = instance.database_by_name(name).expect(name);
        assert_eq!(database.state(), DatabaseState::Online, "{name}");
        self.rows_in(instance, &database)
    }

    fn rows_in(&self, instance: &Instance, database: &Database) -> Vec<u64> {
        let read = |page: &PageId| {
            let id = PageId { db: database.id(), ..*page };
            let page = instance.pool().shared(&self.session.ask(), id).expect("it can be read");
            u64::from_le_bytes(slotted::record(&page, 0).expect("a row")[..8].try_into().expect("eight bytes"))
        };
        self.pages.iter().map(read).collect()
    }

    /// The server is killed, and another one finds the files.
    fn kill(&mut self) {
        self.media = Arc::new(self.media.snapshot());
        self.instance = Instance::open(over(&self.media)).unwrap();
    }
}

#[test]
fn snapshots_show_what_their_source_was_whatever_becomes_of_it() {
    let mut world = World::new();
    let mut taken: Vec<(String, Vec<u64>)> = Vec::new();
    for round in 0..6 {
        world.play(60);
        if round < 4 {
            let name = format!("s{round}");
            let snapshot = world.snapshot_as(&name).unwrap();
            assert_eq!(
                (snapshot.origin().source, snapshot.state()),
                (Some(world.database("d").id()), DatabaseState::Online)
            );
            taken.push((name, world.rows.clone()));
        }
        world.play(60);
        match round {
            1 | 4 => world.kill(),
            3 => {
                world.instance.shutdown(&world.session.ask(), true).unwrap();
                world.kill();
            }
            _ => {}
        }
        if round == 4 {
            // The middle one goes; those before and after it stay.
            let id = world.database("s1").id();
            create::drop_database(world.instance.databases(), id).unwrap();
            assert!(
                !world.media.paths().iter().any(|path| path.starts_with("/ram/s1.ss")),
                "{:?}",
                world.media.paths()
            );
            taken.retain(|(name, _)| name != "s1");
        }
        for (name, rows) in &taken {
            assert_eq!(world.rows_of(&world.instance, name), *rows, "{name} in round {round}");
        }
        assert_eq!(world.rows_of(&world.instance, "d"), world.rows, "round {round}");
    }
    let files = world.instance.files(world.database("s0").id());
    assert!(files.iter().any(|file| file.is_sparse));
    // What is kept is charged, and is less than the file.
    let s3 = world.snapshot_as("s9").unwrap();
    world.play(5);
    world.checkpoint();
    let file = world.instance.files(s3.id()).into_iter().find(|file| file.is_sparse).unwrap();
    let kept = file.writes.iter().find(|count| count.reason == WriteReason::Snapshot).unwrap();
    assert!(kept.bytes > 0 && kept.bytes < u64::from(file.size_pages) * 8192 / 2, "{kept:?}");
}

#[test]
fn a_database_with_snapshots_stays_what_they_need() {
    let mut world = World::new();
    world.snapshot_as("s").unwrap();
    let rows = world.rows.clone();
    let (databases, session) = (world.instance.databases(), Session::new());
    let ask = session.ask();
    let (d, s) = (world.database("d").id(), world.database("s").id());
    assert!(matches!(create::drop_database(databases, d), Err(AlterDatabaseError::HasSnapshot { .. })));
    assert!(matches!(alter::detach_database(databases, &ask, d), Err(AlterDatabaseError::HasSnapshot { .. })));
    assert!(matches!(alter::set_offline(databases, &ask, d), Err(AlterDatabaseError::HasSnapshot { .. })));
    assert!(matches!(alter::set_offline(databases, &ask, s), Err(AlterDatabaseError::OfSnapshot { .. })));
    assert!(matches!(alter::rename_database(databases, s, "t"), Err(AlterDatabaseError::OfSnapshot { .. })));
    assert!(matches!(
        alter::set_database_options(databases, &ask, s, |_| ()),
        Err(AlterDatabaseError::OfSnapshot { .. })
    ));
    assert!(matches!(
        alter_remove::remove_file(databases, &ask, d, "d2", 0),
        Err(AlterFileError::OfSource { .. } | AlterFileError::NotEmpty { .. })
    ));
    let file = TempFileConfig::new("d3", false);
    assert!(matches!(alter_file::add_file(databases, &ask, s, &file), Err(AlterFileError::OfSnapshot)));
    alter_file::add_file(databases, &ask, d, &file).unwrap();
    alter_remove::remove_file(databases, &ask, d, "d3", 0).unwrap();
    alter::rename_database(databases, d, "renamed").unwrap();
    alter::rename_database(databases, d, "d").unwrap();
    world.play(100);
    assert_eq!(world.rows_of(&world.instance, "s"), rows);
}

#[test]
fn a_transient_snapshot_goes_with_its_process() {
    let mut world = World::new();
    let before = world.media.paths();
    let files = vec![("d".into(), "t.ss".into()), ("d2".into(), "t.ss2".into())];
    let new = NewSnapshot { name: "t".into(), files, is_copy: false, is_transient: true };
    let source = world.database("d").id();
    create_snapshot(world.instance.databases(), &world.session.ask(), source, &new, &|work| work(), &mut |_| ())
        .unwrap();
    world.play(60);
    assert!(world.instance.database_by_name("t").is_some());
    world.kill();
    assert!(world.instance.database_by_name("t").is_none());
    assert_eq!(world.media.paths(), before);
    assert_eq!(world.database("d").state(), DatabaseState::Online);
}

#[test]
fn files_that_do_not_fit_are_refused_and_leave_nothing() {
    let world = World::new();
    let source = world.database("d").id();
    let try_with = |name: &str, source, files: &[(&str, &str)]| {
        let files = files.iter().map(|(name, path)| ((*name).to_owned(), (*path).into())).collect();
        let new = NewSnapshot { name: name.into(), files, is_copy: false, is_transient: false };
        create_snapshot(world.instance.databases(), &world.session.ask(), source, &new, &|work| work(), &mut |_| ())
            .unwrap_err()
    };
    let before = world.media.paths();
    let both = [("d", "a.ss"), ("d2", "b.ss")];
    assert!(matches!(try_with("s", source, &[("d", "a.ss")]), SnapshotError::FileMissing { name } if name == "d2"));
    assert!(matches!(try_with("s", source, &[("x", "a.ss")]), SnapshotError::NoFile { name } if name == "x"));
    assert!(matches!(try_with("s", source, &[("d_log", "a.ss")]), SnapshotError::NoFile { .. }));
    assert!(matches!(
        try_with("s", source, &[("d", "a.ss"), ("d2", "a.ss")]),
        SnapshotError::Create(CreateDatabaseError::Plan(_))
    ));
    assert!(matches!(
        try_with("s", source, &[("d", "d.mdf"), ("d2", "b.ss")]),
        SnapshotError::Create(CreateDatabaseError::FileExists { .. })
    ));
    assert!(matches!(try_with("d", source, &both), SnapshotError::Create(CreateDatabaseError::NameInUse { .. })));
    let master = world.instance.database_by_name("master").unwrap().id();
    assert!(matches!(try_with("s", master, &both), SnapshotError::OfTheSystem { .. }));
    assert_eq!(world.media.paths(), before);
    // What was made before a device fails goes with it.
    let log = world.media.device(Path::new("/ram/d_log.ldf")).unwrap();
    (0..5).for_each(|_| log.order(Fault::ReadError, 0));
    assert!(world.snapshot_as("s").is_err());
    assert_eq!((log.pending(), world.media.paths()), (0, before));
    let snapshot = world.snapshot_as("s").unwrap();
    assert!(matches!(try_with("t", snapshot.id(), &both), SnapshotError::OfSnapshot));
}

/// The power is cut at every sync and whenever a name changes: a snapshot that was made is what it was, one that is being made
/// is that or is not there.
#[test]
fn whenever_the_power_goes_snapshots_are_what_they_were() {
    let tape = Tape::new();
    let media = Arc::new(Recorder::new(&tape));
    let instance = Instance::open(InstanceConfig::over(media.clone(), 4 << 20)).unwrap();
    let mut world = World::of(Arc::new(RamMedia::new()), instance);
    let begin = tape.position();
    let mut made: Vec<(usize, String, Vec<u64>)> = Vec::new();
    for number in 0..3 {
        let name = format!("s{number}");
        world.play(50);
        world.snapshot_as(&name).unwrap();
        made.push((tape.position(), name, world.rows.clone()));
        world.play(50);
        world.checkpoint();
    }
    let end = tape.position();
    let within = |at: &usize| (begin..=end).contains(at);
    let mut cuts: Vec<usize> = tape.sync_positions().into_iter().chain(media.changes()).filter(within).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let step = (cuts.len() / 120).max(1);
    let mut playback = Playback::new(&tape);
    let mut seen = 0;
    for (number, position) in cuts.into_iter().step_by(step).enumerate() {
        playback.advance(position);
        let loss = [Loss::Everything, Loss::Chance { kept_percent: 50 }, Loss::Nothing][number % 3];
        let images = playback.cut_images(loss, number as u64);
        let left = Arc::new(TapedMedia::after_cut(&media.names_at(position), &images, None));
        let again = Instance::open(InstanceConfig::over(left, 4 << 20)).unwrap();
        for (at, name, rows) in &made {
            if *at > position && again.database_by_name(name).is_none() {
                continue;
            }
            assert_eq!(world.rows_of(&again, name), *rows, "{name} at {position} with {loss:?}");
            seen += 1;
        }
    }
    assert!(seen > 60, "{seen} snapshots were looked at");
}

/// Copies and their source are changed side by side, each by itself, over kills; a copy grows where its source has no pages.
#[test]
fn copies_and_their_source_are_changed_by_themselves() {
    let mut world = World::new();
    world.play(80);
    let mut copies: Vec<(String, Vec<u64>)> = Vec::new();
    for round in 0..24 {
        if round % 4 == 0 {
            let name = format!("c{round}");
            let copy = world.taken_as(&name, true).unwrap();
            assert!(!copy.origin().is_snapshot() && copy.origin().source == Some(world.database("d").id()));
            copies.push((name, world.rows.clone()));
        }
        world.play(30);
        for (name, rows) in &mut copies {
            (0..10).for_each(|_| world.play_copy(name, rows));
        }
        if round % 5 == 2 {
            world.kill();
        }
        let (grown, mut extents) = (world.database(&copies[0].0), Vec::new());
        let (space, handle) = (grown.space().unwrap(), grown.handle().unwrap());
        space.allocate_extents(&world.session.ask(), handle, Owner::User, 8, &mut extents).unwrap();
        assert_eq!(world.rows_of(&world.instance, "d"), world.rows);
        for (name, rows) in &copies {
            assert_eq!(world.rows_of(&world.instance, name), *rows, "{name} in round {round}");
        }
    }
    let pages = |file: &FileReport| if file.kind == FileKind::Data { u64::from(file.size_pages) } else { 0 };
    let size = |name: &str| world.instance.files(world.database(name).id()).iter().map(pages).sum::<u64>();
    let sizes = ["d", &copies[0].0].map(size);
    assert!(sizes[1] > sizes[0], "a copy of {sizes:?} pages has not grown beyond its source");
    let dropped = create::drop_database(world.instance.databases(), world.database("d").id());
    assert!(matches!(dropped, Err(AlterDatabaseError::HasSnapshot { .. })));
    for (name, _) in &copies {
        create::drop_database(world.instance.databases(), world.database(name).id()).unwrap();
    }
    create::drop_database(world.instance.databases(), world.database("d").id()).unwrap();
    assert!(!world.media.exists(Path::new("/ram/c0.ss")), "a copy leaves its files");
}

/// The power is cut at every sync while a source and its copy are changed: what was committed in the copy is there, but for the
/// change that was under way.
#[test]
fn whenever_the_power_goes_copies_have_what_was_committed() {
    let tape = Tape::new();
    let media = Arc::new(Recorder::new(&tape));
    let instance = Instance::open(InstanceConfig::over(media.clone(), 4 << 20)).unwrap();
    let mut world = World::of(Arc::new(RamMedia::new()), instance);
    world.play(40);
    world.taken_as("c", true).unwrap();
    let begin = tape.position();
    let mut rows = world.rows.clone();
    let mut history: Vec<(usize, Vec<u64>)> = vec![(begin, rows.clone())];
    for _ in 0..150 {
        world.play(1);
        world.play_copy("c", &mut rows);
        history.push((tape.position(), rows.clone()));
    }
    let cuts: Vec<usize> = tape.sync_positions().into_iter().filter(|at| *at >= begin).collect();
    let step = (cuts.len() / 150).max(1);
    let mut playback = Playback::new(&tape);
    let mut seen = 0;
    for (number, position) in cuts.into_iter().step_by(step).enumerate() {
        playback.advance(position);
        let loss = [Loss::Everything, Loss::Chance { kept_percent: 50 }, Loss::Nothing][number % 3];
        let images = playback.cut_images(loss, number as u64);
        let left = Arc::new(TapedMedia::after_cut(&media.names_at(position), &images, None));
        let again = Instance::open(InstanceConfig::over(left, 4 << 20)).unwrap();
        let copy = again.database_by_name("c").expect("it was made");
        let is_open = matches!(copy.state(), DatabaseState::Online | DatabaseState::Recovering);
        assert!(is_open, "{:?} at {position} with {loss:?}", copy.state());
        let found = world.rows_in(&again, &copy);
        let last = history.iter().rposition(|(at, _)| *at <= position).expect("the first is before all");
        let may_be = [last, (last + 1).min(history.len() - 1)].map(|place| &history[place].1);
        assert!(may_be.contains(&&found), "the copy has lost something at {position} with {loss:?}");
        seen += 1;
    }
    assert!(seen > 60, "{seen} states were looked at");
}

/// The disk of a snapshot is full: it is suspect from then on, after a kill too, and its source goes on.
#[test]
fn a_snapshot_without_room_is_suspect_and_its_source_goes_on() {
    for fault in [Fault::WriteNoSpace, Fault::SyncError] {
        let mut world = World::new();
        world.snapshot_as("s").unwrap();
        world.snapshot_as("t").unwrap();
        let rows = world.rows.clone();
        world.media.device(Path::new("/ram/s.ss")).unwrap().order(fault, 0);
        world.play(200);
        world.checkpoint();
        for _ in 0..2 {
            let state = world.database("s").state();
            assert!(matches!(state, DatabaseState::Suspect { .. }), "{state:?}");
            assert_eq!(world.rows_of(&world.instance, "t"), rows);
            assert_eq!(world.rows_of(&world.instance, "d"), world.rows);
            world.kill();
        }
        create::drop_database(world.instance.databases(), world.database("s").id()).unwrap();
        assert_eq!(world.rows_of(&world.instance, "t"), rows);
    }
}

/// The disk of a copy is full: what was committed in it stays, and its source is not written until there is room again.
#[test]
fn a_copy_without_room_keeps_what_was_committed() {
    for fault in [Fault::WriteNoSpace, Fault::SyncError] {
        let mut world = World::new();
        world.checkpoint();
        world.taken_as("c", true).unwrap();
        let mut rows = world.rows.clone();
        for row in (0..ROWS).step_by(3) {
            let page = world.pages[row];
            world.change(|mtr| {
                let index = mtr.latch(page).unwrap();
                mtr.apply(index, PageOp::Replace { slot: 0, record: &7_u64.to_le_bytes() }).unwrap();
            });
            world.rows[row] = 7;
        }
        let files = ["/ram/c.ss", "/ram/c.ss2"].map(|path| world.media.device(Path::new(path)).unwrap());
        files.iter().for_each(|file| (0..3).for_each(|_| file.order(fault, 0)));
        let id = world.database("d").id();
        let failed = (0..8).filter(|_| world.instance.checkpoint(&world.session.ask(), id).is_err()).count();
        assert!((1..8).contains(&failed), "{failed} checkpoints failed by {fault:?}");
        for _ in 0..2 {
            assert_eq!(world.rows_of(&world.instance, "d"), world.rows);
            assert_eq!(world.rows_of(&world.instance, "c"), rows);
            world.kill();
            (0..20).for_each(|_| world.play_copy("c", &mut rows));
        }
    }
}

/// The log of a copy is not there at a start: its source's pages are kept for it all the same.
#[test]
fn a_copy_whose_log_was_missed_at_a_start_is_whole_at_the_next() {
    let mut world = World::new();
    world.taken_as("c", true).unwrap();
    let mut rows = world.rows.clone();
    (0..40).for_each(|_| world.play_copy("c", &mut rows));
    let [log, away] = ["/ram/c.ss.log", "/ram/away.log"].map(Path::new);
    world.media.rename(log, away).unwrap();
    world.kill();
    assert!(matches!(world.database("c").state(), DatabaseState::RecoveryPending { .. }));
    world.play(120);
    world.checkpoint();
    world.media.rename(away, log).unwrap();
    world.kill();
    assert_eq!(world.rows_of(&world.instance, "c"), rows);
    assert_eq!(world.rows_of(&world.instance, "d"), world.rows);
}

/// The list of databases cannot be written at the start after a snapshot lost a page: the snapshot's file says so.
#[test]
fn a_start_without_room_finds_a_broken_snapshot_as_it_is() {
    let mut world = World::new();
    world.snapshot_as("s").unwrap();
    world.media.device(Path::new("/ram/s.ss")).unwrap().order(Fault::WriteNoSpace, 0);
    world.play(200);
    world.checkpoint();
    world.media = Arc::new(world.media.snapshot());
    let new = Path::new("/ram/instance.toml.new");
    world.media.open(new, OpenMode::CreateNew).unwrap();
    world.media.device(new).unwrap().order(Fault::WriteNoSpace, 0);
    world.instance = Instance::open(over(&world.media)).unwrap();
    assert!(matches!(world.database("s").state(), DatabaseState::Suspect { .. }));
    assert_eq!(world.rows_of(&world.instance, "d"), world.rows);
}

/// The process ends while a copy or a snapshot is made: either it is there, or none of its files.
#[test]
fn whenever_a_copy_is_interrupted_nothing_of_it_stays() {
    for is_copy in [true, false] {
        let tape = Tape::new();
        let media = Arc::new(Recorder::new(&tape));
        let instance = Instance::open(InstanceConfig::over(media.clone(), 4 << 20)).unwrap();
        let mut world = World::of(Arc::new(RamMedia::new()), instance);
        world.play(40);
        let begin = tape.position();
        world.taken_as("c", is_copy).unwrap();
        let end = tape.position();
        let mut playback = Playback::new(&tape);
        let mut unfinished = 0;
        for position in (begin..=end).step_by(((end - begin) / 100).max(1)) {
            playback.advance(position);
            let images = playback.cut_images(Loss::Nothing, position as u64);
            let left = Arc::new(TapedMedia::after_cut(&media.names_at(position), &images, None));
            let again = Instance::open(InstanceConfig::over(left.clone(), 4 << 20)).unwrap();
            if again.database_by_name("c").is_some() {
                assert_eq!(world.rows_of(&again, "c"), world.rows, "at {position} of {begin}..{end}");
                continue;
            }
            let names = media.names_at(position).into_keys();
            let remains: Vec<_> =
                names.filter(|path| path.to_string_lossy().contains("c.ss") && left.exists(path)).collect();
            assert!(remains.is_empty(), "{remains:?} stay at {position} of {begin}..{end}");
            unfinished += 1;
        }
        assert!(unfinished > 20, "{unfinished} of the states were before the end");
    }
}

/// A file of a snapshot is gone at a start: its source goes on, and the file does not come back into use.
#[test]
fn a_snapshot_that_was_missed_at_a_start_stays_suspect() {
    let mut world = World::new();
    world.snapshot_as("s").unwrap();
    let media = &world.media;
    millpond_device::Media::rename(&**media, Path::new("/ram/s.ss"), Path::new("/ram/away.ss")).unwrap();
    world.kill();
    assert!(matches!(world.database("s").state(), DatabaseState::Suspect { .. }));
    world.play(50);
    millpond_device::Media::rename(&*world.media, Path::new("/ram/away.ss"), Path::new("/ram/s.ss")).unwrap();
    world.kill();
    assert!(matches!(world.database("s").state(), DatabaseState::Suspect { .. }));
    assert_eq!(world.rows_of(&world.instance, "d"), world.rows);
}

#[test]
fn a_source_is_put_back_to_its_snapshot() {
    let mut world = World::new();
    world.play(40);
    world.snapshot_as("s").unwrap();
    let rows = world.rows.clone();
    world.play(100);
    let file = TempFileConfig { size_pages: MB, ..TempFileConfig::new("later", false) };
    let d = world.database("d").id();
    alter_file::add_file(world.instance.databases(), &world.session.ask(), d, &file).unwrap();
    world.snapshot_as2("t");
    let back =
        |world: &World, snapshot: &str| revert::revert(world.instance.databases(), &world.session.ask(), "d", snapshot);
    assert!(matches!(back(&world, "s"), Err(RestoreError::CannotRevert)), "there is another snapshot");
    create::drop_database(world.instance.databases(), world.database("t").id()).unwrap();
    assert!(matches!(back(&world, "master"), Err(RestoreError::CannotRevert)));
    back(&world, "s").unwrap();
    world.rows = rows.clone();
    for _ in 0..2 {
        assert_eq!(world.rows_of(&world.instance, "d"), world.rows);
        assert_eq!(world.rows_of(&world.instance, "s"), rows);
        assert!(world.instance.files(d).iter().all(|file| file.name != "later"));
        world.play(50);
        world.kill();
    }
    back(&world, "s").unwrap();
    assert_eq!(world.rows_of(&world.instance, "d"), rows);
}

/// Files in memory; something is done when the list of databases is stored.
struct AtList {
    media: Arc<RamMedia>,
    hook: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl std::fmt::Debug for AtList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.media.fmt(f)
    }
}

impl Media for AtList {
    fn open(&self, path: &Path, mode: OpenMode) -> Result<Arc<dyn BlockDevice>, DeviceError> {
        self.media.open(path, mode)
    }

    fn exists(&self, path: &Path) -> bool {
        self.media.exists(path)
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.media.is_dir(path)
    }

    fn remove(&self, path: &Path) -> Result<(), DeviceError> {
        self.media.remove(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), DeviceError> {
        let hook = self.hook.lock().take_if(|_| to.ends_with("instance.toml"));
        if let Some(hook) = hook {
            hook();
        }
        self.media.rename(from, to)
    }

    fn sync_dir(&self, dir: &Path) -> Result<(), DeviceError> {
        self.media.sync_dir(dir)
    }

    fn create_dir_all(&self, dir: &Path) -> Result<(), DeviceError> {
        self.media.create_dir_all(dir)
    }
}

/// Pages that are written in the background while the way back begins are kept as well.
#[test]
fn what_is_written_while_a_source_is_put_back_does_not_stay() {
    let media = Arc::new(RamMedia::new());
    let hooked = Arc::new(AtList { media: media.clone(), hook: Mutex::default() });
    let instance = Instance::open(InstanceConfig { media: hooked.clone(), ..over(&media) }).unwrap();
    let mut world = World::of(media, instance);
    world.snapshot_as("s").unwrap();
    let rows = world.rows.clone();
    for page in world.pages.clone() {
        world.change(|mtr| {
            let index = mtr.latch(page).unwrap();
            mtr.apply(index, PageOp::Replace { slot: 0, record: &u64::MAX.to_le_bytes() }).unwrap();
        });
    }
    let (instance, pages) = (world.instance.clone(), world.pages.clone());
    *hooked.hook.lock() = Some(Box::new(move || {
        let session = Session::new();
        pages.chunks(8).for_each(|pages| drop(instance.pool().eager_write(&session.ask(), pages)));
    }));
    revert::revert(world.instance.databases(), &world.session.ask(), "d", "s").unwrap();
    assert!(hooked.hook.lock().is_none(), "nothing was written");
    assert_eq!(world.rows_of(&world.instance, "d"), rows);
    assert_eq!(world.rows_of(&world.instance, "s"), rows);
    world.kill();
    assert_eq!(world.rows_of(&world.instance, "d"), rows);
    assert_eq!(world.rows_of(&world.instance, "s"), rows);
}

/// The server is killed while a source is put back, or a device fails: the list says so, and the same statement goes on.
#[test]
fn a_way_back_that_was_interrupted_goes_on() {
    for passing in [0, 3, 11] {
        let mut world = World::new();
        world.snapshot_as("s").unwrap();
        let rows = world.rows.clone();
        world.play(150);
        world.checkpoint();
        let device = world.media.device(Path::new("/ram/d.mdf")).unwrap();
        device.order(Fault::WriteError, passing);
        let back = |world: &World| revert::revert(world.instance.databases(), &world.session.ask(), "d", "s");
        assert!(back(&world).is_err(), "{passing} writes pass");
        assert_eq!(world.database("d").state(), DatabaseState::Restoring);
        if passing > 0 {
            world.kill();
        }
        assert_eq!(world.database("d").state(), DatabaseState::Restoring);
        assert!(matches!(world.database("s").state(), DatabaseState::RecoveryPending { .. }));
        let finish = millpond_storage::backup::restore::restore_finish;
        assert!(finish(world.instance.databases(), &world.session.ask(), "d").is_err(), "half of it is not the whole");
        back(&world).unwrap();
        assert_eq!(world.rows_of(&world.instance, "d"), rows);
        assert_eq!(world.rows_of(&world.instance, "s"), rows);
    }
}

impl World {
    /// Of a source with a third file.
    fn snapshot_as2(&self, name: &str) {
        let files = ["d", "d2", "later"].map(|file| (file.to_owned(), format!("{name}.{file}").into()));
        let new = NewSnapshot { name: name.into(), files: files.to_vec(), is_copy: false, is_transient: false };
        let source = self.database("d").id();
        create_snapshot(self.instance.databases(), &self.session.ask(), source, &new, &|work| work(), &mut |_| ())
            .unwrap();
    }
}
