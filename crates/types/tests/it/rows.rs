//! Records: what is written is read, what is damaged is refused.

use millpond_types::{Decimal, MaxLen, RowError, RowLayout, SqlType, Value};
use proptest::prelude::*;

use crate::strategies::typed_row;

fn varchar(len: u16) -> SqlType {
    SqlType::VarChar { len: MaxLen::Limited(len) }
}

#[test]
fn a_row_at_the_limit_fits_and_one_byte_more_does_not() {
    let layout = RowLayout::new(&[SqlType::Char { len: 8000 }, SqlType::Char { len: 53 }]);
    let row = [Value::str("a"), Value::str("b")];
    assert_eq!(layout.encode(&row).map(|record| record.len()), Ok(8060));
    let layout = RowLayout::new(&[SqlType::Char { len: 8000 }, SqlType::Char { len: 54 }]);
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
    let decimals = RowLayout::new(&[SqlType::Decimal { precision: 3, scale: 1 }]);
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
fn a_fixed_column_behind_the_fixed_part_is_damage() {
    let old = RowLayout::new(&[SqlType::Int]);
    let new = RowLayout::new(&[SqlType::Int, SqlType::Int]);
    let mut record = old.encode(&[Value::Int(7)]).expect("fits");
    // The record claims two columns, but its fixed part has room for one; more bytes follow.
    record[8] = 2;
    record.extend([0; 20]);
    assert_eq!(new.column(&record, 0), Ok(Value::Int(7)));
    assert!(matches!(new.column(&record, 1), Err(RowError::Damaged { .. })));
}

#[test]
fn equal_rows_have_equal_records_whatever_the_buffer_held() {
    let layout = RowLayout::new(&[SqlType::Int, SqlType::Bit, SqlType::Char { len: 5 }, varchar(5)]);
    let row = [Value::Null, Value::Null, Value::Null, Value::str("ab")];
    let (mut clean, mut dirty) = ([0; 40], [0xEE; 40]);
    let bytes = layout.encode_into(&row, &mut clean).expect("fits");
    assert_eq!(layout.encode_into(&row, &mut dirty), Ok(bytes));
    assert_eq!(clean[..bytes], dirty[..bytes]);
    assert!(dirty[bytes..].iter().all(|&byte| byte == 0xEE));
}

proptest! {
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
