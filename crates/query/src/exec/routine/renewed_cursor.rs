//! What a cursor's query is bound to: to what its names mean when the cursor is opened.
//!
//! ```text
//!   DECLARE ──bound──▶ code ──OPEN──▶ are its tables, views and functions as they were? ─┬─ yes: it runs
//!                                                                                       └─ no: bound again, as declared
//! ```
//! What always holds: names are looked up where the cursor was declared, in its database, module and scope and by its SET
//! options, whichever text opens it. A table variable, a parameter of a table type and the tables of a trigger are those
//! of the declaration, or not there any more.

use std::sync::Arc;

use millpond_bind::Binder;
use millpond_bind::absence::{is_of_absence, missing_between};
use millpond_catalog::run::facts::SessionFacts;
use millpond_code::code::{Bound, Needs, QueryCode};
use millpond_code::code_key::CodeKey;
use millpond_code::cursor_code::{CursorCode, Place, are_same_rows, is_updatable};
use millpond_code::cursor_model::Model;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{CursorDefinition, Statement};
use millpond_types::Value;

use crate::exec::batch::{BatchRun, REBINDS_MAX, contexts};
use crate::exec::dml::query::bind_cursor;
use millpond_names::session_names::SessionNames;

/// The code of a cursor's query, for the text that declares it.
pub(in crate::exec) fn cursor_code(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    definition: &CursorDefinition,
) -> SqlResult<Arc<QueryCode>> {
    let asked = Model::asked(&definition.options);
    run.bound(statement, CodeKey::of(statement), |binder, ctx| {
        Ok(Arc::new(bind_cursor(binder, ctx, &definition.query, asked)?))
    })
}

/// The query of a cursor that is declared now.
pub(in crate::exec) fn declared(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    definition: &CursorDefinition,
) -> SqlResult<CursorCode> {
    let code = cursor_code(run, statement, definition)?;
    let facts = &run.ctx.facts;
    let place = Place {
        database: facts.current(),
        schema: facts.schema,
        home: facts.home,
        nest_level: facts.nest_level,
        settings: Arc::clone(&facts.settings),
    };
    let kept = run.bound_key.and_then(|key| run.plans.statements.get(key));
    Ok(CursorCode {
        bound: Arc::clone(kept.expect("bound above")),
        code,
        query: Arc::clone(&definition.query),
        updatable: is_updatable(definition),
        asked: Model::asked(&definition.options),
        values: run.ctx.variables.to_vec(),
        variables: Arc::clone(&run.variables),
        parsed: Arc::clone(&run.parsed),
        span: statement.span,
        place,
    })
}

/// Brings a cursor's query up to what its names mean now. While it `is_open` its way to the rows stays.
///
/// # Errors
/// 208, 207 and the other errors of binding; 1087 for a table variable that has ended.
pub(in crate::exec) fn renew_cursor(run: &mut BatchRun<'_>, cursor: &mut CursorCode, is_open: bool) -> SqlResult<()> {
    let known = &cursor.bound;
    let is_stale = !is_open && known.code.is_stale();
    if known.version == run.names_version() && !is_stale {
        return Ok(());
    }
    let place = &cursor.place;
    let mut facts = SessionFacts {
        schema: place.schema,
        home: place.home,
        nest_level: place.nest_level,
        settings: Arc::clone(&place.settings),
        ..run.ctx.facts.clone()
    };
    facts.enter(place.database.clone());
    let mut ctx = Arc::new(contexts::of_facts(run.session, &facts, cursor.values.clone(), Arc::from([])));
    std::mem::swap(&mut run.ctx, &mut ctx);
    let renewed = cursor_as_declared(run, cursor, is_stale);
    std::mem::swap(&mut run.ctx, &mut ctx);
    (cursor.bound, cursor.code) = renewed?;
    Ok(())
}

/// The context in which a cursor's query runs: with the variables of its declaration, or these and keys.
pub(in crate::exec) fn cursor_context(run: &BatchRun<'_>, cursor: &CursorCode, values: Vec<Value>) -> RunContext {
    let bound = &cursor.bound;
    let mut ctx = contexts::of_facts(run.session, &run.ctx.facts, values, Arc::clone(&bound.tables));
    ctx.calls_functions = bound.calls;
    ctx.sequences = Arc::clone(&bound.sequences);
    ctx
}

/// [`renew_cursor`], in the context of the declaration.
fn cursor_as_declared(
    run: &mut BatchRun<'_>,
    cursor: &CursorCode,
    is_stale: bool,
) -> SqlResult<(Arc<Bound>, Arc<QueryCode>)> {
    let known = &cursor.bound;
    check_own_tables(run, known)?;
    if !is_stale
        && !run.may_mean_others(known)
        && let Some((version, tables)) = run.rebind(known)?
    {
        let bound = Arc::new(Bound::clone(known).at(version, tables));
        return Ok((bound, Arc::clone(&cursor.code)));
    }
    for _ in 0..REBINDS_MAX {
        let (fresh, code) = fresh_cursor(run, cursor)?;
        if let Some((version, tables)) = run.rebind(&fresh)? {
            return Ok((Arc::new(fresh.at(version, tables)), code));
        }
        // Somebody changed a definition in between.
    }
    Err(message::schema_changed(known.uses.first().map_or("", |table| &table.name)))
}

/// The tables that end with the scope of the declaration are still there: another scope may have some of the same
/// names.
fn check_own_tables(run: &BatchRun<'_>, known: &Bound) -> SqlResult<()> {
    let temp = run.ctx.session.temp.read();
    for (used, table) in known.uses.iter().zip(known.tables.iter()).filter(|(used, _)| used.def.name.starts_with('@')) {
        let now = temp.find(&used.def.name, run.ctx.facts.nest_level);
        if !now.is_some_and(|now| are_same_rows(&now.rows(), &table.rows)) {
            return Err(message::when_bound(match used.name.starts_with('@') {
                true => message::undeclared_table_variable(&used.name),
                false => message::invalid_object(&used.name),
            }));
        }
    }
    Ok(())
}

fn fresh_cursor(run: &BatchRun<'_>, cursor: &CursorCode) -> SqlResult<(Bound, Arc<QueryCode>)> {
    let names = SessionNames::of(&run.ctx);
    let mut binder = Binder::new(&names, &cursor.variables);
    let code = bind_cursor(&mut binder, &run.ctx, &cursor.query, cursor.asked)
        .map_err(|error| message::when_bound(missing_object_first(error, cursor, &names)))
        // The line is that of OPEN, which may stand in another text.
        .map_err(|error| SqlError { line: 0, ..error })?;
    let code = Arc::new(code);
    let bound = Bound {
        version: (0, 0),
        dialect: cursor.bound.dialect,
        uses: std::mem::take(&mut binder.tables),
        databases: std::mem::take(&mut binder.databases),
        views: std::mem::take(&mut binder.views),
        tables: Arc::from([]),
        sequences: Arc::from(std::mem::take(&mut binder.sequences)),
        needs: Needs::of(&mut binder),
        calls: binder.calls,
        by_stand_in: names.by_stand_in.get(),
        within_trigger: names.within_trigger.get(),
        stats: cursor.bound.stats.clone(),
        captured: Arc::default(),
        code: Arc::clone(&code).into(),
    };
    Ok((bound, code))
}

/// An error of binding as it is reported: an object that is not there comes first.
fn missing_object_first(error: SqlError, cursor: &CursorCode, names: &SessionNames<'_>) -> SqlError {
    if !message::is_of_binding(error.number) || is_of_absence(error.number) {
        return error;
    }
    let (span, parsed) = (cursor.span, &cursor.parsed);
    let text = (&*parsed.text, &parsed.batch.relations[..]);
    match missing_between(names, (span.start, span.end), &cursor.query.ctes, text) {
        Some(name) => message::invalid_object(&name.shown()),
        None => error,
    }
}
