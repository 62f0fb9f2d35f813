//! Ways to the rows of a table: which index leads to the rows that a statement wants, and which of its keys.
//!
//! ```text
//!   conjuncts over the row ──choose──▶ Access { index, prefix, bounds, direction } ──range──▶ bytes of keys
//!                               ▲
//!   rows ──measure──▶ statistics ──guide──▶ figures ──estimate──▶ rows found, cost
//! ```
//! What always holds: a range is never too small. All conjuncts are evaluated again on the rows found, so a range may be
//! wider than the predicate (a value that does not convert exactly gives no bound) and is still right.

pub mod choose;
mod embed;
mod estimate;
mod filtered;
mod forced;
mod found;
mod guide;
mod key_ranges;
mod make;
pub mod measure;
pub mod narrow;
mod narrowest;
mod peeked;
mod range;
mod relied;
pub mod sargable;
mod shares;

pub use choose::{TableRequest, choose, compared, order_of, values_of};
pub use estimate::{SEEK_ROWS, cost, rows as rows_found};
pub use forced::obeys;
pub use guide::{Guide, TableFigures, Unserved, changes_since, current_statistics};
pub use key_ranges::{ENTRIES_PER_RANGE, KeyRanges, common};
pub use make::{make, make_of_new_indexes};
pub use measure::{Sample, measure};
pub use narrowest::{narrower, narrowest};
pub use peeked::{Peeked, Sensitive};
pub use range::{Keys, between};
pub use relied::Relied;
pub use shares::{backed_off, passing, spread_of};

use millpond_catalog::expr::BoundExpr;

/// A value that a key column is compared with.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Over the columns that are known before the table is read.
    pub expr: BoundExpr,
    /// Position of the column in the table.
    pub column: usize,
    /// NULL finds NULL, as in `IS NOT DISTINCT FROM`.
    pub finds_null: bool,
}

impl Probe {
    /// One by equality, which finds no NULL.
    pub(crate) fn equal(expr: BoundExpr, column: usize) -> Probe {
        Probe { expr, column, finds_null: false }
    }
}

/// A bound of a range.
#[derive(Clone, Debug)]
pub struct RangeBound {
    /// What the column is compared with.
    pub probe: Probe,
    /// The bound itself belongs to the range.
    pub inclusive: bool,
    /// What of the probe's value is the bound.
    pub at: BoundAt,
}

/// Both ends of a range.
pub(crate) type Ends = (Option<RangeBound>, Option<RangeBound>);

/// Where a bound lies by the value of its probe.
#[derive(Clone, Debug)]
pub enum BoundAt {
    /// At the value.
    Value,
    /// Where the period begins that the value names.
    Start(Period),
    /// Where the one after it begins.
    Next(Period),
    /// Around the texts that begin with the value.
    Beginning,
    /// Around the texts that begin as the value, a pattern of LIKE with this escape, does.
    Pattern(Option<Box<BoundExpr>>),
}

/// What a function of a date returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// `CAST(d AS date)`
    Day,
    /// `YEAR(d)`
    Year,
}

/// How the rows of a table are reached.
#[derive(Clone, Debug)]
pub struct Access {
    /// Position in the table's indexes.
    pub index: usize,
    /// Values of the first key columns.
    pub prefix: Vec<Probe>,
    /// Values of the next key column: an IN list.
    pub list: Vec<Probe>,
    /// Least value of the key column after the prefix.
    pub low: Option<RangeBound>,
    /// Greatest value of it.
    pub high: Option<RangeBound>,
    /// A row in which the key column after the prefix is NULL is not wanted.
    pub skips_null: bool,
    /// From the last key to the first.
    pub backward: bool,
    /// The prefix gives all columns of a unique key: at most one row.
    pub single: bool,
    /// The index has all columns that are wanted.
    pub covers: bool,
    /// Indexes of fewer pages that may be read as wholes in its place where one has all columns that are wanted, the smallest first.
    pub narrower: Vec<usize>,
}

impl Access {
    /// All rows of an index.
    pub(crate) fn whole(index: usize, covers: bool) -> Access {
        Access {
            index,
            prefix: Vec::new(),
            list: Vec::new(),
            low: None,
            high: None,
            skips_null: false,
            backward: false,
            single: false,
            covers,
            narrower: Vec::new(),
        }
    }

    /// Whether it reads less than the whole index.
    pub fn narrows(&self) -> bool {
        self.sought() > 0
    }

    /// The key columns that are looked for.
    pub(crate) fn sought(&self) -> usize {
        let has_more = !self.list.is_empty() || self.low.is_some() || self.high.is_some();
        self.prefix.len() + usize::from(has_more)
    }
}
