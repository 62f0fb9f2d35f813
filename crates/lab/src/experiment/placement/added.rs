//! A second card under tempdb while users work: their bandwidth before and after.
//!
//! What always holds: users run the queries that use tempdb, again and again, from before the first sample to after the
//! last; the file is added by a statement in the middle, of the size of the first one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::meter::{FileIo, files};
use super::warehouse::{Warehouse, ask, spilling};
use super::{Size, open};
use crate::failure::{Doing, LabError};
use crate::link::{Link, Target};

/// Samples of a run that takes no longer than it is to.
const SAMPLES: u32 = 40;
/// Of each half, the begin that does not count: queries begin, or go on in the files that they have.
const SETTLING: f64 = 0.3;

/// What passed between two samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// End of it, since the first one.
    pub(super) at_s: f64,
    pub(super) seconds: f64,
    pub(super) first: FileIo,
    pub(super) added: FileIo,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(super) struct Added {
    pub(super) samples: Vec<Sample>,
    /// When the statement had ended, and how long it took.
    pub(super) at_s: f64,
    pub(super) statement_s: f64,
    pub(super) users: usize,
}

/// A time of the run: its MB/s and what was asked of each file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub(super) seconds: f64,
    pub(super) first: FileIo,
    pub(super) added: FileIo,
}

impl Span {
    pub(super) fn mb_s(&self) -> f64 {
        (self.first.mb() + self.added.mb()) / self.seconds
    }

    /// Share of the bytes that passed the file that was added; 0 if there were none.
    pub(super) fn added_share(&self) -> f64 {
        let all = self.first.mb() + self.added.mb();
        if all > 0.0 { self.added.mb() / all } else { 0.0 }
    }
}

impl Added {
    fn span(&self, from_s: f64, to_s: f64) -> Span {
        let within = self.samples.iter().filter(|sample| sample.at_s - sample.seconds >= from_s && sample.at_s <= to_s);
        within.fold(Span::default(), |span, sample| Span {
            seconds: span.seconds + sample.seconds,
            first: span.first.plus(sample.first),
            added: span.added.plus(sample.added),
        })
    }

    /// Before the statement began.
    pub(super) fn before(&self) -> Span {
        let end_s = self.at_s - self.statement_s;
        self.span(SETTLING * end_s, end_s)
    }

    /// After it had ended.
    pub(super) fn after(&self) -> Span {
        let end_s = self.samples.last().map_or(self.at_s, |sample| sample.at_s);
        self.span(self.at_s + SETTLING * (end_s - self.at_s), end_s)
    }
}

/// What users and the one that watches them know of each other.
#[derive(Debug, Default)]
struct Shared {
    is_over: AtomicBool,
    /// Queries that were answered.
    done: AtomicUsize,
    /// A user had an error, so that none need wait for it.
    has_failed: AtomicBool,
}

/// Runs it; `path` is where the file is to be.
pub(super) fn measure(target: &Target, size: &Size, path: &str) -> Result<Added, LabError> {
    let (warehouse, users) = (Warehouse::tenfold(size.rows), *size.users.last().expect("a number of users"));
    let mut watcher = open(target)?;
    let shared = &Shared::default();
    std::thread::scope(|scope| {
        let work = |user| scope.spawn(move || repeat(target, warehouse, user, shared));
        let threads: Vec<_> = (0..users).map(work).collect();
        let watched = Watch { size, users, shared, started: Instant::now() }.run(&mut watcher, path);
        shared.is_over.store(true, Relaxed);
        for thread in threads {
            thread.join().expect("a user's thread does not panic")?;
        }
        watched
    })
}

/// The queries that spill, again and again, until it is over.
fn repeat(target: &Target, warehouse: Warehouse, user: usize, shared: &Shared) -> Result<(), LabError> {
    let mut link = warehouse.open(target)?;
    for query in spilling().cycle().skip(user) {
        if shared.is_over.load(Relaxed) {
            break;
        }
        ask(&mut link, query).inspect_err(|_| shared.has_failed.store(true, Relaxed))?;
        shared.done.fetch_add(1, Relaxed);
    }
    Ok(())
}

/// What takes the samples.
struct Watch<'a> {
    size: &'a Size,
    users: usize,
    shared: &'a Shared,
    started: Instant,
}

impl Watch<'_> {
    fn now_s(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Samples, with the statement in the middle of them.
    fn run(&self, link: &mut Link, path: &str) -> Result<Added, LabError> {
        let mut samples = Vec::new();
        let mut known = (self.now_s(), two(files(link)?));
        self.half(link, &mut known, &mut samples)?;
        let begun_s = self.now_s();
        add_file(link, path, self.size.file_mb)?;
        let at_s = self.now_s();
        self.half(link, &mut known, &mut samples)?;
        Ok(Added { samples, at_s, statement_s: at_s - begun_s, users: self.users })
    }

    /// Half of the time, longer if users are slow: each is to have answers to all of its queries.
    fn half(
        &self,
        link: &mut Link,
        known: &mut (f64, (FileIo, FileIo)),
        samples: &mut Vec<Sample>,
    ) -> Result<(), LabError> {
        let tick = Duration::from_millis(self.size.added_ms) / SAMPLES;
        let (begun, enough) = (Instant::now(), self.shared.done.load(Relaxed) + spilling().count() * self.users);
        let is_late = || begun.elapsed() >= tick * (SAMPLES / 2);
        while !is_late() || self.shared.done.load(Relaxed) < enough {
            if self.shared.has_failed.load(Relaxed) {
                break;
            }
            std::thread::sleep(tick);
            let (before_s, before) = *known;
            *known = (self.now_s(), two(files(link)?));
            let (at_s, (first, added)) = *known;
            let (first, added) = (first.since(before.0), added.since(before.1));
            samples.push(Sample { at_s, seconds: at_s - before_s, first, added });
        }
        Ok(())
    }
}

fn add_file(link: &mut Link, path: &str, mb: u32) -> Result<(), LabError> {
    let add =
        format!("alter database tempdb add file (name = temp2, filename = '{path}', size = {mb}MB, filegrowth = 64MB)");
    link.batch(&add).doing("add a file").map(drop)
}

/// The first file, and the second, which may not be there yet.
fn two(files: Vec<FileIo>) -> (FileIo, FileIo) {
    (files.first().copied().unwrap_or_default(), files.get(1).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::meter::Io;
    use super::*;

    #[test]
    fn only_what_is_settled_counts() {
        let mb = |count: f64| FileIo { reads: Io { bytes: count * 1048576.0, ..Io::default() }, ..FileIo::default() };
        let sample = |number: u32| {
            let (first, added) = if number <= 10 { (mb(10.0), mb(0.0)) } else { (mb(6.0), mb(18.0)) };
            Sample { at_s: f64::from(number), seconds: 1.0, first, added }
        };
        let samples = (1..=20).map(sample).collect();
        let added = Added { samples, at_s: 10.5, statement_s: 0.5, users: 1 };
        let (before, after) = (added.before(), added.after());
        assert_eq!((before.seconds, before.mb_s()), (7.0, 10.0));
        assert_eq!((after.mb_s(), after.added_share()), (24.0, 0.75));
    }
}
