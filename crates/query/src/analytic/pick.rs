//! Picks one value of a group: the first, the least or the greatest. For texts and binaries, whose order is not that of
//! their arrays; DataFusion's own MIN and MAX serve the other types.

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::AggregateUDF;
use millpond_types::collation::Collation;
use millpond_types::{SqlType, Value, compare};

use super::accumulate::{GroupState, aggregate};
use super::convert::{self, ColumnBuilder, ColumnReader};
use crate::error::SqlResult;

/// Which value of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pick {
    /// Any; in fact the first that came.
    First,
    /// MIN
    Least,
    /// MAX
    Greatest,
}

/// The aggregate that picks.
pub(super) fn pick(pick: Pick, sql: SqlType, collation: Collation) -> std::sync::Arc<AggregateUDF> {
    let name = match pick {
        Pick::First => "ANY",
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
    fn offer(&mut self, group: usize, value: Value) {
        let held = &mut self.held[group];
        let order = || compare::compare(&value, held, self.collation);
        let better = held.is_null()
            || match self.pick {
                Pick::First => false,
                Pick::Least => order().is_lt(),
                Pick::Greatest => order().is_gt(),
            };
        if better {
            self.long_bytes += long_bytes(&value);
            self.long_bytes -= long_bytes(held);
            *held = value;
        }
    }

    fn take(&mut self, count: usize) -> SqlResult<ArrayRef> {
        let rest = self.held.split_off(count.min(self.held.len()));
        let mut picked = ColumnBuilder::new(&self.sql, self.held.len());
        for value in std::mem::replace(&mut self.held, rest) {
            self.long_bytes -= long_bytes(&value);
            picked.push(&value)?;
        }
        Ok(picked.finish())
    }
}

/// Bytes that a value holds outside itself.
fn long_bytes(value: &Value) -> usize {
    match value {
        Value::Str(text) if text.is_heap_allocated() => text.capacity(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    }
}

impl GroupState for Picked {
    fn resize(&mut self, count: usize) {
        self.held.resize(count.max(self.held.len()), Value::Null);
    }

    fn update(&mut self, values: &ArrayRef, group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        let reader = ColumnReader::new(values, &self.sql)?;
        for row in 0..values.len() {
            let Some(group) = group_of(row) else { continue };
            let settled = self.pick == Pick::First && !self.held[group].is_null();
            if !settled && values.is_valid(row) {
                self.offer(group, reader.value(row));
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

    fn merge(&mut self, states: &[ArrayRef], group_of: &dyn Fn(usize) -> Option<usize>) -> SqlResult<()> {
        self.update(&states[0], group_of)
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
