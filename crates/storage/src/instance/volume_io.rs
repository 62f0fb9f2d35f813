//! Counters of volumes: emulated devices count for themselves; plain files are added up by the mount that they lie on,
//! files in memory as one volume.
//!
//! What always holds: totals only grow while the instance lives: what a file counted that was closed, removed or moved stays
//! with the volume it lay on. The queue's sum over time is the time of the requests, so its average is theirs over the time
//! that passed (Little's law); of requests that run now it has nothing yet.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use millpond_device::latency::add_each;
use millpond_device::{MeterReading, VolumeReport, disk};

use crate::instance::Instance;

pub use millpond_device::VolumeReport as VolumeIo;
pub use millpond_device::emulator::cache::CacheReport;

/// The volume of files in memory.
pub const MEMORY: &str = "memory";

/// Counters of all volumes that hold files of the instance, emulated ones first.
#[must_use]
pub fn volume_io(instance: &Instance) -> Vec<VolumeReport> {
    let media = &instance.databases.services.media;
    let mounts = disk::mounts();
    // Files of an emulated device are counted by it.
    let name_of = |path: Option<&Path>| match path {
        None => Some(MEMORY.to_owned()),
        Some(path) if media.volume_of(path).is_some() => None,
        Some(path) => Some(disk::mount_of(&mounts, path).map_or("/".to_owned(), |m| m.path.display().to_string())),
    };
    let mut plain: BTreeMap<String, VolumeReport> = BTreeMap::new();
    let mut add = |path: Option<&Path>, reading: &MeterReading, requests_now: u64, used_bytes: u64| {
        let Some(name) = name_of(path) else { return };
        let elapsed_us = instance.databases.services.clock.now_us();
        let report = plain.entry(name).or_insert_with_key(|name| nothing_of(name, elapsed_us));
        count(report, reading);
        report.queue_length += requests_now;
        report.used_bytes += used_bytes;
    };
    for (place, reading) in instance.databases.services.volume.left_devices() {
        add(place.as_deref(), &reading, 0, 0);
    }
    for file in instance.databases.services.volume.all() {
        let device = file.device();
        add(file.path().as_deref(), &device.reading_here(), device.requests_now() as u64, device.occupied_bytes());
    }
    media.volume_reports().into_iter().chain(plain.into_values()).collect()
}

fn nothing_of(name: &str, elapsed_us: u64) -> VolumeReport {
    VolumeReport {
        name: Arc::from(name),
        model: if name == MEMORY { "ram" } else { "file" },
        elapsed_us,
        reads: 0,
        read_bytes: 0,
        read_us: 0,
        writes: 0,
        write_bytes: 0,
        write_us: 0,
        syncs: 0,
        sync_us: 0,
        queue_length: 0,
        queue_length_us: 0,
        used_bytes: 0,
        cache: None,
        latencies: Default::default(),
        worked_us: None,
    }
}

fn count(report: &mut VolumeReport, reading: &MeterReading) {
    report.reads += reading.reads;
    report.read_bytes += reading.read_bytes;
    report.read_us += reading.read_stall_us;
    report.writes += reading.writes;
    report.write_bytes += reading.write_bytes;
    report.write_us += reading.write_stall_us;
    report.syncs += reading.syncs;
    report.sync_us += reading.sync_stall_us;
    add_each(&mut report.latencies, reading.latencies);
    report.queue_length_us += reading.read_stall_us + reading.write_stall_us + reading.sync_stall_us;
}
