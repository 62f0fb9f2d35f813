//! The controller cache in front of a disk: what it answers by itself, what it writes when, what a sync waits for.

use millpond_device::emulator::cache::{Cache, LINE_BYTES};
use millpond_device::emulator::disk::{Disk, DiskParameters};
use millpond_device::emulator::flash::{Flash, FlashParameters};
use millpond_device::emulator::station::{Direction, Progress, Request, Station, Ticket};
use millpond_device::profile::{CacheProfile, DeviceProfile, ModelKind};
use proptest::prelude::*;

const SPAN: u64 = 10 << 30;
const MS: u64 = 1_000_000;

/// A cache, its device, and a caller that has one request at a time.
struct World {
    cache: Cache,
    device: Box<dyn Station>,
    now_ns: u64,
}

impl World {
    fn new(profile: &CacheProfile, device: Box<dyn Station>) -> World {
        World { cache: Cache::new(profile), device, now_ns: 0 }
    }

    fn over_disk(profile: &CacheProfile) -> World {
        let disk = Disk::new(DiskParameters::of(&DeviceProfile::of(ModelKind::Disk10kSata)));
        World::new(profile, Box::new(disk))
    }

    fn finish(&mut self, ticket: Ticket) -> u64 {
        let begun_ns = self.now_ns;
        loop {
            match self.cache.poll(ticket, self.now_ns, &mut *self.device, SPAN) {
                Progress::Done { at_ns } => {
                    self.now_ns = self.now_ns.max(at_ns);
                    return at_ns - begun_ns;
                }
                Progress::NotBefore { at_ns } => self.now_ns = at_ns,
            }
        }
    }

    /// Time of a request, ns.
    fn run(&mut self, direction: Direction, offset_bytes: u64, bytes: u64) -> u64 {
        let request = Request { direction, offset_bytes, bytes };
        let ticket = self.cache.submit(self.now_ns, request, &mut *self.device, SPAN);
        self.finish(ticket)
    }

    fn write(&mut self, line: u64) -> u64 {
        self.run(Direction::Write, line * LINE_BYTES, LINE_BYTES)
    }

    fn read(&mut self, line: u64) -> u64 {
        self.run(Direction::Read, line * LINE_BYTES, LINE_BYTES)
    }

    fn sync(&mut self) -> u64 {
        let ticket = self.cache.submit_sync(self.now_ns, &mut *self.device, SPAN);
        self.finish(ticket)
    }

    fn idle(&mut self, ns: u64) {
        self.now_ns += ns;
        self.cache.advance(self.now_ns, &mut *self.device, SPAN);
    }
}

fn writes_only(size_mb: u64) -> CacheProfile {
    CacheProfile { read_percent: 0, ..CacheProfile::of_mb(size_mb) }
}

/// Lines far apart, in no order.
fn scattered(number: u64) -> u64 {
    number * 7_919 % 100_003 * 10
}

/// 0.1 ms of its own and 8 KB at 400 MB/s.
const ANSWER_NS: u64 = 100_000 + 20_480;

#[test]
fn writes_are_answered_before_the_disk_has_them() {
    let mut world = World::over_disk(&writes_only(16));
    for number in 0..500 {
        assert_eq!(world.write(scattered(number)), ANSWER_NS);
    }
    assert_eq!(world.cache.report().writes_held, 500);
    assert_eq!(world.cache.report().held_bytes, 500 * LINE_BYTES, "below half, with requests all the time");
    assert_eq!(world.read(scattered(7)), ANSWER_NS, "what is held is read from memory");
}

#[test]
fn a_sync_waits_for_the_disk_and_the_order_of_place_pays() {
    let mut world = World::over_disk(&writes_only(16));
    (0..500).for_each(|number| assert_eq!(world.write(scattered(number)), ANSWER_NS));
    let sync_ms = world.sync() / MS;
    assert_eq!(world.cache.report().held_bytes, 0);
    assert_eq!(world.cache.report().destaged_bytes, 500 * LINE_BYTES);
    // In the order of arrival they would take 7.6 ms each.
    assert!((500..500 * 5).contains(&sync_ms), "{sync_ms} ms");
    assert_eq!(world.sync(), 0, "nothing is held");
}

#[test]
fn with_a_battery_or_without_conscience_a_sync_is_answered_at_once() {
    for (battery, ignores_sync) in [(true, false), (false, true)] {
        let mut world = World::over_disk(&CacheProfile { battery, ignores_sync, ..writes_only(16) });
        (0..500).for_each(|number| assert_eq!(world.write(scattered(number)), ANSWER_NS));
        assert!(world.sync() < MS);
        assert_eq!(world.cache.report().held_bytes, 500 * LINE_BYTES);
    }
}

#[test]
fn an_idle_device_takes_what_is_held() {
    let mut world = World::over_disk(&CacheProfile { ignores_sync: true, ..writes_only(16) });
    (0..100).for_each(|number| assert_eq!(world.write(scattered(number)), ANSWER_NS));
    world.idle(50 * MS);
    assert_eq!(world.cache.report().held_bytes, 100 * LINE_BYTES, "not idle for long enough");
    world.idle(2_000 * MS);
    assert_eq!(world.cache.report().held_bytes, 0);
    let arrived: u64 = world.cache.take_arrived().iter().map(|range| range.end - range.start).sum();
    assert_eq!(arrived, 100 * LINE_BYTES);
}

#[test]
fn what_is_written_again_and_again_is_written_to_the_disk_once() {
    let mut world = World::over_disk(&writes_only(1));
    (0..10_000).for_each(|number| assert_eq!(world.write(number % 50), ANSWER_NS));
    assert_eq!(world.cache.report().destaged_bytes, 0);
    world.sync();
    assert_eq!(world.cache.report().destaged_bytes, 50 * LINE_BYTES);
}

#[test]
fn a_write_to_a_full_cache_waits_for_the_disk() {
    let mut world = World::over_disk(&writes_only(1));
    (0..60).for_each(|number| assert_eq!(world.write(scattered(number)), ANSWER_NS));
    let begun_ns = world.now_ns;
    (60..2_060).for_each(|number| assert!(world.write(scattered(number)) >= ANSWER_NS));
    let report = world.cache.report();
    assert!(report.writes_waited > 1_000 && report.writes_through == 0, "{report:?}");
    let mean_us = (world.now_ns - begun_ns) / 2_000 / 1_000;
    assert!((500..7_000).contains(&mean_us), "the disk sets the pace, in its order: {mean_us} µs");
    // 4 MB at 85 MB/s.
    assert!(world.run(Direction::Write, 0, 4 << 20) / MS >= 49, "larger than the cache");
    assert_eq!(world.cache.report().writes_through, 1);
}

#[test]
fn streams_are_read_ahead() {
    let array = || Box::new(Flash::new(FlashParameters::of(&DeviceProfile::of(ModelKind::Array))));
    let mut world = World::new(&CacheProfile { read_percent: 100, ..CacheProfile::of_mb(16) }, array());
    let total_ns: u64 = (0..1_000).map(|line| world.read(line)).sum();
    let report = world.cache.report();
    assert!(report.read_hits > 950, "{report:?}");
    // Alone, each would take 250 µs and its transfer.
    assert!(total_ns / 1_000 < 200_000, "{} ns", total_ns / 1_000);
    let before = world.cache.report().read_ahead_bytes;
    (0..1_000).for_each(|number| assert!(world.read(scattered(number) + 1_000_000) > 250_000));
    assert_eq!(world.cache.report().read_ahead_bytes, before, "no stream, nothing ahead");
    assert_eq!(world.read(scattered(999) + 1_000_000), ANSWER_NS, "kept");
}

#[test]
fn what_was_used_longest_ago_goes_first() {
    let mut world = World::over_disk(&CacheProfile { read_percent: 100, ..CacheProfile::of_mb(1) });
    (0..128).for_each(|number| assert!(world.read(scattered(number)) > MS));
    assert_eq!(world.read(scattered(0)), ANSWER_NS);
    assert!(world.read(scattered(500)) > MS, "takes the place of the second");
    assert!(world.read(scattered(1)) > MS);
    assert_eq!(world.read(scattered(0)), ANSWER_NS);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is asked: nothing ends before it began, the write part is never exceeded, a sync leaves nothing older.
    #[test]
    fn bounds_hold(
        steps in prop::collection::vec((0_u8..10, 0_u64..300, 1_u64..40_000, 0_u64..400_000_000), 1..150),
        read_percent in 0_u32..=100,
    ) {
        let profile = CacheProfile { read_percent, ..CacheProfile::of_mb(1) };
        let write_bytes = (128 - 128 * u64::from(read_percent) / 100) * LINE_BYTES;
        let mut world = World::over_disk(&profile);
        for (what, line, bytes, pause_ns) in steps {
            match what {
                0 => {
                    world.sync();
                    prop_assert_eq!(world.cache.report().held_bytes, 0);
                }
                1 => world.idle(pause_ns),
                2..6 => { world.run(Direction::Read, line * 5_000, bytes); }
                _ => { world.run(Direction::Write, line * 5_000, bytes); }
            }
            prop_assert!(world.cache.report().held_bytes <= write_bytes);
        }
    }
}
