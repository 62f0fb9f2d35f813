//! Many rows to their records, column by column: lengths first, then a place for every record, then the columns.
//!
//! ```text
//!   measure (each variable column) ──▶ lay_out ──▶ put_… (each column, variable ones in their order) ──▶ Records
//! ```
//! The records are those that `encode_into` writes for the same rows, byte by byte. There are no values outside them.

use crate::row::encode::{put_u16, write_frame};
use crate::row::{MAX_RECORD_BYTES, Place, RowError, RowLayout};

/// Records, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// Their bytes.
    pub bytes: Vec<u8>,
    /// Where each of them ends.
    pub ends: Vec<u32>,
}

/// The lengths of rows that become records.
#[derive(Debug)]
pub struct RecordSizes<'l> {
    layout: &'l RowLayout,
    rows: Vec<RowSize>,
}

#[derive(Clone, Copy, Debug, Default)]
struct RowSize {
    data_bytes: u32,
    /// Variable columns up to the last that has bytes.
    variable_count: u16,
}

/// Records whose columns are being written.
#[derive(Debug)]
pub struct RecordsWriter<'l> {
    layout: &'l RowLayout,
    records: Records,
    rows: Vec<OpenRecord>,
}

#[derive(Clone, Copy, Debug)]
struct OpenRecord {
    start: u32,
    variable_count: u16,
    /// End of the variable columns that are written, from the record's start.
    data_end: u16,
}

impl<'l> RecordSizes<'l> {
    /// Begins the records of so many rows.
    #[must_use]
    pub fn new(layout: &'l RowLayout, rows: usize) -> Self {
        RecordSizes { layout, rows: vec![RowSize::default(); rows] }
    }

    /// Adds a variable column with these bytes in each row; 0 for NULL.
    ///
    /// # Panics
    /// For a column of fixed length.
    pub fn measure(&mut self, column: usize, bytes: impl Iterator<Item = usize>) {
        let index = variable_index(self.layout, column);
        for (row, bytes) in self.rows.iter_mut().zip(bytes) {
            row.data_bytes = row.data_bytes.saturating_add(u32::try_from(bytes).unwrap_or(u32::MAX));
            if bytes > 0 {
                row.variable_count = row.variable_count.max(index as u16 + 1);
            }
        }
    }

    /// Gives every record its place; the columns are zero and not NULL.
    ///
    /// # Errors
    /// [`RowError::TooLong`]
    pub fn lay_out(self) -> Result<RecordsWriter<'l>, RowError> {
        let RecordSizes { layout, rows } = self;
        let (mut open, mut ends) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
        let mut start = 0;
        for row in rows {
            let count = usize::from(row.variable_count);
            let data_start = layout.max_fixed_len() + if count == 0 { 0 } else { 2 + 2 * count };
            let bytes = data_start + row.data_bytes as usize;
            if bytes > MAX_RECORD_BYTES {
                return Err(RowError::TooLong { bytes });
            }
            open.push(OpenRecord { start, variable_count: row.variable_count, data_end: data_start as u16 });
            start += bytes as u32;
            ends.push(start);
        }
        let mut bytes = vec![0; start as usize];
        for (row, &end) in open.iter().zip(&ends) {
            write_frame(layout, &mut bytes[row.start as usize..end as usize], row.variable_count.into());
        }
        Ok(RecordsWriter { layout, records: Records { bytes, ends }, rows: open })
    }
}

impl RecordsWriter<'_> {
    /// Writes a column of `N` bytes; `None` is NULL.
    ///
    /// # Panics
    /// For a column that is not of this length.
    pub fn put_fixed<const N: usize>(&mut self, column: usize, values: impl Iterator<Item = Option<[u8; N]>>) {
        let place = match self.layout.places[column] {
            Place::Fixed { start, end } if end - start == N => start,
            place => panic!("column {column} has no {N} bytes: {place:?}"),
        };
        for (row, value) in self.rows.iter().zip(values) {
            let record = &mut self.records.bytes[row.start as usize..];
            match value {
                Some(bytes) => record[place..place + N].copy_from_slice(&bytes),
                None => set_null(self.layout, record, column),
            }
        }
    }

    /// Writes a column of fixed length of values that may be shorter, with `padding` after them.
    ///
    /// # Errors
    /// [`RowError::WrongValue`] for a longer one.
    ///
    /// # Panics
    /// For a column of variable length.
    pub fn put_padded<'v>(
        &mut self,
        column: usize,
        values: impl Iterator<Item = Option<&'v [u8]>>,
        padding: &[u8],
    ) -> Result<(), RowError> {
        let Place::Fixed { start, end } = self.layout.places[column] else {
            panic!("column {column} is not of fixed length")
        };
        for (row, value) in self.rows.iter().zip(values) {
            let record = &mut self.records.bytes[row.start as usize..];
            let Some(value) = value else {
                set_null(self.layout, record, column);
                continue;
            };
            let (head, tail) =
                record[start..end].split_at_mut_checked(value.len()).ok_or(RowError::WrongValue { column })?;
            head.copy_from_slice(value);
            for place in tail.chunks_mut(padding.len()) {
                place.copy_from_slice(&padding[..place.len()]);
            }
        }
        Ok(())
    }

    /// Writes a `bit` column.
    ///
    /// # Panics
    /// For another type.
    pub fn put_bits(&mut self, column: usize, values: impl Iterator<Item = Option<bool>>) {
        let Place::Bit { byte, mask } = self.layout.places[column] else { panic!("column {column} is no bit") };
        for (row, value) in self.rows.iter().zip(values) {
            let record = &mut self.records.bytes[row.start as usize..];
            match value {
                Some(true) => record[byte] |= mask,
                Some(false) => {}
                None => set_null(self.layout, record, column),
            }
        }
    }

    /// Writes a variable column, whose values have the lengths that were measured, after the variable columns of
    /// smaller numbers.
    ///
    /// # Panics
    /// For a column of fixed length, and for values of other lengths.
    pub fn put_variable<'v>(&mut self, column: usize, values: impl Iterator<Item = Option<&'v [u8]>>) {
        let index = variable_index(self.layout, column);
        let offsets = self.layout.max_fixed_len() + 2;
        for (row, value) in self.rows.iter_mut().zip(values) {
            let record = &mut self.records.bytes[row.start as usize..];
            if value.is_none() {
                set_null(self.layout, record, column);
            }
            if index >= usize::from(row.variable_count) {
                continue;
            }
            let (value, start) = (value.unwrap_or_default(), usize::from(row.data_end));
            record[start..start + value.len()].copy_from_slice(value);
            row.data_end += value.len() as u16;
            put_u16(record, offsets + 2 * index, row.data_end.into());
        }
    }

    /// The records.
    #[must_use]
    pub fn finish(self) -> Records {
        self.records
    }
}

fn variable_index(layout: &RowLayout, column: usize) -> usize {
    match layout.places[column] {
        Place::Variable { index } => index,
        place => panic!("column {column} is not of variable length: {place:?}"),
    }
}

fn set_null(layout: &RowLayout, record: &mut [u8], column: usize) {
    record[layout.bitmap_start() + column / 8] |= 1 << (column % 8);
}

impl Records {
    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql_type::SqlType;
    use crate::value::Value;

    #[test]
    fn records_are_those_of_single_rows() {
        let types = [SqlType::Int, SqlType::varchar(20), SqlType::Bit, SqlType::char(4), SqlType::varchar(20)];
        let layout = RowLayout::new(&types);
        let text = |text: Option<&'static str>| text.map_or(Value::Null, Value::str);
        type Row = (Option<i32>, Option<&'static str>, Option<bool>, Option<&'static str>, Option<&'static str>);
        let rows: [Row; 5] = [
            (Some(1), Some("one"), Some(true), Some("ab"), Some("x")),
            (None, None, None, None, None),
            (Some(-3), Some(""), Some(false), Some("abcd"), None),
            (Some(4), None, Some(true), Some(""), Some("last")),
            (Some(5), Some("first"), None, None, Some("")),
        ];
        let bytes = |text: Option<&'static str>| text.map(str::as_bytes);
        let mut sizes = RecordSizes::new(&layout, rows.len());
        sizes.measure(1, rows.iter().map(|row| row.1.map_or(0, str::len)));
        sizes.measure(4, rows.iter().map(|row| row.4.map_or(0, str::len)));
        let mut writer = sizes.lay_out().unwrap();
        writer.put_fixed(0, rows.iter().map(|row| row.0.map(i32::to_le_bytes)));
        writer.put_variable(1, rows.iter().map(|row| bytes(row.1)));
        writer.put_bits(2, rows.iter().map(|row| row.2));
        writer.put_padded(3, rows.iter().map(|row| bytes(row.3)), b" ").unwrap();
        writer.put_variable(4, rows.iter().map(|row| bytes(row.4)));
        let records = writer.finish();
        let mut expected = Records::default();
        for row in rows {
            let row = [
                row.0.map_or(Value::Null, Value::Int),
                text(row.1),
                row.2.map_or(Value::Null, Value::Bit),
                text(row.3),
                text(row.4),
            ];
            expected.bytes.extend(layout.encode(&row).unwrap());
            expected.ends.push(expected.bytes.len() as u32);
        }
        assert_eq!(records, expected);
    }

    #[test]
    fn a_row_that_is_too_long_is_refused() {
        let layout = RowLayout::new(&[SqlType::varchar(8000), SqlType::varchar(8000)]);
        let mut sizes = RecordSizes::new(&layout, 1);
        sizes.measure(0, std::iter::once(8000));
        sizes.measure(1, std::iter::once(100));
        assert!(matches!(sizes.lay_out(), Err(RowError::TooLong { bytes: 8113 })));
    }
}
