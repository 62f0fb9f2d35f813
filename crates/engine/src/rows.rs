//! Where the rows of a table of a statement are.

use std::sync::Arc;

use millpond_access::{Heap, tree};
use millpond_catalog::trees::{TableCounters, TableTrees};
use millpond_storage::ask::Ask;

/// Where the rows of a table are.
#[derive(Clone)]
pub enum TableRows {
    /// A heap of tempdb.
    Heap(Arc<Heap>),
    /// Trees.
    Trees(Arc<TableTrees>),
}

impl TableRows {
    /// The heap of a definition whose storage is [`millpond_catalog::TableStorage::TempHeap`].
    ///
    /// # Panics
    /// For another storage.
    #[must_use]
    pub fn heap(&self) -> &Arc<Heap> {
        match self {
            TableRows::Heap(heap) => heap,
            TableRows::Trees(_) => unreachable!("its definition says that the rows are in trees"),
        }
    }

    /// The trees of a definition whose storage is [`millpond_catalog::TableStorage::Trees`].
    ///
    /// # Panics
    /// For another storage.
    #[must_use]
    pub fn trees(&self) -> &Arc<TableTrees> {
        match self {
            TableRows::Trees(trees) => trees,
            TableRows::Heap(_) => unreachable!("its definition says that the rows are in a heap"),
        }
    }

    /// What is counted and known of the rows, for as long as they are there; of a heap made when it is first asked for.
    #[must_use]
    pub fn counters(&self) -> Arc<TableCounters> {
        match self {
            TableRows::Heap(heap) => heap.beside().unwrap_or_default(),
            TableRows::Trees(trees) => Arc::clone(&trees.counters),
        }
    }

    /// The same, if there is something.
    #[must_use]
    pub fn known_counters(&self) -> Option<Arc<TableCounters>> {
        match self {
            TableRows::Heap(heap) => heap.known_beside(),
            TableRows::Trees(trees) => Some(Arc::clone(&trees.counters)),
        }
    }

    /// About how many there are; 0 where that cannot be read.
    #[must_use]
    pub fn estimate(&self, ask: &Ask<'_>) -> u64 {
        match self {
            TableRows::Heap(heap) => heap.row_count(),
            TableRows::Trees(trees) => {
                let tree = trees.trees.first();
                tree.and_then(|tree| tree::statistics::entry_estimate(tree, ask).ok()).unwrap_or_default()
            }
        }
    }

    /// How many there are, if that was counted; that of a heap always is.
    #[must_use]
    pub fn known_count(&self) -> Option<u64> {
        match self {
            TableRows::Heap(heap) => Some(heap.row_count()),
            TableRows::Trees(trees) => trees.trees.first()?.known_entries(),
        }
    }

    /// Entries of the index at a position that came and went, so far; of a heap its rows.
    #[must_use]
    pub fn changes(&self, index: usize) -> u64 {
        match self {
            TableRows::Heap(heap) => heap.changes(),
            TableRows::Trees(trees) => trees.trees.get(index).map_or(0, |tree| tree.entry_changes()),
        }
    }

    /// How often all rows of a heap were taken out at once, or put back.
    #[must_use]
    pub fn emptied(&self) -> u64 {
        match self {
            TableRows::Heap(heap) => heap.emptied(),
            TableRows::Trees(_) => 0,
        }
    }

    /// Whether they are in memory alone.
    #[must_use]
    pub fn are_in_memory(&self) -> bool {
        matches!(self, TableRows::Trees(trees) if trees.memory.is_some())
    }

    /// Whether they are the rows of the same table as these.
    #[must_use]
    pub fn are_of_one_table(&self, other: &TableRows) -> bool {
        match (self, other) {
            (TableRows::Heap(heap), TableRows::Heap(other)) => Arc::ptr_eq(heap, other),
            (TableRows::Trees(trees), TableRows::Trees(other)) => {
                let id =
                    |trees: &TableTrees| trees.trees.first().map(|tree| (tree.ctx().handle.db, tree.ids().object_id));
                Arc::ptr_eq(trees, other) || id(trees).is_some_and(|of| id(other) == Some(of))
            }
            _ => false,
        }
    }
}
