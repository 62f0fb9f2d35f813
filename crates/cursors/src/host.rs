//! What API cursors need of the session that they are of: it runs their texts and moves them.

use std::sync::Arc;

use millpond_code::cursors::{Cursor, CursorRef, Cursors, Move};
use millpond_code::prepared_calls::Prepared;
use millpond_engine::parsed::ParsedBatch;
use millpond_engine::system_call::CallArg;
use millpond_message::error::SqlResult;
use millpond_message::sink::{Column, Origins, Sink};
use millpond_tsql::ast::ObjectName;
use millpond_types::{SqlType, Value};

use crate::kept::{ApiCursors, Room};

/// Where the results of a text go.
pub enum Results<'a> {
    /// To the client.
    Sent,
    /// Here: the columns and rows of the first one. Those that follow are not kept.
    Taken(&'a mut Taken),
}

/// The first result of a text.
#[derive(Default)]
pub struct Taken {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Vec<Value>>,
}

/// How a text has run.
#[derive(Debug, Default)]
pub struct Ran {
    /// @@ERROR after it: the error has gone to the client.
    pub error: i32,
    /// An error, or a cancellation, has ended more than the text.
    pub ends_batch: bool,
    /// The values of its OUTPUT parameters, by the places of their arguments.
    pub outputs: Outputs,
}

/// Values that go back: by the places of arguments, with their types.
pub type Outputs = Vec<(usize, Value, SqlType)>;

impl Ran {
    /// Whether it has done what it was to do.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.error == 0 && !self.ends_batch
    }
}

/// What a cursor's move led to: @@FETCH_STATUS, and the row.
pub type Step = (i32, Option<Vec<Value>>);

/// Moves one cursor, and sends rows meanwhile.
pub trait Mover {
    /// Moves the cursor and looks at the row there as its model sees it; of one that changes rows, what stands in them is noted or
    /// they are locked.
    ///
    /// # Errors
    /// Those of reading, and a cancellation.
    fn step(&mut self, cursor: &mut Cursor, to: Move) -> SqlResult<Step>;

    /// Begins a result; where its columns are from goes with it.
    ///
    /// # Errors
    /// The client is gone, or has refused the result.
    fn columns(&mut self, columns: &[Column], origins: &Origins) -> SqlResult<()>;

    /// Sends a row of it.
    ///
    /// # Errors
    /// Likewise.
    fn row(&mut self, row: &[Value]) -> SqlResult<()>;
}

/// What is done with a cursor that is held.
pub type Work<'a> = &'a mut dyn FnMut(&mut Cursor, &mut dyn Mover) -> SqlResult<()>;

/// A session, as an API cursor sees it.
pub trait Host {
    /// The API cursors of the session.
    fn kept(&mut self) -> &mut ApiCursors;

    /// Its cursors by name.
    fn named(&mut self) -> &mut Cursors;

    /// Text and declarations as sp_prepare takes them.
    ///
    /// # Errors
    /// 214, and what the declarations say.
    fn prepared(&mut self, text: &CallArg, declarations: Option<&CallArg>) -> SqlResult<Prepared>;

    /// Keeps a prepared text under a handle.
    ///
    /// # Errors
    /// 701
    fn keep(&mut self, prepared: Prepared) -> SqlResult<i32>;

    /// The prepared text of a handle.
    ///
    /// # Errors
    /// 8179
    fn kept_text(&mut self, handle: i32) -> SqlResult<Prepared>;

    /// Forgets a prepared text.
    ///
    /// # Errors
    /// 8179
    fn forget_text(&mut self, handle: i32) -> SqlResult<()>;

    /// Binds a text that is prepared; its columns go to the client where it asks for them.
    ///
    /// # Errors
    /// 8180 after the text's own.
    fn compile(&mut self, prepared: &Prepared, wants_columns: bool) -> SqlResult<()>;

    /// The tree of a text.
    ///
    /// # Errors
    /// Those of its syntax.
    fn parse(&mut self, text: &str) -> SqlResult<Arc<ParsedBatch>>;

    /// Whether a procedure is one of the user's with a SELECT as its only statement.
    fn is_single_select(&mut self, procedure: &ObjectName) -> bool;

    /// Runs a text with arguments.
    ///
    /// # Errors
    /// Those of the arguments, before it begins, and one that a TRY of the caller waits for.
    fn run(&mut self, prepared: &Prepared, args: &[CallArg], results: Results<'_>) -> SqlResult<Ran>;

    /// Works with an open cursor as a statement of the session.
    ///
    /// # Errors
    /// Those of the work.
    fn moving(&mut self, cursor: &CursorRef, work: Work<'_>) -> SqlResult<()>;

    /// Memory for so many bytes of rows.
    ///
    /// # Errors
    /// 701
    fn room(&mut self, bytes: usize) -> SqlResult<Room>;

    /// @@IDENTITY
    fn identity(&self) -> Option<i64>;

    /// TEXTSIZE
    fn text_size(&self) -> i32;

    /// Whether a database is the current one.
    fn is_current(&self, database: &str) -> bool;

    /// Where messages go.
    fn sink(&mut self) -> &mut dyn Sink;
}
