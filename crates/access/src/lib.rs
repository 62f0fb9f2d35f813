//! Access methods: heaps of records on pages, with scans beside a writer and undo that is exact; and B+trees with large
//! values, durable or not.
//!
//! ```text
//!   heap (rows in no order) ──▶ page (slots and records) ──▶ storage: the pool, space maps
//! ```
//!
//! ```text
//!   tree (entries by key) ──▶ unit (pages, IAM, PFS) ──▶ storage: mini-transactions, slotted pages, space
//! ```
//!
//! ```text
//!   memory: entries by key within a budget, on no page at all
//! ```
//!
//! ```text
//!   run: bytes that are written once and read in order; they leave memory only when it is needed
//! ```
//!
//! What is done with a heap or a tree is a function of its subject that takes it first: [`heap::append::insert`],
//! [`tree::modify::change_entry`].
//!
//! It knows no column types, no locks, and not what commits: the caller keeps the [`Journal`].
#![deny(unsafe_code)]

mod ctx;
mod error;
pub mod heap;
mod iam_log;
pub mod lob;
pub mod memory;
mod neighbours;
mod page;
mod rid;
mod run;
pub mod tree;
mod unit;
mod usage;

pub use ctx::TreeCtx;
pub use error::{AccessError, NodeDamage};
pub use heap::append::RowSource;
pub use heap::fill::{Fill, FillPart};
pub use heap::handle::{Ctx, Heap};
pub use heap::journal::{Journal, NoJournal, SlotUndo, TailMark};
pub use heap::layout::ExtentUse;
pub use heap::scan::HeapScan;
pub use heap::undo::Emptied;
pub use page::{ROW_BYTES_MAX, RecordDamage, RecordKind, SlotImage};
pub use rid::{ObjectId, Rid};
pub use run::{Run, RunReader};
pub use unit::UnitSpace;
pub use usage::{SpaceQuota, SpaceUse};
