//! What every statement does around its work on rows: locks of the definitions that it uses, a reader, all or nothing.

use std::sync::Arc;

use millpond_catalog::TableDef;
use millpond_engine::context::{RunContext, TableBinding, TableRows};
use millpond_engine::stored::place_of;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;
use millpond_txn::lock::LockMode;
use millpond_txn::{Isolation, ObjectUndo, Reader, TableLock, TxnError};

use crate::exec::batch::BatchRun;

impl BatchRun<'_> {
    /// Whether the statement uses a table in trees.
    fn uses_trees(&self) -> bool {
        self.ctx.tables.iter().any(|table| matches!(table.rows, TableRows::Trees(_)))
    }

    /// Runs work that reads tables: their definitions stay as they are meanwhile.
    pub(in crate::exec) fn reading<T>(&mut self, work: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        if !self.uses_trees() && !self.ctx.calls_functions && self.ctx.sequences.is_empty() {
            return work(self);
        }
        self.as_statement("", None, work)
    }

    /// Runs work so that all or nothing of it stays.
    pub(in crate::exec) fn atomically<T>(
        &mut self,
        object: &str,
        work: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        self.all_or_nothing(object, None, work)
    }

    /// The same where rows of a table change. The table is locked for that at once: a statement that had its definition
    /// and waited for more would stand in the way of the session that it waits for, where that one changes the definition.
    pub(in crate::exec) fn changing<T>(
        &mut self,
        target: &Arc<TableDef>,
        work: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        self.all_or_nothing(&target.name, Some(target), work)
    }

    fn all_or_nothing<T>(
        &mut self,
        object: &str,
        target: Option<&Arc<TableDef>>,
        work: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        // Table variables belong to no transaction.
        if self.ctx.facts.doomed && !object.starts_with('@') {
            return Err(message::doomed());
        }
        self.as_statement(object, target, work)
    }

    /// The statement that begins names no table of the catalog: those of the one before it are not its own.
    pub(in crate::exec) fn forget_tables(&mut self) {
        if !self.ctx.tables.is_empty() {
            self.ctx_mut().tables = Arc::from([]);
        }
    }

    fn as_statement<T>(
        &mut self,
        object: &str,
        target: Option<&Arc<TableDef>>,
        work: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        self.session.tell_settings(&self.ctx.facts.settings);
        let mark = self.session.work.begin_statement();
        let opened = self.open_tables(target).and_then(|()| self.check_logs());
        self.has_begun |= opened.is_ok();
        let result = opened.and_then(|()| work(self));
        let result = result.and_then(|value| self.check_logs().map(|()| value));
        self.ctx_mut().reader = None;
        self.close_tables();
        let ask = self.ctx.ask_other();
        self.end_in_memory(result.is_ok());
        let ended = match result {
            Ok(value) => {
                let ended = self.session.work.end_statement(&ask, mark);
                self.committed(ended).map(|()| value).map_err(|error| self.txn_error(error, object))
            }
            Err(error) => {
                let undone = self.session.work.abort_statement(&ask, mark);
                match self.undone(undone) {
                    Ok(()) => Err(error),
                    Err(worse) => Err(self.txn_error(worse, object)),
                }
            }
        };
        if !self.session.work.in_transaction() {
            self.ctx.session.temp.write().forget_dropped();
            self.ctx.session.row_versions.lock().clear();
        }
        ended
    }

    /// What the statement changed in tables in memory stays, or is undone.
    fn end_in_memory(&self, stays: bool) {
        for table in self.ctx.tables.iter().filter(|table| table.def.in_memory) {
            match &table.rows.trees().memory {
                Some(memory) if stays => memory.settle(),
                Some(memory) => memory.undo(),
                None => {}
            }
        }
    }

    /// An error of work that is not of one table alone, with the name of the database that it is about.
    pub(in crate::exec) fn txn_error(&self, error: TxnError, object: &str) -> SqlError {
        let db = match &error {
            TxnError::Wal { db, .. }
            | TxnError::CommitFailed { db, .. }
            | TxnError::SnapshotConflict { db, .. }
            | TxnError::VersionLost { db, .. }
            | TxnError::SnapshotNotAllowed(db)
            | TxnError::ReadOnly(db)
            | TxnError::DatabaseUnavailable(db) => *db,
            _ => DbId::TEMPDB,
        };
        let database = self.ctx.engine.database_name(db).unwrap_or_else(|| "tempdb".to_owned());
        message::of_txn(error, Place { schema: "", object, database: &database })
    }

    /// 3951: a transaction of another level cannot go on under SNAPSHOT.
    fn check_snapshot(&self) -> SqlResult<()> {
        let facts = &self.ctx.facts;
        let is_late = facts.settings.isolation() == Isolation::Snapshot && !self.session.began_as_snapshot;
        let reads_stored = self.ctx.tables.iter().any(|table| !table.def.is_temporary());
        match is_late && reads_stored && facts.tran_count > 0 {
            true => Err(message::late_snapshot(&facts.database_name)),
            false => Ok(()),
        }
    }

    /// Refuses a statement that changes how a stored table or its indexes are defined where the session's transaction, which
    /// was begun before the statement, reads by its snapshot: definitions have no versions.
    ///
    /// # Errors
    /// 3964
    pub(in crate::exec) fn check_versioned(&self, table: &ObjectName) -> SqlResult<()> {
        let facts = &self.ctx.facts;
        let by_snapshot = facts.settings.isolation() == Isolation::Snapshot && self.session.began_as_snapshot;
        let is_temporary = table.parts.last().is_some_and(|name| name.starts_with('#'));
        match by_snapshot && facts.tran_count > 0 && !is_temporary {
            true => Err(message::unversioned_definition()),
            false => Ok(()),
        }
    }

    /// Locks the definitions of the statement's tables and makes its reader. Rows of `target` change.
    fn open_tables(&mut self, target: Option<&Arc<TableDef>>) -> SqlResult<()> {
        self.lock_sequences()?;
        if !self.uses_trees() && !self.ctx.calls_functions {
            return Ok(());
        }
        // A function reads what its caller's statement reads: its own changes too, and under its locks.
        if let Some(reader) = self.session.caller_reader.clone() {
            let locked = self.lend_definitions(&reader);
            self.ctx_mut().reader = Some(reader);
            return locked;
        }
        self.check_snapshot()?;
        let tables = Arc::clone(&self.ctx.tables);
        for table in tables.iter().filter(|table| !table.def.is_temporary()) {
            let changes = target.is_some_and(|target| Arc::ptr_eq(target, &table.def) && takes_row_locks(table));
            self.lock_definition(&table.def, if changes { LockMode::IX } else { LockMode::SchS })?;
        }
        self.check_all_current(&tables)?;
        let reader = self.session.work.reader();
        check_versions(&self.ctx, &tables, &reader)?;
        self.ctx_mut().reader = Some(reader);
        Ok(())
    }

    /// A database whose log has failed holds changes in memory that nobody can undo: whoever has read them is told so.
    fn check_logs(&self) -> SqlResult<()> {
        for table in self.ctx.tables.iter() {
            let TableRows::Trees(trees) = &table.rows else { continue };
            let log = trees.trees.first().and_then(|tree| tree.ctx().handle.log.as_ref());
            if log.is_some_and(|log| log.check_available().is_err()) {
                self.check_log_of(&table.def)?;
            }
        }
        Ok(())
    }

    /// The log of the table's database as it is now: the one that its trees know may be that of a database which was
    /// closed, restored or attached again since.
    fn check_log_of(&self, def: &TableDef) -> SqlResult<()> {
        let database = self.ctx.engine.instance().database(def.database);
        let log = database.as_ref().and_then(|database| database.log().ok().flatten());
        match log.map_or(Ok(()), |log| log.check_available()) {
            Ok(()) => Ok(()),
            Err(cause) => Err(message::of_wal(&cause, place_of(def))),
        }
    }

    /// A function's tables: locked for the session that called it, to the end of the function's statement.
    fn lend_definitions(&mut self, reader: &Reader) -> SqlResult<()> {
        let tables = Arc::clone(&self.ctx.tables);
        for table in tables.iter().filter(|table| !table.def.is_temporary()) {
            let def = &table.def;
            let locked = reader.lock_definition(&self.ctx.ask_other(), def.database, def.id.0 as u32);
            if locked.map_err(|error| message::of_txn(error, place_of(def)))? {
                self.lent.push((def.database, def.id.0 as u32));
            }
        }
        self.check_all_current(&tables)?;
        check_versions(&self.ctx, &tables, reader)
    }

    /// The definitions of the sequences that the statement draws from.
    fn lock_sequences(&mut self) -> SqlResult<()> {
        if self.ctx.sequences.is_empty() || self.session.caller_reader.is_some() {
            return Ok(());
        }
        let sequences = Arc::clone(&self.ctx.sequences);
        for (database, id) in sequences.iter() {
            self.lock_object(*database, *id, LockMode::SchS).map_err(|error| self.txn_error(error, ""))?;
        }
        Ok(())
    }

    /// Definitions may change again between the statements of a transaction.
    fn close_tables(&mut self) {
        let also_open = std::mem::take(&mut self.also_open);
        if let Some(reader) = &self.session.caller_reader {
            self.lent.drain(..).for_each(|(database, object)| reader.release_definition(database, object));
            return;
        }
        if !self.session.work.in_transaction() {
            return;
        }
        for (database, id) in also_open {
            self.session.work.release_definition(database, id.0 as u32);
        }
        for (database, id) in self.ctx.sequences.iter() {
            self.session.work.release_definition(*database, id.0 as u32);
        }
        if !self.uses_trees() {
            return;
        }
        for table in self.ctx.tables.iter().filter(|table| !table.def.is_temporary()) {
            self.session.work.release_definition(table.def.database, table.def.id.0 as u32);
        }
    }

    /// Between the look at a table's name and its lock somebody may have changed it, or its name may be another's now: the
    /// statement begins again ([`BatchRun::statement`]), unless a part of it is done.
    fn check_all_current(&mut self, tables: &[TableBinding]) -> SqlResult<()> {
        let now = self.ctx.engine.databases().epoch();
        for table in tables.iter().filter(|table| table.epoch != now && !table.def.is_temporary()) {
            let objects = self.ctx.engine.databases().dictionary(table.def.database)?.catalog().objects();
            let is_current = objects.table(table.def.id).is_some_and(|(def, trees)| {
                // TRUNCATE leaves the definition as it is.
                Arc::ptr_eq(def, &table.def) && Arc::ptr_eq(trees, table.rows.trees())
            });
            if !is_current {
                self.is_stale = !self.has_begun;
                return Err(message::schema_changed(&table.def.name));
            }
        }
        Ok(())
    }

    /// Locks a table's definition.
    pub(in crate::exec) fn lock_definition(&mut self, def: &TableDef, mode: LockMode) -> SqlResult<()> {
        self.lock_object(def.database, def.id, mode).map_err(|error| message::of_txn(error, place_of(def)))
    }

    pub(in crate::exec) fn lock_object(
        &mut self,
        database: DbId,
        object: millpond_catalog::ObjectId,
        mode: LockMode,
    ) -> Result<(), TxnError> {
        let ask = self.ctx.ask_other();
        self.session.work.lock_object(&ask, database, object.0 as u32, mode)
    }

    /// What a rollback did to the session's objects happens to their names. Definitions were read again before its locks
    /// went (`databases::Databases`).
    pub(in crate::exec) fn undone(&mut self, rollback: Result<Vec<ObjectUndo>, TxnError>) -> Result<(), TxnError> {
        let mut temp = self.ctx.session.temp.write();
        if !self.session.work.in_transaction() {
            temp.restore_procedures();
        }
        temp.undone(rollback)
    }

    /// What a commit came to: one that was refused and undone has taken temporary tables along.
    pub(in crate::exec) fn committed(&mut self, commit: Result<(), TxnError>) -> Result<(), TxnError> {
        commit.or_else(|error| self.undone(Err(error)))
    }
}

/// Whether what a statement changes of a table is locked row by row. Where a hint locks the whole table no intent lock comes
/// first: two sessions that have one would wait for each other.
fn takes_row_locks(table: &TableBinding) -> bool {
    table.hint.table == TableLock::Rows && !table.def.in_memory
}

/// 3961: a snapshot from before a change of a table's definition, which is not versioned.
fn check_versions(ctx: &RunContext, tables: &[TableBinding], reader: &Reader) -> SqlResult<()> {
    if reader.isolation() != Isolation::Snapshot {
        return Ok(());
    }
    for table in tables.iter().filter(|table| !table.def.is_temporary()) {
        // Whatever the hints of the table are: what another commits while this statement waits is in conflict with it.
        reader.begin_snapshot();
        let dictionary = ctx.engine.databases().dictionary(table.def.database)?;
        let altered = dictionary.catalog().objects().altered_by(table.def.id);
        if altered.is_some_and(|transaction| !reader.sees_change_of(transaction)) {
            return Err(message::altered_since_snapshot(dictionary.name()));
        }
    }
    Ok(())
}
