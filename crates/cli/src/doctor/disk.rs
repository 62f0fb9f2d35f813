//! The data folder: its filesystem, its space, and what the disk under it does.
//!
//! What always holds: the folder is not made; the file of the measurement is gone at the end, whatever happens.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_device::probe::{CellKind, DepthBy, ProbeCell, ProbePlan, run};
use millpond_device::profile::{Direction, Order};
use millpond_device::{BlockDevice, Clock, DeviceError, FileDevice, OpenMode, Submission, SystemClock};
use rustix::fs::{statfs, statvfs};

use super::finding::{Finding, Level};

const MB: u64 = 1 << 20;
/// Space that a start takes.
const FREE_LEAST_BYTES: u64 = 64 * MB;
/// Space below which it will be short.
const FREE_WANTED_BYTES: u64 = 1024 * MB;
/// What is measured on.
const RANGE_BYTES: u64 = 64 * MB;
/// A page.
const PAGE_BYTES: usize = 8192;
/// A commit that takes longer is waited for by people.
const SYNC_US_MAX: u64 = 10_000;
/// A page that takes longer comes from a disk that turns, or from a network.
const READ_US_MAX: f64 = 5_000.0;
/// Slower than a disk of the last century.
const MB_S_LEAST: f64 = 50.0;

/// All of it.
pub fn findings(data: &Path, quick: bool) -> Vec<Finding> {
    let folder = existing(data);
    let mut findings = vec![folder_finding(data, &folder)];
    findings.extend(statfs(&folder).ok().map(|found| filesystem(found.f_type)));
    if let Ok(volume) = statvfs(&folder) {
        findings.push(free_space(volume.f_bavail * volume.f_frsize, volume.f_blocks * volume.f_frsize));
    }
    match measured(&folder, if quick { Duration::from_millis(50) } else { Duration::from_millis(500) }) {
        Ok(speed) => findings.extend(speed.findings()),
        Err(error) => findings.push(not_measured(&error)),
    }
    findings
}

/// The folder, or the next one above it that is there.
fn existing(data: &Path) -> PathBuf {
    let whole = std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
    whole.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("/")).to_owned()
}

fn folder_finding(data: &Path, folder: &Path) -> Finding {
    let is_there = data.is_dir();
    let value = if is_there { format!("{}", data.display()) } else { format!("{} is to be made", data.display()) };
    let writable = rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok();
    let why = "databases, certificate and log lie in it";
    let fix = format!("chown $(id -un) '{}'", folder.display());
    let value = if writable { value } else { format!("{value}; {} cannot be written", folder.display()) };
    Finding::ok("data folder", value, why).at(if writable { Level::Ok } else { Level::Fail }, fix)
}

/// By the number that the kernel gives to it (`statfs`).
fn filesystem(number: impl TryInto<i64>) -> Finding {
    let number = number.try_into().unwrap_or(0) & 0xFFFF_FFFF;
    let (name, is_poor, why) = match number {
        0xEF53 => ("ext4", false, ""),
        0x5846_5342 => ("xfs", false, ""),
        0x9123_683E => ("btrfs", true, "each write makes a copy: a database that is changed in place falls to pieces"),
        0x2FC1_2FC1 => ("zfs", false, ""),
        0x0102_1994 => ("tmpfs", true, "it is memory: everything is gone at the next start of the machine"),
        0x794C_7630 => ("overlay", true, "it goes with the container, and each file is copied before its first change"),
        0x6969 => ("nfs", true, "a lost connection stops everything, and locks are another machine's"),
        0xFF53_4D42 | 0xFE53_4D42 | 0x517B => {
            ("cifs", true, "a lost connection stops everything; syncs may not be heeded")
        }
        0x0102_1997 => ("9p", true, "a folder of another machine: syncs are slow, or not heeded"),
        0x6573_5546 => ("fuse", true, "a program lies between: whether a sync is heeded is its own affair"),
        _ => ("another one", false, ""),
    };
    let value = if name == "another one" { format!("number {number:#x}") } else { name.to_owned() };
    let why = if why.is_empty() { "syncs are to be heeded" } else { why };
    let fix = "docker run -v millpond-data:/var/opt/mssql …, or a folder of a local disk (ext4, xfs)";
    Finding::ok("filesystem", value, why).at(if is_poor { Level::Warn } else { Level::Ok }, fix)
}

fn free_space(free_bytes: u64, total_bytes: u64) -> Finding {
    let level = match free_bytes {
        0..FREE_LEAST_BYTES => Level::Fail,
        FREE_LEAST_BYTES..FREE_WANTED_BYTES => Level::Warn,
        _ => Level::Ok,
    };
    let value = format!("{} MB of {} MB", free_bytes / MB, total_bytes / MB);
    let why = "files grow, and tempdb with them; a full disk ends statements with 1105 and 9002";
    Finding::ok("free space", value, why).at(level, "df -h .   (millpond serve --data on a larger disk)")
}

fn not_measured(error: &DeviceError) -> Finding {
    let why = "what commits, reads and spills cost is that of the disk";
    Finding::ok("disk", format!("not measured: {error}"), why).at(Level::Fail, "ls -ld and df -h of the folder say why")
}

/// What the disk does.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Speed {
    sync_us: u64,
    read_us: f64,
    read_mb_s: f64,
    write_mb_s: f64,
}

impl Speed {
    fn findings(self) -> [Finding; 3] {
        let level = |is_poor: bool| if is_poor { Level::Warn } else { Level::Ok };
        let fix = "millpond probe DIR says more; a local disk with a cache that survives power loss is what helps";
        [
            Finding::ok("disk sync", format!("{} µs a page", self.sync_us), "a commit waits for one")
                .at(level(self.sync_us > SYNC_US_MAX), fix),
            Finding::ok(
                "disk reads",
                format!("{:.0} µs a page", self.read_us),
                "a page that is not in memory takes one",
            )
            .at(level(self.read_us > READ_US_MAX), fix),
            Finding::ok(
                "disk bandwidth",
                format!("{:.0} MB/s read, {:.0} MB/s written", self.read_mb_s, self.write_mb_s),
                "scans, spills, checkpoints and backups are as fast",
            )
            .at(level(self.read_mb_s.min(self.write_mb_s) < MB_S_LEAST), fix),
        ]
    }
}

/// The file of the measurement.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it was never made, there is nothing to be removed.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn measured(folder: &Path, cell: Duration) -> Result<Speed, DeviceError> {
    let scratch = Scratch(folder.join(format!(".millpond-doctor-{}", std::process::id())));
    let device = FileDevice::open(&scratch.0, OpenMode::CreateNew)?;
    device.set_len(RANGE_BYTES)?;
    let (chunk, count) = (vec![0xA5_u8; MB as usize], RANGE_BYTES / MB);
    (0..count).try_for_each(|at| device.write_at(at * MB, &chunk))?;
    device.sync()?;
    let sync_us = sync_us(&device, cell)?;
    let submission = device.submission();
    let device: Arc<dyn BlockDevice> = Arc::new(device);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let of = |direction, order, size_bytes: u64, depth: usize| -> Result<ProbeCell, DeviceError> {
        let mut plan = ProbePlan::new(RANGE_BYTES, u64::try_from(cell.as_micros()).unwrap_or(u64::MAX));
        plan.sizes_bytes = vec![size_bytes];
        plan.depths = vec![depth];
        plan.directions = vec![direction];
        plan.orders = vec![order];
        plan.depth_by = if submission == Submission::IoUring { DepthBy::Calls } else { DepthBy::Threads };
        let cells = run(&device, &clock, &plan, |_| {})?;
        let nothing = CellKind { direction, order, size_bytes, depth };
        Ok(cells.into_iter().next().unwrap_or(ProbeCell {
            kind: nothing,
            requests: 0,
            elapsed_us: 0,
            completed: 0,
            mean_us: 0.0,
            median_us: 0,
            p99_us: 0,
        }))
    };
    let page = of(Direction::Read, Order::Random, PAGE_BYTES as u64, 1)?;
    let read = of(Direction::Read, Order::Sequential, MB, 8)?;
    let written = of(Direction::Write, Order::Sequential, MB, 8)?;
    // A device that takes no time has no bandwidth to be short of.
    let mb_s = |cell: &ProbeCell| cell.mb_s().unwrap_or(f64::MAX);
    Ok(Speed { sync_us, read_us: page.mean_us, read_mb_s: mb_s(&read), write_mb_s: mb_s(&written) })
}

/// The median of pages that are written and synced, one after the other.
fn sync_us(device: &FileDevice, limit: Duration) -> Result<u64, DeviceError> {
    let page = [0x5A_u8; PAGE_BYTES];
    let (begun, mut times) = (Instant::now(), Vec::new());
    while times.is_empty() || begun.elapsed() < limit && times.len() < 10_000 {
        let before = Instant::now();
        device.write_at(times.len() as u64 % 128 * PAGE_BYTES as u64, &page)?;
        device.sync()?;
        times.push(u64::try_from(before.elapsed().as_micros()).unwrap_or(u64::MAX));
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filesystems_are_judged() {
        for (number, value, level) in [
            (0xEF53_i64, "ext4", Level::Ok),
            (0x0102_1994, "tmpfs", Level::Warn),
            (0x794C_7630, "overlay", Level::Warn),
            (0x6969, "nfs", Level::Warn),
            (0x1234, "number 0x1234", Level::Ok),
        ] {
            let finding = filesystem(number);
            assert_eq!((finding.value.as_str(), finding.level), (value, level));
        }
        assert_eq!(free_space(MB, 100 * MB).level, Level::Fail);
        assert_eq!(free_space(100 * MB, 200 * MB).level, Level::Warn);
        assert_eq!(free_space(100_000 * MB, 200_000 * MB).level, Level::Ok);
    }

    #[test]
    fn speeds_are_judged() {
        let levels = |speed: Speed| speed.findings().map(|finding| finding.level);
        let fast = Speed { sync_us: 100, read_us: 100.0, read_mb_s: 900.0, write_mb_s: 900.0 };
        assert_eq!(levels(fast), [Level::Ok; 3]);
        let slow = Speed { sync_us: 30_000, read_us: 9_000.0, read_mb_s: 900.0, write_mb_s: 9.0 };
        assert_eq!(levels(slow), [Level::Warn; 3]);
    }

    #[test]
    fn a_folder_is_measured_and_left_as_it_was() {
        let dir = tempfile::tempdir().expect("a directory");
        let found = findings(&dir.path().join("not/there"), true);
        let names: Vec<&str> = found.iter().map(|finding| finding.name).collect();
        assert_eq!(names, ["data folder", "filesystem", "free space", "disk sync", "disk reads", "disk bandwidth"]);
        assert!(found[0].value.ends_with("not/there is to be made"));
        assert_eq!(std::fs::read_dir(dir.path()).expect("it is there").count(), 0);
    }
}
