//! Updates with a buffer pool extension (Forrards, 2014): random one-row updates on a table four times the memory.
//!
//! ```text
//!   volumes, on a virtual clock    disk: SATA, 10,000 rpm      ssd: the extension, the logs, and one copy of the table
//!   in-memory    the table fits                             ssd      the database is on the SSD
//!   none         on the disk, little memory                 clean    with an extension of clean pages, as the original
//!   write-back   with an extension that keeps changed pages too
//! ```
//!
//! What always holds: automatic checkpoints are off, as in the article; each round is the same number of updates, each
//! its own transaction; seconds are those of the server's clock, which passes over the time that a device would take.

mod model;
mod report;

use super::case::Repetition;
use super::{ExperimentContext, Scale, configure, row};
use crate::failure::{Doing, LabError};
use crate::host::Running;
use crate::link::Link;

pub(super) use model::percent_off;
pub(super) use report::page;

/// Bytes of a row's text.
const TEXT_BYTES: u32 = 1000;
/// Rows that fit into a page.
const ROWS_PER_PAGE: u32 = 7;
/// Scans that are measured.
const SCANS: usize = 4;
/// The server's directory.
const DIR: &str = "extension";

/// Sizes of a run.
#[derive(Clone, Copy, Debug)]
struct Size {
    rows: u32,
    updates: u32,
    rounds: usize,
    memory_mb: u32,
    large_memory_mb: u32,
    extension_mb: u32,
}

impl Size {
    fn pages(self) -> u32 {
        self.rows.div_ceil(ROWS_PER_PAGE)
    }

    /// An extension for half of the table, and larger than memory, as it must be.
    fn half_table_mb(self) -> u32 {
        (self.pages() / 2 / 128).max(self.memory_mb + 1)
    }
}

/// A way to keep the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tiers {
    InMemory,
    Ssd,
    None,
    Clean,
    WriteBack,
}

impl Tiers {
    fn name(self) -> &'static str {
        match self {
            Tiers::InMemory => "in-memory",
            Tiers::Ssd => "ssd",
            Tiers::None => "none",
            Tiers::Clean => "clean",
            Tiers::WriteBack => "write-back",
        }
    }

    /// What the article measured for 10,000 updates, in seconds: the first round, and the settled ones.
    fn article_seconds(self) -> Option<(f64, f64)> {
        match self {
            Tiers::InMemory => Some((2.7, 2.7)),
            Tiers::Ssd => Some((7.0, 7.0)),
            Tiers::None => Some((149.0, 149.0)),
            Tiers::Clean => Some((22.0, 75.0)),
            Tiers::WriteBack => None,
        }
    }

    fn database(self) -> &'static str {
        if self == Tiers::Ssd { "on_ssd" } else { "on_disk" }
    }

    fn has_extension(self) -> bool {
        matches!(self, Tiers::Clean | Tiers::WriteBack)
    }
}

/// What a round is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// Updates alone.
    Updates,
    /// Four reads to an update.
    Mix,
    /// Updates after a scan of the whole table.
    AfterScan,
    /// Updates after the server was stopped and started.
    AfterRestart,
    /// A scan of the whole table, half of which the extension can hold.
    Scan,
}

impl Work {
    fn name(self) -> &'static str {
        match self {
            Work::Updates => "updates",
            Work::Mix => "80 % reads",
            Work::AfterScan => "updates after scans",
            Work::AfterRestart => "updates after a restart",
            Work::Scan => "scans",
        }
    }
}

/// The cases in their order; little memory from the second one on.
const PLAN: [(Tiers, Work); 12] = [
    (Tiers::InMemory, Work::Updates),
    (Tiers::Ssd, Work::Updates),
    (Tiers::None, Work::Updates),
    (Tiers::Clean, Work::Updates),
    (Tiers::WriteBack, Work::Updates),
    (Tiers::None, Work::Mix),
    (Tiers::Clean, Work::Mix),
    (Tiers::WriteBack, Work::Mix),
    (Tiers::Clean, Work::AfterScan),
    (Tiers::WriteBack, Work::AfterScan),
    (Tiers::None, Work::Scan),
    (Tiers::WriteBack, Work::Scan),
];

fn case_name(tiers: Tiers, work: Work) -> String {
    format!("{}, {}", tiers.name(), work.name())
}

/// One round.
#[derive(Clone, Copy, Debug)]
struct Round {
    seconds: f64,
    memory_pages: f64,
    extension_pages: f64,
}

/// The rounds of one case.
struct Measured {
    tiers: Tiers,
    work: Work,
    rounds: Vec<Round>,
}

impl Size {
    fn of(scale: Scale) -> Size {
        let quick =
            Size { rows: 125_000, updates: 1250, rounds: 20, memory_mb: 32, large_memory_mb: 384, extension_mb: 512 };
        let full = Size {
            rows: 1_000_000,
            updates: 10_000,
            rounds: 20,
            memory_mb: 256,
            large_memory_mb: 3072,
            extension_mb: 4096,
        };
        let test = Size { rows: 14_000, updates: 25, rounds: 2, memory_mb: 8, large_memory_mb: 64, extension_mb: 24 };
        scale.pick(test, quick, full)
    }
}

pub(super) fn run(context: &ExperimentContext<'_>) -> Result<Repetition, LabError> {
    let size = Size::of(context.scale);
    let mut bench = Bench::open(context, size)?;
    let result = bench.run();
    bench.stop()?;
    Ok(report::repetition(size, &result?))
}

fn start(context: &ExperimentContext<'_>, memory_mb: u32) -> Result<(Box<dyn Running>, Link), LabError> {
    let server = context.server(DIR, &["disk", "ssd"], u64::from(memory_mb), SETTINGS.into())?;
    let link = Link::open(&server.target(), "").doing("login")?;
    Ok((server, link))
}

const SETTINGS: &str = r#"
[device.disk]
model = "disk-10k-sata"
clock = "virtual"

[device.ssd]
model = "ssd"
clock = "virtual"

[[placement]]
path = "disk"
device = "disk"

[[placement]]
path = "ssd"
device = "ssd"
"#;

/// A table of the numbers from 1 to a power of ten that is no less than `rows`.
fn numbers(rows: u32) -> String {
    let digits = rows.saturating_sub(1).checked_ilog10().unwrap_or(0) + 1;
    let sum: Vec<String> = (0..digits).map(|digit| format!("{} * d{digit}.i", 10_u32.pow(digit))).collect();
    let tables: Vec<String> =
        (0..digits).map(|digit| format!("(values (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) d{digit}(i)")).collect();
    format!("(select 1 + {} as number from {}) numbers", sum.join(" + "), tables.join(" cross join "))
}

struct Bench<'a> {
    context: &'a ExperimentContext<'a>,
    /// `None` while it is restarted.
    server: Option<Box<dyn Running>>,
    link: Link,
    size: Size,
    dir: String,
}

impl<'a> Bench<'a> {
    fn open(context: &'a ExperimentContext<'a>, size: Size) -> Result<Bench<'a>, LabError> {
        let (server, link) = start(context, size.large_memory_mb)?;
        let dir = context.dir.path().join(DIR).display().to_string();
        Ok(Bench { context, server: Some(server), link, size, dir })
    }

    fn stop(&mut self) -> Result<(), LabError> {
        self.server.take().map_or(Ok(()), |server| server.stop().map_err(LabError::Stop))
    }

    /// With little memory from now on.
    fn restart(&mut self) -> Result<(), LabError> {
        self.stop()?;
        let (server, link) = start(self.context, self.size.memory_mb)?;
        (self.server, self.link) = (Some(server), link);
        Ok(())
    }

    fn run(&mut self) -> Result<Vec<Measured>, LabError> {
        configure(&mut self.link, "automatic checkpoints", 0)?;
        for tiers in [Tiers::None, Tiers::Ssd] {
            self.load(tiers)?;
        }
        let mut measured = Vec::new();
        self.context.expect(PLAN.len());
        for (tiers, work) in PLAN {
            let context = self.context;
            context.case(&case_name(tiers, work), || self.measure(tiers, work, &mut measured))?;
            if tiers == Tiers::InMemory {
                self.restart()?;
            }
        }
        Ok(measured)
    }

    fn batch(&mut self, text: &str) -> Result<(), LabError> {
        self.link.batch(text).doing(text).map(drop)
    }

    /// The table, its log on the SSD.
    fn load(&mut self, tiers: Tiers) -> Result<(), LabError> {
        let (database, dir, rows) = (tiers.database(), &self.dir, self.size.rows);
        let folder = if tiers == Tiers::Ssd { "ssd" } else { "disk" };
        let create = format!(
            "create database {database} on (name = d, filename = '{dir}/{folder}/{database}.mdf', size = 64MB, \
             filegrowth = 64MB) log on (name = l, filename = '{dir}/ssd/{database}.ldf', size = 256MB, filegrowth = 64MB)"
        );
        self.batch(&create)?;
        self.batch(&format!("alter database {database} set recovery simple"))?;
        self.batch(&format!(
            "use {database}; create table t (id int not null primary key, n char({TEXT_BYTES}) not null);
             insert t with (tablock) (id, n) select number, 'new' from {} where number <= {rows}",
            numbers(rows)
        ))?;
        self.batch(&format!("use {database}; checkpoint"))
    }

    fn measure(&mut self, tiers: Tiers, work: Work, measured: &mut Vec<Measured>) -> Result<(), LabError> {
        self.arrange(tiers, work)?;
        let count = if work == Work::Scan { SCANS } else { self.size.rounds };
        let rounds: Result<Vec<Round>, LabError> = (0..count).map(|number| self.round(tiers, work, number)).collect();
        measured.push(Measured { tiers, work, rounds: rounds? });
        if (tiers, work) == (Tiers::WriteBack, Work::Updates) {
            self.restart()?;
            let round = self.round(tiers, Work::AfterRestart, count)?;
            measured.push(Measured { tiers, work: Work::AfterRestart, rounds: vec![round] });
        }
        if tiers.has_extension() {
            self.batch("alter server configuration set buffer pool extension off")?;
        }
        Ok(())
    }

    /// Memory empty, the extension as wanted; where there is room for the whole table, it is scanned once.
    fn arrange(&mut self, tiers: Tiers, work: Work) -> Result<(), LabError> {
        self.batch(&format!("use {}; checkpoint; dbcc dropcleanbuffers", tiers.database()))?;
        if tiers.has_extension() {
            configure(&mut self.link, "buffer pool extension mode", i64::from(tiers == Tiers::WriteBack))?;
            let file = format!("{}/ssd/pool.bpe", self.dir);
            let size_mb = if work == Work::Scan { self.size.half_table_mb() } else { self.size.extension_mb };
            self.batch(&format!(
                "alter server configuration set buffer pool extension on (filename = '{file}', size = {size_mb} MB)"
            ))?;
        }
        if tiers.has_extension() || tiers == Tiers::InMemory {
            self.scan(tiers)?;
        }
        Ok(())
    }

    fn scan(&mut self, tiers: Tiers) -> Result<(), LabError> {
        self.batch(&scan_text(tiers.database()))
    }

    fn round(&mut self, tiers: Tiers, work: Work, number: usize) -> Result<Round, LabError> {
        if work == Work::AfterScan {
            self.scan(tiers)?;
        }
        let text = match work {
            Work::Scan => scan_text(tiers.database()),
            _ => round_text(tiers.database(), work, self.size, number),
        };
        let seconds = row(&mut self.link, &text)?[0];
        let pages = row(&mut self.link, PAGES_PER_TIER)?;
        Ok(Round { seconds, memory_pages: pages[0], extension_pages: pages[1] })
    }
}

const PAGES_PER_TIER: &str = "select \
     cast(sum(case when is_in_bpool_extension = 0 then 1 else 0 end) as float), \
     cast(sum(case when is_in_bpool_extension = 1 then 1 else 0 end) as float) \
     from sys.dm_os_buffer_descriptors where database_id = db_id()";

/// A scan as one batch: its seconds by the server's clock.
fn scan_text(database: &str) -> String {
    format!(
        "use {database}; declare @n char({TEXT_BYTES}), @st datetime2 = sysdatetime(); select @n = max(n) from t; \
         select cast(datediff_big(microsecond, @st, sysdatetime()) as float) / 1000000"
    )
}

/// The round as one batch: its seconds by the server's clock. Keys follow from the round's number alone.
fn round_text(database: &str, work: Work, size: Size, number: usize) -> String {
    let statement = "update t set n = 'round' where id = @id";
    let statement = match work {
        Work::Updates | Work::AfterScan | Work::AfterRestart | Work::Scan => statement.to_owned(),
        Work::Mix => format!("if @i % 5 = 0 {statement} else select @n = n from t where id = @id"),
    };
    format!(
        "use {database}; set nocount on
declare @i int = 0, @id int, @x bigint = {seed}, @n char({TEXT_BYTES}), @st datetime2 = sysdatetime()
while @i < {updates}
begin
    set @x = (@x * 1103515245 + 12345) % 2147483648
    set @id = @x / 16 % {rows} + 1
    {statement}
    set @i = @i + 1
end
select cast(datediff_big(microsecond, @st, sysdatetime()) as float) / 1000000",
        seed = 20_140_000 + number,
        updates = size.updates,
        rows = size.rows,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size =
        Size { rows: 700, updates: 1000, rounds: 2, memory_mb: 32, large_memory_mb: 64, extension_mb: 128 };

    #[test]
    fn rounds_differ_by_their_keys_alone_and_repeat() {
        let text = |number| round_text("d", Work::Updates, SIZE, number);
        assert_eq!(text(3), text(3));
        assert_eq!(text(3).replace("20140003", "20140004"), text(4));
        assert!(text(3).contains("@x / 16 % 700 + 1"));
        assert!(round_text("d", Work::Mix, SIZE, 0).contains("if @i % 5 = 0 update t"));
    }
}
