//! Where results go: the interface between a running statement and its client (a TDS connection, the shell, a test).
//!
//! Calls come in the order in which SQL Server's tokens come: columns, rows, done; messages in between.

use std::fmt::Display;

use millpond_types::{Collation, SqlType, Value};

use crate::error::SqlError;

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name; empty for an expression without alias.
    pub name: String,
    /// Type.
    pub sql_type: SqlType,
    /// Collation when it is a string.
    pub collation: Collation,
    /// Whether NULL may come.
    pub nullable: bool,
    /// Where its values are from.
    pub source: ColumnSource,
}

/// Where the values of a result's column are from: clients that load rows leave out what the server fills itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnSource {
    /// A table's column, as it is.
    #[default]
    Stored,
    /// A table's column with IDENTITY.
    Identity,
    /// An expression, or a computed column.
    Computed,
    /// The status of an API cursor's row, which clients do not show.
    RowStatus,
}

/// Where the columns of a result are from, as clients ask that write changes through a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins {
    /// Names of tables, in parts.
    pub tables: Vec<Vec<String>>,
    /// For each column.
    pub columns: Vec<ColumnOrigin>,
}

/// Where one column is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnOrigin {
    /// The number of its table, from 1; 0 for none.
    pub table: u8,
    /// It is computed.
    pub is_expression: bool,
    /// It is of the key by which the row is found.
    pub is_key: bool,
    /// It is not one of the query.
    pub is_hidden: bool,
    /// The table's name for it, where that is another one.
    pub name: Option<String>,
}

impl Column {
    /// A column of the default collation, where NULL may come.
    #[must_use]
    pub fn new(name: impl Into<String>, sql_type: SqlType) -> Column {
        let collation = Collation::default().in_page(sql_type.page());
        Column { name: name.into(), sql_type, collation, nullable: true, source: ColumnSource::Stored }
    }
}

/// An error (severity above 10) or an information message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// SQL Server's number.
    pub number: i32,
    /// 0–25.
    pub severity: u8,
    /// State.
    pub state: u8,
    /// Line in the batch or procedure, from 1.
    pub line: u32,
    /// Procedure, or empty.
    pub procedure: String,
    /// Text.
    pub text: String,
}

impl Message {
    /// The message of a number, which informs: text and arguments as of [`SqlError::of`]. It is sent with severity 0
    /// whatever its row says, as SQL Server does.
    #[must_use]
    pub fn of(number: i32, args: &[&dyn Display]) -> Message {
        let SqlError { number, state, text, .. } = SqlError::of(number, 1, args);
        Message { number, severity: 0, state, line: 0, procedure: String::new(), text }
    }

    /// A text without a number.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Message {
        Message { number: 0, severity: 0, state: 1, line: 0, procedure: String::new(), text: text.into() }
    }
}

/// What kind of thing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoneKind {
    /// A statement of a batch.
    Statement,
    /// A statement inside a procedure.
    InProcedure,
    /// A procedure.
    Procedure,
}

/// End of a statement or procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// What ended.
    pub kind: DoneKind,
    /// Rows affected or returned; `None` under NOCOUNT and for statements that count nothing.
    pub row_count: Option<u64>,
    /// The statement failed.
    pub error: bool,
    /// The command's number for the DONE token (SELECT 0xC1, INSERT 0xC3, DELETE 0xC4, UPDATE 0xC5, others 0).
    pub command: u16,
}

/// A change of the session that clients track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvChange {
    /// USE.
    Database {
        /// New name.
        new: String,
        /// Old name.
        old: String,
    },
    /// USE of a database of another collation, with the new one.
    Collation(Collation),
    /// SET LANGUAGE.
    Language {
        /// New name.
        new: String,
        /// Old name.
        old: String,
    },
    /// A transaction began; its descriptor.
    BeginTransaction(u64),
    /// It was committed.
    CommitTransaction(u64),
    /// It was rolled back.
    RollbackTransaction(u64),
}

/// The receiver is gone: the statement stops quietly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SinkClosed;

/// Receiver of results.
pub trait Sink {
    /// A result set begins.
    ///
    /// # Errors
    /// [`SinkClosed`].
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed>;
    /// A row of it.
    ///
    /// # Errors
    /// [`SinkClosed`].
    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed>;
    /// A message.
    fn message(&mut self, message: &Message);
    /// Something ended.
    fn done(&mut self, done: Done);
    /// The session changed.
    fn env_change(&mut self, change: &EnvChange);
    /// A procedure's return status.
    fn return_status(&mut self, status: i32);
    /// An OUTPUT parameter of an RPC: its name, type and value.
    fn return_value(&mut self, name: &str, sql_type: SqlType, value: &Value);
    /// Where the columns that were announced last are from.
    fn origins(&mut self, _origins: &Origins) {}
    /// Sends what is gathered (RAISERROR WITH NOWAIT).
    fn flush(&mut self) {}
    /// After [`SinkClosed`]: the error of the statement that sent what is not taken; none where the receiver is gone. It is
    /// given once.
    fn refusal(&mut self) -> Option<SqlError> {
        None
    }
}

/// Takes results and messages and keeps none of them: for work of the server's own that no client asked for.
#[derive(Clone, Copy, Debug)]
pub struct Nowhere;

impl Sink for Nowhere {
    fn columns(&mut self, _columns: &[Column]) -> Result<(), SinkClosed> {
        Ok(())
    }

    fn row(&mut self, _values: &[Value]) -> Result<(), SinkClosed> {
        Ok(())
    }

    fn message(&mut self, _message: &Message) {}

    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

/// Hands messages on, and takes no results: for work of the server's own whose messages count.
pub struct OnlyMessages<F>(pub F);

impl<F: FnMut(&Message)> Sink for OnlyMessages<F> {
    fn columns(&mut self, _columns: &[Column]) -> Result<(), SinkClosed> {
        Ok(())
    }

    fn row(&mut self, _values: &[Value]) -> Result<(), SinkClosed> {
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        (self.0)(message);
    }

    fn done(&mut self, _done: Done) {}

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}
