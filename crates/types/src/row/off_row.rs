//! Which values of a row leave it when the row does not fit a record.

use crate::row::cell::{Cell, LobPointer};
use crate::row::encode::{Content, cell_len, measure};
use crate::row::{RowError, RowLayout};
use crate::sql_type::SqlType;

/// A `(max)` value of at most so many bytes may stay in its row.
const INLINE_BYTES_MAX: usize = SqlType::BYTES_MAX as usize;

/// A variable column's value while the choice is made.
struct Candidate {
    column: usize,
    bytes: usize,
    is_unbounded: bool,
}

/// What is outside already stays there.
pub(super) fn choose(layout: &RowLayout, row: &[impl Content], room_bytes: usize) -> Result<Vec<usize>, RowError> {
    if row.len() != layout.types.len() {
        return Err(RowError::ColumnCount { given: row.len(), wanted: layout.types.len() });
    }
    let mut record_bytes = measure(layout, row).record_bytes;
    let mut chosen = Vec::new();
    if record_bytes <= room_bytes {
        // A `(max)` value of 8001 bytes may fit its record, but its bound is 8000 wherever it stands.
        return Ok(too_long(layout, row).map(|candidate| candidate.column).collect());
    }
    let mut candidates: Vec<_> = candidates(layout, row).filter(|found| found.bytes > LobPointer::BYTES).collect();
    candidates.sort_by_key(|found| (is_too_long(found), found.is_unbounded, found.bytes));
    while let Some(largest) = candidates.pop_if(|found| record_bytes > room_bytes || is_too_long(found)) {
        record_bytes -= largest.bytes - LobPointer::BYTES;
        chosen.push(largest.column);
    }
    if record_bytes > room_bytes {
        return Err(RowError::TooLong { bytes: record_bytes });
    }
    chosen.sort_unstable();
    Ok(chosen)
}

fn is_too_long(candidate: &Candidate) -> bool {
    candidate.is_unbounded && candidate.bytes > INLINE_BYTES_MAX
}

fn too_long<'a>(layout: &'a RowLayout, row: &'a [impl Content]) -> impl Iterator<Item = Candidate> + 'a {
    candidates(layout, row).filter(is_too_long)
}

fn candidates<'a>(layout: &'a RowLayout, row: &'a [impl Content]) -> impl Iterator<Item = Candidate> + 'a {
    let typed = row.iter().zip(&layout.types).enumerate();
    typed
        .filter(|(_, (content, sql_type))| sql_type.is_variable_length() && !matches!(content.cell(), Cell::OffRow(_)))
        .map(|(column, (content, sql_type))| Candidate {
            column,
            bytes: cell_len(content.cell(), sql_type),
            is_unbounded: sql_type.is_unbounded(),
        })
}
