//! Sortable keys: bytes whose order is the order of values.
//!
//! ```text
//! NULL      00
//! others    01, then
//!   integers, money            big-endian, sign bit flipped
//!   dates and times            their numbers big-endian: date 3 bytes, time 5, datetime2 8, datetime 7, others 4 or 8
//!   decimal                    16 bytes, as integers; all values of a column have one scale
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
//! Lengths in bytes, with the first byte (n: declared length in its own unit, CI / CS / BIN2):
//!
//! ```text
//!  bit, tinyint 2   smallint 3   int, real, smalldatetime 5   bigint, money, float, datetime2, datetimeoffset 9
//!  date 4   time 6   datetime 8   decimal, uniqueidentifier 17   binary, varbinary, rowversion <= 2n + 3
//!  char, varchar <= 4n + 3 / 5n + 4 / 3n + 2     nchar, nvarchar <= 5n + 3 / 6n + 4 / 3n + 2
//! ```
//!
//! By the rules of a locale letters have one to four bytes, ligatures those of all their letters, and a mark two or three more.
//!
//! ASCII text without control characters takes n + 3 bytes (2n + 4 in a case-sensitive collation); only control
//! characters and letters outside code page 1252 reach the bounds.
//!
//! A key cannot be read back: texts lose case and accents to their weights. Knows no indexes.

use crate::collation::{self, Collation};
use crate::ordered::{append_bytes, append_number, float_bits, real_bits, significant, trim_zeros};
use crate::sql_type::{MaxLen, SqlType};
use crate::temporal::DateTime;
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
    turn(order, &mut key[start..]);
}

/// The bytes of a part in an order, of those in the ascending one.
fn turn(order: KeyOrder, part: &mut [u8]) {
    if order == KeyOrder::Descending {
        part.iter_mut().for_each(|byte| *byte = !*byte);
    }
}

/// Appends what the parts of all texts have in common that begin with `beginning`, character by character as LIKE has it; `false`,
/// and nothing, where their keys do not begin alike.
pub fn append_key_beginning(beginning: &str, collation: Collation, order: KeyOrder, key: &mut Vec<u8>) -> bool {
    let start = key.len();
    key.push(PRESENT);
    if !collation::begin_sort_key(beginning, collation, key) {
        key.truncate(start);
        return false;
    }
    turn(order, &mut key[start..]);
    true
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
        Value::Real(x) => key.extend(real_bits(*x).to_be_bytes()),
        Value::Float(x) => key.extend(float_bits(*x).to_be_bytes()),
        Value::Date(date) => append_number::<3>(i64::from(date.days).cast_unsigned(), key),
        Value::Time(time) => append_number::<5>(time.ticks, key),
        Value::DateTime2(v) => {
            append_number::<3>(i64::from(v.date.days).cast_unsigned(), key);
            append_number::<5>(v.time.ticks, key);
        }
        Value::DateTime(v) => {
            // Days of 8248 years fit 22 bits.
            append_number::<3>(i64::from(v.days - DateTime::MIN.days).cast_unsigned(), key);
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

/// Most bytes of a column's part of a key; `None` for types without a bound, which are no key columns.
#[must_use]
pub fn key_len_max(sql_type: &SqlType, collation: Collation) -> Option<usize> {
    let bytes = match *sql_type {
        SqlType::Bit | SqlType::TinyInt => 1,
        SqlType::SmallInt => 2,
        SqlType::Date => 3,
        SqlType::Int | SqlType::Real | SqlType::SmallDateTime => 4,
        SqlType::Time { .. } => 5,
        SqlType::DateTime => 7,
        SqlType::BigInt
        | SqlType::SmallMoney
        | SqlType::Money
        | SqlType::Float
        | SqlType::DateTime2 { .. }
        | SqlType::DateTimeOffset { .. } => 8,
        SqlType::Decimal { .. } | SqlType::UniqueIdentifier => 16,
        SqlType::RowVersion => bytes_len_max(SqlType::ROW_VERSION_BYTES),
        SqlType::Binary { len } | SqlType::VarBinary { len: MaxLen::Limited(len) } => bytes_len_max(len),
        SqlType::Char { len, .. } | SqlType::VarChar { len: MaxLen::Limited(len), .. } => {
            collation::sort_key_len_max(len.into(), false, collation)
        }
        SqlType::NChar { len } | SqlType::NVarChar { len: MaxLen::Limited(len) } => {
            collation::sort_key_len_max(len.into(), true, collation)
        }
        SqlType::VarChar { .. } | SqlType::NVarChar { .. } | SqlType::VarBinary { .. } | SqlType::Xml => return None,
        SqlType::Variant => variant::key_len_max(),
    };
    Some(1 + bytes)
}

/// Every byte may be a zero, which takes two; two more end the part.
fn bytes_len_max(len: u16) -> usize {
    2 * usize::from(len) + 2
}
