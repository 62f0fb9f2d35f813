//! What is known of a page in the extension beside its bytes: enough to know it again.

use crate::contract::{PageBytes, PageId, PageKind};
use crate::page::header::{self, Lsn};

/// What a slot holds, by what is known of a page beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) page: PageId,
    pub(crate) lsn: Lsn,
    pub(crate) checksum: u32,
    pub(crate) object_id: u32,
    pub(crate) kind: u8,
    pub(crate) level: u8,
    pub(crate) rows: u16,
    pub(crate) free_bytes: u16,
}

impl Contents {
    /// Of a page that has its checksum.
    pub(crate) fn of(page: PageId, bytes: &PageBytes) -> Contents {
        Contents {
            page,
            lsn: header::lsn(bytes),
            checksum: header::stored_checksum(bytes),
            object_id: header::object_id(bytes),
            kind: header::kind(bytes).map_or(0, |kind| kind as u8),
            level: header::level(bytes),
            rows: header::slot_count(bytes),
            free_bytes: header::free_count(bytes),
        }
    }

    /// Whether these bytes are the page as it was put there.
    pub(crate) fn are(&self, bytes: &PageBytes) -> bool {
        let right = header::lsn(bytes) == self.lsn && header::stored_checksum(bytes) == self.checksum;
        right && header::verify(bytes, self.page).is_ok()
    }

    /// The page's kind, if its number is one.
    pub(crate) fn page_kind(&self) -> Option<PageKind> {
        header::kind_of_number(self.kind)
    }
}
