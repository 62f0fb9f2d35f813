//! How pages come from files and go there: what the pool and the log's doublewrite area ask of the owners of the files.
//!
//! ```text
//!   pool ──PageIo──▶ volume (files, devices)          space maps ──▶ pool
//! ```
//!
//! What always holds: the asker is charged, or the session that a run of pages is said to be of.

use crate::ask::{Ask, IoCount, Task};
use crate::contract::{IoFailure, PAGE_BYTES, PageBytes, PageId, SessionId, WriteReason};

/// Consecutive pages of one file that are written together.
#[derive(Clone, Copy, Debug)]
pub struct PageRun<'a> {
    /// The first one.
    pub first: PageId,
    /// Their bytes.
    pub pages: &'a [&'a PageBytes],
    /// The session that the write is charged to; `None`: the one that asks for it.
    pub owner: Option<SessionId>,
}

impl PageRun<'_> {
    /// Does `work` on behalf of the session that the run is charged to.
    pub fn charged<R>(&self, ask: &Ask<'_>, work: impl FnOnce(&Ask<'_>) -> R) -> R {
        let Some(owner) = self.owner else { return work(ask) };
        let (task, io) = (Task::new(owner), IoCount::default());
        work(&Ask::new(&task, &io))
    }
}

/// Bytes of a page that nobody asked for, at a place where a device can put them itself.
#[derive(Clone)]
#[repr(align(4096))]
struct Unwanted(PageBytes);

/// How the pool reads and writes pages; the volume implements it and accounts for every call per file and reason.
pub trait PageIo: Send + Sync {
    /// Fills `pages` with the pages from `first` on, in one I/O. Pages beyond the file's end are `NoFile`.
    ///
    /// # Errors
    /// [`IoFailure`].
    fn read_run(&self, ask: &Ask<'_>, first: PageId, pages: &mut [&mut PageBytes]) -> Result<(), IoFailure>;

    /// The same in one I/O over pages that are not wanted: what the device has for those goes nowhere, so that they may be written
    /// meanwhile.
    ///
    /// # Errors
    /// [`IoFailure`].
    fn read_over(&self, ask: &Ask<'_>, first: PageId, pages: &mut [Option<&mut PageBytes>]) -> Result<(), IoFailure> {
        let mut dropped = vec![Unwanted([0; PAGE_BYTES]); pages.iter().filter(|page| page.is_none()).count()];
        let mut dropped = dropped.iter_mut();
        let mut all: Vec<&mut PageBytes> = Vec::with_capacity(pages.len());
        for page in pages {
            match page {
                Some(page) => all.push(page),
                None => all.extend(dropped.next().map(|page| &mut page.0)),
            }
        }
        self.read_run(ask, first, &mut all)
    }

    /// Writes `pages` from `first` on in one I/O (a gather write counts as one write).
    /// [`WriteReason::Lazy`] on an overflow file is counted as [`WriteReason::Overflow`].
    ///
    /// # Errors
    /// [`IoFailure`].
    fn write_run(
        &self,
        ask: &Ask<'_>,
        first: PageId,
        pages: &[&PageBytes],
        reason: WriteReason,
    ) -> Result<(), IoFailure>;

    /// A page was right only after it had been read `failures` times with `error` (825).
    fn read_at_last(&self, page: PageId, failures: u32, error: &str) {
        let _ = (page, failures, error);
    }

    /// Writes several runs, of 64 durable pages in all at most, each as [`PageIo::write_run`] does; one result per run.
    /// A device that pays once per call, as for a sync, or can write several at a time, does so here.
    fn write_batch(&self, ask: &Ask<'_>, runs: &[PageRun<'_>], reason: WriteReason) -> Vec<Result<(), IoFailure>> {
        let write = |run: &PageRun<'_>| run.charged(ask, |ask| self.write_run(ask, run.first, run.pages, reason));
        runs.iter().map(write).collect()
    }
}
