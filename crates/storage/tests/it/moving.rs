//! Files that move, come and go while they are used.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use millpond_device::fault::Fault;
use millpond_device::{
    BlockDevice, Hierarchy, Loss, Media, Placement, Playback, RamMedia, SystemClock, Tape, TapedMedia,
};
use millpond_storage::contract::{DbId, ExtentId, FileId, PageId, PageKind, PageNo};
use millpond_storage::database::file_change::{AlterFileError, FileChange, FileChanged};
use millpond_storage::database::plan::NewDatabase;
use millpond_storage::database::{alter, alter_file, alter_remove, create};
use millpond_storage::file::Medium;
use millpond_storage::file::tier::Tier;
use millpond_storage::instance::{Instance, InstanceConfig, volume_io};
use millpond_storage::settings::tempdb::{GrowthConfig, TempFileConfig, TempdbConfig};
use millpond_storage::space::TROUBLE_PAUSE_US;
use parking_lot::Mutex;

use crate::recorder::Recorder;
use crate::support::*;

/// Sessions that fill and check extents of tempdb, more of them than memory has room for, until they are stopped.
struct Load<'i> {
    instance: &'i Instance,
    stop: AtomicBool,
    rounds: AtomicU64,
    files: Mutex<std::collections::BTreeSet<FileId>>,
}

impl<'i> Load<'i> {
    fn new(instance: &'i Instance) -> Load<'i> {
        Load { instance, stop: AtomicBool::new(false), rounds: AtomicU64::new(0), files: Mutex::default() }
    }

    fn run(&self, seed: u8) {
        let session = Session::new();
        let mut kept: Vec<(Vec<ExtentId>, u8)> = Vec::new();
        let mut round = seed;
        while !self.stop.load(Relaxed) {
            round = round.wrapping_add(7);
            let extents = allocate(self.instance, &session, 24).unwrap();
            self.files.lock().extend(extents.iter().map(|extent| extent.file));
            fill(self.instance, &session, &extents, round);
            kept.push((extents, round));
            if kept.len() > 6 {
                let (extents, round) = kept.remove(0);
                check(self.instance, &session, &extents, round);
                free(self.instance, &session, &extents);
            }
            self.rounds.fetch_add(1, Relaxed);
        }
        for (extents, round) in kept {
            check(self.instance, &session, &extents, round);
            free(self.instance, &session, &extents);
        }
    }

    /// Returns after each session has done some more rounds.
    fn some_rounds(&self) {
        self.rounds(60);
    }

    fn rounds(&self, count: u64) {
        let wanted = self.rounds.load(Relaxed) + count;
        while self.rounds.load(Relaxed) < wanted {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

fn fill(instance: &Instance, session: &Session, extents: &[ExtentId], round: u8) {
    for id in extents.iter().flat_map(|extent| (0..8).map(|n| extent.page(n))) {
        let mut page = instance.pool().create(&session.ask(), id, PageKind::Data, 1).unwrap();
        page[200..8000].fill(round ^ id.page.0 as u8);
    }
}

fn check(instance: &Instance, session: &Session, extents: &[ExtentId], round: u8) {
    for id in extents.iter().flat_map(|extent| (0..8).map(|n| extent.page(n))) {
        let page = instance.pool().shared(&session.ask(), id).unwrap();
        assert!(page[200..8000].iter().all(|byte| *byte == round ^ id.page.0 as u8), "page {id}");
    }
}

/// Only the maps' own extents: two, and one for each further PFS page.
fn assert_nothing_in_use(instance: &Instance) {
    for file in instance.tempdb_space().report() {
        assert_eq!((file.reserved, file.allocated), ([0; 3], 16 + file.total / 8088 * 8), "{file:?}");
    }
}

/// Runs `change` under three sessions' load; ends the load also when it panics.
fn under_load(instance: &Instance, change: impl FnOnce(&Load<'_>)) {
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Relaxed);
        }
    }
    let load = Load::new(instance);
    std::thread::scope(|scope| {
        let _stop = Stop(&load.stop);
        (0..3).for_each(|seed| {
            let load = &load;
            scope.spawn(move || load.run(seed));
        });
        load.some_rounds();
        change(&load);
        load.some_rounds();
    });
}

/// 4 MB of memory: what the sessions hold is three times that, so pages go to the files and come back.
fn busy(dir: &Path) -> Arc<Instance> {
    let temp2 = TempFileConfig { size_pages: 8 * MB, growth: GrowthConfig::Pages(MB), ..small("temp2") };
    busy_with(dir, tempdb(vec![temp2]))
}

/// As [`busy`], with files that do not grow: what comes has to go to the last tier.
fn busy_with_overflow(dir: &Path) -> Arc<Instance> {
    let files = ["tempdev", "temp2"].map(|name| TempFileConfig { size_pages: 8 * MB, ..small(name) });
    let [first, second] = files;
    busy_with(dir, TempdbConfig { files: vec![first, TempFileConfig::new("templog", true), second] })
}

fn busy_with(dir: &Path, tempdb: TempdbConfig) -> Arc<Instance> {
    let config = InstanceConfig {
        max_memory_bytes: Some(4 << 20),
        tempdb: Some(tempdb),
        ..InstanceConfig::new(Some(dir.to_owned()), Arc::new(SystemClock::new()))
    };
    Instance::open(config).unwrap()
}

#[test]
fn a_file_of_tempdb_moves_under_load_and_keeps_its_pages_and_counters() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let instance = busy(dir.path());
    let session = Session::new();
    let to = |medium| {
        let moved =
            alter_file::modify_file(instance.databases(), &session.ask(), TEMPDB, "temp2", FileChange::Medium(medium))
                .unwrap();
        assert_eq!(moved, FileChanged::Moved);
    };
    let place = other.path().join("temp2.ndf");
    under_load(&instance, |load| {
        let before = file(&instance, "temp2").io;
        assert!(before.write_bytes > 0 && before.reads > 0, "{before:?}");
        to(Medium::File(place.clone()));
        let after = file(&instance, "temp2");
        assert_eq!(after.physical_name, place.display().to_string());
        assert!(after.io.write_bytes > before.write_bytes && after.io.reads >= before.reads);
        assert!(place.exists() && !dir.path().join("tempdb_mssql_2.ndf").exists());
        load.some_rounds();
        to(Medium::Ram);
        assert!(file(&instance, "temp2").is_ram && !place.exists());
        load.some_rounds();
        to(Medium::File("back.ndf".into()));
    });
    assert!(dir.path().join("back.ndf").exists());
    assert!(instance.tempdb_space().report().iter().all(|file| file.reserved == [0; 3]));
}

#[test]
fn a_file_that_is_added_under_load_is_used_at_once_and_goes_with_its_pages() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let instance = busy(dir.path());
    let session = Session::new();
    let place = other.path().join("temp3.ndf");
    under_load(&instance, |load| {
        let new = TempFileConfig { size_pages: 16 * MB, ..at(&place, small("temp3")) };
        let id = alter_file::add_file(instance.databases(), &session.ask(), TEMPDB, &new).unwrap();
        load.files.lock().clear();
        load.some_rounds();
        assert!(load.files.lock().contains(&id), "it has the most room");
        let mut held = allocate(&instance, &session, 24).unwrap();
        while !held.iter().any(|extent| extent.file == id) {
            held.extend(allocate(&instance, &session, 24).unwrap());
        }
        fill(&instance, &session, &held, 99);
        alter_remove::remove_file(instance.databases(), &session.ask(), TEMPDB, "temp3", 0).unwrap();
        assert!(!place.exists() && instance.files(TEMPDB).iter().all(|file| file.file != id));
        load.files.lock().clear();
        load.some_rounds();
        assert!(!load.files.lock().contains(&id));
        check(&instance, &session, &held, 99);
        free(&instance, &session, &held);
    });
    assert_nothing_in_use(&instance);
}

/// Each file that pages came to leaves in turn, is moved while it has them, or is emptied first; sessions go on, with the
/// old search for space too.
#[test]
fn pages_stay_whole_however_many_files_go_from_under_them() {
    for (is_forward_only, tier) in [(false, Tier::FIRST), (true, Tier::FIRST), (false, Tier::LAST)] {
        let dir = tempfile::tempdir().unwrap();
        let instance = if tier.is_last() { busy_with_overflow(dir.path()) } else { busy(dir.path()) };
        instance.tempdb_space().set_forward_only_search(is_forward_only);
        let session = Session::new();
        let add = |number: u32| {
            let new = TempFileConfig { size_pages: 64 * MB, tier, ..small(&format!("new{number}")) };
            alter_file::add_file(instance.databases(), &session.ask(), TEMPDB, &new).unwrap();
        };
        add(0);
        under_load(&instance, |load| {
            let held = allocate(&instance, &session, 100).unwrap();
            fill(&instance, &session, &held, 77);
            for number in 0..3 {
                if number > 0 {
                    add(number);
                }
                load.rounds(12);
                let old = if number == 0 { "temp2".to_owned() } else { format!("new{}", number - 1) };
                if number == 1 {
                    let to = FileChange::Medium(Medium::Ram);
                    alter_file::modify_file(instance.databases(), &session.ask(), TEMPDB, &old, to).unwrap();
                }
                if number == 2 {
                    assert!(alter_remove::empty_file(instance.databases(), &session.ask(), TEMPDB, &old, 0).unwrap());
                    load.rounds(12);
                }
                alter_remove::remove_file(instance.databases(), &session.ask(), TEMPDB, &old, 0).unwrap();
                check(&instance, &session, &held, 77);
                fill(&instance, &session, &held, 77);
                load.rounds(12);
            }
            check(&instance, &session, &held, 77);
            free(&instance, &session, &held);
        });
        assert_nothing_in_use(&instance);
        let numbers: Vec<u16> = instance.files(TEMPDB).iter().map(|file| file.file.0).collect();
        assert_eq!(numbers.len(), 3);
        alter_file::add_file(instance.databases(), &session.ask(), TEMPDB, &small("last")).unwrap();
        assert!(
            instance.files(TEMPDB).iter().any(|file| file.file == FileId(3)),
            "numbers of files that are gone are free"
        );
    }
}

/// Where there is no room, the file has time to become empty; it stays when it does not, and when its bytes cannot be had.
#[test]
fn a_file_that_cannot_go_stays_and_gives_space_again() {
    let media = Arc::new(RamMedia::new());
    let first = TempFileConfig { size_pages: 3 * MB, ..small("tempdev") };
    let files = vec![first, TempFileConfig::new("templog", true), at("/fast/temp2.ndf", small("temp2"))];
    let config =
        InstanceConfig { tempdb: Some(TempdbConfig { files }), ..InstanceConfig::over(media.clone(), 16 << 20) };
    let instance = Instance::open(config).unwrap();
    let session = Session::new();
    let held = allocate(&instance, &session, 20).unwrap();
    fill(&instance, &session, &held, 5);
    let before = instance.tempdb_space().report();
    let remove =
        |patience_us| alter_remove::remove_file(instance.databases(), &session.ask(), TEMPDB, "temp2", patience_us);
    instance.pool().eager_write(&session.ask(), &held.iter().map(|extent| extent.page(0)).collect::<Vec<_>>()).unwrap();
    let device = media.device(Path::new("/fast/temp2.ndf")).unwrap();
    (0..5).for_each(|_| device.order(Fault::ReadError, 0));
    let error = remove(0).unwrap_err();
    assert!(matches!(error, AlterFileError::Move { .. }), "{error}");
    assert_eq!(instance.tempdb_space().report().len(), before.len());
    check(&instance, &session, &held, 5);
    let cancelled = Session::new();
    cancelled.task.cancel();
    let error =
        alter_remove::remove_file(instance.databases(), &cancelled.ask(), TEMPDB, "temp2", 1_000_000).unwrap_err();
    assert!(matches!(error, AlterFileError::Cancelled { .. }), "{error}");
    assert!(media.exists(Path::new("/fast/temp2.ndf")));
    std::thread::scope(|scope| {
        let mut rest = Vec::new();
        while let Ok(extents) = allocate(&instance, &session, 1) {
            rest.extend(extents);
        }
        let waiting = scope.spawn(|| {
            let own = Session::new();
            alter_remove::remove_file(instance.databases(), &own.ask(), TEMPDB, "temp2", 60_000_000)
        });
        std::thread::sleep(std::time::Duration::from_millis(30));
        free(&instance, &session, &rest);
        waiting.join().unwrap().unwrap();
    });
    check(&instance, &session, &held, 5);
    instance.pool().drop_clean();
    check(&instance, &session, &held, 5);
    free(&instance, &session, &held);
    assert!(!media.exists(Path::new("/fast/temp2.ndf")));
    assert_nothing_in_use(&instance);
}

/// Memory, then a fast place that fills and fails, then a slow one: no allocation is refused, and what is in memory when
/// its file fails is right.
#[test]
fn tiers_take_over_from_each_other_under_load() {
    let media = Arc::new(RamMedia::new());
    let tier = |tier, file| TempFileConfig { tier, ..file };
    let grows = |name: &str| TempFileConfig { growth: GrowthConfig::Pages(MB), ..small(name) };
    let files = vec![
        ram(small("tempdev")),
        TempFileConfig::new("templog", true),
        tier(Tier::SECOND, at("/fast/temp2.ndf", grows("temp2"))),
        tier(Tier::LAST, at("/slow/temp3.ndf", grows("temp3"))),
    ];
    let tempdb = Some(TempdbConfig { files });
    // All that the sessions hold fits into memory: a page of a failing file need not come back from it.
    let config = InstanceConfig { tempdb, ..InstanceConfig::over(media.clone(), 64 << 20) };
    let instance = Instance::open(config).unwrap();
    let fast = media.device(Path::new("/fast/temp2.ndf")).unwrap();
    let used = |load: &Load<'_>| {
        load.files.lock().clear();
        load.some_rounds();
        load.files.lock().iter().map(|file| file.0).collect::<Vec<_>>()
    };
    under_load(&instance, |load| {
        assert!(!used(load).contains(&4), "the second tier grows before the last is asked");
        fast.fill_beyond(fast.len_bytes());
        // More than what the first two have now.
        let (session, mut held) = (Session::new(), Vec::new());
        while !held.iter().any(|extent: &ExtentId| extent.file == FileId(4)) {
            held.extend(allocate(&instance, &session, 24).unwrap());
        }
        fast.lift();
        fast.order(Fault::WriteError, 0);
        let page = held.iter().find(|extent| extent.file == FileId(3)).unwrap().page(0);
        instance.pool().create(&session.ask(), page, PageKind::Data, 1).unwrap();
        let clock = instance.clock();
        let failed_at_us = clock.now_us();
        instance.pool().eager_write(&session.ask(), &[page]).unwrap_err();
        load.some_rounds();
        let is_used = used(load).contains(&3);
        // On a machine that is slow enough the pause is over by now.
        let is_over = clock.now_us() > failed_at_us + TROUBLE_PAUSE_US;
        assert!(!is_used || is_over, "its device failed");
        free(&instance, &session, &held);
        while clock.now_us() < failed_at_us + 2 * TROUBLE_PAUSE_US && !used(load).contains(&3) {}
        assert!(used(load).contains(&3), "after a pause it is used again");
        let space = instance.tempdb_space().report();
        assert!(space.iter().all(|file| !file.is_left));
    });
    assert!(instance.tempdb_space().report().iter().all(|file| file.reserved == [0; 3]));
}

/// Values that a database promised to keep, with the place of the tape where it did.
fn commit(instance: &Instance, db: DbId, value: u64) {
    let (database, session) = (instance.database(db).unwrap(), Session::new());
    database.set_boot_value(&session.ask(), 2, value).unwrap();
    let log = database.log().unwrap().unwrap();
    log.make_durable(&session.ask(), log.end_lsn()).unwrap();
}

/// The data file and the log move while a session commits; then the power is cut at every sync and between them.
#[test]
fn whenever_the_power_goes_a_file_that_moves_is_whole_at_one_place() {
    let tape = Tape::new();
    let media = Arc::new(Recorder::new(&tape));
    let instance = Instance::open(InstanceConfig::over(media.clone(), 16 << 20)).unwrap();
    let session = Session::new();
    let db = create::create_database(instance.databases(), &session.ask(), &NewDatabase::named("d")).unwrap().id();
    commit(&instance, db, 1);
    let begin = tape.position();
    let (promises, stop) = (Mutex::new(vec![(begin, 1)]), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for value in 2.. {
                commit(&instance, db, value);
                promises.lock().push((tape.position(), value));
                if stop.load(Relaxed) {
                    return;
                }
            }
        });
        let to = |name: &str, path: &str| {
            let change = FileChange::Medium(Medium::File(path.into()));
            alter_file::modify_file(instance.databases(), &session.ask(), db, name, change).unwrap();
        };
        to("d", "/fast/d.mdf");
        to("d_log", "/fast/d.ldf");
        instance.checkpoint(&session.ask(), db).unwrap();
        to("d", "d.mdf");
        stop.store(true, Relaxed);
    });
    let end = tape.position();
    let names = instance.files(db).into_iter().map(|file| file.physical_name).collect::<Vec<_>>();
    assert_eq!(names, ["/ram/d.mdf", "/fast/d.ldf"]);
    drop(instance);
    let promised = |position: usize| promises.lock().iter().rev().find(|(at, _)| *at <= position).unwrap().1;
    let mut cuts: Vec<usize> = tape.sync_positions().into_iter().filter(|at| (begin..=end).contains(at)).collect();
    cuts.extend(media.changes().into_iter().filter(|at| (begin..=end).contains(at)));
    cuts.sort_unstable();
    cuts.dedup();
    // All places around the moves are too many for each check; these are spread over them.
    let step = (cuts.len() / 150).max(1);
    let mut playback = Playback::new(&tape);
    for (number, position) in cuts.into_iter().step_by(step).enumerate() {
        playback.advance(position);
        let loss = [Loss::Nothing, Loss::Everything, Loss::Chance { kept_percent: 50 }][number % 3];
        let images = playback.cut_images(loss, number as u64);
        let left = Arc::new(TapedMedia::after_cut(&media.names_at(position), &images, None));
        let again = Instance::open(InstanceConfig::over(left.clone(), 16 << 20)).unwrap();
        let database = again.database(db).unwrap();
        let found = database.handle().map(|_| database.boot_value(2)).unwrap_or_else(|e| panic!("at {position}: {e}"));
        assert!(found >= promised(position), "at {position}: {found} after {}", promised(position));
        let used: Vec<PathBuf> = again.files(db).iter().map(|file| PathBuf::from(&file.physical_name)).collect();
        let is_of_db =
            |path: &&PathBuf| path.ends_with("d.mdf") || path.ends_with("d.ldf") || path.ends_with("d_log.ldf");
        let names = left.names();
        let there: Vec<&PathBuf> = names.keys().filter(is_of_db).collect();
        assert_eq!(there.len(), 2, "at {position}: {there:?}");
        assert!(there.iter().all(|path| used.contains(path)), "at {position}: {there:?} and {used:?}");
    }
}

/// Whatever call of the new place fails, the file stays where it was and works; nothing is left at the new place.
#[test]
fn a_move_that_fails_changes_nothing() {
    let media = Arc::new(RamMedia::new());
    let instance = Instance::open(InstanceConfig::over(media.clone(), 16 << 20)).unwrap();
    let session = Session::new();
    let db = create::create_database(instance.databases(), &session.ask(), &NewDatabase::named("d")).unwrap().id();
    let place = Path::new("/fast/d.mdf");
    let mut refused = 0;
    for (fault, passing) in [(Fault::ReadError, 0), (Fault::ReadError, 5), (Fault::ReadError, 20)] {
        let old = media.device(Path::new("/ram/d.mdf")).unwrap();
        // A read is tried five times.
        (0..5).for_each(|_| old.order(fault, passing));
        let change = FileChange::Medium(Medium::File(place.to_owned()));
        match alter_file::modify_file(instance.databases(), &session.ask(), db, "d", change) {
            Err(AlterFileError::Move { .. }) => {
                refused += 1;
                assert!(!media.exists(place));
                assert_eq!(instance.files(db)[0].physical_name, "/ram/d.mdf");
            }
            other => panic!("{other:?}"),
        }
        commit(&instance, db, passing);
    }
    assert_eq!(refused, 3);
    let session_of = Session::new();
    session_of.task.cancel();
    let change = FileChange::Medium(Medium::File(place.to_owned()));
    let cancelled =
        alter_file::modify_file(instance.databases(), &session_of.ask(), db, "d", change.clone()).unwrap_err();
    assert!(matches!(cancelled, AlterFileError::Cancelled { .. }) && !media.exists(place));
    let taken = FileChange::Medium(Medium::File("d_log.ldf".into()));
    let error = alter_file::modify_file(instance.databases(), &session.ask(), db, "d", taken).unwrap_err();
    assert!(matches!(error, AlterFileError::FileExists { .. }), "{error}");
    alter_file::modify_file(instance.databases(), &session.ask(), db, "d", change).unwrap();
    commit(&instance, db, 99);
    drop(instance);
    let again = Instance::open(InstanceConfig::over(media.clone(), 16 << 20)).unwrap();
    assert_eq!(again.database(db).unwrap().boot_value(2), 99);
    assert_eq!(again.files(db)[0].physical_name, "/fast/d.mdf");
    assert!(!media.exists(Path::new("/ram/d.mdf")));
}

/// As in the original: the list gets new places of a closed database's files, and the user moves them.
#[test]
fn files_of_a_closed_database_are_looked_for_at_their_new_place() {
    let media = Arc::new(RamMedia::new());
    let instance = Instance::open(InstanceConfig::over(media.clone(), 16 << 20)).unwrap();
    let session = Session::new();
    let db = create::create_database(instance.databases(), &session.ask(), &NewDatabase::named("d")).unwrap().id();
    commit(&instance, db, 5);
    alter::set_offline(instance.databases(), &session.ask(), db).unwrap();
    let change = FileChange::Medium(Medium::File("/fast/d.mdf".into()));
    assert_eq!(
        alter_file::modify_file(instance.databases(), &session.ask(), db, "D", change).unwrap(),
        FileChanged::AtNextStart
    );
    assert!(alter::set_online(instance.databases(), &session.ask(), db).is_err(), "it was not moved yet");
    media.rename(Path::new("/ram/d.mdf"), Path::new("/fast/d.mdf")).unwrap();
    assert_eq!(alter::set_online(instance.databases(), &session.ask(), db).unwrap().boot_value(2), 5);
}

/// From an emulated disk to an emulated flash card, in the time of both: what is read afterwards costs what flash costs, and
/// each volume keeps what it counted.
#[test]
fn a_file_moves_from_one_device_to_another() {
    let profile = |model: &str| toml::from_str(&format!("model = \"{model}\"\nclock = \"virtual\"")).unwrap();
    let devices = [("disk", "disk-10k-sas"), ("flash", "pcie-flash")];
    let place = |path: &str, device: &str| Placement { path: path.into(), device: device.into() };
    let hierarchy = Hierarchy {
        devices: devices.into_iter().map(|(name, model)| (name.to_owned(), profile(model))).collect(),
        placements: vec![place("d.mdf", "disk"), place("/fast", "flash")],
    };
    hierarchy.check().unwrap();
    let clock = hierarchy.clock();
    let media = hierarchy.media(Arc::new(RamMedia::new()), Some(Path::new("/ram")), &clock);
    let over = InstanceConfig::over(Arc::new(media), 16 << 20);
    let instance = Instance::open(InstanceConfig { clock: clock.clone(), ..over }).unwrap();
    let session = Session::new();
    let db = create::create_database(instance.databases(), &session.ask(), &NewDatabase::named("d")).unwrap().id();
    instance.checkpoint(&session.ask(), db).unwrap();
    let read_cold = |pages: std::ops::Range<u32>| {
        instance.pool().drop_clean();
        for page in pages {
            let id = PageId { db, file: FileId(1), page: PageNo(page) };
            // What is on the page does not matter, only that it had to come from the device.
            let _ = instance.pool().shared(&session.ask(), id);
        }
    };
    let volume = |name: &str| volume_io::volume_io(&instance).into_iter().find(|volume| &*volume.name == name).unwrap();
    read_cold(0..10);
    let before = (volume("disk"), volume("flash"));
    assert!(before.0.reads >= 10 && before.1.reads == 0, "{before:?}");
    let change = FileChange::Medium(Medium::File("/fast/d.mdf".into()));
    assert_eq!(
        alter_file::modify_file(instance.databases(), &session.ask(), db, "d", change).unwrap(),
        FileChanged::Moved
    );
    let moved = (volume("disk"), volume("flash"));
    assert!(moved.0.reads > before.0.reads && moved.1.writes > 0, "{moved:?}");
    read_cold(0..10);
    let after = (volume("disk"), volume("flash"));
    assert_eq!(after.0.reads, moved.0.reads);
    assert!(after.1.reads > moved.1.reads, "{after:?}");
}

/// The list has the file still, and the next start makes it: another one of its name or number would be one too many.
#[test]
fn a_file_whose_removal_was_not_stored_keeps_its_name_number_and_place() {
    let media = Arc::new(RamMedia::new());
    let files = vec![small("tempdev"), TempFileConfig::new("templog", true), at("/fast/temp2.ndf", small("temp2"))];
    let config = |media| InstanceConfig {
        tempdb: Some(TempdbConfig { files: files.clone() }),
        ..InstanceConfig::over(media, 16 << 20)
    };
    let instance = Instance::open(config(media.clone())).unwrap();
    let session = Session::new();
    let list = Path::new("/ram/instance.toml.new");
    drop(millpond_device::Media::open(&*media, list, millpond_device::OpenMode::CreateOrTruncate));
    media.device(list).unwrap().order(Fault::WriteError, 0);
    let error = alter_remove::remove_file(instance.databases(), &session.ask(), TEMPDB, "temp2", 0).unwrap_err();
    assert!(matches!(error, AlterFileError::Settings(_)), "{error}");
    let error = alter_file::add_file(instance.databases(), &session.ask(), TEMPDB, &small("temp2")).unwrap_err();
    assert!(matches!(error, AlterFileError::NameInUse { .. }), "{error}");
    // The bug: two files of the list had one place, and the next start refused it.
    let error =
        alter_file::add_file(instance.databases(), &session.ask(), TEMPDB, &at("/fast/temp2.ndf", small("other")))
            .unwrap_err();
    assert!(matches!(error, AlterFileError::FileExists { .. }), "{error}");
    assert_eq!(alter_file::add_file(instance.databases(), &session.ask(), TEMPDB, &small("temp3")).unwrap(), FileId(4));
    drop(instance);
    let again = Instance::open(config(Arc::new(media.snapshot()))).unwrap();
    let names: Vec<_> = again.files(TEMPDB).into_iter().map(|file| file.name).collect();
    assert_eq!(names, ["tempdev", "templog", "temp2", "temp3"]);
}
