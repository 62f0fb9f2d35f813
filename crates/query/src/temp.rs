//! The temporary tables and procedures of a session by name: `#t` until dropped or until the scope that made it ends, `@t` until its
//! batch ends. The rows are `txn`'s; this is only the names, kept in step with rollbacks.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use millpond_access::memory::MemoryTable;
use millpond_access::{Heap, ObjectId};
use millpond_storage::contract::DbId;
use millpond_txn::{ObjectUndo, TxnError, ValueHome};

use crate::catalog::{ModuleDef, TableDef, names_equal};
use crate::context::TableRows;
use crate::trees::TableTrees;

/// A temporary table or table variable.
#[derive(Clone)]
pub struct TempTable {
    /// Definition.
    pub def: Arc<TableDef>,
    /// Rows, and the number of the table. It has no rows where `trees` has them.
    pub heap: Arc<Heap>,
    /// Rows of a table with indexes.
    pub trees: Option<Arc<TableTrees>>,
    /// The next identity value.
    pub identity: Arc<AtomicI64>,
    /// Nesting level of the scope that made it; it ends with that scope.
    pub level: u32,
    /// A READONLY parameter that names another's rows.
    pub is_borrowed: bool,
    /// A READONLY parameter.
    pub is_read_only: bool,
}

impl std::fmt::Debug for TempTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.def.name, self.heap.object_id().0)
    }
}

impl TempTable {
    /// A fresh table of a definition.
    #[must_use]
    pub fn new(def: Arc<TableDef>, heap: Arc<Heap>, level: u32) -> TempTable {
        let seed = def.columns.iter().find_map(|column| column.identity).map_or(0, |(seed, _)| seed);
        let identity = Arc::new(AtomicI64::new(seed));
        TempTable { def, heap, trees: None, identity, level, is_borrowed: false, is_read_only: false }
    }

    /// Where the rows are.
    #[must_use]
    pub fn rows(&self) -> TableRows {
        match &self.trees {
            None => TableRows::Heap(Arc::clone(&self.heap)),
            Some(trees) => TableRows::Trees(Arc::clone(trees)),
        }
    }

    /// The rows, where they are kept in memory alone.
    #[must_use]
    pub fn memory(&self) -> Option<&Arc<MemoryTable>> {
        self.trees.as_ref().and_then(|trees| trees.memory.as_ref())
    }

    /// Where its large values are.
    #[must_use]
    pub fn value_home(&self) -> ValueHome<'_> {
        match &self.trees {
            None => ValueHome::Heap(&self.heap),
            Some(trees) => trees.value_home(0),
        }
    }

    /// `#t` as `sys.objects` and STATISTICS IO show it: padded with underscores to 116 characters, then 12 hex digits.
    #[must_use]
    pub fn internal_name(&self) -> String {
        internal_name(&self.def.name, self.heap.object_id())
    }
}

/// See [`TempTable::internal_name`]; a table variable has a name of eight hex digits.
#[must_use]
pub fn internal_name(name: &str, object: ObjectId) -> String {
    if name.starts_with('@') {
        return format!("#{:08X}", object.0);
    }
    let shown: String = name.chars().take(116).collect();
    let underscores = 116usize.saturating_sub(shown.chars().count());
    format!("{shown}{}{:012X}", "_".repeat(underscores), object.0)
}

/// A temporary procedure: of its session alone, until that ends, whichever scope made it.
#[derive(Clone, Debug)]
pub struct TempProcedure {
    /// The database that was current when it was made: its names mean objects there.
    pub database: DbId,
    /// Definition.
    pub def: Arc<ModuleDef>,
}

/// The temporary tables and procedures of one session.
#[derive(Default)]
pub struct TempCatalog {
    procedures: Vec<TempProcedure>,
    /// As they were before the open transaction changed them: a rollback brings them back.
    procedures_before: Option<Vec<TempProcedure>>,
    tables: Vec<TempTable>,
    /// Dropped in the open transaction: a rollback brings them back.
    dropped: Vec<TempTable>,
    version: u64,
}

impl TempCatalog {
    /// Grows with every change of names.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The table of that name that was made last (an inner scope hides an outer one).
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&TempTable> {
        self.tables.iter().rev().find(|table| names_equal(&table.def.name, name))
    }

    /// The table with that object id.
    #[must_use]
    pub fn by_id(&self, id: u32) -> Option<&TempTable> {
        self.tables.iter().find(|table| table.heap.object_id().0 == id)
    }

    /// All tables.
    #[must_use]
    pub fn tables(&self) -> &[TempTable] {
        &self.tables
    }

    /// The procedure of that name.
    #[must_use]
    pub fn procedure(&self, name: &str) -> Option<&TempProcedure> {
        self.procedures.iter().find(|procedure| names_equal(&procedure.def.name, name))
    }

    /// The procedure of that number.
    #[must_use]
    pub fn procedure_by_id(&self, id: i32) -> Option<&TempProcedure> {
        self.procedures.iter().find(|procedure| procedure.def.id.0 == id)
    }

    /// Puts a procedure in the place of the one of its name.
    pub fn put_procedure(&mut self, procedure: TempProcedure, in_transaction: bool) {
        self.remove_procedure(&procedure.def.name, in_transaction);
        self.procedures.push(procedure);
    }

    /// Takes a procedure away; within a transaction it can come back.
    pub fn remove_procedure(&mut self, name: &str, in_transaction: bool) {
        if in_transaction && self.procedures_before.is_none() {
            self.procedures_before = Some(self.procedures.clone());
        }
        self.procedures.retain(|procedure| !names_equal(&procedure.def.name, name));
    }

    /// The transaction was rolled back: procedures are as they were before it.
    pub fn restore_procedures(&mut self) {
        if let Some(before) = self.procedures_before.take() {
            self.procedures = before;
        }
    }

    /// Adds a table.
    pub fn add(&mut self, table: TempTable) {
        self.tables.push(table);
        self.version += 1;
    }

    /// A table counts its identity values on where another stopped.
    pub fn share_identity(&mut self, object: ObjectId, with: &TempTable) {
        if let Some(table) = self.tables.iter_mut().find(|table| table.heap.object_id() == object) {
            table.identity = Arc::clone(&with.identity);
            table.level = with.level;
        }
    }

    /// Nobody changes the table any more.
    pub fn close(&mut self, object: ObjectId) {
        if let Some(table) = self.tables.iter_mut().find(|table| table.heap.object_id() == object) {
            table.is_read_only = true;
        }
    }

    /// Takes a table's name away; within a transaction it can come back.
    pub fn remove(&mut self, object: ObjectId, in_transaction: bool) {
        if let Some(index) = self.tables.iter().position(|table| table.heap.object_id() == object) {
            let table = self.tables.remove(index);
            if in_transaction {
                self.dropped.push(table);
            }
            self.version += 1;
        }
    }

    /// Forgets the names of others' rows that end with a scope of nesting level `level`.
    pub fn end_borrowed(&mut self, level: u32) {
        let before = self.tables.len();
        self.tables.retain(|table| !table.is_borrowed || table.level < level);
        self.version += u64::from(self.tables.len() != before);
    }

    /// The transaction is over: dropped tables do not come back.
    pub fn forget_dropped(&mut self) {
        self.dropped.clear();
        self.procedures_before = None;
    }

    /// What a rollback did to the heaps happens to the names, also when some heaps were lost in it.
    ///
    /// # Errors
    /// The rollback's own error.
    pub fn undone(&mut self, rollback: Result<Vec<ObjectUndo>, TxnError>) -> Result<(), TxnError> {
        match rollback {
            Ok(events) => {
                self.undo(&events);
                Ok(())
            }
            Err(error) => {
                if let TxnError::UndoLost { objects, undone, .. } = &error {
                    self.undo(undone);
                    for object in objects {
                        self.remove(*object, false);
                    }
                }
                Err(error)
            }
        }
    }

    fn undo(&mut self, events: &[ObjectUndo]) {
        for event in events {
            match event {
                ObjectUndo::Created(object) => self.remove(*object, false),
                ObjectUndo::Dropped(object) => self.restore(*object),
                ObjectUndo::Truncated(_) => {}
            }
        }
    }

    fn restore(&mut self, object: ObjectId) {
        if let Some(index) = self.dropped.iter().position(|table| table.heap.object_id() == object) {
            let table = self.dropped.remove(index);
            self.tables.push(table);
            self.version += 1;
        }
    }

    /// Tables that end with a scope of nesting level `level`: all of it and of deeper ones; of the outermost scope, whose
    /// `#t` the session keeps, only the table variables.
    #[must_use]
    pub fn ending(&self, level: u32) -> Vec<TempTable> {
        let ends = |table: &&TempTable| {
            table.level > level || table.level == level && (level > 0 || table.def.name.starts_with('@'))
        };
        self.tables.iter().filter(ends).cloned().collect()
    }
}
