//! Where a row is, and which object it belongs to. Numbers only.

use millpond_storage::contract::{DbId, FileId, PageId, PageNo};

/// A row's identifier in its database: it stays the row's own from insert to delete, also when the row is forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rid {
    /// File.
    pub file: FileId,
    /// Page.
    pub page: PageNo,
    /// Slot.
    pub slot: u16,
}

impl Rid {
    /// The identifier as one number that orders as it does: file 16 bits, page 32 bits, slot 16 bits.
    #[must_use]
    pub fn to_u64(self) -> u64 {
        u64::from(self.file.0) << 48 | u64::from(self.page.0) << 16 | u64::from(self.slot)
    }

    /// The inverse of [`Rid::to_u64`].
    #[must_use]
    pub fn from_u64(bits: u64) -> Rid {
        Rid { file: FileId((bits >> 48) as u16), page: PageNo((bits >> 16) as u32), slot: bits as u16 }
    }

    /// The page, given the database.
    #[must_use]
    pub fn page_id(self, db: DbId) -> PageId {
        PageId { db, file: self.file, page: self.page }
    }
}

impl std::fmt::Display for Rid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.page, self.slot)
    }
}

/// A heap of the instance; the number stands in the header of each of its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

impl std::fmt::Display for ObjectId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Objects of tempdb have negative numbers in the views.
        self.0.cast_signed().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rid_survives_its_number_and_keeps_its_order() {
        let low = Rid { file: FileId(1), page: PageNo(u32::MAX), slot: u16::MAX };
        let high = Rid { file: FileId(2), page: PageNo(0), slot: 0 };
        assert_eq!((Rid::from_u64(low.to_u64()), Rid::from_u64(high.to_u64())), (low, high));
        assert!(low.to_u64() < high.to_u64());
    }
}
