//! A probe of an emulated device finds its model again, and a device made of what was measured is found the same.

use std::sync::Arc;

use millpond_device::hierarchy::clock_of;
use millpond_device::probe::{CellKind, DepthBy, ProbeCell, ProbePlan, profile_of, run};
use millpond_device::profile::{Direction, Order};
use millpond_device::{BlockDevice, ClockKind, DeviceProfile, ModelKind, ProfiledDevice, VoidDevice, Volume};

const RANGE: u64 = 4 << 30;

/// A minute and as many requests for each cell, whichever is less.
fn plan(requests_max: usize) -> ProbePlan {
    ProbePlan { requests_max, ..ProbePlan::new(RANGE, 60_000_000) }
}

fn probed(profile: &DeviceProfile, plan: &ProbePlan) -> Vec<ProbeCell> {
    let clock = clock_of(ClockKind::Frozen);
    let volume = Arc::new(Volume::new("probed", profile, Vec::new(), clock.clone()));
    let device = ProfiledDevice::alone(Arc::new(VoidDevice::new("void", RANGE)), volume).unwrap();
    let device: Arc<dyn BlockDevice> = Arc::new(device);
    run(&device, &clock, plan, |_| {}).unwrap()
}

fn found(cells: &[ProbeCell], direction: Direction, order: Order, size_kb: u64, depth: usize) -> ProbeCell {
    let kind = CellKind { direction, order, size_bytes: size_kb << 10, depth };
    *cells.iter().find(|cell| cell.kind == kind).expect("measured")
}

fn near(what: &str, found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 0.05, "{what}: {found} against {expected}");
}

#[test]
fn a_disk_is_found_as_its_model_says() {
    let plan = ProbePlan { sizes_bytes: vec![8 << 10, 256 << 10], ..plan(1_000) };
    let cells = probed(&DeviceProfile::of(ModelKind::Disk10kSata), &plan);
    let random = |size_kb, depth| found(&cells, Direction::Read, Order::Random, size_kb, depth);
    for size_kb in [8, 256] {
        let expected_us = 100.0 + 4_500.0 + 3_000.0 + (size_kb * 1024) as f64 / 85.0;
        near("random read", random(size_kb, 1).mean_us, expected_us);
    }
    near("130 a second", random(8, 1).per_second().unwrap(), 130.0);
    assert!(random(8, 1).p99_us < 100 + 8_000 + 6_000 + 100, "the longest way, a whole turn");
    assert!(random(8, 32).per_second().unwrap() > 250.0, "the drive sorts");
    near("stream", found(&cells, Direction::Read, Order::Sequential, 256, 1).mb_s().unwrap(), 85.0);
    let write = found(&cells, Direction::Write, Order::Sequential, 8, 1);
    near("a turn for each write", write.mean_us, 6_000.0);
}

#[test]
fn flash_is_found_as_its_model_says() {
    let plan = plan(640);
    let cells = probed(&DeviceProfile::of(ModelKind::PcieFlash), &plan);
    for cell in &cells {
        let (latency_us, mb_s) = match cell.kind.direction {
            Direction::Read => (50.0, 700.0),
            Direction::Write => (30.0, 600.0),
        };
        let transfer_us = cell.kind.size_bytes as f64 / mb_s;
        match cell.kind.depth {
            1 => near("alone", cell.mean_us, latency_us + transfer_us),
            _ => near("in company", cell.mb_s().unwrap(), mb_s.min(25.0 * cell.kind.size_bytes as f64 / latency_us)),
        }
    }
}

/// Sizes and depths that were measured are met again. Of many threads one may take the next place and come to the device
/// after another; a disk waits for a turn then, so streams of many are compared on flash alone.
#[test]
fn a_device_made_of_measurements_is_measured_the_same() {
    let plan = ProbePlan { sizes_bytes: vec![8 << 10, 1 << 20], ..plan(1_000) };
    for model in [ModelKind::Disk10kSas, ModelKind::Array, ModelKind::PcieFlash] {
        let cells = probed(&DeviceProfile::of(model), &plan);
        let profile = profile_of(&cells);
        assert_eq!(profile.check(), Ok(()));
        for (first, again) in cells.iter().zip(probed(&profile, &plan)) {
            assert_eq!(first.kind, again.kind);
            if model != ModelKind::PcieFlash && first.kind.order == Order::Sequential && first.kind.depth > 1 {
                continue;
            }
            near(&format!("{model:?} {:?}", first.kind), again.mean_us, first.mean_us);
            near(&format!("{model:?} {:?}", first.kind), again.mb_s().unwrap(), first.mb_s().unwrap());
        }
    }
}

#[test]
fn two_runs_see_the_same_times() {
    for (depths, depth_by) in [(vec![1], DepthBy::Threads), (vec![1, 32], DepthBy::Calls)] {
        let plan = ProbePlan { sizes_bytes: vec![8 << 10], depths, depth_by, ..plan(100) };
        let once = || probed(&DeviceProfile::of(ModelKind::Disk10kSas), &plan);
        assert_eq!(once(), once());
    }
}

#[test]
fn memory_takes_no_time_and_a_probe_of_it_ends() {
    let plan = ProbePlan { sizes_bytes: vec![4096], ..plan(100) };
    let cells = probed(&DeviceProfile::of(ModelKind::Ram), &plan);
    assert!(cells.iter().all(|cell| cell.requests > 0 && cell.mb_s().is_none()));
}
