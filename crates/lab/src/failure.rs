//! Why an experiment could not be run to its end.

use crate::link::LinkError;

/// Why an experiment ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// The server does not start.
    #[error("{0}")]
    Start(String),
    /// The server did not stop well.
    #[error("the server did not write everything at its end: {0}")]
    Stop(String),
    /// The connection or a statement failed; `doing` says which.
    #[error("{doing}: {source}")]
    Link {
        /// What was being done.
        doing: String,
        /// Why it failed.
        source: LinkError,
    },
    /// The server answered something else than was asked for.
    #[error("{0}")]
    Answer(String),
    /// A file of results.
    #[error("{path}: {source}")]
    Output {
        /// Which.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// Arguments that do not go together.
    #[error("{0}")]
    Arguments(String),
}

/// Adds what was being done to an error of the connection.
pub(crate) trait Doing<T> {
    /// `doing` is a noun phrase or a statement: it stands before the error.
    fn doing(self, doing: impl Into<String>) -> Result<T, LabError>;
}

impl<T> Doing<T> for Result<T, LinkError> {
    fn doing(self, doing: impl Into<String>) -> Result<T, LabError> {
        self.map_err(|source| LabError::Link { doing: doing.into(), source })
    }
}
