//! A plan's rows as records of the table that they are for: made column by column from the arrays, on the threads that
//! made these. To store them is to copy bytes, on the session's thread or on those that made them (`run::insert`).
//!
//! The rows of a table with the same columns have their records already ([`LeafExec::records_of`]): these are copied.
//!
//! The records are those that [`RowLayout::encode_into`] writes for the rows' values. R1: only layouts whose rows always
//! fit a record, of types that an array holds as they are ([`is_encodable`]).

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, BinaryArray, RecordBatch, StringArray};
use datafusion::arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Field, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, Schema, SchemaRef,
    UInt8Type,
};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties};
use futures::{Stream, StreamExt};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::row::{RecordSizes, Records, RecordsWriter, RowError, RowLayout};
use millpond_types::temporal::{DateTime, SmallDateTime, Time};
use millpond_types::{CodePage, SqlType, decimal, text};

use crate::expression::convert::guid_of_key;
use crate::operator::batch::{batch_of, partitioned};
use crate::operator::flow::{only, operator};
use crate::run::cell::RunCell;
use crate::run::failure;
use crate::run::insert::InserterPartition;
use crate::scan::leaf::LeafExec;

/// Whether rows of a layout can be made records here (R1).
pub fn is_encodable(layout: &RowLayout) -> bool {
    let is_array = |sql: &SqlType| {
        !matches!(sql, SqlType::DateTimeOffset { .. } | SqlType::Variant | SqlType::Xml | SqlType::RowVersion)
    };
    !layout.may_overflow() && layout.types().iter().all(is_array)
}

/// Makes records of its input's rows: one binary column.
pub(crate) struct EncodeExec {
    input: Arc<dyn ExecutionPlan>,
    /// None: the input gives records.
    layout: Option<Arc<RowLayout>>,
    cell: Arc<RunCell>,
    properties: Arc<PlanProperties>,
}

impl EncodeExec {
    /// The input's columns are the layout's. Where it is a table of this layout, its records are taken as they are.
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        layout: &Arc<RowLayout>,
        cell: &Arc<RunCell>,
    ) -> Result<EncodeExec> {
        let cell = Arc::clone(cell);
        Ok(match records_of(&input, layout)? {
            Some(records) => EncodeExec::over(Arc::new(records), None, cell),
            None => EncodeExec::over(input, Some(Arc::clone(layout)), cell),
        })
    }

    fn over(input: Arc<dyn ExecutionPlan>, layout: Option<Arc<RowLayout>>, cell: Arc<RunCell>) -> EncodeExec {
        let schema = Arc::new(Schema::new(vec![Field::new("record", DataType::Binary, false)]));
        let partitions = input.output_partitioning().partition_count();
        EncodeExec { properties: partitioned(schema, partitions), input, layout, cell }
    }
}

operator!(
    EncodeExec, "EncodeExec", self,
    children: vec![&self.input],
    with: |encode, children| EncodeExec::over(only(children), encode.layout.clone(), Arc::clone(&encode.cell)),
    execute: |encode, partition, task| {
        let input = encode.input.execute(partition, task)?;
        let (layout, cell) = (encode.layout.clone(), Arc::clone(&encode.cell));
        let part = cell.place_part();
        Ok(Box::pin(EncodeStream { input, layout, cell, part, schema: encode.schema() }))
    }
);

/// The scan of a table whose records are those of a layout; other names change nothing.
fn records_of(plan: &Arc<dyn ExecutionPlan>, layout: &RowLayout) -> Result<Option<LeafExec>> {
    let any: &dyn Any = plan.as_ref();
    if let Some(leaf) = any.downcast_ref::<LeafExec>() {
        return leaf.records_of(layout);
    }
    match any.downcast_ref::<ProjectionExec>() {
        Some(projection) if changes_nothing(projection) => records_of(projection.input(), layout),
        _ => Ok(None),
    }
}

fn changes_nothing(projection: &ProjectionExec) -> bool {
    let is_column = |(at, expr): (usize, &ProjectionExpr)| {
        expr.expr.downcast_ref::<Column>().is_some_and(|from| from.index() == at)
    };
    projection.expr().len() == projection.input().schema().fields().len()
        && projection.expr().iter().enumerate().all(is_column)
}

struct EncodeStream {
    input: SendableRecordBatchStream,
    /// None: the input gives records.
    layout: Option<Arc<RowLayout>>,
    cell: Arc<RunCell>,
    /// Stores the records, which are not handed on then.
    part: Option<Box<dyn InserterPartition>>,
    schema: SchemaRef,
}

impl EncodeStream {
    /// Makes records of a batch's rows; none where they are stored already.
    fn made_of(&mut self, batch: &RecordBatch) -> SqlResult<Option<RecordBatch>> {
        let Some(layout) = &self.layout else { return self.taken_of(batch) };
        let records = encode(layout, batch)?;
        let Some(part) = &mut self.part else { return self.handed_on(records).map(Some) };
        let mut start = 0;
        let mut slices = records.ends.iter().map(|&end| {
            let record = &records.bytes[start..end as usize];
            start = end as usize;
            record
        });
        part.add(&*self.cell.context()?, &mut slices)?;
        Ok(None)
    }

    /// Takes the records of a batch as they are; none are handed on where they are stored already.
    fn taken_of(&mut self, batch: &RecordBatch) -> SqlResult<Option<RecordBatch>> {
        let Some(part) = &mut self.part else {
            return batch_of(&self.schema, batch.columns().to_vec(), batch.num_rows()).map(Some);
        };
        let records = batch.column(0).as_binary_opt::<i32>();
        let records = records.ok_or_else(|| failure::internal("a scan of records gave others"))?;
        part.add(&*self.cell.context()?, &mut records.iter().map(Option::unwrap_or_default))?;
        Ok(None)
    }

    /// The input has ended.
    fn end(&mut self) -> SqlResult<()> {
        self.part.take().map_or(Ok(()), |part| part.end(&*self.cell.context()?))
    }

    fn handed_on(&self, records: Records) -> SqlResult<RecordBatch> {
        let Records { bytes, ends } = records;
        let mut offsets: Vec<i32> = Vec::with_capacity(ends.len() + 1);
        offsets.push(0);
        for end in ends {
            offsets.push(i32::try_from(end).map_err(|_| failure::out_of_memory())?);
        }
        let rows = offsets.len() - 1;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let records = BinaryArray::try_new(offsets, Buffer::from_vec(bytes), None);
        let records = records.map_err(|error| failure::internal(&error.to_string()))?;
        batch_of(&self.schema, vec![Arc::new(records) as ArrayRef], rows)
    }
}

impl Stream for EncodeStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(batch) = std::task::ready!(self.input.poll_next_unpin(cx)) else {
            return Poll::Ready(self.end().map_err(failure::from_sql).err().map(Err));
        };
        match self.made_of(&batch?).map_err(failure::from_sql) {
            Ok(None) => {
                // Others of the plan get their turn, and the run its end, between two batches.
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            done => Poll::Ready(done.transpose()),
        }
    }
}

impl RecordBatchStream for EncodeStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// The records of a batch.
fn encode(layout: &RowLayout, batch: &RecordBatch) -> SqlResult<Records> {
    let types = layout.types();
    if batch.num_columns() < types.len() {
        return Err(failure::internal("the plan has fewer columns than the table"));
    }
    let strings: Vec<Option<Strings<'_>>> =
        types.iter().zip(batch.columns()).map(|(sql, array)| Strings::of(sql, array)).collect();
    let mut sizes = RecordSizes::new(layout, batch.num_rows());
    for (column, (sql, strings)) in types.iter().zip(&strings).enumerate() {
        if let (true, Some(strings)) = (sql.is_variable_length(), strings) {
            strings.check_lengths(sql, column)?;
            sizes.measure(column, strings.iter().map(|bytes| bytes.map_or(0, <[u8]>::len)));
        }
    }
    let mut writer = sizes.lay_out().map_err(message::of_row)?;
    for (column, (sql, strings)) in types.iter().zip(&strings).enumerate() {
        match strings {
            Some(strings) if sql.is_variable_length() => writer.put_variable(column, strings.iter()),
            Some(strings) => {
                let padding: &[u8] = match sql {
                    SqlType::NChar { .. } => b" \0",
                    SqlType::Char { .. } => b" ",
                    _ => &[0],
                };
                writer.put_padded(column, strings.iter(), padding).map_err(message::of_row)?;
            }
            None => put_number(&mut writer, column, sql, batch.column(column))?,
        }
    }
    Ok(writer.finish())
}

/// The bytes of a column of texts or binaries as they are stored.
enum Strings<'a> {
    /// Those of the array.
    Texts(&'a StringArray),
    Bytes(&'a BinaryArray),
    /// In another code, with the array that says what is NULL.
    Made {
        bytes: Vec<u8>,
        ends: Vec<usize>,
        texts: &'a StringArray,
    },
}

impl<'a> Strings<'a> {
    fn of(sql: &SqlType, array: &'a ArrayRef) -> Option<Strings<'a>> {
        match *sql {
            SqlType::Char { page, .. } | SqlType::VarChar { page, .. } => {
                let texts = array.as_string::<i32>();
                if page == CodePage::Utf8 || texts.value_data().is_ascii() {
                    return Some(Strings::Texts(texts));
                }
                Some(Strings::made(texts, |value, out| text::encode(value, page, out)))
            }
            SqlType::NChar { .. } | SqlType::NVarChar { .. } => {
                Some(Strings::made(array.as_string::<i32>(), text::encode_utf16))
            }
            SqlType::Binary { .. } | SqlType::VarBinary { .. } => Some(Strings::Bytes(array.as_binary::<i32>())),
            _ => None,
        }
    }

    fn made(texts: &'a StringArray, encode: impl Fn(&str, &mut Vec<u8>)) -> Strings<'a> {
        let (mut bytes, mut ends) = (Vec::with_capacity(2 * texts.value_data().len()), Vec::with_capacity(texts.len()));
        for value in texts {
            encode(value.unwrap_or_default(), &mut bytes);
            ends.push(bytes.len());
        }
        Strings::Made { bytes, ends, texts }
    }

    fn len(&self) -> usize {
        match self {
            Strings::Texts(texts) | Strings::Made { texts, .. } => texts.len(),
            Strings::Bytes(bytes) => bytes.len(),
        }
    }

    fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Strings::Texts(texts) => texts.is_valid(row).then(|| texts.value(row).as_bytes()),
            Strings::Bytes(bytes) => bytes.is_valid(row).then(|| bytes.value(row)),
            Strings::Made { bytes, ends, texts } => {
                let start = row.checked_sub(1).map_or(0, |before| ends[before]);
                texts.is_valid(row).then(|| &bytes[start..ends[row]])
            }
        }
    }

    fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// No value is longer than its type says.
    fn check_lengths(&self, sql: &SqlType, column: usize) -> SqlResult<()> {
        let most = sql.max_bytes().map_or(usize::MAX, |bytes| bytes as usize);
        match self.iter().flatten().all(|bytes| bytes.len() <= most) {
            true => Ok(()),
            false => Err(message::of_row(RowError::WrongValue { column })),
        }
    }
}

/// Writes the bytes that `bytes` makes of the array's numbers.
fn put<A: ArrowPrimitiveType, const N: usize>(
    writer: &mut RecordsWriter<'_>,
    column: usize,
    array: &ArrayRef,
    bytes: impl Fn(A::Native) -> [u8; N],
) {
    writer.put_fixed(column, array.as_primitive::<A>().iter().map(|value| value.map(&bytes)));
}

fn put_number(writer: &mut RecordsWriter<'_>, column: usize, sql: &SqlType, array: &ArrayRef) -> SqlResult<()> {
    let is_good = Cell::new(true);
    match *sql {
        SqlType::Bit => writer.put_bits(column, array.as_boolean().iter()),
        SqlType::TinyInt => put::<UInt8Type, 1>(writer, column, array, u8::to_le_bytes),
        SqlType::SmallInt => put::<Int16Type, 2>(writer, column, array, i16::to_le_bytes),
        SqlType::Int => put::<Int32Type, 4>(writer, column, array, i32::to_le_bytes),
        SqlType::BigInt | SqlType::Money => put::<Int64Type, 8>(writer, column, array, i64::to_le_bytes),
        SqlType::Real => put::<Float32Type, 4>(writer, column, array, f32::to_le_bytes),
        SqlType::Float => put::<Float64Type, 8>(writer, column, array, f64::to_le_bytes),
        SqlType::SmallMoney => put::<Int64Type, 4>(writer, column, array, |n| {
            is_good.set(is_good.get() & i32::try_from(n).is_ok());
            (n as i32).to_le_bytes()
        }),
        SqlType::Date => put::<Int64Type, 3>(writer, column, array, |days| first(days.to_le_bytes())),
        SqlType::SmallDateTime => put::<Int64Type, 4>(writer, column, array, |n| {
            let day = i64::from(SmallDateTime::MINUTES_PER_DAY);
            let ([m0, m1], [d0, d1]) = (((n % day) as u16).to_le_bytes(), ((n / day) as u16).to_le_bytes());
            [m0, m1, d0, d1]
        }),
        SqlType::DateTime => put::<Int64Type, 8>(writer, column, array, |n| {
            let day = i64::from(DateTime::TICKS_PER_DAY);
            let (ticks, days) = (n.rem_euclid(day) as u32, n.div_euclid(day) as i32);
            joined(ticks.to_le_bytes(), days.to_le_bytes())
        }),
        SqlType::Time { scale } => put_time(writer, column, sql, scale, array),
        SqlType::DateTime2 { scale } => put_datetime(writer, column, sql, scale, array),
        SqlType::Decimal { precision, .. } => put_decimal(writer, column, sql, precision, array, &is_good),
        SqlType::UniqueIdentifier => {
            let guids = array.as_fixed_size_binary();
            writer.put_fixed(column, guids.iter().map(|key| key.map(guid_of_key)));
        }
        _ => return Err(failure::internal(&format!("a column of {sql} was to be made records"))),
    }
    if is_good.get() { Ok(()) } else { Err(message::of_row(RowError::WrongValue { column })) }
}

/// The first `N` bytes.
fn first<const N: usize, const M: usize>(bytes: [u8; M]) -> [u8; N] {
    *bytes.first_chunk().expect("N is at most M")
}

/// Two arrays of bytes, one after the other.
fn joined<const A: usize, const B: usize, const N: usize>(a: [u8; A], b: [u8; B]) -> [u8; N] {
    let mut all = [0; N];
    all[..A].copy_from_slice(&a);
    all[A..].copy_from_slice(&b);
    all
}

fn put_time(writer: &mut RecordsWriter<'_>, column: usize, sql: &SqlType, scale: u8, array: &ArrayRef) {
    let unit = Time::ticks_per_unit(scale).cast_signed();
    let units = |ticks: i64| (ticks / unit).to_le_bytes();
    match sql.max_bytes() {
        Some(3) => put::<Int64Type, 3>(writer, column, array, |ticks| first(units(ticks))),
        Some(4) => put::<Int64Type, 4>(writer, column, array, |ticks| first(units(ticks))),
        _ => put::<Int64Type, 5>(writer, column, array, |ticks| first(units(ticks))),
    }
}

/// The time, then three bytes of the date.
fn put_datetime(writer: &mut RecordsWriter<'_>, column: usize, sql: &SqlType, scale: u8, array: &ArrayRef) {
    let (unit, day) = (Time::ticks_per_unit(scale).cast_signed(), Time::TICKS_PER_DAY.cast_signed());
    let units = |n: i64| (n.rem_euclid(day) / unit).to_le_bytes();
    let days = |n: i64| first::<3, 8>(n.div_euclid(day).to_le_bytes());
    match sql.max_bytes() {
        Some(6) => put::<Int64Type, 6>(writer, column, array, |n| joined(first::<3, 8>(units(n)), days(n))),
        Some(7) => put::<Int64Type, 7>(writer, column, array, |n| joined(first::<4, 8>(units(n)), days(n))),
        _ => put::<Int64Type, 8>(writer, column, array, |n| joined(first::<5, 8>(units(n)), days(n))),
    }
}

/// The sign, then 4, 8, 12 or 16 bytes.
fn put_decimal(
    writer: &mut RecordsWriter<'_>,
    column: usize,
    sql: &SqlType,
    precision: u8,
    array: &ArrayRef,
    is_good: &Cell<bool>,
) {
    let limit = decimal::power(precision).unsigned_abs();
    let parts = |n: i128| {
        let magnitude = n.unsigned_abs();
        is_good.set(is_good.get() & (magnitude < limit));
        ([u8::from(n >= 0)], magnitude.to_le_bytes())
    };
    match sql.max_bytes() {
        Some(5) => put::<Decimal128Type, 5>(writer, column, array, |n| {
            let (sign, digits) = parts(n);
            joined(sign, first::<4, 16>(digits))
        }),
        Some(9) => put::<Decimal128Type, 9>(writer, column, array, |n| {
            let (sign, digits) = parts(n);
            joined(sign, first::<8, 16>(digits))
        }),
        Some(13) => put::<Decimal128Type, 13>(writer, column, array, |n| {
            let (sign, digits) = parts(n);
            joined(sign, first::<12, 16>(digits))
        }),
        _ => put::<Decimal128Type, 17>(writer, column, array, |n| {
            let (sign, digits) = parts(n);
            joined(sign, digits)
        }),
    }
}

#[cfg(test)]
mod tests {
    use millpond_types::Value;

    use super::*;
    use crate::expression::convert::{self, ColumnBuilder};
    use crate::scan::decode::tests::{samples, types};

    fn batch(types: &[SqlType], rows: &[Vec<Value>]) -> RecordBatch {
        let fields: Vec<Field> = types.iter().map(|sql| Field::new("c", convert::data_type(sql), true)).collect();
        let arrays = types.iter().enumerate().map(|(column, sql)| {
            let mut builder = ColumnBuilder::new(sql, rows.len());
            rows.iter().for_each(|row| builder.push(&row[column]).expect("of its type"));
            builder.finish()
        });
        RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays.collect()).expect("columns of one length")
    }

    #[test]
    fn records_are_those_of_the_rows_values() {
        for sql in types() {
            let all = [SqlType::varchar(5), sql, SqlType::Int];
            let layout = RowLayout::new(&all);
            assert!(is_encodable(&layout), "{sql}");
            let rows: Vec<Vec<Value>> =
                samples(&sql).into_iter().map(|value| vec![Value::Null, value, Value::Int(7)]).collect();
            let records = encode(&layout, &batch(&all, &rows)).expect("values of their types");
            let mut start = 0;
            for (row, &end) in rows.iter().zip(&records.ends) {
                let record = &records.bytes[start..end as usize];
                assert_eq!(record, layout.encode(row).expect("fits"), "{sql}: {:?}", row[1]);
                start = end as usize;
            }
            assert_eq!((records.len(), start), (rows.len(), records.bytes.len()));
        }
    }

    #[test]
    fn what_may_not_fit_a_record_is_left_to_others() {
        assert!(!is_encodable(&RowLayout::new(&[SqlType::VarChar {
            len: millpond_types::MaxLen::Max,
            page: CodePage::Cp1252
        }])));
        assert!(!is_encodable(&RowLayout::new(&[SqlType::Variant])));
        let layout = RowLayout::new(&[SqlType::varchar(2)]);
        let rows = [vec![Value::str("abc")]];
        assert!(encode(&layout, &batch(&[SqlType::varchar(3)], &rows)).is_err());
    }
}
