//! SQL Server's numbers and texts for what goes wrong in the file of a bulk load.

use std::io;

use crate::error::SqlError;

/// 4834
#[must_use]
pub fn bulk_not_permitted() -> SqlError {
    SqlError::of(4834, 1, &[])
}

/// 4860
#[must_use]
pub fn no_bulk_file(file: &str) -> SqlError {
    SqlError::of(4860, 1, &[&file])
}

/// 4861
#[must_use]
pub fn bulk_file_not_opened(file: &str, cause: &io::Error) -> SqlError {
    let cause = of_system(cause);
    SqlError::of(4861, 1, &[&file, &cause])
}

/// 4862
#[must_use]
pub fn bulk_file_not_read(file: &str, cause: &io::Error) -> SqlError {
    let cause = of_system(cause);
    SqlError::of(4862, 1, &[&file, &cause])
}

/// `13(Permission denied)`
fn of_system(cause: &io::Error) -> String {
    let text = cause.to_string();
    match cause.raw_os_error() {
        Some(code) => format!("{code}({})", text.trim_end_matches(&format!(" (os error {code})"))),
        None => format!("22({text})"),
    }
}

/// 4819
#[must_use]
pub fn not_sorted(first: &str, second: &str) -> SqlError {
    SqlError::of(4819, 1, &[&first, &second])
}

/// 4832
#[must_use]
pub fn bulk_file_ends() -> SqlError {
    SqlError::of(4832, 1, &[])
}

/// A field of a file: its row from 1, its column from 1.
#[derive(Clone, Copy, Debug)]
pub struct FieldPlace<'a> {
    /// Row.
    pub row: u64,
    /// Column.
    pub column: usize,
    /// The column's name.
    pub name: &'a str,
}

/// 4863
#[must_use]
pub fn bulk_truncation(place: FieldPlace<'_>) -> SqlError {
    SqlError::of(4863, 1, &[&place.row, &place.column, &place.name])
}

/// 4864
#[must_use]
pub fn bulk_mismatch(place: FieldPlace<'_>) -> SqlError {
    SqlError::of(4864, 1, &[&place.row, &place.column, &place.name])
}

/// 4865
#[must_use]
pub fn bulk_errors_exceeded(max: u64) -> SqlError {
    SqlError::of(4865, 1, &[&max])
}

/// 4866
#[must_use]
pub fn bulk_column_too_long(place: FieldPlace<'_>) -> SqlError {
    let FieldPlace { row, column, .. } = place;
    SqlError::of(4866, 1, &[&row, &column])
}

/// 4867
#[must_use]
pub fn bulk_overflow(place: FieldPlace<'_>) -> SqlError {
    SqlError::of(4867, 1, &[&place.row, &place.column, &place.name])
}

/// 4869
#[must_use]
pub fn bulk_null(place: FieldPlace<'_>) -> SqlError {
    let FieldPlace { row, column, name } = place;
    SqlError::of(4869, 1, &[&row, &column, &name])
}

/// 4879
#[must_use]
pub fn bulk_malformed(file: &str, place: FieldPlace<'_>) -> SqlError {
    let FieldPlace { row, column, .. } = place;
    SqlError::of(4879, 1, &[&file, &row, &column])
}

/// Whether the error is one of reading rows from a file, which two more follow.
#[must_use]
pub fn is_of_bulk_rows(error: &SqlError) -> bool {
    matches!(error.number, 4832 | 4862 | 4865 | 4866 | 4869 | 4879)
}

/// Whether the error is sent without 3621: nothing of the statement was under way, or the two that follow say so.
#[must_use]
pub fn is_of_bulk_file(error: &SqlError) -> bool {
    is_of_bulk_rows(error) || matches!(error.number, super::MISSING | 4834 | 4860 | 4861 | 7330)
}

/// 7399
#[must_use]
pub fn bulk_provider_failed() -> SqlError {
    SqlError::of(7399, 1, &[])
}

/// 7330
#[must_use]
pub fn bulk_row_not_fetched() -> SqlError {
    SqlError::of(7330, 2, &[])
}
