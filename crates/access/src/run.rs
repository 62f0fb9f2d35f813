//! Runs: bytes that are written once, read from the start, and gone with their last holder. What sorts, hash joins
//! and aggregates spill lies here, in pages of tempdb like everything else.
//!
//! ```text
//!   append ──▶ tail (in memory, up to a page) ──full──▶ page of the pool ──only for memory──▶ file
//!   read   ◀── 512 KB at a time: pages in memory, the others past the pool, one read ahead ◀───┘
//! ```
//!
//! What always holds:
//! - A1: byte `n` is at `n % 8096` of the body of page `n / 8096` of the run, counted through its extents, or in the tail.
//! - A2: a page is written to once, when it is made; then it never changes. So it may be read without a frame.
//! - A3: extents are asked for while no page is latched, and go back when the run does, whatever happened before.
//!
//! It does not know what the bytes mean, nor what waits for them.

use millpond_storage::check;
use std::sync::Arc;

use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::{EXTENT_PAGES, ExtentId, PageId, PageKind, PageNo};
use millpond_storage::page::header::{BODY_BYTES, HEADER_BYTES};
use millpond_storage::pool::through::{PageBuffer, PendingRead};
use parking_lot::Mutex;

use crate::error::AccessError;
use crate::heap::handle::Ctx;
use crate::rid::ObjectId;

/// The largest batch of extents: 512 KB, written and read together.
const BATCH_EXTENTS_MAX: usize = 8;
/// Pages that are read at once: 512 KB.
const READ_PAGES: usize = BATCH_EXTENTS_MAX * EXTENT_PAGES as usize;

/// Bytes in the order in which they were appended.
pub struct Run {
    ctx: Ctx,
    id: ObjectId,
    /// What gives the space back.
    task: Arc<Task>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    extents: Vec<ExtentId>,
    /// Pages made, from the first extent on.
    pages: usize,
    /// What does not fill a page yet.
    tail: Vec<u8>,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("id", &self.id).field("bytes", &self.len_bytes()).finish_non_exhaustive()
    }
}

impl State {
    fn page_at(&self, index: usize) -> PageId {
        let per_extent = EXTENT_PAGES as usize;
        self.extents[index / per_extent].page((index % per_extent) as u32)
    }

    /// Pages from `index` on that follow each other in their file, as far as the run goes.
    fn consecutive(&self, index: usize) -> (PageId, usize) {
        assert!(index < self.pages, "page {index} of a run of {} is read", self.pages);
        let first = self.page_at(index);
        let follows =
            |at: &usize| self.page_at(index + at) == PageId { page: PageNo(first.page.0 + *at as u32), ..first };
        let most = READ_PAGES.min(self.pages - index);
        (first, 1 + (1..most).take_while(follows).count())
    }
}

impl Run {
    /// An empty run; it takes no space before it has more than a page. Its space goes back in the name of `task`.
    #[must_use]
    pub fn create(ctx: &Ctx, id: ObjectId, task: Arc<Task>) -> Run {
        Run { ctx: ctx.clone(), id, task, state: Mutex::default() }
    }

    /// Bytes appended.
    #[must_use]
    pub fn len_bytes(&self) -> u64 {
        let state = self.state.lock();
        (state.pages * BODY_BYTES + state.tail.len()) as u64
    }

    /// Pages of its extents.
    #[must_use]
    pub fn reserved_pages(&self) -> u64 {
        self.state.lock().extents.len() as u64 * u64::from(EXTENT_PAGES)
    }

    /// Adds bytes at the end.
    ///
    /// # Errors
    /// [`AccessError::Space`], [`AccessError::QuotaExceeded`] and [`AccessError::Pool`]: a part of the bytes may be
    /// there then; [`AccessError::Cancelled`] when the task was asked to stop.
    pub fn append(&self, ask: &Ask<'_>, mut bytes: &[u8]) -> Result<(), AccessError> {
        let state = &mut *self.state.lock();
        while state.tail.len() + bytes.len() >= BODY_BYTES {
            let (head, rest) = bytes.split_at(BODY_BYTES - state.tail.len());
            self.add_page(state, ask, head)?;
            state.tail.clear();
            bytes = rest;
        }
        state.tail.extend_from_slice(bytes);
        Ok(())
    }

    /// Makes the next page of the tail and `head`, which fill it.
    fn add_page(&self, state: &mut State, ask: &Ask<'_>, head: &[u8]) -> Result<(), AccessError> {
        assert!(
            state.tail.len() + head.len() == BODY_BYTES,
            "A1: {} and {} bytes are a page",
            state.tail.len(),
            head.len()
        );
        if ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        if state.pages == state.extents.len() * EXTENT_PAGES as usize {
            self.grow(state, ask)?;
        }
        assert!(state.pages < state.extents.len() * EXTENT_PAGES as usize, "A3: {} pages, none after", state.pages);
        let mut page = self.ctx.pool.create(ask, state.page_at(state.pages), PageKind::Sort, self.id.0)?;
        ask.count_logical_read();
        let (of_tail, of_head) = page[HEADER_BYTES..].split_at_mut(state.tail.len());
        of_tail.copy_from_slice(&state.tail);
        of_head.copy_from_slice(head);
        drop(page);
        state.pages += 1;
        Ok(())
    }

    fn grow(&self, state: &mut State, ask: &Ask<'_>) -> Result<(), AccessError> {
        let ctx = &self.ctx;
        // 1, 1, 2, 4, 8: a small run takes 64 KB.
        let batch = state.extents.len().clamp(1, BATCH_EXTENTS_MAX) as u32;
        let taken = ctx.usage.grow(batch, |batch| {
            let mut taken = Vec::with_capacity(batch as usize);
            ctx.space.allocate_extents(ask, &*ctx.pool, ctx.owner, batch, &mut taken)?;
            Ok((taken.len() as u32, taken))
        })?;
        assert!(
            (1..=batch as usize).contains(&taken.len()),
            "{} extents were taken, 1 to {batch} asked for",
            taken.len()
        );
        check!(taken.iter().all(|extent| !state.extents.contains(extent)), "an extent is given to a run twice");
        state.extents.extend(taken);
        Ok(())
    }

    /// A reader at the start.
    #[must_use]
    pub fn reader(self: &Arc<Run>) -> RunReader {
        RunReader { behind: None, run: Arc::clone(self), at_bytes: 0, spare: PageBuffer::default() }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        if state.extents.is_empty() {
            return;
        }
        let uncounted = IoCount::default();
        let ask = Ask::new(&self.task, &uncounted);
        // The extents are free in any case; a map page that could not be had is an error of another operation later.
        let _ = self.ctx.space.free_extents(&ask, &*self.ctx.pool, self.ctx.owner, &state.extents);
        self.ctx.usage.shrink(state.extents.len());
    }
}

/// Reads a run from its start; what is appended meanwhile is read too.
#[derive(Debug)]
pub struct RunReader {
    /// The read of the pages after those that were given last; it is over before the run goes.
    behind: Option<(usize, PendingRead)>,
    run: Arc<Run>,
    at_bytes: u64,
    spare: PageBuffer,
}

impl RunReader {
    /// The next bytes: up to a few hundred kilobytes; none at the end of what was appended so far.
    ///
    /// # Errors
    /// [`AccessError::Pool`], [`AccessError::Cancelled`].
    pub fn next_chunk(&mut self, ask: &Ask<'_>) -> Result<Option<Vec<u8>>, AccessError> {
        if ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        let (index, offset) =
            ((self.at_bytes / BODY_BYTES as u64) as usize, (self.at_bytes % BODY_BYTES as u64) as usize);
        let (first, count) = {
            let state = self.run.state.lock();
            if index == state.pages {
                let rest = state.tail[offset..].to_vec();
                assert!(rest.len() < BODY_BYTES, "A1: {} bytes are a page and no tail", rest.len());
                self.at_bytes += rest.len() as u64;
                return Ok((!rest.is_empty()).then_some(rest));
            }
            state.consecutive(index)
        };
        // A2: without the lock.
        let pool = &self.run.ctx.pool;
        let (count, mut buffer) = match self.behind.take() {
            Some((count, behind)) => (count, behind.finish(pool, ask)?),
            None => {
                let mut buffer = std::mem::take(&mut self.spare);
                pool.read_through(ask, first, buffer.pages(count))?;
                (count, buffer)
            }
        };
        self.behind = self.read_on(index + count);
        let pages = buffer.pages(count);
        let mut chunk = Vec::with_capacity(count * BODY_BYTES - offset);
        chunk.extend_from_slice(&pages[0][HEADER_BYTES + offset..]);
        pages[1..].iter().for_each(|page| chunk.extend_from_slice(&page[HEADER_BYTES..]));
        self.spare = buffer;
        self.at_bytes += chunk.len() as u64;
        assert!(self.at_bytes.is_multiple_of(BODY_BYTES as u64), "A1: pages of a run end at byte {}", self.at_bytes);
        Ok(Some(chunk))
    }

    /// Begins to read the pages from `index` on, while the caller works on those before them.
    fn read_on(&mut self, index: usize) -> Option<(usize, PendingRead)> {
        let (first, count) = {
            let state = self.run.state.lock();
            if index >= state.pages {
                return None;
            }
            state.consecutive(index)
        };
        let behind = self.run.ctx.pool.read_behind(first, count, &mut self.spare)?;
        Some((count, behind))
    }
}
