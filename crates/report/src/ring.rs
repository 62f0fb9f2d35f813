//! A report of the file of a data directory: while its server runs, or after it is gone.
//!
//! What always holds: the file is read and nothing is changed. Relative times are before the end of what is recorded, so that a file
//! that was found weeks later is reported like one of now.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_history::parts::{self, Part, PartOf};
use millpond_history::ring::{FILE_NAME, Health, Range, Reader, RingError};
use millpond_history::sample::{FileUse, StatementUse, TextId, WaitUse};
use millpond_history::series;

use crate::data::{Before, DAY_US, File, Report, Row, Statement};
use crate::text::{When, time_text};

/// Why there is no report.
#[derive(Debug)]
pub enum ReportError {
    /// The file.
    Ring(PathBuf, RingError),
    /// There is none.
    NoFile(PathBuf),
    /// There are no samples in it.
    Empty(String),
    /// The range ends before it begins.
    Backwards {
        /// Its begin, microseconds of UTC since 1970.
        from_us: i64,
        /// Its end.
        to_us: i64,
    },
    /// Nothing is recorded in the range.
    Nothing {
        /// Its begin.
        from_us: i64,
        /// Its end.
        to_us: i64,
        /// What is recorded: from, to.
        recorded: (i64, i64),
    },
}

impl std::error::Error for ReportError {}

impl std::fmt::Display for ReportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReportError::Ring(dir, error) => write!(f, "{}: {error}", dir.display()),
            ReportError::NoFile(dir) => {
                write!(
                    f,
                    "{}: there is no {FILE_NAME}; a server with --data records it, unless --no-history",
                    dir.display()
                )
            }
            ReportError::Empty(source) => write!(f, "{source}: nothing has been recorded yet"),
            ReportError::Backwards { from_us, to_us } => {
                write!(f, "the time from {} to {} ends before it begins", time_text(*from_us), time_text(*to_us))
            }
            ReportError::Nothing { from_us, to_us, recorded } => write!(
                f,
                "nothing is recorded from {} to {}; there are samples from {} to {} (UTC)",
                time_text(*from_us),
                time_text(*to_us),
                time_text(recorded.0),
                time_text(recorded.1)
            ),
        }
    }
}

/// The span that is meant: without a begin a day before its end, without an end all that is there.
///
/// # Errors
/// [`ReportError::Backwards`]; [`ReportError::Nothing`] where it lies apart from what is recorded.
pub fn span(from: Option<When>, to: Option<When>, recorded: (i64, i64)) -> Result<(i64, i64), ReportError> {
    let (first_us, last_us) = recorded;
    let to_us = to.map_or(last_us, |to| to.at_us(last_us));
    let from_us = from.map_or((to_us - DAY_US).max(first_us.min(to_us)), |from| from.at_us(last_us));
    if from.is_some() && to.is_some() && from_us >= to_us {
        return Err(ReportError::Backwards { from_us, to_us });
    }
    if to_us <= first_us || from_us >= last_us {
        return Err(ReportError::Nothing { from_us, to_us, recorded });
    }
    Ok((from_us, to_us))
}

/// The report of a data directory.
///
/// # Errors
/// [`ReportError`]
pub fn read(dir: &Path, from: Option<When>, to: Option<When>, step_s: Option<u64>) -> Result<Report, ReportError> {
    let failed = |error| ReportError::Ring(dir.to_owned(), error);
    let mut reader =
        Reader::open(&dir.join(FILE_NAME)).map_err(failed)?.ok_or_else(|| ReportError::NoFile(dir.to_owned()))?;
    let (mut first_us, mut last_us) = (i64::MAX, i64::MIN);
    let health = reader.each(Range::default(), true, |_, slot| {
        (first_us, last_us) = (first_us.min(slot.begin_us()), last_us.max(slot.end_us()));
    });
    let health = health.map_err(failed)?;
    let source = dir.display().to_string();
    if health.samples == 0 {
        return Err(ReportError::Empty(source));
    }
    let (from_us, to_us) = span(from, to, (first_us, last_us))?;
    let range = |from_us, to_us| Range { from_us: Some(from_us), to_us: Some(to_us) };
    let mut of = |range| series::read(&mut reader, range, step_s);
    let now = of(range(from_us, to_us)).map_err(failed)?;
    if now.intervals.is_empty() {
        return Err(ReportError::Nothing { from_us, to_us, recorded: (first_us, last_us) });
    }
    let day_before = of(range(from_us - DAY_US, to_us - DAY_US)).map_err(failed)?.intervals;
    let just_before = of(range(from_us - (to_us - from_us), from_us)).map_err(failed)?.intervals;
    let span = range(from_us, to_us);
    let statements = rows(&mut reader, span, now.step_s, |reader, of: &StatementUse| {
        let known = |id: TextId, reader: &mut Reader| reader.text(id).map(|text| text.to_string());
        let text = known(of.text, reader);
        let database = known(of.database, reader);
        (Statement { query_hash: of.query_hash, database, object_id: of.object_id, text }, of.counters)
    });
    let waits = rows(&mut reader, span, now.step_s, |reader, of: &WaitUse| {
        let name: Option<Arc<str>> = reader.text(of.wait_type);
        (name.as_deref().unwrap_or("?").to_owned(), of.counters)
    });
    let files = rows(&mut reader, span, now.step_s, |reader, of: &FileUse| {
        let mut known = |id: TextId| reader.text(id).map(|text| text.to_string());
        (File { database: known(of.database), name: known(of.name), path: known(of.path) }, of.counters)
    });
    Ok(Report {
        source,
        from_us,
        to_us,
        step_s: now.step_s,
        before: Before::choose(day_before, just_before, to_us - from_us),
        statements: statements.map_err(failed)?,
        waits: waits.map_err(failed)?,
        files: files.map_err(failed)?,
        notes: notes(health),
        intervals: now.intervals,
    })
}

fn rows<P: Part, W, const N: usize>(
    reader: &mut Reader,
    range: Range,
    step_s: u64,
    row: impl Fn(&mut Reader, &P) -> (W, [u64; N]),
) -> Result<Vec<Row<W, N>>, RingError> {
    let (parts, _) = parts::read::<P>(reader, range, Some(step_s))?;
    let of = |PartOf { begin_us, end_us, part }| {
        let (of, counters) = row(reader, &part);
        Row { begin_us, end_us, of, counters }
    };
    Ok(parts.into_iter().map(of).collect())
}

fn notes(health: Health) -> Vec<String> {
    let damaged = match health.damaged {
        0 => None,
        1 => Some("One sample was damaged and is left out.".to_owned()),
        damaged => Some(format!("{damaged} samples were damaged and are left out.")),
    };
    let cut = health
        .is_cut
        .then(|| format!("{FILE_NAME} is shorter than it was made: samples and texts behind its end are gone."));
    damaged.into_iter().chain(cut).collect()
}
