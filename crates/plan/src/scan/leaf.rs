//! Leaves of plans: stored tables, system views, table-valued functions, given rows.
//!
//! A leaf delivers only the columns that the plan uses and only the rows for which its predicate is true. Where the rows
//! come from is read from the run (A1). A leaf has no state between runs, and keeps no metrics: it needs no reset. It has
//! one partition, or in a parallel plan several, which take the pages of its table as morsels.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::datasource::TableType;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableSource};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::Stream;
use millpond_builtin::TableFunctionDef;
use millpond_builtin::eval::{self, Rows};
use millpond_catalog::expr::BoundExpr;
use millpond_catalog::rel::{TableForm, UserTableFunction};
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::unfold::{Unfold, UnfoldedRows};
use millpond_catalog::{TableDef, Within};
use millpond_engine::context::RunContext;
use millpond_engine::stay;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::row::RowLayout;
use millpond_types::{SqlType, Value};

use crate::expression::convert;
use crate::expression::convert::ColumnBuilder;
use crate::operator::batch::{one_partition, partitioned, to_batch};
use crate::operator::in_flight::InFlight;
use crate::operator::row_width;
use crate::run::bitmap::Bitmap;
use crate::run::cell::{OuterRow, RunCell};
use crate::run::failure;
use crate::scan::TableScan;
use crate::scan::bitmap::is_testable;
use crate::scan::dispatch::{ScanDispatcher, Source, dispatcher_of};
use crate::scan::filter::{Predicate, RecordFilter, RecordRow};
use crate::scan::sieve::Wanted;
use millpond_seek::Access;
use millpond_seek::narrow::Narrowing;

/// Rows that a batch has room for at first, of which nothing says how many there are.
const ROOM_ROWS: usize = 64;
/// Batches that a thread of several reads before it looks for who is waiting. Tokio keeps the task that a thread woke last for
/// this thread alone: where one partition has built what another one waits for, the other one would begin when this one has read
/// all of its rows.
const BATCHES_PER_TURN: u32 = 16;
/// What identifies a row is supposed to have so many bytes.
const IDENTIFIER_BYTES: usize = 32;

/// Where rows come from. Expressions see the outer row alone, as columns from 0.
pub(crate) enum Origin {
    /// A table of the run; a column after those of its definition is the row's identifier.
    Table {
        binding: usize,
        def: Arc<TableDef>,
    },
    View(&'static ViewDef, DbId, Option<Narrowing>),
    Function(&'static TableFunctionDef, Vec<BoundExpr>),
    Call(Arc<UserTableFunction>, Vec<BoundExpr>),
    Values(Vec<Vec<BoundExpr>>),
    Unfold(Arc<dyn Unfold>, Vec<BoundExpr>),
}

/// A leaf.
pub(crate) struct Leaf {
    pub(crate) origin: Origin,
    pub(crate) types: Vec<SqlType>,
    /// Over the leaf's columns, followed by the outer row.
    pub(crate) predicate: Option<Arc<Predicate>>,
    /// The predicate as it is shown.
    pub(crate) shown: Vec<BoundExpr>,
    /// The way to the rows of a table in trees.
    pub(crate) access: Option<Access>,
    pub(crate) cell: Arc<RunCell>,
    pub(crate) outer: Option<Arc<OuterRow>>,
    pub(crate) batch_rows: usize,
    /// About how many rows it gives, where that is known.
    pub(crate) expected: Option<f64>,
    /// Rows that it has given since its plan was reset.
    pub(crate) given: AtomicU64,
}

impl Leaf {
    /// The leaf's columns under these names.
    pub(crate) fn schema(&self, names: &[String]) -> SchemaRef {
        let fields: Vec<Field> =
            names.iter().zip(&self.types).map(|(name, sql)| Field::new(name, convert::data_type(sql), true)).collect();
        Arc::new(Schema::new(fields))
    }

    /// About so many bytes a row of some columns has. What identifies a row may be long, and is not.
    pub(crate) fn row_bytes(&self, is_read: impl Fn(usize) -> bool) -> usize {
        let stored = if let Origin::Table { def, .. } = &self.origin { def.columns.len() } else { self.types.len() };
        let read = self.types.iter().enumerate().filter(|(column, _)| is_read(*column));
        let (own, other): (Vec<_>, Vec<_>) = read.partition(|(column, _)| *column < stored);
        row_width::row_bytes(own.into_iter().map(|(_, sql)| sql)) + other.len() * IDENTIFIER_BYTES
    }

    /// Its predicate for one run; none when all rows pass.
    pub(crate) fn filter(&self, context: &RunContext) -> Option<RecordFilter> {
        let predicate = Arc::clone(self.predicate.as_ref()?);
        Some(RecordFilter::open(predicate, self.outer.as_deref(), context))
    }

    /// A row of its table without values yet, but with the outer row of this run. `width`: columns that are stored.
    pub(crate) fn record_row(&self, width: usize) -> RecordRow {
        RecordRow::new(self.types.len(), self.outer.as_deref(), width)
    }

    /// The value of an expression that sees the outer row alone.
    pub(crate) fn over_outer(&self, expr: &BoundExpr, context: &RunContext) -> SqlResult<Value> {
        let mut row = Vec::new();
        if let Some(outer) = &self.outer {
            outer.append_to(&mut row);
        }
        eval::eval(expr, context, Rows::of(&row))
    }

    /// The value of an expression that sees the outer row alone, after the leaf's columns.
    fn outer_value(&self, expr: &BoundExpr, context: &RunContext) -> SqlResult<Value> {
        let mut row = vec![Value::Null; self.types.len()];
        if let Some(outer) = &self.outer {
            outer.append_to(&mut row);
        }
        eval::eval(expr, context, Rows::of(&row))
    }

    /// The rows of a leaf that is not a table: those of a view at least that pass its predicate.
    pub fn rows(&self, context: &RunContext) -> SqlResult<LeafRows> {
        match &self.origin {
            Origin::Unfold(by, args) => {
                let args = args.iter().map(|arg| self.over_outer(arg, context)).collect::<SqlResult<Vec<Value>>>()?;
                Ok(LeafRows::Unfolded(by.open(context, args)?))
            }
            _ => self.given_rows(context).map(|rows| LeafRows::Given(rows.into_iter())),
        }
    }

    /// Those that are made all at once.
    fn given_rows(&self, context: &RunContext) -> SqlResult<Vec<Vec<Value>>> {
        let all = |exprs: &[BoundExpr]| exprs.iter().map(|expr| self.over_outer(expr, context)).collect();
        match &self.origin {
            Origin::View(view, database, narrowing) => {
                stay::name_again(context, *database)?;
                let only = match narrowing {
                    None => None,
                    Some(narrowing) => narrowing.objects(|expr| self.outer_value(expr, context), context, *database)?,
                };
                view.rows.rows(context, Within { database: *database, only: only.as_deref() })
            }
            Origin::Function(function, args) => {
                let args: SqlResult<Vec<Value>> = all(args);
                (function.rows)(context, &args?)
            }
            Origin::Call(function, args) => {
                let args: SqlResult<Vec<Value>> = all(args);
                match &function.form {
                    TableForm::Statements { body, .. } => body.rows(context, args?),
                    TableForm::Inline(_) => Err(failure::internal("an inline function was to be run")),
                }
            }
            Origin::Values(rows) => {
                let one = |row: &Vec<BoundExpr>| {
                    context.begin_row();
                    all(row)
                };
                rows.iter().map(one).collect()
            }
            Origin::Table { .. } | Origin::Unfold(..) => Err(failure::internal("a table was read as a view")),
        }
    }
}

impl fmt::Debug for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.origin {
            Origin::Table { def, .. } => write!(f, "TableScan: {}", def.name)?,
            Origin::View(view, ..) => write!(f, "View: {}.{}", view.schema, view.name)?,
            Origin::Function(function, _) => write!(f, "TableFunction: {}", function.name)?,
            Origin::Call(function, _) => write!(f, "TableFunction: {}", function.name)?,
            Origin::Values(rows) => write!(f, "Constants: {} rows", rows.len())?,
            Origin::Unfold(by, _) => write!(f, "TableFunction: {}", by.name())?,
        }
        if self.predicate.is_some() { f.write_str(", with predicate") } else { Ok(()) }
    }
}

/// Rows of a leaf that is not a table.
pub(crate) enum LeafRows {
    /// In memory already.
    Given(std::vec::IntoIter<Vec<Value>>),
    /// Made when they are asked for.
    Unfolded(Box<dyn UnfoldedRows>),
}

impl LeafRows {
    /// The next row.
    pub(crate) fn next(&mut self, context: &RunContext) -> SqlResult<Option<Vec<Value>>> {
        match self {
            LeafRows::Given(rows) => Ok(rows.next()),
            LeafRows::Unfolded(rows) => rows.next(context),
        }
    }
}

/// A leaf as the logical plan knows it.
pub(crate) struct LeafSource {
    pub(crate) leaf: Arc<Leaf>,
    pub(crate) schema: SchemaRef,
    /// What of a table's predicate is evaluated on arrays.
    pub(crate) predicate: Option<Expr>,
}

impl TableSource for LeafSource {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }
}

/// A leaf that delivers some of its columns, or the records that have them.
#[derive(Clone)]
pub(crate) struct LeafExec {
    pub(crate) leaf: Arc<Leaf>,
    pub(crate) projection: Vec<usize>,
    wanted: Arc<Wanted>,
    properties: Arc<PlanProperties>,
    /// There when it has several partitions.
    dispatcher: Option<Arc<ScanDispatcher>>,
    /// Of columns of the table: rows that joins above will drop are not given.
    pub(crate) bitmaps: Vec<(usize, Arc<Bitmap>)>,
}

impl LeafExec {
    /// The columns at `projection`; `predicate` is the source's, over all of its columns.
    pub(crate) fn new(
        source: &LeafSource,
        projection: Option<&[usize]>,
        predicate: Option<Arc<dyn PhysicalExpr>>,
    ) -> Result<LeafExec> {
        let projection = projection.map_or_else(|| (0..source.leaf.types.len()).collect(), <[usize]>::to_vec);
        let properties = one_partition(Arc::new(source.schema.project(&projection)?));
        let wanted = Arc::new(Wanted::new(&source.schema, &projection, predicate)?);
        let (leaf, bitmaps) = (Arc::clone(&source.leaf), Vec::new());
        Ok(LeafExec { leaf, projection, wanted, properties, dispatcher: None, bitmaps })
    }

    /// The binding of the table that it scans.
    pub(crate) fn table(&self) -> Option<usize> {
        match self.leaf.origin {
            Origin::Table { binding, .. } => Some(binding),
            _ => None,
        }
    }

    /// The same rows in so many partitions.
    pub(crate) fn divided(&self, partitions: usize) -> LeafExec {
        let dispatcher = Some(dispatcher_of(&self.leaf.cell));
        LeafExec { properties: partitioned(self.schema(), partitions), dispatcher, ..self.clone() }
    }

    /// The same rows but those that a bitmap of one of its columns excludes; none where no bitmap can know them.
    pub(crate) fn asking(&self, column: usize, bitmap: &Arc<Bitmap>) -> Option<LeafExec> {
        let Origin::Table { def, .. } = &self.leaf.origin else { return None };
        let column = *self.projection.get(column)?;
        if column >= def.columns.len() || !is_testable(&self.leaf.types[column]) {
            return None;
        }
        let mut asking = self.clone();
        asking.bitmaps.push((column, Arc::clone(bitmap)));
        Some(asking)
    }

    /// The records of the same rows, one column, where they are those of a table of `layout`.
    pub(crate) fn records_of(&self, layout: &RowLayout) -> Result<Option<LeafExec>> {
        let Origin::Table { def, .. } = &self.leaf.origin else { return Ok(None) };
        let is_whole = self.projection.iter().copied().eq(0..def.columns.len());
        if !is_whole || def.layout.types() != layout.types() {
            return Ok(None);
        }
        let wanted = Arc::new(self.wanted.as_records()?);
        let schema = Arc::new(wanted.schema.project(&[0])?);
        Ok(Some(LeafExec { wanted, properties: one_partition(schema), dispatcher: None, ..self.clone() }))
    }

    /// Those of its columns in whose order its rows come: the key of the index that one partition reads from its first entry on.
    pub(crate) fn order(&self) -> Vec<usize> {
        let (Origin::Table { def, .. }, Some(access)) = (&self.leaf.origin, &self.leaf.access) else {
            return Vec::new();
        };
        if access.backward || !access.list.is_empty() || self.dispatcher.is_some() {
            return Vec::new();
        }
        let key = def.indexes[access.index].key.iter().take_while(|key| !key.descending);
        key.map_while(|key| self.projection.iter().position(|column| *column == key.column)).collect()
    }

    /// Whether no two rows have the same values in some of its columns, because a unique index has no others.
    pub(crate) fn has_unique(&self, columns: &[usize]) -> bool {
        let Origin::Table { def, .. } = &self.leaf.origin else { return false };
        let has = |column: usize| columns.iter().any(|place| self.projection.get(*place) == Some(&column));
        def.indexes.iter().any(|index| index.is_key() && index.key.iter().all(|key| has(key.column)))
    }

    /// About so many bytes a row has.
    pub(crate) fn row_bytes(&self) -> usize {
        self.leaf.row_bytes(|column| self.projection.contains(&column))
    }

    /// Whether any of its columns may have values beyond their rows, of any length.
    pub(crate) fn has_large_values(&self) -> bool {
        let types = self.projection.iter().filter_map(|&column| self.leaf.types.get(column));
        types.into_iter().any(SqlType::is_unbounded)
    }

    /// The scan of a partition.
    fn scan(&self, partition: usize, binding: usize, context: &Arc<RunContext>) -> SqlResult<TableScan> {
        let parts = self.properties.partitioning.partition_count();
        let open = |row: &RecordRow| {
            let open_all = |parts| Source::open(self.leaf.access.as_ref(), context, binding, &row.values, parts);
            match &self.dispatcher {
                Some(dispatcher) => dispatcher.take(partition, || open_all(parts)),
                None => open_all(1)?.pop().ok_or_else(|| failure::internal("a scan has no source")),
            }
        };
        TableScan::open(Arc::clone(&self.leaf), binding, &self.wanted, &self.bitmaps, Arc::clone(context), open)
    }
}

impl fmt::Debug for LeafExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(DisplayFormatType::Default, f)
    }
}

impl DisplayAs for LeafExec {
    fn fmt_as(&self, _t: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, columns={:?}", self.leaf, self.projection)?;
        match self.properties.partitioning.partition_count() {
            1 => Ok(()),
            parts => write!(f, ", partitions={parts}"),
        }
    }
}

impl ExecutionPlan for LeafExec {
    fn name(&self) -> &str {
        "LeafExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
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
        let context = self.leaf.cell.context().map_err(failure::from_sql)?;
        let rows = match &self.leaf.origin {
            Origin::Table { binding, .. } => {
                self.scan(partition, *binding, &context).map(|scan| RowSource::Table(Box::new(scan)))
            }
            _ => self.leaf.rows(&context).map(|rows| {
                let filter = self.leaf.filter(&context);
                RowSource::Rows(Box::new(GivenRows { rows, leaf: Arc::clone(&self.leaf), context, filter }))
            }),
        };
        let rows = rows.map_err(failure::from_sql)?;
        let in_flight = self.has_large_values().then(|| InFlight::new("Scan", &task));
        let (schema, projection, leaf) = (self.schema(), self.projection.clone(), Arc::clone(&self.leaf));
        let batches_to_yield = self.dispatcher.is_some().then_some(0);
        Ok(Box::pin(LeafStream { schema, projection, leaf, rows, in_flight, batches_to_yield }))
    }
}

/// Batches of a leaf.
struct LeafStream {
    schema: SchemaRef,
    projection: Vec<usize>,
    leaf: Arc<Leaf>,
    rows: RowSource,
    /// There where batches may be large.
    in_flight: Option<InFlight>,
    /// There where it is one of several partitions: a task that it woke is taken by no other thread as long as this one goes on
    /// ([`BATCHES_PER_TURN`]).
    batches_to_yield: Option<u32>,
}

enum RowSource {
    Table(Box<TableScan>),
    Rows(Box<GivenRows>),
}

impl Stream for LeafStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let stream = &mut *self;
        if let Some(left) = &mut stream.batches_to_yield {
            let Some(fewer) = left.checked_sub(1) else {
                *left = BATCHES_PER_TURN;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            };
            *left = fewer;
        }
        let batch = match &mut stream.rows {
            RowSource::Table(scan) => scan.next_batch(),
            RowSource::Rows(given) => given.next_batch(&stream.schema, &stream.projection),
        };
        let batch = batch.map_err(failure::from_sql);
        if let Ok(Some(batch)) = &batch {
            stream.leaf.given.fetch_add(batch.num_rows() as u64, Relaxed);
        }
        let batch = match &mut stream.in_flight {
            Some(in_flight) => batch.and_then(|batch| in_flight.hand_on(batch)),
            None => batch,
        };
        Poll::Ready(batch.transpose())
    }
}

impl RecordBatchStream for LeafStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Rows of a leaf that is not a table.
struct GivenRows {
    rows: LeafRows,
    leaf: Arc<Leaf>,
    context: Arc<RunContext>,
    filter: Option<RecordFilter>,
}

impl GivenRows {
    fn next_batch(&mut self, schema: &SchemaRef, projection: &[usize]) -> SqlResult<Option<RecordBatch>> {
        self.leaf.cell.check_cancelled()?;
        let rows = match &self.rows {
            LeafRows::Given(rows) => self.leaf.batch_rows.min(rows.len()),
            LeafRows::Unfolded(_) => ROOM_ROWS.min(self.leaf.batch_rows),
        };
        let mut builders: Vec<ColumnBuilder> =
            projection.iter().map(|&column| ColumnBuilder::new(&self.leaf.types[column], rows)).collect();
        let mut count = 0;
        let is_full = |builders: &[ColumnBuilder]| convert::bytes_of(builders) >= row_width::LARGE_BYTES_MAX;
        while count < self.leaf.batch_rows && !is_full(&builders) {
            let Some(mut row) = self.rows.next(&self.context)? else { break };
            if !self.passes(&mut row)? {
                continue;
            }
            for (builder, &column) in builders.iter_mut().zip(projection) {
                let value = row.get(column).ok_or_else(|| failure::internal("a row is shorter than its columns"))?;
                builder.push(value)?;
            }
            count += 1;
        }
        if count == 0 { Ok(None) } else { to_batch(schema, &mut builders, count).map(Some) }
    }

    fn passes(&self, row: &mut Vec<Value>) -> SqlResult<bool> {
        let Some(filter) = &self.filter else { return Ok(true) };
        row.truncate(self.leaf.types.len());
        if let Some(outer) = &self.leaf.outer {
            outer.append_to(row);
        }
        filter.passes_row(&self.context, row)
    }
}
