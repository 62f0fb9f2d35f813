//! Where a batch of large rows ends: rows are counted, and from some bytes on a batch is full however few they are.
//!
//! What is asked of a row of a batch of small ones is the batch's average; only rows of batches that matter are measured.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::DataType;

use crate::hash_partition::bytes_of;

/// Bytes of a batch that is made of rows of others: one that has so many is full.
pub(crate) const FULL_BYTES: usize = 1 << 20;
/// Rows of a batch in which they have more on average are measured one by one,
const SMALL_ROW_BYTES: usize = 1 << 10;
/// as are those of a batch that has so many bytes.
const SMALL_BATCH_BYTES: usize = 512 << 10;

/// How large the rows of a batch are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowBytes {
    Average(usize),
    Measured,
}

impl RowBytes {
    pub(crate) fn of(batch: &RecordBatch) -> RowBytes {
        let bytes = bytes_of(batch);
        let average = bytes / batch.num_rows().max(1);
        let is_small = average <= SMALL_ROW_BYTES && bytes <= SMALL_BATCH_BYTES;
        if is_small { RowBytes::Average(average) } else { RowBytes::Measured }
    }

    /// Bytes of a row of that batch, about.
    pub(crate) fn of_row(self, batch: &RecordBatch, row: usize) -> usize {
        match self {
            RowBytes::Average(bytes) => bytes,
            RowBytes::Measured => batch.columns().iter().map(|column| of_value(column, row)).sum(),
        }
    }
}

/// A value of a fixed length counts as eight bytes.
fn of_value(column: &ArrayRef, row: usize) -> usize {
    let variable = match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value_length(row) as usize,
        DataType::Binary => column.as_binary::<i32>().value_length(row) as usize,
        DataType::LargeUtf8 => column.as_string::<i64>().value_length(row) as usize,
        DataType::LargeBinary => column.as_binary::<i64>().value_length(row) as usize,
        DataType::Utf8View => column.as_string_view().value(row).len(),
        DataType::BinaryView => column.as_binary_view().value(row).len(),
        _ => 0,
    };
    size_of::<u64>() + variable
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Int32Array, StringArray};
    use datafusion::arrow::datatypes::{Field, Schema};

    use super::*;

    #[test]
    fn rows_are_measured_where_one_may_be_large() {
        let of = |texts: &[usize]| {
            let fields = vec![Field::new("n", DataType::Int32, false), Field::new("s", DataType::Utf8, false)];
            let texts: StringArray = texts.iter().map(|bytes| Some("x".repeat(*bytes))).collect();
            let numbers = Int32Array::from(vec![1; texts.len()]);
            let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), vec![Arc::new(numbers), Arc::new(texts)]);
            let batch = batch.expect("two columns");
            let row_bytes = RowBytes::of(&batch);
            (0..batch.num_rows()).map(|row| row_bytes.of_row(&batch, row)).collect::<Vec<_>>()
        };
        assert_eq!(of(&[10, 30]), [30, 30], "the average, with the offsets");
        assert_eq!(of(&[0, 5000]), [16, 5016]);
        let mut many = vec![0; 2000];
        many.push(600 << 10);
        assert_eq!(of(&many)[1999..], [16, (600 << 10) + 16]);
    }
}
