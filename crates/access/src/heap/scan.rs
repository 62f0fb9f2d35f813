//! Scans: the rows of a heap that were there when the scan was opened, in page order.
//!
//! A scan holds the heap, not its pages: it may live on another thread than its writer, and as long as it likes. Rows
//! that are deleted or changed before the scan gets to them are seen as they are then; each row is seen once, at the
//! place that it had at first, also when an update moves it while the scan is open (H4). One or two large reads are under
//! way.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use millpond_storage::ask::Ask;
use millpond_storage::contract::{PageBytes, PageId};
use millpond_storage::page::header;

use crate::error::AccessError;
use crate::heap::handle::{Heap, State};
use crate::heap::layout::{Layout, Position};
use crate::neighbours::{Neighbours, READ_PAGES};
use crate::page::{self, RecordKind};
use crate::rid::Rid;

/// A scan of a heap.
#[derive(Debug)]
pub struct HeapScan {
    heap: Arc<Heap>,
    generation: u64,
    next: Position,
    /// First position that is not read, of all or of the piece at hand.
    end: Position,
    /// Where further pieces come from, and the piece that comes next, which is read ahead.
    dealer: Option<(Arc<Dealer>, Range<Position>)>,
    /// Position of the heap's tail when the scan was opened, and its slots then: later ones are not read.
    tail: Option<(Position, u16)>,
    /// First position that was not read ahead, where no pieces are dealt.
    ahead: Position,
    /// What is to be read ahead now.
    coming: Vec<Range<Position>>,
    counted: bool,
    /// Stubs of the page at hand; kept for its memory.
    stubs: Vec<(Rid, Rid)>,
}

/// Hands the pages of a scan to its parts, a piece at a time: a faster one reads more.
#[derive(Debug)]
struct Dealer {
    next: AtomicU32,
    end: Position,
}

impl Dealer {
    /// The next piece; an empty one at the end.
    fn deal(&self) -> Range<Position> {
        let start = self.next.fetch_add(READ_PAGES, Relaxed).min(self.end);
        start..start.saturating_add(READ_PAGES).min(self.end)
    }
}

type Visit<'v> = &'v mut dyn FnMut(Rid, &[u8]) -> ControlFlow<()>;
type VisitRows<'v> = &'v mut dyn FnMut(&[(Rid, &[u8])]) -> ControlFlow<()>;
/// Reads a page that is latched, up to a slot.
type ReadPage<'v> =
    &'v mut dyn FnMut(&mut HeapScan, &Heap, &PageBytes, PageId, u16) -> Result<ControlFlow<()>, AccessError>;

/// A scan of the rows that are there now.
#[must_use]
pub fn open(heap: &Arc<Heap>) -> HeapScan {
    open_part(heap, &mut heap.state.lock(), None)
}

/// Several scans, for as many threads, that together read what [`open`] reads; which of them reads a page is
/// settled when it is read.
#[must_use]
pub fn open_parts(heap: &Arc<Heap>, parts: u32) -> Vec<HeapScan> {
    let mut state = heap.state.lock();
    let first = state.layout.first_with_rows();
    let dealer = Arc::new(Dealer { next: AtomicU32::new(first), end: state.layout.pages });
    (0..parts.max(1))
        .map(|part| {
            let mut scan = open_part(heap, &mut state, Some(Arc::clone(&dealer)));
            scan.counted = part > 0;
            scan
        })
        .collect()
}

fn open_part(heap: &Arc<Heap>, state: &mut State, dealer: Option<Arc<Dealer>>) -> HeapScan {
    let (pages, slots) = (state.layout.pages, state.layout.tail.slots);
    let next = state.layout.first_with_rows();
    heap.open_scans.fetch_add(1, Relaxed);
    HeapScan {
        heap: Arc::clone(heap),
        generation: state.generation,
        next: if dealer.is_some() { 0 } else { next },
        end: if dealer.is_some() { 0 } else { pages },
        dealer: dealer.map(|dealer| (dealer, 0..0)),
        tail: pages.checked_sub(1).map(|tail| (tail, slots)),
        ahead: 0,
        coming: Vec::new(),
        counted: false,
        stubs: Vec::new(),
    }
}

/// Copies the row at `rid` into `row`, which is emptied first.
///
/// # Errors
/// [`AccessError`]
pub fn fetch(heap: &Heap, ask: &Ask<'_>, rid: Rid, row: &mut Vec<u8>) -> Result<(), AccessError> {
    row.clear();
    let _kept = heap.structure.read_recursive();
    heap.find(rid)?;
    let target = {
        let page = heap.shared(ask, rid.page_id(heap.ctx.db))?;
        match heap.image(&page, rid)? {
            Some(image) if image.kind == RecordKind::Row => {
                row.extend_from_slice(image.bytes);
                return Ok(());
            }
            Some(image) if image.kind == RecordKind::Stub => heap.stub_target(image.bytes, rid)?,
            _ => return Err(AccessError::NoSuchRow(rid)),
        }
    };
    read_moved(heap, ask, rid, target, |bytes| row.extend_from_slice(bytes))
}

/// Gives the bytes of the row that the stub at `rid` stands for.
fn read_moved<R>(
    heap: &Heap,
    ask: &Ask<'_>,
    rid: Rid,
    target: Rid,
    read: impl FnOnce(&[u8]) -> R,
) -> Result<R, AccessError> {
    let page = heap.shared(ask, target.page_id(heap.ctx.db))?;
    match heap.image(&page, target)? {
        Some(image) if image.kind == RecordKind::Moved => Ok(read(image.bytes)),
        _ => Err(AccessError::NoSuchRow(rid)),
    }
}

impl HeapScan {
    /// Visits the rows of the next page; false when there is none. `Break` ends the scan. `visit` runs with the page
    /// latched: it must not touch the heap.
    ///
    /// # Errors
    /// [`AccessError::Cancelled`] when the task was asked to stop, [`AccessError::Gone`] when the heap was emptied.
    pub fn next_page(&mut self, ask: &Ask<'_>, visit: Visit<'_>) -> Result<bool, AccessError> {
        self.read_next(ask, &mut |scan, heap, page, id, slots_max| scan.visit_rows(heap, page, id, slots_max, visit))?
            .map_or(Ok(false), |broke| self.visit_moved(ask, broke, visit))
    }

    /// As [`HeapScan::next_page`], with all rows of the page at once; those that moved away follow one by one.
    ///
    /// # Errors
    /// As [`HeapScan::next_page`].
    pub fn next_rows(&mut self, ask: &Ask<'_>, visit: VisitRows<'_>) -> Result<bool, AccessError> {
        self.read_next(ask, &mut |scan, heap, page, id, slots_max| {
            let mut rows = Vec::with_capacity(header::slot_count(page).min(slots_max).into());
            scan.gather(heap, page, id, slots_max, &mut rows)?;
            Ok(visit(&rows))
        })?
        .map_or(Ok(false), |broke| self.visit_moved(ask, broke, &mut |rid, bytes| visit(&[(rid, bytes)])))
    }

    /// Reads the next page; none when there is none.
    fn read_next(&mut self, ask: &Ask<'_>, read: ReadPage<'_>) -> Result<Option<ControlFlow<()>>, AccessError> {
        self.stubs.clear();
        if self.next >= self.end && !self.take_piece() {
            return Ok(None);
        }
        if ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        self.count_scan(ask);
        let heap = Arc::clone(&self.heap);
        // H3: the page is the heap's until this is dropped.
        let _kept = heap.structure.read_recursive();
        let id = self.locate(&heap, ask)?;
        let slots_max = match self.tail {
            Some((tail, slots)) if tail == self.next => slots,
            _ => u16::MAX,
        };
        self.next += 1;
        let page = heap.shared(ask, id)?;
        read(self, &heap, &page, id, slots_max).map(Some)
    }

    /// Visits the rows that moved away from the page at hand, with no other page latched; true.
    fn visit_moved(
        &mut self,
        ask: &Ask<'_>,
        mut broke: ControlFlow<()>,
        visit: Visit<'_>,
    ) -> Result<bool, AccessError> {
        if !self.stubs.is_empty() && broke.is_continue() {
            let heap = Arc::clone(&self.heap);
            let _kept = heap.structure.read_recursive();
            self.check_generation(&heap, heap.state.lock().generation)?;
            for &(rid, target) in &self.stubs {
                broke = read_moved(&heap, ask, rid, target, |bytes| visit(rid, bytes))?;
                if broke.is_break() {
                    break;
                }
            }
        }
        if broke.is_break() {
            self.next = self.end;
            self.dealer = None;
        }
        Ok(true)
    }

    fn check_generation(&self, heap: &Heap, generation: u64) -> Result<(), AccessError> {
        if generation == self.generation { Ok(()) } else { Err(AccessError::Gone(heap.id)) }
    }

    /// Goes on with another piece, if there is one.
    fn take_piece(&mut self) -> bool {
        let Some((dealer, following)) = &mut self.dealer else { return false };
        let mut piece = std::mem::replace(following, dealer.deal());
        assert!(piece.is_empty() || piece.start >= self.end, "a scan's piece {piece:?} begins before {}", self.end);
        if piece.is_empty() {
            piece = std::mem::replace(following, dealer.deal());
            self.coming.push(piece.clone());
        }
        self.coming.push(following.clone());
        (self.next, self.end) = (piece.start, piece.end);
        !piece.is_empty()
    }

    fn count_scan(&mut self, ask: &Ask<'_>) {
        if !std::mem::replace(&mut self.counted, true) {
            ask.task.io.scans.fetch_add(1, Relaxed);
            ask.object.scans.fetch_add(1, Relaxed);
        }
    }

    /// The page at `next`; reads ahead.
    fn locate(&mut self, heap: &Heap, ask: &Ask<'_>) -> Result<PageId, AccessError> {
        let state = heap.state.lock();
        if state.dropped || state.generation != self.generation {
            return Err(AccessError::Gone(heap.id));
        }
        assert!(self.next < state.layout.pages, "H4: page {} of {} is scanned", self.next, state.layout.pages);
        // What deletes left empty is not read; the last page is, so that there is one.
        while self.next + 1 < self.end && state.layout.is_known_empty(self.next) {
            self.next += 1;
        }
        let id = state.layout.page_at(heap.ctx.db, self.next);
        if self.dealer.is_none() && self.ahead < self.end && self.next + READ_PAGES >= self.ahead {
            let until = (self.next + 2 * READ_PAGES).min(self.end);
            self.coming.push(self.ahead.max(self.next)..until);
            self.ahead = until;
        }
        let runs: Vec<_> = self.coming.drain(..).flat_map(|piece| runs(heap, &state.layout, piece)).collect();
        drop(state);
        for run in runs {
            heap.ctx.pool.read_ahead(ask, run.first, run.pages);
        }
        Ok(id)
    }

    fn visit_rows(
        &mut self,
        heap: &Heap,
        bytes: &PageBytes,
        id: PageId,
        slots_max: u16,
        visit: Visit<'_>,
    ) -> Result<ControlFlow<()>, AccessError> {
        for slot in 0..header::slot_count(bytes).min(slots_max) {
            if let Some((rid, row)) = self.row(heap, bytes, id, slot)?
                && visit(rid, row).is_break()
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn gather<'p>(
        &mut self,
        heap: &Heap,
        bytes: &'p PageBytes,
        id: PageId,
        slots_max: u16,
        rows: &mut Vec<(Rid, &'p [u8])>,
    ) -> Result<(), AccessError> {
        for slot in 0..header::slot_count(bytes).min(slots_max) {
            rows.extend(self.row(heap, bytes, id, slot)?);
        }
        Ok(())
    }

    /// The row in a slot; where it moved away, that is noted.
    #[inline]
    fn row<'p>(
        &mut self,
        heap: &Heap,
        bytes: &'p PageBytes,
        id: PageId,
        slot: u16,
    ) -> Result<Option<(Rid, &'p [u8])>, AccessError> {
        let rid = Rid { file: id.file, page: id.page, slot };
        let image = page::image(bytes, slot).map_err(|damage| AccessError::Damaged { page: id, damage })?;
        Ok(match image {
            Some(image) if image.kind == RecordKind::Row => Some((rid, image.bytes)),
            Some(image) if image.kind == RecordKind::Stub => {
                self.stubs.push((rid, heap.stub_target(image.bytes, rid)?));
                None
            }
            _ => None,
        })
    }
}

impl Drop for HeapScan {
    fn drop(&mut self) {
        let before = self.heap.open_scans.fetch_sub(1, Relaxed);
        assert!(before > 0, "H4: a scan ends that was not counted");
    }
}

/// The pages of some positions as runs of neighbours, none longer than one read.
fn runs(heap: &Heap, layout: &Layout, positions: Range<Position>) -> Vec<Neighbours> {
    let mut runs = Vec::new();
    for position in positions {
        Neighbours::add(&mut runs, layout.page_at(heap.ctx.db, position), READ_PAGES);
    }
    runs
}
