//! Rows that come from outside of the server, in the order in which they come.

use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_message::sink::Sink;
use millpond_types::{SqlType, Value};

/// Rows that are stored as they come.
pub trait Incoming {
    /// Types of the values, by column of the source.
    ///
    /// # Errors
    /// Of a source that is none.
    fn types(&mut self, ctx: &RunContext) -> SqlResult<Vec<SqlType>>;

    /// Makes `row` the next one; whether there was one. Messages about rows that are passed over go to `sink`.
    ///
    /// # Errors
    /// Of the source; 3617 for a cancellation.
    fn next_row(&mut self, ctx: &RunContext, sink: &mut dyn Sink, row: &mut Vec<Value>) -> SqlResult<bool>;
}
