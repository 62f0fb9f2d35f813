//! Rows that become one text: FOR JSON, FOR XML.

use std::fmt::Debug;

use millpond_message::error::SqlResult;
use millpond_types::{Value, Watch};

/// What a text of rows looks like.
pub trait RowsAsText: Debug + Send + Sync {
    /// Its name, for plans that are shown.
    fn name(&self) -> &'static str;

    /// A text that has no row yet.
    fn begin(&self) -> Box<dyn TextOfRows>;
}

/// A text that rows are written to, one after the other. Rows that there are none of have no text.
pub trait TextOfRows: Send {
    /// Appends a row.
    ///
    /// # Errors
    /// 701, the cancellation, what does not convert.
    fn row(&mut self, row: &[Value], text: &mut String, watch: Watch<'_>) -> SqlResult<()>;

    /// Appends what stands after the last row.
    fn end(&mut self, text: &mut String);
}
