//! Values as a command-line client prints them.
//!
//! Dates are ISO 8601 with a blank, floats have the 17 digits that distinguish them, money four decimals, bytes are
//! hexadecimal. Column widths and alignment are the client's.

use crate::cast::{Digits, guid_text, hex_digits, money_text};
use crate::date_style::{ISO_STYLE, format_style};
use crate::sql_type::SqlType;
use crate::value::Value;

/// Style 2 of money: four decimals.
const MONEY_FOUR_DECIMALS: i32 = 2;
/// ISO 8601 without a fraction, for `smalldatetime`.
const ISO_WITHOUT_FRACTION: i32 = 120;
/// Digits that distinguish all floats.
const FLOAT_DIGITS: usize = 17;
/// Digits that a client shows of a `real`.
const REAL_DIGITS: usize = 8;

/// The value as sqlcmd prints it; NULL is `NULL`.
#[must_use]
pub fn to_display(value: &Value, of: &SqlType) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Bit(bit) => u8::from(*bit).to_string(),
        Value::TinyInt(n) => n.to_string(),
        Value::SmallInt(n) => n.to_string(),
        Value::Int(n) => n.to_string(),
        Value::BigInt(n) => n.to_string(),
        Value::Real(x) => float(f64::from(*x), REAL_DIGITS),
        Value::Float(x) => float(*x, FLOAT_DIGITS),
        Value::Decimal(decimal) => decimal.to_string(),
        Value::Money(amount) => money_text(*amount, MONEY_FOUR_DECIMALS).into(),
        Value::SmallDateTime(_) => date(value, 0, ISO_WITHOUT_FRACTION),
        Value::Date(_) | Value::Time(_) | Value::DateTime(_) | Value::DateTime2(_) | Value::DateTimeOffset(_) => {
            date(value, of.precision_scale().1, ISO_STYLE)
        }
        Value::Str(text) => text.as_str().to_owned(),
        Value::Binary(bytes) => hex(bytes),
        Value::Guid(guid) => guid_text(guid).into(),
        Value::Variant(variant) => to_display(&variant.value, &variant.base),
    }
}

/// A `uniqueidentifier` in the order in which it is written (RFC 9562) from its bytes on the wire, and back: the first three groups are
/// the other way around.
#[must_use]
pub fn swapped_guid(mut bytes: [u8; 16]) -> [u8; 16] {
    bytes[..4].reverse();
    bytes[4..6].reverse();
    bytes[6..8].reverse();
    bytes
}

/// `0x0AFF`
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    hex_digits("0x", bytes).into()
}

fn date(value: &Value, scale: u8, style: i32) -> String {
    format_style(value, scale, style).expect("every date has an ISO form").into()
}

/// `1.0`, `0.10000000000000001`, `1E+20`, `1.0000000000000001E-5`.
fn float(x: f64, count: usize) -> String {
    // No value of ours, but clients show those of other servers.
    if !x.is_finite() {
        return x.to_string();
    }
    let digits = Digits::of(x, count).trimmed();
    let last_plain = count as i32 - 1;
    if (-4..last_plain).contains(&digits.exponent) {
        let plain = digits.plain();
        return if plain.contains('.') { plain.into() } else { format!("{plain}.0") };
    }
    let (first, rest) = digits.digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{}{first}{point}{rest}E{:+}", digits.sign, digits.exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::Decimal;
    use crate::temporal::{DateOrder, DateTime, SmallDateTime, parse_datetime};

    #[test]
    fn values_print_as_sqlcmd_prints_them() {
        let at = parse_datetime("2024-01-31 10:00", DateOrder::Mdy).expect("valid").value;
        let datetime = DateTime::from_datetime2(at).expect("in range");
        let small = SmallDateTime::from_datetime2(at).expect("in range");
        let dec = Decimal { unscaled: -50, scale: 2 };
        let guid = [0xFF, 0x19, 0x96, 0x6F, 0x86, 0x8B, 0x11, 0xD0, 0xB4, 0x2D, 0, 0xC0, 0x4F, 0xC9, 0x64, 0xFF];
        for (value, of, expected) in [
            (Value::Null, SqlType::Int, "NULL"),
            (Value::Bit(true), SqlType::Bit, "1"),
            (Value::Int(-7), SqlType::Int, "-7"),
            (Value::Float(1.0), SqlType::Float, "1.0"),
            (Value::Float(0.1), SqlType::Float, "0.10000000000000001"),
            (Value::Float(-1e20), SqlType::Float, "-1E+20"),
            (Value::Float(1e-5), SqlType::Float, "1.0000000000000001E-5"),
            (Value::Float(123_456.5), SqlType::Float, "123456.5"),
            (Value::Float(0.0), SqlType::Float, "0.0"),
            (Value::Real(1.1), SqlType::Real, "1.1"),
            (Value::Decimal(dec), SqlType::decimal(5, 2), "-0.50"),
            (Value::Money(12_345_678), SqlType::Money, "1234.5678"),
            (Value::DateTime(datetime), SqlType::DateTime, "2024-01-31 10:00:00.000"),
            (Value::SmallDateTime(small), SqlType::SmallDateTime, "2024-01-31 10:00:00"),
            (Value::DateTime2(at), SqlType::DateTime2 { scale: 7 }, "2024-01-31 10:00:00.0000000"),
            (Value::Date(at.date), SqlType::Date, "2024-01-31"),
            (Value::Time(at.time), SqlType::Time { scale: 0 }, "10:00:00"),
            (Value::binary(&[0, 0xAB]), SqlType::Binary { len: 2 }, "0x00AB"),
            (Value::Guid(guid), SqlType::UniqueIdentifier, "6F9619FF-8B86-D011-B42D-00C04FC964FF"),
            (Value::str("a "), SqlType::char(2), "a "),
        ] {
            assert_eq!(to_display(&value, &of), expected);
        }
    }
}
