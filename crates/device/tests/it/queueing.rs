//! The emulator against the theory of queues: requests at moments chosen by chance, at 10 to 95 % load, take on average
//! what Pollaczek and Khinchine say.
//!
//! For service times S that do not depend on each other and arrivals by chance, the mean time of a request is
//! E[S] + λ E[S²] / 2 (1 − λ E[S]). The moments of S are worked out here from the physics, not asked of the model.

use std::collections::VecDeque;

use millpond_device::chance::Dice;
use millpond_device::emulator::disk::{Disk, DiskParameters};
use millpond_device::emulator::flash::{Flash, FlashParameters};
use millpond_device::emulator::station::{Direction, Progress, Request, Station, Ticket};
use millpond_device::profile::{DeviceProfile, ModelKind};

const LOADS: [f64; 6] = [0.1, 0.3, 0.5, 0.7, 0.9, 0.95];

/// Mean time of `count` requests that arrive by chance, one every `between_ns` on average.
fn mean_ns(station: &mut dyn Station, count: u64, between_ns: f64, mut place: impl FnMut(&mut Dice) -> Request) -> f64 {
    let mut dice = Dice::new(20);
    let (mut at_ns, mut sum_ns) = (0.0, 0.0);
    // In order of arrival, which is the order of their ends here.
    let mut open: VecDeque<(Ticket, u64)> = VecDeque::new();
    let collect = |station: &mut dyn Station, open: &mut VecDeque<(Ticket, u64)>, now_ns: u64| {
        let mut sum_ns = 0.0;
        while let Some((ticket, begun_ns)) = open.front()
            && let Progress::Done { at_ns } = station.poll(*ticket, now_ns)
        {
            sum_ns += (at_ns - begun_ns) as f64;
            open.pop_front();
        }
        sum_ns
    };
    for _ in 0..count {
        at_ns -= (1.0 - dice.share()).ln() * between_ns;
        sum_ns += collect(station, &mut open, at_ns as u64);
        open.push_back((station.submit(at_ns as u64, place(&mut dice), SPAN), at_ns as u64));
    }
    sum_ns += collect(station, &mut open, u64::MAX / 2);
    assert!(open.is_empty());
    sum_ns / count as f64
}

const SPAN: u64 = 300_000_000_000;

fn pollaczek_khinchine(load: f64, mean: f64, mean_of_square: f64) -> f64 {
    mean + load / mean * mean_of_square / (2.0 * (1.0 - load))
}

/// One channel that takes no time, and a medium: every request of 64 KB takes the same.
#[test]
fn a_server_with_one_time_for_all_is_m_d_1() {
    let profile =
        DeviceProfile { read_latency_us: Some(0.0), read_mb_s: Some(200.0), ..DeviceProfile::of(ModelKind::PcieFlash) };
    let service_ns = 65_536.0 * 5.0;
    for load in LOADS {
        let mut flash = Flash::new(FlashParameters::of(&profile));
        let read = Request { direction: Direction::Read, offset_bytes: 0, bytes: 65_536 };
        let count = if load > 0.8 { 1_000_000 } else { 100_000 };
        let mean_ns = mean_ns(&mut flash, count, service_ns / load, |_| read);
        let expected_ns = pollaczek_khinchine(load, service_ns, service_ns * service_ns);
        let error = mean_ns / expected_ns - 1.0;
        println!(
            "M/D/1 at {load}: {:.1} µs, theory {:.1} µs, {:+.2} %",
            mean_ns / 1e3,
            expected_ns / 1e3,
            error * 100.0
        );
        assert!(error.abs() < 0.05, "at {load}: {mean_ns} against {expected_ns}");
    }
}

/// A disk that serves in order of arrival. Its way is near + k√d for the distance of two places chosen by chance, whose
/// density is 2 (1 − d): E√d = 8/15, E d = 1/3. The sector is anywhere: half a turn, a third of its square.
#[test]
fn a_disk_is_m_g_1() {
    let profile =
        DeviceProfile { queue_depth: Some(1), command_us: Some(0.0), ..DeviceProfile::of(ModelKind::Disk10kSata) };
    let (near, mean, turn, transfer) = (0.5e6, 4.5e6, 6e6, 8192.0 / 85e6 * 1e9);
    let k = (mean - near) * 15.0 / 8.0;
    let way_square = near * near + 2.0 * near * k * 8.0 / 15.0 + k * k / 3.0;
    let service_ns = mean + turn / 2.0 + transfer;
    let variance = way_square - mean * mean + turn * turn / 12.0;
    for load in [0.1, 0.3, 0.5, 0.7, 0.8] {
        let mut disk = Disk::new(DiskParameters::of(&profile));
        let place = |dice: &mut Dice| Request {
            direction: Direction::Read,
            offset_bytes: dice.roll() % (SPAN / 8192) * 8192,
            bytes: 8192,
        };
        let mean_ns = mean_ns(&mut disk, 100_000, service_ns / load, place);
        let expected_ns = pollaczek_khinchine(load, service_ns, variance + service_ns * service_ns);
        let error = mean_ns / expected_ns - 1.0;
        println!(
            "disk at {load}: {:.2} ms, theory {:.2} ms, {:+.2} %",
            mean_ns / 1e6,
            expected_ns / 1e6,
            error * 100.0
        );
        assert!(error.abs() < 0.05, "at {load}: {mean_ns} against {expected_ns}");
    }
}

/// What a request takes on the device itself, at any load: the time that the device is busy, over the requests.
#[test]
fn the_time_of_service_does_not_depend_on_the_load() {
    let profile =
        DeviceProfile { queue_depth: Some(1), command_us: Some(0.0), ..DeviceProfile::of(ModelKind::Disk10kSas) };
    let expected_ns = 3.8e6 + 3e6 + 8192.0 / 100e6 * 1e9;
    for load in LOADS {
        let mut disk = Disk::new(DiskParameters::of(&profile));
        let mut dice = Dice::new(4);
        let (mut at_ns, mut free_ns, mut busy_ns) = (0.0, 0, 0);
        let count = 20_000;
        for _ in 0..count {
            at_ns -= (1.0 - dice.share()).ln() * expected_ns / load;
            let offset_bytes = dice.roll() % (SPAN / 8192) * 8192;
            let read = Request { direction: Direction::Read, offset_bytes, bytes: 8192 };
            let ticket = disk.submit(at_ns as u64, read, SPAN);
            let end_ns = millpond_device::emulator::station::finish(&mut disk, ticket, at_ns as u64);
            busy_ns += end_ns - (at_ns as u64).max(free_ns);
            free_ns = end_ns;
        }
        let error = busy_ns as f64 / f64::from(count) / expected_ns - 1.0;
        println!("service at {load}: {:+.2} %", error * 100.0);
        assert!(error.abs() < 0.05, "at {load}: {error}");
    }
}
