//! Runs `tests/slt/*.slt` twice: through the engine in this process and over TDS against a server.
//!
//! A script is one session. `I` stands for integers and bit, `R` for decimal, money and float, `T` for all others. NULL is
//! `NULL`, an empty text is `(empty)`. An error is `Msg 208, Level 16, State 1, Line 1: text`.

use std::fmt;
use std::net::TcpStream;
use std::path::PathBuf;

use millpond_catalog::run::facts::Login;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_server::{Config, Server, assemble};
use millpond_tds::Event;
use millpond_tds::client::{Client, ConnectOptions};
use millpond_tds::tls::CertificateCheck;
use millpond_tds::token::{DoneStatus, ServerMessage};
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};
use sqllogictest::{DB, DBOutput, DefaultColumnType, Runner, strict_column_validator};

/// What a batch has said.
#[derive(Default)]
struct Answer {
    types: Vec<SqlType>,
    rows: Vec<Vec<String>>,
    result_count: usize,
    row_count: u64,
    error: Option<Failure>,
}

/// Why a batch failed.
#[derive(Clone, Debug)]
struct Failure(String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl Answer {
    fn columns(&mut self, types: Vec<SqlType>) {
        self.types = types;
        self.result_count += 1;
    }

    fn row(&mut self, values: &[Value]) {
        let shown = values.iter().zip(&self.types).map(|(value, sql_type)| {
            let text = to_display(value, sql_type);
            if text.is_empty() { "(empty)".to_owned() } else { text.trim_end().to_owned() }
        });
        self.rows.push(shown.collect());
    }

    fn error(&mut self, number: i32, severity: u8, state: u8, line: u32, text: &str) {
        let failure = Failure(format!("Msg {number}, Level {severity}, State {state}, Line {line}: {text}"));
        self.error.get_or_insert(failure);
    }

    fn output(self) -> Result<DBOutput<DefaultColumnType>, Failure> {
        match (self.error, self.result_count) {
            (Some(error), _) => Err(error),
            (None, 0) => Ok(DBOutput::StatementComplete(self.row_count)),
            (None, 1) => Ok(DBOutput::Rows { types: self.types.iter().map(kind).collect(), rows: self.rows }),
            (None, count) => Err(Failure(format!("{count} results in one record"))),
        }
    }
}

fn kind(sql_type: &SqlType) -> DefaultColumnType {
    if sql_type.is_integer() || *sql_type == SqlType::Bit {
        DefaultColumnType::Integer
    } else if sql_type.is_numeric() {
        DefaultColumnType::FloatingPoint
    } else {
        DefaultColumnType::Text
    }
}

impl Sink for Answer {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        Answer::columns(self, columns.iter().map(|column| column.sql_type).collect());
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        Answer::row(self, values);
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        if message.severity > 10 {
            self.error(message.number, message.severity, message.state, message.line, &message.text);
        }
    }

    fn done(&mut self, done: Done) {
        self.row_count = done.row_count.unwrap_or(self.row_count);
    }

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, _status: i32) {}

    fn return_value(&mut self, _name: &str, _sql_type: SqlType, _value: &Value) {}
}

/// A session in this process.
struct InProcess(Session);

impl DB for InProcess {
    type Error = Failure;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Failure> {
        let mut answer = Answer::default();
        self.0.run_batch(sql, &mut answer);
        answer.output()
    }
}

/// A session on a server.
struct OverTds(Client<TcpStream>);

impl DB for OverTds {
    type Error = Failure;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Failure> {
        let mut answer = Answer::default();
        let broken = |error: millpond_tds::client::ClientError| Failure(format!("connection: {error}"));
        for event in self.0.batch(sql).map_err(broken)? {
            match event.map_err(broken)? {
                Event::Columns(columns) => answer.columns(columns.iter().map(|column| column.sql_type).collect()),
                Event::Row(values) => answer.row(&values),
                Event::Error(ServerMessage { number, severity, state, line, message, .. }) => {
                    answer.error(number, severity, state, line, &message);
                }
                Event::Done(done) if done.status.contains(DoneStatus::COUNT) => answer.row_count = done.row_count,
                _ => {}
            }
        }
        answer.output()
    }
}

fn scripts() -> Vec<PathBuf> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/slt");
    let entries = std::fs::read_dir(dir).expect("the scripts are there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "slt"));
    paths.sort();
    assert!(paths.len() >= 8, "{paths:?}");
    paths
}

/// Runs all scripts, each with a session of its own, and reports all that failed. Tables of one session must not be
/// seen by the next, so all share an engine.
fn run_all<D: DB<ColumnType = DefaultColumnType> + Send>(open: impl Fn() -> D) {
    let mut failures = Vec::new();
    for path in scripts() {
        let mut runner = Runner::new(|| {
            let session = open();
            async move { Ok(session) }
        });
        runner.with_column_validator(strict_column_validator);
        if let Err(error) = runner.run_file(&path) {
            failures.push(format!("{}", error.display(false)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn scripts_run_in_the_process() {
    let engine = assemble::embedded(None).expect("an engine in memory opens");
    run_all(|| {
        let login = Login { login: "sa".into(), ..Login::default() };
        InProcess(Session::open(&engine, login).expect("a session is free"))
    });
}

#[test]
fn scripts_run_over_tds() {
    let mut config = Config::default();
    config.server.listen.set_port(0);
    config.server.sa_password = "Secret-of-the-test-1".into();
    let server = Server::start(&config).expect("the server starts");
    run_all(|| {
        let stream = TcpStream::connect(server.address()).expect("the server listens");
        let options = ConnectOptions {
            user: "sa".into(),
            password: config.server.sa_password.clone(),
            certificate: CertificateCheck::TrustAny,
            ..ConnectOptions::default()
        };
        OverTds(Client::connect(stream, &options).expect("sa logs in"))
    });
    server.stop().expect("the server stops");
}
