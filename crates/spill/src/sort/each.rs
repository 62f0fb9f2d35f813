//! The first rows of each partition, before these are sorted: rows that are known to come after them are dropped as they come.
//!
//! ```text
//!   rows ──▶ key of the partition ──▶ the first n keys of its order so far ──not after the last of them──▶ rows
//! ```
//! What always holds:
//! - E1: a row is dropped only where n rows of its partition, or rows of n different keys, come before it; so are all that come after
//!   it. What is left has the same first rows, and the numbers of these in their partition are the same.
//! - E2: it is a filter that may let too much through: without memory for its keys, or where it drops little, it lets all rows pass.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{BooleanArray, RecordBatch};
use datafusion::arrow::compute::{SortOptions, filter_record_batch};
use datafusion::arrow::row::{OwnedRow, Row, SortField};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalExprRef};
use datafusion::physical_plan::execution_plan::{
    Boundedness, ChildrenPropertiesMode, EmissionType, ReplaceChildrenOptions,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties};
use futures::stream::TryStreamExt;

use super::keys::Keys;
use crate::grant::is_granted;

/// Rows after which it must have dropped some part of them to go on.
const TRIED_ROWS: usize = 1 << 17;
/// That part.
const DROPPED_PART: usize = 4;
/// What a kept key takes beside its bytes, about.
const KEY_BYTES: usize = 64;

/// Which rows are the first of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstRows {
    /// How many are wanted; at least one.
    pub rows: usize,
    /// Rows with the same key count once, as DENSE_RANK counts them.
    pub by_key: bool,
}

/// Drops rows that are not among the first of their partition, as far as it knows.
pub struct FirstOfEachExec {
    input: Arc<dyn ExecutionPlan>,
    partition: Vec<PhysicalExprRef>,
    order: Vec<(PhysicalExprRef, SortOptions)>,
    first: FirstRows,
    properties: Arc<PlanProperties>,
}

impl FirstOfEachExec {
    /// The first rows of each partition of `input` in an order.
    #[must_use]
    pub fn new(
        input: Arc<dyn ExecutionPlan>,
        partition: Vec<PhysicalExprRef>,
        order: Vec<(PhysicalExprRef, SortOptions)>,
        first: FirstRows,
    ) -> FirstOfEachExec {
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            input.output_partitioning().clone(),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        FirstOfEachExec { input, partition, order, first, properties }
    }

    /// What a partition's rows have in common.
    #[must_use]
    pub fn partition(&self) -> &[PhysicalExprRef] {
        &self.partition
    }

    /// The order in a partition.
    #[must_use]
    pub fn order(&self) -> &[(PhysicalExprRef, SortOptions)] {
        &self.order
    }

    /// Which rows are wanted.
    #[must_use]
    pub fn first(&self) -> FirstRows {
        self.first
    }
}

impl fmt::Debug for FirstOfEachExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for FirstOfEachExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FirstOfEachExec: {} of {:?}", self.first.rows, self.partition)
    }
}

impl ExecutionPlan for FirstOfEachExec {
    fn name(&self) -> &str {
        "FirstOfEachExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for expr in self.partition.iter().chain(self.order.iter().map(|(expr, _)| expr)) {
            if f(expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| Arc::clone(&self.input));
        Ok(Arc::new(FirstOfEachExec::new(input, self.partition.clone(), self.order.clone(), self.first)))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, number: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let schema = self.schema();
        let field = |expr: &PhysicalExprRef, options| -> Result<SortField> {
            Ok(SortField::new_with_options(expr.data_type(&schema)?, options))
        };
        let partition = self.partition.iter().map(|expr| field(expr, SortOptions::default()));
        let order = self.order.iter().map(|(expr, options)| field(expr, *options));
        let mut filter = Filter {
            partition: Keys::new(self.partition.clone(), partition.collect::<Result<_>>()?)?,
            order: Keys::new(
                self.order.iter().map(|(expr, _)| Arc::clone(expr)).collect(),
                order.collect::<Result<_>>()?,
            )?,
            first: self.first,
            known: Some(HashMap::new()),
            seen: 0,
            dropped: 0,
            held: MemoryConsumer::new(format!("FirstOfEach[{number}]"))
                .with_can_spill(true)
                .register(task.memory_pool()),
        };
        let rows = self.input.execute(number, task)?;
        let passed = rows.try_filter_map(move |batch| std::future::ready(filter.passing(batch)));
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, passed)))
    }
}

/// The first keys of a partition so far, as many as rows are wanted at most.
enum FirstKeys {
    Rows(BinaryHeap<OwnedRow>),
    Different(BTreeSet<OwnedRow>),
}

impl FirstKeys {
    fn new(first: FirstRows) -> FirstKeys {
        if first.by_key { FirstKeys::Different(BTreeSet::new()) } else { FirstKeys::Rows(BinaryHeap::new()) }
    }

    /// Whether a row of this key may be among the first; how many bytes more are kept is added to `grown`.
    fn may_be(&mut self, key: Row<'_>, wanted: usize, grown: &mut usize) -> bool {
        let (count, last) = match self {
            FirstKeys::Rows(keys) => (keys.len(), keys.peek()),
            FirstKeys::Different(keys) => (keys.len(), keys.last()),
        };
        if count >= wanted {
            match last.map_or(Ordering::Less, |last| key.cmp(&last.row())) {
                Ordering::Greater => return false,
                Ordering::Equal => return true,
                Ordering::Less => {}
            }
        } else {
            *grown += key.as_ref().len() + KEY_BYTES;
        }
        match self {
            FirstKeys::Rows(keys) => {
                keys.push(key.owned());
                if keys.len() > wanted {
                    keys.pop();
                }
            }
            FirstKeys::Different(keys) => {
                if keys.insert(key.owned()) && keys.len() > wanted {
                    keys.pop_last();
                }
            }
        }
        true
    }
}

struct Filter {
    partition: Keys,
    order: Keys,
    first: FirstRows,
    /// None where all rows pass from now on (E2).
    known: Option<HashMap<Box<[u8]>, FirstKeys>>,
    seen: usize,
    dropped: usize,
    held: MemoryReservation,
}

impl Filter {
    /// The rows of a batch that may be among the first; none of no rows.
    fn passing(&mut self, batch: RecordBatch) -> Result<Option<RecordBatch>> {
        let Some(known) = &mut self.known else { return Ok(Some(batch)) };
        let partitions = if self.partition.is_empty() { None } else { Some(self.partition.of_rows(&batch)?) };
        let orders = self.order.of_rows(&batch)?;
        let mut grown = 0;
        let mut passes = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            let partition = partitions.as_ref().map(|rows| rows.row(row));
            let partition: &[u8] = partition.as_ref().map_or(&[], |row| row.as_ref());
            if !known.contains_key(partition) {
                grown += partition.len() + KEY_BYTES;
                known.insert(partition.into(), FirstKeys::new(self.first));
            }
            let keys = known.get_mut(partition);
            passes.push(keys.is_none_or(|keys| keys.may_be(orders.row(row), self.first.rows, &mut grown)));
        }
        let left = passes.iter().filter(|passes| **passes).count();
        self.seen += passes.len();
        self.dropped += passes.len() - left;
        let is_worth_it = self.seen < TRIED_ROWS || self.dropped >= self.seen / DROPPED_PART;
        if !is_granted(self.held.try_grow(grown))? || !is_worth_it {
            self.known = None;
            self.held.free();
        }
        Ok(match left {
            0 => None,
            left if left == passes.len() => Some(batch),
            _ => Some(filter_record_batch(&batch, &BooleanArray::from(passes))?),
        })
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{AsArray, Int32Array};
    use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Schema};
    use datafusion::datasource::memory::MemorySourceConfig;
    use datafusion::physical_expr::expressions::Column;
    use datafusion::prelude::SessionContext;

    use super::*;

    /// Rows of a partition and an order in batches of three, and what is left of them.
    fn left_of(rows: &[(i32, Option<i32>)], first: FirstRows, descending: bool) -> Vec<(i32, Option<i32>)> {
        let fields = vec![Field::new("p", DataType::Int32, false), Field::new("o", DataType::Int32, true)];
        let schema = Arc::new(Schema::new(fields));
        let batch = |rows: &[(i32, Option<i32>)]| {
            let partition: Int32Array = rows.iter().map(|(partition, _)| Some(*partition)).collect();
            let order: Int32Array = rows.iter().map(|(_, order)| *order).collect();
            RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(partition), Arc::new(order)]).expect("two columns")
        };
        let batches: Vec<RecordBatch> = rows.chunks(3).map(batch).collect();
        let input = MemorySourceConfig::try_new_exec(&[batches], Arc::clone(&schema), None).expect("a source");
        let column = |name, at| -> PhysicalExprRef { Arc::new(Column::new(name, at)) };
        let order = vec![(column("o", 1), SortOptions { descending, nulls_first: !descending })];
        let exec = FirstOfEachExec::new(input, vec![column("p", 0)], order, first);
        let rows = exec.execute(0, SessionContext::new().task_ctx()).expect("it begins");
        let batches: Vec<RecordBatch> = futures::executor::block_on(rows.try_collect()).expect("rows");
        let row = |batch: &RecordBatch, row: usize| {
            let [partition, order] = [0, 1].map(|at| batch.column(at).as_primitive::<Int32Type>().clone());
            (partition.value(row), order.iter().nth(row).flatten())
        };
        batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|at| row(batch, at)).collect::<Vec<_>>()).collect()
    }

    /// How many rows, or keys, of its partition come before a row.
    fn before(rows: &[(i32, Option<i32>)], of: (i32, Option<i32>), by_key: bool, descending: bool) -> usize {
        let comes_before =
            |row: &&(i32, Option<i32>)| row.0 == of.0 && if descending { row.1 > of.1 } else { row.1 < of.1 };
        let keys: Vec<Option<i32>> = rows.iter().filter(comes_before).map(|row| row.1).collect();
        if by_key { keys.into_iter().collect::<BTreeSet<_>>().len() } else { keys.len() }
    }

    #[test]
    fn no_row_is_lost_that_is_among_the_first() {
        let rows: Vec<(i32, Option<i32>)> = (0..4000_i64)
            .map(|n| {
                let mixed = (n * 2_654_435_761) >> 7;
                ((mixed % 7) as i32, (mixed % 97 != 0).then_some((mixed / 7 % 311) as i32))
            })
            .collect();
        for (wanted, by_key, descending) in
            [(1, false, false), (1, true, true), (10, false, true), (10, true, false), (5000, false, false)]
        {
            let left = left_of(&rows, FirstRows { rows: wanted, by_key }, descending);
            let is_first = |row: &&(i32, Option<i32>)| before(&rows, **row, by_key, descending) < wanted;
            let expected: Vec<_> = rows.iter().filter(is_first).copied().collect();
            let kept: Vec<_> = left.iter().filter(is_first).copied().collect();
            assert_eq!(kept, expected, "{wanted} {by_key} {descending}");
            assert!(wanted > 10 || left.len() < rows.len() / 2, "{} of {wanted}", left.len());
        }
    }
}
