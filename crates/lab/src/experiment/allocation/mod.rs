//! Sessions that create and drop small temporary tables: what files of tempdb, and mixed extents, are worth.
//!
//! ```text
//!   files      of tempdb 1, 2, 4 … 64  ×  sessions 1, 4, 16, 64     each: CREATE TABLE #t, one row, DROP TABLE, again
//!   mixed      the same with tables of a user database, MIXED_PAGE_ALLOCATION on and off
//!   kinds      a sampler looks at requests that wait for a latch: of a PFS page, a GAM, an SGAM, another page
//! ```
//!
//! What always holds: tempdb lies in memory, so that no disk has a part in it; files are of the same size and large enough
//! not to grow; all cases of one number of files run on one server, each after a look at its counters. Samples count
//! waits that a look happens to see, so short waits are seen less often than they are.

mod report;

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use millpond_types::Value;

use super::case::{Case, Repetition};
use super::waits::{Wait, grown, waits};
use super::{ExperimentContext, Scale, numbers, sum_of_answers};
use crate::failure::{Doing, LabError};
use crate::link::{Link, Target};

pub(super) use report::page;

const MEMORY_MB: u64 = 512;
/// All files of tempdb together.
const TEMPDB_MB: u32 = 512;
const DATABASE: &str = "mixed";
/// Where tables are made, and what a session's table is called.
type Where = (&'static str, &'static str);
const TEMPDB: Where = ("tempdb", "N'#t'");
/// Names of tables that all see have the session's number.
const USER: Where = (DATABASE, "N't' + cast(@@spid as nvarchar(9))");
/// How often the sampler looks.
const LOOK: Duration = Duration::from_millis(2);
/// A PFS page stands for so many pages, a GAM and an SGAM for so many: page 1 and each 8,088th are PFS, page 2 and each
/// 511,232nd after it GAM, the next one SGAM.
const PFS_PAGES: u64 = 8_088;
const GAM_PAGES: u64 = 511_232;

/// Sizes of a run.
#[derive(Clone, Copy, Debug)]
struct Size {
    files: &'static [u32],
    sessions: &'static [usize],
    time_ms: u64,
}

impl Size {
    fn of(scale: Scale) -> Size {
        scale.pick(
            Size { files: &[1, 2], sessions: &[1, 2], time_ms: 60 },
            Size { files: &[1, 2, 4, 8, 16, 32, 64], sessions: &[1, 4, 16, 64], time_ms: 1_000 },
            Size { files: &[1, 2, 4, 8, 16, 32, 64], sessions: &[1, 4, 16, 64], time_ms: 20_000 },
        )
    }

    fn most_sessions(self) -> usize {
        self.sessions.iter().copied().max().unwrap_or(1)
    }
}

/// What a page is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pfs,
    Gam,
    Sgam,
    Other,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Pfs, Kind::Gam, Kind::Sgam, Kind::Other];

    /// Of a resource as `2:1:8088`: database, file, page. `None` for what is no page.
    fn of(resource: &str) -> Option<Kind> {
        let mut parts = resource.split(':');
        let (_, _, page) = (parts.next()?, parts.next()?, parts.next()?);
        let page: u64 = page.parse().ok().filter(|_| parts.next().is_none())?;
        Some(match page {
            _ if page == 1 || (page > 0 && page.is_multiple_of(PFS_PAGES)) => Kind::Pfs,
            2 => Kind::Gam,
            3 => Kind::Sgam,
            _ if page > 0 && page.is_multiple_of(GAM_PAGES) => Kind::Gam,
            _ if page > GAM_PAGES && page % GAM_PAGES == 1 => Kind::Sgam,
            _ => Kind::Other,
        })
    }

    fn figure(self) -> &'static str {
        match self {
            Kind::Pfs => "seen_waiting_for_pfs",
            Kind::Gam => "seen_waiting_for_gam",
            Kind::Sgam => "seen_waiting_for_sgam",
            Kind::Other => "seen_waiting_for_other_pages",
        }
    }
}

/// Tables that were created and dropped.
struct Measured {
    files: u32,
    sessions: usize,
    waited: Waited,
    case: Case,
}

/// How many in a second, and what each of them waited for latches.
#[derive(Clone, Copy, Debug)]
struct Waited {
    per_second: f64,
    page_us_per_table: f64,
    extents_us_per_table: f64,
}

pub(super) fn run(context: &ExperimentContext<'_>) -> Result<Repetition, LabError> {
    let size = Size::of(context.scale);
    context.expect(size.files.len() * size.sessions.len() + 2);
    let mut measured = Vec::new();
    for &files in size.files {
        context.on_server(&format!("files-{files}"), &[], MEMORY_MB, settings(files), |target| {
            let mut watcher = Link::open(target, "").doing("login")?;
            for &sessions in size.sessions {
                let name = case_name(files, sessions);
                let work = || measure(&mut watcher, target, TEMPDB, (files, sessions), size.time_ms, &name);
                let (waited, case) = context.case(&name, work)?;
                measured.push(Measured { files, sessions, waited, case });
            }
            Ok(())
        })?;
    }
    let mixed =
        context.on_server("mixed", &[], MEMORY_MB, settings(1), |target| measure_mixed(context, target, size))?;
    Ok(report::repetition(size, measured, mixed))
}

/// As many files of equal size in memory.
fn settings(files: u32) -> String {
    let one = |number: u32| {
        let mb = TEMPDB_MB / files;
        format!("[[tempdb.file]]\nname = \"temp{number}\"\ndevice = \"ram\"\nsize = \"{mb}MB\"\ngrowth = \"64MB\"\n\n")
    };
    let log = "[[tempdb.file]]\nname = \"templog\"\ndevice = \"ram\"\nlog = true\nsize = \"64MB\"\ngrowth = \"64MB\"\n";
    (1..=files).map(one).collect::<String>() + log
}

/// Tables of a user database, with the option on and off: tables a second, and their case.
fn measure_mixed(context: &ExperimentContext<'_>, target: &Target, size: Size) -> Result<[(f64, Case); 2], LabError> {
    let mut watcher = Link::open(target, "").doing("login")?;
    watcher.batch(&format!("create database {DATABASE}")).doing("create database")?;
    watcher.batch(&format!("alter database {DATABASE} set recovery simple")).doing("the option")?;
    let mut one = |word: &str| {
        let set = format!("alter database {DATABASE} set mixed_page_allocation {word}");
        watcher.batch(&set).doing("the option")?;
        let name = mixed_name(word);
        let work = || measure(&mut watcher, target, USER, (1, size.most_sessions()), size.time_ms, &name);
        let (Waited { per_second, .. }, case) = context.case(&name, work)?;
        let pages = reserved_pages(target)?;
        Ok::<_, LabError>((per_second, case.with("pages_of_a_table_of_one_row", pages)))
    };
    Ok([one("on")?, one("off")?])
}

fn case_name(files: u32, sessions: usize) -> String {
    format!("{files} files, {sessions} sessions").replace("1 files", "1 file").replace(", 1 sessions", ", 1 session")
}

fn mixed_name(word: &str) -> String {
    format!("user database, mixed extents {word}")
}

/// The loop of one session for so long; the tables that it made. In both places by a text that is run, so that they differ in
/// nothing else.
fn batch(name: &str, time_ms: u64) -> String {
    format!(
        "set nocount on
declare @i int = 0, @end datetime2 = dateadd(millisecond, {time_ms}, sysdatetime()), @t nvarchar(20) = {name}, @text nvarchar(400)
set @text = N'create table ' + @t + N' (c char(100) not null) insert ' + @t + N' values (''a'') drop table ' + @t
while sysdatetime() <= @end
begin
    exec(@text)
    set @i = @i + 1
end
select @i"
    )
}

/// Pages that a table of one row has, its IAM page too.
fn reserved_pages(target: &Target) -> Result<f64, LabError> {
    let mut link = Link::open(target, DATABASE).doing("login")?;
    link.batch("create table one (c char(100) not null) insert one values ('a')").doing("a table of one row")?;
    let count = "select cast(sum(reserved_page_count) as float) from sys.dm_db_partition_stats where object_id = object_id('one')";
    let pages = super::row(&mut link, count)?[0];
    link.batch("drop table one").doing("drop table")?;
    Ok(pages)
}

/// Count and time of the waits for latches of a class.
const LATCHES: &str = "select cast(waiting_requests_count as float), cast(wait_time_ms as float) from sys.dm_os_latch_stats \
     where latch_class = 'ALLOC_EXTENT_CACHE'";

/// What a case came to.
fn measure(
    watcher: &mut Link,
    target: &Target,
    (database, name): Where,
    (files, sessions): (u32, usize),
    time_ms: u64,
    case: &str,
) -> Result<(Waited, Case), LabError> {
    let before = (waits(watcher)?, numbers(watcher, LATCHES)?.pop().unwrap_or_else(|| vec![0.0; 2]));
    let is_over = AtomicBool::new(false);
    let started = Instant::now();
    let (tables, seen) = std::thread::scope(|scope| {
        let sampler = scope.spawn(|| sample(target, &is_over));
        let tables = sum_of_answers(target, database, sessions, &batch(name, time_ms));
        is_over.store(true, Relaxed);
        (tables, sampler.join().expect("the sampler does not panic"))
    });
    let (tables, elapsed_s, (looks, seen)) = (tables?, started.elapsed().as_secs_f64(), seen?);
    let waited = grown(&before.0, waits(watcher)?);
    let latches = numbers(watcher, LATCHES)?.pop().unwrap_or_else(|| vec![0.0; 2]);
    let page_waits = waited.iter().filter(|wait| wait.name.starts_with("PAGELATCH_"));
    // Of none the sum is -0: what is added takes the sign away.
    let page_ms = page_waits.map(|wait| wait.ms).sum::<f64>() + 0.0;
    let extents_ms = latches[1] - before.1[1];
    let of_each = |ms: f64| 1e3 * ms / tables.max(1.0);
    let waited_for = Waited {
        per_second: tables / elapsed_s,
        page_us_per_table: of_each(page_ms),
        extents_us_per_table: of_each(extents_ms),
    };
    let case = Case::new(case)
        .with("files", files)
        .with("sessions", sessions)
        .with("tables_per_second", waited_for.per_second.round())
        .with("page_latch_wait_ms", page_ms)
        .with("page_latch_wait_us_per_table", waited_for.page_us_per_table)
        .with("extent_cache_waits", latches[0] - before.1[0])
        .with("extent_cache_wait_ms", extents_ms)
        .with("extent_cache_wait_us_per_table", waited_for.extents_us_per_table)
        .with("looks", looks);
    let case = Kind::ALL.into_iter().fold(case, |case, kind| {
        let count = seen.iter().filter(|known| **known == kind).count();
        case.with(kind.figure(), count)
    });
    Ok((waited_for, case.with("waits", said(&waited))))
}

/// The three longest waits.
fn said(waited: &[Wait]) -> String {
    waited.iter().take(3).map(|wait| format!("{} {:.0} ms", wait.name, wait.ms)).collect::<Vec<_>>().join(", ")
}

/// Looks until it is over: how often, and what pages requests were seen waiting for.
fn sample(target: &Target, is_over: &AtomicBool) -> Result<(u32, Vec<Kind>), LabError> {
    let mut link = Link::open(target, "").doing("login")?;
    let query = "select resource_description from sys.dm_os_waiting_tasks where wait_type like 'PAGELATCH%'";
    let (mut looks, mut seen) = (0, Vec::new());
    while !is_over.load(Relaxed) {
        let answer = link.batch(query).doing(query)?;
        let rows = answer.tables.first().map_or(&[][..], |table| &table.rows[..]);
        let resources = rows.iter().filter_map(|row| row.first().and_then(Value::as_str));
        seen.extend(resources.filter_map(Kind::of));
        looks += 1;
        std::thread::sleep(LOOK);
    }
    Ok((looks, seen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_known_by_their_numbers() {
        for (resource, kind) in [
            ("2:1:1", Some(Kind::Pfs)),
            ("2:1:8088", Some(Kind::Pfs)),
            ("2:3:16176", Some(Kind::Pfs)),
            ("2:1:2", Some(Kind::Gam)),
            ("2:1:511232", Some(Kind::Gam)),
            ("2:1:3", Some(Kind::Sgam)),
            ("2:1:511233", Some(Kind::Sgam)),
            ("2:1:0", Some(Kind::Other)),
            ("2:1:116", Some(Kind::Other)),
            ("2:1", None),
            ("2:1:1:0", None),
            ("", None),
            ("KEY: 5:72 (a)", None),
        ] {
            assert_eq!(Kind::of(resource), kind, "{resource}");
        }
    }

    #[test]
    fn files_are_of_equal_size_and_in_memory() {
        let many = settings(64);
        assert_eq!((many.matches("size = \"8MB\"").count(), many.matches("device = \"ram\"").count()), (64, 65));
        assert!(settings(1).contains("size = \"512MB\""));
    }
}
