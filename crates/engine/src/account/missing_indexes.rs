//! Indexes that plans had use for and did not find: `sys.dm_db_missing_index_details` and its kin, and MissingIndexes in plans as XML.
//!
//! ```text
//!   plan that scans ──note──▶ MissingIndex (table, columns) ◀── MissingUse (statement: cost, impact, seeks) ◀── executions of the plan
//! ```
//! What always holds: an execution of a plan adds to its own use and to nothing else; there are `GROUPS_MAX` indexes at most, each with
//! `USES_MAX` statements, and what has come after is counted with the last of them or not at all. An index is of one definition of its
//! table: with another one it is wanted no more, and goes with the next look. Nothing of this is kept over a restart.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};

use millpond_catalog::{ObjectId, TableDef};
use millpond_storage::contract::DbId;
use millpond_tsql::print::bracketed;
use parking_lot::Mutex;

/// Indexes that are known, as in SQL Server.
const GROUPS_MAX: usize = 600;
/// Statements that are told apart for one of them.
const USES_MAX: usize = 32;

/// What a column would be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnUsage {
    /// Its values are asked for.
    Equality,
    /// A range of its values is.
    Inequality,
    /// It is read.
    Include,
}

impl ColumnUsage {
    /// As views and plans name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ColumnUsage::Equality => "EQUALITY",
            ColumnUsage::Inequality => "INEQUALITY",
            ColumnUsage::Include => "INCLUDE",
        }
    }
}

/// An index that is missing.
#[derive(Debug)]
pub struct MissingIndex {
    /// Its number, from 1.
    pub number: i32,
    /// The table as it was when the index was missed.
    table: Weak<TableDef>,
    /// Database of the table.
    pub database: DbId,
    /// The table.
    pub object: ObjectId,
    /// Database, schema and table by name.
    pub names: [String; 3],
    /// Numbers and names of columns, in the order of the table within each usage.
    pub columns: Vec<(ColumnUsage, i32, String)>,
    /// Plans that missed it.
    pub compiles: AtomicU64,
    uses: Mutex<Vec<Arc<MissingUse>>>,
}

impl MissingIndex {
    /// Whether it is of that definition of its table.
    #[must_use]
    pub fn is_of(&self, table: &Arc<TableDef>) -> bool {
        std::ptr::eq(self.table.as_ptr(), Arc::as_ptr(table))
    }

    /// `[database].[schema].[table]`
    #[must_use]
    pub fn table_name(&self) -> String {
        self.names.each_ref().map(|name| bracketed(name)).join(".")
    }

    /// The columns of one usage: `[a], [b]`.
    #[must_use]
    pub fn listed(&self, usage: ColumnUsage) -> String {
        let its = self.columns.iter().filter(|(of, ..)| *of == usage).map(|(.., name)| bracketed(name));
        its.collect::<Vec<String>>().join(", ")
    }

    /// The statements that missed it.
    #[must_use]
    pub fn uses(&self) -> Vec<Arc<MissingUse>> {
        self.uses.lock().clone()
    }
}

/// A statement whose plan missed an index.
#[derive(Debug)]
pub struct MissingUse {
    /// The index.
    pub index: Weak<MissingIndex>,
    /// Its number.
    pub number: i32,
    /// Where the statement stands.
    pub place: StatementPlace,
    /// Executions of plans that missed it.
    pub seeks: AtomicU64,
    /// When the last one began, by the server's clock.
    pub last_us: AtomicU64,
    /// What its plan costs, and percent of that which the index would save; as bits.
    cost: AtomicU64,
    impact: AtomicU64,
}

/// Where a statement stands: number of the text, and offsets of the statement there as SQL Server counts them and as the first byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatementPlace {
    /// Number of the text, or 0.
    pub text: u64,
    /// First byte.
    pub start: u32,
    /// `query_hash`
    pub hash: u64,
    /// Offsets of the statement's begin and end.
    pub offsets: (i32, i32),
}

impl MissingUse {
    /// An execution begins.
    #[inline]
    pub fn count(&self, begun_us: u64) {
        self.seeks.fetch_add(1, Relaxed);
        self.last_us.store(begun_us, Relaxed);
    }

    /// What the plan that was made last costs.
    #[must_use]
    pub fn cost(&self) -> f64 {
        f64::from_bits(self.cost.load(Relaxed))
    }

    /// Percent of it that the index would save.
    #[must_use]
    pub fn impact(&self) -> f64 {
        f64::from_bits(self.impact.load(Relaxed))
    }

    fn estimate(&self, (cost, impact): (f64, f64)) {
        self.cost.store(cost.to_bits(), Relaxed);
        self.impact.store(impact.to_bits(), Relaxed);
    }
}

/// Those of an engine.
#[derive(Debug, Default)]
pub struct MissingIndexes {
    known: Mutex<Vec<Arc<MissingIndex>>>,
    given: AtomicU64,
}

impl MissingIndexes {
    /// A plan misses an index of a table with these columns; `estimated`: what the plan costs, and percent of that which the index would
    /// save. None where there are too many already that are `wanted`.
    #[must_use]
    pub fn note(
        &self,
        table: &Arc<TableDef>,
        columns: &[(ColumnUsage, usize)],
        estimated: (f64, f64),
        place: StatementPlace,
        wanted: &dyn Fn(&MissingIndex) -> bool,
    ) -> Option<Arc<MissingUse>> {
        let named = |&(usage, column): &(ColumnUsage, usize)| {
            let column = &table.columns[column];
            (usage, column.id, column.name.clone())
        };
        let columns: Vec<(ColumnUsage, i32, String)> = columns.iter().map(named).collect();
        let mut known = self.known.lock();
        let same = known.iter().find(|index| index.is_of(table) && index.columns == columns).cloned();
        let index = match same {
            Some(index) => index,
            None => {
                if known.len() >= GROUPS_MAX {
                    known.retain(|index| wanted(index));
                }
                if known.len() >= GROUPS_MAX {
                    return None;
                }
                let index = Arc::new(MissingIndex {
                    number: i32::try_from(self.given.fetch_add(1, Relaxed) + 1).unwrap_or(i32::MAX),
                    table: Arc::downgrade(table),
                    database: table.database,
                    object: table.id,
                    names: [table.database_name.to_string(), table.schema.name.to_string(), table.name.clone()],
                    columns,
                    compiles: AtomicU64::new(0),
                    uses: Mutex::default(),
                });
                known.push(Arc::clone(&index));
                index
            }
        };
        drop(known);
        index.compiles.fetch_add(1, Relaxed);
        let mut uses = index.uses.lock();
        let same = uses.iter().find(|known| known.place == place).or(uses.last().filter(|_| uses.len() >= USES_MAX));
        let found = match same {
            Some(same) => Arc::clone(same),
            None => {
                let made = Arc::new(MissingUse {
                    index: Arc::downgrade(&index),
                    number: index.number,
                    place,
                    seeks: AtomicU64::new(0),
                    last_us: AtomicU64::new(0),
                    cost: AtomicU64::new(0),
                    impact: AtomicU64::new(0),
                });
                uses.push(Arc::clone(&made));
                made
            }
        };
        found.estimate(estimated);
        Some(found)
    }

    /// Those that are `wanted`; the others are forgotten.
    #[must_use]
    pub fn all(&self, wanted: &dyn Fn(&MissingIndex) -> bool) -> Vec<Arc<MissingIndex>> {
        let mut known = self.known.lock();
        known.retain(|index| wanted(index));
        known.clone()
    }
}
