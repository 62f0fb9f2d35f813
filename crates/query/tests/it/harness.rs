//! An engine in memory and a sink that writes down everything that it is told.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use millpond_catalog::run::facts::Login;
use millpond_engine::engine::Engine;
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_query::session::Session;
use millpond_storage::ask::{Ask, IoCount, Task};
use millpond_storage::contract::SessionId;
use millpond_storage::instance::{Instance, InstanceConfig};
use millpond_storage::settings::tempdb::TempdbConfig;
use millpond_txn::TxnManager;
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};

/// An engine whose databases lie in memory.
pub fn engine() -> Arc<Engine> {
    engine_with(None)
}

/// The same with these files of tempdb.
pub fn engine_with(tempdb: Option<TempdbConfig>) -> Arc<Engine> {
    open(256 << 20, tempdb)
}

/// An engine that may take so much memory.
pub fn engine_of(memory_bytes: u64) -> Arc<Engine> {
    open(memory_bytes, None)
}

fn open(memory_bytes: u64, tempdb: Option<TempdbConfig>) -> Arc<Engine> {
    engine_of_config(InstanceConfig {
        max_memory_bytes: Some(memory_bytes),
        tempdb,
        ..InstanceConfig::new(None, Arc::new(millpond_device::SystemClock::new()))
    })
}

/// An engine whose databases lie in a directory, which becomes an instance where it is new, and that may take so much memory.
pub fn engine_in(memory_bytes: u64, dir: &Path) -> Arc<Engine> {
    let clock = Arc::new(millpond_device::SystemClock::new());
    engine_of_config(InstanceConfig {
        max_memory_bytes: Some(memory_bytes),
        ..InstanceConfig::new(Some(dir.to_owned()), clock)
    })
}

fn engine_of_config(config: InstanceConfig) -> Arc<Engine> {
    millpond_procedures::registry::new_engine(TxnManager::new(Instance::open(config).expect("the instance opens")))
}

/// Ends an engine as a server ends its own.
pub fn close(engine: Arc<Engine>) {
    let (task, io) = (Task::new(SessionId(0)), IoCount::default());
    engine.instance().shutdown(&Ask::new(&task, &io), true).expect("the files can be written");
}

/// A session of the engine.
pub fn session(engine: &Arc<Engine>) -> Session {
    Session::open(engine, Login { login: "sa".into(), ..Login::default() }).expect("a new engine has free sessions")
}

/// What a session says to a text.
pub fn run(session: &mut Session, text: &str) -> String {
    let mut sink = Transcript::default();
    session.run_batch(text, &mut sink);
    sink.text
}

/// Until so many requests wait for locks. When none ever does, the test ends some day rather than never.
pub fn until_waiting(engine: &Arc<Engine>, count: usize) {
    for _ in 0..20_000 {
        if engine.txns().locks().waiting().len() >= count {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    panic!("nobody waits");
}

/// Where two texts begin to differ, with the lines around it.
pub fn difference(expected: &str, told: &str) -> String {
    let (expected, told): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), told.lines().collect());
    let first = expected.iter().zip(&told).take_while(|(a, b)| a == b).count();
    let show =
        |lines: &[&str]| lines.iter().skip(first.saturating_sub(3)).take(10).copied().collect::<Vec<_>>().join("\n  ");
    format!("line {}\n expected\n  {}\n told\n  {}", first + 1, show(&expected), show(&told))
}

/// Everything a sink is told, as text: one line per row, message and count.
#[derive(Default)]
pub struct Transcript {
    /// The text so far.
    pub text: String,
    types: Vec<SqlType>,
    /// Whether each column may be NULL, by its description.
    nullable: Vec<bool>,
    /// The text has the status of calls too: those of a batch's EXEC are left out.
    pub tells_status: bool,
}

impl Sink for Transcript {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.types = columns.iter().map(|column| column.sql_type).collect();
        self.nullable = columns.iter().map(|column| column.nullable).collect();
        let names: Vec<String> = columns.iter().map(|column| format!("{}:{}", column.name, column.sql_type)).collect();
        let _ = writeln!(self.text, "[{}]", names.join(" | "));
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        let cells: Vec<String> = values
            .iter()
            .zip(&self.types)
            .map(
                |(value, sql)| {
                    if value.is_null() { "NULL".to_owned() } else { to_display(value, sql).trim_end().to_owned() }
                },
            )
            .collect();
        let _ = writeln!(self.text, "{}", cells.join(" | "));
        let broken = values.iter().zip(&self.nullable).position(|(value, nullable)| value.is_null() && !nullable);
        if let Some(column) = broken {
            let _ = writeln!(self.text, "NULL in column {}, which is described as NOT NULL", column + 1);
        }
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        if message.severity > 10 {
            let Message { number, severity, state, line, text, .. } = message;
            let _ = writeln!(self.text, "Msg {number}, Level {severity}, State {state}, Line {line}: {text}");
        } else if message.number != 5701 {
            let _ = writeln!(self.text, "# {}", message.text);
        }
    }

    fn done(&mut self, done: Done) {
        if let Some(rows) = done.row_count {
            let _ = writeln!(self.text, "({rows} rows affected)");
        }
    }

    fn env_change(&mut self, _change: &EnvChange) {}

    fn return_status(&mut self, status: i32) {
        if self.tells_status {
            let _ = writeln!(self.text, "return {status}");
        }
    }

    fn return_value(&mut self, name: &str, sql_type: SqlType, value: &Value) {
        let _ = writeln!(self.text, "{name} = {}", to_display(value, &sql_type));
    }
}
