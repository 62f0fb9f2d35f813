//! How wide rows are, by their types, and how many of them go together.

use millpond_types::SqlType;

/// Bytes that a batch should not exceed by much.
const BATCH_BYTES: usize = 256 << 10;

/// A batch ends when it has so many bytes of rows with values beyond their records.
pub(crate) const LARGE_BYTES_MAX: usize = 1 << 20;

/// Fewer rows are not worth an operator's work.
const ROWS_MIN: usize = 32;

/// What is supposed of values that lie beyond their rows.
pub(crate) const LARGE_BYTES: usize = 4096;

/// Rows of a batch, of at most `most`, when a row has about so many bytes.
pub(crate) fn batch_rows(row_bytes: usize, most: usize) -> usize {
    (BATCH_BYTES / row_bytes.max(1)).max(ROWS_MIN).min(most)
}

/// About so many bytes a row of these types has in arrays: texts of variable length are supposed to be half full.
pub(crate) fn row_bytes<'a>(types: impl IntoIterator<Item = &'a SqlType>) -> usize {
    let one = |ty: &SqlType| match ty.max_bytes() {
        Some(bytes) if ty.is_variable_length() => bytes as usize / 2 + 4,
        Some(bytes) => (bytes as usize).max(4),
        None => LARGE_BYTES,
    };
    types.into_iter().map(one).sum()
}
