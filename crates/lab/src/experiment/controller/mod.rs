//! TPC-C against the split of a controller's cache (Linchi Shea, 2007 on): is it better spent on reads or on writes?
//!
//! ```text
//!   load         once, on a server without emulated disks; each split begins with a copy of its files
//!   controller   a cache for each disk, split between reads and writes: 100/0, 75/25, 25/75, 0/100
//!   disks        SAS, 10,000 rpm, eight times the data: the data file on one, the log on the other
//!   run          five transactions of TPC-C without thinking, memory a fifth of the data
//!                0 ── memory and cache fill ──▶ counted ── one checkpoint by hand ──▶ end
//! ```
//!
//! Beside it the disk alone, at the article's own sizes, under single pages and under batches: [`array`]; and what follows from
//! the arm's times: [`model`].
//!
//! What always holds: each split is a server of its own; more users follow on the same database. Rates and times are
//! those of the server's clock, which passes over the time that a device would take.

mod array;
mod model;
mod report;

use std::path::Path;
use std::time::Duration;

use super::case::Repetition;
use super::waits::{Wait, grown, waits};
use super::{ExperimentContext, configure, row};
use crate::failure::{Doing, LabError};
use crate::link::{Link, LinkError, Target};
use crate::measure::Window;
use crate::tpcc::{self, Plan, Scale, Scripts, TdsSession, TdsTarget};

pub(super) use report::page;

const DATABASE: &str = "tpcc";
/// Share of the cache for reads, in percent.
const SPLITS: [u32; 4] = [100, 75, 25, 0];
/// The server's directory, and what is in it after the load.
const DIR: &str = "shop";
const LOADED: &str = "loaded";
/// Memory of the server that loads.
const LOAD_MEMORY_MB: u64 = 512;
/// How often the server is asked for its time while others work, in real time.
const LOOK: Duration = Duration::from_millis(20);

/// Sizes of a run. The article's: 100 warehouses, 9 GB on a disk of 72, 2048 MB, 512 MB, 180 seconds.
#[derive(Clone, Copy, Debug)]
struct Size {
    warehouses: u32,
    scale: Scale,
    memory_mb: u64,
    cache_mb: u32,
    /// Of each disk: eight times the data, as in the article.
    capacity_mb: u32,
    log_mb: u32,
    /// Before anything counts, and then, by the server's clock.
    warm_s: f64,
    seconds: f64,
    users: &'static [u32],
}

impl Size {
    fn at(scale: super::Scale) -> Size {
        scale.pick(Size::tiny(), Size::quick(), Size::full())
    }

    fn quick() -> Size {
        Size {
            warehouses: 10,
            scale: Scale::fraction(10),
            memory_mb: 22,
            cache_mb: 6,
            capacity_mb: 800,
            log_mb: 128,
            warm_s: 15.0,
            seconds: 30.0,
            users: &[20],
        }
    }

    fn full() -> Size {
        Size {
            warehouses: 20,
            scale: Scale::STANDARD,
            memory_mb: 410,
            cache_mb: 102,
            capacity_mb: 14_400,
            log_mb: 1024,
            warm_s: 300.0,
            seconds: 180.0,
            users: &[1, 10, 25, 50, 100],
        }
    }

    /// Small enough for a test; its figures mean nothing.
    fn tiny() -> Size {
        Size {
            warehouses: 1,
            scale: Scale::fraction(100),
            memory_mb: 8,
            cache_mb: 1,
            capacity_mb: 256,
            log_mb: 32,
            warm_s: 0.5,
            seconds: 1.0,
            users: &[2],
        }
    }
}

/// One run.
struct Measured {
    read_percent: u32,
    users: u32,
    /// By the server's clock.
    elapsed_s: f64,
    new_orders_per_minute: f64,
    transactions: f64,
    data: Disk,
    log: Disk,
    arm: Arm,
    waits: Vec<Wait>,
}

/// What was asked of a disk meanwhile.
#[derive(Clone, Copy, Debug, Default)]
struct Disk {
    reads: f64,
    read_bytes: f64,
    read_ms: f64,
    writes: f64,
    write_bytes: f64,
    write_ms: f64,
}

/// What the data disk's arm and the cache before it did meanwhile.
#[derive(Clone, Copy, Debug, Default)]
struct Arm {
    read_busy_s: f64,
    write_busy_s: f64,
    cache_hits: f64,
    cache_misses: f64,
    writes_waited: f64,
    destaged_pages: f64,
}

impl Disk {
    fn of(row: &[f64]) -> Disk {
        let [reads, read_bytes, read_ms, writes, write_bytes, write_ms] = std::array::from_fn(|index| row[index]);
        Disk { reads, read_bytes, read_ms, writes, write_bytes, write_ms }
    }
}

impl Arm {
    fn of(row: &[f64]) -> Arm {
        let [read_busy_s, write_busy_s, cache_hits, cache_misses, writes_waited, destaged_pages] =
            std::array::from_fn(|index| row[index]);
        Arm { read_busy_s, write_busy_s, cache_hits, cache_misses, writes_waited, destaged_pages }
    }
}

/// The counters at one point in time.
struct Snapshot {
    at_s: f64,
    data: Vec<f64>,
    log: Vec<f64>,
    arm: Vec<f64>,
    waits: Vec<Wait>,
}

pub(super) fn run(context: &ExperimentContext<'_>) -> Result<Repetition, LabError> {
    let size = Size::at(context.scale);
    let mut measured = Vec::new();
    context.expect(1 + SPLITS.len() * size.users.len() + array::CASES);
    context.case("load", || load(context, size))?;
    for read_percent in SPLITS {
        copy_dir(&context.dir.path().join(LOADED), &context.dir.path().join(DIR))?;
        context.on_server(DIR, &[], size.memory_mb, settings(size, read_percent), |target| {
            measure_split(context, target, size, read_percent, &mut measured)
        })?;
    }
    let arrays = array::measure(context)?;
    let mut repetition = report::repetition(size, &measured);
    array::add(&arrays, &mut repetition);
    Ok(repetition)
}

fn settings(size: Size, read_percent: u32) -> String {
    let Size { capacity_mb, cache_mb, .. } = size;
    let disk = |name: &str| {
        format!(
            "[device.{name}]\nmodel = \"disk-10k-sas\"\nclock = \"virtual\"\ncapacity_mb = {capacity_mb}\n\n\
             [device.{name}.cache]\nsize_mb = {cache_mb}\nread_percent = {read_percent}\nbattery = true\n\n\
             [[placement]]\npath = \"{name}\"\ndevice = \"{name}\"\n\n"
        )
    };
    disk("data") + &disk("log")
}

/// Loads the database on a server without emulated disks, and keeps its directory under another name.
fn load(context: &ExperimentContext<'_>, size: Size) -> Result<(), LabError> {
    let dir = context.dir.path().join(DIR);
    context.on_server(DIR, &["data", "log"], LOAD_MEMORY_MB, String::new(), |target| {
        let place = TwoDisks { inner: TdsTarget::by_name(target, DATABASE), dir: &dir, log_mb: size.log_mb };
        tpcc::load(&place, size.warehouses, size.scale)
    })?;
    let kept = context.dir.path().join(LOADED);
    std::fs::rename(&dir, &kept).map_err(|source| LabError::Output { path: kept.display().to_string(), source })
}

/// Puts a directory in the place of another one.
fn copy_dir(from: &Path, to: &Path) -> Result<(), LabError> {
    let copied = remove_if_there(to).and_then(|()| copy_files(from, to));
    copied.map_err(|source| LabError::Output { path: to.display().to_string(), source })
}

fn remove_if_there(dir: &Path) -> std::io::Result<()> {
    if dir.exists() { std::fs::remove_dir_all(dir) } else { Ok(()) }
}

fn copy_files(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_files(&entry.path(), &place)?;
        } else {
            std::fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}

/// The database of TPC-C with its files on two disks.
struct TwoDisks<'a> {
    inner: TdsTarget<'a>,
    dir: &'a Path,
    log_mb: u32,
}

impl tpcc::TargetDatabase for TwoDisks<'_> {
    type Session = TdsSession;

    fn scripts(&self) -> Scripts {
        self.inner.scripts()
    }

    fn exists(&self) -> Result<bool, LinkError> {
        self.inner.exists()
    }

    fn drop_database(&self) -> Result<(), LinkError> {
        self.inner.drop_database()
    }

    fn create_database(&self) -> Result<(), LinkError> {
        let (dir, log_mb) = (self.dir.display(), self.log_mb);
        let create = format!(
            "create database {DATABASE} on (name = d, filename = '{dir}/data/tpcc.mdf', size = 16MB, filegrowth = 16MB) \
             log on (name = l, filename = '{dir}/log/tpcc.ldf', size = {log_mb}MB, filegrowth = 64MB); \
             alter database {DATABASE} set recovery simple"
        );
        Link::open(self.inner.target, "")?.batch(&create).map(drop)
    }

    fn open(&self) -> Result<TdsSession, LinkError> {
        self.inner.open()
    }
}

fn measure_split(
    context: &ExperimentContext<'_>,
    target: &Target,
    size: Size,
    read_percent: u32,
    measured: &mut Vec<Measured>,
) -> Result<(), LabError> {
    let mut watcher = Link::open(target, DATABASE).doing("login")?;
    configure(&mut watcher, "automatic checkpoints", 0)?;
    for &users in size.users {
        let work = || measure(&mut watcher, target, size, read_percent, users);
        measured.push(context.case(&case_name(read_percent, users), work)?);
    }
    Ok(())
}

fn measure(
    watcher: &mut Link,
    target: &Target,
    size: Size,
    read_percent: u32,
    users: u32,
) -> Result<Measured, LabError> {
    watcher.batch("checkpoint").doing("checkpoint")?;
    let place = TdsTarget::by_name(target, DATABASE);
    let (count, span) = std::thread::scope(|scope| {
        let checkpoint = || _ = scope.spawn(|| checkpoint(target));
        tpcc::conduct(&place, &Plan::of(users, size.scale), |window| pass(watcher, window, size, checkpoint))
    })?;
    let (before, after) = span?;
    if let Some((_, text)) = count.failures.each().next() {
        return Err(LabError::Answer(format!("a transaction failed: {text}")));
    }
    let elapsed_s = after.at_s - before.at_s;
    let new_orders = count.tallies[tpcc::Kind::NewOrder as usize].done;
    Ok(Measured {
        read_percent,
        users,
        elapsed_s,
        new_orders_per_minute: new_orders as f64 * 60.0 / elapsed_s,
        transactions: count.tallies.iter().map(|tally| tally.done as f64).sum(),
        data: Disk::of(&difference(&after.data, &before.data)),
        log: Disk::of(&difference(&after.log, &before.log)),
        arm: Arm::of(&difference(&after.arm, &before.arm)),
        waits: grown(&before.waits, after.waits),
    })
}

/// Lets pass the time of a run, with a checkpoint in the middle of what counts; the counters at its begin and its end.
fn pass(
    watcher: &mut Link,
    window: &Window,
    size: Size,
    checkpoint: impl FnOnce(),
) -> Result<(Snapshot, Snapshot), LabError> {
    let began_s = now(watcher)?;
    wait_until(watcher, window, began_s + size.warm_s)?;
    let before = snapshot(watcher)?;
    window.begin();
    wait_until(watcher, window, before.at_s + size.seconds / 2.0)?;
    checkpoint();
    wait_until(watcher, window, before.at_s + size.seconds)?;
    Ok((before, snapshot(watcher)?))
}

/// Until a time of the server's clock, or until no user works any more.
fn wait_until(watcher: &mut Link, window: &Window, until_s: f64) -> Result<(), LabError> {
    while now(watcher)? < until_s && !window.is_deserted() {
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// Seconds of the server's clock.
fn now(link: &mut Link) -> Result<f64, LabError> {
    Ok(row(link, "select cast(datediff_big(microsecond, '2020-01-01', sysdatetime()) as float) / 1000000")?[0])
}

/// The checkpoint by hand. Failing to begin one is no failure of the run: the figures then lack its writes.
fn checkpoint(target: &Target) {
    let done = Link::open(target, DATABASE).and_then(|mut link| link.batch("checkpoint"));
    if let Err(error) = done {
        eprintln!("millpond: checkpoint: {error}");
    }
}

fn snapshot(link: &mut Link) -> Result<Snapshot, LabError> {
    Ok(Snapshot { data: disk(link, 1)?, log: disk(link, 2)?, arm: arm(link)?, waits: waits(link)?, at_s: now(link)? })
}

/// The row that [`Disk::of`] names.
fn disk(link: &mut Link, file: u32) -> Result<Vec<f64>, LabError> {
    let columns = ["num_of_reads", "num_of_bytes_read", "io_stall_read_ms", "num_of_writes", "num_of_bytes_written"];
    let columns: String = columns.map(|name| format!("cast({name} as float), ")).concat();
    let query =
        format!("select {columns} cast(io_stall_write_ms as float) from sys.dm_io_virtual_file_stats(db_id(), {file})");
    row(link, &query)
}

/// The row that [`Arm::of`] names.
fn arm(link: &mut Link) -> Result<Vec<f64>, LabError> {
    let query = "select cast(disk_read_busy_us as float) / 1e6, cast(disk_write_busy_us as float) / 1e6, \
         cast(cache_read_hits as float), cast(cache_read_misses as float), cast(cache_writes_waited as float), \
         cast(cache_destaged_bytes as float) / 8192 from sys.dm_millpond_volume_io where volume_name = 'data'";
    row(link, query)
}

/// What the counters of a row grew by.
fn difference(after: &[f64], before: &[f64]) -> Vec<f64> {
    after.iter().zip(before).map(|(after, before)| after - before).collect()
}

fn split_name(read_percent: u32) -> String {
    format!("{read_percent}/{}", 100 - read_percent)
}

fn case_name(read_percent: u32, users: u32) -> String {
    format!("reads/writes {}, {users} users", split_name(read_percent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_disks_have_the_split() {
        let settings = settings(Size::tiny(), 75);
        assert_eq!(settings.matches("read_percent = 75").count(), 2);
        assert!(settings.contains("[device.data.cache]") && settings.contains("[device.log.cache]"));
    }
}
