//! The trees of a table and the counters that belong to its rows: the part of a table that is not its definition.
//! Shared by all sessions; a change of the definition that leaves a tree alone takes it over.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::TreeCtx;
use millpond_access::lob::LobPtr;
use millpond_access::memory::MemoryTable;
use millpond_access::tree::{Direction, KeyRange, Tree, TreeIds, TreeRoot};
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_storage::ask::Ask;
use millpond_txn::{TxnManager, ValueHome};
use parking_lot::Mutex;

use crate::large::pointer_of;
use crate::statistics::known::KnownStatistics;
use crate::{IndexDef, IndexKind, ObjectId, TableDef};
use millpond_access::tree;
use millpond_txn::open_trees;

/// The trees of a table with its counters.
#[derive(Debug)]
pub struct TableTrees {
    /// In the order of the definition's indexes: the first holds the rows. None where `memory` has them.
    pub trees: Vec<Arc<Tree>>,
    /// The entries of a table that is kept in memory alone, by the same keys.
    pub memory: Option<Arc<MemoryTable>>,
    /// Counters, shared by all definitions of the table.
    pub counters: Arc<TableCounters>,
}

/// Where the entries of one index are.
#[derive(Clone, Copy, Debug)]
pub enum Side<'t> {
    /// In a tree.
    Tree(&'t Arc<Tree>),
    /// In memory, with the position of the index.
    Memory(&'t Arc<MemoryTable>, usize),
}

/// Counters of a table's rows.
#[derive(Debug, Default)]
pub struct TableCounters {
    /// Identity values. Tables whose rows were built anew count on with those that they were built of.
    pub identity: Arc<Mutex<IdentityCounter>>,
    /// The next row number of a heap, or uniquifier of a clustered index that is not unique, with the place of the rows that
    /// it is of; none before the first is asked for.
    next_row: Mutex<Option<(Option<TreeRoot>, i64)>>,
    /// Statistics that were made of the rows.
    pub statistics: KnownStatistics,
    /// The counters before the rows were taken out or built anew. Those of transactions that are over go with the next.
    before: Mutex<Option<Before>>,
}

/// The counters that a TRUNCATE, or a change that built the rows anew, replaced: they count on when it is undone.
#[derive(Debug)]
struct Before {
    /// Number of the transaction that changed the table.
    transaction: u64,
    /// The rows that they count.
    of: Counted,
    counters: Arc<TableCounters>,
}

/// The rows that counters belong to: where they are, and the number of their identity column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Root of the tree that has the rows; none where no tree has them.
    pub root: Option<TreeRoot>,
    /// `column_id`
    pub identity: Option<i32>,
}

impl Counted {
    /// Those of a table.
    #[must_use]
    pub fn of(def: &TableDef, root: Option<TreeRoot>) -> Counted {
        Counted { root, identity: def.identity_id() }
    }
}

/// The identity values of a table. Durable is `reserved` alone: values up to it may have been given, so that a restart
/// goes on after it and leaves a gap at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IdentityCounter {
    /// The last value given; none before the first.
    pub last: Option<i64>,
    /// The last value that the system tables know as reserved.
    pub reserved: Option<i64>,
}

/// Where trees of a database are opened.
#[derive(Clone, Debug)]
pub struct TreeHome {
    /// The transaction manager, which knows the trees that are open.
    pub txns: Arc<TxnManager>,
    /// Pool, log and space of the database.
    pub ctx: TreeCtx,
}

/// What a tree of an index is called.
#[must_use]
pub fn tree_ids(object: ObjectId, index_id: u16) -> TreeIds {
    TreeIds { hobt: (object.0 as u64) << 16 | u64::from(index_id), object_id: object.0 as u32, index_id }
}

/// The tree that [`tree_ids`] calls so.
#[must_use]
pub fn ids_of_hobt(hobt: u64) -> TreeIds {
    TreeIds { hobt, object_id: (hobt >> 16) as u32, index_id: hobt as u16 }
}

impl TableCounters {
    /// Counters of a table whose identity values go on after these.
    #[must_use]
    pub fn new(identity: IdentityCounter) -> TableCounters {
        TableCounters { identity: Arc::new(Mutex::new(identity)), ..TableCounters::default() }
    }

    /// Counters of a table that the transaction of this number has truncated, or given another identity column; `old` and
    /// `trees` are what it was. What is reserved stays so: were less noted, a crash before the end of the transaction would
    /// give old values twice.
    #[must_use]
    pub fn anew(old: &TableDef, trees: &TableTrees, transaction: u64) -> TableCounters {
        let reserved = trees.counters.identity.lock().reserved;
        TableCounters {
            identity: Arc::new(Mutex::new(IdentityCounter { last: None, reserved })),
            before: Mutex::new(Some(Before::new(old, trees, transaction))),
            ..TableCounters::default()
        }
    }

    /// Counters of a table whose rows the transaction of this number has built anew: identity values go on, and are given
    /// once whether it is undone or not.
    #[must_use]
    pub fn rebuilt(old: &TableDef, trees: &TableTrees, transaction: u64) -> TableCounters {
        TableCounters {
            identity: Arc::clone(&trees.counters.identity),
            before: Mutex::new(Some(Before::new(old, trees, transaction))),
            ..TableCounters::default()
        }
    }

    /// Whether the rows were never taken out or built anew since the table was opened.
    #[must_use]
    pub fn is_of_all_rows(&self) -> bool {
        self.before.lock().is_none()
    }

    /// The counters that belong to the rows `wanted`, after the transaction of this number has undone changes of a table
    /// that counted the rows `now` by `self`.
    #[must_use]
    pub fn after_undo(self: &Arc<Self>, now: Counted, wanted: Counted, transaction: u64) -> Arc<TableCounters> {
        let (mut counters, mut of) = (Arc::clone(self), now);
        while of != wanted {
            let earlier = match &*counters.before.lock() {
                Some(before) if before.transaction == transaction => (Arc::clone(&before.counters), before.of),
                _ => return Arc::clone(self),
            };
            (counters, of) = earlier;
        }
        counters
    }
}

impl Before {
    fn new(old: &TableDef, trees: &TableTrees, transaction: u64) -> Before {
        let counters = Arc::clone(&trees.counters);
        // No earlier transaction is undone: the table is locked.
        counters.before.lock().take_if(|before| before.transaction != transaction);
        Before { transaction, of: Counted::of(old, trees.root()), counters }
    }
}

impl TableTrees {
    /// The trees of a table that lie at these roots.
    #[must_use]
    pub fn open(def: &TableDef, roots: &[TreeRoot], home: &TreeHome, counters: Arc<TableCounters>) -> TableTrees {
        let open = |(index, root): (&crate::IndexDef, &TreeRoot)| {
            open_trees::open_tree(&home.txns, &home.ctx, tree_ids(def.id, index.id), *root)
        };
        TableTrees { trees: def.indexes.iter().zip(roots).map(open).collect(), memory: None, counters }
    }

    /// The entries of the index at position `index` of the definition.
    #[must_use]
    pub fn side(&self, index: usize) -> Side<'_> {
        match &self.memory {
            None => Side::Tree(&self.trees[index]),
            Some(memory) => Side::Memory(memory, index),
        }
    }

    /// Where the values beyond the records of the index at a position are.
    #[must_use]
    pub fn value_home(&self, index: usize) -> ValueHome<'_> {
        match self.side(index) {
            Side::Tree(tree) => ValueHome::Tree(tree),
            Side::Memory(..) => ValueHome::Nowhere,
        }
    }

    /// Where the tree that has the rows lies.
    #[must_use]
    pub fn root(&self) -> Option<TreeRoot> {
        self.trees.first().map(|tree| tree.place())
    }

    /// Where the trees lie.
    #[must_use]
    pub fn roots(&self) -> Vec<TreeRoot> {
        self.trees.iter().map(|tree| tree.place()).collect()
    }

    /// A number for a row of a heap, or a uniquifier; it was not given since the table was opened.
    ///
    /// # Errors
    /// What reading the last row gives.
    pub fn next_row(&self, def: &TableDef, ask: &Ask<'_>) -> SqlResult<i64> {
        self.next_rows(def, ask, 1)
    }

    /// As [`TableTrees::next_row`], so many numbers in a row; returns the first.
    ///
    /// # Errors
    /// As there.
    pub fn next_rows(&self, def: &TableDef, ask: &Ask<'_>, count: i64) -> SqlResult<i64> {
        let root = self.root();
        let mut next = self.counters.next_row.lock();
        let number = match *next {
            // The numbers of rows that lay elsewhere, before an index was made or undone, say nothing of these.
            Some((of, number)) if of == root => number,
            _ if self.memory.is_some() => 1,
            _ if def.indexes[0].kind == IndexKind::Heap => self.last_number(def, ask)?.map_or(1, |last| last + 1),
            // The uniquifier need not follow those that are there: one that is taken is passed over.
            _ => 1,
        };
        *next = Some((root, number + count));
        Ok(number)
    }

    /// The greatest row number of a heap, ghosts included.
    fn last_number(&self, def: &TableDef, ask: &Ask<'_>) -> SqlResult<Option<i64>> {
        let mut last = None;
        let mut cursor = tree::cursor::open(&self.trees[0], KeyRange::all(), Direction::Backward);
        let place = Place { schema: "", object: &def.name, database: &def.database_name };
        cursor
            .next_page(ask, &mut |row| {
                last = row.key.first_chunk::<8>().map(|bytes| i64::from_be_bytes(*bytes));
                ControlFlow::Break(())
            })
            .map_err(|error| message::of_access(error, place))?;
        Ok(last)
    }
}

/// Locator and record of an entry beside the rows.
///
/// # Errors
/// 824 for an entry that is too short.
pub fn split_payload(payload: &[u8]) -> SqlResult<(&[u8], &[u8])> {
    let damaged = || message::of_row(millpond_types::RowError::Damaged { what: "an index entry is too short" });
    let (length, rest) = payload.split_first_chunk::<2>().ok_or_else(damaged)?;
    rest.split_at_checked(usize::from(u16::from_le_bytes(*length))).ok_or_else(damaged)
}

/// The values that the rows of a tree own: those that are no ghosts, committed or not.
///
/// # Errors
/// 824 for a damaged record, and those of reading pages.
pub fn live_values(
    def: &TableDef,
    index: &IndexDef,
    tree: &Arc<Tree>,
    ask: &Ask<'_>,
    to: &mut Vec<LobPtr>,
) -> SqlResult<()> {
    let layout = if index.holds_rows() { &def.layout } else { &index.layout };
    let mut cursor = tree::cursor::open(tree, KeyRange::all(), Direction::Forward);
    let mut failed = None;
    let mut take = |payload: &[u8]| -> SqlResult<()> {
        let record = if index.holds_rows() { payload } else { split_payload(payload)?.1 };
        for (_, pointer) in layout.pointers(record).map_err(message::of_row)? {
            to.push(pointer_of(pointer).map_err(message::of_row)?);
        }
        Ok(())
    };
    loop {
        let more = cursor.next_page(ask, &mut |row| {
            if !row.is_ghost
                && let Err(error) = take(row.payload)
            {
                failed = Some(error);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        let more = more.map_err(|cause| {
            message::of_access(
                cause,
                Place { schema: &def.schema.name, object: &def.name, database: &def.database_name },
            )
        })?;
        if let Some(error) = failed.take() {
            return Err(error);
        }
        if !more {
            return Ok(());
        }
    }
}
