//! What queries a Query Store has: `sys.query_store_query_text`, `sys.query_store_query`, `sys.query_store_plan` and
//! `sys.query_context_settings`.
//!
//! What always holds: the text and the plans of a statement in a module WITH ENCRYPTION are shown to nobody. What compiling took is not
//! measured, and NULL.

use millpond_builtin::PRODUCT_VERSION;
use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::query_store::entries::{StoredPlan, StoredQuery, StoredSettings};
use millpond_engine::account::running_statement::SQL_HANDLE;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::DateTimeOffset;

use super::moment;
use crate::columns::{Binary, NVarChar, NVarCharMax, VarBinary, big, bytes, small, text};
use crate::dynamic::statements::handle;
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.query_context_settings`.
    struct QueryContextSettings {
        context_settings_id: Option<i64>,
        set_options: Option<VarBinary<8>>,
        language_id: Option<i16>,
        date_format: Option<i16>,
        date_first: Option<u8>,
        status: Option<VarBinary<2>>,
        required_cursor_options: Option<i32>,
        acceptable_cursor_options: Option<i32>,
        merge_action_type: Option<i16>,
        default_schema_id: Option<i32>,
        is_replication_specific: Option<bool>,
        is_contained: Option<VarBinary<1>>,
    }
}

/// `sys.query_context_settings`
pub static QUERY_CONTEXT_SETTINGS: ViewDef = view("sys", "query_context_settings", &ViewRows(settings));

row! {
    /// A row of `sys.query_store_query_text`.
    struct QueryStoreQueryText {
        query_text_id: Option<i64>,
        query_sql_text: Option<NVarCharMax>,
        statement_sql_handle: Option<VarBinary<64>>,
        is_part_of_encrypted_module: Option<bool>,
        has_restricted_text: Option<bool>,
    }
}

/// `sys.query_store_query_text`
pub static QUERY_STORE_QUERY_TEXT: ViewDef = view("sys", "query_store_query_text", &ViewRows(texts));

row! {
    /// A row of `sys.query_store_query`.
    struct QueryStoreQuery {
        query_id: Option<i64>,
        query_text_id: Option<i64>,
        context_settings_id: Option<i64>,
        object_id: Option<i64>,
        batch_sql_handle: Option<VarBinary<64>>,
        query_hash: Option<Binary<8>>,
        is_internal_query: Option<bool>,
        query_parameterization_type: Option<u8>,
        query_parameterization_type_desc: Option<NVarChar<60>>,
        initial_compile_start_time: Option<DateTimeOffset>,
        last_compile_start_time: Option<DateTimeOffset>,
        last_execution_time: Option<DateTimeOffset>,
        last_compile_batch_sql_handle: Option<VarBinary<64>>,
        last_compile_batch_offset_start: Option<i64>,
        last_compile_batch_offset_end: Option<i64>,
        count_compiles: Option<i64>,
        avg_compile_duration: Option<f64>,
        last_compile_duration: Option<i64>,
        avg_bind_duration: Option<f64>,
        last_bind_duration: Option<i64>,
        avg_bind_cpu_time: Option<f64>,
        last_bind_cpu_time: Option<i64>,
        avg_optimize_duration: Option<f64>,
        last_optimize_duration: Option<i64>,
        avg_optimize_cpu_time: Option<f64>,
        last_optimize_cpu_time: Option<i64>,
        avg_compile_memory_kb: Option<f64>,
        last_compile_memory_kb: Option<i64>,
        max_compile_memory_kb: Option<i64>,
        is_clouddb_internal_query: Option<bool>,
    }
}

/// `sys.query_store_query`
pub static QUERY_STORE_QUERY: ViewDef = view("sys", "query_store_query", &ViewRows(queries));

row! {
    /// A row of `sys.query_store_plan`.
    struct QueryStorePlan {
        plan_id: Option<i64>,
        query_id: Option<i64>,
        plan_group_id: Option<i64>,
        engine_version: Option<NVarChar<32>>,
        compatibility_level: Option<i16>,
        query_plan_hash: Option<Binary<8>>,
        query_plan: Option<NVarCharMax>,
        is_online_index_plan: Option<bool>,
        is_trivial_plan: Option<bool>,
        is_parallel_plan: Option<bool>,
        is_forced_plan: Option<bool>,
        is_natively_compiled: Option<bool>,
        force_failure_count: Option<i64>,
        last_force_failure_reason: Option<i32>,
        last_force_failure_reason_desc: Option<NVarChar<128>>,
        count_compiles: Option<i64>,
        initial_compile_start_time: Option<DateTimeOffset>,
        last_compile_start_time: Option<DateTimeOffset>,
        last_execution_time: Option<DateTimeOffset>,
        avg_compile_duration: Option<f64>,
        last_compile_duration: Option<i64>,
        plan_forcing_type: Option<i32>,
        plan_forcing_type_desc: Option<NVarChar<60>>,
    }
}

/// `sys.query_store_plan`
pub static QUERY_STORE_PLAN: ViewDef = view("sys", "query_store_plan", &ViewRows(plans));

/// How handles of statements begin.
const STATEMENT_HANDLE: u8 = 9;

fn settings(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<QueryContextSettings>> {
    let store = ctx.engine.databases().query_store(database.database)?;
    let row = |stored: StoredSettings| QueryContextSettings {
        context_settings_id: Some(stored.id),
        set_options: Some(bytes(&stored.settings.set_options.to_be_bytes())),
        language_id: Some(stored.settings.language),
        date_format: Some(stored.settings.date_format),
        date_first: Some(stored.settings.date_first),
        status: Some(bytes(&[0, 0])),
        required_cursor_options: Some(0),
        acceptable_cursor_options: Some(0),
        merge_action_type: Some(0),
        default_schema_id: Some(stored.settings.schema),
        is_replication_specific: Some(false),
        is_contained: Some(bytes(&[0])),
    };
    Ok(store.settings().into_iter().map(row).collect())
}

fn texts(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<QueryStoreQueryText>> {
    let store = ctx.engine.databases().query_store(database.database)?;
    let rows = store.texts().into_iter().map(|stored| {
        let mut handle = vec![STATEMENT_HANDLE, 0];
        handle.extend(stored.id.to_be_bytes());
        QueryStoreQueryText {
            query_text_id: Some(stored.id),
            query_sql_text: (!stored.encrypted).then(|| text(&stored.text)),
            statement_sql_handle: Some(bytes(&handle)),
            is_part_of_encrypted_module: Some(stored.encrypted),
            has_restricted_text: Some(false),
        }
    });
    Ok(rows.collect())
}

fn queries(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<QueryStoreQuery>> {
    let store = ctx.engine.databases().query_store(database.database)?;
    Ok(store.queries().iter().map(query_row).collect())
}

fn query_row(query: &StoredQuery) -> QueryStoreQuery {
    let compiled = query.compiled;
    QueryStoreQuery {
        query_id: Some(query.id),
        query_text_id: Some(query.text),
        context_settings_id: Some(query.settings),
        object_id: Some(query.object.into()),
        batch_sql_handle: None,
        query_hash: Some(bytes(&compiled.hash.to_be_bytes())),
        is_internal_query: Some(false),
        query_parameterization_type: Some(0),
        query_parameterization_type_desc: Some(text("None")),
        initial_compile_start_time: moment(query.first_compile_us),
        last_compile_start_time: moment(query.last_compile_us),
        last_execution_time: moment(query.last_execution_us),
        last_compile_batch_sql_handle: (compiled.text_id != 0).then(|| handle(SQL_HANDLE, compiled.text_id)),
        last_compile_batch_offset_start: Some(compiled.start.into()),
        last_compile_batch_offset_end: Some(compiled.end.into()),
        count_compiles: Some(big(query.compiles)),
        avg_compile_duration: None,
        last_compile_duration: None,
        avg_bind_duration: None,
        last_bind_duration: None,
        avg_bind_cpu_time: None,
        last_bind_cpu_time: None,
        avg_optimize_duration: None,
        last_optimize_duration: None,
        avg_optimize_cpu_time: None,
        last_optimize_cpu_time: None,
        avg_compile_memory_kb: None,
        last_compile_memory_kb: None,
        max_compile_memory_kb: None,
        is_clouddb_internal_query: Some(false),
    }
}

fn plans(ctx: &RunContext, database: Within<'_>) -> SqlResult<Rows<QueryStorePlan>> {
    let store = ctx.engine.databases().query_store(database.database)?;
    Ok(store.plans().iter().map(|(plan, encrypted)| plan_row(plan, *encrypted)).collect())
}

fn plan_row(plan: &StoredPlan, encrypted: bool) -> QueryStorePlan {
    let (shown, forced) = (&plan.shown, plan.forced);
    QueryStorePlan {
        plan_id: Some(plan.id),
        query_id: Some(plan.query),
        plan_group_id: Some(0),
        engine_version: Some(text(PRODUCT_VERSION)),
        compatibility_level: Some(small(shown.level)),
        query_plan_hash: Some(bytes(&shown.hash.to_be_bytes())),
        query_plan: shown.xml.as_deref().filter(|_| !encrypted).map(text),
        is_online_index_plan: Some(false),
        is_trivial_plan: Some(false),
        is_parallel_plan: Some(shown.dop > 1),
        is_forced_plan: Some(forced),
        is_natively_compiled: Some(false),
        force_failure_count: Some(0),
        last_force_failure_reason: Some(0),
        last_force_failure_reason_desc: Some(text("NONE")),
        count_compiles: Some(big(plan.compiles)),
        initial_compile_start_time: moment(plan.first_compile_us),
        last_compile_start_time: moment(plan.last_compile_us),
        last_execution_time: moment(plan.last_execution_us),
        avg_compile_duration: None,
        last_compile_duration: None,
        plan_forcing_type: Some(i32::from(forced)),
        plan_forcing_type_desc: Some(text(if forced { "MANUAL" } else { "NONE" })),
    }
}
