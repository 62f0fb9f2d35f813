//! Functions whose values are rows, made one after the other: OPENJSON. Those that the binder makes of what a text says of
//! their columns are objects; functions that are the same in every text are
//! [`TableFunctionDef`](crate::function_def::TableFunctionDef).

use std::fmt::Debug;

use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::run::Run;

/// What rows are made by.
pub trait Unfold: Debug + Send + Sync {
    /// Its name, for plans that are shown.
    fn name(&self) -> &'static str;

    /// The rows of some arguments.
    ///
    /// # Errors
    /// What is wrong with the arguments.
    fn open(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Box<dyn UnfoldedRows>>;
}

/// Rows on their way.
pub trait UnfoldedRows: Send {
    /// The next row; none after the last one.
    ///
    /// # Errors
    /// What is wrong with the row, or on the way to it; the cancellation.
    fn next(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>>;
}
