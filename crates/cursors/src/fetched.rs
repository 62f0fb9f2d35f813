//! The rows of a fetch on their way to the client.

use millpond_code::cursor_model::missed;
use millpond_message::error::SqlError;
use millpond_message::sink::{Done, DoneKind};
use millpond_message::text_size::TextSize;

use crate::answer::Failure;
use crate::fetch::{Block, Fetch};
use crate::host::Host;
use crate::option::invalid_handle;

/// DONE's command of SELECT.
pub const COMMAND_SELECT: u16 = 0xC1;

/// Sends the columns of a cursor and the rows of a fetch, if there is one; its status and how many rows have come.
///
/// # Errors
/// Those of reading.
pub fn fetch_rows(host: &mut dyn Host, handle: i32, fetch: Option<(Fetch, i32)>) -> Result<(i32, usize), Failure> {
    let Some(mut cursor) = host.kept().take(handle) else { return Err(invalid_handle("sp_cursorfetch", handle)) };
    let text_size = TextSize::of(host.text_size(), &cursor.columns);
    let columns = std::mem::take(&mut cursor.columns);
    let missing = missed(&columns[..columns.len() - 1], true);
    let mut block = Block { given: cursor.given, columns: &columns, text_size, missing };
    let (buffer, origins) = (&mut cursor.buffer, &cursor.origins);
    let mut done = (0, 0);
    let worked = host.moving(&cursor.cursor, &mut |held, mover| {
        if held.open.is_none() {
            return Err(SqlError::of(16_917, 2, &[]));
        }
        mover.columns(block.columns, origins)?;
        let Some((fetch, rows)) = fetch else { return Ok(()) };
        let fetched = block.fetch(held, mover, (fetch, i64::from(rows)), buffer);
        // A3, also where it failed: rows that have come are the buffer.
        buffer.set_to = 0;
        if let (Some(first), Some(open)) = (&buffer.first, &mut held.open) {
            first.restore(open);
        }
        held.account.buffered(buffer.count);
        done = (fetched?, buffer.count);
        Ok(())
    });
    cursor.columns = columns;
    host.kept().put(handle, cursor);
    worked?;
    let count = Some(done.1 as u64);
    host.sink().done(Done { kind: DoneKind::InProcedure, row_count: count, error: false, command: COMMAND_SELECT });
    Ok(done)
}
