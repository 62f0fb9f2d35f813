//! From a record to its values. Every offset read from the record is checked before it is used (R2).

use crate::row::bytes::read_value;
use crate::row::scalar::damaged;
use crate::row::{HAS_NULL_BITMAP, HAS_VARIABLE, HEADER_BYTES, Place, RowError, RowLayout, bitmap_bytes};
use crate::value::Value;

/// An offset with this bit leads to a value outside the record, which this format does not have.
const OFF_ROW: usize = 0x8000;

/// A record whose frame is checked: the parts named here lie inside it.
pub(super) struct Record<'a, 'l> {
    layout: &'l RowLayout,
    bytes: &'a [u8],
    /// End of the fixed columns.
    fixed_end: usize,
    column_count: usize,
    variable_count: usize,
    /// Where the end offsets of the variable columns begin.
    offsets: usize,
}

impl<'a, 'l> Record<'a, 'l> {
    pub(super) fn open(layout: &'l RowLayout, bytes: &'a [u8]) -> Result<Self, RowError> {
        let status = *bytes.first().ok_or(damaged("empty record"))?;
        if status & HAS_NULL_BITMAP == 0 {
            return Err(damaged("no null bitmap"));
        }
        let fixed_end = read_u16(bytes, HEADER_BYTES - 2)?;
        if fixed_end < HEADER_BYTES {
            return Err(damaged("fixed part ends inside the header"));
        }
        let column_count = read_u16(bytes, fixed_end)?;
        let bitmap_end = fixed_end + 2 + bitmap_bytes(column_count);
        if bitmap_end > bytes.len() {
            return Err(damaged("null bitmap outside the record"));
        }
        let (variable_count, offsets) = variable_part(status, bytes, bitmap_end)?;
        Ok(Self { layout, bytes, fixed_end, column_count, variable_count, offsets })
    }

    pub(super) fn is_null(&self, column: usize) -> Result<bool, RowError> {
        if column >= self.layout.types.len() {
            return Err(RowError::ColumnCount { given: column + 1, wanted: self.layout.types.len() });
        }
        // R3: a column added after the record was written.
        if column >= self.column_count {
            return Ok(true);
        }
        Ok(self.bytes[self.fixed_end + 2 + column / 8] & (1 << (column % 8)) != 0)
    }

    pub(super) fn raw(&self, column: usize) -> Result<Option<&'a [u8]>, RowError> {
        if self.is_null(column)? {
            return Ok(None);
        }
        let (start, end) = match self.layout.places[column] {
            Place::Fixed { start, end } => (start, end),
            Place::Bit { byte, .. } => (byte, byte + 1),
            Place::Variable { index } => return self.variable(index).map(Some),
        };
        if end > self.fixed_end {
            return Err(damaged("fixed column outside the fixed part"));
        }
        Ok(Some(&self.bytes[start..end]))
    }

    pub(super) fn value(&self, column: usize) -> Result<Value, RowError> {
        let Some(bytes) = self.raw(column)? else {
            return Ok(Value::Null);
        };
        if let Place::Bit { mask, .. } = self.layout.places[column] {
            return Ok(Value::Bit(bytes[0] & mask != 0));
        }
        read_value(bytes, &self.layout.types[column])
    }

    fn variable(&self, index: usize) -> Result<&'a [u8], RowError> {
        if index >= self.variable_count {
            return Ok(&[]);
        }
        let start = match index {
            0 => self.offsets + 2 * self.variable_count,
            _ => read_u16(self.bytes, self.offsets + 2 * (index - 1))?,
        };
        let end = read_u16(self.bytes, self.offsets + 2 * index)?;
        if (start | end) & OFF_ROW != 0 {
            return Err(damaged("variable column is stored off-row"));
        }
        self.bytes.get(start..end).ok_or(damaged("variable column outside the record"))
    }
}

/// Count of variable columns and where their offsets begin.
fn variable_part(status: u8, bytes: &[u8], bitmap_end: usize) -> Result<(usize, usize), RowError> {
    if status & HAS_VARIABLE == 0 {
        return Ok((0, bitmap_end));
    }
    let count = read_u16(bytes, bitmap_end)?;
    let offsets = bitmap_end + 2;
    if offsets + 2 * count > bytes.len() {
        return Err(damaged("variable offsets outside the record"));
    }
    Ok((count, offsets))
}

fn read_u16(bytes: &[u8], at: usize) -> Result<usize, RowError> {
    match bytes.get(at..at + 2) {
        Some(&[low, high]) => Ok(usize::from(u16::from_le_bytes([low, high]))),
        _ => Err(damaged("offset outside the record")),
    }
}
