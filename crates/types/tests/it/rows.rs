//! Records: what is written is read, what is damaged is refused.

use millpond_types::row::{Cell, LobPointer, value_from_bytes, value_to_bytes};
use millpond_types::{CodePage, Decimal, RowError, RowLayout, SqlType, Value};
use proptest::prelude::*;

use crate::strategies::typed_row;

fn varchar(len: u16) -> SqlType {
    SqlType::varchar(len)
}

#[test]
fn a_row_at_the_limit_fits_and_one_byte_more_does_not() {
    let layout = RowLayout::new(&[SqlType::char(8000), SqlType::char(53)]);
    let row = [Value::str("a"), Value::str("b")];
    assert_eq!(layout.encode(&row).map(|record| record.len()), Ok(8060));
    let layout = RowLayout::new(&[SqlType::char(8000), SqlType::char(54)]);
    assert_eq!(layout.encode(&row), Err(RowError::TooLong { bytes: 8061 }));
    let layout = RowLayout::new(&[varchar(8000), varchar(8000)]);
    let row = [Value::from("a".repeat(8000)), Value::from("b".repeat(8000))];
    assert_eq!(layout.encode(&row), Err(RowError::TooLong { bytes: 16_013 }));
}

#[test]
fn wrong_rows_are_refused() {
    let layout = RowLayout::new(&[SqlType::Int, varchar(2)]);
    let mut out = [0; 100];
    let wrong_count = layout.encode_into(&[Value::Int(1)], &mut out);
    assert_eq!(wrong_count, Err(RowError::ColumnCount { given: 1, wanted: 2 }));
    let wrong_kind = layout.encode_into(&[Value::BigInt(1), Value::Null], &mut out);
    assert_eq!(wrong_kind, Err(RowError::WrongValue { column: 0 }));
    for too_long in [Value::str("abc"), Value::Int(1), Value::binary(b"ab")] {
        let result = layout.encode_into(&[Value::Int(1), too_long], &mut out);
        assert_eq!(result, Err(RowError::WrongValue { column: 1 }));
    }
    let short = layout.encode_into(&[Value::Int(1), Value::str("ab")], &mut out[..10]);
    assert_eq!(short, Err(RowError::BufferTooShort { bytes: 17 }));
    let decimals = RowLayout::new(&[SqlType::decimal(3, 1)]);
    for (unscaled, scale) in [(1000, 1), (10, 2)] {
        let row = [Value::Decimal(Decimal { unscaled, scale })];
        assert_eq!(decimals.encode(&row), Err(RowError::WrongValue { column: 0 }));
    }
}

#[test]
fn an_older_record_lacks_columns_that_are_null() {
    let old = RowLayout::new(&[SqlType::Int, varchar(10)]);
    let new = RowLayout::new(&[SqlType::Int, varchar(10), SqlType::BigInt, varchar(10), SqlType::Bit]);
    let record = old.encode(&[Value::Int(7), Value::str("x")]).expect("fits");
    let mut row = Vec::new();
    assert_eq!(new.decode(&record, &mut row), Ok(()));
    assert_eq!(row, [Value::Int(7), Value::str("x"), Value::Null, Value::Null, Value::Null]);
    assert!(new.column(&record, 5).is_err());
}

#[test]
fn a_fixed_column_after_the_fixed_part_is_damage() {
    let old = RowLayout::new(&[SqlType::Int]);
    let new = RowLayout::new(&[SqlType::Int, SqlType::Int]);
    let mut record = old.encode(&[Value::Int(7)]).expect("fits");
    // The record claims two columns, but its fixed part has room for one; more bytes follow.
    record[8] = 2;
    record.extend([0; 20]);
    assert!(matches!(new.open(&record), Err(RowError::Damaged { .. })));
    assert!(matches!(new.column(&record, 0), Err(RowError::Damaged { .. })));
    assert_eq!(old.column(&record, 0), Ok(Value::Int(7)));
}

#[test]
fn texts_of_utf8_are_stored_as_they_are_and_damage_is_refused() {
    let (char, varchar) = (SqlType::char(6).in_page(CodePage::Utf8), varchar(9).in_page(CodePage::Utf8));
    let layout = RowLayout::new(&[char, varchar]);
    let mut record = layout.encode(&[Value::str("ž日"), Value::str("日本😀")]);
    assert_eq!(record, Err(RowError::WrongValue { column: 1 }), "ten bytes");
    record = layout.encode(&[Value::str("ž日"), Value::str("ö日😀")]);
    let mut record = record.expect("fits");
    assert_eq!(layout.raw(&record, 0), Ok(Some("ž日 ".as_bytes())));
    assert_eq!(layout.raw(&record, 1), Ok(Some("ö日😀".as_bytes())));
    assert_eq!(layout.column(&record, 0), Ok(Value::str("ž日 ")));
    assert_eq!(layout.column(&record, 1), Ok(Value::str("ö日😀")));
    record[4] = 0xFF;
    assert!(matches!(layout.column(&record, 0), Err(RowError::Damaged { .. })));
    let end = record.len() - 1;
    record[end] = b'x';
    assert!(matches!(layout.column(&record, 1), Err(RowError::Damaged { .. })));
    assert!(layout.decode(&record, &mut Vec::new()).is_err());
}

#[test]
fn equal_rows_have_equal_records_whatever_the_buffer_held() {
    let layout = RowLayout::new(&[SqlType::Int, SqlType::Bit, SqlType::char(5), varchar(5)]);
    let row = [Value::Null, Value::Null, Value::Null, Value::str("ab")];
    let (mut clean, mut dirty) = ([0; 40], [0xEE; 40]);
    let bytes = layout.encode_into(&row, &mut clean).expect("fits");
    assert_eq!(layout.encode_into(&row, &mut dirty), Ok(bytes));
    assert_eq!(clean[..bytes], dirty[..bytes]);
    assert!(dirty[bytes..].iter().all(|&byte| byte == 0xEE));
}

const VARCHAR_MAX: SqlType = SqlType::VARCHAR_MAX;

#[test]
fn large_values_leave_their_row_and_are_pointed_to() {
    let layout = RowLayout::new(&[SqlType::Int, VARCHAR_MAX, varchar(10), SqlType::Xml]);
    let pointer = LobPointer::new(0x0102_0304_0506_0708, 1 << 33);
    let value = Value::str("x");
    let cells = [Cell::Inline(&[7, 0, 0, 0]), Cell::OffRow(pointer), Cell::Value(&value), Cell::Null];
    let mut out = [0xEE; 100];
    let bytes = layout.encode_cells(&cells, &mut out).expect("fits");
    assert_eq!(bytes, layout.cells_len(&cells));
    let view = layout.open(&out[..bytes]).expect("just written");
    assert_eq!((view.i32(0), view.i64(0)), (Some(7), Some(7)));
    assert_eq!((view.lob(0), view.lob(1), view.lob(2), view.lob(3)), (None, Some(pointer), None, None));
    assert_eq!((pointer.locator(), pointer.len_bytes()), (0x0102_0304_0506_0708, 1 << 33));
    assert_eq!(view.column(1), Err(RowError::OffRow { column: 1 }));
    assert_eq!(view.raw(1), Some(&pointer.to_bytes()[..]));
    assert_eq!((view.column(2), view.column(3)), (Ok(Value::str("x")), Ok(Value::Null)));
    assert!(view.has_off_row());
    // Its cells make the same record.
    let again: Vec<_> = (0..4).map(|column| view.cell(column)).collect();
    let mut copy = [0; 100];
    assert_eq!(layout.encode_cells(&again, &mut copy), Ok(bytes));
    assert_eq!(copy[..bytes], out[..bytes]);
}

#[test]
fn wrong_cells_are_refused() {
    let layout = RowLayout::new(&[SqlType::Bit, SqlType::Int, varchar(2)]);
    let refused = |cells: [Cell<'_>; 3]| layout.encode_cells(&cells, &mut [0; 100]);
    let good = [Cell::Inline(&[1]), Cell::Inline(&[1, 0, 0, 0]), Cell::Inline(b"ab")];
    assert!(refused(good).is_ok());
    let pointer = LobPointer::new(1, 2);
    for (column, cell) in [
        (0, Cell::Inline(&[2])),
        (0, Cell::OffRow(pointer)),
        (1, Cell::Inline(&[1, 0, 0])),
        (1, Cell::OffRow(pointer)),
        (2, Cell::Inline(b"abc")),
    ] {
        let mut cells = good;
        cells[column] = cell;
        assert_eq!(refused(cells), Err(RowError::WrongValue { column }));
    }
}

#[test]
fn the_largest_values_leave_first_and_only_as_many_as_must() {
    let text = |bytes| Value::from("x".repeat(bytes));
    let layout = RowLayout::new(&[VARCHAR_MAX, varchar(8000), VARCHAR_MAX, SqlType::Int]);
    let chosen =
        |lens: [usize; 3]| layout.off_row_columns(&[text(lens[0]), text(lens[1]), text(lens[2]), Value::Int(1)]);
    assert_eq!(chosen([10, 10, 10]), Ok(vec![]));
    assert_eq!(chosen([8001, 10, 10]), Ok(vec![0]));
    assert_eq!(chosen([1_000_000, 10, 9000]), Ok(vec![0, 2]));
    // A (max) value goes before a longer one of limited type.
    assert_eq!(chosen([3000, 7000, 10]), Ok(vec![0]));
    assert_eq!(chosen([100, 8000, 10]), Ok(vec![0]));
    assert_eq!(chosen([10, 8000, 4000]), Ok(vec![2]));
    let limited = RowLayout::new(&[varchar(8000), varchar(8000)]);
    assert_eq!(limited.off_row_columns(&[text(8000), text(7000)]), Ok(vec![0]));
    let fixed = RowLayout::new(&[SqlType::char(8000), SqlType::char(100), varchar(10)]);
    let row = [text(1), text(1), text(10)];
    assert!(matches!(fixed.off_row_columns(&row), Err(RowError::TooLong { .. })));
}

#[test]
#[should_panic(expected = "not an int")]
fn a_typed_getter_refuses_another_type() {
    let layout = RowLayout::new(&[SqlType::Float]);
    let record = layout.encode(&[Value::Float(1.0)]).expect("fits");
    let _ = layout.open(&record).expect("just written").i32(0);
}

proptest! {
    #[test]
    fn what_is_chosen_lets_the_rest_fit(lens in proptest::collection::vec(0..9000usize, 1..12)) {
        let types: Vec<_> = (0..lens.len()).map(|i| if i % 2 == 0 { VARCHAR_MAX } else { varchar(8000) }).collect();
        let layout = RowLayout::new(&types);
        let row: Vec<_> = lens.iter().zip(&types).map(|(&len, sql_type)| {
            let bytes = sql_type.max_bytes().map_or(len, |max| len.min(max as usize));
            Value::from("x".repeat(bytes))
        }).collect();
        let chosen = layout.off_row_columns(&row).expect("pointers always fit");
        let cells: Vec<_> = row.iter().enumerate().map(|(column, value)| match chosen.contains(&column) {
            true => Cell::OffRow(LobPointer::new(column as u64, 0)),
            false => Cell::Value(value),
        }).collect();
        let mut out = vec![0; 8060];
        let bytes = layout.encode_cells(&cells, &mut out);
        prop_assert!(bytes.is_ok());
        let view = layout.open(&out[..bytes.unwrap_or_default()]).expect("just written");
        for (column, value) in row.iter().enumerate() {
            match view.lob(column) {
                Some(pointer) => prop_assert_eq!(pointer.locator(), column as u64),
                None => prop_assert_eq!(view.column(column), Ok(value.clone())),
            }
        }
    }

    #[test]
    fn a_value_alone_round_trips_through_its_bytes((types, row) in typed_row()) {
        for (sql_type, value) in types.iter().zip(&row) {
            let mut bytes = vec![9];
            let written = value_to_bytes(sql_type, value, &mut bytes);
            if value.is_null() {
                prop_assert_eq!((written, bytes), (Err(RowError::WrongValue { column: 0 }), vec![9]));
                continue;
            }
            prop_assert_eq!(written, Ok(()));
            prop_assert_eq!(value_from_bytes(sql_type, &bytes[1..]), Ok(value.clone()));
            // The record holds the same bytes.
            let layout = RowLayout::new(&[*sql_type]);
            let record = layout.encode(std::slice::from_ref(value)).expect("one small column fits");
            prop_assert_eq!(layout.raw(&record, 0), Ok(Some(&bytes[1..])));
        }
    }

    #[test]
    fn cells_of_a_record_make_the_same_record((types, row) in typed_row()) {
        let layout = RowLayout::new(&types);
        let record = layout.encode(&row).expect("twenty small columns fit");
        let view = layout.open(&record).expect("just written");
        let cells: Vec<_> = (0..types.len()).map(|column| view.cell(column)).collect();
        let mut copy = vec![0xEE; 8060];
        let bytes = layout.encode_cells(&cells, &mut copy).expect("the same row");
        prop_assert_eq!(&copy[..bytes], &record[..]);
    }

    #[test]
    fn rows_round_trip((types, row) in typed_row()) {
        let layout = RowLayout::new(&types);
        let mut out = vec![0xEE; 8060];
        let bytes = layout.encode_into(&row, &mut out).expect("twenty small columns fit");
        prop_assert_eq!(bytes, layout.encoded_len(&row));
        prop_assert!(bytes >= layout.max_fixed_len());
        let record = &out[..bytes];
        let mut back = Vec::new();
        prop_assert_eq!(layout.decode(record, &mut back), Ok(()));
        prop_assert_eq!(&back, &row);
        for (column, value) in row.iter().enumerate() {
            prop_assert_eq!(layout.column(record, column), Ok(value.clone()));
            prop_assert_eq!(layout.is_null(record, column), Ok(value.is_null()));
            prop_assert_eq!(layout.raw(record, column).map(|raw| raw.is_none()), Ok(value.is_null()));
        }
    }

    #[test]
    fn damaged_records_never_panic(
        (types, row) in typed_row(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        keep in any::<prop::sample::Index>(),
    ) {
        let layout = RowLayout::new(&types);
        let mut record = layout.encode(&row).expect("twenty small columns fit");
        for (at, byte) in damage {
            let at = at.index(record.len());
            record[at] = byte;
        }
        record.truncate(keep.index(record.len() + 1));
        let mut back = Vec::new();
        let decoded = layout.decode(&record, &mut back);
        let by_column: Result<Vec<_>, _> = (0..types.len()).map(|column| layout.column(&record, column)).collect();
        prop_assert_eq!(decoded.is_ok(), by_column.is_ok());
        if decoded.is_ok() {
            // Whatever was read is a row again: it encodes, unless damaged offsets made it longer.
            let is_row = match layout.encode(&back) {
                Ok(_) | Err(RowError::TooLong { .. }) => true,
                Err(RowError::WrongValue { column }) => types[column].is_variable_length(),
                Err(_) => false,
            };
            prop_assert!(is_row);
        }
    }

    #[test]
    fn noise_is_no_record(types in proptest::collection::vec(crate::strategies::any_type(), 1..6), noise in proptest::collection::vec(any::<u8>(), 0..64)) {
        let layout = RowLayout::new(&types);
        let mut back = Vec::new();
        let _ = layout.decode(&noise, &mut back);
        for column in 0..=types.len() {
            let _ = layout.raw(&noise, column);
        }
    }
}
