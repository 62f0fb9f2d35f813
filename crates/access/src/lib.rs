//! Access methods: heaps of records on pages, with scans beside a writer and undo that is exact; and B+trees with large
//! values, durable or not.
//!
//! ```text
//!   heap ──▶ layout (extents, tail, holes)          change: update, delete, forwarding      undo: cut, restore, refill
//!     │  └─▶ grow ──▶ iam ──▶ space maps            scan: rows that were there at open      journal: what undo needs
//!     └────▶ page (slots and records) ──▶ pool    fill: appends by several threads at once
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
//! It knows no column types, no locks, and not what commits: the caller keeps the [`Journal`].
#![deny(unsafe_code)]

mod change;
mod ctx;
mod error;
mod fill;
mod grow;
mod heap;
mod iam;
mod iam_log;
mod journal;
mod layout;
pub mod lob;
pub mod memory;
mod neighbours;
mod page;
mod rid;
mod run;
mod scan;
pub mod tree;
mod undo;
mod unit;
mod usage;

pub use ctx::TreeCtx;
pub use error::{AccessError, NodeDamage};
pub use fill::{Fill, FillPart};
pub use heap::{Ctx, Heap, RowSource};
pub use journal::{Journal, NoJournal, SlotUndo, TailMark};
pub use layout::ExtentUse;
pub use page::{ROW_BYTES_MAX, RecordDamage, RecordKind, SlotImage};
pub use rid::{ObjectId, Rid};
pub use run::{Run, RunReader};
pub use scan::HeapScan;
pub use undo::Emptied;
pub use unit::UnitSpace;
pub use usage::{SpaceQuota, SpaceUse};
