//! `sys.dm_exec_input_buffer`: what a session has sent last, for it and DBCC INPUTBUFFER.

use millpond_builtin::TableFunctionDef;
use millpond_engine::context::RunContext;
use millpond_engine::session_shared::SessionShared;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::columns::{NVarChar, small, text};
use crate::dynamic::sessions::seen_sessions;
use crate::row::{Rows, row, table_function};

row! {
    /// A row of `sys.dm_exec_input_buffer`.
    struct DmExecInputBuffer {
        event_type: NVarChar<256>,
        parameters: i16,
        event_info: Option<NVarChar<4000>>,
    }
}

/// `sys.dm_exec_input_buffer(session_id, request_id)`
pub static DM_EXEC_INPUT_BUFFER: TableFunctionDef =
    table_function!("sys", "dm_exec_input_buffer", [i16, i32], optional 0, DmExecInputBuffer, rows);

/// Characters that are shown.
const TEXT_LEN_MAX: usize = 4000;

/// What a session has sent last: its kind, how many parameters a call had, and its text, unless a password may be in it.
pub fn input_of(session: &SessionShared) -> (&'static str, i16, Option<String>) {
    let status = session.status.lock().clone();
    let kind = match status.last_parameters {
        Some(_) => "RPC Event",
        None if status.last_text.is_empty() => "No Event",
        None => "Language Event",
    };
    let shown = status.shown_text().map(|text| text.chars().take(TEXT_LEN_MAX).collect());
    (kind, small(status.last_parameters.unwrap_or(0)), shown)
}

fn rows(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecInputBuffer>> {
    // Each session has one request, the number 0.
    if args[1].as_i64().is_some_and(|request| request != 0) {
        return Ok(Rows::new());
    }
    let wanted = args[0].as_i64();
    let sessions = seen_sessions(ctx)?;
    let found = sessions.iter().find(|session| Some(i64::from(session.id.0)) == wanted);
    Ok(found.map_or_else(Rows::new, |session| {
        let (kind, parameters, shown) = input_of(session);
        Rows::one(DmExecInputBuffer { event_type: text(kind), parameters, event_info: shown.map(|shown| text(&shown)) })
    }))
}
