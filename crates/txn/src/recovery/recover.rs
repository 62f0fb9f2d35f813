//! Undo after a crash: what transactions that were open had changed is made what it was, newest change of all first, each
//! in a compensation. After another crash in the middle the log says how far it came: nothing is undone twice.

use std::sync::Arc;

use millpond_access::TreeCtx;
use millpond_access::tree::Tree;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::database::{Database, DatabaseState};
use millpond_storage::guid::hex;
use millpond_storage::page::header::Lsn;
use millpond_storage::wal::{CommitMode, Coordinator, Log, Record, RecordKind, TxnLog};

use crate::error::RecoverError;
use crate::manager::TxnManager;
use crate::open_trees;
use crate::recovery::restore::{apply_fill_undo, apply_run_undo, apply_undo};
use crate::two_phase;
use crate::two_phase::Sorted;
use crate::undo::row_undo::{self, TreeAddress};

/// A transaction that is being undone, and the record that comes next.
struct Loser {
    log: TxnLog,
    next: Lsn,
}

/// Brings all databases of the instance that were not closed in order to the state of their commits. A database that
/// cannot be brought there stays closed ([`TxnManager::failed_recoveries`]); the others are used.
pub(crate) fn recover_all(manager: &TxnManager) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    let ask = Ask::new(&task, &io);
    // Numbers first: what is undone is undone among readers of no database.
    let databases = manager.instance().all_databases();
    databases.iter().for_each(|database| manager.database_opened(database.id()));
    // Decisions of all before a database asks for one.
    let mut all_sorted = Vec::new();
    for database in &databases {
        match sort(manager, &ask, database) {
            Ok(sorted) => all_sorted.push((database, sorted)),
            Err(cause) => manager.note_failed_recovery(database.id(), cause),
        }
    }
    for (database, sorted) in all_sorted {
        note_recovery(manager, database, undo_sorted(manager, &ask, database, sorted));
    }
    two_phase::forget_decisions(manager, &ask);
}

fn note_recovery(manager: &TxnManager, database: &Database, result: Result<u64, RecoverError>) {
    match result {
        Ok(_) => manager.forget_failed_recovery(database.id()),
        Err(cause) => manager.note_failed_recovery(database.id(), cause),
    }
}

/// What is to be undone in a database that waits for it.
fn sort(manager: &TxnManager, ask: &Ask<'_>, database: &Database) -> Result<Option<Sorted>, RecoverError> {
    let is_waiting = database.state() == DatabaseState::Recovering;
    is_waiting.then(|| two_phase::sort_losers(manager, ask, database)).transpose()
}

/// Commits what was prepared and decided, undoes the rest, and puts the database online. As a rollback, the undo may
/// use the database's reserve of space.
fn undo_sorted(
    manager: &TxnManager,
    ask: &Ask<'_>,
    database: &Database,
    sorted: Option<Sorted>,
) -> Result<u64, RecoverError> {
    let ask = &ask.with_reserve();
    let Some(Sorted { open: mut losers, prepared }) = sorted else { return Ok(0) };
    assert!(
        database.state() == DatabaseState::Recovering,
        "database {} is used, and transactions of it are to be undone",
        database.id()
    );
    let mut in_doubt = None;
    for (coordinator, log) in prepared {
        match two_phase::is_committed(manager, coordinator) {
            Some(false) => losers.push(log),
            Some(true) => {
                let wal = database.log().ok().flatten().ok_or(RecoverError::Unavailable)?;
                wal.commit(ask, log, CommitMode::Durable)?;
            }
            None => {
                database.return_losers(vec![log]);
                in_doubt = Some(coordinator);
            }
        }
    }
    let undone = recover(manager, ask, database, losers)?;
    if let Some(coordinator) = in_doubt {
        return Err(RecoverError::InDoubt { coordinator: name_of(manager, coordinator) });
    }
    // What a checkpoint cannot write now is written by the next one.
    let _ = manager.instance().finish_recovery(ask, database.id());
    Ok(undone)
}

fn name_of(manager: &TxnManager, coordinator: Coordinator) -> String {
    let databases = manager.instance().all_databases();
    let found = databases.iter().find(|database| database.origin().voter == coordinator.guid);
    found.map_or_else(|| hex(&coordinator.guid), |found| found.name())
}

/// Databases that wait for another one's decision may have it now.
fn ask_again(manager: &TxnManager, ask: &Ask<'_>) {
    let is_in_doubt = |(db, cause)| matches!(cause, RecoverError::InDoubt { .. }).then_some(db);
    for db in manager.failed_recoveries().into_iter().filter_map(is_in_doubt) {
        if let Some(database) = manager.instance().database(db) {
            manager.forget_failed_recovery(db);
            let sorted = sort(manager, ask, &database);
            note_recovery(manager, &database, sorted.and_then(|sorted| undo_sorted(manager, ask, &database, sorted)));
        }
    }
    two_phase::forget_decisions(manager, ask);
}

/// Undoes what was open in a database that was opened, attached or restored, and puts it online. Returns how many
/// changes were undone.
///
/// # Errors
/// [`RecoverError`]; the database is not online then.
pub fn recover_database(manager: &TxnManager, ask: &Ask<'_>, database: &Database) -> Result<u64, RecoverError> {
    manager.database_opened(database.id());
    if database.state() != DatabaseState::Recovering {
        return Ok(0);
    }
    if !database.origin().is_snapshot() {
        two_phase::leave_decisions(manager, database);
    }
    let sorted = sort(manager, ask, database)?;
    let undone = undo_sorted(manager, ask, database, sorted);
    ask_again(manager, ask);
    undone
}

/// Undoes the transactions that were open when a database was closed or crashed, after its log was redone. Returns
/// how many changes were undone. No other session uses the database meanwhile.
///
/// # Errors
/// [`RecoverError`]; what was undone before stays undone.
pub fn recover(
    manager: &TxnManager,
    ask: &Ask<'_>,
    database: &Database,
    losers: Vec<TxnLog>,
) -> Result<u64, RecoverError> {
    manager.database_opened(database.id());
    let ctx = open_trees::tree_ctx(database).map_err(|_| RecoverError::Unavailable)?;
    let Some(log) = ctx.handle.log.clone() else { return Ok(0) };
    let mut losers: Vec<_> = losers.into_iter().map(|log| Loser { next: log.last.unwrap_or_default(), log }).collect();
    let mut undone = 0;
    while let Some(at) = (0..losers.len()).max_by_key(|&at| losers[at].next) {
        if losers[at].next == Lsn::default() {
            log.end_rollback(losers.swap_remove(at).log);
            continue;
        }
        undone += step(manager, ask, &ctx, &log, &mut losers[at])?;
    }
    Ok(undone)
}

/// Looks at the loser's next record and undoes what it did; how many changes that was.
fn step(
    manager: &TxnManager,
    ask: &Ask<'_>,
    ctx: &TreeCtx,
    log: &Arc<Log>,
    loser: &mut Loser,
) -> Result<u64, RecoverError> {
    let record = log.records().read(ask, loser.next)?;
    let next = match record.kind {
        RecordKind::Compensation => record.undo_next,
        _ => record.prev,
    };
    if next >= Some(record.lsn) {
        // Undo would go round for ever.
        return Err(RecoverError::Record { lsn: record.lsn });
    }
    let is_change = record.kind == RecordKind::Change;
    assert!(record.lsn == loser.next, "the record at {} is read for the one at {}", record.lsn, loser.next);
    if is_change {
        undo_record(manager, ask, ctx, &record, &mut loser.log)?;
    }
    loser.next = next.unwrap_or_default();
    Ok(is_change.into())
}

fn undo_record(
    manager: &TxnManager,
    ask: &Ask<'_>,
    ctx: &TreeCtx,
    record: &Record,
    log: &mut TxnLog,
) -> Result<(), RecoverError> {
    let lsn = record.lsn;
    let failed = |cause| RecoverError::Undo { lsn, cause: Box::new(cause) };
    if let Some(undo) = row_undo::decode_run(ctx.handle.db, &record.undo) {
        let tree = recovered_tree(manager, ctx, undo.tree);
        return apply_run_undo(ask, manager, &tree, log, (lsn, record.prev), &undo).map_err(failed);
    }
    if let Some(undo) = row_undo::decode_fill(ctx.handle.db, &record.undo) {
        let tree = recovered_tree(manager, ctx, undo.tree);
        return apply_fill_undo(ask, manager, &tree, log, record.prev, &undo).map_err(failed);
    }
    let undo = row_undo::decode(ctx.handle.db, &record.undo).ok_or(RecoverError::Record { lsn })?;
    let tree = recovered_tree(manager, ctx, undo.tree);
    apply_undo(ask, manager, &tree, log, record.prev, &undo).map_err(failed)
}

fn recovered_tree(manager: &TxnManager, ctx: &TreeCtx, address: TreeAddress) -> Arc<Tree> {
    open_trees::open_tree(manager, ctx, address.ids, address.place)
}
