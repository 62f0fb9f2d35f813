//! A record opened for reading. Every offset is checked once, when the record is opened (R2).

use crate::row::bytes::read_value;
use crate::row::cell::{Cell, LobPointer};
use crate::row::scalar::damaged;
use crate::row::{HAS_NULL_BITMAP, HAS_VARIABLE, HEADER_BYTES, OFF_ROW, Place, RowError, RowLayout, bitmap_bytes};
use crate::sql_type::SqlType;
use crate::value::Value;

/// A record whose frame is checked: every column that it has lies inside it.
///
/// Columns are counted from 0; a column that the layout lacks is a broken assumption and panics.
#[derive(Clone, Copy, Debug)]
pub struct RowView<'l, 'r> {
    layout: &'l RowLayout,
    record: &'r [u8],
    /// First byte of the null bitmap. Less than 2^17, like the other places in a record: half of the room of an `usize`
    /// makes a page's worth of views fit the cache beside the page.
    bitmap: u32,
    /// Columns that the record has.
    column_count: u32,
    variable_count: u32,
    /// Where the end offsets of the variable columns begin.
    offsets: u32,
}

impl<'l, 'r> AsRef<RowView<'l, 'r>> for RowView<'l, 'r> {
    fn as_ref(&self) -> &RowView<'l, 'r> {
        self
    }
}

impl<'l, 'r> RowView<'l, 'r> {
    #[inline]
    pub(super) fn open(layout: &'l RowLayout, record: &'r [u8]) -> Result<Self, RowError> {
        let &[status, _, f0, f1, ..] = record else {
            return Err(damaged("record shorter than its header"));
        };
        if status & HAS_NULL_BITMAP == 0 {
            return Err(damaged("no null bitmap"));
        }
        let fixed_end = usize::from(u16::from_le_bytes([f0, f1]));
        if fixed_end < HEADER_BYTES {
            return Err(damaged("fixed part ends inside the header"));
        }
        let column_count = read_u16(record, fixed_end)?;
        let bitmap = fixed_end + 2;
        let bitmap_end = bitmap + bitmap_bytes(column_count);
        if bitmap_end > record.len() {
            return Err(damaged("null bitmap outside the record"));
        }
        if fixed_end < layout.fixed_end {
            check_fixed(layout, column_count, fixed_end)?;
        }
        let (variable_count, offsets) = match status & HAS_VARIABLE {
            0 => (0, bitmap_end),
            _ => check_variable(record, bitmap_end)?,
        };
        let [bitmap, column_count, variable_count, offsets] =
            [bitmap, column_count, variable_count, offsets].map(|place| place as u32);
        Ok(Self { layout, record, bitmap, column_count, variable_count, offsets })
    }

    /// The layout with which the record was opened.
    #[must_use]
    pub fn layout(&self) -> &'l RowLayout {
        self.layout
    }

    /// The record's bytes.
    #[must_use]
    pub fn record(&self) -> &'r [u8] {
        self.record
    }

    /// Whether the column is NULL; a column added after the record was written is (R3).
    #[must_use]
    #[inline]
    pub fn is_null(&self, column: usize) -> bool {
        assert!(column < self.layout.places.len(), "the layout has no column {column}");
        self.lacks(column)
    }

    /// Whether a column of the layout is NULL.
    #[inline]
    pub(super) fn lacks(&self, column: usize) -> bool {
        column >= self.column_count as usize
            || self.record[self.bitmap as usize + column / 8] & (1 << (column % 8)) != 0
    }

    /// The column's value. A value that lies outside a record that is not whole is [`RowError::OffRow`].
    #[inline]
    pub fn column(&self, column: usize) -> Result<Value, RowError> {
        if self.is_null(column) {
            return Ok(Value::Null);
        }
        match self.layout.places[column] {
            Place::Fixed { start, end } => {
                let bytes = &self.record[start..end];
                // The two types of most keys, without the match over all of them.
                match self.layout.types[column] {
                    SqlType::Int => Ok(Value::Int(i32::from_le_bytes(whole(bytes)))),
                    SqlType::BigInt => Ok(Value::BigInt(i64::from_le_bytes(whole(bytes)))),
                    ref sql_type => read_value(bytes, sql_type),
                }
            }
            Place::Bit { byte, mask } => Ok(Value::Bit(self.record[byte] & mask != 0)),
            Place::Variable { index } => match self.variable(index) {
                (bytes, false) => read_value(bytes, &self.layout.types[column]),
                (_, true) => match self.value_after(index) {
                    Some(bytes) => read_value(bytes, &self.layout.types[column]),
                    None => Err(RowError::OffRow { column }),
                },
            },
        }
    }

    /// The column's bytes as they lie in the record; `None` for NULL. A `bit` is the byte that it shares, a value
    /// outside a record that is not whole its pointer.
    #[must_use]
    #[inline]
    pub fn raw(&self, column: usize) -> Option<&'r [u8]> {
        if self.is_null(column) {
            return None;
        }
        Some(match self.layout.places[column] {
            Place::Fixed { start, end } => &self.record[start..end],
            Place::Bit { byte, .. } => &self.record[byte..=byte],
            Place::Variable { index } => match self.variable(index) {
                (bytes, false) => bytes,
                (pointer, true) => self.value_after(index).unwrap_or(pointer),
            },
        })
    }

    /// The column's contents, from which another record can be made.
    #[must_use]
    pub fn cell(&self, column: usize) -> Cell<'r> {
        let Some(bytes) = self.raw(column) else {
            return Cell::Null;
        };
        match self.layout.places[column] {
            Place::Bit { mask, .. } => Cell::Inline(if bytes[0] & mask == 0 { &[0] } else { &[1] }),
            _ => self.lob(column).map_or(Cell::Inline(bytes), Cell::OffRow),
        }
    }

    /// Where the column's value lies when it lies outside the record.
    #[must_use]
    #[inline]
    pub fn lob(&self, column: usize) -> Option<LobPointer> {
        let Place::Variable { index } = self.layout.places[column] else {
            return None;
        };
        if self.is_null(column) {
            return None;
        }
        match self.variable(index) {
            (bytes, true) => Some(LobPointer::from_bytes(whole(bytes))),
            (_, false) => None,
        }
    }

    /// Whether any column's value lies outside the record.
    #[must_use]
    pub fn has_off_row(&self) -> bool {
        (0..self.variable_count as usize).any(|index| self.end_offset(index) & OFF_ROW != 0)
    }

    /// Whether the record has just the columns of the layout, all values inside: it is one that
    /// [`RowLayout::encode_into`] may have written.
    #[must_use]
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.column_count as usize == self.layout.places.len() && !self.has_off_row()
    }

    /// The number in a column of type `int`, `smallint` or `tinyint`; `None` for NULL. Panics for another type.
    #[must_use]
    #[inline]
    pub fn i32(&self, column: usize) -> Option<i32> {
        match (self.raw(column), self.layout.types[column]) {
            (None, _) => None,
            (Some(bytes), SqlType::Int) => Some(i32::from_le_bytes(whole(bytes))),
            (Some(bytes), SqlType::SmallInt) => Some(i32::from(i16::from_le_bytes(whole(bytes)))),
            (Some(bytes), SqlType::TinyInt) => Some(i32::from(bytes[0])),
            (_, other) => panic!("column {column} is {other}, not an int"),
        }
    }

    /// The number in a column of type `bigint` or a smaller integer type; `None` for NULL. Panics for another type.
    #[must_use]
    #[inline]
    pub fn i64(&self, column: usize) -> Option<i64> {
        match self.layout.types[column] {
            SqlType::BigInt => self.raw(column).map(|bytes| i64::from_le_bytes(whole(bytes))),
            _ => self.i32(column).map(i64::from),
        }
    }

    /// The value of a variable column that lies outside the record, after it where the record is whole (R5).
    #[cold]
    fn value_after(&self, index: usize) -> Option<&'r [u8]> {
        let mut start = self.end();
        if start == self.record.len() {
            return None;
        }
        let mut len = 0;
        for index in 0..=index {
            start = start.checked_add(len)?;
            len = match self.variable(index) {
                (bytes, true) => usize::try_from(LobPointer::from_bytes(whole(bytes)).len_bytes()).ok()?,
                (_, false) => 0,
            };
        }
        self.record.get(start..start.checked_add(len)?)
    }

    /// Where the record ends, and what lies outside begins if it is whole.
    pub(super) fn end(&self) -> usize {
        match self.variable_count as usize {
            0 => self.offsets as usize,
            count => self.end_offset(count - 1) & !OFF_ROW,
        }
    }

    /// The byte of the null bitmap with the column's bit.
    pub(super) fn bitmap_byte(&self, column: usize) -> usize {
        self.bitmap as usize + column / 8
    }

    /// Where a variable column's bytes lie in the record.
    pub(super) fn variable_range(&self, index: usize) -> std::ops::Range<usize> {
        let start = match index {
            0 => (self.offsets + 2 * self.variable_count) as usize,
            _ => self.end_offset(index - 1) & !OFF_ROW,
        };
        start..self.end_offset(index) & !OFF_ROW
    }

    /// A variable column's bytes, and whether they point outside the record. Columns at the end may be left out.
    #[inline]
    fn variable(&self, index: usize) -> (&'r [u8], bool) {
        if index >= self.variable_count as usize {
            return (&[], false);
        }
        let start = match index {
            0 => (self.offsets + 2 * self.variable_count) as usize,
            _ => self.end_offset(index - 1) & !OFF_ROW,
        };
        let end = self.end_offset(index);
        (&self.record[start..end & !OFF_ROW], end & OFF_ROW != 0)
    }

    #[inline]
    fn end_offset(&self, index: usize) -> usize {
        let at = self.offsets as usize + 2 * index;
        usize::from(u16::from_le_bytes([self.record[at], self.record[at + 1]]))
    }
}

/// A record with a shorter fixed part is an older one: it must hold the columns that it has.
#[cold]
fn check_fixed(layout: &RowLayout, column_count: usize, fixed_end: usize) -> Result<(), RowError> {
    let outside = layout.places.iter().take(column_count).any(|place| match *place {
        Place::Fixed { end, .. } => end > fixed_end,
        Place::Bit { byte, .. } => byte >= fixed_end,
        Place::Variable { .. } => false,
    });
    if outside { Err(damaged("fixed column outside the fixed part")) } else { Ok(()) }
}

/// Count of variable columns and where their offsets begin; the offsets rise and stay inside the record.
fn check_variable(record: &[u8], bitmap_end: usize) -> Result<(usize, usize), RowError> {
    let count = read_u16(record, bitmap_end)?;
    let offsets = bitmap_end + 2;
    let data = offsets + 2 * count;
    let Some(ends) = record.get(offsets..data) else {
        return Err(damaged("variable offsets outside the record"));
    };
    let mut start = data;
    for pair in ends.chunks_exact(2) {
        let offset = usize::from(u16::from_le_bytes([pair[0], pair[1]]));
        let end = offset & !OFF_ROW;
        if end < start || end > record.len() {
            return Err(damaged("variable column outside the record"));
        }
        if offset & OFF_ROW != 0 && end - start != LobPointer::BYTES {
            return Err(damaged("pointer of the wrong length"));
        }
        start = end;
    }
    Ok((count, offsets))
}

fn read_u16(bytes: &[u8], at: usize) -> Result<usize, RowError> {
    match bytes.get(at..at + 2) {
        Some(&[low, high]) => Ok(usize::from(u16::from_le_bytes([low, high]))),
        _ => Err(damaged("offset outside the record")),
    }
}

/// The bytes of a place whose length the layout, or the check of the record, guarantees.
#[inline]
fn whole<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("a place has the length of its type")
}
