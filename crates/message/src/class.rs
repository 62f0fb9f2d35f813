//! What an error ends, and whether it is an error of binding: by its number, from the table of messages. One number has two
//! places: a name that is taken ends the transaction, but a text that makes two temporary tables of a name never began.

use crate::error::SqlError;
use crate::table::Ends::{self, Batch, Connection, Scope, Statement, Transaction};
use crate::table::row;

/// Errors of this severity and above end the connection, and no TRY sees them.
pub const SEVERITY_FATAL: u8 = 20;
/// Severity up to which a message only informs.
pub const INFORMATION_MAX: u8 = 10;
/// Errors of this severity and above are logged.
const SEVERITY_LOGGED: u8 = 19;

/// A name that an object has.
const TAKEN: i32 = 2714;
/// Its state where the text itself makes the other object.
pub(crate) const TAKEN_WITHIN: u8 = 1;

/// What `cause` ends. THROW ends the batch whatever its number, a statement that cannot be bound its scope, and a severity
/// of [`SEVERITY_FATAL`] the connection.
#[must_use]
pub fn ends(cause: &SqlError) -> Ends {
    if cause.severity >= SEVERITY_FATAL {
        return Connection;
    }
    let of = |cause: &SqlError| match cause {
        SqlError { number: TAKEN, state: TAKEN_WITHIN, .. } => Scope,
        _ => row(cause.number).map_or(Statement, |row| row.ends),
    };
    let by_number = cause.earlier().map(of).fold(of(cause), Ord::max);
    match cause {
        SqlError { is_thrown: true, .. } => by_number.max(Batch),
        SqlError { is_raised: true, .. } => Statement,
        SqlError { is_of_binding: true, .. } => by_number.max(Scope),
        _ => by_number,
    }
}

/// Whether an error of the server's own goes to the error log each time that a session is told of it.
#[must_use]
pub fn is_logged(cause: &SqlError) -> bool {
    let is_own = !cause.is_raised && !cause.is_thrown;
    is_own && (cause.severity >= SEVERITY_LOGGED || row(cause.number).is_some_and(|row| row.is_logged))
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
