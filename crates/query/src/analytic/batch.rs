//! What operators of ours have in common: their properties, and batches of the columns that they made.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::{Partitioning, PlanProperties};

use super::convert::ColumnBuilder;
use super::failure;
use crate::error::SqlResult;

/// Properties of an operator of ours: one partition, batches as they come.
pub(super) fn one_partition(schema: SchemaRef) -> Arc<PlanProperties> {
    partitioned(schema, 1)
}

/// The same with several partitions.
pub(super) fn partitioned(schema: SchemaRef, partitions: usize) -> Arc<PlanProperties> {
    Arc::new(PlanProperties::new(
        EquivalenceProperties::new(schema),
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    ))
}

/// A batch of the columns built; it may have rows without columns.
pub(super) fn to_batch(schema: &SchemaRef, builders: &mut [ColumnBuilder], rows: usize) -> SqlResult<RecordBatch> {
    batch_of(schema, builders.iter_mut().map(ColumnBuilder::finish).collect(), rows)
}

/// A batch of arrays; it may have rows without columns.
pub(super) fn batch_of(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> SqlResult<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
        .map_err(|error| failure::internal(&error.to_string()))
}
