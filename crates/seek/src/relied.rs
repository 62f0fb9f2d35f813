//! What choices rely on, and until when they are good.
//!
//! A table of a database has the rows that it has, and its choices are good until so many of them have changed. The next run of a
//! statement over a temporary table may find another table of the same definition, made anew and filled again, as procedures do: then
//! a plan stays as long as that one is about as large, and no statistics are made of it, but by a statement.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_access::tree::Tree;
use millpond_catalog::statistics::histogram::{Statistics, changes_max, changes_max_temporary};
use millpond_catalog::trees::TableCounters;
use millpond_catalog::{StatisticsObject, TableDef};
use millpond_engine::context::TableBinding;
use millpond_engine::rows::TableRows;

use crate::measure::{changes_of, updates_of};

/// Changes of a table without statistics after which it is looked at again.
pub(crate) const UNMEASURED_CHANGES: u64 = 500;
/// Rows of a temporary table from which on plans ask for its statistics: with fewer whatever they do is cheap.
pub(crate) const TEMPORARY_ROWS_MIN: u64 = 500;

/// A table whose figures a choice relies on.
#[derive(Debug)]
pub struct Relied {
    on: On,
    limits: Vec<Limit>,
}

#[derive(Debug)]
enum On {
    Stored(Known),
    Temporary {
        def: Arc<TableDef>,
        rows: u64,
        /// [`TableRows::emptied`]: what was filled again since is as another table.
        emptied: u64,
        /// None of a table that has few rows.
        known: Option<Known>,
    },
}

/// Statistics as they were when the choice was made.
#[derive(Debug)]
struct Known {
    counters: Arc<TableCounters>,
    version: u64,
}

impl Known {
    fn of(rows: &TableRows) -> Known {
        let counters = rows.counters();
        Known { version: counters.statistics.version(), counters }
    }
}

/// How many changes make figures old.
#[derive(Debug)]
pub(crate) struct Limit {
    index: usize,
    /// The tree of the index; none of a temporary table, whose rows are those of the run.
    tree: Option<Arc<Tree>>,
    /// New values of a column that is in no key of the tree.
    updates: Option<Arc<AtomicU64>>,
    most: u64,
}

impl Limit {
    pub(crate) fn of(
        (def, rows): (&TableDef, &TableRows),
        index: usize,
        updates: Option<Arc<AtomicU64>>,
        most: u64,
    ) -> Limit {
        let tree = match rows {
            TableRows::Trees(trees) if !def.is_temporary() => trees.trees.get(index).cloned(),
            _ => None,
        };
        Limit { index, tree, updates, most }
    }

    /// Until when a choice is good that was made by statistics, or without them where there were none.
    pub(crate) fn of_object(
        (def, rows): (&TableDef, &TableRows),
        object: &StatisticsObject,
        found: Option<&Statistics>,
        updates: bool,
    ) -> Limit {
        let now = changes_of(rows, object, def);
        let most = match found {
            Some(_) if object.no_recompute || !updates => u64::MAX,
            Some(found) => found.changes + most_changes(def, found.rows),
            None => 0,
        };
        // Where they could not be made, or others are at it: not again at once.
        let most = if most > now { most } else { now + UNMEASURED_CHANGES };
        Limit::of((def, rows), object.index.unwrap_or(0), updates_of(rows, object, def), most)
    }

    /// `rows`: those of a temporary table.
    fn is_passed(&self, rows: Option<&TableRows>) -> bool {
        let updates = self.updates.as_ref().map_or(0, |updates| updates.load(Relaxed));
        match (&self.tree, rows) {
            (Some(tree), _) => tree.entry_changes() + updates >= self.most || tree.is_gone(),
            (None, Some(rows)) => rows.changes(self.index) + updates >= self.most,
            (None, None) => true,
        }
    }
}

/// Changes of the rows that make statistics of so many of them old.
pub(crate) fn most_changes(def: &TableDef, rows: u64) -> u64 {
    if def.is_temporary() { changes_max_temporary(rows) } else { changes_max(rows) }
}

impl Relied {
    /// On figures of a table of a database, or of a temporary table that has so many rows that they matter.
    pub(crate) fn on((def, rows): (&Arc<TableDef>, &TableRows), limits: Vec<Limit>) -> Relied {
        let known = Known::of(rows);
        let on = if def.is_temporary() {
            let (count, emptied) = (rows.known_count().unwrap_or_default(), rows.emptied());
            On::Temporary { def: Arc::clone(def), rows: count, emptied, known: Some(known) }
        } else {
            On::Stored(known)
        };
        Relied { on, limits }
    }

    /// On a temporary table that has few rows.
    pub(crate) fn on_few(def: &Arc<TableDef>, rows: u64) -> Relied {
        let on = On::Temporary { def: Arc::clone(def), rows, emptied: 0, known: None };
        Relied { on, limits: Vec::new() }
    }

    /// Whether the choice is to be made again; `tables` are those of the run.
    pub fn is_stale(&self, tables: &[TableBinding]) -> bool {
        match &self.on {
            On::Stored(known) => self.has_changed(known, None),
            On::Temporary { def, rows, emptied, known } => {
                let Some(table) = tables.iter().find(|table| Arc::ptr_eq(&table.def, def)) else { return true };
                let now = table.rows.known_count().unwrap_or_default();
                let Some(known) = known else { return now >= TEMPORARY_ROWS_MIN };
                let counters = table.rows.known_counters();
                let is_same = counters.as_ref().is_some_and(|counters| Arc::ptr_eq(counters, &known.counters));
                if is_same && *emptied == table.rows.emptied() {
                    return self.has_changed(known, Some(&table.rows));
                }
                // What a statement said of another table is heeded.
                let version = counters.map_or(0, |counters| counters.statistics.version());
                version != if is_same { known.version } else { 0 }
                    || now.abs_diff(*rows) >= changes_max_temporary(*rows)
            }
        }
    }

    fn has_changed(&self, known: &Known, rows: Option<&TableRows>) -> bool {
        known.counters.statistics.version() != known.version || self.limits.iter().any(|limit| limit.is_passed(rows))
    }

    fn known_mut(&mut self) -> Option<&mut Known> {
        match &mut self.on {
            On::Stored(known) => Some(known),
            On::Temporary { known, .. } => known.as_mut(),
        }
    }
}

/// Adds what choices rely on. What was renewed for `new` since the version `before` makes no earlier one of `all` old.
pub(crate) fn add(all: &mut Vec<Relied>, mut new: Relied, before: u64) {
    if let Some(made) = new.known_mut().filter(|made| made.version == before + 1) {
        let known = all.iter_mut().filter_map(Relied::known_mut);
        let same = known.filter(|old| Arc::ptr_eq(&old.counters, &made.counters) && old.version == before);
        same.for_each(|old| old.version = made.version);
    }
    all.push(new);
}
