//! One column of many records: where it lies is found once for all of them.
//!
//! The records are opened with the layout that is asked; what is given is in their order, and `None` for NULL (R3 too).

use crate::row::view::RowView;
use crate::row::{Place, RowLayout};

impl RowLayout {
    /// The bytes of a column whose type has always `N` of them.
    ///
    /// # Panics
    /// For a column that is not of this length.
    pub fn fixed_column<'v, 'l: 'v, 'r: 'v, const N: usize, V: AsRef<RowView<'l, 'r>>>(
        &self,
        rows: &'v [V],
        column: usize,
    ) -> impl ExactSizeIterator<Item = Option<&'r [u8; N]>> + use<'v, 'l, 'r, N, V> {
        let start = match self.places[column] {
            Place::Fixed { start, end } if end - start == N => start,
            place => panic!("column {column} has no {N} bytes: {place:?}"),
        };
        rows.iter().map(move |row| {
            let row = row.as_ref();
            if row.lacks(column) { None } else { row.record()[start..].first_chunk() }
        })
    }

    /// The values of a `bit` column.
    ///
    /// # Panics
    /// For another type.
    pub fn bit_column<'v, 'l: 'v, 'r: 'v, V: AsRef<RowView<'l, 'r>>>(
        &self,
        rows: &'v [V],
        column: usize,
    ) -> impl ExactSizeIterator<Item = Option<bool>> + use<'v, 'l, 'r, V> {
        let Place::Bit { byte, mask } = self.places[column] else { panic!("column {column} is no bit") };
        rows.iter().map(move |row| {
            let row = row.as_ref();
            if row.lacks(column) { None } else { Some(row.record()[byte] & mask != 0) }
        })
    }

    /// The bytes of a column of any type, see [`RowView::raw`].
    pub fn raw_column<'v, 'l: 'v, 'r: 'v, V: AsRef<RowView<'l, 'r>>>(
        &self,
        rows: &'v [V],
        column: usize,
    ) -> impl ExactSizeIterator<Item = Option<&'r [u8]>> + Clone + use<'v, 'l, 'r, V> {
        rows.iter().map(move |row| row.as_ref().raw(column))
    }
}

#[cfg(test)]
mod tests {
    use crate::row::{RowLayout, RowView};
    use crate::sql_type::SqlType;
    use crate::value::Value;

    #[test]
    fn a_column_of_many_records_is_the_column_of_each() {
        let layout = RowLayout::new(&[SqlType::Bit, SqlType::Int, SqlType::varchar(9), SqlType::Date]);
        let older = RowLayout::new(&[SqlType::Bit, SqlType::Int]);
        let text = |text: &str| vec![Value::Bit(true), Value::Int(-7), Value::str(text), Value::Null];
        let records = [
            layout.encode(&text("abc")).unwrap(),
            layout.encode(&[Value::Bit(false), Value::Null, Value::Null, Value::Null]).unwrap(),
            older.encode(&[Value::Null, Value::Int(5)]).unwrap(),
            layout.encode(&text("")).unwrap(),
        ];
        let rows: Vec<RowView<'_, '_>> = records.iter().map(|record| layout.open(record).unwrap()).collect();
        let bits: Vec<Option<bool>> = layout.bit_column(&rows, 0).collect();
        assert_eq!(bits, [Some(true), Some(false), None, Some(true)]);
        let ints: Vec<Option<i32>> =
            layout.fixed_column(&rows, 1).map(|bytes| bytes.map(|bytes| i32::from_le_bytes(*bytes))).collect();
        assert_eq!(ints, [Some(-7), None, Some(5), Some(-7)]);
        let texts: Vec<Option<&[u8]>> = layout.raw_column(&rows, 2).collect();
        assert_eq!(texts, [Some(&b"abc"[..]), None, None, Some(&b""[..])]);
        assert!(layout.fixed_column::<3, _>(&rows, 3).all(|bytes| bytes.is_none()));
    }
}
