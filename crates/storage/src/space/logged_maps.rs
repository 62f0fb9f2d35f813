//! Map pages of a durable database: each change is a mini-transaction of its own.
//!
//! ```text
//!   latch ── copy ── change the copy ── what differs becomes ops ── commit
//! ```
//!
//! What always holds: one map page is latched at a time (S2), and its record holds only the bytes that changed. In a
//! temporary database the page is changed as it is, without copy and record. The copy costs less than the latch: callers
//! say what a page becomes and need not know how the log wants to hear it.

use crate::check;
use std::ops::Range;

use crate::ask::Ask;
use crate::contract::{DbId, ExtentId, FileId, PAGE_BYTES, PageBytes, PageId, PageKind};
use crate::page::header::HEADER_BYTES;
use crate::space::map_pages::{MapError, MapPages};
use crate::wal::{DatabaseHandle, Mtr, PageIx, PageOp};

/// Log space for a change of a whole page, and what a record needs beside.
const RESERVE_BYTES: usize = PAGE_BYTES + 512;
/// Equal bytes between two changes that are cheaper logged than skipped: an op's own bytes.
const GAP_BYTES: usize = 8;

/// The ranges in which two pages differ, after the header; near ones are one.
fn differences(before: &PageBytes, after: &PageBytes) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let words = before[HEADER_BYTES..].chunks(8).zip(after[HEADER_BYTES..].chunks(8)).enumerate();
    for (number, (old, new)) in words.filter(|(_, (old, new))| old != new) {
        let at = HEADER_BYTES + number * 8;
        let first = (0..8).find(|byte| old[*byte] != new[*byte]).expect("they differ");
        let last = (0..8).rfind(|byte| old[*byte] != new[*byte]).expect("they differ");
        match ranges.last_mut() {
            Some(range) if at + first <= range.end + GAP_BYTES => range.end = at + last + 1,
            _ => ranges.push(at + first..at + last + 1),
        }
    }
    ranges
}

/// Applies what `change` does to a copy of the page.
fn apply(mtr: &mut Mtr<'_>, page: PageIx, change: &mut dyn FnMut(&mut PageBytes)) {
    let mut after = *mtr.page(page);
    change(&mut after);
    check!(
        mtr.page(page)[..HEADER_BYTES] == after[..HEADER_BYTES],
        "S5: the header of a map page changes, and no log says so"
    );
    for range in differences(mtr.page(page), &after) {
        let op = PageOp::Bytes { offset: range.start as u16, bytes: &after[range] };
        mtr.apply(page, op).expect("after the header every byte may change");
    }
    check!(mtr.page(page)[HEADER_BYTES..] == after[HEADER_BYTES..], "what is logged of a map page is what changed");
}

impl MapPages for DatabaseHandle {
    fn update_map(&self, ask: &Ask<'_>, page: PageId, change: &mut dyn FnMut(&mut PageBytes)) -> Result<(), MapError> {
        if self.log.is_none() {
            return self.pool.update_map(ask, page, change);
        }
        check!(page.db == self.db, "L1: page {page} is changed in the log of database {}", self.db);
        let mut mtr = Mtr::begin(self, ask, RESERVE_BYTES)?;
        let latched = self.pool.update(ask, page)?;
        let index = mtr.adopt(latched);
        apply(&mut mtr, index, change);
        if mtr.has_ops() {
            mtr.commit();
        } else {
            mtr.abandon();
        }
        Ok(())
    }

    fn read_map(&self, ask: &Ask<'_>, page: PageId, look: &mut dyn FnMut(&PageBytes)) -> Result<(), MapError> {
        self.pool.read_map(ask, page, look)
    }

    fn create_map(
        &self,
        ask: &Ask<'_>,
        page: PageId,
        kind: PageKind,
        fill: &mut dyn FnMut(&mut PageBytes),
    ) -> Result<(), MapError> {
        if self.log.is_none() {
            return self.pool.create_map(ask, page, kind, fill);
        }
        check!(page.db == self.db, "L1: page {page} is made in the log of database {}", self.db);
        let mut mtr = Mtr::begin(self, ask, RESERVE_BYTES)?;
        let index = mtr.create(page, kind, 0, 0, 0)?;
        apply(&mut mtr, index, fill);
        mtr.commit();
        Ok(())
    }

    fn is_logged(&self) -> bool {
        self.log.is_some()
    }

    fn forget_extent(&self, extent: ExtentId) {
        self.pool.discard(extent);
    }

    fn forget_page(&self, page: PageId) {
        self.pool.discard_page(page);
    }

    fn forget_file(&self, db: DbId, file: FileId) {
        self.pool.detach_file(db, file);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_exact_and_near_ones_are_one() {
        let before = [7; PAGE_BYTES];
        let mut after = before;
        assert_eq!(differences(&before, &after), []);
        after[0] = 1;
        assert_eq!(differences(&before, &after), [], "the header is not a map");
        for at in [96, 200, 203, 210, 8191] {
            after[at] = 1;
        }
        assert_eq!(differences(&before, &after), [96..97, 200..211, 8191..8192]);
        let all = differences(&[0; PAGE_BYTES], &[1; PAGE_BYTES]);
        assert_eq!((all.len(), &all[0]), (1, &(HEADER_BYTES..PAGE_BYTES)));
    }
}
