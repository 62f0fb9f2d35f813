//! ALTER INDEX … REORGANIZE and DBCC INDEXDEFRAG: leaves take what has room of the leaves after them (`access::tree::compact`).
//!
//! What always holds: the table keeps its definition meanwhile (IX), others read and change its rows, and what was done stays done,
//! whatever becomes of the statement and its transaction.

use millpond_access::tree::Compaction;
use millpond_access::tree::compact::compact;
use millpond_bind::definition::index_list::{altered_indexes, disabled};
use millpond_catalog::trees::TableTrees;
use millpond_catalog::{IndexDef, IndexKind, TableDef, names_equal};
use millpond_engine::arguments::{NamedTable, database_argument, index_of, rows_of, table_in};
use millpond_engine::settled;
use millpond_engine::stored::place_of;
use millpond_engine::system_call::{CallArg, DbccTakes};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::AlterIndex;
use millpond_txn::cleaner;
use millpond_txn::lock::LockMode;
use millpond_types::{SqlType, Value};

use crate::exec::batch::{BatchRun, scope, send_rows};

/// What INDEXDEFRAG takes.
pub(in crate::exec) const TAKES: DbccTakes = DbccTakes { args: 2..=4, options: &["NO_INFOMSGS"] };

/// `ALTER INDEX name | ALL ON table REORGANIZE`
///
/// # Errors
/// 1088 for a table that is not there, those of [`altered_indexes`], 2552 where pages may not be locked, 3906.
pub(in crate::exec) fn reorganize(run: &mut BatchRun<'_>, alter: &AlterIndex) -> SqlResult<()> {
    let find = |run: &BatchRun<'_>| {
        let Some(object) = settled::find_object(&run.ctx, &alter.table)? else { return Ok(None) };
        Ok(rows_of(settled::dictionary_of(&run.ctx, &alter.table)?, &object).ok())
    };
    let no_such = || message::no_such_object(&alter.table.shown());
    let (_, def, trees) = opened(run, &find)?.ok_or_else(no_such)?;
    altered_indexes(&def, alter)?;
    let is_meant = |index: &IndexDef| {
        let is_named = alter.index.as_ref().is_none_or(|name| names_equal(&index.name, name));
        is_named && index.kind != IndexKind::Heap && !index.disabled
    };
    compacted(run, (&def, &trees), is_meant).map(drop)
}

/// `DBCC INDEXDEFRAG (database, table [, index [, partition]])`: what was done, where an index is said.
///
/// # Errors
/// 2501, 7999 for a table or an index that is not there, 1973 for a disabled one, 2552, 3906.
pub(in crate::exec) fn defragment(run: &mut BatchRun<'_>, args: &[CallArg], options: &[String]) -> SqlResult<()> {
    let arg = |index: usize| args.get(index).and_then(|arg| arg.value.as_ref());
    let database = database_argument(&run.ctx, arg(0))?;
    let find = |run: &BatchRun<'_>| table_in(&run.ctx, database, arg(1)).map(Some);
    let last = arg(1).and_then(Value::as_str).unwrap_or_default().to_owned();
    let done = scope::atomically(run, &last, |run| {
        let Some((_, def, trees)) = opened(run, &find)? else { return Ok(Compaction::default()) };
        let Some(wanted) = arg(2) else {
            return compacted(run, (&def, &trees), |index| index.kind != IndexKind::Heap && !index.disabled);
        };
        let index = index_of(&def, wanted)?;
        if index.disabled {
            return Err(disabled(index, &def));
        }
        compacted(run, (&def, &trees), |known| known.id == index.id)
    })?;
    if arg(2).is_none() || options.iter().any(|option| option == "NO_INFOMSGS") {
        return Ok(());
    }
    let columns = ["Pages Scanned", "Pages Moved", "Pages Removed"].map(|name| (name, SqlType::BigInt));
    let row = [done.scanned, done.moved, done.removed].map(|pages| Value::BigInt(pages.cast_signed()));
    send_rows(run, &columns, &[row.to_vec()])
}

/// A table under a lock that lets others change its rows and nobody its definition.
fn opened(
    run: &mut BatchRun<'_>,
    find: &dyn Fn(&BatchRun<'_>) -> SqlResult<Option<NamedTable>>,
) -> SqlResult<Option<NamedTable>> {
    loop {
        let Some((_, def, _)) = find(run)? else { return Ok(None) };
        scope::check_writable(run, &def)?;
        scope::lock_definition(run, &def, LockMode::IX)?;
        match find(run)? {
            Some(now) if now.1.id == def.id => return Ok(Some(now)),
            // Another changed or dropped it while this one waited, and the name may be another's now.
            _ => {}
        }
    }
}

/// Compacts the indexes that are meant.
fn compacted(
    run: &mut BatchRun<'_>,
    (def, trees): (&TableDef, &TableTrees),
    is_meant: impl Fn(&IndexDef) -> bool,
) -> SqlResult<Compaction> {
    let meant = || def.indexes.iter().zip(&trees.trees).filter(|(index, _)| is_meant(index));
    if let Some((index, _)) = meant().find(|(index, _)| !index.options.allow_page_locks) {
        return Err(SqlError::of(2552, 1, &[&index.name, &1, &def.name]));
    }
    let mut all = Compaction::default();
    for (index, tree) in meant() {
        let fill = if index.options.fill_factor == 0 { 100 } else { index.options.fill_factor };
        // What the list of the ghost cleaner lost in a crash is not moved along.
        cleaner::remove_ghosts(run.ctx.engine.txns(), &run.ctx.ask_other(), tree);
        let done = compact(tree, &run.ctx.ask_other(), fill);
        let done = done.map_err(|cause| message::of_access(cause, place_of(def)))?;
        all.scanned += done.scanned;
        all.moved += done.moved;
        all.removed += done.removed;
    }
    Ok(all)
}
