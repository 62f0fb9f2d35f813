//! Access methods: the heap.
#![deny(unsafe_code)]

mod page;
mod rid;

pub use page::{ROW_BYTES_MAX, RecordDamage, RecordKind, SlotImage};
pub use rid::{ObjectId, Rid};
