//! A sample of a heap's rows, for statistics: those of all pages, or of some equally far apart.
//!
//! Work may go on meanwhile: what is read is true of no point in time, and a page that cannot be read is passed over.

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::PageId;
use millpond_storage::page::header;

use crate::error::AccessError;
use crate::heap::handle::Heap;
use crate::page::{self, RecordKind};

/// Gives the records of pages: of all when they are at most `pages_max`, else of about so many. A row that moved is met where it
/// lies now. `take` sees one page's rows at a time and is called without a latch. Returns which part of the pages was to be read,
/// above 0 and at most 1.
///
/// # Errors
/// [`AccessError::Cancelled`] when the task was asked to stop, [`AccessError::Gone`] of a heap that was dropped.
pub fn sample_pages(
    heap: &Heap,
    ask: &Ask<'_>,
    pages_max: usize,
    take: &mut dyn FnMut(&[Vec<u8>]),
) -> Result<f64, AccessError> {
    let pages = heap.page_count().max(1);
    let step = pages.div_ceil(pages_max.max(1) as u64).max(1);
    let mut rows = Vec::new();
    for index in (0..pages).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
        if ask.task.is_cancelled() {
            return Err(AccessError::Cancelled);
        }
        rows.clear();
        {
            // H3: the page is the heap's until this is dropped.
            let _kept = heap.structure.read_recursive();
            heap.check_live(&heap.state.lock())?;
            // Emptied, or cut, in between.
            let Some(id) = heap.page_at(index) else { break };
            rows_of(heap, ask, id, &mut rows);
        }
        take(&rows);
    }
    let read = pages.div_ceil(step);
    assert!((1..=pages).contains(&read), "{read} of {pages} pages are a sample");
    Ok(read as f64 / pages as f64)
}

fn rows_of(heap: &Heap, ask: &Ask<'_>, id: PageId, to: &mut Vec<Vec<u8>>) {
    let Ok(page) = heap.shared(ask, id) else { return };
    check!(to.is_empty(), "the rows of page {id} come after others");
    for slot in 0..header::slot_count(&page) {
        if let Ok(Some(image)) = page::image(&page, slot)
            && matches!(image.kind, RecordKind::Row | RecordKind::Moved)
        {
            to.push(image.bytes.to_vec());
        }
    }
}
