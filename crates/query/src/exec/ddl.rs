//! Tables: made, dropped, emptied.

use std::sync::Arc;

use millpond_access::Heap;
use millpond_tsql::ast::{ObjectName, Statement, TableDefinition};
use millpond_txn::HeapKind;

use super::batch::BatchRun;
use super::code::Code;
use crate::bind::{Binder, NewTable};
use crate::catalog::{ObjectId, TableDef, TableStorage};
use crate::error::SqlResult;
use crate::message::{self, Place};
use crate::temp::TempTable;

impl BatchRun<'_> {
    pub(super) fn create_table(
        &mut self,
        statement: &Statement,
        name: &ObjectName,
        definition: &TableDefinition,
    ) -> SqlResult<()> {
        if !name.parts.last().is_some_and(|last| last.starts_with('#')) {
            return self.create_stored_table(name, definition);
        }
        let def = self.definition(statement, name, definition)?;
        if self.ctx.session.temp.read().find(&def.name).is_some_and(|table| table.level == self.ctx.facts.nest_level) {
            return Err(message::object_exists(&def.name));
        }
        self.implicit_begin();
        self.atomically(&def.name, |run| run.new_table(&def))?;
        self.done_quietly(0);
        Ok(())
    }

    fn definition(
        &mut self,
        statement: &Statement,
        name: &ObjectName,
        definition: &TableDefinition,
    ) -> SqlResult<Arc<TableDef>> {
        let code = self.bound(statement, 0, |binder, _| {
            check_temp_name(name)?;
            let last = name.parts.last().expect("a name has parts");
            temporary(binder, last, definition)
        })?;
        let Code::Table(def) = &*code else { unreachable!("kept under this place as a table") };
        Ok(Arc::clone(def))
    }

    pub(super) fn declare_table(
        &mut self,
        statement: &Statement,
        name: &str,
        definition: &TableDefinition,
    ) -> SqlResult<()> {
        let code = self.bound(statement, 0, |binder, _| temporary(binder, name, definition))?;
        let Code::Table(def) = &*code else { unreachable!("kept under this place as a table") };
        let level = self.ctx.facts.nest_level;
        let known = self.ctx.session.temp.read().find(name).filter(|table| table.level == level).cloned();
        match known {
            // DECLARE is no action: in a loop the variable keeps its rows.
            Some(table) if Arc::ptr_eq(&table.def, def) => Ok(()),
            Some(_) => Err(message::duplicate_variable(name)),
            None => {
                let def = Arc::clone(def);
                self.atomically(name, |run| run.new_table(&def)).map(|_| ())
            }
        }
    }

    /// A heap of the definition under its name.
    pub(super) fn new_table(&mut self, def: &Arc<TableDef>) -> SqlResult<Arc<Heap>> {
        let kind = if def.name.starts_with('@') { HeapKind::Variable } else { HeapKind::Table };
        let place = Place { object: &def.name, database: "tempdb" };
        let ask = self.ctx.ask_other();
        let heap = self.session.work.create_heap(&ask, kind).map_err(|error| message::of_txn(error, place))?;
        let table = TempTable::new(Arc::clone(def), Arc::clone(&heap), self.ctx.facts.nest_level);
        self.ctx.session.temp.write().add(table);
        Ok(heap)
    }

    pub(super) fn drop_tables(&mut self, names: &[ObjectName], if_exists: bool) -> SqlResult<()> {
        self.implicit_begin();
        for name in names {
            let last = name.parts.last().expect("a name has parts");
            if !last.starts_with('#') {
                self.drop_stored_table(name, if_exists)?;
                continue;
            }
            let table = last.starts_with('#').then(|| self.ctx.session.temp.read().find(last).cloned()).flatten();
            match table {
                Some(table) => self.drop_one(&table)?,
                None if if_exists => {}
                None => return Err(message::cannot_drop("table", &name.parts.join("."))),
            }
        }
        self.done_quietly(0);
        Ok(())
    }

    fn drop_one(&mut self, table: &TempTable) -> SqlResult<()> {
        let place = Place { object: &table.def.name, database: "tempdb" };
        let heap = &table.heap;
        let in_transaction = self.session.work.in_transaction();
        self.atomically(&table.def.name, |run| {
            let ask = run.ctx.ask_other();
            run.session.work.drop_heap(&ask, heap).map_err(|error| message::of_txn(error, place))?;
            run.ctx.session.temp.write().remove(heap.object_id(), in_transaction);
            Ok(())
        })
    }

    pub(super) fn truncate(&mut self, name: &ObjectName) -> SqlResult<()> {
        let last = name.parts.last().expect("a name has parts");
        let table = last.starts_with('#').then(|| self.ctx.session.temp.read().find(last).cloned()).flatten();
        if !last.starts_with('#') {
            return self.truncate_stored_table(name);
        }
        let Some(table) = table else {
            return Err(message::cannot_truncate(&name.parts.join(".")));
        };
        self.implicit_begin();
        let place = Place { object: &table.def.name, database: "tempdb" };
        self.atomically(&table.def.name, |run| {
            let ask = run.ctx.ask_other();
            run.session.work.truncate_heap(&ask, &table.heap).map_err(|error| message::of_txn(error, place))
        })?;
        if let Some((seed, _)) = table.def.columns.iter().find_map(|column| column.identity) {
            table.identity.store(seed, std::sync::atomic::Ordering::Relaxed);
        }
        self.done_quietly(0);
        Ok(())
    }
}

fn temporary(binder: &mut Binder<'_>, name: &str, definition: &TableDefinition) -> SqlResult<Code> {
    let number = std::cell::Cell::new(-1);
    let next_id = || {
        number.set(number.get() + 1);
        ObjectId(number.get())
    };
    let new = NewTable { next_id: &next_id, ..NewTable::temporary(name) };
    let def = binder.table_definition(&new, definition)?;
    if def.storage == TableStorage::Trees {
        return Err(message::missing("An index or key of a temporary table"));
    }
    Ok(Code::Table(Arc::new(def)))
}

/// Only `#t`, in whatever database it is said to be, can be made so far.
pub(super) fn check_temp_name(name: &ObjectName) -> SqlResult<()> {
    let last = name.parts.last().expect("a name has parts");
    if last.starts_with("##") {
        return Err(message::missing("A global temporary table"));
    }
    if last.starts_with('#') {
        return Ok(());
    }
    Err(message::missing("A table outside of the session's temporary tables"))
}
