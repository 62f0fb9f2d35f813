//! How far emulated devices on the real clock are from their models.
//!
//! `cargo run --release -p millpond-device --example emulator_error -- [seconds of each line]`
//!
//! One request after another against the time of the model, then requests that arrive by chance at 10 to 95 % load against
//! the queue that they make at a device with one time for all. What is left is this machine: threads that wake late or do
//! not run. On a clock that skips waits the same figures are tests (`tests/it/queueing.rs`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use millpond_device::chance::Dice;
use millpond_device::hierarchy::clock_of;
use millpond_device::{BlockDevice, Clock, ClockKind, DeviceProfile, ModelKind, ProfiledDevice, VoidDevice, Volume};

const RANGE: u64 = 1 << 30;
/// Threads that take the arrivals in turn: more than ever wait at once.
const THREADS: usize = 48;

fn device(profile: &DeviceProfile, clock: &Arc<dyn Clock>) -> ProfiledDevice {
    let volume = Arc::new(Volume::new("emulated", profile, Vec::new(), clock.clone()));
    ProfiledDevice::alone(Arc::new(VoidDevice::new("void", RANGE)), volume).expect("no limit")
}

fn line(what: &str, found_us: f64, expected_us: f64) {
    let error = (found_us / expected_us - 1.0) * 100.0;
    println!("{what:<44} {found_us:>10.1} {expected_us:>10.1} {error:>+8.2} %");
}

/// Random reads of 8 KB, one after another.
fn one_by_one(model: ModelKind, expected_us: f64, seconds: u64) {
    let clock = clock_of(ClockKind::Real);
    let device = device(&DeviceProfile::of(model), &clock);
    let (mut dice, mut buffer, mut count) = (Dice::new(1), vec![0; 8192], 0);
    let begun_us = clock.now_us();
    while clock.now_us() < begun_us + seconds * 1_000_000 {
        device.read_at(dice.roll() % (RANGE / 8192) * 8192, &mut buffer).expect("void reads");
        count += 1;
    }
    line(&format!("{}, one by one", model.name()), (clock.now_us() - begun_us) as f64 / f64::from(count), expected_us);
}

/// Reads that arrive by chance at a device that takes the same time for each.
fn by_chance(load: f64, seconds: u64) {
    let clock = clock_of(ClockKind::Real);
    let profile = DeviceProfile {
        read_latency_us: Some(0.0),
        read_mb_s: Some(65.536),
        ..DeviceProfile::of(ModelKind::PcieFlash)
    };
    let service_us = 2_000.0;
    let device = device(&profile, &clock);
    let (mut dice, mut at_us, mut arrivals) = (Dice::new(7), 100_000.0, Vec::new());
    while at_us < (seconds * 1_000_000) as f64 {
        at_us -= (1.0 - dice.share()).ln() * service_us / load;
        arrivals.push(at_us as u64);
    }
    let next = AtomicUsize::new(0);
    // When each really began, which may be late, and when it was done.
    let run = || {
        let (mut buffer, mut done) = (vec![0; 131_072], Vec::new());
        while let Some(at_us) = arrivals.get(next.fetch_add(1, Relaxed)) {
            clock.rest_until_us(*at_us);
            let begun_us = clock.now_us();
            device.read_at(0, &mut buffer).expect("void reads");
            done.push((begun_us, clock.now_us()));
        }
        done
    };
    let mut done: Vec<(u64, u64)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    done.sort_unstable();
    // The queue of these very requests, worked out one by one.
    let (mut free_us, mut expected_us, mut found_us) = (0.0_f64, 0.0, 0);
    for (begun_us, end_us) in &done {
        free_us = free_us.max(*begun_us as f64) + service_us;
        expected_us += free_us - *begun_us as f64;
        found_us += end_us - begun_us;
    }
    let count = done.len() as f64;
    line(&format!("{:.0} % load, 2 ms each", load * 100.0), found_us as f64 / count, expected_us / count);
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10);
    println!("{:<44} {:>10} {:>10} {:>10}", "", "found µs", "model µs", "error");
    one_by_one(ModelKind::Disk10kSata, 100.0 + 4_500.0 + 3_000.0 + 8192.0 / 85.0, seconds);
    one_by_one(ModelKind::Disk10kSas, 60.0 + 3_800.0 + 3_000.0 + 8192.0 / 100.0, seconds);
    one_by_one(ModelKind::Array, 250.0 + 8192.0 / 400.0, seconds);
    one_by_one(ModelKind::Ssd, 100.0 + 8192.0 / 250.0, seconds);
    one_by_one(ModelKind::PcieFlash, 50.0 + 8192.0 / 700.0, seconds);
    for load in [0.1, 0.5, 0.8, 0.95] {
        by_chance(load, seconds);
    }
}
