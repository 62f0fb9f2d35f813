//! Plans by their handles: `sys.dm_exec_query_plan`, `sys.dm_exec_text_query_plan`, `sys.dm_exec_query_plan_stats`,
//! `sys.dm_exec_query_statistics_xml`, `sys.dm_exec_plan_attributes`.
//!
//! A handle is that of a text; its plans are those of its statements that a session keeps, in the order of the text
//! ([`millpond_engine::account::kept_plan`]). What always holds: a text that is not kept has no row; one that no session keeps a plan of,
//! that a password is written in, or whose module is encrypted, has a row without a plan. Nothing is bound or planned in order to be
//! shown.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_builtin::TableFunctionDef;
use millpond_engine::account::bottleneck::Spent;
use millpond_engine::account::kept_plan::{KeptStatement, document};
use millpond_engine::account::live_statements::LiveLook;
use millpond_engine::account::query_store::context_settings::{date_format, option_bits};
use millpond_engine::account::running_statement::{PLAN_HANDLE, SQL_HANDLE, handle_bytes};
use millpond_engine::account::statement_stats::StatementStats;
use millpond_engine::context::RunContext;
use millpond_engine::scoped;
use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::{MaxLen, SqlType, Value};

use crate::columns::{NVarCharMax, VarBinary, VarChar, Variant, Xml, int, small, text};
use crate::dynamic::exec::query_profiles::live_of;
use crate::dynamic::sessions::seen_sessions;
use crate::dynamic::statements::{KeptText, TextOf, handle, kept_text, offset};
use crate::row::{Rows, row, table_function};

/// Levels of elements that a value of the type xml of SQL Server may not have.
const LEVELS_MAX: usize = 128;

row! {
    /// A row of `sys.dm_exec_query_plan` and `sys.dm_exec_query_plan_stats`.
    struct DmExecQueryPlan {
        of: TextOf,
        query_plan: Option<Xml>,
    }
}

row! {
    /// A row of `sys.dm_exec_text_query_plan`.
    struct DmExecTextQueryPlan {
        of: TextOf,
        query_plan: Option<NVarCharMax>,
    }
}

row! {
    /// A row of `sys.dm_exec_query_statistics_xml`.
    struct DmExecQueryStatisticsXml {
        session_id: i16,
        request_id: i32,
        sql_handle: Option<VarBinary<64>>,
        plan_handle: Option<VarBinary<64>>,
        query_plan: Option<Xml>,
    }
}

row! {
    /// A row of `sys.dm_exec_plan_attributes`.
    struct DmExecPlanAttributes {
        attribute: VarChar<128>,
        value: Option<Variant>,
        is_cache_key: bool,
    }
}

/// `sys.dm_exec_query_plan(plan_handle)`
pub static DM_EXEC_QUERY_PLAN: TableFunctionDef =
    table_function!("sys", "dm_exec_query_plan", [VarBinary<64>], optional 0, DmExecQueryPlan, query_plan);

/// `sys.dm_exec_text_query_plan(plan_handle, statement_start_offset, statement_end_offset)`
pub static DM_EXEC_TEXT_QUERY_PLAN: TableFunctionDef = table_function!(
    "sys", "dm_exec_text_query_plan", [VarBinary<64>, i32, i32], optional 0, DmExecTextQueryPlan, text_query_plan
);

/// `sys.dm_exec_query_plan_stats(plan_handle)`
pub static DM_EXEC_QUERY_PLAN_STATS: TableFunctionDef =
    table_function!("sys", "dm_exec_query_plan_stats", [VarBinary<64>], optional 0, DmExecQueryPlan, query_plan_stats);

/// `sys.dm_exec_query_statistics_xml(session_id)`
pub static DM_EXEC_QUERY_STATISTICS_XML: TableFunctionDef = table_function!(
    "sys", "dm_exec_query_statistics_xml", [i16], optional 0, DmExecQueryStatisticsXml, query_statistics_xml
);

/// `sys.dm_exec_plan_attributes(plan_handle)`
pub static DM_EXEC_PLAN_ATTRIBUTES: TableFunctionDef = table_function!(
    "sys", "dm_exec_plan_attributes", [VarBinary<64>], optional 0, DmExecPlanAttributes, plan_attributes
);

/// The statements of a text that are counted, in its order.
fn statements_of(ctx: &RunContext, text_id: u64) -> Vec<Arc<StatementStats>> {
    let is_one = |stats: &Arc<StatementStats>| stats.text_id == text_id && !stats.is_of_module();
    let mut found: Vec<Arc<StatementStats>> = ctx.engine.statements().all().into_iter().filter(is_one).collect();
    found.sort_by_key(|stats| stats.start);
    found
}

/// The document of those statements that are kept; `with_figures`: with what their last executions took.
fn document_of(statements: &[Arc<StatementStats>], with_figures: bool) -> Option<String> {
    let mut elements = String::new();
    let mut id = 0;
    for stats in statements {
        if let Some(element) = stats.element(id + 1, with_figures) {
            id += 1;
            elements.push_str(&element);
        }
    }
    (id > 0).then(|| document(&elements))
}

/// A document as the type xml takes it: none that is nested too deep.
fn as_xml(document: String) -> Option<Xml> {
    let (mut level, mut most) = (0_usize, 0);
    for tag in document.split('<').skip(1) {
        if tag.starts_with('/') {
            level = level.saturating_sub(1);
            continue;
        }
        most = most.max(level + 1);
        // Attributes have no angle brackets in them.
        if tag.split('>').next().is_some_and(|inside| !inside.ends_with('/')) {
            level += 1;
        }
    }
    (most < LEVELS_MAX).then(|| text(&document))
}

/// The plans of a text that may be seen, unless there are none.
fn plans_of(ctx: &RunContext, found: &KeptText, with_figures: bool) -> Option<String> {
    if found.encrypted { None } else { document_of(&statements_of(ctx, found.id), with_figures) }
}

fn plan_row(found: &KeptText, plan: Option<String>) -> DmExecQueryPlan {
    DmExecQueryPlan { of: TextOf::of(found), query_plan: plan.and_then(as_xml) }
}

fn query_plan(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecQueryPlan>> {
    let row = |found: KeptText| plan_row(&found, plans_of(ctx, &found, false));
    Ok(kept_text(ctx, &args[0]).map(row).into_iter().collect())
}

/// With the option LAST_QUERY_PLAN_STATS of the text's database; figures are those of whole statements.
fn query_plan_stats(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecQueryPlan>> {
    let row = |found: KeptText| {
        let is_on = scoped::keeps_last_plans(&ctx.engine, DbId(found.database));
        plan_row(&found, if is_on { plans_of(ctx, &found, true) } else { None })
    };
    Ok(kept_text(ctx, &args[0]).map(row).into_iter().collect())
}

fn text_query_plan(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecTextQueryPlan>> {
    let place = |arg: &Value, whole: i64| arg.as_i64().unwrap_or(whole);
    let (start, end) = (place(&args[1], 0), place(&args[2], -1));
    let row = |found: KeptText| {
        let mut statements = if found.encrypted { Vec::new() } else { statements_of(ctx, found.id) };
        statements.retain(|stats| {
            let (own_start, own_end) = (offset(&stats.text, stats.start), offset(&stats.text, stats.end));
            i64::from(own_start) >= start && (end < 0 || i64::from(own_end) <= end)
        });
        DmExecTextQueryPlan {
            of: TextOf::of(&found),
            query_plan: document_of(&statements, false).map(|document| text(&document)),
        }
    };
    Ok(kept_text(ctx, &args[0]).map(row).into_iter().collect())
}

/// The statement that a session runs now; with what its operators have done so far where that is counted.
fn query_statistics_xml(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecQueryStatisticsXml>> {
    let wanted = args[0].as_i64();
    let sessions = seen_sessions(ctx)?;
    let Some(session) = sessions.iter().find(|session| Some(i64::from(session.id.0)) == wanted) else {
        return Ok(Rows::new());
    };
    if session.status.lock().request.is_none() {
        return Ok(Rows::new());
    }
    if let Some(look) = live_of(ctx, session) {
        return Ok(Rows::one(DmExecQueryStatisticsXml {
            session_id: small(session.id.0),
            request_id: 0,
            sql_handle: Some(handle(SQL_HANDLE, look.run.text.id)),
            plan_handle: Some(handle(PLAN_HANDLE, look.run.text.id)),
            query_plan: live_document(ctx, session, &look).and_then(as_xml),
        }));
    }
    let Some((running, start, _)) = session.statement.now() else { return Ok(Rows::new()) };
    let kept = kept_text(ctx, &Value::binary(&handle_bytes(PLAN_HANDLE, running.id)));
    let shown = kept.filter(|found| !found.encrypted).map(|found| statements_of(ctx, found.id)).unwrap_or_default();
    let own: Vec<Arc<StatementStats>> = shown.into_iter().filter(|stats| stats.start == start).collect();
    Ok(Rows::one(DmExecQueryStatisticsXml {
        session_id: small(session.id.0),
        request_id: 0,
        sql_handle: Some(handle(SQL_HANDLE, running.id)),
        plan_handle: Some(handle(PLAN_HANDLE, running.id)),
        query_plan: document_of(&own, false).and_then(as_xml),
    }))
}

/// What a statement has done so far, as SET STATISTICS XML shows it in the end.
fn live_document(ctx: &RunContext, session: &SessionShared, look: &LiveLook) -> Option<String> {
    let elapsed_us = ctx.engine.clock_us().saturating_sub(look.run.begun_us);
    let spent = Spent { elapsed_us, cpu_us: session.cpu.running_us().min(elapsed_us), ..Spent::default() };
    let place = (look.run.text.id, look.run.place.0);
    let statement = KeptStatement { text: look.run.shown_text(), place, last: None, live: Some((&look.run, spent)) };
    look.plan.element(&statement, &look.bound, 1).map(|element| document(&element))
}

fn plan_attributes(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecPlanAttributes>> {
    let Some(found) = kept_text(ctx, &args[0]) else { return Ok(Rows::new()) };
    let statements = statements_of(ctx, found.id);
    // All statements of a text are bound for the same session.
    let bound = statements.iter().find_map(|stats| stats.bound_with());
    let number = |value: i32| Variant::of(SqlType::Int, Value::Int(value));
    let little = |value: i16| Variant::of(SqlType::SmallInt, Value::SmallInt(value));
    let object = if found.object != 0 { found.object } else { (found.id & 0x7FFF_FFFF) as i32 };
    let mut rows = Rows::new();
    let mut add = |attribute: &str, value: Variant, is_cache_key: bool| {
        rows.push(DmExecPlanAttributes { attribute: text(attribute), value: Some(value), is_cache_key });
    };
    if let Some(bound) = &bound {
        add("set_options", number(option_bits(&bound.settings)), true);
    }
    add("objectid", number(object), true);
    add("dbid", number(i32::from(found.database)), true);
    add("dbid_execute", number(0), true);
    if let Some(bound) = &bound {
        let settings = &bound.settings;
        add("user_id", number(bound.schema), true);
        add("language_id", little(i16::from(settings.language.number())), true);
        add("date_format", little(date_format(settings.dateformat)), true);
        add("date_first", Variant::of(SqlType::TinyInt, Value::TinyInt(settings.datefirst)), true);
    }
    for unused in ["status", "required_cursor_options", "acceptable_cursor_options"] {
        add(unused, number(0), true);
    }
    let runs_it = |session: &&Arc<SessionShared>| {
        let is_busy = session.status.lock().request.is_some();
        is_busy && session.statement.now().is_some_and(|(text, ..)| text.id == found.id)
    };
    let running = ctx.engine.sessions().iter().filter(runs_it).count();
    let uses = statements.iter().map(|stats| stats.executions.load(Relaxed)).max().unwrap_or(0);
    add("inuse_exec_context", number(int(running)), false);
    add("hits_exec_context", number(int(uses.saturating_sub(1))), false);
    let own = SqlType::VarBinary { len: MaxLen::Limited(64) };
    add("sql_handle", Variant::of(own, Value::binary(&handle_bytes(SQL_HANDLE, found.id))), false);
    add("merge_action_type", little(0), true);
    Ok(rows)
}
