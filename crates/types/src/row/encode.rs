//! From a row to its record, in one pass into the caller's bytes.
//!
//! NULL leaves zeros in a fixed column, so that equal rows have equal records and no old bytes shine through.

use crate::row::bytes::{put_variable, variable_len};
use crate::row::cell::{Cell, LobPointer};
use crate::row::scalar::put_fixed;
use crate::row::{
    HAS_NULL_BITMAP, HAS_VARIABLE, HEADER_BYTES, MAX_RECORD_BYTES, OFF_ROW, Place, RowError, RowLayout, bitmap_bytes,
};
use crate::sql_type::SqlType;
use crate::value::Value;

/// What a row consists of: values, or cells. What is compiled for values knows that there are no others.
pub(super) trait Content {
    fn cell(&self) -> Cell<'_>;
}

impl Content for Value {
    #[inline]
    fn cell(&self) -> Cell<'_> {
        Cell::Value(self)
    }
}

impl Content for Cell<'_> {
    #[inline]
    fn cell(&self) -> Cell<'_> {
        *self
    }
}

/// Sizes that depend on the row's values.
pub(super) struct Measure {
    pub(super) record_bytes: usize,
    /// Variable columns up to the last that has bytes.
    variable_count: usize,
}

/// Counts the bytes of the variable columns.
pub(super) fn measure(layout: &RowLayout, row: &[impl Content]) -> Measure {
    let (mut data_bytes, mut variable_count) = (0, 0);
    for (cell, place, sql_type) in columns(layout, row) {
        let Place::Variable { index } = *place else {
            continue;
        };
        let bytes = cell_len(cell, sql_type);
        if bytes > 0 {
            data_bytes += bytes;
            variable_count = index + 1;
        }
    }
    let offsets_bytes = if variable_count == 0 { 0 } else { 2 + 2 * variable_count };
    Measure { record_bytes: layout.max_fixed_len() + offsets_bytes + data_bytes, variable_count }
}

fn columns<'a>(
    layout: &'a RowLayout,
    row: &'a [impl Content],
) -> impl Iterator<Item = (Cell<'a>, &'a Place, &'a SqlType)> {
    row.iter().zip(&layout.places).zip(&layout.types).map(|((content, place), sql_type)| {
        let cell = content.cell();
        (cell, place, sql_type)
    })
}

/// Bytes in a variable column.
#[inline]
pub(super) fn cell_len(cell: Cell<'_>, sql_type: &SqlType) -> usize {
    match cell {
        Cell::Null => 0,
        Cell::Value(value) => variable_len(value, sql_type),
        Cell::Inline(bytes) => bytes.len(),
        Cell::OffRow(_) => LobPointer::BYTES,
    }
}

pub(super) fn encode_into(layout: &RowLayout, row: &[impl Content], out: &mut [u8]) -> Result<usize, RowError> {
    if row.len() != layout.types.len() {
        return Err(RowError::ColumnCount { given: row.len(), wanted: layout.types.len() });
    }
    let measure = if layout.variable_count == 0 {
        Measure { record_bytes: layout.max_fixed_len(), variable_count: 0 }
    } else {
        measure(layout, row)
    };
    let bytes = measure.record_bytes;
    if bytes > MAX_RECORD_BYTES {
        return Err(RowError::TooLong { bytes });
    }
    let record = out.get_mut(..bytes).ok_or(RowError::BufferTooShort { bytes })?;
    write_frame(layout, record, measure.variable_count);
    write_columns(layout, row, record, measure.variable_count)?;
    Ok(bytes)
}

/// Everything but the columns; the null bitmap is cleared.
pub(super) fn write_frame(layout: &RowLayout, record: &mut [u8], variable_count: usize) {
    record[0] = if variable_count == 0 { HAS_NULL_BITMAP } else { HAS_NULL_BITMAP | HAS_VARIABLE };
    record[1] = 0;
    // All sizes are below MAX_RECORD_BYTES here, so they fit 16 bits.
    put_u16(record, HEADER_BYTES - 2, layout.fixed_end);
    put_u16(record, layout.fixed_end, layout.types.len());
    let bitmap = layout.bitmap_start()..layout.max_fixed_len();
    record[bitmap].fill(0);
    if variable_count > 0 {
        put_u16(record, layout.max_fixed_len(), variable_count);
    }
}

fn write_columns(
    layout: &RowLayout,
    row: &[impl Content],
    record: &mut [u8],
    variable_count: usize,
) -> Result<(), RowError> {
    let bitmap_start = layout.bitmap_start();
    debug_assert_eq!(bitmap_start + bitmap_bytes(row.len()), layout.max_fixed_len());
    let offsets = layout.max_fixed_len() + 2;
    let mut data_end = offsets + 2 * variable_count;
    for (column, (cell, place, sql_type)) in columns(layout, row).enumerate() {
        if matches!(cell, Cell::Null | Cell::Value(Value::Null)) {
            record[bitmap_start + column / 8] |= 1 << (column % 8);
        }
        let written = match *place {
            Place::Fixed { start, end } => put_fixed_cell(cell, sql_type, &mut record[start..end]),
            Place::Bit { byte, mask } => put_bit(cell, &mut record[byte], mask),
            Place::Variable { index } if index < variable_count => {
                let start = data_end;
                data_end += cell_len(cell, sql_type);
                let flag = if matches!(cell, Cell::OffRow(_)) { OFF_ROW } else { 0 };
                put_u16(record, offsets + 2 * index, data_end | flag);
                put_variable_cell(cell, sql_type, &mut record[start..data_end])
            }
            Place::Variable { .. } => put_variable_cell(cell, sql_type, &mut []),
        };
        written.ok_or(RowError::WrongValue { column })?;
    }
    Ok(())
}

#[inline]
fn put_fixed_cell(cell: Cell<'_>, sql_type: &SqlType, slot: &mut [u8]) -> Option<()> {
    match cell {
        Cell::Value(value) => put_fixed(value, sql_type, slot),
        Cell::Null => put_fixed(&Value::Null, sql_type, slot),
        Cell::Inline(bytes) if bytes.len() == slot.len() => {
            slot.copy_from_slice(bytes);
            Some(())
        }
        Cell::Inline(_) | Cell::OffRow(_) => None,
    }
}

#[inline]
fn put_variable_cell(cell: Cell<'_>, sql_type: &SqlType, slot: &mut [u8]) -> Option<()> {
    match cell {
        Cell::Value(value) => put_variable(value, sql_type, slot),
        Cell::Null => Some(()),
        Cell::Inline(bytes) if sql_type.max_bytes().is_none_or(|max| bytes.len() <= max as usize) => {
            slot.copy_from_slice(bytes);
            Some(())
        }
        Cell::Inline(_) => None,
        Cell::OffRow(pointer) => {
            slot.copy_from_slice(&pointer.to_bytes());
            Some(())
        }
    }
}

pub(super) fn put_u16(record: &mut [u8], at: usize, n: usize) {
    record[at..at + 2].copy_from_slice(&(n as u16).to_le_bytes());
}

/// The first column of a shared byte clears it; the others follow in column order.
fn put_bit(cell: Cell<'_>, byte: &mut u8, mask: u8) -> Option<()> {
    if mask == 1 {
        *byte = 0;
    }
    match cell {
        Cell::Value(Value::Bit(true)) | Cell::Inline([1]) => *byte |= mask,
        Cell::Value(Value::Bit(false) | Value::Null) | Cell::Null | Cell::Inline([0]) => {}
        _ => return None,
    }
    Some(())
}
