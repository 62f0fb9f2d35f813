//! TPC-C against the split of a controller's cache (Linchi Shea, 2007 on): is it better spent on reads or on writes?
//!
//! ```text
//!   controller   one cache for both disks, split between reads and writes: 100/0, 75/25, 25/75, 0/100
//!   disks        SAS, 10,000 rpm: the data file on one, the log on the other
//!   load         five transactions of TPC-C without thinking, memory a fifth of the data, one checkpoint by hand
//! ```
//!
//! What always holds: each split is a server of its own with a database loaded anew; more users follow on the same
//! database. Rates and times are those of the server's clock, which passes over the time that a device would take.

use std::time::Duration;

use super::outcome::{Case, Outcome};
use super::{Ground, configure, numbers, row};
use crate::failure::{Doing, LabError};
use crate::link::{Link, LinkError, Target};
use crate::plot::{Axis, Chart, Figures, Series};
use crate::tpcc::{self, Plan, Scripts, TdsPlace, TdsSession};

const DATABASE: &str = "tpcc";
/// Share of the cache for reads, in percent.
const SPLITS: [u32; 4] = [100, 75, 25, 0];
/// Waits that are shown.
const WAITS: usize = 3;

/// Sizes of a run. The article's: 100 warehouses, 2048 MB, 512 MB, 180 seconds.
#[derive(Clone, Copy, Debug)]
struct Size {
    warehouses: u32,
    memory_mb: u64,
    cache_mb: u32,
    seconds: u64,
    users: &'static [u32],
}

/// One run.
struct Measured {
    read_percent: u32,
    users: u32,
    /// By the server's clock.
    elapsed_s: f64,
    new_orders_per_minute: f64,
    data: Disk,
    log: Disk,
    waits: Vec<(String, f64)>,
}

/// What a disk did meanwhile.
#[derive(Clone, Copy, Debug, Default)]
struct Disk {
    reads: f64,
    read_bytes: f64,
    read_ms: f64,
    writes: f64,
    write_bytes: f64,
    write_ms: f64,
}

pub(super) fn run(ground: &Ground<'_>) -> Result<Outcome, LabError> {
    let size = ground.scale.pick(
        Size { warehouses: 1, memory_mb: 20, cache_mb: 5, seconds: 6, users: &[20] },
        Size { warehouses: 20, memory_mb: 410, cache_mb: 102, seconds: 30, users: &[1, 10, 25, 50, 100] },
    );
    let mut measured = Vec::new();
    ground.expect(SPLITS.len() * size.users.len());
    for read_percent in SPLITS {
        let name = format!("reads{read_percent}");
        let server = ground.server(&name, &["data", "log"], size.memory_mb, settings(size, read_percent))?;
        let dir = ground.dir.path().join(&name).display().to_string();
        let result = measure_split(ground, &server.target(), &dir, size, read_percent, &mut measured);
        server.stop().map_err(LabError::Stop)?;
        result?;
    }
    Ok(outcome(ground, size, &measured))
}

fn settings(size: Size, read_percent: u32) -> String {
    let disk = |name: &str| {
        format!(
            "[device.{name}]\nmodel = \"disk-10k-sas\"\nbacking = \"ram\"\nclock = \"virtual\"\n\n[device.{name}.cache]\nsize_mb = {}\n\
             read_percent = {read_percent}\nbattery = true\n\n[[placement]]\npath = \"{name}\"\ndevice = \"{name}\"\n\n",
            size.cache_mb
        )
    };
    disk("data") + &disk("log")
}

/// The place of TPC-C with its files on two disks.
struct TwoDisks<'a> {
    inner: TdsPlace<'a>,
    dir: &'a str,
}

impl tpcc::Place for TwoDisks<'_> {
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
        let dir = self.dir;
        let create = format!(
            "create database {DATABASE} on (name = d, filename = '{dir}/data/tpcc.mdf', size = 128MB, filegrowth = 64MB) \
             log on (name = l, filename = '{dir}/log/tpcc.ldf', size = 256MB, filegrowth = 64MB); \
             alter database {DATABASE} set recovery simple"
        );
        Link::open(self.inner.target, "")?.batch(&create).map(drop)
    }

    fn open(&self) -> Result<TdsSession, LinkError> {
        self.inner.open()
    }
}

fn measure_split(
    ground: &Ground<'_>,
    target: &Target,
    dir: &str,
    size: Size,
    read_percent: u32,
    measured: &mut Vec<Measured>,
) -> Result<(), LabError> {
    let place = TwoDisks { inner: TdsPlace::by_name(target, DATABASE), dir };
    tpcc::load(&place, size.warehouses)?;
    let mut watcher = Link::open(target, DATABASE).doing("login")?;
    configure(&mut watcher, "automatic checkpoints", 0)?;
    for &users in size.users {
        let work = || measure(&mut watcher, target, &place, size, read_percent, users);
        measured.push(ground.case(&case_name(read_percent, users), work)?);
    }
    Ok(())
}

fn measure(
    watcher: &mut Link,
    target: &Target,
    place: &TwoDisks<'_>,
    size: Size,
    read_percent: u32,
    users: u32,
) -> Result<Measured, LabError> {
    watcher.batch("checkpoint").doing("checkpoint")?;
    let (data, log, waits) = (disk(watcher, 1)?, disk(watcher, 2)?, waits(watcher)?);
    let began_s = row(watcher, NOW)?[0];
    let plan = Plan::of(users, size.seconds);
    let report = std::thread::scope(|scope| {
        scope.spawn(|| checkpoint_after(target, Duration::from_millis(size.seconds * 500)));
        tpcc::measure(place, "", &plan)
    })?;
    let done = report.kinds.iter().find(|(name, _)| *name == tpcc::Kind::NewOrder.name()).map_or(0, |(_, t)| t.done);
    let elapsed_s = row(watcher, NOW)?[0] - began_s;
    Ok(Measured {
        read_percent,
        users,
        elapsed_s,
        new_orders_per_minute: done as f64 * 60.0 / elapsed_s,
        data: disk(watcher, 1)?.since(data),
        log: disk(watcher, 2)?.since(log),
        waits: grown(&waits, self::waits(watcher)?),
    })
}

/// Seconds of the server's clock.
const NOW: &str = "select cast(datediff_big(microsecond, '2020-01-01', sysdatetime()) as float) / 1000000";

/// The checkpoint by hand. Failing to begin one is no failure of the run: the figures then lack its writes.
fn checkpoint_after(target: &Target, pause: Duration) {
    std::thread::sleep(pause);
    let done = Link::open(target, DATABASE).and_then(|mut link| link.batch("checkpoint"));
    if let Err(error) = done {
        eprintln!("millpond: checkpoint: {error}");
    }
}

fn disk(link: &mut Link, file: u32) -> Result<Disk, LabError> {
    let columns = ["num_of_reads", "num_of_bytes_read", "io_stall_read_ms", "num_of_writes", "num_of_bytes_written"];
    let columns: String = columns.map(|name| format!("cast({name} as float), ")).concat();
    let query =
        format!("select {columns} cast(io_stall_write_ms as float) from sys.dm_io_virtual_file_stats(db_id(), {file})");
    let found = row(link, &query)?;
    let [reads, read_bytes, read_ms, writes, write_bytes, write_ms] = std::array::from_fn(|index| found[index]);
    Ok(Disk { reads, read_bytes, read_ms, writes, write_bytes, write_ms })
}

impl Disk {
    fn since(self, before: Disk) -> Disk {
        Disk {
            reads: self.reads - before.reads,
            read_bytes: self.read_bytes - before.read_bytes,
            read_ms: self.read_ms - before.read_ms,
            writes: self.writes - before.writes,
            write_bytes: self.write_bytes - before.write_bytes,
            write_ms: self.write_ms - before.write_ms,
        }
    }
}

/// `numerator / denominator`, nothing where nothing was counted.
fn per(numerator: f64, denominator: f64) -> Option<f64> {
    (denominator > 0.0).then(|| numerator / denominator)
}

/// Milliseconds waited so far, by type; waits of the server's own threads for work are left out by the view.
fn waits(link: &mut Link) -> Result<Vec<(String, f64)>, LabError> {
    let names = "select wait_type from sys.dm_os_wait_stats order by wait_type";
    let answer = link.batch(names).doing(names)?;
    let names = answer.tables.first().map_or(&[][..], |table| &table.rows[..]);
    let times = numbers(link, "select cast(wait_time_ms as float) from sys.dm_os_wait_stats order by wait_type")?;
    let name = |row: &Vec<millpond_types::Value>| row[0].as_str().unwrap_or_default().to_owned();
    Ok(names.iter().map(name).zip(times.into_iter().map(|row| row[0])).collect())
}

/// What the waits grew by, the largest first.
fn grown(before: &[(String, f64)], after: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let base = |name: &str| before.iter().find(|(known, _)| known == name).map_or(0.0, |(_, ms)| *ms);
    let mut grown: Vec<(String, f64)> = after.into_iter().map(|(name, ms)| (name.clone(), ms - base(&name))).collect();
    grown.retain(|(_, ms)| *ms > 0.0);
    grown.sort_by(|a, b| b.1.total_cmp(&a.1));
    grown
}

fn split_name(read_percent: u32) -> String {
    format!("{read_percent}/{}", 100 - read_percent)
}

fn case_name(read_percent: u32, users: u32) -> String {
    format!("reads/writes {}, {users} users", split_name(read_percent))
}

fn case(m: &Measured) -> Case {
    let all: f64 = m.waits.iter().map(|(_, ms)| ms).sum();
    let top: Vec<String> =
        m.waits.iter().take(WAITS).map(|(name, ms)| format!("{name} {:.0} %", 100.0 * ms / all)).collect();
    Case::new(case_name(m.read_percent, m.users))
        .with("read_percent", m.read_percent)
        .with("users", m.users)
        .with("seconds", m.elapsed_s)
        .with("new_orders_per_minute", m.new_orders_per_minute.round())
        .with("data_reads", m.data.reads)
        .with("data_ms_per_read", per(m.data.read_ms, m.data.reads))
        .with("data_kb_per_read", per(m.data.read_bytes / 1024.0, m.data.reads))
        .with("data_writes", m.data.writes)
        .with("data_ms_per_write", per(m.data.write_ms, m.data.writes))
        .with("data_kb_per_write", per(m.data.write_bytes / 1024.0, m.data.writes))
        .with("log_writes", m.log.writes)
        .with("log_ms_per_write", per(m.log.write_ms, m.log.writes))
        .with("log_kb_per_write", per(m.log.write_bytes / 1024.0, m.log.writes))
        .with("waits", top.join(", "))
}

fn outcome(ground: &Ground<'_>, size: Size, measured: &[Measured]) -> Outcome {
    let rate = |read_percent, users| {
        let found = measured.iter().find(|m| (m.read_percent, m.users) == (read_percent, users));
        found.map(|m| m.new_orders_per_minute)
    };
    let most = *size.users.last().expect("somebody works");
    let against_reads = |read_percent| match (rate(read_percent, most), rate(100, most)) {
        (Some(this), Some(reads)) => this / reads,
        _ => f64::NAN,
    };
    let findings = vec![
        format!(
            "With {most} users, three quarters of the cache for writes gives {:.1} times the new orders of all for reads, \
             all for writes {:.1} times.",
            against_reads(25),
            against_reads(0)
        ),
        format!("The longest waits with all for reads: {}.", longest(measured, 100, most)),
    ];
    Outcome {
        name: "controller",
        title: "The cache of a controller, for reads or for writes",
        setup: setup(size),
        command: ground.command("controller"),
        cases: measured.iter().map(case).collect(),
        charts: vec![throughput(size, rate), latency(measured, most)],
        findings,
    }
}

fn longest(measured: &[Measured], read_percent: u32, users: u32) -> String {
    let found = measured.iter().find(|m| (m.read_percent, m.users) == (read_percent, users));
    let names = found.map(|m| m.waits.iter().take(WAITS).map(|(name, _)| name.as_str()).collect::<Vec<_>>());
    names.unwrap_or_default().join(", ")
}

fn setup(size: Size) -> Vec<String> {
    let Size { warehouses, memory_mb, cache_mb, seconds, .. } = size;
    vec![
        format!(
            "TPC-C's five transactions in its mix, without keying and thinking, on {warehouses} warehouses; memory is \
             {memory_mb} MB, a fifth of the data as in the article. Data and log lie on an emulated SAS disk of 10,000 \
             revolutions a minute each, behind a controller's cache of {cache_mb} MB for each disk."
        ),
        format!(
            "Each run takes {seconds} seconds here, and by the server's clock what the disks would have taken; in its \
             middle one checkpoint is asked for, automatic ones are off. The article has a chart without numbers: its two splits with much room for writes are much faster than the one \
             without, reads of the data disk take 275 ms and its writes 320 ms with 100 users."
        ),
    ]
}

fn throughput(size: Size, rate: impl Fn(u32, u32) -> Option<f64>) -> Chart {
    let bar = |&users: &u32| Series {
        name: format!("{users} users"),
        values: SPLITS.map(|read_percent| rate(read_percent, users)).to_vec(),
    };
    Chart {
        title: "New orders by the split of the cache".into(),
        y: Axis::new("new orders per minute"),
        figures: Figures::Bars {
            groups: SPLITS.map(|read_percent| format!("reads/writes {}", split_name(read_percent))).to_vec(),
            bars: size.users.iter().map(bar).collect(),
        },
    }
}

fn latency(measured: &[Measured], users: u32) -> Chart {
    let values = |value: fn(&Measured) -> Option<f64>| -> Vec<Option<f64>> {
        measured.iter().filter(|m| m.users == users).map(value).collect()
    };
    Chart {
        title: format!("Time of one request, {users} users"),
        y: Axis::new("milliseconds"),
        figures: Figures::Bars {
            groups: SPLITS.map(|read_percent| format!("reads/writes {}", split_name(read_percent))).to_vec(),
            bars: vec![
                Series { name: "data: read".into(), values: values(|m| per(m.data.read_ms, m.data.reads)) },
                Series { name: "data: write".into(), values: values(|m| per(m.data.write_ms, m.data.writes)) },
                Series { name: "log: write".into(), values: values(|m| per(m.log.write_ms, m.log.writes)) },
            ],
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(read_percent: u32, new_orders_per_minute: f64) -> Measured {
        let waits = vec![("PAGEIOLATCH_SH".to_owned(), 75.0), ("WRITELOG".to_owned(), 25.0)];
        let data = Disk { reads: 10.0, read_bytes: 81_920.0, read_ms: 50.0, ..Disk::default() };
        Measured { read_percent, users: 20, elapsed_s: 60.0, new_orders_per_minute, data, log: Disk::default(), waits }
    }

    #[test]
    fn waits_are_told_by_what_they_grew() {
        let before = vec![("A".to_owned(), 10.0), ("B".to_owned(), 5.0)];
        let after = vec![("A".to_owned(), 11.0), ("B".to_owned(), 5.0), ("C".to_owned(), 7.0)];
        assert_eq!(grown(&before, after), [("C".to_owned(), 7.0), ("A".to_owned(), 1.0)]);
    }

    #[test]
    fn a_case_has_means_and_no_zero_where_nothing_was_counted() {
        let case = case(&measured(25, 100.0));
        let json = format!("{case:?}");
        assert!(json.contains(r#"("data_ms_per_read", Number(5.0))"#), "{json}");
        assert!(json.contains(r#"("data_kb_per_read", Number(8.0))"#), "{json}");
        assert!(json.contains(r#"("data_ms_per_write", Null)"#), "{json}");
        assert!(json.contains("PAGEIOLATCH_SH 75 %, WRITELOG 25 %"), "{json}");
    }

    #[test]
    fn every_split_is_compared_with_all_for_reads() {
        let all = [measured(100, 100.0), measured(75, 150.0), measured(25, 250.0), measured(0, 300.0)];
        let most = |percent| all.iter().find(|m| m.read_percent == percent).map(|m| m.new_orders_per_minute);
        assert_eq!(SPLITS.map(most), [Some(100.0), Some(150.0), Some(250.0), Some(300.0)]);
        assert_eq!(longest(&all, 100, 20), "PAGEIOLATCH_SH, WRITELOG");
        assert_eq!(longest(&all, 100, 7), "");
    }

    #[test]
    fn both_disks_have_the_split() {
        let size = Size { warehouses: 1, memory_mb: 20, cache_mb: 5, seconds: 1, users: &[1] };
        let settings = settings(size, 75);
        assert_eq!(settings.matches("read_percent = 75").count(), 2);
        assert!(settings.contains("[device.data.cache]") && settings.contains("[device.log.cache]"));
    }
}
