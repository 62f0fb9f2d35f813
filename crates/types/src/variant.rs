//! `sql_variant`: which types it holds, how its values compare, what SQL_VARIANT_PROPERTY shows.
//!
//! Values of different families compare by family, as the product has it; values of one family compare as numbers,
//! instants, texts or bytes whatever their exact types, so `1` equals `1.0`. Texts of different collations compare by
//! collation.

use std::cmp::Ordering;

use crate::collation::{self, Collation};
use crate::decimal::{Decimal, MAX_PRECISION, power};
use crate::ordered::{append_bytes, float_bits, significant, trim_zeros};
use crate::sql_type::SqlType;
use crate::temporal::{Date, DateTime2, Time};
use crate::value::{Value, Variant};

/// Digits of an amount of money after its point.
const MONEY_SCALE: u8 = 4;

impl Variant {
    /// A value with its type; the collation gives way to the code page of the type. `None` when a `sql_variant` cannot hold it (NULL is `Value::Null`, V1 says the types).
    #[must_use]
    pub fn new(base: SqlType, collation: Collation, value: Value) -> Option<Self> {
        if value.is_null() || !can_hold(&base) {
            return None;
        }
        Some(Self { base, collation: collation.of_type(&base), value })
    }

    /// `BaseType` of SQL_VARIANT_PROPERTY: the type's name.
    #[must_use]
    pub fn base_type_name(&self) -> &'static str {
        self.base.name()
    }

    /// `Precision`: digits of the type. Texts and bytes have 0.
    #[must_use]
    pub fn precision(&self) -> u8 {
        self.base.precision_scale().0
    }

    /// `Scale`: digits of the type after the point.
    #[must_use]
    pub fn scale(&self) -> u8 {
        self.base.precision_scale().1
    }

    /// `MaxLength`: bytes that a value of the type takes at most.
    #[must_use]
    pub fn max_length_bytes(&self) -> u32 {
        self.base.max_bytes().unwrap_or(u32::from(SqlType::BYTES_MAX))
    }

    /// `TotalBytes`: bytes of this value with what says its type.
    #[must_use]
    pub fn total_bytes(&self) -> usize {
        2 + property_bytes(&self.base) + self.data_bytes()
    }

    /// `Collation`; texts alone have one.
    #[must_use]
    pub fn collation_name(&self) -> Option<&'static str> {
        self.base.is_string().then(|| self.collation.name())
    }

    /// Bytes of the value alone.
    #[must_use]
    pub fn data_bytes(&self) -> usize {
        match &self.value {
            Value::Str(text) => {
                crate::text::declared_len(text, &self.base) * if self.base.is_unicode() { 2 } else { 1 }
            }
            Value::Binary(bytes) => bytes.len(),
            _ => self.base.max_bytes().map_or(0, |bytes| bytes as usize),
        }
    }
}

/// Whether a `sql_variant` takes values of the type.
#[must_use]
pub fn can_hold(base: &SqlType) -> bool {
    !base.is_unbounded() && !matches!(base, SqlType::Variant | SqlType::RowVersion)
}

/// Bytes that describe a type after its number in a stored variant.
pub(crate) fn property_bytes(base: &SqlType) -> usize {
    match base {
        SqlType::Decimal { .. } => 2,
        SqlType::Time { .. } | SqlType::DateTime2 { .. } | SqlType::DateTimeOffset { .. } => 1,
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => 2,
        _ if base.is_string() => 6,
        _ => 0,
    }
}

/// Families of types from the lowest to the highest.
const GUID: u8 = 1;
const BINARY: u8 = 2;
const TEXT: u8 = 3;
const EXACT: u8 = 4;
const APPROXIMATE: u8 = 5;
const TEMPORAL: u8 = 6;

pub(crate) fn compare(a: &Variant, b: &Variant) -> Ordering {
    let of = |variant: &Variant| {
        let mut key = Vec::with_capacity(32);
        append_key(variant, &mut key);
        key
    };
    of(a).cmp(&of(b))
}

/// Most bytes of [`append_key`]: those of the longest text.
pub(crate) fn key_len_max() -> usize {
    let narrow = collation::sort_key_len_max(SqlType::BYTES_MAX.into(), false, Collation::LATIN1_CS_AS);
    let wide = collation::sort_key_len_max(SqlType::UNITS_MAX.into(), true, Collation::LATIN1_CS_AS);
    6 + narrow.max(wide)
}

/// A collation's number: a byte for one that had a number first, as keys that are stored have it.
fn append_number(collation: Collation, key: &mut Vec<u8>) {
    const IS_LONG: u8 = 0xFF;
    match u8::try_from(collation.number()) {
        Ok(number) if number != IS_LONG => key.push(number),
        _ => {
            key.push(IS_LONG);
            key.extend(collation.number().to_be_bytes());
        }
    }
}

/// A family's number and what orders the family; no such part begins with another.
pub(crate) fn append_key(variant: &Variant, key: &mut Vec<u8>) {
    match &variant.value {
        Value::Guid(guid) => {
            key.push(GUID);
            key.extend(significant(guid));
        }
        Value::Binary(bytes) => {
            key.push(BINARY);
            append_bytes(trim_zeros(bytes), key);
        }
        Value::Str(text) => {
            key.push(TEXT);
            append_number(variant.collation, key);
            collation::sort_key(text, variant.collation, key);
        }
        Value::Real(x) => append_float(f64::from(*x), key),
        Value::Float(x) => append_float(*x, key),
        other => match (exact(other), instant(other)) {
            (Some(number), _) => append_exact(number, key),
            (None, Some(at)) => {
                key.push(TEMPORAL);
                key.extend(at.to_be_bytes());
            }
            (None, None) => unreachable!("V1: a variant holds a value that is not NULL and no variant"),
        },
    }
}

fn append_float(x: f64, key: &mut Vec<u8>) {
    key.push(APPROXIMATE);
    key.extend(float_bits(x).to_be_bytes());
}

fn exact(value: &Value) -> Option<Decimal> {
    match value {
        Value::Decimal(decimal) => Some(*decimal),
        Value::Money(amount) => Some(Decimal { unscaled: i128::from(*amount), scale: MONEY_SCALE }),
        other => other.as_i64().map(Decimal::from),
    }
}

/// Ticks of 100 ns since 0001-01-01 UTC; a missing date is 1900-01-01, a missing time midnight.
fn instant(value: &Value) -> Option<i64> {
    Some(match value {
        Value::DateTimeOffset(v) => v.ticks,
        Value::DateTime2(v) => v.total_ticks(),
        Value::DateTime(v) => v.to_datetime2_exact().total_ticks(),
        Value::SmallDateTime(v) => v.to_datetime2().total_ticks(),
        Value::Date(date) => DateTime2 { date: *date, time: Time::default() }.total_ticks(),
        Value::Time(time) => DateTime2 { date: Date::DEFAULT, time: *time }.total_ticks(),
        _ => return None,
    })
}

/// Sign, exponent and 38 digits without zeros in front, so that numbers of all scales order by their value:
/// `d.ddd x 10^e`. The parts of a negative number are turned round.
fn append_exact(number: Decimal, key: &mut Vec<u8>) {
    const NEGATIVE: u8 = 1;
    const ZERO: u8 = 2;
    const POSITIVE: u8 = 3;
    const BIAS: u8 = 64;
    key.push(EXACT);
    let digits = number.digits();
    // |exponent| <= 38.
    let exponent = BIAS + digits - number.scale;
    let magnitude = { number.unscaled }.unsigned_abs() * power(MAX_PRECISION - digits).unsigned_abs();
    match { number.unscaled }.cmp(&0) {
        Ordering::Equal => key.push(ZERO),
        Ordering::Greater => {
            key.extend([POSITIVE, exponent]);
            key.extend(magnitude.to_be_bytes());
        }
        Ordering::Less => {
            key.extend([NEGATIVE, !exponent]);
            key.extend((!magnitude).to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal::{DateOrder, DateTime, parse_datetime};

    fn of(base: SqlType, value: Value) -> Variant {
        Variant::new(base, Collation::default(), value).expect("a type that a variant holds")
    }

    fn dec(text: &str) -> Variant {
        let decimal = Decimal::parse(text).expect("a test's literal");
        let shape = decimal.shape();
        of(SqlType::decimal(shape.precision, shape.scale), Value::Decimal(decimal))
    }

    fn text(text: &str) -> Variant {
        of(SqlType::varchar(100), Value::str(text))
    }

    #[test]
    fn families_come_before_values() {
        let at = parse_datetime("1753-01-01", DateOrder::Mdy).expect("valid").value;
        let rising = [
            of(SqlType::UniqueIdentifier, Value::Guid([0xFF; 16])),
            of(SqlType::Binary { len: 1 }, Value::binary(&[0xFF])),
            text("zzz"),
            of(SqlType::Int, Value::Int(i32::MAX)),
            of(SqlType::Float, Value::Float(-1e300)),
            of(SqlType::DateTime, Value::DateTime(DateTime::from_datetime2(at).expect("in range"))),
        ];
        assert!(rising.windows(2).all(|pair| compare(&pair[0], &pair[1]) == Ordering::Less));
    }

    #[test]
    fn exact_numbers_order_by_value_whatever_their_type() {
        let huge = format!("9{}", "0".repeat(37));
        let tiny = format!("0.{}1", "0".repeat(37));
        let rising = [
            dec(&format!("-{huge}")),
            of(SqlType::BigInt, Value::BigInt(i64::MIN)),
            of(SqlType::Money, Value::Money(-15_000)),
            dec("-1.49"),
            dec(&format!("-{tiny}")),
            of(SqlType::Bit, Value::Bit(false)),
            dec(&tiny),
            dec("0.5"),
            of(SqlType::TinyInt, Value::TinyInt(1)),
            dec("1.0000001"),
            of(SqlType::SmallInt, Value::SmallInt(12)),
            dec("120"),
            dec(&huge),
        ];
        for (i, a) in rising.iter().enumerate() {
            for (j, b) in rising.iter().enumerate() {
                assert_eq!(compare(a, b), i.cmp(&j), "{a:?} {b:?}");
            }
        }
        assert_eq!(compare(&dec("1.00"), &of(SqlType::Int, Value::Int(1))), Ordering::Equal);
        assert_eq!(compare(&dec("0.00"), &of(SqlType::Bit, Value::Bit(false))), Ordering::Equal);
    }

    #[test]
    fn texts_ignore_case_and_blanks_as_their_collation_does() {
        assert_eq!(compare(&text("Abc"), &text("aBC  ")), Ordering::Equal);
        let binary = Variant { collation: Collation::LATIN1_BIN2, ..text("abc") };
        assert_ne!(compare(&text("abc"), &binary), Ordering::Equal);
    }

    #[test]
    fn properties_are_those_of_the_base_type() {
        let number = dec("12.345");
        assert_eq!((number.base_type_name(), number.precision(), number.scale()), ("decimal", 5, 3));
        assert_eq!((number.max_length_bytes(), number.total_bytes(), number.collation_name()), (5, 9, None));
        let text = text("abc");
        assert_eq!((text.max_length_bytes(), text.total_bytes()), (100, 11));
        assert_eq!(text.collation_name(), Some("SQL_Latin1_General_CP1_CI_AS"));
        assert_eq!(of(SqlType::Int, Value::Int(1)).total_bytes(), 6);
    }

    #[test]
    fn a_variant_holds_no_variant_and_nothing_unbounded() {
        let new = |base| Variant::new(base, Collation::default(), Value::str("x"));
        for base in [SqlType::Variant, SqlType::Xml, SqlType::RowVersion, SqlType::VARCHAR_MAX] {
            assert_eq!(new(base), None, "{base}");
        }
        assert_eq!(Variant::new(SqlType::Int, Collation::default(), Value::Null), None);
    }
}
