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

use std::time::Instant;

use super::outcome::{Case, Outcome};
use super::waits::{Wait, grown, waits};
use super::{ExperimentContext, configure, numbers, sum_of_answers};
use crate::failure::{Doing, LabError};
use crate::link::{Link, Target};
use crate::plot::{Axis, Chart, Figures, Series};

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

pub(super) fn run(context: &ExperimentContext<'_>) -> Result<Outcome, LabError> {
    let size = context.scale.pick(
        Size { rows: 1_000, variable_rows: 100, warm_up_ms: 10, time_ms: 100, tries: 1 },
        Size { rows: 100_000, variable_rows: 5_000, warm_up_ms: 1_000, time_ms: 5_000, tries: 5 },
        Size { rows: 100_000, variable_rows: 5_000, warm_up_ms: 60_000, time_ms: 180_000, tries: 15 },
    );
    context.expect(FILES.len() * 2 + WAYS.len() + VARIABLES.len());
    let (mut loads, mut single) = (Vec::new(), Vec::new());
    for files in FILES {
        context.on_server(&format!("files-{files}"), &["tempdb"], MEMORY_MB, settings(files), |target| {
            measure_loads(context, size, files, target, &mut loads)?;
            if files == 1 { measure_single(context, size, target, &mut single) } else { Ok(()) }
        })?;
    }
    Ok(outcome(context, size, loads, single))
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

fn outcome(context: &ExperimentContext<'_>, size: Size, loads: Vec<Load>, single: Vec<Single>) -> Outcome {
    let load = |files, is_eager| loads.iter().find(|load| (load.files, load.is_eager) == (files, is_eager));
    let per_minute = |is_eager| FILES.map(|files| load(files, is_eager).map(|load| load.per_minute)).to_vec();
    let rate =
        |name: &str| single.iter().find(|single| single.name == name).map_or(f64::NAN, |single| single.rows_per_s);
    let findings = findings(load, rate);
    let bars = vec![
        Series { name: "eager writes".into(), values: per_minute(true) },
        Series { name: "new".into(), values: per_minute(false) },
    ];
    let loads_chart = Chart {
        title: "SELECT INTO, six sessions".into(),
        y: Axis::new("tables per minute"),
        figures: Figures::Bars { groups: vec!["1 file".into(), "40 files".into()], bars },
    };
    let ways_chart = Chart {
        title: "Ways to fill a table, one session".into(),
        y: Axis::new("rows per second"),
        figures: Figures::Bars {
            groups: single.iter().map(|single| single.name.into()).collect(),
            bars: vec![Series {
                name: "rows".into(),
                values: single.iter().map(|single| Some(single.rows_per_s)).collect(),
            }],
        },
    };
    let cases = loads.into_iter().map(|load| load.case).chain(single.into_iter().map(|single| single.case)).collect();
    Outcome {
        name: "select-into",
        title: "SELECT INTO by six sessions",
        setup: setup(size),
        command: context.command("select-into"),
        cases,
        charts: vec![loads_chart, ways_chart],
        findings,
    }
}

fn setup(size: Size) -> Vec<String> {
    vec![
        format!(
            "{WORKERS} sessions select {} rows of about 110 bytes into a temporary table and drop it, for {} seconds after \
             {} seconds of warm-up, each on one processor. The server has {MEMORY_MB} MB; tempdb has 2 GB in 1 or 40 files \
             of equal size, on an emulated SSD.",
            size.rows,
            size.time_ms as f64 / 1000.0,
            size.warm_up_ms as f64 / 1000.0
        ),
        "Eager: bulk loads write their pages at once, and extents are taken forward only, as SQL Server 2012 did. New: \
         pages are written when memory is needed, freed extents are used first."
            .into(),
        format!(
            "Below: one session that fills one table of as many rows, in five ways, and a table variable of {} rows; the \
             middle of {} times.",
            size.variable_rows, size.tries
        ),
    ]
}

fn findings<'a>(load: impl Fn(u32, bool) -> Option<&'a Load>, rate: impl Fn(&str) -> f64) -> Vec<String> {
    let mut out = Vec::new();
    if let (Some(eager), Some(new)) = (load(40, true), load(40, false)) {
        out.push(format!(
            "With 40 files, new behaviour fills {:.1} times as many tables, and writes {:.1} MB where eager writes are \
             {:.0} MB (the article: the I/O just about disappears).",
            new.per_minute / eager.per_minute,
            new.written_mb,
            eager.written_mb
        ));
    }
    if let (Some(one), Some(forty)) = (load(1, false), load(40, false)) {
        let ratio = one.per_minute / forty.per_minute;
        out.push(format!("New behaviour, one file is {ratio:.2} times as fast as forty."));
    }
    out.push(format!(
        "SELECT INTO on all processors is {:.2} times as fast as on one, INSERT WITH (TABLOCK) {:.2} times.",
        rate("SELECT INTO") / rate("SELECT INTO, serial"),
        rate("INSERT TABLOCK") / rate("INSERT TABLOCK, serial")
    ));
    out.push(format!(
        "A table variable of a memory-optimised type takes {:.2} times the rows of one in tempdb.",
        rate("variable in memory") / rate("variable in tempdb")
    ));
    out
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
