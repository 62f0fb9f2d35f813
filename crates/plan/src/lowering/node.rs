//! Operators of ours in the logical plan, and how they and the leaves become operators of the physical plan.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::catalog::Session;
use datafusion::common::{DFSchema, DFSchemaRef, DataFusionError, TableReference};
use datafusion::error::Result;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{
    Expr, Extension, LogicalPlan, TableScan, UserDefinedLogicalNode, UserDefinedLogicalNodeCore,
};
use datafusion::physical_plan::{ExecutionPlan, PhysicalExpr};
use datafusion::physical_planner::{ExtensionPlanner, PhysicalPlanner};
use millpond_catalog::rel::JoinMethods;
use millpond_spill::{FirstOfEachExec, FirstRows};
use millpond_types::SqlType;

use crate::aggregate::expand::{ExpandExec, OrElseExec};
use crate::operator::batch::nullable;
use crate::operator::build::BuildExec;
use crate::operator::correlate::{ApplyExec, Inner};
use crate::operator::flow::{ConcatExec, WatchExec};
use crate::operator::recursive::{RecurseExec, Recursion};
use crate::operator::series::SeriesExec;
use crate::operator::spool::{Kept, SpoolExec, SpoolsExec};
use crate::operator::text::{TextExec, TextForm};
use crate::operator::top::TopExec;
use crate::run::cell::RunCell;
use crate::scan::leaf::{LeafExec, LeafSource};
use crate::scan::narrow;
use crate::window::{WindowExec, WindowSpec};

/// What an operator of ours does.
#[derive(Clone)]
pub(crate) enum Operation {
    /// First rows of the input. Expressions: count and offset if present, then the keys of WITH TIES.
    Top { has_count: bool, has_offset: bool, percent: bool },
    /// Rows of all inputs, one input after the other (UNION ALL).
    Concat,
    /// Rows of the input, about so many, with an eye on cancellation. A join that it is may be run in these ways.
    Watch { rows: Option<f64>, methods: JoinMethods },
    /// The build side of a hash join, of about so many rows; infinitely many where that is not known.
    Build { rows: f64 },
    /// For every row of the input those of an inner plan.
    Apply(Arc<Inner>),
    /// The rows of the input and what follows from each of them.
    Recurse(Arc<Recursion>),
    /// The rows of the sorted input with the values of calls over a window. Expressions: keys of the partition, keys of
    /// the order, arguments of the calls. The schema is the input's with a column for each call.
    Window { spec: Arc<WindowSpec>, schema: DFSchemaRef },
    /// The first rows of each partition of the input, and perhaps others. Expressions: keys of the partition, keys of the order, each
    /// of which descends or not.
    FirstOfEach { partition: usize, descending: Arc<[bool]>, first: FirstRows },
    /// Each row of the input once for each grouping set. Expressions: the groups. The schema is the input's with the
    /// groups and the set's number.
    Expand { sets: Arc<[i64]>, schema: DFSchemaRef },
    /// The rows of the input, or others when it has none. Expressions: the cells of the others.
    OrElse,
    /// Numbers of a type in batches of so many; the input is one row. Expressions: start, stop, step.
    Series { sql: SqlType, rows: usize, schema: DFSchemaRef },
    /// The rows of the input as a text.
    Text { form: TextForm, schema: DFSchemaRef },
    /// The rows that a spool keeps; the input is one row.
    Spool { kept: Arc<Kept>, schema: DFSchemaRef },
    /// The rows of the first input, which reads spools; the others are what each of these keeps.
    Spools(Vec<Arc<Kept>>),
}

/// A schema with more columns at its end.
pub(crate) fn with_fields(schema: &DFSchemaRef, added: &[(String, DataType)]) -> Result<DFSchemaRef> {
    let mut fields: Vec<(Option<TableReference>, FieldRef)> =
        schema.iter().map(|(table, field)| (table.cloned(), Arc::clone(field))).collect();
    fields.extend(added.iter().map(|(name, data_type)| (None, Arc::new(Field::new(name, data_type.clone(), true)))));
    Ok(Arc::new(DFSchema::new_with_metadata(fields, schema.metadata().clone())?))
}

/// A schema whose last `count` columns stand after another input's.
fn moved_fields(from: &DFSchemaRef, count: usize, input: &DFSchemaRef) -> Result<DFSchemaRef> {
    let all = from.fields();
    let added: Vec<(String, DataType)> =
        all[all.len() - count..].iter().map(|field| (field.name().clone(), field.data_type().clone())).collect();
    with_fields(input, &added)
}

/// An operator of ours.
#[derive(Clone)]
pub(crate) struct Node {
    /// Distinguishes nodes of one plan.
    id: usize,
    operation: Operation,
    exprs: Vec<Expr>,
    inputs: Vec<LogicalPlan>,
    schema: DFSchemaRef,
    cell: Arc<RunCell>,
}

impl Node {
    /// The node as a logical plan. All inputs have the first one's column types; the result has its names too.
    ///
    /// # Errors
    /// DataFusion's for a schema that has a name twice.
    pub(crate) fn plan(
        id: usize,
        operation: Operation,
        exprs: Vec<Expr>,
        inputs: Vec<LogicalPlan>,
        cell: Arc<RunCell>,
    ) -> Result<LogicalPlan> {
        debug_assert!(!inputs.is_empty());
        let schema = operation.schema(&inputs[0])?;
        Ok(LogicalPlan::Extension(Extension { node: Arc::new(Node { id, operation, exprs, inputs, schema, cell }) }))
    }
}

impl Operation {
    /// Columns of the result over a first input. Rows that come from elsewhere than that input may have NULL where it
    /// has none.
    fn schema(&self, input: &LogicalPlan) -> Result<DFSchemaRef> {
        Ok(match self {
            Operation::Apply(inner) => Arc::clone(inner.schema()),
            Operation::Window { schema, .. }
            | Operation::Expand { schema, .. }
            | Operation::Series { schema, .. }
            | Operation::Spool { schema, .. }
            | Operation::Text { schema, .. } => Arc::clone(schema),
            Operation::Concat | Operation::OrElse | Operation::Recurse(_) => {
                let fields = input.schema().iter().map(|(table, field)| (table.cloned(), nullable(field)));
                let metadata = input.schema().metadata().clone();
                Arc::new(DFSchema::new_with_metadata(fields.collect(), metadata)?)
            }
            Operation::Top { .. }
            | Operation::FirstOfEach { .. }
            | Operation::Watch { .. }
            | Operation::Build { .. }
            | Operation::Spools(_) => Arc::clone(input.schema()),
        })
    }
}

impl UserDefinedLogicalNodeCore for Node {
    fn name(&self) -> &str {
        match self.operation {
            Operation::Top { .. } => "Top",
            Operation::Concat => "Concat",
            Operation::Watch { .. } => "Watch",
            Operation::Build { .. } => "Build",
            Operation::Apply(_) => "Apply",
            Operation::Recurse(_) => "Recurse",
            Operation::Window { .. } => "Window",
            Operation::FirstOfEach { .. } => "FirstOfEach",
            Operation::Expand { .. } => "Expand",
            Operation::OrElse => "OrElse",
            Operation::Series { .. } => "Series",
            Operation::Text { .. } => "Text",
            Operation::Spool { .. } => "Spool",
            Operation::Spools(_) => "Spools",
        }
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        self.inputs.iter().collect()
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    fn expressions(&self) -> Vec<Expr> {
        self.exprs.clone()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(UserDefinedLogicalNodeCore::name(self))
    }

    fn with_exprs_and_inputs(&self, exprs: Vec<Expr>, inputs: Vec<LogicalPlan>) -> Result<Node> {
        let operation = match &self.operation {
            Operation::Window { spec, schema } => {
                let schema = moved_fields(schema, spec.calls.len(), inputs[0].schema())?;
                Operation::Window { spec: Arc::clone(spec), schema }
            }
            Operation::Expand { sets, schema } => {
                let schema = moved_fields(schema, exprs.len() + 1, inputs[0].schema())?;
                Operation::Expand { sets: Arc::clone(sets), schema }
            }
            same => same.clone(),
        };
        let schema = operation.schema(&inputs[0])?;
        Ok(Node { operation, exprs, inputs, schema, ..self.clone() })
    }

    // The rule adds the columns of `exprs` by itself. Inputs of Concat must keep the same columns, so it prunes none.
    fn necessary_children_exprs(&self, output_columns: &[usize]) -> Option<Vec<Vec<usize>>> {
        match self.operation {
            // The inner plan reads columns by their positions.
            Operation::Concat | Operation::Apply(_) | Operation::Recurse(_) | Operation::OrElse => None,
            Operation::Text { .. } => None,
            Operation::Series { .. } => Some(vec![Vec::new()]),
            Operation::Spool { ref kept, .. } => {
                kept.note_used(output_columns);
                Some(vec![Vec::new()])
            }
            Operation::Spools(_) => {
                let kept = self.inputs[1..].iter().map(|input| (0..input.schema().fields().len()).collect());
                Some(std::iter::once(output_columns.to_vec()).chain(kept).collect())
            }
            Operation::Top { .. }
            | Operation::FirstOfEach { .. }
            | Operation::Watch { .. }
            | Operation::Build { .. } => Some(vec![output_columns.to_vec()]),
            Operation::Window { .. } | Operation::Expand { .. } => {
                let width = self.inputs[0].schema().fields().len();
                Some(vec![output_columns.iter().copied().filter(|&column| column < width).collect()])
            }
        }
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", UserDefinedLogicalNodeCore::name(self), self.id)
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.id == other.id && Arc::ptr_eq(&self.cell, &other.cell)
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Node) -> Option<Ordering> {
        self.id.partial_cmp(&other.id)
    }
}

/// Plans leaves and nodes of ours.
pub(crate) struct OwnPlanner;

#[async_trait]
impl ExtensionPlanner for OwnPlanner {
    async fn plan_extension(
        &self,
        planner: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        logical_inputs: &[&LogicalPlan],
        physical_inputs: &[Arc<dyn ExecutionPlan>],
        session: &dyn Session,
        planning: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(node) = node.as_any().downcast_ref::<Node>() else { return Ok(None) };
        let schema = logical_inputs[0].schema();
        let exprs = node
            .exprs
            .iter()
            .map(|expr| planner.create_physical_expr(expr, schema, session, planning))
            .collect::<Result<Vec<Arc<dyn PhysicalExpr>>>>()?;
        let cell = Arc::clone(&node.cell);
        let input = Arc::clone(&physical_inputs[0]);
        Ok(Some(match &node.operation {
            Operation::Top { has_count, has_offset, percent } => {
                let mut exprs = exprs.into_iter();
                let count = if *has_count { exprs.next() } else { None };
                let offset = if *has_offset { exprs.next() } else { None };
                Arc::new(TopExec::new(input, count, offset, *percent, exprs.collect()))
            }
            Operation::Concat => Arc::new(ConcatExec::new(physical_inputs.to_vec())),
            Operation::Watch { rows, methods } => Arc::new(WatchExec::new(input, cell, *rows, *methods)),
            Operation::Build { rows } => Arc::new(BuildExec::new(input, *rows, Vec::new())),
            Operation::Apply(inner) => Arc::new(ApplyExec::new(input, Arc::clone(inner))),
            Operation::Recurse(recursion) => Arc::new(RecurseExec::new(input, Arc::clone(recursion))),
            Operation::Window { spec, schema } => {
                Arc::new(WindowExec::new(input, Arc::clone(spec), exprs, Arc::clone(schema.inner()), cell))
            }
            Operation::FirstOfEach { partition, descending, first } => {
                let mut exprs = exprs;
                let order = exprs.split_off(*partition).into_iter().zip(descending.iter());
                let order = order.map(|(key, &descending)| (key, SortOptions { descending, nulls_first: !descending }));
                Arc::new(FirstOfEachExec::new(input, exprs, order.collect(), *first))
            }
            Operation::Expand { sets, schema } => {
                Arc::new(ExpandExec::new(input, exprs, Arc::clone(sets), Arc::clone(schema.inner()), cell))
            }
            Operation::OrElse => Arc::new(OrElseExec::new(input, exprs)),
            Operation::Text { form, schema } => {
                Arc::new(TextExec::new(input, form.clone(), Arc::clone(schema.inner()), cell))
            }
            Operation::Spool { kept, .. } if kept.lacks_columns() => {
                return Err(DataFusionError::Internal("a spool lacks columns that are read".to_owned()));
            }
            Operation::Spool { kept, schema } => {
                Arc::new(SpoolExec::new(input, Arc::clone(kept), Arc::clone(schema.inner())))
            }
            Operation::Spools(spools) => Arc::new(SpoolsExec::new(physical_inputs.to_vec(), spools.clone())),
            Operation::Series { sql, rows, schema } => {
                Arc::new(SeriesExec::new(input, exprs, (*sql, *rows), Arc::clone(schema.inner()), cell))
            }
        }))
    }

    async fn plan_table_scan(
        &self,
        planner: &dyn PhysicalPlanner,
        scan: &TableScan,
        session: &dyn Session,
        planning: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let source: &dyn Any = scan.source.as_ref();
        let Some(source) = source.downcast_ref::<LeafSource>() else { return Ok(None) };
        let predicate = source.predicate.as_ref().map(|predicate| {
            let columns = DFSchema::try_from_qualified_schema(scan.table_name.clone(), &source.schema)?;
            planner.create_physical_expr(predicate, &columns, session, planning)
        });
        let (projection, predicate) = (scan.projection.as_deref(), predicate.transpose()?);
        let narrow = narrow::narrowed(source, projection, predicate.as_ref());
        Ok(Some(Arc::new(LeafExec::new(narrow.as_ref().unwrap_or(source), projection, predicate)?)))
    }
}
