//! Rows that are there as streams already, one for each partition, as a leaf of a plan that runs once.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::internal_datafusion_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, ReplaceChildrenOptions};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use parking_lot::Mutex;

pub(super) struct OnceExec {
    streams: Vec<Mutex<Option<SendableRecordBatchStream>>>,
    properties: Arc<PlanProperties>,
}

impl OnceExec {
    pub(super) fn of(stream: SendableRecordBatchStream) -> Arc<dyn ExecutionPlan> {
        let one = OnceExec::later(stream.schema(), 1);
        one.put(0, stream);
        one
    }

    /// So many partitions, whose rows are put there before they are read.
    pub(super) fn later(schema: SchemaRef, partitions: usize) -> Arc<OnceExec> {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let streams = (0..partitions).map(|_| Mutex::new(None)).collect();
        Arc::new(OnceExec { streams, properties: Arc::new(properties) })
    }

    /// The rows of a partition.
    pub(super) fn put(&self, partition: usize, rows: SendableRecordBatchStream) {
        *self.streams[partition].lock() = Some(rows);
    }
}

impl fmt::Debug for OnceExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnceExec")
    }
}

impl DisplayAs for OnceExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnceExec")
    }
}

impl ExecutionPlan for OnceExec {
    fn name(&self) -> &str {
        "OnceExec"
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
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.streams[partition]
            .lock()
            .take()
            .ok_or_else(|| internal_datafusion_err!("rows that are there once were read twice"))
    }
}
