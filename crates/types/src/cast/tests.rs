//! Conversions with their exact texts, numbers and messages.

use proptest::prelude::*;

use super::*;
use crate::decimal::Decimal;
use crate::sql_type::CodePage;
use crate::temporal::{Date, DateOrder, DateTime, DateTime2, DateTimeOffset, SmallDateTime, Time, parse_datetime};

const INT: SqlType = SqlType::Int;
const FLOAT: SqlType = SqlType::Float;
const MONEY: SqlType = SqlType::Money;
const DATETIME: SqlType = SqlType::DateTime;
const DT2: SqlType = SqlType::DateTime2 { scale: 7 };
const TEXT: SqlType = SqlType::VARCHAR_MAX;

fn varchar(len: u16) -> SqlType {
    SqlType::varchar(len)
}

fn utf8(len: u16) -> SqlType {
    varchar(len).in_page(CodePage::Utf8)
}

fn nvarchar(len: u16) -> SqlType {
    SqlType::NVarChar { len: MaxLen::Limited(len) }
}

fn varbinary(len: u16) -> SqlType {
    SqlType::VarBinary { len: MaxLen::Limited(len) }
}

fn dec_type(precision: u8, scale: u8) -> SqlType {
    SqlType::decimal(precision, scale)
}

fn dec(text: &str) -> Value {
    Value::Decimal(Decimal::parse(text).expect("a test's literal"))
}

fn at(text: &str) -> DateTime2 {
    parse_datetime(text, DateOrder::Mdy).expect("a test's literal").value
}

fn datetime(text: &str) -> Value {
    Value::DateTime(DateTime::from_datetime2(at(text)).expect("in range"))
}

fn number(result: Result<Value, Box<EvalError>>) -> Result<Value, i32> {
    result.map_err(|error| error.number())
}

#[test]
fn texts_to_numbers() {
    for (text, to, expected) in [
        ("  42 ", INT, Ok(Value::Int(42))),
        ("+7", INT, Ok(Value::Int(7))),
        ("", INT, Ok(Value::Int(0))),
        ("1.5", INT, Err(245)),
        ("abc", INT, Err(245)),
        ("3000000000", INT, Err(248)),
        ("300", SqlType::TinyInt, Err(244)),
        ("-1", SqlType::TinyInt, Err(244)),
        ("40000", SqlType::SmallInt, Err(244)),
        ("x", SqlType::BigInt, Err(8114)),
        ("9223372036854775808", SqlType::BigInt, Err(8115)),
        ("-9223372036854775808", SqlType::BigInt, Ok(Value::BigInt(i64::MIN))),
        ("1.255", dec_type(5, 2), Ok(dec("1.26"))),
        (" -1 ", dec_type(5, 2), Ok(dec("-1.00"))),
        ("1e5", dec_type(9, 2), Err(8114)),
        ("", dec_type(9, 2), Err(8114)),
        ("1234", dec_type(3, 0), Err(8115)),
        ("1.5E+3", FLOAT, Ok(Value::Float(1500.0))),
        ("7d8", FLOAT, Ok(Value::Float(7e8))),
        ("-1.5D-1", FLOAT, Ok(Value::Float(-0.15))),
        ("1d", FLOAT, Err(8114)),
        ("1e2d3", FLOAT, Err(8114)),
        ("", FLOAT, Ok(Value::Float(0.0))),
        ("inf", FLOAT, Err(8114)),
        ("nan", FLOAT, Err(8114)),
        ("1e400", FLOAT, Err(8115)),
        ("1e39", SqlType::Real, Err(8115)),
        ("true", SqlType::Bit, Ok(Value::Bit(true))),
        ("FALSE", SqlType::Bit, Ok(Value::Bit(false))),
        ("-3", SqlType::Bit, Ok(Value::Bit(true))),
        ("yes", SqlType::Bit, Err(245)),
        ("$1,234.56", MONEY, Ok(Value::Money(12_345_600))),
        ("-$5", MONEY, Ok(Value::Money(-50_000))),
        ("$-5", MONEY, Ok(Value::Money(-50_000))),
        ("€ 0.00005", MONEY, Ok(Value::Money(1))),
        ("", MONEY, Ok(Value::Money(0))),
        (".", MONEY, Ok(Value::Money(0))),
        ("-.", MONEY, Ok(Value::Money(0))),
        ("..", MONEY, Err(235)),
        ("\t\r\n\u{a0}5", MONEY, Ok(Value::Money(50_000))),
        ("abc", MONEY, Err(235)),
        ("1e5", MONEY, Err(235)),
        ("922337203685477.5808", MONEY, Err(236)),
        ("300000", SqlType::SmallMoney, Err(294)),
        ("x", SqlType::SmallMoney, Err(293)),
    ] {
        assert_eq!(
            number(cast(&text.into(), &varchar(50), &to, None, CastRules::DEFAULT)),
            expected,
            "{text:?} as {to}"
        );
    }
}

#[test]
fn the_message_names_text_and_types() {
    let error = cast(&"abc".into(), &varchar(5), &INT, None, CastRules::DEFAULT).expect_err("no number");
    assert_eq!(error.to_string(), "Conversion failed when converting the varchar value 'abc' to data type int.");
    let error = cast(&"x".into(), &nvarchar(5), &dec_type(5, 0), None, CastRules::DEFAULT).expect_err("no number");
    assert_eq!(error.to_string(), "Error converting data type nvarchar to numeric.");
    let error = cast(&Value::Int(300), &INT, &SqlType::TinyInt, None, CastRules::DEFAULT).expect_err("too large");
    assert_eq!(error.to_string(), "Arithmetic overflow error for data type tinyint, value = 300.");
    let error = cast(&Value::Float(1e10), &FLOAT, &INT, None, CastRules::DEFAULT).expect_err("too large");
    assert_eq!(error.to_string(), "Arithmetic overflow error for type int, value = 10000000000.000000.");
}

#[test]
fn numbers_to_numbers() {
    for (value, from, to, expected) in [
        (Value::Int(-1), INT, SqlType::TinyInt, Err(220)),
        (Value::Int(70_000), INT, SqlType::SmallInt, Err(220)),
        (Value::BigInt(1 << 40), SqlType::BigInt, INT, Err(8115)),
        (Value::Int(5), INT, SqlType::Bit, Ok(Value::Bit(true))),
        (Value::Int(5), INT, dec_type(5, 2), Ok(dec("5.00"))),
        (Value::Int(5000), INT, dec_type(5, 2), Err(8115)),
        (Value::Int(5), INT, MONEY, Ok(Value::Money(50_000))),
        (Value::BigInt(i64::MAX), SqlType::BigInt, MONEY, Err(8115)),
        (dec("1.99"), dec_type(5, 2), INT, Ok(Value::Int(1))),
        (dec("-1.99"), dec_type(5, 2), INT, Ok(Value::Int(-1))),
        (dec("1.005"), dec_type(5, 3), dec_type(5, 2), Ok(dec("1.01"))),
        (dec("3000000000"), dec_type(10, 0), INT, Err(8115)),
        (Value::Money(15_000), MONEY, INT, Ok(Value::Int(2))),
        (Value::Money(12_345), MONEY, dec_type(9, 2), Ok(dec("1.23"))),
        (Value::Money(12_345), MONEY, FLOAT, Ok(Value::Float(1.2345))),
        (Value::Float(2.9), FLOAT, INT, Ok(Value::Int(2))),
        (Value::Float(-2.9), FLOAT, INT, Ok(Value::Int(-2))),
        (Value::Float(1e10), FLOAT, INT, Err(232)),
        (Value::Float(1e300), FLOAT, SqlType::BigInt, Err(8115)),
        (Value::Float(1e300), FLOAT, MONEY, Err(232)),
        (Value::BigInt(300), SqlType::BigInt, SqlType::TinyInt, Err(8115)),
        (Value::Int(1_000_000), INT, SqlType::SmallMoney, Err(220)),
        (Value::BigInt(1_000_000), SqlType::BigInt, SqlType::SmallMoney, Err(8115)),
        (Value::Money(10_000_000_000), MONEY, SqlType::SmallMoney, Err(237)),
        (Value::Money(30_000_000_000_000), MONEY, INT, Err(237)),
        (Value::Money(30_000_000_000_000), MONEY, SqlType::TinyInt, Err(237)),
        (Value::Money(700_000_000), MONEY, SqlType::SmallInt, Err(220)),
        (Value::Money(3_000_000), MONEY, SqlType::TinyInt, Err(232)),
        (Value::Money(700_000_000), SqlType::SmallMoney, SqlType::SmallInt, Err(220)),
        (Value::Money(3_000_000), SqlType::SmallMoney, SqlType::TinyInt, Err(8115)),
        (Value::Float(1e300), FLOAT, SqlType::Real, Err(232)),
        (Value::Float(1.00005), FLOAT, MONEY, Ok(Value::Money(10_001))),
        (Value::Float(0.5), FLOAT, dec_type(5, 0), Ok(dec("1"))),
        (Value::Real(0.1), SqlType::Real, FLOAT, Ok(Value::Float(f64::from(0.1f32)))),
    ] {
        assert_eq!(number(cast(&value, &from, &to, None, CastRules::DEFAULT)), expected, "{value:?} as {to}");
    }
}

#[test]
fn numbers_to_texts() {
    for (value, from, to, style, expected) in [
        (Value::Int(-42), INT, varchar(20), None, Ok("-42")),
        (Value::Int(1000), INT, varchar(3), None, Ok("*")),
        (Value::Int(1000), INT, nvarchar(3), None, Err(8115)),
        (Value::Int(7), INT, SqlType::char(3), None, Ok("7  ")),
        (Value::Bit(true), SqlType::Bit, varchar(1), None, Ok("1")),
        (dec("-0.50"), dec_type(5, 2), varchar(10), None, Ok("-0.50")),
        (dec("123.45"), dec_type(5, 2), varchar(5), None, Err(8115)),
        (Value::Float(10.0 / 3.0), FLOAT, varchar(30), Some(126), Ok("3.333333333333333e+000")),
        (Value::Real(10.0 / 3.0), SqlType::Real, varchar(30), Some(126), Ok("3.3333333e+000")),
        (Value::Float(123.0), FLOAT, nvarchar(2), None, Err(8115)),
        (Value::Float(123_456.0), FLOAT, varchar(30), None, Ok("123456")),
        (Value::Float(1_000_000.0), FLOAT, varchar(30), None, Ok("1e+006")),
        (Value::Float(1_234_567.0), FLOAT, varchar(30), None, Ok("1.23457e+006")),
        (Value::Float(0.0001), FLOAT, varchar(30), None, Ok("0.0001")),
        (Value::Float(0.00001), FLOAT, varchar(30), None, Ok("1e-005")),
        (Value::Float(-2.5), FLOAT, varchar(30), None, Ok("-2.5")),
        (Value::Float(0.0), FLOAT, varchar(30), None, Ok("0")),
        (Value::Float(1.41421999), FLOAT, varchar(30), None, Ok("1.41422")),
        (Value::Float(1_234_567.0), FLOAT, varchar(30), Some(1), Ok("1.2345670e+006")),
        (Value::Float(1_234_567.0), FLOAT, varchar(30), Some(2), Ok("1.234567000000000e+006")),
        (Value::Float(0.1), FLOAT, varchar(30), Some(3), Ok("1.0000000000000001e-001")),
        (Value::Float(123.0), FLOAT, varchar(2), None, Err(232)),
        (Value::Money(12_345_678), MONEY, varchar(20), None, Ok("1234.57")),
        (Value::Money(12_345_678), MONEY, varchar(20), Some(1), Ok("1,234.57")),
        (Value::Money(12_345_678), MONEY, varchar(20), Some(2), Ok("1234.5678")),
        (Value::Money(-15_000), MONEY, varchar(20), None, Ok("-1.50")),
        (Value::Money(1_000_000_000_000), MONEY, varchar(20), Some(1), Ok("100,000,000.00")),
        (Value::Money(15_000), MONEY, varchar(3), None, Err(234)),
    ] {
        let expected = expected.map(Value::str);
        assert_eq!(
            number(cast(&value, &from, &to, style, CastRules::DEFAULT)),
            expected,
            "{value:?} as {to} style {style:?}"
        );
    }
}

#[test]
fn texts_to_texts() {
    for (text, from, to, expected) in [
        ("hello", varchar(5), varchar(3), "hel"),
        ("ab", varchar(5), SqlType::char(4), "ab  "),
        ("日本語", nvarchar(5), varchar(5), "???"),
        ("日本語", nvarchar(5), nvarchar(2), "日本"),
        ("ä€", nvarchar(5), SqlType::char(3), "ä€ "),
        ("ab", SqlType::char(4), SqlType::char(4), "ab  "),
        ("ab  ", SqlType::char(4), varchar(10), "ab  "),
    ] {
        assert_eq!(cast(&text.into(), &from, &to, None, CastRules::DEFAULT), Ok(expected.into()), "{text} as {to}");
    }
}

#[test]
fn texts_of_utf8_are_measured_in_bytes() {
    for (text, from, to, expected) in [
        ("日本語", nvarchar(5), utf8(9), "日本語"),
        ("日本語", nvarchar(5), utf8(8), "日本"),
        ("ž😀x", nvarchar(5), utf8(5), "ž"),
        ("日", nvarchar(5), SqlType::char(5).in_page(CodePage::Utf8), "日  "),
        ("日本ä", utf8(9), varchar(9), "??ä"),
        ("日本ä", utf8(9), nvarchar(9), "日本ä"),
        ("ä€", varchar(2), utf8(5), "ä€"),
        ("ä€", varchar(2), utf8(4), "ä"),
    ] {
        assert_eq!(cast(&text.into(), &from, &to, None, CastRules::DEFAULT), Ok(expected.into()), "{text} as {to}");
    }
    for (text, from, to, expected) in [
        ("日本", nvarchar(5), utf8(6), Ok("日本".into())),
        ("日本", nvarchar(5), utf8(5), Err(8152)),
        ("日  ", nvarchar(5), utf8(3), Ok("日".into())),
        ("日本", utf8(6), varchar(6), Ok("??".into())),
    ] {
        assert_eq!(number(store(&text.into(), &from, &to, CastRules::DEFAULT)), expected, "{text} into {to}");
    }
    let bytes = Value::binary("ž日".as_bytes());
    assert_eq!(cast(&bytes, &varbinary(5), &utf8(5), None, CastRules::DEFAULT), Ok("ž日".into()));
    assert_eq!(cast(&"ž日".into(), &utf8(5), &varbinary(5), None, CastRules::DEFAULT), Ok(bytes));
}

#[test]
fn texts_to_dates() {
    let late = DateTime { days: 45_320, ticks: 10 * 3600 * 300 };
    for (text, to, style, expected) in [
        ("2024-01-31T10:00:00", DATETIME, None, Ok(Value::DateTime(late))),
        ("Jan 31 2024 10:00AM", DATETIME, None, Ok(Value::DateTime(late))),
        ("31/01/2024 10:00", DATETIME, Some(103), Ok(Value::DateTime(late))),
        ("31/01/2024", DATETIME, None, Err(242)),
        ("2024-02-30", DATETIME, None, Err(242)),
        ("2024-02-30", SqlType::Date, None, Err(241)),
        ("2024-02-30", DT2, None, Err(241)),
        ("garbage", DATETIME, None, Err(241)),
        ("garbage", SqlType::SmallDateTime, None, Err(295)),
        ("1752-12-31", DATETIME, None, Err(242)),
        ("2079-06-07", SqlType::SmallDateTime, None, Err(242)),
        ("2024-01-31 10:00:00.1234567", DATETIME, None, Err(241)),
        ("2024-01-31 10:00:00 +01:00", DATETIME, None, Err(241)),
        ("2024-01-31 10:00", SqlType::Date, None, Ok(Value::Date(at("2024-01-31").date))),
        ("10:00:00.55", SqlType::Time { scale: 1 }, None, Ok(Value::Time(at("10:00:00.6").time))),
        (
            "2024-01-31 10:00:00.1234567",
            SqlType::DateTime2 { scale: 3 },
            None,
            Ok(Value::DateTime2(at("2024-01-31 10:00:00.123"))),
        ),
        ("", DATETIME, None, Ok(Value::DateTime(DateTime { days: 0, ticks: 0 }))),
    ] {
        assert_eq!(
            number(cast(&text.into(), &varchar(50), &to, style, CastRules::DEFAULT)),
            expected,
            "{text:?} as {to}"
        );
    }
}

#[test]
fn dates_to_texts() {
    let value = datetime("2024-01-31 10:00");
    for (value, from, to, style, expected) in [
        (value.clone(), DATETIME, varchar(30), None, "Jan 31 2024 10:00AM"),
        (value.clone(), DATETIME, varchar(10), Some(120), "2024-01-31"),
        (value, DATETIME, nvarchar(30), Some(126), "2024-01-31T10:00:00"),
        (Value::Date(at("2024-01-31").date), SqlType::Date, varchar(30), None, "2024-01-31"),
        (Value::DateTime2(at("2024-01-31 10:00")), DT2, varchar(30), None, "2024-01-31 10:00:00.0000000"),
        (Value::Time(at("10:00").time), SqlType::Time { scale: 0 }, varchar(30), None, "10:00:00"),
    ] {
        assert_eq!(cast(&value, &from, &to, style, CastRules::DEFAULT), Ok(expected.into()), "{from} style {style:?}");
    }
}

#[test]
fn dates_to_dates_and_numbers() {
    let noon = datetime("2024-01-31 12:00");
    let third = Value::DateTime(DateTime { days: 0, ticks: 1 });
    for (value, from, to, expected) in [
        (noon.clone(), DATETIME, INT, Ok(Value::Int(45_321))),
        (noon.clone(), DATETIME, FLOAT, Ok(Value::Float(45_320.5))),
        (noon.clone(), DATETIME, dec_type(10, 2), Ok(dec("45320.50"))),
        (noon.clone(), DATETIME, SqlType::SmallInt, Err(8115)),
        (noon.clone(), DATETIME, SqlType::Date, Ok(Value::Date(at("2024-01-31").date))),
        (third, DATETIME, DT2, Ok(Value::DateTime2(at("1900-01-01 00:00:00.0033333")))),
        (Value::Date(Date::MIN), SqlType::Date, DATETIME, Err(242)),
        (Value::Date(Date::MAX), SqlType::Date, SqlType::SmallDateTime, Err(242)),
        (Value::Date(Date::MIN), SqlType::Date, SqlType::Time { scale: 0 }, Err(529)),
        (Value::Date(Date::MIN), SqlType::Date, INT, Err(529)),
        (Value::Time(Time::default()), SqlType::Time { scale: 0 }, DATETIME, Ok(datetime("1900-01-01"))),
        (Value::Int(45_320), INT, DATETIME, Ok(datetime("2024-01-31"))),
        (Value::Float(45_320.5), FLOAT, DATETIME, Ok(noon)),
        (Value::Int(i32::MAX), INT, DATETIME, Err(8115)),
        (Value::Int(-1), INT, SqlType::SmallDateTime, Err(8115)),
        (Value::Int(1), INT, SqlType::SmallDateTime, Ok(Value::SmallDateTime(SmallDateTime { days: 1, minutes: 0 }))),
        (Value::Int(1), INT, SqlType::Date, Err(529)),
    ] {
        assert_eq!(number(cast(&value, &from, &to, None, CastRules::DEFAULT)), expected, "{value:?} as {to}");
    }
}

#[test]
fn bytes() {
    let guid = [0xFF, 0x19, 0x96, 0x6F, 0x86, 0x8B, 0x11, 0xD0, 0xB4, 0x2D, 0, 0xC0, 0x4F, 0xC9, 0x64, 0xFF];
    let guid_text = "6F9619FF-8B86-D011-B42D-00C04FC964FF";
    for (value, from, to, style, expected) in [
        (Value::Int(258), INT, varbinary(30), None, Ok(Value::binary(&[0, 0, 1, 2]))),
        (Value::Int(258), INT, varbinary(1), None, Ok(Value::binary(&[2]))),
        (Value::Int(258), INT, SqlType::Binary { len: 6 }, None, Ok(Value::binary(&[0, 0, 0, 0, 1, 2]))),
        (Value::Int(-1), INT, SqlType::Binary { len: 2 }, None, Ok(Value::binary(&[0xFF, 0xFF]))),
        (Value::binary(&[1, 2]), varbinary(9), INT, None, Ok(Value::Int(258))),
        (Value::binary(&[9, 0, 0, 1, 2]), varbinary(9), INT, None, Ok(Value::Int(258))),
        (dec("123.4"), dec_type(4, 1), varbinary(30), None, Ok(Value::binary(&[4, 1, 0, 1, 0xD2, 4, 0, 0]))),
        ("AB".into(), varchar(5), varbinary(5), None, Ok(Value::binary(b"AB"))),
        ("AB".into(), nvarchar(5), varbinary(5), None, Ok(Value::binary(b"A\0B\0"))),
        ("AB".into(), varchar(5), SqlType::Binary { len: 3 }, None, Ok(Value::binary(b"AB\0"))),
        ("0x0aFF".into(), varchar(9), varbinary(5), Some(1), Ok(Value::binary(&[10, 255]))),
        ("0aFF".into(), varchar(9), varbinary(5), Some(2), Ok(Value::binary(&[10, 255]))),
        ("0x0aF".into(), varchar(9), varbinary(5), Some(1), Err(8114)),
        (Value::binary(&[65, 66]), varbinary(5), varchar(5), None, Ok("AB".into())),
        (Value::binary(&[10, 255]), varbinary(5), varchar(9), Some(1), Ok("0x0AFF".into())),
        (Value::binary(&[10, 255]), varbinary(5), varchar(9), Some(2), Ok("0AFF".into())),
        (Value::binary(&[1]), varbinary(5), FLOAT, None, Err(529)),
        (Value::Guid(guid), SqlType::UniqueIdentifier, varchar(36), None, Ok(guid_text.into())),
        (Value::Guid(guid), SqlType::UniqueIdentifier, varchar(35), None, Err(8170)),
        (guid_text.into(), varchar(36), SqlType::UniqueIdentifier, None, Ok(Value::Guid(guid))),
        (
            "{6f9619ff-8b86-d011-b42d-00c04fc964ff}".into(),
            varchar(40),
            SqlType::UniqueIdentifier,
            None,
            Ok(Value::Guid(guid)),
        ),
        (
            "6F9619FF-8B86-D011-B42D-00C04FC964FFwrong".into(),
            varchar(50),
            SqlType::UniqueIdentifier,
            None,
            Ok(Value::Guid(guid)),
        ),
        ("6F9619FF".into(), varchar(50), SqlType::UniqueIdentifier, None, Err(8169)),
        (Value::Guid(guid), SqlType::UniqueIdentifier, INT, None, Err(529)),
        (datetime("1900-01-02"), DATETIME, varbinary(8), None, Ok(Value::binary(&[0, 0, 0, 1, 0, 0, 0, 0]))),
        (Value::binary(&[0, 0, 0, 1, 0, 0, 0, 0]), varbinary(8), DATETIME, None, Ok(datetime("1900-01-02"))),
        (Value::binary(&[0xFF; 8]), varbinary(8), DATETIME, None, Err(210)),
        (Value::binary(&[0x61, 0]), varbinary(2), SqlType::SmallDateTime, None, Err(210)),
        (Value::binary(&[0xFF; 8]), SqlType::RowVersion, DATETIME, None, Err(8115)),
        (Value::binary(&[1]), varbinary(2), SqlType::Date, None, Err(241)),
    ] {
        assert_eq!(
            number(cast(&value, &from, &to, style, CastRules::DEFAULT)),
            expected,
            "{value:?} as {to} style {style:?}"
        );
    }
}

#[test]
fn a_column_refuses_what_a_variable_cuts() {
    for (value, from, to, expected) in [
        (Value::str("hello"), varchar(5), varchar(5), Ok("hello".into())),
        (Value::str("hello"), varchar(5), varchar(3), Err(8152)),
        (Value::str("hel  "), varchar(5), varchar(3), Ok("hel".into())),
        (Value::str("he   "), varchar(5), varchar(3), Ok("he ".into())),
        (Value::str("ab"), varchar(5), SqlType::char(4), Ok("ab".into())),
        (Value::str("äöü"), nvarchar(5), varchar(3), Ok("äöü".into())),
        (Value::str("日本"), nvarchar(5), varchar(2), Ok("??".into())),
        (Value::str("abc"), varchar(5), INT, Err(245)),
        (Value::Int(12), INT, SqlType::char(4), Ok("12".into())),
        (Value::Int(12), INT, SqlType::TinyInt, Ok(Value::TinyInt(12))),
        (datetime("2024-01-31"), DATETIME, varchar(5), Err(8152)),
        (datetime("2024-01-31"), DATETIME, varchar(19), Ok("Jan 31 2024 12:00AM".into())),
        (Value::binary(&[1, 2, 3]), varbinary(3), varbinary(2), Err(8152)),
        (Value::binary(&[1, 2, 0]), varbinary(3), varbinary(2), Ok(Value::binary(&[1, 2]))),
        (Value::Null, varchar(5), INT, Ok(Value::Null)),
    ] {
        assert_eq!(number(store(&value, &from, &to, CastRules::DEFAULT)), expected, "{value:?} into {to}");
    }
    let error = store(&"hello".into(), &varchar(5), &varchar(3), CastRules::DEFAULT).expect_err("too long");
    assert_eq!(*error, EvalError::Truncation { value: "hel".into() });
}

/// What is said to be stored as it is, `store` gives as it is; what is short and of the column's alphabet is said so.
#[test]
fn what_is_stored_as_it_is_is_not_made_anew() {
    let types = [
        SqlType::Int,
        SqlType::BigInt,
        dec_type(9, 2),
        dec_type(9, 3),
        SqlType::DateTime,
        varchar(3),
        varchar(20),
        utf8(3),
        nvarchar(3),
        nvarchar(20),
        SqlType::Char { len: 5, page: CodePage::default() },
        varbinary(2),
        varbinary(20),
        SqlType::VarChar { len: MaxLen::Max, page: CodePage::default() },
        SqlType::Xml,
    ];
    let values = [
        (Value::Null, SqlType::Int),
        (Value::Int(7), SqlType::Int),
        (dec("1.25"), dec_type(9, 2)),
        (datetime("2024-02-29T12:00:00"), SqlType::DateTime),
        (Value::str("abc"), varchar(3)),
        (Value::str("abc   "), varchar(20)),
        (Value::str("éé"), utf8(20)),
        (Value::str("é€"), nvarchar(20)),
        (Value::binary(&[1, 2]), varbinary(2)),
        (Value::binary(&[1, 2, 3, 0]), varbinary(20)),
        (Value::str("<a/>"), SqlType::Xml),
    ];
    let mut as_they_are = 0;
    for (value, from) in &values {
        for to in &types {
            if stores_as_it_is(value, from, to) {
                as_they_are += 1;
                assert_eq!(
                    store(value, from, to, CastRules::DEFAULT).ok().as_ref(),
                    Some(value),
                    "{value:?} {from:?} {to:?}"
                );
            }
        }
    }
    assert!(as_they_are > 30, "{as_they_are}");
    let of = |text: &str, from, to| stores_as_it_is(&Value::str(text), &from, &to);
    assert!(of("abc", varchar(3), varchar(3)) && of("abc", varchar(20), nvarchar(3)));
    assert!(!of("abcd", varchar(20), varchar(3)), "it may be too long");
    assert!(!of("abc", nvarchar(20), varchar(20)), "it may have other characters");
    assert!(stores_as_it_is(&Value::Int(7), &SqlType::Int, &SqlType::Int));
    assert!(!stores_as_it_is(&Value::Int(7), &SqlType::Int, &SqlType::BigInt));
}

fn offset(local: &str, minutes: i16) -> Value {
    DateTimeOffset::from_local(at(local), minutes).expect("in range").into()
}

#[test]
fn datetimeoffset_keeps_its_clock() {
    const DTO: SqlType = SqlType::DateTimeOffset { scale: 7 };
    let noon = offset("2024-01-31 12:00", 330);
    let nvarchar = nvarchar(40);
    for (value, from, to, style, expected) in [
        ("2024-01-31 12:00 +05:30".into(), nvarchar, DTO, None, Ok(noon.clone())),
        ("2024-01-31T12:00:00+05:30".into(), nvarchar, DTO, None, Ok(noon.clone())),
        ("2024-01-31T12:00:00Z".into(), nvarchar, DTO, None, Ok(offset("2024-01-31 12:00", 0))),
        ("2024-01-31".into(), nvarchar, DTO, None, Ok(offset("2024-01-31", 0))),
        ("2024-01-31 12:00 +14:01".into(), nvarchar, DTO, None, Err(241)),
        ("0001-01-01 00:00 +01:00".into(), nvarchar, DTO, None, Err(241)),
        (
            "10:00:00.55 -01:00".into(),
            nvarchar,
            SqlType::DateTimeOffset { scale: 1 },
            None,
            Ok(offset("1900-01-01 10:00:00.6", -60)),
        ),
        (noon.clone(), DTO, nvarchar, None, Ok("2024-01-31 12:00:00.0000000 +05:30".into())),
        (noon.clone(), SqlType::DateTimeOffset { scale: 0 }, nvarchar, None, Ok("2024-01-31 12:00:00 +05:30".into())),
        (noon.clone(), DTO, nvarchar, Some(0), Ok("Jan 31 2024 12:00PM +05:30".into())),
        (noon.clone(), DTO, nvarchar, Some(126), Ok("2024-01-31T12:00:00+05:30".into())),
        (noon.clone(), DTO, nvarchar, Some(127), Ok("2024-01-31T06:30:00Z".into())),
        (noon.clone(), DTO, nvarchar, Some(101), Ok("01/31/2024".into())),
        (noon.clone(), DTO, DT2, None, Ok(Value::DateTime2(at("2024-01-31 12:00")))),
        (noon.clone(), DTO, DATETIME, None, Ok(datetime("2024-01-31 12:00"))),
        (noon.clone(), DTO, SqlType::Date, None, Ok(Value::Date(at("2024-01-31").date))),
        (noon.clone(), DTO, SqlType::Time { scale: 0 }, None, Ok(Value::Time(at("12:00").time))),
        (noon.clone(), DTO, INT, None, Err(529)),
        (
            noon.clone(),
            DTO,
            varbinary(11),
            None,
            Ok(Value::binary(&[0x07, 0, 0xA4, 0x7C, 0x7B, 0x36, 0x63, 0x46, 0x0B, 0x4A, 0x01])),
        ),
        (
            Value::binary(&[0x07, 0, 0xA4, 0x7C, 0x7B, 0x36, 0x63, 0x46, 0x0B, 0x4A, 0x01]),
            varbinary(11),
            DTO,
            None,
            Ok(noon.clone()),
        ),
        (datetime("2024-01-31 12:00"), DATETIME, DTO, None, Ok(offset("2024-01-31 12:00", 0))),
        (Value::Int(1), INT, DTO, None, Err(529)),
    ] {
        assert_eq!(
            number(cast(&value, &from, &to, style, CastRules::DEFAULT)),
            expected,
            "{value:?} as {to} style {style:?}"
        );
    }
}

#[test]
fn rowversion_is_binary_with_fewer_ways_out() {
    const ROWVERSION: SqlType = SqlType::RowVersion;
    let version = Value::binary(&[0, 0, 0, 0, 0, 0, 7, 0xD1]);
    for (value, from, to, style, expected) in [
        (version.clone(), ROWVERSION, SqlType::BigInt, None, Ok(Value::BigInt(2001))),
        (version.clone(), ROWVERSION, INT, None, Ok(Value::Int(2001))),
        (version.clone(), ROWVERSION, varbinary(8), None, Ok(version.clone())),
        (version.clone(), ROWVERSION, varchar(18), Some(1), Ok("0x00000000000007D1".into())),
        (version.clone(), ROWVERSION, nvarchar(18), Some(1), Err(529)),
        (version.clone(), ROWVERSION, FLOAT, None, Err(529)),
        (version.clone(), ROWVERSION, SqlType::UniqueIdentifier, None, Err(529)),
        (version.clone(), ROWVERSION, DT2, None, Err(529)),
        (Value::BigInt(2001), SqlType::BigInt, ROWVERSION, None, Ok(version.clone())),
        (Value::Int(2001), INT, ROWVERSION, None, Ok(version.clone())),
        (Value::binary(&[1]), varbinary(1), ROWVERSION, None, Ok(Value::binary(&[1, 0, 0, 0, 0, 0, 0, 0]))),
        (Value::Float(1.0), FLOAT, ROWVERSION, None, Err(529)),
    ] {
        assert_eq!(
            number(cast(&value, &from, &to, style, CastRules::DEFAULT)),
            expected,
            "{value:?} as {to} style {style:?}"
        );
    }
}

#[test]
fn a_variant_carries_its_type_along() {
    let held = |base, value: Value| {
        Value::from(Variant::new(base, Collation::default(), value).expect("a type that a variant holds"))
    };
    for (value, from, to, expected) in [
        (Value::Int(7), INT, SqlType::Variant, Ok(held(INT, Value::Int(7)))),
        ("7".into(), varchar(5), SqlType::Variant, Ok(held(varchar(5), "7".into()))),
        (held(varchar(5), "7".into()), SqlType::Variant, INT, Ok(Value::Int(7))),
        (held(varchar(5), "x".into()), SqlType::Variant, INT, Err(245)),
        (held(INT, Value::Int(7)), SqlType::Variant, varchar(5), Ok("7".into())),
        (held(INT, Value::Int(7)), SqlType::Variant, SqlType::Date, Err(529)),
        (held(INT, Value::Int(7)), SqlType::Variant, SqlType::Variant, Ok(held(INT, Value::Int(7)))),
        ("7".into(), TEXT, SqlType::Variant, Err(529)),
        (Value::binary(&[0; 8]), SqlType::RowVersion, SqlType::Variant, Err(529)),
        (Value::Null, INT, SqlType::Variant, Ok(Value::Null)),
    ] {
        assert_eq!(number(cast(&value, &from, &to, None, CastRules::DEFAULT)), expected, "{value:?} as {to}");
        assert_eq!(number(store(&value, &from, &to, CastRules::DEFAULT)), expected, "{value:?} into {to}");
    }
}

#[test]
fn xml_is_text_with_a_name() {
    for (value, from, to, expected) in [
        ("<a/>".into(), nvarchar(9), SqlType::Xml, Ok("<a/>".into())),
        (Value::binary(b"<a/>"), varbinary(9), SqlType::Xml, Ok("<a/>".into())),
        (Value::binary(b"\xFF\xFE<\0a\0/\0>\0"), varbinary(12), SqlType::Xml, Ok("<a/>".into())),
        ("<a/>".into(), SqlType::Xml, nvarchar(9), Ok("<a/>".into())),
        ("<a>日</a>".into(), SqlType::Xml, varchar(9), Err(6355)),
        ("<a>b</a>".into(), SqlType::Xml, nvarchar(7), Err(6354)),
        ("<a></a>".into(), nvarchar(9), SqlType::Xml, Ok("<a/>".into())),
        (" <a> </a> ".into(), nvarchar(20), SqlType::Xml, Ok("<a/>".into())),
        ("<a>".into(), nvarchar(9), SqlType::Xml, Err(9400)),
        (Value::binary(b"<a>\xE9</a>"), varbinary(9), SqlType::Xml, Err(9420)),
        (
            "<?xml version='1.0' encoding='utf-8'?><a>é</a>".into(),
            SqlType::VarChar { len: MaxLen::Max, page: CodePage::default() },
            SqlType::Xml,
            Err(9420),
        ),
        ("<?xml version='1.0' encoding='utf-8'?><a/>".into(), nvarchar(90), SqlType::Xml, Err(9402)),
        ("a".into(), SqlType::Xml, varbinary(9), Ok(Value::binary(&[0xFF, 0xFE, b'a', 0]))),
        ("<a/>".into(), SqlType::Xml, INT, Err(529)),
        ("<a/>".into(), SqlType::Xml, SqlType::RowVersion, Err(529)),
        (Value::Int(1), INT, SqlType::Xml, Err(529)),
    ] {
        assert_eq!(number(cast(&value, &from, &to, None, CastRules::DEFAULT)), expected, "{value:?} as {to}");
    }
}

/// A value of each type that its type can hold.
fn typed_value() -> impl Strategy<Value = (SqlType, Value)> {
    prop_oneof![
        any::<bool>().prop_map(|b| (SqlType::Bit, Value::Bit(b))),
        any::<u8>().prop_map(|n| (SqlType::TinyInt, Value::TinyInt(n))),
        any::<i32>().prop_map(|n| (INT, Value::Int(n))),
        any::<i64>().prop_map(|n| (SqlType::BigInt, Value::BigInt(n))),
        any::<i64>().prop_map(|n| (MONEY, Value::Money(n))),
        (any::<i64>(), 0..=9u8)
            .prop_map(|(n, scale)| { (dec_type(28, scale), Value::Decimal(Decimal { unscaled: n.into(), scale }),) }),
        proptest::num::f64::NORMAL.prop_map(|x| (FLOAT, Value::Float(x))),
        (-53_690..=2_958_463i32, 0..25_920_000u32)
            .prop_map(|(days, ticks)| (DATETIME, Value::DateTime(DateTime { days, ticks }))),
        (0..=3_652_058i32, 0..Time::TICKS_PER_DAY).prop_map(|(days, ticks)| {
            (DT2, Value::DateTime2(DateTime2 { date: Date { days }, time: Time { ticks } }))
        }),
        any::<[u8; 16]>().prop_map(|guid| (SqlType::UniqueIdentifier, Value::Guid(guid))),
        any::<[u8; 8]>().prop_map(|bytes| (SqlType::RowVersion, Value::binary(&bytes))),
        (1..3_652_058i32, 0..Time::TICKS_PER_DAY, -840..=840i16).prop_map(|(days, ticks, minutes)| {
            let local = DateTime2 { date: Date { days }, time: Time { ticks } };
            let value = DateTimeOffset::from_local(local, minutes).expect("in range");
            (SqlType::DateTimeOffset { scale: 7 }, value.into())
        }),
        "[a-z]{1,4}".prop_map(|name| (SqlType::Xml, Value::from(format!("<{name}>x</{name}>")))),
        "[a-z0-9./:€日 -]{0,20}".prop_map(|text| (nvarchar(20), Value::from(text))),
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| (varbinary(20), Value::from(bytes))),
    ]
}

fn any_type() -> impl Strategy<Value = SqlType> {
    proptest::sample::select(vec![
        SqlType::Bit,
        SqlType::TinyInt,
        SqlType::SmallInt,
        INT,
        SqlType::BigInt,
        SqlType::Real,
        FLOAT,
        dec_type(10, 3),
        SqlType::SmallMoney,
        MONEY,
        SqlType::Date,
        SqlType::Time { scale: 3 },
        SqlType::SmallDateTime,
        DATETIME,
        DT2,
        SqlType::char(10),
        varchar(10),
        SqlType::NChar { len: 10 },
        nvarchar(10),
        TEXT,
        SqlType::Binary { len: 8 },
        varbinary(8),
        SqlType::UniqueIdentifier,
        SqlType::DateTimeOffset { scale: 2 },
        SqlType::RowVersion,
        SqlType::Xml,
        SqlType::Variant,
    ])
}

proptest! {
    #[test]
    fn no_cast_panics_and_its_value_fits_a_row((from, value) in typed_value(), to in any_type(), style in proptest::option::of(0..132i32)) {
        for result in [cast(&value, &from, &to, style, CastRules::DEFAULT), store(&value, &from, &to, CastRules::DEFAULT)] {
            let Ok(converted) = result else { continue };
            let layout = crate::row::RowLayout::new(&[to]);
            prop_assert!(layout.encode(std::slice::from_ref(&converted)).is_ok() , "{:?} as {}: {:?}", value, to, converted);
        }
    }

    #[test]
    fn a_conversion_that_the_matrix_forbids_fails_and_others_do_not_say_529((from, value) in typed_value(), to in any_type()) {
        let is_forbidden = cast(&value, &from, &to, None, CastRules::DEFAULT).map_err(|error| error.number()) == Err(529);
        prop_assert_eq!(is_forbidden, !crate::coerce::explicit_allowed(&from, &to), "{} to {}", from, to);
    }

    #[test]
    fn numbers_and_dates_read_back_from_their_text((from, value) in typed_value()) {
        let style = match from {
            SqlType::Money => Some(2),
            SqlType::Float => Some(3),
            SqlType::DateTime => Some(121),
            SqlType::VarBinary { .. } => Some(1),
            // Never as Unicode text.
            SqlType::RowVersion => return Ok(()),
            _ => None,
        };
        let text = cast(&value, &from, &SqlType::NVarChar { len: MaxLen::Max }, style, CastRules::DEFAULT).expect("everything has a text");
        prop_assert_eq!(cast(&text, &SqlType::NVarChar { len: MaxLen::Max }, &from, style, CastRules::DEFAULT), Ok(value));
    }
}

#[test]
fn the_rules_say_which_number_of_a_text_is_the_month() {
    for (date_order, expected) in [(DateOrder::Mdy, "2024-02-03"), (DateOrder::Dmy, "2024-03-02")] {
        let rules = CastRules { date_order, ..CastRules::DEFAULT };
        for to in [SqlType::Date, DATETIME, DT2, SqlType::SmallDateTime, SqlType::DateTimeOffset { scale: 0 }] {
            for made in [
                cast(&"02/03/2024".into(), &varchar(10), &to, None, rules),
                cast(&"02/03/2024".into(), &varchar(10), &to, Some(0), rules),
                store(&"02/03/2024".into(), &varchar(10), &to, rules),
            ] {
                let text = cast(&made.expect("a date"), &to, &varchar(10), Some(23), CastRules::DEFAULT);
                assert_eq!(text, Ok(expected.into()), "{date_order:?} {to}");
            }
            let british = cast(&"02/03/2024".into(), &varchar(10), &to, Some(103), rules).expect("a date");
            let text = cast(&british, &to, &varchar(10), Some(23), CastRules::DEFAULT);
            assert_eq!(text, Ok("2024-03-02".into()), "a style has an order of its own");
        }
    }
}

/// As many groups of four bytes as the digits need; too short a target keeps the first bytes, too long a `binary` has zeros in
/// front.
#[test]
fn decimals_are_bytes_from_the_left() {
    let cast = |value: &Value, from: SqlType, to: SqlType| {
        cast(value, &from, &to, None, CastRules::DEFAULT).map_err(|error| error.number())
    };
    let whole = [5, 1, 0, 1, 15, 0, 0, 0];
    let binary = |len| SqlType::Binary { len };
    for (to, expected) in [
        (varbinary(30), whole.to_vec()),
        (varbinary(2), vec![5, 1]),
        (binary(2), vec![5, 1]),
        (binary(10), [&[0, 0], &whole[..]].concat()),
    ] {
        assert_eq!(cast(&dec("1.5"), dec_type(5, 1), to), Ok(Value::from(expected)), "{to}");
    }
    let large = cast(&dec("1.0000000000"), dec_type(38, 10), varbinary(30)).expect("bytes");
    assert_eq!(large, Value::binary(&[0x26, 10, 0, 1, 0, 0xE4, 0x0B, 0x54, 2, 0, 0, 0]));
    assert_eq!(cast(&large, varbinary(30), dec_type(12, 2)), Ok(dec("1.00")));
    // No precision, no digits, a zero below zero.
    for bytes in [&[0, 0, 0, 1, 0][..], &[5, 1, 0, 1], &[5, 1, 0, 0, 0, 0, 0]] {
        assert_eq!(cast(&Value::binary(bytes), varbinary(30), dec_type(5, 1)), Err(8114), "{bytes:?}");
    }
}

#[test]
fn a_text_too_short_for_an_offset_is_an_error() {
    let offset = SqlType::DateTimeOffset { scale: 0 };
    let value = DateTimeOffset::from_local(at("2024-03-15 13:45:10"), 60).map(Value::DateTimeOffset).expect("in range");
    let cast = |len, style| cast(&value, &offset, &varchar(len), style, CastRules::DEFAULT).map_err(|e| e.number());
    assert_eq!(cast(26, None), Ok(Value::str("2024-03-15 13:45:10 +01:00")));
    assert_eq!(cast(10, None), Err(241));
    assert_eq!(cast(10, Some(120)), Ok(Value::str("2024-03-15")));
}

#[test]
fn a_date_in_a_variant_is_a_text_as_a_datetime_is() {
    let held = |base, value| Value::from(Variant::new(base, Collation::default(), value).expect("a date"));
    let at = at("2024-03-15 13:45:10.5");
    for (value, expected) in [
        (held(SqlType::Date, Value::Date(at.date)), "Mar 15 2024"),
        (held(SqlType::Time { scale: 3 }, Value::Time(at.time)), "1:45PM"),
        (held(SqlType::DateTime2 { scale: 3 }, Value::DateTime2(at)), "Mar 15 2024  1:45PM"),
    ] {
        let text = cast(&value, &SqlType::Variant, &nvarchar(60), None, CastRules::DEFAULT);
        assert_eq!(text, Ok(Value::str(expected)));
        let text = cast(&value, &SqlType::Variant, &nvarchar(60), Some(121), CastRules::DEFAULT);
        assert_ne!(text, Ok(Value::str(expected)), "a style that is said");
    }
}

#[test]
fn a_year_of_four_digits_may_stand_between() {
    for (date_order, expected) in
        [(DateOrder::Mdy, Some("2008-04-15")), (DateOrder::Myd, Some("2008-04-15")), (DateOrder::Dmy, None)]
    {
        let made = cast(
            &"04/2008/15".into(),
            &varchar(10),
            &SqlType::Date,
            None,
            CastRules { date_order, ..CastRules::DEFAULT },
        )
        .ok();
        let text = made.map(|date| cast(&date, &SqlType::Date, &varchar(10), None, CastRules::DEFAULT));
        assert_eq!(text, expected.map(|text| Ok(text.into())), "{date_order:?}");
    }
}

#[test]
fn days_of_the_islamic_calendar_come_back_as_they_were_written() {
    let mut day =
        cast(&"1/01/1400".into(), &varchar(10), &SqlType::Date, Some(131), CastRules::DEFAULT).expect("a day");
    for _ in 0..31 * 366 {
        let text = cast(&day, &SqlType::Date, &varchar(30), Some(131), CastRules::DEFAULT).expect("a text");
        let back = cast(&text, &varchar(30), &SqlType::Date, Some(131), CastRules::DEFAULT);
        assert_eq!(back.as_ref(), Ok(&day), "{text:?}");
        let Value::Date(date) = day else { panic!("a date") };
        day = Value::Date(Date { days: date.days + 1 });
    }
    let of = |text: &str| cast(&text.into(), &varchar(30), &DATETIME, Some(131), CastRules::DEFAULT).is_ok();
    assert!(of("22/07/1442") && !of("30/02/1442") && !of("1/13/1442") && !of("0/01/1442"));
}
