//! What a column of a record holds: a value's bytes, or where a large value lies outside the record.

use crate::value::Value;

/// Where a large value lies, and how long it is.
///
/// Bytes 0..8 say where, which only the access layer understands; bytes 8..16 are the value's length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LobPointer([u8; Self::BYTES]);

impl LobPointer {
    /// Bytes of a pointer in a record.
    pub const BYTES: usize = 16;

    /// A pointer to a value of `len_bytes` bytes; the access layer chooses the locator.
    #[must_use]
    pub fn new(locator: u64, len_bytes: u64) -> Self {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&locator.to_le_bytes());
        bytes[8..].copy_from_slice(&len_bytes.to_le_bytes());
        Self(bytes)
    }

    /// The pointer of its bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Its bytes, as they lie in a record.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        self.0
    }

    /// Where the value lies.
    #[must_use]
    pub fn locator(self) -> u64 {
        let [l0, l1, l2, l3, l4, l5, l6, l7, ..] = self.0;
        u64::from_le_bytes([l0, l1, l2, l3, l4, l5, l6, l7])
    }

    /// Length of the value in bytes.
    #[must_use]
    pub fn len_bytes(self) -> u64 {
        let [.., n0, n1, n2, n3, n4, n5, n6, n7] = self.0;
        u64::from_le_bytes([n0, n1, n2, n3, n4, n5, n6, n7])
    }
}

/// A column's contents: what [`RowLayout::encode_cells`](super::RowLayout::encode_cells) takes and
/// [`RowView::cell`](super::RowView::cell) hands out (never [`Cell::Value`]), so that a record can be made of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// NULL.
    Null,
    /// A value of the column's type, or NULL.
    Value(&'a Value),
    /// The value's stored bytes ([`value_to_bytes`](super::value_to_bytes)); a `bit` is the byte 0 or 1.
    Inline(&'a [u8]),
    /// A value outside the record; for columns of variable length only.
    OffRow(LobPointer),
}
