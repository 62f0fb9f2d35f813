//! The table of messages: number, severity, what an error of the number ends, and text. Nothing else makes numbered errors
//! and messages ([`SqlError::of`](crate::error::SqlError::of), [`Message::of`](crate::sink::Message::of)); `sys.messages`
//! lists it.
//!
//! ```text
//!   Statement < Scope < Batch < Transaction < Connection        what an error ends: each ends what stands before it too
//! ```
//! What always holds, by the tests beside it:
//! - K1: the rows of both files are sorted, each number stands once, and each text is one that [`template`](crate::template) reads.
//! - K2: a number that the source makes has a row, its arguments are as many as the text has places, and each row has a place in the
//!   source that makes it. RAISERROR and THROW give severities and texts of their own; [`ends`](crate::class::ends) knows those from 20 on.
//! - K3: an error of binding is one that SQL Server finds when it compiles: a module that has it is not made, and no TRY of the level
//!   where it is found sees it.
//! - K4: a number has one text. What differs is an argument, as in SQL Server's own texts, whose form this is: `%.*ls`, `%d`, `%S_MSG`.

pub use crate::row::{Ends, Row};

mod below_5000;
mod from_5000;

/// The row of a number; none for a number of a user.
#[must_use]
pub fn row(number: i32) -> Option<&'static Row> {
    let rows = if number < 5000 { below_5000::ROWS } else { from_5000::ROWS };
    rows.binary_search_by_key(&number, |row| row.number).ok().map(|index| &rows[index])
}

/// All rows, by number.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    below_5000::ROWS.iter().chain(from_5000::ROWS)
}

#[cfg(test)]
mod tests;
