//! B+trees: entries in the order of their keys, on pages of an allocation unit, with or without a log.
//!
//! ```text
//!   handle (Tree: descent, values, counts) ──▶ node (records on slotted pages) ──▶ storage: slotted pages, mini-transactions
//!     ├── read: get, next_key, level by level      ├── cursor: ranges both ways
//!     ├── modify: one entry, under a Writer        ├── split, shrink, compact: structure, one mini-transaction a step
//!     ├── run: many entries of a leaf at once      unit: pages taken and given back
//!     ├── fill ──▶ levels ──▶ maker: a tree bottom up, by several threads; bulk: by one, from a source
//!     │     └▶ graft: what was filled is hung after other entries
//!     └── check, reclaim, count, divide, statistics; activity: what was done with it, in numbers
//! ```
//!
//! What always holds:
//! - B1: the root page never moves; every page below it is reached by exactly one child link, and the leaves' links run
//!   in the order of the child links.
//! - B2: a child link and the separators beside it bound its subtree: `separator ≤ key < next separator`. The first
//!   separator of a node counts as less than every key.
//! - B3: structure changes only under the tree's structure lock, in one mini-transaction per step, and `version` is
//!   raised while the pages are still latched.
//! - B4: latches are taken parent before child, left before right. No space is asked for and no map page is latched while
//!   a page of a tree is.
//! - B5: a page is allocated in the maps before a mini-transaction links it, and freed there after one has unlinked it: a
//!   crash in between can only leak it. `tree::reclaim::reclaim_pages` finds such pages after an unclean start.
//!
//! It knows no columns, no locks, no transactions: what changes entries brings a [`Writer`].

mod activity;
mod ahead;
pub mod bulk;
pub mod check;
pub mod compact;
mod count;
pub mod cursor;
pub mod divide;
mod fill;
pub mod graft;
mod handle;
pub mod leaf_copy;
mod levels;
mod maker;
pub mod modify;
pub(crate) mod node;
mod range;
pub mod read;
pub mod reclaim;
mod row;
pub mod run;
mod shrink;
mod split;
pub mod statistics;

pub use activity::{TreeActivity, TreeUse};
pub use bulk::{Built, EntrySource};
pub use check::{TreeProblem, TreeReport};
pub use compact::Compaction;
pub use cursor::TreeCursor;
pub use fill::{FewEntries, Filled, LOGGED_PAGES, TreeFill, TreeFillPart};
pub use handle::{Tree, TreeIds, TreeRoot};
pub use leaf_copy::{Leaf, LeafCopy, TakeEntries};
pub use node::{ENTRY_BYTES_MAX, KEY_BYTES_MAX};
pub use range::{Direction, KeyRange};
pub use row::{Change, Entry, LeafRow, RowTag, VersionPtr, Writer, Xsn};
pub use statistics::{LevelStatistics, StatisticsMode, TreeStatistics};
