//! UPDATE and DELETE. The rows are found first and changed after, so that a statement never meets its own changes.
//!
//! ```text
//!   find: locator and what FROM gives ──▶ lock, read as it is now, ask the predicate again ──▶ change ──▶ references
//! ```
//! C1: a row of a table in trees is changed only as it was read under its lock. C2: where keys change, all rows leave
//! their places before any takes its new one.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_access::{ROW_BYTES_MAX, Rid};
use millpond_bind::{BoundChange, Change, row_predicates};
use millpond_builtin::eval::needs_plan;
use millpond_catalog::TableStorage;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{QueryHints, Rel};
use millpond_catalog::run::Run;
use millpond_code::code::ChangeCode;
use millpond_code::code_key::CodeKey;
use millpond_direct::runner::Runner;
use millpond_engine::context::RunContext;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_rows::changes::{ChangedRow, Event, moves};
use millpond_rows::heap_row;
use millpond_rows::new_row::{RowChanger, read_from_row, set_and_read, take_planned};
use millpond_rows::new_values::NewValues;
use millpond_rows::row::{Asked, Verb, check_change, check_stored_row};
use millpond_rows::unread::{Unread, read_columns};
use millpond_rows::write::Writer;
use millpond_tsql::ast::{CursorName, Delete, Statement, Update};
use millpond_txn::heap_rows;
use millpond_types::Value;

use crate::exec::batch::account::statistics;
use crate::exec::batch::{BatchRun, COMMAND_DELETE, COMMAND_UPDATE, scalar, transaction};
use crate::exec::dml::found::{found_in_trees, holds_reads, most_rows, still_passes, truncate};
use crate::exec::dml::output::OutputRows;
use crate::exec::dml::{instead, output, references, views};
use crate::exec::routine::cursor;
use crate::exec::routine::trigger::fire;

pub(in crate::exec) fn update(run: &mut BatchRun<'_>, statement: &Statement, update: &Update) -> SqlResult<()> {
    let code = code_of_update(run, statement, update)?;
    let set = update.set.iter().filter_map(|set| set.column.as_ref()?.parts.last().cloned()).collect();
    if let Some(rows) = change(run, &code, update.current_of.as_ref().map(|cursor| (cursor, set)))? {
        run.done_rows(rows, COMMAND_UPDATE);
    }
    Ok(())
}

pub(in crate::exec) fn delete(run: &mut BatchRun<'_>, statement: &Statement, delete: &Delete) -> SqlResult<()> {
    let code = code_of_delete(run, statement, delete)?;
    let current = delete.current_of.as_ref().map(|cursor| (cursor, Vec::new()));
    if let Some(rows) = change(run, &code, current)? {
        run.done_rows(rows, COMMAND_DELETE);
    }
    Ok(())
}

pub(in crate::exec) fn code_of_update(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    update: &Update,
) -> SqlResult<Arc<ChangeCode>> {
    run.bound(statement, CodeKey::of(statement), |binder, ctx| change_code(binder.update(update)?, ctx, &binder.hints))
}

pub(in crate::exec) fn code_of_delete(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    delete: &Delete,
) -> SqlResult<Arc<ChangeCode>> {
    run.bound(statement, CodeKey::of(statement), |binder, ctx| change_code(binder.delete(delete)?, ctx, &binder.hints))
}

/// `current`: the row that a cursor stands on alone, with the columns that are set. The count of rows; none when the
/// batch has ended in a trigger.
pub(in crate::exec) fn change(
    run: &mut BatchRun<'_>,
    code: &ChangeCode,
    current: Option<(&CursorName, Vec<String>)>,
) -> SqlResult<Option<u64>> {
    let target = code.bound.target;
    if current.is_some() && code.bound.of_view() {
        return Err(message::missing("WHERE CURRENT OF for a view with INSTEAD OF triggers"));
    }
    let cursor_name = current.as_ref().map(|(name, _)| *name);
    let current =
        current.map(|(name, set)| cursor::current_row(run, name, &run.ctx.tables[target], &set)).transpose()?;
    let (current, stamp) = current.unzip();
    run.stamp = stamp.flatten();
    run.ctx_mut().begin_statement();
    transaction::implicit_begin(run);
    let watch = statistics::watch(run);
    let bound = &code.bound;
    let mut output = OutputRows::new(&bound.output);
    let (event, columns) = match &bound.change {
        Change::Update { columns, .. } => (Event::Update, &columns[..]),
        Change::Delete => (Event::Delete, &[][..]),
    };
    let instead = bound.instead.is_some();
    let fired = fire::Change { def: &bound.def, events: &[event], columns, output: &bound.output, instead };
    let changed = fire::with_triggers(run, &fired, |run| changed_rows(run, code, current.as_ref(), &mut output))?;
    let Some((count, assigned)) = changed else { return Ok(None) };
    output::send_output(run, &output)?;
    if let Some(values) = assigned {
        assign_changed(run, &bound.change, values)?;
    }
    if let Some(name) = cursor_name.filter(|_| event == Event::Update) {
        cursor::changed_through(run, name)?;
    }
    statistics::send_statistics(run, watch);
    Ok(Some(output.taken().unwrap_or(count)))
}

/// Finds and changes the rows, all or none.
fn changed_rows(
    run: &mut BatchRun<'_>,
    code: &ChangeCode,
    current: Option<&Value>,
    output: &mut OutputRows<'_>,
) -> SqlResult<(u64, Option<Vec<Value>>)> {
    instead::changing(run, &code.bound, |run| {
        let ctx = Arc::clone(&run.ctx);
        let changed = match code.bound.def.storage {
            _ if code.bound.instead.is_some() => instead::taken_rows(run, &ctx, code, current, output)?,
            TableStorage::TempHeap => change_heap(run, &ctx, code, current, output)?,
            TableStorage::Trees => change_trees(run, &ctx, code, current, output)?,
        };
        if changed.0 == 0 && current.is_some() {
            return Err(SqlError::of(16_947, 1, &[]));
        }
        output::output_into(run, &ctx, output)?;
        Ok(changed)
    })
}

/// The variables of an UPDATE get the values of the last row.
pub(in crate::exec) fn assign_changed(run: &mut BatchRun<'_>, change: &Change, values: Vec<Value>) -> SqlResult<()> {
    let Change::Update { assign, .. } = change else { return Ok(()) };
    for (item, value) in assign.iter().zip(values) {
        let value = scalar::fitting(run, item.slot, value)?;
        run.ctx_mut().variables[item.slot] = value;
    }
    Ok(())
}

/// Rows of a heap of tempdb, which no other session can see.
fn change_heap(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    code: &ChangeCode,
    current: Option<&Value>,
    output: &mut OutputRows<'_>,
) -> SqlResult<(u64, Option<Vec<Value>>)> {
    let bound = &code.bound;
    let (first, locator) = (bound.first, bound.locator());
    let (limit, percent) = most_rows(run, ctx, code)?;
    let mut found: Vec<Vec<Value>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut find = |row: &[Value]| {
        // An outer join gives rows of the other table without one of the target; a row that it gives twice is
        // changed once.
        if let Value::BigInt(rid) = row[locator]
            && current.is_none_or(|current| *current == row[locator])
            && seen.insert(rid)
        {
            found.push(row.to_vec());
        }
        Ok(if found.len() as u64 >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    if limit > 0 {
        code.runner.run(ctx, &mut find)?;
    }
    truncate(&mut found, percent)?;
    let ask = ctx.ask(bound.target);
    let heap = ctx.tables[bound.target].rows.heap();
    let place = Place { schema: "", object: &bound.def.name, database: "tempdb" };
    let large = heap_row::large_of(&bound.def, heap, ctx.ask_lob(bound.target), ctx.watch());
    let (mut record, mut assigned) = (Vec::new(), None);
    let mut changer = RowChanger::new(&bound.def, ctx, Verb::UPDATE, std::iter::once(&bound.change));
    let count = found.len() as u64;
    let watched = NewValues::of_rows(&bound.def, &ctx.tables[bound.target].rows);
    for mut input in found {
        ctx.heed_cancel()?;
        let Value::BigInt(rid) = input[locator] else { unreachable!("taken above") };
        let rid = Rid::from_u64(rid as u64);
        let mut unread = match &code.reads {
            None => Unread::default(),
            Some(reads) => heap_row::read_to_change(&ask, heap, &large, rid, reads, &mut input[first..locator])?,
        };
        let old = &input[first..locator];
        let made = changer.row(ctx, &bound.change, &input, old, &mut unread)?;
        if let Some((new, _)) = &made {
            check_change(bound.check.as_ref(), first, new, &input, ctx)?;
        }
        match made {
            None => {
                let gone = heap_row::old_values(&ask, heap, &large, rid, old)?;
                heap_rows::delete(&mut run.session.work, &ask, heap, rid)
                    .map_err(|error| message::of_txn(error, place))?;
                large.let_go(&mut run.session.work, &gone.pointers)?;
                output.add(ctx, &[], old, &input)?;
            }
            Some((new, values)) => {
                record.clear();
                let mut before = heap_row::old_values(&ask, heap, &large, rid, old)?;
                unread.settle(&large, &mut run.session.work, &mut before)?;
                large.append_record(&mut run.session.work, &new, Some(&mut before), ROW_BYTES_MAX, &mut record)?;
                heap_rows::update(&mut run.session.work, &ask, heap, rid, &record)
                    .map_err(|error| message::of_txn(error, place))?;
                large.let_go_of(&mut run.session.work, before)?;
                watched.count(old, &new);
                output.add(ctx, &new, old, &input)?;
                assigned = Some(values);
            }
        }
    }
    Ok((count, assigned))
}

/// Rows of a table in trees.
fn change_trees(
    run: &mut BatchRun<'_>,
    ctx: &Arc<RunContext>,
    code: &ChangeCode,
    current: Option<&Value>,
    output: &mut OutputRows<'_>,
) -> SqlResult<(u64, Option<Vec<Value>>)> {
    let bound = &code.bound;
    let def = &bound.def;
    let found = found_in_trees(run, ctx, code, current)?;
    let trees = Arc::clone(ctx.tables[bound.target].rows.trees());
    let ask = ctx.ask(bound.target);
    let moves = matches!(&bound.change, Change::Update { columns, .. } if moves(def, columns));
    let watched = run.changes.is_some();
    let is_viewed = !def.views.is_empty();
    let keeps = moves || watched || is_viewed || references::has_references(run, def)?;
    let holds_reads = holds_reads(ctx, bound.target);
    // A row that moves is written as a whole, and triggers and views see all of it.
    let reads = code.reads.as_deref().filter(|_| !moves && !watched && !is_viewed);
    let no_wait = ctx.tables[bound.target].hint.no_wait;
    let stamp = run.stamp.take();
    let mut changed: Vec<ChangedRow> = Vec::new();
    let (mut count, mut assigned) = (0, None);
    let mut changer = RowChanger::new(def, ctx, Verb::UPDATE, std::iter::once(&bound.change));
    let mut old = Vec::with_capacity(def.columns.len());
    for (locator, mut input) in found {
        ctx.heed_cancel()?;
        let mut writer = Writer::new(&mut run.session.work, ctx, ask, def, &trees, ctx.ask_lob(bound.target));
        writer.no_wait = no_wait;
        let Some(mut unread) = writer.lock_to_change(&locator, reads, &mut old)? else { continue };
        if stamp.is_some_and(|stamp| stamp != writer.stamp()) {
            return Err(SqlError::of(16_934, 1, &[]));
        }
        input[bound.first..bound.first + old.len()].clone_from_slice(&old);
        if !still_passes(code, ctx, &input)? {
            if !holds_reads {
                writer.release(&locator);
            }
            continue;
        }
        count += 1;
        let made = changer.row(ctx, &bound.change, &input, &old, &mut unread)?;
        if let Some((new, _)) = &made {
            check_change(bound.check.as_ref(), bound.first, new, &input, ctx)?;
        }
        match made {
            None => {
                writer.delete(&locator, &old)?;
                output.add(ctx, &[], &old, &input)?;
                if keeps {
                    changed.push(ChangedRow { old: std::mem::take(&mut old), new: Vec::new() });
                }
            }
            Some((new, values)) => {
                if moves {
                    writer.delete(&locator, &old)?;
                } else {
                    writer.update(&locator, &old, &new, &unread)?;
                    check_stored_row(def, &new, Asked::of(&bound.change), ctx, Verb::UPDATE)?;
                }
                output.add(ctx, &new, &old, &input)?;
                assigned = Some(values);
                if keeps {
                    changed.push(ChangedRow { old: std::mem::take(&mut old), new });
                }
            }
        }
    }
    if moves {
        let mut writer = Writer::new(&mut run.session.work, ctx, ask, def, &trees, ctx.ask_lob(bound.target));
        for row in &changed {
            writer.insert(&row.new)?;
        }
        for row in &changed {
            check_stored_row(def, &row.new, Asked::of(&bound.change), ctx, Verb::UPDATE)?;
        }
    }
    views::follow_rows(run, ctx, def, &changed)?;
    if keeps {
        references::keep_references(run, ctx, bound, &changed)?;
    }
    if let Some(changes) = &mut run.changes {
        changes.add(changed);
    }
    Ok((count, assigned))
}

pub(in crate::exec) fn change_code(
    mut bound: BoundChange,
    ctx: &RunContext,
    hints: &QueryHints,
) -> SqlResult<Arc<ChangeCode>> {
    let mut predicates = row_predicates(&bound.input, 0);
    if let Some(view) = &bound.view {
        predicates = predicates.into_iter().map(|one| view.over_base(one, bound.first, 0)).collect();
        predicates.extend(view.predicates(bound.first));
    }
    predicates.retain(|predicate| !needs_plan(predicate));
    // What each row draws anew is asked once, where the rows are found.
    let all = predicates.len();
    predicates.retain(|predicate| !predicate.is_volatile());
    let is_random = predicates.len() < all;
    let width = bound.input.types().len();
    let slots = set_and_read(std::iter::once(&bound.change));
    let computed = planned_values(&mut bound, &slots, width)?;
    read_from_row(&mut bound.change, &slots, width + computed.len());
    let is_alone = computed.is_empty() && bound.input.reads_one_table();
    // What a trigger takes is seen as a whole.
    let reads = if bound.instead.is_some() { None } else { read_columns(&bound, &predicates) };
    let wanted = wanted(&bound, &predicates, reads.is_none(), width);
    // What is not asked for is not read: NULL stands in its place.
    let exprs = bound
        .input
        .types()
        .into_iter()
        .enumerate()
        .map(|(index, ty)| {
            if wanted[index] {
                BoundExpr::column(index, ty)
            } else {
                BoundExpr { kind: Kind::Literal(Value::Null), ty }
            }
        })
        .chain(computed)
        .collect::<Vec<BoundExpr>>();
    let width = exprs.len();
    let rel = Rel::Project { input: Box::new(bound.input.clone()), exprs };
    // Which row comes after which is settled by one thread.
    let sets = matches!(&bound.change, Change::Update { assign, .. } if !assign.is_empty());
    let runner = Runner::new(rel, ctx).with_hints(&hints.on_one_thread(sets));
    Ok(Arc::new(ChangeCode { bound, runner, predicates, is_random, width, is_alone, reads }))
}

/// Values with subqueries are computed where the rows are found; columns after the input row's take their places.
fn planned_values(bound: &mut BoundChange, slots: &[usize], width: usize) -> SqlResult<Vec<BoundExpr>> {
    let mut computed = Vec::new();
    if let Change::Update { values, assign, .. } = &mut bound.change {
        for value in values.iter_mut().chain(assign.iter_mut().map(|item| &mut item.value)) {
            take_planned(value, slots, width, &mut computed)?;
        }
    }
    Ok(computed)
}

/// Columns of the input row that the finding of rows must give: the locator, and those of other tables that are read
/// later; of a heap the target's own too, unless they are read again.
fn wanted(bound: &BoundChange, predicates: &[BoundExpr], keeps_own: bool, width: usize) -> Vec<bool> {
    let own = bound.first..bound.locator();
    let mut wanted = vec![false; width];
    wanted[bound.locator()] = true;
    if bound.def.storage == TableStorage::TempHeap && keeps_own {
        wanted[own.clone()].fill(true);
    }
    let mut mark = |expr: &BoundExpr, shift: usize| {
        expr.visit(&mut |node| {
            if let Kind::Column(column) = node.kind
                && let Some(column) = column.checked_sub(shift)
                && column < width
                && !own.contains(&column)
            {
                wanted[column] = true;
            }
        });
    };
    predicates.iter().for_each(|predicate| mark(predicate, 0));
    if let Change::Update { values, assign, .. } = &bound.change {
        let set = assign.iter().filter(|item| item.column.is_none()).map(|item| &item.value);
        values.iter().chain(set).for_each(|value| mark(value, 0));
    }
    bound.check.iter().filter(|check| check.reads_others).for_each(|check| mark(&check.condition, 0));
    let shift = 2 * bound.def.columns.len();
    bound.output.iter().flat_map(|output| &output.items).for_each(|item| mark(item, shift));
    wanted
}
