//! The decoders of the log over bytes of any origin: what fuzz targets look in at. No part of the server.
//!
//! What must hold: nothing panics; what is read as a block, a record, an op, a checkpoint or an anchor is written as the
//! same bytes, or reads as the same again; and a page that refuses an op is as it was.

use crate::contract::{DbId, FileId, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo};
use crate::page::header::{self, Lsn};
use crate::wal::anchor::Anchor;
use crate::wal::block::{BlockHeader, HEADER_BYTES};
use crate::wal::page_op::{self, LoggedOp, Ops};
use crate::wal::record::{self, CheckpointBody, Coordinator, RecordView, Records};

const GUID: [u8; 16] = *b"guid of the fuzz";
const DB: DbId = DbId(5);

/// `bytes` as the records of a block.
///
/// # Panics
/// What must hold does not.
pub fn records(bytes: &[u8]) {
    let mut at = 0;
    for read in Records::new(Lsn::default(), bytes) {
        let Ok(view) = read else { return };
        let mut again = Vec::new();
        record::encode(view.kind, view.txn, view.prev, view.body, &mut again);
        assert_eq!(again, bytes[at..at + view.bytes as usize], "{view:?} is written as it was read");
        at += view.bytes as usize;
        body(&view);
    }
    assert_eq!(at, bytes.len(), "records lie one after the other up to the end");
}

fn body(view: &RecordView<'_>) {
    let _ = (view.time_us(), Coordinator::read(view.body).map(|of| of.encode()));
    if let Some(record) = view.to_record(DB) {
        let _ = crate::wal::two_phase::phase_of(&record);
    }
    if let Some(change) = view.change() {
        (0..change.page_count()).for_each(|index| assert!(change.page(DB, index).is_some(), "page {index} is there"));
        ops(&mut [0; PAGE_BYTES], change.ops);
    }
    checkpoint(view.body);
}

/// `bytes` as the body of a checkpoint.
///
/// # Panics
/// What must hold does not.
pub fn checkpoint(bytes: &[u8]) {
    if let Some(read) = CheckpointBody::read(bytes) {
        assert_eq!(CheckpointBody::read(&read.encode()).as_ref(), Some(&read), "a checkpoint reads as it was written");
    }
}

/// `bytes` as ops, done one after the other to `page`, which may hold anything.
///
/// # Panics
/// What must hold does not.
pub fn ops(page: &mut PageBytes, bytes: &[u8]) {
    // A page that recovery reads has its number, whatever else it holds.
    if header::file_id(page).0 == 0 {
        let id = PageId { db: DbId(1), file: FileId(1), page: PageNo(8) };
        header::init(page, id, PageKind::Data, 1);
    }
    let mut at = 0;
    for read in Ops::new(bytes) {
        let Ok((index, op)) = read else { return };
        if let LoggedOp::Op(op) = &op {
            let mut again = Vec::new();
            page_op::encode(op, index, &mut again);
            assert_eq!(again, bytes[at..at + again.len()], "{op:?} is written as it was read");
            at += again.len();
        } else if let LoggedOp::Image { head, tail } = &op {
            at += 6 + head.len() + tail.len();
        }
        let before = *page;
        if op.redo(page).is_err() {
            assert!(*page == before, "a page that refuses an op is as it was");
        }
        let _ = (op.is_whole(), op.kind());
    }
}

/// `bytes` as the start of a block, whose mark, owner and checksum are set right.
///
/// # Panics
/// What must hold does not.
pub fn block(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    let Some(header) = BlockHeader::peek_marked(&mut bytes, &GUID) else { return };
    bytes.resize(header.total_bytes as usize, 0);
    header.seal(&mut bytes, &GUID);
    assert_eq!(BlockHeader::read(&bytes, &GUID), Some(header), "a block reads as it was sealed");
    records(&bytes[HEADER_BYTES..header.used_bytes as usize]);
    let at = header.used_bytes as usize - 1;
    bytes[at] ^= 1;
    assert_eq!(BlockHeader::read(&bytes, &GUID), None, "a flipped bit is seen");
}

/// `bytes` as an anchor, whose mark, owner and checksum are set right.
///
/// # Panics
/// What must hold does not.
pub fn anchor(bytes: &[u8]) {
    if let Some(read) = Anchor::decode_marked(bytes, &GUID) {
        let again = Anchor::decode(&read.encode(&GUID), &GUID).expect("encoded by us");
        assert_eq!(read, again, "an anchor reads as it was written");
    }
}
