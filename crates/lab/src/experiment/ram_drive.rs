//! Tempdb on a RAM drive (Tony Rogerson, 2006): a loop fills a temporary table and drops it, again and again.
//!
//! ```text
//!   where    disk: four files and the log on one emulated SATA disk of 10,000 rpm      the article's layout:
//!            RAM:  the same in memory, the last file, on the disk, takes what overflows   3 × 200 MB fixed, 1 MB growing
//!   how      old: extents are taken forward only, dropped pages are written too         new: neither
//!   users    1 and 10 connections, a table of 10 MB each
//! ```
//!
//! What always holds: memory is less than tempdb, as in the article, so the old behaviour has to write; the live tables fit
//! into memory, so the new one has not.

use std::time::Instant;

use super::article::{Comparison, ROGERSON, Theirs};
use super::case::{Case, Repetition, Samples};
use super::outcome::Page;
use super::{ExperimentContext, Scale, configure, row, sum_of_answers};
use crate::failure::{Doing, LabError};
use crate::link::{Link, Target};
use crate::plot::{Axis, Chart, Figures, Series, Spread};

/// Memory of the server: the article's.
const MEMORY_MB: u64 = 512;
/// Rows of a table, one to a page: 10 MB.
const ROWS: u32 = 1280;
/// What the article measured in five minutes with ten connections.
const ARTICLE: [(&str, f64); 2] = [("disk", 130_520.0 / 300.0), ("RAM", 1_587_359.0 / 300.0)];
const CONNECTIONS: [usize; 2] = [1, 10];

/// Where tempdb lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Disk,
    Ram,
}

/// How it behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    Old,
    New,
}

impl Place {
    fn name(self) -> &'static str {
        ARTICLE[self as usize].0
    }
}

impl Behaviour {
    fn name(self) -> &'static str {
        match self {
            Behaviour::Old => "old",
            Behaviour::New => "new",
        }
    }
}

/// One measured case.
struct Measured {
    place: Place,
    behaviour: Behaviour,
    connections: usize,
    per_second: f64,
    case: Case,
}

/// How long each case runs.
fn time_ms(scale: Scale) -> u64 {
    scale.pick(100, 5_000, 60_000)
}

pub(super) fn run(context: &ExperimentContext<'_>) -> Result<Repetition, LabError> {
    let time_ms = time_ms(context.scale);
    let mut measured = Vec::new();
    context.expect(2 * 2 * CONNECTIONS.len());
    for place in [Place::Disk, Place::Ram] {
        context.on_server(place.name(), &["tempdb"], MEMORY_MB, settings(place), |target| {
            measure_place(context, place, target, time_ms, &mut measured)
        })?;
    }
    Ok(repetition(measured))
}

fn settings(place: Place) -> String {
    let (device, overflow) = match place {
        Place::Disk => ("file", ""),
        Place::Ram => ("ram", "overflow = true\n"),
    };
    let mut out = String::new();
    for name in ["tempdev", "tempdev2", "tempdev3"] {
        out += &file(name, device, "size = \"200MB\"\nmax_size = \"200MB\"\ngrowth = \"0MB\"\n");
    }
    out += &file("tempdev4", "file", &format!("size = \"1MB\"\ngrowth = \"10MB\"\n{overflow}"));
    out += &file("templog", device, "log = true\nsize = \"50MB\"\ngrowth = \"10MB\"\n");
    out + "[device.sata]\nmodel = \"disk-10k-sata\"\nbacking = \"ram\"\n\n[[placement]]\npath = \"tempdb\"\ndevice = \"sata\"\n"
}

fn file(name: &str, device: &str, rest: &str) -> String {
    let path = if device == "file" { format!("path = \"tempdb/{name}\"\n") } else { String::new() };
    format!("[[tempdb.file]]\nname = \"{name}\"\ndevice = \"{device}\"\n{path}{rest}\n")
}

fn measure_place(
    context: &ExperimentContext<'_>,
    place: Place,
    target: &Target,
    time_ms: u64,
    measured: &mut Vec<Measured>,
) -> Result<(), LabError> {
    let mut watcher = Link::open(target, "").doing("login")?;
    for behaviour in [Behaviour::Old, Behaviour::New] {
        let is_old = i64::from(behaviour == Behaviour::Old);
        configure(&mut watcher, "tempdb forward-only extent search", is_old)?;
        configure(&mut watcher, "tempdb eager writes", is_old)?;
        for connections in CONNECTIONS {
            let name = case_name(place, behaviour, connections);
            let work = || measure(&mut watcher, target, place, behaviour, connections, time_ms);
            measured.push(context.case(&name, work)?);
        }
    }
    Ok(())
}

fn case_name(place: Place, behaviour: Behaviour, connections: usize) -> String {
    format!("{}, {}, {connections}", place.name(), behaviour.name())
}

const COUNTERS: &str = "select sum(cast(num_of_bytes_written as float)), sum(cast(num_of_writes as float)), \
     sum(cast(io_stall_write_ms as float)) from sys.dm_io_virtual_file_stats(2, null)";

fn measure(
    watcher: &mut Link,
    target: &Target,
    place: Place,
    behaviour: Behaviour,
    connections: usize,
    time_ms: u64,
) -> Result<Measured, LabError> {
    let before = row(watcher, COUNTERS)?;
    let started = Instant::now();
    let rows = loops(target, connections, time_ms)?;
    let elapsed = started.elapsed().as_secs_f64();
    let after = row(watcher, COUNTERS)?;
    let [bytes, writes, stall_ms] = std::array::from_fn(|index| after[index] - before[index]);
    let per_second = rows / elapsed;
    let case = Case::new(case_name(place, behaviour, connections))
        .with("tempdb", place.name())
        .with("behaviour", behaviour.name())
        .with("connections", connections)
        .with("seconds", elapsed)
        .with("inserts_per_second", per_second.round())
        .with("written_mb", bytes / f64::from(1 << 20))
        .with("bytes_written_per_byte", bytes / (rows * 8192.0))
        .with("ms_per_write", if writes > 0.0 { stall_ms / writes } else { 0.0 });
    Ok(Measured { place, behaviour, connections, per_second, case })
}

/// The loop on every connection; the rows inserted by all.
fn loops(target: &Target, connections: usize, time_ms: u64) -> Result<f64, LabError> {
    let batch = format!(
        "set nocount on
declare @i int = 0, @end datetime2 = dateadd(millisecond, {time_ms}, sysdatetime()), @n int
while sysdatetime() <= @end
begin
    create table #t (mycol char(8000) not null)
    set @n = 0
    while @n < {ROWS} and sysdatetime() <= @end
    begin
        insert #t values ('abc')
        set @n = @n + 1
    end
    drop table #t
    set @i = @i + @n
end
select @i"
    );
    sum_of_answers(target, "tempdb", connections, &batch)
}

fn repetition(measured: Vec<Measured>) -> Repetition {
    let rate = |place, behaviour, connections| {
        let found = measured.iter().find(|m| (m.place, m.behaviour, m.connections) == (place, behaviour, connections));
        found.map_or(f64::NAN, |m| m.per_second)
    };
    let ratio = |behaviour| rate(Place::Ram, behaviour, 10) / rate(Place::Disk, behaviour, 10);
    let effects = vec![
        ("ram_over_disk_old", ratio(Behaviour::Old)),
        ("ram_over_disk_new", ratio(Behaviour::New)),
        ("new_over_old_on_disk", rate(Place::Disk, Behaviour::New, 10) / rate(Place::Disk, Behaviour::Old, 10)),
    ];
    let series = |name: &str, behaviour| {
        let places = [Place::Disk, Place::Ram].map(|place| Some(Spread::from(rate(place, behaviour, 10))));
        Series { name: name.into(), values: places.to_vec() }
    };
    let article = ARTICLE.map(|(_, rate)| Some(Spread::from(rate))).to_vec();
    let article = Series { name: "the article, 2006".into(), values: article };
    let chart = Chart {
        title: "Inserts into temporary tables, ten connections".into(),
        y: Axis::by_range("rows per second"),
        figures: Figures::Bars {
            x: "where tempdb lies".into(),
            groups: vec!["disk".into(), "RAM, overflow on the disk".into()],
            bars: vec![article, series("old behaviour", Behaviour::Old), series("new behaviour", Behaviour::New)],
        },
    };
    Repetition { cases: measured.into_iter().map(|m| m.case).collect(), charts: vec![chart], effects }
}

pub(super) fn page(scale: Scale, samples: &Samples) -> Page {
    let figure = |place, behaviour, name| samples.spread(&case_name(place, behaviour, 10), name);
    let written = "bytes written to the data files per byte inserted, ten connections, on the disk";
    Page {
        title: "Tempdb on a RAM drive",
        article: Some(ROGERSON),
        comparisons: vec![
            Comparison::effect(
                "RAM : disk, inserts of ten connections, old behaviour",
                ARTICLE[1].1 / ARTICLE[0].1,
                samples.effect("ram_over_disk_old"),
            ),
            Comparison::unnumbered(
                "the same, new behaviour",
                Theirs::Words("SQL Server 2000 had the old one alone"),
                "×",
                samples.effect("ram_over_disk_new"),
            ),
            Comparison::absolute(
                "inserts a second, tempdb on the disk",
                "rows/s",
                ARTICLE[0].1,
                figure(Place::Disk, Behaviour::Old, "inserts_per_second"),
            ),
            Comparison::absolute(
                "inserts a second, tempdb in RAM",
                "rows/s",
                ARTICLE[1].1,
                figure(Place::Ram, Behaviour::Old, "inserts_per_second"),
            ),
            Comparison::unnumbered(
                format!("{written}, old behaviour"),
                Theirs::Words("written, if the files together are larger than the cache"),
                "",
                figure(Place::Disk, Behaviour::Old, "bytes_written_per_byte"),
            ),
            Comparison::unnumbered(
                format!("{written}, new behaviour"),
                Theirs::Words("wished for: the table is gone before"),
                "",
                figure(Place::Disk, Behaviour::New, "bytes_written_per_byte"),
            ),
        ],
        differs: "the article's server was SQL Server 2000 with 512 MB, trace flag 1118, a real 74 GB SATA disk of 10,000 rpm and                   a RAM drive in software, for five minutes, and inserted as much as it could in five seconds into each table,                   about 100 MB; here the disk is emulated, a table is 10 MB, and a case takes seconds. Iterations are                   converted to rows a second."
            .into(),
        setup: vec![
            format!(
                "A loop inserts {ROWS} rows of 8,000 bytes into a temporary table and drops it, for {} seconds. \
                 The server has {MEMORY_MB} MB; tempdb has three files of 200 MB, one of 1 MB that grows, and a log of \
                 50 MB. The disk is an emulated SATA disk of 10,000 revolutions a minute.",
                time_ms(scale) as f64 / 1000.0
            ),
            "Old behaviour: free extents are taken forward only, bulk loads write at once, and pages of dropped tables \
             are written too. New behaviour: freed extents are used first and their pages are never written."
                .into(),
        ],
        findings: vec![
            format!(
                "Old behaviour, ten connections: RAM is {} times as fast as the disk (the article: {:.1} times).",
                samples.said("ram_over_disk_old"),
                ARTICLE[1].1 / ARTICLE[0].1
            ),
            format!(
                "New behaviour, ten connections: RAM is {} times as fast as the disk.",
                samples.said("ram_over_disk_new")
            ),
            format!(
                "On the disk the new behaviour alone brings {} times as many inserts.",
                samples.said("new_over_old_on_disk")
            ),
        ],
        sections: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_in_memory_does_the_last_file_take_what_overflows() {
        assert_eq!(settings(Place::Disk).matches("overflow = true").count(), 0);
        assert_eq!(settings(Place::Disk).matches("device = \"ram\"").count(), 0);
        let ram = settings(Place::Ram);
        assert_eq!(ram.matches("device = \"ram\"").count(), 4, "{ram}");
        assert!(ram.contains("name = \"tempdev4\"\ndevice = \"file\"\npath = \"tempdb/tempdev4\"\n"), "{ram}");
        assert_eq!(ram.matches("overflow = true").count(), 1);
    }
}
