//! `sys.dm_millpond_history_statements`, `_waits` and `_files`: what did most in each interval of the history.
//!
//! What always holds: a row is what one statement, type of waits or file did in an interval; those that did little are not there. A
//! statement counts when it ends. A text is what is kept of it, its begin; NULL where it has lost its place to others.

use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_history::category::category;
use millpond_history::parts::{self, Part, PartOf};
use millpond_history::ring::Reader;
use millpond_history::sample::{FileUse, StatementUse, TextId, WaitUse};
use millpond_message::error::SqlResult;
use millpond_types::{DateTime2, Value};

use super::{asked, reader, time, unreadable};
use crate::columns::{Binary, NVarChar, NVarCharMax, OfText, Sysname, big, bytes, maybe, text};
use crate::row::{RowPart, Rows, row, table_function};

row! {
    /// A row of `sys.dm_millpond_history_statements`.
    struct DmMillpondHistoryStatements {
        begin_time_utc: DateTime2,
        end_time_utc: DateTime2,
        query_hash: Binary<8>,
        database_name: Option<Sysname>,
        object_id: Option<i32>,
        statement_text: Option<NVarCharMax>,
        execution_count: i64,
        cpu_us: i64,
        elapsed_us: i64,
        logical_reads: i64,
        physical_reads: i64,
        logical_writes: i64,
        row_count: i64,
        spilled_pages: i64,
    }
}

/// `sys.dm_millpond_history_statements(@from, @to, @step_s)`
pub static DM_MILLPOND_HISTORY_STATEMENTS: TableFunctionDef = table_function!(
    "sys",
    "dm_millpond_history_statements",
    [DateTime2, DateTime2, i32],
    optional 0,
    DmMillpondHistoryStatements,
    |ctx, args| rows(ctx, args, statement)
);

row! {
    /// A row of `sys.dm_millpond_history_waits`.
    struct DmMillpondHistoryWaits {
        begin_time_utc: DateTime2,
        end_time_utc: DateTime2,
        wait_type: Option<NVarChar<60>>,
        category: NVarChar<60>,
        waiting_tasks_count: i64,
        wait_us: i64,
        signal_wait_us: i64,
    }
}

/// `sys.dm_millpond_history_waits(@from, @to, @step_s)`
pub static DM_MILLPOND_HISTORY_WAITS: TableFunctionDef = table_function!(
    "sys",
    "dm_millpond_history_waits",
    [DateTime2, DateTime2, i32],
    optional 0,
    DmMillpondHistoryWaits,
    |ctx, args| rows(ctx, args, wait)
);

row! {
    /// A row of `sys.dm_millpond_history_files`.
    struct DmMillpondHistoryFiles {
        begin_time_utc: DateTime2,
        end_time_utc: DateTime2,
        database_name: Option<Sysname>,
        file_name: Option<Sysname>,
        physical_name: Option<NVarChar<260>>,
        size_bytes: i64,
        reads: i64,
        read_bytes: i64,
        read_stall_us: i64,
        writes: i64,
        write_bytes: i64,
        write_stall_us: i64,
    }
}

/// `sys.dm_millpond_history_files(@from, @to, @step_s)`
pub static DM_MILLPOND_HISTORY_FILES: TableFunctionDef = table_function!(
    "sys",
    "dm_millpond_history_files",
    [DateTime2, DateTime2, i32],
    optional 0,
    DmMillpondHistoryFiles,
    |ctx, args| rows(ctx, args, file)
);

fn rows<P: Part, R: RowPart>(
    ctx: &RunContext,
    args: &[Value],
    row: fn(&mut Reader, PartOf<P>) -> R,
) -> SqlResult<Rows<R>> {
    let Some(mut reader) = reader(ctx)? else { return Ok(Rows::new()) };
    let (range, step_s) = asked(args);
    let (parts, _) = parts::read::<P>(&mut reader, range, step_s).map_err(|error| unreadable(&error))?;
    Ok(parts.into_iter().map(|part| row(&mut reader, part)).collect())
}

fn known<T: OfText>(reader: &mut Reader, id: TextId) -> Option<T> {
    maybe(reader.text(id).as_deref())
}

fn statement(reader: &mut Reader, of: PartOf<StatementUse>) -> DmMillpondHistoryStatements {
    let [executions, cpu_us, elapsed_us, logical_reads, physical_reads, logical_writes, rows, spilled_pages] =
        of.part.counters.map(big);
    DmMillpondHistoryStatements {
        begin_time_utc: time(of.begin_us),
        end_time_utc: time(of.end_us),
        query_hash: bytes(&of.part.query_hash.to_be_bytes()),
        database_name: known(reader, of.part.database),
        object_id: Some(of.part.object_id).filter(|id| *id != 0),
        statement_text: known(reader, of.part.text),
        execution_count: executions,
        cpu_us,
        elapsed_us,
        logical_reads,
        physical_reads,
        logical_writes,
        row_count: rows,
        spilled_pages,
    }
}

fn wait(reader: &mut Reader, of: PartOf<WaitUse>) -> DmMillpondHistoryWaits {
    let [waits, wait_us, signal_us] = of.part.counters.map(big);
    let wait_type: Option<Arc<str>> = reader.text(of.part.wait_type);
    DmMillpondHistoryWaits {
        begin_time_utc: time(of.begin_us),
        end_time_utc: time(of.end_us),
        category: text(category(wait_type.as_deref().unwrap_or_default()).name()),
        wait_type: maybe(wait_type.as_deref()),
        waiting_tasks_count: waits,
        wait_us,
        signal_wait_us: signal_us,
    }
}

fn file(reader: &mut Reader, of: PartOf<FileUse>) -> DmMillpondHistoryFiles {
    let [reads, read_bytes, read_stall_us, writes, write_bytes, write_stall_us] = of.part.counters.map(big);
    DmMillpondHistoryFiles {
        begin_time_utc: time(of.begin_us),
        end_time_utc: time(of.end_us),
        database_name: known(reader, of.part.database),
        file_name: known(reader, of.part.name),
        physical_name: known(reader, of.part.path),
        size_bytes: big(of.part.size_bytes),
        reads,
        read_bytes,
        read_stall_us,
        writes,
        write_bytes,
        write_stall_us,
    }
}
