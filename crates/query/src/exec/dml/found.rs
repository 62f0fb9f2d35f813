//! The rows that an UPDATE or DELETE is about: found as they are committed now, before any of them is locked. Each is asked
//! again when it is (`exec::dml::change`).

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_builtin::eval::{Rows, eval, is_true};
use millpond_direct::{percent_of, top_count};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_seek::Keys;
use millpond_txn::Isolation;
use millpond_types::Value;

use crate::exec::batch::{BatchRun, scalar};
use millpond_code::code::ChangeCode;

/// Where a row is, and the input row's columns that are not the target's.
pub(in crate::exec) type Found = (Vec<u8>, Vec<Value>);

/// Where the rows are; that of a cursor is known.
pub(in crate::exec) fn found_in_trees(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    code: &ChangeCode,
    current: Option<&Value>,
) -> SqlResult<Vec<Found>> {
    match current {
        Some(Value::Binary(key)) if code.is_alone => Ok(vec![(key.to_vec(), vec![Value::Null; code.width])]),
        Some(Value::Binary(key)) => find_in_trees(run, ctx, code, Some(key)),
        Some(_) => Ok(Vec::new()),
        None => find_in_trees(run, ctx, code, None),
    }
}

/// Where the rows are, or the one of them that a cursor stands on. The row of one key needs no look before it is
/// locked.
fn find_in_trees(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    code: &ChangeCode,
    current: Option<&[u8]>,
) -> SqlResult<Vec<Found>> {
    let bound = &code.bound;
    let width = code.width;
    if current.is_none()
            && let Some(step) = code.runner.direct().and_then(|direct| direct.single_table())
            && step.def.indexes[step.access.index].holds_rows()
            && !code.is_random
            // A key that is not there is kept out of the table by the lock of its gap, which reading takes.
            && level_of(ctx, bound.target) != Isolation::Serializable
            && let Keys::Key(key) = step.access.keys(&step.def, ctx, &[])?
    {
        ctx.note_seek(bound.target, step.access.index);
        return Ok(vec![(key, vec![Value::Null; width])]);
    }
    let (limit, percent) = most_rows(run, ctx, code)?;
    if limit == 0 {
        return Ok(Vec::new());
    }
    let locator = bound.locator();
    let own = bound.first..locator + 1;
    let mut seen = std::collections::HashSet::new();
    let mut found = Vec::new();
    code.runner.run(ctx, &mut |row| {
        if let Value::Binary(key) = &row[locator]
            && current.is_none_or(|current| current == &key[..])
            && seen.insert(key.to_vec())
        {
            let mut kept = row.to_vec();
            kept[own.clone()].fill(Value::Null);
            found.push((key.to_vec(), kept));
        }
        Ok(if found.len() as u64 >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    truncate(&mut found, percent)?;
    Ok(found)
}

/// How many rows are changed at most, by SET ROWCOUNT and by a TOP that counts rows of the target, and the percentage
/// of such a TOP.
pub(in crate::exec) fn most_rows(
    run: &BatchRun<'_>,
    ctx: &RunContext,
    code: &ChangeCode,
) -> SqlResult<(u64, Option<Value>)> {
    let limit = scalar::row_limit(run);
    let Some((count, is_percent)) = &code.bound.top else { return Ok((limit, None)) };
    let value = eval(count, ctx, Rows::NONE)?;
    Ok(if *is_percent { (limit, Some(value)) } else { (limit.min(top_count(&value)?), None) })
}

/// The first rows of TOP … PERCENT.
pub(in crate::exec) fn truncate<T>(found: &mut Vec<T>, percent: Option<Value>) -> SqlResult<()> {
    if let Some(percent) = percent {
        found.truncate(percent_of(&percent, found.len())?);
    }
    Ok(())
}

/// The isolation level at which a statement reads one of its tables in trees.
fn level_of(ctx: &RunContext, binding: usize) -> Isolation {
    let level = || ctx.reader.as_ref().map_or(Isolation::ReadCommitted, |reader| reader.isolation());
    ctx.tables[binding].hint.isolation.unwrap_or_else(level)
}

/// Whether a row that a statement has read stays locked, changed or not.
pub(in crate::exec) fn holds_reads(ctx: &RunContext, binding: usize) -> bool {
    matches!(level_of(ctx, binding), Isolation::RepeatableRead | Isolation::Serializable)
}

pub(in crate::exec) fn still_passes(code: &ChangeCode, ctx: &RunContext, input: &[Value]) -> SqlResult<bool> {
    for predicate in &code.predicates {
        if !is_true(predicate, ctx, Rows::of(input))? {
            return Ok(false);
        }
    }
    Ok(true)
}
