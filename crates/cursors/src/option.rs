//! sp_cursoroption and sp_cursorclose: what a cursor is, its name, and its end.

use std::sync::Arc;

use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::SqlError;
use millpond_types::{SqlType, Value};

use crate::answer::{Failure, Procedure, number, told, wanted};
use crate::host::{Host, Outputs};
use crate::options::invalid;
use crate::texts;

/// All cursors of the connection.
const ALL: i32 = -1;

/// 16909
#[must_use]
pub fn invalid_handle(procedure: &str, handle: i32) -> Failure {
    Failure { status: 1, ..SqlError::of(16_909, 1, &[&procedure, &format_args!("{handle:x}")]).into() }
}

/// `sp_cursorclose cursor`
///
/// # Errors
/// 16909
pub fn sp_cursorclose(host: &mut dyn Host, args: &[CallArg]) -> Result<i32, Failure> {
    let handle = wanted(Procedure::Close, args, 0, "cursor")?;
    if handle == ALL {
        for handle in host.kept().handles() {
            close(host, handle);
        }
        return Ok(0);
    }
    if close(host, handle) { Ok(0) } else { Err(invalid_handle(Procedure::Close.name(), handle)) }
}

/// Closes a cursor, which is gone then under its name too; whether there was one.
pub fn close(host: &mut dyn Host, handle: i32) -> bool {
    let Some(cursor) = host.kept().take(handle) else { return false };
    cursor.cursor.lock().close();
    if let Some(name) = &cursor.name {
        let is_it = host.named().get(name).is_some_and(|named| match named {
            Some(named) => Arc::ptr_eq(named, &cursor.cursor),
            None => false,
        });
        if is_it {
            host.named().remove(name);
        }
    }
    true
}

/// `sp_cursoroption cursor, code, value`
///
/// # Errors
/// 16909, 16902; 16915 for a name that a cursor has, 16926 for a column without a text pointer.
pub fn sp_cursoroption(host: &mut dyn Host, args: &[CallArg], outputs: &mut Outputs) -> Result<i32, Failure> {
    let procedure = Procedure::Option;
    let refused = |name| Failure { status: 1, ..invalid(procedure.name(), name, 1).into() };
    let handle = wanted(procedure, args, 0, "cursor")?;
    let code = wanted(procedure, args, 1, "code")?;
    let Some(cursor) = host.kept().get(handle) else { return Err(invalid_handle(procedure.name(), handle)) };
    match code {
        // TEXTPTR_ONLY
        1 => {
            let column = number(procedure, args, 2, "value")?.unwrap_or(0);
            let is_large = |column: &millpond_message::sink::Column| {
                matches!(
                    column.sql_type,
                    SqlType::VarChar { .. } | SqlType::NVarChar { .. } | SqlType::VarBinary { .. }
                ) && column.sql_type.max_len() == Some(millpond_types::MaxLen::Max)
            };
            let shown = cursor.columns.len() as i64 - 1;
            let has = match usize::try_from(column) {
                Ok(0) => true,
                Ok(column) if (column as i64) <= shown => is_large(&cursor.columns[column - 1]),
                _ => false,
            };
            if !has {
                return Err(Failure { status: 1, ..SqlError::of(16_926, 1, &[&column]).into() });
            }
            return Err(message::missing("Text pointers of cursors (TEXTPTR_ONLY of sp_cursoroption)").into());
        }
        // CURSOR_NAME
        2 => {
            let name = args[2].value.as_ref().and_then(Value::as_str).filter(|name| !name.is_empty());
            let name = name.ok_or_else(|| refused("value"))?.to_owned();
            let (key, known, before) = (name.to_lowercase(), Arc::clone(&cursor.cursor), cursor.name.clone());
            if before.as_ref() == Some(&key) {
                return Ok(0);
            }
            if host.named().contains_key(&key) || key == texts::key() {
                return Err(Failure { status: 1, ..SqlError::of(16_915, 1, &[&name]).into() });
            }
            host.named().extend([(key.clone(), Some(known))]);
            if let Some(before) = before {
                host.named().remove(&before);
            }
            if let Some(cursor) = host.kept().get(handle) {
                cursor.name = Some(key);
            }
        }
        // TEXTDATA: what is always so.
        3 => {}
        // SCROLLOPT, CCOPT, ROWCOUNT
        4 => outputs.push(told(2, Some(cursor.given.scroll))),
        5 => outputs.push(told(2, Some(cursor.given.concurrency))),
        6 => {
            let count = cursor.cursor.lock().open.as_ref().map_or(0, |open| open.rows.len());
            let rows = if cursor.given.counts_rows() { i32::try_from(count).unwrap_or(i32::MAX) } else { -1 };
            outputs.push(told(2, Some(rows)));
        }
        _ => return Err(refused("code")),
    }
    Ok(0)
}
