//! Rows as bytes.

use crate::sql_type::SqlType;
use crate::value::Value;
use thiserror::Error;

/// Largest record in a page, in bytes.
pub const MAX_RECORD_BYTES: usize = 8060;

/// Why a row has no record, or a record no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RowError {
    /// 511: the record is longer than a page takes.
    #[error(
        "Cannot create a row of size {bytes} which is greater than the allowable maximum row size of 8060."
    )]
    TooLong {
        /// Size of the record in bytes.
        bytes: usize,
    },
    /// The row has another number of values than the layout has columns.
    #[error("the row has {given} values, its layout {wanted} columns")]
    ColumnCount {
        /// Values given.
        given: usize,
        /// Columns of the layout.
        wanted: usize,
    },
    /// A value is not of its column's type, or is longer.
    #[error("the value of column {column} does not fit the column's type")]
    WrongValue {
        /// Column from 0.
        column: usize,
    },
    /// The output buffer is shorter than the record.
    #[error("the buffer is shorter than the record of {bytes} bytes")]
    BufferTooShort {
        /// Size of the record in bytes.
        bytes: usize,
    },
    /// The record's bytes contradict themselves or the layout.
    #[error("the record is damaged: {what}")]
    Damaged {
        /// What is wrong.
        what: &'static str,
    },
}

/// Where the columns of a table lie in its records.
#[derive(Clone, Debug)]
pub struct RowLayout {}

impl RowLayout {
    /// The layout of a table's columns.
    #[must_use]
    pub fn new(_types: &[SqlType]) -> Self {
        todo!()
    }
    /// The columns' types.
    #[must_use]
    pub fn types(&self) -> &[SqlType] {
        todo!()
    }
    /// Size in bytes of a record whose variable columns are all NULL.
    #[must_use]
    pub fn max_fixed_len(&self) -> usize {
        todo!()
    }
    /// Size of the row's record in bytes.
    #[must_use]
    pub fn encoded_len(&self, _row: &[Value]) -> usize {
        todo!()
    }
    /// Writes the record at the start of `out` and returns its size.
    pub fn encode_into(&self, _row: &[Value], _out: &mut [u8]) -> Result<usize, RowError> {
        todo!()
    }
    /// The record as a new vector.
    pub fn encode(&self, _row: &[Value]) -> Result<Vec<u8>, RowError> {
        todo!()
    }
    /// One column's value.
    pub fn column(&self, _record: &[u8], _column: usize) -> Result<Value, RowError> {
        todo!()
    }
    /// All values; `row` is cleared first.
    pub fn decode(&self, _record: &[u8], _row: &mut Vec<Value>) -> Result<(), RowError> {
        todo!()
    }
    /// The column's bytes as stored; `None` for NULL.
    pub fn raw<'a>(&self, _record: &'a [u8], _column: usize) -> Result<Option<&'a [u8]>, RowError> {
        todo!()
    }
}
