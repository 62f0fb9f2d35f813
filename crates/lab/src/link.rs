//! A session on a server: text and calls out, answers back, blocking.
//!
//! What always holds: an answer is read to its end before its caller gets it, so that the session is ready for the next
//! request even after an error; the first error of an answer is the answer.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};

use millpond_tds::client::{Client, ClientEncryption, ClientError, ConnectOptions};
use millpond_tds::rpc::{ProcId, Procedure, RpcOptions, RpcParameter, RpcRequest};
use millpond_tds::tls::CertificateCheck;
use millpond_tds::token::ServerMessage;
use millpond_tds::{ColumnMeta, Event};
use millpond_types::{MaxLen, SqlType, Value};

/// Number of "deadlock victim".
pub const DEADLOCK: i32 = 1205;
/// Number of "snapshot update conflict".
pub const SNAPSHOT_CONFLICT: i32 = 3960;

/// Where to log in, and with which login.
#[derive(Clone, Debug)]
pub struct Target {
    /// Name or address.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Login.
    pub user: String,
    /// Its password.
    pub password: String,
    /// Whether the session is encrypted; any certificate will do.
    pub tls: bool,
}

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// There is no connection to the server.
    #[error("cannot connect: {0}")]
    Connect(#[from] io::Error),
    /// The connection broke or was refused.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The server says no.
    #[error("Msg {}, Level {}, State {}{}, Line {}: {}", .0.number, .0.severity, .0.state, procedure_of(.0), .0.line, .0.message)]
    Sql(Box<ServerMessage>),
    /// A server of another protocol says no.
    #[error("{code}: {message}")]
    Foreign {
        /// What it calls the error, as SQLSTATE 40P01.
        code: String,
        /// Its words.
        message: String,
        /// Whether the same transaction may succeed when it is tried again.
        is_retryable: bool,
    },
}

fn procedure_of(message: &ServerMessage) -> String {
    if message.procedure.is_empty() { String::new() } else { format!(", Procedure {}", message.procedure) }
}

impl LinkError {
    /// The server's number, if it is the server that failed.
    #[must_use]
    pub fn number(&self) -> Option<i32> {
        match self {
            Self::Sql(message) => Some(message.number),
            Self::Connect(_) | Self::Client(_) | Self::Foreign { .. } => None,
        }
    }

    /// What errors of the same kind have in common; empty for a broken connection.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::Sql(message) => message.number.to_string(),
            Self::Foreign { code, .. } => code.clone(),
            Self::Connect(_) | Self::Client(_) => String::new(),
        }
    }

    /// Whether the same transaction may succeed when it is tried again.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Foreign { is_retryable, .. } => *is_retryable,
            _ => matches!(self.number(), Some(DEADLOCK | SNAPSHOT_CONFLICT)),
        }
    }
}

/// Rows of one statement.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Columns.
    pub columns: Vec<ColumnMeta>,
    /// Rows.
    pub rows: Vec<Vec<Value>>,
}

/// What came back.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// Results in their order.
    pub tables: Vec<Table>,
    /// RETURN of the procedure.
    pub status: Option<i32>,
    /// Output parameters in their order.
    pub outputs: Vec<Value>,
}

impl Answer {
    /// The first value of the first row of the first result.
    #[must_use]
    pub fn scalar(&self) -> Option<&Value> {
        self.tables.first()?.rows.first()?.first()
    }
}

/// A session.
#[derive(Debug)]
pub struct Link {
    client: Client<TcpStream>,
}

impl Link {
    /// Connects and logs in; `database` may be empty for the login's default.
    ///
    /// # Errors
    /// [`LinkError`].
    pub fn open(target: &Target, database: &str) -> Result<Self, LinkError> {
        let stream = dial(target)?;
        let options = ConnectOptions {
            server: target.host.clone(),
            user: target.user.clone(),
            password: target.password.clone(),
            database: database.into(),
            application: "millpond lab".into(),
            encryption: if target.tls { ClientEncryption::Mandatory } else { ClientEncryption::Disabled },
            certificate: CertificateCheck::TrustAny,
            ..ConnectOptions::default()
        };
        Ok(Self { client: Client::connect(stream, &options)? })
    }

    /// Runs a batch and gives everything it returned.
    ///
    /// # Errors
    /// The first error message, or that of the connection.
    pub fn batch(&mut self, text: &str) -> Result<Answer, LinkError> {
        gather(self.client.batch(text)?)
    }

    /// Runs statements that change rows as one transaction.
    ///
    /// # Errors
    /// As [`Link::batch`]; nothing has changed then.
    pub fn transaction(&mut self, statements: &str) -> Result<(), LinkError> {
        let text =
            format!("set nocount on;\nset xact_abort on;\nbegin transaction;\n{statements};\ncommit transaction;\n");
        self.batch(&text).map(drop)
    }

    /// Sends rows; `statement` is the INSERT BULK that announces them, with the same columns.
    ///
    /// # Errors
    /// As [`Link::batch`].
    pub fn bulk(&mut self, statement: &str, columns: &[ColumnMeta], rows: &[Vec<Value>]) -> Result<(), LinkError> {
        self.batch(statement)?;
        gather(self.client.bulk(columns, rows.iter().map(Vec::as_slice))?).map(drop)
    }

    /// Calls a procedure by its name.
    ///
    /// # Errors
    /// As [`Link::batch`].
    pub fn call(&mut self, name: &str, parameters: Vec<RpcParameter>) -> Result<Answer, LinkError> {
        let call = RpcRequest {
            procedure: Procedure::Name(name.into()),
            options: RpcOptions::default(),
            parameters,
            no_exec: false,
        };
        gather(self.client.call(&[call])?)
    }

    /// Prepares a statement and runs it, as drivers do with the first execution; the handle is for [`Link::execute`].
    ///
    /// # Errors
    /// As [`Link::batch`].
    pub fn prepare_and_execute(
        &mut self,
        declarations: &str,
        statement: &str,
        values: Vec<RpcParameter>,
    ) -> Result<(i32, Answer), LinkError> {
        let mut handle = RpcParameter::input("", SqlType::Int, Value::Null);
        handle.is_output = true;
        let mut parameters = vec![handle, text(declarations), text(statement)];
        parameters.extend(values);
        let call = RpcRequest::by_number(ProcId::PrepExec, parameters);
        let mut answer = gather(self.client.call(&[call])?)?;
        let handle = if answer.outputs.is_empty() { Value::Null } else { answer.outputs.remove(0) };
        match handle {
            Value::Int(handle) => Ok((handle, answer)),
            other => Err(LinkError::Connect(io::Error::other(format!("sp_prepexec returned the handle {other:?}")))),
        }
    }

    /// Runs a prepared statement.
    ///
    /// # Errors
    /// As [`Link::batch`].
    pub fn execute(&mut self, handle: i32, values: Vec<RpcParameter>) -> Result<Answer, LinkError> {
        let mut parameters = vec![RpcParameter::input("", SqlType::Int, Value::Int(handle))];
        parameters.extend(values);
        gather(self.client.call(&[RpcRequest::by_number(ProcId::Execute, parameters)])?)
    }
}

fn text(text: &str) -> RpcParameter {
    RpcParameter::input("", SqlType::NVarChar { len: MaxLen::Max }, Value::str(text))
}

fn dial(target: &Target) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in (target.host.as_str(), target.port).to_socket_addrs()? {
        match TcpStream::connect(address) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn gather(events: impl Iterator<Item = Result<Event, ClientError>>) -> Result<Answer, LinkError> {
    let mut answer = Answer::default();
    let mut error = None;
    for event in events {
        match event? {
            Event::Columns(columns) if !columns.is_empty() => {
                answer.tables.push(Table { columns, rows: Vec::new() });
            }
            Event::Row(row) => answer.tables.last_mut().expect("columns come before rows").rows.push(row),
            Event::ReturnStatus(status) => answer.status = Some(status),
            Event::ReturnValue(output) => answer.outputs.push(output.value),
            Event::Error(message) if error.is_none() => error = Some(message),
            _ => {}
        }
    }
    match error {
        Some(message) => Err(LinkError::Sql(Box::new(message))),
        None => Ok(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::int;
    use crate::scripted::{Reply, done, serve};

    #[test]
    fn an_answer_is_read_whole() {
        let rows = Reply::Rows(vec![vec![Some(1), None], vec![Some(2)]], 5, vec![9]);
        let (target, server) = serve(vec![rows, done()]);
        let mut link = Link::open(&target, "").unwrap();
        let answer = link.batch("first").unwrap();
        assert_eq!((answer.scalar(), answer.tables.len()), (Some(&Value::Int(1)), 2));
        assert!(answer.tables[0].rows[0][1].is_null());
        assert_eq!((answer.status, answer.outputs), (Some(5), vec![Value::Int(9)]));
        assert!(link.call("dbo.p", vec![int("@a", 3)]).unwrap().scalar().is_none());
        drop(link);
        assert_eq!(server.join().unwrap(), ["first", "dbo.p 3"]);
    }

    #[test]
    fn an_error_is_the_answer_and_the_session_goes_on() {
        let (target, server) = serve(vec![Reply::Error(547), Reply::Error(DEADLOCK)]);
        let mut link = Link::open(&target, "").unwrap();
        let error = link.batch("a").unwrap_err();
        assert_eq!(error.to_string(), "Msg 547, Level 16, State 1, Procedure dbo.p, Line 7: it failed");
        assert_eq!((error.number(), error.is_retryable()), (Some(547), false));
        assert!(link.batch("b").unwrap_err().is_retryable());
        assert!(link.batch("c").is_ok());
        drop(link);
        assert_eq!(server.join().unwrap(), ["a", "b", "c"]);
    }

    #[test]
    fn a_statement_is_prepared_once() {
        let (target, server) = serve(vec![Reply::Rows(vec![vec![Some(1)]], 0, vec![77]), done()]);
        let mut link = Link::open(&target, "").unwrap();
        let (handle, answer) = link.prepare_and_execute("@a int", "select @a", vec![int("@a", 1)]).unwrap();
        assert_eq!((handle, answer.outputs.len()), (77, 0));
        link.execute(handle, vec![int("@a", 2)]).unwrap();
        drop(link);
        assert_eq!(server.join().unwrap(), ["sp_prepexec null @a int select @a 1", "sp_execute 77 2"]);
    }

    #[test]
    fn no_listener_is_an_error() {
        let (mut target, _) = serve(vec![]);
        target.host = "no such host.invalid".into();
        assert!(matches!(Link::open(&target, ""), Err(LinkError::Connect(_))));
    }
}
