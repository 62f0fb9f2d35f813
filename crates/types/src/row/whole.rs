//! Records whose values lie partly outside of them: what they point to, and the whole record that readers are given (R5).

use crate::row::cell::LobPointer;
use crate::row::scalar::damaged;
use crate::row::{HAS_VARIABLE, MAX_RECORD_BYTES, Place, RowError, RowLayout};
use crate::sql_type::SqlType;
use crate::value::Value;

/// A record of at most so many bytes has no value that must leave it.
const SURELY_FITS_BYTES: usize = SqlType::BYTES_MAX as usize;
const _: () = assert!(SURELY_FITS_BYTES <= MAX_RECORD_BYTES);

/// What fetches the value of a pointer into the bytes given, which have its length.
pub type ReadValue<'a, E> = &'a mut dyn FnMut(LobPointer, &mut [u8]) -> Result<(), E>;

impl RowLayout {
    /// Whether there are rows that do not fit a record. Of other layouts no record has anything outside.
    #[must_use]
    #[inline]
    pub fn may_overflow(&self) -> bool {
        self.may_overflow
    }

    /// Bytes of the longest record with everything in it; `None` when there is no bound.
    pub(super) fn longest_record_bytes(&self) -> Option<usize> {
        let variable = self.types.iter().filter(|sql_type| sql_type.is_variable_length());
        let data = variable.map(|sql_type| sql_type.max_bytes().map(|bytes| bytes as usize)).sum::<Option<usize>>()?;
        let offsets = if self.variable_count == 0 { 0 } else { 2 + 2 * self.variable_count };
        Some(self.max_fixed_len() + offsets + data)
    }

    /// Whether a row is to be written as it is, with nothing outside a record that has `room_bytes`.
    #[must_use]
    #[inline]
    pub fn fits(&self, row: &[Value], room_bytes: usize) -> bool {
        if !self.may_overflow {
            return true;
        }
        self.encoded_len(row) <= SURELY_FITS_BYTES.min(room_bytes)
            || self.off_row_columns_within(row, room_bytes).is_ok_and(|columns| columns.is_empty())
    }

    /// Columns whose values lie outside a record, with their pointers, in column order.
    pub fn pointers(&self, record: &[u8]) -> Result<Vec<(usize, LobPointer)>, RowError> {
        if !self.may_overflow || !may_point(record) {
            return Ok(Vec::new());
        }
        let view = self.open(record)?;
        if !view.has_off_row() {
            return Ok(Vec::new());
        }
        Ok((0..self.types.len()).filter_map(|column| Some((column, view.lob(column)?))).collect())
    }

    /// Whether a record has to be made whole before it is decoded.
    #[inline]
    pub fn is_partial(&self, record: &[u8]) -> Result<bool, RowError> {
        Ok(self.may_overflow && may_point(record) && self.open(record)?.has_off_row())
    }

    /// Writes the whole record of `record` to `whole`. Values of columns that are not `wanted` are not read: the whole
    /// record has NULL there.
    ///
    /// # Errors
    /// Those of `read`, and [`RowError::Damaged`].
    pub fn make_whole<E: From<RowError>>(
        &self,
        record: &[u8],
        wanted: &dyn Fn(usize) -> bool,
        read: ReadValue<'_, E>,
        whole: &mut Vec<u8>,
    ) -> Result<(), E> {
        let view = self.open(record)?;
        let end = view.end();
        whole.clear();
        let values = self.places.iter().enumerate().filter(|(_, place)| matches!(place, Place::Variable { .. }));
        let wanted_bytes =
            |(column, _): (usize, &Place)| view.lob(column).filter(|_| wanted(column)).map(|lob| lob.len_bytes());
        let bytes: u64 = values.filter_map(wanted_bytes).fold(end as u64, u64::saturating_add);
        // All at once: what grows value by value may have twice as many bytes.
        whole.reserve_exact(usize::try_from(bytes).unwrap_or(0).min(VALUE_BYTES_MAX));
        whole.extend_from_slice(&record[..end]);
        for (column, place) in self.places.iter().enumerate() {
            let Place::Variable { index } = *place else { continue };
            let Some(pointer) = view.lob(column) else { continue };
            if !wanted(column) {
                whole[view.bitmap_byte(column)] |= 1 << (column % 8);
                whole[view.variable_range(index)].fill(0);
                continue;
            }
            let start = whole.len();
            let bytes = usize::try_from(pointer.len_bytes()).map_err(|_| damaged("a pointer of impossible length"))?;
            if bytes > VALUE_BYTES_MAX {
                return Err(damaged("a pointer of impossible length").into());
            }
            whole.resize(start + bytes, 0);
            read(pointer, &mut whole[start..])?;
        }
        Ok(())
    }
}

/// The longest value that a column takes, in bytes.
pub const VALUE_BYTES_MAX: usize = i32::MAX as usize;

/// Whether a record has variable columns: only those point.
#[inline]
fn may_point(record: &[u8]) -> bool {
    record.first().is_some_and(|status| status & HAS_VARIABLE != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Cell;
    use crate::sql_type::MaxLen;

    fn layout() -> RowLayout {
        let text = |len| SqlType::varchar_of(len);
        RowLayout::new(&[text(MaxLen::Max), SqlType::Int, text(MaxLen::Limited(8000)), text(MaxLen::Max)])
    }

    /// Values by their locators.
    fn read(pointer: LobPointer, out: &mut [u8]) -> Result<(), RowError> {
        out.fill(b'0' + pointer.locator() as u8);
        Ok(())
    }

    fn partial(layout: &RowLayout) -> Vec<u8> {
        let (first, last) = (LobPointer::new(1, 9000), LobPointer::new(2, 3));
        let number = Value::Int(7);
        let text = Value::str("in the row");
        let cells = [Cell::OffRow(first), Cell::Value(&number), Cell::Value(&text), Cell::OffRow(last)];
        let mut record = vec![0; layout.cells_len(&cells)];
        layout.encode_cells(&cells, &mut record).expect("fits");
        record
    }

    #[test]
    fn a_whole_record_decodes_to_the_row_and_a_partial_one_does_not() {
        let layout = layout();
        let record = partial(&layout);
        assert_eq!(layout.is_partial(&record), Ok(true));
        assert_eq!(layout.column(&record, 0), Err(RowError::OffRow { column: 0 }));
        let mut whole = Vec::new();
        layout.make_whole(&record, &|_| true, &mut read, &mut whole).expect("sound");
        let mut row = Vec::new();
        layout.decode(&whole, &mut row).expect("whole");
        let expected = [Value::str(&"1".repeat(9000)), Value::Int(7), Value::str("in the row"), Value::str("222")];
        assert_eq!(row, expected);
        assert_eq!(layout.raw(&whole, 3), Ok(Some(&b"222"[..])));
        let pointers = layout.pointers(&whole).expect("sound");
        assert_eq!(pointers, [(0, LobPointer::new(1, 9000)), (3, LobPointer::new(2, 3))]);
    }

    #[test]
    fn what_is_not_wanted_is_not_read_and_null() {
        let layout = layout();
        let record = partial(&layout);
        let mut whole = Vec::new();
        let mut asked = Vec::new();
        layout
            .make_whole::<RowError>(
                &record,
                &|column| column == 3,
                &mut |pointer, out| {
                    asked.push(pointer.locator());
                    read(pointer, out)
                },
                &mut whole,
            )
            .expect("sound");
        assert_eq!(asked, [2]);
        assert_eq!((layout.column(&whole, 0), layout.column(&whole, 3)), (Ok(Value::Null), Ok(Value::str("222"))));
    }

    #[test]
    fn only_layouts_that_can_overflow_do() {
        let limited = |len| SqlType::varchar(len);
        assert!(!RowLayout::new(&[limited(4000), limited(4000)]).may_overflow());
        assert!(RowLayout::new(&[limited(4000), limited(4100)]).may_overflow());
        assert!(layout().may_overflow());
        assert!(!RowLayout::new(&[SqlType::Int]).may_overflow());
        let text = |len: usize| Value::str(&"x".repeat(len));
        let row = |first, second| [text(first), Value::Int(1), text(second), Value::Null];
        assert!(layout().fits(&row(4000, 3900), MAX_RECORD_BYTES));
        assert!(!layout().fits(&row(4000, 4100), MAX_RECORD_BYTES));
        assert!(!layout().fits(&row(4000, 3900), 7900));
        assert_eq!(layout().off_row_columns_within(&row(4000, 3900), 7900), Ok(vec![0]));
        assert!(!layout().fits(&row(8001, 0), MAX_RECORD_BYTES));
    }
}
