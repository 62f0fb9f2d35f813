//! Heaps: rows in no order, on extents of their own.
//!
//! ```text
//!   handle (Heap: pages, latches, counts) ──▶ layout (extents, tail, holes)
//!     ├── grow ──▶ iam ──▶ space maps           ├── scan: rows that were there at open, and single ones
//!     ├── append: rows that come                ├── undo: cut, restore, refill
//!     ├── change: update, delete, forwarding    └── fill: appends by several threads at once
//!     ├── journal: what undo needs             └── sample: rows of some pages, for statistics
//! ```
//!
//! What always holds stands in `handle`, H1 to H6. The functions of a heap take it as their first argument.

pub mod append;
pub mod change;
pub(crate) mod fill;
pub mod grow;
pub(crate) mod handle;
mod iam;
pub(crate) mod journal;
pub(crate) mod layout;
pub mod sample;
pub mod scan;
pub mod undo;
