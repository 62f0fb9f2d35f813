//! Order and equality of two values of one type.
//!
//! NULL comes before every value and equals NULL, as ORDER BY and GROUP BY have it; the three-valued logic of a WHERE
//! clause belongs to the code that evaluates it. Decimals of different scale compare as numbers.

use std::cmp::Ordering;

use crate::collation::{self, Collation};
use crate::ordered::{significant, trim_zeros};
use crate::value::Value;
use crate::variant;

/// Compares two values of the same type. Integers of different width compare as numbers; values of otherwise different
/// kinds, which no binder lets meet, compare by kind.
#[must_use]
#[inline]
pub fn compare(a: &Value, b: &Value, collation: Collation) -> Ordering {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Str(a), Value::Str(b)) => collation::compare(a, b, collation),
        (Value::BigInt(a), Value::BigInt(b)) => a.cmp(b),
        (Value::DateTime(a), Value::DateTime(b)) => a.cmp(b),
        _ => compare_rest(a, b),
    }
}

fn compare_rest(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Bit(a), Value::Bit(b)) => a.cmp(b),
        (Value::TinyInt(a), Value::TinyInt(b)) => a.cmp(b),
        (Value::SmallInt(a), Value::SmallInt(b)) => a.cmp(b),
        (Value::Real(a), Value::Real(b)) => compare_floats(f64::from(*a), f64::from(*b)),
        (Value::Float(a), Value::Float(b)) => compare_floats(*a, *b),
        (Value::Decimal(a), Value::Decimal(b)) => a.compare(*b),
        (Value::Money(a), Value::Money(b)) => a.cmp(b),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Time(a), Value::Time(b)) => a.cmp(b),
        (Value::SmallDateTime(a), Value::SmallDateTime(b)) => a.cmp(b),
        (Value::DateTime2(a), Value::DateTime2(b)) => a.cmp(b),
        (Value::Binary(a), Value::Binary(b)) => compare_bytes(a, b),
        // One instant is equal to itself in every time zone.
        (Value::DateTimeOffset(a), Value::DateTimeOffset(b)) => a.ticks.cmp(&b.ticks),
        (Value::Variant(a), Value::Variant(b)) => variant::compare(a, b),
        (Value::Guid(a), Value::Guid(b)) => significant(a).cmp(&significant(b)),
        _ => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => kind(a).cmp(&kind(b)),
        },
    }
}

/// Whether two values of the same type are equal; NULL equals NULL.
#[must_use]
#[inline]
pub fn equal(a: &Value, b: &Value, collation: Collation) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => collation::equal(a, b, collation),
        _ => compare(a, b, collation) == Ordering::Equal,
    }
}

/// 0.0 equals -0.0. NaN, which no operator makes, comes first so that the order stays total.
fn compare_floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan()))
}

/// Zero bytes at the end do not count, as blanks at the end of a text.
fn compare_bytes(a: &[u8], b: &[u8]) -> Ordering {
    trim_zeros(a).cmp(trim_zeros(b))
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bit(_) | Value::TinyInt(_) | Value::SmallInt(_) | Value::Int(_) | Value::BigInt(_) => 1,
        Value::Real(_) => 2,
        Value::Float(_) => 3,
        Value::Decimal(_) => 4,
        Value::Money(_) => 5,
        Value::Date(_) => 6,
        Value::Time(_) => 7,
        Value::SmallDateTime(_) => 8,
        Value::DateTime(_) => 9,
        Value::DateTime2(_) => 10,
        Value::Str(_) => 11,
        Value::Binary(_) => 12,
        Value::Guid(_) => 13,
        Value::DateTimeOffset(_) => 14,
        Value::Variant(_) => 15,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::Decimal;

    fn order(a: &Value, b: &Value) -> Ordering {
        compare(a, b, Collation::default())
    }

    #[test]
    fn guids_compare_from_their_last_group() {
        // 00000000-0000-0000-0000-010000000000 is above FFFFFFFF-FFFF-FFFF-FFFF-00FFFFFFFFFF.
        let mut low = [0xFF; 16];
        low[10] = 0;
        let mut high = [0; 16];
        high[10] = 1;
        assert_eq!(order(&Value::Guid(low), &Value::Guid(high)), Ordering::Less);
        // Each byte counts more than all that follow it in this order.
        let falling = [10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3];
        for (place, &at) in falling.iter().enumerate() {
            let (mut high, mut low) = ([0; 16], [0; 16]);
            high[at] = 1;
            falling[place + 1..].iter().for_each(|&lower| low[lower] = 0xFF);
            assert_eq!(order(&Value::Guid(high), &Value::Guid(low)), Ordering::Greater, "byte {at}");
        }
    }

    #[test]
    fn null_comes_first_and_equals_null() {
        assert_eq!(order(&Value::Null, &Value::Int(i32::MIN)), Ordering::Less);
        assert_eq!(order(&Value::str(""), &Value::Null), Ordering::Greater);
        assert!(equal(&Value::Null, &Value::Null, Collation::default()));
    }

    #[test]
    fn numbers_compare_as_numbers() {
        let dec = |text| Value::Decimal(Decimal::parse(text).expect("a test's literal"));
        assert_eq!(order(&dec("1.0"), &dec("1.000")), Ordering::Equal);
        assert_eq!(order(&dec("-1.5"), &dec("-1.49")), Ordering::Less);
        assert_eq!(order(&Value::Float(0.0), &Value::Float(-0.0)), Ordering::Equal);
        assert_eq!(order(&Value::Float(f64::NAN), &Value::Float(-1.0)), Ordering::Less);
        assert_eq!(order(&Value::Int(3), &Value::BigInt(4)), Ordering::Less);
    }

    #[test]
    fn texts_and_bytes_ignore_their_padding() {
        assert!(equal(&"abc".into(), &"ABC   ".into(), Collation::default()));
        assert_eq!(order(&Value::binary(&[1, 0]), &Value::binary(&[1])), Ordering::Equal);
        assert_eq!(order(&Value::binary(&[1, 0, 1]), &Value::binary(&[1])), Ordering::Greater);
    }
}
