//! A statement that runs and keeps account of its operators, as it is at one point in time: its accounts, its tables, its operators.
//!
//! What always holds: what has one of these holds what it names for as long as it looks, and no longer. It knows neither who runs the
//! statement nor how its plan is read.

use std::sync::Arc;

use millpond_bind::Variables;
use millpond_catalog::TableDef;

use crate::account::profile::{Figures, Profile};
use crate::account::running_statement::RunningText;

/// What a statement has read of one of its tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableReads {
    /// Scans begun.
    pub scans: u64,
    /// Pages of rows and indexes: asked for, read from files, read ahead, made dirty.
    pub pages: [u64; 4],
    /// Pages of large values: asked for, read from files, read ahead.
    pub large: [u64; 3],
}

impl TableReads {
    /// What has come since then; all of it where the counters began anew meanwhile.
    #[must_use]
    pub fn since(self, before: TableReads) -> TableReads {
        let is_newer = self.pages[0] >= before.pages[0];
        let less = |now: u64, before: u64| if is_newer { now.saturating_sub(before) } else { now };
        TableReads {
            scans: less(self.scans, before.scans),
            pages: std::array::from_fn(|at| less(self.pages[at], before.pages[at])),
            large: std::array::from_fn(|at| less(self.large[at], before.large[at])),
        }
    }
}

/// A table of such a statement.
#[derive(Debug)]
pub struct LiveTable {
    /// Its definition.
    pub def: Arc<TableDef>,
    /// Its number; that of its heap, where it is a temporary table.
    pub object: i32,
    /// About how many rows it had when the statement began.
    pub rows: u64,
    /// What the statement has read of it so far.
    pub reads: TableReads,
}

/// A statement that runs.
#[derive(Debug)]
pub struct LiveRun {
    /// The accounts of its operators; none where these count for themselves alone.
    pub profile: Option<Arc<Profile>>,
    /// The variables of its text.
    pub variables: Arc<Variables>,
    /// Its tables.
    pub tables: Vec<LiveTable>,
    /// About how many rows it gives, and what it costs.
    pub estimated: (f64, f64),
    /// When it began, by the server's clock.
    pub begun_us: u64,
    /// The text that it stands in.
    pub text: RunningText,
    /// Its first byte there, and the one after its last.
    pub place: (u32, u32),
}

impl LiveRun {
    /// The statement in its text.
    #[must_use]
    pub fn shown_text(&self) -> &str {
        self.text.text.get(self.place.0 as usize..self.place.1 as usize).unwrap_or_default().trim()
    }
}

/// An operator of a statement that runs.
#[derive(Debug, Default)]
pub struct LiveOperator {
    /// PhysicalOp.
    pub physical: String,
    /// What it has done so far. Times are its own.
    pub figures: Option<Figures>,
    /// Elapsed and CPU time with those of its inputs, where they are taken.
    pub total_us: Option<(u64, u64)>,
    /// About how many rows it will give, where that is known.
    pub estimated_rows: Option<f64>,
    /// The table that it reads, by its place among those of the statement, and the index of it.
    pub reads: Option<(usize, usize)>,
    /// No other operator of the statement reads the table: all that was read of it was read by this one.
    pub reads_alone: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_before_is_not_the_statements_unless_counters_began_anew() {
        let reads = |pages: u64| TableReads { scans: 1, pages: [pages, 0, 0, 0], large: [0; 3] };
        assert_eq!(reads(12).since(reads(10)), TableReads { scans: 0, pages: [2, 0, 0, 0], large: [0; 3] });
        assert_eq!(reads(3).since(reads(10)), reads(3));
    }
}
