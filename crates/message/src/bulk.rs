//! SQL Server's numbers and texts for what goes wrong in the file of a bulk load.

use std::io;

use super::error;
use crate::error::SqlError;

/// 4834
#[must_use]
pub fn bulk_not_permitted() -> SqlError {
    error(4834, "You do not have permission to use the bulk load statement.")
}

/// 4860
#[must_use]
pub fn no_bulk_file(file: &str) -> SqlError {
    error(4860, format!("Cannot bulk load. The file \"{file}\" does not exist or you don't have file access rights."))
}

/// 4861
#[must_use]
pub fn bulk_file_not_opened(file: &str, cause: &io::Error) -> SqlError {
    let cause = of_system(cause);
    error(
        4861,
        format!(
            "Cannot bulk load because the file \"{file}\" could not be opened. Operating system error code {cause}."
        ),
    )
}

/// 4862
#[must_use]
pub fn bulk_file_not_read(file: &str, cause: &io::Error) -> SqlError {
    let cause = of_system(cause);
    error(
        4862,
        format!("Cannot bulk load because the file \"{file}\" could not be read. Operating system error code {cause}."),
    )
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
    error(
        4819,
        format!(
            "Cannot bulk load. The bulk data stream was incorrectly specified as sorted or the data violates a uniqueness constraint imposed by the target table. Sort order incorrect for the following two rows: primary key of first row: ({first}), primary key of second row: ({second})."
        ),
    )
}

/// 4830
pub const NOT_CHAR: (i32, &str) = (
    4830,
    "Bulk load: DataFileType was incorrectly specified as char. DataFileType will be assumed to be widechar because the data file has a Unicode signature.",
);

/// 4831
pub const NOT_WIDE: (i32, &str) = (
    4831,
    "Bulk load: DataFileType was incorrectly specified as widechar. DataFileType will be assumed to be char because the data file does not have a Unicode signature.",
);

/// 4832
#[must_use]
pub fn bulk_file_ends() -> SqlError {
    error(4832, "Bulk load: An unexpected end of file was encountered in the data file.")
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

fn at(place: FieldPlace<'_>) -> String {
    format!("for row {}, column {} ({}).", place.row, place.column, place.name)
}

/// 4863
#[must_use]
pub fn bulk_truncation(place: FieldPlace<'_>) -> SqlError {
    error(4863, format!("Bulk load data conversion error (truncation) {}", at(place)))
}

/// 4864
#[must_use]
pub fn bulk_mismatch(place: FieldPlace<'_>) -> SqlError {
    let what = "type mismatch or invalid character for the specified codepage";
    error(4864, format!("Bulk load data conversion error ({what}) {}", at(place)))
}

/// 4865
#[must_use]
pub fn bulk_errors_exceeded(max: u64) -> SqlError {
    error(4865, format!("Cannot bulk load because the maximum number of errors ({max}) was exceeded."))
}

/// 4866
#[must_use]
pub fn bulk_column_too_long(place: FieldPlace<'_>) -> SqlError {
    let FieldPlace { row, column, .. } = place;
    error(
        4866,
        format!(
            "The bulk load failed. The column is too long in the data file for row {row}, column {column}. Verify that the field terminator and row terminator are specified correctly."
        ),
    )
}

/// 4867
#[must_use]
pub fn bulk_overflow(place: FieldPlace<'_>) -> SqlError {
    error(4867, format!("Bulk load data conversion error (overflow) {}", at(place)))
}

/// 4869
#[must_use]
pub fn bulk_null(place: FieldPlace<'_>) -> SqlError {
    let FieldPlace { row, column, name } = place;
    error(
        4869,
        format!(
            "The bulk load failed. Unexpected NULL value in data file row {row}, column {column}. The destination column ({name}) is defined as NOT NULL."
        ),
    )
}

/// 4879
#[must_use]
pub fn bulk_malformed(file: &str, place: FieldPlace<'_>) -> SqlError {
    let FieldPlace { row, column, .. } = place;
    error(
        4879,
        format!("Bulk load failed due to invalid column value in CSV data file {file} in row {row}, column {column}."),
    )
}

/// Whether the error is one of reading rows from a file, which two more follow.
#[must_use]
pub fn is_of_bulk_rows(error: &SqlError) -> bool {
    matches!(error.number, 4832 | 4862 | 4865 | 4866 | 4869 | 4879)
}

/// Whether the error is told without 3621: nothing of the statement was under way, or the two that follow say so.
#[must_use]
pub fn is_of_bulk_file(error: &SqlError) -> bool {
    is_of_bulk_rows(error) || matches!(error.number, super::MISSING | 4834 | 4860 | 4861 | 7330)
}

/// 7399
#[must_use]
pub fn bulk_provider_failed() -> SqlError {
    error(
        7399,
        "The OLE DB provider \"BULK\" for linked server \"(null)\" reported an error. The provider did not give any information about the error.",
    )
}

/// 7330
#[must_use]
pub fn bulk_row_not_fetched() -> SqlError {
    SqlError::new(7330, 16, 2, "Cannot fetch a row from OLE DB provider \"BULK\" for linked server \"(null)\".")
}
