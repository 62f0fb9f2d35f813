//! Six sessions that select into temporary tables as fast as they can (Kendra Little, 2014), and the ways to fill one.
//!
//! ```text
//!   load      files of tempdb 1, 40  ×  eager: bulk loads write at once, as until 2012    new: only memory makes them
//!   way       one session: SELECT INTO, CREATE + INSERT, INSERT WITH (TABLOCK), one processor or all
//!   variable  one session: a table variable in tempdb, one of a memory-optimised type
//! ```
//!
//! What always holds: tempdb lies on an emulated SSD, the source is a table in memory; a warm-up of each load is not
//! measured; the tables of all sessions fit into memory, so that whatever is written need not have been.

mod report;

use std::time::Instant;

use super::case::{Case, Repetition};
use super::waits::{Wait, grown, waits};
use super::{ExperimentContext, Scale, configure, numbers, sum_of_answers};
use crate::failure::{Doing, LabError};
use crate::link::{Link, Target};

pub(super) use report::page;

/// Memory of the server, and the sessions: a sixth of the article's, and the article's.
const MEMORY_MB: u64 = 1024;
const WORKERS: usize = 6;
const FILES: [u32; 2] = [1, 40];
/// Waits that are named.
const WAITS: usize = 3;
/// Files that are named: the top five, as the article's sampler shows them.
const TOP_FILES: usize = 5;

/// The ways to fill a temporary table: name, and what is said after the table is gone.
const WAYS: [(&str, &str); 5] = [
    ("SELECT INTO, serial", "select id, a, b into #t from source.dbo.rows option (maxdop 1)"),
    ("SELECT INTO", "select id, a, b into #t from source.dbo.rows"),
    (
        "INSERT",
        "create table #t (id int not null, a int not null, b varchar(100) not null) \
      insert #t select id, a, b from source.dbo.rows",
    ),
    (
        "INSERT TABLOCK, serial",
        "create table #t (id int not null, a int not null, b varchar(100) not null) \
      insert #t with (tablock) select id, a, b from source.dbo.rows option (maxdop 1)",
    ),
    (
        "INSERT TABLOCK",
        "create table #t (id int not null, a int not null, b varchar(100) not null) \
      insert #t with (tablock) select id, a, b from source.dbo.rows",
    ),
];
const VARIABLES: [(&str, &str); 2] = [
    ("variable in tempdb", "declare @v table (id int not null primary key, a int not null, b varchar(100) not null)"),
    ("variable in memory", "declare @v dbo.in_memory"),
];

/// Sizes of a run.
#[derive(Clone, Copy, Debug)]
struct Size {
    rows: u32,
    /// Rows of a table variable.
    variable_rows: u32,
    warm_up_ms: u64,
    time_ms: u64,
    /// Times that a way is tried; the middle counts.
    tries: usize,
}

impl Size {
    fn of(scale: Scale) -> Size {
        scale.pick(
            Size { rows: 1_000, variable_rows: 100, warm_up_ms: 10, time_ms: 100, tries: 1 },
            Size { rows: 100_000, variable_rows: 5_000, warm_up_ms: 1_000, time_ms: 5_000, tries: 5 },
            Size { rows: 100_000, variable_rows: 5_000, warm_up_ms: 60_000, time_ms: 180_000, tries: 15 },
        )
    }
}

pub(super) fn run(context: &ExperimentContext<'_>) -> Result<Repetition, LabError> {
    let size = Size::of(context.scale);
    context.expect(FILES.len() * 2 + WAYS.len() + VARIABLES.len());
    let (mut loads, mut single) = (Vec::new(), Vec::new());
    for files in FILES {
        context.on_server(&format!("files-{files}"), &["tempdb"], MEMORY_MB, settings(files), |target| {
            measure_loads(context, size, files, target, &mut loads)?;
            if files == 1 { measure_single(context, size, target, &mut single) } else { Ok(()) }
        })?;
    }
    Ok(report::repetition(loads, single))
}

/// As many files of equal size, 2 GB together, on an SSD.
fn settings(files: u32) -> String {
    let file = |name: &str, rest: &str| {
        format!("[[tempdb.file]]\nname = \"{name}\"\ndevice = \"file\"\npath = \"tempdb/{name}\"\n{rest}\n")
    };
    let size = format!("size = \"{}MB\"\ngrowth = \"16MB\"\n", 2048 / files);
    let mut out: String = (1..=files).map(|number| file(&format!("temp{number}"), &size)).collect();
    out += &file("templog", "log = true\nsize = \"64MB\"\ngrowth = \"16MB\"\n");
    out + "[device.ssd]\nmodel = \"ssd\"\nbacking = \"ram\"\n\n[[placement]]\npath = \"tempdb\"\ndevice = \"ssd\"\n"
}

fn set_up(link: &mut Link, size: Size) -> Result<(), LabError> {
    let Size { rows, .. } = size;
    for batch in [
        "create database source".to_owned(),
        "use source create table rows (id int not null primary key, a int not null, b varchar(100) not null)"
            .to_owned(),
        "create type in_memory as table (id int not null primary key nonclustered, a int not null, \
         b varchar(100) not null) with (memory_optimized = on)"
            .to_owned(),
        "create table digits (d int not null) insert digits values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)".to_owned(),
        format!(
            "insert rows select n, n % 1000, replicate('x', 100) from (select a.d + 10 * b.d + 100 * c.d + 1000 * d.d \
             + 10000 * e.d as n from digits a, digits b, digits c, digits d, digits e) x where n < {rows}"
        ),
    ] {
        link.batch(&batch).doing("the source")?;
    }
    Ok(())
}

/// A load of six sessions.
struct Load {
    files: u32,
    is_eager: bool,
    per_minute: f64,
    written_mb: f64,
    case: Case,
}

fn measure_loads(
    context: &ExperimentContext<'_>,
    size: Size,
    files: u32,
    target: &Target,
    loads: &mut Vec<Load>,
) -> Result<(), LabError> {
    let mut watcher = Link::open(target, "").doing("login")?;
    set_up(&mut watcher, size)?;
    for is_eager in [true, false] {
        configure(&mut watcher, "tempdb forward-only extent search", i64::from(is_eager))?;
        configure(&mut watcher, "tempdb eager writes", i64::from(is_eager))?;
        let work = || {
            workers(target, size.warm_up_ms)?;
            measure_load(&mut watcher, target, size, files, is_eager)
        };
        loads.push(context.case(&load_name(files, is_eager), work)?);
    }
    configure(&mut watcher, "tempdb forward-only extent search", 0)?;
    configure(&mut watcher, "tempdb eager writes", 0)
}

fn load_name(files: u32, is_eager: bool) -> String {
    let behaviour = if is_eager { "eager" } else { "new" };
    format!("{files} file{}, {behaviour}", if files == 1 { "" } else { "s" })
}

/// Number, bytes written, writes and their milliseconds, of each file of tempdb.
const OF_FILES: &str = "select cast(file_id as float), cast(num_of_bytes_written as float), cast(num_of_writes as float), \
     cast(io_stall_write_ms as float) from sys.dm_io_virtual_file_stats(2, null) order by file_id";

fn measure_load(watcher: &mut Link, target: &Target, size: Size, files: u32, is_eager: bool) -> Result<Load, LabError> {
    let (before, waited) = (numbers(watcher, OF_FILES)?, waits(watcher)?);
    let started = Instant::now();
    let transactions = workers(target, size.time_ms)?;
    let elapsed_s = started.elapsed().as_secs_f64();
    let waited = grown(&waited, waits(watcher)?);
    let written = written_by_file(&before, &numbers(watcher, OF_FILES)?);
    let sum = |at: fn(&Written) -> f64| written.iter().map(at).sum::<f64>();
    let (written_mb, writes) = (sum(|file| file.mb), sum(|file| file.writes));
    let per_minute = transactions * 60.0 / elapsed_s;
    let case = Case::new(load_name(files, is_eager))
        .with("files", files)
        .with("seconds", elapsed_s)
        .with("transactions_per_minute", per_minute.round())
        .with("written_mb", written_mb)
        .with("ms_per_write", if writes > 0.0 { sum(|file| file.ms) / writes } else { 0.0 })
        .with("top_files_mb", top_files(written))
        .with("waits", said(&waited));
    Ok(Load { files, is_eager, per_minute, written_mb, case })
}

/// What was written to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Written {
    file: f64,
    mb: f64,
    writes: f64,
    ms: f64,
}

fn written_by_file(before: &[Vec<f64>], after: &[Vec<f64>]) -> Vec<Written> {
    let one = |(before, after): (&Vec<f64>, &Vec<f64>)| Written {
        file: after[0],
        mb: (after[1] - before[1]) / f64::from(1 << 20),
        writes: after[2] - before[2],
        ms: after[3] - before[3],
    };
    before.iter().zip(after).map(one).collect()
}

/// The files that were written to most: `3: 17.2, …`.
fn top_files(mut written: Vec<Written>) -> String {
    written.retain(|file| file.mb > 0.0);
    written.sort_by(|a, b| b.mb.total_cmp(&a.mb));
    let top: Vec<String> =
        written.iter().take(TOP_FILES).map(|file| format!("{}: {:.1}", file.file, file.mb)).collect();
    top.join(", ")
}

/// The longest waits, with the share of each that was for a processor.
fn said(waited: &[Wait]) -> String {
    let one =
        |wait: &Wait| format!("{} {:.0} ms ({:.0} % signal)", wait.name, wait.ms, 100.0 * wait.signal_ms / wait.ms);
    waited.iter().take(WAITS).map(one).collect::<Vec<_>>().join(", ")
}

/// The load for so long; the tables that were filled.
fn workers(target: &Target, time_ms: u64) -> Result<f64, LabError> {
    let batch = format!(
        "set nocount on
declare @i int = 0, @end datetime2 = dateadd(millisecond, {time_ms}, sysdatetime())
while sysdatetime() <= @end
begin
    select id, a, b into #t from source.dbo.rows option (maxdop 1)
    drop table #t
    set @i = @i + 1
end
select @i"
    );
    sum_of_answers(target, "", WORKERS, &batch)
}

/// One session that fills one table.
struct Single {
    name: &'static str,
    rows_per_s: f64,
    case: Case,
}

fn measure_single(
    context: &ExperimentContext<'_>,
    size: Size,
    target: &Target,
    single: &mut Vec<Single>,
) -> Result<(), LabError> {
    let mut link = Link::open(target, "").doing("login")?;
    configure(&mut link, "cost threshold for parallelism", 0)?;
    let variable = |(name, declare): (&'static str, &str)| {
        let rows = size.variable_rows;
        let fill = format!("{declare} insert @v select top ({rows}) id, a, b from source.dbo.rows");
        (name, fill, rows)
    };
    let ways = WAYS.map(|(name, fill)| (name, format!("drop table if exists #t {fill}"), size.rows));
    // A type is named with its schema only.
    link.batch("use source").doing("the source")?;
    for (name, fill, rows) in ways.into_iter().chain(VARIABLES.map(variable)) {
        let batch = format!("set nocount on {fill}");
        single.push(context.case(name, || fill_once(&mut link, name, &batch, rows, size.tries))?);
    }
    Ok(())
}

fn fill_once(link: &mut Link, name: &'static str, batch: &str, rows: u32, tries: usize) -> Result<Single, LabError> {
    let mut seconds = Vec::new();
    for _ in 0..=tries {
        let started = Instant::now();
        link.batch(batch).doing(name)?;
        seconds.push(started.elapsed().as_secs_f64());
    }
    // The first one makes the plan.
    seconds.remove(0);
    seconds.sort_by(f64::total_cmp);
    let middle = seconds[seconds.len() / 2];
    let rows_per_s = f64::from(rows) / middle;
    let case = Case::new(name).with("seconds", middle).with("rows_per_second", rows_per_s.round());
    Ok(Single { name, rows_per_s, case })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_of_equal_size_and_on_the_ssd() {
        let forty = settings(40);
        assert_eq!(forty.matches("size = \"51MB\"").count(), 40);
        assert_eq!((settings(1).matches("size = \"2048MB\"").count(), forty.matches("log = true").count()), (1, 1));
    }

    #[test]
    fn the_files_that_were_written_to_most_are_named() {
        let row = |file: f64, mb: f64| vec![file, mb * f64::from(1 << 20), mb, 2.0 * mb];
        let before: Vec<_> = (1..=7).map(|file| row(f64::from(file), 1.0)).collect();
        let after: Vec<_> = (1..=7).map(|file| row(f64::from(file), f64::from(file))).collect();
        let written = written_by_file(&before, &after);
        assert_eq!(written[6], Written { file: 7.0, mb: 6.0, writes: 6.0, ms: 12.0 });
        assert_eq!(top_files(written), "7: 6.0, 6: 5.0, 5: 4.0, 4: 3.0, 3: 2.0");
    }
}
