//! The scan of a stored table: page by page, first what of the predicate is a test of bytes, then the columns that the
//! plan uses, one after the other, each straight from the records into its array. The rest of the predicate is evaluated
//! on the arrays of several pages ([`crate::scan::sieve`]), when these are let go.
//!
//! Between the two stand bitmaps of hash joins ([`bitmap`]), which know what the scan's rows are for.
//!
//! The scan sees the rows that were there when it was opened. It asks once per page whether it is to stop.

pub(crate) mod bitmap;
pub(crate) mod decode;
pub(crate) mod dispatch;
pub(crate) mod encode;
pub(crate) mod filter;
pub(crate) mod leaf;
pub(crate) mod narrow;
pub(crate) mod partial;
pub(crate) mod record;
pub(crate) mod rowwise;
pub(crate) mod sieve;
pub(crate) mod tree_rows;

use std::mem::take;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use millpond_catalog::TableDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_types::SqlType;
use millpond_types::row::RowLayout;

use crate::operator::batch::batch_of;
use crate::operator::row_width;
use crate::run::bitmap::Bitmap;
use crate::run::cell::RunCell;
use crate::run::failure;
use crate::scan::bitmap::BitmapTests;
use crate::scan::decode::{RECORD, ScanColumn};
use crate::scan::dispatch::Source;
use crate::scan::filter::{RecordFilter, RecordRow};
use crate::scan::leaf::Leaf;
use crate::scan::partial::Pending;
use crate::scan::record::{Locator, PageRow};
use crate::scan::sieve::{Sieve, Wanted};
use millpond_seek::Access;

/// Rows that a scan expects before it knows better: most temporary tables are small.
const FIRST_BATCH_ROWS: usize = 64;

/// Rows by which a batch is mostly longer than it should be: the last page's.
const PAGE_ROWS: usize = 256;

/// A scan in progress.
pub(crate) struct TableScan {
    scan: Source,
    context: Arc<RunContext>,
    binding: usize,
    def: Arc<TableDef>,
    /// The way to a table in trees.
    access: Option<Access>,
    filter: Option<RecordFilter>,
    bitmaps: BitmapTests,
    row: RecordRow,
    pending: Pending,
    columns: Columns,
    sieve: Option<Sieve>,
    batch_rows: usize,
    cell: Arc<RunCell>,
    done: bool,
}

/// The arrays of the batch at hand.
struct Columns {
    /// Position in the record; the table's width stands for the identifier, [`RECORD`] for the record.
    wanted: Vec<usize>,
    columns: Vec<ScanColumn>,
    schema: SchemaRef,
    rows: usize,
    /// Those of which the whole predicate is known to be true.
    sure: Vec<usize>,
    /// Bytes of rows with values beyond their records.
    large_bytes: usize,
}

impl TableScan {
    /// A scan of what `open` gives, which knows what is known of a row before the table is read.
    pub(crate) fn open(
        leaf: Arc<Leaf>,
        binding: usize,
        wanted: &Wanted,
        bitmaps: &[(usize, Arc<Bitmap>)],
        context: Arc<RunContext>,
        open: impl FnOnce(&RecordRow) -> SqlResult<Source>,
    ) -> SqlResult<TableScan> {
        let table = context.tables.get(binding).ok_or_else(|| failure::internal("a table of the plan is not bound"))?;
        let def = Arc::clone(&table.def);
        let width = def.columns.len();
        let row = leaf.record_row(width);
        let scan = open(&row)?;
        let access = leaf.access.clone();
        let place = |column: usize| access.as_ref().map_or(column, |access| access.place(&def, column));
        let row_bytes = leaf.row_bytes(|column| needs(&wanted.columns, column));
        let batch_rows = row_width::batch_rows(row_bytes, leaf.batch_rows);
        Ok(TableScan {
            scan,
            row,
            pending: Pending::default(),
            columns: Columns::new(wanted, &leaf.types, width, &place),
            sieve: Sieve::open(wanted, batch_rows)?,
            batch_rows,
            cell: Arc::clone(&leaf.cell),
            filter: leaf.filter(&context),
            bitmaps: BitmapTests::new(bitmaps, &place),
            context,
            binding,
            access,
            def,
            done: false,
        })
    }

    /// The next batch; none at the end.
    pub(crate) fn next_batch(&mut self) -> SqlResult<Option<RecordBatch>> {
        loop {
            if let Some(passed) = self.sieve.as_mut().and_then(Sieve::next) {
                return Ok(Some(passed));
            }
            self.fill()?;
            if self.columns.rows == 0 {
                let Some(sieve) = &mut self.sieve else { return Ok(None) };
                sieve.finish()?;
                return Ok(sieve.next());
            }
            let is_last = self.done && self.pending.is_empty();
            let next_rows = if is_last { 0 } else { self.batch_rows + PAGE_ROWS.min(self.batch_rows) };
            let (sure, large_bytes) = (take(&mut self.columns.sure), take(&mut self.columns.large_bytes));
            let batch = self.columns.take(next_rows)?;
            match &mut self.sieve {
                None => return Ok(Some(batch)),
                Some(sieve) => sieve.push(&batch, &sure, large_bytes)?,
            }
        }
    }

    /// Reads until there are enough rows for a batch.
    fn fill(&mut self) -> SqlResult<()> {
        while self.columns.rows < self.batch_rows && self.columns.large_bytes < row_width::LARGE_BYTES_MAX {
            if !self.pending.is_empty() {
                self.next_pending()?;
            } else if self.done {
                break;
            } else {
                self.next_page()?;
            }
        }
        Ok(())
    }

    /// Adds the rows of a page to the batch. More than a batch may come together: a page is never left half read.
    fn next_page(&mut self) -> SqlResult<()> {
        if self.cell.is_stopping() {
            return Err(message::cancelled());
        }
        let TableScan { scan, context, binding, def, access, filter, bitmaps, pending, columns, .. } = self;
        let layout = access.as_ref().map_or(&def.layout, |access| access.layout(def));
        let mut page = Page { layout, filter: filter.as_ref(), bitmaps, pending, columns };
        let scan = match scan {
            Source::Heap(scan) => scan,
            Source::Trees(rows) => {
                self.done = !rows.next_rows(context, &mut page)?;
                return Ok(());
            }
            Source::Nothing => {
                self.done = true;
                return Ok(());
            }
        };
        let mut failed = None;
        let more = scan.next_rows(&context.ask(*binding), &mut |rows| {
            let rows = page.add(rows.iter().map(|&(rid, record)| (Locator::Rid(rid), record)));
            rows.map_or_else(
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

    /// Adds the next row with values beyond its record.
    fn next_pending(&mut self) -> SqlResult<()> {
        let TableScan { context, binding, def, filter, row, pending, columns, .. } = self;
        let large = partial::large_of(context, *binding);
        let wanted = columns.wanted.clone();
        let mut take = |_: &mut RecordRow, locator: Locator<'_>, record: &[u8]| {
            columns.large_bytes += record.len();
            columns.sure.push(columns.rows);
            let view = def.layout.open(record).map_err(message::of_row)?;
            columns.append(&def.layout, &[PageRow { view, locator }])
        };
        pending.take_next(context, &large, filter.as_ref(), row, &|column| needs(&wanted, column), &mut take)?;
        Ok(())
    }
}

/// Whether a column is read for those that are wanted: a record needs all of them.
fn needs(wanted: &[usize], column: usize) -> bool {
    wanted.iter().any(|&wanted| wanted == column || wanted == RECORD)
}

/// What becomes of the rows of a page.
pub(crate) struct Page<'a> {
    layout: &'a RowLayout,
    filter: Option<&'a RecordFilter>,
    pub(crate) bitmaps: &'a mut BitmapTests,
    pending: &'a mut Pending,
    columns: &'a mut Columns,
}

impl Page<'_> {
    /// Adds rows to the batch: those that are whole and pass the tests.
    pub(crate) fn add<'r>(&mut self, rows: impl ExactSizeIterator<Item = (Locator<'r>, &'r [u8])>) -> SqlResult<()> {
        let mut opened: Vec<PageRow<'_, 'r>> = Vec::with_capacity(rows.len());
        let is_whole = !self.layout.may_overflow();
        for (locator, record) in rows {
            if is_whole || !self.pending.puts_off(self.layout, locator, record)? {
                opened.push(PageRow { view: self.layout.open(record).map_err(message::of_row)?, locator });
            }
        }
        if let Some(filter) = self.filter {
            filter.retain(self.layout, &mut opened)?;
        }
        self.bitmaps.retain(self.layout, &mut opened);
        self.columns.append(self.layout, &opened)
    }
}

impl Columns {
    /// `place` says where in a record a column of the table is.
    fn new(wanted: &Wanted, types: &[SqlType], stored: usize, place: &dyn Fn(usize) -> usize) -> Columns {
        let column = |&column: &usize| match column {
            RECORD => ScanColumn::records(FIRST_BATCH_ROWS),
            _ => ScanColumn::new(&types[column], column < stored, FIRST_BATCH_ROWS),
        };
        let columns = wanted.columns.iter().map(column).collect();
        let schema = Arc::clone(&wanted.schema);
        let wanted =
            wanted.columns.iter().map(|column| if *column < stored { place(*column) } else { *column }).collect();
        Columns { wanted, columns, schema, rows: 0, sure: Vec::new(), large_bytes: 0 }
    }

    /// Adds rows, column by column.
    fn append(&mut self, layout: &RowLayout, rows: &[PageRow<'_, '_>]) -> SqlResult<()> {
        for (array, &column) in self.columns.iter_mut().zip(&self.wanted) {
            array.append(layout, rows, column)?;
        }
        self.rows += rows.len();
        Ok(())
    }

    /// The batch; the next one gets a capacity of `next_rows` rows.
    fn take(&mut self, next_rows: usize) -> SqlResult<RecordBatch> {
        let arrays = self.columns.iter_mut().map(|column| column.finish(next_rows)).collect::<SqlResult<_>>()?;
        batch_of(&self.schema, arrays, take(&mut self.rows))
    }
}
