//! What every statement does around its work on rows: locks of the definitions that it uses, a reader, all or nothing.

use millpond_catalog::is_local_temporary;
use std::sync::Arc;

use millpond_catalog::TableDef;
use millpond_engine::context::{RunContext, TableBinding};
use millpond_engine::rows::TableRows;
use millpond_engine::stay;
use millpond_engine::stored::place_of;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;
use millpond_txn::lock::LockMode;
use millpond_txn::transaction;
use millpond_txn::{Isolation, ObjectUndo, Reader, TableLock, TxnError};

use crate::exec::batch::BatchRun;

/// Whether the statement uses a table in trees.
fn uses_trees(run: &BatchRun<'_>) -> bool {
    run.ctx.tables.iter().any(|table| matches!(table.rows, TableRows::Trees(_)))
}

/// Runs work that reads tables: their definitions stay as they are meanwhile.
pub(in crate::exec) fn reading<T>(
    run: &mut BatchRun<'_>,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    if !uses_trees(run) && !run.ctx.calls_functions && run.ctx.sequences.is_empty() {
        return work(run);
    }
    as_statement(run, "", None, work)
}

/// Runs work so that all or nothing of it stays.
pub(in crate::exec) fn atomically<T>(
    run: &mut BatchRun<'_>,
    object: &str,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    all_or_nothing(run, object, None, work)
}

/// The same where rows of a table change. The table is locked for that at once: a statement that had its definition
/// and waited for more would stand in the way of the session that it waits for, where that one changes the definition.
pub(in crate::exec) fn changing<T>(
    run: &mut BatchRun<'_>,
    target: &Arc<TableDef>,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    check_writable(run, target)?;
    all_or_nothing(run, &target.name, Some(target), work)
}

/// The same where the work locks the whole table itself.
pub(in crate::exec) fn changing_whole<T>(
    run: &mut BatchRun<'_>,
    target: &Arc<TableDef>,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    check_writable(run, target)?;
    all_or_nothing(run, &target.name, None, work)
}

fn all_or_nothing<T>(
    run: &mut BatchRun<'_>,
    object: &str,
    target: Option<&Arc<TableDef>>,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    // Table variables belong to no transaction.
    if run.ctx.facts.doomed && !object.starts_with('@') {
        return Err(message::doomed());
    }
    as_statement(run, object, target, work)
}

/// The statement that begins names no table of the catalog: those of the one before it are not its own.
pub(in crate::exec) fn forget_tables(run: &mut BatchRun<'_>) {
    if !run.ctx.tables.is_empty() {
        run.ctx_mut().tables = Arc::from([]);
    }
}

fn as_statement<T>(
    run: &mut BatchRun<'_>,
    object: &str,
    target: Option<&Arc<TableDef>>,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    run.session.apply_settings(&run.ctx.facts.settings);
    let mark = transaction::begin_statement(&mut run.session.work);
    let opened = open_tables(run, target).and_then(|()| check_logs(run));
    run.has_begun |= opened.is_ok();
    let result = opened.and_then(|()| work(run));
    let result = result.and_then(|value| check_logs(run).map(|()| value));
    run.ctx_mut().reader = None;
    close_tables(run);
    let ask = run.ctx.ask_other();
    end_in_memory(run, result.is_ok());
    let ended = match result {
        Ok(value) => {
            let ended = transaction::end_statement(&mut run.session.work, &ask, mark);
            committed(run, ended).map(|()| value).map_err(|error| txn_error(run, error, object))
        }
        Err(error) => {
            let rollback = transaction::abort_statement(&mut run.session.work, &ask, mark);
            match undone(run, rollback) {
                Ok(()) => Err(error),
                Err(worse) => Err(txn_error(run, worse, object)),
            }
        }
    };
    if !run.session.work.in_transaction() {
        run.ctx.session.temp.write().forget_dropped();
        run.ctx.session.row_versions.lock().clear();
    }
    ended
}

/// What the statement changed in tables in memory stays, or is undone.
fn end_in_memory(run: &BatchRun<'_>, stays: bool) {
    for table in run.ctx.tables.iter().filter(|table| table.def.in_memory) {
        match &table.rows.trees().memory {
            Some(memory) if stays => memory.settle(),
            Some(memory) => memory.undo(),
            None => {}
        }
    }
}

/// An error of work that is not of one table alone, with the name of the database that it is about.
pub(in crate::exec) fn txn_error(run: &BatchRun<'_>, error: TxnError, object: &str) -> SqlError {
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
    let database = run.ctx.engine.database_name(db).unwrap_or_else(|| "tempdb".to_owned());
    message::of_txn(error, Place { schema: "", object, database: &database })
}

/// 3906: whatever is opened to be changed, also where no row of it will be.
pub(in crate::exec) fn check_writable(run: &BatchRun<'_>, target: &TableDef) -> SqlResult<()> {
    if target.is_temporary() || !run.ctx.engine.txns().is_read_only(target.database) {
        return Ok(());
    }
    Err(txn_error(run, TxnError::ReadOnly(target.database), ""))
}

/// 3951: a transaction of another level cannot go on under SNAPSHOT.
fn check_snapshot(run: &BatchRun<'_>) -> SqlResult<()> {
    let facts = &run.ctx.facts;
    let is_late = facts.settings.isolation() == Isolation::Snapshot && !run.session.began_as_snapshot;
    let reads_stored = run.ctx.tables.iter().any(|table| !table.def.is_temporary());
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
pub(in crate::exec) fn check_versioned(run: &BatchRun<'_>, table: &ObjectName) -> SqlResult<()> {
    let facts = &run.ctx.facts;
    let by_snapshot = facts.settings.isolation() == Isolation::Snapshot && run.session.began_as_snapshot;
    let is_temporary = table.parts.last().is_some_and(|name| is_local_temporary(name));
    match by_snapshot && facts.tran_count > 0 && !is_temporary {
        true => Err(message::unversioned_definition()),
        false => Ok(()),
    }
}

/// Locks the definitions of the statement's tables and makes its reader. Rows of `target` change.
fn open_tables(run: &mut BatchRun<'_>, target: Option<&Arc<TableDef>>) -> SqlResult<()> {
    lock_sequences(run)?;
    if !uses_trees(run) && !run.ctx.calls_functions {
        return Ok(());
    }
    // A function reads what its caller's statement reads: its own changes too, and under its locks.
    if let Some(reader) = run.session.caller_reader.clone() {
        let locked = lend_definitions(run, &reader);
        run.ctx_mut().reader = Some(reader);
        return locked;
    }
    check_snapshot(run)?;
    let tables = Arc::clone(&run.ctx.tables);
    for table in tables.iter().filter(|table| !table.def.is_temporary()) {
        if table.def.database != run.ctx.facts.database {
            // Code that is kept has read its names before.
            stay::name_again(&run.ctx, table.def.database)?;
        }
        let changes = target.is_some_and(|target| Arc::ptr_eq(target, &table.def) && takes_row_locks(table));
        lock_definition(run, &table.def, if changes { LockMode::IX } else { LockMode::SchS })?;
    }
    check_all_current(run, &tables)?;
    let reader = run.session.work.reader();
    check_versions(&run.ctx, &tables, &reader)?;
    run.ctx_mut().reader = Some(reader);
    Ok(())
}

/// A database whose log has failed holds changes in memory that cannot be undone: a session that has read them gets this error.
fn check_logs(run: &BatchRun<'_>) -> SqlResult<()> {
    for table in run.ctx.tables.iter() {
        let TableRows::Trees(trees) = &table.rows else { continue };
        let log = trees.trees.first().and_then(|tree| tree.ctx().handle.log.as_ref());
        if log.is_some_and(|log| log.check_available().is_err()) {
            check_log_of(run, &table.def)?;
        }
    }
    Ok(())
}

/// The log of the table's database as it is now: the one that its trees know may be that of a database which was
/// closed, restored or attached again since.
fn check_log_of(run: &BatchRun<'_>, def: &TableDef) -> SqlResult<()> {
    let database = run.ctx.engine.instance().database(def.database);
    let log = database.as_ref().and_then(|database| database.log().ok().flatten());
    match log.map_or(Ok(()), |log| log.check_available()) {
        Ok(()) => Ok(()),
        Err(cause) => Err(message::of_wal(&cause, place_of(def))),
    }
}

/// A function's tables: locked for the session that called it, to the end of the function's statement.
fn lend_definitions(run: &mut BatchRun<'_>, reader: &Reader) -> SqlResult<()> {
    let tables = Arc::clone(&run.ctx.tables);
    for table in tables.iter().filter(|table| !table.def.is_temporary()) {
        let def = &table.def;
        let locked = reader.lock_definition(&run.ctx.ask_other(), def.database, def.id.0 as u32);
        if locked.map_err(|error| message::of_txn(error, place_of(def)))? {
            run.lent.push((def.database, def.id.0 as u32));
        }
    }
    check_all_current(run, &tables)?;
    check_versions(&run.ctx, &tables, reader)
}

/// The definitions of the sequences that the statement draws from.
fn lock_sequences(run: &mut BatchRun<'_>) -> SqlResult<()> {
    if run.ctx.sequences.is_empty() || run.session.caller_reader.is_some() {
        return Ok(());
    }
    let sequences = Arc::clone(&run.ctx.sequences);
    for (database, id) in sequences.iter() {
        stay::name_again(&run.ctx, *database)?;
        lock_object(run, *database, *id, LockMode::SchS).map_err(|error| txn_error(run, error, ""))?;
    }
    Ok(())
}

/// Definitions may change again between the statements of a transaction.
fn close_tables(run: &mut BatchRun<'_>) {
    let also_open = std::mem::take(&mut run.also_open);
    if let Some(reader) = &run.session.caller_reader {
        run.lent.drain(..).for_each(|(database, object)| reader.release_definition(database, object));
        return;
    }
    if !run.session.work.in_transaction() {
        return;
    }
    for (database, id) in also_open {
        run.session.work.release_definition(database, id.0 as u32);
    }
    for (database, id) in run.ctx.sequences.iter() {
        run.session.work.release_definition(*database, id.0 as u32);
    }
    if !uses_trees(run) {
        return;
    }
    for table in run.ctx.tables.iter().filter(|table| !table.def.is_temporary()) {
        run.session.work.release_definition(table.def.database, table.def.id.0 as u32);
    }
}

/// Between the look at a table's name and its lock somebody may have changed it, or its name may be another's now: the
/// statement begins again ([`BatchRun::statement`]), unless a part of it is done.
fn check_all_current(run: &mut BatchRun<'_>, tables: &[TableBinding]) -> SqlResult<()> {
    let now = run.ctx.engine.databases().epoch();
    for table in tables.iter().filter(|table| table.epoch != now && !table.def.is_temporary()) {
        let objects = run.ctx.engine.databases().dictionary(table.def.database)?.catalog().objects();
        let is_current = objects.table(table.def.id).is_some_and(|(def, trees)| {
            // TRUNCATE leaves the definition as it is.
            Arc::ptr_eq(def, &table.def) && Arc::ptr_eq(trees, table.rows.trees())
        });
        if !is_current {
            run.is_stale = !run.has_begun;
            return Err(message::schema_changed(&table.def.name));
        }
    }
    Ok(())
}

/// Locks a table's definition.
pub(in crate::exec) fn lock_definition(run: &mut BatchRun<'_>, def: &TableDef, mode: LockMode) -> SqlResult<()> {
    lock_object(run, def.database, def.id, mode).map_err(|error| message::of_txn(error, place_of(def)))
}

pub(in crate::exec) fn lock_object(
    run: &mut BatchRun<'_>,
    database: DbId,
    object: millpond_catalog::ObjectId,
    mode: LockMode,
) -> Result<(), TxnError> {
    let ask = run.ctx.ask_other();
    run.session.work.lock_object(&ask, database, object.0 as u32, mode)
}

/// What a rollback did to the session's objects happens to their names. Definitions were read again before its locks
/// went (`databases::Databases`).
pub(in crate::exec) fn undone(
    run: &mut BatchRun<'_>,
    rollback: Result<Vec<ObjectUndo>, TxnError>,
) -> Result<(), TxnError> {
    let mut temp = run.ctx.session.temp.write();
    if !run.session.work.in_transaction() {
        temp.restore_procedures();
    }
    temp.undone(rollback)
}

/// What a commit came to: one that was refused and undone has taken temporary tables along.
pub(in crate::exec) fn committed(run: &mut BatchRun<'_>, commit: Result<(), TxnError>) -> Result<(), TxnError> {
    commit.or_else(|error| undone(run, Err(error)))
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
