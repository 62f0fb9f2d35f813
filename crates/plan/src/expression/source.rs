//! The values of an argument of a call, row by row: an array, or one value for all rows.
use datafusion::logical_expr::ColumnarValue;
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use crate::expression::convert::{self, ColumnReader};

/// Where an argument's values come from.
pub(crate) enum Source<'a> {
    Array(ColumnReader<'a>),
    Constant(Value),
}

impl<'a> Source<'a> {
    pub(crate) fn new(arg: &'a ColumnarValue, sql: &SqlType) -> SqlResult<Source<'a>> {
        match arg {
            ColumnarValue::Array(array) => ColumnReader::new(array, sql).map(Source::Array),
            ColumnarValue::Scalar(scalar) => convert::value_of_scalar(scalar, sql).map(Source::Constant),
        }
    }

    /// The value that all rows share, or a place for each row's.
    pub(crate) fn first(&self) -> Value {
        match self {
            Source::Array(_) => Value::Null,
            Source::Constant(value) => value.clone(),
        }
    }

    /// Sets `value` to the one of a row; a constant is there already.
    pub(crate) fn read(&self, row: usize, value: &mut Value) {
        if let Source::Array(reader) = self {
            *value = reader.value(row);
        }
    }
}
