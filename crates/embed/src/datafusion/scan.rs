//! The leaf of a plan that runs a statement: one partition, rows in the order in which they come.
//!
//! What always holds: each execution is a connection of its own, which ends with the stream; a stream that is dropped before its
//! end cancels the statement.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties, ReplaceChildrenOptions,
};
use futures::stream::try_unfold;

use crate::arrow::batch;
use crate::asynchronous::AsyncConnection;
use crate::error::Error;
use crate::instance::{ConnectOptions, Instance};
use crate::parameter::Parameter;
use crate::results::Reading;
use crate::row::estimate_bytes;

/// A batch with so many bytes of values goes, however few its rows are.
const BATCH_BYTES: usize = 4 << 20;

/// A statement whose rows are a plan's input.
#[derive(Debug)]
pub struct MillpondScan {
    instance: Instance,
    options: ConnectOptions,
    text: String,
    parameters: Vec<Parameter>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl MillpondScan {
    pub fn new(
        instance: Instance,
        options: ConnectOptions,
        text: String,
        parameters: Vec<Parameter>,
        schema: SchemaRef,
    ) -> MillpondScan {
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        let metrics = ExecutionPlanMetricsSet::new();
        MillpondScan { instance, options, text, parameters, schema, properties, metrics }
    }
}

impl DisplayAs for MillpondScan {
    /// With its statement, which has places for constants and none of their values.
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MillpondScan: {}", self.text)
    }
}

impl ExecutionPlan for MillpondScan {
    fn name(&self) -> &'static str {
        "MillpondScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(self: Arc<Self>, _children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let begin = Begin {
            instance: self.instance.clone(),
            options: self.options.clone(),
            text: self.text.clone(),
            parameters: self.parameters.clone(),
        };
        let (schema, batch_rows) = (Arc::clone(&self.schema), task.session_config().batch_size());
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let batches = try_unfold(Scan::Begin(begin), move |scan| {
            let (schema, metrics) = (Arc::clone(&schema), metrics.clone());
            async move {
                let next =
                    scan.next(&schema, batch_rows).await.map_err(|error| DataFusionError::External(error.into()))?;
                if let Some((batch, _)) = &next {
                    metrics.record_output(batch.num_rows());
                }
                Ok(next)
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), Box::pin(batches))))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// What a scan begins with.
struct Begin {
    instance: Instance,
    options: ConnectOptions,
    text: String,
    parameters: Vec<Parameter>,
}

enum Scan {
    Begin(Begin),
    // Dropped in this order: the request is cancelled before its session ends.
    Running { reading: Reading, connection: AsyncConnection },
}

impl Scan {
    async fn next(self, schema: &SchemaRef, batch_rows: usize) -> Result<Option<(RecordBatch, Scan)>, Error> {
        let (mut reading, connection) = match self {
            Scan::Running { reading, connection } => (reading, connection),
            Scan::Begin(begin) => {
                let mut connection = begin.instance.connect_async_with(&begin.options).await?;
                let mut reading = connection.read(&begin.text, &begin.parameters);
                reading.next_set().await?;
                (reading, connection)
            }
        };
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while rows.len() < batch_rows && bytes < BATCH_BYTES {
            let Some(more) = reading.next_rows().await? else { break };
            bytes += more.iter().flat_map(|row| row.values()).map(estimate_bytes).sum::<usize>();
            rows.extend(more);
        }
        if rows.is_empty() {
            reading.finish().await?;
            drop(reading);
            connection.close().await;
            return Ok(None);
        }
        Ok(Some((batch(schema, &rows)?, Scan::Running { reading, connection })))
    }
}
