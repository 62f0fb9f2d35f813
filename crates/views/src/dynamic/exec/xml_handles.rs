//! `sys.dm_exec_xml_handles`: the documents that sessions have prepared for OPENXML.
//!
//! What always holds: everybody sees those of the own session; others', and all with 0, VIEW SERVER STATE. A document's namespaces are
//! kept with it and have no handle of their own: `namespace_document_id` is that of the document where some were given.

use millpond_builtin::TableFunctionDef;
use millpond_engine::account::running_statement::SQL_HANDLE;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{DateTime, Value};

use crate::columns::{VarBinary, big, datetime_of, int};
use crate::dynamic::sessions::seen_sessions;
use crate::dynamic::statements::handle;
use crate::row::{Rows, row, table_function};

row! {
    /// A row of `sys.dm_exec_xml_handles`.
    struct DmExecXmlHandles {
        session_id: i32,
        document_id: i32,
        namespace_document_id: Option<i32>,
        sql_handle: Option<VarBinary<64>>,
        statement_start_offset: i32,
        statement_end_offset: i32,
        creation_time: DateTime,
        original_document_size_bytes: i64,
        original_namespace_document_size_bytes: Option<i64>,
        num_openxml_calls: i64,
        row_count: i64,
        dormant_duration_ms: i64,
    }
}

/// `sys.dm_exec_xml_handles(session_id)`: 0 for all sessions.
pub static DM_EXEC_XML_HANDLES: TableFunctionDef =
    table_function!("sys", "dm_exec_xml_handles", [i32], optional 0, DmExecXmlHandles, handles);

fn handles(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmExecXmlHandles>> {
    let Some(wanted) = args.first().and_then(Value::as_i64) else { return Ok(Rows::new()) };
    let mut rows = Rows::new();
    for session in seen_sessions(ctx)?.iter().filter(|one| wanted == 0 || i64::from(one.id.0) == wanted) {
        rows.extend(session.documents.all().iter().map(|(document, prepared)| {
            let (source, (calls, found, idle)) = (&prepared.source, prepared.used.so_far());
            let (start, end) = source.statement.map_or((0, 0), |(_, offsets)| offsets);
            DmExecXmlHandles {
                session_id: int(session.id.0),
                document_id: *document,
                namespace_document_id: source.namespaces_bytes.map(|_| *document),
                sql_handle: source.statement.map(|(text, _)| handle(SQL_HANDLE, text)),
                statement_start_offset: start,
                statement_end_offset: end,
                creation_time: datetime_of(source.made_us),
                original_document_size_bytes: big(source.text_bytes),
                original_namespace_document_size_bytes: source.namespaces_bytes.map(big),
                num_openxml_calls: big(calls),
                row_count: big(found),
                dormant_duration_ms: big(idle.as_millis()),
            }
        }));
    }
    Ok(rows)
}
