//! `sys.dm_exec_query_stats`, `sys.dm_exec_procedure_stats` and those of functions and triggers, `sys.dm_exec_cached_plans`, `sys.dm_exec_sql_text`.
//!
//! A handle is four bytes with its kind and the number of the text. Memory that plans take is not counted: the
//! size of a plan is that of its text.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{ModuleKind, Within};
use millpond_engine::account::running_statement::{PLAN_HANDLE, SQL_HANDLE, handle_bytes};
use millpond_engine::account::statement_stats::StatementStats;
use millpond_engine::context::RunContext;
use millpond_engine::metadata::is_encrypted_module;
use millpond_engine::parsed::tree_bytes;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::{DateTime, Value};

use crate::columns::{Binary, Char, NVarChar, NVarCharMax, VarBinary, big, bytes, datetime_of, int, text};
use crate::row::{Rows, ViewRows, row, table_function, view};

/// `Struct { total, last, min, max }`: a measure of executions, that of all together, the last, the least and the most.
macro_rules! measures {
    ($($measure:ident { $total:ident, $last:ident, $min:ident, $max:ident })*) => {
        $(
            row! {
                struct $measure {
                    $total: i64,
                    $last: i64,
                    $min: i64,
                    $max: i64,
                }
            }

            impl From<[u64; 4]> for $measure {
                fn from(measure: [u64; 4]) -> Self {
                    let [$total, $last, $min, $max] = measure.map(big);
                    Self { $total, $last, $min, $max }
                }
            }
        )*
    };
}

measures! {
    WorkerTime { total_worker_time, last_worker_time, min_worker_time, max_worker_time }
    PhysicalReads { total_physical_reads, last_physical_reads, min_physical_reads, max_physical_reads }
    LogicalWrites { total_logical_writes, last_logical_writes, min_logical_writes, max_logical_writes }
    LogicalReads { total_logical_reads, last_logical_reads, min_logical_reads, max_logical_reads }
    ElapsedTime { total_elapsed_time, last_elapsed_time, min_elapsed_time, max_elapsed_time }
    ClrTime { total_clr_time, last_clr_time, min_clr_time, max_clr_time }
    RowCounts { total_rows, last_rows, min_rows, max_rows }
    GrantKb { total_grant_kb, last_grant_kb, min_grant_kb, max_grant_kb }
    UsedGrantKb { total_used_grant_kb, last_used_grant_kb, min_used_grant_kb, max_used_grant_kb }
    IdealGrantKb { total_ideal_grant_kb, last_ideal_grant_kb, min_ideal_grant_kb, max_ideal_grant_kb }
    Dop { total_dop, last_dop, min_dop, max_dop }
    ReservedThreads { total_reserved_threads, last_reserved_threads, min_reserved_threads, max_reserved_threads }
    UsedThreads { total_used_threads, last_used_threads, min_used_threads, max_used_threads }
    SegmentReads { total_columnstore_segment_reads, last_columnstore_segment_reads, min_columnstore_segment_reads,
        max_columnstore_segment_reads }
    SegmentSkips { total_columnstore_segment_skips, last_columnstore_segment_skips, min_columnstore_segment_skips,
        max_columnstore_segment_skips }
    Spills { total_spills, last_spills, min_spills, max_spills }
    TempdbWaitTime { total_tempdb_wait_time, last_tempdb_wait_time, min_tempdb_wait_time, max_tempdb_wait_time }
    DataWaitTime { total_data_wait_time, last_data_wait_time, min_data_wait_time, max_data_wait_time }
    PageServerReads { total_page_server_reads, last_page_server_reads, min_page_server_reads, max_page_server_reads }
    MemoryWaitTime { total_memory_wait_time, last_memory_wait_time, min_memory_wait_time, max_memory_wait_time }
}

/// What does not happen: code of the CLR, page servers, columnstore segments.
const UNCOUNTED: [u64; 4] = [0; 4];

row! {
    /// What each execution took, but for its time.
    struct Work {
        worker_time: WorkerTime,
        physical_reads: PhysicalReads,
        logical_writes: LogicalWrites,
        logical_reads: LogicalReads,
    }
}

row! {
    /// What each execution took.
    struct Measured {
        work: Work,
        elapsed_time: ElapsedTime,
    }
}

row! {
    /// What it waited for (columns of ours): see [`millpond_engine::account::bottleneck`].
    struct Waited {
        tempdb: TempdbWaitTime,
        data: DataWaitTime,
        memory: MemoryWaitTime,
        last_verdict: NVarChar<16>,
    }
}

row! {
    /// A row of `sys.dm_exec_query_stats`.
    struct DmExecQueryStats {
        sql_handle: VarBinary<64>,
        statement_start_offset: i32,
        statement_end_offset: i32,
        plan_generation_num: i64,
        plan_handle: VarBinary<64>,
        creation_time: DateTime,
        last_execution_time: DateTime,
        execution_count: i64,
        work: Work,
        clr_time: ClrTime,
        elapsed_time: ElapsedTime,
        query_hash: Binary<8>,
        query_plan_hash: Binary<8>,
        rows: RowCounts,
        statement_sql_handle: Option<VarBinary<64>>,
        statement_context_id: Option<i64>,
        dop: Dop,
        grant_kb: GrantKb,
        used_grant_kb: UsedGrantKb,
        ideal_grant_kb: IdealGrantKb,
        reserved_threads: ReservedThreads,
        used_threads: UsedThreads,
        segment_reads: SegmentReads,
        segment_skips: SegmentSkips,
        spills: Spills,
        page_server_reads: PageServerReads,
        waited: Waited,
    }
}

/// `sys.dm_exec_query_stats`
pub static DM_EXEC_QUERY_STATS: ViewDef = view("sys", "dm_exec_query_stats", &ViewRows(query_stats));

row! {
    /// A row of `sys.dm_exec_procedure_stats`.
    struct DmExecProcedureStats {
        database_id: i32,
        object_id: i32,
        r#type: Char<2>,
        type_desc: NVarChar<60>,
        sql_handle: VarBinary<64>,
        plan_handle: VarBinary<64>,
        cached_time: DateTime,
        last_execution_time: DateTime,
        execution_count: i64,
        measured: Measured,
        spills: Spills,
        page_server_reads: PageServerReads,
    }
}

/// `sys.dm_exec_procedure_stats`
pub static DM_EXEC_PROCEDURE_STATS: ViewDef = view("sys", "dm_exec_procedure_stats", &ViewRows(procedure_stats));

row! {
    /// A row of `sys.dm_exec_function_stats`.
    struct DmExecFunctionStats {
        database_id: i32,
        object_id: i32,
        r#type: Option<Char<2>>,
        type_desc: Option<NVarChar<60>>,
        sql_handle: VarBinary<64>,
        plan_handle: VarBinary<64>,
        cached_time: DateTime,
        last_execution_time: DateTime,
        execution_count: i64,
        measured: Measured,
        page_server_reads: PageServerReads,
    }
}

/// `sys.dm_exec_function_stats`: scalar functions that are run; those that are one expression are part of their statements.
pub static DM_EXEC_FUNCTION_STATS: ViewDef = view("sys", "dm_exec_function_stats", &ViewRows(function_stats));

/// `sys.dm_exec_trigger_stats`
pub static DM_EXEC_TRIGGER_STATS: ViewDef = view("sys", "dm_exec_trigger_stats", &ViewRows(trigger_stats));

row! {
    /// A row of `sys.dm_exec_cached_plans`.
    struct DmExecCachedPlans {
        bucketid: i32,
        refcounts: i32,
        usecounts: i32,
        size_in_bytes: i32,
        memory_object_address: VarBinary<8>,
        cacheobjtype: NVarChar<17>,
        objtype: NVarChar<16>,
        plan_handle: VarBinary<64>,
        pool_id: i32,
    }
}

/// `sys.dm_exec_cached_plans`
pub static DM_EXEC_CACHED_PLANS: ViewDef = view("sys", "dm_exec_cached_plans", &ViewRows(cached_plans));

row! {
    /// What a kept text is of.
    pub(crate) struct TextOf {
        dbid: Option<i16>,
        objectid: Option<i32>,
        number: Option<i16>,
        encrypted: bool,
    }
}

impl TextOf {
    pub(crate) fn of(found: &KeptText) -> TextOf {
        TextOf {
            dbid: Some(found.database.cast_signed()),
            objectid: (found.object != 0).then_some(found.object),
            number: None,
            encrypted: found.encrypted,
        }
    }
}

row! {
    /// A row of `sys.dm_exec_sql_text`.
    struct DmExecSqlText {
        of: TextOf,
        text: Option<NVarCharMax>,
    }
}

/// `sys.dm_exec_sql_text(handle)`
pub static DM_EXEC_SQL_TEXT: TableFunctionDef =
    table_function!("sys", "dm_exec_sql_text", [VarBinary<64>], optional 0, DmExecSqlText, sql_text);

/// What a text or its plans are named by.
pub(crate) fn handle(kind: u8, text_id: u64) -> VarBinary<64> {
    bytes(&handle_bytes(kind, text_id))
}

fn text_of_handle(handle: &Value) -> Option<u64> {
    let Value::Binary(bytes) = handle else { return None };
    let (kind, rest) = bytes.split_first_chunk::<4>()?;
    let (id, blanks) = rest.split_first_chunk::<8>()?;
    // A column of more bytes fills it up with zeros.
    let known = matches!(kind, [SQL_HANDLE | PLAN_HANDLE, 0, 0, 0]) && blanks.iter().all(|byte| *byte == 0);
    known.then_some(u64::from_be_bytes(*id))
}

/// A place in a text as SQL Server counts it: bytes of UTF-16.
pub(crate) fn offset(text: &str, at: u32) -> i32 {
    let before = text.get(..at as usize).map_or(0, |text| text.encode_utf16().count());
    int(before * 2)
}

fn query_stats(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecQueryStats>> {
    let statements = ctx.engine.statements().all();
    let counted = statements.iter().filter(|stats| stats.executions.load(Relaxed) > 0 && !stats.is_of_module());
    Ok(counted.map(|stats| stats_row(stats)).collect())
}

/// The modules of a kind that were called and have ended well.
fn called(ctx: &RunContext, kind: ModuleKind) -> impl Iterator<Item = Arc<StatementStats>> {
    let is_it = move |stats: &Arc<StatementStats>| stats.module == Some(kind) && stats.executions.load(Relaxed) > 0;
    ctx.engine.statements().all().into_iter().filter(is_it)
}

fn procedure_stats(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecProcedureStats>> {
    let kind = ("P ", "SQL_STORED_PROCEDURE");
    Ok(called(ctx, ModuleKind::Procedure).map(|stats| procedure_row(&stats, kind)).collect())
}

fn trigger_stats(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecProcedureStats>> {
    Ok(called(ctx, ModuleKind::Trigger).map(|stats| procedure_row(&stats, ("TR", "SQL_TRIGGER"))).collect())
}

fn function_stats(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecFunctionStats>> {
    let row = |stats: Arc<StatementStats>| DmExecFunctionStats {
        database_id: int(stats.database),
        object_id: stats.object,
        r#type: Some(text("FN")),
        type_desc: Some(text("SQL_SCALAR_FUNCTION")),
        sql_handle: handle(SQL_HANDLE, stats.text_id),
        plan_handle: handle(PLAN_HANDLE, stats.text_id),
        cached_time: datetime_of(stats.created_us),
        last_execution_time: datetime_of(stats.last_us.load(Relaxed)),
        execution_count: big(stats.executions.load(Relaxed)),
        measured: measured(&stats),
        page_server_reads: UNCOUNTED.into(),
    };
    Ok(called(ctx, ModuleKind::ScalarFunction).map(row).collect())
}

fn work(stats: &StatementStats) -> Work {
    Work {
        worker_time: stats.worker_us.read().into(),
        physical_reads: stats.physical_reads.read().into(),
        logical_writes: stats.logical_writes.read().into(),
        logical_reads: stats.logical_reads.read().into(),
    }
}

fn measured(stats: &StatementStats) -> Measured {
    Measured { work: work(stats), elapsed_time: stats.elapsed_us.read().into() }
}

fn procedure_row(stats: &StatementStats, kind: (&str, &str)) -> DmExecProcedureStats {
    DmExecProcedureStats {
        database_id: int(stats.database),
        object_id: stats.object,
        r#type: text(kind.0),
        type_desc: text(kind.1),
        sql_handle: handle(SQL_HANDLE, stats.text_id),
        plan_handle: handle(PLAN_HANDLE, stats.text_id),
        cached_time: datetime_of(stats.created_us),
        last_execution_time: datetime_of(stats.last_us.load(Relaxed)),
        execution_count: big(stats.executions.load(Relaxed)),
        measured: measured(stats),
        spills: stats.spilled_pages.read().into(),
        page_server_reads: UNCOUNTED.into(),
    }
}

fn stats_row(stats: &StatementStats) -> DmExecQueryStats {
    let hash: Binary<8> = bytes(&stats.query_hash().to_be_bytes());
    DmExecQueryStats {
        sql_handle: handle(SQL_HANDLE, stats.text_id),
        statement_start_offset: offset(&stats.text, stats.start),
        statement_end_offset: offset(&stats.text, stats.end),
        plan_generation_num: big(stats.generation()),
        plan_handle: handle(PLAN_HANDLE, stats.text_id),
        creation_time: datetime_of(stats.created_us),
        last_execution_time: datetime_of(stats.last_us.load(Relaxed)),
        execution_count: big(stats.executions.load(Relaxed)),
        work: work(stats),
        clr_time: UNCOUNTED.into(),
        elapsed_time: stats.elapsed_us.read().into(),
        query_hash: hash.clone(),
        query_plan_hash: hash,
        rows: stats.rows.read().into(),
        // Query Store's, which knows statements by their texts alone.
        statement_sql_handle: None,
        statement_context_id: None,
        dop: stats.degree().into(),
        grant_kb: stats.grant_kb.read().into(),
        used_grant_kb: stats.used_grant_kb.read().into(),
        ideal_grant_kb: stats.ideal_grant_kb.read().into(),
        reserved_threads: stats.threads.read().into(),
        used_threads: stats.threads.read().into(),
        segment_reads: UNCOUNTED.into(),
        segment_skips: UNCOUNTED.into(),
        spills: stats.spilled_pages.read().into(),
        page_server_reads: UNCOUNTED.into(),
        waited: Waited {
            tempdb: stats.tempdb_wait_us.read().into(),
            data: stats.data_wait_us.read().into(),
            memory: stats.memory_wait_us.read().into(),
            last_verdict: text(stats.last_bottleneck().name()),
        },
    }
}

/// The texts that are kept, by their numbers: one of its statements each, and how often the text ran.
pub(crate) fn texts_of(ctx: &RunContext) -> BTreeMap<u64, (Arc<StatementStats>, u64)> {
    let mut texts: BTreeMap<u64, (Arc<StatementStats>, u64)> = BTreeMap::new();
    for stats in ctx.engine.statements().all() {
        let uses = stats.executions.load(Relaxed);
        let known = texts.entry(stats.text_id).or_insert_with(|| (stats, 0));
        known.1 = known.1.max(uses);
    }
    texts
}

/// The numbers of the texts that are kept, with the bytes that each takes.
pub fn kept_texts(ctx: &RunContext) -> impl Iterator<Item = (u64, usize)> {
    texts_of(ctx).into_iter().map(|(id, (stats, _))| (id, tree_bytes(stats.text.len())))
}

fn cached_plans(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmExecCachedPlans>> {
    let rows = texts_of(ctx).into_iter().map(|(id, (stats, uses))| {
        let kind = if stats.object == 0 { "Adhoc" } else { "Proc" };
        let bucket = i32::try_from(id % 40_009).unwrap_or(0);
        let size = i32::try_from(tree_bytes(stats.text.len())).unwrap_or(i32::MAX);
        DmExecCachedPlans {
            bucketid: bucket,
            refcounts: int(Arc::strong_count(&stats)),
            usecounts: int(uses),
            size_in_bytes: size,
            memory_object_address: bytes(&id.to_be_bytes()),
            cacheobjtype: text("Compiled Plan"),
            objtype: text(kind),
            plan_handle: handle(PLAN_HANDLE, id),
            pool_id: 2,
        }
    });
    Ok(rows.collect())
}

/// A text that is kept, or runs: what a handle names.
pub(crate) struct KeptText {
    pub(crate) id: u64,
    pub(crate) database: u16,
    /// Module, or 0.
    pub(crate) object: i32,
    pub(crate) text: Arc<str>,
    /// Its module was made WITH ENCRYPTION.
    pub(crate) encrypted: bool,
}

/// The text of a handle.
pub(crate) fn kept_text(ctx: &RunContext, handle: &Value) -> Option<KeptText> {
    let wanted = text_of_handle(handle)?;
    let counted = || {
        let found = ctx.engine.statements().all().into_iter().find(|stats| stats.text_id == wanted)?;
        Some((found.database, found.object, Arc::clone(&found.text)))
    };
    // What runs is asked for most; it may not have been counted yet.
    let running = ctx.engine.sessions().iter().find_map(|session| {
        let (found, ..) = session.statement.now()?;
        (found.id == wanted).then_some((found.database, found.object, found.text))
    });
    let (database, object, text) = running.or_else(counted)?;
    let encrypted = object != 0 && is_encrypted_module(&ctx.engine, DbId(database), object);
    Some(KeptText { id: wanted, database, object, text, encrypted })
}

fn sql_text(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecSqlText>> {
    let rows = kept_text(ctx, &args[0])
        .map(|found| DmExecSqlText { of: TextOf::of(&found), text: (!found.encrypted).then(|| text(&found.text)) });
    Ok(rows.into_iter().collect())
}
