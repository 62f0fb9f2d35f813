//! What INSERT BULK leaves in its session: the statement that was announced, and the rows that follow it.

use std::sync::Arc;

use millpond_types::{SqlType, Value};

/// Why rows end before their end.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BulkError {
    /// The client gave up, or went.
    #[error("the rows end before their end")]
    Incomplete,
    /// What came are no rows.
    #[error("{0}")]
    Malformed(String),
}

/// Rows as a client sends them.
pub trait BulkRows: Send {
    /// Types of the columns, in the order of INSERT BULK. Waits for them.
    ///
    /// # Errors
    /// [`BulkError`]
    fn types(&mut self) -> Result<Vec<SqlType>, BulkError>;

    /// The next row; none at the end. Waits for it.
    ///
    /// # Errors
    /// [`BulkError`]
    fn next_row(&mut self) -> Result<Option<Vec<Value>>, BulkError>;
}

/// What INSERT BULK leaves in its session.
#[derive(Default)]
pub struct BulkState {
    /// The statement that rows are to follow.
    pub announced: Option<Arc<str>>,
    /// The rows, while the statement runs with them.
    pub rows: Option<Box<dyn BulkRows>>,
}
