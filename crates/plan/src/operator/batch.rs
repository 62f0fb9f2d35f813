//! What operators of ours have in common: their properties, and batches of the columns that they made.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Field, FieldRef, Schema, SchemaRef};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::{Partitioning, PlanProperties};
use millpond_message::error::SqlResult;

use crate::expression::convert::ColumnBuilder;
use crate::run::failure;

/// Properties of an operator of ours: one partition, batches as they come.
pub(crate) fn one_partition(schema: SchemaRef) -> Arc<PlanProperties> {
    partitioned(schema, 1)
}

/// The same with several partitions.
pub(crate) fn partitioned(schema: SchemaRef, partitions: usize) -> Arc<PlanProperties> {
    Arc::new(PlanProperties::new(
        EquivalenceProperties::new(schema),
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    ))
}

/// The field of a column that may be NULL whether or not the given one may.
pub(crate) fn nullable(field: &FieldRef) -> FieldRef {
    if field.is_nullable() { Arc::clone(field) } else { Arc::new(Field::clone(field).with_nullable(true)) }
}

/// The schema of operators whose rows come from elsewhere than the input that names their columns: all may be NULL.
pub(crate) fn all_nullable(schema: &Schema) -> SchemaRef {
    let fields: Vec<FieldRef> = schema.fields().iter().map(nullable).collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// A batch of the columns built; it may have rows without columns.
pub(crate) fn to_batch(schema: &SchemaRef, builders: &mut [ColumnBuilder], rows: usize) -> SqlResult<RecordBatch> {
    batch_of(schema, builders.iter_mut().map(ColumnBuilder::finish).collect(), rows)
}

/// The same columns under another schema's names.
pub(crate) fn renamed(batch: &RecordBatch, schema: &SchemaRef) -> SqlResult<RecordBatch> {
    batch_of(schema, batch.columns().to_vec(), batch.num_rows())
}

/// A batch of arrays; it may have rows without columns.
pub(crate) fn batch_of(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> SqlResult<RecordBatch> {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
        .map_err(|error| failure::internal(&error.to_string()))
}
