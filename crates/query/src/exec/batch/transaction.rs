//! BEGIN, COMMIT, ROLLBACK, SAVE: the counter that users see, over the one transaction that `txn` has.

use std::borrow::Cow;
use std::sync::Arc;

use millpond_code::cursors::states;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::EnvChange;
use millpond_storage::wal::CommitMode;
use millpond_txn::Isolation;
use millpond_txn::transaction;
use millpond_types::Value;

use crate::exec::batch::{BatchRun, scope};

/// A variable's text counts as a name up to here.
const NAME_CHARS_MAX: usize = 32;

/// The name that a statement gives: as it stands, or as the variable has it; none for an empty one.
///
/// # Errors
/// 137
fn given_name(run: &BatchRun<'_>, name: Option<&str>) -> SqlResult<Option<String>> {
    let Some(name) = name else { return Ok(None) };
    if !name.starts_with('@') {
        return Ok(Some(name.to_owned()));
    }
    let (slot, _) = run.variables.find(name).ok_or_else(|| message::undeclared_variable(name))?;
    Ok(match &run.ctx.variables[slot] {
        Value::Str(name) if !name.is_empty() => Some(name.chars().take(NAME_CHARS_MAX).collect()),
        _ => None,
    })
}

/// BEGIN TRANSACTION, which under IMPLICIT_TRANSACTIONS stands inside the one that it begins itself.
///
/// # Errors
/// 137
pub(in crate::exec) fn begin_transaction(run: &mut BatchRun<'_>, name: Option<&str>) -> SqlResult<()> {
    let name = given_name(run, name)?;
    implicit_begin(run);
    let shown = name.clone().map_or(Cow::Borrowed("user_transaction"), Cow::Owned);
    enter_transaction(run, name, shown);
    run.done_quietly(0);
    Ok(())
}

fn enter_transaction(run: &mut BatchRun<'_>, name: Option<String>, shown: Cow<'static, str>) {
    if run.ctx.facts.tran_count == 0 {
        transaction::begin(&mut run.session.work);
        run.session.began_as_snapshot = run.ctx.facts.settings.isolation() == Isolation::Snapshot;
        run.session.transaction += 1;
        run.session.transaction_name = name;
        *run.session.shared.transaction_name.lock() = shown;
        let descriptor = run.session.transaction;
        run.sink.env_change(&EnvChange::BeginTransaction(descriptor));
    }
    let count = run.ctx.facts.tran_count + 1;
    run.ctx_mut().set_tran_count(count);
}

/// SET IMPLICIT_TRANSACTIONS ON: a statement that touches tables begins a transaction.
pub(in crate::exec) fn implicit_begin(run: &mut BatchRun<'_>) {
    if run.ctx.facts.settings.implicit_transactions && run.ctx.facts.tran_count == 0 {
        enter_transaction(run, None, Cow::Borrowed("implicit_transaction"));
    }
}

/// The same for SELECT: one without a table begins nothing.
pub(in crate::exec) fn implicit_read(run: &mut BatchRun<'_>) {
    if !run.ctx.tables.is_empty() {
        implicit_begin(run);
    }
}

pub(in crate::exec) fn commit(run: &mut BatchRun<'_>, delayed: bool) -> SqlResult<()> {
    if run.ctx.facts.doomed {
        return Err(message::doomed());
    }
    if run.ctx.facts.insert_exec.is_some_and(|base| run.ctx.facts.tran_count <= base) {
        return Err(crate::exec::batch::gathering::refuse_commit());
    }
    match run.ctx.facts.tran_count {
        0 => {
            return Err(SqlError::of(3902, 1, &[]));
        }
        1 => {
            let ask = run.ctx.ask_other();
            let mode = if delayed { CommitMode::Delayed } else { CommitMode::Durable };
            let committed = transaction::commit(&mut run.session.work, &ask, mode);
            let committed = scope::committed(run, committed);
            run.ctx.session.row_versions.lock().clear();
            run.ctx.session.temp.write().forget_dropped();
            if let Err(error) = committed {
                // Whether it happened is known after recovery only, but it is over.
                run.ctx_mut().set_tran_count(0);
                let descriptor = run.session.transaction;
                run.sink.env_change(&EnvChange::RollbackTransaction(descriptor));
                return Err(scope::txn_error(run, error, ""));
            }
            let descriptor = run.session.transaction;
            run.sink.env_change(&EnvChange::CommitTransaction(descriptor));
            if run.ctx.facts.settings.cursor_close_on_commit {
                close_cursors(run);
            }
        }
        _ => {}
    }
    let count = run.ctx.facts.tran_count - 1;
    run.ctx_mut().set_tran_count(count);
    run.done_quietly(0);
    Ok(())
}

pub(in crate::exec) fn rollback(run: &mut BatchRun<'_>, name: Option<&str>) -> SqlResult<()> {
    if run.ctx.facts.insert_exec.is_some() {
        return Err(crate::exec::batch::gathering::refuse_rollback());
    }
    if run.ctx.facts.tran_count == 0 {
        return Err(SqlError::of(3903, 1, &[]));
    }
    let name = given_name(run, name)?;
    let name = name.as_deref();
    // Names of transactions and savepoints are case-sensitive under every collation.
    let outermost = |name: &str| run.session.transaction_name.as_deref() == Some(name);
    if let Some(name) = name
        && !outermost(name)
    {
        if run.ctx.facts.doomed {
            return Err(SqlError::of(3931, 1, &[]));
        }
        let ask = run.ctx.ask_other();
        let undone = transaction::rollback_to(&mut run.session.work, &ask, name);
        scope::undone(run, undone).map_err(|error| scope::txn_error(run, error, ""))?;
        run.ctx.session.temp.write().restore_procedures_to(name);
        run.done_quietly(0);
        return Ok(());
    }
    rollback_everything(run);
    run.done_quietly(0);
    Ok(())
}

/// Ends the transaction, if there is one, as if it had not been.
pub(in crate::exec) fn rollback_everything(run: &mut BatchRun<'_>) {
    if run.ctx.facts.tran_count == 0 {
        return;
    }
    let ask = run.ctx.ask_other();
    let undone = transaction::rollback(&mut run.session.work, &ask);
    run.ctx.session.row_versions.lock().clear();
    let lost = scope::undone(run, undone);
    // Tables that could not be restored are this session's own and gone: say so, go on.
    if let Err(error) = lost {
        let error = scope::txn_error(run, error, "");
        run.sink.message(&crate::exec::batch::to_message(&error, 1));
    }
    run.ctx.session.temp.write().forget_dropped();
    let descriptor = run.session.transaction;
    run.sink.env_change(&EnvChange::RollbackTransaction(descriptor));
    run.ctx_mut().set_tran_count(0);
    let facts = &mut run.ctx_mut().facts;
    facts.doomed = false;
    if facts.settings.cursor_close_on_commit {
        close_cursors(run);
    }
}

pub(in crate::exec) fn save(run: &mut BatchRun<'_>, name: &str) -> SqlResult<()> {
    if run.ctx.facts.tran_count == 0 {
        return Err(SqlError::of(628, 0, &[]));
    }
    if run.ctx.facts.doomed {
        return Err(message::doomed());
    }
    let name = given_name(run, Some(name))?.unwrap_or_default();
    transaction::save(&mut run.session.work, &name);
    run.ctx.session.temp.write().save_procedures(&name);
    run.done_quietly(0);
    Ok(())
}

/// Begins the transaction of one statement that runs others: triggers, INSERT … EXEC.
pub(in crate::exec) fn begin_own_transaction(run: &mut BatchRun<'_>) {
    transaction::begin(&mut run.session.work);
    run.session.began_as_snapshot = run.ctx.facts.settings.isolation() == Isolation::Snapshot;
    run.ctx_mut().set_tran_count(1);
}

/// Ends the transaction that was begun for one statement. What was begun inside of it and not committed stays open:
/// the client ends it.
pub(in crate::exec) fn end_own_transaction(run: &mut BatchRun<'_>, done: SqlResult<()>) -> SqlResult<()> {
    let open = run.session.work.in_transaction();
    let stays = done.is_ok() && !run.ends_batch;
    if open && stays && run.ctx.facts.tran_count > 1 {
        leave_open(run);
        return done;
    }
    run.ctx_mut().set_tran_count(0);
    run.ctx_mut().facts.doomed = false;
    if !open {
        return done;
    }
    let ctx = Arc::clone(&run.ctx);
    let ask = ctx.ask_other();
    if stays {
        let committed = transaction::commit(&mut run.session.work, &ask, CommitMode::Durable);
        scope::committed(run, committed).map_err(|error| scope::txn_error(run, error, ""))?;
    } else {
        let undone = transaction::rollback(&mut run.session.work, &ask);
        scope::undone(run, undone).map_err(|error| scope::txn_error(run, error, ""))?;
    }
    ctx.session.temp.write().forget_dropped();
    done
}

/// The statement's own level of the open transaction ends, the others stay.
fn leave_open(run: &mut BatchRun<'_>) {
    let count = run.ctx.facts.tran_count - 1;
    run.ctx_mut().set_tran_count(count);
    run.session.began_as_snapshot = run.ctx.facts.settings.isolation() == Isolation::Snapshot;
    run.session.transaction += 1;
    run.session.transaction_name = None;
    run.sink.env_change(&EnvChange::BeginTransaction(run.session.transaction));
}

/// What CURSOR_STATUS returns from here on.
pub(in crate::exec) fn note_cursors(run: &mut BatchRun<'_>) {
    let states = states(&run.cursors, &run.session.cursors);
    run.ctx_mut().cursors = Arc::new(states);
}

/// The end of a transaction under CURSOR_CLOSE_ON_COMMIT.
fn close_cursors(run: &mut BatchRun<'_>) {
    let named = run.cursors.values().chain(run.session.cursors.values()).flatten();
    for cursor in named.chain(run.session.api_cursors.all()) {
        // The cursor whose query runs now is not open.
        if let Some(mut cursor) = cursor.try_lock() {
            cursor.close();
        }
    }
    note_cursors(run);
}
