//! The heap or trees of a temporary table or table variable that a definition makes.

use std::sync::Arc;

use millpond_access::Heap;
use millpond_access::memory::MemoryTable;
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{TableDef, TableStorage};
use millpond_engine::temp::TempTable;
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_txn::HeapKind;
use millpond_txn::heaps;
use millpond_txn::trees;

use crate::exec::batch::BatchRun;

/// A heap of the definition under its name.
pub(in crate::exec) fn new_table(run: &mut BatchRun<'_>, def: &Arc<TableDef>) -> SqlResult<Arc<Heap>> {
    let kind = if def.name.starts_with('@') { HeapKind::Variable } else { HeapKind::Table };
    let place = Place { schema: "", object: &def.name, database: "tempdb" };
    let ask = run.ctx.ask_other();
    let heap = heaps::create_heap(&mut run.session.work, &ask, kind).map_err(|error| message::of_txn(error, place))?;
    let mut trees = Vec::with_capacity(def.indexes.len());
    let memory = def.in_memory.then(|| MemoryTable::new(def.indexes.len(), run.ctx.engine.memory_tables()));
    for index in def.indexes.iter().filter(|_| memory.is_none()) {
        let tree = trees::create_temp_tree(&mut run.session.work, &ask, kind, heap.object_id(), index.id);
        trees.push(tree.map_err(|error| message::of_txn(error, place))?);
    }
    let mut table = TempTable::new(Arc::clone(def), Arc::clone(&heap), run.ctx.facts.nest_level);
    if def.storage == TableStorage::Trees {
        table.trees = Some(Arc::new(TableTrees { trees, memory, counters: Arc::default() }));
    }
    run.ctx.session.temp.write().add(table);
    Ok(heap)
}
