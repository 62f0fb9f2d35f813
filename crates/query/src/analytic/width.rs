//! How many rows go together, so that a batch of wide rows is not much larger than one of narrow ones: operators that
//! sort and merge hold several batches at least.

use std::any::Any;
use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use millpond_types::SqlType;

use super::leaf::LeafExec;

/// Bytes that a batch should not exceed by much.
const BATCH_BYTES: usize = 256 << 10;
/// A batch ends when it has so many bytes of rows with values beyond their records.
pub(super) const LARGE_BYTES_MAX: usize = 64 << 20;
/// Fewer rows are not worth an operator's work.
const ROWS_MIN: usize = 32;
/// What is supposed of values that lie beyond their rows.
const LARGE_BYTES: usize = 4096;

/// Rows of a batch, of at most `most`, when a row has about so many bytes.
pub(super) fn batch_rows(row_bytes: usize, most: usize) -> usize {
    (BATCH_BYTES / row_bytes.max(1)).max(ROWS_MIN).min(most)
}

/// About so many bytes a row of these types has in arrays: texts of variable length are supposed to be half full.
pub(super) fn row_bytes<'a>(types: impl IntoIterator<Item = &'a SqlType>) -> usize {
    let one = |ty: &SqlType| match ty.max_bytes() {
        Some(bytes) if ty.is_variable_length() => bytes as usize / 2 + 4,
        Some(bytes) => (bytes as usize).max(4),
        None => LARGE_BYTES,
    };
    types.into_iter().map(one).sum()
}

/// About so many bytes the widest row of a plan has: all columns that its leaves give.
pub(super) fn widest_row_bytes(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let any: &dyn Any = plan.as_ref();
    let own = any.downcast_ref::<LeafExec>().map_or(0, LeafExec::row_bytes);
    own + plan.children().into_iter().map(widest_row_bytes).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_rows_come_in_small_batches() {
        let narrow = row_bytes(&[SqlType::Int, SqlType::BigInt]);
        assert_eq!((narrow, batch_rows(narrow, 4096)), (12, 4096));
        let wide = row_bytes(&[SqlType::Int, SqlType::char(4000)]);
        assert_eq!((wide, batch_rows(wide, 4096)), (4004, 65));
        assert_eq!(row_bytes(&[SqlType::varchar(100)]), 54);
        assert_eq!((batch_rows(1 << 30, 4096), batch_rows(1 << 30, 3)), (32, 3));
    }
}
