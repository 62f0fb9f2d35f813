//! Picks one value of a group: the first, the least or the greatest. For texts and binaries, whose order is not that of
//! their arrays; DataFusion's own MIN and MAX serve the other types.

use std::cmp::Ordering;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::AggregateUDF;
use millpond_message::error::SqlResult;
use millpond_types::collation::{self, Collation};
use millpond_types::{SqlType, Value, compare};

use crate::aggregate::accumulate::{GroupState, aggregate};
use crate::expression::convert;
use crate::expression::convert::{ColumnBuilder, ColumnReader};

/// Which value of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// Any; in fact the first that came.
    First,
    /// MIN
    Least,
    /// MAX
    Greatest,
}

/// What the aggregate that picks any is called.
pub(crate) const ANY: &str = "ANY";

/// The aggregate that picks.
pub(crate) fn pick(pick: Pick, sql: SqlType, collation: Collation) -> std::sync::Arc<AggregateUDF> {
    let name = match pick {
        Pick::First => ANY,
        Pick::Least => "MIN",
        Pick::Greatest => "MAX",
    };
    aggregate(name, sql, false, move || Box::new(Picked { pick, sql, collation, held: Vec::new(), long_bytes: 0 }))
}

struct Picked {
    pick: Pick,
    sql: SqlType,
    collation: Collation,
    /// NULL where there was no value yet.
    held: Vec<Value>,
    /// Bytes of values outside `held`.
    long_bytes: usize,
}

impl Picked {
    /// Whether a value is taken that compares to the held one like that.
    fn is_better(&self, group: usize, order: impl FnOnce(&Value) -> Ordering) -> bool {
        let held = &self.held[group];
        held.is_null()
            || match self.pick {
                Pick::First => false,
                Pick::Least => order(held).is_lt(),
                Pick::Greatest => order(held).is_gt(),
            }
    }

    fn put(&mut self, group: usize, value: Value) {
        self.long_bytes += long_bytes(&value);
        self.long_bytes -= long_bytes(&self.held[group]);
        self.held[group] = value;
    }

    /// Texts compare where they lie; only one that is taken becomes a value.
    fn update_texts(&mut self, texts: &StringArray, group_of: &dyn Fn(usize) -> Option<usize>) {
        let collation = self.collation;
        for row in (0..texts.len()).filter(|row| texts.is_valid(*row)) {
            let Some(group) = group_of(row) else { continue };
            let text = texts.value(row);
            let order = |held: &Value| match held {
                Value::Str(held) => collation::compare(text, held, collation),
                other => compare::compare(&Value::str(text), other, collation),
            };
            if self.is_better(group, order) {
                self.put(group, Value::str(text));
            }
        }
    }

    fn take(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let rest = self.held.split_off(count.min(self.held.len()));
        let bytes = self.held.iter().map(bytes_in_array).sum();
        let mut picked = ColumnBuilder::with_bytes(&self.sql, self.held.len(), bytes);
        for value in std::mem::replace(&mut self.held, rest) {
            self.long_bytes -= long_bytes(&value);
            picked.push(&value)?;
        }
        Ok(picked.finish())
    }
}

/// Texts up to this length lie in their value.
const INLINE_BYTES: usize = size_of::<Value>();

/// Bytes that a value holds outside itself.
fn long_bytes(value: &Value) -> usize {
    match value {
        Value::Str(text) if text.len() > INLINE_BYTES => text.len(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Bytes that a text or a binary has in an array.
fn bytes_in_array(value: &Value) -> usize {
    match value {
        Value::Str(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    }
}

impl GroupState for Picked {
    fn resize(&mut self, count: usize) {
        self.held.resize(count.max(self.held.len()), Value::Null);
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        if let Some(texts) = values.as_string_opt::<i32>() {
            self.update_texts(texts, group_of);
            return Ok(());
        }
        let reader = ColumnReader::new(values, &self.sql)?;
        for row in (0..values.len()).filter(|row| values.is_valid(*row)) {
            let Some(group) = group_of(row) else { continue };
            if self.pick == Pick::First && !self.held[group].is_null() {
                continue;
            }
            let value = reader.value(row);
            if self.is_better(group, |held| compare::compare(&value, held, self.collation)) {
                self.put(group, value);
            }
        }
        Ok(())
    }

    fn results(&mut self, count: usize) -> SqlResult<ArrayRef> {
        self.take(count)
    }

    fn state(&mut self, count: usize) -> SqlResult<Vec<ArrayRef>> {
        Ok(vec![self.take(count)?])
    }

    fn state_types(&self) -> Vec<DataType> {
        vec![convert::data_type(&self.sql)]
    }

    fn count(&self) -> usize {
        self.held.len()
    }

    fn bytes(&self) -> usize {
        self.held.capacity() * size_of::<Value>() + self.long_bytes
    }
}
