//! Rows of a change that an INSTEAD OF trigger takes: they are found and made as for a change, and nothing is stored. What
//! the trigger does is `exec::routine::trigger`.
//!
//! What always holds: each row goes into the run's [`Changes`](millpond_rows::changes::Changes), as OUTPUT … INTO sees it;
//! a row of a table is taken as it was read under its lock, a row of a view as its query gave it.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_bind::{BoundChange, InsertTarget, Taken};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::changes::ChangedRow;
use millpond_rows::new_row::RowChanger;
use millpond_rows::row::{RowMaker, Verb};
use millpond_rows::unread::Unread;
use millpond_rows::write::Writer;
use millpond_types::{SqlType, Value};

use crate::exec::batch::{BatchRun, scope};
use crate::exec::dml::change;
use crate::exec::dml::output::OutputRows;
use crate::kept::code::ChangeCode;

/// Runs a change, all or none: the table is locked for it, where it is one.
pub(in crate::exec) fn changing<T>(
    run: &mut BatchRun<'_>,
    bound: &BoundChange,
    work: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    match bound.instead {
        Some(_) => scope::atomically(run, &bound.def.name, work),
        None => scope::changing(run, &bound.def, work),
    }
}

/// The rows of an UPDATE or DELETE: how many, and the values of variables that the last one sets.
pub(in crate::exec) fn taken_rows(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    code: &ChangeCode,
    current: Option<&Value>,
    output: &mut OutputRows<'_>,
) -> SqlResult<(u64, Option<Vec<Value>>)> {
    let bound = &code.bound;
    let found = match bound.of_view() {
        true => found_in_view(run, ctx, code)?,
        false => change::found_in_trees(run, ctx, code, current)?,
    };
    let mut changer = RowChanger::new(&bound.def, ctx, Verb::UPDATE, std::iter::once(&bound.change));
    let (mut count, mut assigned) = (0, None);
    let mut taken = Vec::with_capacity(found.len());
    for (locator, mut input) in found {
        if ctx.task.is_cancelled() {
            return Err(message::cancelled());
        }
        if !bound.of_view() && !is_read(run, ctx, code, &locator, &mut input)? {
            continue;
        }
        count += 1;
        let old = input[bound.first..bound.locator()].to_vec();
        let made = changer.row(ctx, &bound.change, &input, &old, &mut Unread::default())?;
        let new = match made {
            None => Vec::new(),
            Some((new, values)) => {
                assigned = Some(values);
                new
            }
        };
        output.add(ctx, &new, &old, &input)?;
        taken.push(ChangedRow { old, new });
    }
    if let Some(changes) = &mut run.changes {
        changes.add(taken);
    }
    Ok((count, assigned))
}

/// Reads a row of a table under its lock into its place in the input row; false where it is none of the statement's any
/// more.
fn is_read(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    code: &ChangeCode,
    locator: &[u8],
    input: &mut [Value],
) -> SqlResult<bool> {
    let bound = &code.bound;
    let trees = Arc::clone(ctx.tables[bound.target].rows.trees());
    let (ask, large) = (ctx.ask(bound.target), ctx.ask_lob(bound.target));
    // The table itself: the rows are stored as it says, whatever the trigger's target leaves out.
    let def = Arc::clone(&ctx.tables[bound.target].def);
    let mut writer = Writer::new(&mut run.session.work, ctx, ask, &def, &trees, large);
    writer.no_wait = ctx.tables[bound.target].hint.no_wait;
    let mut old = Vec::with_capacity(bound.def.columns.len());
    if writer.lock_to_change(locator, None, &mut old)?.is_none() {
        return Ok(false);
    }
    input[bound.first..bound.locator()].clone_from_slice(&old);
    let passes = change::still_passes(code, ctx, input)?;
    if !passes && !change::holds_reads(ctx, bound.target) {
        writer.release(locator);
    }
    Ok(passes)
}

/// The rows of a view that a statement changes.
fn found_in_view(run: &BatchRun<'_>, ctx: &Arc<RunContext>, code: &ChangeCode) -> SqlResult<Vec<change::Found>> {
    let (limit, percent) = change::most_rows(run, ctx, code)?;
    let mut found = Vec::new();
    if limit > 0 {
        code.runner.run(ctx, &mut |row| {
            found.push((Vec::new(), row.to_vec()));
            Ok(if found.len() as u64 >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
    }
    change::truncate(&mut found, percent)?;
    Ok(found)
}

/// The rows of an INSERT: how many.
///
/// # Errors
/// 233 for NULL in a column of a view that does not take it; those of making rows.
pub(in crate::exec) fn taken_new_rows(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    (target, taken): (&InsertTarget, &Taken),
    sources: &[Vec<Value>],
    types: &[SqlType],
    on_row: &mut dyn FnMut(&[Value]) -> SqlResult<()>,
) -> SqlResult<(u64, Option<i64>)> {
    let def = &target.def;
    let mut maker = RowMaker::new(ctx, target);
    let mut rows = Vec::with_capacity(sources.len());
    for source in sources {
        if ctx.task.is_cancelled() {
            return Err(message::cancelled());
        }
        let mut row = Vec::with_capacity(def.columns.len());
        maker.make(|column| Ok((source[column].clone(), &types[column])), &mut row)?;
        if let Some(place) = taken.required.iter().find(|place| row[**place].is_null()) {
            return Err(SqlError::of(233, 1, &[&def.columns[*place].name, &def.name]));
        }
        on_row(&row)?;
        rows.push(row);
    }
    let count = rows.len() as u64;
    if let Some(changes) = &mut run.changes {
        changes.inserted.append(&mut rows);
    }
    Ok((count, None))
}
