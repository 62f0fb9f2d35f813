//! Where the rows of a table of a statement are.

use std::sync::Arc;

use millpond_access::Heap;
use millpond_catalog::trees::TableTrees;

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
