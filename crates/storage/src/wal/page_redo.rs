//! A few pages are done again from the log, while the database works: their copies were lost.
//!
//! What always holds: records are redone in their order, each exactly if its LSN is above the page's (L2). The log is
//! read to its durable end; it is kept from the place where the pages' changes begin, because nothing says that they
//! are on a data file.

use crate::check;
use crate::contract::{PAGE_BYTES, PageBytes, PageId};
use crate::page::header::{self, LogPos, Lsn};
use crate::pool::LostPages;
use crate::wal::log::Log;
use crate::wal::page_op::{self, Ops};
use crate::wal::reader::{self, LogReader};
use crate::wal::record::{RecordView, Records};

/// Why the pages could not be done again.
#[derive(Debug, thiserror::Error)]
pub enum PageRedoError {
    /// Reading the log failed.
    #[error("reading the log failed: {0}")]
    Device(#[from] millpond_device::DeviceError),
    /// The log does not reach back to where the changes begin.
    #[error("the log does not reach back to {from}")]
    Missing {
        /// Where they begin.
        from: Lsn,
    },
    /// A record cannot be read.
    #[error("the log record at {lsn} cannot be read")]
    Record {
        /// Its place.
        lsn: Lsn,
    },
}

/// Does to the pages what the log says from `from` on.
///
/// # Errors
/// [`PageRedoError`]; the pages are then of no use.
pub(crate) fn redo_pages(log: &Log, from: LogPos, pages: &mut LostPages) -> Result<(), PageRedoError> {
    let mut parts = log.core.tail.lock().parts.clone();
    parts.retain(|part| part.in_use && part.sequence >= from.sequence());
    let disks = log.core.disks.read().clone();
    let firsts = reader::first_blocks(&disks, &log.core.guid, &parts)?;
    let missing = PageRedoError::Missing { from: from.first_lsn() };
    // Whole parts are read: where in a part the changes begin may be a place that no block begins at.
    let starts = firsts.iter().flatten().map(|first| first.position);
    let Some(start) = starts.min().filter(|start| start.sequence() == from.sequence()) else { return Err(missing) };
    let mut reader = LogReader::new(disks, log.core.guid, parts, firsts, start).ok_or(missing)?;
    while let Some(block) = reader.next()? {
        if block.header.position < from {
            continue;
        }
        for record in Records::new(block.header.position.first_lsn(), block.records()) {
            let view = record.map_err(|lsn| PageRedoError::Record { lsn })?;
            redo_record(log, &view, pages).ok_or(PageRedoError::Record { lsn: view.lsn })?;
        }
    }
    Ok(())
}

/// `None` when the record cannot be read.
fn redo_record(log: &Log, view: &RecordView<'_>, pages: &mut LostPages) -> Option<()> {
    if !view.is_change() {
        return Some(());
    }
    let change = view.change()?;
    for index in 0..change.page_count() {
        let id = change.page(log.core.db, index)?;
        let Some(page) = pages.get_mut(&id) else { continue };
        redo_page(id, page, view.lsn, index as u8, change.ops)?;
    }
    Some(())
}

fn redo_page(id: PageId, page: &mut Option<Box<PageBytes>>, lsn: Lsn, index: u8, ops: &[u8]) -> Option<()> {
    let mut of_page = Ops::new(ops).filter(|op| op.as_ref().map_or(true, |(of, _)| *of == index));
    let first = match of_page.next() {
        None => return Some(()),
        Some(op) => op.ok()?.1,
    };
    if page.as_ref().is_some_and(|page| header::lsn(page) >= lsn) {
        return Some(());
    }
    if let Some(kind) = first.kind() {
        let fresh = page.get_or_insert_with(|| Box::new([0; PAGE_BYTES]));
        header::init(fresh, id, kind, 0);
    }
    // A page that is not made yet: what was done to it before it was made anew does not matter.
    let Some(bytes) = page else { return Some(()) };
    first.redo(bytes).ok()?;
    for op in of_page {
        op.ok()?.1.redo(bytes).ok()?;
    }
    check!(
        (header::page_no(bytes), header::file_id(bytes)) == (id.page, id.file),
        "page {id} is done again as page {}",
        header::page_no(bytes)
    );
    page_op::stamp(bytes, lsn);
    Some(())
}
