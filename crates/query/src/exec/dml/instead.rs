//! Rows of an UPDATE or DELETE that an INSTEAD OF trigger takes: they are found and made as for a change, and nothing is
//! stored. What the trigger does is `exec::routine::trigger`; rows of an INSERT are `exec::dml::store`.
//!
//! What always holds: each row goes into the run's [`Changes`](millpond_rows::changes::Changes), as OUTPUT … INTO sees it;
//! a row of a table is taken as it was read under its lock, a row of a view as its query gave it.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_bind::BoundChange;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_rows::changes::ChangedRow;
use millpond_rows::new_row::RowChanger;
use millpond_rows::row::Verb;
use millpond_rows::unread::Unread;
use millpond_rows::write::Writer;
use millpond_types::Value;

use crate::exec::batch::{BatchRun, scope};
use crate::exec::dml::found;
use crate::exec::dml::output::OutputRows;
use millpond_code::code::ChangeCode;

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
        false => found::found_in_trees(run, ctx, code, current)?,
    };
    let mut changer = RowChanger::new(&bound.def, ctx, Verb::UPDATE, std::iter::once(&bound.change));
    let (mut count, mut assigned) = (0, None);
    let mut taken = Vec::with_capacity(found.len());
    for (locator, mut input) in found {
        ctx.heed_cancel()?;
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
    let passes = found::still_passes(code, ctx, input)?;
    if !passes && !found::holds_reads(ctx, bound.target) {
        writer.release(locator);
    }
    Ok(passes)
}

/// The rows of a view that a statement changes.
fn found_in_view(run: &BatchRun<'_>, ctx: &Arc<RunContext>, code: &ChangeCode) -> SqlResult<Vec<found::Found>> {
    let (limit, percent) = found::most_rows(run, ctx, code)?;
    let mut found = Vec::new();
    if limit > 0 {
        code.runner.run(ctx, &mut |row| {
            found.push((Vec::new(), row.to_vec()));
            Ok(if found.len() as u64 >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
    }
    found::truncate(&mut found, percent)?;
    Ok(found)
}
