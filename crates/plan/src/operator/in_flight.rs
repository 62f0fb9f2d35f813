//! The account of the batch that an operator has handed on, while its consumer works at it.
//!
//! I1: a batch counts until the next one is asked for. Operators that keep rows for longer account for them themselves.
//! I2: small batches do not count: they are bounded by the number of their rows, and the account would cost more than it
//! is worth. I3: a statement has the required part of its grant in any case. Operators that spill exceed their share of
//! the grant for short times, and a scan could only fail.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use millpond_engine::memory::REQUIRED_BYTES;

/// Bytes of a batch from which on it counts (I2).
const COUNTED_BYTES: usize = 512 << 10;
/// What is made of a batch while it is worked at, one copy, counts like the batch.
const COPIES: usize = 2;

/// The batch that an operator of a run has handed on.
pub(crate) struct InFlight(MemoryReservation);

impl InFlight {
    pub(crate) fn new(operator: &'static str, task: &TaskContext) -> InFlight {
        InFlight(MemoryConsumer::new(operator).register(task.memory_pool()))
    }

    /// Accounts for the next batch in the place of the one before it; none is the end.
    ///
    /// # Errors
    /// 701 where all memory for queries is in use (I3); the statement's cancellation.
    pub(crate) fn hand_on(&mut self, batch: Option<RecordBatch>) -> Result<Option<RecordBatch>> {
        let bytes = batch.as_ref().map_or(0, variable_bytes);
        let counted = if bytes >= COUNTED_BYTES { COPIES * bytes } else { 0 };
        if counted == self.0.size() {
            return Ok(batch);
        }
        if counted <= REQUIRED_BYTES {
            self.0.resize(counted);
        } else {
            self.0.try_resize(counted)?;
        }
        Ok(batch)
    }
}

/// Bytes of the texts and binaries of a batch, without a look at any of them.
fn variable_bytes(batch: &RecordBatch) -> usize {
    let of_column = |column: &ArrayRef| match column.data_type() {
        DataType::Utf8 => span(column.as_string::<i32>().value_offsets()),
        DataType::Binary => span(column.as_binary::<i32>().value_offsets()),
        _ => 0,
    };
    batch.columns().iter().map(of_column).sum()
}

fn span(offsets: &[i32]) -> usize {
    match offsets {
        [first, .., last] => last.abs_diff(*first) as usize,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::StringArray;
    use datafusion::arrow::datatypes::{Field, Schema};
    use datafusion::execution::runtime_env::RuntimeEnvBuilder;

    use super::*;

    #[test]
    fn a_large_batch_counts_until_the_next_one() {
        let runtime = RuntimeEnvBuilder::new().build_arc().expect("valid configuration");
        let task = TaskContext::default().with_runtime(Arc::clone(&runtime));
        let mut in_flight = InFlight::new("Scan", &task);
        let schema = Arc::new(Schema::new(vec![Field::new("v", DataType::Utf8, true)]));
        let mut held = |bytes: usize| {
            let texts = StringArray::from(vec![Some("x".repeat(bytes)), None]);
            let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(texts)]).expect("one column");
            in_flight.hand_on(Some(batch.slice(0, 1))).expect("there is memory");
            runtime.memory_pool.reserved()
        };
        assert_eq!([1 << 20, 10, 600 << 10].map(&mut held), [2 << 20, 0, 1200 << 10]);
        in_flight.hand_on(None).expect("nothing to account for");
        assert_eq!(runtime.memory_pool.reserved(), 0);
    }
}
