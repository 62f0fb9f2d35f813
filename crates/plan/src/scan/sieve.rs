//! The part of a scan's predicate that no test of bytes decides, evaluated on arrays of some thousand rows.
//!
//! F1: the expression is the one that a filter above the scan would have, with its results, its errors and its order.
//! F2: a row that was asked before it came here is not asked again. What passes is handed on in batches of the usual
//! size, however few rows of each array pass. Where rows come from is not known here.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::{BatchCoalescer, prep_null_mask_filter};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::{collect_columns, reassign_expr_columns};
use millpond_message::error::{SqlError, SqlResult};

use crate::operator::row_width::LARGE_BYTES_MAX;
use crate::run::failure;
use crate::run::failure::planned;
use crate::scan::decode::RECORD;

/// No column of a table has this name.
const RECORD_NAME: &str = "\0record";

/// What a scan decodes.
pub(crate) struct Wanted {
    /// Columns of the leaf: those that the plan uses, after them those that the predicate alone reads.
    pub(crate) columns: Vec<usize>,
    pub(crate) schema: SchemaRef,
    /// How many of the columns the plan uses.
    used: usize,
    /// Over `columns`.
    predicate: Option<Arc<dyn PhysicalExpr>>,
}

impl Wanted {
    /// The columns at `projection` of a leaf with `schema`, for rows that fulfil `predicate`, an expression over all
    /// columns of the leaf.
    pub(crate) fn new(
        schema: &SchemaRef,
        projection: &[usize],
        predicate: Option<Arc<dyn PhysicalExpr>>,
    ) -> Result<Wanted> {
        let mut read: Vec<usize> = predicate.iter().flat_map(collect_columns).map(|column| column.index()).collect();
        read.retain(|column| !projection.contains(column));
        read.sort_unstable();
        let columns: Vec<usize> = projection.iter().copied().chain(read).collect();
        let schema = Arc::new(schema.project(&columns)?);
        let predicate = predicate.map(|predicate| reassign_expr_columns(predicate, &schema)).transpose()?;
        Ok(Wanted { columns, schema, used: projection.len(), predicate })
    }

    /// The records of the same rows: one column.
    pub(crate) fn as_records(&self) -> Result<Wanted> {
        let mut read: Vec<usize> =
            self.predicate.iter().flat_map(collect_columns).map(|column| column.index()).collect();
        read.sort_unstable();
        let record = Arc::new(Field::new(RECORD_NAME, DataType::Binary, false));
        let fields = read.iter().map(|&column| Arc::clone(&self.schema.fields()[column]));
        let schema = Arc::new(Schema::new(std::iter::once(record).chain(fields).collect::<Vec<_>>()));
        let columns = std::iter::once(RECORD).chain(read.iter().map(|&column| self.columns[column])).collect();
        let predicate =
            self.predicate.clone().map(|predicate| reassign_expr_columns(predicate, &schema)).transpose()?;
        Ok(Wanted { columns, schema, used: 1, predicate })
    }
}

/// The predicate of a scan in progress, and what has passed.
pub(crate) struct Sieve {
    predicate: Arc<dyn PhysicalExpr>,
    used: Vec<usize>,
    passed: BatchCoalescer,
    large_bytes: usize,
}

fn refused(error: ArrowError) -> SqlError {
    failure::to_sql(error.into())
}

impl Sieve {
    /// The sieve of a scan whose batches have about `batch_rows` rows; none when all rows pass.
    pub(crate) fn open(wanted: &Wanted, batch_rows: usize) -> SqlResult<Option<Sieve>> {
        let Some(predicate) = &wanted.predicate else { return Ok(None) };
        let used: Vec<usize> = (0..wanted.used).collect();
        let schema = Arc::new(wanted.schema.project(&used).map_err(refused)?);
        // An array of which most rows pass is not copied once more.
        let passed = BatchCoalescer::new(schema, batch_rows).with_biggest_coalesce_batch_size(Some(batch_rows / 2));
        Ok(Some(Sieve { predicate: Arc::clone(predicate), used, passed, large_bytes: 0 }))
    }

    /// Takes the rows of a batch of all wanted columns that pass, and those at `sure`, which have passed already;
    /// `large_bytes`: how many bytes the latter have.
    pub(crate) fn push(&mut self, batch: &RecordBatch, sure: &[usize], large_bytes: usize) -> SqlResult<()> {
        let mask = self.mask(batch, sure)?;
        let used = batch.project(&self.used).map_err(refused)?;
        self.passed.push_batch_with_filter(used, &mask).map_err(refused)?;
        self.large_bytes += large_bytes;
        if self.large_bytes >= LARGE_BYTES_MAX {
            self.finish()?;
        }
        Ok(())
    }

    /// Which rows pass.
    fn mask(&self, batch: &RecordBatch, sure: &[usize]) -> SqlResult<BooleanArray> {
        let rows = batch.num_rows();
        let asked = if sure.is_empty() { None } else { Some(except(rows, sure)) };
        let truth = match &asked {
            None => planned(self.predicate.evaluate(batch))?,
            Some(asked) => planned(self.predicate.evaluate_selection(batch, asked))?,
        };
        let truth = planned(truth.into_array(rows))?;
        let truth = truth.as_boolean_opt().ok_or_else(|| failure::internal("a predicate is no truth value"))?;
        let truth = if truth.null_count() == 0 { truth.clone() } else { prep_null_mask_filter(truth) };
        Ok(match asked {
            None => truth,
            Some(asked) => BooleanArray::new(truth.values() | &!asked.values(), None),
        })
    }

    /// The next batch of what has passed, if there are rows for one.
    pub(crate) fn next(&mut self) -> Option<RecordBatch> {
        self.passed.next_completed_batch()
    }

    /// Makes a batch of what has passed, however little it is.
    pub(crate) fn finish(&mut self) -> SqlResult<()> {
        self.large_bytes = 0;
        self.passed.finish_buffered_batch().map_err(refused)
    }
}

/// All of so many rows but those at `sure`.
fn except(rows: usize, sure: &[usize]) -> BooleanArray {
    let mut sure = sure.iter().copied().peekable();
    BooleanArray::new(BooleanBuffer::collect_bool(rows, |row| sure.next_if_eq(&row).is_none()), None)
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::Int32Array;
    use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Schema};
    use datafusion::logical_expr::Operator;
    use datafusion::physical_expr::expressions::{binary, col, lit};

    use super::*;

    /// Column b of (a, b, c) where 12 / c > 3.
    fn wanted() -> Result<Wanted> {
        let fields = ["a", "b", "c"].map(|name| Field::new(name, DataType::Int32, true));
        let schema: SchemaRef = Arc::new(Schema::new(fields.to_vec()));
        let quotient = binary(lit(12), Operator::Divide, col("c", &schema)?, &schema)?;
        Wanted::new(&schema, &[1], Some(binary(quotient, Operator::Gt, lit(3), &schema)?))
    }

    fn batch(wanted: &Wanted, rows: &[(i32, Option<i32>)]) -> RecordBatch {
        let b = Int32Array::from_iter_values(rows.iter().map(|row| row.0));
        let c = Int32Array::from_iter(rows.iter().map(|row| row.1));
        RecordBatch::try_new(Arc::clone(&wanted.schema), vec![Arc::new(b), Arc::new(c)]).expect("two columns")
    }

    fn numbers(batch: Option<RecordBatch>) -> Vec<i32> {
        let batch = batch.expect("rows");
        assert_eq!(batch.num_columns(), 1);
        batch.column(0).as_primitive::<Int32Type>().values().to_vec()
    }

    #[test]
    fn few_rows_of_many_batches_come_together_without_the_columns_of_the_predicate() {
        let wanted = wanted().expect("plans");
        assert_eq!(wanted.columns, [1, 2]);
        let mut sieve = Sieve::open(&wanted, 4).expect("opens").expect("has a predicate");
        for n in 0..5 {
            let rows = [(n, Some(2)), (n + 100, Some(6)), (n + 200, None)];
            sieve.push(&batch(&wanted, &rows), &[], 0).expect("no error");
        }
        assert_eq!(numbers(sieve.next()), [0, 1, 2, 3]);
        assert!(sieve.next().is_none());
        sieve.finish().expect("no error");
        assert_eq!(numbers(sieve.next()), [4]);
    }

    #[test]
    fn rows_that_passed_before_are_not_asked_again() {
        let wanted = wanted().expect("plans");
        let mut sieve = Sieve::open(&wanted, 4).expect("opens").expect("has a predicate");
        let rows = [(1, Some(2)), (2, Some(0)), (3, Some(6)), (4, None)];
        assert!(sieve.push(&batch(&wanted, &rows), &[], 0).is_err(), "a division by zero");
        sieve.push(&batch(&wanted, &rows), &[1, 3], LARGE_BYTES_MAX).expect("the others divide");
        assert_eq!(numbers(sieve.next()), [1, 2, 4], "so many bytes are handed on at once");
        sieve.push(&batch(&wanted, &rows), &[0, 1, 2, 3], 0).expect("the predicate is all that is asked");
        sieve.finish().expect("no error");
        assert_eq!(numbers(sieve.next()), [1, 2, 3, 4]);
    }
}
