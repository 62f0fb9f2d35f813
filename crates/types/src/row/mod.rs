//! Rows as records: SQL Server's in-row format.
//!
//! ```text
//!  0        status A: 0x10 null bitmap (always), 0x20 variable columns
//!  1        status B: 0
//!  2..4     F, the offset of the column count
//!  4..F     fixed columns in column order; up to 8 bit columns share the byte where the first of them stands
//!  F..F+2   column count n
//!  ..       null bitmap, ceil(n / 8) bytes, bit set = NULL
//!  -- only with 0x20 --
//!  ..       variable column count v (columns at the end that are empty or NULL are left out)
//!  ..       v end offsets from the record's start; with 0x8000 the column's value lies elsewhere
//!  ..       variable data: values, or 16 bytes that point to a large value
//! ```
//!
//! Numbers are little-endian. Text of `char`/`varchar` is in its type's code page, of `nchar`/`nvarchar` UTF-16.
//!
//! R1: a record that `encode_into` wrote decodes to the same row (texts padded, as `char` shows them).
//! R2: no bytes, however damaged, make decoding panic or read outside the record.
//! R3: a record with fewer columns than the layout is an older one; the columns it lacks are NULL.
//!
//! R4: what lies outside a record is named by a pointer that only the access layer understands.
//!
//! R5: a whole record is a record with the values that lie outside it after it, in column order: it decodes to the row
//! without anything else. Only pages hold records that are not whole.
//!
//! Knows nothing of pages, keys, or where a record lies.

mod bytes;
mod cell;
mod column;
mod encode;
mod off_row;
mod records;
mod scalar;
mod variant;
mod view;
mod whole;

use thiserror::Error;

use crate::sql_type::SqlType;
use crate::value::Value;

pub use bytes::{value_from_bytes, value_to_bytes};
pub use cell::{Cell, LobPointer};
pub use records::{RecordSizes, Records, RecordsWriter};
pub use view::RowView;
pub use whole::{ReadValue, VALUE_BYTES_MAX};

/// Largest record in a page, in bytes.
pub const MAX_RECORD_BYTES: usize = 8060;

/// Status A: the record has a null bitmap.
const HAS_NULL_BITMAP: u8 = 0x10;
/// Status A: the record has variable columns.
const HAS_VARIABLE: u8 = 0x20;
/// An end offset with this bit belongs to a value outside the record. Records are shorter than 0x8000 bytes.
const OFF_ROW: usize = 0x8000;
const _: () = assert!(MAX_RECORD_BYTES < OFF_ROW);
/// Status bytes and the offset of the column count.
const HEADER_BYTES: usize = 4;

/// Why a row has no record, or a record no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RowError {
    /// 511: the record is longer than a page takes.
    #[error("Cannot create a row of size {bytes} which is greater than the allowable maximum row size of 8060.")]
    TooLong {
        /// Size of the record in bytes.
        bytes: usize,
    },
    /// The row, or the column asked for, does not belong to the layout.
    #[error("the row has {given} values, its layout {wanted} columns")]
    ColumnCount {
        /// Values given.
        given: usize,
        /// Columns of the layout.
        wanted: usize,
    },
    /// A value is not of its column's type, or is longer.
    #[error("the value of column {column} does not fit the column's type")]
    WrongValue {
        /// Column from 0.
        column: usize,
    },
    /// The output buffer is shorter than the record.
    #[error("the buffer is shorter than the record of {bytes} bytes")]
    BufferTooShort {
        /// Size of the record in bytes.
        bytes: usize,
    },
    /// The value lies outside the record, which is not whole; [`RowView::lob`] says where.
    #[error("the value of column {column} lies outside the record")]
    OffRow {
        /// Column from 0.
        column: usize,
    },
    /// The record's bytes contradict themselves or the layout.
    #[error("the record is damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
}

/// Where a column lies in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Bytes `start..end` of the record.
    Fixed { start: usize, end: usize },
    /// One bit of the byte at `byte`; the first column of a byte clears it.
    Bit { byte: usize, mask: u8 },
    /// The `index`-th variable column.
    Variable { index: usize },
}

/// Where the columns of a table lie in its records.
#[derive(Clone, Debug)]
pub struct RowLayout {
    types: Box<[SqlType]>,
    places: Box<[Place]>,
    /// End of the fixed columns and offset of the column count.
    fixed_end: usize,
    variable_count: usize,
    may_overflow: bool,
}

impl RowLayout {
    /// The layout of a table's columns.
    #[must_use]
    pub fn new(types: &[SqlType]) -> Self {
        let mut planner = Planner::default();
        let places = types.iter().map(|sql_type| planner.place(sql_type)).collect();
        let mut layout = Self {
            types: types.into(),
            places,
            fixed_end: planner.fixed_end,
            variable_count: planner.variable_count,
            may_overflow: false,
        };
        layout.may_overflow = layout.longest_record_bytes().is_none_or(|bytes| bytes > MAX_RECORD_BYTES);
        layout
    }

    /// The columns' types.
    #[must_use]
    pub fn types(&self) -> &[SqlType] {
        &self.types
    }

    /// Size in bytes of a record whose variable columns are all NULL or empty: the least that a row takes.
    #[must_use]
    pub fn max_fixed_len(&self) -> usize {
        self.bitmap_start() + bitmap_bytes(self.types.len())
    }

    /// Size of the row's record in bytes.
    #[must_use]
    pub fn encoded_len(&self, row: &[Value]) -> usize {
        if self.variable_count == 0 { self.max_fixed_len() } else { encode::measure(self, row).record_bytes }
    }

    /// Writes the record at the start of `out` and returns its size.
    pub fn encode_into(&self, row: &[Value], out: &mut [u8]) -> Result<usize, RowError> {
        encode::encode_into(self, row, out)
    }

    /// The record as a new vector.
    pub fn encode(&self, row: &[Value]) -> Result<Vec<u8>, RowError> {
        let mut record = vec![0; self.encoded_len(row).min(MAX_RECORD_BYTES)];
        self.encode_into(row, &mut record)?;
        Ok(record)
    }

    /// Writes a record of cells at the start of `out` and returns its size.
    pub fn encode_cells(&self, cells: &[Cell<'_>], out: &mut [u8]) -> Result<usize, RowError> {
        encode::encode_into(self, cells, out)
    }

    /// Size of the record of cells in bytes.
    #[must_use]
    pub fn cells_len(&self, cells: &[Cell<'_>]) -> usize {
        encode::measure(self, cells).record_bytes
    }

    /// The columns whose values must be stored outside for the row to fit a record, in column order.
    ///
    /// `(max)` and `xml` values of more than 8000 bytes go, then the largest of them, then the largest of other
    /// variable columns, until the rest fits. [`RowError::TooLong`] when even that is not enough.
    pub fn off_row_columns(&self, row: &[Value]) -> Result<Vec<usize>, RowError> {
        off_row::choose(self, row, MAX_RECORD_BYTES)
    }

    /// The same for a record that has `room_bytes`, which may be less than [`MAX_RECORD_BYTES`].
    pub fn off_row_columns_within(&self, row: &[Value], room_bytes: usize) -> Result<Vec<usize>, RowError> {
        off_row::choose(self, row, room_bytes.min(MAX_RECORD_BYTES))
    }

    /// The same for a row some of whose values are outside and stay there.
    pub fn off_row_cells_within(&self, cells: &[Cell<'_>], room_bytes: usize) -> Result<Vec<usize>, RowError> {
        off_row::choose(self, cells, room_bytes.min(MAX_RECORD_BYTES))
    }

    /// Checks a record's frame once, for fast reading of its columns. `record` is exactly the record.
    #[inline]
    pub fn open<'l, 'r>(&'l self, record: &'r [u8]) -> Result<RowView<'l, 'r>, RowError> {
        RowView::open(self, record)
    }

    /// One column's value. A caller that reads several columns opens the record instead.
    pub fn column(&self, record: &[u8], column: usize) -> Result<Value, RowError> {
        self.check_column(column)?;
        self.open(record)?.column(column)
    }

    /// All values; `row` is cleared first.
    pub fn decode(&self, record: &[u8], row: &mut Vec<Value>) -> Result<(), RowError> {
        let view = self.open(record)?;
        row.clear();
        row.reserve(self.types.len());
        for column in 0..self.types.len() {
            row.push(view.column(column)?);
        }
        Ok(())
    }

    /// The column's bytes as stored, see [`RowView::raw`].
    pub fn raw<'a>(&self, record: &'a [u8], column: usize) -> Result<Option<&'a [u8]>, RowError> {
        self.check_column(column)?;
        Ok(self.open(record)?.raw(column))
    }

    /// Whether the column is NULL, without reading its value.
    pub fn is_null(&self, record: &[u8], column: usize) -> Result<bool, RowError> {
        self.check_column(column)?;
        Ok(self.open(record)?.is_null(column))
    }

    fn check_column(&self, column: usize) -> Result<(), RowError> {
        if column < self.types.len() {
            return Ok(());
        }
        Err(RowError::ColumnCount { given: column + 1, wanted: self.types.len() })
    }

    fn bitmap_start(&self) -> usize {
        self.fixed_end + 2
    }
}

fn bitmap_bytes(columns: usize) -> usize {
    columns.div_ceil(8)
}

/// Gives columns their places, in order.
struct Planner {
    fixed_end: usize,
    variable_count: usize,
    /// The byte that takes the next `bit` column, and the mask of that column.
    open_bits: Option<(usize, u8)>,
}

impl Default for Planner {
    fn default() -> Self {
        Self { fixed_end: HEADER_BYTES, variable_count: 0, open_bits: None }
    }
}

impl Planner {
    fn place(&mut self, sql_type: &SqlType) -> Place {
        if *sql_type == SqlType::Bit {
            return self.place_bit();
        }
        if sql_type.is_variable_length() {
            self.variable_count += 1;
            return Place::Variable { index: self.variable_count - 1 };
        }
        let bytes = sql_type.max_bytes().expect("only variable columns are unbounded");
        let start = self.take(bytes as usize);
        Place::Fixed { start, end: self.fixed_end }
    }

    fn place_bit(&mut self) -> Place {
        let (byte, mask) = match self.open_bits {
            Some(open) => open,
            None => (self.take(1), 1),
        };
        self.open_bits = mask.checked_shl(1).filter(|&next| next != 0).map(|next| (byte, next));
        Place::Bit { byte, mask }
    }

    fn take(&mut self, bytes: usize) -> usize {
        let start = self.fixed_end;
        self.fixed_end += bytes;
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql_type::MaxLen;

    #[test]
    fn a_char_8000_row_is_a_record_of_8007_bytes() {
        let layout = RowLayout::new(&[SqlType::char(8000)]);
        assert_eq!(layout.max_fixed_len(), 8007);
        assert_eq!(layout.encoded_len(&[Value::str("abc")]), 8007);
    }

    #[test]
    fn bits_share_the_byte_of_the_first() {
        let mut types = vec![SqlType::Bit; 9];
        types.insert(1, SqlType::Int);
        let layout = RowLayout::new(&types);
        assert_eq!(layout.places[0], Place::Bit { byte: 4, mask: 1 });
        assert_eq!(layout.places[1], Place::Fixed { start: 5, end: 9 });
        assert_eq!(layout.places[2], Place::Bit { byte: 4, mask: 2 });
        assert_eq!(layout.places[8], Place::Bit { byte: 4, mask: 128 });
        assert_eq!(layout.places[9], Place::Bit { byte: 9, mask: 1 });
    }

    #[test]
    fn a_record_has_the_documented_bytes() {
        let layout = RowLayout::new(&[
            SqlType::Int,
            SqlType::varchar(10),
            SqlType::char(3),
            SqlType::NVarChar { len: MaxLen::Limited(10) },
            SqlType::varchar(10),
        ]);
        let row = [Value::Int(0x0102_0304), Value::str("€a"), Value::str("x"), Value::str("ß"), Value::Null];
        let record = layout.encode(&row).expect("fits");
        #[rustfmt::skip]
        let expected = [
            0x30, 0, 11, 0,             // status, offset of the column count
            4, 3, 2, 1, b'x', b' ', b' ', // int, char(3)
            5, 0, 0b1_0000,             // five columns, the last is NULL
            2, 0, 22, 0, 24, 0,         // two variable columns and their ends
            0x80, b'a', 0xDF, 0,
        ];
        assert_eq!(record, expected);
        assert_eq!(layout.raw(&record, 3), Ok(Some(&[0xDF, 0][..])));
        assert_eq!(layout.raw(&record, 4), Ok(None));
    }
}
