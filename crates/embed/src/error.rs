//! Errors: those of statements with SQL Server's number, and those of the program's use of this crate.

use std::fmt;
use std::path::PathBuf;

use millpond_message::error::SqlError;
use millpond_message::sink::Message;
use millpond_types::SqlType;

/// An error of a statement, as SQL Server says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// Number, as in `sys.messages`; 50,000 and above are the user's own.
    pub number: i32,
    /// State, 0–255: distinguishes the places that raise the same number.
    pub state: u8,
    /// Severity, 11–25; from 20 on the connection has ended.
    pub severity: u8,
    /// Line in the text or in the procedure, from 1; 0 where it is of none.
    pub line: u32,
    /// The procedure, function or trigger that it happened in; empty: in the text itself.
    pub procedure: String,
    /// Text.
    pub text: String,
    /// Errors of the same request that came after this one. A statement's error need not end its text.
    pub also: Vec<ServerError>,
}

impl ServerError {
    /// The error that a message of a severity above 10 is.
    pub(crate) fn of(message: &Message) -> ServerError {
        let Message { number, severity, state, line, procedure, text } = message.clone();
        ServerError { number, state, severity, line, procedure, text, also: Vec::new() }
    }

    /// An error that no statement has raised.
    pub(crate) fn numbered(error: SqlError) -> ServerError {
        let SqlError { number, severity, state, line, text, .. } = error;
        ServerError { number, state, severity, line, procedure: String::new(), text, also: Vec::new() }
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ServerError { number, state, severity, line, procedure, text, .. } = self;
        write!(f, "Msg {number}, Level {severity}, State {state}")?;
        if !procedure.is_empty() {
            write!(f, ", Procedure {procedure}")?;
        }
        write!(f, ", Line {line}: {text}")
    }
}

impl std::error::Error for ServerError {}

/// Why a call of this crate failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A statement failed. The connection goes on, unless the severity is 20 or more.
    #[error(transparent)]
    Server(Box<ServerError>),
    /// A [`Canceller`](crate::Canceller) has stopped the request. A transaction that was open still is, unless XACT_ABORT is ON.
    #[error("the request was cancelled")]
    Cancelled,
    /// The connection has ended before: by an error of severity 20 or more, by KILL, or because the instance was shut down.
    #[error("the connection has ended")]
    Ended,
    /// The directory is open already, in this process or in another one.
    #[error("the data directory {} is in use by process {}", directory.display(), pid.map_or("?".into(), |pid| pid.to_string()))]
    InUse {
        /// The directory.
        directory: PathBuf,
        /// The process that has it open, where that is known.
        pid: Option<u32>,
    },
    /// Storage does not open: the text names the file and what is wrong.
    #[error("the instance does not open: {0}")]
    Open(String),
    /// What was committed is safe in the log, but the checkpoint of [`Instance::shutdown`](crate::Instance::shutdown) failed; the next start
    /// takes longer.
    #[error("not everything could be written at the end: {0}")]
    Close(String),
    /// The listener does not start.
    #[error("cannot listen: {0}")]
    Listen(String),
    /// The system has no thread for a connection.
    #[error("no thread for the connection: {0}")]
    Thread(#[from] std::io::Error),
    /// The row has no such column.
    #[error("the row has no column {0}")]
    NoColumn(String),
    /// NULL was read as a type that is no `Option`.
    #[error("column {column} is NULL")]
    Null {
        /// Name of the column, or its number.
        column: String,
    },
    /// A value was read as a Rust type that it does not fit.
    #[error("column {column} of type {found} is not read as {wanted}")]
    Type {
        /// Name of the column, or its number.
        column: String,
        /// Its type.
        found: SqlType,
        /// The Rust type.
        wanted: &'static str,
    },
    /// A text gave no row, or no result set at all, where one was asked for.
    #[error("there is no row")]
    NoRow,
    /// A value that Arrow's type of its column cannot have; the text says which.
    #[error("{0}")]
    Arrow(String),
}

impl Error {
    /// SQL Server's number, of an error of a statement.
    #[must_use]
    pub fn number(&self) -> Option<i32> {
        self.server().map(|error| error.number)
    }

    /// The error of a statement, if it is one.
    #[must_use]
    pub fn server(&self) -> Option<&ServerError> {
        match self {
            Error::Server(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ServerError> for Error {
    fn from(error: ServerError) -> Error {
        Error::Server(Box::new(error))
    }
}
