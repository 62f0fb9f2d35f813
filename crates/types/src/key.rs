//! Sortable keys: bytes whose order is the order of values.
//!
//! ```text
//! NULL      00
//! others    01, then
//!   integers, money, dates     big-endian, sign bit flipped
//!   decimal                    16 bytes, likewise; all values of a column have one scale
//!   real, float                the bits, flipped so that they order; -0 is 0
//!   texts                      the collation's sort key
//!   bytes                      without zeros at the end, 00 as 00 FF, then 00 00
//!   uniqueidentifier           the bytes from the most significant
//!   datetimeoffset             its instant in UTC, big-endian
//!   sql_variant                the family of its type, then what orders the family
//! ```
//!
//! K1: for two values of one type, the order of their parts is `compare`'s order, or its reverse when descending.
//! K2: no part begins with another of the same column, so the parts of several columns follow each other in one key.
//!
//! A key cannot be read back: texts lose case and accents to their weights. Knows no indexes.

use crate::collation::{self, Collation};
use crate::ordered::{append_bytes, float_bits, significant, trim_zeros};
use crate::value::Value;
use crate::variant;

/// Direction of a key column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeyOrder {
    /// `ASC`: NULL first.
    #[default]
    Ascending,
    /// `DESC`: NULL last.
    Descending,
}

const NULL: u8 = 0;
const PRESENT: u8 = 1;

/// Appends one column's part of a key.
pub fn append_key(value: &Value, collation: Collation, order: KeyOrder, key: &mut Vec<u8>) {
    let start = key.len();
    append_ascending(value, collation, key);
    if order == KeyOrder::Descending {
        key[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }
}

fn append_ascending(value: &Value, collation: Collation, key: &mut Vec<u8>) {
    key.push(if value.is_null() { NULL } else { PRESENT });
    match value {
        Value::Null => {}
        Value::Bit(bit) => key.push(u8::from(*bit)),
        Value::TinyInt(n) => key.push(*n),
        Value::SmallInt(n) => key.extend((n ^ i16::MIN).to_be_bytes()),
        Value::Int(n) => key.extend((n ^ i32::MIN).to_be_bytes()),
        Value::BigInt(n) | Value::Money(n) => key.extend((n ^ i64::MIN).to_be_bytes()),
        Value::Decimal(decimal) => key.extend((decimal.unscaled ^ i128::MIN).to_be_bytes()),
        Value::Real(x) => key.extend(float_bits(f64::from(*x)).to_be_bytes()),
        Value::Float(x) => key.extend(float_bits(*x).to_be_bytes()),
        Value::Date(date) => key.extend(date.days.to_be_bytes()),
        Value::Time(time) => key.extend(time.ticks.to_be_bytes()),
        Value::DateTime2(v) => {
            key.extend(v.date.days.to_be_bytes());
            key.extend(v.time.ticks.to_be_bytes());
        }
        Value::DateTime(v) => {
            key.extend((v.days ^ i32::MIN).to_be_bytes());
            key.extend(v.ticks.to_be_bytes());
        }
        Value::SmallDateTime(v) => {
            key.extend(v.days.to_be_bytes());
            key.extend(v.minutes.to_be_bytes());
        }
        Value::Str(text) => collation::sort_key(text, collation, key),
        Value::Binary(bytes) => append_bytes(trim_zeros(bytes), key),
        Value::Guid(guid) => key.extend(significant(guid)),
        Value::DateTimeOffset(v) => key.extend(v.ticks.to_be_bytes()),
        Value::Variant(v) => variant::append_key(v, key),
    }
}
