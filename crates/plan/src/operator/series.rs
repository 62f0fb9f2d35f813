//! GENERATE_SERIES: numbers from one to another, made as they are asked for.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::Stream;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{Decimal, SqlType, Value};

use crate::expression::convert;
use crate::expression::convert::ColumnBuilder;
use crate::operator::batch::{one_partition, to_batch};
use crate::operator::flow::{only, operator};
use crate::run::cell::RunCell;
use crate::run::failure;

/// Makes the numbers; its input is one row without columns.
pub(crate) struct SeriesExec {
    input: Arc<dyn ExecutionPlan>,
    /// Start, stop, step.
    args: Vec<Arc<dyn PhysicalExpr>>,
    sql: SqlType,
    rows: usize,
    cell: Arc<RunCell>,
    properties: Arc<PlanProperties>,
}

impl SeriesExec {
    pub(crate) fn new(
        input: Arc<dyn ExecutionPlan>,
        args: Vec<Arc<dyn PhysicalExpr>>,
        (sql, rows): (SqlType, usize),
        schema: SchemaRef,
        cell: Arc<RunCell>,
    ) -> SeriesExec {
        SeriesExec { input, args, sql, rows, cell, properties: one_partition(schema) }
    }

    fn with_input(&self, input: Arc<dyn ExecutionPlan>) -> SeriesExec {
        let form = (self.sql, self.rows);
        SeriesExec::new(input, self.args.clone(), form, self.schema(), Arc::clone(&self.cell))
    }

    fn start(&self) -> Result<SeriesStream> {
        let options = RecordBatchOptions::new().with_row_count(Some(1));
        let nothing = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), vec![], &options)?;
        let mut bounds = Vec::with_capacity(self.args.len());
        let step = if self.sql.is_integer() { SqlType::BigInt } else { self.sql };
        for (arg, sql) in self.args.iter().zip([self.sql, self.sql, step]) {
            let array: ArrayRef = arg.evaluate(&nothing)?.into_array(1)?;
            let value = convert::value_of_scalar(&ScalarValue::try_from_array(&array, 0)?, &sql);
            bounds.push(units_of(&value.map_err(failure::from_sql)?));
        }
        let (schema, cell) = (self.schema(), Arc::clone(&self.cell));
        let stream = |next, stop, step| SeriesStream { next, stop, step, sql: self.sql, rows: self.rows, schema, cell };
        Ok(match bounds[..] {
            [Some(_), Some(_), Some(0)] => return Err(failure::from_sql(no_step())),
            [Some(start), Some(stop), Some(step)] => stream(Some(start), stop, step),
            // A series with NULL has no numbers.
            _ => stream(None, 0, 1),
        })
    }
}

operator!(
    SeriesExec, "SeriesExec", self,
    children: vec![&self.input],
    with: |series, children| series.with_input(only(children)),
    execute: |series, _partition, _task| Ok(Box::pin(series.start()?))
);

struct SeriesStream {
    /// None when the series has ended.
    next: Option<i128>,
    stop: i128,
    step: i128,
    sql: SqlType,
    rows: usize,
    schema: SchemaRef,
    cell: Arc<RunCell>,
}

impl SeriesStream {
    fn batch(&mut self) -> SqlResult<Option<RecordBatch>> {
        self.cell.check_cancelled()?;
        let mut builder = ColumnBuilder::new(&self.sql, self.rows);
        let mut count = 0;
        while count < self.rows
            && let Some(number) =
                self.next.filter(|next| if self.step > 0 { *next <= self.stop } else { *next >= self.stop })
        {
            builder.push(&value_of(number, &self.sql)?)?;
            self.next = number.checked_add(self.step);
            count += 1;
        }
        if count == 0 { Ok(None) } else { to_batch(&self.schema, &mut [builder], count).map(Some) }
    }
}

impl Stream for SeriesStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.batch().map_err(failure::from_sql).transpose())
    }
}

impl RecordBatchStream for SeriesStream {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// A number in units of its type's scale; none for NULL.
fn units_of(value: &Value) -> Option<i128> {
    match value {
        Value::Decimal(decimal) => Some(decimal.unscaled),
        value => value.as_i64().map(i128::from),
    }
}

fn value_of(units: i128, sql: &SqlType) -> SqlResult<Value> {
    let wrong = |_| failure::internal("a number of a series left its bounds");
    Ok(match *sql {
        SqlType::TinyInt => Value::TinyInt(units.try_into().map_err(wrong)?),
        SqlType::SmallInt => Value::SmallInt(units.try_into().map_err(wrong)?),
        SqlType::Int => Value::Int(units.try_into().map_err(wrong)?),
        SqlType::BigInt => Value::BigInt(units.try_into().map_err(wrong)?),
        SqlType::Decimal { scale, .. } => Value::Decimal(Decimal { unscaled: units, scale }),
        _ => return Err(failure::internal("a series of another type")),
    })
}

/// 4199
fn no_step() -> SqlError {
    SqlError::of(4199, 1, &[&"0", &3, &"generate_series"])
}
