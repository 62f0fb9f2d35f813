//! The async face: the same connections and results, awaited.
//!
//! What always holds: it needs no runtime and blocks no thread of its caller's, since statements run on the threads of their
//! connections; a future that is dropped before its end cancels its request. It works on tokio and everywhere else.
//!
//! ```
//! use millpond_embedded::{Error, Instance, params};
//!
//! async fn names(instance: &Instance) -> Result<Vec<String>, Error> {
//!     let mut connection = instance.connect_async().await?;
//!     let mut rows = connection.query("select name from sys.databases where database_id < @p1", params![3]).await?;
//!     let mut names = Vec::new();
//!     while let Some(row) = rows.next().await? {
//!         names.push(row.get("name")?);
//!     }
//!     drop(rows);
//!     connection.close().await;
//!     Ok(names)
//! }
//! # let instance = Instance::in_memory().unwrap();
//! # assert_eq!(futures::executor::block_on(names(&instance)).unwrap(), ["master", "tempdb"]);
//! ```

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use millpond_engine::arguments::RpcParam;
use millpond_message::error::SqlError;
use millpond_query::exec::Rpc;
use millpond_types::{MaxLen, SqlType, Value};

use crate::Column;
use crate::error::{Error, ServerError};
use crate::events::{End, Events};
use crate::parameter::Parameter;
use crate::results::{Outcome, Reading};
use crate::row::{Columns, FromSql, Row};
use crate::shared::Inner;
use crate::worker::{Canceller, Worker};

/// Parameters of a call at most, as on the wire.
const PARAMETERS_MAX: usize = 2100;

/// A session of an instance: one request at a time. It has temporary tables, SET options and a transaction of its own.
pub struct AsyncConnection {
    worker: Arc<Worker>,
    // Dropped after the session: the databases close when there are no sessions.
    _instance: Arc<Inner>,
}

impl std::fmt::Debug for AsyncConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AsyncConnection").field("session", &self.worker.session_id()).finish()
    }
}

impl AsyncConnection {
    pub(crate) fn new(worker: Arc<Worker>, instance: Arc<Inner>) -> AsyncConnection {
        AsyncConnection { worker, _instance: instance }
    }

    /// Begins to run a text; [`AsyncResults`] gives what it says, one after the other. With parameters it runs as a client's
    /// `sp_executesql` does: a temporary table that it makes ends with it, and so do its SET options.
    pub fn run(&mut self, text: &str, parameters: &[Parameter]) -> AsyncResults<'_> {
        AsyncResults { reading: self.read(text, parameters), of: PhantomData }
    }

    /// Begins to call a procedure by its name, with parameters by their places or names.
    pub fn call(&mut self, procedure: &str, parameters: &[Parameter]) -> AsyncResults<'_> {
        let params = parameters.iter().map(|parameter| rpc_param(parameter, parameter.name.clone())).collect();
        let reading = self.ask(Rpc { procedure: procedure.to_owned(), params }, true);
        AsyncResults { reading, of: PhantomData }
    }

    /// Runs a text to its end and passes over its rows.
    ///
    /// # Errors
    /// [`Error::Server`] with the first error, also where statements after it ran; [`Error::Cancelled`]; [`Error::Ended`].
    pub async fn execute(&mut self, text: &str, parameters: &[Parameter]) -> Result<Outcome, Error> {
        self.read(text, parameters).finish().await
    }

    /// Runs a text and gives the rows of its first result set as they come.
    ///
    /// # Errors
    /// As [`execute`](AsyncConnection::execute), for what came before the first row; [`Error::NoRow`] where there is no result
    /// set.
    pub async fn query(&mut self, text: &str, parameters: &[Parameter]) -> Result<AsyncRows<'_>, Error> {
        let mut reading = self.read(text, parameters);
        let columns = reading.next_set().await?.ok_or(Error::NoRow)?;
        Ok(AsyncRows { reading, columns, of: PhantomData })
    }

    /// The first row of a text's first result set; the others are passed over. `None` where it has none.
    ///
    /// # Errors
    /// As [`query`](AsyncConnection::query), and those of all that comes after the row.
    pub async fn query_row(&mut self, text: &str, parameters: &[Parameter]) -> Result<Option<Row>, Error> {
        let mut rows = self.query(text, parameters).await?;
        let row = rows.next().await?;
        rows.reading.finish().await?;
        Ok(row)
    }

    /// The first value of the first row.
    ///
    /// # Errors
    /// As [`query_row`](AsyncConnection::query_row); [`Error::NoRow`] where there is no row; as [`Row::get`].
    pub async fn query_value<T: FromSql>(&mut self, text: &str, parameters: &[Parameter]) -> Result<T, Error> {
        self.query_row(text, parameters).await?.ok_or(Error::NoRow)?.get(0)
    }

    /// Begins a transaction, which ends with [`AsyncTransaction::commit`] or is rolled back.
    ///
    /// # Errors
    /// As [`execute`](AsyncConnection::execute).
    pub async fn begin(&mut self) -> Result<AsyncTransaction<'_>, Error> {
        self.execute("BEGIN TRANSACTION", &[]).await?;
        Ok(AsyncTransaction { connection: self, is_over: false })
    }

    /// What stops its requests from elsewhere.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.worker.canceller()
    }

    /// The number of its session (`@@SPID`).
    #[must_use]
    pub fn session_id(&self) -> u16 {
        self.worker.session_id()
    }

    /// Ends the session: what it has open is rolled back. A drop does the same, but waits on the thread that drops.
    pub async fn close(self) {
        let worker = Arc::clone(&self.worker);
        worker.close();
        let ended = Arc::<Events>::default();
        let to = Arc::clone(&ended);
        let waiting = std::thread::Builder::new().spawn(move || {
            worker.join();
            to.end(End::Whole);
        });
        if waiting.is_ok() {
            let _ = std::future::poll_fn(|context| ended.poll_next(context)).await;
        }
    }

    pub(crate) fn read(&mut self, text: &str, parameters: &[Parameter]) -> Reading {
        if parameters.is_empty() {
            return Reading::new(&self.worker, self.worker.batch(text), false);
        }
        self.ask(run_text(text, parameters), false)
    }

    fn ask(&mut self, call: Rpc, is_call: bool) -> Reading {
        if call.params.len() > PARAMETERS_MAX {
            let events = Arc::<Events>::default();
            let error = ServerError::numbered(SqlError::of(8003, 1, &[&PARAMETERS_MAX]));
            events.end(End::Failed(error.into()));
            return Reading::new(&self.worker, events, is_call);
        }
        Reading::new(&self.worker, self.worker.call(call), is_call)
    }
}

impl Drop for AsyncConnection {
    /// Ends the session, and waits for that: as long as a cancellation takes.
    fn drop(&mut self) {
        self.worker.close();
        self.worker.join();
    }
}

/// The call of `sp_executesql` that runs a text with parameters.
fn run_text(text: &str, parameters: &[Parameter]) -> Rpc {
    let text_param = |text: String| RpcParam {
        name: String::new(),
        sql_type: SqlType::NVarChar { len: MaxLen::Max },
        value: Some(Value::from(text)),
        output: false,
        table: None,
    };
    let named = (1..).zip(parameters).map(|(place, parameter)| match parameter.name.as_str() {
        "" => (format!("@p{place}"), parameter),
        name => (name.to_owned(), parameter),
    });
    let named: Vec<(String, &Parameter)> = named.collect();
    let declared = named.iter().map(|(name, parameter)| {
        let output = if parameter.is_output { " output" } else { "" };
        format!("{name} {}{output}", parameter.sql_type)
    });
    let declared = declared.collect::<Vec<_>>().join(", ");
    let mut params = vec![text_param(text.to_owned()), text_param(declared)];
    params.extend(named.into_iter().map(|(name, parameter)| rpc_param(parameter, name)));
    Rpc { procedure: "sp_executesql".to_owned(), params }
}

fn rpc_param(parameter: &Parameter, name: String) -> RpcParam {
    let Parameter { sql_type, value, is_output, .. } = parameter;
    RpcParam { name, sql_type: *sql_type, value: Some(value.clone()), output: *is_output, table: None }
}

/// What a request says, one after the other: result sets, and beside them messages, counts and errors. Where it is dropped before the
/// end, the request is cancelled.
pub struct AsyncResults<'c> {
    reading: Reading,
    of: PhantomData<&'c mut AsyncConnection>,
}

impl AsyncResults<'_> {
    /// Goes on to the next result set; what is left of the one before is passed over. `None` at the end.
    ///
    /// # Errors
    /// [`Error::Server`] for an error of a statement: the next call goes on after it. Others as of
    /// [`AsyncConnection::execute`].
    pub async fn next_set(&mut self) -> Result<Option<AsyncResultSet<'_>>, Error> {
        let columns = self.reading.next_set().await?;
        Ok(columns.map(|columns| AsyncResultSet { reading: &mut self.reading, columns }))
    }

    /// What was said so far beside rows.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        self.reading.outcome()
    }

    /// Reads to the end and passes over rows.
    ///
    /// # Errors
    /// The first error that was not given yet, with those after it.
    pub async fn finish(mut self) -> Result<Outcome, Error> {
        self.reading.finish().await
    }
}

/// A result set whose rows come.
pub struct AsyncResultSet<'r> {
    reading: &'r mut Reading,
    columns: Arc<Columns>,
}

impl AsyncResultSet<'_> {
    /// Its columns, in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns.0
    }

    /// The next row; `None` at the end of the set.
    ///
    /// # Errors
    /// As [`AsyncResults::next_set`].
    pub async fn next(&mut self) -> Result<Option<Row>, Error> {
        self.reading.next_row().await
    }

    /// The next rows, as many as came together (1,024 at most); `None` at the end of the set.
    ///
    /// # Errors
    /// As [`AsyncResults::next_set`].
    pub async fn next_rows(&mut self) -> Result<Option<Vec<Row>>, Error> {
        self.reading.next_rows().await
    }
}

/// The rows of a text's first result set. At their end all else of the text has run. Where they are dropped before, it is
/// cancelled.
pub struct AsyncRows<'c> {
    reading: Reading,
    columns: Arc<Columns>,
    of: PhantomData<&'c mut AsyncConnection>,
}

impl AsyncRows<'_> {
    /// Their columns, in order.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns.0
    }

    /// The next row; `None` at the end.
    ///
    /// # Errors
    /// As [`AsyncConnection::execute`]; no row comes after an error.
    pub async fn next(&mut self) -> Result<Option<Row>, Error> {
        if let Some(row) = self.reading.next_row().await? {
            return Ok(Some(row));
        }
        self.reading.finish().await?;
        Ok(None)
    }

    /// The next rows, as many as came together (1,024 at most); `None` at the end.
    ///
    /// # Errors
    /// As [`next`](AsyncRows::next).
    pub async fn next_rows(&mut self) -> Result<Option<Vec<Row>>, Error> {
        if let Some(rows) = self.reading.next_rows().await? {
            return Ok(Some(rows));
        }
        self.reading.finish().await?;
        Ok(None)
    }
}

/// A transaction of a connection; it is used as the connection is. Where it is dropped without an end it is rolled back before
/// the connection's next request.
pub struct AsyncTransaction<'c> {
    connection: &'c mut AsyncConnection,
    is_over: bool,
}

/// Ends a transaction that its statements may have ended already.
pub(crate) const ROLLBACK: &str = "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION";

impl AsyncTransaction<'_> {
    /// Makes its changes durable.
    ///
    /// # Errors
    /// As [`AsyncConnection::execute`]; 3902 where a statement has ended it already. It is over in any case.
    pub async fn commit(mut self) -> Result<(), Error> {
        let committed = self.connection.execute("COMMIT TRANSACTION", &[]).await;
        self.is_over = committed.is_ok();
        committed.map(drop)
    }

    /// Undoes its changes.
    ///
    /// # Errors
    /// As [`AsyncConnection::execute`].
    pub async fn rollback(mut self) -> Result<(), Error> {
        self.is_over = true;
        self.connection.execute(ROLLBACK, &[]).await.map(drop)
    }
}

impl Drop for AsyncTransaction<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            // The connection's next request runs after it. Its few messages fit into the queue, so it needs no reader.
            drop(self.connection.worker.batch(ROLLBACK));
        }
    }
}

impl Deref for AsyncTransaction<'_> {
    type Target = AsyncConnection;

    fn deref(&self) -> &AsyncConnection {
        self.connection
    }
}

impl DerefMut for AsyncTransaction<'_> {
    fn deref_mut(&mut self) -> &mut AsyncConnection {
        self.connection
    }
}
