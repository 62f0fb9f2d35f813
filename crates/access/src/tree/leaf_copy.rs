//! The entries of a leaf, copied as they lie: the page once, and where each entry is in the copy.
//!
//! ```text
//!   page of the tree, latched ──one copy──▶ bytes ◀── spots: key │ payload │ end of each entry, in the order of the scan
//! ```
//! A page is copied so only where every entry of it is to be given as it lies there: none deleted, none with bytes kept after
//! it, no version that the reader may not see. Other pages come entry by entry ([`LeafCopy::push`]).

use std::ops::{ControlFlow, Range};

use millpond_storage::contract::PageBytes;

use super::node;
use super::range::Direction;
use super::row::{Entry, LeafRow, RowTag};
use crate::error::NodeDamage;

/// What takes the entries of a scan, under the latch of their page; it must not touch the tree.
pub trait TakeEntries {
    /// Takes all entries of a page at once; false, and nothing is taken, where they are to come one by one.
    ///
    /// # Errors
    /// [`NodeDamage`]
    fn take_page(&mut self, _leaf: &Leaf<'_>) -> Result<bool, NodeDamage> {
        Ok(false)
    }

    /// Takes one. After `Break` the scan goes on after it.
    fn take(&mut self, row: LeafRow<'_>) -> ControlFlow<()>;
}

impl<F: FnMut(LeafRow<'_>) -> ControlFlow<()> + ?Sized> TakeEntries for F {
    #[inline]
    fn take(&mut self, row: LeafRow<'_>) -> ControlFlow<()> {
        self(row)
    }
}

/// Entries of a leaf that is latched.
#[derive(Debug)]
pub struct Leaf<'p> {
    pub(crate) page: &'p PageBytes,
    pub(crate) slots: Range<u16>,
    pub(crate) direction: Direction,
}

/// Entries that were copied.
#[derive(Debug, Default)]
pub struct LeafCopy {
    bytes: Vec<u8>,
    spots: Vec<Spot>,
}

/// Where an entry lies in the copy.
#[derive(Clone, Copy, Debug)]
struct Spot {
    key: u32,
    payload: u32,
    end: u32,
}

impl LeafCopy {
    /// Makes it empty.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.spots.clear();
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spots.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }

    /// Adds an entry.
    pub fn push(&mut self, key: &[u8], payload: &[u8]) {
        let at = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(payload);
        let payload = at + key.len();
        self.spots.push(Spot { key: at as u32, payload: payload as u32, end: self.bytes.len() as u32 });
    }

    /// Becomes the entries of a leaf; false, and it is what it was, where it has entries already and where one of the leaf's is
    /// not to be given as it lies there. `sees` is asked about those that have a tag.
    ///
    /// # Errors
    /// [`NodeDamage`]
    pub fn take(&mut self, leaf: &Leaf<'_>, sees: impl Fn(RowTag) -> bool) -> Result<bool, NodeDamage> {
        if !self.is_empty() {
            return Ok(false);
        }
        self.bytes.clear();
        // First the copy, which reads memory in its order: what is looked at then is near.
        self.bytes.extend_from_slice(leaf.page);
        let page: &PageBytes = self.bytes.as_slice().try_into().expect("the copy of a page");
        self.spots.reserve(leaf.slots.len());
        for slot in leaf.slots.clone() {
            let record = node::record(page, slot)?;
            let start = record.as_ptr().addr() - page.as_ptr().addr();
            let plain = node::plain_parts(record, slot)?;
            let Some((key_end, payload_end, _)) = plain.filter(|(.., tag)| tag.is_none_or(&sees)) else {
                self.clear();
                return Ok(false);
            };
            let [key, payload, end] = [node::KEY_AT, key_end, payload_end].map(|at| (start + at) as u32);
            self.spots.push(Spot { key, payload, end });
        }
        if leaf.direction == Direction::Backward {
            self.spots.reverse();
        }
        Ok(true)
    }

    /// The entries in the order of the scan.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Entry<'_>> {
        self.spots.iter().map(|spot| {
            let (key, payload, end) = (spot.key as usize, spot.payload as usize, spot.end as usize);
            Entry { key: &self.bytes[key..payload], payload: &self.bytes[payload..end] }
        })
    }
}
