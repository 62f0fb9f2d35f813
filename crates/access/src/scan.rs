//! Scans: the rows of a heap that were there when the scan was opened, in page order.
//!
//! A scan holds the heap, not its pages: it may live on another thread than its writer, and as long as it likes. Rows
//! that are deleted or changed before the scan gets to them are seen as they are then; each row is seen once, at the
//! place that it had at first, also when an update moves it while the scan is open (H4).

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_storage::ask::Ask;
use millpond_storage::contract::{EXTENT_PAGES, PageBytes, PageId};
use millpond_storage::header;

use crate::error::AccessError;
use crate::heap::Heap;
use crate::layout::{Layout, Position};
use crate::page::{self, RecordKind};
use crate::rid::Rid;

/// Pages read ahead of a scan: 512 KB.
const READ_AHEAD_PAGES: Position = 64;

/// A scan of a heap.
#[derive(Debug)]
pub struct HeapScan {
    heap: Arc<Heap>,
    generation: u64,
    next: Position,
    /// First position that is not read.
    end: Position,
    /// Position of the heap's tail when the scan was opened, and its slots then: later ones are not read.
    tail: Option<(Position, u16)>,
    /// First position that was not read ahead.
    ahead: Position,
    counted: bool,
    /// Stubs of the page at hand; kept for its memory.
    stubs: Vec<(Rid, Rid)>,
}

type Visit<'v> = &'v mut dyn FnMut(Rid, &[u8]) -> ControlFlow<()>;

impl Heap {
    /// A scan of the rows that are there now.
    #[must_use]
    pub fn scan(self: &Arc<Heap>) -> HeapScan {
        self.scan_parts(1).pop().expect("one part was asked for")
    }

    /// Several scans, for as many threads, that together read what [`Heap::scan`] reads.
    #[must_use]
    pub fn scan_parts(self: &Arc<Heap>, parts: u32) -> Vec<HeapScan> {
        let state = self.state.lock();
        let (pages, slots) = (state.layout.pages, state.layout.tail.slots);
        // Whole extents to each part, so that none reads ahead for another.
        let extents = pages.div_ceil(EXTENT_PAGES);
        let bound = |part: u32| {
            let extent = u64::from(extents) * u64::from(part) / u64::from(parts.max(1));
            (extent as u32 * EXTENT_PAGES).min(pages)
        };
        (0..parts.max(1))
            .map(|part| {
                self.open_scans.fetch_add(1, Relaxed);
                HeapScan {
                    heap: Arc::clone(self),
                    generation: state.generation,
                    next: bound(part),
                    end: bound(part + 1),
                    tail: pages.checked_sub(1).map(|tail| (tail, slots)),
                    ahead: bound(part),
                    counted: part > 0,
                    stubs: Vec::new(),
                }
            })
            .collect()
    }

    /// Copies the row at `rid` into `row`, which is emptied first.
    ///
    /// # Errors
    /// [`AccessError`]
    pub fn fetch(&self, ask: &Ask<'_>, rid: Rid, row: &mut Vec<u8>) -> Result<(), AccessError> {
        row.clear();
        let _kept = self.structure.read_recursive();
        self.find(rid)?;
        let target = {
            let page = self.shared(ask, rid.page_id(self.ctx.db))?;
            match self.image(&page, rid)? {
                Some(image) if image.kind == RecordKind::Row => {
                    row.extend_from_slice(image.bytes);
                    return Ok(());
                }
                Some(image) if image.kind == RecordKind::Stub => self.stub_target(image.bytes, rid)?,
                _ => return Err(AccessError::NoSuchRow(rid)),
            }
        };
        self.read_moved(ask, rid, target, |bytes| row.extend_from_slice(bytes))
    }

    /// Gives the bytes of the row that the stub at `rid` stands for.
    fn read_moved<R>(
        &self,
        ask: &Ask<'_>,
        rid: Rid,
        target: Rid,
        read: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, AccessError> {
        let page = self.shared(ask, target.page_id(self.ctx.db))?;
        match self.image(&page, target)? {
            Some(image) if image.kind == RecordKind::Moved => Ok(read(image.bytes)),
            _ => Err(AccessError::NoSuchRow(rid)),
        }
    }
}

impl HeapScan {
    /// Visits the rows of the next page; false when there is none. `Break` ends the scan. `visit` runs with the page
    /// latched: it must not touch the heap.
    ///
    /// # Errors
    /// [`AccessError::Cancelled`] when the task was told to stop, [`AccessError::Gone`] when the heap was emptied.
    pub fn next_page(&mut self, ask: &Ask<'_>, visit: Visit<'_>) -> Result<bool, AccessError> {
        if self.next >= self.end {
            return Ok(false);
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
        if self.visit_page(&heap, ask, id, slots_max, visit)?.is_break() {
            self.next = self.end;
        }
        Ok(true)
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
        let id = state.layout.page_at(heap.ctx.db, self.next);
        if self.next + READ_AHEAD_PAGES / 2 >= self.ahead && self.ahead < self.end {
            let until = (self.next + READ_AHEAD_PAGES).min(self.end);
            let runs = runs(heap, &state.layout, self.ahead.max(self.next), until);
            self.ahead = until;
            drop(state);
            for (first, count) in runs {
                heap.ctx.pool.read_ahead(ask, first, count);
            }
        }
        Ok(id)
    }

    fn visit_page(
        &mut self,
        heap: &Heap,
        ask: &Ask<'_>,
        id: PageId,
        slots_max: u16,
        visit: Visit<'_>,
    ) -> Result<ControlFlow<()>, AccessError> {
        self.stubs.clear();
        {
            let page = heap.shared(ask, id)?;
            if self.visit_rows(heap, &page, id, slots_max, visit)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        // The rows that moved away are read with no other page latched.
        for &(rid, target) in &self.stubs {
            if heap.read_moved(ask, rid, target, |bytes| visit(rid, bytes))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
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
            let rid = Rid { file: id.file, page: id.page, slot };
            let Some(image) = page::image(bytes, slot).map_err(|damage| AccessError::Damaged { page: id, damage })?
            else {
                continue;
            };
            match image.kind {
                RecordKind::Row if visit(rid, image.bytes).is_break() => {
                    return Ok(ControlFlow::Break(()));
                }
                RecordKind::Stub => self.stubs.push((rid, heap.stub_target(image.bytes, rid)?)),
                _ => {}
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Drop for HeapScan {
    fn drop(&mut self) {
        self.heap.open_scans.fetch_sub(1, Relaxed);
    }
}

/// The pages of positions `from..until` as runs of neighbours.
fn runs(heap: &Heap, layout: &Layout, from: Position, until: Position) -> Vec<(PageId, u32)> {
    let mut runs: Vec<(PageId, u32)> = Vec::new();
    for position in from..until {
        let id = layout.page_at(heap.ctx.db, position);
        match runs.last_mut() {
            Some((first, count)) if first.file == id.file && first.page.0 + *count == id.page.0 => *count += 1,
            _ => runs.push((id, 1)),
        }
    }
    runs
}
