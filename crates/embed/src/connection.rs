//! Connections whose calls wait: the async ones, waited for on the thread that calls.

use std::ops::{Deref, DerefMut};

use crate::Column;
use crate::asynchronous::{AsyncConnection, AsyncResultSet, AsyncResults, AsyncRows, ROLLBACK};
use crate::blocking::wait;
use crate::error::Error;
use crate::parameter::Parameter;
use crate::results::Outcome;
use crate::row::{FromSql, Row};
use crate::worker::Canceller;

/// A session of an instance: one request at a time, from any thread. It has temporary tables, SET options and a transaction of its own,
/// and ends when it is dropped: what it has open then is rolled back.
#[derive(Debug)]
pub struct Connection(pub(crate) AsyncConnection);

impl Connection {
    /// Begins to run a text; [`Results`] gives what it says, one after the other. With parameters it runs as a client's
    /// `sp_executesql` does: a temporary table that it makes ends with it, and so do its SET options.
    pub fn run(&mut self, text: &str, parameters: &[Parameter]) -> Results<'_> {
        Results(self.0.run(text, parameters))
    }

    /// Begins to call a procedure by its name, with parameters by their places or names.
    pub fn call(&mut self, procedure: &str, parameters: &[Parameter]) -> Results<'_> {
        Results(self.0.call(procedure, parameters))
    }

    /// Runs a text to its end and passes over its rows.
    ///
    /// # Errors
    /// [`Error::Server`] with the first error, also where statements after it ran; [`Error::Cancelled`]; [`Error::Ended`].
    pub fn execute(&mut self, text: &str, parameters: &[Parameter]) -> Result<Outcome, Error> {
        wait(self.0.execute(text, parameters))
    }

    /// Runs a text and gives the rows of its first result set as they come.
    ///
    /// # Errors
    /// As [`execute`](Connection::execute), for what came before the first row; [`Error::NoRow`] where there is no result set.
    pub fn query(&mut self, text: &str, parameters: &[Parameter]) -> Result<Rows<'_>, Error> {
        Ok(Rows { rows: wait(self.0.query(text, parameters))?, is_over: false })
    }

    /// The first row of a text's first result set; the others are passed over. `None` where it has none.
    ///
    /// # Errors
    /// As [`query`](Connection::query), and those of all that comes after the row.
    pub fn query_row(&mut self, text: &str, parameters: &[Parameter]) -> Result<Option<Row>, Error> {
        wait(self.0.query_row(text, parameters))
    }

    /// The first value of the first row.
    ///
    /// # Errors
    /// As [`query_row`](Connection::query_row); [`Error::NoRow`] where there is no row; as [`Row::get`].
    pub fn query_value<T: FromSql>(&mut self, text: &str, parameters: &[Parameter]) -> Result<T, Error> {
        wait(self.0.query_value(text, parameters))
    }

    /// Begins a transaction, which ends with [`Transaction::commit`] or is rolled back.
    ///
    /// # Errors
    /// As [`execute`](Connection::execute).
    pub fn begin(&mut self) -> Result<Transaction<'_>, Error> {
        self.execute("BEGIN TRANSACTION", &[])?;
        Ok(Transaction { connection: self, is_over: false })
    }

    /// What stops its requests from another thread.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.0.canceller()
    }

    /// The number of its session (`@@SPID`).
    #[must_use]
    pub fn session_id(&self) -> u16 {
        self.0.session_id()
    }

    /// The same connection, awaited.
    #[must_use]
    pub fn into_async(self) -> AsyncConnection {
        self.0
    }
}

/// What a request says, one after the other: result sets, and beside them messages, counts and errors. Where it is dropped before the
/// end, the request is cancelled.
pub struct Results<'c>(AsyncResults<'c>);

impl Results<'_> {
    /// Goes on to the next result set; what is left of the one before is passed over. `None` at the end.
    ///
    /// # Errors
    /// [`Error::Server`] for an error of a statement: the next call goes on after it. Others as of [`Connection::execute`].
    pub fn next_set(&mut self) -> Result<Option<ResultSet<'_>>, Error> {
        Ok(wait(self.0.next_set())?.map(ResultSet))
    }

    /// What was said so far beside rows.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        self.0.outcome()
    }

    /// Reads to the end and passes over rows.
    ///
    /// # Errors
    /// The first error that was not given yet, with those after it.
    pub fn finish(self) -> Result<Outcome, Error> {
        wait(self.0.finish())
    }
}

/// A result set: an iterator over its rows, which come as they are read. An error of a statement is an item; what comes after
/// it ends the set.
pub struct ResultSet<'r>(pub(crate) AsyncResultSet<'r>);

impl ResultSet<'_> {
    /// Its columns, in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        self.0.columns()
    }
}

impl Iterator for ResultSet<'_> {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Result<Row, Error>> {
        wait(self.0.next()).transpose()
    }
}

/// The rows of a text's first result set, as an iterator: rows come as they are read, and none after an error. At the end all
/// else of the text has run. Where they are dropped before, it is cancelled.
pub struct Rows<'c> {
    pub(crate) rows: AsyncRows<'c>,
    is_over: bool,
}

impl Rows<'_> {
    /// Their columns, in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        self.rows.columns()
    }
}

impl Iterator for Rows<'_> {
    type Item = Result<Row, Error>;

    fn next(&mut self) -> Option<Result<Row, Error>> {
        if self.is_over {
            return None;
        }
        let next = wait(self.rows.next()).transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

/// A transaction of a connection; it is used as the connection is. Where it is dropped without an end, in a panic too, it is
/// rolled back.
#[derive(Debug)]
pub struct Transaction<'c> {
    connection: &'c mut Connection,
    is_over: bool,
}

impl Transaction<'_> {
    /// Makes its changes durable.
    ///
    /// # Errors
    /// As [`Connection::execute`]; 3902 where a statement has ended it already. It is over in any case.
    pub fn commit(mut self) -> Result<(), Error> {
        let committed = self.connection.execute("COMMIT TRANSACTION", &[]);
        self.is_over = committed.is_ok();
        committed.map(drop)
    }

    /// Undoes its changes.
    ///
    /// # Errors
    /// As [`Connection::execute`].
    pub fn rollback(mut self) -> Result<(), Error> {
        self.is_over = true;
        self.connection.execute(ROLLBACK, &[]).map(drop)
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            // Where the session has ended it is rolled back already.
            let _ = self.connection.execute(ROLLBACK, &[]);
        }
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl DerefMut for Transaction<'_> {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection
    }
}
