//! INSERT … EXEC: what a procedure or text sends becomes the rows of an INSERT.
//!
//! ```text
//!   EXEC ──rows──▶ Gathering (a sink) ──▶ a work heap under the name GATHERED ──INSERT … SELECT──▶ the target
//!            └─messages──▶ the client
//! ```
//! What always holds:
//! - G1: the rows of all result sets are converted to the target's columns as they come and lie in tempdb, so memory
//!   holds a batch of them.
//! - G2: all that the procedure changes and the rows inserted are one statement: all of it stays or nothing. Outside of
//!   a transaction the statement is one, as @@TRANCOUNT shows.
//! - G3: one at a time (8164); a ROLLBACK inside, and a COMMIT of what was not begun inside, are refused (3915, 3916) and
//!   end the batch with its transaction.
//! - G4: a transaction that an error inside has doomed takes no rows (3930), also where a TRY inside caught the error.

use std::sync::{Arc, OnceLock};

use millpond_bind::{GATHERED, GatheredRows};
use millpond_code::code_key::{CodeKey, Synthetic};
use millpond_engine::temp::TempTable;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{Insert, InsertSource, Query, Statement, StatementKind};

use crate::exec::batch::gathering::Gathering;
use crate::exec::batch::{BatchRun, REBINDS_MAX, scope, transaction};
use crate::exec::dml::insert;
use crate::exec::routine::call;

pub(in crate::exec) fn insert_exec(run: &mut BatchRun<'_>, statement: &Statement, insert: &Insert) -> SqlResult<()> {
    if run.ctx.facts.insert_exec.is_some() {
        return Err(SqlError::of(8164, 1, &[]));
    }
    transaction::implicit_begin(run);
    let is_own = run.ctx.facts.tran_count == 0;
    if is_own {
        transaction::begin_own_transaction(run);
    }
    let base = run.ctx.facts.tran_count;
    run.ctx_mut().facts.insert_exec = Some(base);
    let mark = millpond_txn::transaction::begin_statement(&mut run.session.work);
    let result = gather_and_insert(run, statement, insert);
    let done = end_gathering(run, mark, result);
    run.ctx_mut().facts.insert_exec = None;
    if is_own { transaction::end_own_transaction(run, done) } else { done }
}

/// G2: the statement's end, or its undoing. An error that ended the batch was reported where it happened.
fn end_gathering(run: &mut BatchRun<'_>, mark: millpond_txn::StatementMark, result: SqlResult<()>) -> SqlResult<()> {
    let ctx = Arc::clone(&run.ctx);
    let ask = ctx.ask_other();
    if result.is_ok() && !run.ends_batch {
        let ended = millpond_txn::transaction::end_statement(&mut run.session.work, &ask, mark);
        return scope::committed(run, ended).map_err(|error| scope::txn_error(run, error, ""));
    }
    let undone = millpond_txn::transaction::abort_statement(&mut run.session.work, &ask, mark);
    scope::undone(run, undone).map_err(|error| scope::txn_error(run, error, ""))?;
    result
}

/// What the rows of INSERT … EXEC have to be.
pub(in crate::exec) fn gathered_code(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    insert: &Insert,
) -> SqlResult<Arc<GatheredRows>> {
    let key = CodeKey::synthetic(statement, Synthetic::GatheredRows);
    run.bound(statement, key, |binder, _| Ok(Arc::new(binder.gathered_rows(insert)?)))
}

fn gather_and_insert(run: &mut BatchRun<'_>, statement: &Statement, insert: &Insert) -> SqlResult<()> {
    let wanted = gathered_code(run, statement, insert)?;
    let was_doomed = run.ctx.facts.doomed;
    run.gathering = Some(Box::new(Gathering::new(run, GatheredRows::clone(&wanted))?));
    let ran = match &insert.source {
        InsertSource::Execute(execute) => call::execute(run, statement, execute),
        InsertSource::ExecuteText(text) => call::execute_text(run, statement, text),
        _ => unreachable!("dispatched as INSERT … EXEC"),
    };
    let mut rows = run.gathering.take().expect("put there above");
    if let Some(error) = rows.failed.take() {
        run.ends_batch = false;
        return Err(error);
    }
    ran?;
    if run.ends_batch {
        return Ok(());
    }
    if run.ctx.facts.doomed && !was_doomed {
        return Err(message::doomed());
    }
    rows.flush()?;
    let (def, heap) = (Arc::clone(&rows.wanted.def), Arc::clone(&rows.heap));
    let id = heap.object_id();
    run.ctx.session.temp.write().add(TempTable::new(def, heap, run.ctx.facts.nest_level));
    let inserted = insert_gathered(run, statement, insert);
    run.ctx.session.temp.write().remove(id, false);
    inserted
}

/// `INSERT target SELECT * FROM gathered`
fn insert_gathered(run: &mut BatchRun<'_>, statement: &Statement, insert: &Insert) -> SqlResult<()> {
    let source = InsertSource::Query(Box::new(all_gathered().clone()));
    let insert = Insert { source, ..insert.clone() };
    let key = CodeKey::synthetic(statement, Synthetic::InsertOfGathered);
    // What was called does not run again: where the target has changed meanwhile, this INSERT alone is bound anew.
    let mut done = Ok(());
    for _ in 0..REBINDS_MAX {
        (run.has_begun, run.is_stale) = (false, false);
        done = insert::insert_of(run, statement, key, &insert);
        if !run.is_stale {
            break;
        }
    }
    run.is_stale = false;
    done
}

fn all_gathered() -> &'static Query {
    static QUERY: OnceLock<Query> = OnceLock::new();
    QUERY.get_or_init(|| {
        let text = format!("SELECT * FROM [{GATHERED}]");
        let batch = millpond_tsql::parse_batch(&text, millpond_tsql::ParseOptions { quoted_identifier: true });
        let statement = batch.expect("a constant text").statements.swap_remove(0);
        match statement.kind {
            StatementKind::Select(select) => select.query,
            _ => unreachable!("a constant text"),
        }
    })
}
