//! Power cuts under a controller cache: what was promised is there afterwards, or the cache is known not to keep promises.

use std::path::Path;
use std::sync::Arc;

use millpond_device::profiled_media::{ProfiledMedia, Rule};
use millpond_device::{
    BlockDevice, CacheProfile, Clock, DeviceProfile, Loss, ManualClock, Media, ModelKind, OpenMode, Playback, Tape,
    TapedMedia, Volume,
};

struct World {
    tape: Arc<Tape>,
    taped: Arc<TapedMedia>,
    clock: Arc<ManualClock>,
    media: ProfiledMedia,
}

/// Files under `/d` are on a disk behind that cache, and all on one tape.
fn world(cache: Option<CacheProfile>) -> World {
    let tape = Tape::new();
    let taped = Arc::new(TapedMedia::new(tape.clone()));
    let clock = Arc::new(ManualClock::default());
    let profile = DeviceProfile { cache, ..DeviceProfile::of(ModelKind::Disk10kSas) };
    let volume = Arc::new(Volume::new("sas", &profile, Vec::new(), clock.clone()));
    let rules = vec![Rule { path: "/d".into(), volume: volume.clone() }];
    let media = ProfiledMedia::new(taped.clone(), vec![volume], rules);
    World { tape, taped, clock, media }
}

impl World {
    fn create(&self, path: &str) -> Arc<dyn BlockDevice> {
        let file = self.media.open(Path::new(path), OpenMode::CreateNew).unwrap();
        file.set_len(64 << 10).unwrap();
        file
    }

    /// The first byte at `offset_bytes` after everything was lost that could be lost now.
    fn after_cut(&self, path: &str, offset_bytes: u64) -> u8 {
        let mut playback = Playback::new(&self.tape);
        playback.advance(self.tape.position());
        let images = playback.cut_images(Loss::Everything, 0);
        let after = TapedMedia::after_cut(&self.taped.names(), &images, None);
        let file = after.open(Path::new(path), OpenMode::Existing).unwrap();
        let mut byte = [0];
        match file.len_bytes() {
            0 => 0,
            _ => file.read_at(offset_bytes, &mut byte).map(|()| byte[0]).unwrap(),
        }
    }
}

#[test]
fn a_battery_keeps_what_was_answered() {
    let world = world(Some(CacheProfile { battery: true, ..CacheProfile::of_mb(1) }));
    let file = world.create("/d/a");
    file.write_at(8192, &[7; 8192]).unwrap();
    assert_eq!((world.after_cut("/d/a", 8192), world.after_cut("/d/a", 0)), (7, 0));
    assert!(world.clock.now_us() < 1_000, "and the disk has seen nothing of it");
    file.write_at(8192, &[8; 512]).unwrap();
    assert_eq!((world.after_cut("/d/a", 8192), world.after_cut("/d/a", 8704)), (8, 7));
}

#[test]
fn without_a_battery_a_sync_is_what_counts() {
    for cache in [None, Some(CacheProfile::of_mb(1))] {
        let world = world(cache.clone());
        let file = world.create("/d/a");
        file.write_at(0, &[7; 8192]).unwrap();
        assert_eq!(world.after_cut("/d/a", 0), 0, "answered, not promised");
        file.sync().unwrap();
        assert_eq!(world.after_cut("/d/a", 0), 7);
        if cache.is_some() {
            assert!(world.clock.now_us() > 1_000, "the sync waited for the disk");
        }
    }
}

/// The cache that lies: a test of recovery must see it lose what was promised.
#[test]
fn a_cache_that_ignores_syncs_loses_what_it_still_holds() {
    let world = world(Some(CacheProfile { ignores_sync: true, ..CacheProfile::of_mb(1) }));
    let (a, b) = (world.create("/d/a"), world.create("/d/b"));
    a.write_at(0, &[7; 8192]).unwrap();
    a.sync().unwrap();
    assert_eq!(world.after_cut("/d/a", 0), 0, "promised, and lost");
    world.clock.advance_us(10_000_000);
    // Another request lets the time come to pass.
    b.write_at(0, &[9; 512]).unwrap();
    b.sync().unwrap();
    assert_eq!((world.after_cut("/d/a", 0), world.after_cut("/d/b", 0)), (7, 0), "what the disk has stays");
}

#[test]
fn files_beside_the_rules_take_no_time_and_renamed_ones_stay_where_they_are() {
    let world = world(None);
    let free = world.create("/e/a");
    free.write_at(0, &[1; 8192]).unwrap();
    assert_eq!((world.clock.now_us(), world.media.volume_of(Path::new("/e/a"))), (0, None));
    world.create("/d/a").write_at(0, &[1; 8192]).unwrap();
    let written_us = world.clock.now_us();
    assert!(written_us > 100);
    world.media.rename(Path::new("/d/a"), Path::new("/e/b")).unwrap();
    assert_eq!(world.media.volume_of(Path::new("/e/b")).as_deref(), Some("sas"));
    let moved = world.media.open(Path::new("/e/b"), OpenMode::Existing).unwrap();
    moved.read_at(32768, &mut [0; 8192]).unwrap();
    assert!(world.clock.now_us() > written_us);
    let reading = moved.meter().reading();
    assert_eq!((reading.reads, reading.read_stall_us), (1, world.clock.now_us() - written_us));
    let report = &world.media.volume_reports()[0];
    assert_eq!((report.reads, report.writes, report.used_bytes), (1, 1, 4 << 20));
    world.media.remove(Path::new("/e/b")).unwrap();
    assert_eq!(world.media.volume_reports()[0].used_bytes, 0);
}

#[test]
fn a_device_with_a_size_is_full_one_day() {
    let taped = Arc::new(TapedMedia::new(Tape::new()));
    let profile = DeviceProfile { capacity_mb: Some(8), ..DeviceProfile::of(ModelKind::Ram) };
    let clock = Arc::new(ManualClock::default());
    let volume = Arc::new(Volume::new("ram", &profile, Vec::new(), clock.clone()));
    let media = ProfiledMedia::new(taped, vec![volume.clone()], vec![Rule { path: "/d".into(), volume }]);
    let file = media.open(Path::new("/d/a"), OpenMode::CreateNew).unwrap();
    file.set_len(8 << 20).unwrap();
    assert!(file.set_len((8 << 20) + 1).unwrap_err().is_no_space());
    assert_eq!(file.len_bytes(), 8 << 20);
    file.read_at(0, &mut [0; 8192]).unwrap();
    assert_eq!(clock.now_us(), 0, "memory takes no time");
}

/// Bytes in memory: nothing of them is on the medium below.
#[test]
fn a_volume_in_memory_has_files_of_its_own() {
    let taped = Arc::new(TapedMedia::new(Tape::new()));
    let profile = DeviceProfile { backing: millpond_device::Backing::Ram, ..DeviceProfile::of(ModelKind::Ssd) };
    let volume = Arc::new(Volume::new("ssd", &profile, Vec::new(), Arc::new(ManualClock::default())));
    let media = ProfiledMedia::new(taped.clone(), vec![volume.clone()], vec![Rule { path: "/d".into(), volume }]);
    let (a, b) = (Path::new("/d/a"), Path::new("/d/b"));
    assert!(media.open(a, OpenMode::Existing).is_err() && !media.exists(a));
    let file = media.open(a, OpenMode::CreateNew).unwrap();
    file.set_len(8192).unwrap();
    file.write_at(0, &[3; 8192]).unwrap();
    assert!(media.exists(a) && !taped.exists(a));
    assert!(media.open(a, OpenMode::CreateNew).is_err());
    media.rename(a, b).unwrap();
    let mut byte = [0];
    media.open(b, OpenMode::ReadOnly).unwrap().read_at(5, &mut byte).unwrap();
    assert_eq!((byte, media.exists(a)), ([3], false));
    media.remove(b).unwrap();
    assert!(media.remove(b).is_err() && !media.exists(b));
}
