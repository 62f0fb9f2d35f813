//! Where TPC-C runs: what a server has to offer so that loader, terminals and conditions can work on it.
//!
//! ```text
//!   TargetDatabase    scripts ─▶ create ─▶ open ─▶ Session    batch   scripts, conditions
//!                                                    insert  rows of the load
//!                                                    call    one of the five transactions, one request
//! ```
//!
//! What always holds: whatever the server, it gets the same rows, the same calls with the same parameters and the same
//! questions after the run. How they travel is not known here.

use millpond_tds::rpc::RpcParameter;

use super::transaction::Kind;
use crate::link::{Answer, LinkError};

/// The texts of a load in the server's own SQL. `GO` on a line of its own parts batches.
#[derive(Clone, Copy, Debug)]
pub struct Scripts {
    /// The nine tables in schema dbo with their primary keys.
    pub schema: &'static str,
    /// What is made after the load.
    pub indexes: &'static str,
    /// The five transactions.
    pub procedures: &'static str,
    /// A query for the server's time, as a text that it takes for a time.
    pub now: &'static str,
}

/// A server, and the name of a database on it.
pub trait TargetDatabase: Sync {
    /// Its sessions.
    type Session: Session;

    /// The server's texts.
    fn scripts(&self) -> Scripts;

    /// Whether the database is there.
    ///
    /// # Errors
    /// Those of the login or the statement, here and below.
    fn exists(&self) -> Result<bool, LinkError>;

    /// Drops the database, which is there.
    ///
    /// # Errors
    /// As [`TargetDatabase::exists`].
    fn drop_database(&self) -> Result<(), LinkError>;

    /// Makes the database, which is not there.
    ///
    /// # Errors
    /// As [`TargetDatabase::exists`].
    fn create_database(&self) -> Result<(), LinkError>;

    /// A session in the database.
    ///
    /// # Errors
    /// As [`TargetDatabase::exists`].
    fn open(&self) -> Result<Self::Session, LinkError>;
}

/// A session in the database of TPC-C.
pub trait Session: Send + 'static {
    /// Runs a batch and gives what it returned.
    ///
    /// # Errors
    /// The first error of the server, or that of the connection, here and below.
    fn batch(&mut self, text: &str) -> Result<Answer, LinkError>;

    /// Runs INSERT statements as one transaction.
    ///
    /// # Errors
    /// As [`Session::batch`].
    fn insert(&mut self, statements: &str) -> Result<(), LinkError>;

    /// Does a transaction in one request. The status of a New-Order is 1 when it rolled back as it was meant to; a
    /// Delivery returns a row for each district, whose second column is NULL where there was nothing to deliver.
    ///
    /// # Errors
    /// As [`Session::batch`]; nothing has changed then.
    fn call(&mut self, kind: Kind, parameters: &[RpcParameter]) -> Result<Answer, LinkError>;
}
