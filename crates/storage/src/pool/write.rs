//! Writing pages: one page and its dirty neighbours become one write.
//!
//! ```text
//!   41 dirty   42 dirty   43 SEED   44 dirty   45 clean        ⇒ one write of 41..=44
//!        ◀────── backwards ──┤├── forwards ──▶ stops
//! ```
//!
//! What always holds: a gather is at most 32 pages of one file, stops at a page that is not in memory, clean, or latched,
//! and when it makes room also at a pinned one, whose owner is still filling it. Each page is latched exclusively, by
//! trying, until it has its checksum, then shared while it is written: readers go on, changes wait. Its dirty mark goes
//! only after the write succeeded (P2), and it cannot have been set meanwhile.
//!
//! A write that finds no room on the device is repeated page by page, because some of them may have their place already.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use crate::ask::{Ask, add};
use crate::check;
use crate::contract::{IoFailure, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo, SessionId, WriteReason};
use crate::page::header;
use crate::page_io::{PageIo, PageRun};
use crate::pool::buffers::Buffers;
use crate::pool::files::FileMap;
use crate::pool::latch::{ExclusiveHold, FrameNo, SharedHold};
use crate::pool::page::PageRef;
use crate::pool::{LogRule, PoolError, policy};
use crate::wait::{WaitGuard, WaitType};

/// Pages of one write: 256 KB.
pub(crate) const GATHER_PAGES_MAX: usize = 32;

/// How a gather behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gather {
    reason: WriteReason,
    /// Takes pinned neighbours too.
    pinned: bool,
    /// Waits for the first page's latch.
    waits: bool,
}

impl Gather {
    /// For memory: leaves pinned and latched pages alone.
    pub(crate) fn to_make_room(reason: WriteReason) -> Gather {
        Gather { reason, pinned: false, waits: false }
    }

    /// For durability: every page must get out.
    pub(crate) fn to_persist(reason: WriteReason) -> Gather {
        Gather { reason, pinned: true, waits: true }
    }

    /// Because a bulk operation says so.
    pub(crate) fn eagerly() -> Gather {
        Gather { reason: WriteReason::Eager, pinned: true, waits: false }
    }
}

/// Writes pages of the buffers to their files, log first.
pub(crate) struct PageWriter {
    pub(crate) buffers: Buffers,
    pub(crate) io: Arc<dyn PageIo>,
    pub(crate) log_rule: OnceLock<Arc<dyn LogRule>>,
}

impl PageWriter {
    /// Writes a page with its neighbours; returns the frames of the pages written, none if it is clean or gone by now.
    pub(crate) fn write_gather(&self, ask: &Ask<'_>, seed: PageId, rule: Gather) -> Result<Vec<FrameNo>, IoFailure> {
        let Some(run) = self.gather(seed, rule)? else { return Ok(Vec::new()) };
        self.write_runs(ask, &[run], rule.reason).pop().expect("one result per run")
    }

    /// A page with its neighbours, ready to be written; `None` if it is clean or gone by now, or may not be had.
    fn gather(&self, seed: PageId, rule: Gather) -> Result<Option<Run<'_>>, IoFailure> {
        let Some(file) = self.buffers.files.attached(seed.db, seed.file) else { return Ok(None) };
        let Some(first) = self.latch_seed(file, seed, rule) else { return Ok(None) };
        let mut holds = vec![self.make_ready(file, seed, first)?];
        let neighbour = |by: i64| {
            let page = PageNo(u32::try_from(i64::from(seed.page.0) + by).ok()?);
            let id = PageId { page, ..seed };
            let hold = self.latch_dirty(file, id, rule)?;
            // A neighbour that had to wait for its log would keep the others latched.
            let waits = file.is_durable() && self.log_rule.get().is_some_and(|rule| !rule.is_log_durable(id, &hold));
            if waits { None } else { self.make_ready(file, id, hold).ok() }
        };
        let backwards: Vec<_> = (1..GATHER_PAGES_MAX as i64).map_while(|by| neighbour(-by)).collect();
        let first = PageId { page: PageNo(seed.page.0 - backwards.len() as u32), ..seed };
        check!(holds[0].state().page.load(Relaxed) == seed.to_bits(), "T1: page {seed} is gathered in another's frame");
        let room = GATHER_PAGES_MAX - 1 - backwards.len();
        holds.extend((1..=room as i64).map_while(neighbour));
        holds.splice(0..0, backwards.into_iter().rev());
        assert!(holds.len() <= GATHER_PAGES_MAX, "a gather of {} pages", holds.len());
        Ok(Some(Run { first, holds }))
    }

    fn latch_seed<'a>(&'a self, file: &FileMap, id: PageId, rule: Gather) -> Option<ExclusiveHold<'a>> {
        if !rule.waits {
            return self.latch_dirty(file, id, rule);
        }
        loop {
            let frame = file.word(id.page)?.frame()?;
            if !self.buffers.frames.state(frame).dirty.load(Relaxed) && !self.buffers.frames.is_latched(frame) {
                return None;
            }
            if let Some(hold) = self.buffers.frames.exclusive(frame, id.to_bits(), || None) {
                return hold.state().dirty.load(Relaxed).then_some(hold);
            }
        }
    }

    /// The exclusive latch of a page that is in memory, dirty, and may be written by `rule`.
    fn latch_dirty<'a>(&'a self, file: &FileMap, id: PageId, rule: Gather) -> Option<ExclusiveHold<'a>> {
        let frame = file.word(id.page)?.frame()?;
        if !self.buffers.frames.state(frame).dirty.load(Relaxed) {
            return None;
        }
        let hold = self.buffers.frames.try_exclusive(frame)?;
        let state = hold.state();
        let right = state.page.load(Relaxed) == id.to_bits() && state.dirty.load(Relaxed);
        (right && (rule.pinned || state.pins.load(Relaxed) == 0)).then_some(hold)
    }

    /// Log first (P4), then no remains of other pages, then the checksum (P3), then the latch goes down to shared.
    pub(crate) fn make_ready<'a>(
        &self,
        file: &FileMap,
        id: PageId,
        mut hold: ExclusiveHold<'a>,
    ) -> Result<SharedHold<'a>, IoFailure> {
        if let (true, Some(rule)) = (file.is_durable(), self.log_rule.get()) {
            rule.make_log_durable(id, &hold)?;
            check!(rule.is_log_durable(id, &hold), "P4: page {id} is written before its log is durable");
        }
        check!(
            hold.state().page.load(Relaxed) == id.to_bits(),
            "T1: page {id} is made ready in the frame of {}",
            PageId::from_bits(hold.state().page.load(Relaxed))
        );
        check!(hold.state().dirty.load(Relaxed), "P2: page {id} is clean, and is made ready to be written");
        check!(!hold.state().io.load(Relaxed), "P2: page {id} is written or read by two at once");
        zero_gap(&mut hold);
        header::set_checksum(&mut hold);
        hold.state().io.store(true, Relaxed);
        Ok(hold.downgrade())
    }

    /// Writes runs, in one batch; one result per run: the frames written.
    fn write_runs(&self, ask: &Ask<'_>, runs: &[Run<'_>], reason: WriteReason) -> Vec<Result<Vec<FrameNo>, IoFailure>> {
        let results = self.write_batch(ask, runs, reason);
        let of_run = |(run, result): (&Run<'_>, Result<(), IoFailure>)| {
            let result = match result {
                Err(IoFailure::NoSpace { .. }) if run.holds.len() > 1 => self.write_one_by_one(ask, run, reason),
                Err(failure) => Err(failure),
                Ok(()) => Ok(run.holds.iter().map(SharedHold::frame).collect()),
            };
            run.holds.iter().for_each(|hold| hold.state().io.store(false, Relaxed));
            result
        };
        runs.iter().zip(results).map(of_run).collect()
    }

    fn write_one_by_one(&self, ask: &Ask<'_>, run: &Run<'_>, reason: WriteReason) -> Result<Vec<FrameNo>, IoFailure> {
        let (mut written, mut failure) = (Vec::new(), None);
        for (index, hold) in run.holds.iter().enumerate() {
            let id = PageId { page: PageNo(run.first.page.0 + index as u32), ..run.first };
            match self.write_pages(ask, &[(id, std::slice::from_ref(hold))], reason).pop() {
                Some(Err(error)) => failure = Some(error),
                _ => written.push(hold.frame()),
            }
        }
        check!(written.len() <= run.holds.len(), "{} of {} pages were written", written.len(), run.holds.len());
        match failure {
            Some(failure) if written.is_empty() => Err(failure),
            _ => Ok(written),
        }
    }

    fn write_batch(&self, ask: &Ask<'_>, runs: &[Run<'_>], reason: WriteReason) -> Vec<Result<(), IoFailure>> {
        let runs: Vec<(PageId, &[SharedHold<'_>])> = runs.iter().map(|run| (run.first, &run.holds[..])).collect();
        self.write_pages(ask, &runs, reason)
    }

    /// One write per run. Afterwards the pages are clean, or, if it failed, last in the line of those that are tried.
    fn write_pages(
        &self,
        ask: &Ask<'_>,
        runs: &[(PageId, &[SharedHold<'_>])],
        reason: WriteReason,
    ) -> Vec<Result<(), IoFailure>> {
        assert!(runs.iter().all(|(first, holds)| are_in_place(*first, holds)), "each page is written to its own place");
        check!(
            runs.iter().all(|(first, holds)| are_whole(*first, holds)),
            "P3: a page that leaves memory has its checksum"
        );
        let bytes: Vec<Vec<&PageBytes>> =
            runs.iter().map(|(_, holds)| holds.iter().map(|hold| &**hold).collect()).collect();
        // A lazy write is charged to the session that made the page dirty, not to the one that needs the room.
        let owner = |holds: &[SharedHold<'_>]| SessionId(holds[0].state().owner.load(Relaxed) as u16);
        let owner = |holds| (reason == WriteReason::Lazy).then(|| owner(holds));
        let batch: Vec<PageRun<'_>> = runs
            .iter()
            .zip(&bytes)
            .map(|((first, holds), pages)| PageRun { first: *first, pages, owner: owner(holds) })
            .collect();
        let wait = WaitGuard::begin(&self.buffers.waits, ask, WaitType::WRITE_COMPLETION, Some(runs[0].0));
        let results = self.io.write_batch(ask, &batch, reason);
        assert!(results.len() == runs.len(), "{} results for {} writes", results.len(), runs.len());
        drop(wait);
        for ((_, holds), result) in runs.iter().zip(&results) {
            match result {
                Ok(()) => self.set_clean(holds, reason),
                Err(_) => holds.iter().for_each(|hold| policy::on_failed_write(hold.state())),
            }
        }
        results
    }

    fn set_clean(&self, run: &[SharedHold<'_>], reason: WriteReason) {
        assert!(run.len() <= GATHER_PAGES_MAX, "a gather's size");
        for hold in run {
            assert!(hold.state().dirty.load(Relaxed), "P2: a page became clean while it was written");
            check!(hold.state().io.load(Relaxed), "P2: a page becomes clean that is not being written");
            hold.state().dirty.store(false, Relaxed);
            hold.state().rec_pos.store(0, Relaxed);
            if hold.state().slot.load(Relaxed) != 0 {
                self.buffers.tier.note_copy_clean(hold.state());
            }
        }
        add(&self.buffers.tallies.writes, run.len() as u64);
        add(&self.buffers.tallies.write_ios, 1);
        if reason == WriteReason::Lazy {
            add(&self.buffers.tallies.lazy_writes, run.len() as u64);
        }
    }

    pub(crate) fn write_eagerly(&self, ask: &Ask<'_>, pages: &[PageId]) -> Result<u64, PoolError> {
        self.write_all(ask, pages, Gather::eagerly())
    }

    /// Writes pages without their neighbours, those that lie one after the other at once.
    pub(crate) fn write_alone(&self, ask: &Ask<'_>, pages: &[PageRef], reason: WriteReason) -> Result<(), PoolError> {
        let mut ids: Vec<PageId> = pages.iter().map(PageRef::id).collect();
        ids.sort_unstable();
        let (rule, mut batch, mut late) =
            (Gather { waits: false, ..Gather::to_persist(reason) }, Batch::default(), Vec::new());
        for id in ids {
            // One that another thread is writing is waited for when no other is latched.
            let Some(run) = self.ready_alone(id, rule, &mut batch) else {
                late.push(id);
                continue;
            };
            batch.push(run);
            if batch.pages == BATCH_PAGES_MAX {
                self.write_out(ask, &mut batch, rule);
            }
        }
        self.write_out(ask, &mut batch, rule);
        for id in late {
            if let Some(run) = self.ready_alone(id, Gather { waits: true, ..rule }, &mut batch) {
                batch.push(run);
                self.write_out(ask, &mut batch, rule);
            }
        }
        check!(batch.runs.is_empty(), "pages stay latched after the last write");
        batch.failure.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// The page, ready to be written; `None` if it is clean or latched.
    fn ready_alone(&self, id: PageId, rule: Gather, batch: &mut Batch<'_>) -> Option<Run<'_>> {
        let file = self.buffers.files.attached(id.db, id.file)?;
        let hold = self.latch_seed(file, id, rule)?;
        match self.make_ready(file, id, hold) {
            Ok(hold) => Some(Run { first: id, holds: vec![hold] }),
            Err(failure) => {
                batch.fail(failure);
                None
            }
        }
    }

    pub(crate) fn write_all(&self, ask: &Ask<'_>, pages: &[PageId], rule: Gather) -> Result<u64, PoolError> {
        let (written, failure) = self.write_batched(ask, pages, rule);
        failure.map_or(Ok(written.len() as u64), |error| Err(error.into()))
    }

    /// Writes pages with their neighbours, up to [`BATCH_PAGES_MAX`] pages at a time; returns the frames written and the
    /// first failure. While one batch is collected only the latch of its first page is waited for, so that no thread
    /// waits for a latch while it holds others; a page that was latched is first in a batch of its own later.
    pub(crate) fn write_batched(
        &self,
        ask: &Ask<'_>,
        pages: &[PageId],
        rule: Gather,
    ) -> (Vec<FrameNo>, Option<IoFailure>) {
        let mut batch = Batch::default();
        let mut late = Vec::new();
        for &id in pages {
            let waits = rule.waits && batch.runs.is_empty();
            match self.gather(id, Gather { waits, ..rule }) {
                Ok(Some(run)) => batch.push(run),
                Ok(None) if rule.waits && !waits => late.push(id),
                Ok(None) => {}
                Err(failure) => batch.fail(failure),
            }
            if batch.pages + GATHER_PAGES_MAX > BATCH_PAGES_MAX {
                self.write_out(ask, &mut batch, rule);
            }
        }
        self.write_out(ask, &mut batch, rule);
        for id in late {
            match self.write_gather(ask, id, rule) {
                Ok(frames) => batch.written.extend(frames),
                Err(failure) => batch.fail(failure),
            }
        }
        check!(batch.runs.is_empty(), "pages stay latched after the last write");
        (batch.written, batch.failure)
    }

    /// Takes temporary pages from `pages` and writes them with their neighbours, together, until there are `wanted` or
    /// [`TEMPORARY_PAGES_MAX`] of them, whichever is less. The frames written, the others' failures aside; `None` when there are
    /// no more pages.
    pub(crate) fn write_some(
        &self,
        ask: &Ask<'_>,
        pages: &mut impl Iterator<Item = PageId>,
        wanted: usize,
        rule: Gather,
    ) -> Option<Vec<FrameNo>> {
        check!(wanted > 0, "pages are written for no room");
        let mut batch = Batch::default();
        let mut any = false;
        while batch.pages < wanted.min(TEMPORARY_PAGES_MAX)
            && let Some(id) = pages.next()
        {
            any = true;
            match self.gather(id, rule) {
                Ok(Some(run)) => batch.push(run),
                Ok(None) => {}
                Err(failure) => batch.fail(failure),
            }
        }
        self.write_out(ask, &mut batch, rule);
        any.then_some(batch.written)
    }

    fn write_out<'a>(&'a self, ask: &Ask<'_>, batch: &mut Batch<'a>, rule: Gather) {
        assert!(
            batch.pages == batch.runs.iter().map(|run| run.holds.len()).sum::<usize>(),
            "{} pages are collected",
            batch.pages
        );
        assert!(batch.pages <= TEMPORARY_PAGES_MAX + GATHER_PAGES_MAX, "{} pages are latched at once", batch.pages);
        if batch.runs.is_empty() {
            return;
        }
        for result in self.write_runs(ask, &batch.runs, rule.reason) {
            match result {
                Ok(frames) => batch.written.extend(frames),
                Err(failure) => batch.fail(failure),
            }
        }
        batch.runs.clear();
        batch.pages = 0;
    }
}

/// Whether consecutive frames have consecutive pages.
fn are_in_place(first: PageId, holds: &[SharedHold<'_>]) -> bool {
    let place = |at: usize| PageId { page: PageNo(first.page.0 + at as u32), ..first };
    holds.iter().enumerate().all(|(at, hold)| hold.state().page.load(Relaxed) == place(at).to_bits())
}

/// Whether the pages of consecutive frames have their checksums and numbers.
fn are_whole(first: PageId, holds: &[SharedHold<'_>]) -> bool {
    let place = |at: usize| PageId { page: PageNo(first.page.0 + at as u32), ..first };
    holds.iter().enumerate().all(|(at, hold)| header::verify(hold, place(at)).is_ok())
}

/// Pages of one batch: two gathers at least, and one sync of what protects them.
pub(crate) const BATCH_PAGES_MAX: usize = 64;

/// Pages of one batch that are not protected: what is latched until the last of them is written.
const TEMPORARY_PAGES_MAX: usize = 128;

/// Consecutive pages that are ready to be written.
struct Run<'a> {
    first: PageId,
    holds: Vec<SharedHold<'a>>,
}

impl Run<'_> {
    /// Whether both may be one write.
    fn is_followed_by(&self, next: &Run<'_>) -> bool {
        let end = PageId { page: PageNo(self.first.page.0 + self.holds.len() as u32), ..self.first };
        end == next.first && self.holds.len() + next.holds.len() <= GATHER_PAGES_MAX
    }
}

/// Runs that are collected, and what became of those before.
#[derive(Default)]
struct Batch<'a> {
    runs: Vec<Run<'a>>,
    pages: usize,
    written: Vec<FrameNo>,
    failure: Option<IoFailure>,
}

impl<'a> Batch<'a> {
    /// Adds pages, to the run before where they lie right after it.
    fn push(&mut self, run: Run<'a>) {
        check!(!run.holds.is_empty(), "no page is to be written");
        self.pages += run.holds.len();
        match self.runs.last_mut().filter(|last| last.is_followed_by(&run)) {
            Some(last) => last.holds.extend(run.holds),
            None => self.runs.push(run),
        }
        check!(
            self.runs.last().is_some_and(|last| last.holds.len() <= GATHER_PAGES_MAX),
            "one write has more than {GATHER_PAGES_MAX} pages"
        );
    }

    fn fail(&mut self, failure: IoFailure) {
        self.failure.get_or_insert(failure);
    }
}

/// Between the rows and the slots of a page lies what its frame held before: other people's rows, which do not belong in
/// a file. It is zeroed here and not when the page is created, because most pages of tempdb are never written. Pages
/// without slots are not pages of rows to this function; it leaves them alone.
fn zero_gap(page: &mut PageBytes) {
    let slots = usize::from(header::slot_count(page));
    let of_rows = matches!(header::kind(page), Some(PageKind::Data | PageKind::Index));
    let gap = usize::from(header::free_data(page))..PAGE_BYTES.saturating_sub(slots * 2);
    if of_rows && slots > 0 && gap.start >= header::HEADER_BYTES && gap.start < gap.end {
        page[gap].fill(0);
    }
}
