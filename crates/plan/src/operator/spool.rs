//! Rows that several parts of a plan read and one computes.
//!
//! ```text
//!   SpoolsExec ─┬─ the plan ── … SpoolExec, … SpoolExec       read a spool
//!               └─ what the spool keeps                       runs when it is first read
//! ```
//! A spool keeps the columns that any of its readers uses: what none uses is not computed, so that it raises no error either. What a
//! reader does not use is NULL.
//!
//! What always holds: there is one `SpoolsExec` in a plan, at its top, and the spools of its readers, some of which may be in plans that
//! run for each of its rows, are open as long as its rows are read. Every plan that is kept stands there once, so whatever is done to a
//! plan is done to each of them once.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::{RecordBatch, new_null_array};
use datafusion::arrow::datatypes::{FieldRef, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;
use millpond_spill::Spool;
use parking_lot::Mutex;

use crate::operator::batch::{batch_of, one_partition};
use crate::operator::flow::{only, operator};
use crate::run::failure;

/// The rows that are kept for several readers.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    spool: Spool,
    /// Columns that readers use, as far as planning has come.
    used: Mutex<BTreeSet<usize>>,
    /// The columns that are kept, once that is settled.
    columns: OnceLock<Vec<usize>>,
}

impl Kept {
    /// A reader uses these columns.
    pub(crate) fn note_used(&self, columns: &[usize]) {
        self.used.lock().extend(columns);
    }

    /// The columns that are kept: those that readers use, or the first one, since rows have at least one. From now on no reader may
    /// use others.
    pub(crate) fn settle(&self) -> &[usize] {
        self.columns.get_or_init(|| {
            let used = self.used.lock();
            if used.is_empty() { vec![0] } else { used.iter().copied().collect() }
        })
    }

    /// Where each of so many columns stands among those that are kept.
    pub(crate) fn places(&self, width: usize) -> Vec<Option<usize>> {
        let kept = self.settle();
        (0..width).map(|column| kept.binary_search(&column).ok()).collect()
    }

    /// Whether a reader uses a column that is not kept: the plan contradicts itself. Readers in plans that run for each row of another one
    /// are planned before that is settled, and lack nothing yet.
    pub(crate) fn lacks_columns(&self) -> bool {
        let is_kept = |kept: &Vec<usize>, column: &usize| kept.binary_search(column).is_ok();
        self.columns.get().is_some_and(|kept| self.used.lock().iter().any(|column| !is_kept(kept, column)))
    }
}

/// Opens spools, and gives the rows of the plan that reads them.
pub(crate) struct SpoolsExec {
    /// The plan, and then what each spool keeps.
    inputs: Vec<Arc<dyn ExecutionPlan>>,
    spools: Vec<Arc<Kept>>,
    properties: Arc<PlanProperties>,
}

impl SpoolsExec {
    pub(crate) fn new(inputs: Vec<Arc<dyn ExecutionPlan>>, spools: Vec<Arc<Kept>>) -> SpoolsExec {
        debug_assert_eq!(inputs.len(), 1 + spools.len());
        SpoolsExec { properties: one_partition(inputs[0].schema()), inputs, spools }
    }

    /// The plan that reads.
    pub(crate) fn reading(&self) -> &Arc<dyn ExecutionPlan> {
        &self.inputs[0]
    }

    /// The spools, each with what it keeps.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (&Arc<Kept>, &Arc<dyn ExecutionPlan>)> {
        self.spools.iter().zip(&self.inputs[1..])
    }
}

operator!(
    SpoolsExec, "SpoolsExec", self,
    children: self.inputs.iter().collect(),
    with: |spools, inputs| SpoolsExec::new(inputs, spools.spools.clone()),
    execute: |spools, partition, task| {
        spools.kept().for_each(|(kept, plan)| kept.spool.open(plan, &task));
        let opened = OpenSpools(spools.spools.clone());
        let rows = spools.inputs[0].execute(partition, task)?.inspect(move |_| {
            // Open as long as rows are given.
            let _open = &opened;
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(spools.schema(), rows)))
    }
);

/// Spools that are open as long as this lives.
struct OpenSpools(Vec<Arc<Kept>>);

impl Drop for OpenSpools {
    fn drop(&mut self) {
        self.0.iter().for_each(|kept| kept.spool.close());
    }
}

/// Reads a spool; its input is one row without columns, which is not asked for.
pub(crate) struct SpoolExec {
    input: Arc<dyn ExecutionPlan>,
    pub(crate) kept: Arc<Kept>,
    properties: Arc<PlanProperties>,
}

impl SpoolExec {
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, kept: Arc<Kept>, schema: SchemaRef) -> SpoolExec {
        SpoolExec { input, kept, properties: one_partition(schema) }
    }
}

operator!(
    SpoolExec, "SpoolExec", self,
    children: vec![&self.input],
    with: |read, children| SpoolExec::new(only(children), Arc::clone(&read.kept), read.schema()),
    execute: |read, _partition, _task| {
        let schema = read.schema();
        let places = read.kept.places(schema.fields().len());
        let rows = read.kept.spool.read()?.map(move |batch| whole(&batch?, &places, &schema));
        Ok(Box::pin(RecordBatchStreamAdapter::new(read.schema(), rows)))
    }
);

/// The kept columns of a batch where a schema has them, by their places among these; NULLs for the others.
fn whole(batch: &RecordBatch, places: &[Option<usize>], schema: &SchemaRef) -> Result<RecordBatch> {
    let rows = batch.num_rows();
    let column = |(place, field): (&Option<usize>, &FieldRef)| match place {
        Some(place) => Arc::clone(batch.column(*place)),
        None => new_null_array(field.data_type(), rows),
    };
    let columns = places.iter().zip(schema.fields()).map(column).collect();
    batch_of(schema, columns, rows).map_err(failure::from_sql)
}
