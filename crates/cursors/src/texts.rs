//! The texts by which API cursors are T-SQL's, and what the text of a client is.
//!
//! What always holds: the name in them is the same for all cursors, so that their plans are kept; a cursor has it only while one
//! of these texts runs.

use std::sync::Arc;

use millpond_code::prepared_calls::{Declarations, Prepared};
use millpond_engine::account::cursor_accounts::API_NAME;
use millpond_engine::parsed::ParsedBatch;
use millpond_message::error::SqlResult;
use millpond_tsql::ast::{ObjectName, Query, QueryBody, SelectItem, StatementKind};
use millpond_tsql::print::bracketed;

use crate::host::Host;
use crate::options::Asked;

/// What a client's text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One query that a cursor can be over.
    Query,
    /// A call of a procedure of one query.
    Procedure,
    /// Anything else.
    Other,
}

/// The key of [`API_NAME`] among the cursors of a session.
#[must_use]
pub fn key() -> String {
    API_NAME.to_lowercase()
}

/// `DECLARE … CURSOR … FOR text`
#[must_use]
pub fn declare(asked: Asked, text: &str) -> String {
    format!("DECLARE {API_NAME} CURSOR {} FOR {text}", asked.words())
}

/// A text without parameters.
#[must_use]
pub fn plain(text: &str) -> Prepared {
    Prepared { text: Arc::from(text), declared: Arc::<Declarations>::default() }
}

/// `OPEN …`
#[must_use]
pub fn open() -> Prepared {
    plain(&format!("OPEN GLOBAL {API_NAME}"))
}

/// `WHERE CURRENT OF …`
#[must_use]
pub fn current() -> String {
    format!("WHERE CURRENT OF GLOBAL {API_NAME}")
}

/// What a text is.
///
/// # Errors
/// Those of its syntax.
pub fn shape(host: &mut dyn Host, asked: Asked, text: &str) -> SqlResult<Shape> {
    // FOR UPDATE stands in a cursor's query alone.
    if let Ok(parsed) = host.parse(&declare(asked, text)) {
        return Ok(if is_query(&parsed) { Shape::Query } else { Shape::Other });
    }
    let parsed = host.parse(text)?;
    let [statement] = &parsed.batch.statements[..] else { return Ok(Shape::Other) };
    let StatementKind::Execute(execute) = &statement.kind else { return Ok(Shape::Other) };
    Ok(if host.is_single_select(&execute.procedure) { Shape::Procedure } else { Shape::Other })
}

fn is_query(parsed: &ParsedBatch) -> bool {
    let [statement] = &parsed.batch.statements[..] else { return false };
    matches!(&statement.kind, StatementKind::DeclareCursor(declare) if gives_rows(&declare.cursor.query))
}

/// Whether a query gives rows to its client and nothing else, as rows.
fn gives_rows(query: &Query) -> bool {
    query.for_clause.is_none() && body_gives_rows(&query.body)
}

fn body_gives_rows(body: &QueryBody) -> bool {
    match body {
        QueryBody::Select(select) => {
            select.into.is_none() && !select.items.iter().any(|item| matches!(item, SelectItem::Assign(_)))
        }
        QueryBody::Nested(query) => gives_rows(query),
        QueryBody::Values(_) => true,
        QueryBody::SetOperation { left, .. } => body_gives_rows(left),
    }
}

/// A name as a text has it.
#[must_use]
pub fn printed(name: &ObjectName) -> String {
    let part = |part: &String| if part.is_empty() { String::new() } else { bracketed(part) };
    name.parts.iter().map(part).collect::<Vec<String>>().join(".")
}
