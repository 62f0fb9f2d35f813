//! A server, as a target: TDS over TCP.
//!
//! What always holds: a wait for the server looks up every [`TICK`] whether it was cancelled; a login ends at its
//! deadline. The server's certificate is checked unless `-C` is given or the server is this machine.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_message::sink::{Column, ColumnSource, Message};
use millpond_tds::client::{Client, ClientEncryption, ClientError, ConnectOptions};
use millpond_tds::tls::CertificateCheck;
use millpond_tds::token::{DoneStatus, ServerMessage};
use millpond_tds::{ColumnMeta, Event};

use super::address::Address;
use super::args::{EncryptionChoice, SqlArgs};
use super::roots;
use super::target::{Canceller, Listener, Opener, Target, TargetError};

/// How often a wait looks up.
const TICK: Duration = Duration::from_millis(20);

/// A session on a server.
pub struct Remote {
    client: Client<Line>,
    ended: bool,
    /// How it was made, to make another one.
    made_by: (Address, ConnectOptions, Option<Duration>),
}

impl Remote {
    /// Connects and logs in.
    ///
    /// # Errors
    /// Why there is no session, with the server's name.
    pub fn connect(server: &str, args: &SqlArgs, limit: Option<Duration>) -> Result<Remote, TargetError> {
        let named = Address::parse(server).map_err(TargetError)?;
        let options = options(&named, args)?;
        let address = while_it_is_made(&named).unwrap_or(named);
        Remote::dial(address, options, limit)
    }

    fn dial(address: Address, mut options: ConnectOptions, limit: Option<Duration>) -> Result<Remote, TargetError> {
        let deadline = limit.map(|limit| Instant::now() + limit);
        let Address { host, port } = &address;
        let stream =
            dial(&address, limit).map_err(|error| TargetError(format!("cannot connect to {host},{port}: {error}")))?;
        let line = Line { stream, deadline: Cell::new(deadline) };
        let client = Client::connect(line, &options).map_err(|error| refused(&address, &error))?;
        client.stream().deadline.set(None);
        if let Some(password) = options.new_password.take() {
            options.password = password;
        }
        Ok(Remote { client, ended: false, made_by: (address, options, limit) })
    }
}

/// The private loopback port on which the server listens while the scripts of a container's first start run; none at any other time.
fn while_it_is_made(named: &Address) -> Option<Address> {
    let private = std::env::var(super::INITIALIZATION).ok()?;
    named.is_this_server().then(|| Address::parse(&private).ok()).flatten()
}

fn options(address: &Address, args: &SqlArgs) -> Result<ConnectOptions, TargetError> {
    let user = user(args);
    let password = password(args, &user)
        .ok_or_else(|| TargetError(format!("no password for '{user}': give -P, or set SQLCMDPASSWORD")))?;
    let is_trusted = args.trust_certificate || address.is_loopback();
    Ok(ConnectOptions {
        server: args.certificate_name.clone().unwrap_or_else(|| address.host.clone()),
        user,
        password,
        new_password: args.new_password.clone().or_else(|| args.only_new_password.clone()),
        database: args.database.clone().unwrap_or_default(),
        host: args.workstation.clone().unwrap_or_else(this_machine),
        encryption: match args.encryption {
            None | Some(EncryptionChoice::Optional) => ClientEncryption::Optional,
            Some(EncryptionChoice::Disable) => ClientEncryption::Disabled,
            Some(EncryptionChoice::Mandatory) => ClientEncryption::Mandatory,
            Some(EncryptionChoice::Strict) => ClientEncryption::Strict,
        },
        certificate: if is_trusted {
            CertificateCheck::TrustAny
        } else {
            CertificateCheck::Roots(Arc::new(roots::trusted()))
        },
        packet_bytes: args.packet_bytes.unwrap_or(ConnectOptions::default().packet_bytes),
        ..ConnectOptions::default()
    })
}

/// The login of `-U`, or of the environment.
pub fn user(args: &SqlArgs) -> String {
    args.login.clone().or_else(|| std::env::var("SQLCMDUSER").ok()).unwrap_or_else(|| "sa".into())
}

/// The password of `-P`, of the environment, or the one that is typed at the terminal.
pub fn password(args: &SqlArgs, user: &str) -> Option<String> {
    let asked = || if args.prompts() { super::secret::ask().ok() } else { None };
    let of_sa = || {
        let is_sa = user.eq_ignore_ascii_case("sa");
        std::env::var("MSSQL_SA_PASSWORD").ok().filter(|_| is_sa)
    };
    let environment = || std::env::var("SQLCMDPASSWORD").ok().filter(|_| args.disabled_commands.is_none());
    args.password.clone().or_else(environment).or_else(of_sa).or_else(asked)
}

/// The name of this machine.
pub fn this_machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// Tries all addresses of the name.
fn dial(address: &Address, limit: Option<Duration>) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for socket in (address.host.as_str(), address.port).to_socket_addrs()? {
        let dialled = match limit {
            Some(limit) => TcpStream::connect_timeout(&socket, limit),
            None => TcpStream::connect(socket),
        };
        match dialled {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(TICK))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn refused(address: &Address, error: &ClientError) -> TargetError {
    let Address { host, port } = address;
    TargetError(match error {
        ClientError::Login(messages) => {
            let why: Vec<&str> = messages.iter().map(|message| message.message.as_str()).collect();
            if why.is_empty() {
                format!("{host},{port} refused the login")
            } else {
                format!("{host},{port}: {}", why.join(" "))
            }
        }
        ClientError::Tls(why) => format!("{host},{port}: {why}; -C trusts any certificate"),
        other => format!("{host},{port}: {other}"),
    })
}

impl Target for Remote {
    fn run(&mut self, batch: &str, listener: &mut dyn Listener) -> Result<(), TargetError> {
        let result = run_batch(&mut self.client, batch, listener);
        result.map_err(|error| {
            self.ended = true;
            TargetError(error.to_string())
        })
    }

    fn canceller(&self) -> Canceller {
        let handle = self.client.cancel_handle();
        Arc::new(move || handle.cancel())
    }

    fn is_ended(&self) -> bool {
        self.ended
    }

    fn opener(&self) -> Opener {
        let (address, options, limit) = self.made_by.clone();
        let open = move || -> Result<Box<dyn Target>, TargetError> {
            Ok(Box::new(Remote::dial(address.clone(), options.clone(), limit)?))
        };
        Box::new(open)
    }
}

fn run_batch(client: &mut Client<Line>, batch: &str, listener: &mut dyn Listener) -> Result<(), ClientError> {
    let mut events = client.batch(batch)?;
    while let Some(event) = events.next() {
        let heard = match event? {
            Event::Columns(columns) => listener.columns(&columns_of(columns)),
            Event::Row(values) => listener.row(&values),
            Event::Info(message) | Event::Error(message) => {
                let (message, server) = message_of(message);
                listener.message(&message, &server);
                Ok(())
            }
            Event::Done(done) => {
                let counts = done.status.contains(DoneStatus::COUNT);
                listener.done(counts.then_some(done.row_count));
                Ok(())
            }
            _ => Ok(()),
        };
        if heard.is_err() {
            events.attention()?;
        }
    }
    Ok(())
}

fn columns_of(columns: Vec<ColumnMeta>) -> Vec<Column> {
    columns
        .into_iter()
        .map(|ColumnMeta { name, sql_type, collation, nullable, identity, computed, hidden }| {
            let source = match (identity, computed) {
                (true, _) => ColumnSource::Identity,
                (_, true) if hidden => ColumnSource::RowStatus,
                (_, true) => ColumnSource::Computed,
                _ => ColumnSource::Stored,
            };
            Column { name, sql_type, collation, nullable, source }
        })
        .collect()
}

fn message_of(message: ServerMessage) -> (Message, String) {
    let ServerMessage { number, state, severity, message: text, server, procedure, line } = message;
    (Message { number, severity, state, line, procedure, text }, server)
}

/// A connection whose reads give up at the deadline of the login.
#[derive(Debug)]
struct Line {
    stream: TcpStream,
    deadline: Cell<Option<Instant>>,
}

impl Read for Line {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.stream.read(buffer);
        let is_late = self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline);
        if result.is_err() && is_late {
            // Not a kind of timeout: those mean "look up and try again".
            return Err(io::Error::other("the login took longer than -l allows"));
        }
        result
    }
}

impl Write for Line {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
