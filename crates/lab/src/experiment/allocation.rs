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

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use millpond_types::Value;

use super::article::{Article, Comparison, Theirs};
use super::case::{Case, Repetition, Samples};
use super::outcome::Told;
use super::waits::{Wait, grown, waits};
use super::{ExperimentContext, Scale, numbers, sum_of_answers};
use crate::failure::{Doing, LabError};
use crate::link::{Link, Target};
use crate::plot::{Axis, Chart, Figures, Series, Spread};

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
    per_second: f64,
    latch_us_per_table: f64,
    case: Case,
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
                let work = || measure(&mut watcher, target, TEMPDB, sessions, size.time_ms, &name);
                let (per_second, latch_us_per_table, case) = context.case(&name, work)?;
                let case = case.with("files", files);
                measured.push(Measured { files, sessions, per_second, latch_us_per_table, case });
            }
            Ok(())
        })?;
    }
    let mixed =
        context.on_server("mixed", &[], MEMORY_MB, settings(1), |target| measure_mixed(context, target, size))?;
    Ok(repetition(size, measured, mixed))
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
        let work = || measure(&mut watcher, target, USER, size.most_sessions(), size.time_ms, &name);
        let (per_second, _, case) = context.case(&name, work)?;
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

/// Tables a second, time of waits for page latches for each of them in microseconds, and the case.
fn measure(
    watcher: &mut Link,
    target: &Target,
    (database, name): Where,
    sessions: usize,
    time_ms: u64,
    case: &str,
) -> Result<(f64, f64, Case), LabError> {
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
    let page_ms: f64 = waited.iter().filter(|wait| wait.name.starts_with("PAGELATCH_")).map(|wait| wait.ms).sum();
    let per_second = tables / elapsed_s;
    let latch_us_per_table = 1e3 * page_ms / tables.max(1.0);
    let case = Case::new(case)
        .with("sessions", sessions)
        .with("tables_per_second", per_second.round())
        .with("page_latch_wait_ms", page_ms)
        .with("page_latch_wait_us_per_table", latch_us_per_table)
        .with("extent_cache_waits", latches[0] - before.1[0])
        .with("extent_cache_wait_ms", latches[1] - before.1[1])
        .with("looks", looks);
    let case = Kind::ALL.into_iter().fold(case, |case, kind| {
        let count = seen.iter().filter(|known| **known == kind).count();
        case.with(kind.figure(), count)
    });
    Ok((per_second, latch_us_per_table, case.with("waits", said(&waited))))
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

fn repetition(size: Size, measured: Vec<Measured>, mixed: [(f64, Case); 2]) -> Repetition {
    let of = |files: u32, sessions: usize| measured.iter().find(|m| (m.files, m.sessions) == (files, sessions));
    let rate = |files, sessions| of(files, sessions).map_or(f64::NAN, |m| m.per_second);
    let (most, last) = (size.most_sessions(), size.files.last().copied().unwrap_or(1));
    let eight = if size.files.contains(&8) { 8 } else { last };
    let [(on, on_case), (off, off_case)] = mixed;
    let effects = vec![
        ("eight_files_over_one", rate(eight, most) / rate(1, most)),
        ("most_files_over_one", rate(last, most) / rate(1, most)),
        ("most_sessions_over_one_session", rate(1, most) / rate(1, size.sessions[0])),
        ("mixed_off_over_on", off / on),
    ];
    let lines = |value: fn(&Measured) -> f64| -> Vec<Series<(f64, Spread)>> {
        let line = |&sessions: &usize| {
            let points = measured.iter().filter(|m| m.sessions == sessions);
            let values = points.map(|m| (f64::from(m.files), Spread::from(value(m)))).collect();
            Series { name: if sessions == 1 { "1 session".into() } else { format!("{sessions} sessions") }, values }
        };
        size.sessions.iter().map(line).collect()
    };
    let chart = |title: &str, y: Axis, value| Chart {
        title: title.into(),
        y,
        figures: Figures::Lines { x: Axis::by_range("data files of tempdb"), lines: lines(value) },
    };
    let charts = vec![
        chart("Temporary tables that are created and dropped", Axis::by_range("tables per second"), |m| m.per_second),
        chart("Waits for latches of pages", Axis::by_range("µs for each table"), |m| m.latch_us_per_table),
    ];
    let cases = measured.iter().map(|m| m.case.clone()).chain([on_case, off_case]).collect();
    Repetition { cases, charts, effects }
}

pub(super) fn tell(scale: Scale, samples: &Samples) -> Told {
    let size = Size::of(scale);
    let most = size.most_sessions();
    let said = |name| samples.said(name);
    let pages = |word| samples.spread(&mixed_name(word), "pages_of_a_table_of_one_row");
    let shown = |spread: Option<Spread>| spread.map_or_else(|| "?".to_owned(), |spread| spread.to_string());
    let has_effect = pages("on") != pages("off");
    let seen = |figure: &str| -> f64 {
        samples.cases().iter().filter_map(|case| samples.spread(case, figure)).map(|s| s.median).sum()
    };
    Told {
        title: "Files of tempdb and sessions that allocate",
        article: Some(Article {
            author: "Tony Rogerson",
            title: "Put TEMPDB on a RAM DRIVE; Short lived # tables - do they get written to disk?",
            year: "2006",
            address: None,
        }),
        comparisons: vec![
            Comparison::unnumbered(
                format!("tables a second, eight files : one, {most} sessions"),
                Theirs::Unreadable("announced for a later article; contention falls with more files"),
                "×",
                samples.effect("eight_files_over_one"),
            ),
            Comparison::unnumbered(
                format!("tables a second, most files : one, {most} sessions"),
                Theirs::Words("may harm on a disk, by its head's movement"),
                "×",
                samples.effect("most_files_over_one"),
            ),
            Comparison::unnumbered(
                "tables a second, mixed extents off : on, as trace flag 1118",
                Theirs::Words("a good positive difference (a comment)"),
                "×",
                samples.effect("mixed_off_over_on"),
            ),
        ],
        differs: "the article asks the question and leaves the measurement to a later one; its server is SQL Server 2000, whose \
                  temporary tables began in mixed extents. In tempdb they never do since SQL Server 2016, nor do they here, so that \
                  the option is tried in a user database."
            .into(),
        setup: vec![
            format!(
                "Each session creates a temporary table of one row, and drops it, for {} seconds a case. The server has \
                 {MEMORY_MB} MB; tempdb has {TEMPDB_MB} MB in files of equal size, in memory.",
                size.time_ms as f64 / 1000.0
            ),
            "Beside the sessions one looks every 2 ms at requests that wait for the latch of a page, and counts what the pages \
             are: PFS, GAM, SGAM or another. Which extents are free is kept in memory (latch class ALLOC_EXTENT_CACHE), so \
             that map pages are latched to note a change, not to search. The loop runs in the server; the look is one more session."
                .into(),
            "The last two cases do the same with tables of a user database, with MIXED_PAGE_ALLOCATION on and off: the \
             counterpart of trace flag 1118."
                .into(),
        ],
        findings: vec![
            format!("With {most} sessions eight files give {} times the tables a second of one, most files {} times.", said("eight_files_over_one"), said("most_files_over_one")),
            format!("With one file, {most} sessions make {} times the tables a second of one session.", said("most_sessions_over_one_session")),
            format!(
                "Looks saw requests wait for a PFS page {:.0} times, for a GAM {:.0}, for an SGAM {:.0}, for other pages {:.0} times, all \
                 cases together.",
                seen(Kind::Pfs.figure()),
                seen(Kind::Gam.figure()),
                seen(Kind::Sgam.figure()),
                seen(Kind::Other.figure())
            ),
            format!(
                "MIXED_PAGE_ALLOCATION: a table of one row has {} pages with it on and {} with it off, tables a second off : on {}. {}",
                shown(pages("on")),
                shown(pages("off")),
                said("mixed_off_over_on"),
                if has_effect {
                    "The option decides where a table's first pages lie."
                } else {
                    "The option is kept and shown, but tables get their pages in the same way: there is nothing to switch off."
                }
            ),
        ],
        sections: Vec::new(),
    }
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

    #[test]
    fn an_option_without_effect_is_called_so() {
        let case = |word, pages: f64| Case::new(mixed_name(word)).with("pages_of_a_table_of_one_row", pages);
        let told = |off| {
            let cases = vec![case("on", 2.0), case("off", off)];
            tell(Scale::Test, &Samples::new(vec![Repetition { cases, ..Repetition::default() }]))
        };
        assert!(told(2.0).findings[3].contains("there is nothing to switch off"));
        assert!(told(9.0).findings[3].contains("2 pages with it on and 9 with it off"), "{}", told(9.0).findings[3]);
    }
}
