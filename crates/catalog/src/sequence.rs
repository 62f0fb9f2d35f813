//! Sequences as expressions name them. Who draws their numbers is above.

use millpond_storage::contract::DbId;
use millpond_types::{Decimal, SqlType, Value};

use crate::ObjectId;

/// A sequence that an expression draws from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceUse {
    /// Its database.
    pub database: DbId,
    /// Its number.
    pub id: ObjectId,
    /// Name for messages.
    pub name: String,
    /// Each evaluation draws; else all of one row give the same number.
    pub each: bool,
}

/// A number as a value of the sequence's type.
#[must_use]
pub fn value_of(number: i64, sql: &SqlType) -> Value {
    match sql {
        SqlType::TinyInt => Value::TinyInt(number as u8),
        SqlType::SmallInt => Value::SmallInt(number as i16),
        SqlType::Int => Value::Int(number as i32),
        SqlType::Decimal { .. } => Value::Decimal(Decimal { unscaled: i128::from(number), scale: 0 }),
        _ => Value::BigInt(number),
    }
}
