//! The scan of a stored table: page by page, the predicate first, then the columns that the plan uses, each straight
//! from the record into its array.
//!
//! The scan sees the rows that were there when it was opened. It asks for cancellation once per page (the heap does).

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use millpond_access::HeapScan;
use millpond_types::row::{RowError, RowLayout};
use millpond_types::{CodePage, SqlType};

use super::convert::{ColumnBuilder, push_text};
use super::failure;
use super::filter::{Locator, RecordFilter, RecordRow};
use super::leaf::{self, Leaf};
use super::partial::{self, Pending};
use super::tree_rows::TreeRows;
use crate::catalog::TableDef;
use crate::context::RunContext;
use crate::error::SqlResult;
use crate::message::{self, Place};

/// Rows that a scan expects before it knows better: most temporary tables are small.
const FIRST_BATCH_ROWS: usize = 64;

/// A batch ends when it has so many bytes of rows with values beyond their records.
const LARGE_BYTES_MAX: usize = 64 << 20;

/// A scan in progress.
pub(super) struct TableScan {
    scan: Source,
    context: Arc<RunContext>,
    binding: usize,
    def: Arc<TableDef>,
    filter: Option<RecordFilter>,
    row: RecordRow,
    pending: Pending,
    columns: Columns,
    batch_rows: usize,
    done: bool,
}

/// Where the rows come from.
enum Source {
    Heap(HeapScan),
    Trees(Box<TreeRows>),
}

/// The arrays of the batch at hand.
struct Columns {
    /// Position in the table; the table's width stands for the identifier.
    wanted: Vec<usize>,
    types: Vec<SqlType>,
    builders: Vec<ColumnBuilder>,
    rows: usize,
    /// Bytes of rows with values beyond their records.
    large_bytes: usize,
}

impl TableScan {
    pub(super) fn open(
        leaf: Arc<Leaf>,
        binding: usize,
        def: &Arc<TableDef>,
        projection: &[usize],
        context: Arc<RunContext>,
    ) -> SqlResult<TableScan> {
        let table = context.tables.get(binding).ok_or_else(|| failure::internal("a table of the plan is not bound"))?;
        let width = def.columns.len();
        let row = RecordRow::new(&leaf, width);
        let scan = match &leaf.access {
            None => Source::Heap(table.rows.heap().scan()),
            Some(access) => Source::Trees(Box::new(TreeRows::open(&context, binding, access, &row.values)?)),
        };
        Ok(TableScan {
            scan,
            row,
            pending: Pending::default(),
            columns: Columns::new(projection, &leaf.types),
            batch_rows: leaf.batch_rows,
            filter: RecordFilter::open(leaf, &context),
            context,
            binding,
            def: Arc::clone(def),
            done: false,
        })
    }

    /// The next batch; none at the end.
    pub(super) fn next_batch(&mut self, schema: &SchemaRef) -> SqlResult<Option<RecordBatch>> {
        while self.columns.rows < self.batch_rows && self.columns.large_bytes < LARGE_BYTES_MAX {
            if !self.pending.is_empty() {
                self.next_pending()?;
            } else if self.done {
                break;
            } else {
                self.next_page()?;
            }
        }
        if self.columns.rows == 0 {
            return Ok(None);
        }
        let next_rows = if self.done && self.pending.is_empty() { 0 } else { self.batch_rows };
        self.columns.take(schema, next_rows).map(Some)
    }

    /// Adds the rows of a page to the batch. More than a batch may come together: a page is never left half read.
    fn next_page(&mut self) -> SqlResult<()> {
        let TableScan { scan, context, binding, def, filter, row, pending, columns, .. } = self;
        let mut take = |locator: Locator<'_>, record: &[u8]| {
            if pending.puts_off(&def.layout, locator, record)? {
                return Ok(());
            }
            if let Some(filter) = filter
                && !filter.passes(context, &def.layout, locator, record, row)?
            {
                return Ok(());
            }
            columns.push(&def.layout, locator, record)
        };
        let mut failed = None;
        let scan = match scan {
            Source::Heap(scan) => scan,
            Source::Trees(rows) => {
                let more = rows.next_page(context, &mut |key, record| {
                    take(Locator::Key(key), record).map(|()| ControlFlow::Continue(()))
                })?;
                self.done = !more;
                return Ok(());
            }
        };
        let more = scan.next_page(&context.ask(*binding), &mut |rid, record| {
            take(Locator::Rid(rid), record).map_or_else(
                |error| {
                    failed = Some(error);
                    ControlFlow::Break(())
                },
                ControlFlow::Continue,
            )
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let place = Place { schema: "", object: &def.name, database: "tempdb" };
        self.done = !more.map_err(|error| message::of_access(error, place))?;
        Ok(())
    }
}

impl TableScan {
    /// Adds the next row with values beyond its record.
    fn next_pending(&mut self) -> SqlResult<()> {
        let TableScan { context, binding, def, filter, row, pending, columns, .. } = self;
        let large = partial::large_of(context, *binding);
        let wanted = columns.wanted.clone();
        let mut take = |_: &mut RecordRow, locator: Locator<'_>, record: &[u8]| {
            columns.large_bytes += record.len();
            columns.push(&def.layout, locator, record)
        };
        pending.take_next(context, &large, filter.as_ref(), row, &|column| wanted.contains(&column), &mut take)?;
        Ok(())
    }
}

impl Columns {
    fn new(wanted: &[usize], types: &[SqlType]) -> Columns {
        let types: Vec<SqlType> = wanted.iter().map(|&column| types[column]).collect();
        let builders = types.iter().map(|sql| ColumnBuilder::new(sql, FIRST_BATCH_ROWS)).collect();
        Columns { wanted: wanted.to_vec(), types, builders, rows: 0, large_bytes: 0 }
    }

    fn push(&mut self, layout: &RowLayout, locator: Locator<'_>, record: &[u8]) -> SqlResult<()> {
        for (builder, &column) in self.builders.iter_mut().zip(&self.wanted) {
            if column == layout.types().len() {
                builder.push(&locator.value())?;
            } else {
                push_column(builder, layout, record, column)?;
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// The batch; the builders get room for `next_rows` rows.
    fn take(&mut self, schema: &SchemaRef, next_rows: usize) -> SqlResult<RecordBatch> {
        let batch = leaf::to_batch(schema, &mut self.builders, self.rows)?;
        if next_rows > 0 {
            self.builders = self.types.iter().map(|sql| ColumnBuilder::new(sql, next_rows)).collect();
        }
        (self.rows, self.large_bytes) = (0, 0);
        Ok(batch)
    }
}

/// Appends a column of a record. Common types go from the bytes into the array, the rest through a value.
fn push_column(builder: &mut ColumnBuilder, layout: &RowLayout, record: &[u8], column: usize) -> SqlResult<()> {
    let sql = &layout.types()[column];
    match (&mut *builder, sql) {
        (ColumnBuilder::Int(builder), SqlType::Int) => {
            builder.append_option(number(layout, record, column, i32::from_le_bytes)?);
        }
        (ColumnBuilder::Long(builder), SqlType::BigInt | SqlType::Money) => {
            builder.append_option(number(layout, record, column, i64::from_le_bytes)?);
        }
        (ColumnBuilder::SmallInt(builder), SqlType::SmallInt) => {
            builder.append_option(number(layout, record, column, i16::from_le_bytes)?);
        }
        (ColumnBuilder::TinyInt(builder), SqlType::TinyInt) => {
            builder.append_option(number(layout, record, column, u8::from_le_bytes)?);
        }
        (ColumnBuilder::Text(texts), SqlType::Char { page, .. } | SqlType::VarChar { page, .. }) => {
            match layout.raw(record, column).map_err(message::of_row)? {
                None => texts.append_null(),
                Some(bytes) => push_text(texts, &narrow_text(bytes, *page)?)?,
            }
        }
        _ => builder.push(&layout.column(record, column).map_err(message::of_row)?)?,
    }
    Ok(())
}

/// The text of a `char` or `varchar`. ASCII is the same in both code pages, and not copied.
pub(super) fn narrow_text(bytes: &[u8], page: CodePage) -> SqlResult<Cow<'_, str>> {
    match (std::str::from_utf8(bytes), page) {
        (Ok(text), CodePage::Utf8) => Ok(Cow::Borrowed(text)),
        (Ok(text), CodePage::Cp1252) if text.is_ascii() => Ok(Cow::Borrowed(text)),
        (_, CodePage::Cp1252) => Ok(Cow::Owned(millpond_types::text::decode_cp1252(bytes).into())),
        (Err(_), CodePage::Utf8) => Err(message::of_row(RowError::Damaged { what: "text that is no UTF-8" })),
    }
}

fn number<const N: usize, T>(
    layout: &RowLayout,
    record: &[u8],
    column: usize,
    read: fn([u8; N]) -> T,
) -> SqlResult<Option<T>> {
    let Some(bytes) = layout.raw(record, column).map_err(message::of_row)? else { return Ok(None) };
    let bytes =
        bytes.try_into().map_err(|_| message::of_row(RowError::Damaged { what: "a number of the wrong length" }))?;
    Ok(Some(read(bytes)))
}
