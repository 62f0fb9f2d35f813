//! Every type, with nulls and bounds, to the wire and back.

use millpond_types::temporal::{Date, DateTime, DateTime2, DateTimeOffset, SmallDateTime, Time};
use millpond_types::variant::can_hold;
use millpond_types::{CodePage, Collation, Decimal, MaxLen, SqlType, Value, Variant};
use proptest::prelude::*;

use super::*;
use crate::TdsError;
use crate::column::ColumnMeta;
use crate::type_info::{TypeInfo, put_plain_type_info};
use crate::wire::Reader;

/// One of each type, parametrised ones at their bounds.
pub(crate) fn all_types() -> Vec<SqlType> {
    let mut types = vec![
        SqlType::Bit,
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Int,
        SqlType::BigInt,
        SqlType::Real,
        SqlType::Float,
        SqlType::SmallMoney,
        SqlType::Money,
        SqlType::Date,
        SqlType::SmallDateTime,
        SqlType::DateTime,
        SqlType::UniqueIdentifier,
    ];
    for scale in 0..=7 {
        types.push(SqlType::Time { scale });
        types.push(SqlType::DateTime2 { scale });
        types.push(SqlType::DateTimeOffset { scale });
    }
    for (precision, scale) in [(1, 0), (9, 9), (10, 2), (19, 4), (20, 0), (28, 28), (29, 1), (38, 0), (38, 38)] {
        types.push(SqlType::decimal(precision, scale));
    }
    for len in [1, 30, 8000] {
        types.push(SqlType::char(len));
        types.push(SqlType::Binary { len });
        types.push(SqlType::varchar(len));
        types.extend([SqlType::char(len), SqlType::varchar(len)].map(|narrow| narrow.in_page(CodePage::Utf8)));
        types.push(SqlType::VarBinary { len: MaxLen::Limited(len) });
    }
    for len in [1, 30, 4000] {
        types.push(SqlType::NChar { len });
        types.push(SqlType::NVarChar { len: MaxLen::Limited(len) });
    }
    types.push(SqlType::VARCHAR_MAX);
    types.push(SqlType::VARCHAR_MAX.in_page(CodePage::Utf8));
    types.push(SqlType::NVarChar { len: MaxLen::Max });
    types.extend([SqlType::VarBinary { len: MaxLen::Max }, SqlType::Xml, SqlType::Variant]);
    types
}

fn text(text: &str) -> Value {
    Value::Str(text.into())
}

/// Values at the bounds of the type; those of fixed length have it.
pub(crate) fn bounds(sql_type: SqlType) -> Vec<Value> {
    let mut values = vec![Value::Null];
    match sql_type {
        SqlType::Bit => values.extend([Value::Bit(false), Value::Bit(true)]),
        SqlType::TinyInt => values.extend([Value::TinyInt(0), Value::TinyInt(255)]),
        SqlType::SmallInt => values.extend([i16::MIN, -1, 0, i16::MAX].map(Value::SmallInt)),
        SqlType::Int => values.extend([i32::MIN, -1, 0, i32::MAX].map(Value::Int)),
        SqlType::BigInt => values.extend([i64::MIN, -1, 0, i64::MAX].map(Value::BigInt)),
        SqlType::Real => values.extend([f32::MIN, -0.5, f32::MIN_POSITIVE, f32::MAX].map(Value::Real)),
        SqlType::Float => values.extend([f64::MIN, -0.5, f64::MIN_POSITIVE, f64::MAX].map(Value::Float)),
        SqlType::Decimal { precision, scale, .. } => {
            let top = 10_i128.pow(precision.into()) - 1;
            values.extend([-top, -1, 0, 1, top].map(|unscaled| Value::Decimal(Decimal { unscaled, scale })));
        }
        SqlType::SmallMoney => values.extend([i32::MIN, -1, i32::MAX].map(|x| Value::Money(x.into()))),
        SqlType::Money => values.extend([i64::MIN, -1, 10_000, i64::MAX].map(Value::Money)),
        SqlType::Date => values.extend([Date::MIN, Date::MAX].map(Value::Date)),
        SqlType::Time { scale } => values.extend([0, last_tick(scale)].map(|ticks| Value::Time(Time { ticks }))),
        SqlType::DateTime2 { scale } => values.extend([
            Value::DateTime2(DateTime2 { date: Date::MIN, time: Time { ticks: 0 } }),
            Value::DateTime2(DateTime2 { date: Date::MAX, time: Time { ticks: last_tick(scale) } }),
        ]),
        SqlType::SmallDateTime => values.extend([
            Value::SmallDateTime(SmallDateTime { days: 0, minutes: 0 }),
            Value::SmallDateTime(SmallDateTime { days: 65535, minutes: 1439 }),
        ]),
        SqlType::DateTime => values.extend([DateTime::MIN, DateTime::MAX].map(Value::DateTime)),
        SqlType::Char { len, page: CodePage::Utf8 } => {
            let len = usize::from(len);
            values.push(text(&"x".repeat(len)));
            values.push(text(&format!("{}{}", "😀".repeat(len / 4), " ".repeat(len % 4))));
        }
        SqlType::VarChar { len: MaxLen::Limited(len), page: CodePage::Utf8 } => {
            let len = usize::from(len);
            values.extend([text(""), text(&"日".repeat(len / 3)), text(&"x".repeat(len))]);
        }
        SqlType::Char { len, .. } => values.extend([text(&"x".repeat(len.into())), text(&"é".repeat(len.into()))]),
        SqlType::NChar { len } => values.extend([text(&"x".repeat(len.into())), text(&"я".repeat(len.into()))]),
        SqlType::VarChar { len: MaxLen::Limited(len), .. } => {
            values.extend([text(""), text("€"), text(&"ÿ".repeat(len.into()))]);
        }
        SqlType::NVarChar { len: MaxLen::Limited(len) } => {
            values.extend([text(""), text("я"), text(&"𝄞".repeat(usize::from(len) / 2))]);
        }
        SqlType::VarChar { len: MaxLen::Max, .. } => values.extend([text(""), text(&"ü".repeat(100_000))]),
        SqlType::NVarChar { len: MaxLen::Max } => values.extend([text(""), text(&"я𝄞".repeat(50_000))]),
        SqlType::Binary { len } => values.push(Value::Binary(vec![0xFF; len.into()].into())),
        SqlType::VarBinary { len: MaxLen::Limited(len) } => {
            values.extend([vec![], vec![0xFF; len.into()]].map(|bytes| Value::Binary(bytes.into())));
        }
        SqlType::VarBinary { len: MaxLen::Max } => {
            values.extend([vec![], vec![7; 100_000]].map(|bytes| Value::Binary(bytes.into())));
        }
        SqlType::DateTimeOffset { scale } => {
            let first = DateTime2 { date: Date::MIN, time: Time { ticks: 0 } };
            let last = DateTime2 { date: Date::MAX, time: Time { ticks: last_tick(scale) } };
            let date_times = [(first, 0), (first, 840), (last, 0), (last, -840)];
            values.extend(date_times.map(|(utc, offset)| DateTimeOffset::from_utc(utc, offset).unwrap().into()));
        }
        SqlType::RowVersion => values.push(Value::binary(&[1, 2, 3, 4, 5, 6, 7, 8])),
        SqlType::Xml => values.extend([text("<a/>"), text(&"<я>𝄞</я>".repeat(20_000))]),
        SqlType::Variant => values.extend(variants()),
        SqlType::UniqueIdentifier => values.push(Value::Guid(std::array::from_fn(|index| index as u8))),
    }
    values
}

/// The bounds of every type that a variant holds.
fn variants() -> Vec<Value> {
    let held = all_types().into_iter().filter(can_hold);
    let all = held.flat_map(|base| bounds(base).into_iter().map(move |value| (base, value)));
    all.filter_map(|(base, value)| Variant::new(base, Collation::LATIN1_CS_AS, value)).map(Value::from).collect()
}

fn last_tick(scale: u8) -> u64 {
    let step = 10_u64.pow(7 - u32::from(scale));
    Time::TICKS_PER_DAY - step
}

/// Values are compared by their form: they have no equality of their own.
pub(crate) fn form(value: &Value) -> String {
    format!("{value:?}")
}

fn info(sql_type: SqlType) -> TypeInfo {
    let mut bytes = Vec::new();
    put_plain_type_info(&mut bytes, sql_type);
    TypeInfo::read(&mut Reader::new(&bytes)).unwrap()
}

fn round_trip(sql_type: SqlType, value: &Value) -> Value {
    let mut out = Vec::new();
    put_value(&mut out, sql_type, value).unwrap();
    let mut reader = Reader::new(&out);
    let back = read_value(&mut reader, &info(sql_type), Place::Row).unwrap();
    assert!(reader.is_empty());
    back
}

#[test]
fn every_type_round_trips_with_null_and_bounds() {
    for sql_type in all_types() {
        for value in bounds(sql_type) {
            assert_eq!(form(&round_trip(sql_type, &value)), form(&value), "{sql_type:?}");
        }
    }
}

#[test]
fn a_cut_value_is_never_read() {
    for sql_type in all_types() {
        for value in bounds(sql_type).iter().filter(|value| form(value).len() < 1000) {
            let mut out = Vec::new();
            put_value(&mut out, sql_type, value).unwrap();
            for end in 0..out.len() {
                let cut = read_value(&mut Reader::new(&out[..end]), &info(sql_type), Place::Row);
                assert!(matches!(cut, Err(TdsError::Truncated { .. })), "{sql_type:?} {value:?} {end}");
            }
        }
    }
}

#[track_caller]
fn assert_wire(sql_type: SqlType, value: Value, bytes: &[u8]) {
    let mut out = Vec::new();
    put_value(&mut out, sql_type, &value).unwrap();
    assert_eq!(out, bytes, "{sql_type:?}");
}

#[test]
fn known_bytes() {
    assert_wire(SqlType::Int, Value::Int(258), &[4, 2, 1, 0, 0]);
    assert_wire(SqlType::Money, Value::Money(0x0102_0304_0506_0708), &[8, 4, 3, 2, 1, 8, 7, 6, 5]);
    assert_wire(SqlType::Date, Value::Date(Date { days: 0x02_0304 }), &[3, 4, 3, 2]);
    assert_wire(SqlType::Time { scale: 0 }, Value::Time(Time { ticks: 10_000_000 }), &[3, 1, 0, 0]);
    let minus_one = Decimal { unscaled: -100, scale: 2 };
    assert_wire(SqlType::decimal(5, 2), Value::Decimal(minus_one), &[5, 0, 100, 0, 0, 0]);
    assert_wire(SqlType::char(3), text("é"), &[3, 0, 0xE9, b' ', b' ']);
    assert_wire(SqlType::NChar { len: 2 }, text("a"), &[4, 0, b'a', 0, b' ', 0]);
    assert_wire(SqlType::Binary { len: 3 }, Value::Binary([1].into()), &[3, 0, 1, 0, 0]);
    let utf8 = |sql_type: SqlType| sql_type.in_page(CodePage::Utf8);
    assert_wire(utf8(SqlType::char(3)), text("é"), &[3, 0, 0xC3, 0xA9, b' ']);
    assert_wire(utf8(SqlType::varchar(4)), text("😀"), &[4, 0, 0xF0, 0x9F, 0x98, 0x80]);
    assert_wire(SqlType::varchar(4).in_page(CodePage::Cp1251), text("жя"), &[2, 0, 0xE6, 0xFF]);
    assert_wire(SqlType::char(5).in_page(CodePage::Cp932), text("日ｱ"), &[5, 0, 0x93, 0xFA, 0xB1, b' ', b' ']);
    let max = SqlType::VARCHAR_MAX;
    assert_wire(max, text("ab"), &[2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'a', b'b', 0, 0, 0, 0]);
    assert_wire(max, text(""), &[0; 12]);
    assert_wire(max, Value::Null, &[0xFF; 8]);
}

#[test]
fn integers_fit_wider_columns_and_nothing_else_does() {
    assert_wire(SqlType::BigInt, Value::Int(-1), &[8, 255, 255, 255, 255, 255, 255, 255, 255]);
    let mut out = vec![9];
    for (sql_type, value) in [
        (SqlType::TinyInt, Value::Int(256)),
        (SqlType::Int, Value::Float(1.0)),
        (SqlType::varchar(2), text("abc")),
        (SqlType::varchar(3).in_page(CodePage::Utf8), text("éé")),
        (SqlType::varchar(3).in_page(CodePage::Cp932), text("日本")),
        (SqlType::char(2), text("abc")),
        (SqlType::decimal(2, 0), Value::Decimal(Decimal { unscaled: 100, scale: 0 })),
        (SqlType::decimal(9, 1), Value::Decimal(Decimal { unscaled: 1, scale: 0 })),
        (SqlType::SmallMoney, Value::Money(i64::MAX)),
    ] {
        assert_eq!(put_value(&mut out, sql_type, &value), Err(TdsError::ValueMismatch { sql_type }));
        assert_eq!(out, [9], "{sql_type:?}");
        assert!(!fits(sql_type, &value));
    }
}

#[test]
fn a_row_that_fails_leaves_no_trace() {
    let columns = [ColumnMeta::new("a", SqlType::Int), ColumnMeta::new("b", SqlType::Int)];
    let mut out = vec![1];
    assert!(write_row(&mut out, &columns, &[Value::Int(1), text("x")]).is_err());
    assert!(write_null_bitmap_row(&mut out, &columns, &[Value::Null, text("x")]).is_err());
    assert_eq!(write_row(&mut out, &columns, &[]), Err(TdsError::ColumnCount { columns: 2, values: 0 }));
    assert_eq!(out, [1]);
    write_null_bitmap_row(&mut out, &columns, &[Value::Null, Value::Int(1)]).unwrap();
    assert_eq!(out, [1, 0xD2, 0b01, 4, 1, 0, 0, 0]);
}

#[test]
fn values_out_of_range_are_refused() {
    for (sql_type, bytes) in [
        (SqlType::Date, &[3, 0xFF, 0xFF, 0xFF][..]),
        (SqlType::Time { scale: 0 }, &[3, 0x80, 0x51, 0x01]),
        (SqlType::SmallDateTime, &[4, 0, 0, 0xA0, 0x05]),
        (SqlType::DateTime, &[8, 0, 0, 0, 0x80, 0, 0, 0, 0]),
        (SqlType::Int, &[2, 0, 0]),
        (
            SqlType::decimal(38, 0),
            &[17, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
        ),
        (SqlType::NVarChar { len: MaxLen::Limited(5) }, &[3, 0, 0, 0, 0]),
        (SqlType::varchar(1), &[2, 0, 65, 65]),
    ] {
        let read = read_value(&mut Reader::new(bytes), &info(sql_type), Place::Parameter);
        assert!(matches!(read, Err(TdsError::Malformed { .. })), "{sql_type:?}");
    }
}

#[test]
fn chunks_are_joined_and_their_sum_is_checked() {
    let max = info(SqlType::VARCHAR_MAX);
    let mut bytes = vec![0xFE, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0, b'a', 2, 0, 0, 0, b'b', b'c', 0, 0, 0, 0];
    let value = read_value(&mut Reader::new(&bytes), &max, Place::Row).unwrap();
    assert_eq!(form(&value), form(&text("abc")));
    bytes[..8].copy_from_slice(&4_u64.to_le_bytes());
    assert!(read_value(&mut Reader::new(&bytes), &max, Place::Row).is_err());
}

#[test]
fn text_columns_of_other_servers_have_a_pointer() {
    let ntext = TypeInfo::read(&mut Reader::new(&[0x63, 0, 0, 0, 0, 9, 4, 0xD0, 0, 0x34])).unwrap();
    let mut bytes = vec![16];
    bytes.extend_from_slice(&[1; 24]);
    bytes.extend_from_slice(&[2, 0, 0, 0, b'x', 0]);
    let value = read_value(&mut Reader::new(&bytes), &ntext, Place::Row).unwrap();
    assert_eq!(form(&value), form(&text("x")));
    let value = read_value(&mut Reader::new(&bytes[25..]), &ntext, Place::Parameter).unwrap();
    assert_eq!(form(&value), form(&text("x")));
    assert!(matches!(read_value(&mut Reader::new(&[0]), &ntext, Place::Row), Ok(Value::Null)));
}

#[test]
fn variants_and_offsets_have_the_bytes_of_the_protocol() {
    let nvarchar = SqlType::NVarChar { len: MaxLen::Limited(4000) };
    let variant = |base, value| Variant::new(base, Collation::default(), value).unwrap().into();
    // Length, type, collation and declared length, text.
    let bytes = [13, 0, 0, 0, 0xE7, 7, 9, 4, 0xD0, 0, 0x34, 0x40, 0x1F, b'1', 0, b'6', 0];
    assert_wire(SqlType::Variant, variant(nvarchar, text("16")), &bytes);
    assert_wire(SqlType::Variant, variant(SqlType::Int, Value::Int(7)), &[6, 0, 0, 0, 0x38, 0, 7, 0, 0, 0]);
    let decimal = Value::Decimal(Decimal { unscaled: -150, scale: 2 });
    let bytes = [9, 0, 0, 0, 0x6A, 2, 5, 2, 0, 150, 0, 0, 0];
    assert_wire(SqlType::Variant, variant(SqlType::decimal(5, 2), decimal), &bytes);
    assert_wire(SqlType::Variant, Value::Null, &[0; 4]);
    // 0001-01-01 23:30:00 UTC, one hour east.
    let utc = DateTime2 { date: Date::MIN, time: Time::from_hms(23, 30, 0, 0).unwrap() };
    let date_time = DateTimeOffset::from_utc(utc, 60).unwrap();
    assert_wire(SqlType::DateTimeOffset { scale: 0 }, date_time.into(), &[8, 0x78, 0x4A, 0x01, 0, 0, 0, 60, 0]);
    assert_wire(SqlType::RowVersion, Value::binary(&[0, 0, 0, 0, 0, 0, 7, 0xD1]), &[8, 0, 0, 0, 0, 0, 0, 0, 7, 0xD1]);
}

#[test]
fn variants_that_contradict_themselves_are_refused() {
    let variant = info(SqlType::Variant);
    for bytes in [
        &[0x62, 0][..],
        &[0x38, 0, 1],
        &[0xE7, 5, 9, 4, 0xD0, 0, 0x34, 65, 0],
        &[0xA7, 7, 9, 4, 0xD0, 0, 0x34, 1, 0, 65, 65],
        &[0xA7, 7, 9, 4, 0xD0, 0, 0x34, 0xFF, 0xFF, 65],
        &[0x6C, 2, 39, 0, 1, 1, 0, 0, 0],
        &[0x2B, 1, 8, 0, 0, 0],
        &[0x38, 9],
    ] {
        let mut framed = u32::try_from(bytes.len()).unwrap().to_le_bytes().to_vec();
        framed.extend_from_slice(bytes);
        let read = read_value(&mut Reader::new(&framed), &variant, Place::Row);
        assert!(matches!(read, Err(TdsError::Malformed { .. })), "{bytes:02X?}");
    }
}

#[test]
fn utf8_collations_of_clients_are_read() {
    let info = TypeInfo::read(&mut Reader::new(&[0xA7, 10, 0, 9, 4, 0xD0, 4, 0])).unwrap();
    let value = read_value(&mut Reader::new(&[2, 0, 0xC3, 0xA9]), &info, Place::Parameter).unwrap();
    assert_eq!(form(&value), form(&text("é")));
}

proptest! {
    #[test]
    fn any_text_round_trips_as_nvarchar(value in ".{0,200}") {
        for sql_type in [SqlType::NVarChar { len: MaxLen::Max }, SqlType::NVarChar { len: MaxLen::Limited(400) }] {
            prop_assert_eq!(form(&round_trip(sql_type, &text(&value))), form(&text(&value)));
        }
    }

    #[test]
    fn random_bytes_never_panic(type_bytes in prop::collection::vec(any::<u8>(), 1..12), bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        if let Ok(info) = TypeInfo::read(&mut Reader::new(&type_bytes)) {
            let _ = read_value(&mut Reader::new(&bytes), &info, Place::Row);
            let _ = read_value(&mut Reader::new(&bytes), &info, Place::Parameter);
        }
    }
}
