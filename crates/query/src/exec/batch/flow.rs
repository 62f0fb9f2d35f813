//! Control flow: lists of statements, loops, TRY … CATCH, and GOTO, which may leave blocks and enter them.
//!
//! ```text
//!   GOTO a ─▶ Flow::Goto goes up, list by list, until one contains the label a: there the run goes on, down into the
//!             block, branch or loop that holds the label. The parser has seen that it is there, and not
//!             inside of a TRY or CATCH block that does not hold the GOTO (133, 1026).
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use millpond_catalog::{name_key, names_equal};
use millpond_engine::event_session::sites;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{Expr, Statement, StatementKind};

use crate::exec::batch::{BatchRun, Flow, mark, scalar, to_message};

/// Statements in order.
pub(in crate::exec) fn list(run: &mut BatchRun<'_>, statements: &[Statement]) -> SqlResult<Flow> {
    list_from(run, statements, 0)
}

fn list_from(run: &mut BatchRun<'_>, statements: &[Statement], first: usize) -> SqlResult<Flow> {
    let mut index = first;
    let mut enters = false;
    while let Some(statement) = statements.get(index) {
        let flow = if std::mem::take(&mut enters) { enter(run, statement)? } else { run.statement(statement)? };
        match flow {
            Flow::Next => index += 1,
            Flow::Goto => match label_place(run, statements) {
                Some(target) => (index, enters) = (target, true),
                None => return Ok(Flow::Goto),
            },
            ended => return Ok(ended),
        }
        if run.ctx.task.is_cancelled() {
            return Ok(run.ended_by_cancellation());
        }
    }
    Ok(Flow::Next)
}

/// Goes on at the label that `statement` is or holds.
fn enter(run: &mut BatchRun<'_>, statement: &Statement) -> SqlResult<Flow> {
    match &statement.kind {
        StatementKind::Block(statements) => {
            let first = label_place(run, statements).expect("the block holds the label");
            match enter(run, &statements[first])? {
                Flow::Next => list_from(run, statements, first + 1),
                flow => Ok(flow),
            }
        }
        StatementKind::If { then, otherwise, .. } => match otherwise {
            Some(otherwise) if holds_label(run, otherwise) => enter(run, otherwise),
            _ => enter(run, then),
        },
        StatementKind::While { condition, body } => match enter(run, body)? {
            Flow::Next | Flow::Continue => while_loop(run, statement, condition, body),
            Flow::Break => Ok(Flow::Next),
            flow => Ok(flow),
        },
        _ => Ok(Flow::Next),
    }
}

/// The statement of a list that is or holds the label; what labels a list has is found out once.
fn label_place(run: &mut BatchRun<'_>, statements: &[Statement]) -> Option<usize> {
    let list = run.labels.entry(statements.as_ptr() as usize).or_insert_with(|| labels_of(statements));
    list.get(&name_key(&run.label)).copied()
}

/// Whether GOTO can go to the label from outside of the statement.
fn holds_label(run: &mut BatchRun<'_>, statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Label(name) => names_equal(name, &run.label),
        StatementKind::Block(statements) => label_place(run, statements).is_some(),
        StatementKind::If { then, otherwise, .. } => {
            holds_label(run, then) || otherwise.as_ref().is_some_and(|otherwise| holds_label(run, otherwise))
        }
        StatementKind::While { body, .. } => holds_label(run, body),
        _ => false,
    }
}

/// GOTO; that the label is there and may be entered, the parser has seen to.
pub(in crate::exec) fn goto(run: &mut BatchRun<'_>, label: &str) -> Flow {
    label.clone_into(&mut run.label);
    Flow::Goto
}

pub(in crate::exec) fn while_loop(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    condition: &Expr,
    body: &Statement,
) -> SqlResult<Flow> {
    while {
        mark::condition(run, statement, body);
        scalar::condition(run, statement, condition)?
    } {
        match run.statement(body)? {
            Flow::Next | Flow::Continue => {}
            Flow::Break => break,
            ended @ (Flow::Return | Flow::Abort | Flow::Goto) => return Ok(ended),
        }
        if run.ctx.task.is_cancelled() {
            return Ok(run.ended_by_cancellation());
        }
        // Nothing runs any more that could end the loop.
        if run.ctx.facts.settings.runs_nothing() {
            break;
        }
    }
    Ok(Flow::Next)
}

pub(in crate::exec) fn try_catch(run: &mut BatchRun<'_>, body: &[Statement], handler: &[Statement]) -> SqlResult<Flow> {
    run.try_depth += 1;
    let tried = list(run, body);
    run.try_depth -= 1;
    let error = match tried {
        Ok(flow) => return Ok(flow),
        Err(error) if error.is_of_binding => return Err(error),
        Err(error) => error,
    };
    let facts = &mut run.ctx_mut().facts;
    if (facts.settings.xact_abort || message::rolls_back(&error)) && facts.tran_count > 0 {
        facts.doomed = true;
    }
    facts.error = error.number;
    facts.row_count = 0;
    sites::reported(&run.ctx.engine, &run.ctx.session, &error, true);
    let facts = &mut run.ctx_mut().facts;
    let outer = facts.caught.replace(Arc::new(to_message(&error, 1)));
    let flow = list(run, handler);
    run.ctx_mut().facts.caught = outer;
    flow
}

/// Of a list of statements the label of each that GOTO can go to from outside of it, to the statement that is or holds it.
fn labels_of(statements: &[Statement]) -> HashMap<Vec<u8>, usize> {
    let mut labels = HashMap::new();
    for (place, statement) in statements.iter().enumerate() {
        each_label(statement, &mut |label| {
            labels.entry(name_key(label)).or_insert(place);
        });
    }
    labels
}

fn each_label(statement: &Statement, see: &mut dyn FnMut(&str)) {
    match &statement.kind {
        StatementKind::Label(name) => see(name),
        StatementKind::Block(statements) => statements.iter().for_each(|statement| each_label(statement, see)),
        StatementKind::If { then, otherwise, .. } => {
            each_label(then, see);
            if let Some(otherwise) = otherwise {
                each_label(otherwise, see);
            }
        }
        StatementKind::While { body, .. } => each_label(body, see),
        _ => {}
    }
}
