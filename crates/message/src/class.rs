//! What an error ends, and whether it is an error of binding: by its number alone, from the table of messages.

use crate::error::SqlError;
use crate::table::Ends::{self, Batch, Connection, Scope, Statement, Transaction};
use crate::table::row;

/// Errors of this severity and above end the connection, and no TRY sees them.
pub const SEVERITY_FATAL: u8 = 20;

/// What `cause` ends. THROW ends the batch whatever its number, a statement that cannot be bound its scope, and a severity
/// of [`SEVERITY_FATAL`] the connection.
#[must_use]
pub fn ends(cause: &SqlError) -> Ends {
    if cause.severity >= SEVERITY_FATAL {
        return Connection;
    }
    let of = |number| row(number).map_or(Statement, |row| row.ends);
    let by_number = cause.earlier().map(|earlier| of(earlier.number)).fold(of(cause.number), Ord::max);
    match cause {
        SqlError { is_thrown: true, .. } => by_number.max(Batch),
        SqlError { is_of_binding: true, .. } => by_number.max(Scope),
        _ => by_number,
    }
}

/// Whether `cause` rolls the transaction back, or dooms it where a TRY catches the error.
#[must_use]
pub fn rolls_back(cause: &SqlError) -> bool {
    ends(cause) >= Transaction
}

/// K3 of the table.
#[must_use]
pub fn is_of_binding(number: i32) -> bool {
    row(number).is_some_and(|row| row.is_of_binding)
}

/// An error as it is when a statement of the running text is bound.
#[must_use]
pub fn when_bound(mut error: SqlError) -> SqlError {
    error.is_of_binding = is_of_binding(error.number);
    error
}
