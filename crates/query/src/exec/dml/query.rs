//! SELECT: to the client, into variables, into a new table.

use std::ops::ControlFlow;
use std::sync::Arc;

use millpond_bind::{Binder, BoundQuery, source_of, table_of};
use millpond_builtin::eval::{Rows, eval};
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::{QueryHints, Rel};
use millpond_catalog::run::Run;
use millpond_catalog::{TableDef, TableName, is_local_temporary};
use millpond_code::code::QueryCode;
use millpond_code::code_key::CodeKey;
use millpond_code::cursor_model::Model;
use millpond_direct::runner::Runner;
use millpond_engine::context::RunContext;
use millpond_engine::settled;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Column;
use millpond_message::text_size::TextSize;
use millpond_rows::fill::FilledHeap;
use millpond_rows::inherited::{Outermost, inherited};
use millpond_rows::new_row::{reads, take_planned};
use millpond_tsql::ast::{ForFormat, Query, SelectStatement, Statement};
use millpond_types::Value;

use crate::exec::batch::account::statistics;
use crate::exec::batch::result_sets::refused;
use crate::exec::batch::{
    BatchRun, COMMAND_SELECT, COMMAND_SELECT_INTO, append, scalar, scope, temp_table, transaction,
};
use crate::exec::ddl::{objects, table};
use crate::exec::dml::store;
use millpond_rights::new_object::NewObject;

pub(in crate::exec) fn select(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    select: &SelectStatement,
) -> SqlResult<()> {
    let query = &*select_code(run, statement, select)?;
    run.ctx_mut().begin_statement();
    if let Some(def) = &query.into {
        return select_into(run, query, def);
    }
    if !query.assign.is_empty() || !query.then.is_empty() {
        return select_assign(run, query);
    }
    let watch = statistics::watch(run);
    let rows = send_rows(run, query)?;
    statistics::send_statistics(run, watch);
    run.done_rows(rows, COMMAND_SELECT);
    Ok(())
}

pub(in crate::exec) fn select_code(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    select: &SelectStatement,
) -> SqlResult<Arc<QueryCode>> {
    run.bound(statement, CodeKey::of(statement), |binder, ctx| Ok(Arc::new(bind_query(binder, ctx, &select.query)?)))
}

fn send_rows(run: &mut BatchRun<'_>, query: &QueryCode) -> SqlResult<u64> {
    transaction::implicit_read(run);
    let limit = scalar::row_limit(run);
    scope::reading(run, |run| {
        // Not before the definitions are known to be those that the statement was bound to.
        let ready = query.runner.ready(&run.ctx)?;
        run.sink.columns(&query.columns).map_err(|gone| refused(run.sink, gone))?;
        let mut rows = 0;
        let (ctx, sink) = (&run.ctx, &mut *run.sink);
        let mut text_size = TextSize::of(ctx.facts.settings.textsize, &query.columns);
        ready.run(ctx, &mut |row| {
            let row = text_size.as_mut().map_or(row, |text_size| text_size.cut(row));
            sink.row(row).map_err(|gone| refused(sink, gone))?;
            rows += 1;
            Ok(if rows >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(ctx.notes().take_written_rows().unwrap_or(rows))
    })
}

/// The last row's values stay in the variables; an expression that reads them sees those of the row before.
fn select_assign(run: &mut BatchRun<'_>, query: &QueryCode) -> SqlResult<()> {
    let watch = statistics::watch(run);
    let mut rows: Vec<Vec<Value>> = Vec::new();
    let slots: Vec<usize> = query.assign.iter().map(|(slot, _)| *slot).collect();
    let reads_targets = query.assign.iter().any(|(_, expr)| reads(expr, &slots));
    let limit = scalar::row_limit(run);
    let mut count = 0u64;
    transaction::implicit_read(run);
    scope::reading(run, |run| {
        query.runner.run(&run.ctx, &mut |row| {
            if !reads_targets {
                rows.clear();
            }
            row.iter().try_for_each(|value| run.ctx.charge(value))?;
            rows.push(row.to_vec());
            count += 1;
            Ok(if count >= limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    })?;
    let appends: Vec<Vec<BoundExpr>> = match reads_targets {
        true => query.assign.iter().map(|(slot, expr)| append::appended(expr, *slot)).collect(),
        false => Vec::new(),
    };
    for row in &rows {
        for (at, (slot, expr)) in query.assign.iter().enumerate() {
            if let Some(parts) = appends.get(at).filter(|parts| !parts.is_empty()) {
                append::append_of_row(run, (*slot, expr), parts, row)?;
                continue;
            }
            let value = eval(expr, &*run.ctx, Rows::of(row))?;
            let value = scalar::fitting(run, *slot, value)?;
            run.ctx_mut().variables[*slot] = value;
        }
    }
    for (slot, runner) in &query.then {
        let value = only_value(run, runner)?;
        let value = scalar::fitting(run, *slot, value)?;
        run.ctx_mut().variables[*slot] = value;
    }
    statistics::send_statistics(run, watch);
    run.done_quietly(count);
    Ok(())
}

/// The value of a plan of one row.
fn only_value(run: &mut BatchRun<'_>, runner: &Runner) -> SqlResult<Value> {
    let mut value = Value::Null;
    scope::reading(run, |run| {
        runner.run(&run.ctx, &mut |row| {
            value = row[0].clone();
            Ok(ControlFlow::Continue(()))
        })
    })?;
    Ok(value)
}

fn select_into(run: &mut BatchRun<'_>, query: &QueryCode, def: &Arc<TableDef>) -> SqlResult<()> {
    if !def.is_temporary() {
        return select_into_stored(run, query, def);
    }
    if run.ctx.session.temp.read().is_taken(&def.name, run.ctx.facts.nest_level) {
        return Err(message::object_exists(&def.name));
    }
    let watch = statistics::watch(run);
    transaction::implicit_begin(run);
    let limit = scalar::row_limit(run);
    let outermost = query.inherited.map(|column| Outermost::new(def, column));
    let rows = scope::atomically(run, &def.name, |run| {
        let heap = temp_table::new_table(run, def)?;
        let rows = store::bulk_rows(run, &query.runner, def, &heap, limit, outermost.as_ref())?;
        let numbered = numbered(def, rows, outermost.as_ref());
        let level = run.ctx.facts.nest_level;
        if let (Some((_, next)), Some(table)) = (numbered, run.ctx.session.temp.read().find(&def.name, level)) {
            table.identity.store(next, std::sync::atomic::Ordering::Relaxed);
        }
        Ok(rows)
    })?;
    if let Some((last, _)) = numbered(def, rows, outermost.as_ref()) {
        store::remember_identity(run, def, last);
    }
    statistics::send_statistics(run, watch);
    run.done_rows(rows, COMMAND_SELECT_INTO);
    Ok(())
}

/// SELECT … INTO a table of a database: a heap of the query's columns.
fn select_into_stored(run: &mut BatchRun<'_>, query: &QueryCode, shape: &Arc<TableDef>) -> SqlResult<()> {
    let watch = statistics::watch(run);
    transaction::implicit_begin(run);
    let limit = scalar::row_limit(run);
    let name = query.into_name.clone().expect("a table of a database has its whole name");
    let outermost = query.inherited.map(|column| Outermost::new(shape, column));
    let rows = scope::atomically(run, &shape.name, |run| {
        let ctx = Arc::clone(&run.ctx);
        let home = objects::home_of(run, &name, NewObject::Table)?;
        let table_name = TableName {
            database: home.dictionary.database(),
            database_name: Arc::clone(home.dictionary.name()),
            schema: home.schema.clone(),
            name: shape.name.clone(),
        };
        let columns = shape.columns.clone();
        let indexes = vec![millpond_bind::heap_index(&columns)];
        let id = home.dictionary.catalog().next_object_id();
        let def = TableDef::assemble(id, table_name, columns, Vec::new(), Vec::new(), indexes);
        table::put_new_table(run, &home.dictionary, def)?;
        let objects = home.dictionary.catalog().objects();
        let (def, trees) = objects.table(id).ok_or_else(|| message::invalid_object(&shape.name))?;
        let filled = FilledHeap { def, trees, binding: None, outermost: outermost.as_ref() };
        let rows = filled.fill(&ctx, &mut run.session.work, &query.runner, limit)?;
        if let Some((Some(last), _)) = numbered(def, rows, outermost.as_ref()) {
            let dictionary = Arc::clone(&home.dictionary);
            run.ctx.engine.databases().on_own_account(|io| dictionary.reserve_identity(io, id, last))?;
            let mut counter = trees.counters.identity.lock();
            counter.last = Some(last);
            counter.reserved = Some(last);
        }
        Ok(rows)
    })?;
    if let Some((last, _)) = numbered(shape, rows, outermost.as_ref()) {
        store::remember_identity(run, shape, last);
    }
    statistics::send_statistics(run, watch);
    run.done_rows(rows, COMMAND_SELECT_INTO);
    Ok(())
}

/// The last and the next identity value of a new table of so many rows, `outermost` for a column that is taken over; `None`
/// when it has no such column.
fn numbered(def: &TableDef, rows: u64, outermost: Option<&Arc<Outermost>>) -> Option<(Option<i64>, i64)> {
    let (seed, increment) = def.columns.iter().find_map(|column| column.identity)?;
    if let Some(outermost) = outermost {
        let last = outermost.value();
        return Some((last, last.map_or(seed, |last| last.saturating_add(increment))));
    }
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    let next = seed.saturating_add(increment.saturating_mul(rows));
    Some(((rows > 0).then(|| next.saturating_sub(increment)), next))
}

/// The code of a query.
pub(in crate::exec) fn bind_query(binder: &mut Binder<'_>, ctx: &RunContext, query: &Query) -> SqlResult<QueryCode> {
    let mut bound = binder.query(query)?;
    if let Rel::Text { in_pieces, .. } = &mut bound.rel {
        *in_pieces = true;
    }
    let identity = binder.new_identity.take();
    let taken_over = bound.into.as_ref().and_then(|_| inherited(&bound.rel)).filter(|_| identity.is_none());
    let numbers = identity.map(|new| (new.place, new.numbers)).or(taken_over);
    let home = |name| settled::dictionary_of(ctx, name).ok().filter(|_| !is_local_temporary(name.last()));
    let into = bound.into.as_ref().map(|name| table_of(&bound, name, home(name).map(|of| of.database()), numbers));
    let into = into.transpose()?;
    let inherited = taken_over.map(|(place, _)| place);
    let types = bound.rel.types();
    let shown = bound.names.iter().zip(&types).enumerate();
    let shown = shown.map(|(index, (name, ty))| Column { source: source_of(&bound.rel, index), ..ty.shown_as(name) });
    let columns: Vec<Column> = shown.collect();
    let into_name = bound.into.clone();
    let Assigned { rel, assign, then } = assigned(bound, &binder.hints)?;
    // Which row comes last is settled by one thread.
    let sets = !assign.is_empty() || !then.is_empty();
    let mut runner = Runner::new(rel, ctx).with_hints(&binder.hints.on_one_thread(sets)).for_first_rows(ctx);
    if let Some(into) = &into {
        runner = runner.into_records(&into.layout);
    }
    Ok(QueryCode {
        columns,
        runner,
        assign,
        then,
        into,
        inherited,
        into_name,
        located: Vec::new(),
        model: Model::Static,
        again: None,
        walk: None,
    })
}

/// The code of a cursor's query, with the locators of its tables where it has rows of tables.
pub(in crate::exec) fn bind_cursor(
    binder: &mut Binder<'_>,
    ctx: &RunContext,
    query: &Query,
    asked: Model,
) -> SqlResult<QueryCode> {
    if let Some(clause) = &query.for_clause {
        let is_typed = clause.options.iter().any(|option| option.eq_ignore_ascii_case("TYPE"));
        match clause.format {
            ForFormat::Json => return Err(SqlError::of(13_602, 1, &[&"CURSOR"])),
            ForFormat::Xml if !is_typed => return Err(SqlError::of(6819, 1, &[&"CURSOR"])),
            ForFormat::Xml | ForFormat::Browse => {}
        }
    }
    binder.located = (asked != Model::Static).then(Vec::new);
    let mut code = bind_query(binder, ctx, query)?;
    code.located = binder.located.take().unwrap_or_default();
    code.columns.truncate(code.columns.len() - code.located.len());
    Ok(code.of_cursor(asked, binder.variables.len(), &binder.hints, ctx))
}

/// How the variables of `SELECT @v = …` get their values.
struct Assigned {
    rel: Rel,
    /// Over the rows of `rel`, one after the other.
    assign: Vec<(usize, BoundExpr)>,
    /// Behind these, one after the other: plans of one value.
    then: Vec<(usize, Runner)>,
}

/// `SELECT @v = …` without reading a variable that it sets is computed by the plan itself, which then reads only the
/// columns that are asked for; the assignments are then plain columns. Where one reads such a variable, the plan computes
/// its subqueries alone, and the rest is evaluated row by row. Without FROM each assignment is a query of its own.
///
/// # Errors
/// 40517 for a subquery that reads a variable which the rows before have set.
fn assigned(bound: BoundQuery, hints: &QueryHints) -> SqlResult<Assigned> {
    let BoundQuery { rel, assign, .. } = bound;
    let slots: Vec<usize> = assign.iter().map(|(slot, _)| *slot).collect();
    let reads_targets = assign.iter().any(|(_, expr)| reads(expr, &slots));
    let needs_plan = assign.iter().any(|(_, expr)| millpond_builtin::eval::needs_plan(expr));
    if assign.is_empty() || reads_targets && !needs_plan {
        return Ok(Assigned { rel, assign, then: Vec::new() });
    }
    let types = rel.types();
    if !reads_targets {
        let (slots, exprs): (Vec<usize>, Vec<BoundExpr>) = assign.into_iter().unzip();
        let column = |(index, (slot, expr)): (usize, (usize, &BoundExpr))| (slot, BoundExpr::column(index, expr.ty));
        let assign = slots.into_iter().zip(&exprs).enumerate().map(column).collect();
        return Ok(Assigned { rel: Rel::Project { input: Box::new(rel), exprs }, assign, then: Vec::new() });
    }
    if types.is_empty() && matches!(&rel, Rel::Values { rows, .. } if rows.len() == 1) {
        let one = |(slot, expr)| {
            let one_row = Rel::one_row();
            let rel = Rel::Project { input: Box::new(one_row), exprs: vec![expr] };
            (slot, Runner::by_plan(rel).with_hints(&hints.on_one_thread(true)))
        };
        return Ok(Assigned { rel, assign: Vec::new(), then: assign.into_iter().map(one).collect() });
    }
    let (mut assign, mut computed) = (assign, Vec::new());
    for (_, expr) in &mut assign {
        take_planned(expr, &slots, types.len(), &mut computed)?;
    }
    let exprs = types.into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty)).chain(computed).collect();
    Ok(Assigned { rel: Rel::Project { input: Box::new(rel), exprs }, assign, then: Vec::new() })
}
