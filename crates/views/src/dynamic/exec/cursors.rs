//! Cursors of sessions: `sys.dm_exec_cursors`, and those of the own session for `sp_cursor_list` and its kin, which anybody may call:
//! `sys.dm_millpond_cursors`, `sys.dm_millpond_cursor_columns`, `sys.dm_millpond_cursor_tables`.
//!
//! What always holds: a cursor is shown from its DECLARE to its end, open or not. Elapsed time stands for the time of workers, which
//! run nothing else meanwhile; nothing is written through a cursor but by UPDATE and DELETE, which are counted with their statements.
//! Those of clients' libraries (`sp_cursoropen`) are in the first alone, without a name.

use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::account::cursor_accounts::{CursorAccount, CursorFigures};
use millpond_engine::account::running_statement::SQL_HANDLE;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{DateTime, Value};

use crate::columns::{NVarChar, Sysname, VarBinary, big, datetime_of, int, maybe, text};
use crate::dynamic::statements::handle;
use crate::row::{Rows, ViewRows, row, table_function, view};

row! {
    /// A row of `sys.dm_exec_cursors`.
    struct DmExecCursors {
        session_id: i32,
        cursor_id: i32,
        name: Option<NVarChar<256>>,
        properties: NVarChar<256>,
        sql_handle: VarBinary<64>,
        statement_start_offset: i32,
        statement_end_offset: i32,
        plan_generation_num: i64,
        creation_time: DateTime,
        is_open: bool,
        is_async_population: bool,
        is_close_on_commit: bool,
        fetch_status: i32,
        fetch_buffer_size: i32,
        fetch_buffer_start: i32,
        ansi_position: i32,
        worker_time: i64,
        reads: i64,
        writes: i64,
        dormant_duration: i64,
    }
}

/// `sys.dm_exec_cursors(session_id)`: 0 for all sessions.
pub static DM_EXEC_CURSORS: TableFunctionDef =
    table_function!("sys", "dm_exec_cursors", [i32], optional 0, DmExecCursors, cursors);

row! {
    /// A row of `sys.dm_millpond_cursors`.
    struct DmMillpondCursors {
        cursor_handle: i32,
        name: Sysname,
        is_local: bool,
        nest_level: i32,
        status: i16,
        model: u8,
        concurrency: u8,
        scrollable: u8,
        open_status: u8,
        cursor_rows: i32,
        fetch_status: i32,
        column_count: i16,
        row_count: i32,
        last_operation: u8,
    }
}

/// `sys.dm_millpond_cursors`: those of the session that asks.
pub static DM_MILLPOND_CURSORS: ViewDef = view("sys", "dm_millpond_cursors", &ViewRows(own_cursors));

row! {
    /// A row of `sys.dm_millpond_cursor_columns`.
    struct DmMillpondCursorColumns {
        cursor_handle: i32,
        column_name: Option<Sysname>,
        ordinal_position: i32,
        is_nullable: bool,
        system_type_name: Sysname,
        column_size: i32,
        column_precision: u8,
        column_scale: u8,
    }
}

/// `sys.dm_millpond_cursor_columns`
pub static DM_MILLPOND_CURSOR_COLUMNS: ViewDef = view("sys", "dm_millpond_cursor_columns", &ViewRows(own_columns));

row! {
    /// A row of `sys.dm_millpond_cursor_tables`.
    struct DmMillpondCursorTables {
        cursor_handle: i32,
        table_owner: Sysname,
        table_name: Sysname,
        objectid: i32,
        dbid: i32,
        dbname: Option<Sysname>,
    }
}

/// `sys.dm_millpond_cursor_tables`
pub static DM_MILLPOND_CURSOR_TABLES: ViewDef = view("sys", "dm_millpond_cursor_tables", &ViewRows(own_tables));

/// `TSQL | Dynamic | Optimistic | Global (0)`
fn properties(cursor: &CursorAccount) -> String {
    let model = match cursor.form.model {
        1 => "Snapshot",
        2 => "Keyset",
        3 => "Dynamic",
        _ => "Fast_Forward",
    };
    let concurrency = match cursor.form.concurrency {
        1 => "Read Only",
        2 => "Scroll Locks",
        _ => "Optimistic",
    };
    let scope = if cursor.place.is_local { "Local" } else { "Global" };
    let kind = if cursor.is_api() { "API" } else { "TSQL" };
    format!("{kind} | {model} | {concurrency} | {scope} ({})", cursor.place.nest_level)
}

/// Whether the rows of OPEN are its own: what is there later is not among them.
fn has_rows_of_its_own(cursor: &CursorAccount) -> bool {
    matches!(cursor.form.model, 1 | 2)
}

/// `fetch_buffer_start`: where it stands, as far as the view tells.
fn buffer_start(cursor: &CursorAccount, figures: &CursorFigures) -> i32 {
    match (figures.is_open, figures.position) {
        (false, _) | (true, 0) => 0,
        (true, position) if has_rows_of_its_own(cursor) && position <= figures.rows => int(position),
        _ => -1,
    }
}

fn cursors(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecCursors>> {
    let Some(wanted) = args.first().and_then(Value::as_i64) else { return Ok(Rows::new()) };
    let now_us = ctx.engine.now_us().1;
    let mut rows = Rows::new();
    for session in ctx.engine.sessions().iter().filter(|one| wanted == 0 || i64::from(one.id.0) == wanted) {
        rows.extend(session.cursors.all().iter().map(|cursor| {
            let (figures, (declaring, start, end)) = (cursor.figures(), &cursor.query.statement);
            let (start, end) = declaring.offsets(*start, *end);
            let on_row = figures.is_open && (1..=figures.rows).contains(&figures.position);
            DmExecCursors {
                session_id: int(session.id.0),
                cursor_id: cursor.id,
                name: (!cursor.is_api()).then(|| text(&cursor.place.name)),
                properties: text(&properties(cursor)),
                sql_handle: handle(SQL_HANDLE, declaring.id),
                statement_start_offset: start,
                statement_end_offset: end,
                plan_generation_num: 1,
                creation_time: datetime_of(cursor.made_us),
                is_open: figures.is_open,
                is_async_population: false,
                is_close_on_commit: cursor.place.closes_on_commit,
                fetch_status: figures.fetch_status,
                fetch_buffer_size: int(figures.buffer),
                fetch_buffer_start: buffer_start(cursor, &figures),
                ansi_position: i32::from(on_row),
                worker_time: big(figures.worker_us),
                reads: big(figures.reads),
                writes: 0,
                dormant_duration: ((now_us - figures.last_us) / 1000).max(0),
            }
        }));
    }
    Ok(rows)
}

/// The cursors of the own session that have a name.
fn named(ctx: &RunContext) -> Vec<Arc<CursorAccount>> {
    ctx.session.cursors.all().into_iter().filter(|cursor| !cursor.is_api()).collect()
}

/// What CURSOR_STATUS says of it.
fn status(cursor: &CursorAccount, figures: &CursorFigures) -> i16 {
    match figures.is_open {
        false => -1,
        true => i16::from(!has_rows_of_its_own(cursor) || figures.rows > 0),
    }
}

fn own_cursors(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<DmMillpondCursors>> {
    let row = |cursor: &Arc<CursorAccount>| {
        let figures = cursor.figures();
        DmMillpondCursors {
            cursor_handle: cursor.id,
            name: text(&cursor.place.name),
            is_local: cursor.place.is_local,
            nest_level: int(cursor.place.nest_level),
            status: status(cursor, &figures),
            model: cursor.form.model,
            concurrency: cursor.form.concurrency,
            scrollable: u8::from(cursor.form.scrolls),
            open_status: u8::from(figures.is_open),
            // How many rows a dynamic one has is not known before its last FETCH.
            cursor_rows: match figures.is_open {
                false => 0,
                true if has_rows_of_its_own(cursor) => int(figures.rows),
                true => -1,
            },
            fetch_status: figures.fetch_status,
            column_count: i16::try_from(cursor.query.columns.len()).unwrap_or(i16::MAX),
            row_count: int(figures.last_rows),
            last_operation: u8::try_from(figures.operation).unwrap_or(0),
        }
    };
    Ok(named(ctx).iter().map(row).collect())
}

fn own_columns(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<DmMillpondCursorColumns>> {
    let mut rows = Rows::new();
    for cursor in named(ctx) {
        rows.extend(cursor.query.columns.iter().zip(1..).map(|(column, position)| {
            let (precision, scale) = column.sql_type.precision_scale();
            DmMillpondCursorColumns {
                cursor_handle: cursor.id,
                column_name: maybe(Some(&*column.name).filter(|name| !name.is_empty())),
                ordinal_position: position,
                is_nullable: column.nullable,
                system_type_name: text(column.sql_type.name()),
                column_size: i32::from(millpond_engine::inventory::max_length(&column.sql_type)),
                column_precision: precision,
                column_scale: scale,
            }
        }));
    }
    Ok(rows)
}

fn own_tables(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<DmMillpondCursorTables>> {
    let mut rows = Rows::new();
    for cursor in named(ctx) {
        rows.extend(cursor.query.tables.iter().map(|def| DmMillpondCursorTables {
            cursor_handle: cursor.id,
            table_owner: text(&def.schema.name),
            table_name: text(&def.name),
            objectid: def.id.0,
            dbid: int(def.database.0),
            dbname: maybe(ctx.engine.database_name(def.database).as_deref()),
        }));
    }
    Ok(rows)
}
