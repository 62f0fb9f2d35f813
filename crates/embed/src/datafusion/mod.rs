//! Tables and queries of an instance as tables of DataFusion.
//!
//! ```text
//!   MillpondTable ──scan──▶ MillpondScan ──execute──▶ a connection ──▶ batches
//!        └─ predicate: which conditions both mean the same by
//! ```
//!
//! What always holds: an answer is the one that DataFusion would give over all rows. A condition that Millpond and DataFusion
//! understand differently is not pushed down, or is asked again above the scan; [`predicate`](self) says which. Each scan is a
//! statement of its own connection: two scans of a query see what was committed when each began.
//!
//! | condition on a column | is |
//! |---|---|
//! | `=`, `<>`, `<`, `<=`, `>`, `>=`, BETWEEN, IN with constants, of numbers, `decimal`, `money`, dates and times | exact |
//! | the same where the constant is no value of the column's type (a `datetime` of 4 ms, NaN) | not pushed down |
//! | `=`, `<>`, IN of `uniqueidentifier`; `bit`; IS NULL, IS NOT NULL | exact |
//! | `=`, IN of texts and bytes | inexact: collations and trailing blanks make more of them equal |
//! | `<>`, `<`, LIKE of texts and bytes; calls of functions; two columns | not pushed down |
//! | AND, OR, NOT | as their parts are; NOT of what is exact |
//!
//! A limit becomes TOP where all conditions are exact. [`spill`] is the crate by whose tempdb the operators above a scan spill;
//! the example `datafusion` of this crate shows both.

mod predicate;
mod provider;
mod scan;

pub use millpond_spill as spill;
pub use provider::MillpondTable;
