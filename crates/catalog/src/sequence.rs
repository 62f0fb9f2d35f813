//! Sequences: their definitions, and how expressions name them. What draws their numbers is above.

use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_types::{Decimal, SqlType, Value};
use parking_lot::Mutex;

use crate::schema::{ObjectId, Schema};

/// A sequence.
#[derive(Clone, Debug)]
pub struct SequenceDef {
    /// Number.
    pub id: ObjectId,
    /// Schema.
    pub schema: Schema,
    /// Name.
    pub name: String,
    /// Type of its values: an integer type or decimal(p, 0).
    pub sql: SqlType,
    /// START WITH
    pub start: i64,
    /// INCREMENT BY, not 0
    pub increment: i64,
    /// MINVALUE
    pub min: i64,
    /// MAXVALUE
    pub max: i64,
    /// CYCLE
    pub cycle: bool,
    /// CACHE; 0 = NO CACHE
    pub cache: u32,
    /// Under which number the durable mark is kept: its own, or after ALTER a negative one of its own.
    pub counter: ObjectId,
    /// What was given.
    pub state: Arc<Mutex<SequenceState>>,
}

/// The numbers of a sequence as far as they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceState {
    /// The number that comes first; none was given since the definition was made.
    pub first: i64,
    /// The last number given.
    pub last: Option<i64>,
    /// The mark: numbers up to it are reserved.
    pub reserved: Option<i64>,
}

impl SequenceDef {
    /// The number after `last`, and whether the sequence begins again with it; `None` after the end.
    #[must_use]
    pub fn after(&self, last: Option<i64>, first: i64) -> Option<(i64, bool)> {
        let Some(last) = last else { return Some((first, false)) };
        match last.checked_add(self.increment).filter(|next| (self.min..=self.max).contains(next)) {
            Some(next) => Some((next, false)),
            None if self.cycle => Some((if self.increment > 0 { self.min } else { self.max }, true)),
            None => None,
        }
    }

    /// Whether a mark covers a number.
    #[must_use]
    pub fn reaches(&self, mark: i64, number: i64) -> bool {
        if self.increment > 0 { number <= mark } else { number >= mark }
    }

    /// Numbers that follow `number` before the sequence ends or begins again.
    #[must_use]
    pub fn steps_left(&self, number: i64) -> u64 {
        let room = if self.increment > 0 { self.max.abs_diff(number) } else { number.abs_diff(self.min) };
        room / self.increment.unsigned_abs()
    }

    /// The last number of the block that is reserved with `number`.
    #[must_use]
    pub fn block_end(&self, number: i64) -> i64 {
        let steps = u64::from(self.cache.saturating_sub(1)).min(self.steps_left(number));
        let steps = i64::try_from(steps).expect("a cache is below 2^32");
        number + self.increment * steps
    }

    /// The number that was given last, else the one that comes first.
    #[must_use]
    pub fn current(&self) -> i64 {
        let state = self.state.lock();
        state.last.unwrap_or(state.first)
    }

    /// Whether no number is left.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        let state = self.state.lock();
        self.after(state.last, state.first).is_none()
    }
}

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
